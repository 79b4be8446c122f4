/* A measure in colours over two varied numbers (sweep_picture.h).
 *
 * Cells     one for each pair of values, with the measure in it if there is room; pairs without a machine stay blank.
 *           If most pairs have none, as in a sample, machines are marks on axes instead.
 * Scale     from the least to the greatest value, but at least the last 5% of the greatest, so that small differences
 *           look small.
 */
#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { PANELS_MOST = 6 };

/* Pixels. */
static const double LEFT = 96, RIGHT = 16, TOP = 24, BOTTOM = 46, KEY = 40, NOTE = 20;
static const double CELL_LEAST = 13, CELL_MOST = 34, LETTERS = 10.5, NAMES = 11;
static const double LEAST_SPAN = 0.05;

struct map {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    const struct sweep_varied *x, *y;
    struct sweep_groups panels;
    struct sweep_set others;
    size_t panel_count, columns;
    bool sparse, relative;
    struct sweep_scale scale;
    double low, high; /* ends of the ramp */
    struct figure f;  /* the present panel */
};

static double value_of(const struct map *m, size_t row)
{
    return sweep_picture_value(m->view, m->relative, &m->scale, m->picture->measures[0], row);
}

static double share_of(const struct map *m, double value)
{
    return (value - m->low) / (m->high - m->low);
}

static void find_ends(struct map *m)
{
    m->low = INFINITY, m->high = -INFINITY;
    for (size_t i = 0; i < m->view->table->count; i++)
        if (m->view->kinds[i] == SWEEP_MACHINE) {
            m->low = fmin(m->low, value_of(m, i));
            m->high = fmax(m->high, value_of(m, i));
        }
    m->low = fmin(m->low, m->high - LEAST_SPAN * fabs(m->high));
    if (!(m->high > m->low))
        m->low = m->high - 1;
}

/* Three digits; of percentages so many that 99.96 is not 100. */
static const char *label_of(const struct map *m, double value, char text[FIGURE_LABEL_BYTES])
{
    if (!m->relative)
        return fabs(value) < 1e5 && fabs(value) > 0.001 ? figure_plain_label(value, text)
                                                        : figure_label(value, text);
    snprintf(text, FIGURE_LABEL_BYTES, "%.1f", value > 99.9 && value < 100 ? 99.9 : value);
    return text;
}

static const char *tip_of(const struct map *m, size_t row, char *tip, size_t size)
{
    char what[160], value[64];
    struct sweep_set all = sweep_view_others(m->view, SIZE_MAX, SIZE_MAX);
    snprintf(tip, size, "%s: %s", sweep_view_describe(m->view, row, &all, false, what, sizeof what),
             sweep_scale_label(&m->scale, value_of(m, row), value, sizeof value));
    return tip;
}

/* --- cells ----------------------------------------------------------------------------------------------- */

static void draw_cell(const struct map *m, size_t row, double x, double y, double width, double height)
{
    char fill[8], ink[8], tip[240], text[FIGURE_LABEL_BYTES];
    double value = value_of(m, row);
    if (isnan(value))
        return;
    svg_rectangle(m->f.svg, x, y, width, height, svg_ramp_class('h', share_of(m, value), fill),
                  tip_of(m, row, tip, sizeof tip));
    label_of(m, value, text);
    if (svg_text_width(text, LETTERS) + 4 <= width && height >= CELL_LEAST)
        svg_text(m->f.svg, x + width / 2, y + height / 2 + 4, LETTERS, SVG_MIDDLE,
                 svg_ramp_class('t', share_of(m, value), ink), text);
    if (sweep_picture_mark(m->view, m->picture->ask, row))
        svg_rectangle(m->f.svg, x + 1, y + 1, width - 2, height - 2, "s7 w3", NULL);
}

/* The widest of a number's values. */
static double widest(const struct map *m, size_t varied)
{
    double width = 0;
    for (size_t i = 0; i < m->view->varied[varied].value_count; i++)
        width = fmax(width, svg_text_width(sweep_view_value(m->view, varied, i), NAMES));
    return width;
}

