#include "app/report/report_time.h"

#include <math.h>

#include "base/draw/chart.h"
#include "app/report/report_forecast.h"

enum { PASSES_APART = 64, BINS = 250 };

static const double LEFT = 112, RIGHT = 20, TOP = 34, BOTTOM = 46, JOINING_ROW = 24, LEGEND_LINE = 18;

enum phase { PHASE_BUILDING, PHASE_TABLES, PHASE_STREAM, PHASE_REST, PHASES, JOINING = PHASES };

static const struct chart_legend_entry phases[PHASES + 1] = {
    {"waits for its tables to be built", SVG_GREY, CHART_KEY_AREA},
    {"tables over the bus", SVG_ORANGE, CHART_KEY_AREA},
    {"database streams through the board", SVG_BLUE, CHART_KEY_AREA},
    {"only stage 3 still works on the pass", SVG_GREEN, CHART_KEY_AREA},
    {"joining what segments cut", SVG_PURPLE, CHART_KEY_AREA},
};

static double phase_begin(const struct run_pass *pass, enum phase phase)
{
    return phase == PHASE_BUILDING ? pass->begin_s - pass->build_wait_s
           : phase == PHASE_TABLES ? pass->begin_s
           : phase == PHASE_STREAM ? pass->stream_begin_s
                                   : pass->board_free_s;
}

static double phase_end(const struct run_pass *pass, enum phase phase)
{
    return phase == PHASE_BUILDING ? pass->begin_s
           : phase == PHASE_TABLES ? pass->stream_begin_s
           : phase == PHASE_STREAM ? pass->board_free_s
                                   : pass->end_s;
}

static void put_class(enum phase phase, char class[8])
{
    snprintf(class, 8, "f%d", (int)phases[phase].colour);
}

static struct chart_axis time_axis(const struct run_files *run, struct report_unit *unit, char title[48])
{
    *unit = report_time_unit(run->simulated_s);
    snprintf(title, 48, "time of the simulated machine [%s]", unit->name);
    struct chart_axis axis = chart_axis_to(run->simulated_s * unit->per_s, title);
    axis.most = run->simulated_s * unit->per_s;
    return axis;
}

/* Alignments that the borders of segments cut are joined when all passes have ended. */
static double joining_begin(const struct run_files *run)
{
    double end_s = 0;
    for (size_t i = 0; i < run->pass_count; i++)
        end_s = fmax(end_s, run->passes[i].end_s);
    return end_s;
}

static bool has_joining(const struct run_files *run)
{
    return run->simulated_s - joining_begin(run) > 1e-9 * run->simulated_s;
}

static void draw_joining(const struct run_files *run, const struct chart *c, double y, double height,
                         double per_s)
{
    char class[8], tip[96], time[32];
    double begin_s = joining_begin(run), from = chart_place(&c->x, begin_s * per_s);
    put_class(JOINING, class);
    snprintf(tip, sizeof tip, "%s: %s", phases[JOINING].text, report_time(run->simulated_s - begin_s, time));
    svg_rectangle(c->svg, from, y, chart_place(&c->x, run->simulated_s * per_s) - from, height, class, tip);
    svg_text(c->svg, c->x.from - 8, y + height / 2 + 3.5, 11, SVG_END, "f2", "joining");
}

/* --- a bar for each pass --------------------------------------------------------------------------------- */

static void draw_bar(const struct chart *c, const struct run_pass *pass, size_t number, double y,
                     double height, double per_s)
{
    for (enum phase phase = 0; phase < PHASES; phase++) {
        char class[8], tip[96], time[32];
        double from = chart_place(&c->x, phase_begin(pass, phase) * per_s);
        double to = chart_place(&c->x, phase_end(pass, phase) * per_s);
        put_class(phase, class);
        snprintf(tip, sizeof tip, "pass %zu: %s, %s", number, phases[phase].text,
                 report_time(phase_end(pass, phase) - phase_begin(pass, phase), time));
        if (to - from > 0.05)
            svg_rectangle(c->svg, from, y, to - from, height, class, tip);
    }
}

static void label_pass(const struct run_files *run, struct svg *svg, size_t i, double y, double size)
{
    const struct run_pass *pass = &run->passes[i];
    const char *strand = pass->minus ? "minus" : "plus";
    if (run->board_count > 1)
        svg_textf(svg, LEFT - 8, y, size, SVG_END, "f2", "%zu %s, board %u", i + 1, strand, pass->board);
    else
        svg_textf(svg, LEFT - 8, y, size, SVG_END, "f2", "pass %zu %s", i + 1, strand);
}

