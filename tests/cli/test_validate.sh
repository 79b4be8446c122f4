#!/bin/bash
# test_validate.sh MERCURY SOURCE_DIRECTORY - mercury validate: a real run's verdicts, its formats, --fail-over, its page, refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

dna 1 3000 | sed '1i >q' >q.fa
dna 2 60000 | sed '1i >d' >d.fa
tail -n +2 q.fa | mutate 3 >>d.fa

test_run() {
    expect_success "a run to validate" -q q.fa -d d.fa -o out --quiet
    expect_success "its summary for people" -q q.fa -d d.fa -o other
    check "ends with what theory's errors say" grep -q '^  - ' other/summary.txt
    run validate out
    report "a directory" "$(success_problem)"
    cp "$scratch/out" wrapped
    unwrapped wrapped >text
    check "stage by stage" grep -q '^    1bd: signal on .* scv .* lag1 ' text
    check_not "no correlation of services that are all equal" grep -q -w nan text
    check "a model whose assumptions are violated says which" grep -q -E "violated: .*arrivals' scv" text
    check "the ranges" grep -q 'ill-conditioned: .* move by more than 5%, or to none .an earlier$' text
    run validate out --seed 3
    check "a seed of nothing" grep -q -e '--seed is for --why and --chain' "$scratch/err"
    run validate out --digits 1
    check "the ranges of inputs of one digit are a table" grep -q -E "^  N_Q_1a +M/M/1 +[0-9.]+ +[0-9.]+ +[0-9.]+( +or none)?$" "$scratch/out"
    check "what it says of the machine" grep -q 'what that says of the machine' text
    run validate out/summary.json
    check_same "the file: the same" wrapped "$scratch/out"
    run validate - <out/summary.json
    check_same "standard input: the same" wrapped "$scratch/out"
    run validate out --wide
    report "--wide has the numbers of the narrow tables, a row a quantity" "$(diff \
        <(awk '/^  parameter /{ rows = 1; next } !NF { rows = 0 }
            rows { for (i = 3; i <= 12; i++) print $1, $i }' "$scratch/out" | sort) \
        <(awk '$1 ~ /^(N_Q|P_BP|lambda|rho)_/ { count = split($0, name, " "); next }
            $1 == "best" || !NF { count = 0 }
            $1 != "unit" { for (i = 1; i <= count; i++) print name[i], $(NF - count + i) }' wrapped | sort))"
    run validate out --passes
    check "--passes has the last one" grep -q '^pass 2$' "$scratch/out"
}

# Two seeds have one time between them, which is no reason to speak of its variance.
test_one_time() {
    { echo '>short' && sed -n 2p q.fa | cut -c 1-12; } >short.fa
    expect_success "a run of two seeds" -q short.fa -d d.fa -s plus -o two --quiet
    run validate two
    report "a run of two seeds" "$(success_problem)"
    check "whose arrivals have a mean" grep -q '^    1b: .*arrivals mean [0-9.e-]* clocks;' <(unwrapped "$scratch/out")
    check_not "but no variance" grep -q -w nan "$scratch/out"
}

# The distances once more, outside, from the bins; M/M/1 of stage 2 from its rho.
test_distributions() {
    run validate out --distributions --format tsv
    report "--distributions" "$(success_problem)"
    cp "$scratch/out" bins.tsv
    report "the distance is that of the bins" "$(awk -F '\t' '
        /^#/ || $1 == "queue" { next }
        { key = $1 " " $3; apart[key] += ($7 > $8 ? $7 - $8 : $8 - $7); expected[key] += $8; told[key] = $4 }
        END {
            for (key in told) {
                count++
                d = (apart[key] + (expected[key] < 1 ? 1 - expected[key] : 0)) / 2 - told[key]
                if (d > 1e-7 || d < -1e-7) print key ": off by " d
            }
            if (count < 20) print count " queues and models"
        }' bins.tsv)"
    local rho expected
    rho=$(run validate out -f tsv; awk -F '\t' '$1 == "run" && $3 == "rho_2" && $7 == "M/M/1" { print $8 }' "$scratch/out")
    expected=$(awk -F '\t' '$1 == "stage2_fifo" && $3 == "M/M/1" && $5 == 0 { print $8 }' bins.tsv)
    check_number "nobody waits for stage 2 in 1 - rho^2 of the time, by M/M/1" "(1 - $rho^2 - $expected)^2" '<' 1e-14
    run validate out --distributions
    check "as text: every model" grep -q -E '^  queue +M/M/1 +M/M/1/K +M/M/1/K \(Dor\) +M/D/1 +M/G/1 ' "$scratch/out"
    check "the others in a further block" grep -q -E '^  queue +n +run +M\^\[X\]/G/1 +blocking$' "$scratch/out"
    check "and P[N >= n]" grep -q -E '^  stage2_fifo +1 ' "$scratch/out"
    run validate out --report page.html
    check "the page has the distances" grep -q 'total variation distance' page.html
    mkdir alone && cp out/summary.json alone
    refused "--distributions without histograms" 'expected histograms.tsv beside .*summary.json' \
        alone/summary.json --distributions
    rm -r alone page.html
}

