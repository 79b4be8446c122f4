#!/bin/bash
# test_pipeline.sh MERCURY SOURCE_DIRECTORY - the run of a pipeline is a run: mercury queue -o DIR, and report, plot, diff,
# validate, --measure, --vcd and --timeline on it; and Mercury's board as such a table.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# near VALUE EXPECTED PART: differs by no more than a part of what is expected.
near() {
    awk -v value="$1" -v expected="$2" -v part="$3" \
        'BEGIN { d = value - expected; exit !(value != "" && d * d <= (part * expected) ^ 2) }' || echo "$1, not $2"
}
# cell FILE KEY COLUMN: of the first row of a TSV whose first columns are KEY, separated by blanks.
cell() {
    awk -F '\t' -v key="$2" -v column="$3" 'BEGIN { n = split(key, wanted, " ") }
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        { for (i = 1; i <= n && $i == wanted[i]; i++); if (i > n) { print $at[column]; exit } }' "$1"
}

printf 'stage\tC\tP_f\tF\tS\tK\tservice\ton\nparse\t1\t.5\t1\t1\t0\tNA\tNA\nlook-up\t1\t1\t2\t2\t9\terlang:3\tNA\nlog\t4\t1\t1\t1\t0\tNA\tparse\n' >chain.tsv
printf '%s\n' 'occupancy at parse: mean, max, histogram(4), quantile(0.5) every 10000 s' 'rate at look_up' \
    'rate at look_up_in as come' 'rate at look_up every 20000 s as paced' 'utilisation at look_up' 'occupancy at look_up_queue' 'back_pressure at look_up' \
    'occupancy at look_up: histogram(2..5/1) as upper' >measure.tt

run queue --chain chain.tsv --lambda .5 --customers 5e4 -f tsv
mv "$scratch/out" plain.tsv
run queue --chain chain.tsv --lambda .5 --customers 5e4 -o out --measure measure.tt --vcd out.vcd --timeline out.json
report 'a pipeline is simulated into a directory' "$(
    success_problem
    awk 'length > 80' "$scratch/out"
    grep -q '^  out/ .*report.html' "$scratch/out" || echo 'the answer does not say where the page is'
    for file in summary.json summary.txt validation.tsv validation.json histograms.tsv frames.tsv measured.tsv run.json; do
        [ -s "out/$file" ] || echo "no $file"
    done
)"
report 'the page is whole' "$(page_problem out/report.html pipeline queues models time numbers setup words)"
report 'no path of a picture goes back in time' "$(
    run plot out --what boxes -o -
    success_problem
    grep -o ' d="[^"]*"' "$scratch/out" | grep -c . >paths
    [ "$(cat paths)" -gt 5 ] || echo "only $(cat paths) paths"
    grep -o ' d="[^"]*"' "$scratch/out" | sed 's/[^0-9.MmLlHhVv -]//g' |
        awk '{ x = -1; gsub(/[MLmlHhVv]/, " & "); for (i = 1; i <= NF; i++) if ($i == "L") { if ($(i + 1) + 0 < x) { print "back to " $(i + 1); exit } x = $(i + 1) } else if ($i == "M") x = $(i + 1) }'
)"

