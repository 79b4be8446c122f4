#include "app/sweep/draw/sweep_lines.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "app/sweep/draw/sweep_label.h"

enum { PANELS_MOST = 12, COLUMNS_MOST = 4, ENTRIES = SWEEP_LINES_MOST + SWEEP_KINDS + 3 };

/* Pixels: around the values of a panel; the heights of a panel by the number of panels in a row. */
static const double LEFT = 74, RIGHT = 14, TOP = 22, BOTTOM = 44;
static const double HEIGHTS[COLUMNS_MOST + 1] = {0, 300, 250, 220, 200};

/* The bus limits all machines alike if the limits that follow from each differ by less. */
static const double SAME_LIMIT = 0.005, LIMIT_IN_SIGHT = 2;

static const enum svg_colour line_colours[SWEEP_LINES_MOST] = {SVG_BLUE,   SVG_ORANGE, SVG_GREEN,
                                                               SVG_PURPLE, SVG_SKY,    SVG_INK};
static const enum svg_shape line_shapes[SWEEP_LINES_MOST] = {SVG_DISC,    SVG_SQUARE,        SVG_TRIANGLE,
                                                             SVG_DIAMOND, SVG_TRIANGLE_DOWN, SVG_DISC};

/* --- arranging ------------------------------------------------------------------------------------------- */

static int count_groups(const struct sweep_view *v, const struct sweep_set *same, size_t *count,
                        struct why *why)
{
    struct sweep_groups groups;
    int status = sweep_view_group(v, same, SIZE_MAX, &groups, why);
    if (status == 0)
        *count = groups.count;
    sweep_groups_destroy(&groups);
    return status;
}

static size_t count_set(const struct sweep_view *v, const struct sweep_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < v->varied_count; i++)
        count += set->has[i];
    return count;
}

/* How well a number tells lines apart: texts before numbers, the most values up to SWEEP_LINES_MOST; if all have more,
 * the fewest. */
static double suits_lines(const struct sweep_varied *varied)
{
    double values = (double)varied->value_count;
    return values > SWEEP_LINES_MOST ? -values : varied->is_number ? values : values + SWEEP_LINES_MOST;
}

static size_t choose_by(const struct sweep_view *v, const struct sweep_set *others)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < v->varied_count; i++)
        if (others->has[i] &&
            (best == SIZE_MAX || suits_lines(&v->varied[i]) > suits_lines(&v->varied[best])))
            best = i;
    return best;
}

int sweep_lines_arrange(const struct sweep_view *v, const struct sweep_picture *p,
                        struct sweep_lines_plan *plan, struct why *why)
{
    struct sweep_set others = sweep_view_others(v, p->x, SIZE_MAX), none = {{false}};
    size_t combinations = 0, by = p->by;
    int status = count_groups(v, &others, &combinations, why);
    *plan = (struct sweep_lines_plan){
        .lines = others, .panels = none, .has_lines = combinations < v->machine_count};
    if (status || (by == SIZE_MAX && combinations <= SWEEP_LINES_MOST))
        return status;
    plan->lines = none;
    if (by == SIZE_MAX)
        by = choose_by(v, &others);
    if (p->by == SIZE_MAX && !plan->has_lines && v->varied[by].value_count > SWEEP_LINES_MOST)
        return 0; /* marks of one colour */
    if (by != p->x)
        plan->lines.has[by] = true;
    for (size_t i = 0; i < v->varied_count && plan->has_lines; i++)
        plan->panels.has[i] = others.has[i] && i != by;
    return 0;
}

/* --- the state of a picture ------------------------------------------------------------------------------ */

struct lines {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    struct svg *svg;
    struct sweep_lines_plan plan;
    struct sweep_groups panels, lines; /* lines: of all panels, in the panels' order */
    size_t panel_count, columns;       /* drawn; side by side */
    struct sweep_scale x_scale;
    struct chart_axis x_axis;
    struct sweep_obstacles obstacles; /* of the present panel */
    char limit[96];                   /* words for the limit of the bus; "": none to show */
};

