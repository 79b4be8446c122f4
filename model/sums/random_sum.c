#include "model/sums/random_sum.h"

#include <math.h>

double random_sum_by_counts(const double *counts, const double *durations, size_t types)
{
    double sum = 0;
    for (size_t i = 0; i < types; i++)
        sum += counts[i] * durations[i];
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

/* The variance is taken around E X, so that nothing cancels. */
struct random_moments random_sum_operation(const double *shares, const double *durations, size_t types)
{
    struct random_moments x = {random_sum_by_counts(shares, durations, types), 0};
    for (size_t i = 0; i < types; i++) {
        double apart = durations[i] - x.mean;
        x.variance += shares[i] * (apart * apart);
    }
    return x;
}

struct random_moments random_sum_moments(struct random_moments number, struct random_moments operation)
{
    return (struct random_moments){number.mean * operation.mean,
                                   number.mean * operation.variance +
                                       number.variance * operation.mean * operation.mean};
}

double random_sum_order_factor(double number, double lag1)
{
    const double rest = 1 - lag1;
    return 1 + 2 * lag1 / rest - 2 * lag1 * (1 - pow(lag1, number)) / (number * rest * rest);
}

double random_sum_normal_error(double number, const double *shares, const double *durations, size_t types)
{
    static const double CONSTANT = 0.4748;
    const double mean = random_sum_by_counts(shares, durations, types);
    double second = 0, third = 0;
    for (size_t i = 0; i < types; i++) {
        double apart = fabs(durations[i] - mean);
        second += shares[i] * apart * apart;
        third += shares[i] * apart * apart * apart;
    }
    return second > 0 ? fmin(1, CONSTANT * third / (second * sqrt(second * number))) : NAN;
}

/* --- durations ------------------------------------------------------------------------------------------- */

/* The normal equations of the types that are fitted; those of the others are x_i = 0. */
struct equations {
    double left[RANDOM_SUM_TYPES_MAX][RANDOM_SUM_TYPES_MAX], right[RANDOM_SUM_TYPES_MAX];
};

/* Gauss and Jordan, without exchanges: the matrix is symmetric, positive, and has 1 on its diagonal. */
static size_t solve(struct equations e, size_t types, double *x)
{
    static const double SINGULAR = 1e-9;
    for (size_t k = 0; k < types; k++) {
        if (!(e.left[k][k] > SINGULAR))
            return k + 1;
        for (size_t i = 0; i < types; i++) {
            const double part = i == k ? 0 : e.left[i][k] / e.left[k][k];
            for (size_t j = k; j < types; j++)
                e.left[i][j] -= part * e.left[k][j];
            e.right[i] -= part * e.right[k];
        }
    }
    for (size_t k = 0; k < types; k++)
        x[k] = e.right[k] / e.left[k][k];
    return 0;
}

/* The equations of sums that are to be as the times, each divided by the size of its type. */
static struct equations equations_of(const double *counts, const double *times, size_t programs, size_t types,
                                     double *size)
{
    struct equations e = {.right = {0}};
    for (size_t j = 0; j < programs; j++)
        for (size_t i = 0; i < types; i++) {
            e.right[i] += counts[j * types + i];
            for (size_t k = 0; k < types; k++)
                e.left[i][k] += counts[j * types + i] * counts[j * types + k] / times[j];
        }
    for (size_t i = 0; i < types; i++)
        size[i] = sqrt(e.left[i][i]);
    for (size_t i = 0; i < types; i++) {
        e.right[i] /= size[i];
        for (size_t k = 0; k < types; k++)
            e.left[i][k] /= size[i] * size[k];
    }
    return e;
}

size_t random_sum_fit_durations(const double *counts, const double *times, size_t programs, size_t types,
                                double *durations)
{
    double size[RANDOM_SUM_TYPES_MAX], x[RANDOM_SUM_TYPES_MAX];
    struct equations e = equations_of(counts, times, programs, types, size);
    for (size_t worst = 0; worst < types;) {
        const size_t unclear = solve(e, types, x);
        if (unclear)
            return unclear;
        worst = types;
        for (size_t i = 0; i < types; i++)
            worst = x[i] < (worst < types ? x[worst] : 0) ? i : worst;
        for (size_t i = 0; i < types && worst < types; i++)
            e.left[i][worst] = e.left[worst][i] = i == worst;
        if (worst < types)
            e.right[worst] = 0;
    }
    for (size_t i = 0; i < types; i++)
        durations[i] = x[i] / size[i];
    return 0;
}
