#include "app/sweep/draw/sweep_view.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"

/* The greatest depth of a FIFO. */
static const double UNBOUNDED = 1e6;

/* A throughput that varies by less is the same. */
static const double SAME = 1e-4;

/* --- fields ---------------------------------------------------------------------------------------------- */

const char *sweep_view_text(const struct sweep_view *v, size_t row, const char *column)
{
    const char *field = v->table->rows[row].fields[sweep_table_column(column)];
    return field ? field : "NA";
}

static double number_of(const char *field)
{
    char *end = NULL;
    double number = field ? strtod(field, &end) : NAN;
    return field && end > field && *end == '\0' ? number : NAN;
}

double sweep_view_number(const struct sweep_view *v, size_t row, const char *column)
{
    return number_of(v->table->rows[row].fields[sweep_table_column(column)]);
}

const char *sweep_view_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

/* --- kinds ----------------------------------------------------------------------------------------------- */

bool sweep_view_is_fifo(const char *name)
{
    for (unsigned f = 0; f < BOARD_FIFOS; f++)
        if (strcmp(name, board_fifos[f].parameter) == 0)
            return true;
    return false;
}

static bool has_unbounded_fifo(const struct sweep_view *v, size_t row)
{
    for (unsigned f = 0; f < BOARD_FIFOS; f++)
        if (sweep_view_number(v, row, board_fifos[f].parameter) >= UNBOUNDED)
            return true;
    return false;
}

static bool is_equal(const struct sweep_table *t, size_t a, size_t b, size_t column)
{
    const char *left = t->rows[a].fields[column], *right = t->rows[b].fields[column];
    return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Whether two points are equal in all inputs and numbers but the depths of FIFOs. */
static bool is_same_but_fifos(const struct sweep_table *t, size_t a, size_t b)
{
    size_t end = SWEEP_TABLE_INPUTS + hardware_parameter_count();
    for (size_t column = 1; column < end; column++)
        if (!is_equal(t, a, b, column) && !sweep_view_is_fifo(sweep_table_column_name(column)))
            return false;
    return true;
}

static enum sweep_kind kind_of(const struct sweep_view *v, size_t row)
{
    const enum point_kind kind = v->table->rows[row].kind;
    return kind == POINT_FREE                        ? SWEEP_FREE
           : has_unbounded_fifo(v, row)              ? SWEEP_UNBOUNDED
           : kind == POINT_TRIED                     ? SWEEP_TRIED
           : sweep_view_number(v, row, "fits") < 0.5 ? SWEEP_UNFIT
                                                     : SWEEP_MACHINE;
}

/* --- what varies ----------------------------------------------------------------------------------------- */

struct value_order {
    const struct sweep_view *view;
    size_t column;
    bool is_number;
};

/* A path tells less than a digest, which is the column after it: what has two names is one input. */
static size_t named_column(size_t column)
{
    const char *name = sweep_table_column_name(column);
    return strcmp(name, "query_xxh3") == 0 || strcmp(name, "database_xxh3") == 0 ? column - 1 : column;
}

static int compare_values(const void *a, const void *b, void *data)
{
    const struct value_order *order = data;
    const struct sweep_row *rows = order->view->table->rows;
    const char *left = rows[*(const size_t *)a].fields[order->column];
    const char *right = rows[*(const size_t *)b].fields[order->column];
    if (!order->is_number)
        return strcmp(left ? left : "", right ? right : "");
    double x = number_of(left), y = number_of(right);
    return (x > y) - (x < y);
}

static size_t list_machines(const struct sweep_view *v, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE)
            rows[count++] = i;
    return count;
}

static bool column_varies(const struct sweep_view *v, size_t column, bool *is_number)
{
    bool varies = false;
    size_t first = SIZE_MAX;
    *is_number = true;
    for (size_t i = 0; i < v->table->count; i++) {
        if (v->kinds[i] != SWEEP_MACHINE)
            continue;
        first = first == SIZE_MAX ? i : first;
        varies = varies || !is_equal(v->table, first, i, column);
        *is_number = *is_number && !isnan(number_of(v->table->rows[i].fields[column]));
    }
    *is_number = *is_number && column >= SWEEP_TABLE_INPUTS;
    return varies;
}