/* What all measures of a picture share with one of them. */
struct band {
    size_t measure;
    bool relative;
    struct sweep_scale scale;
    struct chart_axis axis;
    double limit; /* of the bus; NaN: none to show */
};

static double x_of(const struct lines *l, size_t row)
{
    const struct sweep_varied *x = &l->view->varied[l->picture->x];
    if (!x->is_number)
        return x->ranks[row] == SIZE_MAX ? NAN : (double)x->ranks[row];
    return l->x_scale.factor * sweep_view_number(l->view, row, sweep_view_name(l->view, l->picture->x));
}

static int make_x_axis(struct lines *l, struct why *why)
{
    const struct sweep_varied *x = &l->view->varied[l->picture->x];
    l->x_scale = sweep_scale_of(x->column, 1);
    if (!x->is_number) {
        l->x_axis = (struct chart_axis){-0.5, (double)x->value_count - 0.5,
                                        .title = sweep_view_name(l->view, l->picture->x), .bare = true};
        return 0;
    }
    double *values = malloc((x->value_count + 1) * sizeof *values);
    if (!values)
        return why_no_memory(why, -1);
    for (size_t i = 0; i < x->value_count; i++)
        values[i] = x_of(l, x->first[i]);
    l->x_axis = sweep_scale_axis(values, x->value_count, l->x_scale.title);
    free(values);
    return 0;
}

static bool is_throughput(size_t measure)
{
    return strcmp(sweep_table_column_name(measure), "throughput_mwmers_per_s") == 0;
}

/* Where the bus would always be busy: throughput over utilisation, if that is the same of all machines. */
static double find_limit(const struct sweep_view *v, double most)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < v->table->count; i++) {
        if (v->kinds[i] != SWEEP_MACHINE)
            continue;
        double limit =
            sweep_view_number(v, i, "throughput_mwmers_per_s") / sweep_view_number(v, i, "utilisation_pcix");
        low = fmin(low, limit);
        high = fmax(high, limit);
    }
    return isfinite(low) && high <= low * (1 + SAME_LIMIT) && high < LIMIT_IN_SIGHT * most ? low : NAN;
}

static bool shows_probe(const struct lines *l, size_t row)
{
    double x = x_of(l, row);
    return l->view->kinds[row] != SWEEP_MACHINE && l->panel_count == 1 && x >= l->x_axis.least &&
           x <= l->x_axis.most;
}

static struct band make_band(const struct lines *l, size_t measure)
{
    const struct sweep_view *v = l->view;
    struct band band = {.measure = measure, .relative = sweep_picture_is_relative(v, l->picture, measure)};
    double most = 0;
    band.scale = sweep_picture_scale(v, band.relative, measure);
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE || shows_probe(l, i))
            most = fmax(most, sweep_picture_value(v, band.relative, &band.scale, measure, i));
    band.limit = is_throughput(measure) && !band.relative ? find_limit(v, most) : NAN;
    band.axis = sweep_scale_axis_to(fmax(most, isnan(band.limit) ? 0 : band.limit), NULL);
    return band;
}

/* --- one panel ------------------------------------------------------------------------------------------- */

/* The number of a line among all of its kind, which gives it its colour. */
static size_t line_number(const struct lines *l, size_t line)
{
    const struct sweep_view *v = l->view;
    for (size_t i = 0; i < v->varied_count; i++)
        if (l->plan.lines.has[i] && count_set(v, &l->plan.lines) == 1)
            return v->varied[i].ranks[l->lines.rows[l->lines.begins[line]]];
    return count_set(v, &l->plan.lines) == 0 ? 0 : line; /* then there is one panel */
}

static size_t count_kinds_of_lines(const struct lines *l)
{
    for (size_t i = 0; i < l->view->varied_count; i++)
        if (l->plan.lines.has[i] && count_set(l->view, &l->plan.lines) == 1)
            return l->view->varied[i].value_count;
    return count_set(l->view, &l->plan.lines) == 0 ? 1 : l->lines.count;
}

