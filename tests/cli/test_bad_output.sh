#!/bin/bash
# test_bad_output.sh MERCURY SOURCE_DIRECTORY - everything that can be wrong with where output goes: exit status 2, one line
# that tells what to change, and nothing left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

make_good_input() {
    { echo '>good one'; dna 1 1200; } >good.fa
    gzip -c good.fa >good.fa.gz
}

# refuse_output DESCRIPTION PATTERN ARGUMENT...: of a run that is right but for where it writes.
refuse_output() {
    local description=$1 pattern=$2
    shift 2
    expect_refusal "output: $description" "$pattern" run -p "$platform" -q good.fa -d good.fa "$@"
}

test_output_files() {
    mkdir full
    refuse_output "-a names a directory" 'full: .*[Dd]irectory' -a full
    refuse_output "-a below a file" 'good\.fa/x: ' -a good.fa/x
    refuse_output "-a without its parent" 'missing/x: ' -a missing/x
    refuse_output "-a in /proc" '/proc/mercury\.tsv: ' -a /proc/mercury.tsv
    refuse_output "-a /dev/full" '/dev/full: .*No space' -a /dev/full
    refuse_output "-a with a name that is too long" 'xxx' -a "$(printf 'x%.0s' {1..300})"
    refuse_output "-a with an empty name" '^mercury: .+' -a ''
    if [ "$(id -u)" -eq 0 ]; then
        skip "output: -a in a directory without permission" "root may write everywhere"
        return
    fi
    mkdir locked
    chmod 555 locked
    refuse_output "-a in a directory without permission" 'locked/x: .*Permission' -a locked/x
}

test_output_directories() {
    local name
    refuse_output "-o names a file" 'good\.fa: .*directory' -o good.fa
    refuse_output "-o below a file" 'good\.fa/x: ' -o good.fa/x
    refuse_output "-o without its parent" 'missing/x: ' -o missing/x
    refuse_output "-o in /proc" '/proc/mercury: ' -o /proc/mercury
    refuse_output "-o with an empty name" '^mercury: .+' -o ''
    for name in alignments.tsv summary.json summary.txt histograms.tsv validation.tsv passes.tsv records.tsv run.json \
        report.html; do
        mkdir -p "out-$name/$name"
        refuse_output "-o DIR, and DIR/$name is a directory" "out-$name/$name: " -o "out-$name"
    done
}

# Who may write to a directory could plant links in it.
test_planted_links() {
    local name
    mkdir -p planted
    for name in alignments.tsv summary.json run.json report.html unfinished.passes; do
        echo precious >"victim-$name"
        ln -s "../victim-$name" "planted/$name"
    done
    search -q good.fa -d good.fa -o planted --keep-after 0 --quiet
    report "a run in a directory with links in it" "$(success_problem)"
    report "leaves what they lead to" "$(grep -v precious victim-*)"
    report "and has files in their place" "$(find planted -type l)"
}

# Two names of one file: a copy of the query under all of them, whole after every refusal.
test_clashes() {
    cp good.fa own.fa
    ln -s own.fa link.fa
    ln own.fa hard.fa
    cp "$platform" own.xml
    search -q good.fa -d good.fa -o own --record own/run.tokens --quiet
    cp good.fa own/alignments.txt
    ln -s passes.tsv own/x.svg
    local over='this would overwrite' two='is to be written to the same file' q=(-q own.fa -d good.fa)
    refuse_output "-a is the query" "-a own\.fa: $over the query \(own\.fa\)" "${q[@]}" -a own.fa
    refuse_output "-a is the database by another path" "$over the database" -d own.fa -a own/.././own.fa
    refuse_output "--timeline is a link to the query" "--timeline link.fa: $over" "${q[@]}" --timeline link.fa
    refuse_output "--record is another link of the query" "--record hard.fa: $over" "${q[@]}" --record hard.fa
    expect_refusal "output: -a is the platform" "$over the platform" run -p own.xml -q good.fa -d good.fa -a own.xml
    refuse_output "-a and --record are one" "$two" -a new.tsv --record ./new.tsv
    refuse_output "--timeline is in -o" "--timeline new/summary.json: -o $two" -o new --timeline new/summary.json
    refuse_output "the query is a file of -o" "-o own/alignments.txt: $over the query" -q own/alignments.txt -o own
    local before
    before=$(listing)
    "$mercury" run -q - -d good.fa -a own.fa <own.fa >"$scratch/out" 2>"$scratch/err"
    status=$?
    refused "output: -a is standard input" "$over the query \(-\)" "$before"
    expect_refusal "retime over its record" "$over the record" retime own/run.tokens -a own/run.tokens
    expect_refusal "compare over its input" "$over --with" compare --with own/alignments.tsv -a own -o own/alignments.tsv
    expect_refusal "synth over what it plants" "$over --plant" synth --length 5000 --plant own.fa --truth link.fa
    expect_refusal "a page over a file of its run" "$over a file of the run" report own -o own/passes.tsv
    expect_refusal "a picture over a file of its run" "$over a file of the run" plot own --what time -o own/x.svg
    expect_refusal "a page over its summary" "$over the summary" validate own --report own/summary.json
    expect_success "a pipe is many times the same" -q good.fa -d good.fa -a /dev/null --timeline /dev/null
}

