#!/bin/bash
# test_predict.sh MERCURY SOURCE_DIRECTORY - mercury predict: from a run, from a table, from assignments; refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

mercury_inputs=(--set lambda_in=722 --set P_1a=0.0346 --set P_1b=0.765 --set P_2=0.00035 --set P_1bp=0.892 --set M_2=0.406
    --set mu_1b=49.96909)

# expect_predict DESCRIPTION ARGUMENT...
expect_predict() {
    local description=$1
    shift
    run predict "$@"
    report "$description" "$(
        success_problem
        [ ! -s "$scratch/err" ] || echo "on standard error: $(head -n 1 "$scratch/err")"
    )"
}

# cell FILE CHAIN STAGE MODEL COLUMN: of the first case with such a line.
cell() {
    awk -F '\t' -v chain="$2" -v stage="$3" -v model="$4" -v column="$5" '
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        $at["chain"] == chain && $at["stage"] == stage && $at["model"] == model { print $at[column]; found = 1; exit }
        END { exit !found }' "$1" || echo "? no $2 $3 $4 $5"
}

test_assignments() {
    expect_predict "the accelerator from --set" "${mercury_inputs[@]}" --format tsv
    cp "$scratch/out" dor.tsv
    check_number "N_Q,1b of Dor's run 2 is 458" "$(cell dor.tsv 4-stage 1b 'M/M/1/K (Dor)' n_q)" '>' 457.5
    check_number "and below 458.5" "$(cell dor.tsv 4-stage 1b 'M/M/1/K (Dor)' n_q)" '<' 458.5
    check_number "N_Q,1bp is 107" "$(cell dor.tsv 5-stage 1bp 'M/M/1/K (Dor)' n_q)" '>' 106.5
    check_number "M/M/1/K of what was offered: N_Q,1b is 594.8" "($(cell dor.tsv 4-stage 1b M/M/1/K n_q) - 594.8)^2" '<' 0.0025
    check_number "and P_K,1b 0.193" "($(cell dor.tsv 4-stage 1b M/M/1/K p_k) - 0.193)^2" '<' 2.5e-7
    check_number "P_BP,1b of M/M/1 is 0.923" "$(cell dor.tsv 4-stage 1b M/M/1 p_bp)" '>' 0.9225
    check_number "blocking has 1a's back-pressure" "$(cell dor.tsv 5-stage 1a blocking p_bp)" '>' 0.196
    check_number "and not too much" "$(cell dor.tsv 5-stage 1a blocking p_bp)" '<' 0.396
    check "the bottleneck is told, and the next one" grep -q -E '^# 4-stage: bottleneck: 1b, .*without it pci' dor.tsv
    check "a caution stands beside the number" test "$(cell dor.tsv 4-stage 1b M/M/1 cautions)" = queue,back-pressure
    expect_predict "the same as text" "${mercury_inputs[@]}"
    check "text says the same of N_Q,1b" awk '
        /^  1b / { at = 1 } /^  2 / { at = 0 } at && /M\/M\/1\/K \(Dor\)/ { found = $5 > 457.4 && $5 < 458.6 } END { exit !found }' "$scratch/out"
}

