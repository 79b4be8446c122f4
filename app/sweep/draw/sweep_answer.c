#include "app/sweep/draw/sweep_answer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/shown.h"

enum { COLUMNS = 80, CHANGES_OF_A_NUMBER = 2, ROWS_MOST = 512, WORDS_MOST = 240 };

/* --- the best -------------------------------------------------------------------------------------------- */

/* The better one first; of equally good ones that of the first row. */
static int compare_machines(const void *a, const void *b, void *view)
{
    const struct sweep_view *v = view;
    const size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const struct front_point *x = &v->points[left], *y = &v->points[right];
    if (x->time_s < y->time_s || x->time_s > y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    return front_is_cheaper(x, y) ? -1 : front_is_cheaper(y, x) ? 1 : (left > right) - (left < right);
}

size_t sweep_answer_best(const struct sweep_view *v, size_t rows[SWEEP_BEST])
{
    size_t *sorted = sweep_view_machines(v), found = 0;
    qsort_r(sorted, v->machine_count, sizeof *sorted, compare_machines, (void *)v);
    for (size_t i = 0; i < v->machine_count && found < SWEEP_BEST; i++) {
        bool has_search = false; /* a better machine of the same search is there */
        for (size_t k = 0; k < found && v->searches.count > 1; k++)
            has_search = has_search || sweep_view_agree(v, v->inputs, rows[k], sorted[i]);
        if (!has_search)
            rows[found++] = sorted[i];
    }
    free(sorted);
    return found;
}

size_t sweep_answer_knee(const struct sweep_view *v)
{
    bool differs = false;
    for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++)
        differs = differs || sweep_view_differs(v, front_cost_measures[cost]);
    for (size_t i = 0; i < v->machine_count && differs && v->searches.count == 1; i++)
        if (v->places[v->machines[i]] == SWEEP_KNEE)
            return v->machines[i];
    return SIZE_MAX;
}

/* --- where the bottleneck changes ------------------------------------------------------------------------ */

/* What happens along rows of machines, and along how many. */
struct change {
    char text[SWEEP_CHANGE_BYTES];
    size_t rows, first; /* first: a machine of the first row */
    bool is_none;       /* the bottleneck is the same along the row */
};

/* Passes' times are added over the boards that had passes; the rest of the run tells what each of these had. */
const char *sweep_answer_bottleneck(const struct sweep_view *v, size_t row)
{
    static const char *const columns[] = {"build_wait_s", "table_load_s", "stream_time_s", "drain_s"};
    enum { BUILD, LOAD, STREAM, LAST, PHASES };
    double phases_s[PHASES], all_s = 0;
    unsigned longest = STREAM;
    for (unsigned i = 0; i < PHASES; i++) {
        phases_s[i] = sweep_view_number(v, row, columns[i]);
        all_s += i < LAST ? phases_s[i] : 0;
    }
    phases_s[LAST] *= all_s / (sweep_view_number(v, row, "simulated_time_s") - phases_s[LAST]);
    for (unsigned i = 0; i < PHASES; i++)
        longest = phases_s[i] > phases_s[longest] ? i : longest;
    const char *const names[PHASES] = {"building", "tables", sweep_view_text(v, row, "bottleneck"),
                                       "stage 3"};
    return names[longest];
}

static bool is_one_bottleneck(const struct sweep_view *v, const size_t *rows, size_t count)
{
    bool one = count > 0;
    for (size_t i = 1; i < count; i++)
        one = one && strcmp(sweep_answer_bottleneck(v, rows[0]), sweep_answer_bottleneck(v, rows[i])) == 0;
    return one;
}

/* What a number decides: "1b up to 1048576, bus from 2097152"; what a text decides: "bus if displaced, 1b if xxh3".
 */
static void describe_row(const struct sweep_view *v, size_t x, const size_t *rows, size_t count, char *text,
                         size_t size)
{
    const struct sweep_varied *varied = &v->varied[x];
    size_t length = 0, begin = 0;
    for (size_t i = 0; i < count && length < size; i++) {
        const bool last = i + 1 == count;
        if (varied->is_number && !last && is_one_bottleneck(v, &rows[i], 2))
            continue;
        const size_t named = rows[varied->is_number && last ? begin : i];
        length += (size_t)snprintf(text + length, size - length, "%s%s %s %s", length > 0 ? ", " : "",
                                   sweep_answer_bottleneck(v, rows[i]),
                                   !varied->is_number ? "if"
                                   : last             ? "from"
                                                      : "up to",
                                   sweep_view_value(v, x, varied->ranks[named]));
        begin = i + 1;
    }
}

