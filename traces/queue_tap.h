/* queue_tap.h - measure a queue from the clocks in which its elements came and left, in stretches of time.
 *
 * Models    a tap on a queue of software, where many clocks pass between two elements. For queues of hardware, in
 *           which something happens in most clocks, there is clock_tap.h. The back-pressure of a queue with places is
 *           that they are all taken; one without a bound has none. Which element leaves does not matter to the
 *           queue's length, nor in which order elements are told: the measure is a function of their clocks.
 * Reading   occupancy is read at the end of a clock.
 * Cost      What is told is sorted, by insertion while it turns out to be almost sorted, and merged with what is left
 *           of what was told before. A stretch in which the queue stays deep, above all bins, and below the largest
 *           occupancy so far unless no element leaves, costs one sum per list, unless each occupancy is asked for; so
 *           does one in which all elements of an empty queue pass. Other stretches are walked through.
 * Memory    8 bytes per element that comes or leaves after the present clock, 8 per element that is told together, and
 *           half of that again.
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
    /* The last run: number of clocks at each of the occupancies from `least` on; unless some are left out. */
    bool counts_each;
    uint64_t *clocks;
    uint64_t least;
    size_t count, room;
    /* What was told of the clocks from `clock` on, in order. */
    struct clock_list {
        int64_t *clocks; /* from clocks[first] on */
        size_t first, count, room;
    } arrivals, departures;
};

/** Start an empty tap at clock 0.
 *
 * @param places       of the queue, for its histogram: fifo_measure_none()
 * @param counts_each  `clocks` is asked for
 */
void queue_tap_init(struct queue_tap *tap, uint64_t places, bool counts_each);
void queue_tap_destroy(struct queue_tap *tap);

/** Tell of elements. @param arrivals, departures  the clocks in which they came and left, none before the present one;
 *  in any order. No element leaves before it came. */
void queue_tap_add(struct queue_tap *tap, const int64_t *arrivals, size_t arrived, const int64_t *departures,
                   size_t departed);

/** Run up to a clock, before which nothing is left to be told. */
void queue_tap_run(struct queue_tap *tap, int64_t clock);
