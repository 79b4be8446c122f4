#include "app/reproduce/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/closed/closed_network.h"
#include "model/closed/private_centre.h"
#include "model/model_error.h"
#include "model/sums/no_wait.h"
#include "model/sums/random_sum.h"
#include "model/sums/share_regions.h"
#include "model/sums/tail_index.h"
#include "validate/dor2010.h"
#include "app/published.inc"

/* A publication's table, while it is filled. */
struct published {
    struct result_table *table;
    bool text;
    size_t count, not_admitted; /* of values and statements */
};

static const char *judged(struct published *p, bool admitted)
{
    p->count++;
    p->not_admitted += !admitted;
    return admitted ? "yes" : p->text ? "NO" : "no";
}

static const char *holds(struct published *p, bool holds)
{
    return *judged(p, holds) == 'y' ? "holds" : "FAILS";
}

/* What is expected: as printed, with the digits that count. */
struct value {
    const char *where, *quantity, *unit, *expected;
    double ours;
};

/* The rows of data/words/published.tsv. */
#define VALUE(ours, where, quantity, unit, expected)                                                         \
    {                                                                                                        \
        where, quantity, unit, expected, ours                                                                \
    }

static void add_values(struct published *p, const struct value *values, size_t count)
{
    for (const struct value *v = values; v < values + count; v++) {
        const struct dor2010_number printed = dor2010_number(v->expected);
        result_table_add(p->table, TEXT(v->where), TEXT(v->quantity), TEXT(v->unit), TEXT(v->expected),
                         NUMBER(v->ours), TEXT(judged(p, v->ours >= printed.low && v->ours <= printed.high)));
    }
}

/* --- TimeTrial ------------------------------------------------------------------------------------------- */

#define MB ((double)(1 << 20))
#define GB 1e9

/* Section IV.C. */
#define SOFTWARE_BYTES (46912 * 64.0)
#define BOARD_BYTES    (11728 * 11056.0)
#define RUN_BYTES      4.2e12

static int add_timetrial(struct published *p)
{
    const struct value values[] = {TIMETRIAL_VALUE_ROWS(VALUE)};
    add_values(p, values, sizeof values / sizeof values[0]);
    result_table_note(p->table, "%s: an MB is 2^20 bytes (with 10^6 these would be %.2f and %.0f MB)",
                      holds(p, fabs(SOFTWARE_BYTES / 1e6 - 2.86) > 0.005), SOFTWARE_BYTES / 1e6,
                      BOARD_BYTES / 1e6);
    return 0;
}

/* --- Leonards: what is computed -------------------------------------------------------------------------- */

#define SHARED_NS     9.01
#define X_PER_NS      0.07
#define REQUEST_BYTES 64.0

/* Algorithm 1. The example has the rates 4, 3 and 8; routes lead from 1 to 3, 2 to 1, and 3 to 1 with probability 1/4,
 * else to 2: visits 1, 0.75, 1. The last network is one where the recursion of Algorithm 1 loses all digits. */
static const struct closed_network networks[] = {
    {.centre_count = 3,
     .class_count = 1,
     .population = {1},
     .centres = {{4, 1, .visits = {1}}, {3, 1, .visits = {0.75}}, {8, 1, .visits = {1}}}},
    {.centre_count = 3,
     .class_count = 2,
     .population = {3, 2},
     .centres = {{1 / 66.07, 1, .visits = {1, 0}},
                 {1 / 40.0, 1, .visits = {0, 1}},
                 {1 / SHARED_NS, 1, .visits = {1, 1}}}},
    {.centre_count = 3,
     .class_count = 2,
     .population = {4, 3},
     .centres = {{1 / 66.07, 2, .visits = {1, 0}},
                 {1 / 40.0, 1, .visits = {0, 1}},
                 {1 / SHARED_NS, 3, .visits = {1, 1}}}},
    {.centre_count = 2,
     .class_count = 1,
     .population = {200},
     .centres = {{X_PER_NS / 4, 4, .visits = {1}}, {1 / SHARED_NS, 1, .visits = {1}}}},
};

