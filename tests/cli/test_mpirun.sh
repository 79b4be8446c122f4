#!/bin/bash
# test_mpirun.sh MERCURY SOURCE_DIRECTORY - a run that is spread over ranks is the run of one process, byte for byte;
# what goes wrong on a rank is told once, with its number.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"
have mpirun || skip_all "no mpirun"

prepare_mpirun

input=(run -p "$platform" -q q.fa -d d.fa --set query.segment=2000)

# Runs a command under mpirun; without leaks of MPI's own being taken for Mercury's.
ranks() { # MPIRUN_ARGUMENT...
    ASAN_OPTIONS=detect_leaks=0 timeout 300 mpirun "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    forget_sanitizer
}

on_ranks() { # RANKS ARGUMENT...
    local count=$1
    shift
    ranks -n "$count" "$mercury" "$@"
}

# What differs between two runs beyond the wall clock.
timeless() { # FILE
    sed -E -e '/wall clock|^the board alone:|^computed in|"wall_/d' -e 's,^out\.[1n]/,out/,' "$1"
}

difference() { # DIRECTORY DIRECTORY
    local name
    diff <(ls -A "$1") <(ls -A "$2")
    for name in "$1"/*; do
        diff <(timeless "$name") <(timeless "$2/${name##*/}") >"$scratch/difference" && continue
        echo "$name: $(head -n 3 "$scratch/difference")"
    done
}

# one_line DESCRIPTION STATUS PATTERN: of the run that has just ended; mpirun says more than Mercury.
one_line() {
    local problem
    problem=$(
        [ "$status" -eq "$2" ] || echo "exit status $status, expected $2"
        [ "$(grep -c '^mercury: ' "$scratch/err")" -eq 1 ] || echo "not one line: $(cat "$scratch/err")"
        grep -q -E -e "^mercury: $3" "$scratch/err" || echo "no line matches: $3"
        [ ! -s "$scratch/out" ] || echo "something is on standard output: $(head -n 1 "$scratch/out")"
    )
    report "$1" "$problem"
}

# --- without MPI

# A copy of the program has no module beside it that is linked to MPI, as if it had been built without.
test_without_mpi() {
    local before whole=$mercury
    mkdir -p alone
    cp "$mercury" alone
    ln -s "$(dirname "$mercury")/sim" "$(dirname "$mercury")/data" alone
    mercury=$PWD/alone/mercury
    before=$(listing)
    on_ranks 2 "${input[@]}" -o none
    one_line "without MPI, mpirun is refused" 2 'this mercury was built without MPI'
    PMI_RANK=0 PMI_SIZE=2 run "${input[@]}" -o none
    refused "and so is another launcher" 'built without MPI' "$before"
    on_ranks 1 "${input[@]}" -o one --quiet
    report "one rank is a run" "$(success_problem)"
    mercury=$whole
}

# --- the same bytes

# same_on_ranks DESCRIPTION 'RANKS ...' ARGUMENT...: the output of one process and of each number of ranks.
same_on_ranks() {
    local description=$1 counts=$2 count
    shift 2
    rm -rf out.1
    mkdir out.1
    search "${input[@]:3}" -j 1 "$@" -o out.1 --record out.1/tokens
    report "$description, one process" "$(success_problem)"
    cp "$scratch/out" text.1
    for count in $counts; do
        rm -rf out.n
        mkdir out.n
        on_ranks "$count" "${input[@]}" "$@" -o out.n --record out.n/tokens
        report "$description, mpirun -n $count" "$(success_problem)$(cat "$scratch/err")"
        report "$description, mpirun -n $count: the same files" "$(difference out.1 out.n)"
        report "$description, mpirun -n $count: the same summary" "$(diff <(timeless text.1) <(timeless "$scratch/out"))"
    done
}

test_same_bytes() {
    same_on_ranks "default measurements" "$(many 1 3) 2"
    same_on_ranks "--measure none" "$(many 1 2) 3" --measure none
    input[-1]=query.segment=5000
    same_on_ranks "more ranks than passes" 5 -s plus
    input[-1]=query.segment=2000
    same_on_ranks "tables that overlap" 2 --set schedule.overlap=tables
    same_on_ranks "--charge-measurement" 3 --charge-measurement
    printf '%s every 0.5 ms of run\n' 'rate at bus_in' 'occupancy at wmer_fifo' 'occupancy at inbox: max' >run.tt
    same_on_ranks "frames of the run" 3 --measure run.tt
    on_ranks 3 "${input[@]}" -o out.n --measure run.tt --quiet
    report "frames of the run without a record" "$(success_problem)"
    check_same "they are the same" out.1/frames.tsv out.n/frames.tsv
    search "${input[@]:3}" -f sam --quiet
    cp "$scratch/out" all.sam
    (
        unset OMPI_MCA_pml OMPI_MCA_btl
        export OMPI_MCA_btl_base_warn_component_unused=0 UCX_LOG_LEVEL=fatal # of networks that are not there
        on_ranks 3 "${input[@]}" -f sam --quiet -j 2
    )
    check_same "standard output, -n 3 -j 2, by the transports that MPI chooses" all.sam "$scratch/out"
    check "--quiet says nothing" test ! -s "$scratch/err"
}

