/* queue_distribution.h - how often a FIFO of the board holds n elements: what models expect beside what was measured.
 *
 * Models    those of single queues (enum verdict_model), at the rates and with the places that they have in a
 *           prediction. Of M/G/1 and M^[X]/G/1, which know two moments of a service, the services are
 *           gamma-distributed. Batches are the 16 w-mers of a word at 1a, and at 1bp the seeds of a word, of which each
 *           of the 16 w-mers is one.
 * Number    n is what waits: the element in service is not in the FIFO. A word of 1a is there if one of its w-mers is.
 *           The tandem with blocking has the distributions of its own buffers (mercury_tandem.h), in the elements of
 *           the FIFOs.
 * Omits     1b as one stage, since no single FIFO holds its queue.
 * Distance  total variation, half of the sum of |measured - expected|: 0 if both are the same, 1 if no n has a share in
 *           both. It is the largest error in the probability of any set of lengths.
 * Errors    If a model has no distribution, there is a reason.
 */
#pragma once

#include <stddef.h>

#include "validate/verdict.h"

/** One bin of a histogram: from `from` to `to` elements in the share `fraction` of the time. */
struct queue_bin {
    double from, to; /* `to` is INFINITY in the last bin of a queue without a bound */
    double fraction;
};

enum { QUEUE_DISTRIBUTION_MAX = 4096 };

struct queue_distribution {
    const char *why_not; /* the reason if there is none; else NULL */
    size_t count;        /* places + 1 */
    double p[QUEUE_DISTRIBUTION_MAX];
};

/** Find what a model expects.
 *
 * @param prediction  of the run, with both chains
 * @param stage       QUANTITY_1A, QUANTITY_1BP, QUANTITY_1BD or QUANTITY_2
 * @param places      of its FIFO, in its elements; what a model without a bound expects beyond them is in no p[]
 */
void queue_distribution_find(const struct prediction *prediction, enum quantity_stage stage,
                             enum verdict_model model, unsigned places, struct queue_distribution *out);

/** The probability of `from` to `to` elements. */
double queue_distribution_between(const struct queue_distribution *d, double from, double to);

/** The probability of n elements or more; what is expected beyond the FIFO's places is in it. */
double queue_distribution_at_least(const struct queue_distribution *d, double n);

/** The total variation distance from a measured histogram, in [0, 1]. */
double queue_distribution_distance(const struct queue_distribution *d, const struct queue_bin *bins,
                                   size_t count);

/** The measured share of the time with n elements or more; of a bin that holds n, all from n on in equal parts. */
double queue_bins_at_least(const struct queue_bin *bins, size_t count, double n);
