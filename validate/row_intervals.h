/* row_intervals.h - how sure a simulated value is: 95% intervals of a pass's quantities, and of the run's.
 *
 * A pass    has them from the batches inside it, as summary.json's "intervals" say: of this machine's mean over this input,
 *           batches taken as independent.
 * The run   with ROW_PASSES passes or more: Student's t over them, as replications (batch_means.h). With fewer: from the
 *           batches of all passes together, each pass with its own mean and its share of the time
 *           (batch_means_of_strata()): again of this machine's mean over this input.
 * None      where the batches are too few, or the summary has none (an older one): the reason stands in their place.
 */
#ifndef MERCURY_VALIDATE_ROW_INTERVALS_H
#define MERCURY_VALIDATE_ROW_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "validate/verdict.h"

enum { ROW_PASSES = 10 };

struct row_interval {
    double half_width; /* NaN: none */
    const char *none;  /* then why */
    double lag1;       /* of neighbouring batches, or passes */
    double largest;    /* share of one batch, or pass, in the variance */
    size_t batches;    /* or passes */
};

/** What a pass's interval is over.
 *
 * @param pass   object of summary.json
 * @param frame  judged from it
 * @param out    MACHINE_QUANTITIES
 */
void row_intervals_of_pass(const json_t *pass, const struct verdict_frame *frame, struct row_interval *out);

/** The run's.
 *
 * @param frames     the run, then its passes: `passes` + 1
 * @param intervals  theirs, MACHINE_QUANTITIES each; the run's, the first, are filled
 * @return false when memory is out
 */
bool row_intervals_of_run(const struct verdict_frame *frames,
                          struct row_interval (*intervals)[MACHINE_QUANTITIES], size_t passes);

/** Whether neighbouring batches are too much alike for the interval (batch_means_are_correlated()). */
bool row_interval_is_too_narrow(const struct row_interval *interval);

/** Whether it rests on a single batch, or pass (batch_means_rest_on_one()). */
bool row_interval_rests_on_one(const struct row_interval *interval);

#endif
