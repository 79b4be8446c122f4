#!/bin/bash
# test_sweep.sh MERCURY SOURCE_DIRECTORY - a sweep's points are runs; neither kills, nor a full disk, nor other processes,
# nor any number of jobs or ranks change the export; what makes no sense is refused and changes nothing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

prepare_mpirun

# --- input: two records, copies of them with 3% changed, and a stretch of low complexity that makes trips

make_input() {
    { echo '>q1'; dna 1 5000; echo '>q2'; dna 2 2500; dna 3 60; dna 3 60; dna 3 60; dna 3 60; } >q.fa
    { echo '>d1'; dna 10 60000; sed -n '2,60p' q.fa | mutate 4; dna 11 40000; echo '>d2'; dna 12 30000; dna 3 60; dna 3 60; } >d.fa
    { echo '>e1'; dna 20 30000; sed -n '20,50p' q.fa | mutate 5; } >e.fa
    axes=(--vary fifo.wmer=16..64*2 --vary table.slots=2^11..2^13 --vary table.family=xxh3,displaced
        --set query.segment=4000 --set bloom.bank_bits=8192)
    points=18
}

# sweep STORE ARGUMENT...: on the default machine, named.
sweep() {
    local store=$1
    shift
    run sweep -p "$platform" --store "$store" "$@"
}

grid() { # STORE ARGUMENT...
    local store=$1
    shift
    sweep "$store" -q q.fa -d d.fa "${axes[@]}" "$@"
}

export_to() { # FILE STORE
    "$mercury" sweep export --store "$2" >"$1" 2>"$scratch/err"
}

# column NAME: its number in the export's header.
column() {
    head -n 1 "$1" | tr '\t' '\n' | grep -n -x -e "$2" | cut -d : -f 1
}

# --- points

test_points() {
    grid all.db
    report "a grid is swept" "$(success_problem)"
    export_to all.tsv all.db
    check_number "the export has a line a point" "$(wc -l <all.tsv)" == $((points + 1))
    check_number "and as many fields in each" "$(awk -F '\t' '{ print NF }' all.tsv | sort -u | wc -l)" == 1
    check_not "no point lacks a number of the machine" grep -q -P '\t\t' all.tsv
    run sweep export --store all.db --columns table.family,clocks,fifo.wmer
    check_number "three columns are exported when three are asked for" "$(awk -F '\t' '{ print NF }' "$scratch/out" | sort -u)" == 3
    check "in the order they are asked for" grep -q -x -P 'table\.family\tclocks\tfifo\.wmer' "$scratch/out"
    expect_refusal "no such column" "no column is called 'cloks'" sweep export --store all.db --columns clocks,cloks
    expect_refusal "a letter too few, which another column begins with" "'hsp'; did you mean hsps" \
        sweep export --store all.db --columns hsp
    run sweep status --store all.db
    check "status tells that all are done" grep -q -P "^1\t$points\t$points\tNA\t0\t" "$scratch/out"
    local part
    for part in 3 1 4; do
        grid parts.db --points $part/4
    done
    run sweep status --store parts.db
    check "status tells what three of four jobs have done, the rate, and the time left" awk -F '\t' -v points="$points" '
        NR == 2 { left = ($2 - $3) / $4
                  good = $2 == points && $3 < points && $3 >= points * 3 / 4 - 1 && $4 > 0 && (left - $5) ^ 2 < (0.02 * left) ^ 2 }
        END { exit !(good && NR == 2) }' "$scratch/out"
    grid parts.db --points 2/4
    run sweep export --store parts.db
    check_same "four jobs of a quarter of the points each give the bytes of one" all.tsv "$scratch/out"
    for part in 0/4 5/4 4 x/2 1/0 ''; do
        expect_refusal "--points '$part'" 'expected I/N, the I-th of N parts' sweep -p "$platform" -q q.fa -d d.fa \
            "${axes[@]}" --store none.db --points "$part"
    done
    grid all.db
    check "the same sweep again computes nothing" grep -q "; $points were in the store" "$scratch/out"
}

# Sweeps that differ in strand, E-value or machine only have other points: one does not stand for the others.
test_status_of_searches() {
    local asked sweep=(-q q.fa -d e.fa --vary fifo.wmer=16,64 --vary host.cores=1,2 --store asked.db --quiet --points)
    "$mercury" sweep "${sweep[@]}" 1/4
    for asked in '-s plus' '-e 1e-9' '--machine pcie-gen2-x8' '--device xc4vlx200'; do
        # shellcheck disable=SC2086
        "$mercury" sweep "${sweep[@]}" 1/1 $asked
    done
    "$mercury" sweep "${sweep[@]}" 2/4
    run sweep status --store asked.db
    report "each has a row, and the first one is unfinished" "$(diff <(cut -f 2-3 "$scratch/out") - <<'END'
points	done
4	4
4	4
4	4
4	4
4	2
END
    )"
    check "which says what was searched for" grep -q -P '\tquery q.fa .* strand plus evalue 0.001$' "$scratch/out"
}

# A point of several passes has the median of what they have, as the run with the same numbers says.
test_medians() {
    local sets=(--set query.segment=1024) value
    run sweep -q q.fa -d d.fa "${sets[@]}" --vary fifo.wmer=130 --store medians.db
    run sweep export --store medians.db
    cp "$scratch/out" medians.tsv
    search -q q.fa -d d.fa -o run --quiet "${sets[@]}"
    flatten run/summary.json >run.flat
    check_number "there are more than two passes" "$(grep -c "^per_pass/[0-9]*/clocks" run.flat)" '>' 4
    value=$(grep -E '^per_pass/[0-9]+/stage_1b/sram_reads_utilisation' run.flat | cut -f 2 | sort -g |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }')
    check_number "the median of the use of the SRAM" \
        "(${value:-none} / $(tail -n 1 medians.tsv | cut -f "$(column medians.tsv utilisation_sram_median)") - 1)^2" '<' 1e-9
    value=$(grep -E '^per_pass/[0-9]+/stage_1b/(wmer|sram)_fifo/mean' run.flat | awk -F '[/\t]' '{ n[$2] += $NF } END { for (i in n) print n[i] }' |
        sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }')
    check_number "the median of the queues of 1b" \
        "(${value:-none} / $(tail -n 1 medians.tsv | cut -f "$(column medians.tsv n_q_1b_median)") - 1)^2" '<' 1e-9
}

