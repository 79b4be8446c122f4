/* estimate_page.h - what an estimate says: its table, and its page of the answer, the times over the number of nodes as
 * a picture, the table, the machine, and the words (base/draw/page.h).
 *
 * Table     nodes, what the detailed simulator says, what execution and arithmetic say, the error, what limits, and, if
 *           asked, the wall time of each (the form of Figures 4 and 5 of Wen and Fox, 1998).
 * Errors    an enum command_status and one line. The file is whole or not there.
 */
#pragma once

#include <stdio.h>

#include "base/why.h"
#include "app/estimate/estimate_session.h"

/** A column of the table. */
struct estimate_column {
    const char *name, *unit, *meaning;
    int width;
};

/** Those of the table; the wall times are last. */
enum { ESTIMATE_COLUMNS = 10, ESTIMATE_WALL_COLUMNS = 3 };
extern const struct estimate_column estimate_columns[ESTIMATE_COLUMNS];

struct result_table *estimate_page_table(const struct estimate_session *session);

/** Write its answer, picture and table, as sections of HTML. @param session  struct estimate_session */
void estimate_page_write_parts(const void *session, FILE *out);

/** Write its picture alone. */
int estimate_page_plot(const struct estimate_session *session, const char *path, struct why *why);

/** Write the page. @param path  "-" is standard output */
int estimate_page_write(const struct estimate_session *session, const char *path, struct why *why);
