#!/bin/bash
# test_measure.sh MERCURY SOURCE_DIRECTORY - directives from the command line: the same bytes by any way to run them, frames
# that add up to the pass, memory that does not grow with the run, timelines that integrate to the reported means, bad uses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz

make_input() {
    dna 1 3000 | sed '1i >q' >q.fa
    dna 2 300000 | sed '1i >d' >d.fa
    tail -n +2 q.fa | mutate 3 >>d.fa
    cat >all.tt <<'END'
rate at bus_in every 10 us                                    as rate.time
rate at bus_in every 1000 elements at bus_in                  as rate.data
occupancy at egress_fifo: max, histogram(512) every 4096 bytes at bus_in as egress
latency at bus_in to bus_out: mean, quantile(0.5, 0.99) every 5 elements at bus_out as span
utilisation at stage_1bd every 777 clocks                     as busy
trips_per_seed at stage_1bd: histogram(4) every 0.1 ms        as trips
latency at inbox to stage_3: max every 1 elements at stage_3  as alignment
occupancy at inbox every 1 ms                                 as inbox
latency at wmer_fifo to inbox: max every 7 elements at inbox  as to_inbox
latency at bus_in to bus_out                                  as on_board
latency at bus_out to inbox                                   as on_bus
latency at inbox to job                                       as waiting
latency at job to stage_3                                     as working
latency at bus_in to stage_3: max, quantile(0.99)             as whole
END
}

same_measurements() { # DESCRIPTION DIRECTORY
    local file
    for file in frames.tsv frame_histograms.tsv summary.json; do
        check_same "$1: $file" "out/$file" "$2/$file"
    done
}

# Frames' stamps: those of the board by its clock, which is 2 s ahead and 1% fast, virtual time by the host's, 10 s ahead. The map,
# made of 40 messages, is good to a microsecond and a stamp to a clock.
test_clocks() {
    expect_success "clocks apart" -q q.fa -d d.fa -o apart --quiet --measure all.tt \
        --set clock.fpga_rate_error=0.01 --set clock.fpga_offset=2 --set clock.host_offset=10
    cut -f 1-12 apart/frames.tsv >told
    cut -f 1-12 out/frames.tsv >expected
    check_same "clocks change what stamps say, nothing else" expected told
    paste out/frames.tsv apart/frames.tsv | tail -n +2 >both
    check "the board's stamps are its clock's" awk -F '\t' '$3 !~ /inbox|stage_3/ { d = $29 - 2 - 1.01 * $13
        if (d > 8e-9 || d < -16e-9) { print; exit 1 } n++ } END { exit n < 100 }' both
    check "virtual time is the host's" awk -F '\t' '{ d = $31 - $15 - 10; e = $32 - $16 - 10
        if (d > 1e-6 || d < -1e-6 || e > 1e-6 || e < -1e-6) { print; exit 1 } }' both
    check "the host's own is its virtual time" awk -F '\t' '$3 ~ /inbox/ && $29 != $31 { exit 1 }' both
    run retime tokens -o apart2 --quiet --measure all.tt \
        --set clock.fpga_rate_error=0.01 --set clock.fpga_offset=2 --set clock.host_offset=10
    check_same "timed again" apart/frames.tsv apart2/frames.tsv
    check_same "timed again, the map" apart/summary.json apart2/summary.json
    tells "people are told" 'true: 0.990099009901, ' run -q q.fa -d d.fa -o apart3 --set clock.fpga_rate_error=0.01 -a apart3.tsv
    expect_refusal "a clock that is no clock" 'clock.fpga_rate_error = .0.5.: expected a number from -0.01 to 0.01' \
        run -q q.fa -d d.fa --set clock.fpga_rate_error=0.5
}

test_same_bytes() {
    expect_success "directives" -q q.fa -d d.fa -o out --quiet --measure all.tt --record tokens
    expect_success "by two processes" -q q.fa -d d.fa -o out2 --quiet --measure all.tt -j 2
    same_measurements "by two processes" out2
    expect_success "by events" -q q.fa -d d.fa -o out3 --quiet --measure all.tt --engine events
    same_measurements "by events" out3
    run retime tokens -o out4 --quiet --measure all.tt
    report "timed again" "$(success_problem)"
    same_measurements "timed again" out4
    run retime tokens -o out5 --quiet --measure - <all.tt
    report "from standard input" "$(success_problem)"
    same_measurements "from standard input" out5
}

