#include "validate/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"
#include "traces/summary.h"
#include "model/model_error.h"
#include "model/predict/predict_summary.h"
#include "sim/measure/machine_frame.h"
#include "validate/findings.h"

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

static bool is_input(unsigned row)
{
    return machine_quantities[row].kind == QUANTITY_LAMBDA || machine_quantities[row].kind == QUANTITY_RHO;
}

static void find_best(struct validation *v, unsigned row)
{
    struct validation_best best = {VALIDATION_BEST_UNKNOWN, NAN, 0};
    bool near = false;
    size_t first = v->count > 1 ? 1 : 0;
    for (unsigned model = 0; model < VERDICT_MODELS; model++) {
        struct validation_best at = {(int)model, 0, 0};
        double log_off = 0;
        for (size_t i = first; i < v->count; i++) {
            const struct verdict_cell *cell = &v->frames[i].cells[row][model];
            double simulated = verdict_simulated(&v->frames[i], row);
            if (cell->why_not || cell->given || !isfinite(simulated))
                continue;
            at.mean_distance += verdict_distance(row, cell->predicted, simulated);
            log_off +=
                fabs(log(fmax(cell->predicted, verdict_least(row)) / fmax(simulated, verdict_least(row))));
            at.frames++;
        }
        at.mean_distance /= (double)at.frames;
        near = near || log_off / (double)at.frames <= log(VALIDATION_NEAR); /* NaN without a frame */
        if (at.frames > best.frames || (at.frames > 0 && at.frames == best.frames &&
                                        at.mean_distance < best.mean_distance - SAME_DISTANCE))
            best = at;
    }
    if (is_input(row))
        best = (struct validation_best){VALIDATION_BEST_INPUT, NAN, 0};
    else if (best.model >= 0 && !near)
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
                fabs(cell->predicted - simulated) <= v->intervals[0][row].half_width)
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

/* --- making it ------------------------------------------------------------------------------------------- */

/* How much is asked of the models for the run, and for its passes. */
struct efforts {
    enum verdict_effort run, pass;
};

static int judge_frames(const json_t *root, const struct predict_cases *cases, const char *name,
                        struct efforts efforts, struct validation *v, struct why *why)
{
    const json_t *passes = json_object_get(root, "per_pass");
    for (size_t i = 0; i < cases->count; i++) {
        const json_t *frame = i == 0 ? root : json_array_get(passes, i - 1);
        bool saturated =
            json_number_at(frame, "stage_1b.wmer_fifo.back_pressure_fraction") > MERCURY_SATURATED;
        int status = verdict_make(frame, &cases->cases[i], saturated, i > 0 ? efforts.pass : efforts.run,
                                  &v->frames[i]);
        if (status)
            return why_say(why, status == MODEL_EMEMORY ? VALIDATION_EMEMORY : VALIDATION_EINPUT,
                           "%.300s: %s: %s", name, cases->cases[i].name, model_error_text(status));
        row_intervals_of_pass(frame, &v->frames[i], v->intervals[i]);
        v->count++;
    }
    if (!row_intervals_of_run(v->frames, v->intervals, v->count - 1))
        return why_no_memory(why, VALIDATION_EMEMORY);
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        find_best(v, row);
    findings_make(v);
    return 0;
}

static int make(const json_t *root, const char *name, unsigned digits, struct efforts efforts,
                struct validation *out, struct why *why)
{
    struct predict_case base = predict_case_default("run");
    base.digits = digits;
    struct predict_cases cases = {NULL, 0, 0};
    int status = predict_summary_take(root, name, &base, true, &cases, why);
    if (status)
        return predict_cases_free(&cases), status == PREDICT_EMEMORY ? VALIDATION_EMEMORY : VALIDATION_EINPUT;
    *out = (struct validation){
        .digits = digits,
        .ranges = efforts.run >= VERDICT_CHAIN_RANGES,
        .frames = calloc(cases.count, sizeof *out->frames),
        .intervals = calloc(cases.count, sizeof *out->intervals),
    };
    status = out->frames && out->intervals ? judge_frames(root, &cases, name, efforts, out, why)
                                           : why_no_memory(why, VALIDATION_EMEMORY);
    predict_cases_free(&cases);
    if (status)
        validation_destroy(out);
    return status;
}

/* Older layouts have fewer numbers, and models that need one say so. */
static bool is_of_this_layout(const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    return schema && strcmp(schema, "mercury-summary-2") == 0;
}

int validation_make(const char *text, const char *name, unsigned digits, bool ranges, struct validation *out,
                    struct why *why)
{
    json_t *root = predict_summary_parse(text, name, why);
    if (!root)
        return VALIDATION_EINPUT;
    struct efforts efforts = {VERDICT_EVERY_MODEL, VERDICT_EVERY_MODEL};
    if (ranges)
        efforts = (struct efforts){VERDICT_ALL_RANGES, VERDICT_CHAIN_RANGES};
    int status = is_of_this_layout(root) ? summary_check(root, name, &machine_layout, why) : 0;
    status = status ? VALIDATION_EINPUT : make(root, name, digits, efforts, out, why);
    json_decref(root);
    return status;
}

int validation_of_run(const json_t *root, const char *name, unsigned digits, struct validation *out,
                      struct why *why)
{
    return make(root, name, digits, (struct efforts){VERDICT_EVERY_MODEL, VERDICT_CHAINS}, out, why);
}

int validation_of_frame(const struct frame *run, const struct frame_layout *layout,
                        enum verdict_effort effort, struct validation *out, struct why *why)
{
    json_t *root = summary_json(run, NULL, 0, layout, NULL);
    if (!root)
        return why_no_memory(why, VALIDATION_EMEMORY);
    /* its counter is rounded to picoseconds in every pass, the clocks are exact */
    json_object_set_new(json_object_get(root, "pcix"), "measured_time_s", json_number(frame_measured_s(run)));
    int status = make(root, "the run", PREDICT_MEASURED_DIGITS, (struct efforts){effort, effort}, out, why);
    json_decref(root);
    return status;
}

void validation_destroy(struct validation *validation)
{
    free(validation->frames);
    free(validation->intervals);
    *validation = (struct validation){0};
}
