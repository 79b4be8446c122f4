#!/bin/bash
# test_closed.sh MERCURY SOURCE_DIRECTORY - mercury queue --closed: tables in every form, the network of the data, models that
# do not hold, bad files of every kind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# cell FILE CENTRE CLASS PARAMETER COLUMN: of a TSV; the sixth column is the half-width, the seventh the model.
cell() {
    awk -F '\t' -v centre="$2" -v class="$3" -v parameter="$4" -v column="$5" '
        !/^#/ && $1 == centre && $2 == class && $3 == parameter { print $column; found = 1; exit }
        END { exit !found }' "$1" || echo "? no $2 $3 $4"
}

test_forms() {
    run queue --closed two-boards --customers 20000
    report "a network of the data" "$(success_problem)"
    check "what was measured" grep -q -E '^ +bus +all +N_Q +customers +[0-9.]+ +[0-9.]+ +0\.15056 +(yes|no)' "$scratch/out"
    check "whether the model is exact" grep -q -E '^MVA is exact: the 95% intervals cover [0-9]+ of 18 predictions$' "$scratch/out"
    check_not "no line is longer than 80 columns" grep -E '^.{81}' "$scratch/out"
    mkdir two-boards
    run queue --closed two-boards --customers 2000
    report "a folder of that name is no network" "$(success_problem)"
    rmdir two-boards
    run queue --closed two-boards --customers 20000 --format tsv
    cp "$scratch/out" boards.tsv
    check_number "MVA's throughput" "(($(cell boards.tsv - a throughput 7) / 0.0150753351905304 - 1) * 1e9) ^ 2" '<' 1
    check_number "the simulation agrees mostly" "$(awk -F '\t' '$8 == "yes"' boards.tsv | wc -l)" '>' 11
    check_number "a table of 18 rows, and of 13 numbers" "$(grep -c -v -E '^(#|centre)' boards.tsv)" == 31
    # the boards' parts of 5 customers: 3, 2 and all; MVA's probabilities add up to 1, and to its means
    check "P[N = n] of MVA adds up" awk -F '\t' '$3 ~ /^P/ { n = substr($3, 5) + 0; sum[$1] += $7; mean[$1] += n * $7; rows++ }
        $3 == "N_G" && ($2 == "all" || $1 != "bus") { known[$1] = $7 }
        END { for (c in sum) bad += (sum[c] - 1) ^ 2 > 1e-15 || (mean[c] / known[c] - 1) ^ 2 > 1e-15; exit !(rows == 13 && !bad) }' boards.tsv
    check "the simulated ones are near" awk -F '\t' '$3 ~ /^P/ && ($5 - $7) ^ 2 > 0.0004 { bad++ } END { exit bad }' boards.tsv
    run queue --closed two-boards --customers 20000 --plot boards.svg
    report "a picture of them" "$(success_problem)"
    check_number "a panel for each centre" "$(grep -c -E '>(board-a|board-b|bus)</text>' boards.svg)" == 3
    check_number "with a bar for each number" "$(grep -c 'f6 half' boards.svg)" '>=' 13
    check "the table says what half_width and covers are" grep -q "half_width holds the true mean in 95 of 100" "$scratch/out"
    check "the picture has the network's name" grep -q '>two-boards<' boards.svg
    expect_refusal "--plot of no picture" "plot 'boards.gif': expected a name that ends in .svg, .png or .pdf" \
        queue --closed two-boards --plot boards.gif
    expect_refusal "--plot without --closed" 'plot .*: expected --closed beside it' queue --plot boards.svg
    expect_refusal "--plot over the network" 'boards.net' queue --closed boards.net --plot boards.net
    run queue --closed two-boards --customers 20000 --format tsv -o file.tsv
    check_same "the same bytes again, with -o" boards.tsv file.tsv
    run queue --closed - --customers 20000 --format tsv <"$source_directory/data/networks/two-boards"
    check_same "from standard input" boards.tsv "$scratch/out"
    run queue --closed two-boards --customers 20000 --format tsv --seed 2
    check_not "others for another seed" cmp -s boards.tsv "$scratch/out"
    run queue --closed two-boards --customers 20000 --format json
    cp "$scratch/out" boards.json
    if can_flatten; then
        flatten boards.json >flat
        check_number "as JSON: the same number" "$(number flat rows/0/simulated)" == "$(cell boards.tsv - a throughput 5)"
    else
        skip "as JSON" "neither python3 nor jq"
    fi
    run queue --closed two-boards --customers 20000 --until-width 6 --format tsv
    check_number "--until-width: more services" "$(awk '$2 == "services" { print $3 }' "$scratch/out")" '>' 30000
}

# Customers of two equal centres, who take 50000 s to spread: the run has 2 such times.
test_short() {
    printf '%s\n' 'centre a time=1' 'centre b time=1' 'class x population=500 visits=a,b' >slow
    run queue --closed slow
    check "a run that is short" grep -q '^the run is short: a batch has 0\.0[0-9]* relaxation times of the network, not 10$' "$scratch/out"
    check "what would do" grep -q '^its intervals are wider for that, yet not wide enough for sure; 4e+07' "$scratch/out"
    check_not "it promises nothing" grep -q "95 of 100" "$scratch/out"
}

