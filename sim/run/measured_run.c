#include "sim/run/measured_run.h"

#include <string.h>

static bool are_same(const struct run_times *a, const struct run_times *b, size_t pass_count)
{
    return a->end == b->end && memcmp(a->origins, b->origins, pass_count * sizeof *a->origins) == 0;
}

int measured_run_time(const struct passes *passes, const struct passes_result *timed,
                      const struct token_record *record, const struct measure_plan *plan,
                      struct measure_report *report, struct why *why)
{
    struct passes again = {
        .hardware = passes->hardware,
        .platform_file = passes->platform_file,
        .pass_count = passes->pass_count,
        .jobs = passes->jobs,
        .quiet = passes->quiet,
        .measure = plan,
        .measured = report,
        .run_times = &timed->times,
        .query = passes->query,
        .segments = passes->segments,
        .recorded = record,
    };
    struct passes_result result;
    int status = passes_run(&again, &result, why);
    if (status)
        return status;
    if (!are_same(&timed->times, &result.times, passes->pass_count))
        status =
            why_say(why, PASS_EBUG,
                    "the run had other times when it was measured: a bug of Mercury's, please report it");
    passes_result_destroy(&result);
    return status;
}
