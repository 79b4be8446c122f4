#include "model/sums/operations_forecast.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/predict_inputs.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* H. pylori F32 x Gambia94/24, both strands: of each pass the primary lookups that need no trip, the trips, and the
 * clocks of the duplicate stage. */
enum { PASSES = 50 };

static const double pylori[PASSES][3] = {
    {162894, 4033, 414384}, {172939, 3086, 374688}, {177221, 3983, 429566}, {177910, 3598, 410869},
    {177145, 5206, 500840}, {151226, 4854, 449530}, {142711, 3166, 339029}, {156197, 4674, 443976},
    {157548, 7274, 611453}, {176084, 4766, 473983}, {155498, 2751, 333101}, {165323, 5583, 508995},
    {176659, 3962, 427912}, {173040, 3150, 375703}, {154092, 5186, 473368}, {152332, 3752, 385549},
    {158147, 4803, 454037}, {171792, 3738, 412418}, {174251, 4109, 435813}, {179967, 5421, 517609},
    {170311, 5206, 497375}, {172212, 3858, 418569}, {186954, 5804, 547152}, {177305, 5603, 522974},
    {31919, 33, 39576},     {151515, 4930, 454162}, {155162, 4682, 443740}, {149387, 3876, 389376},
    {159053, 5407, 492257}, {143753, 3982, 388945}, {140642, 3344, 347227}, {138981, 3207, 336494},
    {152663, 3810, 388704}, {181345, 6092, 556159}, {182457, 5735, 536099}, {152250, 3817, 388485},
    {146850, 3684, 374721}, {158804, 5331, 486207}, {165184, 3534, 387281}, {143718, 3368, 352425},
    {126692, 4665, 411436}, {164465, 4963, 471273}, {175984, 3552, 400902}, {179296, 4624, 471236},
    {151538, 4601, 436466}, {148494, 3610, 372207}, {145131, 3581, 366533}, {142100, 2696, 310154},
    {170829, 4427, 446776}, {24636, 62, 28371},
};

/* --- operations ------------------------------------------------------------------------------------------ */

struct fixture {
    struct operations operations;
    double counts[OPERATION_SERVERS][PASSES * 2], measured[OPERATION_SERVERS][PASSES], clocks[PASSES];
};

/* All servers do what 1bd does. */
static void make(struct fixture *f, size_t passes)
{
    f->operations =
        (struct operations){.file = "a", .passes = passes, .servers = OPERATION_SERVERS, .clocks = f->clocks};
    for (size_t j = 0; j < passes; j++)
        f->clocks[j] = pylori[j][2];
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        for (size_t j = 0; j < passes; j++) {
            f->counts[s][2 * j] = pylori[j][0];
            f->counts[s][2 * j + 1] = pylori[j][1];
            f->measured[s][j] = pylori[j][2];
        }
        f->operations.server[s] = (struct operation_server){.name = "1bd",
                                                            .unit = "clocks",
                                                            .types = 2,
                                                            .type = {"primary lookup", "trip"},
                                                            .duration = {1, 60},
                                                            .counts = f->counts[s],
                                                            .measured = f->measured[s],
                                                            .lag1 = 0.2327};
    }
}

static const struct server_forecast *
forecast(const struct operations *counts, const struct operations *durations, struct operations_forecast *out)
{
    struct why why;
    ck_assert_int_eq(operations_forecast_make(counts, durations, NAN, out, &why), 0);
    return &out->server[OPERATIONS_1BD];
}

