#!/bin/bash
# test_estimate.sh MERCURY SOURCE_DIRECTORY - mercury estimate: near the detailed simulator on a real run, the same bytes
# for the same input, every shipped text, and every kind of bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
[ -f "$lambda" ] || skip_all "no $lambda (Debian: bowtie2-examples)"
[ -f "$ecoli" ] || skip_all "no $ecoli (Debian: bowtie-examples)"
begin "$@"

# value ROW COLUMN: of the table in $scratch/out, written as TSV
value() {
    awk -F '\t' -v row="$1" -v column="$2" '
        /^#/ { next }
        !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
        ++count == row { print $at[column] }' "$scratch/out"
}

estimate() { # ARGUMENT...
    run estimate "$@" --quiet -f tsv
    [ "$status" -eq 0 ] || fail "estimate $*" "$(cat "$scratch/err")"
}

near() { # DESCRIPTION VALUE EXPECTED PER_CENT
    check_number "$1" "($2 - $3)^2" '<=' "($4 / 100 * $3)^2"
}

# One node and one board: within a tenth of the detailed run, by arithmetic and executed. A pass that waits for stage 3
# takes longer, as it does with schedule.overlap = serial.
test_run() {
    expect_success "a run of lambda x E. coli" -q "$lambda" -d "$ecoli" -o out --record run.tokens --no-report --quiet
    estimate mercury-2010 --from out
    near "estimated is near detailed" "$(value 1 estimated_s)" "$(value 1 detailed_s)" 10
    near "executed is near detailed" "$(value 1 executed_s)" "$(value 1 detailed_s)" 10
    local drain serial
    drain=$(value 1 estimated_s)
    mkdir temporary
    TMPDIR=$PWD/temporary estimate mercury-2010 --from out --record run.tokens --synchronize --nodes 1,2
    serial=$(value 1 estimated_s)
    near "serial: estimated is near a re-timing" "$serial" "$(value 1 detailed_s)" 10
    check_number "serial takes longer than drain" "$serial" '>' "1.2 * $drain"
    check_number "two hosts have a detailed time" "$(value 2 detailed_s)" '>' 0
    check "re-timings leave nothing" test -z "$(ls -A temporary)"
    estimate mercury-2010 --from out --record run.tokens --nodes 2
    near "two hosts, a pass each: estimated is near a re-timing" "$(value 1 estimated_s)" "$(value 1 detailed_s)" 5
    near "so is executed" "$(value 1 executed_s)" "$(value 1 detailed_s)" 5
    estimate mercury-2010 --from out --mode arithmetic --segments 100 --database-bases 2.7e9
    check_number "200 passes of 2.7e9 bases: the bus needs 327 s" "$(value 1 estimated_s)" '>' 300
    check "scaled, nothing is detailed" test "$(value 1 detailed_s)" = NA
    "$mercury" retime run.tokens --set host.cores=1 -o one_core --quiet
    run estimate mercury-2010 --from one_core --mode arithmetic
    check "a run of other cores left them another rest" grep -q 'is that of the run, on hosts of 1 core;' <(tr -s '\n ' ' ' <"$scratch/out")
    run estimate mercury-2010 --from out --mode arithmetic
    check_not "its own cores are not told of" grep -q 'cores\{0,1\};' "$scratch/out"
}

# A machine without a network has none, whatever the run's hosts had between them. A segment is a pass for each strand that
# was searched, and for each part of a database that is dealt.
test_other_runs() {
    local dealt detailed whole
    { echo '>q'; dna 1 3000; } >q.fa
    { echo '>d'; dna 2 100000; echo '>e'; dna 3 100000; } >d.fa
    expect_success "a run of one host" -q q.fa -d d.fa --set query.segment=1000 -o one --record one.tokens --no-report --quiet
    estimate mercury-2010 --from one --record one.tokens --nodes 2 --mode arithmetic
    detailed=$(value 1 detailed_s)
    expect_success "a run of two hosts" -q q.fa -d d.fa --set query.segment=1000 --set hosts=2 -o two --no-report --quiet
    estimate mercury-2010 --from two --record one.tokens --nodes 2 --mode arithmetic
    near "two hosts with nothing between them, as any run says" "$(value 1 detailed_s)" "$detailed" 1e-6
    for dealt in queries database; do
        expect_success "one strand, $dealt dealt" -q q.fa -d d.fa -s minus --set hosts=2 --set distribution=$dealt -o dealt \
            --no-report --quiet
        estimate mercury-2010 --from dealt --mode arithmetic
        whole=$(value 1 estimated_s)
        estimate mercury-2010 --from dealt --mode arithmetic --segments 1
        near "one strand, $dealt dealt: its one segment" "$(value 1 estimated_s)" "$whole" 1e-6
        estimate mercury-2010 --from dealt --mode arithmetic --database-bases 200e3
        near "one strand, $dealt dealt: its bases" "$(value 1 estimated_s)" "$whole" 1
    done
}

