#!/bin/bash
# test_share.sh MERCURY SOURCE_DIRECTORY - mercury share: boards alone as retime times them, together, and what the models
# make of it; a bus that is wrong is noticed; what makes no sense is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# Two runs that differ: of 2 and of 12 passes, of 12 and of 4 blocks.
make_records() {
    "$mercury" synth --length 800000 --seed 3 >long.fa
    "$mercury" synth --length 250000 --seed 4 >short.fa
    "$mercury" synth --length 60000 --seed 5 >query.fa
    "$mercury" synth --length 360000 --seed 6 >queries.fa
    run run -q query.fa -d long.fa --record a.tokens --quiet
    report "a record" "$(success_problem)"
    run run -q queries.fa -d short.fa --record b.tokens --quiet
    report "another record" "$(success_problem)"
}

# share OPTION...: the table as TSV
share() {
    run share "$@" --format tsv
    report "share $*" "$(success_problem)"
    cp "$scratch/out" table.tsv
}

# cell RUN COLUMN: of the table's RUNth row
cell() {
    awk -F '\t' -v run="$1" -v column="$2" '
        /^#/ { next }
        !width { width = NF; for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
        ++row == run { print $at; found = at }
        END { exit !found }' table.tsv || echo "? no $2 in row $1"
}

# near DESCRIPTION X Y DISTANCE
near() {
    check_number "$1" "(($2) - ($3)) ^ 2" '<=' "($4) ^ 2"
}

# when FILE: a run's last pass has left its board, in ms
when_free() {
    awk -F '\t' '/^#/ { next } !at { for (i = 1; i <= NF; i++) if ($i == "board_free_s") at = i; next }
        { last = $at } END { printf "%.9g", 1000 * last }' "$1"
}

# bus_percent RECORD ROW: database, tables and records over what the bus moves in the time of the board alone
bus_percent() {
    local flat=$1.flat
    echo "100 * ($(number "$flat" pcix/database_bytes) + $(number "$flat" pcix/table_bytes) + $(number "$flat" pcix/record_bytes)) /
        $(number "$flat" pcix/capacity_bytes_per_s) / ($(cell "$2" alone_ms) / 1000)" | tr -d '\n'
}

test_alone() {
    local record
    share a.tokens b.tokens --set fpga.clock=50e6 --set host.build_clocks=0
    for record in a b; do
        "$mercury" retime $record.tokens --set fpga.clock=50e6 --set host.build_clocks=0 -o "out-$record" --quiet --no-report >/dev/null
    done
    near "a board alone is as retime times it" "$(cell 1 alone_ms)" "$(when_free out-a/passes.tsv)" 1e-5
    near "so is the other" "$(cell 2 alone_ms)" "$(when_free out-b/passes.tsv)" 1e-5
    if can_flatten; then
        for record in a b; do
            flatten "out-$record/summary.json" >"$record.flat"
        done
        near "the bus is busy for all that moves" "$(cell 1 bus_percent)" "$(bus_percent a 1)" 1e-4
        near "likewise of the other" "$(cell 2 bus_percent)" "$(bus_percent b 2)" 1e-4
    else
        skip "the bus is busy for all that moves" "neither python3 nor jq"
    fi
    check_number "the bus is busy for a part of that" "$(cell 1 bus_percent)" '<' 90
    near "the balance of 50 MHz: 601.4 MB/s are left for records of 16 bytes" \
        "$(awk -F '\t' '$1 ~ /balance/ { print $2 }' table.tsv)" "100 * (1064 * 128 / 136 - 400) / 16 / 800" 1e-6
    check_number "boards slow each other" "$(cell 1 slower_percent)" '>' 1
}

# Seen from the bus: on a bus without end nobody slows anybody. Two boards that do the same at the same time, and use all
# of the bus, take twice as long (where records wait for full bursts: of slower boards, bursts would close earlier).
test_limits() {
    share a.tokens a.tokens --set pcix.bandwidth=1e15
    near "a bus without end: simulated" "$(cell 1 slower_percent)" 0 0.001
    near "MVA" "$(cell 1 MVA_percent)" 0 0.001
    near "fair shares" "$(cell 1 shares_percent)" 0 0.001
    share a.tokens a.tokens --set pcix.bandwidth=2e7 --set hsp.flush_clocks=1e9
    near "a bus that is always busy: simulated" "$(cell 1 slower_percent)" 100 1
    near "MVA, which does not know of records" "$(cell 1 MVA_percent)" 100 8
    near "fair shares" "$(cell 1 shares_percent)" 100 1
}

# What tests/bench/share finds with real genomes: fair shares are within half a point, a bus wrong by 20% is not.
test_models() {
    local records rate
    for records in 'a.tokens a.tokens' 'a.tokens a.tokens a.tokens a.tokens'; do
        # shellcheck disable=SC2086
        share $records --set fpga.clock=15e6 --set pcix.bandwidth=3e9
        check_number "at most 30% of the bus" "$(cell 1 bus_percent)" '<' 30
        near "fair shares" "$(cell 1 shares_percent)" "$(cell 1 slower_percent)" 0.5
        check_number "MVA says more" "$(cell 1 MVA_percent)" '>' "$(cell 1 slower_percent)"
        check "throughput and time are met" grep -q "^xw" <<<"$(cell 1 fit)"
    done
    share a.tokens b.tokens --set fpga.clock=15e6 --set pcix.bandwidth=3e9
    near "two runs that differ" "$(cell 1 shares_percent)" "$(cell 1 slower_percent)" 1.5
    for rate in 0.8 1.2; do
        share a.tokens a.tokens --set fpga.clock=15e6 --set pcix.bandwidth=3e9 --bus-rate $rate
        check_number "a bus of $rate times its rate" "($(cell 1 shares_percent) - $(cell 1 slower_percent)) ^ 2" '>' 0.25
    done
}

# Tables that load while a board streams, for which nobody waits.
test_overlapping_tables() {
    share a.tokens b.tokens --set schedule.overlap=tables --set fpga.clock=20e6
    near "overlapping tables: fair shares" "$(cell 2 shares_percent)" "$(cell 2 slower_percent)" 1
}

test_output() {
    share a.tokens b.tokens
    cp table.tsv first.tsv
    share a.tokens b.tokens -j 1
    check_same "the same bytes for one job" first.tsv table.tsv
    run share a.tokens b.tokens -f tsv -o file.tsv
    check_same "and in a file" first.tsv file.tsv
    share b.tokens a.tokens
    check_number "whatever the order" "$(cell 2 slower_percent)" == "$(awk -F '\t' '$1 == "a" { print $4 }' first.tsv)"
    run share a.tokens b.tokens
    check_not "no line is longer than 80 columns" grep -E '^.{81}' "$scratch/out"
    check "a text" grep -q -E '^ +a +[0-9.]+ +[0-9.]+ ' "$scratch/out"
    if can_flatten; then
        "$mercury" share a.tokens b.tokens -f json >table.json
        flatten table.json >flat
        check_number "JSON has the same number" "$(number flat 'rows/0/slower_percent')" == \
            "$(awk -F '\t' '$1 == "a" { print $4 }' first.tsv)"
    else
        skip "JSON" "neither python3 nor jq"
    fi
}

# mark_y MHZ: how far from above the error of fair shares is drawn
mark_y() {
    sed -n "s/^<path d=\"M[0-9.]* \([0-9.]*\)L.*<title>shares, $1 MHz, [^:]*: -[0-9.]* points.*/\1/p" range.svg
}

# The picture over the bus has the table's numbers: at 0.7 / 133 of the clock as at all of it.
test_range() {
    run share a.tokens a.tokens --set fpga.clock=33e6 --range range.svg --report page.html
    cp "$scratch/out" page.txt
    report "a page of the same" "$(success_problem; page_problem page.html answer range fit)"
    awk '/^  run / { at = 1; next } at && /^  / { print } at && !NF { exit }' page.txt | tr -s ' ' '\t' | cut -f 2- >page.rows
    check_same "it has the rows of the table" page.rows <(page_rows page.html answer)
    check_number "and the marks of the picture" "$(grep -c '<title>[A-Za-z]*, [0-9.]* MHz, ' page.html)" == "$(grep -c '<title>[A-Za-z]*, [0-9.]* MHz, ' range.svg)"
    check "the picture alone says whose it is" grep -q '>2 boards on a bus of [0-9.]* MB/s: a, a<' range.svg
    check_not "in the page the heading does" grep -q '<text[^>]*>2 boards on a bus' page.html
    check_number "and both pictures" "$(grep -c '<svg ' page.html)" == 2
    check_number "of which one has a group's square around the middle of its fitted centre, within 5% of the axis" \
        "$(sed -n -E 's/.*<circle cx="([0-9.]+)" cy="([0-9.]+)".*<title>group ([0-9]+): N.*/\3 \1 \2/p; s/.* d="M([0-9.]+) ([0-9.]+)L.*<title>group ([0-9]+): [0-9.e+-]+% .*/\3 \1 \2 3/p' page.html |
            awk 'NF == 3 { x[$1] = $2; y[$1] = $3 } NF == 4 { n++; if (($2 + 3 - x[$1]) ^ 2 > 200 || ($3 + 3 - y[$1]) ^ 2 > 100) off++ } END { print (n > 1 ? off + 0 : "none") }')" == 0
    report "a range" "$(success_problem)"
    check_number "a mark per clock of the simulation, and two of each model" \
        "$(grep -c '<title>[A-Za-z]*, [0-9.]* MHz, ' range.svg)" == $((15 * 5))
    share a.tokens a.tokens --set fpga.clock=33e6
    check "the page's answer has the numbers of the table" grep -q -F "$(awk -F '\t' '/^# bus_bytes/ { bus = $2 / 1e6 } /^a/ { slower = $4; busy = $2; mva = $5 - $4; shares = $6 - $4 }
        END { printf "2 boards on one bus of %.4g MB/s: a run takes %.3g%% longer than alone.</strong> Alone, it keeps the bus busy in %.3g%% of its time. ", bus, slower, busy
            printf "From the time alone, mean value analysis (MVA) is off by %.3g points in the mean, fair shares of the bus by %.3g.", sqrt(mva ^ 2), sqrt(shares ^ 2) }' table.tsv)" page.html
    near "the last clock is the machine's" "$(sed -n 's/.*<title>MVA, 33 MHz, [^:]*: \([0-9.]*\)% slower.*/\1/p' range.svg)" \
        "$(cell 1 MVA_percent)" 0.01
    near "and its error" "$(sed -n 's/.*<title>shares, 33 MHz, [^:]*: \([-+0-9.e]*\) points.*/\1/p' range.svg)" \
        "$(cell 1 shares_percent) - $(cell 1 slower_percent)" 0.01
    check_number "an error below 0 is drawn below a smaller one" "$(mark_y 33)" '>' "$(mark_y 0.9925)"
    share a.tokens a.tokens --set fpga.clock=1e6
    near "a slower clock is a machine of its own" \
        "$(sed -n 's/.*<title>simulated, 0.9925 MHz, [^:]*: \([0-9.]*\)% slower.*/\1/p' range.svg)" "$(cell 1 slower_percent)" 0.02
}