# What was measured instant by instant is what the run measured, but for its control variates; and what its histograms are.
means() {
    awk -F '\t' -v stage="$1" -v quantity="$2" '!/^#/ && $1 == stage && $2 == quantity { s += $7; n++ } END { printf "%.9g", s / n }' out/frames.tsv
}
report 'directives, batches and histograms agree' "$(
    near "$(cell out/measured.tsv 'rate.look_up rate look_up elements/s run' value)" "$(means look-up throughput)" 1e-6
    near "$(cell out/measured.tsv 'utilisation.look_up utilisation look_up 1 run' value)" "$(means look-up rho)" 1e-6
    near "$(cell out/measured.tsv 'occupancy.look_up_queue occupancy look_up_queue elements run' value)" "$(means look-up N_Q)" 1e-6
    near "$(cell out/measured.tsv 'back_pressure.look_up back_pressure look_up 1 run' value)" "$(means look-up holds_up)" 1e-6
    near "$(cell out/measured.tsv 'occupancy.parse occupancy parse elements run' value)" "$(means parse N_G)" 1e-6
    near "$(cell out/measured.tsv 'come rate look_up_in elements/s run' value)" "$(means look-up offered)" 1e-6
    near "$(awk -F '\t' '$1 == "paced" && $5 != "run" { s += $9 * ($7 - $6); t += $7 - $6 } END { printf "%.9g", s / t }' out/measured.tsv)" \
        "$(means look-up throughput)" 1e-6
    awk -F '\t' '$1 == "occupancy.parse" && $5 == "run" && $8 == "share[2..2]" { print $9 }' out/measured.tsv >share
    awk -F '\t' '$1 == "parse" && $3 == 2 { print $6 }' out/histograms.tsv >fraction
    near "$(cat share)" "$(cat fraction)" 1e-6
    [ "$(cut -f 1,5 out/measured.tsv | grep -c '^occupancy.parse.[1-9]')" -gt 9 ] || echo 'no frames'
    near "$(awk -F '\t' '$1 == "upper" && $8 ~ /^share/ { s += $9 } END { print s }' out/measured.tsv)" 1 1e-6
    awk -F '\t' '!/^#/ && $3 ~ /^[0-9]+$/ { s[$1] += $6 } END { for (q in s) if ((s[q] - 1) ^ 2 > 1e-12) print q, s[q] }' out/histograms.tsv
)"
report 'directives are of all of a run that was doubled' "$(
    mkdir doubled
    cd doubled
    run queue --chain ../chain.tsv --lambda .5 --customers 2e3 --until-width 20 -o out --measure ../measure.tt
    success_problem
    awk -F '\t' '!/^#/ { end = $6 } END { exit end > 8000 ? 0 : 1 }' out/frames.tsv || echo 'the run was not doubled'
    for stage in 'parse N_G occupancy.parse occupancy parse elements' 'look-up throughput rate.look_up rate look_up elements/s' \
        'look-up holds_up back_pressure.look_up back_pressure look_up 1'; do
        set -- $stage
        near "$(cell out/measured.tsv "$3 $4 $5 $6 run" value)" "$(means "$1" "$2")" 1e-4
    done
)"
report 'waveforms have the mean of the run' "$(
    # N_Q of look-up over the time after the warm-up, from its changes
    awk -v begin="$(cell out/frames.tsv 'look-up N_Q customers 1' begin_s)" '
        $1 == "$scope" { scope = $3 } $1 == "$var" && scope == "look_up" && $5 == "waiting" { id = $4 }
        /^#/ { t = substr($0, 2) / 1e12 }
        /^b/ && $2 == id { if (t > begin) { sum += n * (t - (last > begin ? last : begin)) }
            n = 0; for (i = 2; i <= length($1); i++) n = 2 * n + substr($1, i, 1); last = t }
        END { printf "%.9g %.9g", sum, last - begin }' out.vcd >integral
    read -r sum length_s <integral
    near "$(awk "BEGIN { print $sum / $length_s }")" "$(means look-up N_Q)" 0.01
    python3 -c 'import json; assert len(json.load(open("out.json"))["traceEvents"]) > 1e5' 2>&1 || true
)"
run queue --chain chain.tsv --lambda .5 --customers 5e4 -f tsv
report 'who is watched does the same' "$(
    cmp plain.tsv "$scratch/out"
    run queue --chain chain.tsv --lambda .5 --customers 5e4 -o again
    cmp out/summary.json again/summary.json
    cmp out/report.html again/report.html
    [ ! -e again/measured.tsv ] || echo 'a table that nobody asked for'
)"
run report out -o -
report 'report writes the same page again' "$(success_problem; cmp out/report.html "$scratch/out")"
for what in pipeline queues models boxes; do
    run plot out --what "$what" -o -
    report "plot draws $what" "$(success_problem; grep -q '^<svg' "$scratch/out" || head -c 200 "$scratch/out"; grep -w -i nan "$scratch/out")"
done
expect_refusal 'plot knows what such a run has not' 'out: nothing to draw: .* pipeline, queues, models, boxes$' plot out --what dots -o dots.svg
expect_refusal 'a page over a file of the run' 'this would overwrite a file of the run' report out -o out/frames.tsv

# The bottleneck is the server with the most to do for all that share it: parse and log, .5 + .25.
report 'the page names what limits' "$(grep -q '<strong>parse limits: it is busy in [56][0-9]\.[0-9]% of' out/report.html || grep -o 'class="answer">[^<]*<[^<]*<' out/report.html)"

# A server that waits for room, or whose customers are lost, has time left, and yet no more can be had: 2/3 of a service.
run queue --lambda 5 --mu 1 --capacity 1,1 --overflow block --customers 5e4 -o stopped
run queue --lambda 1.5 --servers 2 --capacity 4 --customers 5e4 -o loses
report 'the page promises no rate where full stages limit' "$(
    grep -h -c 'times this rate' stopped/report.html loses/report.html | grep -v '^0$'
    grep -q 'is full at times, and holds up what comes in 8[5-8]\.[0-9]% of the time' stopped/report.html || echo stopped
    grep -q 'is full at times, and loses 1[23]\.[0-9]% of what comes' loses/report.html || echo loses
    grep -q 'takes at most 1\.[0-9]* times this rate: then parse has no time left' out/report.html || grep -o 'class="answer">.*' out/report.html
)"

