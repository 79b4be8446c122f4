/* stage3_tasks.h - the work of stage 3 in a pass, and when it can be begun: what the pass hands to the host's cores.
 *
 * Models    two kinds of tasks, each for one core. An HSP's own task, its check and its ungapped columns, can begin
 *           when the HSP is in the host's memory. A cluster's task, its gapped extensions, can begin when all HSPs
 *           whose segments wait for it are done and when the stream has passed it: when the HSP that shows this, or the
 *           end of the stream, is in memory. What is computed does not depend on when a core computes it.
 * Order     stream order.
 * Memory    16 bytes per HSP, 8 per cluster, and 8 per HSP for each stamp that it carries.
 * Errors    false if memory is exhausted or a file cannot be read or written.
 */
#ifndef MERCURY_SIM_TOKENS_STAGE3_TASKS_H
#define MERCURY_SIM_TOKENS_STAGE3_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "blast/stage3/stage3.h"

/** An HSP's task. */
struct stage3_hsp {
    int64_t arrived; /* ticks of the board (sim/board/board.h) in which the HSP is in the host's memory */
    uint32_t cells;  /* ungapped columns; 0: the HSP was recognised, and costs only its check */
    bool closes;     /* the HSP shows that the stream has passed the next cluster in order */
    bool waits;      /* the HSP's segment is part of the next cluster after those that are closed by then */
};

struct stage3_tasks {
    struct stage3_hsp *hsps;
    uint64_t *clusters; /* DP cells; the end of the stream closes the last one */
    size_t hsp_count, cluster_count;
    double end_s; /* end of the stream, since the pass began: no HSP arrives later */
    /* Clocks of the board that HSPs carry for spans that end in software: stamps[hsp x stamp_count + i]. */
    int64_t *stamps;
    unsigned stamp_count;
    size_t hsp_room, cluster_room, stamp_room;
    void *mapping; /* of the file in which the arrays are; NULL: they are in memory of their own */
    size_t mapping_bytes;
};

void stage3_tasks_destroy(struct stage3_tasks *tasks);

/** Add HSPs. `stamp_count` must be set before the first.
 *
 * @param arrived  one per HSP, in ticks of the board: they never decrease
 * @param work     one per HSP
 * @param stamps   `stamp_count` per HSP; NULL if that is 0
 */
bool stage3_tasks_add(struct stage3_tasks *tasks, size_t count, const int64_t *arrived,
                      const struct stage3_work *work, const int64_t *stamps);

/** End the stream. @param cells  of the cluster that its end closes */
bool stage3_tasks_end(struct stage3_tasks *tasks, double end_s, uint64_t cells);

/** Number of HSPs that were recognised, and the sum of all cells. */
void stage3_tasks_sum(const struct stage3_tasks *tasks, uint64_t *recognised, uint64_t *cells);

bool stage3_tasks_write(const struct stage3_tasks *tasks, FILE *out);

/** Read what stage3_tasks_write() wrote. @param tasks  overwritten; all zero on error */
bool stage3_tasks_read(struct stage3_tasks *tasks, FILE *in);

/** Take what stage3_tasks_write() wrote to the beginning of a file where it is, without a copy: nothing can be added.
 *
 * @param tasks  overwritten; all zero on error
 * @param file   may be closed
 * @return number of bytes that the tasks take in the file, or -1 */
off_t stage3_tasks_map(struct stage3_tasks *tasks, int file);

#endif
