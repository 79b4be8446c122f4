/* queue_watch.h - a simulated pipeline seen instant by instant: waveforms, a timeline, and what directives ask for.
 *
 * Waveforms of each stage how many elements wait, how many servers serve, and whether somebody waits outside
 *           (vcd.h).
 * Timeline  the first two of them as counters (timeline.h). Both files end after WATCH_BYTES bytes, and are right to
 *           their last time.
 * Measured  directives (directive.h, mercury help measure). Taps have the stages' names in lower-case letters,
 *           digits and '_'. NAME is a stage: rate of those that leave, utilisation, occupancy with those at the
 *           servers, back_pressure while somebody waits outside. NAME_queue has the occupancy of its queue, NAME_in
 *           the rate of those that come in. Frames are of the run or of seconds; the run is without its warm-up, and
 *           the last frame ends with it.
 * Columns   measurement, metric, tap, unit, frame (from 1; run: the whole run), begin_s, end_s, aggregate, value. Bins
 *           of histograms are aggregates, "share[0..3]".
 * Numbers   times of aggregates are whole numbers of WATCH_UNITS in the shortest mean service.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/file/file_uses.h"
#include "base/why.h"
#include "sim/simgrid/queue_network.h"

enum { WATCH_BYTES = 1 << 26, WATCH_UNITS = 1 << 20 };

/** Paths; NULL: not asked for. */
struct queue_watch_request {
    const char *vcd, *timeline;
    const char *measure;  /* of directives */
    const char *measured; /* of the table that answers them */
};

struct queue_watch;

/** Tell of the files. */
void queue_watch_note(const struct queue_watch_request *request, struct file_uses *uses);

/** Begin to watch a line that was checked, whose watcher it becomes. @return NULL after an error */
struct queue_watch *queue_watch_begin(const struct queue_watch_request *request, struct queue_line *line,
                                      struct why *why);

/** Finish the files if `status` is 0, or give them up, and free it.
 *
 * @param watch  may be NULL
 * @param cut    out: waveforms or timeline end before the run
 * @return the status
 */
int queue_watch_end(struct queue_watch *watch, int status, bool *cut, struct why *why);
