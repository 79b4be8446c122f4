#!/bin/bash
# test_schemas.sh MERCURY SOURCE_DIRECTORY - data/schemas describes every JSON that the program writes, and no other
# JSON (check_schemas.py).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null || skip_all "no python3-jsonschema"
begin "$@"

schemas=$source_directory/data/schemas
dna 1 3000 | sed '1i >q' >q.fa
dna 2 60000 | sed '1i >d' >d.fa
tail -n +2 q.fa | mutate 3 >>d.fa
printf '%s\n' \
    'occupancy at wmer_fifo: mean, min, max, deviation, histogram(4), quantile(0.5, 0.99) every 100 us as group.level' \
    'rate at bus_in every 50 us of run' 'latency at sram_fifo: mean every 1 s' >measure.tt

# answer NAME ARGUMENT...: a command's JSON as NAME.json.
answer() {
    local name=$1
    shift
    run "$@"
    report "mercury $*" "$(success_problem)"
    mv "$scratch/out" "$name.json"
}

expect_success "a run in batches, recorded and measured" -q q.fa -d d.fa -o out --set pcix.block=1024 --record tokens \
    --measure measure.tt --quiet
expect_success "a run with masks and limits" -q q.fa -d d.fa -o masked --dust yes --lcase-masking --max-hsps 1 \
    --max-target-seqs 2 --quiet
expect_success "a run on two hosts" -q q.fa -d d.fa -o hosts --set hosts=2 --set boards=2 --quiet
run retime tokens -o retimed --set fifo.wmer=260 --charge-measurement --quiet
report "a recorded run, which is charged for measuring" "$(success_problem)"
expect_success "a sample of a run's passes" -q q.fa -d d.fa --set query.segment=200 --sample 8 -o sample --quiet
dna 9 3000 | sed '1i >x' >x.fa
expect_success "a run that finds nothing" -q x.fa -d d.fa -o nothing --measure none --quiet

answer predict predict out/summary.json -f json
answer predict-queue predict --set lambda=0.9 --set mu=1 --set K=10 -f json
answer predict-operations predict --operations out -f json
answer validate validate out -f json
answer validate-hosts validate hosts -f json
answer queue queue --customers 1000 -f json
answer queue-tandem queue --customers 1000 --arrivals batch:2 --mu 1,2 --capacity 5,3 --overflow block -f json
run queue --chain <(printf 'stage\tC\na\t4\n') --lambda 1 --customers 1000 -o pipeline --measure <(echo 'occupancy at a')
report 'a pipeline with a directory' "$(success_problem)"
answer queue-distributions validate pipeline --distributions -f json
answer queue-closed queue --closed two-boards --customers 1000 -f json
answer replay replay dor2010-run1 --clocks 20000 --set fifo.wmer=131 -f json --quiet
answer timetrial replay timetrial-exp2 --clocks 20000 -f json --quiet
answer replay-vary replay dor2010-run1 dor2010-run2 --clocks 20000 --vary trips=0,0.1 -f json --quiet
answer replay replay dor2010-run1 --clocks 20000 --machine dor2010 --set fifo.wmer=131 -f json --quiet
[ -n "$few" ] || answer timetrial replay timetrial-exp2 --clocks 20000 --machine dor2010 -f json --quiet
answer replay-vary replay dor2010-run1 --clocks 20000 --vary trips=0 --machine dor2010 --set fifo.wmer=131 -f json --quiet
answer platforms platforms -f json
answer devices platforms --devices -f json
answer advice advise -q q.fa -d d.fa --vary table.slots=2^10..2^11 --vary table.family=xxh3 --device xcvu9p -f json --quiet
answer share share tokens tokens -f json
answer groups share --fit 0.07:25:9.01 -f json
printf 'job\tcut\na\t5\n' >jobs
answer jobs predict --no-wait jobs -f json
answer estimate estimate mercury-2010 blast -f json --quiet
answer estimate estimate sp2-simple titan --against sp2-detailed --vary disk.number=1,2 -f json --quiet --mode arithmetic
answer distributions validate out --distributions -f json
printf 'stage\tC\tP_f\tK\na\t4\t0.5\t10\nb\t2\t1\t10\n' >chain
answer chain predict --chain chain --set lambda=1 -f json
answer chain-validation validate --chain chain --lambda 1 --customers 1000 -f json
answer queue-chain queue --chain chain --lambda 1 --customers 1000 -f json
head -c 6000 d.fa >tiny.fa
expect_success "a small run" -q q.fa -d tiny.fa -o tiny --record tiny.tokens -s plus --quiet
answer assumptions validate tiny --why --record tiny.tokens -f json
answer validate-bounds validate tiny --bounds --record tiny.tokens -f json
answer windows validate tiny --windows --record tiny.tokens -f json
answer bounds bound tiny.tokens -f json
answer machine platforms dor2010 -f json
answer machine-default platforms mercury-2010 -f json
run diff out masked -f json
check_number "two runs that differ" "$status" == 1
mv "$scratch/out" diff.json

report "every JSON is what its schema says, and nothing else is" \
    "$(python3 "$source_directory/tests/cli/check_schemas.py" "$schemas" ./*.json ./*/*.json 2>&1)"

[ -z "$few" ] || finish # what follows is of documents and scripts

