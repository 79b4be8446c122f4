/* sweep_table.h - the points of sweeps as text: one row per point, one column per number.
 *
 * Columns   identity, query, query_xxh3, database, database_xxh3, strand, evalue; then every parameter of the machine
 *           (hardware.h), then every measure (sweep_measure.h).
 * Memory    fields are allocated with malloc() and belong to the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"

enum { SWEEP_TABLE_INPUTS = 7 /* columns before the parameters */ };

enum point_kind { POINT_PLANNED, POINT_TRIED, POINT_FREE };

/** Start with {0}. */
struct sweep_table {
    struct sweep_row {
        char **fields; /* one per column; "NA" if the point has no such number */
        enum point_kind kind;
    } * rows;
    size_t count, room;
};

/** Add a row without fields. @return false if memory is exhausted */
bool sweep_table_add_row(struct sweep_table *table, enum point_kind kind);

void sweep_table_destroy(struct sweep_table *table);

/** @return the index of a column, -1 if there is none of this name */
int sweep_table_column(const char *name);

size_t sweep_table_columns(void);
const char *sweep_table_column_name(size_t column);

/** Unit of a column: "1" for a share, "" if it has none. */
const char *sweep_table_column_unit(size_t column);

/** Say that no column has a name, and which is the nearest. @param option  where the name stands. @return `code` */
int sweep_table_refuse_column(const char *option, const char *name, int code, struct why *why);
