#include "app/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>

#include "base/command.h"
#include "base/draw/picture.h"
#include "base/file/file_uses.h"
#include "base/why.h"
#include "base/draw/result_table.h"
#include "base/draw/figure.h"
#include "base/progress.h"
#include "blast/sequence/sequence.h"
#include "sim/measure/machine_frame.h"
#include "validate/dor2010.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/replay/replay.h"
#include "app/replay/replay_report.h"
#include "app/replay/timetrial.h"
#include "app/sweep/point/sweep_plan.h"
#include "app/options.inc"

/* --- a fraction that varies ------------------------------------------------------------------------------ */

/* Published runs with one fraction of their draws varied: stage 1b's service rate and queues over it.
 *
 * Answers   what joins the two runs (Dor 2010, section 6.3): a lookup that makes a trip holds 1bd for the whole trip,
 *           and any other for a clock. So 1b takes 1 + (sram.trip_cycles - 1) x trips clocks for a seed, which is
 *           linear, and its queues fill where that is as long as seeds are apart, which is not.
 * Table     a row per run and value: the simulated service rate (seeds per second in which 1bd is busy, also while
 *           stage 2 holds it up), the rate by that rule, M_2 (SRAM reads per busy clock), the load (seeds offered by
 *           host and bus over the service rate), and N_Q of 1b; 95% intervals by batch means. Notes: the line through
 *           the clocks for a seed (least squares), where a run's load is 1, and what was published at the run's own
 *           value.
 * Random    every replay has a seed of its own, from that of the options on, so that the points are independent.
 * Picture   service rate and N_Q over the fraction, with the published values.
 */

struct replay_vary {
    const struct replay_options *options;           /* the scenario is that of no run */
    struct replay_scenario scenarios[DOR2010_RUNS]; /* with every --draw */
    unsigned runs;
    const char *range; /* NAME=RANGE of --vary */
};

/* The two panels of the picture: the service rate of 1b, and N_Q of 1b. */
enum panel { RATES, QUEUES, PANELS };

/* What a run does with a value of the fraction. Each has a seed of its own, so that the points are independent. */
struct point {
    double value, rule, m_2, load, median; /* median: of N_Q, over frames */
    struct estimate of[PANELS];
};

struct study {
    const struct replay_vary *vary;
    const char *name; /* of the fraction */
    unsigned which;   /* its number */
    struct sweep_axis axis;
    struct point *points[DOR2010_RUNS]; /* axis.count for each run */
    double own[DOR2010_RUNS];           /* the fraction of the run itself */
    struct dor2010_number published[DOR2010_RUNS][PANELS];
};

/* --- values ---------------------------------------------------------------------------------------------- */

static int write_fraction(void *data, const char *text, char value[SWEEP_VALUE_TEXT], struct why *why)
{
    double fraction;
    (void)data;
    if (seed_fraction_set("--vary", &fraction, text, why) != 0)
        return SWEEP_PLAN_ERANGE;
    snprintf(value, SWEEP_VALUE_TEXT, "%.12g", fraction);
    return 0;
}

static int compare_values(const void *a, const void *b)
{
    const double x = strtod(a, NULL), y = strtod(b, NULL);
    return (x > y) - (x < y);
}

static int read_axis(struct study *s, struct why *why)
{
    const char *range = s->vary->range, *equals = strchr(range, '=');
    int which = seed_fraction_find("--vary", range, why);
    if (which < 0)
        return COMMAND_REFUSED;
    s->which = (unsigned)which;
    s->axis.name = s->name = seed_fraction_names[which];
    int status = sweep_axis_fill(&s->axis, equals ? equals + 1 : NULL, NULL, write_fraction, NULL, why);
    if (status == 0)
        qsort(s->axis.values, s->axis.count, sizeof s->axis.values[0], compare_values);
    return command_status_of(status);
}

/* --- replays --------------------------------------------------------------------------------------------- */

