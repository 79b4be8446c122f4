#!/bin/bash
# test_explore.sh MERCURY SOURCE_DIRECTORY - mercury explore: its link, who may ask and who may not, bad requests, many
# clients, answers equal to those of mercury retime, its end, and the page as a person uses it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"
have curl || skip_all "no curl"

server='' base=''
trap 'stop_server; rm -rf "$scratch"' EXIT

make_run() {
    dna 1 12000 | tr -d '\n' >q.seq
    { echo '>q1 <b>&"first"</b>'; fold -w 70 q.seq; echo; } >q.fa
    {
        echo '>d1'
        { dna 2 30000; cut -c 1001-4000 q.seq | mutate 7; dna 3 20000; } | tr -d '\n' | fold -w 70
        echo
    } >d.fa
    search -q q.fa -d d.fa -o out --record out/run.tokens --quiet
    report "a run leaves its record in its directory" "$(success_problem)"
    search -q q.fa -d d.fa -o bare --quiet
    sed -i 's/"wall_time_s": .*,/"wall_time_s": 7,/' out/run.json # which the page then expects of other tokens
    sed '/^>/!s/\(.\{40\}\).\{20\}/\1acacacacacacacacacac/' q.fa >low.fa
    search -q low.fa -d d.fa -s minus --dust '10 40 1' --lcase-masking -e 1e-5 -o masked \
        --record masked/run.tokens --set fifo.sram=400 --quiet
    mkdir -p temporary
}

# --- the server

start_server() { # [RUN]
    rm -f "$scratch/link"
    : >"$scratch/err"
    # Its processes append, so that no line of theirs is torn if the file was cut meanwhile.
    TMPDIR=$PWD/temporary "$mercury" explore "${1:-out}" --quiet --for 1200s >"$scratch/link" 2>>"$scratch/err" &
    server=$!
    await serves_or_ended
    link=$(head -n 1 "$scratch/link")
    base=${link%%/#*}
    port=${base##*:}
}

serves_or_ended() {
    [ -s "$scratch/link" ] || ! kill -0 "$server"
}

# admit TOKEN: exchange a link's token for the secret, as the page does, and keep it as a header.
admit() {
    fetch -H 'Content-Type: application/json' -H "Authorization: Bearer $1" -d '{}' "$base/api/admission"
    sed -n 's/^{"secret": *"\([0-9a-f]*\)"}$/Authorization: Bearer \1/p' "$scratch/body" >admitted
}

enter() {
    admit "${link#*token=}"
    mv admitted secret
}

stop_server() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null
        wait "$server" 2>/dev/null
    fi
    server=''
}

# fetch ARGUMENT...: prints the status; leaves $scratch/body and $scratch/head.
fetch() {
    curl -s -m 300 --noproxy '*' -o "$scratch/body" -D "$scratch/head" -w '%{http_code}' "$@"
}

# ask PATH JSON: a question of one who has the secret.
ask() {
    fetch -H @secret -H 'Content-Type: application/json' --data-binary "$2" "$base/api/$1"
}

# expect_status DESCRIPTION STATUS COMMAND...: what the command prints.
expect_status() {
    local description=$1 wanted=$2 got
    shift 2
    got=$("$@")
    report "$description" "$([[ $got =~ ^($wanted)$ ]] || {
        echo "status $got, expected $wanted"
        head -c 300 "$scratch/body"
    })"
}

serves() {
    kill -0 "$server" && [ "$(fetch "$base/explore.js")" = 200 ]
}

# --- the command

test_refusals() {
    expect_refusal "no operand" 'needs the directory of a run, or a record' explore
    expect_refusal "two operands" "unexpected|argument" explore out bare
    expect_refusal "a directory without a run" 'holds no run .*--record' explore "$work/.."
    expect_refusal "a run without a record says how to make one" \
        'left no tokens.*mercury run -q q.fa -d d.fa -o bare --record bare/run.tokens' explore bare
    expect_refusal "no such file" 'nothing.tokens' explore nothing.tokens
    head -c 5000 out/run.tokens >cut.tokens
    expect_refusal "a record that was cut short" 'cut.tokens' explore cut.tokens
    expect_refusal "a bad time" "'soon'.*30s, 10m or 2h" explore out --for soon
    expect_refusal "no time" "'0s'" explore out --for 0s
    expect_refusal "a bad port" 'port' explore out --port 70000
    "$mercury" retime out/run.tokens -o again --quiet
    start_server
    expect_refusal "a port that is taken" "port $port of 127.0.0.1 cannot be listened on" explore out --port "$port"
    stop_server
    server=''
    local before=$SECONDS
    run explore again --for 1s
    report "a run that was timed again leads to its record; --for ends with 0" "$(success_problem)"
    check_number "after its time" $((SECONDS - before)) '>=' 1
    check "it prints a link" grep -q -E '^http://127\.0\.0\.1:[0-9]+/#token=[0-9a-f]{32}$' "$scratch/out"
}

