/* cmd_reproduce.h - `mercury reproduce`: the published predictions computed again, cell by cell.
 *
 * Output    text or TSV on standard output, also if a cell is not admitted.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_THEORY_CMD_REPRODUCE_H
#define MERCURY_APP_THEORY_CMD_REPRODUCE_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_reproduce_help[];
extern const struct command_option cmd_reproduce_options[];

/** @param argv  argv[0] is "reproduce"
 * @return 0 if every cell is admitted, 1 if one is not, or 2 if arguments are refused */
int cmd_reproduce(int argc, char **argv, struct why *why);

#endif
