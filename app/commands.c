#include "app/commands.h"

const struct command *const commands[] = {&command_run,        &command_retime,
                                          &command_compare,    &command_validate,
                                          &command_predict,    &command_reproduce,
                                          &command_replay,     &command_queue,
                                          &command_share,      &command_sweep,
                                          &command_advise,     &command_measure,
                                          &command_report,     &command_plot,
                                          &command_diff,       &command_explore,
                                          &command_estimate,   &command_platforms,
                                          &command_synth,      &command_explain,
                                          &command_completion, NULL};
