#include "base/draw/result_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/output.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/shown.h"
#include "base/draw/svg.h"

struct cells {
    struct result_cell *items; /* their texts are the table's */
    size_t count, room;
};

struct result_table {
    const char *const *columns;
    unsigned column_count;
    struct result_style style;
    struct cells facts; /* name and value, one after the other */
    struct cells cells, notes;
    json_t *objects; /* in place of the values of facts in JSON */
};

const char *const result_format_names[] = {
    [RESULT_TEXT] = "text", [RESULT_TSV] = "tsv", [RESULT_JSON] = "json", NULL};

/* --- filling --------------------------------------------------------------------------------------------- */

struct result_table *result_table_new_styled(const char *const *columns, unsigned count,
                                             const struct result_style *style)
{
    struct result_table *t = memory_take(sizeof *t);
    *t = (struct result_table){.columns = columns, .column_count = count, .style = *style};
    t->style.text_number = style->text_number ? style->text_number : "%.5g";
    t->style.tsv_number = style->tsv_number ? style->tsv_number : "%.9g";
    t->style.text_missing = style->text_missing ? style->text_missing : "-";
    return t;
}

struct result_table *result_table_new(const char *const *columns, unsigned count)
{
    return result_table_new_styled(columns, count, &(struct result_style){0});
}

static void free_cells(struct cells *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((char *)list->items[i].text);
    free(list->items);
}

void result_table_destroy(struct result_table *t)
{
    if (!t)
        return;
    free_cells(&t->facts);
    free_cells(&t->cells);
    free_cells(&t->notes);
    json_decref(t->objects);
    free(t);
}

static json_t *cell_json(const struct result_cell *cell)
{
    if (cell->text)
        return json_string(cell->text);
    if (isnan(cell->number))
        return json_null();
    bool whole = cell->number == floor(cell->number) && fabs(cell->number) < 1e15;
    return whole ? json_integer((json_int_t)cell->number) : json_real(cell->number);
}

/* Add cells to a list, with texts of the table's own. */
static void add(struct cells *list, const struct result_cell *cells, size_t count)
{
    array_reserve(&list->items, &list->room, list->count, count, sizeof *list->items);
    for (size_t i = 0; i < count; i++) {
        struct result_cell *copied = &list->items[list->count++];
        *copied = cells[i];
        copied->text = cells[i].text ? printable_new(cells[i].text, strlen(cells[i].text)) : NULL;
    }
}

void result_table_add_fact(struct result_table *t, const char *name, struct result_cell value)
{
    add(&t->facts, (const struct result_cell[]){TEXT(name), value}, 2);
}

void result_table_add_object(struct result_table *t, const char *name, const char *text,
                             const struct result_member *members, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, members[i].name, cell_json(&members[i].value));
    result_table_add_fact(t, name, TEXT(text));
    t->objects = t->objects ? t->objects : json_object();
    json_object_set_new(t->objects, name, object);
}

void result_table_add_cells(struct result_table *t, const struct result_cell *cells, size_t count)
{
    add(&t->cells, cells, count);
}

void result_table_note(struct result_table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    auto_free char *note = memory_print_list(format, arguments);
    va_end(arguments);
    add(&t->notes, &TEXT(note), 1);
}

/* --- writing --------------------------------------------------------------------------------------------- */

enum { CELL_TEXT_MAX = SHOWN_BYTES };

/* What stands for a cell; `text` is used if it is a number. */
static const char *cell_text(const struct result_cell *cell, const char *format, const char *missing,
                             char *text)
{
    if (cell->text || isnan(cell->number))
        return cell->text ? cell->text : missing;
    if (strcmp(format, RESULT_EXACT) != 0) {
        snprintf(text, CELL_TEXT_MAX, format, fabs(cell->number) < 1e-300 ? 0.0 : cell->number);
        return text;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, CELL_TEXT_MAX, "%.*g", digits, cell->number);
        if (strtod(text, NULL) == cell->number)
            break;
    }
    return text;
}

static const char *text_of_cell(const struct result_table *t, size_t i, char *text)
{
    const struct result_cell *cell = &t->cells.items[i];
    const char *shown = cell_text(cell, t->style.text_number, t->style.text_missing, text);
    if (shown == text && strcmp(t->style.text_number, RESULT_EXACT) != 0)
        shown_number(cell->number, t->style.text_number, text);
    if (cell->mark && shown == text) {
        size_t length = strlen(text);
        text[length < CELL_TEXT_MAX - 1 ? length++ : length] = cell->mark;
        text[length] = '\0';
    }
    return shown;
}