/* The names of rows and columns: as many as have room. */
static void draw_cells(const struct map *m, size_t panel)
{
    const struct figure *f = &m->f;
    const double left = f->x.from, bottom = f->y.from, width = (f->x.to - left) / (double)m->x->value_count,
                 height = (bottom - f->y.to) / (double)m->y->value_count;
    const size_t every_x = (size_t)ceil((widest(m, m->picture->x) + 8) / width),
                 every_y = (size_t)ceil(13 / height);
    svg_rectangle(f->svg, left, f->y.to, f->x.to - left, bottom - f->y.to, "f5", NULL);
    for (size_t i = m->panels.begins[panel]; i < m->panels.begins[panel + 1]; i++) {
        size_t row = m->panels.rows[i];
        draw_cell(m, row, left + width * (double)m->x->ranks[row],
                  bottom - height * (double)(m->y->ranks[row] + 1), width, height);
    }
    for (size_t i = 0; i < m->x->value_count; i += every_x)
        svg_text(f->svg, left + width * ((double)i + 0.5), bottom + 15, NAMES, SVG_MIDDLE, "f2",
                 sweep_view_value(m->view, m->picture->x, i));
    for (size_t i = 0; i < m->y->value_count; i += every_y)
        svg_text(f->svg, left - 6, bottom - height * ((double)i + 0.5) + 4, NAMES, SVG_END, "f2",
                 sweep_view_value(m->view, m->picture->y, i));
}

/* --- marks ----------------------------------------------------------------------------------------------- */

/* Where a row lies on an axis. */
static double place_of(const struct map *m, size_t varied, size_t row)
{
    const struct sweep_varied *n = &m->view->varied[varied];
    return n->is_number ? sweep_view_number(m->view, row, sweep_view_name(m->view, varied))
                        : (double)n->ranks[row];
}

static struct figure_axis axis_of(const struct map *m, size_t varied, double *values)
{
    const struct sweep_varied *n = &m->view->varied[varied];
    for (size_t i = 0; i < n->value_count; i++)
        values[i] = place_of(m, varied, n->first[i]);
    return figure_axis_along(values, n->value_count, NULL);
}

static void draw_marks(struct map *m, double left, double top, double width, double height)
{
    double *values = malloc((m->view->table->count + 1) * sizeof *values);
    if (!values) /* a page without this picture is better than none */
        return;
    m->f.x = axis_of(m, m->picture->x, values);
    m->f.y = axis_of(m, m->picture->y, values);
    free(values);
    figure_open(&m->f, left, top, width, height);
    for (size_t i = 0; i < m->view->table->count; i++) {
        char class[8], tip[240];
        if (m->view->kinds[i] != SWEEP_MACHINE || isnan(value_of(m, i)))
            continue;
        double x = figure_x(&m->f, place_of(m, m->picture->x, i)) - 5,
               y = figure_y(&m->f, place_of(m, m->picture->y, i)) - 5;
        svg_rectangle(m->f.svg, x, y, 10, 10, svg_ramp_class('h', share_of(m, value_of(m, i)), class),
                      tip_of(m, i, tip, sizeof tip));
        svg_rectangle(m->f.svg, x, y, 10, 10, "s3 thin", NULL);
    }
}

/* --- the picture ----------------------------------------------------------------------------------------- */

/* The ramp with its ends, at the right of the title. */
static void draw_key(const struct map *m, struct svg *svg, double top)
{
    static const double STEP = 16;
    char low[FIGURE_LABEL_BYTES], high[FIGURE_LABEL_BYTES], class[8];
    double left = 16 + svg_text_width(m->scale.title, 12) + 12;
    svg_text(svg, 16, top + 12, 12, SVG_START, "", m->scale.title);
    label_of(m, m->low, low);
    label_of(m, m->high, high);
    svg_text(svg, left, top + 12, 12, SVG_START, "", low);
    left += svg_text_width(low, 12) + 6;
    for (int i = 0; i < SVG_RAMP; i++)
        svg_rectangle(svg, left + STEP * i, top + 2, STEP, 12,
                      svg_ramp_class('h', (i + 0.5) / SVG_RAMP, class), NULL);
    svg_text(svg, left + STEP * SVG_RAMP + 6, top + 12, 12, SVG_START, "", high);
}