test_tsv() {
    run validate out --format tsv
    report "TSV" "$(success_problem)"
    grep -v '^#' "$scratch/out" >table
    check_number "16 quantities of 8 models in each of run and two passes" "$(wc -l <table)" == $((1 + 16 * 8 * 3))
    check_number "every line has the header's fields" "$(awk -F '\t' '{ print NF }' table | sort -u | tr '\n' ' ')" == 16
    check_number "without --bounds none has bounds" "$(awk -F '\t' 'NR > 1 && ($15 != "NA" || $16 != "NA")' table | wc -l)" == 0
    check "and a line says why" grep -q '^# bounds were not asked for (--bounds)$' "$scratch/out"
    check_number "every prediction is a number or has a reason" \
        "$(awk -F '\t' 'NR > 1 && ($8 == "NA") != ($12 == "outside")' table | wc -l)" == 0
    check_number "and neither outside nor violated is anything without its reason" "$(awk -F '\t' '($12 == "outside" || $12 == "violated") && $13 == "-"' table | wc -l)" == 0
    for parameter in lambda_1a N_Q_1b P_BP_2; do
        ours=$(awk -F '\t' -v p=$parameter '$1 == "run" && $3 == p && $7 == "M/M/1" { print $8 }' table)
        theirs=$(awk -F '\t' -v p=$parameter '$1 == p { print $4 }' out/validation.tsv)
        check_number "M/M/1's $parameter as validation.tsv has it" "sqrt(($ours - $theirs)^2)" '<=' "1e-6 * $theirs"
    done
}

test_json() {
    if ! can_flatten; then
        skip "JSON parses" "neither python3 nor jq"
        return
    fi
    run validate out --format json
    cp "$scratch/out" answer.json
    check "JSON parses" eval 'flatten answer.json >flat'
    check_number "three frames" "$(cut -f 1 flat | grep -c -E '^frames/[0-9]+/frame$')" == 3
    check_number "every model of every quantity" "$(cut -f 1 flat | grep -c '/verdict$')" == $((16 * 8 * 3))
}

