#!/bin/bash
# test_bad_input.sh MERCURY SOURCE_DIRECTORY - everything that can be wrong with sequences: exit status 2, one line
# that tells what to change, and nothing left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

make_good_input() {
    { echo '>good one'; dna 1 1200; } >good.fa
    gzip -c good.fa >good.fa.gz
}

# refuse_input DESCRIPTION PATTERN FILE: as the query and as the database; the reader is the same, so where tests are few, as the
# query only.
refuse_input() {
    expect_refusal "query: $1" "$2" run -p "$platform" -q "$3" -d good.fa -o out
    [ -n "$few" ] || expect_refusal "database: $1" "$2" run -p "$platform" -q good.fa -d "$3" -o out
}

test_files() {
    mkdir directory
    refuse_input "missing file" 'missing\.fa: No such file' missing.fa
    refuse_input "empty name" 'No such file|empty|missing' ''
    refuse_input "directory" 'directory: is a directory' directory
    refuse_input "path below a file" 'good\.fa/x: Not a directory' good.fa/x
    if [ "$(id -u)" -eq 0 ]; then
        skip "unreadable file" "root may read everything"
        return
    fi
    cp good.fa locked.fa
    chmod 000 locked.fa
    refuse_input "unreadable file" 'locked\.fa: Permission denied' locked.fa
}

test_no_fasta() {
    : >empty.fa
    printf ' \n\n\t\n' >blank.fa
    printf 'To be, or not\nto be\n' >text.fa
    printf '@read1\nACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIII\n' >reads.fq
    printf '>p protein\nMKVLAAGIVGLCAKAEFILPQ\n' >protein.fa
    printf '>d\nACGTACGTACGTACGT\nACGT!CGT\n' >letter.fa
    printf '>d\nACGTACGTACGTACGT\nACGT\0ACGTACGT\n' >zero.fa
    head -c 3000 "$mercury" >program.fa
    printf '\376\377\0>\0d\0\n\0A\0C\0G\0T' >utf16.fa
    refuse_input "empty file" 'empty\.fa: empty' empty.fa
    refuse_input "/dev/null" '/dev/null: empty' /dev/null
    [ -r /dev/zero ] && refuse_input "zeros without end" '/dev/zero:1: no text: its bytes are 0' /dev/zero
    head -c 1000000 /dev/zero | gzip >zeros.gz
    refuse_input "zeros, compressed" 'zeros\.gz:1: no text: its bytes are 0' zeros.gz
    refuse_input "only white space" 'blank\.fa: empty' blank.fa
    refuse_input "plain text" 'text\.fa:1: not FASTA' text.fa
    printf '\001\002\003\n' >base.nsq
    refuse_input "a BLAST database" 'base: a BLAST database.*makeblastdb.*FASTA' base
    refuse_input "a file of a BLAST database" 'base\.nsq: a BLAST database.*blastdbcmd' base.nsq
    refuse_input "FASTQ" 'reads\.fq:1: not FASTA.*FASTQ' reads.fq
    refuse_input "protein" 'protein\.fa:2: column 4: .*protein' protein.fa
    refuse_input "a letter that is no base" "letter\\.fa:3: column 5: '!'" letter.fa
    refuse_input "a zero byte" 'zero\.fa:3: column 5: byte 0x00' zero.fa
    refuse_input "a program" 'program\.fa:1: ' program.fa
    refuse_input "UTF-16" 'utf16\.fa:1: ' utf16.fa
}

test_no_sequence() {
    echo '>only a header' >header.fa
    printf '>a\nACGTACGTACGTACGT\n>b\n>c\nACGTACGTACGTACGT\n' >hole.fa
    printf '>a\nACGTACGTACGTACGT\n>b\n\n' >last.fa
    printf '>a\nACGTACGTAC\n' >short.fa
    printf '>a\nACGTACGTAC\n>b\nACGTACGTAC\n' >shorts.fa
    printf '>a\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n' >unknown.fa
    refuse_input "a header and nothing more" "header\\.fa:1: record 'only' ends without a base" header.fa
    refuse_input "a record without a sequence" "hole\\.fa:4: record 'b'" hole.fa
    refuse_input "a last record without a sequence" "last\\.fa:[34]: record 'b'" last.fa
    refuse_input "10 bases" 'short\.fa: .*no 11 consecutive bases' short.fa
    refuse_input "two records of 10 bases" 'shorts\.fa: .*no 11 consecutive bases' shorts.fa
    refuse_input "only N" 'unknown\.fa: .*no 11 consecutive bases' unknown.fa
}

# cut_short FILE BYTES_LEFT_OUT
cut_short() {
    head -c -"$2" "$1" >"cut-$2.${1##*.}"
    refuse_input "$1 without its last $2 bytes" "cut-$2\\.${1##*.}(:[0-9]+)?: .*(truncated|damaged)" "cut-$2.${1##*.}"
}

test_damaged_gzip() {
    local missing
    for missing in 1 4 8 9 100 300; do
        cut_short good.fa.gz "$missing"
    done
    head -c 5 good.fa.gz >stump.gz
    { head -c 10 good.fa.gz && head -c 300 "$mercury"; } >garbage.gz
    { head -c 200 good.fa.gz && head -c 9 /dev/zero && tail -c +210 good.fa.gz; } >damaged.gz
    { head -c -8 good.fa.gz && printf '\1\2\3\4' && tail -c 4 good.fa.gz; } >checksum.gz
    refuse_input "five bytes of gzip" 'stump\.gz(:[0-9]+)?: ' stump.gz
    refuse_input "garbage behind a gzip header" 'garbage\.gz(:[0-9]+)?: .*(truncated|damaged)' garbage.gz
    refuse_input "gzip damaged in its middle" 'damaged\.gz(:[0-9]+)?: ' damaged.gz
    refuse_input "gzip with another checksum" 'checksum\.gz(:[0-9]+)?: .*(truncated|damaged)' checksum.gz
    gzip -c /dev/null >nothing.gz
    refuse_input "gzip of nothing" 'nothing\.gz: empty' nothing.gz
}

test_damaged_bgzip() {
    local missing
    if ! can_block_gzip; then
        skip "damaged bgzip" "neither bgzip nor python3"
        return
    fi
    { echo '>blocks'; dna 2 50000; } | block_gzip >blocks.bgz
    for missing in 1 28 29 600 9000; do
        cut_short blocks.bgz "$missing"
    done
}

test_standard_input() {
    local before
    before=$(listing)
    search -q - -d good.fa -a hits.tsv <empty.fa
    refused "standard input: empty" 'standard input: empty' "$before"
    search -q good.fa -d - -a hits.tsv <protein.fa
    refused "standard input: protein" 'standard input:2: .*protein' "$before"
    search -q - -d good.fa -a hits.tsv <short.fa
    refused "standard input: 10 bases" 'standard input: .*no 11 consecutive' "$before"
    search -q - -d good.fa -a hits.tsv < <(head -c -9 good.fa.gz)
    refused "standard input: truncated gzip" 'standard input(:[0-9]+)?: .*truncated' "$before"
    search -q - -d good.fa -a hits.tsv <&-
    refused "standard input: closed" 'standard input(:[0-9]+)?: ' "$before"
}

make_good_input
search -q good.fa -d good.fa -a hits.tsv --quiet
report "the input that the other tests spoil is good" "$(success_problem)"
rm -f hits.tsv
test_files
test_no_fasta
test_no_sequence
test_damaged_gzip
test_damaged_bgzip
test_standard_input
finish
