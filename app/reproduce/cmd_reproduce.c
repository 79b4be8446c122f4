#include "app/commands.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/shown.h"
#include "base/why.h"
#include "model/model_error.h"
#include "validate/dor2010.h"
#include "app/reproduce/published.h"
#include "app/reproduce/reproduce_page.h"
#include "app/run/run_output.h"

static const char command_help[] =
    "Usage: mercury reproduce dor2010 [options]\n"
    "       mercury reproduce frenkel [--seed N] [-f FORMAT]\n"
    "       mercury reproduce leonards2023 [-f FORMAT]\n"
    "       mercury reproduce timetrial2011 [-f FORMAT]\n"
    "\n"
    "dor2010 computes the predictions that R. Dor's report on Mercury BLASTN\n"
    "(WUCSE-2010-30) prints for its two runs, in Figures 12 (four stages, M/M/1/K\n"
    "from the rate that enters), 15 (the same in five stages) and 17 (four stages,\n"
    "M/M/1).\n"
    "\n"
    "The report prints its inputs to three digits, which do not give its results: a\n"
    "queue near saturation changes by its own length within that rounding. Mercury\n"
    "therefore searches one vector of inputs per run inside the printed rounding, the\n"
    "same for all figures, and prints each published number beside what the models\n"
    "make of these inputs. A number is admitted if ours rounds to it.\n"
    "\n"
    "frenkel computes the identities of random sums (mean and variance of the time\n"
    "of N operations, regions of their shares, no-wait makespans) on random draws\n"
    "with the fractions of Dor's run 2, by formula and by simulation. A number is\n"
    "admitted if the formula rounds to the known value, and the simulation's 99.9%\n"
    "interval holds it.\n"
    "\n"
    "leonards2023 is E. Leonards' thesis on cores that share their memory: values of\n"
    "its closed networks (Algorithm 1, Figure 4.9) and what it says of them.\n"
    "\n"
    "timetrial2011 is the paper on TimeTrial, which measured the machine: the bytes\n"
    "of its records (sections III and IV.C) and its part of the FPGA (Table I).\n"
    "\n"
    "      --run RUN          1, 2 or both (default)\n"
    "      --as-printed       take the printed digits as they stand, to see which\n"
    "                         numbers they do not give\n"
    "  -f, --format FORMAT    text (default) or tsv\n"
    "      --report FILE      also simulate the runs (as mercury replay --machine\n"
    "                         dor2010) and write a page to FILE: one HTML file with\n"
    "                         pictures, which needs no network and no script. It has\n"
    "                         printed, computed (from both kinds of inputs), measured\n"
    "                         and simulated numbers. With -, the page takes the place\n"
    "                         of the text\n"
    "      --quiet            show no progress of the simulation\n"
    "      --seed N           frenkel: seed of the simulation, from 1 (default: 1)\n"
    "  -h, --help             print this text\n"
    "\n"
    "The exit status is 0 if every number is admitted, else 1.\n"
    "\n"
    "Examples:\n"
    "  mercury reproduce dor2010\n"
    "  mercury reproduce dor2010 --run 2 --as-printed\n"
    "  mercury reproduce frenkel --seed 7\n"
    "  mercury reproduce dor2010 --report dor2010.html\n"
    "  mercury reproduce leonards2023\n"
    "  mercury reproduce timetrial2011\n"
    "  mercury reproduce dor2010 --format tsv | awk -F '\\t' '$8 == \"no\"'\n";

enum publication { DOR2010, FRENKEL, LEONARDS2023, TIMETRIAL2011, PUBLICATIONS };

static const char *const publications[PUBLICATIONS] = {"dor2010", "frenkel", "leonards2023", "timetrial2011"};

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

static const struct command_option options[] = {
    COMMAND_CHOICE("run", 0, struct arguments, run, run_names),
    COMMAND_FLAG("as-printed", 0, struct arguments, as_printed),
    COMMAND_CHOICE("format", 'f', struct arguments, tsv, format_names),
    COMMAND_TEXT("report", 0, struct arguments, report),
    COMMAND_FLAG("quiet", 0, struct arguments, quiet),
    COMMAND_WHOLE("seed", 0, struct arguments, seed, 1, UINT32_MAX, NULL),
    COMMAND_OPTIONS_END,
};

/* Options that only one publication takes. */
static int check_options(const struct arguments *a)
{
    const char *other = a->run ? "--run" : a->as_printed ? "--as-printed" : a->report ? "--report" : NULL;
    if (a->publication != DOR2010 && other)
        return why_say(a->why, COMMAND_REFUSED, "%s is an option of dor2010; %s takes %s--format", other,
                       publications[a->publication], a->publication == FRENKEL ? "--seed and " : "");
    if (a->publication != FRENKEL && a->seed)
        return why_say(a->why, COMMAND_REFUSED, "--seed is an option of frenkel; nothing random is in %s",
                       publications[a->publication]);
    return 0;
}

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    int status = command_parse("reproduce", options, argc, argv, 1, a, a->why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(
            a->why, COMMAND_REFUSED,
            "needs a publication: mercury reproduce dor2010, frenkel, leonards2023 or timetrial2011; see "
            "mercury help reproduce");
    for (a->publication = DOR2010; a->publication < PUBLICATIONS; a->publication++)
        if (strcmp(argv[optind], publications[a->publication]) == 0)
            return check_options(a);
    return why_say(a->why, COMMAND_REFUSED,
                   "no such publication '%.60s': expected dor2010, frenkel, leonards2023 or timetrial2011",
                   argv[optind]);
}

