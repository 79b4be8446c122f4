#include "model/queue/tandem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "base/memory.h"
#include "model/queue/buffer_block.h"
#include "model/model_error.h"
#include "model/numbers.h"

#define THROUGHPUTS_AGREE_WITHIN 1e-9

enum { ITERATIONS_MAX = 2000 };

struct moments {
    double mean, variance;
};

/* Buffer i and the two servers around it. */
struct part {
    struct moments up, down;
    unsigned places, back_pressure_from;   /* without places that delayed elements take */
    struct moments solved_up, solved_down; /* the servers of `result` */
    unsigned solved_places;
    struct buffer_result result;
};

struct line {
    const struct tandem_stage *stages;
    size_t count;
    struct part parts[TANDEM_STAGES_MAX];
};

/* --- moments --------------------------------------------------------------------------------------------- */

static struct moments service_of(const struct tandem_stage *stage)
{
    return (struct moments){stage->service_s, stage->service_scv * stage->service_s * stage->service_s};
}

static struct moments delay_moments(const struct buffer_delay *delay)
{
    double mean = delay->fraction * delay->mean;
    return (struct moments){mean, delay->fraction * delay->second - mean * mean};
}

/* The times between elements that a stage yields, from its times per element of its own. */
static struct moments per_yield(struct moments time, const struct tandem_stage *stage)
{
    double mean = time.mean / stage->yield;
    double scv = stage->yield_dispersion + stage->yield * time.variance / (time.mean * time.mean);
    return (struct moments){mean, scv * mean * mean};
}

/* Blocking per element of a stage: a random sum over the elements it makes. */
static struct moments sum_over_yield(struct moments one, const struct tandem_stage *stage)
{
    return (struct moments){stage->yield * one.mean,
                            stage->yield * (one.variance + stage->yield_dispersion * one.mean * one.mean)};
}

static struct moments add(struct moments a, struct moments b)
{
    return (struct moments){a.mean + b.mean, a.variance + b.variance};
}

/* --- iteration ------------------------------------------------------------------------------------------- */

static int fit(struct moments m, struct phase_type *out)
{
    return phase_type_fit(m.mean, fmax(0, m.variance) / (m.mean * m.mean), out);
}

static int solve_block(struct moments up, struct moments down, unsigned places, unsigned back_pressure_from,
                       struct buffer_result *out, double *waits)
{
    struct phase_type up_phases, down_phases;
    int status = fit(up, &up_phases);
    if (status == 0)
        status = fit(down, &down_phases);
    return status ? status
                  : buffer_block_solve(&up_phases, &down_phases, places, back_pressure_from, out, waits);
}

static int solve_part(struct part *part)
{
    if (part->result.throughput > 0 && part->solved_places == part->places &&
        memcmp(&part->solved_up, &part->up, sizeof part->up) == 0 &&
        memcmp(&part->solved_down, &part->down, sizeof part->down) == 0)
        return 0; /* it is solved */
    int status =
        solve_block(part->up, part->down, part->places, part->back_pressure_from, &part->result, NULL);
    part->solved_up = part->up;
    part->solved_down = part->down;
    part->solved_places = part->places;
    return status;
}

static int sweep_upstream(struct line *l)
{
    for (size_t i = l->count - 1; i > 0; i--) {
        int status = solve_part(&l->parts[i]);
        if (status)
            return status;
        struct moments blocked = delay_moments(&l->parts[i].result.blocking);
        l->parts[i - 1].down = add(service_of(&l->stages[i - 1]), sum_over_yield(blocked, &l->stages[i - 1]));
    }
    return solve_part(&l->parts[0]);
}

static int sweep_downstream(struct line *l)
{
    for (size_t i = 0; i + 1 < l->count; i++) {
        struct moments starved = delay_moments(&l->parts[i].result.starvation);
        l->parts[i + 1].up = per_yield(add(service_of(&l->stages[i]), starved), &l->stages[i]);
        int status = solve_part(&l->parts[i + 1]);
        if (status)
            return status;
    }
    return 0;
}

