/* tally.h - whole numbers on their way into aggregates: small ones are counted first.
 *
 * Models    the histogram counters in front of TimeTrial's reductions (Lancaster et al. 2011, section III): a value costs one
 *           count, whatever its measurements want to know of it.
 * Exactness aggregates are the same as if every value had been added by itself.
 * Memory    32 KiB.
 */
#ifndef MERCURY_SIM_MEASURE_TALLY_H
#define MERCURY_SIM_MEASURE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "traces/aggregate.h"

/* Values below TALLY_SMALL are counted. Lanes are used in turn: equal values that follow each other do not wait. */
enum { TALLY_SMALL = 4096, TALLY_LANES = 2 };

/** Start with {0}, and `to`. */
struct tally {
    struct aggregate **to; /* where the values go */
    size_t to_count;
    size_t used;    /* counts from here on are 0 */
    uint32_t taken; /* no count is greater */
    uint32_t counts[TALLY_SMALL][TALLY_LANES];
};

/** Take in values >= 0, fewer than 2^32. */
void tally_values(struct tally *tally, const int64_t *values, size_t count);

/** Take in later[i] - earlier[i] + more, each >= 0, fewer than 2^32. */
void tally_differences(struct tally *tally, const int64_t *later, const int64_t *earlier, int64_t more,
                       size_t count);

/** Take in a value so many times. */
void tally_often(struct tally *tally, uint64_t value, uint64_t times);

/** Have everything that was taken in reach the aggregates. */
void tally_flush(struct tally *tally);

#endif
