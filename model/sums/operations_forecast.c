#include "model/sums/operations_forecast.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/sums/share_regions.h"
#include "model/predict/predict_inputs.h"

/* A verdict is wrong for independent operations in this fraction of runs. */
#define VIOLATED_BELOW 0.01

/* --- series over passes ---------------------------------------------------------------------------------- */

static struct random_moments moments_of(const double *values, size_t stride, size_t count)
{
    struct random_moments m = {0, 0};
    for (size_t j = 0; j < count; j++)
        m.mean += values[j * stride];
    m.mean /= (double)count;
    for (size_t j = 0; j < count; j++)
        m.variance += (values[j * stride] - m.mean) * (values[j * stride] - m.mean) / (double)(count - 1);
    return m;
}

static double correlation_of(const double *x, const double *y, size_t count)
{
    struct random_moments mx = moments_of(x, 1, count), my = moments_of(y, 1, count);
    double product = 0;
    for (size_t j = 0; j < count; j++)
        product += (x[j] - mx.mean) * (y[j] - my.mean) / (double)(count - 1);
    double scale = sqrt(mx.variance * my.variance);
    return scale > 1e-12 * fabs(mx.mean * my.mean) ? product / scale : NAN;
}

double operations_forecast_number(const struct server_forecast *s, size_t pass)
{
    double sum = 0;
    for (size_t i = 0; i < s->types; i++)
        sum += s->counted->counts[pass * s->types + i];
    return sum;
}

double operations_forecast_by_counts(const struct server_forecast *s, size_t pass)
{
    return random_sum_by_counts(s->counted->counts + pass * s->types, s->duration, s->types);
}

double operations_forecast_by_number(const struct server_forecast *s, size_t pass)
{
    return operations_forecast_number(s, pass) * s->operation.mean;
}

static void estimate_share(struct server_forecast *s, size_t i, size_t passes)
{
    const double *counts = s->counted->counts, share = s->share[i];
    size_t occurring = 0; /* types that never occur say nothing of the shares of the others */
    for (size_t type = 0; type < s->types; type++)
        occurring += s->count_mean[type] > 0;
    double all = s->number.mean * (double)passes;
    double variance = cluster_variance(counts, passes, s->types, i, share);
    s->independent_half_width[i] = multinomial_half_width(share, occurring, all, OPERATIONS_LEVEL);
    s->pass_half_width[i] = sqrt(hotelling_limit(passes, occurring, OPERATIONS_LEVEL) * variance);
    s->design_effect[i] = design_effect(counts, passes, s->types, i, share);
    s->passes_needed[i] =
        s->design_effect[i] *
        multinomial_operations_needed(share, occurring, OPERATIONS_ACCURACY, OPERATIONS_LEVEL) /
        s->number.mean;
}

/* --- passes that represent all --------------------------------------------------------------------------- */

/* The distance of the shares of some counts, and of one more pass, from those of all passes. */
static double distance_with(const struct server_forecast *s, const of_types counts, size_t pass)
{
    double sum = 0, all = operations_forecast_number(s, pass);
    const double *more = s->counted->counts + pass * s->types;
    for (size_t i = 0; i < s->types; i++)
        all += counts[i];
    for (size_t i = 0; i < s->types; i++)
        sum += fabs((counts[i] + more[i]) / all - s->share[i]) / 2;
    return sum;
}

double operations_forecast_distance(const struct server_forecast *s, size_t pass)
{
    return distance_with(s, (of_types){0}, pass);
}

static void represent(struct server_forecast *s, size_t passes)
{
    of_types counts = {0};
    s->representatives_distance = INFINITY;
    while (s->represented_by < REPRESENTATIVES_MAX && s->representatives_distance > OPERATIONS_ACCURACY) {
        size_t best = passes;
        for (size_t j = 0; j < passes; j++) {
            bool is_new = true;
            for (size_t k = 0; k < s->represented_by; k++)
                is_new = is_new && s->representatives[k] != j;
            if (is_new && distance_with(s, counts, j) < s->representatives_distance) {
                s->representatives_distance = distance_with(s, counts, j);
                best = j;
            }
        }
        if (best == passes) { /* no further pass brings the shares nearer */
            if (s->represented_by == 0)
                s->representatives_distance = NAN;
            return;
        }
        s->representatives[s->represented_by++] = best;
        for (size_t i = 0; i < s->types; i++)
            counts[i] += s->counted->counts[best * s->types + i];
    }
}

/* --- a server -------------------------------------------------------------------------------------------- */

struct series {
    double *number, *by_counts, *mean_operation, *times; /* of each pass */
};

