# lib.sh - what the command-line tests share: running mercury, counting, input. Sourced by test_*.sh.
#
#   tests/cli/test_bad_options.sh build/mercury .      runs one by hand: the program, then the source directory
#
# Output is TAP. Every script works in a directory of its own under $TMPDIR, which is removed at its end.
# shellcheck shell=bash

set -u
export LC_ALL=C

# Where there is room, files are in memory: syncing costs nothing there.
[ "$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -lt 4000000 ] 2>/dev/null || [ ! -w /dev/shm ] ||
    export TMPDIR=${TMPDIR:-/dev/shm}

# Set by `meson test`, but not with --setup all: fewer cases of what is much alike.
few=${MERCURY_TESTS_FEW:-}

# many WORD...: these words, but none where cases are to be few
many() {
    [ -n "$few" ] || printf '%s\n' "$@"
}

tests=0 failures=0 status=0
sanitized='' # whether the program has sanitizers, which take more memory and addresses
mercury='' source_directory='' platform='' scratch='' work=''

# --- beginning and end

begin() { # MERCURY SOURCE_DIRECTORY
    if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -f "$2/data/platforms/mercury-2010.xml" ]; then
        echo "Bail out! usage: $0 MERCURY SOURCE_DIRECTORY"
        exit 2
    fi
    mercury=$(realpath "$1")
    ! grep -q __asan_init "$mercury" || sanitized=yes
    source_directory=$(realpath "$2")
    platform=$source_directory/data/platforms/mercury-2010.xml
    scratch=$(mktemp -d) || exit 2
    trap 'rm -rf "$scratch"' EXIT
    # Debian's python3, which has the packages that quickstart installs: another one that is first in the PATH may begin
    # with a script that looks for it, which takes several times as long as most of what it is asked.
    mkdir "$scratch/tools"
    [ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$scratch/tools/"
    PATH=$scratch/tools:$PATH
    work=$scratch/work
    mkdir "$work"
    cd "$work" || exit 2
}

finish() {
    echo "1..$tests"
    [ "$failures" -eq 0 ]
    exit
}

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

# --- counting

# tell RESULT DESCRIPTION [DIRECTIVE]: a description is one line, and TAP takes what follows a # for a directive.
tell() {
    local text=${2//$'\n'/ }
    tests=$((tests + 1))
    echo "$1 $tests - ${text//#/ }${3:-}"
}

pass() { # DESCRIPTION
    tell ok "$1"
}

skip() { # DESCRIPTION REASON
    tell ok "$1" " # SKIP $2"
}

fail() { # DESCRIPTION PROBLEM
    failures=$((failures + 1))
    tell 'not ok' "$1"
    printf '%s\n' "$2" | head -n 12 | sed 's/^/# /'
}

# report DESCRIPTION PROBLEM: no problem is a pass.
report() {
    if [ -z "$2" ]; then pass "$1"; else fail "$1" "$2"; fi
}

# check DESCRIPTION COMMAND...: the command succeeds.
check() {
    local description=$1 said
    shift
    if said=$("$@" 2>&1); then pass "$description"; else fail "$description" "failed: $*"$'\n'"$said"; fi
}

check_not() {
    local description=$1
    shift
    if "$@" >"$scratch/said" 2>&1; then fail "$description" "did not fail: $*"; else pass "$description"; fi
}

# without_words FILE: a page of a run without the links from words to what they mean
without_words() {
    sed 's/<a class="w"[^>]*>\([^<]*\)<\/a>/\1/g' "$1"
}

# check_same DESCRIPTION FILE FILE: and neither is empty.
check_same() {
    local problem=''
    if [ ! -s "$2" ]; then
        problem="$2 is empty or missing"
    else
        problem=$(diff "$2" "$3" 2>&1)
    fi
    report "$1" "$problem"
}

# check_number DESCRIPTION LEFT OPERATOR RIGHT: compares two awk expressions; whole numbers of few digits without awk,
# because there are hundreds of them.
check_number() {
    local problem='' comparison='^([<>=!]=|<|>)$' whole='^(0|[1-9][0-9]{0,14})$'
    if [[ ! $3 =~ $comparison ]]; then
        problem="no comparison: $3"
    elif [[ $2 =~ $whole && $4 =~ $whole ]]; then
        (($2 $3 $4)) || problem="not true: $2 $3 $4"
    else
        awk "BEGIN { exit !(($2) $3 ($4)) }" 2>/dev/null || problem="not true: $2 $3 $4"
    fi
    report "$1" "$problem"
}

# has_mpi: whether mercury was built with MPI, which is a module beside it
has_mpi() {
    [ -e "$(dirname "$mercury")/app/mercury-mpi.so" ]
}

# prepare_mpirun: Open MPI refuses root and more ranks than processors, each version by another variable. All ranks are on
# this machine and talk through its memory: looking for networks is what a start of mpirun takes longest for.
# test_mpirun.sh also asks for what MPI chooses; if that is a network, it has to be this machine's own. Where there is no
# /sys, hwloc says so on standard error.
prepare_mpirun() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_HIDE_ERRORS=2
    case $(mpirun --version 2>/dev/null) in
    *'(Open MPI) 4.'*) export OMPI_MCA_rmaps_base_oversubscribe=1 ;;
    *'(Open MPI) 5.'*) export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
    *) export PRTE_MCA_mapby=:oversubscribe ;;
    esac
    export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_tcp_if_include=lo
}

