#include "sim/board.h"

#include <stdlib.h>
#include <string.h>

#define LONG_AGO (INT64_MIN / 4)

enum { STRETCH_SEEDS = 64, FEW_SEEDS = 4 };

/* The clocks of elements of earlier blocks that are still to come when a block begins: nothing can have to wait for the
 * others any more. */
struct history {
    int64_t *clocks;
    size_t count, room;
};

/* Where the bus and stage 1a stand. */
struct word_end {
    int64_t bus_due; /* A, ticks */
    int64_t bus_word_ticks;
    int64_t last_delivered, last_taken;
};

/* Where stage 1bp stands. Reads that have entered the SRAM FIFO by the clock it looks at are counted; how many lookups
 * have left it need not be: there is room for one more as soon as the one that came `sram_limit` before has left. */
struct front_end {
    int64_t last_issued;
    int64_t seeds_entered; /* into the SRAM FIFO, counted from the block's first seed */
};

/* Where stages 1bd and 2 stand. */
struct back_end {
    int64_t lookup_free; /* first clock in which 1bd may take a lookup */
    int64_t last_match_taken;
    int64_t last_record_left; /* ticks */
};

struct board {
    struct board_rules rules;
    struct history word_taken, seed_issued, seed_taken, match_taken, record_left;
    struct word_end word_end;
    struct front_end front_end;
    struct back_end back_end;
    int64_t
        last_left; /* the last seed's matches have entered the stage-2 FIFO, or it had none and was taken */
    bool has_records;
    bool holds; /* the stage-2 FIFO held a group of the last stretch */
};

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The clock of an element, counted from the block's first; of an earlier block's where negative. */
static inline int64_t clock_of(const int64_t *block, const struct history *before, int64_t element)
{
    if (__builtin_expect(element >= 0, 1))
        return block[element];
    size_t back = (size_t)-element;
    return back <= before->count ? before->clocks[before->count - back] : LONG_AGO;
}

