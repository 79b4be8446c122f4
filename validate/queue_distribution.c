#include "validate/queue_distribution.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model_error.h"
#include "model/queue/general_queue.h"

enum { BATCH_MAX = 64 };

/* The arrivals of a stage: `largest` probabilities of batches of 1, 2, ... */
struct arrival_batches {
    double p[BATCH_MAX];
    size_t largest;
};

/* What the models know of a stage. In the tandem, the ingress FIFO of 1a holds words. */
static const struct {
    enum predict_input capacity;
    enum mercury_tandem_stage of_tandem;
} stage_rows[QUANTITY_STAGES] = {
    [QUANTITY_1A] = {PREDICT_K_1A, MERCURY_TANDEM_1A},
    [QUANTITY_1BP] = {PREDICT_K_1BP, MERCURY_TANDEM_1BP},
    [QUANTITY_1BD] = {PREDICT_K_1BD, MERCURY_TANDEM_1BD},
    [QUANTITY_2] = {PREDICT_K_2, MERCURY_TANDEM_2},
};

static unsigned wmers_per_word(const struct predict_case *c)
{
    return (unsigned)fmin(fmax(round(c->value[PREDICT_WMERS_PER_WORD]), 1), BATCH_MAX);
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
        double none = pow(1 - p, n), at = none;
        b.largest = n;
        for (unsigned k = 1; k <= n; k++) { /* Binomial(n, p), if it is not 0 */
            at *= (double)(n - k + 1) / k * p / (1 - p);
            b.p[k - 1] = at / (1 - none);
        }
    }
    return b;
}

/* Probabilities of 0, 1, ... that wait, in the elements of the model. */
static int find_waits(const struct prediction *p, enum quantity_stage stage, enum verdict_model model,
                      double *waits, size_t count)
{
    const struct queue_result *mean = &verdict_queue(p, stage, model)->mean;
    bool loses = model == VERDICT_MM1K || model == VERDICT_MM1K_DOR || model == VERDICT_FIVE;
    unsigned k = (unsigned)p->inputs->value[stage_rows[stage].capacity];
    bool exponential = model == VERDICT_MM1 || (loses && k == 0);
    if (loses && !exponential)
        return queue_length_mm1k(mean->rho_offered, k, waits, count);
    const struct arrival_batches b = batches_of(p->inputs, stage, model);
    /* the scv of services with which Pollaczek and Khinchine have M/G/1's mean queue, with arrivals one by one */
    const double n_q = verdict_queue(p, stage, VERDICT_MG1)->mean.n_q,
                 rho = verdict_queue(p, stage, VERDICT_MG1)->mean.rho;
    double scv = exponential                          ? 1
                 : model == VERDICT_MD1 || !(rho > 0) ? 0
                                                      : fmax(0, 2 * n_q * (1 - rho) / (rho * rho) - 1);
    return queue_length_mxg1(mean->rho, scv, b.p, b.largest, waits, count);
}

void queue_distribution_find(const struct prediction *p, enum quantity_stage stage, enum verdict_model model,
                             unsigned places, struct queue_distribution *out)
{
    int status = model == VERDICT_BLOCKING ? 0 : verdict_queue(p, stage, model)->status;
    unsigned size = stage == QUANTITY_1A && model != VERDICT_BLOCKING ? wmers_per_word(p->inputs) : 1;
    size_t count = (size_t)places * size + 1;
    *out = (struct queue_distribution){.why_not = status ? model_error_text(status) : NULL,
                                       .count = (size_t)places + 1};
    if (!out->why_not && count > QUEUE_DISTRIBUTION_MAX)
        out->why_not = "too many places";
    if (out->why_not) {
        out->count = 0;
        return;
    }
    auto_free double *waits = memory_take(count * sizeof *waits);
    status = model == VERDICT_BLOCKING
                 ? mercury_tandem_lengths(p->inputs->value, stage_rows[stage].of_tandem, waits, count)
                 : find_waits(p, stage, model, waits, count);
    if (status)
        *out = (struct queue_distribution){.why_not = model_error_text(status)};
    for (size_t i = 0; i < count && status == 0; i++) /* words of which any w-mer waits */
        if ((i + size - 1) / size < out->count)
            out->p[(i + size - 1) / size] += waits[i];
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
