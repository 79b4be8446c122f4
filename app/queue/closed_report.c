#include "app/queue/closed_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "validate/closed_theory.h"
#include "app/chain/queue_report.h"

enum { COLUMNS = 8, FACT_BYTES = 400 };

struct closed_report {
    const struct queue_network *network;
    const struct queue_network_result *result;
    struct closed_theory theory;
    struct result_table *table;
    unsigned predictions, covered;
    double widest; /* of the rows so far */
    char widest_row[2 * QUEUE_NETWORK_NAME_BYTES + 40];
};

/* --- facts ----------------------------------------------------------------------------------------------- */

static void add_centre(struct closed_report *r, const struct queue_network_centre *c)
{
    static const char *const services[] = {"exponential", "deterministic", "mixture"};
    const bool is_mixture = c->service.service == SERVICE_MIXTURE;
    char name[QUEUE_NETWORK_NAME_BYTES + 16], text[FACT_BYTES], servers[64] = "one for each customer";
    if (c->speeds)
        snprintf(servers, sizeof servers, "%g to %g times that by load", c->speeds[0],
                 c->speeds[c->speed_count - 1]);
    else if (c->servers > 0)
        snprintf(servers, sizeof servers, "%u server%s", c->servers, c->servers > 1 ? "s" : "");
    snprintf(text, sizeof text, "mu %.9g/s, %s, %s", c->service.mu_per_s, services[c->service.service],
             servers);
    if (is_mixture)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %g are %g times as long",
                 c->service.long_fraction, c->service.long_ratio);
    const struct result_member members[] = {
        {"mu_per_s", NUMBER(c->service.mu_per_s)},
        {"service", TEXT(services[c->service.service])},
        {"long_fraction", NUMBER(is_mixture ? c->service.long_fraction : NAN)},
        {"long_ratio", NUMBER(is_mixture ? c->service.long_ratio : NAN)},
        {"servers", NUMBER(!c->speeds && c->servers > 0 ? c->servers : NAN)},
        {"speed_of_one", NUMBER(c->speeds ? c->speeds[0] : NAN)},
        {"speed_of_many", NUMBER(c->speeds ? c->speeds[c->speed_count - 1] : NAN)},
    };
    snprintf(name, sizeof name, "centre_%s", c->name);
    result_table_add_object(r->table, name, text, members, sizeof members / sizeof members[0]);
}

static void add_class(struct closed_report *r, const struct queue_network_class *class)
{
    const struct queue_network *n = r->network;
    char name[QUEUE_NETWORK_NAME_BYTES + 16], text[FACT_BYTES * 2];
    char visits[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_NAME_BYTES + 16];
    struct result_member members[QUEUE_NETWORK_CENTRES_MAX + 1] = {{"population", NUMBER(class->population)}};
    size_t count = 1;
    snprintf(text, sizeof text, "population %u, visits", class->population);
    for (unsigned i = 0; i < n->centre_count; i++) {
        if (!(class->visits[i] > 0))
            continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s %.9g", n->centres[i].name,
                 class->visits[i]);
        snprintf(visits[i], sizeof visits[i], "visits_%s", n->centres[i].name);
        members[count++] = (struct result_member){visits[i], NUMBER(class->visits[i])};
    }
    snprintf(name, sizeof name, "class_%s", class->name);
    result_table_add_object(r->table, name, text, members, count);
}