# mu_1b says nothing of the trips without M_2: with M_2 = 1, 49.97 Mseeds/s would be 2.66 reads per seed, and a run of 45 MB/s.
test_mu_1b() {
    local data=(--set lambda_in=722 --set P_1a=0.0346 --set P_1b=0.765 --set P_2=0.00035 --set P_1bp=0.892)
    expect_refusal "predict of mu_1b without M_2" 'mu_1b: expected M_2 with it.*else --set M_2=1' \
        predict "${data[@]}" --set mu_1b=49.97
    printf 'lambda_in\tP_1a\tP_1b\tP_2\tmu_1b\n722\t0.0346\t0.765\t0.00035\t49.97\n' >mu.tsv
    expect_refusal "and in a table" 'mu.tsv, line 2: mu_1b: expected M_2' predict mu.tsv
    expect_predict "1bd with a rate of its own" "${mercury_inputs[@]}" --set mu_1bd=44.5768 --format tsv
    check_number "moves N_Q of 1bd" "$(cell "$scratch/out" 5-stage 1bd 'M/M/1/K (Dor)' n_q)" '>' 369
    # 30 million lookups/s are 30 / 0.892 / 0.0346 / 2 = 486.02 MB/s; behind 1bd go 30 x 0.765 / 0.892 million matches/s.
    # At 400 MB/s rho is 0.823022, of which M/D/1 has rho^2 / (1 - rho) / 2 in the queue.
    expect_predict "1bd that is slower" "${mercury_inputs[@]}" --set mu_1bd=30 --format tsv
    cp "$scratch/out" slow.tsv
    local input=30/0.892/0.0346/2
    check_number "limits the chain" "sqrt(($(cell slow.tsv 5-stage 1bd M/M/1 saturating_input_bytes_per_s) / 1e6 - $input)^2)" '<' 0.001
    check "and the tandem likewise" grep -q '^# 5-stage: blocking: input 486\.0' slow.tsv
    check_number "of which as many matches leave" "sqrt(($(cell slow.tsv 5-stage 2 blocking lambda_per_s) / 25.7287e6 - 1)^2)" '<' 1e-4
    check "M/G/1 has no steady state either" grep -q '^# 5-stage: .*M/G/1.* no number for 1bd: no steady state' slow.tsv
    check_number "a reason is said once for a stage and all models that have it" \
        "$(grep -o 'number for .*' slow.tsv | sort | uniq -d | wc -l)" == 0
    expect_predict "1bd at 400 MB/s" "${mercury_inputs[@]/lambda_in=*/lambda_in=400}" --set mu_1bd=30 --format tsv
    check_number "M/D/1 has its rate" "sqrt(($(cell "$scratch/out" 5-stage 1bd M/D/1 n_q) / 1.91365 - 1)^2)" '<' 1e-4
    check_number "and M/G/1" "$(cell "$scratch/out" 5-stage 1bd M/G/1 rho)" '>' 0.823
    expect_refusal "an input twice" '--set mu_1bd is given twice: expected each name once' predict \
        "${mercury_inputs[@]}" --set mu_1bd=30 --set mu_1bd=31
}

test_one_queue() {
    expect_predict "one queue" --set lambda=0.5 --set mu=1 --set K=2 --set scv=0 --set batch_mean=2 --set batch_second=4 -f tsv
    cp "$scratch/out" one.tsv
    check_number "M/M/1: N_G 1" "$(cell one.tsv queue queue M/M/1 n_g)" == 1
    check_number "M/M/1/K: N_G 4/7" "sqrt(($(cell one.tsv queue queue M/M/1/K n_g) - 4 / 7)^2)" '<' 1e-12
    run predict --set lambda=0.9 --set mu=1
    check "a model says which input it lacks: K" grep -q 'M/M/1/K.* no number for queue: no prediction: K is not' <(unwrapped "$scratch/out")
    check "scv" grep -q 'M/G/1 has no number for queue: no prediction: scv, of the services, is not given' <(unwrapped "$scratch/out")
    check "batches" grep -q '\^\[X\]/G/1 has no number .* scv, batch_mean or batch_second is not given' <(unwrapped "$scratch/out")
    run predict --set lambda=0.9 --set mu=1 --set K=10
    check "M/M/1/K is the textbook's: N_G 3.969; Dor's has 4.806" awk '/M\/M\/1/ { all = all " " $(NF - 2) } END { exit all != " 9 3.969 4.806" }' "$scratch/out"
    check "rates of one queue in 1/s" grep -q -E '^  queue +M/M/1 +0\.9 ' "$scratch/out"
    check "and times in s" grep -q -E '^  stage +model +lambda 1/s +rho +N_Q +N_G +W_G s +P_BP$' "$scratch/out"
    run predict --set lambda=2e9 --set mu=4e9
    check "or in ns, where that fits" grep -q -E ' W_G ns ' "$scratch/out"
    check "and G/s" grep -q -E '^  stage +model +lambda G/s ' "$scratch/out"
    check_number "M/D/1: N_Q 1/4" "$(cell one.tsv queue queue M/D/1 n_q)" == 0.25
    check_number "M/G/1 of no variance: the same" "$(cell one.tsv queue queue M/G/1 n_q)" == 0.25
    check_number "M^[X]/G/1, batches of two: N_Q 3/4" "$(cell one.tsv queue queue 'M^[X]/G/1' n_q)" == 0.75
    run predict --set lambda=2 --set mu=1 --set K=5 -f tsv
    check "an overloaded queue has a reason" grep -q 'M/M/1.no steady state' "$scratch/out"
    check "and no number" test "$(cell "$scratch/out" queue queue M/M/1 n_q)" = NA
    check_number "but a loss system has one" "$(cell "$scratch/out" queue queue M/M/1/K n_g)" '>' 4
}

