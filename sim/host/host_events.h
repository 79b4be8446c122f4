/* host_events.h - what happens in the host's software over a run: the events of all passes in the order of the run's
 * clocks, for frames of the run.
 *
 * Models    cores and inbox of stage 3 as one host, whatever the passes are whose HSPs are in them: an occupancy of
 *           the inbox is that of the HSPs of all passes.
 * Order     Passes are told in any order, each whole. What happens before all passes that
 *           have not been told yet is measured at once (their first clocks are known), the rest is kept.
 * Memory    120 bytes per HSP and 64 per cluster, and 8 for each stamp of an HSP, of passes that overlap.
 * Errors    NULL if no temporary file can be made.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"
#include "sim/measure/measure.h"
#include "sim/measure/frame_record.h"
#include "sim/measure/measure_report.h"

struct host_events;

/** @param times  of all passes; borrowed, as the plan is */
struct host_events *host_events_new(const struct measure_plan *plan, const struct run_times *times,
                                    size_t pass_count);
void host_events_destroy(struct host_events *events);

/** Tell of a pass. @param part  all of it, in clocks of its board and in no order */
void host_events_add(struct host_events *events, size_t pass, const struct host_part *part);

/** End the run after the last pass. @return 0 or an enum measure_error; `why` says what contradicts itself */
int host_events_end(struct host_events *events, struct why *why);

/** The frame records, after the end. */
struct frame_records host_events_records(const struct host_events *events);
