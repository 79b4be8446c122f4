#include "model/queue/mmc.h"

#include <math.h>
#include <stdbool.h>

#include "model/model_error.h"
#include "model/numbers.h"

/* 1 / B, B being Erlang's loss of c servers: the sum over n <= c of P_n / P_c. */
static double inverse_erlang_b(double load, unsigned servers)
{
    double inverse = 1;
    for (unsigned c = 1; c <= servers; c++)
        inverse = 1 + inverse * c / load;
    return inverse;
}

/* With one element or more than servers, probabilities are geometric with the ratio r. All weights are in units of the
 * largest one: that of no queue if r <= 1, else that of a full one. */
struct tail {
    double first, last; /* weights of no queue and of a full one */
    double all, queue;  /* sum of the weights; of weight x number in the queue */
};

static struct tail tail_without_bound(double r)
{
    return (struct tail){.first = 1, .all = 1 / (1 - r), .queue = r / ((1 - r) * (1 - r))};
}

static struct tail tail_with_bound(double r, unsigned places)
{
    struct tail tail = {.first = 0};
    double step = r <= 1 ? r : 1 / r, weight = 1;
    for (unsigned i = 0; i <= places && weight > 0; i++, weight *= step) {
        unsigned n = r <= 1 ? i : places - i;
        tail.all += weight;
        tail.queue += weight * n;
        tail.first = n == 0 ? weight : tail.first;
        tail.last = n == places ? weight : tail.last;
    }
    return tail;
}

static void fill(double lambda_per_s, double mu_per_s, unsigned servers, unsigned busiest,
                 const struct tail *tail, bool bounded, struct queue_result *out)
{
    double load = lambda_per_s / mu_per_s;
    double below = tail->first > 0 ? tail->first * (inverse_erlang_b(load, busiest) - 1) : 0;
    double all = below + tail->all;
    double lost = bounded ? tail->last / all : 0;
    out->lambda_offered_per_s = lambda_per_s;
    out->lambda_per_s = lambda_per_s * (1 - lost);
    out->rho_offered = load / servers;
    out->rho = out->lambda_per_s / (servers * mu_per_s);
    /* with so many servers that 1 / B is infinite, nobody ever waits, and numbers are Poisson */
    out->p_0 =
        isfinite(all) ? tail->first / all * exp(lgamma(busiest + 1.0) - busiest * log(load)) : exp(-load);
    out->n_q = tail->queue / all;
    out->n_g = out->n_q + out->lambda_per_s / mu_per_s;
    out->w_q_s = out->n_q / out->lambda_per_s;
    out->w_g_s = out->w_q_s + 1 / mu_per_s;
    if (bounded)
        out->p_k = out->p_bp = lost;
}

static void fill_idle(double mu_per_s, bool bounded, struct queue_result *out)
{
    *out = (struct queue_result){.p_0 = 1, .w_g_s = 1 / mu_per_s};
    if (!bounded)
        out->p_k = out->p_bp = NAN;
}

int mmc_solve(double lambda_per_s, double mu_per_s, unsigned servers, unsigned k, struct queue_result *out)
{
    *out = queue_result_none();
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    if (status)
        return status;
    if (servers < 1 || servers > MMC_SERVERS_MAX || k > MMC_PLACES_MAX)
        return MODEL_ECAPACITY;
    if (k == 0 && lambda_per_s >= servers * mu_per_s)
        return MODEL_EUNSTABLE;
    if (lambda_per_s == 0) {
        fill_idle(mu_per_s, k > 0, out);
        return 0;
    }
    unsigned busiest = k > 0 && k < servers ? k : servers; /* servers beyond the places are never used */
    double ratio = lambda_per_s / (busiest * mu_per_s);
    struct tail tail = k > 0 ? tail_with_bound(ratio, k - busiest) : tail_without_bound(ratio);
    fill(lambda_per_s, mu_per_s, servers, busiest, &tail, k > 0, out);
    return 0;
}

int mgc_solve(double lambda_per_s, double mu_per_s, unsigned servers, double service_scv,
              struct queue_result *out)
{
    int status = mmc_solve(lambda_per_s, mu_per_s, servers, 0, out);
    if (status == 0 && !is_not_negative(service_scv))
        status = MODEL_ESCV;
    if (status) {
        *out = queue_result_none();
        return status;
    }
    out->p_0 = NAN;
    out->n_q *= (1 + service_scv) / 2;
    out->w_q_s *= (1 + service_scv) / 2;
    out->n_g = out->n_q + lambda_per_s / mu_per_s;
    out->w_g_s = out->w_q_s + 1 / mu_per_s;
    return 0;
}
