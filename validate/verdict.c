#include "validate/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/queue/mercury_model.h"
#include "model/model_error.h"
#include "validate/run_inputs.h"

const char *verdict_model_name(enum verdict_model model)
{
    return model < VERDICT_FIVE    ? pipeline_model_name((enum pipeline_model)model)
           : model == VERDICT_FIVE ? "five-stage"
                                   : "blocking";
}

const char *const verdict_reason_texts[VERDICT_REASONS] = {
    "rho_o near 1",           "N_Q near K",       "arrivals' scv",       "arrivals' lag1",
    "services' scv",          "services' lag1",   "held up from behind", "holds up what is before",
    "elements come together", "loses what comes", "arrivals' rate",      "arrivals' dispersion",
    "services' dispersion",   "above the bound",  "a clock in the FIFO", "arrivals' view",
};

const char *verdict_word(const struct verdict_cell *cell)
{
    return cell->why_not ? "outside" : cell->given ? "given" : cell->reasons ? "violated" : "inside";
}

const char *verdict_why(const struct verdict_cell *cell, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (cell->why_not)
        snprintf(text, size, "%s", cell->why_not);
    for (unsigned i = 0; !cell->why_not && i < VERDICT_REASONS; i++)
        if (cell->reasons >> i & 1 && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", verdict_reason_texts[i]);
    return text;
}

bool verdict_group(const struct verdict_cell *cells, unsigned count, const char *const *names, unsigned model,
                   struct verdict_group *group)
{
    char why[VERDICT_TEXT_BYTES], other_why[VERDICT_TEXT_BYTES];
    const char *word = verdict_word(&cells[model]);
    size_t length = 0;
    verdict_why(&cells[model], why, sizeof why);
    snprintf(group->text, sizeof group->text, "%s%s%.200s", word, *why ? ": " : "", why);
    for (unsigned other = 0; other < count && !cells[model].given; other++) {
        if (cells[other].given || strcmp(verdict_word(&cells[other]), word) != 0 ||
            strcmp(verdict_why(&cells[other], other_why, sizeof other_why), why) != 0)
            continue;
        if (other < model)
            return false;
        length += (size_t)snprintf(group->models + length, sizeof group->models - length, "%s%s",
                                   length ? ", " : "", names ? names[other] : verdict_model_name(other));
    }
    return length > 0;
}

double verdict_simulated(const struct verdict_frame *frame, unsigned row)
{
    const struct batch_term *term = &frame->terms[row];
    return term->whole > 0 ? term->part / term->whole : NAN;
}

double verdict_least(unsigned row)
{
    enum quantity_kind kind = machine_quantities[row].kind;
    return kind == QUANTITY_N_Q ? 0.1 : kind == QUANTITY_LAMBDA ? 1e-3 : 0.01;
}

double verdict_distance(unsigned row, double predicted, double simulated)
{
    return fabs(predicted - simulated) / fmax(fabs(simulated), verdict_least(row));
}

/* --- what was measured ----------------------------------------------------------------------------------- */

static void fill_terms(const struct frame_values *f, bool saturated, struct verdict_frame *out)
{
    const double *n = f->counters, capacity = f->gauges[GAUGE_CAPACITY_BYTES_PER_S],
                 database = n[PCIX_DATABASE_BYTES];
    double records = mercury_records_crossed(n[PCIX_RECORD_BYTES], f->gauges[GAUGE_HSP_BYTES], database,
                                             n[PCIX_BUSY] * capacity);
    struct quantity_counts counts = {
        .clocks = f->clocks,
        .seconds = n[PCIX_MEASURED_TIME],
        .words = n[S1A_WORDS],
        .wmers = n[S1A_WMERS],
        .seeds = n[S1B_SEEDS],
        .lookups = n[S1B_SEEDS],
        .sram_reads = n[S1B_SRAM_READS],
        .matches = n[S2_MATCHES],
        .bus_bytes = database + records,
        .bus_capacity_bytes = n[PCIX_MEASURED_TIME] * capacity,
    };
    for (unsigned i = 0; i < FIFO_EGRESS; i++) {
        counts.occupancy[i] = f->queues[i].mean * f->clocks;
        counts.signal[i] = f->queues[i].signal * f->clocks;
    }
    machine_quantity_terms(&counts, saturated, out->terms);
}

static void fill_evidence(const struct frame_values *f, struct verdict_frame *out)
{
    static const enum quantity_stage stages[BOARD_STAGES] = {QUANTITY_1A, QUANTITY_1BP, QUANTITY_1BD,
                                                             QUANTITY_2};
    const struct predict_case *c = &out->inputs;
    struct verdict_evidence *e = out->evidence;
    for (unsigned i = 0; i < BOARD_STAGES; i++) {
        const struct queue_values *fifo = &f->queues[board_stages[i].takes];
        const struct interval_values *services = &f->intervals[board_stages[i].services];
        double own = services->count; /* a clock each, but those of 1bd's trips */
        if (i == BOARD_STAGE_1BD)
            own = run_inputs_work_1bd(f, c);
        double held = (services->count * services->mean_clocks - own) / f->clocks;
        e[stages[i]] = (struct verdict_evidence){
            .arrivals = f->intervals[board_stages[i].arrivals],
            .services = *services,
            .expected_scv = 1,
            .held = held < 1e-12 ? 0 : held, /* NaN stays */
            .full = fifo->signal,
            .n_q = fifo->mean,
            .per_clock = f->intervals[board_stages[i].arrivals].count / f->clocks,
            .places = fifo->places,
        };
    }
    /* the scv of the times between elements that arrive in Poisson batches of b on average: 2b - 1 */
    double p = c->value[PREDICT_P_1A], n = c->value[PREDICT_WMERS_PER_WORD];
    e[QUANTITY_1BP].expected_scv = p > 0 ? 2 * n * p / -expm1(n * log1p(-fmin(p, 1 - 1e-12))) - 1 : 1;
    e[QUANTITY_1B] = e[QUANTITY_1BD]; /* 1b as one stage: seeds in, lookups done, both queues */
    e[QUANTITY_1B].arrivals = e[QUANTITY_1BP].arrivals;
    e[QUANTITY_1B].expected_scv = e[QUANTITY_1BP].expected_scv;
    e[QUANTITY_1B].full = e[QUANTITY_1BP].full;
    e[QUANTITY_1B].n_q += e[QUANTITY_1BP].n_q;
    e[QUANTITY_1B].places += e[QUANTITY_1BP].places;
    e[QUANTITY_1B].per_clock += e[QUANTITY_1BP].per_clock;
    struct interval_values none = {NAN, NAN, NAN, NAN};
    e[QUANTITY_PCI] = (struct verdict_evidence){none, none, 1, NAN, NAN, NAN, NAN};
}

/* --- what the models say --------------------------------------------------------------------------------- */

/* The stages of the chain of four; -1 if it has no such stage. */
static const int in_four[QUANTITY_STAGES] = {MERCURY_PCI, MERCURY_1A, MERCURY_1B, -1, -1, MERCURY_2};

const struct prediction_stage *verdict_stage(const struct prediction *p, enum quantity_stage stage, bool five)
{
    static const int in_five[QUANTITY_STAGES] = {MERCURY_FIVE_PCI, MERCURY_FIVE_1A,  MERCURY_FIVE_1BP,
                                                 MERCURY_FIVE_1BP, MERCURY_FIVE_1BD, MERCURY_FIVE_2};
    return five || in_four[stage] < 0 ? &p->parts[PREDICTION_FIVE].stages[in_five[stage]]
                                      : &p->parts[PREDICTION_FOUR].stages[in_four[stage]];
}

/* What a model says of a stage. The rates and utilisations of a chain only repeat its inputs, but for M/M/1/K's. */
static bool is_given(unsigned model, enum quantity_kind kind)
{
    return model != PIPELINE_MM1K && model != PREDICTION_BLOCKING &&
           (kind == QUANTITY_LAMBDA || kind == QUANTITY_RHO);
}

static double said_of(const struct prediction_stage *stage, unsigned model, enum quantity_kind kind)
{
    const struct queue_result *mean = &stage->queue[model].mean;
    const double said[] = {
        [QUANTITY_LAMBDA] = (is_given(model, kind) ? stage->lambda_per_s : mean->lambda_per_s) / 1e6,
        [QUANTITY_RHO] = is_given(model, kind) ? stage->rho : mean->rho,
        [QUANTITY_N_Q] = mean->n_q,
        [QUANTITY_P_BP] = mean->p_bp,
    };
    return said[kind];
}

bool verdict_is_of_four_stages(enum machine_quantity quantity)
{
    return in_four[machine_quantities[quantity].stage] >= 0;
}

double verdict_of_four_stages(const struct verdict_frame *frame, enum machine_quantity quantity,
                              enum pipeline_model model)
{
    const struct machine_quantity_spec *spec = &machine_quantities[quantity];
    return said_of(&frame->four_stages.stages[in_four[spec->stage]], model, spec->kind);
}

/* The model of a prediction that a verdict is of. */
static unsigned own_model(enum verdict_model model)
{
    return model == VERDICT_BLOCKING ? PREDICTION_BLOCKING
           : model == VERDICT_FIVE   ? PIPELINE_MM1K_DOR
                                     : (unsigned)model;
}

const struct pipeline_queue *verdict_queue(const struct prediction *p, enum quantity_stage stage,
                                           enum verdict_model model)
{
    return &verdict_stage(p, stage, model >= VERDICT_FIVE)->queue[own_model(model)];
}

static void ask(const struct prediction *p, unsigned row, enum verdict_model model, bool saturated,
                struct verdict_cell *cell)
{
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    const bool of_1b = spec->stage == QUANTITY_1B, five = model >= VERDICT_FIVE;
    const unsigned own = own_model(model);
    int status = verdict_queue(p, spec->stage, model)->status;
    *cell = (struct verdict_cell){.predicted = NAN, .low = NAN, .high = NAN};
    if (saturated && of_1b && spec->kind == QUANTITY_RHO) {
        cell->why_not = "rho_1b of a saturated 1b is seeds a read, an input";
        return;
    }
    cell->given = is_given(own, spec->kind);
    cell->predicted = said_of(verdict_stage(p, spec->stage, five), own, spec->kind);
    if (five && of_1b && spec->kind == QUANTITY_N_Q) { /* that of both queues */
        const struct pipeline_queue *second = verdict_queue(p, QUANTITY_1BD, model);
        cell->predicted += second->mean.n_q;
        status = status ? status : second->status;
    }
    if (model == VERDICT_BLOCKING && of_1b && spec->kind == QUANTITY_RHO)
        cell->predicted *= p->inputs->value[PREDICT_M_1B];
    if (!isfinite(cell->predicted)) {
        cell->predicted = NAN;
        cell->why_not = status ? model_error_text(status) : "the model has no bound of the queue";
    }
}

/* --- the domain ------------------------------------------------------------------------------------------ */

static bool is_off(double scv, double expected)
{
    if (expected <= 0)
        return scv > VERDICT_SCV_NONE;
    return scv > expected * VERDICT_SCV_FACTOR || scv < expected / VERDICT_SCV_FACTOR;
}

static bool is_alike(const struct interval_values *t)
{
    return fabs(t->lag1) > fmax(VERDICT_LAG1, 4 / sqrt(t->count)); /* false where there is none */
}

/* Only more than independent times have: where fewer come in a long time than by chance, lag1 says so. */
static bool is_slow(const struct dispersion *d, double scv)
{
    scv = fmax(scv, VERDICT_SCV_NONE);
    return d->estimate > scv * VERDICT_SCV_FACTOR && d->least > scv;
}

/* If a queue is full much of the time, elements enter as places become free: blocking, which the tandem has, makes the
 * pattern of its arrivals. Stage 2 is different, because trips bring several matches together. */
static bool let_in_by_blocking(const struct verdict_evidence *e, enum quantity_stage stage,
                               enum verdict_model model)
{
    return model == VERDICT_BLOCKING && stage != QUANTITY_2 && e->full > VERDICT_OWN_SCV;
}

/* The queue of 1a holds words, and its models take w-mers; 16 single w-mers arrive together. */
static bool arrivals_are_off(const struct verdict_evidence *e, enum quantity_stage stage,
                             enum verdict_model model, double wmers_per_word)
{
    bool batches = model == VERDICT_MXG1 || model == VERDICT_BLOCKING;
    if (let_in_by_blocking(e, stage, model))
        return false;
    if (stage == QUANTITY_1A && model == VERDICT_BLOCKING) /* its source has no variance */
        return e->arrivals.scv > VERDICT_SCV_FACTOR - 1;
    double scv =
        stage == QUANTITY_1A && !batches ? wmers_per_word * (1 + e->arrivals.scv) - 1 : e->arrivals.scv;
    return is_off(scv, batches ? e->expected_scv : 1);
}

unsigned verdict_reasons(const struct verdict_evidence *e, const struct verdict_assumptions *a, double rho)
{
    unsigned reasons = 0;
    reasons |= !a->has_bound && rho >= VERDICT_RHO ? VERDICT_LOADED : 0;
    reasons |= !a->has_bound && e->n_q > e->places / 2 ? VERDICT_BOUND : 0;
    reasons |= !isnan(a->arrivals_scv) && is_off(e->arrivals.scv, a->arrivals_scv) ? VERDICT_ARRIVALS : 0;
    if (e->arrivals.scv > VERDICT_SCV_NONE && is_alike(&e->arrivals))
        reasons |= VERDICT_ARRIVALS_ALIKE;
    reasons |= !isnan(a->services_scv) && is_off(e->services.scv, a->services_scv) ? VERDICT_SERVICES : 0;
    if (e->services.scv > VERDICT_SCV_NONE && is_alike(&e->services))
        reasons |= VERDICT_SERVICES_ALIKE;
    reasons |= is_slow(&e->arrivals_slow, fmax(e->arrivals.scv, a->arrivals_scv)) ? VERDICT_ARRIVALS_SLOW : 0;
    reasons |= is_slow(&e->services_slow, fmax(e->services.scv, a->services_scv)) ? VERDICT_SERVICES_SLOW : 0;
    reasons |= e->held > VERDICT_BLOCKED ? VERDICT_HELD : 0;
    reasons |= !a->has_bound && e->full > VERDICT_BLOCKED ? VERDICT_FULL : 0;
    return reasons;
}

/* What the machine's stages have of their own: words, batches, and the tandem, which knows what holds them up but for
 * records, since it has no egress FIFO. */
static unsigned reasons_of(const struct verdict_evidence *stages, enum quantity_stage stage,
                           enum verdict_model model, double rho, double wmers_per_word)
{
    const struct verdict_evidence *e = &stages[stage];
    struct verdict_evidence seen = *e;
    bool tandem = model == VERDICT_BLOCKING;
    if (let_in_by_blocking(e, stage, model)) { /* by 1bd's services, then */
        seen.arrivals = (struct interval_values){NAN, NAN, NAN, NAN};
        seen.services = stages[QUANTITY_1BD].services;
    }
    if (tandem)
        seen.held = stages[QUANTITY_2].held;
    unsigned reasons = verdict_reasons(
        &seen, &(struct verdict_assumptions){.arrivals_scv = NAN, .services_scv = NAN, .has_bound = tandem},
        rho);
    reasons |= arrivals_are_off(e, stage, model, wmers_per_word) ? VERDICT_ARRIVALS : 0;
    bool exponential = model <= VERDICT_MM1K_DOR || model == VERDICT_FIVE;
    bool any_service = tandem || (!exponential && model != VERDICT_MD1 &&
                                  (stage == QUANTITY_1B || stage == QUANTITY_1BD)); /* of the right mean */
    reasons |= !any_service && is_off(e->services.scv, exponential ? 1 : 0) ? VERDICT_SERVICES : 0;
    return reasons;
}

/* rho_o, the offered load: that of either M/M/1/K, or the chain's rho for other models. */
static double rho_offered(const struct prediction *p, enum quantity_stage stage, enum verdict_model model)
{
    bool loses = model == VERDICT_MM1K || model == VERDICT_MM1K_DOR || model == VERDICT_FIVE;
    double offered = verdict_queue(p, stage, model)->mean.rho_offered;
    return loses && isfinite(offered) ? offered : verdict_stage(p, stage, model == VERDICT_FIVE)->rho;
}

/* --- the range ------------------------------------------------------------------------------------------- */

static const enum predict_input moved[] = {PREDICT_LAMBDA_IN, PREDICT_P_1A, PREDICT_P_1B,
                                           PREDICT_P_1BP,     PREDICT_M_1B, PREDICT_M_2};
static const enum predict_input loads[] = {PREDICT_P_1A, PREDICT_P_1B, PREDICT_TRIPS, PREDICT_DUPLICATES};

enum { MOVED = sizeof moved / sizeof moved[0], LOADS = sizeof loads / sizeof loads[0] };

/* An end of the values that round to a value; a fraction is at most 1. */
static double end_of(const struct predict_case *c, enum predict_input input, bool high)
{
    double value = c->value[input];
    double end = mercury_rounding_end(value, high, c->digits);
    bool fraction = input == PREDICT_P_1A || input == PREDICT_P_1BP || input == PREDICT_M_2 ||
                    input == PREDICT_DUPLICATES;
    return fraction ? fmin(end, 1) : end;
}

static void widen(const struct prediction *p, unsigned first_model, unsigned end_model,
                  struct verdict_frame *out)
{
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = first_model; model < end_model; model++) {
            struct verdict_cell *cell = &out->cells[row][model], at;
            if (cell->why_not || cell->given)
                continue;
            if (isnan(cell->low))
                cell->low = cell->high = cell->predicted;
            ask(p, row, model, out->saturated, &at);
            cell->edge |= at.why_not != NULL;
            cell->low = fmin(cell->low, at.predicted);
            cell->high = fmax(cell->high, at.predicted);
        }
}

