#include "traces/list_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "traces/moments.h"

void list_tap_init(struct list_tap *t)
{
    *t = (struct list_tap){.measure = fifo_measure_none(0)};
}

void list_tap_lend(struct list_tap *t, uint64_t *memory, size_t clocks)
{
    assert(!t->clocks && clocks > 0);
    t->clocks = memory;
    t->lent = clocks;
}

void list_tap_part(struct list_tap *t, const int64_t *arrivals, size_t arrived, const int64_t *departures,
                   size_t departed)
{
    assert(t->arrivals == t->arrivals_end && t->departures == t->departures_end);
    t->arrivals = arrivals; /* an empty list may be NULL */
    t->arrivals_end = arrived > 0 ? arrivals + arrived : arrivals;
    t->departures = departures;
    t->departures_end = departed > 0 ? departures + departed : departures;
    t->measure.elements += arrived;
    for (size_t i = 0; i < arrived; i++)
        t->measure.sojourn_clocks -= (uint64_t)arrivals[i];
    for (size_t i = 0; i < departed; i++)
        t->measure.sojourn_clocks += (uint64_t)departures[i];
}

void list_tap_destroy(struct list_tap *t)
{
    if (t->lent == 0)
        free(t->clocks);
    t->clocks = NULL;
}

/* Make room for one more element inside. */
static bool make_room(struct list_tap *t)
{
    const size_t before = t->room, larger = before + before / 2 + 64;
    assert(t->lent == 0 || before < t->lent);
    if (t->lent > 0)
        t->room = larger < t->lent ? larger : t->lent;
    else if (!array_reserve(&t->clocks, &t->room, before, 1, sizeof *t->clocks))
        return false;
    memset(t->clocks + before, 0, (t->room - before) * sizeof *t->clocks);
    return true;
}

/* Let all events before `end` happen, without a branch that depends on which is next: it could not be predicted. */
static bool walk(struct list_tap *t, int64_t end)
{
    const int64_t *in = t->arrivals, *out = t->departures;
    size_t inside = t->inside, least = inside, most = inside;
    int64_t clock = t->clock;
    for (;;) {
        int64_t arrival = in < t->arrivals_end ? *in : INT64_MAX;
        int64_t departure = out < t->departures_end ? *out : INT64_MAX;
        bool comes = arrival <= departure;
        int64_t next = comes ? arrival : departure;
        if (inside == t->room && !make_room(t))
            return false;
        if (next >= end)
            break;
        t->clocks[inside] += (uint64_t)(next - clock);
        clock = next;
        in += comes;
        out += !comes;
        inside = comes ? inside + 1 : inside - 1;
        least = inside < least ? inside : least;
        most = inside > most ? inside : most;
    }
    t->clocks[inside] += (uint64_t)(end - clock);
    t->arrivals = in;
    t->departures = out;
    t->inside = inside;
    t->clock = end;
    t->least = least;
    t->most = most;
    return true;
}

bool list_tap_run(struct list_tap *t, int64_t clock)
{
    struct fifo_measure *m = &t->measure;
    if (t->room > 0)
        memset(t->clocks + t->least, 0, (t->most - t->least + 1) * sizeof *t->clocks);
    if (!walk(t, clock))
        return false;
    struct moments stretch = {0};
    uint64_t in_bins = 0;
    moments_add_run(&stretch, t->least, t->clocks + t->least, t->most - t->least + 1);
    for (size_t inside = t->least; inside <= t->most && inside < FIFO_BINS; inside++) {
        m->bins[inside] += t->clocks[inside];
        in_bins += t->clocks[inside];
    }
    m->overflow += stretch.weight - in_bins;
    m->integral += stretch.sum;
    m->most = stretch.most > m->most ? stretch.most : m->most;
    return true;
}

bool list_tap_close(struct list_tap *t, int64_t end)
{
    t->measure.clocks = (uint64_t)end;
    return list_tap_run(t, end);
}

void list_tap_sort(int64_t *sorted, const int64_t *clocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t clock = clocks[i];
        size_t at = i;
        for (; at > 0 && sorted[at - 1] > clock; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = clock;
    }
}
