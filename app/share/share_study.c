#include "app/share/share_study.h"

#include <math.h>
#include <stdio.h>

#include "base/draw/chart.h"
#include "base/command.h"
#include "base/file/output.h"

/* What varies: each panel is over one scale and has a line for each value of the other. */
enum { STEP_SIZE, CLUSTERS, SCALES };
enum { VALUES_MAX = 9 };

static const struct scale {
    const char *name, *axis_title;
    unsigned count; /* of values, <= VALUES_MAX */
    double values[VALUES_MAX];
} scales[SCALES] = {
    [STEP_SIZE] = {"stepsize", "stepsize [the default is 1]", 9, {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}},
    [CLUSTERS] = {"clusters", "clusters [1]", 6, {1, 2, 4, 8, 16, 32}},
};

/* Models that are drawn, a row of panels each. */
static const enum parallel_model models[] = {PARALLEL_MVA, PARALLEL_FAIR_SHARES};
enum { MODELS = sizeof models / sizeof models[0] };

static const struct {
    enum svg_colour colour;
    enum svg_shape shape;
} looks[VALUES_MAX] = {{SVG_BLUE, SVG_DISC},      {SVG_ORANGE, SVG_SQUARE}, {SVG_GREEN, SVG_TRIANGLE},
                       {SVG_PURPLE, SVG_DIAMOND}, {SVG_SKY, SVG_DISC},      {SVG_INK, SVG_SQUARE},
                       {SVG_VERMILION, SVG_DISC}, {SVG_GREY, SVG_SQUARE},   {SVG_BLUE, SVG_TRIANGLE_DOWN}};

/* Errors in points: errors[m][i][k] with value i of STEP_SIZE, a multiple of share_theory_default_step_s(), and value k
 * of CLUSTERS. */
struct study {
    double errors[MODELS][VALUES_MAX][VALUES_MAX];
    double most[MODELS];
};

static int compute(const struct share_case *boards, const struct share_choice *choice, struct study *s,
                   struct why *why)
{
    for (unsigned i = 0; i < scales[STEP_SIZE].count; i++)
        for (unsigned k = 0; k < scales[CLUSTERS].count; k++) {
            struct share_choice one = *choice;
            struct share_prediction prediction;
            one.step_s = scales[STEP_SIZE].values[i] * share_theory_default_step_s(boards);
            one.clusters = (unsigned)scales[CLUSTERS].values[k];
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

static double panel_left(unsigned over)
{
    return LEFT + (over == STEP_SIZE ? 0 : PANEL_WIDTH + GAP);
}

static void draw_panel(const struct study *s, unsigned model, unsigned over, struct svg *svg)
{
    const struct scale *scale = &scales[over], *lines = &scales[SCALES - 1 - over];
    struct chart c = {
        svg, chart_axis_logarithmic(scale->values[0], scale->values[scale->count - 1], scale->axis_title),
        chart_axis_to(fmax(s->most[model], 0.1), "mean error [points]")};
    c.x.by_two = c.x.plain = true;
    double left = panel_left(over), top = TOP + ROW * model;
    chart_put(&c, left, top, PANEL_WIDTH, PANEL_HEIGHT);
    chart_draw_axes(&c);
    svg_textf(svg, left, top - 12, 13, SVG_START, "bold", "%s", share_theory_names[models[model]]);
    for (unsigned line = 0; line < lines->count; line++) {
        double y[VALUES_MAX];
        char class[16], tip[80];
        for (unsigned i = 0; i < scale->count; i++) {
            unsigned step = over == STEP_SIZE ? i : line, group = over == STEP_SIZE ? line : i;
            y[i] = s->errors[model][step][group];
            snprintf(tip, sizeof tip, "stepsize %g, %g clusters: %.3g points", scales[STEP_SIZE].values[step],
                     scales[CLUSTERS].values[group], y[i]);
            svg_mark(svg, chart_place(&c.x, scale->values[i]), chart_place(&c.y, y[i]), 3, looks[line].shape,
                     looks[line].colour, false, tip);
        }
        snprintf(class, sizeof class, "s%d w2", (int)looks[line].colour);
        chart_draw_line(&c, scale->values, y, scale->count, class);
    }
}

/* What the lines of the panels over a scale are: values of the other one. */
static void draw_key(unsigned over, struct svg *svg)
{
    const struct scale *lines = &scales[SCALES - 1 - over];
    struct chart_legend_entry entries[VALUES_MAX];
    char texts[VALUES_MAX][32];
    for (unsigned i = 0; i < lines->count; i++) {
        snprintf(texts[i], sizeof texts[i], "%g", lines->values[i]);
        entries[i] = (struct chart_legend_entry){texts[i], looks[i].colour, CHART_KEY_MARK, looks[i].shape};
    }
    svg_text(svg, panel_left(over) - 10, 16, 12, SVG_START, "f2", lines->name);
    chart_draw_legend(svg, panel_left(over) + 50, 4, PANEL_WIDTH - 20, entries, lines->count);
}

static void draw(const struct study *s, struct svg *svg)
{
    svg_begin(svg, WIDTH, TOP + ROW * MODELS - 40,
              "Error of the predictions over the length of the frames and the number of groups");
    for (unsigned over = 0; over < SCALES; over++)
        draw_key(over, svg);
    for (unsigned m = 0; m < MODELS; m++)
        for (unsigned over = 0; over < SCALES; over++)
            draw_panel(s, m, over, svg);
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
