#!/bin/bash
# test_sensitivity.sh MERCURY SOURCE_DIRECTORY - docs/hardware.md, "What the numbers are worth": the time of every row, by
# the row's own parameters, on lambda x E. coli, and of the largest effects on H. pylori; and that the rows are ranked.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

lambda=/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz
ecoli=/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz
pylori=/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
for genome in "$lambda" "$ecoli" "$pylori"; do
    [ -f "$genome" ] || skip_all "no $genome (Debian: bowtie2-examples, bowtie-examples, sibelia-examples)"
done
begin "$@"
can_flatten || skip_all "neither python3 nor jq"

gzip -dc "$pylori" | awk '/^>/ { n++ } { print > ("pylori-" n ".fa") }'
lambda_input=(-q "$lambda" -d "$ecoli") pylori_input=(-q pylori-1.fa -d pylori-2.fa)

# time_ms INPUT DIGITS KIND PARAMETER...
time_ms() {
    local input=$1[@] name=$1 digits=$2 kind=$3 set=()
    shift 3
    for parameter in "$@"; do set+=(--set "$parameter"); done
    if [ "$kind" = run ]; then
        "$mercury" run "${!input}" "${set[@]}" -o out --quiet --no-report --measure none >/dev/null 2>err
    else
        "$mercury" retime "$name.tokens" "${set[@]}" -o out --quiet --no-report --measure none >/dev/null 2>err
    fi || { cat err && return; }
    flatten out/summary.json >flat
    awk -v s="$(number flat simulated_time_s)" -v digits="$digits" 'BEGIN { printf "%.*f", digits, 1000 * s }'
}

test_rows() {
    local name lambda_ms pylori_ms row=0 parameters kind
    for name in lambda_input $(many pylori_input); do
        local input=$name[@]
        "$mercury" run "${!input}" -o first --record $name.tokens --quiet --no-report --measure none >/dev/null
    done
    while IFS='|' read -r _ name lambda_ms pylori_ms _; do
        row=$((row + 1))
        kind=retime
        [[ $name == *'*'* ]] && kind=run
        parameters=$(tr -d '`*' <<<"$name")
        [[ $parameters == *none* ]] && parameters=
        # shellcheck disable=SC2086
        check_number "lambda: ${parameters:-as it is}" "$(time_ms lambda_input 3 $kind $parameters)" == "$lambda_ms"
        [ $row -gt 6 ] || [ -n "$few" ] && continue
        # shellcheck disable=SC2086
        check_number "H. pylori: ${parameters:-as it is}" "$(time_ms pylori_input 2 $kind $parameters)" == "$pylori_ms"
    done <rows
    check_number "there are rows" $row '>' 30
}

# Each row's larger effect is not larger than that of the row before.
test_ranks() {
    report "rows are ranked by their larger effect" "$(awk -F '|' '
        function of(x, base) { x = x / base - 1; return x < 0 ? -x : x }
        NR == 1 { lambda = $3; pylori = $4; last = 1e9; next }
        { here = of($3, lambda) > of($4, pylori) ? of($3, lambda) : of($4, pylori)
          if (here > last + 0.001) print $2 ": " here " after " last
          last = here }' rows)"
}

# The column of effects is what the two columns of times say.
test_effects() {
    report "effects are those of the times" "$(awk -F '|' '
        function effect(x, base) {
            x = 100 * (x / base - 1)
            return x < 0.05 && x > -0.05 ? "0" : sprintf("%+.1f%%", x)
        }
        NR == 1 { lambda = $3; pylori = $4; next }
        { said = $5; gsub(/ /, "", said)
          if (said != effect($3, lambda) "," effect($4, pylori)) print $2 ": " effect($3, lambda) ", " effect($4, pylori) }' rows)"
}

awk '/^## What the numbers are worth/ { on = 1 } /^## / && !/What the numbers/ { on = 0 } on && /^\| [(`]/ && !/`--set`/' \
    "$source_directory/docs/hardware.md" >rows
test_rows
test_ranks
test_effects
finish
