/* Lines of a sweep: measures over a varied number (sweep_picture.h).
 *
 * Lines     Up to SWEEP_LINES_MOST combinations of what else varies are lines of one panel. More of them are told apart
 *           by one number, and by panels, of which the first twelve are drawn; a sentence says if there are more. The
 *           number is that of --by, or a text, or has the most values up to SWEEP_LINES_MOST. All panels have the same
 *           axes.
 * Limit     Throughput has a dashed line where the bus is always busy, if that is the same for all machines.
 */
#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

enum { PANELS_MOST = 12, COLUMNS_MOST = 4, LEGEND_MOST = 10, ENTRIES = LEGEND_MOST + SWEEP_KINDS + 1 };

/* Pixels: around the values of a panel; the heights of a panel by the number of panels in a row. */
static const double LEFT = 74, RIGHT = 14, TOP = 22, BOTTOM = 44;
static const double HEIGHTS[COLUMNS_MOST + 1] = {0, 300, 250, 220, 200};

/* The bus limits all machines alike if the limits that follow from each differ by less. */
static const double SAME_LIMIT = 0.005, LIMIT_IN_SIGHT = 2;

static const struct figure_style styles[SWEEP_LINES_MOST] = {
    {NULL, SVG_BLUE, FIGURE_MARK, SVG_DISC},         {NULL, SVG_ORANGE, FIGURE_MARK, SVG_SQUARE},
    {NULL, SVG_GREEN, FIGURE_MARK, SVG_TRIANGLE},    {NULL, SVG_PURPLE, FIGURE_MARK, SVG_DIAMOND},
    {NULL, SVG_SKY, FIGURE_MARK, SVG_TRIANGLE_DOWN}, {NULL, SVG_INK, FIGURE_MARK, SVG_DISC}};

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
    const struct sweep_varied *x;
    const char *x_name;
    struct sweep_lines_plan plan;
    size_t by,
        kinds; /* the only number that tells lines apart, SIZE_MAX: none or several; how many lines differ */
    struct sweep_groups panels, lines; /* lines: of all panels, in the panels' order */
    size_t panel_count, columns;       /* drawn; side by side */
    struct sweep_scale x_scale;
    struct figure_axis x_axis;
    struct figure f; /* the present panel */
    char limit[96];  /* words for the limit of the bus; "": none to show */
};

/* What all panels of a measure share. */
struct band {
    size_t measure;
    bool relative;
    struct sweep_scale scale;
    struct figure_axis axis;
    double limit; /* of the bus; NaN: none to show */
};

static size_t first_row(const struct sweep_groups *groups, size_t group)
{
    return groups->rows[groups->begins[group]];
}

/* Find what tells lines apart. */
static void count_lines(struct lines *l)
{
    size_t numbers = 0;
    for (size_t i = 0; i < l->view->varied_count; i++)
        if (l->plan.lines.has[i] && numbers++ == 0)
            l->by = i;
    if (numbers != 1)
        l->by = SIZE_MAX;
    l->kinds = numbers == 1 ? l->view->varied[l->by].value_count : numbers == 0 ? 1 : l->lines.count;
}

/* The number of a line among all of its kind, which gives it its style. */
static size_t line_number(const struct lines *l, size_t line)
{
    if (l->by != SIZE_MAX)
        return l->view->varied[l->by].ranks[first_row(&l->lines, line)];
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
    if (!l->x->is_number)
        return l->x->ranks[row] == SIZE_MAX ? NAN : (double)l->x->ranks[row];
    return l->x_scale.factor * sweep_view_number(l->view, row, l->x_name);
}

static double y_of(const struct lines *l, const struct band *b, size_t row)
{
    return sweep_picture_value(l->view, b->relative, &b->scale, b->measure, row);
}

