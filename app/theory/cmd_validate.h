/* cmd_validate.h - `mercury validate`: compares a run's summary.json with every model, with a verdict on each
 * prediction.
 *
 * Output    text, TSV or JSON on standard output, also if --fail-over makes the status 1.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_THEORY_CMD_VALIDATE_H
#define MERCURY_APP_THEORY_CMD_VALIDATE_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_validate_help[];
extern const struct command_option cmd_validate_options[];

/** @param argv  argv[0] is "validate"
 * @return 0; 1 if a prediction with the verdict "inside" differs by more than --fail-over, or memory is exhausted; 2 if
 *         arguments or the file are refused */
int cmd_validate(int argc, char **argv, struct why *why);

#endif
