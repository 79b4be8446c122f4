#!/bin/bash
# test_theory.sh MERCURY SOURCE_DIRECTORY - mercury queue and mercury replay: tables in every form, the same bytes for the same
# seed, verdicts and exit statuses, bad arguments of every kind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# field FILE KEY COLUMN: of a TSV, in the row whose parameter is KEY.
field() {
    awk -F '\t' -v key="$2" -v column="$3" '
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) { name[$i] = i } header = 1; next }
        $(name["parameter"]) == key { print $(name[column]); found = 1; exit }
        END { exit !found }' "$1" || echo "? no $2 $3"
}

# --- queue

test_queue_forms() {
    run queue --customers 20000
    report "queue" "$(success_problem)"
    check "queue: what was measured" grep -q -E '^ +1 +N_G +customers +[0-9.]+ +[0-9.]+ +1 +(yes|no)' "$scratch/out"
    check "queue: the seed" grep -q -E '^seed +1$' "$scratch/out"
    check "queue: whether a model is exact" grep -q 'M/M/1 is exact for stage 1' "$scratch/out"
    report "queue: no line of more than 80 columns" "$(awk 'length > 80' "$scratch/out")"
    run queue --lambda 0.8 --mu 1,0.9,1 --capacity 8 --overflow block --customers 20000
    report "queue: not for three stages either" "$(awk 'length > 80' "$scratch/out")"
    check "queue: the exact model of a tandem comes first" \
        grep -q -E '^ +2 +N_G +customers +[0-9.]+ +[0-9.]+ +3.8734 +(yes|no) +-?[0-9.]+$' "$scratch/out"
    report "queue: error% is what the prediction is above the simulation" "$(
        awk '$2 ~ /^(N_G|W_Q|rho)$/ { d = 100 * ($6 / $4 - 1) - $8; if (d > 0.06 || d < -0.06) print; n++ }
             END { if (n != 9) print n " rows" }' "$scratch/out")"
    run queue --customers 20000 --format tsv
    cp "$scratch/out" queue.tsv
    check_number "queue --format tsv: theory's mean number" "$(field queue.tsv N_G M/M/1)" == 1
    check_number "queue --format tsv: near it" "$(field queue.tsv N_G simulated) - 1" '<' 0.2
    run queue --customers 20000 --format tsv -o file.tsv
    check_same "queue -o" queue.tsv file.tsv
    check_number "queue -o: nothing on standard output" "$(wc -c <"$scratch/out")" == 0
    run queue --customers 20000 --format json
    cp "$scratch/out" queue.json
    if can_flatten; then
        flatten queue.json >flat
        check_number "queue --format json: the same number" "$(number flat rows/3/simulated)" == "$(field queue.tsv N_G simulated)"
        check_number "queue --format json: the seed" "$(number flat seed)" == 1
    else
        skip "queue --format json" "neither python3 nor jq"
    fi
}

test_queue_seeds() {
    run queue --customers 20000 --mu 1,2 --capacity 4 --overflow block --service exponential,mixture:0.1:9
    cp "$scratch/out" first
    run queue --customers 20000 --mu 1,2 --capacity 4 --overflow block --service exponential,mixture:0.1:9
    check_same "queue: the same bytes again" first "$scratch/out"
    run queue --customers 20000 --mu 1,2 --capacity 4 --overflow block --service exponential,mixture:0.1:9 --seed 2
    check_not "queue --seed: others for another seed" cmp -s first "$scratch/out"
}

