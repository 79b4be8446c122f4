/* pass_set.h - what the passes of a run are, and how they are simulated. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/database_parts.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "sim/drawing/drawing_request.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/measure_report.h"
#include "sim/measure/window_log.h"

struct pass_store;
struct host_brief;
struct passes_others;
struct running;
struct platform;

/** How far a run is, which may lie in memory that another process reads meanwhile. */
struct passes_progress {
    atomic_size_t passes; /* number of all passes; 0 before they begin */
    atomic_size_t ended;  /* number of those that have ended */
    atomic_ullong words;  /* words of the database that all passes stream */
    atomic_ullong done;   /* words that were streamed so far */
};

/** How passes are simulated, and what is done with them. All zero but `jobs`: nothing but what passes.h returns.
 *  Everything is borrowed. */
struct pass_handling {
    unsigned jobs; /* number of processors to use at a time, >= 1 */
    /* Bounds on memory, which results do not depend on (pass_handling_bound()); 0: there is none. */
    size_t hsps_in_memory; /* number of HSPs of a pass after which the first ones go to a file */
    size_t ahead;          /* number of passes that may be started beyond the first that has not ended */
    const struct passes_others *others; /* that simulate passes, too (passes.h), or NULL */
    const struct running *beside; /* passes_begin() has begun it, and its failure ends this run; or NULL */
    bool quiet;                   /* show no progress */
    struct passes_progress *progress; /* kept up to date, shown or not; or NULL */
    struct platform *untried;         /* SimGrid tries it while the first passes run (platform.h); or NULL */
    /* Has passes of an earlier try, and keeps those that end later than keep_after_s after this one began
     * (pass_store.h); or NULL. */
    struct pass_store *store;
    double keep_after_s; /* of the wall clock */
    bool events;         /* run every board by events, too (pass_simulation.h) */

    const struct measure_plan *measure; /* what is measured beside the passes' frames, or NULL */
    struct measure_report *measured;    /* receives these measurements */
    /* When the passes will be, if frames of the run are among what is measured, or NULL. */
    const struct run_times *run_times;
    struct host_brief *brief; /* receives all tasks of the host in brief (host_brief.h), or NULL */
    bool charge;              /* charge the machine for measuring (measuring_cost.h) */
    const struct drawing_request *drawing; /* draw one of the passes, or NULL */
    /* If the database is a sample of windows: where each pass reads what it has done, one log per pass, which lie with
     * their readings in memory that other processes share; or NULL. */
    struct window_log *windows;
    bool count_windows; /* count windows of the stream (stream_windows.h), on boards that stand alone */

    struct token_record_writer *record; /* receives the passes' tokens, or NULL */
    size_t record_every; /* number of passes of which one is recorded (pass_set_is_recorded()); 0: all are */
    bool leave_tokens;   /* leave them in the reports without a record */
    /* Compute tokens and alignments, and simulate no time: all that boards that depend on each other need, before the
     * record is timed again. */
    bool only_tokens;
    /* Find of recorded passes when boards and hosts do what, and nothing about their queues: all that a machine with a
     * free part has (machine_part.h). */
    bool only_times;
};

/** The passes of a run, and how they are simulated. Everything is borrowed. */
struct passes {
    const struct hardware *hardware;
    const char *platform_file; /* platform_simgrid_file() */
    /* This process simulates nothing on other platforms: SimGrid may start in it, once for all passes. */
    bool one_platform;
    const struct query_segment *segments; /* of each pass */
    size_t pass_count;
    /* NULL, or these passes are a sample of a run of `run_passes` (pass_sample.h): the number of each in that run, from
     * 0, by which a store knows it. */
    const size_t *numbers;
    size_t run_passes;
    const struct sequences *query;
    struct pass_handling how;

    /* NULL, or a record whose passes are timed again, in which case nothing below matters. Passes on boards that hinge
     * on each other may be in a record each: the first of those is here, and all are in `records`. */
    const struct token_record *recorded, *const *records;
    size_t recorded_every; /* number of recorded passes of which one is timed again; 0: the first are */

    const struct sequences *database;
    const struct database_part *parts; /* of each host; NULL if each has a copy of the database */
    const struct scoring_statistics *statistics;
    struct stage3_least least;
};

/** Passes of a record, to be timed again: the first ones; with `recorded_every` others. */
struct passes passes_of_record(const struct hardware *hardware, const char *platform_file,
                               const struct token_record *record, size_t pass_count, unsigned jobs);

/** Passes that are to be timed again from a record of their tokens, with as many jobs and as much memory. */
struct passes passes_again(const struct passes *passes, const struct token_record *record);

/** The number of a pass in the run, of which these passes may be a sample; and the run's number of passes. */
size_t pass_set_number(const struct passes *passes, size_t pass);
size_t pass_set_of_run(const struct passes *passes);

/** Words that a pass streams, on the average. */
uint64_t pass_set_words(const struct passes *passes);

/** Whether a pass is recorded: of each `record_every` that follow each other the middle one. */
bool pass_set_is_recorded(const struct passes *passes, size_t pass);

/** Number of recorded passes, of `count` if one of `every` is taken, and the number of the n-th of them. */
size_t pass_set_taken(size_t count, size_t every);
size_t pass_set_nth_taken(size_t nth, size_t every);

/** A digest of all that decides what a pass leaves: the same in two processes if their passes are. Recorded passes have
 *  none. */
uint64_t pass_set_digest(const struct passes *passes);

/** Number of bytes within which passes and their host stay, whatever the data, as far as they can: half of what the
 *  machine has. */
uint64_t passes_default_memory(void);

/** Set the bounds on memory of passes whose number of jobs is known. @param bytes  for all processes of this run */
void pass_handling_bound(struct pass_handling *how, uint64_t bytes);
