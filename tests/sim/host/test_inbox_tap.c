/* test_inbox_tap.c - the inbox's tap, told in the order in which cores take batches, against counting every
 * clock. */
#include "sim/host/inbox_tap.h"

#include <check.h>

#include "sim/board/board.h"
#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"
#include "tests/traces/count_clocks.h"

enum { HSPS = 8000, CASES = 40 };

#define CLOCK_HZ 1e6

struct queue {
    double arrivals_s[HSPS], begins_s[HSPS];
    int64_t arrivals[HSPS], departures[HSPS];
    size_t count, come, taken;
    double now_s;
};

static double random_s(struct dice *dice, double most_s)
{
    return most_s * (double)dice_below(dice, 1u << 20) / (double)(1u << 20);
}

/* A core takes a batch at the present time; often there is a pause after it, so that all that waits is taken. */
static void take_batch(struct queue *q, struct inbox_tap *tap, struct dice *dice)
{
    const double work_s = random_s(dice, 5e-6);
    size_t most = dice_between(dice, 1, 16);
    for (; q->come < q->count && q->arrivals_s[q->come] <= q->now_s; q->come++)
        inbox_times_add(&tap->arrivals, q->arrivals_s[q->come]);
    inbox_tap_run(tap, q->now_s);
    for (double at_s = q->now_s; most > 0 && q->taken < q->come; most--, at_s += work_s, q->taken++) {
        q->begins_s[q->taken] = at_s;
        inbox_times_add(&tap->begins, at_s);
    }
    q->now_s += random_s(dice, dice_chance(dice, 50) ? 1e-6 : 20e-6);
    if (q->taken == q->come && q->come < q->count && q->arrivals_s[q->come] > q->now_s)
        q->now_s = q->arrivals_s[q->come];
}

static void assert_same(struct queue *q, struct inbox_tap *tap)
{
    for (size_t i = 0; i < q->count; i++) {
        q->arrivals[i] = board_clock_after(q->arrivals_s[i] * CLOCK_HZ);
        q->departures[i] = board_clock_after(q->begins_s[i] * CLOCK_HZ);
    }
    int64_t last = 0;
    for (size_t i = 0; i < q->count; i++)
        last = q->departures[i] > last ? q->departures[i] : last;
    const double end_s = (double)(last + 3) / CLOCK_HZ;
    const struct fifo_measure *measure = inbox_tap_close(tap, end_s);
    ck_assert_ptr_nonnull(measure);
    ck_assert(fifo_measure_is_consistent(measure));
    const struct fifo_measure counted =
        count_clocks(q->arrivals, q->departures, q->count, board_clock_after(end_s * CLOCK_HZ) + 1);
    ck_assert_mem_eq(measure, &counted, sizeof *measure);
}

START_TEST(test_batches_against_counting_every_clock)
{
    static struct queue q;
    for (int n = 0; n < tests_some(CASES); n++) {
        struct dice dice = {(uint64_t)n};
        struct inbox_tap tap;
        const double pause_s = random_s(&dice, 4e-6);
        q = (struct queue){.count = dice_between(&dice, 1, HSPS)};
        inbox_tap_init(&tap, CLOCK_HZ);
        for (size_t i = 0; i < q.count; i++)
            q.arrivals_s[i] =
                (i > 0 ? q.arrivals_s[i - 1] : 0) + (dice_chance(&dice, 10) ? 0 : random_s(&dice, pause_s));
        for (int step = 0; q.taken < q.count; step++) {
            ck_assert_int_lt(step, 100 * HSPS);
            take_batch(&q, &tap, &dice);
        }
        assert_same(&q, &tap);
        inbox_tap_destroy(&tap);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inbox_tap");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_batches_against_counting_every_clock);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
