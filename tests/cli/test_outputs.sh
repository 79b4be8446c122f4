#!/bin/bash
# test_outputs.sh MERCURY SOURCE_DIRECTORY - what a run writes, where, and that it adds up; that the same input in any
# dress gives the same bytes; that an interrupted run leaves nothing.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

files=(alignments.tsv frame_histograms.tsv frames.tsv histograms.tsv passes.tsv records.tsv report.html run.json
    summary.json summary.txt validation.tsv)
deterministic=(alignments.tsv summary.json frames.tsv frame_histograms.tsv histograms.tsv validation.tsv passes.tsv
    records.tsv report.html summary.txt)

# --- input: a query of 22,000 bases, and a database with changed copies of parts of it on both strands

make_input() {
    dna 1 22000 | tr -d '\n' >q.seq
    {
        echo '>q1 the first'
        head -c 14000 q.seq | fold -w 70
        echo
        echo '>q2'
        tail -c +14001 q.seq | fold -w 70
        echo
    } >q.fa
    {
        echo '>d1 plus strand'
        { dna 2 40000; copy 1001 4000 7; dna 3 30000; copy 4801 5300 8; copy 15001 17000 9; dna 4 20000; } | one_record
        echo '>d2 minus strand'
        { dna 5 30000; copy 7001 10500 10 | reverse_complement; dna 6 20000; copy 20001 20400 11 | reverse_complement; } |
            one_record
    } >d.fa
}

copy() { # FIRST LAST SEED: of the query, with changed bases
    cut -c "$1-$2" q.seq | mutate "$3"
}

one_record() {
    tr -d '\n' | fold -w 70
    echo
}

# --- where things go

test_several_files() {
    sed -n '/^>q2/,$p' q.fa >second.fa
    sed '/^>q2/,$d' q.fa >first.fa
    search -q first.fa -q second.fa -d d.fa -a several.tsv --quiet
    report "a query in two files" "$(success_problem)"
    search -q q.fa -d d.fa -a whole.tsv --quiet
    check_same "is searched as if it were in one" whole.tsv several.tsv
    expect_refusal "an output in the place of the second" 'second\.fa' run -q first.fa -q second.fa -d d.fa -a second.fa
    expect_refusal "standard input twice" '--query -: .*only once' run -q - -q - -d d.fa
    rm -f first.fa second.fa several.tsv whole.tsv
}

test_default_output() {
    local before after
    before=$(listing)
    search -q q.fa -d d.fa
    after=$(listing)
    report "a run works" "$(success_problem)"
    cp "$scratch/out" default.tsv
    cp "$scratch/err" default.txt
    report "a run without -o or -a leaves no file" "$(diff <(echo "$before") <(echo "$after"))"
    check_number "the five copies in the database are found" "$(wc -l <default.tsv)" '>=' 5
    check_not "alignments are rows of 12 columns" grep -v -E $'^(q1|q2)\t(d1|d2)(\t[0-9.e+-]+){10}$' default.tsv
    check "the answer is on standard error" grep -q '^simulated ' default.txt
    check "the answer compares with queueing theory" grep -q '^theory .*M/M/1' default.txt
    check_number "the answer has at most 18 lines" "$(wc -l <default.txt)" '<=' 18
    check_not "the answer has at most 80 columns" grep -E '.{81}|[[:blank:]]$' default.txt
    check_not "no progress when standard error is no terminal" grep -q $'[\r\033]' default.txt
}

# A repeat with itself has 1.1 million matches in one block: HSPs go to a file if there is little memory.
test_memory() {
    {
        echo '>repeat'
        printf 'AAAAAAAAAAAAT%.0s' {1..280} | fold -w 70
        echo
    } >repeat.fa
    search -q repeat.fa -d repeat.fa -s plus -o wide --no-report
    report "a repeat is searched" "$(success_problem)"
    check "a query that repeats itself is told of, with its matches" grep -q -x \
        "this query repeats itself ($(tail -n 1 wide/passes.tsv | column matches wide/passes.tsv) matches per block); mask it with --dust yes ([0-9.]*% of it)" \
        "$scratch/err"
    expect_success "a repeat is searched in little memory" -q repeat.fa -d repeat.fa -s plus -o narrow --no-report \
        --memory 256M --quiet
    local file
    for file in alignments frames frame_histograms histograms passes records; do
        check_same "$file.tsv does not depend on memory" "wide/$file.tsv" "narrow/$file.tsv"
    done
    search -q q.fa -d d.fa
    check_not "usual queries are told nothing" grep -q repeats "$scratch/err"
    rm -r wide narrow
}

