#!/bin/bash
# test_advise.sh MERCURY SOURCE_DIRECTORY - what is advised is never slower than the machine as given, and no machine of
# the whole space dominates it in time, block RAMs, SRAM chips and joules, which are those of all boards.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# --- input: one record, three copies of it with 3% changed, and a stretch of low complexity that makes trips

make_input() {
    { echo '>q'; dna 1 1900; dna 3 60; dna 3 60; dna 2 1500; } >q.fa
    { echo '>d'; dna 10 6000; sed -n '2,60p' q.fa | mutate 4; dna 3 60; sed -n '2,60p' q.fa | mutate 7; dna 11 4000
        sed -n '2,40p' q.fa | mutate 5; } >d.fa
}

# of NAME CONDITION: a column of the rows of advice.tsv for which an awk condition over their columns holds, by name.
of() {
    awk -F '\t' -v name="$1" '/^part\t/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        function f(column) { return $(at[column]) }
        '"$2"' { print $(at[name]) }' advice.tsv
}

advised='f("part") == "machine"'

# --- against every point of small spaces

test_spaces() {
    have python3 || { skip "advice against every point" "no python3"; return; }
    local spaces=20
    [ -z "$few" ] || spaces=3
    python3 "$source_directory/tests/cli/advice_spaces.py" "$mercury" "$platform" 1 "$spaces" >said 2>&1
    check_number "$spaces small spaces are compared, point by point" \
        "$(sed -n "s/^\([0-9]*\) points of $spaces spaces\$/\1/p" said)" '>=' "10 * $spaces"
    report "nothing dominates what is advised, and it is not worse than as given" "$(grep -v ' points of ' said)"
}

# --- costs and limits

# The costs of two boards are those of one, twice; the front and the best machines follow from them.
test_costs() {
    run sweep -p "$platform" -q q.fa -d d.fa --set query.segment=2000 --vary boards=1,2 --vary hosts=1,2 \
        --vary table.slots=2^11,2^13 --store boards.db
    report "boards, hosts and tables are swept" "$(success_problem)"
    cp "$scratch/out" said
    "$mercury" sweep export --store boards.db --columns boards,hosts,table.slots,ramb18,ramb36,sram_chips,simulated_time_s \
        >points
    report "block RAMs and chips are those of all boards of all hosts" "$(awk -F '\t' 'NR > 1 {
            boards = $1 * $2
            if (boards == 1) { b18[$3] = $4; b36[$3] = $5; chips[$3] = $6 }
            line[NR] = $0
        } END {
            for (i in line) {
                split(line[i], x, "\t")
                n = x[1] * x[2]
                if (x[4] != n * b18[x[3]] || x[5] != n * b36[x[3]] || x[6] != n * chips[x[3]]) print line[i]
            }
        }' points)"
    awk '/^Best/ { getline; while (getline && /^  /) if (!/=/) print $1; exit }' said >best
    sed 1d points | cut -f 7 | sort -g | head -n 5 | awk '{ printf "%.5g\n", 1e3 * $1 }' >quickest
    check_same "the best machines are those with the shortest time" quickest best
}