# A run that was killed while it wrote leaves all but run.json.
test_unfinished_run() {
    local unfinished='own: its run has not finished'
    rm own/run.json own/x.svg
    expect_refusal "validate of an unfinished run" "$unfinished" validate own
    expect_refusal "compare with an unfinished run" "$unfinished" compare --with own/alignments.tsv -a own
    expect_refusal "report of an unfinished run" "$unfinished" report own
    expect_refusal "plot of an unfinished run" "$unfinished" plot own --what time -o time.svg
    expect_refusal "explore an unfinished run" "$unfinished" explore own
    rm -r own own.fa link.fa hard.fa own.xml
}

test_temporary_files() {
    local missing='/missing: no temporary file can be made there: No such file.*TMPDIR'
    TMPDIR=/missing refuse_output "TMPDIR is missing" "$missing" -o out
    TMPDIR=/missing expect_refusal "sweep: TMPDIR is missing" "$missing" \
        sweep -q good.fa -d good.fa --vary fifo.wmer=16 --store out.db
}

# A file at its limit is an error of writing, and not the end by SIGXFSZ.
test_file_limit() {
    local before
    before=$(listing)
    (
        ulimit -f 10 # KiB: the list of what is planted has more
        exec "$mercury" synth -l 200k --plant good.fa:2000 --plant-length 20 --truth limited.tsv 2>"$scratch/err" | cat >/dev/null
        exit "${PIPESTATUS[0]}"
    )
    status=$?
    : >"$scratch/out"
    refused "a limit on the size of files" 'limited\.tsv: cannot be written: File too large' "$before"
}

# full DESCRIPTION PATTERN ARGUMENT...: with standard output on a full disk.
full() {
    local description=$1 pattern=$2 before
    shift 2
    before=$(listing)
    : >"$scratch/out"
    "$mercury" "$@" >/dev/full 2>"$scratch/err"
    status=$?
    refused "standard output full: $description" "$pattern" "$before"
}

closed() { # DESCRIPTION PATTERN ARGUMENT...
    local description=$1 pattern=$2 before
    shift 2
    before=$(listing)
    : >"$scratch/out"
    "$mercury" "$@" >&- 2>"$scratch/err"
    status=$?
    refused "standard output closed: $description" "$pattern" "$before"
}

test_standard_output() {
    local stdout='standard output'
    full "alignments" "$stdout" run -p "$platform" -q good.fa -d good.fa
    full "alignments, quiet" "$stdout" run -p "$platform" -q good.fa -d good.fa --quiet
    full "--help" "$stdout" --help
    full "help run" "$stdout" help run
    full "run --help" "$stdout" run --help
    full "--version" "$stdout" --version
    full "--dump-config" "$stdout" run -p "$platform" --dump-config
    closed "alignments, quiet" "$stdout" run -p "$platform" -q good.fa -d good.fa --quiet
    closed "--help" "$stdout" --help
    closed "--version" "$stdout" --version
    closed "--dump-config" "$stdout" run -p "$platform" --dump-config
}

# A directory is not whole if what was asked for beside it failed: one that is new, and one of an older run.
test_alignments_full() {
    local name
    "$mercury" run -p "$platform" -q good.fa -d good.fa -o older --quiet
    cp -r older before
    for name in new older; do
        "$mercury" run -p "$platform" -q good.fa -d good.fa -o $name -a /dev/full >"$scratch/out" 2>"$scratch/err"
        status=$?
        forget_sanitizer
        report "-a full: one line, -o $name" "$(refusal_problem '/dev/full: .*No space')"
    done
    check_not "-a full: the files of -o are not whole" test -e new/run.json
    check "-a full: an older run is as it was" diff -r before older
    rm -rf new older before
}

# A summary that cannot be printed must not cost the files.
test_summary_full() {
    "$mercury" run -p "$platform" -q good.fa -d good.fa -o kept >/dev/full 2>"$scratch/err"
    status=$?
    : >"$scratch/out"
    forget_sanitizer
    report "standard output full: the summary of -o" "$(refusal_problem 'summary cannot be written: No space left on device; .* kept are whole$')"
    check "standard output full: the files of -o are whole" test -s kept/run.json -a ! -e kept/run.json.partial
    rm -rf kept
}

make_good_input
search -q good.fa -d good.fa -a hits.tsv --quiet
report "the input that the other tests spoil is good" "$(success_problem)"
rm -f hits.tsv
test_output_files
test_output_directories
test_planted_links
test_clashes
test_unfinished_run
test_temporary_files
test_file_limit
test_standard_output
test_alignments_full
test_summary_full
finish
