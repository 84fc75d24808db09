#!/bin/sh
# Compile the kernel for this machine, unless that is done: kernel.sh [COMPILER]
# Without one with ziglang, in .venv/kernel.
set -eu
cd "$(dirname "$0")/../.."
setup=tests/setup
python=$($setup/python.sh 3.11)
if [ $# = 0 ]; then
    $setup/environment.sh kernel
    python=.venv/kernel/bin/python
fi
made=$(uname -sm | tr ' ' -)-$(cat kernel/*.[ch] kernel/compile.py pyproject.toml | cksum)-${1:-ziglang}
stamp=.cache/kernel
[ "$made" != "$(cat $stamp 2>/dev/null)" ] || ! ls kernel/octree_kernel/octree_kernel.* \
    >/dev/null 2>&1 || exit 0
CC="${1:-}" "$python" kernel/compile.py
mkdir -p .cache
echo "$made" >$stamp