static int make_x_axis(struct lines *l, struct why *why)
{
    l->x_scale = sweep_scale_of(l->x->column, 1);
    if (!l->x->is_number) {
        l->x_axis =
            (struct figure_axis){-0.5, (double)l->x->value_count - 0.5, .title = l->x_name, .bare = true};
        return 0;
    }
    double *values = malloc((l->x->value_count + 1) * sizeof *values);
    if (!values)
        return why_no_memory(why, -1);
    for (size_t i = 0; i < l->x->value_count; i++)
        values[i] = x_of(l, l->x->first[i]);
    l->x_axis = figure_axis_along(values, l->x->value_count, l->x_scale.title);
    free(values);
    return 0;
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
    const char *name = sweep_table_column_name(measure);
    double most = 0;
    band.scale = sweep_picture_scale(v, band.relative, measure);
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] == SWEEP_MACHINE || shows_probe(l, i))
            most = fmax(most, y_of(l, &band, i));
    band.limit = strcmp(name, "throughput_mwmers_per_s") == 0 && !band.relative ? find_limit(v, most) : NAN;
    band.axis = sweep_scale_axis_to(fmax(most, isnan(band.limit) ? 0 : band.limit), NULL);
    return band;
}

/* --- one panel ------------------------------------------------------------------------------------------- */

static const char *tip_of(const struct lines *l, const struct band *b, size_t row, char tip[240])
{
    char what[160], value[64];
    struct sweep_set all = sweep_view_others(l->view, SIZE_MAX, SIZE_MAX);
    snprintf(tip, 240, "%s: %s", sweep_view_describe(l->view, row, &all, false, what, sizeof what),
             sweep_scale_label(&b->scale, y_of(l, b, row), value, sizeof value));
    return tip;
}

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
    char class[24], tip[240];
    if (l->plan.has_lines && l->x->is_number) {
        figure_path(&l->f, figure_stroke(&style, class));
        for (size_t i = l->lines.begins[line]; i < end; i++)
            if (!isnan(y_of(l, b, l->lines.rows[i])))
                figure_to(&l->f, x_of(l, l->lines.rows[i]), y_of(l, b, l->lines.rows[i]));
        figure_path_end(&l->f);
    }
    for (size_t i = l->lines.begins[line]; i < end; i++) {
        size_t row = l->lines.rows[i];
        if (!isnan(y_of(l, b, row)))
            figure_mark(&l->f, x_of(l, row) + aside, y_of(l, b, row), radius, &style, "%s",
                        tip_of(l, b, row, tip));
    }
}

static void draw_others(struct lines *l, const struct band *b)
{
    for (size_t i = 0; i < l->view->table->count; i++) {
        struct figure_style probe = sweep_picture_probe(l->view->kinds[i]);
        if (shows_probe(l, i) && !isnan(y_of(l, b, i)))
            figure_mark(&l->f, x_of(l, i), y_of(l, b, i), 4.5, &probe, "%s", probe.text);
    }
    if (isnan(b->limit))
        return;
    figure_path(&l->f, "s2 dash");
    figure_to(&l->f, l->x_axis.least, b->limit);
    figure_to(&l->f, l->x_axis.most, b->limit);
    figure_path_end(&l->f);
}