# Every base of a sequence matches itself: one block, whose words and records need all of the bus.
test_full_bus() {
    { echo '>self' && dna 21 30000; } >self.fa
    search -q self.fa -d self.fa -s plus -o full --quiet --no-report
    report "a sequence is compared with itself" "$(success_problem)"
    local measured busy
    measured=$(awk -F '\t' '$1 == "utilisation.bus" { print $12 }' full/frames.tsv)
    busy=$(tail -n 1 full/passes.tsv | column bus_busy full/passes.tsv)
    check_number "the utilisation of the bus is one number" "($measured - $busy) ^ 2" '<' 1e-8
    check_number "the bus is not used for more than all of the time" "$measured" '<=' 1
    check_number "the bus is nearly full" "$measured" '>' 0.9
    rm -r full
}

# column NAME FILE: of the rows of a table on standard input, the column that is called so in FILE.
column() {
    awk -F '\t' -v name="$1" 'NR == FNR { if (!at) for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' \
        "$2" -
}

test_directory_output() {
    local name
    mkdir temporary
    TMPDIR=$work/temporary search -q q.fa -d d.fa -o out
    report "a run with -o works" "$(success_problem)"
    report "-o makes these ten files" "$(diff <(printf '%s\n' "${files[@]}") <(ls -A out))"
    for name in "${files[@]}"; do
        check "$name is not empty" test -s "out/$name"
    done
    check_same "-o: the alignments are those of standard output" default.tsv out/alignments.tsv
    check "-o: the answer is on standard output" grep -q '^simulated ' "$scratch/out"
    check "-o: the answer says where the rest is" grep -q '^out/  *report.html  alignments.tsv .*summary.json' "$scratch/out"
    check "summary.txt has all" grep -q 'M/M/1/K' out/summary.txt
    # stage and share of work in per cent: in the table of stages, and in that of the bottleneck
    awk '/rate +at work$/ { on = 1; next }
         / at work: / { on = 0 }
         on { printf "%s %.2f\n", $1, $6 }' out/summary.txt | sed 's/^pcix/bus/' >stages
    awk '/at work +stalled/ { on = 1; next }
         /^software/ { on = 0 }
         on && $2 ~ /%$/ && $1 != "host" { printf "%s %.2f\n", $1, $2 }' out/summary.txt >bottleneck
    check_number "the first table has 1bp and 1bd" "$(grep -c '^1b[pd] ' stages)" == 2
    check_same "both tables say how long each stage is at work" bottleneck stages
    check "false positives per seed, and what Dor makes of them" grep -q 'P_1bp is 1 - PFP, 0\.[0-9]*;' out/summary.txt
    if can_flatten; then
        flatten out/summary.json >whole.flat
        check_number "and in summary.json" "($(number whole.flat stage_1b/false_positives_per_seed) - \
            $(number whole.flat stage_1a/false_positives) / $(number whole.flat stage_1b/seeds))^2" '<' 1e-20
        rm whole.flat
    fi
    search -q q.fa -d d.fa -o whole --full
    grep -v -E '^(simulated in|the board alone)' "$scratch/out" >whole.txt
    check_same "--full prints summary.txt and the wall clock" whole/summary.txt whole.txt
    rm -r whole
    search -q q.fa -d d.fa -o asked --measure default
    check "what is asked for is printed" grep -q -E '^  rate\.[a-z_]+ +mean +[0-9]' "$scratch/out"
    rm -r asked
    check_not "-o: no alignments on standard output" grep -q -F -f default.tsv "$scratch/out"
    check_not "-o: nothing on standard error" test -s "$scratch/err"
    expect_refusal "-o -: standard output is no directory" '-: expected the name of a directory' run -q q.fa -d d.fa -o -
    check "-o: nothing in the directory of temporary files" rmdir temporary
}

