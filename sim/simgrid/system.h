/* system.h - the machine around the board, in SimGrid: one pass of it.
 *
 * Models    docs/hacking.md, "How a run flows": host, FPGA board and PCI-X link, and the actors
 *
 *     storage reader -> host queue -> DMA in ==pcix==> board ==pcix== DMA out -> results
 *                               board ==pcix== record DMA -> records
 *
 *           First the tables are loaded over the bus, then the database streams block by block, then the board drains.
 *           If tables overlap, those of the next pass share the bus with the blocks of this one, and the board is free
 *           when they are loaded, too.
 *           The reader supplies bytes into the host queue at host.supply; while all its places are taken, it waits. A
 *           block takes a place from when the reader begins with it until the bus has moved it. DMA in moves a block
 *           when the bus has finished the one before and the host has begun to supply this one. The time that SimGrid
 *           takes for the block, contention with outgoing records included, gives w; the last transfer of records gives
 *           v. The board then computes every clock of the block at once (board.h) and holds the bus until its last word
 *           is in. The records of a block leave together. When they are in the host's memory, what stage 3 has to do
 *           with them is computed; when its cores do it is a matter of the whole run (sim/host/host_run.h). If
 *           measuring is charged, the record DMA moves the records of frames that have ended, and the board is free
 *           only after the last frame record has arrived.
 * Leaves out other work of the host. Records of a block contend with the transfer of the next block, not with that of
 *           their own: for the first block v is the whole bus.
 * Limits    one call per process: SimGrid has one engine per process.
 * Errors    a negative SYSTEM_E* code.
 */
#ifndef MERCURY_SIM_SIMGRID_SYSTEM_H
#define MERCURY_SIM_SIMGRID_SYSTEM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "traces/frame.h"
#include "sim/board/board.h"
#include "sim/board/hardware.h"
#include "sim/tokens/stage_source.h"
#include "sim/measure/machine_clocks.h"
#include "sim/measure/machine_timeline.h"
#include "sim/measure/measure.h"
#include "sim/measure/measuring_charge.h"
#include "sim/host/host_run.h"

enum system_error { SYSTEM_EMEMORY = -1 };

/** Wall-clock time of Mercury itself, by part. */
struct system_wall {
    double stages_s; /* stages 1a to 2, or waiting for other threads that compute them */
    double board_s;  /* timing and taps */
    double stage3_s;
};

/** What observes a pass while it runs. A pointer that is NULL leaves its instrument out. */
struct pass_instruments {
    atomic_ullong *words_done;         /* raised block by block, for a display of progress */
    struct measure *measure;           /* measures the pass; the caller finishes it */
    struct machine_timeline *timeline; /* draws the board's side of the pass */
    struct pass_stamps *stamps;        /* receives what host and board stamped */
    struct measuring_charge *charge;   /* charges the cost of `measure` (measuring_cost.h), and receives it */

    /** Sees every block before its tokens are freed; false ends the pass because memory is exhausted. */
    bool (*watch_block)(void *watcher, const struct tokens *tokens, const struct bus_share *share);
    void *watcher;
};

struct system_pass {
    const struct hardware *hardware;
    const char *platform_file; /* for simgrid_load_platform(); the platform has been checked */
    const struct stage_source *source;
    struct pass_instruments instruments;
};

/** Simulate a pass up to where its board is free, and measure it.
 *
 * @param frame  filled on success, but for what the host's cores do (sim/host/host_frame.h)
 * @param host   filled on success: the tasks of stage 3, which the caller destroys, and when they can begin
 * @param wall   filled on success
 */
int system_run(const struct system_pass *pass, struct frame *frame, struct host_pass *host,
               struct system_wall *wall);

#endif
