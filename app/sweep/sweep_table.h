/* sweep_table.h - the points of sweeps as text: a row a point, a column for every number.
 *
 * Columns   identity, query, query_xxh3, database, database_xxh3, strand, evalue; then every number of the machine
 *           (hardware.h), then every measure (sweep_measure.h).
 * Order     rows are sorted by inputs and numbers, whatever order they were added in.
 * Memory    fields are malloc()ed and belong to the table.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_TABLE_H
#define MERCURY_APP_SWEEP_SWEEP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"

enum { SWEEP_TABLE_INPUTS = 7 /* columns before the machine's numbers */, SWEEP_COLUMNS_MAX = 256 };

struct sweep_table {
    struct sweep_row {
        int64_t point;
        char **fields; /* of every column; NULL where there is none */
    } * rows;
    size_t count, room, columns;
};

/** Without rows; for sweep_table_destroy(). */
struct sweep_table sweep_table_empty(void);

/** Add a row without fields. @return false when memory is out */
bool sweep_table_add_row(struct sweep_table *table, int64_t point);

/** Of rows that have the fields of the inputs. */
void sweep_table_sort(struct sweep_table *table);
void sweep_table_destroy(struct sweep_table *table);

/** @return a column's index, or -1 */
int sweep_table_column(const char *name);

/** Columns in the order they are asked for. */
struct sweep_columns {
    size_t columns[SWEEP_COLUMNS_MAX];
    size_t count;
};

/** @param names  with commas between them, or NULL for all
 *  @return 0, or negative and one line where there is none of a name */
int sweep_columns_choose(const char *names, struct sweep_columns *chosen, struct why *why);

/** As TSV with a header line; NA where there is no field. */
void sweep_table_write(const struct sweep_table *table, const struct sweep_columns *columns, FILE *out);

#endif
