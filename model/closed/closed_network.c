#include "model/closed/closed_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model_error.h"
#include "model/numbers.h"

/* --- what is asked --------------------------------------------------------------------------------------- */

double closed_centre_rate(const struct closed_centre *c, unsigned customers)
{
    if (c->speeds)
        return c->mu_per_s * c->speeds[customers < c->speed_count ? customers - 1 : c->speed_count - 1];
    return c->mu_per_s * (c->servers > 0 && customers > c->servers ? c->servers : customers);
}

bool closed_centre_is_delay(const struct closed_network *network, unsigned centre)
{
    const struct closed_centre *c = &network->centres[centre];
    unsigned visitors = 0;
    for (unsigned r = 0; r < network->class_count; r++)
        visitors += c->visits[r] > 0 ? network->population[r] : 0;
    return !c->speeds && (c->servers == 0 || c->servers >= visitors);
}

double *closed_power_speeds(double alpha, unsigned count)
{
    double *speeds = memory_take(count * sizeof *speeds);
    for (unsigned k = 1; k <= count; k++)
        speeds[k - 1] = pow((double)k / count, alpha);
    return speeds;
}

struct closed_result closed_result_none(void)
{
    struct closed_result none;
    for (unsigned r = 0; r < CLOSED_CLASSES_MAX; r++)
        none.x_per_s[r] = NAN;
    for (unsigned i = 0; i < CLOSED_CENTRES_MAX; i++) {
        none.busy[i] = NAN;
        for (unsigned r = 0; r < CLOSED_CLASSES_MAX; r++)
            none.n[i][r] = none.w_s[i][r] = NAN;
    }
    return none;
}

static int check_centre(const struct closed_centre *c, unsigned classes)
{
    for (unsigned r = 0; r < classes; r++)
        if (!is_not_negative(c->visits[r]))
            return MODEL_EVISITS;
    bool good = is_positive(c->mu_per_s) && (!c->speeds || c->speed_count > 0);
    for (unsigned k = 0; c->speeds && k < c->speed_count; k++)
        good = good && is_positive(c->speeds[k]);
    return good ? 0 : MODEL_ESERVICE;
}

int closed_network_check(const struct closed_network *network)
{
    double customers = 0;
    if (network->centre_count < 1 || network->centre_count > CLOSED_CENTRES_MAX || network->class_count < 1 ||
        network->class_count > CLOSED_CLASSES_MAX)
        return MODEL_ECLOSED;
    for (unsigned i = 0; i < network->centre_count; i++) {
        int status = check_centre(&network->centres[i], network->class_count);
        if (status)
            return status;
    }
    for (unsigned r = 0; r < network->class_count; r++) {
        customers += network->population[r];
        if (network->population[r] < 1 || customers > CLOSED_POPULATION_MAX)
            return MODEL_EPOPULATION;
        double visits = 0;
        for (unsigned i = 0; i < network->centre_count; i++)
            visits += network->centres[i].visits[r];
        if (!is_positive(visits))
            return MODEL_EVISITS;
    }
    return 0;
}

double closed_network_states(const struct closed_network *network)
{
    double states = 1;
    for (unsigned r = 0; r < network->class_count; r++)
        states *= network->population[r] + 1.0;
    return states;
}

/* --- populations ----------------------------------------------------------------------------------------- */

/* All populations v from 0 to N, in the order of their index: sum over r of v_r x stride_r. */
struct lattice {
    unsigned classes, customers; /* customers: of all classes */
    unsigned most[CLOSED_CLASSES_MAX];
    size_t stride[CLOSED_CLASSES_MAX];
    size_t size;
};

static void step_up(const struct lattice *l, unsigned *v)
{
    for (unsigned r = 0; r < l->classes; r++) {
        if (v[r]++ < l->most[r])
            return;
        v[r] = 0;
    }
}

static void step_down(const struct lattice *l, unsigned *v)
{
    for (unsigned r = 0; r < l->classes; r++) {
        if (v[r]-- > 0)
            return;
        v[r] = l->most[r];
    }
}

/* --- centres --------------------------------------------------------------------------------------------- */

/* A centre with its greatest rate as the unit of rates, and each class's scale as the unit of its throughput. */
struct factor {
    bool delay;  /* nobody ever waits there */
    double unit; /* of its rates: the greatest one, or that of one customer of a delay */
    long double y[CLOSED_CLASSES_MAX]; /* coefficients of y_i; of a delay, loads */
    unsigned degree;                   /* of the numerator */
    bool divides;                      /* f has the denominator 1 - y */
};

struct solution {
    const struct closed_network *network;
    struct lattice lattice;
    struct factor factors[CLOSED_CENTRES_MAX];
    double scale_per_s[CLOSED_CLASSES_MAX];
    long double *log_factorial;        /* ln n! */
    long double *log_product;          /* ln of phi(1) ... phi(n) of the present centre, in its unit */
    long double *constant, *numerator; /* for each population */
    long double *number;               /* weights of the states of a centre with each number of customers */
};

