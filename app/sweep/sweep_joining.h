/* sweep_joining.h - the host's last step in each search of a sweep: the work of joining what its passes found.
 *
 * Models    every point of a search finds the same alignments, so they are joined (blast/join.h) once a search, as soon as
 *           a point wants to know what that took.
 * Memory    alignments of a search until they are joined.
 * Errors    all are memory that is out.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_JOINING_H
#define MERCURY_APP_SWEEP_SWEEP_JOINING_H

#include <stdbool.h>
#include <stddef.h>

#include "blast/stage3/alignment.h"
#include "blast/stage3/join.h"
#include "app/sweep/sweep_plan.h"

struct sweep_joining;

/** For the searches of a plan, as sweep_joining_grow() finds them. @return NULL when memory is out */
struct sweep_joining *sweep_joining_new(const struct sweep_plan *plan);
void sweep_joining_destroy(struct sweep_joining *joining);

/** Take notice of the searches that the plan has. @return false when memory is out */
bool sweep_joining_grow(struct sweep_joining *joining);

/** Keep what a pass has found; of a pass that comes again, nothing.
 *
 * @param alignments  copied
 * @return 0, or negative when memory is out
 */
int sweep_joining_keep(struct sweep_joining *joining, size_t search, size_t pass,
                       const struct alignment *alignments, size_t count);

/** Of a search whose passes have all come: what joining them took. @return NULL when memory is out */
const struct join_work *sweep_joining_work(struct sweep_joining *joining, size_t search);

#endif
