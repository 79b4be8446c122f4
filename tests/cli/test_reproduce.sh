#!/bin/bash
# test_reproduce.sh MERCURY SOURCE_DIRECTORY - mercury reproduce: every printed cell, what the printed digits alone give,
# and the page.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

test_all_cells() {
    run reproduce dor2010
    report "both runs" "$(success_problem)"
    check "all cells of both runs are admitted" grep -q '36 of 36 cells admitted' "$scratch/out"
    check "with section 6.3's of run 2" grep -q '38 of 38 cells admitted' "$scratch/out"
    run reproduce dor2010 --format tsv
    report "as TSV" "$(success_problem)"
    cp "$scratch/out" cells
    check "72 cells" test "$(awk -F '\t' '!/^#/ && $8 == "yes"' cells | wc -l)" -eq 72
    check_not "none refused" awk -F '\t' '!/^#/ && $8 == "no" { found = 1 } END { exit !found }' cells
    # the judgement once more, outside: ours rounds to printed, in printed's own digits
    report "ours rounds to what is printed" "$(awk -F '\t' '!/^#/ && $1 != "run" {
        digits = index($5, ".") ? length($5) - index($5, ".") : length($5) > 3 ? 3 - length($5) : 0
        half = 0.5 / 10 ^ digits
        if (($6 - $5) ^ 2 > half ^ 2 * 1.000001) print $0
    }' cells)"
    check "one mu_1b a run" test "$(grep -c 'mu_1b printed' cells)" -eq 2
    # Section 6.3: 1/M_2 of 2.761 instead of 2.464 loads 1bd just below 1 (over 400 of its 500 places are full from
    # 0.99992 on), and 2.762 overloads it. The load is that of the vector: 2 w-mers a byte x lambda_in P_1a P_1bp / mu_1b.
    check "the same vector loads 1bd of section 6.3" awk '/^# run 2: / { used[$4] = $NF }
        END { load = 2 * used["lambda_in"] * used["P_1a"] * used["P_1bp"] / used["mu_1b"] / 2.464
              exit !(load * 2.761 > 0.99992 && load * 2.761 < 1 && load * 2.762 >= 1) }' cells
    run reproduce dor2010 --format tsv
    check_same "the same bytes again" cells "$scratch/out"
}

test_one_run() {
    run reproduce dor2010 --run 2 -f tsv
    report "one run" "$(success_problem)"
    check "36 cells" test "$(grep -c -E '^2	' "$scratch/out")" -eq 36
    check_not "none of the other" grep -q -E '^1	' "$scratch/out"
}

test_printed_digits() {
    run reproduce dor2010 --as-printed --format tsv
    check "printed digits alone fail, with status 1" test "$status" -eq 1
    check "and say so in one line" test "$(wc -l <"$scratch/err")" -eq 1
    check "N_Q,1b of Figure 17 is 1328 then" grep -q -E '^2	17	N_Q_1b	seeds	7470	132[78]' "$scratch/out"
}

