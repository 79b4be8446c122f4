#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/nearest.h"
#include "base/draw/result_table.h"

/* Up to here numbers have no prefixes. */
static const double PLAIN = 1e5;

static const char throughput[] = "throughput_mwmers_per_s", total_time[] = "simulated_time_s";

static size_t column_of(const char *name)
{
    return (size_t)sweep_table_column(name);
}

/* --- what is asked for ----------------------------------------------------------------------------------- */

/* Say that a number does not vary, and which ones do. */
static int refuse_constant(const struct sweep_view *v, const char *option, const char *name, struct why *why)
{
    if (sweep_table_column(name) < 0)
        return sweep_table_refuse_column(option, name, COMMAND_REFUSED, why);
    why_say(why, COMMAND_REFUSED, "%s: %.60s does not vary between the machines of this store; ", option,
            name);
    why_append(why, v->varied_count > 0 ? "there are" : "nothing does");
    for (size_t i = 0; i < v->varied_count; i++)
        why_append(why, "%s %s", i > 0 ? "," : "", sweep_view_name(v, i));
    return COMMAND_REFUSED;
}

static int find_varied(const struct sweep_view *v, const char *option, const char *name, size_t *varied,
                       struct why *why)
{
    *varied = sweep_view_find(v, name);
    return *varied == SIZE_MAX ? refuse_constant(v, option, name, why) : 0;
}

static int find_measure(const struct sweep_view *v, const char *option, const char *name, size_t *column,
                        struct why *why)
{
    if (sweep_table_column(name) < 0)
        return sweep_table_refuse_column(option, name, COMMAND_REFUSED, why);
    *column = column_of(name);
    for (size_t i = 0; i < v->table->count; i++)
        if (!isnan(sweep_view_number(v, i, name)))
            return 0;
    return why_say(why, COMMAND_REFUSED, "%s: %.60s has no numbers to draw, e.g. %s has", option, name,
                   throughput);
}

/* --x alone, --x with a measure, or --x and --y both varied: a map, whose colour --by may choose. */
static int choose_asked(const struct sweep_view *v, struct sweep_picture *p, struct why *why)
{
    const struct sweep_ask *ask = p->ask;
    size_t map_y = ask->y ? sweep_view_find(v, ask->y) : SIZE_MAX;
    const char *x = ask->x;
    if (!x)
        x = v->varied_count > 0 ? sweep_view_name(v, map_y == 0 && v->varied_count > 1 ? 1 : 0)
                                : "table.slots";
    int status = find_varied(v, "--x", x, &p->x, why);
    if (status)
        return status;
    p->kind = map_y != SIZE_MAX && map_y != p->x ? SWEEP_MAP : SWEEP_LINES;
    p->measure_count = 1;
    p->measures[0] = column_of(total_time);
    if (p->kind == SWEEP_MAP) {
        p->y = map_y;
        status = ask->by ? find_measure(v, "--by", ask->by, &p->measures[0], why) : 0;
    } else {
        status = ask->y ? find_measure(v, "--y", ask->y, &p->measures[0], why) : 0;
        if (status == 0 && ask->by)
            status = find_varied(v, "--by", ask->by, &p->by, why);
    }
    const char *shown =
        p->kind == SWEEP_MAP ? sweep_view_name(v, p->y) : sweep_table_column_name(p->measures[0]);
    snprintf(p->name, sizeof p->name, "%.38s-over-%.32s", shown, sweep_view_name(v, p->x));
    return status;
}

/* --- all that fit ---------------------------------------------------------------------------------------- */

static struct sweep_picture *add(struct sweep_picture *pictures, size_t *count, const struct sweep_ask *ask,
                                 enum sweep_picture_kind kind, const char *name)
{
    struct sweep_picture *p = &pictures[*count];
    *p = (struct sweep_picture){.kind = kind, .ask = ask, .x = SIZE_MAX, .y = SIZE_MAX, .by = SIZE_MAX};
    snprintf(p->name, sizeof p->name, "%s", name);
    (*count)++;
    return p;
}

