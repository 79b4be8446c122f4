/* fifo_tap.h - measure a queue on line, from the clocks at which its elements came and went.
 *
 * Models    a tap of TimeTrial's on a FIFO (Lancaster et al. 2011, section III): time-weighted occupancy, its
 *           histogram and the fraction of clocks in which back-pressure is asserted.
 * Input     elements in stream order, one or many a call: arrivals and departures never decrease, an element departs at or
 *           after its arrival. Calls need no order in time beyond that: a departure is kept until it is due.
 * Reading   occupancy is read at the end of a clock. The alert (back-pressure signal) is asserted in a clock when the
 *           occupancy reaches alert_at as the stage that pushes sees it: with the clock's departures, and with or
 *           without the clock's own arrivals.
 * Memory    the elements inside at one time, whatever the length of the run.
 * Exactness all sums are whole clocks; Little's law holds to the unit: integral == sojourn_clocks once closed empty.
 */
#ifndef MERCURY_TRACES_FIFO_TAP_H
#define MERCURY_TRACES_FIFO_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIFO_BINS = 512 };

/** What a tap has seen in a frame; a plain value, so that frames can be added up and sent. */
struct fifo_measure {
    uint64_t places;          /* of the queue; 0 where it has no bound */
    uint64_t clocks;          /* length of the frame */
    uint64_t elements;        /* that arrived */
    uint64_t integral;        /* sum over clocks of the occupancy */
    uint64_t sojourn_clocks;  /* sum over elements of departure - arrival */
    uint64_t alert_clocks;    /* clocks in which back-pressure was asserted */
    uint64_t most;            /* largest occupancy */
    uint64_t bin_width;       /* occupancies a bin, from bin 0 = [0, bin_width) */
    uint64_t overflow;        /* clocks above the last bin */
    uint64_t bins[FIFO_BINS]; /* clocks */
};

struct fifo_tap {
    struct fifo_measure measure;       /* its bins are filled when the tap is closed */
    uint64_t alert_at;                 /* occupancy; UINT64_MAX for a queue without a signal */
    int64_t alert_delay;               /* 1 where the signal does not see the clock's own arrivals, else 0 */
    int64_t clock;                     /* of the last event */
    uint64_t clocks_at[FIFO_BINS + 1]; /* by bin, the last one for everything above */
    int64_t *departures; /* of the elements inside, in order: departures[first] .. [first + inside - 1] */
    size_t room, first, inside;
};

/** Start a tap at clock 0, empty.
 *
 * @param places    of the queue, >= 1, to choose bin_width = ceil((places + 1) / FIFO_BINS); 0 for an unbounded
 *                  queue (bins of one, then overflow)
 * @param alert_at  see above; 0: always asserted
 */
void fifo_tap_init(struct fifo_tap *tap, uint64_t places, uint64_t alert_at, bool alert_ignores_arrivals);
void fifo_tap_destroy(struct fifo_tap *tap);

/** Elements that were in the queue from clock arrivals[i] to clock departures[i].
 *  @return false when memory is out */
bool fifo_tap_elements(struct fifo_tap *tap, const int64_t *arrivals, const int64_t *departures,
                       size_t count);

/** Elements of a queue: when each came and went. */
struct fifo_stay {
    const int64_t *arrivals, *departures;
    size_t count;
};

/** Elements of two queues, which is quicker than one queue's after the other's. */
bool fifo_tap_two(struct fifo_tap *a, struct fifo_stay a_stay, struct fifo_tap *b, struct fifo_stay b_stay);

/** One element. */
bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure);

/** `count` elements that came one by one to the empty queue, each in a clock of its own from `first_arrival` to
 * `last_arrival`, and each left a clock later: no need to look at every one. */
void fifo_tap_unit_run(struct fifo_tap *tap, int64_t first_arrival, int64_t last_arrival, size_t count);

/** Whether everything that came so far has left by a clock at or after the last arrival. */
bool fifo_tap_is_empty_at(const struct fifo_tap *tap, int64_t clock);

/** End the frame before clock `end`, which no event may lie after; the queue is empty then.
 *  @return the measure; fifo_measure_is_consistent() holds for it */
const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end);

/** Add a frame of the same queue: sums add, `most` is the larger. */
void fifo_measure_add(struct fifo_measure *sum, const struct fifo_measure *frame);

double fifo_measure_mean(const struct fifo_measure *measure);         /* elements; 0 for an empty frame */
double fifo_measure_mean_sojourn(const struct fifo_measure *measure); /* clocks; 0 without elements */
double fifo_measure_alert_fraction(const struct fifo_measure *measure);

/** Little's law to the unit, and the histogram's time equal to the frame's length. */
bool fifo_measure_is_consistent(const struct fifo_measure *measure);

#endif
