#include "app/commands.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/chain/chain_file.h"
#include "app/chain/chain_predict.h"
#include "app/chain/duration_file.h"
#include "app/queue/closed_file.h"
#include "app/chain/queue_files.h"
#include "app/chain/queue_report.h"
#include "app/chain/queue_simulate.h"
#include "app/chain/queue_watch.h"

static const char command_help[] =
    "Usage: mercury queue [options]\n"
    "       mercury queue --chain FILE [options]\n"
    "       mercury queue --closed FILE [options]\n"
    "\n"
    "Simulates one queue, or several in tandem, in SimGrid. Prints the measurements\n"
    "with 95% confidence intervals beside the predictions of queueing theory, so that\n"
    "the engine and the formulas check each other. No part of the Mercury machine is\n"
    "in it. With --closed, it simulates a closed network instead, in which customers\n"
    "go round for ever, beside exact mean value analysis (MVA).\n"
    "\n"
    "Queues\n"
    "      --arrivals A       poisson (default), batch:N for Poisson batches of N\n"
    "                         customers, or a law of --service: of the times between\n"
    "                         two arrivals\n"
    "      --lambda L         customers per second, 1e-6 to 1e6 (default 0.5, or that\n"
    "                         of a trace)\n"
    "      --mu M[,M...]      services per second and stage, 1e-6 to 1e6 (default 1,\n"
    "                         or those of traces)\n"
    "      --servers C[,C...] servers of a stage, each with the rate of --mu, up to\n"
    "                         1000 (default 1)\n"
    "      --service S[,S...] the law of the services, of which --mu gives the mean:\n"
    "  exponential            (default), deterministic, erlang:K of K phases, or\n"
    "  gamma:SCV              with this squared coefficient of variation\n"
    "  mixture:F:R            a fraction F takes R times as long as the others\n"
    "  trace:FILE             times in seconds, one a line, as mercury run exports\n"
    "                         them, and again from the first after the last\n"
    "      --capacity K[,K...]\n"
    "                         places of a stage, including the servers', up to\n"
    "                         1000000; 0: unbounded (default)\n"
    "      --overflow O       what happens to a customer that finds a stage full:\n"
    "                         loss, or block: the customer stays in the server or\n"
    "                         source that it comes from, which stops (default: loss;\n"
    "                         with --chain block, as a pipeline loses nothing)\n"
    "A list has one value per stage; a single value holds for all stages. Times are\n"
    "in seconds of your choice: with --mu 1, in mean service times. SimGrid\n"
    "distinguishes dates that differ by 1e-13 s.\n"
    "\n"
    "A designer's chain\n"
    "      --chain FILE       the stages of a table, in which elements are filtered\n"
    "                         and become others (mercury help predict says how to\n"
    "                         write it). --lambda is then the rate of elements that\n"
    "                         come to the first stage (default: its overdrive alone),\n"
    "                         up to 1e15; --customers counts that stage's elements\n"
    "\n"
    "Closed networks\n"
    "      --closed FILE      centres and classes of customers, one a line; a file, -\n"
    "                         for standard input, or a name from data/networks.\n"
    "                         Words are separated by blanks, # begins a comment:\n"
    "  centre NAME time=T     T is the mean service; or rate=R, services per second\n"
    "    servers=C            servers (default 1), or all: one for each customer\n"
    "    service=S            the law of the services, as of --service\n"
    "    speeds=V,V,...       in place of servers: the centre's rate with 1, 2, ...\n"
    "                         customers, in units of R; the last one for all above\n"
    "    power=A:N            the same as a power of the load: (k / N)^A up to N\n"
    "  class NAME population=N\n"
    "    visits=C:V,C:V,...   visits to centres C per passage (default V: 1)\n"
    "    route=C>D:P,...      or probabilities P (default 1) to go from C to D; the\n"
    "                         first C has one visit per passage\n"
    "The throughput of a class is in passages per second.\n"
    "\n"
    "Length of the run\n"
    "      --customers N      number of customers that arrive, 1000 to 1e9 (default\n"
    "                         200000); with --closed, number of services\n"
    "      --until-width P    double the run until every interval is at most P per\n"
    "                         cent of its value wide from end to end, 0.01 to 100.\n"
    "                         If loss, P_BP or holds_up is below 0.01, P per cent of\n"
    "                         0.01 count\n"
    "      --most-customers N with --until-width, stop at N customers, up to 1e9\n"
    "                         (default 1e8)\n"
    "      --warm-up F        fraction of the run that is left out at its beginning,\n"
    "                         0 to 0.9 (default 0.1)\n"
    "      --batches N        number of batches for the intervals, 10 to 1000\n"
    "                         (default 30); an even number with --until-width\n"
    "      --seed S           seed of the random numbers, 1 to 4294967295 (default 1)\n"
    "\n"
    "Output\n"
    "  -f, --format F         text (default), tsv or json\n"
    "  -o, --output DIR       write report.html (a page with pictures), summary.json,\n"
    "                         and tables of the distributions, of all batches and of\n"
    "                         verdicts on every model to DIR, for mercury report,\n"
    "                         plot, diff and validate; with -f or --closed the name of\n"
    "                         a file instead; - is standard output (default)\n"
    "      --measure FILE     with -o DIR: answer the directives of FILE (mercury help\n"
    "                         measure) in measured.tsv, at the taps NAME, a stage\n"
    "                         (rate, utilisation, occupancy, back_pressure), and\n"
    "                         NAME_queue (occupancy); frames are of seconds\n"
    "      --timeline FILE    write how many wait and are served at each stage, for\n"
    "                         ui.perfetto.dev\n"
    "      --vcd FILE         the same as waveforms, for GTKWave and Surfer; both end\n"
    "                         after 64 MiB\n"
    "  -h, --help             print this text\n"
    "\n"
    "Columns: half_width is half of the 95% interval. The text has the predictions\n"
    "of one model for each stage, an exact one if there is any; tsv and json have\n"
    "those of all. covered and MODEL_covers say whether the interval covers the\n"
    "prediction. N_G and W_G are of the stage, N_Q and W_Q of its queue; N_G_p90 is\n"
    "the number that is exceeded in 10% of the time, W_G_p90 the time that 10% of the\n"
    "customers exceed, P[N>=n] and P[N=n] (tsv, json) parts of the time, and tv half\n"
    "of the sum of all differences between a model's P[N=n] and these. P_BP: all\n"
    "places are taken. holds_up: somebody has to wait outside. Of what no customer of\n"
    "n had, a probability up to 3/n is covered; one below 1e-9 counts as 0.\n"
    "\n"
    "Intervals are found by batch means and Student's t. The means of what was drawn\n"
    "(times between arrivals, services) are known, and what they explain of a queue\n"
    "is taken out of its interval (control variates). A note says if batches are so\n"
    "short that neighbours resemble each other; another says how wide the widest\n"
    "interval is, and how long a run for 5% would be.\n"
    "\n"
    "Examples:\n"
    "  mercury queue --lambda 0.8 --until-width 5          # M/M/1, intervals of 5%\n"
    "  mercury queue --lambda 1.2 --capacity 4             # M/M/1/4, with loss\n"
    "  mercury queue --lambda 3 --servers 4                # M/M/4\n"
    "  mercury queue --lambda 0.5 --service deterministic  # M/D/1: a shorter queue\n"
    "  mercury queue --lambda 0.8 --mu 1,0.9,1 --capacity 8 --overflow block -f tsv\n"
    "  mercury queue --chain chain.tsv --lambda 2e6 -o out && xdg-open out/report.html\n"
    "  mercury queue --closed two-boards                   # two boards share a bus\n";

