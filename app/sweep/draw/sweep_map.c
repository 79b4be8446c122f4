/* A measure in colours over two varied numbers (sweep_picture.h).
 *
 * Cells     one for each pair of values, with the measure in it if there is room; pairs without a machine stay blank.
 *           If most pairs have none, as in a sample, machines are marks on axes instead.
 * Scale     from the least to the greatest value. A sentence says by how much they differ, since colours do not; values
 *           that differ by no more than SWEEP_SAME have one colour, and no scale.
 */
#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>

/* Pixels. */
static const double KEY = 40, NOTE = 20;
static const double CELL_LEAST = 13, CELL_MOST = 34, LETTERS = 10.5, NAMES = 11;
static const double LEFT_LEAST = 96;         /* for the names of rows, and their title */
static const double CELLS_LEAST = 220;       /* beside them: of short names, three panels are in a row */
static const double FEW = 0.05, FINE = 0.01; /* changes below which a sentence and labels are other ones */

struct map {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    const struct sweep_varied *x, *y;
    struct sweep_panels panels;
    bool sparse;
    struct sweep_scale scale;
    double low, high, change; /* ends of the ramp, and the share by which they differ */
    struct svg *svg;
};

static double value_of(const struct map *m, size_t row)
{
    return sweep_scale_value(&m->scale, m->view, row);
}

static double share_of(const struct map *m, double value)
{
    return m->change > SWEEP_SAME ? (value - m->low) / (m->high - m->low) : 1;
}

/* Three digits, five if all values are nearly the same; of percentages so many that 99.96 is not 100. */
static struct shown label_of(const struct map *m, double value)
{
    const bool fine = m->change > SWEEP_SAME && m->change < FINE && value >= 1 && value < 1e4;
    if (!m->scale.relative && !fine)
        return fabs(value) < 1e5 && fabs(value) > 0.001 ? figure_plain_label(value) : figure_label(value);
    return shown_text(fine ? "%#.5g" : "%.1f", !fine && value > 99.9 && value < 100 ? 99.9 : value);
}

/* A rectangle in the colour of a machine's measure. */
static void draw_coloured(const struct map *m, size_t row, double x, double y, double width, double height)
{
    svg_rectangle(m->svg, x, y, width, height, svg_ramp_class('h', share_of(m, value_of(m, row))).text,
                  sweep_scale_tip(&m->scale, m->view, row).text);
}

/* --- cells ----------------------------------------------------------------------------------------------- */

static void draw_cell(const struct map *m, size_t row, double x, double y, double width, double height)
{
    double value = value_of(m, row);
    if (isnan(value))
        return;
    draw_coloured(m, row, x, y, width, height);
    const struct shown label = label_of(m, value);
    if (svg_text_width(label.text, LETTERS) + 4 <= width && height >= CELL_LEAST)
        svg_text(m->svg, x + width / 2, y + height / 2 + 4, LETTERS, SVG_MIDDLE,
                 svg_ramp_class('t', share_of(m, value)).text, label.text);
    if (sweep_picture_mark(m->picture, row))
        svg_rectangle(m->svg, x + 1, y + 1, width - 2, height - 2, "s7 w3", NULL);
}

/* The names of rows and columns: as many as have room. */
static void draw_cells(const struct map *m, size_t panel, struct sweep_panel at)
{
    const struct sweep_groups *panels = &m->panels.groups;
    const double bottom = at.top + at.height, width = at.width / (double)m->x->value_count,
                 height = at.height / (double)m->y->value_count;
    double widest = 0; /* name of a column */
    for (size_t i = 0; i < m->x->value_count; i++)
        widest = fmax(widest, svg_text_width(sweep_view_value(m->view, m->picture->x, i), NAMES));
    const size_t every_x = (size_t)ceil((widest + 8) / width), every_y = (size_t)ceil(13 / height);
    svg_rectangle(m->svg, at.left, at.top, at.width, at.height, "f5", NULL);
    for (size_t i = panels->begins[panel]; i < panels->begins[panel + 1]; i++) {
        size_t row = panels->rows[i];
        draw_cell(m, row, at.left + width * (double)m->x->ranks[row],
                  bottom - height * (double)(m->y->ranks[row] + 1), width, height);
    }
    for (size_t i = 0; i < m->x->value_count; i += every_x)
        svg_text(m->svg, at.left + width * ((double)i + 0.5), bottom + 15, NAMES, SVG_MIDDLE, "f2",
                 sweep_view_value(m->view, m->picture->x, i));
    for (size_t i = 0; i < m->y->value_count; i += every_y)
        svg_text(m->svg, at.left - 6, bottom - height * ((double)i + 0.5) + 4, NAMES, SVG_END, "f2",
                 sweep_view_value(m->view, m->picture->y, i));
}

/* --- marks ----------------------------------------------------------------------------------------------- */

static void draw_marks(const struct map *m, struct sweep_panel at)
{
    struct figure f = {.svg = m->svg,
                       .x = sweep_scale_axis_along(m->picture, m->picture->x, NULL),
                       .y = sweep_scale_axis_along(m->picture, m->picture->y, NULL)};
    figure_open(&f, at.left, at.top, at.width, at.height);
    for (size_t i = 0; i < m->view->machine_count; i++) {
        const size_t row = m->view->machines[i];
        if (isnan(value_of(m, row)))
            continue;
        double x = figure_x(&f, sweep_view_place(m->view, m->picture->x, row)) - 5,
               y = figure_y(&f, sweep_view_place(m->view, m->picture->y, row)) - 5;
        draw_coloured(m, row, x, y, 10, 10);
        svg_rectangle(m->svg, x, y, 10, 10, "s3 thin", NULL);
    }
}

