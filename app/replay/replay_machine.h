/* replay_machine.h - the machine of a replay: that of the options, checked for what replays need of it.
 *
 * Errors    an enum command_status and one line that names the number and says what it expects.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_MACHINE_H
#define MERCURY_APP_THEORY_REPLAY_MACHINE_H

#include "base/why.h"
#include "sim/board/hardware.h"
#include "app/run/run_options.h"

/* Clocks that a replay can count. */
#define REPLAY_CLOCKS_MOST 1e11

/** Load the machine of --platform or --machine, with every --set. */
int replay_machine_load(const struct run_options *options, struct hardware *hardware, struct why *why);

#endif
