#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/words.h"
#include "base/draw/result_table.h"

/* Up to here numbers have no prefixes. */
static const double PLAIN = 1e5;

static const char throughput[] = "throughput_mwmers_per_s", slots[] = "table.slots";

static size_t column_of(const char *name)
{
    return (size_t)sweep_table_column(name);
}

/* --- what is asked for ----------------------------------------------------------------------------------- */

/* Find a number that varies, or say which ones do. */
static int find_varied(const struct sweep_view *v, const char *option, const char *name, size_t *varied,
                       struct why *why)
{
    *varied = sweep_view_find(v, name);
    if (*varied != SIZE_MAX)
        return 0;
    if (sweep_table_column(name) < 0)
        return sweep_table_refuse_column(option, name, COMMAND_REFUSED, why);
    why_say(why, COMMAND_REFUSED, "%s: %.60s does not vary between the machines of this store; %s", option,
            name, v->varied_count > 0 ? "there are" : "nothing does");
    for (size_t i = 0; i < v->varied_count; i++)
        why_append(why, "%s %s", i > 0 ? "," : "", sweep_view_name(v, i));
    return COMMAND_REFUSED;
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
static int choose_asked(struct sweep_picture *p, struct why *why)
{
    const struct sweep_view *v = p->view;
    const struct sweep_ask *ask = p->ask;
    size_t map_y = ask->y ? sweep_view_find(v, ask->y) : SIZE_MAX;
    const char *x = ask->x;
    if (!x)
        x = v->varied_count > 0 ? sweep_view_name(v, map_y == 0 && v->varied_count > 1 ? 1 : 0) : slots;
    int status = find_varied(v, "--x", x, &p->x, why);
    if (status)
        return status;
    const bool is_map = map_y != SIZE_MAX && map_y != p->x;
    const char *measure = is_map ? ask->by : ask->y;
    p->kind = is_map ? SWEEP_MAP : SWEEP_LINES;
    p->y = is_map ? map_y : SIZE_MAX;
    p->measures[p->measure_count++] = column_of(FRONT_TIME);
    if (measure)
        status = find_measure(v, is_map ? "--by" : "--y", measure, &p->measures[0], why);
    if (status == 0 && !is_map && ask->by)
        status = find_varied(v, "--by", ask->by, &p->by, why);
    snprintf(p->name, sizeof p->name, "%.38s-over-%.32s",
             is_map ? sweep_view_name(v, p->y) : sweep_table_column_name(p->measures[0]),
             sweep_view_name(v, p->x));
    return status;
}

/* --- all that fit ---------------------------------------------------------------------------------------- */

static struct sweep_picture *add(struct sweep_picture *p, enum sweep_picture_kind kind, size_t x,
                                 const char *name)
{
    p->kind = kind;
    p->x = x;
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static void add_measure(struct sweep_picture *p, const char *name)
{
    p->measures[p->measure_count++] = column_of(name);
}

/* The size of the table is shown with its collisions; a throughput that is the same everywhere is not shown. */
static void add_lines(struct sweep_picture *p, size_t x)
{
    const char *name = sweep_view_name(p->view, x);
    const bool of_table = strcmp(name, slots) == 0,
               throughput_differs = sweep_view_differs(p->view, throughput);
    add(p, SWEEP_LINES, x, of_table ? "tables" : name);
    if (of_table && throughput_differs)
        add_measure(p, "first_access_collisions");
    if (throughput_differs)
        add_measure(p, throughput);
    if (!of_table || !throughput_differs)
        add_measure(p, FRONT_TIME);
}

const char *const sweep_front_names[FRONT_COSTS] = {"pareto", "chips", "energy"};

/* @return the number of pictures */
static size_t choose_all(const struct sweep_view *v, struct sweep_picture *pictures)
{
    bool any_number = false;
    size_t count = 0, fifo_count = 0, fifos[2]; /* the first two varied FIFOs */
    for (size_t i = 0; i < v->varied_count; i++) {
        any_number = any_number || v->varied[i].is_number;
        if (sweep_view_is_fifo(sweep_view_name(v, i)) && fifo_count++ < 2)
            fifos[fifo_count - 1] = i;
    }
    for (enum front_cost cost = 0; cost < FRONT_COSTS && sweep_view_has_front(v); cost++)
        if (sweep_view_differs(v, front_cost_measures[cost]))
            add(&pictures[count++], SWEEP_FRONT, SIZE_MAX, sweep_front_names[cost])->cost = cost;
    const bool are_two = fifo_count == 2;
    if (are_two) {
        struct sweep_picture *p = add(&pictures[count++], SWEEP_MAP, fifos[0], "fifos");
        p->y = fifos[1];
        add_measure(p, throughput);
    }
    for (size_t i = 0; i < v->varied_count && count < SWEEP_PICTURES_MAX; i++)
        if ((!any_number || v->varied[i].is_number) &&
            !(are_two && sweep_view_is_fifo(sweep_view_name(v, i))))
            add_lines(&pictures[count++], i);
    return count;
}

/* --- marks ----------------------------------------------------------------------------------------------- */

/* Whether a row is what "NAME=VALUE,NAME=VALUE:LABEL" says; numbers are compared as numbers.
 * @return NULL, or the label; `wrong`: a name that no column has */
static const char *match_mark(const struct sweep_view *v, const char *mark, size_t row, char wrong[64])
{
    struct word label = word_of(mark), rest = word_cut(&label, ":");
    bool matches = true;
    while (rest.length > 0) {
        char name[64], value[64];
        struct word right = word_cut(&rest, ","), left = word_cut(&right, "=");
        word_copy(left, name, sizeof name);
        word_copy(right, value, sizeof value);
        if (sweep_table_column(name) < 0 || !right.text) {
            snprintf(wrong, 64, "%s", name);
            return NULL;
        }
        double wanted, number = sweep_view_number(v, row, name);
        bool is_number = command_number(value, -INFINITY, INFINITY, &wanted) == 0 && !isnan(number);
        matches = matches && (is_number ? !(number < wanted || number > wanted)
                                        : strcmp(sweep_view_text(v, row, name), value) == 0);
    }
    return matches ? label.text : NULL;
}

const char *sweep_picture_mark(const struct sweep_picture *p, size_t row)
{
    char ignored[64];
    const char *label = NULL;
    for (size_t i = 0; i < p->ask->marked_count && !label; i++)
        label = match_mark(p->view, p->ask->marked[i], row, ignored);
    return label;
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
    for (size_t i = 0; i < SWEEP_PICTURES_MAX; i++)
        pictures[i] =
            (struct sweep_picture){.view = v, .ask = ask, .x = SIZE_MAX, .y = SIZE_MAX, .by = SIZE_MAX};
    for (size_t i = 0; i < ask->marked_count && status == 0; i++)
        status = check_mark(v, ask->marked[i], why);
    char misfit[SWEEP_MISFIT_BYTES];
    *count = 0;
    if (status == 0 && v->machine_count < 2 && *sweep_view_misfit(v, misfit))
        return why_say(why, COMMAND_REFUSED, "nothing to draw: %s", misfit);
    *count = 1;
    if (status == 0 && (ask->x || ask->y || ask->by))
        return choose_asked(&pictures[0], why);
    *count = choose_all(v, pictures);
    return status == 0 && *count == 0
               ? why_say(why, COMMAND_REFUSED,
                         "nothing to draw: no two machines of this store differ in any number")
               : status;
}

/* --- data ------------------------------------------------------------------------------------------------ */

void sweep_picture_write_data(const struct sweep_picture *p, FILE *out)
{
    static const char *const kinds[SWEEP_KINDS] = {"machine", "unbounded", "free", "tried", "unfit"};
    static const char *const places[] = {
        [SWEEP_BESIDE] = "-", [SWEEP_ON_FRONT] = "front", [SWEEP_KNEE] = "knee"};
    const struct sweep_view *v = p->view;
    const bool is_front = p->kind == SWEEP_FRONT;
    const char *columns[SWEEP_VARIED_MAX + SWEEP_MEASURES_SHOWN + FRONT_COSTS + 3] = {"kind"};
    unsigned count = 1;
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
        result_table_add(table, TEXT(kinds[v->kinds[i]]));
        for (unsigned c = 1; c < count; c++)
            result_table_add(table, TEXT(sweep_view_text(v, i, columns[c])));
        if (is_front)
            result_table_add(table, TEXT(places[v->places[i]]));
    }
    result_table_end(table, RESULT_TSV, out);
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

struct sweep_scale sweep_scale_of(size_t column, double typical)
{
    struct sweep_scale scale = {.column = column, .factor = 1, .unit = sweep_table_column_unit(column)};
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
        struct figure_unit unit = figure_time_unit(typical);
        scale.factor = unit.per_s;
        scale.unit = unit.name;
    }
    snprintf(scale.title, sizeof scale.title, *scale.unit ? "%.80s [%.30s]" : "%.80s", scale.name,
             scale.unit);
    return scale;
}

/* Whether a picture shows a measure in per cent of the unbounded machine. */
static bool is_relative(const struct sweep_picture *p, size_t measure)
{
    const struct sweep_view *v = p->view;
    bool relative = p->kind != SWEEP_FRONT && measure == column_of(throughput) &&
                    sweep_view_is_fifo(sweep_view_name(v, p->x)) &&
                    (p->kind != SWEEP_MAP || sweep_view_is_fifo(sweep_view_name(v, p->y)));
    for (size_t i = 0; i < v->machine_count && relative; i++)
        relative = sweep_view_unbounded(v, v->machines[i]) != SIZE_MAX;
    return relative;
}

struct sweep_scale sweep_scale_for(const struct sweep_view *v, const struct sweep_picture *p, size_t measure)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < v->machine_count; i++) {
        double value = sweep_view_number(v, v->machines[i], sweep_table_column_name(measure));
        least = fmin(least, value);
        most = fmax(most, value);
    }
    /* what is quick is compared most: 9.06 ms, although the slowest machine takes 2 s */
    struct sweep_scale scale = sweep_scale_of(measure, fmax(fmin(10 * least, most), most / 1000));
    scale.relative = p && is_relative(p, measure);
    if (scale.relative) {
        scale.unit = "%";
        snprintf(scale.title, sizeof scale.title, "throughput [%% of unbounded FIFOs]");
    }
    return scale;
}

