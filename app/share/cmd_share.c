#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/draw/figure.h"
#include "base/draw/page.h"
#include "base/draw/picture.h"
#include "base/draw/result_table.h"
#include "base/file/file_uses.h"
#include "base/file/scratch_file.h"
#include "base/why.h"
#include "base/words.h"
#include "model/model_error.h"
#include "sim/board/bus_balance.h"
#include "app/rank/rank_link.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/run/recorded_run.h"
#include "app/share/share_theory.h"
#include "app/options.inc"
#include "app/prose.inc"

struct session {
    struct run_options options; /* platform, machine, --set and jobs */
    double step_us;             /* 0 if not given */
    struct share_choice choice;
    const char *fit; /* x:w:s, to be fitted without runs; NULL if not given */
    enum result_format format;
    const char *path, *range, *groups, *frames, *report; /* NULL if not given */

    struct share_runs runs;
    struct share_answer answer;
    struct range *drawn;                     /* for --range, and for the page */
    char paths[PARALLEL_RUNS_MAX][PATH_MAX]; /* of their records */
    char platform_path[PATH_MAX];
    struct platform *platform;
    struct hardware hardware;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static const struct command_option options[] = COMMAND_OPTIONS(SHARE_OPTIONS);

static int check_options(struct session *s)
{
    static const char *const given[] = {"boards", "bus.count", "hosts"};
    for (unsigned i = 0; i < sizeof given / sizeof given[0]; i++)
        if (run_options_set(&s->options, given[i]))
            return why_refuse(s->why,
                              "--set %s: there is one host and one bus, and every RUN has a board; name a "
                              "run once for each board that is to run it",
                              given[i]);
    const char *ending = s->range ? strrchr(s->range, '.') : NULL;
    bool is_shown = s->range && strcmp(s->range, "-") == 0, tells = s->report && strcmp(s->report, "-") == 0;
    if (s->range && !is_shown && (!ending || strcmp(ending, ".svg") != 0))
        return why_refuse(s->why,
                          "--range '%.200s': expected a name that ends in .svg, or - for standard output",
                          s->range);
    if (is_shown + tells + (!s->path || strcmp(s->path, "-") == 0) > 1)
        return why_refuse(s->why,
                          "a table and a picture would be on standard output; give each a file (-o, --range, "
                          "--report)");
    return 0;
}

/* There is no run, and so neither a machine nor frames. */
static int check_fit(const struct session *s)
{
    const char *other = s->runs.count > 0                 ? "runs"
                        : s->step_us > 0                  ? "--stepsize"
                        : s->choice.clusters > 0          ? "--clusters"
                        : s->choice.seed > 0              ? "--seed"
                        : s->choice.bus_rate > 0          ? "--bus-rate"
                        : s->groups                       ? "--groups"
                        : s->frames                       ? "--frames"
                        : s->range                        ? "--range"
                        : s->report                       ? "--report"
                        : s->options.platform             ? "--platform"
                        : s->options.machine              ? "--machine"
                        : s->options.assignment_count > 0 ? "--set"
                        : s->options.jobs > 0             ? "--jobs"
                                                          : NULL;
    return other ? why_refuse(s->why, "--fit: expected no %s beside it", other) : 0;
}

static int parse_options(int argc, char **argv, struct session *s)
{
    struct share_choice *c = &s->choice;
    s->options = run_options_default();
    *c = (struct share_choice){.servers = 1};
    int status = command_parse("share", options, argc, argv, INT_MAX, s, s->why);
    if (status)
        return status;
    if (argc - optind > PARALLEL_RUNS_MAX)
        return why_refuse(s->why, "%d runs are given: expected at most %d", argc - optind, PARALLEL_RUNS_MAX);
    s->runs.count = (unsigned)(argc - optind);
    for (unsigned i = 0; i < s->runs.count; i++)
        s->runs.names[i] = argv[optind + (int)i];
    if (c->alpha > 0 && c->servers > 1)
        return why_refuse(s->why, "--power: expected no --servers beside it");
    if (s->fit)
        return check_fit(s);
    c->clusters = c->clusters > 0 ? c->clusters : 12;
    c->seed = c->seed > 0 ? c->seed : 1;
    c->bus_rate = c->bus_rate > 0 ? c->bus_rate : 1;
    if (s->runs.count < 2)
        return why_refuse(
            s->why, "needs two runs or more, e.g. mercury share a.tokens b.tokens; see mercury help share");
    return check_options(s);
}

/* --- records and machine --------------------------------------------------------------------------------- */

/* Find and open the records. */
static int open_records(struct session *s)
{
    struct file_uses uses = {0};
    int status = 0;
    for (unsigned i = 0; i < s->runs.count; i++) {
        if (recorded_run_find(s->runs.names[i], s->paths[i], "the name of a file", s->why) != 0)
            return COMMAND_REFUSED;
        file_uses_read(&uses, "a record", s->paths[i]);
    }
    if (run_options_name_machine(&s->options) && s->options.platform)
        file_uses_read(&uses, "the platform", s->options.platform);
    file_uses_write(&uses, "-o", s->path);
    file_uses_write(&uses, "--range", s->range);
    file_uses_write(&uses, "--groups", s->groups);
    file_uses_write(&uses, "--report", s->report);
    file_uses_write(&uses, "--frames", s->frames);
    if (file_uses_probe(&uses, s->why) != 0 || scratch_file_probe(s->why) != 0)
        return COMMAND_REFUSED;
    for (unsigned i = 0; i < s->runs.count && status == 0; i++) {
        s->runs.first[i] = 0;
        while (strcmp(s->paths[s->runs.first[i]], s->paths[i]) != 0)
            s->runs.first[i]++;
        if (s->runs.first[i] == i)
            status = command_status_of(token_record_open(s->paths[i], &s->runs.records[i], s->why));
    }
    return status;
}

static const struct token_record_facts *facts_of(const struct session *s, unsigned i)
{
    return &token_record_run(s->runs.records[s->runs.first[i]])->facts;
}

static int open_machine(struct session *s)
{
    bool named = run_options_name_machine(&s->options);
    s->hardware = hardware_default();
    int status = recorded_machine_load(&s->options, facts_of(s, 0), s->paths[0], &s->hardware,
                                       s->platform_path, &s->platform, s->why);
    s->hardware.boards = s->runs.count;
    s->hardware.buses = s->hardware.hosts = 1;
    s->hardware.distribution = DISTRIBUTION_QUERIES;
    for (unsigned i = 0; i < s->runs.count && status == 0; i++)
        status = recorded_machine_check(facts_of(s, i), &s->hardware, s->paths[i], named, s->why);
    if (status == 0 && (hardware_check(&s->hardware, s->why) != 0 ||
                        platform_prepare(s->platform, &s->hardware, s->why) != 0))
        status = COMMAND_REFUSED;
    return status;
}

/* --- the table ------------------------------------------------------------------------------------------- */

/* A criterion is met if the model is off by less. */
static const double CRITERION = 0.05;

/* R keeps the names of a file; a text has room for shorter ones. */
enum { COLUMNS = 8, NAME_BYTES = 256 };
static const char *const columns[COLUMNS] = {"run",         "bus_percent",    "alone_ms", "slower_percent",
                                             "MVA_percent", "shares_percent", "fit",      "little_percent"};
static const char *const text_columns[COLUMNS] = {"run",   "bus_%",    "alone_ms", "slower_%",
                                                  "MVA_%", "shares_%", "fit",      "little_%"};

/* The name of a record without its folder and ".tokens", or that of a directory. */
static void shorten(const char *path, char name[NAME_BYTES])
{
    static const char ending[] = ".tokens";
    size_t length = strlen(path), end = sizeof ending - 1;
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *slash = memrchr(path, '/', length);
    const char *from = slash && length > 1 ? slash + 1 : path;
    snprintf(name, NAME_BYTES, "%.*s", (int)(path + length - from), from);
    length = strlen(name);
    if (length > end && strcmp(name + length - end, ending) == 0)
        name[length - end] = 0;
}

/* The short name of a run; its path if another record has the same short name. */
static const char *name_of(const struct share_runs *r, unsigned run, char name[NAME_BYTES])
{
    char other[NAME_BYTES];
    shorten(r->names[run], name);
    for (unsigned i = 0; i < r->count; i++) {
        shorten(r->names[i], other);
        if (strcmp(r->names[i], r->names[run]) != 0 && strcmp(other, name) == 0)
            return r->names[run];
    }
    return name;
}

static void add_row(struct result_table *table, const struct share_runs *r, const struct share_answer *a,
                    unsigned i)
{
    const struct isolated_fit fit = isolated_run_find_fit(&a->runs[i]);
    const double off[] = {fit.throughput, fit.time, fit.number};
    char name[NAME_BYTES], met[4] = "";
    for (unsigned criterion = 0; criterion < 3; criterion++)
        met[criterion] = off[criterion] < CRITERION ? "xwn"[criterion] : '-';
    result_table_add(table, TEXT(name_of(r, i, name)), NUMBER(100 * a->bus[i]), NUMBER(1e3 * a->alone_s[i]),
                     NUMBER(100 * a->slower[i]));
    for (unsigned model = 0; model < PARALLEL_MODELS; model++)
        result_table_add(table, NUMBER(100 * a->modelled[model][i]));
    result_table_add(table, TEXT(met), NUMBER(100 * fit.little));
}

/* @param format  the text and the page have short names of columns */
static struct result_table *make_table(const struct session *s, const struct share_answer *a,
                                       enum result_format format)
{
    struct result_table *table = result_table_new_styled(
        format == RESULT_TEXT || format == RESULT_HTML ? text_columns : columns, COLUMNS,
        &(struct result_style){.text_number = "%.4g", .schema = "mercury-share-2", .facts_last = true});
    double busy = 0;
    result_table_add_fact(table, "boards", NUMBER(s->runs.count));
    result_table_add_fact(table, "bus_bytes_per_s", NUMBER(hardware_bus_bytes_per_s(&s->hardware)));
    result_table_add_fact(table, "block_us", NUMBER(1e6 * a->block_s));
    result_table_add_fact(table, "balance_percent", NUMBER(100 * bus_balance_point(&s->hardware)));
    result_table_add_fact(table, "stepsize_us", NUMBER(1e6 * a->step_s));
    result_table_add_fact(table, "clusters", NUMBER(s->choice.clusters));
    result_table_add_fact(table, "seed", NUMBER((double)s->choice.seed));
    if (s->choice.servers > 1)
        result_table_add_fact(table, "servers", NUMBER(s->choice.servers));
    if (s->choice.alpha > 0)
        result_table_add_fact(table, "power", NUMBER(s->choice.alpha));
    if (s->choice.bus_rate != 1)
        result_table_add_fact(table, "bus_rate", NUMBER(s->choice.bus_rate));
    for (unsigned i = 0; i < s->runs.count; i++) {
        add_row(table, &s->runs, a, i);
        busy += a->bus[i];
    }
    result_table_note(table, "mean difference from slower_%%, in points: MVA %.2f, shares %.2f",
                      100 * a->error[PARALLEL_MVA], 100 * a->error[PARALLEL_FAIR_SHARES]);
    result_table_note(
        table,
        "tables included, these boards ask for %.3g%% of the bus, which has room for %.3g of their kind",
        100 * busy, s->runs.count / busy);
    if (a->unawaited > 0)
        result_table_note(table, "no board waits for %.2g%% of the bytes, and only shares counts them",
                          100 * a->unawaited);
    if (a->is_linearized)
        result_table_note(table, "MVA is an approximation here: Linearizer, for many customers");
    return table;
}

/* --- private centres ------------------------------------------------------------------------------------- */

enum { GROUP_COLUMNS = 9 };

static struct result_table *groups_begin(void)
{
    static const char *const names[GROUP_COLUMNS] = {
        "run", "group", "time_ms", "x_per_s", "w_us", "N_i", "mu_per_s", "fitted_x_per_s", "fitted_w_us"};
    return result_table_new_styled(
        names, GROUP_COLUMNS, &(struct result_style){.text_number = "%.4g", .schema = "mercury-groups-1"});
}

static void add_group(struct result_table *table, const char *run, unsigned group,
                      const struct isolated_group *g)
{
    const struct private_centre *c = &g->centre;
    const bool asks = g->x_per_s > 0;
    result_table_add(table, TEXT(run), NUMBER(group), NUMBER(1e3 * g->length_s), NUMBER(g->x_per_s),
                     NUMBER(asks ? 1e6 * g->w_s : NAN), NUMBER(asks ? c->population : NAN),
                     NUMBER(asks ? c->mu_per_s : NAN), NUMBER(asks ? c->x_per_s : NAN),
                     NUMBER(asks ? 1e6 * c->w_s : NAN));
}

/* Write the groups of each different run, and the private centre of each group. */
static int save_groups(const struct session *s, const struct share_answer *a)
{
    const char *ending = strrchr(s->groups, '.');
    const enum result_format format = strcmp(s->groups, "-") == 0              ? s->format
                                      : ending && strcmp(ending, ".txt") == 0  ? RESULT_TEXT
                                      : ending && strcmp(ending, ".json") == 0 ? RESULT_JSON
                                                                               : RESULT_TSV;
    struct result_table *table = groups_begin();
    char name[NAME_BYTES];
    for (unsigned i = 0; i < s->runs.count; i++)
        for (unsigned k = 0; k < a->runs[i].group_count && s->runs.first[i] == i; k++)
            add_group(table, name_of(&s->runs, i, name), k + 1, &a->runs[i].groups[k]);
    return result_table_save(table, format, s->groups, s->why);
}

/* Write what each frame of each different run has of the requests for which it waits, and of the others: whether x w is
 * n (Little). */
static int save_frames(const struct session *s, const struct share_answer *a)
{
    static const char *const names[] = {"run",     "frame", "begin_ms", "type",
                                        "x_per_s", "w_us",  "n",        "little_percent"};
    struct result_table *table = result_table_new(names, 8);
    char name[NAME_BYTES];
    for (unsigned i = 0; i < s->runs.count; i++)
        for (size_t k = 0; k < a->runs[i].frame_count && s->runs.first[i] == i; k++) {
            const struct isolated_frame *f = &a->runs[i].frames[k];
            const double number[] = {f->requests, f->others}, at_s[] = {f->at_centre_s, f->others_at_s},
                         number_s[] = {f->number_s, f->others_number_s};
            for (int type = 0; type < 2; type++)
                if (at_s[type] > 0 || number_s[type] > 0)
                    result_table_add(
                        table, TEXT(name_of(&s->runs, i, name)), NUMBER((double)k + 1),
                        NUMBER(1e3 * a->step_s * (double)k), TEXT(type ? "not awaited" : "awaited"),
                        NUMBER(number[type] / f->length_s), NUMBER(1e6 * at_s[type] / number[type]),
                        NUMBER(number_s[type] / f->length_s),
                        NUMBER(100 * (at_s[type] / number_s[type] - 1)));
        }
    return result_table_save(table, RESULT_TSV, s->frames, s->why);
}

/* Fit a private centre to a throughput, a time at the shared centre, and a service there. */
static int fit_one(struct session *s)
{
    struct word rest = word_of(s->fit);
    double value[3];
    bool met = true, good = true;
    for (unsigned i = 0; i < 3; i++)
        good = word_number_within(word_cut(&rest, ":"), 1e-12, 1e15, false, &value[i]) && good;
    if (!good || rest.text)
        return command_refuse("--fit", s->fit,
                              "X:W:S, requests a second, and seconds at the shared centre and of a "
                              "service there, each above 0",
                              s->why);
    struct isolated_group g = {.length_s = NAN, .x_per_s = value[0], .w_s = value[1]};
    const int error =
        private_centre_fit(value[0], value[1], value[2], s->choice.servers, s->choice.alpha, &g.centre, &met);
    if (error)
        return why_refuse(s->why, "--fit %.200s: %s", s->fit, model_error_text(error));
    struct result_table *table = groups_begin();
    add_group(table, "-", 1, &g);
    if (!met)
        result_table_note(table, "no number of customers has so long a time at the shared centre");
    else if (value[1] < value[2])
        result_table_note(table, "no time at the shared centre is shorter than a service there");
    return result_table_save(table, s->format, s->path, s->why);
}

/* --- the range: a picture -------------------------------------------------------------------------------- */

/* The picture: these runs on machines of other clocks. A slow clock makes a board use little of the bus, and the rest
 * of the machine stays as it is. On the left is drawn how much slower the runs get, simulated and by each model, on
 * the right the models' differences from the simulation; both are means over the runs, over the mean part of the bus
 * that a board keeps busy alone. */

/* Clocks as parts of the machine's own; of the default machine, 0.7 to 133 MHz. Their utilisations are nearly equally
 * far apart, as long as the clock limits. */
static const double clocks[] = {0.7 / 133, 2. / 133,  4. / 133,  7. / 133,   10. / 133,
                                15. / 133, 20. / 133, 26. / 133, 33. / 133,  42. / 133,
                                52. / 133, 65. / 133, 80. / 133, 100. / 133, 1};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

/* What is drawn: the simulation, then the models. */
enum { SIMULATED, FIRST_MODEL, LINES = FIRST_MODEL + PARALLEL_MODELS };

/* The simulation is drawn as rings around what agrees with it. */
static const struct figure_style styles[LINES] = {
    [SIMULATED] = {"simulated", SVG_INK, FIGURE_RING, SVG_DISC},
    [FIRST_MODEL + PARALLEL_MVA] = {SHARE_MVA, SVG_VERMILION, FIGURE_MARK, SVG_SQUARE},
    [FIRST_MODEL + PARALLEL_FAIR_SHARES] = {SHARE_FAIR_SHARES, SVG_GREEN, FIGURE_MARK, SVG_DIAMOND},
};

struct range {
    unsigned boards;
    double clock_hz[CLOCKS];
    double bus[CLOCKS];           /* per cent */
    double slower[LINES][CLOCKS]; /* per cent */
};

/* Means over the runs. */
static int compute_range(const struct session *s, struct range *r)
{
    struct hardware machines[CLOCKS];
    struct share_answer answers[CLOCKS];
    const double part = 100. / r->boards;
    for (unsigned at = 0; at < CLOCKS; at++) {
        machines[at] = s->hardware;
        r->clock_hz[at] = machines[at].fpga_clock_hz *= clocks[at];
    }
    int status = share_theory_answer(&s->runs, machines, CLOCKS, &s->choice, answers, s->why);
    for (unsigned at = 0; at < CLOCKS && status == 0; at++)
        for (unsigned run = 0; run < r->boards; run++) {
            r->bus[at] += part * answers[at].bus[run];
            r->slower[SIMULATED][at] += part * answers[at].slower[run];
            for (unsigned model = 0; model < PARALLEL_MODELS; model++)
                r->slower[FIRST_MODEL + model][at] += part * answers[at].modelled[model][run];
        }
    return status;
}

static const double WIDTH = 860, LEFT = 66, GAP = 88, TOP = 44, PANEL_WIDTH = 340, PANEL_HEIGHT = 260;

static void draw_panel(const struct range *r, bool errors, struct svg *svg)
{
    double y[LINES][CLOCKS], least = 0, most = 0.1;
    for (unsigned line = 0; line < LINES; line++)
        for (unsigned i = 0; i < CLOCKS; i++) {
            y[line][i] = r->slower[line][i] - (errors ? r->slower[SIMULATED][i] : 0);
            least = fmin(least, y[line][i]);
            most = fmax(most, y[line][i]);
        }
    struct figure f = {svg, figure_axis_to(100, "bus, one board alone [%]"),
                       figure_axis_to(most, errors ? "model − simulation [points]" : "slower [%]")};
    if (least < 0)
        f.y.least = -figure_axis_to(-least, NULL).most;
    f.x.plain = f.y.plain = true;
    figure_open(&f, LEFT + (errors ? PANEL_WIDTH + GAP : 0), TOP, PANEL_WIDTH, PANEL_HEIGHT);
    for (unsigned line = errors ? FIRST_MODEL : SIMULATED; line < LINES; line++) {
        if (line != SIMULATED)
            figure_line(&f, r->bus, y[line], CLOCKS, figure_stroke(&styles[line]).text);
        for (unsigned i = 0; i < CLOCKS; i++)
            figure_mark(&f, r->bus[i], y[line][i], line == SIMULATED ? 5 : 3, &styles[line],
                        errors ? "%s, %.4g MHz, %.3g%% of the bus: %+.3g points"
                               : "%s, %.4g MHz, %.3g%% of the bus: %.4g%% slower",
                        styles[line].text, 1e-6 * r->clock_hz[i], r->bus[i], y[line][i]);
    }
}

static void draw(const void *range, struct svg *svg)
{
    const struct range *r = range;
    char title[120];
    snprintf(title, sizeof title,
             "Slowdown of %u boards on one bus, and the models' errors, over its utilisation", r->boards);
    svg_begin(svg, WIDTH, TOP + PANEL_HEIGHT + 52, title);
    svg_textf(svg, LEFT, 16, 12, SVG_START, "f2", "%u boards", r->boards);
    figure_draw_legend(svg, LEFT + 70, 4, WIDTH - LEFT - 80, styles, LINES);
    draw_panel(r, false, svg);
    draw_panel(r, true, svg);
    svg_end(svg);
}

/* --- the fit: a picture ---------------------------------------------------------------------------------- */

/* A row for each different run of a session: on the left are frames, the groups that k-means has made of them, and what
 * was fitted to each group, on the right how far x w is from n (Little) in the course of the run. */
enum { FRAME, GROUP, FITTED, AWAITED, NOT_AWAITED, FIT_STYLES };
static const struct figure_style fit_styles[FIT_STYLES] = {
    [FRAME] = {"frame", SVG_GREY, FIGURE_MARK, SVG_DISC},
    [GROUP] = {"group (k-means)", SVG_BLUE, FIGURE_MARK, SVG_SQUARE},
    [FITTED] = {"its private centre", SVG_VERMILION, FIGURE_RING, SVG_DISC},
    [AWAITED] = {"awaited", SVG_BLUE, FIGURE_LINE, SVG_DISC},
    [NOT_AWAITED] = {"not awaited", SVG_ORANGE, FIGURE_LINE, SVG_DISC},
};

static void draw_groups(const struct isolated_run *run, double top, struct svg *svg)
{
    enum { SHOWN = 2000 };
    double x = 0, w_us = 0;
    for (unsigned k = 0; k < run->group_count; k++) {
        x = fmax(x, run->groups[k].x_per_s);
        w_us = fmax(w_us, 1e6 * fmax(run->groups[k].w_s, run->groups[k].centre.w_s));
    }
    struct figure f = {svg, figure_axis_to(1.1 * x, "x, blocks per second"),
                       figure_axis_to(1.1 * w_us, "w, at the bus [µs]")};
    f.has_labels = true;
    figure_open(&f, LEFT, top, PANEL_WIDTH, PANEL_HEIGHT);
    for (size_t i = 0; i < run->frame_count; i += 1 + run->frame_count / SHOWN) {
        const struct isolated_frame *frame = &run->frames[i];
        if (frame->requests > 0)
            figure_mark(&f, frame->requests / frame->length_s, 1e6 * frame->at_centre_s / frame->requests,
                        1.5, &fit_styles[FRAME], NULL);
    }
    for (unsigned k = 0; k < run->group_count; k++) {
        const struct isolated_group *g = &run->groups[k];
        if (!(g->x_per_s > 0))
            continue;
        figure_mark(&f, g->centre.x_per_s, 1e6 * g->centre.w_s, 6, &fit_styles[FITTED],
                    "group %u: N = %u, mu = %.4g/s", k + 1, g->centre.population, g->centre.mu_per_s);
        figure_mark(&f, g->x_per_s, 1e6 * g->w_s, 3.5, &fit_styles[GROUP], "group %u: %.3g%% of the time",
                    k + 1, 100 * g->length_s / run->length_s);
        figure_label_point(&f, figure_x(&f, g->x_per_s), figure_y(&f, 1e6 * g->w_s), "",
                           shown_text("N=%u", g->centre.population).text);
    }
    figure_close(&f);
}

/* In so many stretches of the run, since a frame may be shorter than a block. */
enum { STRETCHES = 100 };

static void draw_little(const struct isolated_run *run, double top, struct svg *svg)
{
    static const double HIGHEST = 100;
    double off[2][STRETCHES], at_ms[STRETCHES], most = 1, reached_s = 0;
    size_t frame = 0;
    unsigned above = 0;
    for (size_t i = 0; i < STRETCHES; i++) {
        double at_s[2] = {0, 0}, number_s[2] = {0, 0};
        at_ms[i] = 1e3 * reached_s;
        for (; frame < run->frame_count * (i + 1) / STRETCHES; frame++) {
            const struct isolated_frame *f = &run->frames[frame];
            at_s[0] += f->at_centre_s;
            at_s[1] += f->others_at_s;
            number_s[0] += f->number_s;
            number_s[1] += f->others_number_s;
            reached_s += f->length_s;
        }
        at_ms[i] = (at_ms[i] + 1e3 * reached_s) / 2;
        for (int type = 0; type < 2; type++) {
            off[type][i] = number_s[type] > 0 ? 100 * (at_s[type] / number_s[type] - 1) : NAN;
            most = isnan(off[type][i]) ? most : fmax(most, fabs(off[type][i]));
            above += off[type][i] > HIGHEST;
        }
    }
    struct figure f = {svg, figure_axis_to(1e3 * run->length_s, "time [ms]"),
                       figure_axis_to(fmin(most, HIGHEST), "x w / n − 1 [%], Little")};
    f.y.least = -f.y.most;
    figure_open(&f, LEFT + PANEL_WIDTH + GAP, top, PANEL_WIDTH, PANEL_HEIGHT);
    for (int type = 0; type < 2; type++)
        figure_line(&f, at_ms, off[type], STRETCHES, figure_stroke(&fit_styles[AWAITED + type]).text);
    if (above > 0)
        svg_textf(svg, f.x.to, top - 8, 11, SVG_END, "f2", "▲ above %g%%: %u value%s, at most %.0f%%",
                  HIGHEST, above, above == 1 ? "" : "s", most);
}

static void draw_fit(const void *picture, struct svg *svg)
{
    const struct session *s = picture;
    const struct share_runs *r = &s->runs;
    const double row = PANEL_HEIGHT + 70;
    double top = TOP + 20;
    unsigned rows = 0;
    for (unsigned i = 0; i < r->count; i++)
        rows += r->first[i] == i;
    svg_begin(svg, WIDTH, top + rows * row,
              "Frames of runs alone in groups, and private centres fitted to these");
    figure_draw_legend(svg, LEFT, 4, WIDTH - LEFT, fit_styles, FIT_STYLES);
    for (unsigned i = 0; i < r->count; i++) {
        char name[NAME_BYTES];
        if (r->first[i] < i)
            continue;
        svg_textf(svg, LEFT, top - 8, 12, SVG_START, "f2", "%s: %u groups of frames of %.3g µs",
                  name_of(r, i, name), s->answer.runs[i].group_count, 1e6 * s->answer.step_s);
        draw_groups(&s->answer.runs[i], top, svg);
        draw_little(&s->answer.runs[i], top, svg);
        top += row;
    }
    svg_end(svg);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_answer(const void *session, FILE *out)
{
    const struct session *s = session;
    const struct share_answer *a = &s->answer;
    char texts[2][48];
    double ends[2][2] = {{INFINITY, 0}, {INFINITY, 0}}; /* per cent: slower; of the bus */
    for (unsigned i = 0; i < s->runs.count; i++)
        for (int k = 0; k < 2; k++) {
            const double value = 100 * (k ? a->bus[i] : a->slower[i]);
            ends[k][0] = fmin(ends[k][0], value);
            ends[k][1] = fmax(ends[k][1], value);
        }
    for (int k = 0; k < 2; k++) /* one number if both look the same */
        snprintf(texts[k], sizeof texts[k],
                 ends[k][1] - ends[k][0] < 0.01 * ends[k][1] ? "%.3g%%" : "%.3g%% to %.3g%%", ends[k][0],
                 ends[k][1]);
    page_put(out, PROSE_SHARE_ANSWER, s->runs.count, hardware_bus_bytes_per_s(&s->hardware) / 1e6, texts[0],
             texts[1], 100 * a->error[PARALLEL_MVA], 100 * a->error[PARALLEL_FAIR_SHARES]);
    result_table_end(make_table(s, a, RESULT_HTML), RESULT_HTML, out);
    fputs(PROSE_SHARE_COLUMNS, out);
}

static const char *find_title(const struct session *s, char title[200])
{
    char name[NAME_BYTES];
    size_t length = (size_t)snprintf(title, 200, "%u boards on a bus of %.4g MB/s", s->runs.count,
                                     hardware_bus_bytes_per_s(&s->hardware) / 1e6);
    for (unsigned i = 0; i < s->runs.count && length < 150; i++)
        length += (size_t)snprintf(title + length, 200 - length, "%s%.30s", i ? ", " : ": ",
                                   name_of(&s->runs, i, name));
    return title;
}

static int save_page(const struct session *s)
{
    const struct page_section sections[] = {
        {"answer", "How much slower", write_answer, s},
        {"range", "With other clocks", .says = PROSE_SHARE_RANGE, .draw = draw, .data = s->drawn},
        {"fit", "What the models know of each run", .says = PROSE_SHARE_FIT, .draw = draw_fit, .data = s},
    };
    char title[200];
    return page_write(s->report, find_title(s, title), "Runs that share a bus, beside queueing theory",
                      sections, 3, s->why);
}

/* --- simulation and theory ------------------------------------------------------------------------------- */

static int run_theory(struct session *s)
{
    struct range range = {.boards = s->runs.count};
    char title[200];
    s->drawn = &range;
    s->runs.platform_file = platform_simgrid_file(s->platform);
    s->runs.jobs = run_options_jobs(&s->options, UINT_MAX);
    s->choice.step_s = 1e-6 * s->step_us;
    int status = share_theory_answer(&s->runs, &s->hardware, 1, &s->choice, &s->answer, s->why);
    if (status == 0 && (s->range || s->report))
        status = compute_range(s, &range);
    if (status == 0 && s->groups && picture_format(s->groups) && strcmp(s->groups, "-") != 0)
        status = picture_save(draw_fit, s, find_title(s, title), s->groups, s->why);
    else if (status == 0 && s->groups)
        status = save_groups(s, &s->answer);
    if (status == 0 && s->frames)
        status = save_frames(s, &s->answer);
    if (status == 0 && s->range)
        status = picture_save(draw, &range, find_title(s, title), s->range, s->why);
    if (status == 0 && s->report)
        status = save_page(s);
    if (status == 0)
        status = result_table_save(make_table(s, &s->answer, s->format), s->format, s->path, s->why);
    share_answer_close(&s->runs, &s->answer);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session s = {.why = why};
    int status;
    if (rank_link_refuse("records are timed by one process, in little time; use -j instead of mpirun",
                         &status, why))
        return status;
    status = parse_options(argc, argv, &s);
    if (status == 0 && s.fit)
        return fit_one(&s);
    if (status == 0) {
        run_output_begin();
        status = open_records(&s);
    }
    if (status == 0)
        status = open_machine(&s);
    if (status == 0)
        status = run_theory(&s);
    for (unsigned i = 0; i < s.runs.count; i++)
        token_record_close(s.runs.records[i]);
    platform_close(s.platform);
    return status;
}

const struct command command_share = {options, run_command};
