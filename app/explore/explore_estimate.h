/* explore_estimate.h - the answer to a question of the page of estimates: what `mercury estimate` says.
 *
 * Question  an object of JSON with texts: "machine", a name of data/machines; "workload", such a name, or "run",
 *           that of the run that is explored; "nodes", as --nodes; "set", an object of changes as --set has them, such
 *           as {"board.number": "4"}; of the run's workload also "segments", "database_bases", "distribution"; and the
 *           truth values "synchronize" and "executed". What is missing or empty is not given.
 * Answer    JSON: "estimate", the table as mercury estimate -f json writes it; "numbers", those that the texts give and
 *           that can be changed, with their unchanged values; "page", answer, picture and table as HTML; "command".
 * Detailed  the time of the run itself, if the machine is the run's; nothing is timed again.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <jansson.h>

#include "base/why.h"
#include "app/explore/explore_machine.h"

/** What can be chosen: {"machines": [name, ...], "workloads": [name, ...]}. @return NULL if memory is exhausted */
json_t *explore_estimate_choices(const struct explored_run *run);

/** Answer a question. @param answer  out: NULL if memory is exhausted */
int explore_estimate(const struct explored_run *run, const json_t *question, json_t **answer,
                     struct why *why);
