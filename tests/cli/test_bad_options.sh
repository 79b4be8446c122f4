#!/bin/bash
# test_bad_options.sh MERCURY SOURCE_DIRECTORY - everything that can be wrong with commands and options: exit status 2, one line
# that tells what to change, and nothing left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

make_good_input() {
    { echo '>good one'; dna 1 1200; } >good.fa
    gzip -c good.fa >good.fa.gz
}

refuse_arguments() { # PATTERN ARGUMENT...
    local pattern=$1
    shift
    expect_refusal "mercury $*" "$pattern" "$@"
}

test_scores_of_blastn() {
    refuse_arguments "--word-size '28': expected 11" run -q good.fa -d good.fa -word_size 28
    refuse_arguments '--penalty: score.mismatch = .3.: expected a whole number from -100 to -1' run -q good.fa -d good.fa -penalty 3
    refuse_arguments 'no statistics for match 7, mismatch -3; supported: 1/-5 ' run -q good.fa -d good.fa -reward 7
    refuse_arguments 'no statistics for gap costs 9/1 .*; supported: .*2/2, ' run -q good.fa -d good.fa -gapopen 9 -gapextend 1
    refuse_arguments "no such option '-html'" run -q good.fa -d good.fa -html
    # Another option's first letter: -s is --strand, -d is --database.
    refuse_arguments "no such option '-soft_masking'; see mercury help run" run -q good.fa -d good.fa -soft_masking true
    refuse_arguments "no such option '-dbsize'" run -q good.fa -dbsize 1000
    refuse_arguments "no such option '-soft_masking'; see" run -q good.fa -d good.fa -soft_masking=true
    # The whole name, and not its first letter.
    refuse_arguments "no such option '-percidentity'; did you mean --perc-identity[?]" run -q good.fa -d good.fa -percidentity 90
    refuse_arguments "no such option '-ungapped'; see mercury help run" run -q good.fa -d good.fa -ungapped
    refuse_arguments "no such option '-culling_limit'; see" run -q good.fa -d good.fa -culling_limit 1
    refuse_arguments "no such option '-max_target_seq'; did you mean --max-target-seqs[?]" run -q good.fa -d good.fa -max_target_seq 5
    refuse_arguments "no such option '-num_thread'; did you mean --jobs[?]" run -q good.fa -d good.fa -num_thread 2
    # The nearest name is --alignments, which is a file.
    refuse_arguments "no such option '-num_alignments'; see" run -q good.fa -d good.fa -num_alignments 5
    refuse_arguments "--evalue '': expected a number" run -q good.fa -d good.fa -evalue=
}

test_sam_names() {
    { echo '>twice'; dna 5 100; echo '>twice'; dna 6 100; } >twice.fa
    { echo '>a,b'; dna 5 100; } >comma.fa
    { echo '>q@r'; dna 5 100; } >at.fa
    refuse_arguments "the database: two records are called 'twice'; give" run -q good.fa -d twice.fa -f sam
    refuse_arguments "reference 'a,b'.*ASCII" run -q good.fa -d comma.fa -f sam
    refuse_arguments "query 'q@r'.*without @; change it, or write a table \(-f 6\)\$" run -q at.fa -d good.fa -f sam
    { printf '>%0255d\n' 7; dna 6 100; } >long.fa
    refuse_arguments "query '0.*longer than 254 letters; change it" run -q long.fa -d good.fa -f sam
}

test_commands() {
    refuse_arguments 'needs a command' ''
    refuse_arguments "'runn'" runn -q good.fa -d good.fa
    refuse_arguments "'--nonsense'" --nonsense
    refuse_arguments "'8': expected .* or bed\$" run -q good.fa -d good.fa -f 8
    refuse_arguments "'samm'.*did you mean sam[?]" run -q good.fa -d good.fa -f samm
    refuse_arguments "'jsn'.*did you mean json[?]" validate out -f jsn
    refuse_arguments "'--qu'; did you mean --query or --quiet or --query-loc[?] see" run --qu
    refuse_arguments "'-x'" -x
}

