#include "sim/cmd_replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blast/sequence.h"
#include "sim/command.h"
#include "sim/output.h"
#include "sim/platform.h"
#include "sim/replay_signals.h"
#include "sim/result_table.h"
#include "sim/run_options.h"
#include "sim/run_output.h"

const char cmd_replay_help[] =
    "Usage: mercury replay RUN [options]\n"
    "\n"
    "Replays a published run of the real machine: the board's clock rules, fed with random seeds that have "
    "the\n"
    "run's fractions, until 95% confidence intervals are narrow. Prints what was measured on the machine, "
    "what\n"
    "is simulated, what was predicted in print (printed_...), and what models predict from the simulated\n"
    "run's rates.\n"
    "\n"
    "  RUN                   dor2010-run1 (human chromosome 1 against mouse: nothing is saturated) or\n"
    "                        dor2010-run2 (vertebrate against mammal mRNA: stage 1b is)\n"
    "      --interval F      half-width of every interval, as a fraction of its mean, 1e-4 to 0.5 (default\n"
    "                        0.01); of small means as a fraction of 1 seed, 0.1 matches, 0.01 of the clocks\n"
    "      --clocks N        simulate N clocks behind the warm-up, up to 1e11, whatever the intervals\n"
    "      --most-clocks N   give up narrowing intervals behind N clocks (default 2e9)\n"
    "      --fail-over P     end with status 1 where a cell differs by more than P per cent from what was\n"
    "                        measured, and does not round to what was printed either (~0: below 5 elements)\n"
    "      --draw NAME=VALUE change a fraction of the draws; may be repeated: p_1a (seeds a w-mer), trips "
    "(a\n"
    "                        seed), no_match (of the rest), two_positions (of the others), p_2 (HSPs a "
    "match)\n"
    "      --set NAME=VALUE  change one number of the machine; may be repeated\n"
    "  -p, --platform FILE   SimGrid platform with the machine's numbers (default:\n"
    "                        data/platforms/mercury-2010.xml)\n"
    "      --engine E        fast, or events: also move every element through SimGrid, and compare; for up "
    "to\n"
    "                        2e7 --clocks (default fast)\n"
    "      --seed S          of the random numbers, 1 to 4294967295 (default 1); same seed, same bytes\n"
    "      --format F        text (default), tsv or json\n"
    "  -o, --output FILE     write there; - is standard output (default)\n"
    "      --quiet           no progress\n"
    "  -h, --help            this text\n"
    "\n"
    "Columns   verdict: rounds (to what was printed), within (--fail-over, or 7 per cent) or OFF; "
    "half_width\n"
    "          is that of the 95% interval, by batch means over frames of about 3e5 clocks, Student's t.\n"
    "          Below: the verdicts on the models (mercury help validate): outside, violated, inside.\n"
    "          N_Q_1bp and N_Q_1bd are 1b's two queues, N_Q_1b both; P_BP: back-pressure, of the clocks.\n"
    "\n"
    "Examples:\n"
    "  mercury replay dor2010-run2\n"
    "  mercury replay dor2010-run1 --fail-over 7 --format tsv -o run1.tsv\n"
    "  mercury replay dor2010-run2 --set fifo.wmer_margin=14        # would that explain P_BP_1b?\n"
    "  mercury replay dor2010-run2 --engine events --clocks 2e6\n";

/* What the verdicts go by without --fail-over. */
#define REPLAY_TOLERANCE 0.07

enum { DRAWS_MAX = 16 };

struct session {
    struct run_options shared; /* its directory is the file of -o */
    struct replay_scenario scenario;
    struct replay_options replay;
    struct hardware hardware;
    enum result_format format;
    double fail_over; /* fraction; negative: never */
    const char *draws[DRAWS_MAX];
    unsigned draw_count;
    struct replay_result result;
    struct replay_comparison comparison;
    struct replay_signal signals[REPLAY_CELLS]; /* of signals that are off; else without a name */
    char *why;
    size_t why_size;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

enum {
    OPTION_INTERVAL = RUN_OPTION_OWN,
    OPTION_CLOCKS,
    OPTION_MOST_CLOCKS,
    OPTION_FAIL_OVER,
    OPTION_DRAW,
    OPTION_ENGINE,
    OPTION_SEED,
    OPTION_FORMAT,
};

#define CLOCKS_MOST        1e11
#define EVENTS_CLOCKS_MOST 2e7

static const struct option long_options[] = {
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"clocks", required_argument, NULL, OPTION_CLOCKS},
    {"most-clocks", required_argument, NULL, OPTION_MOST_CLOCKS},
    {"fail-over", required_argument, NULL, OPTION_FAIL_OVER},
    {"draw", required_argument, NULL, OPTION_DRAW},
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"set", required_argument, NULL, RUN_OPTION_SET},
    {"platform", required_argument, NULL, 'p'},
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, RUN_OPTION_QUIET},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int refuse(struct session *s, const char *option, const char *argument, const char *expected)
{
    return run_options_refuse(option, argument, expected, s->why, s->why_size);
}

