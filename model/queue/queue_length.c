#include "model/queue/queue_length.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/queue/single_queue.h"
#include "model/model_error.h"

/* Services with a smaller scv count as constant. */
static const double SCV_CONSTANT = 1e-9;

/* Probabilities of 0, 1, ... arrivals during a service. The number of batches is of Panjer's class: the probability of
 * n is (u + v / n) times that of n - 1. */
static void find_arrivals(double rho, double scv, const double *batch, size_t largest, double *a,
                          size_t count)
{
    double mean = 0;
    for (size_t j = 1; j <= largest; j++)
        mean += (double)j * batch[j - 1];
    double batches = rho / mean, spread = batches * scv, u = 0, v = batches;
    a[0] = exp(-batches);
    if (scv >= SCV_CONSTANT) {
        u = spread / (1 + spread);
        v = (1 / scv - 1) * u;
        a[0] = exp(-log1p(spread) / scv);
    }
    for (size_t k = 1; k < count; k++) {
        a[k] = 0;
        for (size_t j = 1; j <= largest && j <= k; j++)
            a[k] += (u + v * (double)j / (double)k) * batch[j - 1] * a[k - j];
    }
}

/* P[A > k] in place of P[A = k], summed from the last of `count` numbers, so that small ones keep their digits. What is
 * missing to 1 is beyond the last, unless it is rounding. */
static void add_up_from_last(double *a, size_t count)
{
    double beyond = 1;
    for (size_t k = 0; k < count; k++)
        beyond -= a[k];
    if (beyond < 1e-12)
        beyond = 0;
    for (size_t k = count; k-- > 0;) {
        double equal = a[k];
        a[k] = beyond;
        beyond += equal;
    }
}

int queue_length_mxg1(double rho, double scv, const double *batch, size_t largest, double *waits,
                      size_t count)
{
    if (!(rho >= 0 && rho < 1))
        return MODEL_EUNSTABLE;
    if (!(scv >= 0) || !isfinite(scv))
        return MODEL_ESCV;
    if (largest == 0)
        return MODEL_EBATCH;
    size_t far = 8 * (count + 1); /* what is beyond is small beside what is at `count` */
    double *more = memory_take(far * sizeof *more), *p = memory_take((count + 1) * sizeof *p);
    find_arrivals(rho, scv, batch, largest, more, far);
    double none = more[0];
    add_up_from_last(more, far);
    p[0] = 1 - rho;
    for (size_t n = 1; n <= count; n++) {
        double sum = p[0] * more[n - 1];
        for (size_t i = 1; i < n; i++)
            sum += p[i] * more[n - i];
        p[n] = sum / none;
    }
    for (size_t n = 0; n < count; n++)
        waits[n] = n == 0 ? p[0] + p[1] : p[n + 1];
    free(more);
    free(p);
    return 0;
}

int queue_length_mm1k(double rho, unsigned k, double *waits, size_t count)
{
    double none = 0;
    if (!(rho >= 0) || !isfinite(rho) || k < 1)
        return MODEL_EUNSTABLE;
    mm1k_p_equal(rho, k, 0, &none);
    for (size_t n = 0; n < count; n++) {
        waits[n] = 0;
        if (n < k)
            mm1k_p_equal(rho, k, (unsigned)n + 1, &waits[n]);
    }
    if (count > 0)
        waits[0] += none;
    return 0;
}
