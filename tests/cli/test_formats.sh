#!/bin/bash
# test_formats.sh MERCURY SOURCE_DIRECTORY - scores, masks, limits and formats of alignments, against blastn and samtools.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
pylori=/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
[ -f "$lambda" ] || skip_all "no $lambda (Debian: bowtie2-examples)"
[ -f "$ecoli" ] || skip_all "no $ecoli (Debian: bowtie-examples)"
begin "$@"

classic=(-task blastn -reward 1 -penalty -3 -gapopen 5 -gapextend 2)
all_columns="qseqid qacc qaccver qlen sseqid sallseqid sacc saccver sallacc slen qstart qend sstart send evalue bitscore \
score length pident nident mismatch positive gapopen gaps ppos frames qframe sframe stitle salltitles sstrand qcovs qcovhsp"

# blast_with OUTFMT QUERY DATABASE ARGUMENT...: blastn as sensitive as Mercury
blast_with() {
    local format=$1 query=$2 database=$3
    shift 3
    blastn -word_size 11 -dust no -evalue 1e-3 -outfmt "$format" -query "$query" -db "$database" "$@"
}

# mercury_with FORMAT QUERY DATABASE ARGUMENT...
mercury_with() {
    local format=$1 query=$2 database=$3
    shift 3
    "$mercury" run -p "$platform" -f "$format" -q "$query" -d "$database.fa" --quiet "$@" 2>/dev/null
}

# Lambda, and a piece of it reversed, in one file; the part of E. coli that is most like it; a piece of one H. pylori and the
# whole of another; many short subjects.
make_input() {
    gzip -dc "$lambda" >query.fa
    { echo '>reversed a piece, the other way round'; gzip -dc "$lambda" | sed -n 150,400p | reverse_complement | fold -w 70; } >>query.fa
    prophages "$ecoli" >coli.fa
    for i in 1 2 3 4 5 6 7 8 9; do
        for j in 1 2 3; do
            echo ">subject_$i.$j of many"
            sed -n "$((i * 60 + j)),$((i * 60 + 5 * j + 5))p" query.fa | grep -v '>' | mutate "$i$j"
            dna "$i$j" 300
            sed -n "$((i * 65)),$((i * 65 + 10))p" query.fa | grep -v '>' | reverse_complement | fold -w 70 | mutate "$j$i"
        done
    done >many.fa
    [ -f "$pylori" ] || return
    gzip -dc "$pylori" | awk '/^>/ { n++ } n == 1' | head -n 2001 >strain.fa
    gzip -dc "$pylori" | awk '/^>/ { n++ } n == 2' >pylori.fa
}

make_databases() {
    local name
    for name in coli many pylori; do
        [ ! -f "$name.fa" ] || makeblastdb -in "$name.fa" -dbtype nucl -out "$name" >/dev/null || return
    done
}

# --- scores

test_presets() {
    blast_with 6 query.fa coli "${classic[@]}" >blastn.tsv
    mercury_with 6 query.fa coli --scores classic >mercury.tsv
    check_same "--scores classic: blastn's lines" blastn.tsv mercury.tsv
    blast_with "6 std score" query.fa coli -task blastn -reward 2 -penalty -3 -gapopen 5 -gapextend 2 >blastn.tsv
    mercury_with "6 std score" query.fa coli --scores blastn >mercury.tsv
    check_same "--scores blastn: blastn's lines with raw scores" blastn.tsv mercury.tsv
    blast_with "6 std score" query.fa coli -task megablast -reward 1 -penalty -2 -gapopen 0 -gapextend 0 >blastn.tsv
    mercury_with "6 std score" query.fa coli --scores megablast >mercury.tsv
    # Greedy extension keeps ends that add nothing to the score, and takes other ways of equal score through gaps; so the
    # alignments agree in score, bits and E-value, lie on each other, and differ in a few columns at their ends.
    check "--scores megablast: blastn's alignments by score, bits, E-value and place" covered blastn.tsv mercury.tsv
    check_number "--scores megablast: not many more" "$(wc -l <mercury.tsv)" '<=' "1.1 * $(wc -l <blastn.tsv)"
}

