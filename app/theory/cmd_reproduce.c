#include "app/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/why.h"
#include "model/model_error.h"
#include "validate/reproduction.h"

static const char command_help[] =
    "Usage: mercury reproduce dor2010 [options]\n"
    "\n"
    "Computes the predictions that R. Dor's report on Mercury BLASTN (WUCSE-2010-30)\n"
    "prints for its two runs, in Figures 12 (four stages, M/M/1/K), 15 (five stages,\n"
    "M/M/1/K) and 17 (four stages, M/M/1).\n"
    "\n"
    "The report prints its inputs to three digits, which do not give its results: a\n"
    "queue near saturation changes by its own length within that rounding. Mercury\n"
    "therefore searches one vector of inputs per run inside the printed rounding, the\n"
    "same for all figures, and prints each published number beside what the models\n"
    "make of these inputs. A number is admitted if ours rounds to it.\n"
    "\n"
    "      --run RUN          1, 2 or both (default)\n"
    "      --as-printed       take the printed digits as they stand, to see which\n"
    "                         numbers they do not give\n"
    "  -f, --format FORMAT    text (default) or tsv\n"
    "  -h, --help             print this text\n"
    "\n"
    "The exit status is 0 if every number is admitted, else 1.\n"
    "\n"
    "Examples:\n"
    "  mercury reproduce dor2010\n"
    "  mercury reproduce dor2010 --run 2 --as-printed\n"
    "  mercury reproduce dor2010 --format tsv | awk -F '\\t' '$8 == \"no\"'\n";

struct arguments {
    unsigned run; /* 1 or 2; 0: both */
    bool as_printed, tsv;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static const char *const run_names[] = {"both", "1", "2", NULL};
static const char *const format_names[] = {"text", "tsv", NULL};

static const struct command_option options[] = {
    COMMAND_CHOICE("run", 0, struct arguments, run, run_names),
    COMMAND_FLAG("as-printed", 0, struct arguments, as_printed),
    COMMAND_CHOICE("format", 'f', struct arguments, tsv, format_names),
    COMMAND_OPTIONS_END,
};

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    int status = command_parse("reproduce", options, argc, argv, 1, a, a->why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(a->why, COMMAND_REFUSED,
                       "needs a publication: mercury reproduce dor2010; see mercury help reproduce");
    if (strcmp(argv[optind], "dor2010") == 0)
        return 0;
    return why_say(a->why, COMMAND_REFUSED, "no such publication '%.60s': expected dor2010", argv[optind]);
}

/* --- output ---------------------------------------------------------------------------------------------- */

static void number_text(double value, char *text, size_t size)
{
    snprintf(text, size, "%.6g", fabs(value) < 1e-300 ? 0.0 : value);
}

static void write_text_inputs(const struct reproduction *r)
{
    printf("  %-10s %-9s %-9s %s\n", "input", "unit", "printed", "used");
    for (int i = 0; i < DOR2010_INPUTS; i++)
        printf("  %-10s %-9s %-9s %.10g\n", dor2010_inputs[i].name, dor2010_inputs[i].unit,
               dor2010_inputs[i].value[r->run], r->inputs[i]);
}

static void write_text(const struct reproduction *r)
{
    static const char format[] = "  %-4s %-10s %-9s %9s %12s  %-9s %-8s %s\n";
    printf("run %d\n", r->run + 1);
    write_text_inputs(r);
    putchar('\n');
    printf(format, "fig.", "parameter", "unit", "printed", "ours", "measured", "admitted",
           "inputs' rounding alone gives");
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        const struct dor2010_cell *cell = &dor2010_cells[i];
        const struct reproduced_cell *c = &r->cells[i];
        char figure[8], value[32], least[32], most[32], range[80];
        snprintf(figure, sizeof figure, "%d", dor2010_figure_number(cell->figure));
        number_text(c->ours, value, sizeof value);
        number_text(c->least, least, sizeof least);
        number_text(c->most, most, sizeof most);
        snprintf(range, sizeof range, "%s .. %s", least, most);
        printf(format, figure, cell->parameter, cell->unit, cell->predicted[r->run], value,
               cell->measured[r->run] ? cell->measured[r->run] : "N/A", c->admitted ? "yes" : "NO", range);
    }
    printf("  %zu of %zu cells admitted\n\n", dor2010_cell_count - r->not_admitted, dor2010_cell_count);
}

static void write_tsv(const struct reproduction *r)
{
    for (int i = 0; i < DOR2010_INPUTS; i++)
        printf("# run %d: %s printed %s %s, used %.17g\n", r->run + 1, dor2010_inputs[i].name,
               dor2010_inputs[i].value[r->run], dor2010_inputs[i].unit, r->inputs[i]);
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        const struct dor2010_cell *cell = &dor2010_cells[i];
        const struct reproduced_cell *c = &r->cells[i];
        printf("%d\t%d\t%s\t%s\t%s\t%.12g\t%s\t%s\t%s\t%.12g\t%.12g\n", r->run + 1,
               dor2010_figure_number(cell->figure), cell->parameter, cell->unit, cell->predicted[r->run],
               c->ours, cell->measured[r->run] ? cell->measured[r->run] : "NA", c->admitted ? "yes" : "no",
               c->admitted_alone ? "yes" : "no", c->least, c->most);
    }
}

static void write_header(const struct arguments *a)
{
    const char *inputs = a->as_printed ? "inputs as printed" : "inputs inside their printed rounding";
    if (a->tsv)
        printf(
            "# Dor 2010 (WUCSE-2010-30), Figures 12, 15, 17; %s; admitted: ours rounds to printed\n"
            "run\tfigure\tparameter\tunit\tprinted\tours\tmeasured\tadmitted\tadmitted_alone\tleast\tmost\n",
            inputs);
    else
        printf("Dor 2010 (WUCSE-2010-30), Figures 12 and 15 (M/M/1/K, four and five stages) and 17 (M/M/1, "
               "four); %s\n\n",
               inputs);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.why = why};
    size_t not_admitted = 0;
    int status = parse_arguments(argc, argv, &a);
    if (status)
        return status;
    write_header(&a);
    for (int run = 0; run < DOR2010_RUNS; run++) {
        struct reproduction reproduction;
        if (a.run != 0 && a.run != (unsigned)run + 1)
            continue;
        int error = reproduction_make(run, a.as_printed, &reproduction);
        if (error)
            return why_say(why, COMMAND_FAILED, "run %d: %s", run + 1, model_error_text(error));
        a.tsv ? write_tsv(&reproduction) : write_text(&reproduction);
        not_admitted += reproduction.not_admitted;
    }
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
