#include "sim/pass/passes.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/progress.h"
#include "blast/stages12/bloom_index.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/measure.h"
#include "sim/pass/pass_pool.h"

/* Number of passes that may be started beyond the first that has not ended: each keeps files open. */
enum { AHEAD_MAX = 256 };

/* Seconds between two displays of progress. */
static const double PROGRESS_S = 0.2;

struct run {
    const struct passes *passes;
    struct passes_result *result;
    uint8_t *query_codes[2];   /* of each strand that has segments */
    struct bloom_index *index; /* NULL if it does not pay, or if memory does not suffice */
    struct output timeline;    /* written by the process of the pass that is drawn */
    struct pass_pool *pool;
    struct pass_report **reports; /* of every pass that has ended and is not in the result yet */
    size_t started, gathered;     /* number of passes started so far; number of passes in the result */
    double gathered_s;            /* simulated time of the passes in the result */
    struct progress progress;
    struct why *why;
};

/* --- in a pass's process --------------------------------------------------------------------------------- */

static int simulate(const struct run *run, const struct pass_instruments *instruments,
                    struct pass_report *report)
{
    const struct passes *c = run->passes;
    size_t number = report->job.pass;
    struct pass_simulation pass = {
        .hardware = c->hardware, .platform_file = c->platform_file, .instruments = *instruments};
    if (c->recorded)
        return pass_retime(&pass, c->recorded, number, &report->result);
    pass.query = c->query;
    pass.query_codes = run->query_codes[c->segments[number].strand];
    pass.database = c->database;
    pass.index = run->index;
    pass.segment = c->segments[number];
    pass.statistics = c->statistics;
    pass.least_score = c->least_score;
    pass.events = c->events;
    pass.paje_file = number == 0 ? c->paje_file : NULL;
    pass.record = report->job.spool >= 0;
    pass.spool = report->job.spool;
    return pass_simulate(&pass, &report->result);
}

static bool is_drawn(const struct run *run, size_t pass)
{
    return run->timeline.file && pass + 1 == run->passes->timeline->pass;
}

static int finish_measure(struct measure *measure, FILE *records, struct pass_report *report)
{
    struct why bug, *why = &report->result.why;
    int status = measure_finish(measure, &bug);
    if (status && status != MEASURE_EWRITE)
        return why_say(why, PASS_EBUG, "pass %zu: %s: a bug of Mercury's, please report it",
                       report->job.pass + 1, bug.line);
    if (status || fflush(records) != 0)
        return why_say(why, PASS_EPROCESS, "what a pass measures cannot be kept: is the disk full?");
    return 0;
}

/* The pass_work of the pool. What is opened here is closed when the process ends. */
static int simulate_pass(const void *data, struct pass_report *report)
{
    const struct run *run = data;
    const struct passes *c = run->passes;
    FILE *records = report->job.records >= 0 ? fdopen(dup(report->job.records), "w") : NULL;
    struct pass_instruments instruments = {
        .words_done = pass_pool_counter(run->pool),
        .measure = records ? measure_new(c->measure, records) : NULL,
        .timeline = is_drawn(run, report->job.pass)
                        ? machine_timeline_new(run->timeline.file, c->timeline, c->hardware)
                        : NULL,
        .drawn = &report->drawn,
        .stamps = &report->stamps,
        .charge = c->charge ? &report->charge : NULL,
    };
    if ((report->job.records >= 0 && !instruments.measure) ||
        (is_drawn(run, report->job.pass) && !instruments.timeline))
        return why_no_memory(&report->result.why, PASS_EMEMORY);
    int status = simulate(run, &instruments, report);
    if (status == 0 && instruments.measure)
        status = finish_measure(instruments.measure, records, report);
    return status;
}

/* --- in the run's process -------------------------------------------------------------------------------- */

/* Open a file without a name, on disk, since measurements may be large. */
static int unnamed_file(void)
{
    FILE *file = tmpfile();
    int copy = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file)
        fclose(file);
    return copy;
}

static int start_pass(struct run *run)
{
    struct pass_job job = {.pass = run->started++, .spool = -1, .records = -1};
    if (run->passes->record && (job.spool = token_record_spool(run->passes->record, run->why)) < 0)
        return PASS_ERECORD;
    if (run->passes->measure && (job.records = unnamed_file()) < 0) {
        if (job.spool >= 0)
            close(job.spool);
        return why_say(run->why, PASS_EPROCESS, "no temporary file for what a pass measures");
    }
    return pass_pool_start(run->pool, job, run->why);
}

