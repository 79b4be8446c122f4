#include "app/report/report_boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/chart.h"

enum { FEW = 5, RATES = 4 };

static const double THIRD = REPORT_WIDTH / 3, PANEL = 208, TOP = 24, BOTTOM = 46, OVER_TIME = 260;

/* --- values of the passes -------------------------------------------------------------------------------- */

enum value_kind { VALUE_BUSY, VALUE_FIFO, VALUE_RATE };

/* A row of a panel: value number `index` of its kind. */
struct box_row {
    const char *name;
    unsigned index;
};

static const struct box_row busy_rows[] = {{"bus", 0}, {"1a", 1}, {"1bp", 2}, {"1bd", 3}, {"2", 4}};
static const struct box_row fifo_rows[] = {
    {"ingress", 0}, {"wmer", 1}, {"SRAM", 2}, {"stage 2", 3}, {"egress", 4}};
static const struct box_row rate_rows[RATES] = {{"words", 0}, {"seeds", 1}, {"matches", 2}, {"HSPs", 3}};

static const enum svg_colour row_colours[] = {SVG_BLUE, SVG_GREEN, SVG_ORANGE, SVG_PURPLE, SVG_SKY};

static double value_of(const struct run_files *run, const struct run_pass *pass, enum value_kind kind,
                       unsigned index)
{
    const double counts[RATES] = {pass->words, pass->seeds, pass->matches, pass->hsps};
    if (kind == VALUE_BUSY)
        return 100 * pass->busy[index];
    if (kind == VALUE_FIFO)
        return 100 * pass->fifos[index] / run->queues[RUN_INGRESS + index].places;
    return pass->clocks > 0 ? counts[index] / pass->clocks * run->clock_hz : NAN;
}

static size_t collect(const struct run_files *run, enum value_kind kind, unsigned index, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < run->pass_count; i++) {
        double value = value_of(run, &run->passes[i], kind, index);
        if (isfinite(value))
            values[count++] = value;
    }
    return count;
}

/* --- panels of boxes ------------------------------------------------------------------------------------- */

static void draw_box_row(const struct chart *c, const struct box_row *row, double y, double *values,
                         size_t count)
{
    enum svg_colour colour = row_colours[row->index];
    char tip[160], median[CHART_LABEL_BYTES], least[CHART_LABEL_BYTES], most[CHART_LABEL_BYTES];
    struct chart_box box = chart_find_box(values, count);
    svg_text(c->svg, c->x.from - 10, y + 4, 11.5, SVG_END, "", row->name);
    snprintf(tip, sizeof tip, "%s: median %s, from %s to %s", row->name, chart_label(box.median, median),
             chart_label(box.least, least), chart_label(box.most, most));
    if (count >= FEW)
        chart_draw_box(c, &box, y, 15, colour, tip);
    for (size_t i = 0; i < count && count < FEW; i++)
        svg_mark(c->svg, chart_place(&c->x, values[i]), y, 4.5, SVG_DISC, colour, true, tip);
}

static void draw_panel(const struct run_files *run, struct svg *svg, double left, double top,
                       enum value_kind kind, const struct box_row *rows, size_t count, struct chart_axis axis,
                       double *values)
{
    struct chart c = {svg, axis, {.most = 1, .bare = true}};
    double row = (PANEL - TOP - BOTTOM) / (double)count;
    chart_put(&c, left + 66, top + TOP, THIRD - 66 - 26, PANEL - TOP - BOTTOM);
    chart_draw_axes(&c);
    for (size_t i = 0; i < count; i++)
        draw_box_row(&c, &rows[i], top + TOP + row * ((double)i + 0.5), values,
                     collect(run, kind, rows[i].index, values));
}

static struct chart_axis rate_axis(const struct run_files *run)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < run->pass_count; i++)
        for (unsigned k = 0; k < RATES; k++) {
            double rate = value_of(run, &run->passes[i], VALUE_RATE, k);
            if (rate > 0)
                least = fmin(least, rate), most = fmax(most, rate);
        }
    return chart_axis_logarithmic(least, most, "rate while streaming [elements/s]");
}

static struct chart_axis percent_axis(const char *title)
{
    return (struct chart_axis){.most = 100, .title = title};
}

static void draw_passes(const struct run_files *run, struct svg *svg)
{
    double *values = malloc((run->pass_count + 1) * sizeof *values);
    if (!values) /* a page without boxes is better than none */
        return;
    draw_panel(run, svg, 0, 0, VALUE_BUSY, busy_rows, 5, percent_axis("busy [% of the clocks]"), values);
    draw_panel(run, svg, THIRD, 0, VALUE_FIFO, fifo_rows, 5, percent_axis("mean queue [% of the places]"),
               values);
    draw_panel(run, svg, 2 * THIRD, 0, VALUE_RATE, rate_rows, RATES, rate_axis(run), values);
    free(values);
}