test_digits() {
    local inputs="--set lambda_in=722 --set P_1a=0.0346 --set P_1b=0.765 --set P_2=0.00035 --set M_2=0.406 --set mu_1b=50.0"
    # shellcheck disable=SC2086
    expect_predict "inputs as they are given" $inputs -f tsv
    check_number "M/M/1's queue of run 2 as printed" "$(cell "$scratch/out" 4-stage 1b M/M/1 n_q)" '>' 1000
    # shellcheck disable=SC2086
    expect_predict "to three digits" $inputs --digits 3 -f tsv
    check "a load that may be 1: no number" test "$(cell "$scratch/out" 4-stage 1b M/M/1 n_q)" = NA
    check "but the reason" grep -q 'M/M/1.not determined: within the rounding' "$scratch/out"
    expect_predict "one queue to three digits" --set lambda=0.9996 --set mu=1 --set K=9 --set scv=2 --digits 3 -f tsv
    for model in M/M/1 'M/M/1/K (Dor)' M/D/1 M/G/1; do
        check "one queue whose load may be 1: no number of $model" \
            test "$(cell "$scratch/out" queue queue "$model" n_q)" = NA
    done
    check_number "M/M/1/K loses what finds no place, and has one" \
        "$(cell "$scratch/out" queue queue M/M/1/K n_q)" '>' 3
    expect_predict "one queue with a load below 1" --set lambda=0.9 --set mu=1 --digits 3 -f tsv
    check_number "has a number" "$(cell "$scratch/out" queue queue M/M/1 n_q)" "<" 8.2
    expect_refusal "predict --digits 0" '1 to 15' predict --digits 0 --set lambda=1 --set mu=2
    expect_refusal "predict --digits x" '1 to 15' predict --digits 3x --set lambda=1 --set mu=2
}

test_table() {
    printf '# notes\n\ncase\tlambda\tmu\tK\r\nslow\t0.5\t1\tNA\nfast\t0.9\t1\t10\n' >table
    expect_predict "a table" table --format tsv
    cp "$scratch/out" from_file
    check_number "a line a case and model" "$(grep -c '^slow' from_file)" == 6
    run predict - --format tsv <table
    check_same "from standard input the same bytes" from_file "$scratch/out"
    "$mercury" predict table table -f tsv >twice
    check_number "two tables in turn" "$(grep -c '^fast' twice)" == 12
    run predict table --set scv=1 -f tsv
    check "--set is a default for a table" test "$(cell "$scratch/out" queue queue M/G/1 status)" = ok
    # shellcheck disable=SC2216
    "$mercury" predict table -f json | head -n 1 >first
    check "a reader that leaves early does no harm" grep -q '{' first
}

test_json() {
    expect_predict "json" "${mercury_inputs[@]}" -f json
    cp "$scratch/out" dor.json
    if can_flatten; then
        flatten dor.json >flat
        check_number "N_Q,1b" "$(number flat 'cases/0/4-stage/stages/2/models/M/M/1/K (Dor)/n_q')" '>' 457.5
        check_number "blocking" "$(number flat 'cases/0/5-stage/stages/3/models/blocking/n_q')" '>' 345
    else
        skip "json values" "no python3, no jq"
    fi
}

test_summary() {
    dna 1 2000 | { echo '>q'; cat; } >q.fa
    { echo '>d'; dna 2 40000; dna 1 2000 | mutate 3; } >d.fa
    search -q q.fa -d d.fa -o out --quiet
    report "a run to predict" "$(success_problem)"
    expect_predict "its summary" out/summary.json -f tsv
    cp "$scratch/out" run.tsv
    local theirs ours
    theirs=$(awk '$1 == "N_Q_2" { print $5 }' out/validation.tsv)
    ours=$(cell run.tsv 4-stage 2 M/M/1/K n_q)
    check_number "M/M/1/K of stage 2 as validation.tsv has it" "sqrt(($theirs - $ours)^2)" '<=' "1e-6 * $theirs"
    theirs=$(awk '$1 == "rho_pci" { print $4 }' out/validation.tsv)
    ours=$(cell run.tsv 4-stage pci M/M/1 rho)
    check_number "rho_pci as validation.tsv has it" "sqrt(($theirs - $ours)^2)" '<=' "1e-6 * $theirs"
    check "blocking has an answer" test "$(cell run.tsv 5-stage 1bd blocking status)" = ok
    expect_predict "and its passes" out/summary.json --passes -f tsv
    check "two of them" test "$(grep -c '^# case pass' "$scratch/out")" -eq 2
    "$mercury" predict - <out/summary.json >piped.txt
    "$mercury" predict out/summary.json >named.txt
    check_same "standard input gives the same" named.txt piped.txt
    "$mercury" predict out >directory.txt
    check_same "the directory stands for its summary" named.txt directory.txt
    run predict out/summary.json --set K_2=20 -f tsv
    check "--set goes before the measurement" grep -q ' K_2=20 ' "$scratch/out"
    sed 's/"seeds"/"sods"/' out/summary.json >broken.json
    expect_refusal "a summary without seeds" 'broken.json: stage_1b.seeds: expected a whole number from 0, found nothing' predict broken.json
    sed '0,/"passes": 2/s//"passes": 3/' out/summary.json >passes.json
    expect_refusal "a summary that lacks a pass" 'passes.json: per_pass has 2 passes where passes is 3' predict passes.json
    head -c 300 out/summary.json >half.json
    expect_refusal "half a summary" 'half.json:[0-9]+:' predict half.json
    expect_refusal "a run.json is no summary" 'run.json: is the run.json of a run; expected its directory' predict out/run.json
}

