/* commands.h - the subcommands of mercury, in the order of the general help. Each has a cmd_NAME.c, and, by
 * app/meson.build, a manual page. */
#pragma once

#include "base/command.h"

/* clang-format off */
#define COMMAND_ROWS(ROW) \
    ROW(run) ROW(retime) ROW(compare) ROW(validate) ROW(bound) ROW(predict) ROW(reproduce) ROW(replay) \
    ROW(queue) ROW(share) ROW(sweep) ROW(advise) ROW(measure) ROW(report) ROW(plot) ROW(diff) ROW(export) \
    ROW(explore) ROW(estimate) ROW(platforms) ROW(synth) ROW(explain) ROW(completion)
/* clang-format on */

#define COMMAND_DECLARED(name) extern const struct command command_##name;
COMMAND_ROWS(COMMAND_DECLARED)

/** All of them, then NULL. */
extern const struct command *const commands[];
