/* run_bottleneck.h - what a run's time goes to: its phases, and the bottleneck of the stream.
 *
 * Models    the bottleneck by name (traces/bottleneck.h), from the frame of a run: what boards and host do after each
 *           other (tables are waited for and loaded, the database streams, only stage 3 still works, and joins; of
 *           several hosts, the mean over them, and the time in which they wait for the network or have nothing to do);
 *           host supply, bus, 1a, 1bp, 1bd and 2 while the database streams; the cores of stage 3 over the whole run.
 * Stalls    all of them are measured: of 1a, 1bp and 2, what their services (board_intervals.h) took beyond one clock
 *           each, of 2 beside the time in which fetches keep all places of its FIFO; of 1bd, its busy clocks beyond
 *           those that its lookups and trips need; of the bus, the time by which words that waited for room delayed a
 *           block, minus the time in which records crossed meanwhile; of the host's supply, the time in which its queue
 *           is full.
 * Stage 3   has an inbox without bound, so it cannot hold the board: it works beside boards and passes, and if it is
 *           too slow, the run waits for it at the end.
 * Software  does not limit the stream if a further block waits before the bus, and no result waits for a core, most of
 *           the time: the argument of Lancaster et al. 2011, section IV.B. A database that fits the host queue never
 *           fills it; but what is not the limit of the stream supplies enough, however few blocks there are.
 * Run       what limits the whole run is another question, which run_limits.h answers by timing it again.
 */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "traces/bottleneck.h"
#include "traces/frame.h"
#include "sim/board/bus_balance.h"
#include "sim/board/hardware.h"
#include "sim/run/run_limits.h"
#include "sim/run/stream_stages.h"
#include "sim/simgrid/network_actors.h"

/** Only a run on several hosts has PHASE_NETWORK and PHASE_OTHERS. */
enum run_phase {
    PHASE_BUILD,
    PHASE_LOAD,
    PHASE_STREAM,
    PHASE_DRAIN,
    PHASE_NETWORK,
    PHASE_OTHERS,
    RUN_PHASES
};

/** The stages: host and bus, those of the board in the order of board_stages, stage 3. */
enum { STAGE_HOST, STAGE_BUS, STAGE_OF_BOARD, STAGE_3 = STREAM_STAGES, RUN_STAGES };

struct run_bottleneck {
    double phase_s[RUN_PHASES];
    enum run_phase longest;
    struct stage_evidence stages[RUN_STAGES];
    struct bottleneck board;
    uint32_t boards, hosts, cores; /* boards that had passes; cores of all hosts */
    bool has_frame_records; /* these crossed the bus, also while boards were empty: measuring is charged */
    double spread_s;        /* time of stage 3's work, joining included, if all cores had equal parts of it */
    double longest_cluster_s; /* longest time that a core worked on one cluster */
    double host_full;         /* fraction of the stream's time in which the host queue is full */
    double host_ahead;        /* fraction in which it holds more than the block that the bus moves */
    double inbox_empty;       /* fraction of the run in which no HSP waits for a core */
    struct bus_balance balance;
    const struct run_limits *limits; /* what limits the whole run; NULL if that is not known */
};

/** @param longest_cluster_s  of struct host_schedule_result
 *  @param network            all zero, or NULL, if there is one host
 *  @param limits             borrowed, or NULL */
struct run_bottleneck run_bottleneck_find(const struct frame *run, const struct hardware *hardware,
                                          double longest_cluster_s, const struct network_use *network,
                                          const struct run_limits *limits);

/** What a run's PHASE_DRAIN is called. @param alone  if only stage 3 works in it */
const char *run_bottleneck_drain(const struct run_bottleneck *bottleneck, const char *alone);

void run_bottleneck_write_text(const struct run_bottleneck *bottleneck, FILE *out);

/** The object of summary.json. */
json_t *run_bottleneck_json(const struct run_bottleneck *bottleneck);