static void predict_times(struct server_forecast *s, const struct series *series, size_t passes)
{
    s->number = moments_of(series->number, 1, passes);
    s->operation = random_sum_operation(s->share, s->duration, s->types);
    s->expected = random_sum_by_counts(s->count_mean, s->duration, s->types);
    s->variance_independent = random_sum_moments(s->number, s->operation).variance;
    s->lag1 = s->counted->lag1;
    const double order = random_sum_order_factor(s->number.mean, s->lag1);
    s->variance_order = random_sum_moments(s->number, (struct random_moments){s->operation.mean,
                                                                              order * s->operation.variance})
                            .variance;
    for (size_t j = 0; j < passes; j++) {
        series->by_counts[j] = operations_forecast_by_counts(s, j);
        series->mean_operation[j] =
            series->number[j] > 0 ? series->by_counts[j] / series->number[j] : s->operation.mean;
    }
    s->variance_total = moments_of(series->by_counts, 1, passes).variance;
}

/* A server that has one type of operation, or none, has nothing that could depend on anything. */
static void judge_independence(struct server_forecast *s, const struct series *series, size_t passes)
{
    double chi2_freedom,
        chi2 = shares_heterogeneity(s->counted->counts, passes, s->types, s->share, &chi2_freedom);
    s->heterogeneity = chi2 / chi2_freedom;
    s->correlation = correlation_of(series->number, series->mean_operation, passes);
    bool differ = chi2 > 0 && gsl_cdf_chisq_Q(chi2, chi2_freedom) < VIOLATED_BELOW;
    double r = s->correlation, freedom = (double)passes - 2;
    bool depend = freedom > 0 && fabs(r) < 1 &&
                  2 * gsl_cdf_tdist_Q(fabs(r) * sqrt(freedom / (1 - r * r)), freedom) < VIOLATED_BELOW;
    s->independence_is_violated = differ || depend;
}

static struct pass_residuals residuals_of(const struct server_forecast *s, double *room, size_t passes,
                                          double (*predict)(const struct server_forecast *, size_t))
{
    struct pass_residuals r = {.pass = NAN};
    for (size_t j = 0; j < passes; j++) {
        room[j] = s->counted->measured[j] - predict(s, j);
        if (isnan(r.pass) || fabs(room[j]) > fabs(r.largest)) {
            r.largest = room[j];
            r.pass = (double)j + 1;
        }
    }
    struct random_moments m = moments_of(room, 1, passes);
    r.mean = m.mean;
    r.deviation = sqrt(m.variance);
    return r;
}

const char *tail_verdict_name(enum tail_verdict verdict)
{
    static const char *const names[] = {[TAIL_TOO_FEW] = "too few values",
                                        [TAIL_NONE] = "no power law",
                                        [TAIL_LIGHT] = "light",
                                        [TAIL_DOUBTFUL] = "doubtful",
                                        [TAIL_HEAVY] = "heavy"};
    return names[verdict];
}

/* The next pass, and P(T > t). */
static void forecast_next(struct server_forecast *s, double beyond, size_t passes)
{
    const double m = (double)passes, level = (1 + OPERATIONS_LEVEL) / 2;
    const bool measured = !isnan(s->measured.mean);
    const double mean = measured ? s->measured.mean : s->expected;
    const double next = gsl_cdf_tdist_Pinv(level, m - 1) *
                        sqrt((1 + 1 / m) * (measured ? s->measured.variance : s->variance_total));
    const double deviation = sqrt(s->number.mean * s->operation.variance);
    const double normal = gsl_cdf_ugaussian_Pinv(level) * deviation;
    s->next_low = fmax(0, mean - next);
    s->next_high = mean + next;
    s->t_low = s->expected - normal;
    s->t_high = s->expected + normal;
    s->beyond = isnan(beyond) ? s->t_high : beyond;
    s->p_beyond = isnan(deviation) ? NAN
                  : deviation > 0  ? gsl_cdf_ugaussian_Q((s->beyond - s->expected) / deviation)
                                   : s->expected > s->beyond;
    s->p_error = random_sum_normal_error(s->number.mean, s->share, s->duration, s->types);
    s->beyond_share = measured && !isnan(s->beyond) ? 0 : NAN;
    for (size_t j = 0; j < passes && measured; j++)
        s->beyond_share += (s->counted->measured[j] > s->beyond) / m;
}

/* The index is of the counts' own machine: how heavy the passes are is much the same on another one. */
static void judge_tail(struct server_forecast *s, double *room, size_t passes)
{
    double sum = 0;
    memcpy(room, s->counted->measured, passes * sizeof *room);
    for (size_t j = 0; j < passes; j++)
        sum += room[j];
    tail_sort(room, passes);
    s->tail = tail_index(room, passes, passes);
    s->tail_verdict = isnan(s->tail.index) ? (passes < TAIL_VALUES_LEAST ? TAIL_TOO_FEW : TAIL_NONE)
                      : s->tail.index < TAIL_INDEX_OF_VARIANCE ? TAIL_HEAVY
                      : s->tail.low < TAIL_INDEX_OF_VARIANCE   ? TAIL_DOUBTFUL
                                                               : TAIL_LIGHT;
    s->largest_share = sum > 0 ? room[0] / sum : NAN;
}

