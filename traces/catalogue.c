#include "traces/catalogue.h"

const char *const catalogue_aggregates[] = {"mean", "min", "max", "deviation", "histogram", "quantile", NULL};

int catalogue_write_text(const struct catalogue *catalogue, FILE *out)
{
    fprintf(out, "taps, and the metrics each offers:\n");
    for (size_t tap = 0; tap < catalogue->tap_count; tap++) {
        const struct tap_spec *spec = &catalogue->taps[tap];
        fprintf(out, "  %-14s %-9s ", spec->name, spec->element);
        if (spec->element_bytes > 0)
            fprintf(out, "(%u bytes) ", spec->element_bytes);
        fprintf(out, "%s\n  %-14s offers", spec->meaning, "");
        for (size_t i = 0; i < catalogue->metric_count; i++)
            if (catalogue_offers(catalogue, tap, i))
                fprintf(out, " %s", catalogue->metrics[i].name);
        fputc('\n', out);
    }
    fprintf(out, "\na span goes from one of these taps to a later one:\n ");
    for (size_t i = 0; i < catalogue->tap_count; i++)
        if (catalogue->taps[i].has_spans)
            fprintf(out, " %s", catalogue->taps[i].name);
    fprintf(out, "\n\nmetrics, and the aggregates that make sense:\n");
    for (size_t metric = 0; metric < catalogue->metric_count; metric++) {
        const struct metric_spec *spec = &catalogue->metrics[metric];
        fprintf(out, "  %-18s in %-10s %s\n  %-18s as", spec->name, spec->unit, spec->meaning, "");
        for (unsigned i = 0; catalogue_aggregates[i]; i++)
            if (spec->aggregates >> i & 1)
                fprintf(out, " %s", catalogue_aggregates[i]);
        fprintf(out, "%s\n", spec->spans ? "; at one tap, or from one to another" : "");
    }
    return ferror(out) ? -1 : 0;
}
