#include "sim/simgrid/events.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "sim/board/board_fifos.h"
#include "sim/simgrid/simgrid_engine.h"

/* ---- stages and FIFOs ---- */

enum { PHASES = 8, STAGES_MAX = 8, FIFOS_MAX = 8 };

#define FIFO_NO_LIMIT UINT64_MAX

struct stage;

struct fifo {
    const char *name, *elements;
    uint64_t count;
    uint64_t places;      /* number of places that the stage before it may fill */
    uint64_t capacity;    /* with the places kept for elements under way; for messages only */
    struct stage *taker;  /* the stage that waits for an element, or NULL */
    struct stage *pusher; /* the stage that waits for room, or NULL */
};

struct stage {
    struct run *run;
    /* Moves the elements of a block; returns false if it is stuck. */
    bool (*work)(struct stage *, const struct events_block *, struct board_times *);
    const char *name; /* that of its actor, too */
    int phase;        /* phase of the clock in which the stage acts, in eighths */
    int64_t free;     /* first clock in which it can move another element; set by `work` */
    sg_sem_t bell;
    const struct fifo *waits_for; /* NULL if it moves, or sleeps up to a known clock */
    uint64_t room;                /* number of places it waits for; 0 if it waits for an element */
};

struct run {
    const struct events_block *blocks;
    struct events_result *out;
    const struct board_rules *rules;
    int64_t read_latency, trip_cycles, fetch_latency;
    int64_t port_free;  /* clock in which the duplicate table's port takes the next trip */
    int64_t last_moved; /* last clock in which an element moved */
    struct word_bus bus;
    int64_t left;                    /* E of the last record, in ticks */
    struct stage stages[STAGES_MAX]; /* downstream last */
    struct fifo fifos[FIFOS_MAX];
    unsigned stage_count, fifo_count;
    double origin;                /* SimGrid's time of clock 0 */
    unsigned unfinished, waiting; /* numbers of stages */
    bool stuck;
    struct why *why;
};

static double pass_time(const struct run *run)
{
    return simgrid_get_clock() - run->origin;
}

/* ---- clocks ---- */

/* The date of an engine that has run before may not be a whole number of eighths: up to half an eighth beside it counts
 * as that eighth. */
static int64_t stage_clock(const struct stage *stage)
{
    return (int64_t)floor(pass_time(stage->run) + 0.5 / PHASES);
}

/* Sleep up to the stage's phase of a clock; return at once if that phase is over. */
static void stage_sleep_to(struct stage *stage, int64_t clock)
{
    double time = (double)clock + (double)stage->phase / PHASES;
    if (time <= pass_time(stage->run) + 0.5 / PHASES)
        return;
    sg_actor_sleep_until(stage->run->origin + time);
    stage->run->out->events++;
}

/* Sleep up to the stage's next phase, in this clock or the next. */
static void sleep_to_phase(struct stage *stage)
{
    int64_t clock = stage_clock(stage);
    double in_clock = pass_time(stage->run) - (double)clock;
    stage_sleep_to(stage, in_clock <= (stage->phase + 0.5) / PHASES ? clock : clock + 1);
}

/* ---- waiting ---- */

static void name_wait(const struct stage *stage, struct why *why)
{
    const struct fifo *fifo = stage->waits_for;
    why_append(why, "%s%s waits for ", *why->line ? "; " : "", stage->name);
    if (stage->room == 0)
        why_append(why, "%s in", fifo->elements);
    else if (stage->room == 1)
        why_append(why, "room in");
    else
        why_append(why, "room for %" PRIu64 " %s in", stage->room, fifo->elements);
    why_append(why, " the %s (holds %" PRIu64, fifo->name, fifo->count);
    if (fifo->capacity != FIFO_NO_LIMIT)
        why_append(why, " of %" PRIu64, fifo->capacity);
    if (stage->room > 0 && fifo->places != fifo->capacity)
        why_append(why, ", is filled up to %" PRIu64, fifo->places);
    why_append(why, ")");
}

static void ring(struct stage *stage)
{
    stage->waits_for = NULL;
    stage->run->waiting--;
    sg_sem_release(stage->bell);
}

/* If no stage is left that could wake another, name the stages, those that wait for room first, and let all of them
 * end. */
