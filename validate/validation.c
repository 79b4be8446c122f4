#include "validate/validation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/shown.h"
#include "model/queue/mercury_tandem.h"
#include "model/model_error.h"
#include "sim/measure/machine_quantities.h"
#include "validate/run_inputs.h"

/* Models whose mean distances differ by less are equally good; the first of them is best. */
#define SAME_DISTANCE 1e-9

/* --- over the passes ------------------------------------------------------------------------------------- */

const char *validation_best_name(const struct validation_best *best)
{
    return best->model >= 0                       ? verdict_model_name((enum verdict_model)best->model)
           : best->model == VALIDATION_BEST_INPUT ? "-"
           : best->model == VALIDATION_BEST_NONE  ? "none"
                                                  : "";
}

static void find_best(struct validation *v, unsigned row)
{
    struct validation_best best = {VALIDATION_BEST_UNKNOWN, NAN, 0};
    const double least = verdict_least(row);
    bool best_is_near = false;
    size_t first = v->count > 1 ? 1 : 0;
    for (unsigned model = 0; model < VERDICT_MODELS; model++) {
        struct validation_best at = {(int)model, 0, 0};
        double log_off = 0, telling = 0;
        for (size_t i = first; i < v->count; i++) {
            const struct verdict_cell *cell = &v->frames[i].cells[row][model];
            double simulated = verdict_simulated(&v->frames[i], row);
            if (cell->why_not || cell->given || !isfinite(simulated))
                continue;
            at.mean_distance += verdict_distance(row, cell->predicted, simulated);
            log_off += fabs(log(fmax(cell->predicted, least) / fmax(simulated, least)));
            telling += fmax(cell->predicted, simulated) > least;
            at.frames++;
        }
        at.mean_distance /= (double)at.frames;
        const bool near = log_off <= telling * log(VALIDATION_NEAR);
        if (at.frames > best.frames ||
            (at.frames > 0 && at.frames == best.frames &&
             (near != best_is_near ? near : at.mean_distance < best.mean_distance - SAME_DISTANCE))) {
            best = at;
            best_is_near = near;
        }
    }
    if (machine_quantities[row].kind == QUANTITY_LAMBDA || machine_quantities[row].kind == QUANTITY_RHO)
        best = (struct validation_best){VALIDATION_BEST_INPUT, NAN, 0};
    else if (best.model >= 0 && !best_is_near)
        best = (struct validation_best){VALIDATION_BEST_NONE, NAN, 0};
    v->best[row] = best;
}

unsigned validation_count_over(const struct validation *v, double fraction, unsigned *worst_row,
                               unsigned *worst_model)
{
    const struct verdict_frame *run = &v->frames[0];
    unsigned count = 0;
    double worst = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++) {
            const struct verdict_cell *cell = &run->cells[row][model];
            double simulated = verdict_simulated(run, row),
                   distance = verdict_distance(row, cell->predicted, simulated);
            bool inside = !cell->why_not && !cell->given && cell->reasons == 0;
            if (!inside || !(distance > fraction) ||
                fabs(cell->predicted - simulated) <= v->intervals[0][row].estimate.half_width)
                continue;
            count++;
            if (distance > worst) {
                worst = distance;
                *worst_row = row;
                *worst_model = model;
            }
        }
    return count;
}

/* --- intervals ------------------------------------------------------------------------------------------- */

static struct row_interval interval_of_pass(const struct frame_values *pass,
                                            const struct verdict_frame *frame, unsigned row)
{
    unsigned number = row <= RHO_1B ? row : row + 1; /* enum machine_estimate */
    struct row_interval out = {
        .estimate = pass->estimates[row == RHO_1B && frame->saturated ? ESTIMATE_RHO_1B_SATURATED : number],
        .batches = pass->batches > 0 && pass->batches < 1e9 ? (size_t)pass->batches
                                                            : 0, /* a file may say anything */
    };
    out.estimate.half_width *= machine_quantities[row].kind == QUANTITY_LAMBDA ? 1e-6 : 1;
    if (pass->batches == 0)
        out.none = "the summary has no batches inside its passes";
    else if (!(out.estimate.half_width >= 0 && out.batches >= 2))
        out.none = isfinite(out.estimate.mean)
                       ? "fewer than 10 batches: a pass of so few blocks is one observation"
                       : "no batch has a value";
    if (out.none)
        out.estimate.half_width = NAN;
    return out;
}

