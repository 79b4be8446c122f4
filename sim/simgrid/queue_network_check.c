#include "sim/simgrid/queue_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_linalg.h>

#include "base/memory.h"
#include "model/numbers.h"
#include "model/queue/markov_tandem.h"

#define CUSTOMERS_A_BATCH  20
#define FLOW_ROUNDS        200000
#define PASSES_STATES      2000 /* most of a Markov chain of several stages that is solved for a check */
#define RATE_LEAST         1e-6
#define RATE_MOST          1e6
#define CHANGES_MOST       1000 /* of a mmpp's state, per arrival: then it is Poisson, and slow to draw */
#define DATE_RESOLUTION    0x1p-52
#define SERVICE_RESOLUTION 1e-6 /* greatest rounding of the last date, as a part of the shortest mean time */
#define VALUE_LEAST        0.01 /* the intervals of smaller values are compared with this value */
#define SUM_ROUNDING       1e-9 /* greatest difference of a sum of probabilities from 1 */

struct queue_line queue_line_default(void)
{
    struct queue_line line = {.scale = 1, .lambda_per_s = 0.5, .stage_count = 1};
    line.run = (struct queue_run){
        .customers = 200000, .most_customers = 1e8, .warm_up = 0.1, .batches = 30, .seed = 1};
    for (unsigned i = 0; i < QUEUE_LINE_STAGES_MAX; i++) {
        line.stages[i] =
            (struct queue_line_stage){.factor = 1, .pass_fraction = 1, .mu_per_s = 1, .servers = 1};
        snprintf(line.stages[i].name, sizeof line.stages[i].name, "%u", i + 1);
    }
    return line;
}

/* A number that a user gives, and the range in which it makes sense. */
struct range {
    const char *name;
    double value, least, most;
    const char *expected; /* the range in words: "1 to 16" */
};

static int range_check(const struct range *ranges, size_t count, struct why *why)
{
    for (const struct range *r = ranges; r < ranges + count; r++)
        if (!(r->value >= r->least && r->value <= r->most))
            return why_say(why, WHY_SAID, "%s %g: expected %s", r->name, r->value, r->expected);
    return 0;
}

/* --- ranges that both have ------------------------------------------------------------------------------- */

/* @param customers  a plural: what is counted */
static int check_run(const struct queue_run *r, const char *customers, struct why *why)
{
    double most_batches = r->customers * (1 - r->warm_up) / CUSTOMERS_A_BATCH;
    bool doubles = r->until_width > 0;
    char in_each[80], more[32], at_least[80];
    snprintf(in_each, sizeof in_each, "at least 20 %s in each, after the warm-up", customers);
    snprintf(more, sizeof more, "most %s", customers);
    snprintf(at_least, sizeof at_least, "at least the number of %s at the beginning, at most 1e9", customers);
    const struct range ranges[] = {
        {"batches", r->batches, 0, most_batches, in_each},
        {more, r->most_customers, r->customers, INFINITY, at_least},
        {"batches", r->batches, 0, r->batches % 2 ? -1 : QUEUE_MOST_BATCHES,
         "an even number, because each two become one if the run is doubled"},
    };
    return range_check(ranges, doubles ? 3 : 1, why);
}

static int check_resolution(double end_s, double shortest_s, struct why *why)
{
    if (end_s * DATE_RESOLUTION <= SERVICE_RESOLUTION * shortest_s)
        return 0;
    return why_say(
        why, WHY_SAID,
        "a run of up to %g s is too long to tell services of %g s apart; give fewer --customers (or "
        "--most-customers) or rates that differ less",
        end_s, shortest_s);
}