static void add_wall(struct passes_wall *sum, const struct pass_result *pass)
{
    sum->tables_s += pass->wall_tables_s;
    sum->system.stages_s += pass->wall.stages_s;
    sum->system.board_s += pass->wall.board_s;
    sum->system.stage3_s += pass->wall.stage3_s;
}

/* Take in the stamps of a pass, which begins at the time at which the passes before it end. */
static int gather_stamps(struct run *run, const struct pass_report *report)
{
    int status = machine_clocks_add_pass(run->result->clocks, &report->stamps, run->gathered_s, run->why);
    run->gathered_s += report->result.frame.duration_s;
    if (status == MACHINE_CLOCKS_EMEMORY)
        return why_no_memory(run->why, PASS_EMEMORY);
    if (status == 0)
        return 0;
    why_append(run->why, ": a bug of Mercury's, please report it");
    return why_precede(run->why, PASS_EBUG, "pass %zu: ", report->job.pass + 1);
}

static int gather_pass(struct run *run, const struct pass_report *report)
{
    struct passes_result *result = run->result;
    int status = gather_stamps(run, report);
    if (status)
        return status;
    if (alignment_list_append_list(&result->alignments, &report->result.alignments) != 0)
        return why_no_memory(run->why, PASS_EMEMORY);
    if (report->job.spool >= 0 && token_record_append(run->passes->record, report->job.spool, run->why) != 0)
        return PASS_ERECORD;
    if (report->job.records >= 0 &&
        measure_report_add_pass(run->passes->measured, report->job.records, result->clocks) != 0)
        return why_say(run->why, PASS_EPROCESS,
                       "what a pass measured cannot be taken in: memory or disk is full");
    result->passes[report->job.pass] = report->result.frame;
    add_wall(&result->wall, &report->result);
    measuring_charge_add(&result->charge, &report->charge);
    if (is_drawn(run, report->job.pass))
        result->drawn = report->drawn;
    return 0;
}

/* Take in what passes have left, in their order, up to the first that has not ended. */
static int gather(struct run *run)
{
    int status = 0;
    while (status == 0 && run->gathered < run->passes->pass_count && run->reports[run->gathered]) {
        struct pass_report **report = &run->reports[run->gathered++];
        status = gather_pass(run, *report);
        pass_report_destroy(*report);
        *report = NULL;
    }
    return status;
}

/* Wait until a pass ends; meanwhile show progress. */
static int finish_one(struct run *run)
{
    struct pass_report *report = NULL;
    int collected;
    while ((collected = pass_pool_collect(run->pool, &report, run->why)) == 0) {
        double words = (double)atomic_load(pass_pool_counter(run->pool));
        progress_update(&run->progress, words * BASES_PER_WORD / 1e6);
        pass_pool_sleep(PROGRESS_S);
    }
    if (collected < 0)
        return collected;
    run->reports[report->job.pass] = report;
    return gather(run);
}

static int run_passes(struct run *run)
{
    size_t pass_count = run->passes->pass_count;
    int status = 0;
    while (status == 0 && run->gathered < pass_count) {
        size_t limit = run->gathered + AHEAD_MAX < pass_count ? run->gathered + AHEAD_MAX : pass_count;
        while (status == 0 && run->started < limit && pass_pool_has_free_slot(run->pool))
            status = start_pass(run);
        if (status == 0)
            status = finish_one(run);
    }
    return status;
}

static bool unpack_strands(struct run *run)
{
    const struct passes *c = run->passes;
    for (size_t i = 0; !c->recorded && i < c->pass_count; i++) {
        enum strand strand = c->segments[i].strand;
        if (!run->query_codes[strand])
            run->query_codes[strand] = sequences_unpack_strand(c->query, strand);
        if (!run->query_codes[strand])
            return false;
    }
    return true;
}

/* The index must be there before the first child starts: all children read it. */
static void index_database(struct run *run)
{
    const struct passes *c = run->passes;
    const struct bloom_geometry *bloom = &c->hardware->pass.bloom;
    if (c->recorded || !bloom_index_pays(bloom, c->pass_count))
        return;
    double begin_s = progress_wall_s();
    run->index = bloom_index_new(bloom, c->database);
    run->result->wall.tables_s += progress_wall_s() - begin_s;
}

