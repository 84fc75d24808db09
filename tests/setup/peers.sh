#!/bin/sh
# Make the environments of `make bench-peers`, or those that are named. A peer that pip cannot have is
# named with the reason and left out: the table shows dashes for it.
set -eu
cd "$(dirname "$0")/../.."

for group in ${*:-peers-numpy1 peers-numpy2}; do
    tests/setup/environment.sh $group
    python=.venv/$group/bin/python
    # Built with the NumPy and the Cython that are there, not with some that pip would choose.
    install="$python -m pip install -q --no-build-isolation"
    log=.cache/environment-$group.log
    if $install --group "pyproject.toml:with-$group" >"$log" 2>&1; then
        continue
    fi
    for peer in $($python -c 'import sys, tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["with-" + sys.argv[1]])' \
        $group); do
        $install "$peer" >"$log" 2>&1 ||
            echo "Without $peer: $(grep -i 'error' "$log" | tail -n 1 || tail -n 1 "$log")" >&2
    done
done
