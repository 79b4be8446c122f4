#include "sim/tokens/stage3_tasks.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/order.h"

void stage3_tasks_destroy(struct stage3_tasks *t)
{
    if (t->mapping) {
        munmap(t->mapping, t->mapping_bytes);
    } else {
        array_free_long(t->hsps, t->hsp_room, sizeof *t->hsps);
        array_free_long(t->stamps, t->stamp_room, sizeof *t->stamps);
        free(t->clusters);
    }
    free(t->delays);
    overflow_destroy(&t->file);
    *t = (struct stage3_tasks){0};
}

static void add_cluster(struct stage3_tasks *t, uint64_t cells)
{
    *ARRAY_NEXT(t->clusters, t->cluster_count, t->cluster_room) = cells;
}

enum { STAMPS_MOST = 64 }; /* of an HSP */

/* Number of HSPs in memory. */
static size_t kept(const struct stage3_tasks *t)
{
    return t->hsp_count - t->in_file;
}

static void add_stamps(struct stage3_tasks *t, size_t hsps, const int64_t *stamps)
{
    size_t before = kept(t) * t->stamp_count, more = hsps * t->stamp_count;
    if (more == 0)
        return;
    array_reserve_long(&t->stamps, &t->stamp_room, before, more, sizeof *t->stamps);
    memcpy(t->stamps + before, stamps, more * sizeof *stamps);
}

/* --- HSPs in the file -------------------------------------------------------------------------------------- */

/* HSPs as columns, which are compressed: numbers that grow become differences to the HSP before. */
struct chunk {
    int64_t arrived[STAGE3_CHUNK_HSPS];
    uint32_t cells[STAGE3_CHUNK_HSPS];
    uint8_t closes[STAGE3_CHUNK_HSPS], waits[STAGE3_CHUNK_HSPS];
    int64_t stamps[]; /* `stamp_count` of each HSP */
};

static size_t chunk_bytes(const struct stage3_tasks *t)
{
    return sizeof(struct chunk) + STAGE3_CHUNK_HSPS * t->stamp_count * sizeof(int64_t);
}

static bool write_chunk(struct stage3_tasks *t, size_t at)
{
    auto_free struct chunk *chunk = memory_take(chunk_bytes(t));
    for (size_t i = 0; i < STAGE3_CHUNK_HSPS; i++) {
        const struct stage3_hsp *hsp = &t->hsps[at + i];
        chunk->arrived[i] = hsp->arrived - (i > 0 ? hsp[-1].arrived : 0);
        chunk->cells[i] = hsp->cells;
        chunk->closes[i] = hsp->closes;
        chunk->waits[i] = hsp->waits;
    }
    const size_t stamps = STAGE3_CHUNK_HSPS * (size_t)t->stamp_count;
    for (size_t i = 0; i < stamps; i++) {
        const int64_t *stamp = &t->stamps[at * t->stamp_count + i];
        chunk->stamps[i] = *stamp - (i >= t->stamp_count ? stamp[-(ptrdiff_t)t->stamp_count] : 0);
    }
    const bool written = overflow_add(&t->file, chunk, chunk_bytes(t));
    t->file_failed = t->file_failed || !written;
    return written;
}

/* Move whole chunks to the file. */
static bool move_to_file(struct stage3_tasks *t)
{
    size_t at = 0;
    for (; at + STAGE3_CHUNK_HSPS <= kept(t); at += STAGE3_CHUNK_HSPS)
        if (!write_chunk(t, at))
            return false;
    size_t left = kept(t) - at;
    memmove(t->hsps, t->hsps + at, left * sizeof *t->hsps);
    if (t->stamp_count > 0)
        memmove(t->stamps, t->stamps + at * t->stamp_count, left * t->stamp_count * sizeof *t->stamps);
    t->in_file += at;
    t->in_memory_most = STAGE3_CHUNK_HSPS;
    return true;
}

static void make_room(struct stage3_tasks *t, size_t hsps)
{
    const size_t most = t->in_memory_most > 0 ? t->in_memory_most : SIZE_MAX;
    const size_t expected = t->expected < most ? t->expected : most;
    if (t->hsp_room == 0 && hsps < expected)
        hsps = expected;
    array_reserve_long(&t->hsps, &t->hsp_room, kept(t), hsps, sizeof *t->hsps);
}

