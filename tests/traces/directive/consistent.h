/* consistent.h - whether an aggregate's histogram and sketch hold the same weight as its moments. */
#pragma once

#include "traces/directive/aggregate.h"

static inline uint64_t histogram_weight(const struct histogram *h)
{
    uint64_t weight = h->under + h->over;
    for (size_t i = 0; i < h->bins; i++)
        weight += h->weights[i];
    return weight;
}

static inline bool aggregate_is_consistent(const struct aggregate *a)
{
    return (!a->histogram || histogram_weight(a->histogram) == a->moments.weight) &&
           (!a->quantile || a->quantile->weight == a->moments.weight);
}
