/* isolated_frames.h - what a board moved over the bus alone, as frames for theory (model/closed/isolated_run.h).
 *
 * Requests  are the blocks and tables that a board waits for, in units of a whole block; tables are as many blocks as
 *           they have room for. From the time when one is asked for until the next one is, all frames have their part
 *           of it, whatever the bus did meanwhile: a frame may be shorter than a block. Records are spread over
 *           the same time, and tables of a later pass, which load meanwhile, over the stream beside them.
 * Memory    64 bytes per frame.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_ISOLATED_FRAMES_H
#define MERCURY_APP_THEORY_ISOLATED_FRAMES_H

#include <stddef.h>

#include "base/why.h"
#include "model/closed/isolated_run.h"
#include "sim/pass/board_runs.h"

#define ISOLATED_FRAMES_MOST 2000000

/** Cut a run into frames.
 *
 * @param name         of the run, for the message
 * @param step_s       length of a frame; the last one may be shorter
 * @param block_bytes  of a whole block
 * @param frames       out, for free()
 */
int isolated_frames_make(const struct board_run *run, const char *name, double step_s, double block_bytes,
                         struct isolated_frame **frames, size_t *count, struct why *why);

/** Bytes that were moved, of requests and of all transfers. */
double isolated_frames_bytes(const struct board_run *run, bool only_awaited);

#endif
