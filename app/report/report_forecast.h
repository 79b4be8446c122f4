/* report_forecast.h - what a sample of a run's passes says of the whole run: each total with its 95% interval, from
 * "sample" of summary.json.
 *
 * Axis      the interval as a fraction of the forecast, up to twice of it; a longer one ends at the border.
 */
#ifndef MERCURY_APP_REPORT_REPORT_FORECAST_H
#define MERCURY_APP_REPORT_REPORT_FORECAST_H

#include "app/report/report_part.h"

extern const struct report_part report_forecast;

/** Whether the run is a sample; only then the page has this part. */
bool report_forecast_is_needed(const struct run_files *run);

/** Say in a paragraph of the page what the whole run would find and take. */
void report_forecast_write_answer(const struct run_files *run, FILE *out);

/** Say at the top of the page that this is a sample. */
void report_forecast_write_banner(const struct run_files *run, FILE *out);

#endif
