#include "app/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/figure.h"
#include "base/draw/page.h"
#include "base/draw/result_table.h"
#include "base/file/output.h"
#include "base/memory.h"
#include "base/shown.h"
#include "base/why.h"
#include "model/model_error.h"
#include "validate/dor2010.h"
#include "app/replay/replay.h"
#include "app/replay/replay_report.h"
#include "app/reproduce/published.h"
#include "app/run/run_output.h"
#include "app/options.inc"
#include "app/prose.inc"

enum publication { DOR2010, FRENKEL, LEONARDS2023, TIMETRIAL2011, PUBLICATIONS };

static const struct command_word publications[] = {
    {"dor2010", NULL}, {"frenkel", NULL}, {"leonards2023", NULL}, {"timetrial2011", NULL}, {NULL, NULL}};

struct arguments {
    unsigned run; /* 1 or 2; 0: both */
    bool as_printed, tsv, quiet;
    const char *report; /* NULL if not given */
    uint64_t seed;      /* 0 if not given */
    enum publication publication;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static const char *const run_names[] = {"both", "1", "2", NULL};
static const char *const format_names[] = {"text", "tsv", NULL};

static const struct command_option options[] = COMMAND_OPTIONS(REPRODUCE_OPTIONS);

/* Options that only one publication takes. */
static int check_options(const struct arguments *a)
{
    const char *other = a->run ? "--run" : a->as_printed ? "--as-printed" : a->report ? "--report" : NULL;
    if (a->publication != DOR2010 && other)
        return why_refuse(a->why, "%s is an option of dor2010; %s takes %s--format", other,
                          publications[a->publication].name, a->publication == FRENKEL ? "--seed and " : "");
    if (a->publication != FRENKEL && a->seed)
        return why_refuse(a->why, "--seed is an option of frenkel; nothing random is in %s",
                          publications[a->publication].name);
    return 0;
}

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    int status = command_parse("reproduce", options, argc, argv, 1, a, a->why);
    if (status)
        return status;
    if (optind == argc)
        return why_refuse(
            a->why,
            "needs a publication: mercury reproduce dor2010, frenkel, leonards2023 or timetrial2011; see "
            "mercury help reproduce");
    for (a->publication = DOR2010; a->publication < PUBLICATIONS; a->publication++)
        if (strcmp(argv[optind], publications[a->publication].name) == 0)
            return check_options(a);
    return why_refuse(a->why,
                      "no such publication '%.60s': expected dor2010, frenkel, leonards2023 or timetrial2011",
                      argv[optind]);
}

/* --- output ---------------------------------------------------------------------------------------------- */

enum { TEXT_COLUMNS = 7, TSV_COLUMNS = 11 };

/* @param title  of a text; NULL: none; @param widths  borrowed, as title */
static struct result_table *reproduction_inputs(const struct reproduction *r, const char *title,
                                                const int widths[4])
{
    static const char *const columns[] = {"input", "unit", "printed", "used"};
    struct result_table *table = result_table_new_styled(
        columns, 4, &(struct result_style){.title = title, .widths = widths, .text_number = "%.10g"});
    for (int i = 0; i < DOR2010_INPUTS; i++)
        result_table_add(table, TEXT(dor2010_inputs[i].name), TEXT(dor2010_inputs[i].unit),
                         TEXT(dor2010_inputs[i].value[r->run]), NUMBER(r->inputs[i]));
    return table;
}

static const char *measured_text(const struct dor2010_cell *cell, const struct reproduction *r,
                                 const char *none)
{
    return cell->measured[r->run] ? cell->measured[r->run] : none;
}

static void note_1bd(const struct reproduction *r, struct result_table *table)
{
    char text[REPRODUCTION_NOTE_BYTES];
    if (r->run == DOR2010_RUN_2)
        result_table_note(table, "%s", reproduction_note_1bd(r, text));
}

