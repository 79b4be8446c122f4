/* fuzz_pass_store.c - passes of an unfinished run with right checksums: each is read and goes through the host, or is
 * refused. */
#include <math.h>
#include <stdlib.h>

#include "sim/host/host_brief.h"
#include "sim/host/host_times.h"
#include "sim/pass/pass_store.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/records.h"

enum { PASSES_MOST = 1 << 20, PASSES_TIMED = 8 };

/* Passes that could be read, in their order. */
struct kept {
    struct pass_report *reports[PASSES_TIMED];
    uint64_t operations[PASSES_TIMED];
    size_t count;
};

static void read_passes(struct pass_store *store, struct kept *kept)
{
    struct why why;
    uint64_t passes = pass_store_run(store)->passes;
    for (size_t i = 0; i < passes; i++) {
        struct pass_report *report = NULL;
        if (!pass_store_has(store, i) || !fuzz_succeeded(pass_store_read(store, i, &report, &why), &why))
            continue;
        fuzz_demand(report->job.pass == i);
        if (kept->count == PASSES_TIMED) {
            pass_report_destroy(report);
            continue;
        }
        kept->operations[kept->count] = report->result.host.build_operations;
        kept->reports[kept->count++] = report;
    }
}

/* The host has the tasks from then on. */
static bool load(void *data, struct host_pass *pass)
{
    const struct kept *kept = data;
    struct host_pass *from = &kept->reports[pass->number]->result.host;
    const size_t number = pass->number;
    *pass = *from;
    pass->number = number;
    from->tasks = (struct stage3_tasks){0};
    return true;
}

static void time_passes(struct kept *kept, uint32_t boards)
{
    struct hardware hardware = hardware_default();
    struct host_schedule_result result;
    hardware.boards = boards;
    struct host_brief *brief = host_brief_new(&hardware, kept->count);
    fuzz_demand(brief != NULL);
    for (size_t i = 0; i < kept->count; i++)
        fuzz_demand(host_brief_add(brief, &kept->reports[i]->result.host) <= 0);
    host_brief_destroy(brief);
    const struct host_schedule run = {.hardware = &hardware,
                                      .pass_count = kept->count,
                                      .build_operations = kept->operations,
                                      .load = load,
                                      .data = kept};
    const int status = host_times_compute(&run, &result);
    fuzz_demand(status <= 0);
    fuzz_demand(status < 0 || (result.end_s >= 0 && isfinite(result.end_s)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pass_store *store = NULL;
    struct kept kept = {.count = 0};
    struct why why;
    uint8_t *bytes = fuzz_copy(data, size);
    pass_store_seal(bytes, size);
    if (fuzz_succeeded(pass_store_open(fuzz_file(bytes, size), &store, &why), &why) &&
        pass_store_run(store)->passes <= PASSES_MOST &&
        fuzz_succeeded(pass_store_find_passes(store, &why), &why))
        read_passes(store, &kept);
    pass_store_close(store);
    if (kept.count > 0)
        time_passes(&kept, 1 + size % 2);
    for (size_t i = 0; i < kept.count; i++)
        pass_report_destroy(kept.reports[i]);
    free(bytes);
    return 0;
}