test_limits() {
    local space=(-p "$platform" -q q.fa -d d.fa --set query.segment=2000 --vary 'table.slots=2^11..2^13'
        --vary 'bloom.bank_bits=2^12..2^14' -f tsv --quiet)
    local page
    run advise "${space[@]}" --store limits.db --report advice.html
    report "advice without a limit" "$(success_problem)"
    cp "$scratch/out" advice.tsv
    check "each of eight things is made free, on a machine that can be built" test \
        "$(of name 'f("part") == "free"' | tr '\n' ' ')" = "host bus clock 1b 2 3 build tables "
    check_number "a page begins with the advised machine" "$(sed -n 's/.*its run takes \([0-9.]*\) ms, with \([0-9]*\) .*/\1 + \2/p' advice.html)" == \
        "$(printf '%.4g + %s' "$(awk "BEGIN { print 1e3 * $(of simulated_time_s "$advised") }")" "$(of ramb18 "$advised")")"
    check_number "it takes its J" "$(sed -n 's/.* SRAM chips and \([0-9.]*\) J[.].*/\1/p' advice.html)" == \
        "$(printf '%.4g' "$(of energy_j "$advised")")"
    check_number "and is so many times as fast as the machine as given" "$(sed -n 's/^ It is \([0-9.]*\) times as fast .*/\1/p' advice.html)" == \
        "$(printf '%.3g' "$(awk "BEGIN { print $(of simulated_time_s 'f("name") == "as given"') / $(of simulated_time_s "$advised") }")")"
    check "its first table has the advised numbers" test "$(sed -n -E '/<section id="advice">/,/<h3>/s/^<tr><th>([a-z_.0-9]*)<.th><td>(.*)<.td><.tr>$/\1=\2/p' advice.html | tr '\n' ' ')" = \
        "table.slots=$(of table.slots "$advised") bloom.bank_bits=$(of bloom.bank_bits "$advised") $(awk -F '\t' '!d { for (i = 1; i <= NF; i++) if ($i == "depth") d = i } $1 == "fifo" { printf "%s=%s ", $2, $d }' advice.tsv)"
    check_number "it counts what was simulated" "$(sed -n 's/^<p>\([0-9]*\) machines were simulated: \([0-9]*\) candidates.*/1000 * \1 + \2/p' advice.html)" == \
        "1000 * $(page_rows advice.html points | wc -l) + $(of name 'f("part") == "candidate"' | wc -l)"
    report "and is whole" "$(page_problem advice.html advice pareto points setup)"
    check_number "its fronts mark that machine" "$(grep -c '>advised<' advice.html)" '>=' "$(grep -c -E '<section id="(pareto|chips|energy)">' advice.html)"
    if have chromium && have timeout; then
        printf '<iframe width="375" src="advice.html" onload="document.body.append(%s)"></iframe>' \
            "'widths ' + [...this.contentDocument.querySelectorAll('#advice > *')].filter((part) => part.offsetWidth > 343).length" >frame.html
        check "on a phone its text is as wide as the screen" grep -q 'widths 0<' <(HOME=$scratch timeout 120 chromium --headless \
            --no-sandbox --disable-gpu --allow-file-access-from-files --dump-dom "file://$work/frame.html" 2>"$scratch/console")
    else
        skip "on a phone its text is as wide as the screen" "no chromium"
    fi
    "$mercury" sweep report --store limits.db -o stored.html
    for page in advice stored; do page_rows $page.html points | cut -f 1-4 | sort >$page.points; done
    check_same "its points are those of the store" stored.points advice.points
    run advise "${space[@]/#tsv/text}" --store limits.db --report text.html
    sed -E 's/<[^>]*>/ /g; s/&lt;/</g; s/&amp;/\&/g' text.html | tr -s ' =' '\n' | sort -u >page.words
    report "and it has every word of the text" "$(tr -s ' =' '\n' <"$scratch/out" | sort -u | comm -23 - page.words)"
    check_number "what is to be improved saves as much as the run without it" \
        "$(sed -n 's/^  to end sooner improve next: .*, at most \([0-9.]*\)% of the total time$/\1/p' "$scratch/out")" == \
        "$(of simulated_time_s 'f("part") == "free"' | sort -g | head -n 1 |
            awk -v all="$(of simulated_time_s "$advised")" '{ printf "%.1f", 100 * (1 - $1 / all) }')"
    run advise "${space[@]/#tsv/text}" --set sram.trip_cycles=20000
    check "what cannot be made free is named, with the reason" grep -q \
        "^  clock is left out: there is no such machine: sram.trip_cycles = '200000':" "$scratch/out"
    local joules seconds
    joules=$(of energy_j "$advised")
    seconds=$(of simulated_time_s "$advised")
    expect_refusal "a page to standard output" "--report -: the advice is on standard output" advise "${space[@]}" --report -
    run advise "${space[@]}" --energy "$joules" --time "$seconds" --store limits.db
    cp advice.tsv unlimited.tsv
    cp "$scratch/out" advice.tsv
    check "limits that it keeps itself change nothing of it" \
        test "$(grep ^machine unlimited.tsv)" = "$(grep ^machine advice.tsv)"
    run advise "${space[@]}" --time "$(awk "BEGIN { print 0.6 * $seconds }")" --store limits.db
    check_number "a time that no machine keeps is refused" "$status" == 2
    check "in one line that says what the candidates take" grep -q -x \
        "mercury: no candidate is within all limits: .* J and [0-9.]* s; .*" "$scratch/err"
    check_number "and nothing is printed" "$(wc -c <"$scratch/out")" == 0
    local limit
    for limit in --energy --time; do
        run advise "${space[@]}" "$limit" 1e-12 --store "beyond$limit.db"
        check_number "no FIFOs are searched that cannot bring a machine below $limit" \
            "$("$mercury" sweep export --store "beyond$limit.db" | sed 1d | wc -l)" == "$(grep -c ^candidate advice.tsv)"
    done
    run advise -p "$platform" -q q.fa -d d.fa --vary fifo.wmer=16,130 --vary table.slots=2^12 --quiet --report depths.html
    check_number "a FIFO whose depth varies is said once, among the FIFOs" \
        "$(sed '/^$/,$d' "$scratch/out" | tr -s ' ' '\n' | grep -c '^fifo.wmer=')" == 1
    check_number "and in the page" "$(sed -n '/<section id="advice"/,/<h3>/p' depths.html | grep -c '<tr><th>fifo.wmer</th>')" == 1
    expect_refusal "a number that is set and varies" '--vary table.slots: --set gives the same name' \
        advise "${space[@]}" --set table.slots=2^11
    local value
    for value in -1 0 nan much ''; do
        expect_refusal "--energy '$value'" "--energy.*expected joules, from" advise "${space[@]}" --energy "$value"
        expect_refusal "--time '$value'" "--time.*expected seconds, from" advise "${space[@]}" --time "$value"
    done
}

