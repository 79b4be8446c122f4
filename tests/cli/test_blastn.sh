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
    for bases in 60000 $(many 100 4000); do
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
    for limit in -perc_identity=95 -qcov_hsp_perc=0.6 $(many -perc_identity=90 -qcov_hsp_perc=0.3); do
        blastn_lines part.fa "${limit%=*}" "${limit#*=}" >blastn.tsv
        mercury_lines part.fa "${limit%=*}" "${limit#*=}" >mercury.tsv
        agree "${limit/=/ }: blastn's lines, but for one" 1
    done
}

# What lies on an alignment of too little identity would lead to it again: many pieces of a long one.
test_limited_work() {
    local identity
    if ! can_flatten; then
        skip "work under a least identity" "neither python3 nor jq"
        return
    fi
    for identity in 0 95; do
        search -q part.fa -d pylori.fa --perc-identity "$identity" -o "work_$identity" --no-report --quiet
        flatten "work_$identity/summary.json" >"work_$identity.flat"
    done
    check_number "a least identity costs stage 3 at most a fifth more cells" \
        "$(number work_95.flat stage_3/cells)" '<' "1.2 * $(number work_0.flat stage_3/cells)"
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
    check_number "99.5% of what blastn finds, ends of reads included" "$(wc -l <mercury.tsv)" '>=' "0.995 * $(wc -l <blastn.tsv)"
}

# --- blastn's command line

# The scores of the task are replaced.
test_command_line() {
    local scores line given
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
    given=(-task=blastn -reward=1 -penalty=-4 -gapopen=1 -gapextend=2 -word_size=11 -dust=no -evalue=1e-3 -outfmt=6 -max_target_seqs=5
        -query=short.fa -subject=pylori.fa)
    blastn "${given[@]}" >blastn.tsv
    run run "${given[@]}" -out=equals.tsv
    check_same "the lines of blastn where values stand behind =" blastn.tsv equals.tsv
}

# --- ambiguous bases

# ambiguous SEED: replaces about 3 bases in 1,000 of its input by codes that may be them.
ambiguous() {
    awk -v x="$1" 'BEGIN {
        modulus = 2147483647
        x = x * 7919 + 1
        split("A RMWDHVN C YMSBHVN G RKSBDVN T YKWBDHN", sets)
        for (i = 1; i in sets; i += 2) codes[sets[i]] = sets[i + 1]
    }
    /^>/ { print; next }
    {
        line = $0
        for (i = 1; i <= length(line); i++) {
            x = x * 16807 % modulus
            if (x % 1000 < 3) line = substr(line, 1, i - 1) substr(codes[substr(line, i, 1)], x % 7 + 1, 1) substr(line, i + 1)
        }
        print line
    }'
}

# E-values are left out: blastn's lambda of a record depends on its codes other than N. What blastn looks for at random
# bases in place of a subject's codes, and may find or miss, are weak alignments: lambda x E. coli has none of them.
test_ambiguous_bases() {
    local of columns="qstart qend sstart send length nident mismatch gapopen score" lambda ecoli
    lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
    ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
    if [ ! -f "$lambda" ] || [ ! -f "$ecoli" ]; then
        skip "ambiguous bases" "no $lambda or $ecoli (Debian: bowtie2-examples, bowtie-examples)"
        return
    fi
    gzip -dc "$lambda" >clear_query.fa
    ambiguous 1 <clear_query.fa >vague_query.fa
    prophages "$ecoli" >clear_subject.fa
    ambiguous 2 <clear_subject.fa >vague_subject.fa
    for of in "vague clear" "clear vague" "vague vague"; do
        blastn "${like_mercury[@]}" -evalue 1e-3 -outfmt "6 $columns" -query "${of% *}_query.fa" -subject "${of#* }_subject.fa" |
            sort >blastn.tsv
        "$mercury" run -p "$platform" -f "6 $columns" -q "${of% *}_query.fa" -d "${of#* }_subject.fa" --quiet | sort >mercury.tsv
        check_same "$of query and subject: blastn's lines" blastn.tsv mercury.tsv
    done
    check_number "there are a dozen lines or more" "$(wc -l <mercury.tsv)" '>=' 12
    check_number "there are 100 ambiguous bases or more" "$(grep -v '>' vague_query.fa | grep -o '[^ACGT]' | wc -l)" '>=' 100
}

# Pairs of codes: blastn's score is 331 of 400 columns, 20 of which differ.
test_pairs_of_codes() {
    local i at=(100 110 120 130 140 150 160 170 180 190 200 210 220 230 240 250 260 270 280 290 300 310)
    local pairs=(NA AN RA RG RC RR RY RN YC MA KG WS BC DD HA VN SG WA NR KM BA BV) query subject
    query=$(dna 3 400 | tr -d '\n')
    subject=$query
    for i in "${!pairs[@]}"; do
        query=${query:0:at[i]}${pairs[i]:0:1}${query:at[i]+1}
        subject=${subject:0:at[i]}${pairs[i]:1:1}${subject:at[i]+1}
    done
    printf '>q\n%s\n' "$query" >q.fa
    printf '>s\n%s\n' "$subject" >s.fa
    { echo '>s'; sed 1d s.fa | tr ACGTRYMKWSBDHVN TGCAYRKMWSVHDBN | rev; } >reversed.fa
    for i in s reversed; do
        blastn "${like_mercury[@]}" -outfmt "6 score nident mismatch positive btop qseq sseq" -query q.fa -subject "$i.fa" >blastn.tsv
        run run -p "$platform" -f "6 score nident mismatch positive btop qseq sseq" -q q.fa -d "$i.fa" --quiet
        check_same "pairs of ambiguity codes score and look as in blastn: $i" blastn.tsv "$scratch/out"
    done
}

make_input
test_neighbours
test_contigs
test_limits
[ -n "$few" ] || test_limited_work # it counts cells
test_coverage
test_reads
test_command_line
test_ambiguous_bases
test_pairs_of_codes
finish
