/* run_events.h - what happens in the host's software over a run: the events of all passes in the order of the run's
 * clocks, for frames of the run.
 *
 * Models    cores and inbox of stage 3 as one host, whatever the passes are whose HSPs are in them: an occupancy of the
 *           inbox is that of the HSPs of all passes.
 * Order     Passes are told in any order, each whole and in order of its clocks. What happens before all passes that
 *           have not been told yet is measured at once (their origins are known), the rest is kept.
 * Memory    144 bytes per HSP and 96 per cluster, and 8 for each stamp of an HSP, of passes that overlap.
 * Errors    false or NULL: memory is exhausted, or there is no temporary file.
 */
#ifndef MERCURY_SIM_HOST_RUN_EVENTS_H
#define MERCURY_SIM_HOST_RUN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "sim/measure/measure.h"
#include "sim/measure/run_frames.h"

struct run_events;

/** @param times  of all passes; borrowed, as the plan is */
struct run_events *run_events_new(const struct measure_plan *plan, const struct run_times *times,
                                  size_t pass_count);
void run_events_destroy(struct run_events *events);

/** Begin to tell of a pass.
 *
 * @param count   number of its events at most
 * @param stamps  of its HSPs, in clocks of the pass's board
 */
bool run_events_begin_pass(struct run_events *events, size_t pass, size_t count, const int64_t *stamps,
                           size_t stamp_count);

/** Tell what happens next in the pass. @param first_stamp  index of the first of the HSP's stamps */
void run_events_add(struct run_events *events, const struct host_happening *happening, size_t first_stamp);
void run_events_end_pass(struct run_events *events);

/** End the run after the last pass. @return 0 or an enum measure_error; `why` says what contradicts itself */
int run_events_end(struct run_events *events, struct why *why);

/** File descriptor of the frame records, after the end. */
int run_events_records(const struct run_events *events);

#endif
