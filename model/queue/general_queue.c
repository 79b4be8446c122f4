#include "model/queue/general_queue.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model_error.h"
#include "model/numbers.h"

/* --- M/G/1/K --------------------------------------------------------------------------------------------- */

/* What comes together less often than that is left out; so many more than K are looked at, so that the sum of their
 * probabilities from the last to the first keeps its digits. */
static const double TAIL_LEAST = 1e-18, REST_LEAST = 1e-10;
enum { BEYOND = 200 };

/* Make of P[A = m], the arrivals during a service, P[A > m], summed from the last of `count` numbers, so that small
 * ones keep their digits. What is missing to 1 is beyond the last, unless it is less than `rounding`. */
static void sum_from_last(double *a, size_t count, double rounding)
{
    double rest = 1;
    for (size_t m = 0; m < count; m++)
        rest -= a[m];
    rest = rest >= rounding ? rest : 0;
    for (size_t m = count; m-- > 0;) {
        const double equal = a[m];
        a[m] = rest;
        rest += equal;
    }
}

/* Balance at level j: p[j + 1] none = p[0] above[j] + sum over i of p[i] above[j - i + 1]. In place, `p` becomes the
 * `k` numbers that departures leave behind, in units of p[0]. @param tail  of `above` @return their sum */
static double find_left_behind(const double *above, size_t tail, double none, size_t k, double *p)
{
    double sum = p[0];
    for (size_t j = 0; j + 1 < k; j++) {
        double up = j < tail ? p[0] * above[j] : 0;
        for (size_t i = j + 1 < tail ? 1 : j + 2 - tail; i <= j; i++)
            up += p[i] * above[j - i + 1];
        p[j + 1] = up / none;
        sum += p[j + 1];
        if (sum > 1e200) { /* far above saturation: the first ones are 0 */
            for (size_t i = 0; i <= j + 1; i++)
                p[i] /= sum;
            sum = 1;
        }
    }
    return sum;
}

int mg1k_solve(double lambda_offered_per_s, double mu_per_s, const struct duration *service, unsigned k,
               double *p, struct queue_result *out)
{
    *out = queue_result_none();
    int status = queue_rates_check(lambda_offered_per_s, mu_per_s);
    if (status == 0 && (k < 1 || k > MG1K_PLACES_MAX))
        status = MODEL_ECAPACITY;
    if (status)
        return status;
    double *above = memory_take((k + BEYOND) * sizeof *above), *own = memory_take((k + 1) * sizeof *own);
    double *number = p ? p : own, n_q = 0; /* n_g - rho would cancel */
    const double rho = lambda_offered_per_s / mu_per_s, none = duration_transform(service, rho);
    if (!(none > 0))
        return free(above), free(own), MODEL_ELOAD;
    size_t tail = 0;
    duration_arrivals(service, rho, above, k + BEYOND);
    sum_from_last(above, k + BEYOND, REST_LEAST);
    while (tail < k + BEYOND && above[tail] >= TAIL_LEAST)
        tail++;
    number[0] = 1;
    const double sum = find_left_behind(above, tail, none, k, number);
    /* of a time unit of rho services, a share 1 / (pi_0 + rho) passes until the next arrival that enters */
    const double cycle = number[0] / sum + rho;
    for (unsigned n = 0; n < k; n++) {
        number[n] /= sum * cycle;
        n_q += n > 1 ? (n - 1) * number[n] : 0;
    }
    number[k] = fmax(0, 1 - 1 / cycle);
    n_q += (k - 1) * number[k];
    *out = (struct queue_result){.rho = rho / cycle,
                                 .p_0 = number[0],
                                 .rho_offered = rho,
                                 .lambda_per_s = lambda_offered_per_s / cycle,
                                 .lambda_offered_per_s = lambda_offered_per_s,
                                 .p_k = number[k],
                                 .p_bp = number[k],
                                 .n_g = n_q + rho / cycle,
                                 .n_q = n_q};
    out->w_q_s = rho > 0 ? n_q / out->lambda_per_s : 0;
    out->w_g_s = out->w_q_s + 1 / mu_per_s;
    free(above);
    free(own);
    return 0;
}

/* --- how many wait: M^[X]/G/1 and M/M/1/K ---------------------------------------------------------------- */

/* Services with a smaller scv count as constant; a sum of probabilities may be so far off 1. */
static const double SCV_CONSTANT = 1e-9, ROUNDING = 1e-12;

/* Probabilities of 0, 1, ... arrivals during a service. The number of batches is of Panjer's class: the probability of
 * n is (u + v / n) times that of n - 1. */
static void find_arrivals(double rho, double scv, const double *batch, size_t largest, double *a,
                          size_t count)
{
    double mean = 0;
    for (size_t j = 1; j <= largest; j++)
        mean += (double)j * batch[j - 1];
    double batches = rho / mean, spread = batches * scv, u = 0, v = batches;
    a[0] = exp(-batches);
    if (scv >= SCV_CONSTANT) {
        u = spread / (1 + spread);
        v = (1 / scv - 1) * u;
        a[0] = exp(-log1p(spread) / scv);
    }
    for (size_t k = 1; k < count; k++) {
        a[k] = 0;
        for (size_t j = 1; j <= largest && j <= k; j++)
            a[k] += (u + v * (double)j / (double)k) * batch[j - 1] * a[k - j];
    }
}

