#include "validate/frenkel.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "model/sums/share_regions.h"
#include "model/sums/no_wait.h"
#include "model/sums/random_sum.h"
#include "model/sums/tail_index.h"

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

struct estimate {
    double value, half_width;
};

static void add_cell(struct frenkel *f, struct frenkel_cell cell, struct estimate simulated)
{
    cell.simulated = simulated.value;
    cell.half_width = simulated.half_width;
    bool is_known = isnan(cell.known) || fabs(cell.formula - cell.known) <= cell.half_unit;
    bool is_held = isnan(cell.simulated) || fabs(cell.formula - cell.simulated) <= cell.half_width;
    cell.admitted = is_known && is_held;
    f->not_admitted += !cell.admitted;
    f->cells[f->count++] = cell;
}

static struct estimate mean_of(const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - sum / (double)count) * (values[i] - sum / (double)count);
    double n = (double)count;
    return (struct estimate){sum / n, interval_deviations() * sqrt(squares / (n - 1) / n)};
}

/* D s^2 is about (mu_4 - sigma^4) / n. */
static struct estimate variance_of(const double *values, size_t count)
{
    double mean = mean_of(values, count).value, squares = 0, fourths = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double square = (values[i] - mean) * (values[i] - mean);
        squares += square;
        fourths += square * square;
    }
    double variance = squares / (n - 1);
    return (struct estimate){variance, interval_deviations() * sqrt((fourths / n - variance * variance) / n)};
}

static struct estimate fraction_of(size_t hits, size_t all)
{
    double p = (double)hits / (double)all;
    return (struct estimate){p, interval_deviations() * sqrt(p * (1 - p) / (double)all)};
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
    struct estimate mean = mean_of(d->times, PASSES), variance = variance_of(d->times, PASSES);
    struct estimate x_mean = {mean.value / SEEDS, mean.half_width / SEEDS};
    struct estimate x_variance = {variance.value / SEEDS, variance.half_width / SEEDS};
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
             (struct estimate){NAN, NAN});
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
    struct estimate variance = variance_of(d->times, PASSES);
    double independent = SEEDS * P_TRIP * (1 - P_TRIP) * apart * apart;
    double simulated = design_effect(d->counts, PASSES, TYPES, TRIP, P_TRIP);
    f->by_53_where_p_varies = independent;
    add_cell(f, (struct frenkel_cell){"-", "D T, p varies", "clocks^2", 443476, 0.5, total}, variance);
    add_cell(f, (struct frenkel_cell){"-", "design effect", "1", 4.6328, 0.5e-4, effect},
             (struct estimate){simulated, variance.half_width / independent});
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
        (struct estimate){found.index, interval_deviations() * found.index / sqrt((double)found.largest)});
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
             (struct estimate){scheduled_makespan(two, 3, 2), 0});
    add_cell(f, (struct frenkel_cell){"3", "no-wait, 4 x 3", "clocks", 24, 0, no_wait_makespan(three, 4, 3)},
             (struct estimate){scheduled_makespan(three, 4, 3), 0});
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
