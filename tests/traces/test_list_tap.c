/* test_list_tap.c - lists of clocks, in stretches, against the tap that is fed with elements, and against counting. */
#include "traces/list_tap.h"

#include <check.h>
#include <string.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"
#include "traces/fifo_tap.h"

enum { ELEMENTS = 200, CASES = 200 };

struct elements {
    int64_t arrivals[ELEMENTS], departures[ELEMENTS], sorted[ELEMENTS];
    size_t count;
    int64_t end;
};

/* Elements that come together, stay for 0 clocks, or leave in another order than they came, included. */
static void random_elements(struct elements *e, struct dice *dice)
{
    int64_t arrival = 0;
    uint64_t pause = dice_between(dice, 1, 9), stay = dice_between(dice, 1, 100);
    e->count = dice_below(dice, ELEMENTS + 1);
    e->end = 1;
    for (size_t i = 0; i < e->count; i++) {
        arrival += (int64_t)dice_below(dice, pause);
        e->arrivals[i] = arrival;
        e->departures[i] = arrival + (int64_t)dice_below(dice, stay);
        e->end = e->departures[i] >= e->end ? e->departures[i] + 1 : e->end;
    }
    list_tap_sort(e->sorted, e->departures, e->count);
}

static uint64_t count_inside(const struct elements *e, int64_t clock)
{
    uint64_t inside = 0;
    for (size_t i = 0; i < e->count; i++)
        inside += e->arrivals[i] <= clock && e->departures[i] > clock;
    return inside;
}

START_TEST(test_stretches_against_counting_every_clock)
{
    for (int n = 0; n < CASES; n++) {
        struct dice dice = {(uint64_t)n};
        struct elements e;
        struct list_tap tap;
        uint64_t lent[ELEMENTS + 1]; /* which no tap has cleared */
        random_elements(&e, &dice);
        list_tap_init(&tap);
        memset(lent, 0xff, sizeof lent);
        if (n % 2 == 1)
            list_tap_lend(&tap, lent, e.count + 1);
        list_tap_part(&tap, e.arrivals, e.count, e.sorted, e.count);
        for (int64_t begin = 0, end; begin < e.end; begin = end) {
            uint64_t clocks[ELEMENTS + 1] = {0};
            end = begin + (int64_t)dice_between(&dice, 1, 300);
            end = end < e.end ? end : e.end;
            for (int64_t t = begin; t < end; t++)
                clocks[count_inside(&e, t)]++;
            ck_assert(list_tap_run(&tap, end));
            for (size_t inside = 0; inside <= e.count; inside++)
                ck_assert_uint_eq(clocks[inside], inside < tap.room ? tap.clocks[inside] : 0);
            for (size_t inside = 0; inside <= e.count; inside++)
                ck_assert(clocks[inside] == 0 || (tap.least <= inside && inside <= tap.most));
        }
        list_tap_destroy(&tap);
    }
}
END_TEST

START_TEST(test_the_measure_is_that_of_a_tap_fed_with_elements)
{
    for (int n = 0; n < CASES; n++) {
        struct dice dice = {(uint64_t)n};
        struct elements e;
        struct list_tap tap;
        struct fifo_tap fed;
        random_elements(&e, &dice);
        list_tap_init(&tap);
        list_tap_part(&tap, e.arrivals, e.count, e.sorted, e.count);
        fifo_tap_init(&fed, 0);
        for (size_t i = 0; i < e.count; i++)
            ck_assert(fifo_tap_element(&fed, e.arrivals[i], e.sorted[i]));
        ck_assert(list_tap_run(&tap, e.end / 2));
        ck_assert(list_tap_close(&tap, e.end));
        ck_assert(fifo_measure_is_consistent(&tap.measure));
        ck_assert_mem_eq(&tap.measure, fifo_tap_close(&fed, e.end), sizeof tap.measure);
        list_tap_destroy(&tap);
        fifo_tap_destroy(&fed);
    }
}
END_TEST

/* Number of clocks in a list before a clock. */
static size_t count_before(const int64_t *clocks, size_t count, int64_t clock)
{
    size_t before = 0;
    while (before < count && clocks[before] < clock)
        before++;
    return before;
}

START_TEST(test_parts_are_as_the_whole)
{
    for (int n = 0; n < CASES; n++) {
        struct dice dice = {(uint64_t)n};
        struct elements e;
        struct list_tap whole, parts;
        size_t arrived = 0, departed = 0;
        random_elements(&e, &dice);
        list_tap_init(&whole);
        list_tap_part(&whole, e.arrivals, e.count, e.sorted, e.count);
        ck_assert(list_tap_close(&whole, e.end));
        list_tap_init(&parts);
        for (int64_t end = 0; end < e.end;) {
            end += (int64_t)dice_between(&dice, 1, 300);
            end = end < e.end ? end : e.end;
            size_t comes = count_before(e.arrivals, e.count, end) - arrived;
            size_t goes = count_before(e.sorted, e.count, end) - departed;
            list_tap_part(&parts, e.arrivals + arrived, comes, e.sorted + departed, goes);
            ck_assert(list_tap_run(&parts, end));
            arrived += comes;
            departed += goes;
        }
        ck_assert(list_tap_close(&parts, e.end));
        ck_assert_mem_eq(&whole.measure, &parts.measure, sizeof whole.measure);
        list_tap_destroy(&whole);
        list_tap_destroy(&parts);
    }
}
END_TEST

START_TEST(test_a_deep_queue_is_overflow)
{
    enum { DEEP = FIFO_BINS + 1000 };
    static int64_t arrivals[DEEP], departures[DEEP]; /* all come in clock 3 and leave in clock 7 */
    struct list_tap tap;
    for (size_t i = 0; i < DEEP; i++) {
        arrivals[i] = 3;
        departures[i] = 7;
    }
    list_tap_init(&tap);
    list_tap_part(&tap, arrivals, DEEP, departures, DEEP);
    ck_assert(list_tap_close(&tap, 10));
    ck_assert_uint_eq(tap.measure.overflow, 4);
    ck_assert_uint_eq(tap.measure.bins[0], 6);
    ck_assert_uint_eq(tap.measure.most, DEEP);
    ck_assert_uint_eq(tap.measure.integral, 4 * DEEP);
    ck_assert(fifo_measure_is_consistent(&tap.measure));
    list_tap_destroy(&tap);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("list_tap");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_stretches_against_counting_every_clock);
    tcase_add_test(core, test_the_measure_is_that_of_a_tap_fed_with_elements);
    tcase_add_test(core, test_parts_are_as_the_whole);
    tcase_add_test(core, test_a_deep_queue_is_overflow);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
