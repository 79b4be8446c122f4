/* test_bus_use.c - a bus's time at work against a line of its own, and a block's delay against its words one by one.
 */
#include "sim/simgrid/bus_use.h"
#include "tests/run_suite.h"

#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

enum { TIME = 400, TRANSFERS = 12, WORDS = 50 };

/* --- time at work ---------------------------------------------------------------------------------------- */

/* Transfers begin and end at whole times; each second in which one is under way counts once. */
START_TEST(test_time_at_work_is_the_union)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, (unsigned long)_i + 1);
    unsigned begins[TIME + 1] = {0}, ends[TIME + 1] = {0}, under_way = 0;
    struct bus_use use = {0};
    for (int i = 0; i < TRANSFERS; i++) {
        unsigned long begin = gsl_rng_uniform_int(rng, TIME - 60), length = gsl_rng_uniform_int(rng, 50);
        begins[begin]++;
        ends[begin + length]++;
    }
    double worked = 0;
    for (int now = 0; now <= TIME; now++) {
        ck_assert_double_eq(bus_use_until(&use, now), worked);
        for (; begins[now] > 0; begins[now]--, under_way++)
            bus_use_begin(&use, now);
        for (; ends[now] > 0; ends[now]--, under_way--)
            bus_use_end(&use, now);
        ck_assert_double_eq(bus_use_until(&use, now), worked);
        worked += under_way > 0;
    }
    ck_assert_double_gt(worked, 0);
    gsl_rng_free(rng);
}
END_TEST

/* Within the last stretch, also where it is over. */
START_TEST(test_a_time_that_is_past)
{
    struct bus_use use = {0};
    bus_use_begin(&use, 1);
    bus_use_end(&use, 3);
    bus_use_begin(&use, 5);
    ck_assert_double_eq(bus_use_until(&use, 7), 4);
    bus_use_end(&use, 9);
    ck_assert_double_eq(bus_use_until(&use, 6), 3);
    ck_assert_double_eq(bus_use_until(&use, 9), 6);
    ck_assert_double_eq(bus_use_until(&use, 100), 6);
    bus_use_begin(&use, 9); /* the stretch goes on */
    ck_assert_double_eq(bus_use_until(&use, 6), 3);
    ck_assert_double_eq(bus_use_until(&use, 10), 7);
}
END_TEST

/* --- delay ----------------------------------------------------------------------------------------------- */

/* When the bus has moved the last word, where word i waits for holds[i] ticks, tick by tick: records of the block
 * before cross while no word does, and have every other tick while one does. */
static int64_t bus_free(const struct bus_share *share, int64_t before, const int64_t holds[WORDS])
{
    int64_t now = later(before, share->begin), records = share->beside_ticks;
    for (int i = 0; i < WORDS; i++) {
        for (int64_t at = later(now, share->supply_first + i * share->supply_ticks) + holds[i]; now < at;
             now++)
            records -= records > 0;
        for (int64_t left = share->word_ticks; left > 0; left--, now++)
            if (records > 0) {
                records--;
                now++;
            }
    }
    return now;
}

static struct bus_share draw_share(gsl_rng *rng)
{
    const int64_t word_ticks = 1 + (int64_t)gsl_rng_uniform_int(rng, 100);
    const uint64_t most = (uint64_t)(WORDS * word_ticks + 1); /* records have no more of the bus than words */
    return (struct bus_share){.begin = (int64_t)gsl_rng_uniform_int(rng, 3000),
                              .word_ticks = word_ticks,
                              .beside_ticks =
                                  gsl_rng_uniform_int(rng, 2) ? (int64_t)gsl_rng_uniform_int(rng, most) : 0,
                              .supply_first = (int64_t)gsl_rng_uniform_int(rng, 3000),
                              .supply_ticks = (int64_t)gsl_rng_uniform_int(rng, 100)};
}

START_TEST(test_nothing_held_is_no_delay)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < 1000; i++) {
        struct bus_share share = draw_share(rng);
        int64_t before = (int64_t)gsl_rng_uniform_int(rng, 4000) - 1000, none[WORDS] = {0};
        ck_assert_int_eq(bus_use_delay(&share, WORDS, before, bus_free(&share, before, none)), 0);
    }
    gsl_rng_free(rng);
}
END_TEST

/* All of what words wait where the bus limits; no more than that, and none of what the host makes up for, elsewhere. */
START_TEST(test_what_is_held_delays)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < 1000; i++) {
        struct bus_share share = draw_share(rng);
        int64_t holds[WORDS] = {0}, held = 0, before = share.begin + share.supply_first;
        for (int n = 0; n < 5; n++)
            holds[gsl_rng_uniform_int(rng, WORDS)] += (int64_t)gsl_rng_uniform_int(rng, 1000);
        for (int n = 0; n < WORDS; n++)
            held += holds[n];
        int64_t delay = bus_use_delay(&share, WORDS, before, bus_free(&share, before, holds));
        ck_assert_int_ge(delay, 0);
        ck_assert_int_le(delay, held);
        if (share.word_ticks >= share.supply_ticks && share.beside_ticks == 0)
            ck_assert_int_eq(delay, held);
        const int64_t none[WORDS] = {0};
        ck_assert_int_eq(delay, bus_free(&share, before, holds) - bus_free(&share, before, none));
    }
    gsl_rng_free(rng);
}
END_TEST

static Suite *bus_use_suite(void)
{
    Suite *suite = suite_create("bus_use");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_time_at_work_is_the_union, 0, 20);
    tcase_add_test(core, test_a_time_that_is_past);
    tcase_add_test(core, test_nothing_held_is_no_delay);
    tcase_add_test(core, test_what_is_held_delays);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(bus_use_suite());
}
