/* cmd_queue.h - `mercury queue`: queues in tandem in SimGrid, beside what queueing theory says of them. */
#ifndef MERCURY_APP_THEORY_CMD_QUEUE_H
#define MERCURY_APP_THEORY_CMD_QUEUE_H

#include <stddef.h>

#include "base/why.h"
#include "app/theory/queue_report.h"

/** What is asked of validate/, which sim/ does not know: every model's answer.
 *
 * @param predictions  QUEUE_MODELS_MAX of them
 * @return how many were made
 */
typedef unsigned queue_theory(const struct queue_line *tandem, const struct queue_line_result *result,
                              struct queue_prediction *predictions);

extern const char cmd_queue_help[];

/** @return an enum command_status */
int cmd_queue(int argc, char **argv, queue_theory *theory, struct why *why);

#endif