START_TEST(test_h_pylori)
{
    static struct fixture f;
    struct operations_forecast out;
    make(&f, PASSES);
    const struct server_forecast *s = forecast(&f.operations, &f.operations, &out);
    assert_close(s->count_mean[0], 156052.12, 1e-14);
    assert_close(s->count_mean[1], 4183.58, 1e-14);
    ck_assert_double_eq_tol(s->share[1], 0.0261089, 0.5e-7);
    ck_assert_double_eq_tol(s->operation.mean, 2.540426, 0.5e-6);
    ck_assert_double_eq_tol(s->operation.variance, 88.5122, 0.5e-4);
    ck_assert_double_eq_tol(s->number.variance, 949033316, 0.5);
    ck_assert_double_eq_tol(s->expected, 407067, 0.5);
    ck_assert_double_eq_tol(s->measured.mean, 416722, 0.5);
    ck_assert_double_eq_tol(sqrt(s->variance_independent), 78352, 0.5);
    ck_assert_double_eq_tol(sqrt(s->measured.variance), 102049, 0.5);
    ck_assert(s->independence_is_violated);
    ck_assert(s->design_effect[1] > 100);
    ck_assert_int_eq(s->tail_verdict, TAIL_TOO_FEW);
    assert_close(s->largest_share, 611453 / (PASSES * s->measured.mean), 1e-14); /* of the ninth pass */
}
END_TEST

/* Given the counts of a pass only its durations vary, and here they do not: total variance is that of the sums of K
 * tau. Var T = Var(sum K tau) + Var(residual) + 2 Cov, so that the measured deviation is near. Residuals add up. */
START_TEST(test_residuals_and_total_variance)
{
    static struct fixture f;
    struct operations_forecast out;
    make(&f, PASSES);
    const struct server_forecast *s = forecast(&f.operations, &f.operations, &out);
    assert_close(s->by_counts.mean, s->measured.mean - s->expected, 1e-9);
    assert_close(s->by_number.mean, s->measured.mean - s->expected, 1e-9);
    ck_assert_double_eq(s->by_counts.pass, 9);
    assert_close(s->by_counts.largest, pylori[8][2] - pylori[8][0] - 60 * pylori[8][1], 1e-12);
    ck_assert_double_eq_tol(sqrt(s->variance_total), 100308, 0.5);
    ck_assert(s->by_counts.deviation < 0.1 * s->by_number.deviation);
}
END_TEST

/* Passes that are all alike keep to independence, though they are more alike than chance makes them. */
START_TEST(test_equal_passes)
{
    static struct fixture f;
    struct operations_forecast out;
    make(&f, 10);
    for (size_t j = 0; j < 10; j++) {
        f.counts[OPERATIONS_1BD][2 * j] = 100;
        f.counts[OPERATIONS_1BD][2 * j + 1] = 5;
        f.measured[OPERATIONS_1BD][j] = 400;
    }
    const struct server_forecast *s = forecast(&f.operations, &f.operations, &out);
    ck_assert(!s->independence_is_violated);
    ck_assert_double_eq(s->design_effect[1], 0);
    ck_assert_double_eq(s->by_counts.mean, 0);
    ck_assert_double_eq(s->variance_total, 0);
    ck_assert_double_nan(s->correlation);
    assert_close(s->largest_share, 0.1, 1e-14);
}
END_TEST

/* Times (j / 4000)^(-1/alpha), j = 1 .. 4000, are those of a power law of this index; Hill's estimate of the 2000
 * largest is 2000 alpha / sum of ln(2001 / j), and the sum is 2000 - ln(2000) / 2 - 0.9 by Stirling's formula. The
 * logarithms of exponentially distributed times have no plateau, and of ten passes nothing is said. */