have() { # TOOL
    command -v "$1" >/dev/null 2>&1
}

# unwrapped FILE: its sentences, each in one line: a line that is indented by two more columns goes on with the one before,
# unless it begins with a dash.
unwrapped() {
    awk 'BEGIN { ended = 1 } { match($0, /^ */); indent = RLENGTH }
        indent == begun + 2 && NF && !ended && $1 != "-" { printf " %s", substr($0, indent + 1); next }
        { if (NR > 1) print ""; printf "%s", $0; begun = indent; ended = !NF }
        END { print "" }' "$1"
}

# --- running mercury

# run ARGUMENT...: leaves $status, $scratch/out and $scratch/err.
run() {
    "$mercury" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    forget_sanitizer
}

# A build with AddressSanitizer tells on standard error that it does not know SimGrid's stacks; that is no finding.
forget_sanitizer() {
    local harmless='^==[0-9]+==WARNING: ASan is ignoring requested __asan_handle_no_return|^False positive error reports'
    harmless+='|^For details see https://github.com/google/sanitizers/issues/189'
    if [[ $(<"$scratch/err") =~ 'ASan is ignoring requested' ]]; then
        sed -i -E "/${harmless//\//\\/}/d" "$scratch/err"
    fi
}

# search ARGUMENT...: mercury run on the default machine, named, so that it does not depend on where the build is.
search() {
    run run -p "$platform" "$@"
}

# expect_success DESCRIPTION ARGUMENT...: of search; says what went wrong.
expect_success() {
    local description=$1
    shift
    search "$@"
    report "$description" "$(success_problem)"
}

success_problem() {
    [ "$status" -eq 0 ] && return
    echo "exit status $status, expected 0"
    cat "$scratch/err"
}

# tells DESCRIPTION PATTERN ARGUMENT...: exit status 0, all on standard output, matching.
tells() {
    local description=$1 pattern=$2 problem
    shift 2
    run "$@"
    problem=$(
        success_problem
        [ ! -s "$scratch/err" ] || echo "on standard error: $(head -n 1 "$scratch/err")"
        grep -q -E -e "$pattern" "$scratch/out" || echo "nothing matches: $pattern"
    )
    report "$description" "$problem"
}

# What a refusal must not change: names of all, size and time of files.
listing() {
    find . -mindepth 1 \( -type d -printf '%p\n' -o -printf '%p %s %T@\n' \)
}