static int take_clocks(struct session *s, const char *option, const char *argument, uint64_t *clocks)
{
    double number = 0;
    if (run_options_number(argument, 1, CLOCKS_MOST, &number) != 0)
        return refuse(s, option, argument, "clocks, 1 to 1e11");
    *clocks = (uint64_t)number;
    return 0;
}

/* Kept until the run is known whose fractions it changes. */
static int take_draw(struct session *s, const char *argument)
{
    if (s->draw_count == DRAWS_MAX)
        return refuse(s, "--draw", argument, "at most 16 of them");
    s->draws[s->draw_count++] = argument;
    return 0;
}

static int apply_draw(struct session *s, const char *argument)
{
    struct seed_fractions *f = &s->scenario.fractions;
    const struct {
        const char *name;
        double *fraction;
    } draws[] = {{"p_1a", &f->p_1a},
                 {"trips", &f->trips},
                 {"no_match", &f->no_match},
                 {"two_positions", &f->two_positions},
                 {"p_2", &f->p_2}};
    const char *equals = strchr(argument, '=');
    for (unsigned i = 0; equals && i < sizeof draws / sizeof draws[0]; i++)
        if (strlen(draws[i].name) == (size_t)(equals - argument) &&
            strncmp(draws[i].name, argument, (size_t)(equals - argument)) == 0)
            return run_options_number(equals + 1, 0, 1, draws[i].fraction) == 0
                       ? 0
                       : refuse(s, "--draw", argument, "a fraction from 0 to 1 behind the =");
    return refuse(s, "--draw", argument, "p_1a, trips, no_match, two_positions or p_2, =, and a fraction");
}

static int take_seed(struct session *s, const char *argument)
{
    double seed = 0;
    if (run_options_number(argument, 1, UINT32_MAX, &seed) != 0 || seed != floor(seed))
        return refuse(s, "--seed", argument, "a whole number from 1 to 4294967295");
    s->replay.seed = (unsigned long)seed;
    return 0;
}

static int take_engine(struct session *s, const char *argument)
{
    s->replay.events = strcmp(argument, "events") == 0;
    return s->replay.events || strcmp(argument, "fast") == 0
               ? 0
               : refuse(s, "--engine", argument, "fast or events");
}

static int take_fail_over(struct session *s, const char *argument)
{
    double per_cent = 0;
    if (run_options_number(argument, 0, 1e6, &per_cent) != 0)
        return refuse(s, "--fail-over", argument, "per cent, 0 to 1e6");
    s->fail_over = per_cent / 100;
    return 0;
}

static int take_option(void *own, int option, const char *argument, char *why, size_t why_size)
{
    struct session *s = own;
    switch (option) {
    case OPTION_INTERVAL:
        return run_options_number(argument, 1e-4, 0.5, &s->replay.interval) == 0
                   ? 0
                   : refuse(s, "--interval", argument, "a fraction from 1e-4 to 0.5");
    case OPTION_CLOCKS:
        return take_clocks(s, "--clocks", argument, &s->replay.clocks);
    case OPTION_MOST_CLOCKS:
        return take_clocks(s, "--most-clocks", argument, &s->replay.most_clocks);
    case OPTION_FAIL_OVER:
        return take_fail_over(s, argument);
    case OPTION_DRAW:
        return take_draw(s, argument);
    case OPTION_ENGINE:
        return take_engine(s, argument);
    case OPTION_SEED:
        return take_seed(s, argument);
    default:
        return result_format_parse(argument, &s->format) == 0
                   ? 0
                   : run_options_refuse("--format", argument, "text, tsv or json", why, why_size);
    }
}

static int choose_run(struct session *s, const char *name)
{
    s->scenario = *replay_find(name);
    int status = 0;
    for (unsigned i = 0; status == 0 && i < s->draw_count; i++)
        status = apply_draw(s, s->draws[i]);
    return status;
}

