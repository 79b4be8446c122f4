/* test_fifo_tap.c - taps that are fed with the clocks of elements, against counting every clock. */
#include "traces/fifo_tap.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

/* What was counted in all clocks. */
struct counted {
    uint64_t *clocks_at; /* by occupancy, 0 .. occupancies - 1 */
    size_t occupancies;
    uint64_t integral, most;
};

/* The tap's histogram is the one counted, occupancies put together bin_width at a time. */
static void assert_same_histogram(const struct fifo_measure *measure, const struct counted *seen,
                                  const char *where)
{
    uint64_t bins[FIFO_BINS] = {0}, overflow = 0;
    for (size_t occupancy = 0; occupancy < seen->occupancies; occupancy++) {
        uint64_t bin = occupancy / measure->bin_width;
        *(bin < FIFO_BINS ? &bins[bin] : &overflow) += seen->clocks_at[occupancy];
    }
    for (int bin = 0; bin < FIFO_BINS; bin++) /* no ck_assert for each: Check logs every one */
        if (measure->bins[bin] != bins[bin])
            ck_abort_msg("%s: bin %d: tap %" PRIu64 ", counted %" PRIu64, where, bin, measure->bins[bin],
                         bins[bin]);
    ck_assert_uint_eq(measure->overflow, overflow);
}

static void assert_same(const struct fifo_measure *measure, const struct counted *seen, const char *where)
{
    ck_assert_msg(measure->integral == seen->integral, "%s: integral: tap %" PRIu64 ", counted %" PRIu64,
                  where, (uint64_t)measure->integral, seen->integral);
    ck_assert_msg(measure->most == seen->most, "%s: most: tap %" PRIu64 ", counted %" PRIu64, where,
                  measure->most, seen->most);
    ck_assert_msg(measure->integral == measure->sojourn_clocks, "%s: Little's law", where);
    ck_assert_msg(fifo_measure_is_consistent(measure), "%s: not consistent", where);
    assert_same_histogram(measure, seen, where);
}

/* ---- random elements ---- */

enum { ELEMENTS = 300 };

struct elements {
    int64_t arrival[ELEMENTS], departure[ELEMENTS];
    int64_t end;
};

/* First in, first out; stays of 0 clocks and many events in one clock included. */
static void random_elements(struct elements *elements, struct dice *dice)
{
    int64_t arrival = 0, departure = 0;
    uint64_t pause = dice_between(dice, 1, 5), stay = dice_between(dice, 1, 20);
    for (int i = 0; i < ELEMENTS; i++) {
        arrival += (int64_t)dice_below(dice, pause);
        int64_t leaves = arrival + (int64_t)dice_below(dice, stay);
        departure = leaves > departure ? leaves : departure;
        elements->arrival[i] = arrival;
        elements->departure[i] = departure;
    }
    elements->end = departure + (int64_t)dice_between(dice, 1, 9);
}

static uint64_t count_inside(const struct elements *elements, int64_t clock)
{
    uint64_t inside = 0;
    for (int i = 0; i < ELEMENTS; i++)
        inside += elements->arrival[i] <= clock && elements->departure[i] > clock;
    return inside;
}

static void see_every_clock(struct counted *seen, const struct elements *elements)
{
    for (int64_t clock = 0; clock < elements->end; clock++) {
        uint64_t inside = count_inside(elements, clock);
        seen->clocks_at[inside]++;
        seen->integral += inside;
        seen->most = inside > seen->most ? inside : seen->most;
    }
}

START_TEST(test_random_elements_against_counting_every_clock)
{
    struct dice dice = {(uint64_t)_i};
    struct elements elements;
    random_elements(&elements, &dice);
    uint64_t clocks_at[ELEMENTS + 1] = {0};
    struct counted seen = {.clocks_at = clocks_at, .occupancies = ELEMENTS + 1};
    see_every_clock(&seen, &elements);

    struct fifo_tap tap;
    fifo_tap_init(&tap, dice_chance(&dice, 50) ? 0 : 1200);
    bool fed = true;
    for (int i = 0; i < ELEMENTS; i++)
        fed = fifo_tap_element(&tap, elements.arrival[i], elements.departure[i]) && fed;
    ck_assert(fed);
    assert_same(fifo_tap_close(&tap, elements.end), &seen, "random elements");
    fifo_tap_destroy(&tap);
}
END_TEST

/* ---- by hand ---- */

/* Runs elements given as pairs of arrival and departure; the measure is a copy. */
static struct fifo_measure measure_pairs(const int64_t (*pairs)[2], size_t count, int64_t end)
{
    struct fifo_tap tap;
    fifo_tap_init(&tap, 10);
    for (size_t i = 0; i < count; i++)
        ck_assert(fifo_tap_element(&tap, pairs[i][0], pairs[i][1]));
    struct fifo_measure measure = *fifo_tap_close(&tap, end);
    fifo_tap_destroy(&tap);
    return measure;
}

