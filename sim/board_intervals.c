#include "sim/board_intervals.h"

/* Elements that came with others in one clock are looked at so many at a time, those of a clock together. */
enum { CHUNK = 512, FEW = 4, TOGETHER = 8, CHUNK_ROOM = CHUNK + 2 * TOGETHER * UINT8_MAX + FEW };

/* Clocks in which so many elements each came together: seeds with their word, matches with their group. */
struct batches {
    const int64_t *clocks;
    const uint8_t *counts;
    size_t next, end;
};

/* Many elements of one clock. */
static __attribute__((noinline)) void write_many(int64_t *clocks, int64_t clock, unsigned count)
{
    for (unsigned i = FEW; i < count; i++)
        clocks[i] = clock;
}

/* Write a batch's clock for every element. Most have few: these are written whether they are there or not. @return behind them */
static inline int64_t *write_clocks(int64_t *clocks, int64_t clock, unsigned count)
{
    for (unsigned i = 0; i < FEW; i++)
        clocks[i] = clock;
    if (__builtin_expect(count > FEW, 0))
        write_many(clocks, clock, count);
    return clocks + count;
}

/* Write the clock of every element of the next batches.
 *
 * @param stride  of the counts, bytes
 * @return elements, 0 behind the last batch
 */
static inline __attribute__((always_inline)) size_t expand(struct batches *batches, size_t stride,
                                                           int64_t clocks[static CHUNK_ROOM])
{
    const struct batches b = *batches;
    int64_t *to = clocks;
    size_t next = b.next;
    for (; b.end - next >= TOGETHER && to < clocks + CHUNK; next += TOGETHER)
#pragma GCC unroll 8
        for (size_t i = next; i < next + TOGETHER; i++)
            to = write_clocks(to, b.clocks[i], b.counts[i * stride]);
    for (; next < b.end && b.end - next < TOGETHER; next++)
        to = write_clocks(to, b.clocks[next], b.counts[next * stride]);
    batches->next = next;
    return (size_t)(to - clocks);
}

static void tap_seeds(struct board_intervals *b, const struct tokens *t, const struct board_times *times)
{
    struct batches words = {times->word_taken, t->words, .end = t->word_count};
    int64_t pushed[CHUNK_ROOM];
    for (size_t done = 0, seeds; (seeds = expand(&words, sizeof *t->words, pushed)) > 0; done += seeds) {
        interval_tap_clocks(&b->taps[ARRIVALS_1BP], pushed, seeds);
        interval_tap_services(&b->taps[SERVICES_1BP], pushed, 0, times->seed_issued + done, seeds);
    }
    interval_tap_clocks(&b->taps[ARRIVALS_1BD], times->seed_issued, t->seed_count);
    interval_tap_services(&b->taps[SERVICES_1BD], times->seed_taken, 0, times->seed_done, t->seed_count);
}

static void tap_matches(struct board_intervals *b, const struct board_rules *rules, const struct tokens *t,
                        const struct board_times *times)
{
    const int64_t fetch = board_latency(rules->stage2_fetch_cycles);
    struct batches groups = {times->group_entered, t->groups ? &t->groups->matches : NULL,
                             .end = t->group_count};
    int64_t entered[CHUNK_ROOM];
    for (size_t done = 0, matches; (matches = expand(&groups, sizeof *t->groups, entered)) > 0;
         done += matches) {
        interval_tap_clocks(&b->taps[ARRIVALS_2], entered, matches);
        interval_tap_services(&b->taps[SERVICES_2], entered, fetch - 1, times->match_taken + done, matches);
    }
}

void board_intervals_block(struct board_intervals *b, const struct board_rules *rules, const struct tokens *t,
                           const struct board_times *times)
{
    interval_tap_clocks(&b->taps[ARRIVALS_1A], times->word_delivered, t->word_count);
    interval_tap_services(&b->taps[SERVICES_1A], times->word_delivered, 0, times->word_taken, t->word_count);
    tap_seeds(b, t, times);
    tap_matches(b, rules, t, times);
}