# covered BLASTN MERCURY: every line of the first has one of the second with the same scores that lies inside it.
covered() {
    awk -F '\t' '
        function low(a, b) { return a < b ? a : b }
        function high(a, b) { return a < b ? b : a }
        NR == FNR { n++; key[n] = $1 FS $11 FS $12 FS $13 FS ($9 < $10); q1[n] = $7; q2[n] = $8; s1[n] = low($9, $10); s2[n] = high($9, $10); next }
        {
            found = 0
            for (i = 1; i <= n && !found; i++)
                found = key[i] == $1 FS $11 FS $12 FS $13 FS ($9 < $10) && q1[i] >= $7 && q2[i] <= $8 && s1[i] >= low($9, $10) &&
                    s2[i] <= high($9, $10) && q2[i] - q1[i] >= 0.8 * ($8 - $7)
            if (!found) { print "not covered: " $0; bad = 1 }
            lines++
        }
        END { exit bad || lines < 10 }' "$2" "$1"
}

# Every pair of scores of NCBI's tables, with linear gaps where they have them and with other costs: bits and E-values. Of 42
# bases one differs, so that a score is odd wherever the match or the mismatch is.
test_score_tables() {
    local match mismatch open extend problem count=0 number=0
    { echo '>short'; sed -n 2p coli.fa | cut -c 1-42 | sed 's/\(.\{21\}\)[AC]/\1G/; t; s/\(.\{21\}\)./\1A/'; } >short.fa
    while read -r match mismatch open extend; do
        [ -z "$few" ] || [ $((number++ % 4)) -eq 0 ] || continue
        local task=blastn
        [ "$open$extend" != 00 ] || task=megablast
        blast_with "6 score bitscore evalue" short.fa coli -task "$task" -reward "$match" -penalty "$mismatch" -gapopen "$open" \
            -gapextend "$extend" | head -n 1 >blastn.tsv
        mercury_with "6 score bitscore evalue" short.fa coli -s plus --set score.match="$match" --set score.mismatch="$mismatch" \
            --set score.gap_open="$open" --set score.gap_extend="$extend" | head -n 1 >mercury.tsv
        cmp -s blastn.tsv mercury.tsv && [ -s blastn.tsv ] ||
            problem+="$match $mismatch $open $extend: $(cat mercury.tsv), blastn $(cat blastn.tsv)"$'\n'
        count=$((count + 1))
    done <<'END'
1 -5 3 3
1 -5 0 0
1 -4 0 2
1 -4 0 0
2 -7 2 4
2 -7 0 0
1 -3 1 1
1 -3 0 0
2 -5 4 2
2 -5 0 0
1 -2 3 1
1 -2 0 0
2 -3 2 4
2 -3 0 0
3 -4 5 3
4 -5 6 5
4 -5 0 0
1 -1 3 2
3 -2 5 5
5 -4 10 6
END
    report "scores, bits and E-values under $count score systems are blastn's" "${problem:-}"
}

test_threshold() {
    run run -p "$platform" --scores blastn --dump-config
    check "stage 2's threshold goes with the scores" grep -q '^stage2.threshold	28	' "$scratch/out"
    run run -p "$platform" --scores blastn --set stage2.threshold=31 --dump-config
    check "unless it is set" grep -q '^stage2.threshold	31	' "$scratch/out"
    run run -p "$platform" --scores megablast --set score.mismatch=-3 --set score.gap_open=5 --set score.gap_extend=2 --dump-config
    check "--set goes on top of --scores" grep -q '^stage2.threshold	13	' "$scratch/out"
}

# --- a part of the query

# Of records that end inside of the range blastn prints the range's length as qlen, and takes qcovs of it: those columns are
# left out there.
test_query_loc() {
    local range columns
    for range in 10000-17000 404-2000 12896-12999 15000-90000; do
        columns="6 std qlen score nident gaps qcovs qcovhsp sstrand"
        [ "$range" != 15000-90000 ] || columns="6 std score nident gaps sstrand"
        blast_with "$columns" query.fa coli "${classic[@]}" -query_loc "$range" >blastn.tsv
        mercury_with "$columns" query.fa coli --query-loc "$range" >mercury.tsv
        check_same "--query-loc $range: blastn's lines" blastn.tsv mercury.tsv
    done
    blastn "${classic[@]}" -word_size 11 -evalue 1e-3 -outfmt 6 -query query.fa -db coli -query_loc 10000-17000 -dust yes \
        -strand minus >blastn.tsv
    mercury_with 6 query.fa coli -query_loc 10000-17000 --dust yes -s minus >mercury.tsv
    check_same "-query_loc with masks and one strand" blastn.tsv mercury.tsv
    blast_with 0 query.fa coli "${classic[@]}" -query_loc 404-2000 | grep -E '^(Query|Sbjct) ' >blastn.txt
    mercury_with 0 query.fa coli --query-loc 404-2000 | grep -E '^(Query|Sbjct) ' >mercury.txt
    check_same "--query-loc: positions in pairwise text" blastn.txt mercury.txt
}

