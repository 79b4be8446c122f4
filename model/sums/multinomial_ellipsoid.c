#include "model/sums/multinomial_ellipsoid.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

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