# --- who may ask

test_link() {
    start_server
    expect_status "without the link nothing is told of the run" 403 fetch "$base/api/machine"
    expect_status "a wrong token is refused" 403 admit 0123456789abcdef0123456789abcdef
    expect_status "an empty token is refused" 403 admit ''
    expect_status "a token that is not in the header is refused" 403 \
        fetch -H 'Content-Type: application/json' -d '{}' "$base/api/admission?token=${link#*token=}"
    expect_status "the link works" 200 enter
    check_not "it gives no cookie, which other servers of this computer would receive" \
        grep -q -i '^Set-Cookie' "$scratch/head"
    expect_status "it works once" 403 admit "${link#*token=}"
    check "and says so" grep -q 'This link has been used' "$scratch/body"
    expect_status "the page is there" 200 fetch "$base/"
    check "with a policy for its content" grep -q -i "^Content-Security-Policy: default-src 'none'" "$scratch/head"
    check_not "and nothing for other origins" grep -q -i '^Access-Control' "$scratch/head"
    local file
    for file in explore.js machine.js answer.js tokens.js curve.js address.js words.js server.js estimate estimate.js explore.css colours.css; do
        expect_status "$file is there" 200 fetch "$base/$file"
    done
    expect_status "who has the secret is told" 200 fetch -H @secret "$base/api/machine"
    expect_status "a wrong secret is refused" 403 \
        fetch -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef' "$base/api/machine"
    expect_status "and the right one as a cookie" 403 fetch -b "secret=$(cut -d ' ' -f 3 secret)" "$base/api/machine"
    expect_status "so is a question without one" 403 fetch -H 'Content-Type: application/json' -d '{}' "$base/api/time"
    expect_status "another host's name is refused" 403 fetch -H @secret -H 'Host: evil.example' "$base/"
    expect_status "and another port's" 403 fetch -H @secret -H 'Host: 127.0.0.1:1' "$base/"
    expect_status "another origin is refused" 403 fetch -H @secret -H 'Origin: http://evil.example' "$base/api/machine"
    expect_status "the null origin is refused" 403 fetch -H @secret -H 'Origin: null' "$base/api/machine"
    expect_status "its own is not" 200 fetch -H @secret -H "Origin: $base" "$base/api/machine"
}

# --- bad requests

test_bad_requests() {
    local path method text
    for path in /../../../etc/passwd /%2e%2e/%2e%2e/etc/passwd /..%2f..%2fetc/passwd /explore.js/../index.html \
        /index.html //etc/passwd /api /api/ /explore.js%00 "/$(printf 'a%.0s' $(seq 3000))"; do
        expect_status "there is no ${path:0:40}" 404 fetch --path-as-is -H @secret "$base$path"
    done
    for method in PUT DELETE OPTIONS PATCH TRACE; do
        expect_status "$method is refused" 405 fetch -H @secret -X "$method" "$base/"
    done
    head -c 20000 /dev/zero | tr '\0' ' ' >large
    expect_status "a body of 20,000 bytes is refused" 413 ask time @large
    expect_status "one whose length is a lie is, too" 413 \
        fetch -H @secret -H 'Content-Type: application/json' -H 'Content-Length: 999999999999' -d x "$base/api/time"
    expect_status "and one beyond 64 bits, which later HTTP libraries take for malformed" '413|400' \
        fetch -H @secret -H 'Content-Type: application/json' -H 'Content-Length: 99999999999999999999' -d x "$base/api/time"
    expect_status "one without a length is refused" 411 fetch -H @secret -H 'Content-Type: application/json' \
        -H 'Transfer-Encoding: chunked' --data-binary @q.fa "$base/api/time"
    expect_status "a form is refused" 415 fetch -H @secret -d 'set=1' "$base/api/time"
    expect_status "and a type that only begins like JSON's" 415 \
        fetch -H @secret -H 'Content-Type: application/jsonX' -d '{}' "$base/api/time"
    expect_status "a type may name its charset" 200 \
        fetch -H @secret -H 'Content-Type: application/json; charset=utf-8' -d '{"page":"p","set":{}}' "$base/api/time"
    for text in '{"set":[]}' '{"number":"x"}' '{"page":7}' '{"set":"fifo.wmer=64"}' '{"free":7}'; do
        expect_status "a member of another type: $text" 400 ask time "$text"
        check "and told" grep -q -E '^\{"error": ?"(set|number|page|free): expected ' "$scratch/body"
    done
    for text in '' '{' '[]' '7' 'null' '{"set":{}' '{"a":1,"a":2}' $'\xff\xfe' "$(printf '[%.0s' $(seq 9000))"; do
        expect_status "no JSON: ${text:0:12}" 400 ask time "$text"
    done
    expect_status "a part that is not there" 400 ask numbers '{"page":"p","set":{},"free":"nope"}'
    check "and told" grep -q -E '^\{"error": ?"no part of the machine is called .nope.; expected host, bus' "$scratch/body"
    expect_status "an unknown question is refused" 404 ask nothing '{"page":"p","set":{}}'
}

