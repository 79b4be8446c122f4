#!/bin/bash
# test_members.sh MERCURY SOURCE_DIRECTORY - a number of a run's files that is missing or wrong never becomes nan in what
# is written of the run (change_members.py).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
have python3 || skip_all "no python3"
begin "$@"

dna 1 600 | sed '1i >q' >q.fa
dna 2 6000 | sed '1i >d' >d.fa
tail -n +2 q.fa | mutate 3 >>d.fa
printf '%s\n' 'latency at bus_in to bus_out: mean, max, histogram(4), quantile(0.5, 0.99)' \
    'occupancy at wmer_fifo: mean every 10 us as group.level' >measure.tt
expect_success "a run" -q q.fa -d d.fa -o out --set query.segment=400 --measure measure.tt --quiet
python3 "$source_directory/tests/cli/change_members.py" "$mercury" out >said 2>&1
report "every number of both files, missing or wrong" "$(sed '$d' said | head -5)"
check "many were tried" grep -q -E '^[0-9]{4} tried, [0-9]{3,4} refused$' said
finish
