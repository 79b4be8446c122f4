/* random.h - GSL's Mersenne twister, from which simulations of queues and replicas of runs are drawn. */
#pragma once

#include <gsl/gsl_rng.h>

#include "base/memory.h"

/** A generator with this seed, for gsl_rng_free(). */
static inline gsl_rng *random_new(unsigned long seed)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (!random)
        memory_exhausted();
    gsl_rng_set(random, seed);
    return random;
}