static const struct estimate no_estimate = {NAN, NAN, NAN, NAN};

static struct row_interval taken_from(struct estimate estimate, size_t batches, const char *none)
{
    return isfinite(estimate.half_width) ? (struct row_interval){estimate, NULL, batches}
                                         : (struct row_interval){no_estimate, none, batches};
}

static struct row_interval over_batches(const struct verdict_frame *frames,
                                        struct row_interval (*intervals)[MACHINE_QUANTITIES], unsigned row,
                                        size_t passes, struct batch_stratum *strata)
{
    const char *none = passes > 0 ? NULL : "the run's frame alone, without its passes";
    size_t batches = 0;
    for (size_t i = 0; i < passes; i++) {
        const struct row_interval *of_pass = &intervals[i + 1][row];
        strata[i] = (struct batch_stratum){
            .estimate = of_pass->estimate,
            .batches = of_pass->batches,
            .whole = frames[i + 1].terms[row].whole,
        };
        strata[i].estimate.mean = verdict_simulated(&frames[i + 1], row);
        batches += of_pass->batches;
        none = none ? none : of_pass->none;
    }
    return taken_from(batch_means_of_strata(strata, passes), batches, none ? none : "no pass has a value");
}

static void find_intervals_of_run(const struct verdict_frame *frames,
                                  struct row_interval (*intervals)[MACHINE_QUANTITIES], size_t passes)
{
    auto_free struct batch_term *terms = memory_new(passes, sizeof *terms);
    auto_free struct batch_stratum *strata = memory_new(passes, sizeof *strata);
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        bool is_mixed = false;
        for (size_t i = 0; i < passes; i++) {
            is_mixed = is_mixed || (row == RHO_1B && frames[i + 1].saturated != frames[0].saturated);
            terms[i] = frames[i + 1].terms[row];
        }
        intervals[0][row] =
            is_mixed
                ? (struct row_interval){no_estimate, "1b is saturated in some passes and not in others", 0}
            : passes >= ROW_PASSES ? taken_from(batch_means(terms, passes), passes, "no pass has a value")
                                   : over_batches(frames, intervals, row, passes, strata);
    }
}

bool row_interval_is_too_narrow(const struct row_interval *interval)
{
    return isfinite(interval->estimate.half_width) &&
           batch_means_are_correlated(&interval->estimate, interval->batches);
}

/* --- findings -------------------------------------------------------------------------------------------- */

static double simulated(const struct validation *v, enum machine_quantity quantity)
{
    return verdict_simulated(&v->frames[0], quantity);
}

static double predicted(const struct validation *v, enum machine_quantity quantity, enum verdict_model model)
{
    return v->frames[0].cells[quantity][model].predicted;
}

enum queues { NO_QUEUE = 0, OF_1A = 1, OF_1B = 2, OF_2 = 4, ALL_QUEUES = 7 };

/* The board's queue whose mean M/M/1 mistakes most, by the factor; parts of an element do not count. */
static enum queues most_mistaken(const struct validation *v)
{
    static const struct {
        enum machine_quantity row;
        enum queues bit;
    } queues[] = {{N_Q_1A, OF_1A}, {N_Q_1B, OF_1B}, {N_Q_2, OF_2}};
    enum queues found = NO_QUEUE;
    double most = 0;
    for (unsigned i = 0; i < 3; i++) {
        const double least = verdict_least(queues[i].row),
                     mm1 = verdict_of_four_stages(&v->frames[0], queues[i].row, PIPELINE_MM1),
                     factor = log((mm1 + least) / (simulated(v, queues[i].row) + least));
        if (!(fabs(factor) > most)) /* NaN: no number */
            continue;
        most = fabs(factor);
        found = queues[i].bit;
    }
    return found;
}

