/* inbox_tap.h - a tap on stage 3's inbox over a run: HSPs that are in memory and that no core has begun.
 *
 * Order     Which HSP leaves a queue does not matter to its length, so HSPs come and are begun without a name. When
 *           the tap runs up to a time, all that came by then has been told; cores begin the HSPs of a batch one after
 *           the other, so that some begins may lie ahead.
 * How       times are kept until there are many, then told to a queue_tap.h together.
 * Memory    two times for each of some hundred HSPs, or of those that came while no core took one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "traces/queue_tap.h"

enum { INBOX_TIMES = 1024 }; /* that are told together: they stay in a processor's innermost cache */

struct inbox_tap {
    double clock_hz; /* of the board */
    struct inbox_times {
        double *times_s; /* since the run began */
        size_t count, room;
    } arrivals, begins; /* that have not been told to the measure */
    int64_t *clocks;    /* of those times */
    size_t clock_room;
    struct queue_tap tap;
};

void inbox_tap_init(struct inbox_tap *tap, double clock_hz);
void inbox_tap_destroy(struct inbox_tap *tap);

/** Where up to `count` further times may be put, before they are added to the number of times. */
static inline double *inbox_times_room(struct inbox_times *times, size_t count)
{
    array_reserve(&times->times_s, &times->room, times->count, count, sizeof *times->times_s);
    return times->times_s + times->count;
}

/** An HSP comes, or a core begins one, not before the time up to which the tap has run. */
static inline void inbox_times_add(struct inbox_times *times, double time_s)
{
    *inbox_times_room(times, 1) = time_s;
    times->count++;
}

/** Whether there are so many times that the tap should run. */
static inline bool inbox_tap_is_full(const struct inbox_tap *tap)
{
    return tap->arrivals.count + tap->begins.count >= INBOX_TIMES;
}

/** Forget what was told: nobody asks what is in the inbox. */
static inline void inbox_tap_forget(struct inbox_tap *tap)
{
    tap->arrivals.count = tap->begins.count = 0;
}

/** Run up to a time: no later call has an arrival or a begin before it. */
void inbox_tap_run(struct inbox_tap *tap, double now_s);

/** Close the tap at a time, when all have been begun. @return its measure, in clocks of the board */
const struct fifo_measure *inbox_tap_close(struct inbox_tap *tap, double end_s);