test_alignments_output() {
    expect_success "-a FILE works" -q q.fa -d d.fa -a hits.tsv
    check_same "-a FILE: the same alignments" default.tsv hits.tsv
    check_not "-a FILE: not on standard output" grep -q -F -f default.tsv "$scratch/out"
    expect_success "-a - works" -q q.fa -d d.fa -a -
    check_same "-a -: the same alignments" default.tsv "$scratch/out"
    expect_success "-o and -a together work" -q q.fa -d d.fa -o both -a both.tsv --quiet
    check_same "-o and -a together: in the file" default.tsv both.tsv
    check_same "-o and -a together: in the directory" default.tsv both/alignments.tsv
    echo old >hits.tsv
    expect_success "-a replaces a file" -q q.fa -d d.fa -a hits.tsv --quiet
    check_same "-a replaces a file by the alignments" default.tsv hits.tsv
    check_not "nothing partial is left" test -n "$(find . -name '*.partial')"
}

test_quiet() {
    search -q q.fa -d d.fa --quiet
    check_same "--quiet: the same alignments" default.tsv "$scratch/out"
    check_not "--quiet: nothing on standard error" test -s "$scratch/err"
    search -q q.fa -d d.fa --quiet -o quiet
    check_not "--quiet -o: nothing on standard output" test -s "$scratch/out"
    check_not "--quiet -o: nothing on standard error" test -s "$scratch/err"
}

# Programs started by cron or a daemon may find standard error closed.
test_closed_stderr() {
    if ! have timeout; then
        skip "standard error closed: a run ends" "no timeout"
        return
    fi
    timeout -s KILL 100 "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet >closed.tsv 2>&-
    check_number "standard error closed: a run ends" "$?" == 0
    check_same "standard error closed: the same alignments" default.tsv closed.tsv
}

# What is no plain file is written to, not replaced.
test_special_outputs() {
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet -a >(cat >substituted.tsv) 2>"$scratch/err"
    await cmp default.tsv substituted.tsv
    check_same "-a >(command): the same alignments" default.tsv substituted.tsv
    ln -s /proc/self/fd/1 stdout.link
    # In a directory of its own, for /dev is what would be changed without the link.
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet -a stdout.link >linked.tsv 2>"$scratch/err"
    check_same "-a with a link to standard output, a file: the same alignments" default.tsv linked.tsv
    check "-a with a link to standard output, a file: the link is still one" test -h stdout.link
    rm -f stdout.link
}

test_fifo_output() {
    local reader
    if ! have mkfifo || ! have timeout; then
        skip "-a FIFO: the same alignments" "no mkfifo or no timeout"
        return
    fi
    mkfifo queue
    timeout 100 cat queue >queued.tsv &
    reader=$!
    timeout 100 "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet -a queue 2>"$scratch/err" >"$scratch/out" &
    wait "$!"
    status=$?
    report "-a FIFO does not hang" "$(success_problem)"
    wait "$reader" # its own time limit ends it where nobody wrote
    check_same "-a FIFO: the same alignments" default.tsv queued.tsv
    rm -f queue
}

# --- formats and choices

test_format_7() {
    expect_success "--format 7 works" -q q.fa -d d.fa -f 7 --quiet
    check "format 7 has comment lines" grep -q '^# Fields: query' "$scratch/out"
    check "format 7 names queries" grep -q '^# Query: q2' "$scratch/out"
    check "format 7 names the database" grep -q '^# Database: .*d\.fa' "$scratch/out"
    check "format 7 ends with the number of queries" grep -q '^# BLAST processed 2 queries' "$scratch/out"
    grep -v '^#' "$scratch/out" >seven.tsv
    check_same "format 7 without its comments is format 6" default.tsv seven.tsv
    check_number "format 7 counts the alignments" \
        "$(awk '/^# [0-9]+ hits found/ { sum += $2 } END { print sum }' "$scratch/out")" == "$(wc -l <default.tsv)"
}

