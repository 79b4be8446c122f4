#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/draw/result_table.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "base/why.h"
#include "validate/run_bounds.h"
#include "app/rank/rank_link.h"
#include "app/run/recorded_run.h"
#include "app/run/run_session.h"
#include "app/options.inc"

struct arguments {
    struct run_request request; /* its files, if there is no run, and its machine */
    enum result_format format;
};

static const struct command_option options[] = COMMAND_OPTIONS(BOUND_OPTIONS);

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

static int answer(const struct job *job, enum result_format format, struct why *why)
{
    const char *outside = run_bounds_outside(&job->bounds);
    result_table_end(run_bounds_table(&job->bounds, format), format, stdout);
    return outside ? why_say(why, COMMAND_FAILED,
                             "%s is outside its bound: a bug of Mercury's, please report it", outside)
                   : 0;
}

static int bound(const struct arguments *a, const char *path, struct why *why)
{
    const struct run_options none = run_options_default();
    auto_free struct job *job = memory_new(1, sizeof *job);
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
        return why_refuse(
            why, "needs the directory of a run or its record, or else a query (-q FILE) and a database (-d "
                 "FILE); see mercury help bound");
    return status ? status : bound(&a, has_run ? argv[optind] : NULL, why);
}

const struct command command_bound = {options, run_command};
