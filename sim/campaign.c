#include "sim/campaign.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/machine.h"
#include "sim/machine_frame.h"
#include "sim/progress.h"

/* What a pass's process leaves in its result file, followed by its alignments. */
struct report_header {
    int status;
    struct frame frame;
    uint64_t alignment_count;
};

struct worker {
    pid_t process; /* 0: free */
    size_t pass;
    int report; /* file in memory */
};

struct run {
    const struct campaign *campaign;
    struct campaign_result *result;
    uint8_t *query_codes[2]; /* of each strand that has segments */
    struct worker *workers;
    size_t next, finished;
    atomic_ullong *words_done; /* shared with the passes' processes */
    struct progress progress;
    char *why;
    size_t why_size;
};

/* --- in a pass's process --------------------------------------------------------------------------------- */

static bool write_all(int file, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = write(file, from, bytes);
        if (written <= 0)
            return false;
        from += written;
        bytes -= (size_t)written;
    }
    return true;
}

static int simulate_pass(const struct run *run, size_t pass, int report)
{
    const struct campaign *c = run->campaign;
    struct machine_pass machine = {
        .hardware = c->hardware,
        .platform_file = c->platform_file,
        .query = c->query,
        .query_codes = run->query_codes[c->segments[pass].strand],
        .database = c->database,
        .segment = c->segments[pass],
        .statistics = c->statistics,
        .least_score = c->least_score,
        .words_done = run->words_done,
    };
    struct machine_result result;
    struct report_header header = {.status = machine_simulate(&machine, &result)};
    if (header.status == 0) {
        header.frame = result.frame;
        header.alignment_count = result.alignments.count;
    }
    bool written = write_all(report, &header, sizeof header);
    if (header.status == 0)
        written = written && write_all(report, result.alignments.items,
                                       result.alignments.count * sizeof *result.alignments.items);
    return written ? 0 : 1;
}

