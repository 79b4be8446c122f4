#include "sim/board/board_intervals.h"

enum {
    CHUNK = 512,  /* elements that are looked at together; a batch that begins in a chunk belongs to it */
    FEW = 8,      /* elements of a batch that are written in any case: most batches have no more */
    TOGETHER = 8, /* batches that are expanded in one unrolled loop */
    CHUNK_ROOM = CHUNK + 2 * TOGETHER * UINT8_MAX + FEW,
};

/* Batches of elements that came together in one clock: the seeds of a word, the matches of a group. */
struct batches {
    const int64_t *clocks;
    const uint8_t *counts;
    size_t stride; /* bytes from one count to the next */
    size_t next, end;
};

/* Write the elements of a batch after the first FEW. */
static __attribute__((noinline)) void write_many(uint16_t *clocks, uint16_t clock, unsigned count)
{
    for (unsigned i = FEW; i < count; i++)
        clocks[i] = clock;
}

/* Write a batch's clock for each of its elements. @return the place after them */
static inline __attribute__((always_inline)) uint16_t *write_clocks(uint16_t *clocks, uint16_t clock,
                                                                    unsigned count)
{
    for (unsigned i = 0; i < FEW; i++)
        clocks[i] = clock;
    if (__builtin_expect(count > FEW, 0))
        write_many(clocks, clock, count);
    return clocks + count;
}

/* Write the clock, modulo 2^16, of every element of the next batches.
 *
 * @return number of elements; 0 after the last batch
 */
static inline __attribute__((always_inline)) size_t expand(struct batches *batches, size_t stride,
                                                           uint16_t clocks[static CHUNK_ROOM])
{
    const struct batches b = *batches;
    uint16_t *to = clocks;
    size_t next = b.next;
    for (; b.end - next >= TOGETHER && to < clocks + CHUNK; next += TOGETHER)
#pragma GCC unroll 8
        for (size_t i = next; i < next + TOGETHER; i++)
            to = write_clocks(to, (uint16_t)b.clocks[i], b.counts[i * stride]);
    for (; next < b.end && b.end - next < TOGETHER; next++)
        to = write_clocks(to, (uint16_t)b.clocks[next], b.counts[next * stride]);
    batches->next = next;
    return (size_t)(to - clocks);
}

/* Expand with whole clocks, not modulo 2^16. */
static void expand_far(const struct batches *b, size_t end, int64_t *clocks)
{
    for (size_t i = b->next; i < end; i++)
        for (unsigned n = b->counts[i * b->stride]; n > 0; n--)
            *clocks++ = b->clocks[i];
}

/* Whether 16 bits can hold the time from the last arrival to clock `end`, after which nothing of a chunk moves. */
static bool is_short(const struct interval_tap *arrivals, int64_t end)
{
    return arrivals->begun && end - arrivals->clock <= INTERVALS_SHORT;
}

/* Count the latencies of elements through a FIFO, if somebody asks for them. */
static void count_short(const struct board_intervals *b, enum board_fifo fifo, const uint16_t *left,
                        const uint16_t *entered, int64_t delay, size_t count)
{
    if (b->latencies[fifo])
        tally_short_differences(b->latencies[fifo], left, entered, (uint16_t)-delay, count);
}

static void count_far(const struct board_intervals *b, enum board_fifo fifo, const int64_t *left,
                      const int64_t *entered, int64_t delay, size_t count)
{
    if (b->latencies[fifo])
        tally_differences(b->latencies[fifo], left, entered, -delay, count);
}

static void tap_words(struct board_intervals *b, const int64_t *delivered, const int64_t *taken, size_t count)
{
    struct interval_tap *arrivals = &b->taps[ARRIVALS_1A], *services = &b->taps[SERVICES_1A];
    uint16_t short_delivered[CHUNK], short_taken[CHUNK];
    for (size_t part; count > 0; count -= part, delivered += part, taken += part) {
        part = count < CHUNK ? count : CHUNK;
        if (is_short(arrivals, taken[part - 1])) {
            intervals_shorten(delivered, part, short_delivered);
            intervals_shorten(taken, part, short_taken);
            interval_tap_short_clocks(arrivals, short_delivered, part, delivered[part - 1]);
            interval_tap_short_services(services, short_delivered, 0, short_taken, part, taken[part - 1]);
            count_short(b, FIFO_INGRESS, short_taken, short_delivered, 0, part);
        } else {
            interval_tap_clocks(arrivals, delivered, part);
            interval_tap_services(services, delivered, 0, taken, part);
            count_far(b, FIFO_INGRESS, taken, delivered, 0, part);
        }
    }
}