/* Two varied FIFOs; SIZE_MAX in `y` if there are not exactly two. */
static void find_two_fifos(const struct sweep_view *v, size_t *x, size_t *y)
{
    size_t found = 0;
    *x = *y = SIZE_MAX;
    for (size_t i = 0; i < v->varied_count; i++)
        if (sweep_view_is_fifo(sweep_view_name(v, i))) {
            *(found == 0 ? x : y) = i;
            found++;
        }
    if (found != 2)
        *y = SIZE_MAX;
}

/* The size of the table is shown with its collisions; a throughput that is the same everywhere is not shown. */
static void choose_measures(const struct sweep_view *v, struct sweep_picture *p)
{
    bool of_table = strcmp(sweep_view_name(v, p->x), "table.slots") == 0;
    p->measure_count = 1;
    if (!sweep_view_throughput_varies(v)) {
        p->measures[0] = column_of(total_time);
        return;
    }
    p->measures[0] = column_of(of_table ? "first_access_collisions" : throughput);
    p->measures[1] = column_of(of_table ? throughput : total_time);
    p->measure_count = 2;
}

static const char *const front_names[FRONT_COSTS] = {"pareto", "chips", "energy"};

static void choose_all(const struct sweep_view *v, const struct sweep_ask *ask,
                       struct sweep_picture *pictures, size_t *count)
{
    bool any_number = false;
    for (size_t i = 0; i < v->varied_count; i++)
        any_number = any_number || v->varied[i].is_number;
    for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++)
        if (sweep_view_cost_varies(v, cost))
            add(pictures, count, ask, SWEEP_FRONT, front_names[cost])->cost = cost;
    size_t x, y;
    find_two_fifos(v, &x, &y);
    if (y != SIZE_MAX) {
        struct sweep_picture *p = add(pictures, count, ask, SWEEP_MAP, "fifos");
        p->x = x, p->y = y;
        p->measures[p->measure_count++] = column_of(throughput);
    }
    for (size_t i = 0; i < v->varied_count && *count < SWEEP_PICTURES_MAX; i++) {
        const char *name = sweep_view_name(v, i);
        if ((any_number && !v->varied[i].is_number) || (y != SIZE_MAX && sweep_view_is_fifo(name)))
            continue;
        struct sweep_picture *p =
            add(pictures, count, ask, SWEEP_LINES, strcmp(name, "table.slots") == 0 ? "tables" : name);
        p->x = i;
        choose_measures(v, p);
    }
}

/* --- marks ----------------------------------------------------------------------------------------------- */

/* Whether a row is what "NAME=VALUE,NAME=VALUE:LABEL" says; numbers are compared as numbers.
 * @return NULL, or the label; `wrong`: a name that no column has */
static const char *match_mark(const struct sweep_view *v, const char *mark, size_t row, char wrong[64])
{
    bool matches = true;
    while (*mark && *mark != ':') {
        char name[64], value[64];
        size_t length = strcspn(mark, ",:"), equals = strcspn(mark, "=,:");
        snprintf(name, sizeof name, "%.*s", (int)equals, mark);
        snprintf(value, sizeof value, "%.*s", equals < length ? (int)(length - equals - 1) : 0,
                 mark + equals + 1);
        if (sweep_table_column(name) < 0 || equals >= length) {
            snprintf(wrong, 64, "%s", name);
            return NULL;
        }
        double wanted, number = sweep_view_number(v, row, name);
        bool is_number = command_number(value, -INFINITY, INFINITY, &wanted) == 0 && !isnan(number);
        matches = matches && (is_number ? !(number < wanted || number > wanted)
                                        : strcmp(sweep_view_text(v, row, name), value) == 0);
        mark += length + (mark[length] == ',');
    }
    return matches && *mark == ':' ? mark + 1 : NULL;
}

const char *sweep_picture_mark(const struct sweep_view *v, const struct sweep_ask *ask, size_t row)
{
    char ignored[64];
    for (size_t i = 0; i < ask->marked_count; i++) {
        const char *label = match_mark(v, ask->marked[i], row, ignored);
        if (label)
            return label;
    }
    return NULL;
}

