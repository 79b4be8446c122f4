#!/bin/bash
# test_charge.sh MERCURY SOURCE_DIRECTORY - what measuring costs, from the command line: bytes and shares that add up, the same
# answers by any way to run, alignments untouched, nothing left behind, bad uses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

make_input() {
    dna 1 3000 | sed '1i >q' >q.fa
    dna 2 600000 | sed '1i >d' >d.fa
    tail -n +2 q.fa | mutate 3 >>d.fa
    cat >many.tt <<'END'
rate at bus_in every 20 us
occupancy at wmer_fifo: histogram(0..130/10) every 10000 bytes at bus_in
occupancy at inbox every 1 ms
occupancy at host_queue every 1 ms
END
}

# Records come one by one: many that come together keep all cores at work, which the agent then makes slower.
charged() { # DIRECTORY ARGUMENT...
    local directory=$1
    shift
    expect_success "charged: $directory" -q q.fa -d d.fa --set hsp.flush_clocks=0 -o "$directory" --quiet --measure many.tt --charge-measurement "$@"
}

same_run() { # DIRECTORY
    local file
    for file in alignments.tsv frames.tsv frame_histograms.tsv histograms.tsv summary.json validation.tsv passes.tsv; do
        check_same "$1: $file" "out/$file" "$1/$file"
    done
}

test_same_bytes() {
    charged out --record tokens
    charged jobs -j 2
    same_run jobs
    charged events --engine events
    same_run events
    run retime tokens -o again --quiet --measure many.tt --charge-measurement
    report "timed again" "$(success_problem)"
    same_run again
    check_not "no tokens are left" test -e jobs/.tokens
    check "but where they were asked for" test -s tokens
}

# What is counted, from frames.tsv and the parameters.
test_account() {
    local frames words
    if ! can_flatten; then
        skip "the account" "neither python3 nor jq"
        return
    fi
    flatten out/summary.json >flat
    frames=$(awk -F '\t' '$3 !~ /inbox|host_queue/ && $11 == "mean"' out/frames.tsv | wc -l)
    check_number "every frame of the board" "$(number flat measuring/board_frames)" == "$frames"
    check_number "there are many" "$frames" '>' 70
    words=$(awk -F '\t' '$1 == "rate.bus_in" && $11 == "mean"' out/frames.tsv | wc -l)
    # a header and a count each; of the histogram, a sum and 13 bins
    check_number "a record each" "$(number flat measuring/measurement_bytes)" == \
        "$words * (32 + 8) + ($frames - $words) * (32 + 8 * (1 + 13))"
    check_number "of its mean size" "($(number flat measuring/frame_record_bytes) * $frames / \
        $(number flat measuring/measurement_bytes) - 1) ^ 2" '<' 1e-21
    check_number "beside the paper's" "$(number flat measuring/published/frame_record_bytes)" == 11056
    frames=$(awk -F '\t' '$3 ~ /inbox|host_queue/ && $11 == "mean"' out/frames.tsv | wc -l)
    check_number "an event for each frame in software" "$(number flat measuring/software_events)" == "$frames"
    check_number "of which there are some" "$frames" '>' 1
    check_number "64 bytes each" "$(number flat measuring/event_memory_bytes)" == \
        "64 * $(number flat measuring/software_events)"
    check_number "0.27 of a core, all the time" "($(number flat measuring/agent_core_s) / \
        (0.27 * $(number flat measuring/wall_s)) - 1) ^ 2" '<' 1e-12
    check_number "and that is the difference of user time" "($(number flat measuring/user_s) - \
        $(number flat measuring/user_uncharged_s) - $(number flat measuring/agent_core_s)) ^ 2" '<' 1e-20
    check_number "more bytes keep the bus longer" "$(number flat measuring/system_difference)" '>' 0
    check_number "by their share" "($(number flat measuring/system_difference) - \
        (1 / (1 - $(number flat measuring/bus_share)) - 1)) ^ 2" '<' 1e-20
    check_number "the run is longer" "$(number flat measuring/wall_difference)" '>' 0
    expect_success "the same without" -q q.fa -d d.fa --set hsp.flush_clocks=0 -o plain --quiet --measure many.tt
    flatten plain/summary.json >plain_flat
    check_number "whose time is told" "$(number plain_flat simulated_time_s)" == "$(number flat measuring/wall_uncharged_s)"
    check_number "and the charged one's" "$(number flat simulated_time_s)" == "$(number flat measuring/wall_s)"
    check_same "the alignments are the same" plain/alignments.tsv out/alignments.tsv
    check_number "the bus takes energy for frame records, too" "$(number flat energy/bus_bytes)" == \
        "$(number plain_flat energy/bus_bytes) + $(number flat measuring/measurement_bytes)"
    check_number "and cores for the agent" "($(number flat energy/core_cycles) / \
        (2.4e9 * $(number flat measuring/user_s)) - 1) ^ 2" '<' 1e-20
}

