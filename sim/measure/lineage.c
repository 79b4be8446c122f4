#include "sim/measure/lineage.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "blast/stages12/plain_seeds.h"

/* Words of a stretch of elements; matches of one whose records have positions. */
enum { LINEAGE_WORDS = 512, LINEAGE_MATCHES = 2048 };

enum {
    FEW_SEEDS = 4, /* seeds of a word that are written in any case, as most words have no more */
    FEW = 1,       /* children of other elements, likewise */
    SPARE = 4,     /* places for what is written in any case */
};

void lineage_destroy(struct lineage *l)
{
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        free(l->parents[level]);
    free(l->record_words);
    *l = (struct lineage){0};
}

void lineage_begin(struct lineage *l, const struct tokens *tokens, enum token_level deepest)
{
    l->tokens = tokens;
    l->deepest = deepest;
    l->only_records = false;
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        l->first[level] = l->count[level] = 0;
}

void lineage_begin_records(struct lineage *l, const struct tokens *tokens)
{
    lineage_begin(l, tokens, LEVEL_RECORD);
    l->only_records = true;
}

/* --- children -------------------------------------------------------------------------------------------- */

/* Number of children of element `i` of the block. */
static inline __attribute__((always_inline)) size_t children(enum token_level level, const struct tokens *t,
                                                             size_t i)
{
    switch (level) {
    case LEVEL_WORD:
        return t->words[i];
    case LEVEL_SEED:
        return t->seeds[i].groups;
    case LEVEL_GROUP:
        return t->groups[i].matches;
    default:
        return t->matches[i];
    }
}

static inline __attribute__((always_inline)) size_t count_children(enum token_level level,
                                                                   const struct lineage *l)
{
    const struct tokens tokens = *l->tokens;
    uint32_t sum = 0;
    for (size_t i = 0; i < l->count[level]; i++)
        sum += (uint32_t)children(level, &tokens, l->first[level] + i);
    return sum;
}

static bool make_room(struct lineage *l, enum token_level level, size_t count)
{
    if (count + SPARE <= l->room[level])
        return true;
    free(l->parents[level]);
    l->room[level] = 2 * count + SPARE;
    l->parents[level] = malloc(l->room[level] * sizeof *l->parents[level]);
    if (!l->parents[level])
        l->room[level] = 0;
    return l->parents[level];
}

/* Out of line: this rare case would make the loops long. */
static __attribute__((noinline)) void write_more(uint32_t *children, uint32_t parent, size_t count)
{
    for (size_t n = 0; n < count; n++)
        children[n] = parent;
}

/* Write an element for each of its children. @return the place after them */
static inline __attribute__((always_inline)) uint32_t *write_children(uint32_t *next, uint32_t parent,
                                                                      size_t count, size_t few)
{
    for (size_t n = 0; n < few; n++)
        next[n] = parent;
    if (__builtin_expect(count > few, 0))
        write_more(next + few, parent, count - few);
    return next + count;
}

/* The same of TOKEN_WORDS words: most have no seeds. */
static inline uint32_t *write_seeds(uint32_t *next, const uint8_t *words, uint32_t first)
{
    for (uint32_t mask = tokens_words_with_seeds(words); mask > 0; mask &= mask - 1) {
        uint32_t word = (uint32_t)__builtin_ctz(mask);
        next = write_children(next, first + word, words[word], FEW_SEEDS);
    }
    return next;
}

/* Whether each of TOKEN_SEEDS elements surely has one child, as most seeds and groups do. */
static inline __attribute__((always_inline)) bool have_one_child(enum token_level level,
                                                                 const struct tokens *t, size_t i)
{
    return level == LEVEL_SEED    ? tokens_have_one_group(&t->seeds[i])
           : level == LEVEL_GROUP ? tokens_have_one_match(&t->groups[i])
                                  : false;
}

/* Write TOKEN_SEEDS elements from `first` on that have one child each. */
static inline uint32_t *write_each(uint32_t *next, uint32_t first)
{
    for (unsigned n = 0; n < TOKEN_SEEDS; n++)
        next[n] = first + n;
    return next + TOKEN_SEEDS;
}

/* The same with any number of children. */
static inline __attribute__((always_inline)) uint32_t *
write_some(uint32_t *next, enum token_level level, const struct tokens *t, size_t stretch, uint32_t first)
{
#pragma GCC unroll 4
    for (uint32_t i = first; i < first + TOKEN_SEEDS; i++)
        next =
            write_children(next, i, children(level, t, stretch + i), level == LEVEL_WORD ? FEW_SEEDS : FEW);
    return next;
}