# SAM, BAM and PAF tell positions of the whole query: what was not searched is clipped, and what was is there to be checked.
test_query_loc_mappings() {
    search -q query.fa -d coli.fa --query-loc 10000-17000 -f sam -o part --quiet
    check "run.json has the range" grep -q '"query_loc": "10000-17000"' part/run.json
    check "records.tsv has the length of the whole query" grep -q '	48502	0$' part/records.tsv
    mercury_with "6 qstart qend" query.fa coli --query-loc 10000-17000 | awk '{ print $1 - 1 "\t" $2 }' >expected.tsv
    mercury_with paf query.fa coli --query-loc 10000-17000 | cut -f 3,4 >places.tsv
    check_same "PAF: places in the whole query" expected.tsv places.tsv
    if ! have samtools; then
        skip "SAM: samtools" "no samtools"
        return
    fi
    # An alignment of a long read as samtools sees it: clips and bases add up to the whole read.
    samtools view part/alignments.sam | awk '{ n = 0; cigar = $6
        while (match(cigar, /[0-9]+[SHIX=]/)) { n += substr(cigar, RSTART, RLENGTH - 1); cigar = substr(cigar, RSTART + RLENGTH) }
        print $1, n }' | sort -u | awk '{ print $2 }' >lengths
    printf '48502\n17570\n' >expected
    check_same "SAM: clips and bases are the whole query" expected lengths
    samtools calmd part/alignments.sam coli.fa 2>/dev/null | grep -v '^@PG' >called.sam
    grep -v '^@PG' part/alignments.sam >expected.sam
    check_same "SAM: samtools calmd finds every NM and MD right" expected.sam called.sam
}

test_query_loc_refusals() {
    local range
    for range in 0-5 5 20-10 1-x; do
        expect_refusal "--query-loc $range" "--query-loc '$range': expected FIRST-LAST" \
            run -q query.fa -d coli.fa --query-loc "$range"
    done
    expect_refusal "--query-loc after the end" 'no sequence of query.fa has a base 60000' \
        run -p "$platform" -q query.fa -d coli.fa --query-loc 60000-70000
    expect_refusal "--query-loc of less than a seed" 'query-loc 1-9: .*no 11 consecutive bases' \
        run -p "$platform" -q query.fa -d coli.fa --query-loc 1-9
    expect_refusal "--query-loc and a record" 'a record .*is of whole queries' \
        run -q query.fa -d coli.fa --query-loc 1-900 --record tokens
}

# --- limits

test_limits() {
    local n
    for n in 90 95; do
        blast_with 6 query.fa many "${classic[@]}" -perc_identity "$n" >blastn.tsv
        mercury_with 6 query.fa many --perc-identity "$n" >mercury.tsv
        check_same "--perc-identity $n" blastn.tsv mercury.tsv
    done
    for n in 0.5 2; do
        blast_with 6 query.fa many "${classic[@]}" -qcov_hsp_perc "$n" >blastn.tsv
        mercury_with 6 query.fa many -qcov_hsp_perc "$n" >mercury.tsv
        check_same "--qcov-hsp-perc $n" blastn.tsv mercury.tsv
    done
    for n in 1 2 4; do
        blast_with 6 query.fa many "${classic[@]}" -max_hsps "$n" >blastn.tsv
        mercury_with 6 query.fa many --max-hsps "$n" >mercury.tsv
        check_same "--max-hsps $n" blastn.tsv mercury.tsv
        blast_with 6 query.fa many "${classic[@]}" -max_target_seqs "$n" >blastn.tsv 2>/dev/null
        mercury_with 6 query.fa many --max-target-seqs "$n" >mercury.tsv
        check_same "--max-target-seqs $n" blastn.tsv mercury.tsv
    done
    mercury_with 6 query.fa many --max-target-seqs 1000000000 --max-hsps 1000000000 >mercury.tsv
    mercury_with 6 query.fa many >all.tsv
    check_same "limits that nothing reaches" all.tsv mercury.tsv
}