bool stage3_tasks_add(struct stage3_tasks *t, size_t count, const int64_t *arrived,
                      const struct stage3_work *work, const int64_t *stamps)
{
    make_room(t, count);
    add_stamps(t, count, stamps);
    for (size_t i = 0; i < count; i++) {
        if (work[i].closes)
            add_cluster(t, work[i].cluster_cells);
        t->hsps[kept(t)] =
            (struct stage3_hsp){arrived[i], (uint32_t)work[i].cells, work[i].closes, work[i].waits};
        t->hsp_count++;
    }
    bool is_full = t->in_memory_most > 0 && kept(t) > t->in_memory_most && kept(t) >= STAGE3_CHUNK_HSPS;
    return !is_full || move_to_file(t);
}

/* The file may have been changed: sums may not fit. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Delay those of `count` HSPs, from number `first` on, that a delay is of. */
static void delay_hsps(const struct stage3_delay *d, size_t first, struct stage3_hsp *hsps, size_t count)
{
    const struct burst_run *run = &d->run;
    const size_t stop = MIN(d->end, first + count);
    for (size_t i = MAX(d->first, first); i < stop;) {
        const uint64_t burst = (i - d->first) / run->records, times = burst / run->bursts,
                       steps = burst % run->bursts;
        const int64_t after = (int64_t)(times * (uint64_t)run->period + steps * (uint64_t)run->step);
        const int64_t least = later(d->not_before, add(add(run->closed, after), d->late));
        for (const size_t end = MIN(stop, d->first + (burst + 1) * run->records); i < end; i++)
            hsps[i - first].arrived = later(add(hsps[i - first].arrived, d->late), least);
    }
}

void stage3_tasks_delay(struct stage3_tasks *t, size_t first, const struct burst_run *run, int64_t late,
                        int64_t not_before)
{
    struct stage3_delay delay = {first, first + run->times * run->bursts * run->records, *run, late,
                                 not_before};
    delay_hsps(&delay, t->in_file, t->hsps, kept(t));
    if (first >= t->in_file)
        return;
    delay.end = MIN(delay.end, t->in_file);
    *ARRAY_NEXT(t->delays, t->delay_count, t->delay_room) = delay;
}

void stage3_tasks_end(struct stage3_tasks *t, double end_s, uint64_t cells)
{
    t->end_s = end_s;
    add_cluster(t, cells);
}

/* --- reading HSPs ------------------------------------------------------------------------------------------- */

struct stage3_cursor stage3_cursor_new(const struct stage3_tasks *tasks)
{
    return (struct stage3_cursor){.tasks = tasks};
}

void stage3_cursor_destroy(struct stage3_cursor *c)
{
    free(c->chunk);
    free(c->chunk_stamps);
    *c = (struct stage3_cursor){.tasks = c->tasks};
}

/* The delays in the order of their HSPs; those of a chunk. */
static void delay_chunk(const struct stage3_tasks *t, size_t first, struct stage3_hsp *hsps)
{
    for (size_t at = ORDER_FIRST(i, t->delay_count, t->delays[i].end > first);
         at < t->delay_count && t->delays[at].first < first + STAGE3_CHUNK_HSPS; at++)
        delay_hsps(&t->delays[at], first, hsps, STAGE3_CHUNK_HSPS);
}

static bool read_chunk(struct stage3_cursor *c, size_t number)
{
    const struct stage3_tasks *t = c->tasks;
    const size_t stamps = STAGE3_CHUNK_HSPS * (size_t)t->stamp_count;
    auto_free struct chunk *chunk = memory_take(chunk_bytes(t));
    if (!c->chunk)
        c->chunk = memory_new(STAGE3_CHUNK_HSPS, sizeof *c->chunk);
    if (!c->chunk_stamps)
        c->chunk_stamps = memory_new(stamps, sizeof *c->chunk_stamps);
    const bool read =
        t->file.pieces[number].bytes == chunk_bytes(t) && overflow_read(&t->file, number, chunk);
    for (size_t i = 0; i < STAGE3_CHUNK_HSPS && read; i++)
        c->chunk[i] =
            (struct stage3_hsp){.arrived = add(chunk->arrived[i], i > 0 ? c->chunk[i - 1].arrived : 0),
                                .cells = chunk->cells[i],
                                .closes = chunk->closes[i],
                                .waits = chunk->waits[i]};
    for (size_t i = 0; i < stamps && read; i++)
        c->chunk_stamps[i] =
            add(chunk->stamps[i], i >= t->stamp_count ? c->chunk_stamps[i - t->stamp_count] : 0);
    if (read)
        delay_chunk(t, number * STAGE3_CHUNK_HSPS, c->chunk);
    return read;
}

