#!/bin/bash
# test_sample.sh MERCURY SOURCE_DIRECTORY - mercury run --sample forecasts the whole run, says everywhere that it is a
# sample, and leaves what the rest of the run goes on with.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

input=(-q q.fa -d d.fa --set query.segment=1000)

# A query of 26 passes; the database has all of it, once mutated, on both strands.
make_input() {
    { echo '>q' && dna 1 12000; } >q.fa
    { echo '>d1' && dna 10 60000 && sed -n '2,$p' q.fa | mutate 4 && sed -n '2,90p' q.fa | reverse_complement; } >d.fa
}

# total DIRECTORY QUANTITY WHICH: of the forecast
total() {
    flatten "$1/summary.json" >flat-sample
    awk -F '\t' -v quantity="$2" -v which="$3" '$1 ~ /^sample\/forecast\/[0-9]+\/quantity$/ && $2 == quantity { split($1, part, "/") }
        $1 == "sample/forecast/" part[3] "/" which { print $2; exit }' flat-sample
}

# holds DESCRIPTION DIRECTORY QUANTITY NUMBER: the interval holds a number, which is one of the whole run's (in `flat`)
holds() {
    check_number "$1: $3 is not below" "$(total "$2" "$3" low)" '<=' "$(number flat "$4")"
    check_number "$1: $3 is not above" "$(total "$2" "$3" high)" '>=' "$(number flat "$4")"
}

same_files() { # DESCRIPTION DIRECTORY DIRECTORY
    report "$1" "$(diff -rq -x run.json -x unfinished.passes "$2" "$3" 2>&1)"
}

is_short() { # FILE
    check_number "19 lines at most" "$(wc -l <"$1")" '<=' 19
    check_number "80 columns at most" "$(awk '{ if (length > most) most = length } END { print most }' "$1")" '<=' 80
}

# --- what it says

test_answer() {
    expect_success "the whole run" "${input[@]}" -o whole
    expect_success "a sample" "${input[@]}" -o sample --sample 10
    cp "$scratch/out" answer
    check "the first line says that it is a sample" \
        grep -q '^SAMPLE of 10 of 26 passes (seed 1): a forecast, not the whole run$' <(head -n 1 answer)
    is_short answer
    check "it says how the run goes on" grep -q 'mercury run --resume sample' answer
    run plot sample --what time -o time.svg
    check "a picture of its own says what was drawn" grep -q ' MHz, a sample of its passes<' time.svg
    expect_success "on standard output no alignments" "${input[@]}" --sample 20%
    check "20% of 26 passes are 6" grep -q '^SAMPLE of 6 of 26' "$scratch/out"
    check_not "nor rows of any" grep -q $'\t' "$scratch/out"
}

test_marks() {
    check_not "no file seems to have all alignments" test -e sample/alignments.tsv
    check "alignments say so first" grep -q '^# SAMPLE of 10 of 26 passes' <(head -n 1 sample/alignments.sample.tsv)
    check "summary.txt says so first" grep -q '^SAMPLE of 10 of 26 passes' <(head -n 1 sample/summary.txt)
    check "passes.tsv says so" grep -q "^# a sample of the run's passes" sample/passes.tsv
    check "run.json says so" grep -q '"run_passes": 26' sample/run.json
    report "the page has the forecast" "$(page_problem sample/report.html forecast pipeline time)"
    check "and says so" grep -q "A sample: 10 of the run.s 26 passes" sample/report.html
    check "and how many passes would do" grep -q 'For a simulated time within 5% draw 4 passes, within 2% draw 5 passes, within 1% draw 5 passes[.]' sample/report.html
    search "${input[@]}" --sample 3 -o small
    check "or that all are needed" grep -q 'For a simulated time within 5% draw all 26 passes[.]' small/report.html
    check_not "another page has none" grep -q 'id="forecast"' whole/report.html
    for copy in {1..25}; do
        echo ">c$copy" && sed -n '2,$p' q.fa | mutate "$copy"
    done >copies.fa
    search -q q.fa -d copies.fa --set query.segment=1000 --sample 10 -o best
    check "the page names the file that has all of its alignments" \
        grep -q '>20 of [0-9]* alignments by score; all are in alignments.sample.tsv[.]<' best/report.html
    check "passes have their numbers in the run" cmp <(grep -v '^#' sample/passes.tsv | tail -n +2 | cut -f 1) \
        <(flatten sample/summary.json | awk -F '\t' '$1 ~ /^sample\/drawn_passes\// { print $2 }')
    search "${input[@]}" --sample 5 -f sam -a sample.sam
    check "SAM has a comment" grep -q $'^@CO\tSAMPLE of 5 of 26' sample.sam
    check "after its first line" grep -q '^@HD' <(head -n 1 sample.sam)
    search "${input[@]}" --sample 5 -f 0 -a sample.txt
    check "the text says so first" grep -q '^SAMPLE of 5 of 26' <(head -n 1 sample.txt)
    search "${input[@]}" --sample 5 -a -
    check "alignments on standard output say so first" grep -q '^# SAMPLE of 5 of 26' <(head -n 1 "$scratch/out")
    can_flatten || return
    flatten sample/summary.json | cut -f 1 | grep '^sample/' | sed -E 's,/[0-9]+(/|$),\1,g; s,.*/,,' | sort -u >names
    check_number "it has many numbers" "$(wc -l <names)" '>' 15
    # shellcheck disable=SC2046
    tells "each is explained" '^sample.total_if_alone' explain $(sed 's/^/sample./' names)
}