# A directory stands for the one record in it.
test_directories() {
    mkdir -p one none two
    cp a.tokens one/run.tokens
    cp a.tokens b.tokens two
    share a.tokens b.tokens
    cp table.tsv first.tsv
    share one/ b.tokens
    check "a run's directory has its record, and the row its name" grep -q "^one	" table.tsv
    sed -i 's/^one	/a	/' table.tsv
    check_same "the same numbers" first.tsv table.tsv
    expect_refusal "a directory without a record" 'none has no record of tokens' share none a.tokens
    expect_refusal "a directory with two" 'two has more than one record' share two a.tokens
}

test_refusals() {
    local nine='a.tokens a.tokens a.tokens a.tokens a.tokens a.tokens a.tokens a.tokens a.tokens'
    expect_refusal "no record" 'two runs or more' share
    expect_refusal "one record" 'two runs or more' share a.tokens
    # shellcheck disable=SC2086
    expect_refusal "nine records" '9 runs are given: expected at most 8' share $nine
    expect_refusal "no file" 'nowhere' share a.tokens nowhere
    expect_refusal "no record of tokens" 'long\.fa' share a.tokens long.fa
    expect_refusal "a number of boards" '--set boards: .*every RUN has a board' share a.tokens a.tokens --set boards=4
    expect_refusal "several buses" '--set bus.count' share a.tokens a.tokens --set bus.count=2
    expect_refusal "several hosts" '--set hosts' share a.tokens a.tokens --set hosts=2
    expect_refusal "what the stages compute" 'stage2.threshold' share a.tokens a.tokens --set stage2.threshold=20
    expect_refusal "serial passes" 'schedule.overlap' share a.tokens a.tokens --set schedule.overlap=serial
    expect_refusal "no step" 'stepsize' share a.tokens a.tokens --stepsize 0
    expect_refusal "too many frames" 'longer --stepsize' share a.tokens a.tokens --set pcix.bandwidth=1e5 --set pcix.efficiency=0.01 --stepsize 1
    expect_refusal "no group" 'clusters' share a.tokens a.tokens --clusters 0
    expect_refusal "too many groups" 'clusters' share a.tokens a.tokens --clusters 65
    expect_refusal "a bus too wrong" 'bus-rate' share a.tokens a.tokens --bus-rate 11
    expect_refusal "a picture that is gone" '--stepsize and --clusters' share a.tokens a.tokens --study x.svg
    expect_refusal "a picture of another kind" "--range 'x.png'" share a.tokens a.tokens --range x.png
    expect_refusal "a page and a table in one place" 'standard output' share a.tokens a.tokens --report -
    expect_refusal "two texts in one place" 'standard output' share a.tokens a.tokens --range -
    expect_refusal "the same, by name" 'standard output' share a.tokens a.tokens --range - -o -
    expect_refusal "over a record" 'a record' share a.tokens a.tokens -o a.tokens
    expect_refusal "no folder" 'nowhere' share a.tokens a.tokens -o nowhere/table
}

