#!/bin/bash
# test_faults.sh MERCURY SOURCE_DIRECTORY - every cell of the table in docs/faults.md: a fault strikes a command, and
# exit status, message and what is left are as the document says, from which the expectations are read.
# shellcheck source=tests/cli/lib.sh
# A file system that is full, and one that may not be written to, even by root, are mounted where no one else sees them.
if [ -z "${own_mounts:-}" ]; then
    user=-r
    [ "$(id -u)" -ne 0 ] || user=''
    own_mounts=no
    # shellcheck disable=SC2086 # no user is no argument
    if unshare $user -m mount -t tmpfs none /mnt 2>/dev/null; then
        own_mounts=yes exec unshare $user -m "$0" "$@"
    fi
fi
. "$(dirname "$0")/lib.sh"
begin "$@"

prepare_mpirun
export OMPI_MCA_orte_tmpdir_base=$scratch PRTE_MCA_prte_tmpdir_base=$scratch # its own place may be another user's
kept=unfinished.passes
explored=300s                   # how long the explorer serves if nothing ends it
addresses=(55000 65000 120000) # limits [KiB]: the program has room, its libraries, a platform; `run` has more of them
search=(-p "$platform" -q q.fa -d d.fa --set query.segment=1000 -j 2) # passes must be met at work
tries=10                                                              # times that one is looked for

# --- input

make_input() {
    mkdir place full locked
    { echo '>q'; dna 1 12000; } >q.fa
    { echo '>d1'; dna 10 60000; sed -n '2,90p' q.fa | mutate 4; dna 11 40000; } >d.fa
    run run "${search[@]}" -o whole --record base.tokens --quiet
    report "a run without a fault" "$(success_problem)"
    arguments_of sweep .
    run "${arguments[@]}"
    report "a sweep without a fault" "$(success_problem)"
    "$mercury" sweep export --store out.db >sweep.tsv
    arguments_of 'run -o' place
    local i
    for ((i = 0; i < tries; i++)); do
        rm -rf place/out
        launch 'run -o' '' /dev/null
        until [ -s place/out/$kept ] || ! kill -0 "$begun" 2>/dev/null; do nap; done
        ! end_at_work 'run -o' KILL || break
    done
    check_number "a run to go on with" "$status" == 137
    mv place/out unfinished
}

# --- commands

# arguments_of COMMAND DIRECTORY: into `arguments`; what it writes is in the directory.
arguments_of() {
    local place=$2
    case $1 in
    run) arguments=(run "${search[@]}" --quiet) ;;
    'run -o' | 'mpirun run') arguments=(run "${search[@]}" --quiet -o "$place/out" --keep-after 0) ;;
    'run --record') arguments=(run "${search[@]}" --quiet -a "$place/hits.tsv" --record "$place/tokens") ;;
    retime) arguments=(retime base.tokens --quiet -j 2 -o "$place/out") ;;
    sweep) arguments=(sweep "${search[@]/=1000/=4000}" --quiet --vary fifo.wmer=16..20 --store "$place/out.db") ;;
    advise) # simulates its machines many times
        arguments=(advise "${search[@]/=1000/=12000}" --quiet --vary table.slots=2^10..2^11
            --store "$place/out.db")
        ;;
    report) arguments=(report "$place/out") ;;
    explore) arguments=(explore base.tokens --quiet --for "$explored") ;;
    'run --resume') arguments=(run --resume "$place/out") ;;
    'run --sample') arguments=(run "${search[@]}" --quiet -o "$place/out" --keep-after 0 --sample 20) ;;
    esac
}

# prepare COMMAND DIRECTORY: older files where it will write, or what it works on
prepare() {
    local place=$2 name
    find "$place" -mindepth 1 -delete
    case $1 in
    report)
        cp -r whole "$place/out"
        echo older >"$place/out/report.html"
        ;;
    'run --resume') cp -r unfinished "$place/out" ;;
    sweep | advise | explore | run) ;;
    *)
        mkdir "$place/out"
        for name in hits.tsv tokens out/alignments.tsv out/summary.json out/run.json; do
            echo older >"$place/$name"
        done
        ;;
    esac
}

# launch COMMAND LIMIT OUTPUT: in the background, $begun, in a group of its own; LIMIT is what a shell does before it
# becomes one of its processes.
launch() {
    local launcher=()
    [ "$1" != 'mpirun run' ] || launcher=(mpirun -n 2)
    set -m
    # shellcheck disable=SC2016 # expanded by the other shell
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 timeout -k 1 300 "${launcher[@]}" bash -c "$2"' exec "$@"' bash \
        "$mercury" "${arguments[@]}" >"$3" 2>"$scratch/err" </dev/null &
    begun=$!
    set +m
}

# --- at work

