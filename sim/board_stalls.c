#include "sim/board_stalls.h"

struct board_stalls board_stalls_none(void)
{
    return (struct board_stalls){.counts.measured = true,
                                 .bus_free = INT64_MIN,
                                 .delivered = -1,
                                 .taken = -1,
                                 .issued = -1,
                                 .match = -1};
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static uint64_t hold_bus(struct board_stalls *s, const struct tokens *t, const struct board_times *times,
                         const struct bus_share *share)
{
    uint64_t held = 0;
    for (size_t i = 0; i < t->word_count; i++) {
        int64_t ready = later(share->begin, share->supply_first + (int64_t)i * share->supply_ticks);
        int64_t due = later(s->bus_free, ready), clock = times->word_delivered[i],
                first = board_clock_at(due);
        held += (uint64_t)(clock - later(first, s->delivered + 1)); /* a word a clock */
        s->delivered = clock;
        s->bus_free = (clock > first ? clock * BOARD_TICKS_PER_CLOCK : due) + share->word_ticks;
    }
    return held;
}

static uint64_t hold_1a(struct board_stalls *s, const struct tokens *t, const struct board_times *times)
{
    uint64_t held = 0;
    for (size_t i = 0; i < t->word_count; i++) {
        held += (uint64_t)(times->word_taken[i] - later(s->taken, times->word_delivered[i]) - 1);
        s->taken = times->word_taken[i];
    }
    return held;
}

static uint64_t hold_1bp(struct board_stalls *s, const struct tokens *t, const struct board_times *times)
{
    uint64_t held = 0;
    size_t seed = 0;
    for (size_t i = 0; i < t->word_count; i++)
        for (unsigned n = t->words[i]; n > 0; n--, seed++) {
            held += (uint64_t)(times->seed_issued[seed] - later(s->issued, times->word_taken[i]) - 1);
            s->issued = times->seed_issued[seed];
        }
    return held;
}

static uint64_t hold_stage2(struct board_stalls *s, const struct board_rules *rules, const struct tokens *t,
                            const struct board_times *times)
{
    const int64_t fetch = board_latency(rules->stage2_fetch_cycles);
    uint64_t held = 0;
    size_t match = 0;
    for (size_t i = 0; i < t->group_count; i++)
        for (unsigned n = t->groups[i].matches; n > 0; n--, match++) {
            held +=
                (uint64_t)(times->match_taken[match] - later(s->match + 1, times->group_entered[i] + fetch));
            s->match = times->match_taken[match];
        }
    return held;
}

void board_stalls_block(struct board_stalls *s, const struct board_rules *rules, const struct tokens *t,
                        const struct board_times *times, const struct bus_share *share)
{
    s->counts.bus += hold_bus(s, t, times, share);
    s->counts.stage_1a += hold_1a(s, t, times);
    s->counts.stage_1bp += hold_1bp(s, t, times);
    s->counts.stage_2 += hold_stage2(s, rules, t, times);
}
