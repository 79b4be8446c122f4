#!/bin/bash
# test_answer.sh MERCURY SOURCE_DIRECTORY - what a run says of itself is one thing everywhere: parts of the time add up to
# it, means are of what worked, columns stand apart, numbers that mean nothing are not shown, a sample says it is one.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# --- input: a query of three segments of 2,000 bases, so that there are six passes, and an alignment over a border

make_input() {
    { echo '>q' && dna 21 6000; } >q.fa
    { echo '>d' && dna 22 30000 && sed 1d q.fa | tr -d '\n' | cut -c 1001-5500 | mutate 5 && dna 23 20000; } >d.fa
    { echo '>r' && dna 31 3000; } >r.fa
    search -q q.fa -d d.fa --set query.segment=2000 -o six --record six.tokens
    report "a run of six passes" "$(success_problem)"
}

# --- parts of the time

# In the units of the answer, whose parts have three digits each.
answer_parts() { # FILE: the whole, and the sum of the parts, in ms
    awk '
    function ms(number, unit) { return number * (unit ~ /^us/ ? 1e-3 : unit ~ /^s/ ? 1e3 : 1) }
    /^simulated/ { inside = 1 }
    /^computed/ { inside = 0 }
    inside { text = text " " $0 }
    END {
        count = split(text, word, /[ ;,()]+/)
        for (i = 2; i < count; i++)
            if (word[i] ~ /^[0-9.]+$/ && word[i + 1] ~ /^(us|ms|s):?$/) {
                if (whole == "") whole = ms(word[i], word[i + 1])
                else if (word[i + 2] != "of") sum += ms(word[i], word[i + 1])
            }
        print whole, sum
    }' "$1"
}