# number_of FILE SERVER OPERATION QUANTITY: of a line that is not of a pass.
number_of() {
    awk -F '\t' -v server="$2" -v operation="$3" -v quantity="$4" '
        $1 == server && $2 == operation && $3 == "NA" && $4 == quantity { print $6; found = 1; exit }
        END { exit !found }' "$1" || echo "? no $2 $3 $4"
}

# A query of three segments, so that there are six passes, with three copies of 300 bases, which need trips.
test_operations() {
    {
        echo '>q'
        dna 1 1800
        for _ in 1 2 3; do dna 3 300; done
    } >repeats.fa
    { cat d.fa; dna 3 300; } >repeats.d.fa
    search -q repeats.fa -d repeats.d.fa -o ops --set query.segment=1000 --quiet
    report "a run with trips" "$(success_problem)"
    expect_predict "the operations of a run" --operations ops/summary.json -f tsv
    cp "$scratch/out" operations.tsv
    run predict --operations ops -f tsv
    check_same "its directory says the same" operations.tsv "$scratch/out"
    flatten ops/summary.json >ops.flat
    check_number "mean word clocks a pass" "$(number_of operations.tsv 1a 'word clock' count_mean)" \
        == "$(number ops.flat stage_1a/words) / 6"
    check_number "trips are those of the summary" "$(number_of operations.tsv 1bd trip count_mean)" \
        == "$(number ops.flat stage_1b/trips) / 6"
    check_number "there are some" "$(number ops.flat stage_1b/trips)" '>' 100
    # Of every HSP that stage 3 checks and every cell that it computes, and of nothing else, it is made.
    check_number "the cores' time is their operations'" "$(number_of operations.tsv cores NA measured_excess)^2" '<' 1e-18
    check_number "the bus's is not less" "$(number_of operations.tsv bus NA measured_excess)" '>=' -1e-9
    check_number "a pass has four lines of each server" "$(awk -F '\t' '$3 == 2 && $4 != "representative"' operations.tsv | wc -l)" == 16
    check_number "order makes 1bd's time vary more" "$(number_of operations.tsv 1bd NA deviation_order)" '>' "$(number_of operations.tsv 1bd NA deviation_independent)"
    check_number "P(T > t) at the end of the normal interval" "($(number_of operations.tsv 1bd NA p_beyond) - 0.025)^2" '<' 1e-20
    check_number "within Berry-Esseen's bound" "$(number_of operations.tsv 1bd NA p_beyond_error)" '>' 0
    expect_predict "as text" --operations ops --passes
    check_not "of 80 columns" grep -E '^.{81}' "$scratch/out"
    expect_predict "as JSON" --operations ops -f json
    check "with a verdict" grep -q '"independence_is_violated": [tf]' "$scratch/out"
    expect_predict "in a pipe" --operations <(cat ops/summary.json) -f tsv
    expect_predict "on standard input" --operations - -f tsv <ops/summary.json
    check "without run.json no durations of the cores" test "$(number_of "$scratch/out" cores cell duration)" = NA
    check "and the rest as before" test "$(number_of "$scratch/out" 1bd NA expected)" = "$(number_of operations.tsv 1bd NA expected)"
    sed 's/"tail_index": null/"tail_index": 1.5/' ops/summary.json >heavy.json
    run predict --operations heavy.json -f tsv
    check "the tails of latencies are those of the summary" test "$(number_of "$scratch/out" wmer NA latency_tail_index)" = 1.5
}

# Latencies of a small run are no power law, the greatest may be equal, and of two passes there is no tail at all.
test_operations_of_two_passes() {
    search -q q.fa -d d.fa -o two --quiet
    run predict --operations two
    check "no power law is seen, and it is said" grep -q 'no power law seen; 2 passes are too few' "$scratch/out"
    check "neither in latencies" awk '/^  job /{ exit !($4 == "-" && $5 == "-") }' "$scratch/out"
    check_not "nothing means nothing" grep -q 'means\? nothing' "$scratch/out"
    for format in text tsv json; do
        run predict --operations two -f "$format" --passes
        check_not "no number is infinite ($format)" grep -w -i -E 'inf(inity)?|nan' "$scratch/out"
    done
    flatten two/summary.json >two.flat
    check "the summary has none" test "$(value two.flat measurements/latency/job/tail_index)" = null
    check "of no values" test "$(value two.flat measurements/latency/job/tail_largest)" = 0
}

