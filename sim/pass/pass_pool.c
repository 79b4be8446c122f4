#include "sim/pass/pass_pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "sim/measure/machine_frame.h"

struct slot {
    pid_t process;              /* 0 if the slot is free */
    struct pass_report *report; /* in memory that parent and child share */
    int alignments;             /* file in memory; the child writes its alignments and their paths there */
};

struct pass_pool {
    pass_work *work;
    const void *data;
    atomic_ullong *counter;
    sigset_t signals_before;
    unsigned slot_count;
    struct slot slots[];
};

static sigset_t child_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

static void close_file(int file)
{
    if (file >= 0)
        close(file);
}

/* The job's files belong to the report; they are closed if there is no memory for it. */
static struct pass_report *report_new(const struct pass_job *job)
{
    struct pass_report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED) {
        close_file(job->spool);
        close_file(job->records);
        return NULL;
    }
    report->job = *job;
    report->status = /* until the child says otherwise */
        why_say(&report->result.why, PASS_EPROCESS, "pass %zu: its process ended too early", job->pass + 1);
    return report;
}

void pass_report_destroy(struct pass_report *report)
{
    if (!report)
        return;
    close_file(report->job.spool);
    close_file(report->job.records);
    alignment_list_destroy(&report->result.alignments);
    munmap(report, sizeof *report);
}

/* The report is kept if it was handed to the caller. */
static void clear_slot(struct slot *slot, bool keep_report)
{
    close_file(slot->alignments);
    if (!keep_report)
        pass_report_destroy(slot->report);
    *slot = (struct slot){0};
}

/* --- in a child ------------------------------------------------------------------------------------------ */

/* A signal that the parent ignores is ignored by the child; one after which the parent cleans up ends the child. */
static void stop_handling(int signal_number)
{
    if (signal(signal_number, SIG_DFL) == SIG_IGN)
        signal(signal_number, SIG_IGN);
}

static int check_frame(size_t pass, const struct frame *frame, struct why *why)
{
    static const char message[] = "pass %zu: %s %s: a bug of Mercury's, please report it";
    const char *broken = frame_find_inconsistency(frame, &machine_layout);
    const char *lost = broken ? NULL : machine_frame_find_loss(frame);
    if (broken)
        return why_say(why, PASS_EBUG, message, pass + 1,
                       "Little's law or the histogram's time does not hold for", broken);
    return lost ? why_say(why, PASS_EBUG, message, pass + 1, "something is lost among the", lost) : 0;
}

static bool write_alignments(int file, const struct alignment_list *list)
{
    return output_write_all(file, list->items, list->count * sizeof *list->items) &&
           output_write_all(file, list->runs, list->run_count * sizeof *list->runs);
}

/* @return the child's exit status */
static int do_job(const struct pass_pool *pool, const struct slot *slot)
{
    struct pass_report *report = malloc(sizeof *report);
    if (!report)
        return 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    stop_handling(SIGINT);
    stop_handling(SIGTERM);
    stop_handling(SIGHUP);
    *report = *slot->report;
    struct alignment_list *list = &report->result.alignments;
    report->status = pool->work(pool->data, report);
    if (report->status == 0)
        report->status = check_frame(report->job.pass, &report->result.frame, &report->result.why);
    bool written = write_alignments(slot->alignments, list);
    /* Pointers of the child mean nothing to its parent. */
    *list = (struct alignment_list){.count = list->count, .run_count = list->run_count};
    *slot->report = *report;
    return written ? 0 : 1;
}

/* --- in the parent --------------------------------------------------------------------------------------- */

