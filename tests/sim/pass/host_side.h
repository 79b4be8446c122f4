/* host_side.h - the host's side of a pass that a test simulates alone: what passes.h does after the last pass. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "traces/frame.h"
#include "sim/board/hardware.h"
#include "sim/host/host_schedule.h"

/** Hand a pass over to another process. @param file  of both processes; the pass's tasks are destroyed */
void host_side_hand_over(struct host_pass *pass, FILE *file);

/** Compute the host of a run of this pass alone, and complete its frame.
 *
 * @param agent_share  of a core; 0: there is no agent, and SimGrid is not asked
 * @return time of a core that the agent took [s]
 */
double host_side_complete(FILE *file, const struct hardware *hardware, const char *platform_file,
                          double agent_share, struct frame *frame);
