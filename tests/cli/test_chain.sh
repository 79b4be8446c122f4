#!/bin/bash
# test_chain.sh MERCURY SOURCE_DIRECTORY - a designer's own chain: mercury predict --chain, queue --chain, validate --chain; refusals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# cell FILE STAGE MODEL COLUMN: of a prediction's TSV.
cell() {
    awk -F '\t' -v stage="$2" -v model="$3" -v column="$4" '
        /^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        $at["stage"] == stage && $at["model"] == model { print $at[column] }' "$1"
}

# is GOT EXPECTED
is() {
    [ "$1" = "$2" ] || echo "$1, not $2"
}
# near VALUE EXPECTED: equal to six digits.
near() {
    awk -v value="$1" -v expected="$2" 'BEGIN { exit !(value != "" && (value - expected) ^ 2 <= 1e-12 * expected ^ 2) }' ||
        echo "$1, not $2"
}

# Run 1 of Dor (2010, Figures 9 and 11) without the records on the bus: 895 MB/s, 16 w-mers per 8 bytes, P_1a 0.0178, M_1b
# 1.039, P_1b 0.877.
{
    printf 'stage\tC\tR\tF\tM\tP_f\tK\toverdrive\n# run 1 of 2010\n'
    printf 'pci\t112.5MHz\t1\t0.125\tNA\t\t0\t895e6\n1a\t133MHz\t16\t16\t1\t0.0178\t130\t0\n'
    printf '1b\t133e6\t1\t1\t1.039\t0.877\t600\tNA\n2\t133MHz\t1\t1\t1\t0.000204\t10\t0\n'
} >run1.tsv
run predict --chain run1.tsv -f tsv
cp "$scratch/out" predicted
report 'every stage has the load and the queue of its formulas' "$(
    success_problem
    # lambda_1b = 1790e6 x 0.0178, mu_1b = 133e6 / 1.039; N_Q of M/M/1 is rho^2 / (1 - rho), of M/D/1 half of it.
    near "$(cell predicted 1a M/M/1 lambda_per_s)" 1790e6
    near "$(cell predicted 1b M/M/1 rho)" "$(awk 'BEGIN { printf "%.12g", 1790e6 * 0.0178 * 1.039 / 133e6 }')"
    near "$(cell predicted 1b M/M/1 N_Q)" "$(awk 'BEGIN { r = 1790e6 * 0.0178 * 1.039 / 133e6; printf "%.12g", r * r / (1 - r) }')"
    near "$(cell predicted 2 M/D/1 N_Q)" "$(awk 'BEGIN { r = 1790e6 * 0.0178 * 0.877 / 133e6; printf "%.12g", r * r / (1 - r) / 2 }')"
    # 16 w-mers at once: (rho E[X] + E[X^2] - E[X]) / (2 E[X] (1 - rho)) x rho for constant services; here exponential ones
    near "$(cell predicted 1a 'M^[X]/G/1' N_Q)" "$(awk 'BEGIN { r = 1790 / 2128; printf "%.12g", r * (r + 15 / 2) / (1 - r) }')"
    grep -q 'bottleneck: pci' predicted || echo 'pci is not the bottleneck'
)"
run predict --chain run1.tsv
report 'the text has at most 80 columns' "$(success_problem; awk 'length > 80 { print }' "$scratch/out")"
run predict --chain run1.tsv --set lambda=1e9
report 'an overloaded stage has a reason instead of numbers' "$(
    success_problem
    grep -A 1 'pci, M/M/1' "$scratch/out" | grep -q 'steady state' || cat "$scratch/out"
)"

# Of 1000 elements/s a ninth more go through the first stage, because a tenth goes back, so that 1000 come to the second one,
# but for the rounding of these sums; likewise a server is full that serves 13.2 of 1/110 s and 26.4 of 1/30 s, and one to
# which 99 of 100 come back. What has no steady state is not simulated.
{
    printf 'stage\tC\tS\tK\tto\ns0\t1333\t2\t0\ts0:.1\ns1\t1000\t1\t0\t\n'
} >full.tsv
printf 'stage\tC\tF\ton\na\t110\t1\t\nb\t30\t2\ta\n' >both.tsv
printf 'stage\tC\tto\ns0\t1000\ts0:.99\n' >many.tsv
for table in full:1000:s1 both:13.2:b many:10:s0; do
    IFS=: read -r table lambda stage <<<"$table"
    run predict --chain "$table.tsv" --set lambda="$lambda" -f tsv
    report "$table: a load of 1 is one, however it is rounded" "$(
        success_problem
        awk -F '\t' -v stage="$stage" '$1 == stage { n++; if ($6 != "NA") print } END { if (!n) print "no rows" }' "$scratch/out")"
    expect_refusal "$table: and it is not simulated" 'has no steady state' queue --chain "$table.tsv" --lambda "$lambda"
done

# One place less than a margin of 3 leaves, and as many servers as stages: half of the rate. Of constant services nobody
# knows the rate before, and the run tells; it gives no advice that is wrong.
printf 'stage\tC\tK\talmost_full\nx\t1\t0\t\ny\t1\t4\t3\n' >held.tsv
run predict --chain held.tsv --set lambda=.8
report 'a bottleneck that full stages make narrower' "$(
    success_problem
    grep -q -x 'an upper bound if full stages block; then x passes 0.5 at most' "$scratch/out" || head -3 "$scratch/out")"
expect_refusal 'what it does not pass is not simulated' 'x has no steady state: 0.8 per second arrive, .* let 0.5 pass' \
    queue --chain held.tsv --lambda .8 --overflow block
printf 'stage\tC\tK\talmost_full\tservice\nx\t1\t0\t\tdeterministic\ny\t1\t4\t3\tdeterministic\n' >held.tsv
run queue --chain held.tsv --lambda .8 --overflow block --customers 20000 -f tsv
report 'a stage that fills for ever' "$(
    success_problem
    grep -q '^# the number in stage x grows over the whole run: it has no steady state, or' "$scratch/out" || tail -20 "$scratch/out"
    grep -E 'customers would|would take|more --customers' "$scratch/out")"