/* The greatest relative difference between the throughput of a part, in elements of the first, and that of the
 * first. */
static double disagreement(const struct line *l)
{
    double expected = l->parts[0].result.throughput, worst = 0;
    for (size_t i = 1; i < l->count; i++) {
        expected *= l->stages[i - 1].yield;
        worst = fmax(worst, fabs(l->parts[i].result.throughput / expected - 1));
    }
    return worst;
}

/* Near a balance of two stages, a round removes a small and constant share of the error, so that the limit follows from
 * two steps (Lusternik's extrapolation). */
static void extrapolate(struct line *l, const double *first, const double *second, const double *third)
{
    double product = 0, square = 0;
    for (size_t i = 2; i < 2 * l->count; i++) {
        double step = (second[i] - first[i]) / third[i], next = (third[i] - second[i]) / third[i];
        product += step * next;
        square += step * step;
    }
    double share = square > 0 ? product / square : 0;
    if (!(share > 0.5 && share < 0.9999))
        return;
    for (size_t i = 1; i < l->count; i++) {
        double mean = third[2 * i] + (third[2 * i] - second[2 * i]) * share / (1 - share);
        double variance = third[2 * i + 1] + (third[2 * i + 1] - second[2 * i + 1]) * share / (1 - share);
        if (mean > 0 && variance >= 0)
            l->parts[i].up = (struct moments){mean, variance};
    }
}

static int iterate(struct line *l)
{
    enum { ROUNDS_BETWEEN = 10 };
    double states[3][2 * TANDEM_STAGES_MAX] = {{0}}; /* the upstream servers as a round of sweeps ends */
    for (int i = 1; i <= ITERATIONS_MAX; i++) {
        double before = l->parts[0].result.throughput;
        int status = sweep_upstream(l);
        if (status == 0)
            status = sweep_downstream(l);
        if (status)
            return status;
        double change = fabs(l->parts[0].result.throughput - before);
        if (disagreement(l) <= THROUGHPUTS_AGREE_WITHIN &&
            change <= THROUGHPUTS_AGREE_WITHIN * l->parts[0].result.throughput)
            return 0;
        for (size_t part = 1; part < l->count; part++) {
            states[i % 3][2 * part] = l->parts[part].up.mean;
            states[i % 3][2 * part + 1] = l->parts[part].up.variance;
        }
        if (i % ROUNDS_BETWEEN == 0)
            extrapolate(l, states[(i + 1) % 3], states[(i + 2) % 3], states[i % 3]);
    }
    return MODEL_ECONVERGE;
}

static double delayed(const struct line *l, size_t i)
{
    return l->parts[i].result.throughput * l->stages[i].delay_s;
}

/* Take away the places, rounded, that delayed elements need on average at the throughput without delays. */
static int take_delayed_places(struct line *l, bool *any)
{
    *any = false;
    for (size_t i = 0; i < l->count; i++) {
        double taken = round(delayed(l, i));
        if (taken > l->stages[i].places)
            return MODEL_EDELAY;
        *any = *any || taken > 0;
        l->parts[i].places -= (unsigned)taken;
        l->parts[i].back_pressure_from -= (unsigned)fmin(taken, l->parts[i].back_pressure_from);
    }
    return 0;
}

/* --- inputs and answers ---------------------------------------------------------------------------------- */

static int check_stage(const struct tandem_stage *stage, bool last)
{
    if (!is_positive(stage->service_s))
        return MODEL_ESERVICE;
    if (!is_not_negative(stage->service_scv))
        return MODEL_ESCV;
    if (stage->places > BUFFER_BLOCK_PLACES_MAX || stage->back_pressure_from > stage->places)
        return MODEL_ECAPACITY;
    if (!last && (!is_positive(stage->yield) || !is_not_negative(stage->yield_dispersion)))
        return MODEL_EYIELD;
    return is_not_negative(stage->delay_s) ? 0 : MODEL_EDELAY;
}

