#include "app/run/run_options.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "base/command.h"

/* What -j takes at most, as many as a cpu_set_t has bits. */
enum { JOBS_MOST = CPU_SETSIZE };

/* What --timeline-pass takes at most, and the cap of a timeline where none is given, bytes. */
enum { PASSES_MOST = 1000000000, TIMELINE_BYTES = 100000000 };

int run_options_refuse(const char *option, const char *value, const char *expected, struct why *why)
{
    return why_say(why, COMMAND_REFUSED, "%s %.60s: expected %s", option, value, expected);
}

int run_options_number(const char *text, double least, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= least && *number <= most ? 0 : -1;
}

static const struct {
    const char *name;
    enum run_format format;
} formats[] = {{"0", FORMAT_PAIRWISE}, {"pairwise", FORMAT_PAIRWISE},
               {"6", FORMAT_TABULAR},  {"7", FORMAT_COMMENTED},
               {"17", FORMAT_SAM},     {"sam", FORMAT_SAM}};

static int take_columns(struct run_options *o, const char *names, struct why *why)
{
    if (columns_parse(names, &o->columns, why) == 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED, "--format: ");
}

/* A format, and names of columns behind it. */
static int take_format(struct run_options *o, const char *argument, struct why *why)
{
    size_t length = strcspn(argument, " ");
    const char *names = argument + length + strspn(argument + length, " ");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strlen(formats[i].name) != length || strncmp(formats[i].name, argument, length) != 0)
            continue;
        o->format = formats[i].format;
        if (o->format == FORMAT_TABULAR || o->format == FORMAT_COMMENTED)
            return take_columns(o, names, why);
        return *names == '\0' ? 0 : run_options_refuse("--format", argument, "columns only with 6 or 7", why);
    }
    return run_options_refuse("--format", argument,
                              "0 (pairwise text), 6 or 7 (tables, e.g. \"6 std btop\") or sam", why);
}

int run_options_refuse_bases(const struct run_options *o, struct why *why)
{
    bool table = o->format == FORMAT_TABULAR || o->format == FORMAT_COMMENTED;
    enum column column = table ? columns_first_of_bases(&o->columns) : COLUMN_KINDS;
    if (table && column == COLUMN_KINDS)
        return 0;
    const char *what = table ? column_name(column) : o->format == FORMAT_SAM ? "sam" : "pairwise text";
    return why_say(why, COMMAND_REFUSED,
                   "--format: %s shows sequences, which a record does not hold; use mercury run", what);
}

int run_options_take_number(const char *option, const char *text, double least, double most,
                            const char *expected, double *number, struct why *why)
{
    return run_options_number(text, least, most, number) == 0
               ? 0
               : run_options_refuse(option, text, expected, why);
}

int run_options_take_whole(const char *option, const char *text, uint64_t least, uint64_t most,
                           const char *expected, uint64_t *number, struct why *why)
{
    double value = 0;
    char range[80];
    snprintf(range, sizeof range, "a whole number from %" PRIu64 " to %" PRIu64, least, most);
    if (run_options_number(text, (double)least, (double)most, &value) != 0 ||
        value != (double)(uint64_t)value)
        return run_options_refuse(option, text, expected ? expected : range, why);
    *number = (uint64_t)value;
    return 0;
}

int run_options_take_engine(const char *text, bool *events, struct why *why)
{
    *events = strcmp(text, "events") == 0;
    return *events || strcmp(text, "fast") == 0 ? 0
                                                : run_options_refuse("--engine", text, "fast or events", why);
}

static int take_jobs(struct run_options *o, const char *argument, struct why *why)
{
    uint64_t jobs = 1;
    int status = run_options_take_whole("--jobs", argument, 1, JOBS_MOST, NULL, &jobs, why);
    o->jobs = (unsigned)jobs;
    return status;
}

/* More than a cpu_set_t has bits are too many for -j, too. */
static unsigned usable_processors(void)
{
    cpu_set_t usable;
    return sched_getaffinity(0, sizeof usable, &usable) == 0 ? (unsigned)CPU_COUNT(&usable) : JOBS_MOST;
}

unsigned run_options_jobs(const struct run_options *o, size_t passes)
{
    unsigned jobs = o->jobs > 0 ? o->jobs : usable_processors();
    return jobs < passes ? jobs : (unsigned)passes;
}

