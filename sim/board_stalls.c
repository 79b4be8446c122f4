#include "sim/board_stalls.h"

struct bus_stalls bus_stalls_none(void)
{
    return (struct bus_stalls){.free = INT64_MIN, .delivered = -1};
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void bus_stalls_block(struct bus_stalls *stalls, const struct tokens *t, const struct board_times *times,
                      const struct bus_share *share)
{
    struct bus_stalls s = *stalls;
    int64_t supplied = share->supply_first;
    for (size_t i = 0; i < t->word_count; i++, supplied += share->supply_ticks) {
        int64_t due = later(s.free, later(share->begin, supplied));
        int64_t first = board_clock_at(due), clock = times->word_delivered[i];
        s.clocks += (uint64_t)(clock - later(first, s.delivered + 1)); /* a word a clock */
        s.delivered = clock;
        s.free = (clock > first ? clock * BOARD_TICKS_PER_CLOCK : due) + share->word_ticks;
    }
    *stalls = s;
}

static uint64_t beyond_a_clock(const struct interval_tap *services)
{
    return (uint64_t)services->moments.sum - services->moments.count;
}

struct stall_counts board_stalls(const struct bus_stalls *bus, const struct board_intervals *intervals)
{
    return (struct stall_counts){
        .measured = true,
        .bus = bus->clocks,
        .stage_1a = beyond_a_clock(&intervals->taps[SERVICES_1A]),
        .stage_1bp = beyond_a_clock(&intervals->taps[SERVICES_1BP]),
        .stage_2 = beyond_a_clock(&intervals->taps[SERVICES_2]),
    };
}
