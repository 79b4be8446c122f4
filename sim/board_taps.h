/* board_taps.h - taps on the board's five FIFOs, and what its ports did.
 *
 * Models    TimeTrial's taps at every FIFO of the board: queue occupancies with their histograms, back-pressure signals.
 *           Definitions of the signals: HARDWARE.md, end of "One clock, in this order".
 * How       the clocks of a block's elements (board.h) become marks on tapes, one a port: how many elements went
 *           through it in each clock, as a signal analyser would have recorded it. A FIFO's tap reads two tapes. What
 *           lies behind the last word's delivery waits: later elements may still come there.
 * Memory    a window of the tapes, and elements on the board at one time, whatever the length of the pass.
 */
#ifndef MERCURY_SIM_BOARD_TAPS_H
#define MERCURY_SIM_BOARD_TAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/tokens.h"
#include "sim/board.h"
#include "sim/board_intervals.h"
#include "traces/clock_tap.h"

enum board_fifo { FIFO_INGRESS, FIFO_WMER, FIFO_SRAM, FIFO_STAGE2, FIFO_EGRESS, BOARD_FIFOS };

/** What went through a port. */
enum board_port {
    PORT_DELIVERED, /* words into the ingress FIFO */
    PORT_TAKEN,     /* words by 1a */
    PORT_PUSHED,    /* seeds into the wmer FIFO */
    PORT_ISSUED,    /* seeds by 1bp */
    PORT_READ,      /* lookups into the SRAM FIFO */
    PORT_LOOKUP,    /* lookups by 1bd */
    PORT_ENTERED,   /* matches into the stage-2 FIFO */
    PORT_MATCH,     /* matches by stage 2 */
    PORT_RECORD,    /* records into the egress FIFO */
    PORT_LEFT,      /* records by the bus */
    BOARD_PORTS
};

enum { BOARD_TAPS_WINDOW = 1024 }; /* clocks */

/* Elements of a port that lie behind the tapes' end, in order. */
struct waiting {
    int64_t *clocks;
    uint8_t *counts;
    size_t first, count, room;
};

struct board_taps {
    const struct board_rules *rules;
    struct clock_tap fifos[BOARD_FIFOS];
    struct board_intervals intervals;
    uint64_t lookup_busy_clocks; /* 1bd holding a lookup or a trip */
    int64_t clock;               /* everything before it has been seen */
    struct waiting waiting[BOARD_PORTS];
    int64_t *left_clocks; /* of a block's records */
    size_t left_room;
    uint16_t tapes[BOARD_PORTS][BOARD_TAPS_WINDOW];
};

void board_taps_init(struct board_taps *taps, const struct board_rules *rules);
void board_taps_destroy(struct board_taps *taps);

/** Take in what a block did.
 *  @return false when memory is out */
bool board_taps_block(struct board_taps *taps, const struct tokens *tokens, const struct board_times *times);

/** End the frame before clock `end`, when the board is empty. */
void board_taps_close(struct board_taps *taps, int64_t end);

/** What has been seen of a queue. */
const struct fifo_measure *board_taps_measure(const struct board_taps *taps, enum board_fifo fifo);

#endif
