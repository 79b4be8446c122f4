#include "sim/measure/channel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"

/* --- lineage ---------------------------------------------------------------------------------------------- */

enum {
    LINEAGE_WORDS = 512, /* of a stretch of elements */
    FEW = 4,             /* children that are written in any case, as most elements have no more */
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

/* List the elements that came from the stretch's elements of a level. Inline: there is a loop for each level. */
static inline __attribute__((always_inline)) void find_parents(struct lineage *l, enum token_level level)
{
    const struct tokens tokens = *l->tokens;
    const size_t first = l->first[level], parents = l->count[level], few = level == LEVEL_MATCH ? 1 : FEW;
    size_t count = 0;
    for (size_t i = 0; i < parents; i++)
        count += children(level, &tokens, first + i);
    array_reserve(&l->parents[level + 1], &l->room[level + 1], 0, count + FEW, sizeof(uint32_t));
    uint32_t *next = l->parents[level + 1];
    for (uint32_t i = 0; i < parents; i++) {
        const size_t own = children(level, &tokens, first + i);
        for (size_t n = 0; n < few; n++)
            next[n] = i;
        for (size_t n = few; __builtin_expect(n < own, 0); n++)
            next[n] = i;
        next += own;
    }
    l->count[level + 1] = count;
}

bool lineage_next(struct lineage *l)
{
    for (unsigned level = 0; level < TOKEN_LEVELS; level++)
        l->first[level] += l->count[level];
    const size_t left = l->tokens->word_count - l->first[LEVEL_WORD];
    l->count[LEVEL_WORD] = MIN(left, LINEAGE_WORDS);
#pragma GCC unroll 4
    for (enum token_level level = LEVEL_WORD; level < LEVEL_RECORD; level++)
        if (level < l->deepest)
            find_parents(l, level);
    return left > 0;
}

void lineage_hand_down(const struct lineage *l, enum token_level from, const int64_t *clocks,
                       enum token_level to, size_t first, size_t count, int64_t *written)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t element = l->parents[to][first + i];
        for (unsigned level = to - 1; level > from; level--)
            element = l->parents[level][element];
        written[i] = clocks[element];
    }
}

/* --- channels --------------------------------------------------------------------------------------------- */

/* The level of the elements that a channel samples. */
static enum token_level elements_of(const struct channel_spec *c)
{
    return c->kind == CHANNEL_LATENCY      ? board_ports[c->to].elements
           : c->kind == CHANNEL_TRIP_READS ? LEVEL_GROUP
                                           : LEVEL_SEED;
}

enum token_level channel_depth(const struct channel_spec *c)
{
    return c->kind == CHANNEL_LATENCY ? elements_of(c) : LEVEL_GROUP;
}

/* --- samples --------------------------------------------------------------------------------------------- */

static void make_room(struct samples *s, size_t more)
{
    size_t room = s->room; /* both arrays grow alike */
    array_reserve(&s->clocks, &room, s->count, more, sizeof *s->clocks);
    array_reserve(&s->values, &s->room, s->count, more, sizeof *s->values);
}

void samples_drop(struct samples *s, size_t count)
{
    s->count -= count;
    if (count > 0 && s->count > 0) {
        memmove(s->clocks, s->clocks + count, s->count * sizeof *s->clocks);
        memmove(s->values, s->values + count, s->count * sizeof *s->values);
    }
}

void samples_destroy(struct samples *s)
{
    free(s->clocks);
    free(s->values);
    *s = (struct samples){0};
}

/* --- when elements passed a port ------------------------------------------------------------------------- */

enum { PIECE = 512 }; /* elements of a level that are sampled together, at most */

/* The clocks, without the port's delay, in which elements first .. first + count - 1 of a level of a stretch, or what
 * they came from, passed a port. */
static const int64_t *port_clocks(const struct lineage *stretch, enum token_level level, size_t first,
                                  size_t count, enum board_port port, const struct board_times *times,
                                  int64_t room[static PIECE])
{
    const enum token_level own = board_ports[port].clocks;
    const int64_t *clocks = board_port_times(port, times) + stretch->first[own];
    if (own != level) {
        lineage_hand_down(stretch, own, clocks, level, first, count, room);
        return room;
    }
    if (port != PORT_LEFT)
        return clocks + first;
    for (size_t i = 0; i < count; i++)
        room[i] = board_clock_at(clocks[first + i]);
    return room;
}

/* Append latencies to samples, which have room, or, without them, count them. */
static void take_latencies(struct samples *s, struct tally *tally, const struct channel_spec *c,
                           const struct board_rules *rules, const struct lineage *stretch,
                           const struct board_times *times)
{
    int64_t from_room[PIECE], to_room[PIECE];
    const enum token_level level = elements_of(c);
    const int64_t to_delay = board_port_delay(c->to, rules),
                  delay = to_delay - board_port_delay(c->from, rules);
    for (size_t first = 0, count; (count = MIN(stretch->count[level] - first, PIECE)) > 0; first += count) {
        const int64_t *from = port_clocks(stretch, level, first, count, c->from, times, from_room);
        const int64_t *to = port_clocks(stretch, level, first, count, c->to, times, to_room);
        if (!s) {
            tally_differences(tally, to, from, delay, count);
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            s->values[s->count + i] = to[i] - from[i] + delay;
            s->clocks[s->count + i] = to[i] + to_delay;
        }
        s->count += count;
    }
}