# Dor's runs: 7,964 x 2.7e9 bases at 1,790 M/s are 12,012.7 s, and 8,608 x 791e6 at the printed 1,440 M/s 4,728 s.
test_published_runs() {
    estimate mercury-2010 dor2010-run1 --mode arithmetic
    near "Dor's run 1 takes as long as its rate says" "$(value 1 estimated_s)" 12012.7 0.01
    check "the host limits run 1" test "$(value 1 limit)" = storage
    estimate mercury-2010 dor2010-run2 --mode arithmetic
    near "Dor's run 2 takes as long as its rate says" "$(value 1 estimated_s)" 4728.4 0.5
    check "the board limits run 2" test "$(value 1 limit)" = board
    estimate mercury-2010 dor2010-run2 --mode arithmetic --set lookups.operationsperunit=1
    check "without trips the host would limit run 2" test "$(value 1 limit)" = storage
}

# Each re-timing has processes at work.
# shellcheck disable=SC2317 # called by catch
is_retiming() { # PROCESS
    local children
    children_of "$1"
    [ "${#children[@]}" -gt 0 ]
}

# A signal while the record is timed again leaves nothing in TMPDIR.
test_signal() {
    TMPDIR=$PWD/temporary "$mercury" estimate mercury-2010 --from out --record run.tokens --nodes 2..64 --mode arithmetic \
        --quiet >/dev/null 2>"$scratch/err" &
    local process=$!
    check "a re-timing is at work" catch "$process" is_retiming "$process"
    kill -TERM "$process"
    kill -CONT "$process" 2>/dev/null
    wait "$process"
    check_number "a signal ends it" $? == 143
    report "and leaves nothing" "$(ls -A temporary)"
}

# What --write-workload writes gives the same times as --from.
test_workload() {
    run estimate --from out --write-workload -
    cp "$scratch/out" workload
    estimate mercury-2010 --from out --mode arithmetic
    value 1 estimated_s >from
    estimate mercury-2010 workload --mode arithmetic
    check_same "the workload of a run as a file" from <(value 1 estimated_s)
}

test_forms() {
    run estimate mercury-cluster blast --nodes 1..8,15 --quiet --report page.html
    cp "$scratch/out" first
    cp page.html first.html
    check_number "rows: 1, 2, 4, 8 and 15" "$(grep -c -E '^ +[0-9]+ ' first)" == 5
    check_number "80 columns" "$(awk 'length > most { most = length } END { print most }' first)" '<=' 80
    run estimate mercury-cluster blast --nodes 1..8,15 --quiet --report page.html
    check_same "the same bytes" first "$scratch/out"
    check_same "the same page" first.html page.html
    ! have xmllint || check "the page is well-formed" xmllint --noout --html page.html
    tells "a wall time is told if asked" 'wall_estimated_s' estimate mercury-2010 blast --mode arithmetic --wall
    tells "JSON" '"estimated_s": ' estimate mercury-2010 blast --mode arithmetic -f json
    tells "two boards on a slower bus" ' pcix ' estimate mercury-2010 blast --mode arithmetic --set board.number=2 \
        --set 'pcix.bandwidth=500 MB/s'
    sed 's/^repeat .*/repeat 50/; s/on hsps/on hsps, database, lookups, matches/' \
        "$source_directory/data/machines/blast" >parts
    tells "an assumption is named where arithmetic and execution differ" 'steps share a link' \
        estimate mercury-cluster ./parts --nodes 16 --quiet
    check_not "then nothing is said of large pieces" grep -q 'pieces are large' "$scratch/out"
    printf '%s\n' 'nodeset core type CPU floatspeed 1 G/s' 'dataset d type grid1dim units 1e6 operationsperunit 30' \
        'compute d on core' 'compute d on core' >twice
    tells "and so are steps that share a CPU" 'steps of a pipeline share a CPU' estimate ./twice --quiet
    check_not "whose pieces are small" grep -q 'pieces are large' "$scratch/out"
    printf '%s\n' 'nodeset host type memory number 1 per node' 'linkset net type across on host bandwidth 100 MB/s' \
        'distribution parts type block1dim' 'dataset d type grid1dim units 1e6 bytesperunit 1 varies 1, 2, 0.5' \
        'use distribution parts on d' 'repeat 3 over host' '  send d from host to host' >varied
    tells "and nodes whose data vary" 'nodes are unlike' estimate ./varied --nodes 3 --quiet
    check_not "though none is large" grep -q 'pieces are large' "$scratch/out"
    local machine
    for machine in mercury-2010 mercury-cluster mercury-pcie rack-simple rack-detailed; do
        tells "$machine" ' 1 ' estimate "$machine" blast --mode arithmetic --nodes 1
    done
}

