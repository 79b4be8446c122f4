#!/bin/bash
# test_limits.sh MERCURY SOURCE_DIRECTORY - what is said to limit a run does: the run, timed again without that part,
# takes the promised time, and without any other part it takes no less.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

sibelia=/usr/share/doc/sibelia/examples/Sibelia
lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
coli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz

# --- the promise

# compare_promise DIRECTORY: reads the table of retime --free all from standard input. The promised time of the part that
# limits is within 2% of its time, and within 2% no part takes less. What is said of all others is true: their times are
# within 2%, and no bound is above a time.
compare_promise() {
    python3 -c '
import json, sys
found = json.load(open(sys.argv[1] + "/summary.json"))["bottleneck"]
run, problems = found["run"], []
rows = [line.split()[:2] for line in sys.stdin.read().splitlines()[1:]]
times = {name: float(ms) / 1000 for name, ms in rows}
if abs(times.pop("nothing") / run["run_s"] - 1) > 1e-4:
    problems.append("the run itself takes another time")
if set(times) != {p["part"] for p in run["parts"]}:
    sys.exit("other parts")
for p in run["parts"]:
    took, half = times[p["part"]], 0.02 * times[p["part"]]
    if p["from"] == "bound":
        true = p["run_s"] <= took * 1.005
    elif p["from"] == "exact":
        true = abs(p["run_s"] / took - 1) < 1e-5
    else:
        true = abs(p["run_s"] - took) <= half
    if not true:
        problems.append("%s: promised %g (%s), takes %g" % (p["part"], p["run_s"], p["from"], took))
if run["shared"]:
    if min(times.values()) < run["run_s"] / 1.03:
        problems.append("not shared: a part saves more than 3%")
elif min(times.values()) < 0.98 * times[run["part"]]:
    problems.append("%s is said to limit: %s" % (run["part"], times))
if found["limit_of_run"] != ("shared" if run["shared"] else run["part"]):
    problems.append("limit_of_run is " + str(found["limit_of_run"]))
print("\n".join(problems))' "$1" 2>&1
}

# keeps_promise DESCRIPTION PART RUN-ARGUMENTS...: the run, recorded; PART limits it.
keeps_promise() {
    local description=$1 part=$2 problem
    shift 2
    rm -rf out
    "$mercury" run "$@" -o out --record run.tokens --no-report --quiet 2>said || {
        fail "$description" "$(cat said)"
        return
    }
    "$mercury" retime run.tokens --free all --quiet >free 2>said || problem=$(cat said)
    report "$description" "${problem:-}$(compare_promise out <free)"
    check "$description: it is $part" grep -q "\"limit_of_run\": \"$part\"" out/summary.json
}

test_promises() {
    gzip -dc "$lambda" >lambda.fa
    gzip -dc "$coli" >coli.fa
    keeps_promise "lambda x E. coli" tables -q lambda.fa -d coli.fa
    keeps_promise "lambda x E. coli, two boards" bus -q lambda.fa -d coli.fa --set boards=2
    keeps_promise "lambda x E. coli, two hosts" cores -q lambda.fa -d coli.fa --set hosts=2
    keeps_promise "lambda x E. coli, one slow core" cores -q lambda.fa -d coli.fa --set host.cores=1 --set host.clock=1e9
    keeps_promise "lambda x E. coli, all but the board is quick" 1a -q lambda.fa -d coli.fa \
        --set pcix.bandwidth=16e9 --set host.supply=16e9 --set host.clock=24e9
    # Without the cores nearly nothing is left: what tasks in brief leave out of their work is left out, too.
    head -c 20000 lambda.fa >part.fa
    keeps_promise "20 kb of lambda with itself, two boards on a bus, slow alignments" cores -q part.fa -d part.fa \
        --set boards=2 --set pcix.burst_clocks=64 --set stage3.cycles_per_cell=1000
    # Tasks in brief end as those of the run do, but do not know that boards wait for each other.
    "$mercury" synth -l 260k --seed 9 >q260.fa
    "$mercury" synth -l 100k --seed 3 >d100.fa
    keeps_promise "random genomes, three boards on a bus, two cores" cores -q q260.fa -d d100.fa --set boards=3 \
        --set host.cores=2 --set stage3.cycles_per_cell=500 --set host.build_clocks=100 --set query.segment=30000 \
        --set fpga.clock=4e8 --set pcix.bandwidth=4e9
    # The tables of the next pass are loaded beside the stream, which is short.
    dna 61 30000 | sed '1i >d' >short.fa
    keeps_promise "lambda x 30 kb, tables overlap" tables -q lambda.fa -d short.fa --set query.segment=4000 \
        --set schedule.overlap=tables --set fpga.clock=1e9
    # Boards wait for tables that are built late, or share a bus: some passes, and tasks in brief, say little of that.
    head -n 2000 coli.fa >short.fa
    keeps_promise "lambda x 140 kb, tables overlap on two boards" tables -q lambda.fa -d short.fa \
        --set schedule.overlap=tables --set boards=2 --set bus.count=2 --set query.segment=2000 --set host.cores=2
    check "its directory can be read" "$mercury" report out
    head -n 8000 coli.fa >medium.fa
    keeps_promise "lambda x 560 kb, tables overlap on two boards on a bus" bus -q lambda.fa -d medium.fa \
        --set schedule.overlap=tables --set boards=2 --set query.segment=4000
    # Bursts leave before they are full: a quicker stream has fewer.
    keeps_promise "lambda x 560 kb, half empty bursts on a slow bus" tables -q lambda.fa -d medium.fa --set table.family=h3 \
        --set table.slots=16384 --set hsp.flush_clocks=64 --set pcix.bandwidth=133e6
    [ -z "$few" ] || return 0
    if [ ! -e "$sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz" ]; then
        skip "H. pylori, S. aureus" "sibelia-examples is not installed"
        return
    fi
    gzip -dc "$sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz" | awk '/^>/ { n++ } { print >("p" n ".fa") }'
    keeps_promise "H. pylori" tables -q p1.fa -d p2.fa
    test_sampled
    # The boards share a bus: the first passes are timed again.
    head -c 400000 p1.fa >part.fa
    keeps_promise "H. pylori, two boards on a bus of 2128e6" cores -q part.fa -d p2.fa --set boards=2 \
        --set pcix.bandwidth=2128e6 --set host.cores=5
    keeps_promise "H. pylori, two hosts" cores -q part.fa -d p2.fa --set hosts=2 --set sram.trip_cycles=6
    gzip -dc "$sibelia/Staphylococcus_aureus/Staphylococcus.fasta.gz" | awk '/^>/ { n++ } { print >("s" n ".fa") }'
    head -c 600000 s1.fa >part.fa
    keeps_promise "S. aureus with itself: one core joins what borders cut" join -q part.fa -d s1.fa -s plus
}

