/* part_times.h - how long a recorded run takes on its machine with one part free.
 *
 * Models    the run's passes, timed again from their tokens, without taps (passes.h, only_times).
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_PART_TIMES_H
#define MERCURY_SIM_PASS_PART_TIMES_H

#include "base/why.h"
#include "sim/board/machine_part.h"
#include "sim/pass/passes.h"

/** Time recorded passes again.
 *
 * @param part    that is free, or MACHINE_PARTS: none is
 * @param result  as of passes_run(), for passes_result_destroy(); of its frames only the run's has a duration, and none
 *                has more
 */
int part_times_run(const struct passes *recorded, enum machine_part part, struct passes_result *result,
                   struct why *why);

/** The time of the run with a part free, joining included. */
int part_times_find(const struct passes *recorded, enum machine_part part, double *run_s, struct why *why);

#endif
