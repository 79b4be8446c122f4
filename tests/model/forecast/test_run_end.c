/* test_run_end.c - runs of a few passes by hand, and how often the interval of a run's end holds it. */
#include "model/forecast/run_end.h"

#include <check.h>
#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "tests/assert_close.h"
#include "tests/model/forecast/coverage.h"
#include "tests/run_suite.h"

enum { PASSES_MOST = 64 };

static const struct run_machine one_board = {1, 2, RUN_DRAIN};

/* When a run ends all of whose passes were drawn: what it ends later than the sum over them, after this sum. */
static double run_end_s(const struct run_machine *machine, const struct run_pass *passes, size_t count)
{
    const struct sample_stratum all = {count, count};
    size_t numbers[PASSES_MOST] = {0};
    struct run_end end;
    double sum_s = 0;
    ck_assert_uint_le(count, PASSES_MOST);
    for (size_t i = 0; i < count; i++)
        numbers[i] = i;
    run_end_estimate(machine, &all, 1, numbers, passes, 1, &end);
    for (size_t i = 0; i < count; i++)
        sum_s += end.is_of_cores ? passes[i].work_s / machine->cores
                                 : run_pass_board_s(machine, &passes[i]) / machine->boards;
    ck_assert(end.after.error < 1e-12);
    return sum_s + end.after.total;
}

/* The board is free at 5, when 12 - 4 x 2 are left for two cores: 2 s, and 0.5 after them. The next one streams from 6,
 * when 2 are left, to 7, when 2 + 2 - 2 are: the run ends at 8. */
START_TEST(test_backlog)
{
    struct run_pass passes[] = {{1, 4, 12, 0.5}, {1, 1, 2, 0}};
    assert_close(run_end_s(&one_board, passes, 1), 7.5, 1e-15);
    assert_close(run_end_s(&one_board, passes, 2), 8, 1e-15);
    passes[0].rest_s = 10; /* longer than all that comes later */
    assert_close(run_end_s(&one_board, passes, 2), 17, 1e-15);
}
END_TEST

/* Streaming from 3 to 7; the next tables load from 3 on, and are there at 8, or at 5, before the board is free. With
 * RUN_SERIAL the board waits for rests: 3 + 4 + 6, and 5 + 2 + 1. */
START_TEST(test_overlap)
{
    struct run_pass passes[] = {{3, 4, 0, 6}, {5, 2, 0, 1}};
    const struct run_machine tables = {1, 2, RUN_TABLES}, serial = {1, 2, RUN_SERIAL};
    assert_close(run_end_s(&tables, passes, 2), 13, 1e-15);
    passes[0].rest_s = 0;
    assert_close(run_end_s(&tables, passes, 2), 11, 1e-15);
    passes[1].load_s = 2;
    assert_close(run_end_s(&tables, passes, 2), 10, 1e-15);
    passes[0].rest_s = 6;
    assert_close(run_end_s(&serial, passes, 2), 18, 1e-15);
    assert_close(run_pass_board_s(&serial, &passes[0]), 13, 1e-15);
    assert_close(run_pass_board_s(&one_board, &passes[0]), 7, 1e-15);
    assert_close(run_pass_board_s(&tables, &passes[0]), 4, 1e-15);
}
END_TEST

/* 5 on one board; 3, and then 4, on the other. */
START_TEST(test_two_boards)
{
    static const struct run_pass passes[] = {{1, 4, 0, 0}, {1, 2, 0, 0}, {1, 3, 0, 0}};
    const struct run_machine two = {2, 2, RUN_DRAIN};
    assert_close(run_end_s(&two, passes, 3), 7, 1e-15);
}
END_TEST

/* The first pass begins at 2, the second when the board is free, at 5, its tables are built at 4; those of the third
 * can be built from 5 on, and are at 9, when the board has been free since 7. */
START_TEST(test_building)
{
    static const struct run_pass passes[] = {
        {1, 2, 0, 0, .build_s = 2}, {1, 1, 0, 0, .build_s = 2}, {1, 1, 0, 0, .build_s = 4}};
    const struct run_machine builds = {1, 2, RUN_DRAIN, 1}, ahead = {1, 2, RUN_DRAIN, 2};
    assert_close(run_end_s(&one_board, passes, 3), 7, 1e-15);
    assert_close(run_end_s(&builds, passes, 3), 11, 1e-15);
    assert_close(run_end_s(&ahead, passes, 3), 9, 1e-15);
    static const struct sample_stratum all = {3, 3};
    static const size_t numbers[] = {0, 1, 2};
    struct run_end end;
    run_end_estimate(&builds, &all, 1, numbers, passes, 1, &end);
    assert_close(end.build.total, 4, 1e-15);
    assert_close(end.rest.total, 0, 1e-15);
}
END_TEST

/* No pass begins before the one before it: the second, whose tables are built at 1, begins at 4 on its own board. */
START_TEST(test_order)
{
    static const struct run_pass passes[] = {{1, 1, 0, 0, .build_s = 4}, {1, 4, 0, 0, .build_s = 1}};
    const struct run_machine machine = {2, 2, RUN_DRAIN, 2};
    assert_close(run_end_s(&machine, passes, 2), 9, 1e-15);
}
END_TEST

/* The tables are built at 2, but the board waits until 5, since a core was at other work; those of the second are built
 * at 6, says the recurrence, when the board had been free since 8. */