static int check_mark(const struct sweep_view *v, const char *mark, struct why *why)
{
    char wrong[64] = "";
    const char *label = NULL;
    if (!strchr(mark, ':') || !strchr(mark, '='))
        return why_say(why, COMMAND_REFUSED,
                       "--mark '%.80s': expected NAME=VALUE,...:LABEL, e.g. table.slots=65536:TimeTrial",
                       mark);
    for (size_t i = 0; i < v->table->count && !label; i++)
        label = match_mark(v, mark, i, wrong);
    if (*wrong)
        return sweep_table_refuse_column("--mark", wrong, COMMAND_REFUSED, why);
    return label ? 0 : why_say(why, COMMAND_REFUSED, "--mark '%.80s': the store has no such point", mark);
}

int sweep_pictures_choose(const struct sweep_view *v, const struct sweep_ask *ask,
                          struct sweep_picture pictures[SWEEP_PICTURES_MAX], size_t *count, struct why *why)
{
    int status = 0;
    *count = 0;
    for (size_t i = 0; i < ask->marked_count && status == 0; i++)
        status = check_mark(v, ask->marked[i], why);
    if (status == 0 && (ask->x || ask->y || ask->by))
        return choose_asked(v, add(pictures, count, ask, SWEEP_LINES, ""), why);
    if (status == 0)
        choose_all(v, ask, pictures, count);
    return status == 0 && *count == 0
               ? why_say(why, COMMAND_REFUSED,
                         "nothing to draw: no two machines of this store differ in any number")
               : status;
}

/* --- data ------------------------------------------------------------------------------------------------ */

static const char *const kind_names[SWEEP_KINDS] = {"machine", "unbounded", "free", "tried", "unfit"};

int sweep_picture_write_data(const struct sweep_view *v, const struct sweep_picture *p, FILE *out,
                             struct why *why)
{
    static const char *const places[] = {
        [SWEEP_BESIDE] = "-", [SWEEP_ON_FRONT] = "front", [SWEEP_KNEE] = "knee"};
    const bool is_front = p->kind == SWEEP_FRONT;
    const char *columns[SWEEP_VARIED_MAX + SWEEP_MEASURES_SHOWN + FRONT_COSTS + 3] = {"kind"};
    unsigned count = 1;
    struct sweep_fronts fronts = {0};
    if (is_front && sweep_fronts_make(v, p->ask->keep, &fronts, why) != 0)
        return COMMAND_FAILED;
    for (size_t i = 0; i < v->varied_count; i++)
        columns[count++] = sweep_view_name(v, i);
    for (unsigned m = 0; m < p->measure_count; m++)
        columns[count++] = sweep_table_column_name(p->measures[m]);
    for (unsigned c = 0; c < FRONT_COSTS && is_front; c++)
        columns[count++] = front_cost_measures[c];
    if (is_front)
        columns[count++] = FRONT_TIME;
    columns[count] = "place";
    struct result_table *table = result_table_new(columns, count + is_front);
    for (size_t i = 0; i < v->table->count; i++) {
        result_table_add(table, TEXT(kind_names[v->kinds[i]]));
        for (unsigned c = 1; c < count; c++)
            result_table_add(table, TEXT(sweep_view_text(v, i, columns[c])));
        if (is_front)
            result_table_add(table, TEXT(places[fronts.places[i]]));
    }
    sweep_fronts_destroy(&fronts);
    return result_table_end(table, RESULT_TSV, out) && !ferror(out) ? why_no_memory(why, COMMAND_FAILED) : 0;
}

/* --- scales ---------------------------------------------------------------------------------------------- */

/* Ends of names that are their units. */
static const char *const unit_ends[] = {"_mwmers_per_s", "_ns", "_s", "_bits", "_j"};

