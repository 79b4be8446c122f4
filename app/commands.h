/* commands.h - the subcommands of mercury, in the order of the general help. */
#ifndef MERCURY_APP_COMMANDS_H
#define MERCURY_APP_COMMANDS_H

#include "base/command.h"

extern const struct command command_run, command_retime, command_compare, command_validate, command_predict,
    command_reproduce, command_replay, command_queue, command_share, command_sweep, command_advise,
    command_measure, command_report, command_plot, command_diff, command_export, command_explore,
    command_estimate, command_platforms, command_synth, command_explain, command_completion;

/** All of them, then NULL. */
extern const struct command *const commands[];

#endif
