#!/bin/bash
# test_bad_machine.sh MERCURY SOURCE_DIRECTORY - everything that can be wrong with numbers of the machine (--set): exit status 2, one line
# that tells what to change, and nothing left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

make_good_input() {
    { echo '>good one'; dna 1 1200; } >good.fa
    gzip -c good.fa >good.fa.gz
}

refuse_set() { # PATTERN ASSIGNMENT...
    local pattern=$1 arguments=() assignment
    shift
    for assignment in "$@"; do
        arguments+=(--set "$assignment")
    done
    expect_refusal "--set $*" "$pattern" run -p "$platform" -q good.fa -d good.fa -a hits.tsv "${arguments[@]}"
}

test_set_syntax() {
    refuse_set 'fifo\.wmmer.*did you mean fifo\.wmer\?' fifo.wmmer=64
    refuse_set 'did you mean host\.supply\?' host.suply=1e9
    refuse_set 'did you mean (bloom|table)\.family\?' family=xxh3
    refuse_set 'FIFO\.WMER' FIFO.WMER=64
    refuse_set 'fifo\.wmer.*name=value' fifo.wmer
    refuse_set '=64.*name=value' =64
    refuse_set 'name=value' ''
    refuse_set 'name=value' =
    refuse_set '^mercury: --set' "$(printf 'x%.0s' {1..200})=1"
    refuse_set '^mercury: --set' $'fifo\nwmer=1'
    refuse_set '^mercury: --set: fifo\.wmer' $'fifo.wmer=1\n2'
}

test_set_values() {
    local value
    for value in nan inf -inf 1e999 '' 8x x8 -1 1.5 15 1000001 '64 64' 0x 1e 1,5; do
        refuse_set 'fifo\.wmer.*16 to 1000000' "fifo.wmer=$value"
        refuse_set 'host\.supply.*100000 to 1e\+15' "host.supply=${value/64/}x"
    done
    for value in nan inf 1e999 '' -1 0 99999; do
        refuse_set 'host\.supply.*100000 to 1e\+15' "host.supply=$value"
    done
    # a number of MB/s or MHz, of which the line says the unit
    refuse_set '100000 to 1e\+15 \[B/s\].*did you mean 1064MB/s\?$' pcix.bandwidth=1064
    refuse_set '100000 to 1e\+15 \[B/s\].*did you mean 895MB/s\?$' host.supply=895
    refuse_set '100000 to 1e\+12 \[Hz\].*did you mean 2400MHz\?$' host.clock=2400
    refuse_set 'bloom\.family.*xxh3 or h3' bloom.family=displaced
    refuse_set 'bloom\.family.*xxh3 or h3' bloom.family=
    refuse_set "pcix\.priority = 'block': expected fair, blocks or records" pcix.priority=block
    refuse_set 'did you mean pcix.priority[?]' pcix.prioritty=blocks
    refuse_set 'table\.family.*xxh3, h3 or displaced' table.family=md5
    refuse_set 'table\.slots.*1 to 16777216' table.slots=0
    refuse_set 'bloom\.hashes.*1 to 16' bloom.hashes=0
    refuse_set 'bloom\.bank_bits.*1 to 67108864' bloom.bank_bits=0
    for value in ingress wmer sram stage2 egress; do
        refuse_set "fifo\\.$value.*[0-9]+ to 1000000" "fifo.$value=0"
    done
}

# 0x20 is 32 for all parameters, or a value for none.
test_set_hexadecimal() {
    local name accepted='' refused=''
    for name in fifo.wmer host.supply stage2.threshold hash.seed; do
        run run -p "$platform" --dump-config --set "$name=0x1000"
        if [ "$status" -eq 0 ] && grep -q "^$name"$'\t4096\t' "$scratch/out"; then accepted+=" $name"; else refused+=" $name"; fi
    done
    report "--set with a hexadecimal number" "$([ -z "$accepted" ] || [ -z "$refused" ] ||
        echo "accepted:$accepted; refused or misread:$refused")"
}