# What Titan takes by hand: 4 bands of 1000 blocks of 180 KB. On one node they are 1.8 M operations at 70 M/s each, and the
# image 512 x 512 x 40 a band. 64 nodes have 15 or 16 blocks each: an I/O node seeks 1.5 ms for each of 1000, and then reads
# at 72 MB/s, or, in detail, sends at 35 MB/s.
test_machines() {
    run estimate sp2-simple titan --against sp2-detailed --nodes 1,64 --vary disk.number=1,16 --quiet -f tsv --plot titan.svg \
        --report titan.html
    report "two machines over nodes and I/O nodes" "$(success_problem)"
    local row machine disks nodes limit way by_hand
    for row in '1 sp2-simple 1 1 cpu' '2 sp2-simple 1 64 scsi' '6 sp2-detailed 1 64 disk' '7 sp2-detailed 16 1 cpu'; do
        read -r row machine disks nodes limit <<<"$row"
        [ "$(value "$row" machine) $(value "$row" disk.number) $(value "$row" nodes) $(value "$row" limit)" = \
            "$machine $disks $nodes $limit" ] || fail "row $row is $machine, $disks, $nodes, and $limit limits" "$(cat "$scratch/out")"
        way=72e6
        [ "$machine" = sp2-simple ] || way=35e6
        if [ "$nodes" -eq 1 ]; then
            by_hand='4 * (1000 * 1.8e6 + 512 * 512 * 40) / 70e6'
        else
            by_hand="(4 * 1000 * (1.5e-3 + 180e3 / $way) + 4 * 1.8e6 / 70e6)"
        fi
        near "$machine, $nodes nodes, $disks I/O nodes, by hand" "$(value "$row" estimated_s)" "$by_hand" 0.5
        near "and executed" "$(value "$row" executed_s)" "$by_hand" 0.5
    done
    check "the machines differ by (1.5 + 180 / 35) / (1.5 + 180 / 72)" grep -q 'to 1\.66 times (64 nodes, disk.number=1)' "$scratch/out"
    check_number "a panel for each number of I/O nodes" "$(grep -o 'disk.number=[0-9]*</text>' titan.svg | sort -u | wc -l)" == 2
    check_number "and on the page" "$(grep -o 'disk.number=[0-9]*</text>' titan.html | sort -u | wc -l)" == 2
    estimate mercury-2010 blast --against mercury-cluster --mode arithmetic
    check "machines of 1 and of 16 nodes" grep -q 'takes 0\.06 (16 nodes beside 1) to' "$scratch/out"
    estimate rack-simple --from out --record run.tokens --against rack-detailed --nodes 1,2 --vary disk.number=1,2
    check "the detailed simulator knows no machine without a bus" test "$(value 1 detailed_s)" = NA
    near "one host with an I/O node is the run's machine" "$(value 5 detailed_s)" \
        "$(sed -n 's/.*"simulated_time_s": *\([0-9.e-]*\).*/\1/p' out/summary.json | head -n 1)" 0.01
    check "it knows two hosts that have an I/O node each, and not one for both" test "$(value 8 detailed_s)" != NA -a \
        "$(value 6 detailed_s)" = NA
    # 3 of 4 bands come from memory: (4 + 0.026) s for the first, 16 x 25.7 ms for each of the others
    estimate sp2-simple titan --nodes 64 --set disk.number=1 --set memory.cacherule=lru
    near "a memory that keeps the blocks" "$(value 1 estimated_s)" 5.26 0.5
    # 1/6 of the blocks on each slow node and 1/3 on each fast one: 4 x 1000 / 6 x 25.7 ms, and the image in equal parts
    estimate sp2-simple titan --nodes 4 --set cpu.unlike=1,2 --set parts.shares=1,2
    near "unlike nodes with parts of their own" "$(value 1 estimated_s)" 17.293 0.5
    near "as executed" "$(value 1 executed_s)" 17.293 0.5
    expect_refusal "unlike nodes without numbers" 'unlike has no value: expected a number' estimate sp2-simple titan \
        --set cpu.unlike=
    expect_refusal "unlike nodes over which nothing whole is dealt" 'nodes are unlike: expected' \
        estimate mercury-cluster blast --nodes 3 --set board.unlike=1,2 --set board.number=4 --set pcix.number=4
    local vary
    for vary in disk.number disk.number= ''; do
        expect_refusal "--vary '$vary'" 'expected NAME.KEY=VALUE,VALUE' estimate sp2-simple titan --vary "$vary"
    done
    expect_refusal "--vary of what is no number" 'expected a number, such as' estimate sp2-simple titan --vary disk.type=disk
    expect_refusal "--vary of what is not there" "did you mean 'disk'" estimate sp2-simple titan --vary dsik.number=3
    expect_refusal "--vary of too many values" 'more than 6 values' estimate sp2-simple titan --vary disk.number=1,2,3,4,5,6,7
    expect_refusal "--against what lacks a name" "nodeset 'memory' is not known" estimate sp2-simple titan \
        --against mercury-2010
}