# docs/formats.md names every column and member.
described=()
describe() { # FILE HEADING
    described+=("$1=$2")
}

for file in passes.tsv records.tsv histograms.tsv frames.tsv frame_histograms.tsv validation.tsv summary.json run.json; do
    describe "out/$file" "\`$file\`"
done
for file in histograms.tsv frames.tsv measured.tsv run.json; do
    describe "pipeline/$file" "**pipeline: \`$file\`**"
done
describe sample/summary.json '`summary.json`'
describe hosts/summary.json '`summary.json`'
describe masked/run.json '`run.json`'
describe retimed/run.json '`run.json`'
describe retimed/summary.json '`summary.json`'

# table HEADING ARGUMENT...: a command's TSV
table() {
    local heading=$1
    shift
    run "$@" -f tsv
    tables=$((tables + 1))
    cp "$scratch/out" "table-$tables.tsv"
    describe "table-$tables.tsv" "**\`$heading\`**"
}
tables=0
table 'predict -f tsv' predict out/summary.json
table 'predict --operations -f tsv' predict --operations out
table 'predict --chain -f tsv' predict --chain chain --set lambda=1
table 'validate -f tsv' validate out
table 'validate --distributions -f tsv' validate out --distributions
table 'validate --why -f tsv' validate tiny --why --record tiny.tokens
table 'validate --windows -f tsv' validate tiny --windows --record tiny.tokens
table 'bound -f tsv' bound tiny.tokens
table 'validate --chain -f tsv' validate --chain chain --lambda 1 --customers 1000
table 'share -f tsv' share tokens tokens
table 'estimate -f tsv' estimate mercury-2010 blast --quiet --wall
table 'queue -f tsv' queue --customers 1000
table 'validate --distributions -f tsv of a pipeline' validate pipeline --distributions
table 'queue --closed -f tsv' queue --closed two-boards --customers 1000
table 'replay -f tsv' replay dor2010-run1 --clocks 20000 --quiet
table 'replay timetrial-exp1 -f tsv' replay timetrial-exp1 --clocks 20000 --quiet
table 'replay --vary -f tsv' replay dor2010-run1 --clocks 20000 --vary p_1a=0.01 --quiet
table 'platforms -f tsv' platforms
table 'platforms --devices -f tsv' platforms --devices
table 'platforms NAME -f tsv' platforms dor2010
table 'diff -f tsv' diff out masked
table 'reproduce dor2010 -f tsv' reproduce dor2010
table 'reproduce frenkel -f tsv' reproduce frenkel
table 'reproduce leonards2023 -f tsv' reproduce leonards2023
table 'reproduce timetrial2011 -f tsv' reproduce timetrial2011
table 'advise -f tsv' advise -q q.fa -d d.fa --vary table.slots=2^10..2^11 --quiet
sed -i 's/\ttable.slots$//; /^[^#]/s/\ttable\.slots\(\t\|$\)/\1/' "table-$tables.tsv" # the number that varies
run run --dump-config
cp "$scratch/out" config
describe config '**`run --dump-config`**'
"$mercury" synth --length 5000 --plant q.fa --truth truth >plants.fa
describe truth '**`synth --truth`**'
report "docs/formats.md names every column and every member" \
    "$(python3 "$source_directory/tests/cli/check_formats.py" "$source_directory/docs/formats.md" "${described[@]}" 2>&1)"
head -n 1 out/passes.tsv | cat - <(printf 'pass\tstrand\tnever\n') >never.tsv
python3 "$source_directory/tests/cli/check_formats.py" "$source_directory/docs/formats.md" never.tsv='`passes.tsv`' >said
check "the check finds a column that is not named" grep -q -x 'never.tsv: never is not named under `passes.tsv`' said
check "and one that is not there" grep -q '^never.tsv: has no board, which `passes.tsv` names$' said
rm never.tsv

"$mercury" sweep -q q.fa -d d.fa --vary fifo.wmer=64 --store points.db --quiet
run sweep export --store points.db
cp "$scratch/out" points.tsv
rm out/alignments.tsv # which has no header
check_number "all tables are there" "$(find . -maxdepth 1 -name '*.tsv' -size +50c | wc -l)" == $((tables + 1))
# What R would rename, but for names of models, such as M/M/1 and five-stage (docs/formats.md).
report "R keeps the names of columns" "$(awk -F '\t' 'FNR == 1 { header = 0 } /^#/ || header { next }
    { header = 1
      for (i = 1; i <= NF; i++) if ($i !~ /^([A-Za-z][A-Za-z0-9._]*|(printed_)?M[\/^].*|five-stage)$/) print FILENAME ": " $i }' \
    ./*.tsv out/*.tsv)"

# wrong NUMBER SED_SCRIPT: a summary that is changed
wrong() {
    mkdir "wrong-$1"
    sed -E "$2" out/summary.json >"wrong-$1/summary.json"
}

wrong 1 '/^  "clocks":/d'
wrong 2 's/"mean_wait_s"/"mean_wait"/'
wrong 3 '0,/"mean": [0-9.]+/s//"mean": "much"/'
python3 "$source_directory/tests/cli/check_schemas.py" "$schemas" wrong-?/summary.json >said
for number in 1 2 3; do
    check "the checker refuses a wrong summary, $number" grep -q -F "wrong-$number/summary.json: $" said
done
finish