# A margin holds up the stage before though the stage is never full, and where full stages lose customers, too: x has 1.6
# customers where M/M/1 says 1, and y 0.96 where it says 1.25.
printf 'stage\tC\tK\talmost_full\nx\t1\t0\t\ny\t.9\t5\t2\n' >margin.tsv
for overflow in loss block; do
    run queue --chain margin.tsv --lambda .5 --overflow $overflow --customers 1e5 -o margin
    for verdict in 'x:held up from behind' 'y:holds up what is before'; do
        check "a margin: $verdict, --overflow $overflow" \
            grep -q -P "^${verdict%%:*}\tN_G\t.*\tM/M/1\t.*\tno\tviolated\t${verdict#*:}\$" margin/validation.tsv
    done
done

# Overdrive does not grow with the input: x is asked for 1 at the bottleneck, whatever the input is now. By hand, x passes
# mu P[N < 4] of M/M/1/4 into 3 places: (1 - 1/31) of 1 at rho 1/2 and 2; where nothing has a bound, there is nothing to say.
printf 'stage\tC\toverdrive\tK\nx\t2\t.9\t3\ny\t1\t0\t3\n' >driven.tsv
printf 'stage\tC\toverdrive\nx\t1\t.3\ny\t1\t0\n' >driven_free.tsv
for lambda in .05 2; do
    run predict --chain driven.tsv --set lambda=$lambda
    check "overdrive: what full stages let pass, at $lambda" \
        grep -q -x 'an upper bound if full stages block; then x passes 0.967742 at most' "$scratch/out"
done
run predict --chain driven_free.tsv --set lambda=.5
report 'overdrive: no line of half a sentence' "$(success_problem; grep 'passes' "$scratch/out")"

# Half of 0.5 Gelements/s, and 0.1 more, on two servers of 0.25 each, and then a constant service: M/M/1, M/M/2 and M/D/1 are
# exact. C has the scale of hardware.
{
    printf 'stage\tC\tP_f\tS\toverdrive\tservice\n'
    printf 'first\t1e9\t0.5\t1\t0\tNA\nsecond\t0.25e9\t1\t2\t100e6\t\nthird\t1e9\t1\t1\t0\tdeterministic\n'
} >exact.tsv
run queue --chain exact.tsv --lambda 500e6 --customers 1e5 -f tsv
cp "$scratch/out" simulated
# within FILE STAGE QUANTITY VALUE: in the simulated 95% interval, or half of its width beside it.
within() {
    awk -F '\t' -v stage="$2" -v quantity="$3" -v value="$4" '
        $1 == stage && $2 == quantity { found = 1; if (($4 - value) ^ 2 > (1.5 * $5) ^ 2) print stage, quantity ": " $4 " +- " $5 ", not " value }
        END { if (!found) print "no " quantity " of " stage }' "$1"
}
report 'a chain that is Poisson all through is simulated as its formulas say, in its own units' "$(
    success_problem
    within simulated first N_Q 0.5
    within simulated first W_G 2e-9
    within simulated second offered 350e6
    within simulated second rho 0.7
    within simulated second N_Q "$(awk 'BEGIN { r = 0.7; printf "%.9g", 2 * r ^ 3 / (1 - r * r) }')" # M/M/2
    within simulated third N_Q "$(awk 'BEGIN { r = 0.35; printf "%.9g", r * r / (1 - r) / 2 }')"
    grep -qE '^# M/D/1 is exact for stage third: the 95% intervals cover [678] of 8' simulated || grep third simulated
    grep -qE '^# M/M/c/K is exact for stage second: the 95% intervals cover [678] of 8' simulated || grep second simulated
    ! grep -E '^# M/(M|G)/c(/K)? .* (first|third)|^# M/[MDG]/1 .* second' simulated
)"

# refuse DESCRIPTION PATTERN TABLE [ARGUMENT...]: of predict.
refuse() {
    local description=$1 pattern=$2
    printf '%b' "$3" >bad.tsv
    run predict --chain bad.tsv --set lambda=1 "${@:4}"
    report "$description" "$(
        [ "$status" -eq 2 ] || echo "status $status"
        [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qE "$pattern" "$scratch/err" || cat "$scratch/err"
        [ ! -s "$scratch/out" ] || echo 'something was printed'
    )"
}
refuse 'an unknown column' "bad.tsv:1: column 2, 'c'.*did you mean C" 'stage\tc\na\t1\n'
refuse 'a column that is missing' "bad.tsv:1: no column 'C'" 'stage\tR\na\t1\n'
refuse 'a column twice' "bad.tsv:1: column 3, 'C': columns 2 and 3" 'stage\tC\tC\na\t1\t1\n'
refuse 'a number that is none' "bad.tsv:3: column 2, C 'fast': expected a clock" 'stage\tC\na\t1\nb\tfast\n'
refuse 'a number out of range' "bad.tsv:2: column 3, S '1.5': expected a whole number" 'stage\tC\tS\na\t1\t1.5\n'
refuse 'a needed value that is not there' 'bad.tsv:2: column 2, C: expected a clock' 'stage\tC\na\tNA\n'
refuse 'too few columns' 'bad.tsv:2: column 2: nothing; expected 2' 'stage\tC\na\n'
refuse 'too many columns' 'bad.tsv:2: column 3: expected 2' 'stage\tC\na\t1\t1\n'
refuse 'two stages of one name' "bad.tsv:3: column 1, stage 'a': an earlier" 'stage\tC\na\t1\na\t1\n'
refuse 'a service of no kind' "bad.tsv:2: column 3, service 'normal': expected exponential" 'stage\tC\tservice\na\t1\tnormal\n'
refuse 'fewer places than servers' 'bad.tsv:2: K 1: expected at least the places of the 2 servers' 'stage\tC\tS\tK\na\t1\t2\t1\n'
refuse 'no stage' 'bad.tsv: no stage' 'stage\tC\n'
refuse 'inputs of another machine' 'expected no --set but lambda' 'stage\tC\na\t1\n' --set P_1a=0.1
printf '1\nx\n' >letter.txt
printf '0\n0\n' >zeros.txt
printf '0\n1.5\n' >half.txt
printf '0\n2\n1\n1\n' >outs.txt
refuse 'outputs with a letter' "bad.tsv:2: column 3, letter.txt:2: 'x': expected one whole number" 'stage\tC\tout\na\t1\ttrace:letter.txt\n'
refuse 'half an output' "bad.tsv:2: column 3, half.txt:2: '1.5': expected one whole number" 'stage\tC\tout\na\t1\ttrace:half.txt\n'
refuse 'no output at all' 'zeros.txt: expected whole numbers, one above 0' 'stage\tC\tout\na\t1\ttrace:zeros.txt\n'
refuse 'outputs that are no list' "out '3': expected trace:FILE" 'stage\tC\tout\na\t1\t3\n'
refuse 'outputs and P_f' 'bad.tsv:2: out and P_f both' 'stage\tC\tP_f\tout\na\t1\t.5\ttrace:outs.txt\n'
refuse 'outputs and F of the next stage' "bad.tsv:3: F: the stage before lists" 'stage\tC\tF\tout\na\t1\t1\ttrace:outs.txt\nb\t1\t2\t\n'
refuse 'a server of no stage' "bad.tsv:3: on 'bus': expected an earlier stage; did you mean bush" 'stage\tC\ton\nbush\t1\t\nb\t1\tbus\n'
refuse 'a server of a later stage' "bad.tsv:2: on 'b': expected an earlier stage" 'stage\tC\ton\na\t1\tb\nb\t1\t\n'
refuse 'a server of several' "bad.tsv:3: on 'a': expected a stage with one server" 'stage\tC\tS\ton\na\t1\t2\t\nb\t1\t1\ta\n'
refuse 'back to a later stage' "bad.tsv:2: to 'b': expected an earlier stage, or this one" 'stage\tC\tto\na\t1\tb:.1\nb\t1\t\n'
refuse 'a part of 1 that goes back' "bad.tsv:2: to 'a:1': expected NAME:P, P from 0 to 0.99" 'stage\tC\tto\na\t1\ta:1\n'
refuse 'back without a part' "bad.tsv:3: to 'a': expected" 'stage\tC\tto\na\t1\t\nb\t1\ta\n'
refuse 'as few places as the margin' 'bad.tsv:3: almost_full 4: expected .* fewer places than its K' 'stage\tC\tK\talmost_full\na\t1\t\t\nb\t1\t4\t4\n'
refuse 'a margin of the first stage' 'bad.tsv:2: almost_full 1: expected a stage after the first' 'stage\tC\tK\talmost_full\na\t1\t4\t1\n'
refuse 'what goes back and never becomes less' 'what goes back never becomes less' 'stage\tC\tF\tto\na\t1\t1\t\nb\t1\t4\ta:.3\n'

