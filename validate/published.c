#include "validate/published.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "model/closed/closed_network.h"
#include "model/closed/private_centre.h"
#include "model/sums/share_regions.h"
#include "model/sums/no_wait.h"
#include "model/sums/random_sum.h"
#include "model/sums/tail_index.h"
#include "validate/dor2010.h"

static void add_value(struct published *out, struct published_value value)
{
    assert(out->value_count < PUBLISHED_VALUES_MAX);
    const struct dor2010_number printed = dor2010_number(value.expected);
    value.admitted = value.ours >= printed.low && value.ours <= printed.high;
    out->values[out->value_count++] = value;
    out->not_admitted += !value.admitted;
}

/* @param evidence  a format: the numbers on which it rests */
static void __attribute__((format(printf, 4, 5)))
add_statement(struct published *out, const char *text, bool holds, const char *evidence, ...)
{
    assert(out->statement_count < PUBLISHED_STATEMENTS_MAX);
    struct published_statement *s = &out->statements[out->statement_count++];
    va_list arguments;
    *s = (struct published_statement){.text = text, .holds = holds};
    va_start(arguments, evidence);
    vsnprintf(s->evidence, sizeof s->evidence, evidence, arguments);
    va_end(arguments);
    out->not_admitted += !holds;
}

/* --- TimeTrial ------------------------------------------------------------------------------------------- */

#define MB ((double)(1 << 20))
#define GB 1e9

/* Section IV.C. */
#define SOFTWARE_BYTES (46912 * 64.0)
#define BOARD_BYTES    (11728 * 11056.0)
#define RUN_BYTES      4.2e12

/* Section III: a histogram of 512 bins, and two stamps of 4 bytes for each of 1e9 elements. Table I: what TimeTrial
 * takes of what the FPGA has. */
static const struct published_value timetrial[] = {
    {"III, histogram", "bins", "B", "4096", 512 * 8},
    {"III, raw events", "bytes", "GB", "8", 2e9 * 4 / GB},
    {"IV.C, software", "events", "MB", "2.86", SOFTWARE_BYTES / MB},
    {"IV.C, board", "records", "MB", "124", BOARD_BYTES / MB},
    {"IV.C, board", "share", "%", "0.003", 100 * BOARD_BYTES / RUN_BYTES},
    {"Table I, used of", "98304", "%", "5.3", 100 * 5164 / 98304.0},
    {"Table I, used of", "98304", "%", "7.1", 100 * 6980 / 98304.0},
    {"Table I, used of", "240", "%", "0.8", 100 * 2 / 240.0},
    {"Table I, used of", "96", "%", "1.0", 100 * 1 / 96.0},
};

void timetrial2011_make(struct published *out)
{
    *out = (struct published){.value_count = 0};
    for (size_t i = 0; i < sizeof timetrial / sizeof timetrial[0]; i++)
        add_value(out, timetrial[i]);
    add_statement(out, "an MB is 2^20 bytes", fabs(SOFTWARE_BYTES / 1e6 - 2.86) > 0.005,
                  "with 10^6 these would be %.2f and %.0f MB", SOFTWARE_BYTES / 1e6, BOARD_BYTES / 1e6);
}

/* --- Leonards: Algorithm 1 ------------------------------------------------------------------------------- */

#define SHARED_NS     9.01
#define X_PER_NS      0.07
#define REQUEST_BYTES 64.0

struct network_value {
    const char *quantity, *unit, *expected;
    enum { RATE, TIME, NUMBER } of; /* RATE: of a class; others: at a centre */
    unsigned index;
};

/* The example has the rates 4, 3 and 8; routes lead from 1 to 3, 2 to 1, and 3 to 1 with probability 1/4, else to 2:
 * visits 1, 0.75, 1. The last network is one where the recursion of Algorithm 1 loses all digits. */