static double most_customers(const struct queue_run *r)
{
    return r->until_width > 0 ? r->most_customers : r->customers;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

static int check_stage(const struct queue_line_stage *s, struct why *why)
{
    const struct range ranges[] = {
        {"mu", s->mu_per_s, RATE_LEAST, RATE_MOST, "1e-6 to 1e6 services per second"},
        {"added", s->added_per_s, 0, RATE_MOST, "0 to 1e6 elements per second"},
    };
    return range_check(ranges, sizeof ranges / sizeof ranges[0], why);
}

static double mu_of_all(const struct queue_line_stage *s)
{
    return s->mu_per_s * s->servers;
}

/* What comes to each stage. What goes back comes again, less and less of it. @param bound  no stage passes on more than
 * it can serve @return whether this ends */
static bool find_inflows(const struct queue_line *line, bool bound, double *inflow_per_s)
{
    double back_per_s[QUEUE_LINE_STAGES_MAX] = {0};
    bool changes = true, finite = true;
    for (unsigned rounds = 0; changes && rounds < FLOW_ROUNDS; rounds++) {
        double comes_per_s = line->lambda_per_s, again_per_s[QUEUE_LINE_STAGES_MAX] = {0};
        changes = false;
        for (unsigned i = 0; i < line->stage_count; i++) {
            const struct queue_line_stage *s = &line->stages[i];
            if (i > 0)
                comes_per_s = (comes_per_s + s->added_per_s) * s->factor;
            inflow_per_s[i] = comes_per_s + back_per_s[i];
            const double served_per_s = bound ? fmin(inflow_per_s[i], mu_of_all(s)) : inflow_per_s[i];
            again_per_s[s->back_to] += served_per_s * s->back_fraction;
            comes_per_s = served_per_s * (1 - s->back_fraction) * s->pass_fraction;
        }
        for (unsigned i = 0; i < line->stage_count; i++) {
            changes = changes || again_per_s[i] > back_per_s[i];
            finite = finite && isfinite(inflow_per_s[i]);
            back_per_s[i] = again_per_s[i];
        }
    }
    return finite && !changes;
}

/* As many of the stages after it are in the chain as are exponential and soon solved: those left out would only hold up
 * more. A stage before a margin does not serve what finds no place, which comes to the same as losing it. */
double queue_line_passes_per_s(const struct queue_line *line, unsigned stage)
{
    const struct queue_line_stage *s = &line->stages[stage], *end = line->stages + line->stage_count;
    struct markov_stage after[MARKOV_STAGES_MAX];
    unsigned count = 0, margin = 0;
    double states = 1;
    bool is_known = line->overflow == OVERFLOW_BLOCK && s->servers == 1 && s->pass_fraction > 0 &&
                    duration_is_exponential(&s->service) && line->class_count == 0;
    for (const struct queue_line_stage *a = line->stages; a < end; a++)
        is_known = is_known && a->back_fraction == 0 && a->on == 0 && !a->outputs;
    for (const struct queue_line_stage *a = s + 1; is_known && a < end && margin == 0; a++) {
        states *= a->places + 2.0;
        if (a->places == 0 || a->factor != 1 || a->added_per_s > 0 || !duration_is_exponential(&a->service) ||
            (count > 0 && (a->almost_full > 0 || states > PASSES_STATES)))
            break;
        margin = a->almost_full;
        const unsigned places = a->places - margin, servers = a->servers < places ? a->servers : places;
        after[count++] = (struct markov_stage){a->mu_per_s, places, servers, a->pass_fraction};
    }
    const bool is_found =
        count > 0 && markov_tandem_solve(s->mu_per_s * s->pass_fraction, margin == 0, after, count) == 0;
    return is_found ? after[0].found.lambda_per_s / s->pass_fraction : mu_of_all(s);
}

double queue_line_relaxation_s(const struct queue_line *line, unsigned stage, double arrivals_scv)
{
    const struct queue_line_stage *s = &line->stages[stage];
    double inflows_per_s[QUEUE_LINE_STAGES_MAX];
    find_inflows(line, true, inflows_per_s);
    double lambda = inflows_per_s[stage],
           mu = s->places > 0 ? mu_of_all(s) : queue_line_passes_per_s(line, stage);
    double bound = s->places > 0 ? cos(M_PI / (s->places + 1.0)) : 1;
    double gap_per_s = fmin(s->mu_per_s, lambda + mu - 2 * sqrt(lambda * mu) * bound);
    double arrivals = isnan(arrivals_scv) ? 1 : arrivals_scv, state_s = 0;
    if (line->arrivals.law == DURATION_MMPP) { /* what comes in a long time, and how long a state lasts */
        arrivals = fmax(arrivals, duration_dispersion(&line->arrivals));
        state_s = 1 / (line->arrivals.leave[0] + line->arrivals.leave[1]) / line->lambda_per_s;
    }
    return fmax((arrivals + duration_scv(&s->service)) / 2 / gap_per_s, fmax(state_s, 1 / mu));
}

static unsigned port_of(const struct queue_line *line, unsigned stage)
{
    return line->stages[stage].on > 0 ? line->stages[stage].on - 1 : stage;
}

/* Whether what the servers of a stage have begun always finds places in the next stage, by its margin. */
static bool always_fits(const struct queue_line *line, unsigned stage)
{
    const struct queue_line_stage *s = &line->stages[stage], *next = s + 1;
    double most = fmax(1, ceil(next->factor));
    for (size_t i = 0; s->outputs && i < s->output_count; i++)
        most = fmax(most, s->outputs[i]);
    for (unsigned i = 0; i < line->stage_count; i++)
        if (line->stages[i].back_fraction > 0 && line->stages[i].back_to == stage + 1)
            return false;
    return next->almost_full > 0 && next->added_per_s == 0 &&
           next->almost_full + 1.0 >= most * line->stages[port_of(line, stage)].servers;
}

/* Note what waits for what. Nodes are the places of stages, by their numbers, and behind them the servers: whoever is
 * in a place waits for the server, and, before a margin, for places of the next stage; a server that holds a customer
 * waits for a place. Nobody waits for places without a bound. */
static void find_waits(const struct queue_line *line, bool waits[][2 * QUEUE_LINE_STAGES_MAX])
{
    const unsigned n = line->stage_count;
    for (unsigned i = 0; i < n; i++) {
        const struct queue_line_stage *s = &line->stages[i];
        const bool goes_on = i + 1 < n && line->stages[i + 1].places > 0;
        const unsigned server = n + port_of(line, i);
        waits[i][server] = true;
        if (goes_on && line->stages[i + 1].almost_full > 0)
            waits[i][i + 1] = true;
        if (goes_on && !always_fits(line, i))
            waits[server][i + 1] = true;
        if (s->back_fraction > 0 && line->stages[s->back_to].places > 0)
            waits[server][s->back_to] = true;
    }
}

/* A circle of stages that wait for each other may do so for ever. */
static int check_circles(const struct queue_line *line, struct why *why)
{
    bool waits[2 * QUEUE_LINE_STAGES_MAX][2 * QUEUE_LINE_STAGES_MAX] = {{false}};
    const unsigned n = line->overflow == OVERFLOW_BLOCK ? 2 * line->stage_count : 0;
    char names[200] = "";
    find_waits(line, waits);
    for (unsigned by = 0; by < n; by++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = 0; k < n && waits[i][by]; k++)
                waits[i][k] = waits[i][k] || waits[by][k];
    for (unsigned first = 0, i = 0; i < n / 2; i++) {
        first = waits[first][first] ? first : i;
        if (waits[first][i] && waits[i][first])
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                     line->stages[i].name);
    }
    return !*names
               ? 0
               : why_say(
                     why, WHY_SAID,
                     "a circle of full stages may block for ever, by what goes back or shares a server: %s; "
                     "expected one of them without a bound (K 0)",
                     names);
}

