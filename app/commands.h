/* commands.h - the subcommands of mercury, in the order of the general help. Each has a cmd_NAME.c, a help text, and a
 * manual page (app/meson.build). */
#pragma once

#include "base/command.h"

/* clang-format off */
/* Name, usage and purpose; the last two are for the general help. */
#define COMMAND_ROWS(ROW) \
    ROW(run, "run -q QUERY -d DATABASE", "compare sequences on the simulated machine") \
    ROW(retime, "retime RECORD", "time a recorded run on another machine") \
    ROW(compare, "compare --with TABLE ...", "judge Mercury by another program") \
    ROW(validate, "validate SUMMARY", "compare a run with every model") \
    ROW(bound, "bound RUN", "say what can never happen with these data") \
    ROW(predict, "predict FILE", "ask queueing theory only") \
    ROW(reproduce, "reproduce dor2010", "compute published predictions again") \
    ROW(replay, "replay RUN", "simulate a published run again") \
    ROW(queue, "queue --lambda L --mu M", "simulate plain queues") \
    ROW(share, "share RUN RUN...", "say how boards on one bus slow each other") \
    ROW(sweep, "sweep --vary NAME=RANGE ...", "run many machines and keep the results") \
    ROW(advise, "advise -q QUERY -d DATABASE", "find tables and FIFOs worth building") \
    ROW(measure, "measure --list", "list what can be measured") \
    ROW(report, "report DIR", "write the page of a run, with pictures") \
    ROW(plot, "plot DIR", "draw one picture of a run") \
    ROW(diff, "diff A B", "say what changed from one run to another") \
    ROW(export, "export DIR --as FORMAT", "write a run as another program's model") \
    ROW(explore, "explore DIR", "change a run's machine in the browser") \
    ROW(estimate, "estimate FILE...", "estimate machines that nobody has") \
    ROW(platforms, "platforms [NAME]", "list the machines that come with Mercury") \
    ROW(synth, "synth --length N", "write a synthetic genome") \
    ROW(explain, "explain WORD", "say what a number or a word means") \
    ROW(completion, "completion SHELL", "print the script for a shell")
/* clang-format on */

#define COMMAND_DECLARED(name, usage, purpose) extern const struct command command_##name;
COMMAND_ROWS(COMMAND_DECLARED)

struct command_row {
    const char *name, *usage, *purpose, *help;
    const struct command *command;
};

/** All of them; the last has no name. */
extern const struct command_row commands[];
