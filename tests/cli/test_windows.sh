#!/bin/bash
# test_windows.sh MERCURY SOURCE_DIRECTORY - mercury validate --windows: the curve of error, its controls, the page; refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# Random DNA, in whose middle 600 lines of 4 words come from the query: a homologous region of 2,400 words.
make_run() {
    awk 'function bases(  line, i) { for (i = 0; i < 64; i++) line = line substr("ACGT", 1 + int(4 * rand()), 1); return line }
        BEGIN {
            srand(5)
            print ">q" >"q.fa"; print ">d" >"d.fa"
            for (i = 0; i < 600; i++) { query[i] = bases(); print query[i] >"q.fa" }
            for (i = 0; i < 24000; i++) { line = i >= 12000 && i < 12600 ? query[i - 12000] : bases(); print line >"d.fa" }
        }'
    "$mercury" run -q q.fa -d d.fa -s plus -o out --record out/run.tokens --quiet >/dev/null
}

# Columns by name, of the rows of a model, an order and a length of windows.
rows() { # FILE MODEL ORDER WORDS
    awk -F '\t' -v model="$2" -v order="$3" -v words="$4" '
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        $at["model"] == model && $at["order"] == order && $at["words"] == words {
            print $at["queue"], $at["n_q"], $at["simulated"], $at["error"], $at["total_variation"],
                $at["p_bp"], $at["p_bp_simulated"]
        }' "$1"
}

make_run
run validate out --windows=64,512,pass --format tsv --report page.html
cp "$scratch/out" table
report 'a run has windows' "$(success_problem)"
report 'in windows of 64 words every queue is within 20%, and so is its distribution' "$(
    rows table 'fluid and clocks' 'as they are' 64 | awk '
        { n++ }
        $3 > 1 && ($4 ^ 2 > 0.2 ^ 2) { print $1 ": " $2 ", not " $3 }
        $5 > 0.15 { print $1 ": total variation " $5 }
        $6 != "NA" && ($6 - $7) ^ 2 > 0.05 ^ 2 { print $1 ": signal " $6 ", not " $7 }
        $3 > 1 { long++ }
        END { if (n != 5 || long < 3) print n + 0 " queues, " long + 0 " above 1" }')"
report 'M/M/1/K in the same windows misses the w-mer FIFO by more than half' "$(
    rows table M/M/1/K 'as they are' 64 | awk '$1 == "wmer_fifo" { n++; if ($4 > -0.5) print $0 } END { if (n != 1) print n + 0 " rows" }')"
# Of 8 places in M/M/1/K the server has one: with 7 in the FIFO what comes is refused, in (1 - r) r^8 / (1 - r^9) of the time.
# A word takes 8 bytes of the host's 895 MB/s, or 1.0625 clocks of the bus beside the 2.125 of each record.
report 'and it is full at the ingress FIFO as often as its formula says' "$(
    rows table M/M/1/K 'as they are' NA >of_pass
    awk 'NR == FNR { if ($1 == "ingress_fifo") said = $6; next }
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        {
            pass = $at["words"] * 8 / 895e6 * 133e6
            bus = 1.0625 * $at["words"] + 2.125 * $at["hsps"]
            if (bus > pass) pass = bus
            r = $at["words"] / pass
            clocks += pass
            full += pass * (1 - r) * r ^ 8 / (1 - r ^ 9)
        }
        END { if (!clocks || (said - full / clocks) ^ 2 > (1e-4 * full / clocks) ^ 2) print said ", not " full / clocks }' of_pass out/passes.tsv)"
report 'the whole pass has no region, and neither have words in random order' "$(
    { rows table 'fluid and clocks' 'as they are' NA; rows table 'fluid and clocks' 'words shuffled' 64
      rows table 'fluid and clocks' 'words shuffled' 512; } | awk '
        $1 == "egress_fifo" { n++; if ($4 > -0.9) print $0 }
        END { if (n != 2) print n + 0 " rows" }')"
report 'M/M/1/K, which knows no order, says the same of windows in another one; the fluid does not' "$(
    for words in 64 512; do
        rows table M/M/1/K 'windows shuffled' $words | sed "s/^/$words /"
    done >shuffled
    words=$(cut -d ' ' -f 1 shuffled | head -n 1)
    rows table M/M/1/K 'as they are' "$words" | sed "s/^/$words /" | paste -d ' ' - shuffled | awk '
        { n++ }
        ($3 - $11) ^ 2 > (1e-6 * $3) ^ 2 { print $0 }
        END { if (n != 5) print n + 0 " rows" }'
    for order in 'as they are' 'windows shuffled'; do
        rows table 'fluid and clocks' "$order" "$words"
    done | awk '
        $1 == "sram_fifo" { n[++rows] = $2 }
        END { if (rows != 2 || n[2] > 0.9 * n[1]) print "SRAM FIFO: " n[1] " and, shuffled, " n[2] }'
)"
report 'the page has the curves' "$(
    sed -n '/<section id="windows">/,/<\/section>/p' page.html >section
    for text in 'error of N_Q' 'total variation' 'words in a window' 'In windows of'; do
        grep -qF "$text" section || echo "no $text"
    done
)"
run validate out --windows=64,512,pass --format tsv
report 'the same again' "$(cmp "$scratch/out" table)"
run validate out --windows
report 'the default goes up to the pass' "$(success_problem; grep -q '^  pass ' "$scratch/out" || echo 'no pass')"

