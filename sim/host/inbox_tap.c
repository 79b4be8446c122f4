#include "sim/host/inbox_tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/board/board.h"

void inbox_tap_init(struct inbox_tap *tap, double clock_hz)
{
    *tap = (struct inbox_tap){.clock_hz = clock_hz};
    fifo_tap_init(&tap->tap, 0);
    fifo_tap_lend(&tap->tap, &tap->memory);
}

void inbox_tap_destroy(struct inbox_tap *tap)
{
    fifo_tap_destroy(&tap->tap);
    scratch_destroy(&tap->memory);
    free(tap->begins);
    free(tap->arrivals);
}

static int64_t clock_at(const struct inbox_tap *t, double time_s)
{
    return board_clock_after(time_s * t->clock_hz);
}

static bool tell(struct inbox_tap *t, double arrived_s, double begin_s)
{
    int64_t arrived = clock_at(t, arrived_s);
    return fifo_tap_element(&t->tap, arrived, later(clock_at(t, begin_s), arrived));
}

/* --- begins that lie ahead -------------------------------------------------------------------------------- */

/* Make room for one more HSP; those that are left move to the beginning, if that frees at least half. */
static bool make_room(struct inbox_tap *t)
{
    if (t->first >= t->count + 64) {
        memmove(t->begins, t->begins + t->first, t->count * sizeof *t->begins);
        memmove(t->arrivals, t->arrivals + t->first, t->count * sizeof *t->arrivals);
        t->first = 0;
    }
    size_t end = t->first + t->count;
    return array_reserve(&t->begins, &t->begin_room, end, 1, sizeof *t->begins) &&
           array_reserve(&t->arrivals, &t->arrival_room, end, 1, sizeof *t->arrivals);
}

/* Begins are almost in order: a core begins the HSPs of a batch while others begin theirs. */
static bool push(struct inbox_tap *t, double arrived_s, double begin_s)
{
    if (!make_room(t))
        return false;
    size_t at = t->first + t->count++;
    t->arrivals[at] = arrived_s;
    for (; at > t->first && t->begins[at - 1] > begin_s; at--)
        t->begins[at] = t->begins[at - 1];
    t->begins[at] = begin_s;
    return true;
}

static bool settle(struct inbox_tap *t, double now_s)
{
    bool told = true;
    for (; told && t->count > 0 && t->begins[t->first] <= now_s; t->first++, t->count--)
        told = tell(t, t->arrivals[t->first], t->begins[t->first]);
    return told;
}

bool inbox_tap_element(struct inbox_tap *t, double arrived_s, double begin_s, double now_s)
{
    if (t->count > 0 && !settle(t, now_s))
        return false;
    if (begin_s == arrived_s && t->count == 0) { /* in the same clock, whichever this is */
        fifo_tap_pass(&t->tap);
        return true;
    }
    return t->count == 0 && begin_s <= now_s ? tell(t, arrived_s, begin_s) : push(t, arrived_s, begin_s);
}

const struct fifo_measure *inbox_tap_close(struct inbox_tap *t, double end_s)
{
    return settle(t, INFINITY) ? fifo_tap_close(&t->tap, clock_at(t, end_s) + 1) : NULL;
}