static void write_text(const struct reproduction *r)
{
    static const char *const columns[] = {"fig.",     "parameter", "printed",          "ours",
                                          "measured", "admitted",  "by rounding alone"};
    static const int widths[] = {-4, -10, 7, 11, -8, -8, -1};
    result_table_end(
        reproduction_inputs(r, shown_text("run %d", r->run + 1).text, (const int[]){-10, -9, -9, -1}),
        RESULT_TEXT, stdout);
    struct result_table *table = result_table_new_styled(
        columns, TEXT_COLUMNS, &(struct result_style){.title = "", .widths = widths, .text_number = "%.6g"});
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        const struct reproduced_cell *c = &r->cells[i];
        const struct dor2010_cell *cell = c->cell;
        char range[160], least[SHOWN_BYTES], most[SHOWN_BYTES];
        snprintf(range, sizeof range, "%s .. %s", shown_number(c->least, "%.5g", least),
                 shown_number(c->most, "%.5g", most));
        result_table_add(table, TEXT(shown_text("%d", dor2010_figures[cell->figure].number).text),
                         TEXT(cell->parameter), TEXT(c->printed.text), NUMBER(c->ours),
                         TEXT(measured_text(cell, r, "N/A")), TEXT(c->admitted ? "yes" : "NO"), TEXT(range));
    }
    result_table_note(table, "%zu of %zu cells admitted", r->cell_count - r->not_admitted, r->cell_count);
    note_1bd(r, table);
    putchar('\n');
    result_table_end(table, RESULT_TEXT, stdout);
}

static void write_tsv(const struct reproduction *r, bool first)
{
    static const char *const columns[] = {"run",  "figure",   "parameter", "unit",           "printed",
                                          "ours", "measured", "admitted",  "admitted_alone", "least",
                                          "most"};
    struct result_table *table = result_table_new_styled(
        columns, TSV_COLUMNS, &(struct result_style){.tsv_number = "%.12g", .goes_on = !first});
    for (int i = 0; i < DOR2010_INPUTS; i++)
        result_table_note(table, "run %d: %s printed %s %s, used %.17g", r->run + 1, dor2010_inputs[i].name,
                          dor2010_inputs[i].value[r->run], dor2010_inputs[i].unit, r->inputs[i]);
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        const struct reproduced_cell *c = &r->cells[i];
        const struct dor2010_cell *cell = c->cell;
        result_table_add(table, NUMBER(r->run + 1), NUMBER(dor2010_figures[cell->figure].number),
                         TEXT(cell->parameter), TEXT(cell->unit), TEXT(c->printed.text), NUMBER(c->ours),
                         TEXT(measured_text(cell, r, "NA")), TEXT(c->admitted ? "yes" : "no"),
                         TEXT(c->admitted_alone ? "yes" : "no"), NUMBER(c->least), NUMBER(c->most));
    }
    note_1bd(r, table);
    result_table_end(table, RESULT_TSV, stdout);
}

static bool is_wanted(const struct arguments *a, int run)
{
    return a->run == 0 || a->run == (unsigned)run + 1;
}

/* --- the page: the runs ---------------------------------------------------------------------------------- */

/* The page of the published runs: printed predictions and measurements beside what the formulas and the simulated
 * machine give, as pictures and as numbers, with marks where printed numbers do not hold.
 *
 * Simulated the runs are replayed on the machine as published (dor2010) by random seeds with their fractions, as by
 *           `mercury replay --machine dor2010`.
 * Machine   a row per measured quantity and run; the axis is value / measured value, so that quantities of any unit
 *           stand below each other. If 0 or about 0 was measured, the row has the numbers as text.
 * Formulas  a row per printed prediction; the axis is the difference in per cent, the band the printed rounding.
 * Ends      What is beyond the ends of an axis stands at the end.
 */

/* A published run: its predictions computed again, and its replay. */
struct reproduced_run {
    struct reproduction inside;     /* with inputs that were searched inside their printed rounding */
    struct reproduction as_printed; /* with the printed digits */
    struct replay_result result;
    struct replay_options options;
    struct replay_report replay; /* of result and options; without the models' validation */
    struct dor2010_mismatch mismatches[DOR2010_MISMATCHES_MAX];
    unsigned mismatch_count;
    char name[8], link[8]; /* of its section */
};

struct content {
    struct reproduced_run *runs;
    unsigned count;
};

