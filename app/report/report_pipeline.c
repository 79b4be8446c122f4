/* The whole machine in one picture, after TimeTrial's Figure 6: stages with what they did with their time, queues as
 * tanks with how full they were, back-pressure as dashed arrows, the stage that limits with a frame.
 *
 * Stages    host, bus, 1a, 1bp, 1bd, 2, the bus again (it carries the records back), stage 3 on the host's cores.
 * Tanks     filled up to the mean, and lightly up to the 99th percentile, which has a dashed line; a line at the most;
 *           the top is the last place.
 */
#include "app/report/report.h"

#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "base/shown.h"
#include "sim/board/bus_balance.h"
#include "app/prose.inc"

/* Pixels. A stage and the tank after it take STEP; eight stages and seven tanks are the picture's width. */
static const double MARGIN = 7, STAGE = 88, GAP = 8, TANK = 24.5;
static const double TOP = 92, STAGE_HEIGHT = 122, TANK_TOP = 107, TANK_HEIGHT = 92, HEIGHT = 332;

/* The stages in order. */
#include "app/report.inc"

#define COLUMN(after, name, title, does)                                                                     \
    {                                                                                                        \
        name, title, does, after                                                                             \
    }
static const struct {
    const char *name, *title, *does;
    int after; /* a queue of a frame, or -1 */
} columns[] = {REPORT_COLUMN_ROWS(COLUMN)};

/* On a narrow screen the style sheet puts groups of FOLD columns below each other. */
enum { COLUMNS = sizeof columns / sizeof columns[0], FOLD = 3 };

static double stage_x(int column)
{
    return MARGIN + column * (STAGE + 2 * GAP + TANK);
}

/* --- stages ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum svg_colour colour;
} states[] = {{"busy", SVG_BLUE}, {"stalled", SVG_ORANGE}, {"starved", SVG_GRID}};

static void draw_shares(struct svg *svg, const struct run_stage *stage, double x)
{
    const double shares[] = {stage->active, stage->stalled, stage->starved};
    double bar = x + 6, width = STAGE - 12, at = bar;
    for (int i = 0; i < 3; i++) {
        const struct shown class = svg_fill(states[i].colour);
        double part = width * fmin(1, fmax(0, shares[i]));
        svg_rectangle(svg, at, TOP + 44, part, 12, class.text, NULL);
        at += part;
        svg_rectangle(svg, bar, TOP + 66 + 17 * i, 7, 7, class.text, NULL);
        svg_text(svg, bar + 10, TOP + 73 + 17 * i, 9, SVG_START, "f2", states[i].name);
        svg_text(svg, bar + width, TOP + 73 + 17 * i, 10.5, SVG_END, "bold",
                 shown_percent(shares[i], 10).text);
    }
    svg_rectangle(svg, bar, TOP + 44, width, 12, "s3 thin", NULL);
}

static void draw_stage(const struct run_files *run, struct svg *svg, int column)
{
    const struct run_stage *stage = run_files_stage(run, columns[column].name);
    double x = stage_x(column), middle = x + STAGE / 2;
    bool limits = stage && stage->limits, again = !stage;
    double height = again ? 44 : STAGE_HEIGHT;
    svg_rectangle(svg, x, TOP, STAGE, height,
                  shown_text("f5 is-%s", again ? "back" : columns[column].name).text, NULL);
    svg_rectangle(svg, x, TOP, STAGE, height, limits ? "s7 w3" : "s3", NULL);
    svg_text(svg, middle, TOP + 19, 15, SVG_MIDDLE, "bold", columns[column].title);
    svg_text(svg, middle, TOP + 34, 10, SVG_MIDDLE, "f2", columns[column].does);
    if (stage)
        draw_shares(svg, stage, x);
    if (limits) {
        const char *part = run->has_limits ? machine_parts[run->limits.first].name : stage->name;
        const bool last = column + 1 == COLUMNS; /* a label that is wider than it has room before it */
        svg_text(svg, last ? x + STAGE : x, TOP + STAGE_HEIGHT + 13, 11.5, last ? SVG_END : SVG_START,
                 "f7 bold",
                 shown_text(strcmp(part, stage->name) == 0 ? "bottleneck" : "bottleneck: %s", part).text);
    }
}

/* --- queues ---------------------------------------------------------------------------------------------- */

static void draw_level(struct svg *svg, double x, double share, const char *class)
{
    double y = TANK_TOP + TANK_HEIGHT * (1 - fmin(1, share));
    if (isfinite(share))
        svg_line(svg, x - 4, y, x + TANK + 4, y, class); /* which is seen at the rim, too */
}

/* A queue that is full in more than 1% of the time, or full but for its signal's margin, although its mean is low. */
static bool is_full_in_bursts(const struct run_queue_state *q)
{
    return (q->p99 >= q->places || q->back_pressure > 0.01) && q->mean < 0.5 * q->places;
}