/* Inputs have the order of their names instead of that of their digests; there are few. */
static void sort_inputs(const struct sweep_view *v, struct sweep_varied *varied)
{
    const struct sweep_row *rows = v->table->rows;
    size_t column = named_column(varied->column);
    for (size_t i = 1; i < varied->value_count && column != varied->column; i++)
        for (size_t j = i; j > 0; j--) {
            size_t before = varied->first[j - 1], here = varied->first[j];
            if (strcmp(rows[before].fields[column], rows[here].fields[column]) <= 0)
                break;
            varied->first[j - 1] = here;
            varied->first[j] = before;
            for (size_t row = 0; row < v->table->count; row++)
                varied->ranks[row] = varied->ranks[row] == j       ? j - 1
                                     : varied->ranks[row] == j - 1 ? j
                                                                   : varied->ranks[row];
        }
}

/* @param rows  room for all rows */
static bool rank_values(const struct sweep_view *v, struct sweep_varied *varied, size_t *rows)
{
    struct value_order order = {v, varied->column, varied->is_number};
    varied->first = calloc(v->table->count, sizeof *varied->first);
    varied->ranks = malloc(v->table->count * sizeof *varied->ranks);
    if (!varied->first || !varied->ranks)
        return false;
    for (size_t i = 0; i < v->table->count; i++)
        varied->ranks[i] = SIZE_MAX;
    size_t count = list_machines(v, rows);
    qsort_r(rows, count, sizeof *rows, compare_values, &order);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_values(&rows[i - 1], &rows[i], &order) != 0)
            varied->first[varied->value_count++] = rows[i];
        varied->ranks[rows[i]] = varied->value_count - 1;
    }
    sort_inputs(v, varied);
    return true;
}

/* Inputs are told apart by their digests. */
static bool is_asked(size_t column)
{
    const char *name = sweep_table_column_name(column);
    return strcmp(name, "identity") != 0 && strcmp(name, "query") != 0 && strcmp(name, "database") != 0;
}

static bool find_varied(struct sweep_view *v)
{
    size_t end = SWEEP_TABLE_INPUTS + hardware_parameter_count();
    size_t *rows = malloc((v->table->count + 1) * sizeof *rows);
    bool done = rows != NULL;
    for (size_t column = 0; column < end && done && v->varied_count < SWEEP_VARIED_MAX; column++) {
        struct sweep_varied *varied = &v->varied[v->varied_count];
        if (!is_asked(column) || !column_varies(v, column, &varied->is_number))
            continue;
        varied->column = column;
        v->varied_count++;
        done = rank_values(v, varied, rows);
    }
    free(rows);
    return done;
}

int sweep_view_make(const struct sweep_table *table, struct sweep_view *v, struct why *why)
{
    *v = (struct sweep_view){.table = table, .kinds = calloc(table->count + 1, sizeof *v->kinds)};
    for (size_t i = 0; i < table->count && v->kinds; i++) {
        v->kinds[i] = kind_of(v, i);
        v->machine_count += v->kinds[i] == SWEEP_MACHINE;
        v->unbounded_count += v->kinds[i] == SWEEP_UNBOUNDED;
    }
    if (v->kinds && find_varied(v))
        return 0;
    sweep_view_destroy(v);
    return why_no_memory(why, -1);
}

void sweep_view_destroy(struct sweep_view *v)
{
    for (size_t i = 0; i < v->varied_count; i++) {
        free(v->varied[i].first);
        free(v->varied[i].ranks);
    }
    free(v->kinds);
    *v = (struct sweep_view){0};
}

/* --- names and values ------------------------------------------------------------------------------------ */

const char *sweep_view_name(const struct sweep_view *v, size_t varied)
{
    return sweep_table_column_name(named_column(v->varied[varied].column));
}

size_t sweep_view_find(const struct sweep_view *v, const char *name)
{
    for (size_t i = 0; i < v->varied_count; i++)
        if (strcmp(sweep_view_name(v, i), name) == 0)
            return i;
    return SIZE_MAX;
}

const char *sweep_view_value(const struct sweep_view *v, size_t varied, size_t rank)
{
    size_t column = named_column(v->varied[varied].column);
    const char *value = v->table->rows[v->varied[varied].first[rank]].fields[column];
    return !value ? "NA" : column != v->varied[varied].column ? sweep_view_file(value) : value;
}

