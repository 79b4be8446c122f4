/* task_log.h - when cores did the HSPs of a pass, in a byte or two per batch.
 *
 * Layout    per HSPs that a core did one after the other two numbers, core << 3 | many << 2 | kind and, if there are
 *           many, their number; and for TASK_ELSEWHEN 8 bytes. Almost always the first of them begins when it arrives
 *           or when its core has done the pass's HSP before, and each ends after its work: their times follow from
 *           those of others, to the last bit. Numbers are LEB128.
 * Memory    all of it, or 64 KiB, if the pass has HSPs in a file: the rest is in a file, too (scratch_file.h).
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

struct task_log;

struct task_log *task_log_new(const struct hardware *hardware);
void task_log_destroy(struct task_log *log);

/** Begin the log of a pass; what it had is lost. @param in_file  whether it may be in a file */
void task_log_begin(struct task_log *log, bool in_file);

/** Add the times of the next HSPs, which a core does one after the other, each for hsp_work_s().
 *
 * @param begin_s    of the first of them
 * @param end_s      of the last of them
 * @param arrival_s  of the first of them
 */
bool task_log_add(struct task_log *log, uint32_t core, size_t count, double begin_s, double end_s,
                  double arrival_s);

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
    struct pass_clock clock;
    struct task_times *own; /* `times`, if they are in a log */
    double *free_s;         /* of each core */
    uint8_t *bytes;         /* of a piece of the log in its file */
    const uint8_t *at, *end;
    size_t pieces; /* number of those that have been read */
    uint32_t core; /* that does `left` more HSPs one after the other */
    size_t left;
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
