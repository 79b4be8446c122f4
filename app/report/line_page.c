#include "app/report/line_page.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/figure.h"
#include "base/file/file_io.h"
#include "base/json_number.h"
#include "validate/verdict.h"
#include "app/report/line_run.h"
#include "app/prose.inc"

static const double ROW = 34, LEFT = 150, RIGHT = 20, TOP = 58, BOTTOM = 50, HALF = FIGURE_WIDTH / 2;

static const double SHARE_LEAST = 1e-6;

/* One colour and line a model in all pictures. Others have the last one. */
#include "app/report.inc"

#define MODEL(colour, key, shape, name)                                                                      \
    {                                                                                                        \
        name, colour, key, shape                                                                             \
    }
static const struct figure_style models[] = {REPORT_MODEL_ROWS(MODEL)};

enum { MODELS = sizeof models / sizeof models[0] };

struct figure_style report_model_style(const char *model, enum figure_key key)
{
    unsigned i = 0;
    while (i + 1 < MODELS && strcmp(models[i].text, model) != 0)
        i++;
    struct figure_style style = models[i];
    style.text = model;
    if (key == FIGURE_MARK || key == FIGURE_RING)
        style.key = key;
    return style;
}

static double simulated(const struct line_run *run, unsigned stage, const char *parameter)
{
    return line_run_number(run, stage, parameter, "simulated");
}

/* The number of places; NaN if there is no bound. */
static double places_of(const struct line_run *run, unsigned stage)
{
    const json_t *places = line_run_rule(run, stage, "places");
    return json_is_number(places) ? json_number_value(places) : NAN;
}

/* How busy the server of a stage is, with what it does for other stages. */
static double load_of(const struct line_run *run, unsigned stage)
{
    const char *port = json_string_value(line_run_rule(run, stage, "on"));
    double load = 0;
    for (unsigned i = 0; i < run->stage_count; i++) {
        const char *other = json_string_value(line_run_rule(run, i, "on"));
        if (i == stage || (port && other && *port != '-' && strcmp(port, other) == 0))
            load += simulated(run, i, "rho");
    }
    return load;
}

static unsigned busiest(const struct line_run *run)
{
    unsigned most = 0;
    for (unsigned i = 1; i < run->stage_count; i++)
        if (load_of(run, i) > load_of(run, most))
            most = i;
    return most;
}

/* --- stages ------------------------------------------------------------------------------------------------ */

/* A stage: how busy it is, how often somebody waits before it, and how many elements are in it. */
static void draw_stage(const struct line_run *run, struct figure *busy, struct figure *number, unsigned stage,
                       double y)
{
    const char *name = run->stages[stage].name;
    const double u = 100 * simulated(run, stage, "rho"), held = 100 * simulated(run, stage, "holds_up"),
                 n = simulated(run, stage, "N_G"), p50 = simulated(run, stage, "N_G_p50"),
                 p99 = simulated(run, stage, "N_G_p99"), places = places_of(run, stage);
    svg_text(busy->svg, LEFT - 10, y + 4, 12, SVG_END, stage == busiest(run) ? "bold" : "", name);
    figure_bar(busy, 0, u, y - 5, 12, 1, "f6", "%s: busy in %.3g%% of the time", name, u);
    figure_bar(busy, 0, held, y + 7, 6, 0, "f7", "somebody waits outside of %s in %.3g%% of the time", name,
               held);
    svg_textf(busy->svg, busy->x.to + 6, y, 11, SVG_START, "", "%.3g%%", u);
    figure_bar(number, fmax(p50, number->x.least),
               !isnan(p99)  ? p99
               : places > 0 ? places
                            : number->x.most,
               y, 12, 1, "f6 half", "%s: half of the time more than %s, 1%% of the time more than %s", name,
               figure_label(p50).text, isnan(p99) ? "511" : figure_label(p99).text);
    figure_rule(number, fmax(n, number->x.least), y, 9, "s6 w3");
    if (places > 0)
        figure_rule(number, places, y, 12, "s7 w2");
}

