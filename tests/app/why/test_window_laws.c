/* Windows by themselves: what adds up, and what is known by hand. */
#include "app/why/window_laws.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "app/why/window_theory.h"
#include "tests/run_suite.h"

static const struct board_rules rules = {.ingress_words = 8,
                                         .wmer_seeds = 130,
                                         .sram_lookups = 500,
                                         .sram_margin = 40,
                                         .sram_read_cycles = 20,
                                         .sram_trip_cycles = 60,
                                         .trips_in_flight = 1,
                                         .stage2_matches = 10,
                                         .stage2_margin = 5,
                                         .stage2_fetch_cycles = 5,
                                         .egress_records = 512};

static double sum_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static double mean_of(const double *p, size_t count)
{
    double mean = 0;
    for (size_t n = 0; n < count; n++)
        mean += (double)n * p[n];
    return mean;
}

/* A window of words with some seeds each, of which a share makes trips of 60 clocks; lookups have up to 2 matches, and
 * trips 3 to 5. */
static struct stream_window random_window(double seeds_a_word, double trips)
{
    struct stream_window w = {.words = 1000};
    for (unsigned i = 0; i < 1000; i++) {
        unsigned seeds = 0;
        while (seeds < BASES_PER_WORD && drand48() < seeds_a_word / (1 + seeds_a_word))
            seeds++;
        w.batches[seeds]++;
        w.seeds += seeds;
    }
    for (unsigned i = 0; i < (unsigned)w.seeds; i++)
        if (drand48() < trips) {
            w.trip_lookups++;
            for (unsigned trip = 0; trip < 1 + (i % 2); trip++) {
                w.trip_clocks += 60;
                w.groups[3 + (unsigned)(drand48() * 3)]++;
            }
        } else {
            w.singles[(unsigned)(drand48() * 2.2)]++;
        }
    w.lookup_clocks = w.seeds - w.trip_lookups + w.trip_clocks;
    return w;
}

/* All is a distribution. A FIFO that 1bp fills up stays within its latency of the mark, and a lookup takes at least a
 * clock. */
START_TEST(test_any_window)
{
    static struct window_busy busy;
    struct window_idle idle;
    srand48(_i);
    const struct stream_window w = random_window(0.05 + 2 * drand48(), _i % 3 ? 0.1 * drand48() : 0);
    memset(&busy, 0, sizeof busy);
    window_idle_find(&rules, &w, 0.3 * drand48(), &idle);
    window_busy_find(&rules, &w, &busy);
    ck_assert_double_eq_tol(sum_of(idle.wmer.p, CLOCKED_LENGTH), 1, 1e-6);
    ck_assert_double_eq_tol(sum_of(idle.sram.p, CLOCKED_LENGTH), 1, 1e-6);
    ck_assert_double_eq_tol(sum_of(idle.stage2.p, CLOCKED_LENGTH), 1, 1e-3);
    ck_assert_double_eq_tol(sum_of(busy.stage2.p, CLOCKED_LENGTH), 1, 5e-3);
    ck_assert_double_eq_tol(sum_of(busy.sram, WINDOW_LEVELS), 1, 5e-3);
    ck_assert_double_ge(busy.lookup_clocks, 1 - 1e-9);
    ck_assert_double_ge(mean_of(busy.sram, WINDOW_LEVELS), 439);
    ck_assert_double_le(mean_of(busy.sram, WINDOW_LEVELS), 480);
}
END_TEST

/* One seed in each word, one match in each lookup, a word in every second clock: a seed is in the w-mer FIFO for a
 * clock, half of the time, and each of the 5 clocks of a fetch brings a match with probability 1/2. */
START_TEST(test_idle_by_hand)
{
    struct window_idle idle;
    const struct stream_window w = {
        .words = 10, .seeds = 10, .lookup_clocks = 10, .batches = {0, 10}, .singles = {0, 10}};
    window_idle_find(&rules, &w, 0.5, &idle);
    ck_assert_double_eq_tol(idle.wmer.p[1], 0.5, 1e-9);
    ck_assert_double_eq_tol(idle.sram.p[1], 0.5, 1e-9);
    ck_assert_double_eq_tol(idle.stage2.p[0], 1.0 / 32, 1e-9);
    ck_assert_double_eq_tol(idle.stage2.p[5], 1.0 / 32, 1e-9);
}
END_TEST

