#include "sim/measure/channel.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- lineage ---------------------------------------------------------------------------------------------- */

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

static bool make_parents_room(struct lineage *l, enum token_level level, size_t count)
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
    if (!make_parents_room(l, level + 1,
                           level == LEVEL_WORD ? parents * BASES_PER_WORD : count_children(level, l)))
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

/* --- channels --------------------------------------------------------------------------------------------- */

/* The level of the elements that a channel samples. */
static enum token_level elements_of(const struct channel_spec *c)
{
    switch (c->kind) {
    case CHANNEL_LATENCY:
        return board_ports[c->to].elements;
    case CHANNEL_ORIGIN:
        return LEVEL_RECORD;
    case CHANNEL_TRIP_READS:
        return LEVEL_GROUP;
    default:
        return LEVEL_SEED;
    }
}

enum token_level channel_depth(const struct channel_spec *c)
{
    enum token_level elements = elements_of(c);
    return elements == LEVEL_SEED && c->kind != CHANNEL_LATENCY ? LEVEL_GROUP : elements;
}

/* --- samples --------------------------------------------------------------------------------------------- */

static bool make_room(struct samples *s, size_t more)
{
    size_t room = s->room; /* both arrays grow alike */
    return array_reserve(&s->clocks, &room, s->count, more, sizeof *s->clocks) &&
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

enum { PIECE = 512 }; /* elements that are sampled together */

/* Consecutive elements of a stretch, all on one level. */
struct piece {
    const struct lineage *stretch;
    enum token_level level;
    size_t first, count; /* first element in the stretch; number of elements, at most PIECE */
};

static struct piece first_piece(const struct lineage *stretch, enum token_level level)
{
    size_t count = stretch->count[level];
    return (struct piece){stretch, level, 0, count < PIECE ? count : PIECE};
}

static struct piece next_piece(const struct piece *p)
{
    size_t first = p->first + p->count, left = p->stretch->count[p->level] - first;
    return (struct piece){p->stretch, p->level, first, left < PIECE ? left : PIECE};
}

/* The clocks, without the port's delay, in which the elements of a piece, or what they came from, passed a port. */
static const int64_t *port_clocks(const struct piece *p, enum board_port port,
                                  const struct board_times *times, int64_t room[static PIECE])
{
    const enum token_level own = board_ports[port].clocks;
    const int64_t *clocks = board_port_times(port, times) + p->stretch->first[own];
    if (own != p->level) {
        lineage_hand_down(p->stretch, own, clocks, p->level, p->first, p->count, room);
        return room;
    }
    if (port != PORT_LEFT)
        return clocks + p->first;
    for (size_t i = 0; i < p->count; i++)
        room[i] = board_clock_at(clocks[p->first + i]);
    return room;
}

/* What the delays of the ports add to the difference of their port_clocks(). */
static int64_t delay_between(const struct channel_spec *c, const struct board_rules *rules)
{
    return board_port_delay(c->to, rules) - board_port_delay(c->from, rules);
}

static bool sample_latencies(struct samples *s, const struct channel_spec *c, const struct board_rules *rules,
                             const struct lineage *stretch, const struct board_times *times)
{
    int64_t from_room[PIECE], to_room[PIECE];
    const int64_t delay = delay_between(c, rules), to_delay = board_port_delay(c->to, rules);
    for (struct piece p = first_piece(stretch, elements_of(c)); p.count > 0; p = next_piece(&p)) {
        if (!make_room(s, p.count))
            return false;
        const int64_t *from = port_clocks(&p, c->from, times, from_room);
        const int64_t *to = port_clocks(&p, c->to, times, to_room);
        for (size_t i = 0; i < p.count; i++) {
            s->values[s->count + i] = to[i] - from[i] + delay;
            s->clocks[s->count + i] = to[i] + to_delay;
        }
        s->count += p.count;
    }
    return true;
}

void channel_count_latencies(struct tally *tally, const struct channel_spec *c,
                             const struct board_rules *rules, const struct lineage *stretch,
                             const struct board_times *times)
{
    int64_t from_room[PIECE], to_room[PIECE];
    const int64_t delay = delay_between(c, rules);
    for (struct piece p = first_piece(stretch, elements_of(c)); p.count > 0; p = next_piece(&p))
        tally_differences(tally, port_clocks(&p, c->to, times, to_room),
                          port_clocks(&p, c->from, times, from_room), delay, p.count);
}

void channel_sample_origins(int64_t *samples, unsigned stride, const struct channel_spec *c,
                            const struct board_rules *rules, const struct lineage *stretch,
                            const struct board_times *times)
{
    int64_t room[PIECE], *next = samples + stretch->first[LEVEL_RECORD] * stride;
    const int64_t delay = board_port_delay(c->from, rules);
    for (struct piece p = first_piece(stretch, LEVEL_RECORD); p.count > 0; p = next_piece(&p)) {
        const int64_t *at = port_clocks(&p, c->from, times, room);
        for (size_t i = 0; i < p.count; i++, next += stride)
            *next = at[i] + delay;
    }
}

/* --- other values of an element ------------------------------------------------------------------------- */

static int64_t matches_of(const struct tokens *t, size_t first, unsigned groups)
{
    int64_t matches = 0;
    for (unsigned g = 0; g < groups; g++)
        matches += t->groups[first + g].matches;
    return matches;
}

static int64_t reads_of(const struct tokens *t, size_t first, unsigned groups)
{
    int64_t reads = 1;
    for (unsigned g = 0; g < groups; g++)
        reads += group_sram_reads(t->groups[first + g]);
    return reads;
}

/* The value of a seed whose groups begin with number `first`. */
static int64_t seed_value(enum channel_kind kind, const struct tokens *t, struct seed_token seed,
                          size_t first)
{
    switch (kind) {
    case CHANNEL_FALSE:
        return matches_of(t, first, seed.groups) == 0;
    case CHANNEL_COLLISION:
        return seed.outcome == LOOKUP_DUPLICATE;
    case CHANNEL_TRIPS:
        return seed.outcome == LOOKUP_DUPLICATE ? seed.groups : 0;
    case CHANNEL_READS:
        return reads_of(t, first, seed.groups);
    default:
        return matches_of(t, first, seed.groups);
    }
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
        values[i] = seed_value(kind, t, seed, group);
        group += seed.groups;
    }
}

