#include "model/sums/design_effect.h"

#include <math.h>

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
