#!/bin/bash
# test_blastn.sh MERCURY SOURCE_DIRECTORY - a genome's alignments are blastn's, whatever else is in the query, and blastn's
# command line gives them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

pylori=/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
[ -f "$pylori" ] || skip_all "no $pylori (Debian: sibelia-examples)"
have blastn || skip_all "no blastn"
begin "$@"

like_mercury=(-task blastn -word_size 11 -dust no -reward 1 -penalty -3 -gapopen 5 -gapextend 2)
columns="qseqid qstart qend sstart send length nident mismatch gapopen score evalue"

make_input() {
    gzip -dc "$pylori" | awk '/^>/ { n++ } n == 1' >strain.fa
    gzip -dc "$pylori" | awk '/^>/ { n++ } n == 2' >pylori.fa
}

blastn_lines() { # QUERY ARGUMENT...
    local query=$1
    shift
    blastn "${like_mercury[@]}" -evalue "${evalue:-1e-3}" -outfmt "6 $columns" -query "$query" -subject pylori.fa "$@" | sort
}

mercury_lines() { # QUERY ARGUMENT...
    local query=$1
    shift
    "$mercury" run -p "$platform" -f "6 $columns" -q "$query" -d pylori.fa --quiet "$@" | sort
}

# agree DESCRIPTION MOST: at most so many lines are only in blastn.tsv or only in mercury.tsv, each.
agree() {
    local problem=''
    [ -s blastn.tsv ] || problem='blastn finds nothing'
    [ "$(comm -23 blastn.tsv mercury.tsv | wc -l)" -le "$2" ] && [ "$(comm -13 blastn.tsv mercury.tsv | wc -l)" -le "$2" ] ||
        problem=$(diff blastn.tsv mercury.tsv)
    report "$1" "$problem"
}

# --- neighbours

# The cutoff of a record of 100 bases is some scores below that of 1.6 Mb: blastn's lines of the long one do not depend on
# it. Records of 4,000 and 60,000 bases also move the borders of segments, at which alignments are found in pieces.
test_neighbours() {
    local bases
    mercury_lines strain.fa >alone.tsv
    for bases in 100 4000 60000; do
        { echo '>random'; dna "$bases" "$bases"; } >random.fa
        cat random.fa strain.fa >after.fa
        cat strain.fa random.fa >before.fa
        mercury_lines after.fa | grep -v '^random' >after.tsv
        check_same "the lines of a genome after a record of $bases random bases" alone.tsv after.tsv
        [ -z "$few" ] || continue
        mercury_lines before.fa | grep -v '^random' >before.tsv
        check_same "the lines of a genome before a record of $bases random bases" alone.tsv before.tsv
    done
}

# Contigs of 1 to 40 kb.
test_contigs() {
    awk '/^>/ { next }
        left <= 0 { contig++; print ">contig" contig; left = contig * 7919 % 571 + 15 }
        { print; left-- }' strain.fa >contigs.fa
    check_number "there are 75 contigs or more" "$(grep -c '>' contigs.fa)" '>=' 75
    blastn_lines contigs.fa >blastn.tsv
    mercury_lines contigs.fa >mercury.tsv
    agree "at most 2 lines of the contigs are not blastn's" 2
}

# --- limits

# A long alignment of too little identity is dropped before it hides or cuts others. A coverage counts with half a per cent
# more: 0.3 is no limit then.
test_limits() {
    head -n 7001 strain.fa >part.fa # 490 kb
    local limit
    for limit in -perc_identity=90 -perc_identity=95 -qcov_hsp_perc=0.3 -qcov_hsp_perc=0.6; do
        blastn_lines part.fa "${limit%=*}" "${limit#*=}" >blastn.tsv
        mercury_lines part.fa "${limit%=*}" "${limit#*=}" >mercury.tsv
        agree "${limit/=/ }: blastn's lines, but for one" 1
    done
}

# Of a gene of 2,000 bases 1,404 are found: with the half per cent 70.7%.
test_coverage() {
    { echo '>gene'; dna 7 1404; dna 8 596; } >gene.fa
    { echo '>subject'; dna 9 600; dna 7 1404; dna 10 600; } >subject.fa
    local limit
    for limit in 70 70.5 70.8; do
        blastn "${like_mercury[@]}" -evalue "${evalue:-1e-3}" -outfmt "6 $columns" -query gene.fa -subject subject.fa -qcov_hsp_perc "$limit" >blastn.tsv
        run run -p "$platform" -f "6 $columns" -q gene.fa -d subject.fa --quiet -qcov_hsp_perc "$limit"
        report "-qcov_hsp_perc $limit of an alignment of 70.2%" "$(diff blastn.tsv "$scratch/out" 2>&1)"
    done
    check_number "70.8% are too many" "$(wc -l <blastn.tsv)" == 0
}

# --- reads

# Reads of 70 bases: 70 x 1.7 million columns give a score of 12 an E-value of 0.711 e^(-12 x 1.374) x 1.2e8 = 6, which
# is less than stage 2's threshold of 13 asks for. At 12 nearly all of blastn's alignments are there, and no others.
test_reads() {
    awk '!/>/ && NR % 400 == 0 { print ">read" NR; print }' strain.fa >reads.fa
    run run -p "$platform" -q reads.fa -d pylori.fa -e 10
    check "a threshold that is too high for reads is told" grep -q \
        '^threshold   13 in stage 2, where E <= 10 allows a score of 12 (' "$scratch/err"
    run run -p "$platform" -q reads.fa -d pylori.fa
    check_not "with fewer alignments it is not too high" grep -q '^threshold' "$scratch/err"
    evalue=10 blastn_lines reads.fa -max_target_seqs 5000 >blastn.tsv
    mercury_lines reads.fa -evalue 10 --set stage2.threshold=12 >mercury.tsv
    check_number "nothing is found that blastn does not find" "$(comm -13 blastn.tsv mercury.tsv | wc -l)" == 0
    check_number "98% of what blastn finds" "$(wc -l <mercury.tsv)" '>=' "0.98 * $(wc -l <blastn.tsv)"
}

# --- blastn's command line

# The scores of the task are replaced.
test_command_line() {
    local scores line
    head -n 301 strain.fa >short.fa
    for scores in "blastn -reward 1 -penalty -3 -gapopen 5 -gapextend 2" "blastn -reward 1 -penalty -2 -gapopen 2 -gapextend 2" \
        "blastn -reward 1 -penalty -4 -gapopen 1 -gapextend 2"; do
        line="-task $scores -word_size 11 -dust no -evalue 1e-3 -outfmt 6 -query short.fa -subject pylori.fa -out"
        # shellcheck disable=SC2086 # words
        blastn $line blastn.tsv
        # shellcheck disable=SC2086
        run run $line mercury.tsv
        check_same "mercury run -task $scores: the lines of blastn" blastn.tsv mercury.tsv
    done
}

make_input
test_neighbours
test_contigs
test_limits
test_coverage
test_reads
test_command_line
finish
