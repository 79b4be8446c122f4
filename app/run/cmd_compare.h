/* cmd_compare.h - mercury compare: which alignments of another program Mercury has, and where it lost the others.
 *
 * Errors    a COMMAND_* status and one line; COMMAND_FAILED also if less is covered than --fail-under demands.
 */
#ifndef MERCURY_APP_RUN_CMD_COMPARE_H
#define MERCURY_APP_RUN_CMD_COMPARE_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_compare_help[];
extern const struct command_option cmd_compare_options[];

int cmd_compare(int argc, char **argv, struct why *why);

#endif