# --- what it forecasts

# Of a sample of all passes but one nearly nothing is left to forecast.
test_forecasts() {
    local overlap quantity
    can_flatten || { skip "forecasts" "neither python3 nor jq"; return; }
    for overlap in drain serial tables; do
        search "${input[@]}" -o whole-$overlap --quiet --no-report --measure none --set schedule.overlap=$overlap
        search "${input[@]}" -o most --quiet --no-report --measure none --set schedule.overlap=$overlap --sample 25
        flatten whole-$overlap/summary.json >flat
        holds $overlap most simulated_time_s simulated_time_s
        check_number "$overlap: it is known to 5%" "$(total most simulated_time_s high) / $(total most simulated_time_s low)" '<' 1.1
    done
    search "${input[@]}" -o whole-boards --quiet --no-report --measure none --set boards=3 --set bus.count=3
    search "${input[@]}" -o most --quiet --no-report --measure none --set boards=3 --set bus.count=3 --sample 25
    flatten whole-boards/summary.json >flat
    holds "3 boards" most simulated_time_s simulated_time_s
    for quantity in build_wait_s:build_s table_load_s:load_s streaming_s:stream_s stage_3_alone_s:drain_s; do
        holds "3 boards" most "${quantity%:*}" "bottleneck/phases/${quantity#*:}"
    done
    search "${input[@]}" --sample 25 --set host.build_clocks=0
    check_not "tables in no time are not forecast" grep -q '^building' "$scratch/out"
    flatten whole/summary.json >flat
    for quantity in hsps:stage_2/hsps_out cells:stage_3/cells trips:stage_1b/trips simulated_time_s:simulated_time_s; do
        holds "10 passes" sample "${quantity%:*}" "${quantity#*:}"
    done
    # One alignment goes over all passes of a strand: each sample finds it whole, so that joining it is known.
    check_number "a joined alignment adds no error" \
        "$(total sample simulated_time_s high) / $(total sample simulated_time_s low)" '<' 1.02
    check_number "alignments within the interval" "$(total sample alignments low)" '<=' "$(wc -l <whole/alignments.tsv)"
    check_number "alignments within the interval" "$(total sample alignments high)" '>=' "$(wc -l <whole/alignments.tsv)"
}

# What a pass waits for depends on others, which in the run are not those of the sample.
test_neighbours() {
    local quiet=(--quiet --no-report --measure none) options bytes phases=bottleneck/phases
    can_flatten || { skip "neighbours" "neither python3 nor jq"; return; }
    options=(--set boards=3)
    search "${input[@]}" "${quiet[@]}" "${options[@]}" -o whole-shared
    search "${input[@]}" "${quiet[@]}" "${options[@]}" -o shared --sample 12
    flatten whole-shared/summary.json >flat
    holds "3 boards share a bus" shared table_load_s $phases/load_s
    holds "3 boards share a bus" shared streaming_s $phases/stream_s
    options=(--set host.cores=1 --set stage3.cycles_per_cell=200)
    search "${input[@]}" "${quiet[@]}" "${options[@]}" -o whole-held
    search "${input[@]}" "${quiet[@]}" "${options[@]}" -o held --sample 20
    flatten whole-held/summary.json >flat
    holds "a core is at long alignments" held build_wait_s $phases/build_s
    holds "a core is at long alignments" held simulated_time_s simulated_time_s
    options=(--set schedule.overlap=tables)
    search "${input[@]}" "${quiet[@]}" "${options[@]}" -o whole-tables
    search "${input[@]}" "${quiet[@]}" "${options[@]}" -o tables-sample --sample 12
    flatten whole-tables/summary.json >flat
    holds "tables load meanwhile" tables-sample table_load_s $phases/load_s
    check_number "tables load meanwhile, and the first ones once" \
        "$(total tables-sample table_load_s total) / $(number flat $phases/load_s)" '<' 1.01
    bytes="($(number flat pcix/database_bytes) + $(number flat pcix/table_bytes) + $(number flat pcix/record_bytes))"
    check_number "the bytes of tables are known" "$(total tables-sample bus_bytes total) / $bytes" '<' 1.01
}

