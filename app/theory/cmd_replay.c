#include "app/theory/cmd_replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"
#include "base/command.h"
#include "base/output.h"
#include "sim/pass/platform.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/theory/replay_report.h"
#include "sim/measure/machine_frame.h"

const char cmd_replay_help[] =
    "Usage: mercury replay RUN [options]\n"
    "\n"
    "Replays a published run of the real machine: random seeds with the fractions of\n"
    "that run go through the board's clock rules until the 95% confidence intervals\n"
    "are narrow. Prints what was measured on the machine, what is simulated, what the\n"
    "publication predicts (printed_...), and what models predict from the rates of\n"
    "the simulated run.\n"
    "\n"
    "  RUN                   dor2010-run1 (human chromosome 1 against mouse: nothing\n"
    "                        is saturated) or dor2010-run2 (vertebrate against mammal\n"
    "                        mRNA: stage 1b is saturated)\n"
    "      --interval F      half-width of every interval as a fraction of its mean,\n"
    "                        1e-4 to 0.5 (default 0.01); means below 1 seed, 0.1\n"
    "                        matches or 0.01 of the clocks count as these\n"
    "      --clocks N        simulate N clocks after the warm-up, up to 1e11, however\n"
    "                        wide the intervals are\n"
    "      --most-clocks N   stop narrowing the intervals after N clocks (default\n"
    "                        2e9)\n"
    "      --fail-over P     end with status 1 if a cell differs from what was\n"
    "                        measured by more than P per cent and does not round to\n"
    "                        what was printed either (~0 stands for less than 5\n"
    "                        elements)\n"
    "      --draw NAME=VALUE change a fraction of the draws; may be repeated. p_1a:\n"
    "                        seeds per w-mer; trips: per seed; no_match: fraction of\n"
    "                        the other seeds; two_positions: fraction of the rest;\n"
    "                        p_2: HSPs per match\n"
    "      --set NAME=VALUE  change one number of the machine; may be repeated\n"
    "  -p, --platform FILE   SimGrid platform with the machine's numbers (default:\n"
    "                        data/platforms/mercury-2010.xml)\n"
    "      --engine E        fast (default), or events: move every element through\n"
    "                        SimGrid, too, and compare; for up to 2e7 --clocks\n"
    "      --seed S          seed of the random numbers, 1 to 4294967295 (default 1);\n"
    "                        the same seed gives the same bytes\n"
    "      --format F        text (default), tsv or json\n"
    "  -o, --output FILE     write to FILE; - is standard output (default)\n"
    "      --quiet           print no progress\n"
    "  -h, --help            print this text\n"
    "\n"
    "Columns   verdict: the cell rounds (to what was printed), is within\n"
    "          (--fail-over, or 7 per cent) or OFF. half_width is that of the 95%\n"
    "          interval, by batch means over frames of about 3e5 clocks, Student's t.\n"
    "          The lines below the table are verdicts on the models (mercury help\n"
    "          validate): outside, violated, inside. N_Q_1bp and N_Q_1bd are the two\n"
    "          queues of 1b, N_Q_1b both together; P_BP is a fraction of the clocks.\n"
    "\n"
    "Examples:\n"
    "  mercury replay dor2010-run2\n"
    "  mercury replay dor2010-run1 --fail-over 7 --format tsv -o run1.tsv\n"
    "  mercury replay dor2010-run2 --set fifo.wmer_margin=14   # explains P_BP_1b?\n"
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
    struct validation validation;
    struct why *why;
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
    return run_options_refuse(option, argument, expected, s->why);
}

static int take_clocks(struct session *s, const char *option, const char *argument, uint64_t *clocks)
{
    double number = 0;
    int status =
        run_options_take_number(option, argument, 1, CLOCKS_MOST, "clocks, 1 to 1e11", &number, s->why);
    *clocks = status ? *clocks : (uint64_t)number;
    return status;
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
    uint64_t seed = 0;
    int status = run_options_take_whole("--seed", argument, 1, UINT32_MAX, NULL, &seed, s->why);
    s->replay.seed = (unsigned long)seed;
    return status;
}

static int take_fail_over(struct session *s, const char *argument)
{
    double per_cent = 0;
    int status =
        run_options_take_number("--fail-over", argument, 0, 1e6, "per cent, 0 to 1e6", &per_cent, s->why);
    s->fail_over = per_cent / 100;
    return status;
}

