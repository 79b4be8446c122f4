#include "app/explore/explore_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/progress.h"
#include "base/process/signals.h"

/* What stands before an answer in the pipe. */
struct head {
    uint32_t status;
    uint64_t passes;
    double wall_s;
};

struct job {
    struct job_question question;
    int socket;
    pid_t process; /* 0: it waits */
    int pipe;
    double begin_s;
    struct head head;
    char *text;
    size_t head_bytes, bytes, room;
    struct job *next; /* in the order in which they were asked */
};

struct jobs {
    job_work *work;
    job_done *done;
    struct job *first;
    unsigned count, running[2]; /* of those that run: short ones, long ones */
};

/* How many short ones, and how many long ones, may run. */
static const unsigned running_most[2] = {JOBS_RUNNING, 1};

struct jobs *jobs_new(job_work *work, job_done *done)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (jobs)
        *jobs = (struct jobs){.work = work, .done = done};
    return jobs;
}

/* --- in the process -------------------------------------------------------------------------------------- */

/* The server's sockets would stay open as long as this process runs. @param file  stays open, too; 0: none */
static void leave_server(int pipe, int file)
{
    unsigned first = (unsigned)(file > 0 && file < pipe ? file : pipe),
             last = (unsigned)(file > pipe ? file : pipe);
    sigset_t none;
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL); /* which the server ignores */
    close_range(STDERR_FILENO + 1, first - 1, 0);
    if (first < last)
        close_range(first + 1, last - 1, 0);
    close_range(last + 1, ~0U, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void write_fault(const char *line, char **text, size_t *bytes)
{
    json_t *fault = json_pack("{s:s}", "error", line);
    free(*text);
    *text = fault ? json_dumps(fault, JSON_COMPACT) : NULL;
    *bytes = *text ? strlen(*text) : 0;
}

/* @return the exit status */
static int answer(const struct jobs *jobs, const struct job *job, int pipe)
{
    struct why why = {""};
    char *text = NULL;
    size_t bytes = 0, passes = 0;
    double begin_s = progress_wall_s();
    FILE *out = open_memstream(&text, &bytes);
    int status = out ? jobs->work(job->question.data, out, &passes, &why) : COMMAND_FAILED;
    if (out && fclose(out) != 0)
        status = why_no_memory(&why, COMMAND_REFUSED);
    if (status)
        write_fault(why.line, &text, &bytes);
    struct head head = {status == 0                 ? 200
                        : status == COMMAND_REFUSED ? 422
                                                    : 500,
                        passes, progress_wall_s() - begin_s};
    return output_write_all(pipe, &head, sizeof head) && output_write_all(pipe, text ? text : "", bytes) ? 0
                                                                                                         : 1;
}

/* --- in the server --------------------------------------------------------------------------------------- */

static void start(struct jobs *jobs, struct job *job)
{
    int ends[2];
    fflush(NULL);
    job->begin_s = progress_wall_s();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        job->process = -1;
        return;
    }
    job->process = signals_fork();
    if (job->process == 0) {
        leave_server(ends[1], job->question.file);
        _exit(answer(jobs, job, ends[1]));
    }
    close(ends[1]);
    job->pipe = ends[0];
    fcntl(job->pipe, F_SETFL, O_NONBLOCK);
    jobs->running[job->question.is_long]++;
    if (job->process > 0)
        setpgid(job->process, job->process); /* before it could be killed as a group */
}

/* Kill what runs, with all that it has started, and wait until the last of them has ended: the server inherits a
 * child whose parent has ended. */
static void stop(struct jobs *jobs, struct job *job)
{
    if (job->process > 0) {
        kill(-job->process, SIGKILL);
        while (waitpid(-job->process, NULL, 0) > 0 || errno == EINTR)
            continue;
    }
    if (job->process != 0 && job->pipe >= 0) {
        close(job->pipe);
        jobs->running[job->question.is_long]--;
    }
    job->pipe = -1;
}

static void take_out(struct jobs *jobs, struct job *job)
{
    struct job **at = &jobs->first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    jobs->count--;
}

/* Tell the owner, and forget the job. */
static void end(struct jobs *jobs, struct job *job, struct job_answer *told)
{
    stop(jobs, job);
    take_out(jobs, job);
    if (!told || told->text != job->text)
        free(job->text);
    jobs->done(job->question.data, told);
    free(job);
}

static void end_with(struct jobs *jobs, struct job *job, const char *line)
{
    struct job_answer told = {.status = 500};
    write_fault(line, &told.text, &told.bytes);
    end(jobs, job, &told);
}