/* Options with one value for each stage, or one for all stages. */
enum list { MU, CAPACITY, SERVERS, SERVICE, LISTS };

static const struct {
    const char *option, *otherwise, *expected;
} lists[LISTS] = {
    [MU] = {"--mu", "1", "services per second, from 1e-6 to 1e6 each"},
    [CAPACITY] = {"--capacity", "0", "places from 1 to 1000000, or 0 for an unbounded queue, each"},
    [SERVERS] = {"--servers", "1", "a whole number from 1 to 1000 each"},
    [SERVICE] = {"--service", "exponential", DURATION_EXPECTED ", each"},
};

struct session {
    struct queue_line tandem;
    const char *path;         /* of --output; NULL: standard output */
    const char *lists[LISTS]; /* as given; NULL: the default */
    enum result_format format;
    struct queue_line_result result;
    const char *closed;     /* file or name of a closed network; NULL: a tandem */
    const char *chain_path; /* file of a chain; NULL: none */
    struct chain chain;
    double scale;                                 /* of the chain's line */
    unsigned overflow;                            /* enum queue_line_overflow; OVERFLOWS if it is not given */
    bool arrives;                                 /* --arrivals is given */
    double mean_arrival_s;                        /* of its trace; NaN without one */
    double mean_service_s[QUEUE_LINE_STAGES_MAX]; /* the same of services */
    struct queue_network network;
    struct queue_network_result network_result;
    struct queue_watch_request watch;
    struct why *why;
};

