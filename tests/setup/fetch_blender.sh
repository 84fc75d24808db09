#!/bin/sh
# Fetch a real Blender, with everything a window needs, from Debian into a root folder of its own
# (see where_blender_is.sh), unless one is there. Returns 69, with the reason, where that cannot be.
set -eu
cd "$(dirname "$0")/../.."
here=tests/setup
suite=${BLENDER_SUITE:-trixie}
root=${XDG_CACHE_HOME:-$HOME/.cache}/octree/blender-$suite
! "$here/where_blender_is.sh" true 2>/dev/null || exit 0
[ -z "${BLENDER:-}" ] && [ ! -e "$root" ] || exec "$here/where_blender_is.sh" true
if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap >/dev/null; then
    echo "a Blender can be fetched by root on Debian only; pass BLENDER=/path/to/blender" >&2
    exit 69
fi

packages=blender,python3-numpy,python3-requests,ca-certificates
packages=$packages,xvfb,xauth,openbox,xdotool,imagemagick,libgl1,libegl1,libgl1-mesa-dri
echo "Fetching Blender from Debian $suite into $root (download 0.4 GB, disk 1.4 GB)"
mkdir -p "$(dirname "$root")"
rm -rf --one-file-system "$root.part"
set -- --quiet --mode=root --variant=minbase --include="$packages"
set -- "$@" --aptopt='APT::Install-Recommends "false"'
# Mirrors of sid may be older than its lists are valid.
[ "$suite" != sid ] || set -- "$@" --aptopt='Acquire::Check-Valid-Until "false"'
mmdebstrap "$@" "$suite" "$root.part"
if [ "$suite" = sid ]; then  # whose package forgets what its extension commands import
    "$here/environment.sh" core-newest
    .venv/core-newest/bin/python -m pip install -q --no-deps --group pyproject.toml:blender-sid \
        --target "$root.part/usr/lib/python3/dist-packages"
fi
mv "$root.part" "$root"
