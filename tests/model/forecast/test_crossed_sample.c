/* test_crossed_sample.c - totals over pairs of passes and windows: by hand, and over all samples of a small population,
 * whose variance the estimated one must have as its mean. */
#include "model/forecast/crossed_sample.h"

#include <check.h>
#include <math.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* Two of four passes, two of six windows. Row totals 6 x mean: 9 and 33; column totals 4 x mean: 12 and 16; the total
 * is 4 x 21 = 6 x 14. V_t: 4 x 2 / 2 x s^2 = 4 x 288; V_u: 6 x 4 / 2 x 8 = 96. Residuals around rows and columns are
 * all 0.5 in size: s^2 = 1, times 4 x 12. */
START_TEST(test_by_hand)
{
    static const struct sample_stratum rows = {4, 2}, columns = {6, 2};
    static const double values[] = {1.5, 1.5, 4.5, 6.5};
    const struct crossed_strata strata = {&rows, &columns, 1, 1};
    struct crossed_estimate e;
    double row_totals[2], column_totals[2];
    ck_assert_int_eq(crossed_sample_total(&strata, values, row_totals, column_totals, &e), 0);
    assert_close(row_totals[0], 9, 1e-15);
    assert_close(row_totals[1], 33, 1e-15);
    assert_close(column_totals[0], 12, 1e-15);
    assert_close(column_totals[1], 16, 1e-15);
    assert_close(e.whole.total, 84, 1e-15);
    assert_close(e.of_rows.error, sqrt(4 * 288), 1e-12);
    assert_close(e.of_columns.error, sqrt(96), 1e-12);
    assert_close(e.whole.error, sqrt(4 * 288 + 96 - 48), 1e-12);
}
END_TEST

/* Two strata each way, of which the last pass and window have a value v = 1. Their pass stands for 3, their window
 * for 5. V_t: 6 x 4 / 2 x s^2 of the row totals 0 and 5 = 12 x 12.5; V_u: 10 x 8 / 2 x 4.5 of 0 and 3; the
 * interaction's mean square is 1 / 4, times 12 x 40. */
START_TEST(test_strata_by_hand)
{
    static const struct sample_stratum rows[] = {{4, 2}, {6, 2}}, columns[] = {{4, 2}, {10, 2}};
    double values[16] = {0}, row_totals[4], column_totals[4];
    const struct crossed_strata strata = {rows, columns, 2, 2};
    struct crossed_estimate e;
    values[15] = 1;
    ck_assert_int_eq(crossed_sample_total(&strata, values, row_totals, column_totals, &e), 0);
    assert_close(row_totals[3], 5, 1e-15);
    assert_close(column_totals[3], 3, 1e-15);
    assert_close(e.whole.total, 15, 1e-15);
    assert_close(e.whole.error, sqrt(150 + 180 - 120), 1e-12);
}
END_TEST

/* What is left beside the interaction is never less than what passes alone, or windows alone, leave. Row and column
 * totals 0: V_t = V_u = 0 by their sums, and the interaction is all there is; here a small difference of rows stays,
 * V_t = 4. */
START_TEST(test_the_error_is_that_of_passes_at_least)
{
    static const struct sample_stratum rows = {4, 2}, columns = {4, 2};
    static const double values[] = {1, -1, -0.5, 1.5};
    double row_totals[2], column_totals[2];
    const struct crossed_strata strata = {&rows, &columns, 1, 1};
    struct crossed_estimate e;
    ck_assert_int_eq(crossed_sample_total(&strata, values, row_totals, column_totals, &e), 0);
    assert_close(e.of_rows.error, sqrt(4 * 2), 1e-12); /* row totals 0 and 2 */
    assert_close(e.whole.error, sqrt(4 * 2), 1e-12);   /* 8 + 0 - 16 x 4 would be below 0 */
}
END_TEST

/* With all windows it is the plain sample of passes, with all passes that of windows, and with both the truth. */
START_TEST(test_of_all)
{
    static const struct sample_stratum some = {5, 2}, all = {2, 2};
    static const double values[] = {1, 3, 10, 14};
    struct crossed_estimate e;
    double rows[2], columns[2];
    const struct crossed_strata strata[] = {{&some, &all, 1, 1}, {&all, &some, 1, 1}, {&all, &all, 1, 1}};
    ck_assert_int_eq(crossed_sample_total(&strata[0], values, rows, columns, &e), 0);
    assert_close(e.whole.total, 5 * 14.0, 1e-15);
    assert_close(e.whole.error, sqrt(5 * 3 / 2.0 * 200), 1e-12); /* row totals 4 and 24 */
    assert_close(e.whole.freedom, 1, 1e-12);
    ck_assert_int_eq(crossed_sample_total(&strata[1], values, rows, columns, &e), 0);
    assert_close(e.whole.total, 5 * 14.0, 1e-15);
    assert_close(e.whole.error, sqrt(5 * 3 / 2.0 * 18), 1e-12); /* column totals 11 and 17 */
    ck_assert_int_eq(crossed_sample_total(&strata[2], values, rows, columns, &e), 0);
    ck_assert_double_eq(e.whole.total, 28);
    ck_assert_double_eq(e.whole.error, 0);
}
END_TEST

