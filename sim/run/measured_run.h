/* measured_run.h - what is measured of a run over frames of the run, whose borders in a pass are known only when the
 * passes before it are.
 *
 * Models    nothing. First the run is timed without measurements, which tells when each pass begins; then its passes
 *           are timed again from their tokens and measured, their place in the run known. Measuring that is not charged
 *           changes no time, so both runs have the same times.
 * Errors    those of passes_run(); PASS_EBUG if the times differ.
 */
#ifndef MERCURY_SIM_PASS_MEASURED_RUN_H
#define MERCURY_SIM_PASS_MEASURED_RUN_H

#include "base/why.h"
#include "sim/pass/passes.h"

/** Measure a run that was timed without measurements: everything that is asked for, also frames of passes.
 *
 * @param passes  how it was run; only machine, jobs and quiet matter
 * @param timed   its result
 * @param record  its tokens
 * @param plan    what is measured
 * @param report  receives it
 */
int measured_run_time(const struct passes *passes, const struct passes_result *timed,
                      const struct token_record *record, const struct measure_plan *plan,
                      struct measure_report *report, struct why *why);

#endif