# Alignments lie in the first pass alone, which is drawn, and the second is not.
test_first_pass() {
    { echo '>d1' && dna 10 60000 && sed -n '4,9p' q.fa; } >first.fa
    search -q q.fa -d first.fa -s plus --set query.segment=1000 --sample 4 --seed 4 -o first
    check "the first pass is drawn, the second is not" cmp -s <(grep -v '^#' first/passes.tsv | cut -f 1 | grep -x '[12]') - <<<1
    check_number "alignments of the first pass are seen" "$(total first alignments total)" '>' 0
}

test_seeds() {
    search "${input[@]}" -o again --sample 10 -j 1
    same_files "the same seed, one job: the same files" sample again
    search "${input[@]}" -o again --sample 10 --seed 2
    check_not "another seed: other passes" cmp -s sample/passes.tsv again/passes.tsv
    search "${input[@]}" -o again --sample 100%
    same_files "all passes are the run" whole again
}

test_until() {
    search "${input[@]}" --until 40%
    check "an interval that is soon narrow" grep -q '^SAMPLE of 8 of 26' "$scratch/out"
    search "${input[@]}" --until 0.001%
    check "one that never is ends with half of the passes" grep -q '^SAMPLE of 13 of 26' "$scratch/out"
    check "and says so" grep -q '^half of the passes are too few for 0.001%; draw for 5%: ' "$scratch/out"
    is_short "$scratch/out"
    cp "$scratch/out" grown
    search "${input[@]}" --sample 8 -o grown-from-8
    run run --resume grown-from-8 --until 0.001%
    check "from kept passes it is the same" cmp <(sed -n 1,12p grown) <(sed -n 1,12p "$scratch/out")
}

# One pass has most HSPs: the repeat is in one segment and often in the database.
test_doubt() {
    local i
    { echo '>q' && dna 1 9000 && dna 77 300 && dna 3 2700; } >repeat.fa
    { echo '>d' && dna 10 60000 && for i in $(seq 60); do dna 77 300; dna "$i" 300; done; } >repeats.fa
    search -q repeat.fa -d repeats.fa --set query.segment=1000 --sample 25 -o doubt
    check "what one pass carries is doubted" grep -q '^doubt .* no interval with (!) is to be relied on: pass' "$scratch/out"
    check "at its total" grep -q '^HSPs.*(!)$' "$scratch/out"
    check "with the interval of the run in which it is alone" grep -q -E 'if no other is like it, the run has [^(;]* \(.* to .*\)' \
        <(tr '\n' ' ' <doubt/summary.txt | tr -s ' ')
    check_not "for which the answer has no room" grep -q -E 'the run has [^(;]* \(.* to ' <(tr '\n' ' ' <"$scratch/out" | tr -s ' ')
    check "in summary.txt, too" grep -q '^doubt .* no interval with (!) is to be relied on: pass' doubt/summary.txt
    without_words doubt/report.html >doubt/text.html
    check_not "25 passes say nothing of a tail" grep -r -q -i -E 'hill|tail index' doubt/summary.txt doubt/text.html
    check "and on the page" grep -q '(!) HSPs: pass' doubt/text.html
    is_short "$scratch/out"
}

