#include "app/sweep/point/sweep_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "sim/board/hardware.h"
#include "app/sweep/point/sweep_measure.h"

static const char *const first_names[SWEEP_TABLE_INPUTS] = {
    "identity", "query", "query_xxh3", "database", "database_xxh3", "strand", "evalue"};

size_t sweep_table_columns(void)
{
    return SWEEP_TABLE_INPUTS + hardware_parameter_count() + sweep_measures_of_nothing()->count;
}

void sweep_table_destroy(struct sweep_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        for (size_t column = 0; column < sweep_table_columns(); column++)
            free(t->rows[i].fields[column]);
        free(t->rows[i].fields);
    }
    free(t->rows);
    *t = (struct sweep_table){0};
}

bool sweep_table_add_row(struct sweep_table *t, enum point_kind kind)
{
    if (!array_reserve(&t->rows, &t->room, t->count, 1, sizeof *t->rows))
        return false;
    char **fields = calloc(sweep_table_columns(), sizeof *fields);
    if (!fields)
        return false;
    t->rows[t->count++] = (struct sweep_row){fields, kind};
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
    const struct sweep_measures *measures = sweep_measures_of_nothing();
    const struct sweep_measure *measure = sweep_measures_find(measures, name);
    return measure ? (int)(SWEEP_TABLE_INPUTS + hardware_parameter_count()) + (int)(measure - measures->items)
                   : -1;
}

const char *sweep_table_column_name(size_t column)
{
    size_t parameters = hardware_parameter_count();
    return column < SWEEP_TABLE_INPUTS ? first_names[column]
           : column < SWEEP_TABLE_INPUTS + parameters
               ? hardware_parameter_name(column - SWEEP_TABLE_INPUTS)
               : sweep_measures_of_nothing()->items[column - SWEEP_TABLE_INPUTS - parameters].name;
}

const char *sweep_table_column_unit(size_t column)
{
    size_t parameters = hardware_parameter_count();
    return column < SWEEP_TABLE_INPUTS ? ""
           : column < SWEEP_TABLE_INPUTS + parameters
               ? hardware_parameter_unit(column - SWEEP_TABLE_INPUTS)
               : sweep_measures_of_nothing()->items[column - SWEEP_TABLE_INPUTS - parameters].unit;
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
