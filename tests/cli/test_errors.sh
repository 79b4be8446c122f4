#!/bin/bash
# test_errors.sh MERCURY SOURCE_DIRECTORY - everything that can be wrong with arguments, input, machine and output:
# exit status 2, one line that tells what to change, and nothing left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# --- input files

make_good_input() {
    { echo '>good one'; dna 1 1200; } >good.fa
    gzip -c good.fa >good.fa.gz
}

# refuse_input DESCRIPTION PATTERN FILE: as the query and as the database; the reader is the same, so where tests are few, as the
# query only.
refuse_input() {
    expect_refusal "query: $1" "$2" run -p "$platform" -q "$3" -d good.fa -o out
    [ -n "$few" ] || expect_refusal "database: $1" "$2" run -p "$platform" -q good.fa -d "$3" -o out
}

test_files() {
    mkdir directory
    refuse_input "missing file" 'missing\.fa: No such file' missing.fa
    refuse_input "empty name" 'No such file|empty|missing' ''
    refuse_input "directory" 'directory: is a directory' directory
    refuse_input "path below a file" 'good\.fa/x: Not a directory' good.fa/x
    if [ "$(id -u)" -eq 0 ]; then
        skip "unreadable file" "root may read everything"
        return
    fi
    cp good.fa locked.fa
    chmod 000 locked.fa
    refuse_input "unreadable file" 'locked\.fa: Permission denied' locked.fa
}

test_no_fasta() {
    : >empty.fa
    printf ' \n\n\t\n' >blank.fa
    printf 'To be, or not\nto be\n' >text.fa
    printf '@read1\nACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIII\n' >reads.fq
    printf '>p protein\nMKVLAAGIVGLCAKAEFILPQ\n' >protein.fa
    printf '>d\nACGTACGTACGTACGT\nACGT!CGT\n' >letter.fa
    printf '>d\nACGTACGTACGTACGT\nACGT\0ACGTACGT\n' >zero.fa
    head -c 3000 "$mercury" >program.fa
    printf '\376\377\0>\0d\0\n\0A\0C\0G\0T' >utf16.fa
    refuse_input "empty file" 'empty\.fa: empty' empty.fa
    refuse_input "/dev/null" '/dev/null: empty' /dev/null
    refuse_input "only white space" 'blank\.fa: empty' blank.fa
    refuse_input "plain text" 'text\.fa:1: not FASTA' text.fa
    printf '\001\002\003\n' >base.nsq
    refuse_input "a BLAST database" 'base: a BLAST database.*makeblastdb.*FASTA' base
    refuse_input "a file of a BLAST database" 'base\.nsq: a BLAST database.*blastdbcmd' base.nsq
    refuse_input "FASTQ" 'reads\.fq:1: not FASTA.*FASTQ' reads.fq
    refuse_input "protein" 'protein\.fa:2: column 4: .*protein' protein.fa
    refuse_input "a letter that is no base" "letter\\.fa:3: column 5: '!'" letter.fa
    refuse_input "a zero byte" 'zero\.fa:3: column 5: byte 0x00' zero.fa
    refuse_input "a program" 'program\.fa:1: ' program.fa
    refuse_input "UTF-16" 'utf16\.fa:1: ' utf16.fa
}

test_no_sequence() {
    echo '>only a header' >header.fa
    printf '>a\nACGTACGTACGTACGT\n>b\n>c\nACGTACGTACGTACGT\n' >hole.fa
    printf '>a\nACGTACGTACGTACGT\n>b\n\n' >last.fa
    printf '>a\nACGTACGTAC\n' >short.fa
    printf '>a\nACGTACGTAC\n>b\nACGTACGTAC\n' >shorts.fa
    printf '>a\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n' >unknown.fa
    refuse_input "a header and nothing more" "header\\.fa:1: record 'only' ends without a base" header.fa
    refuse_input "a record without a sequence" "hole\\.fa:4: record 'b'" hole.fa
    refuse_input "a last record without a sequence" "last\\.fa:[34]: record 'b'" last.fa
    refuse_input "10 bases" 'short\.fa: .*no 11 consecutive bases' short.fa
    refuse_input "two records of 10 bases" 'shorts\.fa: .*no 11 consecutive bases' shorts.fa
    refuse_input "only N" 'unknown\.fa: .*no 11 consecutive bases' unknown.fa
}