# --- masks

test_masks() {
    blastn -word_size 11 -dust yes -evalue 1e-3 -outfmt 6 -query query.fa -db coli "${classic[@]}" >blastn.tsv
    mercury_with 6 query.fa coli --dust yes >mercury.tsv
    check_same "--dust yes: lambda x E. coli as with blastn" blastn.tsv mercury.tsv
    if [ ! -f pylori.fa ]; then
        skip "masks on H. pylori" "no $pylori (Debian: sibelia-examples)"
        return
    fi
    # Lower case in stretches of 700 bases, so that masked and unmasked alignments are there.
    awk 'NR > 1 && int(NR / 10) % 2 { print tolower($0); next } { print }' strain.fa >lower.fa
    local dust lines
    for dust in yes '10 32 3'; do
        blastn -word_size 11 -dust "$dust" -evalue 1e-3 -outfmt 6 -query strain.fa -db pylori "${classic[@]}" | sort >blastn.tsv
        mercury_with 6 strain.fa pylori --dust "$dust" -j 2 | sort >mercury.tsv
        check_number "--dust '$dust': of blastn's alignments in a piece of H. pylori 95 in 100 are ours to the letter" \
            "$(comm -12 blastn.tsv mercury.tsv | wc -l)" '>=' "0.95 * $(wc -l <blastn.tsv)"
    done
    mercury_with 6 strain.fa pylori -j 2 >unmasked.tsv
    blastn -lcase_masking -word_size 11 -dust no -evalue 1e-3 -outfmt 6 -query lower.fa -db pylori "${classic[@]}" | sort >blastn.tsv
    mercury_with 6 lower.fa pylori --lcase-masking -j 2 | sort >mercury.tsv
    lines=$(wc -l <mercury.tsv)
    check_number "--lcase-masking: 95 in 100 of blastn's alignments are ours to the letter" \
        "$(comm -12 blastn.tsv mercury.tsv | wc -l)" '>=' "0.95 * $(wc -l <blastn.tsv)"
    check_number "--lcase-masking masks" "$lines" '<' "$(wc -l <unmasked.tsv)"
    mercury_with 6 lower.fa pylori -j 2 >mercury.tsv
    check_same "without --lcase-masking lower case is as good as upper case" unmasked.tsv mercury.tsv
}

test_all_masked() {
    { echo '>q'; dna 3 500 | tr ACGT acgt; } >masked.fa
    { echo '>d'; dna 3 2000; } >database.fa
    search -q masked.fa -d database.fa --lcase-masking -o masked
    report "a query that is masked throughout finds nothing" "$(success_problem; cat masked/alignments.tsv)"
    check "its masked bases are told" grep -q "^masked  *500 of the query's 500 bases" "$scratch/out"
    check "and are in run.json" grep -q '"masked_bases": 500' masked/run.json
    check_not "no number of its summary is not one" grep -q -i 'nan' "$scratch/out"
}

# --- formats

test_columns() {
    blast_with "6 $all_columns" query.fa coli "${classic[@]}" >blastn.tsv
    mercury_with "6 $all_columns" query.fa coli >mercury.tsv
    check_same "all columns without letters" blastn.tsv mercury.tsv
    blast_with "7 $all_columns std" query.fa coli "${classic[@]}" | grep -v -E '^# (BLASTN|Database)' >blastn.tsv
    mercury_with "7 $all_columns std" query.fa coli | grep -v -E '^# (MERCURY|Database)' >mercury.tsv
    check_same "format 7 with all columns: rows and comments" blastn.tsv mercury.tsv
    # A gap may stand anywhere in a repeat for the same score: letters are compared with gaps moved left as far as they go.
    blast_with "6 qseq sseq" query.fa coli "${classic[@]}" >blastn.seq
    mercury_with "6 qseq sseq" query.fa coli >mercury.seq
    if have python3; then
        move_gaps_left <blastn.seq >blastn.left
        move_gaps_left <mercury.seq >mercury.left
        check_same "qseq and sseq, gaps moved left" blastn.left mercury.left
    else
        skip "qseq and sseq, gaps moved left" "no python3"
    fi
    check_number "most are the same without moving" "$(diff blastn.seq mercury.seq | grep -c '^>')" '<=' 3
}

