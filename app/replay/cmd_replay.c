#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/why.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/replay/replay.h"
#include "app/replay/replay_report.h"

enum { DRAWS_MAX = 16 };

struct session {
    struct run_options shared; /* its directory is the file of --output */
    struct replay_scenario scenario;
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

static const struct command_option options[] = {
    COMMAND_NUMBER("interval", 0, struct session, replay.interval, 1e-4, 0.5, "a fraction from 1e-4 to 0.5"),
    COMMAND_WHOLE("clocks", 0, struct session, replay.clocks, 1, REPLAY_CLOCKS_MOST,
                  "clocks, from 1 to 1e11"),
    COMMAND_WHOLE("most-clocks", 0, struct session, replay.most_clocks, 1, REPLAY_CLOCKS_MOST,
                  "clocks, from 1 to 1e11"),
    COMMAND_FLAG("wide", 0, struct session, wide),
    COMMAND_PERCENT("fail-over", 0, struct session, fail_over, 0, 1e6, "a number of per cent from 0 to 1e6"),
    COMMAND_SETTINGS("draw", 0, struct session, draws, draw_count),
    COMMAND_CHOICE("engine", 0, struct session, replay.events, run_options_engines),
    COMMAND_WHOLE("seed", 0, struct session, replay.seed, 1, UINT32_MAX, NULL),
    COMMAND_CHOICE("format", 'f', struct session, format, result_format_names),
    COMMAND_TEXT("platform", 'p', struct session, shared.platform),
    COMMAND_TEXT("machine", 0, struct session, shared.machine),
    COMMAND_SETTINGS("set", 0, struct session, shared.assignments, shared.assignment_count),
    COMMAND_TEXT("output", 'o', struct session, shared.directory),
    COMMAND_FLAG("quiet", 0, struct session, shared.quiet),
    COMMAND_OPTIONS_END,
};

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
            return command_number(equals + 1, 0, 1, draws[i].fraction) == 0
                       ? 0
                       : command_refuse("--draw", argument, "a fraction from 0 to 1 after the =", s->why);
    return command_refuse("--draw", argument,
                          "p_1a, trips, no_match, two_positions or p_2, then = and a fraction", s->why);
}

static int parse_options(int argc, char **argv, struct session *s)
{
    int status = command_parse("replay", options, argc, argv, 1, s, s->why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(s->why, COMMAND_REFUSED,
                       "needs a run: dor2010-run1 or dor2010-run2; see mercury help replay");
    const struct replay_scenario *scenario = replay_find(argv[optind]);
    if (!scenario)
        return why_say(s->why, COMMAND_REFUSED,
                       "no such published run '%.60s': expected dor2010-run1 or dor2010-run2", argv[optind]);
    if (s->replay.events && (s->replay.clocks == 0 || (double)s->replay.clocks > EVENTS_CLOCKS_MOST))
        return why_say(s->why, COMMAND_REFUSED,
                       "--engine events needs --clocks, up to 2e7: it keeps every element in memory");
    s->scenario = *scenario;
    for (size_t i = 0; status == 0 && i < s->draw_count; i++)
        status = apply_draw(s, s->draws[i]);
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int report(struct session *s)
{
    struct replay_report report = {
        .options = &s->replay,
        .result = &s->result,
        .validation = &s->validation,
        .published = (enum dor2010_run)dor2010_run_find(s->scenario.name),
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
    if (status == 0 && s->shared.directory)
        status = command_status_of(file_uses_probe(&uses, s->why));
    if (status)
        return status;
    s->replay.scenario = &s->scenario;
    s->replay.hardware = &s->hardware;
    s->replay.windows = window_theory_takes(&s->hardware);
    s->replay.quiet = s->shared.quiet;
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
    struct session s = {.replay = {.seed = 1, .interval = 0.01, .most_clocks = UINT64_C(2000000000)},
                        .fail_over = -1,
                        .why = why};
    int status = parse_options(argc, argv, &s);
    if (status == 0) {
        run_output_begin();
        status = run_session(&s);
    }
    return status;
}

const struct command command_replay = {options, run_command};