# An alignment that reaches over a border takes a millisecond to be joined. Samples without one know nothing of that.
test_joining() {
    local i
    { echo '>d' && dna 10 30000 && dna 1 12000 | tr -d '\n' | cut -c 7000-8200 && dna 11 30000; } >once.fa
    search -q q.fa -d once.fa --set query.segment=1000 --sample 6 -o once
    check "where no drawn pass joins an alignment, the time and its end are doubted" test "$(grep -c \
        -E '^(simulated time|last of stage 3) .* \(!\)$' "$scratch/out")" = 2
    check "the page says why" grep -q '(!) simulated time: joining at borders is unknown, since no drawn pass has any' \
        <(without_words once/report.html)
    check "and since none has an alignment, so are HSPs, cells and bytes" test "$(grep -c \
        -E '^(HSPs|cells of stage 3|bytes on the bus) .* \(!\)$' "$scratch/out")" = 3
    check "as the answer says" grep -q '; no drawn pass has an alignment' <(tr -s ' \n' ' ' <"$scratch/out")
    check "and the page" grep -q '(!) HSPs: no drawn pass has an alignment' <(without_words once/report.html)
    { echo '>d' && dna 10 30000; } >inside.fa
    for i in $(seq 0 936 10296); do
        { dna 1 12000 | tr -d '\n' | cut -c $((i + 300))-$((i + 500)) && dna "$((i + 20))" 500; } >>inside.fa
    done
    search -q q.fa -d inside.fa --set query.segment=1000 --sample 6 --seed 5 -o inside
    check "and so does the answer if it is the only reason" grep -q ' relied on: joining at borders is unknown' <(tr -s ' \n' ' ' <"$scratch/out")
    check_not "what all passes have alike is known, but for nothing" grep -q -E '[+]- [0-9.]+e-1[0-9]%' "$scratch/out"
    search -q q.fa -d once.fa --sample-database 50% --sample-window 4k -o once
    check "where no pass meets another of its strand, its end is forecast" grep -q -E '^last of stage 3 .*%$' "$scratch/out"
    check_not "where one does, neither is" grep -E '^(simulated time|last of stage 3) .* \(!\)$|joining' answer
    check_number "nor the end in summary.json" "$(flatten sample/summary.json | grep -c -E '/unjoined[[:space:]]True$')" == 0
}

# --- a sample of the database

# A database of 3 records and 8 windows of 10,000 bases or so; 4 passes.
windows=(-q q.fa -d three.fa --set query.segment=6100 --sample-window 10k --sample-warm-up 1k)

make_windows() {
    { echo '>d1' && dna 10 30000 && sed -n '2,$p' q.fa | mutate 4; } >three.fa
    { echo '>d2 with a title' && dna 11 20000; echo '>d3' && dna 12 18000; } >>three.fa
}