static const struct {
    const char *where;
    struct closed_network network;
    struct network_value values[7];
} networks[] = {
    {"rates 4, 3, 8",
     {.centre_count = 3,
      .class_count = 1,
      .population = {1},
      .centres = {{4, 1, .visits = {1}}, {3, 1, .visits = {0.75}}, {8, 1, .visits = {1}}}},
     {{"x", "1/s", "1.6", RATE, 0},
      {"w_1", "s", "0.25", TIME, 0},
      {"w_2", "s", "0.333333", TIME, 1},
      {"w_3", "s", "0.125", TIME, 2},
      {"n_1", "1", "0.4", NUMBER, 0},
      {"n_2", "1", "0.4", NUMBER, 1},
      {"n_3", "1", "0.2", NUMBER, 2}}},
    {"N (3,2), C 1",
     {.centre_count = 3,
      .class_count = 2,
      .population = {3, 2},
      .centres = {{1 / 66.07, 1, .visits = {1, 0}},
                  {1 / 40.0, 1, .visits = {0, 1}},
                  {1 / SHARED_NS, 1, .visits = {1, 1}}}},
     {{"x_1", "1/ns", "0.0150753351905304", RATE, 0}, {"x_2", "1/ns", "0.0237244902080405", RATE, 1}}},
    {"N (4,3), C (2,1,3)",
     {.centre_count = 3,
      .class_count = 2,
      .population = {4, 3},
      .centres = {{1 / 66.07, 2, .visits = {1, 0}},
                  {1 / 40.0, 1, .visits = {0, 1}},
                  {1 / SHARED_NS, 3, .visits = {1, 1}}}},
     {{"x_1", "1/ns", "0.0302243121416231", RATE, 0}, {"x_2", "1/ns", "0.0249576921160482", RATE, 1}}},
    {"N 200, C_0 4",
     {.centre_count = 2,
      .class_count = 1,
      .population = {200},
      .centres = {{X_PER_NS / 4, 4, .visits = {1}}, {1 / SHARED_NS, 1, .visits = {1}}}},
     {{"x", "1/ns", "0.0700", RATE, 0}}},
};

static int add_networks(struct published *out)
{
    int status = 0;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0] && status == 0; i++) {
        struct closed_result r;
        status = closed_network_solve(&networks[i].network, &r);
        for (const struct network_value *v = networks[i].values;
             v < networks[i].values + sizeof networks[i].values / sizeof *v && v->quantity; v++)
            add_value(out, (struct published_value){networks[i].where, v->quantity, v->unit, v->expected,
                                                    v->of == RATE   ? r.x_per_s[v->index]
                                                    : v->of == TIME ? r.w_s[v->index][0]
                                                                    : r.n[v->index][0]});
    }
    return status;
}

/* --- Figure 4.9 ------------------------------------------------------------------------------------------ */

enum { POINTS = 6 };

static const struct {
    unsigned population;
    const char *where, *private_ns, *w_ns[2];
} figure_4_9[POINTS] = {
    {1, "Fig. 4.9, N_0 1", "5.2757", {"9.0100", "9.0100"}},
    {2, "Fig. 4.9, N_0 2", "10.0198", {"13.2760", "12.2096"}},
    {3, "Fig. 4.9, N_0 3", "12.1163", {"16.2663", "15.1494"}},
    {5, "Fig. 4.9, N_0 5", "13.6165", {"20.0881", "19.3469"}},
    {10, "Fig. 4.9, N_0 10", "14.2311", {"23.6163", "23.4510"}},
    {20, "Fig. 4.9, N_0 20", "14.2852", {"24.3811", "24.3771"}},
};

static int add_figure(struct published *out, double w_ns[2][POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        struct private_centre p[2];
        for (unsigned c = 0; c < 2; c++) {
            int status =
                private_centre_of_population(X_PER_NS, SHARED_NS, c + 1, figure_4_9[i].population, &p[c]);
            if (status)
                return status;
            w_ns[c][i] = p[c].w_s;
        }
        const char *where = figure_4_9[i].where;
        add_value(out, (struct published_value){where, "1/mu_0", "ns", figure_4_9[i].private_ns,
                                                1 / p[0].mu_per_s});
        add_value(out, (struct published_value){where, "w, C_0 1", "ns", figure_4_9[i].w_ns[0], w_ns[0][i]});
        add_value(out, (struct published_value){where, "w, C_0 2", "ns", figure_4_9[i].w_ns[1], w_ns[1][i]});
    }
    add_value(out, (struct published_value){"Fig. 4.9, infinite", "1/mu_0", "ns", "14.2857", 1 / X_PER_NS});
    add_value(out, (struct published_value){"Fig. 4.9, infinite", "w", "ns", "24.3975",
                                            private_centre_limit_s(X_PER_NS, SHARED_NS)});
    return 0;
}