# What the page has in a run's tables, beside what reproduce and replay print.
test_page() {
    run reproduce dor2010 --format tsv --report page.html --quiet
    report "--report works" "$(success_problem)"
    check_same "and prints the same table" cells "$scratch/out"
    report "its page is whole" "$(page_problem page.html answer machine formulas slips run1 run2 words)"
    check "it answers first, of all 36 and 38 cells" grep -q 'The formulas give 74 of the 74 printed predictions\.' page.html
    check_number "it has both pictures" "$(grep -c '<svg ' page.html)" == 2
    check_number "36 printed cells and 7 inputs of run 2" "$(page_rows page.html run2 | wc -l)" == 43
    report "printed and computed numbers are those of the text" "$(diff \
        <(page_rows page.html run2 | awk -F '\t' 'NF == 13 { print $1, $3, $4 }') \
        <("$mercury" reproduce dor2010 --run 2 | awk '/^  1[257] / { print $2, $3, $4 }'))"
    report "those from the printed digits, too" "$(diff \
        <(page_rows page.html run2 | awk -F '\t' 'NF == 13 { print $1, $3, $6 }') \
        <("$mercury" reproduce dor2010 --run 2 --as-printed 2>/dev/null | awk '/^  1[257] / { print $2, $3, $4 }'))"
    check "24 cells are marked, since printed digits do not give them" \
        test "$(page_rows page.html slips | wc -l)" -eq 24
    check "a misprint of section 4.3.3 stands beside the others" \
        grep -q '4\.3\.3 prints P_K with 1 - rho^K below the line, Figure 5 with 1 - rho^(K+1)' page.html
    check_not "measured values are not said to contradict each other" grep -q -i contradict page.html
    check_number "but four have a mark" "$(grep -c '^<li>§' page.html)" == 4
    check "7470 seeds among them" grep -q '>2</td><td>17</td><td>N_Q_1b</td><td>seeds</td><td class="n">7470<' page.html
    run replay dor2010-run2 --machine dor2010 --quiet --wide
    report "simulated numbers are those of the replay" "$(diff \
        <(page_rows page.html run2 | awk -F '\t' 'NF == 13 && $8 != "-" { sub("_1bp", "_1b", $1); print $7, $8, $9, $11 }' |
            sort -u) \
        <(awk '/^  [lrNP]/ && NF > 13 { print $3, $4, $5, $7 }' "$scratch/out" | sort -u))"
    report "and so are the medians" "$(diff \
        <(page_rows page.html run2 | awk -F '\t' 'NF == 13 && $8 != "-" { sub("_1bp", "_1b", $1); print $8, $12 }' | sort -u) \
        <(awk '/^  [lrNP]/ && NF > 13 { print $4, $8 }' "$scratch/out" | sort -u))"
    run reproduce dor2010 --run 2 --report one.html --quiet
    check "one run: its page has no other" test "$(grep -c '<section id="run' one.html)" -eq 1
    run reproduce dor2010 --run 2 --report - --quiet
    check_same "--report -: the same page in place of the text" one.html "$scratch/out"
}

# Frenkel's identities, by formula and by simulation; and what chance does, if it is another one.
test_frenkel() {
    run reproduce frenkel
    report "random sums" "$(success_problem)"
    check "all cells are admitted" grep -q '22 of 22 cells admitted' "$scratch/out"
    check_not "no line has more than 80 columns" grep -E '^.{81}' "$scratch/out"
    check "(5.3) of a fixed number of run 2's seeds" grep -q -E '^  5.3 +D T, N fixed +95724 +95724.4 ' "$scratch/out"
    check "and of a Poisson number" grep -q -E '^  5.3 +D T, N Poisson +102852 +102852 ' "$scratch/out"
    cp "$scratch/out" frenkel.txt
    run reproduce frenkel -f tsv --seed 1
    cp "$scratch/out" frenkel.tsv
    check_number "a line for each" "$(awk -F '\t' '$7 == "yes"' frenkel.tsv | wc -l)" == 21
    awk 'NF > 5 && $1 == "4.2.5" { print $(NF - 2) }' frenkel.txt >default.means
    awk -F '\t' '$1 == "4.2.5" { printf "%.6g\n", $5 }' frenkel.tsv >seed_1.means
    check_same "seed 1 is the default, and gives the same numbers" default.means seed_1.means
    run reproduce frenkel -f tsv --seed 2
    report "another seed" "$(success_problem)"
    check "draws other numbers" test "$(grep -c -F -x -f frenkel.tsv "$scratch/out")" -lt 10
}

test_leonards() {
    run reproduce leonards2023 --format tsv
    report "leonards2023" "$(success_problem)"
    cp "$scratch/out" leonards
    check "40 values, all admitted" test "$(awk -F '\t' '!/^#/ && $6 == "yes"' leonards | wc -l)" -eq 40
    check "7 statements hold" test "$(grep -c '^# holds: ' leonards)" -eq 7
    # Figure 4.9 once more, outside: one customer is never met by another, infinitely many are M/M/1
    check_number "N_0 1 needs 1/x - s" "($(awk -F '\t' '/N_0 1\t1.mu_0/ { print $5 }' leonards) - (1 / 0.07 - 9.01)) ^ 2" '<' 1e-20
    check_number "N_0 infinite waits s / (1 - x s)" \
        "($(awk -F '\t' '/infinite\tw/ { print $5 }' leonards) - 9.01 / (1 - 0.07 * 9.01)) ^ 2" '<' 1e-20
    # Of one customer each, an instance finds the other one at the memory with the probability of its utilisation.
    check_number "alone 28% are a share of 28% beside each other" \
        "($(awk -F '\t' '/streamcluster, N_0 1/ { print $5 }' leonards) - 100 * 0.28 ^ 2) ^ 2" '<' 1e-18
    report "what Table 2.1 says of Tables 5.2 and 5.3" "$(for where in 'bodytrack above' 'dedup inside' 'streamcluster inside' 'fluidanimate above'; do
        grep -q "^# ${where% *}: .* are ${where#* }$" leonards || echo "$where"; done)"
    run reproduce leonards2023
    report "leonards2023 as text" "$(success_problem)"
    check_not "no line is longer than 80 columns" grep -E '^.{81}' "$scratch/out"
    tells "whose thesis it is" "^leonards2023 is E\. Leonards' thesis" reproduce --help
    expect_refusal "leonards2023 has no runs" 'run is an option of dor2010' reproduce leonards2023 --run 1
}

