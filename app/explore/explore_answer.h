/* explore_answer.h - one machine's answer: the recorded passes timed again on it, with the report's pictures.
 *
 * Models    what `mercury retime` does with the same numbers; the numbers of the answer are those of its summary.json.
 * Sampled   one pass of every so many is timed if that is asked for; the answer says of how many.
 * Process   SimGrid runs in the processes of the passes, so this is called in a process of its own, which may be ended
 *           at any moment: nothing is left on any disk.
 * Answer    JSON.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "app/explore/explore_machine.h"

/* The answer to a question of the page of estimates: what `mercury estimate` says.
 *
 * Question  an object of JSON with texts: "machine", a name of data/machines; "workload", such a name, or "run",
 *           that of the run that is explored; "nodes", as --nodes; "set", an object of changes as --set has them, such
 *           as {"board.number": "4"}; of the run's workload also "segments", "database_bases", "distribution"; and the
 *           truth values "synchronize" and "executed". What is missing or empty is not given.
 * Answer    JSON: "estimate", the table as mercury estimate -f json writes it; "numbers", those that the texts give and
 *           that can be changed, with their unchanged values; "page", answer, picture and table as HTML; "command".
 * Detailed  the time of the run itself, if the machine is the run's; nothing is timed again.
 */

/** What can be chosen: {"machines": [name, ...], "workloads": [name, ...]}. */
json_t *explore_estimate_choices(const struct explored_run *run);

/** Answer a question. */
int explore_estimate(const struct explored_run *run, const json_t *question, json_t **answer,
                     struct why *why);

/** Time passes on a machine.
 *
 *  @param every     number of passes of which one is timed; 0: all are
 *  @param question  has "ends": a list for each part of where the axes of other pictures end, which the part's axes
 *                   reach, too; the part's own "ends" say where they end */
int explore_answer(const struct explored_run *run, const struct hardware *hardware, const json_t *question,
                   size_t every, json_t **answer, struct why *why);

/** Time them without pictures: an answer has "stream_s", in which the database streams, of all passes together,
 *  "passes" and "all_passes"; if no part is free, the numbers by which a sweep compares machines, "estimated_time_s" of
 *  all passes, and "limit", which is the stage that limits the stream; else of them "simulated_time_s". */
int explore_numbers(const struct explored_run *run, const struct hardware *hardware, size_t every,
                    json_t **answer, struct why *why);

/** The knee (front.h) of the "points" of a question, such numbers: its index or null, and whether it is "unpriced". */
json_t *explore_find_knee(const json_t *question);

/** Find the smallest FIFOs that keep a machine's speed, as `mercury advise` does (app/advise/fifo_search.h).
 *
 *  {"keep", "fifos": [{"parameter", "depth", "before"}], "unbounded_s", "bounded_s", "passes", "all_passes"} */
int explore_search_fifos(const struct explored_run *run, const struct hardware *hardware, size_t every,
                         json_t **answer, struct why *why);