# Cores cost no block RAMs and chips: the quickest is not called the cheapest, and the slowest that is enough is named.
test_no_price() {
    run advise -p "$platform" -q q.fa -d d.fa --vary 'host.cores=1..8*2' --quiet
    report "advice about cores" "$(success_problem)"
    check "none is called the cheapest" grep -q -x "Tables: of 4 candidates none with 95% of the speed costs less" "$scratch/out"
    cp "$scratch/out" said
    run sweep -p "$platform" -q q.fa -d d.fa --vary 'host.cores=1..8*2' --store cores.db
    check "in a sweep of them it is the knee" grep -q -x "Knee: the slowest with 95% of the greatest speed, for what varies has no price (the 3rd)" \
        <(unwrapped "$scratch/out")
    check_number "which is the one that advice names" "$(sed -n 's/^  slowest .* //p' said)" == \
        "$(sed -n '/^Best/,$p' "$scratch/out" | sed -n '5s/.* //p')"
    expect_refusal "tables that no SRAM holds" "no candidate fits: the SRAM has 1000 bytes .*; vary smaller tables .*sram.bytes" \
        advise -p "$platform" -q q.fa -d d.fa --vary table.slots=2^11,2^12 --device xc7vx690t --set sram.bytes=1000
}

# --- real genomes

# Sizes of the table and of the filter, by itself: each has the one as given among its candidates.
test_own_candidates() {
    run advise -p "$platform" -q q.fa -d d.fa --set query.segment=2000 -f tsv --quiet
    report "advice without --vary" "$(success_problem)"
    cp "$scratch/out" advice.tsv
    check_number "several tables" "$(of table.slots 'f("part") == "candidate"' | sort -u | wc -l)" '>' 1
    check_number "several filters" "$(of bloom.bank_bits 'f("part") == "candidate"' | sort -u | wc -l)" '>' 1
}

# A front of two: boards that cost twice as much and end later are on none.
test_boards() {
    run advise -q lambda.fa -d coli.fa --vary boards=1,2 -f tsv --quiet
    report "one board or two?" "$(success_problem)"
    cp "$scratch/out" advice.tsv
    check_number "two boards end later" "$(of simulated_time_s 'f("boards") == 2 && f("part") == "candidate"')" '>' \
        "$(of simulated_time_s 'f("name") == "as given"')"
    check_number "one is advised" "$(of boards "$advised")" == 1
    check_number "that is not slower than as given" "$(of simulated_time_s "$advised")" '<=' \
        "$(of simulated_time_s 'f("name") == "as given"')"
    check_number "two boards have the block RAMs of two" "$(of ramb18 'f("boards") == 2 && f("part") == "candidate"')" == \
        "2 * $(of ramb18 'f("name") == "as given"')"
    check "and are on no front" test "$(of place 'f("boards") == 2 && f("part") == "candidate"')" = beside
    check_number "a faster board, which waits as long for full bursts, is no slower" \
        "$(of simulated_time_s 'f("name") == "clock"')" '<=' "1.001 * $(of simulated_time_s "$advised")"
    check_number "a run that waits for its tables ends sooner if they are built in no time" \
        "$(of simulated_time_s 'f("name") == "build"')" '<' "0.9 * $(of simulated_time_s "$advised")"
    check_number "and still sooner if they are on the board" \
        "$(of simulated_time_s 'f("name") == "tables"')" '<' "0.95 * $(of simulated_time_s 'f("name") == "build"')"
}

