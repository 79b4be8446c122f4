#include "app/commands.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/result_table.h"
#include "base/why.h"
#include "model/model_error.h"
#include "model/predict_inputs.h"
#include "model/prediction.h"

static const char command_help[] =
    "Usage: mercury predict [FILE...] [--set NAME=VALUE ...] [options]\n"
    "\n"
    "Says what queueing theory predicts for the accelerator, or for one queue,\n"
    "without a simulation. The models are M/M/1, M/M/1/K, M/D/1, M/G/1, M^[X]/G/1,\n"
    "chains of four and five stages with their bottlenecks (Dor 2010), and a tandem\n"
    "with blocking, which also predicts back-pressure and rates. Outside of its\n"
    "domain a model gives a reason instead of a number.\n"
    "\n"
    "  FILE                   the summary.json of mercury run -o DIR, or a table of\n"
    "                         inputs; - is standard input. Without FILE the inputs\n"
    "                         are those of --set\n"
    "      --set NAME=VALUE   give one input; may be repeated. It replaces what a\n"
    "                         summary has measured\n"
    "      --passes           predict each pass of a summary, too\n"
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
    "M_1b or mu_1b for blocking). One queue needs lambda and mu, and K, scv,\n"
    "batch_mean, batch_second for the models that use them.\n"
    "\n"
    "Examples:\n"
    "  mercury predict out/summary.json\n"
    "  mercury predict --set lambda_in=722 --set P_1a=0.0346 --set P_1b=0.765 \\\n"
    "      --set P_2=0.00035 --set P_1bp=0.892 --set M_2=0.406 --set mu_1b=49.97\n"
    "  mercury predict --set lambda=0.9 --set mu=1 --set K=10 --set scv=13\n"
    "  mercury predict out/summary.json --set fifo_sram=1000 --format json\n"
    "  printf 'lambda\\tmu\\n0.5\\t1\\n2\\t1\\n' | mercury predict - --format tsv\n";

struct arguments {
    struct predict_case base;
    enum result_format format;
    bool passes, list;
    struct why *why;
};

static int take_set(void *data, const char *value, struct why *why)
{
    struct arguments *a = data;
    return predict_case_assign(&a->base, value, why) ? COMMAND_REFUSED : 0;
}

static const struct command_option options[] = {
    COMMAND_OWN("set", 0, take_set),
    COMMAND_FLAG("passes", 0, struct arguments, passes),
    COMMAND_WHOLE("digits", 0, struct arguments, base.digits, 1, 15, NULL),
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_FLAG("list", 0, struct arguments, list),
    COMMAND_OPTIONS_END,
};

/* --- cases ----------------------------------------------------------------------------------------------- */

static int assigned_case(struct arguments *a, struct predict_cases *cases)
{
    bool any = false;
    for (int i = 0; i < PREDICT_INPUTS; i++)
        any = any || a->base.given[i];
    if (!any || a->passes)
        return why_say(a->why, COMMAND_REFUSED, "%s; see mercury help predict",
                       any ? "--passes: expected a summary.json with it"
                           : "needs a summary.json, a table, or inputs, e.g. --set lambda=0.9 --set mu=1");
    int error = predict_case_complete(&a->base, a->why);
    return command_status_of(error ? error : predict_cases_add(cases, &a->base));
}

static int collect_cases(int argc, char **argv, struct arguments *a, struct predict_cases *cases)
{
    int status = optind == argc ? assigned_case(a, cases) : 0;
    for (int i = optind; i < argc && status == 0; i++)
        status = command_status_of(predict_cases_read(argv[i], &a->base, a->passes, cases, a->why));
    return status;
}

static int predict(const struct arguments *a, const struct predict_cases *cases,
                   struct prediction *predictions)
{
    for (size_t i = 0; i < cases->count; i++) {
        int error = prediction_make(&cases->cases[i], &predictions[i]);
        if (error) {
            int status = error == MODEL_EMEMORY ? COMMAND_FAILED : COMMAND_REFUSED;
            return why_say(a->why, status, "case %s: %s", cases->cases[i].name, model_error_text(error));
        }
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
    if (status == 0)
        status = collect_cases(argc, argv, &a, &cases);
    struct prediction *predictions = status == 0 ? calloc(cases.count, sizeof *predictions) : NULL;
    if (status == 0 && !predictions)
        status = why_no_memory(why, COMMAND_FAILED);
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
