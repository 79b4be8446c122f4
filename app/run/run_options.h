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

/* clang-format off */
/** For the help of commands whose machine is mercury-2010 unless the user names another. */
#define RUN_OPTIONS_HELP_MACHINE \
    "  -p, --platform FILE    the machine: a SimGrid platform, lines 'NAME = VALUE'\n" \
    "                         of what differs, or a machine that comes with Mercury\n" \
    "                         (mercury platforms; default: mercury-2010)\n" \
    "      --machine NAME     the same, by name only\n"

#define RUN_OPTIONS_HELP_MEMORY \
    "      --memory SIZE      keep within SIZE bytes, such as 2G or 512Mi, whatever\n" \
    "                         the data are (default: half of the machine's memory);\n" \
    "                         HSPs for which there is no room go to files in TMPDIR;\n" \
    "                         the results do not depend on it\n"

/** For the help of run and retime: what they write, measure and draw. */
#define RUN_OPTIONS_HELP_OUTPUT \
    "  -o, --output DIR       write report.html (a page with pictures),\n" \
    "                         alignments.tsv (or another ending, by format),\n" \
    "                         summary.txt, summary.json and tables of all\n" \
    "                         measurements to DIR, and the answer to standard output\n" \
    "      --no-report        with -o: leave report.html out; mercury report DIR\n" \
    "                         writes it later\n" \
    "  -a, --alignments FILE  write the alignments to FILE; - is standard output, the\n" \
    "                         default without -o\n" \
    "      --full             print all of summary.txt, not the answer only\n" \
    "      --json             print summary.json, not the answer; with -o or -a\n" \
    "      --mapq N           sam, bam, paf, bed: only mappings of quality N or more,\n" \
    "                         from 0 (default: all) to 60\n"

#define RUN_OPTIONS_HELP_MEASURE \
    "Measurements, with -o\n" \
    "      --measure FILE     measure what FILE says, see mercury help measure, or a\n" \
    "                         set of directives, such as timetrial2011; none: only\n" \
    "                         totals (default: data/directives/default.tt)\n" \
    "      --charge-measurement\n" \
    "                         charge the machine for measuring: bytes over the bus\n" \
    "                         by what is asked, part of a core (--set measure.*)\n" \
    "      --timeline FILE    draw the run for ui.perfetto.dev: passes on boards,\n" \
    "                         blocks on the bus, busy stages, the hosts' cores,\n" \
    "                         and in detail one pass: queues, stalls, SRAM trips\n" \
    "      --vcd FILE         draw one pass clock by clock for GTKWave or Surfer:\n" \
    "                         valid, ready, level and back-pressure of each FIFO,\n" \
    "                         busy and stall of each stage\n" \
    "      --fst FILE         the same as FST, which is smaller (needs gtkwave)\n" \
    "      --export-times TAP=FILE\n" \
    "                         list the times between arrivals at a queue (wmer_fifo\n" \
    "                         ...) in one pass, in seconds, one per line: what the\n" \
    "                         replayers of JMT and LINE read; or, for a table of\n" \
    "                         stages, how many elements leave stage_1a.out,\n" \
    "                         stage_1bd.out or stage_2.out for each that comes, or\n" \
    "                         the times of stage_1bd.service\n" \
    "      --timeline-pass N  number of this pass, from 1 (default 1)\n" \
    "      --timeline-window BEGIN..END\n" \
    "                         draw only from BEGIN to END ms of it (default all)\n" \
    "      --timeline-cap N   write at most N bytes to a file (default 100e6): the\n" \
    "                         run in steps that fit, then of the one pass what fits;\n" \
    "                         the summary says how fine, and if something is missing\n"
/* clang-format on */

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

/** To a platform's machine: a preset of scores (NULL: none), every --set, and what follows from both; checked. */
int run_options_change_machine(const struct run_options *options, const char *preset,
                               struct hardware *hardware, struct scoring_statistics *statistics,
                               struct why *why);

/** Find a file that comes with Mercury ("platforms/mercury-2010.xml"): in the folder data beside the program, as in
 * a build directory, or in ../share/mercury, as in an installation. @return whether it is there */
bool run_options_find_data(const char *name, char *path, size_t size);

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
