#include "app/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_randist.h>

#include "base/draw/picture.h"
#include "base/file/file_uses.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/why.h"
#include "base/draw/result_table.h"
#include "base/draw/figure.h"
#include "base/progress.h"
#include "base/array.h"
#include "blast/sequence/sequence.h"
#include "sim/measure/machine_frame.h"
#include "sim/board/board_costs.h"
#include "validate/dor2010.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/replay/replay.h"
#include "app/replay/replay_report.h"
#include "app/sweep/point/sweep_plan.h"
#include "app/report/report.h"
#include "traces/statistics/series_summary.h"
#include "app/options.inc"
#include "app/published.inc"

/* --- the experiments of TimeTrial ---------------------------------------------------------------------- */

/* The experiments of TimeTrial's paper, simulated: what it says, and boxes over passes as in Figure 6.
 *
 * Passes    Every segment of the query is a pass of the database. TIMETRIAL_PASSES passes stand for all: their p_1a,
 *           seeds per w-mer, are the middles of as many equal parts of a lognormal distribution. Of each, a stretch
 *           goes through the board's clock rules (replay.h), with the host queue before it, which is empty at first.
 *           Behind it HSPs arrive at the rate of simulated matches x p_2, independently of each other, for as long as
 *           the pass takes, and all cores of the host take them first come, first served, for exponential times.
 * Machine   default, or --machine, with what section IV.B prints, unless --set says otherwise: an xc4vlx100, four
 *           copies of the filter, 8 cores of 2.4 GHz, and 875 MB/s (of 2^20 bytes) from the host.
 * Inferred  The paper prints none of the draws' fractions. Experiment 1 has those of Dor's run 1, but for the median of
 *           p_1a, with which half of the passes stress 1b, and the clocks of a core for a result, with which 20% of the
 *           results find no free core. Experiment 2, which has nearly the data of Dor's run 2, has that run's, and the
 *           clocks that Mercury's own results take. The spread of p_1a is assumed. Rows of the table say what changes
 *           with each.
 * Stressed  is 1b in a pass in which 1bd works in TIMETRIAL_STRESSED of the clocks.
 * Source    Lancaster, Shands, Buhler, Chamberlain, ASAP 2011, sections IV.B and IV.C, Figure 6; R. Dor, WUCSE-2010-30.
 */

enum { TIMETRIAL_PASSES = 32 };
#define TIMETRIAL_STRESSED 0.99

/** What the machine has of section IV.B, as of --set. */
enum { TIMETRIAL_SETTINGS = 5 };

#define MB ((double)(1 << 20))

/* Section IV.C. */
#define RUN_BYTES      4.2e12
#define FRAMES         11728.0
#define BYTES_PER_BASE 0.5

static const char *const timetrial_settings[TIMETRIAL_SETTINGS] = {
    "fpga.device=xc4vlx100", "bloom.copies=4", "host.cores=8", "host.clock=2.4e9", "host.supply=917504000"};

/* --- quantities of a pass --------------------------------------------------------------------------------- */

enum quantity {
    BUS,
    STAGE_1A,
    STAGE_1BD,
    STAGE_2,
    CORES,
    HOST,
    QUEUE_1BP,
    QUEUE_1BD,
    QUEUE_2,
    INBOX,
    MOST,
    QUANTITIES
};
enum { BUSY_LAST = CORES, FULL_LAST = QUEUE_2, BOX_PANELS = 3 };

static const struct {
    const char *name, *title, *unit;
} quantities[QUANTITIES] = {
    {"bus_of_line_rate", "bus", "%"},
    {"busy_1a", "1a", "%"},
    {"busy_1bd", "1bd", "%"},
    {"busy_2", "2", "%"},
    {"busy_cores", "cores", "%"},
    {"full_host_queue", "host queue", "%"},
    {"full_1bp", "w-mer", "%"},
    {"full_1bd", "SRAM", "%"},
    {"full_2", "stage 2", "%"},
    {"inbox_mean", "mean", "results"},
    {"inbox_longest", "most", "results"},
};

struct trial {
    const struct replay_scenario *experiment;
    const struct replay_options *options;
    const struct run_options *shared; /* the machine, and every --set; its directory is the table's file */
    double p_1a[TIMETRIAL_PASSES], results_per_s[TIMETRIAL_PASSES], pass_s[TIMETRIAL_PASSES];
    double of[QUANTITIES][TIMETRIAL_PASSES];
    double overrun, most; /* share of the results that find no free core; most that wait */
};

/* --- behind the board ------------------------------------------------------------------------------------- */

struct served {
    double results, waited, wait_s, busy_s;
    size_t most; /* that wait at a time */
};