# refuse_line DESCRIPTION PATTERN TABLE: of queue and validate.
refuse_line() {
    printf '%b' "$3" >bad.tsv
    for command in queue validate; do
        run "$command" --chain bad.tsv --lambda .01
        report "$command: $1" "$(
            [ "$status" -eq 2 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qE "$2" "$scratch/err" || cat "$scratch/err"
            [ ! -s "$scratch/out" ] || echo 'something was printed'
        )"
    done
}
refuse_line 'a circle that can block for ever' 'bad.tsv: a circle of full stages may block for ever.*: a, b;' 'stage\tC\tK\tto\na\t1\t2\t\nb\t1\t2\ta:.1\n'
refuse_line 'a stage that waits for its own place' 'may block for ever.*: a;' 'stage\tC\tK\tto\na\t1\t2\ta:.1\n'
refuse_line 'a server that waits for itself' 'may block for ever.*: b, c;' 'stage\tC\tK\ton\na\t1\t2\t\nb\t1\t2\t\nc\t1\t2\ta\n'
refuse_line 'a margin that keeps too few places for what has begun' 'may block for ever.*: b, c;' \
    'stage\tC\tF\tK\talmost_full\ton\na\t1\t1\t2\t0\t\nb\t1\t3\t4\t1\t\nc\t1\t1\t2\t0\ta\n'
printf 'stage\tC\tF\tK\talmost_full\ton\na\t1\t1\t2\t0\t\nb\t1\t3\t4\t2\t\nc\t1\t1\t2\t0\ta\n' >kept.tsv
run queue --chain kept.tsv --lambda .2 --customers 5000
report 'one that keeps places for all of it opens the circle' "$(success_problem)"
check 'what was found stands first, what was given last' test "$(sed -n '1s/ .*unit .*/found/p; $s/^batch_s .*/given/p' "$scratch/out")" = $'found\ngiven'
check_number 'a text has 9 rows of each of several stages, those with intervals' "$(grep -c '^  [abc] ' "$scratch/out")" == 27
check_not 'which are no rows of distributions' grep -q 'P\[N>=' "$scratch/out"
run queue --chain kept.tsv --lambda .2 --customers 5000 -f tsv
check 'they are in the other formats' grep -q -P '^c\tP\[N>=1\]' "$scratch/out"
refuse_line 'elements that never become fewer' 'never become fewer' 'stage\tC\tF\tto\na\t1\t1\t\nb\t1\t4\ta:.3\n'
refuse_line 'a server that two stages use up' 'stage a has no steady state.*serves others' 'stage\tC\ton\na\t.018\t\nb\t.018\ta\n'
printf 'stage\tC\tK\tto\na\t1\t2\t\nb\t1\t0\ta:.1\n' >circle.tsv
run queue --chain circle.tsv --lambda .1 --customers 2000
report 'a circle with one stage without a bound is none' "$(success_problem)"

