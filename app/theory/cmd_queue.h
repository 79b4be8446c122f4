/* cmd_queue.h - `mercury queue`: queues in tandem in SimGrid, beside what queueing theory says of them. */
#ifndef MERCURY_APP_THEORY_CMD_QUEUE_H
#define MERCURY_APP_THEORY_CMD_QUEUE_H

#include <stddef.h>

#include "base/why.h"

extern const char cmd_queue_help[];

/** @return an enum command_status */
int cmd_queue(int argc, char **argv, struct why *why);

#endif