/* As printf() takes it: texts to the left, numbers to the right. */
static int column_width(const struct result_table *t, unsigned column)
{
    if (t->style.widths)
        return t->style.widths[column];
    size_t width = strlen(t->columns[column]);
    for (size_t i = column; i < t->cells.count; i += t->column_count) {
        char text[CELL_TEXT_MAX + 1];
        size_t length = strlen(text_of_cell(t, i, text));
        width = length > width ? length : width;
    }
    return t->cells.count > column && t->cells.items[column].text ? -(int)width : (int)width;
}

/* Given widths are one space apart, and two where a column to the left follows one to the right. */
static int gap_before(const struct result_table *t, unsigned column)
{
    const int *widths = t->style.widths;
    return column == 0 || !widths || (widths[column] < 0 && widths[column - 1] > 0) ? 2 : 1;
}

static int columns_of(const struct result_table *t, unsigned column)
{
    return gap_before(t, column) + abs(column_width(t, column));
}

/* A row of cells, or of names if it is NULL: the `keys` first columns, and those from `begin` to before `end`. */
static void write_row(const struct result_table *t, size_t row, unsigned keys, unsigned begin, unsigned end,
                      FILE *out)
{
    char text[CELL_TEXT_MAX + 1];
    for (unsigned column = keys > 0 ? 0 : begin; column < end; column++) {
        column = column >= keys && column < begin ? begin : column;
        const int width = column_width(t, column);
        const char *shown = row == SIZE_MAX ? t->columns[column] : text_of_cell(t, row + column, text);
        if (column + 1 < end || (width > 0 && *shown))
            fprintf(out, "%*s%*s", gap_before(t, column), "", width, shown);
        else if (*shown)
            fprintf(out, "%*s%s", gap_before(t, column), "", shown);
    }
    fputc('\n', out);
}

/* Columns that do not fit into 80 follow in blocks, each of which begins with the first columns of texts again, and
 * leaves out rows that have nothing else. */
static void write_blocks(const struct result_table *t, FILE *out)
{
    unsigned keys = t->style.keys, end;
    while (!t->style.keys && keys < 2 && keys + 1 < t->column_count && column_width(t, keys) < 0)
        keys++;
    for (unsigned begin = 0; begin < t->column_count; begin = end) {
        int columns = 0;
        for (unsigned key = 0; key < keys && begin > 0; key++)
            columns += columns_of(t, key);
        end = begin;
        do
            columns += columns_of(t, end++);
        while (end < t->column_count && (t->style.wide || columns + columns_of(t, end) <= SHOWN_COLUMNS));
        if (begin > 0)
            fputc('\n', out);
        write_row(t, SIZE_MAX, begin > 0 ? keys : 0, begin, end, out);
        for (size_t row = 0; row < t->cells.count; row += t->column_count) {
            const struct result_cell *cell = &t->cells.items[row + begin], *past = &t->cells.items[row + end];
            while (begin > 0 && keys > 0 && cell < past && !cell->text && isnan(cell->number))
                cell++;
            if (cell < past)
                write_row(t, row, begin > 0 ? keys : 0, begin, end, out);
        }
    }
}

static void write_facts(const struct result_table *t, FILE *out)
{
    char text[CELL_TEXT_MAX + 1];
    for (size_t i = 0; i < t->facts.count; i += 2) {
        const struct result_cell *fact = &t->facts.items[i + 1];
        const int column = fprintf(out, "%-20s ", t->facts.items[i].text);
        shown_words(fact->text ? fact->text : cell_text(fact, "%.12g", "-", text), column, 21, out);
    }
}

static void write_text(const struct result_table *t, FILE *out)
{
    if (!t->style.facts_last)
        write_facts(t, out);
    if (!t->style.title && !t->style.facts_last)
        fputc('\n', out);
    else if (t->style.title && *t->style.title)
        fprintf(out, "\n%s\n", t->style.title);
    if (t->cells.count > 0)
        write_blocks(t, out);
    if (t->cells.count > 0 && t->notes.count > 0 && !t->style.title)
        fputc('\n', out);
    for (size_t i = 0; i < t->notes.count; i++)
        shown_print(out, "%s%s", t->style.title ? "  " : "", t->notes.items[i].text);
    if (t->style.facts_last && t->facts.count > 0) {
        fputc('\n', out);
        write_facts(t, out);
    }
}