# Private centres: what is fitted is what was measured; Figure 4.9 of Leonards, with four servers as mu_1 / 4 each.
test_private_centres() {
    share a.tokens b.tokens --groups groups.tsv --clusters 4
    check "groups of both runs" test "$(awk -F '\t' 'NR > 1 { print $1 }' groups.tsv | uniq | tr '\n' ' ')" = 'a b '
    check "their throughput is met" awk -F '\t' 'NR > 1 && $4 > 0 && ($8 / $4 - 1) ^ 2 > 1e-10 { bad++ } END { exit bad || NR < 5 }' groups.tsv
    near "their time is that of the run" "$(awk -F '\t' '$1 == "a" { sum += $3 } END { print sum }' groups.tsv)" "$(cell 1 alone_ms)" 1e-3
    run share --fit 0.07:20.0881:9.01 -f tsv
    check "five customers of 13.6165" grep -q -P '^-\t1\tNA\t0.07\t20088100\t5\t0.07344\d*\t0.07\t200880\d\d\.?\d*$' "$scratch/out"
    run share --fit 0.07:20.0881:9.01 --power 0.5 -f tsv
    check "more of them if their centre is faster the more there are" awk -F '\t' '
        NR == 2 { ok = $6 > 5 && $7 > 0.0735 && ($8 / 0.07 - 1) ^ 2 < 1e-10 } END { exit !ok }' "$scratch/out"
    run share --fit 0.07:19.3469:9.01 --servers 2 -f tsv
    check "five, with two servers" grep -q -P '^-\t1\tNA\t0.07\t19346900\t5\t' "$scratch/out"
    run share --fit 0.07:25:9.01
    check "25 is met only nearly" grep -q 'no number of customers has so long a time' "$scratch/out"
    run share --fit 0.07:9:9.01
    check "one customer has the shortest time, a service" grep -q 'is shorter than a service' "$scratch/out"
    check "and it is said of no other" test "$(run share --fit 0.07:9.02:9.01 && grep -c 'is shorter' "$scratch/out")" = 0
    local option
    for option in '--stepsize 5' '--clusters 12' '--seed 1' '--bus-rate 1' '--groups g.svg' '--frames f.tsv' '--range r.svg' \
        '--report x.html' '-p nosuch' '--machine nosuch' '--set nosuch=1' '-j 1'; do
        # shellcheck disable=SC2086
        expect_refusal "a fit and $option" "fit: expected no --[a-z-]* beside it" share --fit 0.07:25:9.01 $option -o fit.tsv
    done
    check "none of them leaves a file" test ! -e fit.tsv
    expect_refusal "a fit of no numbers" "fit '1:2': expected X:W:S" share --fit 1:2
    expect_refusal "more than the bus can serve" 'fit 0.2:10:9.01: no solution' share --fit 0.2:10:9.01
    expect_refusal "a fit and runs" 'no runs beside it' share a.tokens b.tokens --fit 0.07:25:9.01
    expect_refusal "servers and a power" 'no --servers beside it' share a.tokens b.tokens --servers 2 --power 1
    expect_refusal "groups over a record" 'a.tokens' share a.tokens b.tokens --groups a.tokens
}