/* What a cursor has that cannot read: HSPs that are all zero. */
static void look_at_nothing(struct stage3_cursor *c, size_t hsp)
{
    static const struct stage3_hsp none;
    static const int64_t no_stamps[STAMPS_MOST];
    c->failed = true;
    c->hsps = &none;
    c->stamps = no_stamps;
    c->first = hsp;
    c->count = 1;
}

void stage3_cursor_move(struct stage3_cursor *c, size_t hsp)
{
    const struct stage3_tasks *t = c->tasks;
    if (hsp >= t->in_file) {
        c->first = t->in_file;
        c->count = kept(t);
        c->hsps = t->hsps;
        c->stamps = t->stamps;
        return;
    }
    c->first = hsp - hsp % STAGE3_CHUNK_HSPS;
    c->count = STAGE3_CHUNK_HSPS;
    if (c->failed || !read_chunk(c, hsp / STAGE3_CHUNK_HSPS)) {
        look_at_nothing(c, hsp);
        return;
    }
    c->hsps = c->chunk;
    c->stamps = c->chunk_stamps;
}

/* Copy the arrays; all HSPs come from a cursor. */
static bool copy_arrays(const struct stage3_tasks *t, struct stage3_tasks *to)
{
    auto_by(stage3_cursor_destroy) struct stage3_cursor cursor = stage3_cursor_new(t);
    for (size_t i = 0; i < t->hsp_count; i++) {
        to->hsps[i] = *stage3_cursor_hsp(&cursor, i);
        for (unsigned s = 0; s < t->stamp_count && !cursor.failed; s++)
            to->stamps[i * t->stamp_count + s] = cursor.stamps[(i - cursor.first) * t->stamp_count + s];
    }
    if (t->cluster_count > 0)
        memcpy(to->clusters, t->clusters, t->cluster_count * sizeof *to->clusters);
    return !cursor.failed;
}

bool stage3_tasks_copy_back(struct stage3_tasks *t)
{
    struct stage3_tasks all = {.hsp_count = t->hsp_count,
                               .stamp_count = t->stamp_count,
                               .cluster_count = t->cluster_count,
                               .cluster_room = t->cluster_count,
                               .end_s = t->end_s,
                               .hsps = memory_take(t->hsp_count * sizeof *all.hsps),
                               .stamps = memory_take(t->hsp_count * t->stamp_count * sizeof *all.stamps),
                               .clusters = memory_take(t->cluster_count * sizeof *all.clusters)};
    bool copied = copy_arrays(t, &all);
    if (copied)
        *t = all;
    else
        stage3_tasks_destroy(&all);
    return copied;
}

bool stage3_tasks_bring_back(struct stage3_tasks *t)
{
    struct stage3_tasks before = *t;
    if (t->in_file == 0)
        return true;
    if (!stage3_tasks_copy_back(t))
        return false;
    stage3_tasks_destroy(&before);
    return true;
}

/* --- files ----------------------------------------------------------------------------------------------- */

bool stage3_tasks_write(const struct stage3_tasks *t, bool with_file, FILE *out)
{
    return fwrite(t, sizeof *t, 1, out) == 1 && array_write(t->hsps, kept(t), sizeof *t->hsps, out) &&
           array_write(t->clusters, t->cluster_count, sizeof *t->clusters, out) &&
           array_write(t->stamps, kept(t) * t->stamp_count, sizeof *t->stamps, out) &&
           array_write(t->delays, t->delay_count, sizeof *t->delays, out) &&
           array_write(t->file.pieces, t->file.count, sizeof *t->file.pieces, out) &&
           (!with_file || overflow_write_bytes(&t->file, out));
}

