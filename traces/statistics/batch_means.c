#include "traces/statistics/batch_means.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_statistics_double.h>

#include "base/memory.h"

#define CORRELATED_STANDARD_ERRORS 2.6

/* A relative error below this one comes from the arithmetic, not from the run. */
#define ROUNDING 1e-12

/* --- collecting ------------------------------------------------------------------------------------------ */

uint64_t batches_length(const struct batches *b)
{
    return UINT64_C(1) << b->doublings;
}

void batches_read(struct batches *b, const uint64_t *sums)
{
    b->readings++;
    if (b->readings % batches_length(b) == 0)
        memcpy(b->ends[b->count++], sums, sizeof b->ends[0]);
    if (b->count < BATCHES_MAX)
        return;
    b->count /= 2;
    for (size_t i = 0; i < b->count; i++)
        memcpy(b->ends[i], b->ends[2 * i + 1], sizeof b->ends[0]);
    b->doublings++;
}

void batches_close(struct batches *b, const uint64_t *sums)
{
    uint64_t left = b->readings % batches_length(b);
    if (b->count > 0 && 2 * left < batches_length(b))
        b->count--; /* the last whole batch ends here instead */
    memcpy(b->ends[b->count++], sums, sizeof b->ends[0]);
}

uint64_t batches_growth(const struct batches *b, size_t batch, unsigned sum)
{
    return b->ends[batch][sum] - (batch > 0 ? b->ends[batch - 1][sum] : 0);
}

/* --- estimating ------------------------------------------------------------------------------------------ */

static struct batch_term sum_of(const struct batch_term *terms, size_t count)
{
    struct batch_term sum = {0};
    for (size_t i = 0; i < count; i++) {
        sum.part += terms[i].part;
        sum.whole += terms[i].whole;
    }
    return sum;
}

/* Sums over the residuals of batches, in their order. */
struct residuals {
    double squares, products, largest; /* products: of neighbours; largest: square */
    double before;
};

static void add_residual(struct residuals *r, double residual)
{
    r->squares += residual * residual;
    r->products += residual * r->before;
    r->largest = fmax(r->largest, residual * residual);
    r->before = residual;
}

static void take_residuals(const struct residuals *r, struct estimate *out)
{
    out->lag1 = r->squares > 0 ? r->products / r->squares : 0;
    out->largest = r->squares > 0 ? r->largest / r->squares : 0;
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
    struct residuals r = {0};
    for (size_t i = 0; i < count; i++)
        add_residual(&r, terms[i].part - out.mean * terms[i].whole);
    double n = (double)count, standard_error = sqrt(n / (n - 1) * r.squares) / sum.whole;
    if (standard_error <= ROUNDING * fabs(out.mean))
        standard_error = r.products = r.largest = 0;
    out.half_width = gsl_cdf_tdist_Pinv(0.975, n - 1) * standard_error;
    take_residuals(&r, &out);
    return out;
}

/* --- strata ---------------------------------------------------------------------------------------------- */

/* Variance of the sum of a stratum's parts; 0 if the stratum is empty. */
static double variance_of(const struct batch_stratum *s)
{
    if (!(s->whole > 0))
        return 0;
    return s->batches < 2
               ? NAN
               : pow(s->whole * s->estimate.half_width / gsl_cdf_tdist_Pinv(0.975, (double)s->batches - 1),
                     2);
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
        double inverse = 0; /* of Satterthwaite's degrees of freedom */
        for (size_t i = 0; i < count; i++)
            if (strata[i].whole > 0)
                inverse += pow(variance_of(&strata[i]) / variance, 2) / ((double)strata[i].batches - 1);
        out.half_width = gsl_cdf_tdist_Pinv(0.975, 1 / inverse) * sqrt(variance) / whole;
        out.lag1 = products / variance;
        out.largest = largest / variance;
    }
    return out;
}

/* --- control variates ------------------------------------------------------------------------------------ */

