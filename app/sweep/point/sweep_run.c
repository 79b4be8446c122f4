#include "app/sweep/point/sweep_run.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/progress.h"
#include "blast/stage3/stage3.h"
#include "blast/stage3/stitch.h"
#include "blast/stages12/bloom.h"
#include "base/process/signals.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_pool.h"
#include "sim/pass/pass_report.h"
#include "sim/pass/passes.h"
#include "sim/pass/joined_hosts.h"
#include "sim/platform/platform.h"
#include "traces/frame.h"
#include "app/rank/rank_link.h"
#include "app/run/run_output.h"
#include "app/sweep/point/sweep_plan.h"

/* --- the work of points -------------------------------------------------------------------------------- */

/* Simulates passes of a sweep's points, each in a child process, in the cheapest way there is.
 *
 * Models    a job is one pass of one point. If the tokens of its structure and pass are kept, the pass is timed again
 *           (pass_retime()). If those of another structure of its search are, Bloom filter and tables are built, stages
 *           1a to 2 computed, and stage 3's work is taken from the tokens (pass_rescan()). Otherwise everything is
 *           computed (pass_simulate()). All three ways give the same bytes, so that neither the order of jobs nor the
 *           number of processes changes a result.
 * Boards    that depend on each other (hardware_couples_boards()) cannot be simulated pass by pass: the jobs of such a
 *           point make the tokens only, and then sum_up() times all passes together.
 */

#define SWEEP_TOKENS_BYTES_MAX (UINT64_C(1) << 30)

enum { INDICES_MOST = 8 };

enum way { WAY_SIMULATE, WAY_RESCAN, WAY_RETIME };

/* The tokens of one pass of a structure. */
struct kept {
    struct token_record *record; /* a record of that pass alone; NULL if the tokens are not kept */
    struct sram_load load;
    uint64_t bytes, used; /* size of the record; value of `uses` when it was used last */
    size_t search, pass;  /* whose they are */
    unsigned holders;     /* number of points that need the tokens when all their passes have some */
};

struct sweep_work {
    const struct sweep_plan *plan;
    struct pass_pool *pool;
    struct kept *kept;    /* of every pass of every structure */
    uint8_t *(*codes)[2]; /* of every input: its query on each strand, NULL before it is needed */
    size_t kept_count;
    uint64_t kept_bytes, uses;
    struct kept_index {
        const struct sequences *database;
        struct bloom_geometry geometry;
        struct bloom_index *index; /* NULL: none yet */
        uint64_t used;             /* value of `uses` when it was used last */
    } indices[INDICES_MOST];       /* of databases, for Bloom filters */
};

/* --- which tokens are kept ------------------------------------------------------------------------------ */

static const struct sweep_structure *structure_of(const struct sweep_work *w, struct rank_job job)
{
    return &w->plan->structures[w->plan->points[job.point].structure];
}

static struct kept *kept_of(const struct sweep_work *w, struct rank_job job)
{
    return &w->kept[structure_of(w, job)->first_pass + job.pass];
}

/* Tokens of a pass of a search, other than some; NULL if no others are kept. */
static const struct kept *find_kept(const struct sweep_work *w, size_t search, size_t pass,
                                    const struct kept *others)
{
    for (const struct kept *kept = w->kept; kept < w->kept + w->kept_count; kept++)
        if (kept->record && kept->search == search && kept->pass == pass && kept != others)
            return kept;
    return NULL;
}

/* Tokens of the same search and pass tell what stage 3 did, whatever their structure is. */
static const struct kept *base_of(const struct sweep_work *w, struct rank_job job)
{
    return find_kept(w, structure_of(w, job)->search, job.pass, NULL);
}

/* The greater, the cheaper. */
static enum way way_of(const struct sweep_work *w, struct rank_job job)
{
    return kept_of(w, job)->record ? WAY_RETIME : base_of(w, job) ? WAY_RESCAN : WAY_SIMULATE;
}

/* --- indices of databases ---------------------------------------------------------------------------------- */

/* The index of a point's database for its filter; NULL if this is none. */
static const struct bloom_index *index_for(const struct sweep_work *w, const struct kept_index *i,
                                           size_t point)
{
    const struct bloom_geometry *g = &w->plan->points[point].hardware.pass.bloom, *own = &i->geometry;
    const bool fits = i->database == sweep_plan_input(w->plan, point)->database && own->hashes == g->hashes &&
                      own->bank_bits == g->bank_bits && own->family == g->family && own->seed == g->seed;
    return fits ? i->index : NULL;
}

