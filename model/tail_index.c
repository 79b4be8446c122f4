#include "model/tail_index.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

/* Ends of the intervals. */
#define LOW  0.025
#define HIGH 0.975

enum { LARGEST_LEAST = 5, LARGEST_PART = 10 };

size_t tail_size(size_t n)
{
    size_t tenth = n / LARGEST_PART, half = n / 2;
    size_t size = tenth < LARGEST_LEAST ? LARGEST_LEAST : tenth;
    return size < half ? size : half;
}

static int compare_falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static const struct tail_estimate none = {NAN, NAN, NAN};
static const struct tail_estimate no_tail = {INFINITY, INFINITY, INFINITY};

struct tail_estimate tail_index(double *values, size_t count, size_t largest)
{
    if (largest < 1 || largest >= count)
        return none;
    qsort(values, count, sizeof *values, compare_falling);
    double least = values[largest], sum = 0, k = (double)largest;
    if (!(least > 0))
        return none;
    for (size_t i = 0; i < largest; i++)
        sum += log(values[i] / least);
    return sum > 0 ? (struct tail_estimate){k / sum, gsl_cdf_gamma_Pinv(LOW, k, 1) / sum,
                                            gsl_cdf_gamma_Pinv(HIGH, k, 1) / sum}
                   : no_tail;
}

/* The number that a standard Gumbel variable does not exceed with this probability. */
static double gumbel(double probability)
{
    return -log(-log(probability));
}

struct tail_estimate tail_index_of_greatest(double largest, double threshold, double greatest)
{
    if (!(largest >= LARGEST_LEAST && threshold > 0 && greatest >= threshold))
        return none;
    double ratio = log(greatest / threshold), k = log(largest);
    return ratio > 0 ? (struct tail_estimate){(k + M_EULER) / ratio, fmax(0, k + gumbel(LOW)) / ratio,
                                              (k + gumbel(HIGH)) / ratio}
                     : no_tail;
}
