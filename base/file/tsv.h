/* tsv.h - a table in a text file: tab-separated fields, `#` lines, a line with the names of the columns, rows.
 *
 * Use       tsv_open() with the columns that are wanted, tsv_next() for each row, tsv_close().
 * Fields    belong to the table, and are the present row's until the next tsv_next().
 * Errors    a negative TSV_E* code and one line: which file, which line, what was expected.
 */
#pragma once

#include <stdint.h>

#include "base/why.h"

enum tsv_error { TSV_EREAD = -2, TSV_EFORMAT = -3 };

enum { TSV_COLUMNS_MAX = 64, TSV_WANTED_MAX = 24 };

/** Names of columns of texts and of numbers, each followed by NULL. */
struct tsv_columns {
    const char *texts[TSV_WANTED_MAX + 1], *numbers[TSV_WANTED_MAX + 1];
};

struct tsv {
    const char *texts[TSV_WANTED_MAX];
    double numbers[TSV_WANTED_MAX]; /* NaN for "NA"; both: the present row's, in the order of tsv_columns */
    const char *path;
    char *text;       /* of the file, cut at tabs and line ends as it is read */
    char *rest;       /* what is not read yet */
    uint64_t line;    /* number of the present row's line */
    unsigned columns; /* number of columns */
    unsigned text_count, number_count;
    int text_columns[TSV_WANTED_MAX], number_columns[TSV_WANTED_MAX]; /* those that are wanted */
    struct why *why;
};

/** Read a file, all of whose lines must have their ends, and find the columns. Also after an error, the table must be
 *  closed. */
int tsv_open(struct tsv *table, const char *path, const struct tsv_columns *wanted, struct why *why);
void tsv_close(struct tsv *table);

/** Go to the next row. @return 1, 0 at the end, or TSV_EFORMAT if its fields are not as many as the columns, or one of
 *  its numbers is none, or beyond 1e30 and not "inf" */
int tsv_next(struct tsv *table);

/** Say that the present row is wrong: what was expected, as printf has it. @return TSV_EFORMAT */
int tsv_refuse(const struct tsv *table, const char *expected, ...) __attribute__((format(printf, 2, 3)));
