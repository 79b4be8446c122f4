/* row_intervals.h - how sure a simulated value is: the 95% intervals of the quantities of a pass and of the run.
 *
 * A pass    has its intervals from the batches inside it ("intervals" of summary.json). They are intervals of this
 *           machine's mean over this input, and take the batches as independent.
 * The run   with ROW_PASSES passes or more has Student's t over the passes as replications (batch_means.h). With fewer
 *           passes it has the interval of the batches of all passes together, each pass with its own mean and its share
 *           of the time (batch_means_of_strata()); that is again one of this machine's mean over this input.
 * None      If there are too few batches, or none in the summary (an older version wrote it), there is a reason
 *           instead.
 */
#ifndef MERCURY_VALIDATE_ROW_INTERVALS_H
#define MERCURY_VALIDATE_ROW_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "validate/verdict.h"

enum { ROW_PASSES = 10 };

struct row_interval {
    double half_width; /* NaN if there is no interval */
    const char *none;  /* the reason if there is none, else NULL */
    double lag1;       /* correlation of neighbouring batches, or passes */
    double largest;    /* largest share of a single batch, or pass, in the variance */
    size_t batches;    /* number of batches, or passes */
};

/** Take the intervals of a pass.
 *
 * @param pass   its object in summary.json
 * @param frame  the verdict that was made of it
 * @param out    MACHINE_QUANTITIES intervals
 */
void row_intervals_of_pass(const json_t *pass, const struct verdict_frame *frame, struct row_interval *out);

/** Make the intervals of the run from those of its passes.
 *
 * @param frames     the run, then its `passes` passes
 * @param intervals  MACHINE_QUANTITIES of each frame; those of the run, the first, are filled
 * @return false if memory is exhausted
 */
bool row_intervals_of_run(const struct verdict_frame *frames,
                          struct row_interval (*intervals)[MACHINE_QUANTITIES], size_t passes);

/** Whether neighbouring batches are too much alike for the interval (batch_means_are_correlated()). */
bool row_interval_is_too_narrow(const struct row_interval *interval);

/** Whether the interval rests on a single batch, or pass (batch_means_rest_on_one()). */
bool row_interval_rests_on_one(const struct row_interval *interval);

#endif
