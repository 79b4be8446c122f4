#include "app/sweep/sweep_work.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/pass/pass_simulation.h"
#include "base/output.h"
#include "sim/pass/pass_process.h"
#include "sim/tokens/token_record.h"

/* What a job's process leaves in its report file, followed by its alignments. */
struct report {
    int status;
    struct why why;
    struct frame frame;
    struct sram_load load;
    uint64_t alignment_count;
};

enum way { WAY_SIMULATE, WAY_RESCAN, WAY_RETIME };

struct slot {
    pid_t process; /* 0: free */
    struct sweep_job job;
    enum way way;
    int report; /* file in memory */
    int spool;  /* for tokens, -1 for none */
};

/* Tokens of one pass of a structure. */
struct kept {
    struct token_record *record; /* of that pass alone; NULL: not at hand */
    struct sram_load load;
    uint64_t bytes, used; /* when, by `work->uses` */
};

struct sweep_work {
    const struct sweep_plan *plan;
    const char *platform_path;
    struct slot *slots;
    unsigned slot_count;
    struct kept *kept; /* of every pass of every structure */
    size_t
        *bases; /* of every pass of every search: number of those that tell what stage 3 did, or SIZE_MAX */
    uint8_t *(*codes)[2]; /* of every input: query on each strand, made when needed */
    size_t kept_count, base_count;
    uint64_t kept_bytes, uses;
};

static int refuse(int code, const char *what, struct why *why)
{
    return why_say(why, code, "%s", what);
}

/* --- which tokens there are ------------------------------------------------------------------------------ */

static const struct sweep_structure *structure_of(const struct sweep_work *w, struct sweep_job job)
{
    return &w->plan->structures[w->plan->points[job.point].structure];
}

static struct kept *kept_of(const struct sweep_work *w, struct sweep_job job)
{
    return &w->kept[structure_of(w, job)->first_pass + job.pass];
}

static size_t *base_number(const struct sweep_work *w, struct sweep_job job)
{
    return &w->bases[w->plan->searches[structure_of(w, job)->search].first_pass + job.pass];
}

/* Any structure's tokens of the same search and pass tell what stage 3 did. */
static const struct kept *base_of(const struct sweep_work *w, struct sweep_job job)
{
    size_t number = *base_number(w, job);
    return number == SIZE_MAX ? NULL : &w->kept[number];
}

static enum way way_of(const struct sweep_work *w, struct sweep_job job)
{
    return kept_of(w, job)->record ? WAY_RETIME : base_of(w, job) ? WAY_RESCAN : WAY_SIMULATE;
}

int sweep_work_readiness(const struct sweep_work *work, struct sweep_job job)
{
    return (int)way_of(work, job);
}

/* --- in a job's process ---------------------------------------------------------------------------------- */

/* A platform with the point's numbers, for SimGrid; it goes with the process. */
static const char *write_platform(const struct sweep_work *w, const struct hardware *hardware,
                                  struct why *why)
{
    struct hardware ignored = hardware_default();
    struct platform *platform = NULL;
    if (platform_open(w->platform_path, &ignored, &platform, why) != 0 ||
        platform_rewrite(platform, hardware, why) != 0)
        return NULL;
    return platform_simgrid_file(platform);
}

static int simulate(const struct sweep_work *w, const struct slot *slot, const char *platform_file,
                    struct pass_result *result)
{
    const struct sweep_point *point = &w->plan->points[slot->job.point];
    const struct sweep_search *search = sweep_plan_search(w->plan, slot->job.point);
    const struct sweep_input *input = &w->plan->request->inputs[search->input];
    struct pass_simulation pass = {
        .hardware = &point->hardware,
        .platform_file = platform_file,
        .query = input->query,
        .query_codes = w->codes[search->input][search->segments[slot->job.pass].strand],
        .database = input->database,
        .segment = search->segments[slot->job.pass],
        .statistics = &search->statistics,
        .least_score = search->least_score,
        .record = slot->spool >= 0,
        .spool = slot->spool,
    };
    if (slot->way == WAY_RETIME)
        return pass_retime(&pass, kept_of(w, slot->job)->record, 0, result);
    return slot->way == WAY_RESCAN ? pass_rescan(&pass, base_of(w, slot->job)->record, 0, result)
                                   : pass_simulate(&pass, result);
}

