#!/bin/bash
# test_report.sh MERCURY SOURCE_DIRECTORY - mercury report and mercury plot: the page of a run is there, whole, valid,
# the same twice, and needs nothing else; every picture as SVG, PNG and PDF; runs with little in them; refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

parts=(pipeline time queues models boxes latency dots)

make_input() {
    dna 1 12000 | tr -d '\n' >q.seq
    { echo '>q1 <b>&"first"</b>'; fold -w 70 q.seq; echo; } >q.fa
    {
        echo '>d1'
        { dna 2 30000; cut -c 1001-4000 q.seq | mutate 7; dna 3 20000; } | tr -d '\n' | fold -w 70
        echo
        echo '>d<2>&"x"'
        { dna 5 30000; cut -c 7001-9500 q.seq | mutate 9 | reverse_complement; } | tr -d '\n' | fold -w 70
        echo
    } >d.fa
}

# run_page_problem FILE: what is wrong with the page of a run.
run_page_problem() {
    page_problem "$1" "${parts[@]}" setup words
}

test_page() {
    search -q q.fa -d d.fa -o out --quiet
    report "a run with -o works" "$(success_problem)"
    report "it writes a page that is whole" "$(run_page_problem out/report.html)"
    check_number "of less than 1 MB" "$(wc -c <out/report.html)" '<' 1000000
    check "the page says how many alignments there are" grep -q -E '<strong>[0-9]+ <a [^>]*>alignments?</a></strong>' out/report.html
    check "and what the bottleneck is" grep -q -E 'What limits the run: (the|stage|building|no part)' out/report.html
    check_number "it has all seven pictures" "$(grep -c '<svg ' out/report.html)" == 7
    check_number "it has a row for everything that was measured, and one in ns for what is in clocks" \
        "$(sed -n '/<section id="measured">/,/<.section>/p' out/report.html | grep -o -E '<td>[a-z_0-9]+[.][a-z_0-9]+</td>' | wc -l)" == \
        "$(cut -f 1 out/frames.tsv | sort -u | grep -c '[.]') + $(cut -f 1 out/frames.tsv | grep '^latency' | sort -u | wc -l)"
    check "and the energy of the summary" grep -q "The run takes $(awk '/^  all / { print $2 " J, " $3 " nJ per w-mer" }' out/summary.txt)[.] The largest part ([a-zA-Z' ]*) takes [0-9]*%" out/report.html
    cut -f 11,12 out/alignments.tsv | sort >scores
    check_same "E-values and bits of the best alignments are printed as in the table" scores <(
        sed -n 's/.*–[0-9]*<\/td><td class="n">\(.*\)<\/td><td class="n">\(.*\)<\/td><\/tr>$/\1\t\2/p' out/report.html | sort)
    cp out/report.html first.html
    run report out
    report "mercury report DIR works" "$(success_problem)"
    check_same "and writes the same bytes" first.html out/report.html
    run report out -o other.html
    check_same "-o FILE: the same bytes" first.html other.html
    run report out -o -
    check_same "-o -: the same bytes" first.html "$scratch/out"
    search -q q.fa -d d.fa -o again --quiet -j 1
    check_same "another run, with one job, writes the same page" first.html again/report.html
    check_not "nothing partial is left" test -n "$(find . -name '*.partial')"
}

test_no_report() {
    search -q q.fa -d d.fa -o bare --quiet --no-report
    report "--no-report works" "$(success_problem)"
    check_not "--no-report leaves the page out" test -e bare/report.html
    run report bare
    check_same "mercury report writes it later" first.html bare/report.html
    search -q q.fa -d d.fa -o bare --quiet --no-report
    check_not "--no-report removes the page of an older run" test -e bare/report.html
}

test_retime() {
    search -q q.fa -d d.fa -o taped --quiet --record r.tokens
    run retime r.tokens -o slower --set fpga.clock=100e6 --quiet
    report "mercury retime -o works" "$(success_problem)"
    report "it writes a page that is whole" "$(run_page_problem slower/report.html)"
    check_not "which is not that of the record" cmp -s taped/report.html slower/report.html
    check_same "it knows the same sequences" taped/records.tsv slower/records.tsv
}

