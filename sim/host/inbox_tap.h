/* inbox_tap.h - a tap on stage 3's inbox over a run: HSPs that are in memory and that no core has begun.
 *
 * Order     HSPs are told in the order in which they came; cores begin those of a batch one after the other, so that
 *           begins may lie later than `now`. Which HSP leaves a queue does not matter to its length: the tap matches
 *           the first that came with the first that is begun.
 * Memory    two times for each HSP whose begin lies later than `now`; these are sorted by insertion, since they come
 *           almost in order.
 * Errors    false if memory is exhausted.
 */
#ifndef MERCURY_SIM_HOST_INBOX_TAP_H
#define MERCURY_SIM_HOST_INBOX_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_tap.h"

struct inbox_tap {
    struct fifo_tap tap;
    struct scratch memory; /* of `tap` */
    double clock_hz;       /* of the board */
    /* Of the HSPs whose begins lie ahead, each in order of time: [first] .. [first + count - 1]. */
    double *begins, *arrivals;
    size_t first, count, begin_room, arrival_room;
};

void inbox_tap_init(struct inbox_tap *tap, double clock_hz);
void inbox_tap_destroy(struct inbox_tap *tap);

/** An HSP that came at `arrived_s` is begun at `begin_s`, times since the run began; no later call has a begin before
 *  `now_s`, which never decreases. */
bool inbox_tap_element(struct inbox_tap *tap, double arrived_s, double begin_s, double now_s);

/** Close the tap at a time. @return its measure, in clocks of the board; NULL if memory is exhausted */
const struct fifo_measure *inbox_tap_close(struct inbox_tap *tap, double end_s);

#endif
