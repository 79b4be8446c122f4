/* event_engine.h - a pass's board once more, element by element, and whether it comes out the same.
 *
 * Models    `--engine events`: what bus and host gave the board in a pass (w, v, h of every block) and what its blocks
 *           did are kept while the pass runs; then every word, seed, trip, match and record goes through SimGrid actors
 *           (events.h). Every clock of every element must be what the recurrences gave, so what directives measure is
 *           the same by either; the taps are fed with the events' clocks, and every measure of the board's queues must
 *           be the same, too. A difference is a bug of Mercury's and ends the run.
 * Memory    the tokens of a whole pass.
 * Errors    a negative EVENT_ENGINE_E* code and one line.
 */
#ifndef MERCURY_SIM_PASS_EVENT_ENGINE_H
#define MERCURY_SIM_PASS_EVENT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "blast/stages12/tokens.h"
#include "sim/board/board.h"
#include "sim/board/hardware.h"
#include "traces/frame.h"

enum event_engine_error {
    EVENT_ENGINE_EMEMORY = -1,
    EVENT_ENGINE_ERUN = -2,     /* the events cannot be run, or not traced */
    EVENT_ENGINE_EDIFFERS = -3, /* the engines disagree */
};

struct event_log {
    struct tokens *tokens;
    struct bus_share *shares;
    size_t count, room;
};

/** Keep a block; of the form system_run() calls (system.h), `log` is a struct event_log.
 *  @return false when memory is out */
bool event_log_block(void *log, const struct tokens *tokens, const struct bus_share *share);
void event_log_destroy(struct event_log *log);

/** Run the blocks of a pass by events, after SimGrid has run in this process.
 *
 * @param paje_file  trace to write, or NULL
 * @param frame      the pass's; its measures of the board are replaced by those of the events, which are the same
 */
int event_engine_run(const struct event_log *log, const struct hardware *hardware, const char *paje_file,
                     struct frame *frame, struct why *why);

#endif
