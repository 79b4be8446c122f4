#include "tests/sim/board/judge.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/board/board_fifos.h"

/* Numbers of the elements inside, oldest first; with places for all there will ever be. */
struct queue {
    size_t *items;
    size_t head, tail;
};

/* Elements of all blocks, numbered through. */
struct stream {
    unsigned *word_seeds;
    size_t *word_block;
    size_t *word_in_block; /* number of the word in its block */
    struct seed_token *seeds;
    unsigned *group_matches, *group_entries;
    bool *group_trips; /* the group makes a trip */
    bool *match_passed;
    size_t *match_block;
    size_t words, seed_count, groups, matches, records;
};

struct judge {
    const struct board_rules *rules;
    const struct judge_block *blocks;
    struct stream stream;
    struct judge_verdict *out;
    int64_t clock;
    bool alive; /* in this clock something moved or is under way */

    struct queue ingress, wmer, reading, sram, stage2, egress;
    size_t next_word, next_seed; /* to be delivered; to enter the w-mer FIFO */
    int64_t due;                 /* A of the next word, ticks */
    int64_t bus_free;            /* tick from which on the bus has no word but those to come */
    int64_t beside;              /* ticks of records of earlier blocks that it has still to carry */

    size_t lookup;       /* the last one that 1bd took */
    bool lookup_open;    /* it is not known yet when the next one may be taken */
    int64_t begun;       /* clock in which that lookup was taken, or its first trip started */
    int64_t lookup_free; /* clock from which on the next one may be taken, unless that is open */
    size_t first_group;  /* of that lookup */
    size_t groups_taken; /* of all lookups that 1bd took */
    size_t next_trip;    /* group whose trip is to be started next, if it makes one */
    int64_t port_free;   /* first clock in which a trip may start */
    size_t next_group;   /* to enter the stage-2 FIFO */
    int64_t *ready;      /* of each group: clock from which on it may enter, or -1 until it has started */
    size_t next_record;  /* to enter the egress FIFO */
    int64_t last_record_left; /* E of the record before, ticks */

    const struct judge_bus *bus; /* of bursts, or NULL */
    struct {
        bool records;       /* the burst at hand, or the last one, is of records */
        uint32_t gap, left; /* clocks until its data, words or clocks of it that are left */
        size_t burst_records;
    } burst;

    const struct judge_watch *watch; /* or NULL */
    bool signal[JUDGE_FIFOS];        /* in this clock */
    struct judge_moves moves;        /* likewise */
};

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        abort();
    return memory;
}

/* ---- queues ---- */

static void queue_init(struct queue *queue, size_t elements)
{
    queue->items = zeroed(elements, sizeof *queue->items);
    queue->head = queue->tail = 0;
}

static size_t queue_count(const struct queue *queue)
{
    return queue->tail - queue->head;
}

static void queue_push(struct queue *queue, size_t item)
{
    queue->items[queue->tail++] = item;
}

static size_t queue_head(const struct queue *queue)
{
    return queue->items[queue->head];
}

static size_t queue_pop(struct queue *queue)
{
    return queue->items[queue->head++];
}

/* ---- the stream ---- */

static void stream_count(struct stream *stream, const struct judge_block *blocks, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        stream->words += blocks[b].tokens->word_count;
        stream->seed_count += blocks[b].tokens->seed_count;
        stream->groups += blocks[b].tokens->group_count;
        stream->matches += blocks[b].tokens->match_count;
        for (size_t m = 0; m < blocks[b].tokens->match_count; m++)
            stream->records += blocks[b].tokens->matches[m] != 0;
    }
}

