/* explore_jobs.h - questions that are answered in processes of their own, a few at a time.
 *
 * Newest    a question of a page (a reader's window) and lane takes the place of the one that the same page asked
 *           before in that lane: its process is killed, with all that it has started, and its owner hears that it was
 *           replaced. Pages number their questions, since an older one may come later, over another connection.
 * Waiting   at most JOBS_RUNNING run at a time, and one long one beside them; the others wait in their order,
 *           JOBS_MOST in all.
 * Process   in a group of its own, without the server's files, its standard input or its signals. It ends when the
 *           server does, and, unless it is long, after JOB_SECONDS at the latest. Its answer has at most
 *           JOB_ANSWER_BYTES.
 * Errors    jobs_ask() says whether a question was taken; an answer comes with a status of HTTP.
 */
#ifndef MERCURY_APP_EXPLORE_EXPLORE_JOBS_H
#define MERCURY_APP_EXPLORE_EXPLORE_JOBS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"

enum {
    JOBS_RUNNING = 2,
    JOBS_MOST = 256,
    JOB_SECONDS = 900,
    JOB_ANSWER_BYTES = 1 << 26,
    JOB_PAGE_BYTES = 40
};

/** What is asked. */
struct job_question {
    char page[JOB_PAGE_BYTES];
    unsigned lane;
    double number; /* of the page's questions */
    bool is_long;  /* it may take any time */
    int file;      /* stays open in the process, for `work`; 0: none */
    void *data;    /* for `work` and `done` */
};

/** An answer: status of HTTP and JSON. */
struct job_answer {
    unsigned status;
    char *text; /* its owner is the one who is told; NULL: there was no memory for it */
    size_t bytes;
    size_t passes; /* passes timed, and the time of this computer; 0 if unknown */
    double wall_s;
};

/** In the process: write an answer's text. @return 0 or a status of a command, and a line */
typedef int job_work(const void *data, FILE *out, size_t *passes, struct why *why);

/** In the server: an answer, or that there is none: NULL if the question was replaced. */
typedef void job_done(void *data, struct job_answer *answer);

struct jobs;

struct jobs *jobs_new(job_work *work, job_done *done);

/** End all; their owners hear that they were replaced. */
void jobs_destroy(struct jobs *jobs);

enum jobs_taken { JOBS_TAKEN, JOBS_FULL, JOBS_OLD };

/** Ask. @param jobs    NULL if the server is ending: there is no room
 *  @param socket  of who asks: if it is closed, nobody wants the answer any more
 *  @return whether the question was taken, there is no room, or a newer one is being answered */
enum jobs_taken jobs_ask(struct jobs *jobs, const struct job_question *question, int socket);

/** Give up the question with this data, if it has no answer yet; its owner hears that it was replaced.
 *  @param jobs  NULL: there are no questions */
void jobs_drop(struct jobs *jobs, const void *data);

/** The files to wait for, at most 2 * JOBS_MOST. @return how many */
size_t jobs_list_files(const struct jobs *jobs, struct pollfd *files);

/** Take what has come, and begin what can begin. */
void jobs_work(struct jobs *jobs);

#endif
