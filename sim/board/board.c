#include "sim/board/board.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* A clock before every pass, which in ticks is still a number. */
#define LONG_AGO (INT64_MIN / 4 / BOARD_TICKS_PER_CLOCK)

/* Front and back end take turns. */
enum {
    FLOWING_SEEDS = 64, /* seeds after which the front end's turn ends if nothing has to wait */
    HELD_WORDS = 512,   /* words after which it ends otherwise */
};

enum {
    FLOW_WORDS = TOKEN_WORDS, /* words that get their clocks together */
    FEW_SEEDS = 4,            /* seeds of a word that are handled inline */
    WORD_SEEDS_MAX = 16,      /* seeds that one word can start */
    RUN_SEEDS = 128,          /* lookups that are advanced in one run */
    PLAIN_MATCHES = 2,        /* most matches of a lookup in such a run */
    LOOK_AHEAD = 8,           /* reads whose room is looked for together */
};

/* The clocks of those elements of earlier blocks that are still to come when a block begins: no element can wait for
 * the others any more. During a block they stand before the block's own clocks, so that an element's number minus a
 * FIFO's places finds the element whose departure made room, whatever its block. */
struct history {
    int64_t *clocks;
    size_t count, room;
};

/* How far the bus and stage 1a have come. */
struct word_end {
    struct word_bus bus;
    int64_t last_delivered, last_taken;
};

/* How far stage 1bp has come. It need not count what is in the SRAM FIFO: see find_sram_room(). */
struct front_end {
    int64_t last_issued;
    int64_t may_fill;   /* number, in the block, of the first read that may still stop 1bp */
    int64_t room_until; /* earliest clock in which that read enters: before it, 1bp need not look */
};

/* How far stages 1bd and 2 have come. */
struct back_end {
    int64_t seed, group, match, record; /* number of the next element in the block */
    int64_t lookup_free;                /* first clock in which 1bd can take a lookup */
    int64_t port_free; /* likewise the duplicate table a trip; used with several on their way */
    int64_t last_match_taken;
    int64_t last_record_left; /* ticks */
};

struct board {
    struct board_rules rules;
    struct history word_taken, seed_issued, seed_taken, group_entered, match_taken, record_left;
    struct word_end word_end;
    struct front_end front_end;
    struct back_end back_end;
    int64_t last_left; /* the last lookup was taken, and all matches have entered the stage-2 FIFO */
    bool has_records;
};

struct board *board_new(const struct board_rules *rules)
{
    struct board *b = memory_new(1, sizeof *b);
    b->rules = *rules;
    b->word_end.last_delivered = b->word_end.last_taken = b->front_end.last_issued = b->last_left = -1;
    b->word_end.bus = WORD_BUS_IDLE;
    b->back_end =
        (struct back_end){.last_match_taken = -1, .last_record_left = LONG_AGO * BOARD_TICKS_PER_CLOCK};
    return b;
}

void board_destroy(struct board *b)
{
    if (!b)
        return;
    free(b->word_taken.clocks);
    free(b->seed_issued.clocks);
    free(b->seed_taken.clocks);
    free(b->group_entered.clocks);
    free(b->match_taken.clocks);
    free(b->record_left.clocks);
    free(b);
}

/* A block on its way through the board. */
struct walk {
    struct board *board;
    struct tokens tokens;
    struct bus_share share;
    struct board_times times;
    int64_t ingress_words, wmer_seeds, stage2_matches, egress_records;
    int64_t sram_limit; /* occupancy of the SRAM FIFO from which on 1bp stops */
    int64_t read_latency, trip_cycles, fetch_latency;
    int64_t trips_in_flight;
    int64_t seeds_issued; /* number of the block's seeds issued so far */
    /* Clocks from one element to the next: 1, or 0 in a free stage. */
    int64_t step_1a, step_1bp, step_1bd, step_2;

    /* When there was room in their FIFO for word i, for seeds or matches up to number i - 1, for record i. */
    const int64_t *word_room, *seed_room, *match_room, *record_room;
};

/* --- step 4: reads --------------------------------------------------------------------------------------- */

static void move_lookups(const struct walk *walk, int64_t end);

/* Number of consecutive reads, starting with `read` issued no earlier than `clock`, that certainly find room in the
 * SRAM FIFO. Lookups leave in order: if the last of several has left early enough for the first read, all have. */
