/* fuzz_directive.c - directives: any bytes are a list within its limits, or are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/directive/directive.h"
#include "sim/measure/machine_taps.h"
#include "tests/fuzz/fuzz.h"

static void check_directive(const struct directive *d)
{
    const struct catalogue *c = &machine_catalogue;
    fuzz_demand(d->metric < c->metric_count && d->tap < c->tap_count && d->to < c->tap_count);
    fuzz_demand(d->aggregates != 0 && (d->aggregates & ~c->metrics[d->metric].aggregates) == 0);
    fuzz_demand(d->tap != d->to || catalogue_offers(c, d->tap, d->metric));
    fuzz_demand(!(d->aggregates & AGGREGATE_HISTOGRAM) ||
                (d->bins.count >= 1 && d->bins.count <= DIRECTIVE_BINS_MAX));
    fuzz_demand(!(d->aggregates & AGGREGATE_QUANTILE) || (d->quantile_count >= 1 && d->quantile_error > 0));
    for (unsigned i = 0; i < d->quantile_count; i++)
        fuzz_demand(d->quantiles[i] >= 0 && d->quantiles[i] <= 1);
    fuzz_demand(d->frame.kind != FRAME_SECONDS || (isfinite(d->frame.seconds) && d->frame.seconds > 0));
    fuzz_demand(d->frame.kind <= FRAME_SECONDS || d->frame.amount >= 1);
    fuzz_demand(d->frame.tap < c->tap_count && d->line >= 1);
    fuzz_demand(strlen(d->name) > 0 && strlen(d->name) < DIRECTIVE_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct directives list;
    struct why why;
    char *text = fuzz_text(data, size);
    int status = directives_parse(text, size, "fuzz", &machine_catalogue, &list, &why);
    if (fuzz_succeeded(status, &why))
        fuzz_demand(list.count >= 1 && list.count <= DIRECTIVES_MAX);
    else
        fuzz_demand(!strchr(why.line, '\n') && status == DIRECTIVE_EREFUSED && list.count == 0 &&
                    strncmp(why.line, "fuzz:", 5) == 0);
    for (size_t i = 0; i < list.count; i++)
        check_directive(&list.items[i]);
    directives_destroy(&list);
    free(text);
    return 0;
}
