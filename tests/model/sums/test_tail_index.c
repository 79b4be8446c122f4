#include "model/sums/tail_index.h"

#include <check.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "traces/statistics/quantile.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { VALUES = 20000, SAMPLES = 60 };

static double values[VALUES];

/* Spacings that are all 1/alpha have no slope, and Hill's estimate of any k is alpha: ln x_i - ln x_(i+1) = 1 /
 * (alpha i). By hand for the interval: k = 1500 of a gamma distribution are 1500 +- 1.96 sqrt(1500), about 5.06% to
 * both sides. */
START_TEST(test_by_hand)
{
    double logarithm = 0;
    for (size_t i = 3000; i-- > 0;) {
        values[i] = exp(logarithm);
        if (i > 0)
            logarithm += 1 / (2.5 * (double)i);
    }
    struct tail_estimate t = tail_index(values, 3000, 3000);
    ck_assert_uint_eq(t.largest, 1500);
    assert_close(t.index, 2.5, 1e-12);
    assert_close(t.low, 2.5 * (1 - 1.96 / sqrt(1500)), 2e-3);
    assert_close(t.high, 2.5 * (1 + 1.96 / sqrt(1500)), 2e-3);
}
END_TEST

/* --- known laws ------------------------------------------------------------------------------------------ */

enum law { PARETO_1_5, PARETO_2_5, PARETO_4, EXPONENTIAL, LOGNORMAL, LOGNORMAL_WIDE, WEIBULL, LAWS };
static const double indices[LAWS] = {1.5, 2.5, 4};

static double draw(gsl_rng *random, enum law law)
{
    switch (law) {
    case EXPONENTIAL:
        return gsl_ran_exponential(random, 1);
    case LOGNORMAL:
        return gsl_ran_lognormal(random, 0, 1);
    case LOGNORMAL_WIDE:
        return gsl_ran_lognormal(random, 0, 2);
    case WEIBULL:
        return gsl_ran_weibull(random, 1, 0.5);
    default:
        return gsl_ran_pareto(random, indices[law], 1);
    }
}

/* Number of samples in which a power law is seen, and of those whose interval holds the index of the law. */
struct seen {
    unsigned all, held;
};

static struct seen look(enum law law)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct seen seen = {0, 0};
    gsl_rng_set(random, 1);
    for (unsigned i = 0; i < SAMPLES; i++) {
        for (size_t j = 0; j < VALUES; j++)
            values[j] = draw(random, law);
        tail_sort(values, VALUES);
        struct tail_estimate t = tail_index(values, VALUES, VALUES);
        seen.all += !isnan(t.index);
        seen.held += t.low <= indices[law] && indices[law] <= t.high;
    }
    gsl_rng_free(random);
    return seen;
}

/* The law is missed where chance bends both halves: at most 0.07^2 of cases for k and k/2, and a third chance; 55 of 60
 * leave room for 4 deviations. Of 60 intervals of 95% fewer than 50 hold the truth in 1 of 3,000 cases. */
START_TEST(test_power_laws_are_seen)
{
    struct seen seen = look((enum law)_i);
    ck_assert_uint_ge(seen.all, 55);
    ck_assert_uint_ge(seen.held, 50);
}
END_TEST

/* The spacings of an exponential distribution grow as 1 / ln(n/i), those of a Weibull distribution of shape c as
 * 1 / (c ln(n/i)), those of a lognormal one as sigma / z(i/n): none has a plateau. */
START_TEST(test_other_laws_are_none)
{
    ck_assert_uint_eq(look((enum law)_i).all, 0);
}
END_TEST

/* --- whole numbers in a sketch ----------------------------------------------------------------------------- */

/* Hill's index of whole numbers of clocks, from the sketch that a measurement keeps: floor(100 x) of x with
 * P[X > x] = x^-2.5. The buckets are 1/64 wide. */
START_TEST(test_sketch_of_a_power_law)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct quantile_sketch *sketch = quantile_new(quantile_bits(0.01));
    ck_assert_ptr_nonnull(sketch);
    for (size_t i = 0; i < 200000; i++)
        quantile_add(sketch, (uint64_t)(100 * gsl_ran_pareto(random, 2.5, 1)), 1);
    size_t count = quantile_largest(sketch, values, VALUES);
    ck_assert_uint_eq(count, VALUES);
    for (size_t i = 1; i < count; i++)
        ck_assert(values[i - 1] >= values[i]);
    struct tail_estimate t = tail_index(values, count, sketch->weight);
    assert_close(t.index, 2.5, 0.03);
    gsl_rng_free(random);
    free(sketch);
}
END_TEST

/* What the jobs of a run of H. pylori do: an index that grows from 0.8 at the 3,000th to 3.6 at the 50th largest value
 * has no plateau. ln x over ln i bends: the slope 1/alpha is 0.28 at i = 50 and 1.25 at 3,000. */
START_TEST(test_bent_tail)
{
    double logarithm = 0;
    for (size_t i = VALUES; i-- > 0;)
        values[i] = 0;
    for (size_t i = 1; i < VALUES; i++)
        values[i] = logarithm -= fmin(1.25, 0.28 * pow((double)i / 50, 0.365)) / (double)i;
    for (size_t i = 0; i < VALUES; i++)
        values[i] = exp(values[i]);
    ck_assert_double_nan(tail_index(values, VALUES, 2900000).index);
    ck_assert_uint_eq(tail_index(values, VALUES, 2900000).largest, 0);
}
END_TEST

/* Too few values, values that are equal, and values without a logarithm. */
START_TEST(test_none)
{
    for (size_t i = 0; i < VALUES; i++)
        values[i] = 3;
    ck_assert_double_nan(tail_index(values, VALUES, VALUES).index);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = i < 1000 ? 5 : 0;
    ck_assert_double_nan(tail_index(values, VALUES, VALUES).index);
    for (size_t i = 0; i < 2999; i++)
        values[i] = pow(((double)i + 1) / 2999, -1 / 1.5);
    ck_assert_double_nan(tail_index(values, 2999, 2999).index);
    ck_assert_double_nan(tail_index(values, 0, 0).index);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tail_index");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_by_hand);
    tcase_add_loop_test(core, test_power_laws_are_seen, 0, EXPONENTIAL);
    tcase_add_loop_test(core, test_other_laws_are_none, EXPONENTIAL, LAWS);
    tcase_add_test(core, test_sketch_of_a_power_law);
    tcase_add_test(core, test_bent_tail);
    tcase_add_test(core, test_none);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