static int take_option(void *own, int option, const char *argument, struct why *why)
{
    struct session *s = own;
    switch (option) {
    case OPTION_INTERVAL:
        return run_options_take_number("--interval", argument, 1e-4, 0.5, "a fraction from 1e-4 to 0.5",
                                       &s->replay.interval, why);
    case OPTION_CLOCKS:
        return take_clocks(s, "--clocks", argument, &s->replay.clocks);
    case OPTION_MOST_CLOCKS:
        return take_clocks(s, "--most-clocks", argument, &s->replay.most_clocks);
    case OPTION_FAIL_OVER:
        return take_fail_over(s, argument);
    case OPTION_DRAW:
        return take_draw(s, argument);
    case OPTION_ENGINE:
        return run_options_take_engine(argument, &s->replay.events, why);
    case OPTION_SEED:
        return take_seed(s, argument);
    default:
        return result_format_parse(argument, &s->format, why);
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
        why_say(s->why, 0, "needs a run: dor2010-run1 or dor2010-run2; see mercury help replay");
    else if (!replay_find(names[0]))
        why_say(s->why, 0, "%.60s: no published run of this name; expected dor2010-run1 or dor2010-run2",
                names[0]);
    else if (count > 1)
        why_say(s->why, 0, "%.60s: what is this? one run is replayed at a time; see mercury help replay",
                names[1]);
    else if (s->replay.events && (s->replay.clocks == 0 || (double)s->replay.clocks > EVENTS_CLOCKS_MOST))
        why_say(s->why, 0, "--engine events needs --clocks, up to 2e7: it keeps every element in memory");
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
    int status = run_options_parse(&parser, argc, argv, s->why);
    return status || s->shared.help ? status : check_run(s, argc - optind, argv + optind);
}

/* --- the command ----------------------------------------------------------------------------------------- */

/* What enters together must fit, as hardware_check() has it for the table's own groups. */
static int check_groups(struct session *s)
{
    if (s->hardware.board.stage2_matches >= SEED_DRAWS_LARGEST_GROUP)
        return 0;
    return why_say(s->why, COMMAND_REFUSED,
                   "fifo.stage2 %" PRIu32
                   ": expected at least %d, the matches of the largest trip that is drawn",
                   s->hardware.board.stage2_matches, SEED_DRAWS_LARGEST_GROUP);
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
    return why_say(
        s->why, COMMAND_REFUSED,
        "host.supply or pcix.* is too slow for fpga.clock: a frame of %g bytes would take %.3g clocks, "
        "expected less "
        "than %g",
        frame_bytes, frame_clocks, CLOCKS_MOST);
}

static int load_machine(struct session *s)
{
    char path[PATH_MAX];
    struct platform *platform = NULL;
    int status = run_options_open_platform(&s->shared, path, &s->hardware, &platform, s->why);
    platform_close(platform);
    if (status == 0)
        status = run_options_apply_sets(&s->shared, &s->hardware, s->why);
    if (status == 0 && hardware_check(&s->hardware, s->why) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = check_groups(s);
    return status ? status : check_ticks(s);
}

static int report(struct session *s)
{
    struct replay_report report = {
        .options = &s->replay,
        .result = &s->result,
        .validation = &s->validation,
        .published = (enum dor2010_run)dor2010_run_find(s->scenario.name),
        .sets = s->shared.assignments,
        .set_count = s->shared.assignment_count,
        .tolerance = s->fail_over >= 0 ? s->fail_over : REPLAY_TOLERANCE,
    };
    int status = replay_report_explain(&report, s->why);
    if (status == 0)
        status = replay_report_save(&report, s->format, s->shared.directory, s->why);
    return status == 0 && s->fail_over >= 0 ? replay_report_judge(&report, s->why) : status;
}

static int run_session(struct session *s)
{
    int status = load_machine(s);
    if (status == 0 && s->shared.directory && output_probe(s->shared.directory, s->why) != 0)
        status = COMMAND_REFUSED;
    if (status)
        return status;
    s->replay.scenario = &s->scenario;
    s->replay.hardware = &s->hardware;
    s->replay.quiet = s->shared.quiet;
    if (replay_run(&s->replay, &s->result, s->why) != 0)
        return COMMAND_FAILED;
    if (validation_of_frame(&s->result.steady, &machine_layout, VERDICT_EVERY_MODEL, &s->validation,
                            s->why) != 0)
        return COMMAND_FAILED;
    status = report(s);
    validation_destroy(&s->validation);
    return status;
}

int cmd_replay(int argc, char **argv, struct why *why)
{
    struct session s = {.replay = {.seed = 1, .interval = 0.01, .most_clocks = UINT64_C(2000000000)},
                        .fail_over = -1,
                        .why = why};
    int status = parse_options(argc, argv, &s);
    if (status == 0 && s.shared.help) {
        fputs(cmd_replay_help, stdout);
        return COMMAND_OK;
    }
    if (status == 0) {
        run_output_watch_signals();
        status = run_session(&s);
    }
    return status;
}
