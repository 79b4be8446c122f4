#!/bin/bash
# run.sh FUZZER CORPUS [RUNS [ARGUMENT...]] - a bounded number of runs (50,000) from the corpus that is kept, which stays as
# it is. What makes the fuzzer fail is left in the working directory as crash-*. Skipped where there is no fuzzer.
set -euo pipefail

fuzzer=$1 corpus=$2 runs=${3:-50000}
if [ ! -x "$fuzzer" ]; then
    echo "no clang with libFuzzer: nothing is fuzzed"
    exit 77
fi
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$fuzzer" -runs="$runs" -seed=1 -max_len=2000 -timeout=10 -rss_limit_mb=1024 -dict="$(dirname "$0")/directive.dict" \
    -verbosity=0 "${@:4}" "$found" "$corpus" 2>&1 | tail -n 60
