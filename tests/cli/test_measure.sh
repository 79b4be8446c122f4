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
occupancy at host_queue: max every 10 us                      as supplied
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
    tells "people are told" 'true: 0.990099009901, ' run -q q.fa -d d.fa -o apart3 --set clock.fpga_rate_error=0.01 -a apart3.tsv --full
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
    grep ' as whole$' all.tt >one.tt
    run retime tokens -o out6 --quiet --measure one.tt
    report "one measurement alone, whose stamps are ages" "$(success_problem)"
    grep -P '^(measurement|whole)\t' out/frames.tsv >expected
    check_same "one measurement alone: frames.tsv" expected out6/frames.tsv
}

# Frames follow each other without a gap; words of all frames are the pass's.
test_frames() {
    tail -n +2 out/frames.tsv | sort -s -t "$(printf '\t')" -k 1,1 -k 5,5n >rows
    check "frames follow each other" awk -F '\t' '{ key = $1 FS $5
        if (key != last) { last = key; end = 0; number = 0; aggregate = $11 }
        if ($11 == aggregate) { if ($7 != end || $6 != ++number || $8 < 1) exit 1; end = $7 + $8 } }' rows
    check "only a last frame is partial" awk -F '\t' '{ if (partial && key == $1 FS $5 && $6 != number) exit 1
        key = $1 FS $5; partial = $9; number = $6 }' rows
    check "stamps are the borders' on the 133 MHz of either side" awk -F '\t' '{ side = ($3 ~ /inbox|stage_3/) FS $5
        if (!(side in start)) start[side] = $13 - $7 / 133e6
        d = $13 - start[side] - $7 / 133e6; e = $14 - start[side] - ($7 + $8) / 133e6
        if (d > 16e-9 || d < -16e-9 || e > 16e-9 || e < -16e-9) { print; exit 1 } }' rows
    awk -F '\t' '$1 == "rate.data" && $5 == 1 { words += $12 * $8 / 133e6 } END { printf "%.0f\n", words }' out/frames.tsv >told
    awk -F '\t' '$1 == "rate.time" && $5 == 1 { words += $12 * $8 / 133e6 } END { printf "%.0f\n", words }' out/frames.tsv >expected
    check_same "time and data frames hold the same words" expected told
}

# Two strands without a seed take the same clocks.
test_equal_passes() {
    printf '%0300d\n' 0 | tr 0 A | sed '1i >q' >plain_q.fa
    printf '%030000d\n' 0 | tr 0 C | sed '1i >d' >plain_d.fa
    echo 'rate at bus_in' >one.tt
    expect_success "no seed" -q plain_q.fa -d plain_d.fa -o plain --quiet --measure one.tt
    check "passes of equal length have stamps of their own" awk -F '\t' 'NR > 1 {
        if (NR > 2 && $8 != clocks || $13 < end) { print; bad = 1 } clocks = $8; end = $14 } END { exit bad || NR != 3 }' plain/frames.tsv
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
    run retime tokens -o out6 --quiet --measure all.tt --set host.cores=1 --set stage3.cycles_per_check=1e6 --set pcix.block=4096
    report "a slow host" "$(success_problem)"
    flatten out6/summary.json >flat
    check_number "its HSPs wait" "$(number flat measurements/waiting/mean)" '>' 1000
    sum="$(number flat measurements/waiting/mean) * $(number flat stage_3/hsps)"
    check_number "by Little's law, as long as the inbox is full" \
        "int(1e6 * $(number flat measurements/inbox/mean) * $(number flat measurements/inbox/weight) / ($sum) + 0.5)" == 1e6
}

host_queue_of() { # BUS: its bytes per second
    local clocks='133e6' queue=pcix/host_queue blocks integral
    run retime tokens -o out --quiet --measure queue.tt --set host.queue=2 --set pcix.block=4096 \
        --set host.supply=2e9 --set pcix.bandwidth="$1"
    report "the host queue of a bus of $1" "$(success_problem)"
    flatten out/summary.json >flat
    blocks=$(number flat $queue/elements)
    integral="($blocks * $(number flat $queue/mean_wait_s) * $clocks)"
    check_number "each block waits once" "$(number flat measurements/waited/weight)" == "$blocks"
    check_number "and as long as the summary says" "($blocks * $(number flat measurements/waited/mean) / $integral - 1)^2" '<' 1e-20
    check_number "Little's law" "($(number flat measurements/queued/mean) * $(number flat measurements/queued/weight) / $integral - 1)^2" '<' 1e-20
    check_number "as long in frames of the run" "($(sum_of of_run) / $integral - 1)^2" '<' 1e-18
    check "frames of the run are as long as they are, whatever the queue does" \
        awk -F '\t' '$1 == "of_run" && $10 != $8 { print; exit 1 }' out/frames.tsv
    check_number "the most" "$(number flat measurements/queued/max)" == "$(number flat $queue/max)"
    check_number "it is full most of the time" "$(number flat measurements/full/mean)" '>' 0.5
    check_number "as long as both places are taken" "int($(number flat measurements/full/mean) * $(number flat measurements/full/weight) + 0.5)" \
        == "$(awk -F '\t' '$1 ~ /^measurements\/queued\/histogram\/bins\/.*\/0$/ && $2 == 2 { getline; getline; print $2 }' flat)"
    check_number "frames of time have all blocks" "int($(sum_of by_time) / $clocks + 0.5)" == "$blocks"
    check_number "and so have frames of blocks" "int($(sum_of by_blocks) / $clocks + 0.5)" == "$blocks"
}

