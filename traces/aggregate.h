/* aggregate.h - everything a directive asks of a stream of values, in one place.
 *
 * Models    a measurement's state within a frame: taken in value by value, read at the frame's end, merged into the
 *           pass's and the run's, cleared for the next.
 * Values    whole numbers (elements, clocks) with whole weights (clocks, or 1 an element); see traces/moments.h for their
 *           range. What no aggregate asks for is not kept.
 * Memory    aggregate_bytes() of the plan; not of the run's length.
 */
#ifndef MERCURY_TRACES_AGGREGATE_H
#define MERCURY_TRACES_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/directive.h"
#include "traces/histogram.h"
#include "traces/moments.h"
#include "traces/quantile.h"

struct aggregate {
    struct moments moments;
    struct histogram *histogram;      /* NULL: not asked for */
    struct quantile_sketch *quantile; /* likewise */
};

/** What a directive's aggregates come to where a queue has so many places (0: no bound). */
struct aggregate_plan {
    uint64_t low, width; /* of the histogram */
    size_t bins;         /* 0: no histogram */
    unsigned bits;       /* of the sketch */
    bool quantiles;
};

struct aggregate_plan aggregate_plan_of(const struct directive *directive, uint64_t places);
size_t aggregate_bytes(const struct aggregate_plan *plan);

/** @return false when memory is out; then nothing is held */
bool aggregate_init(struct aggregate *aggregate, const struct aggregate_plan *plan);
void aggregate_destroy(struct aggregate *aggregate);
void aggregate_clear(struct aggregate *aggregate);

static inline void aggregate_add(struct aggregate *a, uint64_t value, uint64_t weight)
{
    moments_add(&a->moments, value, weight);
    if (a->histogram)
        histogram_add(a->histogram, value, weight);
    if (a->quantile)
        quantile_add(a->quantile, value, weight);
}

/** Add another of the same plan. */
void aggregate_merge(struct aggregate *sum, const struct aggregate *part);

/** A quantile, by the sketch, within what was really seen. NaN of an empty one. */
double aggregate_quantile(const struct aggregate *aggregate, double q);

/** Whether histogram and sketch hold the same weight as the moments: else there is a bug. */
bool aggregate_is_consistent(const struct aggregate *aggregate);

#endif