/* Its place; if there is none, that of the index which was used least recently. */
static size_t find_index(const struct sweep_work *w, size_t point)
{
    size_t found = 0;
    for (size_t i = 0; i < INDICES_MOST; i++) {
        if (index_for(w, &w->indices[i], point))
            return i;
        found = w->indices[i].used < w->indices[found].used ? i : found;
    }
    return found;
}

/* Make an index for a point whose passes save more time by it than it takes, unless other points that are worked on
 * use all indices there may be. */
static void make_index(struct sweep_work *w, size_t point)
{
    const struct bloom_geometry *g = &w->plan->points[point].hardware.pass.bloom;
    const struct sequences *database = sweep_plan_input(w->plan, point)->database;
    const size_t passes = sweep_plan_search(w->plan, point)->pass_count;
    struct kept_index *i = &w->indices[find_index(w, point)];
    if (!index_for(w, i, point)) {
        if (!bloom_index_pays(g, database->word_count, passes) ||
            (i->index && w->uses - i->used < INDICES_MOST * passes))
            return;
        bloom_index_destroy(i->index);
        *i = (struct kept_index){database, *g, bloom_index_new(g, database), 0};
    }
    i->used = w->uses;
}

/* --- in a child ------------------------------------------------------------------------------------------ */

/* Let the platform have a point's parameters, for SimGrid. */
static int write_platform(const struct sweep_work *w, const struct hardware *hardware, struct why *why)
{
    int status = platform_rewrite(w->plan->request->platform, hardware, why);
    return status == 0 ? 0 : status == PLATFORM_ESYSTEM ? PASS_EFILE : PASS_EPROCESS;
}

/* What the next pass of the point loads while this one is on the board (pass_simulation.h). */
static void find_overlap(const struct sweep_work *w, struct rank_job job, struct pass_simulation *pass)
{
    const struct sweep_search *search = sweep_plan_search(w->plan, job.point);
    const size_t next = job.pass + pass->hardware->hosts;
    if (pass->hardware->overlap != OVERLAP_TABLES || pass->only_tokens)
        return;
    pass->tables_are_loaded = job.pass >= pass->hardware->hosts;
    if (next < search->pass_count)
        pass->next_table_bytes = pass_table_bytes(pass->hardware, pass->query, &search->segments[next]);
}

/* The pass_work of the pool. */
static int do_job(const void *data, struct pass_report *report)
{
    const struct sweep_work *w = data;
    struct rank_job job = {report->job.point, report->job.pass};
    const struct sweep_point *point = &w->plan->points[job.point];
    const struct sweep_search *search = sweep_plan_search(w->plan, job.point);
    const struct sweep_input *input = &w->plan->request->inputs[search->input];
    struct pass_simulation pass = {
        .hardware = &point->hardware,
        .query = input->query,
        .query_codes = w->codes[search->input][search->segments[job.pass].strand],
        .database = input->database,
        .index = index_for(w, &w->indices[find_index(w, job.point)], job.point),
        .segment = search->segments[job.pass],
        .statistics = &search->statistics,
        .least.scores = search->least_scores,
        .threads = &pass_pool_shared(w->pool)->threads,
        .only_tokens = hardware_couples_boards(&point->hardware),
        .room = pass_report_room(report, PASS_HSPS_IN_MEMORY),
        .record = report->job.spool >= 0,
        .spool = report->job.spool,
    };
    enum way way = way_of(w, job);
    int status = write_platform(w, &point->hardware, &report->result.why);
    pass.platform_file = platform_simgrid_file(w->plan->request->platform);
    if (status)
        return status;
    find_overlap(w, job, &pass);
    if (way == WAY_SIMULATE)
        return pass_simulate(&pass, &report->result);
    if (way == WAY_RESCAN)
        return pass_rescan(&pass, base_of(w, job)->record, 0, &report->result);
    if (!pass.only_tokens)
        status = pass_retime(&pass, kept_of(w, job)->record, 0, &report->result);
    report->result.tables = kept_of(w, job)->load;
    return status;
}

/* --- starting -------------------------------------------------------------------------------------------- */

/* Tokens are kept for other points of the structure, which may be added later, and for stage 3 under other
 * structures. */
static bool wants_tokens(const struct sweep_work *w, struct rank_job job)
{
    enum way way = way_of(w, job);
    if (hardware_couples_boards(&w->plan->points[job.point].hardware))
        return way != WAY_RETIME;
    return way == WAY_SIMULATE ? w->plan->point_count > 1
                               : way == WAY_RESCAN && structure_of(w, job)->point_count > 1;
}

