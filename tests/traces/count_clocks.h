/* count_clocks.h - what a tap has to see of a queue without a bound, by counting every clock. */
#pragma once

#include <stdlib.h>

#include "traces/fifo_measure.h"

/** Elements that came and left in these clocks, in any order, all before `end`, which is not negative. */
static inline struct fifo_measure count_clocks(const int64_t *arrivals, const int64_t *departures,
                                               size_t count, int64_t end)
{
    struct fifo_measure m = fifo_measure_none(0);
    if (end < 0)
        abort();
    int64_t *changes = calloc((size_t)end + 1, sizeof *changes);
    uint64_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        changes[arrivals[i]]++;
        changes[departures[i]]--;
        m.sojourn_clocks += (uint64_t)(departures[i] - arrivals[i]);
    }
    for (int64_t clock = 0; clock < end; clock++) {
        inside += (uint64_t)changes[clock];
        m.bins[fifo_measure_bin(&m, inside)] += 1;
        m.integral += inside;
        m.most = inside > m.most ? inside : m.most;
    }
    m.elements = count;
    m.clocks = (uint64_t)end;
    free(changes);
    return m;
}
