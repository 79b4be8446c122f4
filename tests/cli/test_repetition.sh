#!/bin/bash
# test_repetition.sh MERCURY SOURCE_DIRECTORY - the same input in any dress, with any number of jobs, gives the same bytes.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/small_run.sh
. "$(dirname "$0")/small_run.sh"
begin "$@"

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

make_input
search -q q.fa -d d.fa -o out
cp out/alignments.tsv default.tsv
test_repetition
test_repetition_of_one_pass
test_dresses
test_names
finish