/* Whether the numbers fit together: the bytes may be those of a file that was changed. */
static bool is_possible(const struct stage3_tasks *t)
{
    return t->in_file <= t->hsp_count && t->in_file % STAGE3_CHUNK_HSPS == 0 &&
           t->file.count == t->in_file / STAGE3_CHUNK_HSPS && t->stamp_count <= STAMPS_MOST &&
           t->end_s >= 0 && t->end_s <= STAGE3_SECONDS_MOST;
}

/* Whether delays can be of such HSPs: bursts have some of them. */
static bool are_bursts(const struct stage3_tasks *t)
{
    size_t i = 0;
    while (i < t->delay_count && t->delays[i].run.bursts > 0 && t->delays[i].run.records > 0 &&
           t->delays[i].run.records <= t->hsp_count)
        i++;
    return i == t->delay_count;
}

/* Whether one piece follows the other, from the begin of the file on. */
static bool are_in_order(const struct overflow *file)
{
    uint64_t end = 0;
    size_t i = 0;
    for (; i < file->count && file->pieces[i].begin == end; i++)
        end += file->pieces[i].packed;
    return i == file->count;
}

/* Whether flags are flags, since a byte that is neither 0 nor 1 must not be looked at as a bool, and no HSP arrives
 * before the one before it, or after clocks can be counted. */
static bool are_hsps(const struct stage3_hsp *hsps, size_t count)
{
    unsigned all = 0;
    int64_t arrived = 0;
    bool ordered = true;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = (const uint8_t *)&hsps[i];
        all |= bytes[offsetof(struct stage3_hsp, closes)] | bytes[offsetof(struct stage3_hsp, waits)];
        ordered &= hsps[i].arrived >= arrived;
        arrived = hsps[i].arrived;
    }
    return all <= 1 && ordered && arrived / BOARD_TICKS_PER_CLOCK <= 1ll << DBL_MANT_DIG;
}

static bool read_arrays(struct stage3_tasks *t, FILE *in)
{
    return (t->hsps = array_read(kept(t), sizeof *t->hsps, in)) && are_hsps(t->hsps, kept(t)) &&
           (t->clusters = array_read(t->cluster_count, sizeof *t->clusters, in)) &&
           (t->stamps = array_read(kept(t) * t->stamp_count, sizeof *t->stamps, in));
}

/* The arrays stay where they are, after the tasks in a file in memory: each is a multiple of 8 bytes. */
static bool map_arrays(struct stage3_tasks *t, FILE *in)
{
    const size_t bytes = sizeof *t + kept(t) * sizeof *t->hsps + t->cluster_count * sizeof *t->clusters +
                         kept(t) * t->stamp_count * sizeof *t->stamps;
    struct stat facts;
    if (fstat(fileno(in), &facts) != 0 || (size_t)facts.st_size < bytes)
        return false;
    struct stage3_tasks *mapping = mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fileno(in), 0);
    if (mapping == MAP_FAILED)
        return false;
    t->mapping = mapping;
    t->mapping_bytes = bytes;
    t->hsps = (struct stage3_hsp *)(mapping + 1);
    t->clusters = (uint64_t *)(t->hsps + kept(t));
    t->stamps = (int64_t *)(t->clusters + t->cluster_count);
    return fseeko(in, (off_t)bytes, SEEK_SET) == 0;
}

bool stage3_tasks_read(struct stage3_tasks *t, int *hsps, FILE *in)
{
    if (fread(t, sizeof *t, 1, in) != 1 || !is_possible(t)) {
        *t = (struct stage3_tasks){0};
        return false;
    }
    t->file.is_open = false;
    t->mapping = NULL;
    t->hsps = NULL;
    t->clusters = NULL;
    t->stamps = NULL;
    t->delays = NULL;
    t->file.pieces = NULL;
    t->hsp_room = t->stamp_room = 0;
    bool read = (hsps ? map_arrays(t, in) : read_arrays(t, in)) &&
                (t->delays = array_read(t->delay_count, sizeof *t->delays, in)) && are_bursts(t) &&
                (t->file.pieces = array_read(t->file.count, sizeof *t->file.pieces, in)) &&
                are_in_order(&t->file) && (hsps || overflow_read_bytes(&t->file, in));
    if (read && hsps && t->in_file > 0) {
        t->file.is_open = true;
        t->file.file = *hsps;
        *hsps = -1;
    }
    if (!read)
        stage3_tasks_destroy(t);
    return read;
}
