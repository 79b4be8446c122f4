/* fuzz_hit_table.c - BLAST's tables: any bytes are hits with ranges and finite numbers, or are refused. */
#include <math.h>

#include "blast/compare/hit_table.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct hit *hit)
{
    fuzz_demand(hit->query && hit->subject && hit->line >= 1);
    fuzz_demand(hit->strand == STRAND_PLUS || hit->strand == STRAND_MINUS);
    fuzz_demand(hit->query_begin < hit->query_end && hit->subject_begin < hit->subject_end);
    fuzz_demand(isfinite(hit->identity) && isfinite(hit->bits) && hit->e_value >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hit_table table = {0};
    struct why why;
    fuzz_succeeded(hit_table_read(fuzz_file(data, size), &table, &why), &why);
    for (size_t i = 0; i < table.count; i++)
        check(&table.hits[i]);
    hit_table_destroy(&table);
    return 0;
}