static void find_ranges(bool tandem, struct verdict_frame *out)
{
    struct prediction p;
    struct predict_case c = out->inputs;
    c.digits = 0; /* a corner is exact */
    for (unsigned corner = 0; corner < 1u << MOVED; corner++) {
        bool twice = c.value[PREDICT_M_2] >= 1 && (corner >> (MOVED - 1) & 1); /* 1 is no measurement */
        for (unsigned i = 0; i < MOVED; i++)
            if (moved[i] != PREDICT_M_2 || out->inputs.value[PREDICT_M_2] < 1)
                c.value[moved[i]] = end_of(&out->inputs, moved[i], corner >> i & 1);
        c.value[PREDICT_SUPPLY] =
            end_of(&out->inputs, PREDICT_SUPPLY, corner & 1); /* as lambda_in, moved[0] */
        if (!twice && prediction_make_chains(&c, &p) == 0)
            widen(&p, VERDICT_MM1, VERDICT_BLOCKING, out);
    }
    for (unsigned high = 0; tandem && high < 2; high++) {
        c = out->inputs;
        c.digits = 0;
        for (unsigned i = 0; i < LOADS; i++)
            c.value[loads[i]] = end_of(&out->inputs, loads[i], high);
        if (prediction_make(&c, &p) == 0)
            widen(&p, VERDICT_BLOCKING, VERDICT_MODELS, out);
    }
}