static int make_run(enum dor2010_run number, const struct hardware *hardware, bool quiet,
                    struct reproduced_run *run, struct why *why)
{
    char name[32];
    int error = reproduction_make(number, false, &run->inside);
    if (error == 0)
        error = reproduction_make(number, true, &run->as_printed);
    if (error)
        return why_say(why, COMMAND_FAILED, "run %d: %s", number + 1, model_error_text(error));
    snprintf(name, sizeof name, "dor2010-run%d", number + 1);
    snprintf(run->name, sizeof run->name, "run%d", number + 1);
    snprintf(run->link, sizeof run->link, "Run %d", number + 1);
    run->mismatch_count = dor2010_find_mismatches(number, run->mismatches);
    run->options = (struct replay_options){.scenario = replay_find(name),
                                           .hardware = hardware,
                                           .seed = 1,
                                           .interval = 0.01,
                                           .most_clocks = UINT64_C(2000000000),
                                           .quiet = quiet};
    run->replay = (struct replay_report){
        .options = &run->options, .result = &run->result, .published = number, .tolerance = REPLAY_TOLERANCE};
    return replay_run(&run->options, &run->result, why);
}

/* The quantity of a row of a figure; MACHINE_QUANTITIES if it was not measured. */
static enum machine_quantity quantity_of(const struct dor2010_cell *cell)
{
    unsigned found = 0;
    while (found < MACHINE_QUANTITIES &&
           (!cell->measured[0] || dor2010_find_cell(found, cell->figure) != cell))
        found++;
    return (enum machine_quantity)found;
}

/* --- the picture of the machine ------------------------------------------------------------------------------ */

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
static void write_numbers(const struct reproduced_run *run, const struct figure *f,
                          enum machine_quantity quantity, double y)
{
    char text[160];
    size_t length = (size_t)snprintf(text, sizeof text, "simulated %.3g; predicted in print",
                                     run->result.of[quantity].mean);
    const char *between = "";
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        struct dor2010_number n = dor2010_predicted(run->inside.run, quantity, (enum dor2010_figure)figure);
        if (!n.text)
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s (Figure %d)", between, n.text,
                                   dor2010_figures[figure].number);
        between = ",";
    }
    svg_text(f->svg, f->x.from + 8, y + 4, 11, SVG_START, "f2", text);
}

static void draw_machine_row(const struct reproduced_run *run, struct figure *f,
                             enum machine_quantity quantity, double y)
{
    struct dor2010_number measured = dor2010_measured(run->inside.run, quantity);
    const struct estimate *e = &run->result.of[quantity];
    const char *unit = machine_quantities[quantity].unit;
    svg_line(f->svg, 12, y + ROW / 2, f->x.to, y + ROW / 2, "s4 thin");
    svg_text(f->svg, 12, y + 4, 12, SVG_START, "bold", machine_quantities[quantity].name);
    svg_textf(f->svg, LEFT - 12, y + 4, 11, SVG_END, "f2", "%s %s", measured.text,
              strcmp(unit, "1") == 0 ? "" : unit);
    if (!(measured.value > 0)) {
        write_numbers(run, f, quantity, y);
        return;
    }
    figure_rule(f, 1, y, ROW / 2, "s6 w2");
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        struct dor2010_number n = dor2010_predicted(run->inside.run, quantity, (enum dor2010_figure)figure);
        if (n.text)
            figure_mark(f, n.value / measured.value, y + down[PRINTED + figure], 3.6,
                        &styles[PRINTED + figure], "Figure %d prints %s, measured %s",
                        dor2010_figures[figure].number, n.text, measured.text);
    }
    figure_mark(f, e->mean / measured.value, y + down[SIMULATED], 4, &styles[SIMULATED],
                "simulated %.4g ± %.2g, measured %.4g: %+.1f%%", e->mean, e->half_width, measured.value,
                100 * replay_report_difference(&run->replay, quantity));
}

static double machine_panel_height(void)
{
    return HEAD + ROW * REPLAY_CELLS + FOOT;
}