static int check_run(struct session *s, int count, char **names)
{
    if (count == 0)
        snprintf(s->why, s->why_size, "needs a run: dor2010-run1 or dor2010-run2; see mercury help replay");
    else if (!replay_find(names[0]))
        snprintf(s->why, s->why_size,
                 "%.60s: no published run of this name; expected dor2010-run1 or dor2010-run2", names[0]);
    else if (count > 1)
        snprintf(s->why, s->why_size,
                 "%.60s: what is this? one run is replayed at a time; see mercury help replay", names[1]);
    else if (s->replay.events && (s->replay.clocks == 0 || (double)s->replay.clocks > EVENTS_CLOCKS_MOST))
        snprintf(s->why, s->why_size,
                 "--engine events needs --clocks, up to 2e7: it keeps every element in memory");
    else
        return choose_run(s, names[0]);
    return COMMAND_REFUSED;
}

static int parse_options(int argc, char **argv, struct session *s)
{
    struct run_option_parser parser = {
        .command = "replay",
        .letters = ":p:o:h",
        .options = long_options,
        .shared = &s->shared,
        .own = s,
        .take_own = take_option,
    };
    int status = run_options_parse(&parser, argc, argv, s->why, s->why_size);
    return status || s->shared.help ? status : check_run(s, argc - optind, argv + optind);
}

/* --- the table ------------------------------------------------------------------------------------------- */

enum { OWN_COLUMNS = 7, WORST_CELLS = 3 };

static double difference(const struct session *s, enum replay_cell cell)
{
    double published = s->comparison.published[cell].value;
    return published > 0 ? (s->result.cells[cell].mean - published) / published : NAN;
}

static bool rounds_to_published(const struct session *s, enum replay_cell cell)
{
    const struct replay_published *published = &s->comparison.published[cell];
    double mean = s->result.cells[cell].mean;
    return mean >= published->low && mean <= published->high;
}

static bool is_within(const struct session *s, enum replay_cell cell, double tolerance)
{
    return rounds_to_published(s, cell) || fabs(difference(s, cell)) <= tolerance;
}

static double tolerance(const struct session *s)
{
    return s->fail_over >= 0 ? s->fail_over : REPLAY_TOLERANCE;
}

static void add_sets(const struct session *s, struct result_table *table)
{
    char sets[1024] = "";
    size_t length = 0;
    for (int i = 0; i < s->shared.assignment_count && length < sizeof sets; i++)
        length += (size_t)snprintf(sets + length, sizeof sets - length, "%s%s", i > 0 ? " " : "",
                                   s->shared.assignments[i]);
    if (length > 0)
        result_table_fact(table, "set", sets);
}

static void add_facts(const struct session *s, struct result_table *table)
{
    const struct seed_fractions *f = &s->scenario.fractions;
    const struct replay_result *r = &s->result;
    char draws[160];
    snprintf(draws, sizeof draws, "p_1a=%g trips=%g no_match=%g two_positions=%g p_2=%g", f->p_1a, f->trips,
             f->no_match, f->two_positions, f->p_2);
    result_table_fact(table, "run", s->scenario.name);
    result_table_fact(table, "title", s->scenario.title);
    result_table_fact(table, "draws", draws);
    add_sets(s, table);
    result_table_fact_number(table, "seed", (double)s->replay.seed);
    result_table_fact_number(table, "clocks", (double)r->steady.clocks);
    result_table_fact_number(table, "warm_up_clocks", (double)r->warm_up_clocks);
    result_table_fact_number(table, "frames", (double)r->frames);
}

static void add_row(const struct session *s, enum replay_cell cell, struct result_table *table)
{
    const struct estimate *estimate = &s->result.cells[cell];
    result_table_text(table, replay_cell_name(cell));
    result_table_text(table, replay_cell_unit(cell));
    result_table_text(table, s->comparison.published[cell].text);
    result_table_number(table, estimate->mean);
    result_table_number(table, estimate->half_width);
    result_table_number(table, round(1e6 * difference(s, cell)) / 1e4);
    result_table_text(table, rounds_to_published(s, cell)       ? "rounds"
                             : is_within(s, cell, tolerance(s)) ? "within"
                                                                : "OFF");
    for (unsigned i = 0; i < s->comparison.prediction_count; i++)
        result_table_number(table, s->comparison.predictions[i].values[cell]);
}

/* The cells farthest from what was measured: those without a relative difference first. */
static double badness(const struct session *s, enum replay_cell cell)
{
    double relative = fabs(difference(s, cell));
    return rounds_to_published(s, cell) ? 0 : isnan(relative) ? INFINITY : relative;
}

static void note_cell(const struct session *s, enum replay_cell cell, unsigned rank,
                      struct result_table *table)
{
    double mean = s->result.cells[cell].mean;
    char simulated[32] = "undefined", relative[32] = "";
    if (!isnan(mean))
        snprintf(simulated, sizeof simulated, "%.4g", mean);
    if (!isnan(difference(s, cell)))
        snprintf(relative, sizeof relative, " (%+.1f%%)", 100 * difference(s, cell));
    result_table_note(table, "worst cells, %u: %s %s, measured %s%s", rank, replay_cell_name(cell), simulated,
                      s->comparison.published[cell].text, relative);
}

