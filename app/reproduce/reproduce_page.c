#include "app/reproduce/reproduce_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/draw/result_table.h"
#include "model/model_error.h"
#include "app/report/report_page.h"
#include "app/report/report_part.h"
#include "app/replay/replay.h"
#include "app/reproduce/reproduce_picture.h"

#define MACHINE "dor2010"

struct page {
    struct reproduced_run *runs;
    struct dor2010_mismatch mismatches[DOR2010_RUNS][DOR2010_MISMATCHES_MAX]; /* by the index of runs */
    unsigned count, mismatch_count[DOR2010_RUNS];
    FILE *out;
    int status; /* of the tables, whose only error is memory */
};

/* --- the runs -------------------------------------------------------------------------------------------- */

static int replay(struct reproduced_run *run, const struct hardware *hardware, bool quiet, struct why *why)
{
    char name[32];
    snprintf(name, sizeof name, "dor2010-run%d", run->inside.run + 1);
    run->options = (struct replay_options){.scenario = replay_find(name),
                                           .hardware = hardware,
                                           .seed = 1,
                                           .interval = 0.01,
                                           .most_clocks = UINT64_C(2000000000),
                                           .quiet = quiet};
    run->replay = (struct replay_report){.options = &run->options,
                                         .result = &run->result,
                                         .published = run->inside.run,
                                         .machine = MACHINE,
                                         .tolerance = REPLAY_TOLERANCE};
    return replay_run(&run->options, &run->result, why) ? COMMAND_FAILED : 0;
}