/* Start a job in a free slot. */
static int sweep_work_start(struct sweep_work *work, struct rank_job job, struct why *why)
{
    struct pass_job pass = {.point = job.point, .pass = job.pass, .spool = -1, .records = -1};
    const struct sweep_search *search = sweep_plan_search(work->plan, job.point);
    const enum strand strand = search->segments[job.pass].strand;
    uint8_t **codes = &work->codes[search->input][strand];
    if (!*codes)
        *codes = sequences_unpack_strand(work->plan->request->inputs[search->input].query, strand);
    if (way_of(work, job) != WAY_RETIME)
        make_index(work, job.point);
    if (wants_tokens(work, job) && (pass.spool = memfd_create("mercury-tokens", MFD_CLOEXEC)) < 0)
        return why_no_memory(why, PASS_EFILE);
    kept_of(work, job)->used = ++work->uses;
    kept_of(work, job)->holders += hardware_couples_boards(&work->plan->points[job.point].hardware);
    return pass_pool_start(work->pool, pass, why);
}

/* --- tokens ---------------------------------------------------------------------------------------------- */

/* Find the tokens to drop next; NULL if only `newest` is kept. Those that alone tell what stage 3 did are dropped last:
 * without them it has to be computed again. */
static struct kept *find_oldest(const struct sweep_work *w, const struct kept *newest)
{
    struct kept *oldest = NULL;
    bool oldest_is_alone = false;
    for (struct kept *kept = w->kept; kept < w->kept + w->kept_count; kept++) {
        if (!kept->record || kept == newest || kept->holders > 0)
            continue;
        bool alone = !find_kept(w, kept->search, kept->pass, kept);
        if (!oldest || (oldest_is_alone && !alone) ||
            (oldest_is_alone == alone && kept->used < oldest->used)) {
            oldest = kept;
            oldest_is_alone = alone;
        }
    }
    return oldest;
}

/* Write the tokens in `spool` as a record of one pass. */
static int write_record(const struct sweep_work *w, struct rank_job job, int spool, const char *path,
                        struct why *why)
{
    const struct sweep_search *search = sweep_plan_search(w->plan, job.point);
    const struct sweep_input *input = sweep_plan_input(w->plan, job.point);
    struct token_record_writer *writer;
    int status = token_record_create(path, &writer, why);
    if (status)
        return status;
    struct token_record_facts facts = {
        .e_value = w->plan->request->e_value,
        .platform_path = "",
        .platform = "",
        .hardware = w->plan->points[job.point].hardware,
        .query_path = input->query_path,
        .database_path = input->database_path,
        .query = input->query,
        .database = input->database,
        .segments = &search->segments[job.pass],
        .pass_count = 1,
    };
    status = token_record_write_facts(writer, &facts, why);
    if (status == 0)
        status = token_record_append(writer, spool, why);
    if (status == 0)
        return token_record_commit(writer, &(struct alignment_list){0}, &(struct stitch_work){0}, why);
    token_record_discard(writer);
    return status;
}

static int keep_tokens(struct sweep_work *w, const struct pass_report *report, struct why *why)
{
    const struct rank_job job = {report->job.point, report->job.pass};
    struct kept *kept = kept_of(w, job);
    if (report->job.spool < 0 || kept->record)
        return 0;
    auto_by(file_io_close) int file = memfd_create("mercury-record", MFD_CLOEXEC);
    const struct file_name name = file_io_name(file);
    int status = file < 0 ? -1 : write_record(w, job, report->job.spool, name.path, why);
    if (status == 0)
        status = token_record_open(name.path, &kept->record, why);
    struct stat size;
    if (status == 0 && fstat(file, &size) == 0)
        kept->bytes = (uint64_t)size.st_size;
    if (status) {
        kept->record = NULL;
        return why_precede(why, file < 0 ? why_no_memory(why, PASS_EFILE) : PASS_EFILE,
                           "the tokens of a pass cannot be kept: ");
    }
    kept->load = report->result.tables;
    kept->used = ++w->uses;
    w->kept_bytes += kept->bytes;
    kept->search = structure_of(w, job)->search;
    kept->pass = job.pass;
    struct kept *oldest;
    while (w->kept_bytes > SWEEP_TOKENS_BYTES_MAX && (oldest = find_oldest(w, kept)) != NULL) {
        token_record_close(oldest->record);
        oldest->record = NULL;
        w->kept_bytes -= oldest->bytes;
        oldest->bytes = 0;
    }
    return 0;
}

/* --- collecting ------------------------------------------------------------------------------------------ */

/* Take the report of a job that has ended, whose tokens are kept here. Does not wait.
 *
 * @param report  out, for pass_report_destroy()
 * @return 1 and a report, 0 if no job has ended, or an error code
 */
static int sweep_work_collect(struct sweep_work *work, struct pass_report **report, struct why *why)
{
    int collected = pass_pool_collect(work->pool, report, why);
    if (collected <= 0)
        return collected;
    int status = keep_tokens(work, *report, why);
    if (status) {
        pass_report_destroy(*report);
        return status;
    }
    file_io_close(&(*report)->job.spool);
    return 1;
}

