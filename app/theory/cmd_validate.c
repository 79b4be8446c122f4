#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "base/result_table.h"
#include "base/whole_file.h"
#include "base/why.h"
#include "validate/validation.h"
#include "app/report/queue_distances.h"
#include "app/report/run_files.h"
#include "app/theory/validate_page.h"

static const char command_help[] =
    "Usage: mercury validate SUMMARY [options]\n"
    "\n"
    "Compares a run with queueing theory. It prints what was simulated, with its\n"
    "interval; what every model predicts (M/M/1, M/M/1/K, M/M/1/K (Dor), M/D/1,\n"
    "M/G/1, M^[X]/G/1, the chain of five stages, the tandem with blocking); and a\n"
    "verdict on each prediction. Then it prints how much predictions change within\n"
    "the rounding of their inputs, which model was best for which queue or signal\n"
    "(none if all are off by more than a factor of 2), and what the differences say\n"
    "about the machine.\n"
    "\n"
    "  SUMMARY                the summary.json of mercury run -o DIR or mercury\n"
    "                         retime, or DIR itself; - is standard input\n"
    "  -f, --format FORMAT    text (default), tsv or json; tsv and json have every\n"
    "                         pass\n"
    "      --passes           print every pass as text, too\n"
    "      --distributions    print instead how often each FIFO of the board held n\n"
    "                         elements, P[N = n] and P[N >= n], beside what models\n"
    "                         of single queues expect, and the total variation\n"
    "                         distance of both. tsv and json have every bin of the\n"
    "                         histograms, which must lie beside SUMMARY\n"
    "      --digits N         inputs are rounded to N significant digits, 1 to 15\n"
    "                         (default 3, as published ones are); that decides on the\n"
    "                         ranges of predictions and on the domains of models\n"
    "      --fail-over PERCENT\n"
    "                         exit with status 1 if a prediction of verdict 'inside'\n"
    "                         differs by more than PERCENT from the run's value, and\n"
    "                         is outside of its interval. Of means below 0.1 elements\n"
    "                         and fractions below 0.01, PERCENT of these count\n"
    "      --report FILE      also write a page to FILE: one HTML file with pictures,\n"
    "                         which needs no network and no script. The queues'\n"
    "                         histograms are on it if they lie beside SUMMARY. With\n"
    "                         -, the page takes the place of the text\n"
    "  -h, --help             print this text\n"
    "\n"
    "Verdicts\n"
    "  outside    The run is outside of the model's domain, and there is a reason\n"
    "             instead of a number: there is no steady state, or a load is 1\n"
    "             within the rounding of its inputs (--digits), or so near to 1 that\n"
    "             queues differ tenfold.\n"
    "  violated   The run does not keep to the model's assumptions (* in the text).\n"
    "  inside     The run keeps to all of them: --fail-over looks at these.\n"
    "  given      The value is an input (= in the text).\n"
    "\n"
    "The assumptions are: rho_o below 0.95, N_Q below K/2, squared coefficients of\n"
    "variation (scv) within a factor of 1.5 of the model's, lag-1 correlation below\n"
    "0.1, and stages held up or queues' signals on in less than 1% of the time. The\n"
    "tandem with blocking expects full queues. If a signal of 1a or 1b is on in more\n"
    "than 10% of the time, its arrivals are those of the blocking itself, and the\n"
    "services that count are those of 1bd.\n"
    "\n"
    "Intervals (+-, half_width) are 95% confidence intervals. With 10 passes or\n"
    "more, the run's interval is Student's t over its passes, taken as replications.\n"
    "The interval of a pass, and that of a run with fewer passes, is for the mean of\n"
    "this machine over this input: Student's t over 10 to 30 batches of blocks inside\n"
    "a pass, taken as independent; passes count by their shares of the time. A note\n"
    "says if neighbouring batches are so similar (lag 1 above 2.6 / sqrt(batches))\n"
    "that these intervals are too narrow, or if one batch makes more than half of the\n"
    "variance: a rare event, whose interval is no better than that. There is no\n"
    "interval (-) if a pass has fewer than 10 blocks, or if the summary is of an\n"
    "older version.\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda.fa -d coli.fa -o out && mercury validate out\n"
    "  mercury validate out --report theory.html && xdg-open theory.html\n"
    "  mercury validate out/summary.json --format tsv | grep -w inside\n"
    "  mercury validate out --fail-over 25 >/dev/null || echo 'theory fails here'\n";

