/* How often each queue held how many elements, and what the models say of that.
 *
 * Simulated the histogram of histograms.tsv, weighted by time, on a logarithmic axis. A bin of several numbers of
 *           elements has its mean share of the time for each of them.
 * Bounds    the greatest number of elements that each FIFO of the board can ever hold (validate/run_bounds.h), if the
 *           validation has them.
 * Models    their distributions (validate/queue_distribution.h), and below the picture how far these are from the
 *           histograms. No model has the queues of software and of records.
 */
#include "app/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/figure.h"
#include "app/report/queue_distances.h"

/* Pixels: panels in two columns. */
static const double PANEL = 230, HEAD = 62, LEFT = 66, RIGHT = 14, TOP = 30, BOTTOM = 46;

/* Shares below this are off the axis. */
static const double SHARE_LEAST = 1e-6;

/* The lines of the models. */
static const struct {
    enum verdict_model model;
    const char *class;
} lines[] = {{VERDICT_MM1, "s7 w2"},      {VERDICT_MG1, "s10 w2"},          {VERDICT_MXG1, "s11 w2"},
             {VERDICT_MD1, "s8 w3 dots"}, {VERDICT_MM1K_DOR, "s9 w2 dash"}, {VERDICT_MM1K, "s1 w2 dash"},
             {VERDICT_BLOCKING, "s1 w2"}};

static const struct figure_style legend[] = {
    {"simulated", SVG_BLUE, FIGURE_AREA},
    {"simulated mean", SVG_BLUE, FIGURE_DASHED},
    {"M/M/1", SVG_VERMILION, FIGURE_LINE},
    {"M/M/1/K", SVG_INK, FIGURE_DASHED},
    {"M/M/1/K (Dor)", SVG_ORANGE, FIGURE_DASHED},
    {"M/D/1", SVG_GREEN, FIGURE_DOTTED},
    {"M/G/1", SVG_PURPLE, FIGURE_LINE},
    {"M^[X]/G/1", SVG_SKY, FIGURE_LINE},
    {"tandem with blocking", SVG_INK, FIGURE_LINE},
    {"bound: never more", SVG_VERMILION, FIGURE_DOTTED}, /* only if there are bounds */
};

/* The most that a FIFO of the board can ever hold with these data; NaN if that is not known. */
static double bound_of(const struct run_files *run, enum run_queue queue)
{
    const struct run_bounds *bounds = run->has_models ? run->validation.bounds : NULL;
    return bounds && queue >= RUN_INGRESS && queue <= RUN_EGRESS ? bounds->queue[queue - RUN_INGRESS].elements
                                                                 : NAN;
}

static void draw_model(const struct run_files *run, struct figure *f, unsigned fifo, enum verdict_model model,
                       const char *class)
{
    static struct queue_distribution d;
    static double x[QUEUE_DISTRIBUTION_MAX];
    if (!queue_distances_find(run, fifo, model, &d))
        return;
    size_t first = 0, end;
    while (first < d.count && d.p[first] < SHARE_LEAST)
        first++;
    for (end = first; end < d.count && (end == first || d.p[end - 1] >= SHARE_LEAST); end++)
        x[end] = (double)end;
    figure_line(f, x + first, d.p + first, end - first, class);
}

/* --- the histogram --------------------------------------------------------------------------------------- */

static double bin_end(const struct queue_bin *bin)
{
    return isfinite(bin->to) ? bin->to : bin->from;
}

/* Steps: a bin reaches half an element to both sides. What is between bins is empty. */
static void trace_steps(struct figure *f, const struct run_queue_state *q, bool closed)
{
    double end = NAN, base = f->y.from;
    for (size_t i = 0; i < q->bin_count; i++) {
        const struct queue_bin *bin = &q->bins[i];
        double left = figure_x(f, bin->from - 0.5), right = figure_x(f, bin_end(bin) + 0.5);
        double y = figure_y(f, bin->fraction / (bin_end(bin) - bin->from + 1));
        if (!(end == bin->from - 1)) {
            if (!isnan(end))
                svg_to(f->svg, figure_x(f, end + 0.5), base);
            svg_move(f->svg, left, base);
        }
        svg_to(f->svg, left, y);
        svg_to(f->svg, right, y);
        end = bin_end(bin);
    }
    if (q->bin_count > 0)
        svg_to(f->svg, figure_x(f, end + 0.5), base);
    if (closed)
        svg_path_close(f->svg);
}