static void note_worst(const struct session *s, struct result_table *table)
{
    bool told[REPLAY_CELLS] = {false};
    for (unsigned i = 0; i < WORST_CELLS; i++) {
        unsigned worst = 0;
        for (unsigned cell = 1; cell < REPLAY_CELLS; cell++)
            if (told[worst] || (!told[cell] && badness(s, cell) > badness(s, worst)))
                worst = cell;
        told[worst] = true;
        if (badness(s, worst) > 0)
            note_cell(s, worst, i + 1, table);
    }
}

static void note_signal(const struct session *s, enum replay_cell cell, struct result_table *table)
{
    const struct replay_signal *signal = &s->signals[cell];
    const struct replay_published *published = &s->comparison.published[cell];
    if (!signal->name)
        return;
    char other[160] = "";
    if (signal->other_margin != signal->margin)
        snprintf(other, sizeof other, "; fewer than %" PRIu32 ": %.3g, which %s", signal->other_margin,
                 signal->other_value, signal->found ? "would be as measured" : "is still not as measured");
    result_table_note(
        table,
        "%s is on in %.3g of the clocks when fewer than %" PRIu32
        " places are free (%s, a signal nothing waits for, of no published margin); %s stands for "
        "%.3g to %.3g%s",
        replay_cell_name(cell), s->result.cells[cell].mean, signal->margin, signal->name, published->text,
        fmax(0, published->low), published->high, other);
}

/* Models of the same verdict share a line. */
static void note_verdicts(const struct session *s, enum replay_cell cell, struct result_table *table)
{
    const struct replay_comparison *c = &s->comparison;
    for (unsigned i = 0; i < c->prediction_count; i++) {
        const char *verdict = c->predictions[i].verdicts[cell];
        char models[160] = "";
        size_t length = 0;
        bool told = *verdict == '\0';
        for (unsigned j = 0; j < c->prediction_count && !told; j++) {
            if (strcmp(c->predictions[j].verdicts[cell], verdict) != 0)
                continue;
            told = j < i;
            length += (size_t)snprintf(models + length, sizeof models - length, "%s%s", length ? ", " : "",
                                       c->predictions[j].model);
        }
        if (!told)
            result_table_note(table, "%s, %s: %s", replay_cell_name(cell), models, verdict);
    }
}

static void add_notes(const struct session *s, struct result_table *table)
{
    const struct replay_result *r = &s->result;
    unsigned rounding = 0, within = 0;
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++) {
        rounding += rounds_to_published(s, cell);
        within += is_within(s, cell, tolerance(s));
    }
    result_table_note(table, "%u of %d cells within %g%% of what was measured (%u round to it)", within,
                      REPLAY_CELLS, 100 * tolerance(s), rounding);
    note_worst(s, table);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        note_signal(s, cell, table);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        note_verdicts(s, cell, table);
    if (!r->narrow && s->replay.clocks == 0)
        result_table_note(table, "intervals are not as narrow as asked: --most-clocks ended the run");
    if (r->correlated > 0)
        result_table_note(table,
                          "neighbouring frames resemble each other in %u cells: intervals are too narrow",
                          r->correlated);
}

static struct result_table *make_table(const struct session *s, const char **columns)
{
    static const char *const own[OWN_COLUMNS] = {"parameter",  "unit",        "published", "simulated",
                                                 "half_width", "difference%", "verdict"};
    memcpy(columns, own, sizeof own);
    for (unsigned i = 0; i < s->comparison.prediction_count; i++)
        columns[OWN_COLUMNS + i] = s->comparison.predictions[i].model;
    struct result_table *table = result_table_new(columns, OWN_COLUMNS + s->comparison.prediction_count);
    if (!table)
        return NULL;
    add_facts(s, table);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        add_row(s, cell, table);
    add_notes(s, table);
    return table;
}

