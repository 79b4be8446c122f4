/* sweep_stitching.h - the host's last step in each search of a sweep: the work of joining what its passes found.
 *
 * Models    every point of a search finds the same alignments, so they are joined (blast/join.h) once a search, as soon as
 *           a point wants to know what that took.
 * Memory    alignments of a search until they are joined.
 * Errors    all are memory that is out.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_STITCHING_H
#define MERCURY_APP_SWEEP_SWEEP_STITCHING_H

#include <stdbool.h>
#include <stddef.h>

#include "blast/stage3/alignment.h"
#include "blast/stage3/stitch.h"
#include "app/sweep/sweep_plan.h"

struct sweep_stitching;

/** For the searches of a plan, as sweep_stitching_grow() finds them. @return NULL when memory is out */
struct sweep_stitching *sweep_stitching_new(const struct sweep_plan *plan);
void sweep_stitching_destroy(struct sweep_stitching *joining);

/** Take notice of the searches that the plan has. @return false when memory is out */
bool sweep_stitching_grow(struct sweep_stitching *joining);

/** Keep what a pass has found; of a pass that comes again, nothing.
 *
 * @param alignments  copied
 * @return 0, or negative when memory is out
 */
int sweep_stitching_keep(struct sweep_stitching *joining, size_t search, size_t pass,
                         const struct alignment *alignments, size_t count);

/** Of a search whose passes have all come: what joining them took. @return NULL when memory is out */
const struct stitch_work *sweep_stitching_work(struct sweep_stitching *joining, size_t search);

#endif
