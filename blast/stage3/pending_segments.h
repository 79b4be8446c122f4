/* pending_segments.h - the ungapped segments of a cluster that wait until the stream has passed all of them.
 *
 * Order     they come nearly in the order of their database positions, and most have one of a few scores: they are
 *           sorted by insertion and then by counting, in time proportional to their number. What is not so is left to
 *           qsort().
 * Memory    128 bytes each.
 */
#ifndef MERCURY_BLAST_STAGE3_PENDING_SEGMENTS_H
#define MERCURY_BLAST_STAGE3_PENDING_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "blast/stage3/alignment.h"
#include "blast/stage3/stage3_ungapped.h"

struct pending_segment {
    struct ungapped_segment segment;
    uint64_t start; /* column of the segment at which gapped extension starts */
    struct alignment_seed origin;
};

/* A list of zeros is empty. */
struct pending_segments {
    struct pending_segment *items;
    size_t count, room;
    struct pending_segment *sorted; /* room for sorting */
    size_t sorted_room;
    uint64_t reach; /* greatest database position at which a segment ends; undefined if there is none */
};

/** @return false if memory is exhausted */
bool pending_segments_append(struct pending_segments *list, const struct pending_segment *item);

/** Sort them: the best score first; of equal ones the first in the database, then the longest, then the first in the
 * query. Those that agree in all of this keep their order.
 *
 * @return false if memory is exhausted
 */
bool pending_segments_sort(struct pending_segments *list);

void pending_segments_destroy(struct pending_segments *list);

#endif