static void draw_tank(struct svg *svg, const struct run_queue_state *q, double x)
{
    double whole = isnan(q->places) ? fmax(q->most, 1) : q->places;
    const double shares[] = {q->p99 / whole, q->mean / whole};
    /* a class that the explorer finds */
    svg_rectangle(svg, x, TANK_TOP, TANK, TANK_HEIGHT, shown_text("f0 is-%s", q->name).text, NULL);
    for (int i = 0; i < 2; i++) {
        const double level = TANK_HEIGHT * fmin(1, fmax(0, shares[i]));
        if (isfinite(level))
            svg_rectangle(svg, x, TANK_TOP + TANK_HEIGHT - level, TANK, level, i ? "f11" : "f11 faint", NULL);
    }
    const double bottom = TANK_TOP + TANK_HEIGHT,
                 wall[][2] = {{x, TANK_TOP}, {x, bottom}, {x + TANK, bottom}, {x + TANK, TANK_TOP}};
    svg_polyline(svg, "s3 w2", wall, 4, !isnan(q->places)); /* without a lid if it has no bound */
    draw_level(svg, x, q->p99 / whole, "s1 dash w2");
    draw_level(svg, x, q->most / whole, "s1");
    if (is_full_in_bursts(q))
        svg_text(svg, x + TANK / 2, TOP + STAGE_HEIGHT + 26, 10.5, SVG_MIDDLE, "f7 bold", "full in bursts");
}

static void draw_value(struct svg *svg, double middle, double y, const char *name, double value,
                       const char *none)
{
    svg_text(svg, middle - 3, y, 9.5, SVG_END, "f2", name);
    svg_text(svg, middle + 2, y, 10.5, SVG_START, "", isnan(value) ? none : figure_label(value).text);
}

/* Its name, and the values below it. */
static void draw_queue(const struct run_files *run, struct svg *svg, int column)
{
    const struct run_queue_state *q = &run->queues[columns[column].after];
    double x = stage_x(column) + STAGE + GAP, middle = x + TANK / 2, y = TOP + STAGE_HEIGHT + 38;
    double seconds = columns[column].after == QUEUE_INBOX ? run->simulated_s : run->stream_s;
    draw_tank(svg, q, x);
    svg_text(svg, middle, y, 11, SVG_MIDDLE, "bold", q->title);
    svg_text(svg, middle, y + 13, 10, SVG_MIDDLE, "f2", q->element);
    draw_value(svg, middle, y + 30, "mean", q->mean, "-");
    draw_value(svg, middle, y + 44, "p99", q->p99, "-");
    draw_value(svg, middle, y + 58, "max", q->most, "-");
    draw_value(svg, middle, y + 72, "places", q->places, "no bound");
    if (q->elements >= 0 && seconds > 0) {
        const struct shown rate = figure_label(q->elements / seconds);
        svg_text(svg, middle - 3, y + 86, 9.5, SVG_END, "f2", "rate");
        svg_textf(svg, middle + 2, y + 86, 10.5, SVG_START, "", "%s%s/s", rate.text,
                  strchr(rate.text, ' ') ? "" : " ");
    }
    for (int side = 0; side < 2; side++) {
        double from = side == 0 ? stage_x(column) + STAGE : x + TANK;
        svg_line(svg, from, TOP + 22, from + GAP - 4, TOP + 22, "s1");
        svg_arrow_head(svg, from + GAP, TOP + 22, 1, 0, "f1");
    }
}

