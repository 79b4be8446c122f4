#!/bin/bash
# test_causes.sh MERCURY SOURCE_DIRECTORY - a system call fails, for a reason that it can have: the command does all that
# it was asked for, or says the reason in one line and leaves nothing that looks whole; and the same command without the
# fault then does it. docs/faults.md says what each reason comes to.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

have strace || skip_all "no strace"
strace -qqq -o /dev/null -e trace=mkdir true 2>/dev/null || skip_all "strace may not trace here"
[ -z "$sanitized" ] || skip_all "where sanitizers look for leaks strace cannot look on"

first=14 later=4     # calls of a kind that fail, each in a case of its own: the first, and of the others
[ -z "$few" ] || first=2 later=1
workers=$(nproc)     # that work on the cases at once
retried=' write pwrite64 fsync linkat unlink rename mkdir ' # after EINTR
# what the dynamic loader, or SimGrid, says instead of the program
libraries='error while loading shared libraries|cannot allocate TLS data|cannot be loaded|Unable to open|SimGrid refuses'

# The commands, their calls, and the reasons for which each of these calls fails.
plan='
run -o:       write     : EINTR EIO ENOSPC
run -o:       fsync     : EINTR EIO ENOSPC
run -o:       linkat    : EINTR EIO ENOSPC
run -o:       unlink    : EINTR EIO
run -o:       rename    : EINTR EIO
run -o:       mkdir     : EINTR EIO ENOSPC
run -o:       openat    : EINTR EIO EMFILE
run -o:       memfd_create: EMFILE ENOMEM
run -o:       mmap      : ENOMEM
run -o:       clone     : EAGAIN ENOMEM EIO EMFILE
run -o:       pread64   : EINTR EIO
run boards:   clone     : EAGAIN
run boards:   openat    : EMFILE
run boards:   mmap      : ENOMEM
run --record: write     : EINTR ENOSPC
run --record: linkat    : EINTR EIO
retime:       write     : EINTR EIO
retime:       openat    : EMFILE
sweep:        write     : EINTR ENOSPC
sweep:        pwrite64  : EINTR EIO ENOSPC
sweep:        fdatasync : EIO
sweep:        openat    : EMFILE
queue -o:     memfd_create: EMFILE ENOMEM
queue -o:     write     : EINTR EIO ENOSPC
queue -o:     linkat    : EINTR EIO
'

# --- commands

# arguments_of COMMAND: into `arguments`; it writes to `out`, in the directory where it runs
arguments_of() {
    case $1 in
    'run -o') arguments=(run -q q.fa -d d.fa -j 2 --quiet -o out --keep-after 0) ;;
    'run boards') arguments=(run -q q.fa -d d.fa -j 2 --quiet -o out --set boards=2 --set query.segment=1000) ;;
    'run --record') arguments=(run -q q.fa -d d.fa -j 2 --quiet -a out/hits.tsv --record out/tokens) ;;
    retime) arguments=(retime base.tokens --quiet -o out) ;;
    sweep) arguments=(sweep -q q.fa -d d.fa --quiet -j 2 --vary fifo.wmer=16..17 --store out/out.db) ;;
    'queue -o') arguments=(queue --customers 2000 -o out) ;;
    esac
}

# prepare COMMAND: where it will write there are older files, of another run, so that a mixture shows
prepare() {
    rm -rf out
    case $1 in
    'run -o' | 'run boards' | retime) cp -r ../older out ;;
    *) mkdir out ;;
    esac
}

# difference COMMAND: between what a command has left and what it leaves without a fault; not clocks, nor SQLite's pages
difference() {
    if [ "$1" = sweep ]; then
        "$mercury" sweep export --store out/out.db 2>&1 | diff -q - "../whole $1/points"
    else
        diff -rq -x run.json "../whole $1" out
    fi
}

make_input() {
    local command i
    { echo '>q'; dna 1 3000; } >q.fa
    { echo '>d1'; dna 10 6000; sed -n '2,30p' q.fa | mutate 4; dna 11 4000; } >d.fa
    run run -q q.fa -d d.fa --quiet --record base.tokens -o older --set fifo.wmer=20
    report "a run without a fault" "$(success_problem)"
    for ((i = 0; i < workers; i++)); do
        mkdir "$i"
        ln -s ../q.fa ../d.fa ../base.tokens "$i"
    done
    cd 0 || exit
    for command in 'run -o' 'run boards' 'run --record' retime sweep 'queue -o'; do
        prepare "$command"
        arguments_of "$command"
        strace -f -qqq -o "../calls of $command" "$mercury" "${arguments[@]}" >"$scratch/out" 2>"$scratch/err"
        status=$?
        report "$command without a fault" "$(success_problem)"
        [ "$command" != sweep ] || "$mercury" sweep export --store out/out.db >out/points
        mv out "../whole $command"
    done
    cd ..
}

# --- cases

# numbers_of COMMAND CALL: of the calls that are to fail. A call is counted in each process; what counts is the most.
numbers_of() {
    awk -v call="$2(" -v first="$first" -v later="$later" '
        index($2, call) == 1 && ++n[$1] > most { most = n[$1] }
        END {
            for (i = 1; i <= most && i <= first; i++) print i
            step = (most - first) / later
            for (i = first + 1; i <= most; i += step > 1 ? step : 1) print int(i)
        }' "calls of $1"
}

