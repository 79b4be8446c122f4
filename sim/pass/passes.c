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
#include "sim/pass/run_host.h"

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
    struct pass_report **reports; /* of every pass that has ended */
    size_t started,
        gathered; /* number of passes started so far; number of those whose files have been taken in */
    struct run_host *host;
    FILE *records[2]; /* of each side: what all passes measured on it */
    struct kept {
        off_t begin, end;
    } * kept[2];      /* of each side: where those of each pass are */
    double *begins_s; /* when each pass began */
    struct progress progress;
    struct why *why;
};

/* --- in a pass's process --------------------------------------------------------------------------------- */

/* What the next pass loads while this one is on the board. */
static int find_overlap(const struct run *run, size_t number, struct pass_simulation *pass, struct why *why)
{
    const struct passes *c = run->passes;
    int status = 0;
    if (c->hardware->overlap != OVERLAP_TABLES)
        return 0;
    pass->tables_are_loaded = number > 0;
    if (number + 1 < c->pass_count && c->recorded)
        pass->next_table_bytes = token_record_table_bytes(c->recorded, number + 1);
    else if (number + 1 < c->pass_count)
        status =
            pass_table_bytes(c->hardware, c->query, &c->segments[number + 1], &pass->next_table_bytes, why);
    return status;
}

