/* Lines of a sweep: measures over a varied number (sweep_picture.h).
 *
 * Lines     Up to SWEEP_LINES_MOST combinations of what else varies are lines of one panel. More of them are told apart
 *           by one number, and by panels, of which the first twelve are drawn; a sentence says if there are more. The
 *           number is that of --by, or what suits best. All panels have the same axes.
 * Limit     Throughput has a dashed line where the bus is always busy, if that is the same for all machines.
 */
#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/printable.h"

enum { LEGEND_MOST = 10, ENTRIES = LEGEND_MOST + SWEEP_KINDS + 1 };

/* Pixels: the heights of a panel by the number of panels in a row. */
static const double HEIGHTS[SWEEP_PANELS_BESIDE + 1] = {0, 300, 250, 220, 200};

/* The bus limits all machines alike if the limits that follow from each differ by less. */
static const double SAME_LIMIT = 0.005, LIMIT_IN_SIGHT = 2;

static const struct figure_style styles[SWEEP_LINES_MOST] = {
    {NULL, SVG_BLUE, FIGURE_MARK, SVG_DISC},         {NULL, SVG_ORANGE, FIGURE_MARK, SVG_SQUARE},
    {NULL, SVG_GREEN, FIGURE_MARK, SVG_TRIANGLE},    {NULL, SVG_PURPLE, FIGURE_MARK, SVG_DIAMOND},
    {NULL, SVG_SKY, FIGURE_MARK, SVG_TRIANGLE_DOWN}, {NULL, SVG_INK, FIGURE_MARK, SVG_DISC}};

/* --- arranging ------------------------------------------------------------------------------------------- */

struct sweep_lines_plan sweep_lines_arrange(const struct sweep_picture *p)
{
    const struct sweep_view *v = p->view;
    const sweep_set others = ~sweep_set_of(p->x);
    auto_by(sweep_groups_destroy) struct sweep_groups combinations = sweep_view_group(v, others, SIZE_MAX);
    const size_t count = combinations.count;
    struct sweep_lines_plan plan = {.lines = others, .has_lines = count < v->machine_count};
    if (p->by == SIZE_MAX && count <= SWEEP_LINES_MOST)
        return plan;
    const size_t by = p->by != SIZE_MAX ? p->by : sweep_view_most_suited(v, others, SWEEP_LINES_MOST);
    plan.lines = 0;
    if (p->by == SIZE_MAX && !plan.has_lines && v->varied[by].value_count > SWEEP_LINES_MOST)
        return plan; /* marks of one colour */
    plan.lines = sweep_set_of(by) & others;
    plan.panels = plan.has_lines ? others & ~plan.lines : 0;
    return plan;
}

/* --- the state of a picture ------------------------------------------------------------------------------ */

/* What all panels of a measure share. */
struct band {
    struct sweep_scale scale;
    struct figure_axis axis;
    double limit; /* of the bus; NaN: none to show */
};

struct lines {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    const struct sweep_varied *x;
    const char *x_name;
    struct sweep_lines_plan plan;
    size_t by, kinds; /* the only number that tells lines apart, SIZE_MAX: none or several; kinds of lines */
    struct sweep_panels panels;
    struct sweep_groups lines; /* of all panels, in the panels' order */
    struct figure_axis x_axis;
    struct band bands[SWEEP_MEASURES_SHOWN];
    struct figure f; /* the present panel */
    char limit[96];  /* words for the limit of the bus; "": none to show */
};

/* The number of a line among all of its kind, which gives it its style. */
static size_t line_number(const struct lines *l, size_t line)
{
    if (l->by != SIZE_MAX)
        return l->view->varied[l->by].ranks[sweep_groups_first(&l->lines, line)];
    return l->kinds == 1 ? 0 : line; /* then there is one panel */
}