# What a run counts while it streams is what its record has. It prints two digits of the largest error.
"$mercury" run -q q.fa -d d.fa -o both --record both/run.tokens --quiet >/dev/null
for name in out both; do
    report "a run says what theory makes of it in windows: $name" "$(
        tr '\n' ' ' <$name/summary.txt | grep -oE 'Fluid and clocks in windows of [0-9]+ words: (within|up to) [0-9.]+%' >said ||
            echo 'no line'
        run validate $name "--windows=$(cut -d ' ' -f 7 said)" --format tsv
        rows "$scratch/out" 'fluid and clocks' 'as they are' "$(cut -d ' ' -f 7 said)" | awk -v said="$(grep -oE '[0-9.]+%' said)" '
            $3 > 1 && $4 ^ 2 > most ^ 2 { most = $4 }
            END {
                most = sprintf("%.2g%%", 100 * sqrt(most ^ 2))
                if (most != said) print "said " said ", not " most
            }')"
done
"$mercury" run -q q.fa -d d.fa -a /dev/null >answer
report 'so does an answer without files' "$(tr -s '\n ' ' ' <answer | grep -q "$(cat said)" || cat answer)"
"$mercury" run -q q.fa -d d.fa -s plus --set boards=2 -o two --quiet >/dev/null
report 'but not of several boards' "$(grep 'Fluid and clocks' two/summary.txt)"
# Draws are stationary. A published run's w-mer and SRAM FIFO are empty most of the time.
run replay dor2010-run1 --clocks 5000000
report 'of a run that is drawn windows say what the whole does, and what is simulated' "$(
    tr '\n' ' ' <"$scratch/out" | tr -s ' ' | awk '
        match($0, /N_Q_1bp seeds ~0 [^ ]+/) { split(substr($0, RSTART, RLENGTH), of); bp = of[4] }
        match($0, /N_Q_1bd seeds ~0 [^ ]+/) { split(substr($0, RSTART, RLENGTH), of); bd = of[4] }
        match($0, /N_Q_2 matches 1.2 [^ ]+/) { split(substr($0, RSTART, RLENGTH), of); s2 = of[4] }
        match($0, /fluid and clocks.*one window: [^ ]+ [^ ]+/) {
            split(substr($0, RSTART, RLENGTH), t, /[ ,;]+/)
            if ((t[10] / bp - 1) ^ 2 > 0.05 ^ 2 || (t[12] / bd - 1) ^ 2 > 0.1 ^ 2 || (t[14] / s2 - 1) ^ 2 > 0.15 ^ 2)
                print t[10] ", " t[12] " and " t[14] ", not " bp ", " bd " and " s2
            if ((t[10] / t[18] - 1) ^ 2 > 0.01 ^ 2 || (t[12] / t[19] - 1) ^ 2 > 0.05 ^ 2)
                print "in one window " t[18] " and " t[19]
            said = 1
        }
        END { if (!said) print "nothing is said" }')"
run validate out --windows
report 'the stream takes as long as in the run' "$(awk '
    $1 == "simulated" { simulated = $NF }
    $1 == 64 && simulated && !n++ && ($NF / simulated - 1) ^ 2 > 0.02 ^ 2 { print $NF ", not " simulated }
    END { if (!n) print "no row" }' "$scratch/out")"

# In the region a word has 16 seeds and comes in a clock or two; elsewhere it has less than one.
report 'a source of two rates finds the region' "$(
    tr '\n' ' ' <"$scratch/out" | grep -oE 'MMPP/M/1/K: *seeds at [^ ]+ or [^ ]+' | awk '
        { n++; if ($4 < 6 || $4 > 16 || $6 > 0.5) print $0 }
        END { if (n != 1) print n + 0 " notes" }')"

# Random DNA alone: windows change nothing.
head -n 12001 d.fa >r.fa
"$mercury" run -q q.fa -d r.fa -s plus -o random --record random/run.tokens --quiet >/dev/null
run validate random --windows=512,pass --format tsv
cp "$scratch/out" table
report 'without clumps windows change nothing' "$(
    { rows table 'fluid and clocks' 'as they are' 512; rows table 'fluid and clocks' 'as they are' NA; } | awk '
        $3 > 0.1 { n++; if ($4 ^ 2 > 0.05 ^ 2) print $0 }
        END { if (n < 6) print n + 0 " queues" }')"

expect_refusal 'windows of no words' "expected up to 16 numbers of words.*found '0'" validate out --windows=0
expect_refusal 'windows that are no numbers' "found 'x,64'" validate out --windows=64,x,64
expect_refusal 'a list that ends in a comma' 'expected up to 16 numbers of words' validate out --windows=64,
expect_refusal 'a negative number' 'expected up to 16 numbers of words' validate out --windows=-1
expect_refusal 'two answers at once' 'ask for one' validate out --windows --why
expect_refusal 'windows of a chain' 'expected no --windows' validate --chain x --lambda 1 --windows
cp -r out alone
rm alone/histograms.tsv alone/run.tokens
expect_refusal 'no record' '^mercury: --windows: .*--record FILE' validate alone --windows
expect_refusal 'no histograms' '^mercury: --windows: expected histograms.tsv' validate alone --windows --record out/run.tokens
expect_refusal 'a record alone' '^mercury: --windows: expected histograms.tsv' validate out/run.tokens --windows
expect_refusal 'the record of another run' 'is not the run that' validate out --windows --record random/run.tokens
"$mercury" run -q q.fa -d r.fa -s plus -o two --set boards=2 --record two/run.tokens --quiet >/dev/null
expect_refusal 'several boards' '^mercury: --windows: .*expected one board' validate two --windows

finish