static void draw_stages(const void *data, struct svg *svg)
{
    static const struct figure_style legend[] = {
        {"busy", SVG_BLUE, FIGURE_AREA},
        {"full, and somebody waits outside", SVG_VERMILION, FIGURE_AREA},
        {"mean number, within median and 99%", SVG_BLUE, FIGURE_LINE},
        {"places", SVG_VERMILION, FIGURE_LINE},
    };
    const struct line_run *run = data;
    const double height = ROW * run->stage_count;
    double most = 10;
    for (unsigned i = 0; i < run->stage_count; i++)
        most =
            fmax(most, fmax(fmax(places_of(run, i), simulated(run, i, "N_G_p99")), simulated(run, i, "N_G")));
    struct figure busy = {svg, {.most = 100, .title = "of the time [%]"}};
    struct figure number = {svg, figure_axis_logarithmic(0.1, most, "elements in the stage")};
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM,
              "How busy stages are, and how many elements they hold");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, legend, sizeof legend / sizeof legend[0]);
    figure_open(&busy, LEFT, TOP, HALF - LEFT - 60, height);
    figure_open(&number, HALF + 30, TOP, HALF - 30 - RIGHT, height);
    for (unsigned i = 0; i < run->stage_count; i++)
        draw_stage(run, &busy, &number, i, TOP + ROW * (i + 0.5));
    svg_end(svg);
}

/* --- how many are in a stage ------------------------------------------------------------------------------- */

/* The models whose distributions are nearest, nearest first. @return their number, at most LINE_PAGE_MODELS */
static unsigned find_nearest(const struct line_run *run, unsigned stage,
                             const char *nearest[LINE_PAGE_MODELS])
{
    unsigned count = 0;
    for (unsigned m = 0; m < run->model_count; m++) {
        const double far = line_run_number(run, stage, "tv", run->models[m]);
        unsigned at = count;
        while (at > 0 && line_run_number(run, stage, "tv", nearest[at - 1]) > far)
            at--;
        if (isnan(far) || at == LINE_PAGE_MODELS)
            continue;
        count += count < LINE_PAGE_MODELS;
        memmove(nearest + at + 1, nearest + at, (count - 1 - at) * sizeof *nearest);
        nearest[at] = run->models[m];
    }
    return count;
}

void line_page_draw_shares(struct svg *svg, const struct line_shares *shares, double left, double top)
{
    struct figure_style legend[LINE_PAGE_MODELS + 1] = {{"simulated", SVG_BLUE, FIGURE_AREA}};
    double x[LINE_NUMBERS], p[LINE_NUMBERS], last = 8;
    char title[120];
    for (unsigned n = 0; n < shares->count; n++)
        if (shares->simulated[n] >= SHARE_LEAST)
            last = fmax(last, n);
    snprintf(title, sizeof title, "%s%s", shares->what,
             last + 1 < LINE_NUMBERS ? "" : "; the last bin has no end");
    struct figure f = {svg,
                       {.least = -0.5, .most = last + 0.5, .title = title},
                       figure_axis_logarithmic(SHARE_LEAST, 1, "share of the time")};
    svg_textf(svg, left + 62, top + 14, 13, SVG_START, "bold", "%s", shares->name);
    figure_open(&f, left + 62, top + 44, HALF - 62 - RIGHT, 150);
    for (unsigned n = 0; n <= last && n < shares->count; n++) {
        const double share = shares->simulated[n];
        if (share >= SHARE_LEAST)
            svg_rectangle(svg, figure_x(&f, n - 0.5), figure_y(&f, share), figure_x(&f, 1) - figure_x(&f, 0),
                          f.y.from - figure_y(&f, share), "f6 half", NULL);
    }
    for (unsigned m = 0; m < shares->model_count; m++) {
        unsigned count = 0;
        for (unsigned n = 0; n <= last && n < shares->count; n++) {
            x[count] = n;
            p[count] = shares->p[m][n];
            count += p[count] >= SHARE_LEAST;
        }
        legend[m + 1] = report_model_style(shares->models[m], FIGURE_LINE);
        figure_line(&f, x, p, count, figure_stroke(&legend[m + 1]).text);
    }
    figure_draw_legend(svg, left + 62, top + 20, HALF - 62, legend, shares->model_count + 1);
}