# Where the agent and stage 3 share the only core, both together have no more than that core's time.
test_shared_core() {
    can_flatten || return
    charged shared --set host.cores=1 --set stage3.cycles_per_cell=1e5
    flatten shared/summary.json >shared_flat
    check_number "stage 3 keeps the core at work" "$(number shared_flat stage_3/core_busy_s)" '>' "0.9 * $(number shared_flat measuring/wall_s)"
    check_number "a core has no more time than the run" "$(number shared_flat measuring/user_s)" '<=' "$(number shared_flat measuring/wall_s)"
    check_number "and no less than the agent takes and stage 3 has to do" "($(number shared_flat measuring/user_s) - \
        $(number shared_flat measuring/user_uncharged_s) - $(number shared_flat measuring/agent_core_s)) ^ 2" '<' 1e-20
    # Who asks for most of a core that always works gets half; the times of three passes are rounded.
    charged most --set host.cores=1 --set stage3.cycles_per_cell=333 --set host.clock=2.3e9 --set query.segment=1000 \
        --set measure.agent_share=0.9
    flatten most/summary.json >most_flat
    check_number "the share is the one that the agent had" "($(number most_flat measuring/agent_core_share) - 0.5) ^ 2" '<' 1e-6
    check "and in the text" grep -q '^  core the agent takes  *0\.5 ' most/summary.txt
    check_number "cores do not work longer than there is time" "$(number most_flat stage_3/core_busy_s)" \
        '<=' "$(number most_flat stage_3/core_time_s)"
}

# What limits the run is not asked of a machine that is charged.
without_limits() {
    sed '/"limit_of_run":/d; /^    "run": null/d; /^    "run": {/,/^    }/d'
}

# A charge of nothing: the same summary, but for the section.
test_nothing() {
    charged nothing --set measure.header_bytes=0 --set measure.value_bytes=0 \
        --set measure.agent_share=0
    sed '/^  "measuring": {/,/^  },/d' nothing/summary.json | without_limits >without_section
    without_limits <plain/summary.json >plain_section
    check_same "no bytes and no share change nothing" plain_section without_section
    check_same "in no frame" plain/frames.tsv nothing/frames.tsv
}

test_text() {
    tells "beside the paper's figures" '^  frames of the board  *[0-9]+  *11728$' run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o text \
        --measure many.tt --charge-measurement -a text.tsv
    check "in 80 columns" awk '/cost of measuring/, /^$/ { long += length > 80; n++ } END { exit n < 13 || long }' \
        "$scratch/out"
    check_number "in ms, with the charge" "($(awk '/^  wall time/ { print $(NF - 1) }' "$scratch/out") / \
        (1000 * $(number flat measuring/wall_s)) - 1) ^ 2" '<' 1e-8
    check_number "and without" "($(awk '/^  wall time/ { print $NF }' "$scratch/out") / \
        (1000 * $(number flat measuring/wall_uncharged_s)) - 1) ^ 2" '<' 1e-8
    check "a board that waits for its frame records is not stage 3 at work" \
        grep -q '^  *or frame records (--charge-measurement) crossed the bus$' text/summary.txt
    check "nor is it on the first screen" grep -q 'stage 3 *or frame records [0-9]' <(tr -s '\n ' ' ' <"$scratch/out")
    check "nor on the page" grep -q ', which are charged, crossed the bus' text/report.html
    check_not "without a charge there are none" grep -q 'frame records' plain/summary.txt
    check "user, system and wall time" grep -q -E '^  wall time \(the run\)  *\+[0-9.e-]+%  *\+0\.2%' "$scratch/out"
}

test_bad_uses() {
    expect_refusal "nowhere to measure to" '--charge-measurement: there is nothing to charge without a directory' \
        run -q q.fa -d d.fa --set hsp.flush_clocks=0 --charge-measurement
    expect_refusal "nothing to measure" 'nothing to charge with --measure none' \
        run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o x --measure none --charge-measurement
    expect_refusal "nothing to measure again" 'nothing to charge with --measure none' \
        retime tokens -o x --measure none --charge-measurement
    expect_refusal "more than a core" 'measure.agent_share = .1.5.: expected a number from 0 to 1' \
        run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o x --set measure.agent_share=1.5
    expect_refusal "half a byte" 'measure.value_bytes = .0.5.: expected a whole number' \
        run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o x --set measure.value_bytes=0.5
    expect_refusal "the constant that there was" 'measure.record_bytes' \
        run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o x --set measure.record_bytes=11056
    expect_refusal "fewer than none" 'measure.event_bytes = .-1.' run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o x --set measure.event_bytes=-1
    expect_refusal "a value where none is due" '' run -q q.fa -d d.fa --set hsp.flush_clocks=0 -o x --charge-measurement=yes
    expect_refusal "a sweep" 'no such option' sweep --charge-measurement
}

make_input
test_same_bytes
test_account
test_shared_core
test_nothing
test_text
test_bad_uses
finish
