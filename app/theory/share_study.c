#include "app/theory/share_study.h"

#include <math.h>
#include <stdio.h>

#include "base/chart.h"
#include "base/command.h"
#include "base/output.h"

static const double steps[] = {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}; /* share_theory_default_step_s() is 1 */
static const unsigned clusters[] = {1, 2, 4, 8, 16, 32};
enum { STEPS = sizeof steps / sizeof steps[0], CLUSTERS = sizeof clusters / sizeof clusters[0] };

/* Models that are drawn, a row of panels each. */
static const enum parallel_model models[] = {PARALLEL_MVA, PARALLEL_FAIR_SHARES};
enum { MODELS = sizeof models / sizeof models[0] };

static const struct {
    enum svg_colour colour;
    enum svg_shape shape;
} looks[STEPS] = {{SVG_BLUE, SVG_DISC},      {SVG_ORANGE, SVG_SQUARE}, {SVG_GREEN, SVG_TRIANGLE},
                  {SVG_PURPLE, SVG_DIAMOND}, {SVG_SKY, SVG_DISC},      {SVG_INK, SVG_SQUARE},
                  {SVG_VERMILION, SVG_DISC}, {SVG_GREY, SVG_SQUARE},   {SVG_BLUE, SVG_TRIANGLE_DOWN}};

/* Errors in points. */
struct study {
    double errors[MODELS][STEPS][CLUSTERS];
    double most[MODELS];
};

static int compute(const struct share_case *boards, const struct share_choice *choice, struct study *s,
                   struct why *why)
{
    for (unsigned i = 0; i < STEPS; i++)
        for (unsigned k = 0; k < CLUSTERS; k++) {
            struct share_choice one = *choice;
            struct share_prediction prediction;
            one.step_s = steps[i] * share_theory_default_step_s(boards);
            one.clusters = clusters[k];
            int status = share_theory_predict(boards, &one, &prediction, why);
            if (status)
                return status;
            for (unsigned m = 0; m < MODELS; m++) {
                double error = 100 * share_theory_error(boards, &prediction, models[m]);
                s->errors[m][i][k] = error;
                s->most[m] = fmax(s->most[m], error);
            }
        }
    return 0;
}

/* --- drawing ------------------------------------------------------------------------------------------------ */

static const double WIDTH = 860, LEFT = 66, GAP = 84, TOP = 58, PANEL_WIDTH = 340, PANEL_HEIGHT = 210,
                    ROW = 312;

/* Lines of one panel: over the lengths, one for each number of groups, or the other way round. */
static void draw_panel(const struct study *s, unsigned model, bool over_steps, struct svg *svg)
{
    struct chart c = {svg,
                      over_steps
                          ? chart_axis_logarithmic(steps[0], steps[STEPS - 1], "stepsize [the default is 1]")
                          : chart_axis_logarithmic(clusters[0], clusters[CLUSTERS - 1], "clusters [1]"),
                      chart_axis_to(fmax(s->most[model], 0.1), "mean error [points]")};
    c.x.by_two = c.x.plain = true;
    double left = LEFT + (over_steps ? 0 : PANEL_WIDTH + GAP), top = TOP + ROW * model;
    chart_put(&c, left, top, PANEL_WIDTH, PANEL_HEIGHT);
    chart_draw_axes(&c);
    svg_textf(svg, left, top - 12, 13, SVG_START, "bold", "%s", share_theory_names[models[model]]);
    unsigned lines = over_steps ? CLUSTERS : STEPS, points = over_steps ? STEPS : CLUSTERS;
    for (unsigned line = 0; line < lines; line++) {
        double x[STEPS], y[STEPS];
        char class[16], tip[80];
        for (unsigned i = 0; i < points; i++) {
            unsigned step = over_steps ? i : line, group = over_steps ? line : i;
            x[i] = over_steps ? steps[i] : clusters[i];
            y[i] = s->errors[model][step][group];
            snprintf(tip, sizeof tip, "stepsize %g, %u clusters: %.3g points", steps[step], clusters[group],
                     y[i]);
            svg_mark(svg, chart_place(&c.x, x[i]), chart_place(&c.y, y[i]), 3, looks[line].shape,
                     looks[line].colour, false, tip);
        }
        snprintf(class, sizeof class, "s%d w2", (int)looks[line].colour);
        chart_draw_line(&c, x, y, points, class);
    }
}

static void draw_key(bool over_steps, struct svg *svg)
{
    struct chart_legend_entry entries[STEPS];
    char texts[STEPS][32];
    unsigned lines = over_steps ? CLUSTERS : STEPS;
    for (unsigned i = 0; i < lines; i++) {
        if (over_steps)
            snprintf(texts[i], sizeof texts[i], "%u", clusters[i]);
        else
            snprintf(texts[i], sizeof texts[i], "%g", steps[i]);
        entries[i] = (struct chart_legend_entry){texts[i], looks[i].colour, CHART_KEY_MARK, looks[i].shape};
    }
    double left = LEFT + (over_steps ? 0 : PANEL_WIDTH + GAP);
    svg_text(svg, left - 10, 16, 12, SVG_START, "f2", over_steps ? "clusters" : "stepsize");
    chart_draw_legend(svg, left + 50, 4, PANEL_WIDTH - 20, entries, lines);
}

static void draw(const struct study *s, struct svg *svg)
{
    svg_begin(svg, WIDTH, TOP + ROW * MODELS - 40,
              "Error of the predictions over the length of the frames and the number of groups");
    for (unsigned side = 0; side < 2; side++)
        draw_key(side == 0, svg);
    for (unsigned m = 0; m < MODELS; m++)
        for (unsigned side = 0; side < 2; side++)
            draw_panel(s, m, side == 0, svg);
    svg_end(svg);
}

int share_study_write(const struct share_case *boards, const struct share_choice *choice, const char *path,
                      struct why *why)
{
    struct study s = {.most = {0}};
    struct output output;
    int status = compute(boards, choice, &s, why);
    if (status)
        return status;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    draw(&s, &(struct svg){.out = output.file});
    return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
}