bool queue_line_may_fill(const struct queue_line *line, unsigned stage)
{
    double inflow_per_s[QUEUE_LINE_STAGES_MAX];
    const struct queue_line_stage *s = &line->stages[stage];
    find_inflows(line, true, inflow_per_s);
    return (s->places > 0 && inflow_per_s[stage] >= mu_of_all(s)) ||
           (line->overflow == OVERFLOW_BLOCK && stage + 1 < line->stage_count && s[1].places > 0);
}

/* Stages that share a server may use it up together; then what the first one of them has is told. */
static int check_flow(const struct queue_line *line, unsigned i, const double *inflow_per_s, struct why *why)
{
    const struct queue_line_stage *s = &line->stages[i];
    double load = 0;
    bool is_first = true; /* with a bound, so that all that is offered comes to those before */
    for (unsigned k = 0; k < i; k++)
        is_first = is_first && line->stages[k].places == 0;
    for (unsigned k = 0; k < line->stage_count; k++)
        if (port_of(line, k) == port_of(line, i))
            load += inflow_per_s[k] / mu_of_all(&line->stages[k]);
    if (!(inflow_per_s[i] > 0))
        return why_say(why, WHY_SAID,
                       "nothing comes to stage %s: expected --lambda, a rate above 0, or an overdrive",
                       s->name);
    if (s->places == 0 && rounded_to(1, load) >= 1)
        return why_say(
            why, WHY_SAID,
            "stage %s has no steady state: %g per second arrive, %g can be served%s; give it a capacity (K)",
            s->name, inflow_per_s[i], mu_of_all(s),
            load > inflow_per_s[i] / mu_of_all(s) ? ", and its server serves others, too" : "");
    const double passes_per_s = s->places == 0 && is_first ? queue_line_passes_per_s(line, i) : INFINITY;
    if (rounded_to(1, inflow_per_s[i] / passes_per_s) >= 1)
        return why_say(why, WHY_SAID,
                       "stage %s has no steady state: %g per second arrive, and full stages after it let %g "
                       "pass; give it a capacity (K)",
                       s->name, inflow_per_s[i], passes_per_s);
    return 0;
}