enum { OVERFLOWS = OVERFLOW_BLOCK + 1 };

/* A format that is not given. */
#define NO_FORMAT RESULT_HTML

/* --- arguments ------------------------------------------------------------------------------------------- */

static int take_arrivals(void *data, const char *argument, struct why *why)
{
    struct session *s = data;
    struct queue_line *t = &s->tandem;
    double batch = 1;
    s->arrives = true;
    duration_file_close(&t->arrivals);
    if (strncmp(argument, "batch:", 6) != 0)
        return duration_file_read(word_of(argument), "--arrivals", "poisson, batch:N, " DURATION_EXPECTED,
                                  &t->arrivals, &s->mean_arrival_s, why);
    if (command_number(argument + 6, 1, 10000, &batch) != 0 || batch != floor(batch))
        return command_refuse("--arrivals", argument, "batch:N, N from 1 to 10000", why);
    t->arrivals = duration_gamma(1);
    t->stages[0].factor = batch;
    return 0;
}

static const char *const overflow_names[] = {[OVERFLOW_LOSS] = "loss", [OVERFLOW_BLOCK] = "block", NULL};

static const struct command_option options[] = {
    COMMAND_OWN("arrivals", 0, take_arrivals),
    COMMAND_NUMBER("lambda", 0, struct session, tandem.lambda_per_s, 1e-6, 1e15,
                   "customers per second, from 1e-6 to 1e6 (1e15 with --chain)"),
    COMMAND_TEXT("chain", 0, struct session, chain_path),
    COMMAND_TEXT("mu", 0, struct session, lists[MU]),
    COMMAND_TEXT("service", 0, struct session, lists[SERVICE]),
    COMMAND_TEXT("servers", 0, struct session, lists[SERVERS]),
    COMMAND_TEXT("capacity", 0, struct session, lists[CAPACITY]),
    COMMAND_CHOICE("overflow", 0, struct session, overflow, overflow_names),
    COMMAND_TEXT("closed", 0, struct session, closed),
    COMMAND_NUMBER("customers", 0, struct session, tandem.run.customers, 1000, 1e9,
                   "a number from 1000 to 1e9"),
    COMMAND_PERCENT("until-width", 0, struct session, tandem.run.until_width, 0.01, 100,
                    "per cent of the value, from 0.01 to 100"),
    COMMAND_NUMBER("most-customers", 0, struct session, tandem.run.most_customers, 1000, 1e9,
                   "a number from 1000 to 1e9"),
    COMMAND_NUMBER("warm-up", 0, struct session, tandem.run.warm_up, 0, 0.9,
                   "a fraction of the run, from 0 to 0.9"),
    COMMAND_WHOLE("batches", 0, struct session, tandem.run.batches, QUEUE_LEAST_BATCHES, QUEUE_MOST_BATCHES,
                  NULL),
    COMMAND_WHOLE("seed", 0, struct session, tandem.run.seed, 1, UINT32_MAX, NULL),
    COMMAND_CHOICE("format", 'f', struct session, format, result_format_names),
    COMMAND_TEXT("output", 'o', struct session, path),
    COMMAND_TEXT("measure", 0, struct session, watch.measure),
    COMMAND_TEXT("timeline", 0, struct session, watch.timeline),
    COMMAND_TEXT("vcd", 0, struct session, watch.vcd),
    COMMAND_OPTIONS_END,
};

static unsigned value_count(const char *text)
{
    unsigned count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    return count;
}

