/* cmd_predict.h - `mercury predict`: what queueing theory says, from inputs alone.
 *
 * Output    one table per case as text, TSV or JSON on standard output; nothing if a case cannot be read.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_THEORY_CMD_PREDICT_H
#define MERCURY_APP_THEORY_CMD_PREDICT_H

#include "base/command.h"
#include "base/why.h"

/** The text of --help. */
extern const char cmd_predict_help[];
extern const struct command_option cmd_predict_options[];

/** @param argv  argv[0] is "predict"
 * @return 0, 1 if memory is exhausted, or 2 if arguments or input are refused */
int cmd_predict(int argc, char **argv, struct why *why);

#endif
