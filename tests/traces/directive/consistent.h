/* consistent.h - whether an aggregate's histogram and sketch hold the same weight as its moments. */
#ifndef MERCURY_TESTS_TRACES_DIRECTIVE_CONSISTENT_H
#define MERCURY_TESTS_TRACES_DIRECTIVE_CONSISTENT_H

#include "traces/directive/aggregate.h"

static inline bool aggregate_is_consistent(const struct aggregate *a)
{
    return (!a->histogram || histogram_weight(a->histogram) == a->moments.weight) &&
           (!a->quantile || a->quantile->weight == a->moments.weight);
}

#endif
