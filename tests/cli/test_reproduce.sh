#!/bin/bash
# test_reproduce.sh MERCURY SOURCE_DIRECTORY - mercury reproduce: every printed cell, and what the printed digits
# alone give.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

test_all_cells() {
    run reproduce dor2010
    report "both runs" "$(success_problem)"
    check "all cells of both runs are admitted" test "$(grep -c '36 of 36 cells admitted' "$scratch/out")" -eq 2
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

test_refusals() {
    expect_refusal "no publication" 'needs a publication' reproduce
    expect_refusal "another publication" "'dor2011': expected dor2010" reproduce dor2011
    expect_refusal "two" "unexpected argument 'more'" reproduce dor2010 more
    expect_refusal "a run that is none" 'expected both, 1 or 2' reproduce dor2010 --run 3
    expect_refusal "a format that is none" 'expected text or tsv' reproduce dor2010 --format xml
    expect_refusal "an option" 'no such option' reproduce dor2010 --nonsense
    if [ -w /dev/full ]; then
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
test_refusals
test_help
finish