static bool set_up(struct run *run)
{
    const struct passes *c = run->passes;
    *run->result = (struct passes_result){.passes = calloc(c->pass_count, sizeof *run->result->passes),
                                          .clocks = machine_clocks_new(c->hardware)};
    run->reports = calloc(c->pass_count, sizeof *run->reports);
    run->pool = pass_pool_new(c->jobs, simulate_pass, run);
    return run->result->passes && run->result->clocks && run->reports && run->pool && unpack_strands(run);
}

static void clean_up(struct run *run)
{
    pass_pool_destroy(run->pool);
    for (size_t i = 0; run->reports && i < run->passes->pass_count; i++)
        pass_report_destroy(run->reports[i]);
    free(run->reports);
    free(run->query_codes[STRAND_PLUS]);
    free(run->query_codes[STRAND_MINUS]);
    bloom_index_destroy(run->index);
}

static int copy_join(const struct stitch_work *from, struct stitch_work *to)
{
    to->cells = malloc((from->count + 1) * sizeof *to->cells);
    if (!to->cells)
        return PASS_EMEMORY;
    memcpy(to->cells, from->cells, from->count * sizeof *to->cells);
    to->count = from->count;
    return 0;
}

static int join_alignments(struct run *run)
{
    const struct passes *c = run->passes;
    double begin_s = progress_wall_s();
    int status;
    if (c->recorded) {
        status = copy_join(&token_record_run(c->recorded)->join, &run->result->join);
    } else {
        struct stage3_query query = {c->query,
                                     c->database,
                                     {run->query_codes[STRAND_PLUS], run->query_codes[STRAND_MINUS]},
                                     c->statistics,
                                     c->least_score};
        status = stitch_alignments(&run->result->alignments, &query, &run->result->join);
    }
    run->result->wall.system.stage3_s += progress_wall_s() - begin_s;
    return status ? why_no_memory(run->why, PASS_EMEMORY) : 0;
}

static int sum_up(struct run *run)
{
    struct passes_result *result = run->result;
    for (size_t i = 0; i < run->passes->pass_count; i++)
        frame_add(&result->run, &result->passes[i], &machine_layout);
    int status = join_alignments(run);
    if (status == 0)
        machine_frame_add_join(&result->run, &result->join, run->passes->hardware);
    return status;
}

/* Give the timeline its name; the child that drew it has written all of it. */
static int end_timeline(struct run *run)
{
    if (!run->passes->timeline)
        return 0;
    if (run->result->drawn.status < 0)
        return why_say(run->why, PASS_EPROCESS, "the timeline cannot be written: is the disk full?");
    return output_commit(&run->timeline, run->why) != 0 ? PASS_EPROCESS : 0;
}

static uint64_t database_words(const struct passes *c)
{
    return c->recorded ? token_record_run(c->recorded)->facts.database->word_count : c->database->word_count;
}

static int simulate_all(struct run *run)
{
    double mwmers = (double)database_words(run->passes) * BASES_PER_WORD / 1e6;
    progress_begin(&run->progress, "Mwmers", mwmers * (double)run->passes->pass_count, run->passes->quiet);
    index_database(run);
    int status = run_passes(run);
    progress_end(&run->progress);
    if (status == 0)
        status = sum_up(run);
    return status ? status : end_timeline(run);
}

int passes_run(const struct passes *passes, struct passes_result *result, struct why *why)
{
    struct run run = {.passes = passes, .result = result, .why = why};
    *result = (struct passes_result){0};
    if (passes->timeline && output_open(&run.timeline, passes->timeline->path, why) != 0)
        return PASS_EPROCESS;
    int status = set_up(&run) ? simulate_all(&run) : why_no_memory(why, PASS_EMEMORY);
    clean_up(&run);
    if (run.timeline.file)
        output_discard(&run.timeline);
    if (status)
        passes_result_destroy(result);
    return status;
}

void passes_result_destroy(struct passes_result *result)
{
    free(result->passes);
    result->passes = NULL;
    machine_clocks_destroy(result->clocks);
    result->clocks = NULL;
    alignment_list_destroy(&result->alignments);
    free(result->join.cells);
    result->join = (struct stitch_work){0};
}
