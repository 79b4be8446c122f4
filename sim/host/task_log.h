/* task_log.h - when cores did the HSPs of a pass that has too many of them for a list in memory.
 *
 * Layout    per HSP a number, the core << 2 | kind, and for TASK_ELSEWHEN 8 bytes. Almost all HSPs begin when they
 *           arrive or when their core has done the pass's HSP before, and end after their work: their times follow from
 *           those of others, to the last bit.
 * Memory    STAGE3_CHUNK_HSPS HSPs; the rest is in a file (base/overflow.h).
 * Errors    false: memory is exhausted, or the file cannot be written or read.
 */
#ifndef MERCURY_SIM_HOST_TASK_LOG_H
#define MERCURY_SIM_HOST_TASK_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/board/hardware.h"
#include "sim/host/host_run.h"
#include "sim/tokens/stage3_tasks.h"

/** How long a core works on an HSP. Most HSPs cost only their check: a division for each would take long. */
struct hsp_work {
    double check_s, cycles_per_check, cycles_per_cell, clock_hz;
};

struct hsp_work hsp_work_of(const struct hardware *hardware);

static inline double hsp_work_s(const struct hsp_work *work, const struct stage3_hsp *hsp)
{
    return hsp->cells == 0 ? work->check_s
                           : (work->cycles_per_check + hsp->cells * work->cycles_per_cell) / work->clock_hz;
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

struct task_log;

/** @return NULL if memory is exhausted */
struct task_log *task_log_new(const struct hardware *hardware);
void task_log_destroy(struct task_log *log);

/** Add the times of the next HSP; `times` end hsp_work_s() after they begin. @param arrival_s  its own */
bool task_log_add(struct task_log *log, const struct task_times *times, double arrival_s);

/** Reads a pass's HSPs and their times together, in order, chunk by chunk. */
struct task_reader {
    const struct host_pass *pass;
    struct stage3_cursor hsps; /* at the chunk that was read */
    struct task_times *times;  /* of its HSPs */
    /* private: */
    struct hsp_work work;
    struct pass_clock clock;
    double *free_s; /* of each core */
    size_t next;    /* HSP */
};

bool task_reader_begin(struct task_reader *reader, const struct host_pass *pass,
                       const struct hardware *hardware);
void task_reader_destroy(struct task_reader *reader);

/** Read the next HSPs: numbers reader->hsps.first .. + reader->hsps.count - 1, at most STAGE3_CHUNK_HSPS of them but
 * for those at the end, which are in memory. @return false after an error */
bool task_reader_next(struct task_reader *reader);

#endif