/* The first steps of the ramp are too light for a line. */
static double share_of_ramp(size_t number, size_t kinds)
{
    return 0.2 + 0.8 * ((double)number + 0.5) / (double)kinds;
}

/* Few lines have colours, many have steps of the ramp. */
static const char *stroke_of(const struct lines *l, size_t number, char text[16])
{
    char class[8];
    size_t kinds = count_kinds_of_lines(l);
    if (kinds <= SWEEP_LINES_MOST)
        snprintf(text, 16, "s%d w2", (int)line_colours[number]);
    else
        snprintf(text, 16, "%s w2", svg_ramp_class('k', share_of_ramp(number, kinds), class));
    return text;
}

static void draw_mark(struct lines *l, size_t number, double x, double y, const char *tip)
{
    char class[8];
    size_t kinds = count_kinds_of_lines(l);
    bool is_number = l->view->varied[l->picture->x].is_number;
    if (kinds <= SWEEP_LINES_MOST)
        svg_mark(l->svg, x, y, 4 + (is_number ? 0.8 * (double)(kinds - 1 - number) : 0), line_shapes[number],
                 line_colours[number], false, tip); /* what lies below others is larger, and can be seen */
    else
        svg_rectangle(l->svg, x - 2.5, y - 2.5, 5, 5,
                      svg_ramp_class('m', share_of_ramp(number, kinds), class), tip);
}

static const char *tip_of(const struct lines *l, const struct band *b, size_t row, double y, char *tip,
                          size_t size)
{
    char what[160], value[64];
    struct sweep_set all = sweep_view_others(l->view, SIZE_MAX, SIZE_MAX);
    snprintf(tip, size, "%s: %s", sweep_view_describe(l->view, row, &all, false, what, sizeof what),
             sweep_scale_label(&b->scale, y, value, sizeof value));
    return tip;
}

/* Points of several lines at one text stand side by side. */
static double place_x(const struct lines *l, const struct chart *c, size_t row, size_t number)
{
    double aside = l->view->varied[l->picture->x].is_number
                       ? 0
                       : 9 * ((double)number - 0.5 * (double)(count_kinds_of_lines(l) - 1));
    return chart_place(&c->x, x_of(l, row)) + aside;
}

static void draw_stroke(struct lines *l, const struct chart *c, const struct band *b, size_t line)
{
    double last_x = NAN, last_y = NAN;
    char class[16];
    svg_path_begin(l->svg, stroke_of(l, line_number(l, line), class));
    for (size_t i = l->lines.begins[line]; i < l->lines.begins[line + 1]; i++) {
        double value = sweep_picture_value(l->view, b->relative, &b->scale, b->measure, l->lines.rows[i]);
        double x = chart_place(&c->x, x_of(l, l->lines.rows[i])), y = chart_place(&c->y, value);
        if (isnan(value))
            continue;
        if (isnan(last_x)) {
            svg_move(l->svg, x, y);
        } else {
            svg_to(l->svg, x, y);
            sweep_obstacles_add_line(&l->obstacles, last_x, last_y, x, y);
        }
        last_x = x, last_y = y;
    }
    svg_path_end(l->svg);
}

static void draw_line(struct lines *l, const struct chart *c, const struct band *b, size_t line)
{
    size_t number = line_number(l, line);
    if (l->plan.has_lines && l->view->varied[l->picture->x].is_number)
        draw_stroke(l, c, b, line);
    for (size_t i = l->lines.begins[line]; i < l->lines.begins[line + 1]; i++) {
        size_t row = l->lines.rows[i];
        double value = sweep_picture_value(l->view, b->relative, &b->scale, b->measure, row);
        double x = place_x(l, c, row, number), y = chart_place(&c->y, value);
        char tip[240];
        if (isnan(value))
            continue;
        draw_mark(l, number, x, y, tip_of(l, b, row, value, tip, sizeof tip));
        sweep_obstacles_add(&l->obstacles, x, y);
    }
}