static int take_set(struct run_options *o, const char *argument, struct why *why)
{
    if (o->assignment_count == RUN_ASSIGNMENTS_MAX)
        return why_say(why, COMMAND_REFUSED, "too many --set; write a platform file instead");
    o->assignments[o->assignment_count++] = argument;
    return 0;
}

/* "1.5..2" */
static int take_window(struct run_options *o, const char *argument, struct why *why)
{
    const char *dots = strstr(argument, "..");
    char begin[40];
    double begin_ms = 0, end_ms = 0;
    snprintf(begin, sizeof begin, "%.*s", dots ? (int)(dots - argument) : 0, argument);
    if (!dots || dots - argument >= (int)sizeof begin || run_options_number(begin, 0, 1e9, &begin_ms) != 0 ||
        run_options_number(dots + 2, 0, 1e9, &end_ms) != 0)
        return run_options_refuse("--timeline-window", argument, "BEGIN..END in ms, each from 0 to 1e9", why);
    if (!(begin_ms < end_ms))
        return run_options_refuse("--timeline-window", argument, "BEGIN before END", why);
    o->timeline.begin_s = begin_ms / 1e3;
    o->timeline.end_s = end_ms / 1e3;
    return 0;
}

static int take_cap(struct run_options *o, const char *argument, struct why *why)
{
    double bytes = 0;
    if (run_options_number(argument, TIMELINE_BYTES_LEAST, 1e15, &bytes) != 0)
        return run_options_refuse("--timeline-cap", argument, "bytes, from 4096 to 1e15", why);
    o->timeline.bytes_max = (uint64_t)bytes;
    return 0;
}

static int take_option(const struct run_option_parser *p, int option, const char *argument, struct why *why)
{
    struct run_options *o = p->shared;
    switch (option) {
    case 'p':
        o->platform = argument;
        return 0;
    case 'o':
        o->directory = argument;
        return 0;
    case 'a':
        o->alignments = argument;
        return 0;
    case 'f':
        return take_format(o, argument, why);
    case 'j':
        return take_jobs(o, argument, why);
    case RUN_OPTION_SET:
        return take_set(o, argument, why);
    case RUN_OPTION_TIMELINE:
        o->timeline.path = argument;
        return strcmp(argument, "-") != 0 && *argument
                   ? 0
                   : run_options_refuse("--timeline", argument, "the name of a file", why);
    case RUN_OPTION_PASS:
        return run_options_take_whole("--timeline-pass", argument, 1, PASSES_MOST, NULL, &o->timeline.pass,
                                      why);
    case RUN_OPTION_WINDOW:
        return take_window(o, argument, why);
    case RUN_OPTION_CAP:
        return take_cap(o, argument, why);
    case RUN_OPTION_MEASURE:
        o->measure = argument;
        return 0;
    case RUN_OPTION_CHARGE:
        o->charge = true;
        return 0;
    case RUN_OPTION_QUIET:
        o->quiet = true;
        return 0;
    case 'h':
        o->help = true;
        return 0;
    default:
        return p->take_own(p->own, option, argument, why);
    }
}

/* An unknown letter may stand among others behind one dash, where argv does not show it apart. */
static int refuse_argument(const struct run_option_parser *p, const char *argument, const char *what,
                           struct why *why)
{
    char letter[] = {'-', (char)optopt, '\0'};
    bool unknown_letter = optopt > ' ' && optopt < 127 && !strchr(p->letters, optopt);
    return why_say(why, COMMAND_REFUSED, "%.60s: %s; see mercury help %s", unknown_letter ? letter : argument,
                   what, p->command);
}

int run_options_refuse_operand(const char *command, int argc, char **argv, struct why *why)
{
    if (optind == argc)
        return 0;
    return why_say(why, COMMAND_REFUSED,
                   "%.60s: what is this? options take a value behind them; see mercury help %s", argv[optind],
                   command);
}

/* What is not said of a timeline; what is said needs one. */
static int complete_timeline(struct timeline_request *t, struct why *why)
{
    const char *needless = t->pass            ? "--timeline-pass"
                           : t->end_s > 0     ? "--timeline-window"
                           : t->bytes_max > 0 ? "--timeline-cap"
                                              : NULL;
    if (!t->path && needless)
        return why_say(why, COMMAND_REFUSED, "%s: there is no timeline; name its file with --timeline",
                       needless);
    t->pass = t->pass ? t->pass : 1;
    t->bytes_max = t->bytes_max ? t->bytes_max : TIMELINE_BYTES;
    return 0;
}

