/* machine.h - one pass through the whole machine, in SimGrid.
 *
 * Models    architecture.md, "The system lives in SimGrid": host, FPGA board and PCI-X link, and the actors
 *
 *     storage reader -> DMA in ==pcix==> board ==pcix== DMA out -> results -> stage-3 workers
 *                                                                              measurement agent
 *
 *           First the tables are loaded over the bus, then the database streams, a block at a time, then everything
 *           drains. The reader supplies bytes at host.supply into the host's memory, without bound. DMA in moves a
 *           block when the bus has done with the one before and the host has begun to supply this one. The time
 *           SimGrid takes for the block, contention with the records going out included, gives w; the last transfer
 *           of records gives v. The board then has every clock of the block at once (board.h), and holds the bus
 *           until its last word is in. Records go out a block's together; a worker takes them all, really extends
 *           them, and computes for the cells that took.
 * Leaves out what the host does beside; the order in which several workers finish does not change what is found.
 * Limits    one call a process: SimGrid has one engine a process.
 * Errors    a negative MACHINE_E* code.
 */
#ifndef MERCURY_SIM_MACHINE_H
#define MERCURY_SIM_MACHINE_H

#include <stdatomic.h>

#include "blast/alignment.h"
#include "blast/segment.h"
#include "blast/sequence.h"
#include "sim/hardware.h"
#include "traces/frame.h"

enum machine_error { MACHINE_EMEMORY = -1 };

struct machine_pass {
    const struct hardware *hardware;
    const char *platform_file; /* that simgrid_load_platform() takes; the platform is checked */
    const struct sequences *query;
    const uint8_t *query_codes; /* of the segment's strand, the whole query */
    const struct sequences *database;
    struct query_segment segment;
    const struct scoring_statistics *statistics;
    int least_score;           /* of an alignment that is kept */
    atomic_ullong *words_done; /* counted up block by block, for who watches; may be NULL */
};

struct machine_result {
    struct frame frame;
    struct sram_load tables;
    struct alignment_list alignments; /* of this pass, not culled */
};

/** Simulate a pass.
 *
 * @param result  filled on success; its alignments are the caller's to destroy
 */
int machine_simulate(const struct machine_pass *pass, struct machine_result *result);

#endif
