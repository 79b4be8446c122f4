/* test_run_replicas.c - replicas have the drawn passes where they are, and sums with the variance of the design. */
#include "model/forecast/run_end.h"

#include <check.h>
#include <math.h>

#include "tests/run_suite.h"

enum { PASSES = 36, DRAWN = 10, REPLICAS = 20000 };

/* The last stratum is drawn whole, of the one before only one pass is left. */
static const struct sample_stratum strata[] = {{20, 4}, {12, 3}, {3, 2}, {1, 1}};
static const size_t numbers[DRAWN] = {0, 7, 8, 19, 20, 25, 31, 32, 34, 35};
static const double values[DRAWN] = {3, 9, 4, 6, 20, 31, 40, 7, 8, 100};

static gsl_rng *new_random(unsigned long seed)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    ck_assert_ptr_nonnull(random);
    gsl_rng_set(random, seed);
    return random;
}

static void draw(gsl_rng *random, size_t replica[PASSES])
{
    size_t taken[PASSES];
    run_end_replica(strata, 4, numbers, random, taken, replica);
}

START_TEST(test_drawn_passes_stay)
{
    static const size_t last_of_stratum[] = {20, 32, 35, 36}, first_drawn[] = {0, 4, 7, 9, 10};
    gsl_rng *random = new_random(1);
    for (int i = 0; i < 100; i++) {
        size_t drawn[PASSES];
        draw(random, drawn);
        for (size_t k = 0; k < DRAWN; k++)
            ck_assert_uint_eq(drawn[numbers[k]], k);
        for (size_t pass = 0, h = 0; pass < PASSES; pass++) {
            h += pass == last_of_stratum[h];
            ck_assert_uint_ge(drawn[pass], first_drawn[h]);
            ck_assert_uint_lt(drawn[pass], first_drawn[h + 1]);
        }
    }
    gsl_rng_free(random);
}
END_TEST

/* In the first two strata the variance of sums is that of sample_total(). In the third one pass is left, which is one
 * of the two drawn ones: its variance is theirs, 1/4. Over these replicas a mean is within 4 standard errors, and a
 * variance within 5%. */
START_TEST(test_sums_vary_as_the_design_says)
{
    gsl_rng *random = new_random(1);
    struct sample_estimate total;
    double mean = 0, squares = 0;
    ck_assert_int_eq(sample_total(strata, 2, values, &total), 0);
    for (int i = 0; i < REPLICAS; i++) {
        size_t drawn[PASSES];
        draw(random, drawn);
        double sum = 0;
        for (size_t pass = 0; pass < PASSES; pass++)
            sum += values[drawn[pass]];
        mean += sum / REPLICAS;
        squares += sum * sum / REPLICAS;
    }
    gsl_rng_free(random);
    double variance = total.error * total.error + 0.25;
    ck_assert_double_le(fabs(mean - (total.total + 22.5 + 100)), 4 * sqrt(variance / REPLICAS));
    ck_assert_double_le(fabs((squares - mean * mean) / variance - 1), 0.05);
}
END_TEST

START_TEST(test_same_seed)
{
    gsl_rng *a = new_random(5), *b = new_random(5);
    for (int i = 0; i < 10; i++) {
        size_t of_a[PASSES], of_b[PASSES];
        draw(a, of_a);
        draw(b, of_b);
        ck_assert_mem_eq(of_a, of_b, sizeof of_a);
    }
    gsl_rng_free(a);
    gsl_rng_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_replicas");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_drawn_passes_stay);
    tcase_add_test(core, test_sums_vary_as_the_design_says);
    tcase_add_test(core, test_same_seed);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
