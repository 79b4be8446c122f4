#!/bin/bash
# test_engines.sh MERCURY SOURCE_DIRECTORY - the board by recurrences and by events gives the same bytes on real DNA, and
# the events leave a trace that others can read.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
aureus=/usr/share/doc/sibelia/examples/Sibelia/Staphylococcus_aureus/Staphylococcus.fasta.gz
[ -f "$lambda" ] || skip_all "no $lambda (Debian: bowtie2-examples)"
[ -f "$ecoli" ] || skip_all "no $ecoli (Debian: bowtie-examples)"
begin "$@"

compare_engines() { # NAME OPTIONS
    local name=$1 file
    shift
    expect_success "$name: fast" "$@" -o "$name.fast" --quiet --no-report
    expect_success "$name: events" "$@" -o "$name.events" --quiet --no-report --engine events
    for file in alignments.tsv summary.json histograms.tsv validation.tsv; do
        check_same "$name: $file" "$name.fast/$file" "$name.events/$file"
    done
}

test_lambda() {
    prophages "$ecoli" >coli.fa
    compare_engines lambda -q "$lambda" -d coli.fa
}

# A segment of S. aureus JH1 against the whole of it: full of duplicates. (Against four strains: tests/test_genomes.c.)
test_aureus() {
    if [ ! -f "$aureus" ]; then
        skip "S. aureus" "no $aureus (Debian: sibelia-examples)"
        return
    fi
    gzip -dc "$aureus" | awk '/^>/ { n++ } n == 1' >jh1.fa
    awk 'l < 65400 { l += length($0); print }' jh1.fa >segment.fa
    compare_engines aureus -q segment.fa -d jh1.fa -s plus
}

test_small_machine() {
    head -n 60 <(gzip -dc "$lambda") >part.fa
    head -n 180 <(gzip -dc "$lambda") >longer.fa
    compare_engines probes -q part.fa -d longer.fa --set table.family=xxh3 --set table.slots=256 \
        --set table.collision=probe
    compare_engines trips -q part.fa -d longer.fa --set table.family=xxh3 --set table.slots=256 --set sram.trips_in_flight=4 \
        --set pcix.burst=64 --set hsp.flush_clocks=60 --set pcix.setup_clocks=300 --set host.build_clocks=200 --set host.cores=3
    local priority
    for priority in blocks records; do
        compare_engines $priority -q part.fa -d longer.fa --set table.family=xxh3 --set table.slots=256 --set pcix.block=1024 \
            --set pcix.burst=64 --set host.supply=3e9 --set fifo.egress=4 --set pcix.priority=$priority
    done
    check_not "what goes first is not the same" cmp -s blocks.fast/summary.json records.fast/summary.json
    compare_engines port -q part.fa -d longer.fa --set table.family=h3 --set table.slots=64 --set sram.trips_in_flight=64
    check "port: 1bd waits for the table's port, not for work" grep -q '^  1bd  .* limits$' port.fast/summary.txt
    check "port: it is read in a share of the clocks" grep -q 'duplicate table in [0-9][0-9]\.[0-9]*%' port.fast/summary.txt
    # Much happens at the same time: tables that take equally long, and boards that stream the same.
    local boards
    for boards in 2 4; do
        compare_engines "same-$boards" -q part.fa -d longer.fa --set boards=$boards --set bus.count=$boards --set host.cores=2 \
            --set table.family=xxh3 --set query.segment=500 --set host.build_ahead=2 --set host.clock=1e8
    done
    compare_engines small -q part.fa -d longer.fa --set fifo.ingress=1 --set fifo.wmer=16 --set fifo.egress=1 \
        --set table.family=xxh3 --set table.slots=1024 --set sram.read_cycles=0 --set stage2.fetch_cycles=0
}

# Each core is an actor with a stack of its own: 8 MiB each would be 8 GiB.
test_many_cores() {
    local problem
    head -n 60 <(gzip -dc "$lambda") >part.fa
    problem=$(
        [ -n "$sanitized" ] || ulimit -v 2000000 # sanitizers reserve more
        search -q part.fa -d part.fa -s plus --quiet --engine events --set host.cores=1024
        success_problem
    )
    report "many cores are actors in little memory" "$problem"
}

test_refusals() {
    search -q part.fa -d "$lambda" --quiet --engine quick
    check_number "an unknown engine" "$status" == 2
    search -q part.fa -d "$lambda" --quiet --engine events --paje trace.paje
    check_number "a trace of Paje" "$status" == 2
    check "its refusal names a timeline" grep -q -e '--paje is gone: .*--timeline' "$scratch/err"
}

test_lambda
test_aureus
test_small_machine
test_many_cores
test_refusals
finish