/* Serve the results of a pass, first come, first served. */
static void serve(const struct trial *s, unsigned pass, double clocks_per_result, struct served *out)
{
    const struct hardware *h = s->options->hardware;
    gsl_rng *random = random_new(s->options->seed + pass);
    double *free_s = memory_new(h->host_cores, sizeof *free_s), *begins = NULL, now_s = 0;
    size_t room = 0, count = 0, begun = 0;
    *out = (struct served){0};
    while ((now_s += gsl_ran_exponential(random, 1 / s->results_per_s[pass])) < s->pass_s[pass]) {
        const double service_s = gsl_ran_exponential(random, clocks_per_result / h->host_clock_hz);
        size_t core = 0;
        for (size_t i = 1; i < h->host_cores; i++)
            core = free_s[i] < free_s[core] ? i : core;
        const double begin_s = fmax(now_s, free_s[core]);
        *ARRAY_NEXT(begins, count, room) = begin_s;
        free_s[core] = begin_s + service_s;
        while (begun < count && begins[begun] <= now_s)
            begun++;
        out->most = count - begun > out->most ? count - begun : out->most;
        out->waited += begin_s > now_s;
        out->wait_s += begin_s - now_s;
        out->busy_s += service_s;
    }
    out->results = (double)count;
    free(begins);
    free(free_s);
    gsl_rng_free(random);
}

/* Serve all passes. @param keep  fill the quantities of passes */
static void serve_all(struct trial *s, double clocks_per_result, bool keep, double *overrun, double *most)
{
    double results = 0, waited = 0;
    *most = 0;
    for (unsigned i = 0; i < TIMETRIAL_PASSES; i++) {
        struct served served;
        serve(s, i, clocks_per_result, &served);
        results += served.results;
        waited += served.waited;
        *most = fmax(*most, (double)served.most);
        if (!keep)
            continue;
        s->of[CORES][i] = fmin(100, 100 * served.busy_s / s->pass_s[i] / s->options->hardware->host_cores);
        s->of[INBOX][i] = served.wait_s / s->pass_s[i];
        s->of[MOST][i] = (double)served.most;
    }
    *overrun = waited / results;
}

/* --- the board -------------------------------------------------------------------------------------------- */

static int simulate_pass(struct trial *s, unsigned i, struct why *why)
{
    const struct hardware *h = s->options->hardware;
    struct replay_scenario scenario = *s->experiment;
    struct replay_options options = *s->options;
    struct replay_result result;
    const double z = gsl_cdf_ugaussian_Pinv((i + 0.5) / TIMETRIAL_PASSES);
    s->p_1a[i] = scenario.fractions.p_1a =
        fmin(1, s->experiment->fractions.p_1a * exp(s->experiment->spread * z));
    options.scenario = &scenario;
    options.seed = s->options->seed + i;
    int status = replay_run(&options, &result, why);
    if (status)
        return status;
    const struct frame *f = &result.steady;
    const double clocks = (double)f->clocks, seconds = frame_measured_s(f), words = frame_count(f, S1A_WORDS);
    s->pass_s[i] = s->experiment->database / BASES_PER_WORD / words * seconds;
    s->results_per_s[i] = frame_count(f, S2_MATCHES) / seconds * scenario.fractions.p_2;
    s->of[BUS][i] = 100 * words * BYTES_PER_WORD / seconds / h->host_supply;
    s->of[STAGE_1A][i] = 100 * result.of[RHO_1A].mean;
    s->of[STAGE_1BD][i] = 100 * frame_count(f, S1B_DUPLICATE_STAGE) / clocks;
    s->of[STAGE_2][i] = 100 * result.of[RHO_2].mean;
    s->of[HOST][i] = 100 * result.host_queue / h->host_queue_blocks;
    s->of[QUEUE_1BP][i] = 100 * result.of[N_Q_1BP].mean / board_fifo_places(FIFO_WMER, &h->board);
    s->of[QUEUE_1BD][i] = 100 * result.of[N_Q_1BD].mean / board_fifo_places(FIFO_SRAM, &h->board);
    s->of[QUEUE_2][i] = 100 * result.of[N_Q_2].mean / board_fifo_places(FIFO_STAGE2, &h->board);
    return 0;
}

static int simulate_passes(struct trial *s, struct why *why)
{
    for (unsigned i = 0; i < TIMETRIAL_PASSES; i++) {
        int status = simulate_pass(s, i, why);
        if (status)
            return status;
    }
    serve_all(s, s->experiment->clocks_per_result, true, &s->overrun, &s->most);
    return 0;
}

/* The number of the first pass that stresses 1b; they are in the order of p_1a. */
static unsigned first_stressed(const struct trial *s)
{
    unsigned first = 0;
    while (first < TIMETRIAL_PASSES && s->of[STAGE_1BD][first] < 100 * TIMETRIAL_STRESSED)
        first++;
    return first;
}

/* The p_1a from which passes stress 1b. */
static double least_stressed(const struct trial *s)
{
    const unsigned first = first_stressed(s);
    if (first == 0 || first == TIMETRIAL_PASSES)
        return first == 0 ? s->p_1a[0] : INFINITY;
    return sqrt(s->p_1a[first - 1] * s->p_1a[first]);
}

