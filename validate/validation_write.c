#include "validate/validation.h"

#include <math.h>
#include <string.h>

#include "traces/summary.h"
#include "model/model_error.h"

static int written(FILE *out)
{
    return ferror(out) ? VALIDATION_EWRITE : 0;
}

static double error_of(const struct verdict_frame *frame, unsigned row, const struct verdict_cell *cell)
{
    double simulated = verdict_simulated(frame, row);
    return simulated > 0 ? (cell->predicted - simulated) / simulated : NAN;
}

/* --- intervals ------------------------------------------------------------------------------------------- */

static const char *over_what(const struct validation *v, size_t number)
{
    return number == 0 && v->count > ROW_PASSES ? "passes" : "batches";
}

static void write_what_intervals_are(const char *begin, const struct validation *v, bool passes, FILE *out)
{
    const struct row_interval *run = &v->intervals[0][0];
    if (run->none)
        fprintf(out, "%sno intervals: %s\n", begin, run->none);
    else if (v->count > ROW_PASSES)
        fprintf(out, "%s+-: half of the 95%% interval, of the run by its %zu passes as replications\n", begin,
                run->batches);
    else
        fprintf(
            out,
            "%s+-: half of the 95%% interval, of this machine's mean over this input by %zu batches inside "
            "the passes, taken as independent\n",
            begin, run->batches);
    if (passes && v->count > ROW_PASSES && v->intervals[1][0].none)
        fprintf(out, "%sno intervals of a pass: %s\n", begin, v->intervals[1][0].none);
    else if (passes && v->count > ROW_PASSES)
        fprintf(out,
                "%sof a pass: of this machine's mean over its input by the batches inside it, taken as "
                "independent\n",
                begin);
}

/* Write the rows that a test holds for, and their values; nothing if there are none. */
static void write_doubts(const struct row_interval *intervals, bool (*holds)(const struct row_interval *),
                         const char *what, bool lag1, FILE *out)
{
    unsigned count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (holds(&intervals[row]))
            fprintf(out, "%s%s (%.2f)", count++ ? ", " : what, machine_quantities[row].name,
                    lag1 ? intervals[row].lag1 : intervals[row].largest);
    if (count > 0)
        fputc('\n', out);
}

static void write_all_doubts(const struct row_interval *intervals, const char *over, FILE *out)
{
    char what[128];
    snprintf(what, sizeof what, "\n  +- is too narrow where %s are like their neighbours (lag 1): ", over);
    write_doubts(intervals, row_interval_is_too_narrow, what, true, out);
    snprintf(what, sizeof what, "\n  +- rests on a single one of the %s (share of the variance): ", over);
    write_doubts(intervals, row_interval_rests_on_one, what, false, out);
}

/* --- text ------------------------------------------------------------------------------------------------ */

static void write_value(double value, char mark, FILE *out)
{
    char text[24];
    snprintf(text, sizeof text, isfinite(value) ? "%.5g%c" : "-", fabs(value) < 1e-300 ? 0.0 : value, mark);
    fprintf(out, " %11s", text);
}

static char mark_of(const struct verdict_cell *cell)
{
    return cell->given ? '=' : cell->reasons ? '*' : ' ';
}

static void write_best(const struct validation *v, const struct validation_best *best, FILE *out)
{
    size_t passes = v->count > 1 ? v->count - 1 : 1;
    double distance = best->mean_distance < 1e-9 ? 0 : best->mean_distance;
    fprintf(out, "  %s (%.3g%%", verdict_model_name((enum verdict_model)best->model), 100 * distance);
    if (best->frames < passes)
        fprintf(out, " of %zu of %zu passes", best->frames, passes);
    fputc(')', out);
}

static void write_rows(const struct validation *v, size_t number, FILE *out)
{
    const struct verdict_frame *frame = &v->frames[number];
    fprintf(out, "\n  %-10s %-10s %11s %11s", "parameter", "unit", "simulated", "+-");
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        fprintf(out, " %11s", verdict_model_name(model));
    fprintf(out, "  %s\n", number == 0 ? "best (mean distance)" : "");
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        fprintf(out, "  %-10s %-10s", machine_quantities[row].name, machine_quantities[row].unit);
        write_value(verdict_simulated(frame, row), ' ', out);
        write_value(v->intervals[number][row].half_width, ' ', out);
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            write_value(frame->cells[row][model].predicted, mark_of(&frame->cells[row][model]), out);
        if (number == 0 && v->best[row].model >= 0)
            write_best(v, &v->best[row], out);
        fputc('\n', out);
    }
}

static void write_times(const char *what, const struct verdict_times *t, FILE *out)
{
    if (isfinite(t->mean_clocks))
        fprintf(out, "; %s mean %.4g clocks, scv %.3g, lag1 %.2f", what, t->mean_clocks, t->scv, t->lag1);
}