# both TABLE LAMBDA CUSTOMERS: what theory says, in predicted, and the simulation, in simulated.
both() {
    run predict --chain "$1" --set lambda="$2" -f tsv
    cp "$scratch/out" predicted
    run queue --chain "$1" --lambda "$2" --customers "$3" -f tsv
    cp "$scratch/out" simulated
}
# Jackson 1957: what goes back is more traffic, .5 / (1 - .2), and M/M/1 has the numbers of both stages. Three of five that
# are served by the second go back to it, and one server of two rates has more.
printf 'stage\tC\tto\na\t1\t\nb\t1\ta:.2\n' >back.tsv
{
    printf 'stage\tC\tK\tP_f\tF\talmost_full\ton\tto\tservice\nfirst stage\t1\t0\t.5\t1\t0\t\t\t\n'
    printf 'with margin\t4\t9\t.7\t2\t3\t\tfirst stage:.1\tmixture:.1:10\n'
    printf 'on the 1st\t4\t0\t1\t1\t0\tfirst stage\ton the 1st:.1\t\n'
} >wide.tsv
printf 'stage\tC\tS\tto\na\t1\t1\t\nb\t1\t2\tb:.6\n' >self.tsv
# What comes to the second stage has its own stream: M/G/1 of 0.4 x exponential services of 1 and 0.1 x constant ones of 2.
# E[S^2] = (0.4 x 2 + 0.1 x 4) / 0.5, W_Q = 0.5 E[S^2] / 2 / (1 - 0.6) = 1.5.
printf 'stage\tC\tM\tP_f\toverdrive\ton\tservice\na\t1\t1\t0\t0\t\t\nb\t1\t2\t1\t.1\ta\tdeterministic\n' >port.tsv
both back.tsv .5 3e5
report 'what goes back: the product form of Jackson' "$(
    success_problem
    for stage in a b; do
        near "$(cell predicted "$stage" M/M/1 N_G)" "$(awk 'BEGIN { r = .625; printf "%.12g", r / (1 - r) }')"
        within simulated "$stage" N_G 1.66666667
        within simulated "$stage" offered .625
        grep -qE "^# M/M/1 is exact for stage $stage" simulated || grep "stage $stage" simulated
    done
)"
both self.tsv .5 3e5
report 'and to the stage itself, which has two servers' "$(
    success_problem
    r=$(awk 'BEGIN { r = .625; printf "%.12g", 2 * r ^ 3 / (1 - r * r) }')
    near "$(cell predicted b M/M/c/K N_Q)" "$r"
    within simulated b N_Q "$r"
    within simulated a N_G 1
)"
printf 'stage\tC\tto\na\t1\ta:.7\n' >again.tsv
run queue --chain again.tsv --lambda .25 --customers 1e5 -o again
check 'what comes back is no Poisson stream, yet M/M/1 holds' \
    grep -q -P '^a\tN_G\t.*\tM/M/1\t.*\tyes\tinside\t-$' again/validation.tsv
both port.tsv .4 3e5
report 'two stages on one port: their M/G/1' "$(
    success_problem
    for stage in a b; do
        near "$(cell predicted "$stage" M/G/1 W_Q_s)" 1.5
        within simulated "$stage" W_Q 1.5
        ! grep "^# M/[MD]/1.* for stage $stage" simulated # a model of one stream to one server
    done
    near "$(cell predicted b M/G/1 N_Q)" .15
    near "$(awk '/^# bottleneck/ { sub(/ elements.*/, ""); print $NF }' predicted)" .8
)"
# An element becomes 0, 2, 1, 1 others, again and again: one each on average, and a third of the time between two is 0.
printf 'stage\tC\tout\na\t4\ttrace:outs.txt\nb\t2\t\n' >list.tsv
run queue --chain list.tsv --lambda 1 --customers 4e4 -f tsv
cp "$scratch/out" simulated
report 'outputs of a list, in their order' "$(
    success_problem
    within simulated b offered 1
    grep -q 'stage a.*0.75 go on, by a list' simulated || grep '^# stage' simulated
    grep -q 'stage b.*1.33333 at once' simulated || grep '^# stage' simulated
    ! grep 'is exact for stage b' simulated
)"
# With 3 of 4 places that must be free, the second stage never has more than one element: what comes there finds nobody.
printf 'stage\tC\tK\talmost_full\na\t1\t0\t0\nb\t1\t4\t3\n' >margin.tsv
run queue --chain margin.tsv --lambda .3 --customers 4e4 -f tsv
report 'an almost-full flag stops the stage before' "$(
    success_problem
    awk -F '\t' '$1 == "b" && $2 == "N_Q" && $4 == 0 { ok = 1 } END { exit !ok }' "$scratch/out" || grep N_Q "$scratch/out"
    awk -F '\t' '$1 == "b" && $2 == "holds_up" && $4 > 0.1 { ok = 1 } END { exit !ok }' "$scratch/out" || grep holds "$scratch/out"
)"
# The text has one model of each stage, an exact one if there is any; nothing is wider than a terminal.
for command in queue validate; do
    run "$command" --chain back.tsv --lambda .5 --customers 2e4
    report "$command: the text shows the exact model" "$(
        success_problem
        grep -q '^M/M/1 is exact for stage a' "$scratch/out" || grep 'stage a' "$scratch/out"
        grep -q '^  a .* N_G  *customers .* 1.6667  [a-z]*  *[-0-9.]*$' "$scratch/out" || grep N_G "$scratch/out"
    )"
    run "$command" --chain wide.tsv --lambda .3 --customers 2e4
    report "$command: 80 columns" "$(success_problem; awk 'length > 80 { print }' "$scratch/out")"
done
# A stage that a later one holds up is no M/M/1, though it has no bound itself.
printf 'stage\tC\tK\na\t1\t0\nb\t.7\t1\n' >held.tsv
run queue --chain held.tsv --lambda .5 --customers 2e4 -f tsv
report 'no model is exact for a stage that is held up' "$(success_problem; grep 'is exact' "$scratch/out")"