static int make_run(enum dor2010_run number, const struct hardware *hardware, bool quiet,
                    struct reproduced_run *run, struct why *why)
{
    int error = reproduction_make(number, false, &run->inside);
    if (error == 0)
        error = reproduction_make(number, true, &run->as_printed);
    if (error)
        return why_say(why, COMMAND_FAILED, "run %d: %s", number + 1, model_error_text(error));
    return replay(run, hardware, quiet, why);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

struct counts {
    unsigned cells, admitted, admitted_as_printed; /* printed predictions */
    unsigned measured, rounds, within;             /* measured cells; `within` has those that round, too */
    unsigned mismatches;
};

static struct counts count_all(const struct page *p)
{
    struct counts n = {0};
    for (unsigned i = 0; i < p->count; i++) {
        const struct reproduced_run *run = &p->runs[i];
        n.cells += (unsigned)run->inside.cell_count;
        n.admitted += (unsigned)(run->inside.cell_count - run->inside.not_admitted);
        n.admitted_as_printed += (unsigned)(run->as_printed.cell_count - run->as_printed.not_admitted);
        n.mismatches += p->mismatch_count[i];
        for (unsigned cell = 0; cell < REPLAY_CELLS; cell++) {
            const char *verdict = replay_report_verdict(&run->replay, (enum replay_cell)cell);
            n.measured++;
            n.rounds += strcmp(verdict, "rounds") == 0;
            n.within += strcmp(verdict, "OFF") != 0;
        }
    }
    return n;
}

/* The printed predictions that are farthest from what was measured. */
static void write_farthest(const struct page *p)
{
    const struct dor2010_cell *farthest = NULL;
    double most = 0;
    unsigned of = 0;
    for (unsigned i = 0; i < p->count; i++)
        for (size_t c = 0; c < dor2010_cell_count; c++) {
            enum dor2010_run run = p->runs[i].inside.run;
            double printed = dor2010_number(dor2010_cells[c].predicted[run]).value,
                   measured = dor2010_number(dor2010_cells[c].measured[run]).value,
                   distance = printed > 0 && measured > 0 ? fabs(log(printed / measured)) : 0;
            if (distance > most) {
                most = distance;
                farthest = &dor2010_cells[c];
                of = i;
            }
        }
    if (farthest)
        report_text(
            p->out,
            " The published models do not: farthest off is %s of run %d in Figure %d, which prints %s "
            "where %s was measured and %.3g is simulated.",
            farthest->parameter, p->runs[of].inside.run + 1, dor2010_figure_number(farthest->figure),
            farthest->predicted[p->runs[of].inside.run], farthest->measured[p->runs[of].inside.run],
            p->runs[of].result.cells[reproduce_picture_cell(farthest)].mean);
}

static void write_answer(const struct page *p)
{
    struct counts n = count_all(p);
    fputs("<section id=\"answer\">\n<h2>The answer</h2>\n<p class=\"answer\"><strong>", p->out);
    report_text(p->out, "The formulas give %u of the %u printed predictions.", n.admitted, n.cells);
    fputs("</strong>", p->out);
    report_text(
        p->out,
        " One set of inputs per run, inside their printed rounding, admits them in all three figures; "
        "the printed digits as they stand give %u.",
        n.admitted_as_printed);
    fputs("</p>\n<p class=\"answer\"><strong>", p->out);
    report_text(p->out, "The simulated machine gives %u of the %u measured values", n.within, n.measured);
    fputs("</strong>", p->out);
    report_text(p->out, " within %g%% or to their last printed digit (%u of them).", 100 * REPLAY_TOLERANCE,
                n.rounds);
    write_farthest(p);
    if (n.mismatches > 0)
        report_text(p->out,
                    " %u of the measured values %s not what others of the same run give, which medians and "
                    "rounding may explain.",
                    n.mismatches, n.mismatches == 1 ? "is" : "are");
    fputs("</p>\n</section>\n", p->out);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

/* †: printed digits alone do not give it; ‡: no inputs inside their rounding do; §: other measurements do not give its
 * own. */
static const char *marks_of(const struct page *p, unsigned run, size_t c, char text[16])
{
    enum replay_cell cell = reproduce_picture_cell(&dor2010_cells[c]);
    bool mismatch = false;
    for (unsigned s = 0; s < p->mismatch_count[run] && cell < REPLAY_CELLS; s++)
        mismatch = mismatch || p->mismatches[run][s].quantity == replay_cell_quantity(cell);
    snprintf(text, 16, "%s%s%s", p->runs[run].as_printed.cells[c].admitted ? "" : "†",
             p->runs[run].inside.cells[c].admitted ? "" : "‡", mismatch ? "§" : "");
    return text;
}

static const char *percent_text(double fraction, char text[24])
{
    double percent = fabs(fraction) < 5e-5 ? 0 : 100 * fraction; /* not "-0.00" */
    snprintf(text, 24, isfinite(fraction) ? "%+.2f" : "-", percent);
    return text;
}

/* The simulated value, half of its interval, and its difference from the measured one; "-" if there is none. */
static void add_simulated(const struct reproduced_run *run, enum replay_cell cell, struct result_table *table)
{
    char mean[32] = "-", half_width[32] = "-", difference[24] = "-";
    if (cell < REPLAY_CELLS) {
        snprintf(mean, sizeof mean, "%.5g", run->result.cells[cell].mean);
        snprintf(half_width, sizeof half_width, "%.5g", run->result.cells[cell].half_width);
        percent_text(replay_report_difference(&run->replay, cell), difference);
    }
    result_table_add(table, TEXT(mean), TEXT(half_width), TEXT(difference));
}

static void write_figure(struct page *p, unsigned i, enum dor2010_figure figure)
{
    enum { COLUMNS = 13 };
    static const char *const columns[COLUMNS] = {
        "parameter", "unit",      "printed", "computed",       "difference [%]", "from printed digits",
        "measured",  "simulated", "+-",      "difference [%]", "verdict",        "median",
        "marks"};
    static const int widths[COLUMNS] = {-1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1, 1, -1};
    const struct reproduced_run *run = &p->runs[i];
    struct result_table *table = result_table_new_styled(
        columns, COLUMNS, &(struct result_style){.widths = widths, .text_number = "%.6g"});
    for (size_t c = 0; c < dor2010_cell_count; c++) {
        const struct dor2010_cell *cell = &dor2010_cells[c];
        const struct reproduced_cell *inside = &run->inside.cells[c];
        enum replay_cell replayed = reproduce_picture_cell(cell);
        const char *measured = cell->measured[run->inside.run];
        char difference[24], marks[16], median[32] = "-";
        if (cell->figure != figure)
            continue;
        if (replayed < REPLAY_CELLS)
            snprintf(median, sizeof median, "%.5g", run->result.medians[replayed]);
        result_table_add(table, TEXT(cell->parameter), TEXT(cell->unit),
                         TEXT(cell->predicted[run->inside.run]), NUMBER(inside->ours),
                         TEXT(percent_text((inside->ours - inside->printed) / inside->printed, difference)),
                         NUMBER(run->as_printed.cells[c].ours), TEXT(measured ? measured : "-"));
        add_simulated(run, replayed, table);
        result_table_add(table,
                         TEXT(replayed < REPLAY_CELLS ? replay_report_verdict(&run->replay, replayed) : "-"),
                         TEXT(median), TEXT(marks_of(p, i, c, marks)));
    }
    p->status |= result_table_end_html(table, p->out);
}

/* The printed predictions that the printed digits of the inputs do not give. */
static void write_not_from_digits(struct page *p)
{
    static const char *const columns[] = {
        "run", "figure", "parameter", "unit", "printed", "from printed digits", "difference [%]", "computed"};
    static const int widths[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    struct result_table *table =
        result_table_new_styled(columns, 8, &(struct result_style){.widths = widths, .text_number = "%.6g"});
    for (unsigned i = 0; i < p->count; i++)
        for (size_t c = 0; c < dor2010_cell_count; c++) {
            const struct reproduced_cell *cell = &p->runs[i].as_printed.cells[c];
            char difference[24];
            if (cell->admitted)
                continue;
            result_table_add(table, NUMBER(p->runs[i].inside.run + 1),
                             NUMBER(dor2010_figure_number(dor2010_cells[c].figure)),
                             TEXT(dor2010_cells[c].parameter), TEXT(dor2010_cells[c].unit),
                             TEXT(dor2010_cells[c].predicted[p->runs[i].inside.run]), NUMBER(cell->ours),
                             TEXT(percent_text((cell->ours - cell->printed) / cell->printed, difference)),
                             NUMBER(p->runs[i].inside.cells[c].ours));
        }
    p->status |= result_table_end_html(table, p->out);
}

static void write_slips(struct page *p)
{
    fputs("<section id=\"slips\">\n<h2>Printed numbers that others do not give</h2>\n<ul>\n", p->out);
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned s = 0; s < p->mismatch_count[i]; s++) {
            fputs("<li>", p->out);
            report_text(p->out, "§ Run %d: %s", p->runs[i].inside.run + 1, p->mismatches[i][s].text);
            fputs("</li>\n", p->out);
        }
    fputs(
        "</ul>\n<p>§ These do not prove each other wrong: the report's utilisations are medians over passes, and a "
        "median need not be the ratio of the totals.</p>\n<ul>\n"
        "<li>Figure 4 prints the mean queue length as a second N_G: it is N_Q = rho^2 / (1 - rho).</li>\n"
        "<li>The example in section 4.3.3 prints P_K with 1 - rho^K below the line, Figure 5 with 1 - rho^(K+1), which "
        "is right.</li>\n"
        "<li>The rows P_1a of Figure 16 with a bar are the fractions that Figures 11 and 14 print without one.</li>\n"
        "<li>The figures count what waits before stage 2 in HSPs. These are matches: HSPs are what stage 2 passes "
        "on.</li>\n</ul>\n<p>† The inputs' printed digits do not give these predictions. The inputs that were found "
        "inside their rounding do: near saturation, the fourth digit of an input decides on a queue.</p>\n",
        p->out);
    write_not_from_digits(p);
    fputs("</section>\n", p->out);
}

static void write_inputs(struct page *p, const struct reproduced_run *run)
{
    static const char *const columns[] = {"input", "unit", "printed", "used"};
    static const int widths[] = {-1, -1, 1, 1};
    struct result_table *table =
        result_table_new_styled(columns, 4, &(struct result_style){.widths = widths, .text_number = "%.10g"});
    for (int i = 0; i < DOR2010_INPUTS; i++)
        result_table_add(table, TEXT(dor2010_inputs[i].name), TEXT(dor2010_inputs[i].unit),
                         TEXT(dor2010_inputs[i].value[run->inside.run]), NUMBER(run->inside.inputs[i]));
    p->status |= result_table_end_html(table, p->out);
}

static void write_run(struct page *p, unsigned i)
{
    static const char *const models[DOR2010_FIGURES] = {"Figure 12: M/M/1/K (Dor), four stages",
                                                        "Figure 15: M/M/1/K (Dor), five stages",
                                                        "Figure 17: M/M/1, four stages"};
    const struct reproduced_run *run = &p->runs[i];
    fprintf(p->out, "<section id=\"run%d\">\n<h2>", run->inside.run + 1);
    report_text(p->out, "%s", run->options.scenario->title);
    fputs(
        "</h2>\n<p class=\"note\">† The inputs' printed digits do not give the prediction. ‡ No inputs that were "
        "found inside their rounding do. § Other measured values do not give this one.</p>\n",
        p->out);
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        fprintf(p->out, "<h3>%s</h3>\n", models[figure]);
        write_figure(p, i, (enum dor2010_figure)figure);
    }
    fputs("<h3>The inputs, inside their printed rounding</h3>\n", p->out);
    write_inputs(p, run);
    fprintf(
        p->out,
        "<p class=\"note\">Simulated over %.4g clocks in %zu frames, with the random seed %lu.</p>\n</section>\n",
        (double)run->result.steady.clocks, run->result.frames, run->options.seed);
}

/* --- words ----------------------------------------------------------------------------------------------- */

static const char *const words[][2] = {
    {"printed", "What a figure of the report predicts."},
    {"computed",
     "The same formula, from one set of inputs per run that lies inside the inputs' printed rounding. The number is "
     "admitted if it rounds to what is printed."},
    {"from printed digits", "The same formula, from the inputs as they are printed."},
    {"measured",
     "What TimeTrial measured on the machine; ~0 is printed as \"approaching 0\". A zero stands for less than a "
     "twentieth of its unit: ~0 for less than 0.05 elements, 0.0 for less than 0.005."},
    {"simulated",
     "The board of Mercury clock by clock, driven by random seeds with the run's fractions; +- is half of the 95% "
     "interval."},
    {"verdict",
     "rounds: the simulated value rounds to the measured one as printed; within: it differs by at most 7%; OFF: by "
     "more."},
    {"median",
     "Of the simulated frames, beside the ratio of their sums: the report's measured utilisations are medians over "
     "passes."},
    {"†", "The printed digits of the inputs do not give the printed prediction."},
    {"‡", "The inputs that were found inside their rounding do not give it."},
    {"§",
     "Other measured values of the run, as totals, do not give this one, however they were rounded. It may be a median "
     "over passes, or rounded to tens."},
};

static void write_words(const struct page *p)
{
    static const char note[] =
        "The same as text: <code>mercury reproduce dor2010</code>, <code>mercury reproduce dor2010 "
        "--as-printed</code>, <code>mercury replay dor2010-run1 --machine " MACHINE
        "</code>. The report: R. Dor, WUCSE-2010-30, Washington University in St. Louis, 2010.";
    report_page_write_words(words, sizeof words / sizeof words[0], note, p->out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_head(const struct page *p)
{
    report_page_begin(
        "The published runs of Mercury BLASTN: printed, computed, simulated",
        "R. Dor's report WUCSE-2010-30, Figures 12, 15 and 17, computed again, and its two runs", p->out);
    fputs(
        "<nav><a href=\"#answer\">The answer</a> · <a href=\"#machine\">Against the machine</a> · <a "
        "href=\"#formulas\">The formulas</a> · <a href=\"#slips\">Printed numbers that others do not give</a> · ",
        p->out);
    for (unsigned i = 0; i < p->count; i++)
        fprintf(p->out, "<a href=\"#run%d\">Run %d</a> · ", p->runs[i].inside.run + 1,
                p->runs[i].inside.run + 1);
    fputs("<a href=\"#words\">The words</a></nav>\n", p->out);
}

static void write_picture(const struct page *p, const char *name, const char *title, const char *introduction,
                          void (*draw)(const struct reproduced_run *, unsigned, struct svg *))
{
    struct svg svg = {.out = p->out, .in_page = true};
    fprintf(p->out, "<section id=\"%s\">\n<h2>%s</h2>\n<p>%s</p>\n<figure>\n", name, title, introduction);
    draw(p->runs, p->count, &svg);
    fputs("</figure>\n</section>\n", p->out);
}

static void write_page(struct page *p)
{
    write_head(p);
    write_answer(p);
    write_picture(
        p, "machine", "Against the machine",
        "What was predicted in print and what is simulated, divided by what was measured on the machine. A "
        "mark on the blue line agrees; what is beyond an end of the axis stands at the end.",
        reproduce_picture_draw_machine);
    write_picture(
        p, "formulas", "The formulas",
        "How far the published formulas, computed again, are from the printed predictions. A disc inside of "
        "the blue band rounds to what is printed. A diamond outside of it shows what rounding of the inputs "
        "does near saturation; what is beyond an end of the axis stands at the end.",
        reproduce_picture_draw_formulas);
    write_slips(p);
    for (unsigned i = 0; i < p->count; i++)
        write_run(p, i);
    write_words(p);
    report_page_end(p->out);
}

static int write_content(void *page, FILE *out, struct why *why)
{
    struct page *p = page;
    p->out = out;
    write_page(p);
    return p->status ? why_no_memory(why, COMMAND_REFUSED) : 0;
}

static int make_page(const bool *wanted, bool quiet, struct page *p, const char *path, struct why *why)
{
    struct run_options machine = {.machine = MACHINE};
    struct hardware hardware;
    int status = output_probe(path, why) != 0 ? COMMAND_REFUSED : 0;
    if (status == 0)
        status = replay_machine_load(&machine, &hardware, why);
    for (int run = 0; run < DOR2010_RUNS && status == 0; run++) {
        if (!wanted[run])
            continue;
        p->mismatch_count[p->count] = dor2010_find_mismatches((enum dor2010_run)run, p->mismatches[p->count]);
        status = make_run((enum dor2010_run)run, &hardware, quiet, &p->runs[p->count++], why);
    }
    return status ? status : report_page_write_file(path, write_content, p, why);
}

int reproduce_page_write(const bool wanted[DOR2010_RUNS], bool quiet, const char *path, struct why *why)
{
    struct page page = {.runs = calloc(DOR2010_RUNS, sizeof *page.runs)};
    if (!page.runs)
        return why_no_memory(why, COMMAND_REFUSED);
    int status = make_page(wanted, quiet, &page, path, why);
    free(page.runs);
    return status;
}
