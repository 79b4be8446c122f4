#include "sim/pass/pass_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/process/child_words.h"
#include "base/progress.h"
#include "base/file/scratch_file.h"
#include "base/process/signals.h"

struct slot {
    pid_t process;              /* 0 if the slot is free */
    struct pass_report *report; /* in memory that parent and child share */
    int results; /* file in memory; the child writes its alignments, their paths and its tasks there */
    int words;   /* what it says on standard error */
};

struct pass_pool {
    pass_work *work;
    const void *data;
    struct pass_pool_shared *shared;
    sigset_t signals_before;
    size_t hsps_before;           /* of the pass that ended last */
    unsigned slot_count, running; /* running: number of slots that have a child */
    struct slot slots[];
};

static sigset_t child_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

/* The report is kept if it was handed to the caller. */
static void clear_slot(struct slot *slot, bool keep_report)
{
    file_io_close(&slot->results);
    child_words_drop(slot->words);
    if (!keep_report)
        pass_report_destroy(slot->report);
    *slot = (struct slot){0};
}

/* --- in a child ------------------------------------------------------------------------------------------ */

static bool write_results(int file, const struct pass_result *result)
{
    FILE *out = file_io_stream(dup(file), "w");
    bool written = out && pass_report_write_results(result, false, out);
    return out && fclose(out) == 0 && written;
}

/* Time that the threads of this process have computed. */
static double computed_s(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Do the job, and exit. The report is complete when its status is there. */
static void do_job(const struct pass_pool *pool, const struct slot *slot)
{
    struct pass_report *report = slot->report;
    const double begin_s = progress_wall_s();
    child_words_keep(slot->words);
    int status = pool->work(pool->data, report);
    if (status == 0 && !write_results(slot->results, &report->result))
        status =
            why_say(&report->result.why, PASS_EFILE, "what pass %zu has found cannot be kept in memory: %s",
                    report->job.pass + 1, why_error(errno));
    report->processor_s = fmax(progress_wall_s() - begin_s, computed_s());
    report->fault = file_io_fault();
    report->status = status;
    _exit(0);
}

/* --- in the parent --------------------------------------------------------------------------------------- */

static void share_processors(const struct pass_pool *pool)
{
    atomic_store(&pool->shared->threads, pool->slot_count / (pool->running > 0 ? pool->running : 1));
}

struct pass_pool *pass_pool_new(unsigned slots, pass_work *work, const void *data)
{
    struct pass_pool *pool = memory_new(1, sizeof *pool + slots * sizeof pool->slots[0]);
    *pool = (struct pass_pool){
        .work = work, .data = data, .shared = memory_shared(sizeof *pool->shared), .slot_count = slots};
    sigset_t child_ended = child_signal();
    share_processors(pool);
    sigprocmask(SIG_BLOCK, &child_ended, &pool->signals_before);
    return pool;
}

void pass_pool_destroy(struct pass_pool *pool)
{
    if (!pool)
        return;
    for (unsigned i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].process > 0) {
            kill(pool->slots[i].process, SIGKILL);
            waitpid(pool->slots[i].process, NULL, 0);
            pass_report_forget_results(&pool->slots[i].report->result);
            clear_slot(&pool->slots[i], false);
        }
    sigprocmask(SIG_SETMASK, &pool->signals_before, NULL);
    munmap(pool->shared, sizeof *pool->shared);
    free(pool);
}

struct pass_pool_shared *pass_pool_shared(const struct pass_pool *pool)
{
    return pool->shared;
}

static unsigned free_slot(const struct pass_pool *pool)
{
    unsigned i = 0;
    while (i < pool->slot_count && pool->slots[i].process != 0)
        i++;
    return i;
}

unsigned pass_pool_running(const struct pass_pool *pool)
{
    return pool->running;
}

bool pass_pool_has_free_slot(const struct pass_pool *pool)
{
    return free_slot(pool) < pool->slot_count;
}

/* Say of which passes the line is. */
static int name_passes(const struct pass_job *job, int status, struct why *why)
{
    if (job->last == 0 || job->last == job->pass)
        return why_precede(why, status, "pass %zu: ", job->pass + 1);
    if (job->host > 0)
        why_precede(why, status, " of host %" PRIu32 ": ", job->host);
    return why_precede(why, status, "passes %zu to %zu%s", job->pass + 1, job->last + 1,
                       job->host > 0 ? "" : ": ");
}