const char *sweep_view_describe(const struct sweep_view *v, size_t row, const struct sweep_set *set,
                                bool values_only, char *text, size_t size)
{
    size_t length = 0;
    *text = '\0';
    for (size_t i = 0; i < v->varied_count && length < size; i++) {
        if (!set->has[i] || v->varied[i].ranks[row] == SIZE_MAX)
            continue;
        const char *comma = length > 0 ? ", " : "", *value = sweep_view_value(v, i, v->varied[i].ranks[row]);
        length += (size_t)snprintf(text + length, size - length, values_only ? "%s%s%s" : "%s%s = %s", comma,
                                   values_only ? "" : sweep_view_name(v, i), value);
    }
    return text;
}

const char *sweep_view_list(const struct sweep_view *v, const struct sweep_set *set, char *text, size_t size)
{
    size_t length = 0;
    *text = '\0';
    for (size_t i = 0; i < v->varied_count && length < size; i++)
        if (set->has[i])
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       sweep_view_name(v, i));
    return text;
}

/* --- groups ---------------------------------------------------------------------------------------------- */

struct sweep_set sweep_view_others(const struct sweep_view *v, size_t a, size_t b)
{
    struct sweep_set set = {{false}};
    for (size_t i = 0; i < v->varied_count; i++)
        set.has[i] = i != a && i != b;
    return set;
}

struct group_order {
    const struct sweep_view *view;
    const struct sweep_set *same;
    size_t then;
};

static int compare_groups(const struct group_order *o, size_t a, size_t b)
{
    for (size_t i = 0; i < o->view->varied_count; i++) {
        const size_t *ranks = o->view->varied[i].ranks;
        if (o->same->has[i] && ranks[a] != ranks[b])
            return ranks[a] < ranks[b] ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *data)
{
    const struct group_order *o = data;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    int order = compare_groups(o, left, right);
    if (order == 0 && o->then != SIZE_MAX) {
        const size_t *ranks = o->view->varied[o->then].ranks;
        order = (ranks[left] > ranks[right]) - (ranks[left] < ranks[right]);
    }
    return order ? order : (left > right) - (left < right);
}

int sweep_view_group(const struct sweep_view *v, const struct sweep_set *same, size_t then,
                     struct sweep_groups *groups, struct why *why)
{
    struct group_order order = {v, same, then};
    *groups = (struct sweep_groups){.rows = malloc((v->table->count + 1) * sizeof *groups->rows),
                                    .begins = malloc((v->table->count + 2) * sizeof *groups->begins)};
    if (!groups->rows || !groups->begins) {
        sweep_groups_destroy(groups);
        return why_no_memory(why, -1);
    }
    size_t count = list_machines(v, groups->rows);
    qsort_r(groups->rows, count, sizeof *groups->rows, compare_rows, &order);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_groups(&order, groups->rows[i - 1], groups->rows[i]) != 0)
            groups->begins[groups->count++] = i;
    groups->begins[groups->count] = count;
    return 0;
}

void sweep_groups_destroy(struct sweep_groups *groups)
{
    free(groups->rows);
    free(groups->begins);
    *groups = (struct sweep_groups){0};
}

/* --- comparing points ------------------------------------------------------------------------------------ */

/* Whether a depth differs between any two points of the store, probes included. */
static bool depth_differs(const struct sweep_view *v, const char *depth)
{
    size_t column = (size_t)sweep_table_column(depth);
    for (size_t i = 1; i < v->table->count; i++)
        if (!is_equal(v->table, 0, i, column))
            return true;
    return false;
}

size_t sweep_view_unbounded(const struct sweep_view *v, size_t row)
{
    const char *differing[BOARD_FIFOS];
    unsigned count = 0;
    for (unsigned f = 0; f < BOARD_FIFOS && v->unbounded_count > 0; f++)
        if (depth_differs(v, board_fifos[f].parameter))
            differing[count++] = board_fifos[f].parameter;
    for (size_t i = 0; i < v->table->count && count > 0; i++) {
        bool is_unbounded = v->kinds[i] == SWEEP_UNBOUNDED && is_same_but_fifos(v->table, i, row);
        for (unsigned f = 0; f < count && is_unbounded; f++)
            is_unbounded = sweep_view_number(v, i, differing[f]) >= UNBOUNDED;
        if (is_unbounded)
            return i;
    }
    return SIZE_MAX;
}