move_gaps_left() {
    python3 -c '
import sys
for line in sys.stdin:
    rows = [list(row) for row in line.rstrip("\n").split("\t")]
    for gapped, other in ((0, 1), (1, 0)):
        a, b = rows[gapped], rows[other]
        end = 0
        while end < len(a):
            if a[end] != "-":
                end += 1
                continue
            begin = end
            while end < len(a) and a[end] == "-":
                end += 1
            last = end
            while begin > 0 and a[begin - 1] == b[begin - 1] == b[last - 1]:
                a[begin - 1], a[last - 1] = "-", a[begin - 1]
                begin, last = begin - 1, last - 1
    print("".join(rows[0]), "".join(rows[1]), sep="\t")'
}

# What btop says is what the letters say.
test_btop() {
    mercury_with "6 qseq sseq btop length nident" query.fa coli >mercury.tsv
    check "btop tells qseq from sseq" awk -F '\t' '{
            q = s = ""; rest = $3; at = 1; same = 0
            while (rest != "") {
                if (match(rest, /^[0-9]+/)) {
                    n = substr(rest, 1, RLENGTH) + 0
                    if (substr($1, at, n) != substr($2, at, n)) exit 1
                    at += n; same += n
                } else {
                    RLENGTH = 2
                    if (substr($1, at, 1) substr($2, at, 1) != substr(rest, 1, 2)) exit 1
                    at++
                }
                rest = substr(rest, RLENGTH + 1)
            }
            if (at - 1 != $4 || same != $5) exit 1
        } END { exit NR < 15 }' mercury.tsv
}

# The score of every alignment is that of its columns: match, mismatch, opening and column of a gap; rounded down.
test_recomputed_scores() {
    local name costs
    while read -r name costs; do
        mercury_with "6 qseq sseq score" query.fa coli --scores "$name" >mercury.tsv
        check "--scores $name: the score of an alignment is that of its columns" awk -F '\t' -v costs="$costs" '
            BEGIN { split(costs, cost, " ") }
            {
                n = split($1, q, ""); split($2, s, ""); sum = 0; before = ""
                for (i = 1; i <= n; i++) {
                    gap = q[i] == "-" ? "q" : s[i] == "-" ? "s" : ""
                    if (gap != "") sum -= cost[4] + (gap != before ? cost[3] : 0)
                    else sum += q[i] == s[i] ? cost[1] : cost[2]
                    before = gap
                }
                if (int(sum) != $3) { print $3, sum; exit 1 }
            } END { exit NR < 15 }' mercury.tsv
    done <<'END'
classic 1 -3 5 2
blastn 2 -3 5 2
megablast 1 -2 0 2.5
END
}

# blocks FILE: alignments of a pairwise report, each in one line.
blocks() {
    awk '/^ Score = / { inside = 1; if (block) print block; block = "" }
        /^(>|Lambda|Query=)/ { inside = 0 }
        inside { block = block $0 "|" }
        END { if (block) print block }' "$1" | sed 's/|*$//' | sort
}

test_pairwise() {
    blast_with 0 query.fa coli "${classic[@]}" >blastn.txt
    mercury_with 0 query.fa coli >mercury.txt
    blocks blastn.txt >blastn.blocks
    blocks mercury.txt >mercury.blocks
    check_number "pairwise text: as many alignments" "$(wc -l <mercury.blocks)" == "$(wc -l <blastn.blocks)"
    check_number "pairwise text: all but those whose gaps stand elsewhere (as in qseq) are the same to the letter" \
        "$(comm -13 blastn.blocks mercury.blocks | wc -l)" == "$(diff blastn.seq mercury.seq | grep -c '^>')"
    check "pairwise text: subject, length and statistics" grep -q -E '^>gi\|110640213\|ref\|NC_008253.1\| Escherichia coli 536, complete' mercury.txt
    grep 'Effective search space' blastn.txt >blastn.space
    grep 'Effective search space' mercury.txt >mercury.space
    check_same "pairwise text: search spaces" blastn.space mercury.space
}

