/* How often each queue held how many elements, and what the models say of that.
 *
 * Simulated the histogram of histograms.tsv, weighted by time, on a logarithmic axis. A bin of several numbers of
 *           elements has its mean share of the time for each of them. A long queue without a bound has logarithmic
 *           bins, 8 from each power of two to the next, with the whole share of each.
 * Bounds    the greatest number of elements that each FIFO of the board can ever hold (validate/run_bounds.h), if the
 *           validation has them.
 * Models    their distributions (validate/queue_distribution.h): in each panel the NEAREST ones by total variation;
 *           a page has the others, too, which its reader may ask for. Below the picture how far all are from the
 *           histograms. No model has the queues of software and of records.
 */
#include "app/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "app/report/queue_distances.h"
#include "app/prose.inc"

/* Pixels: panels in two columns. */
static const double PANEL = 230, HEAD = 62, LEFT = 66, RIGHT = 14, TOP = 30, BOTTOM = 46;

/* Shares below this are off the axis. */
static const double SHARE_LEAST = 1e-6;

/* A logarithmic axis begins here: no element has a place on it, too. From WIDE elements on bins grow. */
static const double NOTHING = 0.3, WIDE = 8;

enum { NEAREST = 3, MODELS = QUEUE_DISTANCES_MODELS };

/* The most that a FIFO of the board can ever hold with these data; NaN if that is not known. */
static double bound_of(const struct run_files *run, unsigned queue)
{
    const struct run_bounds *bounds = run->has_models ? run->validation.bounds : NULL;
    return bounds && queue < BOARD_FIFOS ? bounds->queue[queue].elements : NAN;
}

static void draw_model(struct figure *f, const struct queue_distribution *d, enum verdict_model model)
{
    static double x[QUEUE_DISTRIBUTION_MAX];
    const struct figure_style style = report_model_style(verdict_model_name(model), FIGURE_LINE);
    size_t first = 0, end;
    while (first < d->count && d->p[first] < SHARE_LEAST)
        first++;
    for (end = first; end < d->count && (end == first || d->p[end - 1] >= SHARE_LEAST); end++)
        x[end] = (double)end;
    figure_line(f, x + first, d->p + first, end - first, figure_stroke(&style).text);
}

/* The nearest ones lie on the others. */
static void draw_models(const struct run_files *run, struct figure *f, unsigned fifo)
{
    static struct queue_distribution d[MODELS];
    const struct run_queue_state *q = &run->queues[fifo];
    double far[MODELS];
    unsigned nearer[MODELS] = {0};
    for (unsigned i = 0; i < MODELS; i++)
        far[i] = queue_distances_find(run, fifo, queue_distances_models[i], &d[i])
                     ? queue_distribution_distance(&d[i], q->bins, q->bin_count)
                     : INFINITY;
    for (unsigned i = 0; i < MODELS; i++)
        for (unsigned other = 0; other < MODELS; other++)
            nearer[i] += far[other] < far[i] || (other < i && !(far[other] > far[i]));
    for (int nearest = !f->svg->in_page; nearest < 2; nearest++) {
        svg_group(f->svg, nearest ? "nearest" : "rest");
        for (unsigned i = 0; i < MODELS; i++)
            if ((nearer[i] < NEAREST) == nearest && isfinite(far[i]))
                draw_model(f, &d[i], queue_distances_models[i]);
        svg_group_end(f->svg);
    }
}

/* --- the histogram --------------------------------------------------------------------------------------- */

static double bin_end(const struct run_queue_state *q, const struct queue_bin *bin)
{
    return fmin(bin->to, fmax(bin->from, q->most));
}

/* Steps: a bin reaches half an element to both sides. What is between bins is empty. */
static void trace_steps(struct figure *f, const struct run_queue_state *q, bool closed)
{
    figure_path(f, closed ? "f6 faint" : "s6 w2");
    for (const struct queue_bin *bin = q->bins, *end = bin + q->bin_count; bin < end; bin++) {
        double from = bin->from, to = bin_end(q, bin), share = bin->fraction / (to - from + 1);
        if (f->x.logarithmic) {
            const double step = from < WIDE ? 1 : exp2(floor(log2(from)) - 3);
            from = floor(from / step) * step;
            to = fmax(to, from + step - 1);
            for (share = bin->fraction; bin + 1 < end && bin[1].from <= to; bin++)
                share += bin[1].fraction;
        }
        figure_step(f, from - 0.5, to + 0.5, share, f->y.from);
    }
    figure_steps_end(f, f->y.from, closed);
}

/* What a pointer on a page is told: of bins that lie too close for it, together. */
static void add_tips(const struct figure *f, const struct run_queue_state *q)
{
    static const double APART = 4; /* pixels */
    char tip[120];
    for (const struct queue_bin *bin = q->bins, *end = bin + q->bin_count; bin < end && f->svg->in_page;) {
        const double from = bin->from, left = figure_x(f, fmax(from - 0.5, f->x.least));
        double to, right, share = 0;
        do {
            to = bin_end(q, bin);
            right = figure_x(f, fmin(to + 0.5, f->x.most));
            share += 100 * bin++->fraction;
        } while (bin < end && right < left + APART);
        if (from < to)
            snprintf(tip, sizeof tip, "%.0f to %.0f in it: %.3g%% of the time", from, to, share);
        else
            snprintf(tip, sizeof tip, "%.0f in it: %.3g%% of the time", from, share);
        svg_rectangle(f->svg, left, f->y.to, right - left, f->y.from - f->y.to, "tip", tip);
    }
}

