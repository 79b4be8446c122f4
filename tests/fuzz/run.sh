#!/bin/bash
# run.sh [--hours H | --minutes M] [--build DIRECTORY] [--seed N] [HARNESS...] - fuzz by hand: every harness, or those
# that are named, under libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer, and then the whole program, with
# equal shares of the time (10 minutes). What was found new is kept in DIRECTORY/found, what failed as DIRECTORY/crash-*.
set -euo pipefail

source=$(realpath "$(dirname "$0")/../..")
build=$source/build-fuzz minutes=10 seed=$(date +%s) names=()
while [ $# -gt 0 ]; do
    case $1 in
    --hours) minutes=$(($2 * 60)) && shift 2 ;;
    --minutes) minutes=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    --seed) seed=$2 && shift 2 ;;
    -*) echo "run.sh: no such option '$1'" >&2 && exit 2 ;;
    *) names+=("$1") && shift ;;
    esac
done

[ -d "$build" ] || CC=clang meson setup "$build" "$source" -Dlibfuzzer=true -Db_sanitize=address,undefined -Db_lundef=false
ninja -C "$build" mercury fuzzers
cd "$build"
if [ ${#names[@]} -eq 0 ]; then
    mapfile -t names < <(cd tests/fuzz && find . -maxdepth 1 -name 'fuzz_*' -type f -printf '%f\n' | sed 's/^fuzz_//' | sort)
    names+=(program)
fi
seconds=$((minutes * 60 / ${#names[@]}))
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 MERCURY_TESTS_FEW=1
"$source/tests/fuzz/seeds.sh" ./mercury "$seeds"
mkdir -p "$seeds/platform"
cp "$source"/data/platforms/*.xml "$seeds/platform"
export ASAN_OPTIONS=allocator_may_return_null=1
failed=0
for name in "${names[@]}"; do
    if [ "$name" = program ]; then
        "$source/tests/fuzz/program" ./mercury --seconds "$seconds" --seed "$seed" || failed=1
        continue
    fi
    mkdir -p "found/$name" "$seeds/$name"
    "tests/fuzz/fuzz_$name" -max_total_time="$seconds" -seed="$seed" -max_len=100000 -timeout=20 -rss_limit_mb=3000 \
        -artifact_prefix="crash-$name-" -verbosity=0 -print_final_stats=1 \
        $([ ! -f "$source/tests/fuzz/$name.dict" ] || echo "-dict=$source/tests/fuzz/$name.dict") \
        "found/$name" "$seeds/$name" $([ ! -d "$source/tests/fuzz/corpus/$name" ] || echo "$source/tests/fuzz/corpus/$name") \
        2>&1 | grep -v -E '^(INFO|Loaded|Dictionary)' | sed "s/^/$name: /" || failed=1
done
exit $failed
