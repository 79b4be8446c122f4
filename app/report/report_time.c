/* When each pass was where: its tables over the bus, its stream through the board, its rest in stage 3.
 *
 * Few       up to PASSES_APART passes have a bar each, from passes.tsv.
 * Many      of more passes the picture shows how many were in each of the phases at a time, in BINS stretches of the
 *           run: its size does not depend on their number.
 */
#include "app/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"

enum { PASSES_APART = 64, BINS = 250 };

static const double LEFT = 164, RIGHT = 20, TOP = 34, BOTTOM = 46, JOINING_ROW = 24, LEGEND_LINE = 18;

enum phase { PHASE_BUILDING, PHASE_TABLES, PHASE_STREAM, PHASE_REST, PHASES, JOINING = PHASES };

#include "app/report.inc"

#define PHASE(colour, key, text)                                                                             \
    {                                                                                                        \
        text, colour, key                                                                                    \
    }
static const struct figure_style phases[PHASES + 1] = {REPORT_PHASE_ROWS(PHASE)};

struct times {
    const struct run_files *run;
    struct figure f;
    double per_s;     /* from seconds to the axis of time */
    double joining_s; /* when alignments that borders of segments cut begin to be joined; NaN: none are */
    char title[48];
};

/* What a pass does after each other. With schedule.overlap = tables, a board that has streamed waits for what is
 * missing of the next pass's tables. */
static const enum phase stretches[] = {PHASE_BUILDING, PHASE_TABLES, PHASE_STREAM, PHASE_TABLES, PHASE_REST};
enum { STRETCHES = sizeof stretches / sizeof stretches[0] };

/* A stretch ends where the next one begins. */
static double stretch_begin(const struct run_pass *pass, unsigned stretch)
{
    const double waits_s = fmax(0, pass->tables_s - (pass->stream_begin_s - pass->begin_s));
    const double begins[STRETCHES + 1] = {
        pass->begin_s - pass->build_wait_s, pass->begin_s,      pass->stream_begin_s,
        pass->board_free_s - waits_s,       pass->board_free_s, pass->end_s};
    return begins[stretch];
}

static void draw_joining(const struct times *t, double y, double height)
{
    const struct shown time = figure_time(t->run->simulated_s - t->joining_s);
    figure_bar(&t->f, t->joining_s * t->per_s, t->run->simulated_s * t->per_s, y + height / 2, height, 0,
               svg_fill(phases[JOINING].colour).text, "%s: %s", phases[JOINING].text, time.text);
    svg_text(t->f.svg, t->f.x.from - 8, y + height / 2 + 4, 12, SVG_END, "", "joining");
    const double begin = figure_x(&t->f, t->joining_s * t->per_s);
    if (begin > t->f.x.from + 90) /* where the time has room */
        svg_text(t->f.svg, begin - 6, y + height / 2 + 4, 12, SVG_END, "", time.text);
}

/* --- a bar for each pass --------------------------------------------------------------------------------- */

static void draw_pass(const struct times *t, size_t i, double y, double height)
{
    const struct run_pass *pass = &t->run->passes[i];
    for (unsigned j = 0; j < STRETCHES; j++) {
        const enum phase phase = stretches[j];
        double from = stretch_begin(pass, j), to = stretch_begin(pass, j + 1);
        if (figure_x(&t->f, to * t->per_s) - figure_x(&t->f, from * t->per_s) > 0.05)
            figure_bar(&t->f, from * t->per_s, to * t->per_s, y, height, 0,
                       svg_fill(phases[phase].colour).text, "pass %zu: %s, %s", i + 1, phases[phase].text,
                       figure_time(to - from).text);
    }
}