test_operations_of_another_run() {
    search -q repeats.fa -d repeats.d.fa -o slow --set query.segment=1000 --set sram.trip_cycles=600 --quiet
    report "a machine with slower trips" "$(success_problem)"
    expect_predict "counts of one run, durations of another" --operations slow --for ops -f tsv
    cp "$scratch/out" other.tsv
    check "it says whose the counts are" grep -q $'^# counts of\tops/summary.json$' other.tsv
    check "and whose the durations" grep -q $'^# durations of\tslow/summary.json$' other.tsv
    check_number "a trip takes 600 clocks" "$(number_of other.tsv 1bd trip duration)" == 600
    check_number "Wald with these durations" "$(number_of other.tsv 1bd NA expected)" == \
        "$(number_of operations.tsv 1bd 'primary lookup' count_mean) + 600 * $(number_of operations.tsv 1bd trip count_mean)"
    check_number "the same data: the same shares, (5.2) is Wald's" \
        "($(number_of other.tsv 1bd NA expected_given) / $(number_of other.tsv 1bd NA expected) - 1)^2" '<' 1e-24
    check "nothing is measured on a machine that has not run" test "$(number_of other.tsv 1bd NA measured_mean)" = NA
    expect_refusal "durations of fewer operations" 'ops/summary.json has counts of HSP check, standard input has no duration of it' \
        predict --operations - --for ops <slow/summary.json
}

test_refused_operations() {
    search -q q.fa -d d.fa -s plus -o one --quiet
    mkdir mixed_runs torn
    sed 's/"per_pass": \[/"per_pass": [], "passes_were": [/; s/"passes": [0-9]*/"passes": 0/' ops/summary.json >none.json
    sed 's/"trips"/"tricks"/' ops/summary.json >tricks.json
    cp ops/summary.json mixed_runs
    cp slow/run.json mixed_runs
    cp ops/summary.json torn
    head -c 100 ops/run.json >torn/run.json
    expect_refusal "one pass" 'one/summary.json: one pass in it; expected 2 passes or more' predict --operations one
    expect_refusal "no passes" 'none.json: passes: expected a whole number from 1, found 0' predict --operations none.json
    expect_refusal "a summary without trips" 'tricks.json: stage_1b.trips: expected a whole number from 0, found nothing' predict --operations tricks.json
    expect_refusal "files of two runs" "mixed_runs/run.json: simulated_time_s is not that of mixed_runs/summary.json" \
        predict --operations mixed_runs
    expect_refusal "half a run.json" 'torn/run.json:[0-9]+:' predict --operations torn
    expect_refusal "a directory without a run" 'summary.json: cannot be read: No such file' predict --operations .
    expect_refusal "no summary" 'run.json: is the run.json of a run' predict --operations ops/run.json
    expect_refusal "bad counts with good durations" 'one/summary.json: one pass' predict --operations ops --for one
    expect_refusal "--for alone" '--for: expected --operations PATH with it' predict --for ops
    expect_refusal "a file besides" "unexpected argument 'ops/summary.json'" predict --operations ops ops/summary.json
    expect_refusal "inputs of queueing theory" '--set and --digits are inputs of' predict --operations ops --set mu=1
    if [ -w /dev/full ]; then
        "$mercury" predict --operations ops >/dev/full 2>"$scratch/err"
        check "a full disk is told of operations, too" grep -q 'cannot be written' "$scratch/err"
    fi
}

