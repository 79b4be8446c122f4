#include "app/reproduce/reproduce_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/draw/chart.h"
#include "app/report/report_part.h"

enum replay_cell reproduce_picture_cell(const struct dor2010_cell *cell)
{
    unsigned found = 0;
    while (found < REPLAY_CELLS && dor2010_find_cell(replay_cell_quantity(found), cell->figure) != cell)
        found++;
    return (enum replay_cell)found;
}

/* --- the machine ----------------------------------------------------------------------------------------- */

static const double LEFT = 250, RIGHT = 24, KEY = 34, HEAD = 40, ROW = 30, FOOT = 62;

/* Values beyond these multiples of what was measured stand at the end of the axis. */
static const double RATIO_LEAST = 0.01, RATIO_MOST = 100;

static const struct {
    enum svg_shape shape;
    enum svg_colour colour;
    double down; /* pixels below the middle of the row, so that marks of equal values can be seen */
    const char *text;
} marks[DOR2010_FIGURES] = {
    [DOR2010_FIGURE_12] = {SVG_SQUARE, SVG_ORANGE, -4, "printed, M/M/1/K (Dor) in four stages (Figure 12)"},
    [DOR2010_FIGURE_15] = {SVG_DIAMOND, SVG_GREEN, 9, "in five (15)"},
    [DOR2010_FIGURE_17] = {SVG_TRIANGLE, SVG_VERMILION, -10, "M/M/1 (17)"},
};

static void draw_machine_key(struct svg *svg)
{
    struct chart_legend_entry entries[DOR2010_FIGURES + 2] = {
        {"measured on the machine", SVG_BLUE, CHART_KEY_LINE},
        {"simulated", SVG_INK, CHART_KEY_MARK, SVG_DISC},
    };
    for (unsigned i = 0; i < DOR2010_FIGURES; i++)
        entries[i + 2] =
            (struct chart_legend_entry){marks[i].text, marks[i].colour, CHART_KEY_MARK, marks[i].shape};
    chart_draw_legend(svg, 12, 4, REPORT_WIDTH - 24, entries, DOR2010_FIGURES + 2);
}

static double place_ratio(const struct chart *c, double ratio)
{
    return ratio < RATIO_LEAST  ? c->x.from + 1.5
           : ratio > RATIO_MOST ? c->x.to - 1.5
                                : chart_place(&c->x, ratio);
}

/* A row whose measured value is 0, or near to it, has no ratios. */
static void write_numbers(const struct reproduced_run *run, const struct chart *c, enum replay_cell cell,
                          double y)
{
    char text[160];
    size_t length = (size_t)snprintf(text, sizeof text, "simulated %.3g; predicted in print",
                                     run->result.cells[cell].mean);
    const char *between = "";
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        struct dor2010_number n =
            dor2010_predicted(run->inside.run, replay_cell_quantity(cell), (enum dor2010_figure)figure);
        if (!n.text)
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s (Figure %d)", between, n.text,
                                   dor2010_figure_number((enum dor2010_figure)figure));
        between = ",";
    }
    svg_text(c->svg, c->x.from + 8, y + 4, 11, SVG_START, "f2", text);
}

static void draw_simulated(const struct reproduced_run *run, const struct chart *c, enum replay_cell cell,
                           double y, double measured)
{
    const struct estimate *e = &run->result.cells[cell];
    char tip[160];
    snprintf(tip, sizeof tip, "simulated %.4g ± %.2g, measured %.4g: %+.1f%%", e->mean, e->half_width,
             measured, 100 * replay_report_difference(&run->replay, cell));
    svg_mark(c->svg, place_ratio(c, e->mean / measured), y + 3, 4, SVG_DISC, SVG_INK, false, tip);
}