struct board *board_new(const struct board_rules *rules)
{
    struct board *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->rules = *rules;
    b->word_end.last_delivered = b->word_end.last_taken = b->front_end.last_issued = b->last_left = -1;
    b->word_end.bus_due = -BOARD_TICKS_PER_CLOCK * 1024; /* no earlier word holds up the first */
    b->back_end = (struct back_end){.last_match_taken = -1, .last_record_left = LONG_AGO};
    return b;
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

/* A block on its way through the board. */
struct walk {
    struct board *board;
    const struct tokens *tokens;
    const struct bus_share *share;
    const struct board_times *times;
    int64_t read_latency, trip_cycles, fetch_latency;
    int64_t sram_limit; /* occupancy of the SRAM FIFO at which 1bp stops */
    int64_t *pushed;    /* clock in which 1a took the word of a seed, of the stretch's seeds */
    /* Elements so far; the next one's number. */
    int64_t seed, group, match, record;
};

/* --- steps 6 and 5: words -------------------------------------------------------------------------------- */

/* The tick at which the bus is due to deliver a word (A). */
static inline int64_t due_ticks(const struct word_end *e, const struct bus_share *share, int64_t supplied)
{
    return later(later(e->bus_due + e->bus_word_ticks, supplied), share->begin);
}

/* Words without seeds that find the ingress FIFO empty: A is the later of two straight lines, everything else follows
 * from it clock for clock. They keep finding it empty, since words are at least a clock apart. */
static void move_quiet_run(const struct walk *w, struct word_end *e, size_t word, size_t count,
                           int64_t supplied)
{
    const struct bus_share *share = w->share;
    int64_t *restrict delivered = w->times->word_delivered + word;
    int64_t *restrict taken = w->times->word_taken + word;
    int64_t first = due_ticks(e, share, supplied);
    int64_t step = share->supply_ticks > share->word_ticks ? share->supply_ticks : 0;
    for (size_t i = 0; i < count; i++) {
        int64_t due = later(first + (int64_t)i * share->word_ticks, supplied + (int64_t)i * step);
        delivered[i] = board_clock_at(due);
        taken[i] = delivered[i] + 1;
    }
    int64_t after = (int64_t)count - 1;
    e->bus_due = later(first + after * share->word_ticks, supplied + after * step);
    e->bus_word_ticks = share->word_ticks;
    e->last_delivered = delivered[count - 1];
    e->last_taken = taken[count - 1];
}

/* How many words from here on have no seeds, find the ingress FIFO empty and leave it so; 0 for a few, too. */
static size_t quiet_run(const struct walk *w, const struct word_end *e, size_t word, size_t end,
                        int64_t supplied)
{
    enum { WORTHWHILE = sizeof(uint64_t) };
    uint64_t seeds = 1;
    if (word + WORTHWHILE <= end)
        memcpy(&seeds, w->tokens->words + word, sizeof seeds);
    if (seeds != 0 || w->share->word_ticks < BOARD_TICKS_PER_CLOCK)
        return 0;
    int64_t due = board_clock_at(due_ticks(e, w->share, supplied));
    size_t count = WORTHWHILE;
    while (word + count < end && w->tokens->words[word + count] == 0)
        count++;
    return due >= e->last_taken && due > e->last_delivered ? count : 0;
}

/* The bus delivers a word (step 6) and 1a takes it and pushes its seeds (step 5), `pushed` having been pushed so far. A word
 * without seeds finds room: what is in the wmer FIFO found it. */
static inline int64_t move_word(const struct walk *w, struct word_end *e, size_t word, int64_t seeds,
                                int64_t pushed, int64_t supplied)
{
    const struct board *b = w->board;
    const struct board_times *times = w->times;
    int64_t ticks = due_ticks(e, w->share, supplied), due = board_clock_at(ticks);
    int64_t room = clock_of(times->word_taken, &b->word_taken, (int64_t)word - b->rules.ingress_words);
    int64_t delivered = later(later(due, e->last_delivered + 1), room);
    e->bus_due = delivered > due ? delivered * BOARD_TICKS_PER_CLOCK : ticks;
    e->bus_word_ticks = w->share->word_ticks;
    room = clock_of(times->seed_issued, &b->seed_issued, pushed + seeds - b->rules.wmer_seeds - 1);
    times->word_delivered[word] = e->last_delivered = delivered;
    return times->word_taken[word] = e->last_taken = later(later(delivered, e->last_taken) + 1, room);
}

/* Most words have few seeds: these few are written whether they are there or not. */
static inline void note_pushed(int64_t *pushed, unsigned seeds, int64_t clock)
{
    for (unsigned i = 0; i < FEW_SEEDS; i++)
        pushed[i] = clock;
    for (unsigned i = FEW_SEEDS; i < seeds; i++)
        pushed[i] = clock;
}

static void move_words(struct walk *w, size_t word, size_t end)
{
    struct word_end e = w->board->word_end;
    int64_t pushed = 0;
    while (word < end) {
        int64_t supplied = w->share->supply_first + (int64_t)word * w->share->supply_ticks;
        size_t quiet = quiet_run(w, &e, word, end, supplied);
        if (__builtin_expect(quiet > 0, 0)) {
            move_quiet_run(w, &e, word, quiet, supplied);
            word += quiet;
            continue;
        }
        unsigned seeds = w->tokens->words[word];
        int64_t taken = move_word(w, &e, word++, seeds, w->seed + pushed, supplied);
        note_pushed(w->pushed + pushed, seeds, taken);
        pushed += seeds;
    }
    w->board->word_end = e;
}

/* --- steps 4 and 2: seeds -------------------------------------------------------------------------------- */

static inline void let_reads_enter(const struct walk *w, struct front_end *f, int64_t seed, int64_t clock)
{
    while (f->seeds_entered < seed &&
           clock_of(w->times->seed_issued, &w->board->seed_issued, f->seeds_entered) + w->read_latency <=
               clock)
        f->seeds_entered++;
}

/* The clock in which 1bp takes a seed pushed in clock `pushed`, and issues its read (step 4). */
static inline int64_t issue_read(const struct walk *w, struct front_end *f, int64_t seed, int64_t pushed)
{
    const struct history *before = &w->board->seed_taken;
    int64_t clock = later(pushed, f->last_issued) + 1, room;
    let_reads_enter(w, f, seed, clock);
    while ((room = clock_of(w->times->seed_taken, before, f->seeds_entered - w->sram_limit)) > clock) {
        clock = room; /* nothing sooner makes room */
        let_reads_enter(w, f, seed, clock);
    }
    w->times->seed_issued[seed] = clock;
    return f->last_issued = clock;
}

/* 1bd takes a lookup (step 2), and its groups are ready for the stage-2 FIFO. @return number of groups */
static inline int64_t take_lookup(const struct walk *w, struct back_end *e, int64_t seed, int64_t group,
                                  int64_t issued)
{
    struct seed_token token = w->tokens->seeds[seed];
    int64_t *ready = w->times->group_entered + group;
    int64_t taken = later(issued + w->read_latency + 1, e->lookup_free), free = taken;
    if (__builtin_expect(token.outcome == LOOKUP_DUPLICATE, 0))
        for (unsigned i = 0; i < token.groups; i++)
            ready[i] = free += w->trip_cycles;
    else
        ready[0] = taken; /* means nothing without a group; the next lookup's group takes its place */
    w->times->seed_taken[seed] = taken;
    w->times->seed_done[seed] = e->lookup_free = later(taken + 1, free);
    return token.groups;
}

/* --- step 1: matches ------------------------------------------------------------------------------------- */

/* Stage 2 takes a match; one that passes becomes a record. */
static inline void take_match(struct walk *w, struct back_end *e, int64_t entered)
{
    const struct board_times *times = w->times;
    int64_t clock = later(entered + w->fetch_latency, e->last_match_taken + 1);
    if (__builtin_expect(e->last_record_left > clock * BOARD_TICKS_PER_CLOCK,
                         0)) /* the egress FIFO is not empty */
        clock = later(clock, board_clock_at(clock_of(times->record_left, &w->board->record_left,
                                                     w->record - w->board->rules.egress_records)));
    int64_t left = later(e->last_record_left + w->share->record_ticks, clock * BOARD_TICKS_PER_CLOCK);
    bool passed = w->tokens->matches[w->match];
    times->record_left[w->record] = left;
    w->record += passed;
    e->last_record_left = passed ? left : e->last_record_left;
    times->match_taken[w->match++] = e->last_match_taken = clock;
}

/* The clock from which the stage-2 FIFO has room for a group. Stage 2 takes one match a clock, so room there is for sure if
 * its last take is not too far ahead. */
static inline int64_t stage2_room(const struct walk *w, const struct back_end *e, unsigned matches,
                                  int64_t ready)
{
    int64_t free = (int64_t)w->board->rules.stage2_matches - matches;
    if (__builtin_expect(e->last_match_taken - ready <= free, 1))
        return ready;
    return later(ready, clock_of(w->times->match_taken, &w->board->match_taken, w->match - free - 1));
}

/* Matches of groups that enter the stage-2 FIFO as soon as they are ready. @return the first group that has to be held, or
 * `end` */
static int64_t take_matches(struct walk *w, struct back_end *e, int64_t end)
{
    const struct group_token *groups = w->tokens->groups;
    const int64_t *ready = w->times->group_entered;
    for (; w->group < end; w->group++) {
        unsigned matches = groups[w->group].matches;
        if (matches > 0 && stage2_room(w, e, matches, ready[w->group]) > ready[w->group])
            break;
        for (unsigned i = 0; i < matches; i++)
            take_match(w, e, ready[w->group]);
    }
    return w->group;
}

/* One lookup and its groups, held where they have to be. @return whether one was */
static inline bool move_held_lookup(struct walk *w, struct back_end *e, int64_t issued)
{
    bool held = false;
    struct seed_token token = w->tokens->seeds[w->seed];
    int64_t taken = later(issued + w->read_latency + 1, e->lookup_free), held_until = taken;
    int64_t trip_cycles = token.outcome == LOOKUP_DUPLICATE ? w->trip_cycles : 0;
    for (unsigned i = 0; i < token.groups; i++, w->group++) {
        unsigned matches = w->tokens->groups[w->group].matches;
        int64_t ready = held_until + trip_cycles;
        held_until = matches > 0 ? stage2_room(w, e, matches, ready) : ready;
        held |= held_until > ready;
        w->times->group_entered[w->group] = held_until;
        for (unsigned m = 0; m < matches; m++)
            take_match(w, e, held_until);
    }
    w->times->seed_taken[w->seed] = taken;
    w->times->seed_done[w->seed] = e->lookup_free = later(taken + 1, held_until);
    w->seed++;
    return held;
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
        {&t->group_entered, &t->group_room, tokens->group_count + 1},
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

/* --- stretches ------------------------------------------------------------------------------------------- */

/* Words that go through stage after stage together: whether 1a may take one of them depends only on seeds before the
 * stretch, since all of the stretch's fit the wmer FIFO. */
struct stretch {
    size_t word, end;
    int64_t seeds;
};

static struct stretch next_stretch(const struct walk *w, size_t word)
{
    const struct tokens *tokens = w->tokens;
    int64_t wmer_seeds = w->board->rules.wmer_seeds;
    int64_t most = wmer_seeds < STRETCH_SEEDS ? wmer_seeds : STRETCH_SEEDS;
    struct stretch s = {.word = word, .end = word};
    for (; s.end < tokens->word_count && s.seeds + tokens->words[s.end] <= most; s.end++)
        s.seeds += tokens->words[s.end];
    return s;
}

/* Whether the stretch's seeds cannot fill the SRAM FIFO up to its limit, even if nothing left it meanwhile. */
static bool reads_flow(const struct walk *w, struct front_end *f, const struct stretch *s)
{
    int64_t must_have_left = w->seed + s->seeds - w->sram_limit;
    if (s->seeds > w->sram_limit ||
        clock_of(w->times->seed_taken, &w->board->seed_taken, must_have_left - 1) > w->pushed[0])
        return false;
    f->seeds_entered = later(f->seeds_entered, must_have_left); /* what has left has entered */
    return true;
}

/* At most one read a clock, and nothing else stops them. */
static void issue_flowing_reads(const struct walk *w, struct front_end *f, const struct stretch *s)
{
    int64_t *issued = w->times->seed_issued + w->seed, clock = f->last_issued;
    for (int64_t i = 0; i < s->seeds; i++)
        issued[i] = clock = later(w->pushed[i], clock) + 1;
    f->last_issued = clock;
}

/* The stretch's seeds up to their groups, were none of these held. @return the group behind the last */
static int64_t take_flowing_lookups(const struct walk *w, struct back_end *e, const struct stretch *s)
{
    int64_t group = w->group;
    for (int64_t seed = w->seed; seed < w->seed + s->seeds; seed++)
        group += take_lookup(w, e, seed, group, w->times->seed_issued[seed]);
    return group;
}

/* The same, where a full SRAM FIFO may stop 1bp. */
static int64_t take_stopped_lookups(const struct walk *w, struct front_end *front, struct back_end *back,
                                    const struct stretch *s)
{
    struct front_end f = *front;
    struct back_end e = *back;
    int64_t group = w->group, seed = w->seed;
    for (int64_t i = 0; i < s->seeds; i++, seed++)
        group += take_lookup(w, &e, seed, group, issue_read(w, &f, seed, w->pushed[i]));
    *front = f;
    *back = e;
    return group;
}

/* The stretch's seeds and matches one by one. @return whether a group was held */
static bool move_held_seeds(struct walk *walk, struct front_end *front, struct back_end *back,
                            const struct stretch *s)
{
    struct walk w = *walk;
    struct front_end f = *front;
    struct back_end e = *back;
    bool held = false;
    for (int64_t i = 0; i < s->seeds; i++)
        held |= move_held_lookup(&w, &e, issue_read(&w, &f, w.seed, w.pushed[i]));
    *walk = w;
    *front = f;
    *back = e;
    return held;
}

/* Stage after stage, were no group held. @return false, and nothing has moved, if one is */
static bool move_flowing_seeds(struct walk *walk, struct front_end *front, struct back_end *back,
                               const struct stretch *s)
{
    struct walk w = *walk;
    struct front_end f = *front;
    struct back_end e = *back;
    int64_t groups;
    if (reads_flow(&w, &f, s)) {
        issue_flowing_reads(&w, &f, s);
        groups = take_flowing_lookups(&w, &e, s);
    } else {
        groups = take_stopped_lookups(&w, &f, &e, s);
    }
    if (take_matches(&w, &e, groups) < groups)
        return false;
    w.seed += s->seeds;
    *walk = w;
    *front = f;
    *back = e;
    return true;
}

/* A full stage-2 FIFO holds groups, which 1bd then waits for: where it was full, it will often be so again. */
static void move_seeds(struct walk *w, const struct stretch *s)
{
    struct board *b = w->board;
    if (b->holds || !move_flowing_seeds(w, &b->front_end, &b->back_end, s))
        b->holds = move_held_seeds(w, &b->front_end, &b->back_end, s);
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

/* First of so many clocks that is after another. */
static size_t first_after(const int64_t *clocks, size_t count, int64_t clock)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (clocks[middle] <= clock)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Keep what comes after a clock, of elements of earlier blocks and of this one's. */
static bool history_keep(struct history *h, const int64_t *block, size_t count, int64_t clock)
{
    size_t from_block = first_after(block, count, clock);
    size_t from_earlier = from_block > 0 ? h->count : first_after(h->clocks, h->count, clock);
    size_t earlier = h->count - from_earlier, kept = earlier + count - from_block;
    if (kept > h->room) {
        int64_t *moved = realloc(h->clocks, 2 * kept * sizeof *moved);
        if (!moved)
            return false;
        h->clocks = moved;
        h->room = 2 * kept;
    }
    if (earlier > 0)
        memmove(h->clocks, h->clocks + from_earlier, earlier * sizeof *h->clocks);
    if (count > from_block)
        memcpy(h->clocks + earlier, block + from_block, (count - from_block) * sizeof *block);
    h->count = kept;
    return true;
}

/* The next block's elements all come after the last word's delivery. */
static bool end_block(struct board *b, const struct walk *w)
{
    const struct board_times *t = w->times;
    int64_t clock = b->word_end.last_delivered;
    if (w->seed > 0) {
        bool has_group = w->tokens->seeds[w->seed - 1].groups > 0;
        b->last_left = has_group ? t->group_entered[w->group - 1] : t->seed_taken[w->seed - 1];
    }
    b->has_records = b->has_records || w->record > 0;
    b->front_end.seeds_entered -= w->seed;
    return history_keep(&b->word_taken, t->word_taken, w->tokens->word_count, clock) &&
           history_keep(&b->seed_issued, t->seed_issued, (size_t)w->seed, clock - w->read_latency) &&
           history_keep(&b->seed_taken, t->seed_taken, (size_t)w->seed, clock) &&
           history_keep(&b->match_taken, t->match_taken, (size_t)w->match, clock) &&
           history_keep(&b->record_left, t->record_left, (size_t)w->record, clock * BOARD_TICKS_PER_CLOCK);
}

bool board_advance(struct board *b, const struct tokens *tokens, const struct bus_share *share,
                   struct board_times *times)
{
    if (!times_make_room(times, tokens))
        return false;
    int64_t pushed[STRETCH_SEEDS + FEW_SEEDS];
    struct walk walk = {
        .board = b,
        .pushed = pushed,
        .tokens = tokens,
        .share = share,
        .times = times,
        .read_latency = board_latency(b->rules.sram_read_cycles),
        .trip_cycles = b->rules.sram_trip_cycles,
        .fetch_latency = board_latency(b->rules.stage2_fetch_cycles),
        .sram_limit = (int64_t)b->rules.sram_lookups - b->rules.sram_margin,
    };
    for (size_t word = 0; word < tokens->word_count;) {
        struct stretch stretch = next_stretch(&walk, word);
        move_words(&walk, stretch.word, stretch.end);
        if (stretch.seeds > 0)
            move_seeds(&walk, &stretch);
        word = stretch.end;
    }
    return end_block(b, &walk);
}

int64_t board_bus_free(const struct board *b)
{
    return b->word_end.bus_due + b->word_end.bus_word_ticks;
}

int64_t board_drained(const struct board *b)
{
    int64_t clock = later(b->word_end.last_taken, b->back_end.last_match_taken);
    clock = later(clock, b->last_left);
    if (b->has_records)
        clock = later(clock, board_clock_at(b->back_end.last_record_left));
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