# column FILE NAME ROW: a field of a table with a header.
column() {
    awk -F '\t' -v name="$2" -v row="$3" '
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        ++n == row { print $at[name] }' "$1"
}

test_passes() {
    check_number "passes.tsv has a row per pass" "$(grep -c -E '^[0-9]' out/passes.tsv)" == 2
    check_number "the first pass begins when its tables are built" "$(column out/passes.tsv begin_s 1)" == \
        "$(column out/passes.tsv build_s 1)"
    check_number "it waits for them" "$(column out/passes.tsv build_wait_s 1)" == "$(column out/passes.tsv build_s 1)"
    check_number "it streams when its tables are there" "$(column out/passes.tsv stream_begin_s 1) + 1e-12" '>=' \
        "$(column out/passes.tsv begin_s 1) + $(column out/passes.tsv tables_s 1)"
    check_number "the second begins when the board is free" "$(column out/passes.tsv begin_s 2)" == \
        "$(column out/passes.tsv board_free_s 1)"
    check_number "stage 3 ends after the board" "$(column out/passes.tsv end_s 2)" '>=' \
        "$(column out/passes.tsv board_free_s 2)"
    check "the first pass is of the plus strand, the second of the minus strand" test \
        "$(column out/passes.tsv strand 1) $(column out/passes.tsv strand 2)" = "plus minus"
    check "records.tsv has all sequences" test "$(tail -n +2 out/records.tsv)" = \
        "$(printf 'query\tq1\t12000\t0\ndatabase\td1\t53000\t0\ndatabase\td<2>&"x"\t32500\t53000')"
}

# --- pictures

test_pictures() {
    local part format
    for part in "${parts[@]}"; do
        run plot out --what "$part" -o "$part.svg"
        report "plot --what $part: SVG" "$(
            success_problem
            ! have xmllint || xmllint --noout "$part.svg" 2>&1
            ! grep -n 'var(' "$part.svg"
        )"
    done
    check "a picture of its own says whose it is" grep -q '>q.fa × d.fa, 1 board at 133 MHz<' pipeline.svg
    check_not "on the page the heading does" grep -q 'q.fa × d.fa, 1 board' out/report.html
    run plot out --what pipeline -o -
    check_same "-o - is the same SVG on standard output" pipeline.svg "$scratch/out"
    if ! have rsvg-convert; then
        skip "PNG and PDF" "no rsvg-convert"
        return
    fi
    for format in png pdf; do
        run plot out --what dots -o "dots.$format"
        report "plot: $format" "$(
            success_problem
            head -c 5 "dots.$format" | grep -q -a -E '^(.PNG|%PDF-)' || echo "is no $format"
        )"
    done
    run plot out --what dots -o DOTS.PNG
    report "plot: the end of a name may be in capitals" "$(success_problem)"
}

# The minus strand has its own colour: class s7 is a path with a line for the copy in d2.
test_strands() {
    check "dots: a line of the plus strand" grep -q -E '<path class="s6 w3 round" d="M' dots.svg
    check "dots: a line of the minus strand" grep -q -E '<path class="s7 w3 round" d="M' dots.svg
    check "a name with characters of XML is escaped" grep -q 'd&lt;2&gt;&amp;&quot;x&quot;' out/report.html
    check "the page may run no script and load nothing" \
        grep -q "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src .none.; style-src" out/report.html
}

# A word leads to what it means, from the first place in the text of each part; of words that only a picture has the text
# says so. Every row of report.tsv is explained.
test_words() {
    local page=out/report.html rows
    report "every link of the page leads somewhere" "$(comm -23 \
        <(grep -o 'href="#[^"]*"' "$page" | sed 's/href="#//; s/"//' | sort -u) \
        <(grep -o ' id="[^"]*"' "$page" | sed 's/ id="//; s/"//' | sort -u))"
    rows=$(awk '/^\[/ { word = $0 == "[REPORT_WORD_ROWS]" } word && /^\t/' "$source_directory/data/words/report.tsv" | wc -l)
    check_number "every word is explained" "$(grep -c '<dt id=' "$page")" == "$rows"
    check "a word in the text is a link" grep -q -E '<strong>[0-9]+ <a class="w" href="#word.alignment">alignments?</a>' "$page"
    check "a word of a picture is named below it" \
        grep -q 'Words in the picture: .*<a class="w" href="#word.busy">busy</a>' "$page"
    report "a word is linked once in a part" "$(awk '/<section / { part++ }
        { while (match($0, /<a class="w" href="[^"]*"/)) {
            link = substr($0, RSTART, RLENGTH)
            if (seen[part, link]++) print "again in part " part ": " link
            $0 = substr($0, RSTART + RLENGTH) } }' "$page")"
    report "pictures have no links" "$(sed -n '/<svg /,/<\/svg>/p' "$page" | grep '<a ')"
}

