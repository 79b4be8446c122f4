#!/bin/bash
# test_waves.sh - waveforms of a pass: they add up to what the run reports, windows and caps are kept, FST says the same,
# bad uses.
source "$(dirname "$0")/lib.sh"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz

# Sums of the signals over the clocks of a pass: levels are mean occupancies, signals the fractions of clocks in which they
# are asserted, busy stages their counters; what is taken are the words, seeds and so on.
adds_up() { # VCD SUMMARY PASS
    python3 - "$@" <<'END'
import json, sys
whole = json.load(open(sys.argv[2]))
summary, hz = whole["per_pass"][int(sys.argv[3]) - 1], whole["clock_hz"]
scopes, names, values, since, sums = [], {}, {}, {}, {}
clock, is_changes = 0, False
for line in open(sys.argv[1]):
    words = line.split() or ["$"]
    if words[0] == "$scope":
        scopes.append(words[2])
    elif words[0] == "$upscope":
        scopes.pop()
    elif words[0] == "$var":
        names[words[3]] = ".".join(scopes[2:] + [words[4]])
    elif words[0] == "$enddefinitions":
        is_changes = True
    elif not is_changes or words[0][0] == "$":
        continue
    elif line[0] == "#":
        picoseconds = int(line[1:])
        clock = round(picoseconds * hz / 1e12)
        if abs(picoseconds - clock * 1e12 / hz) > 0.5001:
            sys.exit(f"{picoseconds} ps is no clock")
    else:
        name = names[words[1] if line[0] == "b" else line[1:].strip()]
        sums[name] = sums.get(name, 0) + values.get(name, 0) * (clock - since.get(name, 0))
        values[name], since[name] = int(words[0].lstrip("b"), 2) if line[0] == "b" else int(line[0]), clock
for name in values:
    sums[name] += values[name] * (clock - since[name])
if clock != summary["clocks"]:
    sys.exit(f"{clock} clocks, not {summary['clocks']}")
fifos = {"stage_1a.ingress_fifo": ("stage_1a", "words"), "stage_1bp.wmer_fifo": ("stage_1b", "seeds"),
         "stage_1bd.sram_fifo": ("stage_1b", "lookups"), "stage_2.stage2_fifo": ("stage_2", "matches"),
         "bus_out.egress_fifo": ("pcix", "records")}
expected = {"bus_in.busy": summary["pcix"]["words_in"], "stage_1a.busy": summary["stage_1a"]["input_clocks"],
            "stage_1bp.busy": summary["stage_1b"]["input_clocks"],
            "stage_1bd.busy": summary["stage_1b"]["duplicate_stage_clocks"],
            "stage_2.busy": summary["stage_2"]["input_clocks"]}
for name, (stage, element) in fifos.items():
    queue = summary[stage][name.split(".")[1]]
    expected[f"{name}.level_{element}"] = queue["mean"] * clock
    expected[f"{name}.back_pressure"] = queue["back_pressure_fraction"] * clock
for stage, times in ("1a", summary["stage_1a"]["service_times"]), ("1bp", summary["stage_1b"]["read_times"]), \
                    ("2", summary["stage_2"]["service_times"]):
    expected[f"stage_{stage}.stall"] = times["count"] * (times["mean_clocks"] - 1) if times["count"] else 0
for name, value in expected.items():
    if abs(sums[name] - value) > 1e-3 + 1e-6 * value:
        sys.exit(f"{name}: {sums[name]}, not {value}")
END
}

test_genomes() {
    if ! [ -f "$lambda" ] || ! [ -f "$ecoli" ] || ! have python3; then
        skip "waveforms of genomes" "no python3 or example genomes"
        return
    fi
    prophages "$ecoli" >coli.fa
    expect_success "waveforms of lambda against prophages" -q "$lambda" -d coli.fa -o out --quiet --vcd 1.vcd --record tokens
    check "they add up to the reported means" adds_up 1.vcd out/summary.json 1
    check_not "and not to the second pass's" adds_up 1.vcd out/summary.json 2
    run retime tokens -a /dev/null --quiet --vcd 2.vcd --timeline-pass 2 -j 2
    report "waveforms of the second pass" "$(success_problem)"
    check "they add up to the second pass's" adds_up 2.vcd out/summary.json 2
    run retime tokens -o slow --quiet --vcd slow.vcd --set stage2.fetch_cycles=40 --set fifo.stage2=9 --set fifo.egress=2 \
        --set pcix.bandwidth=300e6
    report "waveforms of a machine that stalls" "$(success_problem)"
    check "they add up, too" adds_up slow.vcd slow/summary.json 1
    check_fst
}

