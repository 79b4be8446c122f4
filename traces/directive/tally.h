/* tally.h - whole numbers on their way into aggregates: small ones are counted first.
 *
 * Models    the histogram counters before TimeTrial's reductions (Lancaster et al. 2011, section III): a value costs
 *           one count, whatever its measurements ask of it.
 * Exactness aggregates become the same as if every value had been added by itself.
 * Memory    66 KiB, of which pages for greater values are only touched if there are any.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "traces/directive/aggregate.h"

enum {
    TALLY_SMALL = 8192, /* values below this are counted, others are added at once */
    TALLY_LANES = 2, /* counters per value, used in turn, so that equal values do not wait for each other */
};

/** Start with {0}, then set `to`. */
struct tally {
    struct aggregate **to; /* the aggregates that get the values */
    size_t to_count;
    size_t used;    /* the counts of this value and above are 0 */
    uint32_t taken; /* number of values since the last flush: no count is greater */
    uint32_t counts[TALLY_SMALL][TALLY_LANES];
};

/** Take in values >= 0, fewer than 2^32 of them. */
void tally_values(struct tally *tally, const int64_t *values, size_t count);

/** Take in the values later[i] - earlier[i] + more, each >= 0, fewer than 2^32 of them. */
void tally_differences(struct tally *tally, const int64_t *later, const int64_t *earlier, int64_t more,
                       size_t count);

/** Take in the same value `times` times. */
void tally_often(struct tally *tally, uint64_t value, uint64_t times);

/** Add everything that was counted to the aggregates. */
void tally_flush(struct tally *tally);