test_files() {
    mkdir texts
    cp "$source_directory/data/machines/blast" texts/work
    printf '#include "work"\n' >texts/inner
    printf '#include "mercury-2010"\n#include texts/inner\n' >whole
    tells "texts that include others, and shipped ones" ' pcix ' estimate whole --mode arithmetic
    printf '#include "whole"\n' >whole
    expect_refusal "a text that includes itself" 'whole:1:11: more than 8 files' estimate whole
    printf '#include "nothing"\n' >whole
    expect_refusal "an include that is not there" 'nothing: cannot be read' estimate whole
    run estimate - blast --mode arithmetic <"$source_directory/data/machines/mercury-2010"
    report "standard input" "$(success_problem)"
    printf 'nodeset host\n' >bad
    expect_refusal "a line that is wrong" 'bad:1:13: the line ends where type is expected' estimate bad
    head -c 100 /dev/zero >bytes
    expect_refusal "bytes that are no text" 'bytes:1:1: word' estimate bytes
}

test_refusals() {
    expect_refusal "no file" 'needs a machine' estimate
    expect_refusal "no such file" 'mercury-2011: cannot be read' estimate mercury-2011
    expect_refusal "a misspelt workload" 'blats: cannot be read: No such file or directory; did you mean blast?' \
        estimate mercury-2010 blats
    expect_refusal "a misspelt machine" 'did you mean sp2-detailed?' estimate sp2-simple titan --against sp2-detaild
    expect_refusal "a directory" 'texts: cannot be read' estimate texts
    expect_refusal "no script" 'no script' estimate mercury-2010
    expect_refusal "a name twice" "already the name of a nodeset" estimate mercury-2010 mercury-cluster
    local nodes
    for nodes in 0 1..0 2..1 1,,2 1.5 x 1..2..3 2000000 ''; do
        expect_refusal "--nodes '$nodes'" "nodes '.*': expected numbers" estimate mercury-2010 blast --nodes "$nodes"
    done
    expect_refusal "too many numbers of nodes" 'more than 64 numbers' estimate mercury-2010 blast --nodes "$(seq -s, 65)"
    expect_refusal "too many nodes to execute" 'use fewer --nodes or --mode arithmetic' estimate mercury-cluster blast --nodes 100000
    expect_refusal "more bytes than can be counted" 'use --mode arithmetic' estimate mercury-2010 blast --set tables.bytesperunit=1e17
    expect_refusal "too many members" 'expected at most 1e' estimate mercury-2010 blast --nodes 1000000 --mode arithmetic
    expect_refusal "--set of an unknown name" "did you mean 'board'" estimate mercury-2010 blast --set baord.number=4
    expect_refusal "--set without a value" 'expected NAME.KEY=VALUE' estimate mercury-2010 blast --set board.number
    expect_refusal "--mode" "mode 'all': expected" estimate mercury-2010 blast --mode all
    local option
    for option in '--segments 3' '--database-bases 1e6' --synchronize '--write-workload w' '--record r' '--distribution database'; do
        # shellcheck disable=SC2086 # an option and its value
        expect_refusal "$option without a run" "${option% *} is for the workload of a run" estimate mercury-2010 blast $option
    done
    expect_refusal "a run that is none" 'nowhere: cannot be read' estimate mercury-2010 --from nowhere
    echo '{' >summary.json
    expect_refusal "a summary that is no JSON" 'summary.json:2: is no whole JSON' estimate mercury-2010 --from summary.json
    echo '{"passes": 1}' >summary.json
    expect_refusal "a summary without numbers" 'summary.json: schema is missing' estimate mercury-2010 --from .
    sed 's/"build_s"/"unknown"/' out/summary.json >summary.json
    expect_refusal "a summary of an earlier version" 'summary.json: stage_3.build_s: expected a number from 0 .* found nothing; run mercury again to write it' \
        estimate mercury-2010 --from .
    cp out/summary.json summary.json
    sed 's/"boards": "1"/"boards": "many"/' out/run.json >run.json
    expect_refusal "a machine that is none" 'run.json: boards' estimate mercury-2010 --from .
    expect_refusal "a machine without boards" "the workload of --from:[0-9:]+ nodeset 'core' is not known" estimate sp2-simple --from out
    expect_refusal "two workloads" "'tables' is already .*; the other files have a workload, too: leave it out beside --from" \
        estimate mercury-2010 blast --from out
    expect_refusal "a record that is not there" '--record nowhere: No such file' \
        estimate mercury-2010 --from out --record nowhere
    expect_refusal "a record that is none" 'record: ' estimate mercury-2010 --from out --set board.number=2 --record out/passes.tsv
    cp "$source_directory/data/machines/blast" mine
    expect_refusal "-o over a text" 'mine' estimate mercury-2010 mine -o mine
    expect_refusal "--report over the run" 'summary.json' estimate mercury-2010 --from out --report out/summary.json
    expect_refusal "two texts into one file" 'both' estimate mercury-2010 mine -o both --report both
    expect_refusal "-o into a missing folder" 'no/such' estimate mercury-2010 mine -o no/such/file
}