/* --- summing up ------------------------------------------------------------------------------------------ */

/* Passes that the hosts complete. */
struct completion {
    const struct hardware *hardware;
    struct pass_result *passes;
};

static int complete_frame(void *completion, const struct host_pass *pass, struct why *why)
{
    struct completion *c = completion;
    struct host_instruments none = {0};
    return joined_hosts_fill(pass, c->hardware, &none, &c->passes[pass->number].frame, why);
}

static int sum_up_hosts(const struct sweep_work *w, size_t point, struct pass_result *passes,
                        struct frame *run, struct why *why)
{
    const struct hardware *hardware = &w->plan->points[point].hardware;
    const struct sweep_search *search = sweep_plan_search(w->plan, point);
    struct joined_hosts_result times;
    struct completion completion = {.hardware = hardware, .passes = passes};
    const struct joined_hosts_request request = {
        .hardware = hardware,
        .platform_file = platform_simgrid_file(w->plan->request->platform),
        .query = {sweep_plan_input(w->plan, point)->query->positions, search->segments, search->pass_count},
        .take = complete_frame,
        .data = &completion,
    };
    struct joined_hosts *hosts = joined_hosts_new(&request);
    int status = 0;
    for (size_t i = 0; i < search->pass_count && status == 0; i++)
        status = joined_hosts_add(hosts, &passes[i].host, why);
    if (status == 0)
        status = joined_hosts_end(hosts, &times, why);
    joined_hosts_destroy(hosts);
    if (status)
        return status;
    *run = (struct frame){0};
    for (size_t i = 0; i < search->pass_count; i++) {
        passes[i].frame.begin_s += times.begins_s[hardware_host_of(hardware, i)];
        frame_add(run, &passes[i].frame, &machine_layout);
    }
    machine_frame_end_run(run, hardware, search->pass_count, times.host.end_s, &times.host.inbox);
    return 0;
}

/* Time boards that depend on each other, and let go of the tokens that they needed. */
static int sum_up_boards(const struct sweep_work *w, size_t point, struct pass_result *passes,
                         struct frame *run, struct why *why)
{
    const struct sweep_search *search = sweep_plan_search(w->plan, point);
    auto_free const struct token_record **records =
        memory_new(search->pass_count, sizeof(struct token_record *));
    for (size_t i = 0; i < search->pass_count; i++) {
        struct kept *kept = kept_of(w, (struct rank_job){point, i});
        records[i] = kept->record;
        kept->holders--;
    }
    struct passes again =
        passes_of_record(&w->plan->points[point].hardware, platform_simgrid_file(w->plan->request->platform),
                         records[0], search->pass_count, 1);
    again.query = sweep_plan_input(w->plan, point)->query;
    again.segments = search->segments;
    again.records = records;
    auto_by(passes_result_destroy) struct passes_result result = {0};
    int status = passes_run(&again, &result, why);
    for (size_t i = 0; i < search->pass_count && status == 0; i++)
        passes[i].frame = result.passes[i];
    *run = result.run;
    return status;
}

/* Complete the frames of a point's passes after its last job: simulate its hosts (joined_hosts.h); or time all its
 * passes together if its boards depend on each other, whose jobs all were this process's.
 *
 * @param passes  what the jobs have left; their tasks are taken
 * @param run     out: the frame of the run, without joining
 */
