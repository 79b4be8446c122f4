#include "app/report/report_models.h"

#include <math.h>
#include <string.h>

#include "base/draw/chart.h"
#include "base/shown.h"
#include "sim/measure/machine_quantities.h"

static const double LEFT = 268, RIGHT = 24, TOP = 62, ROW = 30, BOTTOM = 50;

/* Predictions beyond these multiples stand at the end of the axis. */
static const double RATIO_LEAST = 1e-3, RATIO_MOST = 10;

static const struct {
    enum svg_shape shape;
    enum svg_colour colour;
} marks[VERDICT_MODELS] = {
    [VERDICT_MM1] = {SVG_DISC, SVG_VERMILION},       [VERDICT_MM1K] = {SVG_DISC, SVG_SKY},
    [VERDICT_MM1K_DOR] = {SVG_SQUARE, SVG_ORANGE},   [VERDICT_MD1] = {SVG_TRIANGLE, SVG_GREEN},
    [VERDICT_MG1] = {SVG_TRIANGLE_DOWN, SVG_PURPLE}, [VERDICT_MXG1] = {SVG_DIAMOND, SVG_SKY},
    [VERDICT_FIVE] = {SVG_SQUARE, SVG_GREY},         [VERDICT_BLOCKING] = {SVG_DIAMOND, SVG_INK},
};

static void draw_key(struct svg *svg)
{
    struct chart_legend_entry entries[VERDICT_MODELS + 2];
    for (unsigned i = 0; i < VERDICT_MODELS; i++)
        entries[i] = (struct chart_legend_entry){verdict_model_name(i), marks[i].colour, CHART_KEY_MARK,
                                                 marks[i].shape};
    entries[VERDICT_MODELS] =
        (struct chart_legend_entry){"hollow: assumptions violated", SVG_MUTED, CHART_KEY_OPEN_MARK};
    entries[VERDICT_MODELS + 1] =
        (struct chart_legend_entry){"95% interval of the simulation", SVG_BLUE, CHART_KEY_LINE};
    chart_draw_legend(svg, 12, 4, REPORT_WIDTH - 24, entries, VERDICT_MODELS + 2);
}

static void draw_interval(const struct chart *c, double y, double simulated, double half_width)
{
    double at = chart_place(&c->x, 1);
    if (half_width >= 0 && simulated > 0) {
        double low = chart_place(&c->x, 1 - half_width / simulated),
               high = chart_place(&c->x, 1 + half_width / simulated);
        svg_rectangle(c->svg, low, y - 4, fmax(high - low, 1), 8, "f6 half", NULL);
    }
    svg_line(c->svg, at, y - 8, at, y + 8, "s6 w3");
}

static void draw_cell(const struct chart *c, const struct verdict_cell *cell, unsigned model, double y,
                      double simulated)
{
    char tip[400], why[VERDICT_TEXT_BYTES], predicted[SHOWN_BYTES];
    double ratio = cell->predicted / simulated;
    bool below = ratio<RATIO_LEAST, above = ratio> RATIO_MOST;
    if (cell->why_not || isnan(ratio) || cell->given)
        return;
    snprintf(tip, sizeof tip, "%s: %s, simulated %.4g; %s%s%.200s", verdict_model_name(model),
             shown_number(cell->predicted, "%.4g", predicted), simulated, verdict_word(cell),
             cell->reasons ? ": " : "", verdict_why(cell, why, sizeof why));
    double x = below ? c->x.from + 1.5 : above ? c->x.to - 1.5 : chart_place(&c->x, ratio);
    svg_mark(c->svg, x, y + ((double)model - (VERDICT_MODELS - 1) / 2.0) * 2.6, 4.2, marks[model].shape,
             marks[model].colour, cell->reasons != 0, tip);
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

static void draw_row(const struct run_files *run, const struct chart *c, unsigned row, double y)
{
    const struct verdict_frame *frame = &run->validation.frames[0];
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    double simulated = verdict_simulated(frame, row),
           half_width = run->validation.intervals[0][row].half_width;
    const char *unit = strcmp(spec->unit, "1") == 0 ? "" : spec->unit;
    svg_line(c->svg, 12, y + ROW / 2, c->x.to, y + ROW / 2, "s4 thin");
    svg_text(c->svg, 12, y + 4, 12, SVG_START, "bold", spec->name);
    if (half_width >= 0)
        svg_textf(c->svg, LEFT - 12, y + 4, 11, SVG_END, "f2", "%.4g ± %.3g %s", simulated, half_width, unit);
    else
        svg_textf(c->svg, LEFT - 12, y + 4, 11, SVG_END, "f2", "%.4g %s", simulated, unit);
    if (!(simulated > 0)) {
        svg_text(c->svg, c->x.from + 8, y + 4, 11, SVG_START, "f2", "nothing was simulated to compare with");
        return;
    }
    draw_interval(c, y, simulated, half_width);
    if (remark_on(frame->cells[row]))
        svg_text(c->svg, c->x.from + 8, y + 4, 11, SVG_START, "f2", remark_on(frame->cells[row]));
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        draw_cell(c, &frame->cells[row][model], model, y, simulated);
}

static void draw(const struct run_files *run, struct svg *svg)
{
    double height = ROW * MACHINE_QUANTITIES;
    struct chart c = {svg,
                      chart_axis_logarithmic(RATIO_LEAST, RATIO_MOST, "prediction / simulated value [1]"),
                      {.most = 1, .bare = true}};
    svg_begin(svg, REPORT_WIDTH, TOP + height + BOTTOM,
              "Predictions of every model divided by the simulated values");
    draw_key(svg);
    chart_put(&c, LEFT, TOP, REPORT_WIDTH - LEFT - RIGHT, height);
    chart_draw_axes(&c);
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        draw_row(run, &c, row, TOP + ROW * (row + 0.5));
    svg_text(svg, c.x.from + 2, TOP + height + 33, 11, SVG_START, "f2", "◀ and below");
    svg_text(svg, c.x.to, TOP + height + 33, 11, SVG_END, "f2", "and above ▶");
    svg_end(svg);
}

static const char *missing(const struct run_files *run)
{
    return run->has_models
               ? NULL
               : "Queueing theory has no answer: the rates of this run are outside of every model's "
                 "domain, or nothing reached some stage.";
}

static void introduce(const struct run_files *run, FILE *out)
{
    (void)run;
    fputs(
        "<p>Arrival rates (lambda), utilisations (rho), mean queues (N_Q) and back-pressure (P_BP) of Dor (2010): each "
        "mark is what a model predicts from the run's own rates and fractions, divided by what was simulated. A mark "
        "on the blue line agrees; left of it the model promises too little.</p>\n",
        out);
}

void report_models_write_findings(const struct validation *v, FILE *out)
{
    fputs("<ul>\n", out);
    for (unsigned i = 0; i < v->finding_count; i++) {
        fputs("<li>", out);
        report_text(out, "%s", v->findings[i]);
        fputs("</li>\n", out);
    }
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
    .what = "models",
    .title = "Predicted and simulated",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
