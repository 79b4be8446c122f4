/* cmd_retime.h - `mercury retime`: the passes of a recorded run again, under other timing.
 *
 * Promise   the files are those that `mercury run` would write with the same numbers, run.json's wall clock apart.
 *           Numbers that change what the stages compute cannot be changed; every number that is not known to be one
 *           of timing is taken for such.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_RUN_CMD_RETIME_H
#define MERCURY_APP_RUN_CMD_RETIME_H

#include "base/command.h"
#include "base/why.h"
#include "app/run/run_output.h"

extern const char cmd_retime_help[];
extern const struct command_option cmd_retime_options[];

/** @return an enum command_status */
int cmd_retime(int argc, char **argv, struct why *why);

#endif
