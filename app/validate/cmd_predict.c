#include "app/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/result_table.h"
#include "base/memory.h"
#include "base/why.h"
#include "base/words.h"
#include "base/file/whole_file.h"
#include "model/model_error.h"
#include "model/predict/prediction.h"
#include "model/sums/no_wait.h"
#include "validate/run_operations.h"
#include "validate/run_inputs.h"
#include "app/chain/chain_predict.h"
#include "app/options.inc"

struct arguments {
    struct predict_case base;
    enum result_format format;
    bool passes, list;
    const char *operations, *other; /* paths, or NULL */
    const char *chain, *no_wait;    /* paths, or NULL */
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
        return why_refuse(a->why,
                          "%s: expected --operations PATH with it, the run whose durations "
                          "are taken; see mercury help predict",
                          a->other ? "--for" : "--beyond");
    if (operand)
        return why_refuse(a->why, "unexpected argument '%.100s': --operations has its own PATH", operand);
    if (is_any_given(a, PREDICT_INPUTS) || a->base.digits > 0)
        return why_refuse(a->why, "--operations: --set and --digits are inputs of queueing theory; "
                                  "durations come from the run (or, with --for, from another)");
    return 0;
}

/* @param other  whether only its counts are taken */
static int read_operations(const char *path, bool other, struct operations *operations, struct why *why)
{
    auto_by(run_close) struct run run = {0};
    if (counts_file_is(path))
        return command_status_of(counts_file_take(path, !other, operations, why));
    int status = run_read(path, &run, why);
    if (status == 0)
        status = run_operations_take(&run, operations, why);
    return command_status_of(status);
}

static int predict_operations(const struct arguments *a, const char *operand)
{
    auto_by(run_operations_free) struct operations own = {.passes = 0};
    auto_by(run_operations_free) struct operations other = {.passes = 0};
    struct operations_forecast forecast;
    int status = check_operations(a, operand);
    if (status == 0)
        status = read_operations(a->operations, false, &own, a->why);
    if (status == 0 && a->other)
        status = read_operations(a->other, true, &other, a->why);
    if (status == 0)
        status = command_status_of(
            operations_forecast_make(a->other ? &other : &own, &own, a->beyond, &forecast, a->why));
    if (status == 0)
        operations_write(&forecast, a->passes, a->format, stdout);
    return status;
}

static int predict_chain(const struct arguments *a, const char *operand)
{
    if (operand)
        return why_refuse(a->why, "unexpected argument '%.100s': --chain has its own FILE", operand);
    if (is_any_given(a, PREDICT_LAMBDA) || a->base.digits > 0 || a->passes)
        return why_refuse(
            a->why, "--chain: the table has the inputs of the stages; expected no --set but lambda=L, no "
                    "--digits and no --passes beside it");
    auto_by(chain_file_close) struct chain chain = {0};
    int status = command_status_of(chain_file_read(a->chain, &chain, a->why));
    if (status)
        return status;
    double input_per_s = a->base.given[PREDICT_LAMBDA] ? a->base.value[PREDICT_LAMBDA] : 0;
    if (chain_first_rate_per_s(&chain, input_per_s) > 0)
        return chain_predict(&chain, input_per_s, a->format, stdout, a->why);
    return why_refuse(
        a->why, "nothing comes to stage %s: expected --set lambda=L, elements per second, or an overdrive",
        chain.stages[0].name);
}

/* --- jobs without waiting -------------------------------------------------------------------------------- */

enum { MACHINES_MAX = 64 };

/* A table of jobs, while it is read. */
struct jobs {
    struct words words;
    struct word header;
    size_t machines, count;
    double last[MACHINES_MAX], begin, end, one_by_one;
    struct result_table *table;
};

static void take_job(struct jobs *j, struct word rest)
{
    const struct word name = word_cut(&rest, "\t");
    struct word header = j->header;
    double times[MACHINES_MAX], sum = 0;
    for (size_t u = 0; u < j->machines; u++) {
        const struct word time = rest.text ? word_cut(&rest, "\t") : (struct word){"", 0};
        const struct word machine = word_cut(&header, "\t");
        if (!word_number_within(time, 0, 1e30, false, &times[u]))
            words_refuse(&j->words, NULL, "job %s has '%s' on %s; expected a time from 0",
                         word_show(name).text, word_show(time).text, word_show(machine).text);
        if (j->words.status)
            return;
        sum += times[u];
    }
    if (rest.text)
        words_refuse(&j->words, NULL, "job %s has more than %zu times; expected one for each machine",
                     word_show(name).text, j->machines);
    j->begin += j->count++ > 0 ? no_wait_lead(j->last, times, j->machines) : 0;
    j->end = j->begin + sum;
    j->one_by_one += sum;
    memcpy(j->last, times, sizeof times);
    result_table_add(j->table, TEXT(word_show(name).text), NUMBER(j->begin), NUMBER(j->end));
}

