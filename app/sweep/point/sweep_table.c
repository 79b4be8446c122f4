#include "app/sweep/point/sweep_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/draw/result_table.h"
#include "sim/board/hardware.h"
#include "app/sweep/point/sweep_measure.h"

static const char *const first_names[SWEEP_TABLE_INPUTS] = {
    "identity", "query", "query_xxh3", "database", "database_xxh3", "strand", "evalue"};

size_t sweep_table_columns(void)
{
    return SWEEP_TABLE_INPUTS + hardware_parameter_count() + sweep_measure_count();
}

struct sweep_table sweep_table_empty(void)
{
    return (struct sweep_table){.columns = sweep_table_columns()};
}

void sweep_table_destroy(struct sweep_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        for (size_t column = 0; column < t->columns; column++)
            free(t->rows[i].fields[column]);
        free(t->rows[i].fields);
    }
    free(t->rows);
    *t = (struct sweep_table){0};
}

bool sweep_table_add_row(struct sweep_table *t, int64_t point)
{
    if (!array_reserve(&t->rows, &t->room, t->count, 1, sizeof *t->rows))
        return false;
    char **fields = calloc(t->columns, sizeof *fields);
    if (!fields)
        return false;
    t->rows[t->count++] = (struct sweep_row){.point = point, .fields = fields};
    return true;
}

int sweep_table_column(const char *name)
{
    int parameter = hardware_parameter_find(name);
    if (parameter >= 0)
        return SWEEP_TABLE_INPUTS + parameter;
    for (int i = 0; i < SWEEP_TABLE_INPUTS; i++)
        if (strcmp(first_names[i], name) == 0)
            return i;
    for (size_t i = 0; i < sweep_measure_count(); i++)
        if (strcmp(sweep_measure_name(i), name) == 0)
            return (int)(SWEEP_TABLE_INPUTS + hardware_parameter_count() + i);
    return -1;
}

const char *sweep_table_column_name(size_t column)
{
    size_t parameters = hardware_parameter_count();
    return column < SWEEP_TABLE_INPUTS ? first_names[column]
           : column < SWEEP_TABLE_INPUTS + parameters
               ? hardware_parameter_name(column - SWEEP_TABLE_INPUTS)
               : sweep_measure_name(column - SWEEP_TABLE_INPUTS - parameters);
}

const char *sweep_table_column_unit(size_t column)
{
    size_t parameters = hardware_parameter_count();
    return column < SWEEP_TABLE_INPUTS ? ""
           : column < SWEEP_TABLE_INPUTS + parameters
               ? hardware_parameter_unit(column - SWEEP_TABLE_INPUTS)
               : sweep_measure_unit(column - SWEEP_TABLE_INPUTS - parameters);
}

/* The column whose begin is nearest to a name, of which the unit was left out; NULL if none is near enough. */
static const char *find_begin(const char *name)
{
    size_t length = strlen(name);
    const char *best = NULL;
    unsigned least = (unsigned)(length / 3) + 1;
    for (size_t i = 0; i < sweep_table_columns(); i++) {
        const char *known = sweep_table_column_name(i);
        for (size_t end = length > 0 ? length - 1 : 0; end <= length + 1 && end <= strlen(known); end++) {
            unsigned distance = nearest_distance(name, length, known, end);
            if (distance < least) {
                least = distance;
                best = known;
            }
        }
    }
    return best;
}

int sweep_table_refuse_column(const char *option, const char *name, int code, struct why *why)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (size_t i = 0; i < sweep_table_columns(); i++)
        nearest_look_at(&search, sweep_table_column_name(i));
    if (!search.name)
        search.name = find_begin(name);
    why_say(why, code, "%s: no column is called '%.60s'", option, name);
    nearest_suggest(&search, why);
    why_append(why, " (measures: mercury sweep columns)");
    return code;
}

/* Numbers are compared by value, everything else as text. */
static int compare_fields(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (a_end > a && b_end > b && !*a_end && !*b_end && (x < y || x > y))
        return x < y ? -1 : 1;
    return strcmp(a, b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct sweep_row *x = a, *y = b;
    int order = 0;
    for (size_t i = 1; order == 0 && i < SWEEP_TABLE_INPUTS; i++)
        order = strcmp(x->fields[i], y->fields[i]);
    for (size_t i = SWEEP_TABLE_INPUTS; order == 0 && i < SWEEP_TABLE_INPUTS + hardware_parameter_count();
         i++)
        order = compare_fields(x->fields[i], y->fields[i]);
    return order ? order : strcmp(x->fields[0], y->fields[0]);
}

void sweep_table_sort(struct sweep_table *t)
{
    if (t->count > 0)
        qsort(t->rows, t->count, sizeof *t->rows, compare_rows);
}

int sweep_columns_choose(const char *names, struct sweep_columns *chosen, struct why *why)
{
    *chosen = (struct sweep_columns){0};
    for (size_t i = 0; !names && i < sweep_table_columns(); i++)
        chosen->columns[chosen->count++] = i;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        int column = sweep_table_column(name);
        if (column < 0 || chosen->count == SWEEP_COLUMNS_MAX)
            return sweep_table_refuse_column("--columns", name, -1, why);
        chosen->columns[chosen->count++] = (size_t)column;
    }
    return 0;
}

static void write_line(char *const *fields, const struct sweep_columns *chosen, FILE *out)
{
    for (size_t i = 0; i < chosen->count; i++) {
        size_t column = chosen->columns[i];
        const char *field = fields ? fields[column] : sweep_table_column_name(column);
        result_table_write_field(field, out);
        fputc(i + 1 < chosen->count ? '\t' : '\n', out);
    }
}

void sweep_table_write(const struct sweep_table *t, const struct sweep_columns *columns, FILE *out)
{
    write_line(NULL, columns, out);
    for (size_t i = 0; i < t->count; i++)
        write_line(t->rows[i].fields, columns, out);
}