static void check_stuck(struct run *run)
{
    if (run->stuck || run->unfinished == 0 || run->waiting < run->unfinished)
        return;
    run->stuck = true;
    run->why->line[0] = '\0';
    for (int for_room = 1; for_room >= 0; for_room--)
        for (unsigned i = 0; i < run->stage_count; i++)
            if (run->stages[i].waits_for && (run->stages[i].room > 0) == for_room)
                name_wait(&run->stages[i], run->why);
    for (unsigned i = 0; i < run->stage_count; i++)
        if (run->stages[i].waits_for)
            ring(&run->stages[i]);
}

static bool fits(const struct fifo *fifo, uint64_t room)
{
    return room == 0 ? fifo->count > 0 : fifo->count + room <= fifo->places;
}

/* Wait until another stage rings; false if none ever will. */
static bool block(struct stage *stage, struct fifo *fifo, uint64_t room)
{
    struct run *run = stage->run;
    *(room == 0 ? &fifo->taker : &fifo->pusher) = stage;
    stage->waits_for = fifo;
    stage->room = room;
    run->waiting++;
    check_stuck(run);
    sg_sem_acquire(stage->bell);
    run->out->events++;
    return !run->stuck;
}

/* Go on at once, or as soon as there is an element: in the phase of the first later clock that finds it, or even
 * outside the phase, for a stage that then knows until which clock it must sleep. */
static bool await_element(struct stage *stage, bool in_phase, struct fifo *fifo)
{
    if (fits(fifo, 0))
        return true;
    if (!block(stage, fifo, 0))
        return false;
    if (in_phase)
        sleep_to_phase(stage);
    return true;
}

/* In the stage's phase: go on at once, or in the phase of the first later clock that finds that much room; 0 always
 * fits. Another stage may have filled it before this stage's phase comes: reads under way enter the SRAM FIFO between
 * 1bd and 1bp. */
static bool stage_await_room(struct stage *stage, struct fifo *fifo, uint64_t room)
{
    while (room > 0 && !fits(fifo, room)) {
        if (!block(stage, fifo, room))
            return false;
        sleep_to_phase(stage);
    }
    return true;
}

static void fifo_put(struct fifo *fifo, uint64_t elements)
{
    if (elements == 0)
        return;
    fifo->count += elements;
    struct stage *taker = fifo->taker;
    fifo->taker = NULL;
    if (taker)
        ring(taker);
}

static void fifo_take(struct fifo *fifo)
{
    fifo->count--;
    struct stage *pusher = fifo->pusher;
    if (!pusher || !fits(fifo, pusher->room))
        return;
    fifo->pusher = NULL;
    ring(pusher);
}

/* ---- actors ---- */

/* The code of every actor: does a stage's work, and finds out at its end whether the others are stuck. */
static void stage_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct stage *stage = sg_actor_self_get_data();
    struct run *run = stage->run;
    bool done = true;
    for (size_t b = 0; done && b < run->out->block_count; b++)
        done = stage->work(stage, &run->blocks[b], &run->out->times[b]);
    if (done)
        stage_sleep_to(stage, stage->free);
    run->unfinished--;
    check_stuck(run);
}

/* @param capacity  number of places; FIFO_NO_LIMIT if no stage waits for room */
static void add_fifo(struct run *run, const char *name, const char *elements, uint64_t capacity)
{
    run->fifos[run->fifo_count++] =
        (struct fifo){.name = name, .elements = elements, .places = capacity, .capacity = capacity};
}

/* ---- the board ---- */

/* The read pipeline stands before the SRAM FIFO. */
static struct fifo *read_pipeline(struct stage *stage)
{
    return &stage->run->fifos[FIFO_SRAM];
}

/* Behind the FIFOs, if several groups may be on their way to the stage-2 FIFO. */
static struct fifo *groups_on_their_way(struct stage *stage)
{
    return &stage->run->fifos[BOARD_FIFOS + 1];
}

static struct fifo *fifo_of(struct stage *stage, enum board_fifo fifo)
{
    return &stage->run->fifos[fifo + (fifo >= FIFO_SRAM)];
}

/* An element has moved in this clock: the next one moves in the next clock at the earliest. */
static int64_t moved(struct stage *stage)
{
    struct run *run = stage->run;
    int64_t clock = stage_clock(stage);
    stage->free = clock + 1;
    run->last_moved = later(run->last_moved, clock);
    return clock;
}

/* ---- the stages, each a walk over its elements in stream order ---- */

