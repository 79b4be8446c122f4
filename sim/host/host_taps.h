/* host_taps.h - what the host's cores did with a pass, as the host's side of its frame, its measurements and its
 * timeline.
 *
 * Models    After the run's times are known (host_schedule.h), the events of a pass's HSPs become lists of clocks, from
 *           which follows what the host's taps saw. Clocks are those of the pass's board, which goes on counting.
 * Order     HSPs that are begun out of their order leave the inbox all the same: what a tap sees of a queue does not
 *           depend on which element leaves it.
 * Parts     HSPs are looked at some hundred at a time, which are in a processor's own cache with all that is made of
 *           them, unless frames that end within the pass are measured or the pass is drawn.
 * Memory    16 bytes per HSP in the inbox at one time, and some 100 KB. If the pass must be in memory as a whole, 56
 *           bytes per HSP, 8 more per HSP in the inbox, and 48 more per HSP if frames that end within it are
 *           measured.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traces/frame.h"
#include "sim/measure/measure.h"
#include "sim/host/host_outline.h"
#include "sim/host/host_schedule.h"
#include "sim/host/host_events.h"

/** What sees the host's side of a pass. A pointer that is NULL leaves its instrument out. */
struct host_instruments {
    struct measure *measure;      /* of SIDE_HOST; the caller finishes it */
    struct host_events *run;      /* is told of the pass, for frames of the run */
    struct host_outline *outline; /* receives what the cores do, and what is in the inbox */
    int64_t end_clock;            /* out: clock of the board in which the pass has ended */
};

/** Complete a pass's frame. @return false if HSPs cannot be read back */
bool host_taps_fill_frame(const struct host_pass *pass, const struct hardware *hardware,
                          struct host_instruments *instruments, struct frame *frame);
