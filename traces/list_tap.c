#include "traces/list_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "traces/statistics/moments.h"

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

/* Make room for occupancies up to one, and let the last stretch have those from `least` on. */
static bool reach(struct list_tap *t, size_t least, size_t most)
{
    while (t->room <= most)
        if (!make_room(t))
            return false;
    t->least = least < t->least ? least : t->least;
    t->most = most > t->most ? most : t->most;
    return true;
}

/* Number of events in a part of a list before a clock. */
static size_t count_before(const int64_t *clocks, const int64_t *clocks_end, int64_t clock)
{
    size_t low = 0, high = (size_t)(clocks_end - clocks);
    if (high == 0 || clocks[high - 1] < clock)
        return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (clocks[middle] < clock)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Events that have not happened, between those from the begin of a stretch on and those up to its end, which have. */
struct events_between {
    const int64_t *in, *in_end, *out, *out_end;
    int64_t clock, clock_end;  /* of the last event before them, and of the first after them */
    size_t inside, inside_end; /* occupancy from `clock` on, and up to `clock_end` */
};

/* Let the first and the last of them happen, each time by turns, without a branch that depends on which it is: it could
 * not be predicted. Which is next is known late; the two ends do not wait for each other. */
static void walk_ends(struct events_between *between, size_t events, uint64_t *clocks)
{
    struct events_between b = *between;
    for (size_t i = 0; i < events; i++) {
        const int64_t arrival = *b.in, departure = *b.out;
        const size_t comes = arrival <= departure;
        const int64_t first = arrival < departure ? arrival : departure;
        clocks[b.inside] += (uint64_t)(first - b.clock);
        b.clock = first;
        b.in += comes;
        b.out += 1 - comes;
        b.inside += 2 * comes - 1;
        const int64_t last_arrival = b.in_end[-1], last_departure = b.out_end[-1];
        const size_t leaves = last_arrival <= last_departure;
        const int64_t last = last_arrival > last_departure ? last_arrival : last_departure;
        clocks[b.inside_end] += (uint64_t)(b.clock_end - last);
        b.clock_end = last;
        b.in_end -= 1 - leaves;
        b.out_end -= leaves;
        b.inside_end += 2 * leaves - 1;
    }
    *between = b;
}

/* Let the first of them happen. */
static bool walk_first(struct list_tap *t, struct events_between *b)
{
    const bool comes = b->out == b->out_end || (b->in < b->in_end && *b->in <= *b->out);
    const int64_t first = comes ? *b->in++ : *b->out++;
    if (!reach(t, b->inside, b->inside))
        return false;
    t->clocks[b->inside] += (uint64_t)(first - b->clock);
    b->clock = first;
    b->inside += comes ? 1 : (size_t)-1;
    return true;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Let all events before `end` happen. */
static bool walk(struct list_tap *t, int64_t end)
{
    enum { MANY = 64 }; /* events, after which there must be room for as many more elements */
    const size_t arrived = count_before(t->arrivals, t->arrivals_end, end),
                 departed = count_before(t->departures, t->departures_end, end);
    struct events_between b = {t->arrivals, t->arrivals, t->departures, t->departures,
                               t->clock,    end,         t->inside,     t->inside + arrived - departed};
    if (arrived > 0)
        b.in_end += arrived;
    if (departed > 0)
        b.out_end += departed;
    t->least = t->most = b.inside_end;
    for (size_t few;
         (few = least_of(least_of((size_t)(b.in_end - b.in), (size_t)(b.out_end - b.out)) / 2, MANY)) > 0;) {
        const size_t least = least_of(b.inside, b.inside_end), most = b.inside + b.inside_end - least;
        if (!reach(t, least - least_of(least, few), most + few))
            return false;
        walk_ends(&b, few, t->clocks);
    }
    while (b.in < b.in_end || b.out < b.out_end)
        if (!walk_first(t, &b))
            return false;
    if (!reach(t, b.inside, b.inside))
        return false;
    t->clocks[b.inside] += (uint64_t)(b.clock_end - b.clock);
    t->arrivals = arrived > 0 ? t->arrivals + arrived : t->arrivals;
    t->departures = departed > 0 ? t->departures + departed : t->departures;
    t->inside += arrived - departed;
    t->clock = end;
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
