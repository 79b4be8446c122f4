#include "sim/measure/host_part.h"

#include <assert.h>
#include <stdlib.h>

/* Event i is that of HSP i. */
static void sort(const struct host_list *list, int64_t *clocks, size_t *hsps)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t at = i;
        for (; at > 0 && clocks[at - 1] > list->clocks[i]; at--) {
            clocks[at] = clocks[at - 1];
            hsps[at] = hsps[at - 1];
        }
        clocks[at] = list->clocks[i];
        hsps[at] = i;
    }
}

bool host_order_make(struct host_order *order, struct host_part *part)
{
    for (unsigned i = 0; i < HOST_LISTS; i++) {
        struct host_list *list = &part->lists[i];
        order->clocks[i] = malloc((list->count + 1) * sizeof *order->clocks[i]);
        order->hsps[i] = malloc((list->count + 1) * sizeof *order->hsps[i]);
        if (!order->clocks[i] || !order->hsps[i])
            return false;
        sort(list, order->clocks[i], order->hsps[i]);
        *list = (struct host_list){order->clocks[i], order->hsps[i], list->count};
    }
    return true;
}

void host_order_destroy(struct host_order *order)
{
    for (unsigned i = 0; i < HOST_LISTS; i++) {
        free(order->clocks[i]);
        free(order->hsps[i]);
    }
    *order = (struct host_order){0};
}

void event_list_part(struct event_list *l, const int64_t *clocks, const size_t *elements, size_t count)
{
    assert(l->next == l->count);
    l->before += l->count;
    l->clocks = clocks;
    l->elements = elements;
    l->count = count;
    l->next = 0;
}

void event_list_take(struct event_list *l, int64_t end)
{
    uint64_t sum = l->sum;
    size_t i = l->next;
    if (l->elements)
        for (; i < l->count && l->clocks[i] < end; i++)
            sum += (uint64_t)l->clocks[i];
    else
        for (; i < l->count; i++)
            sum += (uint64_t)l->clocks[i];
    l->sum = sum;
    l->next = i;
}

int64_t event_list_clock(const struct event_list *l, uint64_t n)
{
    return n <= l->before + l->count ? l->clocks[n - 1 - l->before] : INT64_MAX;
}
