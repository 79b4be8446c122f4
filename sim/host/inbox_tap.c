#include "sim/host/inbox_tap.h"

#include <stdlib.h>

#include "sim/board/board.h"

void inbox_tap_init(struct inbox_tap *tap, double clock_hz)
{
    *tap = (struct inbox_tap){.clock_hz = clock_hz};
    queue_tap_init(&tap->tap, 0, false);
}

void inbox_tap_destroy(struct inbox_tap *tap)
{
    queue_tap_destroy(&tap->tap);
    free(tap->arrivals.times_s);
    free(tap->begins.times_s);
    free(tap->clocks);
}

/* Find the clocks of times. Rounding lets nothing happen in a clock that is over. */
static void find_clocks(const struct inbox_tap *t, const struct inbox_times *times, int64_t *clocks)
{
    for (size_t i = 0; i < times->count; i++)
        clocks[i] = later(board_clock_after(times->times_s[i] * t->clock_hz), t->tap.clock);
}

static void run(struct inbox_tap *t, int64_t end)
{
    array_reserve(&t->clocks, &t->clock_room, 0, t->arrivals.count + t->begins.count, sizeof *t->clocks);
    int64_t *begins = t->clocks + t->arrivals.count;
    find_clocks(t, &t->arrivals, t->clocks);
    find_clocks(t, &t->begins, begins);
    queue_tap_add(&t->tap, t->clocks, t->arrivals.count, begins, t->begins.count);
    queue_tap_run(&t->tap, end);
    inbox_tap_forget(t);
}

void inbox_tap_run(struct inbox_tap *t, double now_s)
{
    if (inbox_tap_is_full(t))
        run(t, later(board_clock_after(now_s * t->clock_hz), t->tap.clock));
}

const struct fifo_measure *inbox_tap_close(struct inbox_tap *t, double end_s)
{
    int64_t end = later(board_clock_after(end_s * t->clock_hz), t->tap.clock) + 1;
    run(t, end);
    return &t->tap.measure;
}
