#include "app/why/assumption_picture.h"

#include <math.h>
#include <string.h>

#include "base/draw/chart.h"
#include "app/report/report_part.h"

static const double LEFT = 150, RIGHT = 120, TOP = 46, ROW = 17, HEADING = 26, BOTTOM = 48;

enum { LINES = ASSUMPTIONS + 3 }; /* the simulation, the steps, and the two formulas */

/* Beyond this ratio of the greatest value to simulation and formula the scale is logarithmic. */
static const double RATIO_LINEAR = 50;

static bool has_formula(const struct assumption_shares *s, unsigned row)
{
    return !s->rests[ASSUMPTION_MM1][row].no_number || !s->rests[ASSUMPTION_MM1K][row].no_number;
}

static bool is_drawn(const struct assumption_shares *s, unsigned row)
{
    return machine_quantities[row].kind == QUANTITY_N_Q && has_formula(s, row) &&
           isfinite(s->values[0][row].mean);
}

static struct chart_axis axis_of(const struct assumption_shares *s, unsigned row, const char *title)
{
    double most = 0, least = INFINITY, ends = s->values[0][row].mean;
    for (unsigned step = 0; step < ASSUMPTION_VALUES; step++) {
        most = fmax(most, s->values[step][row].mean);
        if (s->values[step][row].mean > 0)
            least = fmin(least, s->values[step][row].mean);
    }
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        ends = fmax(ends, s->rests[model][row].formula);
    if (!(most > 0))
        most = 1;
    return most > RATIO_LINEAR * ends && least < most
               ? chart_axis_logarithmic(fmax(least, most * 1e-6), most, title)
               : chart_axis_to(most, title);
}

static double place(const struct chart *c, double value)
{
    return chart_place(&c->x, c->x.logarithmic ? fmax(value, c->x.least) : value);
}

static void draw_label(struct svg *svg, double y, const char *name, const char *class)
{
    svg_text(svg, LEFT - 10, y + 4, 11, SVG_END, class, name);
}

static void draw_value(const struct chart *c, double value, double y, const char *name)
{
    double at = place(c, value), from = c->x.from;
    draw_label(c->svg, y, name, "bold");
    svg_rectangle(c->svg, from, y - 5, fmax(at - from, 1), 10, "f6", NULL);
    svg_textf(c->svg, c->x.to + 8, y + 4, 11, SVG_START, "bold", "%.4g", value);
}

static void draw_step(const struct chart *c, const struct assumption_shares *s, unsigned step, unsigned row,
                      double y)
{
    const struct assumption_spec *spec = &assumptions[s->order[step]];
    double before = s->values[step][row].mean, after = s->values[step + 1][row].mean;
    double low = place(c, fmin(before, after)), high = place(c, fmax(before, after)), half_width;
    char tip[300];
    struct estimate share = assumption_share(s, step, row);
    half_width = share.half_width;
    snprintf(tip, sizeof tip, "%s: %+.4g ± %.2g, from %.4g to %.4g; %s", spec->name, share.mean, half_width,
             before, after, spec->meaning);
    draw_label(c->svg, y, spec->name, "");
    svg_line(c->svg, place(c, before), y - ROW, place(c, before), y + 5, "s4 thin");
    svg_rectangle(c->svg, low, y - 5, fmax(high - low, 1), 10, after > before ? "f7" : "f8", tip);
    if (fabs(share.mean) > 1e-9 * fabs(before))
        svg_textf(c->svg, c->x.to + 8, y + 4, 11, SVG_START, fabs(share.mean) > half_width ? "" : "f2",
                  "%+.3g", share.mean);
}

static void draw_formula(const struct chart *c, const struct assumption_shares *s,
                         enum assumption_model model, unsigned row, double y)
{
    const struct assumption_rest *rest = &s->rests[model][row];
    const char *name = verdict_model_name(assumption_model_of(model));
    draw_label(c->svg, y, name, "bold");
    if (rest->no_number) {
        svg_text(c->svg, c->x.from + 6, y + 4, 11, SVG_START, "f2", rest->no_number);
        return;
    }
    double at = place(c, rest->formula), from = c->x.from;
    svg_rectangle(c->svg, from, y - 5, fmax(at - from, 1), 10, rest->meets ? "f12" : "f9", rest->reason);
    svg_textf(c->svg, c->x.to + 8, y + 4, 11, SVG_START, "bold", "%.4g%s", rest->formula,
              rest->meets ? "" : " (not met)");
}