static size_t add_change(struct change *changes, size_t count, const char *text, size_t row)
{
    size_t at = 0; /* a row without a change has no text */
    while (at < count && strcmp(changes[at].text, text) != 0)
        at++;
    if (at == ROWS_MOST)
        return count;
    if (at == count) {
        changes[count++] = (struct change){.first = row, .is_none = !*text};
        snprintf(changes[at].text, sizeof changes[at].text, "%s", text);
    }
    changes[at].rows++;
    return count;
}

/* What changes first, then by the number of rows. */
static int compare_changes(const void *a, const void *b)
{
    const struct change *left = a, *right = b;
    return ORDER_BY({left->is_none, right->is_none}, {(int64_t)right->rows, (int64_t)left->rows},
                    {(int64_t)left->first, (int64_t)right->first});
}

/* "table.slots: 1b up to 1048576, bus from 2097152 (table.family = xxh3)"; of many values the first ones. */
static void write_change(const struct sweep_view *v, size_t x, const struct change *c, size_t kinds,
                         size_t rows, char line[SWEEP_CHANGE_BYTES])
{
    const size_t least = strnlen(c->text, WORDS_MOST), length = least + strcspn(c->text + least, ",");
    char where[1000] = "";
    if (kinds > 1 && c->rows == 1)
        sweep_view_describe(v, c->first, ~sweep_set_of(x), SWEEP_BOTH, where, sizeof where);
    else if (kinds > 1)
        snprintf(where, sizeof where, "in %zu of %zu combinations of the others", c->rows, rows);
    snprintf(line, SWEEP_CHANGE_BYTES, "%s: %.*s%s%s%s%s", sweep_view_name(v, x), (int)length, c->text,
             c->text[length] ? ", ..." : "", *where ? " (" : "", where, *where ? ")" : "");
}

static size_t find_changes(const struct sweep_view *v, size_t x, struct change *changes, size_t *rows)
{
    auto_by(sweep_groups_destroy) struct sweep_groups groups = sweep_view_group(v, ~sweep_set_of(x), x);
    size_t count = 0;
    *rows = 0;
    for (size_t g = 0; g < groups.count; g++) {
        char text[SWEEP_CHANGE_BYTES] = "";
        size_t begin = groups.begins[g], length = groups.begins[g + 1] - begin;
        if (length < 2)
            continue;
        if (!is_one_bottleneck(v, groups.rows + begin, length))
            describe_row(v, x, groups.rows + begin, length, text, sizeof text);
        count = add_change(changes, count, text, groups.rows[begin]);
        (*rows)++;
    }
    qsort(changes, count, sizeof *changes, compare_changes);
    return count;
}

size_t sweep_answer_changes(const struct sweep_view *v, char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES])
{
    size_t count = 0, x = 0;
    if (is_one_bottleneck(v, v->machines, v->machine_count)) {
        snprintf(lines[0], SWEEP_CHANGE_BYTES, "%.40s at all points",
                 sweep_answer_bottleneck(v, v->machines[0]));
        return 1;
    }
    auto_free struct change *changes = memory_take(ROWS_MOST * sizeof *changes);
    for (; x < v->varied_count && count + CHANGES_OF_A_NUMBER + 1 < SWEEP_CHANGES; x++) {
        size_t rows, kinds = find_changes(v, x, changes, &rows);
        const size_t changing = kinds - (kinds > 0 && changes[kinds - 1].is_none);
        if (kinds > 0 && changing == 0)
            snprintf(lines[count++], SWEEP_CHANGE_BYTES, "%s: no change", sweep_view_name(v, x));
        for (size_t i = 0; i < changing && i < CHANGES_OF_A_NUMBER; i++)
            write_change(v, x, &changes[i], kinds, rows, lines[count++]);
        if (changing > CHANGES_OF_A_NUMBER)
            snprintf(lines[count++], SWEEP_CHANGE_BYTES, "%s: rarer kinds of change that are left out: %zu",
                     sweep_view_name(v, x), changing - CHANGES_OF_A_NUMBER);
    }
    if (x < v->varied_count)
        snprintf(lines[count++], SWEEP_CHANGE_BYTES, "numbers that are left out: %zu", v->varied_count - x);
    if (count == 0)
        snprintf(lines[count++], SWEEP_CHANGE_BYTES,
                 "changes, but no two machines differ in one number only");
    return count;
}

