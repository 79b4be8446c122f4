/* cmd_diff.c - what differs between two runs, A and B: what was asked for, and every number that was measured.
 *
 * Compared  from run.json the inputs (by their digests; names of equal inputs do not count), the parameters of the
 *           machine and what was asked for, such as the E-value; from summary.json everything, pass by pass. Not
 *           compared is what changes nothing simulated: paths, jobs, the engine, times of this computer, the format of
 *           alignments, pictures. Strands, masks and limits, which a run that was timed again does not know, are
 *           compared only if both runs know them. Platform files are compared only if what was measured differs and
 *           nothing else that was asked for does: then what is no parameter, such as a link's latency, may be why.
 * Change    of a number from A to B: 100 (B - A) / |A| per cent; infinite from 0, NaN if one is no number.
 * Order     by kind, parameters first, then the largest change first; an infinite change, or none in per cent, is the
 *           largest.
 * Text      in 80 columns: all that was asked for, the parameters first, then the simulated time, and those of the
 *           utilisations, queues, alignments and bottlenecks that changed most, in 15 lines or eight rows; if none of
 *           these differs, what differs first. TSV and JSON have all differences.
 * Names     as in run.json and summary.json, with dots between the parts; an item of an array has the name of its
 *           "stage", or its number from 1.
 */
#include "app/commands.h"

#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/draw/result_table.h"
#include "base/memory.h"
#include "base/why.h"
#include "base/array.h"
#include "base/printable.h"
#include "base/shown.h"
#include "app/report/line_run.h"
#include "app/report/run_files.h"
#include "app/options.inc"

enum run_difference_kind {
    DIFFERENCE_OF_PARAMETER,
    DIFFERENCE_OF_INPUT,
    DIFFERENCE_OF_OPTION,
    DIFFERENCE_OF_RUN,  /* a number of the whole run */
    DIFFERENCE_OF_PASS, /* a number of one pass */
};

struct run_difference {
    enum run_difference_kind kind;
    char *name;
    const json_t *a, *b; /* NULL: that run has no such value */
    double change;       /* per cent */
    size_t index;        /* in the order in which differences were found */
};

struct run_diff {
    struct run_difference *items;
    size_t count, room;
    enum run_difference_kind kind; /* of what is found at present */
};

enum { NAME_BYTES = 256 };

/* --- finding ----------------------------------------------------------------------------------------------- */

/* NaN if it is no number. The parameters of a machine are texts. */
static double number_of_value(const json_t *value, enum run_difference_kind kind)
{
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (kind == DIFFERENCE_OF_PARAMETER && json_is_string(value) &&
        command_number(json_string_value(value), -HUGE_VAL, HUGE_VAL, &number) != 0)
        number = NAN;
    return number;
}

static void add(struct run_diff *d, const char *name, const json_t *a, const json_t *b)
{
    double from = number_of_value(a, d->kind), to = number_of_value(b, d->kind);
    if (from == to)
        return;
    array_reserve(&d->items, &d->room, d->count, 1, sizeof *d->items);
    d->items[d->count] = (struct run_difference){.kind = d->kind,
                                                 .name = memory_text(name),
                                                 .a = a,
                                                 .b = b,
                                                 .change = isnan(from) || isnan(to) ? NAN
                                                           : from == 0              ? copysign(INFINITY, to)
                                                                       : 100 * (to - from) / fabs(from),
                                                 .index = d->count};
    d->count++;
}

static void compare(struct run_diff *d, const char *name, const json_t *a, const json_t *b);

/* What is in "per_pass" is of passes; what was asked of a sample is among its numbers. */
static void compare_member(struct run_diff *d, const char *name, const char *key, const json_t *a,
                           const json_t *b)
{
    static const char *const asked[] = {"sample.seed", "sample.until", "sample.database.window_bases",
                                        "sample.database.warm_up_bases"};
    const enum run_difference_kind kind = d->kind;
    char inner[NAME_BYTES];
    snprintf(inner, sizeof inner, "%s%s%s", name, *name ? "." : "", key);
    if (strcmp(key, "per_pass") == 0)
        d->kind = DIFFERENCE_OF_PASS;
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (strcmp(inner, asked[i]) == 0)
            d->kind = DIFFERENCE_OF_OPTION;
    compare(d, inner, a, b);
    d->kind = kind;
}

