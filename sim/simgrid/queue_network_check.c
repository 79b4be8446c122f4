#include "sim/simgrid/queue_network.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_linalg.h>

#include "base/number.h"

#define SERVICES_LEAST   1000
#define SERVICES_MOST    1e9
#define SERVICES_A_BATCH 20
#define RATE_LEAST       1e-6
#define RATE_MOST        1e6
#define DATE_RESOLUTION  0x1p-52
#define SERVICE_RESOLUTION                                                                                   \
    1e-6                  /* greatest rounding of the last date, as a part of the shortest mean service */
#define VALUE_LEAST  0.01 /* the intervals of smaller values are compared with this value */
#define SUM_ROUNDING 1e-9 /* greatest difference of a sum of probabilities from 1 */

struct queue_network queue_network_default(void)
{
    return (struct queue_network){
        .services = 200000, .most_services = 1e8, .warm_up = 0.1, .batches = 30, .seed = 1};
}

/* --- routes ---------------------------------------------------------------------------------------------- */

void queue_network_route_by_visits(struct queue_network_class *class, unsigned centres)
{
    double sum = 0;
    for (unsigned i = 0; i < centres; i++)
        sum += class->visits[i];
    for (unsigned from = 0; from < centres; from++)
        for (unsigned to = 0; to < centres; to++)
            class->route[from][to] = class->visits[to] / sum;
}

/* Which centres can be reached from one, over any number of routes; with `back`, from which it can be reached. */
static void find_reached(const struct queue_network_class *class, unsigned centres, unsigned from, bool back,
                         bool *reached)
{
    for (unsigned i = 0; i < centres; i++)
        reached[i] = i == from;
    for (unsigned pass = 0; pass < centres; pass++)
        for (unsigned i = 0; i < centres; i++)
            for (unsigned j = 0; j < centres && reached[i]; j++)
                reached[j] = reached[j] || (back ? class->route[j][i] : class->route[i][j]) > 0;
}

static int check_routes(const struct queue_network *n, const struct queue_network_class *class,
                        unsigned reference, struct why *why)
{
    bool to[QUEUE_NETWORK_CENTRES_MAX], back[QUEUE_NETWORK_CENTRES_MAX];
    find_reached(class, n->centre_count, reference, false, to);
    find_reached(class, n->centre_count, reference, true, back);
    for (unsigned i = 0; i < n->centre_count; i++) {
        double sum = 0;
        for (unsigned j = 0; j < n->centre_count; j++)
            sum += class->route[i][j];
        if (to[i] && fabs(sum - 1) > SUM_ROUNDING)
            return why_say(why, QUEUE_NETWORK_ERANGE,
                           "class '%s': the routes from '%s' have probabilities of %g together, expected 1",
                           class->name, n->centres[i].name, sum);
        if (!to[i] && sum > 0)
            return why_say(why, QUEUE_NETWORK_ERANGE, "class '%s': no route leads from '%s' to '%s'",
                           class->name, n->centres[reference].name, n->centres[i].name);
        if (to[i] && !back[i])
            return why_say(why, QUEUE_NETWORK_ERANGE, "class '%s': no route leads from '%s' back to '%s'",
                           class->name, n->centres[i].name, n->centres[reference].name);
    }
    return 0;
}

/* Solve visits[j] = sum over i of visits[i] route[i][j] for all j but the reference, where visits are 1. */
int queue_network_find_visits(struct queue_network *n, unsigned number, unsigned reference, struct why *why)
{
    struct queue_network_class *class = &n->classes[number];
    int sign, status = check_routes(n, class, reference, why);
    if (status)
        return status;
    gsl_matrix *a = gsl_matrix_calloc(n->centre_count, n->centre_count);
    gsl_vector *visits = gsl_vector_calloc(n->centre_count);
    gsl_permutation *order = gsl_permutation_alloc(n->centre_count);
    for (unsigned j = 0; a && j < n->centre_count; j++)
        for (unsigned i = 0; i < n->centre_count; i++)
            gsl_matrix_set(a, j, i, (i == j) - (j == reference ? 0 : class->route[i][j]));
    if (a && visits && order) {
        gsl_vector_set(visits, reference, 1);
        gsl_linalg_LU_decomp(a, order, &sign);
        gsl_linalg_LU_svx(a, order, visits);
    }
    bool reached[QUEUE_NETWORK_CENTRES_MAX];
    find_reached(class, n->centre_count, reference, false, reached);
    for (unsigned i = 0; visits && i < n->centre_count; i++)
        class->visits[i] = reached[i] ? gsl_vector_get(visits, i) : 0;
    bool solved = a && visits && order;
    gsl_permutation_free(order);
    gsl_vector_free(visits);
    gsl_matrix_free(a);
    return solved ? 0 : why_no_memory(why, QUEUE_NETWORK_EMEMORY);
}

/* --- ranges ---------------------------------------------------------------------------------------------- */

