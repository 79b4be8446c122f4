/* theory_callbacks.h - what main() hands to the commands of sim/ that ask theory: validate/'s answers in their terms.
 *
 * Not part of sim's library, which knows nothing of validate/: linked into the program.
 */
#ifndef MERCURY_SIM_THEORY_CALLBACKS_H
#define MERCURY_SIM_THEORY_CALLBACKS_H

#include "sim/cmd_queue.h"
#include "sim/cmd_replay.h"

queue_theory ask_queue_theory;
replay_theory ask_replay_theory;

#endif
