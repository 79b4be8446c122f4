/* interval_moments.h - how regular a stream of times is: mean, squared coefficient of variation, lag-1 autocorrelation,
 * exact.
 *
 * Models    what queueing theory asks of arrivals and services beyond their rate: times x_1 ... x_n in clocks between
 *           successive arrivals, or of successive services. Poisson arrivals have scv 1 and lag1 0, a machine's beat
 *           scv 0; clumps have a large scv, or neighbours that are alike.
 * Numbers   sums, sums of squares and of products of neighbours as whole numbers of 128 bits: times up to 2^40, 2^47 of
 *           them; adding is exact, so that blocks, passes and processes merge in any order and give the same bits.
 *           Neighbours are of one stream: the last of a pass and the first of the next are none.
 * Stability scv and lag1 are taken around the whole number next to the mean, as moments.h does it.
 * Source    lag1 is the usual estimate, sum of (x_i - m)(x_i+1 - m) over sum of (x_i - m)^2, m the mean of all (Box,
 *           Jenkins, Time Series Analysis, section 2.1.5).
 */
#ifndef MERCURY_TRACES_INTERVAL_MOMENTS_H
#define MERCURY_TRACES_INTERVAL_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/moments.h"

/** Start with {0}. */
struct interval_moments {
    uint64_t count, streams;
    uint64_t firsts, lasts; /* sums of the streams' first and last times */
    moments_sum sum, squares, products;
};

/** One stream as it comes. Start with {0}. */
struct interval_tap {
    struct interval_moments moments; /* may be read at any time */
    int64_t clock;                   /* of the last arrival or departure, where there was one */
    bool begun;
};

/** Take in the clocks of arrivals, which never decrease: the times are those between two of them. */
void interval_tap_clocks(struct interval_tap *tap, const int64_t *clocks, size_t count);

/** Take in the services of a stage that serves one element after the other: each from the clock in which the element is
 * ready, or the one before it leaves, whichever is later, to the clock in which it leaves.
 *
 * @param arrived  clocks, which never decrease; an element is ready `delay` clocks later
 * @param left     clocks, which never decrease, none before its element is ready
 */
void interval_tap_services(struct interval_tap *tap, const int64_t *arrived, int64_t delay,
                           const int64_t *left, size_t count);

/** Clocks that lie so close together need be known modulo 2^16 only, which many at a time are quicker with. */
enum { INTERVALS_SHORT = INT16_MAX };

void intervals_shorten(const int64_t *clocks, size_t count, uint16_t *to);

/** The same as interval_tap_clocks(), of a tap that has seen an arrival.
 *
 * @param last  clock of the last one, INTERVALS_SHORT later at most than the arrival before the first
 */
void interval_tap_short_clocks(struct interval_tap *tap, const uint16_t *clocks, size_t count, int64_t last);

/** The same as interval_tap_services().
 *
 * @param last  clock in which the last one leaves, INTERVALS_SHORT later at most than the first is ready
 */
void interval_tap_short_services(struct interval_tap *tap, const uint16_t *arrived, int64_t delay,
                                 const uint16_t *left, size_t count, int64_t last);

void interval_moments_merge(struct interval_moments *sum, const struct interval_moments *part);

double interval_moments_mean(const struct interval_moments *m); /* NaN without times */
double interval_moments_scv(const struct interval_moments *m);  /* NaN without times, or where all are 0 */
double interval_moments_lag1(const struct interval_moments *m); /* NaN where they do not vary */

#endif