/* Inside at the ends of clocks 3, 4, 5, 6; a frame of 10. */
START_TEST(test_one_element)
{
    static const int64_t pairs[][2] = {{3, 7}};
    struct fifo_measure measure = measure_pairs(pairs, 1, 10);
    ck_assert_uint_eq(measure.clocks, 10);
    ck_assert_uint_eq(measure.elements, 1);
    ck_assert_uint_eq(measure.bins[0], 6);
    ck_assert_uint_eq(measure.bins[1], 4);
    ck_assert_uint_eq(measure.integral, 4);
    ck_assert_uint_eq(measure.sojourn_clocks, 4);
    ck_assert_uint_eq(measure.most, 1);
    ck_assert_double_eq_tol(fifo_measure_mean(&measure), 0.4, 1e-15);
    ck_assert_double_eq_tol(fifo_measure_mean_sojourn(&measure), 4.0, 1e-15);
    ck_assert(fifo_measure_is_consistent(&measure));
}
END_TEST

/* Occupancy at the ends of clocks 0 .. 8: 1 1 2 2 2 1 1 1 0; in clock 4 one leaves and one comes. */
START_TEST(test_elements_that_overlap)
{
    static const int64_t pairs[][2] = {{0, 4}, {2, 5}, {4, 8}};
    struct fifo_measure measure = measure_pairs(pairs, 3, 9);
    ck_assert_uint_eq(measure.bins[0], 1);
    ck_assert_uint_eq(measure.bins[1], 5);
    ck_assert_uint_eq(measure.bins[2], 3);
    ck_assert_uint_eq(measure.integral, 11);
}
END_TEST

/* A record that goes out in the clock it came in is an element, but never inside: it takes no time. */
START_TEST(test_a_stay_of_no_clocks)
{
    static const int64_t pairs[][2] = {{2, 2}, {5, 5}, {5, 5}, {6, 7}};
    struct fifo_measure measure = measure_pairs(pairs, 4, 9);
    ck_assert_uint_eq(measure.elements, 4);
    ck_assert_uint_eq(measure.bins[0], 8);
    ck_assert_uint_eq(measure.bins[1], 1);
    ck_assert(fifo_measure_is_consistent(&measure));
}
END_TEST

START_TEST(test_an_empty_frame)
{
    struct fifo_measure none = measure_pairs(NULL, 0, 0);
    ck_assert_double_eq(fifo_measure_mean(&none), 0.0);
    ck_assert_double_eq(fifo_measure_mean_sojourn(&none), 0.0);
    ck_assert_double_eq(fifo_measure_back_pressure(&none), 0.0);
    ck_assert(fifo_measure_is_consistent(&none));
    struct fifo_measure idle = measure_pairs(NULL, 0, 50);
    ck_assert_uint_eq(idle.bins[0], 50);
    ck_assert(fifo_measure_is_consistent(&idle));
}
END_TEST

/* ceil((places + 1) / 512) occupancies a bin: all of 0 .. places have a bin, and no narrower one would do. */
START_TEST(test_bin_width)
{
    static const uint64_t places[] = {1, 8, 511, 512, 1023, 1024, 5000, 1000000};
    static const uint64_t widths[] = {1, 1, 1, 2, 2, 3, 10, 1954};
    struct fifo_tap tap;
    fifo_tap_init(&tap, places[_i]);
    ck_assert_uint_eq(tap.measure.bin_width, widths[_i]);
    ck_assert_uint_lt(places[_i] / widths[_i], FIFO_BINS);
    fifo_tap_destroy(&tap);
}
END_TEST

/* `places` elements come in clock 0 and leave in clock 10: 10 clocks in the last occupancy's bin. Without
 * a bound bins are of one, and 600 lie above the last. */
START_TEST(test_a_full_queue_and_overflow)
{
    static const uint64_t places[] = {600, 511, 0};
    struct fifo_tap tap;
    fifo_tap_init(&tap, places[_i]);
    uint64_t count = places[_i] ? places[_i] : 600;
    for (uint64_t i = 0; i < count; i++)
        ck_assert(fifo_tap_element(&tap, 0, 10));
    const struct fifo_measure *measure = fifo_tap_close(&tap, 12);
    ck_assert_uint_eq(measure->bins[0], 2);
    ck_assert_uint_eq(measure->overflow, places[_i] ? 0 : 10);
    if (places[_i])
        ck_assert_uint_eq(measure->bins[count / measure->bin_width], 10);
    ck_assert_uint_eq(measure->most, count);
    ck_assert_uint_eq(measure->integral, 10 * count);
    ck_assert(fifo_measure_is_consistent(measure));
    fifo_tap_destroy(&tap);
}
END_TEST

