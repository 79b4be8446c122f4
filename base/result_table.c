#include "base/result_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/command.h"
#include "base/output.h"

/* A text, or a number where there is none. */
struct cell {
    char *text;
    double number;
};

struct fact {
    char *name;
    struct cell value;
};

struct result_table {
    const char *const *columns;
    unsigned column_count;
    struct fact *facts;
    struct cell *cells;
    char **notes;
    size_t fact_count, cell_count, note_count;
    bool out_of_memory;
};

const char *const result_format_names[] = {
    [RESULT_TEXT] = "text", [RESULT_TSV] = "tsv", [RESULT_JSON] = "json", NULL};

/* --- filling --------------------------------------------------------------------------------------------- */

struct result_table *result_table_new(const char *const *columns, unsigned count)
{
    struct result_table *t = calloc(1, sizeof *t);
    if (t)
        *t = (struct result_table){.columns = columns, .column_count = count};
    return t;
}

void result_table_destroy(struct result_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->fact_count; i++) {
        free(t->facts[i].name);
        free(t->facts[i].value.text);
    }
    for (size_t i = 0; i < t->cell_count; i++)
        free(t->cells[i].text);
    for (size_t i = 0; i < t->note_count; i++)
        free(t->notes[i]);
    free(t->facts);
    free(t->cells);
    free(t->notes);
    free(t);
}

/* Room for one more of an array; tables are small. */
static bool make_room(struct result_table *t, void **array, size_t count, size_t bytes)
{
    void *moved = realloc(*array, (count + 1) * bytes);
    if (moved)
        *array = moved;
    t->out_of_memory |= !moved;
    return moved != NULL;
}

static char *copy(struct result_table *t, const char *text)
{
    char *copied = strdup(text);
    t->out_of_memory |= !copied;
    return copied;
}

static void add_fact(struct result_table *t, const char *name, struct cell value)
{
    if (make_room(t, (void **)&t->facts, t->fact_count, sizeof *t->facts))
        t->facts[t->fact_count++] = (struct fact){copy(t, name), value};
    else
        free(value.text);
}

void result_table_fact(struct result_table *t, const char *name, const char *value)
{
    add_fact(t, name, (struct cell){.text = copy(t, value)});
}

void result_table_fact_number(struct result_table *t, const char *name, double value)
{
    add_fact(t, name, (struct cell){.number = value});
}

static void add_cell(struct result_table *t, struct cell cell)
{
    if (make_room(t, (void **)&t->cells, t->cell_count, sizeof *t->cells))
        t->cells[t->cell_count++] = cell;
    else
        free(cell.text);
}

void result_table_text(struct result_table *t, const char *text)
{
    add_cell(t, (struct cell){.text = copy(t, text)});
}

void result_table_number(struct result_table *t, double number)
{
    add_cell(t, (struct cell){.number = number});
}

void result_table_note(struct result_table *t, const char *format, ...)
{
    char *note = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&note, format, arguments);
    va_end(arguments);
    if (length >= 0 && make_room(t, (void **)&t->notes, t->note_count, sizeof *t->notes))
        t->notes[t->note_count++] = note;
    else if (length >= 0)
        free(note);
    t->out_of_memory |= length < 0;
}

/* --- writing --------------------------------------------------------------------------------------------- */

enum { CELL_TEXT_MAX = 64 };

/* What stands for a cell; `text` is used where it is a number. */
static const char *cell_text(const struct cell *cell, const char *format, const char *none, char *text)
{
    if (cell->text)
        return cell->text;
    if (isnan(cell->number))
        return none;
    snprintf(text, CELL_TEXT_MAX, format, fabs(cell->number) < 1e-300 ? 0.0 : cell->number);
    return text;
}

static size_t column_width(const struct result_table *t, unsigned column)
{
    size_t width = strlen(t->columns[column]);
    for (size_t i = column; i < t->cell_count; i += t->column_count) {
        char text[CELL_TEXT_MAX];
        size_t length = strlen(cell_text(&t->cells[i], "%.5g", "-", text));
        width = length > width ? length : width;
    }
    return width;
}

static bool is_text_column(const struct result_table *t, unsigned column)
{
    return t->cell_count > column && t->cells[column].text != NULL;
}

