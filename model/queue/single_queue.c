#include "model/queue/single_queue.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "model/model_error.h"
#include "model/numbers.h"
#include "model/root.h"

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

void queue_result_wait(double met, double mu_per_s, struct queue_result *out)
{
    out->n_q = out->rho * met;
    out->n_g = out->rho * (1 + met);
    out->w_q_s = met / mu_per_s;
    out->w_g_s = (1 + met) / mu_per_s;
}

/* mu - lambda, not 1 - rho: the difference of close doubles is exact, that of a rounded quotient is not. */
int queue_result_begin(double lambda_per_s, double mu_per_s, struct queue_result *out)
{
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    *out = queue_result_none();
    if (status || lambda_per_s >= mu_per_s)
        return status ? status : MODEL_EUNSTABLE;
    out->rho = out->rho_offered = lambda_per_s / mu_per_s;
    out->p_0 = (mu_per_s - lambda_per_s) / mu_per_s;
    out->lambda_per_s = out->lambda_offered_per_s = lambda_per_s;
    return 0;
}

/* --- M/M/1 ----------------------------------------------------------------------------------------------- */

int mm1_solve(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out)
{
    int status = queue_result_begin(lambda_per_s, mu_per_s, out);
    if (status)
        return status;
    double spare_per_s = mu_per_s - lambda_per_s;
    out->n_g = lambda_per_s / spare_per_s;
    out->n_q = out->rho * out->n_g;
    out->w_g_s = 1 / spare_per_s;
    out->w_q_s = out->rho / spare_per_s;
    if (k > 0) {
        out->p_bp = pow(out->rho, k);
        out->p_k = out->p_0 * out->p_bp;
    }
    return 0;
}

/* --- M/G/1 and M^[X]/G/1 --------------------------------------------------------------------------------- */

/* Relative error of moments that were computed from counts and decimals. */
#define ROUNDING 1e-9

double batch_second_least(double mean)
{
    double beyond = mean - floor(mean);
    return mean * mean + beyond * (1 - beyond);
}

/* E[X (X - 1)] / (2 E[X]) elements of its own batch are served before an element on average. They also make the queue
 * of batches longer, as a larger scv does, because the work of a batch is a random sum. */
int mxg1_solve(double lambda_per_s, double mu_per_s, double service_scv, double batch_mean,
               double batch_second, struct queue_result *out)
{
    *out = queue_result_none();
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    if (status)
        return status;
    if (!isfinite(service_scv) || service_scv < 0)
        return MODEL_ESCV;
    if (lambda_per_s >= mu_per_s)
        return MODEL_EUNSTABLE;
    if (!isfinite(batch_mean) || batch_mean < 1 || !isfinite(batch_second) ||
        batch_second < batch_second_least(batch_mean) * (1 - ROUNDING))
        return MODEL_EBATCH;
    double others = fmax(0, batch_second / batch_mean - 1) / 2;
    queue_result_begin(lambda_per_s, mu_per_s, out);
    /* the mean number of services for which an element waits: rho/(1 - rho) (1 + scv)/2, and those of its batch */
    double met = lambda_per_s / (mu_per_s - lambda_per_s) * (1 + service_scv) / 2 + others / out->p_0;
    queue_result_wait(met, mu_per_s, out);
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

/* --- M/M/1/K ---------------------------------------------------------------------------------------------- */

/* Everything of M/M/1/K is a function of x = ln rho_o, so that rho_o = 1 is x = 0 and powers are exponentials:
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
    queue_result_wait(met, mu_per_s, out);
}

static int check_arguments(double lambda_per_s, double mu_per_s, unsigned k)
{
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    return status == 0 && k < 1 ? MODEL_ECAPACITY : status;
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

/* Brackets: rho_actual(x) <= e^x and P_0(x) <= e^(-K x), so one step of e beyond each is safely on the other
 * side. */
static int solve_offered_log(struct offered_equation *equation, double *x)
{
    double at_one = offered_residual(0, equation);
    if (at_one == 0) {
        *x = 0;
        return 0;
    }
    double low = at_one > 0 ? equation->log_rho - 1 : 0;
    double high = at_one > 0 ? 0 : (1 - equation->log_idle) / equation->k;
    return root_find(offered_residual, equation, low, high, 1e-18 / equation->k, 4 * DBL_EPSILON, x);
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
                  mu_per_s);                            /* the difference is exact, the quotient is not */
    double rho = geometric_ratio(k, k + 1.0, -fabs(x)); /* P[N >= 1] */
    fill_result(x, x > 0 ? rho : exp(x) * rho, mu_per_s, k, out);
    out->rho_offered = rho_offered;
    out->lambda_offered_per_s = lambda_offered_per_s;
    return 0;
}

int mm1k_p_equal(double rho_offered, unsigned k, unsigned n, double *out)
{
    int status = !is_not_negative(rho_offered) ? MODEL_ELOAD : k < 1 ? MODEL_ECAPACITY : 0;
    *out = status ? NAN : n > k ? 0 : p_equal(log(rho_offered), k, n);
    return status;
}

/* --- M/M/c and M/M/c/K ------------------------------------------------------------------------------------- */

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

static void fill_several(double lambda_per_s, double mu_per_s, unsigned servers, unsigned busiest,
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
        double never = k > 0 ? 0 : NAN;
        *out = (struct queue_result){.p_0 = 1, .w_g_s = 1 / mu_per_s, .p_k = never, .p_bp = never};
        return 0;
    }
    unsigned busiest = k > 0 && k < servers ? k : servers; /* servers beyond the places are never used */
    double ratio = lambda_per_s / (busiest * mu_per_s);
    struct tail tail = {.first = 1, .all = 1 / (1 - ratio), .queue = ratio / ((1 - ratio) * (1 - ratio))};
    if (k > 0)
        tail = tail_with_bound(ratio, k - busiest);
    fill_several(lambda_per_s, mu_per_s, servers, busiest, &tail, k > 0, out);
    return 0;
}
