/* bus_use.h - how long a shared bus moved data, and how long words waited on it for the board.
 *
 * Models    the bus is one link at one rate: as long as any transfer is under way, it moves data at that rate,
 *           whichever transfer has which share. So its time at work is the length of the union of its transfers: bytes
 *           / rate.
 * Delay     by how much the board's full queues delayed a block: the end of its last word on the bus, compared with the
 *           end if there had been room for every word in time, at the same rates of bus and host. If there was no
 *           delay, nothing held the block, or the host, slower than the bus, would not have supplied it sooner.
 * Time      seconds; blocks are in ticks (board.h).
 */
#pragma once

#include <stdint.h>

#include "sim/board/board.h"

/** Start with {0}. */
struct bus_use {
    unsigned transfers; /* number of transfers under way */
    double moved_s;     /* time at work before the last busy period */
    double from_s;      /* begin of the last busy period */
    double to_s;        /* its end, if no transfer is under way */
};

/** A transfer begins or ends; time does not decrease. */
void bus_use_begin(struct bus_use *use, double now_s);
void bus_use_end(struct bus_use *use, double now_s);

/** Time at work up to a time, which must not be before the last busy period began. */
double bus_use_until(const struct bus_use *use, double time_s);

/** Number of ticks by which the board delayed a block.
 *
 * @param words   of the block, > 0
 * @param before  board_bus_free() before the block moved
 * @param after   board_bus_free() after
 */
int64_t bus_use_delay(const struct bus_share *share, uint64_t words, int64_t before, int64_t after);
