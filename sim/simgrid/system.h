/* system.h - the machine around the board, in SimGrid: one pass of it.
 *
 * Models    docs/hacking.md, "How a run flows": host, FPGA board and PCI-X link, and the actors
 *
 *     storage reader -> DMA in ==pcix==> board ==pcix== DMA out -> results -> stage-3 workers
 *                 board ==pcix== record DMA -> records ->                      measurement agent
 *
 *           First the tables are loaded over the bus, then the database streams block by block, then everything drains.
 *           The reader supplies bytes into the host's memory at host.supply, without bound. DMA in moves a block when
 *           the bus has finished the one before and the host has begun to supply this one. The time that SimGrid takes
 *           for the block, contention with outgoing records included, gives w; the last transfer of records gives v.
 *           The board then computes every clock of the block at once (board.h) and holds the bus until its last word is
 *           in. The records of a block leave together; one worker takes them all and computes as long as their
 *           extension takes. If measuring is charged, the record DMA moves the records of frames that have ended, the
 *           agent takes its share of the cores, and the pass ends only after the last frame record has arrived.
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

enum system_error { SYSTEM_EMEMORY = -1 };

/** Wall-clock time of Mercury itself, by part. */
struct system_wall {
    double stages_s; /* stages 1a to 2 */
    double board_s;  /* timing and taps */
    double stage3_s;
};

/** How a timeline ended: timeline_close(). */
struct system_timeline {
    int status;
    struct timeline_report report;
};

/** What observes a pass while it runs. A pointer that is NULL leaves its instrument out. */
struct pass_instruments {
    atomic_ullong *words_done;         /* raised block by block, for a display of progress */
    struct measure *measure;           /* measures the pass; the caller finishes it */
    struct machine_timeline *timeline; /* draws the pass, and is closed when the pass ends */
    struct system_timeline *drawn;     /* how drawing ended; needed if there is a timeline */
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

/** Simulate a pass and measure it.
 *
 * @param frame  filled on success
 * @param wall   filled on success
 */
int system_run(const struct system_pass *pass, struct frame *frame, struct system_wall *wall);

#endif
