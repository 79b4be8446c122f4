#include "traces/directive/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct aggregate_plan aggregate_plan_of(const struct directive *d, uint64_t places)
{
    struct aggregate_plan plan = {0};
    if (d->aggregates & AGGREGATE_HISTOGRAM) {
        plan.low = d->bins.low;
        plan.bins = d->bins.count;
        plan.width = d->bins.width ? d->bins.width : histogram_width(places, plan.bins);
    }
    if (d->aggregates & AGGREGATE_QUANTILE) {
        plan.quantiles = true;
        plan.bits = quantile_bits(d->quantile_error);
    }
    return plan;
}

void aggregate_init(struct aggregate *a, const struct aggregate_plan *plan)
{
    *a = (struct aggregate){0};
    if (plan->bins > 0)
        a->histogram = histogram_new(plan->low, plan->width, plan->bins);
    if (plan->quantiles)
        a->quantile = quantile_new(plan->bits);
}

void aggregate_destroy(struct aggregate *a)
{
    free(a->histogram);
    free(a->quantile);
    *a = (struct aggregate){0};
}

void aggregate_clear(struct aggregate *a)
{
    a->moments = (struct moments){0};
    if (a->histogram)
        histogram_clear(a->histogram);
    if (a->quantile)
        quantile_clear(a->quantile);
}

void aggregate_merge(struct aggregate *sum, const struct aggregate *part)
{
    moments_merge(&sum->moments, &part->moments);
    if (sum->histogram)
        histogram_merge(sum->histogram, part->histogram);
    if (sum->quantile)
        quantile_merge(sum->quantile, part->quantile);
}

double aggregate_quantile(const struct aggregate *a, double q)
{
    double value = quantile_of(a->quantile, q);
    return isnan(value) ? value : fmax((double)a->moments.least, fmin((double)a->moments.most, value));
}

unsigned aggregate_values(const struct aggregate *a, const struct directive *d, double *values)
{
    const bool any = a->moments.weight > 0;
    unsigned count = 0;
    values[count++] = moments_mean(&a->moments);
    if (d->aggregates & AGGREGATE_MIN)
        values[count++] = any ? (double)a->moments.least : NAN;
    if (d->aggregates & AGGREGATE_MAX)
        values[count++] = any ? (double)a->moments.most : NAN;
    if (d->aggregates & AGGREGATE_DEVIATION)
        values[count++] = moments_deviation(&a->moments);
    for (unsigned i = 0; i < d->quantile_count; i++)
        values[count++] = aggregate_quantile(a, d->quantiles[i]);
    return count;
}

void aggregate_value_name(const struct directive *d, unsigned index, char *name, size_t size)
{
    unsigned before = 1;                                      /* the mean */
    for (unsigned i = 1; 1U << i <= AGGREGATE_DEVIATION; i++) /* least, greatest, deviation */
        if (d->aggregates >> i & 1 && index == before++) {
            snprintf(name, size, "%s", catalogue_aggregates[i]);
            return;
        }
    if (index == 0)
        snprintf(name, size, "mean");
    else
        snprintf(name, size, "quantile(%.9g)", d->quantiles[index - before]);
}
