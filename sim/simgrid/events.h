/* events.h - the FPGA board as SimGrid actors: every stage an actor, every FIFO a bounded channel.
 *
 * Models    docs/hardware.md, "One clock, in this order", and what board.h and tests/sim/board/judge.h decide where it
 *           leaves something open. Each word, seed, trip, match and record is an event of SimGrid's; nothing is
 *           computed ahead. Same clocks as board_advance, element for element; slow, plain, and it can be looked at.
 *
 *               bus in -> [ingress] 1a -> [wmer] 1bp -> [reads] SRAM -> [SRAM] 1bd -> [stage-2] 2 -> [egress] bus out
 *
 * Leaves out what the fast engine leaves out: values. And the bus itself: w, v and h are given, as they are there.
 * Time      one simulated second is one clock. Each stage acts in its own phase of the clock, downstream first (bus out
 *           +0/8, 2 +1/8, 1bd +2/8, SRAM +3/8, 1bp +4/8, 1a +5/8, bus in +6/8); see stage_actor.h. What the bus does is
 *           counted in ticks (board.h), in whole numbers.
 * SimGrid   one engine a process. The first run starts it with a platform of one host; later runs of the process go
 *           on with it, at a later date. A process in which somebody else has started it says so in the options.
 *           Not to be called from inside an actor.
 * Stuck     rules that hardware_check refuses (FIFOs that what enters together does not fit) make stages wait for each
 *           other for ever. That is found when the last stage that could move begins to wait; all stages then end,
 *           and the text names each stage that waits, and for what.
 * Trace     optionally a Paje file, times in clocks (fractions are phases): a container a stage with its state, a
 *           container a FIFO with its occupancy, at every change.
 *                   busy     moves an element, or works on one (a trip, a read, a fetch, a transfer)
 *                   stalled  holds or sees one that does not fit what lies downstream
 *                   idle     has none; bus in: the host has not supplied one, or the block has not begun
 * Memory    the result belongs to the caller until events_result_destroy. Besides it a run needs no more than the
 *           actors' stacks.
 * Errors    0 or a negative code and a text; on error there is no result.
 */
#ifndef MERCURY_SIM_SIMGRID_EVENTS_H
#define MERCURY_SIM_SIMGRID_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/stages12/tokens.h"
#include "sim/board/board.h"

enum {
    EVENTS_DONE = 0,
    EVENTS_EMEMORY = -1,
    EVENTS_ESTUCK = -2,  /* stages wait for each other; a trace asked for is complete up to there */
    EVENTS_ETRACE = -3,  /* the trace file cannot be written */
    EVENTS_ETOKENS = -4, /* a block's tokens contradict each other */
    EVENTS_EENGINE = -5  /* SimGrid's platform cannot be handed over */
};

/** A block of the pass; blocks follow each other in stream order. */
struct events_block {
    const struct tokens *tokens; /* borrowed for the run */
    struct bus_share share;
};

/** All zero: no trace, SimGrid not yet started. */
struct events_options {
    const char *paje_file; /* NULL: no trace */
    bool engine_started;   /* by somebody else in this process; its first host will do */
};

struct events_result {
    size_t block_count;
    struct board_times *times; /* one a block: what board_advance gives */
    int64_t *bus_free;         /* one a block: what board_bus_free gives after it, ticks */
    int64_t drained;           /* what board_drained gives after the last */
    uint64_t events;           /* how often SimGrid woke an actor */
};

/** Run a whole pass through an idle, empty board.
 *
 * @param rules    need not be legal (see Stuck)
 * @param blocks   `count` of them; none is a pass of 0 clocks
 * @param options  NULL: all zero
 * @param out      overwritten; to be destroyed; on error nothing in it
 * @param why      text of an error, never NULL
 * @return 0 or one of the codes above
 */
int events_run(const struct board_rules *rules, const struct events_block *blocks, size_t count,
               const struct events_options *options, struct events_result *out, struct why *why);

void events_result_destroy(struct events_result *result);

#endif
