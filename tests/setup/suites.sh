#!/bin/bash
# Run test suites, as many at a time as the machine has cores, and end with the summary line of
# each: suites.sh NAME...
#
# A suite whose Python is not on this machine (code 68) is skipped with its reason, and so is one
# without its Blender (code 69) unless CI=true, where that has failed. With EXAMPLES=many the tests of
# the core look at more random cases (tests/examples.py), and all Blenders run all tests.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit
setup=tests/setup
results=.cache/suites
asked="$*"
limit="timeout 3000"
sessions=tests/addon/test_sessions.py
# A whole Blender differs from the wheel of its version by what stands around its data: files,
# packages, processes, graphics, keys. Its window has a suite of its own.
whole="behind_command command_line command_processes every_question files gpu_buffer guide_examples
    hiding menus overlay package package_kernel preferences registration translations
    undo visibility_memory"

# What else an older Blender runs beside the newest, which runs everything: what reads its data,
# moves it, draws it and writes it. With EXAMPLES=many each runs everything.
older="audit box build camera chunk_files chunk_instances chunks damaged_meshes density distances drop fill hiding live
    manual never_seen original_meshes overlay probe push_apart reader reader_polygons results
    results_list scene_index selection shot targets trees unkeyed"

in_wheel() {
    $setup/environment.sh "$1" || return
    local tests=(tests/addon --ignore $sessions) with_sessions=apart
    local -x OCTREE_KERNEL=off
    # The newest has the kernel, as it is shipped; in the others NumPy answers.
    [ "$1" != "$(printf '%s\n' $asked | grep bpy | sort -V | tail -n 1)" ] || with_kernel || return 1
    if [ "$1" != bpy-5.2 ] && [[ $asked = *bpy-5.2* && ${EXAMPLES:-} != many ]]; then
        mapfile -t tests < <(files $whole $older)
        [ "$1" = bpy-4.2 ] || with_sessions=  # the oldest and the newest play them
    fi
    $with_sessions tests_in_wheel "$1" "${tests[@]}" -n "$workers" --dist loadfile
}

files() {
    printf '%s\n' "$@" | sort -u | sed 's|.*|tests/addon/test_&.py|'
}

tests_in_wheel() {
    $limit ".venv/$1/bin/python" tests/run_in_blender.py -- "${@:2}" --durations 12
}

# Run tests by a command and an environment's name, and random sessions beside them, in a process of
# their own: after hundreds of other tests Blender 4.2 and 4.3 crash in them, in some runs. Once a
# property is written, DEG_id_tag_update finds its owner freed; why is not known.
apart() {
    local others code
    ending "$@" >"$log.others" 2>&1 &
    others=$!
    ending "$1" "$2" $sessions
    code=$?
    wait $others || code=$?
    cat "$log.others"
    rm "$log.others"
    return $code
}

# Say of a command that it ended without a summary: it crashed, or took too long.
ending() {
    "$@" || { local code=$?; [ $code = 1 ] || echo "Code $code ended $*"; return $code; }
}

in_core() {
    $setup/environment.sh "$1" || return 1
    local -x OCTREE_KERNEL=off
    [ "$1" != core-newest ] || with_kernel "$1" || return 1
    $limit ".venv/$1/bin/python" -m pytest tests --ignore tests/addon --ignore tests/gui -n auto --durations 12
}

# Under the newest NumPy the compiled kernel answers; test_kernel compares it with NumPy, which under
# the oldest answers all.
with_kernel() {
    $setup/kernel.sh ${CC:+"$CC"} || {
        [ $? = 69 ] && [ "${CI:-}" != true ] || return 1
        echo "Without the kernel, as there is no ziglang: CC=gcc takes another compiler"
        return 0
    }
    OCTREE_KERNEL=$PWD/kernel/octree_kernel
}

