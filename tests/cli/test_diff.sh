#!/bin/bash
# test_diff.sh MERCURY SOURCE_DIRECTORY - mercury diff: equal runs, what a change of machine and input changes, its
# formats, refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

dna 1 3000 | sed '1i >q' >q.fa
dna 2 60000 | sed '1i >d' >d.fa
tail -n +2 q.fa | mutate 3 >>d.fa
expect_success "a run" -q q.fa -d d.fa -o out --quiet --record tokens -j 1
cp q.fa other-name.fa
expect_success "the same once more, with another name" -q other-name.fa -d d.fa -o again --quiet -j 2 --engine events
run retime tokens -o same --quiet
report "the same, timed again" "$(success_problem)"
run retime tokens -o wide --set fifo.wmer=260 --quiet
report "with a wider queue" "$(success_problem)"

# differ STATUS DESCRIPTION ARGUMENT...: the status, and nothing on standard error.
differ() {
    local expected=$1 description=$2
    shift 2
    run diff "$@"
    report "$description" "$(
        [ "$status" -eq "$expected" ] || echo "exit status $status, expected $expected"
        [ ! -s "$scratch/err" ] || cat "$scratch/err"
    )"
}

test_equal() {
    differ 0 "a run and itself" out out
    check "says so" grep -q '^equal: ' "$scratch/out"
    differ 0 "the same run, by other means" out again
    differ 0 "timed again, with the masks and strands that it does not know" out/summary.json same
    differ 0 "as TSV" out same -f tsv
    check_number "without a row" "$(grep -v '^#' "$scratch/out" | wc -l)" == 1
}

# A path of completion ends in '/', and all summaries have one name: the heads are those of the directories.
test_heads() {
    mkdir -p deep/a
    cp -r out deep/a/b
    differ 1 "a summary and a directory with a slash" deep/a/b/ wide/summary.json
    check "have the names of their directories" grep -q ' A: b/ .* B: wide ' "$scratch/out"
}

# value_of COLUMN KIND NAME: of a row of all.tsv.
value_of() {
    awk -F '\t' -v column="$1" -v kind="$2" -v name="$3" '$1 == kind && $2 == name { print $column }' all.tsv
}

percent() { # NAME: the change that both values give
    awk -F '\t' -v name="$1" '$1 == "run" && $2 == name { printf "%.15g\n", 100 * ($4 / $3 - 1) }' all.tsv
}

mean_of() { # DIRECTORY: of the w-mer FIFO, in the whole run
    sed -n '/"wmer_fifo"/,/}/s/.*"mean": \([0-9.e-]*\),.*/\1/p' "$1/summary.json" | head -n 1
}

test_changed() {
    differ 1 "a wider queue" out wide
    cp "$scratch/out" text
    check_number "at most 15 lines" "$(wc -l <text)" '<=' 15
    check_number "of 80 columns" "$(awk '{ print length }' text | sort -n | tail -n 1)" '<=' 80
    check "the parameter" grep -q -E '^  fifo\.wmer +130 +260 +\+100\.00%$' text
    check "the queue that grew" grep -q -E '^  wmer_fifo\.mean .* \+[0-9.]+%$' text
    check "how many are not shown" grep -q -E '^  and [0-9]+ more; ' text
    differ 1 "as TSV" out wide -f tsv
    grep -v '^#' "$scratch/out" >all.tsv
    check_number "one parameter" "$(awk -F '\t' '$1 == "parameter"' all.tsv | wc -l)" == 1
    check_number "all that is not shown is there" "$(($(wc -l <all.tsv) - 1))" == \
        "$(($(sed -n 's/^  and \([0-9]*\) more.*/\1/p' text) + $(wc -l <text) - 2))"
    number=stage_1b.wmer_fifo.mean
    check_number "$number of A" "$(value_of 3 run $number)" == "$(mean_of out)"
    check_number "$number of B" "$(value_of 4 run $number)" == "$(mean_of wide)"
    check_number "the change in per cent" "sqrt(($(value_of 5 run $number) - $(percent $number)) ^ 2)" '<' 1e-9
    check_number "the largest change first" "$(awk -F '\t' '$1 == "run" && $5 != "NA" { x = $5 < 0 ? -$5 : $5
        if (n++ && x > before) wrong++
        before = x } END { print wrong + 0 }' all.tsv)" == 0
    check "passes, too" grep -q $'^pass\tper_pass.1.stage_1b.wmer_fifo.mean\t' all.tsv
    differ 1 "the other way round" wide out
    check "has the other sign" grep -q -E '^  fifo\.wmer +260 +130 +-50\.00%$' "$scratch/out"
}

