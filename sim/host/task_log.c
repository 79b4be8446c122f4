#include "sim/host/task_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/overflow.h"
#include "sim/board/board.h"

enum task_kind { TASK_FOLLOWS, TASK_ARRIVES, TASK_ELSEWHEN };

enum { KIND_BITS = 2, TASK_BYTES_MAX = 3 + sizeof(double) }; /* cores are fewer than 2^19 */

struct task_log {
    struct overflow file;
    double *free_s; /* of each core: when it had done the last HSP of the pass */
    struct hsp_work work;
    uint8_t *bytes; /* of the HSPs that are not in the file */
    size_t byte_count, hsps;
};

struct hsp_work hsp_work_of(const struct hardware *h)
{
    return (struct hsp_work){h->stage3_cycles_per_check / h->host_clock_hz, h->stage3_cycles_per_check,
                             h->stage3_cycles_per_cell, h->host_clock_hz};
}

struct pass_clock pass_clock_of(const struct host_pass *pass, const struct hardware *hardware)
{
    return (struct pass_clock){pass->begin_s + pass->stream_begin_s,
                               1 / (hardware->fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK)};
}

struct task_log *task_log_new(const struct hardware *hardware)
{
    struct task_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->free_s = calloc(hardware->host_cores, sizeof *log->free_s);
    log->bytes = malloc((size_t)STAGE3_CHUNK_HSPS * TASK_BYTES_MAX);
    if (log->free_s && log->bytes)
        return log;
    task_log_destroy(log);
    return NULL;
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

static void put_byte(struct task_log *log, unsigned byte)
{
    log->bytes[log->byte_count++] = (uint8_t)byte;
}

static void put_head(struct task_log *log, uint32_t core, enum task_kind kind)
{
    uint32_t head = core << KIND_BITS | kind;
    for (; head >= 128; head >>= 7)
        put_byte(log, (head & 127) | 128);
    put_byte(log, head);
}

bool task_log_add(struct task_log *log, const struct task_times *times, double arrival_s)
{
    double *free_s = &log->free_s[times->core];
    enum task_kind kind = times->begin_s == *free_s     ? TASK_FOLLOWS
                          : times->begin_s == arrival_s ? TASK_ARRIVES
                                                        : TASK_ELSEWHEN;
    put_head(log, times->core, kind);
    if (kind == TASK_ELSEWHEN) {
        memcpy(log->bytes + log->byte_count, &times->begin_s, sizeof times->begin_s);
        log->byte_count += sizeof times->begin_s;
    }
    *free_s = times->end_s;
    if (++log->hsps < STAGE3_CHUNK_HSPS)
        return true;
    bool added = overflow_add(&log->file, log->bytes, log->byte_count);
    log->hsps = log->byte_count = 0;
    return added;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

bool task_reader_begin(struct task_reader *r, const struct host_pass *pass, const struct hardware *hardware)
{
    *r = (struct task_reader){.pass = pass,
                              .hsps = stage3_cursor_new(&pass->tasks),
                              .work = hsp_work_of(hardware),
                              .clock = pass_clock_of(pass, hardware),
                              .free_s = calloc(hardware->host_cores, sizeof *r->free_s)};
    size_t in_memory = pass->tasks.hsp_count - pass->tasks.in_file;
    r->times = malloc((in_memory > STAGE3_CHUNK_HSPS ? in_memory : STAGE3_CHUNK_HSPS) * sizeof *r->times);
    return r->free_s && r->times;
}

void task_reader_destroy(struct task_reader *r)
{
    stage3_cursor_destroy(&r->hsps);
    free(r->free_s);
    free(r->times);
    r->free_s = NULL;
    r->times = NULL;
}

/* Read the times of `count` HSPs. @return the next byte */
static const uint8_t *read_times(struct task_reader *r, const uint8_t *at, size_t count,
                                 struct task_times *times, const struct stage3_hsp *hsps)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t head = 0;
        for (unsigned shift = 0;; shift += 7) {
            head |= (*at & 127u) << shift;
            if (*at++ < 128)
                break;
        }
        const uint32_t core = head >> KIND_BITS;
        double begin_s = r->free_s[core];
        if ((head & 3) == TASK_ARRIVES)
            begin_s = pass_clock_arrival_s(&r->clock, &hsps[i]);
        if ((head & 3) == TASK_ELSEWHEN) {
            memcpy(&begin_s, at, sizeof begin_s);
            at += sizeof begin_s;
        }
        r->free_s[core] = begin_s + hsp_work_s(&r->work, &hsps[i]);
        times[i] = (struct task_times){begin_s, r->free_s[core], core};
    }
    return at;
}

/* The times of a chunk, which is in the file, or of what is left of the log. */
static bool read_chunk_times(struct task_reader *r, size_t chunk, size_t count, struct task_times *times,
                             const struct stage3_hsp *hsps)
{
    const struct task_log *log = r->pass->log;
    if (chunk >= log->file.count) {
        read_times(r, log->bytes, count, times, hsps);
        return true;
    }
    uint8_t *bytes = malloc(log->file.pieces[chunk].bytes);
    bool read = bytes && overflow_read(&log->file, chunk, bytes);
    if (read)
        read_times(r, bytes, count, times, hsps);
    free(bytes);
    return read;
}

bool task_reader_next(struct task_reader *r)
{
    stage3_cursor_hsp(&r->hsps, r->next);
    bool read = !r->hsps.failed;
    for (size_t at = 0, count; read && at < r->hsps.count; at += count) {
        count = r->hsps.count - at < STAGE3_CHUNK_HSPS ? r->hsps.count - at : STAGE3_CHUNK_HSPS;
        read =
            read_chunk_times(r, (r->next + at) / STAGE3_CHUNK_HSPS, count, r->times + at, r->hsps.hsps + at);
    }
    r->next += r->hsps.count;
    return read;
}
