/* report_latency.h - how long elements take: mean, quantiles and most of every latency that the run measured.
 *
 * Source    "measurements" of summary.json: whatever a directive asked as a latency, with a histogram if it asked one.
 * Units     the board's clocks, drawn as time.
 */
#ifndef MERCURY_APP_REPORT_REPORT_LATENCY_H
#define MERCURY_APP_REPORT_REPORT_LATENCY_H

#include "app/report/report_part.h"

extern const struct report_part report_latency;

#endif
