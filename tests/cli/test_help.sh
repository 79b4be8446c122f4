#!/bin/bash
# test_help.sh MERCURY SOURCE_DIRECTORY - help and version: where they go, and that they tell everything.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

options=(reward penalty gapopen gapextend word-size query max-target-seqs max-hsps perc-identity qcov-hsp-perc scores
    dust lcase-masking query-loc mapq database output no-report alignments full json format strand evalue platform machine set record measure timeline vcd fst
    export-times timeline-pass timeline-window timeline-cap charge-measurement engine dump-config resume
    keep-after memory jobs quiet sample sample-database sample-warm-up sample-window until seed help)
letters=(q d o a f s e p j h)

test_general_help() {
    tells "mercury --help" 'mercury run -q QUERY -d DATABASE' --help
    cp "$scratch/out" general
    tells "mercury -h" 'mercury run' -h
    check_same "mercury -h says the same" general "$scratch/out"
    tells "mercury help" 'mercury run' help
    check_same "mercury help says the same" general "$scratch/out"
    tells "mercury alone" 'mercury run'
    check_same "mercury alone says the same" general "$scratch/out"
    check "the general help names help and --version" grep -q -e '--version' general
}

test_run_help() {
    tells "mercury help run" '^Usage: mercury run' help run
    cp "$scratch/out" run_help
    tells "mercury run --help" '^Usage: mercury run' run --help
    check_same "mercury run --help says the same" run_help "$scratch/out"
    tells "mercury run -h" '^Usage: mercury run' run -h
    tells "mercury run --help beside other arguments" '^Usage: mercury run' run -q missing.fa --help
    check "the help of run has an example" grep -q '^Examples:' run_help
}

# test_help.c compares each command's help with its options; here is what only the program shows.
test_columns() {
    local command commands
    commands=$("$mercury" --help | sed -n -E 's/^  mercury ([a-z]+) .*/\1/p')
    check_number "the general help names the commands" "$(wc -w <<<"$commands")" '>=' 14
    check_not "no line of the general help is longer than 80 columns" grep -E '^.{81}' general
    for command in ${commands/help/}; do
        "$mercury" help "$command" >command_help
        check_not "no line of the help of $command is longer than 80 columns" grep -E '^.{81}' command_help
        tells "mercury $command --help" "^Usage: mercury $command" "$command" --help
        check_same "mercury $command --help says the same" command_help "$scratch/out"
    done
}

test_version() {
    local version
    version=$(sed -n "s/^ *version: '\([^']*\)'.*/\1/p" "$source_directory/meson.build" | head -n 1)
    tells "mercury --version" "^mercury $version\$" --version
    check "with its libraries" grep -q "^built with SimGrid [0-9.]*, htslib" "$scratch/out"
    check_number "the version is the first line" "$(grep -n '^mercury' "$scratch/out" | cut -d : -f 1)" == 1
}

test_options_are_told() {
    local option letter
    for option in "${options[@]}"; do
        check "the help of run names --$option" grep -q -E -e "(^|[ ,])--$option\\b" run_help
    done
    for letter in "${letters[@]}"; do
        check "the help of run names -$letter" grep -q -E -e "^ +-$letter, --" run_help
    done
}

# What the help names must be an option: mercury complains about its value or about the query, not about it.
test_told_options_exist() {
    local option
    grep -o -E -e '--[a-z][a-z-]*' run_help | sort -u >told
    while read -r option; do
        run run "$option"
        check_not "$option of the help exists" grep -q 'no such option' "$scratch/err"
        [[ " ${options[*]} " == *" ${option#--} "* ]] || fail "this test knows $option" "add it to its list"
    done <told
}

test_refusals() {
    expect_refusal "help of an unknown command" "'nonsense'.*run" help nonsense
    expect_refusal "help of an empty command" "commands: run" help ''
}

test_general_help
test_run_help
test_columns
test_version
test_options_are_told
test_told_options_exist
test_refusals
finish
