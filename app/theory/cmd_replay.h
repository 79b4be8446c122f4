/* cmd_replay.h - `mercury replay`: a published run again, beside its publication and what models say. */
#ifndef MERCURY_APP_THEORY_CMD_REPLAY_H
#define MERCURY_APP_THEORY_CMD_REPLAY_H

#include <stddef.h>

#include "base/why.h"
#include "app/theory/replay_report.h"

/** What is asked of validate/, which sim/ does not know: a run's publication, and what models say of it.
 *
 * @param run  a scenario's name
 * @return 0, or negative where it has none of that run
 */
typedef int replay_theory(const char *run, const struct replay_result *result, struct replay_comparison *out);

extern const char cmd_replay_help[];

/** @return an enum command_status; COMMAND_FAILED, behind the output, where --fail-over is exceeded */
int cmd_replay(int argc, char **argv, replay_theory *theory, struct why *why);

#endif
