/* predict_summary.h - the inputs of a prediction, taken from the summary.json of a run.
 *
 * Errors    a negative PREDICT_E* code and one line that names the file and what is missing or wrong in it.
 */
#ifndef MERCURY_MODEL_PREDICT_SUMMARY_H
#define MERCURY_MODEL_PREDICT_SUMMARY_H

#include <jansson.h>

#include "base/why.h"
#include "model/predict/predict_inputs.h"

/** Parse the text of a summary.json. @param name  of the file, for messages; @return NULL if it is no JSON */
json_t *predict_summary_parse(const char *text, const char *name, struct why *why);

/** Check that the file's layout is one that is known. @param name  of the file, for messages */
int predict_summary_check(const json_t *root, const char *name, struct why *why);

/** Take the inputs of the run, and of its passes if `passes` is set. What `base` was given by assignment stays.
 *
 * @param root  of a summary.json
 */
int predict_summary_take(const json_t *root, const char *name, const struct predict_case *base, bool passes,
                         struct predict_cases *list, struct why *why);

#endif