# Only what the paper prints, once more, outside. Its MB are 2^20 bytes: 46912 events of 64 bytes are printed as 2.86 MB.
test_timetrial() {
    run reproduce timetrial2011 --format tsv
    report "timetrial2011" "$(success_problem)"
    cp "$scratch/out" timetrial
    check "9 values, all admitted" test "$(awk -F '\t' '!/^#/ && $6 == "yes"' timetrial | wc -l)" -eq 9
    report "what is expected is what the paper prints" "$(diff <(printf '%s\n' 4096 8 2.86 124 0.003 5.3 7.1 0.8 1.0) \
        <(awk -F '\t' '!/^#/ && $6 == "yes" { print $4 }' timetrial))"
    report "the shares of Table I, of 5164, 6980, 2 and 1" "$(diff <(printf '%s\n' 5.25 7.10 0.83 1.04) \
        <(awk -F '\t' '/^Table I/ { printf "%.2f\n", $5 }' timetrial))"
    check "how an MB is read" grep -q -x -F '# holds: an MB is 2^20 bytes (with 10^6 these would be 3.00 and 130 MB)' timetrial
    check_number "46912 events of 64 bytes" \
        "($(awk -F '\t' '$2 == "events" { print $5 }' timetrial) - 46912 * 64 / 2^20)^2" '<' 1e-20
    check_number "11728 records of 11056 bytes in 4.2 TB" \
        "($(awk -F '\t' '$2 == "share" { print $5 }' timetrial) - 100 * 11728 * 11056 / 4.2e12)^2" '<' 1e-20
    run reproduce timetrial2011
    report "timetrial2011 as text" "$(success_problem)"
    check_not "no line is longer than 80 columns" grep -E '^.{81}' "$scratch/out"
    expect_refusal "timetrial2011 has no seed" 'seed is an option of frenkel' reproduce timetrial2011 --seed 3
}

test_refusals() {
    expect_refusal "a page in no directory" 'nowhere/x.html: ' reproduce dor2010 --report nowhere/x.html
    expect_refusal "no publication" 'needs a publication' reproduce
    expect_refusal "another publication" "'dor2011': expected dor2010, frenkel, leonards2023 or timetrial2011" reproduce dor2011
    expect_refusal "a seed of what has no chance" '--seed is an option of frenkel' reproduce dor2010 --seed 2
    expect_refusal "a run of what has none" '--run is an option of dor2010' reproduce frenkel --run 1
    expect_refusal "digits of what prints none" '--as-printed is an option of dor2010' reproduce frenkel --as-printed
    expect_refusal "a page of frenkel" '--report is an option of dor2010' reproduce frenkel --report page.html
    expect_refusal "seed 0" "expected a whole number from 1" reproduce frenkel --seed 0
    expect_refusal "two" "unexpected argument 'more'" reproduce dor2010 more
    expect_refusal "a run that is none" 'expected both, 1 or 2' reproduce dor2010 --run 3
    expect_refusal "a format that is none" 'expected text or tsv' reproduce dor2010 --format xml
    expect_refusal "an option" 'no such option' reproduce dor2010 --nonsense
    if [ -w /dev/full ]; then
        expect_refusal "a full disk for the page" '/dev/full: cannot be written' \
            reproduce dor2010 --run 2 --quiet --report /dev/full
        "$mercury" reproduce dor2010 >/dev/full 2>"$scratch/err"
        check "a full disk is told" grep -q 'cannot be written' "$scratch/err"
    fi
}

test_help() {
    run reproduce --help
    report "help" "$(success_problem)"
    check_not "no line is longer than 120 columns" grep -E '^.{121}' "$scratch/out"
}

test_all_cells
test_one_run
test_printed_digits
test_page
test_frenkel
test_leonards
test_timetrial
test_refusals
test_help
finish
