/* board_waves.h - a pass as waveforms: what each FIFO and stage of the board does in each clock.
 *
 * Models    what a logic analyser at the board's ports would record; the format is that of traces/drawing/vcd.h.
 * FIFOs     valid: its head can be taken in this clock, as the stage that takes sees it right before its step; the head
 *           of the stage-2 FIFO not before it is fetched. ready: 0 if the head is valid and is not taken; so an element
 *           is taken if valid and ready are 1, and the FIFO's head waits if ready is 0. level: the occupancy at the end
 *           of the clock. back_pressure: the signal to the stage that pushes (board_fifos.h).
 * Stages    busy of 1a, 1bp and 2: an element is taken; of 1bd: it takes a lookup, or may not take the next
 *           one because as many groups as may be are on their way. stall: back-pressure keeps the stage from moving, in
 *           1bd the oldest group; 1a, 1bp and 2 are then not busy, 1bd is if one group may be on its way
 *           (board_holds.h). The bus is busy if it
 *           delivers a word, and stalls if a word that is due finds no room; outwards it is busy if a record leaves.
 * Time      clock k is from round(k x 1e12 / fpga.clock) to round((k + 1) x 1e12 / fpga.clock) ps since the pass's
 *           clock 0, so no error adds up, and round(time x fpga.clock) is the clock's number. There is no clock signal:
 *           it would be most of the file.
 * Order     board_waves_block() comes before board_taps_block() of the same block.
 * Memory    what 1bd and the bus do after the end of the tapes, and 2 bytes for each clock of a fetch.
 */
#pragma once

#include <stdio.h>

#include "traces/drawing/drawing.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/drawing/drawing_request.h"

struct board_waves;

/** Start the waveforms of a pass in `out`, which the caller closes. */
struct board_waves *board_waves_new(FILE *out, const struct drawing_request *request,
                                    const struct hardware *hardware);

/** Let the waveforms read the tapes of a pass's taps, just made. */
void board_waves_attach(struct board_waves *waves, struct board_taps *taps);

/** Take in a block. */
void board_waves_block(struct board_waves *waves, const struct tokens *tokens,
                       const struct board_times *times, const struct bus_share *share);

/** Finish at clock `end` and free. @return what vcd_close() returns */
int board_waves_close(struct board_waves *waves, int64_t end, struct drawing_report *report);
