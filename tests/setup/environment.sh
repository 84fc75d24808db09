#!/bin/sh
# Make .venv/GROUP from the dependency group of that name in pyproject.toml: environment.sh GROUP
# A stamp keeps what it was made from: its Python and its pins, not those of other groups.
# Returns, with the reason, 68 where its Python is missing and 69 where pip cannot have its pins.
set -eu
cd "$(dirname "$0")/../.."
group=$1
folder=.venv/$group
log=.cache/environment-$group.log
here=tests/setup
mkdir -p .cache
# Two suites that want the same one: the second waits, where there is a command for it.
if command -v flock >/dev/null; then
    exec 9>".cache/environment-$group.lock"
    flock 9
fi
pins=$("$("$here/python.sh" 3.11)" "$here/pins.py" "$group")
[ "$pins" != "$(cat "$folder/stamp" 2>/dev/null)" ] || exit 0

# The first line is the version of Python, the second pip's own pin.
# shellcheck disable=SC2086  # no pin holds a space
set -- $pins
python=$("$here/python.sh" "$1")
pip=$2
shift 2
echo "Making $folder" >&2
rm -rf "$folder"
"$python" -m venv "$folder"
if ! "$folder/bin/python" -m pip install -q "$pip" >"$log" 2>&1 ||
    ! "$folder/bin/python" -m pip install -q "$@" >>"$log" 2>&1; then
    grep '^ERROR' "$log" | tail -n 1 >&2 || tail -n 5 "$log" >&2
    exit 69
fi
printf '%s\n' "$pins" >"$folder/stamp"