# field FILE FRAME PARAMETER COLUMN: a number of a validation's TSV.
field() {
    awk -F '\t' -v frame="$2" -v parameter="$3" -v column="$4" '/^#/ { next }
        $1 == "frame" { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == frame && $3 == parameter && $7 == "M/M/1" { print $at[column] }' "$1"
}

# standard_error FRAMES PASS: of the mean over a pass's 25 frames, weighted by their clocks.
standard_error() {
    awk -F '\t' -v pass="$2" '/^#/ || $5 != pass { next }
        { n++; w[n] = $8; x[n] = $12 * $8; whole += w[n]; part += x[n] }
        END { if (n != 25) exit
              for (i = 1; i <= n; i++) squares += (x[i] - part / whole * w[i]) ^ 2
              printf "%.12g\n", sqrt(n / (n - 1) * squares) / whole }' "$1"
}

# Two passes of 25 blocks, a batch each; passes of two blocks; more than ten passes.
test_intervals() {
    run validate out
    check "passes of two blocks have no intervals, and it says so" \
        grep -q '^no intervals: fewer than 10 batches' "$scratch/out"
    dna 3 200000 | sed '1i >long' >long.fa
    tail -n +2 q.fa | mutate 4 >>long.fa
    local machine=(--set pcix.block=4096 --quiet)
    expect_success "passes of many blocks" -q q.fa -d long.fa -o long "${machine[@]}" --record long.tokens
    run validate long --passes
    check "what +- is of" grep -q '^+-: half of the 95% interval, of this machine.s mean over this input by [0-9]* batches' <(unwrapped "$scratch/out")
    run validate long --format tsv
    cp "$scratch/out" long.tsv
    check_number "every quantity of the run and of each pass has its interval" \
        "$(grep -v '^#' long.tsv | tail -n +2 | awk -F '\t' '$6 == "NA"' | wc -l)" == 0
    check_number "the run's is narrower than the passes'" "$(field long.tsv run lambda_1b half_width)" '<' \
        "$(field long.tsv 'pass 1' lambda_1b half_width)"
    check_number "two alike passes: about by the root of 2" \
        "2 * $(field long.tsv run lambda_1b half_width) ^ 2 / ($(field long.tsv 'pass 1' lambda_1b half_width) ^ 2 + $(field long.tsv 'pass 2' lambda_1b half_width) ^ 2)" '<' 1.01
    echo 'occupancy at wmer_fifo: mean every 512 elements at bus_in as n_q' >blocks.tt
    expect_success "every block a frame" -q q.fa -d long.fa -o blocks "${machine[@]}" --measure blocks.tt
    check_number "a pass's interval is that of its frames, worked out here: t(24) = 2.0638986" \
        "sqrt(($(field long.tsv 'pass 2' N_Q_1bp half_width) / (2.0638986 * $(standard_error blocks/frames.tsv 2)) - 1) ^ 2)" '<' 1e-6
    expect_success "two jobs" -q q.fa -d long.fa -o jobs "${machine[@]}" -j 2
    check_same "two jobs: the same bytes" long/summary.json jobs/summary.json
    expect_success "by events" -q q.fa -d long.fa -o events "${machine[@]}" --engine events
    check_same "by events: the same bytes" long/summary.json events/summary.json
    run retime long.tokens -o retimed --quiet
    check_same "timed again: the same bytes" long/summary.json retimed/summary.json
    sed '/"intervals": {/,/^      }/d' long/summary.json | sed -z 's/},\n    }/}\n    }/g' >older.json
    run validate older.json --format tsv
    report "a summary of an older version" "$(success_problem)"
    check_number "has no intervals" "$(grep -v '^#' "$scratch/out" | tail -n +2 | awk -F '\t' '$6 != "NA"' | wc -l)" == 0
    check "and says so" grep -q '^# no intervals: the summary has no batches' "$scratch/out"
    expect_success "many passes" -q q.fa -d d.fa -o many --quiet --set query.segment=500
    run validate many --passes
    check "of one or two blocks: none of their own" grep -q '^no intervals of a pass: fewer than 10' "$scratch/out"
    check "are replications" grep -q '^+-: .* by its 1[0-9] passes as replications' "$scratch/out"
}

test_fail_over() {
    run validate out --fail-over 1000000
    report "nothing is that far off" "$(success_problem)"
    run validate out --format tsv
    inside=$(awk -F '\t' '$1 == "run" && $12 == "inside"' "$scratch/out" | wc -l)
    run validate out --fail-over 0
    if [ "$inside" -gt 0 ]; then
        check_number "nothing is exact: status 1" "$status" == 1
        check "one line says which" grep -q -E 'inside the model.s domain and more than 0% off; farthest: ' "$scratch/err"
    else
        check_number "nothing is inside, nothing fails" "$status" == 0
    fi
    check "the tables are there, too" grep -q 'every model beside the simulation' "$scratch/out"
}

# refused DESCRIPTION PATTERN ARGUMENT...: status 2, one line that matches, nothing on standard output.
refused() {
    local description=$1 pattern=$2
    shift 2
    run validate "$@"
    report "$description" "$(
        [ "$status" -eq 2 ] || echo "status $status"
        [ "$(wc -l <"$scratch/err")" -eq 1 ] || echo "not one line: $(cat "$scratch/err")"
        grep -q -E -e "$pattern" "$scratch/err" || echo "said: $(cat "$scratch/err")"
        [ ! -s "$scratch/out" ] || echo "something on standard output"
    )"
}

page_parts=(answer models queues numbers verdicts ranges words)

