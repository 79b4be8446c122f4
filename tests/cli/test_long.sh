#!/bin/bash
# test_long.sh MERCURY SOURCE_DIRECTORY - times of months and years are right, and nothing exceeds its bound; what would be
# longer than clocks can be counted is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# A query of 2000 bases, of which two stretches are in the database.
make_input() {
    dna 51 2000 | tr -d '\n' >q.seq
    {
        echo '>q'
        cat q.seq
        echo
    } >q.fa
    {
        echo '>d'
        dna 52 5000
        cut -c 200-1500 q.seq
        dna 53 15000
        cut -c 100-600 q.seq
    } >d.fa
}

# flat NAME ARGUMENT...: run, and leave summary.json as NAME.flat.
flat() {
    local name=$1
    shift
    expect_success "$name" -q q.fa -d d.fa --quiet -o "$name" "$@"
    [ ! -e "$name/summary.json" ] || flatten "$name/summary.json" >"$name.flat"
}

# bounded DESCRIPTION FLAT: utilisations and fractions are from 0 to 1, and no time or count is negative.
bounded() {
    report "$1: no number exceeds its bound" "$(awk '
        $1 ~ /(utilisation|back_pressure_fraction|full_fraction|empty_fraction)$/ && $2 != "null" && ($2 < 0 || $2 > 1)
        $1 ~ /(_s|clocks|busy|mean|max)$/ && $1 !~ /^local_clocks/ && $2 < 0' "$2")"
}

# A cell takes 100 s, and an HSP 1 ms more: (cells x cycles_per_cell + HSPs x cycles_per_check) / host.clock. 1024 cores
# have months of this together, which 64 bits of picoseconds do not hold.
test_years() { # NAME HOSTS
    local n=$1 f=$1.flat share
    flat "$n" --set hosts="$2" --set query.segment=200 --set host.clock=1e5 --set stage3.cycles_per_cell=1e7 --set host.cores=1024 --set fpga.clock=1e6
    check_number "$n: time of the cores" "($(number "$f" stage_3/core_busy_s) / ($(number "$f" stage_3/cells) * 100 + \
        $(number "$f" stage_3/hsps) * 0.001 + $(number "$f" stage_3/build_s)) - 1)^2" '<' 1e-22
    check_number "$n: more than 64 bits of picoseconds" "$(number "$f" stage_3/core_time_s)" '>' 100*18446744
    share="$(number "$f" stage_3/core_time_s) / $(number "$f" simulated_time_s) / $2 / 1024" # both have 12 digits
    check_number "$n: cores are there for all of the time" "$share - 1" '>' -1e-11
    check_number "$n: and not for more" "$share - 1" '<' 1e-11
    check_number "$n: utilisation of the cores" "$(number "$f" stage_3/utilisation)" '>' 0
    bounded "$n" "$f"
}

# The tables take 39 min over a bus of 1000 bytes/s (42 with what bursts cost), longer than a board's clocks are counted in ticks: 2^63 / 2^20 / 1e10 Hz
# are 15 min.
test_slow_bus() {
    flat bus --set pcix.bandwidth=1e5 --set pcix.efficiency=0.01 --set fpga.clock=1e10
    check_number "bus: time of the tables" "$(number bus.flat pcix/table_load_s)" == "$(number bus.flat pcix/table_bytes) * 136 / 128 / 1000"
    check_number "bus: it moves data all of the time" "$(number bus.flat pcix/utilisation)" '>' 0.99
    bounded "bus" bus.flat
}

test_refusals() {
    local slow=(--set pcix.bandwidth=1e5 --set pcix.efficiency=0.01) cores=(--set host.clock=1e5)
    cores+=(--set stage3.cycles_per_cell=1e8)
    expect_refusal "a pass of too many clocks" '2\^42 clocks' run -q q.fa -d d.fa --quiet "${slow[@]}" \
        --set fpga.clock=1e12
    expect_refusal "records of too many clocks" '2\^42 clocks' run -q q.fa -d d.fa --quiet "${slow[@]}" \
        --set fpga.clock=1e11 --set hsp.bytes=4096 --set pcix.burst=4096
    expect_refusal "a run of too many clocks" '2\^53 clocks' run -q q.fa -d d.fa --quiet "${cores[@]}" \
        --set fpga.clock=1e10
    expect_refusal "a run of too many clocks, with events" '2\^53 clocks' run -q q.fa -d d.fa --quiet "${cores[@]}" \
        --set fpga.clock=1e10 --engine events
    run sweep -q q.fa -d d.fa --quiet --store s.db --set stage3.cycles_per_cell=1e8 --set fpga.clock=1e10 \
        --vary host.clock=1e5,1e9
    report "a point of too many clocks" "$(refusal_problem '2\^53 clocks')"
    expect_refusal "a timeline of years" 'up to 53 days' run -q q.fa -d d.fa --quiet "${cores[@]}" --timeline t.json
}

make_input
if can_flatten; then
    test_years years 1
    test_years hosts 64
    test_slow_bus
fi
expect_success "both engines agree on a run of years" -q q.fa -d d.fa --quiet --engine events -a /dev/null \
    --set host.clock=1e5 --set stage3.cycles_per_cell=1e7
test_refusals
finish
