#include "sim/measure_channel.h"

#include <stdlib.h>
#include <string.h>

/* What elements are, upstream first. */
enum level { LEVEL_WORD, LEVEL_SEED, LEVEL_GROUP, LEVEL_MATCH, LEVEL_RECORD };

/* Whose clocks tell when elements of a port passed it, and what the elements are. */
static const struct {
    enum level clocks, elements;
} levels[BOARD_PORTS] = {
    [PORT_DELIVERED] = {LEVEL_WORD, LEVEL_WORD}, [PORT_TAKEN] = {LEVEL_WORD, LEVEL_WORD},
    [PORT_PUSHED] = {LEVEL_WORD, LEVEL_SEED},    [PORT_ISSUED] = {LEVEL_SEED, LEVEL_SEED},
    [PORT_READ] = {LEVEL_SEED, LEVEL_SEED},      [PORT_LOOKUP] = {LEVEL_SEED, LEVEL_SEED},
    [PORT_ENTERED] = {LEVEL_GROUP, LEVEL_MATCH}, [PORT_MATCH] = {LEVEL_MATCH, LEVEL_MATCH},
    [PORT_RECORD] = {LEVEL_MATCH, LEVEL_RECORD}, [PORT_LEFT] = {LEVEL_RECORD, LEVEL_RECORD},
    [PORT_DONE] = {LEVEL_SEED, LEVEL_SEED},
};

static size_t count_records(const struct tokens *t)
{
    size_t records = 0;
    for (size_t i = 0; i < t->match_count; i++)
        records += t->matches[i];
    return records;
}

static size_t count_at(enum level level, const struct tokens *t)
{
    switch (level) {
    case LEVEL_WORD:
        return t->word_count;
    case LEVEL_SEED:
        return t->seed_count;
    case LEVEL_GROUP:
        return t->group_count;
    case LEVEL_MATCH:
        return t->match_count;
    default:
        return count_records(t);
    }
}