static const char *explain(int status)
{
    return status == PASS_ERECORD ? "tokens contradict themselves: a bug of Mercury's, please report it"
                                  : "out of memory in a pass";
}

/* @return the process's exit status */
static int do_job(const struct sweep_work *w, const struct slot *slot)
{
    static struct report report; /* its padding goes into the file, too */
    struct pass_result result = {0};
    const char *platform_file = write_platform(w, &w->plan->points[slot->job.point].hardware, &report.why);
    report.status = platform_file ? simulate(w, slot, platform_file, &result) : -1;
    if (platform_file && report.status)
        why_say(&report.why, 0, "%s", explain(report.status));
    if (report.status)
        return output_write_all(slot->report, &report, sizeof report) ? 0 : 1;
    report.frame = result.frame;
    report.load = slot->way == WAY_RETIME ? kept_of(w, slot->job)->load : result.tables;
    report.alignment_count = result.alignments.count;
    bool written = output_write_all(slot->report, &report, sizeof report) &&
                   output_write_all(slot->report, result.alignments.items,
                                    result.alignments.count * sizeof *result.alignments.items);
    return written ? 0 : 1;
}

/* --- starting -------------------------------------------------------------------------------------------- */

static bool unpack_query(struct sweep_work *w, struct sweep_job job)
{
    const struct sweep_search *search = sweep_plan_search(w->plan, job.point);
    const struct sequences *query = w->plan->request->inputs[search->input].query;
    enum strand strand = search->segments[job.pass].strand;
    uint8_t **codes = &w->codes[search->input][strand];
    if (*codes)
        return true;
    *codes = malloc(query->positions);
    if (*codes)
        sequences_unpack(query, strand, 0, query->positions, *codes);
    return *codes != NULL;
}

/* Tokens are worth keeping for further points, which may be added, and for stage 3 under other structures. */
static bool wants_tokens(const struct sweep_work *w, const struct slot *slot)
{
    return slot->way == WAY_SIMULATE ? w->plan->point_count > 1
                                     : slot->way == WAY_RESCAN && structure_of(w, slot->job)->point_count > 1;
}

static void close_slot(struct slot *slot)
{
    if (slot->report >= 0)
        close(slot->report);
    if (slot->spool >= 0)
        close(slot->spool);
    *slot = (struct slot){.report = -1, .spool = -1};
}

static struct slot *free_slot(const struct sweep_work *w)
{
    for (unsigned i = 0; i < w->slot_count; i++)
        if (w->slots[i].process == 0)
            return &w->slots[i];
    return NULL;
}

bool sweep_work_has_free_slot(const struct sweep_work *work)
{
    return free_slot(work) != NULL;
}

bool sweep_work_is_idle(const struct sweep_work *work)
{
    for (unsigned i = 0; i < work->slot_count; i++)
        if (work->slots[i].process != 0)
            return false;
    return true;
}

int sweep_work_start(struct sweep_work *work, struct sweep_job job, struct why *why)
{
    static const char cannot[] = "cannot start a process for a pass";
    struct slot *slot = free_slot(work);
    *slot = (struct slot){.job = job, .way = way_of(work, job), .spool = -1};
    if (!unpack_query(work, job))
        return refuse(SWEEP_WORK_EMEMORY, "out of memory", why);
    slot->report = memfd_create("mercury-pass", MFD_CLOEXEC);
    bool wanted = wants_tokens(work, slot);
    if (wanted)
        slot->spool = memfd_create("mercury-tokens", MFD_CLOEXEC);
    bool ready = slot->report >= 0 && (!wanted || slot->spool >= 0);
    fflush(NULL);
    pid_t process = ready ? fork() : -1;
    if (process < 0) {
        close_slot(slot);
        return refuse(SWEEP_WORK_EPROCESS, cannot, why);
    }
    if (process == 0) {
        pass_process_enter();
        _exit(do_job(work, slot));
    }
    slot->process = process;
    kept_of(work, job)->used = ++work->uses;
    return 0;
}