int queue_line_check_flows(const struct queue_line *line, struct why *why)
{
    double inflow_per_s[QUEUE_LINE_STAGES_MAX];
    int status = check_circles(line, why);
    if (status == 0 && !find_inflows(line, false, inflow_per_s))
        status = why_say(why, WHY_SAID,
                         "each element that goes back leads to another one that does, and they "
                         "never become fewer: expected a smaller part (to), or fewer elements (F)");
    find_inflows(line, true, inflow_per_s);
    for (unsigned i = 0; i < line->stage_count && status == 0; i++)
        status = check_flow(line, i, inflow_per_s, why);
    return status;
}

int queue_line_check(const struct queue_line *t, struct why *why)
{
    const struct range ranges[] = {
        {"lambda", t->lambda_per_s, RATE_LEAST, RATE_MOST, "1e-6 to 1e6 customers per second"},
        {"changes of the arrivals' rate", fmax(t->arrivals.leave[0], t->arrivals.leave[1]), 0, CHANGES_MOST,
         "at most 1000 per customer"},
    };
    double shortest_s = 1 / (t->lambda_per_s * fmax(1, fmax(t->arrivals.rate[0], t->arrivals.rate[1])));
    int status = range_check(ranges, sizeof ranges / sizeof ranges[0], why);
    if (status == 0)
        status = check_run(&t->run, "customers", why);
    for (unsigned i = 0; status == 0 && i < t->stage_count; i++) {
        status = check_stage(&t->stages[i], why);
        shortest_s = fmin(shortest_s, 1 / t->stages[i].mu_per_s);
    }
    for (unsigned k = 0; k < t->class_count; k++)
        shortest_s = fmin(shortest_s, 1 / t->classes[k].mu_per_s);
    if (status == 0)
        status = check_resolution(most_customers(&t->run) / t->lambda_per_s, shortest_s, why);
    return status ? status : queue_line_check_flows(t, why);
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
            return why_say(why, WHY_SAID,
                           "class '%s': the routes from '%s' have probabilities of %g together, expected 1",
                           class->name, n->centres[i].name, sum);
        if (!to[i] && sum > 0)
            return why_say(why, WHY_SAID, "class '%s': no route leads from '%s' to '%s'", class->name,
                           n->centres[reference].name, n->centres[i].name);
        if (to[i] && !back[i])
            return why_say(why, WHY_SAID, "class '%s': no route leads from '%s' back to '%s'", class->name,
                           n->centres[i].name, n->centres[reference].name);
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
    if (!a || !visits || !order)
        memory_exhausted();
    for (unsigned j = 0; j < n->centre_count; j++)
        for (unsigned i = 0; i < n->centre_count; i++)
            gsl_matrix_set(a, j, i, (i == j) - (j == reference ? 0 : class->route[i][j]));
    gsl_vector_set(visits, reference, 1);
    gsl_linalg_LU_decomp(a, order, &sign);
    gsl_linalg_LU_svx(a, order, visits);
    bool reached[QUEUE_NETWORK_CENTRES_MAX];
    find_reached(class, n->centre_count, reference, false, reached);
    for (unsigned i = 0; i < n->centre_count; i++)
        class->visits[i] = reached[i] ? gsl_vector_get(visits, i) : 0;
    gsl_permutation_free(order);
    gsl_vector_free(visits);
    gsl_matrix_free(a);
    return 0;
}

