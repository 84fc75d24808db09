#!/bin/sh
# Compile the kernel for all platforms and pack it into .cache/wheels, unless that is done.
set -eu
cd "$(dirname "$0")/../.."
tests/setup/environment.sh kernel
made=$(cat kernel/*.[ch] kernel/*.py kernel/*.toml kernel/README.md kernel/octree_kernel/*.py LICENSE \
    .venv/kernel/stamp | cksum)
if [ "$made" = "$(cat .cache/wheels.stamp 2>/dev/null)" ] && ls .cache/wheels/*.tar.gz >/dev/null 2>&1; then
    exit 0
fi
rm -rf .cache/wheels
.venv/kernel/bin/python kernel/backend.py .cache/wheels
echo "$made" >.cache/wheels.stamp