static void draw_distribution(const struct line_run *run, struct svg *svg, unsigned stage, double left,
                              double top)
{
    double p[LINE_PAGE_MODELS][LINE_NUMBERS];
    struct line_shares shares = {.name = run->stages[stage].name,
                                 .what = "elements in the stage",
                                 .simulated = run->stages[stage].p,
                                 .count = LINE_NUMBERS};
    shares.model_count = find_nearest(run, stage, shares.models);
    for (unsigned m = 0; m < shares.model_count; m++) {
        shares.p[m] = p[m];
        for (unsigned n = 0; n < LINE_NUMBERS; n++)
            p[m][n] = line_run_p(run, stage, n, shares.models[m]);
    }
    line_page_draw_shares(svg, &shares, left, top);
}

static void draw_queues(const void *data, struct svg *svg)
{
    const struct line_run *run = data;
    const unsigned rows = (run->stage_count + 1) / 2;
    svg_begin(svg, FIGURE_WIDTH, rows * (double)LINE_PAGE_SHARES_HEIGHT,
              "How often each stage held how many elements, with the nearest models");
    for (unsigned i = 0; i < run->stage_count; i++) {
        const unsigned row = i / 2;
        draw_distribution(run, svg, i, i % 2 * HALF, row * (double)LINE_PAGE_SHARES_HEIGHT);
    }
    svg_end(svg);
}

/* --- models ------------------------------------------------------------------------------------------------ */

static void draw_models(const void *data, struct svg *svg)
{
    const struct line_run *run = data;
    struct figure_style legend[LINE_MODELS_MAX + 1];
    unsigned keys = 0;
    for (unsigned m = 0; m < run->model_count; m++)
        legend[keys++] = report_model_style(run->models[m], FIGURE_MARK);
    legend[keys++] = (struct figure_style){"hollow: assumptions violated", SVG_MUTED, FIGURE_RING, SVG_DISC};
    struct figure f = {svg, figure_axis_logarithmic(1e-2, 1e2, "N_Q: prediction / simulated value [1]")};
    const double top = TOP + 18, height = ROW * run->stage_count;
    svg_begin(svg, FIGURE_WIDTH, top + height + BOTTOM, "Predictions of N_Q divided by the simulated values");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, legend, keys);
    f.x.inset = true;
    figure_open(&f, LEFT, top, FIGURE_WIDTH - LEFT - RIGHT, height);
    for (unsigned i = 0; i < run->stage_count; i++) {
        const double y = top + ROW * (i + 0.5), n_q = simulated(run, i, "N_Q"),
                     half = line_run_number(run, i, "N_Q", "half_width");
        svg_text(svg, LEFT - 10, y + 4, 12, SVG_END, "", run->stages[i].name);
        if (!(n_q > 0))
            continue;
        figure_interval(&f, 1 - half / n_q, 1 + half / n_q, y, 8, "f6 half", NULL);
        figure_rule(&f, 1, y, 9, "s6 w3");
    }
    for (size_t k = 0; k < run->verdict_count; k++) {
        const struct line_verdict *v = &run->verdicts[k];
        unsigned stage = 0;
        while (stage + 1 < run->stage_count && strcmp(run->stages[stage].name, v->stage) != 0)
            stage++;
        const struct figure_style style =
            report_model_style(v->model, strcmp(v->word, "violated") == 0 ? FIGURE_RING : FIGURE_MARK);
        if (v->simulated > 0 && v->predicted > 0)
            figure_mark(&f, v->predicted / v->simulated, top + ROW * (stage + 0.5), 4.2, &style,
                        "%s of %s: %.4g, simulated %.4g; %s: %s", v->model, v->stage, v->predicted,
                        v->simulated, v->word, v->why);
    }
    figure_say_ends(&f);
    svg_end(svg);
}

/* --- over time --------------------------------------------------------------------------------------------- */