/* A lookup with two matches in each clock: stage 2 takes one in a clock, so that a lookup takes two. */
START_TEST(test_busy_by_hand)
{
    static struct window_busy busy;
    const struct stream_window w = {
        .words = 10, .seeds = 10, .lookup_clocks = 10, .batches = {0, 10}, .singles = {0, 0, 10}};
    window_busy_find(&rules, &w, &busy);
    ck_assert_double_eq_tol(busy.lookup_clocks, 2, 0.05);
}
END_TEST

/* A lookup in each clock, no trips: 1bp has stopped at 460, goes on below it, and its reads come 20 clocks later. From
 * then on as many come as go, 440 of them. */
START_TEST(test_level_of_reads_in_flight)
{
    static struct window_busy busy;
    const struct stream_window w = {
        .words = 10, .seeds = 10, .lookup_clocks = 10, .batches = {0, 10}, .singles = {10}};
    window_busy_find(&rules, &w, &busy);
    ck_assert_double_eq_tol(busy.lookup_clocks, 1, 1e-9);
    ck_assert_double_ge(busy.sram[440], 0.95);
}
END_TEST

/* No seeds: nothing is anywhere. */
START_TEST(test_nothing)
{
    struct window_idle idle;
    const struct stream_window w = {.words = 10, .batches = {10}};
    window_idle_find(&rules, &w, 0.9, &idle);
    ck_assert(idle.wmer.p[0] == 1 && idle.sram.p[0] == 1 && idle.stage2.p[0] == 1);
}
END_TEST

/* Windows of a kind are asked as their sum is; others are not mixed with them. */
START_TEST(test_kinds)
{
    struct window_kinds *kinds = window_kinds_new(&rules);
    struct stream_window one = random_window(0.3, 0.01), twice = one, other = random_window(0.9, 0.01);
    struct window_busy busy;
    struct window_idle idle;
    for (size_t i = 0; i < sizeof twice / sizeof(double); i++)
        ((double *)&twice)[i] *= 2;
    const size_t kind = window_kinds_add(kinds, &one), far = window_kinds_add(kinds, &other);
    ck_assert_uint_ne(kind, far);
    ck_assert_uint_eq(window_kinds_add(kinds, &twice), kind);
    window_busy_find(&rules, &one, &busy);
    window_idle_find(&rules, &one, 0.5, &idle);
    ck_assert_double_eq_tol(window_kinds_busy(kinds, kind)->lookup_clocks, busy.lookup_clocks, 1e-12);
    ck_assert_double_eq_tol(mean_of(window_kinds_idle(kinds, kind, 0.5)->wmer.p, CLOCKED_LENGTH),
                            mean_of(idle.wmer.p, CLOCKED_LENGTH), 1e-12);
    window_busy_find(&rules, &other, &busy);
    ck_assert_double_eq_tol(window_kinds_busy(kinds, far)->lookup_clocks, busy.lookup_clocks, 1e-12);
    window_idle_find(&rules, &other, 0.75, &idle);
    ck_assert_double_eq_tol(mean_of(window_kinds_idle(kinds, far, 0.75)->sram.p, CLOCKED_LENGTH),
                            mean_of(idle.sram.p, CLOCKED_LENGTH), 1e-12);
    window_kinds_destroy(kinds);
}
END_TEST

/* What a longer stage-2 FIFO holds beyond the places of a short one is at its last place. */
START_TEST(test_short_fifo)
{
    static struct window_answer of_long, of_short;
    struct hardware hardware = hardware_default();
    const struct stream_window window = {
        .words = 10, .seeds = 3, .matches = 6, .lookup_clocks = 3, .batches = {7, 3}, .singles = {0, 0, 3}};
    const size_t count = 1;
    window_theory_ask_counted(&hardware, &window, &count, 1, &of_long);
    hardware.board.stage2_matches = 6;
    window_theory_ask_counted(&hardware, &window, &count, 1, &of_short);
    const double *p = of_short.queue[FIFO_STAGE2].p, *of = of_long.queue[FIFO_STAGE2].p;
    ck_assert_double_gt(of[8], 0);
    ck_assert_double_eq_tol(sum_of(p, 6), sum_of(of, 6), 1e-9);
    ck_assert_double_eq_tol(p[6], sum_of(of + 6, WINDOW_LEVELS - 6), 1e-9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("window_laws");
    TCase *cases = tcase_create("window_laws");
    tcase_add_loop_test(cases, test_any_window, 0, 60);
    tcase_add_test(cases, test_idle_by_hand);
    tcase_add_test(cases, test_busy_by_hand);
    tcase_add_test(cases, test_level_of_reads_in_flight);
    tcase_add_test(cases, test_nothing);
    tcase_add_test(cases, test_kinds);
    tcase_add_test(cases, test_short_fifo);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
