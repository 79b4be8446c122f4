/* estimate_page.h - the page of an estimate: the answer, the times over the number of nodes as a picture, the table,
 * the machine, and the words (base/draw/page.h).
 *
 * Errors    an enum command_status and one line. The file is whole or not there.
 */
#ifndef MERCURY_APP_ESTIMATE_ESTIMATE_PAGE_H
#define MERCURY_APP_ESTIMATE_ESTIMATE_PAGE_H

#include <stdio.h>

#include "base/why.h"
#include "model/estimate/estimate_text.h"
#include "app/estimate/estimate_rows.h"

/** Write its answer, picture and table, as sections of HTML. @return 0, or -1 if memory is exhausted */
int estimate_page_write_parts(const struct estimate_report *report, FILE *out);

/** Write the page. @param path  "-" is standard output */
int estimate_page_write(const struct estimate_report *report, const struct estimate_text *text,
                        const char *path, struct why *why);

#endif
