#include "traces/fifo_tap.h"

#include <assert.h>
#include <stdlib.h>

void fifo_tap_init(struct fifo_tap *tap, uint64_t places, uint64_t alert_at, bool alert_ignores_arrivals)
{
    *tap = (struct fifo_tap){.alert_at = alert_at, .alert_ignores_arrivals = alert_ignores_arrivals};
    tap->measure.places = places;
    tap->measure.bin_width = places ? (places + FIFO_BINS) / FIFO_BINS : 1;
}

void fifo_tap_destroy(struct fifo_tap *tap)
{
    free(tap->departures);
    tap->departures = NULL;
}

/* Account for the clocks from the last event's up to, not including, `clock`. */
static void move_to(struct fifo_tap *tap, int64_t clock)
{
    if (clock <= tap->clock)
        return;
    struct fifo_measure *m = &tap->measure;
    uint64_t clocks = (uint64_t)(clock - tap->clock);
    uint64_t bin = tap->occupancy / m->bin_width;
    *(bin < FIFO_BINS ? &m->bins[bin] : &m->overflow) += clocks;
    m->integral += clocks * tap->occupancy;
    if (tap->occupancy > m->most)
        m->most = tap->occupancy;
    uint64_t seen_now = tap->occupancy - (tap->alert_ignores_arrivals ? tap->arrivals_now : 0);
    m->alert_clocks += seen_now >= tap->alert_at;
    if (tap->occupancy >= tap->alert_at)
        m->alert_clocks += clocks - 1;
    tap->clock = clock;
    tap->arrivals_now = 0;
}

static void depart_until(struct fifo_tap *tap, int64_t clock)
{
    while (tap->count > 0 && tap->departures[tap->head] <= clock) {
        move_to(tap, tap->departures[tap->head]);
        tap->head = (tap->head + 1) & (tap->room - 1);
        tap->count--;
        tap->occupancy--;
        if (tap->arrivals_now > tap->occupancy) /* one that came in this clock has left in it */
            tap->arrivals_now = tap->occupancy;
    }
}

static bool double_ring(struct fifo_tap *tap)
{
    size_t room = tap->room ? 2 * tap->room : 64;
    int64_t *ring = malloc(room * sizeof *ring);
    if (!ring)
        return false;
    for (size_t i = 0; i < tap->count; i++)
        ring[i] = tap->departures[(tap->head + i) & (tap->room - 1)];
    free(tap->departures);
    tap->departures = ring;
    tap->room = room;
    tap->head = 0;
    return true;
}

bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure)
{
    assert(arrival >= tap->clock && departure >= arrival);
    depart_until(tap, arrival);
    if (tap->count == tap->room && !double_ring(tap))
        return false;
    move_to(tap, arrival);
    tap->departures[(tap->head + tap->count++) & (tap->room - 1)] = departure;
    tap->occupancy++;
    tap->arrivals_now++;
    tap->measure.elements++;
    tap->measure.sojourn_clocks += (uint64_t)(departure - arrival);
    return true;
}

const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end)
{
    depart_until(tap, end);
    move_to(tap, end);
    tap->measure.clocks = (uint64_t)end;
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
