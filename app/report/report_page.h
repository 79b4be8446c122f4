/* report_page.h - the frame of every page: head, style sheet, title; end.
 *
 * Page      one file that needs nothing else: no network, no script. It follows the reader's light or dark screen, and
 *           prints in light colours on A4. Pictures in it are part of it (base/svg.h).
 */
#ifndef MERCURY_APP_REPORT_REPORT_PAGE_H
#define MERCURY_APP_REPORT_REPORT_PAGE_H

#include <stdio.h>

/** Begin a page with its title, and a line that says what it is of. */
void report_page_begin(const char *title, const char *what, FILE *out);
void report_page_end(FILE *out);

#endif
