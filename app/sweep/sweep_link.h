/* sweep_link.h - messages between the ranks of a sweep that runs under mpirun.
 *
 * Models    rank 0 hands out jobs and takes their outcomes; the other ranks ask for as many jobs as they have slots.
 *           Rank 0 alone writes the store. Without MPI, or without mpirun, there is no link.
 * Balance   a rank asks when it has a free slot, so that a faster one gets more jobs.
 * Death     outcomes that a rank sent before it died count. By default mpirun ends the other ranks then; if it is
 *           told not to (--enable-recovery), rank 0 gives the lost jobs to others and ends without the dead rank. The
 *           others end when rank 0 has been silent for two minutes.
 * Messages  one per job each way. An outcome has 36 KB, most of them a frame, and 168 bytes per alignment, 16 per HSP
 *           and 8 per cluster of the pass; together at most 2 GiB. Messages are native structs, so all ranks must be of
 *           one build.
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
 * @param link  out: for sweep_link_close(); NULL if Mercury does not run under mpirun
 */
int sweep_link_open(struct sweep_link **link, struct why *why);

/** @param together  all ranks close their links now; false if a rank is lost, since MPI would wait for it */
void sweep_link_close(struct sweep_link *link, bool together);

int sweep_link_rank(const struct sweep_link *link); /* 0 without a link */
int sweep_link_size(const struct sweep_link *link); /* 1 without a link */

/* --- messages -------------------------------------------------------------------------------------------- */

/** What another rank says to rank 0: nothing, it asks for a job, the outcome of a job, it has failed, goodbye. */
enum sweep_word { WORD_NONE, WORD_ASKS, WORD_OUTCOME, WORD_FAILED, WORD_GONE };

/** What rank 0 says to another rank: nothing, a job, stop. After a rank has said goodbye, rank 0 says whether all ranks
 * leave together or each alone (sweep_link_close()). ORDER_GIVEN_UP: rank 0 has been silent for so long that it must be
 * dead. */
enum sweep_order {
    ORDER_NONE,
    ORDER_JOB,
    ORDER_STOP,
    ORDER_LEAVE_TOGETHER,
    ORDER_LEAVE_ALONE,
    ORDER_GIVEN_UP
};

/** Rank 0: take what a rank has sent. Does not wait.
 *
 * @param rank     out: the rank that speaks
 * @param plan     out, for WORD_ASKS: sweep_plan_digest() of that rank
 * @param outcome  out, for WORD_OUTCOME, for sweep_outcome_destroy()
 * @param why      out, for WORD_FAILED
 */
enum sweep_word sweep_link_hear(struct sweep_link *link, int *rank, uint64_t *plan,
                                struct sweep_outcome *outcome, struct why *why);

/** Rank 0: give a rank an order. @param job  of ORDER_JOB, otherwise ignored */
void sweep_link_order(int rank, enum sweep_order order, struct sweep_job job);

/** Another rank: say a word that is not an outcome to rank 0.
 *
 * @param plan  sweep_plan_digest() of this rank, for WORD_ASKS
 * @param line  what has failed, for WORD_FAILED, else ""
 */
void sweep_link_say(enum sweep_word word, uint64_t plan, const char *line);

/** Another rank: send an outcome to rank 0. */
void sweep_link_report(const struct sweep_outcome *outcome);

/** Another rank: take an order of rank 0. Does not wait. @param job  out, for ORDER_JOB */
enum sweep_order sweep_link_listen(struct sweep_link *link, struct sweep_job *job);

#endif
