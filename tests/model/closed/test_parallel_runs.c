/* test_parallel_runs.c - how long programs take together, and the models that say so of one combination. */
#include "model/closed/parallel_runs.h"

#include <check.h>
#include <math.h>

#include "model/closed/closed_network.h"
#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { FRAMES = 40 };

/* --- fair shares ------------------------------------------------------------------------------------------- */

/* Expected: with shares of l for each direction, progress is min(1, l / in, l / out), and the sum is 1.
 * 4 boards of 0.3: l = 0.25. One that takes all, one of 0.3: the second needs no more, the first gets the rest.
 * In 0.9 and out 0.1, twice: a board's progress p takes p, so p = 0.5. In 0.2 and out 0.6 beside one that takes all:
 * 0.8 l / 0.6 + l = 1, l = 3 / 7, and the first has l / 0.6 = 5 / 7. */
static const struct {
    unsigned count;
    struct fair_shares_board boards[4];
    double used;
} divisions[] = {
    {2, {{0.5, 0.1, 1}, {0.2, 0.1, 1}}, 0.9},
    {4, {{0.3, 0, 0.25 / 0.3}, {0.3, 0, 0.25 / 0.3}, {0.3, 0, 0.25 / 0.3}, {0.3, 0, 0.25 / 0.3}}, 1},
    {2, {{1, 0, 0.7}, {0.3, 0, 1}}, 1},
    {2, {{0.9, 0.1, 0.5}, {0.9, 0.1, 0.5}}, 1},
    {2, {{0.2, 0.6, 5 / 7.}, {1, 0, 3 / 7.}}, 1},
};

START_TEST(test_fair_shares)
{
    struct fair_shares_board boards[4];
    for (unsigned i = 0; i < divisions[_i].count; i++) {
        boards[i] = divisions[_i].boards[i];
        boards[i].progress = NAN;
    }
    assert_close(fair_shares_divide(boards, divisions[_i].count), divisions[_i].used, 1e-12);
    for (unsigned i = 0; i < divisions[_i].count; i++)
        assert_close(boards[i].progress, divisions[_i].boards[i].progress, 1e-12);
}
END_TEST

/* --- runs -------------------------------------------------------------------------------------------------- */

/* A frame of length 1 that keeps a centre of service 1 busy for a part of the time; nobody waits. */
static struct isolated_frame frame_of(double busy)
{
    return (struct isolated_frame){.length_s = 1, .requests = busy, .at_centre_s = busy, .number_s = busy};
}

static struct isolated_run run_of(const struct isolated_frame *frames, size_t count)
{
    struct isolated_run run;
    ck_assert_int_eq(isolated_run_fit(frames, count, 4, 1, 1, 1, 0, &run), 0);
    return run;
}

static double predict(const struct isolated_run *runs, enum parallel_model model, double *end_s)
{
    bool is_linearized;
    ck_assert_int_eq(parallel_runs_predict(runs, 2, 1, model, end_s, &is_linearized), 0);
    ck_assert(!is_linearized);
    return end_s[0];
}

/* Two programs of one customer that use the centre for u of the time: each finds the other there with probability u, so
 * that a cycle of 1 / u gets longer by u: by u^2 of itself. Fair shares: not at
 * all while 2 u is at most 1, else by 2 u - 1. */
START_TEST(test_two_equal_programs)
{
    static const double busy[] = {0.1, 0.3, 0.8};
    struct isolated_frame frames[FRAMES];
    double end_s[2], u = busy[_i];
    for (unsigned i = 0; i < FRAMES; i++)
        frames[i] = frame_of(u);
    struct isolated_run runs[2] = {run_of(frames, FRAMES), run_of(frames, FRAMES)};
    assert_close(predict(runs, PARALLEL_MVA, end_s), FRAMES * (1 + u * u), 1e-9);
    assert_close(end_s[1], end_s[0], 1e-12);
    assert_close(predict(runs, PARALLEL_FAIR_SHARES, end_s), FRAMES * fmax(1, 2 * u), 1e-9);
    isolated_run_destroy(&runs[0]);
    isolated_run_destroy(&runs[1]);
}
END_TEST

/* 10 frames in which a program needs all of the centre, and 30 in which it needs nothing. Together with itself the
 * first 10 take 20. Beside a program that needs the centre later, they take 10, because the two never meet; and
 * beside one that needs all of it in all of its 15 frames, 20, while that has 10 of its own 15 done and needs 5 more.
 * */
START_TEST(test_phases)
{
    struct isolated_frame first[FRAMES], later[FRAMES];
    for (unsigned i = 0; i < FRAMES; i++) {
        first[i] = frame_of(i < 10);
        later[i] = frame_of(i >= 30);
    }
    struct isolated_run a = run_of(first, FRAMES), b = run_of(later, FRAMES), c = run_of(later + 30, 10);
    struct isolated_frame always[15];
    for (unsigned i = 0; i < 15; i++)
        always[i] = frame_of(1);
    struct isolated_run d = run_of(always, 15);
    for (unsigned model = 0; model < PARALLEL_MODELS; model++) {
        double end_s[2];
        assert_close(predict((struct isolated_run[]){a, a}, model, end_s), 50, 1e-4);
        assert_close(predict((struct isolated_run[]){a, b}, model, end_s), 40, 1e-4);
        assert_close(end_s[1], 40, 1e-4);
        assert_close(predict((struct isolated_run[]){a, c}, model, end_s), 50, 1e-4);
        assert_close(end_s[1], 20, 1e-4);
        assert_close(predict((struct isolated_run[]){a, d}, model, end_s), 50, 1e-4);
        assert_close(end_s[1], 25, 1e-4);
    }
    isolated_run_destroy(&a);
    isolated_run_destroy(&b);
    isolated_run_destroy(&c);
    isolated_run_destroy(&d);
}
END_TEST