START_TEST(test_held)
{
    struct run_pass passes[] = {{1, 2, 0, 0, .build_s = 2, .wait_s = 5}, {1, 1, 0, 0, .build_s = 1}};
    const struct run_machine machine = {1, 2, RUN_DRAIN, 1};
    run_end_find_rests(&machine, passes, 2);
    assert_close(passes[0].held_s, 3, 1e-15);
    assert_close(passes[1].held_s, 0, 1e-15);
    assert_close(run_end_s(&machine, passes, 1), 8, 1e-15);
    assert_close(run_end_s(&machine, passes, 2), 10, 1e-15);
    passes[1].wait_s = 1; /* it had begun at 9 */
    run_end_find_rests(&machine, passes, 2);
    assert_close(run_end_s(&machine, passes, 2), 11, 1e-15);
    passes[0].wait_s = 1; /* and if the first one's tables were there at 1, at 5 */
    run_end_find_rests(&machine, passes, 2);
    assert_close(run_end_s(&machine, passes, 2), 7, 1e-15);
}
END_TEST

/* The first pass ends 5 after its board was free, but the core built tables for 4 of these. */
START_TEST(test_rests_behind_building)
{
    struct run_pass passes[] = {{1, 1, 0, 5, .build_s = 1, .wait_s = 1},
                                {1, 1, 0, 0, .build_s = 4, .wait_s = 2}};
    const struct run_machine machine = {1, 1, RUN_DRAIN, 1};
    run_end_find_rests(&machine, passes, 2);
    assert_close(passes[0].rest_s, 1, 1e-15);
    assert_close(run_end_s(&machine, passes, 2), 7, 1e-15);
}
END_TEST

/* With their own rests passes end as they did: free at 5, 7 and 11, and 3, 6 and 1 after that. */
START_TEST(test_own_rests)
{
    struct run_pass passes[] = {{1, 4, 12, 3}, {1, 1, 2, 6}, {1, 3, 1, 1}};
    run_end_find_rests(&one_board, passes, 3);
    assert_close(passes[0].rest_s, 1, 1e-15);
    assert_close(passes[1].rest_s, 5, 1e-15);
    assert_close(run_end_s(&one_board, passes, 1), 8, 1e-15);
    assert_close(run_end_s(&one_board, passes, 2), 13, 1e-15);
    assert_close(run_end_s(&one_board, passes, 3), 13, 1e-15);
}
END_TEST

/* --- coverage -------------------------------------------------------------------------------------------- */

enum { PASSES = 40, DRAWN = 10, SAMPLES = 200 };

/* Machines of which the boards, both and the cores have the most to do: a pass has 1.5 s for the board, and 8 s for
 * cores, on the average. 4 passes of 10 have a long job of one core, as an alignment over the whole segment. */
static const struct run_machine machines[] = {
    {1, 12, RUN_DRAIN}, {1, 5, RUN_DRAIN}, {1, 3, RUN_DRAIN}, {2, 7, RUN_DRAIN}, {1, 8, RUN_TABLES}};

static struct run_pass random_pass(gsl_rng *random)
{
    return (struct run_pass){.load_s = 0.5,
                             .stream_s = gsl_ran_flat(random, 0.8, 1.2),
                             .work_s = gsl_ran_flat(random, 4, 12),
                             .rest_s = gsl_rng_uniform(random) < 0.4 ? gsl_ran_flat(random, 0, 6) : 0};
}

/* Draw the last pass and others. @return the forecast of the end */
static struct sample_estimate forecast(const struct run_machine *machine, const struct run_pass *run,
                                       gsl_rng *random)
{
    static const struct sample_stratum strata[] = {{PASSES - 1, DRAWN - 1}, {1, 1}};
    size_t all[PASSES], numbers[DRAWN];
    struct run_pass passes[DRAWN];
    double values[DRAWN];
    struct run_end end;
    struct sample_estimate sum;
    for (size_t i = 0; i < PASSES; i++)
        all[i] = i;
    gsl_ran_choose(random, numbers, DRAWN - 1, all, PASSES - 1, sizeof *all);
    numbers[DRAWN - 1] = PASSES - 1;
    for (size_t i = 0; i < DRAWN; i++)
        passes[i] = run[numbers[i]];
    run_end_estimate(machine, strata, 2, numbers, passes, 1, &end);
    for (size_t i = 0; i < DRAWN; i++)
        values[i] = end.is_of_cores ? passes[i].work_s / machine->cores
                                    : run_pass_board_s(machine, &passes[i]) / machine->boards;
    ck_assert_int_eq(sample_total(strata, 2, values, &sum), 0);
    return sample_sum(sum, end.after);
}

static struct coverages try_samples(const struct run_machine *machine)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct coverages c = {0};
    for (int i = 0; i < tests_some(SAMPLES); i++) {
        struct run_pass run[PASSES];
        for (size_t pass = 0; pass < PASSES; pass++)
            run[pass] = random_pass(random);
        coverage_add(&c, forecast(machine, run, random), run_end_s(machine, run, PASSES));
    }
    gsl_rng_free(random);
    return c;
}

START_TEST(test_coverage)
{
    const struct coverages c = try_samples(&machines[_i]);
    coverage_check(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_end");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_backlog);
    tcase_add_test(core, test_overlap);
    tcase_add_test(core, test_two_boards);
    tcase_add_test(core, test_building);
    tcase_add_test(core, test_order);
    tcase_add_test(core, test_held);
    tcase_add_test(core, test_rests_behind_building);
    tcase_add_test(core, test_own_rests);
    tcase_add_loop_test(core, test_coverage, 0, COUNT_OF(machines));
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