static int take_list(struct session *s, enum list list)
{
    struct word rest = word_of(s->lists[list]), value = rest;
    unsigned count = value_count(s->lists[list]), stages = s->tandem.stage_count;
    if (count > 1 && count != stages)
        return why_say(s->why, COMMAND_REFUSED,
                       "%s has %u values, another list has %u: expected one value, or one per stage",
                       lists[list].option, count, stages);
    for (unsigned i = 0; i < stages; i++) {
        value = i < count ? word_cut(&rest, ",") : value;
        struct queue_line_stage *stage = &s->tandem.stages[i];
        double number = 1;
        if (list == SERVICE && duration_file_read(value, "--service", lists[SERVICE].expected,
                                                  &stage->service, &s->mean_service_s[i], s->why) != 0)
            return COMMAND_REFUSED;
        bool good = list == MU         ? word_number_within(value, 1e-6, 1e6, false, &stage->mu_per_s)
                    : list == CAPACITY ? word_number_within(value, 0, 1000000, true, &number)
                    : list == SERVERS  ? word_number_within(value, 1, 1000, true, &number)
                                       : true;
        if (!good)
            return command_refuse(lists[list].option, word_show(value).text, lists[list].expected, s->why);
        if (list == CAPACITY)
            stage->places = (uint32_t)number;
        if (list == SERVERS)
            stage->servers = (uint32_t)number;
    }
    return 0;
}

/* A tandem has as many stages as the longest list has values. */
static int take_tandem(struct session *s)
{
    int status = 0;
    if (isnan(s->tandem.lambda_per_s))
        s->tandem.lambda_per_s =
            isnan(s->mean_arrival_s) ? queue_line_default().lambda_per_s : 1 / s->mean_arrival_s;
    const bool has_mu = s->lists[MU];
    if (s->overflow != OVERFLOWS)
        s->tandem.overflow = s->overflow;
    for (enum list i = 0; i < LISTS; i++) {
        s->lists[i] = s->lists[i] ? s->lists[i] : lists[i].otherwise;
        unsigned count = value_count(s->lists[i]);
        if (count > QUEUE_LINE_STAGES_MAX)
            return command_refuse(lists[i].option, s->lists[i], "one value per stage, for 64 stages at most",
                                  s->why);
        s->tandem.stage_count = count > s->tandem.stage_count ? count : s->tandem.stage_count;
    }
    for (enum list i = 0; i < LISTS && status == 0; i++)
        status = take_list(s, i);
    for (unsigned i = 0; i < s->tandem.stage_count && !has_mu; i++)
        if (!isnan(s->mean_service_s[i]))
            s->tandem.stages[i].mu_per_s = 1 / s->mean_service_s[i];
    return status == 0 && queue_line_check(&s->tandem, s->why) != 0 ? COMMAND_REFUSED : status;
}

/* Refuse options that say again, or otherwise, what a file says. @param alone  the file says all that is simulated */
static int refuse_beside(const struct session *s, const char *what, bool alone)
{
    const char *other = !alone && s->closed                       ? "--closed"
                        : alone && s->watch.vcd                   ? "--vcd"
                        : alone && s->watch.timeline              ? "--timeline"
                        : alone && s->watch.measure               ? "--measure"
                        : alone && s->arrives                     ? "--arrivals"
                        : alone && !isnan(s->tandem.lambda_per_s) ? "--lambda"
                        : alone && s->overflow != OVERFLOWS       ? "--overflow"
                                                                  : NULL;
    for (enum list i = 0; i < LISTS; i++)
        other = s->lists[i] ? lists[i].option : other;
    return other ? why_say(s->why, COMMAND_REFUSED, "%s: expected no %s beside it", what, other) : 0;
}

static int check_files(const struct session *s, const char *option, const char *path)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, option, path);
    file_uses_write(&uses, "-o", s->path);
    return file_uses_check(&uses, s->why);
}

/* What is said of the run holds for both kinds. */
static int take_network(struct session *s)
{
    if (refuse_beside(s, "--closed describes the whole network", true) != 0)
        return COMMAND_REFUSED;
    s->network.run = s->tandem.run;
    char shipped[PATH_MAX + 16], path[PATH_MAX];
    snprintf(shipped, sizeof shipped, "networks/%s", s->closed);
    bool is_name = strcmp(s->closed, "-") != 0 && access(s->closed, F_OK) != 0 && *s->closed &&
                   run_options_find_data(shipped, path, sizeof path);
    if (check_files(s, "--closed", is_name ? path : s->closed) != 0 ||
        closed_file_read(is_name ? path : s->closed, &s->network, s->why) != 0)
        return COMMAND_REFUSED;
    return queue_network_check(&s->network, s->why) == 0
               ? 0
               : why_precede(s->why, COMMAND_REFUSED, "%.300s: ", s->closed);
}

