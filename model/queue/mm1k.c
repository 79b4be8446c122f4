#include "model/queue/mm1k.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#include "model/model_error.h"

/* Everything is a function of x = ln rho_o, so that rho_o = 1 is x = 0 and powers are exponentials:
 *
 *     1 - rho_o^m = -expm1(m x)                  exact near x = 0, where 1 - pow() would cancel
 *     P_n(x; K)   = P_{K-n}(-x; K)               full and empty places change roles: x > 0 is reflected to
 * -x, that is, computed with 1/rho_o, so that nothing overflows
 *
 * k is passed as a double from here on: k + 1 must not wrap around. */

/* (1 - e^(m x)) / (1 - e^(n x)) */
static double geometric_ratio(double m, double n, double x)
{
    return x == 0 ? m / n : expm1(m * x) / expm1(n * x);
}

static double p_equal(double x, double k, double n)
{
    if (x > 0)
        return p_equal(-x, k, k - n);
    double p_empty = geometric_ratio(1, k + 1, x);
    return n == 0 ? p_empty : exp(n * x) * p_empty; /* apart, since x may be -inf */
}

static double p_at_least(double x, double k, double n)
{
    if (x > 0)
        return geometric_ratio(k + 1 - n, k + 1, -x);
    double tail = geometric_ratio(k + 1 - n, k + 1, x);
    return n == 0 ? tail : exp(n * x) * tail;
}

/* 1/(e^t - 1) - 1/t + 1/2 = sum of B_2j t^(2j-1) / (2j)!, j >= 1 (B: Bernoulli numbers; Abramowitz and Stegun
 * 23.1.1). Eight terms leave (0.5 / 2 pi)^16 = 2.6e-18 of the first. */
static double bose_remainder(double t)
{
    static const double coefficient[] = {1.0 / 12,          -1.0 / 720,
                                         1.0 / 30240,       -1.0 / 1209600,
                                         1.0 / 47900160,    -691.0 / 1307674368000.0,
                                         1.0 / 74724249600, -3617.0 / 10670622842880000.0};
    if (fabs(t) >= 0.5)
        return 1 / expm1(t) - 1 / t + 0.5;
    double sum = 0;
    for (int j = 7; j >= 0; j--)
        sum = sum * t * t + coefficient[j];
    return sum * t;
}

/* N_G = rho_o/(1 - rho_o) - (K+1) rho_o^(K+1)/(1 - rho_o^(K+1)), with t = -x:
 *     N_G = 1/(e^t - 1) - (K+1)/(e^((K+1) t) - 1).
 * Near t = 0 both terms are 1/t; taken out of both by bose_remainder, they cancel on paper and K/2 stays. */
static double mean_jobs(double x, double k)
{
    if (x > 0)
        return k - mean_jobs(-x, k);
    double t = -x;
    if ((k + 1) * t < 1)
        return k / 2 + bose_remainder(t) - (k + 1) * bose_remainder((k + 1) * t);
    return 1 / expm1(t) - (k + 1) / expm1((k + 1) * t);
}

/* An element that enters finds n < K others with the probability P_n of a stage of K - 1 places, so it waits
 * for mean_jobs(x, K - 1) services; Little's law makes N_Q and N_G of it, without the difference N_G - (1 -
 * P_0). */
static void fill_result(double x, double rho, double mu_per_s, double k, struct queue_result *out)
{
    double met = mean_jobs(x, k - 1);
    out->rho = rho;
    out->p_0 = p_equal(x, k, 0);
    out->rho_offered = exp(x);
    out->lambda_per_s = rho * mu_per_s;
    out->lambda_offered_per_s = out->rho_offered * mu_per_s;
    out->p_k = out->p_bp = p_equal(x, k, k);
    out->n_q = rho * met;
    out->n_g = rho * (1 + met);
    out->w_q_s = met / mu_per_s;
    out->w_g_s = (1 + met) / mu_per_s;
}

static int check_arguments(double lambda_per_s, double mu_per_s, unsigned k)
{
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    return status == 0 && k < 1 ? MODEL_ECAPACITY : status;
}

static int check_load(double rho_offered, unsigned k)
{
    if (!isfinite(rho_offered) || rho_offered < 0)
        return MODEL_ELOAD;
    return k < 1 ? MODEL_ECAPACITY : 0;
}

/* The equation for x, written for whichever of rho_actual and 1 - rho_actual is small, in logarithms: full
 * relative precision at both ends. Both forms increase with x. */