static void end_whole(struct jobs *jobs, struct job *job)
{
    struct job_answer told = {job->head.status, job->text, job->bytes, job->head.passes, job->head.wall_s};
    if (job->head_bytes < sizeof job->head || job->bytes == 0)
        end_with(jobs, job,
                 "the process that simulated this machine ended without an answer; was there enough memory?");
    else
        end(jobs, job, &told);
}

void jobs_destroy(struct jobs *jobs)
{
    while (jobs && jobs->first)
        end(jobs, jobs->first, NULL);
    free(jobs);
}

static bool is_of_same_page(const struct job_question *one, const struct job_question *other)
{
    return strcmp(one->page, other->page) == 0 && one->lane == other->lane;
}

enum jobs_taken jobs_ask(struct jobs *jobs, const struct job_question *question, int socket)
{
    if (!jobs)
        return JOBS_FULL;
    struct job **at = &jobs->first;
    while (*at) {
        struct job *job = *at;
        bool same = is_of_same_page(&job->question, question);
        if (same && job->question.number > question->number)
            return JOBS_OLD;
        if (same)
            end(jobs, job, NULL); /* `at` is now the next */
        else
            at = &job->next;
    }
    struct job *job = jobs->count < JOBS_MOST ? calloc(1, sizeof *job) : NULL;
    if (!job)
        return JOBS_FULL;
    *job = (struct job){.question = *question, .socket = socket, .pipe = -1};
    *at = job;
    jobs->count++;
    return JOBS_TAKEN;
}

void jobs_drop(struct jobs *jobs, const void *data)
{
    struct job *job = jobs ? jobs->first : NULL;
    while (job && job->question.data != data)
        job = job->next;
    if (job)
        end(jobs, job, NULL);
}

size_t jobs_list_files(const struct jobs *jobs, struct pollfd *files)
{
    size_t count = 0;
    for (const struct job *job = jobs->first; job; job = job->next) {
        if (job->pipe >= 0)
            files[count++] = (struct pollfd){.fd = job->pipe, .events = POLLIN};
        files[count++] = (struct pollfd){.fd = job->socket, .events = POLLRDHUP};
    }
    return count;
}

static bool make_room(struct job *job)
{
    if (job->bytes < job->room)
        return true;
    size_t room = job->room ? 2 * job->room : 1 << 18;
    char *text = room <= JOB_ANSWER_BYTES ? realloc(job->text, room) : NULL;
    if (!text)
        return false;
    job->text = text;
    job->room = room;
    return true;
}

/* Read what is in the pipe. @return 0 at its end, a negative number if there is more to come or an error: errno */
static ssize_t read_pipe(struct job *job)
{
    ssize_t got;
    do {
        bool in_head = job->head_bytes < sizeof job->head;
        if (!make_room(job)) {
            errno = ENOMEM;
            return -1;
        }
        got = in_head
                  ? read(job->pipe, (char *)&job->head + job->head_bytes, sizeof job->head - job->head_bytes)
                  : read(job->pipe, job->text + job->bytes, job->room - job->bytes);
        if (got > 0)
            *(in_head ? &job->head_bytes : &job->bytes) += (size_t)got;
    } while (got > 0);
    return got;
}

/* Whether who asked has gone. */
static bool is_abandoned(const struct job *job)
{
    struct pollfd file = {.fd = job->socket, .events = POLLRDHUP};
    return poll(&file, 1, 0) > 0 && (file.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

static void look_at(struct jobs *jobs, struct job *job)
{
    if (is_abandoned(job)) {
        end(jobs, job, NULL);
        return;
    }
    const bool is_long = job->question.is_long;
    if (job->process == 0 && jobs->running[is_long] < running_most[is_long])
        start(jobs, job);
    ssize_t got = job->process > 0 ? read_pipe(job) : -1;
    if (job->process < 0)
        end_with(jobs, job, "no process can be started now");
    else if (got == 0)
        end_whole(jobs, job);
    else if (job->process > 0 && errno != EAGAIN && errno != EINTR)
        end_with(jobs, job, "the answer of this machine is too large, or memory is out");
    else if (job->process > 0 && !is_long && progress_wall_s() - job->begin_s > JOB_SECONDS)
        end_with(jobs, job, "this machine took more than 15 minutes to simulate");
}

void jobs_work(struct jobs *jobs)
{
    for (struct job *job = jobs->first, *next; job; job = next) {
        next = job->next;
        look_at(jobs, job);
    }
}
