/* run_bottleneck.h - what limits a run: which phase, then which stage of the streaming machine.
 *
 * Models    the bottleneck, named (traces/bottleneck.h), from a run's frame: the phases of its passes one after the other
 *           (tables are loaded, the database streams, stage 3 drains and joins); host supply, bus, 1a, 1bp, 1bd
 *           and 2 while it streams; stage 3's cores over the whole run.
 * Stalls    all measured: of 1a, 1bp and 2, what their services (board_intervals.h) took beyond a clock each; of 1bd,
 *           busy clocks beyond its lookups' and trips' own; of the bus, time by which words that waited for room
 *           delayed a block, less the time in which records crossed meanwhile. Nothing holds the host's supply: it reads
 *           ahead without bound.
 * Stage 3   has an inbox without bound, so it cannot hold the board: where it is too slow, the run waits for it at the
 *           end. It limits the run where that takes longer than any other phase.
 * Gain      a phase that took no time would make the run so many times as fast (Amdahl), with the others as they are.
 */
#ifndef MERCURY_SIM_PASS_RUN_BOTTLENECK_H
#define MERCURY_SIM_PASS_RUN_BOTTLENECK_H

#include <stdio.h>

#include <jansson.h>

#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"
#include "traces/bottleneck.h"
#include "traces/frame.h"

enum run_phase { PHASE_LOAD, PHASE_STREAM, PHASE_DRAIN, RUN_PHASES };

/** The stages: host and bus, those of the board in the order of board_stages, stage 3. */
enum { STAGE_HOST, STAGE_BUS, STAGE_OF_BOARD, STAGE_3 = STAGE_OF_BOARD + BOARD_STAGES, RUN_STAGES };

struct run_bottleneck {
    double phase_s[RUN_PHASES];
    enum run_phase longest;
    double gain; /* without the longest phase */
    struct stage_evidence stages[RUN_STAGES];
    struct bottleneck board;
    uint32_t cores;
    double spread_s; /* stage 3's work, joining included, if all cores had equal parts of it */
};

struct run_bottleneck run_bottleneck_find(const struct frame *run, const struct hardware *hardware);

void run_bottleneck_write_text(const struct run_bottleneck *bottleneck, FILE *out);

/** For summary.json; NULL when memory is out. */
json_t *run_bottleneck_json(const struct run_bottleneck *bottleneck);

#endif
