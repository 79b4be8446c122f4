#include "sim/simgrid/queue_line.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/number.h"

#define CUSTOMERS_LEAST    1000
#define CUSTOMERS_MOST     1e9
#define CUSTOMERS_A_BATCH  20
#define PLACES_MOST        1000000
#define SERVERS_MOST       1000
#define FACTOR_LEAST       1e-6
#define FACTOR_MOST        10000
#define RATE_LEAST         1e-6
#define RATE_MOST          1e6
#define LONG_RATIO_MOST    1e6
#define WARM_UP_MOST       0.9
#define DATE_RESOLUTION    0x1p-52
#define SERVICE_RESOLUTION 1e-6 /* greatest rounding of the last date, as a part of the shortest mean time */
#define FRACTION_LEAST     0.01 /* the intervals of smaller fractions are compared with this value */

struct queue_line queue_line_default(void)
{
    struct queue_line line = {
        .lambda_per_s = 0.5,
        .stage_count = 1,
        .customers = 200000,
        .most_customers = 1e8,
        .warm_up = 0.1,
        .batches = 30,
        .seed = 1,
    };
    for (unsigned i = 0; i < QUEUE_LINE_STAGES_MAX; i++)
        line.stages[i] =
            (struct queue_line_stage){.factor = 1, .pass_fraction = 1, .mu_per_s = 1, .servers = 1};
    return line;
}

/* A service of a mixture takes the time 1, or `long_ratio` with the probability `long_fraction`. */
double queue_line_service_scv(const struct queue_line_stage *s)
{
    if (s->service != SERVICE_MIXTURE)
        return s->service == SERVICE_EXPONENTIAL;
    double f = s->long_fraction, mean = 1 + f * (s->long_ratio - 1);
    return (1 - f + f * s->long_ratio * s->long_ratio) / (mean * mean) - 1;
}

static int check_run(const struct queue_line *t, struct why *why)
{
    double most_batches = t->customers * (1 - t->warm_up) / CUSTOMERS_A_BATCH;
    const struct range ranges[] = {
        {"stages", t->stage_count, 1, QUEUE_LINE_STAGES_MAX, "1 to 64"},
        {"lambda", t->lambda_per_s, RATE_LEAST, RATE_MOST, "1e-6 to 1e6 customers per second"},
        {"customers", t->customers, CUSTOMERS_LEAST, CUSTOMERS_MOST, "1000 to 1e9"},
        {"warm-up", t->warm_up, 0, WARM_UP_MOST, "a fraction of the run from 0 to 0.9"},
        {"batches", t->batches, QUEUE_LINE_LEAST_BATCHES, QUEUE_LINE_MOST_BATCHES, "10 to 1000"},
        {"batches", t->batches, 0, most_batches, "at least 20 customers in each, after the warm-up"},
    };
    return range_check(ranges, sizeof ranges / sizeof ranges[0], why, QUEUE_LINE_ERANGE);
}

static int check_length(const struct queue_line *t, struct why *why)
{
    const struct range ranges[] = {
        {"width", t->until_width, 1e-4, 1, "a fraction of the value, 1e-4 to 1"},
        {"most customers", t->most_customers, t->customers, CUSTOMERS_MOST,
         "at least the number of customers at the beginning, at most 1e9"},
        {"batches", t->batches, 0, t->batches % 2 ? -1 : QUEUE_LINE_MOST_BATCHES,
         "an even number, because each two become one if the run is doubled"},
    };
    return t->until_width == 0
               ? 0
               : range_check(ranges, sizeof ranges / sizeof ranges[0], why, QUEUE_LINE_ERANGE);
}

static int check_stage(const struct queue_line_stage *s, struct why *why)
{
    bool whole = s->factor >= 1 || fabs(s->factor * round(1 / s->factor) - 1) < 1e-9;
    const struct range ranges[] = {
        {"mu", s->mu_per_s, RATE_LEAST, RATE_MOST, "1e-6 to 1e6 services per second"},
        {"capacity", s->places, 0, PLACES_MOST, "0 (unbounded) to 1000000 places"},
        {"servers", s->servers, 1, SERVERS_MOST, "1 to 1000 servers"},
        {"factor", s->factor, whole ? FACTOR_LEAST : INFINITY, FACTOR_MOST,
         "1 to 10000 customers per element that comes, or 1 / n for a whole n up to 1000000"},
        {"pass fraction", s->pass_fraction, 0, 1, "a fraction from 0 to 1"},
        {"added", s->added_per_s, 0, RATE_MOST, "0 to 1e6 elements per second"},
        {"mixture", s->long_fraction, 0, 1, "a fraction of long services from 0 to 1"},
        {"mixture", s->long_ratio, 1, LONG_RATIO_MOST,
         "a long service that is 1 to 1e6 times as long as a short one"},
    };
    return range_check(ranges, s->service == SERVICE_MIXTURE ? 8 : 6, why, QUEUE_LINE_ERANGE);
}

