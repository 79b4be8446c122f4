/* measure_setup.h - what a run is asked to measure: from the file of directives to a plan for its machine.
 *
 * Default   data/directives/default.tt, found as the platform is; "none" measures nothing but the frames of passes, and
 *           so does a run without a directory, which has no place for more.
 * Errors    COMMAND_* and one line.
 */
#ifndef MERCURY_APP_RUN_MEASURE_SETUP_H
#define MERCURY_APP_RUN_MEASURE_SETUP_H

#include <stddef.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/measure_report.h"
#include "app/run/run_options.h"

struct measure_setup {
    struct directives directives;
    struct measure_plan *plan;     /* NULL: nothing asked for */
    struct measure_report *report; /* likewise */
};

/** Read and bind what --measure names. @param hardware  checked; borrowed */
int measure_setup_open(struct measure_setup *setup, const struct run_options *options,
                       const struct hardware *hardware, struct why *why);
void measure_setup_close(struct measure_setup *setup);

#endif
