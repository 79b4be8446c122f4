/* explore_answer.h - one machine's answer: the recorded passes timed again on it, with the report's pictures.
 *
 * Models    what `mercury retime` does with the same numbers; the numbers of the answer are those of its summary.json.
 * Sampled   only the first passes are timed if fewer are asked for; the answer says of how many.
 * Process   SimGrid runs in the processes of the passes, so this is called in a process of its own, which may be ended
 *           at any moment: nothing is left on any disk.
 * Answer    JSON; NULL if memory is exhausted.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "app/explore/explore_machine.h"

/** Time the first `passes` passes on a machine. */
int explore_answer(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                   json_t **answer, struct why *why);

/** Find which resource limits a machine, and the smallest FIFOs that keep its speed, as `mercury advise` does
 *  (app/advise/machine_freedom.h, app/advise/fifo_search.h), by timing the passes again.
 *
 *  Limits: {"base": {"throughput", "total_s"}, "free": [{"stage", "meaning", "throughput", "total_s"}]}. FIFOs:
 *  {"keep", "fifos": [{"parameter", "depth", "before"}], "unbounded", "bounded"}. Both have "passes" and
 *  "all_passes". */
int explore_search_limits(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                          json_t **answer, struct why *why);
int explore_search_fifos(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                         json_t **answer, struct why *why);
