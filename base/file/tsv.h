/* tsv.h - a table in a text file: tab-separated fields, `#` lines, a line with the names of the columns, rows.
 *
 * Use       tsv_open(), tsv_column() for every column that is wanted, tsv_next() for each row, tsv_close().
 * Fields    belong to the table, and are the present row's until the next tsv_next().
 * Errors    a negative TSV_E* code and one line: which file, which line, what was expected.
 */
#ifndef MERCURY_BASE_TSV_H
#define MERCURY_BASE_TSV_H

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

enum tsv_error { TSV_EMEMORY = -1, TSV_EREAD = -2, TSV_EFORMAT = -3 };

enum { TSV_COLUMNS_MAX = 64 };

struct tsv {
    const char *path;
    char *text;       /* of the file, cut at tabs and line ends as it is read */
    char *rest;       /* what is not read yet */
    uint64_t line;    /* number of the present row's line */
    unsigned columns; /* number of columns */
    char *names[TSV_COLUMNS_MAX], *fields[TSV_COLUMNS_MAX];
    struct why *why;
};

/** Read a file, all of whose lines must have their ends, and the names of its columns. Also after an error, the table
 *  must be closed. */
int tsv_open(struct tsv *table, const char *path, struct why *why);
void tsv_close(struct tsv *table);

/** Find a column. @return its index, or TSV_EFORMAT and a line */
int tsv_column(struct tsv *table, const char *name);

/** Go to the next row. @return 1, 0 at the end, or TSV_EFORMAT if its fields are not as many as the columns */
int tsv_next(struct tsv *table);

/** Take a number from a field of the present row. @param number  out: NaN for "NA"; @return 0 or TSV_EFORMAT */
int tsv_number(struct tsv *table, int column, double *number);

#endif