static void stream_init(struct stream *stream, const struct judge_block *blocks, size_t count)
{
    *stream = (struct stream){0};
    stream_count(stream, blocks, count);
    stream->word_seeds = zeroed(stream->words, sizeof *stream->word_seeds);
    stream->word_block = zeroed(stream->words, sizeof *stream->word_block);
    stream->word_in_block = zeroed(stream->words, sizeof *stream->word_in_block);
    stream->seeds = zeroed(stream->seed_count, sizeof *stream->seeds);
    stream->group_matches = zeroed(stream->groups, sizeof *stream->group_matches);
    stream->group_entries = zeroed(stream->groups, sizeof *stream->group_entries);
    stream->group_trips = zeroed(stream->groups, sizeof *stream->group_trips);
    stream->match_passed = zeroed(stream->matches, sizeof *stream->match_passed);
    stream->match_block = zeroed(stream->matches, sizeof *stream->match_block);

    size_t word = 0, seed = 0, group = 0, group_of_seed = 0, match = 0;
    for (size_t b = 0; b < count; b++) {
        const struct tokens *tokens = blocks[b].tokens;
        for (size_t i = 0; i < tokens->word_count; i++) {
            stream->word_seeds[word] = tokens->words[i];
            stream->word_block[word] = b;
            stream->word_in_block[word++] = i;
        }
        for (size_t i = 0; i < tokens->seed_count; i++) {
            stream->seeds[seed++] = tokens->seeds[i];
            for (unsigned g = 0; g < tokens->seeds[i].groups; g++)
                stream->group_trips[group_of_seed++] = tokens->seeds[i].outcome == LOOKUP_DUPLICATE;
        }
        for (size_t i = 0; i < tokens->group_count; i++) {
            stream->group_entries[group] = tokens->groups[i].entries;
            stream->group_matches[group++] = tokens->groups[i].matches;
        }
        for (size_t i = 0; i < tokens->match_count; i++) {
            stream->match_passed[match] = tokens->matches[i] != 0;
            stream->match_block[match++] = b;
        }
    }
}

static void stream_destroy(struct stream *stream)
{
    free(stream->word_seeds);
    free(stream->word_block);
    free(stream->word_in_block);
    free(stream->seeds);
    free(stream->group_matches);
    free(stream->group_entries);
    free(stream->group_trips);
    free(stream->match_passed);
    free(stream->match_block);
}

/* ---- taps ---- */

static void see_signal(struct judge *judge, enum judge_fifo fifo, bool asserted)
{
    judge->out->taps[fifo].back_pressure_clocks += asserted;
    judge->signal[fifo] = asserted;
}

static void see_occupancy(struct judge *judge, enum judge_fifo fifo, const struct queue *queue)
{
    struct judge_tap *tap = &judge->out->taps[fifo];
    size_t occupancy = queue_count(queue);
    tap->clocks_at[occupancy]++;
    tap->integral += occupancy;
    if (occupancy > tap->most)
        tap->most = occupancy;
}

/* ---- free stages ---- */

static bool is_free(const struct judge *judge, enum board_stage stage)
{
    return (judge->rules->free_stages >> stage & 1) != 0;
}

/* Clocks of a read, a trip or a fetch: none in a free stage. */
static int64_t cycles_of(const struct judge *judge, enum board_stage stage, uint32_t cycles)
{
    return is_free(judge, stage) ? 0 : cycles;
}

/* A free stage does its step as often as something moves in it. */
static void step_stage(struct judge *judge, enum board_stage stage, void (*step)(struct judge *), bool *moved)
{
    do {
        *moved = false;
        step(judge);
    } while (*moved && is_free(judge, stage));
}

/* ---- step 1: stage 2 and what it sends out ---- */

static void records_leave(struct judge *judge)
{
    int64_t now = judge->clock * BOARD_TICKS_PER_CLOCK;
    while (!judge->bus && queue_count(&judge->egress) > 0 &&
           judge->out->times.record_left[queue_head(&judge->egress)] <= now) {
        queue_pop(&judge->egress);
        judge->moves.taken[JUDGE_EGRESS] = judge->moves.offered[JUDGE_EGRESS] = true;
    }
    if (queue_count(&judge->egress) > 0)
        judge->alive = judge->moves.offered[JUDGE_EGRESS] = true;
}

static void record_enters(struct judge *judge, size_t match)
{
    int64_t leaves = judge->clock * BOARD_TICKS_PER_CLOCK;
    if (judge->bus) { /* the entry, until it leaves */
        judge->out->times.record_left[judge->next_record] = leaves;
        queue_push(&judge->egress, judge->next_record++);
        return;
    }
    int64_t spacing = judge->blocks[judge->stream.match_block[match]].share.record_ticks;
    if (judge->next_record > 0 && judge->last_record_left + spacing > leaves)
        leaves = judge->last_record_left + spacing;
    judge->last_record_left = leaves;
    judge->out->times.record_left[judge->next_record] = leaves;
    queue_push(&judge->egress, judge->next_record++);
}

