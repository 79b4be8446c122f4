/* report_time.h - when each pass was where: its tables over the bus, its stream through the board, its rest in stage 3.
 *
 * Few       up to PASSES_APART passes have a bar each, from passes.tsv.
 * Many      of more passes the picture shows how many were in each of the three at a time, in BINS stretches of the
 *           run: its size does not depend on their number.
 */
#ifndef MERCURY_APP_REPORT_REPORT_TIME_H
#define MERCURY_APP_REPORT_REPORT_TIME_H

#include "app/report/report_part.h"

extern const struct report_part report_time_part;

#endif
