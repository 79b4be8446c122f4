/* queue_tap.h - measure a queue from the clocks in which its elements came and left, in stretches of time.
 *
 * Models    a tap on a queue of software, where many clocks pass between two elements. For queues of hardware, in
 *           which something happens in most clocks, there is clock_tap.h. The back-pressure of a queue with places is
 *           that they are all taken; one without a bound has none. Which element leaves does not matter to the
 *           queue's length, nor in which order elements are told: the measure is a function of their clocks.
 * Reading   occupancy is read at the end of a clock.
 * Cost      A stretch in which the queue stays deep, above all bins, and below the largest occupancy so far unless no
 *           element leaves, costs one sum per list, unless each occupancy is asked for; so does one in which all
 *           elements of an empty queue pass. The lists of other stretches are sorted, by insertion while they turn out
 *           to be almost sorted, and walked through.
 * Memory    8 bytes per element that comes or leaves in a stretch; the lists are the caller's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_measure.h"

struct queue_tap {
    struct fifo_measure measure; /* of the clocks before `clock` */
    int64_t clock;
    uint64_t inside; /* number of elements */
    /* The last stretch: number of clocks at each of the occupancies from `least` on; unless some are left out. */
    bool counts_each;
    uint64_t *clocks;
    uint64_t least;
    size_t count, room;
    /* What is left of the part that queue_tap_run() goes through. */
    int64_t *arrivals, *departures;
    size_t arrived, departed;
};

/** Start an empty tap at clock 0.
 *
 * @param places       of the queue, for its histogram: fifo_measure_none()
 * @param counts_each  `clocks` is asked for
 */
void queue_tap_init(struct queue_tap *tap, uint64_t places, bool counts_each);
void queue_tap_destroy(struct queue_tap *tap);

/** Take the next stretch, up to clock `end`.
 *
 * @param arrivals, departures  all clocks before `end` in which elements came and left that have not been told, none
 *                              before the stretch; in any order, which may change. No element leaves before it came.
 */
void queue_tap_take(struct queue_tap *tap, int64_t *arrivals, size_t arrived, int64_t *departures,
                    size_t departed, int64_t end);

/** Give the lists for several stretches, which queue_tap_run() takes one after the other. They are sorted, and must
 *  stay until the tap has run to the end of the last. */
void queue_tap_part(struct queue_tap *tap, int64_t *arrivals, size_t arrived, int64_t *departures,
                    size_t departed);

/** Run up to a clock, which begins the next stretch. */
void queue_tap_run(struct queue_tap *tap, int64_t clock);