tells 'equal runs' '^equal:' diff out again
run queue --chain chain.tsv --lambda .6 --customers 5e4 -o more
run diff out more
report 'diff tells what was asked for, and what it changed' "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    grep -q '^  lambda_per_s .* 0.5 .* 0.6 .*+20.00%' "$scratch/out" || head -3 "$scratch/out"
    grep -qE '^  (parse|look-up|log)\.(N_Q|rho) ' "$scratch/out" || cat "$scratch/out"
    run diff out more -f tsv
    [ "$(awk -F '\t' '$2 == "look-up.N_Q" { printf "%.6g", $3 }' "$scratch/out")" = "$(awk -F '\t' '$1 == "look-up" && $2 == "N_Q" { printf "%.6g", $4 }' plain.tsv)" ] ||
        grep N_Q "$scratch/out"
)"
run validate out
check_same 'validate has the verdicts as text' out/summary.txt "$scratch/out"
run validate --chain chain.tsv --lambda .5 --customers 5e4
check_same 'which are those of validate --chain' out/summary.txt "$scratch/out"
run validate out -f tsv
check_same 'and as TSV' out/validation.tsv "$scratch/out"
run queue --lambda .8 -o mm1
run queue --lambda .8 -f tsv -o mm1.tsv
run validate mm1 --distributions
report 'validate --distributions has the total variation of each model' "$(
    success_problem
    awk 'length > 80' "$scratch/out"
    [ "$(awk '$1 == "1" { print $2; exit }' "$scratch/out")" = "$(awk -F '\t' '!/^#/ && $2 == "tv" { printf "%.5g", $6 }' mm1.tsv)" ] || cat "$scratch/out"
)"
run validate out --distributions -f tsv
report 'and every n as TSV' "$(
    success_problem
    awk -F '\t' '!/^#/ && $1 == "parse" && $2 == 2 { print $3 }' "$scratch/out" >one
    cmp one fraction
    awk -F '\t' '$2 ~ /^[0-9]+$/ { s[$1] += $3 } END { for (q in s) if ((s[q] - 1) ^ 2 > 1e-12) print q, s[q] }' "$scratch/out"
)"
run validate mm1 --distributions -f tsv
report "with a model's P[N = n] from its summary" "$(
    success_problem
    diff <(awk -F '\t' '/^stage/ { for (i = 1; i <= NF; i++) if ($i == "M/M/1") at = i } $2 ~ /^[0-9]+$/ && $2 <= 100 { print $2, $at }' "$scratch/out") \
        <(awk -F '\t' '$2 ~ /^P.N=/ { gsub(/[^0-9]/, "", $2); if ($6 >= 1e-9 || $4 > 0) print $2, $6 }' mm1.tsv)
)"
expect_refusal 'but knows nothing of the board' 'is the run of a pipeline: expected no --why' validate out --why

# --- bad input
printf 'occupancy at lookup\n' >bad.tt
expect_refusal 'a tap that no stage is' "bad.tt:1:14: found 'lookup', expected a tap .*look_up" queue --chain chain.tsv --lambda .5 -o new --measure bad.tt
printf 'occupancy at parse every 10 clocks\n' >bad.tt
printf 'stage\tC\nx\t1\nx_queue\t2\n' >alike.tsv
expect_refusal 'taps that are called alike' "'x' and 'x_queue' both have a tap x_queue" \
    queue --chain alike.tsv --lambda .5 -o new --measure measure.tt
expect_refusal 'frames of clocks' 'bad.tt:1: expected frames of seconds' queue --chain chain.tsv --lambda .5 -o new --measure bad.tt
expect_refusal 'directives without a directory' '--measure: expected -o DIR' queue --chain chain.tsv --lambda .5 --measure measure.tt
expect_refusal 'waveforms over the table' 'this would overwrite' queue --chain chain.tsv --lambda .5 --vcd chain.tsv
expect_refusal 'waveforms and a table in one file' 'vcd both: -o is to be written to the same file' \
    queue --chain chain.tsv --lambda .5 -f tsv -o both --vcd both
