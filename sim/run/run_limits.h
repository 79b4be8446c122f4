/* run_limits.h - what limits a run: the part of the machine without which it would be shortest.
 *
 * Models    the run with one part free at a time (machine_part.h). Without the network it ends with the host that works
 *           longest. Where cores or tables are free, the host's recurrences say about how long it takes, from the tasks
 *           in brief (host_brief.h): the less the run waits for these, the less they are off. For the host's supply,
 *           the bus and the stages, passes are timed again from their tokens, without taps: all of a small run, whose
 *           time is then exact; of a large one some, evenly spread. No stream is shorter than what its busiest other
 *           stage needs: the streams that are not timed are taken to be longer than that by the factor of those that
 *           are (a ratio estimate, Cochran 1977, section 6.3), and no longer than they were.
 *           Where boards wait for each other, or load the next tables while they stream, some passes say less: all are
 *           timed if they are not too many (ROUGH_WMERS); and the tasks in brief say nothing of several boards that
 *           load so.
 * Bounds    what is not timed takes no less than its boards and its cores have work.
 * Error     a time from some passes has no interval: what passes differ by is not all that it is off by. The tasks that
 *           follow shorter streams in brief are as much, and so are passes in other company. docs/hardware.md has what
 *           was measured.
 * Which     the part that may save most, by what its streams need at least or by the tasks in brief, is timed first,
 *           unless the tasks in brief are known to be right within RUN_LIMITS_NEAR.
 *           What cannot save more than what was found is not timed, and is named before that only if it may save more
 *           although its bound is loose; nor is what would take too long: RUN_LIMITS_SHARE
 *           of the run, or RUN_LIMITS_S where that is more, by how many w-mers and matches passes have, so that the
 *           same run gives the same bytes on every computer.
 * Memory    that of the tasks in brief.
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/board/machine_part.h"
#include "sim/host/host_brief.h"
#include "sim/pass/passes.h"

/** How long it may take to find the limits: of the time of the run, or in seconds. */
#define RUN_LIMITS_SHARE 0.1
#define RUN_LIMITS_S     0.2

/** What saves less than this does not limit the run alone. */
#define RUN_LIMITS_LEAST_GAIN 1.02

/** Part of the time without a part by which the run in brief may be off, if that part is not to be timed. */
#define RUN_LIMITS_NEAR 0.01

/** How sure the time without a part is. */
enum part_certainty {
    PART_BOUND,    /* not timed: the run is not shorter than that */
    PART_IN_BRIEF, /* from all tasks in brief */
    PART_SAMPLED,  /* about, from some passes that were timed again */
    PART_EXACT,    /* all passes were timed again, or what joining or the network took is left out */
};

struct part_limit {
    double run_s; /* time of the run with this part free */
    enum part_certainty certainty;
};

struct run_limits {
    double run_s;         /* of the machine as it is */
    double brief_error_s; /* by which its tasks in brief are off; INFINITY if boards wait for each other */
    struct part_limit parts[MACHINE_PARTS];
    enum machine_part
        first; /* saves most of all that is known; or a bound that may save more although it is loose */
    size_t timed, passes; /* number of passes that were timed again, and of all */
};

/** Whether no part alone saves RUN_LIMITS_LEAST_GAIN. */
bool run_limits_are_shared(const struct run_limits *limits);

/** The number of passes of which one is to be recorded, so that it can be timed again; 0: all of them.
 *  @param words  of the database that a pass streams */
size_t run_limits_every(const struct hardware *hardware, size_t pass_count, size_t words);

/** Find what limits a run.
 *
 * @param passes    of the run: all its passes, with their record, and the tasks in brief
 * @param every     number of passes of which one is timed again (run_limits_every())
 * @param is_whole  the record has all passes; else it has those that are timed again
 */
int run_limits_find(const struct passes *passes, size_t every, bool is_whole, const struct passes_result *run,
                    struct run_limits *limits, struct why *why);

/** Time a recorded run with a part free, joining included, and write how much shorter it is.
 *  @param name  of the part, or "all": each in turn, what saves most first */
int run_limits_write_free(const struct passes *recorded, const char *name, FILE *out, struct why *why);

/** Say what limits the run, as words that can end a sentence: "the bus; without it the run would be 1.48 times as fast
 *  (5.61 ms)". */
void run_limits_say(const struct run_limits *limits, char *words, size_t size);

/** Write that as a sentence, and all parts in the order of what they save. */
void run_limits_write_text(const struct run_limits *limits, FILE *out);

/** Take limits from run_limits_json(). @return whether the object is one */
bool run_limits_read(const json_t *object, struct run_limits *limits);

/** The object of summary.json. */
json_t *run_limits_json(const struct run_limits *limits);