# The host queue by directives is that of the summary; blocks that wait are Little's. Of two places both are often taken.
test_host_queue() {
    local bus
    cat >queue.tt <<'END'
occupancy at host_queue: mean, max, histogram(0..3/1)              as queued
back_pressure at host_queue                                        as full
latency at host_queue                                              as waited
rate at host_queue every 10 us                                     as by_time
rate at host_queue every 3 blocks at host_queue                    as by_blocks
occupancy at host_queue every 0.1 ms of run                        as of_run
END
    for bus in 1064e6 1e7; do
        host_queue_of "$bus" # a slow bus holds the last block for longer than the board works
    done
    echo 'occupancy at host_queue: histogram(512) as deep' >deep.tt
    run retime tokens -o deep --quiet --measure deep.tt --set host.queue=1023
    flatten deep/summary.json >flat
    check_number "bins up to all of its places" "$(number flat measurements/deep/histogram/bins/0/1)" == 1
    echo 'occupancy at host_queue as queued' >queued.tt
    run retime tokens -o next --quiet --measure queued.tt --set schedule.overlap=tables
    flatten next/summary.json >flat
    check_number "it is that of the stream, without the loading of the next tables" \
        "($(number flat pcix/host_queue/mean) / $(number flat measurements/queued/mean) - 1)^2" '<' 1e-6
    tells "measure --check: nothing of it crosses the bus" '^  software: 192 bytes of events for 3 measurements, every pass$' measure --check queue.tt
    echo 'latency at bus_in to host_queue' >bad.tt
    expect_refusal "blocks are no records" "bad.tt:1:22: found 'host_queue', expected a tap that ends a span" run -q q.fa -d d.fa -o out9 --measure bad.tt
    echo 'occupancy at host_queue every 5 elements at inbox' >bad.tt
    expect_refusal "frames of others" 'bad.tt:1: .*counted at host_queue, or be frames of time' run -q q.fa -d d.fa -o out9 --measure bad.tt
    echo 'rate at bus_in every 5 blocks at host_queue' >bad.tt
    expect_refusal "frames of the board" 'bad.tt:1: .*on the board: .* host_queue' run -q q.fa -d d.fa -o out9 --measure bad.tt
}

test_no_measurements() {
    expect_success "--measure none" -q q.fa -d d.fa -o out --quiet --measure none
    check_not "then there are no frames, not even older ones" test -e out/frames.tsv
    check_not "nor measurements" grep -q '"measurements"' out/summary.json
}

# kilobytes ARGUMENT...: most memory any process of mercury took
kilobytes() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$mercury" "$@"
}

# What directives add to a run's memory must not depend on the database: frames of 20 clocks, tens of thousands of them.
# The page reads their table, up to a bound.
test_memory() {
    if ! have python3 || [ -n "$sanitized" ]; then
        skip "memory" "no python3, or sanitizers, whose allocator takes what it likes"
        return
    fi
    local size with without
    echo 'occupancy at wmer_fifo: mean, histogram(64) every 20 clocks' >many.tt
    for size in 300000 2400000; do
        dna 4 "$size" | sed '1i >d' >long.fa
        without=$(kilobytes run -q q.fa -d long.fa -s plus -o out --quiet --no-report --measure none)
        with=$(kilobytes run -q q.fa -d long.fa -s plus -o out --quiet --no-report --measure many.tt)
        check_number "$size bases: $((with - without)) KB more with directives" "$((with - without))" '<' 4000
    done
    check_number "there were many frames" "$(wc -l <out/frames.tsv)" '>' 7000
}

