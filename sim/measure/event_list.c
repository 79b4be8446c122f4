#include "sim/measure/event_list.h"

#include <assert.h>

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