test_one_process_files() {
    local name
    for name in 1 3; do
        on_ranks "$name" "${input[@]}" --quiet -a hits.$name --timeline timeline.$name --timeline-pass 7 \
            --engine events
        report "a timeline, -n $name" "$(success_problem)"
    done
    check_same "the same alignments" hits.1 hits.3
    check_same "the same timeline" timeline.1 timeline.3
    check_number "and nothing else is left" "$(find . -name '*.partial' -o -name '.tokens' | wc -l)" == 0
}

# --- what is told

test_refusals() {
    local before
    before=$(listing)
    on_ranks 3 run -p "$platform" -q missing.fa -d d.fa -o none
    one_line "a missing file is told once" 2 'missing\.fa'
    on_ranks 3 "${input[@]}" --nope
    one_line "a wrong option is told once" 2 "no such option '--nope'"
    on_ranks 2 run -p "$platform" -q - -d d.fa
    one_line "standard input is refused" 2 '-: under mpirun every rank reads'
    on_ranks 2 "${input[@]}" -o no/such/directory
    one_line "no place for the output" 2 'no/such/directory'
    report "nothing is left" "$(diff <(sort <<<"$before") <(listing | sort))"
    on_ranks 2 run --help
    check_number "--help is printed once" "$(grep -c '^Usage: ' "$scratch/out")" == 1
    on_ranks 2 run -p "$platform" --dump-config
    check_number "--dump-config is printed once" "$(grep -c '^fpga.clock' "$scratch/out")" == 1
    search "${input[@]:3}" --record run.tokens --quiet
    on_ranks 2 retime run.tokens --quiet
    one_line "retime under mpirun" 2 'a record is timed again by one process'
}

# copies NUMBER: of all bases of the database, as one sequence
copies() {
    grep -v '>' d.fa >bases
    echo '>copies'
    yes bases | head -n "$1" | xargs cat
}

# rank_1_with ARGUMENT...: rank 1 has other arguments than rank 0, whose run lasts until rank 1 has spoken. (mpirun could
# be told so, "... : -n 1 ..."; that of Debian 13 crashes then.)
rank_1_with() {
    local same=("$mercury" run -p "$platform" --set query.segment=200 -o other)
    # shellcheck disable=SC2016 # expanded by each rank
    ranks -n 2 bash -c "[ \$OMPI_COMM_WORLD_RANK -eq 1 ] || set -- \"\${@:1:${#same[@]}}\" -q q.fa -d many.fa"'
        exec "$@"' bash "${same[@]}" "$@"
}

test_unlike_ranks() {
    copies 40 >many.fa
    rank_1_with -q missing.fa -d many.fa
    one_line "what only a rank lacks is told with its number" 1 'rank 1: missing\.fa'
    rank_1_with -q d.fa -d many.fa
    one_line "another query is noticed" 1 'rank 1 has another run'
    rank_1_with -q q.fa -d many.fa --set stage2.threshold=17
    one_line "another machine is noticed" 1 'rank 1 has another run'
    check "no output is left" test ! -e other/run.json
}

# --- death

# kill_rank MPIRUN_OPTION...: kills rank 1 when it simulates, in the directory $deaths, where $launcher goes on then.
deaths=$scratch/deaths
kill_rank() {
    local pass=''
    cd "$deaths" || exit 2
    # shellcheck disable=SC2016 # expanded by each rank
    ASAN_OPTIONS=detect_leaks=0 timeout 300 mpirun "$@" -n 3 bash -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$@"' \
        bash "$mercury" run -p "$platform" -q q.fa -d long.fa --set query.segment=2000 -o killed --quiet \
        >/dev/null 2>&1 </dev/null &
    launcher=$!
    await test -s pid.1
    stop_first_pass "$(cat pid.1)"
    kill -KILL "$(cat pid.1)"
    kill -CONT "$pass" 2>/dev/null
    cd "$work" || exit 2
}

# The others wait some seconds for the dead rank: what else there is to ask is asked meanwhile.
begin_deaths() {
    [ -z "$few" ] || return
    mkdir "$deaths"
    copies 60 >"$deaths/long.fa"
    cp q.fa "$deaths"
    (cd "$deaths" && search -q q.fa -d long.fa --set query.segment=2000 -o whole --quiet -j 1)
    kill_rank --enable-recovery
}

end_deaths() {
    [ -z "$few" ] || return
    wait "$launcher"
    report "a rank is killed, the others go on: the same files" "$(cd "$deaths" && difference whole killed)"
}

repetitive_input 60
test_without_mpi
if has_mpi; then
    begin_deaths 2>/dev/null # where bash tells of signals
    test_same_bytes
    test_one_process_files
    test_refusals
    test_unlike_ranks
    end_deaths 2>/dev/null
fi
finish