static int simulate(const struct run *run, const struct pass_instruments *instruments,
                    struct pass_report *report)
{
    const struct passes *c = run->passes;
    size_t number = report->job.pass;
    struct pass_simulation pass = {
        .hardware = c->hardware, .platform_file = c->platform_file, .instruments = *instruments};
    int status = find_overlap(run, number, &pass, &report->result.why);
    if (status)
        return status;
    if (c->recorded)
        return pass_retime(&pass, c->recorded, number, &report->result);
    pass.query = c->query;
    pass.query_codes = run->query_codes[c->segments[number].strand];
    pass.database = c->database;
    pass.index = run->index;
    pass.segment = c->segments[number];
    pass.statistics = c->statistics;
    pass.least_score = c->least_score;
    pass.threads = pass_pool_threads(run->pool);
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

static int finish_measure(struct measure *measure, FILE *records, size_t pass, struct why *why)
{
    struct why bug;
    int status = measure_finish(measure, &bug);
    if (status && status != MEASURE_EWRITE)
        return why_say(why, PASS_EBUG, "pass %zu: %s: a bug of Mercury's, please report it", pass + 1,
                       bug.line);
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
        .measure = records ? measure_new(c->measure, SIDE_BOARD, records) : NULL,
        .timeline = is_drawn(run, report->job.pass)
                        ? machine_timeline_new(run->timeline.file, c->timeline, c->hardware, NULL)
                        : NULL,
        .stamps = &report->stamps,
        .charge = c->charge ? &report->charge : NULL,
    };
    if ((report->job.records >= 0 && !instruments.measure) ||
        (is_drawn(run, report->job.pass) && !instruments.timeline))
        return why_no_memory(&report->result.why, PASS_EMEMORY);
    int status = simulate(run, &instruments, report);
    if (instruments.timeline)
        machine_timeline_suspend(instruments.timeline, &report->drawn);
    if (status == 0 && instruments.measure)
        status = finish_measure(instruments.measure, records, report->job.pass, &report->result.why);
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

/* Append bytes of a file from a place in it; `end` negative: up to its end. */
static bool append_file(int from, off_t begin, off_t end, FILE *to)
{
    char bytes[1 << 16];
    bool copied = true;
    for (off_t at = begin; copied && (end < 0 || at < end);) {
        size_t most = end < 0 || end - at > (off_t)sizeof bytes ? sizeof bytes : (size_t)(end - at);
        ssize_t got = pread(from, bytes, most, at);
        if (got == 0 && end < 0)
            return true;
        copied = got > 0 && fwrite(bytes, 1, (size_t)got, to) == (size_t)got;
        at += got;
    }
    return copied;
}

/* Keep what a pass measured on the board until it is known what the host did, and close its files: there may be more
 * passes than files can be open. */
static int keep_records(struct run *run, struct pass_report *report)
{
    struct kept *kept = &run->kept[SIDE_BOARD][report->job.pass];
    FILE *all = run->records[SIDE_BOARD];
    if (report->job.records < 0)
        return 0;
    kept->begin = ftello(all);
    bool copied = append_file(report->job.records, 0, -1, all);
    kept->end = ftello(all);
    close(report->job.records);
    report->job.records = -1;
    return copied ? 0
                  : why_say(run->why, PASS_EPROCESS,
                            "what a pass measured cannot be kept: is the disk for temporary files full?");
}

static int gather_pass(struct run *run, struct pass_report *report)
{
    struct passes_result *result = run->result;
    int status = run_host_add(run->host, &report->result.host, run->why);
    stage3_tasks_destroy(&report->result.host.tasks);
    if (status)
        return status;
    if (alignment_list_append_list(&result->alignments, &report->result.alignments) != 0)
        return why_no_memory(run->why, PASS_EMEMORY);
    alignment_list_destroy(&report->result.alignments);
    if (report->job.spool >= 0) {
        if (token_record_append(run->passes->record, report->job.spool, run->why) != 0)
            return PASS_ERECORD;
        close(report->job.spool);
        report->job.spool = -1;
    }
    add_wall(&result->wall, &report->result);
    return keep_records(run, report);
}

/* Take in what passes have left, in their order, up to the first that has not ended. */
static int gather(struct run *run)
{
    int status = 0;
    while (status == 0 && run->gathered < run->passes->pass_count && run->reports[run->gathered])
        status = gather_pass(run, run->reports[run->gathered++]);
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

/* --- the host -------------------------------------------------------------------------------------------- */

/* Take in the stamps of a pass. */
static int gather_stamps(struct run *run, const struct pass_report *report, double begin_s)
{
    int status = machine_clocks_add_pass(run->result->clocks, &report->stamps, begin_s, run->why);
    if (status == MACHINE_CLOCKS_EMEMORY)
        return why_no_memory(run->why, PASS_EMEMORY);
    if (status == 0)
        return 0;
    why_append(run->why, ": a bug of Mercury's, please report it");
    return why_precede(run->why, PASS_EBUG, "pass %zu: ", report->job.pass + 1);
}

/* Put what a pass measured on both sides into one file, and take it in. */
static int take_in_records(struct run *run, size_t pass)
{
    FILE *file = tmpfile();
    bool copied = file != NULL;
    for (enum measure_side side = SIDE_BOARD; side <= SIDE_HOST && copied; side++) {
        const struct kept *kept = &run->kept[side][pass];
        copied = fflush(run->records[side]) == 0 &&
                 append_file(fileno(run->records[side]), kept->begin, kept->end, file);
    }
    bool taken = copied && fflush(file) == 0 &&
                 measure_report_add_pass(run->passes->measured, fileno(file), run->result->clocks) == 0;
    if (file)
        fclose(file);
    return taken ? 0
                 : why_say(run->why, PASS_EPROCESS,
                           "what a pass measured cannot be taken in: memory or disk is full");
}

static int make_host_instruments(struct run *run, struct pass_report *report,
                                 struct host_instruments *instruments)
{
    const struct passes *c = run->passes;
    bool drawn = is_drawn(run, report->job.pass);
    *instruments = (struct host_instruments){
        .measure = c->measure ? measure_new(c->measure, SIDE_HOST, run->records[SIDE_HOST]) : NULL,
        .timeline =
            drawn ? machine_timeline_new(run->timeline.file, c->timeline, c->hardware, &report->drawn) : NULL,
    };
    if ((!c->measure || instruments->measure) && (!drawn || instruments->timeline))
        return 0;
    measure_destroy(instruments->measure);
    return why_no_memory(run->why, PASS_EMEMORY);
}

/* The host_pass_taker: complete a pass's frame, with the host's side of what is measured and drawn. */
static int fill_pass(void *data, const struct host_pass *pass, struct why *why)
{
    struct run *run = data;
    struct pass_report *report = run->reports[pass->number];
    struct kept *kept = &run->kept[SIDE_HOST][pass->number];
    struct host_instruments instruments;
    int status = make_host_instruments(run, report, &instruments);
    if (status)
        return status;
    run->begins_s[pass->number] = pass->begin_s;
    kept->begin = run->records[SIDE_HOST] ? ftello(run->records[SIDE_HOST]) : 0;
    status = run_host_fill(pass, run->passes->hardware, &instruments, &report->result.frame, why);
    if (instruments.timeline)
        run->result->drawn.status =
            machine_timeline_close(instruments.timeline, instruments.end_clock, &run->result->drawn.report);
    if (status == 0 && instruments.measure)
        status = finish_measure(instruments.measure, run->records[SIDE_HOST], pass->number, why);
    kept->end = run->records[SIDE_HOST] ? ftello(run->records[SIDE_HOST]) : 0;
    measure_destroy(instruments.measure);
    report->charge.events = run->passes->charge ? instruments.events : 0;
    return status;
}

/* Take in a pass whose frame is complete; passes come in their order. */
static int end_pass(struct run *run, struct pass_report *report)
{
    size_t number = report->job.pass;
    int status = gather_stamps(run, report, run->begins_s[number]);
    if (status == 0 && run->passes->measure)
        status = take_in_records(run, number);
    run->result->passes[number] = report->result.frame;
    measuring_charge_add(&run->result->charge, &report->charge);
    return status;
}

static double agent_share(const struct run *run)
{
    return run->passes->charge ? run->passes->hardware->measure_agent_share : 0;
}

/* Simulate the host and end the passes in their order. */
static int run_the_host(struct run *run)
{
    double agent_s = 0, begin_s = progress_wall_s();
    struct host_run_result *host = &run->result->host;
    int status =
        agent_share(run) > 0
            ? run_host_simulate(run->host, agent_share(run), fill_pass, run, host, &agent_s, run->why)
            : run_host_compute(run->host, run->passes->events, fill_pass, run, host, run->why);
    for (size_t i = 0; i < run->passes->pass_count && status == 0; i++) {
        status = end_pass(run, run->reports[i]);
        pass_report_destroy(run->reports[i]);
        run->reports[i] = NULL;
    }
    run->result->charge.agent_ps = frame_picoseconds(agent_s);
    run->result->wall.host_s = progress_wall_s() - begin_s;
    return status;
}

/* --- setting up ------------------------------------------------------------------------------------------ */

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

static bool set_up_records(struct run *run)
{
    bool made = true;
    for (enum measure_side side = SIDE_BOARD; side <= SIDE_HOST && made; side++) {
        run->kept[side] = calloc(run->passes->pass_count, sizeof *run->kept[side]);
        run->records[side] = run->passes->measure ? tmpfile() : NULL;
        made = run->kept[side] && (!run->passes->measure || run->records[side]);
    }
    return made;
}

static bool set_up(struct run *run)
{
    const struct passes *c = run->passes;
    *run->result = (struct passes_result){.passes = calloc(c->pass_count, sizeof *run->result->passes),
                                          .clocks = machine_clocks_new(c->hardware)};
    run->reports = calloc(c->pass_count, sizeof *run->reports);
    run->pool = pass_pool_new(c->jobs, simulate_pass, run);
    run->host = run_host_new(c->hardware, c->platform_file, c->pass_count);
    run->begins_s = calloc(c->pass_count, sizeof *run->begins_s);
    return run->result->passes && run->result->clocks && run->reports && run->pool && run->host &&
           run->begins_s && set_up_records(run) && unpack_strands(run);
}

static void clean_up(struct run *run)
{
    pass_pool_destroy(run->pool);
    for (size_t i = 0; run->reports && i < run->passes->pass_count; i++)
        pass_report_destroy(run->reports[i]);
    free(run->reports);
    run_host_destroy(run->host);
    for (enum measure_side side = SIDE_BOARD; side <= SIDE_HOST; side++) {
        free(run->kept[side]);
        if (run->records[side])
            fclose(run->records[side]);
    }
    free(run->begins_s);
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
    machine_frame_end_run(&result->run, run->passes->hardware, result->host.end_s, &result->host.inbox);
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
        status = run_the_host(run);
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
