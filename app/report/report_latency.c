#include "app/report/report_latency.h"

#include <math.h>
#include <string.h>

#include "base/draw/chart.h"
#include "base/json_number.h"

enum { ROWS_MAX = 32 };

static const double LEFT = 250, RIGHT = 26, TOP = 34, ROW = 40, BOTTOM = 46;

/* A latency that was measured. */
struct latency {
    const char *tap; /* where: "bus_in to bus_out" */
    const json_t *object;
};

static const struct {
    double q;
    const char *name;
    enum svg_shape shape;
    enum svg_colour colour;
} quantiles[] = {
    {0.5, "median", SVG_DISC, SVG_BLUE},
    {0.99, "99%", SVG_SQUARE, SVG_ORANGE},
    {0.999, "99.9%", SVG_TRIANGLE, SVG_VERMILION},
};

enum { QUANTILES = sizeof quantiles / sizeof quantiles[0] };

/* --- what was measured ----------------------------------------------------------------------------------- */

/* Measurements lie in groups by the dots of their names. */
static void find_latencies(const json_t *object, struct latency *list, size_t *count)
{
    const char *name, *metric = json_string_value(json_object_get(object, "metric"));
    json_t *member;
    if (metric && strcmp(metric, "latency") == 0 && *count < ROWS_MAX && json_number_at(object, "max") > 0) {
        const char *tap = json_string_value(json_object_get(object, "tap"));
        list[(*count)++] = (struct latency){tap ? tap : "", object};
        return;
    }
    json_object_foreach((json_t *)object, name, member) if (!metric && json_is_object(member))
        find_latencies(member, list, count);
}

static size_t collect(const struct run_files *run, struct latency *list)
{
    size_t count = 0;
    find_latencies(json_object_get(run->summary, "measurements"), list, &count);
    return count;
}

static double quantile(const json_t *object, double q)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(object, "quantiles"), i,
                       entry) if (fabs(json_number_at(entry, "q") - q) < 1e-9) return json_number_at(entry,
                                                                                                     "value");
    return NAN;
}

/* --- drawing --------------------------------------------------------------------------------------------- */

static void draw_histogram(const struct chart *c, const json_t *object, double y, double clock_s)
{
    const json_t *bins = json_object_get(json_object_get(object, "histogram"), "bins"), *bin;
    double most = 0;
    size_t i;
    json_array_foreach(bins, i, bin) most = fmax(most, json_number_value(json_array_get(bin, 2)));
    json_array_foreach(bins, i, bin)
    {
        double from = chart_place(&c->x, (json_number_value(json_array_get(bin, 0)) - 0.5) * clock_s);
        double to = chart_place(&c->x, (json_number_value(json_array_get(bin, 1)) + 0.5) * clock_s);
        double height = (ROW - 8) * json_number_value(json_array_get(bin, 2)) / most;
        svg_rectangle(c->svg, from, y + ROW / 2 - height, fmax(to - from, 0.75), height, "f11 half", NULL);
    }
}

static void draw_mark(const struct chart *c, double y, double seconds, const char *name, enum svg_shape shape,
                      enum svg_colour colour)
{
    char tip[80], time[32];
    if (!(seconds >= 0))
        return;
    snprintf(tip, sizeof tip, "%s: %s", name, report_time(seconds, time));
    svg_mark(c->svg, chart_place(&c->x, seconds), y, 5, shape, colour, false, tip);
}

static void draw_row(const struct chart *c, const struct latency *latency, double y, double clock_s)
{
    double most = json_number_at(latency->object, "max") * clock_s;
    double mean = json_number_at(latency->object, "mean") * clock_s,
           median = quantile(latency->object, 0.5) * clock_s;
    char time[32], mean_text[32], label[48];
    const char *unit = strchr(latency->tap, ' ');
    snprintf(label, sizeof label, unit ? "%s" : "through %s", latency->tap);
    svg_text(c->svg, LEFT - 12, y - 1, 12, SVG_END, "", label);
    svg_textf(c->svg, LEFT - 12, y + 13, 10.5, SVG_END, "f2", "mean %s, max %s", report_time(mean, mean_text),
              report_time(most, time));
    draw_histogram(c, latency->object, y, clock_s);
    svg_line(c->svg, chart_place(&c->x, isnan(median) ? mean : median), y, chart_place(&c->x, most), y,
             "s3 w2");
    draw_mark(c, y, most, "max", SVG_CROSS, SVG_GREY);
    for (unsigned i = 0; i < QUANTILES; i++)
        draw_mark(c, y, quantile(latency->object, quantiles[i].q) * clock_s, quantiles[i].name,
                  quantiles[i].shape, quantiles[i].colour);
    draw_mark(c, y, mean, "mean", SVG_PLUS, SVG_INK);
}