test_strands() {
    local strand
    for strand in plus minus both; do
        search -q q.fa -d d.fa --quiet -s "$strand"
        cp "$scratch/out" "$strand.tsv"
    done
    check_same "--strand both is the default" default.tsv both.tsv
    check_not "--strand plus: subjects go up" awk -F '\t' '$9 > $10 { bad = 1 } END { exit !bad }' plus.tsv
    check_not "--strand minus: subjects go down" awk -F '\t' '$9 < $10 { bad = 1 } END { exit !bad }' minus.tsv
    sort plus.tsv minus.tsv >sum.tsv
    sort both.tsv >sorted.tsv
    check_same "--strand both is plus and minus together" sorted.tsv sum.tsv
    check "--strand plus finds something" test -s plus.tsv
    check "--strand minus finds something" test -s minus.tsv
}

test_evalues() {
    search -q q.fa -d d.fa --quiet -e 1e-150
    awk -F '\t' '$11 <= 1e-150' default.tsv >strict.tsv
    check_same "--evalue 1e-150 keeps what has at most that" strict.tsv "$scratch/out"
    search -q q.fa -d d.fa --quiet -e 10
    check_number "--evalue 10 keeps more" "$(wc -l <"$scratch/out")" '>=' "$(wc -l <default.tsv)"
    check_not "--evalue 10 loses nothing" grep -v -x -F -f "$scratch/out" default.tsv
    dna 77 300 >none.txt
    { echo '>n'; cat none.txt; } >none.fa
    search -q none.fa -d d.fa --quiet -e 1e-100
    report "a run without an alignment is no error" "$(success_problem)$(cat "$scratch/out")"
}

# --- the files

test_summary_json() {
    local flat=summary.flat key object
    flatten out/summary.json >"$flat"
    for key in simulated_time_s measured_time_s clock_hz clocks passes schema; do
        check "summary.json has $key" value "$flat" "$key"
    done
    for object in pcix stage_1a stage_1b stage_2 stage_3; do
        check "summary.json has the object $object" grep -q "^$object/" "$flat"
        check "summary.json has $object for every pass" grep -q "^per_pass/1/$object/" "$flat"
    done
    check_number "summary.json: simulated time is more than measured time" \
        "$(number "$flat" simulated_time_s)" '>' "$(number "$flat" measured_time_s)"
    check_number "summary.json: both strands are two passes" "$(number "$flat" passes)" == 2
    check_not "summary.json has no number that is none" grep -q -i -E $'\t-?(nan|inf)' "$flat"
}

test_run_json() {
    local flat=run.flat key
    flatten out/run.json >"$flat"
    for key in version seed configuration/fifo.wmer query/file query/bases query/xxh3 database/file database/bases \
        database/xxh3 platform wall_time_s simulated_time_s; do
        check "run.json has $key" value "$flat" "$key"
    done
    report "run.json: version is that of --version" \
        "$(diff <("$mercury" --version | head -n 1) <(echo "mercury $(value "$flat" version)"))"
    check_number "run.json: bases of the query" "$(number "$flat" query/bases)" == 22000
    check_number "run.json: bases of the database" "$(number "$flat" database/bases)" == "$(grep -v '>' d.fa | tr -d '\n' | wc -c)"
    check_number "run.json: records" "$(number "$flat" database/records)" == 2
    check_number "run.json: alignments" "$(number "$flat" alignments)" == "$(wc -l <out/alignments.tsv)"
    check_number "run.json: simulated time" "$(number "$flat" simulated_time_s)" == "$(number summary.flat simulated_time_s)"
    check_number "run.json: wall time is positive" "$(number "$flat" wall_time_s)" '>' 0
    report "run.json: digests are 16 hexadecimal digits" "$(grep '/xxh3' "$flat" | grep -v -E $'\t[0-9a-f]{16}$')"
    run run -p "$platform" --dump-config
    report "run.json: the configuration is all of --dump-config" "$(diff \
        <(tail -n +2 "$scratch/out" | cut -f 1,2 | sort) <(sed -n 's/^configuration\///p' "$flat" | sort))"
}