# A part that was not timed, and may save more only by what its bound is loose, is named after what is known. What some
# passes say has no interval.
test_sampled() {
    "$mercury" retime run.tokens --set schedule.overlap=tables -o sampled --no-report --quiet
    check "what was timed is named first" grep -q \
        'limit of the run: building and loading tables; .* about 1.07 times .* (from 7 of 50 passes); perhaps stage 1a: at most 1.13 times (not timed)' \
        <(tr -s '\n ' ' ' <sampled/summary.txt)
    check "so is it in summary.json" grep -q '"limit_of_run": "tables"' sampled/summary.json
    check "some passes give three digits" grep -q '^  1bd  *1[78]. .* about, from 7 of 50 passes$' sampled/summary.txt
    problem=$("$mercury" retime run.tokens --set schedule.overlap=tables --free all --quiet | compare_promise sampled)
    report "all that is said is true" "$problem"
}

# What is not timed, for that would take too long, and may save four fifths of the run, is named before what saves 5%.
test_perhaps() {
    { echo '>a' && head -c 3000 /dev/zero | tr '\0' A && echo; } >a.fa
    "$mercury" run -q a.fa -d a.fa -o repeats --quiet
    check "what may save most is named first" grep -q \
        'limit of the run: perhaps stage 1bd: .* at most 5.02 times .* retime --free 1bd .* work 1.05 times' \
        <(tr -s '\n ' ' ' <repeats/summary.txt)
    check "so is it in summary.json" grep -q '"limit_of_run": "1bd"' repeats/summary.json
    check "which says that it is a bound" \
        grep -q '"part": "1bd", "from": "bound", "shared": false' <(tr -s '\n ' ' ' <repeats/summary.json)
    check "and on the page" grep -q 'What limits the run: perhaps stage 1bd: without it .* at most 5.02 times' repeats/report.html
    check_not "no stage has a frame" grep -q '<text[^>]*>bottleneck' repeats/report.html
}

# Host and bus are both at work in more than 99% of the time; a sweep names the one that the run names, the busiest.
test_two_at_work() {
    head -c 20000 lambda.fa >part.fa
    "$mercury" synth -l 100k --seed 3 >random.fa
    "$mercury" run -q part.fa -d random.fa --set stage2.threshold=11 -o two --no-report >said
    check "of two that never starve the busiest comes first" grep -q -E \
        '^streaming +the host.s supply is busiest, 99.8% of the time, then the bus, 99.4%' said
    check "neither lifting its limit nor keeping it is said to be what it is not" grep -q \
        'at most 1.002 times faster (then host is at work all the time); at most 1.006 times without the limit of host' \
        <(tr -s '\n ' ' ' <two/summary.txt)
    check "both are said to limit" grep -q '^  bus .* limits, too$' two/summary.txt
    "$mercury" sweep -q part.fa -d random.fa --vary stage2.threshold=11 --store two.db --quiet >said
    check "a sweep says the same" diff - <("$mercury" sweep export --store two.db --columns bottleneck,next_bottleneck) \
        <<<$'bottleneck\tnext_bottleneck\nhost\tbus'
}

