#include "traces/fifo_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void fifo_tap_init(struct fifo_tap *tap, uint64_t places)
{
    *tap = (struct fifo_tap){.measure = fifo_measure_none(places)};
}

void fifo_tap_destroy(struct fifo_tap *tap)
{
    free(tap->departures);
    tap->departures = NULL;
}

/* Occupancy was `inside` from the last event up to, not including, `clock`. */
static void hold(struct fifo_tap *tap, int64_t clock)
{
    struct fifo_measure *m = &tap->measure;
    if (clock == tap->clock)
        return;
    uint64_t clocks = (uint64_t)(clock - tap->clock);
    uint64_t bin = m->bin_width == 1 ? tap->inside : tap->inside / m->bin_width; /* a division takes long */
    *(bin < FIFO_BINS ? &m->bins[bin] : &m->overflow) += clocks;
    m->integral += (wide_uint)clocks * tap->inside;
    if (m->places > 0 && tap->inside >= m->places)
        m->back_pressure_clocks += clocks;
    if (tap->inside > m->most)
        m->most = tap->inside;
    tap->clock = clock;
}

static void depart_until(struct fifo_tap *tap, int64_t clock)
{
    for (; tap->inside > 0 && tap->departures[tap->first] <= clock; tap->first++, tap->inside--)
        hold(tap, tap->departures[tap->first]);
}

/* Make room for the departure of one more element. */
static bool make_room(struct fifo_tap *tap)
{
    if (tap->first + tap->inside < tap->room)
        return true;
    if (tap->inside > 0)
        memmove(tap->departures, tap->departures + tap->first, tap->inside * sizeof *tap->departures);
    tap->first = 0;
    return 2 * tap->inside < tap->room ||
           array_reserve(&tap->departures, &tap->room, tap->inside, tap->inside + 1, sizeof *tap->departures);
}

bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure)
{
    assert(arrival >= tap->clock && departure >= arrival);
    if (departure == arrival) { /* all before it have left by then, too */
        fifo_tap_pass(tap);
        return true;
    }
    depart_until(tap, arrival);
    hold(tap, arrival);
    if (!make_room(tap))
        return false;
    tap->departures[tap->first + tap->inside++] = departure;
    tap->measure.elements++;
    tap->measure.sojourn_clocks += (uint64_t)(departure - arrival);
    return true;
}

const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end)
{
    depart_until(tap, end);
    hold(tap, end);
    tap->measure.clocks = (uint64_t)end;
    return &tap->measure;
}
