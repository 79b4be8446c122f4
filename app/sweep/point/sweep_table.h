/* sweep_table.h - the points of sweeps as text: one row per point, one column per number.
 *
 * Columns   identity, query, query_xxh3, database, database_xxh3, strand, evalue; then every parameter of the machine
 *           (hardware.h), then every measure (sweep_measure.h).
 * Order     rows are sorted by inputs and parameters, whatever order they were added in.
 * Memory    fields are allocated with malloc() and belong to the table.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_TABLE_H
#define MERCURY_APP_SWEEP_SWEEP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"

enum { SWEEP_TABLE_INPUTS = 7 /* columns before the parameters */, SWEEP_COLUMNS_MAX = 256 };

struct sweep_table {
    struct sweep_row {
        int64_t point;
        char **fields; /* one per column; NULL if the point has no such number */
        bool planned;  /* a sweep asked for it; if not, advise tried it on its way */
    } * rows;
    size_t count, room, columns;
};

/** A table without rows, for sweep_table_destroy(). */
struct sweep_table sweep_table_empty(void);

/** Add a row without fields. @return false if memory is exhausted */
bool sweep_table_add_row(struct sweep_table *table, int64_t point);

/** Sort the rows, all of which must have the fields of the inputs. */
void sweep_table_sort(struct sweep_table *table);
void sweep_table_destroy(struct sweep_table *table);

/** @return the index of a column, -1 if there is none of this name */
int sweep_table_column(const char *name);

size_t sweep_table_columns(void);
const char *sweep_table_column_name(size_t column);

/** Unit of a column: "1" for a share, "" if it has none. */
const char *sweep_table_column_unit(size_t column);

/** Say that no column has a name, and which is the nearest. @param option  where the name stands. @return `code` */
int sweep_table_refuse_column(const char *option, const char *name, int code, struct why *why);

/** Columns in the order in which the user names them. */
struct sweep_columns {
    size_t columns[SWEEP_COLUMNS_MAX];
    size_t count;
};

/** @param names  separated by commas, or NULL for all columns
 *  @return 0, or -1 and one line if no column has one of the names */
int sweep_columns_choose(const char *names, struct sweep_columns *chosen, struct why *why);

/** Write TSV with a header line; a missing field is written as NA. */
void sweep_table_write(const struct sweep_table *table, const struct sweep_columns *columns, FILE *out);

#endif
