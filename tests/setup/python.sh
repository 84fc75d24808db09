#!/bin/sh
# Print a Python of this version that runs and can make environments: python.sh 3.13
# It is the one on the path, else one of pyenv's, whose own command runs only where it was switched
# on; PYTHON names another one for the version that it has. Returns 68, with the reason, without one.
set -eu
version=$1

for python in "${PYTHON:-python$version}" "python$version" \
    "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/"python$version"; do
    "$python" -c "import ensurepip, sys, venv
sys.exit('%d.%d' % sys.version_info[:2] != '$version')" >/dev/null 2>&1 || continue
    command -v "$python"
    exit 0
done
echo "no Python $version: neither on the path nor in pyenv's folder" >&2
exit 68
