/* fifo_measure.h - what a tap has seen in a queue during a frame.
 *
 * Models    TimeTrial's reduced values of a FIFO (Lancaster et al. 2011, section III): its occupancy weighted by time,
 *           the histogram of that, and the fraction of clocks in which back-pressure is asserted.
 * Taps      clock_tap.h sees every clock of a queue of the board, and queue_tap.h the clocks of elements of any queue.
 * Exactness all sums are whole clocks. Little's law holds to the unit: integral == sojourn_clocks if the queue is empty
 *           when the frame begins and when it ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/wide.h"

/* Bins of a queue without a bound: FIFO_SINGLE of one occupancy each, then FIFO_PER_OCTAVE from each power of two to
 * the next, up to 2^40. */
enum { FIFO_BINS = 512, FIFO_SINGLE = 256, FIFO_PER_OCTAVE = 8 };

/** A plain value, so that frames can be added up and sent. */
struct fifo_measure {
    uint64_t places;               /* number of places of the queue; 0 if it has no bound */
    uint64_t clocks;               /* length of the frame */
    uint64_t elements;             /* number of elements that arrived */
    wide_uint integral;            /* sum of the occupancy over the clocks */
    wide_uint sojourn_clocks;      /* sum of departure - arrival over the elements */
    uint64_t back_pressure_clocks; /* number of clocks in which back-pressure was asserted */
    uint64_t most;                 /* largest occupancy */
    uint64_t bin_width;            /* occupancies per bin; bin 0 is [0, bin_width); 1 without a bound */
    uint64_t overflow;             /* number of clocks with an occupancy above the last bin */
    uint64_t bins[FIFO_BINS];      /* number of clocks in each bin */
};

/** A measure that has seen nothing yet, of a queue of `places`: bin_width is ceil((places + 1) / FIFO_BINS). A queue
 *  without a bound has 0 places. */
struct fifo_measure fifo_measure_none(uint64_t places);

/** The bin of an occupancy; FIFO_BINS and above: overflow. */
static inline uint64_t fifo_measure_bin(const struct fifo_measure *m, uint64_t occupancy)
{
    if (m->places > 0 || occupancy < FIFO_SINGLE)
        return m->bin_width == 1 ? occupancy : occupancy / m->bin_width;
    const unsigned shift = 60 - (unsigned)__builtin_clzll(occupancy); /* leaves 8 to 15 */
    return FIFO_SINGLE - FIFO_PER_OCTAVE + (shift - 5) * FIFO_PER_OCTAVE + (occupancy >> shift);
}

/** The least occupancy of a bin. */
static inline uint64_t fifo_measure_bin_begin(const struct fifo_measure *m, uint64_t bin)
{
    if (m->places > 0 || bin < FIFO_SINGLE)
        return bin * m->bin_width;
    return (FIFO_PER_OCTAVE + bin % FIFO_PER_OCTAVE) << ((bin - FIFO_SINGLE) / FIFO_PER_OCTAVE + 5);
}

/** Add a frame of the same queue: sums are added, and `most` becomes the larger of the two. */
void fifo_measure_add(struct fifo_measure *sum, const struct fifo_measure *frame);

/** Elements, clocks, and a fraction of the clocks; 0 of an empty frame, or without elements. */
double fifo_measure_mean(const struct fifo_measure *measure);
double fifo_measure_mean_sojourn(const struct fifo_measure *measure);
double fifo_measure_back_pressure(const struct fifo_measure *measure);

/** Whether Little's law holds to the unit, and the histogram's clocks are those of the frame. */
bool fifo_measure_is_consistent(const struct fifo_measure *measure);
