/* steady_bus.h - the times at which bus and host give blocks to the board, without a simulation of them.
 *
 * Models    the bus and the host of system.h, by the same rules, in closed form. The host supplies one block after the
 *           other from clock 0 on. The transfer of block i begins when the host has begun to supply it and the bus
 *           has moved block i - 1. The records of a block leave together, in bursts, when its own transfer has ended;
 *           while records and a block are on the bus, each has half of it. If a block takes B bytes of the bus,
 *           bursts' clocks included, and r < B of records have not left when its transfer begins, it takes the time
 *           (B + r) / bus. With pcix.priority blocks and records cross one after the other.
 * Omits     the table load before the first block. The bound of the host queue (host.queue): a host that is slower than
 *           the bus gets farther ahead here while the board holds the bus. Records that take longer than a whole block,
 *           which never happens at fractions like the published ones, leave with those of the next block. Where
 *           blocks go first, the records of several blocks that wait cross together.
 * Time      clocks and ticks of board.h.
 */
#pragma once

#include <stdint.h>

#include "sim/board/board.h"
#include "sim/board/hardware.h"
#include "sim/board/record_bursts.h"

/** A plain value. */
struct steady_bus {
    const struct hardware *hardware;
    double bytes_per_clock;    /* of the bus, bursts' clocks included */
    double supply_clocks;      /* clocks per word */
    double supplied;           /* clock at which the host begins with the next block */
    double transferred;        /* clock at which the last transfer would end without back-pressure */
    double record_bytes;       /* of earlier blocks, that have not left then */
    struct record_burst burst; /* the last one of the block at hand */
};

struct steady_bus steady_bus_begin(const struct hardware *hardware);

/** Find the share that the next block has of the bus.
 *
 * @param words     of the block, > 0
 * @param bus_free  board_bus_free() after the block before, ticks; 0 for the first
 */
struct bus_share steady_bus_block(struct steady_bus *bus, uint64_t words, int64_t bus_free);

/** Say when the next records of the block left the egress FIFO, in ticks. */
void steady_bus_records(struct steady_bus *bus, const int64_t *left, uint64_t records);
