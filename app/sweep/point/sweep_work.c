#include "app/sweep/point/sweep_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_pool.h"
#include "sim/pass/passes.h"
#include "sim/pass/joined_hosts.h"
#include "sim/platform/platform.h"

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

const struct token_record *sweep_work_tokens(const struct sweep_work *work, struct rank_job job)
{
    return kept_of(work, job)->record;
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

static enum way way_of(const struct sweep_work *w, struct rank_job job)
{
    return kept_of(w, job)->record ? WAY_RETIME : base_of(w, job) ? WAY_RESCAN : WAY_SIMULATE;
}

int sweep_work_readiness(const struct sweep_work *work, struct rank_job job)
{
    return (int)way_of(work, job);
}

/* --- in a child ------------------------------------------------------------------------------------------ */

/* Let the platform have a point's parameters, for SimGrid. */
static int write_platform(const struct sweep_work *w, const struct hardware *hardware, struct why *why)
{
    int status = platform_rewrite(w->plan->request->platform, hardware, why);
    return status == 0 ? 0 : status == PLATFORM_ESYSTEM ? PASS_EMEMORY : PASS_EPROCESS;
}

/* What the next pass of the point loads while this one is on the board (pass_simulation.h). */
static int find_overlap(const struct sweep_work *w, struct rank_job job, struct pass_simulation *pass,
                        struct why *why)
{
    const struct sweep_search *search = sweep_plan_search(w->plan, job.point);
    if (pass->hardware->overlap != OVERLAP_TABLES || pass->only_tokens)
        return 0;
    const size_t next = job.pass + pass->hardware->hosts;
    pass->tables_are_loaded = job.pass >= pass->hardware->hosts;
    return next >= search->pass_count ? 0
                                      : pass_table_bytes(pass->hardware, pass->query, &search->segments[next],
                                                         &pass->next_table_bytes, why);
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
    if (status == 0)
        status = find_overlap(w, job, &pass, &report->result.why);
    if (status)
        return status;
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

bool sweep_work_has_free_slot(const struct sweep_work *work)
{
    return pass_pool_has_free_slot(work->pool);
}

int sweep_work_start(struct sweep_work *work, struct rank_job job, struct why *why)
{
    struct pass_job pass = {.point = job.point, .pass = job.pass, .spool = -1, .records = -1};
    const struct sweep_search *search = sweep_plan_search(work->plan, job.point);
    const enum strand strand = search->segments[job.pass].strand;
    uint8_t **codes = &work->codes[search->input][strand];
    if (!*codes)
        *codes = sequences_unpack_strand(work->plan->request->inputs[search->input].query, strand);
    if (!*codes)
        return why_no_memory(why, PASS_EMEMORY);
    if (wants_tokens(work, job) && (pass.spool = memfd_create("mercury-tokens", MFD_CLOEXEC)) < 0)
        return why_no_memory(why, PASS_EMEMORY);
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
    char path[64];
    int file = memfd_create("mercury-record", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int status = file < 0 ? -1 : write_record(w, job, report->job.spool, path, why);
    if (status == 0)
        status = token_record_open(path, &kept->record, why);
    struct stat size;
    if (status == 0 && fstat(file, &size) == 0)
        kept->bytes = (uint64_t)size.st_size;
    if (file >= 0)
        close(file);
    if (status) {
        kept->record = NULL;
        return why_precede(why, file < 0 ? why_no_memory(why, PASS_EMEMORY) : PASS_EMEMORY,
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

int sweep_work_collect(struct sweep_work *work, struct pass_report **report, struct why *why)
{
    int collected = pass_pool_collect(work->pool, report, why);
    if (collected <= 0)
        return collected;
    int status = keep_tokens(work, *report, why);
    if (status) {
        pass_report_destroy(*report);
        return status;
    }
    if ((*report)->job.spool >= 0)
        close((*report)->job.spool);
    (*report)->job.spool = -1;
    return 1;
}

/* --- summing up ------------------------------------------------------------------------------------------ */

/* Passes that the hosts complete. */
struct completion {
    const struct hardware *hardware;
    struct pass_result *passes;
    struct scratch scratch;
};

static int complete_frame(void *completion, const struct host_pass *pass, struct why *why)
{
    struct completion *c = completion;
    struct host_instruments none = {.scratch = &c->scratch};
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
    int status = hosts ? 0 : why_no_memory(why, PASS_EMEMORY);
    for (size_t i = 0; i < search->pass_count && status == 0; i++)
        status = joined_hosts_add(hosts, &passes[i].host, why);
    if (status == 0)
        status = joined_hosts_end(hosts, &times, why);
    joined_hosts_destroy(hosts);
    scratch_destroy(&completion.scratch);
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
    const struct token_record **records = calloc(search->pass_count, sizeof(struct token_record *));
    if (!records)
        return why_no_memory(why, PASS_EMEMORY);
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
    struct passes_result result = {0};
    int status = passes_run(&again, &result, why);
    for (size_t i = 0; i < search->pass_count && status == 0; i++)
        passes[i].frame = result.passes[i];
    *run = result.run;
    passes_result_destroy(&result);
    free(records);
    return status;
}

int sweep_work_sum_up(struct sweep_work *w, size_t point, struct pass_result *passes, struct frame *run,
                      struct why *why)
{
    const struct hardware *hardware = &w->plan->points[point].hardware;
    const bool coupled = hardware_couples_boards(hardware);
    int status = coupled || hardware->hosts > 1 ? write_platform(w, hardware, why) : 0;
    return status ? status : (coupled ? sum_up_boards : sum_up_hosts)(w, point, passes, run, why);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

bool sweep_work_grow(struct sweep_work *w)
{
    const struct sweep_plan *plan = w->plan;
    struct kept *kept = realloc(w->kept, (plan->structure_passes + 1) * sizeof *kept);
    w->kept = kept ? kept : w->kept;
    if (!kept)
        return false;
    for (; w->kept_count < plan->structure_passes; w->kept_count++)
        w->kept[w->kept_count] = (struct kept){0};
    return true;
}

struct sweep_work *sweep_work_new(const struct sweep_plan *plan, unsigned slots)
{
    struct sweep_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct sweep_work){.plan = plan};
    w->pool = pass_pool_new(slots, do_job, w);
    w->codes = calloc(plan->request->input_count, sizeof *w->codes);
    if (w->pool && w->codes && sweep_work_grow(w))
        return w;
    sweep_work_destroy(w);
    return NULL;
}

void sweep_work_destroy(struct sweep_work *w)
{
    if (!w)
        return;
    pass_pool_destroy(w->pool);
    for (size_t i = 0; i < w->kept_count; i++)
        token_record_close(w->kept[i].record);
    for (size_t i = 0; w->codes && i < w->plan->request->input_count; i++) {
        free(w->codes[i][STRAND_PLUS]);
        free(w->codes[i][STRAND_MINUS]);
    }
    free(w->kept);
    free(w->codes);
    free(w);
}