/* Step 6. */
static bool work_bus_in(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct run *run = stage->run;
    const struct bus_share *share = &block->share;
    struct fifo *ingress = fifo_of(stage, FIFO_INGRESS);
    int64_t supplied = share->supply_first;
    if (block->tokens.word_count > 0)
        run->bus = word_bus_begin(run->bus, share);
    for (size_t w = 0; w < block->tokens.word_count; w++) {
        int64_t at = later(run->bus.free, supplied), due = board_clock_at(at);
        stage_sleep_to(stage, later(due, stage->free));
        if (!stage_await_room(stage, ingress, 1))
            return false;
        int64_t clock = times->word_delivered[w] = stage_clock(stage);
        stage->free = clock + 1;
        run->bus =
            word_bus_carry(run->bus, clock > due ? clock * BOARD_TICKS_PER_CLOCK : at, share->word_ticks);
        fifo_put(ingress, 1);
        supplied += share->supply_ticks;
    }
    run->out->bus_free[block - run->blocks] = run->bus.free;
    return true;
}

/* Step 5. */
static bool work_1a(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct fifo *ingress = fifo_of(stage, FIFO_INGRESS), *wmer = fifo_of(stage, FIFO_WMER);
    for (size_t w = 0; w < block->tokens.word_count; w++) {
        const unsigned seeds = block->tokens.words[w];
        stage_sleep_to(stage, stage->free);
        if (!await_element(stage, true, ingress) || !stage_await_room(stage, wmer, seeds))
            return false;
        times->word_taken[w] = moved(stage);
        fifo_take(ingress);
        fifo_put(wmer, seeds);
    }
    return true;
}

/* Step 4. */
static bool work_1bp(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct fifo *wmer = fifo_of(stage, FIFO_WMER);
    for (size_t s = 0; s < block->tokens.seed_count; s++) {
        stage_sleep_to(stage, stage->free);
        if (!await_element(stage, true, wmer) || !stage_await_room(stage, fifo_of(stage, FIFO_SRAM), 1))
            return false;
        times->seed_issued[s] = moved(stage);
        fifo_take(wmer);
        fifo_put(read_pipeline(stage), 1);
    }
    return true;
}

/* Step 3. */
static bool work_sram(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    const struct run *run = stage->run;
    for (size_t s = 0; s < block->tokens.seed_count; s++) {
        if (!await_element(stage, false, read_pipeline(stage)))
            return false;
        stage_sleep_to(stage, times->seed_issued[s] + run->read_latency);
        fifo_take(read_pipeline(stage));
        fifo_put(fifo_of(stage, FIFO_SRAM), 1);
    }
    return true;
}

/* Step 2 for one group: its trip, and the wait until there is room for all its matches. */
static bool move_group(struct stage *stage, int64_t trip_cycles, unsigned matches, int64_t *entered)
{
    struct fifo *stage2 = fifo_of(stage, FIFO_STAGE2);
    stage_sleep_to(stage, stage_clock(stage) + trip_cycles);
    if (!stage_await_room(stage, stage2, matches))
        return false;
    *entered = stage_clock(stage);
    fifo_put(stage2, matches);
    return true;
}

/* Step 2 for one lookup; `group` is the number of its first group. */
static bool serve_lookup(struct stage *stage, const struct tokens *tokens, struct board_times *times,
                         size_t seed, size_t group)
{
    struct run *run = stage->run;
    stage_sleep_to(stage, stage->free);
    if (!await_element(stage, true, fifo_of(stage, FIFO_SRAM)))
        return false;
    int64_t taken = times->seed_taken[seed] = stage_clock(stage);
    fifo_take(fifo_of(stage, FIFO_SRAM));
    int64_t trip_cycles = tokens->seeds[seed].outcome == LOOKUP_DUPLICATE ? run->trip_cycles : 0;
    for (unsigned g = 0; g < tokens->seeds[seed].groups; g++, group++)
        if (!move_group(stage, trip_cycles, tokens->groups[group].matches, &times->group_entered[group]))
            return false;
    int64_t held_until = moved(stage);
    stage->free = times->seed_done[seed] = later(taken + 1, held_until);
    return true;
}

/* Send a group on its way when it has a place there. Until it enters the stage-2 FIFO, its clock there is that from
 * which on it may enter. */
