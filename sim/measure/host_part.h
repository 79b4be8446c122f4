/* host_part.h - what happens in the host's software in a part of its time, as lists of events.
 *
 * Lists     of each enum host_event, an event of each HSP; and of the begins and ends of clusters with cells. What is
 *           measured of the host follows from them (measure.h), without one order of all events.
 * Clocks    of a pass's board, or of the run.
 * Memory    the lists belong to the caller. Putting them in order takes 16 bytes per event.
 */
#ifndef MERCURY_SIM_MEASURE_HOST_PART_H
#define MERCURY_SIM_MEASURE_HOST_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/measure/machine_taps.h"

enum { HOST_CLUSTER_BEGUN = HOST_EVENTS, HOST_CLUSTER_DONE, HOST_LISTS };

/** All that happens before clock `end`, and was not told before. */
struct host_part {
    struct host_list {
        const int64_t *clocks; /* in order, if there are `hsps` */
        const size_t *hsps;    /* the HSP of each event, from 0; NULL: event i is that of HSP i */
        size_t count;
    } lists[HOST_LISTS];
    const int64_t *hsps[HOST_EVENTS]; /* the clocks of each HSP that the lists name */
    const int64_t *stamps;            /* `stamp_count` of each HSP */
    unsigned stamp_count;
    int64_t end;
};

/** Lists in the order of their clocks. Start with {0}. */
struct host_order {
    int64_t *clocks[HOST_LISTS];
    size_t *hsps[HOST_LISTS];
};

/** Put the lists of a part in order, by insertion, which takes long unless they almost are.
 *
 * @param part  its lists become those of `order`
 * @return false if memory is exhausted; the order must be destroyed all the same */
bool host_order_make(struct host_order *order, struct host_part *part);
void host_order_destroy(struct host_order *order);

#endif