/* Write the parents of the elements on the level below. */
static inline __attribute__((always_inline)) bool find_parents(struct lineage *l, enum token_level level)
{
    const struct tokens tokens = *l->tokens;
    const size_t first = l->first[level], few = level == LEVEL_WORD ? FEW_SEEDS : FEW;
    const uint32_t parents = (uint32_t)l->count[level];
    /* Words are not worth a walk that only counts. */
    if (!make_room(l, level + 1, level == LEVEL_WORD ? parents * BASES_PER_WORD : count_children(level, l)))
        return false;
    uint32_t *next = l->parents[level + 1], i = 0;
    for (; level == LEVEL_WORD && parents - i >= TOKEN_WORDS; i += TOKEN_WORDS)
        next = write_seeds(next, tokens.words + first + i, i);
    for (; parents - i >= TOKEN_SEEDS; i += TOKEN_SEEDS)
        next = have_one_child(level, &tokens, first + i) ? write_each(next, i)
                                                         : write_some(next, level, &tokens, first, i);
    for (; i < parents; i++)
        next = write_children(next, i, children(level, &tokens, first + i), few);
    l->count[level + 1] = (size_t)(next - l->parents[level + 1]);
    return true;
}

/* The same, with one loop for each level. */
static bool go_down(struct lineage *l, enum token_level level)
{
    switch (level) {
    case LEVEL_WORD:
        return find_parents(l, LEVEL_WORD);
    case LEVEL_SEED:
        return find_parents(l, LEVEL_SEED);
    case LEVEL_GROUP:
        return find_parents(l, LEVEL_GROUP);
    default:
        return find_parents(l, LEVEL_MATCH);
    }
}

/* --- records only ---------------------------------------------------------------------------------------- */

/* Where the records of a stretch are written, and how far. */
struct record_writer {
    uint32_t *matches, *words; /* that each record came from */
    size_t records, match, group;
};

/* Make room for the records of more matches, and for one that is written and did not pass. */
static bool make_record_room(struct lineage *l, struct record_writer *w, size_t matches)
{
    if (!array_reserve(&l->parents[LEVEL_RECORD], &l->room[LEVEL_RECORD], w->records, matches + 1,
                       sizeof *l->parents[LEVEL_RECORD]) ||
        !array_reserve(&l->record_words, &l->record_word_room, w->records, matches + 1,
                       sizeof *l->record_words))
        return false;
    w->matches = l->parents[LEVEL_RECORD];
    w->words = l->record_words;
    return true;
}

/* Write the records of plain seeds, of which there is room for all. */
static void write_plain(struct record_writer *w, const struct plain_seeds *plain, const uint32_t *words)
{
    uint64_t seeds = plain->passed, matches = plain->passed_matches;
    for (; seeds > 0; seeds &= seeds - 1, matches &= matches - 1) {
        w->matches[w->records] = (uint32_t)w->match + (uint32_t)__builtin_ctzll(matches);
        w->words[w->records++] = words[__builtin_ctzll(seeds) / 2];
    }
    w->group += plain->grouped;
    w->match += plain->matches;
}

/* Write the records of a seed that has any number of groups. */
static bool write_groups(struct lineage *l, struct record_writer *w, size_t groups, uint32_t word)
{
    for (const size_t end = w->group + groups; w->group < end; w->group++) {
        const unsigned matches = l->tokens->groups[l->first[LEVEL_GROUP] + w->group].matches;
        if (!make_record_room(l, w, matches))
            return false;
        for (unsigned i = 0; i < matches; i++, w->match++) {
            w->matches[w->records] =
                (uint32_t)w->match; /* one that did not pass is written over by the next */
            w->words[w->records] = word;
            w->records += l->tokens->matches[l->first[LEVEL_MATCH] + w->match];
        }
    }
    return true;
}

static struct token_place place_of(const struct lineage *l, size_t seed, const struct record_writer *w)
{
    return (struct token_place){l->first[LEVEL_SEED] + seed, l->first[LEVEL_GROUP] + w->group,
                                l->first[LEVEL_MATCH] + w->match};
}

