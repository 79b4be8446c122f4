#!/bin/bash
# test_hosts.sh MERCURY SOURCE_DIRECTORY - several hosts find what one host finds, whatever is dealt over them; runs,
# re-timings and sweeps say the same; what cannot be dealt is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# --- input: five records, which begin at any place of a word, with copies of the query on both strands

make_input() {
    local i
    dna 21 9000 | tr -d '\n' >q.seq
    {
        echo '>q1'
        head -c 5000 q.seq | fold -w 70
        echo
        echo '>q2'
        tail -c +5001 q.seq | fold -w 70
        echo
    } >q.fa
    for i in 1 2 3 4 5; do
        echo ">d$i"
        dna 3$i $((i * 3001))
        cut -c $((i * 900))-$((i * 900 + 1500)) q.seq | mutate $i
        for _ in {1..30}; do printf 'CACACACGTACACACG'; done
        echo
        dna 4$i 333
        cut -c $((8000 - i * 900))-$((9500 - i * 900)) q.seq | mutate 1$i | reverse_complement
    done >d.fa
}

deal() { # DIRECTORY HOSTS DISTRIBUTION ARGUMENT...
    local directory=$1 hosts=$2 distribution=$3
    shift 3
    search -q q.fa -d d.fa --set query.segment=2000 --set hosts="$hosts" --set distribution="$distribution" \
        --quiet -o "$directory" "$@"
}

same_files() { # DESCRIPTION DIRECTORY DIRECTORY
    local name problem=''
    for name in alignments.tsv summary.json histograms.tsv frames.tsv; do
        cmp -s "$2/$name" "$3/$name" || problem+="$name differs"$'\n'
    done
    report "$1" "$problem"
}

# --- what is found, and how long it takes

# Nothing is found, so that nothing is left of the run but what network and other hosts take, within rounding.
test_nothing_left() {
    dna 51 3876 | sed '1i >q' >none.fa
    for i in 1 2 3 4 5; do dna 3$i $((i * 3001)) | sed "1i >d$i"; done >apart.fa
    search -q none.fa -d apart.fa -s plus --set hosts=2 --set query.segment=500 --set schedule.overlap=tables -o none \
        --quiet
    check_not "no phase is shorter than nothing" grep -q 'drain_s": -' none/summary.json
    run diff none none
    report "the run's summary is one" "$(success_problem)"
}

test_alignments() {
    local hosts distribution
    expect_success "one host" -q q.fa -d d.fa --set query.segment=2000 --quiet -o one
    check_number "there is something to find" "$(wc -l <one/alignments.tsv)" '>' 10
    for distribution in queries database; do
        deal host-1 1 $distribution
        same_files "$distribution, one host: nothing is dealt" one host-1
        for hosts in 2 3 5; do
            deal "$distribution-$hosts" $hosts $distribution -j 1
            report "$distribution, $hosts hosts" "$(success_problem)"
            check_same "$distribution, $hosts hosts: the same alignments" one/alignments.tsv \
                "$distribution-$hosts/alignments.tsv"
        done
        deal two-jobs 3 $distribution -j 2
        same_files "$distribution: the same bytes for -j 2" $distribution-3 two-jobs
    done
}

test_summary() {
    if ! can_flatten; then
        skip "the network in summary.json" "no python3 or jq"
        return
    fi
    flatten one/summary.json >one.flat
    flatten queries-3/summary.json >three.flat
    check_not "one host has no network" grep -q '^network/' one.flat
    check_number "three hosts" "$(number three.flat network/hosts)" == 3
    check_number "the same HSPs" "$(number three.flat stage_3/hsps)" == "$(number one.flat stage_3/hsps)"
    check_number "the same streaming" "$(number three.flat clocks)" == "$(number one.flat clocks)"
    check_number "less time" "$(number three.flat simulated_time_s)" '<' "$(number one.flat simulated_time_s)"
    # Hosts 1 and 2 of 3 get 4 of 12 segments each: at most 2000 bases, 125 words of 8 bytes.
    check_number "bytes of the query" "$(number three.flat network/query_bytes)" '<=' 8000
    check_number "whole alignments" "$(number three.flat network/result_bytes) % 112" == 0
}

# --- other schedules, boards and engines

