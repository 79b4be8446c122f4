/* fuzz_pass_store.c - passes of an unfinished run with right checksums: each is read, or is refused. */
#include <stdlib.h>

#include "sim/pass/pass_store.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/records.h"

enum { PASSES_MOST = 1 << 20 };

static void read_passes(struct pass_store *store)
{
    struct why why;
    uint64_t passes = pass_store_run(store)->passes;
    for (size_t i = 0; i < passes; i++) {
        struct pass_report *report = NULL;
        if (pass_store_has(store, i) && fuzz_succeeded(pass_store_read(store, i, &report, &why), &why)) {
            fuzz_demand(report->job.pass == i);
            pass_report_destroy(report);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pass_store *store = NULL;
    struct why why;
    uint8_t *bytes = fuzz_copy(data, size);
    pass_store_seal(bytes, size);
    if (fuzz_succeeded(pass_store_open(fuzz_file(bytes, size), &store, &why), &why) &&
        pass_store_run(store)->passes <= PASSES_MOST &&
        fuzz_succeeded(pass_store_find_passes(store, &why), &why))
        read_passes(store);
    pass_store_close(store);
    free(bytes);
    return 0;
}
