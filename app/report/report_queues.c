#include "app/report/report_queues.h"

#include <math.h>
#include <stdlib.h>

#include "base/draw/chart.h"
#include "app/report/queue_distances.h"

/* Pixels: panels in two columns. */
static const double PANEL = 230, HEAD = 62, LEFT = 66, RIGHT = 14, TOP = 30, BOTTOM = 46;

/* Shares below this are off the axis. */
static const double SHARE_LEAST = 1e-6;

enum { FIFO_NONE = -1 };

/* The FIFO of queue_distances_fifos. */
static const int fifos[RUN_QUEUES] = {
    [RUN_HOST_QUEUE] = FIFO_NONE, [RUN_INGRESS] = 0,       [RUN_WMER] = 1, [RUN_SRAM] = 2, [RUN_STAGE2] = 3,
    [RUN_EGRESS] = FIFO_NONE,     [RUN_INBOX] = FIFO_NONE,
};

/* The lines of the models. */
static const struct {
    enum verdict_model model;
    const char *class;
} lines[] = {{VERDICT_MM1, "s7 w2"},      {VERDICT_MG1, "s10 w2"},          {VERDICT_MXG1, "s11 w2"},
             {VERDICT_MD1, "s8 w3 dots"}, {VERDICT_MM1K_DOR, "s9 w2 dash"}, {VERDICT_MM1K, "s1 w2 dash"},
             {VERDICT_BLOCKING, "s1 w2"}};

static const struct chart_legend_entry legend[] = {
    {"simulated", SVG_BLUE, CHART_KEY_AREA},
    {"simulated mean", SVG_BLUE, CHART_KEY_DASHED},
    {"M/M/1", SVG_VERMILION, CHART_KEY_LINE},
    {"M/M/1/K", SVG_INK, CHART_KEY_DASHED},
    {"M/M/1/K (Dor)", SVG_ORANGE, CHART_KEY_DASHED},
    {"M/D/1", SVG_GREEN, CHART_KEY_DOTTED},
    {"M/G/1", SVG_PURPLE, CHART_KEY_LINE},
    {"M^[X]/G/1", SVG_SKY, CHART_KEY_LINE},
    {"tandem with blocking", SVG_INK, CHART_KEY_LINE},
};

/* --- models ---------------------------------------------------------------------------------------------- */

static void draw_model(const struct run_files *run, const struct chart *c, unsigned fifo,
                       enum verdict_model model, const char *class)
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
    chart_draw_line(c, x + first, d.p + first, end - first, class);
}

static void draw_models(const struct run_files *run, const struct chart *c, enum run_queue queue)
{
    int fifo = fifos[queue];
    if (!run->has_models || fifo == FIFO_NONE)
        return;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        draw_model(run, c, (unsigned)fifo, lines[i].model, lines[i].class);
}

/* --- the histogram --------------------------------------------------------------------------------------- */

static double bin_end(const struct queue_bin *bin)
{
    return isfinite(bin->to) ? bin->to : bin->from;
}

static bool has_open_end(const struct run_queue_state *q)
{
    return q->bin_count > 0 && isinf(q->bins[q->bin_count - 1].to);
}

/* Number of elements at the right end of the axis. */
static double axis_end(const struct run_queue_state *q)
{
    double last = q->bin_count > 0 ? bin_end(&q->bins[q->bin_count - 1]) : 1;
    return fmax(8, isnan(q->places) || q->places > 4 * fmax(last, 4) ? last : q->places);
}

/* Steps: a bin reaches half an element to both sides. What is between bins is empty. */
static void trace_steps(const struct chart *c, const struct run_queue_state *q, bool closed)
{
    double end = NAN, base = c->y.from;
    for (size_t i = 0; i < q->bin_count; i++) {
        const struct queue_bin *bin = &q->bins[i];
        double left = chart_place(&c->x, bin->from - 0.5), right = chart_place(&c->x, bin_end(bin) + 0.5);
        double y = chart_place(&c->y, bin->fraction / (bin_end(bin) - bin->from + 1));
        if (!(end == bin->from - 1)) {
            if (!isnan(end))
                svg_to(c->svg, chart_place(&c->x, end + 0.5), base);
            svg_move(c->svg, left, base);
        }
        svg_to(c->svg, left, y);
        svg_to(c->svg, right, y);
        end = bin_end(bin);
    }
    if (q->bin_count > 0)
        svg_to(c->svg, chart_place(&c->x, end + 0.5), base);
    if (closed)
        svg_path_close(c->svg);
}

static void draw_histogram(const struct chart *c, const struct run_queue_state *q)
{
    svg_path_begin(c->svg, "f6 faint");
    trace_steps(c, q, true);
    svg_path_end(c->svg);
    svg_path_begin(c->svg, "s6 w2");
    trace_steps(c, q, false);
    svg_path_end(c->svg);
    if (q->mean <= c->x.most)
        svg_line(c->svg, chart_place(&c->x, q->mean), c->y.to, chart_place(&c->x, q->mean), c->y.from,
                 "s6 dash w2");
}

static void draw_panel(const struct run_files *run, struct svg *svg, enum run_queue queue, double left,
                       double top)
{
    const struct run_queue_state *q = &run->queues[queue];
    char title[64], mean[CHART_LABEL_BYTES], most[CHART_LABEL_BYTES], places[40];
    struct chart c = {svg,
                      {.least = -0.5, .most = axis_end(q) + 0.5, .title = title},
                      chart_axis_logarithmic(SHARE_LEAST, 1, "share of the time")};
    snprintf(title, sizeof title,
             has_open_end(q) ? "elements in it [%s]; the last bin has no end" : "elements in it [%s]",
             q->element);
    chart_put(&c, left + LEFT, top + TOP, REPORT_WIDTH / 2 - LEFT - RIGHT, PANEL - TOP - BOTTOM);
    chart_draw_axes(&c);
    draw_histogram(&c, q);
    draw_models(run, &c, queue);
    svg_text(svg, left + LEFT, top + 14, 13, SVG_START, "bold", q->title);
    chart_label(q->mean, mean);
    chart_label(q->most, most);
    snprintf(places, sizeof places, isnan(q->places) ? "no bound" : "%.0f places", q->places);
    svg_textf(svg, left + REPORT_WIDTH / 2 - RIGHT, top + 14, 11, SVG_END, "f2", "mean %s, max %s, %s", mean,
              most, places);
}

static void draw(const struct run_files *run, struct svg *svg)
{
    unsigned rows = (RUN_QUEUES + 1) / 2;
    svg_begin(svg, REPORT_WIDTH, HEAD + rows * (PANEL + 8),
              "How often each queue held how many elements, with the models");
    chart_draw_legend(svg, LEFT, 4, REPORT_WIDTH - LEFT, legend, sizeof legend / sizeof legend[0]);
    for (unsigned i = 0; i < RUN_QUEUES; i++) {
        /* the board's queues first: of them the models speak */
        static const enum run_queue order[] = {RUN_INGRESS, RUN_WMER,       RUN_SRAM, RUN_STAGE2,
                                               RUN_EGRESS,  RUN_HOST_QUEUE, RUN_INBOX};
        unsigned row = i / 2;
        draw_panel(run, svg, order[i], i % 2 * REPORT_WIDTH / 2, HEAD - 18 + row * (PANEL + 8));
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
        report_text(out, " The models have no answer for this run: %s.", run->no_models.line);
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
}

const struct report_part report_queues = {
    .what = "queues",
    .title = "How full the queues were",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
