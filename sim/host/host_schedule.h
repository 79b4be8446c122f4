/* host_schedule.h - the host of a run: when each pass begins, and which core does which task of stage 3 when.
 *
 * Models    boards that work on one pass after the other, and the host's cores, which take tasks of stage 3
 *           (sim/tokens/stage3_tasks.h) first come, first served, from all passes. A pass begins on the next board
 *           that is free: when the board's last pass has left it, or, if passes are serial, when stage 3 is done with
 *           that pass. If boards depend on each other, it is known before when each pass begins (`begins_s`).
 * Batches   A core takes several HSPs at a time from the front of the queue: an equal share of what is there for each
 *           core, at most `stage3.batch`. A batch ends with an HSP whose segment waits, so that clusters begin on
 *           time. The task of a cluster is taken alone.
 * Building  A core builds the tables of a pass before that pass can begin: host.build_clocks for each operation. The
 *           tables of pass i can be built when pass i - host.build_ahead has begun, in the order in which passes
 *           begin. A core that is free takes them before all other tasks. If boards load the tables of their next
 *           pass while they work, these must have been built, too, when a pass begins.
 * Engines   host_times.h computes the times by recurrences. sim/simgrid/host_actors.h has an actor per core and per
 *           board in SimGrid, where the measurement agent can share the cores. Both are equal to the picosecond.
 * Inbox     an HSP that is in memory and that no core has begun. HSPs of a batch are begun one after the other.
 * Memory    that of the passes which have begun and are not finished: 16 bytes per HSP in memory, and some per batch;
 *           in SimGrid 40 bytes per HSP.
 * Errors    an enum host_error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/fifo_measure.h"
#include "sim/board/hardware.h"
#include "sim/tokens/stage3_tasks.h"

enum host_error {
    HOST_EPASS = -2, /* a callback failed */
    HOST_EFILE = -3, /* HSPs cannot be read back from their file */
    HOST_ELONG = -4  /* the run is longer than its clocks can be counted: hardware_counts_clocks() */
};

/** When a core worked on a task, in seconds since the run began. */
struct task_times {
    double begin_s, end_s;
    uint32_t core; /* from 0 */
};

struct task_log;

/** A pass as the host sees it. */
struct host_pass {
    size_t number;             /* in the order of the run, from 0 */
    double board_s;            /* time from the pass's begin until its board is free */
    double stream_begin_s;     /* time from the pass's begin until clock 0 of its board */
    int64_t board_end;         /* clock in which the board was empty */
    uint32_t board;            /* that worked on the pass, from 0; out, unless `begins_s` is given */
    uint32_t host;             /* that the pass was dealt to, from 0 */
    uint64_t build_operations; /* of building its tables (blast/stages12/sram_table.h) */
    size_t alignments;         /* number of those that stage 3 found: what the host sends to the first one */
    struct stage3_tasks tasks; /* of the host run, which destroys them */

    /* If boards depend on each other: when a board was dealt it. No pass of a greater number begins before. */
    double dealt_s;

    double begin_s, end_s; /* out: when the pass began, and when stage 3 had finished with it */
    /* out: when each HSP was done, or NULL if `log` says it (task_log.h); and each cluster with cells, in order */
    struct task_times *hsps, *clusters;
    size_t cluster_count;    /* out: number of clusters with cells */
    struct task_times build; /* out: when its tables were built; all zero if that takes no time */
    double build_wait_s;     /* out, unless `begins_s` is given: for which its board was free but for that */
    struct task_log *log;    /* out */
};

struct host_schedule {
    const struct hardware *hardware; /* its boards are those of one host */
    size_t pass_count;
    /* When each pass begins, in the order in which they are loaded; they do not decrease, and are read of those that
     * can be loaded. NULL: when a board is free. */
    const double *begins_s;
    /* Operations of building the tables of each pass, in the same order: of those that can be loaded. NULL: building
     * takes no time, as if host.build_clocks were 0. */
    const uint64_t *build_operations;
    bool only_times; /* host_times.h leaves out the inbox, and the log of HSPs */

    /** Hands over the next pass: `board_s` and the tasks. @return false if that fails */
    bool (*load)(void *data, struct host_pass *pass);

    /** Is told of a pass that has finished; passes finish in any order. @return false if that fails. By recurrences it
     *  may be NULL. */
    bool (*finished)(void *data, const struct host_pass *pass);
    void *data;
};

/** Whether two times, not infinite, are the same but for rounding, which differs between the engines. Records come in
 *  bursts, and tasks are often equally long: much happens at the same time. */
static inline bool host_times_are_same(double a_s, double b_s)
{
    const double differ_s = a_s > b_s ? a_s - b_s : b_s - a_s;
    return differ_s <= 1e-12 * (b_s > 1 ? b_s : 1);
}

/** Whether cores build tables. */
static inline bool host_schedule_builds(const struct host_schedule *run)
{
    return run->build_operations && run->hardware->host_build_clocks > 0;
}

/** Clocks of a core for building tables. */
static inline double host_build_cycles(const struct hardware *hardware, uint64_t operations)
{
    return (double)operations * hardware->host_build_clocks;
}

struct host_schedule_result {
    double end_s;              /* when board and stage 3 have finished with the last pass */
    double boards_end_s;       /* when the last board was free */
    double busy_s;             /* sum over the cores */
    double build_s;            /* of it, for building tables */
    double longest_s;          /* longest time that a core worked on one cluster */
    struct fifo_measure inbox; /* in clocks of the board, from the begin of the run to its end */
};
