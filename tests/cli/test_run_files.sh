#!/bin/bash
# test_run_files.sh MERCURY SOURCE_DIRECTORY - what the files of a run say, and that it adds up.
# shellcheck disable=SC2016 # awk has $1 in single quotes
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/small_run.sh
. "$(dirname "$0")/small_run.sh"
begin "$@"

test_summary_json() {
    local flat=summary.flat key object
    flatten out/summary.json >"$flat"
    for key in simulated_time_s measured_time_s clock_hz clocks passes schema; do
        check "summary.json has $key" value "$flat" "$key"
    done
    for object in pcix stage_1a stage_1b stage_2 stage_3; do
        check "summary.json has the object $object" grep -q "^$object/" "$flat"
        check "summary.json has $object for every pass" grep -q "^per_pass/1/$object/" "$flat"
    done
    check_number "summary.json: simulated time is more than measured time" \
        "$(number "$flat" simulated_time_s)" '>' "$(number "$flat" measured_time_s)"
    check_number "summary.json: both strands are two passes" "$(number "$flat" passes)" == 2
    check_not "summary.json has no number that is none" grep -q -i -E $'\t-?(nan|inf)' "$flat"
}

test_run_json() {
    local flat=run.flat key
    flatten out/run.json >"$flat"
    for key in version seed configuration/fifo.wmer query/file query/bases query/xxh3 database/file database/bases \
        database/xxh3 platform wall_time_s simulated_time_s; do
        check "run.json has $key" value "$flat" "$key"
    done
    report "run.json: version is that of --version" \
        "$(diff <("$mercury" --version | head -n 1) <(echo "mercury $(value "$flat" version)"))"
    check_number "run.json: bases of the query" "$(number "$flat" query/bases)" == 22000
    check_number "run.json: bases of the database" "$(number "$flat" database/bases)" == "$(grep -v '>' d.fa | tr -d '\n' | wc -c)"
    check_number "run.json: records" "$(number "$flat" database/records)" == 2
    check_number "run.json: alignments" "$(number "$flat" alignments)" == "$(wc -l <out/alignments.tsv)"
    check_number "run.json: simulated time" "$(number "$flat" simulated_time_s)" == "$(number summary.flat simulated_time_s)"
    check_number "run.json: wall time is positive" "$(number "$flat" wall_time_s)" '>' 0
    report "run.json: digests are 16 hexadecimal digits" "$(grep '/xxh3' "$flat" | grep -v -E $'\t[0-9a-f]{16}$')"
    run run -p "$platform" --dump-config
    report "run.json: the configuration is all of --dump-config" "$(diff \
        <(tail -n +2 "$scratch/out" | cut -f 1,2 | sort) <(sed -n 's/^configuration\///p' "$flat" | sort))"
}