/* The table says everything of the stages. */
static int take_chain(struct session *s)
{
    if (refuse_beside(s, "--chain describes all stages", false) != 0)
        return COMMAND_REFUSED;
    if (s->tandem.stages[0].factor > 1)
        return why_say(s->why, COMMAND_REFUSED,
                       "--arrivals batch:N beside --chain: expected column F of its "
                       "first stage to say how many come at once");
    s->tandem.overflow = s->overflow == OVERFLOWS ? OVERFLOW_BLOCK : s->overflow;
    if (check_files(s, "--chain", s->chain_path) != 0)
        return COMMAND_REFUSED;
    return queue_simulate_open_chain(s->chain_path, s->tandem.lambda_per_s, &s->chain, &s->tandem, &s->scale,
                                     s->why);
}

static int check_watch(const struct session *s, const char *directory)
{
    struct file_uses uses = {0};
    if (s->watch.measure && !directory)
        return why_say(s->why, COMMAND_REFUSED, "--measure: expected -o DIR, which gets measured.tsv");
    file_uses_read(&uses, "--chain", s->chain_path);
    queue_watch_note(&s->watch, &uses);
    return file_uses_check(&uses, s->why);
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int simulate(struct session *s)
{
    const char *directory =
        s->path && s->format == NO_FORMAT && !s->closed && strcmp(s->path, "-") != 0 ? s->path : NULL;
    const char *path = directory ? NULL : s->path;
    const enum result_format format = s->format == NO_FORMAT ? RESULT_TEXT : s->format;
    char measured[PATH_MAX];
    struct queue_watch *watch = NULL;
    if (directory ? queue_files_hold(directory, s->chain_path, s->why) != 0
                  : path && output_probe(path, s->why) != 0)
        return COMMAND_REFUSED;
    s->watch.measured = queue_files_measured(directory, s->watch.measure, measured);
    if (check_watch(s, directory) != 0)
        return COMMAND_REFUSED;
    if ((s->watch.vcd || s->watch.timeline || s->watch.measure) &&
        !(watch = queue_watch_begin(&s->watch, &s->tandem, s->chain_path ? s->scale : 1, s->why)))
        return COMMAND_REFUSED;
    int status =
        queue_simulate(s->closed ? NULL : &s->tandem, &s->result, &s->network, &s->network_result, s->why);
    status = queue_watch_end(watch, status, s->why);
    if (status)
        return status;
    if (s->closed)
        return closed_report_save(&s->network, &s->network_result, format, path, s->why);
    if (s->chain_path)
        chain_line_restore(s->scale, &s->tandem, &s->result);
    if (directory)
        status =
            queue_files_write(&s->tandem, &s->result, s->chain_path, directory, s->watch.measure, s->why);
    if (status == 0)
        status = result_table_save(queue_report_make(&s->tandem, &s->result, format), format, path, s->why);
    if (status == 0 && directory)
        printf("  %s/     report.html  summary.json  validation.tsv  (mercury explain WORD)\n", directory);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return why_no_memory(why, COMMAND_REFUSED);
    *s = (struct session){
        .tandem = queue_line_default(), .overflow = OVERFLOWS, .format = NO_FORMAT, .why = why};
    s->tandem.lambda_per_s = s->mean_arrival_s = NAN; /* not given */
    int status = command_parse("queue", options, argc, argv, 0, s, why);
    if (status == 0)
        status = s->chain_path ? take_chain(s) : s->closed ? take_network(s) : take_tandem(s);
    if (status == 0) {
        run_output_begin();
        status = simulate(s);
    }
    free(s->result.frames);
    closed_file_release(&s->network);
    chain_file_close(&s->chain);
    duration_file_close(&s->tandem.arrivals);
    for (unsigned i = 0; i < s->tandem.stage_count && !s->chain_path; i++)
        duration_file_close(&s->tandem.stages[i].service);
    free(s);
    return status;
}

const struct command command_queue = {
    .name = "queue",
    .usage = "queue --lambda L --mu M",
    .purpose = "simulate plain queues",
    .help = command_help,
    .options = options,
    .call = run_command,
};
