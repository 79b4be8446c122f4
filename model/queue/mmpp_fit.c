#include "model/queue/mmpp_fit.h"

#include <math.h>

#include "model/root.h"

static double rise(double x)
{
    return x < 1e-4 ? x / 2 - x * x / 6 : 1 + expm1(-x) / x;
}

/* @param log_leaving  logarithm of the sum of both rates of leaving a state */
static double ratio_off(double log_leaving, void *moments)
{
    const struct mmpp_moments *m = moments;
    const double leaving = exp(log_leaving);
    return rise(leaving * m->length[0]) / rise(leaving * m->length[1]) -
           (m->dispersion[0] - 1) / (m->dispersion[1] - 1);
}

bool mmpp_fit(const struct mmpp_moments *moments, double rate[2], double leave[2])
{
    struct mmpp_moments m = *moments;
    const double ratio = (m.dispersion[0] - 1) / (m.dispersion[1] - 1), t = m.short_length;
    double log_leaving;
    if (!(m.rate > 0 && m.dispersion[0] > 1 && ratio > m.length[0] / m.length[1] && ratio < 1) ||
        root_find(ratio_off, &m, log(1e-6 / m.length[1]), log(1e6 / m.length[0]), 1e-9, 1e-12,
                  &log_leaving) != 0)
        return false;
    const double leaving = exp(log_leaving),
                 variance = (m.dispersion[1] - 1) * m.rate * leaving / (2 * rise(leaving * m.length[1])),
                 third = (m.third_moment - m.rate * t - 3 * variance * t * t) / (t * t * t),
                 skewness = third / pow(variance, 1.5);
    double high = (1 - skewness / sqrt(skewness * skewness + 4)) / 2; /* part of the time */
    rate[0] = m.rate + sqrt(variance * (1 - high) / high);
    rate[1] = m.rate - sqrt(variance * high / (1 - high));
    if (rate[1] < 0) {
        rate[0] = m.rate + variance / m.rate;
        rate[1] = 0;
        high = m.rate / rate[0];
    }
    leave[0] = leaving * (1 - high);
    leave[1] = leaving * high;
    return true;
}
