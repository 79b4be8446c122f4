/* stitch.h - alignments that ran into the border of their segment, followed to their ends on the whole query.
 *
 * Models    the host's last step: passes extend inside their own segment (stage3.h, "Borders"), so an alignment that
 *           goes on beyond a border is found in pieces. Each piece is extended again without borders from the HSP by
 *           which it was found, the best piece first, as BLAST does. A piece whose HSP lies on an alignment already
 *           followed is that alignment and costs only the check.
 * Memory    as stage3.h, one strand at a time.
 */
#pragma once

#include "blast/stage3/alignment.h"
#include "blast/stage3/stage3.h"

/** Where on its strand of the query an alignment lies that was followed: codes, half open. */
struct stitch_reach {
    uint64_t query_begin, query_end;
    int32_t strand;
};

/** The work of stitching: the cells of each extension that had to be computed, and to where it led. */
struct stitch_work {
    uint64_t *cells;
    struct stitch_reach *reaches; /* NULL: unknown, as in a record of tokens */
    size_t count;
};

void stitch_work_destroy(struct stitch_work *work);

/** Replace the cut off alignments of a list by whole ones.
 *
 * @param list   alignments of all passes, not culled; whole alignments keep their order
 * @param query  the query of the passes; a strand without alignments may have no codes
 * @param work   out, for stitch_work_destroy()
 */
void stitch_alignments(struct alignment_list *list, const struct stage3_query *query,
                       struct stitch_work *work);
