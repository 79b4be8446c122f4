#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/why.h"
#include "model/model_error.h"
#include "model/predict/prediction.h"
#include "validate/run_inputs.h"
#include "validate/run_operations.h"
#include "app/report/run_files.h"
#include "app/chain/chain_predict.h"

static const char command_help[] =
    "Usage: mercury predict [FILE...] [--set NAME=VALUE ...] [options]\n"
    "       mercury predict --chain FILE [--set lambda=L] [-f FORMAT]\n"
    "       mercury predict --operations PATH [--for PATH] [--passes] [-f FORMAT]\n"
    "\n"
    "Says what queueing theory predicts for the accelerator, or for one queue,\n"
    "without a simulation. The models are M/M/1, M/M/1/K, M/M/1/K (Dor), M/D/1,\n"
    "M/G/1, M^[X]/G/1, chains of four and five stages with their bottlenecks (Dor\n"
    "2010), and a tandem with blocking, which also predicts back-pressure and rates.\n"
    "M/M/1/K takes lambda as offered, and loses what finds K; for the accelerator\n"
    "it begins with supply. M/M/1/K (Dor) takes lambda as what enters. Outside of\n"
    "its domain a model gives a reason instead of a number.\n"
    "\n"
    "  FILE                   the directory of mercury run -o DIR, its summary.json,\n"
    "                         or a table of inputs; - is standard input. Without FILE\n"
    "                         the inputs are those of --set\n"
    "      --set NAME=VALUE   give one input; may be repeated. It replaces what a\n"
    "                         summary has measured\n"
    "      --passes           predict each pass of a summary, too; with --operations,\n"
    "                         print the residual of each pass\n"
    "      --chain FILE       predict a designer's own chain, up to 1000 stages (see\n"
    "                         below). L elements/s come to the first stage beside\n"
    "                         its overdrive\n"
    "      --operations PATH  take the passes of a run (directory or summary.json)\n"
    "                         as random sums of operations (Frenkel): counts, shares\n"
    "                         and durations, mean and variance of a pass's time with\n"
    "                         the measurement, residuals, design effect, tail index,\n"
    "                         and whether independence holds\n"
    "      --for PATH         take the counts of this run, with the durations of the\n"
    "                         run of --operations; also say whether the shares of\n"
    "                         both may be the same\n"
    "      --digits N         rates and fractions are known to N significant digits,\n"
    "                         1 to 15. There is no number if a load is 1 within that\n"
    "                         rounding, or so near to 1 that queues differ tenfold\n"
    "                         (default: 3 for measured inputs of a summary; inputs\n"
    "                         that are given are exact)\n"
    "  -f, --format FORMAT    text (default), tsv or json\n"
    "      --list             print name, unit, default and meaning of every input\n"
    "  -h, --help             print this text\n"
    "\n"
    "A table of inputs is tab-separated: a header line of names, then one line per\n"
    "case. Lines with # are notes; NA or nothing stands for a default; a column\n"
    "`case` names the cases.\n"
    "\n"
    "The accelerator needs lambda_in, P_1a, P_1b and P_2 (and P_1bp for five stages;\n"
    "M_1b, or mu_1b with M_2, for blocking). One queue needs lambda and mu, and K,\n"
    "scv, batch_mean, batch_second for the models that use them.\n"
    "\n"
    "A chain is a tab-separated table: a header line, then a line per stage in the\n"
    "order of flow; # begins a note, NA or nothing stands for a default. Columns, by\n"
    "the letters of Dor (2010), in any order:\n"
    "  stage      its name\n"
    "  C          its clock, Hz (133MHz, 250e6)\n"
    "  R          operations per clock (default 1)\n"
    "  M          operations per element (default 1): mu = R C / M\n"
    "  S          servers, each with the rate mu (default 1)\n"
    "  P_f        fraction of the elements that are passed on, by chance (default 1)\n"
    "  F          what each that was passed on becomes here, at once (default 1): a\n"
    "             number, on average, from 1 on; or 1/n: n that come make one\n"
    "  K          places, the servers' included; 0: no bound (default). M/M/1/K loses\n"
    "             what finds them taken; blocking, if every stage has K, holds it up\n"
    "  overdrive  elements per second of the stage before that are added (default 0)\n"
    "  service    exponential (default), deterministic, erlang:K, gamma:SCV,\n"
    "             mixture:F:R or trace:FILE, as in mercury queue, which simulates\n"
    "             the chain: mercury queue --chain FILE. With C NA a trace gives mu\n"
    "  out        trace:FILE: how many elements of the next stage each one becomes,\n"
    "             whole numbers, one a line, in place of P_f and of the next F\n"
    "  on         NAME: the one server of that earlier stage serves this one, too,\n"
    "             first come first served, as a memory port does\n"
    "  to         NAME:P: a part P of what is served goes back to that earlier stage,\n"
    "             or to this one\n"
    "  almost_full\n"
    "             places that are free when the stage before stops to begin elements\n"
    "             (default 0: it begins them, and holds what finds no place)\n"
    "\n"
    "Examples:\n"
    "  mercury predict out\n"
    "  mercury predict --chain my-chain.tsv --set lambda=90e6\n"
    "  mercury predict --set lambda_in=722 --set P_1a=0.0346 --set P_1b=0.765 \\\n"
    "      --set P_2=0.00035 --set P_1bp=0.892 --set M_2=0.406 --set mu_1b=49.97\n"
    "  mercury predict --set lambda=0.9 --set mu=1 --set K=10 --set scv=13\n"
    "  mercury predict out --set fifo_sram=1000 --format json\n"
    "  mercury predict --operations out\n"
    "  mercury predict --operations slow --for out -f tsv\n"
    "  printf 'lambda\\tmu\\n0.5\\t1\\n2\\t1\\n' | mercury predict - --format tsv\n";

