#!/bin/bash
# test_versions.sh MERCURY SOURCE_DIRECTORY - files that other versions wrote: they are understood, or one line says which
# version wrote them and what to do (docs/stability.md).
#
# tests/data/mercury-0.1.0.tar.gz is what version 0.1.0 wrote of its own q.fa, d.fa and chain.tsv:
#
#   mercury run -q q.fa -d d.fa -s plus -o run --no-report --record record.tokens --quiet
#   mercury run -q q.fa -d d.fa -s plus -o sample --no-report --set query.segment=400 --sample 2 --quiet
#   mercury sweep -q q.fa -d d.fa -s plus --vary fifo.wmer=16,128 --store store.db --quiet
#   mercury queue --chain chain.tsv --lambda 900000 --customers 2000 -o chain
#   mercury run --dump-config >machine.tsv
#
# without the pages, and of sample/ only what --resume reads.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# understood DESCRIPTION PATTERN ARGUMENT...: status 0; what is printed matches.
understood() {
    local description=$1 pattern=$2
    shift 2
    run "$@"
    report "$description" "$(success_problem; grep -qE -e "$pattern" "$scratch/out" || echo "nothing matches: $pattern")"
}

# understood_or_told DESCRIPTION PATTERN ARGUMENT...: or else a refusal that names the version and what to do.
understood_or_told() {
    local description=$1 pattern=$2 problem=''
    shift 2
    run "$@"
    if [ "$status" -ne 0 ]; then
        problem=$(refusal_problem "$pattern")
    fi
    report "$description" "$problem"
}

columns_of() { # TABLE
    grep -v '^#' "$1" | head -n 1 | tr '\t' '\n' | sort
}

# A directory of a run: every command that reads one reads that of an earlier version, and sees the same in it.
test_runs() {
    local simulated table
    simulated=$(sed -n 's/^  "simulated_time_s": \(.*\),$/\1/p' run/summary.json)
    check "the run is version 0.1.0's" grep -q '"version": "0.1.0"' run/run.json
    run report run
    report "report of a run" "$(success_problem)"
    check "its page is whole" grep -q '</html>' run/report.html
    understood "validate of a run" 'N_Q' validate run
    understood "predict of a run" 'M/M/1' predict run
    run plot run --what pipeline -o pipeline.svg
    report "plot of a run" "$(success_problem)"
    run diff run run
    report "diff of a run with itself" "$(success_problem)"
    run run -q q.fa -d d.fa -s plus -o now --no-report --quiet
    report "the same run, made now" "$(success_problem)"
    check_same "has the same alignments" run/alignments.tsv now/alignments.tsv
    for table in passes histograms frames frame_histograms records validation; do
        report "$table.tsv still has its columns" \
            "$(comm -23 <(columns_of "run/$table.tsv") <(columns_of "now/$table.tsv"))"
    done
    check_number "and the time is the same" "$simulated" == "$(sed -n 's/^  "simulated_time_s": \(.*\),$/\1/p' now/summary.json)"
    run report chain
    report "report of a chain's run" "$(success_problem)"
    run diff chain chain
    report "diff of a chain's run with itself" "$(success_problem)"
}

# What no other version needs to read
test_own_files() {
    understood_or_told "a record of tokens" 'record\.tokens: .*(version [0-9]+|mercury 0\.1\.0).*' retime record.tokens
    understood_or_told "a store" 'store\.db: is a store of (mercury 0\.1\.0|version 5); .*; start another store$' \
        sweep export --store store.db
    understood_or_told "passes that are kept" 'sample.*another version of Mercury.*; begin the run anew' run --resume sample
}

# Every parameter of 0.1.0 is known, and has the same default.
test_machine() {
    local name value rest
    tail -n +2 machine.tsv | while IFS=$'\t' read -r name value rest; do
        echo "$name = $value"
    done >machine.txt
    run run --dump-config
    report "no parameter is gone, and no default another one" \
        "$(diff <(cut -f 1,2 machine.tsv | sort) <(cut -f 1,2 "$scratch/out" | sort) | grep '^<')"
    run run -p machine.txt --dump-config
    report "a machine written in full is read" "$(success_problem)"
}

# later SED_COMMAND FILE [RUN]: later/ is a run with a file as a later version might write it.
later() {
    rm -rf later
    cp -r "${3:-run}" later
    sed -i "$1" "later/$2"
}

# The commands that read a directory of a run.
readers=(report validate 'validate -f json' predict 'predict --operations' 'diff run' 'plot --what pipeline -o p.svg'
    'export --as jsimg' 'compare -q q.fa -d d.fa --with run/alignments.tsv -a'
    'estimate mercury-2010 --mode arithmetic --from')