# Frames follow each other without a gap; words of all frames are the pass's.
test_frames() {
    tail -n +2 out/frames.tsv | sort -s -t "$(printf '\t')" -k 1,1 -k 5,5n >rows
    check "frames follow each other" awk -F '\t' '{ key = $1 FS $5
        if (key != last) { last = key; end = 0; number = 0; aggregate = $11 }
        if ($11 == aggregate) { if ($7 != end || $6 != ++number || $8 < 1) exit 1; end = $7 + $8 } }' rows
    check "only a last frame is partial" awk -F '\t' '{ if (partial && key == $1 FS $5 && $6 != number) exit 1
        key = $1 FS $5; partial = $9; number = $6 }' rows
    awk -F '\t' '$1 == "rate.data" && $5 == 1 { words += $12 * $8 / 133e6 } END { printf "%.0f\n", words }' out/frames.tsv >told
    awk -F '\t' '$1 == "rate.time" && $5 == 1 { words += $12 * $8 / 133e6 } END { printf "%.0f\n", words }' out/frames.tsv >expected
    check_same "time and data frames hold the same words" expected told
}

# The same records pass all stretches, so their means add up; what waits is Little's inbox.
test_spans() {
    flatten out/summary.json >flat
    local part sum=0
    for part in on_board on_bus waiting working; do
        sum+=" + $(number flat "measurements/$part/mean")"
        check_number "$part: every record" "$(number flat "measurements/$part/weight")" == "$(number flat stage_3/hsps)"
    done
    # of numbers with twelve digits
    check_number "stretches add up to the whole span" "(($sum) / $(number flat measurements/whole/mean) - 1)^2" '<' 1e-21
    check_number "and the whole to them" "$(number flat measurements/whole/mean) / ($sum) - 1" '<' 1e-12
    run retime tokens -o out6 --quiet --measure all.tt --set host.cores=1 --set stage3.cycles_per_check=1e6 --set pcix.block=4096
    report "a slow host" "$(success_problem)"
    flatten out6/summary.json >flat
    check_number "its HSPs wait" "$(number flat measurements/waiting/mean)" '>' 1000
    sum="$(number flat measurements/waiting/mean) * $(number flat stage_3/hsps)"
    check_number "by Little's law, as long as the inbox is full" \
        "int(1e6 * $(number flat measurements/inbox/mean) * $(number flat measurements/inbox/weight) / ($sum) + 0.5)" == 1e6
}

test_no_measurements() {
    expect_success "--measure none" -q q.fa -d d.fa -o out --quiet --measure none
    check_not "then there are no frames, not even older ones" test -e out/frames.tsv
    check_not "nor measurements" grep -q '"measurements"' out/summary.json
}

kilobytes() { # ARGUMENT...: most memory any process of mercury took
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$mercury" "$@"
}

# What directives add to a run's memory must not depend on the database: frames of 20 clocks, tens of thousands of them.
test_memory() {
    if ! have python3; then
        skip "memory" "no python3"
        return
    fi
    local size with without
    echo 'occupancy at wmer_fifo: mean, histogram(64) every 20 clocks' >many.tt
    for size in 300000 2400000; do
        dna 4 "$size" | sed '1i >d' >long.fa
        without=$(kilobytes run -q q.fa -d long.fa -s plus -o out --quiet --measure none)
        with=$(kilobytes run -q q.fa -d long.fa -s plus -o out --quiet --measure many.tt)
        check_number "$size bases: $((with - without)) KB more with directives" "$((with - without))" '<' 4000
    done
    check_number "there were many frames" "$(wc -l <out/frames.tsv)" '>' 7000
}

