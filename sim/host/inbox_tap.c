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

/* Take out the times whose clocks lie before clock `end`. Rounding lets nothing happen in a clock that is over.
 * @param clocks  out: their clocks @return their number */
static size_t take_times(struct inbox_tap *t, struct inbox_times *times, int64_t end, int64_t *clocks)
{
    const int64_t begin = t->tap.clock;
    size_t taken = 0, kept = 0;
    for (size_t i = 0; i < times->count; i++)
        clocks[i] = board_clock_after(times->times_s[i] * t->clock_hz);
    for (; taken < times->count && clocks[taken] < end; taken++) /* almost all */
        clocks[taken] = later(clocks[taken], begin);
    for (size_t i = taken; i < times->count; i++) {
        const int64_t clock = later(clocks[i], begin);
        const bool is_over = clock < end;
        clocks[taken] = clock;
        times->times_s[kept] = times->times_s[i];
        taken += is_over;
        kept += !is_over;
    }
    times->count = kept;
    return taken;
}

static void run(struct inbox_tap *t, int64_t end)
{
    array_reserve(&t->clocks, &t->clock_room, 0, t->arrivals.count + t->begins.count, sizeof *t->clocks);
    int64_t *begins = t->clocks + t->arrivals.count;
    size_t arrived = take_times(t, &t->arrivals, end, t->clocks);
    size_t begun = take_times(t, &t->begins, end, begins);
    queue_tap_take(&t->tap, t->clocks, arrived, begins, begun, end);
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
