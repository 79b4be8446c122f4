#include "sim/run/part_times.h"

int part_times_run(const struct passes *recorded, enum machine_part part, struct passes_result *result,
                   struct why *why)
{
    struct hardware hardware = *recorded->hardware;
    struct passes again = {
        .hardware = &hardware,
        .platform_file = recorded->platform_file,
        .one_platform = recorded->one_platform,
        .pass_count = recorded->pass_count,
        .jobs = recorded->jobs,
        .hsps_in_memory = recorded->hsps_in_memory,
        .ahead = recorded->ahead,
        .quiet = recorded->quiet,
        .query = recorded->query,
        .segments = recorded->segments,
        .recorded = recorded->recorded,
        .recorded_every = recorded->recorded_every,
        .only_times = true,
    };
    if (part < MACHINE_PARTS)
        machine_part_free(&hardware, part);
    return passes_run(&again, result, why);
}

int part_times_find(const struct passes *recorded, enum machine_part part, double *run_s, struct why *why)
{
    struct passes_result result;
    int status = part_times_run(recorded, part, &result, why);
    if (status)
        return status;
    *run_s = result.run.duration_s;
    passes_result_destroy(&result);
    return 0;
}
