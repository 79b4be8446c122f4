#!/bin/bash
# test_properties.sh MERCURY SOURCE_DIRECTORY - what a change of the input or of the machine changes, and what it does not:
# records cut, permuted and reversed, bases made N, other blocks, jobs, engines and ranks.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

prepare_mpirun

# Records of the query, of 1500 bases, and of the database: random bases around mutated pieces of the query.
make_input() {
    local i
    for i in 1 2 3; do
        echo ">q$i"
        dna "$i" 1500
    done >q.fa
    for i in 1 2 3 4 5 6; do
        echo ">d$i"
        { dna $((i + 10)) 2400
            awk -v r=">q$((i % 3 + 1))" '/^>/ { on = $0 == r; next } on' q.fa | sed -n "$i,$((i + 9))p" | mutate "$i"
            dna $((i + 20)) 1800; }
    done >d.fa
}

# find NAME OPTION...: run, and keep the answer in NAME.tsv, the files in NAME
find_hits() {
    local name=$1
    shift
    search -e 10 -o "$name" --no-report --quiet "$@"
    [ "$status" -eq 0 ] || fail "a run for $name" "$(cat "$scratch/err")"
    cp "$name/alignments.tsv" "$name.tsv"
}

# Number of what all passes have counted.
counted() { # DIRECTORY COUNTER
    awk -F '\t' -v name="$2" '/^#/ { next } !column { for (i = 1; i <= NF; i++) if ($i == name) column = i; next } { sum += $column } END { print sum + 0 }' \
        "$1/passes.tsv"
}

# W-mers with a base that is none, in all passes.
invalid_wmers() { # DIRECTORY
    sed -n 's/.*"invalid_wmers": \([0-9]*\).*/\1/p' "$1/summary.json" | head -n 1
}

# same_rows DESCRIPTION COLUMNS TABLE TABLE: in any order
same_rows() {
    cut -f "$2" "$3" | sort >"$scratch/rows"
    cut -f "$2" "$4" | sort >"$scratch/other_rows"
    check_same "$1" "$scratch/rows" "$scratch/other_rows"
}

machine_changes_no_hit() {
    local name
    find_hits whole -q q.fa -d d.fa -j 1
    check_number "there are alignments to compare" "$(wc -l <whole.tsv)" '>=' 6
    while read -r name options; do
        # shellcheck disable=SC2086
        find_hits "$name" -q q.fa -d d.fa $options
        check_same "alignments: $options" whole.tsv "$name.tsv"
        for counter in seeds matches hsps; do
            check_number "$counter: $options" "$(counted whole $counter)" '==' "$(counted "$name" $counter)"
        done
    done <<'END'
trips --set sram.trips_in_flight=8 --set hsp.flush_clocks=0 --set host.build_ahead=1
small_blocks --set pcix.block=512 --set pcix.burst=64
odd_blocks --set pcix.block=1096 -j 2
large_blocks --set pcix.block=1048576 -j 3
events --engine events
slow_bus --set pcix.bandwidth=1e7 --set fifo.wmer=40
boards --set boards=2 --set bus.count=1
END
    if has_mpi && have mpirun; then
        mpirun --oversubscribe -n 2 "$mercury" run -p "$platform" -q q.fa -d d.fa -e 10 -o ranks --no-report --quiet 2>"$scratch/err"
        check_same "alignments: two ranks" whole.tsv ranks/alignments.tsv
    else
        skip "alignments: two ranks" "no mpirun"
    fi
    find_hits filter -q q.fa -d d.fa --set bloom.bank_bits=16384 --set table.slots=4096
    check_same "alignments: a small filter and small tables" whole.tsv filter.tsv
    check_number "hsps: a small filter" "$(counted whole hsps)" '==' "$(counted filter hsps)"
    check_number "seeds: a small filter has more false ones" "$(counted filter seeds)" '>' "$(counted whole seeds)"
}

# Records in another order: the same alignments, each as it was.
order_changes_no_hit() {
    awk '/^>/ { n++ } { record[n] = record[n] $0 "\n" } END { for (i = n; i > 0; i -= 2) printf "%s", record[i]
        for (i = n - 1; i > 0; i -= 2) printf "%s", record[i] }' d.fa >permuted.fa
    find_hits permuted -q q.fa -d permuted.fa
    same_rows "alignments: records of the database in another order" 1-12 whole.tsv permuted.tsv
    check_number "hsps: records in another order" "$(counted whole hsps)" '==' "$(counted permuted hsps)"
}

# Records cut at random where nothing is found: the same pairs of bases, some of them counted from the cut, which the
# name of the second part tells.
cuts_change_no_hit() {
    awk 'BEGIN { srand(7) } /^>/ { print; name = substr($0, 2); bases = 0; at = 60 * int(1 + rand() * 38); next }
        { bases += length($0); print; if (bases == at) print ">" name "_" at }' d.fa >cut.fa
    find_hits cut -q q.fa -d cut.fa
    awk -F '\t' -v OFS='\t' 'split($2, part, "_") == 2 { $2 = part[1]; $9 += part[2]; $10 += part[2] } { print }' cut.tsv >joined.tsv
    # E-values depend on the number of records.
    same_rows "alignments: records cut in two" 1-10,12 whole.tsv joined.tsv
}

# The database's other strand: the same pairs, positions from the other end, the strand of the subject turned.
strands_mirror() {
    awk '/^>/ { if (name) print name "\t" bases; name = $0; bases = ""; next } { bases = bases $0 } END { print name "\t" bases }' d.fa |
        while IFS=$'\t' read -r name bases; do
            echo "$name"
            reverse_complement <<<"$bases"
        done >reversed.fa
    find_hits reversed -q q.fa -d reversed.fa
    awk -F '\t' -v OFS='\t' 'NR == FNR { if (/^>/) name = substr($0, 2); else size[name] += length($0); next }
        { begin = size[$2] + 1 - $9; $9 = begin; $10 = size[$2] + 1 - $10; print }' d.fa reversed.tsv >mirrored.tsv
    same_rows "alignments: the database's other strand" 1-4,7-12 whole.tsv mirrored.tsv
}

# Ns where nothing is found take w-mers and nothing else: 10 bases spoil 10 + 10 of them.
ambiguous_bases_change_no_hit() {
    awk '/^>/ { print; line = 0; next } { line++; if (line == 12) $0 = substr($0, 1, 20) "NNNNNNNNNN" substr($0, 31); print }' d.fa >n.fa
    find_hits n -q q.fa -d n.fa
    check_same "alignments: Ns where nothing is found" whole.tsv n.tsv
    check_number "w-mers: Ns spoil 20 a record and pass" "$(invalid_wmers n)" '==' "$(($(invalid_wmers whole) + 6 * 20 * 2))"
}

make_input
machine_changes_no_hit
order_changes_no_hit
cuts_change_no_hit
strands_mirror
ambiguous_bases_change_no_hit
finish
