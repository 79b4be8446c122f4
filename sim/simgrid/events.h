/* events.h - the FPGA board as SimGrid actors: every stage is an actor, every FIFO a bounded channel.
 *
 * Models    docs/hardware.md, "One clock, in this order", and what board.h and tests/sim/board/judge.h decide where it
 *           leaves something open. Each word, seed, trip, match and record is an event of SimGrid's; nothing is
 *           computed ahead. Its clocks equal those of board_advance(), element for element; it is slow and plain, and
 *           it can be looked at.
 *
 *               bus in -> [ingress] 1a -> [wmer] 1bp -> [reads] SRAM -> [SRAM] 1bd -> [stage-2] 2 -> [egress] bus out
 *
 * Leaves out the values of elements and the bus itself, as the fast engine does: w, v and h are given.
 * How       stages move one element after the other and wait for elements and for room. Elements keep their order, so
 *           the n-th out is the n-th in, and a FIFO only has to count. One stage takes from a FIFO, and one waits for
 *           room in it. No stage polls: it sleeps up to a clock it knows, or on a semaphore until the FIFO it waits for
 *           has changed.
 * Time      one simulated second is one clock. Each stage acts in its own phase of the clock, downstream first (bus out
 *           +0/8, 2 +1/8, 1bd +2/8, SRAM +3/8, 1bp +4/8, 1a +5/8, bus in +6/8), so that equal times never decide; a
 *           double holds eighths and their sums exactly for up to 2^50 clocks. What the bus does is counted in ticks
 *           (board.h), in whole numbers.
 * SimGrid   has one engine per process. The first run starts it with a platform of one host, unless simgrid_engine.h
 *           has started it before; later runs of the process use it again, at a later date, and its first host. Must
 *           not be called by an actor.
 * Stuck     rules that hardware_check() refuses (FIFOs too small for what enters together) make stages wait for each
 *           other for ever. This is found when the last stage that could move begins to wait; all stages then end, and
 *           the text names each stage that waits and what it waits for.
 * Memory    the result belongs to the caller until events_result_destroy(). A run needs nothing else but the actors'
 *           stacks.
 * Errors    0 or a negative code and a text; after an error there is no result.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/why.h"
#include "blast/stages12/tokens.h"
#include "sim/board/board.h"

enum {
    EVENTS_DONE = 0,
    EVENTS_ESTUCK = -2,  /* stages wait for each other */
    EVENTS_ETOKENS = -4, /* a block's tokens contradict each other */
    EVENTS_EENGINE = -5  /* SimGrid cannot be started, or has no host */
};

/** A block of the pass; blocks are in stream order. */
struct events_block {
    struct tokens tokens; /* borrowed until the run ends */
    struct bus_share share;
};

struct events_result {
    size_t block_count;
    struct board_times *times; /* for each block what board_advance() gives */
    int64_t *bus_free;         /* for each block what board_bus_free() gives after it, in ticks */
    int64_t drained;           /* what board_drained() gives after the last block */
    uint64_t events;           /* number of times SimGrid woke an actor */
};

/** Run a whole pass through an idle, empty board.
 *
 * @param rules   need not be legal (see Stuck)
 * @param blocks  `count` blocks; without blocks the pass has 0 clocks
 * @param out     overwritten; must be destroyed; empty after an error
 * @param why     the text of an error; not NULL
 * @return 0 or one of the codes above
 */
int events_run(const struct board_rules *rules, const struct events_block *blocks, size_t count,
               struct events_result *out, struct why *why);

static inline void events_result_destroy(struct events_result *result)
{
    for (size_t b = 0; b < result->block_count; b++)
        board_times_destroy(&result->times[b]);
    free(result->times);
    free(result->bus_free);
    *result = (struct events_result){0};
}