# A value below 0 that grows: the change is above 0. What is measured is seldom so, and is written by hand.
test_below_zero() {
    for value in -0.5 -0.25; do
        cp -r out "lag$value"
        sed "0,/\"lag1\": [-0-9.e]*/s//\"lag1\": $value/" out/summary.json >"lag$value/summary.json"
    done
    differ 1 "a value below 0" lag-0.5 lag-0.25 -f tsv
    check_number "grows by half of its size" \
        "$(awk -F '\t' '$2 ~ /lag1$/ { print $3 + 0, $4 + 0, $5 + 0 }' "$scratch/out" | grep -c '^-0.5 -0.25 50$')" == 1
    cp -r out late
    sed -i 's/"simulated_time_s": [-0-9.e]*/"simulated_time_s": 60/' late/summary.json late/run.json
    differ 1 "a change of millions of per cent" out late
    check "is written without an exponent" grep -q -E '^  simulated_time_s .* \+[0-9]{5,8}%$' "$scratch/out"
}

# Seven parameters, of which the two of least change used to be left out.
test_many_parameters() {
    local sets="fifo.wmer=64 fifo.sram=200 fifo.egress=64 fifo.stage2=20 fifo.ingress=4 table.slots=65536 bloom.bank_bits=65536"
    # shellcheck disable=SC2086
    expect_success "another machine" -q q.fa -d d.fa -o other --quiet $(printf -- '--set %s ' $sets)
    differ 1 "seven parameters" out other
    report "all of them come first" "$(diff <(tr ' ' '\n' <<<"$sets" | sed 's/=.*//' | sort) \
        <(awk 'NR > 1 && NR <= 8 { print $1 }' "$scratch/out" | sort))"
    check "then the time" grep -q -E '^  simulated_time_s ' <(sed -n 9p "$scratch/out")
    check_number "and seven more that were measured" "$(sed 1,9d "$scratch/out" | grep -c -v '^  and ')" == 7
}

# A sample next to the whole run, and runs of which one lacks all that differs.
test_lacking() {
    expect_success "a sample" -q q.fa -d d.fa -o sample --quiet \
        --sample-database 50% --sample-window 4096 --sample-warm-up 1024
    differ 1 "the run and a sample of it" out sample
    check "how much was drawn" grep -q -E '^  database\.drawn +- +[0-9]+$' "$scratch/out"
    check "whose numbers are of what was drawn" grep -q '^  B is a sample: ' "$scratch/out"
    expect_success "without measurements" -q q.fa -d d.fa -o unmeasured --quiet --measure none
    differ 1 "the run and one that was not measured" out unmeasured
    check_number "what differs, in at most 15 lines" "$(grep -c -E '^  [a-z_.0-9]+ .* -$' "$scratch/out")" '>=' 8
    check_not "no line ends in blanks" grep -q ' $' "$scratch/out"
    check_number "and the rest" "$(wc -l <"$scratch/out")" '<=' 15
}

test_input_and_options() {
    tail -n +2 d.fa | sed '1i >e' | head -n 900 >e.fa
    expect_success "another database, one strand, masks" -q q.fa -d e.fa -o e --quiet -s plus --dust yes --set fifo.sram=400
    differ 1 "inputs, parameters and options" out e
    check "the parameter comes first" grep -q '^  fifo.sram  *500  *400 ' <(sed -n 2p "$scratch/out")
    check "all that was asked for is there" grep -q '^  masking\.' "$scratch/out"
    differ 1 "all of them" out e -f tsv
    cp "$scratch/out" all.tsv
    check_number "the file" "\"$(value_of 3 input database.file) $(value_of 4 input database.file)\"" == '"d.fa e.fa"'
    check_number "its digest" "$(grep -c $'^input\tdatabase.xxh3\t' all.tsv)" == 1
    check_number "not the query" "$(grep -c $'^input\tquery' all.tsv)" == 0
    check_number "the strands" "\"$(value_of 3 option strand) $(value_of 4 option strand)\"" == '"both plus"'
    check_number "kind by kind" "\"$(grep -v -e '^#' -e ^kind all.tsv | cut -f 1 | uniq | tr '\n' ' ')\"" == \
        '"parameter input option run pass "'
    check "the masks" grep -q $'^option\tmasking.dust\tNA\t20 64 1\tNA$' all.tsv
}