# cut_short FILE BYTES_LEFT_OUT
cut_short() {
    head -c -"$2" "$1" >"cut-$2.${1##*.}"
    refuse_input "$1 without its last $2 bytes" "cut-$2\\.${1##*.}(:[0-9]+)?: .*(truncated|damaged)" "cut-$2.${1##*.}"
}

test_damaged_gzip() {
    local missing
    for missing in 1 4 8 9 100 300; do
        cut_short good.fa.gz "$missing"
    done
    head -c 5 good.fa.gz >stump.gz
    { head -c 10 good.fa.gz && head -c 300 "$mercury"; } >garbage.gz
    { head -c 200 good.fa.gz && head -c 9 /dev/zero && tail -c +210 good.fa.gz; } >damaged.gz
    { head -c -8 good.fa.gz && printf '\1\2\3\4' && tail -c 4 good.fa.gz; } >checksum.gz
    refuse_input "five bytes of gzip" 'stump\.gz(:[0-9]+)?: ' stump.gz
    refuse_input "garbage behind a gzip header" 'garbage\.gz(:[0-9]+)?: .*(truncated|damaged)' garbage.gz
    refuse_input "gzip damaged in its middle" 'damaged\.gz(:[0-9]+)?: ' damaged.gz
    refuse_input "gzip with another checksum" 'checksum\.gz(:[0-9]+)?: .*(truncated|damaged)' checksum.gz
    gzip -c /dev/null >nothing.gz
    refuse_input "gzip of nothing" 'nothing\.gz: empty' nothing.gz
}

test_damaged_bgzip() {
    local missing
    if ! can_block_gzip; then
        skip "damaged bgzip" "neither bgzip nor python3"
        return
    fi
    { echo '>blocks'; dna 2 50000; } | block_gzip >blocks.bgz
    for missing in 1 28 29 600 9000; do
        cut_short blocks.bgz "$missing"
    done
}

test_standard_input() {
    local before
    before=$(listing)
    search -q - -d good.fa -a hits.tsv <empty.fa
    refused "standard input: empty" 'standard input: empty' "$before"
    search -q good.fa -d - -a hits.tsv <protein.fa
    refused "standard input: protein" 'standard input:2: .*protein' "$before"
    search -q - -d good.fa -a hits.tsv <short.fa
    refused "standard input: 10 bases" 'standard input: .*no 11 consecutive' "$before"
    search -q - -d good.fa -a hits.tsv < <(head -c -9 good.fa.gz)
    refused "standard input: truncated gzip" 'standard input(:[0-9]+)?: .*truncated' "$before"
    search -q - -d good.fa -a hits.tsv <&-
    refused "standard input: closed" 'standard input(:[0-9]+)?: ' "$before"
}

# --- output

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
    report "standard output full: the summary of -o" "$(refusal_problem 'summary cannot be written; .* kept are whole$')"
    check "standard output full: the files of -o are whole" test -s kept/run.json -a ! -e kept/run.json.partial
    rm -rf kept
}

# --- the platform

# alter NAME SED_SCRIPT: the default platform, changed.
alter() {
    sed -E "$2" "$platform" >"$1"
    ! cmp -s "$1" "$platform" || fail "$1 is made" "sed changed nothing: $2"
}

refuse_platform() { # DESCRIPTION PATTERN FILE
    expect_refusal "platform: $1" "$2" run -q good.fa -d good.fa -a hits.tsv -p "$3"
}

