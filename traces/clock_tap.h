/* clock_tap.h - measure a queue of hardware from what entered and left it, clock by clock.
 *
 * Models    a tap of TimeTrial's on a FIFO (Lancaster et al. 2011, section III), which sees what a signal analyser
 *           would see: in each clock, how many elements came in and how many went out.
 * Reading   occupancy is read at the end of a clock. Back-pressure is asserted in a clock if the occupancy reaches
 *           back_pressure_at as the stage that pushes sees it: after the clock's departures, and with or without the
 *           arrivals of the same clock. The clocks are counted here; the thresholds are those of
 *           sim/board/board_fifos.h.
 * Cost      about half a nanosecond per clock, whatever happens in it; STRETCH clocks are counted together. A time
 *           without any element costs as much as one clock (clock_tap_rest()).
 * Frames    everything is summed from the tap's start. What a frame between two clocks saw is the difference of the
 *           sums at its end and at its beginning.
 * Memory    fixed; and 8 bytes per place if occupancies are counted exactly.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "traces/fifo_measure.h"

struct clock_tap {
    struct fifo_measure measure; /* its sojourn_clocks are added by whoever knows them */
    uint64_t *exact;           /* clocks at each occupancy; NULL unless clock_tap_count_exactly() needed it */
    uint64_t back_pressure_at; /* an occupancy; UINT64_MAX of a queue without a signal */
    bool ignores_arrivals;     /* the signal does not see the arrivals of its own clock */
    bool vectors;              /* vector instructions are used */
    uint64_t inside;           /* occupancy at the end of the last clock */
};

/** Start a tap at clock 0, empty.
 *
 * @param places            of the queue, >= 1; its histogram: fifo_measure_none()
 * @param back_pressure_at  see above; 0: always asserted
 * @param ignores_arrivals  see above
 * @param vectors           use vector instructions if the processor has them; the result is the same
 */
void clock_tap_init(struct clock_tap *tap, uint64_t places, uint64_t back_pressure_at, bool ignores_arrivals,
                    bool vectors);

/** Count the clocks at each single occupancy from 0 to `places`. */
void clock_tap_count_exactly(struct clock_tap *tap);

/** Clocks at each occupancy from 0 to *occupancies - 1; NULL if bins are wider than one and exact counts were not asked
 *  for. */
const uint64_t *clock_tap_counts(const struct clock_tap *tap, size_t *occupancies);

/** Complete the measure: add the exact counts to its bins. */
void clock_tap_close(struct clock_tap *tap);

void clock_tap_destroy(struct clock_tap *tap);

/** Take in the next `clocks` clocks. Up to the end of each clock, no more elements may have left than had entered.
 *
 * @param entered, left  number of elements in each clock, at most twice the places
 */
void clock_tap_clocks(struct clock_tap *tap, const uint16_t *entered, const uint16_t *left, size_t clocks);

/** Measure clocks in which nothing comes or goes, however many. */
void clock_tap_rest(struct clock_tap *tap, uint64_t clocks);