/* Few lines have colours, many have steps of the ramp; its first ones are too light for a line. */
static struct figure_style style_of(const struct lines *l, size_t number)
{
    if (l->kinds <= SWEEP_LINES_MOST)
        return styles[number];
    return (struct figure_style){.key = FIGURE_LINE,
                                 .ramp = 0.2 + 0.8 * ((double)number + 0.5) / (double)l->kinds};
}

static double x_of(const struct lines *l, size_t row)
{
    return sweep_view_place(l->view, l->picture->x, row);
}

static double y_of(const struct lines *l, const struct band *b, size_t row)
{
    return sweep_scale_value(&b->scale, l->view, row);
}

/* Where the bus would always be busy: throughput over utilisation, if that is the same of all machines. */
static double find_limit(const struct sweep_view *v, double most)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < v->machine_count; i++) {
        const size_t row = v->machines[i];
        double limit = sweep_view_number(v, row, "throughput_mwmers_per_s") /
                       sweep_view_number(v, row, "utilisation_bus");
        low = fmin(low, limit);
        high = fmax(high, limit);
    }
    return isfinite(low) && high <= low * (1 + SAME_LIMIT) && high < LIMIT_IN_SIGHT * most ? low : NAN;
}

static bool shows_probe(const struct lines *l, size_t row)
{
    double x = x_of(l, row);
    return l->view->kinds[row] != SWEEP_MACHINE && l->panels.shown == 1 && x >= l->x_axis.least &&
           x <= l->x_axis.most;
}

static void make_band(struct lines *l, struct band *b, size_t measure)
{
    const struct sweep_view *v = l->view;
    double most = 0;
    b->scale = sweep_scale_for(v, l->picture, measure);
    b->limit = NAN;
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE || shows_probe(l, i))
            most = fmax(most, y_of(l, b, i));
    if (strcmp(sweep_table_column_name(measure), "throughput_mwmers_per_s") == 0 && !b->scale.relative)
        b->limit = find_limit(v, most);
    if (!isnan(b->limit))
        snprintf(l->limit, sizeof l->limit, "where the bus is always busy: %s",
                 sweep_scale_label(&b->scale, b->limit).text);
    b->axis = sweep_scale_axis_to(fmax(most, isnan(b->limit) ? 0 : b->limit), b->scale.title);
}

/* --- one panel ------------------------------------------------------------------------------------------- */

/* Points of several lines at one text stand side by side. What lies below others is larger, and can be seen. */
static void draw_line(struct lines *l, const struct band *b, size_t line)
{
    const size_t number = line_number(l, line), end = l->lines.begins[line + 1];
    const struct figure_style style = style_of(l, number);
    const double rank = (double)l->kinds - 1 - (double)number,
                 radius = 4 + (l->x->is_number ? 0.8 * rank : 0),
                 per_pixel = (l->x_axis.most - l->x_axis.least) / (l->f.x.to - l->f.x.from),
                 aside =
                     l->x->is_number ? 0 : 9 * per_pixel * ((double)number - 0.5 * (double)(l->kinds - 1));
    if (l->plan.has_lines && l->x->is_number) {
        figure_path(&l->f, figure_stroke(&style).text);
        for (size_t i = l->lines.begins[line]; i < end; i++)
            if (!isnan(y_of(l, b, l->lines.rows[i])))
                figure_to(&l->f, x_of(l, l->lines.rows[i]), y_of(l, b, l->lines.rows[i]));
        svg_path_end(l->f.svg);
    }
    for (size_t i = l->lines.begins[line]; i < end; i++) {
        size_t row = l->lines.rows[i];
        if (!isnan(y_of(l, b, row)))
            figure_mark(&l->f, x_of(l, row) + aside, y_of(l, b, row), radius, &style, "%s",
                        sweep_scale_tip(&b->scale, l->view, row).text);
    }
}