# value STAGE PARAMETER COLUMN: of simulated.
value() {
    column=$3 awk -F '\t' -v stage="$1" -v parameter="$2" '
        $1 == "stage" { for (i = 1; i <= NF; i++) if ($i == ENVIRON["column"]) at = i }
        $1 == stage && $2 == parameter { print $at }' simulated
}
# about VALUE EXPECTED PART: within a part of what is expected.
about() {
    awk -v value="$1" -v expected="$2" -v part="$3" 'BEGIN { exit !(value != "" && (value - expected) ^ 2 <= (part * expected) ^ 2) }' ||
        echo "$1, not $2"
}
# M/M/1 at 0.8, of services of 10 ns: P[N >= n] is 0.8^n, and times in the stage are exponential of mean 50 ns.
printf 'stage\tC\na\t100MHz\n' >mm1.tsv
run queue --chain mm1.tsv --lambda 80e6 --customers 1e6 -f tsv
cp "$scratch/out" simulated
report 'distributions: M/M/1' "$(
    success_problem
    near "$(value a 'P[N>=10]' M/M/1)" "$(awk 'BEGIN { printf "%.9g", .8 ^ 10 }')"
    near "$(value a 'P[N=3]' M/M/1)" 0.1024
    about "$(value a W_G_p99 M/M/1)" 230.26e-9 1e-4
    about "$(value a W_G_p99 simulated)" 230.26e-9 .05
    about "$(value a W_G_p50 simulated)" 34.657e-9 .03
    about "$(value a 'P[N>=2]' simulated)" .64 .01
    about "$(value a 'P[N=0]' simulated)" .2 .02
    is "$(value a N_G_p50 M/M/1) $(value a N_G_p90 M/M/1) $(value a N_G_p99 M/M/1)" '3 10 20'
    is "$(value a N_G_p50 simulated)" 3
    awk -v of_mm1="$(value a tv M/M/1)" -v of_md1="$(value a tv M/D/1)" 'BEGIN { exit !(of_mm1 < .01 && of_md1 > .15 && of_md1 < .2) }' ||
        echo "tv: $(value a tv M/M/1) of M/M/1, $(value a tv M/D/1) of M/D/1, which is wrong here"
    near "$(awk -F '\t' '$2 ~ /^P.N=/ { sum += $4 } END { printf "%.6f", sum }' simulated)" 1.000000
)"
printf 'stage\tC\tF\nb\t1\t4\n' >four.tsv
for law in poisson=batch erlang:2=erlang deterministic=deterministic mmpp:1:2:3:4=mmpp; do
    run queue --chain four.tsv --lambda .1 --customers 1000 --arrivals "${law%=*}"
    report "elements that come four at a time: the law of --arrivals ${law%=*}" \
        "$(success_problem; grep -q -x "arrivals  *${law#*=}" "$scratch/out" || head -n 2 "$scratch/out")"
done
# M/D/1 at 0.5: p0 = 1/2, p1 = (e^0.5 - 1) / 2. M^[4]/M/1 at 0.4: p0 = 0.6, and a batch begins with four.
printf 'stage\tC\tF\tservice\nb\t1\t4\t\nd\t2\t1\tdeterministic\n' >md1.tsv
run queue --chain md1.tsv --lambda .1 --customers 2e5 -f tsv
cp "$scratch/out" simulated
report 'distributions: batches' "$(
    success_problem
    near "$(value b 'P[N=0]' 'M^[X]/G/1')" .6
    near "$(value b 'P[N=1]' 'M^[X]/G/1')" .06 # the flow from 0 to 1 or more, 0.1 p0, is that back, p1
    about "$(value b 'P[N=1]' simulated)" .06 .05
)"
run queue --lambda .5 --service deterministic --customers 2e5 -f tsv
cp "$scratch/out" simulated
report 'distributions: M/D/1' "$(
    success_problem
    near "$(value 1 'P[N=1]' M/D/1)" "$(awk 'BEGIN { printf "%.9g", (exp(.5) - 1) / 2 }')"
    about "$(value 1 'P[N=1]' simulated)" .32436 .02
    about "$(value 1 'P[N=90]' M/M/1)" "$(awk 'BEGIN { printf "%.9g", .5 ^ 91 }')" 1e-8
)"
run queue --lambda 1.2 --capacity 3 --customers 2e5 -f tsv
cp "$scratch/out" simulated
report 'distributions: M/M/1/3 that loses' "$(
    success_problem
    near "$(value 1 'P[N=3]' M/M/1/K)" "$(awk 'BEGIN { printf "%.9g", 1.728 / (1 + 1.2 + 1.44 + 1.728) }')"
    near "$(value 1 'P[N=0]' M/M/1/K)" "$(awk 'BEGIN { printf "%.9g", 1 / (1 + 1.2 + 1.44 + 1.728) }')"
    is "$(value 1 'P[N=4]' simulated)" 0
    about "$(value 1 'P[N=3]' simulated)" .32190 .02
    is "$(value 1 tv M/M/1) $(value 1 'P[N=2]' M/M/1)" 'NA NA'
)"

printf 'stage\tC\tF\nfilter\t1e9\t4\n' >batch.tsv
run queue --chain batch.tsv --lambda 150e6 --customers 2e5 -f tsv
cp "$scratch/out" simulated
report 'elements that one of the input becomes come together: M^[X]/M/1' "$(
    success_problem
    within simulated filter N_Q "$(awk 'BEGIN { r = 0.6; printf "%.9g", r * (r + 1.5) / (1 - r) }')"
)"
run queue --chain exact.tsv
report 'a chain to which nothing comes is refused' "$([ "$status" -eq 2 ] && grep -q 'nothing comes to stage first' "$scratch/err" || cat "$scratch/err")"
run queue --chain exact.tsv --lambda 1e9
report 'a stage without a steady state is refused, by name and in its own units' "$(
    [ "$status" -eq 2 ] && grep -q 'stage first has no steady state: 1e+09 per second' "$scratch/err" || cat "$scratch/err")"
run queue --chain exact.tsv --mu 1
report '--chain with --mu is refused' "$([ "$status" -eq 2 ] && grep -q 'expected no --mu beside it' "$scratch/err" || cat "$scratch/err")"

