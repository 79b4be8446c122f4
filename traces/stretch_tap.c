#include "traces/stretch_tap.h"

#include <assert.h>
#include <stdbool.h>

#include "traces/list_tap.h"

void stretch_tap_init(struct stretch_tap *tap)
{
    *tap = (struct stretch_tap){.measure = fifo_measure_none(0)};
}

static wide_uint sum_of(const int64_t *clocks, size_t count)
{
    wide_uint sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)clocks[i];
    return sum;
}

/* Occupancy stays `inside` from clock `*clock` to clock `next`. */
static inline void hold(struct fifo_measure *m, uint64_t inside, int64_t *clock, int64_t next)
{
    uint64_t clocks = (uint64_t)(next - *clock);
    *(inside < FIFO_BINS ? &m->bins[inside] : &m->overflow) += clocks;
    m->integral += (wide_uint)clocks * inside;
    m->most = clocks > 0 && inside > m->most ? inside : m->most;
    *clock = next;
}

/* Let the events of sorted lists happen, without a branch that depends on which is next: it could not be predicted. */
static void walk(struct stretch_tap *tap, const int64_t *in, size_t arrived, const int64_t *out,
                 size_t departed, int64_t end)
{
    const int64_t *const in_end = in + arrived, *const out_end = out + departed;
    struct fifo_measure *m = &tap->measure;
    uint64_t inside = tap->inside;
    int64_t clock = tap->clock;
    while (in < in_end && out < out_end) {
        const bool comes = *in <= *out;
        hold(m, inside, &clock, comes ? *in : *out);
        in += comes;
        out += !comes;
        inside += comes ? 1 : (uint64_t)-1;
    }
    for (; in < in_end; inside++)
        hold(m, inside, &clock, *in++);
    for (; out < out_end; inside--)
        hold(m, inside, &clock, *out++);
    hold(m, inside, &clock, end);
    tap->inside = inside;
}

void stretch_tap_take(struct stretch_tap *tap, int64_t *arrivals, size_t arrived, int64_t *departures,
                      size_t departed, int64_t end)
{
    struct fifo_measure *m = &tap->measure;
    const wide_uint came = sum_of(arrivals, arrived), left = sum_of(departures, departed);
    assert(end >= tap->clock && tap->inside + arrived >= departed);
    m->elements += arrived;
    m->sojourn_clocks += left - came;
    if (tap->inside >= FIFO_BINS + departed && tap->inside + arrived <= m->most) {
        m->overflow += (uint64_t)(end - tap->clock);
        m->integral += (wide_uint)tap->inside * (uint64_t)(end - tap->clock) +
                       (wide_uint)(uint64_t)end * arrived - came - (wide_uint)(uint64_t)end * departed + left;
        tap->inside += arrived - departed;
    } else {
        list_tap_sort(arrivals, arrivals, arrived);
        list_tap_sort(departures, departures, departed);
        walk(tap, arrivals, arrived, departures, departed, end);
    }
    tap->clock = end;
    m->clocks = (uint64_t)end;
}
