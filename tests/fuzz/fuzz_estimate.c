/* fuzz_estimate.c - texts of an estimate: any bytes are a machine and a script whose time is a number, or are
 * refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/estimate/estimate_arithmetic.h"
#include "tests/fuzz/fuzz.h"

enum { ROUNDS_MOST = 1000 };

static void check_text(const struct estimate_text *t)
{
    fuzz_demand(t->nodeset_count <= ESTIMATE_NODESETS_MAX && t->linkset_count <= ESTIMATE_LINKSETS_MAX);
    fuzz_demand(t->dataset_count <= ESTIMATE_DATASETS_MAX && t->statement_count <= ESTIMATE_STATEMENTS_MAX);
    for (unsigned i = 0; i < t->nodeset_count; i++)
        fuzz_demand(t->nodesets[i].number >= 1 && t->nodesets[i].number <= ESTIMATE_MEMBERS_MAX);
    for (unsigned i = 0; i < t->statement_count; i++)
        fuzz_demand(t->statements[i].verb != ESTIMATE_REPEAT ||
                    (t->statements[i].end > i + 1 && t->statements[i].end <= t->statement_count));
}

/* Number of rounds of all repeats, as if they were in each other. */
static double count_rounds(const struct estimate_program *p)
{
    double rounds = 1;
    for (unsigned i = 0; i < p->item_count; i++)
        rounds *= p->items[i].kind == ESTIMATE_ITEM_REPEAT ? p->items[i].rounds : 1;
    return rounds;
}

static void check_program(const struct estimate_text *t, uint32_t nodes)
{
    static struct estimate_program program;
    struct estimate_result result;
    struct why why;
    if (!fuzz_succeeded(estimate_program_make(t, nodes, &program, &why), &why))
        return;
    fuzz_succeeded(estimate_execution_check(&program, &why), &why);
    if (count_rounds(&program) > ROUNDS_MOST)
        return;
    estimate_arithmetic(&program, &result);
    fuzz_demand(isfinite(result.time_s) && result.time_s >= 0);
    struct estimate_limits limits;
    estimate_limits(&program, &result, &limits);
    fuzz_demand(limits.busy_s >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct estimate_text t;
    struct why why;
    char *text = fuzz_text(data, size);
    memset(&t, 0, sizeof t);
    if (fuzz_succeeded(estimate_text_parse(&t, text, size, "fuzz", NULL, &why), &why)) {
        check_text(&t);
        check_program(&t, 0);
        check_program(&t, 3);
    } else {
        fuzz_demand(strncmp(why.line, "fuzz:", 5) == 0 && !strchr(why.line, '\n'));
    }
    estimate_text_release(&t);
    free(text);
    return 0;
}
