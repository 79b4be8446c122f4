#include "sim/board.h"

#include <stdlib.h>

enum { SEEDS_PER_WORD_MAX = 16 };

/* The clocks of the latest elements of one kind, by element number. */
struct history {
    int64_t *clocks;
    uint64_t mask;
};

struct board {
    struct board_rules rules;
    int64_t read_latency, fetch_latency;
    uint64_t sram_limit;                     /* occupancy of the SRAM FIFO at which 1bp stops */
    uint64_t words, seeds, matches, records; /* elements so far */
    struct history word_taken, seed_issued, seed_taken, match_taken, record_left;
    int64_t bus_due; /* A, ticks */
    int64_t bus_word_ticks;
    int64_t last_delivered, last_word_taken, last_issued, last_match_taken;
    int64_t lookup_free;      /* first clock in which 1bd may take a lookup */
    int64_t last_lookup_done; /* its last take, or end of a trip */
    int64_t last_record_left;
    uint64_t sram_entered, sram_left; /* lookups, up to the clock 1bp looks at */
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool history_init(struct history *h, uint64_t elements)
{
    uint64_t room = 16;
    while (room < elements)
        room *= 2;
    h->mask = room - 1;
    h->clocks = malloc(room * sizeof *h->clocks);
    return h->clocks != NULL;
}

static int64_t history_get(const struct history *h, uint64_t element)
{
    return h->clocks[element & h->mask];
}

static void history_put(struct history *h, uint64_t element, int64_t clock)
{
    h->clocks[element & h->mask] = clock;
}

/* Clock from which a queue of `places` has room for `coming` more after `before` earlier elements: that of
 * the departure which makes it, or none. */
static int64_t room_clock(const struct history *departures, uint64_t before, uint64_t coming, uint64_t places)
{
    uint64_t must_have_left = before + coming;
    return must_have_left > places ? history_get(departures, must_have_left - places - 1) : INT64_MIN;
}

struct board *board_new(const struct board_rules *rules)
{
    struct board *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->rules = *rules;
    b->read_latency = board_latency(rules->sram_read_cycles);
    b->fetch_latency = board_latency(rules->stage2_fetch_cycles);
    b->sram_limit = rules->sram_lookups - rules->sram_margin;
    b->last_delivered = b->last_word_taken = b->last_issued = b->last_match_taken = b->last_lookup_done = -1;
    b->bus_due = -BOARD_TICKS_PER_CLOCK * 1024; /* no earlier word holds up the first */
    b->last_record_left = INT64_MIN / 2;
    uint64_t in_flight_and_stored = (uint64_t)rules->sram_lookups + rules->sram_read_cycles + 2;
    uint64_t seeds = rules->wmer_seeds + SEEDS_PER_WORD_MAX;
    bool ready = history_init(&b->word_taken, rules->ingress_words + 1) &&
                 history_init(&b->seed_issued, seeds > in_flight_and_stored ? seeds : in_flight_and_stored) &&
                 history_init(&b->seed_taken, in_flight_and_stored) &&
                 history_init(&b->match_taken, rules->stage2_matches + UINT64_C(1)) &&
                 history_init(&b->record_left, rules->egress_records + UINT64_C(1));
    if (ready)
        return b;
    board_destroy(b);
    return NULL;
}

void board_destroy(struct board *b)
{
    if (!b)
        return;
    free(b->word_taken.clocks);
    free(b->seed_issued.clocks);
    free(b->seed_taken.clocks);
    free(b->match_taken.clocks);
    free(b->record_left.clocks);
    free(b);
}

/* Step 6: the clock in which the bus delivers the next word. */
static int64_t deliver_word(struct board *b, int64_t supplied, const struct bus_share *share)
{
    b->bus_due = later(later(b->bus_due + b->bus_word_ticks, supplied), share->begin);
    b->bus_word_ticks = share->word_ticks;
    int64_t due = board_clock_at(b->bus_due);
    int64_t clock = later(due, b->last_delivered + 1);
    clock = later(clock, room_clock(&b->word_taken, b->words, 1, b->rules.ingress_words));
    if (clock > due)
        b->bus_due = clock * BOARD_TICKS_PER_CLOCK;
    return b->last_delivered = clock;
}

/* Step 5: the clock in which 1a takes the word and pushes its seeds. */
static int64_t take_word(struct board *b, unsigned seeds)
{
    int64_t clock = later(b->last_delivered, b->last_word_taken) + 1;
    if (seeds > 0)
        clock = later(clock, room_clock(&b->seed_issued, b->seeds, seeds, b->rules.wmer_seeds));
    history_put(&b->word_taken, b->words++, clock);
    return b->last_word_taken = clock;
}

/* What the SRAM FIFO holds in step 4 of a clock; clocks never go back between calls. */
static uint64_t sram_occupancy(struct board *b, int64_t clock)
{
    while (b->sram_entered < b->seeds &&
           history_get(&b->seed_issued, b->sram_entered) + b->read_latency <= clock)
        b->sram_entered++;
    while (b->sram_left < b->sram_entered && history_get(&b->seed_taken, b->sram_left) <= clock)
        b->sram_left++;
    return b->sram_entered - b->sram_left;
}

/* Step 4: the clock in which 1bp takes the seed and issues its read. */
static int64_t issue_read(struct board *b)
{
    int64_t clock = later(b->last_word_taken, b->last_issued) + 1;
    while (sram_occupancy(b, clock) >= b->sram_limit)
        clock = history_get(&b->seed_taken, b->sram_left); /* nothing sooner makes room */
    history_put(&b->seed_issued, b->seeds, clock);
    return b->last_issued = clock;
}

/* Step 2: the clock, at or after `ready`, in which a group's matches enter the stage-2 FIFO together. */
static int64_t enter_group(const struct board *b, int64_t ready, unsigned matches)
{
    return matches == 0
               ? ready
               : later(ready, room_clock(&b->match_taken, b->matches, matches, b->rules.stage2_matches));
}

/* Step 1: the clock in which stage 2 takes the match. */
static int64_t take_match(struct board *b, int64_t entered)
{
    int64_t clock = later(entered + b->fetch_latency, b->last_match_taken + 1);
    if (b->records >= b->rules.egress_records)
        clock =
            later(clock, board_clock_at(room_clock(&b->record_left, b->records, 1, b->rules.egress_records)));
    history_put(&b->match_taken, b->matches++, clock);
    return b->last_match_taken = clock;
}

/* The tick at which the bus has taken a record that entered the egress FIFO in `clock`. */
static int64_t leave_egress(struct board *b, int64_t clock, int64_t record_ticks)
{
    int64_t left = later(b->last_record_left + record_ticks, clock * BOARD_TICKS_PER_CLOCK);
    history_put(&b->record_left, b->records++, left);
    return b->last_record_left = left;
}

/* Where the walk through a block's tokens stands. */
struct cursor {
    size_t seed, group, match, record;
};

static void move_group(struct board *b, const struct tokens *tokens, const struct bus_share *share,
                       struct cursor *at, int64_t ready, struct board_times *times)
{
    unsigned matches = tokens->groups[at->group].matches;
    int64_t entered = enter_group(b, ready, matches);
    times->group_entered[at->group++] = entered;
    for (unsigned i = 0; i < matches; i++, at->match++) {
        int64_t taken = take_match(b, entered);
        times->match_taken[at->match] = taken;
        if (tokens->matches[at->match])
            times->record_left[at->record++] = leave_egress(b, taken, share->record_ticks);
    }
}

static void move_seed(struct board *b, const struct tokens *tokens, const struct bus_share *share,
                      struct cursor *at, struct board_times *times)
{
    struct seed_token seed = tokens->seeds[at->seed];
    int64_t issued = issue_read(b);
    int64_t taken = later(issued + b->read_latency + 1, b->lookup_free);
    history_put(&b->seed_taken, b->seeds++, taken);
    int64_t trip_cycles = seed.outcome == LOOKUP_DUPLICATE ? b->rules.sram_trip_cycles : 0;
    int64_t held_until = taken;
    for (unsigned i = 0; i < seed.groups; i++) {
        move_group(b, tokens, share, at, held_until + trip_cycles, times);
        held_until = times->group_entered[at->group - 1];
    }
    b->lookup_free = later(taken + 1, held_until);
    b->last_lookup_done = held_until;
    times->seed_issued[at->seed] = issued;
    times->seed_taken[at->seed] = taken;
    times->seed_done[at->seed++] = b->lookup_free;
}

static bool grow(int64_t **array, size_t room, size_t needed)
{
    if (needed <= room)
        return true;
    int64_t *moved = realloc(*array, 2 * needed * sizeof *moved);
    if (!moved)
        return false;
    *array = moved;
    return true;
}

static bool times_make_room(struct board_times *t, const struct tokens *tokens)
{
    const struct {
        int64_t **array;
        size_t *room, needed;
    } arrays[] = {
        {&t->word_delivered, &t->word_room, tokens->word_count},
        {&t->word_taken, &t->word_room, tokens->word_count},
        {&t->seed_issued, &t->seed_room, tokens->seed_count},
        {&t->seed_taken, &t->seed_room, tokens->seed_count},
        {&t->seed_done, &t->seed_room, tokens->seed_count},
        {&t->group_entered, &t->group_room, tokens->group_count},
        {&t->match_taken, &t->match_room, tokens->match_count},
        {&t->record_left, &t->record_room, tokens->match_count},
    };
    const size_t count = sizeof arrays / sizeof arrays[0];
    for (size_t i = 0; i < count; i++)
        if (!grow(arrays[i].array, *arrays[i].room, arrays[i].needed))
            return false;
    for (size_t i = 0; i < count; i++)
        if (arrays[i].needed > *arrays[i].room)
            *arrays[i].room = 2 * arrays[i].needed;
    return true;
}

static size_t words_without_seeds(const struct tokens *tokens, size_t word)
{
    size_t end = word;
    while (end < tokens->word_count && tokens->words[end] == 0)
        end++;
    return end - word;
}

/* Words without seeds that find the ingress FIFO empty: A is the later of two straight lines, everything else follows
 * from it clock for clock. They keep finding it empty, since words are at least a clock apart. */
static void move_quiet_run(struct board *b, const struct bus_share *share, size_t word, size_t count,
                           int64_t supplied, struct board_times *times)
{
    int64_t *restrict delivered = times->word_delivered + word, *restrict taken = times->word_taken + word;
    int64_t first = later(later(b->bus_due + b->bus_word_ticks, share->begin), supplied);
    int64_t step = share->supply_ticks > share->word_ticks ? share->supply_ticks : 0;
    for (size_t i = 0; i < count; i++) {
        int64_t due = later(first + (int64_t)i * share->word_ticks, supplied + (int64_t)i * step);
        delivered[i] = board_clock_at(due);
        taken[i] = delivered[i] + 1;
    }
    int64_t after = (int64_t)count - 1;
    b->bus_due = later(first + after * share->word_ticks, supplied + after * step);
    b->bus_word_ticks = share->word_ticks;
    b->last_delivered = delivered[count - 1];
    b->last_word_taken = taken[count - 1];
    uint64_t kept = count < b->rules.ingress_words ? count : b->rules.ingress_words;
    for (uint64_t i = count - kept; i < count; i++)
        history_put(&b->word_taken, b->words + i, taken[i]);
    b->words += count;
}

/* Whether a word due now would find the ingress FIFO empty and leave it so for the next one. */
static bool is_quiet(const struct board *b, const struct bus_share *share, int64_t supplied)
{
    int64_t due = later(later(b->bus_due + b->bus_word_ticks, share->begin), supplied);
    return share->word_ticks >= BOARD_TICKS_PER_CLOCK && board_clock_at(due) >= b->last_word_taken &&
           board_clock_at(due) > b->last_delivered;
}

bool board_advance(struct board *b, const struct tokens *tokens, const struct bus_share *share,
                   struct board_times *times)
{
    if (!times_make_room(times, tokens))
        return false;
    struct cursor at = {0};
    int64_t supplied = share->supply_first;
    for (size_t word = 0; word < tokens->word_count;) {
        unsigned seeds = tokens->words[word];
        if (seeds == 0 && is_quiet(b, share, supplied)) {
            size_t count = words_without_seeds(tokens, word);
            move_quiet_run(b, share, word, count, supplied, times);
            word += count;
            supplied += (int64_t)count * share->supply_ticks;
            continue;
        }
        times->word_delivered[word] = deliver_word(b, supplied, share);
        times->word_taken[word++] = take_word(b, seeds);
        supplied += share->supply_ticks;
        for (unsigned i = 0; i < seeds; i++)
            move_seed(b, tokens, share, &at, times);
    }
    return true;
}

int64_t board_bus_free(const struct board *b)
{
    return b->bus_due + b->bus_word_ticks;
}

int64_t board_drained(const struct board *b)
{
    int64_t clock = later(b->last_word_taken, b->last_match_taken);
    clock = later(clock, b->last_lookup_done);
    if (b->records > 0)
        clock = later(clock, board_clock_at(b->last_record_left));
    return clock + 1;
}

void board_times_destroy(struct board_times *t)
{
    free(t->word_delivered);
    free(t->word_taken);
    free(t->seed_issued);
    free(t->seed_taken);
    free(t->seed_done);
    free(t->group_entered);
    free(t->match_taken);
    free(t->record_left);
    *t = (struct board_times){0};
}
