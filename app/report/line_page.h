/* line_page.h - the page of a pipeline's run, and its single pictures.
 *
 * Pictures  those of report.h that such a run has: pipeline (how busy stages are, how many elements they hold), queues
 *           (P[N = n] beside the nearest models), models (predictions of N_Q), boxes (rates and numbers over time).
 * Errors    an enum command_status and one line. A file is whole or not there.
 */
#pragma once

#include "base/why.h"
#include "app/report/report.h"

/** Write the page, or one picture. @param what, path  as of report_write() */
int line_page_write(const char *directory, enum report_number what, const char *path, struct why *why);
