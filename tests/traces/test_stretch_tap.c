/* test_stretch_tap.c - stretches told in any order against the tap that is fed with elements, of queues that become
 * deep and shallow again. */
#include "traces/stretch_tap.h"

#include <check.h>
#include <stdlib.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"
#include "traces/fifo_tap.h"
#include "traces/list_tap.h"

enum { ELEMENTS = 6000, CASES = 60 };

struct elements {
    int64_t arrivals[ELEMENTS], departures[ELEMENTS]; /* in order */
    size_t count;
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
    list_tap_sort(e->departures, e->departures, e->count);
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

START_TEST(test_against_a_tap_fed_with_elements)
{
    static struct elements e;
    static int64_t arrivals[ELEMENTS], departures[ELEMENTS];
    for (int n = 0; n < TESTS_SOME(CASES); n++) {
        struct dice dice = {(uint64_t)n};
        struct stretch_tap tap;
        struct fifo_tap fed;
        size_t arrived = 0, departed = 0;
        random_elements(&e, &dice);
        const int64_t end = e.departures[e.count - 1] + 5;
        stretch_tap_init(&tap);
        for (int64_t clock = 0; clock < end;) {
            clock += (int64_t)dice_between(&dice, 0, 2000);
            clock = clock < end ? clock : end;
            const size_t comes = take(arrivals, e.arrivals, arrived, e.count, clock, &dice);
            const size_t goes = take(departures, e.departures, departed, e.count, clock, &dice);
            stretch_tap_take(&tap, arrivals, comes, departures, goes, clock);
            arrived += comes;
            departed += goes;
            ck_assert_uint_eq(tap.inside, arrived - departed);
        }
        fifo_tap_init(&fed, 0);
        for (size_t i = 0; i < e.count; i++)
            ck_assert(fifo_tap_element(&fed, e.arrivals[i], e.departures[i]));
        ck_assert(fifo_measure_is_consistent(&tap.measure));
        ck_assert_mem_eq(&tap.measure, fifo_tap_close(&fed, end), sizeof tap.measure);
        fifo_tap_destroy(&fed);
    }
}
END_TEST

/* Sums of clocks of the host's last years do not fit in 64 bits: HSP i comes in clock LATE + i, and i < LEFT leave two
 * clocks later. The others are inside up to the end, whose clock is LATE + CAME. */
START_TEST(test_large_clocks)
{
    enum { CAME = 600, LEFT = 500 };
    const int64_t late = INT64_C(1) << 61;
    int64_t arrivals[CAME], departures[LEFT];
    struct stretch_tap tap;
    uint64_t integral = 2 * LEFT;
    for (int i = 0; i < CAME; i++)
        arrivals[i] = late + i;
    for (int i = 0; i < LEFT; i++)
        departures[i] = late + i + 2;
    for (int i = LEFT; i < CAME; i++)
        integral += (uint64_t)(CAME - i);
    stretch_tap_init(&tap);
    stretch_tap_take(&tap, arrivals, CAME, departures, LEFT, late + CAME);
    ck_assert(tap.measure.integral == integral);
    ck_assert_uint_eq(tap.inside, CAME - LEFT);
    ck_assert_uint_eq(tap.measure.most, CAME - LEFT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stretch_tap");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_against_a_tap_fed_with_elements);
    tcase_add_test(core, test_large_clocks);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
