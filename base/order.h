/* order.h - orders by several numbers, for the comparison functions of qsort().
 *
 * Example   ORDER_BY({a->score, b->score}, {b->end, a->end}) sorts by ascending score; equal scores by descending end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** One number of the left element and of the right one; exchange them for a descending order. */
struct order_key {
    int64_t left, right;
};

/** The first key whose numbers differ decides. @return -1, 0 or 1 */
static inline int order_by(const struct order_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i].left != keys[i].right)
            return keys[i].left < keys[i].right ? -1 : 1;
    return 0;
}

#define ORDER_BY(...)                                                                                        \
    order_by((const struct order_key[]){__VA_ARGS__},                                                        \
             sizeof(const struct order_key[]){__VA_ARGS__} / sizeof(struct order_key))