struct estimate batch_means_controlled(const struct batch_term *terms, const struct batch_controls *controls,
                                       double size, size_t count)
{
    struct estimate out = batch_means(terms, count);
    double largest[BATCH_CONTROLS], squares, whole = sum_of(terms, count).whole / (double)count;
    size_t columns = 1; /* after the first, one for each control that varies */
    for (size_t c = 0; c < BATCH_CONTROLS; c++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, controls[i].of[c]);
            most = fmax(most, controls[i].of[c]);
        }
        largest[c] = most - least > ROUNDING * size ? fmax(most, -least) : 0; /* 0: it does not vary */
        columns += largest[c] > 0;
    }
    if (count < columns + 2 || !(out.half_width > 0))
        return out;
    gsl_matrix *x = gsl_matrix_alloc(count, columns), *covariance = gsl_matrix_alloc(columns, columns);
    gsl_vector *y = gsl_vector_alloc(count), *coefficients = gsl_vector_alloc(columns),
               *rests = gsl_vector_alloc(count);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(count, columns);
    for (size_t i = 0; i < count; i++) {
        size_t column = 0;
        gsl_vector_set(y, i, (terms[i].part - out.mean * terms[i].whole) / whole);
        gsl_matrix_set(x, i, column++, 1);
        /* in units of the largest one; otherwise the decomposition would mistake small units for dependence */
        for (size_t c = 0; c < BATCH_CONTROLS; c++)
            if (largest[c] > 0)
                gsl_matrix_set(x, i, column++, controls[i].of[c] / largest[c]);
    }
    gsl_multifit_linear(x, y, coefficients, covariance, &squares, work);
    gsl_multifit_linear_residuals(x, y, coefficients, rests);
    out.mean += gsl_vector_get(coefficients, 0); /* of a batch whose controls have their true means */
    out.half_width =
        gsl_cdf_tdist_Pinv(0.975, (double)(count - columns)) * sqrt(gsl_matrix_get(covariance, 0, 0));
    struct residuals residuals = {0};
    for (size_t i = 0; i < count; i++)
        add_residual(&residuals, gsl_vector_get(rests, i));
    take_residuals(&residuals, &out);
    gsl_matrix_free(x);
    gsl_matrix_free(covariance);
    gsl_vector_free(y);
    gsl_vector_free(coefficients);
    gsl_vector_free(rests);
    gsl_multifit_linear_free(work);
    return out;
}

/* --- points ---------------------------------------------------------------------------------------------- */

static double mean_of(const double *values, size_t count)
{
    return count > 0 ? gsl_stats_mean(values, 1, count) : NAN;
}

/* Points that fill no batch are left out at the beginning. */
static struct point_estimate estimate_points(const double *points, size_t count, size_t batches)
{
    struct point_estimate out = {.estimate = {mean_of(points, count), NAN, NAN, NAN}};
    if (batches == 0)
        return out;
    auto_free struct batch_term *terms = memory_take(batches * sizeof *terms);
    out.batches = batches;
    out.batch_points = count / batches;
    points += count - batches * out.batch_points;
    for (size_t i = 0; i < batches; i++)
        terms[i] = (struct batch_term){mean_of(points + i * out.batch_points, out.batch_points), 1};
    out.estimate = batch_means(terms, batches);
    return out;
}

struct point_estimate batch_means_of_points(const double *points, size_t count)
{
    size_t root = (size_t)sqrt((double)count);
    size_t batches = root < BATCHES_LEAST ? BATCHES_LEAST : root > BATCHES_MAX ? BATCHES_MAX : root;
    return estimate_points(points, count, count < 2 * BATCHES_LEAST ? 0 : batches);
}

struct point_estimate batch_means_of_replications(const double *points, size_t count)
{
    return estimate_points(points, count, count < BATCHES_LEAST ? 0 : count);
}

/* --- testing --------------------------------------------------------------------------------------------- */

bool batch_means_are_correlated(const struct estimate *estimate, size_t count)
{
    return estimate->lag1 > CORRELATED_STANDARD_ERRORS / sqrt((double)count);
}

bool batch_means_rest_on_one(const struct estimate *estimate)
{
    return estimate->largest > 0.5;
}
