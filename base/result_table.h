/* result_table.h - a table of results with what led to it, for people, for scripts and for programs.
 *
 * Content   facts (name and value), columns, rows of texts and numbers, and notes, filled in that order, cells
 *           row by row.
 * Text      aligned columns; numbers have five digits; a missing number is "-"
 * TSV       facts and notes as `#` lines, then a header line; numbers have nine digits; a missing number is NA
 * JSON      one object with the facts, "rows" (objects by column) and "notes"; a missing number is null
 * Memory    Texts are copied. If memory was exhausted while the table was filled, the writers say so.
 * Errors    Only the writers have errors; who closes the file finds out about a full disk.
 */
#ifndef MERCURY_BASE_RESULT_TABLE_H
#define MERCURY_BASE_RESULT_TABLE_H

#include <stdio.h>

#include "base/why.h"

enum result_format { RESULT_TEXT, RESULT_TSV, RESULT_JSON };

/** Their names, for COMMAND_CHOICE. */
extern const char *const result_format_names[];

struct result_table;

/** @param columns  names, `count` of them: borrowed; @return NULL if memory is exhausted */
struct result_table *result_table_new(const char *const *columns, unsigned count);
void result_table_destroy(struct result_table *table);

void result_table_fact(struct result_table *table, const char *name, const char *value);
void result_table_fact_number(struct result_table *table, const char *name, double value);

void result_table_text(struct result_table *table, const char *text);
void result_table_number(struct result_table *table, double number); /* NaN: missing */

/** As printf. */
void result_table_note(struct result_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** @return 0, or negative when memory was or is out */
int result_table_write(const struct result_table *table, enum result_format format, FILE *out);

/** The same to a file that is whole or not there (output.h).
 *
 * @param table  NULL: memory was out
 * @param path   "-" or NULL: standard output
 * @return an enum command_status, and one line
 */
int result_table_save(const struct result_table *table, enum result_format format, const char *path,
                      struct why *why);

#endif
