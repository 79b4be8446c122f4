#include "model/closed/linearizer.h"

#include <math.h>
#include <stdbool.h>

#include "model/model_error.h"

enum { REFINEMENTS = 3, ITERATIONS_MAX = 100000 };

static const double SETTLED = 1e-13; /* greatest change of a fraction in the last iteration */

struct estimate_of_network {
    const struct closed_network *network;
    double queue_s[CLOSED_CENTRES_MAX], delay_s[CLOSED_CENTRES_MAX]; /* of a service, with a queue or not */
    double population[CLOSED_CLASSES_MAX];
    double fraction[CLOSED_CENTRES_MAX][CLOSED_CLASSES_MAX]; /* of a class that is at a centre */
    double x_per_s[CLOSED_CLASSES_MAX], w_s[CLOSED_CENTRES_MAX][CLOSED_CLASSES_MAX];
};

/* change[i][s][r]: by how much the fraction of class s at centre i grows if class r loses a customer. */
struct changes {
    double of[CLOSED_CENTRES_MAX][CLOSED_CLASSES_MAX][CLOSED_CLASSES_MAX];
};

/* One step of mean value analysis for class r. @return the passages per second */
static double find_times(struct estimate_of_network *e, const struct changes *changes, unsigned r)
{
    double passage_s = 0;
    for (unsigned i = 0; i < e->network->centre_count; i++) {
        double found = 0; /* by a customer of class r who comes to the centre */
        for (unsigned s = 0; s < e->network->class_count; s++)
            found += (e->population[s] - (s == r)) * fmax(0, e->fraction[i][s] + changes->of[i][s][r]);
        e->w_s[i][r] = e->delay_s[i] + e->queue_s[i] * (1 + found);
        passage_s += e->network->centres[i].visits[r] * e->w_s[i][r];
    }
    return e->population[r] / passage_s;
}

/* @return the greatest change of a fraction */
static double iterate(struct estimate_of_network *e, const struct changes *changes)
{
    double greatest = 0;
    struct estimate_of_network last = *e;
    for (unsigned r = 0; r < e->network->class_count; r++) {
        e->x_per_s[r] = 0;
        if (e->population[r] < 0.5) /* its only customer is left out */
            continue;
        e->x_per_s[r] = find_times(&last, changes, r);
        for (unsigned i = 0; i < e->network->centre_count; i++) {
            double visits = e->network->centres[i].visits[r];
            e->w_s[i][r] = last.w_s[i][r];
            e->fraction[i][r] = visits * e->x_per_s[r] * (e->w_s[i][r] - e->delay_s[i]) / e->population[r];
            greatest = fmax(greatest, fabs(e->fraction[i][r] - last.fraction[i][r]));
        }
    }
    return greatest;
}

static bool settle(struct estimate_of_network *e, const struct changes *changes)
{
    for (unsigned i = 0; i < ITERATIONS_MAX; i++)
        if (iterate(e, changes) <= SETTLED)
            return true;
    return false;
}

/* Solve the network without one customer of each class in turn, to see by how much the fractions change. */
static bool find_changes(const struct estimate_of_network *e, struct changes *changes)
{
    struct changes found = {.of = {{{0}}}};
    for (unsigned r = 0; r < e->network->class_count; r++) {
        struct estimate_of_network less = *e;
        less.population[r]--;
        if (!settle(&less, changes))
            return false;
        for (unsigned i = 0; i < e->network->centre_count; i++)
            for (unsigned s = 0; s < e->network->class_count; s++)
                found.of[i][s][r] = less.population[s] < 0.5 ? 0 : less.fraction[i][s] - e->fraction[i][s];
    }
    *changes = found;
    return true;
}

static void take_answers(const struct estimate_of_network *e, struct closed_result *out)
{
    for (unsigned i = 0; i < e->network->centre_count; i++)
        out->busy[i] = 0;
    for (unsigned r = 0; r < e->network->class_count; r++) {
        out->x_per_s[r] = e->x_per_s[r];
        for (unsigned i = 0; i < e->network->centre_count; i++) {
            const struct closed_centre *c = &e->network->centres[i];
            double rate_per_s = c->visits[r] * e->x_per_s[r];
            out->w_s[i][r] = c->visits[r] > 0 ? e->w_s[i][r] : NAN;
            out->n[i][r] = rate_per_s * e->w_s[i][r];
            out->busy[i] += rate_per_s / c->mu_per_s;
        }
    }
}

int linearizer_solve(const struct closed_network *network, struct closed_result *out)
{
    struct estimate_of_network e = {.network = network};
    struct changes changes = {.of = {{{0}}}};
    *out = closed_result_none();
    int status = closed_network_check(network);
    for (unsigned i = 0; status == 0 && i < network->centre_count; i++)
        status = network->centres[i].speeds ? MODEL_ELOADRATES : 0;
    if (status)
        return status;
    for (unsigned i = 0; i < network->centre_count; i++) {
        const struct closed_centre *c = &network->centres[i];
        double servers = closed_centre_is_delay(network, i) ? 0 : c->servers;
        e.queue_s[i] = servers > 0 ? 1 / (servers * c->mu_per_s) : 0;
        e.delay_s[i] = servers > 0 ? (servers - 1) / (servers * c->mu_per_s) : 1 / c->mu_per_s;
    }
    for (unsigned r = 0; r < network->class_count; r++) { /* it begins evenly */
        double visited = 0;
        e.population[r] = network->population[r];
        for (unsigned i = 0; i < network->centre_count; i++)
            visited += network->centres[i].visits[r] > 0;
        for (unsigned i = 0; i < network->centre_count; i++)
            e.fraction[i][r] = (network->centres[i].visits[r] > 0) / visited;
    }
    bool settled = settle(&e, &changes);
    for (unsigned i = 0; settled && i < REFINEMENTS; i++)
        settled = find_changes(&e, &changes) && settle(&e, &changes);
    if (!settled)
        return MODEL_ECONVERGE;
    take_answers(&e, out);
    return 0;
}
