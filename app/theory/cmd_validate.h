/* cmd_validate.h - `mercury validate`: a run's summary.json held against every model, with a verdict on each prediction.
 *
 * Output    tables for people, TSV or JSON on standard output, also where --fail-over makes the status 1.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_THEORY_CMD_VALIDATE_H
#define MERCURY_APP_THEORY_CMD_VALIDATE_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_validate_help[];
extern const struct command_option cmd_validate_options[];

/** @param argv  argv[0] is "validate"
 * @return 0; 1 when a prediction inside its domain is farther off than --fail-over, or memory is out; 2 where arguments or
 *         the file are refused */
int cmd_validate(int argc, char **argv, struct why *why);

#endif
