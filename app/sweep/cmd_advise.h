/* cmd_advise.h - `mercury advise`: what tables and FIFOs to build, and which stage to improve next. */
#ifndef MERCURY_APP_SWEEP_CMD_ADVISE_H
#define MERCURY_APP_SWEEP_CMD_ADVISE_H

#include "base/command.h"
#include "base/why.h"
#include "app/run/run_output.h"

extern const char cmd_advise_help[];
extern const struct command_option cmd_advise_options[];

/** @return a COMMAND_* status; `why` is filled unless it is COMMAND_OK */
int cmd_advise(int argc, char **argv, struct why *why);

#endif