static bool send_group(struct stage *stage, struct group_token group, bool trip, int64_t *ready)
{
    struct run *run = stage->run;
    if (!stage_await_room(stage, groups_on_their_way(stage), 1))
        return false;
    *ready = stage_clock(stage);
    if (trip) {
        int64_t start = later(*ready, run->port_free);
        run->port_free = start + sooner(group_sram_reads(group), run->trip_cycles);
        *ready = start + run->trip_cycles;
    }
    fifo_put(groups_on_their_way(stage), 1);
    return true;
}

/* serve_lookup() if several groups may be on their way: 1bd goes on when the first trip has the port and the next
 * group would have a place. */
static bool send_lookup(struct stage *stage, const struct tokens *tokens, struct board_times *times,
                        size_t seed, size_t group)
{
    struct run *run = stage->run;
    const struct seed_token token = tokens->seeds[seed];
    const bool trips = token.outcome == LOOKUP_DUPLICATE;
    stage_sleep_to(stage, stage->free);
    if (!await_element(stage, true, fifo_of(stage, FIFO_SRAM)))
        return false;
    const int64_t taken = times->seed_taken[seed] = moved(stage);
    const int64_t begun = trips ? later(taken, run->port_free) : taken;
    fifo_take(fifo_of(stage, FIFO_SRAM));
    for (unsigned g = 0; g < token.groups; g++, group++)
        if (!send_group(stage, tokens->groups[group], trips, &times->group_entered[group]))
            return false;
    if (!stage_await_room(stage, groups_on_their_way(stage), 1))
        return false;
    stage->free = times->seed_done[seed] = later(begun + 1, stage_clock(stage));
    return true;
}

static bool work_1bd(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    const struct run *run = stage->run;
    size_t group = 0;
    for (size_t s = 0; s < block->tokens.seed_count; group += block->tokens.seeds[s++].groups)
        if (!(run->rules->trips_in_flight > 1 ? send_lookup : serve_lookup)(stage, &block->tokens, times, s,
                                                                            group))
            return false;
    return true;
}

/* Step 2 for groups on their way: they enter in order, any number in a clock. */
static bool work_groups(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct fifo *on_their_way = groups_on_their_way(stage);
    for (size_t g = 0; g < block->tokens.group_count; g++) {
        if (!await_element(stage, false, on_their_way))
            return false;
        const int64_t ready = times->group_entered[g];
        if (!move_group(stage, ready - stage_clock(stage), block->tokens.groups[g].matches,
                        &times->group_entered[g]))
            return false;
        moved(stage);
        fifo_take(on_their_way);
    }
    return true;
}

/* Step 1. */
static bool work_2(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    const struct run *run = stage->run;
    const struct tokens *tokens = &block->tokens;
    struct fifo *stage2 = fifo_of(stage, FIFO_STAGE2), *egress = fifo_of(stage, FIFO_EGRESS);
    size_t match = 0;
    for (size_t g = 0; g < tokens->group_count; g++)
        for (unsigned i = 0; i < tokens->groups[g].matches; i++, match++) {
            if (!await_element(stage, false, stage2))
                return false;
            stage_sleep_to(stage, later(stage->free, times->group_entered[g] + run->fetch_latency));
            if (!stage_await_room(stage, egress, 1))
                return false;
            times->match_taken[match] = moved(stage);
            fifo_take(stage2);
            fifo_put(egress, tokens->matches[match] != 0);
        }
    return true;
}

/* Send the records to the host. */
static bool work_bus_out(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct run *run = stage->run;
    struct fifo *egress = fifo_of(stage, FIFO_EGRESS);
    size_t record = 0;
    for (size_t m = 0; m < block->tokens.match_count; m++) {
        if (!block->tokens.matches[m])
            continue;
        if (!await_element(stage, false, egress))
            return false;
        run->left =
            later(run->left + block->share.record_ticks, times->match_taken[m] * BOARD_TICKS_PER_CLOCK);
        times->record_left[record++] = run->left;
        int64_t clock = board_clock_at(run->left);
        run->last_moved = later(run->last_moved, clock);
        stage_sleep_to(stage, clock);
        fifo_take(egress);
    }
    return true;
}

/* ---- the run ---- */

/* The actors, upstream first: each acts in the phase of the clock after that of the next. The last acts between 1bd and
 * stage 2, if there is one. */
enum { ACTOR_1BD = 4, ACTOR_GROUPS = 7 };

