#!/bin/bash
# test_boards.sh MERCURY SOURCE_DIRECTORY - several boards: they share their bus and find the same; neither the number of
# jobs, nor the engine, nor ranks, nor timing a record again changes a byte; what makes no sense is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

prepare_mpirun

make_input() {
    { echo '>q1'; dna 1 9000; echo '>q2'; dna 2 5000; } >q.fa
    { echo '>d1'; dna 10 90000; sed -n '2,90p' q.fa | mutate 4; dna 11 60000; echo '>d2'; dna 12 200000; } >d.fa
}

# machine DIRECTORY OPTION...: a run of 10 passes
machine() {
    local directory=$1
    shift
    run run -q q.fa -d d.fa --set query.segment=3000 -o "$directory" --quiet "$@"
    report "run $*" "$(success_problem)"
    flatten "$directory/summary.json" >"$directory.flat"
}

time_of() {
    number "$1.flat" simulated_time_s
}

# same_files DESCRIPTION DIRECTORY DIRECTORY: but for run.json, which has wall clocks
same_files() {
    local problem
    problem=$(diff -rq -x run.json "$2" "$3" 2>&1)
    report "$1" "$problem"
}

# Bytes of the database, tables and records over a time and a number of buses
bus_share() { # DIRECTORY BUSES
    echo "($(number "$1.flat" pcix/database_bytes) + $(number "$1.flat" pcix/table_bytes) +" \
        "$(number "$1.flat" pcix/record_bytes)) / (1064e6 * 128 / 136 * $2 * $(time_of "$1"))"
}

# phases FLAT: their sum
phases() {
    local phase
    for phase in build load stream drain; do
        printf ' + %s' "$(number "$1" "bottleneck/phases/${phase}_s")"
    done
}

test_a_shared_bus() {
    local boards
    for boards in 1 2 4; do
        machine "shared$boards" --set "boards=$boards"
        check_same "$boards boards find the same" shared1/alignments.tsv "shared$boards/alignments.tsv"
        check_number "the bus of $boards boards carries what it can" "$(bus_share "shared$boards" 1)" '<=' 1
        check_number "$boards boards look up every w-mer" "$(number "shared$boards.flat" stage_1a/wmers)" '==' \
            "$(number shared1.flat stage_1a/wmers)"
        check_number "the phases of $boards boards add up" "($(phases "shared$boards.flat") - $(time_of "shared$boards"))^2" '<' 1e-20
        check_number "$boards boards find every HSP" "$(number "shared$boards.flat" stage_2/hsps_out)" '==' \
            "$(number shared1.flat stage_2/hsps_out)"
    done
    check_number "two boards are faster than one" "$(time_of shared2)" '<' "$(time_of shared1)"
    check_number "four boards keep the bus busy" "$(number shared4.flat pcix/utilisation)" '>' 0.99
    machine apart --set boards=4 --set bus.count=4
    check_number "four buses are at least twice as fast as one" "2 * $(time_of apart)" '<' "$(time_of shared4)"
    machine pairs --set boards=4 --set bus.count=2
    check_number "two buses lie between" "$(time_of apart)" '<' "$(time_of pairs)"
    check_number "two buses lie between, too" "$(time_of pairs)" '<' "$(time_of shared4)"
    machine tables --set boards=4 --set bus.count=4 --set schedule.overlap=tables
    check_number "loading tables ahead is faster" "$(time_of tables)" '<' "$(time_of apart)"
    machine serial --set boards=4 --set bus.count=4 --set schedule.overlap=serial
    check_number "boards that wait for stage 3 are not faster" "$(time_of serial)" '>=' "$(time_of apart)"
}

# Tables that are built late: every pass begins when its board was free and it has waited for them; then it loads them.
test_late_tables() {
    local late=(--set boards=2 --set schedule.overlap=tables --set host.cores=2 --set host.build_clocks=100)
    machine late "${late[@]}"
    check_number "a pass begins after the one before it and its own wait" "$(awk -F '\t' '
        /^#/ { next }
        !n++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { off = $at["begin_s"] - $at["build_wait_s"] - free[$at["board"]]; most = off * off > most ? off * off : most
          off = $at["stream_begin_s"] - $at["begin_s"] - $at["tables_s"]; most = off > 0 && off * off > most ? off * off : most
          free[$at["board"]] = $at["board_free_s"]; waits += $at["build_wait_s"] > 0 }
        END { print (n > 5 && waits > 4 ? most + 0 : 1) }' late/passes.tsv)" '<' 1e-18
    machine late-events "${late[@]}" --engine events
    same_files "event by event" late late-events
}