line_of() { # PATTERN FILE
    grep -n "$1" "$2" | head -n 1 | cut -d : -f 1
}

test_platform_files() {
    : >empty.xml
    head -c 1500 "$platform" >cut.xml
    head -c 3000 "$platform" >cut2.xml
    echo 'fifo.wmer: 64' >text.xml
    echo '<html><body/></html>' >page.xml
    head -c 2000 "$mercury" >program.xml
    refuse_platform "missing" 'missing\.xml: No such file' missing.xml
    refuse_platform "directory" 'directory: is a directory' directory
    refuse_platform "empty name" '^mercury: .+' ''
    refuse_platform "empty" 'empty\.xml: is empty' empty.xml
    refuse_platform "cut off in a comment" 'cut\.xml:[0-9]+: not well-formed' cut.xml
    refuse_platform "cut off among the props" 'cut2\.xml:[0-9]+: not well-formed' cut2.xml
    refuse_platform "text" 'text\.xml:1: expected a line like' text.xml
    refuse_platform "XML that is no platform" 'page\.xml.*: not a SimGrid platform' page.xml
    refuse_platform "a program" 'program\.xml:[0-9]+: not well-formed' program.xml
}

test_platform_elements() {
    alter no_host.xml '/<host id="host"/,/<.host>/d'
    alter no_fpga.xml '/<host id="fpga"/,/<.host>/d'
    alter no_link.xml '/<link id="pcix"/,/<.link>/d'
    alter no_disk.xml '/<disk/d'
    alter no_route.xml '/<route/,/<.route>/d'
    alter wrong_route.xml 's/<link_ctn id="pcix"/<link_ctn id="pciy"/'
    alter no_version.xml 's/ version="4.1"//'
    alter old_version.xml 's/version="4.1"/version="3"/'
    alter twice.xml 's/(<host id=")fpga(" .*)/\1fpga\2<\/host>\n<host id="fpga" speed="1f">/'
    alter element.xml 's/<route/<road a="b"\/>\n&/'
    refuse_platform "no host" 'no_host\.xml: .*<host id="host">' no_host.xml
    refuse_platform "no fpga" 'no_fpga\.xml: .*<host id="fpga">' no_fpga.xml
    refuse_platform "no link" 'no_link\.xml: .*<link id="pcix">' no_link.xml
    refuse_platform "no disk" 'no_disk\.xml: .*<disk id="memory">' no_disk.xml
    refuse_platform "no route" 'no_route\.xml.*: .*route' no_route.xml
    refuse_platform "a route over a link that is missing" 'wrong_route\.xml.*: .*pciy' wrong_route.xml
    refuse_platform "no version" 'no_version\.xml.*: .*' no_version.xml
    refuse_platform "a version from long ago" 'old_version\.xml.*: .*' old_version.xml
    refuse_platform "the fpga twice" 'twice\.xml.*: .*fpga' twice.xml
    refuse_platform "an unknown element" 'element\.xml:[0-9]+: <road> is not used: expected <platform>' element.xml
}

