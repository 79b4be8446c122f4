/* leonards_report.h - what `mercury reproduce leonards2023` prints: values and statements of the thesis beside ours. */
#ifndef MERCURY_APP_THEORY_LEONARDS_REPORT_H
#define MERCURY_APP_THEORY_LEONARDS_REPORT_H

#include "base/result_table.h"
#include "base/why.h"

/** Write them to standard output. @return an enum command_status: COMMAND_FAILED if something is not as expected */
int leonards_report(enum result_format format, struct why *why);

#endif
