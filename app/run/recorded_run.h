/* recorded_run.h - the token record of a run, if the run is named by its directory.
 *
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_RECORDED_RUN_H
#define MERCURY_APP_THEORY_RECORDED_RUN_H

#include <limits.h>
#include <stdbool.h>

#include "base/why.h"

/** Whether a file begins as a token record does. */
bool recorded_run_is_record(const char *path);

/** Find the one *.tokens of a directory.
 *
 * @param record    out
 * @param expected  what the user could give instead, for the message
 */
int recorded_run_find(const char *directory, char record[PATH_MAX], const char *expected, struct why *why);

#endif
