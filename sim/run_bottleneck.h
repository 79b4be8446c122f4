/* run_bottleneck.h - what limits a run: which phase, then which stage of the streaming machine.
 *
 * Models    the bottleneck, named (traces/bottleneck.h), from a run's frame: the phases of its passes one after the other
 *           (tables are loaded, the database streams, stage 3 drains and joins); and host supply, bus, 1a, 1bp, 1bd
 *           and 2 while it streams.
 * Stalls    measured (board_stalls.h) where the run was measured; else what the back-pressure signals leave possible, at
 *           most. 1bd's are always exact. Nothing holds the host's supply: it reads ahead without bound.
 */
#ifndef MERCURY_SIM_RUN_BOTTLENECK_H
#define MERCURY_SIM_RUN_BOTTLENECK_H

#include <stdio.h>

#include <jansson.h>

#include "sim/board_stalls.h"
#include "sim/hardware.h"
#include "traces/bottleneck.h"
#include "traces/frame.h"

enum run_phase { PHASE_LOAD, PHASE_STREAM, PHASE_DRAIN, RUN_PHASES };

enum { RUN_STAGES = 6 };

struct run_bottleneck {
    double phase_s[RUN_PHASES];
    enum run_phase longest;
    struct stage_evidence stages[RUN_STAGES];
    struct bottleneck board;
    bool measured; /* the stalls */
};

struct run_bottleneck run_bottleneck_find(const struct frame *run, const struct stall_counts *stalls,
                                          const struct hardware *hardware);

void run_bottleneck_write_text(const struct run_bottleneck *bottleneck, FILE *out);

/** For summary.json; NULL when memory is out. */
json_t *run_bottleneck_json(const struct run_bottleneck *bottleneck);

#endif