static int replay_point(const struct study *s, unsigned run, struct point *p, struct why *why)
{
    struct replay_scenario scenario = s->vary->scenarios[run];
    struct replay_options options = *s->vary->options;
    const struct hardware *h = options.hardware;
    const struct seed_fractions *f = &scenario.fractions;
    struct replay_result result;
    *seed_fraction_at(&scenario.fractions, s->which) = p->value;
    options.scenario = &scenario;
    options.quiet = true;
    options.windows = false;
    options.seed = 1 + (options.seed - 1 + (size_t)(p - s->points[run]) * s->vary->runs + run) % UINT32_MAX;
    int status = replay_run(&options, &result, why);
    if (status)
        return status == REPLAY_EMEMORY ? COMMAND_REFUSED : COMMAND_FAILED;
    const double bytes_per_s = /* that host, bus and 1a let come */
        fmin(fmin(h->host_supply, hardware_bus_bytes_per_s(h)), h->fpga_clock_hz * BYTES_PER_WORD);
    p->of[RATES] = result.mu_1b;
    p->of[QUEUES] = result.cells[REPLAY_N_Q_1B];
    p->median = result.medians[REPLAY_N_Q_1B];
    p->load = 1e-6 * bytes_per_s / BYTES_PER_WORD * BASES_PER_WORD * f->p_1a / result.mu_1b.mean;
    p->m_2 = frame_count(&result.steady, S1B_SRAM_READS) / frame_count(&result.steady, S1B_DUPLICATE_STAGE);
    p->rule = h->board.trips_in_flight > 1
                  ? NAN
                  : 1e-6 * h->fpga_clock_hz / (1 + (board_trip_cycles(&h->board) - 1.) * f->trips);
    return 0;
}

static int replay_points(struct study *s, struct why *why)
{
    struct progress progress;
    int status = 0;
    progress_begin(&progress, "replays", (double)s->vary->runs * (double)s->axis.count,
                   s->vary->options->quiet);
    for (unsigned run = 0; run < s->vary->runs && status == 0; run++) {
        struct replay_scenario scenario = s->vary->scenarios[run];
        const enum dor2010_run published = (enum dor2010_run)dor2010_run_find(scenario.name);
        s->own[run] = *seed_fraction_at(&scenario.fractions, s->which);
        s->published[run][RATES] = dor2010_number(dor2010_inputs[DOR2010_MU_1B].value[published]);
        s->published[run][QUEUES] = dor2010_measured(published, N_Q_1B);
        s->points[run] = calloc(s->axis.count, sizeof *s->points[run]);
        if (!s->points[run])
            status = why_no_memory(why, COMMAND_REFUSED);
        for (size_t i = 0; i < s->axis.count && status == 0; i++) {
            s->points[run][i].value = strtod(s->axis.values[i], NULL);
            status = replay_point(s, run, &s->points[run][i], why);
            progress_update(&progress, (double)run * (double)s->axis.count + (double)i + 1);
        }
    }
    progress_end(&progress);
    return status;
}

/* --- the table ------------------------------------------------------------------------------------------- */

/* The least squares' line through the clocks for a seed of all points. */
static void note_line(const struct study *s, struct result_table *table)
{
    const double clock_hz = s->vary->options->hardware->fpga_clock_hz;
    const size_t most = s->vary->runs * s->axis.count;
    double *x = malloc(2 * most * sizeof *x), at, slope, cov00, cov01, cov11, squares, off = 0;
    size_t count = 0;
    for (unsigned run = 0; x && run < s->vary->runs; run++)
        for (size_t i = 0; i < s->axis.count; i++)
            if (isfinite(s->points[run][i].of[RATES].mean)) {
                x[count] = s->points[run][i].value;
                x[most + count++] = clock_hz / (1e6 * s->points[run][i].of[RATES].mean);
            }
    if (count > 2 && s->axis.count > 1) {
        const double t = gsl_cdf_tdist_Pinv(0.975, (double)count - 2), *y = x + most;
        gsl_fit_linear(x, 1, y, 1, count, &at, &slope, &cov00, &cov01, &cov11, &squares);
        for (size_t i = 0; i < count; i++)
            off = fmax(off, fabs(at + slope * x[i] - y[i]) / y[i]);
        result_table_note(
            table,
            "clocks of 1b for a seed: %.4f +- %.4f, and %.3f +- %.3f x %s; the farthest point is "
            "%.2g%% off this line",
            at, t * sqrt(cov00), slope, t * sqrt(cov11), s->name, 100 * off);
    }
    free(x);
}