# A counter's mean over the pass is the FIFO's mean occupancy; slices in which a stage is busy are its counter, slices in which
# it is held its stall; cores' slices of all passes are the time they were busy, to a picosecond at either end, up to the end of
# the last pass; the inboxes hold what their waits say; phases of all passes follow each other. Of all passes, on their boards: the blocks in their order, with all bytes, and in every pass the
# time in which each stage was at work, exactly. Times of a track do not go back, and slices do not overlap.
integrates() { # TIMELINE SUMMARY PASS
    python3 - "$@" <<'END'
import json, sys
file, whole, number = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), int(sys.argv[3])
summary, clock = whole["per_pass"][number - 1], 1e6 / whole["clock_hz"]
processes, threads, counters, tracks, slices, boards = {}, {}, {}, {}, {}, {}
for event in file["traceEvents"]:
    if event["ph"] == "M":
        names = processes if event["name"] == "process_name" else threads
        names[event["pid"] if names is processes else event["tid"]] = event["args"]["name"]
    elif event["ph"] == "C":
        value = (event["ts"], list(event["args"].values())[0])
        counters.setdefault((processes[event["pid"]], event["name"]), []).append(value)
    elif event["ph"] == "X":
        tracks.setdefault(event["tid"], []).append((event["ts"], event["dur"]))
        slice = event["name"], event["dur"], event.get("args", {}), event["ts"]
        of = processes[event["pid"]]
        if of.startswith("board"):
            boards.setdefault((of, threads[event["tid"]].split(",")[0]), []).append(slice)
        if not of.startswith("board") or threads[event["tid"]] == "passes":
            slices.setdefault(threads[event["tid"]], []).append(slice)
for kind in [[(at, 0) for at, _ in values] for values in counters.values()] + list(tracks.values()):
    if any(a + length > b + 1e-6 for (a, length), (b, _) in zip(kind, kind[1:])):
        sys.exit("a track goes back, or does two things at a time")
streams = [s for s in slices["passes"] if s[0].endswith("stream")]
origin = [s[3] for s in streams if s[2]["pass"] == number][0]
details = [name for name in processes.values() if name.startswith(f"pass {number} on board ")][0]
end = origin + summary["clocks"] * clock
names = {"ingress FIFO": ("stage_1a", "ingress_fifo"), "w-mer FIFO": ("stage_1b", "wmer_fifo"),
         "SRAM FIFO": ("stage_1b", "sram_fifo"), "stage-2 FIFO": ("stage_2", "stage2_fifo"),
         "egress FIFO": ("pcix", "egress_fifo"), "host queue": ("pcix", "host_queue")}
def area(values, end):
    values = [(min(at, end), value) for at, value in values]
    return sum(value * (after[0] - at) for (at, value), after in zip(values, values[1:] + [(end, 0)]))
for name, (stage, queue) in names.items():
    mean, drawn = summary[stage][queue]["mean"], area(counters[details, name], end) / (end - origin)
    if name == "host queue": # its mean is over the loading of the next tables, too
        mean = summary[stage][queue]["elements"] * summary[stage][queue]["mean_wait_s"] * 1e6 / (end - origin)
    if abs(drawn - mean) > (1e-4 if name == "host queue" else 1e-6) * mean:
        sys.exit(f"{name}: {drawn}, not {mean}")
inbox = sum(area(counters[track], 1e99) for track in counters if track[1].startswith("inbox, mean in steps of "))
waits = whole["stage_3"]["inbox"]
if abs(inbox - waits["elements"] * waits["mean_wait_s"] * 1e6) > 2 * clock * waits["elements"]:
    sys.exit(f"the inbox holds {inbox} HSPs x us")
if len(streams) != whole["passes"] or len([s for s in slices["passes"] if s[0].endswith("load")]) != whole["passes"]:
    sys.exit("not all passes are there")
def lasted(track, *what):
    return sum(s[1] for name in slices for s in slices[name] if name.startswith(track) and (not what or s[0].split()[-1] in what))
busy = sum(of_pass["stage_3"]["core_busy_s"] + of_pass["stage_3"]["build_s"]
           for of_pass in whole["per_pass"]) * 1e6 # without joins of segments
if abs(lasted("stage 3, core") - busy) > 1e-6 * busy:
    sys.exit(f"cores are busy for {lasted('stage 3, core')}, not {busy}")
def ends(track):
    return [s[3] + s[1] for name in slices for s in slices[name] if name.startswith(track)]
if max(ends("stage 3, core")) + file["otherData"]["host_step_us"] < max(ends("tails of passes")):
    sys.exit("what the cores do ends too early")
def work(of_pass):
    b = of_pass["stage_1b"]
    return {"1a": of_pass["stage_1a"]["input_clocks"], "1bp": b["input_clocks"], "2": of_pass["stage_2"]["input_clocks"],
            "1bd": b["seeds"] - b["lookups_duplicate"] + b["trips"] * b["trip_cycles"]}
