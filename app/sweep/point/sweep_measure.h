/* sweep_measure.h - the measures of a point of a sweep, by name.
 *
 * Names     are rows of data/words/sweep_measures.tsv, and carry their unit; sweep_measures_describe() and `mercury
 *           sweep columns` explain them.
 * Formulas  Bloom filter: (1 - (1 - 1/m)^n)^k false positives per w-mer that is not in the segment, with k banks of m
 *           bits and n distinct w-mers (bloom.h); the mean over the passes is weighted with the number of such
 *           w-mers. Tables: a random hash function sends a share of 1 - (1 - 1/S)^(n-1) of n distinct w-mers to
 *           a slot, out of S, that another w-mer also has.
 * Limits    utilisations are work over capacity: the share of time that a resource would be busy if nothing ever held
 *           it. The bottleneck is the resource with the highest one (Denning and Buzen 1978: it bounds throughput).
 * Times     what the host, the bus and the board do is related to the time in which passes stream; what stage 3 and its
 *           inbox do, to the whole run, since the cores work on several passes at a time.
 * Theory    the columns M/M/1/K and M/M/1/K (Dor) of the table that ends a run (validation.h).
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "sim/pass/pass_simulation.h"

enum { SWEEP_MEASURES_MAX = 128 };

enum sweep_measure_kind { MEASURE_NUMBER, MEASURE_WHOLE, MEASURE_TEXT };

struct sweep_measure {
    const char *name;
    const char *unit; /* "1" for a share, "" for a text or a plain ratio */
    const char *meaning;
    enum sweep_measure_kind kind;
    double number; /* of a whole one, too, which is below 2^53; NaN if the point has no such number */
    const char *text;
};

struct sweep_measures {
    struct sweep_measure items[SWEEP_MEASURES_MAX];
    unsigned count;
};

struct sweep_facts {
    const struct hardware *hardware;
    const struct frame *run; /* sum over the passes, with times of machine_frame_end_run() and stitching */
    const struct pass_result *passes; /* their frames, complete, and their tables */
    size_t pass_count;
};

/** Compute all measures of a point: always the same names in the same order. */
void sweep_measures_make(const struct sweep_facts *facts, struct sweep_measures *out);

/** Find a measure by its name. @return NULL if no measure has it */
const struct sweep_measure *sweep_measures_find(const struct sweep_measures *measures, const char *name);

/** Write name and meaning of every measure: a TSV with a header line. */
void sweep_measures_describe(FILE *out);

/** The measures of a run of nothing: names, units and meanings are those of every point. */
extern const struct sweep_measures sweep_measures_of_nothing;
