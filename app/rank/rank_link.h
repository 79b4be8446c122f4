/* rank_link.h - messages between the ranks of a command that runs under mpirun.
 *
 * Models    rank 0 hands out jobs and takes what becomes of them; the other ranks ask for as many jobs as they can do
 *           at a time. What a job is, and what an outcome holds, is up to the command. Without MPI, or without mpirun,
 *           there is no link, and one process does everything.
 * Balance   a rank asks when it has a free processor, so that a faster one gets more jobs.
 * Death     outcomes that a rank sent before it died count. By default mpirun ends the other ranks then; if it is told
 *           not to (--enable-recovery), rank 0 can go on without the dead rank: a rank that works says so every second.
 *           The others end when rank 0 has been silent for two minutes.
 * Messages  native bytes, so that all ranks must be of one build; of any size.
 * MPI       brings a dozen libraries, which take 1.5 ms to load, and few runs have ranks. So what calls it,
 *           rank_link_mpi.c, is a module, mercury-mpi.so (base/process/module.h), which is loaded under mpirun. Without
 *           MPI there is no such module.
 * mpirun    tells the processes that it starts by variables of their environment, before they join MPI: those of Open
 *           MPI, and of others that follow PMI.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "sim/pass/pass_report.h"

/** A rank's connection to the others. */
struct rank_link;

/** What another rank says to rank 0: nothing, it asks for a job, the outcome of a job, it has failed, goodbye. */
enum rank_word { WORD_NONE, WORD_ASKS, WORD_OUTCOME, WORD_FAILED, WORD_GONE };

/** What rank 0 says to another rank: nothing, a job, stop. After a rank has said goodbye, rank 0 says whether all ranks
 * leave together or each alone (rank_link_close()). ORDER_GIVEN_UP: rank 0 has been silent for so long that it must be
 * dead. */
enum rank_order {
    ORDER_NONE,
    ORDER_JOB,
    ORDER_STOP,
    ORDER_LEAVE_TOGETHER,
    ORDER_LEAVE_ALONE,
    ORDER_GIVEN_UP
};

/** A pass, and of which point of a sweep; 0 if there is only one. */
struct rank_job {
    size_t point, pass;
};

/** What another rank has sent. */
struct rank_letter {
    int rank;
    uint64_t digest; /* with WORD_ASKS: of what the rank works on; 0 if it has sent none */
    /* With WORD_OUTCOME: the receiver's; NULL if it cannot be read, and why: an error of pass_report_read(). */
    struct pass_report *report;
    int status;
};

/** Takes an outcome that was on its way, which can be read. */
typedef void rank_link_taker(void *data, const struct rank_letter *letter);

/* --- before there is a link ------------------------------------------------------------------------------ */

/** The number of processes that mpirun has started; 1 if it has not started this one. */
int rank_link_processes(void);

/** Refuse to do in several processes what each of them would do as a whole: COMMAND_REFUSED and one line of rank 0, the
 * reason and what to do instead; other ranks end in silence. @return whether this is refused: with `status` */
bool rank_link_refuse(const char *reason, int *status, struct why *why);

/** Join the other ranks. @return whether the command can go on; else it ends with `status`: only rank 0 has something
 * to say
 *
 * @param work  what each process would do as a whole if Mercury was built without MPI: "the run"
 * @param link  out: for rank_link_close(); NULL if Mercury does not run under mpirun
 */
bool rank_link_open(const char *work, struct rank_link **link, int *status, struct why *why);

/** @param together  all ranks close their links now; false if a rank is lost, since MPI would wait for it */
void rank_link_close(struct rank_link *link, bool together);

/** The number of this rank and that of all; 0 and 1 without a link. */
int rank_link_rank(const struct rank_link *link);
int rank_link_size(const struct rank_link *link);

/** Rank 0: tell all other ranks to stop, and wait for their goodbyes. @return whether a rank is lost: it has said none
 *  @param take  NULL if outcomes that were on their way are not wanted */
bool rank_link_dismiss(struct rank_link *link, rank_link_taker *take, void *data);

/** What the module with MPI has. `link` is never NULL. */
struct rank_link_calls {
    /** @return NULL if MPI cannot be started */
    struct rank_link *(*join)(int *rank, int *size);
    void (*close)(struct rank_link *link, bool together);
    bool (*dismiss)(struct rank_link *link, rank_link_taker *take, void *data);

    /** Rank 0: take what a rank has sent. Does not wait. @param why  out, for WORD_FAILED: names the rank; for a report
     *  that cannot be read */
    enum rank_word (*hear)(struct rank_link *link, struct rank_letter *letter, struct why *why);

    /** Rank 0: whether a rank has been heard before, but not for so long that it must be dead. */
    bool (*is_silent)(const struct rank_link *link, int rank);

    /** Rank 0: give a rank an order. @param job  of ORDER_JOB, otherwise ignored */
    void (*order)(int rank, enum rank_order order, struct rank_job job);

    /** Another rank: say something to rank 0. @param bytes  what belongs to the word; a line, if it is WORD_FAILED */
    void (*say)(enum rank_word word, const void *bytes, size_t size);

    /** Another rank: send the report of a job to rank 0 as an outcome. */
    void (*report)(const struct pass_report *report);

    /** Another rank: take an order of rank 0. Does not wait. @param job  out, for ORDER_JOB */
    enum rank_order (*listen)(struct rank_link *link, struct rank_job *job);

    /** Another rank: end as rank 0 says. @return false if a rank is lost (rank_link_close())
     *
     * @param order    the last one that was heard
     * @param problem  why this rank cannot work any more, which rank 0 is told; NULL if it can
     */
    bool (*leave)(struct rank_link *link, enum rank_order order, const char *problem);

    /** Sleep until a child ends, but not longer than a message may wait. */
    void (*sleep)(void);
};

/** The calls, after a link was opened. */
extern struct rank_link_calls rank_link;

/** The one symbol that is looked up in the module. */
extern const struct rank_link_calls mercury_mpi;