/* --- tokens ---------------------------------------------------------------------------------------------- */

static size_t *base_that_is(const struct sweep_work *w, size_t number)
{
    for (size_t i = 0; i < w->plan->search_passes; i++)
        if (w->bases[i] == number)
            return &w->bases[i];
    return NULL;
}

static void drop(struct sweep_work *w, size_t number)
{
    struct kept *kept = &w->kept[number];
    size_t *base = base_that_is(w, number);
    token_record_close(kept->record);
    kept->record = NULL;
    w->kept_bytes -= kept->bytes;
    kept->bytes = 0;
    if (base)
        *base = SIZE_MAX;
}

/* The one to give up, SIZE_MAX where there is none but `newest`. Bases go last: without one, a search's stage 3 has to be
 * computed again. */
static size_t find_oldest(const struct sweep_work *w, const struct kept *newest)
{
    size_t oldest = SIZE_MAX;
    bool oldest_is_base = false;
    for (size_t i = 0; i < w->plan->structure_passes; i++) {
        const struct kept *kept = &w->kept[i];
        if (!kept->record || kept == newest)
            continue;
        bool base = base_that_is(w, i) != NULL;
        if (oldest == SIZE_MAX || (oldest_is_base && !base) ||
            (oldest_is_base == base && kept->used < w->kept[oldest].used)) {
            oldest = i;
            oldest_is_base = base;
        }
    }
    return oldest;
}

static void make_room(struct sweep_work *w, const struct kept *newest)
{
    size_t oldest;
    while (w->kept_bytes > SWEEP_TOKENS_BYTES_MAX && (oldest = find_oldest(w, newest)) != SIZE_MAX)
        drop(w, oldest);
}