expect_refusal 'waveforms of a closed network' 'expected no --vcd beside it' queue --closed two-boards --vcd x.vcd
expect_refusal 'batches beside a chain' 'expected column F' queue --chain chain.tsv --lambda .5 --arrivals batch:4
printf 'stage\tC\n' >many.tsv
for i in {1..32}; do printf 's%s\t9\n' "$i" >>many.tsv; done
expect_refusal 'too many stages to measure' 'expected at most 21 stages, found 32' queue --chain many.tsv --lambda 1 --measure measure.tt -o new
expect_refusal 'too many stages to watch' 'expected at most 31 stages, found 32' queue --chain many.tsv --lambda 1 --vcd x.vcd
expect_refusal 'a run of another kind' 'is the run of a pipeline, the other one is not' diff out "$(
    dna 1 500 | sed '1i >q' >q.fa
    dna 2 20000 | sed '1i >d' >d.fa
    search -q q.fa -d d.fa -s plus --record tokens -o board --quiet >/dev/null
    echo board
)"
expect_refusal 'a directory of the board' 'holds a run of another kind' queue --chain chain.tsv --lambda .5 -o board
mkdir begun
: >begun/unfinished.passes
expect_refusal 'a directory of a run that goes on' 'holds a run of another kind' queue --chain chain.tsv --lambda .5 -o begun
expect_refusal 'a run of the board into a directory of a pipeline' 'out: holds a run of mercury queue \(validation.json\)' run -q q.fa -d d.fa -o out
cp -r out broken
sed -i '5s/\t[0-9.]*$/\tx/' broken/frames.tsv
expect_refusal 'frames that are none' 'broken/frames.tsv:5: expected' report broken
sed 's/"batches": 30/"batches": 1e300/' out/summary.json >broken/summary.json
expect_refusal 'as many batches as no run has' 'summary.json: batches: expected 1 to 1000' report broken
cp out/summary.json broken
rm broken/histograms.tsv
sed -i '5s/x$/1/' broken/frames.tsv
expect_refusal 'a file that is missing' 'broken/histograms.tsv: cannot be read: No such file' report broken
printf '{}' >broken/summary.json
expect_refusal 'a summary of something else' 'broken/summary.json: expected JSON as mercury queue -o writes it' report broken

# --- Mercury's board as a table of stages
tail -n +2 q.fa | mutate 3 >repeat
# The last block has few HSPs: their records cross the bus when the board's time is over.
{ cat d.fa; for i in 1 2 3 4; do cat repeat; dna "$((i + 9))" 60000; done; dna 20 200000; } >dense.fa
# list_board QUERY: a recorded run, its counts, and its lists.
list_board() {
    search -q "$1" -d dense.fa -s plus --record tokens -o board --quiet
    report "the board, recorded, with $1" "$(success_problem)"
    for list in stage_1a.out stage_1bd.out stage_2.out stage_1bd.service; do
        run retime tokens --export-times "$list=$list" --quiet -o retimed
        report "its list $list" "$(success_problem; [ -s "$list" ] || echo "$list is empty")"
    done
    flatten board/summary.json >flat
    report 'lists are what the run counted' "$(
        sum() { awk '{ s += $1 } END { print s }' "$1"; }
        [ "$(wc -l <stage_1a.out)" = "$(number flat pcix/words_in)" ] || echo "$(wc -l <stage_1a.out) words"
        [ "$(sum stage_1a.out)" = "$(number flat stage_1a/seeds_out)" ] || echo "$(sum stage_1a.out) seeds"
        [ "$(wc -l <stage_1bd.out)" = "$(number flat stage_1a/seeds_out)" ] || echo "$(wc -l <stage_1bd.out) lookups"
        [ "$(sum stage_1bd.out)" = "$(wc -l <stage_2.out)" ] || echo "$(sum stage_1bd.out) matches"
        [ "$(sum stage_2.out)" = "$(number flat stage_3/hsps)" ] || echo "$(sum stage_2.out) HSPs"
        # 60 clocks a trip, and one of each lookup without
        near "$(sum stage_1bd.service)" "$(awk -v trips="$(number flat stage_1b/trips)" -v seeds="$(number flat stage_1b/seeds)" \
            -v duplicate="$(number flat stage_1b/lookups_duplicate)" 'BEGIN { print (60 * trips + seeds - duplicate) / 133e6 }')" 1e-6
    )"
}

# Six times the same in the query: lookups have several matches, and need trips to the duplicate table.
{ echo '>six'; for i in 1 2 3 4 5 6; do tail -n +2 q.fa; done; } >six.fa
list_board six.fa
check_number "there were trips" "$(number flat stage_1b/trips)" '>' 1000
list_board q.fa
words=$(wc -l <stage_1a.out)
seconds=$(number flat measured_time_s)
customers=$(awk "BEGIN { printf \"%d\", 111.875e6 * $seconds }")
run queue --chain mercury --lambda 111.875e6 --arrivals deterministic --customers "$customers" --warm-up 0 -f tsv
mv "$scratch/out" table.tsv
report 'the table moves as many words in that time as the board, within 1%' "$(
    success_problem
    near "$(awk -v r="$(cell table.tsv '1a throughput' simulated)" "BEGIN { print r * $seconds }")" "$words" 0.01
    near "$(cell table.tsv '2 throughput' simulated)" "$(number flat stage_1b/matches_out_per_s)" 0.02
)"
finish
