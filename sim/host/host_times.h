/* host_times.h - when a run's passes begin and its tasks of stage 3 are done, by recurrences.
 *
 * Models    host_schedule.h without events. Tasks are looked at in the order in which they become ready; each begins at
 *
 *               begin = max(ready, the least time at which a core is free)
 *
 *           and keeps that core for its cycles. Both terms never decrease, so the order is that of first come, first
 *           served. A cluster becomes ready when the last HSP that waits for it is done, or when the stream passes it
 *           if that is later; both are known as soon as that HSP has begun.
 * Memory    that of the passes which have begun and are not finished, of the largest of them, kept for the next.
 * Errors    an enum host_error.
 */
#pragma once

#include "sim/host/host_schedule.h"

/** A run whose host is computed while its passes are still being simulated. */
struct host_times;

/** @param run  its callbacks' data are borrowed */
struct host_times *host_times_new(const struct host_schedule *run);
void host_times_destroy(struct host_times *times);

/** Go on, as far as it can be known from the first passes. @param passes  number of passes that can be loaded by now */
int host_times_advance(struct host_times *times, size_t passes);

/** Go on to the end of the run, all of whose passes can be loaded. */
int host_times_end(struct host_times *times, struct host_schedule_result *result);

/** All of it at once. */
int host_times_compute(const struct host_schedule *run, struct host_schedule_result *result);