/* Find what the records of a stretch came from, whose seeds' words are known. */
static bool find_records(struct lineage *l)
{
    const enum cpu_level level = cpu_best_level();
    const size_t count = l->count[LEVEL_SEED], end = l->first[LEVEL_SEED] + count;
    const uint32_t *words = l->parents[LEVEL_SEED];
    struct record_writer w = {0};
    bool written = true;
    for (size_t seed = 0; seed < count && written;) {
        const struct plain_seeds plain = plain_seeds_at(level, l->tokens, place_of(l, seed, &w), end);
        if ((written = make_record_room(l, &w, 2 * PLAIN_SEEDS_MOST)))
            write_plain(&w, &plain, words + seed);
        seed += plain.count;
        if (written && seed < count && plain.count < PLAIN_SEEDS_MOST) {
            written = write_groups(l, &w, l->tokens->seeds[l->first[LEVEL_SEED] + seed].groups, words[seed]);
            seed++;
        }
    }
    l->count[LEVEL_GROUP] = w.group;
    l->count[LEVEL_MATCH] = w.match;
    l->count[LEVEL_RECORD] = w.records;
    return written;
}

/* The same of the next matches, whose records have positions. */
static bool next_placed(struct lineage *l)
{
    const struct tokens *t = l->tokens;
    const size_t left = t->match_count - l->first[LEVEL_MATCH],
                 count = left < LINEAGE_MATCHES ? left : LINEAGE_MATCHES;
    struct record_writer w = {0};
    l->out_of_memory = !make_record_room(l, &w, LINEAGE_MATCHES);
    if (l->out_of_memory || left == 0)
        return false;
    const uint8_t *passed = t->matches + l->first[LEVEL_MATCH];
    const struct hsp *hsps = t->hsps + l->first[LEVEL_RECORD];
    for (uint32_t match = 0; match < count; match++) {
        w.matches[w.records] = match;
        w.records += passed[match];
    }
    for (size_t i = 0; i < w.records; i++)
        w.words[i] = (uint32_t)(hsps[i].database_position / BASES_PER_WORD - t->first_word);
    l->first[LEVEL_WORD] = 0;
    l->count[LEVEL_WORD] = t->word_count;
    l->count[LEVEL_MATCH] = count;
    l->count[LEVEL_RECORD] = w.records;
    return true;
}

/* --- stretches ------------------------------------------------------------------------------------------- */

/* List the elements that came from the stretch's words. */
static bool list_elements(struct lineage *l)
{
    bool listed = true;
    if (l->only_records)
        return go_down(l, LEVEL_WORD) && find_records(l);
    for (enum token_level level = LEVEL_WORD; level < l->deepest && listed; level++)
        listed = go_down(l, level);
    return listed;
}

bool lineage_next(struct lineage *l)
{
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        l->first[level] += l->count[level];
    if (l->only_records && l->tokens->has_positions)
        return next_placed(l);
    size_t left = l->tokens->word_count - l->first[LEVEL_WORD];
    l->count[LEVEL_WORD] = left < LINEAGE_WORDS ? left : LINEAGE_WORDS;
    l->out_of_memory = !list_elements(l);
    return left > 0 && !l->out_of_memory;
}

/* --- handing down ---------------------------------------------------------------------------------------- */

/* @param parents  those of the elements, and before them those of the levels above */
static inline __attribute__((always_inline)) void hand_down(uint32_t *const *parents, unsigned levels,
                                                            const int64_t *clocks, size_t first, size_t count,
                                                            int64_t *written)
{
    const uint32_t *up[TOKEN_LEVELS];
    for (unsigned level = 0; level < levels; level++)
        up[level] = *(parents - level);
#pragma GCC unroll 4
    for (size_t i = 0; i < count; i++) {
        uint32_t from = up[0][first + i];
        for (unsigned level = 1; level < levels; level++)
            from = up[level][from];
        written[i] = clocks[from];
    }
}

void lineage_hand_down(const struct lineage *l, enum token_level from, const int64_t *clocks,
                       enum token_level to, size_t first, size_t count, int64_t *written)
{
    uint32_t *const *parents = &l->parents[to];
    const bool skips = l->only_records && from == LEVEL_WORD;
    assert(!l->only_records || (to == LEVEL_RECORD && (skips || from == LEVEL_MATCH)));
    switch (skips ? 0 : to - from) {
    case 0:
        hand_down((uint32_t *const[1]){l->record_words}, 1, clocks, first, count, written);
        break;
    case 1:
        hand_down(parents, 1, clocks, first, count, written);
        break;
    case 2:
        hand_down(parents, 2, clocks, first, count, written);
        break;
    case 3:
        hand_down(parents, 3, clocks, first, count, written);
        break;
    default:
        hand_down(parents, 4, clocks, first, count, written);
    }
}
