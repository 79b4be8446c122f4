#!/bin/bash
# test_compare.sh MERCURY SOURCE_DIRECTORY - mercury compare: what blastn finds is covered, what is lost is told with its
# stage, bad tables are refused.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
pylori=/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
begin "$@"

compare() {
    run compare -p "$platform" "$@"
}

blastn_rows() { # QUERY DATABASE E
    blastn -task blastn -word_size 11 -dust no -reward 1 -penalty -3 -gapopen 5 -gapextend 2 -evalue "$3" -outfmt 6 \
        -query "$1" -subject "$2"
}

says() { # DESCRIPTION PATTERN
    check "$1" grep -q -E -e "$2" "$scratch/out"
}

make_input() {
    { echo '>q'; dna 1 3000; } >q.fa
    { echo '>s|AC1.1|'; dna 2 2000; sed -n '12,40p' q.fa | mutate 3; dna 4 1000; } >d.fa
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet -o out >"$scratch/said" 2>&1
    cp out/alignments.tsv rows.tsv
}

test_own_alignments() {
    compare --with rows.tsv -q q.fa -d d.fa
    says "its own table is covered" '^  covered +1 +100.000%'
    says "with the same ends, counts and scores" 'same +1 +with the same ends; 0 of them with other counts, 0$'
    cp "$scratch/out" plain
    gzip -c rows.tsv >rows.tsv.gz
    compare --with rows.tsv.gz -q q.fa -d d.fa -j 3
    check_same "compressed, with three threads: the same" plain "$scratch/out"
    "$mercury" compare -p "$platform" --with - -q q.fa -d d.fa <rows.tsv >"$scratch/out"
    check_same "from standard input: the same" plain "$scratch/out"
    compare --with rows.tsv -a out
    says "against a directory, without sequences" '^  covered +1 +100.000%'
    compare --with rows.tsv -a out -q q.fa -d d.fa
    says "against a directory, with sequences" '^  covered +1 +100.000%'
    sed 's/s|AC1.1|/AC1.1/' rows.tsv >accession.tsv
    compare --with accession.tsv -q q.fa -d d.fa
    says "a subject's accession will do" '^  covered +1 +100.000%'
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet \
        -f '7 evalue stitle bitscore saccver qaccver sstart send qstart qend gapopen mismatch length pident' >mixed.tsv
    compare --with mixed.tsv -q q.fa -d d.fa
    check_same "columns in another order, which are named" plain "$scratch/out"
    compare --with rows.tsv -q q.fa -d d.fa -o - --quiet
    check_number "a line for each, of both programs, and a header" "$(wc -l <"$scratch/out")" == 3
    check_number "of 21 columns" "$(awk -F '\t' '{ print NF }' "$scratch/out" | sort -u)" == 21
}

# Of 0 and another number there is no ratio, so that they are counted.
test_e_values_of_0() {
    awk -F '\t' -v OFS='\t' '{ $11 = "0.0" } 1' rows.tsv >none.tsv
    awk -F '\t' -v OFS='\t' '{ $11 = "1e-5" } 1' rows.tsv >some.tsv
    awk -F '\t' -v OFS='\t' '{ $11 = "1e-172" } 1' rows.tsv >least.tsv
    compare --with some.tsv -a none.tsv
    says "an E-value that is 0 in Mercury's table only is told" '^ +with another score, 1 with E 0 in one program only,$'
    says "and is not among the others" '^ +other E-values within 0%$'
    compare --with none.tsv -a some.tsv
    says "so is one in the other program's only" ' 1 with E 0 in one program only,$'
    compare --with some.tsv -a least.tsv
    says "one of few digits is far from 1e-5" 'E-values within 1e\+167%$'
    compare --with none.tsv -a none.tsv
    says "two of 0 are equal" ', E-values within 0%$'
}

# A subject whose name is the whole of what is asked for goes before one of whose name it is a part.
test_whole_names() {
    { echo '>s|AC2|'; dna 41 2000; echo '>AC2'; dna 42 1000; sed -n '12,40p' q.fa | mutate 5; } >names.fa
    "$mercury" run -p "$platform" -q q.fa -d names.fa --quiet -a names.tsv
    check "there is an alignment with AC2" test "$(cut -f 2 names.tsv)" = AC2
    compare --with names.tsv -q q.fa -d names.fa
    says "which is found in AC2" '^  covered +1 +100.000%'
}

# lost STAGE OPTION...: the alignment of rows.tsv is missed there.
lost() {
    local stage=$1
    shift
    compare --with rows.tsv -q q.fa -d d.fa "$@"
    says "lost at $stage: $*" "^    $stage +1 "
}

# The threshold is run's with the same scores, 28 at +2/-3: at 13 every seed passes.
test_scores() {
    compare --with rows.tsv -q q.fa -d d.fa --set score.match=2 --set score.mismatch=-3
    local converted
    converted=$(grep -o -E '[0-9]+ matches -> [0-9]+ HSPs' "$scratch/out")
    compare --with rows.tsv -q q.fa -d d.fa --set score.match=2 --set score.mismatch=-3 --set stage2.threshold=28
    check "other scores convert the threshold as run does" grep -q -F "$converted" "$scratch/out"
    compare --with rows.tsv -q q.fa -d d.fa --set score.match=2 --set score.mismatch=-3 --set stage2.threshold=13
    check_not "unless it is named" grep -q -F "$converted" "$scratch/out"
}

