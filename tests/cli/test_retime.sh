#!/bin/bash
# test_retime.sh MERCURY SOURCE_DIRECTORY - a run that is recorded and timed again is the run, whatever timing is set;
# what would change its results, and what is no whole record, is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

deterministic=(alignments.tsv summary.json histograms.tsv validation.tsv passes.tsv records.tsv)

# same_output DESCRIPTION DIRECTORY DIRECTORY
same_output() {
    local name problem=''
    for name in "${deterministic[@]}"; do
        [ -s "$2/$name" ] || problem+="$2/$name is empty or missing"$'\n'
        cmp -s "$2/$name" "$3/$name" || problem+="$name: $(diff "$2/$name" "$3/$name" | head -n 4)"$'\n'
    done
    report "$1" "$problem"
}

# --- the same again

test_recording() {
    local jobs
    search -q q.fa -d d.fa --set query.segment=2000 -o plain
    report "a run that is not recorded" "$(success_problem)"
    for jobs in 1 2 3; do
        search -q q.fa -d d.fa --set query.segment=2000 -o out$jobs -j "$jobs" --record run$jobs.tokens
        report "--record, -j $jobs" "$(success_problem)"
        same_output "--record, -j $jobs: the output is that without" plain out$jobs
    done
    check "--record: the same bytes for -j 2" cmp run1.tokens run2.tokens
    check "--record: the same bytes for -j 3" cmp run1.tokens run3.tokens
    check_number "--record leaves one file" "$(find . -name 'run1*' | wc -l)" == 1
    check_number "--record is small" "$(stat -c %s run1.tokens)" '<' 200000
}

test_nothing_set() {
    local jobs
    for jobs in 1 2 5; do
        rm -rf again
        run retime run1.tokens -o again -j "$jobs"
        report "retime, -j $jobs" "$(success_problem)"
        same_output "retime, -j $jobs: the run's output" plain again
    done
    check "retime: the answer" grep -q '^simulated ' "$scratch/out"
    check "retime: summary.txt compares with queueing theory" grep -q 'M/M/1/K' again/summary.txt
    check "retime: run.json names the record" grep -q '"record": "run1.tokens"' again/run.json
    check_not "run.json of a run names no record" grep -q '"record":' plain/run.json
    sed -n '/"configuration"/,/}/p' plain/run.json >plain.configuration
    sed -n '/"configuration"/,/}/p' again/run.json >again.configuration
    check_same "retime: run.json has the same configuration" plain.configuration again.configuration
}

test_streams() {
    run retime run1.tokens
    report "retime without -o" "$(success_problem)"
    check_same "retime without -o: alignments on standard output" plain/alignments.tsv "$scratch/out"
    check "retime without -o: the summary on standard error" grep -q '^simulated ' "$scratch/err"
    run retime --quiet run1.tokens -a again.tsv
    check_same "retime -a" plain/alignments.tsv again.tsv
    check_number "retime --quiet is quiet" "$(cat "$scratch/out" "$scratch/err" | wc -l)" == 0
    run retime run1.tokens -f 7 --quiet
    cp "$scratch/out" again.7
    search -q q.fa -d d.fa --set query.segment=2000 -f 7 --quiet
    check_same "retime -f 7" "$scratch/out" again.7
}

# --- other timing

# same_as_run ASSIGNMENT...: timed again and run in full.
same_as_run() {
    local arguments=() assignment
    for assignment in "$@"; do
        arguments+=(--set "$assignment")
    done
    rm -rf full again
    search -q q.fa -d d.fa --set query.segment=2000 "${arguments[@]}" -o full --quiet
    report "a run with $*" "$(success_problem)"
    run retime run1.tokens "${arguments[@]}" -o again --quiet -j 2
    report "retime with $*" "$(success_problem)"
    same_output "retime with $*: the output of a run" full again
    check_not "retime with $*: not as before" cmp -s plain/summary.json again/summary.json
}