/* Customers of Figure 4.9. */
static const unsigned populations[] = {1, 2, 3, 5, 10, 20};

/* A program that uses a part of the memory's time, beside another instance of itself (Tables 5.2 and 5.3, from
 * Table 2.1 alone): how much longer it takes, in per cent, as the thesis's model has it. */
static const struct {
    const char *program, *percent, *modelled; /* as printed */
} sharing[] = {
    {"bodytrack", "12", "2.1"},
    {"dedup", "18", "1.3"},
    {"streamcluster", "28", "4"},
    {"fluidanimate", "1", "1.4"}, /* as blackscholes and swaptions */
};

enum {
    NETWORKS = sizeof networks / sizeof networks[0],
    POINTS = sizeof populations / sizeof populations[0],
    SHARING = sizeof sharing / sizeof sharing[0]
};

struct leonards {
    struct closed_result of[NETWORKS];
    double private_ns[POINTS], w_ns[2][POINTS]; /* 1/mu_0, and w with 1 and 2 servers of the private centre */
    double limit_ns;                            /* of w_ns */
    double slower[SHARING][2];                  /* in per cent, with one customer and with two */
    double range[SHARING][2];                   /* of these, with any use that is printed so */
};

static int find_increase(double utilisation, unsigned customers, double *percent)
{
    struct private_centre alone;
    struct closed_result r;
    int status = private_centre_of_population(utilisation, 1, 1, 0, customers, &alone);
    if (status)
        return status;
    const struct closed_network two = {.centre_count = 3,
                                       .class_count = 2,
                                       .population = {customers, customers},
                                       .centres = {{alone.mu_per_s, 1, .visits = {1, 0}},
                                                   {alone.mu_per_s, 1, .visits = {0, 1}},
                                                   {1, 1, .visits = {1, 1}}}};
    status = closed_network_solve(&two, &r);
    *percent = 100 * (utilisation / r.x_per_s[0] - 1);
    return status;
}

static int compute_leonards(struct leonards *l)
{
    int status = 0;
    for (unsigned i = 0; i < NETWORKS && status == 0; i++)
        status = closed_network_solve(&networks[i], &l->of[i]);
    for (unsigned i = 0; i < 2 * POINTS && status == 0; i++) {
        struct private_centre fitted = {0};
        status = private_centre_of_population(X_PER_NS, SHARED_NS, i % 2 + 1, 0, populations[i / 2], &fitted);
        l->w_ns[i % 2][i / 2] = fitted.w_s;
        if (i % 2 == 0)
            l->private_ns[i / 2] = 1 / fitted.mu_per_s;
    }
    for (unsigned i = 0; i < 2 * SHARING && status == 0; i++) {
        const struct dor2010_number use = dor2010_number(sharing[i / 2].percent);
        status = find_increase(use.value / 100, i % 2 + 1, &l->slower[i / 2][i % 2]);
        if (status == 0)
            status = find_increase((i % 2 ? use.high : use.low) / 100, 2 - i % 2, &l->range[i / 2][i % 2]);
    }
    l->limit_ns = private_centre_limit_s(X_PER_NS, SHARED_NS);
    return status;
}

/* --- Leonards: statements -------------------------------------------------------------------------------- */