test_queue_kinds() {
    run queue --arrivals deterministic --service deterministic --customers 5000 --format tsv
    cp "$scratch/out" dd1.tsv
    check_number "D/D/1: nobody waits" "$(field dd1.tsv W_Q simulated)" == 0
    check_number "D/D/1: utilisation" "$(field dd1.tsv rho simulated) - 0.5" '<' 1e-9
    check_number "D/D/1: an interval of no width" "$(field dd1.tsv W_G half_width)" == 0
    check "D/D/1: M/M/1 is wrong and told so" test "$(field dd1.tsv N_Q M/M/1_covers)" = no
    check "D/D/1: M/M/1 is no exact model" grep -q 'M/M/1 is an approximation for stage 1' dd1.tsv
    run queue --lambda 2 --capacity 3 --customers 20000 --format tsv
    cp "$scratch/out" loss.tsv
    check "an overloaded M/M/1: a reason, no number" grep -q 'M/M/1 has no prediction for stage 1: no steady state' loss.tsv
    check "an overloaded M/M/1: NA" test "$(field loss.tsv N_G M/M/1)" = NA
    check_number "M/M/1/3 at rho 2 loses 8 of 15" "($(field loss.tsv loss M/M/1/K) - 8/15)^2" '<' 1e-12
    run queue --arrivals batch:5 --lambda 0.5 --customers 20000 --format tsv
    cp "$scratch/out" batch.tsv
    check_number "batches wait longer" "$(field batch.tsv N_Q simulated)" '>' 1.5
    run queue --mu 1,1.2,1.5 --customers 20000 --format tsv
    check_number "three stages of ten quantities" "$(grep -v -E "^(#|stage)|P\[|_p[0-9]|	tv	" "$scratch/out" | wc -l)" == 30
}

test_queue_servers() {
    run queue --lambda 3 --servers 4 --customers 20000 --format tsv
    cp "$scratch/out" servers.tsv
    check_number "M/M/4 has 4.5283 customers" "($(field servers.tsv N_G M/M/c/K) - 4.52830) ^ 2" '<' 1e-10
    check "M/M/4: the model is exact" grep -q 'M/M/c/K is exact for stage 1' servers.tsv
    check "M/M/4: so it is told" grep -q $'^# stage_1\tmu 1/s, exponential, 4 servers, unbounded$' servers.tsv
    check_not "models of one server have no column" grep -q 'M/M/1' servers.tsv
    check_number "M/M/4: near it" "($(field servers.tsv N_G simulated) - 4.5) ^ 2" '<' 1
    run queue --lambda 3 --servers 4,1 --mu 1,4 --service deterministic,exponential --customers 20000 --format tsv
    check "M/D/4: M/G/c is an approximation" grep -q 'M/G/c is an approximation for stage 1' "$scratch/out"
    expect_refusal "queue --servers 0" "servers '0': expected for each stage a whole number from 1 to 1000" queue --servers 0
    expect_refusal "queue --service foo" "'foo': expected for each stage exponential, .* or trace:FILE$" queue --service foo
    expect_refusal "queue --servers of two lengths" 'mu has 2 values, another list has 3' queue --mu 1,2 --servers 1,1,1
    expect_refusal "four servers without a steady state" 'no steady state: 4 per second arrive, 4 can' \
        queue --lambda 4 --servers 4
    # births and deaths: 1, 6, 18, 36, 54 with 0 to 4 customers, and then 1.5 times as much with each more
    run queue --lambda 6 --servers 4 --capacity 7 -f tsv
    cp "$scratch/out" servers.tsv
    check_number "M/M/c/K knows how many are there" \
        "($(field servers.tsv 'P[N=4]' M/M/c/K) - 54 / (61 + 54 * (1 + 1.5 + 1.5 ^ 2 + 1.5 ^ 3)))^2" '<' 1e-15
    check_number "and it is so" "$(field servers.tsv tv M/M/c/K)" '<' 0.01
    run queue --lambda 3.2 --servers 4 -f tsv # Erlang's C is 0.59643, of which 0.8 find four others and more
    cp "$scratch/out" unbounded.tsv
    check_number "without a bound, too" "($(field unbounded.tsv 'P[N>=5]' M/M/c/K) - 0.8 * 0.5964325)^2" '<' 1e-12
    run queue --lambda 6 --servers 4 --capacity 7 --customers 2e4 -o servers
    run validate servers --distributions
    check "its distribution is beside what is simulated" grep -q -E '^  stage +M/M/c/K$' "$scratch/out"
}

# At a light load few wait, or nobody does: what was not seen is in the interval of a mean wait. 95% of the
# intervals are expected to hold the exact mean; if fewer than 85% do, they are wrong.
test_queue_light() {
    local seed load seeds=25
    [ -z "$few" ] || seeds=10
    for load in 0.0001 0.01; do
        for seed in $(seq $seeds); do
            run queue --lambda $load --customers 1000 --seed "$seed" -f tsv
            awk -F '\t' '$2 ~ /^(N_G|N_Q|W_G|W_Q)$/ { print $7 }' "$scratch/out"
        done >light.txt
        check_number "M/M/1 at a load of $load: intervals hold" "$(grep -c yes light.txt)" '>=' "3.4 * $seeds"
        check_number "of four means each" "$(wc -l <light.txt)" == $((4 * seeds))
    done
    run queue --lambda 0.001 --service deterministic --arrivals deterministic --customers 1000 -f tsv
    cp "$scratch/out" light.tsv
    check_number "nothing is unseen where nothing is by chance" "$(field light.tsv W_Q half_width)" == 0
}

test_queue_width() {
    run queue --customers 5000
    check "queue: how wide" grep -q -E '^the widest interval is that of [NW]_Q, stage 1: [0-9.]+% of its value$' "$scratch/out"
    check "queue: what 5% would take" grep -q -E '^5% would take some [0-9e+]+ customers' "$scratch/out"
    run queue --customers 5000 --until-width 10 --format tsv
    report "queue --until-width" "$(success_problem)"
    cp "$scratch/out" width.tsv
    check_number "queue --until-width: as narrow as asked" "2 * $(field width.tsv N_Q half_width) / $(field width.tsv N_Q simulated)" '<=' 0.1
    check_number "queue --until-width: more customers" "$(awk '$2 == "customers" { print $3 }' width.tsv)" '>' 8000
    run queue --lambda 0.999 --customers 1000
    check "queue: no option for more customers than any run has" grep -q '^5% would take some 1e[+]11 customers (more than' "$scratch/out"
    printf 'stage\tC\tK\tservice\na\t1MHz\t1\tdeterministic\nb\t1MHz\t1\tdeterministic\n' >two.tsv
    run queue --chain two.tsv --lambda 1e6
    check "queue: the widest interval of a chain in another unit has a name" grep -q '^the widest interval is that of [a-zA-Z_]*, stage [ab]:' "$scratch/out"
    run queue --customers 5000 --until-width 0.1 --most-customers 20000
    check "queue --most-customers ends it" grep -q '0.1% would take some .* (--most-customers)' "$scratch/out"
}

# Laws of services and arrivals, against what is exact for them. The trace is of exponential times of mean 1.25.
test_queue_laws() {
    local law
    run queue --lambda 0.9 --service deterministic --capacity 5 --customers 1e5 -f tsv
    cp "$scratch/out" md15.tsv
    check "M/D/1/5 is exact" grep -q 'M/G/1/K is exact for stage 1: the 95% intervals cover 9 of 9' md15.tsv
    check_number "its loss, from an independent solution" "$(field md15.tsv loss M/G/1/K) - 0.064362" '<' 1e-6
    check "M/M/1/K is not covered" test "$(field md15.tsv loss M/M/1/K_covers)" = no
    run queue --lambda 0.73 --capacity 1 --overflow block --customers 1000 -f tsv
    check "nobody waits at one place, not even -6e-17" \
        grep -q 'M/M/1/K is exact for stage 1: the 95% intervals cover 10 of 10' "$scratch/out"
    run queue --lambda 5 --servers 2 --capacity 12 --customers 20000 -f tsv
    check "no server is ever idle, which may happen 2e-5 of the time" \
        grep -q 'M/M/c/K is exact for stage 1: the 95% intervals cover 9 of 9' "$scratch/out"
    run queue --lambda 2 --servers 4 --capacity 4 --service gamma:9 --customers 1e5 -o loss
    check "M/G/4/4 loses what M/M/4/4 does" grep -q -P '^1\tloss\t.*\tM/M/c/K\t0.0952380952\t.*\tyes\tinside\t-$' loss/validation.tsv
    run queue --lambda 1 --capacity 9 --customers 1000 -f tsv # all of 0 to 9 are equally likely
    report "a model's probability that falls on a quantile" \
        "$(for p in 50:4 90:8 99:9; do field "$scratch/out" "N_G_p${p%:*}" M/M/1/K | grep -v -x "${p#*:}"; done)"
    run queue --arrivals deterministic --lambda 0.8 --customers 1e5 -f tsv
    cp "$scratch/out" dm1.tsv
    check "D/M/1 is exact" grep -q 'GI/M/1 is exact for stage 1: the 95% intervals cover 8 of 8' dm1.tsv
    run queue --lambda 0.7 --service erlang:4 --customers 1000 -f tsv
    check "a law says how many phases it has" grep -q $'^# stage_1\t.* erlang (4 phases), ' "$scratch/out"
    for law in erlang:4 gamma:3 mixture:0.1:8; do
        run queue --lambda 0.7 --service "$law" --customers 1e5 -f tsv
        check "$law: M/G/1 is exact" grep -q 'M/G/1 is exact for stage 1: the 95% intervals cover 8 of 8' "$scratch/out"
        run queue --lambda 0.7 --arrivals "$law" --customers 1e5 -f tsv
        check "$law of arrivals: GI/M/1 is exact" \
            grep -q 'GI/M/1 is exact for stage 1: the 95% intervals cover 8 of 8' "$scratch/out"
    done
    have python3 || return
    python3 -c '
import random
random.seed(11)
print("# seconds")
for time in range(200000): print("%.9g" % random.expovariate(0.8))' | gzip >times.gz
    run queue --arrivals trace:times.gz --customers 150000 -f tsv
    cp "$scratch/out" trace.tsv
    check "a trace of arrivals has its own rate" grep -q -P '^1\toffered\t1/s\t\S+\t\S+\t0.80' trace.tsv
    check "a trace of exponential times is Poisson, but not exactly" \
        grep -q 'M/M/1 is an approximation for stage 1: the 95% intervals cover 8 of 8' trace.tsv
    run queue --service trace:times.gz --lambda 0.5 --customers 150000 -f tsv
    check "a trace of services has its own mean" grep -q -P '^1\trho\t1\t0.6[12]' "$scratch/out"
    run queue --service trace:times.gz --mu 1 --lambda 0.5 --customers 150000 -f tsv
    check_number "--mu gives it another" "$(field "$scratch/out" rho M/M/1)" == 0.5
    printf 'stage\tC\tservice\nsource\t2\tdeterministic\nreplay\tNA\ttrace:times.gz\n' >replay.tsv
    run queue --chain replay.tsv --lambda 0.5 --customers 50000 -f tsv
    check "a stage of a chain may be a trace without a clock" grep -q 'stage replay.*mu 0.80' "$scratch/out"
    printf '1\n1 # again\n2.6\n' >few.txt
    expect_refusal "two words on a line of a trace" "few.txt:2: '1 # again': expected one time" queue --service trace:few.txt
    printf '1\n1\n2.6\n' >few.txt
    run queue --arrivals trace:few.txt --customers 2000
    check "a trace that is repeated is said to be" grep -q 'the trace of arrivals has 3 times, and was repeated' "$scratch/out"
    run queue --service trace:few.txt --lambda 0.3 --customers 2000
    check "so is one of services" grep -q 'the trace of stage 1 has 3 times, and was repeated' "$scratch/out"
    printf '1\n-2\n' >minus.txt
    expect_refusal "a negative time" 'minus.txt:2: .-2.: expected one time in seconds' queue --service trace:minus.txt
    printf '# nothing\n' >empty.txt
    expect_refusal "a trace without times" 'empty.txt: expected times in seconds' queue --arrivals trace:empty.txt
    expect_refusal "a trace that is not there" 'none.txt: No such file' queue --service trace:none.txt
    sed 's/times.gz/minus.txt/' replay.tsv >bad.tsv
    expect_refusal "a bad trace of a chain" 'bad.tsv:3: column 3, minus.txt:2: ' queue --chain bad.tsv --lambda 0.5
    sed 's/NA/NA/; s/trace:times.gz/exponential/' replay.tsv >bad.tsv
    expect_refusal "a stage without a clock and without a trace" 'bad.tsv:3: column 2, C: expected a clock' \
        queue --chain bad.tsv --lambda 0.5
}

# mmpp_problem: of the TSV on standard input, the first row in which MMPP/M/1 or MMPP/M/1/K is not what Poisson
# arrivals have. Probabilities of M/M/1 come from a transform, and have few digits below 1e-6.
mmpp_problem() {
    awk -F '\t' '/^#/ { next }
        !header++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (of in own) if (of in at && $at[of] != $at[own[of]] && !($2 ~ /^W_G_p/ || $2 ~ /^P/ && $at[of] < 1e-6)) { print $2, of, $at[of], $at[own[of]]; exit } rows++ }
        BEGIN { own["MMPP/M/1"] = "M/M/1"; own["MMPP/M/1/K"] = "M/M/1/K" }
        END { if (rows < 20) print "only", rows + 0, "rows" }'
}

# Poisson arrivals of two rates: exact models cover what is simulated, others of the same mean rate do not.
test_queue_mmpp() {
    run queue --arrivals mmpp:1.5:0.2:0.1:0.05 -f tsv
    cp "$scratch/out" mmpp.tsv
    check "MMPP/M/1 is exact" grep -q 'MMPP/M/1 is exact for stage 1: the 95% intervals cover 8 of 8' mmpp.tsv
    check_number "the rate is that of both states" "($(field mmpp.tsv offered MMPP/M/1) - (1.5 + 2 * 0.2) / 3)^2" '<' 1e-15
    check "Poisson arrivals of the same rate are rejected" test "$(field mmpp.tsv N_Q M/M/1_covers)" = no
    check "so are independent times of the same law" test "$(field mmpp.tsv N_Q GI/M/1_covers)" = no
    check_number "P[N = n] is that of the model" "$(field mmpp.tsv tv MMPP/M/1)" '<' 0.02
    check_number "and not that of M/M/1" "$(field mmpp.tsv tv M/M/1)" '>' 0.2
    run queue --arrivals mmpp:1.5:0.2:0.1:0.05 --capacity 6 -f tsv
    cp "$scratch/out" mmppk.tsv
    check "MMPP/M/1/K is exact" grep -q 'MMPP/M/1/K is exact for stage 1: the 95% intervals cover 9 of 9' mmppk.tsv
    check_number "more is lost than the time is full" "$(field mmppk.tsv loss MMPP/M/1/K)" '>' "2 * $(field mmppk.tsv P_BP MMPP/M/1/K)"
    check "M/M/1/K is rejected" test "$(field mmppk.tsv loss M/M/1/K_covers)" = no
    run queue --arrivals mmpp:1.5:0.2:0.1:0.05 --capacity 6 --overflow block
    check "MMPP/M/1/K is exact for a source that is held" \
        grep -q 'MMPP/M/1/K is exact for stage 1: the 95% intervals cover 10 of 10' "$scratch/out"
    report "queue --arrivals mmpp: no line of more than 80 columns" "$(awk 'length > 80' "$scratch/out")"
    for capacity in 0 4; do
        run queue --arrivals mmpp:0.45:0.45:0.1:0.05 --capacity $capacity --customers 5000 -f tsv
        report "equal rates, --capacity $capacity: every digit of M/M/1 and M/M/1/K" "$(mmpp_problem <"$scratch/out")"
    done
    run queue --arrivals mmpp:2:0:0.5:0.5 --lambda 0.7
    check "on-off, of another rate" grep -q 'mmpp  *1.4/s and 0/s, changing 0.35 and 0.35 times' "$scratch/out"
    check "on-off: exact" grep -q 'MMPP/M/1 is exact for stage 1: the 95% intervals cover 8 of 8' "$scratch/out"
    printf 'stage\tC\nparse\t1\nnext\t4\n' >mmpp_chain.tsv
    run queue --chain mmpp_chain.tsv --arrivals mmpp:1.5:0.2:0.1:0.05 -f tsv
    check_number "a chain takes the rate of its arrivals" "($(field "$scratch/out" offered MMPP/M/1) - 1.9 / 3)^2" '<' 1e-15
    check "a chain: exact at its first stage" grep -q 'MMPP/M/1 is exact for stage parse: .* cover 8 of 8' "$scratch/out"
    check "a chain: not after it" grep -q 'MMPP/M/1 has no prediction for stage next: it needs the law' "$scratch/out"
    local bad
    for bad in 0:0:1:1 1:-1:1:1 1:2:0:0 0:1:0:1 1:2:3 1:2:3:4:5 1:2:3:x nan:1:1:1 ''; do
        expect_refusal "queue --arrivals mmpp:$bad" "arrivals 'mmpp:$bad': expected mmpp:R1:R2:Q12:Q21" queue --arrivals "mmpp:$bad"
    done
    expect_refusal "states that change too often" "changes of the arrivals' rate 50000.*at most 1000 per customer" \
        queue --arrivals mmpp:1:2:1e5:1
    expect_refusal "more than can be served" 'stage 1 has no steady state: 2.5 per second' queue --arrivals mmpp:3:2:1:1
    expect_refusal "an mmpp of services" "service 'mmpp:1:1:1:1': expected for each stage exponential" queue --service mmpp:1:1:1:1
}

# Classes of customers: Cobham's waits are those that are simulated, first come first served is another queue.
test_queue_classes() {
    local mixed='--lambda 0.7 --classes 0.3 --mu 2,0.8 --service exponential,deterministic'
    run queue $mixed --discipline priority -f tsv
    cp "$scratch/out" priority.tsv
    check "M/G/1 (classes) is exact" grep -q "M/G/1 (classes) is exact for stage 1: the 95% intervals cover $(grep -c $'\tyes$' priority.tsv) of 16" priority.tsv
    # R = (0.21 x 2/2^2 + 0.49 / 0.8^2) / 2 = 0.4353125; the loads are 0.105 and 0.6125
    check_number "Cobham's wait of the first class" "($(field priority.tsv W_Q_1 'M/G/1 (classes)') - 0.4353125 / 0.895)^2" '<' 1e-15
    check_number "and of the second" "($(field priority.tsv W_Q_2 'M/G/1 (classes)') - 0.4353125 / 0.895 / 0.2825)^2" '<' 1e-15
    for row in N_G_1 W_Q_1 W_G_1 throughput_2 N_G_2 W_Q_2 W_G_2; do
        check "priority: $row is simulated" test "$(field priority.tsv $row 'M/G/1 (classes)_covers')" = yes
    done
    run queue $mixed -f tsv
    cp "$scratch/out" fifo.tsv
    check_number "first come, first served: one wait for both" \
        "$(field fifo.tsv W_Q_1 'M/G/1 (classes)')" == "$(field fifo.tsv W_Q_2 'M/G/1 (classes)')"
    check "it is simulated" test "$(field fifo.tsv W_Q_1 'M/G/1 (classes)_covers')" = yes
    check_number "priority: the first class waits less than half as long" "2 * $(field priority.tsv W_Q_1 simulated)" '<' "$(field fifo.tsv W_Q_1 simulated)"
    check_number "and the second longer" "$(field priority.tsv W_Q_2 simulated)" '>' "1.08 * $(field fifo.tsv W_Q_2 simulated)"
    run queue --lambda 0.7 --classes 0.3 --discipline priority
    report "queue --classes: no line of more than 80 columns" "$(awk 'length > 80' "$scratch/out")"
    check "queue --classes: what is told of them" grep -q '^class_2  *70% of the customers, mu 1/s, exponential$' "$scratch/out"
    run queue --lambda 0.7 --classes 0.3 --discipline priority -o classes
    report "queue --classes -o" "$(success_problem)"
    check "its verdicts" grep -q -P '^1\tN_Q\tcustomers\t.*M/G/1 \(classes\).*yes\tinside' classes/validation.tsv
    expect_refusal "queue --discipline without classes" 'expected --classes SHARE' queue --discipline priority
    expect_refusal "queue --discipline of no kind" "discipline 'lifo': expected fifo or priority" queue --discipline lifo
    expect_refusal "queue --classes 1" "classes '1': expected the part of the customers" queue --classes 1
    for rest in '--capacity 3' '--capacity 0,3' '--servers 2' '--servers 1,2' '--mu 1,2,3'; do
        expect_refusal "queue --classes $rest" 'classes: expected one stage of one server' queue --classes 0.3 $rest
    done
    expect_refusal "queue --classes --closed" 'closed describes .* no --classes' queue --classes 0.3 --closed two-boards
}

test_queue_refusals() {
    expect_refusal "queue --capacity twice" '--capacity is given twice: expected it once' queue --capacity 10 --capacity 3
    expect_refusal "queue --until-width 0" '0\.01 to 100' queue --until-width 0
    expect_refusal "queue --until-width nan" '0\.01 to 100' queue --until-width nan
    expect_refusal "queue --most-customers below --customers" 'at least the number of customers' queue --until-width 5 --most-customers 2000
    expect_refusal "queue --until-width with odd batches" 'even number' queue --until-width 5 --batches 31
    expect_refusal "queue --lambda 0" "lambda '0': expected" queue --lambda 0
    expect_refusal "queue --lambda nan" "lambda 'nan'" queue --lambda nan
    expect_refusal "queue --lambda of no number" "lambda '0\.5x'" queue --lambda 0.5x
    expect_refusal "queue --mu of an empty value" 'mu .*1e-6 to 1e6' queue --mu 1,,2
    expect_refusal "queue --mu of 65 values" '64 stages' queue --mu "$(printf '1,%.0s' {1..64})1"
    expect_refusal "queue with lists of two lengths" 'mu has 2 values, another list has 3' queue --mu 1,2 --capacity 1,2,3
    expect_refusal "queue --capacity 1.5" "capacity '1\.5'" queue --capacity 1.5
    expect_refusal "queue --capacity -1" "capacity '-1'" queue --capacity -1
    expect_refusal "queue --service of no kind" 'exponential, deterministic, erlang:K' queue --service normal
    expect_refusal "queue --service mixture" 'mixture:F:R' queue --service mixture
    expect_refusal "queue --service mixture of a bad fraction" 'F from 0 to 1' queue --service mixture:2:3
    expect_refusal "queue --service mixture of a bad ratio" 'R from 1' queue --service mixture:0.5:0.1
    expect_refusal "queue --arrivals of no kind" 'expected poisson, batch:N, mmpp:R1:R2:Q12:Q21, exponential' queue --arrivals burst
    expect_refusal "queue --arrivals batch of none" 'N from 1 to 10000' queue --arrivals batch:0
    expect_refusal "queue --overflow of no kind" 'loss or block' queue --overflow drop
    expect_refusal "queue --customers 10" '1000 to 1e9' queue --customers 10
    expect_refusal "queue --customers 1e300" '1000 to 1e9' queue --customers 1e300
    expect_refusal "queue --warm-up 1" '0 to 0\.9' queue --warm-up 1
    expect_refusal "queue --batches 5" '10 to 1000' queue --batches 5
    expect_refusal "queue --batches of too few customers" 'at least 20 customers' queue --customers 1000 --batches 900
    expect_refusal "queue --seed 0" '1 to 4294967295' queue --seed 0
    expect_refusal "queue --seed beyond 32 bits" '1 to 4294967295' queue --seed 4294967296
    expect_refusal "queue --format of no kind" 'text, tsv or json' queue --format xml
    expect_refusal "queue without a steady state" 'stage 1 has no steady state' queue --lambda 1.5
    expect_refusal "queue of rates too far apart" 'too long to tell' queue --lambda 1e-6 --mu 1e6
    expect_refusal "queue of an unknown option" 'no such option' queue --rho 0.5
    expect_refusal "queue --lambda without a value" 'needs a value' queue --lambda
    expect_refusal "queue of something" "unexpected argument '0.5'" queue 0.5
    expect_refusal "queue -o into a missing folder" 'no/such' queue -o no/such/file
    expect_refusal "queue -f -o to a directory" 'cannot be written' queue -f tsv -o .
}

# --- replay

test_replay_run1() {
    run replay dor2010-run1 --fail-over 7 --interval 0.05 --format tsv --quiet
    check_number "replay dor2010-run1 --fail-over 7 ends with status 1" "$status" == 1
    cp "$scratch/out" run1.tsv
    check_number "replay: 13 cells" "$(grep -c -E '^(lambda|rho|N_Q|P_BP)_' run1.tsv)" == 13
    check "replay: off are 2.99 seeds where ~0 was printed, and 0.037 where 0.0 was" \
        test "$(awk -F '\t' '/OFF/ { printf "%s ", $1 }' run1.tsv)" = 'N_Q_1b N_Q_1bp N_Q_1bd P_BP_2 '
    check_number "replay: lambda_1a of run 1" "$(field run1.tsv lambda_1a simulated) - 1790" '<' 1
    check "replay: as printed" test "$(field run1.tsv N_Q_1b published)" = '~0'
    check_number "replay: the printed prediction" "$(field run1.tsv N_Q_2 printed_M/M/1)" == 0.06
    check_number "replay: the model's own" "($(field run1.tsv N_Q_2 M/M/1) - 0.0563)^2" '<' 1e-6
    check_not "replay: no machine is named but the given one" grep -q '^# machine' run1.tsv
    check "replay: clocks and frames" grep -q -E '^# frames	[0-9]+$' run1.tsv
}

test_replay_run2() {
    run replay dor2010-run2 --fail-over 7 --format tsv --quiet
    cp "$scratch/out" run2.tsv
    check_number "replay dor2010-run2 --fail-over 7 ends with status 1" "$status" == 1
    check "replay: why" grep -q '^mercury: 1 of 13 cells .*P_BP_2.* against 0\.0$' "$scratch/err"
    check "replay: the one that is off" test "$(awk -F '\t' '/OFF/ { print $1 }' run2.tsv)" = P_BP_2
    check "replay: the table is whole all the same" grep -q '^P_BP_2' run2.tsv
    local model
    for model in M/M/1 'M/M/1/K (Dor)' M/D/1 M/G/1 'M^[X]/G/1' five-stage; do
        check "replay: no number of $model at a saturated 1b" test "$(field run2.tsv N_Q_1b "$model")" = NA
    done
    check_number "replay: but M/M/1/K has one, of what was offered" "($(field run2.tsv N_Q_1b M/M/1/K) - 624.8)^2" '<' 0.01
    check "replay: and the reason" grep -q '^# N_Q_1b, M/M/1, .*: outside: not determined' run2.tsv
    check "replay: what is violated where there is a number" grep -q "^# N_Q_2, M/M/1, .*: violated: arrivals' scv" run2.tsv
    check "replay: what holds" grep -q '^# N_Q_1bd, blocking: inside' run2.tsv
    check "replay: which margin would make a signal as measured" \
        grep -q '^# P_BP_2 is on in .* fewer than 5 .*fifo.stage2_margin.*; 0\.0 stands for 0 to 0\.005; with a margin of 2: .*as measured' \
        run2.tsv
    run replay dor2010-run2 --fail-over 7 --set fifo.stage2_margin=2 --quiet
    report "replay dor2010-run2 with a margin of 2" "$(success_problem)"
    check "replay --set is told" grep -q 'fifo.stage2_margin=2' "$scratch/out"
    run replay dor2010-run2 --quiet --set fifo.wmer=131 --set table.collision=trip
    check "a machine that was set takes nothing from theory" grep -q '^fluid and clocks, in windows' "$scratch/out"
    run replay dor2010-run1 --vary p_1a=0.01 --clocks 20000 --quiet --set fifo.wmer=131 --set hsp.bytes=17
    check "replay --vary: tells what was set" grep -q ' fifo.wmer=131 hsp.bytes=17 ' <(tr -s '\n ' '  ' <"$scratch/out")
    run replay timetrial-exp1 --clocks 20000 --quiet --set host.cores=3
    check "replay timetrial-exp1: tells what was set" grep -q ' host.cores=3 ' <(tr -s '\n ' '  ' <"$scratch/out")
    for what in boards=2 table.slots=2 host.queue=2 host.cores=1 sram.bytes=8e6 schedule.overlap=tables; do
        expect_refusal "a replay does not feel $what" "--set ${what%=*}: .* the same with any value" \
            replay dor2010-run1 --clocks 20000 --set $what -o felt.tsv
    done
    expect_refusal "nor --vary, nor an experiment another bus" "--set bus.count: .* the same with any value" \
        replay timetrial-exp1 --clocks 20000 --set bus.count=2 --set boards=2
    run replay dor2010-run1 --quiet --draw p_1a=0.05 --clocks 1e6
    check "replay: a margin of 0 is told as what it is" \
        grep -q '^P_BP_1b is on .*; with a margin of 0: 0, which would be as measured$' <(unwrapped "$scratch/out")
}

# TimeTrial's experiments: what it prints, what is inferred, and what follows.
test_timetrial() {
    run replay timetrial-exp1 --quiet -f tsv --plot exp1.svg
    report "timetrial-exp1" "$(success_problem)"
    cp "$scratch/out" exp1.tsv
    check_number "exp1: about half of the passes stress 1b" "($(field exp1.tsv stressed simulated) - 50)^2" '<' 25
    check "exp1: what is not simulated is a forecast" test "$(awk -F '\t' '/^stressed, / && $5 == "forecast"' exp1.tsv | wc -l)" = 4
    check_number "exp1: about 20% of the results over-run the cores" "($(field exp1.tsv overrun simulated) - 20)^2" '<' 4
    check_number "exp1: the line rate is 875 MB/s" "($(field exp1.tsv line_rate_most simulated) - 875)^2" '<' 1
    check_number "exp1: a stressed board fills the host queue" "$(field exp1.tsv full_host_queue most)" '>' 50
    check_number "exp1: as far as it has places" "$(field exp1.tsv full_host_queue most)" '<=' 100
    check_number "exp1: another one leaves it one block" "($(field exp1.tsv full_host_queue least) * 16 / 100 - 1)^2" '<' 0.01
    check "exp1: boxes are in order" awk -F '\t' '$5 == "median" { n++; bad += !($6 <= $7 && $7 <= $4 && $4 <= $8 && $8 <= $9) }
        END { exit bad || n != 11 }' exp1.tsv
    check "exp1: the picture has a box for each" test "$(grep -c '<title>.*median' exp1.svg)" = 11
    check "exp1: frames of IV.C are no passes of it" grep -q '^# 4.2 TB .* 4.19 frames a pass, 104.6 kbases' exp1.tsv
    if [ -z "$few" ]; then
        run replay timetrial-exp1 --quiet --clocks 3e4
        check_number "exp1: a row without quartiles is in the text once" "$(grep -c '^  overrun  ' "$scratch/out")" == 1
        check_number "and one with them thrice" "$(grep -c '^  busy_1a  ' "$scratch/out")" == 3
        run replay timetrial-exp1 --quiet -f tsv --set host.cores=16
        check_number "exp1: twice the cores, no over-run" "$(field "$scratch/out" overrun simulated)" '<' 0.1
        run replay timetrial-exp1 --quiet -f tsv --draw p_1a=0.03 --clocks 2e5
        check_number "exp1: fewer seeds stress fewer passes" "$(field "$scratch/out" stressed simulated)" '<' 35
    fi
    run replay timetrial-exp2 --quiet -f tsv
    cp "$scratch/out" exp2.tsv
    check_number "exp2: the passes that stress 1b are some of the 32" "$(field exp2.tsv stressed simulated) * 32 % 100" == 0
    check_number "exp2: at most 1 behind the FPGA" "$(field exp2.tsv inbox_most simulated)" '<=' 1
    check "exp2: which holds" test "$(field exp2.tsv inbox_most reading)" = holds
    check "exp2: but not with the results of exp1" test "$(field exp2.tsv 'inbox_most, as in exp. 1' reading)" = DIFFERS
    check "exp2: frames of IV.C are nearly its passes" grep -q '^# 4.2 TB .* 1.10 frames a pass' exp2.tsv
    expect_refusal "an experiment is not varied" 'timetrial-exp1: expected no .*--vary' replay timetrial-exp1 --vary trips=0,0.1
    for option in --interval=0.1 --most-clocks=1e6; do
        expect_refusal "an experiment has no ${option%=*}" 'timetrial-exp1: expected no --interval or --most-clocks' replay timetrial-exp1 "$option"
    done
    expect_refusal "nor beside another run" 'unexpected argument .dor2010-run1' replay timetrial-exp1 dor2010-run1
    expect_refusal "nor behind one that is varied" 'timetrial-exp1: expected no other run beside it' \
        replay dor2010-run1 timetrial-exp1 --vary trips=0,0.1
    mapfile -t many < <(for name in {1..252}; do printf '%s\n' --set "x$name=1"; done)
    expect_refusal "more settings than it has room for" 'expected at most 251 of them with timetrial-exp1' \
        replay timetrial-exp1 "${many[@]}"
}

test_replay_again() {
    run replay dor2010-run2 --clocks 2e5 --quiet
    cp "$scratch/out" fast
    if [ -z "$few" ]; then
        run replay dor2010-run2 --clocks 2e5 --quiet --engine events
        report "replay --engine events" "$(success_problem)"
        check_same "replay --engine events: the same bytes" fast "$scratch/out"
    fi
    run replay --clocks 2e5 dor2010-run2 --quiet --engine fast -p "$platform"
    check_same "replay -p: the same bytes" fast "$scratch/out"
    run replay dor2010-run2 --clocks 2e5 --quiet --seed 2
    check_not "replay --seed: others for another seed" cmp -s fast "$scratch/out"
    run replay dor2010-run2 --clocks 2e5 --quiet --format tsv --draw trips=0.05 --draw no_match=0.5
    cp "$scratch/out" draw.tsv
    check "replay --draw is told" grep -q 'trips=0.05 no_match=0.5' draw.tsv
    check_number "replay --draw: more trips, fewer w-mers" "$(field draw.tsv lambda_1a simulated)" '<' 1200
    if [ -z "$few" ]; then
        run replay dor2010-run2 --draw p_1a=0 --clocks 1e5 --quiet --format tsv
        report "replay of no seeds at all" "$(success_problem)"
        check_number "replay of no seeds at all: the host's rate" "($(field "$scratch/out" lambda_1a simulated) - 1790)^2" '<' 1
    fi
    run replay dor2010-run1 --most-clocks 1e6 --quiet
    check "replay --most-clocks: intervals are as they are" grep -q 'not as narrow as asked' "$scratch/out"
    run replay dor2010-run1 --clocks 1e6 --quiet --format json
    cp "$scratch/out" replay.json
    if can_flatten; then
        flatten replay.json >flat
        check "replay --format json: the run" test "$(value flat run)" = dor2010-run1
        check "replay --format json: as printed" test "$(value flat rows/0/published)" = 1790
    else
        skip "replay --format json" "neither python3 nor jq"
    fi
}

# What joins the two runs: the service rate of 1b is one line over the trips per seed, its inverse linear; its queues fill
# where the load is 1, which is at other trips for each run. 1790 M x P_1a seeds/s are offered, so 1b is saturated from
# (133 / (1790 x P_1a) - 1) / 59 trips on: 0.05379 (0.0178) and 0.01945 (0.0346).
test_replay_vary() {
    run replay dor2010-run1 dor2010-run2 --vary trips=0.0135,0..0.06+0.01,0.0283 --most-clocks 2e6 -f tsv --quiet \
        --plot vary.svg
    report "replay --vary" "$(success_problem)"
    cp "$scratch/out" vary.tsv
    check_number "replay --vary: nine values of both runs" "$(grep -c '^dor2010-run[12]	0' vary.tsv)" == 18
    check "replay --vary: sorted" diff <(grep '^dor2010-run1	' vary.tsv | cut -f 2) \
        <(grep '^dor2010-run1	' vary.tsv | cut -f 2 | sort -n)
    check "replay --vary: every service rate is that of the rules within 3%" \
        awk -F '\t' '/^dor/ && ($3 / $5 - 1) ^ 2 > 9e-4 { bad++ } END { exit bad }' vary.tsv
    local line='clocks of 1b for a seed: \([0-9.]*\) +- \([0-9.]*\), and \([0-9.]*\) +- \([0-9.]*\) x trips;.*'
    check "replay --vary: the line is 1 + 59 trips, within twice its intervals" awk \
        '{ exit !(($1 - 1) ^ 2 <= 4 * $2 ^ 2 && ($3 - 59) ^ 2 <= 4 * $4 ^ 2 && $4 < 0.6) }' <(sed -n "s/^# $line/\1 \2 \3 \4/p" vary.tsv)
    local run
    for run in 1:0.05379 2:0.01945; do
        check_number "replay --vary: from where on run ${run%:*} is saturated" \
            "($(sed -n "s/^# dor2010-run${run%:*}: .* from trips = \([0-9.]*\),.*/\1/p" vary.tsv) / ${run#*:} - 1)^2" '<' 4e-4
    done
    check_number "replay --vary: N_Q of run 2 is as measured, 580" "($(awk -F '\t' '/^dor2010-run2\t0.0283/ { print $8 }' vary.tsv) - 580)^2" '<' 100
    check_number "replay --vary: mu_1b of run 2 is as printed, 50.0" "($(awk -F '\t' '/^dor2010-run2\t0.0283/ { print $3 }' vary.tsv) - 50)^2" '<' 1
    check "replay --vary: the picture has what was published" grep -q 'run 2: 580' vary.svg
    # Between two values, too, the curve is the rule: it goes through what was printed, 50.0, within a pixel.
    run replay dor2010-run2 --vary trips=0,0.06 --most-clocks 5e5 --plot rule.svg --quiet
    check "replay --vary: the curve between two values is the rule" awk '
        NR == FNR { x = $1; y = $2; next } # the diamond
        ($1 - x) ^ 2 < 1 && ($2 - y) ^ 2 < 1 { found = 1 } END { exit !found }' \
        <(sed -n 's/.*d="M\([0-9.]*\) [0-9.]*L[0-9.]* \([0-9.]*\)L[^>]*><title>run 2: 50.0, published.*/\1 \2/p' rule.svg) \
        <(grep -o 'dash" d="[^"]*' rule.svg | tail -n 1 | sed 's/.*"//' | tr 'ML' '\n\n')
    check "replay --vary: the legend has what is drawn" test "$(grep -c ', simulated<' rule.svg)" = 1
    run replay dor2010-run1 --vary p_1a=0 --clocks 1e5 -f tsv --quiet
    check "replay --vary of no seeds" grep -q '^dor2010-run1	0	NA	NA	' "$scratch/out"
    run replay dor2010-run2 --vary trips=0.02 --clocks 1e5 -f tsv --quiet --set sram.trips_in_flight=4
    check "replay --vary: no rule if trips overlap" grep -q '^dor2010-run2	0.02	[0-9.]*	[0-9.]*	NA' "$scratch/out"
    # 0.5536 seeds of a word make 0.02 trips each, and 0.8 none: 1 + 59 x 0.00818 clocks; 111.875 M words/s x 1.3536 / 89.7
    run replay dor2010-run2 --vary trips=0.02 --clocks 1e6 -f tsv --quiet --set overdrive.seeds=0.8
    check "replay --vary: added seeds make no trips, and are offered, too" awk -F '\t' \
        '/^dor/ { exit !(($5 / 89.707 - 1) ^ 2 < 1e-8 && ($3 / $5 - 1) ^ 2 < 9e-4 && ($7 * $3 / 151.434 - 1) ^ 2 < 1e-8) }' "$scratch/out"
}

