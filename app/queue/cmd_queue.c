#include "app/commands.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/draw/picture.h"
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
#include "app/options.inc"

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
    const char *plot;       /* picture of a closed network; NULL: none */
    const char *chain_path; /* file of a chain; NULL: none */
    struct chain chain;
    double scale;                                 /* of the chain's line */
    unsigned overflow;                            /* enum queue_line_overflow; OVERFLOWS if it is not given */
    bool arrives;                                 /* --arrivals is given */
    double share;                                 /* of the first of two classes; 0: there are none */
    unsigned discipline;                          /* of `disciplines` */
    double mean_arrival_s;                        /* of its trace; NaN without one */
    double mean_service_s[QUEUE_LINE_STAGES_MAX]; /* the same of services */
    struct queue_network network;
    struct queue_network_result network_result;
    struct queue_watch_request watch;
    struct why *why;
};

#define MMPP_EXPECTED                                                                                        \
    "mmpp:R1:R2:Q12:Q21, numbers per second from 0 on: Q12 or Q21 above 0, and arrivals in a state that lasts"

enum { OVERFLOWS = OVERFLOW_BLOCK + 1 };

/* A format that is not given. */
#define NO_FORMAT RESULT_HTML

/* --- arguments ------------------------------------------------------------------------------------------- */

static int take_arrivals(void *data, const char *argument, struct why *why)
{
    struct session *s = data;
    struct queue_line *t = &s->tandem;
    double batch = 1, mmpp[4];
    s->arrives = true;
    duration_file_close(&t->arrivals);
    if (strncmp(argument, "mmpp:", 5) == 0) {
        struct word rest = word_of(argument + 5);
        bool good = true;
        for (unsigned i = 0; i < 4; i++)
            good = word_number_within(word_cut(&rest, ":"), 0, 1e15, false, &mmpp[i]) && good;
        if (!good || rest.text || !(mmpp[2] + mmpp[3] > 0) || !(mmpp[0] * mmpp[3] + mmpp[1] * mmpp[2] > 0))
            return command_refuse("--arrivals", argument, MMPP_EXPECTED, why);
        t->arrivals = duration_mmpp(mmpp, mmpp + 2, &s->mean_arrival_s);
        return 0;
    }
    if (strncmp(argument, "batch:", 6) != 0)
        return duration_file_read(word_of(argument), "--arrivals",
                                  "poisson, batch:N, mmpp:R1:R2:Q12:Q21, " DURATION_EXPECTED, &t->arrivals,
                                  &s->mean_arrival_s, why);
    if (command_number(argument + 6, 1, 10000, &batch) != 0 || batch != floor(batch))
        return command_refuse("--arrivals", argument, "batch:N, N from 1 to 10000", why);
    t->arrivals = duration_gamma(1);
    t->stages[0].factor = batch;
    return 0;
}

static const char *const overflow_names[] = {[OVERFLOW_LOSS] = "loss", [OVERFLOW_BLOCK] = "block", NULL};

enum { FIFO, PRIORITY };
static const char *const disciplines[] = {[FIFO] = "fifo", [PRIORITY] = "priority", NULL};

static const struct command_option options[] = COMMAND_OPTIONS(QUEUE_OPTIONS);

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
        return why_refuse(s->why,
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

/* The lists have been taken as if classes were stages. */
static int take_classes(struct session *s)
{
    struct queue_line *t = &s->tandem;
    double mean_s = 0, second = 0;
    if (t->stage_count != QUEUE_LINE_CLASSES || t->stages[0].places > 0 || t->stages[0].servers > 1)
        return why_refuse(
            s->why,
            "--classes: expected one stage of one server, without --capacity, and lists of one value or "
            "of two, one for each class");
    t->priority = s->discipline == PRIORITY;
    t->class_count = QUEUE_LINE_CLASSES;
    t->stage_count = 1;
    for (unsigned k = 0; k < QUEUE_LINE_CLASSES; k++) {
        const double share = k == 0 ? s->share : 1 - s->share, service_s = 1 / t->stages[k].mu_per_s;
        t->classes[k] = (struct queue_line_class){share, t->stages[k].mu_per_s, t->stages[k].service};
        mean_s += share * service_s;
        second += share * (1 + duration_scv(&t->classes[k].service)) * service_s * service_s;
    }
    t->stages[0].mu_per_s = 1 / mean_s;
    t->stages[0].service = duration_gamma(fmax(0, second / (mean_s * mean_s) - 1));
    return 0;
}

/* A tandem has as many stages as the longest list has values. */
static int take_tandem(struct session *s)
{
    int status = 0;
    if (isnan(s->tandem.lambda_per_s))
        s->tandem.lambda_per_s = queue_line_default().lambda_per_s;
    if (s->share > 0)
        s->tandem.stage_count = QUEUE_LINE_CLASSES;
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
    if (status == 0 && s->share > 0)
        status = take_classes(s);
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
                        : s->share > 0                            ? "--classes"
                                                                  : NULL;
    for (enum list i = 0; i < LISTS; i++)
        other = s->lists[i] ? lists[i].option : other;
    return other ? why_refuse(s->why, "%s: expected no %s beside it", what, other) : 0;
}

static int check_files(const struct session *s, const char *option, const char *path)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, option, path);
    file_uses_write(&uses, "-o", s->path);
    file_uses_write(&uses, "--plot", s->plot);
    return s->plot ? file_uses_probe(&uses, s->why) : file_uses_check(&uses, s->why);
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
        return why_refuse(s->why, "--arrivals batch:N beside --chain: expected column F of its "
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
        return why_refuse(s->why, "--measure: expected -o DIR, which gets measured.tsv");
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
    bool cut;
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
    status = queue_watch_end(watch, status, &cut, s->why);
    if (status)
        return status;
    if (s->closed)
        return closed_report_save(&s->network, &s->network_result, format, path, s->plot, s->why);
    if (s->chain_path)
        chain_line_restore(s->scale, &s->tandem, &s->result);
    if (directory)
        status =
            queue_files_write(&s->tandem, &s->result, s->chain_path, directory, s->watch.measure, s->why);
    if (status == 0)
        status = result_table_save(queue_report_make(&s->tandem, &s->result, format), format, path, s->why);
    if (status == 0 && cut && format == RESULT_TEXT && !path)
        printf("the drawing of the run ended at %d MiB; what it shows until then is right\n",
               WATCH_BYTES >> 20);
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
    if (isnan(s->tandem.lambda_per_s) && !s->closed)
        s->tandem.lambda_per_s = 1 / s->mean_arrival_s;
    if (status == 0 && s->discipline == PRIORITY && s->share == 0)
        status = why_refuse(
            why,
            "--discipline priority: expected --classes SHARE, the part of the customers that goes first");
    if (status == 0 && s->plot && (!s->closed || !picture_format(s->plot) || strcmp(s->plot, "-") == 0))
        status = why_refuse(
            why, "--plot '%.200s': expected %s", s->plot,
            s->closed ? "a name that ends in .svg, .png or .pdf"
                      : "--closed beside it; other queues have pictures in the directory of -o DIR");
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
    for (unsigned k = 0; k < s->tandem.class_count; k++)
        duration_file_close(&s->tandem.classes[k].service);
    free(s);
    return status;
}

const struct command command_queue = {options, run_command};