# verdict STAGE MODEL: of N_Q, in the validated chain's TSV, with its reasons.
verdict() {
    awk -F '\t' -v stage="$1" -v model="$2" '$1 == stage && $2 == "N_Q" && $6 == model { print $10 ": " $11 }' validated
}
# fact NAME: of the validated chain.
fact() {
    awk -F '\t' -v name="# $1" '$1 == name { print $2 }' validated
}
run validate --chain exact.tsv --lambda 500e6 --customers 1e5 -f tsv
cp "$scratch/out" validated
run queue --chain exact.tsv --lambda 500e6 --customers 1e5 -f tsv
cp "$scratch/out" simulated
report 'a chain is validated as it is simulated: the models of several servers, and what each assumes' "$(
    success_problem
    is "$(awk -F '\t' '$1 == "first" && $2 == "N_Q" { print $4, $5; exit }' validated)" \
        "$(awk -F '\t' '$1 == "first" && $2 == "N_Q" { print $4, $5 }' simulated)"
    is "$(verdict second M/M/c/K)" 'inside: -'
    is "$(verdict third M/M/c/K)" 'outside: a model of several servers, and the stage has one'
    is "$(verdict second M/M/1)" 'outside: a model of one server, and the stage has several'
    is "$(verdict third M/M/1)" "violated: services' scv"
    is "$(verdict third M/D/1)" 'inside: -'
    is "$(awk -F '\t' '$1 == "third" && $2 == "N_Q" && $6 == "M/D/1" { print $9 }' validated)" yes
)"
run validate --chain batch.tsv --lambda 150e6 --customers 2e5 -f tsv
cp "$scratch/out" validated
report 'elements that come together are seen' "$(
    success_problem
    is "$(verdict filter M/M/1)" "violated: arrivals' scv; arrivals' lag1" # 4 at once: 2 x 4 - 1, and -1/7
    is "$(verdict filter 'M^[X]/G/1')" 'inside: -'
)"
# Two stages of one rate and few places: the second is full much of the time, and holds the first up.
printf 'stage\tC\tK\nfirst\t1\t3\nsecond\t1\t3\n' >full.tsv
run validate --chain full.tsv --lambda 0.9 --customers 5e4 -f tsv
cp "$scratch/out" validated
report 'and so is blocking, which the tandem expects' "$(
    success_problem
    verdict first M/M/1 | grep -q '^violated: N_Q near K\{0,1\}.*held up from behind; holds up what is before; arrivals. rate$' ||
        verdict first M/M/1 | grep -q '^violated: .*held up from behind; holds up what is before; arrivals. rate$' || verdict first M/M/1
    verdict second M/M/1 | grep -q "holds up what is before; arrivals' rate\$" || verdict second M/M/1
    is "$(verdict first blocking)" 'inside: -'
    is "$(verdict first M/M/1/K)" 'outside: full stages block here, they do not lose customers'
    is "$(verdict second M/M/1/K)" 'outside: full stages block here, they do not lose customers' # rho is 0.6: not overloaded
    is "$(fact overflow)" block
)"
# Arrivals are those that are offered: who is lost came, too. Poisson ones, then those of a server that never sends two
# at once, of which every fourth is lost.
printf 'stage\tC\tK\tservice\nfirst\t10\t2\tdeterministic\nsecond\t9\t3\tgamma:4\n' >loses.tsv
run validate --chain loses.tsv --lambda 9.5 --customers 5e4 --overflow loss -f tsv
cp "$scratch/out" validated
report 'arrivals of which some are lost' "$(
    success_problem
    is "$(verdict first M/G/1/K)" 'inside: -'
    is "$(verdict first M/M/1/K)" "violated: services' scv"
    is "$(verdict second M/G/1/K)" "violated: arrivals' scv; arrivals' view"
    is "$(verdict first M/G/1)" "violated: rho_o near 1; loses what comes"
    run validate --chain loses.tsv --lambda 9.5 --customers 5e4 --overflow loss
    grep -q "^    first: .*; arrivals' scv 1\(\.0[0-9]*\)\{0,1\}," "$scratch/out" || grep '^    first' "$scratch/out"
)"
# Constant services of one length, one behind the other: nobody comes while the second one serves. Times between those who
# come have the scv of a Poisson stream within the factor of the levels, and no memory.
printf 'stage\tC\tK\tservice\nfirst\t1\t1\tdeterministic\nsecond\t1\t1\tdeterministic\n' >never.tsv
run validate --chain never.tsv --lambda 0.2 --customers 2e4 --overflow loss -f tsv
cp "$scratch/out" validated
report 'who comes finds another stage than there is on average' "$(
    success_problem
    is "$(verdict first M/G/1/K)" 'inside: -'
    is "$(verdict second M/G/1/K)" "violated: arrivals' view"
)"
# What the second stage holds up at the source never comes to the third, which M/M/1 thinks is offered all of it.
printf 'stage\tC\tK\nfirst\t10\t5\nsecond\t10\t5\nthird\t20\t10\n' >slow.tsv
run validate --chain slow.tsv --lambda 9.5 --customers 5e4 -f tsv
cp "$scratch/out" validated
report 'less comes than a model is given' "$(
    success_problem
    is "$(verdict third M/M/1)" "violated: arrivals' rate"
    is "$(verdict third 'M/M/1/K (Dor)')" 'inside: -'
    is "$(verdict third 'Markov chain')" 'inside: -'
)"
# M/M/1/K (Dor) begins with the rate that enters; what would have been offered is its answer.
printf 'stage\tC\tK\tto\nfirst\t10\t0\t\nsecond\t10\t5\tfirst:0.3\n' >dor.tsv
run validate --chain dor.tsv --lambda 4 --customers 5e4 -f tsv
cp "$scratch/out" validated
report 'the rate of M/M/1/K (Dor) is the one that enters' "$(
    success_problem
    is "$(verdict second 'M/M/1/K (Dor)')" 'violated: holds up what is before'
)"
# A source that is stopped: M/M/1/K is right if it is Poisson, whatever enters then, and only then.
for law in poisson gamma:4; do
    run queue --lambda 0.7 --mu 1.5 --arrivals $law --capacity 20 --overflow block --customers 2e4 -o stopped
    cp stopped/validation.tsv validated
    expected='inside: -'
    [ $law = poisson ] || expected="violated: arrivals' scv"
    report "a queue that stops its source of $law arrivals" "$(
        success_problem
        is "$(verdict 1 M/M/1/K)" "$expected"
        is "$(verdict 1 blocking)" 'inside: -'
    )"