test_numbers() {
    search -q q.fa -d d.fa -o numbers --quiet --set query.segment=500
    report "tables of energy and of what was measured say what the run's files say" "$(for part in energy measured; do
        page_rows numbers/report.html $part; done | python3 "$source_directory/tests/cli/check_page.py" numbers 2>&1)"
    check "some intervals are of frames that depend on each other" grep -q '<td class="n">[0-9.e+-]*!</td>' numbers/report.html
}

# Every line of a box plot is level or upright.
test_boxes() {
    search -q q.fa -d d.fa -o many --quiet --no-report --set query.segment=1000
    run plot many --what boxes -o boxes.svg
    report "boxes: whiskers are level, and their ends upright" "$(success_problem
        sed -n -E 's/^<path class="s[0-9]+ w2" d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)".*/\1 \2 \3 \4/p' boxes.svg |
            awk '$1 != $3 && $2 != $4 { print "not so: " $0 } END { if (NR < 20) print NR + 0 " lines" }')"
    check "boxes: passes without HSPs are where the axis says that 0 is" grep -q '; left end: 0<' boxes.svg
}

# text_at FILE TEXT: x and y of a text of a picture, an extended regular expression
text_at() {
    sed -n -E "s/^<text x=\"([0-9.]*)\" y=\"([0-9.]*)\".*>($2)<\/text>\$/\1 \2/p" "$1"
}

# The records have 53,000 and 32,500 bases: the border is there, and right of it, above the plot, the second one's name.
test_borders() {
    local border from to left right top
    border=$(sed -n 's/^<path class="s3 dash" d="M\([0-9.]*\) .*/\1/p' dots.svg)
    read -r from to < <(sed -n 's/^<path class="s3" d="M\([0-9.]*\) [0-9.]*L[^L]*L\([0-9.]*\) .*/\1 \2/p' dots.svg)
    check_number "dots: the border of two records" "((${border:-none} - $from) / ($to - $from) * 85500 - 53000)^2" '<' 9
    read -r left top < <(text_at dots.svg d1)
    read -r right _ < <(text_at dots.svg 'd&lt;2.*')
    check_number "the first one's name is left of it" "$left" '<' "$border"
    check_number "the second one's is right of it" "$right" '>' "$border"
    check "both are on one line" grep -q "^<text x=\"$right\" y=\"$top\"" dots.svg
}

# dots_drawn FILE: number of lines of a dot plot, each of which begins with M
dots_drawn() {
    sed -n 's/^<path class="s[67] w[23] round[^"]*" d="\([^"]*\)".*/\1/p' "$1" | tr -cd M | wc -c
}

