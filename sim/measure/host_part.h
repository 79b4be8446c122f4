/* host_part.h - what happens in the host's software in a part of its time, as lists of events.
 *
 * Lists     of each enum host_event, an event of each HSP; and of the begins and ends of clusters with cells. What is
 *           measured of the host follows from them (measure.h), without one order of all events.
 * Clocks    of a pass's board, or of the run.
 * Memory    the lists belong to the caller. Putting them in order takes 16 bytes per event.
 */
#pragma once

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

/** All events of one kind, taken in frame by frame in the order of their clocks. A part is used up before the next; one
 *  whose events are all taken in together may be in any order. */
struct event_list {
    const int64_t *clocks;
    const size_t *elements; /* the element of each event; NULL: that of event i is i */
    size_t count, next;     /* of the present part; next: number of events that have been taken in */
    uint64_t before;        /* number of events in the parts before */
    uint64_t sum;           /* of the clocks that have been taken in */
};

/** Begin the next part. @param clocks  of `count` events; it and the elements are borrowed */
void event_list_part(struct event_list *list, const int64_t *clocks, const size_t *elements, size_t count);

/** Take in the events before clock `end`; of a part without elements, all events. */
void event_list_take(struct event_list *list, int64_t end);

/** Clock of the n-th event of all parts, n >= 1, which has not been taken in; INT64_MAX if the part does not have
 * it. */
int64_t event_list_clock(const struct event_list *list, uint64_t n);

/** Number of events that have been taken in. */
static inline uint64_t event_list_taken(const struct event_list *list)
{
    return list->before + list->next;
}
