/* result_table.h - a table of results with what led to it, for people, for scripts and for programs.
 *
 * Content   facts (name and value), columns, rows of texts and numbers, and notes. Filled in that order; cells row by row.
 * Text      aligned columns, numbers with five digits; a number there is none of is "-"
 * TSV       facts and notes as `#` lines, a header line, numbers with nine digits; NA
 * JSON      one object: the facts, "rows" as objects by column, "notes"; null
 * Memory    texts are copied. Where memory is out, the writers say so.
 * Errors    the writers' only; a full disk is found out by whoever closes the file.
 */
#ifndef MERCURY_BASE_RESULT_TABLE_H
#define MERCURY_BASE_RESULT_TABLE_H

#include <stdio.h>

#include "base/why.h"

enum result_format { RESULT_TEXT, RESULT_TSV, RESULT_JSON };

/** Their names, for COMMAND_CHOICE. */
extern const char *const result_format_names[];

struct result_table;

/** @param columns  names, `count` of them: borrowed; @return NULL when memory is out */
struct result_table *result_table_new(const char *const *columns, unsigned count);
void result_table_destroy(struct result_table *table);

void result_table_fact(struct result_table *table, const char *name, const char *value);
void result_table_fact_number(struct result_table *table, const char *name, double value);

void result_table_text(struct result_table *table, const char *text);
void result_table_number(struct result_table *table, double number); /* NaN: none */

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