# same_flow DESCRIPTION LEFT RIGHT...: the path LEFT equals the sum of the others ("16*path" counts 16 times), over the
# run and in every pass.
same_flow() {
    local description=$1 left=$2 prefix right path
    shift 2
    for prefix in '' per_pass/0/ per_pass/1/; do
        right=0
        for path in "$@"; do
            right+=" + ${path/%[a-z]*/1 * }$(number summary.flat "$prefix${path#*\*}")"
        done
        check_number "${prefix}conservation: $description" "$(number summary.flat "$prefix$left")" == "$right"
    done
}

test_conservation() {
    local b=stage_1b/lookups
    same_flow "w-mers pass or are filtered" stage_1a/wmers stage_1a/seeds_out stage_1a/wmers_filtered
    same_flow "16 w-mers a word" stage_1a/wmers '16*stage_1a/words'
    same_flow "words arrive in stage 1a" pcix/words_in stage_1a/words
    same_flow "seeds arrive in stage 1b" stage_1a/seeds_out stage_1b/seeds
    same_flow "lookups end in one of four ways" stage_1b/seeds ${b}_empty ${b}_mismatch ${b}_match ${b}_duplicate
    same_flow "filtered seeds" stage_1b/seeds_filtered ${b}_empty ${b}_mismatch ${b}_duplicate_without_match
    same_flow "false positives are filtered by stage 1b" stage_1a/false_positives stage_1b/seeds_filtered
    same_flow "matches arrive in stage 2" stage_1b/matches_out stage_2/matches
    same_flow "matches pass or are filtered" stage_2/matches stage_2/hsps_out stage_2/matches_filtered
    same_flow "HSPs arrive in stage 3" stage_2/hsps_out stage_3/hsps
    same_flow "HSPs are extended or contained" stage_3/hsps stage_3/hsps_extended stage_3/hsps_contained
    same_flow "records cross the bus" pcix/record_bytes '16*stage_2/hsps_out'
    same_flow "seeds cross the w-mer FIFO" stage_1b/seeds stage_1b/wmer_fifo/elements
    same_flow "matches cross the stage-2 FIFO" stage_2/matches stage_2/stage2_fifo/elements
}

# Counters and clocks of the run are those of its passes together. Passes overlap in time: the second is on the board while
# stage 3 works on the first; if it waits for stage 3 instead, times add up, too.
test_passes_add_up() {
    local path passes phases=""
    for path in clocks stage_1a/wmers stage_1b/trips stage_2/hsps_out stage_3/cells pcix/table_bytes; do
        check_number "passes add up: $path" \
            "($(number summary.flat "$path") - $(number summary.flat "per_pass/0/$path") - $(number summary.flat "per_pass/1/$path"))^2" \
            '<=' "(1e-9 * $(number summary.flat "$path"))^2"
    done
    passes="$(number summary.flat per_pass/0/simulated_time_s) + $(number summary.flat per_pass/1/simulated_time_s)"
    check_number "passes overlap" "$(number summary.flat simulated_time_s)" '<' \
        "$passes + $(number summary.flat stage_3/build_wait_s)"
    for path in build load stream drain; do
        phases="${phases:+$phases + }$(number summary.flat bottleneck/phases/${path}_s)"
    done
    check_number "the run's phases add up" "($phases - $(number summary.flat simulated_time_s))^2" '<' 1e-20
    check_number "and building is one of them" "$(number summary.flat bottleneck/phases/build_s)" '>' 0
    check_number "boards do not" "$(number summary.flat simulated_time_s)" '>' \
        "$(number summary.flat pcix/table_load_s) + $(number summary.flat clocks) / $(number summary.flat clock_hz)"
    search -q q.fa -d d.fa -o serial --set schedule.overlap=serial
    flatten serial/summary.json >serial.flat
    passes="$(number serial.flat per_pass/0/simulated_time_s) + $(number serial.flat per_pass/1/simulated_time_s)"
    passes="$passes + $(number serial.flat stage_3/build_wait_s)"
    check_number "serial passes add up" "($(number serial.flat simulated_time_s) / ($passes) - 1)^2" '<' 1e-18
    check_number "and take longer" "$(number serial.flat simulated_time_s)" '>' "$(number summary.flat simulated_time_s)"
    check_same "with the same alignments" out/alignments.tsv serial/alignments.tsv
}

# Records of 900, 400 and 50 bases are 1,352 positions with a separator between each two. Segments of 1,000 overlap by 64:
# they begin at 1 and 937 of the plus strand. On the minus strand the first one has the plus positions 353 to 1,352, the
# second one 1 to 416. Record b begins at 902.
test_passes_of_records() {
    { echo '>a'; dna 5 900; echo '>b'; dna 6 400; echo '>c'; dna 7 50; } >three.fa
    expect_success "a query of three records" -q three.fa -d d.fa --set query.segment=1000 -o three --quiet
    printf 'plus\ta:1-900 b:1-99\nplus\tb:36-400 c:1-50\nminus\ta:353-900 b:1-400 c:1-50\nminus\ta:1-416\n' >ranges.tsv
    tail -n 4 three/passes.tsv | cut -f 2,3 >found.tsv
    check_same "passes.tsv names all records of a pass, with positions in each" ranges.tsv found.tsv
}

column_sum() { # QUEUE COLUMN
    awk -F '\t' -v queue="$1" -v column="$2" '$1 == queue && $7 == "run" { sum += $column } END { printf "%.12g", sum }' out/histograms.tsv
}

test_histograms() {
    local queue clocks
    clocks=$(number summary.flat clocks)
    for queue in ingress_fifo wmer_fifo sram_fifo stage2_fifo egress_fifo; do
        check_number "histogram of $queue: clocks add up" "$(column_sum "$queue" 5)" == "$clocks"
        check_number "histogram of $queue: fractions add up" "($(column_sum "$queue" 6) - 1)^2" '<=' '1e-8'
    done
    # The inbox is watched from the begin of the run to its end; the last clock is rounded up, and counts.
    clocks="$(number summary.flat simulated_time_s) * $(number summary.flat clock_hz)"
    check_number "histogram of inbox: clocks add up" "$(column_sum inbox 5) - $clocks" '<=' '2 + 1e-3'
    check_number "histogram of inbox: no clock is missing" "$(column_sum inbox 5) - $clocks" '>=' '1 - 1e-3'
    check_not "histograms: no fraction above 1" \
        awk -F '\t' '!/^#/ && $1 != "queue" && ($6 > 1 || $6 < 0 || $3 > $4) { bad = 1 } END { exit !bad }' out/histograms.tsv
    check_number "histogram of wmer_fifo: its mean is that of summary.json" "(1e4 * ($(awk -F '\t' '$1 == "wmer_fifo" && $7 == "run" \
        { sum += $3 * $5; clocks += $5 } END { print sum / clocks }' out/histograms.tsv) \
        - $(number summary.flat stage_1b/wmer_fifo/mean)))^2" '<=' 1
}

test_validation() {
    check_number "validation.tsv: lambda_1a is that of summary.json" "($(awk -F '\t' '$1 == "lambda_1a" { print $3 }' \
        out/validation.tsv) * 1e6 / $(number summary.flat stage_1a/wmers_per_s) - 1)^2" '<=' '1e-6'
}

test_set_in_run() {
    search -q q.fa -d d.fa --set fifo.wmer=64 --set hash.seed=7 -o set --quiet
    report "a run with --set works" "$(success_problem)"
    flatten set/run.json >set.flat
    report "a run with --set tells so in run.json" "$(diff <(printf '64\n7\n') \
        <(value set.flat configuration/fifo.wmer; value set.flat seed))"
    check_same "--set of a queue and a seed changes no alignment" default.tsv set/alignments.tsv
}

# jobs_of ARGUMENTS...: as run.json has them, of ten passes
jobs_of() {
    search -q q.fa -d d.fa --set query.segment=5000 --measure none --quiet -o jobs "$@"
    flatten jobs/run.json >jobs.flat
    number jobs.flat jobs
}

test_default_jobs() {
    local processors one
    processors=$(nproc)
    check_number "one job a processor" "$(jobs_of)" == "$processors"
    one=$(taskset -cp $$ | grep -o '[0-9]*$')
    check_number "a processor that may not be used has none" "$(
        taskset -cp "$one" "$BASHPID" >"$scratch/taskset"
        jobs_of
    )" == 1
    check_number "-j 1 is kept" "$(jobs_of -j 1)" == 1
    check_number "more than there are passes are kept" "$(jobs_of -j 1024)" == 1024
}