int queue_length_mxg1(double rho, double scv, const double *batch, size_t largest, double *waits,
                      size_t count)
{
    if (!(rho >= 0 && rho < 1))
        return MODEL_EUNSTABLE;
    if (!(scv >= 0) || !isfinite(scv))
        return MODEL_ESCV;
    if (largest == 0)
        return MODEL_EBATCH;
    const size_t far = 8 * (count + 1); /* what is beyond is small beside what is at `count` */
    double *more = memory_take(far * sizeof *more), *p = memory_take((count + 1) * sizeof *p);
    find_arrivals(rho, scv, batch, largest, more, far);
    const double none = more[0];
    sum_from_last(more, far, ROUNDING);
    p[0] = 1 - rho;
    find_left_behind(more, far, none, count + 1, p);
    for (size_t n = 0; n < count; n++)
        waits[n] = n == 0 ? p[0] + p[1] : p[n + 1];
    free(more);
    free(p);
    return 0;
}

int queue_length_mm1k(double rho, unsigned k, double *waits, size_t count)
{
    double none = 0;
    if (!(rho >= 0) || !isfinite(rho) || k < 1)
        return MODEL_EUNSTABLE;
    mm1k_p_equal(rho, k, 0, &none);
    for (size_t n = 0; n < count; n++) {
        waits[n] = 0;
        if (n < k)
            mm1k_p_equal(rho, k, (unsigned)n + 1, &waits[n]);
    }
    if (count > 0)
        waits[0] += none;
    return 0;
}

/* --- GI/M/1 ---------------------------------------------------------------------------------------------- */

/* log(transform / s), where `rest` is 1 - s: above 0 below the root, and below 0 between the root and 1. */
static double excess(const struct duration *arrivals, double rho, double s, double rest)
{
    return duration_log_transform(arrivals, rest / rho) - (s < 0.5 ? log(s) : log1p(-rest));
}

/* s / (1 - s) of the root s. Halving finds the smaller one of s and 1 - s, so that neither cancels. */
static double find_met(const struct duration *arrivals, double rho)
{
    bool above = excess(arrivals, rho, 0.5, 0.5) > 0;
    double low = 0, high = 0.5, x = 0.25;
    for (; x > low && x < high; x = (low + high) / 2) {
        bool below_root = excess(arrivals, rho, above ? 1 - x : x, above ? x : 1 - x) > 0;
        if (below_root == above)
            high = x;
        else
            low = x;
    }
    return above ? (1 - x) / x : x / (1 - x);
}

int gim1_solve(double lambda_per_s, double mu_per_s, const struct duration *arrivals,
               struct queue_result *out)
{
    int status = queue_result_begin(lambda_per_s, mu_per_s, out);
    if (status == 0)
        queue_result_wait(out->rho > 0 ? find_met(arrivals, out->rho) : 0, mu_per_s, out);
    return status;
}

/* --- GI/G/c and Kingman ---------------------------------------------------------------------------------- */

int gigc_solve(double lambda_per_s, double mu_per_s, unsigned servers, double arrivals_scv,
               double service_scv, struct queue_result *out)
{
    int status = mmc_solve(lambda_per_s, mu_per_s, servers, 0, out);
    if (status == 0 && (!is_not_negative(arrivals_scv) || !is_not_negative(service_scv)))
        status = MODEL_ESCV;
    if (status) {
        *out = queue_result_none();
        return status;
    }
    out->p_0 = NAN;
    out->n_q *= (arrivals_scv + service_scv) / 2;
    out->w_q_s *= (arrivals_scv + service_scv) / 2;
    out->n_g = out->n_q + lambda_per_s / mu_per_s;
    out->w_g_s = out->w_q_s + 1 / mu_per_s;
    return 0;
}

int kingman_solve(double lambda_per_s, double mu_per_s, double arrivals_scv, double service_scv,
                  struct queue_result *out)
{
    int status = queue_result_begin(lambda_per_s, mu_per_s, out);
    const double rho = out->rho;
    if (status)
        return status;
    if (!is_not_negative(arrivals_scv) || !is_not_negative(service_scv))
        return *out = queue_result_none(), MODEL_ESCV;
    queue_result_wait(rho > 0 ? (arrivals_scv / rho + service_scv * rho) / 2 / (1 - rho) : 0, mu_per_s, out);
    return 0;
}

/* --- M/G/1 of classes ------------------------------------------------------------------------------------ */

int mg1_classes_solve(struct queue_class *classes, unsigned count, bool priority, struct queue_result *sum)
{
    double rest_s = 0, rho = 0, before = 0, lambda_per_s = 0, n_q = 0;
    int status = 0;
    *sum = queue_result_none();
    for (unsigned k = 0; k < count; k++) {
        const struct queue_class *c = &classes[k];
        classes[k].found = *sum;
        status = status ? status : queue_rates_check(c->lambda_per_s, c->mu_per_s);
        status = status || is_not_negative(c->service_scv) ? status : MODEL_ESCV;
        lambda_per_s += c->lambda_per_s;
        rho += c->lambda_per_s / c->mu_per_s;
        rest_s += c->lambda_per_s * (1 + c->service_scv) / (c->mu_per_s * c->mu_per_s) / 2;
    }
    if (status || rho >= 1)
        return status ? status : MODEL_EUNSTABLE;
    for (unsigned k = 0; k < count; k++) {
        struct queue_class *c = &classes[k];
        const double own = c->lambda_per_s / c->mu_per_s, up_to = before + own;
        const double wait_s = rest_s / (priority ? (1 - before) * (1 - up_to) : 1 - rho);
        queue_result_begin(c->lambda_per_s, c->mu_per_s, &c->found);
        queue_result_wait(wait_s * c->mu_per_s, c->mu_per_s, &c->found);
        c->found.p_0 = NAN;
        before = up_to;
        n_q += c->found.n_q;
    }
    queue_result_begin(lambda_per_s, lambda_per_s / rho, sum);
    queue_result_wait(n_q / rho, lambda_per_s / rho, sum);
    return 0;
}
