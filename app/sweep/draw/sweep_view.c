#include "app/sweep/draw/sweep_view.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/board/board_costs.h"
#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"

/* The greatest depth of a FIFO. */
static const double UNBOUNDED = 1e6;

/* --- points ---------------------------------------------------------------------------------------------- */

const char *sweep_view_text(const struct sweep_view *v, size_t row, const char *column)
{
    return v->table->rows[row].fields[sweep_table_column(column)];
}

static double number_of(const char *field)
{
    char *end;
    double number = strtod(field, &end);
    return end > field && *end == '\0' && isfinite(number) ? number : NAN;
}

double sweep_view_number(const struct sweep_view *v, size_t row, const char *column)
{
    return number_of(sweep_view_text(v, row, column));
}

const char *sweep_view_file(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : basename(path);
}

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

static enum sweep_kind kind_of(const struct sweep_view *v, size_t row)
{
    const enum point_kind kind = v->table->rows[row].kind;
    return kind == POINT_FREE                        ? SWEEP_FREE
           : has_unbounded_fifo(v, row)              ? SWEEP_UNBOUNDED
           : kind == POINT_TRIED                     ? SWEEP_TRIED
           : sweep_view_number(v, row, "fits") < 0.5 ? SWEEP_UNFIT
                                                     : SWEEP_MACHINE;
}

static bool is_equal(const struct sweep_table *t, size_t a, size_t b, size_t column)
{
    return strcmp(t->rows[a].fields[column], t->rows[b].fields[column]) == 0;
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

const char *sweep_view_misfit(const struct sweep_view *v, char text[SWEEP_MISFIT_BYTES])
{
    char missing[BOARD_MISFIT_BYTES] = "";
    const char *remedy = "";
    size_t unfit = 0;
    double least_size = INFINITY; /* block RAMs come first, then bits of SRAM, which are fewer than 1e12 */
    for (size_t i = 0; i < v->table->count; i++) {
        if (v->kinds[i] != SWEEP_UNFIT)
            continue;
        struct hardware hardware = hardware_default();
        struct why ignored = {0};
        for (size_t k = 0; k < hardware_parameter_count(); k++)
            hardware_set(&hardware, hardware_parameter_name(k),
                         sweep_view_text(v, i, hardware_parameter_name(k)), &ignored);
        const double bits = fmax(sweep_view_number(v, i, "sram_bits"), 0),
                     size = 1e12 * (double)board_costs_of(&hardware).ramb18 + bits;
        unfit++;
        if (size < least_size) {
            least_size = size;
            board_costs_misfit(&hardware, (uint64_t)bits, missing);
            remedy = board_costs_remedy(&hardware);
        }
    }
    snprintf(text, SWEEP_MISFIT_BYTES, "%zu of %zu machines fit; the smallest one that does not: %s%s%s",
             v->machine_count, v->machine_count + unfit, missing, v->machine_count > 0 ? "" : "; ",
             v->machine_count > 0 ? "" : remedy);
    *text = unfit > 0 ? *text : '\0';
    return text;
}

/* The share by which the greatest value of a column exceeds the least one. */
static double change_of(const struct sweep_view *v, const size_t *rows, size_t count, const char *column)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, sweep_view_number(v, rows[i], column));
        most = fmax(most, sweep_view_number(v, rows[i], column));
    }
    return most > least ? most / least - 1 : 0;
}

bool sweep_view_differs(const struct sweep_view *v, const char *column)
{
    return change_of(v, v->machines, v->machine_count, column) > SWEEP_SAME;
}

double sweep_view_slowness(const struct sweep_view *v)
{
    const struct sweep_groups *s = &v->searches;
    double most = 0;
    for (size_t g = 0; g < s->count; g++)
        most = fmax(most, change_of(v, s->rows + s->begins[g], s->begins[g + 1] - s->begins[g], FRONT_TIME));
    return most;
}

/* --- what varies ----------------------------------------------------------------------------------------- */

