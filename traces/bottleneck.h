/* bottleneck.h - which stage of a pipeline limits it, by what evidence, and which stage would limit it next.
 *
 * Models    a pipeline of stages with finite queues between them, as it was measured. Each stage is at work, stalled
 *           (it has something to pass on and finds no room), or starved (it has nothing to do). The first two are
 *           measured, each by itself; the third is the rest.
 * Limit     the stage most at work. All stages of a pipeline have one throughput X; the fraction of time a stage is at
 *           work is X times its time per element, and the greatest of these reaches 1 first (utilisation law; Denning
 *           and Buzen, ACM Computing Surveys 10, 1978). Of equals it is the last.
 * Evidence  TimeTrial's sign (Lancaster et al. 2011): if stall and activity add up to one, a stage is never starved.
 *           That holds for every stage upstream of the limit, since the limit holds them all: the last such stage down
 *           the pipeline is the source of the stalls, those before it are its victims. A limit is confirmed that is
 *           this source, or is at work all the time as this source is, so that neither stalls. One that is not is the
 *           stage nearest to a limit, in a pipeline that has reserves or bursts of elements.
 * Growth    throughput could grow by at most 1/active of a stage, until that stage is at work all the time, if an
 *           element makes as much work as before.
 * Errors    none; fractions are taken as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Stall and activity that add up to at least this count as one: the rest is the beginning and the end of a pass. */
#define BOTTLENECK_SATURATED 0.98

/** A stage as it was measured, in order of the pipeline. */
struct stage_evidence {
    const char *name;
    double active;         /* fraction of the time at work */
    double stalled;        /* fraction of the time in which back-pressure holds it */
    double queue_mean;     /* elements in the queue it takes from */
    uint64_t queue_places; /* of that queue; 0 if it has no bound */
    bool has_queue;
};

/** Fraction of the time in which a stage starves; 0 if only rounding makes it differ from 0. */
double stage_starved(const struct stage_evidence *stage);

enum stage_role {
    STAGE_LIMITS,
    STAGE_LIMITS_TOO, /* at work all the time, like the limit */
    STAGE_VICTIM,  /* never starved, because a stage further down holds it: the limit, if it is confirmed */
    STAGE_HELD,    /* stalls at times and starves at others */
    STAGE_RESERVE, /* hardly ever stalls: it waits for work */
};

struct bottleneck {
    size_t limit;
    double saturation; /* stall plus activity of the limit */
    bool has_source;
    size_t source;  /* the last stage whose stall and activity add up to one */
    bool confirmed; /* the limit is the source, or as much at work */
    /* Factor by which throughput could grow until the limit is always at work; >= 1. */
    double growth_to_limit;
    bool has_next;
    size_t next;           /* the limit once this one is removed */
    double growth_to_next; /* factor from the present throughput, at most */
};

/** @param count  >= 1 */
struct bottleneck bottleneck_find(const struct stage_evidence *stages, size_t count);

enum stage_role bottleneck_role(const struct bottleneck *bottleneck, const struct stage_evidence *stages,
                                size_t stage);

/** Write the limit, its evidence, the part of every stage, and what would limit next. */
void bottleneck_write_text(const struct bottleneck *bottleneck, const struct stage_evidence *stages,
                           size_t count, FILE *out);
