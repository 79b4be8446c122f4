#!/bin/bash
# test_columns.sh MERCURY SOURCE_DIRECTORY - no line that a command prints for people has more than 80 columns.
#
# Every command is run as people run it, on what it prints most about. Names of directories do not count.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/small_run.sh
. "$(dirname "$0")/small_run.sh"
begin "$@"

lines=0

# too_wide NAME ARGUMENT...: lines of over 80 columns on standard output and standard error of a command that succeeds, or
# that says with status 1 that something is not so.
too_wide() {
    run "$@"
    [ "$status" -le 1 ] || success_problem
    sed "s,$(dirname "$mercury"),.,g" "$scratch/out" "$scratch/err" | awk 'length > 80 { print length ": " $0 }'
}

# narrow ARGUMENT...
narrow() {
    report "mercury $*" "$(too_wide "$@")"
    lines=$((lines + $(cat "$scratch/out" "$scratch/err" | wc -l)))
}

make_runs() {
    make_input
    { cat d.fa; dna 9 60000 | sed '1i >d3'; } >e.fa
    run run -q q.fa -d d.fa -o out --record out/run.tokens --quiet
    report "a run" "$(success_problem)"
    run run -q q.fa -d d.fa -o passes --set query.segment=1200 --record passes/run.tokens --quiet
    report "a run of many passes" "$(success_problem)"
    run run -q q.fa -d d.fa --quiet
    cp "$scratch/out" table.tsv
    printf '%s\n' 'stage	C	R	F	M	P_f	K' 'filter	200MHz	16	16	1	0.02	128' 'lookup	200MHz	1	1	1.1	0.8	500' \
        'extend	200MHz	1	1	4	0.001	64' >chain.tsv
    echo 'latency at ingress_fifo to egress_fifo: mean, max, quantile(0.5, 0.99 within 0.5 %)' >ask.tt
}

test_runs() {
    local machine
    narrow run -q q.fa -d d.fa -o full --full --measure ask.tt
    narrow run -q q.fa -d d.fa -o answer
    narrow run -q q.fa -d d.fa -o charged --full --measure timetrial2011 --charge-measurement
    narrow run -q q.fa -d d.fa -o drawn --full --timeline drawn.pftrace --vcd drawn.vcd --timeline-cap 4096
    narrow run -q q.fa -d e.fa -o part --full --set query.segment=1200 --sample 10
    for machine in boards=3 hosts=2 hosts=2,boards=2 sram.trips_in_flight=4 fpga.device=xc4vlx100 host.clock=1e8; do
        # shellcheck disable=SC2046
        narrow run -q q.fa -d d.fa -o "$machine" --full $(printf ' --set %s' ${machine//,/ })
        check_not "summary.txt, too: $machine" grep -E '^.{81}' "$machine/summary.txt"
    done
    for name in $(many out) passes; do
        narrow retime $name/run.tokens -o retimed --full
        narrow retime $name/run.tokens --free all
        narrow validate $name
        narrow validate $name --passes
        narrow validate $name --distributions
        narrow validate $name --why
        narrow validate $name --windows
        narrow predict $name
        narrow predict $name --passes
        narrow estimate mercury-2010 --from $name --nodes 1,2,4 --wall
        narrow report $name -o page.html
        narrow plot $name --what queues -o queues.svg
    done
    narrow predict --operations passes --passes
    narrow predict --operations passes --for passes
    narrow diff out passes
    narrow compare --with table.tsv -a out
    narrow compare --with table.tsv -q q.fa -d d.fa
    narrow share out/run.tokens out/run.tokens
}

test_models() {
    narrow predict --list
    narrow predict --set lambda=0.9 --set mu=1 --set K=10
    narrow predict --chain chain.tsv --set lambda=150e6
    narrow validate --chain chain.tsv --lambda 150e6 --customers 10000
    narrow queue --chain chain.tsv --lambda 150e6 --customers 10000
    narrow queue --lambda 0.5 --mu 1,2,3 --capacity 0,10,0 --customers 10000
    narrow queue --closed two-boards --customers 10000
    narrow reproduce dor2010
    narrow reproduce dor2010 --as-printed
    narrow reproduce frenkel
    narrow reproduce leonards2023
    narrow reproduce timetrial2011
    narrow replay dor2010-run1 --clocks 1000000
    narrow replay dor2010-run2 --clocks 1000000
    narrow replay dor2010-run1 dor2010-run2 --vary trips=0..0.02+0.01 --clocks 100000
    narrow estimate mercury-cluster blast --nodes 1..8 --wall
    narrow estimate sp2-simple titan --against sp2-detailed --vary disk.number=1,4 --mode arithmetic
}

test_machines() {
    local vary=(--vary table.slots=2^15..2^16 --vary table.family=xxh3,displaced --vary fifo.wmer=32,130)
    narrow sweep -q q.fa -d d.fa "${vary[@]}" --store sizes.db
    narrow sweep plot --store sizes.db -o pictures
    narrow sweep report --store sizes.db -o sizes.html
    narrow advise -q q.fa -d d.fa "${vary[@]}" --vary bloom.bank_bits=2^16 --vary query.segment=22000
    narrow platforms
    narrow platforms dor2010
    narrow platforms --devices
    narrow measure --list
    narrow measure --check ask.tt
    narrow explain
    # shellcheck disable=SC2046
    narrow explain stalled $("$mercury" run --dump-config | tail -n +2 | cut -f 1)
    narrow --help
    narrow --version
}

make_runs
test_runs
test_models
test_machines
check_number "they have many lines" "$lines" ">" 1500
run validate out --wide
check "a wide table is seen" grep -q -E '^.{81}' "$scratch/out"
finish
