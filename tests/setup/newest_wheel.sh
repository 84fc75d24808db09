#!/bin/sh
# Make the environment of the newest bpy wheel that this machine can have, and print its folder.
# Returns 69, with the reasons, if it can have none.
set -eu
cd "$(dirname "$0")/../.."

for group in $(sed -n 's/^"\(bpy-[0-9.]*\)" = .*/\1/p' pyproject.toml | sort -rV); do
    if tests/setup/environment.sh "$group"; then
        echo ".venv/$group"
        exit 0
    fi
    echo "Going on without $group" >&2
done
exit 69
