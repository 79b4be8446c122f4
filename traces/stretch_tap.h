/* stretch_tap.h - measure a queue in stretches of clocks, from the clocks in which elements came and left.
 *
 * Models    a tap on a queue without a bound. It sees what fifo_tap.h would see. Which element leaves does not matter
 *           to the queue's length, nor in which order events are told: the measure is a function of their clocks.
 * Reading   occupancy is read at the end of a clock.
 * Cost      A stretch in which the queue stays deep, above all bins, and below the largest occupancy so far unless no
 *           element leaves, costs one sum per list; so does one in which all elements of an empty queue pass. The lists
 *           of other stretches are sorted by insertion, which takes long unless they almost are, and walked through.
 * Memory    none: the lists are the caller's.
 */
#ifndef MERCURY_TRACES_STRETCH_TAP_H
#define MERCURY_TRACES_STRETCH_TAP_H

#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_measure.h"

struct stretch_tap {
    struct fifo_measure measure; /* of the clocks before `clock` */
    int64_t clock;
    uint64_t inside; /* number of elements */
};

/** Start an empty tap at clock 0. */
void stretch_tap_init(struct stretch_tap *tap);

/** Take the next stretch, up to clock `end`.
 *
 * @param arrivals, departures  all clocks before `end` in which elements came and left that have not been told, none
 *                              before the stretch; in any order, which may change. No element leaves before it came.
 */
void stretch_tap_take(struct stretch_tap *tap, int64_t *arrivals, size_t arrived, int64_t *departures,
                      size_t departed, int64_t end);

#endif
