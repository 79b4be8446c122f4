/* core_queue.h - the tasks of stage 3 that can be begun, in the order in which they became ready, and what follows when
 * they are taken and done: the rules that the actors of sim/simgrid/host_actors.h obey.
 *
 * Time      seconds since the run began. Calls come in the order of time.
 * Ties      a cluster that an arriving HSP closes is ready before the HSP. Clusters that become ready at the same
 *           time are in the order of passes, then of clusters.
 * Memory    of the tasks that wait.
 * Errors    false if memory is exhausted.
 */
#ifndef MERCURY_SIM_HOST_CORE_QUEUE_H
#define MERCURY_SIM_HOST_CORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/host/host_run.h"
#include "sim/host/inbox_tap.h"

/** A pass between its begin and its end. */
struct open_pass {
    struct host_pass pass;
    double clock_0_s, tick_s;             /* time of the board's clock 0, and length of its tick */
    size_t arrived;                       /* number of HSPs that have come */
    size_t taken_clusters, came_clusters; /* clusters closed before the next HSP to take; by what has come */
    uint64_t *waiting;                    /* per cluster: number of its HSPs that are not done yet */
    size_t *places;                       /* per cluster: its place among those with cells */
    size_t undone;                        /* number of tasks that are not done yet */
    bool ended;                           /* the stream has ended */
    bool left;                            /* its board is free, or waits for stage 3 */
};

/** Consecutive HSPs of a pass, or a cluster. */
struct core_task {
    struct open_pass *pass;
    size_t first, count; /* HSPs; count 0: the cluster `first` */
    size_t cluster;      /* that the last HSP waits for, if it does */
    double cycles;       /* of a core */
    double ready_s;      /* of a cluster: when it became ready */
};

struct core_queue {
    const struct hardware *hardware;
    struct core_task *tasks; /* a ring */
    size_t first, count, room;
    uint64_t hsps; /* number of HSPs in it */
    struct inbox_tap inbox;
    double busy_s, longest_s; /* of struct host_run_result */
};

void core_queue_init(struct core_queue *queue, const struct hardware *hardware);
void core_queue_destroy(struct core_queue *queue);

/** Open a pass that begins now. @param pass  its number, board_s, tasks, all in memory, and begin_s; it belongs to the
 *  open pass
 *  @return NULL if memory is exhausted */
struct open_pass *open_pass_new(const struct host_pass *pass, const struct hardware *hardware);
void open_pass_destroy(struct open_pass *pass);

/** Time of the next event on a pass's board: an HSP arrives, the end of the stream, then the board is free; INFINITY
 *  after that. */
double open_pass_next_s(const struct open_pass *pass);

/** Whether board and stage 3 have finished with a pass. */
bool open_pass_is_done(const struct open_pass *pass);

/** The next event on a pass's board happens. */
bool core_queue_stream(struct core_queue *queue, struct open_pass *pass);

/** Take the next task for a core. @return false if there is none */
bool core_queue_take(struct core_queue *queue, struct core_task *task);

/** A core has begun a task; its HSPs leave the inbox one after the other, if the core works undisturbed. */
bool core_queue_begin(struct core_queue *queue, const struct core_task *task, double now_s);

/** A core has done a task. */
bool core_queue_done(struct core_queue *queue, const struct core_task *task, uint32_t core, double begin_s,
                     double end_s);

/** Close the inbox's tap. @return false if memory is exhausted */
bool core_queue_end(struct core_queue *queue, double end_s, struct host_run_result *result);

#endif