/* Number of customers from which on a centre's rate is the same. */
static unsigned customers_that_matter(const struct closed_centre *c, unsigned customers)
{
    unsigned matter = c->speeds ? c->speed_count : c->servers ? c->servers : customers;
    return matter < customers ? matter : customers;
}

static double greatest_rate(const struct closed_centre *c, unsigned customers)
{
    double greatest = 0;
    for (unsigned k = customers_that_matter(c, customers); k > 0; k--)
        greatest = fmax(greatest, closed_centre_rate(c, k));
    return greatest;
}

/* The bounds of a class's throughput that each centre sets alone: its greatest rate, and nobody in a queue. */
static double find_scale(const struct closed_network *network, unsigned r, unsigned customers)
{
    double slowest_s = 0, delay_s = 0;
    for (unsigned i = 0; i < network->centre_count; i++) {
        const struct closed_centre *c = &network->centres[i];
        if (closed_centre_is_delay(network, i))
            delay_s += c->visits[r] / c->mu_per_s;
        else
            slowest_s = fmax(slowest_s, c->visits[r] / greatest_rate(c, customers));
    }
    return 1 / fmax(slowest_s, delay_s / network->population[r]);
}

static struct factor factor_of(const struct solution *s, unsigned i)
{
    const struct closed_centre *c = &s->network->centres[i];
    unsigned customers = s->lattice.customers, matter = customers_that_matter(c, customers);
    struct factor f = {.delay = closed_centre_is_delay(s->network, i)};
    f.unit = f.delay ? c->mu_per_s : greatest_rate(c, customers);
    f.divides = closed_centre_rate(c, matter) >= f.unit;
    f.degree = f.divides ? matter - 1 : customers;
    for (unsigned r = 0; r < s->lattice.classes; r++)
        f.y[r] = (long double)c->visits[r] * s->scale_per_s[r] / f.unit;
    return f;
}

/* --- the constant ---------------------------------------------------------------------------------------- */

/* The network of all delays but one: the product over classes of load^v / v!. */
static void begin_with_delays(struct solution *s, unsigned without)
{
    const struct lattice *l = &s->lattice;
    long double load[CLOSED_CLASSES_MAX] = {0};
    unsigned v[CLOSED_CLASSES_MAX] = {0};
    for (unsigned i = 0; i < s->network->centre_count; i++)
        for (unsigned r = 0; r < l->classes && i != without && s->factors[i].delay; r++)
            load[r] += s->factors[i].y[r];
    for (size_t at = 0; at < l->size; at++, step_up(l, v)) {
        long double logarithm = 0;
        for (unsigned r = 0; r < l->classes; r++)
            if (v[r] > 0)
                logarithm += v[r] * logl(load[r]) - s->log_factorial[v[r]]; /* -inf without a load */
        s->constant[at] = expl(logarithm);
    }
}

static long double shifted_sum(const struct lattice *l, const struct factor *f, const long double *at,
                               const unsigned *v)
{
    long double sum = 0;
    for (unsigned r = 0; r < l->classes; r++)
        if (v[r] > 0)
            sum += f->y[r] * at[-(ptrdiff_t)l->stride[r]];
    return sum;
}

static void find_log_product(struct solution *s, unsigned i)
{
    const struct closed_centre *c = &s->network->centres[i];
    const long double unit = s->factors[i].unit;
    s->log_product[0] = 0;
    for (unsigned n = 1; n <= s->lattice.customers; n++)
        s->log_product[n] = s->log_product[n - 1] + logl(closed_centre_rate(c, n) / unit);
}

/* Multiply the constant by a centre's f: term by term numerator = y x numerator + coefficient x constant, then
 * constant = numerator / (1 - y). */
static void multiply(struct solution *s, unsigned i)
{
    const struct factor *f = &s->factors[i];
    const struct closed_centre *c = &s->network->centres[i];
    const struct lattice *l = &s->lattice;
    if (f->degree > 0) {
        find_log_product(s, i);
        for (size_t at = 0; at < l->size; at++)
            s->numerator[at] = 0;
        for (unsigned n = f->degree + 1; n-- > 0;) {
            long double weight = expl(-s->log_product[n]); /* coefficient of y^n in the numerator of f */
            if (f->divides && n > 0)
                weight *= 1 - closed_centre_rate(c, n) / (long double)f->unit;
            unsigned v[CLOSED_CLASSES_MAX];
            memcpy(v, l->most, sizeof v);
            for (size_t at = l->size; at-- > 0; step_down(l, v))
                s->numerator[at] = shifted_sum(l, f, &s->numerator[at], v) + weight * s->constant[at];
        }
        long double *product = s->numerator;
        s->numerator = s->constant;
        s->constant = product;
    }
    unsigned v[CLOSED_CLASSES_MAX] = {0};
    for (size_t at = 0; at < l->size && f->divides; at++, step_up(l, v))
        s->constant[at] += shifted_sum(l, f, &s->constant[at], v);
}

/* --- one centre ------------------------------------------------------------------------------------------ */

/* What the states of a centre weigh: all of them, those with a customer, all times customers of a class, and all times
 * its departures per second. */