static void draw_probes(struct lines *l, const struct chart *c, const struct band *b)
{
    for (size_t i = 0; i < l->view->table->count; i++) {
        double value = sweep_picture_value(l->view, b->relative, &b->scale, b->measure, i);
        if (!shows_probe(l, i) || isnan(value))
            continue;
        struct chart_legend_entry probe = sweep_picture_probe(l->view->kinds[i]);
        double x = chart_place(&c->x, x_of(l, i)), y = chart_place(&c->y, value);
        svg_mark(l->svg, x, y, 4.5, probe.shape, probe.colour, true, probe.text);
        sweep_obstacles_add(&l->obstacles, x, y);
    }
}

static void draw_limit(struct lines *l, const struct chart *c, const struct band *b)
{
    double y = chart_place(&c->y, b->limit);
    if (isnan(b->limit))
        return;
    svg_line(l->svg, c->x.from, y, c->x.to, y, "s2 dash");
    sweep_obstacles_add_line(&l->obstacles, c->x.from, y, c->x.to, y);
}

static void draw_marked(struct lines *l, const struct chart *c, const struct band *b, size_t panel)
{
    for (size_t i = l->panels.begins[panel]; i < l->panels.begins[panel + 1]; i++) {
        size_t row = l->panels.rows[i];
        const char *label = sweep_picture_mark(l->view, l->picture->ask, row);
        double value = sweep_picture_value(l->view, b->relative, &b->scale, b->measure, row);
        if (!label || isnan(value))
            continue;
        char text[160], number[64];
        double x = chart_place(&c->x, x_of(l, row)), y = chart_place(&c->y, value);
        snprintf(text, sizeof text, "%.80s: %s", label,
                 sweep_scale_label(&b->scale, value, number, sizeof number));
        svg_mark(l->svg, x, y, 8, SVG_DISC, SVG_VERMILION, true, NULL);
        svg_mark(l->svg, x, y, 4, SVG_DISC, SVG_VERMILION, false, text);
        sweep_label(l->svg, &l->obstacles, x, y, "f7 bold", text);
    }
}

/* Names below an axis of texts, as far as they have room. */
static void draw_names(const struct lines *l, const struct chart *c)
{
    const struct sweep_varied *x = &l->view->varied[l->picture->x];
    double room = (c->x.to - c->x.from) / (double)x->value_count;
    for (size_t i = 0; i < x->value_count && !x->is_number; i++) {
        const char *name = sweep_view_value(l->view, l->picture->x, i);
        char text[64];
        int letters = svg_text_width(name, 11) <= room ? 60 : (int)(room / 7);
        snprintf(text, sizeof text, "%.*s", (int)printable_fit(name, (size_t)letters), name);
        svg_text(l->svg, chart_place(&c->x, (double)i), c->y.from + 15, 11, SVG_MIDDLE, "f2", text);
    }
}

static bool is_in_panel(const struct lines *l, size_t line, size_t panel)
{
    size_t a = l->lines.rows[l->lines.begins[line]], b = l->panels.rows[l->panels.begins[panel]];
    for (size_t i = 0; i < l->view->varied_count; i++)
        if (l->plan.panels.has[i] && l->view->varied[i].ranks[a] != l->view->varied[i].ranks[b])
            return false;
    return true;
}