static int64_t reads_with_room(const struct walk *w, int64_t read, int64_t clock)
{
    const int64_t *room = w->times.seed_taken + read + 1 - w->sram_limit;
    const int64_t known = w->board->back_end.seed + w->sram_limit - 1 - read;
    const int64_t enters = clock + w->read_latency;
    int64_t reads = 0;
    while (reads + LOOK_AHEAD <= known && room[reads + LOOK_AHEAD - 1] <= enters + reads)
        reads += LOOK_AHEAD;
    while (reads < known && room[reads] <= enters + reads)
        reads++;
    return reads;
}

/* The first clock from `clock` on in which 1bp can issue a read; also finds how long it can then certainly go on.
 *
 * A read fills the SRAM FIFO to its limit if the lookup that came `sram_limit` before the read's successor has not left
 * by the clock in which the read enters; 1bp then waits until that lookup has left. Whether a read does so never
 * changes, so each is looked at once, if possible before it is issued: reads not yet issued enter at most one per
 * clock. */
static int64_t find_sram_room(const struct walk *w, struct front_end *f, int64_t seed, int64_t clock)
{
    const int64_t *room = w->times.seed_taken + 1 - w->sram_limit, *issued = w->times.seed_issued;
    int64_t read = f->may_fill;
    if (seed - w->sram_limit >= w->board->back_end.seed)
        move_lookups(w, seed);
    for (; read < seed; read++) {
        int64_t enters = issued[read] + w->read_latency;
        if (room[read] <= enters)
            continue;
        if (enters > clock)
            break;
        clock = later(clock, room[read]);
    }
    if (read >= seed)
        read += reads_with_room(w, read, clock + read - seed);
    f->may_fill = read;
    f->room_until = (read < seed ? issued[read] : clock + read - seed) + w->read_latency;
    return clock;
}

/* 1bp takes a word's seeds, pushed in one clock, and issues their reads (step 4). */
static __attribute__((noinline)) void issue_reads(const struct walk *w, struct front_end *f, int64_t seed,
                                                  unsigned count, int64_t pushed)
{
    f->last_issued = later(f->last_issued, pushed);
    for (int64_t end = seed + count; seed < end; seed++) {
        f->last_issued++;
        if (f->last_issued >= f->room_until)
            f->last_issued = find_sram_room(w, f, seed, f->last_issued);
        w->times.seed_issued[seed] = f->last_issued;
    }
}

/* Reads of a word with many seeds, after the first few. */
static __attribute__((noinline)) void issue_many_reads(int64_t *issued, unsigned count, int64_t first)
{
    for (unsigned i = FEW_SEEDS; i < count; i++)
        issued[i] = first + i;
}

/* Issue reads if there certainly is room for all of them: one per clock. Most words have few seeds; FEW_SEEDS are
 * written in any case. */
static inline void issue_flowing_reads(int64_t *issued, unsigned count, int64_t first)
{
    for (unsigned i = 0; i < FEW_SEEDS; i++)
        issued[i] = first + i;
    if (__builtin_expect(count > FEW_SEEDS, 0))
        issue_many_reads(issued, count, first);
}

/* --- steps 6 and 5: words -------------------------------------------------------------------------------- */

/* The tick at which the host has supplied a word of this block. */
static inline int64_t supplied_at(const struct walk *w, size_t word)
{
    return w->share.supply_first + (int64_t)word * w->share.supply_ticks;
}

/* The bus delivers a word (step 6): at most one per clock, after the word that came `ingress_words` before has left. A
 * word that has to wait holds the bus. 1a takes it and pushes its seeds, up to number `end` - 1, when there is room
 * (step 5). A word without seeds always finds room, since the seeds before it did.
 *
 * @param any_clock  a word may be due in the clock of the one before, and come in it */
static inline void move_word(const struct walk *w, struct word_end *e, size_t word, int64_t supplied,
                             int64_t end, bool any_clock)
{
    int64_t due = later(e->bus.free, supplied);
    int64_t left = w->word_room[word];
    int64_t too_soon = (any_clock ? left - 1 : later(e->last_delivered, left - 1)) * BOARD_TICKS_PER_CLOCK;
    int64_t delivered = too_soon >= due ? too_soon + BOARD_TICKS_PER_CLOCK : due;
    int64_t room = w->seed_room[end];
    e->bus = word_bus_carry(e->bus, delivered, w->share.word_ticks);
    e->last_delivered = board_clock_at(delivered);
    e->last_taken = later(later(e->last_delivered, e->last_taken) + 1, room);
}