# refusal_problem PATTERN: what is wrong with the refusal that was just run. Hundreds are: no process looks at a line.
refusal_problem() {
    local lines first
    mapfile lines <"$scratch/err"
    first=${lines[0]:-}
    [ "$status" -eq 2 ] || echo "exit status $status, expected 2"
    [[ ${#lines[@]} -eq 1 && $first == *$'\n' ]] || echo "${#lines[@]} lines on standard error, expected one"
    [[ $first == 'mercury: '* ]] || echo "standard error does not begin with 'mercury: '"
    [[ ${first%$'\n'} =~ $1 ]] || echo "the message does not match: $1"
    [ ! -s "$scratch/out" ] || echo "something is on standard output: $(head -n 1 "$scratch/out")"
}

# refused DESCRIPTION PATTERN LISTING_BEFORE: judges the run that just ended.
refused() {
    local problem after
    forget_sanitizer
    problem=$(refusal_problem "$2")
    after=$(listing)
    if [ "$after" != "$3" ]; then # or only in another order
        problem+=$(diff <(sort <<<"$3") <(sort <<<"$after") | sed -n 's/^[<>]/left or changed:/p')
    fi
    [ -z "$problem" ] || problem+=$'\n'"it said: $(cat "$scratch/err")"
    report "$1" "$problem"
}

# expect_refusal DESCRIPTION PATTERN ARGUMENT...: exit status 2, one line "mercury: ..." that matches the extended
# regular expression, nothing on standard output, no file changed or left.
expect_refusal() {
    local description=$1 pattern=$2 before
    shift 2
    before=$(listing)
    run "$@"
    refused "$description" "$pattern" "$before"
}

# --- processes at work

# nap: for 3 ms, without a process
exec {never}<> <(:)
nap() {
    read -r -t 0.003 -u "$never" || :
}

# await COMMAND...: until it succeeds; fails after two minutes, which no machine under load needs.
await() {
    local end=$((SECONDS + 120))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        nap
    done
}

# says_nothing COMMAND...: it prints nothing.
says_nothing() {
    [ -z "$("$@")" ]
}

# Processes of Mercury that work in this directory, but for these.
processes_here() { # PROCESS...
    local process name
    find /proc/[0-9]*/cwd -maxdepth 0 -lname "$PWD" 2>/dev/null | while IFS=/ read -r _ _ process _; do
        read -r name 2>/dev/null <"/proc/$process/comm"
        [ "$name" != mercury ] || [[ " $* " == *" $process "* ]] || echo "left: $process"
    done
}

# await_free DIRECTORY: the processes of its passes end soon after a run that was killed, and hold it until then.
await_free() {
    [ ! -d "$1" ] || flock -w 120 "$1" true
}

children_of() { # PROCESS; into `children`
    children=()
    [ -z "$1" ] || read -r -a children 2>/dev/null <"/proc/$1/task/$1/children"
}

# is_stopped PROCESS: stops it; fails if it has ended.
is_stopped() {
    local stat
    kill -STOP "$1" 2>/dev/null || return
    while read -r stat 2>/dev/null <"/proc/$1/stat"; do
        [[ $stat != *') T '* ]] || return 0
        [[ $stat != *') Z '* ]] || return 1
        nap
    done
    return 1
}

# catch PROCESS COMMAND...: stops the process when the command succeeds; fails if the process has ended before.
catch() {
    local process=$1
    shift
    while is_stopped "$process"; do
        ! "$@" || return 0
        kill -CONT "$process"
        nap
    done
    return 1
}

# stop_pass PROCESS: stops the process of a pass of it, $pass, which has a file in memory of this name; others go on.
stop_pass() {
    local child children
    children_of "$1"
    for child in "${children[@]}"; do
        if is_stopped "$child"; then
            pass=$child
            [[ $(readlink "/proc/$child/fd/"*) != *mercury-pass* ]] || return 0
            kill -CONT "$child"
        fi
    done
    pass=''
    return 1
}

# stop_first_pass PROCESS: like stop_pass, when the first is there; fails if the process has ended before.
stop_first_pass() {
    until stop_pass "$1"; do
        kill -0 "$1" 2>/dev/null || return
        nap
    done
}

# --- input

# dna SEED BASES: random bases, 60 a line, the same for the same seed.
dna() {
    awk -v x="$1" -v bases="$2" 'BEGIN {
        modulus = 2147483647
        x = x * 7919 + 1
        for (i = -20; i < bases; i++) {
            x = x * 16807 % modulus
            if (i < 0) continue
            line = line substr("ACGT", int(x / modulus * 4) + 1, 1)
            if (length(line) == 60) { print line; line = "" }
        }
        if (line != "") print line
    }'
}

# mutate SEED: changes about 3 bases in 100 of its input.
mutate() {
    awk -v x="$1" 'BEGIN { modulus = 2147483647; x = x * 7919 + 1; for (i = 0; i < 20; i++) x = x * 16807 % modulus }
    {
        line = ""
        for (i = 1; i <= length($0); i++) {
            base = substr($0, i, 1)
            x = x * 16807 % modulus
            if (x % 100 < 3) base = substr("ACGT", index("ACGT", base) % 4 + 1, 1)
            line = line base
        }
        print line
    }'
}

# reverse_complement: of all lines of input together.
reverse_complement() {
    tr -d '\n' | tr ACGTacgt TGCAtgca | awk '{ for (i = length($0); i > 0; i--) printf "%s", substr($0, i, 1) }'
    echo
}

# repetitive_input REPEATS: makes q.fa, three records, the last one REPEATS times 16 bases of low complexity, so that there are
# trips to the duplicate table; and d.fa, with copies on both strands.
repetitive_input() {
    dna 21 9000 | tr -d '\n' >q.seq
    {
        echo '>q1 the first'
        head -c 5000 q.seq | fold -w 70
        echo
        echo '>q2'
        tail -c +5001 q.seq | fold -w 70
        echo
        printf 'ACACACGTACACACGA%.0s' $(seq "$1") | fold -w 70
        echo
    } >q.fa
    {
        echo '>d1'
        dna 22 30000
        cut -c 1001-3000 q.seq | mutate 5
        for _ in {1..90}; do printf 'CACACACGTACACACG'; done
        echo
        echo '>d2'
        dna 23 20000
        cut -c 6001-8500 q.seq | mutate 6 | reverse_complement
    } >d.fa
}

# block_gzip: what bgzip writes, from standard input; by bgzip or by python3.
block_gzip() {
    if have bgzip; then
        bgzip -c
        return
    fi
    python3 -c '
import struct, sys, zlib
def block(data):
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = deflate.compress(data) + deflate.flush()
    head = struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(packed) + 25)
    return head + packed + struct.pack("<II", zlib.crc32(data), len(data))
text = sys.stdin.buffer.read()
for i in range(0, len(text), 20000):
    sys.stdout.buffer.write(block(text[i:i + 20000]))
sys.stdout.buffer.write(block(b""))'
}

# prophages ECOLI.GZ: of the E. coli that bowtie-examples has, 370,000 bases with prophages like lambda: a third of the
# HSPs of lambda against the whole, in a thirteenth of its bases.
prophages() {
    gzip -dc "$1" | sed -n '1p;15715,21000p;21000q'
}

can_block_gzip() {
    have bgzip || have python3
}

# --- pages

# page_problem FILE PART...: what is wrong with a page: not XML, HTML that libxml2 refuses for more than a name of HTML 5,
# anything that a reader would have to fetch or run, a number that is none, a part that is missing, 1 MB or more.
page_problem() {
    local page=$1 part
    shift
    [ -s "$page" ] || { echo "no page $page"; return; }
    if have xmllint; then
        xmllint --noout "$page" 2>&1
        # read in pieces, libxml2 2.9.14 finds fault with an attribute that a piece ends in
        xmllint --html --noout --memory "$page" 2>&1 | grep ' error : ' |
            grep -v -E 'Tag (nav|section|figure|details|summary|svg|g|path|rect|circle|text|title) invalid'
    fi
    grep -n -i -E 'https?:|<script|<link|<img|<iframe|@import|url\(|onload=' "$page" | cut -c 1-200
    grep -n -w -i -E 'nan|inf' "$page" | grep -v '<' | head -n 3
    grep -n -o -w -i -E '[^>]*>[-+]?(nan|inf)[*=%]?</t[dh]' "$page" | head -n 3
    for part in "$@"; do
        grep -q "<section id=\"$part\">" "$page" || echo "no part $part"
    done
    [ "$(wc -c <"$page")" -lt 1000000 ] || echo "has 1 MB or more"
}

# page_rows FILE SECTION: the rows of the tables of a section, as TSV.
page_rows() {
    awk -v section="<section id=\"$2\">" '$0 == section { inside = 1 } $0 == "</section>" { inside = 0 } inside' "$1" |
        grep '^<tr><td' | sed -E 's/<\/td><td[^>]*>/\t/g; s/<[^>]*>//g'
}

# --- results

can_flatten() {
    have python3 || have jq
}

# flatten FILE: JSON as lines "path<tab>value", in the file's own digits.
flatten() {
    if have python3; then
        python3 -c '
import json, sys
def walk(path, value):
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            walk(path + [str(key)], item)
    else:
        print("/".join(path) + "\t" + ("null" if value is None else str(value)))
walk([], json.load(open(sys.argv[1]), parse_float=str, parse_int=str))' "$1"
    else
        jq -r 'paths(type != "object" and type != "array") as $p
            | [($p | map(tostring) | join("/")), (getpath($p) | tostring)] | @tsv' "$1"
    fi
}

# value FLAT PATH: prints it, or nothing and fails.
value() {
    awk -F '\t' -v path="$2" '$1 == path { print $2; found = 1 } END { exit !found }' "$1"
}

# number FLAT PATH: like value; what is missing becomes text that no awk expression is true with.
number() {
    value "$1" "$2" || echo "? $2 is missing"
}
