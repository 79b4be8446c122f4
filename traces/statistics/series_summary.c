#include "traces/statistics/series_summary.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/array.h"

enum { MSER_POINTS = 5, MSER_BATCHES_LEAST = 10 };

/* --- the series ------------------------------------------------------------------------------------------ */

void series_add(struct series *s, double value)
{
    if (isnan(value)) {
        s->missing++;
        return;
    }
    if (s->frames_per_point == 0)
        s->frames_per_point = 1;
    if (s->count == SERIES_POINTS) { /* nothing is pending */
        s->count /= 2;
        for (size_t i = 0; i < s->count; i++)
            s->points[i] = (s->points[2 * i] + s->points[2 * i + 1]) / 2;
        s->frames_per_point *= 2;
    }
    array_reserve(&s->points, &s->room, s->count, 1, sizeof *s->points);
    s->frames++;
    s->pending++;
    s->pending_sum += value;
    if (s->pending == s->frames_per_point) {
        s->points[s->count++] = s->pending_sum / (double)s->pending;
        s->pending = 0;
        s->pending_sum = 0;
    }
}

void series_destroy(struct series *s)
{
    free(s->points);
    *s = (struct series){0};
}

/* --- the spread ------------------------------------------------------------------------------------------ */

struct five_numbers five_numbers_of(double *values, size_t count)
{
    if (count == 0)
        return (struct five_numbers){NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    gsl_sort(values, 1, count);
    struct five_numbers f = {
        .least = values[0],
        .lower_quartile = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.25),
        .median = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.5),
        .upper_quartile = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.75),
        .most = values[count - 1],
    };
    double reach = 1.5 * (f.upper_quartile - f.lower_quartile);
    size_t low = 0, high = count - 1;
    while (values[low] < f.lower_quartile - reach)
        low++;
    while (values[high] > f.upper_quartile + reach)
        high--;
    f.lower_whisker = values[low];
    f.upper_whisker = values[high];
    f.outliers = low + (count - 1 - high);
    return f;
}

/* --- warm-up --------------------------------------------------------------------------------------------- */

struct warm_up warm_up_of(const double *values, size_t count)
{
    const size_t batches = count / MSER_POINTS;
    struct warm_up best = {0};
    size_t cut = 0;
    double least = INFINITY, mean = 0, squares = 0; /* squares: sum of (z - mean)^2 (West, CACM 22, 1979) */
    if (batches < MSER_BATCHES_LEAST)
        return best;
    for (size_t d = batches; d-- > 0;) { /* what remains after d batches grows from the end */
        const double left = (double)(batches - d),
                     apart = gsl_stats_mean(values + d * MSER_POINTS, 1, MSER_POINTS) - mean;
        mean += apart / left;
        squares += apart * apart * (left - 1) / left;
        double error = squares / left / left;
        if (batches - d >= MSER_POINTS && error <= least) {
            least = error;
            cut = d;
        }
    }
    if (2 * cut > batches)
        return best;
    return (struct warm_up){.found = true, .dropped = cut * MSER_POINTS, .error = sqrt(least)};
}