/* The reason is that of the first finding about the queue which is mistaken most, or the first one if none is.
 *
 * @param queues  whose lengths it explains
 * @param reason  in a few words
 */
static void __attribute__((format(printf, 4, 5)))
find(struct validation *v, enum queues queues, const char *reason, const char *format, ...)
{
    const enum queues worst = most_mistaken(v);
    if (!v->reason || ((queues & worst) && !(v->explained & worst)))
        v->reason = reason;
    v->explained |= queues;
    if (v->finding_count == VALIDATION_FINDINGS_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->findings[v->finding_count++], VALIDATION_FINDING_BYTES, format, arguments);
    va_end(arguments);
}

/* A prediction as a part of a sentence. */
static struct shown say(double value, const char *unit)
{
    char number[SHOWN_BYTES];
    return isfinite(value) ? shown_text("%s%s", shown_number(value, "%.3g", number), unit)
                           : shown_text("no number");
}

static void find_back_pressure(struct validation *v)
{
    double p = simulated(v, P_BP_1A), mm1 = predicted(v, P_BP_1A, VERDICT_MM1),
           tandem = predicted(v, P_BP_1A, VERDICT_BLOCKING), held = v->frames[0].evidence[QUANTITY_1A].held;
    if (!(p > VERDICT_BLOCKED) || isnan(held))
        return;
    find(
        v, OF_1A | OF_1B, "later stages hold earlier ones up",
        "Blocking from downstream: a full w-mer FIFO holds stage 1a up in %.1f%% of the time, and the signal of "
        "the ingress FIFO is on in %.1f%%. M/M/1 gives %s, because its stages are independent of later ones.",
        100 * held, 100 * p, say(100 * mm1, "%").text);
    if (isfinite(tandem))
        find(v, OF_1A | OF_1B, "later stages hold earlier ones up",
             "The tandem with blocking gives %.1f%% for that signal (simulated %.1f%%).", 100 * tandem,
             100 * p);
}

static void find_bottleneck(struct validation *v)
{
    const struct verdict_frame *run = &v->frames[0];
    if (!run->saturated)
        return;
    const double *in = run->inputs.value;
    double share = mercury_trip_share(in);
    double clocks = mercury_lookup_service(in[PREDICT_TRIPS], in[PREDICT_DUPLICATES], share).clocks;
    find(
        v, OF_1A | OF_1B, "stage 1b saturates",
        "Stage 1b saturates: a lookup takes %.2f clocks on average, %.2f of them for trips to the duplicate "
        "table (%.4f trips per seed, of %.4g clocks each); the SRAM FIFO holds %.0f of %.0f lookups. rho_1b is 1 by "
        "construction (M_2 is the utilisation of the memory itself), so M/M/1 and M/M/1/K (Dor) have no number.",
        clocks, clocks - 1 + in[PREDICT_DUPLICATES], in[PREDICT_TRIPS], share,
        run->evidence[QUANTITY_1BD].n_q, run->evidence[QUANTITY_1BD].places);
}

/* Blocking makes the pattern of the arrivals, too, and services tell the reason then. Clumps make queues longer. */
static void find_clumps(struct validation *v)
{
    const struct verdict_evidence *e = &v->frames[0].evidence[QUANTITY_1B];
    const double n_q = simulated(v, N_Q_1BD), tandem = predicted(v, N_Q_1BD, VERDICT_BLOCKING);
    if (e->full > VERDICT_OWN_SCV || !(e->arrivals.scv > e->expected_scv * VERDICT_SCV_FACTOR) ||
        n_q < tandem)
        return;
    find(
        v, OF_1B, "seeds come in clumps",
        "Clumps: seeds arrive with scv %.3g, and independent w-mers of that rate would with %.3g, because "
        "neighbouring w-mers are seeds together. The SRAM FIFO holds %.3g lookups; the tandem, which knows no "
        "clumps, gives %s.",
        e->arrivals.scv, e->expected_scv, n_q, say(tandem, "").text);
}

