#include "sim/measure/measure_job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t *copy_clocks(const struct samples *s, uint64_t hsps)
{
    assert(s->count == hsps);
    int64_t *copy = malloc(hsps * sizeof *copy);
    if (copy)
        memcpy(copy, s->values, hsps * sizeof *copy);
    return copy;
}

struct measure_job *measure_job_new(const struct measure_plan *plan, const struct samples *channels,
                                    uint64_t hsps)
{
    struct measure_job *job = calloc(1, sizeof *job);
    bool made = job && (job->origins = calloc(plan->channel_count + 1, sizeof *job->origins));
    for (unsigned i = 0; made && i < plan->channel_count; i++) {
        job->channel_count = i + 1;
        if (plan->channels[i].kind == CHANNEL_ORIGIN)
            made = (job->origins[i] = copy_clocks(&channels[i], hsps)) != NULL;
    }
    if (!made) {
        measure_job_destroy(job);
        return NULL;
    }
    job->hsps = hsps;
    return job;
}

void measure_job_destroy(struct measure_job *job)
{
    if (!job)
        return;
    for (unsigned i = 0; i < job->channel_count; i++)
        free(job->origins[i]);
    free(job->origins);
    free(job);
}

void measure_job_latencies(const struct measure_job *job, const struct host_span *span, struct aggregate *to)
{
    int64_t clock = job->clocks[span->to];
    if (!span->from_board) {
        aggregate_add(to, (uint64_t)(clock - job->clocks[span->from]), job->hsps);
        return;
    }
    const int64_t *origins = job->origins[span->channel];
    struct aggregate sum = *to; /* its moments stay in registers */
    for (uint64_t i = 0; i < job->hsps; i++)
        aggregate_add(&sum, (uint64_t)(clock - origins[i]), 1);
    *to = sum;
}