/* Move words, and issue the reads of their seeds, until it is the back end's turn. Loops in functions of their own have
 * all registers for themselves. @return the first word that has not moved */
static __attribute__((noinline)) size_t move_words(struct walk *walk, size_t word)
{
    const struct walk w = *walk;
    struct word_end e = w.board->word_end;
    struct front_end f = w.board->front_end;
    const size_t left = w.tokens.word_count - word, end = word + (left < HELD_WORDS ? left : HELD_WORDS);
    int64_t seed = w.seeds_issued, supplied = supplied_at(&w, word);
    for (; word < end; word++, supplied += w.share.supply_ticks) {
        unsigned seeds = w.tokens.words[word];
        move_word(&w, &e, word, supplied, seed + seeds, false);
        w.times.word_delivered[word] = e.last_delivered;
        w.times.word_taken[word] = e.last_taken;
        int64_t before = later(e.last_taken, f.last_issued);
        if (__builtin_expect(before + seeds < f.room_until, 1)) {
            issue_flowing_reads(w.times.seed_issued + seed, seeds, before + 1);
            f.last_issued = before + seeds;
        } else {
            struct front_end stopped = f;
            issue_reads(walk, &stopped, seed, seeds, e.last_taken);
            f = stopped;
        }
        seed += seeds;
    }
    w.board->word_end = e;
    w.board->front_end = f;
    walk->seeds_issued = seed;
    return word;
}

/* Words, and how far bus and 1bp have come with them, if nothing has to wait. */
struct flow {
    size_t word;
    int64_t seed,
        most; /* number of the next seed in the block; of that with which the front end's turn ends */
    struct word_bus bus;
    int64_t supplied; /* tick at which the host has supplied the next word */
    int64_t last_delivered, last_issued;
};

/* Ticks for which records have the bus beside each word of the next stretch; -1 if that changes. */
static inline int64_t beside_stretch(const struct walk *w, const struct flow *f)
{
    return f->bus.records == 0                                  ? 0
           : f->bus.records >= FLOW_WORDS * w->share.word_ticks ? w->share.word_ticks
                                                                : -1;
}

/* Ticks between words of the next stretch: w, and what records have beside it, if all wait for the bus; h if all wait
 * for the host, and no record crosses; 0 if that changes. */
static inline int64_t stretch_ticks(const struct walk *w, const struct flow *f)
{
    const int64_t beside = beside_stretch(w, f), bus = w->share.word_ticks + beside;
    const int64_t host = w->share.supply_ticks, gaps = FLOW_WORDS - 1;
    if (beside < 0)
        return 0;
    if (f->bus.free >= f->supplied)
        return f->bus.free + gaps * bus >= f->supplied + gaps * host ? bus : 0;
    return host >= bus && beside == 0 ? host : 0;
}

/* FLOW_WORDS words are due every `ticks` ticks, and taken in the clock after their delivery. */
static inline void write_flow(uint64_t due, uint64_t ticks, int64_t *restrict delivered,
                              int64_t *restrict taken)
{
    due += BOARD_TICKS_PER_CLOCK - 1;
    for (unsigned i = 0; i < FLOW_WORDS; i++, due += ticks) {
        int64_t clock = (int64_t)(due >> BOARD_TICK_BITS);
        delivered[i] = clock;
        taken[i] = clock + 1;
    }
}

/* Move a stretch of words, or its part before the end of the front end's turn. */
static inline void flow_stretch(const struct walk *w, struct flow *f, int64_t ticks)
{
    int64_t *delivered = w->times.word_delivered + f->word, *taken = w->times.word_taken + f->word;
    const uint8_t *words = w->tokens.words + f->word;
    const int64_t due = later(f->bus.free, f->supplied), beside = beside_stretch(w, f);
    unsigned moved = FLOW_WORDS;
    write_flow((uint64_t)due, (uint64_t)ticks, delivered, taken);
    for (uint32_t mask = tokens_words_with_seeds(words); mask > 0; mask &= mask - 1) {
        const unsigned word = (unsigned)__builtin_ctz(mask), seeds = words[word];
        f->last_issued = later(f->last_issued, taken[word]);
        issue_flowing_reads(w->times.seed_issued + f->seed, seeds, f->last_issued + 1);
        f->last_issued += seeds;
        f->seed += seeds;
        if (f->seed >= f->most) {
            moved = word + 1;
            break;
        }
    }
    f->word += moved;
    f->bus = (struct word_bus){due + (moved - 1) * ticks + w->share.word_ticks + beside,
                               f->bus.records - moved * beside};
    f->supplied += moved * w->share.supply_ticks;
    f->last_delivered = delivered[moved - 1];
    f->last_issued = later(f->last_issued, taken[moved - 1]);
}

