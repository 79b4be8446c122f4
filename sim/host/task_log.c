#include "sim/host/task_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "sim/board/board.h"
#include "sim/board/machine_part.h"

enum { PIECE_BATCHES = 1 << 12 };

struct task_log {
    struct overflow file; /* has the first batches, in pieces */
    bool in_file;
    struct task_batch *batches; /* that are not in the file */
    size_t count, room;
};

struct hsp_work hsp_work_of(const struct hardware *h)
{
    return machine_part_is_free(h, PART_CORES)
               ? (struct hsp_work){.clock_hz = h->host_clock_hz}
               : (struct hsp_work){h->stage3_cycles_per_check, h->stage3_cycles_per_cell, h->host_clock_hz};
}

struct pass_clock pass_clock_of(const struct host_pass *pass, const struct hardware *hardware)
{
    return (struct pass_clock){pass->begin_s + pass->stream_begin_s,
                               1 / (hardware->fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK)};
}

struct task_log *task_log_new(void)
{
    return memory_new(1, sizeof(struct task_log));
}

void task_log_destroy(struct task_log *log)
{
    if (!log)
        return;
    overflow_destroy(&log->file);
    free(log->batches);
    free(log);
}

void task_log_begin(struct task_log *log, bool in_file)
{
    overflow_destroy(&log->file);
    log->in_file = in_file;
    log->count = 0;
}

bool task_log_add(struct task_log *log, struct task_batch batch)
{
    if (log->in_file && log->count == PIECE_BATCHES) {
        if (!overflow_add(&log->file, log->batches, log->count * sizeof *log->batches))
            return false;
        log->count = 0;
    }
    *ARRAY_NEXT(log->batches, log->count, log->room) = batch;
    return true;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

void task_reader_begin(struct task_reader *r, const struct host_pass *pass, const struct hardware *hardware,
                       size_t most)
{
    *r = (struct task_reader){
        .pass = pass, .most = most, .cursor = stage3_cursor_new(&pass->tasks), .work = hsp_work_of(hardware)};
    if (pass->hsps)
        return;
    r->own = memory_take(most * sizeof *r->own);
    if (pass->log->in_file)
        r->piece = memory_take(PIECE_BATCHES * sizeof *r->piece);
}

void task_reader_destroy(struct task_reader *r)
{
    stage3_cursor_destroy(&r->cursor);
    free(r->own);
    free(r->piece);
    r->own = NULL;
    r->piece = NULL;
}

bool task_reader_is_done(const struct task_reader *r)
{
    return r->first + r->count == r->pass->tasks.hsp_count;
}

/* Go on to the next batches of the log: a piece of its file, or what is in memory after the last piece. */
static bool next_piece(struct task_reader *r)
{
    const struct task_log *log = r->pass->log;
    const size_t piece = r->pieces++;
    const bool is_last = piece >= log->file.count;
    r->next = is_last ? log->batches : r->piece;
    r->end = r->next + (is_last ? log->count : PIECE_BATCHES);
    return is_last ? piece == log->file.count && log->count > 0 : overflow_read(&log->file, piece, r->piece);
}

static bool take_times(struct task_reader *r)
{
    for (size_t i = 0, end; i < r->count; i = end) {
        if (r->batch.count == 0) {
            if (r->next == r->end && !next_piece(r))
                return false;
            r->batch = *r->next++;
        }
        double at_s = r->batch.begin_s;
        end = r->batch.count < r->count - i ? i + r->batch.count : r->count;
        for (size_t hsp = i; hsp < end; hsp++) {
            const double end_s = at_s + hsp_work_s(&r->work, &r->hsps[hsp]);
            r->own[hsp] = (struct task_times){at_s, end_s, r->batch.core};
            at_s = end_s;
        }
        r->batch.count -= (uint32_t)(end - i);
        r->batch.begin_s = at_s;
    }
    r->times = r->own;
    return true;
}

bool task_reader_next(struct task_reader *r)
{
    const size_t left = r->pass->tasks.hsp_count - (r->first + r->count);
    size_t count = left < r->most ? left : r->most;
    r->first += r->count;
    r->count = 0;
    if (count == 0)
        return false;
    r->hsps = stage3_cursor_hsps(&r->cursor, r->first, &count);
    if (r->cursor.failed)
        return false;
    r->stamps = r->cursor.stamps
                    ? r->cursor.stamps + (r->first - r->cursor.first) * r->pass->tasks.stamp_count
                    : NULL;
    r->count = count;
    r->times = r->pass->hsps ? r->pass->hsps + r->first : NULL;
    return r->times || take_times(r);
}

struct task_times *task_reader_all(const struct host_pass *pass, const struct hardware *hardware)
{
    struct task_times *all = memory_take(pass->tasks.hsp_count * sizeof *all);
    auto_by(task_reader_destroy) struct task_reader reader;
    bool read = true;
    task_reader_begin(&reader, pass, hardware, TASK_READER_HSPS);
    while (read && !task_reader_is_done(&reader)) {
        read = task_reader_next(&reader);
        if (read)
            memcpy(all + reader.first, reader.times, reader.count * sizeof *all);
    }
    if (read)
        return all;
    free(all);
    return NULL;
}