bad_value() { # DESCRIPTION CHANGES PATTERN [QUESTION [MEMBER]]
    expect_status "$1 is no error of HTTP" 200 ask "${4:-time}" "{\"page\":\"p\",\"set\":$2${5:+,$5}}"
    check "but told" grep -q -E "^\{\"error\": ?\".*$3" "$scratch/body"
}

test_bad_values() {
    bad_value "a value below its range" '{"fifo.wmer":"4"}' 'fifo.wmer = .*whole number from 16 to 1000000'
    bad_value "a value that is no number" '{"fpga.clock":"nan"}' 'fpga.clock'
    bad_value "a number instead of a text" '{"fpga.clock":1e8}' 'expected a text'
    bad_value "an unknown name" '{"fifo.wmerr":"64"}' 'did you mean fifo.wmer'
    bad_value "values that do not go together" '{"bus.count":"2"}' 'bus.count = 2 must not exceed boards'
    bad_value "a table that no hash function has" '{"table.family":"h3","table.slots":"65537"}' 'table.slots'
    bad_value "the same for new tokens" '{"table.family":"h3","table.slots":"65537"}' 'table.slots' tokens
    bad_value "advice on tokens that are not there" '{"table.slots":"65536"}' 'changes what the stages compute' numbers
    expect_status "a knee of nothing" 200 ask knee '{"points":[7,null,{}]}'
    check "is none" grep -q '"knee":null' "$scratch/body"
}

# raw TEXT: sends bytes, and gives up after a second.
raw() {
    (
        exec 3<>"/dev/tcp/127.0.0.1/$port" || exit
        printf '%b' "$1" >&3
        timeout 1 cat <&3
    ) >/dev/null 2>&1
}

test_bad_bytes() {
    local bad slow=() i malformed=(
        'nonsense\r\n\r\n'
        '\0\0\0\0\377\376\r\n\r\n'
        'GET / HTTP/9.9\r\n\r\n'
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nCookie: $(printf 'a%.0s' $(seq 60000))\r\n\r\n"
        "POST /api/time HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nContent-Length: -5\r\n\r\n"
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:$port\r\n"
        "$(printf 'GET /%.0s' $(seq 5000))"
    )
    for bad in "${malformed[@]}"; do
        raw "$bad" &
        slow+=($!)
    done
    head -c 300000 /dev/urandom | timeout 2 bash -c "cat >/dev/tcp/127.0.0.1/$port" 2>/dev/null
    wait "${slow[@]}"
    check "the server survives malformed requests" serves
    slow=()
    for i in $(seq 50); do
        bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET / HT' >&3; sleep 20" 2>/dev/null &
        slow+=($!)
    done
    sleep 0.3
    check "it answers others while 50 clients send half a request" serves
    kill "${slow[@]}"
    wait "${slow[@]}" 2>/dev/null
    { [ -z "$few" ] && have python3; } || return # it takes until connections are given up
    local before=$SECONDS
    report "it answers others while 1,000 connections wait with half a request" "$(python3 -c '
import socket, subprocess, sys
halves = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for number in range(1000)]
for half in halves: half.sendall(b"GET / HT")
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
' "$port" curl -s -m 40 --noproxy '*' "$base/explore.js" 2>&1)"
    check_number "within seconds" $((SECONDS - before)) '<=' 20
}

# --- answers

