#!/bin/bash
# test_explain.sh MERCURY SOURCE_DIRECTORY - mercury explain knows every number a run reports, and helps with the rest.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# owners: of paths of summary.json on standard input, the stage or queue; "queue" for any queue, "times" for any times,
# "interval" for any quantity's interval.
owners() {
    sed -E 's,/[^/]*$,,; s,.*/,,; s,^(.*_fifo|inbox|host_queue)$,queue,; s,^.*_times$,times,; s,^(lambda|rho|N_Q|P_BP)_.*,interval,'
}

# The paths of a real run's summary, each with one explanation, of its own stage or of queues.
test_every_number_of_a_run_is_explained() {
    dna 1 3000 | sed '1i >q' >q.fa
    dna 2 60000 | sed '1i >d' >d.fa
    tail -n +2 q.fa | mutate 3 >>d.fa
    expect_success "a run to explain" -q q.fa -d d.fa -o out --quiet --charge-measurement
    if ! can_flatten; then
        skip "every number of summary.json is explained" "neither python3 nor jq"
        return
    fi
    flatten out/summary.json | cut -f 1 | sed -E 's,^per_pass/[0-9]+/,,' | sort -u >paths
    grep -E '^(bottleneck|measurements)/' paths | sed -E 's,(/[0-9]+)+$,,; s,.*/,,' | sort -u >measured
    grep / paths | grep -v -E '^(bottleneck|measurements)/' >owned
    grep -v / paths >free
    check_number "there are many of them" "$(wc -l <owned)" '>' 90
    # shellcheck disable=SC2046
    tells "what belongs to no stage is explained" '^run\.' explain $(cat free)
    check_number "measurements have many names" "$(wc -l <measured)" '>' 40
    # shellcheck disable=SC2046
    tells "what measurements and the bottleneck say is explained" '^bottleneck\.' explain $(cat measured)
    # shellcheck disable=SC2046
    tells "what belongs to a stage is explained" '^queue\.' explain $(cat owned)
    grep -E '^[a-z0-9_]+\.' "$scratch/out" | cut -d . -f 1 >told
    owners <owned >expected
    check_same "each of its own stage" expected told
}

test_every_row_of_the_validation_is_explained() {
    grep -v '^#' out/validation.tsv | tail -n +2 | cut -f 1 >names
    grep -v '^#' out/validation.tsv | head -n 1 | tr '\t' '\n' >>names
    check_number "there are many of them" "$(wc -l <names)" '>' 15
    local names
    mapfile -t names <names
    tells "every row and column of validation.tsv is explained" '^model\.' explain "${names[@]}"
}

test_every_number_of_a_prediction_of_operations_is_explained() {
    run predict --operations out -f tsv
    grep -v '^#' "$scratch/out" | tail -n +2 | cut -f 4 | sort -u >names
    check_number "there are many of them, too" "$(wc -l <names)" '>' 35
    # shellcheck disable=SC2046
    tells "every quantity of predict --operations is explained" '^operations\.' explain $(cat names) tail tail_largest
}

# header FILE: the names of a table's columns. of COLUMN FILE...: what stands in one of them.
header() {
    grep -v '^#' "$1" | head -n 1 | tr '\t' '\n'
}
of() {
    local column=$1
    shift
    awk -F '\t' -v column="$column" 'FNR == 1 { at = 0 } /^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == column) at = i; if (!at) at = NF + 1; next } { print $at }' "$@" | grep .
}

# Every table that a command prints, the files of a run among them: its columns, facts, models, parameters and verdicts.
test_every_word_of_every_table_is_explained() {
    local tables=(predict one chain queue closed line validate distributions why windows replay vary timetrial share groups jobs diff operations
        platforms devices bound)
    run run -q q.fa -d d.fa -o words --record words/run.tokens --quiet
    printf 'stage\tC\tP_f\tF\tS\tK\na\t2\t.5\t1\t1\t9\nb\t1\t1\t1/2\t1\t9\nc\t1\t1\t1\t2\t9\n' >chain.tsv
    # table NAME ARGUMENT...: write it to a file.
    table() {
        run "${@:2}" -f tsv
        report "a table: $1" "$(success_problem)"
        cp "$scratch/out" "table.$1"
    }
    table predict predict words
    table one predict --set lambda=0.5 --set mu=1
    table chain predict --chain chain.tsv --set lambda=0.5
    table queue queue --lambda 0.5 --capacity 3 --customers 1000
    table closed queue --closed two-boards --customers 1000
    table line validate --chain chain.tsv --lambda 0.5 --customers 1000
    table validate validate words
    table distributions validate words --distributions
    table why validate words --why
    table windows validate words --windows
    table bound bound words
    table replay replay dor2010-run1 --clocks 1e5 --quiet
    table vary replay dor2010-run2 --vary trips=0.01,0.02 --clocks 2e4 --quiet
    table timetrial replay timetrial-exp1 --clocks 2e4 --quiet
    table share share words/run.tokens words/run.tokens
    table groups share --fit 0.07:25:9.01
    printf 'job\tcut\ta\na\t5\t1\nb\t3\t6\n' >jobs
    table jobs predict --no-wait jobs
    table diff diff words words
    table operations predict --operations words
    table platforms platforms
    table devices platforms --devices
    for study in dor2010 frenkel leonards2023 timetrial2011; do
        table $study reproduce $study
        tables+=($study)
    done
    local files=(words/{passes,frames,histograms,frame_histograms,records,validation}.tsv) file
    for file in "${tables[@]/#/table.}" "${files[@]}"; do
        header "$file"
    done >words.txt
    grep -h '^# [a-z_0-9]*	' "${tables[@]/#/table.}" | cut -f 1 | sed 's/^# //' |
        grep -v -E '^(stage|centre|class)_' >>words.txt
    of model table.{predict,one,chain,line,validate,distributions,why,windows} >>words.txt
    of chain table.{predict,one} >>words.txt
    of parameter table.{queue,closed,line,replay,validate,dor2010} >>words.txt
    of verdict table.{line,validate,replay,why} >>words.txt
    of step table.why >>words.txt
    printf '%s\n' 'elements come together' 'loses what comes' "arrivals' view" "arrivals' rate" "arrivals' dispersion" \
        "services' dispersion" 'above the bound' >>words.txt # reasons
    run compare --with words/alignments.tsv -q q.fa -d d.fa -o each.tsv --quiet
    "$mercury" synth -l 1k --plant q.fa --plant-length 100 --truth truth.tsv >plants.fa
    for file in each.tsv truth.tsv; do
        header "$file"
    done >>words.txt
    run run -q q.fa -d d.fa -f '6 none' # names those that there are
    grep -o 'std .*' "$scratch/err" | tr -s ' ' '\n' | grep -v -x 'std' >>words.txt
    awk -F '\t' '/^LOST/ { print $2 }' "$source_directory/data/words/lost_stages.tsv" >>words.txt
    sort -u words.txt >unique.txt
    check_number "they have many words" "$(wc -l <unique.txt)" '>' 220
    local names
    mapfile -t names <unique.txt
    run explain "${names[@]}"
    report "every word of every table is explained" "$(success_problem)"
    tells "a model with brackets" '^model.M\^\[X\]/G/1' explain 'M^[X]/G/1'
    tells "models" '^model.five-stage' explain M/D/1 five-stage blocking P_BP
    tells "a column of a model" '^column.covers' explain 'M^[X]/G/1_covers'
}

