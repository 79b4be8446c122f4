/* stage_actor.h - the stages of a clocked pipeline as SimGrid actors, the FIFOs between them as bounded channels.
 *
 * Models    stages that move one element after the other and wait for elements and for room. Elements keep their order,
 *           so the n-th out is the n-th in, and a FIFO only has to count. One stage takes from a FIFO, and one waits
 *           for room in it.
 * Time      one simulated second is one clock. A stage acts in its own phase of the clock, counted in eighths, so that
 *           equal times never decide; a double holds eighths and their sums exactly for up to 2^50 clocks. No stage
 *           polls: it sleeps up to a clock it knows, or on a semaphore until the FIFO it waits for has changed.
 * Stuck     stages that wait for each other for ever are found when the last stage that could move begins to wait
 *           (SimGrid would abort the process). All waits then return false, the stages end, and the text names each
 *           stage that waits and what it waits for.
 * Trace     in a Paje file: a container named "board" with a container for each stage (its state) and one for each FIFO
 *           (its occupancy), at every change; times are in clocks. The caller opens and closes the file.
 * Memory    plain structs of the caller's; the semaphores exist during the run.
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
    STAGE_BUSY,    /* it moves an element, or works on one */
    STAGE_STALLED, /* it has an element for which there is no room downstream */
    STAGE_IDLE     /* it has no element */
};

struct pipeline;
struct stage;

struct fifo {
    struct pipeline *pipeline;
    const char *alias, *name, *elements; /* alias in the trace; name and elements for people */
    uint64_t count;
    uint64_t places;      /* number of places that the stage before it may fill */
    uint64_t capacity;    /* with the places kept for elements under way; for messages only */
    struct stage *taker;  /* the stage that waits for an element, or NULL */
    struct stage *pusher; /* the stage that waits for room, or NULL */
};

struct stage {
    struct pipeline *pipeline;
    const char *alias, *name;
    bool (*work)(struct stage *); /* moves all elements; returns false if stuck */
    void *data;                   /* used by `work` */
    int phase;                    /* phase of the clock in which the stage acts, in eighths */
    int64_t free;                 /* first clock in which it can move another element; set by `work` */
    enum stage_state shown;       /* the state that the trace shows */
    sg_sem_t bell;
    const struct fifo *waits_for; /* NULL if it moves, or sleeps up to a known clock */
    uint64_t room;                /* number of places it waits for; 0 if it waits for an element */
};

/** Start with zeros and `why`, then add stages and FIFOs. */
struct pipeline {
    struct stage stages[PIPELINE_STAGES_MAX]; /* downstream last */
    struct fifo fifos[PIPELINE_FIFOS_MAX];
    unsigned stage_count, fifo_count;
    double origin;                /* SimGrid's time of clock 0 */
    uint64_t events;              /* number of times SimGrid woke a stage */
    unsigned unfinished, waiting; /* numbers of stages */
    bool stuck;
    struct paje *paje; /* NULL if no trace is wanted */
    struct why *why;
};

/** Add the next stage; its name is also that of its actor. */
void pipeline_add_stage(struct pipeline *pipeline, const char *alias, const char *name, int phase,
                        bool (*work)(struct stage *), void *data);

/** Add the next FIFO. @param capacity  number of places; FIFO_NO_LIMIT if no stage waits for room */
void pipeline_add_fifo(struct pipeline *pipeline, const char *alias, const char *name, const char *elements,
                       uint64_t capacity);

/** Run all stages to their end, from SimGrid's present clock on.
 *  @return false if they got stuck: see why */
bool pipeline_run(struct pipeline *pipeline, sg_host_t host);

/* ---- for the stages' work ---- */

/** The present clock of a stage. */
int64_t stage_clock(const struct stage *stage);

/** Sleep up to the stage's phase of a clock; return at once if that phase is over. */
void stage_sleep_to(struct stage *stage, int64_t clock);

/** In the stage's phase: go on at once, or in the phase of the first later clock that finds an element. */
bool stage_await_element(struct stage *stage, struct fifo *fifo);

/** Go on as soon as there is an element, even outside the phase: for a stage that then knows until which clock it
 *  must sleep. */
bool stage_await_entry(struct stage *stage, struct fifo *fifo);

/** In the stage's phase: go on at once, or in the phase of the first later clock that finds room.
 *  @param room  places; 0 always fits */
bool stage_await_room(struct stage *stage, struct fifo *fifo, uint64_t room);

void stage_show(struct stage *stage, enum stage_state state);

void fifo_put(struct fifo *fifo, uint64_t elements);
void fifo_take(struct fifo *fifo);

#endif
