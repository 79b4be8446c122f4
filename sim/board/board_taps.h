/* board_taps.h - taps on the board's five FIFOs, and what its ports did.
 *
 * Models    TimeTrial's taps at every FIFO of the board: queue occupancies with their histograms, back-pressure signals.
 *           Definitions of the signals: docs/hardware.md, end of "One clock, in this order".
 * How       the clocks of a block's elements (board.h) become marks on tapes, one a port: how many elements went
 *           through it in each clock, as a signal analyser would have recorded it. A FIFO's tap reads two tapes. What
 *           lies behind the last word's delivery waits: later elements may still come there.
 * Frames    who wants to know what was seen between borders lets the tapes stop there (struct board_cuts).
 * Memory    a window of the tapes, and elements on the board at one time, whatever the length of the pass.
 */
#ifndef MERCURY_SIM_BOARD_BOARD_TAPS_H
#define MERCURY_SIM_BOARD_BOARD_TAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board_fifos.h"
#include "sim/board/board_intervals.h"
#include "traces/clock_tap.h"

enum { BOARD_TAPS_WINDOW = 1024, BOARD_TAPS_HISTORY = 128 }; /* clocks */

/* Elements that move in the same clocks, whatever ports they go through. */
enum board_stream {
    STREAM_DELIVERED,
    STREAM_TAKEN, /* words by 1a, and their seeds */
    STREAM_ISSUED,
    STREAM_READ, /* only where reads take longer than there is history */
    STREAM_LOOKUP,
    STREAM_ENTERED,
    STREAM_MATCH, /* matches, and the records some of them become */
    STREAM_LEFT,
    STREAM_DONE, /* only where the server is watched */
    BOARD_STREAMS
};

/* Elements of a stream that lie behind the tapes' end, in order. */
struct waiting {
    int64_t *clocks;
    uint8_t *counts; /* of streams that have any */
    size_t first, count, room;
};

struct board_taps;

/** Borders at which the tapes stop for a look at the taps. */
struct board_cuts {
    /** A border in (from, end], the first, or any later clock for none; tapes are filled from `from` up to `end`. */
    int64_t (*next)(void *data, const struct board_taps *taps, int64_t from, int64_t end);
    /** Everything before `border` has been seen, nothing after. */
    void (*cut)(void *data, const struct board_taps *taps, int64_t border);
    void *data;
};

/** Who sees the tapes themselves: they are filled from `begin` up to `end`. */
struct tape_watch {
    void (*tapes)(void *data, const struct board_taps *taps, int64_t begin, int64_t end);
    void *data;
};

struct board_taps {
    const struct tape_watch *watch; /* NULL: nobody; set before the first block */
    const struct board_rules *rules;
    const struct board_cuts *cuts; /* NULL: none; set before the first block */
    bool watch_server;             /* likewise */
    struct clock_tap fifos[BOARD_QUEUES];
    uint64_t moved[BOARD_QUEUES]; /* with cuts: sum over the tapes of clock x (left - entered), modulo 2^64 */
    uint64_t clock_sums[BOARD_PORTS]; /* over what was put on a tape, modulo 2^64 */
    int64_t window_begin;             /* clock of the tapes' first mark */
    int64_t clock;                    /* everything before it has been seen */
    struct board_intervals intervals;
    struct waiting waiting[BOARD_STREAMS];
    uint16_t tapes[BOARD_PORTS][BOARD_TAPS_WINDOW];
    uint16_t issued_before[BOARD_TAPS_HISTORY]; /* the end of 1bp's tape before the window */
};

void board_taps_init(struct board_taps *taps, const struct board_rules *rules);
void board_taps_destroy(struct board_taps *taps);

/** Take in what a block did.
 *  @return false when memory is out */
bool board_taps_block(struct board_taps *taps, const struct tokens *tokens, const struct board_times *times);

/** Elements at a port from `clock` on, a clock each: for board_cuts.next(). */
static inline const uint16_t *board_taps_tape(const struct board_taps *taps, enum board_port port,
                                              int64_t clock)
{
    return taps->tapes[port] + (clock - taps->window_begin);
}

/** Little's law to the unit in a frame [begin, end): what stayed is what was put on the tapes.
 *
 * @param integral  sum over the frame's clocks of the occupancy
 * @param moved     the frame's part of struct board_taps's
 */
static inline bool board_taps_little_holds(uint64_t integral, uint64_t moved, uint64_t inside_begin,
                                           int64_t begin, uint64_t inside_end, int64_t end)
{
    return integral == moved + inside_end * (uint64_t)end - inside_begin * (uint64_t)begin;
}

/** End the frame before clock `end`, when the board is empty. */
void board_taps_close(struct board_taps *taps, int64_t end);

/** 1bd holding a lookup or a trip. */
static inline uint64_t board_taps_lookup_busy_clocks(const struct board_taps *taps)
{
    return (uint64_t)taps->intervals.taps[SERVICES_1BD].moments.sum;
}

/** What has been seen of a queue. */
const struct fifo_measure *board_taps_measure(const struct board_taps *taps, unsigned fifo);

#endif