static void draw_marked(struct lines *l, const struct band *b, size_t panel)
{
    const struct sweep_groups *panels = &l->panels.groups;
    for (size_t i = panels->begins[panel]; i < panels->begins[panel + 1]; i++) {
        const char *label = sweep_picture_mark(l->picture, panels->rows[i]);
        double value = y_of(l, b, panels->rows[i]);
        char text[160];
        if (!label || isnan(value))
            continue;
        snprintf(text, sizeof text, "%.80s: %s", label, sweep_scale_label(&b->scale, value).text);
        sweep_picture_draw_mark(&l->f, x_of(l, panels->rows[i]), value, text);
    }
}

/* Names below an axis of texts, as far as they have room. */
static void draw_names(const struct lines *l, bool has_title)
{
    double room = (l->f.x.to - l->f.x.from) / (double)l->x->value_count;
    for (size_t i = 0; i < l->x->value_count; i++) {
        const char *name = sweep_view_value(l->view, l->picture->x, i);
        int letters = svg_text_width(name, 11) <= room ? 60 : (int)(room / 7);
        svg_textf(l->f.svg, figure_x(&l->f, (double)i), l->f.y.from + 15, 11, SVG_MIDDLE, "f2", "%.*s",
                  (int)printable_fit(name, (size_t)letters), name);
    }
    if (has_title)
        svg_text(l->f.svg, (l->f.x.from + l->f.x.to) / 2, l->f.y.from + 33, 12, SVG_MIDDLE, "", l->x_name);
}

