/* frame_record.h - what a pass's process tells the run of its measurements: a record a frame, then one of each
 * measurement's pass.
 *
 * Format    a stream of structs and arrays, read by the process that started the writer, from the same program.
 * Memory    nothing here; records hold what directives ask for, bins that are empty left out.
 */
#ifndef MERCURY_SIM_MEASURE_FRAME_RECORD_H
#define MERCURY_SIM_MEASURE_FRAME_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/measure/measure_plan.h"

/** A fraction: factor x part / whole, NaN where there is no whole. */
struct fraction {
    uint64_t part, whole;
};

/** What a measurement saw in a frame, or in a pass. */
struct measured {
    struct aggregate aggregate;
    struct fraction fraction;
};

struct frame_head {
    uint32_t measurement;
    bool is_pass; /* the sum over a pass's frames; its values are whole numbers to be added up */
    bool partial;
    uint64_t frame; /* of the pass, from 1 */
    int64_t begin;  /* clocks since the pass's first */
    uint64_t clocks;
};

bool measured_init(struct measured *measured, const struct measurement *measurement);
void measured_destroy(struct measured *measured);
void measured_clear(struct measured *measured);
void measured_add(struct measured *sum, const struct measured *part);

/** Weight of what was seen: clocks or samples. */
uint64_t measured_weight(const struct measurement *measurement, const struct measured *measured);

/** Values in the order of measured_value_names(); the first is what series are made of: the mean. */
enum { MEASURED_VALUES_MAX = 4 + DIRECTIVE_QUANTILES_MAX };
unsigned measured_values(const struct measurement *measurement, const struct measured *measured,
                         double *values);

/** Name of a value: mean, min, max, deviation, quantile(0.5) ... */
void measured_value_name(const struct measurement *measurement, unsigned index, char *name, size_t size);

/* @return false when the file cannot be written, or is not what it should be */
bool frame_record_write(FILE *file, const struct frame_head *head, const struct measured *measured);

/** Read a head; false at the end. */
bool frame_record_read_head(FILE *file, struct frame_head *head);

/** Read what follows; `measured` must have been made for the measurement, and is overwritten. */
bool frame_record_read(FILE *file, struct measured *measured);

#endif