# Four runs of a program. Durations are Octave's, weighted by 1 / seconds; the interval is Student's, by hand.
test_counts() {
    {
        printf 'run\tname\tcount\tseconds\n'
        printf '%s\tloads\t%s\t%s\n%s\tbranches\t%s\tNA\n' gzip 100 3.1 gzip 50 grep 300 5.2 grep 10 \
            sort 200 4.9 sort 40 awk 220 4.4 awk 20
    } >counts
    expect_predict "counts of any program" --operations counts -f tsv
    cp "$scratch/out" counts.tsv
    check_number "its fitted durations" \
        "($(number_of counts.tsv program loads duration) - 0.0168890486092937)^2" '<' 1e-24
    check_number "of both operations" "($(number_of counts.tsv program branches duration) - 0.0310129729502261)^2" '<' 1e-24
    check_number "the next run" "($(number_of counts.tsv program NA next_high) - 7.699630558482081)^2" '<' 1e-18
    check_number "is not below 0" "$(number_of counts.tsv program NA next_low)" '>' 1.1003
    check "sort and awk represent all four" test "$(awk -F '\t' '$4 == "representative" { printf "%s ", $3 }' counts.tsv)" = "sort awk "
    check_number "gzip is 62/300 - 15/235 off" \
        "($(awk -F '\t' '$3 == "gzip" && $4 == "distance" { print $6 }' counts.tsv) - (1/3 - 120/940))^2" '<' 1e-24
    expect_predict "as text" --operations counts --passes
    check_not "of 80 columns" grep -E '^.{81}' "$scratch/out"
    check "it is told who represents" grep -q 'represented by 2 of 4 runs (sort, awk)' "$scratch/out"
    check_not "a program has no passes" grep -E -w 'pass|passes' "$scratch/out"
    run predict --operations - -f tsv <counts
    sed 's/standard input/counts/' "$scratch/out" >piped.tsv
    check_same "standard input gives the same" counts.tsv piped.tsv
    run predict --operations <(cat counts) -f tsv
    sed 's=/dev/fd/[0-9]*=counts=' "$scratch/out" >piped.tsv
    check_same "so does a pipe" counts.tsv piped.tsv
    expect_predict "as JSON" --operations counts -f json
    check "with names" grep -q '"name": "gzip"' "$scratch/out"
    sed -E 's/\t[0-9.]+$/\t/' counts >unknown.times
    expect_predict "another program without seconds" --operations counts --for unknown.times -f tsv
    check_number "by the same durations" "$(number_of "$scratch/out" program NA expected)" == "$(number_of counts.tsv program NA expected)"
    check "with nothing measured" test "$(number_of "$scratch/out" program NA measured_mean)" = NA
    run predict --operations counts --beyond 4.6 -f tsv
    check_number "half of the runs are longer than 4.6 s" "$(number_of "$scratch/out" program NA beyond_share)" == 0.5
}

# Two runs, as perf 6.1 writes them; sh's instructions could not be counted there.
test_perf() {
    cat >perf <<'END'
# started on Sun Nov 29 00:46:20 2026

# run short
3338981,ns,duration_time,3338981,100.00,1.683,G/sec
1.98,msec,task-clock,1983498,100.00,0.594,CPUs utilized
137,,page-faults,1983498,100.00,69.070,K/sec
3,,context-switches,1983498,100.00,1.512,K/sec
<not supported>,,instructions,0,100.00,,
# started on Sun Nov 29 00:46:20 2026

7989551,ns,duration_time,7989551,100.00,4.529,G/sec
1.76,msec,task-clock,1764229,100.00,0.221,CPUs utilized
138,,page-faults,1764229,100.00,78.221,K/sec
1,,context-switches,1764229,100.00,566.820,/sec
<not supported>,,instructions,0,100.00,,
END
    expect_predict "the output of perf stat" --operations perf -f tsv
    cp "$scratch/out" perf.tsv
    check_number "page faults" "$(number_of perf.tsv program page-faults count_mean)" == 137.5
    check_number "seconds are duration_time" "($(number_of perf.tsv program NA measured_mean) - 0.005664266)^2" '<' 1e-24
    check "runs have names or numbers" test "$(awk -F '\t' '$4 == "measured" { printf "%s ", $3 }' perf.tsv)" = "short 2 "
    check_not "what was not counted is not there" grep instructions perf.tsv
    grep -v '^#' perf | tr , ';' >semicolons
    run predict --operations semicolons -f tsv
    check_number "an event that comes again begins a run" "$(number_of "$scratch/out" program page-faults count_mean)" == 137.5
    grep -v duration perf >clock
    run predict --operations clock -f tsv
    check_number "without it, task-clock" "($(number_of "$scratch/out" program NA measured_mean) - 0.00187)^2" '<' 1e-24
    grep -v -e ns, -e msec perf >untimed
    expect_refusal "no times" 'untimed: run short has no seconds above 0' predict --operations untimed
    sed 's/^138,/<not counted>,/' perf >hole
    expect_refusal "not counted in one run" 'hole: run 2 has no count of page-faults; expected one in every run' predict --operations hole
    sed 's/^[0-9<]/1.0001,&/' perf >intervals
    expect_refusal "output of -I" 'intervals:4: expected the header name, count, seconds.*COUNT,UNIT,EVENT' predict --operations intervals
}

