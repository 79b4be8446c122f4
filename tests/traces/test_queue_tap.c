/* test_queue_tap.c - a queue's measure from lists of clocks, against counting every clock and by hand. */
#include "traces/queue_tap.h"

#include <check.h>
#include <stdlib.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"
#include "tests/traces/count_clocks.h"

static int compare_clocks(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* --- by hand --------------------------------------------------------------------------------------------- */

enum { HAND_ELEMENTS = 1 << 16 };

/* Runs elements given as pairs of arrival and departure. */
static struct fifo_measure measure_pairs(const int64_t (*pairs)[2], size_t count, uint64_t places,
                                         int64_t end)
{
    static int64_t arrivals[HAND_ELEMENTS], departures[HAND_ELEMENTS];
    struct queue_tap tap;
    queue_tap_init(&tap, places, false);
    for (size_t i = 0; i < count; i++) {
        arrivals[i] = pairs[i][0];
        departures[i] = pairs[i][1];
    }
    queue_tap_add(&tap, arrivals, count, departures, count);
    queue_tap_run(&tap, end);
    queue_tap_destroy(&tap);
    return tap.measure;
}

/* The measure of many elements that come in clock 0 and leave together. */
static struct fifo_measure measure_many(size_t count, int64_t departure, uint64_t places, int64_t end)
{
    int64_t(*pairs)[2] = calloc(count, sizeof *pairs);
    for (size_t i = 0; i < count; i++)
        pairs[i][1] = departure;
    struct fifo_measure measure = measure_pairs((const int64_t(*)[2])pairs, count, places, end);
    free(pairs);
    return measure;
}

/* Inside at the ends of clocks 3, 4, 5, 6; a frame of 10. */
START_TEST(test_one_element)
{
    static const int64_t pairs[][2] = {{3, 7}};
    struct fifo_measure measure = measure_pairs(pairs, 1, 10, 10);
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
    struct fifo_measure measure = measure_pairs(pairs, 3, 10, 9);
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
    struct fifo_measure measure = measure_pairs(pairs, 4, 10, 9);
    ck_assert_uint_eq(measure.elements, 4);
    ck_assert_uint_eq(measure.bins[0], 8);
    ck_assert_uint_eq(measure.bins[1], 1);
    ck_assert(fifo_measure_is_consistent(&measure));
}
END_TEST

START_TEST(test_an_empty_frame)
{
    struct fifo_measure none = measure_pairs(NULL, 0, 10, 0);
    ck_assert_double_eq(fifo_measure_mean(&none), 0.0);
    ck_assert_double_eq(fifo_measure_mean_sojourn(&none), 0.0);
    ck_assert_double_eq(fifo_measure_back_pressure(&none), 0.0);
    ck_assert(fifo_measure_is_consistent(&none));
    struct fifo_measure idle = measure_pairs(NULL, 0, 10, 50);
    ck_assert_uint_eq(idle.bins[0], 50);
    ck_assert(fifo_measure_is_consistent(&idle));
}
END_TEST

/* Two frames of the same queue; the sum starts from zero. */
START_TEST(test_frames_add_up)
{
    static const int64_t first[][2] = {{0, 4}, {2, 5}, {4, 8}}, second[][2] = {{3, 7}};
    struct fifo_measure a = measure_pairs(first, 3, 10, 9), b = measure_pairs(second, 1, 10, 10);
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

/* Negative control: a measure with a clock too few or too many, or a wrong integral, is not consistent. */
START_TEST(test_inconsistent_measures_are_found)
{
    static const int64_t pairs[][2] = {{3, 7}};
    struct fifo_measure measure = measure_pairs(pairs, 1, 10, 10);
    measure.clocks++;
    ck_assert(!fifo_measure_is_consistent(&measure));
    measure.bins[0]++;
    ck_assert(fifo_measure_is_consistent(&measure));
    measure.integral++;
    ck_assert(!fifo_measure_is_consistent(&measure));
}
END_TEST

/* ceil((places + 1) / 512) occupancies a bin: all of 0 .. places have a bin, and no narrower one would do. */
START_TEST(test_bin_width)
{
    static const uint64_t places[] = {1, 8, 511, 512, 1023, 1024, 5000, 1000000};
    static const uint64_t widths[] = {1, 1, 1, 2, 2, 3, 10, 1954};
    struct queue_tap tap;
    queue_tap_init(&tap, places[_i], false);
    ck_assert_uint_eq(tap.measure.bin_width, widths[_i]);
    ck_assert_uint_lt(places[_i] / widths[_i], FIFO_BINS);
    queue_tap_destroy(&tap);
}
END_TEST

/* `places` elements come in clock 0 and leave in clock 10: 10 clocks in the last occupancy's bin. Without
 * a bound 600 lies in the second of the eight bins from 512 to 1023. */
START_TEST(test_a_full_queue)
{
    static const uint64_t places[] = {600, 511, 0};
    const uint64_t count = places[_i] ? places[_i] : 600;
    const struct fifo_measure measure = measure_many(count, 10, places[_i], 12);
    ck_assert_uint_eq(measure.bins[0], 2);
    ck_assert_uint_eq(measure.overflow, 0);
    ck_assert_uint_eq(measure.bins[places[_i] ? count / measure.bin_width : FIFO_SINGLE + 9], 10);
    ck_assert_uint_eq(measure.back_pressure_clocks, places[_i] ? 10 : 0);
    ck_assert_uint_eq(measure.most, count);
    ck_assert_uint_eq(measure.integral, 10 * count);
    ck_assert(fifo_measure_is_consistent(&measure));
}
END_TEST

/* 2^16 elements stay for a year of 2^52 clocks each: 2^68 clocks together, on which Little's law holds. */
START_TEST(test_stays_of_years)
{
    const struct fifo_measure measure = measure_many(1 << 16, INT64_C(1) << 52, 0, INT64_C(1) << 53);
    ck_assert(fifo_measure_is_consistent(&measure));
    ck_assert_double_eq(fifo_measure_mean_sojourn(&measure), 0x1p52);
    ck_assert_double_eq(fifo_measure_mean(&measure), 1 << 15); /* of half of the time there are 2^16 */
}
END_TEST

/* Every occupancy of a queue without a bound lies in its bin, whose width is at most an eighth of where it begins, and
 * bins follow each other without a gap; what has 2^40 elements and more has none. */
START_TEST(test_growing_bins)
{
    const struct fifo_measure m = fifo_measure_none(0);
    uint64_t end = 0;
    for (uint64_t bin = 0; bin < FIFO_BINS; bin++) {
        const uint64_t begin = fifo_measure_bin_begin(&m, bin);
        ck_assert_uint_eq(begin, end);
        end = fifo_measure_bin_begin(&m, bin + 1);
        ck_assert_uint_eq(fifo_measure_bin(&m, begin), bin);
        ck_assert_uint_eq(fifo_measure_bin(&m, end - 1), bin);
        ck_assert(bin < FIFO_SINGLE ? end == begin + 1 : (end - begin) * FIFO_PER_OCTAVE <= begin);
    }
    ck_assert_uint_eq(end, UINT64_C(1) << 40);
    ck_assert_uint_ge(fifo_measure_bin(&m, end), FIFO_BINS);
    ck_assert_uint_ge(fifo_measure_bin(&m, UINT64_MAX), FIFO_BINS);
}
END_TEST

START_TEST(test_bins_add_up)
{
    const struct fifo_measure frame = measure_many(520, 10, 0, 11);
    struct fifo_measure sum = {0};
    fifo_measure_add(&sum, &frame);
    fifo_measure_add(&sum, &frame);
    ck_assert_uint_eq(sum.bins[FIFO_SINGLE + 8], 20);
    ck_assert(fifo_measure_is_consistent(&sum));
}
END_TEST

/* Sums of clocks of the host's last years do not fit in 64 bits: HSP i comes in clock LATE + i, and i < LEFT leave two
 * clocks later. The others are inside up to the end, whose clock is LATE + CAME. */
START_TEST(test_large_clocks)
{
    enum { CAME = 600, LEFT = 500 };
    const int64_t late = INT64_C(1) << 61;
    int64_t arrivals[CAME], departures[LEFT];
    struct queue_tap tap;
    uint64_t integral = 2 * LEFT;
    for (int i = 0; i < CAME; i++)
        arrivals[i] = late + i;
    for (int i = 0; i < LEFT; i++)
        departures[i] = late + i + 2;
    for (int i = LEFT; i < CAME; i++)
        integral += (uint64_t)(CAME - i);
    queue_tap_init(&tap, 0, false);
    queue_tap_add(&tap, arrivals, CAME, departures, LEFT);
    queue_tap_run(&tap, late + CAME);
    ck_assert(tap.measure.integral == integral);
    ck_assert_uint_eq(tap.inside, CAME - LEFT);
    ck_assert_uint_eq(tap.measure.most, CAME - LEFT);
    queue_tap_destroy(&tap);
}
END_TEST

/* --- random elements ------------------------------------------------------------------------------------- */

enum { ELEMENTS = 6000, CASES = 60 };

struct elements {
    int64_t arrivals[ELEMENTS], departures[ELEMENTS]; /* in order */
    size_t count;
    int64_t end;
};

/* Elements that come together, stay for 0 clocks, or leave in another order than they came, included. Mean stays of
 * some thousand clocks let the queue become deeper than a histogram has bins. */
static void random_elements(struct elements *e, struct dice *dice)
{
    const uint64_t pause = dice_between(dice, 1, 9);
    uint64_t stay = 1;
    int64_t arrival = 0;
    e->count = dice_between(dice, 1, ELEMENTS);
    for (size_t i = 0; i < e->count; i++) {
        if (dice_chance(dice, 1))
            stay = UINT64_C(1) << dice_below(dice, 15);
        arrival += (int64_t)dice_below(dice, pause);
        e->arrivals[i] = arrival;
        e->departures[i] = arrival + (int64_t)(stay / 2 + dice_below(dice, stay));
    }
    for (size_t i = 1; i < e->count; i++) /* first in, first out: sorting by insertion takes long otherwise */
        if (e->departures[i] + 50 < e->departures[i - 1])
            e->departures[i] = e->departures[i - 1] - 50;
    qsort(e->departures, e->count, sizeof *e->departures, compare_clocks);
    e->end = e->departures[e->count - 1] + 5;
}

static size_t count_before(const int64_t *clocks, size_t first, size_t count, int64_t end)
{
    size_t before = 0;
    while (first + before < count && clocks[first + before] < end)
        before++;
    return before;
}

/* The next clocks before `end`, in disorder. @return their number */
static size_t take(int64_t *taken, const int64_t *clocks, size_t first, size_t count, int64_t end,
                   struct dice *dice)
{
    const size_t before = count_before(clocks, first, count, end);
    for (size_t i = 0; i < before; i++)
        taken[i] = clocks[first + i];
    for (size_t i = 0; i + 1 < before; i++) {
        const size_t other = i + dice_below(dice, before - i < 8 ? before - i : 8);
        const int64_t clock = taken[i];
        taken[i] = taken[other];
        taken[other] = clock;
    }
    return before;
}

/* Number of elements inside at the end of a clock. */
static uint64_t count_inside(const struct elements *e, int64_t clock)
{
    return count_before(e->arrivals, 0, e->count, clock + 1) -
           count_before(e->departures, 0, e->count, clock + 1);
}

/* The clocks at each occupancy of the last stretch, of a tap that counts each. */
static void assert_counted(const struct queue_tap *tap, const struct elements *e, int64_t begin)
{
    static uint64_t clocks[ELEMENTS + 1];
    for (size_t i = 0; i <= e->count; i++)
        clocks[i] = 0;
    for (int64_t clock = begin; clock < tap->clock; clock++)
        clocks[count_inside(e, clock)]++;
    for (uint64_t inside = 0; inside <= e->count; inside++) {
        const bool has = inside >= tap->least && inside - tap->least < tap->count;
        ck_assert_uint_eq(clocks[inside], has ? tap->clocks[inside - tap->least] : 0);
    }
}

/* Stretches told in any order, of queues that become deep and shallow again. */
START_TEST(test_stretches_against_counting_every_clock)
{
    static struct elements e;
    static int64_t arrivals[ELEMENTS], departures[ELEMENTS];
    for (int n = 0; n < tests_some(CASES); n++) {
        struct dice dice = {(uint64_t)n};
        struct queue_tap tap;
        size_t arrived = 0, departed = 0;
        random_elements(&e, &dice);
        queue_tap_init(&tap, 0, n % 2);
        for (int64_t clock = 0; clock < e.end;) {
            clock += (int64_t)dice_between(&dice, 0, 2000);
            clock = clock < e.end ? clock : e.end;
            const size_t comes = take(arrivals, e.arrivals, arrived, e.count, clock, &dice);
            const size_t goes = take(departures, e.departures, departed, e.count, clock, &dice);
            queue_tap_add(&tap, arrivals, comes, departures, goes);
            queue_tap_run(&tap, clock);
            arrived += comes;
            departed += goes;
            ck_assert_uint_eq(tap.inside, arrived - departed);
        }
        const struct fifo_measure counted = count_clocks(e.arrivals, e.departures, e.count, e.end);
        ck_assert(fifo_measure_is_consistent(&tap.measure));
        ck_assert_mem_eq(&tap.measure, &counted, sizeof counted);
        queue_tap_destroy(&tap);
    }
}
END_TEST

/* A part is run through in stretches, whose occupancies are counted; the parts together are the whole. */
START_TEST(test_parts_against_counting_every_clock)
{
    static struct elements e;
    static int64_t arrivals[ELEMENTS], departures[ELEMENTS];
    for (int n = 0; n < tests_some(CASES); n++) {
        struct dice dice = {(uint64_t)n};
        struct queue_tap tap;
        size_t arrived = 0, departed = 0;
        random_elements(&e, &dice);
        queue_tap_init(&tap, 0, true);
        for (int64_t end = 0, clock = 0; end < e.end;) {
            end += (int64_t)dice_between(&dice, 1, 20000);
            end = end < e.end ? end : e.end;
            const size_t comes = take(arrivals, e.arrivals, arrived, e.count, end, &dice);
            const size_t goes = take(departures, e.departures, departed, e.count, end, &dice);
            queue_tap_add(&tap, arrivals, comes, departures, goes);
            for (int64_t begin = clock; clock < end; begin = clock) {
                clock += (int64_t)dice_between(&dice, 1, 7000);
                clock = clock < end ? clock : end;
                queue_tap_run(&tap, clock);
                if (e.count < 500)
                    assert_counted(&tap, &e, begin);
            }
            arrived += comes;
            departed += goes;
        }
        const struct fifo_measure counted = count_clocks(e.arrivals, e.departures, e.count, e.end);
        ck_assert_mem_eq(&tap.measure, &counted, sizeof counted);
        queue_tap_destroy(&tap);
    }
}
END_TEST

/* Elements leave in another order than they came in. Each is told, with the clock in which it leaves, when the tap has
 * run as far as to where it comes. */
START_TEST(test_departures_told_ahead_against_counting_every_clock)
{
    static struct elements e;
    for (int n = 0; n < tests_some(CASES); n++) {
        struct dice dice = {(uint64_t)n};
        struct queue_tap tap;
        random_elements(&e, &dice);
        for (size_t i = 0; i + 1 < e.count; i++) {
            const size_t left = e.count - i, other = i + dice_below(&dice, left < 200 ? left : 200);
            const int64_t clock = e.departures[i];
            if (clock < e.arrivals[other])
                continue;
            e.departures[i] = e.departures[other];
            e.departures[other] = clock;
        }
        queue_tap_init(&tap, 0, n % 2);
        for (size_t told = 0, more; told < e.count; told += more) {
            more = 1 + dice_below(&dice, e.count - told < 1500 ? e.count - told : 1500);
            queue_tap_run(&tap, e.arrivals[told]);
            queue_tap_add(&tap, e.arrivals + told, more, e.departures + told, more);
        }
        queue_tap_run(&tap, e.end);
        qsort(e.departures, e.count, sizeof *e.departures, compare_clocks);
        const struct fifo_measure counted = count_clocks(e.arrivals, e.departures, e.count, e.end);
        ck_assert_uint_eq(tap.inside, 0);
        ck_assert_mem_eq(&tap.measure, &counted, sizeof counted);
        queue_tap_destroy(&tap);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue_tap");
    TCase *hand = tcase_create("by hand");
    tcase_add_test(hand, test_one_element);
    tcase_add_test(hand, test_elements_that_overlap);
    tcase_add_test(hand, test_a_stay_of_no_clocks);
    tcase_add_test(hand, test_an_empty_frame);
    tcase_add_test(hand, test_frames_add_up);
    tcase_add_test(hand, test_inconsistent_measures_are_found);
    tcase_add_loop_test(hand, test_bin_width, 0, 8);
    tcase_add_loop_test(hand, test_a_full_queue, 0, 3);
    tcase_add_test(hand, test_stays_of_years);
    tcase_add_test(hand, test_growing_bins);
    tcase_add_test(hand, test_bins_add_up);
    tcase_add_test(hand, test_large_clocks);
    suite_add_tcase(suite, hand);
    TCase *random = tcase_create("random");
    tcase_set_timeout(random, 60);
    tcase_add_test(random, test_stretches_against_counting_every_clock);
    tcase_add_test(random, test_parts_against_counting_every_clock);
    tcase_add_test(random, test_departures_told_ahead_against_counting_every_clock);
    suite_add_tcase(suite, random);
    return run_suite(suite);
}