test_names() {
    tells "a name of one stage" '^stage_1b.trips_per_seed  \[trips/seed\]' explain trips_per_seed
    tells "its paper" 'source    Lancaster' explain trips_per_seed
    tells "a name of several stages, first" '^stage_1a.input_utilisation' explain input_utilisation
    tells "and last" '^stage_2.input_utilisation' explain input_utilisation
    tells "a path" '^stage_2.input_utilisation' explain stage_2/input_utilisation
    check_not "a path is of one stage" grep -q '^stage_1a' "$scratch/out"
    tells "a queue's number" '^queue.mean ' explain stage_1b.wmer_fifo.mean
    check_not "is not an aggregate's" grep -q '^aggregate' "$scratch/out"
    tells "a rate" '^stage_1a.seeds_out_per_s  \[seeds/s\]' explain seeds_out_per_s
    tells "a model's name with a slash" '^model.M/M/1/K' explain M/M/1/K
    tells "a word of the answer" '^word.stalled' explain stalled
    tells "words of what limits, of samples and of pictures" '^word.p99' explain p99 joining free faster sample doubt \
        'Pareto front' five-stage blocking seed tank
    tells "what is said in place of a best model" '^verdict.none' explain none best
    tells "a reason of a verdict" '^verdict.held up from behind' explain 'held up from behind'
    tells "a parameter" '^parameter.fifo.wmer  \[seeds\]' explain fifo.wmer
    tells "a column of sweeps" '^sweep.memory_bits  \[bits\]' explain memory_bits
    # shellcheck disable=SC2046
    tells "every parameter" '^parameter' explain $("$mercury" run --dump-config | tail -n +2 | cut -f 1)
    # shellcheck disable=SC2046
    tells "every column of a sweep" '^sweep' explain $("$mercury" sweep columns | tail -n +2 | cut -f 1)
    # shellcheck disable=SC2046
    tells "every column of an estimate" '^estimate.wall_estimated_s  \[s\]' explain \
        $("$mercury" estimate mercury-2010 blast --mode arithmetic --wall -f tsv | grep '^nodes' | tr '\t' ' ')
    tells "a word of its texts" '^estimate.linkset' explain linkset synchronize parallel flow
    # shellcheck disable=SC2046
    tells "every word of the answer's table" '^word.busy' explain busy stalled queue bottleneck host bus 1a 1bp 1bd
    check "no line is longer than 80 columns" awk 'length > 80 { exit 1 }' "$scratch/out"
    tells "and one with a space" 'the rate that enters is known' explain 'M/M/1/K (Dor)'
    tells "several names" '^frames.batch_means' explain rho_1b batch_means
    tells "the list" '^  back_pressure_fraction ' explain
    check "the list names its groups" grep -q '^stage_1b$' "$scratch/out"
    tells "mercury help explain" '^Usage: mercury explain' help explain
    tells "mercury explain --help" '^Usage: mercury explain' explain --help
}

test_refusals() {
    expect_refusal "an unknown word" "explain 'trips_per_sed': no such word; did you mean 'trips_per_seed'" explain trips_per_sed
    expect_refusal "a metric far from any" "mercury explain lists all" explain zebra
    expect_refusal "an unknown word behind a known one" "'zebra'" explain mean zebra
    expect_refusal "seven letters, three of them wrong" "did you mean 'throughput'" explain thruput
    expect_refusal "an empty name" "no such word" explain ''
    expect_refusal "an option" "no such option" explain --all
    "$mercury" explain >/dev/full 2>"$scratch/err"
    status=$?
    check_number "a full disk is told" "$status" == 2
}

test_every_number_of_a_run_is_explained
test_every_row_of_the_validation_is_explained
test_every_number_of_a_prediction_of_operations_is_explained
test_every_word_of_every_table_is_explained
test_names
test_refusals
finish
