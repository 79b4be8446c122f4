/* What every model predicts beside what was simulated.
 *
 * Rows      queues and back-pressure, then, smaller, the rates and utilisations, which hardly any model can miss.
 * Axis      prediction / simulated value, so that quantities of any unit stand below each other; 1 is the run itself,
 *           with its 95% interval. What is beyond the ends of the axis stands at the end.
 * Marks     a shape and a colour a model; hollow if the run does not keep to the model's assumptions; a number that
 *           only repeats an input has none.
 */
#include "app/report/report.h"

#include <math.h>
#include <string.h>

#include "base/shown.h"
#include "sim/measure/machine_quantities.h"

static const double LEFT = 268, RIGHT = 24, TOP = 62, ROW = 30, SMALL = 20, BOTTOM = 50;

/* Predictions beyond these multiples stand at the end of the axis. */
static const double RATIO_LEAST = 0.01, RATIO_MOST = 10;

static void draw_cell(struct figure *f, const struct verdict_cell *cell, unsigned model, double y,
                      double height, double simulated)
{
    char why[VERDICT_TEXT_BYTES], predicted[SHOWN_BYTES];
    double ratio = cell->predicted / simulated;
    if (cell->why_not || isnan(ratio) || cell->given)
        return;
    const struct figure_style style =
        report_model_style(verdict_model_name(model), cell->reasons ? FIGURE_RING : FIGURE_MARK);
    figure_mark(f, ratio, y + ((double)model - (VERDICT_MODELS - 1) / 2.0) * height * 0.087,
                height < ROW ? 3.2 : 4.2, &style, "%s: %s, simulated %.4g; %s%s%.200s",
                verdict_model_name(model), shown_number(cell->predicted, "%.4g", predicted), simulated,
                verdict_word(cell), cell->reasons ? ": " : "", verdict_why(cell, why, sizeof why));
}

/* What is said of a row in which no model but the tandem with blocking predicts anything; NULL if one does. */
static const char *remark_on(const struct verdict_cell *cells)
{
    bool given = false;
    for (unsigned model = 0; model < VERDICT_BLOCKING; model++) {
        if (!cells[model].why_not && !cells[model].given)
            return NULL;
        given = given || cells[model].given;
    }
    return given ? "an input of every model but the tandem with blocking"
                 : "outside of the domain of the chains";
}

static void draw_row(const struct run_files *run, struct figure *f, unsigned row, double y, double height)
{
    const struct verdict_frame *frame = &run->validation.frames[0];
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    double simulated = verdict_simulated(frame, row),
           half_width = run->validation.intervals[0][row].estimate.half_width;
    const char *unit = strcmp(spec->unit, "1") == 0 ? "" : spec->unit;
    const char *remark =
        simulated > 0 ? remark_on(frame->cells[row]) : "nothing was simulated to compare with";
    const bool small = height < ROW;
    svg_line(f->svg, 12, y + height / 2, f->x.to, y + height / 2, "s4 thin");
    svg_text(f->svg, 12, y + 4, small ? 10.5 : 12, SVG_START, small ? "f2" : "bold", spec->name);
    if (half_width >= 0)
        svg_textf(f->svg, LEFT - 20, y + 4, 11, SVG_END, "f2", "%.4g ± %.3g %s", simulated, half_width, unit);
    else
        svg_textf(f->svg, LEFT - 20, y + 4, 11, SVG_END, "f2", "%.4g %s", simulated, unit);
    if (simulated > 0 && half_width >= 0)
        figure_interval(f, 1 - half_width / simulated, 1 + half_width / simulated, y, height / 4, "f6 half",
                        NULL);
    if (simulated > 0)
        figure_rule(f, 1, y, height / 4, "s6 w3");
    if (remark)
        svg_text(f->svg, f->x.from + 8, y + 4, 11, SVG_START, "f2", remark);
    for (unsigned model = 0; model < VERDICT_MODELS && simulated > 0; model++)
        draw_cell(f, &frame->cells[row][model], model, y, height, simulated);
}

static void draw(const void *run, struct svg *svg)
{
    struct figure_style key[VERDICT_MODELS + 2] = {
        [VERDICT_MODELS] = {"hollow: assumptions violated", SVG_MUTED, FIGURE_RING, SVG_DISC},
        [VERDICT_MODELS + 1] = {"95% interval of the simulation", SVG_BLUE, FIGURE_LINE, SVG_DISC}};
    struct figure f = {svg,
                       figure_axis_logarithmic(RATIO_LEAST, RATIO_MOST, "prediction / simulated value [1]")};
    const double height = ROW * (MACHINE_QUANTITIES - N_Q_1A) + SMALL * N_Q_1A;
    double y = TOP;
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM,
              "Predictions of every model divided by the simulated values");
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        key[model] = report_model_style(verdict_model_name(model), FIGURE_MARK);
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, key, VERDICT_MODELS + 2);
    f.x.inset = true;
    figure_open(&f, LEFT, TOP, FIGURE_WIDTH - LEFT - RIGHT, height);
    for (unsigned i = 0; i < MACHINE_QUANTITIES; i++) {
        const unsigned row = (i + N_Q_1A) % MACHINE_QUANTITIES;
        const double own = row < N_Q_1A ? SMALL : ROW;
        draw_row(run, &f, row, y + own / 2, own);
        y += own;
    }
    figure_say_ends(&f);
    svg_end(svg);
}

static const char *missing(const struct run_files *run)
{
    return run->has_models
               ? NULL
               : "Queueing theory has no answer: the rates of this run are outside of every model's "
                 "domain, or nothing reached some stage.";
}

void report_models_write_findings(const struct validation *v, FILE *out)
{
    fputs("<ul>\n", out);
    for (unsigned i = 0; i < v->finding_count; i++)
        page_put(out, "<li>%s</li>\n", v->findings[i]);
    fputs("</ul>\n", out);
}

static void follow(const struct run_files *run, FILE *out)
{
    if (run->validation.finding_count == 0)
        return;
    fputs("<h3>What that says of the machine</h3>\n", out);
    report_models_write_findings(&run->validation, out);
}

const struct report_part report_models = {
    .title = "Predicted and simulated",
    .missing = missing,
    .draw = draw,
    .says =
        "<p>Arrival rates (lambda), utilisations (rho), mean queues (N_Q) and back-pressure (P_BP) of Dor (2010): each "
        "mark is what a model predicts from the run's own rates and fractions, divided by what was simulated. A mark "
        "on the blue line agrees; left of it the model promises too little.</p>\n",
    .follow = follow,
};
