#include "traces/directive/aggregate.h"

#include <math.h>
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
        plan.bits = quantile_bits(d->quantile_error, 0);
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