# same_numbers DESCRIPTION DIRECTORY: the time and the means of answer.json are those of DIRECTORY's summary.json.
same_numbers() {
    report "$1" "$(python3 -c '
import json, sys
answer, summary = (json.load(open(path)) for path in sys.argv[1:])
places = {"host_queue": "pcix", "ingress_fifo": "stage_1a", "wmer_fifo": "stage_1b", "sram_fifo": "stage_1b",
          "stage2_fifo": "stage_2", "egress_fifo": "pcix", "inbox": "stage_3"}
pairs = [(name, answer[name], summary[name]) for name in ("simulated_time_s", "bottleneck")]
for queue in answer["queues"]:
    theirs = summary[places[queue["name"]]][queue["name"]]
    pairs.append((queue["name"], [queue["mean"], queue["max"]], [theirs["mean"], theirs["max"]]))
if len(pairs) != 9 or not answer["exact"]: print("not whole")
for name, ours, theirs in pairs:
    if ours != theirs: print(name, ours, theirs)
' answer.json "$2/summary.json" 2>&1)"
}

# same_as_retime NAME CHANGES SETTING...
same_as_retime() {
    local name=$1 changes=$2 settings=() setting
    shift 2
    for setting in "$@"; do settings+=(--set "$setting"); done
    "$mercury" retime out/run.tokens "${settings[@]}" -o "retimed-$name" --quiet
    ask time "{\"page\":\"p\",\"set\":$changes}" >/dev/null
    cp "$scratch/body" answer.json
    same_numbers "$name: the numbers of mercury retime" "retimed-$name"
}

test_answers() {
    if ! have python3; then
        skip "answers are those of mercury retime" "no python3"
        return
    fi
    same_as_retime recorded '{}'
    same_as_retime slow '{"fpga.clock":"50e6","fifo.wmer":"20"}' fpga.clock=50e6 fifo.wmer=20
    same_as_retime boards '{"boards":"2","schedule.overlap":"serial","bus.count":"2"}' boards=2 \
        schedule.overlap=serial bus.count=2
    same_as_retime shared '{"boards":"2","host.cores":"1"}' boards=2 host.cores=1
    check_number "an answer has four pictures" "$(grep -o '"picture":"<svg' answer.json | wc -l)" == 4
    check "and the command" grep -q -F '"command":"mercury retime out/run.tokens --set host.cores=1 --set boards=2"' \
        answer.json
    local part parts
    fetch -H @secret "$base/api/machine" >/dev/null
    parts=$(grep -o '"part":"[^"]*"' "$scratch/body" | cut -d '"' -f 4)
    check_number "parts that can be free are told" "$(wc -w <<<"$parts")" == 12
    "$mercury" retime out/run.tokens --free all >free.txt
    for part in $parts; do
        check "a machine with $part free is timed" \
            test "$(ask numbers "{\"page\":\"p\",\"set\":{},\"free\":\"$part\"}")" = 200
        check_number "and takes the time that retime --free says" \
            "$(awk -F '[:,]' '{ printf "%.6g", 1e3 * $2 }' "$scratch/body")" == \
            "$(awk -v part="$part" '$1 == part { print $2 }' free.txt)"
    done
    ask time '{"page":"p","set":{"fpga.device":"xc2v6000"}}' >/dev/null
    check "that a board does not fit its FPGA is told" \
        grep -q 'The board does not fit: xc2v6000 has 144 block RAMs of 18 Kb, 432 are needed' "$scratch/body"
    check "the smallest FIFOs are answered" test "$(ask fifos '{"page":"p","set":{},"sample":true}')" = 200
    check "with the block RAMs of a board, and the bits of an element" grep -q -E '"element_bits":[1-9][0-9]*.*"ramb18":[1-9][0-9]*,"ramb18_before":[1-9]' "$scratch/body"
    check "with five of them" test "$(grep -o '"depth":' "$scratch/body" | wc -l)" = 5
}

# Of 12 passes the first four find nothing. A sample that is spread evenly leads to the time of all, for a machine that
# waits for stage 3, too, and for boards that share a bus.
test_sample() {
    local changes
    have python3 || return
    { echo '>d'; dna 12 16000; } >common.fa
    { echo '>q'; dna 11 8000; sed 1d common.fa | mutate 13; } >late.fa
    search -q late.fa -d common.fa -s plus --set query.segment=2000 --record late.tokens -a late.tsv --quiet
    for changes in '{"host.cores":"1","stage3.cycles_per_cell":"1000"}' \
        '{"schedule.overlap":"serial","stage3.cycles_per_cell":"1000"}' '{"fpga.clock":"20e6"}' \
        '{"boards":"2","host.cores":"1","stage3.cycles_per_cell":"1000"}' '{"schedule.overlap":"tables"}'; do
        start_server late.tokens
        enter >/dev/null
        ask time "{\"page\":\"p\",\"set\":$changes,\"sample\":true}" >/dev/null
        cp "$scratch/body" sampled.json
        ask time "{\"page\":\"p\",\"set\":$changes}" >/dev/null
        cp "$scratch/body" exact.json
        stop_server
        report "a sample leads to about the time of $changes" "$(python3 -c '
import json
sampled, exact = (json.load(open(path)) for path in ("sampled.json", "exact.json"))
if sampled["exact"] or sampled["passes"] > 6: print("no sample:", sampled["passes"])
ratio = sampled["estimated_time_s"] / exact["simulated_time_s"]
if not 0.75 < ratio < 1.25: print("estimated / exact =", ratio)
' 2>&1)"
    done
}

