/* explore_jobs.h - questions that are answered in processes of their own, a few at a time.
 *
 * Newest    a question of a page (a reader's window) and lane takes the place of the one that the same page asked
 *           before in that lane: its process is killed, with all that it has started, and its owner hears that it was
 *           replaced. Pages number their questions, since an older one may come later, over another connection.
 * Waiting   at most JOBS_RUNNING run at a time, and one long one beside them; the others wait in their order,
 *           JOBS_MOST in all.
 * Long      a long one that has been answered stays among the jobs, with its place, until it is dropped, replaced, or
 *           its page has gone; LONG_MOST pages have one.
 * Process   in a group of its own, without the server's files, its standard input or its signals. It ends when the
 *           server does, and, unless it is long, after JOB_SECONDS at the latest. Its answer has at most
 *           JOB_ANSWER_BYTES.
 * Memory    a job belongs to who asks, from jobs_ask() until it is told the end.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "base/why.h"

enum { JOBS_RUNNING = 2, JOBS_MOST = 256, LONG_MOST = 3 };
enum { JOB_SECONDS = 900, JOB_ANSWER_BYTES = 1 << 26, JOB_PAGE_BYTES = 40 };

/** An answer: a status of HTTP (0: none yet), passes timed, the time of this computer; 0 if unknown. */
struct job_head {
    uint64_t status, passes;
    double wall_s;
};

struct job {
    /* What is asked. */
    char page[JOB_PAGE_BYTES];
    unsigned lane;
    double number; /* of the page's questions */
    bool is_long;  /* it may take any time */
    int socket;    /* of who asks: if it is closed, nobody wants the answer any more */
    int file;      /* stays open in the process, for `work`; 0: none */
    /* The answer, as JSON; its text is the owner's to free. */
    struct job_head head;
    char *text;
    size_t bytes;
    /* How far it is. */
    pid_t process; /* 0: it waits, or has ended */
    int pipe;      /* of the process; -1: there is none */
    double begin_s;
    size_t head_bytes, room;
    struct job *next; /* in the order in which they were asked */
};

struct jobs {
    /** In the process: make an answer, and set `passes`.
     *  @return 0 or a status of a command, and a line */
    int (*work)(struct job *job, json_t **answer, struct why *why);
    /** In the server: a job has its answer, or has ended without one: its status is then that of a conflict. */
    void (*tell)(struct job *job);
    struct job *first;
    unsigned count, running[2]; /* of those that run: short ones, long ones */
    bool ended;                 /* nothing is taken any more */
};

/** End all, and take no more; their owners hear that they were replaced. */
void jobs_end(struct jobs *jobs);

extern const char jobs_replaced[]; /* why a question has no answer: a newer one took its place */

/** Whether a job has its answer, or will have none. */
static inline bool job_has_ended(const struct job *job)
{
    return job->head.status && job->process == 0;
}

/** Ask. @return NULL if the question was taken, or a line that says why not, and a status of HTTP in the job's head */
const char *jobs_ask(struct jobs *jobs, struct job *job);

/** Give up a job, if it is among the jobs. */
void jobs_drop(struct jobs *jobs, struct job *job);

/** The files to wait for, at most 2 * JOBS_MOST. @return how many */
size_t jobs_list_files(const struct jobs *jobs, struct pollfd *files);

/** Take what has come, and begin what can begin. */
void jobs_work(struct jobs *jobs);
