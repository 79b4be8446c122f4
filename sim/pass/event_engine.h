/* event_engine.h - simulates the board of a pass a second time, element by element, and compares.
 *
 * Models    `--engine events`: while the pass runs, what bus and host gave every block (w, v, h) and the block's
 *           tokens are kept. Then every word, seed, trip, match and record goes through SimGrid actors (events.h).
 *           Every clock of every element must be the one that the recurrences gave, so that taps and directives
 *           measure the same by either engine. A difference is a bug of Mercury's and ends the run.
 * Memory    the tokens of a whole pass.
 * Errors    a negative EVENT_ENGINE_E* code and one line.
 */
#ifndef MERCURY_SIM_PASS_EVENT_ENGINE_H
#define MERCURY_SIM_PASS_EVENT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "blast/stages12/tokens.h"
#include "traces/frame.h"
#include "sim/board/hardware.h"
#include "sim/simgrid/events.h"

enum event_engine_error {
    EVENT_ENGINE_EMEMORY = -1,
    EVENT_ENGINE_ERUN = -2,     /* the events cannot be run */
    EVENT_ENGINE_EDIFFERS = -3, /* the engines disagree */
    EVENT_ENGINE_EMODULE = -4,  /* what is linked to SimGrid cannot be loaded */
};

struct event_log {
    struct events_block *blocks;
    size_t count, room;
};

/** Keep a block: the `watch_block` of struct pass_instruments, whose `watcher` is a struct event_log.
 *  @return false if memory is exhausted */
bool event_log_block(void *log, const struct tokens *tokens, const struct bus_share *share);
void event_log_destroy(struct event_log *log);

/** Run blocks by events, and compare the clocks of every element.
 *
 * @param frame  of their pass, after SimGrid has run in this process; NULL: it has not
 */
int event_engine_compare(const struct event_log *log, const struct hardware *hardware,
                         const struct frame *frame, struct why *why);

#endif