/* --- text ------------------------------------------------------------------------------------------------ */

enum { NUMBERS_WIDTH = 55 };

/* Whether the values of the varied numbers, and their names above them, fit beside a machine's numbers. */
static bool values_fit(const struct sweep_view *v)
{
    char text[COLUMNS];
    size_t most = strlen(sweep_view_describe(v, 0, SWEEP_ALL, SWEEP_NAMES, text, sizeof text));
    for (size_t i = 0; i < v->machine_count; i++) {
        size_t length =
            strlen(sweep_view_describe(v, v->machines[i], SWEEP_ALL, SWEEP_VALUES, text, sizeof text));
        most = length > most ? length : most;
    }
    return most <= COLUMNS - NUMBERS_WIDTH;
}

/* Values that do not fit are below the numbers, as one writes them after --set. */
static void write_machine(const struct sweep_view *v, size_t row, bool fit, FILE *out)
{
    const struct front_point *p = &v->points[row];
    char what[1000];
    sweep_view_describe(v, row, SWEEP_ALL, fit ? SWEEP_VALUES : SWEEP_SETTINGS, what, sizeof what);
    fprintf(out, "  %9.5g %9.2f %6.0f %5.0f %7.4g  %-*s%s\n", 1e3 * p->time_s,
            sweep_view_number(v, row, "throughput_mwmers_per_s"), p->costs[FRONT_RAMB18],
            p->costs[FRONT_SRAM_CHIPS], p->costs[FRONT_ENERGY], fit ? 11 : 0, sweep_answer_bottleneck(v, row),
            fit ? what : "");
    if (!fit)
        shown_print(out, "    %s", what);
}

void sweep_answer_write(const struct sweep_view *v, FILE *out)
{
    size_t best[SWEEP_BEST], count = sweep_answer_best(v, best), knee = sweep_answer_knee(v);
    char changes[SWEEP_CHANGES][SWEEP_CHANGE_BYTES], names[COLUMNS];
    static const char *const places[SWEEP_BEST + 1] = {" (the 1st)", " (the 2nd)", " (the 3rd)",
                                                       " (the 4th)", " (the 5th)", ""};
    char misfit[SWEEP_MISFIT_BYTES];
    const bool fit = values_fit(v);
    size_t at = SWEEP_BEST; /* of the knee among the best */
    if (*sweep_view_misfit(v, misfit))
        shown_print(out, "%s", misfit);
    if (v->machine_count < 2)
        return;
    fprintf(out, "%s by the time of the run\n",
            v->searches.count > 1 ? "Best machine of each search," : "Best machines");
    fprintf(out, "  %9s %9s %6s %5s %7s  %-*s%s\n", "total ms", "Mw-mers/s", "RAMB18", "chips", "J",
            fit ? 11 : 0, "bottleneck",
            fit ? sweep_view_describe(v, 0, SWEEP_ALL, SWEEP_NAMES, names, sizeof names) : "");
    for (size_t i = 0; i < count; i++) {
        write_machine(v, best[i], fit, out);
        at = best[i] == knee ? i : at;
    }
    if (knee != SIZE_MAX)
        shown_print(out, "Knee: %s%s", v->knee_meaning, places[at]);
    if (knee != SIZE_MAX && at == SWEEP_BEST)
        write_machine(v, knee, fit, out);
    size_t lines = sweep_answer_changes(v, changes);
    fprintf(out, "Bottleneck: " SWEEP_BOTTLENECK_MEANING "\n");
    for (size_t i = 0; i < lines; i++)
        shown_print(out, "  %s", changes[i]);
}