# On 10 nodes the first step takes 100 / 10 s of each core, the second one 40 s of one: the busiest resource, core, has
# (100 + 40) / 10 s of work in 50 s.
test_serial() {
    cat >serial.txt <<'END'
nodeset host type memory
nodeset core type CPU number 1 per node floatspeed 1
dataset all type grid1dim units 100 operationsperunit 1
dataset one type grid1dim units 40 operationsperunit 1 parallel 1
distribution blocks type block1dim
use distribution blocks on all
compute all on core
compute one on core
END
    run estimate serial.txt --nodes 1,10 --mode arithmetic --quiet --report serial.html
    report "a program that is serial in the end" "$(success_problem)"
    check "the table names the serial step" grep -q -x "serial: on 10 nodes 80% of the time is 'compute one on core'" \
        "$scratch/out"
    check "the page does, before what is busy" grep -q \
        'On 10 nodes most of the time is serial: 80% of it is the step &quot;compute one on core&quot;, while .*, core, works in 28% of it' serial.html
    run estimate serial.txt --nodes 1 --mode arithmetic --quiet
    check_not "one that is busy all the time is not serial" grep -q '^serial' "$scratch/out"
    grep -v 'one' serial.txt >parallel.txt
    run estimate parallel.txt --against serial.txt --nodes 1,10 --mode arithmetic --quiet --report serial.html
    report "beside one that is not" "$(success_problem)"
    report "the table names the serial step of the one that has it" "$(grep '^serial:' "$scratch/out" |
        diff - <(echo "serial: serial.txt, on 10 nodes 80% of the time is 'compute one on core'"))"
    check "and so does the page" grep -q 'serial: serial.txt, on 10 nodes 80%' serial.html
}

test_run
test_other_runs
test_published_runs
test_signal
test_workload
test_serial
test_forms
test_machines
test_files
test_refusals
finish
