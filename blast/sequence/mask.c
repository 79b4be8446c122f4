#include "blast/sequence/mask.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

void mask_add(struct mask *mask, uint64_t begin, uint64_t end)
{
    struct mask_range *last = mask->count > 0 ? &mask->ranges[mask->count - 1] : NULL;
    assert(!last || begin >= last->begin);
    if (begin >= end)
        return;
    if (last && last->end >= begin) {
        last->end = last->end > end ? last->end : end;
        return;
    }
    *ARRAY_NEXT(mask->ranges, mask->count, mask->room) = (struct mask_range){begin, end};
}

void mask_unite(const struct mask *a, const struct mask *b, struct mask *out)
{
    struct mask both = {0};
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        bool take_a = j == b->count || (i < a->count && a->ranges[i].begin <= b->ranges[j].begin);
        const struct mask_range *next = take_a ? &a->ranges[i++] : &b->ranges[j++];
        mask_add(&both, next->begin, next->end);
    }
    *out = both;
}

uint64_t mask_count(const struct mask *mask)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < mask->count; i++)
        sum += mask->ranges[i].end - mask->ranges[i].begin;
    return sum;
}

void mask_overwrite(const struct mask *mask, uint64_t begin, uint64_t end, bool reversed, uint8_t value,
                    uint8_t *codes)
{
    const size_t first = ORDER_FIRST(i, mask->count, mask->ranges[i].end > begin);
    for (size_t i = first; i < mask->count && mask->ranges[i].begin < end; i++) {
        uint64_t from = mask->ranges[i].begin > begin ? mask->ranges[i].begin : begin;
        uint64_t to = mask->ranges[i].end < end ? mask->ranges[i].end : end;
        memset(codes + (reversed ? end - to : from - begin), value, to - from);
    }
}

void mask_destroy(struct mask *mask)
{
    free(mask->ranges);
    *mask = (struct mask){0};
}