# Blender's own Python has no pytest: a folder of wheels for its version stands in.
in_blender() {
    local python pins packages
    say_which && $setup/environment.sh core-newest || return
    python=$($setup/where_blender_is.sh blender -b --factory-startup --python-expr \
        'import sys; print("python", *sys.version_info[:2])' | sed -n 's/^python \(.*\) /\1./p')
    mapfile -t pins < <("$($setup/python.sh 3.11)" $setup/pins.py test | tail -n +3)
    packages=.cache/pytest-$python-$(echo "${pins[@]}" | cksum | cut -d' ' -f1)
    [ -e "$packages/pytest" ] || .venv/core-newest/bin/python -m pip install -q \
        --target "$packages" --python-version "$python" --only-binary :all: \
        "${pins[@]}" || return 1
    # shellcheck disable=SC2046  # words
    tests_in_blender $(files $whole)
}

tests_in_blender() {
    local user code
    user=$(mktemp -d /tmp/octree-user.XXXXXX)
    BLENDER_USER_RESOURCES=$user PYTHONPATH=$PWD/$packages $limit $setup/where_blender_is.sh \
        blender -b --factory-startup --python-use-system-env --python-exit-code 1 \
        --python tests/run_in_blender.py -- "$@"
    code=$?
    rm -rf "$user"
    return $code
}

in_window() {
    $setup/fetch_blender.sh && say_which && $setup/environment.sh core-newest || return
    $limit .venv/core-newest/bin/python -m pytest tests/gui -m window -rs --durations 12
}

# Print which Blender is tested; the summary repeats it.
say_which() {
    local version
    version=$($setup/where_blender_is.sh blender --version) || return
    echo "${version%%$'\n'*}"
}

# Make what later suites stand on while the first runs; each tells itself what it lacks.
prepare() {
    local suite
    for suite in "$@"; do
        case $suite in
            core-newest) $setup/kernel.sh ${CC:+"$CC"} ;;
            bpy-*) $setup/environment.sh "$suite" ;;
            blender | window) $setup/fetch_blender.sh ;;
        esac
    done
}

run() {
    case $1 in
        core-*) in_core "$1" ;;
        bpy-*) in_wheel "$1" ;;
        blender) in_blender ;;
        window) in_window ;;
    esac
}

summary() {
    local which
    which=$(sed -n '/^Blender [0-9]/{s/$/: /p;q}' "$1")
    grep -E '^[0-9]+ (passed|failed|skipped|errors?)\b.* in |^Code [0-9]+ ended ' "$1" |
        sed ':all; N; $!b all; s/\n/; /g' | sed "s/^/$which/" | grep . || grep . "$1" | tail -n 1
}

# Run one suite and keep its output and its result.
one() {
    local log=$results/$1.log result code
    run "$1" >"$log" 2>&1
    code=$?
    result=$(summary "$log")
    if [ $code = 68 ] || { [ $code = 69 ] && [ "${CI:-}" != true ]; }; then
        result="skipped: $result"
    elif [ $code != 0 ]; then
        result="FAILED: $result"
    fi
    echo "$result" >"$results/$1"
    printf '== %s\n%s\n' "$1" "$(cat "$log")"
}

mkdir -p $results
# A window waits for its own hands half of the time: it runs beside all else, and takes no place.
# Suites inside Blender run side by side; where they are fewer than the cores, in more processes.
inside=$(printf '%s\n' "$@" | grep -vcE '^(core-|window)')
workers=$((inside ? $(nproc) / inside : 0))
[ $workers -gt 1 ] || workers=0
window=none
prepare "${@:2}" >/dev/null 2>&1 &
prepared=$!
for suite in "$@"; do
    rm -f "$results/$suite"
    [ "$suite" = "$1" ] || [ "$suite" = core-oldest ] || wait "$prepared"
    case $suite in
        window)
            one window &
            window=$!
            ;;
        core-*) one "$suite" ;; # takes every core for itself
        *)
            while [ "$(jobs -rp | grep -vcx "$window")" -ge "$(nproc)" ]; do wait -n; done
            # The last one has the cores that the others leave.
            [ "$suite" != "${!#}" ] || [ "$(nproc)" = 1 ] || workers=$(nproc)
            one "$suite" &
            ;;
    esac
done
wait

echo
failed=0
for suite in "$@"; do
    result=$(cat "$results/$suite") || result="FAILED: it has left no result"
    printf '%-12s %s\n' "$suite" "$result"
    case $result in FAILED*) failed=1 ;; esac
done
exit $failed