test_sam() {
    mercury_with sam query.fa coli >mercury.sam
    mercury_with "6 qseqid sstrand qstart qend sstart send score" query.fa coli | sort >mercury.tsv
    # The same from flag, position and CIGAR.
    grep -v '^@' mercury.sam | awk -F '\t' -v OFS='\t' '{
            reverse = int($2 / 16) % 2; rest = $6; first = 0; query = 0; subject = 0; before = 0; after = 0
            while (match(rest, /^[0-9]+[=XIDSH]/)) {
                n = substr(rest, 1, RLENGTH - 1) + 0; operation = substr(rest, RLENGTH, 1)
                if (operation ~ /[=XI]/) query += n
                if (operation ~ /[=XD]/) subject += n
                if (operation ~ /[SH]/) { if (query == 0) before = n; else after = n }
                rest = substr(rest, RLENGTH + 1)
            }
            split($12, score, ":")
            if (reverse) print $1, "minus", after + 1, after + query, $4 + subject - 1, $4, score[3]
            else print $1, "plus", before + 1, before + query, $4, $4 + subject - 1, score[3]
        }' | sort >sam.tsv
    check_same "SAM: places and scores are those of the table" mercury.tsv sam.tsv
    check_number "SAM: one primary alignment a query" "$(grep -v '^@' mercury.sam | awk '!int($2 / 256) && $2 < 2048' | wc -l)" == 2
    if ! have samtools; then
        skip "SAM: samtools" "no samtools"
        return
    fi
    check "SAM: samtools quickcheck" samtools quickcheck -v mercury.sam
    samtools sort -o sorted.bam mercury.sam
    check "SAM: samtools sorts and indexes it" samtools index sorted.bam
    # calmd computes NM from the bases and complains where a line has another.
    samtools calmd sorted.bam coli.fa 2>&1 >called.sam | grep -i -E 'different|fail|error' >complaints
    check_number "SAM: samtools calmd finds every NM right" "$(wc -l <complaints)" == 0
    check_number "SAM: calmd read all lines" "$(grep -c -v '^@' called.sam)" == "$(wc -l <mercury.tsv)"
    mercury_with bam query.fa coli >mercury.bam
    check "BAM: samtools quickcheck" samtools quickcheck -v mercury.bam
    sed '/^@PG/d' mercury.sam >expected.sam
    samtools view -h --no-PG mercury.bam | sed '/^@PG/d' >from_bam.sam
    check_same "BAM has the lines of SAM" expected.sam from_bam.sam
    check "and the command that made it" grep -q "^@PG.*CL:mercury run .*query.fa" <(samtools view -H mercury.bam)
    # stats counts bases of SEQ that are = or X in primary and supplementary lines as mapped.
    check "SAM: samtools stats" samtools stats mercury.sam
}

# The command of @PG is what finds the same again: -j, --memory and --quiet change nothing.
test_command() {
    { echo '>q'; dna 1 500; } >small.fa
    search -j2 -s plus --memory 2G -f sam -q small.fa -d small.fa --quiet
    report "SAM: the command, without what no result depends on" "$(diff \
        <(echo "CL:mercury run -p $platform -s plus -f sam -q small.fa -d small.fa") <(grep '^@PG' "$scratch/out" | cut -f 5))"
}

# Equal intervals of the query have quality 0, and its other pieces are in SA.
test_mapping_quality() {
    { echo '>s'; dna 1 3000; dna 2 2000; dna 1 3000; dna 3 1000; } >twice.fa
    { echo '>q'; dna 3 1000; dna 1 3000; dna 4 500; dna 2 2000; } >pieces.fa
    mercury_with sam pieces.fa twice -s plus >pieces.sam
    grep -v '^@' pieces.sam | cut -f 2,4,5 | sort -k 2,2n >places.tsv
    printf '0\t1\t0\n2048\t3001\t60\n256\t5001\t0\n2048\t8001\t60\n' >expected.tsv
    check_same "SAM: a place that there is twice has MAPQ 0, others 60" expected.tsv places.tsv
    check_number "SAM: each piece tells the two others" "$(grep -c 'SA:Z:[^;]*;[^;]*;$' pieces.sam)" == 3
    check "SAM: place, strand, lengths, quality and NM of a piece" grep -q 'SA:Z:.*s,8001,+,1000M5500S,60,0;' pieces.sam
}