struct arguments {
    struct predict_case base;
    enum result_format format;
    bool passes, list;
    const char *operations, *other; /* paths, or NULL */
    const char *chain;              /* path, or NULL */
    struct why *why;
};

static int take_set(void *data, const char *value, struct why *why)
{
    struct arguments *a = data;
    return predict_case_assign(&a->base, value, why) ? COMMAND_REFUSED : 0;
}

static const struct command_option options[] = {
    COMMAND_OWN_REPEATED("set", take_set),
    COMMAND_FLAG("passes", 0, struct arguments, passes),
    COMMAND_WHOLE("digits", 0, struct arguments, base.digits, 1, 15, NULL),
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_TEXT("chain", 0, struct arguments, chain),
    COMMAND_TEXT("operations", 0, struct arguments, operations),
    COMMAND_TEXT("for", 0, struct arguments, other),
    COMMAND_FLAG("list", 0, struct arguments, list),
    COMMAND_OPTIONS_END,
};

/* --- operations ------------------------------------------------------------------------------------------ */

/* @param but  an input that does not count, or PREDICT_INPUTS */
static bool is_any_given(const struct arguments *a, int but)
{
    bool any = false;
    for (int i = 0; i < PREDICT_INPUTS; i++)
        any = any || (a->base.given[i] && i != but);
    return any;
}

static int check_operations(const struct arguments *a, const char *operand)
{
    if (!a->operations)
        return why_say(a->why, COMMAND_REFUSED,
                       "--for: expected --operations PATH with it, the run whose durations "
                       "are taken; see mercury help predict");
    if (operand)
        return why_say(a->why, COMMAND_REFUSED, "unexpected argument '%.100s': --operations has its own PATH",
                       operand);
    if (is_any_given(a, PREDICT_INPUTS) || a->base.digits > 0)
        return why_say(a->why, COMMAND_REFUSED,
                       "--operations: --set and --digits are inputs of queueing theory; "
                       "durations come from the run (or, with --for, from another)");
    return 0;
}

static int read_operations(const char *path, struct operations *operations, struct why *why)
{
    struct run run;
    int status = run_read(path, &run, why);
    if (status == 0)
        status = run_operations_take(&run, operations, why);
    run_close(&run);
    return command_status_of(status);
}

static int predict_operations(const struct arguments *a, const char *operand)
{
    struct operations own = {.passes = 0}, other = {.passes = 0};
    struct operations_forecast forecast;
    int status = check_operations(a, operand);
    if (status == 0)
        status = read_operations(a->operations, &own, a->why);
    if (status == 0 && a->other)
        status = read_operations(a->other, &other, a->why);
    if (status == 0)
        status =
            command_status_of(operations_forecast_make(a->other ? &other : &own, &own, &forecast, a->why));
    if (status == 0 && operations_write(&forecast, a->passes, a->format, stdout) != 0)
        status = why_say(a->why, COMMAND_REFUSED, "standard output cannot be written");
    run_operations_free(&other);
    run_operations_free(&own);
    return status;
}