test_same_bytes() {
    local measured=(--set boards=3 --measure default)
    machine some "${measured[@]}"
    machine one "${measured[@]}" -j 1
    same_files "one job" some one
    machine recorded "${measured[@]}" --record run.tokens
    same_files "with a record" some recorded
    run retime run.tokens --measure default -o again --quiet
    report "retime of three boards" "$(success_problem)"
    same_files "timed again" some again
    machine single --measure default --record single.tokens
    run retime single.tokens --set boards=3 --measure default -o moved --quiet
    report "retime of one board on three" "$(success_problem)"
    same_files "one board's record on three boards" some moved
    machine events "${measured[@]}" --engine events
    same_files "event by event" some events
    if have mpirun; then
        mpirun -n 2 "$mercury" run -q q.fa -d d.fa --set query.segment=3000 -o ranks --quiet "${measured[@]}" \
            >"$scratch/out" 2>"$scratch/err"
        same_files "two ranks" some ranks
    else
        skip "two ranks" "no mpirun"
    fi
    check "nothing is left behind" test -z "$(find . -name '*.tokens*' ! -name run.tokens ! -name single.tokens)"
    run run -q q.fa -d d.fa --set query.segment=3000 --set boards=3 --quiet
    report "a run without a directory" "$(success_problem)"
    check_same "its alignments" some/alignments.tsv "$scratch/out"
}

# sum_of NAME: of value x weight over the frames of a measurement in frames/frames.tsv.
sum_of() {
    awk -F '\t' -v name="$1" '$1 == name && $11 == "mean" { sum += $12 * $10 } END { printf "%.0f\n", sum }' frames/frames.tsv
}

# Frames of the run hold passes of all boards.
test_frames_of_run() {
    cat >run.tt <<'END'
rate at bus_in every 0.2 ms of run                          as words
utilisation at bus_in every 1 s of run                      as bus
occupancy at wmer_fifo: max, histogram(64) every 1 s of run as wmer.run
occupancy at wmer_fifo                                      as wmer.pass
latency at wmer_fifo every 1 s of run                       as through
occupancy at inbox: max every 1 s of run                    as inbox.run
occupancy at inbox                                          as inbox.pass
END
    local buses
    for buses in 1 2 3; do
        machine frames --set boards=3 --set "bus.count=$buses" --measure run.tt --record frames.tokens
        check_number "$buses buses: words of all frames" "int($(sum_of words) / 133e6 + 0.5)" == \
            "$(number frames.flat pcix/words_in)"
        check_number "$buses buses: the queues of all boards" "$(sum_of wmer.run)" == "$(sum_of wmer.pass)"
        check_number "$buses buses: by Little's law" "$(sum_of wmer.run)" == "$(sum_of through)"
        check_number "$buses buses: the inbox" "$(sum_of inbox.run)" == "$(sum_of inbox.pass)"
        check_number "$buses buses: the board's clocks are three times the inbox's" \
            "$(number frames.flat measurements/wmer/run/weight)" == "3 * $(number frames.flat measurements/inbox/run/weight)"
        check_number "$buses buses: each moves the words and records of its boards" \
            "int(1e6 * $(number frames.flat measurements/bus/mean) + 0.5)" == \
            "int(1e6 * ($(number frames.flat pcix/database_bytes) + $(number frames.flat pcix/record_bytes)) / \
            (1064e6 * 128 / 136 * $(number frames.flat measurements/bus/weight) / 133e6) + 0.5)"
        run retime frames.tokens --measure run.tt -o again --quiet
        same_files "$buses buses: timed again" frames again
    done
    machine frames.events --set boards=3 --set bus.count=3 --measure run.tt --engine events -j 1
    same_files "frames of the run, event by event" frames frames.events
    if have mpirun; then
        mpirun -n 2 "$mercury" run -q q.fa -d d.fa --set query.segment=3000 -o ranks --quiet --set boards=3 --set bus.count=3 \
            --measure run.tt >"$scratch/out" 2>"$scratch/err"
        same_files "frames of the run, two ranks" frames ranks
    else
        skip "frames of the run, two ranks" "no mpirun"
    fi
}

# What costs boards that share a bus: frame records cross it, too.
test_charge() {
    run run -q q.fa -d d.fa --set query.segment=3000 --set boards=3 --measure timetrial2011 --charge-measurement -o charged --quiet
    report "a run that pays for measuring" "$(success_problem)"
    flatten charged/summary.json >charged.flat
    check_number "measuring costs time" "$(time_of charged)" '>' "$(time_of some)"
}