/* Per cent of the passes that would stress 1b if p_1a had this distribution. */
static double stressed_by(const struct trial *s, double median, double spread)
{
    return 100 * gsl_cdf_ugaussian_P(log(median / least_stressed(s)) / spread);
}

/* --- the table -------------------------------------------------------------------------------------------- */

static void add_reading(struct result_table *table, const char *quantity, const char *unit,
                        const char *published, double simulated, const char *reading)
{
    result_table_add(table, TEXT(quantity), TEXT(unit), TEXT(published), NUMBER(simulated), TEXT(reading),
                     NUMBER(NAN), NUMBER(NAN), NUMBER(NAN), NUMBER(NAN));
}

/* What the paper says, beside what follows here. */
static void add_statements(struct trial *s, struct result_table *table)
{
    const struct replay_scenario *e = s->experiment;
    const struct hardware *h = s->options->hardware;
    const struct replay_scenario *one = replay_find("timetrial-exp1");
    const bool first = strcmp(e->name, one->name) == 0;
    double fastest = 0, share, most;
    for (unsigned i = 0; i < TIMETRIAL_PASSES; i++)
        fastest = fmax(fastest, s->of[BUS][i] / 100 * h->host_supply / MB);
    add_reading(table, "line_rate_most", "MB/s", "875", fastest, "given");
    add_reading(table, "stressed", "%", first ? "~50" : "-",
                100 * (1 - (double)first_stressed(s) / TIMETRIAL_PASSES), first ? "fitted" : "predicted");
    add_reading(table, "overrun", "%", first ? "~20" : "-", 100 * s->overrun, first ? "fitted" : "predicted");
    add_reading(table, "inbox_most", "results", first ? "-" : "<= 1", s->most,
                first          ? "predicted"
                : s->most <= 1 ? "holds"
                               : "DIFFERS");
    if (!first) {
        serve_all(s, one->clocks_per_result, false, &share, &most);
        add_reading(table, "inbox_most, as in exp. 1", "results", "<= 1", most,
                    most <= 1 ? "holds" : "DIFFERS");
    }
    add_reading(table, "first_accesses_collide", "%", "> 50", 100 * e->fractions.trips, "DIFFERS");
}

/* How statements change with what is inferred. */
static void add_sensitivity(struct trial *s, struct result_table *table)
{
    static const double factors[] = {0.8, 1.25}, spreads[] = {0.25, 1},
                        clocks[] = {840, 84e3, 168e3, 336e3, 672e3, 1.344e6};
    const struct replay_scenario *e = s->experiment;
    char name[80];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "stressed, p_1a x %g", factors[i]);
        add_reading(table, name, "%", "-", stressed_by(s, factors[i] * e->fractions.p_1a, e->spread),
                    "forecast");
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "stressed, spread %g", spreads[i]);
        add_reading(table, name, "%", "-", stressed_by(s, e->fractions.p_1a, spreads[i]), "forecast");
    }
    for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        double overrun, most;
        serve_all(s, clocks[i], false, &overrun, &most);
        snprintf(name, sizeof name, "overrun, %g clocks", clocks[i]);
        add_reading(table, name, "%", "-", 100 * overrun, "sensitivity");
        snprintf(name, sizeof name, "inbox_most, %g clocks", clocks[i]);
        add_reading(table, name, "results", "-", most, "sensitivity");
    }
}

static struct five_numbers five_of(const struct trial *s, unsigned quantity)
{
    double values[TIMETRIAL_PASSES];
    memcpy(values, s->of[quantity], sizeof values);
    return five_numbers_of(values, TIMETRIAL_PASSES);
}

/* The five numbers of boxes, as in Figure 6. */
static void add_boxes(const struct trial *s, struct result_table *table)
{
    for (unsigned q = 0; q < QUANTITIES; q++) {
        const struct five_numbers box = five_of(s, q);
        result_table_add(table, TEXT(quantities[q].name), TEXT(quantities[q].unit), TEXT("-"),
                         NUMBER(box.median), TEXT("median"), NUMBER(box.least), NUMBER(box.lower_quartile),
                         NUMBER(box.upper_quartile), NUMBER(box.most));
    }
}