# Each is the only thing that was asked for otherwise, and is told as such before what it changes.
test_only_option() {
    local directory name a b
    expect_success "a part of the query" -q q.fa -d d.fa -o part --quiet --query-loc 1-2000
    expect_success "charged" -q q.fa -d d.fa -o charged --quiet --measure timetrial2011 --charge-measurement
    expect_success "not charged" -q q.fa -d d.fa -o free --quiet --measure timetrial2011
    run retime tokens -o charged-again --quiet --measure timetrial2011 --charge-measurement
    report "charged, timed again" "$(success_problem)"
    local sampled=(-q q.fa -d d.fa --quiet --set query.segment=1000 --sample 2)
    expect_success "a sample" "${sampled[@]}" -o drawn
    expect_success "and another one" "${sampled[@]}" --seed 2 -o drawn-otherwise
    local mapped=(-q q.fa -d d.fa --quiet -f bed)
    expect_success "all mappings" "${mapped[@]}" -o mapped
    expect_success "the best mappings" "${mapped[@]}" --mapq 60 -o mapped-best
    run retime tokens -o mapped-again --quiet -f bed --mapq 60
    report "the best mappings, timed again" "$(success_problem)"
    expect_success "a small E-value" -q q.fa -d d.fa --quiet -e 1e-20 -o small
    expect_success "a smaller one" -q q.fa -d d.fa --quiet -e 1e-30 -o smaller
    while read -r directory name a b; do
        differ 1 "$directory" ${directory/,/ }
        check "$name is told first" grep -q -E "^  $name +$a +$b( |$)" <(sed -n 2p "$scratch/out")
        differ 1 "as TSV" ${directory/,/ } -f tsv
        check_number "as the one option" "$(grep -c -E '^(option|parameter|input)' "$scratch/out")" == 1
        check "of that name" grep -q -P "^option\t$name\t" "$scratch/out"
    done <<'END'
out,part query_loc - 1-2000
free,charged charge_measurement - true
free,charged-again charge_measurement - true
drawn,drawn-otherwise sample.seed 1 2
mapped,mapped-best mapq - 60
mapped,mapped-again mapq - 60
small,smaller e_value 1e-20 1e-30
END
    differ 0 "charged, and charged when it was timed again" charged charged-again
}

# What a platform says beside its numbers is told where nothing else can be why.
test_platform() {
    local slow=(-q q.fa -d d.fa --quiet -p slow.xml)
    sed 's/\(id="pcix".*\)latency="0s"/\1latency="50us"/' "$platform" >slow.xml
    run run "${slow[@]}" -o slow --record slow.tokens
    report "a bus on which every transfer waits" "$(success_problem)"
    differ 1 "no parameter says so" out slow
    check "the platform comes first" grep -q '^  platform_xxh3 ' <(sed -n 2p "$scratch/out")
    run retime slow.tokens -o slow-again --quiet
    differ 0 "the same platform, timed again" slow slow-again
    run run "${slow[@]}" -o slow-and-wide --set fifo.wmer=260
    report "another parameter, too" "$(success_problem)"
    differ 1 "which is named alone" out slow-and-wide
    check_not "the platform is not" grep -q platform_xxh3 "$scratch/out"
    echo '# in other words' >words.txt
    run run -q q.fa -d d.fa --quiet -p words.txt -o in-words
    report "the default machine in other words" "$(success_problem)"
    differ 0 "which is equal" out in-words
}

test_refusals() {
    mkdir hollow
    expect_refusal "no run" 'needs the directories of two runs' diff
    expect_refusal "one run" 'needs the directories of two runs' diff out
    expect_refusal "three runs" "unexpected argument 'same'" diff out wide same
    expect_refusal "no such run" 'absent: no such directory' diff out absent
    expect_refusal "an empty directory" 'hollow: holds no run' diff hollow out
    cp -r out cut
    sed -i '$d' cut/run.json
    expect_refusal "half a run.json" 'cut/run.json:.*is no whole JSON' diff out cut
    rm cut/run.json
    expect_refusal "a run that has not finished" 'cut: its run has not finished' diff out cut
    expect_refusal "a format there is none of" 'text, tsv or json' diff out wide -f xml
    if [ -w /dev/full ]; then
        "$mercury" diff out wide >/dev/full 2>"$scratch/err"
        check_number "a full disk, differences" $? == 2
        "$mercury" diff out same >/dev/full 2>"$scratch/err"
        check_number "a full disk, none" $? == 2
    fi
}

test_equal
test_heads
test_changed
test_below_zero
test_many_parameters
test_lacking
test_input_and_options
test_only_option
test_platform
test_refusals
finish