/* Trips keep 1bd at work for more clocks than the SRAM is read in. */
static void find_trips(struct validation *v)
{
    const struct verdict_evidence *e = &v->frames[0].evidence[QUANTITY_1BD];
    const double clocks = v->frames[0].terms[N_Q_2].whole, reads = simulated(v, RHO_1B);
    const double work = e->services.count * e->services.mean_clocks / clocks - e->held;
    if (!v->frames[0].saturated && work > VERDICT_SCV_FACTOR * reads && work - reads > VERDICT_OWN_SCV)
        find(
            v, OF_1B, "lookups take longer than their reads",
            "Trips: 1bd is at work in %.1f%% of the time, because each trip to the duplicate table holds it for "
            "%.4g clocks, and the SRAM is read in %s%%. M/M/1 counts the reads.",
            100 * work, mercury_trip_share(v->frames[0].inputs.value), shown_digits(100 * reads, 3).text);
}

static void find_clustered_trips(struct validation *v)
{
    const struct interval_values *t = &v->frames[0].evidence[QUANTITY_1BD].services;
    if (t->lag1 > fmax(VERDICT_LAG1, 4 / sqrt(t->count)))
        find(
            v, OF_1B, "trips come in clusters",
            "Trips cluster: services of 1bd have a lag-1 correlation of %.2f (scv %.3g), because one seed of a "
            "repeat after the other needs a long list. Every model takes services to be independent.",
            t->lag1, t->scv);
}

static void find_fetch(struct validation *v)
{
    double cycles = v->frames[0].inputs.value[PREDICT_FETCH_CYCLES], rho = simulated(v, RHO_2),
           n_q = simulated(v, N_Q_2);
    double mm1 = predicted(v, N_Q_2, VERDICT_MM1), fetching = rho * cycles;
    if (n_q > 0 && fetching > 0.2 * n_q)
        find(
            v, OF_2, "matches wait for their bases",
            "Fetch latency: a match waits %.0f clocks for its bases in the stage-2 FIFO, which accounts for "
            "%.3g of the %.3g matches there (Little: rho_2 x clocks). M/M/1, which knows no latency, gives %s.",
            cycles, fetching, n_q, say(mm1, "").text);
}

static void find_stage2(struct validation *v)
{
    const struct verdict_evidence *e = v->frames[0].evidence;
    const double *in = v->frames[0].inputs.value;
    double by_trips = in[PREDICT_P_1B] > 0 ? 1 - in[PREDICT_SINGLE_MATCHES] / in[PREDICT_P_1B] : 0;
    if (e[QUANTITY_2].arrivals.scv > VERDICT_SCV_FACTOR)
        find(
            v, OF_2, "matches come in bursts",
            "Matches arrive in bursts: their scv at stage 2 is %.3g, and trips bring %.0f%% of them, several in "
            "one clock. P_BP_2 is %.2g; M/M/1/K (Dor) gives %s.",
            e[QUANTITY_2].arrivals.scv, 100 * fmax(0, by_trips), simulated(v, P_BP_2),
            say(predicted(v, P_BP_2, VERDICT_MM1K_DOR), "").text);
    if (e[QUANTITY_2].held > VERDICT_BLOCKED)
        find(
            v, ALL_QUEUES, "records hold the board up",
            "The bus holds the board up: HSP records share it with the database, and a full egress FIFO stops "
            "stage 2 in %.1f%% of the time, and so 1bd in %.1f%%, 1bp in %.1f%% and 1a in %.1f%%. No model has "
            "that queue, not even the tandem.",
            100 * e[QUANTITY_2].held, 100 * e[QUANTITY_1BD].held, 100 * e[QUANTITY_1BP].held,
            100 * e[QUANTITY_1A].held);
}