# A counter's mean over the pass is the FIFO's mean occupancy; slices in which a stage is held are its stall, 1bd's others its
# trips; cores' slices are the time they were busy, to a clock at either end. None of a track overlap.
integrates() { # TIMELINE SUMMARY PASS
    python3 - "$@" <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
whole = json.load(open(sys.argv[2]))
summary = whole["per_pass"][int(sys.argv[3]) - 1]
clock = 1e6 / whole["clock_hz"]
end = summary["clocks"] * clock
names = {"ingress FIFO": ("stage_1a", "ingress_fifo"), "wmer FIFO": ("stage_1b", "wmer_fifo"),
         "SRAM FIFO": ("stage_1b", "sram_fifo"), "stage-2 FIFO": ("stage_2", "stage2_fifo"),
         "egress FIFO": ("pcix", "egress_fifo")}
counters, cores, threads, held, tracks = {}, {}, {}, {}, {}
for event in events:
    if event["ph"] == "C":
        counters.setdefault(event["name"], []).append((min(event["ts"], end), list(event["args"].values())[0]))
    elif event["ph"] == "M" and event["name"] == "thread_name":
        threads[event["tid"]] = event["args"]["name"]
    elif event["ph"] == "X":
        track = threads[event["tid"]]
        tracks.setdefault(track, []).append((event["ts"], event["dur"]))
        if track.startswith("stage 3, core"):
            cores.setdefault(event["tid"], []).append((event["ts"], event["dur"]))
        else:
            key = track + (" held" if event["name"] == "held" else "")
            held[key] = held.get(key, 0) + event["dur"] / clock
if set(counters) != set(names):
    sys.exit(f"counters: {set(counters)}")
for name, values in counters.items():
    area = sum(value * (after[0] - at) for (at, value), after in zip(values, values[1:] + [(end, 0)]))
    mean = summary[names[name][0]][names[name][1]]["mean"]
    if abs(area / end - mean) > 1e-6 * mean:
        sys.exit(f"{name}: {area / end}, not {mean}")
busy, slices = summary["stage_3"]["core_busy_s"] * 1e6, [s for core in cores.values() for s in core]
if abs(sum(length for _, length in slices) - busy) > clock * len(slices):
    sys.exit(f"cores are busy for {sum(length for _, length in slices)}, not {busy}")
for name, slices in tracks.items():
    slices.sort()
    if any(a + length > b + 1e-6 for (a, length), (b, _) in zip(slices, slices[1:])):
        sys.exit(f"{name} does two things at a time")
def beyond_a_clock(times):
    return times["count"] * (times["mean_clocks"] - 1) if times["count"] else 0
lookups = summary["stage_1b"]
trips = lookups["trips"] * lookups["trip_cycles"]
stalls = {"stage 1a held": beyond_a_clock(summary["stage_1a"]["service_times"]),
          "stage 1bp held": beyond_a_clock(lookups["read_times"]), "stage 1bd": trips,
          "stage 1bd held": lookups["duplicate_stage_clocks"] - trips - lookups["seeds"] + lookups["lookups_duplicate"],
          "stage 2 held": beyond_a_clock(summary["stage_2"]["service_times"])}
for name, clocks in stalls.items():
    if abs(held.get(name, 0) - clocks) > 1e-3 + 1e-6 * clocks:
        sys.exit(f"{name} for {held.get(name, 0)} clocks, not {clocks}")
if json.load(open(sys.argv[1]))["otherData"]["window_end_us"] > 1e6 * summary["simulated_time_s"]:
    sys.exit("the window ends after the pass")
END
}

test_timeline() {
    if ! [ -f "$lambda" ] || ! [ -f "$ecoli" ] || ! have python3; then
        skip "a timeline" "no python3 or example genomes"
        return
    fi
    expect_success "a timeline of lambda against E. coli" -q "$lambda" -d "$ecoli" -o out --quiet --timeline pass.json --record tokens
    check_number "it is under its cap" "$(wc -c <pass.json)" '<' 100000000
    check "its counters integrate to the reported means" integrates pass.json out/summary.json 1
    run retime tokens -a /dev/null --quiet --timeline pass2.json --timeline-pass 2 -j 2
    report "a timeline of the second pass" "$(success_problem)"
    check "it integrates to the second pass's" integrates pass2.json out/summary.json 2
    check_not "and not to the first's" integrates pass2.json out/summary.json 1
    expect_success "a short one" -q "$lambda" -d "$ecoli" -s plus --timeline short.json --timeline-cap 20000 -a /dev/null
    check "it says that it was cut" grep -q 'the timeline reached its cap' "$scratch/out"
    check_number "it is under its cap" "$(wc -c <short.json)" '<=' 20000
    expect_success "a window after the pass" -q "$lambda" -d "$ecoli" -s plus --timeline late.json --timeline-window 500..600 -a /dev/null
    check "it says that there is nothing" grep -q 'the timeline is empty: its window .* begins after its pass ends, at ' "$scratch/out"
    check "and so does the file" grep -q '"beyond": true' late.json
    check "it parses" python3 -c 'import json; json.load(open("short.json"))'
}