static void write_stage_verdicts(const struct verdict_frame *frame, enum quantity_stage stage, FILE *out)
{
    struct verdict_group group;
    unsigned row = 0;
    while (machine_quantities[row].stage != stage || machine_quantities[row].kind != QUANTITY_N_Q)
        row++;
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        if (verdict_group(frame->cells[row], model, &group))
            fprintf(out, "      %s: %s\n", group.models, group.text);
}

static void write_verdicts(const struct verdict_frame *frame, FILE *out)
{
    fprintf(out, "\n  verdicts on N_Q, stage by stage (* above: violated, the run does not keep to what the "
                 "model assumes; -: outside its domain; =: an input)\n");
    for (unsigned stage = QUANTITY_1A; stage < QUANTITY_STAGES; stage++) {
        const struct verdict_evidence *e = &frame->evidence[stage];
        fprintf(out, "    %s: signal on %.3g%% of the time", quantity_stage_name(stage), 100 * e->full);
        if (isfinite(e->held))
            fprintf(out, ", held up %.2g%%", 100 * e->held);
        write_times("arrivals", &e->arrivals, out);
        write_times("services", &e->services, out);
        fputc('\n', out);
        write_stage_verdicts(frame, stage, out);
    }
}

static void write_ranges(const struct validation *v, FILE *out)
{
    if (!v->ranges)
        return;
    fprintf(out,
            "\n  ill-conditioned: predictions that move by more than 5%% while inputs move within %u digits' "
            "rounding\n",
            v->digits);
    unsigned count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++) {
            const struct verdict_cell *cell = &v->frames[0].cells[row][model];
            double least = machine_quantities[row].kind == QUANTITY_N_Q ? 0.1 : 0.01;
            if (!(cell->high - cell->low > 0.05 * fmax(cell->predicted, least)) && !cell->edge)
                continue;
            fprintf(out, "    %-8s of %-9s %.5g: %.5g .. %.5g%s\n", machine_quantities[row].name,
                    verdict_model_name(model), cell->predicted, cell->low, cell->high,
                    cell->edge ? ", or none where an earlier stage is overloaded" : "");
            count++;
        }
    if (count == 0)
        fprintf(out, "    none\n");
}

int validation_write_findings(const struct validation *v, FILE *out)
{
    for (unsigned i = 0; i < v->finding_count; i++)
        fprintf(out, "  - %s\n", v->findings[i]);
    return written(out);
}

int validation_write_text(const struct validation *v, bool passes, FILE *out)
{
    fprintf(out, "%zu %s, every model beside the simulation\n", v->count - 1,
            v->count == 2 ? "pass" : "passes");
    write_what_intervals_are("", v, passes, out);
    for (size_t i = 0; i < (passes ? v->count : 1); i++) {
        if (i > 0)
            fprintf(out, "\n%s\n", v->frames[i].name);
        write_rows(v, i, out);
        write_all_doubts(v->intervals[i], over_what(v, i), out);
        write_verdicts(&v->frames[i], out);
    }
    write_ranges(v, out);
    fprintf(out, "\n  what that says of the machine\n");
    return validation_write_findings(v, out);
}

/* --- TSV ------------------------------------------------------------------------------------------------- */

static void write_field(double value, FILE *out)
{
    isfinite(value) ? fprintf(out, "\t%.9g", fabs(value) < 1e-300 ? 0.0 : value) : fprintf(out, "\tNA");
}

static void write_tsv_cell(const struct validation *v, size_t number, unsigned row, unsigned model, FILE *out)
{
    const struct verdict_frame *frame = &v->frames[number];
    const struct verdict_cell *cell = &frame->cells[row][model];
    char why[256];
    fprintf(out, "%s\t%s\t%s\t%s", frame->name, quantity_stage_name(machine_quantities[row].stage),
            machine_quantities[row].name, machine_quantities[row].unit);
    write_field(verdict_simulated(frame, row), out);
    write_field(v->intervals[number][row].half_width, out);
    fprintf(out, "\t%s", verdict_model_name(model));
    write_field(cell->predicted, out);
    write_field(error_of(frame, row, cell), out);
    write_field(cell->low, out);
    write_field(cell->high, out);
    verdict_why(cell, why, sizeof why);
    fprintf(out, "\t%s\t%s\t%s\n", verdict_word(cell),
            cell->why_not ? cell->why_not
            : why[0]      ? why
                          : "-",
            number == 0 && v->best[row].model == (int)model ? "best" : "-");
}