blocks_per_slice, blocks_seen = file["otherData"]["blocks_per_slice"], 0
for (board, track), phases in boards.items():
    for name, lasts, about, begin in phases if track == "passes" else []:
        if not name.endswith("stream"):
            continue
        of_pass = whole["per_pass"][int(about["pass"]) - 1]
        def inside(track):
            return [s for s in boards.get((board, track), []) if begin - 1e-6 <= s[3] and s[3] + s[1] <= begin + lasts + 1e-6]
        blocks = inside("bus: blocks")
        if [s[2]["block"] for s in blocks] != [1 + i * blocks_per_slice for i in range(len(blocks))] or \
           any(s[2]["pass"] != about["pass"] for s in blocks) or \
           sum(s[2]["bytes"] for s in blocks) != of_pass["pcix"]["database_bytes"]:
            sys.exit(f"{name}: blocks are missing")
        blocks_seen += len(blocks)
        for stage, clocks in work(of_pass).items():
            drawn = inside("stage " + stage)
            if abs(sum(s[1] for s in drawn) / clock - clocks) > 2e-4 * (1 + len(drawn)):
                sys.exit(f"{name}: stage {stage} for {sum(s[1] for s in drawn) / clock} clocks, not {clocks}")
if blocks_seen != sum(len(s) for (_, track), s in boards.items() if track == "bus: blocks"):
    sys.exit("there are blocks outside of passes")
def beyond_a_clock(times):
    return times["count"] * (times["mean_clocks"] - 1) if times["count"] else 0
lookups = summary["stage_1b"]
trips = lookups["trips"] * lookups["trip_cycles"]
expected = {("stage 1a", "held"): beyond_a_clock(summary["stage_1a"]["service_times"]),
            ("stage 1a", "busy"): summary["stage_1a"]["input_clocks"],
            ("stage 1bp", "held"): beyond_a_clock(lookups["read_times"]), ("stage 1bp", "busy"): lookups["input_clocks"],
            ("stage 1bd", "trip", "trips"): trips,
            ("stage 1bd", "held"): lookups["duplicate_stage_clocks"] - trips - lookups["seeds"] + lookups["lookups_duplicate"],
            ("stage 1bd", "busy", "held", "trip", "trips"): lookups["duplicate_stage_clocks"],
            ("stage 2", "held"): beyond_a_clock(summary["stage_2"]["service_times"]),
            ("stage 2", "busy"): summary["stage_2"]["input_clocks"]}
for name, clocks in expected.items():
    if abs(lasted(*name) / clock - clocks) > 1e-2 + 1e-6 * clocks:
        sys.exit(f"{name} for {lasted(*name) / clock} clocks, not {clocks}")
if file["otherData"]["window_end_us"] > 1e6 * whole["simulated_time_s"] + 1:
    sys.exit("the window ends after the run")
END
}

# Eight passes on three boards of two buses.
several=(-q q.fa -d d.fa --set query.segment=1000 --set boards=3 --set bus.count=2 --timeline-cap 6e6)

test_timeline() {
    if ! [ -f "$lambda" ] || ! [ -f "$ecoli" ] || ! have python3; then
        skip "a timeline" "no python3 or example genomes"
        return
    fi
    gzip -dc "$ecoli" | sed -n "1p; 15001,20000p" >part.fa # 350,000 bases around a prophage, in which every queue fills
    expect_success "a timeline of lambda against E. coli" -q "$lambda" -d part.fa -o out --quiet --timeline pass.json --timeline-cap 100e6 --record tokens
    check_number "it is under its cap" "$(wc -c <pass.json)" '<' 100000000
    check "its counters integrate to the reported means" integrates pass.json out/summary.json 1
    run retime tokens -a /dev/null --quiet --timeline thin.json --timeline-window 0..0.1
    check_number "0.1 ms without a cap takes less than 5 MB" "$(wc -c <thin.json)" '<' 5000000
    run retime tokens -a /dev/null --quiet --timeline thin.json
    check_number "and all of it at most 10 MB" "$(wc -c <thin.json)" '<=' 10000000
    run retime tokens -a /dev/null --quiet --timeline pass2.json --timeline-pass 2 --timeline-cap 100e6 -j 2
    report "a timeline of the second pass" "$(success_problem)"
    check "it integrates to the second pass's" integrates pass2.json out/summary.json 2
    check_not "and not to the first's" integrates pass2.json out/summary.json 1
    expect_success "a timeline of many passes" "${several[@]}" -o several --timeline several.json --timeline-pass 3 -j 1
    check "all of them are there" integrates several.json several/summary.json 3
    check "it says how finely" grep -q '^the timeline shows when stages are busy in steps of [0-9]* clocks, ' "$scratch/out"
    check "and the hosts" grep -q "^the hosts' cores and inboxes in steps of [0-9.]* us" "$scratch/out"
    expect_success "by two processes" "${several[@]}" -a /dev/null --timeline several-2.json --timeline-pass 3 -j 2
    check_same "the same timeline" several.json several-2.json
    expect_success "a short one" -q "$lambda" -d part.fa -s plus --timeline short.json --timeline-cap 20000 -a /dev/null
    check "it says that it was cut" grep -q 'the timeline reached its cap' "$scratch/out"
    check_number "and the file how many events are missing" \
        "$(tr '\n' ' ' <"$scratch/out" | sed -E 's/.* ms: ([0-9]+) of .*/\1/')" == \
        "$(sed -n -E 's/.*"events_missing": ([0-9]+).*/\1/p' short.json)"
    check_number "it is under its cap" "$(wc -c <short.json)" '<=' 20000
    expect_success "a window after the pass" -q "$lambda" -d part.fa -s plus --timeline late.json --timeline-window 500..600 -a /dev/null
    check "it says that there is nothing" grep -q 'the timeline is empty: its window .* begins after the pass ends, at ' <(tr -s '\n ' ' ' <"$scratch/out")
    check "and so does the file" grep -q '"beyond": true' late.json
    check "it parses" python3 -c 'import json; json.load(open("short.json"))'
}