static void draw_series(const struct line_run *run, struct svg *svg, enum line_series series,
                        const char *title, double top)
{
    static const enum figure_key keys[] = {FIGURE_LINE, FIGURE_DASHED, FIGURE_DOTTED};
    struct figure_style styles[LINE_STAGES_MAX];
    double least = INFINITY, most = 0;
    const double end_s = run->frames_begin_s + (double)run->frame_count * run->frame_s;
    const struct figure_unit unit = figure_time_unit(end_s);
    char time[48];
    for (unsigned i = 0; i < run->stage_count; i++) {
        const double *values = run->stages[i].series[series];
        styles[i] = (struct figure_style){run->stages[i].name, svg_series_colours[i % SVG_SERIES],
                                          keys[i / SVG_SERIES % 3], SVG_DISC};
        for (size_t k = 0; values && k < run->frame_count; k++) {
            most = fmax(most, values[k]);
            least = values[k] > 0 ? fmin(least, values[k]) : least;
        }
    }
    snprintf(time, sizeof time, "simulated time [%s]", unit.name);
    struct figure f = {svg,
                       {.least = run->frames_begin_s * unit.per_s, .most = end_s * unit.per_s, .title = time},
                       figure_axis_logarithmic(fmin(least, most), fmax(most, 1e-9), title)};
    figure_open(&f, 74, top, FIGURE_WIDTH - 94, 160);
    for (unsigned i = 0; i < run->stage_count; i++) {
        const double *values = run->stages[i].series[series];
        figure_path(&f, figure_stroke(&styles[i]).text);
        for (size_t k = 0; values && k < run->frame_count; k++)
            if (values[k] > 0)
                figure_step(&f, (run->frames_begin_s + (double)k * run->frame_s) * unit.per_s,
                            (run->frames_begin_s + (double)(k + 1) * run->frame_s) * unit.per_s, values[k],
                            NAN);
        figure_steps_end(&f, NAN, false);
    }
    if (series == LINE_THROUGHPUT)
        figure_draw_legend(svg, 74, 4, FIGURE_WIDTH - 94, styles, run->stage_count);
}

static void draw_time(const void *data, struct svg *svg)
{
    const double head = 30 + 18 * ((double)((const struct line_run *)data)->stage_count / 8);
    svg_begin(svg, FIGURE_WIDTH, head + 2 * 222, "Throughput, and numbers in the stages, over time");
    draw_series(data, svg, LINE_THROUGHPUT, "throughput [elements/s]", head);
    draw_series(data, svg, LINE_N_G, "elements in the stage", head + 222);
    svg_end(svg);
}

/* --- sections ---------------------------------------------------------------------------------------------- */

static void write_answer(const void *data, FILE *out)
{
    const struct line_run *run = data;
    const unsigned most = busiest(run);
    const double u = load_of(run, most);
    page_put(
        out,
        "<p class=\"answer\"><strong>%s limits: it is busy in %.1f%% of the time.</strong> %s elements per "
        "second leave the last stage.",
        run->stages[most].name, 100 * u,
        figure_label(simulated(run, run->stage_count - 1, "throughput")).text);
    unsigned full = 0;
    double lost = 0, held = 0; /* shares of what comes, and of the time */
    for (unsigned i = 0; i < run->stage_count; i++)
        if (fmax(simulated(run, i, "loss"), simulated(run, i, "holds_up")) > fmax(lost, held)) {
            full = i;
            lost = simulated(run, i, "loss");
            held = simulated(run, i, "holds_up");
        }
    if (fmax(lost, held) > VERDICT_BLOCKED)
        page_put(out, " %s is full at times, and %s %.1f%% of %s.", run->stages[full].name,
                 lost > 0 ? "loses" : "holds up what comes in", 100 * fmax(lost, held),
                 lost > 0 ? "what comes" : "the time");
    else if (u > 0 && u < 0.99)
        page_put(out, " The pipeline takes at most %.3g times this rate: then %s has no time left.", 1 / u,
                 run->stages[most].name);
    fputs("</p>\n", out);
}