# same_estimate NAME QUESTION: the answer has the rows that its own command gives.
same_estimate() {
    local command
    expect_status "$1: an estimate is answered" 200 ask estimate "$2"
    cp "$scratch/body" estimate.json
    command=$(python3 -c 'import json; print(json.load(open("estimate.json"))["command"])')
    eval "\"\$mercury\" ${command#mercury } -f json --quiet" >commanded.json 2>"$scratch/err"
    report "$1: the table is that of its command" "$(python3 -c '
import json
ours, theirs = json.load(open("estimate.json"))["estimate"], json.load(open("commanded.json"))
if ours != theirs or not ours["rows"]: print(ours, theirs)
' 2>&1)"
}

test_estimates() {
    if have python3; then
        same_estimate "a workload that comes with Mercury" '{"page":"e","machine":"mercury-pcie","workload":"blast",
            "nodes":"1..8","set":{"board.number":"4","down.bandwidth":"2 GB/s"},"executed":true}'
        same_estimate "the workload of the run" '{"page":"e","machine":"mercury-2010","workload":"run","nodes":"1,2,3",
            "set":{},"segments":"100","database_bases":"2e6","distribution":"database","synchronize":true}'
        same_estimate "the run itself" '{"page":"e","machine":"mercury-2010","workload":"run","nodes":"1","set":{}}'
        check_not "the run itself has a detailed time" grep -q '"detailed_s":null' estimate.json
    fi
    local question='"page":"e","machine":"mercury-2010","workload":"blast"'
    bad_estimate "a number that is none" "{$question,\"set\":{\"board.number\":\"x\"}}" 'number'
    bad_estimate "a name that is none" "{$question,\"set\":{\"baord.number\":\"4\"}}" "did you mean 'board'"
    bad_estimate "no text" "{$question,\"set\":{\"board.number\":4}}" 'expected a text'
    bad_estimate "nodes" "{$question,\"nodes\":\"0\"}" 'numbers from 1 to 1000000'
    bad_estimate "a file of the disk" '{"page":"e","machine":"/etc/passwd","workload":"blast"}' \
        'expected one of mercury-2010, mercury-cluster'
    bad_estimate "a machine for another workload" '{"page":"e","machine":"sp2-simple","workload":"run"}' \
        "nodeset 'core' is not known"
    bad_estimate "a value of 100 characters" \
        "{$question,\"set\":{\"board.number\":\"$(printf '1%.0s' {1..100})\"}}" 'expected a text'
    bad_estimate "a file of the disk as workload" '{"page":"e","machine":"mercury-2010","workload":"/etc/passwd"}' \
        'expected one of run, blast, titan'
    bad_estimate "bases" '{"page":"e","machine":"mercury-2010","workload":"run","database_bases":"15"}' \
        'a number from 16 to 1e15'
    bad_estimate "no segments" '{"page":"e","machine":"mercury-2010","workload":"run","segments":"0"}' \
        'a number from 1 to 1e9'
    bad_estimate "segments" '{"page":"e","machine":"mercury-2010","workload":"run","segments":"1.5"}' 'whole number'
}

bad_estimate() { # DESCRIPTION QUESTION PATTERN
    expect_status "an estimate is refused: $1" 200 ask estimate "$2"
    check "and told" grep -q -E "$3" "$scratch/body"
}

test_platform() {
    local changes='{"fifo.wmer":"64","pcix.efficiency":"0.7","boards":"3","schedule.overlap":"tables"}'
    check "a platform file is given" test "$(ask platform "{\"set\":$changes}")" = 200
    cp "$scratch/body" saved.xml
    run run -p saved.xml --dump-config
    cp "$scratch/out" saved.config
    search --set fifo.wmer=64 --set pcix.efficiency=0.7 --set boards=3 --set schedule.overlap=tables \
        --dump-config
    check_same "mercury run -p takes it, and has the same numbers" "$scratch/out" saved.config
}