static bool make_room(struct samples *s, size_t more)
{
    if (s->count + more <= s->room)
        return true;
    size_t room = 2 * (s->count + more) + 64;
    int64_t *clocks = realloc(s->clocks, room * sizeof *clocks);
    if (clocks)
        s->clocks = clocks;
    int64_t *values = realloc(s->values, room * sizeof *values);
    if (values)
        s->values = values;
    if (clocks && values)
        s->room = room;
    return clocks && values;
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

/* --- when an element passed a port ----------------------------------------------------------------------- */

static const int64_t *clocks_at_port(enum board_port port, const struct board_times *times)
{
    const int64_t *const all[BOARD_PORTS] = {
        [PORT_DELIVERED] = times->word_delivered, [PORT_TAKEN] = times->word_taken,
        [PORT_PUSHED] = times->word_taken,        [PORT_ISSUED] = times->seed_issued,
        [PORT_READ] = times->seed_issued,         [PORT_LOOKUP] = times->seed_taken,
        [PORT_ENTERED] = times->group_entered,    [PORT_MATCH] = times->match_taken,
        [PORT_RECORD] = times->match_taken,       [PORT_LEFT] = times->record_left,
        [PORT_DONE] = times->seed_done,
    };
    return all[port];
}

/* Number of elements of the next level each element of a level comes to. */
static inline size_t children(enum level level, const struct tokens *t, size_t i)
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

/* A clock written for an element that comes to nothing may be one beyond the last. */
enum { HAND_DOWN_SPARE = 1 };

/* Hand every element's clock down to what comes of it. In place: `clocks` has room for both levels and a spare one. */
static inline __attribute__((always_inline)) void hand_down_from(enum level level, const struct tokens *t,
                                                                 int64_t *clocks)
{
    size_t parents = count_at(level, t), count = count_at(level + 1, t);
    int64_t *from = clocks + (parents > count ? parents : count) + HAND_DOWN_SPARE;
    memmove(from, clocks, parents * sizeof *clocks);
    size_t next = 0;
    for (size_t i = 0; i < parents; i++) {
        size_t n = children(level, t, i);
        clocks[next] = from[i]; /* most have one or none: no branch to be foretold */
        for (size_t more = 1; more < n; more++)
            clocks[next + more] = from[i];
        next += n;
    }
}

/* The same, one loop a level. */
static void hand_down(enum level level, const struct tokens *t, int64_t *clocks)
{
    switch (level) {
    case LEVEL_WORD:
        hand_down_from(LEVEL_WORD, t, clocks);
        break;
    case LEVEL_SEED:
        hand_down_from(LEVEL_SEED, t, clocks);
        break;
    case LEVEL_GROUP:
        hand_down_from(LEVEL_GROUP, t, clocks);
        break;
    default:
        hand_down_from(LEVEL_MATCH, t, clocks);
    }
}

static size_t most_on_a_level(const struct tokens *t)
{
    size_t most = t->word_count;
    most = t->seed_count > most ? t->seed_count : most;
    most = t->group_count > most ? t->group_count : most;
    return t->match_count > most ? t->match_count : most;
}

/* The clocks at which elements of a level passed a port, or what they come from did, but for the port's delay. */
static const int64_t *port_clocks(enum board_port port, enum level level, const struct tokens *t,
                                  const struct board_times *times, int64_t *room)
{
    const int64_t *at = clocks_at_port(port, times);
    size_t count = count_at(levels[port].clocks, t);
    if (levels[port].clocks == level && port != PORT_LEFT)
        return at;
    for (size_t i = 0; i < count; i++)
        room[i] = port == PORT_LEFT ? board_clock_at(at[i]) : at[i];
    for (enum level l = levels[port].clocks; l < level; l++)
        hand_down(l, t, room);
    return room;
}

static int64_t delay_of(enum board_port port, const struct board_rules *rules)
{
    return port == PORT_READ ? board_latency(rules->sram_read_cycles) : 0;
}

static bool sample_latency(struct samples *s, const struct channel_spec *c, const struct board_rules *rules,
                           const struct tokens *t, const struct board_times *times, bool with_clocks)
{
    enum level level = levels[c->to].elements;
    if (!make_room(s, 2 * most_on_a_level(t) + HAND_DOWN_SPARE))
        return false;
    int64_t *values = s->values + s->count, *clocks = s->clocks + s->count;
    const int64_t *from = port_clocks(c->from, level, t, times, values);
    const int64_t *to = port_clocks(c->to, level, t, times, clocks);
    const int64_t to_delay = delay_of(c->to, rules), delay = to_delay - delay_of(c->from, rules);
    size_t count = count_at(level, t);
    for (size_t i = 0; i < count; i++)
        values[i] = to[i] - from[i] + delay;
    for (size_t i = 0; with_clocks && i < count; i++)
        clocks[i] = to[i] + to_delay;
    s->count += count;
    return true;
}

static bool sample_origins(struct samples *s, enum board_port port, const struct board_rules *rules,
                           const struct tokens *t, const struct board_times *times)
{
    if (!make_room(s, 2 * most_on_a_level(t) + HAND_DOWN_SPARE))
        return false;
    int64_t *values = s->values + s->count;
    const int64_t *at = port_clocks(port, LEVEL_RECORD, t, times, values);
    size_t count = count_at(LEVEL_RECORD, t);
    for (size_t i = 0; i < count; i++)
        values[i] = at[i] + delay_of(port, rules);
    s->count += count;
    return true;
}

/* --- what else an element is worth ----------------------------------------------------------------------- */

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

/* What a seed is worth, whose groups begin with `first`. */
static inline int64_t seed_value(enum channel_kind kind, const struct tokens *t, struct seed_token seed,
                                 size_t first)
{
    switch (kind) {
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

static inline __attribute__((always_inline)) void fill_seed_values(enum channel_kind kind,
                                                                   const struct tokens *t, int64_t *values)
{
    size_t group = 0;
    for (size_t i = 0; i < t->seed_count; i++) {
        values[i] = seed_value(kind, t, t->seeds[i], group);
        group += t->seeds[i].groups;
    }
}

static bool sample_seeds(struct samples *s, enum channel_kind kind, const struct tokens *t,
                         const struct board_times *times, bool with_clocks)
{
    if (!make_room(s, t->seed_count))
        return false;
    int64_t *values = s->values + s->count;
    switch (kind) {
    case CHANNEL_COLLISION:
        fill_seed_values(CHANNEL_COLLISION, t, values);
        break;
    case CHANNEL_TRIPS:
        fill_seed_values(CHANNEL_TRIPS, t, values);
        break;
    case CHANNEL_READS:
        fill_seed_values(CHANNEL_READS, t, values);
        break;
    default:
        fill_seed_values(CHANNEL_MATCHES, t, values);
    }
    if (with_clocks && t->seed_count > 0)
        memcpy(s->clocks + s->count, times->seed_taken, t->seed_count * sizeof *s->clocks);
    s->count += t->seed_count;
    return true;
}

static bool sample_words(struct samples *s, const struct tokens *t, const struct board_times *times,
                         bool with_clocks)
{
    if (!make_room(s, t->word_count))
        return false;
    size_t seed = 0, group = 0;
    for (size_t i = 0; i < t->word_count; i++) {
        int64_t seeds = 0;
        for (unsigned n = t->words[i]; n > 0; n--, seed++) {
            seeds += (matches_of(t, group, t->seeds[seed].groups) == 0);
            group += t->seeds[seed].groups;
        }
        s->values[s->count + i] = seeds;
    }
    if (with_clocks && t->word_count > 0)
        memcpy(s->clocks + s->count, times->word_taken, t->word_count * sizeof *s->clocks);
    s->count += t->word_count;
    return true;
}

static bool sample_trip_reads(struct samples *s, const struct tokens *t, const struct board_times *times,
                              bool with_clocks)
{
    if (!make_room(s, t->group_count))
        return false;
    for (size_t i = 0; i < t->group_count; i++)
        s->values[s->count + i] = group_sram_reads(t->groups[i]);
    if (with_clocks && t->group_count > 0)
        memcpy(s->clocks + s->count, times->group_entered, t->group_count * sizeof *s->clocks);
    s->count += t->group_count;
    return true;
}

bool channel_sample(struct samples *s, const struct channel_spec *channel, const struct board_rules *rules,
                    const struct tokens *t, const struct board_times *times, bool with_clocks)
{
    switch (channel->kind) {
    case CHANNEL_LATENCY:
        return sample_latency(s, channel, rules, t, times, with_clocks);
    case CHANNEL_ORIGIN:
        return sample_origins(s, channel->from, rules, t, times);
    case CHANNEL_FALSE:
        return sample_words(s, t, times, with_clocks);
    case CHANNEL_TRIP_READS:
        return sample_trip_reads(s, t, times, with_clocks);
    default:
        return sample_seeds(s, channel->kind, t, times, with_clocks);
    }
}