static int add_statements(struct published *p, const struct leonards *l)
{
    const double limit_ns = l->limit_ns, *one = l->w_ns[0], *two = l->w_ns[1];
    const double first_ns = one[1] - one[0], last_ns = one[5] - one[4];
    const double gigabytes_per_s = REQUEST_BYTES / SHARED_NS;
    const double modelled = 2.1, simulated = 2.2; /* increase of bodytrack's time in per cent, Table 5.2 */
    bool grows = true, falls = true, met_25, met_100;
    for (int i = 1; i < POINTS; i++) {
        grows = grows && one[i] > one[i - 1] && two[i] > two[i - 1];
        falls = falls && two[i] < one[i];
    }
    struct private_centre fitted;
    int status = private_centre_fit(X_PER_NS, 25, SHARED_NS, 1, 0, &fitted, &met_25);
    if (status == 0)
        status = private_centre_fit(X_PER_NS, 100, SHARED_NS, 1, 0, &fitted, &met_100);
    if (status)
        return status;
    result_table_note(p->table, "%s: the time at the shared centre grows with N_0 (%.4f to %.4f ns)",
                      holds(p, grows), one[0], one[POINTS - 1]);
    result_table_note(p->table, "%s: and flattens (10 more: %.2f ns, the second: %.2f ns)",
                      holds(p, last_ns < first_ns), last_ns, first_ns);
    result_table_note(p->table, "%s: and falls with C_0 (N_0 5: %.4f, %.4f ns)", holds(p, falls), one[3],
                      two[3]);
    result_table_note(p->table, "%s: 25 ns is met only nearly (at most %.4f ns)",
                      holds(p, !met_25 && limit_ns > 0.97 * 25), limit_ns);
    result_table_note(p->table, "%s: 100 ns is never met: the set is empty (at most %.4f ns)",
                      holds(p, !met_100 && limit_ns < 50), limit_ns);
    result_table_note(p->table, "%s: the \"7,110 GB/s\" of DRAM are 7.1 GB/s (64 B / 9.01 ns = %.3f GB/s)",
                      holds(p, fabs(gigabytes_per_s - 7.1) < 0.05), gigabytes_per_s);
    result_table_note(p->table,
                      "%s: the model is no upper bound: bodytrack (modelled %.1f%%, simulated %.1f%%)",
                      holds(p, modelled < simulated), modelled, simulated);
    return 0;
}

/* The ranges are those of all numbers that are rounded to what is printed. */
static void note_sharing(const struct published *p, const struct leonards *l)
{
    for (unsigned i = 0; i < SHARING; i++) {
        const double least = l->range[i][0], most = l->range[i][1];
        const struct dor2010_number modelled = dor2010_number(sharing[i].modelled);
        const char *where = modelled.low > most ? "above" : modelled.high < least ? "below" : "inside";
        result_table_note(
            p->table,
            "%s: Table 2.1's %s%% of the memory alone make two instances %.3g to %.3g%% slower; "
            "the %s%% that are printed are %s",
            sharing[i].program, sharing[i].percent, least, most, sharing[i].modelled, where);
    }
}

static int add_leonards(struct published *p)
{
    struct leonards l;
    int status = compute_leonards(&l);
    if (status)
        return status;
    const struct value values[] = {LEONARDS_VALUE_ROWS(VALUE)};
    add_values(p, values, sizeof values / sizeof values[0]);
    note_sharing(p, &l);
    return add_statements(p, &l);
}

/* --- Frenkel --------------------------------------------------------------------------------------------- */

enum { LOOKUP, TRIP, TYPES };

/* Dor's run 2 as in app/replay/replay.h: 133e6/(1440e6 x 0.0346) = 2.669 clocks per seed need this p. */
#define SEEDS       1000
#define P_TRIP      0.0283
#define P_APART     0.01
#define TRIP_CLOCKS 60.0
#define LEVEL       0.95
#define ACCURACY    0.01

enum { PASSES = 20000, PASSES_PER_RUN = 20, RUNS = PASSES / PASSES_PER_RUN };

static const double durations[TYPES] = {1, TRIP_CLOCKS};
static const double shares[TYPES] = {1 - P_TRIP, P_TRIP};

/* Normal quantile of the simulation's intervals. */
static double interval_deviations(void)
{
    return gsl_cdf_ugaussian_Pinv(0.9995);
}