/* A cost that the store does not have is none. */
static struct front_point point_of(const struct sweep_view *v, size_t row)
{
    struct front_point point = {.time_s = sweep_view_number(v, row, FRONT_TIME),
                                .counts = v->kinds[row] == SWEEP_MACHINE};
    for (unsigned c = 0; c < FRONT_COSTS; c++)
        point.costs[c] = fmax(sweep_view_number(v, row, front_cost_measures[c]), 0);
    point.counts = point.counts && point.time_s >= 0;
    return point;
}

struct sweep_set sweep_view_searches(const struct sweep_view *v)
{
    struct sweep_set set = {{false}};
    for (size_t i = 0; i < v->varied_count; i++)
        set.has[i] = v->varied[i].column < SWEEP_TABLE_INPUTS;
    return set;
}

/* Place the points of one search. @param points  room for as many */
static void place_search(struct sweep_fronts *f, double keep, const size_t *rows, size_t count,
                         struct front_point *points)
{
    for (size_t i = 0; i < count; i++)
        points[i] = f->points[rows[i]];
    for (size_t i = 0; i < count; i++)
        f->places[rows[i]] = front_has(points, count, i) ? SWEEP_ON_FRONT : SWEEP_BESIDE;
    size_t knee = front_find_knee(points, count, keep, INFINITY);
    if (knee != SIZE_MAX)
        f->places[rows[knee]] = SWEEP_KNEE;
}

int sweep_fronts_make(const struct sweep_view *v, double keep, struct sweep_fronts *f, struct why *why)
{
    const size_t count = v->table->count;
    struct sweep_groups groups = {0};
    struct sweep_set searches = sweep_view_searches(v);
    struct front_point *points = malloc((count + 1) * sizeof *points);
    *f = (struct sweep_fronts){calloc(count + 1, sizeof *f->places), calloc(count + 1, sizeof *f->points)};
    bool done =
        points && f->places && f->points && sweep_view_group(v, &searches, SIZE_MAX, &groups, why) == 0;
    for (size_t i = 0; i < count && done; i++)
        f->points[i] = point_of(v, i);
    for (size_t g = 0; g < groups.count && done; g++)
        place_search(f, keep, groups.rows + groups.begins[g], groups.begins[g + 1] - groups.begins[g],
                     points);
    sweep_groups_destroy(&groups);
    free(points);
    if (done)
        return 0;
    sweep_fronts_destroy(f);
    return why_no_memory(why, -1);
}

void sweep_fronts_destroy(struct sweep_fronts *f)
{
    free(f->places);
    free(f->points);
    *f = (struct sweep_fronts){0};
}

static bool column_differs(const struct sweep_view *v, const char *column)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE) {
            double value = sweep_view_number(v, i, column);
            least = fmin(least, value);
            most = fmax(most, value);
        }
    return most > least * (1 + SAME);
}

bool sweep_view_throughput_varies(const struct sweep_view *v)
{
    return column_differs(v, "throughput_mwmers_per_s");
}

bool sweep_view_cost_varies(const struct sweep_view *v, enum front_cost cost)
{
    return column_differs(v, front_cost_measures[cost]);
}

/* The first of two equally good ones is better. */
static bool is_better(const struct sweep_view *v, size_t a, size_t b)
{
    struct front_point left = point_of(v, a), right = point_of(v, b);
    if (left.time_s < right.time_s || left.time_s > right.time_s)
        return left.time_s < right.time_s;
    return front_is_cheaper(&left, &right) || (!front_is_cheaper(&right, &left) && a < b);
}

size_t sweep_view_best(const struct sweep_view *v, const size_t *among, size_t among_count, size_t *rows,
                       size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < among_count; i++) {
        size_t at = count < most ? count++ : most;
        while (at > 0 && is_better(v, among[i], rows[at - 1])) {
            if (at < most)
                rows[at] = rows[at - 1];
            at--;
        }
        if (at < most)
            rows[at] = among[i];
    }
    return count;
}