# What the program does not use is refused by its name; SimGrid would load it and leave it idle.
test_platform_unused() {
    alter other_host.xml 's/"host"/"server"/'
    alter two_boards.xml 's/<link id="pcix"/<host id="fpga2" speed="1f"\/>\n&/'
    alter two_links.xml 's/<route/<link id="usb" bandwidth="1Bps" latency="0s"\/>\n&/'
    alter two_disks.xml 's/<disk/<disk id="scratch" read_bw="1Bps" write_bw="1Bps"\/>\n&/'
    alter long_route.xml 's/<link_ctn.*/&<link_ctn id="usb"\/>/'
    alter further_route.xml 's/<route/<route src="host" dst="disk"><link_ctn id="pcix"\/><\/route>\n&/'
    alter cluster.xml 's/<route/<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1f" bw="1Bps" lat="0s"\/>\n&/'
    refuse_platform "a host of another name" \
        "other_host\.xml:$(line_of '"server"' other_host.xml): host 'server' is not used: expected the hosts 'host' and 'fpga'" \
        other_host.xml
    refuse_platform "a second board" "two_boards\.xml:$(line_of fpga2 two_boards.xml): host 'fpga2' is not used" two_boards.xml
    refuse_platform "a second link" "two_links\.xml:$(line_of usb two_links.xml): link 'usb' .* the links 'pcix' and 'network'" two_links.xml
    refuse_platform "a second disk" \
        "two_disks\.xml:$(line_of scratch two_disks.xml): disk 'scratch' of 'host' .* 'memory' of 'host'" two_disks.xml
    refuse_platform "a route over a second link" "long_route\.xml:$(line_of usb long_route.xml): link_ctn 'usb'" long_route.xml
    refuse_platform "a further route" "further_route\.xml:$(line_of '"disk"' further_route.xml): route from 'host' to 'disk'" \
        further_route.xml
    refuse_platform "a cluster" "cluster\.xml:$(line_of '<cluster' cluster.xml): <cluster> is not used" cluster.xml
    expect_refusal "replay on a platform with a second board" 'two_boards\.xml:[0-9]+: host' \
        replay dor2010-run1 --clocks 1e5 -p two_boards.xml
    expect_refusal "--dump-config of a platform with a second board" 'two_boards\.xml:[0-9]+: host' \
        run --dump-config -p two_boards.xml
}

test_platform_props() {
    alter name.xml 's/id="fifo.wmer"/id="fifo.wmerr"/'
    alter value.xml 's/(id="fifo.wmer" value=")130/\13/'
    alter junk.xml 's/(id="host.supply" value=")895e6/\1fast/'
    alter no_value.xml 's/(id="fifo.wmer") value="130"/\1/'
    alter no_id.xml 's/id="fifo.wmer" //'
    alter pair.xml 's/(id="fifo.sram" value=")500/\140/'
    refuse_platform "unknown prop" "name\\.xml:$(line_of fifo.wmerr name.xml): .*did you mean fifo\\.wmer\\?" name.xml
    refuse_platform "prop out of range" "value\\.xml:$(line_of '"fifo.wmer"' value.xml): fifo\\.wmer.*16 to 1000000" \
        value.xml
    refuse_platform "prop that is no number" "junk\\.xml:$(line_of fast junk.xml): host\\.supply.*100000 to 1e\\+15" \
        junk.xml
    refuse_platform "prop without a value" "no_value\\.xml:$(line_of '"fifo.wmer"' no_value.xml): " no_value.xml
    refuse_platform "prop without an id" "no_id\\.xml:$(line_of '<prop value' no_id.xml): " no_id.xml
    refuse_platform "props that do not go together" 'fifo\.sram.*fifo\.sram_margin' pair.xml
}

write_small_platform() { # PROPS
    cat <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="host" speed="1f"><disk id="memory" read_bw="1Bps" write_bw="1Bps"/>$1</host>
    <host id="fpga" speed="1f"/>
    <link id="pcix" bandwidth="1Bps" latency="0s"/>
    <route src="host" dst="fpga"><link_ctn id="pcix"/></route>
  </zone>
</platform>
END
}

test_small_platform() {
    write_small_platform '<prop id="fifo.wmer" value="64"/><prop id="table.family" value="xxh3"/>' >small.xml
    run run -p "$platform" --dump-config
    sed -E 's/^(fifo\.wmer\t)130/\164/; s/^(table\.family\t)displaced/\1xxh3/' "$scratch/out" >wanted.tsv
    run run -p small.xml --dump-config
    check_same "platform: some props, defaults for the rest" wanted.tsv "$scratch/out"
    run run -p small.xml --dump-config --set fifo.wmer=70
    check "platform: --set goes before a prop" grep -q $'^fifo.wmer\t70\t' "$scratch/out"
    run run -p small.xml -q good.fa -d good.fa --quiet
    report "platform: a run with some props" "$(success_problem)"
    check "platform: a run with some props aligns" grep -q $'^good\tgood\t100.000\t1200\t' "$scratch/out"
    rm -f wanted.tsv
}

