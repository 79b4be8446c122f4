#include "sim/measure_tally.h"

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
        if (times > 0)
            tally_often(t, value, times);
    }
    memset(t->counts, 0, t->used * sizeof t->counts[0]);
    t->used = 0;
    t->taken = 0;
}

/* No count may overflow. */
static void make_way(struct tally *t, size_t count)
{
    if (count > UINT32_MAX - t->taken)
        tally_flush(t);
    t->taken += (uint32_t)count;
}

/* @param earlier  NULL: all 0 */
static inline __attribute__((always_inline)) void take(struct tally *t, const int64_t *later,
                                                       const int64_t *earlier, int64_t more, size_t count)
{
    uint64_t most = 0;
    make_way(t, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = (uint64_t)(later[i] - (earlier ? earlier[i] : 0) + more);
        if (value >= TALLY_SMALL) {
            tally_often(t, value, 1);
            continue;
        }
        t->counts[value][i % TALLY_LANES]++;
        most = value > most ? value : most;
    }
    if (count > 0 && most >= t->used)
        t->used = most + 1;
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
