/* stage3_tasks.h - the work of stage 3 in a pass, and when it can be begun: what the pass hands to the host's cores.
 *
 * Models    two kinds of tasks, each for one core. An HSP's own task, its check and its ungapped columns, can begin
 *           when the HSP is in the host's memory. A cluster's task, its gapped extensions, can begin when all HSPs
 *           whose segments wait for it are done and when the stream has passed it: when the HSP that shows this, or
 *           the end of the stream, is in memory. What is computed does not depend on when a core computes it.
 * Order     stream order. If there is a bound and a pass has more HSPs, the first ones are in a file:
 *
 *     HSP        0                 in_file             hsp_count
 *     where      | chunk | chunk | .. | hsps[0] hsps[1] .. |      a chunk has STAGE3_CHUNK_HSPS, compressed
 *     closes     ..1.......1..........1.........1...              each 1 closes the next cluster, the end the last
 *     waits      1.1..1........1....1.......1......1              each 1 waits for the next cluster that is not closed
 *
 * Memory    16 bytes per HSP, 8 per cluster, and 8 per HSP for each stamp that it carries. Of HSPs in the file
 *           (base/file/scratch_file.h) only those of some chunks.
 * Errors    false if a file cannot be read or written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/file/scratch_file.h"
#include "blast/stage3/stage3.h"
#include "sim/board/board.h"
#include "sim/board/record_bursts.h"

enum { STAGE3_CHUNK_HSPS = 1 << 17 };

/** No pass takes longer: clocks at 1 MHz could not be counted. */
static const double STAGE3_SECONDS_MOST = 1e10;

/** An HSP's task. */
struct stage3_hsp {
    int64_t arrived; /* ticks of the board (sim/board/board.h) in which the HSP is in the host's memory */
    uint32_t cells;  /* ungapped columns; 0: the HSP was recognised, and costs only its check */
    bool closes;     /* the HSP shows that the stream has passed the next cluster in order */
    bool waits;      /* the HSP's segment is part of the next cluster after those that are closed by then */
};

/** HSPs of the file that arrive later than it says: `late` ticks later, but each not before its record's burst has
 *  closed, as much later, and none before a tick. */
struct stage3_delay {
    size_t first, end;    /* numbers of HSPs */
    struct burst_run run; /* their bursts, from `first` on */
    int64_t late, not_before;
};

/** Start with {0}. */
struct stage3_tasks {
    struct stage3_hsp *hsps; /* in memory, from number `in_file` on */
    uint64_t *clusters;      /* DP cells; the end of the stream closes the last one */
    size_t hsp_count, cluster_count;
    double end_s; /* end of the stream, since the pass began: no HSP arrives later */
    /* Clocks of the board that HSPs in memory carry for spans that end in software: stamps[hsp x stamp_count + i]. */
    int64_t *stamps;
    unsigned stamp_count;
    size_t hsp_room, cluster_room, stamp_room; /* HSPs and stamps are long arrays (base/array.h) */
    size_t expected; /* number of HSPs to make room for with the first, up to in_memory_most; 0: unknown */
    size_t in_memory_most; /* number of HSPs after which the first ones go to the file; 0: never */
    size_t in_file;        /* number of HSPs in the file, in chunks of STAGE3_CHUNK_HSPS */
    struct overflow file;
    struct stage3_delay *delays; /* in order */
    size_t delay_count, delay_room;
    bool file_failed; /* the file cannot be written or read */
    void *mapping; /* memory of a file in which HSPs, clusters and stamps are, to be read only; NULL: none */
    size_t mapping_bytes;
};

void stage3_tasks_destroy(struct stage3_tasks *tasks);

/** Add HSPs. `stamp_count` and `in_memory_most` must be set before the first.
 *
 * @param arrived  one per HSP, in ticks of the board: they never decrease
 * @param work     one per HSP
 * @param stamps   `stamp_count` per HSP; NULL if that is 0
 */
bool stage3_tasks_add(struct stage3_tasks *tasks, size_t count, const int64_t *arrived,
                      const struct stage3_work *work, const int64_t *stamps);

/** Let HSPs that were added, of a run of bursts, arrive later (struct stage3_delay). Calls come in the HSPs' order. */
void stage3_tasks_delay(struct stage3_tasks *tasks, size_t first, const struct burst_run *run, int64_t late,
                        int64_t not_before);

/** End the stream. @param cells  of the cluster that its end closes */
void stage3_tasks_end(struct stage3_tasks *tasks, double end_s, uint64_t cells);

/** Bring all HSPs into memory. */
bool stage3_tasks_bring_back(struct stage3_tasks *tasks);

/** The tasks become a copy of what they were, with all HSPs in memory; what they were stays its owner's. */
bool stage3_tasks_copy_back(struct stage3_tasks *tasks);

/* --- reading HSPs, wherever they are --- */

/** Looks at the HSPs of tasks, which must not change meanwhile, at best in their order. */
struct stage3_cursor {
    const struct stage3_tasks *tasks;
    const struct stage3_hsp *hsps; /* numbers first .. first + count - 1, and their stamps */
    const int64_t *stamps;
    size_t first, count;
    struct stage3_hsp *chunk; /* memory for those of the file */
    int64_t *chunk_stamps;
    bool failed; /* HSPs cannot be read: they are all zero then */
};

struct stage3_cursor stage3_cursor_new(const struct stage3_tasks *tasks);
void stage3_cursor_destroy(struct stage3_cursor *cursor);

/** Move to the chunk of an HSP. */
void stage3_cursor_move(struct stage3_cursor *cursor, size_t hsp);

static inline const struct stage3_hsp *stage3_cursor_hsp(struct stage3_cursor *cursor, size_t hsp)
{
    if (__builtin_expect(hsp - cursor->first >= cursor->count, 0))
        stage3_cursor_move(cursor, hsp);
    return &cursor->hsps[hsp - cursor->first];
}

/** Several HSPs from one on. @param count  wanted, >= 1; out: number of those that lie together, >= 1 */
static inline const struct stage3_hsp *stage3_cursor_hsps(struct stage3_cursor *cursor, size_t hsp,
                                                          size_t *count)
{
    const struct stage3_hsp *first = stage3_cursor_hsp(cursor, hsp);
    const size_t together = cursor->count - (hsp - cursor->first);
    *count = *count < together ? *count : together;
    return first;
}

/* --- files --- */

/** Write all, or, if not `with_file`, all but the bytes of the file with HSPs. */
bool stage3_tasks_write(const struct stage3_tasks *tasks, bool with_file, FILE *out);

/** Read what stage3_tasks_write() wrote.
 *
 * @param tasks  overwritten; all zero on error
 * @param hsps   NULL: the bytes of the file with HSPs were written, too; else that file, which becomes the tasks', and
 *               -1 here, if there are any HSPs in it
 * @param in     if `hsps` is not NULL, a file in memory of which the tasks are the first bytes
 */
bool stage3_tasks_read(struct stage3_tasks *tasks, int *hsps, FILE *in);
