/* cmd_sweep.h - `mercury sweep`: many machines over the same sequences, kept in a store. */
#ifndef MERCURY_APP_SWEEP_CMD_SWEEP_H
#define MERCURY_APP_SWEEP_CMD_SWEEP_H

#include <stddef.h>

#include "base/why.h"
#include "app/run/run_output.h"

extern const char cmd_sweep_help[];

/** @return a COMMAND_* status; `why` is filled unless it is COMMAND_OK */
int cmd_sweep(int argc, char **argv, struct why *why);

#endif
