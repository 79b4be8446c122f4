/* catalogue.h - what can be measured where: the names that a file of directives may use.
 *
 * Models    nothing by itself: the owner of a machine fills in two tables, of metrics and of taps, and which metrics
 *           each tap offers (sim/measure/machine_taps.h).
 * Names     consist of lower-case letters, digits and '_'. Pointers are borrowed and must outlive what is parsed with
 *           them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What can be asked of a metric's values in a frame; bits of a set. */
enum aggregate_kind {
    AGGREGATE_MEAN = 1,
    AGGREGATE_MIN = 2,
    AGGREGATE_MAX = 4,
    AGGREGATE_DEVIATION = 8,
    AGGREGATE_HISTOGRAM = 16,
    AGGREGATE_QUANTILE = 32,
    AGGREGATE_ALL = 63,
};

/** The words for them in directives, by the number of the bit; then NULL. */
extern const char *const catalogue_aggregates[];

struct metric_spec {
    const char *name;
    const char *unit; /* of a value: elements, clocks; 1 of a fraction */
    const char *meaning;
    const char *computed; /* how it is computed */
    const char *source;   /* publication that defines it */
    unsigned aggregates;  /* the set of enum aggregate_kind that make sense */
    bool spans;           /* can be measured between two taps */
};

struct tap_spec {
    const char *name;
    const char *element;    /* in the plural, such as words: what data frames count */
    unsigned element_bytes; /* 0 if elements have no size there */
    bool has_spans;         /* spans may begin and end there; taps stand in the order of the pipeline */
    uint64_t metrics;       /* bit i: the tap offers catalogue.metrics[i] */
    const char *meaning;
};

enum { CATALOGUE_NAMES_MAX = 64 }; /* of metrics, and of taps: each has a bit */

struct catalogue {
    const struct metric_spec *metrics;
    size_t metric_count;
    const struct tap_spec *taps;
    size_t tap_count;
};

/** Whether a tap offers a metric. */
static inline bool catalogue_offers(const struct catalogue *catalogue, size_t tap, size_t metric)
{
    return (catalogue->taps[tap].metrics >> metric & 1) != 0;
}

/** Write every tap with its element, metrics and meaning, and every metric with its unit and aggregates.
 *  @return 0, or -1 if writing fails */
int catalogue_write_text(const struct catalogue *catalogue, FILE *out);
