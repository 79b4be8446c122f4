/* order.h - orders by several numbers, for the comparison functions of qsort(), and places in what is in order.
 *
 * Example   ORDER_BY({a->score, b->score}, {b->end, a->end}) sorts by ascending score; equal scores by descending end.
 *           ORDER_FIRST(i, count, ends[i] > at) is the place of the first end after `at`.
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

/** The first of `count` places for which a condition on `place` holds, as it does for all places after it; `count` if
 *  it holds for none. */
#define ORDER_FIRST(place, count, condition)                                                                 \
    __extension__({                                                                                          \
        size_t least_place = 0, end_place = (count);                                                         \
        while (least_place < end_place) {                                                                    \
            const size_t place = least_place + (end_place - least_place) / 2;                                \
            if (condition)                                                                                   \
                end_place = place;                                                                           \
            else                                                                                             \
                least_place = (place) + 1;                                                                   \
        }                                                                                                    \
        least_place;                                                                                         \
    })

/** The last of `count` places for which a condition on `place` holds, as it does for all places before it; 0 if it
 *  holds for none. */
#define ORDER_LAST(place, count, condition)                                                                  \
    __extension__({                                                                                          \
        const size_t after_place = ORDER_FIRST(place, count, !(condition));                                  \
        after_place > 0 ? after_place - 1 : 0;                                                               \
    })
