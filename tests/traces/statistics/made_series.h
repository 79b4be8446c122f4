/* made_series.h - series whose correlation is known, for suites of what is computed from series. */
#pragma once

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stddef.h>

enum { MANY = 4000 };

static gsl_rng *rng;
static double values[MANY];

static void set_up(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 11);
}

static void tear_down(void)
{
    gsl_rng_free(rng);
}

/* x_i = correlation x_(i-1) + noise, around `mean`, started in its steady state. */
static void make_process(size_t count, double mean, double correlation)
{
    double x = gsl_ran_gaussian(rng, 1 / sqrt(1 - correlation * correlation));
    for (size_t i = 0; i < count; i++) {
        x = correlation * x + gsl_ran_gaussian(rng, 1);
        values[i] = mean + x;
    }
}
