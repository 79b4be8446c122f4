/* cmd_replay.h - `mercury replay`: a published run again, beside its publication and what models say. */
#ifndef MERCURY_SIM_CMD_REPLAY_H
#define MERCURY_SIM_CMD_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/replay.h"

enum { REPLAY_MODELS_MAX = 12 };

/** What was printed of a cell. */
struct replay_published {
    const char *text; /* as printed */
    double value;     /* of it; 0 for "~0" */
    double low, high; /* what rounds to it */
};

enum { REPLAY_VERDICT_BYTES = 200 };

/** One model's predictions of the cells; NaN: none. */
struct replay_prediction {
    const char *model;
    double values[REPLAY_CELLS];
    char verdicts[REPLAY_CELLS][REPLAY_VERDICT_BYTES]; /* and why; "": none */
};

struct replay_comparison {
    struct replay_published published[REPLAY_CELLS];
    struct replay_prediction predictions[REPLAY_MODELS_MAX];
    unsigned prediction_count;
};

/** What is asked of validate/, which sim/ does not know: a run's publication, and what models say of it.
 *
 * @param run  a scenario's name
 * @return 0, or negative where it has none of that run
 */
typedef int replay_theory(const char *run, const struct replay_result *result, struct replay_comparison *out);

extern const char cmd_replay_help[];

/** @return an enum command_status; COMMAND_FAILED, behind the output, where --fail-over is exceeded */
int cmd_replay(int argc, char **argv, replay_theory *theory, char *why, size_t why_size);

#endif