/* 2^16 elements stay for a year of 2^52 clocks each: 2^68 clocks together, on which Little's law holds. */
START_TEST(test_stays_of_years)
{
    struct fifo_tap tap;
    fifo_tap_init(&tap, 0);
    for (int i = 0; i < 1 << 16; i++)
        ck_assert(fifo_tap_element(&tap, 0, INT64_C(1) << 52));
    const struct fifo_measure *measure = fifo_tap_close(&tap, INT64_C(1) << 53);
    ck_assert(fifo_measure_is_consistent(measure));
    ck_assert_double_eq(fifo_measure_mean_sojourn(measure), 0x1p52);
    ck_assert_double_eq(fifo_measure_mean(measure), 1 << 15); /* of half of the time there are 2^16 */
    fifo_tap_destroy(&tap);
}
END_TEST

/* Two frames of the same queue; the sum starts from zero. */
START_TEST(test_frames_add_up)
{
    static const int64_t first[][2] = {{0, 4}, {2, 5}, {4, 8}}, second[][2] = {{3, 7}};
    struct fifo_measure a = measure_pairs(first, 3, 9), b = measure_pairs(second, 1, 10);
    struct fifo_measure sum = {0};
    a.back_pressure_clocks = 8;
    b.back_pressure_clocks = 4;
    fifo_measure_add(&sum, &b);
    fifo_measure_add(&sum, &a);
    ck_assert_uint_eq(sum.clocks, 19);
    ck_assert_uint_eq(sum.elements, 4);
    ck_assert_uint_eq(sum.integral, 15);
    ck_assert_uint_eq(sum.sojourn_clocks, 15);
    ck_assert_uint_eq(sum.back_pressure_clocks, 8 + 4);
    ck_assert_uint_eq(sum.most, 2);
    ck_assert_uint_eq(sum.bin_width, 1);
    ck_assert_uint_eq(sum.bins[0], 7);
    ck_assert_uint_eq(sum.bins[1], 9);
    ck_assert_uint_eq(sum.bins[2], 3);
    ck_assert(fifo_measure_is_consistent(&sum));
    fifo_measure_add(&sum, &b); /* the larger `most` stays */
    ck_assert_uint_eq(sum.most, 2);
}
END_TEST

START_TEST(test_overflow_adds_up)
{
    struct fifo_tap tap;
    fifo_tap_init(&tap, 0);
    for (int i = 0; i < 520; i++)
        ck_assert(fifo_tap_element(&tap, 0, 10));
    struct fifo_measure frame = *fifo_tap_close(&tap, 10), sum = {0};
    fifo_tap_destroy(&tap);
    fifo_measure_add(&sum, &frame);
    fifo_measure_add(&sum, &frame);
    ck_assert_uint_eq(sum.overflow, 20);
    ck_assert(fifo_measure_is_consistent(&sum));
}
END_TEST

/* Negative control: a measure with a clock too few or too many, or a wrong integral, is not consistent. */
START_TEST(test_inconsistent_measures_are_found)
{
    static const int64_t pairs[][2] = {{3, 7}};
    struct fifo_measure measure = measure_pairs(pairs, 1, 10);
    measure.clocks++;
    ck_assert(!fifo_measure_is_consistent(&measure));
    measure.bins[0]++;
    ck_assert(fifo_measure_is_consistent(&measure));
    measure.integral++;
    ck_assert(!fifo_measure_is_consistent(&measure));
}
END_TEST

/* ---- suite ---- */

static TCase *against_the_judge(void)
{
    TCase *tcase = tcase_create("judge");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_random_elements_against_counting_every_clock, 0, 300);
    return tcase;
}

static TCase *by_hand(void)
{
    TCase *tcase = tcase_create("by hand");
    tcase_add_test(tcase, test_one_element);
    tcase_add_test(tcase, test_elements_that_overlap);
    tcase_add_test(tcase, test_a_stay_of_no_clocks);
    tcase_add_test(tcase, test_an_empty_frame);
    tcase_add_loop_test(tcase, test_bin_width, 0, 8);
    tcase_add_loop_test(tcase, test_a_full_queue_and_overflow, 0, 3);
    tcase_add_test(tcase, test_stays_of_years);
    tcase_add_test(tcase, test_frames_add_up);
    tcase_add_test(tcase, test_overflow_adds_up);
    tcase_add_test(tcase, test_inconsistent_measures_are_found);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("fifo_tap");
    suite_add_tcase(suite, against_the_judge());
    suite_add_tcase(suite, by_hand());
    return run_suite(suite);
}
