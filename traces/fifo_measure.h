/* fifo_measure.h - what a tap has seen in a queue during a frame.
 *
 * Models    TimeTrial's reduced values of a FIFO (Lancaster et al. 2011, section III): time-weighted occupancy, its
 *           histogram and the fraction of clocks in which back-pressure is asserted.
 * Taps      clock_tap.h sees every clock of a queue of the board, fifo_tap.h every element of any queue.
 * Exactness all sums are whole clocks; Little's law holds to the unit: integral == sojourn_clocks where the frame
 *           begins and ends with the queue empty.
 */
#ifndef MERCURY_TRACES_FIFO_MEASURE_H
#define MERCURY_TRACES_FIFO_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum { FIFO_BINS = 512 };

/** A plain value, so that frames can be added up and sent. */
struct fifo_measure {
    uint64_t places;               /* of the queue; 0 where it has no bound */
    uint64_t clocks;               /* length of the frame */
    uint64_t elements;             /* that arrived */
    uint64_t integral;             /* sum over clocks of the occupancy */
    uint64_t sojourn_clocks;       /* sum over elements of departure - arrival */
    uint64_t back_pressure_clocks; /* clocks in which back-pressure was asserted */
    uint64_t most;                 /* largest occupancy */
    uint64_t bin_width;            /* occupancies a bin, from bin 0 = [0, bin_width) */
    uint64_t overflow;             /* clocks above the last bin */
    uint64_t bins[FIFO_BINS];      /* clocks */
};

/** Nothing seen yet of a queue of `places`: bin_width = ceil((places + 1) / FIFO_BINS); 0 places for an unbounded
 * queue (bins of one, then overflow). */
struct fifo_measure fifo_measure_none(uint64_t places);

/** Add a frame of the same queue: sums add, `most` is the larger. */
void fifo_measure_add(struct fifo_measure *sum, const struct fifo_measure *frame);

double fifo_measure_mean(const struct fifo_measure *measure);         /* elements; 0 for an empty frame */
double fifo_measure_mean_sojourn(const struct fifo_measure *measure); /* clocks; 0 without elements */
double fifo_measure_back_pressure(const struct fifo_measure *measure);

/** Little's law to the unit, and the histogram's time equal to the frame's length. */
bool fifo_measure_is_consistent(const struct fifo_measure *measure);

#endif