/* --- cells ----------------------------------------------------------------------------------------------- */

/* What is known of a value by hand, NaN if nothing is, and by formula. */
struct known {
    const char *equation, *quantity, *unit;
    double value, half_unit, formula;
};

/* half_width 0: the simulation is exact; NaN: nothing is simulated. */
struct simulated {
    double value, half_width;
};

static void add_cell(struct published *p, struct known known, struct simulated s)
{
    bool is_known = isnan(known.value) || fabs(known.formula - known.value) <= known.half_unit;
    bool is_held = isnan(s.value) || fabs(known.formula - s.value) <= s.half_width;
    result_table_add(p->table, TEXT(known.equation), TEXT(known.quantity), NUMBER(known.value),
                     NUMBER(known.formula), NUMBER(s.value), NUMBER(s.half_width),
                     TEXT(judged(p, is_known && is_held)));
    if (!p->text) /* a line for people has 80 columns */
        result_table_add(p->table, TEXT(known.unit));
}

static struct simulated mean_of(const double values[PASSES])
{
    return (struct simulated){gsl_stats_mean(values, 1, PASSES),
                              interval_deviations() * sqrt(gsl_stats_variance(values, 1, PASSES) / PASSES)};
}

/* D s^2 is about (mu_4 - sigma^4) / n. */
static struct simulated variance_of(const double values[PASSES])
{
    double variance = gsl_stats_variance(values, 1, PASSES),
           excess = gsl_stats_kurtosis(values, 1, PASSES); /* mu_4 / sigma^4 - 3 */
    return (struct simulated){variance, interval_deviations() * variance * sqrt((excess + 2) / PASSES)};
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

static void check_moments(struct draws *d, struct published *p)
{
    struct random_moments x = random_sum_operation(shares, durations, TYPES);
    struct random_moments t = random_sum_moments((struct random_moments){SEEDS, 0}, x);
    struct random_moments t_poisson = random_sum_moments((struct random_moments){SEEDS, SEEDS}, x);
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, SEEDS, P_TRIP);
    struct simulated mean = mean_of(d->times), variance = variance_of(d->times);
    struct simulated x_mean = {mean.value / SEEDS, mean.half_width / SEEDS};
    struct simulated x_variance = {variance.value / SEEDS, variance.half_width / SEEDS};
    add_cell(p, (struct known){"4.2.2", "E X", "clocks", 2.6697, 0.5e-4, x.mean}, x_mean);
    add_cell(p, (struct known){"4.2.2", "D X", "clocks^2", 95.7244, 0.5e-4, x.variance}, x_variance);
    add_cell(p, (struct known){"4.2.5", "E T, N fixed", "clocks", 2669.7, 0.05, t.mean}, mean);
    add_cell(p, (struct known){"5.3", "D T, N fixed", "clocks^2", 95724, 0.5, t.variance}, variance);
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, gsl_ran_poisson(d->random, SEEDS), P_TRIP);
    add_cell(p, (struct known){"4.2.5", "E T, N Poisson", "clocks", 2669.7, 0.05, t_poisson.mean},
             mean_of(d->times));
    add_cell(p, (struct known){"5.3", "D T, N Poisson", "clocks^2", 102852, 0.5, t_poisson.variance},
             variance_of(d->times));
    add_cell(p, (struct known){"5.2", "D eps, N Poisson", "clocks^2", 95724, 0.5, SEEDS * x.variance},
             variance_of(d->eps));
}

/* --- regions of shares ----------------------------------------------------------------------------------- */

struct coverage {
    size_t ellipsoid, hotelling; /* number of runs whose region holds the true shares */
};