static void draw_machine(const void *content, struct svg *svg)
{
    const struct content *r = content;
    svg_begin(svg, FIGURE_WIDTH, KEY + r->count * machine_panel_height(),
              "Printed predictions and simulated values divided by the values that were measured");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, styles, STYLES);
    for (unsigned i = 0; i < r->count; i++) {
        double top = KEY + i * machine_panel_height() + HEAD + 2;
        struct figure f = {svg,
                           figure_axis_logarithmic(RATIO_LEAST, RATIO_MOST, "value / measured value [1]")};
        f.x.inset = true;
        svg_text(svg, 12, top - HEAD + 12, 13, SVG_START, "bold", r->runs[i].options.scenario->title);
        svg_text(svg, LEFT - 12, top - 4, 11, SVG_END, "f2", "measured");
        figure_open(&f, LEFT, top, FIGURE_WIDTH - LEFT - RIGHT, ROW * REPLAY_CELLS);
        for (unsigned row = 0; row < REPLAY_CELLS; row++)
            draw_machine_row(&r->runs[i], &f, replay_cells[row], top + ROW * (row + 0.5));
        figure_say_ends(&f);
    }
    svg_end(svg);
}

/* --- the picture of the formulas ------------------------------------------------------------------------------ */

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

/* As a fraction of what is printed. */
static double difference_of(const struct reproduced_cell *cell)
{
    return (cell->ours - cell->printed.value) / cell->printed.value;
}

static void draw_difference(struct figure *f, const struct reproduced_cell *cell, double y,
                            const struct figure_style *style)
{
    figure_mark(f, 100 * difference_of(cell), y, 3.6, style,
                "computed %.6g, printed %.6g: %+.3g%%; the number is %s", cell->ours, cell->printed.value,
                100 * difference_of(cell), cell->admitted ? "admitted" : "not admitted");
}

static void draw_formula_row(const struct reproduced_run *run, struct figure *f, size_t i)
{
    const struct reproduced_cell *inside = &run->inside.cells[i];
    const struct dor2010_number *printed = &inside->printed;
    double y = f->y.to + row_of(i), half = 100 * (printed->high - printed->value) / printed->value;
    svg_text(f->svg, f->x.from - 8, y + 4, 11, SVG_END, "f2", printed->text);
    svg_line(f->svg, f->x.from - PRINTED_WIDTH, y + LINE / 2, f->x.to, y + LINE / 2, "s4 thin");
    if (printed->value == 0) {
        svg_textf(f->svg, f->x.from + 8, y + 4, 11, SVG_START, "f2", "computed %.2g, which %s 0",
                  inside->ours, inside->admitted ? "rounds to" : "is not");
        return;
    }
    figure_interval(f, -half, half, y, 12, "f6 half", NULL);
    draw_difference(f, &run->as_printed.cells[i], y, &formula_styles[2]);
    draw_difference(f, inside, y, &formula_styles[1]);
}

static void draw_formulas(const void *content, struct svg *svg)
{
    const struct content *r = content;
    double width = (FIGURE_WIDTH - NAMES) / fmax(r->count, 1);
    svg_begin(svg, FIGURE_WIDTH, KEY + 22 + height_of_figures() + FOOT - 12,
              "Differences between computed and printed predictions in per cent");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, formula_styles, 3);
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        double y = KEY + 22 + row_of(i);
        if (i == 0 || dor2010_cells[i].figure != dor2010_cells[i - 1].figure)
            svg_textf(svg, 12, y - LINE / 2 - 6, 12, SVG_START, "bold", "Figure %d",
                      dor2010_figures[dor2010_cells[i].figure].number);
        svg_text(svg, 12, y + 4, 12, SVG_START, "", dor2010_cells[i].parameter);
    }
    for (unsigned i = 0; i < r->count; i++) {
        double left = NAMES + i * width + PRINTED_WIDTH;
        struct figure f = {
            svg,
            {.least = -PERCENT_MOST, .most = PERCENT_MOST, .title = "(computed - printed) / printed [%]"}};
        svg_textf(svg, left, KEY + 14, 13, SVG_START, "bold", "Run %d", r->runs[i].inside.run + 1);
        svg_text(svg, left - 8, KEY + 14, 11, SVG_END, "f2", "printed");
        figure_open(&f, left, KEY + 22, width - PRINTED_WIDTH - RIGHT, height_of_figures());
        for (size_t cell = 0; cell < dor2010_cell_count; cell++)
            draw_formula_row(&r->runs[i], &f, cell);
    }
    svg_end(svg);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

struct counts {
    unsigned cells, admitted, admitted_as_printed; /* printed predictions */
    unsigned measured, rounds, within;             /* measured cells; `within` has those that round, too */
    unsigned mismatches;
};