# Rates 4, 3 and 8, routes instead of visits, tabs and comments: x 1.6, and the second centre is visited 0.75 times.
test_routes() {
    printf '%s\n' '# a comment' '' $'centre\ta\trate=4 # another' 'centre b rate=3' 'centre c rate=8' \
        'class one population=1 route=a>c,b>a,c>a:.25,c>b:0.75' >routes
    run queue --closed routes --customers 20000 --format tsv
    cp "$scratch/out" routes.tsv
    check "visits of routes" grep -q $'^# class_one\tpopulation 1, visits a 1 b 0.75 c 1$' routes.tsv
    check_number "throughput" "($(cell routes.tsv - one throughput 7) - 1.6) ^ 2" '<' 1e-16
    check_number "one customer waits for nobody" "$(cell routes.tsv b one N_Q 5)" == 0
    check "and theory says so" test "$(cell routes.tsv b one N_Q 8)" = yes
}

# The slow centre has a customer at every moment that is seen, as at all but 4e-8 of them by theory.
test_never_idle() {
    printf '%s\n' 'centre fast time=1' 'centre slow time=30' 'class one population=5 visits=fast,slow' >slow
    run queue --closed slow --customers 3000
    check "a centre that is never idle" grep -q '^MVA is exact: the 95% intervals cover 9 of 9' "$scratch/out"
}

# Constant services are not what MVA assumes; the intervals must say so, and the notes why.
test_wrong_model() {
    sed 's/time=9.01/& service=deterministic/' "$source_directory/data/networks/two-boards" >constant
    run queue --closed constant --format tsv
    cp "$scratch/out" constant.tsv
    check "constant services: fewer wait than MVA says" test "$(cell constant.tsv bus all N_Q 8)" = no
    check "constant services: MVA is not exact" grep -q '^# MVA is an approximation: ' constant.tsv
    check "constant services: and why" grep -q "exponential where customers wait; those of 'bus' are not" constant.tsv
}

test_kinds() {
    printf '%s\n' 'centre think time=5 servers=all service=deterministic' 'centre disk rate=1 power=0.5:4' \
        'centre cpu rate=2 speeds=1,1.5' 'class all population=6 visits=think,disk:2,cpu:3' >kinds
    run queue --closed kinds --customers 50000
    report "delays and rates by load" "$(success_problem)"
    check "a delay may have any services" grep -q '^MVA is exact' "$scratch/out"
    check_not "nobody waits at a delay" grep -q -E '^ +think .*(N_Q|rho)' "$scratch/out"
    check "a rate by load" grep -q -E '^centre_cpu .*1 to 1\.5 times that by load' "$scratch/out"
    printf '%s\n' 'centre a time=1 servers=2' 'centre b time=1' 'class one population=4000 visits=a,b' \
        'class two population=4000 visits=a,b' >large
    run queue --closed large --customers 20000
    report "8000 customers" "$(success_problem)"
    check "8000 customers: an approximation, named" grep -q '^Linearizer is an approximation' "$scratch/out"
    check "8000 customers: and why" grep -q '1.6e+07 populations of the classes are too many' "$scratch/out"
}

# wrong DESCRIPTION PATTERN LINE...: a file of these lines is refused, with its name and a line's number.
wrong() {
    local description=$1 pattern=$2
    shift 2
    printf '%s\n' "$@" >bad
    expect_refusal "$description" "^mercury: bad:[0-9]+: .*$pattern" queue --closed bad
}