/* --- closed networks ------------------------------------------------------------------------------------- */

static double visits_of_passage(const struct queue_network *n, unsigned class)
{
    double sum = 0;
    for (unsigned i = 0; i < n->centre_count; i++)
        sum += n->classes[class].visits[i];
    return sum;
}

/* Add up the parts of all visits that each centre has, weighted by customers. @return the customers of all classes */
static double add_up(const struct queue_network *n, double visits[QUEUE_NETWORK_CENTRES_MAX])
{
    double customers = 0;
    for (unsigned r = 0; r < n->class_count; r++) {
        const struct queue_network_class *class = &n->classes[r];
        for (unsigned i = 0; i < n->centre_count; i++)
            visits[i] += class->population * class->visits[i] / visits_of_passage(n, r);
        customers += class->population;
    }
    return customers;
}

/* The rate of a centre with many customers; INFINITY if there is a server for each. */
static double rate_of_many(const struct queue_line_stage *centre)
{
    return centre->speeds        ? centre->mu_per_s * centre->speeds[centre->speed_count - 1]
           : centre->servers > 0 ? mu_of_all(centre)
                                 : INFINITY;
}

/* Whoever leaves one of two centres comes to the other one before he comes back with the probability of their visits:
 * then the number at one of them is that of M/M/1/K. */
double queue_network_relaxation_s(const struct queue_network *n)
{
    double visits[QUEUE_NETWORK_CENTRES_MAX] = {0}, longest_s = 0;
    const double customers = add_up(n, visits);
    for (unsigned i = 0; i < n->centre_count; i++) {
        const struct queue_line_stage *one = &n->centres[i];
        longest_s = fmax(longest_s, visits[i] > 0 ? 1 / one->mu_per_s : 0);
        for (unsigned k = 0; k < i && visits[i] > 0; k++) {
            const struct queue_line_stage *other = &n->centres[k];
            const double part = visits[i] / (visits[i] + visits[k]);
            const double goes_per_s = rate_of_many(one) * (1 - part),
                         comes_per_s = rate_of_many(other) * part;
            const double scv = (duration_scv(&one->service) + duration_scv(&other->service)) / 2;
            if (visits[k] > 0 && isfinite(goes_per_s + comes_per_s))
                longest_s =
                    fmax(longest_s, scv / (goes_per_s + comes_per_s -
                                           2 * sqrt(goes_per_s * comes_per_s) * cos(M_PI / (customers + 1))));
        }
    }
    return longest_s;
}

/* The slowest centre has what the others leave it; with the rate that it lets through, these are M/M/1, or hold
 * everybody for a service. Several that are equally slow share. */
