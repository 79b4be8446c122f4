#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/file/scratch_file.h"
#include "base/why.h"
#include "model/predict/prediction.h"
#include "validate/run_inputs.h"
#include "app/bound/run_bounds.h"
#include "app/rank/rank_link.h"
#include "app/run/recorded_run.h"
#include "app/run/run_session.h"

static const char command_help[] =
#include "app/bound_help.inc"
    ;

struct arguments {
    struct run_request request; /* its files, if there is no run, and its machine */
    enum result_format format;
};

static const struct command_option options[] = {
    COMMAND_TABLE(search_options_of_files, struct arguments, request.search),
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_TABLE(run_options_of_passes, struct arguments, request.shared),
    COMMAND_OPTIONS_END,
};

/* The run whose bounds are asked for. */
struct job {
    char record_path[PATH_MAX], platform_path[PATH_MAX];
    struct token_record *record;
    struct platform *platform;
    struct hardware hardware;
    struct run run;
    struct run_bounds bounds;
};

/* --- tokens, machine and times of the run ---------------------------------------------------------------- */

/* Compare the sequences, and record their tokens in a file without a name. */
static int make_record(const struct run_request *asked, struct job *job, struct why *why)
{
    const int file = scratch_file_descriptor();
    struct run_request request = *asked;
    if (file < 0)
        return scratch_file_refuse(why, COMMAND_FAILED);
    snprintf(job->record_path, sizeof job->record_path, "/proc/self/fd/%d", file);
    request.record = job->record_path;
    request.only_record = true;
    int status = run_session(&request, why);
    if (status == 0)
        status = command_status_of(token_record_open(job->record_path, &job->record, why));
    close(file); /* the record is mapped */
    return status;
}

/* A run has its tokens beside it, and its times unless it is to be timed on another machine. */
static int open_run(const char *path, const struct run_options *o, struct job *job, struct why *why)
{
    int status = recorded_run_find(path, job->record_path, "a record", why);
    if (status == 0)
        status = command_status_of(token_record_open(job->record_path, &job->record, why));
    if (status == 0 && strcmp(path, job->record_path) != 0 && !run_options_name_machine(o) &&
        o->assignment_count == 0)
        status = command_status_of(run_read(path, &job->run, why));
    return status;
}

