#include "app/replay/timetrial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/array.h"
#include "base/command.h"
#include "base/draw/figure.h"
#include "base/draw/picture.h"
#include "blast/sequence/sequence.h"
#include "sim/board/board_costs.h"
#include "sim/measure/machine_frame.h"
#include "traces/statistics/series_summary.h"
#include "app/replay/replay_report.h"
#include "app/report/report.h"

#define MB ((double)(1 << 20))

/* Section IV.C. */
#define RUN_BYTES      4.2e12
#define FRAMES         11728.0
#define BYTES_PER_BASE 0.5

static const struct timetrial_experiment experiments[] = {
    {.name = "timetrial-exp1",
     .title = "TimeTrial 2011, experiment 1: recombinant viral DNA against the human genome",
     .query = 293e6,
     .database = 3e9,
     .spread = 0.5,
     .clocks_per_result = 1e6,
     .fractions =
         {.p_1a = 0.0402, .trips = 0.0135, .no_match = 0.18, .two_positions = 0.02, .p_2 = 0.000204}},
    {.name = "timetrial-exp2",
     .title = "TimeTrial 2011, experiment 2: non-mammal against mammal RefSeq",
     .query = 302e6,
     .database = 788e6,
     .spread = 0.5,
     .clocks_per_result = 840,
     .fractions =
         {.p_1a = 0.0346, .trips = 0.0283, .no_match = 0.33, .two_positions = 0.02, .p_2 = 0.000350}},
};

enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

const char *const timetrial_settings[TIMETRIAL_SETTINGS] = {
    "fpga.device=xc4vlx100", "bloom.copies=4", "host.cores=8", "host.clock=2.4e9", "host.supply=917504000"};

const struct timetrial_experiment *timetrial_find(const char *name)
{
    for (unsigned i = 0; i < EXPERIMENTS; i++)
        if (strcmp(experiments[i].name, name) == 0)
            return &experiments[i];
    return NULL;
}

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
enum { BUSY_LAST = CORES, FULL_LAST = QUEUE_2, PANELS = 3 };

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

struct study {
    const struct timetrial_experiment *experiment;
    const struct replay_options *options;
    double p_1a[TIMETRIAL_PASSES], results_per_s[TIMETRIAL_PASSES], pass_s[TIMETRIAL_PASSES];
    double of[QUANTITIES][TIMETRIAL_PASSES];
    double overrun, most; /* share of the results that find no free core; most that wait */
};

/* --- behind the board ------------------------------------------------------------------------------------- */

struct served {
    double results, waited, wait_s, busy_s;
    size_t most; /* that wait at a time */
};

