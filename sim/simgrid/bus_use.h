/* bus_use.h - how long a shared bus moved data, and how long words waited on it for the board.
 *
 * Models    the bus is one link at one rate: as long as any transfer is under way, it moves data at that rate, whoever has
 *           which share. So its time at work is the length of the union of its transfers, bytes / rate.
 * Held      by how much the board's full queues delayed a block: the end of its last word on the bus against the end
 *           with room for every word in time, at the same rates of bus and host. Where that was no delay, nothing held it, or the
 *           host, slower than the bus, would have come no sooner.
 * Time      seconds; blocks in ticks of board.h.
 */
#ifndef MERCURY_SIM_SIMGRID_BUS_USE_H
#define MERCURY_SIM_SIMGRID_BUS_USE_H

#include <stdint.h>

#include "sim/board/board.h"

/** Start with {0}. */
struct bus_use {
    unsigned transfers; /* under way */
    double moved_s;     /* up to the last stretch at work */
    double from_s;      /* which began then */
    double to_s;        /* and was over then, if no transfer is under way */
};

/** A transfer begins or ends; time does not decrease. */
void bus_use_begin(struct bus_use *use, double now_s);
void bus_use_end(struct bus_use *use, double now_s);

/** Time at work up to a time, not before the last stretch began. */
double bus_use_until(const struct bus_use *use, double time_s);

/** Ticks by which the board delayed a block.
 *
 * @param words   of the block, > 0
 * @param before  board_bus_free() before the block moved
 * @param after   board_bus_free() after
 */
int64_t bus_use_delay(const struct bus_share *share, uint64_t words, int64_t before, int64_t after);

#endif