/* From the queue back to the stage before it. */
static void draw_back_pressure(const struct run_files *run, struct svg *svg, int column)
{
    const struct run_queue_state *q = &run->queues[columns[column].after];
    double from = stage_x(column) + STAGE + GAP + TANK / 2, to = stage_x(column) + STAGE / 2, y = TOP - 26;
    bool held = q->back_pressure > 0;
    if (isnan(q->back_pressure))
        return;
    svg_polyline(svg, held ? "s7 dash w2" : "s3 dots",
                 (const double[][2]){{from, TANK_TOP - 3}, {from, y}, {to, y}, {to, TOP - 9}}, 4, false);
    svg_arrow_head(svg, to, TOP - 2, 0, 1, held ? "f7" : "f3");
    svg_text(svg, (from + to) / 2, y - 6, 11.5, SVG_MIDDLE, held ? "bold" : "f2",
             shown_percent(q->back_pressure, 10).text);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

#define KEY(colour, key, text)                                                                               \
    {                                                                                                        \
        text, colour, key                                                                                    \
    }

static void draw(const void *data, struct svg *svg)
{
    static const struct figure_style key[] = {REPORT_KEY_ROWS(KEY)};
    enum { KEYS = sizeof key / sizeof key[0] };
    static const unsigned keys[] = {0, 3, KEYS, KEYS}; /* of each group */
    const struct run_files *run = data;
    svg_begin(
        svg, FIGURE_WIDTH, HEIGHT + 16,
        "The pipeline of the machine: what each stage did with its time, how full each queue was, and where "
        "back-pressure held a stage");
    for (int i = 0; i < COLUMNS; i++) {
        const int fold = i / FOLD;
        if (i % FOLD == 0) {
            svg_group(svg, shown_text("fold-%d", fold).text);
            figure_draw_legend(svg, stage_x(i), 2, FIGURE_WIDTH, key + keys[fold],
                               keys[fold + 1] - keys[fold]);
        }
        draw_stage(run, svg, i);
        if (i + 1 < COLUMNS) {
            draw_queue(run, svg, i);
            draw_back_pressure(run, svg, i);
        }
        if (i % FOLD == FOLD - 1 || i + 1 == COLUMNS)
            svg_group_end(svg);
    }
    svg_end(svg);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

/* A time of the summary in a sentence. */
static struct shown time_at(const struct run_files *run, const char *path)
{
    return figure_time(json_number_at(run->summary, path));
}

static void write_phases(const struct run_files *run, FILE *out)
{
    page_put(
        out,
        "The simulated machine took %s%s: %s to wait for tables to be built, %s to load them, %s to stream "
        "the database, %s in which %s%s",
        figure_time(run->simulated_s).text, report_is_sample(run) ? " for the drawn passes" : "",
        time_at(run, "bottleneck.phases.build_s").text, time_at(run, "bottleneck.phases.load_s").text,
        time_at(run, "bottleneck.phases.stream_s").text, time_at(run, "bottleneck.phases.drain_s").text,
        run->board_count > 1 ? "a board was free, or only stage 3 still worked" : "only stage 3 still worked",
        json_number_at(run->summary, "measuring.measurement_bytes") > 0
            ? ", or frame records, which are charged, crossed the bus"
            : "");
    if (json_number_at(run->summary, "stage_3.join_s") > 0)
        page_put(out, " (%s of it to join alignments)", time_at(run, "stage_3.join_s").text);
    if (!isnan(json_number_at(run->summary, "bottleneck.phases.network_s")))
        page_put(out, ", %s to wait for the network, %s for other hosts",
                 time_at(run, "bottleneck.phases.network_s").text,
                 time_at(run, "bottleneck.phases.others_s").text);
    if (run->board_count > 1)
        page_put(out, "; these are means of the %u boards that had passes", run->board_count);
    fputs(". ", out);
}

/* What limits the run comes first; what limits the stream is another question. */
static void write_bottleneck(const struct run_files *run, FILE *out)
{
    const json_t *found = json_object_get(run->summary, "bottleneck");
    const char *limit = json_text_at(found, "limit");
    const struct run_stage *stage = run_files_stage(run, limit);
    char words[256];
    if (run->has_limits) {
        run_limits_say(&run->limits, words, sizeof words);
        page_put(out, "<strong>What limits the run: %s</strong>. ", words);
    }
    if (stage)
        page_put(out, "While the database streams, %s %s is busiest, at work in %s of the time.",
                 strcmp(limit, "host") == 0 || strcmp(limit, "bus") == 0 ? "the" : "stage",
                 strcmp(limit, "host") == 0 ? "host's supply" : limit, shown_percent(stage->active, 10).text);
}

static void introduce(const struct run_files *run, FILE *out)
{
    const double alignments = json_number_at(run->run, "alignments");
    const bool is_sample = report_is_sample(run);
    fputs("<p class=\"answer\"><strong>", out);
    if (is_sample)
        report_forecast_write_answer(run, out);
    else
        page_put(out, "%.0f alignment%s", alignments, alignments == 1 ? "" : "s");
    fputs("</strong>", out);
    if (report_is_of_windows(run)) {
        fputs(" Windows of the database leave no alignments. ", out);
    } else {
        if (is_sample)
            page_put(out, " The drawn passes alone: %.0f alignment%s", alignments,
                     alignments == 1 ? "" : "s");
        page_put(out, " with E ≤ %g. ", json_number_at(run->run, "e_value"));
    }
    if (*run->misfit)
        page_put(out, "<strong>The board does not fit: %s.</strong> ", run->misfit);
    write_phases(run, out);
    write_bottleneck(run, out);
    const json_t *found = json_object_get(run->summary, "bottleneck");
    const struct run_stage *bus = run_files_stage(run, "bus");
    const double boards = json_number_at(found, "boards_that_fill_bus");
    const struct bus_balance balance = {.balance = json_number_at(found, "balance_hsps_per_wmer"),
                                        .hsps = json_number_at(found, "hsps_per_wmer"),
                                        .boards = boards,
                                        .beside = bus && boards * bus->active > 1.001};
    char line[200];
    if (bus_balance_say(&balance, line, sizeof line))
        page_put(out, " The bus is %s.", line);
    fputs("</p>\n", out);
}

static void follow(const struct run_files *run, FILE *out)
{
    fputs(PROSE_PIPELINE_FOLLOW, out);
    if (run->board_count > 1)
        fputs(PROSE_PIPELINE_BOARDS, out);
}

const struct report_part report_pipeline = {
    .title = "The pipeline",
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
