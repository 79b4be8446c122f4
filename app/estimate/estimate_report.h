/* estimate_report.h - the table of an estimate: nodes, what the detailed simulator says, what execution and arithmetic
 * say, the error, what limits, and, if asked, the wall time of each (the form of Figures 4 and 5 of Wen and Fox, 1998).
 */
#ifndef MERCURY_APP_ESTIMATE_ESTIMATE_REPORT_H
#define MERCURY_APP_ESTIMATE_ESTIMATE_REPORT_H

#include <stdbool.h>

#include "base/draw/result_table.h"
#include "app/estimate/estimate_rows.h"

struct estimate_report {
    const char *const *files; /* the machine, the workload and the script */
    size_t file_count;
    const struct estimate_row *rows;
    unsigned count;
    bool wall; /* with wall times */
};

/** Arithmetic and execution agree if they differ by less. */
#define ESTIMATE_AGREE 0.02

/** How far an estimate is from what it is compared with; NaN if there is none. */
double estimate_row_error(const struct estimate_row *row);

/** Find the rows on which arithmetic and execution do not agree, and the assumptions that these do not meet.
 * @return their number */
unsigned estimate_report_disagree(const struct estimate_report *report, double *widest,
                                  unsigned *differences);

/** A column of the table. */
struct estimate_column {
    const char *name, *unit, *meaning;
    int width;
};

/** Those of the table; the wall times are last. */
enum { ESTIMATE_COLUMNS = 10, ESTIMATE_WALL_COLUMNS = 3 };
extern const struct estimate_column estimate_columns[ESTIMATE_COLUMNS];

/** @return the table; NULL if memory is exhausted */
struct result_table *estimate_report_table(const struct estimate_report *report);

#endif