# 70 blocks of 300 bases in one order in the query and in another in the subject.
test_many_pieces() {
    local i order
    for ((i = 0; i < 70; i++)); do dna "1$i" 300 >"block_$i"; done
    { echo '>q'; for ((i = 0; i < 70; i++)); do cat "block_$i"; done; } >order.fa
    { echo '>s'; for ((i = 0; i < 70; i++)); do order=$((i * 29 % 70)); cat "block_$order"; done; } >shuffled.fa
    rm block_*
    mercury_with sam order.fa shuffled -s plus | grep -v '^@' >many.sam
    check_number "SAM: 70 pieces" "$(wc -l <many.sam)" == 70
    check_number "SAM: the primary line of 70 pieces tells all others" \
        "$(awk -F '\t' '$2 == 0 { print gsub(/;/, "", $0) }' many.sam)" == 69
    check_number "SAM: every supplementary line tells 64 others" \
        "$(awk -F '\t' '$2 == 2048 && gsub(/;/, "", $0) == 64' many.sam | wc -l)" == 69
    local primary
    primary=$(awk '$2 == 0 { print "SA:Z:s," $4 ",+," }' many.sam)
    check_number "SAM: the primary one first" "$(grep -c -F "$primary" many.sam)" == 69
}

# What samtools view -q keeps, also of a query without alignments.
test_least_mapping_quality() {
    { cat pieces.fa; echo '>nowhere'; dna 9 500; } >three.fa
    if have samtools; then
        mercury_with sam three.fa twice | samtools view -q 30 >expected.sam
        mercury_with sam three.fa twice --mapq 30 | grep -v '^@' >kept.sam
        check_same "--mapq 30: samtools view -q 30" expected.sam kept.sam
        mercury_with bam three.fa twice --mapq 30 | samtools view >kept.sam
        check_same "--mapq 30 of BAM" expected.sam kept.sam
    else
        skip "--mapq of SAM" "no samtools"
    fi
    mercury_with paf three.fa twice | awk '$12 >= 30' >expected.paf
    mercury_with paf three.fa twice --mapq 30 >kept.paf
    check_same "--mapq 30 of PAF" expected.paf kept.paf
    mercury_with bed three.fa twice | awk '$5 >= 60' >expected.bed
    mercury_with bed three.fa twice --mapq 60 >kept.bed
    check_same "--mapq 60 of BED" expected.bed kept.bed
    check_number "and that is not all" "$(wc -l <kept.bed)" '<' "$(mercury_with bed three.fa twice | wc -l)"
    expect_refusal "--mapq of a table" '--mapq 7: only sam, bam, paf and bed' run -q three.fa -d twice.fa --mapq 7
    expect_refusal "--mapq 61" 'a whole number from 0 to 60' run -q three.fa -d twice.fa -f sam --mapq 61
}