static struct counts count_all(const struct content *c)
{
    struct counts n = {0};
    for (unsigned i = 0; i < c->count; i++) {
        const struct reproduced_run *run = &c->runs[i];
        n.cells += (unsigned)run->inside.cell_count;
        n.admitted += (unsigned)(run->inside.cell_count - run->inside.not_admitted);
        n.admitted_as_printed += (unsigned)(run->as_printed.cell_count - run->as_printed.not_admitted);
        n.mismatches += run->mismatch_count;
        for (unsigned cell = 0; cell < REPLAY_CELLS; cell++) {
            const char *verdict = replay_report_verdict(&run->replay, replay_cells[cell]);
            n.measured++;
            n.rounds += strcmp(verdict, "rounds") == 0;
            n.within += strcmp(verdict, "OFF") != 0;
        }
    }
    return n;
}

/* The printed predictions that are farthest from what was measured. */
static void write_farthest(const struct content *c, FILE *out)
{
    const struct reproduced_cell *farthest = NULL;
    const struct reproduced_run *of = NULL;
    double most = 0;
    for (unsigned i = 0; i < c->count; i++)
        for (size_t k = 0; k < dor2010_cell_count; k++) {
            const struct reproduced_cell *at = &c->runs[i].inside.cells[k];
            double printed = at->printed.value,
                   measured = dor2010_number(at->cell->measured[c->runs[i].inside.run]).value,
                   distance = printed > 0 && measured > 0 ? fabs(log(printed / measured)) : 0;
            if (distance > most) {
                most = distance;
                farthest = at;
                of = &c->runs[i];
            }
        }
    if (farthest)
        page_put(out,
                 " The published models do not: farthest off is %s of run %d in Figure %d, which prints %s "
                 "where %s was measured and %.3g is simulated.",
                 farthest->cell->parameter, of->inside.run + 1,
                 dor2010_figures[farthest->cell->figure].number, farthest->printed.text,
                 farthest->cell->measured[of->inside.run], of->result.of[quantity_of(farthest->cell)].mean);
}