# Three alignments, of 300, 600 and 1,500 bases, ever less alike: a region in which the first two lie partly.
test_region() {
    local pale
    {
        echo '>e1'
        { dna 7 9000; cut -c 1001-1300 q.seq; dna 8 5000; cut -c 2001-2600 q.seq | mutate 12; dna 9 5000
            cut -c 4001-5500 q.seq | mutate 7 | reverse_complement; } | tr -d '\n' | fold -w 70
        echo
    } >e.fa
    search -q q.fa -d e.fa --quiet --no-report -o three
    check_number "dots: three alignments" "$(wc -l <three/alignments.tsv)" == 3
    run plot three --what dots --region e1:9201-14500 -o region.svg
    report "dots: a region" "$(success_problem)"
    check_number "dots: the alignments of a region" "$(dots_drawn region.svg)" == 2
    check "dots: those outside are counted" grep -q ">2 of 3 alignments; 1 outside<" region.svg
    run plot three --what dots --region e1:14401-20000 -o right.svg
    check_number "dots: what lies left of a region" "$(dots_drawn right.svg)" == 2
    run plot three --what dots --region e1:9302-14300 -o between.svg
    check "dots: what only touches a region is outside" grep -q ">0 of 3 alignments; 3 outside<" between.svg
    run plot three --what dots --min-length 400 -o long.svg
    check_number "dots: alignments of 400 columns" "$(dots_drawn long.svg)" == 2
    run plot three --what dots -o three.svg
    pale=$(awk -F '\t' '$3 < 97' three/alignments.tsv | wc -l)
    check_number "dots: some are less alike" "$pale" '>' 0
    check_number "dots: they are paler" "$(grep -E '^<path class="s[67] w[23] round pale' three.svg | tr -cd M | wc -c)" == "$pale"
    expect_refusal "dots: a region of no record" "--region 'd3:1-5': expected a record .*; did you mean d1" \
        plot out --what dots --region d3:1-5 -o x.svg
    expect_refusal "dots: a region beyond its record" "--region 'd1:1-53001': expected a record" \
        plot out --what dots --region d1:1-53001 -o x.svg
    expect_refusal "dots: a region of another picture" '--region and --min-length choose what --what dots draws' \
        plot out --what time --region d1 -o x.svg
}

# Of reads the curves have the bases that alignments cover.
test_reads() {
    awk '/^>/ { n++; next } n == 1 { bases = bases $0 }
        END { for (i = 0; i < 60; i++) print ">r" i "\n" substr(bases, 1 + 500 * i, 100) }' d.fa >reads.fa
    search -q reads.fa -d d.fa --quiet --no-report -o reads
    run plot reads --what dots -o reads.svg
    report "dots: reads" "$(success_problem)"
    check "dots: reads are covered bases" grep -q '>alignments that cover a base, mean<' reads.svg
    check "dots: of 60 reads" grep -q -E '>60 of 60 alignments<' reads.svg
    run plot reads --what dots --region r7 -o read.svg
    check "dots: a region that is one read" grep -q '>1 of 60 alignments; 59 outside<' read.svg
    check_number "dots: of one read there are dots" "$(dots_drawn read.svg)" == 1
}

# Of more alignments than a dot plot draws the strongest, although those of a weaker record are the first of the table.
test_many_dots() {
    local border above expected
    dna 31 60 | tr -d '\n' >unit.seq
    awk -v unit="$(cat unit.seq)" -v weak="$(cut -c 1-30 unit.seq | tr -d '\n'; cut -c 31 unit.seq | tr ACGT CGTA |
        tr -d '\n'; cut -c 32- unit.seq)" '
        { spacers = spacers $0 }
        function put(name, repeat, from,   i) {
            print ">" name
            for (i = 0; i < 150; i++) print repeat substr(spacers, 1 + 40 * (from + i), 40)
        }
        END { put("weak", weak, 0); put("strong", unit, 150); put("d", unit, 300) }' < <(dna 32 18000) >many.fa
    awk '/^>d/ { exit } { print }' many.fa >many_q.fa
    awk '/^>/ { is_d = /^>d/ } is_d' many.fa >many_d.fa
    search -q many_q.fa -d many_d.fa -s plus --quiet --no-report -o many
    run plot many --what dots -o many.svg
    check "dots: 20,000 at most" grep -q -E '>20000 of [0-9]* alignments; [0-9]* of lower or equal scores<' many.svg
    border=$(sed -n 's/^<path class="s3 dash" d="M[0-9.]* \([0-9.]*\)L.*/\1/p' many.svg)
    above=$(sed -n 's/^<path class="s[67] w[23] round[^"]*" d="\([^"]*\)".*/\1/p' many.svg | tr M '\n' |
        awk -F '[ L]' -v border="${border:-none}" 'NF > 1 && $2 <= border' | wc -l)
    expected=$(sort -s -t $'\t' -k 12,12gr many/alignments.tsv | head -n 20000 | grep -c ^strong)
    check_number "dots: the strongest are drawn" "$above" == "$expected"
}