/* Where the load of a run goes through 1. */
static void note_saturation(const struct study *s, unsigned run, struct result_table *table)
{
    for (size_t i = 1; i < s->axis.count; i++) {
        const struct point *a = &s->points[run][i - 1], *b = &s->points[run][i];
        if ((a->load < 1) != (b->load < 1)) /* false for NaN on both sides */
            result_table_note(table, "%s: stage 1b is saturated %s %s = %.4g, where its load is 1",
                              s->vary->scenarios[run].name, a->load < 1 ? "from" : "up to", s->name,
                              a->value + (1 - a->load) / (b->load - a->load) * (b->value - a->value));
    }
}

static struct result_table *make_table(const struct study *s)
{
    static const char *const columns[] = {"run", "value",   "mu_1b",  "mu_1b_half_width",  "mu_1b_rule",
                                          "M_2", "load_1b", "N_Q_1b", "N_Q_1b_half_width", "N_Q_1b_median"};
    struct result_table *table =
        result_table_new_styled(columns, sizeof columns / sizeof columns[0],
                                &(struct result_style){.schema = "mercury-replay-vary-1", .keys = 2});
    result_table_add_fact(table, "vary", TEXT(s->name));
    result_table_add_fact(table, "seed", NUMBER((double)s->vary->options->seed));
    for (unsigned run = 0; run < s->vary->runs; run++) {
        const struct replay_scenario *scenario = &s->vary->scenarios[run];
        replay_report_add_draws(table, scenario->name, scenario);
        for (size_t i = 0; i < s->axis.count; i++) {
            const struct point *p = &s->points[run][i];
            result_table_add(table, TEXT(scenario->name), NUMBER(p->value), NUMBER(p->of[RATES].mean),
                             NUMBER(p->of[RATES].half_width), NUMBER(p->rule), NUMBER(p->m_2),
                             NUMBER(p->load), NUMBER(p->of[QUEUES].mean), NUMBER(p->of[QUEUES].half_width),
                             NUMBER(p->median));
        }
    }
    note_line(s, table);
    for (unsigned run = 0; run < s->vary->runs; run++) {
        note_saturation(s, run, table);
        result_table_note(table,
                          "%s, at %s = %.4g: mu_1b was printed as %s Mseeds/s, N_Q_1b was measured as %s",
                          s->vary->scenarios[run].name, s->name, s->own[run], s->published[run][RATES].text,
                          s->published[run][QUEUES].text);
    }
    return table;
}

/* --- the picture ----------------------------------------------------------------------------------------- */

static const double WIDTH = 860, LEFT = 62, GAP = 82, TOP = 60, PANEL_WIDTH = 350, PANEL_HEIGHT = 270;

enum { SIMULATED, RULE = SIMULATED + DOR2010_RUNS, PRINTED, STYLES };
static const struct figure_style styles[STYLES] = {
    [SIMULATED + DOR2010_RUN_1] = {"run 1, simulated", SVG_BLUE, FIGURE_MARK, SVG_DISC},
    [SIMULATED + DOR2010_RUN_2] = {"run 2, simulated", SVG_VERMILION, FIGURE_RING, SVG_SQUARE},
    [RULE] = {"clock rules", SVG_INK, FIGURE_DASHED, SVG_DISC},
    [PRINTED] = {"published", SVG_GREEN, FIGURE_MARK, SVG_DIAMOND},
};

