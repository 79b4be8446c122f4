#include "sim/tokens/stream_windows.h"

#include "base/array.h"

static unsigned index_of(unsigned matches)
{
    return matches < STREAM_MATCHES_MOST ? matches : STREAM_MATCHES_MOST;
}

/* Count a lookup, but not its records. @return number of its matches */
static inline unsigned add_lookup(struct stream_window *w, const struct board_rules *rules,
                                  enum lookup_outcome outcome, const struct group_token *groups,
                                  unsigned group_count)
{
    const double clocks = (double)stream_lookup_clocks(rules, outcome, group_count);
    unsigned matches = 0;
    for (unsigned i = 0; i < group_count; i++)
        matches += groups[i].matches;
    w->seeds++;
    w->matches += matches;
    w->lookup_clocks += clocks;
    if (outcome != LOOKUP_DUPLICATE) {
        w->singles[index_of(matches)]++;
        return matches;
    }
    w->trip_lookups++;
    w->trip_clocks += clocks;
    for (unsigned i = 0; i < group_count; i++)
        w->groups[index_of(groups[i].matches)]++;
    return matches;
}

static double count_passed(const uint8_t *passed, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += passed[i];
    return (double)sum;
}

/* Where a block's next token of each kind is. */
struct place {
    size_t word;
    const struct seed_token *seed;
    const struct group_token *group;
    const uint8_t *match;
};

enum { LANES = 4 }; /* counters that are used in turn, so that equal numbers do not wait for each other */

/* Count the next words by their seeds. @return number of these */
static size_t count_batches(struct stream_window *w, const uint8_t *seeds, size_t count)
{
    uint32_t lanes[LANES][BASES_PER_WORD + 1] = {0};
    size_t sum = 0, i = 0;
    for (; i + LANES <= count; i += LANES)
#pragma GCC unroll 4
        for (unsigned lane = 0; lane < LANES; lane++)
            lanes[lane][seeds[i + lane]]++;
    for (; i < count; i++)
        lanes[0][seeds[i]]++;
    for (unsigned n = 0; n <= BASES_PER_WORD; n++) {
        const size_t words = (size_t)lanes[0][n] + lanes[1][n] + lanes[2][n] + lanes[3][n];
        w->batches[n] += (double)words;
        sum += n * words;
    }
    return sum;
}

/* Count the next words: their seeds first, and then what becomes of these, so that no loop is short. Lookups
 * without trips, which almost all are, have one group at most; nobody can predict whether they have it. */
static void count_words(struct stream_window *w, const struct board_rules *rules, const struct tokens *t,
                        size_t count, struct place *at)
{
    const struct seed_token *after = at->seed + count_batches(w, t->words + at->word, count);
    const struct group_token *group = at->group, *end = t->groups + t->group_count;
    const uint8_t *first = at->match;
    size_t plain = 0, matches = 0, others = 0;
    for (const struct seed_token *seed = at->seed; seed < after; group += seed++->groups) {
        if (seed->outcome == LOOKUP_DUPLICATE) {
            others += add_lookup(w, rules, seed->outcome, group, seed->groups);
            continue;
        }
        const unsigned own = group < end ? group->matches & -(unsigned)(seed->groups > 0) : 0;
        w->singles[index_of(own)]++;
        matches += own;
        plain++;
    }
    w->seeds += (double)plain;
    w->lookup_clocks += (double)plain;
    w->matches += (double)matches;
    w->words += (double)count;
    w->records += count_passed(first, matches + others);
    *at = (struct place){at->word + count, after, group, first + matches + others};
}

void stream_windows_add(struct stream_windows *s, const struct board_rules *rules, const struct tokens *t)
{
    struct place at = {0, t->seeds, t->groups, t->matches};
    while (at.word < t->word_count) {
        if (s->count == 0 || s->items[s->count - 1].words == (double)s->words)
            *ARRAY_NEXT(s->items, s->count, s->room) = (struct stream_window){0};
        struct stream_window *w = &s->items[s->count - 1];
        const uint64_t room = s->words - (uint64_t)w->words, left = t->word_count - at.word;
        count_words(w, rules, t, left < room ? left : room, &at);
    }
}

uint64_t stream_windows_length(uint64_t words)
{
    uint64_t length = 256;
    while (words / length > STREAM_WINDOWS_MOST)
        length *= 4;
    return length;
}
