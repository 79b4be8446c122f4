/* interval_moments.h - how regular a stream of times is: exact mean, squared coefficient of variation, lag-1
 * autocorrelation.
 *
 * Models    what queueing theory needs to know of arrivals and services beyond their rate: the times x_1 ... x_n, in
 *           clocks, between successive arrivals or of successive services. Poisson arrivals have scv 1 and lag1 0, a
 *           machine's fixed beat has scv 0; arrivals in clumps have a large scv or neighbours that are alike.
 * Numbers   sums, sums of squares and of products of neighbours are whole numbers of 128 bits, for 2^47 times of up to
 *           2^40 each. Addition is exact, so blocks, passes and processes give the same bits in any order. Neighbours
 *           belong to one stream: the last time of a pass and the first one of the next pass are not neighbours.
 * Stability scv and lag1 are taken around the whole number next to the mean, as in moments.h.
 * Source    lag1 is the usual estimate, the sum of (x_i - m)(x_i+1 - m) over the sum of (x_i - m)^2 with the mean m of
 *           all times (Box, Jenkins, Time Series Analysis, section 2.1.5).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/statistics/moments.h"

/** Start with {0}. */
struct interval_moments {
    uint64_t count, streams;
    uint64_t firsts, lasts; /* sums of the streams' first and last times */
    wide_uint sum, squares, products;
};

/** A stream that is being recorded. Start with {0}. */
struct interval_tap {
    struct interval_moments moments; /* may be read at any time */
    int64_t clock;                   /* of the last arrival or departure so far */
    bool begun;
};

/** Add times of arrivals, or of services of a stage that serves one element after the other. A service lasts from the
 *  clock in which the element is ready or its predecessor leaves, whichever is later, to the clock in which it leaves.
 *
 * @param arrived  clocks, which never decrease; an element is ready `delay` clocks later. NULL: `left` are arrivals,
 *                 and the times are the differences of successive clocks
 * @param left     clocks, which never decrease, none before its element is ready
 */
void interval_tap_add(struct interval_tap *tap, const int64_t *arrived, int64_t delay, const int64_t *left,
                      size_t count);

/** Clocks that differ by at most this number need to be known modulo 2^16 only, which vector instructions are faster
 *  with. */
enum { INTERVALS_SHORT = INT16_MAX };

void intervals_shorten(const int64_t *clocks, size_t count, uint16_t *to);

/** Add times as interval_tap_add() does; of arrivals, to a tap that has seen one.
 *
 * @param last  clock of the last that left, at most INTERVALS_SHORT after the first one is ready; of arrivals, after
 *              the one before the first
 */
void interval_tap_add_short(struct interval_tap *tap, const uint16_t *arrived, int64_t delay,
                            const uint16_t *left, size_t count, int64_t last);

void interval_moments_merge(struct interval_moments *sum, const struct interval_moments *part);

double interval_moments_mean(const struct interval_moments *m); /* NaN without times */
double interval_moments_scv(const struct interval_moments *m);  /* NaN without times, or if all are 0 */
double interval_moments_lag1(const struct interval_moments *m); /* NaN if the times do not vary */