int validation_write_tsv(const struct validation *v, FILE *out)
{
    write_what_intervals_are("# ", v, true, out);
    for (unsigned i = 0; i < v->finding_count; i++)
        fprintf(out, "# %s\n", v->findings[i]);
    fprintf(
        out,
        "frame\tstage\tparameter\tunit\tsimulated\thalf_width\tmodel\tpredicted\terror\tlow\thigh\tverdict\twhy\tbest\n");
    for (size_t i = 0; i < v->count; i++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            for (unsigned model = 0; model < VERDICT_MODELS; model++)
                write_tsv_cell(v, i, row, model, out);
    return written(out);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *reasons_array(unsigned reasons)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < VERDICT_REASONS; i++)
        if (reasons >> i & 1)
            json_array_append_new(array, json_string(verdict_reason_texts[i]));
    return array;
}

static json_t *cell_object(const struct verdict_frame *frame, unsigned row, const struct verdict_cell *cell)
{
    json_t *reasons = cell->why_not ? json_pack("[s]", cell->why_not) : reasons_array(cell->reasons);
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:s, s:o}", "predicted", summary_number(cell->predicted),
                     "error", summary_number(error_of(frame, row, cell)), "low", summary_number(cell->low),
                     "high", summary_number(cell->high), "none_within_rounding", cell->edge, "verdict",
                     verdict_word(cell), "reasons", reasons);
}

static json_t *row_object(const struct validation *v, size_t number, unsigned row)
{
    const struct verdict_frame *frame = &v->frames[number];
    const struct machine_quantity_spec *quantity = &machine_quantities[row];
    const struct row_interval *interval = &v->intervals[number][row];
    json_t *models = json_object();
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        json_object_set_new(models, verdict_model_name(model),
                            cell_object(frame, row, &frame->cells[row][model]));
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:s?, s:o, s:o, s:b}", "parameter", quantity->name, "unit",
                  quantity->unit, "stage", quantity_stage_name(quantity->stage), "simulated",
                  summary_number(verdict_simulated(frame, row)), "half_width",
                  summary_number(interval->half_width), "no_interval", interval->none, "interval_lag1",
                  summary_number(interval->lag1), "interval_largest_share", summary_number(interval->largest),
                  "interval_too_narrow", row_interval_is_too_narrow(interval));
    if (number == 0) {
        int best = v->best[row].model;
        json_object_set_new(object, "best", best >= 0 ? json_string(verdict_model_name(best)) : json_null());
        json_object_set_new(object, "best_mean_distance",
                            summary_number(best >= 0 ? v->best[row].mean_distance : NAN));
    }
    json_object_set_new(object, "models", models);
    return object;
}

static json_t *times_object(const struct verdict_times *t)
{
    return json_pack("{s:o, s:o, s:o}", "mean_clocks", summary_number(t->mean_clocks), "scv",
                     summary_number(t->scv), "lag1", summary_number(t->lag1));
}

static json_t *evidence_object(const struct verdict_frame *frame)
{
    json_t *stages = json_object();
    for (unsigned stage = QUANTITY_1A; stage < QUANTITY_STAGES; stage++) {
        const struct verdict_evidence *e = &frame->evidence[stage];
        json_object_set_new(stages, quantity_stage_name(stage),
                            json_pack("{s:o, s:o, s:o, s:o, s:o}", "arrivals", times_object(&e->arrivals),
                                      "services", times_object(&e->services), "expected_scv",
                                      summary_number(e->expected_scv), "held_fraction",
                                      summary_number(e->held), "signal_fraction", summary_number(e->full)));
    }
    return stages;
}

static json_t *frame_object(const struct validation *v, size_t number)
{
    json_t *rows = json_array();
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        json_array_append_new(rows, row_object(v, number, row));
    return json_pack("{s:s, s:s, s:I, s:b, s:o, s:o}", "frame", v->frames[number].name, "interval_over",
                     over_what(v, number), "interval_batches", (json_int_t)v->intervals[number][0].batches,
                     "saturated", v->frames[number].saturated, "evidence",
                     evidence_object(&v->frames[number]), "rows", rows);
}

int validation_write_json(const struct validation *v, FILE *out)
{
    json_t *frames = json_array(), *findings = json_array();
    for (size_t i = 0; i < v->count; i++)
        json_array_append_new(frames, frame_object(v, i));
    for (unsigned i = 0; i < v->finding_count; i++)
        json_array_append_new(findings, json_string(v->findings[i]));
    json_t *root = json_pack("{s:s, s:i, s:o, s:o}", "schema", "mercury-validation-1", "digits",
                             (int)v->digits, "frames", frames, "findings", findings);
    int status = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    return status != 0 || fputc('\n', out) == EOF ? VALIDATION_EWRITE : written(out);
}

/* --- the table that ends a run --------------------------------------------------------------------------- */

/* Differences below this are rounding errors of the same counts. */
#define DIFFERENCE_NONE 1e-12

/* The difference as a fraction of the simulated value. */
static double difference_of(double predicted, double simulated)
{
    double difference = simulated != 0 ? (predicted - simulated) / simulated : NAN;
    return fabs(difference) < DIFFERENCE_NONE ? 0 : difference;
}