static void add_facts(struct closed_report *r)
{
    for (unsigned i = 0; i < r->network->centre_count; i++)
        add_centre(r, &r->network->centres[i]);
    for (unsigned k = 0; k < r->network->class_count; k++)
        add_class(r, &r->network->classes[k]);
    result_table_add_fact(r->table, "seed", NUMBER((double)r->network->seed));
    result_table_add_fact(r->table, "services", NUMBER((double)r->result->services));
    result_table_add_fact(r->table, "warm_up_s", NUMBER(r->result->warm_up_s));
    result_table_add_fact(r->table, "measured_s", NUMBER(r->result->measured_s));
    result_table_add_fact(r->table, "batches", NUMBER(r->network->batches));
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static void add_row(struct closed_report *r, const char *centre, const char *class, const char *parameter,
                    const char *unit, const struct estimate *e, double prediction)
{
    if (isnan(e->mean)) /* a class that does not come here, a queue that does not exist */
        return;
    const char *covered = queue_report_covers(prediction, e, 0);
    result_table_add(r->table, TEXT(centre), TEXT(class), TEXT(parameter), TEXT(unit), NUMBER(e->mean),
                     NUMBER(e->half_width), NUMBER(prediction), TEXT(covered));
    r->predictions += *covered != '-';
    r->covered += *covered == 'y';
    if (queue_network_width(e) > r->widest) {
        r->widest = queue_network_width(e);
        snprintf(r->widest_row, sizeof r->widest_row, "%s, %s %s", parameter, centre, class);
    }
}

static void add_rows_of_centre(struct closed_report *r, unsigned i)
{
    const struct queue_network *n = r->network;
    const char *centre = n->centres[i].name, *last = "";
    unsigned classes = 0;
    for (unsigned k = 0; k < n->class_count; k++)
        if (n->classes[k].visits[i] > 0) {
            last = n->classes[k].name;
            classes++;
        }
    for (unsigned q = 0; q < QUEUE_NETWORK_QUANTITIES; q++)
        add_row(r, centre, classes > 1 ? "all" : last, queue_network_quantity_name(q),
                queue_network_quantity_unit(q), &r->result->centre[i][q], r->theory.centre[i][q]);
    for (unsigned k = 0; classes > 1 && k < n->class_count; k++) {
        if (n->classes[k].visits[i] == 0)
            continue;
        add_row(r, centre, n->classes[k].name, queue_network_quantity_name(QUEUE_NETWORK_N),
                queue_network_quantity_unit(QUEUE_NETWORK_N), &r->result->number[i][k],
                r->theory.number[i][k]);
        add_row(r, centre, n->classes[k].name, queue_network_quantity_name(QUEUE_NETWORK_W),
                queue_network_quantity_unit(QUEUE_NETWORK_W), &r->result->time_s[i][k],
                r->theory.time_s[i][k]);
    }
}

/* --- notes ----------------------------------------------------------------------------------------------- */

static void note_model(struct closed_report *r)
{
    const struct closed_theory *t = &r->theory;
    if (t->why_not) {
        result_table_note(r->table, "%s has no prediction: %s", t->model, t->why_not);
        return;
    }
    result_table_note(r->table, "%s is %s: the 95%% intervals cover %u of %u predictions", t->model,
                      closed_theory_is_exact(t) ? "exact" : "an approximation", r->covered, r->predictions);
    if (t->is_large)
        result_table_note(r->table, "%.3g populations of the classes are too many for an exact solution",
                          t->states);
    if (t->is_large && t->seidmann)
        result_table_note(r->table, "several servers of a centre are approximated by a fast one and a delay");
    if (t->assumption >= 0)
        result_table_note(r->table,
                          "%s takes services to be exponential where customers wait; those of '%s' are not",
                          t->model, r->network->centres[t->assumption].name);
}

static void add_notes(struct closed_report *r)
{
    note_model(r);
    if (r->widest > 0)
        queue_report_note_width(r->table, r->widest_row, r->widest, r->network->until_width,
                                (double)r->result->services, "services");
    if (r->result->correlated > 0)
        result_table_note(
            r->table,
            "neighbouring batches resemble each other in %u estimates: their intervals may be too "
            "narrow; use more --customers or fewer --batches",
            r->result->correlated);
}

int closed_report_save(const struct queue_network *n, const struct queue_network_result *result,
                       enum result_format format, const char *path, struct why *why)
{
    struct closed_report r = {.network = n, .result = result};
    if (closed_theory_predict(n, &r.theory) != 0)
        return why_no_memory(why, COMMAND_REFUSED);
    const char *columns[COLUMNS] = {"centre",    "class",      "parameter",    "unit",
                                    "simulated", "half_width", r.theory.model, "covers"};
    r.table = result_table_new_styled(columns, COLUMNS, &(struct result_style){.schema = "mercury-closed-2"});
    add_facts(&r);
    for (unsigned k = 0; k < n->class_count; k++)
        add_row(&r, "-", n->classes[k].name, "throughput", "1/s", &result->throughput[k],
                r.theory.throughput_per_s[k]);
    for (unsigned i = 0; i < n->centre_count; i++)
        add_rows_of_centre(&r, i);
    add_notes(&r);
    int status = result_table_save(r.table, format, path, why);
    result_table_destroy(r.table);
    return status;
}
