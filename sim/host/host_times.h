/* host_times.h - when a run's passes begin and its tasks of stage 3 are done, by recurrences.
 *
 * Models    host_run.h without events. Tasks are looked at in the order in which they become ready; each begins at
 *
 *               begin = max(ready, the least time at which a core is free)
 *
 *           and keeps that core for its cycles. Both terms never decrease, so the order is that of first come, first
 *           served. A cluster becomes ready when the last HSP that waits for it is done, or when the stream passes it
 *           if that is later; both are known as soon as that HSP has begun.
 * Memory    that of the passes which have begun and are not finished.
 * Errors    an enum host_run_error.
 */
#ifndef MERCURY_SIM_HOST_HOST_TIMES_H
#define MERCURY_SIM_HOST_HOST_TIMES_H

#include "sim/host/host_run.h"

int host_times_compute(const struct host_run *run, struct host_run_result *result);

#endif
