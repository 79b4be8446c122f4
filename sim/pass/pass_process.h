/* pass_process.h - what the process of a pass and the one that waits for it have to agree on.
 *
 * Models    SimGrid has one engine a process, so every pass is simulated in a child that leaves its result in a file in
 *           memory (passes.h, sweep_work.h).
 */
#ifndef MERCURY_SIM_PASS_PASS_PROCESS_H
#define MERCURY_SIM_PASS_PASS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "traces/frame.h"

/** In the child, first: it ends with its parent, and by signals its parent cleans up after; what is ignored stays ignored. */
void pass_process_enter(void);

/** Read so many bytes of a result. @return false where it is shorter */
bool pass_process_read(int file, void *data, size_t bytes);

/** Say why a child ended as it did.
 *
 * @param pass         from 0
 * @param exit_status  waitpid()'s, not 0
 */
void pass_process_explain_end(size_t pass, int exit_status, struct why *why);

/** Whether a frame agrees with itself: Little's law, histograms, conservation. Where not, `why` says so: a bug of
 * Mercury's. */
bool pass_process_check_frame(size_t pass, const struct frame *frame, struct why *why);

#endif