void result_table_write_field(const char *text, FILE *out)
{
    char shown[PRINTABLE_BYTES];
    for (const char *at = text ? text : "NA"; *at;) {
        at += printable_next(at, shown);
        fputs(shown, out);
    }
}

static void write_tsv(const struct result_table *t, FILE *out)
{
    char text[CELL_TEXT_MAX];
    for (size_t i = 0; i < t->facts.count; i += 2)
        fprintf(out, "# %s\t%s\n", t->facts.items[i].text,
                cell_text(&t->facts.items[i + 1], "%.12g", "NA", text));
    for (size_t i = 0; i < t->notes.count; i++)
        fprintf(out, "# %s\n", t->notes.items[i].text);
    for (unsigned column = 0; column < t->column_count && !t->style.goes_on; column++)
        fprintf(out, "%s%c", t->columns[column], column + 1 < t->column_count ? '\t' : '\n');
    for (size_t i = 0; i < t->cells.count; i++) {
        result_table_write_field(cell_text(&t->cells.items[i], t->style.tsv_number, "NA", text), out);
        fputc((i + 1) % t->column_count ? '\t' : '\n', out);
    }
}

static void write_json(const struct result_table *t, FILE *out)
{
    json_t *root = json_object(), *notes = json_array(), *rows = json_array(), *row = NULL;
    if (t->style.schema)
        json_object_set_new(root, "schema", json_string(t->style.schema));
    for (size_t i = 0; i < t->facts.count; i += 2) {
        const char *name = t->facts.items[i].text;
        json_t *object = json_incref(json_object_get(t->objects, name));
        json_object_set_new(root, name, object ? object : cell_json(&t->facts.items[i + 1]));
    }
    for (size_t i = 0; i < t->notes.count; i++)
        json_array_append_new(notes, json_string(t->notes.items[i].text));
    for (size_t i = 0; i < t->cells.count; i++) {
        unsigned column = (unsigned)(i % t->column_count);
        if (column == 0)
            json_array_append_new(rows, row = json_object());
        json_object_set_new(row, t->columns[column], cell_json(&t->cells.items[i]));
    }
    json_object_set_new(root, "rows", rows);
    json_object_set_new(root, "notes", notes);
    json_write(root, 9, out);
}

/* Numbers, and columns that a text has to the right, stand to the right. */
static void write_html_cell(const struct result_table *t, unsigned column, const char *tag, const char *text,
                            FILE *out)
{
    fprintf(out, "<%s%s>", tag, column_width(t, column) > 0 ? " class=\"n\"" : "");
    svg_escape(text, out);
    fprintf(out, "</%s>", tag);
}

static void write_html_rows(const struct result_table *t, FILE *out)
{
    fputs("<div class=\"scroll\"><table class=\"numbers\">\n<thead><tr>", out);
    for (unsigned column = 0; column < t->column_count; column++)
        write_html_cell(t, column, "th", t->columns[column], out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < t->cells.count; i++) {
        char text[CELL_TEXT_MAX + 1];
        unsigned column = (unsigned)(i % t->column_count);
        fputs(column == 0 ? "<tr>" : "", out);
        write_html_cell(t, column, "td", text_of_cell(t, i, text), out);
        fputs(column + 1 == t->column_count ? "</tr>\n" : "", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_html(const struct result_table *t, FILE *out)
{
    if (t->cells.count > 0) /* there may be notes alone */
        write_html_rows(t, out);
    for (size_t i = 0; i < t->notes.count; i++) {
        fputs("<p class=\"note\">", out);
        svg_escape(t->notes.items[i].text, out);
        fputs("</p>\n", out);
    }
}

void result_table_write(const struct result_table *t, enum result_format format, FILE *out)
{
    static void (*const writers[])(const struct result_table *, FILE *) = {[RESULT_TEXT] = write_text,
                                                                           [RESULT_TSV] = write_tsv,
                                                                           [RESULT_JSON] = write_json,
                                                                           [RESULT_HTML] = write_html};
    writers[format](t, out);
}

void result_table_end(struct result_table *t, enum result_format format, FILE *out)
{
    result_table_write(t, format, out);
    result_table_destroy(t);
}

int result_table_save(struct result_table *t, enum result_format format, const char *path, struct why *why)
{
    struct output output;
    int status = output_open(&output, path ? path : "-", why) != 0 ? COMMAND_REFUSED : 0;
    if (status == 0) {
        result_table_write(t, format, output.file);
        status = output_end(&output, 0, why);
    }
    result_table_destroy(t);
    return status;
}