# rate_of QUEUE: that the picture of the pipeline shows, elements a second
rate_of() {
    awk -F '[<>]' -v queue="$1" '$3 == queue { found = 1 }
        found && at { split($3, words, " "); print words[1] * 10 ^ (3 * index("kMG", substr(words[2], 1, 1))); exit }
        found && $3 == "rate" { at = 1 }' pipeline.svg
}

# Records leave the board while it streams; the inbox is there for all of the run.
test_rates() {
    can_flatten || { skip "rates of queues" "neither python3 nor jq"; return; }
    flatten out/summary.json >flat
    check_number "the egress FIFO's rate is over the time that is measured (three digits)" \
        "($(rate_of 'egress FIFO') * $(number flat measured_time_s) / $(number flat stage_2/hsps_out) - 1)^2" '<' 0.005^2
    check_number "the inbox's is over the run" \
        "($(rate_of 'inbox of stage 3') * $(number flat simulated_time_s) / $(number flat stage_3/hsps) - 1)^2" '<' 0.005^2
}

# A queue whose signal is on while nearly all of its places are free is as full as it gets.
test_bursts() {
    search -q q.fa -d d.fa --quiet --no-report --set fifo.sram_margin=495 -o bursts
    run plot bursts --what pipeline -o bursts.svg
    check "the signal of the SRAM FIFO makes it full in bursts" \
        test "$(grep -B 1 '>SRAM FIFO<' bursts.svg | grep -c '>full in bursts<')" = 1
}

# A row's numbers are below its name.
test_rows() {
    local x
    x=$(text_at latency.svg 'through .*' | cut -d ' ' -f 1 | sort -u)
    check_number "latencies: a row has a name" "$(wc -w <<<"$x")" == 1
    check "and its numbers end where it does" test "$x" = "$(text_at latency.svg 'mean .*, max .*' | cut -d ' ' -f 1 | sort -u)"
}

# Elements that a histogram of latencies has no bin for are said beside its bars.
test_outside() {
    local at=measurements/latency/wmer_fifo_to_bus_out below above side
    can_flatten || { skip "elements outside of histograms" "neither python3 nor jq"; return; }
    echo 'latency at wmer_fifo to bus_out: max, histogram(600..800/10)' >outside.tt
    search -q q.fa -d d.fa --measure outside.tt --quiet --no-report -o outside
    flatten outside/summary.json >outside.flat
    run plot outside --what latency -o outside.svg
    read -r below above < <(sed -n 's/.*>not in its bars: \([0-9.]*\)% below, \([0-9.]*\)% above<.*/\1 \2/p' outside.svg)
    for side in "under ${below:-none}" "over ${above:-none}"; do
        check_number "latencies: those that are ${side% *} all bins" \
            "(${side#* } - 100 * $(number outside.flat "$at/histogram/${side% *}") / $(number outside.flat "$at/weight"))^2" '<=' 0.25
    done
}

# backwards FILE...: lines of pictures that go back along x from one point to the next; numbers are rounded to 0.01.
backwards() {
    grep -h -o -E '<path class="s[^>]* d="[^"z]*"' "$@" | sed 's/.* d="//; s/"$//; s/[ML]/\n&/g' | awk '
        /^[ML]/ { at = substr($1, 2) + 0; if (/^L/ && at < before - 0.011) print before " -> " at; before = at }' | head -n 5
}

