/* host_actors.h - the host of a run in SimGrid: an actor per board and per core.
 *
 * Models    sim/host/host_schedule.h. The host's speed is one flop per clock of a core. An agent that takes a share
 *           of a core shares the cores with stage 3 as SimGrid's processor model says.
 * Limits    one call per process: SimGrid has one engine per process.
 * Errors    an enum host_error.
 */
#pragma once

#include "sim/host/host_schedule.h"

/** @param platform_file  for simgrid_load_platform(); the platform has been checked
 *  @param agent_share    of a core, that the measurement agent takes while the run lasts; 0: there is none
 *  @param agent_s        out: time of a core that the agent took */
int host_actors_run(const struct host_schedule *run, const char *platform_file, double agent_share,
                    struct host_schedule_result *result, double *agent_s);
