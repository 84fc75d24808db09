#!/bin/sh
# Make .venv/GROUP from the dependency group of that name in pyproject.toml: environment.sh GROUP
# A stamp keeps the pins that it was made from. Returns 69, with the reason, if pip cannot have them.
set -eu
cd "$(dirname "$0")/../.."
group=$1
folder=.venv/$group
log=.cache/environment-$group.log
pins=$(sed -n '/^\[dependency-groups\]/,/^\[tool/p' pyproject.toml)
[ "$pins" != "$(cat "$folder/stamp" 2>/dev/null)" ] || exit 0

echo "Making $folder"
mkdir -p .cache
"${PYTHON:-python3.11}" -m venv "$folder"
pip=$(printf '%s' "$pins" | sed -n 's/^pip = \["\(.*\)"\].*/\1/p')
if ! "$folder/bin/python" -m pip install -q "$pip" >"$log" 2>&1 ||
    ! "$folder/bin/python" -m pip install -q --group "pyproject.toml:$group" >>"$log" 2>&1; then
    grep '^ERROR' "$log" | tail -n 1 >&2 || tail -n 5 "$log" >&2
    exit 69
fi
printf '%s\n' "$pins" >"$folder/stamp"