static void write_name(const char *column, char *name, size_t size)
{
    size_t length = strlen(column);
    for (unsigned i = 0; i < sizeof unit_ends / sizeof unit_ends[0]; i++) {
        size_t end = strlen(unit_ends[i]);
        if (length > end && strcmp(column + length - end, unit_ends[i]) == 0) {
            length -= end;
            break;
        }
    }
    snprintf(name, size, "%.*s", (int)length, column);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
}

struct sweep_scale sweep_scale_of(size_t column, double most)
{
    struct sweep_scale scale = {.factor = 1, .unit = sweep_table_column_unit(column)};
    const char *name = sweep_table_column_name(column);
    bool is_measure = !strchr(name, '.');
    if (is_measure)
        write_name(name, scale.name, sizeof scale.name);
    else
        snprintf(scale.name, sizeof scale.name, "%s", name);
    if (strcmp(scale.unit, "1") == 0) {
        scale.factor = is_measure ? 100 : 1;
        scale.unit = is_measure ? "%" : "";
    } else if (strcmp(scale.unit, "s") == 0) {
        struct figure_unit unit = figure_time_unit(most);
        scale.factor = unit.per_s;
        scale.unit = unit.name;
    }
    snprintf(scale.title, sizeof scale.title, *scale.unit ? "%.80s [%.30s]" : "%.80s", scale.name,
             scale.unit);
    return scale;
}

const char *sweep_scale_label(const struct sweep_scale *scale, double value, char *text, size_t size)
{
    char number[FIGURE_LABEL_BYTES];
    bool plain = fabs(value) < PLAIN && fabs(value) >= 0.001;
    const char *unit = scale->unit;
    snprintf(text, size, "%s%s%s", plain ? figure_plain_label(value, number) : figure_label(value, number),
             *unit && strcmp(unit, "%") != 0 ? " " : "", unit);
    return text;
}

struct figure_axis sweep_scale_axis_to(double most, const char *title)
{
    struct figure_axis axis = figure_axis_to(most, title);
    axis.plain = axis.most < PLAIN && axis.most > 0.1;
    return axis;
}

/* --- for those who draw ---------------------------------------------------------------------------------- */

const char *sweep_picture_title(const struct sweep_view *v, const struct sweep_picture *p, char *text,
                                size_t size)
{
    if (p->kind == SWEEP_FRONT)
        snprintf(text, size, "Speed for %s", (const char *[]){"block RAM", "SRAM", "energy"}[p->cost]);
    else if (p->kind == SWEEP_MAP)
        snprintf(text, size, "%s over %s and %s", sweep_scale_of(p->measures[0], 1).name,
                 sweep_view_name(v, p->x), sweep_view_name(v, p->y));
    else
        snprintf(text, size, "%s%s%s over %s", sweep_scale_of(p->measures[0], 1).name,
                 p->measure_count > 1 ? " and " : "",
                 p->measure_count > 1 ? sweep_scale_of(p->measures[1], 1).name : "",
                 sweep_view_name(v, p->x));
    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    return text;
}

/* What is the same in all points of one side: its file, or how many there are. */
static const char *side(const struct sweep_view *v, const char *name, const char *plural, char *text,
                        size_t size)
{
    size_t varied = sweep_view_find(v, name);
    if (varied == SIZE_MAX)
        snprintf(text, size, "%.100s",
                 v->table->count > 0 ? sweep_view_file(sweep_view_text(v, 0, name)) : "");
    else
        snprintf(text, size, "%zu %s", v->varied[varied].value_count, plural);
    return text;
}

const char *sweep_picture_inputs(const struct sweep_view *v, char *text, size_t size)
{
    char query[120], database[120];
    snprintf(text, size, "%s × %s", side(v, "query", "queries", query, sizeof query),
             side(v, "database", "databases", database, sizeof database));
    return text;
}

double sweep_picture_begin(const struct sweep_view *v, const struct sweep_picture *p, struct svg *svg,
                           double height)
{
    char title[200], inputs[300];
    double head = svg->in_page ? 4 : 54;
    sweep_picture_title(v, p, title, sizeof title);
    svg_begin(svg, FIGURE_WIDTH, head + height, title);
    if (!svg->in_page) {
        svg_text(svg, 16, 22, 16, SVG_START, "bold", title);
        svg_text(svg, 16, 41, 12, SVG_START, "f2", sweep_picture_inputs(v, inputs, sizeof inputs));
    }
    return head;
}

