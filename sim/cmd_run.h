/* cmd_run.h - `mercury run`: compare a query with a database on the simulated machine. */
#ifndef MERCURY_SIM_CMD_RUN_H
#define MERCURY_SIM_CMD_RUN_H

#include <stddef.h>
#include <stdio.h>

#include "traces/frame.h"

extern const char cmd_run_help[];

/** What `run` asks of validate/, which sim/ does not know: compare a run's frame with theory.
 *
 * @param tsv   written to unless NULL
 * @param text  the same for people, written to unless NULL
 * @return 0 or negative
 */
typedef int run_validator(const struct frame *frame, const struct frame_layout *layout, FILE *tsv,
                          FILE *text);

/** @return an enum command_status */
int cmd_run(int argc, char **argv, run_validator *validate, char *why, size_t why_size);

#endif
