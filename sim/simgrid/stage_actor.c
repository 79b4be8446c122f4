#include "sim/simgrid/stage_actor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double pass_time(const struct pipeline *pipeline)
{
    return simgrid_get_clock() - pipeline->origin;
}

/* ---- trace ---- */

static const char *const state_names[] = {"busy", "stalled", "idle"};

/* An engine that has run before may stand just before the pass's clock 0. */
static double trace_time(const struct pipeline *pipeline)
{
    return fmax(pass_time(pipeline), 0);
}

void stage_show(struct stage *stage, enum stage_state state)
{
    if (!stage->pipeline->paje || stage->shown == state)
        return;
    stage->shown = state;
    paje_set_state(stage->pipeline->paje, trace_time(stage->pipeline), "state", stage->alias,
                   state_names[state]);
}

static void show_count(const struct fifo *fifo)
{
    if (fifo->pipeline->paje)
        paje_set_variable(fifo->pipeline->paje, trace_time(fifo->pipeline), "occupancy", fifo->alias,
                          (double)fifo->count);
}

static void trace_begin(struct pipeline *pipeline)
{
    struct paje *paje = pipeline->paje;
    paje_container_type(paje, "board_type", "0", "board");
    paje_container_type(paje, "stage_type", "board_type", "stage");
    paje_container_type(paje, "fifo_type", "board_type", "FIFO");
    paje_state_type(paje, "state", "stage_type", "state");
    paje_state_value(paje, "busy", "state", "busy", "0.2 0.7 0.3");
    paje_state_value(paje, "stalled", "state", "stalled", "0.9 0.2 0.2");
    paje_state_value(paje, "idle", "state", "idle", "0.8 0.8 0.8");
    paje_variable_type(paje, "occupancy", "fifo_type", "occupancy");
    paje_create_container(paje, 0, "board", "board_type", "0", "board");
    for (unsigned i = 0; i < pipeline->stage_count; i++) {
        paje_create_container(paje, 0, pipeline->stages[i].alias, "stage_type", "board",
                              pipeline->stages[i].name);
        paje_set_state(paje, 0, "state", pipeline->stages[i].alias, "idle");
    }
    for (unsigned i = 0; i < pipeline->fifo_count; i++) {
        paje_create_container(paje, 0, pipeline->fifos[i].alias, "fifo_type", "board",
                              pipeline->fifos[i].name);
        paje_set_variable(paje, 0, "occupancy", pipeline->fifos[i].alias, 0);
    }
}

static void trace_end(struct pipeline *pipeline, double time)
{
    for (unsigned i = 0; i < pipeline->stage_count; i++)
        paje_destroy_container(pipeline->paje, time, pipeline->stages[i].alias, "stage_type");
    for (unsigned i = 0; i < pipeline->fifo_count; i++)
        paje_destroy_container(pipeline->paje, time, pipeline->fifos[i].alias, "fifo_type");
    paje_destroy_container(pipeline->paje, time, "board", "board_type");
}

/* ---- clocks ---- */

/* The date of an engine that has run before may not be a whole number of eighths: up to half an eighth beside it counts
 * as that eighth. */
int64_t stage_clock(const struct stage *stage)
{
    return (int64_t)floor(pass_time(stage->pipeline) + 0.5 / PIPELINE_PHASES);
}

void stage_sleep_to(struct stage *stage, int64_t clock)
{
    double time = (double)clock + (double)stage->phase / PIPELINE_PHASES;
    if (time <= pass_time(stage->pipeline) + 0.5 / PIPELINE_PHASES)
        return;
    sg_actor_sleep_until(stage->pipeline->origin + time);
    stage->pipeline->events++;
}

/* Sleep up to the stage's next phase, in this clock or the next. */
static void sleep_to_phase(struct stage *stage)
{
    int64_t clock = stage_clock(stage);
    double in_clock = pass_time(stage->pipeline) - (double)clock;
    stage_sleep_to(stage, in_clock <= (stage->phase + 0.5) / PIPELINE_PHASES ? clock : clock + 1);
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
    stage->pipeline->waiting--;
    sg_sem_release(stage->bell);
}

/* No stage is left that could wake another. Name the stages, those that wait for room first, and let all of them
 * end. */
static void declare_stuck(struct pipeline *pipeline)
{
    pipeline->stuck = true;
    pipeline->why->line[0] = '\0';
    for (int for_room = 1; for_room >= 0; for_room--)
        for (unsigned i = 0; i < pipeline->stage_count; i++)
            if (pipeline->stages[i].waits_for && (pipeline->stages[i].room > 0) == for_room)
                name_wait(&pipeline->stages[i], pipeline->why);
    for (unsigned i = 0; i < pipeline->stage_count; i++)
        if (pipeline->stages[i].waits_for)
            ring(&pipeline->stages[i]);
}

