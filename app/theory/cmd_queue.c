#include "app/theory/cmd_queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "base/command.h"
#include "base/output.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/theory/queue_report.h"
#include "sim/simgrid/simgrid_module.h"

const char cmd_queue_help[] =
    "Usage: mercury queue [options]\n"
    "\n"
    "Simulates a queue, or queues in tandem, in SimGrid. Prints what was measured,\n"
    "with 95% confidence intervals, beside what queueing theory says, so that the\n"
    "engine and the formulas check each other. Nothing of the machine takes part.\n"
    "\n"
    "      --arrivals A      poisson (default), deterministic, or batch:N, which is\n"
    "                        Poisson batches of N customers\n"
    "      --lambda L        customers per second, 1e-6 to 1e6 (default 0.5)\n"
    "      --mu M[,M...]     services per second of each stage, 1e-6 to 1e6 (default\n"
    "                        1)\n"
    "      --service S[,S...]\n"
    "                        exponential (default), deterministic, or mixture:F:R: a\n"
    "                        fraction F of the services takes R times as long as the\n"
    "                        others; the mean is that of --mu\n"
    "      --capacity K[,K...]\n"
    "                        places of each stage, including the server's, up to\n"
    "                        1000000; 0 (default) is unbounded\n"
    "      --overflow O      loss (default): a customer who finds a stage full is\n"
    "                        lost; block: the server or source that sent the customer\n"
    "                        keeps it and stops\n"
    "      --customers N     length of the run in customers that arrive, 1000 to 1e9\n"
    "                        (default 200000)\n"
    "      --until-width P   double the run until the full width of every interval is\n"
    "                        at most P per cent of its value, 0.01 to 100; for loss,\n"
    "                        P_BP and blocking below 0.01, P per cent of 0.01\n"
    "      --most-customers N\n"
    "                        stop doubling at N customers, up to 1e9 (default 1e8)\n"
    "      --warm-up F       fraction of the run to leave out at its beginning, 0 to\n"
    "                        0.9 (default 0.1)\n"
    "      --batches N       number of batches that the rest is cut into, 10 to 1000\n"
    "                        (default 30); must be even with --until-width\n"
    "      --seed S          seed of the random numbers, 1 to 4294967295 (default 1);\n"
    "                        the same seed gives the same bytes\n"
    "      --format F        text (default), tsv or json\n"
    "  -o, --output FILE     write to FILE; - is standard output (default)\n"
    "  -h, --help            print this text\n"
    "\n"
    "A list has one value per stage; a single value stands for all stages. Times are\n"
    "in seconds of your choice: with --mu 1, in mean service times. SimGrid tells\n"
    "dates apart that differ by 1e-13 s.\n"
    "\n"
    "Columns   half_width is that of the 95% interval. M/M/1 and so on are\n"
    "          predictions; ..._in says whether they are inside the interval. N_G and\n"
    "          W_G are of the whole stage, N_Q and W_Q of its queue. P_BP is the\n"
    "          fraction of time in which all places are taken; blocking that in which\n"
    "          a customer has to wait outside.\n"
    "\n"
    "Examples:\n"
    "  mercury queue --lambda 0.8 --until-width 5          # M/M/1, widths below 5%\n"
    "  mercury queue --lambda 1.2 --capacity 4             # M/M/1/4, with loss\n"
    "  mercury queue --lambda 0.5 --service deterministic  # M/D/1: half the queue\n"
    "  mercury queue --lambda 0.8 --mu 1,0.9,1 --capacity 8 --overflow block -o out\n"
    "\n"
    "Intervals are made by batch means: Student's t over --batches parts of the run.\n"
    "The true means of what was drawn (times between arrivals, services) are known;\n"
    "the part of a queue that they explain is taken out of its interval (control\n"
    "variates). A note says if the batches are so short that neighbours resemble each\n"
    "other. Another note says how wide the widest interval is, and how many customers\n"
    "an interval of 5% would take.\n";