struct pass_pool *pass_pool_new(unsigned slots, pass_work *work, const void *data)
{
    struct pass_pool *pool = calloc(1, sizeof *pool + slots * sizeof pool->slots[0]);
    void *shared =
        mmap(NULL, sizeof *pool->counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!pool || shared == MAP_FAILED) {
        if (shared != MAP_FAILED)
            munmap(shared, sizeof *pool->counter);
        free(pool);
        return NULL;
    }
    *pool = (struct pass_pool){.work = work, .data = data, .counter = shared, .slot_count = slots};
    sigset_t child_ended = child_signal();
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
            clear_slot(&pool->slots[i], false);
        }
    sigprocmask(SIG_SETMASK, &pool->signals_before, NULL);
    munmap(pool->counter, sizeof *pool->counter);
    free(pool);
}

atomic_ullong *pass_pool_counter(const struct pass_pool *pool)
{
    return pool->counter;
}

static unsigned free_slot(const struct pass_pool *pool)
{
    unsigned i = 0;
    while (i < pool->slot_count && pool->slots[i].process != 0)
        i++;
    return i;
}

bool pass_pool_has_free_slot(const struct pass_pool *pool)
{
    return free_slot(pool) < pool->slot_count;
}

int pass_pool_start(struct pass_pool *pool, struct pass_job job, struct why *why)
{
    struct slot *slot = &pool->slots[free_slot(pool)];
    *slot =
        (struct slot){.report = report_new(&job), .alignments = memfd_create("mercury-pass", MFD_CLOEXEC)};
    fflush(NULL);
    pid_t process = slot->report && slot->alignments >= 0 ? fork() : -1;
    if (process == 0)
        _exit(do_job(pool, slot));
    slot->process = process;
    if (process > 0)
        return 0;
    int error = errno;
    clear_slot(slot, false);
    return why_say(why, PASS_EPROCESS, "cannot start a process for pass %zu: %s", job.pass + 1,
                   strerror(error));
}

static int explain_end(size_t pass, int exit_status, struct why *why)
{
    if (!WIFSIGNALED(exit_status))
        return why_say(why, PASS_EPROCESS, "pass %zu: its process failed", pass + 1);
    int number = WTERMSIG(exit_status);
    return why_say(why, PASS_EPROCESS, "pass %zu: its process was ended by signal %d (%s)%s", pass + 1,
                   number, strsignal(number), number == SIGKILL ? "; was there enough memory?" : "");
}

static bool read_all(int file, void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        ssize_t got = read(file, to, bytes);
        if (got <= 0)
            return false;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

static int read_alignments(int file, struct alignment_list *list, struct why *why)
{
    list->room = list->count;
    list->run_room = list->run_count;
    list->items = malloc((list->count + 1) * sizeof *list->items);
    list->runs = malloc((list->run_count + 1) * sizeof *list->runs);
    if (!list->items || !list->runs)
        return why_no_memory(why, PASS_EMEMORY);
    bool whole = lseek(file, 0, SEEK_SET) == 0 &&
                 read_all(file, list->items, list->count * sizeof *list->items) &&
                 read_all(file, list->runs, list->run_count * sizeof *list->runs);
    return whole ? 0 : why_say(why, PASS_EPROCESS, "the alignments of a pass are incomplete");
}

/* The status of a child that has ended, or is lost if `ended` is negative. */
static int status_of(const struct slot *slot, pid_t ended, int exit_status, struct why *why)
{
    struct pass_report *report = slot->report;
    if (ended < 0)
        return why_say(why, PASS_EPROCESS, "pass %zu: its process is lost: %s", report->job.pass + 1,
                       strerror(errno));
    if (exit_status)
        return explain_end(report->job.pass, exit_status, why);
    if (report->status)
        return why_say(why, report->status, "%s", report->result.why.line);
    return read_alignments(slot->alignments, &report->result.alignments, why);
}

int pass_pool_collect(struct pass_pool *pool, struct pass_report **report, struct why *why)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        int exit_status = 0;
        pid_t ended = slot->process ? waitpid(slot->process, &exit_status, WNOHANG) : 0;
        if (ended == 0)
            continue;
        int status = status_of(slot, ended, exit_status, why);
        *report = status ? NULL : slot->report;
        clear_slot(slot, status == 0);
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
