/* test_queue_distribution.c - what models expect of the board's FIFOs, and how far that is from a histogram. */
#include "validate/queue_distribution.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

static struct predict_case inputs;
static struct prediction prediction;
static struct queue_distribution d;

static void ask(const char *const *assignments, size_t count)
{
    struct why why;
    inputs = predict_case_default("test");
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(predict_case_assign(&inputs, assignments[i], &why) == 0, "%s", why.line);
    ck_assert_msg(predict_case_complete(&inputs, &why) == 0, "%s", why.line);
    ck_assert_int_eq(prediction_make_chains(&inputs, &prediction), 0);
}

static void find(enum quantity_stage stage, enum verdict_model model, unsigned places)
{
    queue_distribution_find(&prediction, stage, model, places, &d);
    ck_assert_msg(d.why_not == NULL, "%s", d.why_not);
    ck_assert_uint_eq(d.count, places + 1);
}

/* Run 2 of Dor 2010; stage 2 has rho = 722 x 2 x 0.0346 x 0.765 / 133. */
static const char *const run_2[] = {"lambda_in=722", "P_1a=0.0346", "P_1b=0.765",  "P_2=0.00035",
                                    "P_1bp=0.892",   "M_2=0.406",   "mu_1b=49.97", "supply=895"};

START_TEST(test_single_queues_by_hand)
{
    double rho = 722 * 2 * 0.0346 * 0.765 / 133;
    ask(run_2, COUNT_OF(run_2));
    find(QUANTITY_2, VERDICT_MM1, 10);
    assert_close(d.p[0], 1 - rho * rho, 1e-12);
    assert_close(d.p[3], (1 - rho) * pow(rho, 4), 1e-9);
    find(QUANTITY_2, VERDICT_MD1, 10); /* nobody or one is there: (1 - rho) e^rho */
    assert_close(d.p[0], (1 - rho) * exp(rho), 1e-12);
    find(QUANTITY_1BP, VERDICT_MM1K,
         130); /* rho_o = 1790 x 0.0346 / 49.97: P[N = K] = 1 - 1 / rho_o, one of K served */
    assert_close(d.p[129], 1 - 49.97 / (1790 * 0.0346), 1e-9);
    ck_assert_double_eq(d.p[130], 0);
    assert_close(d.p[100] / d.p[99], 1790 * 0.0346 / 49.97, 1e-9);
}
END_TEST

/* Words of 16 w-mers: with rho of 1a, nobody waits in 1 - rho^2 of the time, one word in rho^2 (1 - rho^16). */
START_TEST(test_words_are_groups)
{
    double rho = 722 * 2 / (16 * 133.0), sum = 0;
    ask(run_2, COUNT_OF(run_2));
    find(QUANTITY_1A, VERDICT_MM1, 8);
    assert_close(d.p[0], 1 - rho * rho, 1e-12);
    assert_close(d.p[1], rho * rho * (1 - pow(rho, 16)), 1e-9);
    find(QUANTITY_1A, VERDICT_MXG1, 100);
    for (size_t n = 0; n < d.count; n++)
        sum += d.p[n];
    assert_close(sum, 1, 1e-6);
}
END_TEST

/* In the tandem, the ingress FIFO holds words: their mean is a 16th of the w-mers'. */
START_TEST(test_tandem_counts_words)
{
    double mean = 0;
    ask(run_2, COUNT_OF(run_2));
    ck_assert_int_eq(prediction_make(&inputs, &prediction), 0);
    find(QUANTITY_1A, VERDICT_BLOCKING, 8);
    for (size_t n = 0; n < d.count; n++)
        mean += (double)n * d.p[n];
    assert_close(mean, prediction.parts[PREDICTION_FIVE].stages[1].queue[PREDICTION_BLOCKING].mean.n_q / 16,
                 1e-6);
}
END_TEST

START_TEST(test_no_distribution)
{
    inputs.digits = 3;
    ask(run_2, COUNT_OF(run_2));
    inputs.digits = 3;
    ck_assert_int_eq(prediction_make_chains(&inputs, &prediction), 0);
    queue_distribution_find(&prediction, QUANTITY_1BP, VERDICT_MM1K_DOR, 130, &d);
    ck_assert_ptr_nonnull(strstr(d.why_not, "not determined"));
    ask(run_2, 4); /* no chain of five */
    queue_distribution_find(&prediction, QUANTITY_1BD, VERDICT_MM1, 500, &d);
    ck_assert_ptr_nonnull(d.why_not);
    queue_distribution_find(&prediction, QUANTITY_1BD, VERDICT_BLOCKING, 500, &d);
    ck_assert_ptr_nonnull(d.why_not);
}
END_TEST

/* Expected 1/4 each of 0 to 3, a quarter of it beyond the bins: |1/2 - 1/4| + |1/2 - 1/2| + 1/4 = 1/2. */
START_TEST(test_distance_by_hand)
{
    const struct queue_bin bins[] = {{0, 0, 0.5}, {1, 2, 0.5}}, same[] = {{0, 1, 0.5}, {2, 3, 0.5}},
                           apart[] = {{7, 9, 1}};
    d = (struct queue_distribution){.count = 4, .p = {0.25, 0.25, 0.25, 0.25}};
    assert_close(queue_distribution_distance(&d, bins, 2), 0.25, 1e-15);
    ck_assert_double_eq(queue_distribution_distance(&d, same, 2), 0);
    ck_assert_double_eq(queue_distribution_distance(&d, apart, 1), 1);
    assert_close(queue_distribution_at_least(&d, 3), 0.25, 1e-15);
    ck_assert_double_eq(queue_distribution_at_least(&d, 4), 0);
    ck_assert_double_eq(queue_distribution_at_least(&d, 0), 1);
    ck_assert_double_eq(queue_bins_at_least(bins, 2, 0), 1);
    ck_assert_double_eq(queue_bins_at_least(bins, 2, 1), 0.5);
    ck_assert_double_eq(queue_bins_at_least(bins, 2, 2), 0.25);
    ck_assert_double_eq(queue_bins_at_least(bins, 2, 3), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue_distribution");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_single_queues_by_hand);
    tcase_add_test(core, test_words_are_groups);
    tcase_add_test(core, test_tandem_counts_words);
    tcase_add_test(core, test_no_distribution);
    tcase_add_test(core, test_distance_by_hand);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
