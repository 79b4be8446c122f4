#include "traces/catalogue.h"

#include <string.h>

#include "base/shown.h"

const char *const catalogue_aggregates[] = {"mean", "min", "max", "deviation", "histogram", "quantile", NULL};

enum { NAMES = 17 }; /* the column after the names of taps */

int catalogue_write_text(const struct catalogue *catalogue, FILE *out)
{
    fprintf(out, "taps, and the metrics each offers:\n");
    for (size_t tap = 0; tap < catalogue->tap_count; tap++) {
        const struct tap_spec *spec = &catalogue->taps[tap];
        char words[512] = "offers";
        int column = fprintf(out, "  %-14s %-9s ", spec->name, spec->element);
        if (spec->element_bytes > 0)
            column += fprintf(out, "(%u bytes) ", spec->element_bytes);
        shown_words(spec->meaning, column, NAMES, out);
        for (size_t i = 0; i < catalogue->metric_count; i++)
            if (catalogue_offers(catalogue, tap, i))
                strcat(strcat(words, " "), catalogue->metrics[i].name);
        shown_words(words, fprintf(out, "%*s", NAMES, ""), NAMES, out);
    }
    char spans[512] = "";
    for (size_t i = 0; i < catalogue->tap_count; i++)
        if (catalogue->taps[i].has_spans)
            strcat(strcat(spans, *spans ? " " : ""), catalogue->taps[i].name);
    fprintf(out, "\na span goes from one of these taps to a later one:\n");
    shown_print(out, "  %s", spans);
    fprintf(out, "\nmetrics, and the aggregates that make sense:\n");
    for (size_t metric = 0; metric < catalogue->metric_count; metric++) {
        const struct metric_spec *spec = &catalogue->metrics[metric];
        shown_words(spec->meaning, fprintf(out, "  %-18s in %-10s ", spec->name, spec->unit), 21, out);
        char words[512] = "as";
        for (unsigned i = 0; catalogue_aggregates[i]; i++)
            if (spec->aggregates >> i & 1)
                strcat(strcat(words, " "), catalogue_aggregates[i]);
        strcat(words, spec->spans ? "; at one tap, or from one to another" : "");
        shown_words(words, fprintf(out, "  %-18s ", ""), 21, out);
    }
    return ferror(out) ? -1 : 0;
}
