#include "sim/host/inbox_tap.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "sim/board/board.h"

void inbox_tap_init(struct inbox_tap *tap, double ticks_per_s)
{
    *tap = (struct inbox_tap){.ticks_per_s = ticks_per_s};
    fifo_tap_init(&tap->tap, 0);
}

void inbox_tap_destroy(struct inbox_tap *tap)
{
    fifo_tap_destroy(&tap->tap);
    free(tap->begins);
    free(tap->arrivals);
}

static int64_t clock_at(const struct inbox_tap *t, double time_s)
{
    return board_clock_at((int64_t)(time_s * t->ticks_per_s + 0.5));
}

static bool tell(struct inbox_tap *t, double arrived_s, double begin_s)
{
    int64_t arrived = clock_at(t, arrived_s);
    return fifo_tap_element(&t->tap, arrived, later(clock_at(t, begin_s), arrived));
}

/* --- begins that lie ahead -------------------------------------------------------------------------------- */

static void swap(double *a, double *b)
{
    double value = *a;
    *a = *b;
    *b = value;
}

static void push_begin(struct inbox_tap *t, double begin_s)
{
    size_t at = t->count;
    t->begins[at] = begin_s;
    for (; at > 0 && t->begins[at] < t->begins[(at - 1) / 2]; at = (at - 1) / 2)
        swap(&t->begins[at], &t->begins[(at - 1) / 2]);
}

/* `last` is the index of the last begin. */
static double pop_begin(struct inbox_tap *t, size_t last)
{
    double least = t->begins[0];
    t->begins[0] = t->begins[last];
    for (size_t at = 0, child; (child = 2 * at + 1) < last; at = child) {
        child += child + 1 < last && t->begins[child + 1] < t->begins[child];
        if (t->begins[at] <= t->begins[child])
            break;
        swap(&t->begins[at], &t->begins[child]);
    }
    return least;
}

/* Make the ring larger; its elements move to its beginning. */
static bool grow_ring(struct inbox_tap *t)
{
    size_t room = t->arrival_room ? 2 * t->arrival_room : 64;
    double *ring = malloc(room * sizeof *ring);
    if (!ring)
        return false;
    for (size_t i = 0; i < t->count; i++)
        ring[i] = t->arrivals[(t->arrival_first + i) % t->arrival_room];
    free(t->arrivals);
    t->arrivals = ring;
    t->arrival_room = room;
    t->arrival_first = 0;
    return true;
}

static bool push(struct inbox_tap *t, double arrived_s, double begin_s)
{
    if (!array_reserve(&t->begins, &t->begin_room, t->count, 1, sizeof *t->begins) ||
        (t->count == t->arrival_room && !grow_ring(t)))
        return false;
    push_begin(t, begin_s);
    t->arrivals[(t->arrival_first + t->count) % t->arrival_room] = arrived_s;
    t->count++;
    return true;
}

static bool settle(struct inbox_tap *t, double now_s)
{
    bool told = true;
    while (told && t->count > 0 && t->begins[0] <= now_s) {
        double arrived_s = t->arrivals[t->arrival_first];
        t->arrival_first = (t->arrival_first + 1) % t->arrival_room;
        t->count--;
        told = tell(t, arrived_s, pop_begin(t, t->count));
    }
    return told;
}

bool inbox_tap_element(struct inbox_tap *t, double arrived_s, double begin_s, double now_s)
{
    if (t->count > 0 && !settle(t, now_s))
        return false;
    return t->count == 0 && begin_s <= now_s ? tell(t, arrived_s, begin_s) : push(t, arrived_s, begin_s);
}

const struct fifo_measure *inbox_tap_close(struct inbox_tap *t, double end_s)
{
    return settle(t, INFINITY) ? fifo_tap_close(&t->tap, clock_at(t, end_s) + 1) : NULL;
}
