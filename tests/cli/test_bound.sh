#!/bin/bash
# test_bound.sh MERCURY SOURCE_DIRECTORY - mercury bound: every simulated number is inside its bound, for genomes and
# machines; places that are enough are; the answer's forms; refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

gzip -dc /usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz >lambda.fa
gzip -dc /usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz >coli.fa
gzip -dc /usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz |
    awk '/^>/ { n++ } { print > ("pylori-" n ".fa") }'
"$mercury" run -q lambda.fa -d coli.fa -o out --record out/run.tokens --no-report --quiet
head -c 400000 pylori-1.fa >part-1.fa
"$mercury" run -q part-1.fa -d pylori-2.fa -a /dev/null --record pylori.tokens --quiet

# Every number of the simulation is inside its bound.
inside_problem() { # FILE
    python3 - "$1" <<'END'
import json, sys
answer = json.load(open(sys.argv[1]))
stream = answer["stream"]
if not stream["least_s"] <= stream["simulated_s"] * (1 + 1e-9) or not stream["simulated_s"] <= stream["most_s"] * (1 + 1e-9):
    print("the stream is outside:", stream)
if len(answer["rows"]) != 5:
    print(len(answer["rows"]), "queues")
for row in answer["rows"]:
    if row["N_seen"] > row["N_most"] or row["W_seen"] > row["W_most"] + 1e-3 or row["N_most"] > row["places"]:
        print("outside:", row)
END
}

machines=('' '-p dor2010 --set stage2.threshold=13' '-p pcie-gen2-x8' '-p pcie-gen3-x16' '-p modern-host'
    '--set sram.trip_cycles=200' '--set fifo.ingress=1' '--set fifo.wmer=16' '--set fifo.sram=41' '--set fifo.egress=1'
    '--set hsp.flush_clocks=0' '--set hsp.flush_clocks=10' '--set host.supply=200e6 --set host.queue=2'
    '--set sram.trips_in_flight=8' '--set stage2.fetch_cycles=20' '--set pcix.block=4096' '--set pcix.setup_clocks=665'
    '--set fifo.wmer=200000 --set fifo.sram=300000 --set fifo.stage2=2000 --set fifo.egress=100000')
[ -z "$few" ] || machines=("${machines[@]:0:3}" "${machines[@]: -1}") # each way that bounds are computed
for record in out/run.tokens pylori.tokens; do
    for machine in "${machines[@]}"; do
        # shellcheck disable=SC2086 # options and their values
        run bound "$record" $machine -f json --quiet
        report "inside: $record $machine" "$(success_problem; inside_problem "$scratch/out")"
    done
done
report 'large FIFOs are never full' "$(grep -q '"never full with these data"' "$scratch/out" || cat "$scratch/out")"

# With as many places as are said to be enough no queue signals back-pressure; the simulation does not know the bounds.
run bound out -f tsv
report 'a run has bounds' "$(success_problem)"
sets=$(awk -F '\t' '!/^#/ && $1 != "queue" { sub("_fifo", "", $1); print "--set fifo." $1 "=" $3 }' "$scratch/out")
# shellcheck disable=SC2086
"$mercury" retime out/run.tokens $sets -o enough --no-report --quiet >/dev/null
report 'enough is enough' "$(python3 - <<'END'
import json
summary = json.load(open("enough/summary.json"))
queues = [q for s in summary.values() if isinstance(s, dict) for k, q in s.items() if k.endswith("_fifo")]
print("" if len(queues) == 5 else f"{len(queues)} queues", end="")
for queue in queues:
    if queue["back_pressure_fraction"] != 0:
        print(queue)
END
)"
# shellcheck disable=SC2086
run bound out/run.tokens $sets -f json
report 'and then bounds say so' "$(inside_problem "$scratch/out"; grep -q '"never full' "$scratch/out" || echo 'can be full')"
report 'the time has both bounds within 5%' "$(python3 - "$scratch/out" <<'END'
import json, sys
s = json.load(open(sys.argv[1]))["stream"]
if s["least_s"] < 0.95 * s["simulated_s"] or s["most_s"] > 1.05 * s["simulated_s"]:
    print(s)