static void draw_bars(const struct run_files *run, struct svg *svg)
{
    struct report_unit unit;
    char title[48];
    double row = run->pass_count <= 8 ? 26 : run->pass_count <= 24 ? 18 : 11;
    bool joining = has_joining(run);
    const double top = TOP + (joining ? LEGEND_LINE : 0); /* with it the legend takes a second line */
    double height = row * (double)run->pass_count + (joining ? JOINING_ROW : 0);
    struct chart c = {svg, time_axis(run, &unit, title), {.most = 1, .bare = true}};
    svg_begin(svg, REPORT_WIDTH, top + height + BOTTOM,
              "When each pass loaded its tables, streamed, and ended");
    chart_draw_legend(svg, LEFT - 100, 4, REPORT_WIDTH, phases, PHASES + joining);
    chart_put(&c, LEFT, top, REPORT_WIDTH - LEFT - RIGHT, height);
    chart_draw_axes(&c);
    for (size_t i = 0; i < run->pass_count; i++) {
        const struct run_pass *pass = &run->passes[i];
        double y = top + row * (double)i;
        if (row > 12 || i % 2 == 0)
            label_pass(run, svg, i, y + row / 2 + 3.5, row > 12 ? 11 : 9);
        draw_bar(&c, pass, i + 1, y + 1, row - 2, unit.per_s);
    }
    if (joining)
        draw_joining(run, &c, top + height - JOINING_ROW + 4, JOINING_ROW - 8, unit.per_s);
    svg_end(svg);
}

/* --- many passes ----------------------------------------------------------------------------------------- */

/* Add a stretch of time to the bins that it touches, by its share of each. */
static void add_stretch(double bins[BINS], double begin, double end)
{
    begin = fmax(begin, 0);
    end = fmin(end, BINS);
    for (int i = (int)begin; i < BINS && i < end; i++)
        bins[i] += fmax(0, fmin(end, i + 1) - fmax(begin, i));
}

static void draw_lane(struct chart *c, const double bins[BINS], enum phase phase, double per_bin)
{
    char class[8];
    put_class(phase, class);
    svg_path_begin(c->svg, class);
    svg_move(c->svg, chart_place(&c->x, 0), c->y.from);
    for (int i = 0; i < BINS; i++) {
        svg_to(c->svg, chart_place(&c->x, i * per_bin), chart_place(&c->y, bins[i]));
        svg_to(c->svg, chart_place(&c->x, (i + 1) * per_bin), chart_place(&c->y, bins[i]));
    }
    svg_to(c->svg, chart_place(&c->x, BINS * per_bin), c->y.from);
    svg_path_close(c->svg);
    svg_path_end(c->svg);
}

static void draw_lanes(const struct run_files *run, struct svg *svg)
{
    static const double LANE = 110, SPACE = 26;
    struct report_unit unit;
    char title[48];
    struct chart_axis time = time_axis(run, &unit, title);
    double extra = has_joining(run) ? JOINING_ROW : 0;
    svg_begin(
        svg, REPORT_WIDTH, PHASES * (LANE + SPACE) + BOTTOM + extra,
        "How many passes waited for their tables, loaded them, streamed, or only waited for stage 3, over time");
    for (enum phase phase = 0; phase < PHASES; phase++) {
        double bins[BINS] = {0}, most = 1, top = 20 + phase * (LANE + SPACE);
        for (size_t i = 0; i < run->pass_count; i++)
            add_stretch(bins, phase_begin(&run->passes[i], phase) / run->simulated_s * BINS,
                        phase_end(&run->passes[i], phase) / run->simulated_s * BINS);
        for (int i = 0; i < BINS; i++)
            most = fmax(most, bins[i]);
        struct chart c = {svg, time, chart_axis_to(most, "passes")};
        c.x.bare = phase + 1 < PHASES || extra > 0;
        if (c.x.bare)
            c.x.title = NULL;
        chart_put(&c, LEFT, top, REPORT_WIDTH - LEFT - RIGHT, LANE);
        chart_draw_axes(&c);
        draw_lane(&c, bins, phase, run->simulated_s * unit.per_s / BINS);
        svg_text(svg, LEFT, top - 7, 12, SVG_START, "bold", phases[phase].text);
    }
    if (extra > 0) {
        struct chart c = {svg, time, {.most = 1, .bare = true}};
        chart_put(&c, LEFT, PHASES * (LANE + SPACE) - 6, REPORT_WIDTH - LEFT - RIGHT, extra);
        chart_draw_axes(&c);
        draw_joining(run, &c, c.y.to + 4, extra - 8, unit.per_s);
    }
    svg_end(svg);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static void draw(const struct run_files *run, struct svg *svg)
{
    (run->pass_count <= PASSES_APART ? draw_bars : draw_lanes)(run, svg);
}

static const char *missing(const struct run_files *run)
{
    return run->pass_count > 0 ? NULL : "This run has no passes.tsv: an older version of Mercury wrote it.";
}

static void introduce(const struct run_files *run, FILE *out)
{
    double busy_s = 0;
    char busy[32], whole[32];
    for (size_t i = 0; i < run->pass_count; i++)
        busy_s += run->passes[i].board_free_s - run->passes[i].begin_s;
    fputs("<p>", out);
    report_text(
        out,
        "%zu pass%s: each loads the tables of one segment of the query on one strand, then streams the whole "
        "database. The board worked %s, %s took %s.",
        run->pass_count, run->pass_count == 1 ? "" : "es", report_time(busy_s, busy),
        report_forecast_is_needed(run) ? "the drawn passes" : "the run",
        report_time(run->simulated_s, whole));
    if (run->pass_count > PASSES_APART)
        report_text(
            out,
            " So many passes are drawn together: the mean number of passes in each of the four, in %d "
            "stretches of the run.",
            (int)BINS);
    fputs("</p>\n", out);
}

const struct report_part report_time_part = {
    .what = "time",
    .title = "Where the time went",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
};