static void compare_objects(struct run_diff *d, const char *name, const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value)
    {
        compare_member(d, name, key, value, json_object_get(b, key));
    }
    json_object_foreach((json_t *)b, key, value)
    {
        if (!json_object_get(a, key))
            compare_member(d, name, key, NULL, value);
    }
}

static void compare_arrays(struct run_diff *d, const char *name, const json_t *a, const json_t *b)
{
    size_t count = json_array_size(a) > json_array_size(b) ? json_array_size(a) : json_array_size(b);
    for (size_t i = 0; i < count; i++) {
        const json_t *of_a = json_array_get(a, i), *of_b = json_array_get(b, i);
        const char *stage = json_string_value(json_object_get(of_a ? of_a : of_b, "stage"));
        compare_member(d, name, stage ? stage : shown_text("%zu", i + 1).text, of_a, of_b);
    }
}

static bool is_nothing(const json_t *value)
{
    return !value || json_is_null(value);
}

static void compare(struct run_diff *d, const char *name, const json_t *a, const json_t *b)
{
    const json_t *either = is_nothing(a) ? b : a;
    if ((is_nothing(a) && is_nothing(b)) || (a && b && json_equal(a, b)))
        return;
    if (json_is_object(either) && (is_nothing(b) || json_is_object(b)))
        compare_objects(d, name, a, b);
    else if (json_is_array(either) && (is_nothing(b) || json_is_array(b)))
        compare_arrays(d, name, a, b);
    else
        add(d, name, a, b);
}

static void compare_of_run(struct run_diff *d, const char *name, const struct run_files *a,
                           const struct run_files *b)
{
    compare(d, name, json_object_get(a->run, name), json_object_get(b->run, name));
}

/* Inputs are compared by their digests; equal ones may have other names. */
static void compare_input(struct run_diff *d, const char *name, const struct run_files *a,
                          const struct run_files *b)
{
    const json_t *of_a = json_object_get(a->run, name), *of_b = json_object_get(b->run, name);
    if (!json_equal(json_object_get(of_a, "xxh3"), json_object_get(of_b, "xxh3")))
        compare(d, name, of_a, of_b);
}

static double size_of_change(const struct run_difference *d)
{
    return isnan(d->change) ? INFINITY : fabs(d->change);
}