static double draw_panel(struct svg *svg, const struct assumption_shares *s, unsigned row, double top)
{
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    char title[80];
    snprintf(title, sizeof title, "%s [%s]", spec->name, spec->unit);
    struct chart c = {svg, axis_of(s, row, title), {.most = 1, .bare = true}};
    double y = top + HEADING + ROW / 2, height = ROW * LINES;
    svg_text(svg, 12, top + 16, 13, SVG_START, "bold", title);
    chart_put(&c, LEFT, top + HEADING, REPORT_WIDTH - LEFT - RIGHT, height);
    chart_draw_axes(&c);
    draw_value(&c, s->values[0][row].mean, y, "simulated");
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        if (step == assumption_steps_of(ASSUMPTION_MM1))
            draw_formula(&c, s, ASSUMPTION_MM1, row, y += ROW);
        draw_step(&c, s, step, row, y += ROW);
    }
    draw_formula(&c, s, ASSUMPTION_MM1K, row, y + ROW);
    return top + HEADING + height + BOTTOM;
}

static void draw(const struct assumption_shares *s, struct svg *svg)
{
    static const struct chart_legend_entry entries[] = {
        {"simulated", SVG_BLUE, CHART_KEY_AREA, SVG_DISC},
        {"a step that makes the queue longer", SVG_VERMILION, CHART_KEY_AREA, SVG_DISC},
        {"a step that makes it shorter", SVG_GREEN, CHART_KEY_AREA, SVG_DISC},
        {"formula, met by the last step", SVG_GREY, CHART_KEY_AREA, SVG_DISC},
        {"formula that is not met", SVG_ORANGE, CHART_KEY_AREA, SVG_DISC},
    };
    unsigned panels = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        panels += is_drawn(s, row);
    svg_begin(svg, REPORT_WIDTH, TOP + panels * (HEADING + ROW * LINES + BOTTOM),
              "Shares of the models' assumptions in the errors of the mean queues");
    chart_draw_legend(svg, 12, 4, REPORT_WIDTH - 24, entries, sizeof entries / sizeof entries[0]);
    double top = TOP;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (is_drawn(s, row))
            top = draw_panel(svg, s, row, top);
    svg_end(svg);
}

static void write_meanings(const struct assumption_shares *s, FILE *out)
{
    fputs("<h3>The steps, each with all before it</h3>\n<dl>\n", out);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        fprintf(out, "<dt>%s</dt><dd>", spec->name);
        report_text(out, "%s (%s)", spec->meaning, spec->engine);
        fputs("</dd>\n", out);
    }
    fputs("</dl>\n", out);
}

static void write_misses(const struct assumption_shares *s, FILE *out)
{
    fputs("<ul>\n", out);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
            const struct assumption_rest *rest = &s->rests[model][row];
            if (rest->no_number || !rest->reason)
                continue;
            fputs("<li>", out);
            report_text(out, "%s of %s is not met: %s.", machine_quantities[row].name,
                        verdict_model_name(assumption_model_of((enum assumption_model)model)), rest->reason);
            fputs("</li>\n", out);
        }
    fputs("</ul>\n", out);
}

void assumption_picture_write(const struct assumption_shares *s, FILE *out)
{
    unsigned met = 0;
    struct svg svg = {out, true};
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            met += !s->rests[model][row].no_number && s->rests[model][row].meets;
    fputs("<section id=\"why\">\n<h2>" ASSUMPTION_PICTURE_TITLE "</h2>\n<p>", out);
    report_text(
        out,
        "The machine is simulated again from the run's tokens, and the assumptions of M/M/1 and M/M/1/K (Dor) are "
        "made true one after the other. What a step changes is its share of the error; shares and rest add up "
        "to formula minus simulated. The last step is the model's own system: it meets %u of %u formulas "
        "within joint 95%% intervals. Grey numbers are within their intervals of 0.",
        met, s->checks);
    fputs("</p>\n<figure>\n", out);
    draw(s, &svg);
    fputs("</figure>\n", out);
    write_misses(s, out);
    write_meanings(s, out);
    fputs("</section>\n", out);
}
