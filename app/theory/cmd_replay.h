/* cmd_replay.h - `mercury replay`: a published run again, beside its publication and what models say. */
#ifndef MERCURY_APP_THEORY_CMD_REPLAY_H
#define MERCURY_APP_THEORY_CMD_REPLAY_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_replay_help[];
extern const struct command_option cmd_replay_options[];

/** @return an enum command_status; COMMAND_FAILED, after the output, if --fail-over is exceeded */
int cmd_replay(int argc, char **argv, struct why *why);

#endif