/* A path tells less than a digest, which is the column after it: what has two names is one input. */
static size_t named_column(size_t column)
{
    const char *name = sweep_table_column_name(column);
    return strcmp(name, "query_xxh3") == 0 || strcmp(name, "database_xxh3") == 0 ? column - 1 : column;
}

static bool column_varies(const struct sweep_view *v, size_t column, bool *is_number)
{
    bool varies = false;
    *is_number = column >= SWEEP_TABLE_INPUTS;
    for (size_t i = 0; i < v->machine_count; i++) {
        varies = varies || !is_equal(v->table, v->machines[0], v->machines[i], column);
        *is_number = *is_number && !isnan(number_of(v->table->rows[v->machines[i]].fields[column]));
    }
    return varies;
}

struct value_order {
    const struct sweep_row *rows;
    size_t column;
    bool is_number;
};

static int compare_values(const void *a, const void *b, void *data)
{
    const struct value_order *order = data;
    const char *left = order->rows[*(const size_t *)a].fields[order->column];
    const char *right = order->rows[*(const size_t *)b].fields[order->column];
    if (!order->is_number)
        return strcmp(left, right);
    double x = number_of(left), y = number_of(right);
    return (x > y) - (x < y);
}

/* Inputs have the order of their names instead of that of their digests; there are few. */
static void sort_inputs(const struct sweep_view *v, struct sweep_varied *varied)
{
    struct value_order names = {v->table->rows, named_column(varied->column), false};
    for (size_t i = 1; i < varied->value_count && names.column != varied->column; i++)
        for (size_t j = i; j > 0; j--) {
            size_t *before = &varied->first[j - 1], *here = &varied->first[j], kept = *here;
            if (compare_values(before, here, &names) <= 0)
                break;
            *here = *before;
            *before = kept;
            for (size_t row = 0; row < v->table->count; row++)
                if (varied->ranks[row] == j || varied->ranks[row] == j - 1)
                    varied->ranks[row] = 2 * j - 1 - varied->ranks[row];
        }
}

size_t *sweep_view_machines(const struct sweep_view *v)
{
    size_t *rows = memory_take(v->machine_count * sizeof *rows);
    return memcpy(rows, v->machines, v->machine_count * sizeof *rows);
}

static void rank_values(const struct sweep_view *v, struct sweep_varied *varied)
{
    struct value_order order = {v->table->rows, varied->column, varied->is_number};
    auto_free size_t *rows = sweep_view_machines(v);
    varied->first = memory_new(v->table->count, sizeof *varied->first);
    varied->ranks = memory_take(v->table->count * sizeof *varied->ranks);
    for (size_t i = 0; i < v->table->count; i++)
        varied->ranks[i] = SIZE_MAX;
    qsort_r(rows, v->machine_count, sizeof *rows, compare_values, &order);
    for (size_t i = 0; i < v->machine_count; i++) {
        if (i == 0 || compare_values(&rows[i - 1], &rows[i], &order) != 0)
            varied->first[varied->value_count++] = rows[i];
        varied->ranks[rows[i]] = varied->value_count - 1;
    }
    sort_inputs(v, varied);
}

static void find_varied(struct sweep_view *v)
{
    const size_t end = SWEEP_TABLE_INPUTS + hardware_parameter_count();
    for (size_t column = 0; column < end && v->varied_count < SWEEP_VARIED_MAX; column++) {
        struct sweep_varied *varied = &v->varied[v->varied_count];
        const char *name = sweep_table_column_name(column);
        const bool is_asked = strcmp(name, "identity") != 0 && strcmp(name, "query") != 0 &&
                              strcmp(name, "database") != 0; /* inputs are told apart by their digests */
        if (!is_asked || !column_varies(v, column, &varied->is_number))
            continue;
        varied->column = column;
        v->inputs |= column < SWEEP_TABLE_INPUTS ? sweep_set_of(v->varied_count) : 0;
        v->varied_count++;
        rank_values(v, varied);
    }
}