static inline void flow_word(const struct walk *w, struct flow *f)
{
    unsigned seeds = w->tokens.words[f->word];
    int64_t due = later(f->bus.free, f->supplied);
    f->supplied += w->share.supply_ticks;
    f->bus = word_bus_carry(f->bus, due, w->share.word_ticks);
    f->last_delivered = board_clock_at(due);
    w->times.word_delivered[f->word] = f->last_delivered;
    w->times.word_taken[f->word++] = f->last_delivered + 1;
    f->last_issued = later(f->last_issued, f->last_delivered + 1);
    issue_flowing_reads(w->times.seed_issued + f->seed, seeds, f->last_issued + 1);
    f->last_issued += seeds;
    f->seed += seeds;
}

/* What move_words() does if nothing has to wait. */
static __attribute__((noinline)) size_t move_flowing_words(struct walk *walk, size_t word)
{
    const struct walk w = *walk;
    struct flow f = {.word = word,
                     .seed = w.seeds_issued,
                     .most = w.seeds_issued + FLOWING_SEEDS,
                     .bus = w.board->word_end.bus,
                     .supplied = supplied_at(&w, word),
                     .last_issued = w.board->front_end.last_issued};
    do {
        int64_t ticks = w.tokens.word_count - f.word >= FLOW_WORDS ? stretch_ticks(&w, &f) : 0;
        if (ticks > 0)
            flow_stretch(&w, &f, ticks);
        else
            flow_word(&w, &f);
    } while (f.word < w.tokens.word_count && f.seed < f.most);
    w.board->word_end = (struct word_end){f.bus, f.last_delivered, f.last_delivered + 1};
    w.board->front_end =
        (struct front_end){f.last_issued, .may_fill = f.seed, .room_until = f.last_issued + w.read_latency};
    walk->seeds_issued = f.seed;
    return f.word;
}

/* Whether the next words and their seeds certainly do not wait: each word finds the ingress FIFO empty and room in the
 * w-mer FIFO, and the reads cannot fill the SRAM FIFO up to its limit, even if nothing leaves it meanwhile. */
static bool front_flows(const struct walk *w, size_t word)
{
    const struct word_end *e = &w->board->word_end;
    int64_t due = board_clock_at(later(e->bus.free, supplied_at(w, word)));
    int64_t most = FLOWING_SEEDS + WORD_SEEDS_MAX, end = w->seeds_issued + most;
    return w->share.word_ticks >= BOARD_TICKS_PER_CLOCK && due >= e->last_taken && due > e->last_delivered &&
           most <= w->wmer_seeds && w->seed_room[end] <= due + 1 && most <= w->sram_limit &&
           w->times.seed_taken[end - w->sram_limit - 1] <= due + 1;
}

/* --- steps 1 and 2: lookups and matches ------------------------------------------------------------------ */

/* Stage 2 takes a match; a match that passes becomes a record. The tick at which it would leave is written in any case
 * and overwritten if it does not pass: which match passes cannot be predicted, so nothing branches. */
static inline void take_match(const struct walk *w, struct back_end *e, int64_t entered)
{
    int64_t passed = w->tokens.matches[e->match];
    int64_t egress_room = board_clock_at(w->record_room[e->record]);
    int64_t clock = later(later(entered + w->fetch_latency, e->last_match_taken + 1), egress_room);
    int64_t left = later(e->last_record_left + w->share.record_ticks, clock * BOARD_TICKS_PER_CLOCK);
    w->times.match_taken[e->match++] = e->last_match_taken = clock;
    w->times.record_left[e->record] = left;
    e->last_record_left += (left - e->last_record_left) & -passed;
    e->record += passed;
}

static inline void take_matches(const struct walk *w, struct back_end *e, unsigned matches, int64_t entered)
{
    for (; matches > 0; matches--)
        take_match(w, e, entered);
}