# find_pass: $program, the process that was launched; $simulating, it or one of its ranks; $pass, which is stopped
find_pass() {
    local children name
    while kill -0 "$begun" 2>/dev/null; do
        children_of "$begun"
        program=${children[0]:-}
        if [ "$1" = 'mpirun run' ]; then # any of whose threads begins a rank
            read -r -d '' -a children < <(cat "/proc/$program/task/"*/children 2>/dev/null)
        fi
        for simulating in "${children[@]}"; do
            read -r name 2>/dev/null <"/proc/$simulating/comm"
            [ "$name" != mercury ] || { stop_pass "$simulating" && return; }
        done
        nap
    done
    return 1
}

# end_at_work COMMAND SIGNAL [pass|rank]: while a pass is simulated, and cannot end before the signal comes; to the
# command, or to the process of a pass, or to a rank. Fails if the command has ended before.
end_at_work() {
    local target children found=yes
    program='' simulating='' pass=''
    case $1 in
    report | explore)
        until [ -n "$program" ] && { [ "$1" = report ] || [ -s "$scratch/out" ]; } || ! kill -0 "$begun" 2>/dev/null; do
            children_of "$begun"
            program=${children[0]:-}
            nap
        done
        ;;
    *) find_pass "$1" || found=no ;;
    esac
    case ${3:-} in
    pass) target=$pass ;;
    rank) target=$simulating ;;
    *) target=$program ;;
    esac
    [ $found = no ] || kill "-$2" "$target"
    [ -z "$pass" ] || kill -CONT "$pass" 2>/dev/null
    wait "$begun" 2>/dev/null
    status=$?
    [ $found = yes ]
}

# strike FAULT COMMAND [LIMIT]: again, if the command was too fast for the fault
strike() {
    local i
    for ((i = 0; i < tries; i++)); do
        strike_once "$@" && return
    done
    fail "$2 is found at work" "$(cat "$scratch/err")"
}

# strike_once FAULT COMMAND [LIMIT]: $status, $scratch/out and $scratch/err are what comes of it, $place is where the command wrote.
strike_once() {
    local limit='' output=$scratch/out missed=0
    place=place
    export OMPI_MCA_btl=self,tcp # memory that ranks share is a file, which a limit on files meets
    : >"$scratch/out"
    case $1 in
    SIGXFSZ) limit='ulimit -f 1;' ;; # KiB: a copy of the platform has more
    'no memory') limit="ulimit -v $3;" explored=1s ;;
    'no descriptors') limit='ulimit -n 12;' ;;
    'closed stdout') limit='exec >&-;' ;;
    'dead rank') OMPI_MCA_btl=self,vader ;; # by TCP the other rank may notice first, with a status of MPI's
    'full disk') place=full output=full/stdout ;;
    'read-only directory') place=locked ;;
    esac
    prepare "$2" "$place"
    rm -rf before
    cp -r "$place" before
    [[ $1,$2 != SIG[IKT]*,report ]] || { rm place/out/passes.tsv && mkfifo place/out/passes.tsv; } # where it waits
    arguments_of "$2" "$place"
    [ "$place" != full ] || : >full/stdout
    [ "$place" != full ] || head -c 9m /dev/zero >full/rest 2>/dev/null
    [ "$place" != locked ] || mount -o remount,bind,ro locked
    launch "$2" "$limit" "$output"
    case $1 in
    SIGKILL | SIGINT | SIGTERM) end_at_work "$2" "${1#SIG}" || missed=1 ;;
    'killed pass') end_at_work "$2" KILL pass || missed=1 ;;
    'dead rank') end_at_work "$2" KILL rank || missed=1 ;;
    *)
        wait "$begun"
        status=$?
        ;;
    esac
    [ "$place" != locked ] || mount -o remount,bind,rw locked
    [ "$place" != full ] || rm -f full/rest full/stdout
    forget_sanitizer
    explored=300s
    return $missed
}

# --- judgement

# Lines of mpirun's own are not counted.
said() {
    grep -a '^mercury: ' "$scratch/err"
}

