#include "sim/measure/lineage.h"

#include <stdlib.h>

enum { LINEAGE_WORDS = 512 }; /* of a stretch of elements */

enum {
    FEW_SEEDS = 4, /* seeds of a word that are written in any case, as most words have no more */
    FEW = 1,       /* children of other elements, likewise */
    SPARE = 4,     /* places for what is written in any case */
};

void lineage_destroy(struct lineage *l)
{
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        free(l->parents[level]);
    *l = (struct lineage){0};
}

void lineage_begin(struct lineage *l, const struct tokens *tokens, enum token_level deepest)
{
    l->tokens = tokens;
    l->deepest = deepest;
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        l->first[level] = l->count[level] = 0;
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

/* Write TOKEN_WORDS words for their seeds: most have none. */
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

/* Write TOKEN_SEEDS elements from `first` on for any number of children. */
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

/* Find the parents below a level, with one loop for each. */
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

/* --- stretches ------------------------------------------------------------------------------------------- */

/* List the elements that came from the stretch's words. */
static bool list_elements(struct lineage *l)
{
    bool listed = true;
    for (enum token_level level = LEVEL_WORD; level < l->deepest && listed; level++)
        listed = go_down(l, level);
    return listed;
}

bool lineage_next(struct lineage *l)
{
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        l->first[level] += l->count[level];
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
    switch (to - from) {
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