static bool has_quantile(const struct latency *list, size_t count, double q)
{
    bool has = false;
    for (size_t i = 0; i < count; i++)
        has = has || !isnan(quantile(list[i].object, q));
    return has;
}

static void draw_key(struct svg *svg, const struct latency *list, size_t count)
{
    struct chart_legend_entry entries[QUANTILES + 2] = {{"mean", SVG_INK, CHART_KEY_MARK, SVG_PLUS},
                                                        {"max", SVG_GREY, CHART_KEY_MARK, SVG_CROSS}};
    size_t entry_count = 2;
    for (unsigned i = 0; i < QUANTILES; i++)
        if (has_quantile(list, count, quantiles[i].q))
            entries[entry_count++] = (struct chart_legend_entry){quantiles[i].name, quantiles[i].colour,
                                                                 CHART_KEY_MARK, quantiles[i].shape};
    chart_draw_legend(svg, LEFT, 4, REPORT_WIDTH - LEFT, entries, entry_count);
}

static void draw_time_axis(const struct chart *c)
{
    struct chart_ticks ticks = chart_find_ticks(&c->x, 12);
    for (unsigned i = 0; i < ticks.count; i++) {
        char text[32];
        double at = chart_place(&c->x, ticks.at[i]);
        svg_line(c->svg, at, c->y.to, at, c->y.from, "s4 thin");
        svg_text(c->svg, at, c->y.from + 16, 11, SVG_MIDDLE, "f2", report_time(ticks.at[i], text));
    }
    svg_text(c->svg, (c->x.from + c->x.to) / 2, c->y.from + 36, 12, SVG_MIDDLE, "",
             "latency, with its unit at each tick");
}

static void draw(const struct run_files *run, struct svg *svg)
{
    struct latency list[ROWS_MAX];
    size_t count = collect(run, list);
    double clock_s = 1 / run->clock_hz, most = 0, height = ROW * (double)count;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, json_number_at(list[i].object, "max") * clock_s);
    struct chart c = {svg, chart_axis_logarithmic(clock_s, most, NULL), {.most = 1, .bare = true}};
    c.x.bare = true;
    svg_begin(svg, REPORT_WIDTH, TOP + height + BOTTOM, "How long elements take: mean, quantiles and most");
    draw_key(svg, list, count);
    chart_put(&c, LEFT, TOP, REPORT_WIDTH - LEFT - RIGHT, height);
    draw_time_axis(&c);
    chart_draw_axes(&c);
    for (size_t i = 0; i < count; i++)
        draw_row(&c, &list[i], TOP + ROW * ((double)i + 0.5), clock_s);
    svg_end(svg);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static const char *missing(const struct run_files *run)
{
    struct latency list[ROWS_MAX];
    return collect(run, list) > 0
               ? NULL
               : "This run measured no latency. Ask for one with a directive, such as 'latency at "
                 "bus_in to bus_out: mean, max, quantile(0.5, 0.99, 0.999)' (mercury help measure), "
                 "or leave --measure out, which measures seven.";
}

static void introduce(const struct run_files *run, FILE *out)
{
    (void)run;
    fputs(
        "<p>From entering to leaving a queue, or from one port of the machine to another. Half of all elements are as "
        "quick as the median or quicker, and one in a hundred takes longer than 99% say.</p>\n",
        out);
}

const struct report_part report_latency = {
    .what = "latency",
    .title = "How long elements take",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
};
