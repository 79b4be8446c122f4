/* board_taps.h - taps on the board's five FIFOs, and what went through its ports.
 *
 * Models    TimeTrial's taps at every FIFO of the board: occupancies with their histograms, and back-pressure, whose
 *           thresholds are in board_fifos.h and whose clocks are counted in traces/clock_tap.c.
 * How       the clocks of a block's elements (board.h) become marks on tapes, one tape per port: the number of elements
 *           that went through it in each clock, as a signal analyser would record it. The tap of a FIFO reads two
 *           tapes. What lies after the delivery of the last word waits, because later elements may still come there.
 * Rest      clocks in which nothing comes or goes are passed over without tapes, in one step between borders of frames.
 * Frames    a measurement that ends frames within a pass lets the tapes stop at their borders (struct board_cuts).
 * Memory    a window of the tapes, and of the elements on the board at one time what waiting_marks.h says.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "traces/clock_tap.h"
#include "sim/board/board_fifos.h"
#include "sim/board/board_intervals.h"
#include "sim/board/waiting_marks.h"

enum {
    BOARD_TAPS_WINDOW = 1024, /* clocks of a tape that are held at one time */
    BOARD_TAPS_HISTORY = 128, /* clocks before them that are held of the tape of 1bp */
};

struct board_taps;

/** Borders of frames, at which the tapes stop so that the taps can be read. */
struct board_cuts {
    /** The first border in (from, end], or any later clock if there is none; the tapes are filled in [from, end), or
     * the taps are resting in these clocks. */
    int64_t (*next)(void *data, const struct board_taps *taps, int64_t from, int64_t end);
    /** Called when the taps have read everything before `border` and nothing after it. */
    void (*cut)(void *data, const struct board_taps *taps, int64_t border);
    void *data;
};

/** A reader of the tapes themselves. */
struct tape_watch {
    /** Called when the tapes are filled from `begin` up to `end`. */
    void (*tapes)(void *data, const struct board_taps *taps, int64_t begin, int64_t end);

    /** Called instead for clocks in which nothing is on any tape; NULL if there is nothing to see then. */
    void (*rest)(void *data, int64_t begin, int64_t end);
    void *data;
    const struct tape_watch *next; /* set by board_taps_add_watch() */
};

struct board_taps {
    const struct tape_watch *watches; /* NULL if there are none */
    const struct board_rules *rules;
    const struct board_cuts *cuts; /* NULL if there are none; set before the first block */
    bool watch_server;             /* tap BOARD_SERVER, too; set before the first block */
    struct clock_tap fifos[BOARD_QUEUES];
    /* If there are cuts: sum of clock x (left - entered) over the tapes, modulo 2^64. */
    uint64_t moved[BOARD_QUEUES];
    uint64_t clock_sums[BOARD_PORTS]; /* sum of the clocks of the marks put on a tape, modulo 2^64 */
    int64_t window_begin;             /* clock of the first mark on the tapes */
    int64_t clock;                    /* the taps have read everything before it */
    bool is_quiet;                    /* nothing is on the tapes' last BOARD_TAPS_HISTORY clocks */
    bool is_resting; /* clocks are passed over in which nothing comes or goes, without tapes */
    struct board_intervals intervals;
    struct waiting_marks waiting[BOARD_PORTS];
    uint16_t tapes[BOARD_PORTS][BOARD_TAPS_WINDOW];
    uint16_t issued_before[BOARD_TAPS_HISTORY]; /* the end of the tape of 1bp before the window */
};

void board_taps_init(struct board_taps *taps, const struct board_rules *rules);
void board_taps_destroy(struct board_taps *taps);

/** Overwrite `copy` with the taps as they would be if the pass ended before clock `end`, in which the board is
 *  empty, to be read at once. @return as board_taps_block() */
bool board_taps_close_copy(const struct board_taps *taps, int64_t end, struct board_taps *copy);

/** Add a reader of the tapes, before the first block. It is the caller's. */
void board_taps_add_watch(struct board_taps *taps, struct tape_watch *watch);

/** Take in the clocks of a block. @return false if elements that wait cannot be written to their file, or read
 *  from it: board_taps_file_failed() */
bool board_taps_block(struct board_taps *taps, const struct tokens *tokens, const struct board_times *times);

bool board_taps_file_failed(const struct board_taps *taps);

/** Number of elements at a port in each clock from `clock` on, for board_cuts.next(); not while the taps are resting.
 */
static inline const uint16_t *board_taps_tape(const struct board_taps *taps, enum board_port port,
                                              int64_t clock)
{
    return taps->tapes[port] + (clock - taps->window_begin);
}

/** Whether Little's law holds to the unit in a frame [begin, end): the occupancy against the marks on the tapes.
 *
 * @param integral  sum of the occupancy over the frame's clocks
 * @param moved     the frame's part of board_taps.moved
 */
static inline bool board_taps_little_holds(uint64_t integral, uint64_t moved, uint64_t inside_begin,
                                           int64_t begin, uint64_t inside_end, int64_t end)
{
    return integral == moved + inside_end * (uint64_t)end - inside_begin * (uint64_t)begin;
}

/** End the pass before clock `end`, in which the board is empty. */
void board_taps_close(struct board_taps *taps, int64_t end);

/** Number of clocks in which 1bd held a lookup or made a trip. */
static inline uint64_t board_taps_lookup_busy_clocks(const struct board_taps *taps)
{
    return (uint64_t)taps->intervals.taps[SERVICES_1BD].moments.sum;
}