static void draw_panel(struct lines *l, const struct band *b, size_t panel, double left, double top,
                       double width, double height, bool last_row)
{
    struct chart c = {l->svg, l->x_axis, b->axis};
    chart_put(&c, left + LEFT, top + TOP, width - LEFT - RIGHT, height - TOP - BOTTOM);
    const char *x_title = c.x.title;
    c.x.title = last_row && l->view->varied[l->picture->x].is_number ? x_title : NULL;
    chart_draw_axes(&c);
    if (last_row && !l->view->varied[l->picture->x].is_number)
        svg_text(l->svg, (c.x.from + c.x.to) / 2, c.y.from + 33, 12, SVG_MIDDLE, "", x_title);
    draw_names(l, &c);
    if (count_set(l->view, &l->plan.panels) > 0) {
        char text[120];
        sweep_view_describe(l->view, l->panels.rows[l->panels.begins[panel]], &l->plan.panels, false, text,
                            sizeof text);
        svg_text(l->svg, c.x.from, top + TOP - 7, l->columns > 2 ? 11 : 12, SVG_START, "bold", text);
    }
    l->obstacles = (struct sweep_obstacles){c.x.from, c.y.to - 10, c.x.to, c.y.from, NULL, 0, 0};
    for (size_t line = 0; line < l->lines.count; line++)
        if (is_in_panel(l, line, panel))
            draw_line(l, &c, b, line);
    draw_probes(l, &c, b);
    draw_limit(l, &c, b);
    draw_marked(l, &c, b, panel);
    sweep_obstacles_destroy(&l->obstacles);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

/* At most ten of many lines. */
static double draw_ramp_legend(const struct lines *l, struct svg *svg, double top)
{
    size_t kinds = count_kinds_of_lines(l), step = (kinds + 9) / 10, by = 0;
    while (!l->plan.lines.has[by])
        by++;
    if (!svg)
        return 18;
    double x = 16;
    svg_textf(svg, x, top + 12, 12, SVG_START, "", "%s:", sweep_view_name(l->view, by));
    x += svg_text_width(sweep_view_name(l->view, by), 12) + 18;
    for (size_t i = 0; i < kinds; i += step) {
        const char *value = sweep_view_value(l->view, by, i);
        char class[16];
        svg_line(svg, x, top + 8, x + 18, top + 8, stroke_of(l, i, class));
        svg_text(svg, x + 23, top + 12, 12, SVG_START, "", value);
        x += 23 + svg_text_width(value, 12) + 14;
    }
    return 18;
}

/* The words for the lines of a number: "table.family = xxh3". */
static void describe_line(const struct lines *l, size_t number, char *text, size_t size)
{
    for (size_t i = 0; i < l->view->varied_count; i++)
        if (l->plan.lines.has[i] && count_set(l->view, &l->plan.lines) == 1) {
            snprintf(text, size, "%s = %s", sweep_view_name(l->view, i),
                     sweep_view_value(l->view, i, number));
            return;
        }
    sweep_view_describe(l->view, l->lines.rows[l->lines.begins[number]], &l->plan.lines, false, text, size);
}

/* @param svg  NULL: draw nothing. @return its height */
static double draw_legend(const struct lines *l, struct svg *svg, double top)
{
    struct chart_legend_entry entries[ENTRIES];
    char texts[SWEEP_LINES_MOST][100];
    size_t count = 0, kinds = count_kinds_of_lines(l);
    double height = 0;
    if (kinds > SWEEP_LINES_MOST)
        height = draw_ramp_legend(l, svg, top);
    for (; kinds > 1 && kinds <= SWEEP_LINES_MOST && count < kinds; count++) {
        describe_line(l, count, texts[count], sizeof texts[count]);
        entries[count] = (struct chart_legend_entry){texts[count], line_colours[count], CHART_KEY_MARK,
                                                     line_shapes[count]};
    }
    if (l->panel_count == 1)
        count = sweep_picture_add_probes(l->view, entries, count);
    if (*l->limit)
        entries[count++] = (struct chart_legend_entry){l->limit, SVG_MUTED, CHART_KEY_DASHED, SVG_DISC};
    return height + (count > 0
                         ? chart_draw_legend(svg, 16, top + height, SWEEP_PICTURE_WIDTH - 32, entries, count)
                         : 0);
}

/* What must be known to read the picture: in which numbers marks differ, what is left out. */
static void draw_notes(const struct lines *l, double top)
{
    struct sweep_set others = sweep_view_others(l->view, l->picture->x, SIZE_MAX);
    char names[160] = "";
    for (size_t i = 0, length = 0; i < l->view->varied_count && length < sizeof names; i++)
        if (others.has[i])
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                                       sweep_view_name(l->view, i));
    if (!l->plan.has_lines && *names)
        svg_textf(l->svg, 16, top + 12, 12, SVG_START, "f2",
                  "Each mark is a machine of its own; they also differ in %s.", names);
    else if (l->panels.count > l->panel_count)
        svg_textf(
            l->svg, 16, top + 12, 12, SVG_START, "f2",
            "The first %zu of %zu combinations of what else varies; all are in the table beside the picture.",
            l->panel_count, l->panels.count);
}

