/* task_log.h - when cores did the HSPs of a pass, batch by batch.
 *
 * Layout    a batch is HSPs in a row that a core did one after the other: the log has its core and its begin. Each HSP
 *           ends after its work, when the next begins: their times follow, to the last bit.
 * Memory    16 bytes per batch; or 64 KiB, if the pass has HSPs in a file: the rest is in a file, too (scratch_file.h).
 * Errors    false: the file cannot be written or read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/board/hardware.h"
#include "sim/host/host_schedule.h"
#include "sim/tokens/stage3_tasks.h"

/** How long a core works on an HSP. */
struct hsp_work {
    double cycles_per_check, cycles_per_cell, clock_hz;
};

struct hsp_work hsp_work_of(const struct hardware *hardware);

static inline double hsp_work_s(const struct hsp_work *work, const struct stage3_hsp *hsp)
{
    return (work->cycles_per_check + hsp->cells * work->cycles_per_cell) / work->clock_hz;
}

/** Times of a pass's board in the run. */
struct pass_clock {
    double clock_0_s, tick_s; /* time of the board's clock 0, and length of its tick */
};

struct pass_clock pass_clock_of(const struct host_pass *pass, const struct hardware *hardware);

static inline double pass_clock_arrival_s(const struct pass_clock *clock, const struct stage3_hsp *hsp)
{
    return clock->clock_0_s + (double)hsp->arrived * clock->tick_s;
}

/** HSPs that a core does one after the other, each for hsp_work_s(). */
struct task_batch {
    double begin_s; /* of the first */
    uint32_t core, count;
};

struct task_log;

struct task_log *task_log_new(void);
void task_log_destroy(struct task_log *log);

/** Begin the log of a pass; what it had is lost. @param in_file  whether it may be in a file */
void task_log_begin(struct task_log *log, bool in_file);

/** Add the next batch. */
bool task_log_add(struct task_log *log, struct task_batch batch);

enum { TASK_READER_HSPS = 2048 }; /* which stay in a processor's own cache, with what is made of them */

/** Reads a pass's HSPs and their times together, in order, some at a time. */
struct task_reader {
    const struct host_pass *pass;
    const struct stage3_hsp *hsps; /* those that were read: numbers first .. first + count - 1 */
    const int64_t *stamps;         /* theirs, as those of struct stage3_cursor */
    struct task_times *times;
    size_t first, count;
    /* private: */
    size_t most;
    struct stage3_cursor cursor;
    struct hsp_work work;
    struct task_times *own;   /* `times`, if they are in a log */
    struct task_batch *piece; /* of the log in its file */
    const struct task_batch *next, *end;
    size_t pieces;           /* number of those that have been read */
    struct task_batch batch; /* what is left of the present one */
};

/** @param most  number of HSPs that are read at a time, >= 1 */
void task_reader_begin(struct task_reader *reader, const struct host_pass *pass,
                       const struct hardware *hardware, size_t most);
void task_reader_destroy(struct task_reader *reader);

/** Read the next HSPs, as many as may be if they lie together. @return false if there are none, or after an error */
bool task_reader_next(struct task_reader *reader);

/** Whether all HSPs have been read. */
bool task_reader_is_done(const struct task_reader *reader);

/** The times of all HSPs of a pass, for free(). @return NULL after an error */
struct task_times *task_reader_all(const struct host_pass *pass, const struct hardware *hardware);
