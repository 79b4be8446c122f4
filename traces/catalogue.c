#include "traces/catalogue.h"

const char *const catalogue_aggregates[] = {"mean", "min", "max", "deviation", "histogram", "quantile", NULL};

static void write_tap(const struct catalogue *catalogue, size_t tap, FILE *out)
{
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

static void write_metric(const struct metric_spec *spec, FILE *out)
{
    fprintf(out, "  %-18s in %-10s %s\n  %-18s as", spec->name, spec->unit, spec->meaning, "");
    for (unsigned i = 0; catalogue_aggregates[i]; i++)
        if (spec->aggregates >> i & 1)
            fprintf(out, " %s", catalogue_aggregates[i]);
    fprintf(out, "%s\n", spec->spans ? "; at one tap, or from one to another" : "");
}

/* Write the taps where spans begin and end, in the order of the pipeline. */
static void write_spans(const struct catalogue *catalogue, FILE *out)
{
    fprintf(out, "\na span goes from one of these taps to a later one:\n ");
    for (size_t i = 0; i < catalogue->tap_count; i++)
        if (catalogue->taps[i].has_spans)
            fprintf(out, " %s", catalogue->taps[i].name);
    fputc('\n', out);
}

int catalogue_write_text(const struct catalogue *catalogue, FILE *out)
{
    fprintf(out, "taps, and the metrics each offers:\n");
    for (size_t i = 0; i < catalogue->tap_count; i++)
        write_tap(catalogue, i, out);
    write_spans(catalogue, out);
    fprintf(out, "\nmetrics, and the aggregates that make sense:\n");
    for (size_t i = 0; i < catalogue->metric_count; i++)
        write_metric(&catalogue->metrics[i], out);
    return ferror(out) ? -1 : 0;
}
