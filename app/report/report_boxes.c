/* How much passes differ, and how rates change over the run.
 *
 * Passes    box plots by Tukey's rule over the rows of passes.tsv: how busy each stage was, how full each queue was,
 *           how many elements passed in a second. Fewer than FEW passes are marks, since a box of so few values says
 *           nothing.
 * Time      the rates that the run measured frame by frame (frames.tsv), up to RUN_RATE_POINTS stretches of each; from
 *           passes.tsv if there are none.
 */
#include "app/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "app/prose.inc"

enum { FEW = 5, RATES = 4 };

static const double THIRD = FIGURE_WIDTH / 3, PANEL = 208, TOP = 24, BOTTOM = 46, OVER_TIME = 260;

/* --- values of the passes -------------------------------------------------------------------------------- */

enum value_kind { VALUE_BUSY, VALUE_FIFO, VALUE_RATE, VALUES };

/* The rows of a panel. */
static const char *const names[VALUES][FEW] = {
    [VALUE_BUSY] = {"bus", "1a", "1bp", "1bd", "2"},
    [VALUE_FIFO] = {"ingress", "w-mer", "SRAM", "stage 2", "egress"},
    [VALUE_RATE] = {"words", "seeds", "matches", "HSPs"},
};

static double value_of(const struct run_files *run, const struct run_pass *pass, enum value_kind kind,
                       unsigned index)
{
    const double counts[RATES] = {pass->words, pass->seeds, pass->matches, pass->hsps};
    if (kind == VALUE_BUSY)
        return 100 * pass->busy[index];
    if (kind == VALUE_FIFO)
        return 100 * pass->fifos[index] / run->queues[index].places;
    return pass->clocks > 0 ? counts[index] / pass->clocks * run->clock_hz : NAN;
}

/* --- panels of boxes ------------------------------------------------------------------------------------- */

void report_draw_box(const struct figure *f, const struct five_numbers *box, double y, enum svg_colour colour,
                     const char *tip)
{
    static const double HEIGHT = 15;
    const struct shown stroke = shown_text("s%d w2", (int)colour);
    /* a quartile between two passes of which the outer one is far lies beyond the last pass within reach */
    const double low = fmin(box->lower_whisker, box->lower_quartile),
                 high = fmax(box->upper_whisker, box->upper_quartile);
    svg_line(f->svg, figure_x(f, low), y, figure_x(f, box->lower_quartile), y, stroke.text);
    svg_line(f->svg, figure_x(f, box->upper_quartile), y, figure_x(f, high), y, stroke.text);
    figure_rule(f, low, y, HEIGHT / 4, stroke.text);
    figure_rule(f, high, y, HEIGHT / 4, stroke.text);
    figure_bar(f, box->lower_quartile, box->upper_quartile, y, HEIGHT, 0,
               shown_text("f%d half", (int)colour).text, "%s", tip);
    figure_rule(f, box->median, y, HEIGHT / 2, "s1 w3");
    if (box->least < box->lower_whisker)
        svg_mark(f->svg, figure_x(f, box->least), y, 3, SVG_DISC, colour, true, NULL);
    if (box->most > box->upper_whisker)
        svg_mark(f->svg, figure_x(f, box->most), y, 3, SVG_DISC, colour, true, NULL);
}

/* @param values  has room for one of each pass */
static void draw_row(struct figure *f, const struct run_files *run, enum value_kind kind, unsigned index,
                     double y, double *values)
{
    char tip[280];
    const char *name = names[kind][index];
    size_t count = 0;
    for (size_t i = 0; i < run->pass_count; i++) {
        double value = value_of(run, &run->passes[i], kind, index);
        if (isfinite(value))
            values[count++] = value;
    }
    const struct five_numbers box = five_numbers_of(values, count);
    svg_text(f->svg, f->x.from - 10, y + 4, 11.5, SVG_END, "", name);
    snprintf(tip, sizeof tip, "%s: median %s, from %s to %s", name, figure_label(box.median).text,
             figure_label(box.least).text, figure_label(box.most).text);
    if (count >= FEW)
        report_draw_box(f, &box, y, svg_series_colours[index], tip);
    for (size_t i = 0; i < count && count < FEW; i++)
        svg_mark(f->svg, figure_x(f, values[i]), y, 4.5, SVG_DISC, svg_series_colours[index], true, tip);
}

static void draw_panel(const struct run_files *run, struct svg *svg, enum value_kind kind,
                       struct figure_axis axis)
{
    struct figure f = {svg, axis};
    auto_free double *values = memory_take(run->pass_count * sizeof *values);
    const unsigned rows = kind == VALUE_RATE ? RATES : FEW;
    figure_open(&f, kind * THIRD + 66, TOP, THIRD - 66 - 26, PANEL - TOP - BOTTOM);
    for (unsigned i = 0; i < rows; i++)
        draw_row(&f, run, kind, i, TOP + (PANEL - TOP - BOTTOM) / rows * (i + 0.5), values);
}

/* What is not above 0 has no place on a logarithmic axis and stands at its end. */
static void widen(double ends[2], double value)
{
    if (value > 0) {
        ends[0] = fmin(ends[0], value);
        ends[1] = fmax(ends[1], value);
    }
}

/* --- rates over time ------------------------------------------------------------------------------------- */

