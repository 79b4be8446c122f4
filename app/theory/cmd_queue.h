/* cmd_queue.h - `mercury queue`: queues in tandem in SimGrid, beside what queueing theory says of them. */
#ifndef MERCURY_APP_THEORY_CMD_QUEUE_H
#define MERCURY_APP_THEORY_CMD_QUEUE_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_queue_help[];
extern const struct command_option cmd_queue_options[];

/** @return an enum command_status */
int cmd_queue(int argc, char **argv, struct why *why);

#endif