# PAF and BED say what SAM says.
test_paf_and_bed() {
    mercury_with paf query.fa coli >mercury.paf
    mercury_with bed query.fa coli >mercury.bed
    grep -v '^@' mercury.sam | awk -F '\t' -v OFS='\t' '{ cigar = $6; gsub(/[0-9]+[SH]/, "", cigar)
        role = int($2 / 256) % 2 ? "S" : "P"
        for (i = 12; i <= NF; i++) if ($i ~ /^NM/) nm = $i; else if ($i ~ /^AS/) as = $i
        print $1, int($2 / 16) % 2 ? "-" : "+", $3, $4 - 1, $5, "tp:A:" role, nm, as, "cg:Z:" cigar }' >from_sam.tsv
    awk -F '\t' -v OFS='\t' '{ print $1, $5, $6, $8, $12, $13, $14, $15, $17 }' mercury.paf >from_paf.tsv
    check_same "PAF: strand, place, quality, tags and CIGAR are those of SAM" from_sam.tsv from_paf.tsv
    mercury_with "6 qseqid qlen slen nident length" query.fa coli >counts.tsv
    check_same "PAF: lengths and counts are those of the table" counts.tsv <(cut -f 1,2,7,10,11 mercury.paf)
    cut -f 1,5,6,8,9,12 mercury.paf >places.paf
    awk -F '\t' -v OFS='\t' '{ print $4, $6, $1, $2, $3, $5 }' mercury.bed >places.bed
    check_same "BED: places are those of PAF" places.paf places.bed
    check "PAF: de counts a gap once" awk -F '\t' '{ m = g = d = 0; rest = substr($17, 6)
        while (match(rest, /^[0-9]+[=XID]/)) { n = substr(rest, 1, RLENGTH - 1); o = substr(rest, RLENGTH, 1)
            if (o == "=") m += n; else if (o == "X") d += n; else g++; rest = substr(rest, RLENGTH + 1) }
        split($16, de, ":"); if ((e = 1 - m / (m + d + g) - de[3]) > 6e-5 || e < -6e-5) exit 1 }' mercury.paf
    if have bedtools && have samtools; then
        bedtools bamtobed -i mercury.bam | cut -f 1-3 >bamtobed.tsv
        cut -f 1-3 mercury.bed >three.tsv
        check_same "BED: bedtools bamtobed of the BAM has the same first three columns" bamtobed.tsv three.tsv
    else
        skip "BED: bedtools bamtobed" "no bedtools"
    fi
    mercury_with csv query.fa coli >mercury.csv
    mercury_with 6 query.fa coli | tr '\t' , >commas.csv
    check_same "CSV is the table with commas" commas.csv mercury.csv
}

test_directory() {
    search -q query.fa -d coli.fa -s plus -o out --quiet
    search -q query.fa -d coli.fa -s plus -o out --quiet -f sam
    report "-o with -f sam" "$(success_problem)"
    check "-o with -f sam writes alignments.sam" grep -q '^@HD' out/alignments.sam
    check_not "and an older alignments.tsv is gone" test -e out/alignments.tsv
    search -q query.fa -d coli.fa -s plus -o out --quiet -f 0
    check "-o with -f 0 writes alignments.txt" grep -q '^ Strand=Plus/Plus' out/alignments.txt
    check_not "and an older alignments.sam is gone" test -e out/alignments.sam
    search -q query.fa -d coli.fa -s plus -o out --quiet -f paf
    check "-o with -f paf writes alignments.paf" grep -q 'cg:Z:' out/alignments.paf
    check_not "and an older alignments.txt is gone" test -e out/alignments.txt
}

test_jobs() {
    local format
    for format in "6 std btop" 0 sam; do
        [ -z "$few" ] || [ "$format" = sam ] || continue
        mercury_with "$format" query.fa coli -j 1 --set query.segment=4000 >one
        mercury_with "$format" query.fa coli -j 3 --set query.segment=4000 >three
        mercury_with "$format" query.fa coli >whole
        sed -i '/^@PG/d' one three whole # the commands differ
        check_same "-f '$format': the same with three jobs" one three
        check_same "-f '$format': the same in segments of 4,000 bases" whole one
    done
}

test_retime() {
    search -q query.fa -d coli.fa -s plus --record tokens -a run.tsv -f "7 std stitle qcovs score" --quiet
    run retime tokens -f "7 std stitle qcovs score" -a again.tsv --quiet
    check_same "retime with columns" run.tsv again.tsv
    local format
    for format in 0 sam; do
        expect_refusal "retime -f $format" 'shows sequences.*mercury run' retime tokens -f "$format"
    done
    expect_refusal "retime with btop" 'btop shows sequences.*mercury run' retime tokens -f '6 std btop'
}

make_input
test_threshold
test_all_masked
test_btop
test_recomputed_scores
test_sam
test_command
test_paf_and_bed
test_mapping_quality
test_many_pieces
test_least_mapping_quality
test_query_loc_mappings
test_query_loc_refusals
test_directory
test_jobs
test_retime
if have blastn && have makeblastdb && make_databases; then
    test_presets
    test_score_tables
    test_query_loc
    test_limits
    test_masks
    test_columns
    test_pairwise
else
    skip "scores, masks, limits, columns and text against blastn" "no blastn"
fi
finish