/* --- statements ------------------------------------------------------------------------------------------ */

static int add_statements(struct published *out, double w_ns[2][POINTS])
{
    double limit_ns = private_centre_limit_s(X_PER_NS, SHARED_NS);
    bool grows = true, falls = true, met;
    for (int i = 1; i < POINTS; i++) {
        grows = grows && w_ns[0][i] > w_ns[0][i - 1] && w_ns[1][i] > w_ns[1][i - 1];
        falls = falls && w_ns[1][i] < w_ns[0][i];
    }
    struct private_centre p;
    int status = private_centre_fit(X_PER_NS, 25, SHARED_NS, 1, &p, &met);
    if (status)
        return status;
    add_statement(out, "the time at the shared centre grows with N_0", grows, "%.4f to %.4f ns", w_ns[0][0],
                  w_ns[0][POINTS - 1]);
    add_statement(out, "and flattens", w_ns[0][5] - w_ns[0][4] < w_ns[0][1] - w_ns[0][0],
                  "10 more: %.2f ns, the second: %.2f ns", w_ns[0][5] - w_ns[0][4], w_ns[0][1] - w_ns[0][0]);
    add_statement(out, "and falls with C_0", falls, "N_0 5: %.4f, %.4f ns", w_ns[0][3], w_ns[1][3]);
    add_statement(out, "25 ns is met only nearly", !met && limit_ns > 0.97 * 25, "at most %.4f ns", limit_ns);
    status = private_centre_fit(X_PER_NS, 100, SHARED_NS, 1, &p, &met);
    add_statement(out, "100 ns is never met: the set is empty", !met && limit_ns < 50, "at most %.4f ns",
                  limit_ns);
    double gigabytes_per_s = REQUEST_BYTES / SHARED_NS;
    add_statement(out, "the \"7,110 GB/s\" of DRAM are 7.1 GB/s", fabs(gigabytes_per_s - 7.1) < 0.05,
                  "64 B / 9.01 ns = %.3f GB/s", gigabytes_per_s);
    const double modelled = 2.1, simulated = 2.2; /* increase of bodytrack's time in per cent, Table 5.2 */
    add_statement(out, "the model is no upper bound: bodytrack", modelled < simulated,
                  "modelled %.1f%%, simulated %.1f%%", modelled, simulated);
    return status;
}

int leonards2023_make(struct published *out)
{
    double w_ns[2][POINTS];
    *out = (struct published){.value_count = 0};
    int status = add_networks(out);
    if (status == 0)
        status = add_figure(out, w_ns);
    return status ? status : add_statements(out, w_ns);
}

/* --- Frenkel --------------------------------------------------------------------------------------------- */

enum { LOOKUP, TRIP, TYPES };

/* Dor's run 2 as in app/replay/seed_draws.h: 133e6/(1440e6 x 0.0346) = 2.669 clocks per seed need this p. */
#define SEEDS       1000
#define P_TRIP      0.0283
#define P_APART     0.01
#define TRIP_CLOCKS 60.0
#define LEVEL       0.95
#define ACCURACY    0.01

enum { PASSES = 20000, PASSES_PER_RUN = 20, RUNS = PASSES / PASSES_PER_RUN };

static const struct random_moments durations[TYPES] = {{1, 0}, {TRIP_CLOCKS, 0}};
static const double shares[TYPES] = {1 - P_TRIP, P_TRIP};

/* Normal quantile of the simulation's intervals. */
static double interval_deviations(void)
{
    return gsl_cdf_ugaussian_Pinv(0.9995);
}

/* --- cells ----------------------------------------------------------------------------------------------- */

struct simulated {
    double value, half_width;
};

