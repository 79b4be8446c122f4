#include "app/why/assumption_picture.h"

#include <math.h>
#include <string.h>

#include "base/draw/figure.h"

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

static struct figure_axis axis_of(const struct assumption_shares *s, unsigned row, const char *title)
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
               ? figure_axis_logarithmic(fmax(least, most * 1e-6), most, title)
               : figure_axis_to(most, title);
}

/* A bar with its name, and the number beside it. */
static void draw_bar(const struct figure *f, double value, double y, const char *name, const char *class,
                     const char *tip)
{
    svg_text(f->svg, LEFT - 10, y + 4, 11, SVG_END, "bold", name);
    figure_bar(f, f->x.least, value, y, 10, 1, class, tip ? "%s" : NULL, tip);
}

static void draw_step(const struct figure *f, const struct assumption_shares *s, unsigned step, unsigned row,
                      double y)
{
    const struct assumption_spec *spec = &assumptions[s->order[step]];
    double before = s->values[step][row].mean, after = s->values[step + 1][row].mean;
    struct estimate share = assumption_share(s, step, row);
    svg_text(f->svg, LEFT - 10, y + 4, 11, SVG_END, "", spec->name);
    svg_line(f->svg, figure_x(f, before), y - ROW, figure_x(f, before), y + 5, "s4 thin");
    figure_bar(f, fmin(before, after), fmax(before, after), y, 10, 1, after > before ? "f7" : "f8",
               "%s: %+.4g ± %.2g, from %.4g to %.4g; %s", spec->name, share.mean, share.half_width, before,
               after, spec->meaning);
    if (fabs(share.mean) > 1e-9 * fabs(before))
        svg_textf(f->svg, f->x.to + 8, y + 4, 11, SVG_START, fabs(share.mean) > share.half_width ? "" : "f2",
                  "%+.3g", share.mean);
}

static void draw_formula(const struct figure *f, const struct assumption_shares *s,
                         enum assumption_model model, unsigned row, double y)
{
    const struct assumption_rest *rest = &s->rests[model][row];
    const char *name = verdict_model_name(assumption_model_of(model));
    if (rest->no_number) {
        svg_text(f->svg, LEFT - 10, y + 4, 11, SVG_END, "bold", name);
        svg_text(f->svg, f->x.from + 6, y + 4, 11, SVG_START, "f2", rest->no_number);
        return;
    }
    draw_bar(f, rest->formula, y, name, rest->meets ? "f12" : "f9", rest->reason);
    svg_textf(f->svg, f->x.to + 8, y + 4, 11, SVG_START, "bold", "%.4g%s", rest->formula,
              rest->meets ? "" : " (not met)");
}

static double draw_panel(struct svg *svg, const struct assumption_shares *s, unsigned row, double top)
{
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    char title[80];
    snprintf(title, sizeof title, "%s [%s]", spec->name, spec->unit);
    struct figure f = {svg, axis_of(s, row, title)};
    double y = top + HEADING + ROW / 2, height = ROW * LINES;
    svg_text(svg, 12, top + 16, 13, SVG_START, "bold", title);
    figure_open(&f, LEFT, top + HEADING, FIGURE_WIDTH - LEFT - RIGHT, height);
    draw_bar(&f, s->values[0][row].mean, y, "simulated", "f6", NULL);
    svg_textf(svg, f.x.to + 8, y + 4, 11, SVG_START, "bold", "%.4g", s->values[0][row].mean);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        if (step == assumption_steps_of(ASSUMPTION_MM1))
            draw_formula(&f, s, ASSUMPTION_MM1, row, y += ROW);
        draw_step(&f, s, step, row, y += ROW);
    }
    draw_formula(&f, s, ASSUMPTION_MM1K, row, y + ROW);
    return top + HEADING + height + BOTTOM;
}

static void draw(const void *shares, struct svg *svg)
{
    const struct assumption_shares *s = shares;
    static const struct figure_style entries[] = {
        {"simulated", SVG_BLUE, FIGURE_AREA, SVG_DISC},
        {"a step that makes the queue longer", SVG_VERMILION, FIGURE_AREA, SVG_DISC},
        {"a step that makes it shorter", SVG_GREEN, FIGURE_AREA, SVG_DISC},
        {"formula, met by the last step", SVG_GREY, FIGURE_AREA, SVG_DISC},
        {"formula that is not met", SVG_ORANGE, FIGURE_AREA, SVG_DISC},
    };
    unsigned panels = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        panels += is_drawn(s, row);
    svg_begin(svg, FIGURE_WIDTH, TOP + panels * (HEADING + ROW * LINES + BOTTOM),
              "Shares of the models' assumptions in the errors of the mean queues");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, entries, sizeof entries / sizeof entries[0]);
    double top = TOP;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (is_drawn(s, row))
            top = draw_panel(svg, s, row, top);
    svg_end(svg);
}

static void write_misses(const struct assumption_shares *s, FILE *out)
{
    fputs("<ul>\n", out);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
            const struct assumption_rest *rest = &s->rests[model][row];
            if (!rest->no_number && rest->reason)
                page_put(out, "<li>%s of %s is not met: %s.</li>\n", machine_quantities[row].name,
                         verdict_model_name(assumption_model_of((enum assumption_model)model)), rest->reason);
        }
    fputs("</ul>\n", out);
}

void assumption_picture_write(struct page *page, const void *shares)
{
    const struct assumption_shares *s = shares;
    unsigned met = 0;
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            met += !s->rests[model][row].no_number && s->rests[model][row].meets;
    page_put(
        page->out,
        "<p>The machine is simulated again from the run's tokens, and the assumptions of M/M/1 and M/M/1/K (Dor) "
        "are made true one after the other. What a step changes is its share of the error; shares and rest add up "
        "to formula minus simulated. The last step is the model's own system: it meets %u of %u formulas "
        "within joint 95%% intervals. Grey numbers are within their intervals of 0.</p>\n",
        met, s->checks);
    page_picture(page, draw, s);
    write_misses(s, page->out);
    fputs("<h3>The steps, each with all before it</h3>\n<dl>\n", page->out);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        page_put(page->out, "<dt>%s</dt><dd>%s (%s)</dd>\n", spec->name, spec->meaning, spec->engine);
    }
    fputs("</dl>\n", page->out);
}
