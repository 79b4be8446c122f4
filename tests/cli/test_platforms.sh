#!/bin/bash
# test_platforms.sh MERCURY SOURCE_DIRECTORY - the machines that come with Mercury: the list, what tells them apart, and
# --machine of every command that takes a machine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

published=$source_directory/data/platforms/dor2010.xml
{ echo '>q'; dna 1 2000; } >q.fa
{ echo '>d'; dna 2 3000; tail -n +2 q.fa | mutate 3; dna 4 3000; } >d.fa
tab=$'\t'

test_list() {
    tells "the machines" '^  mercury-2010 +to compare' platforms
    tells "the machines as TSV" "^name${tab}file${tab}purpose\$" platforms -f tsv
    check_number "there are five machines" "$(grep -c "^[a-z0-9-]*$tab/.*\\.xml$tab" "$scratch/out")" == 5
    tells "the machines as JSON" '"name": "dor2010"' platforms -f json
    tells "what the published machine differs in" '^  fifo\.stage2_margin +1 +5  matches$' platforms dor2010
    tells "what it differs in, as TSV" "^stage2\\.threshold${tab}18${tab}13${tab}score\$" platforms dor2010 -f tsv
    tells "what it differs in, as JSON" '"value": 18' platforms dor2010 -f json
    printf 'fifo.wmer = 64\nfpga.clock = 0.1GHz # slower\n' >lines.txt
    tells "-p takes a machine's name" '^fpga.clock.250000000' run -p pcie-gen2-x8 --dump-config
    echo 'fpga.clock = 1MHz' >pcie-gen2-x8
    tells "but a file of that name comes first" '^fpga.clock.1000000' run -p pcie-gen2-x8 --dump-config
    tells "a file of a few lines is a platform" '^fpga.clock.100000000' run -p lines.txt --dump-config
    check "its other numbers are the defaults" grep -q '^fifo.sram.500' "$scratch/out"
    tells "the default machine differs in nothing" '^no number differs' platforms mercury-2010
}