static int check_run(const struct queue_network *n, struct why *why)
{
    double most_batches = n->services * (1 - n->warm_up) / SERVICES_A_BATCH;
    bool doubles = n->until_width > 0;
    const struct range ranges[] = {
        {"centres", n->centre_count, 1, QUEUE_NETWORK_CENTRES_MAX, "1 to 16"},
        {"classes", n->class_count, 1, QUEUE_NETWORK_CLASSES_MAX, "1 to 8"},
        {"services", n->services, SERVICES_LEAST, SERVICES_MOST, "1000 to 1e9"},
        {"warm-up", n->warm_up, 0, 0.9, "a fraction of the run from 0 to 0.9"},
        {"batches", n->batches, QUEUE_LINE_LEAST_BATCHES, QUEUE_LINE_MOST_BATCHES, "10 to 1000"},
        {"batches", n->batches, 0, most_batches, "at least 20 services in each, after the warm-up"},
        {"width", n->until_width, 0, 1, "a fraction of the value, 1e-4 to 1"},
        {"most services", n->most_services, doubles ? n->services : 0, SERVICES_MOST,
         "at least the number of services at the beginning, at most 1e9"},
        {"batches", n->batches, 0, doubles && n->batches % 2 ? -1 : QUEUE_LINE_MOST_BATCHES,
         "an even number, because each two become one if the run is doubled"},
    };
    return range_check(ranges, sizeof ranges / sizeof ranges[0], why, QUEUE_NETWORK_ERANGE);
}

static int check_centre(const struct queue_network_centre *c, struct why *why)
{
    const struct range ranges[] = {
        {"rate", c->service.mu_per_s, RATE_LEAST, RATE_MOST, "1e-6 to 1e6 services per second"},
        {"servers", c->servers, 0, QUEUE_NETWORK_CUSTOMERS_MAX, "1 to 10000, or all"},
        {"mixture", c->service.long_fraction, 0, 1, "a fraction of long services from 0 to 1"},
        {"mixture", c->service.service == SERVICE_MIXTURE ? c->service.long_ratio : 1, 1, 1e6,
         "a long service that is 1 to 1e6 times as long as a short one"},
    };
    int status = range_check(ranges, sizeof ranges / sizeof ranges[0], why, QUEUE_NETWORK_ERANGE);
    for (unsigned k = 0; status == 0 && c->speeds && k < c->speed_count; k++)
        if (!(c->speeds[k] >= 1e-3 && c->speeds[k] <= 1e3))
            status = why_say(why, QUEUE_NETWORK_ERANGE,
                             "its rate with %u customers is %g times the rate: expected 0.001 to 1000 times",
                             k + 1, c->speeds[k]);
    if (status == 0 && c->speeds && c->service.service != SERVICE_EXPONENTIAL)
        status =
            why_say(why, QUEUE_NETWORK_ERANGE, "its rate depends on the load: expected exponential services");
    return status ? why_precede(why, status, "centre '%s': ", c->name) : 0;
}

static int check_classes(const struct queue_network *n, struct why *why)
{
    double customers = 0;
    for (unsigned r = 0; r < n->class_count; r++)
        customers += n->classes[r].population;
    if (customers <= QUEUE_NETWORK_CUSTOMERS_MAX)
        return 0;
    return why_say(why, QUEUE_NETWORK_ERANGE, "%g customers: expected 1 to 10000 of all classes together",
                   customers);
}

/* A run in which one customer goes round alone; the others make it shorter. */
static int check_resolution(const struct queue_network *n, struct why *why)
{
    double shortest_s = INFINITY, mean_s = INFINITY;
    for (unsigned r = 0; r < n->class_count; r++) {
        double time_s = 0, visits = 0;
        for (unsigned i = 0; i < n->centre_count; i++) {
            time_s += n->classes[r].visits[i] / n->centres[i].service.mu_per_s;
            visits += n->classes[r].visits[i];
            shortest_s = fmin(shortest_s, 1 / n->centres[i].service.mu_per_s);
        }
        mean_s = fmin(mean_s, time_s / visits);
    }
    double end_s = (n->until_width > 0 ? n->most_services : n->services) * mean_s;
    if (end_s * DATE_RESOLUTION <= SERVICE_RESOLUTION * shortest_s)
        return 0;
    return why_say(
        why, QUEUE_NETWORK_ERANGE,
        "a run of up to %g s is too long to tell services of %g s apart; give fewer services (--customers, "
        "--most-customers) or rates that differ less",
        end_s, shortest_s);
}

int queue_network_check(const struct queue_network *n, struct why *why)
{
    int status = check_run(n, why);
    for (unsigned i = 0; status == 0 && i < n->centre_count; i++)
        status = check_centre(&n->centres[i], why);
    if (status == 0)
        status = check_classes(n, why);
    return status ? status : check_resolution(n, why);
}

/* --- quantities ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *unit;
} quantities[QUEUE_NETWORK_QUANTITIES] = {
    [QUEUE_NETWORK_UTILISATION] = {"rho", "1"},
    [QUEUE_NETWORK_N] = {"N_G", "customers"},
    [QUEUE_NETWORK_N_Q] = {"N_Q", "customers"},
    [QUEUE_NETWORK_W] = {"W_G", "s"},
};

const char *queue_network_quantity_name(enum queue_network_quantity quantity)
{
    return quantities[quantity].name;
}

const char *queue_network_quantity_unit(enum queue_network_quantity quantity)
{
    return quantities[quantity].unit;
}

double queue_network_width(const struct estimate *e)
{
    return e->half_width > 0 ? 2 * e->half_width / fmax(fabs(e->mean), VALUE_LEAST) : 0;
}