static void write_answer(const void *content, FILE *out)
{
    struct counts n = count_all(content);
    page_put(
        out,
        "<p class=\"answer\"><strong>The formulas give %u of the %u printed predictions.</strong> One set of "
        "inputs per run, inside their printed rounding, admits them in all three figures; the printed digits as "
        "they stand give %u.</p>\n<p class=\"answer\"><strong>The simulated machine gives %u of the %u measured "
        "values</strong> within %g%% or to their last printed digit (%u of them).",
        n.admitted, n.cells, n.admitted_as_printed, n.within, n.measured, 100 * REPLAY_TOLERANCE, n.rounds);
    write_farthest(content, out);
    if (n.mismatches > 0)
        page_put(out,
                 " %u of the measured values %s not what others of the same run give, which medians and "
                 "rounding may explain.",
                 n.mismatches, n.mismatches == 1 ? "is" : "are");
    fputs("</p>\n", out);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

/* †: printed digits alone do not give it; ‡: no inputs inside their rounding do; §: other measurements do not give its
 * own. */
static const char *marks_of(const struct reproduced_run *run, size_t c, char text[16])
{
    enum machine_quantity quantity = quantity_of(&dor2010_cells[c]);
    bool mismatch = false;
    for (unsigned s = 0; s < run->mismatch_count; s++)
        mismatch = mismatch || run->mismatches[s].quantity == quantity;
    snprintf(text, 16, "%s%s%s", run->as_printed.cells[c].admitted ? "" : "†",
             run->inside.cells[c].admitted ? "" : "‡", mismatch ? "§" : "");
    return text;
}

static const char *percent_text(double fraction, char text[24])
{
    double percent = fabs(fraction) < 5e-5 ? 0 : 100 * fraction; /* not "-0.00" */
    snprintf(text, 24, isfinite(fraction) ? "%+.2f" : "-", percent);
    return text;
}

static void write_figure(const struct reproduced_run *run, enum dor2010_figure figure, FILE *out)
{
    enum { COLUMNS = 13 };
    static const char *const columns[COLUMNS] = {
        "parameter", "unit",      "printed", "computed",       "difference [%]", "from printed digits",
        "measured",  "simulated", "+-",      "difference [%]", "verdict",        "median",
        "marks"};
    static const int widths[COLUMNS] = {-1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1, 1, -1};
    struct result_table *table = result_table_new_styled(
        columns, COLUMNS, &(struct result_style){.widths = widths, .text_number = "%.6g"});
    for (size_t c = 0; c < dor2010_cell_count; c++) {
        const struct reproduced_cell *inside = &run->inside.cells[c];
        enum machine_quantity replayed = quantity_of(inside->cell);
        const char *measured = inside->cell->measured[run->inside.run];
        char difference[24], marks[16], mean[32] = "-", half_width[32] = "-", off[24] = "-", median[32] = "-";
        if (inside->cell->figure != figure)
            continue;
        if (measured) {
            snprintf(mean, sizeof mean, "%.5g", run->result.of[replayed].mean);
            snprintf(half_width, sizeof half_width, "%.5g", run->result.of[replayed].half_width);
            percent_text(replay_report_difference(&run->replay, replayed), off);
            snprintf(median, sizeof median, "%.5g", run->result.medians[replayed]);
        }
        result_table_add(
            table, TEXT(inside->cell->parameter), TEXT(inside->cell->unit), TEXT(inside->printed.text),
            NUMBER(inside->ours), TEXT(percent_text(difference_of(inside), difference)),
            NUMBER(run->as_printed.cells[c].ours), TEXT(measured ? measured : "-"), TEXT(mean),
            TEXT(half_width), TEXT(off), TEXT(measured ? replay_report_verdict(&run->replay, replayed) : "-"),
            TEXT(median), TEXT(marks_of(run, c, marks)));
    }
    result_table_end(table, RESULT_HTML, out);
}

/* The printed predictions that the printed digits of the inputs do not give. */
static void write_not_from_digits(const struct content *all, FILE *out)
{
    static const char *const columns[] = {
        "run", "figure", "parameter", "unit", "printed", "from printed digits", "difference [%]", "computed"};
    static const int widths[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    struct result_table *table =
        result_table_new_styled(columns, 8, &(struct result_style){.widths = widths, .text_number = "%.6g"});
    for (unsigned i = 0; i < all->count; i++)
        for (size_t c = 0; c < dor2010_cell_count; c++) {
            const struct reproduced_cell *at = &all->runs[i].as_printed.cells[c];
            char difference[24];
            if (!at->admitted)
                result_table_add(table, NUMBER(all->runs[i].inside.run + 1),
                                 NUMBER(dor2010_figures[at->cell->figure].number), TEXT(at->cell->parameter),
                                 TEXT(at->cell->unit), TEXT(at->printed.text), NUMBER(at->ours),
                                 TEXT(percent_text(difference_of(at), difference)),
                                 NUMBER(all->runs[i].inside.cells[c].ours));
        }
    result_table_end(table, RESULT_HTML, out);
}

static void write_slips(const void *content, FILE *out)
{
    const struct content *c = content;
    fputs("<ul>\n", out);
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned s = 0; s < c->runs[i].mismatch_count; s++)
            page_put(out, "<li>§ %s: %s</li>\n", c->runs[i].link, c->runs[i].mismatches[s].text);
    fputs(PROSE_REPRODUCE_SLIPS, out);
    write_not_from_digits(c, out);
}

static void write_run_section(const void *reproduced_run, FILE *out)
{
    const struct reproduced_run *run = reproduced_run;
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        page_put(out, "<h3>Figure %d: %s</h3>\n", dor2010_figures[figure].number,
                 dor2010_figures[figure].model);
        write_figure(run, (enum dor2010_figure)figure, out);
    }
    fputs("<h3>The inputs, inside their printed rounding</h3>\n", out);
    result_table_end(reproduction_inputs(&run->inside, NULL, (const int[]){-1, -1, 1, 1}), RESULT_HTML, out);
    page_put(out,
             "<p class=\"note\">Simulated over %.4g clocks in %zu frames, with the random seed %lu.</p>\n",
             (double)run->result.steady.clocks, run->result.frames, run->options.seed);
}

/* --- words ----------------------------------------------------------------------------------------------- */

static const char words[] =
#include "app/reproduce_words.inc"
    ;

/* --- the page -------------------------------------------------------------------------------------------- */