static void add_cell(struct frenkel *f, struct frenkel_cell cell, struct simulated simulated)
{
    cell.simulated = simulated.value;
    cell.half_width = simulated.half_width;
    bool is_known = isnan(cell.known) || fabs(cell.formula - cell.known) <= cell.half_unit;
    bool is_held = isnan(cell.simulated) || fabs(cell.formula - cell.simulated) <= cell.half_width;
    cell.admitted = is_known && is_held;
    f->not_admitted += !cell.admitted;
    f->cells[f->count++] = cell;
}

static struct simulated mean_of(const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - sum / (double)count) * (values[i] - sum / (double)count);
    double n = (double)count;
    return (struct simulated){sum / n, interval_deviations() * sqrt(squares / (n - 1) / n)};
}

/* D s^2 is about (mu_4 - sigma^4) / n. */
static struct simulated variance_of(const double *values, size_t count)
{
    double mean = mean_of(values, count).value, squares = 0, fourths = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double square = (values[i] - mean) * (values[i] - mean);
        squares += square;
        fourths += square * square;
    }
    double variance = squares / (n - 1);
    return (struct simulated){variance,
                              interval_deviations() * sqrt((fourths / n - variance * variance) / n)};
}

static struct simulated fraction_of(size_t hits, size_t all)
{
    double p = (double)hits / (double)all;
    return (struct simulated){p, interval_deviations() * sqrt(p * (1 - p) / (double)all)};
}

/* --- passes ---------------------------------------------------------------------------------------------- */

/* Drawn passes: the counts of each, its time, and that less N E X. */
struct draws {
    gsl_rng *random;
    double *counts, *times, *eps;
};

/* Every operation is drawn by itself, so that the simulation knows nothing of binomial distributions. */
static void draw_pass(struct draws *d, size_t pass, unsigned operations, double p)
{
    unsigned trips = 0;
    for (unsigned i = 0; i < operations; i++)
        trips += gsl_rng_uniform(d->random) < p;
    double *counts = d->counts + pass * TYPES;
    counts[LOOKUP] = operations - trips;
    counts[TRIP] = trips;
    d->times[pass] = counts[LOOKUP] + TRIP_CLOCKS * counts[TRIP];
    d->eps[pass] = d->times[pass] - operations * random_sum_by_counts(shares, durations, TYPES);
}

static void check_fixed_number(struct draws *d, struct frenkel *f)
{
    struct random_moments x = random_sum_operation(shares, durations, TYPES);
    struct random_moments t = random_sum_moments((struct random_moments){SEEDS, 0}, x);
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, SEEDS, P_TRIP);
    struct simulated mean = mean_of(d->times, PASSES), variance = variance_of(d->times, PASSES);
    struct simulated x_mean = {mean.value / SEEDS, mean.half_width / SEEDS};
    struct simulated x_variance = {variance.value / SEEDS, variance.half_width / SEEDS};
    add_cell(f, (struct frenkel_cell){"4.2.2", "E X", "clocks", 2.6697, 0.5e-4, x.mean}, x_mean);
    add_cell(f, (struct frenkel_cell){"4.2.2", "D X", "clocks^2", 95.7244, 0.5e-4, x.variance}, x_variance);
    add_cell(f, (struct frenkel_cell){"4.2.5", "E T, N fixed", "clocks", 2669.7, 0.05, t.mean}, mean);
    add_cell(f, (struct frenkel_cell){"5.3", "D T, N fixed", "clocks^2", 95724, 0.5, t.variance}, variance);
}

static void check_poisson_number(struct draws *d, struct frenkel *f)
{
    struct random_moments x = random_sum_operation(shares, durations, TYPES);
    struct random_moments t = random_sum_moments((struct random_moments){SEEDS, SEEDS}, x);
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, gsl_ran_poisson(d->random, SEEDS), P_TRIP);
    add_cell(f, (struct frenkel_cell){"4.2.5", "E T, N Poisson", "clocks", 2669.7, 0.05, t.mean},
             mean_of(d->times, PASSES));
    add_cell(f, (struct frenkel_cell){"5.3", "D T, N Poisson", "clocks^2", 102852, 0.5, t.variance},
             variance_of(d->times, PASSES));
    add_cell(f, (struct frenkel_cell){"5.2", "D eps, N Poisson", "clocks^2", 95724, 0.5, SEEDS * x.variance},
             variance_of(d->eps, PASSES));
}