static void note_contradictions(const struct trial *s, struct result_table *table)
{
    const struct replay_scenario *e = s->experiment;
    const struct hardware *h = s->options->hardware;
    const double pass_bytes = e->database * BYTES_PER_BASE, passes = RUN_BYTES / pass_bytes;
    const double seed_clocks = 1 + 0.5 * (h->board.sram_trip_cycles - 1);
    result_table_note(
        table,
        "4.2 TB in 11728 frames (IV.C) are %.0f MB a frame; a pass of this database is %.0f MB at 4 bits a "
        "base: %.0f passes, %.2f frames a pass, %.1f kbases of the query a pass (%.1f with both strands); about "
        "65 are printed",
        RUN_BYTES / FRAMES / 1e6, pass_bytes / 1e6, passes, FRAMES / passes, e->query / passes / 1e3,
        2 * e->query / passes / 1e3);
    result_table_note(
        table,
        "if half of the first accesses made a trip, 1b would take %.1f clocks a seed, and words would come "
        "at %.1f MB/s at the median p_1a: that contradicts the line rate",
        seed_clocks,
        h->fpga_clock_hz / seed_clocks / e->fractions.p_1a / BASES_PER_WORD * BYTES_PER_WORD / MB);
    if (h->fpga_device != FPGA_NONE)
        result_table_note(
            table,
            "block RAMs: the design takes %.0f and TimeTrial 2 (Table I) of the %s's %u: copies or bits of a base are "
            "not as assumed",
            (double)board_costs_of(h).ramb18, fpga_device_names[h->fpga_device],
            (unsigned)fpga_devices[h->fpga_device].ramb18);
    result_table_note(
        table,
        "1b is stressed from p_1a = %.4f on; a forecast is the part of another distribution of p_1a above that, "
        "and no passes of it were simulated; the median, %.4f, is inferred, as are the spread and the clocks of a "
        "core for a result, %.4g",
        least_stressed(s), e->fractions.p_1a, e->clocks_per_result);
}

static struct result_table *make_experiment_table(struct trial *s)
{
    static const char *const columns[] = {"parameter",      "unit",           "published",
                                          "simulated",      "reading",        "least",
                                          "lower_quartile", "upper_quartile", "most"};
    static const struct result_style style = {.schema = "mercury-timetrial-1", .keys = 1, .facts_last = true};
    struct result_table *table = result_table_new_styled(columns, 9, &style);
    const struct replay_scenario *e = s->experiment;
    result_table_add_fact(table, "run", TEXT(e->name));
    result_table_add_fact(table, "title", TEXT(e->title));
    replay_report_add_draws(table, "draws", e);
    replay_report_add_machine(s->shared, table);
    result_table_add_fact(table, "spread", NUMBER(e->spread));
    result_table_add_fact(table, "clocks_per_result", NUMBER(e->clocks_per_result));
    result_table_add_fact(table, "passes", NUMBER(TIMETRIAL_PASSES));
    result_table_add_fact(table, "seed", NUMBER((double)s->options->seed));
    add_statements(s, table);
    add_sensitivity(s, table);
    add_boxes(s, table);
    note_contradictions(s, table);
    return table;
}

/* --- the picture ------------------------------------------------------------------------------------------ */

static void draw_boxes(const void *trial, struct svg *svg)
{
    static const double PANEL = FIGURE_WIDTH / BOX_PANELS, TOP = 16, HEIGHT = 170;
    static const unsigned begins[BOX_PANELS + 1] = {BUS, HOST, INBOX, QUANTITIES};
    static const char *const titles[BOX_PANELS] = {"at work [% of the time]", "queue full [% of its places]",
                                                   "inbox [results]"};
    const struct trial *s = trial;
    svg_begin(svg, FIGURE_WIDTH, TOP + HEIGHT + 50, s->experiment->title);
    for (unsigned panel = 0; panel < BOX_PANELS; panel++) {
        const unsigned rows = begins[panel + 1] - begins[panel];
        struct figure f = {svg, panel == BOX_PANELS - 1
                                    ? figure_axis_to(fmax(1, s->most), titles[panel])
                                    : (struct figure_axis){.most = 100, .title = titles[panel]}};
        figure_open(&f, panel * PANEL + 80, TOP, PANEL - 80 - 26, HEIGHT);
        for (unsigned i = 0; i < rows; i++) {
            const struct five_numbers box = five_of(s, begins[panel] + i);
            const double y = TOP + HEIGHT / rows * (i + 0.5);
            char tip[120];
            snprintf(tip, sizeof tip, "%s: median %.4g, from %.4g to %.4g",
                     quantities[begins[panel] + i].title, box.median, box.least, box.most);
            svg_text(svg, f.x.from - 10, y + 4, 11.5, SVG_END, "", quantities[begins[panel] + i].title);
            report_draw_box(&f, &box, y, SVG_BLUE, tip);
        }
    }
    svg_end(svg);
}

/* Simulate an experiment and write the table.
 *
 * @param options  its hardware, seed, clocks of each pass (0: 600,000), and whether it is quiet count
 * @param shared   the machine, and every --set; its directory is the file of the table, as in result_table_save()
 * @param plot     picture of boxes over the passes; NULL: none
 */