/* Draw a run's line, the marks on it and their intervals. */
static void draw_run(const struct study *s, unsigned run, enum panel panel, struct figure *f)
{
    const char *name = s->vary->scenarios[run].name;
    const struct figure_style *style = &styles[dor2010_run_find(name)];
    char class[24];
    figure_path(f, figure_stroke(panel == QUEUES ? style : &styles[RULE], class));
    for (const struct point *p = s->points[run]; p < s->points[run] + s->axis.count; p++)
        figure_to(f, p->value, panel == QUEUES ? p->of[QUEUES].mean : p->rule);
    svg_path_end(f->svg);
    for (const struct point *p = s->points[run]; p < s->points[run] + s->axis.count; p++) {
        const struct estimate *e = &p->of[panel];
        const double x = figure_x(f, p->value), half = e->half_width;
        if (half > 0)
            svg_line(f->svg, x, figure_y(f, e->mean - half), x, figure_y(f, e->mean + half),
                     figure_stroke(style, class));
        figure_mark(f, p->value, e->mean, style->key == FIGURE_RING ? 4.5 : 3, style, "%s, %.4g: %.4g ± %.2g",
                    name, p->value, e->mean, half);
    }
}

static void draw_panel(const struct study *s, enum panel panel, struct svg *svg)
{
    static const char *const titles[PANELS] = {"service rate of 1b [Mseeds/s]", "N_Q of 1b [seeds]"};
    double most = 0, last = 0;
    for (unsigned run = 0; run < s->vary->runs; run++) {
        last = fmax(last, fmax(s->own[run], s->points[run][s->axis.count - 1].value));
        most = fmax(most, s->published[run][panel].value);
        for (size_t i = 0; i < s->axis.count; i++)
            most = fmax(most, s->points[run][i].of[panel].mean);
    }
    struct figure f = {svg, figure_axis_to(last > 0 ? last : 1, seed_fraction_titles[s->which]),
                       figure_axis_to(most, titles[panel])};
    f.x.plain = f.y.plain = f.has_labels = true;
    figure_open(&f, LEFT + panel * (PANEL_WIDTH + GAP), TOP, PANEL_WIDTH, PANEL_HEIGHT);
    for (unsigned run = s->vary->runs; run-- > 0;) /* discs stand on squares */
        draw_run(s, run, panel, &f);
    for (unsigned run = 0; run < s->vary->runs; run++) {
        const struct dor2010_number *n = &s->published[run][panel];
        char label[60];
        snprintf(label, sizeof label, "run %d: %s", 1 + dor2010_run_find(s->vary->scenarios[run].name),
                 n->text);
        figure_mark(&f, s->own[run], n->value, 6, &styles[PRINTED], "%s, published", label);
        figure_label_point(&f, figure_x(&f, s->own[run]), figure_y(&f, n->value), "", label);
    }
    figure_close(&f);
}

static void draw(const void *study, struct svg *svg)
{
    const struct study *s = study;
    char title[120];
    snprintf(title, sizeof title, "Service rate and queues of stage 1b of the published runs, over %s",
             s->name);
    svg_begin(svg, WIDTH, TOP + PANEL_HEIGHT + 52, title);
    figure_draw_legend(svg, LEFT, 6, WIDTH - LEFT - 10, styles, STYLES);
    draw_panel(s, RATES, svg);
    draw_panel(s, QUEUES, svg);
    svg_end(svg);
}