/* --- output ---------------------------------------------------------------------------------------------- */

enum { TEXT_COLUMNS = 8, TSV_COLUMNS = 11 };

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

static int write_text(const struct reproduction *r)
{
    static const char *const columns[] = {"fig.", "parameter", "unit",     "printed",
                                          "ours", "measured",  "admitted", "inputs' rounding alone gives"};
    static const int widths[] = {-4, -10, -9, 9, 12, -9, -8, -1};
    char title[16];
    snprintf(title, sizeof title, "run %d", r->run + 1);
    int status =
        result_table_end(reproduction_inputs(r, title, (const int[]){-10, -9, -9, -1}), RESULT_TEXT, stdout);
    struct result_table *table = result_table_new_styled(
        columns, TEXT_COLUMNS, &(struct result_style){.title = "", .widths = widths, .text_number = "%.6g"});
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        const struct reproduced_cell *c = &r->cells[i];
        const struct dor2010_cell *cell = c->cell;
        char figure[8], range[160], least[SHOWN_BYTES], most[SHOWN_BYTES];
        snprintf(figure, sizeof figure, "%d", dor2010_figures[cell->figure].number);
        snprintf(range, sizeof range, "%s .. %s", shown_number(c->least, "%.6g", least),
                 shown_number(c->most, "%.6g", most));
        result_table_add(table, TEXT(figure), TEXT(cell->parameter), TEXT(cell->unit), TEXT(c->printed.text),
                         NUMBER(c->ours), TEXT(measured_text(cell, r, "N/A")),
                         TEXT(c->admitted ? "yes" : "NO"), TEXT(range));
    }
    result_table_note(table, "%zu of %zu cells admitted", r->cell_count - r->not_admitted, r->cell_count);
    note_1bd(r, table);
    putchar('\n');
    return result_table_end(table, RESULT_TEXT, stdout) || status;
}

static int write_tsv(const struct reproduction *r, bool first)
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
    return result_table_end(table, RESULT_TSV, stdout);
}

static void write_header(const struct arguments *a)
{
    const char *inputs = a->as_printed ? "inputs as printed" : "inputs inside their printed rounding";
    if (a->tsv)
        printf("# Dor 2010 (WUCSE-2010-30), Figures 12, 15, 17; %s; admitted: ours rounds to printed\n",
               inputs);
    else
        printf(
            "Dor 2010 (WUCSE-2010-30), Figures 12 and 15 (M/M/1/K (Dor), four and five stages) and 17 (M/M/1, "
            "four); %s\n",
            inputs);
}

static bool is_wanted(const struct arguments *a, int run)
{
    return a->run == 0 || a->run == (unsigned)run + 1;
}

/* The page comes before the text, so that nothing is printed if it cannot be written. */
static int write_report(const struct arguments *a)
{
    bool wanted[DOR2010_RUNS];
    for (int run = 0; run < DOR2010_RUNS; run++)
        wanted[run] = is_wanted(a, run);
    run_output_begin();
    return reproduce_page_write(wanted, a->quiet, a->report, a->why);
}

static int write_run(const struct arguments *a, int run, size_t *not_admitted)
{
    struct reproduction reproduction;
    bool is_page = a->report && strcmp(a->report, "-") == 0;
    int error = reproduction_make(run, a->as_printed, &reproduction);
    if (error)
        return why_say(a->why, COMMAND_FAILED, "run %d: %s", run + 1, model_error_text(error));
    *not_admitted += reproduction.not_admitted;
    if (is_page)
        return 0;
    if (a->tsv ? write_tsv(&reproduction, run == 0 || a->run != 0) : write_text(&reproduction))
        return why_say(a->why, COMMAND_REFUSED, "standard output cannot be written");
    return 0;
}

/* --- all ------------------------------------------------------------------------------------------------- */

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.why = why};
    size_t not_admitted = 0;
    int status = parse_arguments(argc, argv, &a);
    if (status == 0 && a.publication == FRENKEL)
        return frenkel_write(a.seed ? a.seed : 1, a.tsv, why);
    if (status == 0 && a.publication == LEONARDS2023)
        return leonards2023_write(a.tsv, why);
    if (status == 0 && a.publication == TIMETRIAL2011)
        return timetrial2011_write(a.tsv, why);
    if (status == 0 && a.report)
        status = write_report(&a);
    if (status)
        return status;
    bool is_page = a.report && strcmp(a.report, "-") == 0;
    if (!is_page)
        write_header(&a);
    for (int run = 0; run < DOR2010_RUNS && status == 0; run++)
        status = is_wanted(&a, run) ? write_run(&a, run, &not_admitted) : 0;
    if (status)
        return status;
    if (!a.tsv && !is_page)
        putchar('\n');
    if (not_admitted == 0)
        return COMMAND_OK;
    return why_say(why, COMMAND_FAILED, "%zu printed cells are not what these inputs give", not_admitted);
}

const struct command command_reproduce = {
    .name = "reproduce",
    .usage = "reproduce dor2010",
    .purpose = "compute published predictions again",
    .help = command_help,
    .options = options,
    .call = run_command,
};