/* The line says that memory or files are exhausted. */
static int refuse_memory(const struct pass_job *job, int status, struct why *why)
{
    why_append(why, ", or use fewer jobs (-j 1)");
    return name_passes(job, status, why);
}

int pass_pool_start(struct pass_pool *pool, struct pass_job job, struct why *why)
{
    struct slot *slot = &pool->slots[free_slot(pool)];
    job.hsps = scratch_file_descriptor();
    job.hsps_before = pool->hsps_before;
    *slot = (struct slot){.report = pass_report_new(&job),
                          .results = memfd_create("mercury-pass", MFD_CLOEXEC),
                          .words = child_words_new()};
    pool->running++;
    share_processors(pool); /* before the child could see more */
    fflush(NULL);
    pid_t process = slot->results >= 0 ? signals_fork() : -1;
    if (process == 0)
        do_job(pool, slot);
    slot->process = process;
    if (process > 0)
        return 0;
    int error = errno;
    clear_slot(slot, false);
    pool->running--;
    errno = error;
    return error == ENOMEM || error == EMFILE || error == ENFILE
               ? refuse_memory(&job, why_no_memory(why, PASS_EMEMORY), why)
               : why_say(why, PASS_EPROCESS, "cannot start a process for pass %zu: %s", job.pass + 1,
                         why_error(error));
}

static int explain_end(const struct pass_job *job, int exit_status, struct why *why)
{
    int number = WTERMSIG(exit_status);
    if (WIFSIGNALED(exit_status))
        why_say(why, PASS_EPROCESS, "its process was ended by signal %d (%s)%s", number, strsignal(number),
                number == SIGKILL  ? "; was there enough memory?"
                : number == SIGBUS ? "; did a file that it reads become shorter?"
                                   : "");
    else
        why_say(why, PASS_EPROCESS, "its process failed");
    return name_passes(job, PASS_EPROCESS, why);
}

static bool read_results(struct slot *slot)
{
    struct pass_report *report = slot->report;
    FILE *in = lseek(slot->results, 0, SEEK_SET) == 0 ? file_io_stream(slot->results, "r") : NULL;
    bool whole = in && pass_report_read_results(&report->result, &report->job.hsps, in);
    if (in) {
        fclose(in);
        slot->results = -1;
    }
    return whole;
}

/* The status of a child that has ended, or is lost if `ended` is negative. */
static int status_of(struct slot *slot, pid_t ended, int exit_status, struct why *why)
{
    struct pass_report *report = slot->report;
    const struct pass_job *job = &report->job;
    if (ended < 0)
        return name_passes(job, why_say(why, PASS_EPROCESS, "its process is lost: %s", why_error(errno)),
                           why);
    const bool memory = child_words_end(slot->words, exit_status);
    slot->words = -1;
    if (memory)
        return refuse_memory(job, why_say(why, PASS_EMEMORY, "%s", why_error(ENOMEM)), why);
    if (exit_status)
        return explain_end(job, exit_status, why);
    if (report->status == PASS_NOT_ENDED)
        return name_passes(job, why_say(why, PASS_EPROCESS, "its process ended too early"), why);
    file_io_fail(report->fault);
    if (report->status)
        return why_say(why, report->status, "%s", report->result.why.line);
    bool whole = read_results(slot);
    file_io_close(&report->job.hsps); /* unless the tasks have it now */
    return whole ? 0
                 : refuse_memory(job, scratch_file_refuse_bytes("what it has found", why, PASS_EMEMORY), why);
}

int pass_pool_collect(struct pass_pool *pool, struct pass_report **report, struct why *why)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        int exit_status = 0;
        pid_t ended = slot->process ? waitpid(slot->process, &exit_status, WNOHANG) : 0;
        if (ended == 0)
            continue;
        pass_report_forget_results(&slot->report->result);
        int status = status_of(slot, ended, exit_status, why);
        *report = status ? NULL : slot->report;
        if (status == 0)
            pool->hsps_before = slot->report->result.host.tasks.hsp_count;
        clear_slot(slot, status == 0);
        pool->running--;
        share_processors(pool);
        return status ? status : 1;
    }
    return 0;
}

void pass_pool_sleep(double seconds)
{
    sigset_t child_ended = child_signal();
    double whole = (double)(time_t)seconds;
    sigtimedwait(&child_ended, NULL,
                 &(struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)});
}