static struct coverage coverage_of(const struct draws *d)
{
    struct coverage c = {0, 0};
    for (size_t run = 0; run < RUNS; run++) {
        const double *counts = d->counts + run * PASSES_PER_RUN * TYPES;
        double sums[TYPES] = {0, 0}, found[TYPES], t2;
        for (size_t j = 0; j < PASSES_PER_RUN; j++)
            for (size_t i = 0; i < TYPES; i++)
                sums[i] += counts[j * TYPES + i];
        random_sum_shares(sums, TYPES, found);
        c.ellipsoid += multinomial_distance(found, shares, TYPES, sums[LOOKUP] + sums[TRIP]) <=
                       multinomial_limit(TYPES, LEVEL);
        c.hotelling += hotelling_t2(counts, PASSES_PER_RUN, TYPES, shares, &t2) == 0 &&
                       t2 <= hotelling_limit(PASSES_PER_RUN, TYPES, LEVEL);
    }
    return c;
}

/* Shares of runs are in their regions as often as the level says; so is p within ACCURACY after the number of
 * operations that this needs. */
static void check_regions(struct draws *d, struct published *p)
{
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, SEEDS, P_TRIP);
    struct coverage c = coverage_of(d);
    add_cell(p, (struct known){"4", "ellipsoid holds p", "1", NAN, NAN, LEVEL},
             fraction_of(c.ellipsoid, RUNS));
    add_cell(p, (struct known){"4", "T^2 holds p", "1", NAN, NAN, LEVEL}, fraction_of(c.hotelling, RUNS));
    double needed = multinomial_operations_needed(P_TRIP, TYPES, ACCURACY, LEVEL);
    size_t hits = 0;
    for (size_t i = 0; i < PASSES; i++) {
        double share = gsl_ran_binomial(d->random, P_TRIP, (unsigned)ceil(needed)) / ceil(needed);
        hits += fabs(share - P_TRIP) <= ACCURACY * P_TRIP;
    }
    add_cell(p, (struct known){"4", "p within 1% after", "seeds", 1.32e6, 0.005e6, needed},
             (struct simulated){NAN, NAN});
    add_cell(p, (struct known){"4", "then it is so", "1", NAN, NAN, LEVEL}, fraction_of(hits, PASSES));
}

/* p is drawn for each pass: N D X is then that of the mean p (1 - p), and N E X varies with p. The design effect is
 * 1 + (N - 1) Var p / (p (1 - p)), and the ellipsoid of independent operations is too small by its root. */
static void check_passes_that_differ(struct draws *d, struct published *p)
{
    double apart = TRIP_CLOCKS - 1, square = P_APART * P_APART;
    double total = SEEDS * apart * apart * (P_TRIP * (1 - P_TRIP) - square) +
                   (double)SEEDS * SEEDS * apart * apart * square;
    double effect = 1 + (SEEDS - 1) * square / (P_TRIP * (1 - P_TRIP));
    for (size_t j = 0; j < PASSES; j++)
        draw_pass(d, j, SEEDS, gsl_rng_uniform(d->random) < 0.5 ? P_TRIP - P_APART : P_TRIP + P_APART);
    struct coverage c = coverage_of(d);
    struct simulated variance = variance_of(d->times);
    double independent = SEEDS * P_TRIP * (1 - P_TRIP) * apart * apart;
    double simulated = design_effect(d->counts, PASSES, TYPES, TRIP, P_TRIP);
    result_table_note(p->table, "where p varies from pass to pass, (5.3) gives %.6g: it needs independence",
                      independent);
    add_cell(p, (struct known){"-", "D T, p varies", "clocks^2", 443476, 0.5, total}, variance);
    add_cell(p, (struct known){"-", "design effect", "1", 4.6328, 0.5e-4, effect},
             (struct simulated){simulated, variance.half_width / independent});
    add_cell(p,
             (struct known){"-", "ellipsoid, p varies", "1", NAN, NAN,
                            gsl_cdf_chisq_P(multinomial_limit(TYPES, LEVEL) / effect, TYPES - 1)},
             fraction_of(c.ellipsoid, RUNS));
    add_cell(p, (struct known){"-", "T^2, p varies", "1", NAN, NAN, LEVEL}, fraction_of(c.hotelling, RUNS));
}

