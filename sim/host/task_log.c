#include "sim/host/task_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "sim/board/board.h"
#include "sim/board/machine_part.h"

enum task_kind { TASK_FOLLOWS, TASK_ARRIVES, TASK_ELSEWHEN };

enum { KIND = 3, IS_MANY = 4, CORE_SHIFT = 3 };

enum {
    NUMBER_BYTES_MAX = 10,
    ENTRY_BYTES_MAX = 2 * NUMBER_BYTES_MAX + sizeof(double),
    PIECE_BYTES = 1 << 16
};

struct task_log {
    struct overflow file;
    bool in_file;
    double *free_s; /* of each core: when it had done the last HSP of the pass */
    uint32_t cores;
    uint8_t *bytes; /* that are not in the file */
    size_t byte_count, room;
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

struct task_log *task_log_new(const struct hardware *hardware)
{
    struct task_log *log = memory_new(1, sizeof *log);
    log->cores = hardware->host_cores;
    log->free_s = memory_new(log->cores, sizeof *log->free_s);
    return log;
}

void task_log_destroy(struct task_log *log)
{
    if (!log)
        return;
    overflow_destroy(&log->file);
    free(log->free_s);
    free(log->bytes);
    free(log);
}

void task_log_begin(struct task_log *log, bool in_file)
{
    overflow_destroy(&log->file);
    log->file = (struct overflow){0};
    log->in_file = in_file;
    log->byte_count = 0;
    memset(log->free_s, 0, log->cores * sizeof *log->free_s);
}

static uint8_t *put_number(uint8_t *at, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        *at++ = (uint8_t)((number & 127) | 128);
    *at++ = (uint8_t)number;
    return at;
}

/* Make room for one more entry. */
static bool make_room(struct task_log *log)
{
    if (log->in_file && log->byte_count + ENTRY_BYTES_MAX > PIECE_BYTES) {
        if (!overflow_add(&log->file, log->bytes, log->byte_count))
            return false;
        log->byte_count = 0;
    }
    array_reserve(&log->bytes, &log->room, log->byte_count, ENTRY_BYTES_MAX, sizeof *log->bytes);
    return true;
}

bool task_log_add(struct task_log *log, uint32_t core, size_t count, double begin_s, double end_s,
                  double arrival_s)
{
    double *free_s = &log->free_s[core];
    const enum task_kind kind = begin_s == *free_s     ? TASK_FOLLOWS
                                : begin_s == arrival_s ? TASK_ARRIVES
                                                       : TASK_ELSEWHEN;
    if (!make_room(log))
        return false;
    uint8_t *at = log->bytes + log->byte_count;
    at = put_number(at, (uint64_t)core << CORE_SHIFT | (count > 1 ? IS_MANY : 0) | kind);
    if (count > 1)
        at = put_number(at, count);
    if (kind == TASK_ELSEWHEN) {
        memcpy(at, &begin_s, sizeof begin_s);
        at += sizeof begin_s;
    }
    log->byte_count = (size_t)(at - log->bytes);
    *free_s = end_s;
    return true;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

void task_reader_begin(struct task_reader *r, const struct host_pass *pass, const struct hardware *hardware,
                       size_t most)
{
    *r = (struct task_reader){.pass = pass,
                              .most = most,
                              .cursor = stage3_cursor_new(&pass->tasks),
                              .work = hsp_work_of(hardware),
                              .clock = pass_clock_of(pass, hardware)};
    if (pass->hsps)
        return;
    r->own = memory_take(most * sizeof *r->own);
    r->free_s = memory_new(hardware->host_cores, sizeof *r->free_s);
    if (pass->log->in_file)
        r->bytes = memory_take(PIECE_BYTES);
}

void task_reader_destroy(struct task_reader *r)
{
    stage3_cursor_destroy(&r->cursor);
    free(r->own);
    free(r->free_s);
    free(r->bytes);
    r->own = NULL;
    r->free_s = NULL;
    r->bytes = NULL;
}

bool task_reader_is_done(const struct task_reader *r)
{
    return r->first + r->count == r->pass->tasks.hsp_count;
}

/* The next bytes of the log: a piece of its file, and what is in memory after the last of them. */
static bool next_piece(struct task_reader *r)
{
    const struct task_log *log = r->pass->log;
    const size_t piece = r->pieces++;
    if (piece >= log->file.count) {
        r->at = log->bytes;
        r->end = log->bytes + log->byte_count;
        return piece == log->file.count && log->byte_count > 0;
    }
    r->at = r->bytes;
    r->end = r->bytes + log->file.pieces[piece].bytes;
    return overflow_read(&log->file, piece, r->bytes);
}

static uint64_t take_number(struct task_reader *r)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        number |= (uint64_t)(*r->at & 127) << shift;
        if (*r->at++ < 128)
            return number;
    }
}

/* The next HSPs that a core does one after the other. @param hsp  the first of them */
static bool take_entry(struct task_reader *r, const struct stage3_hsp *hsp)
{
    if (r->at == r->end && !next_piece(r))
        return false;
    const uint64_t head = take_number(r);
    r->core = (uint32_t)(head >> CORE_SHIFT);
    r->left = head & IS_MANY ? take_number(r) : 1;
    double *begin_s = &r->free_s[r->core];
    if ((head & KIND) == TASK_ARRIVES)
        *begin_s = pass_clock_arrival_s(&r->clock, hsp);
    if ((head & KIND) == TASK_ELSEWHEN) {
        memcpy(begin_s, r->at, sizeof *begin_s);
        r->at += sizeof *begin_s;
    }
    return true;
}

static bool take_times(struct task_reader *r)
{
    for (size_t i = 0, end; i < r->count; i = end) {
        if (r->left == 0 && !take_entry(r, &r->hsps[i]))
            return false;
        const uint32_t core = r->core;
        double at_s = r->free_s[core];
        end = r->left < r->count - i ? i + r->left : r->count;
        r->left -= end - i;
        for (size_t hsp = i; hsp < end; hsp++) {
            const double end_s = at_s + hsp_work_s(&r->work, &r->hsps[hsp]);
            r->own[hsp] = (struct task_times){at_s, end_s, core};
            at_s = end_s;
        }
        r->free_s[core] = at_s;
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
    struct task_reader reader;
    bool read = true;
    task_reader_begin(&reader, pass, hardware, TASK_READER_HSPS);
    while (read && !task_reader_is_done(&reader)) {
        read = task_reader_next(&reader);
        if (read)
            memcpy(all + reader.first, reader.times, reader.count * sizeof *all);
    }
    task_reader_destroy(&reader);
    if (read)
        return all;
    free(all);
    return NULL;
}
