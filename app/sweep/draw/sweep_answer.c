#include "app/sweep/draw/sweep_answer.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, CHANGES_OF_A_NUMBER = 2, ROWS_MOST = 512 };

/* --- the best -------------------------------------------------------------------------------------------- */

static size_t count_searches(const struct sweep_view *v, struct sweep_groups *groups, struct why *why)
{
    struct sweep_set searches = sweep_view_searches(v);
    return sweep_view_group(v, &searches, SIZE_MAX, groups, why) == 0 ? groups->count : 0;
}

/* The best machine of each search is named. */
size_t sweep_answer_best(const struct sweep_view *v, size_t rows[SWEEP_BEST], struct why *why)
{
    struct sweep_groups groups = {0};
    size_t searches = count_searches(v, &groups, why), found = 0;
    size_t *best = calloc(searches + 1, sizeof *best);
    for (size_t g = 0; g < searches && best; g++)
        sweep_view_best(v, groups.rows + groups.begins[g], groups.begins[g + 1] - groups.begins[g], &best[g],
                        1);
    if (searches > 1 && best)
        found = sweep_view_best(v, best, searches, rows, SWEEP_BEST);
    else if (searches == 1)
        found = sweep_view_best(v, groups.rows, groups.begins[1], rows, SWEEP_BEST);
    free(best);
    sweep_groups_destroy(&groups);
    return found;
}

size_t sweep_answer_knee(const struct sweep_view *v, double keep, struct why *why)
{
    struct sweep_groups groups = {0};
    struct sweep_fronts fronts;
    size_t knee = SIZE_MAX;
    bool one = count_searches(v, &groups, why) == 1, varies = false;
    sweep_groups_destroy(&groups);
    for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++)
        varies = varies || sweep_view_cost_varies(v, cost);
    if (!one || !varies || sweep_fronts_make(v, keep, &fronts, why) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < v->table->count; i++)
        knee = fronts.places[i] == SWEEP_KNEE ? i : knee;
    sweep_fronts_destroy(&fronts);
    return knee;
}

/* --- where the bottleneck changes ------------------------------------------------------------------------ */

/* What happens along rows of machines, and along how many. */
struct change {
    char text[SWEEP_CHANGE_BYTES];
    size_t rows, first; /* first: a machine of the first row */
};

/* What a number decides: "1b up to 1048576, pcix from 2097152". */
static void describe_numbers(const struct sweep_view *v, size_t x, const size_t *rows, size_t count,
                             char *text, size_t size)
{
    size_t length = 0, begin = 0;
    for (size_t i = 0; i < count && length < size; i++) {
        const char *here = sweep_view_text(v, rows[i], "bottleneck");
        bool last = i + 1 == count;
        if (!last && strcmp(here, sweep_view_text(v, rows[i + 1], "bottleneck")) == 0)
            continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s %s %s", length > 0 ? ", " : "", here,
                                   last ? "from" : "up to",
                                   sweep_view_value(v, x, v->varied[x].ranks[rows[last ? begin : i]]));
        begin = i + 1;
    }
}

/* What a text decides: "pcix if displaced, 1b if xxh3". */
static void describe_texts(const struct sweep_view *v, size_t x, const size_t *rows, size_t count, char *text,
                           size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s if %s", length > 0 ? ", " : "",
                                   sweep_view_text(v, rows[i], "bottleneck"),
                                   sweep_view_value(v, x, v->varied[x].ranks[rows[i]]));
}

static void describe_row(const struct sweep_view *v, size_t x, const size_t *rows, size_t count, char *text,
                         size_t size)
{
    bool one = true;
    for (size_t i = 1; i < count; i++)
        one = one && strcmp(sweep_view_text(v, rows[0], "bottleneck"),
                            sweep_view_text(v, rows[i], "bottleneck")) == 0;
    if (one)
        snprintf(text, size, "%s everywhere", sweep_view_text(v, rows[0], "bottleneck"));
    else if (v->varied[x].is_number)
        describe_numbers(v, x, rows, count, text, size);
    else
        describe_texts(v, x, rows, count, text, size);
}

static size_t add_change(struct change *changes, size_t count, const char *text, size_t row)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(changes[i].text, text) == 0) {
            changes[i].rows++;
            return count;
        }
    if (count == ROWS_MOST)
        return count;
    changes[count] = (struct change){.rows = 1, .first = row};
    snprintf(changes[count].text, sizeof changes[count].text, "%s", text);
    return count + 1;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *left = a, *right = b;
    if (left->rows != right->rows)
        return left->rows > right->rows ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

/* Cut a line to its columns. */
static void end_line(char *line, size_t columns)
{
    if (strlen(line) > columns)
        memcpy(line + columns - 3, "...", 4);
}

/* "table.slots: 1b up to 1048576, pcix from 2097152 (table.family = xxh3)" */
static void write_change(const struct sweep_view *v, size_t x, const struct change *c, size_t kinds,
                         size_t rows, char line[SWEEP_CHANGE_BYTES])
{
    char where[96] = "";
    struct sweep_set others = sweep_view_others(v, x, SIZE_MAX);
    if (kinds > 1 && c->rows == 1)
        sweep_view_describe(v, c->first, &others, false, where, sizeof where);
    else if (kinds > 1)
        snprintf(where, sizeof where, "%zu of %zu rows", c->rows, rows);
    snprintf(line, SWEEP_CHANGE_BYTES, "%.40s: %.60s%s%.50s%s", sweep_view_name(v, x), c->text,
             *where ? " (" : "", where, *where ? ")" : "");
    end_line(line, COLUMNS - 2);
}

