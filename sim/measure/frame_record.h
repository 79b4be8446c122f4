/* frame_record.h - what the process of a pass tells the run of its measurements: a frame record for each frame, then
 * one for the whole pass of each measurement.
 *
 * Format    a stream of structs and arrays, read by the process that started the writer, from the same program.
 * Memory    none here; frame records hold what directives ask for, without empty bins.
 */
#ifndef MERCURY_SIM_MEASURE_FRAME_RECORD_H
#define MERCURY_SIM_MEASURE_FRAME_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sim/measure/measure_plan.h"

/** A fraction: factor x part / whole; NaN if whole is 0. */
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
    bool is_pass;   /* this is the sum over the frames of a pass */
    bool partial;   /* the pass ended before the frame did */
    uint64_t frame; /* number of the frame in the pass, from 1 */
    int64_t begin;  /* clock of the pass in which it began */
    uint64_t clocks;
};

bool measured_init(struct measured *measured, const struct measurement *measurement);
void measured_destroy(struct measured *measured);
void measured_clear(struct measured *measured);
void measured_add(struct measured *sum, const struct measured *part);

/** Weight of what was seen: its number of clocks or of samples. */
uint64_t measured_weight(const struct measurement *measurement, const struct measured *measured);

/** The values of a measurement, named by measured_value_name(); the first, of which series are made, is the mean. */
enum { MEASURED_VALUES_MAX = 4 + DIRECTIVE_QUANTILES_MAX };
unsigned measured_values(const struct measurement *measurement, const struct measured *measured,
                         double *values);

/** Write the name of a value: mean, min, max, deviation, quantile(0.5) ... */
void measured_value_name(const struct measurement *measurement, unsigned index, char *name, size_t size);

/** Write a frame record. @return false if writing fails */
bool frame_record_write(FILE *file, const struct frame_head *head, const struct measured *measured);

/** Write another part of a fraction into the frame record that was written at a place of the file, which stays where it
 *  is. @return false if writing fails */
bool frame_record_change_part(FILE *file, off_t at, uint64_t part);

/** Read the head of the next frame record. @return false at the end of the file */
bool frame_record_read_head(FILE *file, struct frame_head *head);

/** Read what follows the head. `measured` must have been made for the measurement and is overwritten.
 *  @return false if the file is not what it should be */
bool frame_record_read(FILE *file, struct measured *measured);

#endif