static void draw_panel(struct lines *l, const struct band *b, size_t panel, double top, bool last_band)
{
    const struct sweep_panel at = sweep_panels_place(&l->panels, panel, top);
    const bool last_row = last_band && sweep_panels_has_title(&l->panels, panel, true);
    const size_t group = l->panels.group[panel];
    l->f = (struct figure){l->f.svg, l->x_axis, b->axis, .has_labels = true};
    if (!last_row || !l->x->is_number)
        l->f.x.title = NULL;
    if (!sweep_panels_has_title(&l->panels, panel, false))
        l->f.y.title = NULL;
    sweep_panels_head(&l->panels, l->f.svg, panel, at, SWEEP_BOTH);
    if (group == SIZE_MAX)
        return;
    figure_open(&l->f, at.left, at.top, at.width, at.height);
    if (!l->x->is_number)
        draw_names(l, last_row);
    for (size_t line = 0; line < l->lines.count; line++)
        if (sweep_view_agree(l->view, l->plan.panels, sweep_groups_first(&l->lines, line),
                             sweep_groups_first(&l->panels.groups, group)))
            draw_line(l, b, line);
    for (size_t i = 0; i < l->view->table->count; i++) {
        struct figure_style probe = sweep_picture_probe(l->view->kinds[i]);
        if (shows_probe(l, i) && !isnan(y_of(l, b, i)))
            figure_mark(&l->f, x_of(l, i), y_of(l, b, i), 4.5, &probe, "%s", probe.text);
    }
    if (!isnan(b->limit))
        figure_line(&l->f, (const double[]){l->x_axis.least, l->x_axis.most},
                    (const double[]){b->limit, b->limit}, 2, "s2 dash");
    draw_marked(l, b, group);
    figure_close(&l->f);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

/* The words for the lines of a number: "table.family = xxh3"; of many lines the first one has the name. */
static void describe_line(const struct lines *l, size_t number, char *text, size_t size)
{
    if (l->by == SIZE_MAX)
        sweep_view_describe(l->view, sweep_groups_first(&l->lines, number), l->plan.lines, SWEEP_BOTH, text,
                            size);
    else if (l->kinds > SWEEP_LINES_MOST && number > 0)
        snprintf(text, size, "%s", sweep_view_value(l->view, l->by, number));
    else
        snprintf(text, size, "%s = %s", sweep_view_name(l->view, l->by),
                 sweep_view_value(l->view, l->by, number));
}

/* At most ten of many lines. @param svg  NULL: draw nothing. @return its height */
static double draw_legend(const struct lines *l, struct svg *svg, double top)
{
    struct figure_style entries[ENTRIES];
    char texts[LEGEND_MOST][100];
    size_t count = 0, step = l->kinds > SWEEP_LINES_MOST ? (l->kinds + LEGEND_MOST - 1) / LEGEND_MOST : 1;
    for (size_t i = 0; l->kinds > 1 && i < l->kinds; i += step, count++) {
        describe_line(l, i, texts[count], sizeof texts[count]);
        entries[count] = style_of(l, i);
        entries[count].text = texts[count];
    }
    if (l->panels.shown == 1)
        count = sweep_picture_add_probes(l->view, entries, count);
    if (*l->limit)
        entries[count++] = (struct figure_style){l->limit, SVG_MUTED, FIGURE_DASHED, SVG_DISC};
    return count > 0 ? figure_draw_legend(svg, 16, top, FIGURE_WIDTH - 32, entries, count) : 0;
}

static void draw_all(struct lines *l, struct svg *svg)
{
    const unsigned bands = l->picture->measure_count;
    const bool are_apart = !l->plan.has_lines && l->view->varied_count > 1;
    const double height = sweep_panels_height(&l->panels), legend = draw_legend(l, NULL, 0),
                 notes = are_apart || l->panels.groups.count > l->panels.drawn ? 22 : 0;
    double top = sweep_picture_begin(l->picture, svg, notes + legend + height * bands);
    char names[160];
    if (are_apart)
        svg_textf(
            svg, 16, top + 12, 12, SVG_START, "f2",
            "Each mark is a machine of its own; they also differ in %s.",
            sweep_view_describe(l->view, 0, ~sweep_set_of(l->picture->x), SWEEP_NAMES, names, sizeof names));
    else
        sweep_panels_say_left_out(&l->panels, svg, top);
    draw_legend(l, svg, top + notes);
    top += notes + legend;
    l->f.svg = svg;
    for (unsigned m = 0; m < bands; m++, top += height)
        for (size_t panel = 0; panel < l->panels.shown; panel++)
            draw_panel(l, &l->bands[m], panel, top, m + 1 == bands);
    svg_end(svg);
}

void sweep_lines_draw(const struct sweep_picture *p, struct svg *svg)
{
    const struct sweep_view *v = p->view;
    struct lines l = {.view = v, .picture = p, .x = &v->varied[p->x], .x_name = sweep_view_name(v, p->x)};
    l.plan = sweep_lines_arrange(p);
    l.lines = sweep_view_group(v, l.plan.panels | l.plan.lines, p->x);
    l.panels =
        sweep_panels_arrange(v, l.plan.panels, SWEEP_PANELS_BESIDE, (struct sweep_margins){74, 14, 22, 44});
    l.panels.height = HEIGHTS[l.panels.across && l.panels.columns == 2 ? 3 : l.panels.columns];
    const struct sweep_scale x_scale = sweep_scale_of(l.x->column, 1);
    l.x_axis = l.x->is_number ? sweep_scale_axis_along(p, p->x, x_scale.title)
                              : (struct figure_axis){-0.5, (double)l.x->value_count - 0.5, .title = l.x_name,
                                                     .bare = true};
    size_t numbers = 0; /* that tell lines apart */
    for (size_t i = 0; i < v->varied_count; i++)
        if (sweep_set_has(l.plan.lines, i) && numbers++ == 0)
            l.by = i;
    if (numbers != 1)
        l.by = SIZE_MAX;
    l.kinds = numbers == 1 ? v->varied[l.by].value_count : numbers == 0 ? 1 : l.lines.count;
    for (unsigned m = 0; m < p->measure_count; m++)
        make_band(&l, &l.bands[m], p->measures[m]);
    draw_all(&l, svg);
    sweep_groups_destroy(&l.panels.groups);
    sweep_groups_destroy(&l.lines);
}