# equal_to_runs EXPORT LINE...: these points as full runs of their own, measure by measure; leaves `problem`.
equal_to_runs() {
    local export=$1 line factor
    shift
    problem=''
    for line in "$@"; do
        local sets=() name value path number=0 names values
        mapfile -t names < <(head -n 1 "$export" | tr '\t' '\n')
        mapfile -t values < <(sed -n "${line}p" "$export" | tr '\t' '\n')
        for ((number = 7; number < ${#names[@]}; number++)); do
            name=${names[number]}
            [ "$name" != throughput_mwmers_per_s ] || break
            sets+=(--set "$name=${values[number]}")
        done
        search -q q.fa -d d.fa -o run --quiet "${sets[@]}"
        flatten run/summary.json >run.flat
        while read -r name path factor; do
            value=$(value run.flat "$path") || { problem+="the run has no $path"$'\n'; continue; }
            number=$(column "$export" "$name")
            awk "BEGIN { a = ${values[number - 1]}; b = ${factor:-1} * $value; exit !(a == b || (a - b < 1e-11 * b && b - a < 1e-11 * b)) }" ||
                problem+="line $line: $name is ${values[number - 1]}, the run's is $value"$'\n'
        done <<'END'
simulated_time_s simulated_time_s
clocks clocks
build_wait_s stage_3/build_wait_s
table_load_s pcix/table_load_s
stream_time_s measured_time_s
drain_s stage_3/drain_s
seeds stage_1a/seeds_out
matches stage_1b/matches_out
hsps stage_2/hsps_out
trips_per_seed stage_1b/trips_per_seed
sram_reads_per_seed stage_1b/sram_reads_per_seed
utilisation_bus pcix/utilisation
utilisation_3 stage_3/utilisation
ingress_fifo_mean stage_1a/ingress_fifo/mean
wmer_fifo_max stage_1b/wmer_fifo/max
wmer_fifo_back_pressure stage_1b/wmer_fifo/back_pressure_fraction
sram_fifo_mean stage_1b/sram_fifo/mean
stage2_fifo_mean stage_2/stage2_fifo/mean
egress_fifo_mean pcix/egress_fifo/mean
host_queue_mean pcix/host_queue/mean
host_queue_max pcix/host_queue/max
host_queue_back_pressure pcix/host_queue/back_pressure_fraction
inbox_mean stage_3/inbox/mean
inbox_max stage_3/inbox/max
host_queue_wait_ns pcix/host_queue/mean_wait_s 1e9
inbox_wait_ns stage_3/inbox/mean_wait_s 1e9
END
        for name in mm1k_N_Q_2 mm1k_dor_N_Q_2; do
            number=$(column "$export" $name)
            value=$(awk -F '\t' -v at=$((5 + (${#name} > 10))) '$1 == "N_Q_2" { print $at }' run/validation.tsv)
            awk "BEGIN { a = ${values[number - 1]}; b = $value; exit !(a - b < 1e-8 * b && b - a < 1e-8 * b) }" ||
                problem+="line $line: $name is ${values[number - 1]}, beside the run $value"$'\n'
        done
    done
    rm -rf run
}

test_equal_to_runs() {
    can_flatten || { skip "points are full runs" "no python3 and no jq"; return; }
    local problem
    equal_to_runs all.tsv 2 7 12 19
    report "points are full runs, and theory says the same of both" "$problem"
}

# A field of one of two lines of an export: of the machine whose passes wait for stage 3, or of the other.
of_schedule() { # NAME SCHEDULE
    awk -F '\t' -v s="$(column schedules.tsv schedule.overlap)" -v c="$(column schedules.tsv "$1")" -v schedule="$2" \
        '$s == schedule { print $c }' schedules.tsv
}

# Two slow cores, so that stage 3 of a pass still works when the next pass could begin.
test_schedules() {
    local name problem
    sweep schedules.db -q q.fa -d d.fa --vary schedule.overlap=serial,drain,tables --set query.segment=4000 --set host.cores=2 \
        --set host.clock=20e6 --set stage3.batch=4
    export_to schedules.tsv schedules.db
    check_number "stage 3 is waited for between passes" "$(of_schedule drain_s serial)" '>' "$(of_schedule stream_time_s serial)"
    check_number "less if passes overlap" "$(of_schedule drain_s drain)" '<' "$(of_schedule drain_s serial)"
    check_number "and the run is shorter by as much (1e-9)" "($(of_schedule simulated_time_s serial) - \
        $(of_schedule simulated_time_s drain) - ($(of_schedule drain_s serial) - $(of_schedule drain_s drain)) - \
        ($(of_schedule build_wait_s serial) - $(of_schedule build_wait_s drain)))^2" '<' 1e-18
    for name in clocks stream_time_s table_load_s hsps ingress_fifo_mean egress_fifo_max host_queue_mean; do
        check_number "the board does not know of it: $name" "$(of_schedule "$name" serial)" == "$(of_schedule "$name" drain)"
    done
    check_number "more HSPs wait at a time" "$(of_schedule inbox_max drain)" '>=' "$(of_schedule inbox_max serial)"
    check_number "tables that are loaded meanwhile are hardly waited for" "$(of_schedule table_load_s tables)" '<' \
        "$(of_schedule table_load_s drain)"
    can_flatten || { skip "all schedules are full runs" "no python3 and no jq"; return; }
    equal_to_runs schedules.tsv 2 3 4
    report "all schedules are full runs" "$problem"
}

test_jobs() {
    grid jobs.db -j 3
    export_to jobs.tsv jobs.db
    check_same "three jobs give the same export" all.tsv jobs.tsv
}

test_searches() {
    sweep several.db -q q.fa -d d.fa -d e.fa --vary stage2.threshold=14,18 --vary fifo.wmer=32,64 --set query.segment=4000
    report "several databases and searches are swept" "$(success_problem)"
    check "each of them is a search of its own" grep -q '4 searches' "$scratch/out"
    export_to several.tsv several.db
    check_number "every combination is there" "$(wc -l <several.tsv)" == 9
}

# Stage 2's threshold is that of a run with the point's scores: 13 at +1/-3, 28 at +2/-3; but where it is named.
test_scores() {
    sweep scores.db -q q.fa -d d.fa --vary score.match=1,2 --set query.segment=4000
    run sweep export --store scores.db --columns score.match,stage2.threshold
    check_number "a point's scores convert its threshold" "$(awk '$1 == 1 { a = $2 } $1 == 2 { b = $2 } END { print 100 * a + b }' "$scratch/out")" == 1328
    sweep named.db -q q.fa -d d.fa --vary score.match=1,2 --set stage2.threshold=20 --set query.segment=4000
    run sweep export --store named.db --columns score.match,stage2.threshold
    check_number "unless --set names it" "$(awk '$2 == 20' "$scratch/out" | wc -l)" == 2
    sweep axis.db -q q.fa -d d.fa --vary score.match=1,2 --vary stage2.threshold=20 --set query.segment=4000
    run sweep export --store axis.db --columns score.match,stage2.threshold
    check_number "or an axis" "$(awk '$2 == 20' "$scratch/out" | wc -l)" == 2
}

# Added seeds are timing: tokens are made once. Each pass begins to count anew, so that a seed may be missing.
test_overdrive() {
    sweep over.db -q q.fa -d d.fa --vary overdrive.seeds=0,0.25 --set query.segment=4000
    check "overdriven points are of one search" grep -q '(1 search)' "$scratch/out"
    run sweep export --store over.db --columns overdrive.seeds,seeds,wmers,passes,hsps
    report "they have a seed more in every fourth word, and the same HSPs" "$(
        awk '$1 == 0 { seeds = $2; found = $5; n++ }
             $1 == 0.25 { more = $2 - seeds - $3 / 64; if (more > 0 || more < -$4 || $5 != found) print $0; n++ }
             END { if (n != 2) print n + 0 " points" }' "$scratch/out")"
}

test_samples() {
    sweep sample.db -q q.fa -d e.fa --vary fifo.wmer=16..215 --vary fifo.sram=60,61,62,63,64 --samples 10
    export_to sample.tsv sample.db
    check_number "a sample has its size" "$(wc -l <sample.tsv)" == 11
    local at
    at=$(column sample.tsv fifo.wmer)
    check_number "each tenth of the range is sampled once" \
        "$(tail -n +2 sample.tsv | awk -F '\t' -v c="$at" '{ print int(($c - 16) / 20) }' | sort -u | wc -l)" == 10
    at=$(column sample.tsv fifo.sram)
    check_number "each value of a short list twice" \
        "$(tail -n +2 sample.tsv | cut -f "$at" | sort | uniq -c | awk '$1 == 2' | wc -l)" == 5
    sweep sample2.db -q q.fa -d e.fa --vary fifo.wmer=16..215 --vary fifo.sram=60,61,62,63,64 --samples 10 --seed 2
    export_to sample2.tsv sample2.db
    check_not "another seed samples others" cmp -s sample.tsv sample2.tsv
}

test_scenario() {
    {
        echo '# points as on the command line'
        printf 'query q.fa\n\n database\td.fa \nset query.segment=4000 # small\nset bloom.bank_bits=8192\n'
        printf 'vary fifo.wmer=16..64*2\nvary table.slots=2^11..2^13\nvary table.family=xxh3,displaced'
    } >scenario
    run sweep scenario -p "$platform" --store scenario.db
    export_to scenario.tsv scenario.db
    check_same "a scenario gives the same export" all.tsv scenario.tsv
    sed 's/^vary fifo.wmer=.*/vary fifo.wmer=1/' scenario >low
    expect_refusal "a scenario's bad value" "vary: fifo\.wmer = '1'" sweep low --store no.db
    expect_refusal "a scenario's axis that --set fixes" '--vary fifo.wmer: --set gives the same name' \
        sweep scenario --set fifo.wmer=20 --store no.db
    printf '\nvary fifo.wmer=1\n' >>scenario
    expect_refusal "a scenario's axis twice" "scenario:10: --vary fifo\.wmer is given twice" sweep scenario --store no.db
    printf 'query q.fa\nfoo bar\n' >bad
    expect_refusal "a scenario's unknown option" 'bad:2: .foo. is no option' sweep bad --store no.db
    printf 'query q.fa\nsamples many\n' >bad
    expect_refusal "a scenario's bad option" "bad:2: --samples 'many'" sweep bad --store no.db
    : >bad
    expect_refusal "an empty scenario" 'bad: not a scenario' sweep bad --store no.db
    expect_refusal "a scenario that is misspelt" 'did you mean timetrial-collisions' sweep timetrial-colisions --store no.db
    expect_refusal "no scenario" 'nosuch: no such scenario' sweep nosuch --store no.db
    rm bad
}

# On a terminal, which `script` makes, the line of progress is gone when the answer comes. It shows itself after a second.
test_terminal() {
    have script || { skip "progress on a terminal" "no script"; return; }
    script -qec "$mercury sweep -p $platform --store terminal.db -q q.fa -d d.fa --vary fifo.wmer=16..215 \
        --set query.segment=4000 -j 1" typescript >"$scratch/out" 2>&1 </dev/null
    tr '\r' '\n' <typescript >lines
    check "a terminal is told how many points are done" grep -q 'of 200 points, .* s left' lines
    check "and that line is removed" awk '/^\033\[K/ { last = $0 } END { exit last == "" || last ~ / s left/ }' lines
}

# --- killed, full, shared

# A moment from 5 to about 400 ms, another in every turn.
moment() {
    awk -v n="$1" 'BEGIN { printf "%.3f", 0.005 + 0.02 * n * (n * 7 % 11) / 11 }'
}

test_kills() {
    local i killed=0 turns=20
    [ -z "$few" ] || turns=8
    for i in $(seq "$turns"); do
        "$mercury" sweep -p "$platform" --store killed.db -q q.fa -d d.fa "${axes[@]}" -j 2 --quiet \
            >/dev/null 2>>"$scratch/said" </dev/null &
        sleep "$(moment "$i")"
        kill -KILL "$!" 2>/dev/null && killed=$((killed + 1))
        wait "$!" 2>/dev/null
    done
    check_number "sweeps were killed ($killed of $turns)" "$killed" '>' 3
    grid killed.db
    report "a store whose sweeps were killed goes on" "$(success_problem)"
    export_to killed.tsv killed.db
    check_same "after kills the export is the same" all.tsv killed.tsv
    await says_nothing processes_here
    report "no process is left" "$(processes_here)"
}

# The file may not grow beyond so many blocks of 1 KiB: an error of writing in the middle of a transaction.
test_full_disk() {
    local sizes=(44 46 47 56) blocks problem='' refused=0
    [ -z "$few" ] || sizes=(44 47)
    for blocks in "${sizes[@]}"; do
        (
            ulimit -f "$blocks"
            exec "$mercury" sweep -p "$platform" --store full.db -q q.fa -d d.fa "${axes[@]}" -j 2 --quiet
        ) >"$scratch/out" 2>"$scratch/err" </dev/null
        status=$?
        forget_sanitizer
        [ "$status" -ne 2 ] || refused=$((refused + 1))
        [ "$status" -eq 2 ] || [ "$status" -eq 0 ] || problem+="exit status $status with $blocks KiB"$'\n'
        [ "$status" -eq 0 ] || [ "$(wc -l <"$scratch/err")" -eq 1 ] || problem+="not one line: $(cat "$scratch/err")"$'\n'
        [ "$status" -eq 0 ] || grep -q 'full\.db: cannot be written' "$scratch/err" || problem+=$(cat "$scratch/err")
    done
    report "a full disk is told of in one line" "$problem"
    check_number "the disk was full" "$refused" '>' 1
    grid full.db
    export_to full.tsv full.db
    check_same "after a full disk the export is the same" all.tsv full.tsv
}

test_two_processes() {
    local first second
    "$mercury" sweep -p "$platform" --store two.db -q q.fa -d d.fa "${axes[@]}" </dev/null >two.1 2>&1 &
    first=$!
    "$mercury" sweep -p "$platform" --store two.db -q q.fa -d d.fa "${axes[@]}" </dev/null >two.2 2>&1 &
    second=$!
    wait "$first"
    check_number "of two processes with one store the first ends well" "$?" == 0
    wait "$second"
    check_number "and so does the second" "$?" == 0
    export_to two.tsv two.db
    check_same "together they give the same export" all.tsv two.tsv
    # They begin with other points, so that the later one comes to some that the other has stored.
    check "what one has done the other does not do again" grep -q '; [1-9][0-9]* were in the store' two.1 two.2
}

# --- ranks

# Under mpirun; without leaks of MPI's own being taken for Mercury's.
under_mpirun() { # RANKS ARGUMENT...
    local ranks=$1
    shift
    ASAN_OPTIONS=detect_leaks=0 timeout 300 mpirun -n "$ranks" "$mercury" sweep -p "$platform" "$@" \
        >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
}

test_ranks() {
    local ranks
    for ranks in 2 3; do
        under_mpirun "$ranks" --store "ranks$ranks.db" -q q.fa -d d.fa "${axes[@]}"
        report "mpirun -n $ranks sweeps" "$(success_problem)"
        export_to "ranks$ranks.tsv" "ranks$ranks.db"
        check_same "mpirun -n $ranks gives the export of one process" all.tsv "ranks$ranks.tsv"
    done
    under_mpirun 2 --store none.db -q q.fa -d d.fa --vary fifo.wmer=2
    check_number "a refusal under mpirun ends all ranks" "$status" == 2
    check_number "and is said once" "$(grep -c '^mercury: ' "$scratch/err")" == 1
}

# Kills rank 1 when some points are done, with and without mpirun's going on.
points_done() { # STORE
    "$mercury" sweep status --store "$1" 2>/dev/null | awk -F '\t' 'NR == 2 { n = $3 } END { print n + 0 }'
}

test_dying_rank() { # DESCRIPTION MPIRUN_OPTION...
    local description=$1 store=dying$#.db i
    shift
    ASAN_OPTIONS=detect_leaks=0 timeout 300 mpirun "$@" -n 3 bash -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$@"' \
        bash "$mercury" sweep -p "$platform" --store "$store" -q q.fa -d d.fa "${axes[@]}" >dying.out 2>&1 </dev/null &
    for i in $(seq 1000); do # before its first points a store says nothing of them
        sleep 0.02
        [ "$(points_done "$store")" -lt 2 ] || break
    done
    kill -KILL "$(cat pid.1)" 2>/dev/null
    wait "$!" 2>/dev/null
    local done_before
    done_before=$(points_done "$store")
    check_number "$description: finished points are kept ($done_before)" "$done_before" '>=' 2
    grid "$store"
    check "$description: they are not repeated" grep -q "; $done_before w[a-z]* in the store" "$scratch/out"
    export_to dying.tsv "$store"
    check_same "$description: the export is the same" all.tsv dying.tsv
    rm -f pid.? dying.out dying.tsv
}

test_mpi() {
    if ! have mpirun; then
        skip "ranks" "no mpirun"
    elif ! has_mpi; then
        under_mpirun 2 --store none.db -q q.fa -d d.fa --vary fifo.wmer=32
        check "without MPI, mpirun is refused" grep -q 'built without MPI' "$scratch/err"
    else
        test_ranks
        test_dying_rank "a rank is killed"
        [ -n "$few" ] || test_dying_rank "a rank is killed, the others go on" --enable-recovery
    fi
}

# --- formulas, over three decades of sizes (blast's own tests look at the structures one by one)

# within FILE MEASURED FORMULA ERRORS: every row's measure is within its sampling error of the formula; ERRORS is an awk
# expression of f (the formula's value), n (distinct w-mers of a segment) and p (passes) for five standard deviations.
within() {
    local a b n k
    a=$(column "$1" "$2") b=$(column "$1" "$3") n=$(column "$1" distinct_wmers) k=$(column "$1" passes)
    tail -n +2 "$1" | awk -F '\t' -v a="$a" -v b="$b" -v n_at="$n" -v p_at="$k" '{
        f = $b; n = $n_at; p = $p_at; error = '"$4"'
        if ($a - f > error || f - $a > error) { print "measured " $a ", formula " f ", allowed +-" error; bad = 1 }
    } END { exit bad }'
}

test_formulas() {
    { echo '>random'; dna 77 400000; } >random.fa
    { echo '>probe'; dna 78 6000; } >probe.fa
    sweep bloom.db -q probe.fa -d random.fa --vary bloom.bank_bits=2^11..2^21 --vary bloom.hashes=1,2 --set hash.seed=5 -j 2
    export_to bloom.tsv bloom.db
    # 400,000 draws of a w-mer a pass, and of the filter itself: a bank of m bits, n of them hashed to, has n/m of its bits
    # set within sqrt(n)/m; f is at most twice as far off as that share of itself.
    check "Bloom false positives are those of the formula, m over 3 decades" within bloom.tsv bloom_false_positive_rate \
        bloom_false_positive_formula '5 * sqrt(f * (1 - f) / (400000 * p) + f * f * 4 / (n * p)) + 1e-9'
    check_not "a wrong formula is noticed" within bloom.tsv bloom_false_positive_rate bloom_false_positive_formula \
        '0.001 * f'
    sweep slots.db -q probe.fa -d random.fa --vary table.slots=2^9..2^19 --set table.family=xxh3 -j 2
    export_to slots.tsv slots.db
    # Keys that collide come in pairs: n f of them, within sqrt(2 n f).
    check "colliding w-mers are those of the formula, slots over 3 decades" within slots.tsv table_colliding_wmers \
        table_colliding_wmers_formula '5 * sqrt(2 * f / (n * p)) + 1e-9'
}

# --- advice and pictures

# What is said, the platform that is written, and a run on it.
advise_on_a_device() {
    local said simulated
    run advise -p "$platform" -q q.fa -d d.fa --vary bloom.bank_bits=2^10..2^18*4 --set query.segment=4000 --device xc2v6000 \
        --write-platform best.xml -f tsv -j 2 --quiet
    report "advice for an FPGA, as a table" "$(success_problem)"
    cp "$scratch/out" advice.tsv
    of_column() { awk -F '\t' -v name="$1" '/^part\t/ { for (i = 1; i <= NF; i++) if ($i == name) at = i } \
        !/^#/ && '"$2"' { print $at }' advice.tsv; }
    check_number "candidates that do not fit are told" "$(of_column fits '$3 == "does not fit"' | sort -u)" == 0
    check_number "what is chosen fits" "$(of_column fits '$3 == "chosen"')" == 1
    check_number "and so does what is advised" "$(of_column fits '$1 == "machine"')" == 1
    check_number "as many blocks as the FPGA has" "$(of_column ramb18 '$1 == "machine"')" '<=' 144
    said=$(of_column simulated_time_s '$1 == "machine"')
    run run -p best.xml -q q.fa -d d.fa -o best --quiet
    report "a run takes the platform" "$(success_problem)"
    simulated=$(sed -n 's/^ *"simulated_time_s": \([0-9.e-]*\),*$/\1/p' best/run.json)
    check "its simulated time is what was said" \
        test "$(printf '%.10g' "$said")" = "$(printf '%.10g' "$simulated")"
    run run -p best.xml --dump-config
    check_number "the platform has the depths that were found" "$(awk '$1 == "fifo.wmer" { print $2 }' "$scratch/out")" == \
        "$(of_column depth '$2 == "fifo.wmer"')"
    check_number "and the advised filter" "$(awk '$1 == "bloom.bank_bits" { print $2 }' "$scratch/out")" == \
        "$(of_column bloom.bank_bits '$1 == "machine"')"
    check "and the FPGA" grep -q -P '^fpga.device\txc2v6000\t' "$scratch/out"
    expect_refusal "a platform over the query" 'this would overwrite the query' advise -q q.fa -d d.fa --write-platform ./q.fa
    expect_refusal "no candidate fits" 'no candidate fits: xc2v6000 has 144 block RAMs of 18 Kb, [0-9]* are needed at least' \
        advise -p "$platform" -q q.fa -d d.fa --vary table.slots=2^10..2^11 --device xc2v6000 --write-platform none.xml
    check_not "then no platform is written" test -e none.xml
    run sweep -p "$platform" -q q.fa -d d.fa --vary table.slots=2^10..2^11 --device xc2v6000 --store none.db
    check "a sweep of which nothing fits says so" grep -q '^0 of 2 machines fit; .*: xc2v6000 has 144 block' "$scratch/out"
    expect_refusal "and has no page" 'nothing to draw: 0 of 2 machines fit' sweep report --store none.db -o none.html
    expect_refusal "an unknown FPGA" 'xc2v6001.*expected none, xc2v6000' advise -q q.fa -d d.fa --device xc2v6001
}

test_advice() {
    candidates=(--vary table.slots=2^10..2^14*4 --vary 'bloom.bank_bits=2^13,2^15' --set query.segment=4000)
    run advise -p "$platform" -q q.fa -d d.fa "${candidates[@]}" --store advice.db -j 2
    report "advice is given" "$(success_problem)"
    cp "$scratch/out" advice.1
    run advise -p "$platform" -q q.fa -d d.fa "${candidates[@]}" -j 1
    cp "$scratch/out" advice.2
    check_same "and is the same with one job" advice.1 advice.2
    check "it says when the bus is full" grep -q -E '^  bus: (full with (one such board|[0-9.]+ such boards)|the database alone)' advice.1
    check "it names a stage to improve" grep -q -E 'improve next: |no single one' advice.1
    # The machine that is advised, as a sweep of its own with the depths that are reported.
    local sets said
    sets=$(sed '/^$/q; s/^Build//; s/ *\([^ ]*=[^ ]*\)/ --set \1/g' advice.1)
    said=$(awk '/^Machine/ { getline; getline; print $2; exit }' advice.1)
    # shellcheck disable=SC2086
    sweep proof.db -q q.fa -d d.fa --set query.segment=4000 $sets
    run sweep export --store proof.db --columns simulated_time_s
    check_number "a run with these depths takes the time it is said to take" \
        "(1e3 * $(tail -n 1 "$scratch/out") / $said - 1)^2" "<" "1e-10"
    advise_on_a_device
    expect_refusal "advice within too little memory" \
        'no candidate is within all limits: they take 1048576 bits of block RAM and [0-9]* bits of SRAM at least, .*; raise' \
        advise -p "$platform" -q q.fa -d d.fa --vary table.slots=2^10..2^11 --sram 20000
    expect_refusal "blocks of RAM in place of bits" "'240': expected a number of bits from 16384" \
        advise -q q.fa -d d.fa --block-ram 240
    expect_refusal "advice on two databases" 'one query and one database' advise -q q.fa -d d.fa -d e.fa
}

# The number of points of a kind in a picture's table.
of_kind() { # FILE KIND
    cut -f 1 "$1" | grep -c -x "$2"
}

test_pictures() {
    mkdir pictures
    printf 'kind\ttable.slots\tplace\nmachine\t1\tfront\n' >pictures/chips.tsv
    echo older >pictures/chips.svg
    run sweep plot --store all.db -o pictures
    report "pictures are drawn" "$(success_problem)"
    check_not "a front of an older call, which this store has not, is gone" test -e pictures/chips.svg -o -e pictures/chips.tsv
    echo mine >pictures/chips.tsv
    "$mercury" sweep plot --store all.db -o pictures
    check "another file of that name stays" grep -q mine pictures/chips.tsv
    rm pictures/chips.tsv
    check "those that fit what varies" test "$(cd pictures && echo *.svg)" = "energy.svg fifo.wmer.svg pareto.svg tables.svg"
    local name problem=''
    for name in pareto tables fifo.wmer; do
        have xmllint && { xmllint --noout "pictures/$name.svg" || problem+="$name.svg is no XML"$'\n'; }
        grep -q 'q\.fa × d\.fa' "pictures/$name.svg" || problem+="$name.svg does not name its inputs"$'\n'
        grep -q -w -E 'nan|inf' "pictures/$name.svg" && problem+="$name.svg has a number that is none"$'\n'
        [ "$(of_kind "pictures/$name.tsv" machine)" == "$points" ] || problem+="$name.tsv lacks points"$'\n'
    done
    report "whole, with the inputs in their titles and the points beside them" "$problem"
    # 18 points: 3 depths, 3 sizes, 2 families. A line of a depth has 3 points.
    check_number "six lines over the depths, each of three machines" \
        "$(grep -c 'class="s[0-9]* w2" d="M[^M]*L[^ML]* [^ML]*L[^ML]*"' pictures/fifo.wmer.svg)" == 12
    run sweep plot --store all.db -o asked --x table.slots --y clocks --by fifo.wmer \
        --mark fifo.wmer=32,table.slots=4096:here
    report "one picture is drawn as asked for" "$(success_problem)"
    check "and no other" test "$(cd asked && echo *)" = "clocks-over-table.slots.svg clocks-over-table.slots.tsv"
    check "its lines are told apart by --by" grep -q 'fifo.wmer = 16' asked/clocks-over-table.slots.svg
    check "its panels by what else varies" grep -q '>table.family = xxh3<' asked/clocks-over-table.slots.svg
    check "the point is marked" grep -q '>here: ' asked/clocks-over-table.slots.svg
    run sweep plot --store all.db -o map --x table.slots --y fifo.wmer --by trips_per_seed
    check_number "two varied numbers: a map with a cell for each machine" \
        "$(grep -c '<rect.* class="h[0-9]*"><title>' map/fifo.wmer-over-table.slots.svg)" == "$points"
    sweep one.db -q q.fa -d e.fa
    expect_refusal "pictures on standard output" '-: expected the name of a directory' sweep plot --store all.db -o -
    expect_refusal "nothing to draw" 'nothing to draw' sweep plot --store one.db -o nothing
    check_not "and no directory for it" test -e nothing
}

test_formats() {
    have rsvg-convert || { skip "pictures as PNG and PDF" "no rsvg-convert"; return; }
    run sweep plot --store all.db -o formats --x table.slots --format png,pdf
    report "pictures as PNG and PDF" "$(success_problem)"
    local picture=formats/simulated_time_s-over-table.slots
    check "a PNG" grep -q -a -m 1 '^.PNG' $picture.png
    check "a PDF" grep -q -a -m 1 '^%PDF' $picture.pdf
    check_not "no SVG that nobody asked for" test -e $picture.svg
    mkdir empty
    before=$(listing)
    PATH=$PWD/empty "$mercury" sweep plot --store all.db -o formats --format png >"$scratch/out" 2>"$scratch/err"
    check_number "without rsvg-convert PNG is refused" "$?" == 2
    check "and the package is named" grep -q 'librsvg2-bin' "$scratch/err"
}

# The front and the knee of advise's text, of its store's picture, and of a sweep's answer over the same candidates.
test_one_front() {
    mkdir partly
    echo older | tee partly/tables.svg >partly/tables.tsv
    (
        ulimit -f 4 # KiB: enough for the points of a picture, not for the picture
        exec "$mercury" sweep plot --store all.db -o partly >"$scratch/out" 2>"$scratch/err"
    )
    check_number "pictures on a full disk end with status 2" "$?" == 2
    check "and with one line" grep -q -x 'mercury: partly/.*: cannot be written: File too large; raise the limit (ulimit -f)' "$scratch/err"
    report "and all of them are the older ones" "$(cat partly/* | grep -v -x older; ls partly | grep -v '^tables\.')"
    cp all.db all.html
    expect_refusal "a page over its store" 'this would overwrite the store' sweep report --store all.html -o ./all.html
    run sweep plot --store advice.db -o advised
    report "the points of advise are drawn" "$(success_problem)"
    awk '/^Tables/ { getline; while (getline && NF == 8 && !/:/) print $2 }' advice.1 | sort >said
    local picture problem=''
    for picture in pareto chips energy; do
        awk -F '\t' '$NF == "front" || $NF == "knee" { printf "%.6g\n", 1e3 * $(NF - 1) }' advised/$picture.tsv | sort >drawn
        cmp -s said drawn || problem+="$picture: $(diff said drawn)"$'\n'
    done
    report "the front of every picture is that of advise" "$problem"
    check_number "there are points on it" "$(wc -l <said)" '>' 0
    check_number "and so is the knee" "$(awk -F '\t' '$NF == "knee" { print $2, $3 }' advised/pareto.tsv)" == \
        "$(awk '$1 == "chosen" { print $8, $7; exit }' advice.1)"
    check_number "what advise tried is no machine, the one as given is" "$(of_kind advised/pareto.tsv machine)" == 7
    check_number "unbounded FIFOs are tagged" "$(of_kind advised/pareto.tsv unbounded)" '>' 0
    check_number "a free stage is tagged" "$(of_kind advised/pareto.tsv free)" '>=' 4
    check "the legend says so" grep -q 'no machine: a part made free' advised/pareto.svg
    check_not "no probe is on the front" awk -F '\t' '
        $1 != "machine" && NR > 1 && $NF != "-" { found = 1 } END { exit !found }' advised/pareto.tsv
    sweep answer.db -q q.fa -d d.fa "${candidates[@]}"
    cp "$scratch/out" answer.txt
    check_number "the answer of a sweep has the same knee" \
        "$(awk '/^  .*table.slots=/ { n++; sub(/.*table.slots=/, ""); slots[n] = $1; last = n }
            /^Knee.*the [1-5]/ { sub(/.*the /, ""); last = $0 + 0; exit } /^Bottleneck/ { exit }
            END { print slots[last] }' answer.txt)" == \
        "$(awk '$1 == "chosen" { print $7; exit }' advice.1)"
    check_number "the best five" \
        "$(awk '/^Best/ { getline; while (getline && /^  /) n += /=/; print n; exit }' answer.txt)" == 5
    local best setting settings=()
    best=$(awk '/^Best/ { getline; getline; print $1; getline; print; exit }' answer.txt)
    for setting in ${best#*$'\n'}; do
        settings+=(--set "$setting")
    done
    search -q q.fa -d d.fa --quiet --set query.segment=4000 "${settings[@]}" -o best
    check_number "what is said of the best machine makes it, by --set" \
        "$(awk -F ': ' '/"simulated_time_s"/ { printf "%.5g", 1e3 * $2; exit }' best/summary.json)" == "${best%%$'\n'*}"
    check "where the bottleneck changes" grep -q -A 1 '^Bottleneck' answer.txt
    run sweep -p "$platform" -q q.fa -d d.fa --vary stage3.cycles_per_cell=1e5 --set host.cores=1 --store slow.db
    check "of busy cores the stream has no bottleneck" test "$("$mercury" sweep export --store slow.db \
        --columns utilisation_3,bottleneck,next_bottleneck | awk 'NR > 1 && $1 > 0.5 && $2 != 3 && $3 != 3')"
    check_number "at most 20 lines" "$(wc -l <answer.txt)" '<=' 20
    check_number "of 80 columns" "$(awk '{ if (length > most) most = length } END { print most }' answer.txt)" '<=' 80
    sweep answer.db -q q.fa -d d.fa "${candidates[@]}" --quiet
    check_number "--quiet says nothing" "$(wc -c <"$scratch/out")" == 0
}

test_page() {
    run sweep report --store advice.db -o page.html
    report "a page is written" "$(success_problem)"
    run sweep report --store advice.db -o -
    check_same "the same twice" page.html "$scratch/out"
    have xmllint && check "it is XML" xmllint --noout page.html
    check_not "it needs nothing else" grep -q -i -E 'https?:|<script|<link|<img|<iframe|@import|url\(' page.html
    local part
    for part in best pareto tables points setup; do
        check "it has the part $part" grep -q "<section id=\"$part\">" page.html
    done
    check "it has the knee" grep -q '<h3>The knee</h3>' page.html
    check "the bottleneck follows the time, where no page is too narrow for it" \
        grep -q 'simulated time \[[µm]*s\]</th><th class="n">bottleneck</th>' page.html
    # after the paragraph and the heading, a row for each point
    check_number "what is no machine says so in the table, no machine does" \
        "$(sed -n '/<section id="points">/,/<\/section>/{/^<tr>/p}' page.html | grep -c -v '<td>\(no machine\|FIFO depths\)')" == \
        "$(grep -o 'of which [0-9]* are machines' page.html | tr -dc 0-9)"
    expect_refusal "a page without a file" 'report needs a file' sweep report --store advice.db
    expect_refusal "mercury report of a store" 'mercury sweep report' report advice.db
}

test_bad_pictures() {
    expect_refusal "no such number" "no column is called 'table.slts'; did you mean table.slots" \
        sweep plot --store all.db -o no --x table.slts
    expect_refusal "no such column" "no column is called 'throughput_mwmers'; did you mean throughput_mwmers_per_s" \
        sweep plot --store all.db -o no --x table.slots --y throughput_mwmers
    expect_refusal "a column without its unit" "did you mean simulated_time_s" \
        sweep plot --store all.db -o no --y simulated_time
    expect_refusal "a number that does not vary" \
        'fifo.sram does not vary.*there are fifo.wmer, table.slots, table.family' \
        sweep plot --store all.db -o no --x fifo.sram
    expect_refusal "a text as y" 'bottleneck has no numbers' \
        sweep plot --store all.db -o no --x table.slots --y bottleneck
    expect_refusal "no such format" "--format 'gif'" sweep plot --store all.db -o no --format gif
    expect_refusal "no directory" 'plot needs a directory' sweep plot --store all.db
    expect_refusal "a mark without a label" "--mark 'fifo.wmer=16'" sweep plot --store all.db -o no --mark fifo.wmer=16
    expect_refusal "a mark on no point" 'no such point' sweep plot --store all.db -o no --mark fifo.wmer=17:x
    expect_refusal "a mark of no column" "did you mean fifo.wmer" sweep plot --store all.db -o no --mark fifo.wmr=16:x
}

# --- refusals

test_ranges() {
    local item
    for item in fifo.wmer= fifo.wmer=, fifo.wmer=32,,64 fifo.wmer=..64 fifo.wmer=32.. fifo.wmer=64..32 fifo.wmer=32..64+0 \
        fifo.wmer=32..64*1 fifo.wmer=32..2^6 fifo.wmer=2^5..64 fifo.wmer=2^x fifo.wmer=2^5..2^6z fifo.wmer=1..64 \
        fifo.wmer=a..b fifo.wmer=32.5 pcix.efficiency=0..1*2 fifo.sram=100..1e6; do
        expect_refusal "sweep over $item" '--vary: fifo|--vary: pcix|fifo.wmer =' sweep -q q.fa -d d.fa --vary "$item" --store no.db
    done
    expect_refusal "sweep over no parameter" 'did you mean fifo\.wmer' sweep -q q.fa -d d.fa --vary fifo.wmmer=32 --store no.db
    expect_refusal "sweep over no range" 'expected NAME=RANGE' sweep -q q.fa -d d.fa --vary fifo.wmer --store no.db
    expect_refusal "sweep twice over one" '--vary fifo.wmer is given twice: expected each name once' sweep -q q.fa -d d.fa --vary fifo.wmer=32 --vary fifo.wmer=64 --store no.db
    expect_refusal "a point that makes no sense" 'fifo\.sram must.*at the point fifo\.sram=40' \
        sweep -q q.fa -d d.fa --vary fifo.sram=100,40 --store no.db
    expect_refusal "too many points" 'more than 1000000 points' sweep -q q.fa -d d.fa --vary fifo.wmer=16..5000 \
        --vary fifo.sram=60..5000 --store no.db
}

test_arguments() {
    expect_refusal "sweep of nothing" 'needs a query' sweep --store no.db
    expect_refusal "sweep without a store" 'needs a store' sweep -q q.fa -d d.fa --vary fifo.wmer=32
    expect_refusal "sweep of a missing file" 'missing\.fa' sweep -q missing.fa -d d.fa --store no.db
    expect_refusal "sweep -o" "no such option '-o'" sweep -q q.fa -d d.fa --store no.db -o x
    expect_refusal "sweep --samples 0" "--samples '0': expected" sweep -q q.fa -d d.fa --vary fifo.wmer=32 --samples 0 --store no.db
    expect_refusal "sweep into a missing folder" 'no/such' sweep -q q.fa -d d.fa --store no/such.db
    expect_refusal "export of no store" 'needs a store' sweep export
    expect_refusal "status of a missing store" 'missing\.db' sweep status --store missing.db
}

# rounded FILE: a table, its numbers to the digits of sweep export.
rounded() {
    awk -F '\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && length($i) < 30) $i = sprintf("%.12g", $i) } 1' "$1"
}

test_stores() {
    local file
    head -c 3000 /dev/urandom >noise.db
    expect_refusal "a store that is none" 'noise\.db: is not a store' sweep -q q.fa -d e.fa --store noise.db
    cp q.fa fasta.db
    expect_refusal "a store that is FASTA" 'fasta\.db: is not a store' sweep -q q.fa -d e.fa --store fasta.db
    expect_refusal "a store that is a folder" 'pictures.*plain file|\.: is not a plain file' sweep -q q.fa -d e.fa --store .
    { head -c 20000 all.db; head -c 20000 /dev/zero | tr '\0' '\377'; tail -c +40001 all.db; } >damaged.db
    for file in export status; do
        expect_refusal "$file of a damaged store" 'damaged\.db: the store is damaged' sweep "$file" --store damaged.db
    done
    expect_refusal "a sweep into a damaged store" 'damaged\.db: the store is damaged' sweep -q q.fa -d e.fa --store damaged.db
    head -c 30000 all.db >short.db
    expect_refusal "a store cut short" 'short\.db: the store is damaged' sweep export --store short.db
    have sqlite3 || { skip "stores of others" "no sqlite3"; return; }
    cp all.db earlier.db
    cp all.db broken.db
    sqlite3 broken.db 'drop table planned'
    expect_refusal "a table is missing" 'no such table' sweep status --store broken.db
    sqlite3 earlier.db 'pragma user_version = 1' # passes did not overlap
    expect_refusal "a store of an earlier machine" 'earlier\.db: is a store of version 1' sweep -q q.fa -d e.fa --store earlier.db
    cp all.db later.db
    sqlite3 later.db 'pragma user_version = 9'
    expect_refusal "a store of another version" 'later\.db: is a store of version 9' sweep -q q.fa -d e.fa --store later.db
    cp all.db older.db
    sqlite3 older.db "update store set value = '0.0.9'"
    expect_refusal "a store of another mercury" 'older\.db: is a store of mercury 0\.0\.9' sweep export --store older.db
    sqlite3 other.db 'create table t(x)'
    expect_refusal "a database of something else" 'other\.db: is an SQLite file, but not a store' sweep -q q.fa -d e.fa --store other.db
    check "sqlite3 finds a store whole" test "$(sqlite3 killed.db 'pragma integrity_check')" = ok
    sqlite3 -header -separator '	' -nullvalue NA all.db 'select * from export' >view.tsv
    run sweep export --store all.db
    rounded "$scratch/out" >exported.tsv
    check_same "the view export has the rows and columns of sweep export, and numbers to 12 digits" \
        exported.tsv <(rounded view.tsv)
    check "and its points by the documented schema" test "$(sqlite3 all.db 'select count(throughput_mwmers_per_s)
        from points where cast("table.slots" as integer) > 0')" = "$points"
}

make_input
test_points
test_status_of_searches
test_equal_to_runs
test_medians
test_schedules
test_jobs
test_searches
test_scores
test_overdrive
test_samples
test_scenario
test_terminal
test_kills 2>/dev/null # where bash tells of signals
test_full_disk
test_two_processes
test_mpi 2>/dev/null
[ -n "$few" ] || test_formulas
test_advice
test_pictures
test_formats
test_one_front
test_page
test_bad_pictures
test_ranges
test_arguments
test_stores
finish