test_bad_files() {
    local a='centre a time=1' one='class one population=1'
    wrong "an unknown word" "word 'center'.*did you mean 'centre'" 'center a time=1'
    wrong "a word that is nothing like" "expected centre or class" 'bus a time=1'
    wrong "an unknown key" "key 'tme' is not known; did you mean 'time'" 'centre a tme=1'
    wrong "a key that is nothing like" 'expected time, rate, servers, service, speeds or power' 'centre a xyz=1'
    wrong "no key" "'5': expected KEY=VALUE" 'centre a 5'
    wrong "a key twice" 'time is given twice' 'centre a time=1 time=2'
    wrong "no name" 'centre has no name' 'centre time=1'
    wrong "a name with a colon" "name 'a:b'" 'centre a:b time=1'
    wrong "a long name" 'up to 31 ASCII characters' 'centre abcdefghijklmnopqrstuvwxyz0123456789 time=1'
    wrong "a name with a control character" 'up to 31 ASCII characters' $'centre a\033[2J time=1'
    wrong "a centre twice" "centre 'a' is given twice" "$a" "$a"
    wrong "neither time nor rate" "has neither time and rate: expected one" 'centre a servers=2'
    wrong "both time and rate" 'has both time and rate' 'centre a time=1 rate=2'
    wrong "a time of 0" "time '0': expected" 'centre a time=0'
    wrong "a time that is none" "time 'x': expected" 'centre a time=x'
    wrong "a rate that is no number" "rate 'nan': expected" 'centre a rate=nan'
    wrong "half a server" "servers '0.5': expected a whole number" 'centre a time=1 servers=0.5'
    wrong "less than a server" "servers '-1': expected a whole number" 'centre a time=1 servers=-1'
    wrong "services of no kind" 'expected exponential, deterministic, erlang:K' 'centre a time=1 service=normal'
    wrong "speeds of an empty value" "speeds '': expected" 'centre a time=1 speeds=1,,2'
    wrong "a power without customers" "power '0.5': expected A:N" 'centre a time=1 power=0.5'
    wrong "speeds and power" 'both speeds and power' 'centre a time=1 speeds=1,2 power=0.5:4'
    wrong "speeds and servers" 'both servers and speeds' 'centre a time=1 speeds=1,2 servers=2'
    wrong "speeds of constant services" 'exponential if the rate depends' 'centre a time=1 speeds=1,2 service=deterministic'
    wrong "a class of nobody" "population '0': expected" "$a" 'class one population=0 visits=a'
    wrong "a class without a population" 'expected population=N' "$a" 'class one visits=a'
    wrong "a class that goes nowhere" "class 'one' goes nowhere" "$a" "$one"
    wrong "visits of an unknown centre" "centre 'buss' is not known; did you mean 'bus'" 'centre bus time=1' "$one visits=buss"
    wrong "visits of a centre that comes later" "centre 'later' is not known; expected a" "$a" "$one visits=later"
    wrong "visits before any centre" 'expected a centre before it' "$one visits=b"
    wrong "visits that are no number" "visits '-1': expected" "$a" "$one visits=a:-1"
    wrong "visits twice" "visits of centre 'a' are given twice" "$a" "$one visits=a,a:2"
    wrong "visits and routes" 'both visits and route' "$a" "$one visits=a route=a>a"
    wrong "a class twice" "class 'one' is given twice" "$a" "$one visits=a" "$one visits=a"
    wrong "a centre after a class" 'all centres first' "$a" "$one visits=a" 'centre b time=1'
    wrong "a route without an arrow" "route 'a': expected FROM>TO" "$a" "$one route=a"
    wrong "a route twice" "route 'a>a' is given twice" "$a" "$one route=a>a:0.5,a>a:0.5"
    wrong "a probability above 1" "route '2': expected a probability" "$a" "$one route=a>a:2"
    wrong "probabilities that do not add up" "from 'a' have probabilities of 0.5" "$a" "$one route=a>a:0.5"
    wrong "a dead end" "no route leads from 'b' back to 'a'" "$a" 'centre b time=1' "$one route=a>b,b>b"
    wrong "a centre never come to" "no route leads from 'a' to 'b'" "$a" 'centre b time=1' "$one route=a>a,b>a"
    for i in $(seq 17); do echo "centre c$i time=1"; done >bad
    expect_refusal "17 centres" 'bad:17: more than 16 centres' queue --closed bad
    : >bad
    expect_refusal "an empty file" 'bad: no centre: expected lines such as centre' queue --closed bad
    echo "$a" >bad
    expect_refusal "no class" 'bad: no class: expected lines such as class' queue --closed bad
    printf 'centre a time=1\0\n' >bad
    expect_refusal "a NUL character" 'bad:1: a NUL character' queue --closed bad
    printf '%s\n' "$a" 'class one population=9000 visits=a' 'class two population=9000 visits=a' >bad
    expect_refusal "18000 customers" '18000 customers: expected 1 to 10000' queue --closed bad
    printf '%s\n' 'centre a time=1e-6' 'centre b time=1e6' "$one visits=a,b" >bad
    expect_refusal "rates too far apart" 'too long to tell' queue --closed bad
}

test_refusals() {
    expect_refusal "no such network" 'nothing: ' queue --closed nothing
    expect_refusal "a directory" 'directory' queue --closed .
    expect_refusal "no name" ': ' queue --closed ''
    local option
    for option in '--lambda 0.5' '--mu 1' '--arrivals poisson' '--service exponential' '--capacity 0' '--servers 2' '--overflow loss'; do
        # shellcheck disable=SC2086 # an option and its value
        expect_refusal "--closed $option" "expected no ${option% *} beside it" queue --closed two-boards $option
    done
    expect_refusal "--batches of too few services" 'at least 20 services' queue --closed two-boards --customers 1000 --batches 900
    expect_refusal "--until-width with odd batches" 'even number' queue --closed two-boards --until-width 5 --batches 31
    cp "$source_directory/data/networks/two-boards" both
    expect_refusal "-o over the network" 'both' queue --closed both -o both
    expect_refusal "-o into a missing folder" 'no/such' queue --closed two-boards -o no/such/file
}

test_forms
test_short
test_routes
test_never_idle
test_wrong_model
test_kinds
test_bad_files
test_refusals
finish
