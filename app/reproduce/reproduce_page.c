#include "app/reproduce/reproduce_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/draw/page.h"
#include "model/model_error.h"
#include "app/replay/replay.h"
#include "app/reproduce/reproduce_picture.h"

#define MACHINE "dor2010"

struct content {
    struct reproduced_runs all;
    struct dor2010_mismatch mismatches[DOR2010_RUNS][DOR2010_MISMATCHES_MAX]; /* by the index of runs */
    unsigned mismatch_count[DOR2010_RUNS];
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

static struct counts count_all(const struct content *c)
{
    struct counts n = {0};
    for (unsigned i = 0; i < c->all.count; i++) {
        const struct reproduced_run *run = &c->all.runs[i];
        n.cells += (unsigned)run->inside.cell_count;
        n.admitted += (unsigned)(run->inside.cell_count - run->inside.not_admitted);
        n.admitted_as_printed += (unsigned)(run->as_printed.cell_count - run->as_printed.not_admitted);
        n.mismatches += c->mismatch_count[i];
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
static void write_farthest(const struct content *c, FILE *out)
{
    const struct dor2010_cell *farthest = NULL;
    const struct reproduced_run *of = NULL;
    double most = 0;
    for (unsigned i = 0; i < c->all.count; i++)
        for (size_t k = 0; k < dor2010_cell_count; k++) {
            enum dor2010_run run = c->all.runs[i].inside.run;
            double printed = dor2010_number(dor2010_cells[k].predicted[run]).value,
                   measured = dor2010_number(dor2010_cells[k].measured[run]).value,
                   distance = printed > 0 && measured > 0 ? fabs(log(printed / measured)) : 0;
            if (distance > most) {
                most = distance;
                farthest = &dor2010_cells[k];
                of = &c->all.runs[i];
            }
        }
    if (farthest)
        page_put(out,
                 " The published models do not: farthest off is %s of run %d in Figure %d, which prints %s "
                 "where %s was measured and %.3g is simulated.",
                 farthest->parameter, of->inside.run + 1, dor2010_figure_number(farthest->figure),
                 farthest->predicted[of->inside.run], farthest->measured[of->inside.run],
                 of->result.cells[reproduce_picture_cell(farthest)].mean);
}

static void write_answer(struct page *p, const void *content)
{
    struct counts n = count_all(content);
    page_put(
        p->out,
        "<p class=\"answer\"><strong>The formulas give %u of the %u printed predictions.</strong> One set of "
        "inputs per run, inside their printed rounding, admits them in all three figures; the printed digits as "
        "they stand give %u.</p>\n<p class=\"answer\"><strong>The simulated machine gives %u of the %u measured "
        "values</strong> within %g%% or to their last printed digit (%u of them).",
        n.admitted, n.cells, n.admitted_as_printed, n.within, n.measured, 100 * REPLAY_TOLERANCE, n.rounds);
    write_farthest(content, p->out);
    if (n.mismatches > 0)
        page_put(p->out,
                 " %u of the measured values %s not what others of the same run give, which medians and "
                 "rounding may explain.",
                 n.mismatches, n.mismatches == 1 ? "is" : "are");
    fputs("</p>\n", p->out);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

/* †: printed digits alone do not give it; ‡: no inputs inside their rounding do; §: other measurements do not give its
 * own. */
static const char *marks_of(const struct content *content, unsigned run, size_t c, char text[16])
{
    enum replay_cell cell = reproduce_picture_cell(&dor2010_cells[c]);
    bool mismatch = false;
    for (unsigned s = 0; s < content->mismatch_count[run] && cell < REPLAY_CELLS; s++)
        mismatch = mismatch || content->mismatches[run][s].quantity == replay_cell_quantity(cell);
    snprintf(text, 16, "%s%s%s", content->all.runs[run].as_printed.cells[c].admitted ? "" : "†",
             content->all.runs[run].inside.cells[c].admitted ? "" : "‡", mismatch ? "§" : "");
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

static void write_figure(struct page *p, const struct content *content, unsigned i,
                         enum dor2010_figure figure)
{
    enum { COLUMNS = 13 };
    static const char *const columns[COLUMNS] = {
        "parameter", "unit",      "printed", "computed",       "difference [%]", "from printed digits",
        "measured",  "simulated", "+-",      "difference [%]", "verdict",        "median",
        "marks"};
    static const int widths[COLUMNS] = {-1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1, 1, -1};
    const struct reproduced_run *run = &content->all.runs[i];
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
                         TEXT(median), TEXT(marks_of(content, i, c, marks)));
    }
    page_table(p, table);
}

/* The printed predictions that the printed digits of the inputs do not give. */
static void write_not_from_digits(struct page *p, const struct reproduced_runs *all)
{
    static const char *const columns[] = {
        "run", "figure", "parameter", "unit", "printed", "from printed digits", "difference [%]", "computed"};
    static const int widths[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    struct result_table *table =
        result_table_new_styled(columns, 8, &(struct result_style){.widths = widths, .text_number = "%.6g"});
    for (unsigned i = 0; i < all->count; i++)
        for (size_t c = 0; c < dor2010_cell_count; c++) {
            const struct reproduced_cell *cell = &all->runs[i].as_printed.cells[c];
            char difference[24];
            if (cell->admitted)
                continue;
            result_table_add(table, NUMBER(all->runs[i].inside.run + 1),
                             NUMBER(dor2010_figure_number(dor2010_cells[c].figure)),
                             TEXT(dor2010_cells[c].parameter), TEXT(dor2010_cells[c].unit),
                             TEXT(dor2010_cells[c].predicted[all->runs[i].inside.run]), NUMBER(cell->ours),
                             TEXT(percent_text((cell->ours - cell->printed) / cell->printed, difference)),
                             NUMBER(all->runs[i].inside.cells[c].ours));
        }
    page_table(p, table);
}

static void write_slips(struct page *p, const void *content)
{
    const struct content *c = content;
    fputs("<ul>\n", p->out);
    for (unsigned i = 0; i < c->all.count; i++)
        for (unsigned s = 0; s < c->mismatch_count[i]; s++)
            page_put(p->out, "<li>§ Run %d: %s</li>\n", c->all.runs[i].inside.run + 1,
                     c->mismatches[i][s].text);
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
    write_not_from_digits(p, &c->all);
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
    page_table(p, table);
}

/* What a section of a run is written from. */
struct run_section {
    const struct content *content;
    unsigned i;
    char name[8], link[8];
};

static void write_run(struct page *p, const void *section)
{
    static const char *const models[DOR2010_FIGURES] = {"Figure 12: M/M/1/K (Dor), four stages",
                                                        "Figure 15: M/M/1/K (Dor), five stages",
                                                        "Figure 17: M/M/1, four stages"};
    const struct run_section *s = section;
    const struct reproduced_run *run = &s->content->all.runs[s->i];
    fputs("<p class=\"note\">† The inputs' printed digits do not give the prediction. ‡ No inputs that were "
          "found inside their rounding do. § Other measured values do not give this one.</p>\n",
          p->out);
    for (unsigned figure = 0; figure < DOR2010_FIGURES; figure++) {
        page_put(p->out, "<h3>%s</h3>\n", models[figure]);
        write_figure(p, s->content, s->i, (enum dor2010_figure)figure);
    }
    fputs("<h3>The inputs, inside their printed rounding</h3>\n", p->out);
    write_inputs(p, run);
    page_put(p->out,
             "<p class=\"note\">Simulated over %.4g clocks in %zu frames, with the random seed %lu.</p>\n",
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

static const struct page_words explained = {
    words, sizeof words / sizeof words[0],
    "The same as text: <code>mercury reproduce dor2010</code>, <code>mercury reproduce dor2010 --as-printed</code>, "
    "<code>mercury replay dor2010-run1 --machine " MACHINE
    "</code>. The report: R. Dor, WUCSE-2010-30, Washington University in St. Louis, 2010."};

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_machine(struct page *p, const void *all)
{
    fputs(
        "<p>What was predicted in print and what is simulated, divided by what was measured on the machine. A "
        "mark on the blue line agrees; what is beyond an end of the axis stands at the end.</p>\n",
        p->out);
    page_picture(p, reproduce_picture_draw_machine, all);
}

static void write_formulas(struct page *p, const void *all)
{
    fputs(
        "<p>How far the published formulas, computed again, are from the printed predictions. A disc inside of "
        "the blue band rounds to what is printed. A diamond outside of it shows what rounding of the inputs "
        "does near saturation; what is beyond an end of the axis stands at the end.</p>\n",
        p->out);
    page_picture(p, reproduce_picture_draw_formulas, all);
}

static int write_page(const struct content *c, const char *path, struct why *why)
{
    struct run_section runs[DOR2010_RUNS];
    struct page_section sections[5 + DOR2010_RUNS] = {
        {"answer", "The answer", write_answer, c, NULL},
        {"machine", "Against the machine", write_machine, &c->all, NULL},
        {"formulas", "The formulas", write_formulas, &c->all, NULL},
        {"slips", "Printed numbers that others do not give", write_slips, c, NULL},
    };
    unsigned count = 4;
    for (unsigned i = 0; i < c->all.count; i++) {
        const struct reproduced_run *run = &c->all.runs[i];
        runs[i] = (struct run_section){.content = c, .i = i};
        snprintf(runs[i].name, sizeof runs[i].name, "run%d", run->inside.run + 1);
        snprintf(runs[i].link, sizeof runs[i].link, "Run %d", run->inside.run + 1);
        sections[count++] = (struct page_section){runs[i].name, run->options.scenario->title, write_run,
                                                  &runs[i], runs[i].link};
    }
    sections[count++] = (struct page_section){"words", "The words", page_words, &explained, NULL};
    return page_write(
        path, "The published runs of Mercury BLASTN: printed, computed, simulated",
        "R. Dor's report WUCSE-2010-30, Figures 12, 15 and 17, computed again, and its two runs", sections,
        count, why);
}

static int make_page(const bool *wanted, bool quiet, struct content *c, const char *path, struct why *why)
{
    struct run_options machine = {.machine = MACHINE};
    struct hardware hardware;
    int status = output_probe(path, why) != 0 ? COMMAND_REFUSED : 0;
    if (status == 0)
        status = replay_machine_load(&machine, &hardware, why);
    for (int run = 0; run < DOR2010_RUNS && status == 0; run++) {
        if (!wanted[run])
            continue;
        unsigned i = c->all.count++;
        c->mismatch_count[i] = dor2010_find_mismatches((enum dor2010_run)run, c->mismatches[i]);
        status = make_run((enum dor2010_run)run, &hardware, quiet, &c->all.runs[i], why);
    }
    return status ? status : write_page(c, path, why);
}

int reproduce_page_write(const bool wanted[DOR2010_RUNS], bool quiet, const char *path, struct why *why)
{
    struct content content = {.all.runs = calloc(DOR2010_RUNS, sizeof *content.all.runs)};
    if (!content.all.runs)
        return why_no_memory(why, COMMAND_REFUSED);
    int status = make_page(wanted, quiet, &content, path, why);
    free(content.all.runs);
    return status;
}
