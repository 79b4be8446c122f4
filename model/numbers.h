/* numbers.h - the ranges that inputs of several models share. NaN and infinity are in none of them. */
#pragma once

#include <math.h>
#include <stdbool.h>

static inline bool is_positive(double value)
{
    return isfinite(value) && value > 0;
}

static inline bool is_not_negative(double value)
{
    return isfinite(value) && value >= 0;
}

static inline bool is_between(double value, double least, double most)
{
    return value >= least && value <= most;
}

/** A sum of rates or loads that differs from what is full by its rounding alone is full. */
static inline double rounded_to(double full, double sum)
{
    return fabs(sum - full) <= 1e-12 * full ? full : sum;
}