static void enter_process(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

/* --- in the run's process -------------------------------------------------------------------------------- */

static int refuse(struct run *run, int code, const char *what)
{
    snprintf(run->why, run->why_size, "%s", what);
    return code;
}

static int start_pass(struct run *run, struct worker *worker)
{
    worker->pass = run->next++;
    worker->report = memfd_create("mercury-pass", MFD_CLOEXEC);
    if (worker->report < 0)
        return refuse(run, CAMPAIGN_EPROCESS, "no memory for the result of a pass");
    fflush(NULL);
    pid_t process = fork();
    if (process < 0)
        return refuse(run, CAMPAIGN_EPROCESS, "cannot start a process for a pass");
    if (process == 0) {
        enter_process();
        _exit(simulate_pass(run, worker->pass, worker->report));
    }
    worker->process = process;
    return 0;
}

static int take_alignments(struct run *run, int report, uint64_t count)
{
    struct alignment alignment;
    for (uint64_t i = 0; i < count; i++) {
        if (read(report, &alignment, sizeof alignment) != (ssize_t)sizeof alignment)
            return refuse(run, CAMPAIGN_EPROCESS, "the result of a pass is incomplete");
        if (alignment_list_append(&run->result->alignments, &alignment) != 0)
            return refuse(run, CAMPAIGN_EMEMORY, "out of memory");
    }
    return 0;
}

static int check_frame(struct run *run, size_t pass, const struct frame *frame)
{
    const char *broken = frame_find_inconsistency(frame, &machine_layout);
    const char *law = "Little's law or the histogram's time does not hold for";
    if (!broken) {
        broken = machine_frame_find_loss(frame);
        law = "something is lost among the";
    }
    if (!broken)
        return 0;
    snprintf(run->why, run->why_size, "pass %zu: %s %s: a bug of Mercury's, please report it", pass + 1, law,
             broken);
    return CAMPAIGN_EBUG;
}

static int collect_pass(struct run *run, struct worker *worker)
{
    struct report_header header;
    int status = 0;
    bool whole = lseek(worker->report, 0, SEEK_SET) == 0 &&
                 read(worker->report, &header, sizeof header) == (ssize_t)sizeof header;
    if (!whole)
        status = refuse(run, CAMPAIGN_EPROCESS, "the result of a pass is incomplete");
    else if (header.status)
        status = refuse(run, CAMPAIGN_EMEMORY, "out of memory in a pass");
    if (status == 0)
        status = check_frame(run, worker->pass, &header.frame);
    if (status == 0) {
        run->result->passes[worker->pass] = header.frame;
        status = take_alignments(run, worker->report, header.alignment_count);
    }
    close(worker->report);
    worker->process = 0;
    run->finished++;
    return status;
}

static int refuse_ended(struct run *run, size_t pass, int exit_status)
{
    if (WIFSIGNALED(exit_status))
        snprintf(run->why, run->why_size, "pass %zu: its process was ended by signal %d (%s)%s", pass + 1,
                 WTERMSIG(exit_status), strsignal(WTERMSIG(exit_status)),
                 WTERMSIG(exit_status) == SIGKILL ? "; was there enough memory?" : "");
    else
        snprintf(run->why, run->why_size, "pass %zu: its process failed", pass + 1);
    return CAMPAIGN_EPROCESS;
}

/* Wait until a child ends; meanwhile show progress. */
static pid_t wait_for_child(struct run *run, int *exit_status)
{
    if (!run->progress.visible)
        return waitpid(-1, exit_status, 0);
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    pid_t process;
    while ((process = waitpid(-1, exit_status, WNOHANG)) == 0) {
        double mwmers = (double)atomic_load(run->words_done) * BASES_PER_WORD / 1e6;
        progress_update(&run->progress, mwmers);
        sigtimedwait(&child_ended, NULL, &(struct timespec){.tv_nsec = 200000000});
    }
    return process;
}

static int finish_one(struct run *run)
{
    int exit_status;
    pid_t process = wait_for_child(run, &exit_status);
    if (process < 0)
        return errno == EINTR ? 0 : refuse(run, CAMPAIGN_EPROCESS, "lost the process of a pass");
    for (unsigned i = 0; i < run->campaign->jobs; i++) {
        struct worker *worker = &run->workers[i];
        if (worker->process != process)
            continue;
        if (exit_status == 0)
            return collect_pass(run, worker);
        worker->process = 0;
        close(worker->report);
        return refuse_ended(run, worker->pass, exit_status);
    }
    return 0;
}

static int run_passes(struct run *run)
{
    const struct campaign *c = run->campaign;
    int status = 0;
    while (status == 0 && run->finished < c->pass_count) {
        for (unsigned i = 0; i < c->jobs && run->next < c->pass_count && status == 0; i++)
            if (run->workers[i].process == 0)
                status = start_pass(run, &run->workers[i]);
        if (status == 0)
            status = finish_one(run);
    }
    return status;
}

static void stop_passes(struct run *run)
{
    for (unsigned i = 0; i < run->campaign->jobs; i++)
        if (run->workers[i].process > 0) {
            kill(run->workers[i].process, SIGKILL);
            waitpid(run->workers[i].process, NULL, 0);
        }
}

static bool unpack_strands(struct run *run)
{
    const struct campaign *c = run->campaign;
    for (size_t i = 0; i < c->pass_count; i++) {
        enum strand strand = c->segments[i].strand;
        if (run->query_codes[strand])
            continue;
        run->query_codes[strand] = malloc(c->query->positions);
        if (!run->query_codes[strand])
            return false;
        sequences_unpack(c->query, strand, 0, c->query->positions, run->query_codes[strand]);
    }
    return true;
}

static bool set_up(struct run *run)
{
    const struct campaign *c = run->campaign;
    *run->result = (struct campaign_result){.passes = calloc(c->pass_count, sizeof *run->result->passes)};
    run->workers = calloc(c->jobs, sizeof *run->workers);
    void *shared =
        mmap(NULL, sizeof *run->words_done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run->words_done = shared == MAP_FAILED ? NULL : shared;
    return run->result->passes && run->workers && run->words_done && unpack_strands(run);
}

static void clean_up(struct run *run)
{
    free(run->workers);
    free(run->query_codes[STRAND_PLUS]);
    free(run->query_codes[STRAND_MINUS]);
    if (run->words_done)
        munmap(run->words_done, sizeof *run->words_done);
}

int campaign_run(const struct campaign *campaign, struct campaign_result *result, char *why, size_t why_size)
{
    struct run run = {.campaign = campaign, .result = result, .why = why, .why_size = why_size};
    sigset_t child_ended, before;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, &before);
    int status = CAMPAIGN_EMEMORY;
    if (set_up(&run)) {
        double mwmers = (double)campaign->database->word_count * BASES_PER_WORD / 1e6;
        progress_begin(&run.progress, "Mwmers", mwmers * (double)campaign->pass_count, campaign->quiet);
        status = run_passes(&run);
        stop_passes(&run);
        progress_end(&run.progress);
    } else {
        refuse(&run, status, "out of memory");
    }
    for (size_t i = 0; status == 0 && i < campaign->pass_count; i++)
        frame_add(&result->run, &result->passes[i], &machine_layout);
    sigprocmask(SIG_SETMASK, &before, NULL);
    clean_up(&run);
    if (status)
        campaign_result_destroy(result);
    return status;
}

void campaign_result_destroy(struct campaign_result *result)
{
    free(result->passes);
    result->passes = NULL;
    alignment_list_destroy(&result->alignments);
}