test_timing() {
    same_as_run fifo.wmer=16
    same_as_run fifo.ingress=1 fifo.wmer=17 fifo.sram=41 fifo.stage2=5 fifo.stage2_margin=0 fifo.egress=1
    [ -n "$few" ] || same_as_run fpga.clock=2.5e8
    [ -n "$few" ] || same_as_run pcix.block=512 pcix.burst=16 host.supply=2e8
    same_as_run pcix.block=4096 pcix.burst=4000 hsp.bytes=4000
    same_as_run pcix.bandwidth=3e8 pcix.efficiency=0.5 pcix.block=67108864
    [ -n "$few" ] || same_as_run sram.read_cycles=0 sram.trip_cycles=700 stage2.fetch_cycles=0
    same_as_run host.cores=1 host.clock=1e9 stage3.cycles_per_cell=500 stage3.cycles_per_check=1e5
    [ -n "$few" ] || same_as_run fifo.wmer_margin=100 fifo.stage2_margin=9 fifo.sram_margin=300
}

test_recorded_timing() {
    search -q q.fa -d d.fa -s minus -e 10 --set fifo.wmer=20 --set pcix.block=4096 --set table.family=xxh3 \
        --set table.collision=probe -o minus --record minus.tokens --quiet
    run retime minus.tokens -o again.minus --quiet
    report "retime: a record of other settings" "$(success_problem)"
    same_output "retime: recorded settings stay" minus again.minus
    run retime minus.tokens -o again.minus --quiet --set table.family=xxh3 --set fifo.wmer=20.0
    same_output "retime: what is set as it was is no change" minus again.minus
    search -q q.fa -d d.fa -s minus -e 10 --set fifo.wmer=64 --set pcix.block=4096 --set table.family=xxh3 \
        --set table.collision=probe -o minus --quiet
    run retime minus.tokens -o again.minus --quiet --set fifo.wmer=64
    same_output "retime: a set number goes before a recorded one" minus again.minus
    # Several blocks: what is added to one is not the next one's.
    search -q q.fa -d d.fa --set pcix.block=1024 --set overdrive.seeds=0.5 --set overdrive.matches=0.2 -o over \
        --record over.tokens --quiet
    report "--record of an overdriven machine" "$(success_problem)"
    run retime over.tokens -o again.over --quiet
    same_output "retime: an overdriven machine" over again.over
}

# A platform counts with all its numbers, as it does in a run.
test_platforms() {
    sed 's/id="fifo.wmer" value="130"/id="fifo.wmer" value="33"/; s/latency="0s"/latency="3us"/' "$platform" >other.xml
    check_not "the other platform is another" cmp -s "$platform" other.xml
    run run -p other.xml -q q.fa -d d.fa -o other --quiet --record other.tokens
    report "a run on another platform" "$(success_problem)"
    mv other.xml gone.xml
    run retime other.tokens -o again.other --quiet
    same_output "retime: the recorded platform need not be there" other again.other
    search -q q.fa -d d.fa -o standard --quiet --record standard.tokens
    run retime other.tokens -p "$platform" -o again.standard --quiet
    same_output "retime -p" standard again.standard
    run retime standard.tokens -p gone.xml -o again.other --quiet
    same_output "retime -p, the other way" other again.other
}

# --- refusals

test_functional() {
    local assignment name
    for assignment in bloom.hashes=5 bloom.bank_bits=65536 bloom.family=h3 table.slots=65536 table.family=xxh3 \
        table.inline_positions=1 table.slot_bytes=16 table.trip_positions=4 table.collision=probe table.displacements=100 stage2.window=32 \
        stage2.threshold=20 stage2.edge_rule=0 score.match=2 score.mismatch=-2 score.gap_open=6 score.gap_extend=3 query.segment=3000 \
        query.overlap=100 hash.seed=2; do
        name=${assignment%%=*}
        expect_refusal "retime --set $assignment" "${name//./\\.} is .*changes what the stages compute.*mercury run" \
            retime run1.tokens --set "$assignment" -o refused
    done
    sed 's/id="hash.seed" value="1"/id="hash.seed" value="3"/' "$platform" >seed.xml
    expect_refusal "retime -p with another seed" 'hash\.seed is 3, but was 1.*mercury run' \
        retime standard.tokens -p seed.xml -o refused
    expect_refusal "retime -p without the recorded segment" 'query\.segment is 65400, but was 2000' \
        retime run1.tokens -p "$platform" -o refused
}