static int64_t match_entered(const struct judge *judge, size_t place)
{
    return judge->out->times.group_entered[judge->stage2.items[place]];
}

/* The stage-2 FIFO stores the group's number once for each of its matches; matches are taken in order, so the
 * place in the queue is the match's number. */
static void step_stage2(struct judge *judge)
{
    int64_t cycles = cycles_of(judge, BOARD_STAGE_2, judge->rules->stage2_fetch_cycles);
    int64_t fetch = cycles > 0 ? cycles : 1;
    records_leave(judge);
    if (queue_count(&judge->stage2) == 0)
        return;
    size_t match = judge->stage2.head;
    if (judge->clock - match_entered(judge, match) < fetch) {
        judge->alive = true;
        return;
    }
    judge->moves.offered[JUDGE_STAGE2] = true;
    if (queue_count(&judge->egress) >= judge->rules->egress_records) {
        judge->out->stalled[JUDGE_EGRESS]++;
        judge->moves.held[JUDGE_EGRESS] = true;
        return;
    }
    judge->moves.taken[JUDGE_STAGE2] = true;
    queue_pop(&judge->stage2);
    judge->out->times.match_taken[match] = judge->clock;
    judge->alive = true;
    if (judge->stream.match_passed[match])
        record_enters(judge, match);
}

/* ---- step 2: 1bd ---- */

static bool makes_trips(const struct judge *judge)
{
    return judge->stream.seeds[judge->lookup].outcome == LOOKUP_DUPLICATE;
}

/* A group may be on its way if enough before it have entered that it is one of those that may. */
static bool has_place(const struct judge *judge, size_t group)
{
    return group < judge->next_group + judge->rules->trips_in_flight;
}

/* The oldest group on its way has started and may enter. */
static bool oldest_is_ready(const struct judge *judge)
{
    const int64_t ready = judge->ready[judge->next_group];
    return judge->next_group < judge->groups_taken && ready >= 0 && ready <= judge->clock;
}

/* Let the oldest group in if there is room. */
static bool group_enters(struct judge *judge)
{
    size_t matches = judge->stream.group_matches[judge->next_group];
    if (matches > 0 && queue_count(&judge->stage2) + matches > judge->rules->stage2_matches)
        return false;
    for (size_t i = 0; i < matches; i++)
        queue_push(&judge->stage2, judge->next_group);
    judge->out->times.group_entered[judge->next_group++] = judge->clock;
    judge->alive = true;
    return true;
}

/* The next trip to be started may start. */
static bool may_start_trip(struct judge *judge)
{
    while (judge->next_trip < judge->groups_taken && !judge->stream.group_trips[judge->next_trip])
        judge->next_trip++;
    return judge->next_trip < judge->groups_taken && has_place(judge, judge->next_trip) &&
           judge->clock >= judge->port_free;
}

/* The port reads two entries a clock. */
static void start_trip(struct judge *judge)
{
    int64_t cycles =
        cycles_of(judge, BOARD_STAGE_1BD,
                  judge->rules->probes ? judge->rules->sram_read_cycles : judge->rules->sram_trip_cycles);
    int64_t reads = (judge->stream.group_entries[judge->next_trip] + 1) / 2;
    if (judge->next_trip == judge->first_group)
        judge->begun = judge->clock;
    judge->port_free = judge->clock + (reads < cycles ? reads : cycles);
    judge->ready[judge->next_trip++] = judge->clock + cycles;
    judge->alive = true;
}

/* The next lookup may be taken; but the clock in which this one was, or in which its first trip started, is over
 * before. */
static void lookup_ends(struct judge *judge)
{
    int64_t least = is_free(judge, BOARD_STAGE_1BD) ? judge->begun : judge->begun + 1;
    judge->lookup_free = judge->clock > least ? judge->clock : least;
    judge->out->times.seed_done[judge->lookup] = judge->lookup_free;
    judge->lookup_open = false;
}

/* Go on as far as this clock allows: groups enter, the trips that get their places start. */
static void serve(struct judge *judge)
{
    bool moved = true;
    while (moved) {
        moved = oldest_is_ready(judge) && group_enters(judge);
        if (may_start_trip(judge)) {
            start_trip(judge);
            moved = true;
        }
    }
    bool begun = judge->first_group == judge->groups_taken || judge->ready[judge->first_group] >= 0;
    if (judge->lookup_open && begun && has_place(judge, judge->groups_taken))
        lookup_ends(judge);
    if (judge->next_group < judge->groups_taken && !oldest_is_ready(judge))
        judge->alive = true;
}