double sweep_scale_value(const struct sweep_scale *scale, const struct sweep_view *v, size_t row)
{
    const char *column = sweep_table_column_name(scale->column);
    double value = sweep_view_number(v, row, column);
    if (!scale->relative)
        return value * scale->factor;
    size_t unbounded = sweep_view_unbounded(v, row);
    return unbounded == SIZE_MAX ? NAN : 100 * value / sweep_view_number(v, unbounded, column);
}

struct shown sweep_scale_label(const struct sweep_scale *scale, double value)
{
    const bool plain = fabs(value) < PLAIN && fabs(value) >= 0.001;
    const char *unit = scale->unit;
    return shown_text("%s%s%s", plain ? figure_plain_label(value).text : figure_label(value).text,
                      *unit && strcmp(unit, "%") != 0 ? " " : "", unit);
}

struct sweep_tip sweep_scale_tip(const struct sweep_scale *scale, const struct sweep_view *v, size_t row)
{
    struct sweep_tip tip;
    char what[160];
    snprintf(tip.text, sizeof tip.text, "%s: %s",
             sweep_view_describe(v, row, SWEEP_ALL, SWEEP_BOTH, what, sizeof what),
             sweep_scale_label(scale, sweep_scale_value(scale, v, row)).text);
    return tip;
}