# Table I of TimeTrial's paper, and prices counted by hand.
takes() { # NAME FLIP_FLOPS LUTS BLOCKS MULTIPLIERS, of what is in cost.tt
    run measure --check cost.tt --device xc4vlx100
    report "$1" "$(success_problem)"
    check "$1: numbers" test "$(awk '/ of  *[0-9]+  / { print $(NF - 3) }' "$scratch/out" | paste -s -d ' ')" = "$2 $3 $4 $5"
}

hardware_costs() {
    local line
    cp "$source_directory/data/directives/timetrial2011.tt" cost.tt
    takes "Table I" 5164 6980 2 1
    for line in 5.25 7.10 0.83 1.04; do
        check "Table I: $line%" grep -q " $line%\$" "$scratch/out"
    done
    echo 'rate at bus_in' >cost.tt
    takes "a rate" 1532 1124 0 1
    echo 'occupancy at wmer_fifo: histogram(64)' >cost.tt
    takes "bins in logic" 1564 $((1124 + 32 + 256)) 0 1
    echo 'occupancy at wmer_fifo: histogram(513)' >cost.tt
    takes "bins in blocks" 1564 1156 2 1
    echo 'latency at bus_in to wmer_fifo every 1 us' >cost.tt
    echo 'occupancy at inbox: histogram(600)' >>cost.tt
    takes "two places, two values, and nothing for software" $((1532 + 16 + 48)) $((1124 + 8 + 64)) 0 1
    check "64 bytes for software" grep -q 'software: 64 bytes of events for 1 measurement, every pass' "$scratch/out"
    echo 'occupancy at inbox' >cost.tt
    takes "software only" 0 0 0 0
    for line in 1 2 3 4 5 6 7 8 9; do echo "latency at wmer_fifo: quantile(0.5 within 0.1 %) as l$line"; done >cost.tt
    expect_refusal "more than there is" 'cost.tt: xc2v6000 has 144 block RAMs of 18 Kb, measuring takes [0-9]*: ask for less' \
        measure --check cost.tt --device xc2v6000
    expect_refusal "no such device" "did you mean xc4vlx100" measure --check cost.tt --device xc4vlx10
    expect_refusal "a device of no file" 'device: only a FILE' measure --list --device xc4vlx100
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
    local from='' to
    for to in $(sed -n '/^a span goes/,/^$/{ /^  /p }' "$scratch/out"); do
        [ -z "$from" ] || echo "latency at $from to $to"
        from=$to
    done >listed.tt
    tells "every span that is listed can be measured" "$(wc -l <listed.tt) measurements" measure --check listed.tt
    tells "measure --check" '15 measurements' measure --check all.tt
    tells "the default directives" '[0-9] measurements' measure --check "$source_directory/data/directives/default.tt"
    tells "a set by its name" 'timetrial2011: 30 measurements' measure --check timetrial2011
    tells "its record" 'frame record: 11056 bytes for 26 measurements of the board, every pass' \
        measure --check timetrial2011.tt
    echo 'rate at bus_in every 10 us' >default.tt
    tells "a file comes before a set" 'default.tt: 1 measurement' measure --check default.tt
    tells "a record of a rate" 'frame record: 40 bytes for 1 measurement of the board, every 1e-05 s' \
        measure --check default.tt
    hardware_costs
    expect_success "a run measures a set" -q q.fa -d d.fa -o set --quiet --measure timetrial2011
    check "all of it" grep -q bus_to_record set/frames.tsv
    expect_refusal "no such set" 'timetrial: there is neither such a file nor a set of directives' \
        measure --check timetrial
    expect_refusal "a path is no set" 'no/timetrial2011' measure --check no/timetrial2011
    tells "mercury help measure" '^Usage: mercury measure' help measure
}

# --- frames of the run