static int timetrial_run(const struct replay_scenario *experiment, const struct replay_options *options,
                         const struct run_options *shared, enum result_format format, const char *plot,
                         struct why *why)
{
    struct replay_options each = *options;
    auto_free struct trial *s = memory_new(1, sizeof *s);
    each.clocks = options->clocks > 0 ? options->clocks : 600000;
    each.windows = false;
    each.quiet = true;
    *s = (struct trial){.experiment = experiment, .options = &each, .shared = shared};
    int status = simulate_passes(s, why);
    if (status == 0 && plot)
        status = picture_save(draw_boxes, s, experiment->title, plot, why);
    if (status == 0)
        status = result_table_save(make_experiment_table(s), format, shared->directory, why);
    return status;
}

/* --- a fraction that varies ------------------------------------------------------------------------------ */

/* Published runs with one fraction of their draws varied: stage 1b's service rate and queues over it.
 *
 * Answers   what joins the two runs (Dor 2010, section 6.3): a lookup that makes a trip holds 1bd for the whole trip,
 *           and any other for a clock. So 1b takes 1 + (sram.trip_cycles - 1) x trips clocks for a seed, which is
 *           linear, and its queues fill where that is as long as seeds are apart, which is not.
 * Table     a row per run and value: the simulated service rate (seeds per second in which 1bd is busy, also while
 *           stage 2 holds it up), the rate by that rule, M_2 (SRAM reads per busy clock), the load (seeds offered by
 *           host and bus, with those that are added, over the service rate), and N_Q of 1b; 95% intervals by batch
 *           means. Notes: the line through the clocks for a seed (least squares), where a run's load is 1, and what
 *           was published at the run's own value.
 * Random    every replay has a seed of its own, from that of the options on, so that the points are independent.
 * Picture   service rate and N_Q over the fraction, with the published values.
 */

/* The two panels of the picture: the service rate of 1b, and N_Q of 1b. */
enum panel { RATES, QUEUES, PANELS };

/* What a run does with a value of the fraction. Each has a seed of its own, so that the points are independent. */
struct point {
    double value, rule, m_2, load, median; /* median: of N_Q, over frames */
    struct estimate of[PANELS];
};

struct study {
    const struct replay_options *options;    /* the scenario is that of no run */
    const struct run_options *shared;        /* as in struct trial */
    const struct replay_scenario *scenarios; /* with every --draw */
    unsigned runs;
    const char *range; /* NAME=RANGE of --vary */
    const char *name;  /* of the fraction */
    unsigned which;    /* its number */
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
        return WHY_SAID;
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
    const char *range = s->range, *equals = strchr(range, '=');
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

/* The seeds of a word, without those that are added and with them. */
static double seeds_of(const struct hardware *h, const struct seed_fractions *f, bool all)
{
    return all ? fmin(BASES_PER_WORD * f->p_1a + h->overdrive_seeds, BASES_PER_WORD)
               : BASES_PER_WORD * f->p_1a;
}

/* The service rate by the rule, in million seeds per second. */
static double rule_at(const struct study *s, unsigned run, double value)
{
    const struct hardware *h = s->options->hardware;
    struct seed_fractions f = s->scenarios[run].fractions;
    *seed_fraction_at(&f, s->which) = value;
    const double seeds = seeds_of(h, &f, true);
    const double trips = seeds > 0 ? f.trips * seeds_of(h, &f, false) / seeds : f.trips; /* added make none */
    return h->board.trips_in_flight > 1
               ? NAN
               : 1e-6 * h->fpga_clock_hz / (1 + (board_trip_cycles(&h->board) - 1.) * trips);
}

static int replay_point(const struct study *s, unsigned run, struct point *p, struct why *why)
{
    struct replay_scenario scenario = s->scenarios[run];
    struct replay_options options = *s->options;
    const struct hardware *h = options.hardware;
    struct replay_result result;
    *seed_fraction_at(&scenario.fractions, s->which) = p->value;
    options.scenario = &scenario;
    options.quiet = true;
    options.windows = false;
    options.seed = 1 + (options.seed - 1 + (size_t)(p - s->points[run]) * s->runs + run) % UINT32_MAX;
    int status = replay_run(&options, &result, why);
    if (status)
        return status;
    const double bytes_per_s = /* that host, bus and 1a let come */
        fmin(fmin(h->host_supply, hardware_bus_bytes_per_s(h)), h->fpga_clock_hz * BYTES_PER_WORD);
    p->of[RATES] = result.of[REPLAY_MU_1B];
    p->of[QUEUES] = result.of[N_Q_1B];
    p->median = result.medians[N_Q_1B];
    p->load = 1e-6 * bytes_per_s / BYTES_PER_WORD * seeds_of(h, &scenario.fractions, true) /
              result.of[REPLAY_MU_1B].mean;
    p->m_2 = frame_count(&result.steady, S1B_SRAM_READS) / frame_count(&result.steady, S1B_DUPLICATE_STAGE);
    p->rule = rule_at(s, run, p->value);
    return 0;
}

static int replay_points(struct study *s, struct why *why)
{
    struct progress progress;
    int status = 0;
    progress_begin(&progress, "replays", (double)s->runs * (double)s->axis.count, s->options->quiet);
    for (unsigned run = 0; run < s->runs && status == 0; run++) {
        struct replay_scenario scenario = s->scenarios[run];
        const enum dor2010_run published = (enum dor2010_run)dor2010_run_find(scenario.name);
        s->own[run] = *seed_fraction_at(&scenario.fractions, s->which);
        s->published[run][RATES] = dor2010_number(dor2010_inputs[DOR2010_MU_1B].value[published]);
        s->published[run][QUEUES] = dor2010_measured(published, N_Q_1B);
        s->points[run] = memory_new(s->axis.count, sizeof *s->points[run]);
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
    const double clock_hz = s->options->hardware->fpga_clock_hz;
    const size_t most = s->runs * s->axis.count;
    double *x = memory_take(2 * most * sizeof *x), at, slope, cov00, cov01, cov11, squares, off = 0;
    size_t count = 0;
    for (unsigned run = 0; run < s->runs; run++)
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
                              s->scenarios[run].name, a->load < 1 ? "from" : "up to", s->name,
                              a->value + (1 - a->load) / (b->load - a->load) * (b->value - a->value));
    }
}