test_refused_counts() {
    printf 'name\tcount\tseconds\nloads\t1\t\nloads\t2\tNA\n' >no_seconds
    printf 'name\tcount\nloads\t1\nloads\t2\n' >two_columns
    printf 'run\tname\tcount\tseconds\na\tloads\t1\t1\na\tloads\t2\t1\n' >again
    printf 'name\tcount\tseconds\nloads\t1\t2\n' >one_run
    printf 'name\tcount\tseconds\nloads\t1\tsoon\n' >soon
    printf 'name\tcount\tseconds\nloads\t1\t1\nstores\t2\t1\nloads\t2\t2\nstores\t4\t2\n' >alike
    printf 'name\tcount\tseconds\nloads\t1\t1\nloads\t2\n' >short_line
    printf 'name\tcount\tseconds\nloads\t1\t1\nstores\t2\t3\nloads\t2\t2\n' >two_times
    printf 'name\tcount\thours\n' >hours
    printf 'name\tcount\tseconds\n' >header
    printf '\177ELF\002\001' >binary
    : >nothing
    expect_refusal "a column too few" 'two_columns:1: expected the header name, count, seconds' predict --operations two_columns
    expect_refusal "an operation twice in a run" 'again:3: run a has loads already; expected one line' predict --operations again
    expect_refusal "counts without seconds" 'no_seconds: run 1 has no seconds above 0; expected them in the column' predict --operations no_seconds
    expect_refusal "an empty file" 'nothing: no counts in it; expected 2 runs or more' predict --operations nothing
    expect_refusal "a header only" 'header: no counts in it' predict --operations header
    expect_refusal "one run" 'one_run: one run in it; expected 2 runs or more' predict --operations one_run
    expect_refusal "a column that is no number" "soon:2: expected the header's 3 columns, with numbers from 0" predict --operations soon
    expect_refusal "counts in proportion" 'alike: the duration of stores cannot be told from these 2 runs' predict --operations alike
    expect_refusal "a short line" "short_line:3: expected the header's 3 columns" predict --operations short_line
    expect_refusal "two times of a run" 'two_times:3: run 1 has other seconds already' predict --operations two_times
    expect_refusal "an unknown column" "hours:1: expected the header name, count, seconds" predict --operations hours
    expect_refusal "a program" 'binary:1: expected the header name, count, seconds' predict --operations binary
    expect_refusal "a run and a table" 'has counts of word clock, counts has other operations' predict --operations counts --for ops
    expect_refusal "--beyond alone" '--beyond: expected --operations PATH' predict --beyond 3
}

# By hand: the second job begins 5 after the first, and so on (test_no_wait.c).
test_no_wait() {
    printf 'job\tcut\tdrill\tpaint\na\t5\t1\t2\nb\t3\t6\t1\nc\t2\t2\t7\nd\t4\t1\t1\n' >jobs
    expect_predict "a table of jobs" --no-wait jobs -f tsv
    check "takes 24" grep -q $'^# makespan\t24$' "$scratch/out"
    check "one by one it takes 35" grep -q $'^# one_by_one\t35$' "$scratch/out"
    check "jobs begin as soon as they can" test "$(awk -F '\t' '/^[a-d]\t/ { printf "%s ", $2 }' "$scratch/out")" = "0 5 12 18 "
    expect_predict "as JSON" --no-wait jobs -f json
    check "with a schema" grep -q '"schema": "mercury-jobs-1"' "$scratch/out"
    run predict --no-wait - <jobs
    check "from standard input" grep -q 24 "$scratch/out"
    sed 's/^b\t3\t6/b\t3\t/' jobs >hole
    sed 's/^c\t2\t2\t7/c\t2\t2/' jobs >short
    sed 's/^d.*/&\t3/' jobs >long
    expect_refusal "a hole" "hole:3: job b has '' on drill; expected a time from 0" predict --no-wait hole
    expect_refusal "a job without its last time" "short:4: job c has '' on paint; expected" predict --no-wait short
    expect_refusal "a time too many" 'long:5: job d has more than 3 times' predict --no-wait long
    expect_refusal "no header" 'counts:1: expected a header: job, and the machines' predict --no-wait counts
    head -n 1 jobs >top
    expect_refusal "no jobs" 'top: no job in it' predict --no-wait top
    expect_refusal "--no-wait with inputs" '--no-wait: expected its FILE and --format' predict --no-wait jobs --set mu=1
    expect_refusal "two questions" 'ask for different things' predict --no-wait jobs --operations counts
}

