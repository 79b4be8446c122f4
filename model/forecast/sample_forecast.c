#include "model/forecast/sample_forecast.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "model/model_error.h"

/* Upper end of the intervals. */
#define HIGH 0.975

/* What one drawn pass carries if it dominates: a fraction of the sum, and times an even share. */
#define DOMINANT_SHARE 0.33
#define DOMINANT_TIMES 2.5

/* From this many degrees of freedom on, Student's t and the normal distribution agree to eight digits. */
#define FREEDOM_OF_NORMAL 1e9

/* --- one stratum ----------------------------------------------------------------------------------------- */

/* The drawn values of a stratum; one of them may be left out. */
struct drawn {
    const double *values;
    size_t count, without; /* without == count: none is left out */
};

static double mean_of(struct drawn d, size_t taken)
{
    double sum = 0;
    for (size_t i = 0; i < d.count; i++)
        sum += i == d.without ? 0 : d.values[i];
    return sum / (double)taken;
}

/* s^2 around a mean; 0 for one value. */
static double variance_of(struct drawn d, size_t taken, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < d.count; i++)
        squares += i == d.without ? 0 : (d.values[i] - mean) * (d.values[i] - mean);
    return taken > 1 ? squares / (double)(taken - 1) : 0;
}

/* The sum of the freedoms' reciprocals, weighted by squared variances, until finish() makes a freedom of it. */
struct sum {
    double total, variance, per_freedom;
};

static int add_stratum(struct sum *sum, struct drawn d, size_t passes)
{
    size_t taken = d.count - (d.without < d.count);
    if (passes == 0 && taken == 0)
        return 0;
    if (taken == 0 || taken > passes || (taken < 2 && taken < passes))
        return MODEL_EUNKNOWN;
    double n = (double)taken, all = (double)passes, mean = mean_of(d, taken);
    double variance = all * (all - n) * variance_of(d, taken, mean) / n;
    sum->total += all * mean;
    sum->variance += variance;
    sum->per_freedom += variance > 0 ? variance * variance / (n - 1) : 0;
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

/* @param apart  index of the value that has a stratum of its own; SIZE_MAX: none has */
static int total(const struct sample_stratum *strata, size_t count, const double *values, size_t apart,
                 struct sample_estimate *out)
{
    struct sum sum = {0};
    int status = 0;
    for (size_t h = 0; h < count && status == 0; h++) {
        size_t drawn = strata[h].drawn;
        struct drawn d = {values, drawn, apart < drawn ? apart : drawn};
        status = add_stratum(&sum, d, strata[h].passes - (apart < drawn));
        if (status == 0 && apart < drawn)
            sum.total += values[apart];
        values += drawn;
        apart = apart < drawn ? (size_t)-1 : apart == (size_t)-1 ? apart : apart - drawn;
    }
    if (status == 0)
        *out = finish(&sum);
    return status;
}

int sample_total(const struct sample_stratum *strata, size_t count, const double *values,
                 struct sample_estimate *out)
{
    return total(strata, count, values, (size_t)-1, out);
}

int sample_total_apart(const struct sample_stratum *strata, size_t count, const double *values, size_t apart,
                       struct sample_estimate *out)
{
    return total(strata, count, values, apart, out);
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

static double quantile(double freedom)
{
    return isinf(freedom) ? gsl_cdf_ugaussian_Pinv(HIGH) : gsl_cdf_tdist_Pinv(HIGH, fmax(freedom, 1));
}

double sample_width(struct sample_estimate e)
{
    return e.error > 0 ? quantile(e.freedom) * e.error / e.total : 0;
}

struct sample_interval sample_interval(struct sample_estimate e)
{
    double factor = exp(sample_width(e));
    return (struct sample_interval){e.total / factor, e.total * factor};
}

/* --- how many are needed --------------------------------------------------------------------------------- */

/* sum of N_h s_h^2: what the variance is made of if each stratum is drawn in proportion. */
static double weighted_variance(const struct sample_stratum *strata, size_t count, const double *values)
{
    double sum = 0;
    for (size_t h = 0; h < count; h++) {
        struct drawn d = {values, strata[h].drawn, strata[h].drawn};
        sum += (double)strata[h].passes * variance_of(d, d.count, mean_of(d, d.count));
        values += strata[h].drawn;
    }
    return sum;
}

size_t sample_needed(const struct sample_stratum *strata, size_t count, const double *values,
                     struct sample_estimate beside, double width)
{
    struct sample_estimate now;
    size_t all = 0;
    for (size_t h = 0; h < count; h++)
        all += strata[h].passes;
    if (sample_total(strata, count, values, &now) != 0)
        return 0;
    double weighted = weighted_variance(strata, count, values), most = width * (now.total + beside.total);
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