test_options() {
    refuse_arguments "no such option '--nonsense'; see mercury help run" run --nonsense
    refuse_arguments "no such option '--qury'; did you mean --query\\?" run --qury=x
    refuse_arguments "no such option '-x'" run -x -q good.fa -d good.fa
    refuse_arguments "no such option '-xq'" run -xq good.fa -d good.fa
    refuse_arguments '--quiet takes no value' run --quiet=5 -q good.fa -d good.fa
    refuse_arguments '--query needs a value' run -q
    refuse_arguments '--database needs a value' run -q good.fa -d
    refuse_arguments '--set.*needs a value' run -q good.fa -d good.fa --set
    refuse_arguments "unexpected argument 'extra'" run -q good.fa -d good.fa extra
    refuse_arguments "unexpected argument 'quiet'; did you mean --quiet\\?" run -q good.fa -d good.fa quiet
    refuse_arguments "unexpected argument 'extra'" run extra -q good.fa -d good.fa
    refuse_arguments "unexpected argument 'extra'" run -q good.fa -d good.fa -- extra
    refuse_arguments '-q' run
    refuse_arguments '-q' run -d good.fa
    refuse_arguments '-d' run -q good.fa
    refuse_arguments 'standard input' run -q - -d -
}

test_option_values() {
    local value
    for value in up '' PLUS plu 'plus ' +; do
        refuse_arguments '--strand .*plus, minus or both' run -q good.fa -d good.fa -s "$value"
    done
    for value in 0 -1 nan inf 1e999 2e6 1e-301 x '' 1e-3x; do
        refuse_arguments '--evalue .*1e-300 to 1e6' run -q good.fa -d good.fa -e "$value"
    done
    for value in 0 -1 1.5 1025 nan 4294967297 x '' 2x; do
        refuse_arguments '--jobs .*1 to 1024' run -q good.fa -d good.fa -j "$value"
    done
    for value in 0 255M 2000T -1G nan G '' 1X 1GG; do
        refuse_arguments '--memory .*256M to 1000T' run -q good.fa -d good.fa --memory "$value"
    done
    for value in 5 -1 '' 67 x ' 6' 6std 6,7 SAM; do
        refuse_arguments '--format .*6 or 7 .*, 10 or csv, 17 or sam,' run -q good.fa -d good.fa -f "$value"
    done
    for value in '0 std' 'sam std' '17 x'; do
        refuse_arguments '--format .*columns only with 6, 7 or 10' run -q good.fa -d good.fa -f "$value"
    done
    for value in '6 foo' '7 std staxid' '6 QSEQID' '6 qseqid,sseqid'; do
        refuse_arguments "--format: no column is called '.*'; (did you mean [a-z]+\? )?there are std qseqid .* btop" run -q good.fa -d good.fa -f "$value"
    done
    for value in '' maybe 20 '20 64' '20 64 1 1' '1 64 1' '20 65 1' '20 64 0' '20 64 33' '2e1 64 1' YES; do
        refuse_arguments "--dust '.*': expected yes, no or 'LEVEL WINDOW LINKER'" run -q good.fa -d good.fa --dust "$value"
    done
    for value in '' blastp BLASTN 1/-3; do
        refuse_arguments '--scores .*: expected classic, blastn or megablast' run -q good.fa -d good.fa --scores "$value"
    done
    for value in 0 -1 1.5 1e10 nan x '' 5x; do
        refuse_arguments '--max-hsps .*1 to 1000000000' run -q good.fa -d good.fa --max-hsps "$value"
        refuse_arguments '--max-target-seqs .*1 to 1000000000' run -q good.fa -d good.fa --max-target-seqs "$value"
    done
}

make_good_input
search -q good.fa -d good.fa -a hits.tsv --quiet
report "the input that the other tests spoil is good" "$(success_problem)"
rm -f hits.tsv
test_sam_names
test_scores_of_blastn
test_commands
test_options
test_option_values
finish