# Of 60 bases in 120,000 a score has a smaller E-value than of 60,000 in as many: what is significant depends on the query's
# record, not on the database's.
test_short_query() {
    { echo '>long'; dna 31 3000; echo '>short'; dna 32 60; } >short.fa
    { echo '>d1'; dna 33 60000; dna 32 60 | cut -c 16-45; echo '>d2'; dna 34 60000; } >long.fa
    "$mercury" run -p "$platform" -q short.fa -d long.fa --quiet -a short.tsv -e 1e-3
    compare --with short.tsv -q short.fa -d long.fa -e "$(awk '$1 == "short" { print 2 * $11 }' short.tsv)"
    says "a short query's alignment is found with twice its E-value" '^  covered +1 +100.000%'
}

test_stages() {
    lost 'stage 2' --set stage2.threshold=200 --set stage2.edge_rule=0
    lost 'left out' -a nothing.tsv -e 1e-3
    printf 'q\ts|AC1.1|\t100\t20\t0\t0\t1\t20\t1\t20\t1e-4\t40\n' >none.tsv
    compare --with none.tsv -q q.fa -d d.fa
    says "an alignment of unequal bases has no path" '^    no path +1 '
    says "and of none that is the same nothing is told" '^    same +0 +with the same ends$'
    compare --with none.tsv -a out
    check_not "no line ends in blanks" grep -q ' $' "$scratch/out"
    compare --with none.tsv -q q.fa -d d.fa --fail-under 50
    check_number "--fail-under ends with 1" "$status" == 1
    check "and says why" grep -q '^mercury: 0.0000% of the other .* at least 50%' "$scratch/err"
    compare --with none.tsv -q q.fa -d d.fa --fail-under 0
    check_number "--fail-under 0 does not" "$status" == 0
    compare --with <(cat rows.tsv none.tsv) -q q.fa -d d.fa -e 1e-5
    says "what is above --evalue is not judged" '^1 alignment.? of the other'
    expect_refusal "nothing is left to judge" 'none.tsv has no alignment with an E-value up to 1e-05' \
        compare --with none.tsv -q q.fa -d d.fa -e 1e-5
    expect_refusal "an empty table" 'standard input has no alignment' compare --with - -a out
    expect_refusal "an empty table, before anything else is looked at" 'null has no alignment' \
        compare --with /dev/null -a missing
}

# as_in DIRECTORY STAGE OPTION...: no machine is named, and the alignment of rows.tsv is missed in that run, there.
as_in() {
    local directory=$1 stage=$2
    shift 2
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet --no-report -o "$directory" "$@" >"$scratch/said" 2>&1
    run compare --with rows.tsv -a "$directory" -q q.fa -d d.fa
    says "lost at $stage in a run with $*" "^    $stage +1 "
}

# Losses of a run are traced as it was: on its machine, with its strands and its E-value.
test_run() {
    as_in strict 'stage 2' --set stage2.threshold=200 --set stage2.edge_rule=0
    run compare --with rows.tsv -a strict -q q.fa -d d.fa --set stage2.threshold=16
    says "a number that is given goes before the run's" '^    left out +1 '
    compare --with rows.tsv -a strict -q q.fa -d d.fa
    says "so does a machine" '^    left out +1 '
    as_in minus 'left out' -s minus
    says "a strand that was not searched is told" 'left out: its strand was not searched$'
    run compare --with rows.tsv -a minus -q q.fa -d d.fa -s both
    says "unless it is given" 'left out: the search finds it'
    as_in exact 'left out' --perc-identity 99.99
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet --no-report -e 1e-20 -o few >"$scratch/said" 2>&1
    run compare --with rows.tsv -a few
    says "the run's E-value" 'with E <= 1e-20,'
    run compare --with rows.tsv -a few -e 1e-4
    says "unless one is given" 'with E <= 0.0001,'
    run compare --with rows.tsv -a few/alignments.tsv
    says "of a table there is none" 'with E <= 0.001,'
}

test_other_scores() {
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet --no-report --scores blastn -o scores >"$scratch/said" 2>&1
    compare --with scores/alignments.tsv -a out
    says "other scores are told, with a remedy" '^    other scores +1 +of these differ by more than 1% in bits'
    run compare --with scores/alignments.tsv -a scores -q q.fa -d d.fa
    says "the run's scores are those of its table" '^  covered +1 +100.000%'
    check_not "and nothing is told of them" grep -q 'other scores' "$scratch/out"
}

