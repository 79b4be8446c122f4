/* theory_callbacks.h - what main() hands to the commands of sim/ that ask theory: validate/'s answers in their terms.
 *
 * Not part of sim's library, which knows nothing of validate/: linked into the program.
 */
#ifndef MERCURY_APP_THEORY_THEORY_CALLBACKS_H
#define MERCURY_APP_THEORY_THEORY_CALLBACKS_H

#include "app/theory/cmd_queue.h"
#include "app/theory/cmd_replay.h"

queue_theory ask_queue_theory;
replay_theory ask_replay_theory;

#endif
