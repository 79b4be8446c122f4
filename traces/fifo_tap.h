/* fifo_tap.h - measure a queue on line, from the clocks at which its elements came and went.
 *
 * Models    a tap on any queue whose elements are known one by one, such as a software queue, where many clocks pass
 *           between two of them. clock_tap.h is for queues in which something happens in most clocks.
 * Input     elements in stream order: arrivals and departures never decrease, an element departs at or after its
 *           arrival. Calls need no order in time beyond that: a departure is kept until it is due.
 * Reading   occupancy is read at the end of a clock. The alert (back-pressure signal) is asserted in a clock when the
 *           occupancy reaches back_pressure_at as the stage that pushes sees it: with the clock's departures, and with or
 *           without the clock's own arrivals.
 * Memory    the elements inside at one time, whatever the length of the run.
 */
#ifndef MERCURY_TRACES_FIFO_TAP_H
#define MERCURY_TRACES_FIFO_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_measure.h"

struct fifo_tap {
    struct fifo_measure measure;
    uint64_t back_pressure_at;   /* occupancy; UINT64_MAX for a queue without a signal */
    int64_t back_pressure_delay; /* 1 where the signal does not see the clock's own arrivals, else 0 */
    int64_t clock;               /* of the last event */
    int64_t *departures; /* of the elements inside, in order: departures[first] .. [first + inside - 1] */
    size_t room, first, inside;
};

/** Start a tap at clock 0, empty.
 *
 * @param places    of the queue, for its histogram: fifo_measure_none()
 * @param back_pressure_at  see above; 0: always asserted
 */
void fifo_tap_init(struct fifo_tap *tap, uint64_t places, uint64_t back_pressure_at, bool ignores_arrivals);
void fifo_tap_destroy(struct fifo_tap *tap);

/** An element that was in the queue from clock `arrival` to clock `departure`.
 *  @return false when memory is out */
bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure);

/** End the frame before clock `end`, which no event may lie after; the queue is empty then.
 *  @return the measure; fifo_measure_is_consistent() holds for it */
const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end);

#endif
