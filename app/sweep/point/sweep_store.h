/* sweep_store.h - the points of sweeps in one SQLite file.
 *
 * Version   is raised when the schema changes, or the meaning of a measure: points of two kinds of machine must not be
 *           mixed in a store. 2: stage 3 works across passes. 3: block RAMs and SRAM chips are those of all boards.
 *           5: a column for each number; the kind of a point. 7: when a point was stored. 8: medians.
 * Schema    application_id "MSwp", user_version SWEEP_STORE_VERSION:
 *
 *     store     name, value              program: the version of Mercury that created the store
 *     sweeps    sweep, description       one row per call of mercury sweep
 *     planned   sweep, identity          the points that each of them asked for
 *     points    point, kind, and the columns: parameters as text; NULL if there is no such number;
 *                                        stored: when (julianday), of which `status` makes a rate
 *
 *     select "table.slots", throughput_mwmers_per_s from points order by cast("table.slots" as integer);
 *
 * Kind      planned, by a sweep or as a candidate of advise; tried, FIFO depths of advise; free, a part made free.
 *
 * Whole     a point and all that belongs to it is one transaction. A process that is killed or finds the disk full
 *           leaves every earlier point and nothing of this one; whoever opens the store next plays SQLite's rollback
 *           journal back (FILE-journal, which a kill leaves). A write-ahead log needs shared memory, which network file
 *           systems lack, and two more files; a commit costs some ms, a point more.
 *           synchronous=EXTRA: a committed point also survives a loss of power.
 * Shared    any number of processes can use a store; each waits up to SWEEP_STORE_WAIT_MS for another one's
 *           transaction.
 * Errors    WHY_SAID and one line. A file that is not a store of this version is not changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/why.h"
#include "app/sweep/point/sweep_measure.h"
#include "app/sweep/point/sweep_plan.h"

/* The points of sweeps as text: one row per point, one column per number.
 *
 * Columns   identity, query, query_xxh3, database, database_xxh3, strand, evalue; then every parameter of the machine
 *           (hardware.h), then every measure (sweep_measure.h).
 * Memory    fields are allocated with memory_take() and belong to the table.
 */

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

/** Add a row without fields. */
void sweep_table_add_row(struct sweep_table *table, enum point_kind kind);

void sweep_table_destroy(struct sweep_table *table);

/** @return the index of a column, -1 if there is none of this name */
int sweep_table_column(const char *name);

size_t sweep_table_columns(void);
const char *sweep_table_column_name(size_t column);

/** Unit of a column: "1" for a share, "" if it has none. */
const char *sweep_table_column_unit(size_t column);

/** Say that no column has a name, and which is the nearest. @param option  where the name stands. @return `code` */
int sweep_table_refuse_column(const char *option, const char *name, int code, struct why *why);

enum { SWEEP_STORE_VERSION = 8, SWEEP_STORE_WAIT_MS = 60000 };

struct sweep_store;

/** Open a store.
 *
 * @param path    of its file; NULL: it is kept in memory only
 * @param create  create the file if it is missing
 * @param out     for sweep_store_close()
 */
int sweep_store_open(const char *path, bool create, struct sweep_store **out, struct why *why);
void sweep_store_close(struct sweep_store *store);

/** Register a sweep.
 *
 * @param sweep  out: its number, from 1
 */
int sweep_store_plan(struct sweep_store *store, const struct sweep_plan *plan, const char *description,
                     size_t *sweep, struct why *why);

/** @return 1 if the point is in the store, 0 if not, or an error code */
int sweep_store_has(struct sweep_store *store, const char *identity, struct why *why);

/** Add a point with its parameters and measures; a point that is in the store stays as it is. */
int sweep_store_put(struct sweep_store *store, const struct sweep_plan *plan, size_t point,
                    enum point_kind kind, const struct sweep_measures *measures, struct why *why);

/** Write the progress of each sweep as TSV with a header line: sweep, points, done, per_second, left_s, description.
 *  Sweeps of one description are the jobs of one: the last of them stands for all. */
int sweep_store_write_status(struct sweep_store *store, FILE *out, struct why *why);

/** Read points as text, sorted.
 *
 * @param sweep  only the points that this sweep asked for; 0: all
 * @param table  filled on success, for sweep_table_destroy()
 */
int sweep_store_load(struct sweep_store *store, size_t sweep, struct sweep_table *table, struct why *why);

/** Write all points as TSV with a header line; a missing number is written as NA.
 *
 * @param columns  names separated by commas, or NULL for all columns
 */
int sweep_store_export(struct sweep_store *store, const char *columns, FILE *out, struct why *why);
