#include "traces/fifo_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void fifo_tap_init(struct fifo_tap *tap, uint64_t places, uint64_t alert_at, bool alert_ignores_arrivals)
{
    *tap = (struct fifo_tap){.alert_at = alert_at, .alert_delay = alert_ignores_arrivals};
    tap->measure.places = places;
    tap->measure.bin_width = places ? (places + FIFO_BINS) / FIFO_BINS : 1;
}

void fifo_tap_destroy(struct fifo_tap *tap)
{
    free(tap->departures);
    tap->departures = NULL;
}

static inline uint64_t bin_of(uint64_t occupancy, uint64_t bin_width)
{
    uint64_t bin = bin_width == 1 ? occupancy : occupancy / bin_width;
    return bin < FIFO_BINS ? bin : FIFO_BINS;
}

/* Occupancy was `occupancy` from the last event up to, not including, `clock`. */
static void hold(struct fifo_tap *tap, uint64_t occupancy, int64_t clock)
{
    uint64_t clocks = (uint64_t)(clock - tap->clock);
    tap->clocks_at[bin_of(occupancy, tap->measure.bin_width)] += clocks;
    tap->measure.integral += clocks * occupancy;
    if (clocks > 0 && occupancy > tap->measure.most)
        tap->measure.most = occupancy;
    tap->clock = clock;
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What an arrival adds to the time of the alert. Number the elements; once element k is there, the alert is on as long
 * as k - alert_at + 1 of them are gone, not more: until that one more goes. So every arrival has an interval of its own,
 * from itself (and from the departure before) to that departure.
 *
 * @param inside  departures of those inside, this one included, `count` of them
 */
static inline uint64_t alert_clocks(const struct fifo_tap *tap, const int64_t *inside, size_t count, int64_t arrival)
{
    if (count < tap->alert_at || tap->alert_at == 0)
        return 0;
    size_t ends = count - (size_t)tap->alert_at;
    int64_t begin = arrival + tap->alert_delay;
    if (ends > 0)
        begin = later(begin, inside[ends - 1]);
    return (uint64_t)later(inside[ends] - begin, 0);
}

/* Room for `count` departures more behind those inside. */
static bool make_room(struct fifo_tap *tap, size_t count)
{
    if (tap->first + tap->inside + count <= tap->room)
        return true;
    memmove(tap->departures, tap->departures + tap->first, tap->inside * sizeof *tap->departures);
    tap->first = 0;
    if (tap->inside + count <= tap->room)
        return true;
    size_t room = 2 * (tap->inside + count) + 64;
    int64_t *moved = realloc(tap->departures, room * sizeof *moved);
    if (!moved)
        return false;
    tap->departures = moved;
    tap->room = room;
    return true;
}

/* The two sequences merged, departures first where clocks are equal; what changes is kept in registers. */
bool fifo_tap_elements(struct fifo_tap *tap, const int64_t *arrivals, const int64_t *departures, size_t count)
{
    if (count == 0)
        return true;
    assert(arrivals[0] >= tap->clock);
    if (!make_room(tap, count))
        return false;
    memcpy(tap->departures + tap->first + tap->inside, departures, count * sizeof *departures);
    const int64_t *next = tap->departures + tap->first;
    const uint64_t bin_width = tap->measure.bin_width;
    uint64_t *const clocks_at = tap->clocks_at;
    uint64_t inside = tap->inside, most = tap->measure.most;
    uint64_t integral = 0, sojourn = 0, alert = 0;
    int64_t clock = tap->clock;
    for (size_t i = 0; i < count;) {
        bool leaves = (inside > 0) & (*next <= arrivals[i]);
        int64_t event = leaves ? *next : arrivals[i];
        uint64_t clocks = (uint64_t)(event - clock);
        clocks_at[bin_of(inside, bin_width)] += clocks;
        integral += clocks * inside;
        most = (clocks > 0) & (inside > most) ? inside : most;
        clock = event;
        next += leaves;
        inside += leaves ? UINT64_MAX : 1;
        if (leaves)
            continue;
        alert += alert_clocks(tap, next, inside, event);
        sojourn += (uint64_t)(departures[i++] - event);
    }
    tap->first = (size_t)(next - tap->departures);
    tap->inside = inside;
    tap->clock = clock;
    tap->measure.elements += count;
    tap->measure.integral += integral;
    tap->measure.sojourn_clocks += sojourn;
    tap->measure.alert_clocks += alert;
    tap->measure.most = most;
    return true;
}

bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure)
{
    return fifo_tap_elements(tap, &arrival, &departure, 1);
}

static void depart_until(struct fifo_tap *tap, int64_t clock)
{
    for (; tap->inside > 0 && tap->departures[tap->first] <= clock; tap->first++, tap->inside--)
        hold(tap, tap->inside, tap->departures[tap->first]);
}

bool fifo_tap_is_empty_at(const struct fifo_tap *tap, int64_t clock)
{
    return tap->inside == 0 || tap->departures[tap->first + tap->inside - 1] <= clock;
}

void fifo_tap_unit_run(struct fifo_tap *tap, int64_t first_arrival, int64_t last_arrival, size_t count)
{
    depart_until(tap, first_arrival);
    assert(tap->inside == 0 && count > 0);
    hold(tap, 0, first_arrival);
    uint64_t clocks = (uint64_t)(last_arrival + 1 - first_arrival);
    tap->clocks_at[0] += clocks - count;
    tap->clocks_at[bin_of(1, tap->measure.bin_width)] += count;
    tap->measure.integral += count;
    tap->measure.sojourn_clocks += count;
    tap->measure.elements += count;
    if (tap->measure.most == 0)
        tap->measure.most = 1;
    if (tap->alert_at == 1 && tap->alert_delay == 0)
        tap->measure.alert_clocks += count;
    tap->clock = last_arrival + 1;
}

const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end)
{
    depart_until(tap, end);
    hold(tap, tap->inside, end);
    tap->measure.clocks = (uint64_t)end;
    memcpy(tap->measure.bins, tap->clocks_at, sizeof tap->measure.bins);
    tap->measure.overflow = tap->clocks_at[FIFO_BINS];
    if (tap->alert_at == 0)
        tap->measure.alert_clocks = tap->measure.clocks;
    return &tap->measure;
}

void fifo_measure_add(struct fifo_measure *sum, const struct fifo_measure *frame)
{
    assert(sum->clocks == 0 || sum->bin_width == frame->bin_width);
    sum->places = frame->places;
    sum->bin_width = frame->bin_width;
    sum->clocks += frame->clocks;
    sum->elements += frame->elements;
    sum->integral += frame->integral;
    sum->sojourn_clocks += frame->sojourn_clocks;
    sum->alert_clocks += frame->alert_clocks;
    sum->overflow += frame->overflow;
    if (frame->most > sum->most)
        sum->most = frame->most;
    for (unsigned i = 0; i < FIFO_BINS; i++)
        sum->bins[i] += frame->bins[i];
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

double fifo_measure_mean(const struct fifo_measure *m)
{
    return ratio(m->integral, m->clocks);
}

double fifo_measure_mean_sojourn(const struct fifo_measure *m)
{
    return ratio(m->sojourn_clocks, m->elements);
}

double fifo_measure_alert_fraction(const struct fifo_measure *m)
{
    return ratio(m->alert_clocks, m->clocks);
}

bool fifo_measure_is_consistent(const struct fifo_measure *m)
{
    uint64_t clocks = m->overflow;
    for (unsigned i = 0; i < FIFO_BINS; i++)
        clocks += m->bins[i];
    return clocks == m->clocks && m->integral == m->sojourn_clocks;
}
