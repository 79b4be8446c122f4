#include "app/report/report_forecast.h"

#include <math.h>
#include <string.h>

#include "base/draw/chart.h"
#include "base/json_number.h"

static const double LEFT = 330, RIGHT = 24, TOP = 10, ROW = 28, BOTTOM = 50;

/* Ends of the axis, as multiples of the forecast. */
static const double LEAST = 0.5, MOST = 2;

/* Titles of the quantities of summary.json. */
static const char *const titles[][2] = {
    {"simulated_time_s", "simulated time"},
    {"build_wait_s", "building tables"},
    {"table_load_s", "loading tables"},
    {"streaming_s", "streaming"},
    {"stage_3_alone_s", "last of stage 3"},
    {"hsps", "HSPs"},
    {"alignments", "alignments"},
    {"cells", "cells of stage 3"},
    {"trips", "trips to the duplicate table"},
    {"bus_bytes", "bytes on the bus"},
};

static const char *title_of(const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "quantity"));
    for (unsigned i = 0; name && i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(titles[i][0], name) == 0)
            return titles[i][1];
    return name ? name : "";
}

static const json_t *rows_of(const struct run_files *run)
{
    return json_object_get(json_object_get(run->summary, "sample"), "forecast");
}

static double sample_number(const struct run_files *run, const char *name)
{
    return json_number_at(json_object_get(run->summary, "sample"), name);
}

/* The sample of the database; NULL if the passes streamed all of it. */
static const json_t *windows_of(const struct run_files *run)
{
    return json_object_get(json_object_get(run->summary, "sample"), "database");
}

bool report_forecast_is_needed(const struct run_files *run)
{
    return json_object_get(run->summary, "sample") != NULL;
}

void report_forecast_write_banner(const struct run_files *run, FILE *out)
{
    const json_t *windows = windows_of(run);
    fputs("<p class=\"empty\"><strong>", out);
    report_text(out, "A sample: %.0f of the run's %.0f passes", sample_number(run, "drawn"),
                sample_number(run, "run_passes"));
    if (windows)
        report_text(out, " over %.0f of the database's %.0f windows", json_number_at(windows, "drawn"),
                    json_number_at(windows, "windows"));
    report_text(out, ", drawn at random (seed %.0f).", sample_number(run, "seed"));
    fprintf(
        out,
        "</strong> The forecast below is of the whole run; everything after it is of the drawn passes%s only.</p>\n",
        windows ? " and windows" : "");
}

static const char *missing(const struct run_files *run)
{
    return json_is_array(rows_of(run)) ? NULL : "This run is whole: nothing of it had to be forecast.";
}

/* "233 ms", "2.91 M" */
static const char *amount(const json_t *row, const char *which, char text[CHART_LABEL_BYTES])
{
    const char *unit = json_string_value(json_object_get(row, "unit"));
    double value = json_number_at(row, which);
    if (unit && strcmp(unit, "s") == 0)
        return report_time(value, text);
    return chart_label(value, text);
}

void report_forecast_write_answer(const struct run_files *run, FILE *out)
{
    static const char *const wanted[] = {"alignments", "simulated_time_s"};
    char said[2][CHART_LABEL_BYTES] = {"unknown", "unknown"};
    const json_t *row;
    size_t i;
    json_array_foreach(rows_of(run), i,
                       row) for (unsigned j = 0; j < 2;
                                 j++) if (json_number_at(row, "total") > 0 &&
                                          strcmp(json_string_value(json_object_get(row, "quantity")),
                                                 wanted[j]) == 0) amount(row, "total", said[j]);
    report_text(out, "Forecast of the whole run: alignments %s, time %s.", said[0], said[1]);
}