make_run_directives() {
    cat >run.tt <<'END'
rate at bus_in every 0.1 ms of run                                                       as words.run
rate at bus_in every 1 s of run                                                          as words.whole
rate at bus_in every 1 clocks                                                            as words.clock
occupancy at wmer_fifo: min, max, deviation, histogram(64) every 0.1 ms of run           as wmer.run
occupancy at wmer_fifo: min, max, deviation, histogram(64) every 1 s of run              as wmer.whole
occupancy at wmer_fifo: max                                                              as wmer.pass
latency at wmer_fifo every 1 s of run                                                    as through.whole
latency at bus_in to stage_3: max, quantile(0.5, 0.99) every 0.1 ms of run               as span.run
latency at bus_in to stage_3: max, quantile(0.5, 0.99) every 1 s of run                  as span.whole
latency at bus_in to stage_3: max, quantile(0.5, 0.99)                                   as span.pass
occupancy at inbox: max every 13300 clocks of run                                        as inbox.run
occupancy at inbox: max every 1 s of run                                                 as inbox.whole
occupancy at inbox                                                                       as inbox.pass
utilisation at stage_3 every 0.1 ms of run                                               as cores.run
collisions at stage_1bd every 0.1 ms of run                                              as collisions.run
trips_per_seed at stage_1bd: histogram(4) every 1 s of run                               as trips.whole
trips_per_seed at stage_1bd: histogram(4)                                                as trips.pass
back_pressure at sram_fifo every 0.1 ms of run                                           as held.run
back_pressure at sram_fifo every 1 s of run                                              as held.whole
END
}

# sum_of NAME [AGGREGATE]: of value x weight over the frames of a measurement in out/frames.tsv.
sum_of() {
    awk -F '\t' -v name="$1" -v aggregate="${2:-mean}" \
        '$1 == name && $11 == aggregate && $12 != "NA" { sum += $12 * $10 } END { printf "%.17g\n", sum }' out/frames.tsv
}

# one_of NAME AGGREGATE [COLUMN]: the value, or another column, of the only frame of a measurement.
one_of() {
    awk -F '\t' -v name="$1" -v aggregate="$2" -v column="${3:-12}" \
        '$1 == name && $11 == aggregate { print $column; n++ } END { if (n != 1) print "? there are " n + 0 }' out/frames.tsv
}

test_same_bytes_of_run() {
    make_run_directives
    expect_success "frames of the run" -q q.fa -d d.fa -o out --quiet --measure run.tt -j 1 --record tokens
    check_not "nothing else is left" test -e out/.tokens
    expect_success "by two processes" -q q.fa -d d.fa -o out2 --quiet --measure run.tt -j 2
    same_measurements "by two processes" out2
    check_not "and nothing else" test -e out2/.tokens
    expect_success "by events" -q q.fa -d d.fa -o out3 --quiet --measure run.tt --engine events
    same_measurements "by events" out3
    run retime tokens -o out4 --quiet --measure run.tt -j 2
    report "timed again" "$(success_problem)"
    same_measurements "timed again" out4
    grep -v run run.tt >passes.tt
    expect_success "without them" -q q.fa -d d.fa -o out5 --quiet --measure passes.tt
    grep -v -w run out/frames.tsv >expected
    check_same "frames of passes are as without them" expected out5/frames.tsv
}

