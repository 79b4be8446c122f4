/* fuzz_chain.c - a designer's table of stages: any bytes are a chain that models and simulation take, or are refused.
 * */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/chain/chain_predict.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chain chain;
    struct why why;
    if (!fuzz_succeeded(chain_file_read(fuzz_file(data, size), &chain, &why), &why))
        return 0;
    fuzz_demand(chain.count >= 1 && chain.count <= CHAIN_STAGES_MAX);
    for (size_t i = 0; i < chain.count; i++) {
        const struct queue_line_stage *s = &chain.stages[i];
        fuzz_demand(*s->name && memchr(s->name, '\0', sizeof s->name) != NULL);
        fuzz_demand(s->mu_per_s > 0 && isfinite(s->mu_per_s) && s->servers >= 1);
        fuzz_demand(s->factor > 0 && s->pass_fraction >= 0 && s->pass_fraction <= 1);
    }
    struct queue_line line = queue_line_default();
    FILE *out = fopen("/dev/null", "w");
    fuzz_demand(out != NULL);
    fuzz_succeeded(chain_predict(&chain, 1e6, RESULT_TSV, out, &why), &why);
    if (fuzz_succeeded(chain_line_make(&chain, 1e6, &line, &why), &why))
        fuzz_succeeded(queue_line_check(&line, &why), &why);
    fclose(out);
    chain_file_close(&chain);
    return 0;
}