/* A group enters the stage-2 FIFO as soon as it is ready and there is room for all its matches. */
static inline int64_t enter_group(const struct walk *w, const struct back_end *e, unsigned matches,
                                  int64_t ready)
{
    int64_t room = w->match_room[e->match + matches];
    return w->times.group_entered[e->group] = later(ready, room);
}

/* Move one group after the other, each after a trip; inline groups make no trip. */
static inline int64_t move_groups(const struct walk *w, struct back_end *e, unsigned groups, int64_t clock,
                                  int64_t trip_cycles)
{
    for (; groups > 0; groups--) {
        unsigned matches = w->tokens.groups[e->group].matches;
        clock = enter_group(w, e, matches, clock + trip_cycles);
        e->group++;
        take_matches(w, e, matches, clock);
    }
    return clock;
}

/* 1bd takes a lookup and has finished it when its last group has entered the stage-2 FIFO. */
static inline void move_lookup(const struct walk *w, struct back_end *e)
{
    struct seed_token token = w->tokens.seeds[e->seed];
    int64_t stored = w->times.seed_issued[e->seed] + w->read_latency;
    int64_t taken = later(stored + 1, e->lookup_free);
    int64_t last =
        move_groups(w, e, token.groups, taken, token.outcome == LOOKUP_DUPLICATE ? w->trip_cycles : 0);
    e->lookup_free = later(taken + 1, last);
    w->times.seed_taken[e->seed] = taken;
    w->times.seed_done[e->seed++] = e->lookup_free;
}

/* The longest run of plain lookups, which make no trip and have few matches, such that their records wait for earlier
 * records only, and that groups and matches exist to be read. */
static int64_t longest_run(const struct walk *w, const struct back_end *e, int64_t end)
{
    int64_t groups = (int64_t)w->tokens.group_count - e->group;
    int64_t matches = (int64_t)w->tokens.match_count - e->match;
    int64_t run = sooner(sooner(end - e->seed, RUN_SEEDS), groups);
    return sooner(run, sooner(matches, w->egress_records) / PLAIN_MATCHES);
}

/* Stage 2 takes the matches of a plain lookup from a clock on, each when there is room for its record. PLAIN_MATCHES
 * are written; those that do not exist are overwritten later. @return the clock for the next match */
static inline int64_t take_few_matches(const struct walk *w, int64_t match, unsigned matches, int64_t clock,
                                       int64_t *record)
{
    const uint8_t *passed = w->tokens.matches + match;
    unsigned first = (matches + 1) / 2, second = matches / 2;
    clock = later(clock, board_clock_at(w->record_room[*record]));
    w->times.match_taken[match] = clock;
    *record += passed[0] & first;
    clock = later(clock + first, board_clock_at(w->record_room[*record]));
    w->times.match_taken[match + 1] = clock;
    *record += passed[1] & second;
    return clock + second;
}

/* Let those matches from `match` on that passed leave as records. */
static void leave_records(const struct walk *w, struct back_end *e, int64_t match)
{
    int64_t *record = w->times.record_left + e->record, *const first = record;
    for (; match < e->match; match++) {
        *record = w->times.match_taken[match] * BOARD_TICKS_PER_CLOCK;
        record += w->tokens.matches[match];
    }
    int64_t left = e->last_record_left;
    for (int64_t *r = first; r < record; r++)
        *r = left = later(left + w->share.record_ticks, *r);
    e->last_record_left = left;
    e->record += record - first;
}

/* Move a run of plain lookups, up to the first that is not plain. Their outcomes cannot be predicted, so nothing
 * branches: a lookup without a group is treated as one with no matches, which finds the room that its predecessor
 * found. */
static void move_plain_lookups(const struct walk *walk, struct back_end *e, int64_t count)
{
    const struct walk w = *walk;
    struct back_end at = *e;
    int64_t record = at.record, next_match = at.last_match_taken + 1;
    for (const int64_t end = at.seed + count; at.seed < end; at.seed++) {
        struct seed_token token = w.tokens.seeds[at.seed];
        unsigned matches = w.tokens.groups[at.group].matches * (unsigned)token.groups;
        if (token.outcome == LOOKUP_DUPLICATE || matches > PLAIN_MATCHES)
            break;
        int64_t room = w.match_room[at.match + matches];
        int64_t taken = later(w.times.seed_issued[at.seed] + w.read_latency + 1, at.lookup_free);
        int64_t entered = later(taken, room);
        at.lookup_free = later(taken + 1, room);
        w.times.seed_taken[at.seed] = taken;
        w.times.seed_done[at.seed] = at.lookup_free;
        w.times.group_entered[at.group] = entered;
        next_match = later(next_match, entered + w.fetch_latency);
        next_match = take_few_matches(&w, at.match, matches, next_match, &record);
        at.match += matches;
        at.group += token.groups;
    }
    if (at.match > e->match)
        at.last_match_taken = w.times.match_taken[at.match - 1];
    leave_records(&w, &at, e->match);
    *e = at;
}

