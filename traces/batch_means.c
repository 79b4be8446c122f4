#include "traces/batch_means.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit.h>

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
    struct estimate out = {NAN, NAN, 0, 0};
    struct batch_term sum = sum_of(terms, count);
    if (!(sum.whole > 0))
        return out;
    out.mean = sum.part / sum.whole;
    if (count < 2)
        return out;
    double squares = 0, products = 0, before = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        double residual = terms[i].part - out.mean * terms[i].whole;
        squares += residual * residual;
        products += residual * before;
        largest = fmax(largest, residual * residual);
        before = residual;
    }
    double n = (double)count;
    double standard_error = sqrt(n / (n - 1) * squares) / sum.whole;
    if (standard_error <= ROUNDING * fabs(out.mean))
        standard_error = products = largest = 0;
    out.half_width = gsl_cdf_tdist_Pinv(0.975, n - 1) * standard_error;
    out.lag1 = squares > 0 ? products / squares : 0;
    out.largest = squares > 0 ? largest / squares : 0;
    return out;
}

/* --- strata ---------------------------------------------------------------------------------------------- */

/* Of the sum of a stratum's parts; 0 of an empty one. */
static double variance_of(const struct batch_stratum *s)
{
    if (!(s->whole > 0))
        return 0;
    return s->batches < 2
               ? NAN
               : pow(s->whole * s->estimate.half_width / gsl_cdf_tdist_Pinv(0.975, (double)s->batches - 1),
                     2);
}

static double satterthwaite(const struct batch_stratum *strata, size_t count, double variance)
{
    double inverse = 0;
    for (size_t i = 0; i < count; i++)
        if (strata[i].whole > 0)
            inverse += pow(variance_of(&strata[i]) / variance, 2) / ((double)strata[i].batches - 1);
    return 1 / inverse;
}

struct estimate batch_means_of_strata(const struct batch_stratum *strata, size_t count)
{
    struct estimate out = {NAN, NAN, 0, 0};
    double whole = 0, part = 0, variance = 0, products = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct batch_stratum *s = &strata[i];
        if (!(s->whole > 0))
            continue;
        whole += s->whole;
        part += s->whole * s->estimate.mean;
        variance += variance_of(s);
        products += variance_of(s) * s->estimate.lag1;
        largest = fmax(largest, variance_of(s) * s->estimate.largest);
    }
    if (!(whole > 0))
        return out;
    out.mean = part / whole;
    if (variance == 0) {
        out.half_width = 0;
    } else if (isfinite(variance)) {
        double freedom = satterthwaite(strata, count, variance);
        out.half_width = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(variance) / whole;
        out.lag1 = products / variance;
        out.largest = largest / variance;
    }
    return out;
}

/* --- control variates ------------------------------------------------------------------------------------ */

struct regression {
    gsl_matrix *x, *covariance; /* a row a batch: 1, its controls */
    gsl_vector *y, *coefficients, *residuals;
    gsl_multifit_linear_workspace *work;
};

static struct regression regression_new(size_t count, size_t columns)
{
    return (struct regression){gsl_matrix_alloc(count, columns), gsl_matrix_alloc(columns, columns),
                               gsl_vector_alloc(count),          gsl_vector_alloc(columns),
                               gsl_vector_alloc(count),          gsl_multifit_linear_alloc(count, columns)};
}

static void regression_destroy(struct regression *r)
{
    gsl_matrix_free(r->x);
    gsl_matrix_free(r->covariance);
    gsl_vector_free(r->y);
    gsl_vector_free(r->coefficients);
    gsl_vector_free(r->residuals);
    gsl_multifit_linear_free(r->work);
}

/* Which controls vary at all: they make the columns behind the first. @return how many columns */
static size_t find_columns(const struct batch_controls *controls, size_t count, double *largest)
{
    size_t columns = 1;
    for (size_t c = 0; c < BATCH_CONTROLS; c++) {
        largest[c] = 0;
        for (size_t i = 0; i < count; i++)
            largest[c] = fmax(largest[c], fabs(controls[i].of[c]));
        columns += largest[c] > 0;
    }
    return columns;
}

/* In units of the largest, or the decomposition would mistake small units for dependence. */
static void fill_matrix(const struct batch_controls *controls, const double *largest, gsl_matrix *x)
{
    for (size_t i = 0; i < x->size1; i++) {
        size_t column = 0;
        gsl_matrix_set(x, i, column++, 1);
        for (size_t c = 0; c < BATCH_CONTROLS; c++)
            if (largest[c] > 0)
                gsl_matrix_set(x, i, column++, controls[i].of[c] / largest[c]);
    }
}

static double lag1_of(const gsl_vector *residuals)
{
    double squares = 0, products = 0;
    for (size_t i = 0; i < residuals->size; i++) {
        double residual = gsl_vector_get(residuals, i);
        squares += residual * residual;
        products += i > 0 ? residual * gsl_vector_get(residuals, i - 1) : 0;
    }
    return squares > 0 ? products / squares : 0;
}

static double largest_of(const gsl_vector *residuals)
{
    double squares = 0, largest = 0;
    for (size_t i = 0; i < residuals->size; i++) {
        squares += pow(gsl_vector_get(residuals, i), 2);
        largest = fmax(largest, pow(gsl_vector_get(residuals, i), 2));
    }
    return squares > 0 ? largest / squares : 0;
}

struct estimate batch_means_controlled(const struct batch_term *terms, const struct batch_controls *controls,
                                       size_t count)
{
    struct estimate out = batch_means(terms, count);
    double largest[BATCH_CONTROLS], squares, whole = sum_of(terms, count).whole / (double)count;
    size_t columns = find_columns(controls, count, largest);
    if (count < columns + 2 || !(out.half_width > 0))
        return out;
    struct regression r = regression_new(count, columns);
    fill_matrix(controls, largest, r.x);
    for (size_t i = 0; i < count; i++)
        gsl_vector_set(r.y, i, (terms[i].part - out.mean * terms[i].whole) / whole);
    gsl_multifit_linear(r.x, r.y, r.coefficients, r.covariance, &squares, r.work);
    gsl_multifit_linear_residuals(r.x, r.y, r.coefficients, r.residuals);
    out.mean += gsl_vector_get(r.coefficients, 0); /* a batch's whose controls are at their true means */
    out.half_width =
        gsl_cdf_tdist_Pinv(0.975, (double)(count - columns)) * sqrt(gsl_matrix_get(r.covariance, 0, 0));
    out.lag1 = lag1_of(r.residuals);
    out.largest = largest_of(r.residuals);
    regression_destroy(&r);
    return out;
}

bool batch_means_are_correlated(const struct estimate *estimate, size_t count)
{
    return estimate->lag1 > CORRELATED_STANDARD_ERRORS / sqrt((double)count);
}

bool batch_means_rest_on_one(const struct estimate *estimate)
{
    return estimate->largest > 0.5;
}
