/* sweep_stitching.h - the host's last step in each search of a sweep: the work of stitching what its passes found.
 *
 * Models    every point of a search finds the same alignments, so that they are stitched (blast/stage3/stitch.h) once
 *           per search, as soon as the first of its points needs to know the work.
 * Memory    the alignments of a search until they are stitched.
 * Errors    the only error is that memory is exhausted.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_STITCHING_H
#define MERCURY_APP_SWEEP_SWEEP_STITCHING_H

#include <stdbool.h>
#include <stddef.h>

#include "blast/stage3/alignment.h"
#include "blast/stage3/stitch.h"
#include "app/sweep/point/sweep_plan.h"

struct sweep_stitching;

/** @return NULL if memory is exhausted */
struct sweep_stitching *sweep_stitching_new(const struct sweep_plan *plan);
void sweep_stitching_destroy(struct sweep_stitching *stitching);

/** Make room for searches that were added to the plan. @return false if memory is exhausted */
bool sweep_stitching_grow(struct sweep_stitching *stitching);

/** Keep what a pass has found, unless it is known from before.
 *
 * @param alignments  copied
 * @return false if memory is exhausted
 */
bool sweep_stitching_keep(struct sweep_stitching *stitching, size_t search, size_t pass,
                          const struct alignment_list *alignments);

/** The work of stitching a search, whose passes must all have been kept. @return NULL if memory is exhausted */
const struct stitch_work *sweep_stitching_work(struct sweep_stitching *stitching, size_t search);

#endif