static void move_lookup_freely(const struct walk *w, struct back_end *e);

/* Move the lookups of issued seeds, up to number `end` - 1. */
static void move_lookups(const struct walk *walk, int64_t end)
{
    struct back_end e = walk->board->back_end;
    while (walk->trips_in_flight > 1 && e.seed < end)
        move_lookup_freely(walk, &e);
    while (e.seed < end) {
        int64_t run = longest_run(walk, &e, end);
        if (run > 0)
            move_plain_lookups(walk, &e, run);
        if (e.seed < end)
            move_lookup(walk, &e);
    }
    walk->board->back_end = e;
}

/* --- free stages, and several trips on their way ------------------------------------------------------------ */

/* Move a lookup as move_lookup() does, and its matches as take_match() does, in stages that may be free, and with any
 * number of groups on their way. */
static void move_lookup_freely(const struct walk *w, struct back_end *e)
{
    struct seed_token token = w->tokens.seeds[e->seed];
    const bool trips = token.outcome == LOOKUP_DUPLICATE;
    const int64_t *entered = w->times.group_entered, *place = entered - w->trips_in_flight;
    const int64_t taken = later(w->times.seed_issued[e->seed] + w->read_latency + 1, e->lookup_free);
    const int64_t begun = trips ? later(taken, e->port_free) : taken;
    for (unsigned groups = token.groups; groups > 0; groups--) {
        const unsigned matches = w->tokens.groups[e->group].matches;
        int64_t ready = trips ? board_make_trip(&e->port_free, w->tokens.groups[e->group], w->trip_cycles,
                                                later(taken, place[e->group]))
                              : taken;
        int64_t clock = enter_group(w, e, matches, later(ready, entered[e->group - 1]));
        e->group++;
        for (unsigned i = 0; i < matches; i++) {
            e->last_match_taken += w->step_2 - 1; /* which take_match() adds 1 to */
            take_match(w, e, clock);
        }
    }
    e->lookup_free = later(begun + w->step_1bd, place[e->group]);
    w->times.seed_taken[e->seed] = taken;
    w->times.seed_done[e->seed++] = e->lookup_free;
}

/* A read of a free 1bp is issued as soon as the lookups before it leave it room below the SRAM FIFO's limit. */
static int64_t issue_freely(const struct walk *w, struct front_end *f, int64_t seed, int64_t pushed)
{
    const int64_t before = later(f->last_issued, pushed) + 1;
    return w->step_1bp > 0
               ? find_sram_room(w, f, seed, before)
               : later(later(f->last_issued, pushed + 1), w->times.seed_taken[seed - w->sram_limit]);
}