struct session {
    struct run_options shared; /* its directory is the file of -o */
    struct queue_line tandem;
    unsigned mu_count, places_count, service_count; /* as given */
    enum result_format format;
    struct queue_line_result result;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

enum {
    OPTION_ARRIVALS = RUN_OPTION_OWN,
    OPTION_LAMBDA,
    OPTION_MU,
    OPTION_SERVICE,
    OPTION_CAPACITY,
    OPTION_OVERFLOW,
    OPTION_CUSTOMERS,
    OPTION_UNTIL_WIDTH,
    OPTION_MOST_CUSTOMERS,
    OPTION_WARM_UP,
    OPTION_BATCHES,
    OPTION_SEED,
    OPTION_FORMAT,
};

static const struct option long_options[] = {
    {"arrivals", required_argument, NULL, OPTION_ARRIVALS},
    {"lambda", required_argument, NULL, OPTION_LAMBDA},
    {"mu", required_argument, NULL, OPTION_MU},
    {"service", required_argument, NULL, OPTION_SERVICE},
    {"capacity", required_argument, NULL, OPTION_CAPACITY},
    {"overflow", required_argument, NULL, OPTION_OVERFLOW},
    {"customers", required_argument, NULL, OPTION_CUSTOMERS},
    {"until-width", required_argument, NULL, OPTION_UNTIL_WIDTH},
    {"most-customers", required_argument, NULL, OPTION_MOST_CUSTOMERS},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    {"batches", required_argument, NULL, OPTION_BATCHES},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int take_number(const char *option, const char *argument, double least, double most,
                       const char *expected, double *number, struct session *s)
{
    return run_options_take_number(option, argument, least, most, expected, number, s->why);
}

static int take_whole(const char *option, const char *argument, uint64_t least, uint64_t most,
                      const char *expected, uint64_t *number, struct session *s)
{
    return run_options_take_whole(option, argument, least, most, expected, number, s->why);
}

static int take_arrivals(struct session *s, const char *argument)
{
    struct queue_line *t = &s->tandem;
    double batch = 1;
    t->arrivals = ARRIVALS_BATCH;
    if (strcmp(argument, "poisson") == 0)
        t->arrivals = ARRIVALS_POISSON;
    else if (strcmp(argument, "deterministic") == 0)
        t->arrivals = ARRIVALS_DETERMINISTIC;
    else if (strncmp(argument, "batch:", 6) != 0 || run_options_number(argument + 6, 1, 10000, &batch) != 0 ||
             batch != floor(batch))
        return run_options_refuse("--arrivals", argument,
                                  "poisson, deterministic, or batch:N, N from 1 to 10000", s->why);
    t->batch = (uint32_t)batch;
    return 0;
}

static int take_mu(struct session *s, const char *value, unsigned stage)
{
    return take_number("--mu", value, 1e-6, 1e6, "services a second, 1e-6 to 1e6 each",
                       &s->tandem.stages[stage].mu_per_s, s);
}

static int take_capacity(struct session *s, const char *value, unsigned stage)
{
    uint64_t places = 0;
    int status = take_whole("--capacity", value, 0, 1000000,
                            "places from 1 to 1000000, or 0 for an unbounded queue, each", &places, s);
    s->tandem.stages[stage].places = (uint32_t)places;
    return status;
}

/* mixture:F:R */
static int parse_mixture(const char *value, struct queue_line_stage *stage)
{
    char fraction[64];
    const char *colon = strchr(value, ':');
    if (!colon || colon == value || (size_t)(colon - value) >= sizeof fraction)
        return -1;
    memcpy(fraction, value, (size_t)(colon - value));
    fraction[colon - value] = '\0';
    stage->service = SERVICE_MIXTURE;
    return run_options_number(fraction, 0, 1, &stage->long_fraction) == 0 &&
                   run_options_number(colon + 1, 1, 1e6, &stage->long_ratio) == 0
               ? 0
               : -1;
}

static int take_service(struct session *s, const char *value, unsigned number)
{
    struct queue_line_stage *stage = &s->tandem.stages[number];
    if (strcmp(value, "exponential") == 0)
        stage->service = SERVICE_EXPONENTIAL;
    else if (strcmp(value, "deterministic") == 0)
        stage->service = SERVICE_DETERMINISTIC;
    else if (strncmp(value, "mixture:", 8) != 0 || parse_mixture(value + 8, stage) != 0)
        return run_options_refuse(
            "--service", value,
            "exponential, deterministic, or mixture:F:R, F from 0 to 1, R from 1 to 1e6, each", s->why);
    return 0;
}

/* A list with a value a stage. */
static int take_list(struct session *s, const char *option, const char *argument, unsigned *count,
                     int (*take)(struct session *, const char *, unsigned))
{
    int status = 0;
    *count = 0;
    for (const char *value = argument; value && status == 0; (*count)++) {
        char one[128];
        const char *comma = strchr(value, ',');
        size_t length = comma ? (size_t)(comma - value) : strlen(value);
        if (*count == QUEUE_LINE_STAGES_MAX || length >= sizeof one)
            return run_options_refuse(option, argument, "a value a stage, for 16 stages at most", s->why);
        memcpy(one, value, length);
        one[length] = '\0';
        status = take(s, one, *count);
        value = comma ? comma + 1 : NULL;
    }
    return status;
}

static int take_overflow(struct session *s, const char *argument)
{
    bool block = strcmp(argument, "block") == 0;
    s->tandem.overflow = block ? OVERFLOW_BLOCK : OVERFLOW_LOSS;
    return block || strcmp(argument, "loss") == 0
               ? 0
               : run_options_refuse("--overflow", argument, "loss or block", s->why);
}

static int take_batches(struct session *s, const char *argument)
{
    uint64_t batches = 0;
    int status = take_whole("--batches", argument, QUEUE_LINE_LEAST_BATCHES, QUEUE_LINE_MOST_BATCHES, NULL,
                            &batches, s);
    s->tandem.batches = (unsigned)batches;
    return status;
}

static int take_seed(struct session *s, const char *argument)
{
    uint64_t seed = 0;
    int status = take_whole("--seed", argument, 1, UINT32_MAX, NULL, &seed, s);
    s->tandem.seed = (unsigned long)seed;
    return status;
}

static int take_width(struct session *s, const char *argument)
{
    double per_cent = 0;
    int status =
        take_number("--until-width", argument, 0.01, 100, "per cent of the value, 0.01 to 100", &per_cent, s);
    s->tandem.until_width = per_cent / 100;
    return status;
}

static int take_option(void *own, int option, const char *argument, struct why *why)
{
    struct session *s = own;
    switch (option) {
    case OPTION_ARRIVALS:
        return take_arrivals(s, argument);
    case OPTION_LAMBDA:
        return take_number("--lambda", argument, 1e-6, 1e6, "customers a second, 1e-6 to 1e6",
                           &s->tandem.lambda_per_s, s);
    case OPTION_MU:
        return take_list(s, "--mu", argument, &s->mu_count, take_mu);
    case OPTION_SERVICE:
        return take_list(s, "--service", argument, &s->service_count, take_service);
    case OPTION_CAPACITY:
        return take_list(s, "--capacity", argument, &s->places_count, take_capacity);
    case OPTION_OVERFLOW:
        return take_overflow(s, argument);
    case OPTION_CUSTOMERS:
        return take_number("--customers", argument, 1000, 1e9, "1000 to 1e9", &s->tandem.customers, s);
    case OPTION_UNTIL_WIDTH:
        return take_width(s, argument);
    case OPTION_MOST_CUSTOMERS:
        return take_number("--most-customers", argument, 1000, 1e9, "1000 to 1e9", &s->tandem.most_customers,
                           s);
    case OPTION_WARM_UP:
        return take_number("--warm-up", argument, 0, 0.9, "a fraction of the run, 0 to 0.9",
                           &s->tandem.warm_up, s);
    case OPTION_BATCHES:
        return take_batches(s, argument);
    case OPTION_SEED:
        return take_seed(s, argument);
    default:
        return result_format_parse(argument, &s->format, why);
    }
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* As many stages as the longest list has values. */
static int spread_lists(struct session *s)
{
    struct queue_line *t = &s->tandem;
    const struct {
        const char *option;
        unsigned count;
    } lists[] = {{"--mu", s->mu_count}, {"--capacity", s->places_count}, {"--service", s->service_count}};
    t->stage_count = larger(larger(s->mu_count, s->places_count), larger(s->service_count, 1));
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (lists[i].count > 1 && lists[i].count != t->stage_count)
            return why_say(s->why, COMMAND_REFUSED,
                           "%s has %u values, another list %u: expected one, or one a stage", lists[i].option,
                           lists[i].count, t->stage_count);
    for (unsigned i = 1; i < t->stage_count; i++) {
        if (s->mu_count <= 1)
            t->stages[i].mu_per_s = t->stages[0].mu_per_s;
        if (s->places_count <= 1)
            t->stages[i].places = t->stages[0].places;
        if (s->service_count <= 1) {
            t->stages[i].service = t->stages[0].service;
            t->stages[i].long_fraction = t->stages[0].long_fraction;
            t->stages[i].long_ratio = t->stages[0].long_ratio;
        }
    }
    return 0;
}

static int parse_options(int argc, char **argv, struct session *s)
{
    struct run_option_parser parser = {
        .command = "queue",
        .letters = ":o:h",
        .options = long_options,
        .shared = &s->shared,
        .own = s,
        .take_own = take_option,
    };
    int status = run_options_parse(&parser, argc, argv, s->why);
    if (status || s->shared.help)
        return status;
    status = run_options_refuse_operand("queue", argc, argv, s->why);
    if (status == 0)
        status = spread_lists(s);
    return status == 0 && queue_line_check(&s->tandem, s->why) != 0 ? COMMAND_REFUSED : status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int simulate(struct session *s)
{
    if (s->shared.directory && output_probe(s->shared.directory, s->why) != 0)
        return COMMAND_REFUSED;
    const struct simgrid_module *simgrid = simgrid_module(s->why);
    if (!simgrid)
        return COMMAND_REFUSED;
    if (simgrid->run_queue_line(&s->tandem, &s->result, s->why) != 0)
        return COMMAND_FAILED;
    return queue_report_save(&s->tandem, &s->result, s->format, s->shared.directory, s->why);
}

int cmd_queue(int argc, char **argv, struct why *why)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return why_no_memory(why, COMMAND_FAILED);
    *s = (struct session){.tandem = queue_line_default(), .why = why};
    int status = parse_options(argc, argv, s);
    if (status == 0 && s->shared.help) {
        fputs(cmd_queue_help, stdout);
    } else if (status == 0) {
        run_output_watch_signals();
        status = simulate(s);
    }
    free(s);
    return status;
}
