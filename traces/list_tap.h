/* list_tap.h - measure a queue after it ran, from lists of the clocks at which its elements came and left.
 *
 * Models    a tap on a queue without a bound, whose elements are known, at once or part by part. It sees what
 *           fifo_tap.h would see, and also how many clocks each occupancy lasted in any stretch of time.
 * Input     arrivals and departures, each in order of time; each element departs at or after its arrival. The lists of
 *           a part have all events up to the clock to which the tap then runs.
 * Reading   occupancy is read at the end of a clock.
 * Memory    8 bytes per element that is inside at one time, unless it is lent; the lists are the caller's.
 * Errors    false if memory is exhausted.
 */
#ifndef MERCURY_TRACES_LIST_TAP_H
#define MERCURY_TRACES_LIST_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_measure.h"

struct list_tap {
    struct fifo_measure measure;
    const int64_t *arrivals, *departures; /* of the present part, up to the ends of these lists */
    const int64_t *arrivals_end, *departures_end;
    size_t inside; /* number of elements */
    int64_t clock; /* up to which the tap has run */
    /* Of the last stretch: number of clocks at each occupancy least .. most; the rest of the array is 0. */
    uint64_t *clocks;
    size_t least, most, room;
    size_t lent; /* number of elements of the array's memory if it is the caller's, else 0 */
};

/** Start an empty tap at clock 0. */
void list_tap_init(struct list_tap *tap);
void list_tap_destroy(struct list_tap *tap);

/** Lend memory to a new tap, which takes no other: for one more clock than elements can be inside. */
void list_tap_lend(struct list_tap *tap, uint64_t *memory, size_t clocks);

/** Take the lists of the next part; those of the part before have been used up. They are borrowed. */
void list_tap_part(struct list_tap *tap, const int64_t *arrivals, size_t arrived, const int64_t *departures,
                   size_t departed);

/** Run up to a clock, which begins the next stretch. */
bool list_tap_run(struct list_tap *tap, int64_t clock);

/** Run up to clock `end`, after which no event may lie; `measure` is that of the whole time then. */
bool list_tap_close(struct list_tap *tap, int64_t end);

/** Sort clocks by insertion, which takes long unless they are almost in order. `sorted` may be `clocks`. */
void list_tap_sort(int64_t *sorted, const int64_t *clocks, size_t count);

#endif
