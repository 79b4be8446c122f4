/* cmd_compare.h - mercury compare: what another program found, and what became of it here.
 *
 * Errors    a COMMAND_* status and one line; COMMAND_FAILED also where less is covered than --fail-under asks for.
 */
#ifndef MERCURY_APP_RUN_CMD_COMPARE_H
#define MERCURY_APP_RUN_CMD_COMPARE_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_compare_help[];
extern const struct command_option cmd_compare_options[];

int cmd_compare(int argc, char **argv, struct why *why);

#endif