static int check_resolution(const struct queue_line *t, struct why *why)
{
    double shortest_s = 1 / t->lambda_per_s;
    for (unsigned i = 0; i < t->stage_count; i++)
        shortest_s = fmin(shortest_s, 1 / t->stages[i].mu_per_s);
    double customers = t->until_width > 0 ? t->most_customers : t->customers;
    double end_s = customers / t->lambda_per_s;
    if (end_s * DATE_RESOLUTION <= SERVICE_RESOLUTION * shortest_s)
        return 0;
    return why_say(
        why, QUEUE_LINE_ERANGE,
        "a run of %g s is too long to tell services of %g s apart; give fewer customers or rates that differ less",
        end_s, shortest_s);
}

/* A stage receives no more than the slowest stage before it passes on. */
static double inflow_of(const struct queue_line *t, unsigned stage)
{
    double inflow_per_s = t->lambda_per_s;
    for (unsigned i = 0; i < stage; i++) {
        const struct queue_line_stage *s = &t->stages[i];
        inflow_per_s = fmin(inflow_per_s, s->mu_per_s * s->servers) * s->pass_fraction;
        inflow_per_s = (inflow_per_s + s[1].added_per_s) * s[1].factor;
    }
    return inflow_per_s;
}

double queue_line_relaxation_s(const struct queue_line *line, unsigned stage, double arrivals_scv)
{
    const struct queue_line_stage *s = &line->stages[stage];
    double lambda = inflow_of(line, stage), mu = s->mu_per_s * s->servers;
    double bound = s->places > 0 ? cos(M_PI / (s->places + 1.0)) : 1;
    double gap_per_s = fmin(s->mu_per_s, lambda + mu - 2 * sqrt(lambda * mu) * bound);
    double vary = ((isnan(arrivals_scv) ? 1 : arrivals_scv) + queue_line_service_scv(s)) / 2;
    return fmax(vary / gap_per_s, 1 / mu);
}

static int check_steady(const struct queue_line *t, struct why *why)
{
    for (unsigned i = 0; i < t->stage_count; i++) {
        const struct queue_line_stage *s = &t->stages[i];
        double mu_per_s = s->mu_per_s * s->servers, inflow_per_s = inflow_of(t, i);
        if (s->places == 0 && inflow_per_s >= mu_per_s)
            return why_say(
                why, QUEUE_LINE_ERANGE,
                "stage %u has no steady state: %g customers per second arrive, %g can be served; give it a capacity",
                i + 1, inflow_per_s, mu_per_s);
    }
    return 0;
}

int queue_line_check(const struct queue_line *t, struct why *why)
{
    int status = check_run(t, why);
    if (status == 0)
        status = check_length(t, why);
    for (unsigned i = 0; status == 0 && i < t->stage_count; i++)
        status = check_stage(&t->stages[i], why);
    if (status == 0)
        status = check_resolution(t, why);
    return status ? status : check_steady(t, why);
}

static const struct {
    const char *name, *unit;
    double least; /* the intervals of smaller values are compared with this value */
} quantities[QUEUE_LINE_QUANTITIES] = {
    [QUEUE_LINE_OFFERED] = {"offered", "1/s", 0},
    [QUEUE_LINE_THROUGHPUT] = {"throughput", "1/s", 0},
    [QUEUE_LINE_UTILISATION] = {"rho", "1", 0},
    [QUEUE_LINE_N] = {"N_G", "customers", 0},
    [QUEUE_LINE_N_Q] = {"N_Q", "customers", 0},
    [QUEUE_LINE_W_Q] = {"W_Q", "s", 0},
    [QUEUE_LINE_W] = {"W_G", "s", 0},
    [QUEUE_LINE_LOSS] = {"loss", "1", FRACTION_LEAST},
    [QUEUE_LINE_FULL] = {"P_BP", "1", FRACTION_LEAST},
    [QUEUE_LINE_BLOCKING] = {"holds_up", "1", FRACTION_LEAST},
};

const char *queue_line_quantity_name(enum queue_line_quantity quantity)
{
    return quantities[quantity].name;
}

const char *queue_line_quantity_unit(enum queue_line_quantity quantity)
{
    return quantities[quantity].unit;
}

double queue_line_width(const struct estimate *e, enum queue_line_quantity quantity)
{
    return e->half_width > 0 ? 2 * e->half_width / fmax(fabs(e->mean), quantities[quantity].least) : 0;
}