# --- new tokens

# make_tokens PAGE CHANGES: a page that has tokens made, and waits for them; it goes when $making is killed.
make_tokens() {
    : >made
    curl -s -N -m 300 --noproxy '*' -H @secret -H 'Content-Type: application/json' -o made \
        -d "{\"page\":\"$1\",\"set\":$2}" "$base/api/tokens" &
    making=$!
    await tokens_are_made
}

tokens_are_made() {
    grep -q -E '"(made_s|error)"' made || ! kill -0 "$making"
}

is_gone() { # PROCESS
    ! kill -0 "$1" 2>/dev/null
}

# long_tokens ARGUMENT...: tokens of 1492 passes, which take their time; arguments are for curl.
long_tokens() {
    curl -s -N -m 300 "$@" --noproxy '*' -H @secret -H 'Content-Type: application/json' -o long \
        -d '{"page":"long","set":{"query.segment":"80"}}' "$base/api/tokens"
}

close_page() {
    kill "$making" 2>/dev/null
    wait "$making" 2>/dev/null
}

# What the server has of a page's tokens.
tokens_left() {
    ls -A temporary
    ls -l "/proc/$server/fd" "/proc/$server/map_files" 2>/dev/null | grep -o 'temporary/.*'
    grep -o 'temporary/.*' "/proc/$server/maps"
}

# same_as_command DESCRIPTION: the command of answer.json gives its numbers.
same_as_command() {
    local command
    command=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["command"])' answer.json)
    rm -rf commanded
    eval "\"\$mercury\" ${command#mercury } -o commanded --quiet" >/dev/null 2>&1
    same_numbers "$1" commanded
}

test_tokens() {
    local changes='{"bloom.hashes":"5","stage2.threshold":"16","fifo.wmer":"40"}'
    ask time "{\"page\":\"p\",\"set\":$changes}" >/dev/null
    report "what needs new tokens is told, and how long they take" "$(
        echo '{"needs":{"stage2.threshold":"16","bloom.hashes":"5"},"expected_s":7.0}' |
            diff - <(cat "$scratch/body"; echo) 2>&1
    )"
    make_tokens p "$changes"
    check "they are made" grep -q made_s made
    if have python3; then
        ask time "{\"page\":\"p\",\"set\":$changes}" >/dev/null
        cp "$scratch/body" answer.json
        search -q q.fa -d d.fa --set bloom.hashes=5 --set stage2.threshold=16 --set fifo.wmer=40 -o other --quiet
        same_numbers "new tokens: the numbers of mercury run" other
    fi
    ask time "{\"page\":\"q\",\"set\":$changes}" >/dev/null
    check "another page does not have them" grep -q '^{"needs"' "$scratch/body"
    report "they have no name on the disk" "$(ls -A temporary)"
    local older=$making
    make_tokens p '{"bloom.hashes":"4"}'
    check "a page's newer ones take their place" await is_gone "$older"
    ask time "{\"page\":\"p\",\"set\":$changes}" >/dev/null
    check "so that they are there no more" grep -q '^{"needs"' "$scratch/body"
    close_page
    await says_nothing tokens_left
    report "they go with their page" "$(tokens_left)"
    local pages=() page
    for page in 1 2 3; do
        make_tokens "page$page" '{"bloom.hashes":"4"}'
        pages+=("$making")
    done
    expect_status "a fourth page gets none" 503 ask tokens '{"page":"page4","set":{"bloom.hashes":"4"}}'
    kill "${pages[@]}"
    wait "${pages[@]}" 2>/dev/null
    await says_nothing tokens_left
    mv q.fa gone.fa
    make_tokens p "$changes"
    mv gone.fa q.fa
    check "an input that is gone is told" grep -q '^{"error":"q.fa: the run.s query is needed again' made
    close_page
    { sed '$d' d.fa; echo ACGT; } >changed.fa
    mv d.fa kept.fa
    mv changed.fa d.fa
    make_tokens p "$changes"
    mv kept.fa d.fa
    check "so is one that has changed" grep -q '^{"error":"d.fa: the database has changed since' made
    close_page
}

