#include "traces/batch_means.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#define CORRELATED_STANDARD_ERRORS 2.6

/* A relative error below this is the arithmetic's, not the run's. */
#define ROUNDING 1e-12

static struct batch_term sum_of(const struct batch_term *terms, size_t count)
{
    struct batch_term sum = {0};
    for (size_t i = 0; i < count; i++) {
        sum.part += terms[i].part;
        sum.whole += terms[i].whole;
    }
    return sum;
}

struct estimate batch_means(const struct batch_term *terms, size_t count)
{
    struct estimate out = {NAN, NAN, 0};
    struct batch_term sum = sum_of(terms, count);
    if (!(sum.whole > 0))
        return out;
    out.mean = sum.part / sum.whole;
    if (count < 2)
        return out;
    double squares = 0, products = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        double residual = terms[i].part - out.mean * terms[i].whole;
        squares += residual * residual;
        products += residual * before;
        before = residual;
    }
    double n = (double)count;
    double standard_error = sqrt(n / (n - 1) * squares) / sum.whole;
    if (standard_error <= ROUNDING * fabs(out.mean))
        standard_error = products = 0;
    out.half_width = gsl_cdf_tdist_Pinv(0.975, n - 1) * standard_error;
    out.lag1 = squares > 0 ? products / squares : 0;
    return out;
}

bool batch_means_are_correlated(const struct estimate *estimate, size_t count)
{
    return estimate->lag1 > CORRELATED_STANDARD_ERRORS / sqrt((double)count);
}
