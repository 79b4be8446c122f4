#!/bin/bash
# test_octave.sh MERCURY SOURCE_DIRECTORY - single queues, the open chain and closed networks against octave-queueing.
#
# The peer (octave-queueing 1.2.7) has limits of its own, which decide what is compared:
#   qsmm1k   has its utilisation as 1 - p0, which cancels where rho is tiny: compared from rho = 1e-6 on. It subtracts
#            numbers of order 1/(1 - rho) (relative error about eps / (1 - rho)^2 / N) and overflows where rho^(K+1)
#            does: compared up to rho = 0.999; beyond, with the Markov chain itself (ctmc, ctmcbd), K <= 130
#   qsmm1    forms 1 - rho from a rounded rho: near 1 compared to 4 eps / (1 - rho)
#   qsmg1    its p0 is exp(-rho), which no M/G/1 has: not compared; its N_Q is Q - U, which cancels at small rho
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "$(command -v octave-cli)" ] || skip_all "octave-cli is not installed (Debian package octave-queueing)"
octave-cli --quiet --no-init-file --eval 'pkg load queueing' >/dev/null 2>&1 ||
    skip_all "octave has no package queueing (Debian package octave-queueing)"
begin "$@"

make_grid() {
    awk 'BEGIN {
        OFS = "\t"
        print "case", "lambda", "mu", "K", "scv", "batch_mean", "batch_second"
        rhos = split("1e-9 1e-6 1e-3 0.05 0.1 0.3 0.5 0.7 0.9 0.99 0.999", rho, " ")
        mus = split("1 133e6 49.97e6 1e-3", mu, " ")
        ks = split("1 2 3 10 130 600 10000 1000000", k, " ")
        for (r = 1; r <= rhos; r++) for (m = 1; m <= mus; m++) for (c = 1; c <= ks; c++)
            printf "grid\t%.17g\t%s\t%s\t%s\t%s\t%s\n", rho[r] * mu[m], mu[m], k[c], c / 2 - 0.5, c, c * c + m
        rhos = split("0.999999 0.999999999 1 1.000001 1.001 1.1 1.5 10 1000", rho, " ")
        for (r = 1; r <= rhos; r++) for (m = 1; m <= 2; m++) for (c = 1; c <= 5; c++)
            printf "beyond\t%.17g\t%s\t%s\t%s\t%s\t%s\n", rho[r] * mu[m], mu[m], k[c], 1, 1, 1
    }'
}

cat >compare.m <<'M'
warning('off', 'all');
pkg load queueing
function rows = read_tsv(name)
    lines = strsplit(fileread(name), "\n");
    lines = lines(! cellfun(@(l) isempty(l) || l(1) == '#', lines));
    rows = cellfun(@(l) strsplit(l, "\t", 'CollapseDelimiters', false), lines(:), 'UniformOutput', false);
    rows = vertcat(rows{:});
endfunction
function x = numbers(rows, name)
    x = str2double(rows(2:end, strcmp(rows(1, :), name)));
endfunction
% worst relative difference of a column from the peer's, over what it may be (a scalar or one a row)
function judge(what, ours, theirs, within)
    ours = ours(:); theirs = theirs(:); within = within(:) + 0 * theirs;
    worst = max(abs(ours - theirs) ./ max(abs(theirs), realmin) ./ within);
    if any(isnan(ours)) || any(isnan(theirs)) || isempty(ours) worst = NaN; endif
    printf("%s\t%d\t%.3g\n", what, numel(ours), worst);
endfunction

grid = read_tsv('grid'); out = read_tsv('answers');
model = out(2:end, 4); status = out(2:end, 5);
is_grid = strcmp(grid(2:end, 1), 'grid');
lambda = numbers(grid, 'lambda'); mu = numbers(grid, 'mu'); K = numbers(grid, 'K'); rho = lambda ./ mu;
scv = numbers(grid, 'scv'); m1 = numbers(grid, 'batch_mean'); m2 = numbers(grid, 'batch_second');
get = @(name, column) numbers(out, column)(strcmp(model, name));
g = is_grid; tight = 1e-9;

[U R Q X p0] = qsmm1(lambda(g)', mu(g)');
judge('qsmm1 N_G', get('M/M/1', 'n_g')(g), Q, tight);
judge('qsmm1 W_G', get('M/M/1', 'w_g_s')(g), R, tight);
judge('qsmm1 rho', get('M/M/1', 'rho')(g), U, tight);
judge('qsmm1 P_0', get('M/M/1', 'p_0')(g), p0, tight);