test_masked_tokens() {
    start_server masked/run.tokens
    enter >/dev/null
    make_tokens p '{"bloom.hashes":"4"}'
    ask time '{"page":"p","set":{"bloom.hashes":"4","score.match":"2"}}' >/dev/null
    check "tokens are of some changes only" grep -q '^{"needs":{"score.match":"2","bloom.hashes":"4"}' "$scratch/body"
    ask time '{"page":"p","set":{"bloom.hashes":"4","fifo.wmer":"50"}}' >/dev/null
    cp "$scratch/body" answer.json
    check "the command has strand, masks, E-value and machine" grep -q -e "mercury run -q low.fa -d d.fa -p [^ ]* -s minus \
--dust '10 40 1' --lcase-masking -e 1e-05 --set fifo.wmer=50 --set fifo.sram=400 --set bloom.hashes=4\"" answer.json
    have python3 && same_as_command "new tokens of a masked query: the command gives their numbers"
    make_tokens p '{"score.match":"2"}'
    ask time '{"page":"p","set":{"score.match":"2"}}' >/dev/null
    cp "$scratch/body" answer.json
    check "other scores: it has the threshold, which run would convert" \
        grep -q -e "-e 1e-05 --set [^\"]*score.match=2 --set stage2.threshold=13\"" answer.json
    have python3 && same_as_command "other scores: the command gives their numbers"
    close_page
    stop_server
}

# --- many at once

test_many() {
    local i clients=${few:+30}
    clients=${clients:-100}
    for i in $(seq "$clients"); do
        curl -s -m 300 --noproxy '*' -H @secret -H 'Content-Type: application/json' -o "many.$i" -w '%{http_code}\n' \
            -d "{\"page\":\"page$i\",\"set\":{\"fifo.wmer\":\"$((16 + i % 4))\"}}" "$base/api/time" >"code.$i" &
    done
    for i in $(jobs -p); do [ "$i" = "$server" ] || wait "$i"; done
    report "$clients clients at once are answered or refused" "$(cat code.* | grep -v -E '^(200|503)$' | sort | uniq -c)"
    check_number "most are answered" "$(cat code.* | grep -c 200)" '>=' "0.9 * $clients"
    report "each with its own machine" "$(for i in $(seq "$clients"); do
        grep -q 200 "code.$i" && ! grep -q -- "--set fifo.wmer=$((16 + i % 4))\"" "many.$i" && echo "many.$i"
    done)"
    check "the server serves on" serves
}

test_newest() {
    local i codes
    for i in $(seq 20); do
        ( curl -s -m 300 --noproxy '*' -H @secret -H 'Content-Type: application/json' -o /dev/null -w '%{http_code}\n' \
            -d "{\"page\":\"one\",\"number\":$i,\"set\":{\"fifo.wmer\":\"$((100 + i))\"}}" \
            "$base/api/time" >"newest.$i" ) &
    done
    for i in $(jobs -p); do [ "$i" = "$server" ] || wait "$i"; done
    codes=$(cat newest.* | sort | uniq -c | tr '\n' ' ')
    check "of 20 questions of one page the newest is answered" grep -q 200 newest.20
    report "older ones are answered or given up ($codes)" "$(cat newest.* | grep -v -E '^(200|409)$')"
    for i in 1 2 3 4 5; do
        curl -s -m 0.1 --noproxy '*' -H @secret -H 'Content-Type: application/json' \
            -d "{\"page\":\"gone$i\",\"set\":{}}" "$base/api/fifos" >/dev/null
    done
    long_tokens -m 0.3
    fetch -H @secret "$base/explore.js" >/dev/null # what was asked before has been taken
    await says_nothing processes_here "$server"
    report "nothing is computed for clients that have gone" "$(processes_here "$server")"
    check "the server serves on" serves
}

# --- the end

# A job has begun a pass.
is_at_work() {
    local job jobs children
    children_of "$server"
    jobs=("${children[@]}")
    for job in "${jobs[@]}"; do
        children_of "$job"
        [ "${#children[@]}" -eq 0 ] || return 0
    done
    return 1
}

test_end() {
    ask fifos '{"page":"p","set":{}}' >/dev/null &
    local client=$! status
    long_tokens &
    local long=$!
    await is_at_work
    kill -INT "$server"
    wait "$server"
    status=$?
    check_number "Ctrl-C ends it with 0" "$status" == 0
    wait "$client" "$long"
    report "and all that it has started" "$(processes_here "$server")"
    report "it says nothing" "$(forget_sanitizer; cat "$scratch/err")"
    start_server
    enter >/dev/null
    ask fifos '{"page":"p","set":{}}' >/dev/null &
    client=$!
    long_tokens &
    long=$!
    await is_at_work
    kill -KILL "$server"
    wait "$server" 2>/dev/null
    wait "$client" "$long"
    await says_nothing processes_here "$server"
    report "if it is killed, its processes end, too" "$(processes_here "$server")"
    report "and leave no tokens" "$(ls -A temporary)"
    server=''
}

