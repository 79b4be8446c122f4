#!/bin/bash
# test_export.sh MERCURY SOURCE_DIRECTORY - a run as another program's model (mercury export), and the times that its
# replayers read (--export-times).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

{
    echo '>q'
    dna 1 3000
} >q.fa
{
    echo '>d'
    dna 2 200000
    dna 1 3000 | mutate 3
} >d.fa

# moments FILE CLOCK_HZ: number, mean in clocks and scv of the times
moments() {
    awk -v hz="$2" '{ x = $1 * hz; sum += x; square += x * x }
        END { mean = sum / NR; printf "%d %.6g %.6g\n", NR, mean, square / NR / mean / mean - 1 }' "$1"
}

# same_times RECORD DIRECTORY TAP OBJECT MEMBER: number, mean and scv that traces/statistics/interval_moments.c found for the same times
same_times() {
    local expected
    run retime "$1" --export-times "$3=$3.txt" -a again.tsv --quiet
    expected=$(awk -v object="\"$4\":" -v member="\"$5\":" '
        $1 == object { here = 1 } here && $1 == member { found = 1 } found && /count/ { gsub(/[^0-9]/, "", $2); n = $2 }
        found && /mean_clocks/ { mean = $2 + 0 } found && /scv/ { printf "%d %.6g %.6g\n", n, mean, $2 + 0; exit }' "$2/summary.json")
    report "$3: number, mean and scv of the times are those of $2/summary.json" \
        "$([ "$(moments "$3.txt" 133e6)" = "$expected" ] || echo "$(moments "$3.txt" 133e6), expected $expected")"
}

test_times() {
    { cat q.fa; dna 1 600; } >repeated.fa # whose w-mers are in several places
    search -q repeated.fa -d d.fa -s plus -o repeated --record repeated.tokens --quiet
    same_times repeated.tokens repeated stage2_fifo stage_2 arrival_times
    search -q q.fa -d d.fa -s plus -o out --record tokens --quiet
    report "a run" "$(success_problem)"
    same_times tokens out ingress_fifo stage_1a arrival_times
    same_times tokens out wmer_fifo stage_1b arrival_times
    same_times tokens out sram_fifo stage_1b lookup_times
    run retime tokens --export-times egress_fifo=egress.txt -a again.tsv --quiet
    check_number "one time less than there are records" "$(wc -l <egress.txt) + 1" \
        == "$(grep -A 3 '"egress_fifo"' out/summary.json | sed -n 's/.*"elements": \([0-9]*\),/\1/p' | head -n 1)"
    search -q q.fa -d d.fa -s plus --export-times wmer_fifo=run.txt -a again.tsv --engine events --quiet
    check_same "a run with events has the same times" wmer_fifo.txt run.txt
    search -q q.fa -d d.fa --export-times wmer_fifo=minus.txt --timeline-pass 2 -a again.tsv --quiet
    check_not "another pass has other times" cmp -s wmer_fifo.txt minus.txt
    expect_refusal "an unknown tap" "--export-times 'inbox=x': expected TAP=FILE.*wmer_fifo" retime tokens --export-times inbox=x
    expect_refusal "no file" "expected the name of a file" retime tokens --export-times wmer_fifo=
    expect_refusal "the file is an input" "--export-times" retime tokens --export-times wmer_fifo=tokens
    expect_refusal "no such pass" 'a pass from 1 to 1' retime tokens --export-times wmer_fifo=x --timeline-pass 2
}

# What JMT reads: every station is there and drawn, connections and routes lead from one to the next, probabilities add up
# to 1, and times and places are those of the run.
judge_model() { # FILE SUMMARY
    python3 - "$1" "$2" <<'END_OF_PYTHON'
import json, sys, xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
summary = json.load(open(sys.argv[2]))
sim = root.find("sim")
nodes = {node.get("name"): node for node in sim.findall("node")}
sections = lambda node: [section.get("className") for section in node.findall("section")]
number = lambda node, name: float(node.find(f".//subParameter[@name='{name}']/value").text)

assert root.tag == "archive" and root.get("name") and root.get("timestamp")
assert [child.tag for child in root] == ["sim", "jmodel"]
order = [child.tag for child in sim]
assert order == sorted(order, key=["userClass", "node", "measure", "connection"].index)
customers = sim.find("userClass")
assert customers.get("type") == "open" and customers.get("referenceSource") == "bus"
assert set(nodes) == {station.get("name") for station in root.find("jmodel").findall("station")}
assert all(item.text == customers.get("name") for item in root.iter("refClass"))
assert sections(nodes["bus"]) == ["RandomSource", "ServiceTunnel", "Router"]
clock = 1 / summary["clock_hz"]
for name, object, fifo in (("1a", "stage_1a", "ingress_fifo"), ("1bp", "stage_1b", "wmer_fifo"),
                           ("1bd", "stage_1b", "sram_fifo"), ("2", "stage_2", "stage2_fifo")):
    station = nodes[name]
    assert sections(station) == ["Queue", "Server", "Router"]
    assert int(station.find(".//parameter[@name='size']/value").text) == summary[object][fifo]["places"]
    assert station.find(".//subParameter[@name='dropStrategy']/value").text == "BAS blocking"
    routes = [entry for entry in station.iter("subParameter") if entry.get("name") == "EmpiricalEntry"]
    to = [entry.find("subParameter[@name='stationName']/value").text for entry in routes]
    links = [link.get("target") for link in sim.findall("connection") if link.get("source") == name]
    assert set(links) <= set(nodes) and (not routes or to == links), (to, links)
    assert not routes or abs(sum(number(entry, "probability") for entry in routes) - 1) < 1e-9
    assert len([m for m in sim.findall("measure") if m.get("referenceNode") == name]) == 4
assert abs(number(nodes["1a"], "t") - clock) < 1e-9 * clock
words, seeds = summary["stage_1a"]["words"], summary["stage_1a"]["seeds_out"]
assert abs(number(nodes["1a"], "probability") - seeds / words) < 1e-9
times = summary["stage_1a"]["arrival_times"]
if nodes["bus"].find(".//subParameter[@name='alpha']") is not None:
    alpha, beta = number(nodes["bus"], "alpha"), number(nodes["bus"], "beta")
    assert abs(alpha * beta / (times["mean_clocks"] * clock) - 1) < 1e-9 and abs(alpha * times["scv"] - 1) < 1e-9
share = summary["stage_1b"]["lookups_duplicate"] / seeds
if share > 0:
    mean = number(nodes["1bd"], "alpha") * number(nodes["1bd"], "beta")
    trips = summary["stage_1b"]["trips"] * summary["stage_1b"]["trip_cycles"]
    assert abs(mean / clock - (1 - share + trips / seeds)) < 1e-9
else:
    assert abs(number(nodes["1bd"], "t") - clock) < 1e-9 * clock
END_OF_PYTHON
}

test_jsimg() {
    tells "jsimg on standard output" '<archive xmlns:xsi=.* name="mercury.jsimg"' export out --as jsimg
    run export out --as jsimg -o board.jsimg
    report "jsimg in a file" "$(success_problem)"
    check "which has the model's name" grep -q '<archive .* name="board.jsimg"' board.jsimg
    run export out --as jsimg -o again.jsimg
    sed 's/again/board/' again.jsimg >same.jsimg
    check_same "the same bytes again" board.jsimg same.jsimg
    mkdir 'a & b'
    cp ingress_fifo.txt 'a & b'
    run export out --as jsimg --arrivals 'a & b/ingress_fifo.txt' -o replayed.jsimg
    check "--arrivals: JMT's Replayer has the whole path" grep -q "<value>$work/a &amp; b/ingress_fifo.txt</value>" replayed.jsimg
    search -q q.fa -d d.fa -s plus --set table.family=xxh3 --set table.slots=4096 -o trips --quiet
    run export trips --as jsimg -o trips.jsimg
    check_number "a run has trips" "$(grep -c '"lookups_duplicate": [1-9]' trips/summary.json)" '>' 0
    if have python3; then
        check "with trips, too" judge_model trips.jsimg trips/summary.json
        check "the model is that of the run" judge_model board.jsimg out/summary.json
        check "with a Replayer, too" judge_model replayed.jsimg out/summary.json
    else
        skip "the model is that of the run" "no python3"
    fi
}

test_refusals() {
    expect_refusal "no format" 'needs a format' export out
    expect_refusal "an unknown format" "jsimg" export out --as jmva
    expect_refusal "no run" 'needs the directory of a run' export --as jsimg
    expect_refusal "no such run" 'nowhere: no such directory' export nowhere --as jsimg
    expect_refusal "no such times" 'nowhere.txt: No such file' export out --as jsimg --arrivals nowhere.txt
    : >empty.txt
    expect_refusal "no times" 'empty.txt: expected times in seconds' export out --as jsimg --arrivals empty.txt
    local time
    for time in -1 nan inf abc 0x10 '1e-8 2e-8' '' '# a note'; do
        printf '1e-8\n%s\n' "$time" >wrong.txt
        expect_refusal "'$time' is no time" "wrong.txt:2: '.*': expected one time in seconds a line" export out --as jsimg \
            --arrivals wrong.txt
    done
    printf '0\n0\n' >zeros.txt
    expect_refusal "words that all come at once" 'zeros.txt: expected times in seconds, one above 0' export out --as jsimg \
        --arrivals zeros.txt
    expect_refusal "a file of the run" 'out/summary.json' export out --as jsimg -o out/summary.json
    search -q q.fa -d q.fa -s plus -o dense --quiet
    { echo '>d'; dna 2 200000; dna 1 3000; dna 3 100; dna 1 3000; } >twice.fa
    { cat q.fa; dna 7 200; dna 1 20; } >once.fa # ten w-mers are in two places
    search -q once.fa -d twice.fa -s plus -o more --quiet
    expect_refusal "a little more than one match per seed" 'more: stage 1bd passed on 1\.00[0-9]* elements' \
        export more --as jsimg -o none.jsimg
    expect_refusal "more than one seed per word" 'dense: stage 1a passed on .* station of JMT passes on one at most' \
        export dense --as jsimg -o none.jsimg
}

test_times
test_jsimg
test_refusals
finish