done
# Rates that change slowly: neighbours hardly show them (lag1 0.05, scv 1.12), and queues are three times as long as with
# independent times. The source's law is known, what comes to a second stage is counted, services are in the trace.
run queue --arrivals mmpp:0.97:0.6:0.002:0.002 --mu 1.5,1 --customers 2e5 -o slowly
cp slowly/validation.tsv validated
report 'models of independent arrivals do not hold where their rate changes slowly' "$(
    success_problem
    for model in M/M/1 M/M/1/K 'M/M/1/K (Dor)' M/G/1 'M^[X]/G/1' GI/G/c Kingman; do
        for stage in 1 2; do
            verdict $stage "$model" | grep -q "^violated: arrivals' dispersion" || echo "$stage $model $(verdict $stage "$model")"
        done
    done
    is "$(verdict 1 GI/M/1)" "violated: arrivals' dispersion"
    is "$(verdict 1 MMPP/M/1)" 'inside: -'
    is "$(verdict 2 Kingman)" "violated: arrivals' dispersion; above the bound"
)"
awk 'BEGIN { srand(2); for (i = 0; i < 2e5; i++) print -log(1 - rand()) * (int(i / 1000) % 2 ? 1.25 : 0.75) }' >slow.times
run queue --service trace:slow.times --lambda 0.78 --customers 2e5 -o served
cp served/validation.tsv validated
report 'nor do those of independent services where their mean does' "$(
    success_problem
    for model in M/M/1 M/M/1/K M/G/1 'M^[X]/G/1'; do
        is "$(verdict 1 "$model")" "violated: services' dispersion"
    done
)"
awk 'BEGIN { srand(3); for (i = 0; i < 2e5; i++) print -log(1 - rand()) }' >plain.times
run queue --arrivals trace:plain.times --service trace:plain.times --lambda 0.7 --mu 1,1 --customers 2e5 -o plainly
cp plainly/validation.tsv validated
report 'and independent times in a trace keep to them' "$(
    success_problem
    is "$(verdict 1 M/G/1)" 'inside: -'
    is "$(verdict 1 GI/G/c)" 'inside: -'
)"
run validate --chain full.tsv --lambda 0.9 --customers 5e4 --overflow loss --fail-over 1
report 'as text, and --fail-over' "$(
    [ "$status" -eq 0 ] || grep -q 'more than 1% off: [A-Za-z_]* of stage' "$scratch/err" || cat "$scratch/err"
    grep -q '^    first: full in [0-9.]*% of the time, held up 0%; arrivals. scv' "$scratch/out" || cat "$scratch/out"
    grep -A 9 '^    first' "$scratch/out" | grep -q 'M/M/1/K, M/M/1/K (Dor).*: inside\|M/M/1/K: inside' || cat "$scratch/out"
)"

# Elements are filtered, and then each of those that pass becomes F others at once (Dor's F and P_f): in all three answers.
# says_thrice DESCRIPTION TABLE LAMBDA CUSTOMERS STAGE MODEL N_Q: the exact value is the model's everywhere, and is simulated.
says_thrice() {
    printf '%b' "$2" >three.tsv
    both three.tsv "$3" "$4"
    run validate --chain three.tsv --lambda "$3" --customers "$4" -f tsv
    cp "$scratch/out" validated
    report "$1" "$(
        success_problem
        near "$(cell predicted "$5" "$6" N_Q)" "$7"
        near "$(column=$6 awk -F '\t' -v stage="$5" '$1 == "stage" { for (i = 1; i <= NF; i++) if ($i == ENVIRON["column"]) at = i }
            $1 == stage && $2 == "N_Q" { print $at }' simulated)" "$7"
        near "$(awk -F '\t' -v stage="$5" -v model="$6" '$1 == stage && $2 == "N_Q" && $6 == model { print $7 }' validated)" "$7"
        within simulated "$5" N_Q "$7"
        is "$(verdict "$5" "$6")" 'inside: -'
        grep -qE "^# ${6//[\^\[\]]/.} is exact for stage $5" simulated || grep "for stage $5" simulated
    )"
}
# M^[X]/M/1: N_Q = rho (rho + (E[X^2] / E[X] - 1) / 2) / (1 - rho). Batches of 16: 0.6 (0.6 + 7.5) / 0.4.
says_thrice 'one of 20 goes on, and becomes 16' 'stage\tC\tP_f\tF\na\t100MHz\t.05\t1\nb\t60MHz\t1\t16\n' 45e6 2e5 b 'M^[X]/G/1' 12.15
if [ -z "$few" ]; then
    # Batches of 8: 0.6 (0.6 + 3.5) / 0.4.
    says_thrice 'half go on, and become 8' 'stage\tC\tP_f\tF\na\t2\t.5\t1\nb\t1\t1\t8\n' .15 1e5 b 'M^[X]/G/1' 6.15
    # Batches of 2 or 3: E[X^2] is 6.5, so that N_Q = 0.5 (0.5 + 0.8) / 0.5.
    says_thrice 'F that is not whole is 2 or 3' 'stage\tC\tF\na\t1\t2.5\n' .2 1e5 a 'M^[X]/G/1' 1.3
fi
# 16 that pass make one: E16/M/1. The root of s = (9.6 / (10.6 - s))^16 is 0.3512303 (python's Decimal), N_Q = 0.6 s / (1 - s).
says_thrice 'F = 1/16 packs' 'stage\tC\tF\na\t2\t1\nb\t0.0625\t1/16\n' .6 3e5 b 'E_n/M/1' 0.3248274
says_thrice 'F = 0.125 of the first stage, of which half pass and 4 more come' \
    'stage\tC\tF\tP_f\toverdrive\na\t1\t0.125\t.5\t4\nb\t1\t1\t1\t0\n' .8 4e4 a 'E_n/M/1' "$(awk 'BEGIN {
        r = 0.6; s = 0; for (i = 0; i < 999; i++) s = (8 * r / (8 * r + 1 - s)) ^ 8
        printf "%.9g", r * s / (1 - s) }')"

# Of 16 elements that come to 8 places at once, the first stage holds the rest: the tandem takes them one by one, and says so.
printf 'stage\tC\tP_f\tF\tK\na\t20MHz\t0.3\t1\t4\nb\t25MHz\t1\t16\t8\n' >burst.tsv
run validate --chain burst.tsv --lambda 4e6 --customers 3e4 -f tsv
cp "$scratch/out" validated
report 'elements that come together are none of blocking' "$(
    success_problem
    is "$(verdict a blocking)" 'violated: elements come together'
    is "$(verdict b blocking)" 'violated: elements come together'
    verdict a M/M/1 | grep -q 'held up from behind' || verdict a M/M/1
)"