test_page() {
    run validate out --wide
    cp "$scratch/out" text
    run validate out --wide --report theory.html
    report "--report: works" "$(success_problem)"
    check_same "and prints the same text" text "$scratch/out"
    report "its page is whole" "$(page_problem theory.html "${page_parts[@]}")"
    check_number "it has the models' picture and the queues'" "$(grep -c '<svg ' theory.html)" == 2
    check "the page names the inputs" grep -q '<h1>q.fa × d.fa: theory and simulation</h1>' theory.html
    report "the rows of the page are those of the text" "$(diff \
        <(page_rows theory.html numbers | tr '\t' ' ' | sed -E 's/ +/ /g; s/ $//') \
        <(awk '/^  parameter /{ rows = 1; next } !NF { rows = 0 } rows' text | sed -E 's/^ +//; s/ +/ /g; s/ $//'))"
    check_number "they are 16" "$(page_rows theory.html numbers | wc -l)" == 16
    unwrapped text | grep '^  - ' | sed 's/^  - //' >findings
    sed -n '/id="answer"/,/id="models"/s/^<li>\(.*\)<\/li>$/\1/p' theory.html >on_page
    check_same "and what it says of the machine, before the pictures" findings on_page
    run validate out --format tsv
    awk -F '\t' '$1 == "run" { print $12 }' "$scratch/out" | sort | uniq -c | awk '{ count[$2] = $1 } END {
        printf "of %d; it violates one or more of %d; %d are outside", count["inside"], count["violated"], count["outside"] }' >counts
    check "it counts verdicts as the TSV has them" grep -q -F -f counts theory.html
    run validate out/summary.json --report again.html
    check_same "of the file: the same bytes" theory.html again.html
    run validate out --report -
    check_same "--report -: the page takes the place of the text" theory.html "$scratch/out"
    mkdir alone
    cp out/summary.json alone/
    run validate alone/summary.json --report alone.html
    report "a summary that stands alone has a page, too" "$(
        success_problem
        page_problem alone.html "${page_parts[@]}"
    )"
    check "which says where histograms would be" grep -q 'histograms.tsv beside summary.json' alone.html
    run validate - --report standard_input.html <out/summary.json
    check_same "so has standard input" alone.html standard_input.html
    cp out/summary.json out/run.json alone/
    head -c 300 out/histograms.tsv >alone/histograms.tsv
    refused "half of the histograms" 'alone/histograms.tsv' alone --report alone.html
    refused "a page in no directory" 'nowhere/x.html: ' out --report nowhere/x.html
    if [ -w /dev/full ]; then
        refused "a full disk for the page" '/dev/full: cannot be written' out --report /dev/full
    fi
    check_not "nothing partial is left" test -n "$(find . -name '*.partial')"
}

test_refusals() {
    : >empty
    echo '{"stage_1a": 5}' >odd.json
    sed '/"wmer_fifo"/,/}/d' out/summary.json >cut.json
    head -c 2000 out/summary.json >half.json
    mkdir hollow
    refused "nothing to validate" 'needs the summary' 
    refused "two kinds of answers" 'ask for one' out --bounds --windows
    refused "bounds of a chain" 'expected no --bounds' --chain chain.tsv --lambda 1 --bounds
    refused "two files" "unexpected argument 'other'" out other
    refused "no such file" 'No such file' absent.json
    refused "a directory without one" 'hollow: holds no run' hollow
    refused "an empty file" 'empty' empty
    refused "some other JSON" 'odd.json' odd.json
    refused "half a file" 'half.json:[0-9]+:' half.json
    refused "one without a queue" 'cut.json' cut.json
    refused "not JSON" 'd.fa' d.fa
    refused "no such option" 'no such option' out --frobnicate
    refused "an option without its value" 'needs a value' out --fail-over
    refused "no number" 'expected a number' out --fail-over much
    refused "a negative one" 'expected a number' out --fail-over -3
    refused "not even a number" 'expected a number' out --fail-over nan
    refused "no digits" 'digits' out --digits 0
    refused "half a digit" 'whole number' out --digits 2.5
    refused "a format there is none of" 'text, tsv or json' out --format xml
    if [ -w /dev/full ]; then
        "$mercury" validate out >/dev/full 2>"$scratch/err"
        check_number "a full disk" $? '>' 0
    fi
}

test_run
test_one_time
test_distributions
test_tsv
test_json
test_intervals
test_fail_over
test_page
test_refusals
finish
