#include "model/queue/mm1.h"

#include <math.h>

#include "model/model_error.h"

struct queue_result queue_result_none(void)
{
    return (struct queue_result){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

int queue_rates_check(double lambda_per_s, double mu_per_s)
{
    if (!isfinite(lambda_per_s) || lambda_per_s < 0)
        return MODEL_EARRIVALS;
    if (!isfinite(mu_per_s) || mu_per_s <= 0)
        return MODEL_ESERVICE;
    return isfinite(lambda_per_s / mu_per_s) ? 0 : MODEL_ELOAD;
}

int mm1_solve(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out)
{
    *out = queue_result_none();
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    if (status)
        return status;
    if (lambda_per_s >= mu_per_s)
        return MODEL_EUNSTABLE;
    /* mu - lambda, not 1 - rho: the difference of close doubles is exact, that of a rounded quotient is not.
     */
    double spare_per_s = mu_per_s - lambda_per_s;
    double rho = lambda_per_s / mu_per_s;
    out->rho = out->rho_offered = rho;
    out->p_0 = spare_per_s / mu_per_s;
    out->lambda_per_s = out->lambda_offered_per_s = lambda_per_s;
    out->n_g = lambda_per_s / spare_per_s;
    out->n_q = rho * out->n_g;
    out->w_g_s = 1 / spare_per_s;
    out->w_q_s = rho / spare_per_s;
    if (k > 0) {
        out->p_bp = pow(rho, k);
        out->p_k = spare_per_s / mu_per_s * out->p_bp;
    }
    return 0;
}