static void draw_machine_row(const struct reproduced_run *run, const struct chart *c, enum replay_cell cell,
                             double y)
{
    enum machine_quantity quantity = replay_cell_quantity(cell);
    struct dor2010_number measured = dor2010_measured(run->inside.run, quantity);
    const char *unit = machine_quantities[quantity].unit;
    svg_line(c->svg, 12, y + ROW / 2, c->x.to, y + ROW / 2, "s4 thin");
    svg_text(c->svg, 12, y + 4, 12, SVG_START, "bold", machine_quantities[quantity].name);
    svg_textf(c->svg, LEFT - 12, y + 4, 11, SVG_END, "f2", "%s %s", measured.text,
              strcmp(unit, "1") == 0 ? "" : unit);
    if (!(measured.value > 0)) {
        write_numbers(run, c, cell, y);
        return;
    }
    svg_line(c->svg, chart_place(&c->x, 1), y - ROW / 2, chart_place(&c->x, 1), y + ROW / 2, "s6 w2");
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        struct dor2010_number n = dor2010_predicted(run->inside.run, quantity, (enum dor2010_figure)figure);
        char tip[120];
        if (!n.text)
            continue;
        snprintf(tip, sizeof tip, "Figure %d prints %s, measured %s",
                 dor2010_figure_number((enum dor2010_figure)figure), n.text, measured.text);
        svg_mark(c->svg, place_ratio(c, n.value / measured.value), y + marks[figure].down, 3.6,
                 marks[figure].shape, marks[figure].colour, false, tip);
    }
    draw_simulated(run, c, cell, y, measured.value);
}

static double machine_panel_height(void)
{
    return HEAD + ROW * REPLAY_CELLS + FOOT;
}

static void draw_machine_panel(const struct reproduced_run *run, double top, struct svg *svg)
{
    struct chart c = {svg,
                      chart_axis_logarithmic(RATIO_LEAST, RATIO_MOST, "value / measured value [1]"),
                      {.most = 1, .bare = true}};
    svg_text(svg, 12, top + 14, 13, SVG_START, "bold", run->options.scenario->title);
    svg_text(svg, LEFT - 12, top + HEAD - 2, 11, SVG_END, "f2", "measured");
    chart_put(&c, LEFT, top + HEAD + 2, REPORT_WIDTH - LEFT - RIGHT, ROW * REPLAY_CELLS);
    chart_draw_axes(&c);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        draw_machine_row(run, &c, (enum replay_cell)cell, top + HEAD + 2 + ROW * (cell + 0.5));
    svg_text(svg, c.x.from + 2, c.y.from + 33, 11, SVG_START, "f2", "◀ and below");
    svg_text(svg, c.x.to, c.y.from + 33, 11, SVG_END, "f2", "and above ▶");
}

void reproduce_picture_draw_machine(const struct reproduced_run *runs, unsigned count, struct svg *svg)
{
    svg_begin(svg, REPORT_WIDTH, KEY + count * machine_panel_height(),
              "Printed predictions and simulated values divided by the values that were measured");
    draw_machine_key(svg);
    for (unsigned i = 0; i < count; i++)
        draw_machine_panel(&runs[i], KEY + i * machine_panel_height(), svg);
    svg_end(svg);
}

/* --- the formulas ---------------------------------------------------------------------------------------- */

static const double NAMES = 130, PRINTED = 62, LINE = 21, GROUP = 30;
static const double PERCENT_MOST = 10;

static void draw_formula_key(struct svg *svg)
{
    static const struct chart_legend_entry entries[] = {
        {"rounding of the printed number", SVG_BLUE, CHART_KEY_AREA},
        {"computed, inputs inside their printed rounding", SVG_INK, CHART_KEY_MARK, SVG_DISC},
        {"computed, inputs as printed", SVG_VERMILION, CHART_KEY_OPEN_MARK, SVG_DIAMOND},
    };
    chart_draw_legend(svg, 12, 4, REPORT_WIDTH - 24, entries, 3);
}

static double height_of_figures(void)
{
    return (double)dor2010_cell_count * LINE + DOR2010_FIGURES * GROUP;
}