/* Time the run if that is not done. */
static int time_run(const struct run_options *o, struct job *job, struct why *why)
{
    const struct token_record_facts *facts = &token_record_run(job->record)->facts;
    int status = recorded_machine_load(o, facts, job->record_path, &job->hardware, job->platform_path,
                                       &job->platform, why);
    if (status == 0 && job->run.has_machine)
        job->hardware = job->run.hardware;
    if (status == 0)
        status = run_bounds_check(&job->hardware, why);
    return status || job->run.summary ? status
                                      : recorded_run_take(job->record, &job->hardware, job->platform,
                                                          job->record_path, &job->run, why);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

/* When the stage that saturates first would have done its work: the throughput of M/M/1, and of all theory in which
 * stages are independent. Stage 1b has the mean of its lookups' clocks, not what was measured of it under
 * back-pressure. NaN without a number. */
static double theory_s(const struct run *run)
{
    const double *in = run->whole.counters, bytes = in[PCIX_DATABASE_BYTES];
    const double clocks =
        in[S1B_SEEDS] - in[S1B_LOOKUPS_DUPLICATE] + in[S1B_TRIPS] * run->whole.gauges[GAUGE_TRIP_CYCLES];
    struct predict_case base = predict_case_default("run");
    base.value[PREDICT_M_2] = fmin(1, in[S1B_SRAM_READS] / clocks);
    base.given[PREDICT_M_2] = clocks > 0;
    struct predict_cases cases = {0};
    struct prediction p;
    struct why ignored;
    double rate = NAN;
    if (run_inputs_take(run, &base, false, &cases, &ignored) == 0 &&
        prediction_make_chains(&cases.cases[0], &p) == 0 &&
        p.parts[PREDICTION_FOUR].whole.bottleneck.stage >= 0)
        rate = p.parts[PREDICTION_FOUR].whole.bottleneck.input_per_s;
    predict_cases_free(&cases);
    return bytes / rate;
}

static struct result_table *make_table(const struct job *job, enum result_format format)
{
    static const char *const columns[] = {"queue",   "places", "enough", "N_seen", "N_most",
                                          "N_loose", "W_seen", "W_most", "W_loose"};
    static const struct result_style style = {.schema = "mercury-bounds-1"};
    const struct run_bounds *r = &job->bounds;
    const double theory = theory_s(&job->run);
    struct result_table *table = result_table_new_styled(columns, sizeof columns / sizeof columns[0], &style);
    char text[160];
    snprintf(text, sizeof text, "at least %.4g ms, at most %.4g ms; simulated %.4g ms, M/M/1 %.4g ms",
             1e3 * r->least_s, 1e3 * r->most_s, 1e3 * r->seen_s, 1e3 * theory);
    const struct result_member members[] = {{"least_s", NUMBER(r->least_s)},
                                            {"most_s", NUMBER(r->most_s)},
                                            {"simulated_s", NUMBER(r->seen_s)},
                                            {"theory_s", NUMBER(theory)}};
    result_table_add_object(table, "stream", text, members, sizeof members / sizeof members[0]);
    result_table_add_fact(table, "fifos", TEXT(r->flows ? "never full with these data" : "can be full"));
    for (unsigned i = 0; i < FLOW_QUEUES; i++) {
        const struct queue_bounds *q = &r->queue[i];
        char enough[32]; /* more digits than other numbers of a text have */
        snprintf(enough, sizeof enough, "%6.0f", q->enough);
        const struct result_cell whole =
            format == RESULT_TEXT && isfinite(q->enough) ? TEXT(enough) : NUMBER(q->enough);
        result_table_add(
            table, TEXT(board_fifos[i].name), NUMBER(q->places), whole, NUMBER(q->seen_elements),
            NUMBER(q->elements), NUMBER(q->seen_elements > 0 ? q->elements / q->seen_elements : NAN),
            NUMBER(q->seen_wait), NUMBER(q->wait), NUMBER(q->seen_wait > 0 ? q->wait / q->seen_wait : NAN));
    }
    result_table_note(table,
                      "N: elements in a queue, W: clocks that one waits; seen: in the simulation, most: "
                      "bound, loose: bound / seen; enough: places with which no queue signals "
                      "back-pressure, if all queues have them");
    return table;
}

static int answer(const struct job *job, enum result_format format, struct why *why)
{
    const char *outside = run_bounds_outside(&job->bounds);
    if (result_table_end(make_table(job, format), format, stdout) != 0)
        return why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    return outside ? why_say(why, COMMAND_FAILED,
                             "%s is outside its bound: a bug of Mercury's, please report it", outside)
                   : 0;
}

static int bound(const struct arguments *a, const char *path, struct why *why)
{
    const struct run_options none = run_options_default();
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return why_no_memory(why, COMMAND_FAILED);
    job->hardware = hardware_default();
    int status = path ? open_run(path, &a->request.shared, job, why) : make_record(&a->request, job, why);
    if (status == 0)
        status = time_run(path ? &a->request.shared : &none, job, why);
    if (status == 0)
        status = run_bounds_find(job->record, job->record_path, &job->hardware, &job->run, &job->bounds, why);
    if (status == 0)
        status = answer(job, a->format, why);
    run_close(&job->run);
    platform_close(job->platform);
    token_record_close(job->record);
    free(job);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.request = {.shared = run_options_default(), .search = search_options_default()}};
    int status;
    if (rank_link_refuse("bounds are found by one process; use -j instead of mpirun", &status, why))
        return status;
    status = command_parse("bound", options, argc, argv, 1, &a, why);
    if (status == 0)
        status = search_options_complete(&a.request.search, why);
    const struct search_options *search = &a.request.search;
    const bool has_run = optind < argc;
    if (status == 0 && (has_run ? search->query || search->database : !search->query || !search->database))
        return why_say(
            why, COMMAND_REFUSED,
            "needs the directory of a run or its record, or else a query (-q FILE) and a database (-d "
            "FILE); see mercury help bound");
    return status ? status : bound(&a, has_run ? argv[optind] : NULL, why);
}

const struct command command_bound = {
    .name = "bound",
    .usage = "bound RUN",
    .purpose = "say what can never happen with these data",
    .help = command_help,
    .options = options,
    .call = run_command,
};
