#!/bin/sh
# Run a command where the real Blender is: where_blender_is.sh blender -b, where_blender_is.sh xdotool ...
#
# That is this machine if BLENDER names one or the path holds one; else a root folder that
# fetch_blender.sh makes, of the Debian suite BLENDER_SUITE, or of sid or else trixie if that is
# unset. Without any it prints the reason and returns 69.
set -eu
checkout=$(cd "$(dirname "$0")/../.." && pwd -P)
suite=${BLENDER_SUITE:-}
roots=${XDG_CACHE_HOME:-$HOME/.cache}/octree/blender

nowhere() {
    echo "$1" >&2
    exit 69
}

if [ -z "$suite" ] && blender=$(command -v "${BLENDER:-blender}"); then
    [ "$1" != blender ] || { shift; set -- "$blender" "$@"; }
    exec "$@"
fi
[ -z "${BLENDER:-}" ] || [ -n "$suite" ] || nowhere "BLENDER=$BLENDER is no program"
root=
for each in ${suite:-sid trixie}; do
    [ -n "$root" ] || [ ! -x "$roots-$each/usr/bin/blender" ] || root=$roots-$each
done
[ -n "$root" ] || nowhere "no Blender: none in BLENDER=, on the path or in $roots-${suite:-*}"
[ "$(id -u)" = 0 ] || nowhere "the Blender in $root can be entered by root only; pass BLENDER=/path/to/blender"
unshare --mount true 2>/dev/null || nowhere "this container may not mount, so $root cannot be entered"

# The mounts live in a mount namespace of this process alone and vanish with it: nothing stays
# mounted, and no clean-up can reach the machine's own /dev. The checkout and /tmp keep their paths.
export OCTREE_ROOT="$root" OCTREE_CHECKOUT="$checkout" OCTREE_FOLDER="$PWD"
# shellcheck disable=SC2016  # expanded by the inner shells
exec unshare --mount sh -euc '
    mkdir -p "$OCTREE_ROOT$OCTREE_CHECKOUT"
    mount -t proc proc "$OCTREE_ROOT/proc"
    mount --rbind /sys "$OCTREE_ROOT/sys"
    mount --rbind /dev "$OCTREE_ROOT/dev"
    mount --bind /tmp "$OCTREE_ROOT/tmp"
    mount --bind "$OCTREE_CHECKOUT" "$OCTREE_ROOT$OCTREE_CHECKOUT"
    exec chroot "$OCTREE_ROOT" sh -c "cd \"\$OCTREE_FOLDER\" 2>/dev/null || cd /; exec \"\$@\"" sh "$@"
' sh "$@"
