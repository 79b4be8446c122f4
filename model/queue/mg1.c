#include "model/queue/mg1.h"

#include <math.h>

#include "model/model_error.h"

/* Relative error of moments that were computed from counts and decimals. */
#define ROUNDING 1e-9

static int check(double lambda_per_s, double mu_per_s, double service_scv)
{
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    if (status)
        return status;
    if (!isfinite(service_scv) || service_scv < 0)
        return MODEL_ESCV;
    return lambda_per_s >= mu_per_s ? MODEL_EUNSTABLE : 0;
}

double batch_second_least(double mean)
{
    double beyond = mean - floor(mean);
    return mean * mean + beyond * (1 - beyond);
}

static int check_batch(double mean, double second)
{
    if (!isfinite(mean) || mean < 1 || !isfinite(second))
        return MODEL_EBATCH;
    return second >= batch_second_least(mean) * (1 - ROUNDING) ? 0 : MODEL_EBATCH;
}

/* E[X (X - 1)] / (2 E[X]) elements of its own batch are served before an element on average. They also make the queue
 * of batches longer, as a larger scv does, because the work of a batch is a random sum. */
int mxg1_solve(double lambda_per_s, double mu_per_s, double service_scv, double batch_mean,
               double batch_second, struct queue_result *out)
{
    *out = queue_result_none();
    int status = check(lambda_per_s, mu_per_s, service_scv);
    if (status == 0)
        status = check_batch(batch_mean, batch_second);
    if (status)
        return status;
    /* mu - lambda, not 1 - rho: the difference of close doubles is exact. */
    double spare_per_s = mu_per_s - lambda_per_s, rho = lambda_per_s / mu_per_s;
    double others = fmax(0, batch_second / batch_mean - 1) / 2;
    out->rho = out->rho_offered = rho;
    out->p_0 = spare_per_s / mu_per_s;
    out->lambda_per_s = out->lambda_offered_per_s = lambda_per_s;
    /* the mean number of services for which an element waits: rho/(1 - rho) (1 + scv)/2, and those of its batch */
    double met = lambda_per_s / spare_per_s * (1 + service_scv) / 2 + others / out->p_0;
    out->n_q = rho * met;
    out->n_g = rho * (1 + met);
    out->w_q_s = met / mu_per_s;
    out->w_g_s = (1 + met) / mu_per_s;
    return 0;
}

int mg1_solve(double lambda_per_s, double mu_per_s, double service_scv, struct queue_result *out)
{
    return mxg1_solve(lambda_per_s, mu_per_s, service_scv, 1, 1, out);
}

void batch_of_binomial(double n, double p, double *batch_mean, double *batch_second)
{
    double any = p < 1 ? -expm1(n * log1p(-p)) : 1;
    *batch_mean = fmax(1, n * p / any);
    *batch_second = fmax(batch_second_least(*batch_mean), n * p * (1 - p + n * p) / any);
}
