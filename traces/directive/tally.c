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

/* Out of line: most values are small. */
static __attribute__((noinline)) void take_large(struct tally *t, uint64_t value)
{
    tally_often(t, value, 1);
}

/* @param earlier  NULL if all are 0 */
static inline __attribute__((always_inline)) void take(struct tally *t, const int64_t *later,
                                                       const int64_t *earlier, int64_t more, size_t count)
{
    if (count > UINT32_MAX - t->taken) /* a count could overflow */
        tally_flush(t);
    size_t used = t->used;
    t->taken += (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = (uint64_t)(later[i] - (earlier ? earlier[i] : 0) + more);
        if (__builtin_expect(value >= TALLY_SMALL, 0)) {
            take_large(t, value);
            continue;
        }
        t->counts[value][i % TALLY_LANES]++;
        used = value < used ? used : value + 1;
    }
    t->used = used;
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
