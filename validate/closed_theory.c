#include "validate/closed_theory.h"

#include <math.h>
#include <stdlib.h>

#include "model/closed/linearizer.h"
#include "model/model_error.h"

/* Whether a customer may have to wait for a server. */
static bool has_queue(const struct queue_network *n, const struct queue_network_centre *c)
{
    unsigned customers = 0;
    for (unsigned r = 0; r < n->class_count; r++)
        customers += n->classes[r].population;
    return c->speeds || (c->servers > 0 && c->servers < customers);
}

/* @return false if memory is exhausted */
static bool fill_centre(const struct queue_network *n, unsigned i, struct closed_centre *c)
{
    const struct queue_network_centre *from = &n->centres[i];
    double *rates = from->speeds ? calloc(from->speed_count, sizeof *rates) : NULL;
    *c = (struct closed_centre){.mu_per_s = from->service.mu_per_s,
                                .servers = from->servers,
                                .rates_per_s = rates,
                                .rate_count = from->speed_count};
    for (unsigned k = 0; rates && k < from->speed_count; k++)
        rates[k] = from->service.mu_per_s * from->speeds[k];
    for (unsigned r = 0; r < n->class_count; r++)
        c->visits[r] = n->classes[r].visits[i];
    return rates || !from->speeds;
}

static void take_centre(const struct queue_network *n, const struct closed_network *model, unsigned i,
                        struct closed_theory *out)
{
    const struct queue_network_centre *c = &n->centres[i];
    const struct closed_result *r = &out->classes;
    const bool is_delay = c->servers == 0 && !c->speeds;
    double number = 0, rate_per_s = 0;
    for (unsigned k = 0; k < n->class_count; k++) {
        number += r->n[i][k];
        rate_per_s += model->centres[i].visits[k] * r->x_per_s[k];
    }
    out->centre[i][QUEUE_NETWORK_N] = number;
    out->centre[i][QUEUE_NETWORK_W] = rate_per_s > 0 ? number / rate_per_s : NAN;
    out->centre[i][QUEUE_NETWORK_N_Q] = is_delay ? NAN : has_queue(n, c) ? number - r->busy[i] : 0;
    out->centre[i][QUEUE_NETWORK_UTILISATION] = is_delay ? NAN : r->busy[i] / (c->speeds ? 1 : c->servers);
}

static int solve(const struct queue_network *n, const struct closed_network *model, struct closed_theory *out)
{
    out->states = closed_network_states(model);
    int status = closed_network_solve(model, &out->classes);
    if (status == MODEL_EREACH) {
        out->is_large = true;
        out->model = "Linearizer";
        status = linearizer_solve(model, &out->classes);
    }
    if (status == MODEL_EMEMORY)
        return -1;
    out->why_not = status ? model_error_text(status) : NULL;
    for (unsigned i = 0; i < n->centre_count; i++)
        take_centre(n, model, i, out);
    return 0;
}

bool closed_theory_is_exact(const struct closed_theory *t)
{
    return !t->why_not && !t->is_large && t->assumption < 0;
}

int closed_theory_predict(const struct queue_network *n, struct closed_theory *out)
{
    struct closed_network *model = calloc(1, sizeof *model);
    bool filled = model != NULL;
    *out = (struct closed_theory){.model = "MVA", .assumption = -1};
    for (unsigned i = 0; filled && i < n->centre_count; i++) {
        const struct queue_network_centre *c = &n->centres[i];
        filled = fill_centre(n, i, &model->centres[i]);
        model->centres[i].p = out->p[i];
        model->centres[i].p_count = QUEUE_LINE_NUMBERS;
        for (unsigned k = 0; k < QUEUE_LINE_NUMBERS; k++)
            out->p[i][k] = NAN;
        model->centre_count++;
        if (out->assumption < 0 && !duration_is_exponential(&c->service.service) && has_queue(n, c))
            out->assumption = (int)i;
        out->seidmann = out->seidmann || (has_queue(n, c) && c->servers > 1);
    }
    for (unsigned r = 0; filled && r < n->class_count; r++)
        model->population[model->class_count++] = n->classes[r].population;
    int status = filled ? solve(n, model, out) : -1;
    for (unsigned i = 0; model && i < model->centre_count; i++)
        free((double *)model->centres[i].rates_per_s);
    free(model);
    return status;
}
