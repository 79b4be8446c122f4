#include "app/theory/cmd_validate.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/why.h"
#include "base/command.h"
#include "base/result_table.h"
#include "validate/validation.h"

const char cmd_validate_help[] =
    "Usage: mercury validate SUMMARY [options]\n"
    "\n"
    "Compares a run with queueing theory. For every quantity it prints the simulated\n"
    "value with its interval, the prediction of every model (M/M/1, M/M/1/K, M/D/1,\n"
    "M/G/1, M^[X]/G/1, the chain of five stages, the tandem with blocking) and a\n"
    "verdict on each prediction. It then says how far predictions move while their\n"
    "inputs move within their rounding, which model was best for which quantity, and\n"
    "what the differences tell about the machine.\n"
    "\n"
    "SUMMARY is the summary.json of mercury run -o DIR or mercury retime, or DIR\n"
    "itself; - is standard input.\n"
    "\n"
    "  -f, --format FORMAT      text (default), tsv or json; tsv and json have every\n"
    "                           pass\n"
    "      --passes             print every pass as text, too\n"
    "      --digits N           the inputs are rounded to N significant digits, 1 to\n"
    "                           15 (default 3, as in publications); this decides the\n"
    "                           ranges of predictions and the models' domains\n"
    "      --fail-over PERCENT  exit with status 1 if a prediction with the verdict\n"
    "                           'inside' differs from the run's value by more than\n"
    "                           PERCENT and lies outside its interval; means below\n"
    "                           0.1 elements count as 0.1, fractions below 0.01 as\n"
    "                           0.01\n"
    "  -h, --help               print this text\n"
    "\n"
    "Verdicts\n"
    "  outside   The run is outside the model's domain: there is a reason instead of\n"
    "            a number. The queue has no steady state, or its load is 1 within the\n"
    "            rounding of the inputs (--digits), or so near to 1 that queues\n"
    "            differ tenfold within the rounding.\n"
    "  violated  The model has a number, but the run does not keep to the model's\n"
    "            assumptions. The text says which; the number is marked *.\n"
    "  inside    The model has a number, and the run keeps to all its assumptions.\n"
    "            --fail-over looks at these predictions.\n"
    "  given     The value is an input of the model. The number is marked =.\n"
    "\n"
    "An assumption counts as kept if rho_o is below 0.95, N_Q is below K/2, squared\n"
    "coefficients of variation (scv) are within a factor of 1.5 of what the model\n"
    "assumes, lag-1 correlations are below 0.1, and stages are held up and signals of\n"
    "queues are on in less than 1% of the time. The tandem with blocking expects full\n"
    "queues: if a signal of 1a or 1b is on in more than 10% of the time, the pattern\n"
    "of its arrivals is made by blocking itself, and the services that count are\n"
    "those of 1bd.\n"
    "\n"
    "Intervals (+-, half_width) are 95% confidence intervals. With 10 passes or more,\n"
    "the interval of the run is Student's t over the passes as replications. The\n"
    "interval of a pass, and of a run with fewer passes, is that of this machine's\n"
    "mean over this input: Student's t over the 10 to 30 batches of blocks in a pass,\n"
    "taken as independent; passes are weighted with their shares of the time. The\n"
    "output says if neighbouring batches resemble each other (lag 1 above\n"
    "2.6 / sqrt(batches)), because the interval is too narrow then, and if a single\n"
    "batch makes more than half of the variance, because the interval of a rare event\n"
    "is not reliable. There is no interval (-) if a pass has fewer than 10 blocks or\n"
    "if an older version wrote the summary.\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda.fa -d coli.fa -o out && mercury validate out\n"
    "  mercury validate out/summary.json --format tsv | grep -w inside\n"
    "  mercury validate out --fail-over 25 >/dev/null || echo 'theory fails'\n";

struct arguments {
    const char *path;
    enum result_format format;
    bool passes;
    unsigned digits;
    double fail_over; /* per cent; NaN: never */
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

const struct command_option cmd_validate_options[] = {
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_FLAG("passes", 0, struct arguments, passes),
    COMMAND_WHOLE("digits", 0, struct arguments, digits, 1, 15, NULL),
    COMMAND_NUMBER("fail-over", 0, struct arguments, fail_over, 0, 1e6, "a number of per cent from 0 to 1e6"),
    COMMAND_OPTIONS_END,
};

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    int status = command_parse("validate", cmd_validate_options, argc, argv, 1, a, a->why);
    if (status == 0 && optind == argc)
        return why_say(a->why, COMMAND_REFUSED,
                       "needs the summary.json of a run, or its directory; see mercury help validate");
    a->path = argv[optind];
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static char *read_all(FILE *file)
{
    char *text = NULL, part[65536];
    size_t size = 0, got;
    FILE *memory = open_memstream(&text, &size);
    while (memory && (got = fread(part, 1, sizeof part, file)) > 0)
        fwrite(part, 1, got, memory);
    if (memory && fclose(memory) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static FILE *open_summary(struct arguments *a, char *path, size_t size)
{
    struct stat about;
    bool directory = stat(a->path, &about) == 0 && S_ISDIR(about.st_mode);
    snprintf(path, size, "%s%s", a->path, directory ? "/summary.json" : "");
    FILE *file = fopen(path, "r");
    if (!file)
        why_say(a->why, 0, "%.300s: %s", path, strerror(errno));
    return file;
}

static int validate_file(struct arguments *a, struct validation *v)
{
    char path[4200] = "standard input";
    bool standard = strcmp(a->path, "-") == 0;
    FILE *file = standard ? stdin : open_summary(a, path, sizeof path);
    if (!file)
        return COMMAND_REFUSED;
    char *text = read_all(file);
    int status = COMMAND_FAILED;
    if (!text)
        why_no_memory(a->why, 0);
    else if (ferror(file))
        why_say(a->why, 0, "%.300s: cannot be read", path);
    else
        status = validation_make(text, path, a->digits, true, v, a->why);
    if (!standard)
        fclose(file);
    free(text);
    return status == 0 || status == COMMAND_FAILED ? status
           : status == VALIDATION_EMEMORY          ? COMMAND_FAILED
                                                   : COMMAND_REFUSED;
}

/* --- the answer ------------------------------------------------------------------------------------------ */

static int write_validation(const struct arguments *a, const struct validation *v)
{
    int error = a->format == RESULT_JSON  ? validation_write_json(v, stdout)
                : a->format == RESULT_TSV ? validation_write_tsv(v, stdout)
                                          : validation_write_text(v, a->passes, stdout);
    if (error == 0)
        return 0;
    return why_say(a->why, COMMAND_REFUSED, "standard output cannot be written");
}

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

int cmd_validate(int argc, char **argv, struct why *why)
{
    struct arguments a = {.digits = 3, .fail_over = NAN, .why = why};
    struct validation v;
    int status = parse_arguments(argc, argv, &a);
    if (status == 0)
        status = validate_file(&a, &v);
    if (status)
        return status;
    status = write_validation(&a, &v);
    if (status == 0)
        status = check_over(&a, &v);
    validation_destroy(&v);
    return status;
}
