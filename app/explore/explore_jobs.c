#include "app/explore/explore_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/process/signals.h"

/* Statuses of HTTP. */
enum { ANSWERED = 200, CONFLICT = 409, REFUSED = 422, FAILED = 500, UNAVAILABLE = 503 };

const char jobs_replaced[] = "a newer question of this page took its place";

/* How many short ones, and how many long ones, may run. */
static const unsigned running_most[2] = {JOBS_RUNNING, 1};

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

/* Set an answer. @param json  is released; NULL: it is none in UTF-8 */
static void set_answer(struct job *job, uint64_t status, json_t *json)
{
    free(job->text);
    job->text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    job->bytes = job->text ? strlen(job->text) : 0;
    job->head.status = status;
    json_decref(json);
}

/* Where memory is exhausted, the question is answered with that. */
static int answer_pipe;

static void end_without_memory(void)
{
    const struct job_head head = {.status = REFUSED};
    char text[200];
    int bytes = snprintf(text, sizeof text, "{\"error\":\"%s\"}", why_error(ENOMEM));
    _exit(!file_io_write_all(answer_pipe, &head, sizeof head) ||
          !file_io_write_all(answer_pipe, text, (size_t)bytes));
}

/* @return the exit status */
static int answer(const struct jobs *jobs, struct job *job, int pipe)
{
    struct why why = {""};
    json_t *json = NULL;
    double begin_s = progress_wall_s();
    int status = jobs->work(job, &json, &why);
    if (status)
        json = json_pack("{s:s}", "error", why.line);
    set_answer(job, status == 0 ? ANSWERED : status == COMMAND_REFUSED ? REFUSED : FAILED, json);
    job->head.wall_s = progress_wall_s() - begin_s;
    return !file_io_write_all(pipe, &job->head, sizeof job->head) ||
           !file_io_write_all(pipe, job->text ? job->text : "", job->bytes);
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
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* children whose own parents have ended are the server's, see stop() */
    job->process = signals_fork();
    if (job->process == 0) {
        leave_server(ends[1], job->file);
        answer_pipe = ends[1];
        memory_set_end(end_without_memory);
        _exit(answer(jobs, job, ends[1]));
    }
    close(ends[1]);
    job->pipe = ends[0];
    fcntl(job->pipe, F_SETFL, O_NONBLOCK);
    jobs->running[job->is_long]++;
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
    if (job->pipe >= 0) {
        close(job->pipe);
        jobs->running[job->is_long]--;
    }
    job->process = 0;
    job->pipe = -1;
}

/* End a job that is among the jobs, and tell its owner. */
static void end(struct jobs *jobs, struct job *job)
{
    struct job **at = &jobs->first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    jobs->count--;
    stop(jobs, job);
    jobs->tell(job);
}

static void end_without_answer(struct jobs *jobs, struct job *job)
{
    free(job->text);
    job->text = NULL;
    job->head = (struct job_head){.status = CONFLICT};
    end(jobs, job);
}

static void end_with(struct jobs *jobs, struct job *job, const char *line)
{
    job->head = (struct job_head){0};
    set_answer(job, FAILED, json_pack("{s:s}", "error", line));
    end(jobs, job);
}

void jobs_end(struct jobs *jobs)
{
    jobs->ended = true;
    while (jobs->first)
        end_without_answer(jobs, jobs->first);
}

const char *jobs_ask(struct jobs *jobs, struct job *asked)
{
    struct job **at = &jobs->first;
    unsigned longer = 0;
    while (*at) {
        struct job *job = *at;
        bool same = strcmp(job->page, asked->page) == 0 && job->lane == asked->lane;
        asked->head.status = CONFLICT;
        if (same && job->number > asked->number)
            return jobs_replaced;
        longer += !same && job->is_long;
        if (same)
            end_without_answer(jobs, job); /* `at` is now the next */
        else
            at = &job->next;
    }
    asked->head.status = UNAVAILABLE;
    if (jobs->ended || jobs->count == JOBS_MOST)
        return "too many questions wait for an answer";
    if (asked->is_long && longer >= LONG_MOST)
        return "three other pages have tokens of their own; close one of them first";
    asked->head.status = 0;
    asked->pipe = -1;
    *at = asked;
    jobs->count++;
    return NULL;
}

void jobs_drop(struct jobs *jobs, struct job *dropped)
{
    struct job *job = jobs->first;
    while (job && job != dropped)
        job = job->next;
    if (job)
        end_without_answer(jobs, job);
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

/* Read what is in the pipe. @return 0 at its end, a negative number if there is more to come or an error: errno */
static ssize_t read_pipe(struct job *job)
{
    ssize_t got;
    do {
        bool in_head = job->head_bytes < sizeof job->head;
        if (job->bytes == job->room) {
            size_t room = job->room ? 2 * job->room : 1 << 18;
            errno = EFBIG;
            if (room > JOB_ANSWER_BYTES)
                return -1;
            job->text = memory_grow(job->text, room);
            job->room = room;
        }
        got = in_head
                  ? read(job->pipe, (char *)&job->head + job->head_bytes, sizeof job->head - job->head_bytes)
                  : read(job->pipe, job->text + job->bytes, job->room - job->bytes);
        if (got > 0)
            *(in_head ? &job->head_bytes : &job->bytes) += (size_t)got;
    } while (got > 0);
    return got;
}

void jobs_work(struct jobs *jobs)
{
    for (struct job *job = jobs->first, *next; job; job = next) {
        struct pollfd asker = {.fd = job->socket, .events = POLLRDHUP};
        const bool is_long = job->is_long;
        next = job->next;
        if (poll(&asker, 1, 0) > 0 && (asker.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL))) {
            end_without_answer(jobs, job); /* who asked has gone */
            continue;
        }
        if (job_has_ended(job)) /* a long one that stays */
            continue;
        if (job->process == 0 && jobs->running[is_long] < running_most[is_long])
            start(jobs, job);
        ssize_t got = job->process > 0 ? read_pipe(job) : -1;
        if (job->process < 0)
            end_with(jobs, job, "no process can be started now");
        else if (got == 0 && (job->head_bytes < sizeof job->head || job->bytes == 0))
            end_with(
                jobs, job,
                "the process that simulated this machine ended without an answer; was there enough memory?");
        else if (got == 0 && is_long && job->head.status == ANSWERED) {
            stop(jobs, job);
            jobs->tell(job);
        } else if (got == 0)
            end(jobs, job);
        else if (job->process > 0 && errno != EAGAIN && errno != EINTR)
            end_with(jobs, job, "the answer of this machine is too large");
        else if (job->process > 0 && !is_long && progress_wall_s() - job->begin_s > JOB_SECONDS)
            end_with(jobs, job, "this machine took more than 15 minutes to simulate");
    }
}