test_a_sweep() {
    run sweep -q q.fa -d d.fa --set query.segment=3000 --vary boards=1,2,4 --vary fifo.wmer=130,64 --store boards.db --quiet
    report "a sweep of boards" "$(success_problem)"
    "$mercury" sweep export --store boards.db --columns boards,fifo.wmer,simulated_time_s >points
    "$mercury" sweep export --store boards.db --columns boards,fifo.wmer,throughput_mwmers_per_s >speeds
    check_number "two boards on a bus that is not full stream more than one" \
        "$(awk -F '\t' '$1 == 2 && $2 == 130 { print $3 }' speeds)" '>' \
        "$(awk -F '\t' '$1 == 1 && $2 == 130 { print $3 }' speeds)"
    local boards
    for boards in 1 2 4; do
        check_number "a point of $boards boards is a run" \
            "$(awk -F '\t' -v b="$boards" '$1 == b && $2 == 130 { print $3 }' points)" '==' "$(time_of "shared$boards")"
    done
}

# The process that times all passes lives from the first pass on. While a pass is stopped, nothing else can end the run.
test_killed_timing() {
    local process children=()
    timeout -k 1 100 "$mercury" run -q q.fa -d d.fa --set query.segment=1000 --set boards=2 -j 2 -o killed --quiet \
        >"$scratch/out" 2>"$scratch/err" &
    process=$!
    while kill -0 "$process" 2>/dev/null && [ "${#children[@]}" -lt 2 ]; do
        children_of "$process"
        [ "${#children[@]}" -ne 1 ] || children_of "${children[0]}" # of timeout
        if [ "${#children[@]}" -ge 2 ] && ! is_stopped "${children[1]}"; then
            children=()
        fi
        nap
    done
    kill -KILL "${children[0]:-$process}"
    wait "$process"
    status=$?
    check_number "a killed process that times passes ends the run" "$status" == 1
    check "and is named" grep -q 'its process was ended by signal 9' "$scratch/err"
    check_not "and leaves no directory" test -e killed
}

test_refusals() {
    local boards input=(run -q q.fa -d d.fa -o refused --quiet)
    expect_refusal "no board" "boards = '0': expected a whole number from 1 to 64" "${input[@]}" --set boards=0
    expect_refusal "too many boards" "boards = '65': expected a whole number from 1 to 64" "${input[@]}" --set boards=65
    expect_refusal "a bus without a board" 'bus.count = 3 must not exceed boards = 2' \
        "${input[@]}" --set boards=2 --set bus.count=3
    expect_refusal "boards of a bus that wait for stage 3" 'schedule.overlap = serial: 2 boards that share bus.count = 1' \
        "${input[@]}" --set boards=2 --set schedule.overlap=serial
    expect_refusal "a host without cores" "host.cores = '0'" "${input[@]}" --set host.cores=0
    expect_refusal "a bus that moves nothing" "pcix.bandwidth = '0'" "${input[@]}" --set pcix.bandwidth=0
    expect_refusal "banks that have no room" 'schedule.overlap = tables needs two banks of SRAM' \
        "${input[@]}" --set boards=2 --set schedule.overlap=tables --set sram.bytes=1000000
    # The primary tables fill the SRAM; the duplicates do not find room.
    local full=(--set table.slots=131072 --set table.slot_bytes=16 --quiet) late=(--set schedule.overlap=tables)
    run run -q q.fa -d d.fa "${full[@]}" --record full.tokens
    report "one table of a large slot has room" "$(success_problem)"
    for boards in 1 2; do
        expect_refusal "$boards boards, tables without room for duplicates" 'has no room for two of them' \
            "${input[@]}" "${full[@]}" "${late[@]}" --set boards=$boards
        expect_refusal "and in retime" 'has no room for two of them' \
            retime full.tokens "${late[@]}" --set boards=$boards -o refused --quiet
        run sweep -q q.fa -d d.fa "${full[@]}" --set boards=$boards --vary schedule.overlap=drain,tables --store "of$boards.db"
        check_number "and at a point of a sweep" "$status" == 2
        check "which says so" grep -q 'has no room for two of them' "$scratch/err"
    done
    expect_refusal "and in share" 'has no room for two of them' share full.tokens full.tokens "${late[@]}"
    check_not "a refused run leaves no directory" test -e refused
}

make_input
test_a_shared_bus
test_late_tables
test_same_bytes
test_frames_of_run
test_charge
test_a_sweep
test_killed_timing
test_refusals
finish