# Frames divide the run from 0 to its end, which is when the board and stage 3 have finished; stitching follows.
test_frames_of_run() {
    flatten out/summary.json >flat
    awk -F '\t' '$5 == "run"' out/frames.tsv >rows
    check "frames of the run follow each other from 0 to one end" awk -F '\t' '{ key = $1; if (!(key in first)) first[key] = $11
        if ($11 != first[key]) next
        if ($7 != end[key] + 0 || $6 != ++number[key] || partial[key]) { print; exit 1 } end[key] = $7 + $8; partial[key] = $9
        last = end[key] } END { for (key in end) { n++; if (end[key] != last) exit 1 } exit n != 14 }' rows
    check_number "the end is the run's" \
        "($(one_of words.whole mean 8) - 133e6 * ($(number flat simulated_time_s) - $(number flat stage_3/join_s)))^2" '<=' 9
    check_number "words of all frames are the run's" "int($(sum_of words.run) / 133e6 + 0.5)" == "$(number flat pcix/words_in)"
    check_number "and those of one frame" "int($(sum_of words.whole) / 133e6 + 0.5)" == "$(number flat pcix/words_in)"
    check_number "what the queue held adds up" "int($(sum_of wmer.whole) + 0.5)" == "int($(sum_of wmer.pass) + 0.5)"
    check_number "frame by frame, too" "int($(sum_of wmer.run) + 0.5)" == "int($(sum_of wmer.whole) + 0.5)"
    check_number "by Little's law" "int($(sum_of through.whole) + 0.5)" == "int($(sum_of wmer.whole) + 0.5)"
    check_number "the inbox of the run is that of its passes" "int($(sum_of inbox.run) + 0.5)" == "int($(sum_of inbox.pass) + 0.5)"
    check_number "its longest is the run's" "$(one_of inbox.whole max)" == "$(number flat stage_3/inbox/max)"
    check_number "the cores were at work" \
        "(8 * $(sum_of cores.run) / 133e6 / $(number flat stage_3/core_busy_s) - 1)^2" '<' 1e-4
    check_number "signals add up" "int($(sum_of held.run) + 0.5)" == "int($(sum_of held.whole) + 0.5)"
    local aggregate
    for aggregate in mean max; do
        check_number "one frame, $aggregate of latencies" "$(one_of span.whole "$aggregate")" == \
            "$(number flat "measurements/span/pass/$aggregate")"
    done
    for aggregate in 0 1; do
        check_number "one frame, quantile $aggregate" \
            "$(one_of span.whole "quantile($(number flat "measurements/span/pass/quantiles/$aggregate/q"))")" == \
            "$(number flat "measurements/span/pass/quantiles/$aggregate/value")"
    done
    grep 'trips/pass/hist' flat | cut -d / -f 4- >expected
    grep 'trips/whole/hist' flat | cut -d / -f 4- >told
    check_same "one frame, the histogram" expected told
    check "tables are loaded at a rate of 0" awk -F '\t' '$1 == "words.run" && $6 == 1 { exit $12 != 0 }' out/frames.tsv
    check "and then no latency is known" awk -F '\t' '$1 == "span.run" && $6 == 1 { exit $12 != "NA" || $10 != 0 }' out/frames.tsv
    check_number "as many bins as the frame has clocks" "$(awk -F '\t' '$1 == "wmer.whole" { sum += $7 } END { print sum }' \
        out/frame_histograms.tsv)" == "$(one_of wmer.whole mean 8)"
}

# origin_of PASS: clock of the run in clock 0 of the pass's board; the host's stamps are the run's time.
origin_of() {
    awk -F '\t' -v pass="$1" '$1 == "inbox.pass" && $5 == pass { printf "%.0f\n", $13 * 133e6 }' out/frames.tsv
}

# Words of single clocks, put into frames here: a frame has 13300 clocks of the run.
test_frames_of_run_from_clocks() {
    awk -F '\t' -v first="$(origin_of 1)" -v second="$(origin_of 2)" '$1 == "words.clock" && $12 > 0 {
            words[int((($5 == 1 ? first : second) + $7) / 13300) + 1] += $12 / 133e6 }
        END { for (frame = 1; frame <= last || frame in words; frame++) printf "%d %.0f\n", frame, words[frame] }' \
        last="$(grep -c '^words.run' out/frames.tsv)" out/frames.tsv >expected
    awk -F '\t' '$1 == "words.run" { printf "%d %.0f\n", $6, $12 * $8 / 133e6 }' out/frames.tsv >told
    check_same "frames are what single clocks add up to" expected told
    check_number "there are many" "$(wc -l <told)" '>' 20
}

# The tables are loaded in whole frames of this period, so that frames of the run and of its first pass have the same borders.
test_frames_of_run_and_of_pass() {
    local load period
    load=$(origin_of 1)
    period=$(awk -v loaded="$load" 'BEGIN { for (period = 1900; loaded % period; period--); print period }')
    check_number "$load clocks are frames of $period" "$period" '>' 100
    cat >both.tt <<END
rate at bus_in every $period clocks as pass.words
rate at bus_in every $period clocks of run as run.words
occupancy at wmer_fifo: max, histogram(64), quantile(0.9) every $period clocks as pass.wmer
occupancy at wmer_fifo: max, histogram(64), quantile(0.9) every $period clocks of run as run.wmer
latency at bus_in to bus_out: min, deviation every $period clocks as pass.span
latency at bus_in to bus_out: min, deviation every $period clocks of run as run.span
utilisation at stage_1bd every $period clocks as pass.busy
utilisation at stage_1bd every $period clocks of run as run.busy
occupancy at inbox: max every $period clocks as pass.inbox
occupancy at inbox: max every $period clocks of run as run.inbox
latency at bus_in to stage_3 every $period clocks as pass.whole
latency at bus_in to stage_3 every $period clocks of run as run.whole
END
    expect_success "one pass" -q q.fa -d d.fa -o out6 -s plus --quiet --measure both.tt
    awk -F '\t' -v loaded="$load" -v before="$((load / period))" '$1 ~ /^pass/ && !$9 { sub(/^pass/, "", $1)
        print $1, $6 + before, $7 + loaded, $8, $10, $11, $12 }' out6/frames.tsv | sort >expected
    awk -F '\t' -v loaded="$load" '$1 ~ /^run/ && $7 >= loaded && !$9 { sub(/^run/, "", $1); print $1, $6, $7, $8, $10, $11, $12 }' \
        out6/frames.tsv | sort >all
    awk 'NR == FNR { wanted[$1, $2] = 1; next } ($1, $2) in wanted' expected all >told
    check_number "there are full frames" "$(wc -l <expected)" '>' 300
    check_same "a pass has the frames of the run after the load" expected told
    check "before them is the load" awk -F '\t' -v loaded="$load" '$1 ~ /^run/ && $7 < loaded { n++
        if ($12 != 0 && $12 != "NA") exit 1 } END { exit n < 100 }' out6/frames.tsv
}

