/* result_table.h - a table of results with what led to it, for people, for scripts and for programs.
 *
 * Content   facts (name and value), columns, rows of texts and numbers, and notes, filled in that order, cells
 *           row by row.
 * Text      facts, aligned columns, notes; or the facts last, where they are inputs. Numbers have five digits; a
 *           missing number is "-", one below 1e-12 "~0" (shown.h). What is wider than 80 columns goes on in a further
 *           block of rows, after its first columns of texts. Without rows there is no header; so it is in HTML.
 * TSV       facts and notes as `#` lines, then a header line; numbers have nine digits; a missing number is NA;
 *           control characters in a cell are "?"
 * HTML      a table element in a box that scrolls, and a paragraph for each note, for a page that has its own facts;
 *           numbers are those of the text
 * JSON      one object with "schema", the facts, "rows" (objects by column) and "notes"; a missing number is null
 * Style     A document of several tables gives each its title, widths and formats. A document with a tree of its own
 *           in JSON writes that itself, with json_number() (base/json_number.h).
 * Memory    Texts are copied.
 * Errors    Who closes the file finds out about a full disk.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/why.h"

/** HTML is for pages only: no command is asked for it. */
enum result_format { RESULT_TEXT, RESULT_TSV, RESULT_JSON, RESULT_HTML };

/** Names of the others, for COMMAND_CHOICE. */
extern const char *const result_format_names[];

struct result_table;

/** How a table differs from what the head of this file says. What is 0 or NULL stays as it says. */
struct result_style {
    /* Line before the header of a text. The table is then part of a longer text: its notes follow at once and are
     * indented. "": such a part without a title. */
    const char *title;
    const int *widths;       /* least width of each column in a text; negative: to the left, as in printf() */
    const char *text_number; /* format of numbers in a text */
    const char *tsv_number;  /* format of numbers in TSV, or RESULT_EXACT */
    const char *text_missing; /* what stands for a missing number in a text */
    const char *schema;       /* "schema" of the JSON: name and version of its layout; NULL: none */
    bool wide;                /* a text's rows have any width */
    bool facts_last;          /* the facts are inputs: a text has its answers before them */
    unsigned keys;            /* first columns, with which blocks of a text begin; 0: at most two of texts */
    bool goes_on;             /* whether the rows continue an earlier table: TSV then has no header line */
};

/** The shortest decimal that reads back as the same double. */
#define RESULT_EXACT "exact"

/** @param columns  names, `count` of them: borrowed */
struct result_table *result_table_new(const char *const *columns, unsigned count);

/** A table with a style, whose texts and widths are borrowed. */
struct result_table *result_table_new_styled(const char *const *columns, unsigned count,
                                             const struct result_style *style);
void result_table_destroy(struct result_table *table);

/** The contents of a cell. */
struct result_cell {
    const char *text; /* NULL: a number */
    double number;    /* NaN: missing */
    char mark;        /* character after the number in the text, where it is not missing; 0: none */
};

#define TEXT(content)       ((struct result_cell){.text = (content)})
#define NUMBER(value)       ((struct result_cell){.number = (value)})
#define MARKED(value, sign) ((struct result_cell){.number = (value), .mark = (sign)})

/** Add cells to the row that is begun, as in result_table_add(table, TEXT("N_Q_1a"), NUMBER(0.5)). */
#define result_table_add(table, ...)                                                                         \
    result_table_add_cells(table, (const struct result_cell[]){__VA_ARGS__},                                 \
                           sizeof(const struct result_cell[]){__VA_ARGS__} / sizeof(struct result_cell))

void result_table_add_fact(struct result_table *table, const char *name, struct result_cell value);

/** A part of a fact, with the name that it has in JSON. */
struct result_member {
    const char *name;
    struct result_cell value;
};

/** Add a fact that is a sentence of its parts in text and TSV, and an object of them in JSON. */
void result_table_add_object(struct result_table *table, const char *name, const char *text,
                             const struct result_member *members, size_t count);

void result_table_add_cells(struct result_table *table, const struct result_cell *cells, size_t count);

/** As printf. */
void result_table_note(struct result_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void result_table_write(const struct result_table *table, enum result_format format, FILE *out);

/** Write a table and destroy it. */
void result_table_end(struct result_table *table, enum result_format format, FILE *out);

/** Write one field of TSV: control characters, which are tabs and line feeds too, as "?", NULL as NA. */
void result_table_write_field(const char *text, FILE *out);

/** Write a table to a file that is whole or not there (output.h), and destroy it.
 *
 * @param path   "-" or NULL: standard output
 * @return an enum command_status, and one line
 */
int result_table_save(struct result_table *table, enum result_format format, const char *path,
                      struct why *why);
