#include "model/sums/random_sum.h"

#include <math.h>

double random_sum_by_counts(const double *counts, const struct random_moments *durations, size_t types)
{
    double sum = 0;
    for (size_t i = 0; i < types; i++)
        sum += counts[i] * durations[i].mean;
    return sum;
}

void random_sum_shares(const double *counts, size_t types, double *shares)
{
    double all = 0;
    for (size_t i = 0; i < types; i++)
        all += counts[i];
    for (size_t i = 0; i < types; i++)
        shares[i] = all > 0 ? counts[i] / all : NAN;
}

/* The variance is that inside the types and that of their means, around E X, so that nothing cancels. */
struct random_moments random_sum_operation(const double *shares, const struct random_moments *durations,
                                           size_t types)
{
    struct random_moments x = {random_sum_by_counts(shares, durations, types), 0};
    for (size_t i = 0; i < types; i++) {
        double apart = durations[i].mean - x.mean;
        x.variance += shares[i] * (durations[i].variance + apart * apart);
    }
    return x;
}

struct random_moments random_sum_moments(struct random_moments number, struct random_moments operation)
{
    return (struct random_moments){number.mean * operation.mean,
                                   number.mean * operation.variance +
                                       number.variance * operation.mean * operation.mean};
}

double random_sum_total_variance(const double *counts, const struct random_moments *durations, size_t types,
                                 double between)
{
    double within = 0;
    for (size_t i = 0; i < types; i++)
        within += counts[i] * durations[i].variance;
    return within + between;
}
