/* fifo_tap.h - measure a queue while it runs, from the clocks at which its elements came and left.
 *
 * Models    a tap on a queue whose elements are known one by one, such as a software queue, where many clocks pass
 *           between two of them. For queues in which something happens in most clocks there is clock_tap.h. The
 *           back-pressure of a queue with places is that they are all taken; one without a bound has none.
 * Input     elements in stream order: neither arrivals nor departures ever decrease, and an element departs at or after
 *           its arrival. Calls need no other order in time: a departure is kept until its clock has come.
 * Reading   occupancy is read at the end of a clock.
 * Memory    a clock for each element inside, whatever the length of the run.
 */
#ifndef MERCURY_TRACES_FIFO_TAP_H
#define MERCURY_TRACES_FIFO_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_measure.h"

struct fifo_tap {
    struct fifo_measure measure;
    int64_t clock;       /* clock of the last event */
    int64_t *departures; /* of the elements inside, in order: departures[first] .. [first + inside - 1] */
    size_t room, first, inside;
};

/** Start a tap at clock 0, empty. @param places  of the queue, for its histogram: fifo_measure_none() */
void fifo_tap_init(struct fifo_tap *tap, uint64_t places);
void fifo_tap_destroy(struct fifo_tap *tap);

/** Take in an element that was in the queue from clock `arrival` to clock `departure`.
 *  @return false if memory is exhausted */
bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure);

/** Take in an element that left the queue in the clock in which it came: it is inside at the end of no clock. */
static inline void fifo_tap_pass(struct fifo_tap *tap)
{
    tap->measure.elements++;
}

/** End the frame before clock `end`, after which no event may lie; the queue must be empty then.
 *  @return the measure; fifo_measure_is_consistent() holds for it */
const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end);

#endif