/* --- rates over time ------------------------------------------------------------------------------------- */

/* The rates of passes.tsv, for a run that measured none. */
static void find_rates_of_passes(const struct run_files *run, struct run_rate rates[RATES])
{
    for (unsigned k = 0; k < RATES; k++) {
        bool added = true;
        rates[k] = (struct run_rate){.unit = "elements/s"};
        snprintf(rates[k].name, sizeof rates[k].name, "%s", rate_rows[k].name);
        for (size_t i = 0; i < run->pass_count && added; i++) {
            const struct run_pass *pass = &run->passes[i];
            double begin_s = pass->stream_begin_s, end_s = begin_s + pass->clocks / run->clock_hz;
            added = run_files_add_rate(
                run, &rates[k], (struct rate_point){begin_s, end_s, value_of(run, pass, VALUE_RATE, k)});
        }
    }
}

static void draw_rate(const struct chart *c, const struct run_rate *rate, double per_s,
                      enum svg_colour colour)
{
    char class[16];
    double end_s = NAN;
    snprintf(class, sizeof class, "s%d w2 round", (int)colour);
    svg_path_begin(c->svg, class);
    for (size_t i = 0; i < rate->count; i++) {
        const struct rate_point *p = &rate->points[i];
        if (!(p->value > 0))
            continue;
        double y = chart_place(&c->y, p->value), x = chart_place(&c->x, p->begin_s * per_s);
        /* a gap where tables are loaded, and where nothing passes */
        (p->begin_s <= end_s + 1e-9 ? svg_to : svg_move)(c->svg, x, y);
        svg_to(c->svg, chart_place(&c->x, p->end_s * per_s), y);
        end_s = p->end_s;
    }
    svg_path_end(c->svg);
}

static struct chart_axis axis_of_rates(const struct run_rate *rates, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < rates[k].count; i++)
            if (rates[k].points[i].value > 0) {
                least = fmin(least, rates[k].points[i].value);
                most = fmax(most, rates[k].points[i].value);
            }
    return chart_axis_logarithmic(least, most, "rate [elements/s]");
}

static const char *plain_name(const char *name)
{
    return strncmp(name, "rate.", 5) == 0 ? name + 5 : name;
}

static void draw_over_time(const struct run_files *run, struct svg *svg, double top)
{
    static const enum svg_colour colours[RUN_RATES_MAX] = {SVG_BLUE, SVG_GREEN, SVG_ORANGE,    SVG_PURPLE,
                                                           SVG_SKY,  SVG_GREY,  SVG_VERMILION, SVG_INK};
    struct run_rate own[RATES];
    struct chart_legend_entry entries[RUN_RATES_MAX];
    struct report_unit unit = report_time_unit(run->simulated_s);
    char title[48];
    bool measured = run->rate_count > 0;
    const struct run_rate *rates = measured ? run->rates : own;
    size_t count = measured ? run->rate_count : RATES;
    if (!measured)
        find_rates_of_passes(run, own);
    snprintf(title, sizeof title, "time of the simulated machine [%s]", unit.name);
    struct chart c = {
        svg, {.most = run->simulated_s * unit.per_s, .title = title}, axis_of_rates(rates, count)};
    for (size_t k = 0; k < count; k++)
        entries[k] = (struct chart_legend_entry){plain_name(rates[k].name), colours[k], CHART_KEY_LINE};
    chart_draw_legend(svg, 74, top, REPORT_WIDTH - 94, entries, count);
    chart_put(&c, 74, top + 28, REPORT_WIDTH - 94, OVER_TIME - 28 - BOTTOM);
    chart_draw_axes(&c);
    for (size_t k = 0; k < count; k++)
        draw_rate(&c, &rates[k], unit.per_s, colours[k]);
    for (size_t k = 0; k < RATES && !measured; k++)
        free(own[k].points);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static void draw(const struct run_files *run, struct svg *svg)
{
    svg_begin(svg, REPORT_WIDTH, PANEL + 8 + OVER_TIME, "How much the passes differ, and rates over time");
    draw_passes(run, svg);
    draw_over_time(run, svg, PANEL + 8);
    svg_end(svg);
}

static const char *missing(const struct run_files *run)
{
    return run->pass_count > 0 ? NULL : "This run has no passes.tsv: an older version of Mercury wrote it.";
}

static void introduce(const struct run_files *run, FILE *out)
{
    if (run->pass_count < FEW)
        fputs("<p>A ring is a pass. From five passes on there are box plots.</p>\n", out);
    else
        fputs(
            "<p>A box holds the middle half of the passes, with the median in it; whiskers end at the last pass within "
            "1.5 boxes, and a ring is the pass farthest out.</p>\n",
            out);
    if (run->board_count > 1)
        fputs("<p>Rates over time are sums over the boards.</p>\n", out);
}

const struct report_part report_boxes = {
    .what = "boxes",
    .title = "From pass to pass, and over time",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
};
