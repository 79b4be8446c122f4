/* report.h - a run's page: report.html, and single pictures of it.
 *
 * Page      one file that needs nothing else (report_page.h). It is made from what the files of a run say only
 *           (run_files.h), so that the same run has the same bytes, whenever it is written, also if it was timed again.
 * Pictures  are those of the page, in literal light colours.
 * Errors    an enum command_status and one line. A file is whole or not there.
 */
#ifndef MERCURY_APP_REPORT_REPORT_H
#define MERCURY_APP_REPORT_REPORT_H

#include <jansson.h>

#include "base/why.h"

/** The page's name in the directory of a run. */
#define REPORT_FILE "report.html"

/** Write the page of a run.
 *
 * @param path     "-" is standard output; NULL is REPORT_FILE in the directory
 * @param summary  what this process has written as summary.json; NULL: it is read
 */
int report_write(const char *directory, const char *path, json_t *summary, struct why *why);

/** Write one picture of a run.
 *
 * @param what  its name, such as "pipeline"
 * @param path  ends in .svg, .png or .pdf; "-" is SVG on standard output
 */
int report_plot(const char *directory, const char *what, const char *path, struct why *why);

#endif