static size_t find_changes(const struct sweep_view *v, size_t x, struct change *changes, size_t *rows,
                           struct why *why)
{
    struct sweep_set others = sweep_view_others(v, x, SIZE_MAX);
    struct sweep_groups groups;
    size_t count = 0;
    *rows = 0;
    if (sweep_view_group(v, &others, x, &groups, why) != 0)
        return 0;
    for (size_t g = 0; g < groups.count; g++) {
        char text[SWEEP_CHANGE_BYTES] = "";
        size_t begin = groups.begins[g], length = groups.begins[g + 1] - begin;
        if (length < 2)
            continue;
        describe_row(v, x, groups.rows + begin, length, text, sizeof text);
        count = add_change(changes, count, text, groups.rows[begin]);
        (*rows)++;
    }
    sweep_groups_destroy(&groups);
    qsort(changes, count, sizeof *changes, compare_changes);
    return count;
}

/* Whether the bottleneck is the same along each row of a number, though not in all of them. */
static bool changes_nothing(const struct change *changes, size_t kinds)
{
    for (size_t i = 0; i < kinds; i++)
        if (!strstr(changes[i].text, " everywhere"))
            return false;
    return kinds > 0;
}

static bool bottleneck_is_one(const struct sweep_view *v, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < v->table->count; i++) {
        if (v->kinds[i] != SWEEP_MACHINE)
            continue;
        const char *here = sweep_view_text(v, i, "bottleneck");
        if (*name && strcmp(*name, here) != 0)
            return false;
        *name = here;
    }
    return *name != NULL;
}

size_t sweep_answer_changes(const struct sweep_view *v, char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES],
                            struct why *why)
{
    const char *name;
    size_t count = 0;
    if (bottleneck_is_one(v, &name)) {
        snprintf(lines[0], SWEEP_CHANGE_BYTES, "%.40s at all points", name);
        return 1;
    }
    struct change *changes = malloc(ROWS_MOST * sizeof *changes);
    for (size_t x = 0; x < v->varied_count && changes && count < SWEEP_CHANGES; x++) {
        size_t rows, kinds = find_changes(v, x, changes, &rows, why);
        if (changes_nothing(changes, kinds)) {
            snprintf(lines[count++], SWEEP_CHANGE_BYTES, "%.40s: no change", sweep_view_name(v, x));
            continue;
        }
        for (size_t i = 0; i < kinds && i < CHANGES_OF_A_NUMBER && count < SWEEP_CHANGES; i++)
            write_change(v, x, &changes[i], kinds, rows, lines[count++]);
    }
    free(changes);
    if (count == 0)
        snprintf(lines[count++], SWEEP_CHANGE_BYTES,
                 "changes, but no two machines differ in one number only");
    return count;
}

/* --- text ------------------------------------------------------------------------------------------------ */

static void write_machine(const struct sweep_view *v, size_t row, FILE *out)
{
    char line[400], what[200];
    struct sweep_set all = sweep_view_others(v, SIZE_MAX, SIZE_MAX);
    snprintf(line, sizeof line, "  %9.5g %9.2f %6.0f %5.0f %7.4g  %-10s %s",
             1e3 * sweep_view_number(v, row, FRONT_TIME),
             sweep_view_number(v, row, "throughput_mwmers_per_s"), sweep_view_number(v, row, "ramb18"),
             sweep_view_number(v, row, "sram_chips"), sweep_view_number(v, row, "energy_j"),
             sweep_view_text(v, row, "bottleneck"),
             sweep_view_describe(v, row, &all, true, what, sizeof what));
    end_line(line, COLUMNS);
    fprintf(out, "%s\n", line);
}

static void write_head(const struct sweep_view *v, FILE *out)
{
    char line[400], names[300];
    struct sweep_set all = sweep_view_others(v, SIZE_MAX, SIZE_MAX);
    snprintf(line, sizeof line, "  %9s %9s %6s %5s %7s  %-10s %s", "total ms", "Mw-mers/s", "RAMB18", "chips",
             "J", "bottleneck", sweep_view_list(v, &all, names, sizeof names));
    end_line(line, COLUMNS);
    fprintf(out, "%s\n", line);
}

void sweep_answer_write(const struct sweep_view *v, double keep, FILE *out, struct why *why)
{
    size_t best[SWEEP_BEST], count = v->machine_count > 1 ? sweep_answer_best(v, best, why) : 0;
    struct sweep_groups groups = {0};
    char changes[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    if (count == 0)
        return;
    bool several = count_searches(v, &groups, why) > 1;
    sweep_groups_destroy(&groups);
    fprintf(out, "%s by the time of the run\n", several ? "Best machine of each search," : "Best machines");
    write_head(v, out);
    for (size_t i = 0; i < count; i++)
        write_machine(v, best[i], out);
    size_t knee = sweep_answer_knee(v, keep, why);
    if (knee != SIZE_MAX) {
        fprintf(out, "Knee: " SWEEP_KNEE_MEANING "\n", 100 * keep);
        write_machine(v, knee, out);
    }
    size_t lines = sweep_answer_changes(v, changes, why);
    fprintf(out, "Bottleneck while streaming\n");
    for (size_t i = 0; i < lines; i++)
        fprintf(out, "  %s\n", changes[i]);
}