struct sweep_panel sweep_picture_place(size_t panel, size_t columns, double top, double height)
{
    const double width = FIGURE_WIDTH / (double)columns;
    const size_t row = panel / columns;
    return (struct sweep_panel){(double)(panel % columns) * width, top + height * (double)row, width, height};
}

void sweep_picture_draw_mark(struct figure *f, double x, double y, const char *label)
{
    double at_x = figure_x(f, x), at_y = figure_y(f, y);
    svg_mark(f->svg, at_x, at_y, 8, SVG_DISC, SVG_VERMILION, true, label);
    svg_mark(f->svg, at_x, at_y, 4, SVG_DISC, SVG_VERMILION, false, label);
    figure_label_point(f, at_x, at_y, "f7 bold", label);
}

void sweep_picture_say_left_out(struct svg *svg, double top, size_t shown, size_t all)
{
    if (all > shown)
        svg_textf(
            svg, 16, top + 12, 12, SVG_START, "f2",
            "The first %zu of %zu combinations of what else varies; all are in the table beside the picture.",
            shown, all);
}

bool sweep_picture_is_relative(const struct sweep_view *v, const struct sweep_picture *p, size_t measure)
{
    bool of_fifos =
        p->kind == SWEEP_MAP
            ? sweep_view_is_fifo(sweep_view_name(v, p->x)) && sweep_view_is_fifo(sweep_view_name(v, p->y))
            : p->kind == SWEEP_LINES && sweep_view_is_fifo(sweep_view_name(v, p->x));
    if (!of_fifos || measure != column_of(throughput))
        return false;
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE && sweep_view_unbounded(v, i) == SIZE_MAX)
            return false;
    return true;
}

double sweep_picture_value(const struct sweep_view *v, bool relative, const struct sweep_scale *scale,
                           size_t measure, size_t row)
{
    const char *column = sweep_table_column_name(measure);
    double value = sweep_view_number(v, row, column);
    if (!relative)
        return value * scale->factor;
    size_t unbounded = sweep_view_unbounded(v, row);
    return unbounded == SIZE_MAX ? NAN : 100 * value / sweep_view_number(v, unbounded, column);
}

struct sweep_scale sweep_picture_scale(const struct sweep_view *v, bool relative, size_t measure)
{
    double most = 0;
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE)
            most = fmax(most, sweep_view_number(v, i, sweep_table_column_name(measure)));
    struct sweep_scale scale = sweep_scale_of(measure, most);
    if (relative) {
        scale.unit = "%";
        snprintf(scale.title, sizeof scale.title, "throughput [%% of unbounded FIFOs]");
    }
    return scale;
}

struct figure_style sweep_picture_probe(enum sweep_kind kind)
{
    static const struct figure_style entries[SWEEP_KINDS] = {
        [SWEEP_UNBOUNDED] = {"no machine: unbounded FIFOs", SVG_GREY, FIGURE_RING, SVG_TRIANGLE},
        [SWEEP_FREE] = {"no machine: a part made free", SVG_GREY, FIGURE_RING, SVG_SQUARE},
        [SWEEP_TRIED] = {"FIFO depths that advise tried", SVG_GREY, FIGURE_RING, SVG_DIAMOND},
        [SWEEP_UNFIT] = {"no machine: does not fit", SVG_GREY, FIGURE_RING, SVG_DISC},
    };
    return entries[kind];
}

size_t sweep_picture_add_probes(const struct sweep_view *v, struct figure_style *entries, size_t count)
{
    for (enum sweep_kind kind = SWEEP_UNBOUNDED; kind < SWEEP_KINDS; kind++)
        for (size_t i = 0; i < v->table->count; i++)
            if (v->kinds[i] == kind) {
                entries[count++] = sweep_picture_probe(kind);
                break;
            }
    return count;
}
