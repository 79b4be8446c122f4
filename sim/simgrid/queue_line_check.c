#include "sim/simgrid/queue_line.h"

#include <math.h>
#include <stdio.h>

#include "base/why.h"

#define CUSTOMERS_LEAST    1000
#define CUSTOMERS_MOST     1e9
#define CUSTOMERS_A_BATCH  20
#define PLACES_MOST        1000000
#define ARRIVAL_BATCH_MOST 10000
#define RATE_LEAST         1e-6
#define RATE_MOST          1e6
#define LONG_RATIO_MOST    1e6
#define WARM_UP_MOST       0.9
#define DATE_RESOLUTION    0x1p-52
#define SERVICE_RESOLUTION 1e-6 /* of the last date, as a part of the shortest mean time */
#define FRACTION_LEAST     0.01 /* what smaller fractions' intervals are compared with */

struct queue_line queue_line_default(void)
{
    return (struct queue_line){
        .lambda_per_s = 0.5,
        .batch = 1,
        .stage_count = 1,
        .stages = {{.mu_per_s = 1}},
        .customers = 200000,
        .most_customers = 1e8,
        .warm_up = 0.1,
        .batches = 30,
        .seed = 1,
    };
}

static int refuse(struct why *why, const char *what, double value, const char *expected)
{
    return why_say(why, QUEUE_LINE_ERANGE, "%s %g: expected %s", what, value, expected);
}

static bool is_within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static int check_run(const struct queue_line *t, struct why *why)
{
    if (!is_within(t->lambda_per_s, RATE_LEAST, RATE_MOST))
        return refuse(why, "lambda", t->lambda_per_s, "1e-6 to 1e6 customers a second");
    if (t->batch < 1 || t->batch > ARRIVAL_BATCH_MOST)
        return refuse(why, "batch", t->batch, "1 to 10000 customers that come together");
    if (!is_within(t->customers, CUSTOMERS_LEAST, CUSTOMERS_MOST))
        return refuse(why, "customers", t->customers, "1000 to 1e9");
    if (!is_within(t->warm_up, 0, WARM_UP_MOST))
        return refuse(why, "warm-up", t->warm_up, "a fraction of the run from 0 to 0.9");
    if (t->batches < QUEUE_LINE_LEAST_BATCHES || t->batches > QUEUE_LINE_MOST_BATCHES)
        return refuse(why, "batches", t->batches, "10 to 1000");
    if (t->customers * (1 - t->warm_up) < CUSTOMERS_A_BATCH * (double)t->batches)
        return refuse(why, "batches", t->batches, "at least 20 customers in each, behind the warm-up");
    return 0;
}

static int check_length(const struct queue_line *t, struct why *why)
{
    if (t->until_width == 0)
        return 0;
    if (!is_within(t->until_width, 1e-4, 1))
        return refuse(why, "width", t->until_width, "a fraction of the value, 1e-4 to 1");
    if (!is_within(t->most_customers, t->customers, CUSTOMERS_MOST))
        return refuse(why, "most customers", t->most_customers,
                      "no fewer than the customers to begin with, 1e9 at most");
    if (t->batches % 2)
        return refuse(why, "batches", t->batches,
                      "an even number, since each two become one when a run is lengthened");
    return 0;
}

static int check_stage(const struct queue_line_stage *s, struct why *why)
{
    if (!is_within(s->mu_per_s, RATE_LEAST, RATE_MOST))
        return refuse(why, "mu", s->mu_per_s, "1e-6 to 1e6 services a second");
    if (s->places > PLACES_MOST)
        return refuse(why, "capacity", s->places, "0 (unbounded) to 1000000 places");
    if (s->service != SERVICE_MIXTURE)
        return 0;
    if (!is_within(s->long_fraction, 0, 1))
        return refuse(why, "mixture", s->long_fraction, "a fraction of long services from 0 to 1");
    if (!is_within(s->long_ratio, 1, LONG_RATIO_MOST))
        return refuse(why, "mixture", s->long_ratio, "long services 1 to 1e6 times as long as short ones");
    return 0;
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
        "a run of %g s is too long to tell services of %g s apart: fewer customers, or rates nearer to "
        "each other",
        end_s, shortest_s);
}

/* What no stage before it can pass on does not come. */
static int check_steady(const struct queue_line *t, struct why *why)
{
    double inflow_per_s = t->lambda_per_s;
    for (unsigned i = 0; i < t->stage_count; i++) {
        double mu_per_s = t->stages[i].mu_per_s;
        if (t->stages[i].places == 0 && inflow_per_s >= mu_per_s)
            return why_say(
                why, QUEUE_LINE_ERANGE,
                "stage %u has no steady state: %g customers a second come, %g can be served; bound it with a "
                "capacity",
                i + 1, inflow_per_s, mu_per_s);
        inflow_per_s = fmin(inflow_per_s, mu_per_s);
    }
    return 0;
}

int queue_line_check(const struct queue_line *t, struct why *why)
{
    if (t->stage_count < 1 || t->stage_count > QUEUE_LINE_STAGES_MAX)
        return refuse(why, "stages", t->stage_count, "1 to 16");
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
    double least; /* smaller values' intervals are compared with it */
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
    [QUEUE_LINE_BLOCKING] = {"blocking", "1", FRACTION_LEAST},
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
