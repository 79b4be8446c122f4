/* What a sample of a run's passes says of the whole run: each total with its 95% interval, from "sample" of
 * summary.json.
 *
 * Axis      the interval as a fraction of the forecast, from half to twice of it; a longer one ends in an arrow.
 */
#include "app/report/report.h"

#include <string.h>

#include "base/json_number.h"
#include "app/prose.inc"

static const double LEFT = 330, RIGHT = 24, TOP = 10, ROW = 28, BOTTOM = 50;

/* Ends of the axis, as multiples of the forecast. */
static const double LEAST = 0.5, MOST = 2;

#include "app/forecast.inc"

#define TEXTS(id, ...) __VA_ARGS__
static const char *const texts[] = {FORECAST_ROWS(TEXTS)}; /* of each quantity its name, title and unit */

static const char *title_of(const json_t *row)
{
    const char *name = json_text_at(row, "quantity");
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i += 3)
        if (strcmp(texts[i], name) == 0)
            return texts[i + 1];
    return name;
}

static const json_t *rows_of(const struct run_files *run)
{
    return json_object_get(json_object_get(run->summary, "sample"), "forecast");
}

static const char *missing(const struct run_files *run)
{
    return json_is_array(rows_of(run)) ? NULL : "This run is whole: nothing of it had to be forecast.";
}

/* "233 ms", "2.91 M" */
static struct shown amount(const json_t *row, const char *which)
{
    const double value = json_number_at(row, which);
    return strcmp(json_text_at(row, "unit"), "s") == 0 ? figure_time(value) : figure_label(value);
}

void report_forecast_write_answer(const struct run_files *run, FILE *out)
{
    static const char *const wanted[] = {"alignments", "simulated_time_s"};
    struct shown said[2] = {{"unknown"}, {"unknown"}};
    const json_t *rows = rows_of(run);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        for (unsigned j = 0; j < 2; j++)
            if (json_number_at(row, "total") > 0 && strcmp(json_text_at(row, "quantity"), wanted[j]) == 0)
                said[j] = amount(row, "total");
    }
    page_put(out, "Forecast of the whole run: alignments %s, time %s.", said[0].text, said[1].text);
}

static void draw_row(const struct figure *f, const json_t *row, double y)
{
    char tip[256];
    double value = json_number_at(row, "total");
    bool doubtful = json_is_true(json_object_get(row, "doubtful"));
    svg_text(f->svg, 12, y + 4, 12, SVG_START, "bold", title_of(row));
    svg_textf(f->svg, LEFT - 14, y + 4, 12, SVG_END, "f2", "%s%s", amount(row, "total").text,
              doubtful ? " (!)" : "");
    if (!(value > 0)) {
        svg_text(f->svg, f->x.from + 8, y + 4, 11, SVG_START, "f2", "unknown: the drawn passes have none");
        return;
    }
    snprintf(tip, sizeof tip, "%s: %s, 95%% interval %s to %s", title_of(row), amount(row, "total").text,
             amount(row, "low").text, amount(row, "high").text);
    figure_interval(f, json_number_at(row, "low") / value, json_number_at(row, "high") / value, y, 10,
                    doubtful ? "f7 half" : "f6 half", tip);
    figure_rule(f, 1, y, 8, "s6 w3");
}

static void draw(const void *run, struct svg *svg)
{
    const json_t *rows = rows_of(run);
    double height = ROW * (double)json_array_size(rows);
    struct figure f = {svg, figure_axis_logarithmic(LEAST, MOST, "95% interval / forecast [1]")};
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM, "Forecast of the whole run, with 95% intervals");
    figure_open(&f, LEFT, TOP, FIGURE_WIDTH - LEFT - RIGHT, height);
    for (size_t i = 0; i < json_array_size(rows); i++)
        draw_row(&f, json_array_get(rows, i), TOP + ROW * ((double)i + 0.5));
    svg_end(svg);
}

/* Say how many passes a time within some percent needs; if they are all, less percent say no more. */
static void write_needs(const json_t *sample, FILE *out)
{
    static const int percents[] = {5, 2, 1};
    const double all = json_number_at(sample, "run_passes"),
                 needed[] = {json_number_at(sample, "passes_for_5_percent"),
                             json_number_at(sample, "passes_for_2_percent"),
                             json_number_at(sample, "passes_for_1_percent")};
    for (unsigned i = 0; i < 3 && (i == 0 || needed[i - 1] < all); i++)
        page_put(out, "%s within %d%% draw %s%.0f passes", i ? "," : " For a simulated time", percents[i],
                 needed[i] < all ? "" : "all ", needed[i]);
    fputs(".", out);
}

static void introduce(const struct run_files *run, FILE *out)
{
    const json_t *sample = json_object_get(run->summary, "sample"),
                 *windows = json_object_get(sample, "database");
    fputs(
        "<p>What the whole run would take and find, from its drawn passes. In 95 of 100 samples a bar holds the "
        "truth.",
        out);
    write_needs(sample, out);
    if (windows)
        page_put(
            out,
            " Or draw %.0f, %.0f, %.0f windows for 5%%, 2%%, 1%%. Each has %.0f bases after a warm-up of %.0f; "
            "with half of it %.0f windows took %+.2g%% of the time. Alignments that reach over the edges of "
            "windows are cut, so that their number and the cells of stage 3 are less certain than their intervals say.",
            json_number_at(windows, "windows_for_5_percent"),
            json_number_at(windows, "windows_for_2_percent"),
            json_number_at(windows, "windows_for_1_percent"), json_number_at(windows, "window_bases"),
            json_number_at(windows, "warm_up_bases"), json_number_at(windows, "repeated"),
            100 * json_number_at(windows, "bias_of_time"));
    fputs("</p>\n", out);
}

/* The totals whose intervals mean little. */
static void follow(const struct run_files *run, FILE *out)
{
    const json_t *rows = rows_of(run);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!json_is_true(json_object_get(row, "doubtful")))
            continue;
        if (!json_is_true(json_object_get(row, "dominated")))
            page_put(
                out, "<p class=\"note\">(!) %s: %s, so do not rely on the interval.</p>\n", title_of(row),
                json_is_true(json_object_get(row, "cut"))      ? "windows cut alignments"
                : json_is_true(json_object_get(row, "skewed")) ? "so few passes or windows are too unequal"
                : json_is_true(json_object_get(row, "unaligned"))
                    ? "no drawn pass has an alignment, and what they bring is unknown"
                    : "joining at borders is unknown, since no drawn pass has any");
        else
            page_put(out, PROSE_FORECAST_FOLLOW, title_of(row), json_number_at(row, "largest_pass"),
                     100 * json_number_at(row, "largest_share"), amount(row, "total_if_alone").text);
    }
    if (json_number_at(run->summary, "measuring.measurement_bytes") > 0)
        page_put(out,
                 "<p class=\"note\">The last of stage 3 is also the time for which boards wait until their "
                 "frame records, which are charged, have crossed the bus.</p>\n");
}

const struct report_part report_forecast = {
    .title = "Forecast of the whole run",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