# Dor's manual overdrive: 0.27 seeds for each of 111.875 M words/s are 30.21 M seeds/s beside run 1's 31.86. They meet free
# slots, so that stage 2 sees no more; the events agree; a word has 16 seeds at most.
test_replay_overdrive() {
    local clocks=${few:+1e6}
    run replay dor2010-run1 --set overdrive.seeds=0.27 --clocks "${clocks:-5e6}" -f tsv --quiet
    check_number "overdrive of seeds: lambda_1b" "($(field "$scratch/out" lambda_1b simulated) / 62.07 - 1)^2" '<' 1e-4
    check_number "... and the same matches" "($(field "$scratch/out" lambda_2 simulated) / 28.0 - 1)^2" '<' 1e-4
    run replay dor2010-run1 --set overdrive.matches=0.1 --clocks "${clocks:-5e6}" -f tsv --quiet
    check_number "overdrive of matches: 28.0 + 11.19" "($(field "$scratch/out" lambda_2 simulated) / 39.17 - 1)^2" '<' 1e-4
    check_number "... and the same seeds" "($(field "$scratch/out" lambda_1b simulated) / 31.9 - 1)^2" '<' 1e-4
    run replay dor2010-run1 --set overdrive.seeds=16 --set fpga.clock=1e10 --clocks 1e6 -f tsv --quiet
    check_number "overdrive of all that has room: a seed per w-mer" \
        "($(field "$scratch/out" lambda_1b simulated) / $(field "$scratch/out" lambda_1a simulated) - 1)^2" '<' 1e-9
    if [ -z "$few" ]; then
        run replay dor2010-run1 --set overdrive.seeds=0.5 --set overdrive.matches=0.1 --clocks 1 --engine events --quiet
        report "overdrive: both engines agree" "$(success_problem)"
    fi
    expect_refusal "overdrive below 0" 'overdrive.seeds.*0 to 16' replay dor2010-run1 --set overdrive.seeds=-1
    expect_refusal "overdrive nan" 'overdrive.matches.*0 to 1000' replay dor2010-run1 --set overdrive.matches=nan
    expect_refusal "overdrive of another name" 'did you mean overdrive.seeds' replay dor2010-run1 --set overdrive.seds=1
}