test_dump_config() {
    local name value rest arguments=()
    run run -p "$platform" --dump-config
    cp "$scratch/out" config.tsv
    check_number "--dump-config prints every number" "$(wc -l <config.tsv)" '>=' 40
    check_not "--dump-config: rows of five columns" grep -v -E $'^[^\t]+(\t[^\t]+){4}$' config.tsv
    run run -p "$platform" --dump-config --set fifo.wmer=64 --set bloom.family=h3 --set fpga.clock=1.5e8
    sed -E 's/^(fifo\.wmer\t)[^\t]*/\164/; s/^(bloom\.family\t)[^\t]*/\1h3/; s/^(fpga\.clock\t)[^\t]*/\1150000000/' \
        config.tsv >wanted.tsv
    check_same "--set changes what --dump-config prints" wanted.tsv "$scratch/out"
    while IFS=$'\t' read -r name value rest; do
        [ "$name" = name ] || [ -z "$rest" ] || arguments+=(--set "$name=$value")
    done <wanted.tsv
    run run -p "$platform" --dump-config "${arguments[@]}"
    check_same "what --dump-config prints goes back in with --set" wanted.tsv "$scratch/out"
    expect_refusal "two --set of one name" '--set fifo.wmer is given twice: expected each name once' \
        run -p "$platform" --dump-config --set fifo.wmer=64 --set fifo.wmer=99
}

# All seeds are the filter's false positives, and meet empty slots: 1bd and 2 have nothing to do, which models say, too.
test_false_seeds() {
    { echo '>q'; dna 1 3000; } >random.fa
    { echo '>d'; dna 2 600; } >other.fa
    search -q random.fa -d other.fa -s plus -o none --quiet --set bloom.hashes=1 --set table.family=xxh3
    report "a run whose seeds are all false" "$(success_problem)"
    flatten none/summary.json >none.flat
    check_number "it has seeds" "$(number none.flat stage_1b/seeds)" '>' 0
    check_number "and none passes 1bp" "$(number none.flat stage_1b/lookups_empty)" == "$(number none.flat stage_1b/seeds)"
    check "models answer for the stages before" grep -q $'^rho_1a\t.*[1-9].*[1-9]' none/validation.tsv
    check "and 0 for those behind" grep -q $'^rho_2\t1\t0\t0\t0\t' none/validation.tsv
    check "five stages, too" "$mercury" predict none
}

can_flatten || skip_all "neither python3 nor jq"
make_input
search -q q.fa -d d.fa -o out
cp out/alignments.tsv default.tsv
test_summary_json
test_run_json
test_conservation
test_passes_add_up
test_passes_of_records
test_histograms
test_validation
test_default_jobs
test_dump_config
test_set_in_run
test_false_seeds
finish