test_settings() {
    expect_refusal "retime --set of no parameter" 'did you mean fifo\.wmer' retime run1.tokens --set fifo.wmmer=1
    expect_refusal "retime into standard output" '-: expected the name of a directory' retime run1.tokens -o -
    expect_refusal "retime --set out of range" 'fifo\.wmer.*16 to 1000000' retime run1.tokens --set fifo.wmer=1
    expect_refusal "retime --set of a bad combination" 'fifo\.sram must' retime run1.tokens --set fifo.sram=40
    expect_refusal "retime -p of no file" 'missing\.xml' retime run1.tokens -p missing.xml
}

test_no_record() {
    expect_refusal "retime of no file" 'missing\.tokens: cannot be read' retime missing.tokens -o refused
    expect_refusal "retime of a directory" 'plain: not a record' retime plain -o refused
    expect_refusal "retime of FASTA" 'q\.fa: not a record' retime q.fa -o refused
    : >empty
    expect_refusal "retime of nothing" 'empty: not a record' retime empty -o refused
    head -c -1 run1.tokens >short.tokens
    expect_refusal "retime of a record cut short" 'short\.tokens: .*cut short or was changed' retime short.tokens
    head -c 5000 run1.tokens >shorter.tokens
    expect_refusal "retime of the front of a record" 'shorter\.tokens: .*cut short or was changed' retime shorter.tokens
    { cat run1.tokens; echo; } >long.tokens
    expect_refusal "retime of a record and more" 'long\.tokens: .*cut short or was changed' retime long.tokens
    local byte
    byte=$(od -An -tu1 -j12000 -N1 run1.tokens)
    { head -c 12000 run1.tokens; printf "\\$(printf %o $((byte ^ 255)))"; tail -c +12002 run1.tokens; } >changed.tokens
    check_not "the changed record is changed" cmp -s run1.tokens changed.tokens
    expect_refusal "retime of a changed record" 'changed\.tokens: .*\(pass [0-9]+ of [0-9]+\)' retime changed.tokens
    { head -c 8 run1.tokens; printf '\12'; tail -c +10 run1.tokens; } >later.tokens
    expect_refusal "retime of another version" 'later\.tokens: a record of version 10' retime later.tokens
}

test_arguments() {
    expect_refusal "retime of nothing named" 'needs a record' retime
    expect_refusal "retime of two records" 'run2\.tokens' retime run1.tokens run2.tokens
    expect_refusal "retime -q" "no such option '-q'" retime run1.tokens -q q.fa
    expect_refusal "retime --record" "no such option '--record'" retime run1.tokens --record x
    expect_refusal "retime -j 0" '--jobs' retime run1.tokens -j 0
    expect_refusal "retime --set without a value" '--set.*needs a value' retime run1.tokens --set
    expect_refusal "retime into a missing folder" 'no/such' retime run1.tokens -a no/such/file
    expect_refusal "run --record -" "record '-'" run -p "$platform" -q q.fa -d d.fa --record -
    expect_refusal "run --record into a missing folder" 'no/such' run -p "$platform" -q q.fa -d d.fa --record no/such/file
    expect_refusal "run --record to a directory" 'plain' run -p "$platform" -q q.fa -d d.fa --record plain
}

repetitive_input 120
test_recording
test_nothing_set
test_streams
test_timing
test_recorded_timing
test_platforms
test_functional
test_settings
test_no_record
test_arguments
finish
