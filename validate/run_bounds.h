/* run_bounds.h - the bounds of a run's queues and of its time, from its tokens and its machine, beside what was
 * simulated.
 *
 * Models    model/bounds/flow_bound.h pass by pass. Blocks, host and records are those of docs/hardware.md, "Bus, host
 *           and egress": the bus does not idle while a block or records are there, so blocks come no sooner than the
 *           words and records before them take the bus, if every burst is full. How many bursts of records time closes
 *           is not known before, but each of them takes hsp.flush_clocks that no other takes, and what it costs the bus
 *           lengthens a pass by no more than that.
 * Simulated times and elements come from the run; waits from its tokens on a board whose host and bus are those of
 *           sim/board/steady_bus.h.
 * Left out  several boards or hosts; tables that load while a pass streams; a machine that is charged for being
 *           measured, whose bus carries frames. All are refused.
 * Memory    of one pass at a time.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "model/bounds/flow_bound.h"
#include "sim/board/hardware.h"
#include "sim/run/run.h"
#include "sim/tokens/token_record.h"

struct queue_bounds {
    double places, enough; /* enough: places with which no queue signals, if all have theirs */
    double elements, wait; /* most of a pass: elements, clocks that one waits */
    double seen_elements, seen_wait;
};

struct run_bounds {
    double least_s, most_s, seen_s;         /* all passes stream */
    double theory_s;                        /* by M/M/1 with the rates of the data; NaN without a number */
    bool flows;                             /* no FIFO ever fills, in any pass */
    struct queue_bounds queue[FLOW_QUEUES]; /* as enum board_fifo */
    struct pass_counts counts;              /* of all passes so far */
};

/** Refuse a machine that bounds do not cover. */
int run_bounds_check(const struct hardware *hardware, struct why *why);

/** The bounds of no pass, without what was simulated. @param hardware  checked */
struct run_bounds run_bounds_begin(const struct hardware *hardware);

/** Add the passes of a record. */
int run_bounds_add(const struct token_record *record, const char *name, const struct hardware *hardware,
                   struct run_bounds *bounds, struct why *why);

/** The bounds of a run.
 *  @param hardware  of the run, checked
 *  @param name      of the record, for messages */
int run_bounds_find(const struct token_record *record, const char *name, const struct hardware *hardware,
                    const struct run *run, struct run_bounds *bounds, struct why *why);

/** What was simulated and is not inside its bound, which would be a bug; NULL if nothing is. */
const char *run_bounds_outside(const struct run_bounds *bounds);

struct run_bound {
    double least, most; /* NaN: none */
};

/** The bounds of one of machine_quantities over the run: the mean of a queue is at most its greatest number. */
struct run_bound run_bounds_of(const struct run_bounds *bounds, unsigned row, double simulated);

/** The bounds of stream and queues beside what was simulated. */
struct result_table *run_bounds_table(const struct run_bounds *bounds, enum result_format format);