static struct result_table *make_table(const struct study *s)
{
    static const char *const columns[] = {"run", "value",   "mu_1b",  "mu_1b_half_width",  "mu_1b_rule",
                                          "M_2", "load_1b", "N_Q_1b", "N_Q_1b_half_width", "N_Q_1b_median"};
    struct result_table *table = result_table_new_styled(
        columns, sizeof columns / sizeof columns[0],
        &(struct result_style){.schema = "mercury-replay-vary-1", .keys = 2, .facts_last = true});
    result_table_add_fact(table, "vary", TEXT(s->name));
    replay_report_add_machine(s->shared, table);
    result_table_add_fact(table, "seed", NUMBER((double)s->options->seed));
    for (unsigned run = 0; run < s->runs; run++) {
        const struct replay_scenario *scenario = &s->scenarios[run];
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
    for (unsigned run = 0; run < s->runs; run++) {
        note_saturation(s, run, table);
        result_table_note(table,
                          "%s, at %s = %.4g: mu_1b was printed as %s Mseeds/s, N_Q_1b was measured as %s",
                          s->scenarios[run].name, s->name, s->own[run], s->published[run][RATES].text,
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

/* The curve of the rule, from the least value to the greatest, the run's own included. */
enum { RULE_PLACES = 200 };

static double rule_place(const struct study *s, unsigned run, unsigned i)
{
    const double first = fmin(s->own[run], s->points[run][0].value),
                 last = fmax(s->own[run], s->points[run][s->axis.count - 1].value);
    return first + (last - first) * i / (RULE_PLACES - 1);
}

/* Draw a run's line, the marks on it and their intervals. */
static void draw_run(const struct study *s, unsigned run, enum panel panel, struct figure *f)
{
    const char *name = s->scenarios[run].name;
    const struct figure_style *style = &styles[dor2010_run_find(name)];
    figure_path(f, figure_stroke(panel == QUEUES ? style : &styles[RULE]).text);
    for (const struct point *p = s->points[run]; panel == QUEUES && p < s->points[run] + s->axis.count; p++)
        figure_to(f, p->value, p->of[QUEUES].mean);
    for (unsigned i = 0; panel == RATES && i < RULE_PLACES; i++)
        figure_to(f, rule_place(s, run, i), rule_at(s, run, rule_place(s, run, i)));
    svg_path_end(f->svg);
    for (const struct point *p = s->points[run]; p < s->points[run] + s->axis.count; p++) {
        const struct estimate *e = &p->of[panel];
        const double x = figure_x(f, p->value), half = e->half_width;
        if (half > 0)
            svg_line(f->svg, x, figure_y(f, e->mean - half), x, figure_y(f, e->mean + half),
                     figure_stroke(style).text);
        figure_mark(f, p->value, e->mean, style->key == FIGURE_RING ? 4.5 : 3, style, "%s, %.4g: %.4g ± %.2g",
                    name, p->value, e->mean, half);
    }
}

static void draw_panel(const struct study *s, enum panel panel, struct svg *svg)
{
    static const char *const titles[PANELS] = {"service rate of 1b [Mseeds/s]", "N_Q of 1b [seeds]"};
    double most = 0, last = 0;
    for (unsigned run = 0; run < s->runs; run++) {
        last = fmax(last, fmax(s->own[run], s->points[run][s->axis.count - 1].value));
        most = fmax(most, s->published[run][panel].value);
        for (size_t i = 0; i < s->axis.count; i++)
            most = fmax(most, s->points[run][i].of[panel].mean);
        for (unsigned i = 0; panel == RATES && i < RULE_PLACES; i++)
            most = fmax(most, rule_at(s, run, rule_place(s, run, i)));
    }
    struct figure f = {svg, figure_axis_to(last > 0 ? last : 1, seed_fraction_titles[s->which]),
                       figure_axis_to(most, titles[panel])};
    f.x.plain = f.y.plain = f.has_labels = true;
    figure_open(&f, LEFT + panel * (PANEL_WIDTH + GAP), TOP, PANEL_WIDTH, PANEL_HEIGHT);
    for (unsigned run = s->runs; run-- > 0;) /* discs stand on squares */
        draw_run(s, run, panel, &f);
    for (unsigned run = 0; run < s->runs; run++) {
        const struct dor2010_number *n = &s->published[run][panel];
        char label[60];
        snprintf(label, sizeof label, "run %d: %s", 1 + dor2010_run_find(s->scenarios[run].name), n->text);
        figure_mark(&f, s->own[run], n->value, 6, &styles[PRINTED], "%s, published", label);
        figure_label_point(&f, figure_x(&f, s->own[run]), figure_y(&f, n->value), "", label);
    }
    figure_close(&f);
}

static void draw(const void *study, struct svg *svg)
{
    const struct study *s = study;
    struct figure_style drawn[STYLES];
    unsigned count = 0;
    char title[120];
    for (unsigned run = 0; run < s->runs; run++)
        drawn[count++] = styles[dor2010_run_find(s->scenarios[run].name)];
    if (isfinite(rule_at(s, 0, s->own[0])))
        drawn[count++] = styles[RULE];
    drawn[count++] = styles[PRINTED];
    snprintf(title, sizeof title, "Service rate and queues of stage 1b of the published runs, over %s",
             s->name);
    svg_begin(svg, WIDTH, TOP + PANEL_HEIGHT + 52, title);
    figure_draw_legend(svg, LEFT, 6, WIDTH - LEFT - 10, drawn, count);
    draw_panel(s, RATES, svg);
    draw_panel(s, QUEUES, svg);
    svg_end(svg);
}

/* Replay every run with every value, and write the table and, if `plot` is given, the picture. */
static int vary_run(struct study *s, enum result_format format, const char *plot, struct why *why)
{
    int status = read_axis(s, why);
    if (status == 0)
        status = replay_points(s, why);
    if (status == 0 && plot) {
        char title[120];
        snprintf(title, sizeof title, "Stage 1b of the published runs, over %s; a board at %.4g MHz", s->name,
                 s->options->hardware->fpga_clock_hz / 1e6);
        status = picture_save(draw, s, title, plot, why);
    }
    if (status == 0)
        status = result_table_save(make_table(s), format, s->shared->directory, why);
    for (unsigned run = 0; run < s->runs; run++)
        free(s->points[run]);
    sweep_axis_destroy(&s->axis);
    return status;
}

/* --- the session ----------------------------------------------------------------------------------------- */

enum { DRAWS_MAX = 16, VARIED_CLOCKS = 20000000 };

struct session {
    struct run_options shared; /* its directory is the file of --output */
    struct replay_scenario scenarios[DOR2010_RUNS];
    unsigned runs;
    const char *vary, *plot; /* NULL if not given */
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

static bool is_experiment(const struct session *s)
{
    return s->scenarios[0].database > 0;
}

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
    const bool experiment = is_experiment(s);
    if (!s->vary && s->plot && !experiment)
        return why_refuse(s->why, "--plot is the picture of --vary: expected --vary NAME=RANGE");
    if ((s->vary || experiment) && (r->events || s->wide || s->fail_over >= 0 || (s->vary && experiment)))
        return why_refuse(s->why, "%s: expected no --wide, --fail-over%s or --engine events",
                          experiment ? s->scenarios[0].name : "--vary", experiment ? ", --vary" : "");
    if (experiment && (r->interval > 0 || r->most_clocks > 0))
        return why_refuse(s->why, "%s: expected no --interval or --most-clocks: each pass takes --clocks",
                          s->scenarios[0].name);
    if (s->plot && (!picture_format(s->plot) || strcmp(s->plot, "-") == 0))
        return why_refuse(s->why, "--plot '%.200s': expected a name that ends in .svg, .png or .pdf",
                          s->plot);
    if (r->events && (r->clocks == 0 || (double)r->clocks > EVENTS_CLOCKS_MOST))
        return why_refuse(s->why,
                          "--engine events needs --clocks, up to 2e7: it keeps every element in memory");
    return apply_draws(s);
}

/* The settings of an experiment come before those of the user, who can change them. */
static int take_settings(struct session *s)
{
    struct run_options *o = &s->shared;
    if (o->assignment_count > RUN_ASSIGNMENTS_MAX - TIMETRIAL_SETTINGS)
        return why_refuse(s->why, "--set: expected at most %d of them with %s",
                          RUN_ASSIGNMENTS_MAX - TIMETRIAL_SETTINGS, s->scenarios[0].name);
    memmove(o->assignments + TIMETRIAL_SETTINGS, o->assignments,
            o->assignment_count * sizeof *o->assignments);
    memcpy(o->assignments, timetrial_settings, sizeof timetrial_settings);
    o->assignment_count += TIMETRIAL_SETTINGS;
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
        const struct replay_scenario *scenario = replay_find(argv[i]);
        if (!scenario)
            return why_refuse(s->why, "no such published run '%.60s': expected " RUNS, argv[i]);
        if (scenario->database > 0 && argc - optind > 1)
            return why_refuse(s->why, "%s: expected no other run beside it", argv[i]);
        s->scenarios[s->runs++] = *scenario;
    }
    if (is_experiment(s))
        return take_settings(s);
    if (!(s->replay.interval > 0))
        s->replay.interval = 0.01;
    if (s->replay.most_clocks == 0)
        s->replay.most_clocks = s->vary ? VARIED_CLOCKS : UINT64_C(2000000000);
    return check_options(s);
}

/* --- the command ----------------------------------------------------------------------------------------- */

/* What a replay uses of the machine, and an experiment besides; a name without = stands for all that begin so. */
static const char used_by_replay[] =
    "fpga.clock= pcix. host.supply= fifo. hsp. sram.read_cycles= sram.trip "
    "stage2.fetch_cycles= table.collision= table.trip_positions= overdrive. ";
static const char used_by_experiment[] = "host.clock= host.cores= host.queue= query.segment= stage2.window= "
                                         "table.slot_bytes= table.displacements= fpga. bloom. ";

static bool is_used(const char *set, const char *names)
{
    while (*names && strncmp(set, names, strcspn(names, " ")) != 0)
        names += strcspn(names, " ") + 1;
    return *names;
}

static int check_sets(const struct session *s)
{
    for (size_t i = 0; i < s->shared.assignment_count; i++) {
        const char *set = s->shared.assignments[i];
        if (!is_used(set, used_by_replay) && !(is_experiment(s) && is_used(set, used_by_experiment)))
            return why_refuse(s->why,
                              "--set %.*s: a replay of drawn seeds on one board is the same with any value",
                              (int)strcspn(set, "="), set);
    }
    return 0;
}

static int report(struct session *s)
{
    struct replay_report report = {
        .options = &s->replay,
        .result = &s->result,
        .validation = &s->validation,
        .published = (enum dor2010_run)dor2010_run_find(s->scenarios[0].name),
        .shared = &s->shared,
        .wide = s->wide,
        .tolerance = s->fail_over >= 0 ? s->fail_over : REPLAY_TOLERANCE,
    };
    int status = replay_report_explain(&report, s->why);
    if (status == 0)
        status = replay_report_save(&report, s->format, s->shared.directory, s->why);
    return status == 0 && s->fail_over >= 0 ? replay_report_judge(&report, s->why) : status;
}

static int replay_session(struct session *s)
{
    int status = replay_machine_load(&s->shared, &s->hardware, s->why);
    struct file_uses uses = {0};
    file_uses_read(&uses, "the platform", s->shared.platform);
    file_uses_write(&uses, "-o", s->shared.directory);
    file_uses_write(&uses, "--plot", s->plot);
    if (status == 0)
        status = check_sets(s);
    if (status == 0 && (s->shared.directory || s->plot))
        status = command_status_of(file_uses_probe(&uses, s->why));
    if (status)
        return status;
    s->replay.hardware = &s->hardware;
    s->replay.windows = window_theory_takes(&s->hardware);
    s->replay.quiet = s->shared.quiet;
    if (s->vary) {
        struct study study = {.options = &s->replay,
                              .shared = &s->shared,
                              .scenarios = s->scenarios,
                              .runs = s->runs,
                              .range = s->vary};
        return vary_run(&study, s->format, s->plot, s->why);
    }
    if (is_experiment(s))
        return timetrial_run(&s->scenarios[0], &s->replay, &s->shared, s->format, s->plot, s->why);
    s->replay.scenario = &s->scenarios[0];
    status = replay_run(&s->replay, &s->result, s->why);
    if (status)
        return status;
    if (validation_of_frame(&s->result.steady, VERDICT_EVERY_MODEL, &s->validation, s->why) != 0)
        return COMMAND_FAILED;
    status = report(s);
    validation_destroy(&s->validation);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session s = {.replay = {.seed = 1}, .fail_over = -1, .why = why};
    int status = parse_options(argc, argv, &s);
    if (status == 0) {
        run_output_begin();
        status = replay_session(&s);
    }
    return status;
}

#define WORD(p_1a, trips, no_match, two_positions, p_2, per_read, query, database, spread, clocks, name,     \
             title)                                                                                          \
    {                                                                                                        \
        name, NULL                                                                                           \
    }
static const struct command_word runs[] = {REPLAY_SCENARIO_ROWS(WORD){NULL, NULL}};

const struct command command_replay = {options, run_command, runs};
