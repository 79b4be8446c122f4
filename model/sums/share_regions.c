#include "model/sums/share_regions.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>

#include "model/model_error.h"

static double operations_of(const double *counts, size_t types)
{
    double sum = 0;
    for (size_t i = 0; i < types; i++)
        sum += counts[i];
    return sum;
}

double cluster_variance(const double *counts, size_t clusters, size_t types, size_t type, double share)
{
    double squares = 0, operations = 0, m = (double)clusters;
    for (size_t j = 0; j < clusters; j++) {
        double n = operations_of(counts + j * types, types), apart = counts[j * types + type] - share * n;
        squares += apart * apart;
        operations += n;
    }
    return clusters > 1 && operations > 0 ? squares * m / ((m - 1) * operations * operations) : NAN;
}

double design_effect(const double *counts, size_t clusters, size_t types, size_t type, double share)
{
    double independent = share * (1 - share) / operations_of(counts, clusters * types);
    return independent > 0 ? cluster_variance(counts, clusters, types, type, share) / independent : NAN;
}

double shares_heterogeneity(const double *counts, size_t clusters, size_t types, const double *shares,
                            double *freedom)
{
    double sum = 0, rows = 0, columns = 0;
    for (size_t i = 0; i < types; i++)
        columns += shares[i] > 0;
    for (size_t j = 0; j < clusters; j++) {
        double n = operations_of(counts + j * types, types);
        rows += n > 0;
        for (size_t i = 0; i < types && n > 0; i++) {
            double apart = counts[j * types + i] - n * shares[i];
            sum += shares[i] > 0 ? apart * apart / (n * shares[i]) : 0;
        }
    }
    *freedom = (rows - 1) * (columns - 1);
    return *freedom > 0 ? sum : NAN;
}

/* A direction whose variance is below this fraction of the counts' own does not vary but for rounding. */
#define SINGULAR 1e-12

struct observations {
    double mean[HOTELLING_TYPES_MAX];
    double covariance[HOTELLING_TYPES_MAX * HOTELLING_TYPES_MAX];
};

static void differences_of(const double *row, size_t types, const double *shares, double *out)
{
    double n = operations_of(row, types);
    for (size_t i = 0; i + 1 < types; i++)
        out[i] = row[i] - shares[i] * n;
}

static void observe(const double *counts, size_t passes, size_t types, const double *shares,
                    struct observations *o)
{
    double d[HOTELLING_TYPES_MAX];
    size_t size = types - 1;
    *o = (struct observations){.mean = {0}};
    for (size_t j = 0; j < passes; j++) {
        differences_of(counts + j * types, types, shares, d);
        for (size_t i = 0; i < size; i++)
            o->mean[i] += d[i] / (double)passes;
    }
    for (size_t j = 0; j < passes; j++) {
        differences_of(counts + j * types, types, shares, d);
        for (size_t i = 0; i < size; i++)
            for (size_t k = 0; k < size; k++)
                o->covariance[i * size + k] +=
                    (d[i] - o->mean[i]) * (d[k] - o->mean[k]) / (double)(passes - 1);
    }
}

/* Divide by the standard deviations: the covariance becomes a correlation, whose singular values can be compared
 * with 1. */
static int scale(struct observations *o, size_t size)
{
    double deviation[HOTELLING_TYPES_MAX];
    for (size_t i = 0; i < size; i++) {
        deviation[i] = sqrt(o->covariance[i * size + i]);
        if (!(deviation[i] > 0))
            return MODEL_ENOSOLUTION;
        o->mean[i] /= deviation[i];
    }
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < size; k++)
            o->covariance[i * size + k] /= deviation[i] * deviation[k];
    return 0;
}

/* d' S^-1 d by the singular values of S. */
static int inverse_square(struct observations *o, size_t size, double *square)
{
    double right[HOTELLING_TYPES_MAX * HOTELLING_TYPES_MAX], values[HOTELLING_TYPES_MAX];
    gsl_matrix_view left = gsl_matrix_view_array(o->covariance, size, size);
    gsl_matrix_view v = gsl_matrix_view_array(right, size, size);
    gsl_vector_view s = gsl_vector_view_array(values, size);
    gsl_linalg_SV_decomp_jacobi(&left.matrix, &v.matrix, &s.vector);
    *square = 0;
    for (size_t k = 0; k < size; k++) {
        double along_left = 0, along_right = 0;
        if (!(values[k] > SINGULAR))
            return MODEL_ENOSOLUTION;
        for (size_t i = 0; i < size; i++) {
            along_left += o->covariance[i * size + k] * o->mean[i];
            along_right += right[i * size + k] * o->mean[i];
        }
        *square += along_left * along_right / values[k];
    }
    return 0;
}

int hotelling_t2(const double *counts, size_t passes, size_t types, const double *shares, double *t2)
{
    struct observations o;
    size_t size = types - 1;
    if (types < 2 || types > HOTELLING_TYPES_MAX || passes < types)
        return MODEL_EUNKNOWN;
    observe(counts, passes, types, shares, &o);
    int status = scale(&o, size);
    double square = 0;
    if (status == 0)
        status = inverse_square(&o, size, &square);
    if (status == 0)
        *t2 = (double)passes * square;
    return status;
}

double hotelling_limit(size_t passes, size_t types, double level)
{
    if (types < 2 || passes < types || !(level > 0 && level < 1))
        return NAN;
    double m = (double)passes, r = (double)types;
    return (r - 1) * (m - 1) / (m - r + 1) * gsl_cdf_fdist_Pinv(level, r - 1, m - r + 1);
}

static bool is_inside(double probability)
{
    return probability > 0 && probability < 1;
}

double multinomial_distance(const double *shares, const double *p, size_t types, double n)
{
    double sum = 0;
    for (size_t i = 0; i < types; i++) {
        if (!is_inside(p[i]))
            return NAN;
        sum += (shares[i] - p[i]) * (shares[i] - p[i]) / p[i];
    }
    return types < 2 ? NAN : n * sum;
}

double multinomial_limit(size_t types, double level)
{
    return types < 2 || !is_inside(level) ? NAN : gsl_cdf_chisq_Pinv(level, (double)types - 1);
}

double multinomial_half_width(double p, size_t types, double n, double level)
{
    return is_inside(p) && n > 0 ? sqrt(multinomial_limit(types, level) * p * (1 - p) / n) : NAN;
}

double multinomial_operations_needed(double p, size_t types, double relative, double level)
{
    return is_inside(p) && relative > 0
               ? multinomial_limit(types, level) * (1 - p) / (p * relative * relative)
               : NAN;
}