/* --- order, and the normal distribution ------------------------------------------------------------------ */

/* Trips that follow trips more often: a Markov chain of two states, whose correlations fall by ORDER from neighbour to
 * neighbour, as those of the services of 1bd of H. pylori do between neighbours. */
#define ORDER 0.2327

static void check_order(struct draws *d, struct published *p)
{
    const struct random_moments x = random_sum_operation(shares, durations, TYPES);
    for (size_t j = 0; j < PASSES; j++) {
        bool trip = gsl_rng_uniform(d->random) < P_TRIP;
        d->times[j] = 0;
        for (unsigned i = 0; i < SEEDS; i++) {
            d->times[j] += durations[trip ? TRIP : LOOKUP];
            trip = gsl_rng_uniform(d->random) < P_TRIP * (1 - ORDER) + (trip ? ORDER : 0);
        }
    }
    result_table_note(p->table, "where durations depend on order, (5.3) gives %.6g", SEEDS * x.variance);
    add_cell(p,
             (struct known){"v_ij", "D T, order", "clocks^2", 153710, 0.5,
                            SEEDS * x.variance * random_sum_order_factor(SEEDS, ORDER)},
             variance_of(d->times));
}

/* P(T > t) at the end of the normal 95% interval: that of a binomial number of trips, exactly, and as drawn. */
static void check_normal(struct draws *d, struct published *p)
{
    const struct random_moments x = random_sum_operation(shares, durations, TYPES);
    const double t = SEEDS * x.mean + gsl_cdf_ugaussian_Pinv(0.975) * sqrt(SEEDS * x.variance);
    const double exact = gsl_cdf_binomial_Q((unsigned)((t - SEEDS) / (TRIP_CLOCKS - 1)), P_TRIP, SEEDS);
    const double bound = random_sum_normal_error(SEEDS, shares, durations, TYPES);
    size_t hits = 0;
    for (size_t j = 0; j < PASSES; j++) {
        draw_pass(d, j, SEEDS, P_TRIP);
        hits += d->times[j] > t;
    }
    add_cell(p, (struct known){"5", "P(T > t)", "1", 0.030436, 0.5e-6, exact}, fraction_of(hits, PASSES));
    add_cell(p, (struct known){"5", "Berry-Esseen", "1", 0.0855626, 0.5e-7, bound},
             (struct simulated){NAN, NAN});
    result_table_note(p->table,
                      "%s: the normal P(T > t), 0.025, is within Berry-Esseen's bound of the exact one",
                      holds(p, fabs(exact - 0.025) <= bound));
}

/* --- tails ----------------------------------------------------------------------------------------------- */

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

static void check_tail_and_makespans(struct draws *d, struct published *p)
{
    static const double alpha = 1.5;
    static const double two[] = {2, 3, 1, 4, 3, 1}, three[] = {5, 1, 2, 3, 6, 1, 2, 2, 7, 4, 1, 1};
    for (size_t i = 0; i < PASSES; i++)
        d->times[i] = gsl_ran_pareto(d->random, alpha, 1);
    tail_sort(d->times, PASSES);
    struct tail_estimate found = tail_index(d->times, PASSES, PASSES);
    add_cell(
        p, (struct known){"-", "Hill, alpha 1.5", "1", 1.5, 0, alpha},
        (struct simulated){found.index, interval_deviations() * found.index / sqrt((double)found.largest)});
    add_cell(p, (struct known){"3", "no-wait, 3 x 2", "clocks", 10, 0, no_wait_makespan(two, 3, 2)},
             (struct simulated){scheduled_makespan(two, 3, 2), 0});
    add_cell(p, (struct known){"3", "no-wait, 4 x 3", "clocks", 24, 0, no_wait_makespan(three, 4, 3)},
             (struct simulated){scheduled_makespan(three, 4, 3), 0});
}

