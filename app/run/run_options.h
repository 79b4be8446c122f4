/* run_options.h - options that several subcommands take, and the machine they describe.
 *
 * Errors    COMMAND_REFUSED and one line that names the option and says what it expects.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/command.h"
#include "base/why.h"
#include "blast/write/columns.h"
#include "blast/write/format.h"
#include "sim/board/hardware.h"
#include "sim/drawing/drawing_request.h"
#include "sim/pass/pass_set.h"
#include "sim/platform/platform.h"

enum { RUN_ASSIGNMENTS_MAX = 256, RUN_SCORES = 4 };

struct run_options {
    const char *platform, *machine, *directory, *alignments, *measure; /* NULL if not given */
    const char *assignments[RUN_ASSIGNMENTS_MAX];                      /* of --set */
    size_t assignment_count;
    const char *scores[RUN_SCORES]; /* of --reward, --penalty, --gapopen and --gapextend; NULL if not given */
    struct drawing_request drawing;
    unsigned jobs;         /* 0 if not given, see run_options_jobs() */
    uint64_t memory_bytes; /* 0 if not given, see run_options_bound() */
    const struct alignment_format *format;
    struct columns columns; /* of tables */
    unsigned mapq;          /* least quality of the mappings in formats that have one */
    bool charge;            /* charge the machine for being measured (measuring_cost.h) */
    bool full;              /* print everything, not the answer only */
    bool json;              /* print summary.json in place of the answer */
    bool no_report;         /* leave the page out (report.h) */
    bool quiet;
};

/** Tables of options, for COMMAND_TABLE. The first is for everything that simulates passes: --platform,
 *  --machine, --set, --jobs and --quiet. The second is for --memory and for what run and retime write, measure and
 *  draw. */
extern const struct command_option run_options_of_passes[], run_options_of_output[];

/** Tabular alignments with the standard columns. */
struct run_options run_options_default(void);

/** The files that are drawn, and their options. */
enum { RUN_DRAWINGS = 4 };
struct drawn_file {
    const char *option, *path; /* the latter: NULL if it was not given */
};
struct drawn_file run_options_drawn(const struct run_options *options, unsigned i);

/** Whether something of the run is to be drawn. */
bool run_options_draw(const struct run_options *options);

/** Give a drawing the values that the user left out; refuse options of a drawing if there is none, FST if nothing can
 *  write it, and --mapq with a format that has no mapping quality. */
int run_options_complete(struct run_options *options, struct why *why);

/** Refuse to draw a pass that the run does not have. */
int run_options_check_drawing(const struct run_options *options, size_t passes, struct why *why);

/** Refuse formats and columns that show bases, which a record does not hold. */
int run_options_refuse_bases(const struct run_options *options, struct why *why);

/** Names of the engines, for COMMAND_CHOICE with a bool: whether it is events. */
extern const char *const run_options_engines[];

/** Processors to use: those of -j, else all that this process may use; never more than `most`, the number of passes
 * where each takes one processor. */
unsigned run_options_jobs(const struct run_options *options, size_t most);

/** Bound the memory of passes whose number of jobs is known. */
void run_options_bound(const struct run_options *options, struct pass_handling *how);

/** Change the machine by every --set, in order; hardware_check() is still to be called. */
int run_options_apply_sets(const struct run_options *options, struct hardware *hardware, struct why *why);

/** Whether a --set names this parameter. */
bool run_options_set(const struct run_options *options, const char *name);

/** To a platform's machine: a preset of scores (from 1; 0: none), every --set, and what follows from both; checked. */
int run_options_change_machine(const struct run_options *options, unsigned preset, struct hardware *hardware,
                               struct scoring_statistics *statistics, struct why *why);

/** Find a file that comes with Mercury, "platforms/mercury-2010.xml", which is named as by printf(): in the folder data
 * beside the program, as in a build directory, or in ../share/mercury, as in an installation.
 *  @return whether it is there */
bool run_options_find_data(char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Find a file that a user names: "-", a file that is there, or else one that comes with Mercury,
 *  data/FOLDER/NAMESUFFIX. @return `name`, also if there is none, or `path` */
const char *run_options_find_file(const char *name, const char *folder, const char *suffix,
                                  char path[PATH_MAX]);

/** Append the nearest name in data/FOLDER to the line that refuses a file. */
void run_options_suggest_file(const char *name, const char *folder, struct why *why);

/** Find a file of directives, or a set of them: what is neither a path with a slash nor a file is the name of a set
 *  beside default.tt, with or without its ".tt". @param name  "-" is standard input; @param path  out */
int run_options_find_directives(const char *name, char path[PATH_MAX], struct why *why);

/** A machine that comes with Mercury. */
struct machine_preset {
    const char *name;    /* its file is data/platforms/NAME.xml */
    const char *purpose; /* what the machine is for, in one line */
};

/** All of them, the default machine first; the last one has no name. */
extern const struct machine_preset machine_presets[];

/** Find a machine by its name. @return NULL, and one line, if there is none */
const struct machine_preset *machine_preset_find(const char *name, struct why *why);

/** Find the platform file of a machine that comes with Mercury. */
int run_options_find_machine(const char *name, char path[PATH_MAX], struct why *why);

/** Whether the user named a machine, by -p or by --machine. */
bool run_options_name_machine(const struct run_options *options);

/** Open the platform of -p or of --machine, or that of the default machine. The machine gets the platform's numbers;
 * run_options_apply_sets() is still to be called.
 *
 * @param path      out: the platform's file
 * @param platform  out, for platform_close(), also on error
 */
int run_options_open_platform(const struct run_options *options, char path[PATH_MAX],
                              struct hardware *hardware, struct platform **platform, struct why *why);