# Frames, and the picture of groups and fits. Over a whole run x w is n, for what is awaited and for the rest (Little);
# frames of any length have the same number of blocks together.
test_frames() {
    share a.tokens b.tokens --frames whole.tsv --stepsize 1e6 --clusters 1
    check "both types of both runs" test "$(awk -F '\t' 'NR > 1 { print $1, $4 }' whole.tsv | sort -u | wc -l)" = 4
    check "Little's law over a run" awk -F '\t' 'NR > 1 && $8 ^ 2 > 1e-12 { bad++ } END { exit bad || NR < 5 }' whole.tsv
    share a.tokens b.tokens --frames frames.tsv --groups fit.svg --clusters 4
    # sums over the frames of a for which it waits: blocks, |x w - n| and n, weighted by their lengths
    local blocks apart number
    read -r blocks apart number < <(awk -F '\t' -v alone_ms="$(cell 1 alone_ms)" '
        /^# stepsize_us/ { step_ms = $2 / 1e3 }
        $1 == "a" && $4 == "awaited" {
            ms = alone_ms - $3 < step_ms ? alone_ms - $3 : step_ms
            off = $5 * $6 * 1e-6 - $7
            blocks += $5 * ms / 1e3; apart += ms * (off > 0 ? off : -off); n += ms * $7
        }
        END { printf "%.12g %.12g %.12g\n", blocks, apart, n }' table.tsv frames.tsv)
    near "blocks of frames are those of the run" "$blocks" \
        "$(cell 1 alone_ms) / 1e3 * $(awk -F '\t' '$1 == "a" && $4 == "awaited" { print $5 }' whole.tsv)" 1e-5
    near "their mean residual is little_percent" "$(cell 1 little_percent)" "100 * $apart / $number" 1e-5
    check "the picture has both runs" test "$(grep -c -E '>(a|b): [0-9]+ groups of frames' fit.svg)" = 2
    check "and what its axis of residuals ends below" grep -q ">▲ above 100%: $(awk -F '\t' '
        $1 == "a" && $8 > 100 && $8 != "inf" { n++; if ($8 > most) most = $8 }
        END { printf "%d value%s, at most %.0f%%", n, n == 1 ? "" : "s", most }' frames.tsv)<" fit.svg
    check "and says what was fitted" grep -q -E 'group [0-9]+: N = [0-9]+, mu = ' fit.svg
    run share a.tokens a.tokens --groups groups.json --clusters 3 -o table
    check "groups as JSON" grep -q '"schema": "mercury-groups-1"' groups.json
    run share a.tokens a.tokens --groups groups.txt --clusters 3 -o table
    check "and as a text" grep -q -E '^  run +group +time_ms' groups.txt
    expect_refusal "frames over a record" 'a record' share a.tokens b.tokens --frames a.tokens
}

make_records
test_alone
test_frames
test_private_centres
test_limits
test_models
test_overlapping_tables
test_output
test_range
test_directories
test_refusals
finish
