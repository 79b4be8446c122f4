/* stage_actor.h - the stages of a clocked pipeline as SimGrid actors, the FIFOs between them as bounded channels.
 *
 * Models    stages that move one element after the other and wait for elements and for room. Elements keep their
 *           order, so the n-th out is the n-th in: a FIFO has to count only. One stage takes from a FIFO, one waits
 *           for room in it.
 * Time      one simulated second is one clock. A stage acts in its own phase of the clock, in eighths, so that equal
 *           times never decide: a double holds eighths and their sums exactly, for up to 2^50 clocks. Nobody polls:
 *           a stage sleeps to a clock it knows, or on a semaphore until the FIFO it waits for has changed.
 * Stuck     stages that wait for each other for ever are found when the last one that could move begins to wait (left
 *           to itself, SimGrid aborts the process). All waits then return false, the stages end, and the text names each
 *           that waits, and for what.
 * Trace     in a Paje file, a container named "board" with one container a stage (its state) and one a FIFO (its
 *           occupancy), at every change; times in clocks. The file is the caller's to open and close.
 * Memory    the caller's, plain structs; the semaphores live for the run.
 */
#ifndef MERCURY_SIM_SIMGRID_STAGE_ACTOR_H
#define MERCURY_SIM_SIMGRID_STAGE_ACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "sim/simgrid/paje.h"
#include "sim/simgrid/simgrid_engine.h"

enum { PIPELINE_PHASES = 8, PIPELINE_STAGES_MAX = 8, PIPELINE_FIFOS_MAX = 8 };

#define FIFO_NO_LIMIT UINT64_MAX

enum stage_state {
    STAGE_BUSY,    /* moves an element, or works on one */
    STAGE_STALLED, /* has one that does not fit what lies downstream */
    STAGE_IDLE     /* has none */
};

struct pipeline;
struct stage;

struct fifo {
    struct pipeline *pipeline;
    const char *alias, *name, *elements; /* for the trace; for people */
    uint64_t count;
    uint64_t places;      /* up to which the stage that asks for room may fill it */
    uint64_t capacity;    /* places, and those kept for elements under way; to be named only */
    struct stage *taker;  /* waits for an element, or NULL */
    struct stage *pusher; /* waits for room, or NULL */
};

struct stage {
    struct pipeline *pipeline;
    const char *alias, *name;
    bool (*work)(struct stage *); /* from the first to the last element; false when stuck */
    void *data;                   /* work's */
    int phase;                    /* of the clock, in eighths */
    int64_t free;                 /* first clock in which it may move another element: set by work */
    enum stage_state shown;       /* in the trace */
    sg_sem_t bell;
    const struct fifo *waits_for; /* NULL: it moves, or sleeps up to a known clock */
    uint64_t room;                /* places it waits for in there; 0: for an element */
};

/** All zero but for what the caller adds. */
struct pipeline {
    struct stage stages[PIPELINE_STAGES_MAX]; /* downstream last */
    struct fifo fifos[PIPELINE_FIFOS_MAX];
    unsigned stage_count, fifo_count;
    double origin;                /* clock 0, on SimGrid's clock */
    uint64_t events;              /* how often SimGrid woke a stage */
    unsigned unfinished, waiting; /* stages */
    bool stuck;
    struct paje *paje; /* NULL: no trace */
    struct why *why;
};

/** Add the next stage; its name is also that of its actor. */
void pipeline_add_stage(struct pipeline *pipeline, const char *alias, const char *name, int phase,
                        bool (*work)(struct stage *), void *data);

/** Add the next FIFO. @param capacity  FIFO_NO_LIMIT where nobody asks for room */
void pipeline_add_fifo(struct pipeline *pipeline, const char *alias, const char *name, const char *elements,
                       uint64_t capacity);

/** Run all stages to their end, from SimGrid's present clock on.
 *  @return false when they got stuck: see why */
bool pipeline_run(struct pipeline *pipeline, sg_host_t host);

/* ---- for the stages' work ---- */

/** The clock the stage is in. */
int64_t stage_clock(const struct stage *stage);

/** Sleep to the stage's phase of a clock; not at all if that is over. */
void stage_sleep_to(struct stage *stage, int64_t clock);

/** In the stage's phase: go on at once, or in the phase of the first later clock that finds an element. */
bool stage_await_element(struct stage *stage, struct fifo *fifo);

/** Go on as soon as there is an element, in the phase or not: for a stage that then knows a clock to sleep to. */
bool stage_await_entry(struct stage *stage, struct fifo *fifo);

/** In the stage's phase: go on at once, or in the phase of the first later clock that finds room.
 *  @param room  places; 0 always fits */
bool stage_await_room(struct stage *stage, struct fifo *fifo, uint64_t room);

void stage_show(struct stage *stage, enum stage_state state);

void fifo_put(struct fifo *fifo, uint64_t elements);
void fifo_take(struct fifo *fifo);

#endif