struct figure_axis sweep_scale_axis_to(double most, const char *title)
{
    struct figure_axis axis = figure_axis_to(most, title);
    axis.plain = axis.most < PLAIN && axis.most > 0.1;
    return axis;
}

struct figure_axis sweep_scale_axis_along(const struct sweep_picture *p, size_t varied, const char *title)
{
    const struct sweep_varied *n = &p->view->varied[varied];
    auto_free double *values = memory_take(n->value_count * sizeof *values);
    for (size_t i = 0; i < n->value_count; i++)
        values[i] = sweep_view_place(p->view, varied, n->first[i]);
    return figure_axis_along(values, n->value_count, title);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

void sweep_picture_draw(const void *picture, struct svg *svg)
{
    static void (*const draws[])(const struct sweep_picture *, struct svg *) = {
        [SWEEP_LINES] = sweep_lines_draw, [SWEEP_MAP] = sweep_map_draw, [SWEEP_FRONT] = sweep_pareto_draw};
    draws[((const struct sweep_picture *)picture)->kind](picture, svg);
}

const char *sweep_picture_title(const struct sweep_picture *p, char *text, size_t size)
{
    static const char *const costs[FRONT_COSTS] = {"block RAM", "SRAM", "energy"};
    if (p->kind == SWEEP_FRONT)
        snprintf(text, size, "Speed for %s", costs[p->cost]);
    else
        snprintf(text, size, "%s%s%s over %s%s%s", sweep_scale_of(p->measures[0], 1).name,
                 p->measure_count > 1 ? " and " : "",
                 p->measure_count > 1 ? sweep_scale_of(p->measures[1], 1).name : "",
                 sweep_view_name(p->view, p->x), p->kind == SWEEP_MAP ? " and " : "",
                 p->kind == SWEEP_MAP ? sweep_view_name(p->view, p->y) : "");
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

double sweep_picture_begin(const struct sweep_picture *p, struct svg *svg, double height)
{
    char title[200], inputs[300];
    double head = svg->in_page ? 4 : 54;
    svg_begin(svg, FIGURE_WIDTH, head + height, sweep_picture_title(p, title, sizeof title));
    if (!svg->in_page) {
        svg_text(svg, 16, 22, 16, SVG_START, "bold", title);
        svg_text(svg, 16, 41, 12, SVG_START, "f2", sweep_picture_inputs(p->view, inputs, sizeof inputs));
    }
    return head;
}

/* --- panels ---------------------------------------------------------------------------------------------- */

static const double HEAD = 18; /* between the words of columns and those of rows */

static void arrange_grid(struct sweep_panels *p, sweep_set set, size_t beside)
{
    const struct sweep_view *v = p->view;
    const size_t by = sweep_view_most_suited(v, set, beside);
    struct sweep_groups rows = sweep_view_group(v, set & ~sweep_set_of(by), SIZE_MAX);
    p->across = sweep_set_of(by);
    p->columns = v->varied[by].value_count < beside ? v->varied[by].value_count : beside;
    for (size_t row = 0; row < rows.count && p->shown + p->columns <= SWEEP_PANELS_MOST; row++)
        for (size_t column = 0; column < p->columns; column++, p->shown++) {
            p->heads[p->shown] = sweep_groups_first(&rows, row);
            p->group[p->shown] = SIZE_MAX;
            for (size_t g = 0; g < p->groups.count; g++) {
                const size_t machine = sweep_groups_first(&p->groups, g);
                if (v->varied[by].ranks[machine] == column &&
                    sweep_view_agree(v, set & ~p->across, p->heads[p->shown], machine))
                    p->group[p->shown] = g;
            }
            p->drawn += p->group[p->shown] != SIZE_MAX;
        }
    sweep_groups_destroy(&rows);
}

struct sweep_panels sweep_panels_arrange(const struct sweep_view *v, sweep_set set, size_t beside,
                                         struct sweep_margins around)
{
    struct sweep_panels p = {v, sweep_view_group(v, set, SIZE_MAX), .set = set, .around = around};
    unsigned numbers = 0;
    for (size_t i = 0; i < v->varied_count; i++)
        numbers += sweep_set_has(set, i);
    if (numbers > 1) {
        arrange_grid(&p, set, beside);
        return p;
    }
    p.shown = p.drawn = p.groups.count < SWEEP_PANELS_MOST ? p.groups.count : SWEEP_PANELS_MOST;
    p.columns = p.shown <= 2                   ? p.shown
                : p.shown == 4                 ? 2
                : p.shown <= 6 || p.shown == 9 ? 3
                                               : 4; /* full rows */
    p.columns = p.columns < beside ? p.columns : beside;
    for (size_t i = 0; i < p.shown; i++)
        p.group[i] = p.heads[i] = i;
    return p;
}

double sweep_panels_height(const struct sweep_panels *p)
{
    const size_t rows = p->shown > 0 ? (p->shown + p->columns - 1) / p->columns : 0;
    return p->height * (double)rows + (p->across ? HEAD : 0);
}

struct sweep_panel sweep_panels_place(const struct sweep_panels *p, size_t panel, double top)
{
    const double width = FIGURE_WIDTH / (double)p->columns;
    const size_t row = panel / p->columns;
    const struct sweep_margins *m = &p->around;
    return (struct sweep_panel){(double)(panel % p->columns) * width + m->left,
                                top + p->height * (double)row + m->top + (p->across ? HEAD : 0),
                                width - m->left - m->right, p->height - m->top - m->bottom};
}

void sweep_panels_head(const struct sweep_panels *p, struct svg *svg, size_t panel, struct sweep_panel at,
                       enum sweep_words words)
{
    char text[160];
    const sweep_set rows = p->set & ~p->across;
    const size_t row = p->across ? p->heads[panel] : sweep_groups_first(&p->groups, panel);
    if (p->across && panel < p->columns) {
        const struct sweep_varied *by = &p->view->varied[sweep_view_most_suited(p->view, p->across, 1)];
        svg_text(svg, at.left, at.top - 7 - HEAD, 11, SVG_START, "bold",
                 sweep_view_describe(p->view, by->first[panel], p->across, words, text, sizeof text));
    }
    if ((!p->across || panel % p->columns == 0) &&
        *sweep_view_describe(p->view, row, rows, words, text, sizeof text))
        svg_text(svg, at.left, at.top - 7, 11, SVG_START, "bold", text);
}

void sweep_panels_say_left_out(const struct sweep_panels *p, struct svg *svg, double top)
{
    if (p->groups.count > p->drawn)
        svg_textf(
            svg, 16, top + 12, 12, SVG_START, "f2",
            "The first %zu of %zu combinations of what else varies; all are in the table beside the picture.",
            p->drawn, p->groups.count);
}

void sweep_picture_draw_mark(struct figure *f, double x, double y, const char *label)
{
    double at_x = figure_x(f, x), at_y = figure_y(f, y);
    svg_mark(f->svg, at_x, at_y, 8, SVG_DISC, SVG_VERMILION, true, label);
    svg_mark(f->svg, at_x, at_y, 4, SVG_DISC, SVG_VERMILION, false, label);
    figure_label_point(f, at_x, at_y, "f7 bold", label);
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
    for (enum sweep_kind kind = SWEEP_UNBOUNDED; kind < SWEEP_KINDS; kind++) {
        size_t row = 0;
        while (row < v->table->count && v->kinds[row] != kind)
            row++;
        if (row < v->table->count)
            entries[count++] = sweep_picture_probe(kind);
    }
    return count;
}