/* Passes and windows in two strata each; two are drawn of every stratum. */
enum { PER_STRATUM = 4, STRATA = 2, SIDE = PER_STRATUM * STRATA, PAIRS = 6, DRAWN = 2 * STRATA };
static const unsigned char pairs[PAIRS][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* Some effect of the pass, of the window, and of both. */
static double value_at(size_t pass, size_t window)
{
    return 10 + 5 * (double)(pass * pass % 7) + 3 * (double)(window * 5 % 8) +
           4 * (double)((pass * 3 + window * window) % 5) + (pass >= PER_STRATUM ? 40 : 0);
}

static size_t chosen(unsigned draw, size_t i)
{
    size_t stratum = i / 2;
    unsigned pair = stratum == 0 ? draw % PAIRS : draw / PAIRS;
    return stratum * PER_STRATUM + pairs[pair][i % 2];
}

START_TEST(test_the_error_is_that_of_all_samples)
{
    static const struct sample_stratum strata[STRATA] = {{PER_STRATUM, 2}, {PER_STRATUM, 2}};
    const struct crossed_strata crossed = {strata, strata, STRATA, STRATA};
    double truth = 0, mean = 0, squares = 0, variance = 0, plain = 0, samples = pow(PAIRS, 4);
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            truth += value_at(i, j);
    for (unsigned rows = 0; rows < PAIRS * PAIRS; rows++)
        for (unsigned columns = 0; columns < PAIRS * PAIRS; columns++) {
            double values[DRAWN * DRAWN], row_totals[DRAWN], column_totals[DRAWN];
            struct crossed_estimate e;
            for (size_t i = 0; i < DRAWN * DRAWN; i++)
                values[i] = value_at(chosen(rows, i / DRAWN), chosen(columns, i % DRAWN));
            ck_assert_int_eq(crossed_sample_total(&crossed, values, row_totals, column_totals, &e), 0);
            mean += e.whole.total / samples;
            squares += pow(e.whole.total - truth, 2) / samples;
            variance += pow(e.whole.error, 2) / samples;
            plain += (pow(e.of_rows.error, 2) + pow(e.of_columns.error, 2)) / samples;
        }
    assert_close(mean, truth, 1e-12);
    assert_close(variance, squares, 0.01); /* but for the few samples in which it would be below V_t or V_u */
    ck_assert_double_gt(plain, 1.02 * squares);
}
END_TEST

START_TEST(test_too_few)
{
    static const struct sample_stratum one = {3, 1}, two = {3, 2};
    static const double values[] = {1, 2};
    double rows[2], columns[2];
    struct crossed_estimate e;
    const struct crossed_strata few_rows = {&one, &two, 1, 1}, few_columns = {&two, &one, 1, 1};
    ck_assert_int_eq(crossed_sample_total(&few_rows, values, rows, columns, &e), MODEL_EUNKNOWN);
    ck_assert_int_eq(crossed_sample_total(&few_columns, values, rows, columns, &e), MODEL_EUNKNOWN);
}
END_TEST

/* 12 windows of 24 are drawn: 11 have 1, one has v. With one outlier of n, G is (n - 2) / sqrt(n - 1) and the kurtosis
 * n - 2 + 1 / (n - 1) whatever v is: 3.02, so that 12 <= 25 G^2, and an excess of 7.09, with which 11 degrees of
 * freedom become 1 / (1/11 + 7.09 / 24). Values of 0 and 1 by turns have no skewness and less kurtosis than normal
 * ones. */
START_TEST(test_skewed)
{
    static const struct sample_stratum one = {1, 1}, half = {24, 12}, few = {24, 9}, all = {12, 12};
    double values[12], row_total, column_totals[12];
    struct crossed_estimate e;
    for (int i = 0; i < 12; i++)
        values[i] = i == 5 ? 1000 : 1;
    ck_assert_int_eq(crossed_sample_total(&(struct crossed_strata){&one, &half, 1, 1}, values, &row_total,
                                          column_totals, &e),
                     0);
    ck_assert(e.is_skewed);
    assert_close(e.whole.freedom, 1 / (1 / 11.0 + (12 - 2 + 1 / 11.0 - 3) / 24), 1e-9);
    for (int i = 0; i < 12; i++)
        values[i] = i % 2;
    crossed_sample_total(&(struct crossed_strata){&one, &half, 1, 1}, values, &row_total, column_totals, &e);
    ck_assert(!e.is_skewed);
    assert_close(e.whole.freedom, 11, 1e-12);
    crossed_sample_total(&(struct crossed_strata){&one, &few, 1, 1}, values, &row_total, column_totals, &e);
    ck_assert(e.is_skewed);
    crossed_sample_total(&(struct crossed_strata){&one, &all, 1, 1}, values, &row_total, column_totals, &e);
    ck_assert(!e.is_skewed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("crossed_sample");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_by_hand);
    tcase_add_test(core, test_skewed);
    tcase_add_test(core, test_strata_by_hand);
    tcase_add_test(core, test_the_error_is_that_of_passes_at_least);
    tcase_add_test(core, test_of_all);
    tcase_add_test(core, test_the_error_is_that_of_all_samples);
    tcase_add_test(core, test_too_few);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