test_windows() {
    local quantity
    make_windows
    expect_success "half of the database" "${windows[@]}" -o windows --sample-database 50%
    cp "$scratch/out" answer
    check "the first line says so" \
        grep -q '^SAMPLE of 4 of 4 passes and 4 of 8 windows (seed 1): a forecast$' <(head -n 1 answer)
    check "it says what half the warm-up leaves" grep -q '^windows of 10 kb, warm-up 1 kb; with half of it: time ' answer
    check_number "and what stage 3 does at the end is not known better than to itself" \
        "$(total windows stage_3_alone_s high)" '>' "2 * $(total windows stage_3_alone_s total)"
    check "nor is the time of this computer" grep -Eq '^wall time here .* \+- (19[6-9]|[2-9][0-9][0-9])%$' answer
    run plot windows --what forecast -o forecast.svg
    check "a picture of its own says that it is of a sample" grep -q ' MHz, a sample of the database<' forecast.svg
    check "and how many windows would do" grep -Eq '^or windows 5%( or less)?: ' answer
    check_number "80 columns at most" "$(awk '{ if (length > most) most = length } END { print most }' answer)" '<=' 80
    check_not "what cannot go on is not offered" grep -q 'resume' answer
    check "there are no alignments" cmp -s <(head -n 1 answer | sed 's/^/# /') windows/alignments.sample.tsv
    check "none are counted: not in summary.txt" grep -q ' -> *- alignments$' windows/summary.txt
    check_not "(not at its end)" grep -q '^0 alignments' windows/summary.txt
    check "and not on the page" grep -q '</strong> Windows of the database leave no alignments[.] The' windows/report.html
    check_not "where other settings would find none, either" grep -q 'No alignment is significant' windows/report.html
    report "the page has the forecast" "$(page_problem windows/report.html forecast pipeline time)"
    check "and says so" grep -q "4 of the run.s 4 passes over 4 of the database.s 8 windows" windows/report.html
    expect_refusal "no pass of windows is whole" 'that sample has no passes to go on with' run --resume windows
    search "${windows[@]}" -o again --sample-database 50% -j 1
    same_files "the same seed, one job: the same files" windows again
    search "${windows[@]}" -o all --sample-database 100%
    search "${windows[@]:0:6}" -o none
    same_files "all windows are the run" none all
    check "so few windows are doubted" grep -q '^streaming .* (!)$' answer
    check "and it is said why" grep -q 'windows are too unequal' <(tr '\n' ' ' <answer | tr -s ' ')
    check "alignments are cut" grep -q '^cells .* (!)$' answer
    check "and it is said, too" grep -q 'windows cut alignments' <(tr '\n' ' ' <answer | tr -s ' ')
    check "in summary.txt" grep -q 'windows cut alignments' <(sed '/^What follows/q' windows/summary.txt | tr '\n' ' ' | tr -s ' ')
    check "and on the page" grep -q '(!) streaming: so few passes or windows are too unequal' windows/report.html
    can_flatten || return
    for quantity in bases records xxh3; do
        check "run.json has the $quantity of the whole database" test \
            "$(value <(flatten windows/run.json) "database/$quantity")" = "$(value <(flatten none/run.json) "database/$quantity")"
    done
    flatten windows/summary.json >flat
    check_number "streaming may be off by what half the warm-up leaves" \
        "log($(total windows streaming_s high) / $(total windows streaming_s total))" '>=' \
        "sqrt($(number flat sample/database/bias_of_time)^2) - 1e-9"
    search "${windows[@]/10k/5k}" -o most --no-report --sample-database 85% --quiet
    flatten none/summary.json >flat
    for quantity in hsps:stage_2/hsps_out simulated_time_s:simulated_time_s; do
        check_number "${quantity%:*} not below" "$(total most "${quantity%:*}" low)" '<=' "$(number flat "${quantity#*:}")"
        check_number "${quantity%:*} not above" "$(total most "${quantity%:*}" high)" '>=' "$(number flat "${quantity#*:}")"
        check_number "${quantity%:*} within a fifth" \
            "$(total most "${quantity%:*}" total) / $(number flat "${quantity#*:}")" '>' 0.8
    done
    check_number "warm-ups are not counted" "$(total most streaming_s total) / $(number flat measured_time_s)" '<' 1.15
    flatten windows/summary.json | cut -f 1 | grep '^sample/database/' | sed -E 's,/[0-9]+(/|$),\1,g; s,.*/,,' | sort -u >names
    # shellcheck disable=SC2046
    tells "each number is explained" '^sample.bias_of_time' explain $(sed 's/^/sample./' names)
}

# With an index only windows are read; they are the same.
test_index() {
    command -v samtools >"$scratch/null" && command -v bgzip >"$scratch/null" ||
        { skip "an index" "neither samtools nor bgzip"; return; }
    mkdir -p index && cp three.fa index/
    samtools faidx index/three.fa
    search "${windows[@]/three.fa/index/three.fa}" -o windows-of-index --sample-database 50%
    check "windows of an index are the same" cmp windows/summary.json windows-of-index/summary.json
    local line read=0 lines
    lines=$(wc -l <three.fa)
    for line in 1 3 5 7 9 11 13 15; do # a bad letter in the middle of each of the 8 windows
        sed "$((line * lines / 16))s/^./!/" three.fa >index/three.fa
        touch index/three.fa.fai
        search "${windows[@]/three.fa/index/three.fa}" --sample-database 50% --quiet
        read=$((read + (status == 2)))
    done
    check_number "only the 4 windows that are drawn are read" "$read" == 4
    bgzip -c three.fa >index/three.fa.gz
    samtools faidx index/three.fa.gz
    search "${windows[@]/three.fa/index/three.fa.gz}" -o windows-of-index --sample-database 50%
    check "those of a compressed file, too" cmp windows/summary.json windows-of-index/summary.json
    cp three.fa index/three.fa
    touch -d '1 hour ago' index/three.fa.fai
    expect_refusal "an index that is too old" 'older than the file' run "${windows[@]/three.fa/index/three.fa}" --sample-database 50%
    rm index/three.fa.gz.gzi
    expect_refusal "an index without its .gzi" 'gzi is missing' run "${windows[@]/three.fa/index/three.fa.gz}" --sample-database 50%
}

test_refused_windows() {
    local base=(run "${windows[@]}") value
    for value in 0 -1 0% -5% 101% x '' % nan; do
        expect_refusal "--sample-database '$value'" 'expected a part of the database' "${base[@]}" "--sample-database=$value"
    done
    expect_refusal "more than there is" 'the database has' "${base[@]}" --sample-database 1G
    expect_refusal "a window shorter than its warm-up" 'shorter than its warm-up' \
        run -q q.fa -d three.fa --sample-database 50% --sample-window 2k --sample-warm-up 4k
    expect_refusal "a window as long as the database" 'fewer than 2 windows' \
        run -q q.fa -d three.fa --sample-database 50% --sample-window 200k
    expect_refusal "windows of nothing" 'need --sample-database' "${base[@]}"
    "$mercury" run -p "$platform" -q q.fa -d - --sample-database 50% <three.fa >"$scratch/out" 2>"$scratch/err"
    status=$?
    check_number "standard input: status 2" "$status" '==' 2
    check "and one line" grep -q 'expected a file' "$scratch/err"
    expect_refusal "until" 'use --sample N' "${base[@]}" --sample-database 50% --until 5%
    expect_refusal "alignments" 'no whole alignments' "${base[@]}" --sample-database 50% -a x
    expect_refusal "a record" '--record with --sample-database' "${base[@]}" --sample-database 50% --record x
    expect_refusal "tables" 'depend on each other' "${base[@]}" --sample-database 50% --set schedule.overlap=tables
    expect_refusal "several hosts" 'forecasts are of one host' "${base[@]}" --sample-database 50% --set hosts=2
}

# --- the rest of the run

test_resume() {
    search "${input[@]}" -o rest --sample 5
    run run --resume rest --sample 12 --seed 3
    check "a larger sample" grep -q '^SAMPLE of 12 of 26 passes (seed 3)' "$scratch/out"
    run run --resume rest -j 2
    report "the rest of the passes" "$(success_problem)"
    same_files "leave the files of the whole run" whole rest
    expect_refusal "then there is nothing more to do" 'has finished' run --resume rest
    # With tables a pass depends on its neighbours: it is kept if these are the run's.
    search "${input[@]}" --set schedule.overlap=tables -o tables
    search "${input[@]}" --set schedule.overlap=tables -o ahead --sample 12
    run run --resume ahead
    check "passes with the run's neighbours are kept" grep -Eq '(^|[^0-9])[1-6] of 26 passes had ended' "$scratch/err"
    same_files "with tables it is the same run, too" tables ahead
    search "${input[@]}" --set schedule.overlap=tables -o few --sample 2
    check_not "if no pass is kept, nothing is said to go on" grep -q resume "$scratch/out"
    search "${input[@]}" -o whole-then --quiet
    search "${input[@]}" -o whole-then --sample 10 --quiet
    same_files "a sample where the whole run was: no mixture" sample whole-then
}

test_ranks() {
    has_mpi || return
    prepare_mpirun
    mpirun -n 3 "$mercury" run -p "$platform" "${input[@]}" -o ranks --sample 10 >"$scratch/out" 2>"$scratch/err"
    status=$?
    report "ranks draw the same passes" "$(success_problem)"
    same_files "and leave the same files" sample ranks
}

# --- what is refused

test_refusals() {
    local base=(run "${input[@]}") value
    for value in 0 1 -3 0% 101% x 5.5 '' % nan 1e400; do
        expect_refusal "--sample '$value'" "expected 2 passes or more" "${base[@]}" "--sample=$value"
    done
    for value in 0% 2 -1% 101% x ''; do
        expect_refusal "--until '$value'" "expected a percentage above 0%" "${base[@]}" "--until=$value"
    done
    expect_refusal "more passes than there are" 'the run has 26 passes' "${base[@]}" --sample 27
    expect_refusal "a run of one pass" 'has 1 pass; there is nothing' run -q q.fa -d d.fa -s plus --sample 2
    expect_refusal "two numbers of passes" 'expected one of them' "${base[@]}" --sample 5 --until 3%
    expect_refusal "a seed of nothing" 'needs --sample or --until' "${base[@]}" --seed 3
    expect_refusal "seed 0" 'whole number from 1' "${base[@]}" --sample 5 --seed 0
    expect_refusal "a record" '--record with --sample' "${base[@]}" --sample 5 --record x
    expect_refusal "a drawing" '--vcd with --sample' "${base[@]}" --sample 5 --vcd x
    expect_refusal "several hosts" 'forecasts are of one host' "${base[@]}" --sample 5 --set hosts=2
}

make_input
test_answer
test_marks
test_forecasts
test_neighbours
test_first_pass
test_seeds
test_until
test_doubt
test_joining
test_windows
test_index
test_refused_windows
test_resume
test_ranks
test_refusals
finish