# What `platforms` lists is what --dump-config shows.
test_differences() {
    "$mercury" run --machine mercury-2010 --dump-config | cut -f 1-3 >default.tsv
    "$mercury" run --machine dor2010 --dump-config | cut -f 1-3 >published.tsv
    join -t "$tab" <(sort default.tsv) <(sort published.tsv) |
        awk -F '\t' -v OFS='\t' '$2 != $4 { print $1, $4, $2, $3 }' >wanted.tsv
    "$mercury" platforms dor2010 -f tsv | grep -v -e '^#' -e "^name$tab" >told.tsv
    check_same "the differences are those of --dump-config" wanted.tsv told.tsv
    run run --dump-config
    cut -f 1-3 "$scratch/out" >unnamed.tsv
    check_same "the default machine is mercury-2010" default.tsv unnamed.tsv
    rm -f ./*.tsv
}

# same_run DESCRIPTION ARGUMENT...: --machine dor2010 and -p its file give the same.
same_run() {
    local description=$1
    shift
    "$mercury" "$@" --machine dor2010 --quiet >named 2>"$scratch/err"
    "$mercury" "$@" -p "$published" --quiet 2>>"$scratch/err" >filed
    sed -i '/^machine  /d' named filed
    check_same "$description --machine is -p of its file" named filed
}

test_commands() {
    same_run "run" run -q q.fa -d d.fa
    check "run --machine finds the planted copy" grep -q "^q${tab}d${tab}" named
    same_run "replay" replay dor2010-run1 --clocks 1e6
    same_run "advise" advise -q q.fa -d d.fa --vary table.slots=2^10..2^11 -j 1
    "$mercury" run -q q.fa -d d.fa -a hits.tsv --quiet
    "$mercury" compare --with hits.tsv -q q.fa -d d.fa --machine dor2010 >named
    "$mercury" compare --with hits.tsv -q q.fa -d d.fa -p "$published" >filed
    check_same "compare --machine is -p of its file" named filed
    run sweep -q q.fa -d d.fa --machine dor2010 --vary fifo.wmer=16,32 --store named.db --quiet
    report "sweep --machine" "$(success_problem)"
    run sweep -q q.fa -d d.fa -p "$published" --vary fifo.wmer=16,32 --store filed.db --quiet
    report "sweep -p of its file" "$(success_problem)"
    "$mercury" sweep export --store named.db --columns fifo.wmer,stage2.threshold,hsps >named
    "$mercury" sweep export --store filed.db --columns fifo.wmer,stage2.threshold,hsps >filed
    check_same "sweep --machine is -p of its file" named filed
    check "the sweep is of the named machine" grep -q "^16${tab}18$tab" named
}

test_retime() {
    run run -q q.fa -d d.fa --set stage2.threshold=18 --record run.tokens -a hits.tsv --quiet
    report "a run to time again" "$(success_problem)"
    run retime run.tokens --machine dor2010 -o by_name --quiet
    report "retime --machine" "$(success_problem)"
    "$mercury" retime run.tokens -p "$published" -o by_file --quiet
    check_same "retime --machine is -p of its file" by_name/summary.json by_file/summary.json
    check "run.json names its platform" grep -q '/platforms/dor2010.xml"' by_name/run.json
    run run -q q.fa -d d.fa --record other.tokens -a hits.tsv --quiet
    expect_refusal "retime on a machine of another threshold" 'stage2\.threshold is 18, but was 13.*or --set it as it was' \
        retime other.tokens --machine dor2010 -o refused
}

# Every cell that was measured on the machine, with the tolerance of --fail-over's default, but three queues of run 1 that
# were printed as approaching 0.
test_published_runs() {
    tells "run 2 on the published machine" '^13 of 13 cells within 7% of what was measured' \
        replay --machine dor2010 dor2010-run2 --fail-over 7 --quiet
    check "the replay names its machine" grep -q '^machine  *dor2010$' "$scratch/out"
    run replay --machine dor2010 dor2010-run1 --quiet
    check "run 1 on it" grep -q '^10 of 13 cells within 7% of what was measured' "$scratch/out"
}

# The papers' argument, on DNA in which nothing is alike: blocks queue before the bus, results do not queue behind it.
test_software() {
    "$mercury" synth --length 8M --seed 3 >random.fa
    "$mercury" synth --length 60000 --seed 4 >other.fa
    run run --machine dor2010 -q other.fa -d random.fa -s plus --set host.supply=1064e6 -o random
    report "a run on DNA without homology" "$(success_problem)"
    flatten random/summary.json >flat
    check_number "a further block waits for the bus most of the time" \
        "$(number flat bottleneck/host_queue_ahead_fraction)" '>' 0.8
    check_number "no HSP waits for a core in at least 80% of the time" \
        "$(number flat bottleneck/inbox_empty_fraction)" '>' 0.8
    check_number "never more than a few HSPs wait" "$(number flat stage_3/inbox/max)" '<=' 4
    check "software does not limit" grep -q '^  software does not limit the stream$' random/summary.txt
    check "the bus is busiest" grep -q "^streaming   the bus is busiest" "$scratch/out"
    run run --machine dor2010 -q other.fa -d random.fa -s plus -o random
    check "at the supply that was measured, the supply may limit" \
        grep -q '^  cores keep up with the stream, but the supply of the database may limit it$' random/summary.txt
}

# The FPGA of the machine, which TimeTrial names: 432 blocks are needed with 8 copies of a bank, 240 with 4.
test_device() {
    local sentence='does not fit: xc4vlx100 has 240 block RAMs of 18 Kb, 432 are needed'
    tells "a run says that its FPGA is too small" "^board       $sentence\$" \
        run -q q.fa -d d.fa -o lx100 --set fpga.device=xc4vlx100 --record lx100.tokens
    check_number "in one line" "$(grep -c xc4vlx100 "$scratch/out")" == 1
    check "its summary says so, too" grep -q -x "board     $sentence" lx100/summary.txt
    tells "and so does who times it again" "^board       $sentence\$" retime lx100.tokens -o again
    check "and the page of the run" grep -q "The board $sentence" lx100/report.html
    tells "so is an SRAM that its largest tables do not fit" \
        '^board       does not fit: the SRAM has 1000 bytes \(sram.bytes\), [0-9]{4,} are' \
        retime lx100.tokens --set fpga.device=xc7vx690t --set sram.bytes=1000 -o again
    check "and its page says so" grep -q 'The board does not fit: the SRAM has 1000 bytes' again/report.html
    run run -q q.fa -d d.fa -o lx100 --set fpga.device=xc4vlx100 --set bloom.copies=4
    check_not "it fits with four copies" grep -q 'does not fit' "$scratch/out" lx100/summary.txt lx100/report.html
    check_not "and no FPGA is too small if none is named" grep -q 'does not fit' <("$mercury" run -q q.fa -d d.fa -o none)
}

test_refusals() {
    local command
    for command in 'run -q q.fa -d d.fa' 'retime run.tokens' 'compare --with hits.tsv -q q.fa -d d.fa' 'replay dor2010-run1' \
        'sweep -q q.fa -d d.fa --vary fifo.wmer=16 --store s.db' 'advise -q q.fa -d d.fa'; do
        # shellcheck disable=SC2086
        expect_refusal "${command%% *} on no machine of that name" \
            "^mercury: --machine: no machine is called 'dor2001'; did you mean dor2010\\? \\(all: mercury platforms\\)\$" \
            $command --machine dor2001
        # shellcheck disable=SC2086
        expect_refusal "${command%% *} on two machines" "both name the machine: expected one of them" \
            $command --machine dor2010 -p "$platform"
    done
    expect_refusal "a name that is near no other" "no machine is called 'cray' \\(all: mercury platforms\\)" platforms cray
    expect_refusal "an empty name" "no machine is called ''" run -q q.fa -d d.fa --machine ''
    expect_refusal "the name of a file" "no machine is called 'data/platforms/dor2010.xml'" \
        platforms data/platforms/dor2010.xml
    expect_refusal "two names" "unexpected argument 'mercury-2010'" platforms dor2010 mercury-2010
    expect_refusal "a format that does not exist" '--format .*text, tsv or json' platforms -f xml
    expect_refusal "an option that does not exist" "no such option '--list'" platforms --list
}

test_list
test_differences
test_commands
test_retime
test_published_runs
test_software
test_device
test_refusals
finish