static int predict_chain(const struct arguments *a, const char *operand)
{
    if (operand)
        return why_say(a->why, COMMAND_REFUSED, "unexpected argument '%.100s': --chain has its own FILE",
                       operand);
    if (is_any_given(a, PREDICT_LAMBDA) || a->base.digits > 0 || a->passes)
        return why_say(a->why, COMMAND_REFUSED,
                       "--chain: the table has the inputs of the stages; expected no --set but lambda=L, no "
                       "--digits and no --passes beside it");
    struct chain chain;
    int status = command_status_of(chain_file_read(a->chain, &chain, a->why));
    if (status)
        return status;
    double input_per_s = a->base.given[PREDICT_LAMBDA] ? a->base.value[PREDICT_LAMBDA] : 0;
    if (chain_first_rate_per_s(&chain, input_per_s) > 0)
        status = chain_predict(&chain, input_per_s, a->format, stdout, a->why);
    else
        status = why_say(
            a->why, COMMAND_REFUSED,
            "nothing comes to stage %s: expected --set lambda=L, elements per second, or an overdrive",
            chain.stages[0].name);
    chain_file_close(&chain);
    return status;
}

/* --- cases ----------------------------------------------------------------------------------------------- */

static int collect_cases(int argc, char **argv, struct arguments *a, struct predict_cases *cases)
{
    bool any = is_any_given(a, PREDICT_INPUTS);
    int status = 0;
    if (optind == argc && (!any || a->passes))
        return why_say(a->why, COMMAND_REFUSED, "%s; see mercury help predict",
                       any ? "--passes: expected a summary.json with it"
                           : "needs a summary.json, a table, or inputs, e.g. --set lambda=0.9 --set mu=1");
    if (optind == argc)
        status = predict_case_complete(&a->base, a->why);
    if (optind == argc && status == 0)
        status = predict_cases_add(cases, &a->base);
    for (int i = optind; i < argc && status == 0; i++) {
        char path[PATH_MAX];
        status = run_files_find_summary(argv[i], path, a->why);
        if (status == 0)
            status = run_inputs_read(path, &a->base, a->passes, cases, a->why);
    }
    return command_status_of(status);
}

static int predict(const struct arguments *a, const struct predict_cases *cases,
                   struct prediction *predictions)
{
    for (size_t i = 0; i < cases->count; i++) {
        int error = prediction_make(&cases->cases[i], &predictions[i]);
        if (error)
            return why_say(a->why, COMMAND_REFUSED, "case %s: %s", cases->cases[i].name,
                           model_error_text(error));
    }
    return 0;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.base = predict_case_default("inputs"), .why = why};
    struct predict_cases cases = {NULL, 0, 0};
    int status = command_parse("predict", options, argc, argv, argc, &a, why);
    if (status == 0 && a.list) {
        predict_inputs_describe(stdout);
        return COMMAND_OK;
    }
    if (status == 0 && a.chain && (a.operations || a.other))
        return why_say(why, COMMAND_REFUSED,
                       "--chain and --operations ask for two things: expected one of them");
    if (status == 0 && a.chain)
        return predict_chain(&a, optind < argc ? argv[optind] : NULL);
    if (status == 0 && (a.operations || a.other))
        return predict_operations(&a, optind < argc ? argv[optind] : NULL);
    if (status == 0)
        status = collect_cases(argc, argv, &a, &cases);
    struct prediction *predictions = status == 0 ? calloc(cases.count, sizeof *predictions) : NULL;
    if (status == 0 && !predictions)
        status = why_no_memory(why, COMMAND_REFUSED);
    if (status == 0)
        status = predict(&a, &cases, predictions);
    if (status == 0 && prediction_write(predictions, cases.count, a.format, stdout) != 0)
        status = why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    free(predictions);
    predict_cases_free(&cases);
    return status;
}

const struct command command_predict = {
    .name = "predict",
    .usage = "predict FILE",
    .purpose = "ask queueing theory only",
    .help = command_help,
    .options = options,
    .call = run_command,
};
