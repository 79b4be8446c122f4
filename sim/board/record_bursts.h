/* record_bursts.h - the bursts in which the records of a block cross the bus.
 *
 * Models    docs/hardware.md, "Bus, host and egress". A record that leaves the egress FIFO waits in a buffer for
 *           others, since a burst costs the bus pcix.burst_clocks, however short it is. A burst closes
 *
 *               with the record that fills it (pcix.burst bytes), in the tick in which that one leaves the FIFO;
 *               hsp.flush_clocks after its first record, if another record leaves the FIFO later than that;
 *               with the last record of the block.
 *
 * Time      ticks of the board (board.h).
 * Memory    48 bytes per run of bursts of the same number of records at equal distances, or of such runs that are alike
 *           at equal distances: where records leave a FIFO that is full, or a base is repeated, all are one run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/board/hardware.h"

struct record_burst {
    size_t records;
    int64_t first;  /* tick in which its first record left the FIFO */
    int64_t closed; /* likewise the last; or when the burst closes, once it is known that no other joins */
};

/** Let the next record of the block join a burst.
 *
 * @param left  tick in which the record leaves the FIFO
 * @return whether it joins; if not, the burst has closed, and the record is the first of the next
 */
bool record_burst_join(struct record_burst *burst, const struct hardware *hardware, int64_t left);

/** Bursts that have closed: some, each `step` ticks after the one before; as many again, `period` ticks later, ... */
struct burst_run {
    size_t times, bursts,
        records;                  /* number of times that so many bursts have closed; records of each burst */
    int64_t closed, step, period; /* tick in which the first has closed */
};

/** The bursts of a block. Start with {0}. */
struct record_bursts {
    struct record_burst open; /* not among the runs */
    struct burst_run *runs;
    size_t run_count, room, count; /* number of runs; of bursts of all runs */
};

/** The next records of a block leave the egress FIFO. @param left  ticks, which never decrease */
void record_bursts_add(struct record_bursts *bursts, const struct hardware *hardware, const int64_t *left,
                       size_t count);

/** The block has no more records. */
void record_bursts_close(struct record_bursts *bursts);
void record_bursts_destroy(struct record_bursts *bursts);

/** The time of the bus that a record in a full burst takes, as a share of that of a block of so many words. */
double record_bus_share(const struct hardware *hardware, uint64_t words);

/** Number of records that fill a burst. */
uint32_t record_burst_records(const struct hardware *hardware);