static enum board_port port_of(enum channel_kind kind)
{
    return kind == CHANNEL_TRIP_READS ? PORT_ENTERED : kind == CHANNEL_FALSE ? PORT_PUSHED : PORT_LOOKUP;
}

static bool sample_values(struct samples *s, const struct channel_spec *c, const struct lineage *stretch,
                          const struct board_times *times)
{
    int64_t room[PIECE];
    const enum token_level level = elements_of(c);
    if (!make_room(s, stretch->count[level]))
        return false;
    fill_values(c->kind, stretch, s->values + s->count);
    for (struct piece p = first_piece(stretch, level); p.count > 0; p = next_piece(&p)) {
        memcpy(s->clocks + s->count, port_clocks(&p, port_of(c->kind), times, room),
               p.count * sizeof *s->clocks);
        s->count += p.count;
    }
    return true;
}

bool channel_sample(struct samples *s, const struct channel_spec *channel, const struct board_rules *rules,
                    const struct lineage *stretch, const struct board_times *times)
{
    return channel->kind == CHANNEL_LATENCY ? sample_latencies(s, channel, rules, stretch, times)
                                            : sample_values(s, channel, stretch, times);
}

/* --- the same, only counted ------------------------------------------------------------------------------ */

static void count_often(struct tally *const to[], enum channel_kind kind, uint64_t value, uint64_t times)
{
    if (to[kind] && times > 0)
        tally_often(to[kind], value, times);
}

/* Count a seed that is not plain. */
static void count_seed(struct tally *const to[], const struct tokens *t, struct seed_token seed, size_t first)
{
    for (unsigned kind = CHANNEL_FALSE; kind <= CHANNEL_MATCHES; kind++)
        if (to[kind])
            tally_values(to[kind], (int64_t[1]){seed_value(kind, t, seed, first)}, 1);
    for (unsigned g = 0; to[CHANNEL_TRIP_READS] && g < seed.groups; g++)
        tally_values(to[CHANNEL_TRIP_READS], (int64_t[1]){group_sram_reads(t->groups[first + g])}, 1);
}

/* Numbers of plain seeds: by matches, and those with a group. */
enum { PLAIN_MATCHES_MOST = 2 };
struct plain_count {
    uint64_t by_matches[PLAIN_MATCHES_MOST + 1], grouped;
};

/* Whether a seed is plain; if it is not a false positive, by its group. */
static bool is_plain(struct seed_token seed, const struct group_token *group)
{
    return seed.outcome != LOOKUP_DUPLICATE &&
           (seed.groups == 0 ||
            (seed.groups == 1 && group->entries == 0 && group->matches <= PLAIN_MATCHES_MOST));
}

/* Count the seeds that are not plain. @return the plain seeds, which are not counted yet */
static struct plain_count count_other_seeds(struct tally *const to[], const struct tokens *t)
{
    struct plain_count sum = {0};
    for (size_t at = 0, group = 0; at < t->seed_count;) {
        if (tokens_match_once(t, at, group)) {
            sum.by_matches[1] += TOKEN_SEEDS;
            sum.grouped += TOKEN_SEEDS;
            at += TOKEN_SEEDS;
            group += TOKEN_SEEDS;
            continue;
        }
        const struct seed_token seed = t->seeds[at++];
        if (is_plain(seed, &t->groups[group])) {
            sum.by_matches[seed.groups > 0 ? t->groups[group].matches : 0]++;
            sum.grouped += seed.groups;
        } else {
            count_seed(to, t, seed, group);
        }
        group += seed.groups;
    }
    return sum;
}

/* Plain seeds make no trip and read the primary table only: they differ only in their matches. */
void channels_count_seeds(struct tally *const to[CHANNEL_KINDS], const struct tokens *t)
{
    const struct plain_count plain = count_other_seeds(to, t);
    uint64_t seeds = 0;
    for (unsigned matches = 0; matches <= PLAIN_MATCHES_MOST; matches++) {
        count_often(to, CHANNEL_MATCHES, matches, plain.by_matches[matches]);
        count_often(to, CHANNEL_FALSE, matches == 0, plain.by_matches[matches]);
        seeds += plain.by_matches[matches];
    }
    count_often(to, CHANNEL_COLLISION, 0, seeds);
    count_often(to, CHANNEL_TRIPS, 0, seeds);
    count_often(to, CHANNEL_READS, 1, seeds);
    count_often(to, CHANNEL_TRIP_READS, 0, plain.grouped);
}