static void add_frenkel(struct published *p, unsigned long seed)
{
    struct draws d = {random_new(seed), memory_new((size_t)PASSES * TYPES, sizeof(double)),
                      memory_new(PASSES, sizeof(double)), memory_new(PASSES, sizeof(double))};
    check_moments(&d, p);
    check_regions(&d, p);
    check_passes_that_differ(&d, p);
    check_order(&d, p);
    check_normal(&d, p);
    check_tail_and_makespans(&d, p);
    result_table_note(p->table, "%zu of %zu cells admitted", p->count - p->not_admitted, p->count);
    gsl_rng_free(d.random);
    free(d.counts);
    free(d.times);
    free(d.eps);
}

/* --- all ------------------------------------------------------------------------------------------------- */

/* Write what was added, if there was no error. @param header  lines, then NULL; @param chance  ends the line on what is
 * not admitted */
static int finish(const struct published *p, const char *name, const char *const *header, int error,
                  const char *chance, struct why *why)
{
    if (error) {
        result_table_destroy(p->table);
        return why_say(why, COMMAND_FAILED, "%s: %s", name, model_error_text(error));
    }
    for (; *header; header++)
        printf("%s%s\n", p->text ? "" : "# ", *header);
    result_table_end(p->table, p->text ? RESULT_TEXT : RESULT_TSV, stdout);
    if (p->not_admitted == 0)
        return COMMAND_OK;
    return why_say(why, COMMAND_FAILED, "%zu of %zu values of %s are not as expected%s", p->not_admitted,
                   p->count, name, chance);
}

int frenkel_write(unsigned long seed, bool tsv, struct why *why)
{
    static const char *const columns[][8] = {
        {"eq.", "quantity", "known", "formula", "simulated", "+-", "admitted"},
        {"equation", "quantity", "known", "formula", "simulated", "half_width", "admitted", "unit"}};
    static const int widths[] = {-5, -19, 8, 11, 9, 10, -8};
    static const struct result_style style = {
        .title = "", .widths = widths, .text_number = "%.6g", .tsv_number = "%.12g"};
    struct published p = {result_table_new_styled(columns[tsv], tsv ? 8 : 7, &style), !tsv, 0, 0};
    char header[100];
    snprintf(header, sizeof header,
             "Frenkel: random sums, by formula and by simulation (seed %lu, 99.9%% intervals)", seed);
    add_frenkel(&p, seed);
    return finish(&p, "frenkel", (const char *const[]){header, NULL}, 0,
                  "; another --seed tells chance from a fault", why);
}

/* @param where  name of the first column */
static int write_values(const char *name, const char *where, const char *const *header,
                        int (*add)(struct published *), bool tsv, struct why *why)
{
    const char *const columns[] = {where, "quantity", "unit", "expected", "ours", "fits"};
    static const int widths[] = {-18, -8, -4, -18, -18, -1};
    static const struct result_style style = {
        .title = "", .widths = widths, .text_number = "%.15g", .tsv_number = "%.15g"};
    struct published p = {result_table_new_styled(columns, 6, &style), !tsv, 0, 0};
    return finish(&p, name, header, add(&p), "", why);
}

int leonards2023_write(bool tsv, struct why *why)
{
    static const char *const header[] = {
        "Leonards 2023: closed networks of cores and memory (Algorithm 1, Figure 4.9)",
        "expected: product form, state by state; fits: ours rounds to it", NULL};
    return write_values("leonards2023", "network", header, add_leonards, tsv, why);
}

int timetrial2011_write(bool tsv, struct why *why)
{
    static const char *const header[] = {
        "Lancaster et al. 2011: what TimeTrial costs (sections III, IV.C, Table I)",
        "expected: as printed; fits: ours rounds to it", NULL};
    return write_values("timetrial2011", "section", header, add_timetrial, tsv, why);
}
