#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/picture.h"
#include "base/file/file_uses.h"
#include "base/why.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/replay/replay.h"
#include "app/replay/replay_report.h"
#include "app/replay/replay_vary.h"
#include "app/replay/timetrial.h"
#include "app/options.inc"

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