# same_flow DESCRIPTION LEFT RIGHT...: the path LEFT equals the sum of the others ("16*path" counts 16 times), over the
# run and in every pass.
same_flow() {
    local description=$1 left=$2 prefix right path
    shift 2
    for prefix in '' per_pass/0/ per_pass/1/; do
        right=0
        for path in "$@"; do
            right+=" + ${path/%[a-z]*/1 * }$(number summary.flat "$prefix${path#*\*}")"
        done
        check_number "${prefix}conservation: $description" "$(number summary.flat "$prefix$left")" == "$right"
    done
}

test_conservation() {
    local b=stage_1b/lookups
    same_flow "w-mers pass or are filtered" stage_1a/wmers stage_1a/seeds_out stage_1a/wmers_filtered
    same_flow "16 w-mers a word" stage_1a/wmers '16*stage_1a/words'
    same_flow "words arrive in stage 1a" pcix/words_in stage_1a/words
    same_flow "seeds arrive in stage 1b" stage_1a/seeds_out stage_1b/seeds
    same_flow "lookups end in one of four ways" stage_1b/seeds ${b}_empty ${b}_mismatch ${b}_match ${b}_duplicate
    same_flow "filtered seeds" stage_1b/seeds_filtered ${b}_empty ${b}_mismatch ${b}_duplicate_without_match
    same_flow "false positives are filtered by stage 1b" stage_1a/false_positives stage_1b/seeds_filtered
    same_flow "matches arrive in stage 2" stage_1b/matches_out stage_2/matches
    same_flow "matches pass or are filtered" stage_2/matches stage_2/hsps_out stage_2/matches_filtered
    same_flow "HSPs arrive in stage 3" stage_2/hsps_out stage_3/hsps
    same_flow "HSPs are extended or contained" stage_3/hsps stage_3/hsps_extended stage_3/hsps_contained
    same_flow "records cross the bus" pcix/record_bytes '16*stage_2/hsps_out'
    same_flow "seeds cross the wmer FIFO" stage_1b/seeds stage_1b/wmer_fifo/elements
    same_flow "matches cross the stage-2 FIFO" stage_2/matches stage_2/stage2_fifo/elements
}

# Counters and clocks of the run are those of its passes together. Passes overlap in time: the second is on the board while
# stage 3 works on the first; if it waits for stage 3 instead, times add up, too.
test_passes_add_up() {
    local path passes phases=""
    for path in clocks stage_1a/wmers stage_1b/trips stage_2/hsps_out stage_3/cells pcix/table_bytes; do
        check_number "passes add up: $path" \
            "($(number summary.flat "$path") - $(number summary.flat "per_pass/0/$path") - $(number summary.flat "per_pass/1/$path"))^2" \
            '<=' "(1e-9 * $(number summary.flat "$path"))^2"
    done
    passes="$(number summary.flat per_pass/0/simulated_time_s) + $(number summary.flat per_pass/1/simulated_time_s)"
    check_number "passes overlap" "$(number summary.flat simulated_time_s)" '<' \
        "$passes + $(number summary.flat stage_3/build_wait_s)"
    for path in build load stream drain; do
        phases="${phases:+$phases + }$(number summary.flat bottleneck/phases/${path}_s)"
    done
    check_number "the run's phases add up" "($phases - $(number summary.flat simulated_time_s))^2" '<' 1e-20
    check_number "and building is one of them" "$(number summary.flat bottleneck/phases/build_s)" '>' 0
    check_number "boards do not" "$(number summary.flat simulated_time_s)" '>' \
        "$(number summary.flat pcix/table_load_s) + $(number summary.flat clocks) / $(number summary.flat clock_hz)"
    search -q q.fa -d d.fa -o serial --set schedule.overlap=serial
    flatten serial/summary.json >serial.flat
    passes="$(number serial.flat per_pass/0/simulated_time_s) + $(number serial.flat per_pass/1/simulated_time_s)"
    passes="$passes + $(number serial.flat stage_3/build_wait_s)"
    check_number "serial passes add up" "($(number serial.flat simulated_time_s) / ($passes) - 1)^2" '<' 1e-18
    check_number "and take longer" "$(number serial.flat simulated_time_s)" '>' "$(number summary.flat simulated_time_s)"
    check_same "with the same alignments" out/alignments.tsv serial/alignments.tsv
}

# Records of 900, 400 and 50 bases are 1,352 positions with a separator between each two. Segments of 1,000 overlap by 64:
# they begin at 1 and 937 of the plus strand. On the minus strand the first one has the plus positions 353 to 1,352, the
# second one 1 to 416. Record b begins at 902.
test_passes_of_records() {
    { echo '>a'; dna 5 900; echo '>b'; dna 6 400; echo '>c'; dna 7 50; } >three.fa
    expect_success "a query of three records" -q three.fa -d d.fa --set query.segment=1000 -o three --quiet
    printf 'plus\ta:1-900 b:1-99\nplus\tb:36-400 c:1-50\nminus\ta:353-900 b:1-400 c:1-50\nminus\ta:1-416\n' >ranges.tsv
    tail -n 4 three/passes.tsv | cut -f 2,3 >found.tsv
    check_same "passes.tsv names all records of a pass, with positions in each" ranges.tsv found.tsv
}

column_sum() { # QUEUE COLUMN
    awk -F '\t' -v queue="$1" -v column="$2" '$1 == queue && $7 == "run" { sum += $column } END { printf "%.12g", sum }' out/histograms.tsv
}

test_histograms() {
    local queue clocks
    clocks=$(number summary.flat clocks)
    for queue in ingress_fifo wmer_fifo sram_fifo stage2_fifo egress_fifo; do
        check_number "histogram of $queue: clocks add up" "$(column_sum "$queue" 5)" == "$clocks"
        check_number "histogram of $queue: fractions add up" "($(column_sum "$queue" 6) - 1)^2" '<=' '1e-8'
    done
    # The inbox is watched from the begin of the run to its end; the last clock is rounded up, and counts.
    clocks="$(number summary.flat simulated_time_s) * $(number summary.flat clock_hz)"
    check_number "histogram of inbox: clocks add up" "$(column_sum inbox 5) - $clocks" '<=' '2 + 1e-3'
    check_number "histogram of inbox: no clock is missing" "$(column_sum inbox 5) - $clocks" '>=' '1 - 1e-3'
    check_not "histograms: no fraction above 1" \
        awk -F '\t' '!/^#/ && $1 != "queue" && ($6 > 1 || $6 < 0 || $3 > $4) { bad = 1 } END { exit !bad }' out/histograms.tsv
    check_number "histogram of wmer_fifo: its mean is that of summary.json" "(1e4 * ($(awk -F '\t' '$1 == "wmer_fifo" && $7 == "run" \
        { sum += $3 * $5; clocks += $5 } END { print sum / clocks }' out/histograms.tsv) \
        - $(number summary.flat stage_1b/wmer_fifo/mean)))^2" '<=' 1
}

test_validation() {
    check_number "validation.tsv: lambda_1a is that of summary.json" "($(awk -F '\t' '$1 == "lambda_1a" { print $3 }' \
        out/validation.tsv) * 1e6 / $(number summary.flat stage_1a/wmers_per_s) - 1)^2" '<=' '1e-6'
}

# --- the same again

test_repetition() {
    local name jobs
    search -q q.fa -d d.fa -o again
    for name in "${deterministic[@]}"; do
        check_same "the same again: $name" "out/$name" "again/$name"
    done
    for jobs in 1 2 3; do
        search -q q.fa -d d.fa --set query.segment=5000 -j "$jobs" -o "jobs$jobs"
        report "-j $jobs with many passes works" "$(success_problem)"
    done
    for name in "${deterministic[@]}"; do
        check_same "-j 2: $name" "jobs1/$name" "jobs2/$name"
        check_same "-j 3: $name" "jobs1/$name" "jobs3/$name"
    done
    check_same "many segments: the same alignments" default.tsv jobs1/alignments.tsv
    flatten jobs1/summary.json >jobs.flat
    check_number "many segments: five a strand" "$(number jobs.flat passes)" == 10
}

# The database is 19 blocks of 4 KiB; with more jobs than passes, threads scan them ahead, and stage 3 has a thread, too,
# unless its work is recorded.
test_repetition_of_one_pass() {
    local name jobs
    for jobs in 1 2 5; do
        search -q q.fa -d d.fa -s plus --set pcix.block=4096 -j "$jobs" -o "one$jobs"
        report "-j $jobs with one pass works" "$(success_problem)"
        search -q q.fa -d d.fa -s plus --set pcix.block=4096 -j "$jobs" --quiet --record "one$jobs.tokens" -a /dev/null
        report "-j $jobs with one pass can be recorded" "$(success_problem)"
    done
    for jobs in 2 5; do
        for name in "${deterministic[@]}"; do
            check_same "-j $jobs with one pass: $name" "one1/$name" "one$jobs/$name"
        done
        check "-j $jobs with one pass: the record" cmp one1.tokens "one$jobs.tokens"
    done
}

# jobs_of ARGUMENTS...: as run.json has them, of ten passes
jobs_of() {
    search -q q.fa -d d.fa --set query.segment=5000 --measure none --quiet -o jobs "$@"
    flatten jobs/run.json >jobs.flat
    number jobs.flat jobs
}

test_default_jobs() {
    local processors one
    processors=$(nproc)
    check_number "one job a processor" "$(jobs_of)" == "$processors"
    one=$(taskset -cp $$ | grep -o '[0-9]*$')
    check_number "a processor that may not be used has none" "$(
        taskset -cp "$one" "$BASHPID" >"$scratch/taskset"
        jobs_of
    )" == 1
    check_number "-j 1 is kept" "$(jobs_of -j 1)" == 1
    check_number "more than there are passes are kept" "$(jobs_of -j 1024)" == 1024
}