test_replay_refusals() {
    expect_refusal "replay --vary of no fraction" 'did you mean trips' replay dor2010-run1 --vary trisp=0..1
    expect_refusal "replay --vary out of range" "'2': expected a fraction" replay dor2010-run1 --vary trips=1..2+1
    expect_refusal "replay --vary of nan" "'nan': expected a fraction" replay dor2010-run1 --vary trips=nan
    expect_refusal "replay --vary of nothing" 'a value is missing' replay dor2010-run1 --vary trips
    expect_refusal "replay --vary of a range that begins above its end" 'begins above' replay dor2010-run1 --vary trips=.2..0.1+1
    expect_refusal "replay --vary of a run twice" "unexpected argument 'dor2010-run1'" replay dor2010-run1 dor2010-run1 --vary p_2=0
    expect_refusal "replay --vary --wide" 'no --wide' replay dor2010-run1 --vary p_2=0 --wide
    expect_refusal "replay --plot alone" 'expected --vary' replay dor2010-run1 --plot a.svg
    expect_refusal "replay --plot of no picture" 'ends in .svg' replay dor2010-run1 --vary p_2=0 --plot a.gif
    expect_refusal "replay --plot into a missing folder" 'no/such' replay dor2010-run1 --vary p_2=0 --plot no/such/a.svg
    expect_refusal "replay --draw of a name nearly right" 'did you mean trips' replay dor2010-run1 --draw trisp=0.1
    expect_refusal "replay --draw of nan" 'a fraction from 0 to 1' replay dor2010-run1 --draw p_1a=nan
    expect_refusal "replay of no run" 'needs a run: dor2010-run1, dor2010-run2, timetrial-exp1 or timetrial-exp2' replay
    expect_refusal "replay of an unknown run" "no such published run 'dor2010-run3'" replay dor2010-run3
    expect_refusal "replay of two runs" "unexpected argument 'dor2010-run2'" replay dor2010-run1 dor2010-run2
    expect_refusal "replay --interval 0" '1e-4 to 0\.5' replay dor2010-run1 --interval 0
    expect_refusal "replay --clocks 0" '1 to 1e11' replay dor2010-run1 --clocks 0
    expect_refusal "replay --clocks 1e30" '1 to 1e11' replay dor2010-run1 --clocks 1e30
    expect_refusal "replay --most-clocks x" '1 to 1e11' replay dor2010-run1 --most-clocks x
    expect_refusal "replay --fail-over -1" 'per cent' replay dor2010-run1 --fail-over -1
    expect_refusal "replay --draw of no name" 'p_1a, trips' replay dor2010-run1 --draw lambda=3
    expect_refusal "replay --draw of no value" "'p_1a': expected a fraction from 0 to 1 after the =" replay dor2010-run1 --draw p_1a
    expect_refusal "replay --draw of no fraction" 'a fraction from 0 to 1' replay dor2010-run1 --draw p_1a=2
    expect_refusal "replay --engine of no kind" 'fast or events' replay dor2010-run1 --engine slow
    expect_refusal "replay --engine events without --clocks" 'needs --clocks' replay dor2010-run1 --engine events
    expect_refusal "replay --engine events for too long" 'up to 2e7' replay dor2010-run1 --engine events --clocks 1e9
    expect_refusal "replay --seed 1.5" '1 to 4294967295' replay dor2010-run1 --seed 1.5
    expect_refusal "replay --format of no kind" 'text, tsv or json' replay dor2010-run1 --format csv
    expect_refusal "replay --set of no parameter" 'did you mean fifo\.wmer' replay dor2010-run1 --set fifo.wmmer=1
    expect_refusal "replay --set out of range" 'fifo\.wmer.*16 to 1000000' replay dor2010-run1 --set fifo.wmer=1
    expect_refusal "replay --set of a bad combination" 'fifo\.sram must' replay dor2010-run1 --set fifo.sram=40
    expect_refusal "replay of trips that do not fit" 'fifo\.stage2 4: expected at least 5' \
        replay dor2010-run1 --set fifo.stage2=4 --set table.trip_positions=4 --set fifo.stage2_margin=4
    expect_refusal "replay of a bus that is too slow" 'too slow for fpga\.clock' \
        replay dor2010-run1 --set fpga.clock=1e12 --set host.supply=1e5
    expect_refusal "replay -p of no file" 'missing\.xml' replay dor2010-run1 -p missing.xml
    expect_refusal "replay -o into a missing folder" 'no/such' replay dor2010-run1 -o no/such/file
    expect_refusal "replay -j" 'no such option' replay dor2010-run1 -j 2
}