static void take_lookup(struct judge *judge)
{
    judge->lookup = queue_pop(&judge->sram);
    judge->lookup_open = true;
    judge->begun = judge->clock;
    judge->out->times.seed_taken[judge->lookup] = judge->clock;
    judge->alive = true;
    judge->first_group = judge->groups_taken;
    judge->groups_taken += judge->stream.seeds[judge->lookup].groups;
    for (size_t group = judge->first_group; group < judge->groups_taken; group++)
        judge->ready[group] = makes_trips(judge) ? -1 : judge->clock;
}

static bool is_busy(const struct judge *judge)
{
    return judge->lookup_open || judge->clock < judge->lookup_free;
}

static void step_1bd(struct judge *judge)
{
    struct judge_moves *moves = &judge->moves;
    serve(judge);
    moves->offered[JUDGE_SRAM] = queue_count(&judge->sram) > 0;
    moves->taken[JUDGE_SRAM] = moves->offered[JUDGE_SRAM] && !is_busy(judge);
    if (moves->taken[JUDGE_SRAM]) {
        take_lookup(judge);
        serve(judge);
    }
    moves->serves = moves->taken[JUDGE_SRAM] || is_busy(judge);
    bool just_taken = moves->taken[JUDGE_SRAM] && !makes_trips(judge) &&
                      judge->next_group + judge->stream.seeds[judge->lookup].groups == judge->groups_taken;
    moves->held[JUDGE_STAGE2] = oldest_is_ready(judge) && !just_taken;
}

/* ---- steps 3 and 4: SRAM and 1bp ---- */

static void step_sram(struct judge *judge)
{
    int64_t cycles = cycles_of(judge, BOARD_STAGE_1BP, judge->rules->sram_read_cycles);
    int64_t read = cycles > 0 ? cycles : 1;
    if (queue_count(&judge->reading) > 0)
        judge->alive = true;
    while (queue_count(&judge->reading) > 0 &&
           judge->clock - judge->out->times.seed_issued[queue_head(&judge->reading)] == read)
        queue_push(&judge->sram, queue_pop(&judge->reading));
}

/* A free 1bp sees reads in flight, too. */
static bool sram_fifo_almost_full(const struct judge *judge)
{
    size_t reading = is_free(judge, BOARD_STAGE_1BP) ? queue_count(&judge->reading) : 0;
    return queue_count(&judge->sram) + reading + judge->rules->sram_margin >= judge->rules->sram_lookups;
}

static void step_1bp(struct judge *judge)
{
    if (queue_count(&judge->wmer) == 0)
        return;
    judge->moves.offered[JUDGE_WMER] = true;
    if (sram_fifo_almost_full(judge)) {
        judge->out->stalled[JUDGE_SRAM]++;
        judge->moves.held[JUDGE_SRAM] = true;
        return;
    }
    judge->moves.taken[JUDGE_WMER] = true;
    size_t seed = queue_pop(&judge->wmer);
    judge->out->times.seed_issued[seed] = judge->clock;
    queue_push(&judge->reading, seed);
    judge->alive = true;
}

/* ---- step 5: 1a ---- */

static void step_1a(struct judge *judge)
{
    if (queue_count(&judge->ingress) == 0)
        return;
    judge->moves.offered[JUDGE_INGRESS] = true;
    size_t word = queue_head(&judge->ingress);
    size_t seeds = judge->stream.word_seeds[word];
    if (seeds > 0 && queue_count(&judge->wmer) + seeds > judge->rules->wmer_seeds) {
        judge->out->stalled[JUDGE_WMER]++;
        judge->moves.held[JUDGE_WMER] = true;
        return;
    }
    judge->moves.taken[JUDGE_INGRESS] = true;
    queue_pop(&judge->ingress);
    judge->out->times.word_taken[word] = judge->clock;
    for (size_t i = 0; i < seeds; i++)
        queue_push(&judge->wmer, judge->next_seed++);
    judge->alive = true;
}

/* ---- step 6: ingress ---- */