static void check_stuck(struct pipeline *pipeline)
{
    if (!pipeline->stuck && pipeline->unfinished > 0 && pipeline->waiting == pipeline->unfinished)
        declare_stuck(pipeline);
}

static bool fits(const struct fifo *fifo, uint64_t room)
{
    return room == 0 ? fifo->count > 0 : fifo->count + room <= fifo->places;
}

/* Wait until another stage rings; false if none ever will. */
static bool block(struct stage *stage, struct fifo *fifo, uint64_t room)
{
    struct pipeline *pipeline = stage->pipeline;
    *(room == 0 ? &fifo->taker : &fifo->pusher) = stage;
    stage->waits_for = fifo;
    stage->room = room;
    pipeline->waiting++;
    check_stuck(pipeline);
    sg_sem_acquire(stage->bell);
    pipeline->events++;
    return !pipeline->stuck;
}

static bool await_element(struct stage *stage, struct fifo *fifo, bool in_phase)
{
    if (fits(fifo, 0))
        return true;
    stage_show(stage, STAGE_IDLE);
    if (!block(stage, fifo, 0))
        return false;
    if (in_phase)
        sleep_to_phase(stage);
    stage_show(stage, STAGE_BUSY);
    return true;
}

bool stage_await_element(struct stage *stage, struct fifo *fifo)
{
    return await_element(stage, fifo, true);
}

bool stage_await_entry(struct stage *stage, struct fifo *fifo)
{
    return await_element(stage, fifo, false);
}

/* Another stage may have filled the room before this stage's phase comes: reads under way enter the SRAM FIFO between
 * 1bd and 1bp. */
bool stage_await_room(struct stage *stage, struct fifo *fifo, uint64_t room)
{
    if (room == 0 || fits(fifo, room))
        return true;
    stage_show(stage, STAGE_STALLED);
    while (!fits(fifo, room)) {
        if (!block(stage, fifo, room))
            return false;
        sleep_to_phase(stage);
    }
    stage_show(stage, STAGE_BUSY);
    return true;
}

void fifo_put(struct fifo *fifo, uint64_t elements)
{
    if (elements == 0)
        return;
    fifo->count += elements;
    show_count(fifo);
    struct stage *taker = fifo->taker;
    fifo->taker = NULL;
    if (taker)
        ring(taker);
}

void fifo_take(struct fifo *fifo)
{
    fifo->count--;
    show_count(fifo);
    struct stage *pusher = fifo->pusher;
    if (!pusher || !fits(fifo, pusher->room))
        return;
    fifo->pusher = NULL;
    ring(pusher);
}

/* ---- the run ---- */

/* The code of every actor: does a stage's work, and finds out at its end whether the others are stuck. */
static void stage_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct stage *stage = sg_actor_self_get_data();
    struct pipeline *pipeline = stage->pipeline;
    if (stage->work(stage)) {
        stage_sleep_to(stage, stage->free);
        stage_show(stage, STAGE_IDLE);
    }
    pipeline->unfinished--;
    check_stuck(pipeline);
}

void pipeline_add_stage(struct pipeline *pipeline, const char *alias, const char *name, int phase,
                        bool (*work)(struct stage *), void *data)
{
    pipeline->stages[pipeline->stage_count++] = (struct stage){.pipeline = pipeline,
                                                               .alias = alias,
                                                               .name = name,
                                                               .work = work,
                                                               .data = data,
                                                               .phase = phase,
                                                               .shown = STAGE_IDLE};
}

void pipeline_add_fifo(struct pipeline *pipeline, const char *alias, const char *name, const char *elements,
                       uint64_t capacity)
{
    pipeline->fifos[pipeline->fifo_count++] = (struct fifo){.pipeline = pipeline,
                                                            .alias = alias,
                                                            .name = name,
                                                            .elements = elements,
                                                            .places = capacity,
                                                            .capacity = capacity};
}

bool pipeline_run(struct pipeline *pipeline, sg_host_t host)
{
    pipeline->origin = ceil(simgrid_get_clock() * PIPELINE_PHASES) / PIPELINE_PHASES;
    pipeline->unfinished = pipeline->stage_count;
    trace_begin(pipeline);
    for (unsigned i = 0; i < pipeline->stage_count; i++) {
        pipeline->stages[i].bell = sg_sem_init(0);
        simgrid_engine_add_actor(pipeline->stages[i].name, host, stage_main, &pipeline->stages[i]);
    }
    simgrid_run();
    for (unsigned i = 0; i < pipeline->stage_count; i++)
        sg_sem_destroy(pipeline->stages[i].bell);
    trace_end(pipeline, ceil(pass_time(pipeline)));
    return !pipeline->stuck;
}