/* --- the whole ------------------------------------------------------------------------------------------- */

/* Find the front and the knee of each search. */
static void place_machines(struct sweep_view *v, double keep)
{
    const struct sweep_groups *s = &v->searches;
    auto_free struct front_point *points =
        memory_take(v->machine_count * sizeof *points); /* search by search */
    for (size_t i = 0; i < v->machine_count; i++)
        points[i] = v->points[s->rows[i]];
    size_t unpriced = 0;
    for (size_t g = 0; g < s->count; g++) {
        bool is_unpriced;
        const size_t begin = s->begins[g], count = s->begins[g + 1] - begin,
                     knee = front_find_knee(points + begin, count, keep, &is_unpriced);
        unpriced += is_unpriced;
        for (size_t i = 0; i < count; i++)
            v->places[s->rows[begin + i]] = i == knee                             ? SWEEP_KNEE
                                            : front_has(points + begin, count, i) ? SWEEP_ON_FRONT
                                                                                  : SWEEP_BESIDE;
    }
    snprintf(v->knee_meaning, sizeof v->knee_meaning,
             unpriced == 0 ? "the least RAMB18 x chips x J with %g%% of the greatest speed"
             : unpriced == s->count
                 ? "the slowest with %g%% of the greatest speed, for what varies has no price"
                 : "the least RAMB18 x chips x J, or without a price the slowest, with %g%% of "
                   "the greatest speed",
             100 * keep);
}

void sweep_view_make(const struct sweep_table *table, double keep, struct sweep_view *v)
{
    const size_t count = table->count + 1;
    *v = (struct sweep_view){.table = table,
                             .kinds = memory_new(count, sizeof *v->kinds),
                             .places = memory_new(count, sizeof *v->places),
                             .points = memory_new(count, sizeof *v->points),
                             .machines = memory_new(count, sizeof *v->machines)};
    for (size_t i = 0; i < table->count; i++) {
        v->kinds[i] = kind_of(v, i);
        struct front_point *p = &v->points[i];
        p->time_s = sweep_view_number(v, i, FRONT_TIME);
        for (unsigned c = 0; c < FRONT_COSTS; c++) /* a cost that the store does not have is none */
            p->costs[c] = fmax(sweep_view_number(v, i, front_cost_measures[c]), 0);
        p->counts = v->kinds[i] == SWEEP_MACHINE && p->time_s >= 0;
        v->unbounded_count += v->kinds[i] == SWEEP_UNBOUNDED;
        if (v->kinds[i] == SWEEP_MACHINE)
            v->machines[v->machine_count++] = i;
    }
    find_varied(v);
    v->searches = sweep_view_group(v, v->inputs, SIZE_MAX);
    place_machines(v, keep);
}

void sweep_view_destroy(struct sweep_view *v)
{
    for (size_t i = 0; i < v->varied_count; i++) {
        free(v->varied[i].first);
        free(v->varied[i].ranks);
    }
    sweep_groups_destroy(&v->searches);
    free(v->kinds);
    free(v->places);
    free(v->points);
    free(v->machines);
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

static double suits(const struct sweep_varied *varied, size_t most)
{
    const double values = (double)varied->value_count;
    return varied->value_count > most ? -values : varied->is_number ? values : values + (double)most;
}

size_t sweep_view_most_suited(const struct sweep_view *v, sweep_set set, size_t most)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < v->varied_count; i++)
        if (sweep_set_has(set, i) &&
            (best == SIZE_MAX || suits(&v->varied[i], most) > suits(&v->varied[best], most)))
            best = i;
    return best;
}

/* Whether the last parts of a path are `end`. */
static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), of_end = strlen(end);
    return length >= of_end && strcmp(path + length - of_end, end) == 0 &&
           (length == of_end || path[length - of_end - 1] == '/');
}

