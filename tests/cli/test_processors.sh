#!/bin/bash
# test_processors.sh MERCURY SOURCE_DIRECTORY - on processors without AVX-512, and without AVX2, the program runs, and gives
# the same bytes. QEMU emulates these processors (Debian: qemu-user-static), so that no instruction that they lack escapes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/small_run.sh
. "$(dirname "$0")/small_run.sh"
begin "$@"

ulimit -c 0
have qemu-x86_64-static && [ "$(uname -m)" = x86_64 ] || skip_all "no qemu-x86_64-static"

# on PROCESSOR ARGUMENT...: QEMU says on standard error what of a processor it leaves out.
on() {
    local processor=$1
    shift
    qemu-x86_64-static -cpu "$processor" "$mercury" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    sed -i '/^qemu.*warning: TCG/d' "$scratch/err"
}

make_input
search -q q.fa -d d.fa -o out --record out.tokens --quiet
report "a run on this processor" "$(success_problem)"
while read -r processor vectors; do
    on "$processor" --version
    check "$processor: vectors" grep -qx "vectors of this processor that are used: $vectors" "$scratch/out"
    on "$processor" run -p "$platform" -q q.fa -d d.fa -o "$processor" --quiet
    report "$processor: a run" "$(success_problem)"
    for file in "${deterministic[@]}"; do
        check_same "$processor: $file" "out/$file" "$processor/$file"
    done
    on "$processor" retime out.tokens --quiet -o "$processor-retimed"
    report "$processor: a run that is timed again" "$(success_problem)"
    check_same "$processor: with the same clocks" out/summary.json "$processor-retimed/summary.json"
done <<'END'
Haswell-noTSX AVX2
Nehalem none
END

# On a processor of another kind, sources with vectors are compiled without them.
headers=$(printf '#include <%s>\n' assert.h math.h stdbool.h stdint.h stdio.h stdlib.h string.h)
for source in $(cd "$source_directory" && grep -rlE '__x86_64__|CPU_HAS_VECTORS' --include='*.c' base blast sim traces); do
    check "$source without x86-64" gcc -x c -std=c11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I "$source_directory" \
        -I "$(dirname "$mercury")" - <<<"$headers"$'\n#undef __x86_64__\n'"#include \"$source\""
done
finish