# Every number has a range, and just outside of it the message tells the range.
test_set_ranges() {
    local name range least most below above
    run run -p "$platform" --dump-config
    cut -f 1,4 "$scratch/out" | sed -n -E 's/(.*)\ta( whole)? number from (.*) to (.*)/\1 \3 \4/p' | awk '{
        printf "%s %s %s %.17g %.17g\n", $1, $2, $3, $2 - ($2 > 0 && $2 < 1 ? $2 / 2 : 1), ($3 > 1 ? 2 * $3 : $3 + 1)
    }' >ranges
    check_number "--dump-config tells the range of every number" "$(wc -l <ranges)" '>=' 37
    while read -r name least most below above; do
        range="$least to $most"
        range=${range//./\\.}
        range=${range//+/\\+}
        refuse_set "${name//./\\.} = .*$range" "$name=$below"
        refuse_set "${name//./\\.} = .*$range" "$name=$above"
    done <ranges
    rm -f ranges
}

test_combinations() {
    refuse_set 'fifo\.sram must.*fifo\.sram_margin' fifo.sram=40
    refuse_set 'fifo\.sram must.*fifo\.sram_margin' fifo.sram_margin=500
    refuse_set 'fifo\.sram_margin.*sram\.read_cycles' fifo.sram_margin=18
    refuse_set 'fifo\.sram_margin.*sram\.read_cycles' sram.read_cycles=42
    refuse_set 'fifo\.wmer' fifo.wmer_margin=131
    refuse_set 'fifo\.stage2' fifo.stage2_margin=11
    refuse_set 'fifo\.stage2.*table\.trip_positions' fifo.stage2=4 fifo.stage2_margin=0
    refuse_set 'fifo\.stage2.*table\.inline_positions' table.inline_positions=11 table.slot_bytes=64
    refuse_set 'table\.inline_positions = 3: .* holds 2 .*table\.slot_bytes = 16 would do' table.inline_positions=3
    refuse_set 'table\.slot_bytes.*multiple of 8' table.slot_bytes=12
    refuse_set 'fifo\.stage2.*table\.trip_positions' table.trip_positions=11
    refuse_set 'bloom\.bank_bits.*power of two' bloom.family=h3 bloom.bank_bits=100000
    refuse_set 'table\.slots.*power of two' table.family=h3 table.slots=100000
    refuse_set 'pcix\.block.*8' pcix.block=65537
    refuse_set 'query\.overlap.*stage2\.window' query.overlap=62
    refuse_set 'query\.overlap.*stage2\.window' stage2.window=128
    refuse_set 'query\.segment.*query\.overlap' query.segment=64
}

test_scores() {
    refuse_set 'match 7, mismatch -3.*1/-3' score.match=7
    refuse_set 'match 1, mismatch -7.*1/-3' score.mismatch=-7
    refuse_set 'gap costs 0/0 with scores 1/-1.*3/2' score.mismatch=-1 score.gap_open=0 score.gap_extend=0
    refuse_set 'gap costs 1/0 with scores 1/-3.*0/0' score.gap_open=1 score.gap_extend=0
    refuse_set 'match 100, mismatch -1.*1/-3' score.match=100 score.mismatch=-1
}

test_too_many_sets() {
    local arguments=() i
    for i in {1..300}; do
        arguments+=(--set "hash.seed$i=1")
    done
    expect_refusal "300 times --set" 'too many --set' run -p "$platform" -q good.fa -d good.fa "${arguments[@]}"
}

make_good_input
search -q good.fa -d good.fa -a hits.tsv --quiet
report "the input that the other tests spoil is good" "$(success_problem)"
rm -f hits.tsv
test_set_syntax
test_set_values
test_set_hexadecimal
test_set_ranges
test_combinations
test_scores
test_too_many_sets
finish
