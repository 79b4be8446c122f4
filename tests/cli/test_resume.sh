#!/bin/bash
# test_resume.sh MERCURY SOURCE_DIRECTORY - a run that was stopped, however, goes on with mercury run --resume and leaves
# what it would have left; another run is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

prepare_mpirun

input=(-q q.fa -d d.fa --set query.segment=1000)
kept=unfinished.passes

make_input() {
    dna_record q 1 12000 >q.fa
    { dna_record d1 10 250000 && sed -n '2,90p' q.fa | mutate 4 && dna_record d2 11 150000; } >d.fa
}

dna_record() { # NAME SEED LENGTH
    echo ">$1"
    dna "$2" "$3"
}

# begin_run DIRECTORY OPTION...: in the background, where job control lets SIGINT reach it; its number is in $begun. All
# passes that end are kept.
begin_run() {
    local directory=$1
    shift
    set -m
    "$mercury" run -p "$platform" "${input[@]}" -o "$directory" --keep-after 0 --quiet "$@" >"$scratch/out" 2>"$scratch/err" &
    begun=$!
    set +m
}

# keeps DIRECTORY BYTES: it has kept so much.
# shellcheck disable=SC2317 # called by catch
keeps() {
    [ "$(stat -c %s "$1/$kept" 2>/dev/null || echo 0)" -ge "$2" ]
}

# stop_run DIRECTORY SIGNAL OPTION...: when several passes have ended, and not all; $status is its status.
stop_run() {
    local directory=$1 signal=$2
    shift 2
    rm -rf "$directory"
    begin_run "$directory" -j 1 "$@"
    catch "$begun" keeps "$directory" 100000
    kill "-$signal" "$begun"
    kill -CONT "$begun" 2>/dev/null
    wait "$begun" 2>/dev/null
    status=$?
    await_free "$directory"
}

# same_files DESCRIPTION DIRECTORY DIRECTORY: but for run.json, which has wall clocks
same_files() {
    report "$1" "$(diff -rq -x run.json "$2" "$3" 2>&1)"
}

# goes_on DESCRIPTION WHOLE DIRECTORY OPTION...
goes_on() {
    local description=$1 whole=$2 directory=$3
    shift 3
    check "$description: passes are kept" test -s "$directory/$kept"
    check_not "$description: it has no run.json" test -e "$directory/run.json"
    run run --resume "$directory" "$@"
    report "$description: it goes on" "$(success_problem)"
    same_files "$description: the same files" "$whole" "$directory"
}

# --- every way to stop

test_signals() {
    local signal
    begin_run whole
    wait "$begun"
    status=$?
    report "a whole run" "$(success_problem)"
    check_not "a whole run keeps no passes" test -e "whole/$kept"
    for signal in INT TERM KILL; do
        stop_run stopped "$signal"
        [ "$signal" = KILL ] || check "SIG$signal: its last words" grep -q 'mercury run --resume stopped$' "$scratch/err"
        goes_on "SIG$signal" whole stopped -j 2
    done
}

# A disk that becomes full, for which a limit on the size of files stands: the store's third pass does not fit.
test_full_disk() {
    rm -rf stopped
    (ulimit -f 200 && exec "$mercury" run -p "$platform" "${input[@]}" -o stopped --keep-after 0 --quiet -j 1) 2>"$scratch/err"
    status=$?
    check_number "a full disk: status 2" "$status" == 2
    check "a full disk: one line that says how to go on" \
        grep -Eq '^mercury: stopped/unfinished.passes: a pass .*File too large; .*; those that had ended before are kept: mercury run --resume stopped$' "$scratch/err"
    expect_refusal "a full disk: so does its report" 'stopped: its run has not finished.* mercury run --resume stopped$' \
        report stopped
    goes_on "a full disk" whole stopped
}

# nap_at_random: up to as long as a whole run lasts, $lasted_us
nap_at_random() {
    local us=$((RANDOM * 32768 + RANDOM))
    us=$((us % lasted_us))
    sleep "$((us / 1000000)).$(printf '%06d' $((us % 1000000)))"
}

