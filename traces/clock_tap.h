/* clock_tap.h - measure a queue of hardware from what entered and left it, clock by clock.
 *
 * Models    a tap of TimeTrial's on a FIFO (Lancaster et al. 2011, section III), which sees a clock at a time what a
 *           signal analyser would: so many came in, so many went out.
 * Reading   occupancy is read at the end of a clock. The alert (back-pressure signal) is asserted in a clock when the
 *           occupancy reaches back_pressure_at as the stage that pushes sees it: with the clock's departures, and with or
 *           without the clock's own arrivals.
 * Cost      much the same for every clock, about half a nanosecond; a stretch of clocks is counted together.
 * Frames    everything is summed from the tap's start; what a frame between two clocks saw is the difference of
 *           what had been seen at its end and at its beginning.
 * Memory    fixed; 8 bytes a place where occupancies are counted exactly.
 */
#ifndef MERCURY_TRACES_CLOCK_TAP_H
#define MERCURY_TRACES_CLOCK_TAP_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/fifo_measure.h"

struct clock_tap {
    struct fifo_measure measure;
    uint64_t *exact; /* clocks by occupancy where the measure's bins are wider than one, and somebody asked */
    uint64_t back_pressure_at; /* occupancy; UINT64_MAX for a queue without a signal */
    bool ignores_arrivals;
    bool vectors;
    uint64_t inside; /* at the end of the last clock */
};

/** Start a tap at clock 0, empty.
 *
 * @param places    of the queue, >= 1; its histogram: fifo_measure_none()
 * @param back_pressure_at  see above; 0: always asserted
 * @param vectors   use vector instructions where the processor has them; the result is the same
 */
void clock_tap_init(struct clock_tap *tap, uint64_t places, uint64_t back_pressure_at, bool ignores_arrivals,
                    bool vectors);

/** Count the clocks at each occupancy from 0 to `places` by itself.
 *  @return false when memory is out */
bool clock_tap_count_exactly(struct clock_tap *tap);

/** Clocks at each occupancy, 0 .. *occupancies - 1; NULL where bins are wider and nobody asked for exact counts. */
const uint64_t *clock_tap_counts(const struct clock_tap *tap, size_t *occupancies);

/** The measure is whole: exact counts go into its bins. */
void clock_tap_close(struct clock_tap *tap);

void clock_tap_destroy(struct clock_tap *tap);

/** What the next `clocks` clocks brought; no more may have left by the end of a clock than had entered.
 *
 * @param entered, left  elements in each clock, twice the places at most
 */
void clock_tap_clocks(struct clock_tap *tap, const uint16_t *entered, const uint16_t *left, size_t clocks);

/** Time that elements spent in the queue, known from elsewhere: departure - arrival, summed. What Little's law is
 * checked against. */
void clock_tap_stays(struct clock_tap *tap, uint64_t sojourn_clocks);

#endif
