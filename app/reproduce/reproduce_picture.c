#include "app/reproduce/reproduce_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/draw/figure.h"

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

enum { MEASURED, SIMULATED, PRINTED, STYLES = PRINTED + DOR2010_FIGURES };

static const struct figure_style styles[STYLES] = {
    [MEASURED] = {"measured on the machine", SVG_BLUE, FIGURE_LINE, SVG_DISC},
    [SIMULATED] = {"simulated", SVG_INK, FIGURE_MARK, SVG_DISC},
    [PRINTED + DOR2010_FIGURE_12] = {"printed, M/M/1/K (Dor) in four stages (Figure 12)", SVG_ORANGE,
                                     FIGURE_MARK, SVG_SQUARE},
    [PRINTED + DOR2010_FIGURE_15] = {"in five (15)", SVG_GREEN, FIGURE_MARK, SVG_DIAMOND},
    [PRINTED + DOR2010_FIGURE_17] = {"M/M/1 (17)", SVG_VERMILION, FIGURE_MARK, SVG_TRIANGLE},
};

/* Pixels below the middle of the row, so that marks of equal values can be seen. */
static const double down[STYLES] = {[SIMULATED] = 3,
                                    [PRINTED + DOR2010_FIGURE_12] = -4,
                                    [PRINTED + DOR2010_FIGURE_15] = 9,
                                    [PRINTED + DOR2010_FIGURE_17] = -10};

/* A row whose measured value is 0, or near to it, has no ratios. */
static void write_numbers(const struct reproduced_run *run, const struct figure *f, enum replay_cell cell,
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
    svg_text(f->svg, f->x.from + 8, y + 4, 11, SVG_START, "f2", text);
}

static void draw_machine_row(const struct reproduced_run *run, struct figure *f, enum replay_cell cell,
                             double y)
{
    enum machine_quantity quantity = replay_cell_quantity(cell);
    struct dor2010_number measured = dor2010_measured(run->inside.run, quantity);
    const struct estimate *e = &run->result.cells[cell];
    const char *unit = machine_quantities[quantity].unit;
    svg_line(f->svg, 12, y + ROW / 2, f->x.to, y + ROW / 2, "s4 thin");
    svg_text(f->svg, 12, y + 4, 12, SVG_START, "bold", machine_quantities[quantity].name);
    svg_textf(f->svg, LEFT - 12, y + 4, 11, SVG_END, "f2", "%s %s", measured.text,
              strcmp(unit, "1") == 0 ? "" : unit);
    if (!(measured.value > 0)) {
        write_numbers(run, f, cell, y);
        return;
    }
    figure_rule(f, 1, y, ROW / 2, "s6 w2");
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        struct dor2010_number n = dor2010_predicted(run->inside.run, quantity, (enum dor2010_figure)figure);
        if (n.text)
            figure_mark(f, n.value / measured.value, y + down[PRINTED + figure], 3.6,
                        &styles[PRINTED + figure], "Figure %d prints %s, measured %s",
                        dor2010_figure_number((enum dor2010_figure)figure), n.text, measured.text);
    }
    figure_mark(f, e->mean / measured.value, y + down[SIMULATED], 4, &styles[SIMULATED],
                "simulated %.4g ± %.2g, measured %.4g: %+.1f%%", e->mean, e->half_width, measured.value,
                100 * replay_report_difference(&run->replay, cell));
}

static double machine_panel_height(void)
{
    return HEAD + ROW * REPLAY_CELLS + FOOT;
}

static void draw_machine_panel(const struct reproduced_run *run, double top, struct svg *svg)
{
    struct figure f = {svg, figure_axis_logarithmic(RATIO_LEAST, RATIO_MOST, "value / measured value [1]")};
    f.x.inset = true;
    svg_text(svg, 12, top + 14, 13, SVG_START, "bold", run->options.scenario->title);
    svg_text(svg, LEFT - 12, top + HEAD - 2, 11, SVG_END, "f2", "measured");
    figure_open(&f, LEFT, top + HEAD + 2, FIGURE_WIDTH - LEFT - RIGHT, ROW * REPLAY_CELLS);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        draw_machine_row(run, &f, (enum replay_cell)cell, top + HEAD + 2 + ROW * (cell + 0.5));
    figure_say_ends(&f);
}