digests() { # DIRECTORY
    grep -o '"xxh3": "[0-9a-f]*"' "$1/run.json"
}

# same_input DESCRIPTION QUERY DATABASE: gives the alignments and digests of the plain files.
same_input() {
    rm -rf dressed
    search -q "$2" -d "$3" -o dressed
    check_same "$1: the same alignments" default.tsv dressed/alignments.tsv
    report "$1: the same digests" "$(diff <(digests out) <(digests dressed))"
}

test_dresses() {
    gzip -c q.fa >q.fa.gz
    gzip -c d.fa >d.fa.gz
    same_input "gzip" q.fa.gz d.fa.gz
    { head -n 20 q.fa | gzip -c; tail -n +21 q.fa | head -n 100 | gzip -1 -c; tail -n +121 q.fa | gzip -c; } >members.gz
    same_input "gzip of three members" members.gz d.fa
    sed 's/$/\r/' q.fa >crlf.q.fa
    sed 's/$/\r/' d.fa >crlf.d.fa
    same_input "CRLF" crlf.q.fa crlf.d.fa
    sed '/>/!y/ACGT/acgt/' q.fa >lower.q.fa
    sed '/>/!y/ACGT/acgt/' d.fa >lower.d.fa
    same_input "lower case" lower.q.fa lower.d.fa
    sed '/>/!y/T/U/' q.fa >rna.fa
    same_input "U for T" rna.fa d.fa
    sed 's/^$//;/>/!s/./& /30' q.fa | sed '/>/s/^/\n/' >blank.fa
    same_input "blanks and blank lines" blank.fa d.fa
    head -c -1 q.fa >no_end.fa
    same_input "no end of the last line" no_end.fa d.fa
    same_input "a pipe" <(gzip -dc q.fa.gz) <(cat d.fa.gz)
    same_input "standard input as the query" - d.fa <q.fa
    same_input "standard input as the database, gzip" q.fa - <d.fa.gz
    if can_block_gzip; then
        block_gzip <q.fa >q.fa.bgz
        block_gzip <d.fa >d.fa.bgz
        same_input "bgzip" q.fa.bgz d.fa.bgz
    else
        skip "bgzip: the same alignments" "neither bgzip nor python3"
    fi
}