/* The rates of passes.tsv, for a run that measured none. */
static void find_rates_of_passes(const struct run_files *run, struct run_rate rates[RATES])
{
    for (unsigned k = 0; k < RATES; k++) {
        rates[k] = (struct run_rate){.unit = "elements/s"};
        snprintf(rates[k].name, sizeof rates[k].name, "%s", names[VALUE_RATE][k]);
        for (size_t i = 0; i < run->pass_count; i++) {
            const struct run_pass *pass = &run->passes[i];
            double begin_s = pass->stream_begin_s, end_s = begin_s + pass->clocks / run->clock_hz;
            run_files_add_rate(&rates[k],
                               (struct rate_point){begin_s, end_s, value_of(run, pass, VALUE_RATE, k)});
        }
    }
}

static double mean_of(const struct run_rate *rate)
{
    double elements = 0, time_s = 0;
    for (const struct rate_point *p = rate->points; p < rate->points + rate->count; p++) {
        elements += p->value * (p->end_s - p->begin_s);
        time_s += p->end_s - p->begin_s;
    }
    return elements / time_s;
}

/* There are gaps where tables are loaded, and where nothing passes. A line is wider for each that is drawn after it
 * with nearly the same mean, so that it is seen below that. @param later  number of rates after this one */
static void draw_rate(struct figure *f, const struct run_rate *rate, double per_s, enum svg_colour colour,
                      size_t later)
{
    static const char *const widths[] = {"w2", "w5", "w8"};
    unsigned above = 0;
    for (size_t i = 1; i <= later; i++)
        above += above < 2 && fabs(mean_of(&rate[i]) / mean_of(rate) - 1) < 0.04;
    figure_path(f, shown_text("s%d %s", (int)colour, widths[above]).text);
    for (const struct rate_point *p = rate->points; p < rate->points + rate->count; p++)
        if (p->value > 0)
            figure_step(f, p->begin_s * per_s, p->end_s * per_s, p->value, NAN);
    figure_steps_end(f, NAN, false);
}

static void draw_over_time(const struct run_files *run, struct svg *svg, double top)
{
    struct run_rate own[RATES];
    struct figure_style styles[RUN_RATES_MAX];
    struct figure_unit unit = figure_time_unit(run->simulated_s);
    char title[48];
    double ends[2] = {INFINITY, 0};
    bool measured = run->rate_count > 0;
    const struct run_rate *rates = measured ? run->rates : own;
    size_t count = measured ? run->rate_count : RATES;
    if (!measured)
        find_rates_of_passes(run, own);
    for (size_t k = 0; k < count; k++) {
        const char *name = rates[k].name;
        styles[k] = (struct figure_style){strncmp(name, "rate.", 5) == 0 ? name + 5 : name,
                                          svg_series_colours[k], FIGURE_LINE};
        for (size_t i = 0; i < rates[k].count; i++)
            widen(ends, rates[k].points[i].value);
    }
    snprintf(title, sizeof title, "time of the simulated machine [%s]", unit.name);
    struct figure f = {svg,
                       {.most = run->simulated_s * unit.per_s, .title = title},
                       figure_axis_logarithmic(ends[0], ends[1], "rate [elements/s]")};
    figure_draw_legend(svg, 74, top, FIGURE_WIDTH - 94, styles, count);
    figure_open(&f, 74, top + 28, FIGURE_WIDTH - 94, OVER_TIME - 28 - BOTTOM);
    for (size_t k = 0; k < count; k++)
        draw_rate(&f, &rates[k], unit.per_s, svg_series_colours[k], count - 1 - k);
    for (size_t k = 0; k < RATES && !measured; k++)
        free(own[k].points);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static void draw(const void *data, struct svg *svg)
{
    const struct run_files *run = data;
    double ends[2] = {INFINITY, 0};
    bool has_none = false;
    for (size_t i = 0; i < run->pass_count; i++)
        for (unsigned k = 0; k < RATES; k++) {
            const double rate = value_of(run, &run->passes[i], VALUE_RATE, k);
            widen(ends, rate);
            has_none |= rate == 0;
        }
    svg_begin(svg, FIGURE_WIDTH, PANEL + 8 + OVER_TIME, "How much the passes differ, and rates over time");
    draw_panel(run, svg, VALUE_BUSY, (struct figure_axis){.most = 100, .title = "busy [% of the clocks]"});
    draw_panel(run, svg, VALUE_FIFO,
               (struct figure_axis){.most = 100, .title = "mean queue [% of the places]"});
    draw_panel(run, svg, VALUE_RATE,
               figure_axis_logarithmic(ends[0], ends[1],
                                       has_none ? "rate while streaming [elements/s]; left end: 0"
                                                : "rate while streaming [elements/s]"));
    draw_over_time(run, svg, PANEL + 8);
    svg_end(svg);
}

static void introduce(const struct run_files *run, FILE *out)
{
    if (run->pass_count < FEW)
        fputs("<p>A ring is a pass. From five passes on there are box plots.</p>\n", out);
    else
        fputs(PROSE_BOXES_INTRODUCE, out);
    if (run->board_count > 1)
        fputs("<p>Rates over time are sums over the boards.</p>\n", out);
    for (size_t k = 0; k < run->rate_count && run->board_count < 2; k++)
        if (run->rates[k].is_sum)
            page_put(out, "<p>Passes overlap in %s: the line is their sum.</p>\n", run->rates[k].name);
}

const struct report_part report_boxes = {
    .title = "From pass to pass, and over time",
    .missing = report_missing_passes,
    .draw = draw,
    .introduce = introduce,
};