/* Texts to the left, numbers to the right. */
static void write_aligned(const struct result_table *t, unsigned column, const char *text, FILE *out)
{
    int width = (int)column_width(t, column);
    bool last = column + 1 == t->column_count;
    if (!is_text_column(t, column))
        fprintf(out, "  %*s", width, text);
    else if (last)
        fprintf(out, "  %s", text);
    else
        fprintf(out, "  %-*s", width, text);
    if (last)
        fputc('\n', out);
}

static void write_text(const struct result_table *t, FILE *out)
{
    char text[CELL_TEXT_MAX];
    for (size_t i = 0; i < t->fact_count; i++)
        fprintf(out, "%-20s %s\n", t->facts[i].name, cell_text(&t->facts[i].value, "%.12g", "-", text));
    fputc('\n', out);
    for (unsigned column = 0; column < t->column_count; column++)
        write_aligned(t, column, t->columns[column], out);
    for (size_t i = 0; i < t->cell_count; i++)
        write_aligned(t, (unsigned)(i % t->column_count), cell_text(&t->cells[i], "%.5g", "-", text), out);
    if (t->note_count > 0)
        fputc('\n', out);
    for (size_t i = 0; i < t->note_count; i++)
        fprintf(out, "%s\n", t->notes[i]);
}

static void write_tsv(const struct result_table *t, FILE *out)
{
    char text[CELL_TEXT_MAX];
    for (size_t i = 0; i < t->fact_count; i++)
        fprintf(out, "# %s\t%s\n", t->facts[i].name, cell_text(&t->facts[i].value, "%.12g", "NA", text));
    for (size_t i = 0; i < t->note_count; i++)
        fprintf(out, "# %s\n", t->notes[i]);
    for (unsigned column = 0; column < t->column_count; column++)
        fprintf(out, "%s%c", t->columns[column], column + 1 < t->column_count ? '\t' : '\n');
    for (size_t i = 0; i < t->cell_count; i++)
        fprintf(out, "%s%c", cell_text(&t->cells[i], "%.9g", "NA", text),
                (i + 1) % t->column_count ? '\t' : '\n');
}

static json_t *cell_json(const struct cell *cell)
{
    if (cell->text)
        return json_string(cell->text);
    if (isnan(cell->number))
        return json_null();
    bool whole = cell->number == floor(cell->number) && fabs(cell->number) < 1e15;
    return whole ? json_integer((json_int_t)cell->number) : json_real(cell->number);
}

static json_t *rows_json(const struct result_table *t)
{
    json_t *rows = json_array(), *row = NULL;
    for (size_t i = 0; i < t->cell_count; i++) {
        unsigned column = (unsigned)(i % t->column_count);
        if (column == 0) {
            row = json_object();
            json_array_append_new(rows, row);
        }
        json_object_set_new(row, t->columns[column], cell_json(&t->cells[i]));
    }
    return rows;
}

static int write_json(const struct result_table *t, FILE *out)
{
    json_t *root = json_object(), *notes = json_array();
    for (size_t i = 0; i < t->fact_count; i++)
        json_object_set_new(root, t->facts[i].name, cell_json(&t->facts[i].value));
    for (size_t i = 0; i < t->note_count; i++)
        json_array_append_new(notes, json_string(t->notes[i]));
    json_object_set_new(root, "rows", rows_json(t));
    json_object_set_new(root, "notes", notes);
    int status = root ? json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : -1;
    json_decref(root);
    fputc('\n', out);
    return status && !ferror(out) ? -1 : 0;
}

int result_table_write(const struct result_table *t, enum result_format format, FILE *out)
{
    if (t->out_of_memory)
        return -1;
    if (format == RESULT_JSON)
        return write_json(t, out);
    if (format == RESULT_TSV)
        write_tsv(t, out);
    else
        write_text(t, out);
    return 0;
}

int result_table_save(const struct result_table *t, enum result_format format, const char *path,
                      struct why *why)
{
    struct output output;
    if (output_open(&output, path ? path : "-", why) != 0)
        return COMMAND_REFUSED;
    if (!t || result_table_write(t, format, output.file) != 0) {
        output_discard(&output);
        return why_no_memory(why, COMMAND_FAILED);
    }
    return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
}