# --- streams, help

test_streams() {
    if [ -w /dev/full ]; then
        "$mercury" queue --customers 2000 >/dev/full 2>"$scratch/err"
        check_number "queue to a full disk ends with status 2" "$?" == 2
        check "queue to a full disk: one line" grep -q '^mercury: standard output' "$scratch/err"
        "$mercury" replay dor2010-run1 --clocks 1e6 --quiet >/dev/full 2>"$scratch/err"
        check_number "replay to a full disk ends with status 2" "$?" == 2
    else
        skip "a full disk" "no /dev/full"
    fi
    "$mercury" queue --customers 2000 >&- 2>"$scratch/err"
    check_number "queue without standard output ends with status 2" "$?" == 2
}

test_help() {
    local command option
    for command in queue replay; do
        run $command --help
        report "$command --help" "$(success_problem)"
        cp "$scratch/out" help
        run help $command
        check_same "help $command says the same" help "$scratch/out"
        check "$command --help has examples" grep -q '^Examples:' help
        check_not "no line of it is longer than 120 columns" grep -E '^.{121}' help
        grep -o -E -e '--[a-z][a-z-]*' help | sort -u >told
        while read -r option; do
            run $command "$option"
            check_not "$command: $option of the help exists" grep -q 'no such option' "$scratch/err"
        done <told
    done
}

test_queue_forms
test_queue_seeds
test_queue_kinds
test_queue_servers
test_queue_light
test_queue_width
test_queue_laws
test_queue_mmpp
test_queue_classes
test_queue_refusals
[ -n "$few" ] || test_replay_run1 # their cells are tests/test_replay.c's, too
[ -n "$few" ] || test_replay_run2
test_timetrial
test_replay_again
test_replay_vary
test_replay_overdrive
test_replay_refusals
test_streams
test_help
finish
