#include "sim/simgrid/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/board_fifos.h"
#include "sim/simgrid/stage_actor.h"

struct run {
    const struct events_block *blocks;
    struct events_result *out;
    int64_t read_latency, trip_cycles, fetch_latency;
    int64_t port_free;  /* clock in which the duplicate table's port takes the next trip */
    int64_t last_moved; /* last clock in which an element moved */
    struct word_bus bus;
    int64_t left; /* E of the last record, in ticks */
    const struct board_rules *rules;
    struct pipeline pipeline;
};

/* The read pipeline stands before the SRAM FIFO. */
static struct fifo *read_pipeline(struct stage *stage)
{
    return &stage->pipeline->fifos[FIFO_SRAM];
}

/* Behind the FIFOs, if several groups may be on their way to the stage-2 FIFO. */
static struct fifo *groups_on_their_way(struct stage *stage)
{
    return &stage->pipeline->fifos[BOARD_FIFOS + 1];
}

static struct fifo *fifo_of(struct stage *stage, enum board_fifo fifo)
{
    return &stage->pipeline->fifos[fifo + (fifo >= FIFO_SRAM)];
}

/* An element has moved in this clock: the next one moves in the next clock at the earliest. */
static int64_t moved(struct stage *stage)
{
    struct run *run = stage->data;
    int64_t clock = stage_clock(stage);
    stage->free = clock + 1;
    run->last_moved = later(run->last_moved, clock);
    return clock;
}

/* ---- the stages, each a walk over its elements in stream order ---- */

/* Step 6 for one word. @param at  in: the tick at which it is due; out: its A */
static bool deliver(struct stage *stage, int64_t *at, int64_t *delivered)
{
    struct fifo *ingress = fifo_of(stage, FIFO_INGRESS);
    int64_t due = board_clock_at(*at);
    stage_sleep_to(stage, later(due, stage->free));
    if (!stage_await_room(stage, ingress, 1))
        return false;
    int64_t clock = stage_clock(stage);
    stage->free = clock + 1;
    if (clock > due)
        *at = clock * BOARD_TICKS_PER_CLOCK;
    *delivered = clock;
    fifo_put(ingress, 1);
    return true;
}

static bool work_bus_in(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct run *run = stage->data;
    const struct bus_share *share = &block->share;
    int64_t supplied = share->supply_first;
    if (block->tokens->word_count > 0)
        run->bus = word_bus_begin(run->bus, share);
    for (size_t w = 0; w < block->tokens->word_count; w++) {
        int64_t at = later(run->bus.free, supplied);
        stage_show(stage, supplied > run->bus.free ? STAGE_IDLE : STAGE_BUSY);
        if (!deliver(stage, &at, &times->word_delivered[w]))
            return false;
        run->bus = word_bus_carry(run->bus, at, share->word_ticks);
        supplied += share->supply_ticks;
    }
    run->out->bus_free[block - run->blocks] = run->bus.free;
    return true;
}

/* Step 5 for one word. */
static bool pass_word(struct stage *stage, unsigned seeds, int64_t *taken)
{
    struct fifo *ingress = fifo_of(stage, FIFO_INGRESS), *wmer = fifo_of(stage, FIFO_WMER);
    stage_sleep_to(stage, stage->free);
    if (!stage_await_element(stage, ingress) || !stage_await_room(stage, wmer, seeds))
        return false;
    *taken = moved(stage);
    fifo_take(ingress);
    fifo_put(wmer, seeds);
    return true;
}

static bool work_1a(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    for (size_t w = 0; w < block->tokens->word_count; w++)
        if (!pass_word(stage, block->tokens->words[w], &times->word_taken[w]))
            return false;
    return true;
}

/* Step 4 for one seed. */
static bool issue_read(struct stage *stage, int64_t *issued)
{
    struct fifo *wmer = fifo_of(stage, FIFO_WMER);
    stage_sleep_to(stage, stage->free);
    if (!stage_await_element(stage, wmer) || !stage_await_room(stage, fifo_of(stage, FIFO_SRAM), 1))
        return false;
    *issued = moved(stage);
    fifo_take(wmer);
    fifo_put(read_pipeline(stage), 1);
    return true;
}

