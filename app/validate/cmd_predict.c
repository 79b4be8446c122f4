#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/why.h"
#include "model/model_error.h"
#include "model/predict/prediction.h"
#include "validate/counts_file.h"
#include "validate/run_inputs.h"
#include "validate/run_operations.h"
#include "app/report/run_files.h"
#include "app/chain/chain_predict.h"
#include "app/options.inc"

struct arguments {
    struct predict_case base;
    enum result_format format;
    bool passes, list;
    const char *operations, *other; /* paths, or NULL */
    const char *chain;              /* path, or NULL */
    double beyond;                  /* NaN if not given */
    struct why *why;
};

static int take_set(void *data, const char *value, struct why *why)
{
    struct arguments *a = data;
    return predict_case_assign(&a->base, value, why) ? COMMAND_REFUSED : 0;
}

static const struct command_option options[] = COMMAND_OPTIONS(PREDICT_OPTIONS);

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
                       "%s: expected --operations PATH with it, the run whose durations "
                       "are taken; see mercury help predict",
                       a->other ? "--for" : "--beyond");
    if (operand)
        return why_say(a->why, COMMAND_REFUSED, "unexpected argument '%.100s': --operations has its own PATH",
                       operand);
    if (is_any_given(a, PREDICT_INPUTS) || a->base.digits > 0)
        return why_say(a->why, COMMAND_REFUSED,
                       "--operations: --set and --digits are inputs of queueing theory; "
                       "durations come from the run (or, with --for, from another)");
    return 0;
}

/* @param other  whether only its counts are taken */
static int read_operations(const char *path, bool other, struct operations *operations, struct why *why)
{
    struct run run;
    if (counts_file_is(path))
        return command_status_of(counts_file_take(path, !other, operations, why));
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
        status = read_operations(a->operations, false, &own, a->why);
    if (status == 0 && a->other)
        status = read_operations(a->other, true, &other, a->why);
    if (status == 0)
        status = command_status_of(
            operations_forecast_make(a->other ? &other : &own, &own, a->beyond, &forecast, a->why));
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
    struct arguments a = {.base = predict_case_default("inputs"), .beyond = NAN, .why = why};
    struct predict_cases cases = {NULL, 0, 0};
    int status = command_parse("predict", options, argc, argv, argc, &a, why);
    if (status == 0 && a.list) {
        predict_inputs_describe(stdout);
        return COMMAND_OK;
    }
    if (status == 0 && a.chain && (a.operations || a.other || !isnan(a.beyond)))
        return why_say(why, COMMAND_REFUSED,
                       "--chain and --operations ask for two things: expected one of them");
    if (status == 0 && a.chain)
        return predict_chain(&a, optind < argc ? argv[optind] : NULL);
    if (status == 0 && (a.operations || a.other || !isnan(a.beyond)))
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

const struct command command_predict = {options, run_command};