# Stage 3 is so slow that passes wait together, and thousands of HSPs with them.
test_long_queues() {
    local set=(--set query.segment=2000 --set host.cores=1 --set stage3.cycles_per_check=100000) bin part
    search -q q.fa -d d.fa -o long --quiet --no-report "${set[@]}" --measure timetrial2011
    report "a slow stage 3" "$(success_problem)"
    for part in "${parts[@]}"; do
        run plot long --what "$part" -o "long-$part.svg"
    done
    check_number "there are many lines" "$(cat long-*.svg | grep -c '<path class="s')" '>' 100
    check "of HSPs of many passes together" grep -q '>hsps_to_software<' long-boxes.svg
    check "513 numbers of records are drawn as means of bins, and say so" \
        grep -q 'elements in it \[records\], means of bins of 2<' queues.svg
    check_not "no others are" grep -q 'elements in it \[[a-z-]*s\], means of bins' <(grep -v 'records' queues.svg)
    report "no line of a picture goes back" "$(backwards long-{time,queues,models,boxes,latency,dots}.svg {time,queues,models,boxes,latency,dots}.svg)"
    check_number "more HSPs wait than a bin of each has" "$(number_of max)" '>' 256
    check_number "p99 is not below the mean" "$(number_of p99)" '>=' "$(number_of mean)"
    bin=$(awk -F '\t' '$1 == "inbox" && $7 == "run" && sum < 0.99 { sum += $6; from = $3; to = $4 }
        END { print from, to }' long/histograms.tsv)
    check_number "it lies in its bin" "$(number_of p99) * 1.006" '>=' "${bin% *}"
    check_number "(not above it)" "$(number_of p99)" '<=' "${bin#* } * 1.006"
}

# number_of NAME: of the inbox, in the picture of the pipeline
number_of() {
    awk -F '[<>]' -v name="$1" '$3 == "inbox of stage 3" { found = 1 }
        found && at { split($3, words, " "); print words[1] * 10 ^ (3 * index("kMG", words[2] ? words[2] : "-")); exit }
        found && $3 == name { at = 1 }' long-pipeline.svg
}

# --- runs with little in them

little() { # DESCRIPTION DIRECTORY ARGUMENT...
    local description=$1 directory=$2
    shift 2
    search -o "$directory" --quiet "$@"
    report "$description: a page that is whole" "$(
        success_problem
        run_page_problem "$directory/report.html"
    )"
}

test_little() {
    { echo '>short'; cut -c 1-60 q.seq; } >short.fa
    { echo '>other'; dna 77 5000; } >other.fa
    little "one strand, so that there is one pass" one -q q.fa -d d.fa -s plus
    little "no alignment" none -q q.fa -d other.fa -e 1e-30
    check "no alignment: the page says what to do" grep -q 'No alignment is significant' <(without_words none/report.html)
    little "a single short sequence" short -q short.fa -d short.fa
    check "a latency of one clock is drawn" grep -q '>through ingress_fifo<' short/report.html
    little "--measure none" unmeasured -q q.fa -d d.fa --measure none
    check "--measure none: the page says what to do" grep -q 'This run measured no latency' unmeasured/report.html
    little "SAM" sam -q q.fa -d other.fa -f sam
    check "SAM: the page says what a dot plot needs" grep -q 'A dot plot needs a table' sam/report.html
    little "columns of one's own" columns -q q.fa -d d.fa -f "6 qstart sstart"
    check "columns of one's own: likewise" grep -q 'twelve standard columns' columns/report.html
    printf 'rate at bus_in every 1 us as words\nrate at bus_in every 50 us of run as run_words\n' >every.tt
    little "rates frame by frame" frames -q q.fa -d d.fa --measure every.tt
    check "rates frame by frame: those of the run, too" grep -q '>run_words<' frames/report.html
    check "rates frame by frame: with the interval of the summary" grep -q "<td>words</td>.*>$(
        sed -n '/"words": {/,/"level"/s/^ *"half_width": \([0-9.e+]*\),*$/\1/p' frames/summary.json | head -n 1 | xargs printf '%.5g')!\?<" \
        frames/report.html
    little "boards side by side" boards -q q.fa -d d.fa --set boards=2
    check "boards side by side: the page says so" grep -q 'sums over the boards' boards/report.html
    little "hosts with two boards each" hosts -q q.fa -d other.fa --set hosts=2 --set boards=2 --set query.segment=3000
    check_number "hosts with two boards each: every pass has its host and its board" \
        "$(grep -c '>[0-9]* \(plus\|minus\), host [12] board [12]<' hosts/report.html)" == \
        "$(grep -c -E '^[0-9]' hosts/passes.tsv)"
    check_number "hosts with two boards each: board 3 is the first one of host 2" \
        "$(grep -c ', host 2 board 1<' hosts/report.html)" == "$(awk -F '\t' '$6 == 3' hosts/passes.tsv | wc -l)"
    little "more hosts than passes" idle -q q.fa -d other.fa --set hosts=3 --set boards=2
    check "more hosts than passes: means of the boards that had some" grep -q 'means of the 2 boards that had' idle/report.html
    run plot idle --what time -o idle.svg
    check "more hosts than passes: a picture counts these boards, too" grep -q '>q.fa × other.fa, 2 boards at' idle.svg
    check_not "more hosts than passes: the network's last messages join nothing" grep -q 'joining what' idle.svg
    little "tables that load ahead" ahead -q q.fa -d other.fa --set schedule.overlap=tables --set sram.bytes=16e6 \
        --set query.segment=3000
    run plot ahead --what time -o ahead.svg
    check_number "tables that load ahead: a pass loads its own and waits for the next one's" \
        "$(grep -c '<title>pass 1: tables over the bus' ahead.svg)" == 2
    check_number "tables that load ahead: the bar of the stream has its clocks" \
        "$(sed -n 's/.* width="\([0-9.]*\)".*<title>pass 1: database streams.*/\1/p' ahead.svg) / 816 * \
            $(sed -n 's/^ *"simulated_time_s": \([0-9.e-]*\),*$/\1/p' ahead/summary.json | head -n 1) * 133e6" '<' \
        "1.5 * $(column ahead/passes.tsv clocks 1)"
    little "many passes" many -q q.fa -d other.fa --set query.segment=300
    check_number "many passes: more than have bars of their own" "$(grep -c -E '^[0-9]' many/passes.tsv)" '>' 64
    check_number "many passes: of less than 1 MB" "$(wc -c <many/report.html)" '<' 1000000
    rm one/passes.tsv one/records.tsv
    run report one
    report "a run of an older version: a page that is whole" "$(
        success_problem
        run_page_problem one/report.html
    )"
}

