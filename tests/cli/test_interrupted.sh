#!/bin/bash
# test_interrupted.sh MERCURY SOURCE_DIRECTORY - a run that is interrupted leaves nothing, and older files as they were.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/small_run.sh
. "$(dirname "$0")/small_run.sh"
begin "$@"

make_long_input() {
    { echo '>long'; dna 40 3000000; } >long.fa
}

# start_long [DIRECTORY]: a run of some minutes in a process group of its own, $long_run, whose first pass is at work; it
# says what it says in $scratch/long.err; older files are in $work/old.
start_long() {
    local pass
    rm -rf old
    mkdir old
    echo older | tee "${files[@]/#/old/}" old.tsv >/dev/null
    set -m
    "$mercury" run -p "$platform" -q q.fa -d long.fa --set query.segment=100 -j 2 -o "${1-old}" -a old.tsv \
        --record old.tokens >"$scratch/out" 2>"$scratch/long.err" </dev/null &
    long_run=$!
    set +m
    stop_first_pass "$long_run"
    kill -CONT "$pass" 2>/dev/null
}

# shellcheck disable=SC2317 # called by await
group_is_gone() {
    ! kill -0 -- "-$long_run" 2>/dev/null
}

untouched() {
    local name
    for name in "${files[@]/#/old/}" old.tsv; do
        [ "$(cat "$name")" = older ] || echo "$name is not the older file"
    done
    find . -name '*.partial' -o -name old.tokens
}

test_signals() {
    local name number
    for name in HUP:1 USR1:10 XCPU:24 KILL:9; do
        number=${name#*:} name=${name%:*}
        start_long
        kill "-$name" "$long_run"
        wait "$long_run" 2>/dev/null
        status=$?
        check_number "SIG$name ends the run" "$status" == "$((128 + number))"
        check "SIG$name leaves no process" await group_is_gone
        report "SIG$name leaves older files and nothing else" "$(untouched)"
        [ "$name" = KILL ] || check "SIG$name is answered" grep -q 'ended by a signal; nothing was written' "$scratch/long.err"
    done
}

test_new_directory() {
    start_long new
    check "a run makes its directory" test -d new
    kill -INT "$long_run"
    wait "$long_run" 2>/dev/null
    check_not "a run that is interrupted leaves no empty directory" test -e new
    expect_refusal "a file that cannot be written" '^mercury: nowhere/a.tsv: cannot be written' \
        run -p "$platform" -q q.fa -d d.fa -o new/ -a nowhere/a.tsv
    check_not "a run that is refused leaves no empty directory" test -e new
}

# The second run neither waits nor mixes its files with those of the first.
test_two_runs() {
    start_long
    expect_refusal "a directory that another run writes to" '^mercury: old: another mercury is writing' \
        run -p "$platform" -q q.fa -d d.fa -o old
    kill -TERM "$long_run"
    wait "$long_run" 2>/dev/null
    report "the refused run leaves older files and nothing else" "$(untouched)"
    await_free old
    search -q q.fa -d d.fa -o old --quiet
    report "the directory is free after the first run" "$(success_problem)"
}

# nohup means it: a signal that is ignored when the program starts stays ignored.
test_nohup() {
    local pass run
    (
        trap '' HUP
        exec "$mercury" run -p "$platform" -q q.fa -d long.fa --set query.segment=100 --quiet -a nohup.tsv \
            >"$scratch/out" 2>"$scratch/err"
    ) &
    run=$!
    stop_first_pass "$run"
    kill -HUP "$run"
    sleep 0.3 # the signal comes before the next
    kill -TERM "$run"
    kill -CONT "$pass" 2>/dev/null
    wait "$run"
    check_number "a run under nohup survives SIGHUP" $? == 143
}

# Ctrl-C goes to all processes: a pass may have ended before the sweep looks at its own signal.
test_pass_first() {
    local pass sweep
    "$mercury" sweep -p "$platform" -q q.fa -d long.fa --set query.segment=100 -j 1 --vary fifo.wmer=16..17 --quiet \
        --store first.db >"$scratch/out" 2>"$scratch/err" </dev/null &
    sweep=$!
    stop_first_pass "$sweep"
    kill -STOP "$sweep"
    kill -TERM "$pass"
    kill -CONT "$pass"
    sleep 0.3 # it ends
    kill -TERM "$sweep"
    kill -CONT "$sweep"
    wait "$sweep"
    check_number "a sweep is ended by the signal that has ended a pass of it first" $? == 143
    check "and says so" grep -q 'ended by a signal; 0 of 2 points are stored' "$scratch/err"
}

# A record is read where it lies. Sanitizers would tell of the signal themselves.
test_shorter_record() {
    local pass retime
    local -x ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_sigbus=0
    "$mercury" run -p "$platform" -q q.fa -d long.fa --set query.segment=1000 --quiet --record shrinks.tokens >/dev/null
    "$mercury" retime shrinks.tokens -j 1 --quiet -o shrunk >"$scratch/out" 2>"$scratch/err" </dev/null &
    retime=$!
    stop_first_pass "$retime"
    truncate -s 4096 shrinks.tokens
    kill -CONT "$pass"
    wait "$retime"
    check_number "a record that becomes shorter ends a retime" $? == 1
    forget_sanitizer
    report "and that is said in one line" "$(grep -v 'Bus error.*did a file that it reads become shorter?$' "$scratch/err")"
    check_not "and there is no run" test -e shrunk/run.json
}

make_input
make_long_input
test_signals
test_new_directory
test_two_runs
test_pass_first 2>/dev/null # as below
test_shorter_record 2>/dev/null
test_nohup 2>/dev/null # where bash tells of signals
finish