static bool work_1bp(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    for (size_t s = 0; s < block->tokens->seed_count; s++)
        if (!issue_read(stage, &times->seed_issued[s]))
            return false;
    return true;
}

/* Step 3. */
static bool work_sram(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    const struct run *run = stage->data;
    for (size_t s = 0; s < block->tokens->seed_count; s++) {
        if (!stage_await_entry(stage, read_pipeline(stage)))
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
    struct run *run = stage->data;
    stage_sleep_to(stage, stage->free);
    if (!stage_await_element(stage, fifo_of(stage, FIFO_SRAM)))
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
    struct run *run = stage->data;
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
    struct run *run = stage->data;
    const struct seed_token token = tokens->seeds[seed];
    const bool trips = token.outcome == LOOKUP_DUPLICATE;
    stage_sleep_to(stage, stage->free);
    if (!stage_await_element(stage, fifo_of(stage, FIFO_SRAM)))
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
    const struct run *run = stage->data;
    size_t group = 0;
    for (size_t s = 0; s < block->tokens->seed_count; group += block->tokens->seeds[s++].groups)
        if (!(run->rules->trips_in_flight > 1 ? send_lookup : serve_lookup)(stage, block->tokens, times, s,
                                                                            group))
            return false;
    return true;
}

/* Step 2 for groups on their way: they enter in order, any number in a clock. */
static bool work_groups(struct stage *stage, const struct events_block *block, struct board_times *times)
{
    struct fifo *on_their_way = groups_on_their_way(stage);
    for (size_t g = 0; g < block->tokens->group_count; g++) {
        if (!stage_await_entry(stage, on_their_way))
            return false;
        const int64_t ready = times->group_entered[g];
        if (!move_group(stage, ready - stage_clock(stage), block->tokens->groups[g].matches,
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
    const struct run *run = stage->data;
    const struct tokens *tokens = block->tokens;
    struct fifo *stage2 = fifo_of(stage, FIFO_STAGE2), *egress = fifo_of(stage, FIFO_EGRESS);
    size_t match = 0;
    for (size_t g = 0; g < tokens->group_count; g++)
        for (unsigned i = 0; i < tokens->groups[g].matches; i++, match++) {
            if (!stage_await_entry(stage, stage2))
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
    struct run *run = stage->data;
    struct fifo *egress = fifo_of(stage, FIFO_EGRESS);
    size_t record = 0;
    for (size_t m = 0; m < block->tokens->match_count; m++) {
        if (!block->tokens->matches[m])
            continue;
        if (!stage_await_entry(stage, egress))
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
    const char *alias, *name;
    bool (*work)(struct stage *, const struct events_block *, struct board_times *);
} actors[] = {
    {"bus_in", "bus in", work_bus_in},    {"stage_1a", "1a", work_1a},
    {"stage_1bp", "1bp", work_1bp},       {"stage_sram", "SRAM", work_sram},
    {"stage_1bd", "1bd", work_1bd},       {"stage_2", "2", work_2},
    {"bus_out", "bus out", work_bus_out}, {"groups", "groups on their way", work_groups},
};

static bool work_on_blocks(struct stage *stage)
{
    const struct run *run = stage->data;
    size_t actor = (size_t)(stage - stage->pipeline->stages);
    for (size_t b = 0; b < run->out->block_count; b++)
        if (!actors[actor].work(stage, &run->blocks[b], &run->out->times[b]))
            return false;
    return true;
}

static void pipeline_build(struct run *run, const struct board_rules *rules)
{
    struct pipeline *p = &run->pipeline;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        const struct board_fifo_row *row = &board_fifos[fifo];
        if (fifo == FIFO_SRAM)
            pipeline_add_fifo(p, "reads", "read pipeline", "reads", FIFO_NO_LIMIT);
        pipeline_add_fifo(p, row->key, row->title, row->element, board_fifo_places(fifo, rules));
        if (fifo == FIFO_SRAM)
            p->fifos[p->fifo_count - 1].places =
                rules->sram_lookups > rules->sram_margin ? rules->sram_lookups - rules->sram_margin : 0;
    }
    const bool several = rules->trips_in_flight > 1;
    for (int i = 0; i < ACTOR_GROUPS; i++)
        pipeline_add_stage(p, actors[i].alias, actors[i].name,
                           ACTOR_GROUPS - 1 - i + (several && i <= ACTOR_1BD), work_on_blocks, run);
    if (!several)
        return;
    pipeline_add_fifo(p, "on_their_way", "FIFO of groups on their way", "groups", rules->trips_in_flight);
    pipeline_add_stage(p, actors[ACTOR_GROUPS].alias, actors[ACTOR_GROUPS].name, ACTOR_GROUPS - 1 - ACTOR_1BD,
                       work_on_blocks, run);
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
    return !tokens->out_of_memory && seeds == tokens->seed_count && groups == tokens->group_count &&
           matches == tokens->match_count;
}

static bool result_init(struct events_result *out, const struct events_block *blocks, size_t count)
{
    out->bus_free = calloc(count + 1, sizeof *out->bus_free); /* an empty array is not NULL */
    out->times = calloc(count + 1, sizeof *out->times);
    if (!out->bus_free || !out->times)
        return false;
    out->block_count = count;
    for (size_t b = 0; b < count; b++)
        if (!board_times_make_room(&out->times[b], blocks[b].tokens, 0))
            return false;
    return true;
}

/* The host of the actors; NULL if there is none. */
static sg_host_t engine_host(bool started_by_others)
{
    static bool started;
    if (!started_by_others && !started && !simgrid_engine_start_one_host())
        return NULL;
    started = true;
    sg_host_t *hosts = sg_host_list();
    sg_host_t host = sg_host_count() > 0 ? hosts[0] : NULL;
    free(hosts);
    return host;
}

static int fail_trace(struct run *run)
{
    return why_say(run->pipeline.why, EVENTS_ETRACE, "the trace of the events (--paje) cannot be written: %s",
                   strerror(errno));
}

static int simulate(struct run *run, sg_host_t host, const char *paje_file)
{
    struct pipeline *pipeline = &run->pipeline;
    if (paje_file && !(pipeline->paje = paje_open(paje_file)))
        return fail_trace(run);
    bool done = pipeline_run(pipeline, host);
    run->out->drained = run->last_moved + 1;
    run->out->events = pipeline->events;
    if (paje_close(pipeline->paje) != 0 && done)
        return fail_trace(run);
    return done ? EVENTS_DONE : EVENTS_ESTUCK;
}

static int prepare_and_simulate(struct run *run, const struct events_options *options)
{
    static const struct events_options none;
    for (size_t b = 0; b < run->out->block_count; b++)
        if (!tokens_are_consistent(run->blocks[b].tokens))
            return why_say(run->pipeline.why, EVENTS_ETOKENS, "a block's tokens contradict each other");
    if (!options)
        options = &none;
    sg_host_t host = engine_host(options->engine_started);
    if (!host)
        return why_say(run->pipeline.why, EVENTS_EENGINE, "SimGrid has no host for the stages");
    return simulate(run, host, options->paje_file);
}

int events_run(const struct board_rules *rules, const struct events_block *blocks, size_t count,
               const struct events_options *options, struct events_result *out, struct why *why)
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
                      .pipeline = {.why = why}};
    pipeline_build(&run, rules);
    *out = (struct events_result){0};
    int status = result_init(out, blocks, count) ? prepare_and_simulate(&run, options)
                                                 : why_no_memory(why, EVENTS_EMEMORY);
    if (status != EVENTS_DONE)
        events_result_destroy(out);
    return status;
}