static int write_page(const struct content *c, const char *path, struct why *why)
{
    struct page_section sections[5 + DOR2010_RUNS] = {
        {"answer", "The answer", write_answer, c},
        {"machine", "Against the machine", .says = PROSE_REPRODUCE_MACHINE, .draw = draw_machine, .data = c},
        {"formulas", "The formulas", .says = PROSE_REPRODUCE_FORMULAS, .draw = draw_formulas, .data = c},
        {"slips", "Printed numbers that others do not give", write_slips, c},
    };
    unsigned count = 4;
    for (const struct reproduced_run *run = c->runs; run < c->runs + c->count; run++)
        sections[count++] =
            (struct page_section){run->name, run->options.scenario->title, write_run_section, run,
                                  run->link, PROSE_REPRODUCE_RUN_SECTION};
    sections[count++] = (struct page_section){"words", "The words", page_words, words};
    return page_write(
        path, "The published runs of Mercury BLASTN: printed, computed, simulated",
        "R. Dor's report WUCSE-2010-30, Figures 12, 15 and 17, computed again, and its two runs", sections,
        count, why);
}

/* The page comes before the text, so that nothing is printed if it cannot be written. */
static int write_report(const struct arguments *a)
{
    struct content c = {.runs = memory_new(DOR2010_RUNS, sizeof *c.runs)};
    struct run_options machine = {.machine = "dor2010"};
    struct hardware hardware;
    run_output_begin();
    int status = output_probe(a->report, a->why) != 0 ? COMMAND_REFUSED : 0;
    if (status == 0)
        status = replay_machine_load(&machine, &hardware, a->why);
    for (int run = 0; run < DOR2010_RUNS && status == 0; run++)
        if (is_wanted(a, run))
            status = make_run((enum dor2010_run)run, &hardware, a->quiet, &c.runs[c.count++], a->why);
    if (status == 0)
        status = write_page(&c, a->report, a->why);
    free(c.runs);
    return status;
}

/* --- all ------------------------------------------------------------------------------------------------- */

static int write_run(const struct arguments *a, int run, size_t *not_admitted)
{
    struct reproduction reproduction;
    bool is_page = a->report && strcmp(a->report, "-") == 0;
    int error = reproduction_make(run, a->as_printed, &reproduction);
    if (error)
        return why_say(a->why, COMMAND_FAILED, "run %d: %s", run + 1, model_error_text(error));
    *not_admitted += reproduction.not_admitted;
    if (!is_page && a->tsv)
        write_tsv(&reproduction, run == 0 || a->run != 0);
    else if (!is_page)
        write_text(&reproduction);
    return 0;
}

/* Write the tables of Dor's report, as a page if one is asked for. */
static int write_dor2010(const struct arguments *a)
{
    const bool is_page = a->report && strcmp(a->report, "-") == 0;
    const char *inputs = a->as_printed ? "inputs as printed" : "inputs inside their printed rounding";
    size_t not_admitted = 0;
    int status = a->report ? write_report(a) : 0;
    if (status)
        return status;
    if (!is_page && a->tsv)
        printf("# Dor 2010 (WUCSE-2010-30), Figures 12, 15, 17; %s; admitted: ours rounds to printed\n",
               inputs);
    else if (!is_page)
        shown_print(
            stdout,
            "Dor 2010 (WUCSE-2010-30), Figures 12 and 15 (M/M/1/K (Dor), four and five stages) and 17 (M/M/1, "
            "four); %s",
            inputs);
    for (int run = 0; run < DOR2010_RUNS && status == 0; run++)
        status = is_wanted(a, run) ? write_run(a, run, &not_admitted) : 0;
    if (status)
        return status;
    if (!a->tsv && !is_page)
        putchar('\n');
    if (not_admitted == 0)
        return COMMAND_OK;
    return why_say(a->why, COMMAND_FAILED, "%zu printed cells are not what these inputs give", not_admitted);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.why = why};
    int status = parse_arguments(argc, argv, &a);
    if (status)
        return status;
    switch (a.publication) {
    case FRENKEL:
        return frenkel_write(a.seed ? a.seed : 1, a.tsv, why);
    case LEONARDS2023:
        return leonards2023_write(a.tsv, why);
    case TIMETRIAL2011:
        return timetrial2011_write(a.tsv, why);
    default:
        return write_dor2010(&a);
    }
}

const struct command command_reproduce = {options, run_command, publications};
