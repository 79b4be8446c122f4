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
    const uint64_t clocks = stream_lookup_clocks(rules, outcome, group_count);
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

static uint64_t count_passed(const uint8_t *passed, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += passed[i];
    return sum;
}

void stream_window_add_lookup(struct stream_window *w, const struct board_rules *rules,
                              enum lookup_outcome outcome, const struct group_token *groups,
                              unsigned group_count, const uint8_t *passed)
{
    w->records += count_passed(passed, add_lookup(w, rules, outcome, groups, group_count));
}

/* Where a block's next token of each kind is. */
struct place {
    size_t word;
    const struct seed_token *seed;
    const struct group_token *group;
    const uint8_t *match;
};

/* Count the next words: their seeds first, and then what becomes of these, so that no loop is short. */
static void count_words(struct stream_window *w, const struct board_rules *rules, const struct tokens *t,
                        size_t count, struct place *at)
{
    const struct seed_token *after = at->seed;
    const uint8_t *first = at->match;
    for (size_t i = 0; i < count; i++) {
        w->batches[t->words[at->word + i]]++;
        after += t->words[at->word + i];
    }
    for (; at->seed < after; at->seed++) {
        at->match += add_lookup(w, rules, at->seed->outcome, at->group, at->seed->groups);
        at->group += at->seed->groups;
    }
    at->word += count;
    w->words += count;
    w->records += count_passed(first, (size_t)(at->match - first));
}

void stream_windows_add(struct stream_windows *s, const struct board_rules *rules, const struct tokens *t)
{
    struct place at = {0, t->seeds, t->groups, t->matches};
    while (at.word < t->word_count) {
        if (s->count == 0 || s->items[s->count - 1].words == s->words) {
            array_reserve(&s->items, &s->room, s->count, 1, sizeof *s->items);
            s->items[s->count++] = (struct stream_window){0};
        }
        struct stream_window *w = &s->items[s->count - 1];
        const uint64_t room = s->words - w->words, left = t->word_count - at.word;
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