const char *sweep_view_value_of(const struct sweep_view *v, size_t varied, size_t row)
{
    const struct sweep_varied *n = &v->varied[varied];
    const size_t column = named_column(n->column);
    const char *value = v->table->rows[row].fields[column];
    const char *end = column != n->column ? sweep_view_file(value) : value;
    if (strcmp(value, "-") == 0)
        return end;
    for (size_t i = 0; i < n->value_count; i++) {
        const char *other = v->table->rows[n->first[i]].fields[column];
        while (end > value && strcmp(other, value) != 0 && ends_in(other, end))
            for (end--; end > value && end[-1] != '/';)
                end--;
    }
    return end;
}

const char *sweep_view_value(const struct sweep_view *v, size_t varied, size_t rank)
{
    return sweep_view_value_of(v, varied, v->varied[varied].first[rank]);
}

double sweep_view_place(const struct sweep_view *v, size_t varied, size_t row)
{
    const struct sweep_varied *n = &v->varied[varied];
    return n->is_number                ? number_of(v->table->rows[row].fields[n->column])
           : n->ranks[row] == SIZE_MAX ? NAN
                                       : (double)n->ranks[row];
}

const char *sweep_view_describe(const struct sweep_view *v, size_t row, sweep_set set, enum sweep_words words,
                                char *text, size_t size)
{
    static const char *const between[] = {", ", ", ", ", ", " "}, *const is[] = {"", "", " = ", "="};
    size_t length = 0;
    *text = '\0';
    for (size_t i = 0; i < v->varied_count && length < size; i++) {
        const size_t rank = words != SWEEP_NAMES ? v->varied[i].ranks[row] : 0;
        if (sweep_set_has(set, i) && rank != SIZE_MAX)
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s%s%s", length > 0 ? between[words] : "",
                                 words != SWEEP_VALUES ? sweep_view_name(v, i) : "", is[words],
                                 words != SWEEP_NAMES ? sweep_view_value(v, i, rank) : "");
    }
    return text;
}

/* --- groups ---------------------------------------------------------------------------------------------- */

struct group_order {
    const struct sweep_view *view;
    sweep_set same;
    size_t then;
};

static int compare_ranks(const struct sweep_varied *varied, size_t a, size_t b)
{
    return (varied->ranks[a] > varied->ranks[b]) - (varied->ranks[a] < varied->ranks[b]);
}

static int compare_groups(const struct sweep_view *v, sweep_set same, size_t a, size_t b)
{
    int order = 0;
    for (size_t i = 0; i < v->varied_count && order == 0; i++)
        order = sweep_set_has(same, i) ? compare_ranks(&v->varied[i], a, b) : 0;
    return order;
}

bool sweep_view_agree(const struct sweep_view *v, sweep_set same, size_t a, size_t b)
{
    return compare_groups(v, same, a, b) == 0;
}

static int compare_rows(const void *a, const void *b, void *data)
{
    const struct group_order *o = data;
    const size_t left = *(const size_t *)a, right = *(const size_t *)b;
    int order = compare_groups(o->view, o->same, left, right);
    if (order == 0 && o->then != SIZE_MAX)
        order = compare_ranks(&o->view->varied[o->then], left, right);
    return order ? order : (left > right) - (left < right);
}

struct sweep_groups sweep_view_group(const struct sweep_view *v, sweep_set same, size_t then)
{
    struct group_order order = {v, same, then};
    struct sweep_groups groups = {sweep_view_machines(v),
                                  memory_take((v->machine_count + 1) * sizeof *groups.begins), 0};
    qsort_r(groups.rows, v->machine_count, sizeof *groups.rows, compare_rows, &order);
    for (size_t i = 0; i < v->machine_count; i++)
        if (i == 0 || !sweep_view_agree(v, same, groups.rows[i - 1], groups.rows[i]))
            groups.begins[groups.count++] = i;
    groups.begins[groups.count] = v->machine_count;
    return groups;
}

void sweep_groups_destroy(struct sweep_groups *groups)
{
    free(groups->rows);
    free(groups->begins);
    *groups = (struct sweep_groups){0};
}
