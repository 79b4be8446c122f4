#include "model/sums/tail_index.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Quantiles of the standard normal distribution, two-sided. */
#define Z_95 1.959964
#define Z_99 2.575829

enum { LARGEST_LEAST = TAIL_VALUES_LEAST / 2, HILL_LEAST = 64 };

static int compare_falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void tail_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_falling);
}

/* The number that a gamma variable of `shape` >= 64 does not exceed with the probability that a normal one does not
 * exceed z: Wilson and Hilferty's, right to four digits. */
static double gamma_quantile(double shape, double z)
{
    return shape * pow(1 - 1 / (9 * shape) + z / (3 * sqrt(shape)), 3);
}

/* Sums of the spacings e_1 .. e_k, and of e_i ln i. */
struct spacings {
    double sum, weighted;
};

static struct spacings spacings_of(const double *largest, size_t k)
{
    struct spacings s = {0, 0};
    for (size_t i = 1; i <= k; i++)
        if (largest[i - 1] > largest[i]) { /* equal values have spacings of 0 */
            double spacing = (double)i * log(largest[i - 1] / largest[i]);
            s.sum += spacing;
            s.weighted += spacing * log((double)i);
        }
    return s;
}

/* Whether Hill's estimates of k/2, k/4 ... are that of k. */
static bool is_flat(const double *largest, size_t k, double mean)
{
    for (size_t i = k / 2; i >= HILL_LEAST; i /= 2) {
        double sum = spacings_of(largest, i).sum / mean;
        if (sum < gamma_quantile((double)i, -Z_99) || sum > gamma_quantile((double)i, Z_99))
            return false;
    }
    return true;
}

struct tail_estimate tail_index(const double *largest, size_t count, uint64_t all)
{
    uint64_t least = all / 250 < TAIL_LARGEST_MOST / 2 ? all / 250 : TAIL_LARGEST_MOST / 2, k = all / 2;
    k = k < TAIL_LARGEST_MOST ? k : TAIL_LARGEST_MOST;
    for (; k >= LARGEST_LEAST && k >= least; k /= 2) {
        if (k >= count || !(largest[k] > 0))
            continue;
        struct spacings s = spacings_of(largest, k);
        double n = (double)k;
        /* least squares of e_i / mean over ln i: of a power law the slope is 0, with a variance of 1/k */
        double slope = (s.weighted - gsl_sf_lngamma(n + 1) / n * s.sum) / s.sum;
        if (s.sum > 0 && !(fabs(slope) * sqrt(n) > Z_95) && is_flat(largest, k, s.sum / n))
            return (struct tail_estimate){n / s.sum, gamma_quantile(n, -Z_95) / s.sum,
                                          gamma_quantile(n, Z_95) / s.sum, k};
    }
    return (struct tail_estimate){NAN, NAN, NAN, 0};
}
