#include "traces/fifo_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void fifo_tap_init(struct fifo_tap *tap, uint64_t places, uint64_t back_pressure_at, bool ignores_arrivals)
{
    *tap = (struct fifo_tap){.measure = fifo_measure_none(places),
                             .back_pressure_at = back_pressure_at,
                             .back_pressure_delay = ignores_arrivals};
}

void fifo_tap_destroy(struct fifo_tap *tap)
{
    free(tap->departures);
    tap->departures = NULL;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Occupancy was `inside` from the last event up to, not including, `clock`. */
static void hold(struct fifo_tap *tap, int64_t clock)
{
    struct fifo_measure *m = &tap->measure;
    uint64_t clocks = (uint64_t)(clock - tap->clock), bin = tap->inside / m->bin_width;
    *(bin < FIFO_BINS ? &m->bins[bin] : &m->overflow) += clocks;
    m->integral += clocks * tap->inside;
    if (clocks > 0 && tap->inside > m->most)
        m->most = tap->inside;
    tap->clock = clock;
}

static void depart_until(struct fifo_tap *tap, int64_t clock)
{
    for (; tap->inside > 0 && tap->departures[tap->first] <= clock; tap->first++, tap->inside--)
        hold(tap, tap->departures[tap->first]);
}

/* Make room for one more departure after those of the elements inside and of the earlier ones that back_pressure_clocks()
 * looks back to. */
static bool make_room(struct fifo_tap *tap)
{
    if (tap->first + tap->inside < tap->room)
        return true;
    size_t kept = tap->back_pressure_at < tap->first ? (size_t)tap->back_pressure_at : tap->first;
    if (kept + tap->inside > 0)
        memmove(tap->departures, tap->departures + tap->first - kept,
                (kept + tap->inside) * sizeof *tap->departures);
    tap->first = kept;
    if (2 * (kept + tap->inside) < tap->room)
        return true;
    size_t room = 4 * (kept + tap->inside) + 64;
    int64_t *moved = realloc(tap->departures, room * sizeof *moved);
    if (!moved)
        return false;
    tap->departures = moved;
    tap->room = room;
    return true;
}

/* Clocks of back-pressure that an arrival adds. Number the elements; once element k is there, back-pressure is asserted as
 * long as exactly k - back_pressure_at + 1 of them are gone: until one more goes. So every arrival has an interval of its
 * own, from itself (and from the departure before) to that departure; it is empty where that departure came sooner.
 *
 * @param end  index of the arrival's departure
 */
static uint64_t back_pressure_clocks(const struct fifo_tap *tap, int64_t arrival, size_t end)
{
    if (tap->back_pressure_at == 0 || tap->back_pressure_at > end + 1)
        return 0; /* the first elements have no such departure to wait for */
    const int64_t *departure = &tap->departures[end + 1 - tap->back_pressure_at];
    int64_t begin = arrival + tap->back_pressure_delay;
    if (departure > tap->departures)
        begin = later(begin, departure[-1]);
    return (uint64_t)later(*departure - begin, 0);
}

bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure)
{
    assert(arrival >= tap->clock && departure >= arrival);
    depart_until(tap, arrival);
    hold(tap, arrival);
    if (!make_room(tap))
        return false;
    size_t end = tap->first + tap->inside++;
    tap->departures[end] = departure;
    tap->measure.elements++;
    tap->measure.sojourn_clocks += (uint64_t)(departure - arrival);
    tap->measure.back_pressure_clocks += back_pressure_clocks(tap, arrival, end);
    return true;
}

const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end)
{
    depart_until(tap, end);
    hold(tap, end);
    tap->measure.clocks = (uint64_t)end;
    if (tap->back_pressure_at == 0)
        tap->measure.back_pressure_clocks = tap->measure.clocks;
    return &tap->measure;
}
