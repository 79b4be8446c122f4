/* event_list.h - all events of one kind in the host's software, such as the begins of HSPs, taken in frame by frame.
 *
 * Parts     events come in parts (host_part.h); a part is used up before the next.
 * Order     that of the clocks. A part whose events are all taken in together may be in any order.
 * Memory    none.
 */
#ifndef MERCURY_SIM_MEASURE_EVENT_LIST_H
#define MERCURY_SIM_MEASURE_EVENT_LIST_H

#include <stddef.h>
#include <stdint.h>

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

#endif