# --- refusals

# broken NAME CHANGE: a copy of the run in the directory `broken`, with one file changed.
broken() {
    rm -rf broken
    cp -r bare broken
    "$2" "broken/$1"
}

empty() { : >"$1"; }
cut_short() { head -c $(($(wc -c <"$1") / 2)) "$1" >"$scratch/cut" && cp "$scratch/cut" "$1"; }
cut_last_line() { sed -i '$d' "$1"; }
braces() { echo '{}' >"$1"; }
say_hello() { echo hello >"$1"; }

test_refusals() {
    local name change before
    expect_refusal "report without DIR" 'needs the directory of a run' report
    expect_refusal "report of two" "unexpected|does not take" report out bare
    expect_refusal "report of what is not there" 'outt: no such directory; did you mean out\?' report outt
    expect_refusal "report of nothing like it" 'zzzzzz: no such directory; mercury run' report zzzzzz
    expect_refusal "report of a file" 'q\.fa: is no run, but seems to be FASTA' report q.fa
    sed '1s/.*/>#tag/' q.fa >tag.fa
    expect_success "a name begins as comments do" -q tag.fa -d d.fa -o tagged --quiet
    check "and has its page" grep -q '#tag' tagged/report.html
    expect_refusal "report of a file of a run" 'run\.json: is a file of a run; name its directory, out/' report out/run.json
    gzip -c q.fa >q.fa.gz
    expect_refusal "report of a compressed file" 'q\.fa\.gz: is no run, but is compressed' report q.fa.gz
    mkdir empty
    expect_refusal "report of an empty directory" 'empty: holds no run \(no summary\.json\)' report empty
    expect_refusal "report into a missing directory" 'nowhere/x\.html: ' report out -o nowhere/x.html
    expect_refusal "report to a full disk" '/dev/full: cannot be written' report out -o /dev/full
    expect_refusal "plot without --what" 'a picture \(--what PICTURE\)' plot out -o x.svg
    expect_refusal "plot without -o" 'a file to write \(-o FILE\)' plot out --what dots
    expect_refusal "plot: unknown picture" "'pipline': expected forecast, pipeline, time,.* or dots" \
        plot out --what pipline -o x.svg
    expect_refusal "plot: unknown picture, none like it" 'expected forecast, pipeline, time,' plot out --what xyzzy -o x.svg
    expect_refusal "plot: unknown extension" "'x\.gif': expected a name that ends in \.svg, \.png or \.pdf" \
        plot out --what dots -o x.gif
    expect_refusal "plot: no extension" "'x': expected" plot out --what dots -o x
    sed 's/^>.*/>one/' q.fa >one.fa
    { cat one.fa; echo '>one'; dna 77 500; } >twins.fa
    search -q twins.fa -d d.fa -o twins --quiet --no-report
    expect_refusal "plot: records that the table does not tell apart" 'Two records have the same name' \
        plot twins --what dots -o x.svg
    expect_refusal "plot: nothing to draw" 'none: nothing to draw: No alignment' plot none --what dots -o x.svg
    for name in summary.json run.json histograms.tsv passes.tsv records.tsv frames.tsv alignments.tsv; do
        for change in empty cut_short say_hello; do
            # an empty table of alignments is caught by its number of rows
            broken "$name" "$change"
            expect_refusal "report: $name, $change" "broken/$name" report broken
        done
    done
    for name in passes.tsv alignments.tsv; do
        broken "$name" cut_last_line
        expect_refusal "report: $name without its last line" "broken/$name: has [0-9]+ (passes|alignments) where" \
            report broken
    done
    for name in summary.json run.json; do
        broken "$name" braces
        expect_refusal "report: $name of nothing" "broken/$name: (is no summary|schema: expected|schema is missing)" report broken
    done
    broken run.json rm
    expect_refusal "report: an interrupted run" 'interrupted' report broken
    before=$(listing)
    PATH=/nowhere "$mercury" plot out --what dots -o x.png >"$scratch/out" 2>"$scratch/err"
    status=$?
    refused "PNG without rsvg-convert" 'install librsvg2-bin' "$before"
}

