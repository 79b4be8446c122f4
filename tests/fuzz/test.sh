#!/bin/bash
# test.sh HARNESS MERCURY CASES [SEED] - a harness on its corpus and on a number of mutations, a fifth of it where cases
# are to be few. MERCURY writes the part of the corpus that belongs to its build. An input that fails is left in the
# working directory.
set -euo pipefail

harness=$(realpath "$1") mercury=$2 cases=$3 seed=${4:-1}
here=$(dirname "$(realpath "$0")")
name=$(basename "$harness")
name=${name#fuzz_}
[ -z "${MERCURY_TESTS_FEW:-}" ] || cases=$((cases / 5))
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
case $name in
predict | run | tables | store | token_record | pass_store) "$here/seeds.sh" "$mercury" "$seeds" ;;
platform) mkdir "$seeds/platform" && cp "$here"/../../data/platforms/*.xml "$seeds/platform" ;;
esac
shopt -s nullglob
files=("$here/corpus/$name"/* "$seeds/$name"/*)
[ ${#files[@]} -gt 0 ] || { echo "no corpus for $name"; exit 1; }
"$harness" "$cases" "$seed" "${files[@]}"