void channel_sample_origins(int64_t *samples, unsigned stride, enum board_port port,
                            const struct board_rules *rules, const struct lineage *stretch,
                            const struct board_times *times)
{
    int64_t room[PIECE], *next = samples + stretch->first[LEVEL_RECORD] * stride;
    const int64_t delay = board_port_delay(port, rules);
    for (size_t first = 0, count; (count = MIN(stretch->count[LEVEL_RECORD] - first, PIECE)) > 0;
         first += count) {
        const int64_t *at = port_clocks(stretch, LEVEL_RECORD, first, count, port, times, room);
        for (size_t i = 0; i < count; i++, next += stride)
            *next = at[i] + delay;
    }
}

/* --- other values of an element ------------------------------------------------------------------------- */

/* The values of each kind of a seed whose groups begin with number `first`. */
struct seed_values {
    int64_t of[CHANNEL_KINDS];
};

static inline struct seed_values seed_values(const struct tokens *t, struct seed_token seed, size_t first)
{
    const bool collided = seed.outcome == LOOKUP_DUPLICATE;
    int64_t matches = 0, reads = 1;
    for (size_t g = first; g < first + seed.groups; g++) {
        matches += t->groups[g].matches;
        reads += group_sram_reads(t->groups[g]);
    }
    return (struct seed_values){{[CHANNEL_FALSE] = matches == 0,
                                 [CHANNEL_COLLISION] = collided,
                                 [CHANNEL_TRIPS] = collided ? seed.groups : 0,
                                 [CHANNEL_READS] = reads,
                                 [CHANNEL_MATCHES] = matches}};
}

static void fill_values(enum channel_kind kind, const struct lineage *stretch, int64_t *values)
{
    const struct tokens *t = stretch->tokens;
    size_t group = stretch->first[LEVEL_GROUP];
    if (kind == CHANNEL_TRIP_READS) {
        for (size_t i = 0; i < stretch->count[LEVEL_GROUP]; i++)
            values[i] = group_sram_reads(t->groups[group + i]);
        return;
    }
    for (size_t i = 0; i < stretch->count[LEVEL_SEED]; i++) {
        struct seed_token seed = t->seeds[stretch->first[LEVEL_SEED] + i];
        values[i] = seed_values(t, seed, group).of[kind];
        group += seed.groups;
    }
}

static enum board_port port_of(enum channel_kind kind)
{
    return kind == CHANNEL_TRIP_READS ? PORT_ENTERED : kind == CHANNEL_FALSE ? PORT_PUSHED : PORT_LOOKUP;
}

void channel_sample(struct samples *s, struct tally *tally, const struct channel_spec *c,
                    const struct board_rules *rules, const struct lineage *stretch,
                    const struct board_times *times)
{
    int64_t room[PIECE];
    const enum token_level level = elements_of(c);
    if (s)
        make_room(s, stretch->count[level]);
    if (c->kind == CHANNEL_LATENCY) {
        take_latencies(s, tally, c, rules, stretch, times);
        return;
    }
    fill_values(c->kind, stretch, s->values + s->count);
    for (size_t first = 0, count; (count = MIN(stretch->count[level] - first, PIECE)) > 0; first += count) {
        memcpy(s->clocks + s->count, port_clocks(stretch, level, first, count, port_of(c->kind), times, room),
               count * sizeof *s->clocks);
        s->count += count;
    }
}

/* --- the same, only counted ------------------------------------------------------------------------------ */

/* A seed is plain if it makes no trip and reads the primary table only, as almost all do: plain seeds differ only in
 * their matches. */
void channels_count_seeds(struct tally *const to[CHANNEL_KINDS], const struct tokens *t)
{
    uint64_t plain[2][UINT8_MAX + 1] = {0}; /* in turn: equal counts do not wait for each other */
    uint64_t reads[UINT8_MAX + 1] = {0}, without_reads = 0; /* groups of others, and of plain seeds */
    for (size_t i = 0, group = 0; i < t->seed_count; group += t->seeds[i++].groups) {
        const struct seed_token seed = t->seeds[i];
        const struct group_token first = seed.groups > 0 ? t->groups[group] : (struct group_token){0};
        if (seed.outcome != LOOKUP_DUPLICATE && seed.groups <= 1 && first.entries == 0) {
            plain[i % 2][first.matches]++;
            without_reads += seed.groups;
            continue;
        }
        const struct seed_values values = seed_values(t, seed, group);
        for (unsigned kind = CHANNEL_FALSE; kind <= CHANNEL_MATCHES; kind++)
            if (to[kind])
                tally_values(to[kind], &values.of[kind], 1);
        for (size_t g = group; g < group + seed.groups; g++)
            reads[group_sram_reads(t->groups[g])]++;
    }
    reads[0] += without_reads;
    for (unsigned n = 0; n <= UINT8_MAX; n++) {
        const struct seed_values values = {
            {[CHANNEL_FALSE] = n == 0, [CHANNEL_READS] = 1, [CHANNEL_MATCHES] = n}};
        const uint64_t seeds = plain[0][n] + plain[1][n];
        for (unsigned kind = CHANNEL_FALSE; kind <= CHANNEL_MATCHES && seeds > 0; kind++)
            if (to[kind])
                tally_often(to[kind], (uint64_t)values.of[kind], seeds);
        if (to[CHANNEL_TRIP_READS] && reads[n] > 0)
            tally_often(to[CHANNEL_TRIP_READS], n, reads[n]);
    }
}