# 100 places at rho 0.5: nobody of 1e5 finds them all taken, and 2^-100 is no prediction of more than that.
printf 'stage\tC\tK\na\t1\t100\n' >never.tsv
run validate --chain never.tsv --lambda .5 --customers 1e5 --overflow loss -f tsv
report 'what never happens is covered by what is never predicted, and no probability is below 0' "$(
    success_problem
    awk -F '\t' '!/^#/ && ($2 == "P_BP" || $2 == "loss") && $7 != "NA" && !($7 == 0 && $9 == "yes")' "$scratch/out"
    is "$(awk -F '\t' '$2 == "P_BP" && $6 == "M/M/1"' "$scratch/out" | wc -l)" 1
)"
# M/M/1/12 loses 0.5^13 / (1 - 0.5^13) x 0.5 = 6e-5 (1 in 16,400): of 1000 customers none, which says: at most 3 in 1000.
printf 'stage\tC\tK\na\t1\t12\n' >rare.tsv
run queue --chain rare.tsv --lambda .5 --customers 1000 --overflow loss -f tsv
report 'no event in n customers covers up to 3/n' "$(
    success_problem
    awk -F '\t' '!/^#/ && $2 == "loss" { n++; if ($4 != 0 || $8 <= 0 || $9 != "yes") print } END { if (n != 1) print n " rows of loss" }' "$scratch/out"
    grep -q '^# the run is short: a batch has [0-9.]* relaxation times of stage a, not 10' "$scratch/out" || grep '^#' "$scratch/out"
)"

refuse 'F that packs no whole number' "bad.tsv:2: column 3, F '0.3': expected .*1/16" 'stage\tC\tF\na\t1\t0.3\n'
refuse 'F of 0' "bad.tsv:2: column 3, F '0': expected" 'stage\tC\tF\na\t1\t0\n'
refuse 'F below 0' "bad.tsv:2: column 3, F '-2': expected" 'stage\tC\tF\na\t1\t-2\n'
refuse 'F of 1/0' "bad.tsv:2: column 3, F '1/0': expected" 'stage\tC\tF\na\t1\t1/0\n'
refuse 'F of 1/2.5' "bad.tsv:2: column 3, F '1/2.5': expected" 'stage\tC\tF\na\t1\t1/2.5\n'
refuse 'P_f above 1' "bad.tsv:2: column 3, P_f '1.5': expected a fraction .* F of the next" 'stage\tC\tP_f\na\t1\t1.5\n'
run validate --chain exact.tsv out --lambda 1
report '--chain beside a summary is refused' "$([ "$status" -eq 2 ] && grep -q 'expected no SUMMARY beside it' "$scratch/err" || cat "$scratch/err")"
run validate --chain exact.tsv --lambda 1e9
report 'and what queue refuses' "$([ "$status" -eq 2 ] && grep -q 'stage first has no steady state: 1e+09 per second' "$scratch/err" || cat "$scratch/err")"
run validate out --lambda 1
report '--lambda without --chain is refused' "$([ "$status" -eq 2 ] && grep -q -e '--lambda is for --chain' "$scratch/err" || cat "$scratch/err")"

# What is exact has the measured distribution, too: a blocked source is one more place of M/M/1/K and M/G/1/K.
# far MODEL ARGUMENT...: the greatest total variation of a model at any stage
far() {
    local model=$1
    shift
    local kept="far ${*//\//_}"
    [ -e "$kept" ] || { run queue "$@" -f tsv && cp "$scratch/out" "$kept"; }
    awk -F '\t' -v model="$model" '/^#/ { next } !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        $2 == "tv" && $at[model] != "NA" { n++; if ($at[model] > most) most = $at[model] } END { print n ? most : "NA" }' "$kept"
}
# is_near and is_far MODEL ARGUMENT...
is_near() {
    awk -v tv="$(far "$@")" 'BEGIN { exit !(tv != "NA" && tv < 0.01) }' || echo "$*: tv $(far "$@")"
}
is_far() {
    awk -v tv="$(far "$@")" 'BEGIN { exit !(tv != "NA" && tv > 0.05) }' || echo "$*: tv $(far "$@")"
}
report 'exact models have the measured distributions, and others have not' "$(
    is_near M/M/1/K --lambda .8 --capacity 5 --overflow block
    is_far M/M/1 --lambda .8 --capacity 5 --overflow block
    is_near M/G/1/K --lambda .9 --service deterministic --capacity 5
    is_near M/G/1/K --lambda .9 --service erlang:3 --capacity 5 --overflow block
    is_near GI/M/1 --lambda .8 --arrivals deterministic
    is_far M/D/1 --lambda .8 --arrivals deterministic
    is_near 'Markov chain' --lambda .9 --mu 1,1 --capacity 4,3 --overflow block
    is_near 'Markov chain' --lambda .9 --mu 1,1 --servers 1,2 --capacity 4,3 --overflow loss
    is_far M/M/1 --lambda .9 --mu 1,1 --capacity 4,3 --overflow block
)"
# Clocked stages keep their clocks: an element that comes in the very clock in which the only place becomes free finds it
# free, every time, after 2e5 services at 133 MHz as after one. Drift would make some of them come a little too early.
mapfile -t all < <(many '133MHz 49 50' '133MHz 7 9')
for clocks in "${all[@]}" '100MHz 3 7'; do
    read -r clock a b <<<"$clocks"
    printf 'stage\tC\tM\tK\tservice\na\t%s\t%s\t0\tdeterministic\nb\t%s\t%s\t1\tdeterministic\n' "$clock" "$a" "$clock" "$b" >clocks.tsv
    run queue --chain clocks.tsv --lambda "$(awk "BEGIN { printf \"%.17g\", ${clock%MHz}e6 / $b }")" --arrivals deterministic --overflow loss -f tsv
    report "stages of $clocks keep their clocks" "$(success_problem; is "$(awk -F '\t' '$1 == "b" && $2 == "loss" { print $4 }' "$scratch/out")" 0)"
done

# M^[4]/M/1/6 at 0.8 a second: of a batch those find a place for whom there is one. The numbers are those of its Markov
# chain, solved by linear algebra elsewhere.
run queue --arrivals batch:4 --lambda .8 --capacity 6 --customers 4e5 -f tsv
cp "$scratch/out" batches
report 'of a batch that finds few places a part is lost' "$(
    success_problem
    within batches 1 throughput 0.60096
    within batches 1 N_G 2.11733
    within batches 1 loss 0.24881
)"
finish