/* Serve the results of a pass, first come, first served. @return false if memory is exhausted */
static bool serve(const struct study *s, unsigned pass, double clocks_per_result, struct served *out)
{
    const struct hardware *h = s->options->hardware;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    double *free_s = calloc(h->host_cores, sizeof *free_s), *begins = NULL, now_s = 0;
    size_t room = 0, count = 0, begun = 0;
    bool whole = random && free_s;
    *out = (struct served){0};
    if (whole)
        gsl_rng_set(random, s->options->seed + pass);
    while (whole && (now_s += gsl_ran_exponential(random, 1 / s->results_per_s[pass])) < s->pass_s[pass]) {
        const double service_s = gsl_ran_exponential(random, clocks_per_result / h->host_clock_hz);
        size_t core = 0;
        for (size_t i = 1; i < h->host_cores; i++)
            core = free_s[i] < free_s[core] ? i : core;
        const double begin_s = fmax(now_s, free_s[core]);
        whole = array_reserve(&begins, &room, count, 1, sizeof *begins);
        if (!whole)
            break;
        begins[count++] = begin_s;
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
    return whole;
}

/* Serve all passes. @param keep  fill the quantities of passes */
static bool serve_all(struct study *s, double clocks_per_result, bool keep, double *overrun, double *most)
{
    double results = 0, waited = 0;
    *most = 0;
    for (unsigned i = 0; i < TIMETRIAL_PASSES; i++) {
        struct served served;
        if (!serve(s, i, clocks_per_result, &served))
            return false;
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
    return true;
}

/* --- the board -------------------------------------------------------------------------------------------- */

static int simulate_pass(struct study *s, unsigned i, struct why *why)
{
    const struct hardware *h = s->options->hardware;
    struct replay_scenario scenario = {.name = s->experiment->name, .fractions = s->experiment->fractions};
    struct replay_options options = *s->options;
    struct replay_result result;
    const double z = gsl_cdf_ugaussian_Pinv((i + 0.5) / TIMETRIAL_PASSES);
    s->p_1a[i] = scenario.fractions.p_1a =
        fmin(1, s->experiment->fractions.p_1a * exp(s->experiment->spread * z));
    options.scenario = &scenario;
    options.seed = s->options->seed + i;
    int status = replay_run(&options, &result, why);
    if (status)
        return status == REPLAY_EMEMORY ? COMMAND_REFUSED : COMMAND_FAILED;
    const struct frame *f = &result.steady;
    const double clocks = (double)f->clocks, seconds = frame_measured_s(f), words = frame_count(f, S1A_WORDS);
    s->pass_s[i] = s->experiment->database / BASES_PER_WORD / words * seconds;
    s->results_per_s[i] = frame_count(f, S2_MATCHES) / seconds * scenario.fractions.p_2;
    s->of[BUS][i] = 100 * words * BYTES_PER_WORD / seconds / h->host_supply;
    s->of[STAGE_1A][i] = 100 * result.cells[REPLAY_RHO_1A].mean;
    s->of[STAGE_1BD][i] = 100 * frame_count(f, S1B_DUPLICATE_STAGE) / clocks;
    s->of[STAGE_2][i] = 100 * result.cells[REPLAY_RHO_2].mean;
    s->of[HOST][i] = 100 * result.host_queue / h->host_queue_blocks;
    s->of[QUEUE_1BP][i] = 100 * result.cells[REPLAY_N_Q_1BP].mean / board_fifo_places(FIFO_WMER, &h->board);
    s->of[QUEUE_1BD][i] = 100 * result.cells[REPLAY_N_Q_1BD].mean / board_fifo_places(FIFO_SRAM, &h->board);
    s->of[QUEUE_2][i] = 100 * result.cells[REPLAY_N_Q_2].mean / board_fifo_places(FIFO_STAGE2, &h->board);
    return 0;
}

static int simulate(struct study *s, struct why *why)
{
    for (unsigned i = 0; i < TIMETRIAL_PASSES; i++) {
        int status = simulate_pass(s, i, why);
        if (status)
            return status;
    }
    return serve_all(s, s->experiment->clocks_per_result, true, &s->overrun, &s->most)
               ? 0
               : why_no_memory(why, COMMAND_REFUSED);
}

/* The p_1a from which passes stress 1b; they are in its order. */
static double least_stressed(const struct study *s)
{
    unsigned first = 0;
    while (first < TIMETRIAL_PASSES && s->of[STAGE_1BD][first] < 100 * TIMETRIAL_STRESSED)
        first++;
    if (first == 0 || first == TIMETRIAL_PASSES)
        return first == 0 ? s->p_1a[0] : INFINITY;
    return sqrt(s->p_1a[first - 1] * s->p_1a[first]);
}

/* Per cent of the passes that stress 1b, if p_1a has this distribution. */
static double stressed(const struct study *s, double median, double spread)
{
    return 100 * gsl_cdf_ugaussian_P(log(median / least_stressed(s)) / spread);
}

/* --- the table -------------------------------------------------------------------------------------------- */

static void add_row(struct result_table *table, const char *quantity, const char *unit, const char *published,
                    double simulated, const char *reading)
{
    result_table_add(table, TEXT(quantity), TEXT(unit), TEXT(published), NUMBER(simulated), TEXT(reading),
                     NUMBER(NAN), NUMBER(NAN), NUMBER(NAN), NUMBER(NAN));
}

/* What the paper says, beside what follows here. */
static void add_statements(const struct study *s, struct result_table *table)
{
    const struct timetrial_experiment *e = s->experiment;
    const struct hardware *h = s->options->hardware;
    const bool first = strcmp(e->name, experiments[0].name) == 0;
    double fastest = 0, share, most;
    for (unsigned i = 0; i < TIMETRIAL_PASSES; i++)
        fastest = fmax(fastest, s->of[BUS][i] / 100 * h->host_supply / MB);
    add_row(table, "line_rate_most", "MB/s", "875", fastest, "given");
    add_row(table, "stressed", "%", first ? "~50" : "-", stressed(s, e->fractions.p_1a, e->spread),
            first ? "fitted" : "predicted");
    add_row(table, "overrun", "%", first ? "~20" : "-", 100 * s->overrun, first ? "fitted" : "predicted");
    add_row(table, "inbox_most", "results", first ? "-" : "<= 1", s->most,
            first          ? "predicted"
            : s->most <= 1 ? "holds"
                           : "DIFFERS");
    if (!first && serve_all((struct study *)s, experiments[0].clocks_per_result, false, &share, &most))
        add_row(table, "inbox_most, as in exp. 1", "results", "<= 1", most, most <= 1 ? "holds" : "DIFFERS");
    add_row(table, "first_accesses_collide", "%", "> 50", 100 * e->fractions.trips, "DIFFERS");
}

/* How statements change with what is inferred. */
static void add_sensitivity(struct study *s, struct result_table *table)
{
    static const double factors[] = {0.8, 1.25}, spreads[] = {0.25, 1},
                        clocks[] = {840, 84e3, 168e3, 336e3, 672e3, 1.344e6};
    const struct timetrial_experiment *e = s->experiment;
    char name[80];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "stressed, p_1a x %g", factors[i]);
        add_row(table, name, "%", "-", stressed(s, factors[i] * e->fractions.p_1a, e->spread), "sensitivity");
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "stressed, spread %g", spreads[i]);
        add_row(table, name, "%", "-", stressed(s, e->fractions.p_1a, spreads[i]), "sensitivity");
    }
    for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        double overrun, most;
        if (!serve_all(s, clocks[i], false, &overrun, &most))
            continue;
        snprintf(name, sizeof name, "overrun, %g clocks", clocks[i]);
        add_row(table, name, "%", "-", 100 * overrun, "sensitivity");
        snprintf(name, sizeof name, "inbox_most, %g clocks", clocks[i]);
        add_row(table, name, "results", "-", most, "sensitivity");
    }
}