START_TEST(test_tails)
{
    enum { MANY = 4000 };
    static double times[MANY], counts[MANY];
    struct operations many = {.file = "a", .passes = MANY, .servers = OPERATION_SERVERS, .clocks = times};
    static const double alphas[] = {1.5, 4};
    static const enum tail_verdict verdicts[] = {TAIL_HEAVY, TAIL_LIGHT};
    struct operations_forecast out;
    for (int s = 0; s < OPERATION_SERVERS; s++)
        many.server[s] = (struct operation_server){.name = "1bd",
                                                   .unit = "clocks",
                                                   .types = 1,
                                                   .type = {"trip"},
                                                   .duration = {1},
                                                   .counts = counts,
                                                   .measured = times};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < MANY; j++)
            times[j] = pow((double)(j + 1) / MANY, -1 / alphas[i]);
        const struct server_forecast *s = forecast(&many, &many, &out);
        assert_close(s->tail.index, 2000 * alphas[i] / (2000 - log(2000) / 2 - 0.9), 1e-3);
        ck_assert_uint_eq(s->tail.largest, 2000);
        ck_assert_int_eq(s->tail_verdict, verdicts[i]);
    }
    for (size_t j = 0; j < MANY; j++)
        times[j] = -log((double)(j + 1) / (MANY + 1));
    ck_assert_int_eq(forecast(&many, &many, &out)->tail_verdict, TAIL_NONE);
    many.passes = 10;
    ck_assert_int_eq(forecast(&many, &many, &out)->tail_verdict, TAIL_TOO_FEW);
}
END_TEST

/* Counts of one run, durations of another, on which a trip takes 30 clocks. The other's shares are those of its first
 * 25 passes: E T by (5.2) takes them, Wald takes the counts'. */
START_TEST(test_durations_of_another_run)
{
    static struct fixture f, other;
    struct operations_forecast out;
    make(&f, PASSES);
    make(&other, PASSES / 2);
    other.operations.server[OPERATIONS_1BD].duration[1] = 30;
    const struct server_forecast *s = forecast(&f.operations, &other.operations, &out);
    assert_close(s->expected, 156052.12 + 30 * 4183.58, 1e-12);
    double p = s->given_share[1];
    ck_assert(p > 0.02 && p < 0.03 && p != s->share[1]);
    assert_close(s->expected_given, 160235.7 * (1 + 29 * p), 1e-12);
    ck_assert_double_nan(s->measured.mean);
    ck_assert_double_nan(s->by_counts.mean);
    ck_assert(s->t2 >= 0 && s->t2_limit > 3.8);
    /* where durations are the same, there are measurements */
    ck_assert_double_eq_tol(out.server[OPERATIONS_BUS].measured.mean, 416722, 0.5);
}
END_TEST

START_TEST(test_different_operations)
{
    static struct fixture f, other;
    struct operations_forecast out;
    struct why why;
    make(&f, PASSES);
    make(&other, PASSES);
    other.operations.server[OPERATIONS_CORES].duration[1] = NAN;
    ck_assert_int_eq(operations_forecast_make(&f.operations, &other.operations, NAN, &out, &why),
                     PREDICT_EINPUT);
    ck_assert_ptr_nonnull(strstr(why.line, "has counts of trip, a has no duration of it"));
    /* a run alone says what it knows */
    ck_assert_int_eq(operations_forecast_make(&other.operations, &other.operations, NAN, &out, &why), 0);
    ck_assert_double_nan(out.server[OPERATIONS_CORES].expected);
}
END_TEST

/* A type that never occurs says nothing of the others. */
START_TEST(test_no_trips)
{
    static struct fixture f;
    struct operations_forecast out;
    make(&f, 10);
    for (size_t j = 0; j < 10; j++)
        f.counts[OPERATIONS_1BD][2 * j + 1] = 0;
    const struct server_forecast *s = forecast(&f.operations, &f.operations, &out);
    ck_assert_double_eq(s->share[0], 1);
    ck_assert_double_eq(s->operation.variance, 0);
    ck_assert_double_nan(s->design_effect[0]);
    ck_assert_double_nan(s->pass_half_width[0]);
    ck_assert(!s->independence_is_violated);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("operations_forecast");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_h_pylori);
    tcase_add_test(core, test_residuals_and_total_variance);
    tcase_add_test(core, test_equal_passes);
    tcase_add_test(core, test_tails);
    tcase_add_test(core, test_durations_of_another_run);
    tcase_add_test(core, test_different_operations);
    tcase_add_test(core, test_no_trips);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