/* Records, for which nobody waits, use the centre, too: fair shares only. In 0.6 and out 0.2, twice, is 1.6. */
START_TEST(test_requests_for_which_nobody_waits)
{
    struct isolated_frame frame = frame_of(0.6);
    double end_s[2];
    frame.others = 0.2;
    struct isolated_run run = run_of(&frame, 1), runs[2] = {run, run};
    assert_close(predict(runs, PARALLEL_FAIR_SHARES, end_s), 1.6, 1e-9);
    assert_close(predict(runs, PARALLEL_MVA, end_s), 1.36, 1e-9);
    isolated_run_destroy(&run);
}
END_TEST

/* --- the model of a run alone ------------------------------------------------------------------------------- */

/* Two groups: x 0.07 with w of 10 customers (Figure 4.9 of Leonards, 23.6163 ns at 9.01 ns), and nothing. */
START_TEST(test_private_centres)
{
    struct isolated_frame frames[8];
    for (unsigned i = 0; i < 8; i++)
        frames[i] =
            i % 2 ? (struct isolated_frame){.length_s = 100}
                  : (struct isolated_frame){
                        .length_s = 100, .requests = 7, .at_centre_s = 7 * 23.6163, .number_s = 7 * 23.6163};
    struct isolated_run run;
    ck_assert_int_eq(isolated_run_fit(frames, 8, 12, 1, 9.01, 1, 0, &run), 0);
    ck_assert_uint_eq(run.group_count, 2);
    const struct isolated_group *busy = &run.groups[run.group[0]], *idle = &run.groups[run.group[1]];
    ck_assert_uint_eq(busy->centre.population, 10);
    ck_assert_double_eq_tol(1 / busy->centre.mu_per_s, 14.2311, 0.5e-4);
    assert_close(busy->x_per_s, 0.07, 1e-12);
    assert_close(busy->length_s, 400, 1e-12);
    ck_assert_double_eq(idle->x_per_s, 0);
    struct isolated_fit fit = isolated_run_find_fit(&run);
    ck_assert_double_lt(fit.throughput, 1e-9);
    ck_assert_double_lt(fit.time, 1e-5);
    ck_assert_double_lt(fit.number, 1e-5);
    ck_assert_double_eq(fit.little, 0);
    isolated_run_destroy(&run);
}
END_TEST

/* A time below a service cannot be met: w is twice what was measured. Half of the frames have all of the number: x w
 * - n is 0.1 in each, and n is 0.1 on average. */
START_TEST(test_criteria_that_are_not_met)
{
    struct isolated_frame frames[2] = {frame_of(0.2), frame_of(0.2)};
    struct isolated_run run;
    frames[0].at_centre_s = frames[1].at_centre_s = 0.1;
    frames[0].number_s = 0.2;
    frames[1].number_s = 0;
    ck_assert_int_eq(isolated_run_fit(frames, 2, 1, 1, 1, 1, 0, &run), 0);
    struct isolated_fit fit = isolated_run_find_fit(&run);
    ck_assert_double_lt(fit.throughput, 1e-9);
    assert_close(fit.time, 1, 1e-9);
    assert_close(fit.number, 1, 1e-9);
    assert_close(fit.little, 1, 1e-9);
    isolated_run_destroy(&run);
}
END_TEST

START_TEST(test_runs_that_ask_for_nothing)
{
    struct isolated_frame frame = {.length_s = 1};
    struct isolated_run run;
    ck_assert_int_eq(isolated_run_fit(&frame, 1, 4, 1, 1, 1, 0, &run), MODEL_EREQUESTS);
    isolated_run_destroy(&run);
    ck_assert_int_eq(isolated_run_fit(NULL, 0, 4, 1, 1, 1, 0, &run), MODEL_EREQUESTS);
    frame = frame_of(0.5);
    ck_assert_int_eq(isolated_run_fit(&frame, 1, 0, 1, 1, 1, 0, &run), MODEL_EGROUPS);
    isolated_run_destroy(&run);
}
END_TEST

static Suite *parallel_runs_suite(void)
{
    Suite *suite = suite_create("parallel_runs");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_fair_shares, 0, COUNT_OF(divisions));
    tcase_add_loop_test(core, test_two_equal_programs, 0, 3);
    tcase_add_test(core, test_phases);
    tcase_add_test(core, test_requests_for_which_nobody_waits);
    tcase_add_test(core, test_private_centres);
    tcase_add_test(core, test_criteria_that_are_not_met);
    tcase_add_test(core, test_runs_that_ask_for_nothing);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(parallel_runs_suite());
}