test_run_overlaps() {
    local overlap
    for overlap in serial tables; do
        expect_success "$overlap" -q q.fa -d d.fa -o out --quiet --measure run.tt --set schedule.overlap=$overlap
        flatten out/summary.json >flat
        check_number "$overlap: words of all frames" "int($(sum_of words.run) / 133e6 + 0.5)" == "$(number flat pcix/words_in)"
        check_number "$overlap: the inbox" "int($(sum_of inbox.run) + 0.5)" == "int($(sum_of inbox.pass) + 0.5)"
        run retime tokens -o out2 --quiet --measure run.tt --set schedule.overlap=$overlap
        same_measurements "$overlap, timed again" out2
    done
    run retime tokens -o out --quiet --measure run.tt --set host.cores=1 --set stage3.cycles_per_check=1e6 -j 2
    report "a slow host" "$(success_problem)"
    flatten out/summary.json >flat
    check_number "HSPs of both passes wait at a time" "$(one_of inbox.whole max)" == "$(number flat stage_3/inbox/max)"
    check_number "and none is lost" "int($(sum_of inbox.run) + 0.5)" == "int($(sum_of inbox.pass) + 0.5)"
}

# By the board's clocks the records of the first block have the whole bus. Frames have no more than the bus can move, and
# together what their pass has, to a byte of 0.1316 clocks for each.
test_bus_in_frames() { # SETTING
    cat >bus.tt <<'END'
utilisation at bus_in every 37 clocks as short
utilisation at bus_in every 500 clocks as long
utilisation at bus_in every 90 words at stage_1a as words
utilisation at bus_in every 1 us of run as run
utilisation at bus_in as pass
END
    expect_success "$1" -q q.fa -d d.fa -o bus --quiet --measure bus.tt --set "$1"
    check "$1: no bus moves more than it can" awk -F '\t' 'NR > 1 && $12 > 1 { exit 1 }' bus/frames.tsv
    check "$1: frames have what their pass has" awk -F '\t' '
        NR > 1 && $5 != "run" { moved[$1, $5] += $12 * $8; n[$1, $5]++; of[$1, $5] = $5 }
        END { for (i in moved) {
            gap = moved["pass", of[i]] - moved[i]
            if (gap < -1e-6 * moved[i] || gap > n[i] * 0.1316 + 1e-6 * moved[i]) exit 1
        } }' bus/frames.tsv
}

refuse_frame() { # FRAME PATTERN
    echo "rate at bus_in every $1" >bad.tt
    expect_refusal "every $1" "bad.tt:1:$2" run -q q.fa -d d.fa -o out9 --measure bad.tt
}

test_bad_run_frames() {
    refuse_frame "0 ms of run" "22: found '0', expected a frame longer than 0"
    refuse_frame "1000 elements at bus_in of run" "46: found 'of', expected .* only frames of time"
    refuse_frame "pass of run" "27: found 'of', expected .* only frames of time"
    refuse_frame "1 ms of runs" "30: found 'runs', expected 'run', as in 100 ms of run; did you mean 'run'"
    refuse_frame "1 ns of run" ' .*shorter than a clock'
    printf '# two\nrate at bus_in\nrate at bus_out every 1 ms of run\n' >charge.tt
    expect_refusal "charged" 'charge.tt:3: rate.bus_out: frames of the run cannot be charged' \
        run -q q.fa -d d.fa -o out9 --measure charge.tt --charge-measurement
    expect_refusal "charged again" 'charge.tt:3: rate.bus_out: frames of the run cannot be charged' \
        retime tokens -o out9 --measure charge.tt --charge-measurement
    tells "measure --check tells of the run" \
        'frame record: 40 bytes for 1 measurement of the board, every 0.001 s of run, not charged' measure --check charge.tt
    tells "mercury help measure tells of it" "time 'of run'" help measure
}

make_input
test_same_bytes
test_frames
test_equal_passes
test_spans
test_clocks
test_no_measurements
test_memory
test_timeline
test_same_bytes_of_run
test_frames_of_run
test_frames_of_run_from_clocks
test_frames_of_run_and_of_pass
test_run_overlaps
test_bus_in_frames boards=1
test_bus_in_frames boards=2
test_host_queue
test_bad_run_frames
test_bad_uses
finish
