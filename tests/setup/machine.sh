#!/bin/sh
# See that this machine has what NumPy, the bpy wheels and (argument `window`) a window,
# (argument `tiles`) validators and a browser, or (argument `peers`) the libraries that we are compared
# with need. What is missing is installed by root; anybody else is told the one line to copy.
# With CI=true that is also what may be missing elsewhere.
set -eu
PATH=$PATH:/usr/sbin:/sbin
python=${PYTHON:-python3.11}
missing=

need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

library() {
    ldconfig -p | grep -qF "$1 "
}

need python3.11 command -v "$python"
need python3.11-venv "$python" -c "import ensurepip, venv"
need ca-certificates test -s /etc/ssl/certs/ca-certificates.crt
need libx11-6 library libX11.so.6
need libxext6 library libXext.so.6
need libxfixes3 library libXfixes.so.3
need libxi6 library libXi.so.6
need libxrender1 library libXrender.so.1
need libxxf86vm1 library libXxf86vm.so.1
need libxkbcommon0 library libxkbcommon.so.0
need libgl1 library libGL.so.1
need libsm6 library libSM.so.6
need libgomp1 library libgomp.so.1
if [ "${CI:-}" = true ]; then
    # The Python of Blender 5.2, where Debian has it.
    ! grep -qs '^VERSION_CODENAME=trixie' /etc/os-release ||
        need python3.13-venv python3.13 -c "import ensurepip, venv"
    if [ "${1:-}" = tiles ]; then
        need npm command -v npm
        need chromium command -v chromium
    fi
fi
if [ "${1:-}" = window ]; then
    if command -v "${BLENDER:-blender}" >/dev/null; then
        need xvfb command -v Xvfb
        need openbox command -v openbox
        need xdotool command -v xdotool
        need imagemagick command -v import
    elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        need mmdebstrap command -v mmdebstrap
    fi
fi
if [ "${1:-}" = peers ]; then
    need libusb-1.0-0 library libusb-1.0.so.0
    need g++ command -v c++
    need python3.11-dev "$python" -c \
        "import pathlib, sysconfig; (pathlib.Path(sysconfig.get_path('include')) / 'Python.h').stat()"
fi
[ -n "$missing" ] || exit 0

install="apt-get install --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
    echo "This machine lacks what Debian calls:$missing" >&2
    exit 1
elif [ "$(id -u)" != 0 ]; then
    echo "This machine lacks a few packages. Copy this line, then run make again:" >&2
    echo "    sudo sh -c 'apt-get update && $install'" >&2
    exit 1
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
$install -y -qq >/dev/null