void queue_network_spread(const struct queue_network *n, unsigned class,
                          double parts[QUEUE_NETWORK_CENTRES_MAX])
{
    double visits[QUEUE_NETWORK_CENTRES_MAX] = {0}, slowest_s = 0, sum = 0;
    const double customers = add_up(n, visits);
    for (unsigned i = 0; i < n->centre_count; i++)
        slowest_s = fmax(slowest_s, visits[i] / rate_of_many(&n->centres[i]));
    for (unsigned i = 0; i < n->centre_count; i++) {
        const struct queue_line_stage *centre = &n->centres[i];
        const double load = slowest_s > 0 ? visits[i] / rate_of_many(centre) / slowest_s : 0;
        const double served = visits[i] / centre->mu_per_s / (slowest_s > 0 ? slowest_s : 1);
        const double mean = isinf(rate_of_many(centre)) ? served : load / (1 - load + 1 / customers);
        parts[i] = visits[i] > 0 ? mean * n->classes[class].visits[i] / visits[i] : 0;
        sum += parts[i];
    }
    for (unsigned i = 0; i < n->centre_count; i++)
        parts[i] /= sum;
}

/* A run in which one customer goes round alone; the others make it shorter. */
static int check_longest(const struct queue_network *n, struct why *why)
{
    double shortest_s = INFINITY, mean_s = INFINITY;
    for (unsigned r = 0; r < n->class_count; r++) {
        double time_s = 0, visits = 0;
        for (unsigned i = 0; i < n->centre_count; i++) {
            time_s += n->classes[r].visits[i] / n->centres[i].mu_per_s;
            visits += n->classes[r].visits[i];
            shortest_s = fmin(shortest_s, 1 / n->centres[i].mu_per_s);
        }
        mean_s = fmin(mean_s, time_s / visits);
    }
    return check_resolution(most_customers(&n->run) * mean_s, shortest_s, why);
}

int queue_network_check(const struct queue_network *n, struct why *why)
{
    double customers = 0;
    for (unsigned r = 0; r < n->class_count; r++)
        customers += n->classes[r].population;
    int status = check_run(&n->run, "services", why);
    if (status == 0 && customers > QUEUE_NETWORK_CUSTOMERS_MAX)
        status =
            why_say(why, WHY_SAID, "%g customers: expected 1 to 10000 of all classes together", customers);
    return status ? status : check_longest(n, why);
}

const double queue_line_quantiles[QUEUE_LINE_QUANTILES] = {0.5, 0.9, 0.99};

/* --- quantities ------------------------------------------------------------------------------------------ */

#define QUANTITY(id, least, ...) [id] = {least, __VA_ARGS__}

const struct queue_line_quantity_row queue_line_quantities[QUEUE_LINE_QUANTITIES] = {
    QUEUE_LINE_ROWS(QUANTITY)};

const enum queue_line_quantity queue_line_class_quantities[QUEUE_LINE_CLASS_QUANTITIES] = {
    QUEUE_LINE_THROUGHPUT, QUEUE_LINE_N, QUEUE_LINE_W_Q, QUEUE_LINE_W};

double *queue_line_frames(const struct queue_line *line, const struct queue_line_result *result,
                          unsigned stage, enum queue_line_quantity quantity)
{
    return result->frames + ((size_t)stage * QUEUE_LINE_QUANTITIES + quantity) * line->run.batches;
}

double queue_line_width(const struct estimate *e, enum queue_line_quantity quantity)
{
    return e->half_width > 0 ? 2 * e->half_width / fmax(fabs(e->mean), queue_line_quantities[quantity].least)
                             : 0;
}

const enum queue_line_quantity queue_network_quantities[QUEUE_NETWORK_QUANTITIES] = {
    QUEUE_LINE_UTILISATION, QUEUE_LINE_N, QUEUE_LINE_N_Q, QUEUE_LINE_W};

double queue_network_width(const struct estimate *e)
{
    return e->half_width > 0 ? 2 * e->half_width / fmax(fabs(e->mean), VALUE_LEAST) : 0;
}
