/* How long elements take: mean, quantiles and most of every latency that the run measured.
 *
 * Source    "measurements" of summary.json: whatever a directive asked as a latency, with a histogram if it asked one.
 * Units     the board's clocks, drawn as time.
 */
#include "app/report/report.h"

#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "base/shown.h"

enum { ROWS_MAX = 32 };

static const double LEFT = 250, RIGHT = 26, TOP = 34, ROW = 40, BOTTOM = 46;

/* Latencies that were measured, as objects of summary.json. */
struct latencies {
    const json_t *items[ROWS_MAX];
    size_t count;
};

static const struct figure_style mean_style = {"mean", SVG_INK, FIGURE_MARK, SVG_PLUS},
                                 max_style = {"max", SVG_GREY, FIGURE_MARK, SVG_CROSS},
                                 bars_style = {"histogram", SVG_SKY, FIGURE_AREA};

static const struct {
    double q;
    struct figure_style style;
} quantiles[] = {
    {0.5, {"median", SVG_BLUE, FIGURE_MARK, SVG_DISC}},
    {0.99, {"99%", SVG_ORANGE, FIGURE_MARK, SVG_SQUARE}},
    {0.999, {"99.9%", SVG_VERMILION, FIGURE_MARK, SVG_TRIANGLE}},
};

enum { QUANTILES = sizeof quantiles / sizeof quantiles[0] };

/* --- what was measured ----------------------------------------------------------------------------------- */

/* Measurements lie in groups by the dots of their names. */
static void find_latencies(const json_t *object, struct latencies *l)
{
    const char *name, *metric = json_text_at(object, "metric");
    json_t *member;
    if (strcmp(metric, "latency") == 0 && l->count < ROWS_MAX && json_number_at(object, "max") > 0) {
        l->items[l->count++] = object;
        return;
    }
    json_object_foreach((json_t *)object, name, member) if (!*metric && json_is_object(member))
        find_latencies(member, l);
}

static struct latencies collect(const struct run_files *run)
{
    struct latencies found = {.count = 0};
    find_latencies(json_object_get(run->summary, "measurements"), &found);
    return found;
}

static double quantile(const json_t *object, double q)
{
    const json_t *list = json_object_get(object, "quantiles");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (fabs(json_number_at(json_array_get(list, i), "q") - q) < 1e-9)
            return json_number_at(json_array_get(list, i), "value");
    return NAN;
}

/* --- drawing --------------------------------------------------------------------------------------------- */

static void draw_mark(struct figure *f, double y, double seconds, const struct figure_style *style)
{
    if (seconds >= 0)
        figure_mark(f, seconds, y, 5, style, "%s: %s", style->text, figure_time(seconds).text);
}

static void draw_row(struct figure *f, const json_t *latency, double y, double clock_s)
{
    double most = json_number_at(latency, "max") * clock_s, mean = json_number_at(latency, "mean") * clock_s,
           median = quantile(latency, 0.5) * clock_s;
    const char *tap = json_text_at(latency, "tap");
    const json_t *histogram = json_object_get(latency, "histogram"),
                 *bins = json_object_get(histogram, "bins"), *bin;
    const double under = fmax(0, json_number_at(histogram, "under")), /* 0 without a histogram */
        over = fmax(0, json_number_at(histogram, "over"));
    double all = under + over, highest = 0, of[3]; /* of a bin: its first and last clock, and its elements */
    size_t i;
    json_array_foreach(bins, i, bin)
    {
        all += json_number_value(json_array_get(bin, 2));
        highest = fmax(highest, json_number_value(json_array_get(bin, 2)));
    }
    const double line = under + over > 0 ? y - 8 : y - 1;
    svg_textf(f->svg, LEFT - 12, line, 12, SVG_END, "", "%s%s", strchr(tap, ' ') ? "" : "through ", tap);
    svg_textf(f->svg, LEFT - 12, line + 13, 10.5, SVG_END, "f2", "mean %s, max %s", figure_time(mean).text,
              figure_time(most).text);
    if (under + over > 0)
        svg_textf(f->svg, LEFT - 12, line + 25, 10.5, SVG_END, "f2", "not in its bars: %s below, %s above",
                  shown_percent(under / all, 10).text, shown_percent(over / all, 10).text);
    json_array_foreach(bins, i, bin)
    {
        for (size_t k = 0; k < 3; k++)
            of[k] = json_number_value(json_array_get(bin, k));
        double height = (ROW - 8) * of[2] / highest;
        figure_bar(f, (of[0] - 0.5) * clock_s, (of[1] + 0.5) * clock_s, y + ROW / 2 - height / 2, height,
                   0.75, "f11 half", NULL);
    }
    svg_line(f->svg, figure_x(f, isnan(median) ? mean : median), y, figure_x(f, most), y, "s3 w2");
    draw_mark(f, y, most, &max_style);
    for (unsigned q = 0; q < QUANTILES; q++)
        draw_mark(f, y, quantile(latency, quantiles[q].q) * clock_s, &quantiles[q].style);
    draw_mark(f, y, mean, &mean_style);
}

static void draw(const void *data, struct svg *svg)
{
    const struct run_files *run = data;
    struct latencies l = collect(run);
    double clock_s = 1 / run->clock_hz, most = 0, height = ROW * (double)l.count;
    bool has_bars = false;
    for (size_t i = 0; i < l.count; i++) {
        most = fmax(most, json_number_at(l.items[i], "max") * clock_s);
        has_bars |= json_object_get(l.items[i], "histogram") != NULL;
    }
    struct figure f = {svg, figure_axis_logarithmic(clock_s, most, "latency, with its unit at each tick")};
    f.x.times = true;
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM, "How long elements take: mean, quantiles and most");
    struct figure_style key[QUANTILES + 3] = {mean_style, max_style};
    size_t keys = 2;
    for (unsigned q = 0; q < QUANTILES; q++) { /* quantiles that no latency has are left out */
        size_t i = 0;
        while (i < l.count && isnan(quantile(l.items[i], quantiles[q].q)))
            i++;
        if (i < l.count)
            key[keys++] = quantiles[q].style;
    }
    if (has_bars)
        key[keys++] = bars_style;
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, key, keys);
    figure_open(&f, LEFT, TOP, FIGURE_WIDTH - LEFT - RIGHT, height);
    for (size_t i = 0; i < l.count; i++)
        draw_row(&f, l.items[i], TOP + ROW * ((double)i + 0.5), clock_s);
    svg_end(svg);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static const char *missing(const struct run_files *run)
{
    return collect(run).count > 0
               ? NULL
               : "This run measured no latency. Ask for one with a directive, such as 'latency at "
                 "bus_in to bus_out: mean, max, quantile(0.5, 0.99, 0.999)' (mercury help measure), "
                 "or leave --measure out, which measures seven.";
}

const struct report_part report_latency = {
    .title = "How long elements take",
    .missing = missing,
    .draw = draw,
    .says =
        "<p>From entering to leaving a queue, or from one port of the machine to another. Half of all elements are as "
        "quick as the median or quicker, and one in a hundred takes longer than 99% say. Bars are "
        "the histogram of a directive that asks for one; beside it stands how many elements are above or below all of "
        "its bins.</p>\n",
};