static bool has_notes(const struct lines *l)
{
    return l->panels.count > l->panel_count || (!l->plan.has_lines && l->view->varied_count > 1);
}

static void draw_bands(struct lines *l, double top, double width, double height)
{
    const struct sweep_picture *p = l->picture;
    size_t rows = (l->panel_count + l->columns - 1) / l->columns;
    for (unsigned m = 0; m < p->measure_count; m++) {
        struct band band = make_band(l, p->measures[m]);
        band.axis.title = band.scale.title;
        for (size_t panel = 0; panel < l->panel_count; panel++) {
            size_t row = m * rows + panel / l->columns;
            bool last = m + 1 == p->measure_count && panel + l->columns >= l->panel_count;
            draw_panel(l, &band, panel, (double)(panel % l->columns) * width, top + height * (double)row,
                       width, height, last);
        }
    }
}

static void name_limit(struct lines *l)
{
    for (unsigned m = 0; m < l->picture->measure_count; m++) {
        char value[64];
        struct band band = make_band(l, l->picture->measures[m]);
        if (!isnan(band.limit))
            snprintf(l->limit, sizeof l->limit, "where the bus is always busy: %s",
                     sweep_scale_label(&band.scale, band.limit, value, sizeof value));
    }
}

static void draw_all(struct lines *l)
{
    name_limit(l);
    size_t rows = (l->panel_count + l->columns - 1) / l->columns * l->picture->measure_count;
    double width = SWEEP_PICTURE_WIDTH / (double)l->columns, height = HEIGHTS[l->columns];
    double notes = has_notes(l) ? 22 : 0, legend = draw_legend(l, NULL, 0);
    double top = sweep_picture_begin(l->view, l->picture, l->svg, notes + legend + height * (double)rows);
    draw_notes(l, top);
    draw_legend(l, l->svg, top + notes);
    draw_bands(l, top + notes + legend, width, height);
    svg_end(l->svg);
}

/* As many panels side by side as make full rows. */
static size_t choose_columns(size_t panels)
{
    return panels <= 2 ? panels : panels == 4 ? 2 : panels <= 6 || panels == 9 ? 3 : COLUMNS_MOST;
}

int sweep_lines_draw(const struct sweep_view *v, const struct sweep_picture *p, struct svg *svg,
                     struct why *why)
{
    struct lines l = {.view = v, .picture = p, .svg = svg};
    struct sweep_set both;
    int status = sweep_lines_arrange(v, p, &l.plan, why);
    both = l.plan.panels;
    for (size_t i = 0; i < v->varied_count; i++)
        both.has[i] = both.has[i] || l.plan.lines.has[i];
    if (status == 0)
        status = sweep_view_group(v, &l.plan.panels, SIZE_MAX, &l.panels, why);
    if (status == 0)
        status = sweep_view_group(v, &both, p->x, &l.lines, why);
    l.panel_count = l.panels.count < PANELS_MOST ? l.panels.count : PANELS_MOST;
    l.columns = choose_columns(l.panel_count);
    if (status == 0)
        status = make_x_axis(&l, why);
    if (status == 0)
        draw_all(&l);
    sweep_groups_destroy(&l.panels);
    sweep_groups_destroy(&l.lines);
    return status;
}