test_bad_uses() {
    expect_refusal "no directory" 'needs a directory' run -q q.fa -d d.fa --measure all.tt
    expect_refusal "no such file" 'missing.tt' run -q q.fa -d d.fa -o out --measure missing.tt
    echo 'rate at bus_inn' >bad.tt
    expect_refusal "an unknown tap" "bad.tt:1:9: .*bus_in" run -q q.fa -d d.fa -o out --measure bad.tt
    echo 'rate at bus_in every 1 ns' >bad.tt
    expect_refusal "frames shorter than a clock" 'bad.tt:1: .*shorter than a clock' run -q q.fa -d d.fa -o out --measure bad.tt
    expect_refusal "a window that ends before it begins" '--timeline-window .2..1.: expected' run -q q.fa -d d.fa --timeline t --timeline-window 2..1
    expect_refusal "it says which way round" '--timeline-window .2..1.: expected BEGIN before END$' run -q q.fa -d d.fa --timeline t --timeline-window 2..1
    expect_refusal "a window of eons" '--timeline-window .1e9..1e10.: expected .* each from 0 to 1e9$' run -q q.fa -d d.fa --timeline t --timeline-window 1e9..1e10
    expect_refusal "a cap of nothing" '--timeline-cap .0.: expected' run -q q.fa -d d.fa --timeline t --timeline-cap 0
    expect_refusal "a pass there is not" '--timeline-pass 3: expected a pass from 1 to 2' run -q q.fa -d d.fa -o out9 --timeline t --timeline-pass 3
    expect_refusal "a pass that is none" '--timeline-pass .0.: expected' run -q q.fa -d d.fa --timeline t --timeline-pass 0
    expect_refusal "a pass of no timeline" '--timeline-pass: there is no timeline' run -q q.fa -d d.fa --timeline-pass 2
    expect_refusal "a timeline to standard output" '--timeline .-.: expected' run -q q.fa -d d.fa --timeline -
    expect_refusal "measure without options" '--list' measure
    expect_refusal "measure with too many" "unexpected argument 'x'" measure --list x
    tells "measure --list" 'wmer_fifo' measure --list
    tells "measure --check" '14 measurements' measure --check all.tt
    tells "the default directives" '[0-9] measurements' measure --check "$source_directory/data/directives/default.tt"
    tells "a set by its name" 'timetrial2011: 30 measurements' measure --check timetrial2011
    tells "its record" 'frame record: 10976 bytes for 26 measurements of the board, every pass' \
        measure --check timetrial2011.tt
    echo 'rate at bus_in every 10 us' >default.tt
    tells "a file comes before a set" 'default.tt: 1 measurement' measure --check default.tt
    tells "a record of a rate" 'frame record: 40 bytes for 1 measurement of the board, every 1e-05 s' \
        measure --check default.tt
    expect_success "a run measures a set" -q q.fa -d d.fa -o set --quiet --measure timetrial2011
    check "all of it" grep -q bus_to_record set/frames.tsv
    expect_refusal "no such set" 'timetrial: there is neither such a file nor a set of directives' \
        measure --check timetrial
    expect_refusal "a path is no set" 'no/timetrial2011' measure --check no/timetrial2011
    tells "mercury help measure" '^Usage: mercury measure' help measure
}

make_input
test_same_bytes
test_frames
test_spans
test_clocks
test_no_measurements
test_memory
test_timeline
test_bad_uses
finish