/* --- the picture ----------------------------------------------------------------------------------------- */

/* The ramp with its ends, at the right of the title, and what the colours cannot say. */
static void draw_key(const struct map *m, double top)
{
    static const double STEP = 16;
    const struct shown low = label_of(m, m->low), high = label_of(m, m->high);
    const bool few = m->change < FEW;
    char what[SWEEP_TITLE_BYTES + 40]; /* at the left, where a phone shows it */
    if (m->change <= SWEEP_SAME) {
        svg_textf(m->svg, 16, top + 12, 12, SVG_START, "", "%s: %s at all points, no change", m->scale.title,
                  high.text);
        return;
    }
    snprintf(what, sizeof what, few ? "%s changes by %.2g%% only" : "%s", m->scale.title, 100 * m->change);
    svg_text(m->svg, 16, top + 12, 12, SVG_START, few ? "bold" : "", what);
    double left = 16 + (few ? 1.1 : 1) * svg_text_width(what, 12) + 12;
    svg_text(m->svg, left, top + 12, 12, SVG_START, "", low.text);
    left += svg_text_width(low.text, 12) + 6;
    for (int i = 0; i < SVG_RAMP; i++)
        svg_rectangle(m->svg, left + STEP * i, top + 2, STEP, 12,
                      svg_ramp_class('h', (i + 0.5) / SVG_RAMP).text, NULL);
    left += STEP * SVG_RAMP + 6;
    svg_text(m->svg, left, top + 12, 12, SVG_START, "", high.text);
}

static const char *title_of(const struct map *m, size_t varied, char text[SWEEP_TITLE_BYTES])
{
    const size_t column = m->view->varied[varied].column;
    snprintf(text, SWEEP_TITLE_BYTES, "%s",
             column < SWEEP_TABLE_INPUTS ? sweep_view_name(m->view, varied)
                                         : sweep_scale_of(column, 1).title);
    return text;
}

static void draw_panel(const struct map *m, size_t panel, double top)
{
    const struct sweep_panel at = sweep_panels_place(&m->panels, panel, top);
    char title[SWEEP_TITLE_BYTES];
    if (m->sparse)
        draw_marks(m, at);
    else
        sweep_panels_head(&m->panels, m->svg, panel, at, SWEEP_BOTH);
    if (!m->sparse && m->panels.group[panel] != SIZE_MAX)
        draw_cells(m, m->panels.group[panel], at);
    if (sweep_panels_has_title(&m->panels, panel, true))
        svg_text(m->svg, at.left + at.width / 2, at.top + at.height + 34, 12, SVG_MIDDLE, "",
                 title_of(m, m->picture->x, title));
    if (sweep_panels_has_title(&m->panels, panel, false))
        svg_text_upwards(m->svg, at.left - m->panels.around.left + 26, at.top + at.height / 2, 12,
                         title_of(m, m->picture->y, title));
}

static void draw_all(const struct map *m)
{
    const size_t all = m->panels.groups.count;
    const double note = all > m->panels.drawn ? NOTE : 0;
    const double top = sweep_picture_begin(m->picture, m->svg, note + KEY + sweep_panels_height(&m->panels));
    if (m->sparse && all > 1)
        svg_text(m->svg, 16, top + 12, 12, SVG_START, "f2",
                 "Each mark is a machine of its own; they differ in more numbers than these two.");
    else
        sweep_panels_say_left_out(&m->panels, m->svg, top);
    draw_key(m, top + note);
    for (size_t i = 0; i < m->panels.shown; i++)
        draw_panel(m, i, top + note + KEY - 10);
    svg_end(m->svg);
}

void sweep_map_draw(const struct sweep_picture *p, struct svg *svg)
{
    const struct sweep_view *v = p->view;
    struct map m = {.view = v, .picture = p, .x = &v->varied[p->x], .y = &v->varied[p->y], .svg = svg};
    const size_t rows = m.y->value_count;
    double left = LEFT_LEAST;
    for (size_t i = 0; i < rows; i++)
        left = fmax(left, fmin(svg_text_width(sweep_view_value(v, p->y, i), NAMES) + 44, FIGURE_WIDTH / 2));
    m.panels = sweep_panels_arrange(v, ~(sweep_set_of(p->x) | sweep_set_of(p->y)),
                                    (size_t)(FIGURE_WIDTH / (left + CELLS_LEAST)),
                                    (struct sweep_margins){left, 16, 24, 46});
    m.sparse = 2 * v->machine_count < m.x->value_count * rows * m.panels.groups.count;
    if (m.sparse) {
        m.panels.across = 0;
        m.panels.around.left = LEFT_LEAST;
        m.panels.shown = m.panels.drawn = m.panels.columns = 1;
    }
    const double cell = fmin(fmax(300 / (double)rows, CELL_LEAST), CELL_MOST);
    m.panels.height =
        m.panels.around.top + m.panels.around.bottom + (m.sparse ? 380 : fmin(cell * (double)rows, 620));
    m.scale = sweep_scale_for(v, p, p->measures[0]);
    m.low = INFINITY, m.high = -INFINITY;
    for (size_t i = 0; i < v->machine_count; i++) {
        m.low = fmin(m.low, value_of(&m, v->machines[i]));
        m.high = fmax(m.high, value_of(&m, v->machines[i]));
    }
    m.change = m.high > m.low ? (m.high - m.low) / fmax(fabs(m.low), 1e-300) : 0;
    draw_all(&m);
    sweep_groups_destroy(&m.panels.groups);
}