/* Elements that come in batches to a FIFO, from which a server takes them one by one. */
struct queueing {
    const struct board_intervals *intervals;
    enum board_fifo fifo;
    struct interval_tap *arrivals, *services;
    int64_t delay; /* clocks from an element's arrival until it is ready */
};

static void tap_far(const struct queueing *q, const struct batches *b, size_t end, const int64_t *left,
                    size_t count)
{
    int64_t arrived[CHUNK_ROOM];
    expand_far(b, end, arrived);
    interval_tap_clocks(q->arrivals, arrived, count);
    interval_tap_services(q->services, arrived, q->delay, left, count);
    count_far(q->intervals, q->fifo, left, arrived, 0, count);
}

static void tap_short(const struct queueing *q, const uint16_t *arrived, const uint16_t *left, size_t count,
                      int64_t last_left)
{
    int64_t last_arrived = last_left - (uint16_t)(left[count - 1] - arrived[count - 1]);
    interval_tap_short_clocks(q->arrivals, arrived, count, last_arrived);
    interval_tap_short_services(q->services, arrived, q->delay, left, count, last_left);
    count_short(q->intervals, q->fifo, left, arrived, 0, count);
}

/* @param read  clocks of a read */
static void tap_seeds(struct board_intervals *b, int64_t read, const struct tokens *t,
                      const struct board_times *times)
{
    const struct queueing wmer = {b, FIFO_WMER, &b->taps[ARRIVALS_1BP], &b->taps[SERVICES_1BP], 0};
    struct interval_tap *lookups = &b->taps[ARRIVALS_1BD], *services = &b->taps[SERVICES_1BD];
    struct batches words = {times->word_taken, t->words, sizeof *t->words, .end = t->word_count},
                   rest = words;
    const int64_t *issued = times->seed_issued, *taken = times->seed_taken, *done = times->seed_done;
    uint16_t short_pushed[CHUNK_ROOM], short_issued[CHUNK_ROOM], short_taken[CHUNK_ROOM],
        short_done[CHUNK_ROOM];
    for (size_t seeds; (seeds = expand(&rest, sizeof *t->words, short_pushed)) > 0; words = rest) {
        const size_t last = seeds - 1;
        if (is_short(wmer.arrivals, done[last])) {
            intervals_shorten(issued, seeds, short_issued);
            intervals_shorten(taken, seeds, short_taken);
            intervals_shorten(done, seeds, short_done);
            tap_short(&wmer, short_pushed, short_issued, seeds, issued[last]);
            interval_tap_short_clocks(lookups, short_issued, seeds, issued[last]);
            interval_tap_short_services(services, short_taken, 0, short_done, seeds, done[last]);
            count_short(b, FIFO_SRAM, short_taken, short_issued, read, seeds);
        } else {
            tap_far(&wmer, &words, rest.next, issued, seeds);
            interval_tap_clocks(lookups, issued, seeds);
            interval_tap_services(services, taken, 0, done, seeds);
            count_far(b, FIFO_SRAM, taken, issued, read, seeds);
        }
        issued += seeds;
        taken += seeds;
        done += seeds;
    }
}

static void tap_matches(struct board_intervals *b, int64_t fetch, const struct tokens *t,
                        const struct board_times *times)
{
    const struct queueing stage2 = {b, FIFO_STAGE2, &b->taps[ARRIVALS_2], &b->taps[SERVICES_2], fetch - 1};
    struct batches groups = {times->group_entered, t->groups ? &t->groups->matches : NULL, sizeof *t->groups,
                             .end = t->group_count},
                   rest = groups;
    const int64_t *left = times->match_taken;
    uint16_t short_entered[CHUNK_ROOM], short_left[CHUNK_ROOM];
    for (size_t matches; (matches = expand(&rest, sizeof *t->groups, short_entered)) > 0; groups = rest) {
        if (is_short(stage2.arrivals, left[matches - 1])) {
            intervals_shorten(left, matches, short_left);
            tap_short(&stage2, short_entered, short_left, matches, left[matches - 1]);
        } else {
            tap_far(&stage2, &groups, rest.next, left, matches);
        }
        left += matches;
    }
}

void board_intervals_block(struct board_intervals *b, const struct board_rules *rules, const struct tokens *t,
                           const struct board_times *times)
{
    tap_words(b, times->word_delivered, times->word_taken, t->word_count);
    tap_seeds(b, board_latency(rules->sram_read_cycles), t, times);
    tap_matches(b, board_latency(rules->stage2_fetch_cycles), t, times);
}
