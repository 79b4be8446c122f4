#include "traces/series_summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "traces/moments.h"

enum { MSER_POINTS = 5, MSER_BATCHES_LEAST = 10, BATCHES_LEAST = 10, BATCHES_MOST = 30 };

/* --- the series ------------------------------------------------------------------------------------------ */

static void halve(struct series *s)
{
    for (size_t i = 0; i < s->count / 2; i++)
        s->points[i] = (s->points[2 * i] + s->points[2 * i + 1]) / 2;
    s->count /= 2;
    s->frames_per_point *= 2;
}

static bool make_room(struct series *s)
{
    if (s->count < s->room)
        return true;
    if (s->room == SERIES_POINTS) {
        halve(s);
        return true;
    }
    size_t room = s->room ? 2 * s->room : 64;
    double *moved = realloc(s->points, room * sizeof *moved);
    if (!moved)
        return false;
    s->points = moved;
    s->room = room;
    return true;
}

bool series_add(struct series *s, double value)
{
    if (isnan(value)) {
        s->missing++;
        return true;
    }
    if (s->frames_per_point == 0)
        s->frames_per_point = 1;
    if (s->pending == 0 && !make_room(s))
        return false;
    s->frames++;
    s->pending++;
    s->pending_sum += value;
    if (s->pending == s->frames_per_point) {
        s->points[s->count++] = s->pending_sum / (double)s->pending;
        s->pending = 0;
        s->pending_sum = 0;
    }
    return true;
}

void series_destroy(struct series *s)
{
    free(s->points);
    *s = (struct series){0};
}

/* --- the spread ------------------------------------------------------------------------------------------ */

bool five_numbers_is_outlier(const struct five_numbers *f, double value)
{
    return value < f->lower_whisker || value > f->upper_whisker;
}

static void set_whiskers(struct five_numbers *f, const double *sorted, size_t count)
{
    double reach = 1.5 * (f->upper_quartile - f->lower_quartile);
    size_t low = 0, high = count - 1;
    while (sorted[low] < f->lower_quartile - reach)
        low++;
    while (sorted[high] > f->upper_quartile + reach)
        high--;
    f->lower_whisker = sorted[low];
    f->upper_whisker = sorted[high];
    f->outliers = low + (count - 1 - high);
}

bool five_numbers_of(const double *values, size_t count, struct five_numbers *f)
{
    *f = (struct five_numbers){NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (count == 0)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, values, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    f->least = sorted[0];
    f->lower_quartile = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.25);
    f->median = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.5);
    f->upper_quartile = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.75);
    f->most = sorted[count - 1];
    set_whiskers(f, sorted, count);
    free(sorted);
    return true;
}

/* --- warm-up --------------------------------------------------------------------------------------------- */

static double mean_of(const double *values, size_t count)
{
    return gsl_stats_mean(values, 1, count);
}

struct warm_up warm_up_of(const double *values, size_t count)
{
    const size_t batches = count / MSER_POINTS;
    struct real_moments left = {0};
    struct warm_up best = {0};
    size_t cut = 0;
    double least = INFINITY;
    if (batches < MSER_BATCHES_LEAST)
        return best;
    for (size_t d = batches; d-- > 0;) { /* what is left after d batches grows from the end */
        real_moments_add(&left, mean_of(values + d * MSER_POINTS, MSER_POINTS), 1);
        double error = real_moments_variance(&left) / left.weight;
        if (batches - d >= MSER_POINTS && error <= least) {
            least = error;
            cut = d;
        }
    }
    if (2 * cut > batches)
        return best;
    return (struct warm_up){.found = true, .dropped = cut * MSER_POINTS, .error = sqrt(least)};
}

/* --- batches --------------------------------------------------------------------------------------------- */

static size_t batches_for(size_t points)
{
    size_t batches = (size_t)sqrt((double)points);
    return batches < BATCHES_LEAST ? BATCHES_LEAST : batches > BATCHES_MOST ? BATCHES_MOST : batches;
}

/* Student's interval of the batches' means. */
static void set_interval(struct batch_means *b, const double *means)
{
    double n = (double)b->batches, deviation = gsl_stats_sd(means, 1, b->batches);
    b->mean = mean_of(means, b->batches);
    b->half_width = gsl_cdf_tdist_Pinv((1 + b->level) / 2, n - 1) * deviation / sqrt(n);
    b->lag1 = deviation > 0 ? gsl_stats_lag1_autocorrelation(means, 1, b->batches) : 0;
    b->independent = fabs(b->lag1) < 2 / sqrt(n);
}

struct batch_means batch_means_of(const double *values, size_t count, double level)
{
    struct batch_means b = {
        .mean = count ? mean_of(values, count) : NAN, .half_width = NAN, .level = level, .lag1 = NAN};
    double means[BATCHES_MOST];
    assert(level > 0 && level < 1);
    if (count < 2 * BATCHES_LEAST)
        return b;
    b.enough = true;
    b.batches = batches_for(count);
    b.batch_points = count / b.batches;
    b.left_out = count - b.batches * b.batch_points;
    for (size_t i = 0; i < b.batches; i++)
        means[i] = mean_of(values + b.left_out + i * b.batch_points, b.batch_points);
    set_interval(&b, means);
    return b;
}

struct batch_means replications_of(const double *means, size_t count, double level)
{
    struct batch_means b = {
        .mean = count ? mean_of(means, count) : NAN, .half_width = NAN, .level = level, .lag1 = NAN};
    assert(level > 0 && level < 1);
    if (count < REPLICATIONS_LEAST)
        return b;
    b.enough = true;
    b.batches = count;
    b.batch_points = 1;
    set_interval(&b, means);
    return b;
}

bool series_summary_of(const struct series *s, double level, struct series_summary *a)
{
    *a = (struct series_summary){.frames = s->frames,
                                 .missing = s->missing,
                                 .frames_per_point = s->frames_per_point,
                                 .points = s->count,
                                 .warm_up = warm_up_of(s->points, s->count)};
    const double *steady = s->count > 0 ? s->points + a->warm_up.dropped : NULL;
    a->steady = batch_means_of(steady, s->count - a->warm_up.dropped, level);
    return five_numbers_of(s->points, s->count, &a->spread);
}