void reproduce_picture_draw_machine(const void *runs, struct svg *svg)
{
    const struct reproduced_runs *r = runs;
    svg_begin(svg, FIGURE_WIDTH, KEY + r->count * machine_panel_height(),
              "Printed predictions and simulated values divided by the values that were measured");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, styles, STYLES);
    for (unsigned i = 0; i < r->count; i++)
        draw_machine_panel(&r->runs[i], KEY + i * machine_panel_height(), svg);
    svg_end(svg);
}

/* --- the formulas ---------------------------------------------------------------------------------------- */

static const double NAMES = 130, PRINTED_WIDTH = 62, LINE = 21, GROUP = 30;
static const double PERCENT_MOST = 10;

static const struct figure_style formula_styles[] = {
    {"rounding of the printed number", SVG_BLUE, FIGURE_AREA, SVG_DISC},
    {"computed, inputs inside their printed rounding", SVG_INK, FIGURE_MARK, SVG_DISC},
    {"computed, inputs as printed", SVG_VERMILION, FIGURE_RING, SVG_DIAMOND},
};

static double height_of_figures(void)
{
    return (double)dor2010_cell_count * LINE + DOR2010_FIGURES * GROUP;
}

/* The middle of a cell's row below the top of the chart. */
static double row_of(size_t i)
{
    return ((double)i + 0.5) * LINE + GROUP * (dor2010_cells[i].figure + 1);
}

static void draw_difference(struct figure *f, const struct reproduced_cell *cell, double y,
                            const struct figure_style *style)
{
    double difference = 100 * (cell->ours - cell->printed) / cell->printed;
    figure_mark(f, difference, y, 3.6, style, "computed %.6g, printed %.6g: %+.3g%%; the number is %s",
                cell->ours, cell->printed, difference, cell->admitted ? "admitted" : "not admitted");
}

static void draw_formula_row(const struct reproduced_run *run, struct figure *f, size_t i)
{
    const struct reproduced_cell *inside = &run->inside.cells[i];
    double y = f->y.to + row_of(i), half = 100 * inside->half_unit / inside->printed;
    svg_text(f->svg, f->x.from - 8, y + 4, 11, SVG_END, "f2", dor2010_cells[i].predicted[run->inside.run]);
    svg_line(f->svg, f->x.from - PRINTED_WIDTH, y + LINE / 2, f->x.to, y + LINE / 2, "s4 thin");
    if (inside->printed == 0) {
        svg_textf(f->svg, f->x.from + 8, y + 4, 11, SVG_START, "f2", "computed %.2g, which %s 0",
                  inside->ours, inside->admitted ? "rounds to" : "is not");
        return;
    }
    figure_bar(f, -half, half, y, 12, 1, "f6 half", NULL);
    draw_difference(f, &run->as_printed.cells[i], y, &formula_styles[2]);
    draw_difference(f, inside, y, &formula_styles[1]);
}

static void draw_formula_panel(const struct reproduced_run *run, double left, double width, struct svg *svg)
{
    struct figure f = {
        svg, {.least = -PERCENT_MOST, .most = PERCENT_MOST, .title = "(computed - printed) / printed [%]"}};
    svg_textf(svg, left + PRINTED_WIDTH, KEY + 14, 13, SVG_START, "bold", "Run %d", run->inside.run + 1);
    svg_text(svg, left + PRINTED_WIDTH - 8, KEY + 14, 11, SVG_END, "f2", "printed");
    figure_open(&f, left + PRINTED_WIDTH, KEY + 22, width - PRINTED_WIDTH - RIGHT, height_of_figures());
    for (size_t i = 0; i < dor2010_cell_count; i++)
        draw_formula_row(run, &f, i);
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

void reproduce_picture_draw_formulas(const void *runs, struct svg *svg)
{
    const struct reproduced_runs *r = runs;
    double width = (FIGURE_WIDTH - NAMES) / fmax(r->count, 1);
    svg_begin(svg, FIGURE_WIDTH, KEY + 22 + height_of_figures() + FOOT - 12,
              "Differences between computed and printed predictions in per cent");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, formula_styles, 3);
    draw_formula_names(svg);
    for (unsigned i = 0; i < r->count; i++)
        draw_formula_panel(&r->runs[i], NAMES + i * width, width, svg);
    svg_end(svg);
}