struct offered_equation {
    double k;
    double log_rho;  /* ln rho_actual */
    double log_idle; /* ln (1 - rho_actual) = ln P_0 */
};

static double log_p_empty(double x, double k)
{
    return x > 0 ? -k * x + log(geometric_ratio(1, k + 1, -x)) : log(geometric_ratio(1, k + 1, x));
}

static double offered_residual(double x, void *params)
{
    const struct offered_equation *equation = params;
    if (equation->log_rho > -M_LN2)
        return equation->log_idle - log_p_empty(x, equation->k);
    /* rho_actual < 1/2 <= K/(K+1): the root is negative */
    return x + log(geometric_ratio(equation->k, equation->k + 1, x)) - equation->log_rho;
}

static int find_root(gsl_root_fsolver *solver, struct offered_equation *equation, double low, double high,
                     double *x)
{
    enum { ITERATIONS_MAX = 500 };
    gsl_function function = {offered_residual, equation};
    int status = gsl_root_fsolver_set(solver, &function, low, high);
    for (int i = 0; i < ITERATIONS_MAX && !status; i++) {
        status = gsl_root_fsolver_iterate(solver);
        low = gsl_root_fsolver_x_lower(solver);
        high = gsl_root_fsolver_x_upper(solver);
        if (!status &&
            gsl_root_test_interval(low, high, 1e-18 / equation->k, 4 * DBL_EPSILON) == GSL_SUCCESS) {
            *x = gsl_root_fsolver_root(solver);
            return 0;
        }
    }
    return MODEL_ECONVERGE;
}

/* Brackets: rho_actual(x) <= e^x and P_0(x) <= e^(-K x), so one step of e beyond each is safely on the other
 * side. */
static int solve_offered_log(struct offered_equation *equation, double *x)
{
    double at_one = offered_residual(0, equation);
    if (at_one == 0) {
        *x = 0;
        return 0;
    }
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int error = MODEL_EMEMORY;
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver && at_one > 0)
        error = find_root(solver, equation, equation->log_rho - 1, 0, x);
    else if (solver)
        error = find_root(solver, equation, 0, (1 - equation->log_idle) / equation->k, x);
    if (solver)
        gsl_root_fsolver_free(solver);
    gsl_set_error_handler(handler);
    return error;
}

int mm1k_solve_actual(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out)
{
    *out = queue_result_none();
    int status = check_arguments(lambda_per_s, mu_per_s, k);
    if (status)
        return status;
    if (lambda_per_s >= mu_per_s)
        return MODEL_ENOSOLUTION;
    double rho = lambda_per_s / mu_per_s;
    double x = -INFINITY;
    if (rho > 0) {
        struct offered_equation equation = {k, log(rho), log((mu_per_s - lambda_per_s) / mu_per_s)};
        int error = solve_offered_log(&equation, &x);
        if (error)
            return error;
    }
    fill_result(x, rho, mu_per_s, k, out);
    out->lambda_per_s = lambda_per_s;
    out->p_0 = (mu_per_s - lambda_per_s) / mu_per_s; /* exact, however far K is */
    return 0;
}

int mm1k_solve_offered(double lambda_offered_per_s, double mu_per_s, unsigned k, struct queue_result *out)
{
    *out = queue_result_none();
    int status = check_arguments(lambda_offered_per_s, mu_per_s, k);
    if (status)
        return status;
    double rho_offered = lambda_offered_per_s / mu_per_s;
    double x = log(rho_offered);
    if (fabs(rho_offered - 1) < 0.5)
        x = log1p((lambda_offered_per_s - mu_per_s) /
                  mu_per_s); /* the difference is exact, the quotient is not */
    fill_result(x, p_at_least(x, k, 1), mu_per_s, k, out);
    out->rho_offered = rho_offered;
    out->lambda_offered_per_s = lambda_offered_per_s;
    return 0;
}

int mm1k_p_equal(double rho_offered, unsigned k, unsigned n, double *out)
{
    int status = check_load(rho_offered, k);
    *out = status ? NAN : n > k ? 0 : p_equal(log(rho_offered), k, n);
    return status;
}

int mm1k_p_at_least(double rho_offered, unsigned k, unsigned n, double *out)
{
    int status = check_load(rho_offered, k);
    *out = status ? NAN : n > k ? 0 : p_at_least(log(rho_offered), k, n);
    return status;
}