/* --- regions of shares ----------------------------------------------------------------------------------- */

struct coverage {
    size_t ellipsoid, hotelling; /* number of runs whose region holds the true shares */
};

static void judge_run(const double *counts, struct coverage *c)
{
    double sums[TYPES] = {0, 0}, found[TYPES], t2;
    for (size_t j = 0; j < PASSES_PER_RUN; j++)
        for (size_t i = 0; i < TYPES; i++)
            sums[i] += counts[j * TYPES + i];
    random_sum_shares(sums, TYPES, found);
    c->ellipsoid += multinomial_distance(found, shares, TYPES, sums[LOOKUP] + sums[TRIP]) <=
                    multinomial_limit(TYPES, LEVEL);
    c->hotelling += hotelling_t2(counts, PASSES_PER_RUN, TYPES, shares, &t2) == 0 &&
                    t2 <= hotelling_limit(PASSES_PER_RUN, TYPES, LEVEL);
}

static struct coverage coverage_of(const struct draws *d)
{
    struct coverage c = {0, 0};
    for (size_t run = 0; run < RUNS; run++)
        judge_run(d->counts + run * PASSES_PER_RUN * TYPES, &c);
    return c;
}

static void check_regions(struct draws *d, struct frenkel *f)
{
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, SEEDS, P_TRIP);
    struct coverage c = coverage_of(d);
    add_cell(f, (struct frenkel_cell){"4", "ellipsoid holds p", "1", NAN, NAN, LEVEL},
             fraction_of(c.ellipsoid, RUNS));
    add_cell(f, (struct frenkel_cell){"4", "T^2 holds p", "1", NAN, NAN, LEVEL},
             fraction_of(c.hotelling, RUNS));
}

/* Number of operations after which p is within ACCURACY at LEVEL: that many hold it as often. */
static void check_number_needed(struct draws *d, struct frenkel *f)
{
    double needed = multinomial_operations_needed(P_TRIP, TYPES, ACCURACY, LEVEL);
    size_t hits = 0;
    for (size_t i = 0; i < PASSES; i++) {
        double p = gsl_ran_binomial(d->random, P_TRIP, (unsigned)ceil(needed)) / ceil(needed);
        hits += fabs(p - P_TRIP) <= ACCURACY * P_TRIP;
    }
    add_cell(f, (struct frenkel_cell){"4", "p within 1% after", "seeds", 1.32e6, 0.005e6, needed},
             (struct simulated){NAN, NAN});
    add_cell(f, (struct frenkel_cell){"4", "then it is so", "1", NAN, NAN, LEVEL}, fraction_of(hits, PASSES));
}

/* --- passes that differ ---------------------------------------------------------------------------------- */

/* p is drawn for each pass: N D X is then that of the mean p (1 - p), and N E X varies with p. The design effect is
 * 1 + (N - 1) Var p / (p (1 - p)), and the ellipsoid of independent operations is too small by its root. */
static void check_passes_that_differ(struct draws *d, struct frenkel *f)
{
    double apart = TRIP_CLOCKS - 1, square = P_APART * P_APART;
    double total = SEEDS * apart * apart * (P_TRIP * (1 - P_TRIP) - square) +
                   (double)SEEDS * SEEDS * apart * apart * square;
    double effect = 1 + (SEEDS - 1) * square / (P_TRIP * (1 - P_TRIP));
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, SEEDS, gsl_rng_uniform(d->random) < 0.5 ? P_TRIP - P_APART : P_TRIP + P_APART);
    struct coverage c = coverage_of(d);
    struct simulated variance = variance_of(d->times, PASSES);
    double independent = SEEDS * P_TRIP * (1 - P_TRIP) * apart * apart;
    double simulated = design_effect(d->counts, PASSES, TYPES, TRIP, P_TRIP);
    f->by_53_where_p_varies = independent;
    add_cell(f, (struct frenkel_cell){"-", "D T, p varies", "clocks^2", 443476, 0.5, total}, variance);
    add_cell(f, (struct frenkel_cell){"-", "design effect", "1", 4.6328, 0.5e-4, effect},
             (struct simulated){simulated, variance.half_width / independent});
    add_cell(f,
             (struct frenkel_cell){"-", "ellipsoid, p varies", "1", NAN, NAN,
                                   gsl_cdf_chisq_P(multinomial_limit(TYPES, LEVEL) / effect, TYPES - 1)},
             fraction_of(c.ellipsoid, RUNS));
    add_cell(f, (struct frenkel_cell){"-", "T^2, p varies", "1", NAN, NAN, LEVEL},
             fraction_of(c.hotelling, RUNS));
}