test_later_versions() {
    local command
    later 's/"version": "0.1.0"/"version": "7.1.0", "of_a_later_version": [1]/' run.json
    sed -i '2s/^/"of_a_later_version": {"a": 1},\n/' later/summary.json
    understood "a run that has more members is read" 'N_Q' validate later
    later 's/"version": "0.1.0"/"version": "7.1.0"/; s/mercury-run-1/mercury-run-9/' run.json
    for command in "${readers[@]}" explore 'share later'; do
        # shellcheck disable=SC2086 # several words
        expect_refusal "a later run.json: $command" 'later/run\.json: .*mercury-run-9.*mercury 7\.1\.0' $command later
    done
    expect_refusal "a later run.json beside a summary" 'later/run\.json: .*mercury-run-9' predict later/summary.json
    cp record.tokens later/run.tokens
    for command in explore bound 'share later'; do
        # shellcheck disable=SC2086
        expect_refusal "a later run.json beside a record: $command" 'later/run\.json: .*mercury-run-9.*mercury 7\.1\.0' \
            $command later
    done
    later 's/mercury-summary-2/mercury-summary-9/' summary.json
    cp record.tokens later/run.tokens
    for command in "${readers[@]}" explore bound 'share later'; do
        # shellcheck disable=SC2086
        expect_refusal "a later summary.json: $command" \
            "later/summary\\.json: schema 'mercury-summary-9', written by mercury 0\\.1\\.0; .*run mercury again\$" \
            $command later
    done
    cp later/summary.json later.json
    expect_refusal "and alone" "later\\.json: schema 'mercury-summary-9'; this is mercury" validate later.json
    later 's/"version": "[^"]*"/"version": "7.1.0"/; s/mercury-queue-run-1/mercury-queue-run-9/' run.json chain
    for command in "${readers[@]}" explore bound 'share later'; do
        # shellcheck disable=SC2086
        expect_refusal "a later run.json of a chain: $command" \
            'later/run\.json: .*mercury-queue-run-9.*mercury 7\.1\.0.*reads mercury-queue-run-1' $command later
    done
    cp record.tokens later.tokens
    printf '\377' | dd of=later.tokens bs=1 seek=8 conv=notrunc status=none
    expect_refusal "a later record of tokens" 'later\.tokens: a record of version 255, .*; record the run again' retime later.tokens
    cp store.db later.db
    printf '\377' | dd of=later.db bs=1 seek=63 conv=notrunc status=none # user_version is big-endian there
    expect_refusal "a later store" 'later\.db: is a store of version 255; .*; start another store' sweep export --store later.db
    cp -r sample later-sample
    printf '\377' | dd of=later-sample/unfinished.passes bs=1 seek=8 conv=notrunc status=none
    expect_refusal "later kept passes" 'later-sample.*another version of Mercury' run --resume later-sample
}

# later_chain FILE SCHEMA COMMAND...: what reads the directory of a pipeline's run refuses a file of a later schema.
later_chain() {
    local file=$1 schema=$2 command
    rm -rf later
    cp -r chain later
    sed -i "s/\"$schema-[0-9]*\"/\"$schema-9\"/; s/\"version\": \"0.1.0\"/\"version\": \"7.1.0\"/" later/*.json
    check "a later $file is there" grep -q "\"$schema-9\"" "later/$file"
    for command in "${@:3}"; do
        # shellcheck disable=SC2086 # several words
        expect_refusal "a pipeline's later $file: $command" "later/$file: .*$schema-9.*mercury 7\\.1\\.0" $command later
    done
}

# What a reader of a board's run cannot read is named, and what is advised can be done.
test_other_files() {
    local command
    for command in explore bound 'share chain' predict 'predict --operations' 'export --as jsimg' \
        'compare -q q.fa -d d.fa --with run/alignments.tsv -a' 'estimate mercury-2010 --mode arithmetic --from'; do
        # shellcheck disable=SC2086
        expect_refusal "the run of a pipeline: $command" \
            '^mercury: chain: is the run of a pipeline, .*; expected one of mercury run or retime$' $command chain
    done
    for command in validate predict 'estimate mercury-2010 --mode arithmetic --from' report 'plot --what pipeline -o p.svg'; do
        # shellcheck disable=SC2086
        expect_refusal "a store: $command" "store.db: is no run, .*store; mercury sweep report --store" $command store.db
        # shellcheck disable=SC2086
        expect_refusal "a token record: $command" \
            'record.tokens: is no run, but a token record; mercury retime RECORD -o DIR' $command record.tokens
        # shellcheck disable=SC2086
        expect_refusal "FASTA: $command" 'q.fa: is no run, .*FASTA; mercury run -q' $command q.fa
    done
    for command in validate predict 'predict --operations' 'estimate mercury-2010 --mode arithmetic --from'; do
        # shellcheck disable=SC2086
        expect_refusal "run.json: $command" 'run/run.json: is the run.json of a run; expected its directory' $command run/run.json
    done
    expect_refusal "a pipeline's run.json" 'chain/run.json: .* whose directory mercury validate' validate chain/run.json
    "$mercury" validate chain -f json >verdicts.json
    expect_refusal "a whole file of another command is not to be written again" \
        "verdicts.json: schema 'mercury-chain-validation-.*summary.json of mercury run or retime$" predict verdicts.json
}

test_later_chains() {
    local commands=(report 'diff chain' 'plot --what pipeline -o p.svg' 'validate' 'validate -f json' 'validate --distributions')
    later_chain run.json mercury-queue-run "${commands[@]}"
    later_chain summary.json mercury-queue "${commands[@]}"
    later_chain validation.json mercury-chain-validation 'validate -f json'
}

tar -xzf "$source_directory/tests/data/mercury-0.1.0.tar.gz"
test_runs
test_own_files
test_machine
test_later_versions
test_other_files
test_later_chains
finish
