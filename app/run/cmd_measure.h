/* cmd_measure.h - `mercury measure`: what can be measured, and how to ask for it. */
#ifndef MERCURY_APP_RUN_CMD_MEASURE_H
#define MERCURY_APP_RUN_CMD_MEASURE_H

#include "base/command.h"
#include "base/why.h"

/** The text of `mercury help measure`: purpose, options, the language. */
const char *cmd_measure_help(void);

extern const struct command_option cmd_measure_options[];

int cmd_measure(int argc, char **argv, struct why *why);

#endif
