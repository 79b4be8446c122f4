/* sweep_link.h - the ranks of a sweep that runs under mpirun.
 *
 * Models    rank 0 hands out jobs and takes what they leave; the others ask for as many as they have slots. It alone
 *           writes the store. Without MPI, or not under mpirun, there is no link.
 * Balance   a rank asks when it has a free slot: who is quick gets more.
 * Death     what a rank had sent counts. mpirun ends the other ranks by default; where it is told not to
 *           (--enable-recovery), rank 0 gives the lost jobs to somebody else and ends without the dead one; the others
 *           end when rank 0 has been silent for two minutes.
 * Messages  one a job each way: a frame (34 KB) and a pass's alignments; native structs, so all ranks are of one build.
 * Errors    a negative SWEEP_LINK_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_LINK_H
#define MERCURY_APP_SWEEP_SWEEP_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "app/sweep/sweep_work.h"

enum sweep_link_error {
    SWEEP_LINK_EMEMORY = -1,
    SWEEP_LINK_EMPI = -2, /* MPI cannot be started, or this Mercury was built without it */
};

struct sweep_link;

/** Join the other ranks.
 *
 * @param link  out: NULL where there is no mpirun, else for sweep_link_close()
 */
int sweep_link_open(struct sweep_link **link, struct why *why);

/** @param together  all ranks come here: false where one is lost, which MPI would wait for */
void sweep_link_close(struct sweep_link *link, bool together);

int sweep_link_rank(const struct sweep_link *link); /* 0 without a link */
int sweep_link_size(const struct sweep_link *link); /* 1 without a link */

/* --- rank 0 --- */

enum sweep_word { WORD_NONE, WORD_ASKS, WORD_OUTCOME, WORD_FAILED, WORD_GONE };

/** What a rank has sent; never waits.
 *
 * @param rank     out: whose
 * @param plan     out: sweep_plan_digest() of who asks, for WORD_ASKS
 * @param outcome  filled for WORD_OUTCOME; its alignments are the caller's
 * @param why      filled for WORD_FAILED
 */
enum sweep_word sweep_link_hear(struct sweep_link *link, int *rank, uint64_t *plan,
                                struct sweep_outcome *outcome, struct why *why);
void sweep_link_order(struct sweep_link *link, int rank, struct sweep_job job);
void sweep_link_stop(struct sweep_link *link, int rank);

/** The last word to a rank that has said goodbye, or is lost.
 *
 * @param together  all have said goodbye: sweep_link_close()
 */
void sweep_link_release(struct sweep_link *link, int rank, bool together);

/* --- the others --- */

/** What is said after ORDER_STOP: ORDER_LEAVE_TOGETHER or ORDER_LEAVE_ALONE, which sweep_link_close() wants to know.
 * ORDER_GIVEN_UP: rank 0 has said nothing for so long that it must be dead; nobody is to be told any more. */
enum sweep_order {
    ORDER_NONE,
    ORDER_JOB,
    ORDER_STOP,
    ORDER_LEAVE_TOGETHER,
    ORDER_LEAVE_ALONE,
    ORDER_GIVEN_UP
};

void sweep_link_ask(struct sweep_link *link, uint64_t plan);
void sweep_link_report(struct sweep_link *link, const struct sweep_outcome *outcome);
void sweep_link_fail(struct sweep_link *link, const char *why);
void sweep_link_say_goodbye(struct sweep_link *link);
enum sweep_order sweep_link_listen(struct sweep_link *link, struct sweep_job *job);

#endif
