/* measured_extension.h - the HSPs of a block on their way through the host's software, with the stamps they carry.
 *
 * Models    a record that carries the stamps of the ports it passed (Lancaster et al. 2011, section III). A core
 *           extends the HSPs of a block together, so in software they share their clocks.
 * End       an HSP ends with the extension that took it: it is extended or, if it lies on an alignment or a diagonal
 *           that has been extended already, discarded. An HSP whose segment waits for more of its cluster has been
 *           looked at by then, too; what its cluster costs later is charged to a later extension.
 * Memory    a clock for each HSP and each port where some span begins.
 */
#ifndef MERCURY_SIM_MEASURE_MEASURED_EXTENSION_H
#define MERCURY_SIM_MEASURE_MEASURED_EXTENSION_H

#include <stdint.h>

#include "traces/aggregate.h"
#include "sim/measure/channel.h"
#include "sim/measure/measure_plan.h"

struct measured_extension {
    uint64_t hsps;
    int64_t clocks[HOST_EVENTS]; /* clocks of the events that have happened */
    int64_t **origins; /* for each channel of kind CHANNEL_ORIGIN a clock per HSP; NULL for other channels */
    unsigned channel_count;
};

/** The HSPs of a block that has left the board.
 *
 * @param channels  those of the plan, which hold the origins of these HSPs
 * @return NULL if memory is exhausted
 */
struct measured_extension *measured_extension_new(const struct measure_plan *plan,
                                                  const struct samples *channels, uint64_t hsps);
void measured_extension_destroy(struct measured_extension *extension);

/** Add the latency of every HSP up to the event at the span's end, which has just happened. */
void measured_extension_latencies(const struct measured_extension *extension, const struct host_span *span,
                                  struct aggregate *to);

#endif