static void draw_row(const struct chart *c, const json_t *row, double y)
{
    char total[CHART_LABEL_BYTES], low[CHART_LABEL_BYTES], high[CHART_LABEL_BYTES], tip[200];
    double value = json_number_at(row, "total");
    double from = chart_place(&c->x, json_number_at(row, "low") / value),
           to = chart_place(&c->x, json_number_at(row, "high") / value);
    bool doubtful = json_is_true(json_object_get(row, "doubtful"));
    snprintf(tip, sizeof tip, "%s: %s, 95%% interval %s to %s", title_of(row), amount(row, "total", total),
             amount(row, "low", low), amount(row, "high", high));
    svg_text(c->svg, 12, y + 4, 12, SVG_START, "bold", title_of(row));
    svg_textf(c->svg, LEFT - 14, y + 4, 12, SVG_END, "f2", "%s%s", total, doubtful ? " (!)" : "");
    if (!(value > 0)) {
        svg_text(c->svg, c->x.from + 8, y + 4, 11, SVG_START, "f2", "unknown: the drawn passes have none");
        return;
    }
    svg_rectangle(c->svg, from, y - 5, fmax(to - from, 1), 10, doubtful ? "f7 half" : "f6 half", tip);
    svg_line(c->svg, chart_place(&c->x, 1), y - 8, chart_place(&c->x, 1), y + 8, "s6 w3");
}

static void draw(const struct run_files *run, struct svg *svg)
{
    const json_t *rows = rows_of(run);
    double height = ROW * (double)json_array_size(rows);
    struct chart c = {svg,
                      {.least = LEAST, .most = MOST, .title = "95% interval / forecast [1]"},
                      {.least = 0, .most = 1, .bare = true}};
    svg_begin(svg, REPORT_WIDTH, TOP + height + BOTTOM, "Forecast of the whole run, with 95% intervals");
    chart_put(&c, LEFT, TOP, REPORT_WIDTH - LEFT - RIGHT, height);
    chart_draw_axes(&c);
    for (size_t i = 0; i < json_array_size(rows); i++)
        draw_row(&c, json_array_get(rows, i), TOP + ROW * ((double)i + 0.5));
    svg_end(svg);
}

static void introduce_windows(const json_t *windows, FILE *out)
{
    report_text(
        out,
        " Or draw %.0f, %.0f, %.0f windows. Each has %.0f bases after a warm-up of %.0f; with half of it %.0f "
        "windows took %+.2g%% of the time. Alignments that reach over the edges of windows are cut, so that "
        "their number and the cells of stage 3 are less certain than their intervals say.",
        json_number_at(windows, "windows_for_5_percent"), json_number_at(windows, "windows_for_2_percent"),
        json_number_at(windows, "windows_for_1_percent"), json_number_at(windows, "window_bases"),
        json_number_at(windows, "warm_up_bases"), json_number_at(windows, "repeated"),
        100 * json_number_at(windows, "bias_of_time"));
}

static void introduce(const struct run_files *run, FILE *out)
{
    fputs("<p>", out);
    report_text(
        out,
        "What the whole run would take and find, from its drawn passes. In 95 of 100 samples a bar holds the "
        "truth. For a simulated time within 5%% draw %.0f passes, within 2%% %.0f, within 1%% %.0f.",
        sample_number(run, "passes_for_5_percent"), sample_number(run, "passes_for_2_percent"),
        sample_number(run, "passes_for_1_percent"));
    if (windows_of(run))
        introduce_windows(windows_of(run), out);
    fputs("</p>\n", out);
}

/* The totals whose intervals mean little. */
static void follow(const struct run_files *run, FILE *out)
{
    const json_t *rows = rows_of(run);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        char alone[CHART_LABEL_BYTES];
        if (!json_is_true(json_object_get(row, "doubtful")))
            continue;
        fputs("<p class=\"note\">", out);
        if (!json_is_true(json_object_get(row, "dominated"))) {
            report_text(out, "(!) %s: %s, so do not rely on the interval.", title_of(row),
                        json_is_true(json_object_get(row, "cut"))
                            ? "windows cut alignments"
                            : "so few passes or windows are too unequal");
            fputs("</p>\n", out);
            continue;
        }
        report_text(
            out,
            "(!) %s: pass %.0f has %.0f%% of the drawn passes' total, so do not rely on the interval. If no "
            "other pass is like it, the forecast is %s.",
            title_of(row), json_number_at(row, "largest_pass"), 100 * json_number_at(row, "largest_share"),
            amount(row, "total_if_alone", alone));
        fputs("</p>\n", out);
    }
}

const struct report_part report_forecast = {
    .what = "forecast",
    .title = "Forecast of the whole run",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