static void compare_shares(struct server_forecast *s, const struct operation_server *given,
                           size_t given_passes, size_t passes)
{
    of_types means;
    for (size_t i = 0; i < s->types; i++)
        means[i] = moments_of(given->counts + i, s->types, given_passes).mean;
    random_sum_shares(means, s->types, s->given_share);
    s->expected_given = s->number.mean * random_sum_by_counts(s->given_share, s->duration, s->types);
    s->t2_limit = hotelling_limit(passes, s->types, OPERATIONS_LEVEL);
    if (hotelling_t2(s->counted->counts, passes, s->types, s->given_share, &s->t2) != 0)
        s->t2 = s->t2_limit = NAN;
}

static void forecast_server(struct server_forecast *s, const struct operation_server *counted,
                            const struct operation_server *timed, double beyond, size_t passes,
                            const struct series *series)
{
    *s = (struct server_forecast){.counted = counted,
                                  .types = counted->types,
                                  .expected_given = NAN,
                                  .measured = {NAN, NAN},
                                  .by_counts = {NAN, NAN, NAN, NAN},
                                  .by_number = {NAN, NAN, NAN, NAN},
                                  .t2 = NAN,
                                  .t2_limit = NAN};
    for (size_t i = 0; i < s->types; i++) {
        struct random_moments count = moments_of(counted->counts + i, s->types, passes);
        s->count_mean[i] = count.mean;
        s->count_variance[i] = count.variance;
        s->duration[i] = timed->duration[i];
        s->given_share[i] = NAN;
    }
    random_sum_shares(s->count_mean, s->types, s->share);
    for (size_t j = 0; j < passes; j++)
        series->number[j] = operations_forecast_number(s, j);
    predict_times(s, series, passes);
    for (size_t i = 0; i < s->types; i++)
        estimate_share(s, i, passes);
    judge_independence(s, series, passes);
    bool same_machine = true; /* durations of two machines are the same to the digits of summary.json */
    if (strcmp(counted->unit, "s") == 0)
        same_machine = !isnan(counted->measured[0]);
    else
        for (size_t i = 0; i < s->types && counted != timed; i++)
            same_machine =
                same_machine && fabs(counted->duration[i] - timed->duration[i]) <= 1e-9 * timed->duration[i];
    if (same_machine) {
        s->measured = moments_of(counted->measured, 1, passes);
        s->by_counts = residuals_of(s, series->times, passes, operations_forecast_by_counts);
        s->by_number = residuals_of(s, series->times, passes, operations_forecast_by_number);
    }
    s->measured_excess = s->measured.mean / s->expected - 1;
    judge_tail(s, series->times, passes);
    forecast_next(s, beyond, passes);
    represent(s, passes);
}

int operations_forecast_make(const struct operations *counts, const struct operations *durations,
                             double beyond, struct operations_forecast *out, struct why *why)
{
    for (size_t s = 0; s < counts->servers && counts != durations; s++)
        for (size_t i = 0; i < counts->server[s].types; i++)
            if (counts->servers != durations->servers ||
                counts->server[s].types != durations->server[s].types ||
                strcmp(counts->server[s].type[i], durations->server[s].type[i]) != 0)
                return why_say(why, PREDICT_EINPUT,
                               "%.300s has counts of %s, %.300s has other operations; expected the same ones "
                               "in the same order",
                               counts->file, counts->server[s].type[i], durations->file);
            else if (isnan(durations->server[s].duration[i]))
                return why_say(why, PREDICT_EINPUT,
                               "%.300s has counts of %s, %.300s has no duration of it; expected %s",
                               counts->file, counts->server[s].type[i], durations->file,
                               s == OPERATIONS_CORES ? "the run.json of that run beside its summary.json"
                                                     : "a run that streamed words");
    size_t n = counts->passes;
    auto_free double *room = memory_new(4 * n, sizeof *room);
    *out = (struct operations_forecast){.counts = counts, .durations = durations};
    if (counts->clocks)
        out->clocks = moments_of(counts->clocks, 1, n);
    for (size_t s = 0; s < counts->servers; s++) {
        struct server_forecast *server = &out->server[s];
        forecast_server(server, &counts->server[s], &durations->server[s], beyond, n,
                        &(struct series){room, room + n, room + 2 * n, room + 3 * n});
        if (counts != durations)
            compare_shares(server, &durations->server[s], durations->passes, n);
    }
    return 0;
}