problem_of() { # FAULT COMMAND STATUS SAYS
    local lines pattern=${4//\`/}
    lines=$(said | wc -l)
    [ "$status" = "$3" ] || echo "exit status $status, expected $3"
    if [ "$3" = 0 ] || [ "$3" = 137 ]; then
        [ "$lines" -eq 0 ] || echo "it says something"
    elif [ "$2" != 'mpirun run' ] || [ "$1" = 'killed pass' ]; then
        [ "$lines" -eq 1 ] || echo "$lines lines, expected one"
        said | grep -q -a -E -e "${pattern// or /|}" || echo "the line does not match: $4"
    fi
    [ "$1" != 'dead rank' ] || grep -q 'rank [01] ' "$scratch/err" || echo "mpirun does not say which rank"
    [ "$2" = 'mpirun run' ] || [ "$(grep -a -c . "$scratch/err")" -eq "$lines" ] || echo "there are other lines"
    [ "$3" = 0 ] || leavings "$1"
}

# Files are as they were before, but for what is kept to go on with; or, after a full disk, a directory has no run.json.
leavings() { # FAULT
    local changed
    changed=$(diff -rq before "$place" |
        grep -v -e "$kept" -e 'out\.db' -e 'passes\.tsv' -e 'Only in [a-z]*: \(stdout\|out\)$')
    [ -z "$changed" ] || [[ $1 == *disk && ! -e $place/out/run.json ]] || echo "$changed"
    find "$place" -name '*.partial'
}

# goes_on COMMAND: what was kept is gone on with, to what would have come without the fault.
goes_on() {
    await_free "$place/out"
    if [ "$1" = sweep ]; then
        arguments_of sweep "$place"
        run "${arguments[@]}"
        success_problem
        "$mercury" sweep export --store "$place/out.db" | diff - sweep.tsv
    elif [ -s "$place/out/$kept" ]; then
        run run --resume "$place/out"
        success_problem
        diff -rq -x run.json whole "$place/out"
    fi
}

# --- the table

# The table of the document: its fields, without the blanks around them, separated by tabs.
read_table() {
    sed -n '/^| fault /,/^$/p' "$source_directory/docs/faults.md" |
        sed -E '/^$/d; /^\| -/d; s/^\| *//; s/ *\|$//; s/ *\| */\t/g'
}

# skip_reason FAULT: why it cannot be had here
skip_reason() {
    case $1 in
    *disk | *directory) [ "$own_mounts" = yes ] || echo "nothing can be mounted" ;;
    *memory) [ -z "$sanitized" ] || echo "sanitizers need all addresses" ;;
    esac
}

# memory_problem COMMAND SAYS: whatever the limit, the command refuses in one line, or does all that it was asked for. If
# not even its libraries have room, the loader speaks.
memory_problem() {
    local limit problem limits=("${addresses[@]}")
    [ "$1" != run ] || limits+=(50000 80000 200000 400000)
    for limit in "${limits[@]}"; do
        strike 'no memory' "$1" "$limit"
        if [ "$status" -eq 127 ] && grep -q '^[^ ]*: error while loading shared libraries' "$scratch/err"; then
            problem=$(leavings 'no memory')
        elif [ "$status" -eq 0 ]; then
            problem=$(answer_problem "$1")
        else
            problem=$(problem_of 'no memory' "$1" 2 "$2")
        fi
        [ -z "$problem" ] || echo "ulimit -v $limit: $problem"$'\n'"it said: $(cat "$scratch/err")"
    done
}

# answer_problem COMMAND: what is wrong with what it did
answer_problem() {
    [ ! -s "$scratch/err" ] || echo "it says something"
    case $1 in
    run) diff -q "$scratch/out" whole/alignments.tsv ;;
    'run --record') diff -q "$place/hits.tsv" whole/alignments.tsv ;;
    'run -o' | 'run --resume' | retime) diff -q "$place/out/alignments.tsv" whole/alignments.tsv ;;
    sweep) "$mercury" sweep export --store "$place/out.db" | diff - sweep.tsv ;;
    report | 'run --sample') grep -q '</html>' "$place/out/report.html" || echo "no page" ;;
    *) [ -s "$scratch/out" ] || echo "no answer" ;;
    esac
}

test_cell() { # FAULT COMMAND STATUS SAYS
    local problem reason
    reason=$(skip_reason "$1")
    [[ $2 != mpirun* ]] || { have mpirun && has_mpi; } || reason="no MPI"
    if [ -n "$reason" ]; then
        skip "$1: $2" "$reason"
        return
    fi
    if [ "$1" = 'no memory' ]; then
        report "$1: $2" "$(memory_problem "$2" "$4")"
        return
    fi
    strike "$1" "$2"
    problem=$(problem_of "$@")
    [ -z "$problem" ] || problem+=$'\n'"it said: $(cat "$scratch/err")"
    [[ $1 != SIG[IKT]* && $1 != dead* && $1 != killed* ]] || [ -n "$problem" ] || problem=$(goes_on "$2")
    report "$1: $2: $3" "$problem"
}

test_table() {
    local names fields i cells=0
    while IFS=$'\t' read -r -a fields; do
        [ "${fields[0]}" != fault ] || names=("${fields[@]//\`/}")
        [ "${fields[0]}" != fault ] || continue
        for ((i = 1; i < ${#names[@]} - 1; i++)); do
            [ "${fields[i]}" != — ] || continue
            [ "${#fields[@]}" -eq "${#names[@]}" ] || fail "a row of the table" "${fields[*]}"
            test_cell "${fields[0]}" "${names[i]}" "${fields[i]}" "${fields[-1]}"
            cells=$((cells + 1))
        done
    done < <(read_table)
    check_number "the table has cells" "$cells" '>' 80
}

set_up_mounts() {
    [ "$own_mounts" = yes ] || return
    trap 'umount full locked; rm -rf "$scratch"' EXIT
    mount -t tmpfs -o size=8m none full && mount --bind locked locked || own_mounts=no
}

make_input
set_up_mounts
test_table 2>/dev/null # where bash tells of signals
finish
