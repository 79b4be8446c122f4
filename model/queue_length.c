#include "model/queue_length.h"

#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"

/* Services with a smaller scv count as constant. */
static const double SCV_CONSTANT = 1e-9;

/* Probabilities of 0, 1, ... arrivals during a service. */
static void find_arrivals(double rho, double scv, double *a, size_t count)
{
    double shape = 1 / scv; /* of the gamma distribution */
    a[0] = scv < SCV_CONSTANT ? exp(-rho) : pow(1 + rho * scv, -shape);
    for (size_t k = 1; k < count; k++)
        a[k] = a[k - 1] * (scv < SCV_CONSTANT
                               ? rho / (double)k
                               : (shape + (double)k - 1) / (double)k * rho * scv / (1 + rho * scv));
}

/* Differences of nearly equal numbers leave noise far out in the tail: where it no longer falls, it is 0. */
static double next_number(const double *a, const double *p, size_t j)
{
    double sum = p[j] - p[0] * a[j];
    for (size_t i = 1; i <= j; i++)
        sum -= p[i] * a[j - i + 1];
    double next = sum / a[0];
    return next > 1e-14 && (j < 2 || next <= p[j]) ? next : 0;
}

int queue_length_mg1(double rho, double scv, double *waits, size_t count)
{
    if (!(rho >= 0 && rho < 1))
        return MODEL_EUNSTABLE;
    if (!(scv >= 0) || !isfinite(scv))
        return MODEL_ESCV;
    double *a = malloc((count + 2) * sizeof *a), *p = malloc((count + 2) * sizeof *p);
    if (!a || !p)
        return free(a), free(p), MODEL_EMEMORY;
    find_arrivals(rho, scv, a, count + 2);
    p[0] = 1 - rho;
    for (size_t j = 0; j < count; j++)
        p[j + 1] = j > 2 && p[j] == 0 ? 0 : next_number(a, p, j);
    for (size_t n = 0; n < count; n++)
        waits[n] = n == 0 ? p[0] + p[1] : p[n + 1];
    free(a);
    free(p);
    return 0;
}

int queue_length_mm1k(double rho, unsigned k, double *waits, size_t count)
{
    if (!(rho >= 0) || !isfinite(rho))
        return MODEL_EUNSTABLE;
    double sum = 0;
    for (unsigned n = 0; n <= k; n++)
        sum += pow(rho, n);
    for (size_t n = 0; n < count; n++)
        waits[n] = n + 1 > k ? 0 : n == 0 ? (1 + rho) / sum : pow(rho, (double)n + 1) / sum;
    return 0;
}