test_machines() {
    local distribution machine
    for distribution in queries database; do
        for machine in 'boards=3 --set bus.count=2' schedule.overlap=tables schedule.overlap=serial; do
            # shellcheck disable=SC2086
            deal out 3 $distribution --set $machine --record out.tokens
            check_same "$distribution, $machine: the same alignments" one/alignments.tsv out/alignments.tsv
            run retime out.tokens --quiet -o again
            same_files "$distribution, $machine: timed again" out again
        done
        deal charged 3 $distribution --charge-measurement --record out.tokens
        run retime out.tokens --charge-measurement --quiet -o again
        same_files "$distribution: charged and timed again" charged again
        deal events 2 $distribution --engine events
        check_same "$distribution, --engine events: the same alignments" one/alignments.tsv events/alignments.tsv
        deal drawn 2 $distribution --timeline drawn.json --timeline-pass 2
        check "$distribution: a pass is drawn, on a board whose host is named" grep -q '"name": "board 2 (host 2, board 1)"' drawn.json
    done
}

# Only 64 boards have tracks; a pass on any board is drawn in detail.
test_many_boards() {
    search -q q.fa -d d.fa --set query.segment=400 --set hosts=16 --set boards=8 --set bus.count=8 --quiet -o many \
        --timeline many.json --timeline-pass 16
    check "a pass on board 121 is drawn in detail" grep -q 'pass 16 on board 121 (host 16, board 1), in detail' many.json
}

test_retime() {
    local hosts
    deal out 1 queries --record one.tokens
    for hosts in 2 3; do
        deal "timed-$hosts" $hosts queries
        run retime one.tokens --set hosts=$hosts --quiet -o again
        same_files "a record of one host, timed on $hosts" "timed-$hosts" again
    done
    deal slow 2 queries --set network.bandwidth=1e5 --record slow.tokens
    run retime slow.tokens --free network --quiet
    check "the network left out, by the run and by retime" grep -q \
        "without it the run would be $(awk '$1 == "network" { printf "%.3g", $3 }' "$scratch/out") times" slow/summary.txt
    deal out 2 database --record parts.tokens
    expect_refusal "a record of parts on other hosts" 'hosts is 3, but was 2' retime parts.tokens --set hosts=3
    expect_refusal "another distribution" 'distribution is database' retime one.tokens --set distribution=database
}

test_sweep() {
    local hosts
    run sweep -p "$platform" -q q.fa -d d.fa --set query.segment=2000 --vary hosts=1,2,3 --store sweep.db --quiet
    report "a sweep over hosts" "$(success_problem)"
    run sweep export --store sweep.db --columns hosts,simulated_time_s
    cp "$scratch/out" sweep.tsv
    if can_flatten; then
        for hosts in 2 3; do
            flatten queries-$hosts/summary.json >run.flat
            check_number "a point with $hosts hosts is the run" \
                "$(awk -v hosts=$hosts '$1 == hosts { print $2 }' sweep.tsv)" == "$(number run.flat simulated_time_s)"
        done
    fi
    expect_refusal "parts of the database in a sweep" 'distribution = database with hosts = 2 cannot be swept' \
        sweep -p "$platform" -q q.fa -d d.fa --set distribution=database --vary hosts=1,2 --store other.db
}

# --- bad input

test_refusals() {
    local setting
    for setting in hosts=0 hosts=65 hosts=1.5 network.bandwidth=0 network.latency=-1 distribution=foo; do
        expect_refusal "--set $setting" "${setting%=*} = '${setting#*=}'" \
            run -p "$platform" -q q.fa -d d.fa --set $setting
    done
    expect_refusal "fewer records than hosts" 'd\.fa has 5 records, too few for hosts = 6' \
        run -p "$platform" -q q.fa -d d.fa --set hosts=6 --set distribution=database
    sed 's/<route/<link id="network" bandwidth="1GBps" latency="0s"\/>\n&/' "$platform" >network.xml
    expect_refusal "a network of one host" "network\.xml:[0-9]*: link 'network' is not used: hosts = 1" \
        run -p network.xml -q q.fa -d d.fa
    run run -p network.xml -q q.fa -d d.fa --set query.segment=2000 --set hosts=2 --quiet -o named
    check_same "a network that is named: its numbers are network.*" queries-2/summary.json named/summary.json
    sed -i 's/1GBps/0Bps/' network.xml
    expect_refusal "a network of no bandwidth" "link 'network' has no bandwidth" \
        run -p network.xml -q q.fa -d d.fa --set hosts=2
}

test_frames_of_the_run() {
    echo 'rate at bus_in every 1 ms of run' >run.tt
    expect_refusal "frames of the run on two hosts" 'frames of the run are those of one host, but hosts = 2' \
        run -p "$platform" -q q.fa -d d.fa --set hosts=2 --measure run.tt -o out
}

test_words() {
    run explain network_s others_s
    report "the times of several hosts are explained" "$(success_problem)"
}

make_input
test_words
test_nothing_left
test_alignments
test_summary
test_machines
test_many_boards
test_retime
test_sweep
test_refusals
test_frames_of_the_run
finish
