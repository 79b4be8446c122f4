/* rank_environment.h - what mpirun tells the processes that it starts, before they join MPI.
 *
 * Models    environment variables of Open MPI, and of others that follow PMI.
 * Errors    COMMAND_REFUSED and one line, of rank 0 only.
 */
#ifndef MERCURY_APP_RUN_RANK_ENVIRONMENT_H
#define MERCURY_APP_RUN_RANK_ENVIRONMENT_H

#include <stdbool.h>

#include "base/why.h"

/** Whether mpirun has started this process. */
bool rank_environment_is_set(void);

/** The number of processes that mpirun has started; 1 if it has not started this one. */
int rank_environment_size(void);

/** Refuse to do in several processes what each of them would do as a whole.
 *
 * @param reason  why, and what to do instead
 * @param status  out: the status to end with, if this is refused; ranks beyond the first end in silence
 * @return whether this is refused
 */
bool rank_environment_refuse(const char *reason, int *status, struct why *why);

#endif