# What is said of software and of phases agrees with what limits the run, and with passes.tsv.
test_sentences() {
    "$mercury" retime run.tokens --set host.supply=1e15 --set pcix.bandwidth=1e15 -o quick --no-report --quiet
    check "where the cores' work limits the run, software is not said to limit nothing" \
        grep -q '^  software does not limit the stream; the run waits for its cores$' quick/summary.txt
    "$mercury" run -q part.fa -d part.fa -o one-block --no-report --quiet
    check "a host that is at work in 7% of the stream is not said to limit it" \
        grep -q '^  software does not limit the stream; the run waits for its cores$' one-block/summary.txt
    "$mercury" synth -l 26k --seed 9 >few.fa
    "$mercury" synth -l 200k --seed 10 >much.fa
    "$mercury" run -q few.fa -s plus -d much.fa --set query.segment=7000 --set boards=3 --set bus.count=3 -o three \
        --no-report --quiet
    check "what takes less than half of the run is said to be longest, not to take most of it" \
        grep -q 'longest phase: loading tables (.* 47.66% loading tables, .* boards idle)' \
        <(tr -s '\n ' ' ' <three/summary.txt)
    check_not "a board that waits while another streams is not stage 3 at work" grep -q 'only stage 3' three/summary.txt
}

# --- the same for everybody

test_same_bytes() {
    local jobs
    "$mercury" run -q lambda.fa -d coli.fa -o one -j 1 --no-report --quiet
    for jobs in 2 3; do
        "$mercury" run -q lambda.fa -d coli.fa -o many -j $jobs --no-report --quiet
        check "-j $jobs says the same" cmp one/summary.json many/summary.json
    done
    "$mercury" run -q lambda.fa -d coli.fa -o recorded --record run.tokens --no-report --quiet
    check "what was not timed takes that time or longer" grep -q '^  1a .* not timed: this time or longer$' one/summary.txt
    check "what is from the host's tasks is told to be" grep -q '^  cores .* about, from the tasks of the host alone$' one/summary.txt
    check "a run that is recorded says the same" cmp one/summary.json recorded/summary.json
    "$mercury" retime run.tokens -o again --no-report --quiet
    check "so does its record, timed again" cmp one/summary.json again/summary.json
    sed -i '/"limit_of_run"/,/"shared"/ { /"from"/d }' again/summary.json
    check "a directory from before that is read" "$mercury" report again
    check "the first screen says it" grep -q '^bottleneck  building and loading tables; without it the run would be 1.58 times$' \
        <("$mercury" retime run.tokens -a /dev/null)
    "$mercury" retime run.tokens --set stage2.fetch_cycles=100 -o fetch --no-report >said
    check "where fetches of stage 2 hold 1b, 1b is not said to saturate" \
        grep -q 'too low; later stages hold earlier ones up' <(tr -s '\n ' ' ' <said)
    check "and its row says so" grep -q '^  1bd .* held by the limit$' fetch/summary.txt
    check "stage 2 is busiest: its bases take all places of its FIFO" \
        grep -q '^streaming   stage 2 is busiest, 99.6% of the time, then the bus, 34%' said
    check "and the stream cannot be faster, but without it" grep -q \
        'at most 1.004 times faster (then 2 is at work all the time); at most 2.914 times without the limit of 2' \
        <(tr -s '\n ' ' ' <fetch/summary.txt)
    "$mercury" retime run.tokens --set stage2.fetch_cycles=100 --set fifo.stage2=1000 -o fetch --no-report >said
    check "with places for all of them it limits nothing" grep -q '^streaming   the bus is busiest, 100%' said
}

# --- bad input

test_refusals() {
    local what
    refused "--free: a part that does not exist" "did you mean bus" retime run.tokens --free buss
    refused "--free: an empty name" "no part of the machine" retime run.tokens --free ''
    for what in '-o x' '-a x' '--measure none' '--charge-measurement' '--vcd x' --json --full; do
        # shellcheck disable=SC2086
        refused "--free with $what" 'leave out' retime run.tokens --free bus $what
    done
    check_not "--free writes no files" ls x
    check_number "--free bus: one part beside the run as it is" \
        "$("$mercury" retime run.tokens --free bus --quiet | wc -l)" == 3
}

# refused DESCRIPTION WORDS ARGUMENTS...: status 2, one line with these words, nothing on standard output.
refused() {
    local description=$1 words=$2 problem=''
    shift 2
    "$mercury" "$@" >out.txt 2>said </dev/null
    [ $? -eq 2 ] || problem+="another status"$'\n'
    [ -s out.txt ] && problem+="something was printed"$'\n'
    [ "$(wc -l <said)" -eq 1 ] || problem+="not one line"$'\n'
    grep -q -- "$words" said || problem+="$(cat said)"
    report "$description" "$problem"
}

test_promises
test_perhaps
test_two_at_work
test_same_bytes
test_sentences
test_refusals
finish