END
)"
# The machine of FIFOs without a limit above has no other limit than this supply.
# shellcheck disable=SC2086
run bound out/run.tokens $sets --set host.supply=1e8 -f json
report 'where the host supplies least, theory takes its time, too' "$(python3 - "$scratch/out" <<'END'
import json, sys
s = json.load(open(sys.argv[1]))["stream"]
if abs(s["theory_s"] / s["simulated_s"] - 1) > 0.01:
    print(s)
END
)"

# --- the answer

run bound out
cp "$scratch/out" text
report 'the text has the answer first, in at most 80 columns' "$(
    success_problem
    head -n 1 text | grep -q '^stream  *at least [0-9.]* ms, at most [0-9.]* ms; simulated [0-9.]* ms' || head -n 1 text
    awk 'length > 80 { print "more than 80 columns: " $0; exit }' text
)"
run bound -q lambda.fa -d coli.fa --quiet
check_same 'sequences have the bounds of their run' text "$scratch/out"
run bound out/run.tokens
check_same 'and so has a record' text "$scratch/out"

# --- beside theory

run bound out -f tsv
grep -v '^#' "$scratch/out" >queues
stream=$(sed -n 's/^# stream\t//p' "$scratch/out")
run validate out --bounds
cp "$scratch/out" text
report 'validate --bounds has the table of bound at its end' "$(
    success_problem
    "$mercury" bound out >table
    tail -n "$(wc -l <table)" text | diff table -
    unwrapped text | grep -q 'these data on this machine the stream and these queues never leave' || echo 'not what they cover'
)"
run validate out --bounds -f tsv
cp "$scratch/out" bounded.tsv
report 'and in TSV the most elements and waits of each queue' "$(success_problem; diff \
    <(awk -F '\t' '$1 != "queue" { print $1 "_max", $4, $5; print $1 "_wait_max", $7, $8 }' queues) \
    <(awk -F '\t' '$3 ~ /_fifo_/ { print $3, $5, $16 }' bounded.tsv))"
report 'which every mean, of every quantity, is within' "$(awk -F '\t' '
    $1 != "run" { next }
    { n++ }
    $15 != "NA" && !($5 >= $15) || $16 != "NA" && !($5 <= $16) { print }
    $3 ~ /^lambda/ && ($15 == "NA" || $16 == "NA") || $3 ~ /^N_Q/ && $16 == "NA" { print "no bound: " $0 }
    $3 == "N_Q_1a" && $16 != 8 * 16 || $3 == "N_Q_1b" && $16 != 130 + 479 { print }
    END { if (n != 16 * 8 + 11) print n " rows" }' bounded.tsv)"
report 'throughput is bounded by the time of the stream' "$(awk -F '\t' '
    $3 == "stream_time_s" { seen = $5; least = $15; most = $16 }
    $3 == "lambda_2" && $7 == "M/M/1" && $1 == "run" { low = $15 / $5; high = $16 / $5 }
    END { if ((low * most / seen - 1) ^ 2 > 1e-12 || (high * least / seen - 1) ^ 2 > 1e-12 || !(least < most)) print low, high }
    ' bounded.tsv; grep -q 'at least' <<<"$stream" || echo "$stream")"
# shellcheck disable=SC2086
"$mercury" retime out/run.tokens $sets -o large --no-report --quiet >/dev/null
cp out/run.tokens large
run validate large --bounds -f tsv
report 'where no FIFO ever fills, no signal is ever on' "$(success_problem; awk -F '\t' '
    $1 == "run" && $3 ~ /^P_BP/ { n++ }
    $1 == "run" && $3 ~ /^P_BP/ && ($16 != 0 || $5 != 0) { print }
    END { if (n != 4 * 8) print n " rows" }' "$scratch/out")"
