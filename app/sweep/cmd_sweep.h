/* cmd_sweep.h - `mercury sweep`: many machines over the same sequences, kept in a store. */
#ifndef MERCURY_APP_SWEEP_CMD_SWEEP_H
#define MERCURY_APP_SWEEP_CMD_SWEEP_H

#include "base/command.h"
#include "base/why.h"
#include "app/run/run_output.h"

extern const char cmd_sweep_help[];
extern const struct command_option cmd_sweep_options[];

/** @return a COMMAND_* status; `why` is filled unless it is COMMAND_OK */
int cmd_sweep(int argc, char **argv, struct why *why);

#endif