struct weights {
    long double all, occupied, number[CLOSED_CLASSES_MAX], rate[CLOSED_CLASSES_MAX];
};

static void weigh_states(struct solution *s, unsigned i, struct weights *w)
{
    const struct lattice *l = &s->lattice;
    const struct closed_centre *c = &s->network->centres[i];
    unsigned v[CLOSED_CLASSES_MAX] = {0};
    find_log_product(s, i);
    for (unsigned n = 0; n <= l->customers; n++)
        s->number[n] = 0;
    for (size_t at = 0; at < l->size; at++, step_up(l, v)) {
        unsigned customers = 0;
        for (unsigned r = 0; r < l->classes; r++)
            customers += v[r];
        long double logarithm = s->log_factorial[customers] - s->log_product[customers];
        for (unsigned r = 0; r < l->classes; r++)
            if (v[r] > 0)
                logarithm += v[r] * logl(s->factors[i].y[r]) - s->log_factorial[v[r]];
        long double weight = expl(logarithm) * s->constant[l->size - 1 - at];
        w->all += weight;
        s->number[customers] += weight;
        w->occupied += customers > 0 ? weight : 0;
        for (unsigned r = 0; r < l->classes && customers > 0; r++) {
            w->number[r] += weight * v[r];
            w->rate[r] += weight * v[r] / customers * closed_centre_rate(c, customers);
        }
    }
}

/* --- a solution ------------------------------------------------------------------------------------------ */

static int solution_begin(struct solution *s, const struct closed_network *network)
{
    int status = closed_network_check(network);
    *s = (struct solution){.network = network};
    if (status)
        return status;
    if (closed_network_states(network) > CLOSED_STATES_MOST)
        return MODEL_EREACH;
    struct lattice *l = &s->lattice;
    *l = (struct lattice){.classes = network->class_count, .size = 1};
    for (unsigned r = 0; r < l->classes; r++) {
        l->most[r] = network->population[r];
        l->stride[r] = l->size;
        l->size *= (size_t)l->most[r] + 1;
        l->customers += l->most[r];
    }
    for (unsigned r = 0; r < network->class_count; r++)
        s->scale_per_s[r] = find_scale(network, r, s->lattice.customers);
    double terms = 0, centres = network->centre_count;
    for (unsigned i = 0; i < network->centre_count; i++) {
        s->factors[i] = factor_of(s, i);
        terms += s->factors[i].delay ? 0 : s->factors[i].degree + 1.0;
    }
    if ((terms * (centres - 1) + centres * 8) * (double)l->size * l->classes > CLOSED_WORK_MOST)
        return MODEL_EREACH;
    size_t counts = (size_t)l->customers + 1;
    s->log_factorial = memory_new(counts, sizeof *s->log_factorial);
    s->log_product = memory_new(counts, sizeof *s->log_product);
    s->number = memory_new(counts, sizeof *s->number);
    s->constant = memory_new(s->lattice.size, sizeof *s->constant);
    s->numerator = memory_new(s->lattice.size, sizeof *s->numerator);
    for (size_t n = 1; n < counts; n++)
        s->log_factorial[n] = s->log_factorial[n - 1] + logl(n);
    return 0;
}

static void take_weights(const struct solution *s, unsigned i, const struct weights *w,
                         struct closed_result *out)
{
    const struct closed_network *network = s->network;
    const struct closed_centre *c = &network->centres[i];
    for (size_t n = 0; n < c->p_count && c->p; n++)
        c->p[n] = n <= s->lattice.customers ? (double)(s->number[n] / w->all) : 0;
    out->busy[i] = c->speeds ? (double)(w->occupied / w->all) : 0;
    for (unsigned r = 0; r < network->class_count; r++) {
        double rate_per_s = (double)(w->rate[r] / w->all);
        out->n[i][r] = (double)(w->number[r] / w->all);
        out->busy[i] += c->speeds ? 0 : rate_per_s / c->mu_per_s;
        if (c->visits[r] > 0) {
            out->x_per_s[r] = rate_per_s / c->visits[r]; /* any centre says the same */
            out->w_s[i][r] = out->n[i][r] / rate_per_s;
        }
    }
}

int closed_network_solve(const struct closed_network *network, struct closed_result *out)
{
    struct solution s;
    *out = closed_result_none();
    int status = solution_begin(&s, network);
    for (unsigned i = 0; status == 0 && i < network->centre_count; i++) {
        struct weights w = {.all = 0};
        begin_with_delays(&s, i);
        for (unsigned other = 0; other < network->centre_count; other++)
            if (other != i && !s.factors[other].delay)
                multiply(&s, other);
        weigh_states(&s, i, &w);
        status = isfinite(w.all) && w.all > 0 ? 0 : MODEL_EREACH;
        take_weights(&s, i, &w, out);
    }
    free(s.log_factorial);
    free(s.log_product);
    free(s.number);
    free(s.constant);
    free(s.numerator);
    if (status)
        *out = closed_result_none();
    return status;
}
