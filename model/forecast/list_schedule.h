/* list_schedule.h - how long cores take for a list of jobs, each of which goes to the core that is free first.
 *
 * Contract  of several cores that are free at the same time the first one takes the job. No memory of its own.
 * Source    Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Applied Mathematics 17, 1969.
 */
#pragma once

#include <stdint.h>

/** All cores are free at first: `busy_until_s` is all zero. */
struct list_schedule {
    double *busy_until_s; /* one per core */
    uint32_t cores;       /* 1 or more */
    double last_s;        /* makespan of the jobs so far */
};

/** Add the next job. */
void list_schedule_add(struct list_schedule *schedule, double job_s);