static void draw_panel(const struct run_files *run, struct svg *svg, enum run_queue queue, double left,
                       double top)
{
    const struct run_queue_state *q = &run->queues[queue];
    char title[64], mean[FIGURE_LABEL_BYTES], most[FIGURE_LABEL_BYTES], places[80];
    const double bound = bound_of(run, queue);
    const struct queue_bin *last = q->bin_count > 0 ? &q->bins[q->bin_count - 1] : NULL;
    const double used = last ? bin_end(last) : 1, most_places = fmax(used, 4) * 4,
                 own_end = fmax(8, isnan(q->places) || q->places > most_places ? used : q->places),
                 axis_end = figure_share_end(svg, own_end);
    struct figure f = {svg,
                       {.least = -0.5, .most = axis_end + 0.5, .title = title},
                       figure_axis_logarithmic(SHARE_LEAST, 1, "share of the time")};
    snprintf(title, sizeof title,
             last && isinf(last->to) ? "elements in it [%s]; the last bin has no end" : "elements in it [%s]",
             q->element);
    figure_open(&f, left + LEFT, top + TOP, FIGURE_WIDTH / 2 - LEFT - RIGHT, PANEL - TOP - BOTTOM);
    for (int closed = 1; closed >= 0; closed--) {
        svg_path_begin(svg, closed ? "f6 faint" : "s6 w2");
        trace_steps(&f, q, closed);
        svg_path_end(svg);
    }
    if (q->mean <= axis_end + 0.5)
        svg_line(svg, figure_x(&f, q->mean), f.y.to, figure_x(&f, q->mean), f.y.from, "s6 dash w2");
    if (bound <= axis_end + 0.5)
        svg_line(svg, figure_x(&f, bound), f.y.to, figure_x(&f, bound), f.y.from, "s7 dots w3");
    for (unsigned fifo = 0; fifo < QUEUE_DISTANCES_FIFOS && run->has_models; fifo++)
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            if (queue_distances_fifos[fifo].queue == queue)
                draw_model(run, &f, fifo, lines[i].model, lines[i].class);
    svg_text(svg, left + LEFT, top + 14, 13, SVG_START, "bold", q->title);
    figure_label(q->mean, mean);
    figure_label(q->most, most);
    snprintf(places, sizeof places, isnan(q->places) ? "no bound" : "%.0f places", q->places);
    if (isfinite(bound))
        snprintf(places + strlen(places), 40, ", never above %.0f", bound);
    svg_textf(svg, left + FIGURE_WIDTH / 2 - RIGHT, top + 14, 11, SVG_END, "f2", "mean %s, max %s, %s", mean,
              most, places);
}

static void draw(const void *data, struct svg *svg)
{
    const struct run_files *run = data;
    const size_t entries = sizeof legend / sizeof legend[0] - isnan(bound_of(run, RUN_INGRESS));
    /* the board's queues first: of them the models speak */
    static const enum run_queue order[RUN_QUEUES] = {RUN_INGRESS, RUN_WMER,       RUN_SRAM, RUN_STAGE2,
                                                     RUN_EGRESS,  RUN_HOST_QUEUE, RUN_INBOX};
    unsigned rows = (RUN_QUEUES + 1) / 2;
    svg_begin(svg, FIGURE_WIDTH, HEAD + rows * (PANEL + 8),
              "How often each queue held how many elements, with the models");
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, legend, entries);
    for (unsigned i = 0; i < RUN_QUEUES; i++) {
        unsigned row = i / 2;
        draw_panel(run, svg, order[i], i % 2 * FIGURE_WIDTH / 2, HEAD - 18 + row * (PANEL + 8));
    }
    svg_end(svg);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static const char *missing(const struct run_files *run)
{
    for (unsigned i = 0; i < RUN_QUEUES; i++)
        if (run->queues[i].bin_count > 0)
            return NULL;
    return "No queue of this run was ever watched: histograms.tsv has no row of the run.";
}

static void introduce(const struct run_files *run, FILE *out)
{
    fputs(
        "<p>Each queue held this many elements in this share of the time. The curves are what queueing theory expects "
        "at the run's own rates; where they fall far below the blue area, the theory does not see what fills the "
        "queue: clumps of seeds, and blocking from downstream.",
        out);
    if (!run->has_models)
        page_put(out, " The models have no answer for this run: %s.", run->no_models.line);
    fputs("</p>\n", out);
}

static void follow(const struct run_files *run, FILE *out)
{
    fputs(
        "<p class=\"note\">M/G/1 and M^[X]/G/1 are drawn with gamma-distributed services of the measured mean and "
        "variance. The models of stage 1a count w-mers, 16 of which are a word. No model has the egress FIFO and the "
        "queues of the host.</p>\n",
        out);
    if (!run->has_models)
        return;
    fputs(
        "<p>How far the curves are from what was measured, as total variation distance: 0 if both are the same, 1 if "
        "they have no length in common.</p>\n",
        out);
    queue_distances_write_html(run, out); /* whoever closes the page finds out about a full disk */
    const struct run_bounds *bounds = run->validation.bounds;
    if (!bounds)
        return;
    page_put(out, "<p>Bounds: the stream takes at least %.4g ms and at most %.4g ms.</p>\n",
             1e3 * bounds->least_s, 1e3 * bounds->most_s);
    result_table_end(run_bounds_table(bounds, RESULT_HTML), RESULT_HTML, out);
}

const struct report_part report_queues = {
    .title = "How full the queues were",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