[U R Q X p0 pK] = qsmm1k(lambda(g)', mu(g)', K(g)');
off = 'M/M/1/K';
judge('qsmm1k N_G', get(off, 'n_g')(g), Q, tight);
judge('qsmm1k W_G', get(off, 'w_g_s')(g), R, tight);
seen = rho(g) > 0.5e-6;
judge('qsmm1k rho', get(off, 'rho')(g)(seen), U(seen), tight);
judge('qsmm1k lambda', get(off, 'lambda_per_s')(g), X, tight);
judge('qsmm1k P_0', get(off, 'p_0')(g), p0, tight);
seen = pK' > 1e-300;
judge('qsmm1k P_K', get(off, 'p_k')(g)(seen), pK(seen), tight);

% from the actual rate: what we say is offered, offered to the peer, must bring that rate in; where little is lost
offered = get('M/M/1/K (Dor)', 'lambda_offered_per_s');
can = g & offered ./ mu < 0.9995 & isfinite(offered);
[U R Q X p0 pK] = qsmm1k(offered(can)', mu(can)', K(can)');
judge('qsmm1k from the actual rate: lambda', X, lambda(can), tight);
judge('qsmm1k from the actual rate: N_G', get('M/M/1/K (Dor)', 'n_g')(can), Q, 1e-8);

S = 1 ./ mu(g)';
[U R Q X] = qsmg1(lambda(g)', S, (1 + scv(g)') .* S .^ 2);
judge('qsmg1 N_G', get('M/G/1', 'n_g')(g), Q, tight);
judge('qsmg1 W_G', get('M/G/1', 'w_g_s')(g), R, tight);
judge('qsmg1 rho', get('M/G/1', 'rho')(g), U, tight);
[U R Q X] = qsmg1(lambda(g)', S, S .^ 2);
judge('qsmg1 M/D/1 N_G', get('M/D/1', 'n_g')(g), Q, tight);
% a batch is one element of M/G/1 whose service is a random sum; in it, half of the others go first
group = m1(g)' .* S;
square = m1(g)' .* scv(g)' .* S .^ 2 + m2(g)' .* S .^ 2;
[U R Q X] = qsmg1(lambda(g)' ./ m1(g)', group, square);
judge('qsmg1 batches W_Q', get('M^[X]/G/1', 'w_q_s')(g), R - group + S .* (m2(g)' ./ m1(g)' - 1) / 2, 1e-8);

% beyond: the Markov chain, one by one
b = ! g; n = [];
for i = find(b)'
    q = ctmc(ctmcbd(lambda(i) / mu(i) * ones(1, K(i)), ones(1, K(i))));
    n(end + 1, :) = [dot(0:K(i), q), 1 - q(1), q(end)];
endfor
judge('ctmc N_G near and above saturation', get(off, 'n_g')(b), n(:, 1), tight);
judge('ctmc rho', get(off, 'rho')(b), n(:, 2), tight);
judge('ctmc P_K', get(off, 'p_k')(b), n(:, 3), tight);
near = b & rho < 1;
[U R Q X p0] = qsmm1(lambda(near)', mu(near)');
judge('qsmm1 N_G near saturation, to its conditioning', get('M/M/1', 'n_g')(near), Q, max(tight, 4 * eps ./ (1 - rho(near))));
over = b & rho >= 1;
printf("no number where M/M/1 has none\t%d\t%d\n", sum(over), 2 * any(isfinite(get('M/M/1', 'n_g')(over))));

% the open chain of four stages: Jackson's network, by visits
chain = read_tsv('chain'); pick = strcmp(chain(2:end, 2), '4-stage') & strcmp(chain(2:end, 4), 'M/M/1');
rate = numbers(chain, 'lambda_per_s')(pick); service = 1 ./ numbers(chain, 'mu_per_s')(pick);
[U R Q X] = qnos(rate(1), service', (rate / rate(1))');
judge('qnos N_G of the chain', numbers(chain, 'n_g')(pick), Q, tight);
judge('qnos W_G of the chain', numbers(chain, 'w_g_s')(pick), R, tight);

% several servers, of tables with nine digits
function x = of_servers(name, parameter)
    table = read_tsv(name);
    x = str2double(table(find(strcmp(table(:, 2), parameter), 1), strcmp(table(1, :), 'M/M/c/K')));
endfunction
[U R Q X p0 pm] = qsmmm(3, 1, 4);
judge('qsmmm rho', of_servers('servers', 'rho'), U, 1e-8);
judge('qsmmm N_G', of_servers('servers', 'N_G'), Q, 1e-8);
judge('qsmmm W_G', of_servers('servers', 'W_G'), R, 1e-8);
[U R Q X p0 pK] = qsmmmk(6, 1, 4, 7);
judge('qsmmmk N_G', of_servers('servers_places', 'N_G'), Q, 1e-8);
judge('qsmmmk W_G', of_servers('servers_places', 'W_G'), R, 1e-8);
judge('qsmmmk throughput', of_servers('servers_places', 'throughput'), X, 1e-8);
judge('qsmmmk loss', of_servers('servers_places', 'loss'), pK, 1e-8);

% closed networks, whose tables have nine digits; centres of a class in their order, 'all' if it shares them
nine = 1e-8;
function x = mva(table, class, parameter)
    is_row = strcmp(table(2:end, 3), parameter) & strcmp(table(2:end, 2), class);
    x = str2double(table(2:end, 7)(is_row))';
endfunction
closed = read_tsv('closed_one');
[U R Q X] = qncsmva(5, [4 1 0.5], [1 1.5 2], [-1 1 2]);
judge('qncsmva throughput', mva(closed, 'one', 'throughput'), X(1), nine);
judge('qncsmva N_G', mva(closed, 'one', 'N_G'), Q, nine);
judge('qncsmva W_G', mva(closed, 'one', 'W_G'), R, nine);
judge('qncsmva rho', mva(closed, 'one', 'rho'), U(2:3), nine);
S = [66.07 40 9.01; 66.07 40 9.01];
[U R Q X] = qncmmva([3 2], S, [1 0 1; 0 1 1], [1 1 1]);
closed = read_tsv('closed_two');
judge('qncmmva throughput', [mva(closed, 'a', 'throughput'), mva(closed, 'b', 'throughput')], X(:, 3), nine);
judge('qncmmva N_G', [mva(closed, 'a', 'N_G'), mva(closed, 'b', 'N_G')], [Q(1, [1 3]), Q(2, 2:3)], nine);
judge('qncmmva W_G', [mva(closed, 'a', 'W_G'), mva(closed, 'b', 'W_G')], [R(1, [1 3]), R(2, 2:3)], nine);
[U R Q X] = qncmmva([4 3], S, [1 0 1; 0 1 1], [2 1 3]);
closed = read_tsv('closed_servers');
judge('qncmmva of several servers, N_G', [mva(closed, 'a', 'N_G'), mva(closed, 'b', 'N_G')], [Q(1, [1 3]), Q(2, 2:3)], nine);
judge('qncmmva of several servers, W_G', [mva(closed, 'a', 'W_G'), mva(closed, 'b', 'W_G')], [R(1, [1 3]), R(2, 2:3)], nine);
[U R Q X] = qncscmva(30, [1 0.7], 0.9 ./ [1 1.6 2 2.2 * ones(1, 27)], [1 0.5 1.5]);
closed = read_tsv('closed_load');
judge('qncscmva of a rate by load, throughput', mva(closed, 'one', 'throughput'), X(1), nine);
judge('qncscmva of a rate by load, N_G', mva(closed, 'one', 'N_G'), Q, nine);
M

make_grid >grid
"$mercury" predict grid --format tsv >answers 2>errors
check "mercury predicts the grid" test ! -s errors
"$mercury" predict --set lambda_in=895.3 --set P_1a=0.0178 --set P_1b=0.877 --set P_2=0.000204 --set mu_1b=127.6 --set M_2=1 \
    --format tsv >chain
# closed NAME LINE...: the table of a network of these lines
closed() {
    local name=$1
    shift
    printf '%s\n' "$@" | "$mercury" queue --closed - --customers 1000 --format tsv >"$name"
}
closed closed_one 'centre think time=4 servers=all' 'centre cpu time=1' 'centre disks time=0.5 servers=2' \
    'class one population=5 visits=think,cpu:1.5,disks:2'
closed closed_two 'centre p time=66.07' 'centre q time=40' 'centre bus time=9.01' 'class a population=3 visits=p,bus' \
    'class b population=2 visits=q,bus'
closed closed_servers 'centre p time=66.07 servers=2' 'centre q time=40' 'centre bus time=9.01 servers=3' \
    'class a population=4 visits=p,bus' 'class b population=3 visits=q,bus'
closed closed_load 'centre p time=1' 'centre q time=0.7' 'centre r time=0.9 speeds=1,1.6,2,2.2' \
    'class one population=30 visits=p,q:0.5,r:1.5'
"$mercury" queue --lambda 3 --servers 4 --customers 1000 --format tsv >servers
"$mercury" queue --lambda 6 --servers 4 --capacity 7 --customers 1000 --format tsv >servers_places
octave-cli --quiet --no-init-file compare.m >judged 2>octave_errors
report "octave compares" "$(grep '^error' octave_errors | grep -v 'ignoring const execution_exception')" # at its exit
while IFS=$'\t' read -r what count worst; do
    check_number "$what: $count values, worst at $worst of what it may differ" "$worst" '<=' 1
done <judged
check_number "all comparisons were made" "$(wc -l <judged)" '==' 42

# Negative control: a service rate 1e-7 off is found.
awk -F '\t' 'BEGIN { OFS = "\t" } NR > 1 { $3 = sprintf("%.17g", $3 * (1 + 1e-7)) } { print }' grid >wrong_grid
"$mercury" predict wrong_grid --format tsv >answers 2>errors
octave-cli --quiet --no-init-file compare.m >judged_wrong 2>octave_errors
check_not "a service rate 1e-7 off is not accepted" awk -F '\t' '/^qsmm1 N_G\t/ { exit !($3 <= 1) }' judged_wrong
finish
