#include "traces/queue_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/order.h"

void queue_tap_init(struct queue_tap *t, uint64_t places, bool counts_each)
{
    *t = (struct queue_tap){.measure = fifo_measure_none(places), .counts_each = counts_each || places > 0};
}

void queue_tap_destroy(struct queue_tap *t)
{
    free(t->clocks);
    free(t->arrivals.clocks);
    free(t->departures.clocks);
    *t = (struct queue_tap){.measure = t->measure};
}

enum { EACH_MOST = 512 }; /* times whose sum surely has 64 bits */

/* The sum of the times from clocks to the end of a stretch. */
static wide_uint sum_to(int64_t end, const int64_t *clocks, size_t count)
{
    wide_uint sum = 0;
    for (size_t part; count > 0; count -= part, clocks += part) {
        uint64_t some = 0;
        part = count < EACH_MOST ? count : EACH_MOST;
        for (size_t i = 0; i < part; i++)
            some += (uint64_t)(end - clocks[i]);
        sum += some;
    }
    return sum;
}

/* Clocks that are almost sorted are moved by less than this on average. */
enum { SORT_MOVES = 16 };

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sort clocks that almost are sorted; those of several boards, list after list, are not. */
static void sort(int64_t *clocks, size_t count)
{
    size_t moves = 0;
    for (size_t i = 1; i < count && moves <= SORT_MOVES * count; i++) {
        const int64_t clock = clocks[i];
        size_t at = i;
        for (; at > 0 && clocks[at - 1] > clock; at--)
            clocks[at] = clocks[at - 1];
        clocks[at] = clock;
        moves += i - at;
    }
    if (moves > SORT_MOVES * count)
        qsort(clocks, count, sizeof *clocks, compare);
}

/* After so many events it is noted how far the occupancy may have risen. */
enum { EVENTS_TOGETHER = 64 };

/* Count the clocks at each occupancy that is possible in a stretch; those of the stretch before are cleared. Events of
 * sorted lists happen without a branch that depends on which is next: it could not be predicted. */
static void walk(struct queue_tap *t, const int64_t *in, size_t arrived, const int64_t *out, size_t departed,
                 int64_t end)
{
    const uint64_t least = t->inside > departed ? t->inside - departed : 0;
    const size_t room = t->room;
    array_reserve(&t->clocks, &t->room, 0, (size_t)(t->inside + arrived - least) + 1, sizeof *t->clocks);
    memset(t->clocks, 0, (t->room > room ? t->room : t->count) * sizeof *t->clocks);
    uint64_t *at = t->clocks + (t->inside - least), *most = at;
    int64_t clock = t->clock;
    size_t came = 0, left = 0;
    while (came < arrived && left < departed) {
        const size_t events = MIN(MIN(arrived - came, departed - left), EVENTS_TOGETHER);
        most = MAX(most, at + events);
        for (size_t i = 0; i < events; i++) {
            const int64_t arrival = in[came], departure = out[left],
                          next = arrival < departure ? arrival : departure;
            const size_t comes = arrival <= departure;
            *at += (uint64_t)(next - clock);
            clock = next;
            came += comes;
            left += 1 - comes;
            at += (ptrdiff_t)(2 * comes) - 1;
        }
    }
    for (; came < arrived; clock = in[came++])
        *at++ += (uint64_t)(in[came] - clock);
    most = MAX(most, at);
    for (; left < departed; clock = out[left++])
        *at-- += (uint64_t)(out[left] - clock);
    *at += (uint64_t)(end - clock);
    t->least = least;
    t->count = (size_t)(most - t->clocks) + 1;
}

/* Leave out occupancies at both ends that lasted for no clock, and add the others to the measure. */
static void add_counted(struct queue_tap *t)
{
    struct fifo_measure *m = &t->measure;
    size_t first = 0;
    while (t->count > 0 && t->clocks[t->count - 1] == 0)
        t->count--;
    while (first < t->count && t->clocks[first] == 0)
        first++;
    for (size_t i = first; i < t->count; i++) {
        const uint64_t occupancy = t->least + i, bin = fifo_measure_bin(m, occupancy);
        *(bin < FIFO_BINS ? &m->bins[bin] : &m->overflow) += t->clocks[i];
        m->back_pressure_clocks += m->places > 0 && occupancy >= m->places ? t->clocks[i] : 0;
    }
    if (t->count > 0 && t->least + t->count - 1 > m->most)
        m->most = t->least + t->count - 1;
}