int run_options_check_timeline(const struct run_options *o, size_t passes, struct why *why)
{
    if (!o->timeline.path || o->timeline.pass <= passes)
        return 0;
    return why_say(why, COMMAND_REFUSED,
                   "--timeline-pass %" PRIu64 ": expected a pass from 1 to %zu, which this run has",
                   o->timeline.pass, passes);
}

int run_options_parse(const struct run_option_parser *parser, int argc, char **argv, struct why *why)
{
    *parser->shared = (struct run_options){.format = FORMAT_TABULAR, .columns = columns_standard()};
    opterr = 0;
    optind = 1;
    int option, status = 0;
    while (status == 0 && (option = getopt_long(argc, argv, parser->letters, parser->options, NULL)) != -1) {
        if (option == ':' || option == '?')
            return refuse_argument(parser, argv[optind - 1],
                                   option == ':' ? "needs a value" : "no such option", why);
        status = take_option(parser, option, optarg, why);
    }
    return status == 0 ? complete_timeline(&parser->shared->timeline, why) : status;
}

/* Scores by the name of a preset. */
static int apply_scores(const char *name, struct hardware *hardware, struct why *why)
{
    char names[64] = "";
    for (int i = 0; i < SCORING_PRESETS; i++) {
        if (strcmp(name, scoring_presets[i].name) == 0) {
            hardware->scoring = scoring_presets[i].scoring;
            return 0;
        }
        const char *comma = i == 0 ? "" : i == SCORING_PRESETS - 1 ? " or " : ", ";
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", comma, scoring_presets[i].name);
    }
    return run_options_refuse("--scores", name, names, why);
}

bool run_options_set(const struct run_options *options, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < options->assignment_count; i++)
        if (strncmp(options->assignments[i], name, length) == 0 && options->assignments[i][length] == '=')
            return true;
    return false;
}

int run_options_apply_sets(const struct run_options *options, struct hardware *hardware, struct why *why)
{
    for (int i = 0; i < options->assignment_count; i++)
        if (hardware_set_assignment(hardware, options->assignments[i], why) != 0)
            return why_precede(why, COMMAND_REFUSED, "--set ");
    return 0;
}

int run_options_change_machine(const struct run_options *options, const char *preset,
                               struct hardware *hardware, struct scoring_statistics *statistics,
                               struct why *why)
{
    struct scoring platform_scores = hardware->scoring;
    int status = preset ? apply_scores(preset, hardware, why) : 0;
    if (status == 0)
        status = run_options_apply_sets(options, hardware, why);
    if (status == 0 && (hardware_check(hardware, why) != 0 ||
                        scoring_statistics_compute(&hardware->scoring, statistics, why) != 0))
        status = COMMAND_REFUSED;
    if (status == 0 && !run_options_set(options, "stage2.threshold") &&
        hardware_follow_scores(hardware, &platform_scores, why) != 0)
        status = COMMAND_REFUSED;
    return status;
}

bool run_options_find_data(const char *name, char *path, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    if (length > 0)
        *strrchr(program, '/') = '\0';
    static const char *const places[] = {"data", "../share/mercury"};
    for (unsigned i = 0; length > 0 && i < 2; i++) {
        char candidate[2 * PATH_MAX], found[PATH_MAX];
        int wanted = snprintf(candidate, sizeof candidate, "%s/%s/%s", program, places[i], name);
        if (wanted < (int)sizeof candidate && realpath(candidate, found) && strlen(found) < size) {
            strcpy(path, found);
            return true;
        }
    }
    return false;
}

int run_options_open_platform(const struct run_options *options, char path[PATH_MAX],
                              struct hardware *hardware, struct platform **platform, struct why *why)
{
    *hardware = hardware_default();
    if (options->platform)
        snprintf(path, PATH_MAX, "%s", options->platform);
    else if (!run_options_find_data("platforms/mercury-2010.xml", path, PATH_MAX))
        return why_say(why, COMMAND_REFUSED, "no platform file found beside the program; name one with -p");
    return platform_open(path, hardware, platform, why) == 0 ? 0 : COMMAND_REFUSED;
}