# At random moments, again and again: always the same bytes.
test_random_kills() {
    local kills=0 wanted=20 problem='' runs=0 lasted_us=${EPOCHREALTIME/./}
    rm -rf stopped
    begin_run stopped
    wait "$begun"
    lasted_us=$((${EPOCHREALTIME/./} - lasted_us))
    RANDOM=4711
    [ -z "$few" ] || wanted=4
    while [ "$kills" -lt "$wanted" ] && [ "$runs" -lt 60 ]; do
        rm -rf stopped
        runs=$((runs + 1))
        begin_run stopped -j $((RANDOM % 3 + 1))
        while [ "$kills" -lt "$wanted" ] && nap_at_random && kill -KILL "$begun" 2>/dev/null; do
            wait "$begun" 2>/dev/null
            await_free stopped
            kills=$((kills + 1))
            if [ -s "stopped/$kept" ]; then
                "$mercury" run --resume stopped -j $((RANDOM % 3 + 1)) 2>"$scratch/err" &
                begun=$!
            else
                begin_run stopped
            fi
        done
        wait "$begun" 2>/dev/null || problem="$problem$(cat "$scratch/err")"$'\n'
        problem=$problem$(diff -rq -x run.json -x '.mercury-*.partial' whole stopped 2>&1)
        [ -z "$problem" ] || break
    done
    report "killed at $kills random moments: the same files" "$problem"
    check_number "it was killed often enough" "$kills" '>=' "$wanted"
}

# --- what belongs to a run

test_options() {
    local wholes=(--measure all.tt --record whole.tokens --timeline whole.json)
    printf '%s\n' 'occupancy at inbox: mean, histogram(64) every 10 us' 'latency at bus_in to stage_3: mean, max' >all.tt
    begin_run measured "${wholes[@]}"
    wait "$begun"
    status=$?
    report "a whole run with measurements" "$(success_problem)"
    stop_run stopped KILL --measure all.tt --record tokens --timeline drawn.json
    goes_on "measured, recorded, drawn" measured stopped
    check "the same record" cmp whole.tokens tokens
    check_same "the same timeline" whole.json drawn.json
    begin_run boards --set boards=3
    wait "$begun"
    stop_run stopped KILL --set boards=3
    goes_on "boards that share a bus" boards stopped
}

test_another_place() {
    stop_run stopped KILL
    mkdir -p elsewhere
    mv stopped elsewhere/moved
    (cd elsewhere && "$mercury" run --resume moved >"$scratch/out" 2>"$scratch/err")
    status=$?
    report "a directory that was moved, from elsewhere" "$(success_problem)"
    same_files "it has the same files" whole elsewhere/moved
}

test_ranks() {
    has_mpi || return
    stop_run stopped KILL
    mpirun -n 3 "$mercury" run --resume stopped >"$scratch/out" 2>"$scratch/err"
    status=$?
    report "ranks go on" "$(success_problem)"
    same_files "ranks: the same files" whole stopped
}

# --- what cannot go on

test_refusals() {
    expect_refusal "a run that has finished" 'has finished' run --resume whole
    expect_refusal "a directory without a run" 'no unfinished run' run --resume .
    expect_refusal "no directory" 'nowhere: No such file' run --resume nowhere
    stop_run stopped KILL
    cp "stopped/$kept" passes
    expect_refusal "two directories" 'leave -o out' run --resume stopped -o other
    expect_refusal "inputs that it has" 'leave -q and -d out' run --resume stopped -d d.fa
    expect_refusal "another machine" 'another machine or other options' run --resume stopped --set fifo.wmer=64
    expect_refusal "another strand" 'another machine or other options' run --resume stopped -s plus
    cp q.fa q.copy
    dna_record q 3 12000 >q.fa
    expect_refusal "another query" 'other inputs' run --resume stopped
    mv q.copy q.fa
    check "what is refused loses nothing" cmp passes "stopped/$kept"
    echo 'no passes' >"stopped/$kept"
    expect_refusal "something else in its place" 'is no file of passes' run --resume stopped
    head -c 20 passes >"stopped/$kept"
    expect_refusal "a file that is too short" 'is no file of passes' run --resume stopped
}

make_input
test_signals
test_full_disk
test_random_kills
test_options
test_another_place
test_ranks
test_refusals
finish