/* --- tails ----------------------------------------------------------------------------------------------- */

static void check_tail(struct draws *d, struct frenkel *f)
{
    static const double alpha = 1.5;
    for (size_t i = 0; i < PASSES; i++)
        d->times[i] = gsl_ran_pareto(d->random, alpha, 1);
    tail_sort(d->times, PASSES);
    struct tail_estimate found = tail_index(d->times, PASSES, PASSES);
    add_cell(
        f, (struct frenkel_cell){"-", "Hill, alpha 1.5", "1", 1.5, 0, alpha},
        (struct simulated){found.index, interval_deviations() * found.index / sqrt((double)found.largest)});
}

/* --- makespans ------------------------------------------------------------------------------------------- */

enum { CLOCKS_MAX = 64, MACHINES_MAX = 3 };

static bool is_free(bool busy[][CLOCKS_MAX], const double *job, size_t machines, int begin)
{
    int clock = begin;
    for (size_t u = 0; u < machines; u++)
        for (int end = clock + (int)job[u]; clock < end; clock++)
            if (busy[u][clock])
                return false;
    return true;
}

/* Clock by clock: each job begins at the first clock, from the begin of the job before it, at which all of its times on
 * all machines are free. */
static double scheduled_makespan(const double *times, size_t jobs, size_t machines)
{
    bool busy[MACHINES_MAX][CLOCKS_MAX] = {{false}};
    int begin = 0, clock = 0;
    for (size_t i = 0; i < jobs; i++) {
        const double *job = times + i * machines;
        while (!is_free(busy, job, machines, begin))
            begin++;
        clock = begin;
        for (size_t u = 0; u < machines; u++)
            for (int end = clock + (int)job[u]; clock < end; clock++)
                busy[u][clock] = true;
    }
    return clock;
}

static void check_makespans(struct frenkel *f)
{
    static const double two[] = {2, 3, 1, 4, 3, 1}, three[] = {5, 1, 2, 3, 6, 1, 2, 2, 7, 4, 1, 1};
    add_cell(f, (struct frenkel_cell){"3", "no-wait, 3 x 2", "clocks", 10, 0, no_wait_makespan(two, 3, 2)},
             (struct simulated){scheduled_makespan(two, 3, 2), 0});
    add_cell(f, (struct frenkel_cell){"3", "no-wait, 4 x 3", "clocks", 24, 0, no_wait_makespan(three, 4, 3)},
             (struct simulated){scheduled_makespan(three, 4, 3), 0});
}

/* --- all ------------------------------------------------------------------------------------------------- */

int frenkel_make(unsigned long seed, struct frenkel *out)
{
    struct draws d = {gsl_rng_alloc(gsl_rng_mt19937), calloc((size_t)PASSES * TYPES, sizeof(double)),
                      calloc(PASSES, sizeof(double)), calloc(PASSES, sizeof(double))};
    bool whole = d.random && d.counts && d.times && d.eps;
    *out = (struct frenkel){.count = 0};
    if (whole) {
        gsl_rng_set(d.random, seed);
        check_fixed_number(&d, out);
        check_poisson_number(&d, out);
        check_regions(&d, out);
        check_number_needed(&d, out);
        check_passes_that_differ(&d, out);
        check_tail(&d, out);
        check_makespans(out);
    }
    if (d.random)
        gsl_rng_free(d.random);
    free(d.counts);
    free(d.times);
    free(d.eps);
    return whole ? 0 : -1;
}
