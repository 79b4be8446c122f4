/* aggregate.h - everything a directive asks of a stream of values, in one place.
 *
 * Models    the state of a measurement within a frame: values are added one by one, the state is read at the frame's
 *           end, merged into that of the pass and of the run, and cleared for the next frame.
 * Values    whole numbers (elements, clocks) with whole weights (clocks, or 1 per element), whose range is that of
 *           traces/statistics/moments.h. Nothing is kept that no directive asks for.
 * Memory    fixed by the plan, whatever the length of the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/directive/directive.h"
#include "traces/statistics/histogram.h"
#include "traces/statistics/moments.h"
#include "traces/statistics/quantile.h"

struct aggregate {
    struct moments moments;
    struct histogram *histogram;      /* NULL if not asked for */
    struct quantile_sketch *quantile; /* NULL if not asked for */
};

/** What the aggregates of a directive need for a queue with a number of places (0: unbounded). */
struct aggregate_plan {
    uint64_t low, width; /* of the histogram */
    size_t bins;         /* 0 if there is no histogram */
    unsigned bits;       /* of the sketch */
    bool quantiles;
};

struct aggregate_plan aggregate_plan_of(const struct directive *directive, uint64_t places);

void aggregate_init(struct aggregate *aggregate, const struct aggregate_plan *plan);
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

/** Add an aggregate of the same plan. */
void aggregate_merge(struct aggregate *sum, const struct aggregate *part);

enum { AGGREGATE_VALUES_MAX = 4 + DIRECTIVE_QUANTILES_MAX };

/** The values that a directive asks for of an aggregate, but for its histogram. The first is the mean, asked for or
 *  not.
 *
 * @param values  out: AGGREGATE_VALUES_MAX at most; NaN if nothing was added
 * @return their number
 */
unsigned aggregate_values(const struct aggregate *aggregate, const struct directive *directive,
                          double *values);

/** Write the name of a value: mean, min, max, deviation, quantile(0.5) ... */
void aggregate_value_name(const struct directive *directive, unsigned index, char *name, size_t size);

/** A quantile by the sketch, limited to the least and the greatest value added; NaN if there is none. */
double aggregate_quantile(const struct aggregate *aggregate, double q);