make_cases() {
    local command call reasons reason number
    while IFS=: read -r command call reasons; do
        call=${call//[ ]/}
        for number in $(numbers_of "$command" "$call"); do
            for reason in $reasons; do echo "$command:$call:$reason:$number"; done
        done
    done < <(grep : <<<"$plan" | sed 's/: */:/g') >cases
    check_number "there are cases" "$(wc -l <cases)" '>' "$([ -n "$few" ] && echo 80 || echo 200)"
}

# how a line may call a reason
declare -A words=(
    [EINTR]='Interrupted system call'
    [EIO]='I/O error|Input/output error'
    [ENOSPC]='No space left|disk is full'
    [EMFILE]='oo many open files'
    [ENOMEM]='out of memory|allocate'
    [EAGAIN]='Resource temporarily unavailable'
)

# line_problem REASON: the line that was said has the reason, and no other. The message itself may have met the fault.
# Hundreds are: no process looks at a line.
line_problem() {
    local said other lines=() begins="^mercury: |$libraries"
    said=$(grep . err)
    [ -z "$said" ] || mapfile -t lines <<<"$said"
    [ ${#lines[@]} -eq 1 ] || { grep -q 'write(2, .*INJECTED' trace && [ ! -s err ] && return; }
    [ ${#lines[@]} -eq 1 ] || echo "${#lines[@]} lines, expected one"
    [[ $said =~ $begins ]] || echo "the line does not begin with 'mercury: '"
    [[ $said =~ ${words[$1]}|$libraries ]] || echo "the line does not tell the reason: ${words[$1]}"
    for other in "${!words[@]}"; do
        [[ $other == "$1" || ! $said =~ ${words[$other]} ]] || echo "the line tells of $other"
    done
}

# left_problem COMMAND: what is left after a fault is what was there, or all that was to be. While the files of a
# directory are replaced it has no run.json; report.html, which is last, is no part of a run.
left_problem() {
    find out -name '*.partial'
    case $1 in
    'run -o' | 'run boards' | retime)
        [ ! -e out/run.json ] || diff -rq -x unfinished.passes ../older out >difference ||
            difference "$1" | sed "s/'//g" | # which later versions of diff write around a name with a space
                grep -v -x -e "Only in ../whole $1: report.html" -e 'Only in out: unfinished.passes'
        ;;
    'run --record')
        [ ! -e out/tokens ] || cmp out/tokens "../whole $1/tokens"
        [ ! -e out/hits.tsv ] || cmp out/hits.tsv "../whole $1/hits.tsv"
        ;;
    'queue -o')
        [ "$status" -eq 2 ] || echo "exit status $status"
        [ ! -e out/run.json ] || difference "$1" | grep -v -x "Only in ../whole $1: report.html"
        ;;
    esac
}

# met_ns3: whether the fault kept the loader from a stand-in of ns-3: then it takes ns-3's library of that name, whose
# initializer calls functions of the other stand-ins.
met_ns3() {
    awk '/openat\(/ { opened[$1] = $0 }
        /INJECTED/ && opened[$1] ~ /\/libns3-/ { met = 1 }
        END { exit !met }' trace
}

# try COMMAND CALL REASON NUMBER: what is wrong
try() {
    arguments_of "$1"
    prepare "$1"
    timeout -k 1 60 strace -f -qqq -o trace -e trace="$2" -e inject="$2:error=$3:when=$4" \
        "$mercury" "${arguments[@]}" >said 2>err # until the last process has ended
    status=$?
    sed -i '/^strace: /d' err
    case $status in
    0)
        [ ! -s err ] || echo "it says something"
        [ "$3" != EIO ] || rm -f out/unfinished.passes # which a run that has ended tries to remove
        difference "$1"
        ;;
    139) [ "$2:$4" = mmap:1 ] || met_ns3 || echo "exit status $status" ;; # the loader's first page
    1 | 2 | 127)
        [[ $3 != EINTR || $retried != *" $2 "* ]] || echo "it is not tried again"
        line_problem "$3"
        left_problem "$1"
        ;;
    *) echo "exit status $status" ;;
    esac
    [ "$status" -eq 0 ] || timeout -k 1 60 "$mercury" "${arguments[@]}" >said 2>err.again || cat err.again
    [ "$status" -eq 0 ] || difference "$1"
}

# work WORKER: on each of its cases; a line of what was wrong, and one of how often the fault was met
work() {
    local command call reason number problem
    cd "$1" || exit
    while IFS=: read -r command call reason number; do
        problem=$(try "$command" "$call" "$reason" "$number")
        [ -z "$problem" ] || echo "$command: $call: $reason: call $number: ${problem//$'\n'/; } ($(head -n 1 err))"
        grep -c INJECTED trace | sed "s/^/met $command: $call: $reason: /"
    done < <(awk -v n="$workers" -v me="$1" 'NR % n == me' ../cases) >results
}

judge() {
    local name
    while read -r name; do
        report "$name" "$(cat [0-9]*/results | grep "^$name: ")"
    done < <(sed -E 's/([^:]*):([^:]*):([^:]*):.*/\1: \2: \3/' cases | uniq | sort -u)
    awk -F ': ' '/^met / { n[$1 ": " $2 ": " $3] += $4 }
        END { for (i in n) if (n[i] == 0) print i ": never" }' [0-9]*/results >never
    report "each fault was met" "$(cat never)"
}

make_input
make_cases
for ((worker = 0; worker < workers; worker++)); do work "$worker" & done
wait
judge
finish
