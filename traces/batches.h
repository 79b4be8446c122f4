/* batches.h - a run cut into batches while it goes on, from sums that are read again and again.
 *
 * Models    the batches of batch_means.h, for who does not know how long the run will be: every reading is of the same
 *           sums from the run's begin; a batch is what they grew by over so many readings. When there are BATCHES_MAX
 *           batches each two become one, and a batch has twice as many readings from then on.
 * Number    after BATCHES_MAX / 2 readings there are BATCHES_MAX / 2 to BATCHES_MAX batches, however many follow.
 * The end   what came after the last whole batch is a batch if it has half as many readings or more; else it belongs to the
 *           last. The batches add up to the run.
 * Memory    fixed.
 */
#ifndef MERCURY_TRACES_BATCHES_H
#define MERCURY_TRACES_BATCHES_H

#include <stddef.h>
#include <stdint.h>

enum { BATCHES_MAX = 30, BATCH_SUMS_MAX = 16 };

/** Start with {0}. */
struct batches {
    uint64_t readings;
    unsigned doublings; /* a batch has 2^doublings readings */
    size_t count;       /* of whole batches; closed: of all */
    uint64_t ends[BATCHES_MAX][BATCH_SUMS_MAX];
};

/** Read the sums.
 *
 * @param sums  BATCH_SUMS_MAX, none less than at the reading before
 */
void batches_read(struct batches *batches, const uint64_t *sums);

/** The run is over, and its sums are these. No reading follows. */
void batches_close(struct batches *batches, const uint64_t *sums);

/** Readings in a batch. */
uint64_t batches_length(const struct batches *batches);

/** What a sum grew by in a batch, 0 .. count - 1. */
uint64_t batches_growth(const struct batches *batches, size_t batch, unsigned sum);

#endif