test_bad_input() {
    local good=(-q q.fa -d d.fa)
    echo 'q d' >bad.tsv
    printf 'q\td\t100\t20\t0\t0\t1\t20\t1\t20\t1e-4\t40\n' >stranger.tsv
    sed 's/^q/other/' rows.tsv >named.tsv
    expect_refusal "no query name in common, without sequences" 'named.tsv and out share no query' \
        compare --with named.tsv -a out
    "$mercury" run -p "$platform" -q q.fa -d d.fa --quiet -f sam -o sam
    expect_refusal "a directory with SAM" 'sam: holds no alignments.tsv; run again with -f 6' \
        compare --with rows.tsv -a sam
    "$mercury" run -p "$platform" -q q.fa -d d.fa --set query.segment=400 --sample 2 --quiet -f 6 -o sample >answer
    expect_refusal "a sample" \
        'sample: is a sample; mercury run --resume sample simulates .* -a sample/alignments.sample.tsv compares' \
        compare --with rows.tsv -a sample
    compare --with rows.tsv -a sample/alignments.sample.tsv
    check_number "whose alignments compare reads" "$status" == 0
    "$mercury" run --resume sample --quiet >answer
    compare --with rows.tsv -a sample
    check_number "as it does the resumed run" "$status" == 0
    printf 'q\ts|AC1.1|\t100\t20\t0\t0\t2990\t3009\t1\t20\t1e-4\t40\n' >long.tsv
    expect_refusal "no table" 'needs the other .*--with' compare "${good[@]}"
    expect_refusal "nothing to compare with" 'needs query and database' compare --with rows.tsv
    expect_refusal "a query without a database" 'query and database' compare --with rows.tsv -q q.fa
    expect_refusal "a missing table" 'missing.tsv: No such file' compare --with missing.tsv "${good[@]}"
    expect_refusal "no table of BLAST" 'bad.tsv:1: 1 column' compare --with bad.tsv "${good[@]}"
    expect_refusal "a FASTA for a table" 'q.fa:1: ' compare --with q.fa "${good[@]}"
    expect_refusal "an unknown subject" "stranger.tsv:1: the subject 'd' is no record of d.fa" \
        compare --with stranger.tsv "${good[@]}"
    expect_refusal "behind the query's end" "long.tsv:1: .*end of the query 'q' \(3000 bases\)" \
        compare --with long.tsv "${good[@]}"
    sed 's/^>.*/>q/' q.fa q.fa >twins.fa
    expect_refusal "two records of one name" "twins.fa: two records are called 'q'" \
        compare --with rows.tsv -q twins.fa -d d.fa
    head -c 40 rows.tsv.gz >cut.tsv.gz
    expect_refusal "a truncated table" 'cut.tsv.gz:.*truncated' compare --with cut.tsv.gz "${good[@]}"
    expect_refusal "two standard inputs" 'only one' compare --with - -q - -d d.fa
    expect_refusal "an option of run that says nothing here" "no such option '--timeline'" \
        compare --with rows.tsv "${good[@]}" --timeline t.json
    expect_refusal "a percentage above 100" "--least '101': expected" compare --with rows.tsv "${good[@]}" --least 101
    expect_refusal "a full disk" 'full' compare --with rows.tsv "${good[@]}" -o /dev/full
    expect_refusal "a stray argument" "unexpected argument 'more'" compare --with rows.tsv "${good[@]}" more
    compare --help
    says "help" '^Usage: mercury compare'
    check_not "no line of the help is longer than 80 columns" grep -E '^.{81}' "$scratch/out"
}

# 60,000 bases of H. pylori against the other strain, at every HSP: blastn's alignments, all of them.
test_blastn() {
    if ! have blastn || [ ! -f "$lambda" ] || [ ! -f "$ecoli" ] || [ ! -f "$pylori" ]; then
        skip "what blastn finds is covered" "no blastn, or no genomes"
        return
    fi
    gzip -dc "$lambda" >lambda.fa
    gzip -dc "$ecoli" >ecoli.fa
    gzip -dc "$pylori" | awk '/^>/ { n++ } { print > "pylori" n ".fa" }'
    blastn_rows lambda.fa ecoli.fa 10 >blastn.tsv
    compare --with blastn.tsv -q lambda.fa -d ecoli.fa -e 10 --fail-under 99.9
    says "lambda x E. coli, E <= 10: all of blastn's" '^  covered +43 +100.000%'
    { echo '>pylori'; sed -n '6900,7800p' pylori1.fa; } >part.fa
    blastn_rows part.fa pylori2.fa 1e-3 >blastn.tsv
    compare --with blastn.tsv -q part.fa -d pylori2.fa --set stage2.threshold=11 -j 2 --fail-under 99.9
    check_number "a part of H. pylori x H. pylori, all HSPs: at least 99.9 % of blastn's" "$status" == 0
    says "and of those with the same ends all counts and scores are equal" '0 of them with other counts, 0$'
    compare --with blastn.tsv -q part.fa -d pylori2.fa --set stage2.threshold=40 --set stage2.edge_rule=0 --fail-under 99.9
    check_number "at a threshold of 40 it is less" "$status" == 1
    says "lost at stage 2" '^    stage 2 +[1-9]'
}

make_input
: >nothing.tsv
test_own_alignments
test_e_values_of_0
test_whole_names
test_scores
test_short_query
test_stages
test_run
test_other_scores
test_bad_input
test_blastn
finish