# --- numbers of the machine

test_dump_config() {
    local name value rest arguments=()
    run run -p "$platform" --dump-config
    cp "$scratch/out" config.tsv
    check_number "--dump-config prints every number" "$(wc -l <config.tsv)" '>=' 40
    check_not "--dump-config: rows of five columns" grep -v -E $'^[^\t]+(\t[^\t]+){4}$' config.tsv
    run run -p "$platform" --dump-config --set fifo.wmer=64 --set bloom.family=h3 --set fpga.clock=1.5e8
    sed -E 's/^(fifo\.wmer\t)[^\t]*/\164/; s/^(bloom\.family\t)[^\t]*/\1h3/; s/^(fpga\.clock\t)[^\t]*/\1150000000/' \
        config.tsv >wanted.tsv
    check_same "--set changes what --dump-config prints" wanted.tsv "$scratch/out"
    while IFS=$'\t' read -r name value rest; do
        [ "$name" = name ] || [ -z "$rest" ] || arguments+=(--set "$name=$value")
    done <wanted.tsv
    run run -p "$platform" --dump-config "${arguments[@]}"
    check_same "what --dump-config prints goes back in with --set" wanted.tsv "$scratch/out"
    expect_refusal "two --set of one name" '--set fifo.wmer is given twice: expected each name once' \
        run -p "$platform" --dump-config --set fifo.wmer=64 --set fifo.wmer=99
}