# SimGrid wants a DOCTYPE, XML does not.
test_platform_without_doctype() {
    local problem=''
    grep -v DOCTYPE small.xml >bare.xml
    run run -p bare.xml -q good.fa -d good.fa --quiet
    [ "$status" -eq 0 ] || problem=$(refusal_problem 'bare\.xml.*DOCTYPE')
    [ -z "$problem" ] || problem+=$'\n'"it said: $(cat "$scratch/err")"
    report "platform: without a DOCTYPE it works or the message asks for one" "$problem"
}

test_default_platform() {
    run run --dump-config
    report "platform: the default is found from where the program is" "$(success_problem)"
}

# --- numbers of the machine

# Without the module that sees SimGrid, or with something else in its place: what simulates is refused, all else works.
test_module() {
    local whole=$mercury module content
    module=$scratch/alone/sim/simgrid/mercury-simgrid.so
    mkdir -p "$(dirname "$module")"
    cp "$whole" "$scratch/alone/"
    mercury=$scratch/alone/mercury
    for content in '' 'no library'; do
        [ -z "$content" ] || echo "$content" >"$module"
        expect_refusal "run without SimGrid's module${content:+, but $content}" 'mercury-simgrid.so' \
            run -p "$platform" -q good.fa -d good.fa
        expect_refusal "queue without SimGrid's module${content:+, but $content}" 'mercury-simgrid.so' queue --lambda 1 --mu 2
    done
    expect_refusal "a bad input beside a bad module" '^mercury: nothing.fa: ' run -p "$platform" -q nothing.fa -d good.fa
    tells "--version needs no SimGrid" '^mercury ' --version
    tells "synth needs no SimGrid" '^>' synth --length 100
    ln -sf "$(dirname "$whole")/sim/simgrid/mercury-simgrid.so" "$module"
    expect_refusal "sweep without SQLite's module" 'mercury-sqlite.so' \
        sweep -p "$platform" -q good.fa -d good.fa --vary fifo.wmer=130 --store none.db
    ln -s "$mercury" "$scratch/link"
    mercury=$scratch/link
    tells "called by a link, from elsewhere" '^good' run -p "$platform" -q good.fa -d good.fa --quiet
    mercury=$whole
}

refuse_set() { # PATTERN ASSIGNMENT...
    local pattern=$1 arguments=() assignment
    shift
    for assignment in "$@"; do
        arguments+=(--set "$assignment")
    done
    expect_refusal "--set $*" "$pattern" run -p "$platform" -q good.fa -d good.fa -a hits.tsv "${arguments[@]}"
}

test_set_syntax() {
    refuse_set 'fifo\.wmmer.*did you mean fifo\.wmer\?' fifo.wmmer=64
    refuse_set 'did you mean host\.supply\?' host.suply=1e9
    refuse_set 'did you mean (bloom|table)\.family\?' family=xxh3
    refuse_set 'FIFO\.WMER' FIFO.WMER=64
    refuse_set 'fifo\.wmer.*name=value' fifo.wmer
    refuse_set '=64.*name=value' =64
    refuse_set 'name=value' ''
    refuse_set 'name=value' =
    refuse_set '^mercury: --set' "$(printf 'x%.0s' {1..200})=1"
    refuse_set '^mercury: --set' $'fifo\nwmer=1'
    refuse_set '^mercury: --set fifo\.wmer' $'fifo.wmer=1\n2'
}

