#include "traces/catalogue.h"

#include <string.h>

#include "base/nearest.h"

static const struct {
    unsigned kind;
    const char *name;
} aggregates[] = {
    {AGGREGATE_MEAN, "mean"},
    {AGGREGATE_MIN, "min"},
    {AGGREGATE_MAX, "max"},
    {AGGREGATE_DEVIATION, "deviation"},
    {AGGREGATE_HISTOGRAM, "histogram"},
    {AGGREGATE_QUANTILE, "quantile"},
};

enum { KINDS = sizeof aggregates / sizeof aggregates[0] };

static bool is_name(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

int catalogue_find_metric(const struct catalogue *catalogue, const char *name, size_t length)
{
    for (size_t i = 0; i < catalogue->metric_count; i++)
        if (is_name(catalogue->metrics[i].name, name, length))
            return (int)i;
    return -1;
}

int catalogue_find_tap(const struct catalogue *catalogue, const char *name, size_t length)
{
    for (size_t i = 0; i < catalogue->tap_count; i++)
        if (is_name(catalogue->taps[i].name, name, length))
            return (int)i;
    return -1;
}

const char *catalogue_nearest_metric(const struct catalogue *catalogue, const char *name, size_t length)
{
    struct nearest search = {.wanted = name, .length = length};
    for (size_t i = 0; i < catalogue->metric_count; i++)
        nearest_look_at(&search, catalogue->metrics[i].name);
    return search.name;
}

const char *catalogue_nearest_tap(const struct catalogue *catalogue, const char *name, size_t length,
                                  int metric)
{
    struct nearest search = {.wanted = name, .length = length};
    for (size_t i = 0; i < catalogue->tap_count; i++)
        if (metric < 0 || catalogue_offers(catalogue, i, (size_t)metric))
            nearest_look_at(&search, catalogue->taps[i].name);
    return search.name;
}

const char *catalogue_aggregate_name(unsigned kind)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (aggregates[i].kind == kind)
            return aggregates[i].name;
    return NULL;
}

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
    for (unsigned i = 0; i < KINDS; i++)
        if (spec->aggregates & aggregates[i].kind)
            fprintf(out, " %s", aggregates[i].name);
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