check_fst() {
    if ! have vcd2fst || ! have fst2vcd; then
        skip "waveforms as FST" "no gtkwave"
        return
    fi
    run retime tokens -a /dev/null --quiet --fst 1.fst
    report "waveforms as FST" "$(success_problem)"
    check_number "they are smaller" "$(wc -c <1.fst)" '<' "$(($(wc -c <1.vcd) / 4))"
    fst2vcd -f 1.fst -o back.vcd
    check "they add up, too" adds_up back.vcd out/summary.json 1
    check "nothing is left of what was only for them" test -z "$(ls -A | grep -E 'fst\.|partial')"
    run retime tokens -a /dev/null --quiet --vcd both.vcd --fst both.fst
    check "VCD and FST at once: the VCD" cmp both.vcd 1.vcd
    check "and the FST" test -s both.fst
}

test_window() {
    expect_success "a window" -q q.fa -d d.fa -s plus -a /dev/null --vcd w.vcd --timeline-window 0.01..0.02
    check "it begins and ends there" test "$(grep '^#' w.vcd | sed -n '1p;$p' | tr '\n' ' ')" = "#10000000 #20000000 "
    expect_success "a window after the pass" -q q.fa -d d.fa -s plus -a /dev/null --vcd late.vcd --timeline-window 500..600
    check "it says that there is nothing" grep -q 'the waveforms are empty: their window .* begins after the pass ends, at ' \
        <(tr -s '\n ' ' ' <"$scratch/out")
    check "and so does the file" grep -q 'the waveforms are empty' late.vcd
    expect_success "a short one" -q q.fa -d d.fa -s plus -a /dev/null --vcd short.vcd --timeline-cap 5000
    check "it says that it was cut" grep -q 'the waveforms reached their cap' "$scratch/out"
    check_number "it is under its cap" "$(wc -c <short.vcd)" '<=' 5000
    expect_success "both drawings" -q q.fa -d d.fa -s plus -a /dev/null --quiet --vcd both.vcd --timeline both.json
    expect_success "waveforms alone" -q q.fa -d d.fa -s plus -a /dev/null --quiet --vcd alone.vcd -j 3
    check_same "the same waveforms" both.vcd alone.vcd
}

test_bad_uses() {
    expect_refusal "waveforms to standard output" "--vcd '-': expected" run -q q.fa -d d.fa --vcd -
    expect_refusal "FST to standard output" "--fst '-': expected" run -q q.fa -d d.fa --fst -
    expect_refusal "a directory that is not there" 'nowhere/w.vcd' run -q q.fa -d d.fa --vcd nowhere/w.vcd
    expect_refusal "a pass there is not" '--timeline-pass 3: expected a pass from 1 to 2' \
        run -q q.fa -d d.fa -o out9 --vcd w --timeline-pass 3
    printf '#!/bin/sh\nPATH=/nowhere exec "%s" "$@"\n' "$mercury" >"$scratch/alone"
    chmod +x "$scratch/alone"
    mercury=$scratch/alone expect_refusal "no vcd2fst" '--fst: needs the program vcd2fst, .*; install gtkwave, or use --vcd$' \
        run -q q.fa -d d.fa --fst w.fst
}

# A vcd2fst that makes the file that the real one has while it runs, and then fails, or waits for a signal.
test_broken_vcd2fst() {
    mkdir bin
    mkfifo begun
    cat >bin/vcd2fst <<'END'
#!/bin/sh
[ "$1" != --help ] || exit 0
: >"$4.hier"
[ ! -p begun ] || { echo $$ >begun; exec sleep 60; }
exit 1
END
    chmod +x bin/vcd2fst
    local ended converter
    PATH=$PWD/bin:$PATH "$mercury" run -p "$platform" -q q.fa -d d.fa -s plus -a /dev/null --quiet --fst w.fst 2>"$scratch/err" &
    ended=$!
    read -r -t 60 converter <>begun
    kill "$ended"
    wait "$ended"
    check_number "ended while vcd2fst works" $? == 143
    kill "$converter"
    check "nothing of it is left" test -z "$(ls -A | grep -E 'hier|partial|fst\.')"
    rm begun
    PATH=$PWD/bin:$PATH expect_refusal "vcd2fst fails" '^mercury: w.fst: vcd2fst failed to write it' \
        run -p "$platform" -q q.fa -d d.fa -s plus -a /dev/null --quiet --fst w.fst
}

begin "$@"

dna 1 3000 | sed '1i >q' >q.fa
dna 2 200000 | sed '1i >d' >d.fa

test_genomes
test_window
test_bad_uses
test_broken_vcd2fst
finish