/* Take the next stretch, up to clock `end`, in which elements came and left in clocks that are in order. */
static void take(struct queue_tap *t, const int64_t *arrivals, size_t arrived, const int64_t *departures,
                 size_t departed, int64_t end)
{
    struct fifo_measure *m = &t->measure;
    const uint64_t clocks = (uint64_t)(end - t->clock);
    const wide_uint stayed = sum_to(end, arrivals, arrived) - sum_to(end, departures, departed);
    assert(end >= t->clock && t->inside + arrived >= departed);
    m->elements += arrived;
    m->sojourn_clocks += stayed - (wide_uint)(uint64_t)end * (arrived - (wide_uint)departed);
    m->integral += (wide_uint)t->inside * clocks + stayed;
    const uint64_t bin = fifo_measure_bin(m, t->inside + arrived);
    /* A stretch lies in one bin, and its greatest occupancy is known. */
    if (!t->counts_each && t->inside >= FIFO_SINGLE + departed &&
        bin == fifo_measure_bin(m, t->inside - departed) &&
        ((departed == 0 && arrived > 0) || t->inside + arrived <= m->most)) {
        *(bin < FIFO_BINS ? &m->bins[bin] : &m->overflow) += clocks;
        m->most = t->inside + arrived > m->most ? t->inside + arrived : m->most;
    } else {
        /* Each element of an empty queue leaves it in the clock in which it came. */
        const bool pass = t->inside == 0 && arrived == departed &&
                          (arrived == 0 || memcmp(arrivals, departures, arrived * sizeof *arrivals) == 0);
        walk(t, arrivals, pass ? 0 : arrived, departures, pass ? 0 : departed, end);
        add_counted(t);
    }
    t->inside += arrived - departed;
    t->clock = end;
    m->clocks = (uint64_t)end;
}

/* --- what was told ------------------------------------------------------------------------------------------- */

/* Sort clocks behind a list, and merge those into it that are before its last. */
static void merge(struct clock_list *l, const int64_t *clocks, size_t count)
{
    if (count == 0)
        return;
    if (l->first > l->count) {
        memcpy(l->clocks, l->clocks + l->first, l->count * sizeof *l->clocks);
        l->first = 0;
    }
    array_reserve(&l->clocks, &l->room, l->first + l->count, 2 * count, sizeof *l->clocks);
    int64_t *old = l->clocks + l->first, *own = old + l->count, *early = own + count;
    size_t before = l->count, left = 0;
    memcpy(own, clocks, count * sizeof *clocks);
    sort(own, count);
    if (before > 0 && own[0] < own[-1])
        left = ORDER_FIRST(i, count, own[i] >= own[-1]);
    memcpy(early, own, left * sizeof *own);
    while (left > 0) {
        const bool is_old = before > 0 && old[before - 1] > early[left - 1];
        old[before + left - 1] = is_old ? old[before - 1] : early[left - 1];
        before -= is_old;
        left -= !is_old;
    }
    l->count += count;
}

void queue_tap_add(struct queue_tap *t, const int64_t *arrivals, size_t arrived, const int64_t *departures,
                   size_t departed)
{
    merge(&t->arrivals, arrivals, arrived);
    merge(&t->departures, departures, departed);
}

/* Take the clocks before one out of a list, which stay where they are until the next are merged into it.
 * @return the first of them */
static const int64_t *take_out(struct clock_list *l, int64_t clock, size_t *count)
{
    const int64_t *clocks = l->first > 0 ? l->clocks + l->first : l->clocks; /* NULL if none was told */
    *count = l->count == 0 || clocks[l->count - 1] < clock ? l->count
                                                           : ORDER_FIRST(i, l->count, clocks[i] >= clock);
    l->first += *count;
    l->count -= *count;
    return clocks;
}

/* In short stretches a queue stays deep if it is. */
enum { STRETCH = 512 };

void queue_tap_run(struct queue_tap *t, int64_t clock)
{
    do {
        const struct clock_list *d = &t->departures;
        const bool is_short =
            !t->counts_each && d->count > STRETCH && d->clocks[d->first + STRETCH] > t->clock;
        const int64_t end = is_short ? MIN(d->clocks[d->first + STRETCH], clock) : clock;
        size_t arrived, departed;
        const int64_t *arrivals = take_out(&t->arrivals, end, &arrived);
        const int64_t *departures = take_out(&t->departures, end, &departed);
        take(t, arrivals, arrived, departures, departed, end);
    } while (t->clock < clock);
}
