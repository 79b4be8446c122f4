/* report_models.h - what every model predicts beside what was simulated.
 *
 * Axis      prediction / simulated value, so that quantities of any unit stand below each other; 1 is the run itself,
 *           with its 95% interval. What is beyond the ends of the axis stands at the end.
 * Marks     a shape and a colour a model; hollow if the run does not keep to the model's assumptions; small and grey if
 *           the number only repeats an input.
 */
#ifndef MERCURY_APP_REPORT_REPORT_MODELS_H
#define MERCURY_APP_REPORT_REPORT_MODELS_H

#include "app/report/report_part.h"

extern const struct report_part report_models;

/** Write the findings of a validation as a list. */
void report_models_write_findings(const struct validation *validation, FILE *out);

#endif
