/* cmd_run.h - `mercury run`: compare a query with a database on the simulated machine. */
#ifndef MERCURY_APP_RUN_CMD_RUN_H
#define MERCURY_APP_RUN_CMD_RUN_H

#include "base/command.h"
#include "base/why.h"
#include "app/run/run_output.h"

extern const char cmd_run_help[];
extern const struct command_option cmd_run_options[];

/** @return an enum command_status */
int cmd_run(int argc, char **argv, struct why *why);

#endif