# --- a browser

# What Chromium says on its console. It needs a home to write to.
test_browser() {
    if ! have chromium || ! have timeout; then
        skip "Chromium shows the page without an error" "no chromium"
        return
    fi
    HOME=$scratch timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --v=0 \
        --window-size=1280,900 --screenshot="$scratch/page.png" "file://$work/out/report.html" \
        >/dev/null 2>"$scratch/console"
    if [ ! -s "$scratch/page.png" ]; then
        skip "Chromium shows the page without an error" "chromium does not start here"
        return
    fi
    report "Chromium shows the page without an error" "$(grep -E 'CONSOLE' "$scratch/console")"
}

# A page of paper ends where its lowest word is. Its margins are 14 mm, 40 pt.
test_paper() {
    local title="on paper no page but the last is emptier than a quarter" pylori=/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
    if ! have chromium || ! have timeout || ! have pdftotext || ! [ -f "$pylori" ]; then
        skip "$title" "no chromium, pdftotext (poppler-utils), or H. pylori (sibelia-examples)"
        return
    fi
    local n
    for n in 1 2; do gzip -dc "$pylori" | awk -v n=$n '/^>/ { i++ } i == n' >pylori-$n.fa; done
    for n in 1 2; do
        rm -rf paper paper.pdf
        "$mercury" run -q pylori-1.fa -d pylori-2.fa --set boards=$n -o paper --quiet
        HOME=$scratch timeout 120 chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer \
            --print-to-pdf=paper.pdf "file://$work/paper/report.html" >/dev/null 2>&1
        report "$title, $n boards" "$(pdftotext -bbox paper.pdf - | awk -F '"' '/<page/ { high[++n] = $4 } /<word/ && $8 > low[n] { low[n] = $8 }
            END { if (n < 5) print n " pages"; for (i = 1; i < n; i++) if (low[i] - 40 < 0.75 * (high[i] - 80)) print "page " i " ends at " low[i] }')"
    done
}

make_input
test_page
test_no_report
test_retime
test_passes
test_pictures
test_strands
test_words
test_numbers
test_boxes
test_borders
test_region
test_reads
test_many_dots
test_rates
test_bursts
test_rows
test_outside
test_long_queues
test_little
test_refusals
test_browser
[ -n "$few" ] || test_paper # its pages are those that were looked at
finish