/* h of a word: its block's transfer has begun and the host has supplied it. */
static int64_t word_ready(const struct judge *judge, size_t word)
{
    const struct bus_share *share = &judge->blocks[judge->stream.word_block[word]].share;
    int64_t supplied = share->supply_first + (int64_t)judge->stream.word_in_block[word] * share->supply_ticks;
    return supplied > share->begin ? supplied : share->begin;
}

/* The bus turns to a word, the first of all or after others: with a block come the records of the block before. */
static void turn_to_word(struct judge *judge, size_t word)
{
    judge->next_word = word;
    if (word == judge->stream.words)
        return;
    const struct bus_share *share = &judge->blocks[judge->stream.word_block[word]].share;
    if (judge->stream.word_in_block[word] == 0) {
        judge->beside += share->beside_ticks;
        if (judge->bus_free < share->begin)
            judge->bus_free = share->begin;
    }
    int64_t ready = word_ready(judge, word);
    judge->due = ready > judge->bus_free ? ready : judge->bus_free;
}

/* A word crosses at a tick. Records had all of the bus before, and take turns with the word: a tick each. */
static void cross(struct judge *judge, size_t word, int64_t at)
{
    int64_t word_ticks = judge->blocks[judge->stream.word_block[word]].share.word_ticks;
    judge->beside -= at - judge->bus_free;
    if (judge->beside < 0)
        judge->beside = 0;
    judge->bus_free = at + word_ticks;
    if (judge->beside < word_ticks) {
        judge->bus_free += judge->beside;
        judge->beside = 0;
    } else {
        judge->bus_free += word_ticks;
        judge->beside -= word_ticks;
    }
    judge->out->bus_free[word] = judge->bus_free;
}

/* ---- step 6 with a bus of bursts ---- */

static bool word_can_cross(const struct judge *judge)
{
    return judge->next_word < judge->stream.words && judge->due <= judge->clock * BOARD_TICKS_PER_CLOCK &&
           queue_count(&judge->ingress) < judge->rules->ingress_words;
}

static bool records_can_cross(const struct judge *judge)
{
    if (queue_count(&judge->egress) == 0)
        return false;
    int64_t entered = judge->out->times.record_left[queue_head(&judge->egress)] / BOARD_TICKS_PER_CLOCK;
    return queue_count(&judge->egress) >= judge->bus->burst_records ||
           judge->clock - entered >= judge->bus->flush_clocks || judge->next_word == judge->stream.words;
}

/* Begin a burst of what waits, of records if the last one was of words. */
static void begin_burst(struct judge *judge)
{
    const struct judge_bus *bus = judge->bus;
    bool words = word_can_cross(judge), records = records_can_cross(judge);
    if (!words && !records)
        return;
    size_t waiting = queue_count(&judge->egress);
    judge->burst.records = records && (!words || !judge->burst.records);
    judge->burst.burst_records = waiting < bus->burst_records ? waiting : bus->burst_records;
    judge->burst.gap = bus->burst_clocks;
    judge->burst.left =
        judge->burst.records ? (uint32_t)judge->burst.burst_records * bus->record_clocks : bus->burst_words;
}

static void move_word_of_burst(struct judge *judge)
{
    size_t word = judge->next_word;
    judge->moves.delivered = true;
    judge->out->times.word_delivered[word] = judge->clock;
    queue_push(&judge->ingress, word);
    judge->bus_free = judge->clock * BOARD_TICKS_PER_CLOCK;
    turn_to_word(judge, word + 1);
    judge->burst.left--;
}

static void step_bursts(struct judge *judge)
{
    judge->alive = true; /* who waits for ever is found with shares */
    if (judge->burst.left == 0 ||
        (!judge->burst.records && !word_can_cross(judge) && judge->burst.gap == 0)) {
        judge->burst.left = 0;
        begin_burst(judge);
    }
    if (judge->burst.left == 0)
        return;
    if (judge->burst.gap > 0) {
        judge->burst.gap--;
        return;
    }
    if (!judge->burst.records) {
        if (word_can_cross(judge))
            move_word_of_burst(judge);
        return;
    }
    if (--judge->burst.left == 0)
        for (size_t i = 0; i < judge->burst.burst_records; i++)
            judge->out->times.record_left[queue_pop(&judge->egress)] = judge->clock * BOARD_TICKS_PER_CLOCK;
}

