/* fuzz_directive.c - libFuzzer's way into the parser of directives: any bytes are a list within its limits, or a
 * refusal of one line. Built with clang -fsanitize=fuzzer,address,undefined; tests/fuzz/run.sh runs it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/directive.h"
#include "sim/measure/machine_taps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

static void check_directive(const struct directive *d)
{
    const struct catalogue *c = &machine_catalogue;
    demand(d->metric < c->metric_count && d->tap < c->tap_count && d->to < c->tap_count);
    demand(d->aggregates != 0 && (d->aggregates & ~c->metrics[d->metric].aggregates) == 0);
    demand(d->tap != d->to || catalogue_offers(c, d->tap, d->metric));
    demand(!(d->aggregates & AGGREGATE_HISTOGRAM) ||
           (d->bins.count >= 1 && d->bins.count <= DIRECTIVE_BINS_MAX));
    demand(!(d->aggregates & AGGREGATE_QUANTILE) || (d->quantile_count >= 1 && d->quantile_error > 0));
    for (unsigned i = 0; i < d->quantile_count; i++)
        demand(d->quantiles[i] >= 0 && d->quantiles[i] <= 1);
    demand(d->frame.kind != FRAME_SECONDS || (isfinite(d->frame.seconds) && d->frame.seconds > 0));
    demand(d->frame.kind <= FRAME_SECONDS || d->frame.amount >= 1);
    demand(d->frame.tap < c->tap_count && d->line >= 1);
    demand(strlen(d->name) > 0 && strlen(d->name) < DIRECTIVE_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct directives list;
    struct why why = {""};
    char *text = malloc(size ? size : 1); /* its end is watched */
    demand(text != NULL);
    memcpy(text, data, size);
    int status = directives_parse(text, size, "fuzz", &machine_catalogue, &list, &why);
    demand(status == 0 ||
           (status == DIRECTIVE_EREFUSED && list.count == 0 && strncmp(why.line, "fuzz:", 5) == 0));
    demand(status != 0 || (list.count >= 1 && list.count <= DIRECTIVES_MAX));
    demand(strchr(why.line, '\n') == NULL);
    for (size_t i = 0; i < list.count; i++)
        check_directive(&list.items[i]);
    directives_destroy(&list);
    free(text);
    return 0;
}
