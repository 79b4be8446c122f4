/* bottleneck.h - which stage of a pipeline limits it, by what evidence, and what would limit next.
 *
 * Models    a pipeline of stages with finite queues between them, as it was measured: each stage is at work, stalled
 *           (it has something to pass on, and behind it there is no room), or starved (it has nothing to do). The first
 *           two are measured, each by itself; the third is what they leave.
 * Limit     the stage most at work. In a pipeline all stages have one throughput X, a stage's fraction at work is
 *           X times its time an element, and the greatest reaches 1 first (utilisation law; Denning and Buzen,
 *           ACM Computing Surveys 10, 1978). Of several that are at work all the time, the last.
 * Evidence  TimeTrial's sign (Lancaster et al. 2011): where stall and activity add up to one, a stage is never
 *           starved. Upstream of a limit that holds for everybody, since all are held by it: the last such stage down
 *           the pipeline is the source of the stalls, those before it are their victims. A limit that is that source is confirmed; one
 *           that is not, is the nearest to a limit in a pipeline that has reserves or whose elements come in bursts.
 * Growth    throughput could grow by 1/active of a stage until that stage is at work all the time. This takes the work an
 *           element makes for given.
 * Errors    none; fractions are taken as they come.
 */
#ifndef MERCURY_TRACES_BOTTLENECK_H
#define MERCURY_TRACES_BOTTLENECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** How near to one stall and activity add up: the rest is a pass's beginning and end. */
#define BOTTLENECK_SATURATED 0.98

/** A stage as it was measured, in order of the pipeline. */
struct stage_evidence {
    const char *name;
    double active;         /* fraction of the time at work */
    double stalled;        /* fraction of the time in which back-pressure holds it */
    double queue_mean;     /* elements in the queue it takes from */
    uint64_t queue_places; /* of that queue; 0: no bound */
    bool has_queue;
};

/** What is left of the time; 0 where that is a rounding. */
double stage_starved(const struct stage_evidence *stage);

enum stage_role {
    STAGE_LIMITS,
    STAGE_LIMITS_TOO, /* at work all the time like the limit */
    STAGE_VICTIM,     /* never starved, upstream of the source: held by it */
    STAGE_HELD,       /* stalls at times, and starves at others */
    STAGE_RESERVE,    /* hardly ever stalls: waits for work */
};

struct bottleneck {
    size_t limit;
    double saturation; /* stall and activity of the limit */
    bool has_source;
    size_t source;  /* last stage whose stall and activity add up to one */
    bool confirmed; /* the limit is the source */
    double
        growth_to_limit; /* by what factor throughput could grow until the limit is at work all the time; >= 1 */
    bool has_next;
    size_t next;           /* limits once the limit is removed */
    double growth_to_next; /* from the present throughput */
};

/** @param count  >= 1 */
struct bottleneck bottleneck_find(const struct stage_evidence *stages, size_t count);

enum stage_role bottleneck_role(const struct bottleneck *bottleneck, const struct stage_evidence *stages,
                                size_t stage);

/** The limit, its evidence, every stage's part, and what comes next. */
void bottleneck_write_text(const struct bottleneck *bottleneck, const struct stage_evidence *stages,
                           size_t count, FILE *out);

#endif
