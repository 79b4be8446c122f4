/* explore_search.h - what would help a machine: which resource limits it, and the smallest FIFOs that keep its speed.
 *
 * How       as `mercury advise` (app/advise/machine_freedom.h, app/advise/fifo_search.h), by timing the recorded passes
 *           again, all of them or the first ones.
 * Answers   JSON. Limits: {"base": {"throughput", "total_s"}, "free": [{"stage", "meaning", "throughput",
 *           "total_s"}]}. FIFOs: {"keep", "fifos": [{"parameter", "depth", "before"}], "unbounded", "bounded"}. Both
 *           have "passes" and "all_passes".
 * Process   as explore_answer.h
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_EXPLORE_EXPLORE_SEARCH_H
#define MERCURY_APP_EXPLORE_EXPLORE_SEARCH_H

#include "app/explore/explore_machine.h"

int explore_search_limits(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                          FILE *out, struct why *why);

int explore_search_fifos(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                         FILE *out, struct why *why);

#endif