static int predict_jobs(const struct arguments *a)
{
    static const char *const columns[] = {"job", "begin", "end"};
    auto_free char *text = NULL;
    size_t bytes;
    if (whole_file_read(a->no_wait, SIZE_MAX, &text, &bytes, a->why) != 0)
        return COMMAND_REFUSED;
    struct jobs j = {
        .words = {.file = whole_file_name(a->no_wait), .code = COMMAND_REFUSED, .why = a->why},
        .table = result_table_new_styled(columns, 3, &(struct result_style){.schema = "mercury-jobs-1"})};
    words_begin(&j.words, text, bytes);
    while (words_next_line(&j.words)) {
        struct word line = {j.words.begin, (size_t)(j.words.end - j.words.begin)};
        if (line.length == 0 || *line.text == '#')
            continue;
        if (j.machines > 0)
            take_job(&j, line);
        else if (!word_is(word_cut(&line, "\t"), "job") || !line.text)
            words_refuse(&j.words, NULL,
                         "expected a header: job, and the machines in order, with tabs between");
        else
            for (j.header = line; line.text && j.words.status == 0; word_cut(&line, "\t"))
                if (j.machines++ == MACHINES_MAX)
                    words_refuse(&j.words, NULL, "expected at most %d machines", MACHINES_MAX);
    }
    int status = command_status_of(j.words.status);
    if (status == 0 && j.count == 0)
        status =
            why_refuse(a->why, "%.300s: no job in it; expected a header and a line per job", j.words.file);
    result_table_add_fact(j.table, "makespan", NUMBER(j.end));
    result_table_add_fact(j.table, "one_by_one", NUMBER(j.one_by_one));
    if (status)
        result_table_destroy(j.table);
    return status ? status : result_table_save(j.table, a->format, NULL, a->why);
}

/* --- cases ----------------------------------------------------------------------------------------------- */

static int collect_cases(int argc, char **argv, struct arguments *a, struct predict_cases *cases)
{
    bool any = is_any_given(a, PREDICT_INPUTS);
    int status = 0;
    if (optind == argc && (!any || a->passes))
        return why_refuse(a->why, "%s; see mercury help predict",
                          any ? "--passes: expected a summary.json with it"
                              : "needs a summary.json, a table, or inputs, e.g. --set lambda=0.9 --set mu=1");
    if (optind == argc)
        status = predict_case_complete(&a->base, a->why);
    if (optind == argc && status == 0)
        predict_cases_add(cases, &a->base);
    for (int i = optind; i < argc && status == 0; i++) {
        struct run_place run;
        status = run_place_find(argv[i], &run, a->why);
        if (status == 0)
            status = run_inputs_read(run.summary, &a->base, a->passes, cases, a->why);
    }
    return command_status_of(status);
}

static int predict(const struct arguments *a, const struct predict_cases *cases,
                   struct prediction *predictions)
{
    for (size_t i = 0; i < cases->count; i++) {
        int error = prediction_make(&cases->cases[i], &predictions[i]);
        if (error)
            return why_refuse(a->why, "case %s: %s", cases->cases[i].name, model_error_text(error));
    }
    return 0;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.base = predict_case_default("inputs"), .beyond = NAN, .why = why};
    auto_by(predict_cases_free) struct predict_cases cases = {NULL, 0, 0};
    int status = command_parse("predict", options, argc, argv, argc, &a, why);
    if (status == 0 && a.list) {
        predict_inputs_describe(stdout);
        return COMMAND_OK;
    }
    const bool operations = a.operations || a.other || !isnan(a.beyond);
    if (status == 0 && (a.chain != NULL) + operations + (a.no_wait != NULL) > 1)
        return why_refuse(
            why, "--chain, --operations and --no-wait ask for different things: expected one of them");
    if (status == 0 && a.no_wait &&
        (optind < argc || is_any_given(&a, PREDICT_INPUTS) || a.base.digits > 0 || a.passes))
        return why_refuse(why, "--no-wait: expected its FILE and --format, and nothing else");
    if (status == 0 && a.no_wait)
        return predict_jobs(&a);
    if (status == 0 && a.chain)
        return predict_chain(&a, optind < argc ? argv[optind] : NULL);
    if (status == 0 && operations)
        return predict_operations(&a, optind < argc ? argv[optind] : NULL);
    if (status == 0)
        status = collect_cases(argc, argv, &a, &cases);
    auto_free struct prediction *predictions = memory_new(cases.count, sizeof *predictions);
    if (status == 0)
        status = predict(&a, &cases, predictions);
    if (status == 0)
        prediction_write(predictions, cases.count, a.format, stdout);
    return status;
}

const struct command command_predict = {options, run_command};
