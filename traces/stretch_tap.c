#include "traces/stretch_tap.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "traces/list_tap.h"

void stretch_tap_init(struct stretch_tap *tap)
{
    *tap = (struct stretch_tap){.measure = fifo_measure_none(0)};
}

/* Clocks below 2^EACH_BITS: 64 bits hold the sum of EACH_MOST of them. */
enum { EACH_BITS = 54, EACH_MOST = 512 };

static wide_uint sum_of(const int64_t *clocks, size_t count)
{
    wide_uint sum = 0;
    for (size_t part; count > 0; count -= part, clocks += part) {
        uint64_t bits = 0, small = 0;
        part = count < EACH_MOST ? count : EACH_MOST;
        for (size_t i = 0; i < part; i++) {
            bits |= (uint64_t)clocks[i];
            small += (uint64_t)clocks[i];
        }
        const bool fits = bits >> EACH_BITS == 0;
        sum += fits ? small : 0;
        for (size_t i = 0; !fits && i < part; i++)
            sum += (uint64_t)clocks[i];
    }
    return sum;
}

/* Occupancy stays `inside` from clock `*clock` to clock `next`. */
static inline void hold(struct fifo_measure *m, uint64_t inside, int64_t *clock, int64_t next)
{
    const uint64_t clocks = (uint64_t)(next - *clock), most = inside > m->most ? inside : m->most;
    *(inside < FIFO_BINS ? &m->bins[inside] : &m->overflow) += clocks;
    m->most = clocks > 0 ? most : m->most;
    *clock = next;
}

/* Let the events of sorted lists happen, without a branch that depends on which is next: it could not be predicted. */
static void walk(struct stretch_tap *tap, const int64_t *in, size_t arrived, const int64_t *out,
                 size_t departed, int64_t end)
{
    struct fifo_measure *m = &tap->measure;
    uint64_t inside = tap->inside;
    int64_t clock = tap->clock;
    size_t came = 0, left = 0;
    while (came < arrived && left < departed) {
        const int64_t arrival = in[came], departure = out[left];
        const size_t comes = arrival <= departure;
        hold(m, inside, &clock, arrival < departure ? arrival : departure);
        came += comes;
        left += 1 - comes;
        inside += 2 * comes - 1;
    }
    for (; came < arrived; inside++)
        hold(m, inside, &clock, in[came++]);
    for (; left < departed; inside--)
        hold(m, inside, &clock, out[left++]);
    hold(m, inside, &clock, end);
}

/* Whether each element of an empty queue leaves it in the clock in which it came, if the lists are in order. */
static bool all_pass(const struct stretch_tap *tap, const int64_t *in, size_t arrived, const int64_t *out,
                     size_t departed)
{
    return tap->inside == 0 && arrived == departed &&
           (arrived == 0 || memcmp(in, out, arrived * sizeof *in) == 0);
}

void stretch_tap_take(struct stretch_tap *tap, int64_t *arrivals, size_t arrived, int64_t *departures,
                      size_t departed, int64_t end)
{
    struct fifo_measure *m = &tap->measure;
    const wide_uint came = sum_of(arrivals, arrived), left = sum_of(departures, departed);
    assert(end >= tap->clock && tap->inside + arrived >= departed);
    m->elements += arrived;
    m->sojourn_clocks += left - came;
    m->integral += (wide_uint)tap->inside * (uint64_t)(end - tap->clock) +
                   (wide_uint)(uint64_t)end * arrived - came - (wide_uint)(uint64_t)end * departed + left;
    const bool grows = departed == 0 && arrived > 0;
    if (tap->inside >= FIFO_BINS + departed && (grows || tap->inside + arrived <= m->most)) {
        m->overflow += (uint64_t)(end - tap->clock);
        m->most = tap->inside + arrived > m->most ? tap->inside + arrived : m->most;
    } else if (all_pass(tap, arrivals, arrived, departures, departed)) {
        m->bins[0] += (uint64_t)(end - tap->clock);
    } else {
        list_tap_sort(arrivals, arrivals, arrived);
        list_tap_sort(departures, departures, departed);
        walk(tap, arrivals, arrived, departures, departed, end);
    }
    tap->inside += arrived - departed;
    tap->clock = end;
    m->clocks = (uint64_t)end;
}
