#!/bin/sh
# Fetch a real Blender, with everything a window needs, from Debian into a root folder of its own
# (see where_blender_is.sh), unless one is there: of the Debian suite BLENDER_SUITE; if that is
# unset, of sid, which has the newest, or where sid has none that can be installed today, of trixie.
# Returns 69, with the reason, where none can be had.
set -eu
cd "$(dirname "$0")/../.."
here=tests/setup
roots=${XDG_CACHE_HOME:-$HOME/.cache}/octree/blender

fetch() {
    suite=$1
    root=$roots-$suite
    [ ! -e "$root" ] || return 0
    packages=blender,python3-numpy,python3-requests,ca-certificates
    packages=$packages,xvfb,xauth,openbox,xdotool,imagemagick,libgl1,libegl1,libgl1-mesa-dri
    echo "Fetching Blender from Debian $suite into $root (download 0.4 GB, disk 1.4 GB)"
    rm -rf --one-file-system "$root.part"
    set -- --quiet --mode=root --variant=minbase --include="$packages"
    set -- "$@" --aptopt='APT::Install-Recommends "false"'
    # Mirrors of sid may be older than its lists are valid.
    [ "$suite" != sid ] || set -- "$@" --aptopt='Acquire::Check-Valid-Until "false"'
    mmdebstrap "$@" "$suite" "$root.part" || return
    if [ "$suite" = sid ]; then # whose package forgets what its extension commands import
        "$here/environment.sh" core-newest || return
        .venv/core-newest/bin/python -m pip install -q --no-deps \
            --group pyproject.toml:blender-sid \
            --target "$root.part/usr/lib/python3/dist-packages" || return
    fi
    mv "$root.part" "$root"
}

# One on the path or in BLENDER needs nothing; a root folder that cannot be entered says why.
! command -v "${BLENDER:-blender}" >/dev/null || [ -n "${BLENDER_SUITE:-}" ] || exit 0
[ -z "${BLENDER:-}" ] || [ -n "${BLENDER_SUITE:-}" ] || exec "$here/where_blender_is.sh" true
wanted=${BLENDER_SUITE:-sid trixie}
mkdir -p "$(dirname "$roots")"
for suite in $wanted; do
    [ ! -e "$roots-$suite" ] || exec "$here/where_blender_is.sh" true
    if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap >/dev/null; then
        echo "a Blender can be fetched by root on Debian only; pass BLENDER=/path/to/blender" >&2
        exit 69
    fi
    exec 9>"$roots.lock" # another suite may be at it
    flock 9
    ! fetch "$suite" || exec "$here/where_blender_is.sh" true
    echo "Debian $suite has no Blender that can be installed here today" >&2
done
exit 69