/* Replay every run with every value, and write the table to `path` and, if `plot` is given, the picture. */
static int replay_vary_run(const struct replay_vary *vary, enum result_format format, const char *path,
                           const char *plot, struct why *why)
{
    struct study s = {.vary = vary};
    int status = read_axis(&s, why);
    if (status == 0)
        status = replay_points(&s, why);
    if (status == 0 && plot)
        status = picture_save(draw, &s, plot, why);
    if (status == 0)
        status = result_table_save(make_table(&s), format, path, why);
    for (unsigned run = 0; run < vary->runs; run++)
        free(s.points[run]);
    sweep_axis_destroy(&s.axis);
    return status;
}

/* --- the session ----------------------------------------------------------------------------------------- */

enum { DRAWS_MAX = 16, VARIED_CLOCKS = 20000000 };

struct session {
    struct run_options shared; /* its directory is the file of --output */
    struct replay_scenario scenarios[DOR2010_RUNS];
    unsigned runs;
    struct timetrial_experiment experiment; /* without a name: it is a run of Dor's */
    const char *vary, *plot;                /* NULL if not given */
    struct replay_options replay;
    struct hardware hardware;
    enum result_format format;
    bool wide;
    double fail_over; /* fraction; negative: never */
    const char *draws[DRAWS_MAX];
    size_t draw_count;
    struct replay_result result;
    struct validation validation;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

#define EVENTS_CLOCKS_MOST 2e7
#define RUNS               "dor2010-run1, dor2010-run2, timetrial-exp1 or timetrial-exp2"

static const struct command_option options[] = COMMAND_OPTIONS(REPLAY_OPTIONS);

static int apply_draws(struct session *s)
{
    for (size_t i = 0; i < s->draw_count; i++) {
        const char *draw = s->draws[i], *equals = strchr(draw, '=');
        const int which = seed_fraction_find("--draw", draw, s->why);
        for (unsigned run = 0; run < s->runs; run++)
            if (which < 0 ||
                seed_fraction_set("--draw", seed_fraction_at(&s->scenarios[run].fractions, (unsigned)which),
                                  equals ? equals + 1 : draw, s->why) != 0)
                return COMMAND_REFUSED;
    }
    return 0;
}

static int check_options(struct session *s)
{
    const struct replay_options *r = &s->replay;
    const bool experiment = s->experiment.name;
    if (!s->vary && s->plot && !experiment)
        return why_refuse(s->why, "--plot is the picture of --vary: expected --vary NAME=RANGE");
    if ((s->vary || experiment) && (r->events || s->wide || s->fail_over >= 0 || (s->vary && experiment)))
        return why_refuse(s->why, "%s: expected no --wide, --fail-over%s or --engine events",
                          experiment ? s->experiment.name : "--vary", experiment ? ", --vary" : "");
    if (s->plot && (!picture_format(s->plot) || strcmp(s->plot, "-") == 0))
        return why_refuse(s->why, "--plot '%.200s': expected a name that ends in .svg, .png or .pdf",
                          s->plot);
    if (r->events && (r->clocks == 0 || (double)r->clocks > EVENTS_CLOCKS_MOST))
        return why_refuse(s->why,
                          "--engine events needs --clocks, up to 2e7: it keeps every element in memory");
    return apply_draws(s);
}

/* Its settings come before those of the user, who can change them. */
static int take_experiment(struct session *s, const struct timetrial_experiment *experiment)
{
    struct run_options *o = &s->shared;
    if (o->assignment_count > RUN_ASSIGNMENTS_MAX - TIMETRIAL_SETTINGS)
        return why_refuse(s->why, "--set: expected at most %d of them with %s",
                          RUN_ASSIGNMENTS_MAX - TIMETRIAL_SETTINGS, experiment->name);
    memmove(o->assignments + TIMETRIAL_SETTINGS, o->assignments,
            o->assignment_count * sizeof *o->assignments);
    memcpy(o->assignments, timetrial_settings, sizeof timetrial_settings);
    o->assignment_count += TIMETRIAL_SETTINGS;
    s->experiment = *experiment;
    s->scenarios[s->runs++].fractions = experiment->fractions;
    return check_options(s);
}

static int parse_options(int argc, char **argv, struct session *s)
{
    int status = command_parse("replay", options, argc, argv, DOR2010_RUNS, s, s->why);
    if (status)
        return status;
    if (optind == argc)
        return why_refuse(s->why, "needs a run: " RUNS "; see mercury help replay");
    if (argc - optind > 1 && (!s->vary || strcmp(argv[optind], argv[optind + 1]) == 0))
        return command_refuse_operand("replay", options, argv[optind + 1], s->why);
    for (int i = optind; i < argc; i++) {
        const struct timetrial_experiment *experiment = timetrial_find(argv[i]);
        if (experiment && argc - optind > 1)
            return why_refuse(s->why, "%s: expected no other run beside it", argv[i]);
        if (experiment)
            return take_experiment(s, experiment);
        const struct replay_scenario *scenario = replay_find(argv[i]);
        if (!scenario)
            return why_refuse(s->why, "no such published run '%.60s': expected " RUNS, argv[i]);
        s->scenarios[s->runs++] = *scenario;
    }
    if (s->replay.most_clocks == 0)
        s->replay.most_clocks = s->vary ? VARIED_CLOCKS : UINT64_C(2000000000);
    return check_options(s);
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int report(struct session *s)
{
    struct replay_report report = {
        .options = &s->replay,
        .result = &s->result,
        .validation = &s->validation,
        .published = (enum dor2010_run)dor2010_run_find(s->scenarios[0].name),
        .machine = s->shared.machine,
        .sets = s->shared.assignments,
        .set_count = s->shared.assignment_count,
        .wide = s->wide,
        .tolerance = s->fail_over >= 0 ? s->fail_over : REPLAY_TOLERANCE,
    };
    int status = replay_report_explain(&report, s->why);
    if (status == 0)
        status = replay_report_save(&report, s->format, s->shared.directory, s->why);
    return status == 0 && s->fail_over >= 0 ? replay_report_judge(&report, s->why) : status;
}

static int run_session(struct session *s)
{
    int status = replay_machine_load(&s->shared, &s->hardware, s->why);
    struct file_uses uses = {0};
    file_uses_read(&uses, "the platform", s->shared.platform);
    file_uses_write(&uses, "-o", s->shared.directory);
    file_uses_write(&uses, "--plot", s->plot);
    if (status == 0 && (s->shared.directory || s->plot))
        status = command_status_of(file_uses_probe(&uses, s->why));
    if (status)
        return status;
    s->replay.hardware = &s->hardware;
    s->replay.windows = window_theory_takes(&s->hardware);
    s->replay.quiet = s->shared.quiet;
    if (s->vary) {
        struct replay_vary vary = {&s->replay, {s->scenarios[0], s->scenarios[1]}, s->runs, s->vary};
        return replay_vary_run(&vary, s->format, s->shared.directory, s->plot, s->why);
    }
    if (s->experiment.name) {
        s->experiment.fractions = s->scenarios[0].fractions;
        return timetrial_run(&s->experiment, &s->replay, s->format, s->shared.directory, s->plot, s->why);
    }
    s->replay.scenario = &s->scenarios[0];
    status = replay_run(&s->replay, &s->result, s->why);
    if (status)
        return status == REPLAY_EMEMORY || status == REPLAY_EMODULE ? COMMAND_REFUSED : COMMAND_FAILED;
    if (validation_of_frame(&s->result.steady, VERDICT_EVERY_MODEL, &s->validation, s->why) != 0)
        return COMMAND_FAILED;
    status = report(s);
    validation_destroy(&s->validation);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session s = {.replay = {.seed = 1, .interval = 0.01}, .fail_over = -1, .why = why};
    int status = parse_options(argc, argv, &s);
    if (status == 0) {
        run_output_begin();
        status = run_session(&s);
    }
    return status;
}

const struct command command_replay = {options, run_command};