static void write_models(const void *data, FILE *out)
{
    static const char *const columns[] = {"stage",   "model",   "simulated", "predicted",
                                          "error_%", "verdict", "why"};
    const struct line_run *run = data;
    struct result_table *table = result_table_new(columns, sizeof columns / sizeof columns[0]);
    fputs(
        "<p>The mean queue that each model predicts, divided by the simulated one, with its 95% interval.</p>\n",
        out);
    page_picture(draw_models, run, out);
    for (size_t k = 0; k < run->verdict_count; k++) {
        const struct line_verdict *v = &run->verdicts[k];
        if (!isnan(v->predicted))
            result_table_add(table, TEXT(v->stage), TEXT(v->model), NUMBER(v->simulated),
                             NUMBER(v->predicted), NUMBER(100 * v->error), TEXT(v->word), TEXT(v->why));
    }
    result_table_end(table, RESULT_HTML, out);
}

static void write_time(const void *data, FILE *out)
{
    const struct line_run *run = data;
    page_put(out, "<p>Means over each of %zu batches of the run, after its warm-up.</p>\n", run->frame_count);
}

static void write_numbers(const void *data, FILE *out)
{
    static const char *const columns[] = {"stage", "quantity", "unit", "simulated", "+-"};
    const struct line_run *run = data;
    struct result_table *table = result_table_new(columns, sizeof columns / sizeof columns[0]);
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(run->summary, "rows"), i, row)
    {
        const char *name = json_string_value(json_object_get(row, "parameter"));
        if (name && strncmp(name, "P[N=", 4) != 0 && strcmp(name, "tv") != 0)
            result_table_add(table, TEXT(json_string_value(json_object_get(row, "stage"))), TEXT(name),
                             TEXT(json_string_value(json_object_get(row, "unit"))),
                             NUMBER(json_number_at(row, "simulated")),
                             NUMBER(json_number_at(row, "half_width")));
    }
    result_table_end(table, RESULT_HTML, out);
}

static void write_setup(const void *data, FILE *out)
{
    const struct line_run *run = data;
    const char *name;
    json_t *value;
    fputs("<table>\n", out);
    json_object_foreach(run->about, name, value)
    {
        if (json_is_string(value))
            page_put(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, json_string_value(value));
    }
    fputs("</table>\n", out);
}

/* --- the page ---------------------------------------------------------------------------------------------- */

static const char words[] =
#include "app/line_words.inc"
    ;

static picture_draw *const pictures[REPORT_PART_COUNT] = {
    [REPORT_PART_pipeline] = draw_stages,
    [REPORT_PART_queues] = draw_queues,
    [REPORT_PART_models] = draw_models,
    [REPORT_PART_boxes] = draw_time,
};

int line_page_write(const char *directory, enum report_number what, const char *path, struct why *why)
{
    auto_by(line_run_close) struct line_run run = {0};
    char own[PATH_MAX];
    if (report_check_output(directory, what, path, why) != 0)
        return COMMAND_REFUSED;
    int status = line_run_open(directory, &run, why);
    const char *chain = json_string_value(json_object_get(run.about, "chain"));
    const struct page_section sections[] = {
        {"pipeline", "The pipeline", write_answer, &run, .draw = draw_stages},
        {"queues", "How full the stages were", .says = PROSE_LINE_QUEUES, .draw = draw_queues, .data = &run},
        {"models", "Predicted and simulated", write_models, &run},
        {"time", "Over time", write_time, &run, .draw = draw_time},
        {"numbers", "All numbers", write_numbers, &run},
        {"setup", "What was run", write_setup, &run},
        {"words", "The words", page_words, words},
    };
    chain = chain ? basename(chain) : "Queues";
    if (status)
        return status;
    if (what == REPORT_PART_COUNT)
        return page_write(path ? path : file_io_path(directory, REPORT_FILE, own), chain,
                          "A pipeline of queues beside queueing theory", sections,
                          sizeof sections / sizeof sections[0], why);
    if (pictures[what])
        return picture_save(pictures[what], &run, chain, path, why);
    return why_refuse(
        why, "%.400s: nothing to draw: the run of a pipeline has pipeline, queues, models, boxes", directory);
}
