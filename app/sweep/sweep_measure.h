/* sweep_measure.h - what a point of a sweep reports, by name.
 *
 * Names     carry their unit; meanings: sweep_measures_describe(), `mercury sweep columns`.
 * Formulas  Bloom filter: (1 - (1 - 1/m)^n)^k false positives a w-mer that is not in the segment, k banks of m bits and n
 *           distinct w-mers (bloom.h), mean over the passes by such w-mers. Tables: a random function sends a share of
 *           1 - (1 - 1/S)^(n-1) of n distinct w-mers to one of S slots that another one has, too.
 * Limits    utilisations are work over capacity, without waiting: what a resource would be busy with if nothing ever
 *           held it. The bottleneck is the resource with the highest (Denning and Buzen 1978: it bounds throughput).
 * Theory    the M/M/1/K column of the table that ends a run (validation.h).
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_MEASURE_H
#define MERCURY_APP_SWEEP_SWEEP_MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "blast/stages12/sram_table.h"
#include "sim/board/hardware.h"
#include "traces/frame.h"

enum { SWEEP_MEASURES_MAX = 128 };

enum sweep_measure_kind { MEASURE_NUMBER, MEASURE_WHOLE, MEASURE_TEXT };

struct sweep_measure {
    const char *name;
    enum sweep_measure_kind kind;
    double number; /* NaN: there is none */
    uint64_t whole;
    const char *text;
};

struct sweep_measures {
    struct sweep_measure items[SWEEP_MEASURES_MAX];
    unsigned count;
};

struct sweep_facts {
    const struct hardware *hardware;
    const struct frame *run; /* sum over the passes, and joining */
    const struct frame *passes;
    const struct sram_load *loads; /* of every pass's tables */
    size_t pass_count;
};

/** All measures of a point, always the same names in the same order. */
void sweep_measures_make(const struct sweep_facts *facts, struct sweep_measures *out);

/** A measure by name, NULL where there is none. */
const struct sweep_measure *sweep_measures_find(const struct sweep_measures *measures, const char *name);

/** Write name and meaning of every measure: a TSV with a header line. */
void sweep_measures_describe(FILE *out);

size_t sweep_measure_count(void);
const char *sweep_measure_name(size_t index);

#endif
