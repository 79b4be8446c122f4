#include "model/queue/em1.h"

#include <math.h>
#include <stdbool.h>

#include "model/model_error.h"

/* log(transform / s), where `rest` is 1 - s: above 0 below the root, and below 0 between the root and 1. */
static double excess(double rho, double n, double s, double rest)
{
    return -n * log1p(rest / (n * rho)) - (s < 0.5 ? log(s) : log1p(-rest));
}

/* s / (1 - s) of the root s. Halving finds the smaller one of s and 1 - s, so that neither cancels. */
static double find_met(double rho, double n)
{
    bool above = excess(rho, n, 0.5, 0.5) > 0;
    double low = 0, high = 0.5, x = 0.25;
    for (; x > low && x < high; x = (low + high) / 2) {
        bool below_root = excess(rho, n, above ? 1 - x : x, above ? x : 1 - x) > 0;
        if (below_root == above)
            high = x;
        else
            low = x;
    }
    return above ? (1 - x) / x : x / (1 - x);
}

int em1_solve(double lambda_per_s, double mu_per_s, unsigned phases, struct queue_result *out)
{
    *out = queue_result_none();
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    if (status == 0 && phases == 0)
        status = MODEL_EBATCH;
    if (status == 0 && lambda_per_s >= mu_per_s)
        status = MODEL_EUNSTABLE;
    if (status)
        return status;
    double rho = lambda_per_s / mu_per_s;
    double met = rho > 0 ? find_met(rho, phases) : 0; /* services for which an element waits */
    out->rho = out->rho_offered = rho;
    out->p_0 = (mu_per_s - lambda_per_s) / mu_per_s;
    out->lambda_per_s = out->lambda_offered_per_s = lambda_per_s;
    out->n_q = rho * met;
    out->n_g = rho * (1 + met);
    out->w_q_s = met / mu_per_s;
    out->w_g_s = (1 + met) / mu_per_s;
    return 0;
}