static int sum_up(struct sweep_work *w, size_t point, struct pass_result *passes, struct frame *run,
                  struct why *why)
{
    const struct hardware *hardware = &w->plan->points[point].hardware;
    const bool coupled = hardware_couples_boards(hardware);
    int status = coupled || hardware->hosts > 1 ? write_platform(w, hardware, why) : 0;
    return status ? status : (coupled ? sum_up_boards : sum_up_hosts)(w, point, passes, run, why);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

/* Make room for searches and structures that were added to the plan; no job may be running. */
static void sweep_work_grow(struct sweep_work *w)
{
    const struct sweep_plan *plan = w->plan;
    w->kept = memory_grow(w->kept, (plan->structure_passes + 1) * sizeof *w->kept);
    for (; w->kept_count < plan->structure_passes; w->kept_count++)
        w->kept[w->kept_count] = (struct kept){0};
}

/* Kill all children, and free everything. */
static void sweep_work_destroy(struct sweep_work *w)
{
    if (!w)
        return;
    pass_pool_destroy(w->pool);
    for (size_t i = 0; i < w->kept_count; i++)
        token_record_close(w->kept[i].record);
    for (size_t i = 0; i < w->plan->request->input_count; i++) {
        free(w->codes[i][STRAND_PLUS]);
        free(w->codes[i][STRAND_MINUS]);
    }
    for (size_t i = 0; i < INDICES_MOST; i++)
        bloom_index_destroy(w->indices[i].index);
    free(w->kept);
    free(w->codes);
    free(w);
}

/* @param slots  number of jobs at a time */
static struct sweep_work *sweep_work_new(const struct sweep_plan *plan, unsigned slots)
{
    struct sweep_work *w = memory_new(1, sizeof *w);
    *w = (struct sweep_work){.plan = plan};
    w->pool = pass_pool_new(slots, do_job, w);
    w->codes = memory_new(plan->request->input_count, sizeof *w->codes);
    sweep_work_grow(w);
    return w;
}

/* --- the runner ------------------------------------------------------------------------------------------ */

/* The longest time to sleep; a child that ends wakes this process earlier. */
static const double CHILD_SLEEP_S = 0.2;

/* What the passes of one search have found: every point of it finds the same alignments, so that they are stitched
 * once, as soon as the first of its points needs to know the work. */
struct findings {
    struct found {
        bool is_kept;
        struct alignment_list alignments;
    } * passes; /* NULL before the first of them is kept, and when they are stitched */
    bool stitched;
    struct stitch_work work;
};

/* A point that is being worked on. */
struct open_point {
    size_t point, passes;
    size_t waiting, missing; /* number of passes that are not handed out; number without a report */
    struct open_job {
        enum job_state { JOB_WAITS, JOB_HANDED, JOB_DONE } state;
        int rank; /* the rank that the job was handed to */
        double since_s;
    } * jobs;
    struct pass_result *results; /* frame, tables and tasks of each pass that is done */
};

struct sweep_runner {
    const struct sweep_run *run;
    const struct sweep_plan *plan;
    struct sigaction before[3]; /* what the watched signals did */
    bool is_ended;              /* by a signal */
    uint64_t digest;            /* of the plan */
    struct sweep_work *work;
    struct open_point *open;
    size_t open_count, open_room;
    size_t turn;               /* number of points that were opened or skipped */
    size_t finished, skipped;  /* points finished (computed or skipped); how many of them were skipped */
    struct findings *findings; /* of every search */
    size_t finding_count, finding_room;
    bool *has_tokens; /* of every rank and pass of every structure: the rank has simulated it */
    unsigned *asked;  /* for every rank: number of jobs that it waits for */
    bool is_idle;     /* nothing has come in the present turn */
    struct progress progress;
    struct why *why;
};

static volatile sig_atomic_t ended_by;

/* --- open points ----------------------------------------------------------------------------------------- */

static void close_point(struct open_point *open)
{
    for (size_t i = 0; i < open->passes; i++)
        stage3_tasks_destroy(&open->results[i].host.tasks);
    free(open->results);
    free(open->jobs);
    *open = (struct open_point){0};
}

static void open_point(struct sweep_runner *m, size_t point)
{
    size_t passes = sweep_plan_search(m->plan, point)->pass_count;
    struct open_point *open = &m->open[m->open_count++];
    *open = (struct open_point){
        .point = point,
        .passes = passes,
        .waiting = passes,
        .missing = passes,
        .jobs = memory_new(passes, sizeof *open->jobs),
        .results = memory_new(passes, sizeof *open->results),
    };
}

/* Open points while there is room for them. */
static int open_points(struct sweep_runner *m)
{
    int status = 0;
    while (status == 0 && m->open_count < m->open_room && m->turn < m->plan->point_count) {
        size_t point = (m->run->begin + m->turn++) % m->plan->point_count;
        int wanted = m->run->wants ? m->run->wants(m->run->data, point, m->why) : 1;
        if (wanted == 0) {
            m->finished++;
            m->progress.total--; /* a skipped point took no work and must not count in the rate */
            m->skipped++;
        } else if (wanted < 0)
            status = COMMAND_REFUSED;
        else
            open_point(m, point);
    }
    return status;
}

static struct open_point *find_open(struct sweep_runner *m, size_t point)
{
    for (size_t i = 0; i < m->open_count; i++)
        if (m->open[i].point == point)
            return &m->open[i];
    return NULL;
}

/* --- who does what --------------------------------------------------------------------------------------- */

static size_t search_of(const struct sweep_runner *m, size_t point)
{
    return m->plan->structures[m->plan->points[point].structure].search;
}

/* Whether a rank has the tokens of a pass of a structure. */
static bool *structure_tokens(const struct sweep_runner *m, int rank, size_t structure, size_t pass)
{
    return &m->has_tokens[(size_t)rank * m->plan->structure_passes +
                          m->plan->structures[structure].first_pass + pass];
}

/* How cheap a job is for a rank, on the scale of way_of(). */
static int readiness(const struct sweep_runner *m, int rank, struct rank_job job)
{
    const size_t structure = m->plan->points[job.point].structure;
    bool of_search = false;
    if (rank == 0)
        return way_of(m->work, job);
    for (size_t i = 0; i < m->plan->structure_count && !of_search; i++)
        of_search = m->plan->structures[i].search == m->plan->structures[structure].search &&
                    *structure_tokens(m, rank, i, job.pass);
    return *structure_tokens(m, rank, structure, job.pass) ? WAY_RETIME
           : of_search                                     ? WAY_RESCAN
                                                           : WAY_SIMULATE;
}

/* Find the cheapest job that waits; of equally cheap ones the first. Of boards that depend on each other, the tokens of
 * all passes are needed in one place. */
static bool find_waiting(struct sweep_runner *m, int rank, struct rank_job *job)
{
    int best = -1;
    for (size_t i = 0; i < m->open_count; i++) {
        const struct open_point *open = &m->open[i];
        bool here_only = hardware_couples_boards(&m->plan->points[open->point].hardware);
        size_t passes = open->waiting > 0 && (rank == 0 || !here_only) ? open->passes : 0;
        for (size_t pass = 0; pass < passes && best < WAY_RETIME; pass++) {
            struct rank_job candidate = {open->point, pass};
            if (open->jobs[pass].state != JOB_WAITS || readiness(m, rank, candidate) <= best)
                continue;
            best = readiness(m, rank, candidate);
            *job = candidate;
        }
    }
    return best >= 0;
}

/* Find the job that another rank has had for the longest time, for when no job waits any more. */
static bool find_overdue(struct sweep_runner *m, int rank, struct rank_job *job)
{
    double oldest_s = HUGE_VAL;
    for (size_t i = 0; i < m->open_count; i++) {
        for (size_t pass = 0; pass < m->open[i].passes; pass++) {
            const struct open_job *j = &m->open[i].jobs[pass];
            if (j->state != JOB_HANDED || j->rank == rank || j->rank == 0 || j->since_s >= oldest_s)
                continue;
            oldest_s = j->since_s;
            *job = (struct rank_job){m->open[i].point, pass};
        }
    }
    return oldest_s < HUGE_VAL;
}

static bool choose_job(struct sweep_runner *m, int rank, struct rank_job *job)
{
    if (find_waiting(m, rank, job)) {
        find_open(m, job->point)->waiting--;
    } else if (m->turn < m->plan->point_count || !find_overdue(m, rank, job)) {
        return false;
    }
    find_open(m, job->point)->jobs[job->pass] = (struct open_job){JOB_HANDED, rank, progress_wall_s()};
    return true;
}

/* --- stitching ------------------------------------------------------------------------------------------- */

static void drop_alignments(struct findings *f, size_t pass_count)
{
    for (size_t pass = 0; f->passes && pass < pass_count; pass++)
        alignment_list_destroy(&f->passes[pass].alignments);
    free(f->passes);
    f->passes = NULL;
}

/* Take what a pass has found, unless it is known from before. */
static void keep_alignments(struct sweep_runner *m, size_t search, size_t pass, struct pass_result *result)
{
    struct findings *f = &m->findings[search];
    if (!result->searched || f->stitched)
        return;
    if (!f->passes)
        f->passes = memory_new(m->plan->searches[search].pass_count, sizeof *f->passes);
    if (!f->passes[pass].is_kept) {
        f->passes[pass] = (struct found){true, result->alignments};
        result->alignments = (struct alignment_list){0};
    }
}

/* Stitch the alignments of a search, whose passes must all have been kept. */
static void stitch(const struct sweep_plan *plan, const struct sweep_search *search, struct findings *f)
{
    const struct sweep_input *input = &plan->request->inputs[search->input];
    auto_by(alignment_list_destroy) struct alignment_list all = {0};
    auto_free uint8_t *plus = sequences_unpack_strand(input->query, STRAND_PLUS);
    auto_free uint8_t *minus = sequences_unpack_strand(input->query, STRAND_MINUS);
    struct stage3_query query = {
        input->query, input->database, {plus, minus}, &search->statistics, {search->least_scores, 0}};
    for (size_t pass = 0; pass < search->pass_count; pass++)
        alignment_list_append_list(&all, &f->passes[pass].alignments);
    stitch_alignments(&all, &query, &f->work);
    drop_alignments(f, search->pass_count);
    f->stitched = true;
}

/* --- what comes back ------------------------------------------------------------------------------------- */

static int finish_point(struct sweep_runner *m, struct open_point *open)
{
    const struct hardware *hardware = &m->plan->points[open->point].hardware;
    const size_t search = search_of(m, open->point);
    struct findings *f = &m->findings[search];
    struct sweep_measures measures;
    struct frame run;
    if (!f->stitched)
        stitch(m->plan, &m->plan->searches[search], f);
    int status = run_output_status(sum_up(m->work, open->point, open->results, &run, m->why));
    if (status)
        return status;
    machine_frame_add_join(&run, &f->work, hardware);
    sweep_measures_make(&(struct sweep_facts){hardware, &run, open->results, open->passes}, &measures);
    if (m->run->take(m->run->data, open->point, &measures, m->why) != 0)
        status = COMMAND_REFUSED;
    m->finished++;
    close_point(open);
    *open = m->open[m->open_count - 1];
    /* Few points are open, so this hardly changes their order. */
    m->open[--m->open_count] = (struct open_point){0};
    return status;
}

/* Keep what a report has, if it is the first of its job; it is destroyed. */
static int take_report(struct sweep_runner *m, int rank, struct pass_report *report)
{
    const size_t point = report->job.point, pass = report->job.pass;
    struct open_point *open = find_open(m, point);
    int status = 0;
    keep_alignments(m, search_of(m, point), pass, &report->result);
    m->is_idle = false;
    if (rank > 0)
        *structure_tokens(m, rank, m->plan->points[point].structure, pass) = true;
    if (open && open->jobs[pass].state != JOB_DONE) {
        open->jobs[pass].state = JOB_DONE;
        open->results[pass] = report->result;
        report->result.host.tasks = (struct stage3_tasks){0};
        if (--open->missing == 0)
            status = finish_point(m, open);
    }
    pass_report_destroy(report);
    return status;
}

/* --- rank 0 ---------------------------------------------------------------------------------------------- */

static int fill_slots(struct sweep_runner *m)
{
    struct rank_job job;
    int status = 0;
    while (status == 0 && pass_pool_has_free_slot(m->work->pool) && choose_job(m, 0, &job))
        status = run_output_status(sweep_work_start(m->work, job, m->why));
    return status;
}

static int work_here(struct sweep_runner *m)
{
    struct pass_report *report;
    int status = open_points(m);
    if (status == 0)
        status = fill_slots(m);
    int collected = status == 0 ? sweep_work_collect(m->work, &report, m->why) : 0;
    if (collected <= 0)
        return status ? status : run_output_status(collected);
    status = fill_slots(m); /* before the point is stored, so that no slot waits for the disk */
    if (status == 0)
        return take_report(m, 0, report);
    pass_report_destroy(report);
    return status;
}

static int take_word(struct sweep_runner *m, enum rank_word word, const struct rank_letter *letter)
{
    if (word == WORD_FAILED || letter->status)
        return COMMAND_FAILED;
    if (word == WORD_ASKS && letter->digest != m->digest)
        return why_say(
            m->why, COMMAND_FAILED,
            "rank %d has another list of points: are its inputs and its mercury the same as those of rank 0?",
            letter->rank);
    m->is_idle = m->is_idle && word == WORD_NONE;
    m->asked[letter->rank] += word == WORD_ASKS || word == WORD_OUTCOME;
    return word == WORD_OUTCOME ? take_report(m, letter->rank, letter->report) : 0;
}

static int work_with_others(struct sweep_runner *m)
{
    struct rank_letter letter = {0};
    enum rank_word word = rank_link.hear(m->run->link, &letter, m->why);
    int status = take_word(m, word, &letter);
    if (status == 0)
        status = open_points(m);
    /* give each rank as many jobs as it has asked for, or as there are */
    for (int rank = 1; rank < rank_link_size(m->run->link) && status == 0; rank++)
        for (struct rank_job job; m->asked[rank] > 0 && choose_job(m, rank, &job); m->asked[rank]--)
            rank_link.order(rank, ORDER_JOB, job);
    return status;
}

/* The rank_link_taker of reports that were on their way. */
static void take_last(void *data, const struct rank_letter *letter)
{
    take_report(data, letter->rank, letter->report);
}

static const int watched[3] = {SIGINT, SIGTERM, SIGHUP};

static void note_signal(int number)
{
    ended_by = number;
}

struct sweep_runner *sweep_runner_new(const struct sweep_run *run)
{
    struct sweep_runner *m = memory_new(1, sizeof *m);
    const size_t ranks = (size_t)rank_link_size(run->link);
    *m = (struct sweep_runner){.run = run, .plan = run->plan, .open_room = 2 * (ranks * run->jobs) + 2};
    struct sigaction action = {.sa_handler = note_signal};
    for (unsigned i = 0; i < 3; i++) {
        sigaction(watched[i], NULL, &m->before[i]);
        if (m->before[i].sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    }
    m->work = sweep_work_new(m->plan, run->jobs);
    m->open = memory_new(m->open_room, sizeof *m->open);
    m->has_tokens = memory_new(ranks * m->plan->structure_passes + 1, sizeof *m->has_tokens);
    m->asked = memory_new(ranks, sizeof *m->asked);
    return m;
}

/* Points that this work has finished, and parts of those that are open. */
static double points_done(const struct sweep_runner *m)
{
    double done = (double)(m->finished - m->skipped);
    for (size_t i = 0; i < m->open_count; i++)
        done += 1 - (double)m->open[i].missing / (double)m->open[i].passes;
    return done;
}

int sweep_runner_work(struct sweep_runner *m, struct why *why)
{
    m->why = why;
    m->digest = sweep_plan_digest(m->plan);
    const size_t more = m->plan->search_count - m->finding_count; /* searches that were added to the plan */
    array_reserve(&m->findings, &m->finding_room, m->finding_count, more, sizeof *m->findings);
    sweep_work_grow(m->work);
    memset(m->findings + m->finding_count, 0, more * sizeof *m->findings);
    m->finding_count += more;
    m->skipped = m->finished;
    progress_begin(&m->progress, "points", (double)(m->plan->point_count - m->finished), m->run->quiet);
    const bool others = rank_link_size(m->run->link) > 1;
    int status = 0;
    while (status == 0 && m->finished < m->plan->point_count) {
        m->is_idle = true;
        status = work_here(m);
        if (status == 0 && others)
            status = work_with_others(m);
        m->is_ended = ended_by != 0; /* also if Ctrl-C has ended a pass first */
        if (m->is_ended)
            status = why_say(m->why, COMMAND_FAILED, "ended by a signal");
        if (status == 0 && m->is_idle && others)
            rank_link.sleep();
        else if (status == 0 && m->is_idle)
            pass_pool_sleep(CHILD_SLEEP_S);
        progress_update(&m->progress, points_done(m));
    }
    progress_end(&m->progress);
    return status;
}

const struct token_record *sweep_runner_tokens(const struct sweep_runner *m, size_t point, size_t pass)
{
    return kept_of(m->work, (struct rank_job){point, pass})->record;
}

bool sweep_runner_destroy(struct sweep_runner *m)
{
    static char words[200];
    struct why why;
    m->why = &why;
    bool lost = rank_link_dismiss(m->run->link, m->is_ended ? take_last : NULL, m);
    const struct sweep_runner last = *m;
    sweep_work_destroy(m->work);
    for (size_t i = 0; m->open && i < m->open_count; i++)
        close_point(&m->open[i]);
    for (size_t i = 0; i < m->finding_count; i++) {
        drop_alignments(&m->findings[i], m->plan->searches[i].pass_count);
        stitch_work_destroy(&m->findings[i].work);
    }
    free(m->findings);
    free(m->open);
    free(m->has_tokens);
    free(m->asked);
    for (unsigned i = 0; i < 3; i++)
        sigaction(watched[i], &m->before[i], NULL);
    free(m);
    if (!last.is_ended)
        return lost;
    snprintf(words, sizeof words, "\nmercury: ended by a signal; %zu of %zu points %s\n", last.finished,
             last.plan->point_count, last.run->kept);
    signals_set_last_words(words);
    raise(ended_by); /* die of the signal that has ended the work, as its sender expects */
    return lost;
}

/* --- another rank ---------------------------------------------------------------------------------------- */

bool sweep_run_serve(const struct sweep_run *run, const char *problem)
{
    struct why why;
    enum rank_order order = ORDER_NONE;
    struct sweep_work *work = problem ? NULL : sweep_work_new(run->plan, run->jobs);
    const uint64_t digest = work ? sweep_plan_digest(run->plan) : 0;
    int status = 0; /* below 0: `why` has a line */
    for (unsigned i = 0; i < run->jobs && work; i++)
        rank_link.say(WORD_ASKS, &digest, sizeof digest);
    while (work && status >= 0 && order < ORDER_STOP) {
        struct pass_report *report;
        struct rank_job job;
        order = rank_link.listen(run->link, &job);
        status = order == ORDER_JOB ? sweep_work_start(work, job, &why) : 0;
        if (status == 0)
            status = sweep_work_collect(work, &report, &why);
        if (status > 0) {
            rank_link.report(report);
            pass_report_destroy(report);
        } else if (status == 0 && order == ORDER_NONE)
            rank_link.sleep();
    }
    sweep_work_destroy(work);
    return rank_link.leave(run->link, order, status < 0 ? why.line : problem);
}