static void draw_panel(const struct run_files *run, struct svg *svg, unsigned queue, double left, double top)
{
    const struct run_queue_state *q = &run->queues[queue];
    char title[160], places[80];
    const double bound = bound_of(run, queue);
    const bool is_long = isnan(q->places) && q->most >= FIFO_SINGLE;
    const double used = q->bin_count > 0 ? bin_end(q, &q->bins[q->bin_count - 1]) : 1,
                 most_places = fmax(used, 4) * 4,
                 own_end = fmax(8, isnan(q->places) || q->places > most_places ? used : q->places),
                 axis_end = figure_share_end(svg, own_end);
    struct figure f = {svg,
                       {is_long ? NOTHING : -0.5, axis_end + 0.5, .logarithmic = is_long, .title = title},
                       figure_axis_logarithmic(SHARE_LEAST, 1, "share of the time")};
    const double width = q->bin_count > 0 ? q->bins->to - q->bins->from + 1 : 1;
    snprintf(title, sizeof title, "elements in it [%s]%s", q->element,
             is_long                        ? ", in growing bins"
             : width > 1 && isfinite(width) ? shown_text(", means of bins of %.0f", width).text
                                            : "");
    figure_open(&f, left + LEFT, top + TOP, FIGURE_WIDTH / 2 - LEFT - RIGHT, PANEL - TOP - BOTTOM);
    for (int closed = 1; closed >= 0; closed--)
        trace_steps(&f, q, closed);
    if (is_long)
        svg_text(svg, figure_x(&f, (NOTHING + 0.5) / 2), f.y.from + 16, 11, SVG_MIDDLE, "f2", "0");
    if (q->mean <= axis_end + 0.5)
        figure_rule(&f, q->mean, (f.y.to + f.y.from) / 2, (f.y.from - f.y.to) / 2, "s6 dash w2");
    if (bound <= axis_end + 0.5)
        figure_rule(&f, bound, (f.y.to + f.y.from) / 2, (f.y.from - f.y.to) / 2, "s7 dots w3");
    if (queue < QUEUE_DISTANCES_FIFOS && run->has_models)
        draw_models(run, &f, queue);
    add_tips(&f, q);
    svg_text(svg, left + LEFT, top + 14, 13, SVG_START, "bold", q->title);
    snprintf(places, sizeof places, isnan(q->places) ? "no bound" : "%.0f places", q->places);
    if (isfinite(bound))
        snprintf(places + strlen(places), 40, ", never above %.0f", bound);
    svg_textf(svg, left + FIGURE_WIDTH / 2 - RIGHT, top + 14, 11, SVG_END, "f2", "mean %s, max %s, %s",
              figure_label(q->mean).text, figure_label(q->most).text, places);
}

static void draw(const void *data, struct svg *svg)
{
    const struct run_files *run = data;
    struct figure_style legend[MODELS + 3] = {{"simulated", SVG_BLUE, FIGURE_AREA},
                                              {"simulated mean", SVG_BLUE, FIGURE_DASHED}};
    size_t entries = 2;
    unsigned rows = (MACHINE_QUEUES + 1) / 2;
    for (unsigned i = 0; i < MODELS; i++)
        legend[entries++] = report_model_style(verdict_model_name(queue_distances_models[i]), FIGURE_LINE);
    if (!isnan(bound_of(run, FIFO_INGRESS)))
        legend[entries++] = (struct figure_style){"bound: never more", SVG_VERMILION, FIGURE_DOTTED};
    svg_begin(svg, FIGURE_WIDTH, HEAD + rows * (PANEL + 8),
              "How often each queue held how many elements, with the models");
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, legend, entries);
    for (unsigned i = 0; i < MACHINE_QUEUES; i++) {
        unsigned row = i / 2;
        draw_panel(run, svg, i, i % 2 * FIGURE_WIDTH / 2, HEAD - 18 + row * (PANEL + 8));
    }
    svg_end(svg);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static const char *missing(const struct run_files *run)
{
    for (unsigned i = 0; i < MACHINE_QUEUES; i++)
        if (run->queues[i].bin_count > 0)
            return NULL;
    return "No queue of this run was ever watched: histograms.tsv has no row of the run.";
}

static void introduce(const struct run_files *run, FILE *out)
{
    fputs(PROSE_QUEUES_INTRODUCE, out);
    if (run->has_models)
        fputs(PROSE_QUEUES_ALL, out);
    else
        page_put(out, "<p>The models have no answer for this run: %s.</p>\n", run->no_models.line);
}

static void follow(const struct run_files *run, FILE *out)
{
    fputs(PROSE_QUEUES_FOLLOW, out);
    if (!run->has_models)
        return;
    fputs(PROSE_QUEUES_FOLLOW_2, out);
    queue_distances_write(run, RESULT_HTML, out);
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