/* Move a word and all that follows from it. */
static void move_word_freely(struct walk *w, size_t word)
{
    struct word_end *e = &w->board->word_end;
    struct front_end *f = &w->board->front_end;
    const int64_t end = w->seeds_issued + w->tokens.words[word];
    e->last_taken += w->step_1a - 1; /* which move_word() adds 1 to */
    move_word(w, e, word, supplied_at(w, word), end, w->step_1a == 0);
    w->times.word_delivered[word] = e->last_delivered;
    w->times.word_taken[word] = e->last_taken;
    for (; w->seeds_issued < end; w->seeds_issued++) {
        f->last_issued = issue_freely(w, f, w->seeds_issued, e->last_taken);
        w->times.seed_issued[w->seeds_issued] = f->last_issued;
        while (w->board->back_end.seed <= w->seeds_issued)
            move_lookup_freely(w, &w->board->back_end);
    }
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

/* Keep the clocks that come after `clock`, of elements of earlier blocks and of this one; of very many, the last that
 * fill the FIFO behind them: who looks further back finds that they made room long ago. */
static void history_keep(struct history *h, const int64_t *block, size_t count, int64_t clock, size_t places)
{
    const int64_t *all = block - h->count;
    size_t from = ORDER_FIRST(i, h->count + count, all[i] > clock), kept = h->count + count - from;
    if (kept > places) {
        from += kept - places;
        kept = places;
    }
    if (kept > h->room) {
        free(h->clocks);
        h->clocks = memory_take(2 * kept * sizeof *h->clocks);
        h->room = 2 * kept;
    }
    if (kept > 0)
        memcpy(h->clocks, all + from, kept * sizeof *h->clocks);
    h->count = kept;
}

void board_times_destroy(struct board_times *t)
{
    scratch_destroy(&t->memory);
    *t = (struct board_times){0};
}

void board_times_make_room(struct board_times *t, const struct tokens *tokens, size_t lead)
{
    const struct {
        int64_t **array;
        size_t elements;
    } arrays[] = {{&t->word_delivered, tokens->word_count}, {&t->word_taken, tokens->word_count},
                  {&t->seed_issued, tokens->seed_count},    {&t->seed_taken, tokens->seed_count},
                  {&t->seed_done, tokens->seed_count},      {&t->group_entered, tokens->group_count},
                  {&t->match_taken, tokens->match_count},   {&t->record_left, tokens->match_count}};
    enum { ARRAYS = sizeof arrays / sizeof arrays[0] };
    const size_t more = lead + FEW_SEEDS; /* FEW_SEEDS are written before it is known whether they exist */
    size_t elements = 0;
    for (int i = 0; i < ARRAYS; i++)
        elements += arrays[i].elements + more;
    scratch_begin(&t->memory, elements * sizeof(int64_t));
    for (int i = 0; i < ARRAYS; i++)
        *arrays[i].array =
            (int64_t *)scratch_take(&t->memory, (arrays[i].elements + more) * sizeof(int64_t)) + lead;
}

/* A FIFO with more places than there are elements never fills: this number of places has the same effect. */
static int64_t enough_places(int64_t places, const struct history *h, size_t elements)
{
    int64_t enough = (int64_t)(h->count + elements) + PLAIN_MATCHES * RUN_SEEDS;
    return places < enough ? places : enough;
}

static struct walk walk_begin(struct board *b, const struct tokens *tokens, const struct bus_share *share)
{
    const struct board_rules *r = &b->rules;
    struct walk w = {
        .board = b,
        .tokens = *tokens,
        .share = *share,
        .ingress_words = enough_places(r->ingress_words, &b->word_taken, tokens->word_count),
        .wmer_seeds = enough_places(r->wmer_seeds, &b->seed_issued, tokens->seed_count),
        .sram_limit =
            enough_places((int64_t)r->sram_lookups - r->sram_margin, &b->seed_taken, tokens->seed_count),
        .stage2_matches = enough_places(r->stage2_matches, &b->match_taken, tokens->match_count),
        .egress_records = enough_places(r->egress_records, &b->record_left, tokens->match_count),
        .read_latency = board_latency(r->free_stages & BOARD_FREE_1BP ? 0 : r->sram_read_cycles),
        .trip_cycles = r->free_stages & BOARD_FREE_1BD ? 0 : board_trip_cycles(r),
        .trips_in_flight = r->trips_in_flight,
        .fetch_latency = board_latency(r->free_stages & BOARD_FREE_2 ? 0 : r->stage2_fetch_cycles),
        .step_1a = !(r->free_stages & BOARD_FREE_1A),
        .step_1bp = !(r->free_stages & BOARD_FREE_1BP),
        .step_1bd = !(r->free_stages & BOARD_FREE_1BD),
        .step_2 = !(r->free_stages & BOARD_FREE_2),
    };
    return w;
}

/* One kind of elements, and how far before the block's first element its clocks are read. */
struct lane {
    const struct history *before;
    int64_t *block;
    int64_t depth, long_ago;
};

enum { LANES = 6 };

static void list_lanes(const struct walk *w, struct lane lanes[static LANES])
{
    const struct board *b = w->board;
    const struct board_times *t = &w->times;
    lanes[0] = (struct lane){&b->word_taken, t->word_taken, w->ingress_words, LONG_AGO};
    lanes[1] = (struct lane){&b->seed_issued, t->seed_issued, w->wmer_seeds + 1, LONG_AGO};
    lanes[2] = (struct lane){&b->seed_taken, t->seed_taken, w->sram_limit + 1 + (int64_t)b->seed_issued.count,
                             LONG_AGO};
    lanes[3] = (struct lane){&b->match_taken, t->match_taken, w->stage2_matches + 1, LONG_AGO};
    lanes[4] =
        (struct lane){&b->record_left, t->record_left, w->egress_records, LONG_AGO * BOARD_TICKS_PER_CLOCK};
    lanes[5] = (struct lane){&b->group_entered, t->group_entered, w->trips_in_flight, LONG_AGO};
}

static size_t lane_lead(const struct lane *lane)
{
    return (size_t)later(lane->depth, (int64_t)lane->before->count + 1);
}

static void lane_begin(const struct lane *lane)
{
    size_t count = lane->before->count;
    for (int64_t *c = lane->block - lane_lead(lane); c < lane->block - count; c++)
        *c = lane->long_ago;
    if (count > 0)
        memcpy(lane->block - count, lane->before->clocks, count * sizeof *lane->block);
}

static void begin_block(struct walk *w, const struct tokens *tokens, struct board_times *times)
{
    struct lane lanes[LANES];
    size_t lead = 0;
    list_lanes(w, lanes);
    for (int i = 0; i < LANES; i++)
        if (lane_lead(&lanes[i]) > lead)
            lead = lane_lead(&lanes[i]);
    board_times_make_room(times, tokens, lead);
    w->times = *times;
    w->word_room = times->word_taken - w->ingress_words;
    w->seed_room = times->seed_issued - w->wmer_seeds - 1;
    w->match_room = times->match_taken - w->stage2_matches - 1;
    w->record_room = times->record_left - w->egress_records;
    list_lanes(w, lanes);
    for (int i = 0; i < LANES; i++)
        lane_begin(&lanes[i]);
    struct front_end *f = &w->board->front_end;
    f->may_fill = later(f->may_fill, -1 - (int64_t)w->board->seed_issued.count);
}

/* Keep what the next block needs: its elements all come after the last word's delivery. */
static void end_block(struct board *b, const struct walk *w)
{
    const struct board_times *t = &w->times;
    const struct board_rules *r = &b->rules;
    struct back_end *e = &b->back_end;
    int64_t clock = b->word_end.last_delivered;
    if (e->seed > 0)
        b->last_left = later(b->last_left, t->seed_taken[e->seed - 1]);
    if (e->group > 0)
        b->last_left = later(b->last_left, t->group_entered[e->group - 1]);
    b->has_records = b->has_records || e->record > 0;
    history_keep(&b->word_taken, t->word_taken, w->tokens.word_count, clock, SIZE_MAX);
    history_keep(&b->seed_issued, t->seed_issued, (size_t)e->seed, clock - w->read_latency, SIZE_MAX);
    history_keep(&b->seed_taken, t->seed_taken, (size_t)e->seed, clock, SIZE_MAX);
    history_keep(&b->group_entered, t->group_entered, (size_t)e->group, clock, r->trips_in_flight);
    history_keep(&b->match_taken, t->match_taken, (size_t)e->match, clock, r->stage2_matches + 1);
    history_keep(&b->record_left, t->record_left, (size_t)e->record, clock * BOARD_TICKS_PER_CLOCK,
                 r->egress_records);
    b->front_end.may_fill -= e->seed;
    e->seed = e->group = e->match = e->record = 0;
}

void board_advance(struct board *b, const struct tokens *tokens, const struct bus_share *share,
                   struct board_times *times)
{
    struct walk walk = walk_begin(b, tokens, share);
    begin_block(&walk, tokens, times);
    if (tokens->word_count > 0)
        b->word_end.bus = word_bus_begin(b->word_end.bus, share);
    for (size_t word = 0; b->rules.free_stages != 0 && word < tokens->word_count; word++)
        move_word_freely(&walk, word);
    for (size_t word = 0; b->rules.free_stages == 0 && word < tokens->word_count;) {
        word = front_flows(&walk, word) ? move_flowing_words(&walk, word) : move_words(&walk, word);
        move_lookups(&walk, walk.seeds_issued);
    }
    end_block(b, &walk);
}

int64_t board_bus_free(const struct board *b)
{
    return b->word_end.bus.free;
}

int64_t board_drained(const struct board *b)
{
    int64_t clock = later(b->word_end.last_taken, b->back_end.last_match_taken);
    clock = later(clock, b->last_left);
    if (b->has_records)
        clock = later(clock, board_clock_at(b->back_end.last_record_left));
    return clock + 1;
}
