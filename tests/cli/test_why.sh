#!/bin/bash
# test_why.sh MERCURY SOURCE_DIRECTORY - mercury validate --why: a run's record, a record alone, the page; refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# A query of random bases, of which the database has four lines: few enough seeds that no queue is full. Sixteen blocks.
make_run() {
    awk 'function bases(  line, i) { for (i = 0; i < 70; i++) line = line substr("ACGT", 1 + int(4 * rand()), 1); return line }
        BEGIN {
            srand(3)
            print ">q" >"q.fa"; print ">d" >"d.fa"
            for (i = 0; i < 15000; i++) {
                line = bases()
                print line >"d.fa"
                if (i < 400) print i % 100 == 0 ? line : bases() >"q.fa"
            }
        }'
    "$mercury" run -q q.fa -d d.fa -o out --record out/run.tokens --quiet >/dev/null
}

# Shares and rest add up to formula - simulated, for each quantity that a formula has a number for.
sums_problem() { # FILE
    awk -F '\t' '
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        { quantity = $at["quantity"]; share = $at["share"] }
        $at["step"] == "simulated" { simulated = $at["value"]; sum = 0; next }
        $at["step"] != "formula" { sum += share; next }
        $at["value"] != "NA" {
            checked++
            error = $at["value"] - simulated
            if ((sum + share - error) ^ 2 > 1e-18 * (1 + error ^ 2)) print quantity ": " sum + share ", not " error
            if ($at["verdict"] != "met") print quantity " of " $at["model"] " is " $at["verdict"]
        }
        END { if (checked < 20) print checked + 0 " formulas were checked" }' "$1"
}

make_run
run validate out --why --format tsv --report why.html
cp "$scratch/out" first
report 'shares and rest add up to the errors, and every last step meets its formula' "$(success_problem; sums_problem first)"
report 'the page has a waterfall for each queue' "$(
    sed -n '/<section id="why">/,/<\/section>/p' why.html >section
    for queue in N_Q_1a N_Q_1b N_Q_1bp N_Q_1bd N_Q_2; do
        grep -qF "$queue [" section || echo "no $queue"
    done
)"

report 'a step is as long as it says' "$(sed -n 's/^.*<title>\([a-z]*\): \([^ ]*\) ± .*, from \([^ ]*\) to \([^;]*\);.*/\1 \2 \3 \4/p' section | awk '
    { difference = $2 - ($4 - $3) }
    difference ^ 2 > (2e-3 * ($3 + $4)) ^ 2 { print }
    $2 != 0 { n++ }
    END { if (n < 5) print n + 0 " steps" }')"

report 'the name of each bar stands beside its number' "$(awk -F '"' '
    /^<text/ { texts[$4]++ }
    /^<text.*text-anchor="end" class="bold">/ { names[$4] = $0 }
    END { for (y in names) { n++; if (texts[y] < 2) print names[y] }
          if (n < 15) print n + 0 " names" }' section)"

# A record alone is the same run, but for the name and the engines' own frame of it.
run validate out/run.tokens --why --order signal,services
report 'a record alone has the same errors, in at most 80 columns' "$(
    success_problem
    awk 'length > 80 { print "more than 80 columns: " $0; exit }' "$scratch/out"
    value=$(awk -F '\t' '$1 == "N_Q_2" && $4 == "simulated" { printf "%.5g", $6 }' first)
    awk '/^  simulated/ { found = found " " $NF } END { print found }' "$scratch/out" | grep -q " $value" || echo "no N_Q_2 of $value"
    awk '/^The steps/ { steps = 1 } steps && $1 ~ /^(signal|clumps)$/ { printf "%s ", $1 }' "$scratch/out" | grep -q '^signal clumps' ||
        echo 'the order is not the one that was asked for'
)"

report 'what ran once has no interval' "$(awk '
    /^  simulated/ { n++; getline; for (i = 2; i <= NF; i++) if ($i != "-") print }
    END { if (!n) print "no table" }' "$scratch/out")"

# Of a stream of some us a rounded picosecond is more than 1e-9: no formula is wrong about that.
"$mercury" synth -l 5k --records 100 --seed 4 >small.fa
"$mercury" run -q q.fa -d small.fa --record small.tokens -a small.tsv --quiet >/dev/null
run validate small.tokens --why
report 'of a short run the formula of rho_pci is met' "$(success_problem; grep -B 1 -A 1 'rho_pci NOT met' "$scratch/out")"

refuse() { # DESCRIPTION PATTERN ARGUMENT...
    local description=$1 pattern=$2
    shift 2
    run validate "$@"
    report "$description" "$(
        [ "$status" -eq 2 ] || echo "status $status"
        grep -qE "$pattern" "$scratch/err" || head -n 1 "$scratch/err"
        [ ! -s "$scratch/out" ] || echo 'something was printed'
    )"
}

mkdir bare && cp out/summary.json bare
refuse 'a run without a record is refused' 'bare has no record of tokens .*expected --record FILE' bare/summary.json --why
for several in boards hosts; do
    "$mercury" run -q q.fa -d d.fa --set $several=2 --record $several.tokens -o $several --quiet >/dev/null
    refuse "a machine of several $several is refused, and what to do is said" \
        'recorded on a machine of several boards or hosts; expected one board: record the run again with --set boards=1 --set hosts=1$' \
        $several --why --record $several.tokens
done
refuse 'an unknown step is refused' "no step is named 'clumbs'.*did you mean clumps" out --why --order clumbs
refuse 'an option of --why needs it' '^mercury: --order is for --why' out --order clumps
"$mercury" retime out/run.tokens --set fifo.wmer=64 -o other --quiet >/dev/null
refuse 'a run on another machine than the record is refused' 'timed on another machine' other --why --record out/run.tokens
head -c 1000 out/run.tokens >short.tokens
refuse 'a record that was cut short is refused' 'short.tokens' out --why --record short.tokens
finish
