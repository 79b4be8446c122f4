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
static size_t children(enum level level, const struct tokens *t, size_t i)
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

/* Hand every element's clock down to what comes of it; in place, from the last element to the first, so `clocks` has
 * room for both levels. @return how many there are on the next level */
static size_t hand_down(enum level level, const struct tokens *t, int64_t *clocks)
{
    size_t parents = count_at(level, t), count = count_at(level + 1, t),
           room = parents > count ? parents : count;
    memmove(clocks + room, clocks, parents * sizeof *clocks);
    size_t next = 0;
    for (size_t i = 0; i < parents; i++)
        for (size_t n = children(level, t, i); n > 0; n--)
            clocks[next++] = clocks[room + i];
    return next;
}

static size_t most_on_a_level(const struct tokens *t)
{
    size_t most = t->word_count;
    most = t->seed_count > most ? t->seed_count : most;
    most = t->group_count > most ? t->group_count : most;
    return t->match_count > most ? t->match_count : most;
}

/* The clocks at which elements of a level passed a port, or what they come from did. */
static void port_clocks(enum board_port port, enum level level, const struct board_rules *rules,
                        const struct tokens *t, const struct board_times *times, int64_t *clocks)
{
    const int64_t *at = clocks_at_port(port, times), delay = board_latency(rules->sram_read_cycles);
    size_t count = count_at(levels[port].clocks, t);
    if (port == PORT_LEFT)
        for (size_t i = 0; i < count; i++)
            clocks[i] = board_clock_at(at[i]);
    else if (port == PORT_READ)
        for (size_t i = 0; i < count; i++)
            clocks[i] = at[i] + delay;
    else if (count > 0)
        memcpy(clocks, at, count * sizeof *clocks);
    for (enum level l = levels[port].clocks; l < level; l++)
        hand_down(l, t, clocks);
}

static bool sample_latency(struct samples *s, const struct channel_spec *c, const struct board_rules *rules,
                           const struct tokens *t, const struct board_times *times)
{
    size_t room = 2 * most_on_a_level(t);
    enum level level = levels[c->to].elements;
    if (!make_room(s, room))
        return false;
    int64_t *values = s->values + s->count, *clocks = s->clocks + s->count;
    port_clocks(c->from, level, rules, t, times, values);
    port_clocks(c->to, level, rules, t, times, clocks);
    size_t count = count_at(level, t);
    for (size_t i = 0; i < count; i++)
        values[i] = clocks[i] - values[i];
    s->count += count;
    return true;
}

/* --- what else an element is worth ----------------------------------------------------------------------- */

/* What a seed's groups amount to; `group` moves on behind them. */
static int64_t seed_value(enum channel_kind kind, const struct tokens *t, size_t seed, size_t *group)
{
    struct seed_token token = t->seeds[seed];
    const bool trips = token.outcome == LOOKUP_DUPLICATE;
    int64_t reads = 1, matches = 0;
    for (unsigned g = 0; g < token.groups; g++, (*group)++) {
        reads += group_sram_reads(t->groups[*group]);
        matches += t->groups[*group].matches;
    }
    switch (kind) {
    case CHANNEL_COLLISION:
        return trips;
    case CHANNEL_READS:
        return reads;
    case CHANNEL_TRIPS:
        return trips ? token.groups : 0;
    case CHANNEL_FALSE:
        return matches == 0;
    default:
        return matches;
    }
}

static bool sample_seeds(struct samples *s, enum channel_kind kind, const struct tokens *t,
                         const struct board_times *times, bool with_clocks)
{
    if (!make_room(s, t->seed_count))
        return false;
    size_t group = 0;
    for (size_t i = 0; i < t->seed_count; i++)
        s->values[s->count + i] = seed_value(kind, t, i, &group);
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
        for (unsigned n = t->words[i]; n > 0; n--)
            seeds += seed_value(CHANNEL_FALSE, t, seed++, &group);
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
        return sample_latency(s, channel, rules, t, times);
    case CHANNEL_FALSE:
        return sample_words(s, t, times, with_clocks);
    case CHANNEL_TRIP_READS:
        return sample_trip_reads(s, t, times, with_clocks);
    default:
        return sample_seeds(s, channel->kind, t, times, with_clocks);
    }
}
