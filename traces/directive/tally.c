#include "traces/directive/tally.h"

#include <string.h>

void tally_often(struct tally *t, uint64_t value, uint64_t times)
{
    for (size_t i = 0; i < t->to_count; i++)
        aggregate_add(t->to[i], value, times);
}

void tally_flush(struct tally *t)
{
    for (size_t value = 0; value < t->used; value++) {
        uint64_t times = 0;
        for (unsigned lane = 0; lane < TALLY_LANES; lane++)
            times += t->counts[value][lane];
        if (times == 0)
            continue;
        tally_often(t, value, times);
        memset(t->counts[value], 0, sizeof t->counts[value]);
    }
    t->used = 0;
    t->taken = 0;
}

/* Flush if a count could overflow. */
static void flush_if_full(struct tally *t, size_t count)
{
    if (count > UINT32_MAX - t->taken)
        tally_flush(t);
    t->taken += (uint32_t)count;
}

enum { UNROLLED = 4 };

/* Out of line: most values are small. */
static __attribute__((noinline)) void take_large(struct tally *t, uint64_t value)
{
    tally_often(t, value, 1);
}

/* @return the value if it was counted, otherwise 0 */
static inline __attribute__((always_inline)) uint64_t take_one(struct tally *t, uint64_t value, unsigned lane)
{
    if (__builtin_expect(value >= TALLY_SMALL, 0)) {
        take_large(t, value);
        return 0;
    }
    t->counts[value][lane]++;
    return value;
}

/* Values were counted that have no other bits than these. */
static inline void note_used(struct tally *t, uint64_t bits)
{
    if (bits >= t->used)
        t->used = (size_t)2 << (63 - __builtin_clzll(bits | 1));
}

/* @param earlier  NULL if all are 0 */
static inline __attribute__((always_inline)) void take(struct tally *t, const int64_t *later,
                                                       const int64_t *earlier, int64_t more, size_t count)
{
    uint64_t bits = 0; /* the bits that are set in any value */
    size_t i = 0;
    flush_if_full(t, count);
    for (; i + UNROLLED <= count; i += UNROLLED)
#pragma GCC unroll 4
        for (unsigned j = 0; j < UNROLLED; j++)
            bits |= take_one(t, (uint64_t)(later[i + j] - (earlier ? earlier[i + j] : 0) + more),
                             j % TALLY_LANES);
    for (; i < count; i++)
        bits |= take_one(t, (uint64_t)(later[i] - (earlier ? earlier[i] : 0) + more), 0);
    if (count > 0)
        note_used(t, bits);
}

void tally_values(struct tally *t, const int64_t *values, size_t count)
{
    take(t, values, NULL, 0, count);
}

void tally_differences(struct tally *t, const int64_t *later, const int64_t *earlier, int64_t more,
                       size_t count)
{
    take(t, later, earlier, more, count);
}
