/* published_report.h - what `mercury reproduce leonards2023` and `timetrial2011` print: values and statements of a
 * publication beside ours. */
#ifndef MERCURY_APP_THEORY_PUBLISHED_REPORT_H
#define MERCURY_APP_THEORY_PUBLISHED_REPORT_H

#include "base/draw/result_table.h"
#include "base/why.h"

enum published_report { PUBLISHED_LEONARDS2023, PUBLISHED_TIMETRIAL2011 };

/** Write them to standard output. @return an enum command_status: COMMAND_FAILED if something is not as expected */
int published_report(enum published_report which, enum result_format format, struct why *why);

#endif