static void step_ingress(struct judge *judge)
{
    if (judge->bus) {
        step_bursts(judge);
        return;
    }
    int64_t now = judge->clock * BOARD_TICKS_PER_CLOCK;
    size_t word = judge->next_word;
    if (word == judge->stream.words)
        return;
    if (judge->due > now) {
        judge->alive = true;
        return;
    }
    if (queue_count(&judge->ingress) >= judge->rules->ingress_words) {
        judge->moves.held[JUDGE_INGRESS] = true;
        return;
    }
    judge->moves.delivered = true;
    bool late = judge->due <= now - BOARD_TICKS_PER_CLOCK;
    cross(judge, word, late ? now : judge->due);
    judge->out->times.word_delivered[word] = judge->clock;
    queue_push(&judge->ingress, word);
    turn_to_word(judge, word + 1);
    judge->alive = true;
}

/* ---- the clock ---- */

static void step(struct judge *judge)
{
    const struct board_rules *rules = judge->rules;
    judge->alive = false;
    judge->moves = (struct judge_moves){0};
    step_stage(judge, BOARD_STAGE_2, step_stage2, &judge->moves.taken[JUDGE_STAGE2]);
    records_leave(judge);
    see_signal(judge, JUDGE_STAGE2,
               queue_count(&judge->stage2) + rules->stage2_margin > rules->stage2_matches);
    step_stage(judge, BOARD_STAGE_1BD, step_1bd, &judge->moves.taken[JUDGE_SRAM]);
    step_sram(judge);
    see_signal(judge, JUDGE_SRAM, sram_fifo_almost_full(judge));
    step_stage(judge, BOARD_STAGE_1BP, step_1bp, &judge->moves.taken[JUDGE_WMER]);
    see_signal(judge, JUDGE_WMER, queue_count(&judge->wmer) + rules->wmer_margin > rules->wmer_seeds);
    step_stage(judge, BOARD_STAGE_1A, step_1a, &judge->moves.taken[JUDGE_INGRESS]);
    see_signal(judge, JUDGE_INGRESS, queue_count(&judge->ingress) >= rules->ingress_words);
    step_stage(judge, BOARD_STAGE_1A, step_ingress, &judge->moves.delivered);

    see_occupancy(judge, JUDGE_INGRESS, &judge->ingress);
    see_occupancy(judge, JUDGE_WMER, &judge->wmer);
    see_occupancy(judge, JUDGE_SRAM, &judge->sram);
    see_occupancy(judge, JUDGE_STAGE2, &judge->stage2);
    see_occupancy(judge, JUDGE_EGRESS, &judge->egress);
    if (judge->watch && judge->watch->moves)
        judge->watch->moves(judge->watch->data, &judge->moves);
    if (judge->watch && judge->watch->clock)
        judge->watch->clock(judge->watch->data,
                            (const size_t[JUDGE_FIFOS]){queue_count(&judge->ingress),
                                                        queue_count(&judge->wmer), queue_count(&judge->sram),
                                                        queue_count(&judge->stage2),
                                                        queue_count(&judge->egress)},
                            judge->signal);
}

static bool everything_has_left(const struct judge *judge)
{
    return judge->next_word == judge->stream.words && queue_count(&judge->ingress) == 0 &&
           queue_count(&judge->wmer) == 0 && queue_count(&judge->reading) == 0 &&
           queue_count(&judge->sram) == 0 && judge->next_group == judge->groups_taken &&
           queue_count(&judge->stage2) == 0 && queue_count(&judge->egress) == 0;
}

/* Downstream first: what waits upstream of it waits because of it. */
static const char *who_waits(const struct judge *judge)
{
    if (queue_count(&judge->stage2) > 0)
        return "2: waits for room in the egress FIFO";
    if (judge->next_group < judge->groups_taken)
        return "1bd: holds matches that do not fit the stage-2 FIFO";
    if (queue_count(&judge->wmer) > 0)
        return "1bp: waits for the SRAM FIFO to fall below its margin";
    if (queue_count(&judge->ingress) > 0)
        return "1a: its word's seeds do not fit the w-mer FIFO";
    return "bus: waits for room in the ingress FIFO";
}

