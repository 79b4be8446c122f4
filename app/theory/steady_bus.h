/* steady_bus.h - what bus and host give the board, block after block, without simulating them.
 *
 * Models    system.h's bus and host, by the same rules, in closed form: the host supplies blocks one after the other
 *           from clock 0 on; block i's transfer begins when the host has begun to supply it and the bus has done with
 *           block i - 1; the records of a block go out together when its own transfer is over, and while a transfer out
 *           meets one in, each has half of the bus. With B bytes of a block and r bytes of records still to go when its
 *           transfer begins, r < B, the block takes (B + r) / bus.
 * Omits     the table load before the first block. Records that take longer than a whole block (they never do at
 *           fractions like the published ones) are put together with those of the next.
 * Time      clocks and ticks of board.h.
 */
#ifndef MERCURY_APP_THEORY_STEADY_BUS_H
#define MERCURY_APP_THEORY_STEADY_BUS_H

#include <stdint.h>

#include "sim/board/board.h"
#include "sim/board/hardware.h"

/** A plain value. */
struct steady_bus {
    const struct hardware *hardware;
    double bytes_per_clock; /* of the bus */
    double supply_clocks;   /* a word */
    double supplied;        /* clock at which the host begins with the next block */
    double transferred;     /* clock at which the last block's transfer would be over but for back-pressure */
    double record_bytes;    /* of earlier blocks, to go from then on */
    double record_share;    /* bytes per clock the last records had */
};

struct steady_bus steady_bus_begin(const struct hardware *hardware);

/** The share of the next block.
 *
 * @param words     of the block, > 0
 * @param bus_free  board_bus_free() after the block before, ticks; 0 for the first
 */
struct bus_share steady_bus_block(struct steady_bus *bus, uint64_t words, int64_t bus_free);

/** The block has `records` records. */
void steady_bus_records(struct steady_bus *bus, uint64_t records);

#endif
