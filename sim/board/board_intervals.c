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

/* Elements that come to the FIFO before a stage, leave it, and are ready for the stage and done by it. */
struct passage {
    struct board_intervals *intervals;
    enum board_stage stage;
    int64_t fetch; /* clocks that they are ready later than is said */
};

static void tap_far(const struct passage *p, const int64_t *come, const int64_t *ready, const int64_t *done,
                    size_t count)
{
    const struct board_stage_row *stage = &board_stages[p->stage];
    interval_tap_add(&p->intervals->taps[stage->arrivals], NULL, 0, come, count);
    interval_tap_add(&p->intervals->taps[stage->services], ready, p->fetch, done, count);
}

/* The clocks are known modulo 2^16. @param last_done  the last of `done` */
static void tap_short(const struct passage *p, const uint16_t *come, const uint16_t *ready,
                      const uint16_t *done, size_t count, int64_t last_done)
{
    const struct board_stage_row *stage = &board_stages[p->stage];
    const int64_t last_come = last_done - (uint16_t)(done[count - 1] - come[count - 1]);
    interval_tap_add_short(&p->intervals->taps[stage->arrivals], NULL, 0, come, count, last_come);
    interval_tap_add_short(&p->intervals->taps[stage->services], ready, p->fetch, done, count, last_done);
}

static void tap_words(struct board_intervals *b, const int64_t *delivered, const int64_t *taken, size_t count)
{
    const struct passage at_1a = {b, BOARD_STAGE_1A, 0};
    uint16_t short_delivered[CHUNK], short_taken[CHUNK];
    for (size_t part; count > 0; count -= part, delivered += part, taken += part) {
        part = count < CHUNK ? count : CHUNK;
        if (!is_short(&b->taps[ARRIVALS_1A], taken[part - 1])) {
            tap_far(&at_1a, delivered, delivered, taken, part);
            continue;
        }
        intervals_shorten(delivered, part, short_delivered);
        intervals_shorten(taken, part, short_taken);
        tap_short(&at_1a, short_delivered, short_delivered, short_taken, part, taken[part - 1]);
    }
}

static void tap_seeds(struct board_intervals *b, const struct tokens *t, const struct board_times *times)
{
    const struct passage at_1bp = {b, BOARD_STAGE_1BP, 0}, at_1bd = {b, BOARD_STAGE_1BD, 0};
    struct batches words = {times->word_taken, t->words, sizeof *t->words, .end = t->word_count},
                   rest = words;
    const int64_t *issued = times->seed_issued, *taken = times->seed_taken, *done = times->seed_done;
    uint16_t short_pushed[CHUNK_ROOM], short_issued[CHUNK_ROOM], short_taken[CHUNK_ROOM],
        short_done[CHUNK_ROOM];
    for (size_t seeds; (seeds = expand(&rest, sizeof *t->words, short_pushed)) > 0; words = rest) {
        const size_t last = seeds - 1;
        if (is_short(&b->taps[ARRIVALS_1BP], done[last])) {
            intervals_shorten(issued, seeds, short_issued);
            intervals_shorten(taken, seeds, short_taken);
            intervals_shorten(done, seeds, short_done);
            tap_short(&at_1bp, short_pushed, short_pushed, short_issued, seeds, issued[last]);
            tap_short(&at_1bd, short_issued, short_taken, short_done, seeds, done[last]);
        } else {
            int64_t pushed[CHUNK_ROOM];
            expand_far(&words, rest.next, pushed);
            tap_far(&at_1bp, pushed, pushed, issued, seeds);
            tap_far(&at_1bd, issued, taken, done, seeds);
        }
        issued += seeds;
        taken += seeds;
        done += seeds;
    }
}

static void tap_matches(struct board_intervals *b, int64_t fetch, const struct tokens *t,
                        const struct board_times *times)
{
    const struct passage at_2 = {b, BOARD_STAGE_2, fetch - 1};
    struct batches groups = {times->group_entered, t->groups ? &t->groups->matches : NULL, sizeof *t->groups,
                             .end = t->group_count},
                   rest = groups;
    const int64_t *left = times->match_taken;
    uint16_t short_entered[CHUNK_ROOM], short_left[CHUNK_ROOM];
    for (size_t matches; (matches = expand(&rest, sizeof *t->groups, short_entered)) > 0; groups = rest) {
        if (is_short(&b->taps[ARRIVALS_2], left[matches - 1])) {
            intervals_shorten(left, matches, short_left);
            tap_short(&at_2, short_entered, short_entered, short_left, matches, left[matches - 1]);
        } else {
            int64_t entered[CHUNK_ROOM];
            expand_far(&groups, rest.next, entered);
            tap_far(&at_2, entered, entered, left, matches);
        }
        left += matches;
    }
}

void board_intervals_block(struct board_intervals *b, const struct board_rules *rules, const struct tokens *t,
                           const struct board_times *times)
{
    tap_words(b, times->word_delivered, times->word_taken, t->word_count);
    tap_seeds(b, t, times);
    tap_matches(b, board_latency(rules->stage2_fetch_cycles), t, times);
}
