#!/bin/bash
# test_outputs.sh MERCURY SOURCE_DIRECTORY - where the output of a run goes: files, pipes, standard output.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/small_run.sh
. "$(dirname "$0")/small_run.sh"
begin "$@"

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

repeat_of() { # FILE UNIT BASES
    { echo '>repeat' && printf "$2%.0s" $(seq $(($3 / ${#2}))) && echo; } >"$1"
}

# KiB in memory at one time of that process that had most.
peak_memory() { # ARGUMENTS
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$mercury" "$@"
}

# A word of a repeat has thousands of matches, and a thousand such words wait on the board. Without a bound, poly-A takes
# 62 kB per base, a whole segment 180 kB. With it, memory does not depend on the length.
test_bounded_memory() {
    local kind query database peak
    [ -z "$few" ] || return 0
    repeat_of a.fa A 3000
    repeat_of at.fa AT 7000
    repeat_of segment.fa A 25000
    repeat_of some.fa A 500
    for kind in a:a at:at segment:some; do
        query=${kind%:*} database=${kind#*:}
        peak=$(peak_memory run -q $query.fa -d $database.fa -s plus -j 1 --memory 256M -a little.tsv --quiet)
        check_number "$kind takes at most 88 MiB" "${peak:-0} / 1024" '<=' 88 # with --memory 4G it takes 96 and more
        check_number "$kind: what was measured is memory" "${peak:-0} / 1024" '>' 20
    done
    search -q some.fa -d segment.fa -s plus -j 1 --memory 256M -a little.tsv --quiet
    search -q some.fa -d segment.fa -s plus -j 1 --memory 4G -a much.tsv --quiet
    check_same "alignments do not depend on memory" much.tsv little.tsv
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
         on { printf "%s %.2f\n", $1, $6 }' out/summary.txt >stages
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
    search -q q.fa -d d.fa -o whole --json --quiet
    check_same "--json prints summary.json" whole/summary.json "$scratch/out"
    search -q q.fa -d d.fa -a whole.tsv --json
    grep '"simulated_time_s"' whole/summary.json >whole.time
    check_same "without a directory, too" whole.time <(grep '"simulated_time_s"' "$scratch/out")
    search -q q.fa -d d.fa --json --quiet --record whole.tokens
    cp "$scratch/out" bare.json
    search -q q.fa -d d.fa -o bare --measure none --quiet
    check_same "without any file, too, but for measurements" bare/summary.json bare.json
    run retime whole.tokens --json --quiet
    cp "$scratch/out" again.json
    run retime whole.tokens -o again --measure none --quiet
    check_same "and that of a run that is timed again" again/summary.json again.json
    rm -r again again.json bare bare.json
    rm -r whole whole.tsv whole.time whole.tokens
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

make_input
test_several_files
test_default_output
test_memory
test_bounded_memory
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
finish
