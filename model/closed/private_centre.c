#include "model/closed/private_centre.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/closed/closed_network.h"
#include "model/model_error.h"
#include "model/numbers.h"
#include "model/root.h"

enum { PRIVATE, SHARED, POPULATION_MOST = 100000 };

static const double FLAT = 1e-5; /* w that grows by less, as a part of itself, has stopped growing */

struct search {
    struct closed_network network;
    double x_per_s;
    int status; /* of the last solution */
};

static struct closed_result solve_at(struct search *s, double log_mu)
{
    struct closed_result r;
    s->network.centres[PRIVATE].mu_per_s = exp(log_mu);
    s->status = closed_network_solve(&s->network, &r);
    return r;
}

static double residual(double log_mu, void *search)
{
    struct search *s = search;
    struct closed_result r = solve_at(s, log_mu);
    return s->status ? 0 : log(r.x_per_s[0] / s->x_per_s);
}

/* The private centre alone serves at most min(N, C) mu (with alpha: mu, as C is 1 then), so mu is at least x /
 * min(N, C); from there it is doubled until the throughput is reached. */
static int find_log_mu(struct search *s, double *log_mu)
{
    enum { DOUBLINGS_MAX = 60 };
    unsigned servers = s->network.centres[PRIVATE].servers, population = s->network.population[0];
    double low = log(s->x_per_s / (servers < population ? servers : population)), high = low;
    bool reached = false;
    for (int i = 0; i < DOUBLINGS_MAX && !reached && !s->status; i++) {
        high += M_LN2;
        reached = residual(high, s) > 0;
    }
    if (!reached)
        return s->status ? s->status : MODEL_ENOSOLUTION;
    int status = root_find(residual, s, low - 1e-9, high, 8 * DBL_EPSILON, 8 * DBL_EPSILON, log_mu);
    return s->status ? s->status : status;
}

static int check(double x_per_s, double shared_s, unsigned servers, double alpha, unsigned population)
{
    if (!is_positive(x_per_s))
        return MODEL_EARRIVALS;
    if (!is_positive(shared_s) || servers < 1 || !is_not_negative(alpha))
        return MODEL_ESERVICE;
    if (population < 1 || population > POPULATION_MOST)
        return MODEL_EPOPULATION;
    /* one customer alone is at the shared centre for x s of the time; several, for less than all of it */
    return x_per_s * shared_s >= 1 ? MODEL_ENOSOLUTION : 0;
}

int private_centre_of_population(double x_per_s, double shared_s, unsigned servers, double alpha,
                                 unsigned population, struct private_centre *out)
{
    int status = check(x_per_s, shared_s, servers, alpha, population);
    if (status)
        return status;
    auto_free double *speeds = alpha > 0 ? closed_power_speeds(alpha, population) : NULL;
    struct search s = {.x_per_s = x_per_s,
                       .network = {.centre_count = 2,
                                   .class_count = 1,
                                   .population = {population},
                                   .centres = {[PRIVATE] = {.servers = alpha > 0 ? 1 : servers,
                                                            .speeds = speeds,
                                                            .speed_count = population,
                                                            .visits = {1}},
                                               [SHARED] = {1 / shared_s, .servers = 1, .visits = {1}}}}};
    double log_mu = 0;
    status = find_log_mu(&s, &log_mu);
    if (status == 0) {
        const struct closed_result r = solve_at(&s, log_mu);
        *out =
            (struct private_centre){exp(log_mu), servers, alpha, population, r.x_per_s[0], r.w_s[SHARED][0]};
        status = s.status;
    }
    return status;
}

int private_centre_fit(double x_per_s, double w_s, double shared_s, unsigned servers, double alpha,
                       struct private_centre *out, bool *met)
{
    struct private_centre last, next;
    *met = false;
    if (!is_positive(w_s))
        return MODEL_ESERVICE;
    int status = private_centre_of_population(x_per_s, shared_s, servers, alpha, 1, &next);
    last = next;
    bool grows = true;
    for (unsigned n = 2; status == 0 && n <= POPULATION_MOST && next.w_s < w_s && grows; n++) {
        last = next;
        status = private_centre_of_population(x_per_s, shared_s, servers, alpha, n, &next);
        /* with no more customers than servers, some of these are idle, and w may stand still */
        grows = (alpha == 0 && n <= servers) || next.w_s > last.w_s * (1 + FLAT);
    }
    if (status)
        return status;
    *met = next.w_s >= w_s;
    *out = *met && fabs(last.w_s - w_s) < fabs(next.w_s - w_s) ? last : next;
    return 0;
}

double private_centre_limit_s(double x_per_s, double shared_s)
{
    double load = x_per_s * shared_s;
    return load < 1 ? shared_s / (1 - load) : INFINITY;
}