static void number_text(double value, const char *format, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "NA");
    else
        snprintf(text, size, format, fabs(value) < 1e-300 ? 0.0 : value);
}

static void difference_text(double difference, char *text, size_t size)
{
    if (fabs(difference) < 5e-5)
        difference = 0; /* not "-0.00%" */
    number_text(100 * difference, fabs(difference) >= 10 ? "%+.3g%%" : "%+.2f%%", text, size);
}

static void write_four_stages_inputs(const struct verdict_frame *frame, const char *prefix, FILE *out)
{
    const double *in = frame->inputs.value;
    const struct prediction_stage *stage = frame->four_stages.stages;
    fprintf(out,
            "%slambda_in %.6g MB/s, P_1a %.6g, P_1b %.6g, P_2 %.6g, M_1b %.6g SRAM reads/seed, M_2 %.6g%s\n",
            prefix, in[PREDICT_LAMBDA_IN], in[PREDICT_P_1A], in[PREDICT_P_1B], in[PREDICT_P_2],
            in[PREDICT_M_1B], in[PREDICT_M_2], frame->saturated ? " (1b is saturated)" : "");
    fprintf(out,
            "%smu_pci %.6g MB/s, mu_1a %.6g Mwmers/s, mu_1b %.6g Mseeds/s, mu_2 %.6g Mmatches/s, "
            "K_1a %.0f wmers, K_1b %.0f seeds, K_2 %.0f matches\n",
            prefix, in[PREDICT_MU_PCI], stage[MERCURY_1A].mu_per_s / 1e6, stage[MERCURY_1B].mu_per_s / 1e6,
            stage[MERCURY_2].mu_per_s / 1e6, in[PREDICT_K_1A], in[PREDICT_K_1B], in[PREDICT_K_2]);
}

static void write_four_stages_reasons(const struct verdict_frame *frame, const char *prefix, FILE *out)
{
    for (int i = 0; i < frame->four_stages.count; i++)
        for (enum pipeline_model model = PIPELINE_MM1; model <= PIPELINE_MM1K; model++) {
            const struct prediction_stage *stage = &frame->four_stages.stages[i];
            if (stage->queue[model].status)
                fprintf(out, "%s%s has no prediction for stage %s: %s\n", prefix, pipeline_model_name(model),
                        stage->name, model_error_text(stage->queue[model].status));
        }
}

int validation_write_four_stages_tsv(const struct validation *v, FILE *out)
{
    const struct verdict_frame *run = &v->frames[0];
    fprintf(out,
            "# measured run against the four-stage models of Dor 2010 (Figures 12 and 17); NA: no number\n");
    write_four_stages_inputs(run, "# ", out);
    write_four_stages_reasons(run, "# ", out);
    fprintf(out, "parameter\tunit\tsimulated\tM/M/1\tM/M/1/K\tM/M/1_difference\tM/M/1/K_difference\n");
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        if (!verdict_is_of_four_stages(row))
            continue;
        double simulated = verdict_simulated(run, row);
        double mm1 = verdict_of_four_stages(run, row, PIPELINE_MM1);
        double mm1k = verdict_of_four_stages(run, row, PIPELINE_MM1K);
        fprintf(out, "%s\t%s", machine_quantities[row].name, machine_quantities[row].unit);
        write_field(simulated, out);
        write_field(mm1, out);
        write_field(mm1k, out);
        write_field(difference_of(mm1, simulated), out);
        write_field(difference_of(mm1k, simulated), out);
        fputc('\n', out);
    }
    return written(out);
}

int validation_write_four_stages(const struct validation *v, FILE *out)
{
    static const char format[] = "  %-10s %-11s %12s %12s %12s %12s %12s\n";
    const struct verdict_frame *run = &v->frames[0];
    fprintf(out, format, "parameter", "unit", "simulated", "M/M/1", "M/M/1/K", "M/M/1 diff", "M/M/1/K diff");
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        if (!verdict_is_of_four_stages(row))
            continue;
        double simulated = verdict_simulated(run, row);
        char text[3][32], differences[2][32];
        number_text(simulated, "%.5g", text[0], sizeof text[0]);
        for (int i = 0; i < 2; i++) {
            double predicted = verdict_of_four_stages(run, row, i ? PIPELINE_MM1K : PIPELINE_MM1);
            number_text(predicted, "%.5g", text[i + 1], sizeof text[i + 1]);
            difference_text(difference_of(predicted, simulated), differences[i], sizeof differences[i]);
        }
        fprintf(out, format, machine_quantities[row].name, machine_quantities[row].unit, text[0], text[1],
                text[2], differences[0], differences[1]);
    }
    write_four_stages_inputs(run, "  ", out);
    write_four_stages_reasons(run, "  ", out);
    return written(out);
}