int verdict_make(const struct frame_values *frame, const struct predict_case *inputs,
                 enum verdict_effort effort, struct verdict_frame *out)
{
    struct prediction p;
    const bool saturated = run_inputs_saturated(frame, inputs);
    *out = (struct verdict_frame){.saturated = saturated, .inputs = *inputs};
    snprintf(out->name, sizeof out->name, "%s", inputs->name);
    int status = effort == VERDICT_CHAINS ? prediction_make_chains(&out->inputs, &p)
                                          : prediction_make(&out->inputs, &p);
    if (status)
        return status;
    out->four_stages = p.parts[PREDICTION_FOUR];
    fill_terms(frame, saturated, out);
    fill_evidence(frame, out);
    double wmers_per_word = inputs->value[PREDICT_WMERS_PER_WORD];
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++) {
            struct verdict_cell *cell = &out->cells[row][model];
            enum quantity_stage stage = machine_quantities[row].stage;
            ask(&p, row, model, saturated, cell);
            if (cell->why_not || cell->given)
                continue;
            cell->reasons =
                reasons_of(out->evidence, stage, model, rho_offered(&p, stage, model), wmers_per_word);
            if (machine_quantities[row].kind == QUANTITY_N_Q &&
                out->evidence[stage].per_clock > VERDICT_CLOCK * out->evidence[stage].n_q)
                cell->reasons |= VERDICT_A_CLOCK;
        }
    if (effort >= VERDICT_CHAIN_RANGES)
        find_ranges(effort == VERDICT_ALL_RANGES, out);
    return 0;
}