# FIFOs as given take all of an LX100's 240 block RAMs; 64, 42, 10 and 1024 places take 239.
test_device() {
    run advise -q lambda.fa -d coli.fa --vary table.slots=2^16 --vary 'bloom.bank_bits=2^15..2^17' --device xc4vlx100 \
        -f tsv --quiet
    report "FIFOs in what an LX100 has left" "$(success_problem)"
    cp "$scratch/out" advice.tsv
    run sweep -q lambda.fa -d coli.fa --set table.slots=65536 --set bloom.bank_bits=65536 --set fpga.device=xc4vlx100 \
        --vary fifo.wmer=64 --vary fifo.sram=42 --vary fifo.egress=1024 --store fifos.db
    "$mercury" sweep export --store fifos.db --columns ramb18,simulated_time_s | tail -n 1 >other
    check_number "they fit" "$(of ramb18 "$advised")" '<=' 240
    check_number "with no more block RAMs than other ones" "$(of ramb18 "$advised")" '<=' "$(cut -f 1 other)"
    check_number "the run is shorter" "$(of simulated_time_s "$advised")" '<' "$(cut -f 2 other)"
    check_number "and shorter than with those given" "$(of simulated_time_s "$advised")" '<' \
        "$(of simulated_time_s 'f("place") == "chosen"')"
}

# Places that are said to be enough are: by a simulation, which knows no bounds.
test_enough() {
    run advise -q lambda.fa -d coli.fa --vary table.slots=2^16 --vary bloom.bank_bits=2^16 -f tsv --quiet
    report "depths that are enough" "$(success_problem)"
    cp "$scratch/out" advice.tsv
    check_number "for each FIFO" "$(of enough 'f("part") == "fifo" && f("enough") != "NA"' | wc -l)" == 5
    check_number "not fewer than what was ever used" \
        "$(of unbounded_max 'f("part") == "fifo" && f("enough") < f("unbounded_max")' | wc -l)" == 0
    # shellcheck disable=SC2046 # options and their values
    "$mercury" run -q lambda.fa -d coli.fa --set table.slots=65536 --set bloom.bank_bits=65536 -o enough --no-report --quiet \
        $(paste -d= <(of name 'f("part") == "fifo"') <(of enough 'f("part") == "fifo"') | sed 's/^/--set /')
    report "with them no FIFO signals back-pressure" "$(awk -F '\t' '$3 ~ /^P_BP/ { n++ } $3 ~ /^P_BP/ && $5 != 0 { print }
        END { if (!n) print "no signals" }' <("$mercury" validate enough -f tsv))"
    run advise -q lambda.fa -d coli.fa --vary table.slots=2^16 --vary bloom.bank_bits=2^16 --quiet
    check "the text says what they are, and which advised depths reach them" grep -q -E \
        'if all FIFOs are so deep, none ever signals back-pressure .* these reach it: fifo.ingress$' <(unwrapped "$scratch/out")
    run advise -q lambda.fa -d coli.fa --vary table.slots=2^16 --vary bloom.bank_bits=2^16 --set boards=2 --quiet
    check "for two boards it says why it does not know" grep -q 'not known which depths are enough: bounds hold for one board' \
        <(unwrapped "$scratch/out")
}

make_input
test_spaces
test_costs
test_limits
test_own_candidates
test_no_price
lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
coli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
if [ -f "$lambda" ] && [ -f "$coli" ]; then
    gzip -dc "$lambda" >lambda.fa
    gzip -dc "$coli" >coli.fa
    # What these ask of numbers, the cases above have asked of the same code with small inputs.
    [ -n "$few" ] || test_boards
    [ -n "$few" ] || test_device
    [ -n "$few" ] || test_enough
else
    skip "advice for lambda x E. coli" "no $lambda or $coli (Debian: bowtie2-examples, bowtie-examples)"
fi
finish
