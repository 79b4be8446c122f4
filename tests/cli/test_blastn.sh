#!/bin/bash
# test_blastn.sh MERCURY SOURCE_DIRECTORY - a genome's alignments are blastn's, whatever else is in the query, and blastn's
# command line gives them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

pylori=/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
[ -f "$pylori" ] || skip_all "no $pylori (Debian: sibelia-examples)"
have blastn || skip_all "no blastn"
begin "$@"

like_mercury=(-task blastn -word_size 11 -dust no -reward 1 -penalty -3 -gapopen 5 -gapextend 2 -evalue 1e-3)
columns="qseqid qstart qend sstart send length nident mismatch gapopen score evalue"

make_input() {
    gzip -dc "$pylori" | awk '/^>/ { n++ } n == 1' >strain.fa
    gzip -dc "$pylori" | awk '/^>/ { n++ } n == 2' >pylori.fa
}

blastn_lines() { # QUERY ARGUMENT...
    local query=$1
    shift
    blastn "${like_mercury[@]}" -outfmt "6 $columns" -query "$query" -subject pylori.fa "$@" | sort
}

mercury_lines() { # QUERY ARGUMENT...
    local query=$1
    shift
    "$mercury" run -p "$platform" -f "6 $columns" -q "$query" -d pylori.fa --quiet "$@" | sort
}

differing() { # FILE FILE: number of lines that only one of them has
    comm -3 "$1" "$2" | wc -l
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
    check_number "at most 2 of the contigs' lines are not blastn's" "$(comm -13 blastn.tsv mercury.tsv | wc -l)" '<=' 2
    check_number "at most 2 of blastn's lines are missing" "$(comm -23 blastn.tsv mercury.tsv | wc -l)" '<=' 2
}

make_input
test_neighbours
test_contigs
finish