static struct tandem_result result_of(const struct line *l, size_t i)
{
    const struct tandem_stage *stage = &l->stages[i];
    const struct buffer_result *r = &l->parts[i].result;
    const double n_q = r->waiting + delayed(l, i), n_g = n_q + 1 - r->p_empty;
    return (struct tandem_result){
        .mean = {.rho = r->throughput * stage->service_s,
                 .rho_offered = NAN,
                 .lambda_per_s = r->throughput,
                 .lambda_offered_per_s = NAN,
                 .p_0 = r->p_empty,
                 .n_q = n_q,
                 .n_g = n_g,
                 .w_q_s = n_q / r->throughput,
                 .w_g_s = n_g / r->throughput,
                 .p_k = r->p_full,
                 .p_bp = r->p_back_pressure},
        .blocked = i + 1 < l->count ? l->parts[i + 1].result.p_blocked : 0,
        .p_blocked = r->p_blocked,
    };
}

/* Add the number of delayed elements, Poisson of this mean, to the number that waits: p[n] becomes the sum over d of
 * poisson(d) p[n - d]. There are no more than fit. */
static void add_delayed(double mean, double *p, unsigned places)
{
    double *poisson = memory_take((places + 1) * sizeof *poisson), sum = 0;
    for (unsigned d = 0; d <= places; d++)
        poisson[d] = gsl_ran_poisson_pdf(d, mean);
    for (unsigned n = places + 1; n-- > 0;) {
        double at = 0;
        for (unsigned d = 0; d <= n; d++)
            at += poisson[d] * p[n - d];
        sum += p[n] = at;
    }
    p[places] += fmax(0, 1 - sum);
    free(poisson);
}

static int find_lengths(const struct line *l, size_t i, double *lengths)
{
    const struct part *part = &l->parts[i];
    struct buffer_result same;
    int status = solve_block(part->solved_up, part->solved_down, part->solved_places, 0, &same, lengths);
    for (unsigned n = part->solved_places + 1; n <= l->stages[i].places; n++)
        lengths[n] = 0;
    if (status == 0 && l->stages[i].delay_s > 0)
        add_delayed(delayed(l, i), lengths, l->stages[i].places);
    return status;
}

int tandem_solve(const struct tandem_source *source, const struct tandem_stage *stages, size_t count,
                 struct tandem_result *results, double *const *lengths)
{
    if (count < 1 || count > TANDEM_STAGES_MAX)
        return MODEL_ESTAGES;
    if (!is_positive(source->per_s))
        return MODEL_EARRIVALS;
    int status = is_not_negative(source->scv) ? 0 : MODEL_ESCV;
    for (size_t i = 0; i < count && status == 0; i++)
        status = check_stage(&stages[i], i + 1 == count);
    if (status)
        return status;
    struct line l = {.stages = stages, .count = count};
    bool again = false;
    l.parts[0].up = (struct moments){1 / source->per_s, source->scv / (source->per_s * source->per_s)};
    for (size_t i = 0; i < count; i++) {
        l.parts[i].places = stages[i].places;
        l.parts[i].back_pressure_from = stages[i].back_pressure_from;
        l.parts[i].down = service_of(&stages[i]);
        if (i > 0)
            l.parts[i].up = per_yield(service_of(&stages[i - 1]), &stages[i - 1]);
    }
    status = iterate(&l);
    if (status == 0)
        status = take_delayed_places(&l, &again);
    if (status == 0 && again)
        status = iterate(&l);
    for (size_t i = 0; i < count && lengths && status == 0; i++)
        status = find_lengths(&l, i, lengths[i]);
    for (size_t i = 0; i < count && status == 0; i++)
        results[i] = result_of(&l, i);
    return status;
}