# Parts of summary.json, of summary.txt and of the answer, and the whole. Rounding of the answer: four parts and the
# network's two, each to half a unit of its third digit, and the same of the whole: 3.5% at most together.
check_parts() { # MACHINE
    local text page whole sum
    flatten out/summary.json >flat
    check_number "$1: phases of summary.json are the run" \
        "($(awk -F '\t' '$1 ~ /^bottleneck.phases.*_s$/ { s += $2 } END { printf "%.12g", s }' flat) / $(number flat simulated_time_s) - 1)^2" '<' 1e-16
    text=$(awk '/ passes, / { whole = $3 } whole && /^ +[0-9.]+ ms / { sum += $1 } /^simulated|^$/ { if (sum) exit }
        END { printf "(%s / %s - 1)^2\n", sum, whole }' out/summary.txt)
    check_number "$1: so are those of summary.txt" "$text" '<' 1e-9
    read -r whole sum <<<"$(answer_parts "$scratch/out")"
    [ "$2" = hosts ] || check_number "$1: and of the answer" "($sum / $whole - 1)^2" '<' 0.035^2
}

test_parts() {
    local set
    for set in boards=1 stage3.cycles_per_cell=400 boards=2 'boards=2 --set bus.count=2' boards=8; do
        # shellcheck disable=SC2086 # two options
        run retime six.tokens --set $set -o out
        check_parts "$set" one
    done
    for set in hosts=2 'hosts=3 --set boards=2' hosts=8 'hosts=8 --set boards=4'; do
        # shellcheck disable=SC2086
        run retime six.tokens --set $set -o out
        check_parts "$set" hosts
    done
    # 400 clocks a cell, so that joining takes more than a microsecond
    run retime six.tokens --set stage3.cycles_per_cell=400 -o out
    flatten out/summary.json >flat
    check_number "an alignment is joined" "$(number flat stage_3/join_s)" '>' 1e-6
    check "the answer says so" grep -q 'of it to join' "$scratch/out"
    check "and summary.txt" grep -q 'ms of it to join alignments' out/summary.txt
    check "and the page" grep -q 'of it to join alignments' out/report.html
    check_number "one drain" "$(number flat stage_3/drain_s)" == "$(number flat bottleneck/phases/drain_s)"
}

# --- boards without a pass

# Two passes on eight boards with a bus each: the means are those of the two that work, as on two boards.
test_idle_boards() {
    local boards name
    search -q r.fa -d d.fa -o two --record two.tokens --quiet
    for boards in 2 8; do
        run retime two.tokens --set boards=$boards --set bus.count=$boards -o boards$boards
        cp "$scratch/out" answer$boards
        flatten boards$boards/summary.json | grep -E '^(bottleneck|simulated_time)' >flat$boards
    done
    check_same "six boards without a pass change no mean" flat2 flat8
    check "the answer says it" grep -q 'only 2 of 8 boards' <(tr '\n' ' ' <answer8 | tr -s ' ')
    check "summary.txt says it" grep -q '2 of whose 8 boards had passes' boards8/summary.txt
    check_not "of two boards nothing" grep -q 'boards had passes' answer2 boards2/summary.txt
    run sweep -q r.fa -d d.fa --vary boards=2,8 --set bus.count=2 --store sweep.db --quiet
    name=$("$mercury" sweep export --store sweep.db --columns throughput_mwmers_per_s | grep '^[0-9]' | sort -u)
    check_number "nor the throughput of a sweep" "$(wc -l <<<"$name")" == 1
    check_number "which is there" "${name:-0}" '>' 1
}

# --- the table of the answer

# Columns apart: a label and seven stages in every row; of 0.02 elements in 500 places, as of 1e-5.
test_columns() {
    local set
    { echo '>e' && dna 41 60000; } >e.fa
    search -q r.fa -d e.fa -o none --record none.tokens
    check "no alignment" grep -q ': 0 alignments' "$scratch/out"
    for set in fifo.wmer=130 fifo.wmer=1000000 'fpga.clock=1e9 --set host.supply=1e8'; do
        # shellcheck disable=SC2086
        run retime none.tokens --set $set -o out
        check_number "$set: eight columns in each of three rows" \
            "$(awk '/^(busy|stalled|queue) / { n += NF == 8 } END { print n + 0 }' "$scratch/out")" == 3
        check_not "$set: no exponent" grep -E '^(busy|stalled|queue) .*[0-9]e[-+]?[0-9]' "$scratch/out"
        check_not "$set: at most 80 columns" grep -E '^.{81}' "$scratch/out"
    done
    check "what is nearly nothing is ~0" grep -q '^queue .* ~0/' "$scratch/out"
}

# Two words stream for 0.3 us of a run of 4 ms: without its tables it would be a thousand times as fast and more.
test_great_numbers() {
    { echo '>few' && dna 41 20; } >few.fa
    search -q few.fa -d few.fa -a few.tsv --set host.build_clocks=30
    check "a gain of thousands" grep -q -E 'would be [0-9]{4}' <(tr '\n' ' ' <"$scratch/out" | tr -s ' ')
    check_not "no power of ten" grep -E '[0-9]e[+]' "$scratch/out"
}

# A probability of 1e-20 and less is no number to read. In files for programs it is what was computed.
test_tiny_numbers() {
    run retime six.tokens --set pcix.bandwidth=3e8 -o out --full
    check_not "none on the terminal" grep -E '[0-9]e-(1[3-9]|[2-9][0-9]|[1-9][0-9]{2})' "$scratch/out"
    run validate out --report theory.html
    check_not "nor beside the models" grep -E '[0-9]e-(1[3-9]|[2-9][0-9]|[1-9][0-9]{2})' "$scratch/out"
    check_not "nor on the pages" grep -E '[0-9]e-(1[3-9]|[2-9][0-9]|[1-9][0-9]{2})' out/report.html theory.html
    check "there was one" grep -q -E '[0-9]e-(1[3-9]|[2-9][0-9]|[1-9][0-9]{2})' out/validation.tsv
}

# What theory does not see first of all. HSPs of every base keep the bus at work, which holds all stages up: 1b works half of
# the time. Of a table of one slot every lookup is a long trip, and no queue is longer for clumps.
test_reasons() {
    local i
    { echo '>s' && dna 41 12000; } >s.fa
    search -q s.fa -d s.fa -o held
    check "what the bus holds up does not saturate" grep -q 'later stages hold earlier ones up' <(tr -s ' \n' ' ' <"$scratch/out")
    check_not "nor do the findings say so" grep -q -i 'saturate' held/summary.txt
    { echo '>s' && dna 42 30000; } >s.fa
    for i in 1 2 3 4 5; do
        awk -v copy=$i '{ s = s (NR > 1 ? $0 : "") }
            END { for (i = 0; i < length(s) - 140; i += 70) print ">" copy "." i "\n" substr(s, i + 1, 140) }' s.fa
    done >reads.fa
    search -q reads.fa -d s.fa -o reads --set sram.trip_cycles=30
    sed -n '/bottleneck:/,$p' reads/summary.txt >stages
    check "1bd has less work than the bus, and is held up for less" awk '$1 == "bus" && /%/ { bus = $2 + 0 }
        $1 == "1bd" && /%/ { work = $2 + 0; held = $3 + 0 } END { exit !(bus > work && work > held && held > 10) }' stages
    check_not "nor does a 1bd that the bus holds up for less than it works" grep -q -i 'saturate' "$scratch/out" reads/summary.txt
    search -q r.fa -d d.fa --set table.slots=1 -o slow
    check "trips that keep 1bd at work" grep -q 'lookups take longer than their reads' <(tr -s ' \n' ' ' <"$scratch/out")
}

# --- measurements beside the answer

# The board's are those of the answer; what has another base says so.
test_measured() {
    run retime six.tokens --measure timetrial2011 -o out
    check "the time of stage 3 is named" grep -q 'times of passes overlap' <(tr '\n' ' ' <"$scratch/out" | tr -s ' ')
    check "on the page, too" grep -q 'times of passes overlap' <(sed 's/<[^>]*>//g' out/report.html)
    check "what 1bd's has besides is named" grep -q 'stage_1bd: with the clocks in which it is held' "$scratch/out"
    check_not "at most 80 columns" grep -E '^.{81}' "$scratch/out"
    printf 'occupancy at wmer_fifo as w\n' >plain.tt
    run retime six.tokens --measure plain.tt -o out
    check_not "nothing to name" grep -q -E 'overlap|held' "$scratch/out"
}

# --- a sample

test_sample() {
    search -q q.fa -d d.fa --set query.segment=500 --sample 6 -o sample
    without_words sample/report.html >sample/text.html
    without_words six/report.html >six/text.html
    check "the page begins with the forecast" grep -q '<strong>Forecast of the whole run: alignments [^<]*, time [^<]*s\.</strong> The drawn passes alone:' \
        sample/text.html
    check "and says whose time it is" grep -q 'The simulated machine took [^:]* for the drawn passes:' sample/text.html
    check_not "nothing else is bold there" grep -q '<strong>[0-9]* alignment' sample/text.html
    check "a whole run's page has its alignments" grep -q '<strong>[0-9]* alignment' six/text.html
}

# --- what a record keeps

# A query that is low in complexity in parts: the run timed again says as much of it as the run.
test_masked() {
    { cat q.fa && for _ in {1..40}; do echo ACACACACACACACACACACACACACAC; done; } >low.fa
    search -q low.fa -d d.fa --dust yes --max-hsps 1 -o masked --record masked.tokens
    grep '^masked ' "$scratch/out" >line
    check "masked bases are told" test -s line
    run retime masked.tokens -o again
    check_same "and when the run is timed again" line <(grep '^masked ' "$scratch/out")
    grep 'are masked' masked/summary.txt >line
    check_same "in summary.txt" line <(grep 'are masked' again/summary.txt)
    can_flatten || return
    flatten masked/run.json | grep -E '^(masking|strand|limits)' >line
    check_same "in run.json" line <(flatten again/run.json | grep -E '^(masking|strand|limits)')
}

# --- what a summary lacks

# without FILE PATH: writes lacking/FILE without the member
without() {
    python3 - "$@" <<'END'
import json, sys
root = json.load(open("six/" + sys.argv[1]))
at, path = root, sys.argv[2].split("/")
for name in path[:-1]:
    at = at[int(name) if name.isdigit() else name]
del at[path[-1]]
json.dump(root, open("lacking/" + sys.argv[1], "w"))
END
}

# Every command that reads the files refuses them, and names what lacks.
test_lacking() {
    have python3 || return
    local file path name pattern
    while read -r file path; do
        rm -rf lacking && cp -r six lacking && without "$file" "$path"
        name=${path##*/} pattern="lacking/$file: .*${name//./\\.}"
        expect_refusal "$path: report" "$pattern" report lacking -o page.html
        expect_refusal "$path: diff" "$pattern" diff six lacking
        expect_refusal "$path: plot" "$pattern" plot lacking --what queues -o picture.svg
        expect_refusal "$path: export" "$pattern" export lacking --as jsimg -o model.jsimg
        [ "$file" = run.json ] || [[ $path == bottleneck* ]] ||
            expect_refusal "$path: validate" "$pattern" validate lacking
    done <<'END'
summary.json stage_1a/ingress_fifo/mean
summary.json stage_1b/read_times/scv
summary.json pcix/table_bytes
summary.json per_pass/3/stage_1b/service_times/count
summary.json bottleneck/stages/1/stalled_fraction
summary.json bottleneck/phases/stream_s
run.json query/bases
run.json e_value
run.json configuration/fpga.clock
END
    cp six/run.json lacking/
    sed 's/"seeds": \([0-9]\)/"seeds": -\1/' six/summary.json >lacking/summary.json
    for name in 'report lacking -o page.html' 'predict lacking' 'predict --operations lacking' 'validate lacking'; do
        # shellcheck disable=SC2086
        expect_refusal "a negative number: $name" 'stage_1b\.seeds' $name
    done
    sed 's/^  "passes": [0-9]*/  "passes": 5/' six/summary.json >lacking/summary.json
    expect_refusal "more passes than five" 'per_pass has [0-9]+ passes where passes is 5' report lacking -o page.html
}

make_input
test_masked
test_lacking
test_parts
test_idle_boards
test_columns
test_great_numbers
test_tiny_numbers
test_reasons
test_measured
test_sample
finish