static void find_beat(struct validation *v)
{
    const struct verdict_evidence *e = &v->frames[0].evidence[QUANTITY_1A];
    if (e->arrivals.scv < VERDICT_SCV_NONE)
        find(
            v, OF_1A, "words come at constant distances",
            "Words arrive at constant distances (scv %.2g), so that 1a's FIFO is nearly empty: N_Q_1a is %.3g "
            "w-mers; M/M/1 gives %s.",
            e->arrivals.scv, simulated(v, N_Q_1A), say(predicted(v, N_Q_1A, VERDICT_MM1), "").text);
}

static void find_passes(struct validation *v)
{
    if (v->count < 4)
        return;
    size_t least = 1, most = 1;
    unsigned row = N_Q_1B;
    for (size_t i = 1; i < v->count; i++) {
        least = verdict_simulated(&v->frames[i], row) < verdict_simulated(&v->frames[least], row) ? i : least;
        most = verdict_simulated(&v->frames[i], row) > verdict_simulated(&v->frames[most], row) ? i : most;
    }
    double low = verdict_simulated(&v->frames[least], row), high = verdict_simulated(&v->frames[most], row);
    if (high > 1.5 * low && high > 1)
        find(
            v, OF_1B, "passes differ",
            "Passes differ: N_Q_1b is %.3g seeds in %s and %.3g in %s; the inputs of the whole run are means over "
            "different loads.",
            low, v->frames[least].name, high, v->frames[most].name);
}

static void find_all(struct validation *v)
{
    v->finding_count = 0;
    v->reason = NULL;
    v->explained = NO_QUEUE;
    find_bottleneck(v);
    find_trips(v);
    find_back_pressure(v);
    find_clumps(v);
    find_clustered_trips(v);
    find_fetch(v);
    find_stage2(v);
    find_beat(v);
    find_passes(v);
    if (isnan(v->frames[0].evidence[QUANTITY_1B].arrivals.count))
        find(v, NO_QUEUE, NULL,
             "The file holds no scv and lag1 of arrivals and services, since an older version wrote it: "
             "assumptions are judged by rho, N_Q and back-pressure only.");
}

/* --- making it ------------------------------------------------------------------------------------------- */

static int judge_frames(const struct run *run, const struct predict_cases *cases, enum verdict_effort of_run,
                        enum verdict_effort of_passes, struct validation *v, struct why *why)
{
    for (size_t i = 0; i < cases->count; i++) {
        const struct frame_values *frame = i == 0 ? &run->whole : &run->passes[i - 1];
        int status = verdict_make(frame, &cases->cases[i], i > 0 ? of_passes : of_run, &v->frames[i]);
        if (status)
            return why_say(why, VALIDATION_EINPUT, "%.300s: %s: %s", run->name, cases->cases[i].name,
                           model_error_text(status));
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            v->intervals[i][row] = interval_of_pass(frame, &v->frames[i], row);
        v->count++;
    }
    find_intervals_of_run(v->frames, v->intervals, v->count - 1);
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        find_best(v, row);
    find_all(v);
    return 0;
}

int validation_make(const struct run *run, unsigned digits, enum verdict_effort of_run,
                    enum verdict_effort of_passes, struct validation *out, struct why *why)
{
    struct predict_case base = predict_case_default("run");
    base.digits = digits;
    auto_by(predict_cases_free) struct predict_cases cases = {NULL, 0, 0};
    int status = run_inputs_take(run, &base, true, &cases, why);
    if (status)
        return VALIDATION_EINPUT;
    *out = (struct validation){
        .digits = digits,
        .ranges = of_run >= VERDICT_CHAIN_RANGES,
        .frames = memory_new(cases.count, sizeof *out->frames),
        .intervals = memory_new(cases.count, sizeof *out->intervals),
    };
    status = judge_frames(run, &cases, of_run, of_passes, out, why);
    if (status)
        validation_destroy(out);
    return status;
}

int validation_of_frame(const struct frame *run, enum verdict_effort effort, struct validation *out,
                        struct why *why)
{
    const struct run alone = run_of_frame(run);
    return validation_make(&alone, PREDICT_MEASURED_DIGITS, effort, effort, out, why);
}

void validation_destroy(struct validation *validation)
{
    free(validation->frames);
    free(validation->intervals);
    *validation = (struct validation){0};
}