/* The middle of a cell's row below the top of the chart. */
static double row_of(size_t i)
{
    return ((double)i + 0.5) * LINE + GROUP * (dor2010_cells[i].figure + 1);
}

static double percent(double value, const struct reproduced_cell *cell)
{
    return 100 * (value - cell->printed) / cell->printed;
}

static void draw_difference(const struct chart *c, const struct reproduced_cell *cell, double y,
                            enum svg_shape shape, enum svg_colour colour, bool open)
{
    char tip[120];
    double difference = percent(cell->ours, cell);
    snprintf(tip, sizeof tip, "computed %.6g, printed %.6g: %+.3g%%; the number is %s", cell->ours,
             cell->printed, difference, cell->admitted ? "admitted" : "not admitted");
    svg_mark(c->svg, chart_place(&c->x, difference), y, 3.6, shape, colour, open, tip);
}

static void draw_formula_row(const struct reproduced_run *run, const struct chart *c, size_t i)
{
    const struct reproduced_cell *inside = &run->inside.cells[i];
    double y = c->y.to + row_of(i), half = 100 * inside->half_unit / inside->printed;
    svg_text(c->svg, c->x.from - 8, y + 4, 11, SVG_END, "f2", dor2010_cells[i].predicted[run->inside.run]);
    svg_line(c->svg, c->x.from - PRINTED, y + LINE / 2, c->x.to, y + LINE / 2, "s4 thin");
    if (inside->printed == 0) {
        svg_textf(c->svg, c->x.from + 8, y + 4, 11, SVG_START, "f2", "computed %.2g, which %s 0",
                  inside->ours, inside->admitted ? "rounds to" : "is not");
        return;
    }
    double low = chart_place(&c->x, -half), high = chart_place(&c->x, half);
    svg_rectangle(c->svg, low, y - 6, fmax(high - low, 1), 12, "f6 half", NULL);
    draw_difference(c, &run->as_printed.cells[i], y, SVG_DIAMOND, SVG_VERMILION, true);
    draw_difference(c, inside, y, SVG_DISC, SVG_INK, false);
}

static void draw_formula_panel(const struct reproduced_run *run, double left, double width, struct svg *svg)
{
    struct chart c = {
        svg,
        {.least = -PERCENT_MOST, .most = PERCENT_MOST, .title = "(computed - printed) / printed [%]"},
        {.most = 1, .bare = true}};
    svg_textf(svg, left + PRINTED, KEY + 14, 13, SVG_START, "bold", "Run %d", run->inside.run + 1);
    svg_text(svg, left + PRINTED - 8, KEY + 14, 11, SVG_END, "f2", "printed");
    chart_put(&c, left + PRINTED, KEY + 22, width - PRINTED - RIGHT, height_of_figures());
    chart_draw_axes(&c);
    for (size_t i = 0; i < dor2010_cell_count; i++)
        draw_formula_row(run, &c, i);
}

static void draw_formula_names(struct svg *svg)
{
    static const char *const models[DOR2010_FIGURES] = {"Figure 12", "Figure 15", "Figure 17"};
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        double y = KEY + 22 + row_of(i);
        if (i == 0 || dor2010_cells[i].figure != dor2010_cells[i - 1].figure)
            svg_text(svg, 12, y - LINE / 2 - 6, 12, SVG_START, "bold", models[dor2010_cells[i].figure]);
        svg_text(svg, 12, y + 4, 12, SVG_START, "", dor2010_cells[i].parameter);
    }
}

void reproduce_picture_draw_formulas(const struct reproduced_run *runs, unsigned count, struct svg *svg)
{
    double width = (REPORT_WIDTH - NAMES) / fmax(count, 1);
    svg_begin(svg, REPORT_WIDTH, KEY + 22 + height_of_figures() + FOOT - 12,
              "Differences between computed and printed predictions in per cent");
    draw_formula_key(svg);
    draw_formula_names(svg);
    for (unsigned i = 0; i < count; i++)
        draw_formula_panel(&runs[i], NAMES + i * width, width, svg);
    svg_end(svg);
}