static const struct {
    const char *name;
    bool (*work)(struct stage *, const struct events_block *, struct board_times *);
} actors[] = {
    {"bus in", work_bus_in}, {"1a", work_1a}, {"1bp", work_1bp},         {"SRAM", work_sram},
    {"1bd", work_1bd},       {"2", work_2},   {"bus out", work_bus_out}, {"groups on their way", work_groups},
};

static void add_stage(struct run *run, unsigned actor, int phase)
{
    run->stages[run->stage_count++] =
        (struct stage){.run = run, .work = actors[actor].work, .name = actors[actor].name, .phase = phase};
}

static void build(struct run *run)
{
    const struct board_rules *rules = run->rules;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        const struct board_fifo_row *row = &board_fifos[fifo];
        if (fifo == FIFO_SRAM)
            add_fifo(run, "read pipeline", "reads", FIFO_NO_LIMIT);
        add_fifo(run, row->title, row->element, board_fifo_places(fifo, rules));
        if (fifo == FIFO_SRAM)
            run->fifos[run->fifo_count - 1].places =
                rules->sram_lookups > rules->sram_margin ? rules->sram_lookups - rules->sram_margin : 0;
    }
    const bool several = rules->trips_in_flight > 1;
    for (int i = 0; i < ACTOR_GROUPS; i++)
        add_stage(run, i, ACTOR_GROUPS - 1 - i + (several && i <= ACTOR_1BD));
    if (!several)
        return;
    add_fifo(run, "FIFO of groups on their way", "groups", rules->trips_in_flight);
    add_stage(run, ACTOR_GROUPS, ACTOR_GROUPS - 1 - ACTOR_1BD);
}

static bool tokens_are_consistent(const struct tokens *tokens)
{
    size_t seeds = 0, groups = 0, matches = 0;
    for (size_t w = 0; w < tokens->word_count; w++)
        seeds += tokens->words[w];
    for (size_t s = 0; s < tokens->seed_count; s++)
        groups += tokens->seeds[s].groups;
    for (size_t g = 0; g < tokens->group_count; g++)
        matches += tokens->groups[g].matches;
    return seeds == tokens->seed_count && groups == tokens->group_count && matches == tokens->match_count;
}

static void result_init(struct events_result *out, const struct events_block *blocks, size_t count)
{
    out->bus_free = memory_new(count, sizeof *out->bus_free);
    out->times = memory_new(count, sizeof *out->times);
    out->block_count = count;
    for (size_t b = 0; b < count; b++)
        board_times_make_room(&out->times[b], &blocks[b].tokens, 0);
}

/* Run all stages to their end, from SimGrid's present clock on. */
static int simulate(struct run *run)
{
    for (size_t b = 0; b < run->out->block_count; b++)
        if (!tokens_are_consistent(&run->blocks[b].tokens))
            return why_say(run->why, EVENTS_ETOKENS, "a block's tokens contradict each other");
    if (!simgrid_engine_start_one_host() || sg_host_count() == 0)
        return why_say(run->why, EVENTS_EENGINE, "SimGrid has no host for the stages");
    sg_host_t *hosts = sg_host_list(), host = hosts[0];
    free(hosts);
    run->origin = ceil(simgrid_get_clock() * PHASES) / PHASES;
    run->unfinished = run->stage_count;
    for (unsigned i = 0; i < run->stage_count; i++) {
        run->stages[i].bell = sg_sem_init(0);
        simgrid_engine_add_actor(run->stages[i].name, host, stage_main, &run->stages[i]);
    }
    simgrid_run();
    for (unsigned i = 0; i < run->stage_count; i++)
        sg_sem_destroy(run->stages[i].bell);
    run->out->drained = run->last_moved + 1;
    return run->stuck ? EVENTS_ESTUCK : EVENTS_DONE;
}

int events_run(const struct board_rules *rules, const struct events_block *blocks, size_t count,
               struct events_result *out, struct why *why)
{
    struct run run = {.blocks = blocks,
                      .rules = rules,
                      .out = out,
                      .read_latency = board_latency(rules->sram_read_cycles),
                      .trip_cycles = board_trip_cycles(rules),
                      .fetch_latency = board_latency(rules->stage2_fetch_cycles),
                      .last_moved = -1,
                      .bus = WORD_BUS_IDLE,
                      .left = INT64_MIN / 2, /* no earlier record holds up the first */
                      .why = why};
    build(&run);
    *out = (struct events_result){0};
    result_init(out, blocks, count);
    const int status = simulate(&run);
    if (status != EVENTS_DONE)
        events_result_destroy(out);
    return status;
}
