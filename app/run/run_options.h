/* run_options.h - options that several subcommands take, and how they are parsed.
 *
 * Errors    COMMAND_REFUSED and one line that names the option and what it expects.
 */
#ifndef MERCURY_APP_RUN_RUN_OPTIONS_H
#define MERCURY_APP_RUN_RUN_OPTIONS_H

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "blast/write/columns.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_timeline.h"
#include "sim/pass/platform.h"

enum { RUN_ASSIGNMENTS_MAX = 256 };

/** Options without a letter; a subcommand's own begin at RUN_OPTION_OWN. */
enum run_option {
    RUN_OPTION_SET = 256,
    RUN_OPTION_QUIET,
    RUN_OPTION_MEASURE,
    RUN_OPTION_CHARGE,
    RUN_OPTION_TIMELINE,
    RUN_OPTION_PASS,
    RUN_OPTION_WINDOW,
    RUN_OPTION_CAP,
    RUN_OPTION_OWN
};

/** Of the alignments; numbers are blastn's -outfmt. */
enum run_format { FORMAT_PAIRWISE = 0, FORMAT_TABULAR = 6, FORMAT_COMMENTED = 7, FORMAT_SAM = 17 };

struct run_options {
    const char *platform, *directory, *alignments, *measure; /* NULL: not given */
    const char *assignments[RUN_ASSIGNMENTS_MAX];
    int assignment_count;
    struct timeline_request timeline;
    unsigned jobs; /* 0: not given, see run_options_jobs() */
    enum run_format format;
    struct columns columns; /* of FORMAT_TABULAR and FORMAT_COMMENTED */
    bool charge;            /* what measuring costs (measuring_cost.h) */
    bool quiet, help;
};

/** For struct option tables and getopt's letters. */
#define RUN_OPTIONS_LONG                                                                                     \
    {"platform", required_argument, NULL, 'p'}, {"output", required_argument, NULL, 'o'},                    \
        {"alignments", required_argument, NULL, 'a'}, {"format", required_argument, NULL, 'f'},              \
        {"jobs", required_argument, NULL, 'j'}, {"set", required_argument, NULL, RUN_OPTION_SET},            \
        {"quiet", no_argument, NULL, RUN_OPTION_QUIET},                                                      \
        {"measure", required_argument, NULL, RUN_OPTION_MEASURE},                                            \
        {"charge-measurement", no_argument, NULL, RUN_OPTION_CHARGE},                                        \
        {"timeline", required_argument, NULL, RUN_OPTION_TIMELINE},                                          \
        {"timeline-pass", required_argument, NULL, RUN_OPTION_PASS},                                         \
        {"timeline-window", required_argument, NULL, RUN_OPTION_WINDOW},                                     \
        {"timeline-cap", required_argument, NULL, RUN_OPTION_CAP},                                           \
    {                                                                                                        \
        "help", no_argument, NULL, 'h'                                                                       \
    }
#define RUN_OPTIONS_LETTERS "p:o:a:f:j:h"

/** For help: where run and retime write, and what they measure and draw. */
#define RUN_OPTIONS_HELP_OUTPUT                                                                              \
    "  -o, --output DIR      write alignments.tsv, summary.json, histograms.tsv, validation.tsv and "        \
    "run.json there,\n"                                                                                      \
    "                        and the readable summary to standard output\n"                                  \
    "  -a, --alignments FILE write the alignments there; - is standard output, the default without -o\n"
#define RUN_OPTIONS_HELP_MEASURE                                                                             \
    "      --measure FILE    what to measure, see mercury help measure; none: nothing but totals "           \
    "(default:\n"                                                                                            \
    "                        data/directives/default.tt, with -o)\n"                                         \
    "      --charge-measurement  charge the machine for that (measure.*)\n"                                  \
    "      --timeline FILE   draw a pass for ui.perfetto.dev: queues, stalls, trips, cores\n"                \
    "      --timeline-pass N which one, from 1 (default 1)\n"                                                \
    "      --timeline-window B..E  only from B to E ms (default all)\n"                                      \
    "      --timeline-cap N  at most N bytes; it says if it was cut (default 100e6)\n"

/** How a subcommand's arguments are parsed. */
struct run_option_parser {
    const char *command; /* for "see mercury help ..." */
    const char *letters; /* getopt's, beginning with ':' */
    const struct option *options;
    struct run_options *shared;
    void *own;
    int (*take_own)(void *own, int option, const char *argument, struct why *why);
};

/** @return 0, and getopt's optind is the first argument that is no option */
int run_options_parse(const struct run_option_parser *parser, int argc, char **argv, struct why *why);

int run_options_refuse(const char *option, const char *value, const char *expected, struct why *why);

/** Of a subcommand that takes options only: refuse what else there is behind them. */
int run_options_refuse_operand(const char *command, int argc, char **argv, struct why *why);

/** Refuse formats and columns that show bases, which a record does not hold. */
int run_options_refuse_bases(const struct run_options *options, struct why *why);

/** A number from text, all of it. @return 0 or negative */
int run_options_number(const char *text, double least, double most, double *number);

/** The value of an option, a number. @param expected  for the message */
int run_options_take_number(const char *option, const char *text, double least, double most,
                            const char *expected, double *number, struct why *why);

/** The value of an option, a whole number.
 *
 * @param least     from 0
 * @param most      up to 2^53
 * @param expected  for the message; NULL: "a whole number from ... to ..."
 * @param number    stays where the value is refused
 */
int run_options_take_whole(const char *option, const char *text, uint64_t least, uint64_t most,
                           const char *expected, uint64_t *number, struct why *why);

/** The value of --engine: whether it is events, not fast. */
int run_options_take_engine(const char *text, bool *events, struct why *why);

/** Processes at a time: those of -j, else one a processor this process may use; never more than there are passes. */
unsigned run_options_jobs(const struct run_options *options, size_t passes);

/** Refuse to draw a pass that there is not. */
int run_options_check_timeline(const struct run_options *options, size_t passes, struct why *why);

/** Change the machine by every --set, in order; hardware_check() is still to be called. */
int run_options_apply_sets(const struct run_options *options, struct hardware *hardware, struct why *why);

/** Whether a --set names this parameter. */
bool run_options_set(const struct run_options *options, const char *name);

/** To a platform's machine: a preset of scores (NULL: none), every --set, and what follows from both; checked. */
int run_options_change_machine(const struct run_options *options, const char *preset,
                               struct hardware *hardware, struct scoring_statistics *statistics,
                               struct why *why);

/** Find a file that comes with Mercury ("platforms/mercury-2010.xml"): in the folder data beside the program, as in a build
 * directory, or in ../share/mercury, as in an installation.
 *  @return whether it is there */
bool run_options_find_data(const char *name, char *path, size_t size);

/** Open the platform of -p or the one that comes with Mercury; the machine's numbers are its own, --set is still to come.
 *
 * @param path      out: the platform's file
 * @param hardware  out: set whole
 * @param platform  out, for platform_close(), which takes NULL
 */
int run_options_open_platform(const struct run_options *options, char path[PATH_MAX],
                              struct hardware *hardware, struct platform **platform, struct why *why);

#endif