static int write_table(const struct session *s)
{
    const char *columns[OWN_COLUMNS + REPLAY_MODELS_MAX];
    struct result_table *table = make_table(s, columns);
    if (!table) {
        snprintf(s->why, s->why_size, "out of memory");
        return COMMAND_FAILED;
    }
    const char *path = s->shared.directory ? s->shared.directory : "-";
    int status = result_table_save(table, s->format, path, s->why, s->why_size);
    result_table_destroy(table);
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

/* What enters together must fit, as hardware_check() has it for the table's own groups. */
static int check_groups(struct session *s)
{
    if (s->hardware.board.stage2_matches >= SEED_DRAWS_LARGEST_GROUP)
        return 0;
    snprintf(s->why, s->why_size,
             "fifo.stage2 %" PRIu32 ": expected at least %d, the matches of the largest trip that is drawn",
             s->hardware.board.stage2_matches, SEED_DRAWS_LARGEST_GROUP);
    return COMMAND_REFUSED;
}

/* Ticks are counted in 63 bits; runs of more than a thousandth of that are refused before they begin. */
static int check_ticks(struct session *s)
{
    const struct hardware *h = &s->hardware;
    double slowest = fmin(h->host_supply, hardware_bus_bytes_per_s(h));
    double frame_bytes = fmax(REPLAY_FRAME_WORDS * (double)BYTES_PER_WORD, h->pcix_block_bytes);
    double frame_clocks = frame_bytes / slowest * h->fpga_clock_hz;
    if (frame_clocks < CLOCKS_MOST)
        return 0;
    snprintf(s->why, s->why_size,
             "host.supply or pcix.* is too slow for fpga.clock: a frame of %g bytes would take %.3g clocks, "
             "expected less "
             "than %g",
             frame_bytes, frame_clocks, CLOCKS_MOST);
    return COMMAND_REFUSED;
}

static int load_machine(struct session *s)
{
    char path[OUTPUT_PATH_MAX];
    struct platform *platform = NULL;
    int status = 0;
    s->hardware = hardware_default();
    if (s->shared.platform)
        snprintf(path, sizeof path, "%s", s->shared.platform);
    else
        status = run_options_find_platform(path, sizeof path, s->why, s->why_size);
    if (status == 0 && platform_open(path, &s->hardware, &platform, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    platform_close(platform);
    if (status == 0)
        status = run_options_apply_sets(&s->shared, &s->hardware, s->why, s->why_size);
    if (status == 0 && hardware_check(&s->hardware, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = check_groups(s);
    return status ? status : check_ticks(s);
}

static int explain_signals(struct session *s)
{
    int status = 0;
    for (unsigned cell = 0; cell < REPLAY_CELLS && status == 0; cell++) {
        const struct replay_published *published = &s->comparison.published[cell];
        double off = tolerance(s) * published->value;
        if (replay_cell_is_signal(cell) && !is_within(s, cell, tolerance(s)))
            status = replay_signal_explain(
                &s->replay, &s->result, cell, fmin(published->low, published->value - off),
                fmax(published->high, published->value + off), &s->signals[cell], s->why, s->why_size);
    }
    return status ? COMMAND_FAILED : 0;
}

static int judge(const struct session *s)
{
    unsigned off = 0, worst = 0;
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++) {
        off += !is_within(s, cell, s->fail_over);
        if (badness(s, cell) > badness(s, worst))
            worst = cell;
    }
    if (s->fail_over < 0 || off == 0)
        return 0;
    snprintf(s->why, s->why_size,
             "%u of %d cells are more than %g%% off what was measured; the worst is %s, %.4g against %s", off,
             REPLAY_CELLS, 100 * s->fail_over, replay_cell_name(worst), s->result.cells[worst].mean,
             s->comparison.published[worst].text);
    return COMMAND_FAILED;
}

static int run_session(struct session *s, replay_theory *theory)
{
    int status = load_machine(s);
    if (status == 0 && s->shared.directory && output_probe(s->shared.directory, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status)
        return status;
    s->replay.scenario = &s->scenario;
    s->replay.hardware = &s->hardware;
    s->replay.quiet = s->shared.quiet;
    if (replay_run(&s->replay, &s->result, s->why, s->why_size) != 0)
        return COMMAND_FAILED;
    if (theory(s->scenario.name, &s->result, &s->comparison) != 0) {
        snprintf(s->why, s->why_size, "nothing has streamed that could be compared");
        return COMMAND_FAILED;
    }
    status = explain_signals(s);
    if (status == 0)
        status = write_table(s);
    return status ? status : judge(s);
}

int cmd_replay(int argc, char **argv, replay_theory *theory, char *why, size_t why_size)
{
    struct session s = {.replay = {.seed = 1, .interval = 0.01, .most_clocks = UINT64_C(2000000000)},
                        .fail_over = -1,
                        .why = why,
                        .why_size = why_size};
    int status = parse_options(argc, argv, &s);
    if (status == 0 && s.shared.help) {
        fputs(cmd_replay_help, stdout);
        return COMMAND_OK;
    }
    if (status == 0) {
        run_output_watch_signals();
        status = run_session(&s, theory);
    }
    return status;
}