static void draw_bars(struct times *t)
{
    const bool joining = !isnan(t->joining_s);
    const size_t passes = t->run->pass_count;
    const char *hosts = "1", *boards = "1"; /* boards: of a host */
    json_unpack(t->run->run, "{s{s:s,s:s}}", "configuration", "hosts", &hosts, "boards", &boards);
    const unsigned each = strcmp(hosts, "1") != 0 ? (unsigned)strtoul(boards, NULL, 10) : 0;
    const double row = passes <= 8 ? 26 : passes <= 24 ? 18 : 11;
    const double top = TOP + (joining ? LEGEND_LINE : 0); /* with it the legend takes a second line */
    const double height = row * (double)passes + (joining ? JOINING_ROW : 0);
    svg_begin(t->f.svg, FIGURE_WIDTH, top + height + BOTTOM,
              "When each pass loaded its tables, streamed, and ended");
    figure_draw_legend(t->f.svg, 12, 4, FIGURE_WIDTH, phases, PHASES + joining);
    figure_open(&t->f, LEFT, top, FIGURE_WIDTH - LEFT - RIGHT, height);
    for (size_t i = 0; i < passes; i++) {
        const struct run_pass *pass = &t->run->passes[i];
        double y = top + row * ((double)i + 0.5);
        char board[48] = "";
        if (each > 0)
            snprintf(board, sizeof board, ", host %u board %u", (pass->board - 1) / each + 1,
                     (pass->board - 1) % each + 1);
        else if (t->run->board_count > 1)
            snprintf(board, sizeof board, ", board %u", pass->board);
        svg_textf(t->f.svg, LEFT - 8, y + 3.5, row > 12 ? 11 : 9, SVG_END, "f2", "%s%zu %s%s",
                  *board ? "" : "pass ", i + 1, pass->minus ? "minus" : "plus", board);
        draw_pass(t, i, y, row - 2);
    }
    if (joining)
        draw_joining(t, top + height - JOINING_ROW + 4, JOINING_ROW - 8);
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

static void draw_lane(struct times *t, const double bins[BINS], enum phase phase)
{
    const double per_bin = t->run->simulated_s * t->per_s / BINS;
    figure_path(&t->f, svg_fill(phases[phase].colour).text);
    for (int i = 0; i < BINS; i++)
        figure_step(&t->f, i * per_bin, (i + 1) * per_bin, bins[i], t->f.y.from);
    figure_steps_end(&t->f, t->f.y.from, true);
}

static void draw_lanes(struct times *t)
{
    static const double LANE = 110, SPACE = 26;
    const struct run_files *run = t->run;
    const double extra = isnan(t->joining_s) ? 0 : JOINING_ROW, width = FIGURE_WIDTH - LEFT - RIGHT;
    svg_begin(
        t->f.svg, FIGURE_WIDTH, PHASES * (LANE + SPACE) + BOTTOM + extra,
        "How many passes waited for their tables, loaded them, streamed, or only waited for stage 3, over time");
    for (enum phase phase = 0; phase < PHASES; phase++) {
        double bins[BINS] = {0}, most = 1, top = 20 + phase * (LANE + SPACE);
        for (size_t i = 0; i < run->pass_count; i++)
            for (unsigned j = 0; j < STRETCHES; j++)
                if (stretches[j] == phase)
                    add_stretch(bins, stretch_begin(&run->passes[i], j) / run->simulated_s * BINS,
                                stretch_begin(&run->passes[i], j + 1) / run->simulated_s * BINS);
        for (int i = 0; i < BINS; i++)
            most = fmax(most, bins[i]);
        t->f.y = figure_axis_to(figure_share_end(t->f.svg, most), "passes");
        t->f.x.bare = phase + 1 < PHASES || extra > 0;
        t->f.x.title = t->f.x.bare ? NULL : t->title;
        figure_open(&t->f, LEFT, top, width, LANE);
        draw_lane(t, bins, phase);
        svg_text(t->f.svg, LEFT, top - 7, 12, SVG_START, "bold", phases[phase].text);
    }
    if (extra > 0) {
        t->f = (struct figure){t->f.svg, {.most = t->f.x.most, .title = t->title}};
        figure_open(&t->f, LEFT, PHASES * (LANE + SPACE) - 6, width, extra);
        draw_joining(t, t->f.y.to + 4, extra - 8);
    }
}

/* --- the part -------------------------------------------------------------------------------------------- */

static void draw(const void *data, struct svg *svg)
{
    const struct run_files *run = data;
    const double end_s = figure_share_end(svg, run->simulated_s);
    const struct figure_unit unit = figure_time_unit(end_s);
    struct times t = {.run = run, .per_s = unit.per_s};
    snprintf(t.title, sizeof t.title, "time of the simulated machine [%s]", unit.name);
    t.f = (struct figure){svg, {.most = end_s * unit.per_s, .title = t.title}};
    const double join_s = json_number_at(run->summary, "stage_3.join_s"); /* at the end, after the network */
    t.joining_s = join_s > 0 ? run->simulated_s - join_s : NAN;
    (run->pass_count <= PASSES_APART ? draw_bars : draw_lanes)(&t);
    svg_end(svg);
}

static void introduce(const struct run_files *run, FILE *out)
{
    double busy_s = 0;
    char boards[48] = "board";
    if (run->board_count > 1)
        snprintf(boards, sizeof boards, "%u boards together", run->board_count);
    for (size_t i = 0; i < run->pass_count; i++)
        busy_s += run->passes[i].board_free_s - run->passes[i].begin_s;
    page_put(
        out,
        "<p>%zu pass%s: each loads the tables of one segment of the query on one strand, then streams the whole "
        "database. The %s worked %s, %s took %s.",
        run->pass_count, run->pass_count == 1 ? "" : "es", boards, figure_time(busy_s).text,
        report_is_sample(run) ? "the drawn passes" : "the run", figure_time(run->simulated_s).text);
    if (run->pass_count > PASSES_APART)
        page_put(out,
                 " So many passes are drawn together: the mean number of passes in each of the four, in %d "
                 "stretches of the run.",
                 (int)BINS);
    fputs("</p>\n", out);
}

const struct report_part report_time = {
    .title = "Where the time went",
    .missing = report_missing_passes,
    .draw = draw,
    .introduce = introduce,
};
