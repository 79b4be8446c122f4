#include "sim/measure/measured_extension.h"

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

struct measured_extension *measured_extension_new(const struct measure_plan *plan,
                                                  const struct samples *channels, uint64_t hsps)
{
    struct measured_extension *extension = calloc(1, sizeof *extension);
    bool made =
        extension && (extension->origins = calloc(plan->channel_count + 1, sizeof *extension->origins));
    for (unsigned i = 0; made && i < plan->channel_count; i++) {
        extension->channel_count = i + 1;
        if (plan->channels[i].kind == CHANNEL_ORIGIN)
            made = (extension->origins[i] = copy_clocks(&channels[i], hsps)) != NULL;
    }
    if (!made) {
        measured_extension_destroy(extension);
        return NULL;
    }
    extension->hsps = hsps;
    return extension;
}

void measured_extension_destroy(struct measured_extension *extension)
{
    if (!extension)
        return;
    for (unsigned i = 0; i < extension->channel_count; i++)
        free(extension->origins[i]);
    free(extension->origins);
    free(extension);
}

void measured_extension_latencies(const struct measured_extension *extension, const struct host_span *span,
                                  struct aggregate *to)
{
    int64_t clock = extension->clocks[span->to];
    if (!span->from_board) {
        aggregate_add(to, (uint64_t)(clock - extension->clocks[span->from]), extension->hsps);
        return;
    }
    const int64_t *origins = extension->origins[span->channel];
    struct aggregate sum = *to; /* its moments stay in registers */
    for (uint64_t i = 0; i < extension->hsps; i++)
        aggregate_add(&sum, (uint64_t)(clock - origins[i]), 1);
    *to = sum;
}