test_set_values() {
    local value
    for value in nan inf -inf 1e999 '' 8x x8 -1 1.5 15 1000001 '64 64' 0x 1e 1,5; do
        refuse_set 'fifo\.wmer.*16 to 1000000' "fifo.wmer=$value"
        refuse_set 'host\.supply.*100000 to 1e\+15' "host.supply=${value/64/}x"
    done
    for value in nan inf 1e999 '' -1 0 99999; do
        refuse_set 'host\.supply.*100000 to 1e\+15' "host.supply=$value"
    done
    # a number of MB/s or MHz, of which the line says the unit
    refuse_set '100000 to 1e\+15 \[B/s\].*did you mean 1064MB/s\?$' pcix.bandwidth=1064
    refuse_set '100000 to 1e\+15 \[B/s\].*did you mean 895MB/s\?$' host.supply=895
    refuse_set '100000 to 1e\+12 \[Hz\].*did you mean 2400MHz\?$' host.clock=2400
    refuse_set 'bloom\.family.*xxh3 or h3' bloom.family=displaced
    refuse_set 'bloom\.family.*xxh3 or h3' bloom.family=
    refuse_set 'table\.family.*xxh3, h3 or displaced' table.family=md5
    refuse_set 'table\.slots.*1 to 16777216' table.slots=0
    refuse_set 'bloom\.hashes.*1 to 16' bloom.hashes=0
    refuse_set 'bloom\.bank_bits.*1 to 67108864' bloom.bank_bits=0
    for value in ingress wmer sram stage2 egress; do
        refuse_set "fifo\\.$value.*[0-9]+ to 1000000" "fifo.$value=0"
    done
}

# 0x20 is 32 for all parameters, or a value for none.
test_set_hexadecimal() {
    local name accepted='' refused=''
    for name in fifo.wmer host.supply stage2.threshold hash.seed; do
        run run -p "$platform" --dump-config --set "$name=0x1000"
        if [ "$status" -eq 0 ] && grep -q "^$name"$'\t4096\t' "$scratch/out"; then accepted+=" $name"; else refused+=" $name"; fi
    done
    report "--set with a hexadecimal number" "$([ -z "$accepted" ] || [ -z "$refused" ] ||
        echo "accepted:$accepted; refused or misread:$refused")"
}