test_record_alone() {
    mkdir alone
    cp out/run.tokens alone/run.tokens
    start_server alone/run.tokens
    enter >/dev/null
    check "a record alone is timed" test "$(ask numbers '{"page":"p","set":{},"sample":true}')" = 200
    bad_estimate "of a record alone" '{"page":"e","machine":"mercury-2010","workload":"run"}' \
        'the workload of this run is not known: expected mercury explore DIR'
    stop_server
}

# --- in a browser

# points_of FILE: value, time, throughput and limit of each point of the curve that the page drew, and the knee's mark.
points_of() {
    python3 -c '
import json, re, sys
for tip in json.load(open(sys.argv[1])):
    found = re.match(r"pcix.bandwidth = (\S+): (\S+) (\S+), (\S+) Mw-mers/s, the (.*) limits the stream", tip)
    seconds = float(found[2]) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[found[3]]
    print(found[1], f"{seconds:.4g}", f"{float(found[4]):.4g}", found[5].replace(" ", "_").split("\x27")[0],
          "knee" if "The knee" in tip else "-")
' "$1"
}

# knee_of TSV: the bandwidth of the knee in the table of a picture.
knee_of() {
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "pcix.bandwidth") column = i }
        /\tknee/ { print $column }' "$1"
}

# The first, a middle and the last point are those of mercury retime; the knee is that of mercury sweep over all points.
same_curve() {
    local value time speed limit place
    points_of curve.json >points
    check_number "the curve has its points" "$(wc -l <points)" '>=' 20
    while read -r value time speed limit place; do
        rm -rf varied
        "$mercury" retime out/run.tokens --set "pcix.bandwidth=$value" -o varied --quiet
        report "the point at $value is that of mercury retime" "$(python3 -c '
import json, sys
value, time, speed, limit = sys.argv[1:]
run = json.load(open("varied/summary.json"))
theirs = run["stage_1a"]["wmers"] / run["measured_time_s"] / 1e6
limit = limit.replace("stage_", "")
ours = (time, speed, limit)
exact = ("%.4g" % run["simulated_time_s"], "%.4g" % theirs, run["bottleneck"]["limit"])
if ours != exact: print(ours, exact)
' "$value" "$time" "$speed" "$limit" 2>&1)"
    done < <(sed -n -e 1p -e 12p -e '$p' points)
    "$mercury" sweep -q q.fa -d d.fa --vary "pcix.bandwidth=$(cut -d ' ' -f 1 points | paste -s -d ,)" --store swept.db --quiet
    "$mercury" sweep plot --store swept.db -o plots
    check "a sweep over the same values has a knee" grep -q knee plots/energy.tsv
    report "the knee is that of mercury sweep" "$(diff <(awk '$5 == "knee" { print $1 }' points) <(knee_of plots/energy.tsv) 2>&1)"
}

test_browser() {
    if ! have chromium || ! have chromedriver || ! have python3; then
        skip "a person can use the page" "no chromium, chromedriver or python3"
        return
    fi
    start_server
    mkdir -p browser
    search -q q.fa -d d.fa --set stage2.threshold=16 --set bloom.hashes=5 -o other --quiet
    python3 "$source_directory/tests/cli/explore_browser.py" "$link" browser other/summary.json \
        >"$scratch/said" 2>"$scratch/browser"
    local status=$?
    if [ "$status" -eq 77 ]; then
        skip "a person can use the page" "$(head -n 1 "$scratch/browser")"
    else
        while IFS= read -r line; do
            report "browser: ${line#* }" "$([ "${line%% *}" = ok ] || echo "$line")"
        done < <(sed 's/^not ok/not/' "$scratch/said")
        report "the browser came to the end" "$([ "$status" -eq 0 ] || grep -A 1 explore_browser "$scratch/browser")"
        same_curve
        run run -p browser/machine.xml --dump-config
        report "mercury run -p takes the platform that was saved" "$(success_problem)"
        check "with the numbers of the sliders" grep -q -P '^fifo.wmer\t64\t' "$scratch/out"
    fi
    stop_server
}

make_run
test_refusals
test_link
test_bad_requests
test_bad_values
test_bad_bytes
test_answers
test_estimates
test_platform
test_tokens
test_many
test_newest
test_end
test_masked_tokens
test_record_alone
test_sample
test_browser
finish
