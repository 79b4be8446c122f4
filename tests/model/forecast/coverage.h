/* coverage.h - whether intervals of 95% are as wide as they must be, over many samples of which the truth is known. */
#pragma once

#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "model/forecast/sample_forecast.h"
#include "tests/run_suite.h"

/** Sums over samples, of logarithms. Start with {0}. */
struct coverage {
    int samples, held;
    double squares; /* of the errors */
    double width;   /* half of the intervals' */
};

/** @param stretch  of the interval: 1, or another for a wrong one */
static inline void coverage_add_stretched(struct coverage *c, struct sample_estimate e, double truth,
                                          double stretch)
{
    const double error = log(e.total / truth), width = stretch * sample_width(e);
    c->samples++;
    c->held += fabs(error) <= width;
    c->squares += error * error;
    c->width += width;
}

/** Half the width in standard deviations of the error. */
static inline double coverage_ratio(const struct coverage *c)
{
    return c->width / c->samples / sqrt(c->squares / c->samples);
}

/** An interval that is right holds 190 of 200, with a standard deviation of 3, and half of it is about two standard
 * deviations of the error; as few values have the quantile of Student's t, and not all are normally distributed, nine
 * of ten must be held, and half may be three and a half times the error. */
static inline bool coverage_is_right(const struct coverage *c)
{
    return c->held >= c->samples * 9 / 10 && coverage_ratio(c) <= 3.5;
}

/** One set of samples has right intervals, half of them and twice of them, which are wrong. */
struct coverages {
    struct coverage right, half, twice;
};

static inline void coverage_add(struct coverages *c, struct sample_estimate e, double truth)
{
    coverage_add_stretched(&c->right, e, truth, 1);
    coverage_add_stretched(&c->half, e, truth, 0.5);
    coverage_add_stretched(&c->twice, e, truth, 2);
}

static inline void coverage_check(const struct coverages *c)
{
    ck_assert_msg(coverage_is_right(&c->right), "%d of %d held, half of the width is %g of the error",
                  c->right.held, c->right.samples, coverage_ratio(&c->right));
    ck_assert_msg(!coverage_is_right(&c->half), "half of the interval seems to be right");
    ck_assert_msg(!coverage_is_right(&c->twice), "twice the interval seems to be right");
}
