#include "validate/queue_distribution.h"

#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "model/queue/queue_length.h"

enum { BATCH_MAX = 64 };

/* The arrivals of a stage: `largest` probabilities of batches of 1, 2, ... */
struct arrival_batches {
    double p[BATCH_MAX];
    size_t largest;
};

static unsigned wmers_per_word(const struct predict_case *c)
{
    return (unsigned)fmin(fmax(round(c->value[PREDICT_WMERS_PER_WORD]), 1), BATCH_MAX);
}

/* Binomial(n, p), if it is not 0: p[k] = p[k - 1] (n - k + 1) / k x p / (1 - p). */
static void set_seeds_of_word(unsigned n, double p, struct arrival_batches *b)
{
    double none = pow(1 - p, n), at = none;
    b->largest = n;
    for (unsigned k = 1; k <= n; k++) {
        at *= (double)(n - k + 1) / k * p / (1 - p);
        b->p[k - 1] = at / (1 - none);
    }
}

static struct arrival_batches batches_of(const struct predict_case *c, enum quantity_stage stage,
                                         enum verdict_model model)
{
    struct arrival_batches b = {{1}, 1};
    double p = c->value[PREDICT_P_1A];
    unsigned n = wmers_per_word(c);
    if (model != VERDICT_MXG1 || n == 1)
        return b;
    if (stage == QUANTITY_1A) {
        b = (struct arrival_batches){{0}, n};
        b.p[n - 1] = 1;
    } else if (stage == QUANTITY_1BP && p > 0 && p < 1) {
        set_seeds_of_word(n, p, &b);
    }
    return b;
}

static unsigned capacity_of(const struct predict_case *c, enum quantity_stage stage)
{
    enum predict_input input = stage == QUANTITY_1A    ? PREDICT_K_1A
                               : stage == QUANTITY_1BP ? PREDICT_K_1BP
                               : stage == QUANTITY_1BD ? PREDICT_K_1BD
                                                       : PREDICT_K_2;
    return (unsigned)c->value[input];
}

/* The scv of the services with which Pollaczek and Khinchine have this mean queue, with arrivals one by one. */
static double scv_of(const struct queue_result *mean)
{
    return mean->rho > 0 ? fmax(0, 2 * mean->n_q * (1 - mean->rho) / (mean->rho * mean->rho) - 1) : 0;
}

/* Probabilities of 0, 1, ... that wait, in the elements of the model. */
static int find_waits(const struct prediction *p, enum quantity_stage stage, enum verdict_model model,
                      double *waits, size_t count)
{
    const struct queue_result *mean = &verdict_queue(p, stage, model)->mean;
    bool loses = model == VERDICT_MM1K || model == VERDICT_MM1K_DOR || model == VERDICT_FIVE;
    unsigned k = capacity_of(p->inputs, stage);
    if (model == VERDICT_MM1 || (loses && k == 0))
        return queue_length_mg1(mean->rho, 1, waits, count);
    if (loses)
        return queue_length_mm1k(mean->rho_offered, k, waits, count);
    const struct arrival_batches b = batches_of(p->inputs, stage, model);
    double scv = model == VERDICT_MD1 ? 0 : scv_of(&verdict_queue(p, stage, VERDICT_MG1)->mean);
    return queue_length_mxg1(mean->rho, scv, b.p, b.largest, waits, count);
}

/* Words of which any w-mer waits: none, then the sums over each group. */
static void group(const double *waits, size_t count, unsigned size, struct queue_distribution *out)
{
    for (size_t n = 0; n < out->count; n++)
        out->p[n] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = (i + size - 1) / size;
        if (n < out->count)
            out->p[n] += waits[i];
    }
}

/* Its ingress FIFO holds words. */
static int find_in_tandem(const struct prediction *p, enum quantity_stage stage, double *lengths,
                          size_t count)
{
    enum mercury_tandem_stage of = stage == QUANTITY_1A    ? MERCURY_TANDEM_1A
                                   : stage == QUANTITY_1BP ? MERCURY_TANDEM_1BP
                                   : stage == QUANTITY_1BD ? MERCURY_TANDEM_1BD
                                                           : MERCURY_TANDEM_2;
    return prediction_tandem_lengths(p->inputs, of, lengths, count);
}

int queue_distribution_find(const struct prediction *p, enum quantity_stage stage, enum verdict_model model,
                            unsigned places, struct queue_distribution *out)
{
    int status = model == VERDICT_BLOCKING ? 0 : verdict_queue(p, stage, model)->status;
    unsigned size = stage == QUANTITY_1A && model != VERDICT_BLOCKING ? wmers_per_word(p->inputs) : 1;
    size_t count = (size_t)places * size + 1;
    *out = (struct queue_distribution){.why_not = status ? model_error_text(status) : NULL,
                                       .count = (size_t)places + 1};
    if (!out->why_not && count > QUEUE_DISTRIBUTION_MAX)
        out->why_not = "too many places";
    if (out->why_not)
        return out->count = 0;
    double *waits = malloc(count * sizeof *waits);
    if (!waits)
        return MODEL_EMEMORY;
    status = model == VERDICT_BLOCKING ? find_in_tandem(p, stage, waits, count)
                                       : find_waits(p, stage, model, waits, count);
    if (status)
        *out = (struct queue_distribution){.why_not = model_error_text(status)};
    else
        group(waits, count, size, out);
    free(waits);
    return status == MODEL_EMEMORY ? status : 0;
}

/* --- beside what was measured ------------------------------------------------------------------------------ */

double queue_distribution_between(const struct queue_distribution *d, double from, double to)
{
    double sum = 0;
    for (size_t n = (size_t)fmax(0, from); n < d->count && (double)n <= to; n++)
        sum += d->p[n];
    return sum;
}

double queue_distribution_at_least(const struct queue_distribution *d, double n)
{
    static const double rounding = 1e-12; /* of the sum */
    double rest = n <= 0 ? 1 : 1 - queue_distribution_between(d, 0, n - 1);
    return rest < rounding ? 0 : rest;
}

double queue_distribution_distance(const struct queue_distribution *d, const struct queue_bin *bins,
                                   size_t count)
{
    double apart = 0, expected = 0;
    for (size_t i = 0; i < count; i++) {
        double p = queue_distribution_between(d, bins[i].from, bins[i].to);
        apart += fabs(bins[i].fraction - p);
        expected += p;
    }
    return (apart + fmax(0, 1 - expected)) / 2;
}

double queue_bins_at_least(const struct queue_bin *bins, size_t count, double n)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct queue_bin *bin = &bins[i];
        double width = bin->to - bin->from + 1, part = fmin(1, (bin->to - n + 1) / width);
        if (bin->to >= n)
            sum += bin->from >= n || isinf(bin->to) ? bin->fraction : part * bin->fraction;
    }
    return sum;
}