run validate out --bounds --report page.html
report 'the page marks the bound of each FIFO of the board' "$(
    success_problem
    page_problem page.html answer models queues numbers verdicts ranges words
    [ "$(grep -o 'never above [0-9]*' page.html | sort | tr '\n' ';')" = \
        'never above 10;never above 130;never above 479;never above 512;never above 8;' ] ||
        grep -o 'never above [0-9]*' page.html
    grep -q 'bound: never more' page.html || echo 'the legend does not name it'
)"
run validate out --report plain.html
check_not 'which it does not without --bounds' grep -q 'never above\|bound: never more' plain.html
mkdir without && cp out/*.json out/*.tsv without
"$mercury" run -q lambda.fa -d coli.fa -o boards --record boards/run.tokens --set boards=2 --no-report --quiet
"$mercury" replay dor2010-run1 --clocks 20000 -o replayed --quiet >/dev/null
none() { # DESCRIPTION RUN REASON
    run validate "$2" --bounds -f tsv
    report "$1: no bounds" "$(
        success_problem
        [ "$(grep -c "^# .*$3" "$scratch/out")" -eq 1 ] || grep '^#' "$scratch/out"
        awk -F '\t' '!/^#/ && $1 != "frame" && ($15 != "NA" || $16 != "NA") { print; exit }' "$scratch/out"
    )"
    run validate "$2" --bounds
    check_number "$1: the text says so once" "$(unwrapped "$scratch/out" | grep -c "$3")" == 1
}
none 'a run without tokens' without 'without has no record of tokens'
none 'a run of several boards' boards 'expected boards = 1 and hosts = 1'
rm -r large page.html plain.html without boards replayed bounded.tsv queues table

# --- refusals

refuse() { # DESCRIPTION PATTERN ARGUMENT...
    local description=$1 pattern=$2
    shift 2
    run bound "$@"
    report "$description" "$(
        [ "$status" -eq 2 ] || echo "status $status"
        [ "$(wc -l <"$scratch/err")" -eq 1 ] || echo "$(wc -l <"$scratch/err") lines"
        grep -qE "$pattern" "$scratch/err" || head -n 1 "$scratch/err"
        [ ! -s "$scratch/out" ] || echo 'something was printed'
    )"
}
ls -A >"$scratch/before"
mkdir "$scratch/temporary"
export TMPDIR=$scratch/temporary
mkdir bare && cp out/{summary,run}.json out/*.tsv bare
: >empty
printf '>q\nACGT\n' >short.fa
refuse 'nothing to bound' 'needs the directory of a run or its record'
refuse 'a query alone' 'needs the directory of a run or its record' -q lambda.fa
refuse 'a run and a query' 'needs the directory of a run or its record' out -q lambda.fa
refuse 'a run without tokens' 'bare has no record of tokens' bare
refuse 'a summary' 'summary.json' out/summary.json
refuse 'no such file' 'nowhere' nowhere
refuse 'an empty file' 'empty' empty
refuse 'a query that is not there' 'nowhere.fa' -q nowhere.fa -d coli.fa
refuse 'a query without a w-mer' 'short.fa' -q short.fa -d coli.fa
refuse 'several boards' 'expected boards = 1' out --set boards=2
refuse 'several hosts' 'expected boards = 1 and hosts = 1' out --set hosts=2
refuse 'tables that load meanwhile' 'expected schedule.overlap = drain' out --set schedule.overlap=tables
refuse 'a bus that blocks have first' 'expected pcix.priority = fair' out --set pcix.priority=blocks
refuse 'a machine with other tables' 'table.slots is .* use mercury run' out --set table.slots=1024
head -c 3000 out/run.tokens >cut.tokens
refuse 'a record that was cut short' 'cut.tokens' cut.tokens
"$mercury" run -q lambda.fa -d coli.fa -o charged --record charged/run.tokens --charge-measurement --no-report --quiet
refuse 'a machine that is charged for being measured' 'charged for being measured' charged
mkdir mixed && cp out/*.json out/*.tsv mixed && cp pylori.tokens mixed
refuse 'tokens of another run' 'is not the run that .*pylori.tokens was recorded of' mixed
"$mercury" run -q part-1.fa -d part-1.fa -o turns --record turns/run.tokens --set pcix.priority=records --no-report --quiet
for option in --why --windows; do
    run validate turns $option
    report "theory of a fair bus: $option is refused where records go first" "$(
        [ "$status" -eq 2 ] || echo "status $status"
        grep -q -E "^mercury: $option: .* expected fair, since theory has blocks and records share the bus" "$scratch/err" ||
            head -n 1 "$scratch/err")"
done
rm -r turns bare mixed charged empty short.fa cut.tokens
ls -A >"$scratch/after"
report 'nothing is left' "$(diff "$scratch/before" "$scratch/after"; ls -A "$scratch/temporary")"
finish
