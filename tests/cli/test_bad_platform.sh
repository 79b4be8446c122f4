#!/bin/bash
# test_bad_platform.sh MERCURY SOURCE_DIRECTORY - everything that can be wrong with a platform or a module: exit status 2, one line
# that tells what to change, and nothing left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

make_good_input() {
    { echo '>good one'; dna 1 1200; } >good.fa
    gzip -c good.fa >good.fa.gz
}

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
    mkdir directory
    : >empty.xml
    head -c 1500 "$platform" >cut.xml
    head -c 3000 "$platform" >cut2.xml
    echo 'fifo.wmer: 64' >text.xml
    echo '<html><body/></html>' >page.xml
    head -c 2000 "$mercury" >program.xml
    refuse_platform "missing" "no such file, and no machine is called 'missing\.xml'" missing.xml
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

# Without the module that sees SimGrid, or with something else in its place: what simulates is refused, all else works.
test_module() {
    local whole=$mercury module content
    module=$scratch/alone/sim/simgrid/mercury-simgrid.so
    mkdir -p "$(dirname "$module")"
    cp "$whole" "$scratch/alone/"
    cp "$(dirname "$whole")/sim/mercury-xml.so" "$scratch/alone/sim/"
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
    ln -s "$mercury" "$scratch/link"
    mercury=$scratch/link
    tells "called by a link, from elsewhere" '^good' run -p "$platform" -q good.fa -d good.fa --quiet
    mercury=$whole
}

# A process that is refused is no fault of the platform. Root is bound by no such limit.
test_processes() {
    local become=()
    if [ "$(id -u)" -eq 0 ]; then
        have setpriv || { skip "no process to try the platform" "no setpriv"; return; }
        become=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
    chmod a+rx "$scratch" "$work"
    "${become[@]}" test -x "$mercury" ||
        { skip "no process to try the platform" "the user without root may not enter $(dirname "$mercury")"; return; }
    "${become[@]}" bash -c "ulimit -u 1; exec '$mercury' run -q good.fa -d good.fa --set boards=2" </dev/null >"$scratch/out" 2>"$scratch/err"
    check_number "no process to try the platform: status" $? == 2
    check "it is said so" grep -q -x 'mercury: cannot start a process that tries the platform: Resource temporarily unavailable' "$scratch/err"
}

make_good_input
search -q good.fa -d good.fa -a hits.tsv --quiet
report "the input that the other tests spoil is good" "$(success_problem)"
rm -f hits.tsv
test_platform_files
test_platform_elements
test_platform_unused
test_platform_props
test_small_platform
test_platform_without_doctype
test_default_platform
test_module
test_processes
finish