static int by_kind_and_change(const void *left, const void *right)
{
    const struct run_difference *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (size_of_change(a) != size_of_change(b))
        return size_of_change(a) > size_of_change(b) ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void find_differences(const struct run_files *a, const struct run_files *b, struct run_diff *d)
{
    /* the last three are unknown of a run that was timed again */
    static const char *const options[] = {"version", "e_value", "query_loc", "charge_measurement",
                                          "mapq",    "strand",  "masking",   "limits"};
    const bool recorded = json_object_get(a->run, "record") || json_object_get(b->run, "record");
    d->kind = DIFFERENCE_OF_INPUT;
    compare_input(d, "query", a, b);
    compare_input(d, "database", a, b);
    d->kind = DIFFERENCE_OF_PARAMETER;
    compare(d, "", json_object_get(a->run, "configuration"), json_object_get(b->run, "configuration"));
    d->kind = DIFFERENCE_OF_OPTION;
    for (unsigned i = 0; i < (recorded ? 5 : 8); i++)
        compare_of_run(d, options[i], a, b);
    const bool same_asked = d->count == 0;
    d->kind = DIFFERENCE_OF_RUN;
    compare_of_run(d, "alignments", a, b);
    compare(d, "", a->summary, b->summary);
    d->kind = DIFFERENCE_OF_PARAMETER;
    if (same_asked && d->count > 0) /* what platforms say beside numbers may be why */
        compare_of_run(d, "platform_xxh3", a, b);
    if (d->count > 0)
        qsort(d->items, d->count, sizeof *d->items, by_kind_and_change);
}

/* --- writing ----------------------------------------------------------------------------------------------- */

static struct result_cell cell_of(const json_t *value, enum run_difference_kind kind)
{
    double number = number_of_value(value, kind);
    if (!isnan(number))
        return NUMBER(number);
    if (json_is_boolean(value))
        return TEXT(json_is_true(value) ? "true" : "false");
    return json_is_string(value) ? TEXT(json_string_value(value)) : NUMBER(NAN);
}

static struct result_table *make_table(const struct run_diff *diff, const char *a, const char *b)
{
    static const char *const columns[] = {"kind", "name", "a", "b", "change_percent"};
    static const char *const kinds[] = {"parameter", "input", "option", "run", "pass"};
    static const struct result_style style = {.tsv_number = RESULT_EXACT, .schema = "mercury-diff-1"};
    struct result_table *table = result_table_new_styled(columns, 5, &style);
    result_table_add_fact(table, "a", TEXT(a));
    result_table_add_fact(table, "b", TEXT(b));
    for (size_t i = 0; i < diff->count; i++) {
        const struct run_difference *d = &diff->items[i];
        result_table_add(table, TEXT(kinds[d->kind]), TEXT(d->name), cell_of(d->a, d->kind),
                         cell_of(d->b, d->kind), NUMBER(isfinite(d->change) ? d->change : NAN));
    }
    return table;
}

/* A text has 15 lines: the header, rows, and one that says how many more differences there are; one more where one run
 * is a sample. All that was asked for is among them, also if it takes more than that; then these rows of what was
 * measured follow. */
enum { ROWS_MOST = 13, ROWS_MEASURED = 8 };

/* Numbers of a run that a text may show, as patterns. The first is always shown. */
#include "app/diff.inc"

#define SHOWN(none, name) name
static const char *const shown_names[] = {DIFF_SHOWN_ROWS(SHOWN)};

static bool is_shown(const struct run_difference *d)
{
    for (unsigned i = 0; i < sizeof shown_names / sizeof shown_names[0]; i++)
        if (fnmatch(shown_names[i], d->name, 0) == 0)
            return true;
    return false;
}

enum { VALUE_COLUMNS = 14 };

/* Cut a text to the width of a column, between characters. */
static const char *cut(const char *text, char shown[VALUE_COLUMNS + 1])
{
    snprintf(shown, VALUE_COLUMNS + 1, "%.*s", (int)printable_fit(text, VALUE_COLUMNS), text);
    return shown;
}

/* What follows the last slash, but for one at the end, which a shell appends to a directory. */
static const char *last_part(const char *path)
{
    const char *part = path + strlen(path);
    while (part > path && (part[-1] != '/' || !part[0]))
        part--;
    return part;
}

static void add_row(struct result_table *table, const struct run_difference *d)
{
    char change[24] = "", texts[2][VALUE_COLUMNS + 1];
    struct result_cell values[] = {cell_of(d->a, d->kind), cell_of(d->b, d->kind)};
    const char *name = d->name, *dot = strchr(name, '.');
    const bool is_file = d->kind == DIFFERENCE_OF_INPUT && fnmatch("*.file", name, 0) == 0;
    while (d->kind == DIFFERENCE_OF_RUN && dot &&
           strchr(dot + 1, '.')) { /* mercury explain needs two parts */
        name = dot + 1;
        dot = strchr(name, '.');
    }
    if (isinf(d->change))
        snprintf(change, sizeof change, "from 0");
    else if (!isnan(d->change))
        snprintf(change, sizeof change, fabs(d->change) < 1e8 ? "%+.*f%%" : "%+.*g%%",
                 fabs(d->change) < 1e4 ? 2 : 0, d->change);
    for (unsigned i = 0; i < 2; i++)
        if (!values[i].text && d->kind < DIFFERENCE_OF_RUN && !isnan(values[i].number)) {
            snprintf(texts[i], sizeof texts[i], "%.5g", values[i].number); /* an E-value is never "~0" */
            values[i].text = texts[i];
        } else if (values[i].text) {
            values[i].text = cut(is_file ? last_part(values[i].text) : values[i].text, texts[i]);
        }
    result_table_add(table, TEXT(name), values[0], values[1], TEXT(change));
}

static const char *head_of(const char *path, const char *which, char text[VALUE_COLUMNS + 1])
{
    char whole[NAME_BYTES], shown[NAME_BYTES];
    snprintf(whole, sizeof whole, "%s: %s", which, last_part(path));
    return cut(printable_copy(shown, sizeof shown, whole, sizeof whole), text);
}

/* The names of the columns are the runs', so that the table is written here. */
static int save_text(const struct run_diff *diff, const char *a, const char *b, struct why *why)
{
    static const int widths[] = {-36, VALUE_COLUMNS, VALUE_COLUMNS, 10};
    char heads[2][VALUE_COLUMNS + 1];
    const char *columns[] = {"differs", head_of(a, "A", heads[0]), head_of(b, "B", heads[1]), "change"};
    struct result_style style = {.title = "", .widths = widths};
    struct result_table *table = result_table_new_styled(columns, 4, &style);
    size_t rows = 0; /* first what was asked for, then the simulated time, then the rest in its order */
    for (; rows < diff->count && diff->items[rows].kind < DIFFERENCE_OF_RUN; rows++)
        add_row(table, &diff->items[rows]);
    bool any = rows > 0;
    for (size_t i = rows; i < diff->count; i++)
        any = any || is_shown(&diff->items[i]);
    const size_t most = rows + ROWS_MEASURED > ROWS_MOST ? rows + ROWS_MEASURED : ROWS_MOST;
    for (int time = 1; time >= 0; time--)
        for (size_t i = 0; i < diff->count && rows < most; i++) {
            const struct run_difference *d = &diff->items[i];
            if (d->kind == DIFFERENCE_OF_RUN && (!any || is_shown(d)) &&
                (strcmp(d->name, shown_names[0]) == 0) == (time == 1))
                add_row(table, d), rows++;
        }
    for (size_t i = 0; i < diff->count; i++)
        if (strcmp(diff->items[i].name, "sample.drawn") == 0 && !(diff->items[i].a && diff->items[i].b))
            result_table_note(table,
                              "%s is a sample: its numbers are of what was drawn, not of the whole run",
                              diff->items[i].a ? "A" : "B");
    if (rows < diff->count)
        result_table_note(table, "and %zu more; all of them: mercury diff A B --format tsv",
                          diff->count - rows);
    return result_table_save(table, RESULT_TEXT, NULL, why);
}

struct arguments {
    enum result_format format;
};

static const struct command_option options[] = COMMAND_OPTIONS(DIFF_OPTIONS);

/* The rows of a pipeline's summary are what was measured; what else is in it was asked for. */
static int open_pipeline(const char *directory, struct run_files *f, struct why *why)
{
    auto_by(line_run_close) struct line_run line;
    int status = line_run_open(directory, &line, why);
    if (status == 0) {
        f->summary = line_run_measured(&line);
        json_object_del(line.summary, "rows");
        json_object_del(line.summary, "notes");
        f->run = json_pack("{s:O, s:O}", "configuration", line.summary, "version",
                           json_object_get(line.about, "version"));
    }
    return status;
}

/* @return the name of the run: a summary has that of its directory, since all are called summary.json */
static const char *open_run(const char *path, struct run_place *place, struct run_files *f, int *status,
                            struct why *why)
{
    *status = command_status_of(run_place_find(path, place, why));
    const char *name = *place->directory ? place->directory : path;
    if (*status == 0)
        *status = place->kind == RUN_OF_PIPELINE ? open_pipeline(name, f, why)
                                                 : run_files_open_numbers(name, f, why);
    return name;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    struct run_files files[2] = {{0}};
    struct run_diff diff = {.count = 0};
    struct run_place places[2];
    const char *names[2];
    int status = command_parse("diff", options, argc, argv, 2, &a, why);
    if (status)
        return status;
    if (argc - optind < 2)
        return why_refuse(
            why, "needs the directories of two runs, e.g. mercury diff out again; see mercury help diff");
    for (int i = 0; i < 2 && status == 0; i++)
        names[i] = open_run(argv[optind + i], &places[i], &files[i], &status, why);
    if (status == 0 && (places[0].kind == RUN_OF_PIPELINE) != (places[1].kind == RUN_OF_PIPELINE))
        status = why_refuse(why, "%.400s is the run of a pipeline, the other one is not",
                            places[places[1].kind == RUN_OF_PIPELINE].directory);
    if (status == 0)
        find_differences(&files[0], &files[1], &diff);
    if (status == 0 && a.format != RESULT_TEXT)
        status = result_table_save(make_table(&diff, names[0], names[1]), a.format, NULL, why);
    else if (status == 0 && diff.count > 0)
        status = save_text(&diff, names[0], names[1], why);
    else if (status == 0)
        puts("equal: inputs, parameters and every number that was measured"); /* main() finds a full disk */
    for (size_t i = 0; i < diff.count; i++)
        free(diff.items[i].name);
    free(diff.items);
    for (int i = 0; i < 2; i++)
        run_files_close(&files[i]);
    return status ? status : diff.count > 0 ? COMMAND_FAILED : COMMAND_OK;
}

const struct command command_diff = {options, run_command};
