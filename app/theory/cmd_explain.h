/* cmd_explain.h - `mercury explain`: what a reported number means, how it is computed, and from which paper
 * (traces/explain.h).
 *
 * Output    on standard output.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_THEORY_CMD_EXPLAIN_H
#define MERCURY_APP_THEORY_CMD_EXPLAIN_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_explain_help[];
extern const struct command_option cmd_explain_options[];

/** @param argv  argv[0] is "explain"
 * @return 0, or 2 if an argument is refused */
int cmd_explain(int argc, char **argv, struct why *why);

#endif