test_refusals() {
    : >empty
    printf 'lambda\tmu\n' >header_only
    printf 'lambda\tnu\n1\t2\n' >unknown
    printf 'lambda\tmu\n1\n' >short
    printf 'lambda\tmu\n1\t2\t3\n' >long
    printf 'lambda\tmu\n1\tx\n' >text
    printf 'lambda\tmu\n1\tnan\n' >nan
    printf 'lambda\tmu\n-1\t2\n' >negative
    printf 'lambda\tmu\n1\t0\n' >no_service
    printf 'lambda\tmu\tmu\n1\t2\t2\n' >twice
    printf 'lambda\tmu\n1\0\t2\n' >zero
    printf 'lambda\tmu\tP_1a\n1\t2\t0.1\n' >mixed
    printf 'lambda\tmu\tK\n1\t2\t1.5\n' >fraction
    printf 'case\tlambda\tmu\n\303\t1\t2\n' >name
    printf 'lambda_in\tP_1a\tP_1b\tP_2\ttrips\tduplicates\n722\t0.03\t0.7\t0.1\t0.01\t0.5\n' >contradiction
    expect_refusal "a case's name of other characters" 'name, line 2: case is' predict name
    run predict contradiction -f tsv
    check "more lookups with trips than trips: a reason" grep -q 'blocking.trips or duplicate lookups per seed' "$scratch/out"
    check "and no M/G/1 from it" test "$(cell "$scratch/out" 4-stage 1b M/G/1 n_q)" = NA
    expect_refusal "nothing" 'needs a summary.json' predict
    expect_refusal "an empty file" 'empty: no case' predict empty
    expect_refusal "a header only" 'header_only: no case' predict header_only
    expect_refusal "an unknown column" "unknown, line 1: 'nu'" predict unknown
    expect_refusal "a short line" 'short, line 2: fewer fields' predict short
    expect_refusal "a long line" 'long, line 2: more fields' predict long
    expect_refusal "text for a number" "text, line 2: mu is 'x'" predict text
    expect_refusal "nan for a number" "nan, line 2: mu is 'nan'" predict nan
    expect_refusal "a negative rate" 'case line 2: the arrival rate' predict negative
    expect_refusal "no service" 'case line 2: the service rate' predict no_service
    expect_refusal "a column twice" 'twice, line 1: column mu is there twice' predict twice
    expect_refusal "a 0 byte" 'zero: a 0 byte' predict zero
    expect_refusal "a queue's and the accelerator's inputs" 'mixed, line 2: P_1a is no input of one queue' predict mixed
    expect_refusal "half a place" "fraction, line 2: K is '1.5': expected a whole number" predict fraction
    expect_refusal "a file that is not there" 'missing.tsv: cannot be read: No such file' predict missing.tsv
    expect_refusal "a directory without a summary" 'holds no run' predict .
    expect_refusal "--set without =" 'expected NAME=VALUE' predict --set lambda
    expect_refusal "--set of what is misspelt" 'did you mean lambda_in' predict --set lamda_in=3
    expect_refusal "--set of nothing known" 'no such input' predict --set speed=3
    expect_refusal "--set of a bad fraction" "P_1a is '1.5': expected a number from 0 to 1" predict --set P_1a=1.5
    expect_refusal "a missing input" 'mu is missing' predict --set lambda=1
    expect_refusal "an accelerator half given" 'P_1a is missing' predict --set lambda_in=895
    expect_refusal "half a batch" 'batch_mean and batch_second' predict --set lambda=1 --set mu=2 --set batch_mean=2
    expect_refusal "M_1b and mu_1b" 'expected one of them' predict "${mercury_inputs[@]}" --set M_1b=1.1
    expect_refusal "a format" 'expected text, tsv or json' predict --set lambda=1 --set mu=2 -f xml
    expect_refusal "an option" 'no such option' predict --speed
    expect_refusal "an option without its value" 'needs a value' predict --set
    expect_refusal "--passes of a table" 'a table has no passes' predict --passes short
    expect_refusal "a good file and a bad one: nothing is written" 'no case' predict --set lambda=1 --set mu=2 empty
    if [ -w /dev/full ]; then
        "$mercury" predict --set lambda=1 --set mu=2 >/dev/full 2>"$scratch/err"
        check "a full disk is told" grep -q 'cannot be written' "$scratch/err"
    fi
    "$mercury" predict --set lambda=1 --set mu=2 >&- 2>"$scratch/err"
    check "closed output is told" grep -q 'cannot be written' "$scratch/err"
}

test_help() {
    expect_predict "help" --help
    cp "$scratch/out" help
    check_not "no line is longer than 120 columns" grep -E '^.{121}' help
    expect_predict "the list of inputs" --list
    check "every needed input is in it" test "$(grep -c -E '^  (lambda_in|P_1a|P_1b|P_2|lambda|mu) ' "$scratch/out")" -eq 6
    check_not "no line of it is longer than 120 columns" grep -E '^.{121}' "$scratch/out"
}

test_assignments
test_mu_1b
test_one_queue
test_digits
test_table
test_json
test_summary
test_operations
test_operations_of_two_passes
test_operations_of_another_run
test_refused_operations
test_counts
test_perf
test_refused_counts
test_no_wait
test_refusals
test_help
finish
