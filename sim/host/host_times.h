/* host_times.h - when a run's passes begin and its tasks of stage 3 are done, one event after the other.
 *
 * Errors    an enum host_run_error.
 */
#ifndef MERCURY_SIM_HOST_HOST_TIMES_H
#define MERCURY_SIM_HOST_HOST_TIMES_H

#include "sim/host/host_run.h"

int host_times_compute(const struct host_run *run, struct host_run_result *result);

#endif
