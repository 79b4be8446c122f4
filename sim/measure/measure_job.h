/* measure_job.h - the HSPs of a block on their way through the host's software, with what is to be known of them there.
 *
 * Models    a record that carries the stamps of the ports it passed (Lancaster et al. 2011, section III). A core takes the
 *           HSPs of a block together, so in software they share their clocks.
 * End       an HSP ends with the job that took it: extended or, where it lies on an alignment or a diagonal already
 *           extended, discarded. One whose segment waits for more of its cluster has been looked at by then, too; what its
 *           cluster costs later is a later job's.
 * Memory    a clock for each HSP and each port where some span begins.
 */
#ifndef MERCURY_SIM_MEASURE_MEASURE_JOB_H
#define MERCURY_SIM_MEASURE_MEASURE_JOB_H

#include <stdint.h>

#include "sim/measure/channel.h"
#include "sim/measure/measure_plan.h"
#include "traces/aggregate.h"

struct measure_job {
    uint64_t hsps;
    int64_t clocks[HOST_EVENTS]; /* of those events that have been */
    int64_t **origins;           /* of each channel CHANNEL_ORIGIN, an HSP each; NULL for others */
    unsigned channel_count;
};

/** HSPs that have left the board.
 *
 * @param channels  a plan's, which hold the origins of these HSPs
 * @return NULL when memory is out
 */
struct measure_job *measure_job_new(const struct measure_plan *plan, const struct samples *channels,
                                    uint64_t hsps);
void measure_job_destroy(struct measure_job *job);

/** Add the latency of every HSP up to the event at the span's end, which has just been. */
void measure_job_latencies(const struct measure_job *job, const struct host_span *span, struct aggregate *to);

#endif