static void draw_marked(struct lines *l, const struct band *b, size_t panel)
{
    for (size_t i = l->panels.begins[panel]; i < l->panels.begins[panel + 1]; i++) {
        size_t row = l->panels.rows[i];
        const char *label = sweep_picture_mark(l->view, l->picture->ask, row);
        double value = y_of(l, b, row);
        char text[160], number[64];
        if (!label || isnan(value))
            continue;
        snprintf(text, sizeof text, "%.80s: %s", label,
                 sweep_scale_label(&b->scale, value, number, sizeof number));
        sweep_picture_draw_mark(&l->f, x_of(l, row), value, text);
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

static bool is_in_panel(const struct lines *l, size_t line, size_t panel)
{
    size_t a = first_row(&l->lines, line), b = first_row(&l->panels, panel);
    for (size_t i = 0; i < l->view->varied_count; i++)
        if (l->plan.panels.has[i] && l->view->varied[i].ranks[a] != l->view->varied[i].ranks[b])
            return false;
    return true;
}

static void draw_panel(struct lines *l, const struct band *b, size_t panel, struct sweep_panel at,
                       bool last_row)
{
    char text[120];
    l->f = (struct figure){l->f.svg, l->x_axis, b->axis, .has_labels = true};
    if (!last_row || !l->x->is_number)
        l->f.x.title = NULL;
    figure_open(&l->f, at.left + LEFT, at.top + TOP, at.width - LEFT - RIGHT, at.height - TOP - BOTTOM);
    if (!l->x->is_number)
        draw_names(l, last_row);
    if (*sweep_view_describe(l->view, first_row(&l->panels, panel), &l->plan.panels, false, text,
                             sizeof text))
        svg_text(l->f.svg, l->f.x.from, at.top + TOP - 7, l->columns > 2 ? 11 : 12, SVG_START, "bold", text);
    for (size_t line = 0; line < l->lines.count; line++)
        if (is_in_panel(l, line, panel))
            draw_line(l, b, line);
    draw_others(l, b);
    draw_marked(l, b, panel);
    figure_close(&l->f);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

/* The words for the lines of a number: "table.family = xxh3"; of many lines the first one has the name. */
static void describe_line(const struct lines *l, size_t number, char *text, size_t size)
{
    if (l->by == SIZE_MAX)
        sweep_view_describe(l->view, first_row(&l->lines, number), &l->plan.lines, false, text, size);
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
    if (l->panel_count == 1)
        count = sweep_picture_add_probes(l->view, entries, count);
    if (*l->limit)
        entries[count++] = (struct figure_style){l->limit, SVG_MUTED, FIGURE_DASHED, SVG_DISC};
    return count > 0 ? figure_draw_legend(svg, 16, top, FIGURE_WIDTH - 32, entries, count) : 0;
}

/* What must be known to read the picture: in which numbers marks differ, what is left out. @return its height */
static double draw_notes(const struct lines *l, struct svg *svg, double top)
{
    struct sweep_set others = sweep_view_others(l->view, l->picture->x, SIZE_MAX);
    char names[160];
    bool apart = !l->plan.has_lines && l->view->varied_count > 1;
    if (apart && svg)
        svg_textf(svg, 16, top + 12, 12, SVG_START, "f2",
                  "Each mark is a machine of its own; they also differ in %s.",
                  sweep_view_list(l->view, &others, names, sizeof names));
    else if (svg)
        sweep_picture_say_left_out(svg, top, l->panel_count, l->panels.count);
    return apart || l->panels.count > l->panel_count ? 22 : 0;
}

static void draw_all(struct lines *l, const struct band *bands, struct svg *svg)
{
    const struct sweep_picture *p = l->picture;
    const size_t rows = (l->panel_count + l->columns - 1) / l->columns;
    const double height = HEIGHTS[l->columns], notes = draw_notes(l, NULL, 0),
                 legend = draw_legend(l, NULL, 0);
    double top =
        sweep_picture_begin(l->view, p, svg, notes + legend + height * (double)(rows * p->measure_count));
    draw_notes(l, svg, top);
    draw_legend(l, svg, top + notes);
    top += notes + legend;
    l->f.svg = svg;
    for (unsigned m = 0; m < p->measure_count; m++, top += height * (double)rows)
        for (size_t panel = 0; panel < l->panel_count; panel++)
            draw_panel(l, &bands[m], panel, sweep_picture_place(panel, l->columns, top, height),
                       m + 1 == p->measure_count && panel + l->columns >= l->panel_count);
    svg_end(svg);
}

static void make_bands(struct lines *l, struct band *bands)
{
    for (unsigned m = 0; m < l->picture->measure_count; m++) {
        char value[64];
        bands[m] = make_band(l, l->picture->measures[m]);
        bands[m].axis.title = bands[m].scale.title;
        if (!isnan(bands[m].limit))
            snprintf(l->limit, sizeof l->limit, "where the bus is always busy: %s",
                     sweep_scale_label(&bands[m].scale, bands[m].limit, value, sizeof value));
    }
}

/* As many panels side by side as make full rows. */
static size_t choose_columns(size_t panels)
{
    return panels <= 2 ? panels : panels == 4 ? 2 : panels <= 6 || panels == 9 ? 3 : COLUMNS_MOST;
}

int sweep_lines_draw(const struct sweep_view *v, const struct sweep_picture *p, struct svg *svg,
                     struct why *why)
{
    struct lines l = {.view = v, .picture = p, .x = &v->varied[p->x], .x_name = sweep_view_name(v, p->x)};
    struct band bands[SWEEP_MEASURES_SHOWN];
    int status = sweep_lines_arrange(v, p, &l.plan, why);
    struct sweep_set both = l.plan.panels;
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
    if (status == 0) {
        count_lines(&l);
        make_bands(&l, bands);
        draw_all(&l, bands, svg);
    }
    sweep_groups_destroy(&l.panels);
    sweep_groups_destroy(&l.lines);
    return status;
}