test_set_in_run() {
    search -q q.fa -d d.fa --set fifo.wmer=64 --set hash.seed=7 -o set --quiet
    report "a run with --set works" "$(success_problem)"
    flatten set/run.json >set.flat
    report "a run with --set tells so in run.json" "$(diff <(printf '64\n7\n') \
        <(value set.flat configuration/fifo.wmer; value set.flat seed))"
    check_same "--set of a queue and a seed changes no alignment" default.tsv set/alignments.tsv
}

# Names of sequences and of files go to terminals: no control character and nothing but UTF-8 is printed.
test_names() {
    local name=$'n\033[31m\xff\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4.fa' format
    { printf '>q\033[2Jx\001 a\033]0;title\007 \xe4\xc3\xa4\n'; sed 1d q.fa; } >"$name"
    for format in 0 7 sam; do
        "$mercury" run -p "$platform" -q "$name" -d "$name" -s plus -f "$format" -o named &>printed
        cat named/alignments.* named/summary.txt named/run.json named/records.tsv named/report.html >>printed
    done
    "$mercury" run -q $'missing\033[31m\xff' -d d.fa 2>>printed
    check "names are printed" grep -q -F 'q\x1B[2Jx\x01' printed
    check "names of files are, too" grep -q -F 'n\x1B[31m\xFF' printed
    check "run.json has the name" grep -q -F 'n\\x1B[31m\\xFF' named/run.json
    check "an error has, too" grep -q -F 'missing\x1B[31m\xFF: ' printed
    check_not "no control character is printed" grep -q -a $'[\001-\010\013-\037]' printed
    check "all is UTF-8" iconv -f UTF-8 -t UTF-16 -o /dev/null printed
}

# --- interrupted

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

make_input
test_several_files
test_default_output
test_memory
test_full_bus
test_directory_output
test_alignments_output
test_quiet
test_closed_stderr
test_special_outputs
test_fifo_output
test_format_7
test_strands
test_evalues
if can_flatten; then
    test_summary_json
    test_run_json
    test_conservation
    test_passes_of_records
    test_passes_add_up
    test_histograms
    test_validation
    test_set_in_run
    test_default_jobs
else
    skip "summary.json and run.json" "neither python3 nor jq"
fi
test_repetition
test_repetition_of_one_pass
test_dresses
test_names
test_dump_config
make_long_input
test_signals
test_new_directory
test_two_runs
test_nohup 2>/dev/null # where bash tells of signals
finish
