/* estimate_rows.h - the times of a program on several numbers of nodes, by arithmetic and executed in SimGrid.
 *
 * Processes each execution has one of its own, since SimGrid has one engine per process.
 * Checked   all numbers of nodes are checked before the first execution begins.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_ESTIMATE_ESTIMATE_ROWS_H
#define MERCURY_APP_ESTIMATE_ESTIMATE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"
#include "base/draw/result_table.h"
#include "model/estimate/estimate_arithmetic.h"

enum { ESTIMATE_ROWS_MAX = 64 };

/** What is asked for; the first is both. */
enum estimate_mode { ESTIMATE_BOTH, ESTIMATE_ARITHMETIC, ESTIMATE_EXECUTED };

/** Times are NaN if they are not known. */
struct estimate_row {
    uint32_t nodes;
    double detailed_s, executed_s, estimated_s; /* simulated */
    double detailed_wall_s, executed_wall_s, estimated_wall_s;
    char limit[96]; /* what is busy longest, by arithmetic */
    double limit_s;
    char serial[96]; /* the step that takes the most of the time in which nothing else ends, by arithmetic */
    double serial_share;  /* of the time */
    unsigned differences; /* bits of enum estimate_difference */
};

/** The time that a row's errors are of: estimated, or executed if nothing was estimated. */
double estimate_row_time_s(const struct estimate_row *row);

/** Whether its resources wait for most of the time, so that a serial step says more than the limit. */
bool estimate_row_is_serial(const struct estimate_row *row);

/** Compute rows whose nodes are set, and whose detailed times are. */
int estimate_rows_make(const struct estimate_text *text, enum estimate_mode mode, bool quiet,
                       struct estimate_row *rows, unsigned count, struct why *why);

/* The table of an estimate: nodes, what the detailed simulator says, what execution and arithmetic say, the error, what
 * limits, and, if asked, the wall time of each (the form of Figures 4 and 5 of Wen and Fox, 1998). */
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
