/* predict_summary.h - a prediction's inputs from the summary.json of a run.
 *
 * Errors    a negative PREDICT_E* code and one line that names the file and what is missing or wrong in it.
 */
#ifndef MERCURY_MODEL_PREDICT_SUMMARY_H
#define MERCURY_MODEL_PREDICT_SUMMARY_H

#include "base/why.h"
#include "model/predict_inputs.h"

/** @param text  the file's
 *  Otherwise as predict_cases_read(); what `base` was given by assignment stays. */
int predict_summary_read(const char *text, const char *name, const struct predict_case *base, bool passes,
                         struct predict_cases *list, struct why *why);

#endif