/* The tokens in `spool` as a record of one pass, in memory. */
static int write_record(const struct sweep_work *w, struct sweep_job job, int spool, const char *path,
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
        .platform_path = w->platform_path,
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

static int keep_tokens(struct sweep_work *w, const struct slot *slot, const struct sram_load *load,
                       struct why *why)
{
    struct kept *kept = kept_of(w, slot->job);
    if (kept->record)
        return 0;
    char path[64];
    int file = memfd_create("mercury-record", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int status = file < 0 ? -1 : write_record(w, slot->job, slot->spool, path, why);
    if (status == 0)
        status = token_record_open(path, &kept->record, why);
    struct stat size;
    if (status == 0 && fstat(file, &size) == 0)
        kept->bytes = (uint64_t)size.st_size;
    if (file >= 0)
        close(file);
    if (status) {
        kept->record = NULL;
        return refuse(SWEEP_WORK_EMEMORY, "no memory for the tokens of a pass", why);
    }
    kept->load = *load;
    kept->used = ++w->uses;
    w->kept_bytes += kept->bytes;
    if (*base_number(w, slot->job) == SIZE_MAX)
        *base_number(w, slot->job) = (size_t)(kept - w->kept);
    make_room(w, kept);
    return 0;
}

/* --- collecting ------------------------------------------------------------------------------------------ */

static int read_outcome(struct slot *slot, struct sweep_outcome *outcome, struct why *why)
{
    struct report report;
    if (lseek(slot->report, 0, SEEK_SET) != 0 || !pass_process_read(slot->report, &report, sizeof report))
        return refuse(SWEEP_WORK_EPROCESS, "the result of a pass is incomplete", why);
    if (report.status)
        return refuse(SWEEP_WORK_EPROCESS, report.why.line, why);
    *outcome = (struct sweep_outcome){
        .job = slot->job,
        .frame = report.frame,
        .load = report.load,
        .searched = slot->way == WAY_SIMULATE,
        .alignments = malloc((report.alignment_count + 1) * sizeof *outcome->alignments),
        .alignment_count = report.alignment_count,
    };
    int status = 0;
    if (!outcome->alignments)
        status = refuse(SWEEP_WORK_EMEMORY, "out of memory", why);
    else if (!pass_process_read(slot->report, outcome->alignments,
                                report.alignment_count * sizeof *outcome->alignments))
        status = refuse(SWEEP_WORK_EPROCESS, "the result of a pass is incomplete", why);
    else
        status = pass_process_check_frame(slot->job.pass, &outcome->frame, why) ? 0 : SWEEP_WORK_EPROCESS;
    if (status) {
        free(outcome->alignments);
        outcome->alignments = NULL;
    }
    return status;
}

int sweep_work_collect(struct sweep_work *work, struct sweep_outcome *outcome, struct why *why)
{
    for (unsigned i = 0; i < work->slot_count; i++) {
        struct slot *slot = &work->slots[i];
        int exit_status;
        if (slot->process == 0 || waitpid(slot->process, &exit_status, WNOHANG) != slot->process)
            continue;
        int status = SWEEP_WORK_EPROCESS;
        if (exit_status != 0)
            pass_process_explain_end(slot->job.pass, exit_status, why);
        else
            status = read_outcome(slot, outcome, why);
        if (status == 0 && slot->spool >= 0) {
            status = keep_tokens(work, slot, &outcome->load, why);
            if (status)
                free(outcome->alignments);
        }
        close_slot(slot);
        return status ? status : 1;
    }
    return 0;
}

void sweep_work_sleep(double seconds)
{
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigtimedwait(&child_ended, NULL,
                 &(struct timespec){.tv_sec = (time_t)seconds,
                                    .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)});
}

/* --- the whole ------------------------------------------------------------------------------------------- */

bool sweep_work_grow(struct sweep_work *w)
{
    const struct sweep_plan *plan = w->plan;
    struct kept *kept = realloc(w->kept, (plan->structure_passes + 1) * sizeof *kept);
    w->kept = kept ? kept : w->kept;
    size_t *bases = realloc(w->bases, (plan->search_passes + 1) * sizeof *bases);
    w->bases = bases ? bases : w->bases;
    if (!kept || !bases)
        return false;
    for (; w->kept_count < plan->structure_passes; w->kept_count++)
        w->kept[w->kept_count] = (struct kept){0};
    for (; w->base_count < plan->search_passes; w->base_count++)
        w->bases[w->base_count] = SIZE_MAX;
    return true;
}

static void block_child_signal(void)
{
    sigset_t child_ended; /* for sigtimedwait() */
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, NULL);
}

struct sweep_work *sweep_work_new(const struct sweep_plan *plan, const char *platform_path, unsigned slots)
{
    struct sweep_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct sweep_work){.plan = plan, .platform_path = platform_path, .slot_count = slots};
    w->slots = calloc(slots, sizeof *w->slots);
    w->codes = calloc(plan->request->input_count, sizeof *w->codes);
    if (!w->slots || !w->codes || !sweep_work_grow(w)) {
        sweep_work_destroy(w);
        return NULL;
    }
    for (unsigned i = 0; i < slots; i++)
        w->slots[i] = (struct slot){.report = -1, .spool = -1};
    block_child_signal();
    return w;
}

void sweep_work_destroy(struct sweep_work *w)
{
    if (!w)
        return;
    for (unsigned i = 0; w->slots && i < w->slot_count; i++)
        if (w->slots[i].process > 0) {
            kill(w->slots[i].process, SIGKILL);
            waitpid(w->slots[i].process, NULL, 0);
            close_slot(&w->slots[i]);
        }
    for (size_t i = 0; i < w->kept_count; i++)
        token_record_close(w->kept[i].record);
    for (size_t i = 0; w->codes && i < w->plan->request->input_count; i++) {
        free(w->codes[i][STRAND_PLUS]);
        free(w->codes[i][STRAND_MINUS]);
    }
    free(w->slots);
    free(w->kept);
    free(w->bases);
    free(w->codes);
    free(w);
}