# Every number has a range, and just outside of it the message tells the range.
test_set_ranges() {
    local name range least most below above
    run run -p "$platform" --dump-config
    cut -f 1,4 "$scratch/out" | sed -n -E 's/(.*)\ta( whole)? number from (.*) to (.*)/\1 \3 \4/p' | awk '{
        printf "%s %s %s %.17g %.17g\n", $1, $2, $3, $2 - ($2 > 0 && $2 < 1 ? $2 / 2 : 1), ($3 > 1 ? 2 * $3 : $3 + 1)
    }' >ranges
    check_number "--dump-config tells the range of every number" "$(wc -l <ranges)" '>=' 37
    while read -r name least most below above; do
        range="$least to $most"
        range=${range//./\\.}
        range=${range//+/\\+}
        refuse_set "${name//./\\.} = .*$range" "$name=$below"
        refuse_set "${name//./\\.} = .*$range" "$name=$above"
    done <ranges
    rm -f ranges
}

test_combinations() {
    refuse_set 'fifo\.sram must.*fifo\.sram_margin' fifo.sram=40
    refuse_set 'fifo\.sram must.*fifo\.sram_margin' fifo.sram_margin=500
    refuse_set 'fifo\.sram_margin.*sram\.read_cycles' fifo.sram_margin=18
    refuse_set 'fifo\.sram_margin.*sram\.read_cycles' sram.read_cycles=42
    refuse_set 'fifo\.wmer' fifo.wmer_margin=131
    refuse_set 'fifo\.stage2' fifo.stage2_margin=11
    refuse_set 'fifo\.stage2.*table\.trip_positions' fifo.stage2=4 fifo.stage2_margin=0
    refuse_set 'fifo\.stage2.*table\.inline_positions' table.inline_positions=11 table.slot_bytes=64
    refuse_set 'table\.inline_positions = 3: .* holds 2 .*table\.slot_bytes = 16 would do' table.inline_positions=3
    refuse_set 'table\.slot_bytes.*multiple of 8' table.slot_bytes=12
    refuse_set 'fifo\.stage2.*table\.trip_positions' table.trip_positions=11
    refuse_set 'bloom\.bank_bits.*power of two' bloom.family=h3 bloom.bank_bits=100000
    refuse_set 'table\.slots.*power of two' table.family=h3 table.slots=100000
    refuse_set 'pcix\.block.*8' pcix.block=65537
    refuse_set 'query\.overlap.*stage2\.window' query.overlap=62
    refuse_set 'query\.overlap.*stage2\.window' stage2.window=128
    refuse_set 'query\.segment.*query\.overlap' query.segment=64
}

test_sam_names() {
    { echo '>twice'; dna 5 100; echo '>twice'; dna 6 100; } >twice.fa
    { echo '>a,b'; dna 5 100; } >comma.fa
    { echo '>q@r'; dna 5 100; } >at.fa
    refuse_arguments "reference 'twice'.*two records" run -q good.fa -d twice.fa -f sam
    refuse_arguments "reference 'a,b'.*ASCII" run -q good.fa -d comma.fa -f sam
    refuse_arguments "query 'q@r'.*without @" run -q at.fa -d good.fa -f sam
}

test_scores() {
    refuse_set 'match 7, mismatch -3.*1/-3' score.match=7
    refuse_set 'match 1, mismatch -7.*1/-3' score.mismatch=-7
    refuse_set 'gap costs 0/0 with scores 1/-1.*3/2' score.mismatch=-1 score.gap_open=0 score.gap_extend=0
    refuse_set 'gap costs 1/0 with scores 1/-3.*0/0' score.gap_open=1 score.gap_extend=0
    refuse_set 'match 100, mismatch -1.*1/-3' score.match=100 score.mismatch=-1
}

# --- arguments

refuse_arguments() { # PATTERN ARGUMENT...
    local pattern=$1
    shift
    expect_refusal "mercury $*" "$pattern" "$@"
}

test_scores_of_blastn() {
    refuse_arguments "--word-size '28': expected 11" run -q good.fa -d good.fa -word_size 28
    refuse_arguments '--penalty: score.mismatch = .3.: expected a whole number from -100 to -1' run -q good.fa -d good.fa -penalty 3
    refuse_arguments 'no statistics for match 7, mismatch -3; supported: 1/-5 ' run -q good.fa -d good.fa -reward 7
    refuse_arguments 'no statistics for gap costs 9/1 .*; supported: .*2/2, ' run -q good.fa -d good.fa -gapopen 9 -gapextend 1
    refuse_arguments "no such option '-html'" run -q good.fa -d good.fa -html
}

test_commands() {
    refuse_arguments 'needs a command'
    refuse_arguments 'needs a command' ''
    refuse_arguments "'runn'" runn -q good.fa -d good.fa
    refuse_arguments "'--nonsense'" --nonsense
    refuse_arguments "'-x'" -x
}

test_options() {
    refuse_arguments "no such option '--nonsense'; see mercury help run" run --nonsense
    refuse_arguments "no such option '--qury'; did you mean --query\\?" run --qury=x
    refuse_arguments "no such option '-x'" run -x -q good.fa -d good.fa
    refuse_arguments "no such option '-x'" run -xq good.fa -d good.fa
    refuse_arguments '--quiet takes no value' run --quiet=5 -q good.fa -d good.fa
    refuse_arguments '--query needs a value' run -q
    refuse_arguments '--database needs a value' run -q good.fa -d
    refuse_arguments '--set.*needs a value' run -q good.fa -d good.fa --set
    refuse_arguments "unexpected argument 'extra'" run -q good.fa -d good.fa extra
    refuse_arguments "unexpected argument 'quiet'; did you mean --quiet\\?" run -q good.fa -d good.fa quiet
    refuse_arguments "unexpected argument 'extra'" run extra -q good.fa -d good.fa
    refuse_arguments "unexpected argument 'extra'" run -q good.fa -d good.fa -- extra
    refuse_arguments '-q' run
    refuse_arguments '-q' run -d good.fa
    refuse_arguments '-d' run -q good.fa
    refuse_arguments 'standard input' run -q - -d -
}

test_option_values() {
    local value
    for value in up '' PLUS plu 'plus ' +; do
        refuse_arguments '--strand .*plus, minus or both' run -q good.fa -d good.fa -s "$value"
    done
    for value in 0 -1 nan inf 1e999 2e6 1e-301 x '' 1e-3x; do
        refuse_arguments '--evalue .*1e-300 to 1e6' run -q good.fa -d good.fa -e "$value"
    done
    for value in 0 -1 1.5 1025 nan 4294967297 x '' 2x; do
        refuse_arguments '--jobs .*1 to 1024' run -q good.fa -d good.fa -j "$value"
    done
    for value in 0 255M 2000T -1G nan G '' 1X 1GG; do
        refuse_arguments '--memory .*256M to 1000T' run -q good.fa -d good.fa --memory "$value"
    done
    for value in 5 -1 '' 67 x ' 6' 6std 6,7 SAM; do
        refuse_arguments '--format .*6 or 7' run -q good.fa -d good.fa -f "$value"
    done
    for value in '0 std' 'sam std' '17 x'; do
        refuse_arguments '--format .*columns only with 6, 7 or 10' run -q good.fa -d good.fa -f "$value"
    done
    for value in '6 foo' '7 std staxid' '6 QSEQID' '6 qseqid,sseqid'; do
        refuse_arguments "--format: no column is called '.*'; (did you mean [a-z]+\? )?there are std qseqid .* btop" run -q good.fa -d good.fa -f "$value"
    done
    for value in '' maybe 20 '20 64' '20 64 1 1' '1 64 1' '20 65 1' '20 64 0' '20 64 33' '2e1 64 1' YES; do
        refuse_arguments "--dust '.*': expected yes, no or 'LEVEL WINDOW LINKER'" run -q good.fa -d good.fa --dust "$value"
    done
    for value in '' blastp BLASTN 1/-3; do
        refuse_arguments '--scores .*: expected classic, blastn or megablast' run -q good.fa -d good.fa --scores "$value"
    done
    for value in 0 -1 1.5 1e10 nan x '' 5x; do
        refuse_arguments '--max-hsps .*1 to 1000000000' run -q good.fa -d good.fa --max-hsps "$value"
        refuse_arguments '--max-target-seqs .*1 to 1000000000' run -q good.fa -d good.fa --max-target-seqs "$value"
    done
}

test_too_many_sets() {
    local arguments=() i
    for i in {1..300}; do
        arguments+=(--set "hash.seed$i=1")
    done
    expect_refusal "300 times --set" 'too many --set' run -p "$platform" -q good.fa -d good.fa "${arguments[@]}"
}

make_good_input
search -q good.fa -d good.fa -a hits.tsv --quiet
report "the input that the other tests spoil is good" "$(success_problem)"
rm -f hits.tsv
test_files
test_no_fasta
test_no_sequence
test_damaged_gzip
test_damaged_bgzip
test_standard_input
test_output_files
test_output_directories
test_clashes
test_unfinished_run
test_temporary_files
test_file_limit
test_standard_output
test_alignments_full
test_summary_full
test_platform_files
test_platform_elements
test_platform_unused
test_platform_props
test_small_platform
test_platform_without_doctype
test_default_platform
test_module
test_set_syntax
test_set_values
test_set_hexadecimal
test_set_ranges
test_combinations
test_scores_of_blastn
test_sam_names
test_scores
test_commands
test_options
test_option_values
test_too_many_sets
finish
