/* moments.h - weighted mean, deviation, least and greatest of whole numbers, exact in any order.
 *
 * Models    the on-line reduction of a tap's values (Lancaster et al. 2011, section III): elements of a queue, weighted
 *           by the clocks they stood there, or clocks of a latency, weighted by one.
 * Numbers   values up to 2^53, total weight up to 2^53. The sums are whole numbers of 128 bits, so addition is exact,
 *           and frames, passes and processes may be merged in any order and give the same bits. Squares of values up
 *           to 2^40, with a weight up to 2^46, surely fit. If those of larger ones, which are hours, do not, the
 *           deviation is unknown.
 * Stability the deviation is taken around the whole number m next to the mean: with S1 and S2 the exact sums of
 *           w (v - m) and w (v - m)^2, the variance is S2/W - (S1/W)^2. |S1/W| <= 1/2 and (v - m)^2 >= |v - m| give
 *           (S1/W)^2 <= S2/W / 2, so the subtraction loses at most one bit (the shifted-data algorithm of Chan, Golub,
 *           LeVeque, The American Statistician 37, 1983, with an exact shift).
 */
#pragma once

#include <stdint.h>

#include "base/wide.h"

/** Start with {0}. */
struct moments {
    uint64_t weight, least, most; /* least and most are undefined while the weight is 0 */
    wide_uint sum, squares;       /* of w v and w v^2 */
};

/** Add the square of a large value; squares that do not fit become 2^127. */
void moments_add_square(struct moments *m, uint64_t value, uint64_t weight);

/** Add a value; a weight of 0 changes nothing. */
static inline void moments_add(struct moments *m, uint64_t value, uint64_t weight)
{
    if (weight == 0)
        return;
    if (m->weight == 0 || value < m->least)
        m->least = value;
    if (m->weight == 0 || value > m->most)
        m->most = value;
    m->weight += weight;
    m->sum += (wide_uint)value * weight;
    if (value < UINT64_C(1) << 40)
        m->squares += (wide_uint)value * value * weight;
    else
        moments_add_square(m, value, weight);
}

void moments_merge(struct moments *sum, const struct moments *part);

/** NaN if the weight is 0; a variance, which is divided by the weight, also if squares did not fit. */
double moments_mean(const struct moments *m);
double moments_variance(const struct moments *m);
double moments_deviation(const struct moments *m); /* its square root */