struct arguments {
    const char *path, *report; /* report: NULL if not given */
    enum result_format format;
    bool passes, distributions;
    unsigned digits;
    double fail_over; /* per cent; NaN: never */
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static const struct command_option options[] = {
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_FLAG("passes", 0, struct arguments, passes),
    COMMAND_FLAG("distributions", 0, struct arguments, distributions),
    COMMAND_WHOLE("digits", 0, struct arguments, digits, 1, 15, NULL),
    COMMAND_NUMBER("fail-over", 0, struct arguments, fail_over, 0, 1e6, "a number of per cent from 0 to 1e6"),
    COMMAND_TEXT("report", 0, struct arguments, report),
    COMMAND_OPTIONS_END,
};

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    int status = command_parse("validate", options, argc, argv, 1, a, a->why);
    if (status == 0 && optind == argc)
        return why_say(a->why, COMMAND_REFUSED,
                       "needs the summary.json of a run, or its directory; see mercury help validate");
    a->path = argv[optind];
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

/* The summary, and the directory in which it lies: "" if no other file of the run can be told from its name. */
struct source {
    char path[PATH_MAX], directory[PATH_MAX];
    char *text;
};

static int find_source(const char *path, struct source *source, struct why *why)
{
    int status = run_files_find_summary(path, source->path, why);
    const char *slash = strrchr(source->path, '/'), *last = slash ? slash + 1 : source->path;
    if (strcmp(last, "summary.json") == 0)
        snprintf(source->directory, sizeof source->directory, "%.*s", slash ? (int)(slash - source->path) : 1,
                 slash ? source->path : ".");
    return status;
}

static int check_page(const struct arguments *a, const struct source *source)
{
    struct file_uses uses = {0};
    if (!a->report)
        return 0;
    file_uses_read(&uses, "the summary", source->path);
    if (*source->directory)
        run_files_note(source->directory, &uses);
    file_uses_write(&uses, "--report", a->report);
    int status = command_status_of(file_uses_check(&uses, a->why));
    return status == 0 && output_probe(a->report, a->why) != 0 ? COMMAND_REFUSED : status;
}

static int write_distributions(const struct arguments *a, const struct source *source,
                               const struct validation *v)
{
    struct run_files run;
    int status =
        run_files_open_summary(source->text, *source->directory ? source->directory : NULL, &run, a->why);
    run.validation = *v;
    run.has_models = true;
    if (status == 0 && run.queues[RUN_INGRESS].bin_count == 0)
        status =
            why_say(a->why, COMMAND_REFUSED,
                    "--distributions: expected histograms.tsv beside %.300s; mercury run -o DIR writes it",
                    whole_file_name(source->path));
    if (status == 0 && queue_distances_write(&run, a->format, stdout) != 0)
        status = why_say(a->why, COMMAND_REFUSED, "standard output cannot be written");
    run.validation = (struct validation){0};
    run.has_models = false;
    run_files_close(&run);
    return status;
}

/* The page comes first, so that nothing is printed if it cannot be written. */
static int validate_source(struct arguments *a, struct source *source, struct validation *v)
{
    size_t bytes;
    int status = check_page(a, source);
    if (status == 0)
        status = whole_file_read(source->path, SIZE_MAX, &source->text, &bytes, a->why);
    if (status == 0)
        status = validation_make(source->text, whole_file_name(source->path), a->digits, true, v, a->why);
    if (status)
        return command_status_of(status);
    if (a->report)
        status = validate_page_write(v, source->text, *source->directory ? source->directory : NULL,
                                     a->report, a->why);
    if (status == 0 && a->distributions)
        status = write_distributions(a, source, v);
    if (status)
        validation_destroy(v);
    return status;
}

static int validate_file(struct arguments *a, struct validation *v)
{
    struct source source = {.text = NULL};
    int status = find_source(a->path, &source, a->why);
    if (status == 0)
        status = validate_source(a, &source, v);
    free(source.text);
    return status;
}

/* --- the answer ------------------------------------------------------------------------------------------ */

static int check_over(const struct arguments *a, const struct validation *v)
{
    unsigned row = 0, model = 0;
    unsigned count = isnan(a->fail_over) ? 0 : validation_count_over(v, a->fail_over / 100, &row, &model);
    if (count == 0)
        return 0;
    return why_say(
        a->why, COMMAND_FAILED,
        "%u %s inside the model's domain and more than %g%% off; farthest: %s of %s, %.5g where %.5g "
        "was simulated",
        count, count == 1 ? "prediction is" : "predictions are", a->fail_over, machine_quantities[row].name,
        verdict_model_name(model), v->frames[0].cells[row][model].predicted,
        verdict_simulated(&v->frames[0], row));
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.digits = 3, .fail_over = NAN, .why = why};
    struct validation v;
    int status = parse_arguments(argc, argv, &a);
    if (status == 0)
        status = validate_file(&a, &v);
    if (status)
        return status;
    bool is_page = a.report && strcmp(a.report, "-") == 0;
    if (!is_page && !a.distributions && validation_write(&v, a.passes, a.format, stdout) != 0)
        status = why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    else
        status = check_over(&a, &v);
    validation_destroy(&v);
    return status;
}

const struct command command_validate = {
    .name = "validate",
    .usage = "validate SUMMARY",
    .purpose = "compare a run with every model",
    .help = command_help,
    .options = options,
    .call = run_command,
};
