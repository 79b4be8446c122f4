#include "validate/validation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
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
    validation_find(v);
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