static void judge_init(struct judge *judge)
{
    const struct stream *stream = &judge->stream;
    struct judge_verdict *out = judge->out;
    queue_init(&judge->ingress, stream->words);
    queue_init(&judge->wmer, stream->seed_count);
    queue_init(&judge->reading, stream->seed_count);
    queue_init(&judge->sram, stream->seed_count);
    queue_init(&judge->stage2, stream->matches);
    queue_init(&judge->egress, stream->records);
    judge->ready = zeroed(stream->groups, sizeof *judge->ready);
    judge->bus_free = INT64_MIN / 4;
    turn_to_word(judge, 0);

    size_t elements[JUDGE_FIFOS] = {stream->words, stream->seed_count, stream->seed_count, stream->matches,
                                    stream->records};
    for (int f = 0; f < JUDGE_FIFOS; f++) {
        out->taps[f].occupancies = elements[f] + 1;
        out->taps[f].clocks_at = zeroed(elements[f] + 1, sizeof *out->taps[f].clocks_at);
    }
}

static struct judge_verdict *verdict_new(const struct stream *stream)
{
    struct judge_verdict *out = zeroed(1, sizeof *out);
    out->word_count = stream->words;
    out->seed_count = stream->seed_count;
    out->group_count = stream->groups;
    out->match_count = stream->matches;
    out->record_count = stream->records;
    out->times.word_delivered = zeroed(stream->words, sizeof(int64_t));
    out->times.word_taken = zeroed(stream->words, sizeof(int64_t));
    out->times.seed_issued = zeroed(stream->seed_count, sizeof(int64_t));
    out->times.seed_taken = zeroed(stream->seed_count, sizeof(int64_t));
    out->times.seed_done = zeroed(stream->seed_count, sizeof(int64_t));
    out->times.group_entered = zeroed(stream->groups, sizeof(int64_t));
    out->times.match_taken = zeroed(stream->matches, sizeof(int64_t));
    out->times.record_left = zeroed(stream->records, sizeof(int64_t));
    out->bus_free = zeroed(stream->words, sizeof(int64_t));
    return out;
}

static void judge_clear(struct judge *judge)
{
    free(judge->ingress.items);
    free(judge->wmer.items);
    free(judge->reading.items);
    free(judge->sram.items);
    free(judge->stage2.items);
    free(judge->egress.items);
    free(judge->ready);
    stream_destroy(&judge->stream);
}

struct judge_verdict *judge_run(const struct board_rules *rules, const struct judge_block *blocks,
                                size_t count)
{
    return judge_run_watched(rules, blocks, count, NULL);
}

static struct judge_verdict *run(const struct board_rules *rules, const struct judge_block *blocks,
                                 size_t count, const struct judge_watch *watch, const struct judge_bus *bus)
{
    struct judge judge = {.rules = rules, .blocks = blocks, .watch = watch, .bus = bus};
    stream_init(&judge.stream, blocks, count);
    judge.out = verdict_new(&judge.stream);
    judge_init(&judge);
    while (!everything_has_left(&judge) && !judge.out->stuck) {
        step(&judge);
        judge.clock++;
        if (!judge.alive && !everything_has_left(&judge))
            judge.out->stuck = who_waits(&judge);
    }
    judge.out->end = judge.clock;
    judge_clear(&judge);
    return judge.out;
}

struct judge_verdict *judge_run_watched(const struct board_rules *rules, const struct judge_block *blocks,
                                        size_t count, const struct judge_watch *watch)
{
    return run(rules, blocks, count, watch, NULL);
}

struct judge_verdict *judge_run_bursts(const struct board_rules *rules, const struct judge_block *blocks,
                                       size_t count, const struct judge_bus *bus)
{
    return run(rules, blocks, count, NULL, bus);
}

void judge_verdict_destroy(struct judge_verdict *verdict)
{
    if (!verdict)
        return;
    free(verdict->times.word_delivered);
    free(verdict->times.word_taken);
    free(verdict->times.seed_issued);
    free(verdict->times.seed_taken);
    free(verdict->times.seed_done);
    free(verdict->times.group_entered);
    free(verdict->times.match_taken);
    free(verdict->times.record_left);
    free(verdict->bus_free);
    for (int f = 0; f < JUDGE_FIFOS; f++)
        free(verdict->taps[f].clocks_at);
    free(verdict);
}
