# small_run.sh - sourced after lib.sh by scripts that look at what a small run writes: `make_input` leaves q.fa, a query of
# 22,000 bases, and d.fa, a database with changed copies of parts of it on both strands.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the scripts use the lists

files=(alignments.tsv frame_histograms.tsv frames.tsv histograms.tsv passes.tsv records.tsv report.html run.json
    summary.json summary.txt validation.tsv)
deterministic=(alignments.tsv summary.json frames.tsv frame_histograms.tsv histograms.tsv validation.tsv passes.tsv
    records.tsv report.html summary.txt)

make_input() {
    dna 1 22000 | tr -d '\n' >q.seq
    {
        echo '>q1 the first'
        head -c 14000 q.seq | fold -w 70
        echo
        echo '>q2'
        tail -c +14001 q.seq | fold -w 70
        echo
    } >q.fa
    {
        echo '>d1 plus strand'
        { dna 2 40000; copy 1001 4000 7; dna 3 30000; copy 4801 5300 8; copy 15001 17000 9; dna 4 20000; } | one_record
        echo '>d2 minus strand'
        { dna 5 30000; copy 7001 10500 10 | reverse_complement; dna 6 20000; copy 20001 20400 11 | reverse_complement; } |
            one_record
    } >d.fa
}

copy() { # FIRST LAST SEED: of the query, with changed bases
    cut -c "$1-$2" q.seq | mutate "$3"
}

one_record() {
    tr -d '\n' | fold -w 70
    echo
}
