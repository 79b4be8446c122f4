#include "model/forecast/sample_forecast.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/model_error.h"

/* Upper end of the intervals. */
#define HIGH 0.975

/* What one drawn pass carries if it dominates: a fraction of the sum, and times an even share. */
#define DOMINANT_SHARE 0.33
#define DOMINANT_TIMES 2.5

/* From this many degrees of freedom on, Student's t and the normal distribution agree to eight digits. */
#define FREEDOM_OF_NORMAL 1e9

/* --- one stratum ----------------------------------------------------------------------------------------- */

struct moments {
    double count, mean, variance; /* the latter: s^2 around the mean, 0 for one value */
};

/* Those of the drawn values of a stratum. @param without  index of one that is left out; `count` or more: none is */
static struct moments moments_of(const double *values, size_t count, size_t without)
{
    struct moments m = {(double)(count - (without < count)), 0, 0};
    for (size_t i = 0; i < count; i++)
        m.mean += i == without ? 0 : values[i];
    m.mean /= m.count;
    for (size_t i = 0; i < count; i++)
        m.variance += i == without ? 0 : (values[i] - m.mean) * (values[i] - m.mean);
    m.variance = m.count > 1 ? m.variance / (m.count - 1) : 0;
    return m;
}

/* The sum of the freedoms' reciprocals, weighted by squared variances, until finish() makes a freedom of it. */
struct sum {
    double total, variance, per_freedom;
};

static int add_stratum(struct sum *sum, const double *values, size_t count, size_t without, size_t passes)
{
    const size_t taken = count - (without < count);
    if (passes == 0 && taken == 0)
        return 0;
    if (taken == 0 || taken > passes || (taken < 2 && taken < passes))
        return MODEL_EUNKNOWN;
    const struct moments m = moments_of(values, count, without);
    const double all = (double)passes, variance = all * (all - m.count) * m.variance / m.count;
    sum->total += all * m.mean;
    sum->variance += variance;
    sum->per_freedom += variance > 0 ? variance * variance / (m.count - 1) : 0;
    return 0;
}

static struct sample_estimate finish(const struct sum *sum)
{
    double freedom = sum->per_freedom > 0 ? sum->variance * sum->variance / sum->per_freedom : INFINITY;
    if (freedom > FREEDOM_OF_NORMAL)
        freedom = INFINITY;
    return (struct sample_estimate){sum->total, sqrt(sum->variance), fmax(freedom, 1)};
}

/* --- totals ---------------------------------------------------------------------------------------------- */

int sample_total(const struct sample_stratum *strata, size_t count, const double *values,
                 struct sample_estimate *out)
{
    return sample_total_apart(strata, count, values, SIZE_MAX, out);
}

int sample_total_apart(const struct sample_stratum *strata, size_t count, const double *values, size_t apart,
                       struct sample_estimate *out)
{
    struct sum sum = {0};
    int status = 0;
    for (size_t h = 0; h < count && status == 0; h++) {
        const size_t drawn = strata[h].drawn;
        const bool has_it = apart < drawn;
        status = add_stratum(&sum, values, drawn, apart, strata[h].passes - has_it);
        if (status == 0 && has_it)
            sum.total += values[apart];
        values += drawn;
        apart = has_it || apart == SIZE_MAX ? SIZE_MAX : apart - drawn;
    }
    if (status == 0)
        *out = finish(&sum);
    return status;
}

struct sample_estimate sample_scaled(struct sample_estimate estimate, double factor)
{
    return (struct sample_estimate){factor * estimate.total, fabs(factor) * estimate.error, estimate.freedom};
}

struct sample_estimate sample_sum(struct sample_estimate a, struct sample_estimate b)
{
    double of_a = a.error * a.error, of_b = b.error * b.error;
    struct sum sum = {a.total + b.total, of_a + of_b, 0};
    sum.per_freedom = (of_a > 0 ? of_a * of_a / a.freedom : 0) + (of_b > 0 ? of_b * of_b / b.freedom : 0);
    return finish(&sum);
}

/* --- intervals ------------------------------------------------------------------------------------------- */

double sample_width(struct sample_estimate e)
{
    const double quantile =
        isinf(e.freedom) ? gsl_cdf_ugaussian_Pinv(HIGH) : gsl_cdf_tdist_Pinv(HIGH, fmax(e.freedom, 1));
    const double rounding = 4 * DBL_EPSILON * e.total;
    return e.error > rounding ? quantile * e.error / e.total : 0;
}

struct sample_interval sample_interval(struct sample_estimate e)
{
    double factor = exp(sample_width(e));
    return (struct sample_interval){e.total / factor, e.total * factor};
}

/* --- how many are needed --------------------------------------------------------------------------------- */

size_t sample_needed(const struct sample_stratum *strata, size_t count, const double *values,
                     struct sample_estimate beside, double width)
{
    struct sample_estimate now;
    double weighted =
        0; /* sum of N_h s_h^2: what the variance is made of if each stratum is drawn in proportion */
    size_t all = 0;
    if (sample_total(strata, count, values, &now) != 0)
        return 0;
    for (size_t h = 0; h < count; values += strata[h++].drawn) {
        all += strata[h].passes;
        weighted += (double)strata[h].passes * moments_of(values, strata[h].drawn, SIZE_MAX).variance;
    }
    const double most = width * (now.total + beside.total);
    size_t least = count + 1, end = all; /* too few strata's worth of passes have no freedom */
    while (least < end) {
        size_t n = least + (end - least) / 2;
        struct sample_estimate then = {
            1, sqrt(((double)all / (double)n - 1) * weighted + beside.error * beside.error),
            (double)(n - count)};
        if (sample_width(then) <= most)
            end = n;
        else
            least = n + 1;
    }
    return least < all ? least : all;
}

/* --- what carries the total ------------------------------------------------------------------------------ */

struct sample_largest sample_largest(const double *values, size_t count)
{
    struct sample_largest found = {.share = NAN};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        if (values[i] > values[found.index])
            found.index = i;
    }
    if (sum > 0)
        found.share = values[found.index] / sum;
    return found;
}

int sample_is_dominated(const struct sample_largest *largest, size_t count)
{
    return largest->share >= DOMINANT_SHARE && largest->share * (double)count >= DOMINANT_TIMES;
}
