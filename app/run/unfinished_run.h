/* unfinished_run.h - what mercury run --resume finds in the directory of a run that was stopped.
 *
 * File      unfinished.passes: the passes that have ended (sim/pass/pass_store.h), and the command that asked for the
 *           run: its working directory and its arguments. It is gone when the run has written everything else.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"
#include "sim/pass/pass_store.h"

/** A command: its working directory and its arguments, each with a NUL after it. */
struct command_line {
    char *bytes; /* for free() */
    size_t count;
};

/** Describe the command of this process. @param argv  argc of them; the first is not kept */
int command_line_take(int argc, char **argv, struct command_line *line, struct why *why);

/** A command as one line, for people: arguments in which blanks or other letters stand that a shell would take are
 *  quoted, and -j, --memory and --quiet are left out, on which no result depends. @param argv  without the name of the
 *  program. @return NULL if memory is exhausted; for free() */
char *command_line_print(int argc, char **argv);

/** The file in the directory of a run. @return `path` */
const char *unfinished_run_path(const char *directory, char *path, size_t size);

/** Open what a run has left in its directory. @param store  out, for pass_store_close(), NULL after an error */
int unfinished_run_open(const char *directory, struct pass_store **store, struct why *why);

/** Go to the working directory of the command that asked for the run.
 *  @param argv  out: `name`, its arguments, then NULL; the list is for free(), the texts are the store's */
int unfinished_run_enter(const struct pass_store *store, char *name, int *argc, char ***argv,
                         struct why *why);