static struct five_numbers five_of(const struct study *s, unsigned quantity)
{
    double values[TIMETRIAL_PASSES];
    memcpy(values, s->of[quantity], sizeof values);
    return five_numbers_of(values, TIMETRIAL_PASSES);
}

/* The five numbers of boxes, as in Figure 6. */
static void add_boxes(const struct study *s, struct result_table *table)
{
    for (unsigned q = 0; q < QUANTITIES; q++) {
        const struct five_numbers box = five_of(s, q);
        result_table_add(table, TEXT(quantities[q].name), TEXT(quantities[q].unit), TEXT("-"),
                         NUMBER(box.median), TEXT("median"), NUMBER(box.least), NUMBER(box.lower_quartile),
                         NUMBER(box.upper_quartile), NUMBER(box.most));
    }
}

static void note_contradictions(const struct study *s, struct result_table *table)
{
    const struct timetrial_experiment *e = s->experiment;
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
        "1b is stressed from p_1a = %.4f on; the median, %.4f, is inferred, as are the spread and the "
        "clocks of a core for a result, %.4g",
        least_stressed(s), e->fractions.p_1a, e->clocks_per_result);
}

static struct result_table *make_table(struct study *s)
{
    static const char *const columns[] = {"parameter",      "unit",           "published",
                                          "simulated",      "reading",        "least",
                                          "lower_quartile", "upper_quartile", "most"};
    static const struct result_style style = {.schema = "mercury-timetrial-1", .keys = 1};
    struct result_table *table = result_table_new_styled(columns, 9, &style);
    const struct timetrial_experiment *e = s->experiment;
    const struct replay_scenario scenario = {.fractions = e->fractions};
    result_table_add_fact(table, "run", TEXT(e->name));
    result_table_add_fact(table, "title", TEXT(e->title));
    replay_report_add_draws(table, "draws", &scenario);
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

static void draw(const void *study, struct svg *svg)
{
    static const double PANEL = FIGURE_WIDTH / PANELS, TOP = 40, HEIGHT = 170;
    static const unsigned begins[PANELS + 1] = {BUS, HOST, INBOX, QUANTITIES};
    static const char *const titles[PANELS] = {"at work [% of the time]", "queue full [% of its places]",
                                               "inbox [results]"};
    const struct study *s = study;
    svg_begin(svg, FIGURE_WIDTH, TOP + HEIGHT + 50, s->experiment->title);
    svg_text(svg, 12, 20, 13, SVG_START, "bold", s->experiment->title);
    for (unsigned panel = 0; panel < PANELS; panel++) {
        const unsigned rows = begins[panel + 1] - begins[panel];
        struct figure f = {svg, panel == PANELS - 1
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

int timetrial_run(const struct timetrial_experiment *experiment, const struct replay_options *options,
                  enum result_format format, const char *path, const char *plot, struct why *why)
{
    struct replay_options each = *options;
    struct study *s = calloc(1, sizeof *s);
    int status = s ? 0 : why_no_memory(why, COMMAND_REFUSED);
    each.clocks = options->clocks > 0 ? options->clocks : 600000;
    each.windows = false;
    each.quiet = true;
    if (status == 0) {
        *s = (struct study){.experiment = experiment, .options = &each};
        status = simulate(s, why);
    }
    if (status == 0 && plot)
        status = picture_save(draw, s, plot, why);
    if (status == 0)
        status = result_table_save(make_table(s), format, path, why);
    free(s);
    return status;
}