static const char *title_of(const struct map *m, size_t varied, char text[SWEEP_TITLE_BYTES])
{
    snprintf(text, SWEEP_TITLE_BYTES, "%s",
             m->view->varied[varied].column < SWEEP_TABLE_INPUTS
                 ? sweep_view_name(m->view, varied)
                 : sweep_scale_of(m->view->varied[varied].column, 1).title);
    return text;
}

static void draw_panel(struct map *m, struct svg *svg, size_t panel, struct sweep_panel at)
{
    char text[SWEEP_TITLE_BYTES];
    const double left = at.left + LEFT, top = at.top + TOP, width = at.width - LEFT - RIGHT,
                 height = at.height - TOP - BOTTOM;
    m->f = (struct figure){svg, {.from = left, .to = left + width}, {.from = top + height, .to = top}};
    if (m->panels.count > 1 && !m->sparse)
        svg_text(svg, left, top - 7, 12, SVG_START, "bold",
                 sweep_view_describe(m->view, m->panels.rows[m->panels.begins[panel]], &m->others, false,
                                     text, sizeof text));
    if (m->sparse)
        draw_marks(m, left, top, width, height);
    else
        draw_cells(m, panel);
    svg_text(svg, left + width / 2, top + height + 34, 12, SVG_MIDDLE, "", title_of(m, m->picture->x, text));
    svg_text_upwards(svg, at.left + 26, top + height / 2, 12, title_of(m, m->picture->y, text));
}

static void draw_note(const struct map *m, struct svg *svg, double top)
{
    if (m->sparse && m->panels.count > 1)
        svg_text(svg, 16, top + 12, 12, SVG_START, "f2",
                 "Each mark is a machine of its own; they differ in more numbers than these two.");
    else
        sweep_picture_say_left_out(svg, top, m->panel_count, m->panels.count);
}

static void draw_all(struct map *m, struct svg *svg)
{
    double cell = fmin(fmax(300 / (double)m->y->value_count, CELL_LEAST), CELL_MOST);
    double height = TOP + BOTTOM + (m->sparse ? 380 : fmin(cell * (double)m->y->value_count, 620));
    size_t rows = (m->panel_count + m->columns - 1) / m->columns;
    double note = m->panels.count > m->panel_count ? NOTE : 0;
    double top = sweep_picture_begin(m->view, m->picture, svg, note + KEY + height * (double)rows);
    draw_note(m, svg, top);
    draw_key(m, svg, top + note);
    for (size_t i = 0; i < m->panel_count; i++)
        draw_panel(m, svg, i, sweep_picture_place(i, m->columns, top + note + KEY - 10, height));
    svg_end(svg);
}

int sweep_map_draw(const struct sweep_view *v, const struct sweep_picture *p, struct svg *svg,
                   struct why *why)
{
    struct map m = {.view = v, .picture = p, .x = &v->varied[p->x], .y = &v->varied[p->y]};
    m.others = sweep_view_others(v, p->x, p->y);
    int status = sweep_view_group(v, &m.others, SIZE_MAX, &m.panels, why);
    if (status)
        return status;
    m.sparse = 2 * v->machine_count < m.x->value_count * m.y->value_count * m.panels.count;
    m.panel_count = m.sparse ? 1 : m.panels.count < PANELS_MOST ? m.panels.count : PANELS_MOST;
    m.columns = m.panel_count == 1 ? 1 : m.panel_count == 2 || m.panel_count == 4 ? 2 : 3;
    m.relative = sweep_picture_is_relative(v, p, p->measures[0]);
    m.scale = sweep_picture_scale(v, m.relative, p->measures[0]);
    find_ends(&m);
    draw_all(&m, svg);
    sweep_groups_destroy(&m.panels);
    return 0;
}
