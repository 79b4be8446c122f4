/* sweep_answer.h - what a finished sweep has found, in lines of 80 columns: whether machines do not fit, the best
 * five machines, the knee, and where the bottleneck changes along each number.
 *
 * Best      by the time of the run; of equally quick ones the cheapest (front.h). Of several searches, the best machine
 *           of each.
 * Knee      front.h, as `mercury advise` and the pictures have it.
 * Bottleneck  of the run, not that of the stream: "building" or "tables", for which boards wait, or "stage 3", which
 *           alone works in the end, if one of these phases is longer than streaming; else the resource of the stream
 *           with the highest utilisation (sweep_measure.h).
 * Changes   Machines that differ in one number only are a row; the changes along most rows are said, and how many kinds
 *           of change are not.
 */
#pragma once

#include <stdio.h>

#include "app/sweep/draw/sweep_view.h"

/** What the bottleneck is. */
#define SWEEP_BOTTLENECK_MEANING "longest phase of the run or, of streaming, the busiest resource"

enum { SWEEP_BEST = 5, SWEEP_CHANGES = 14, SWEEP_CHANGE_BYTES = 4096 };

/** What to name as the best machines, the best first. @return their number */
size_t sweep_answer_best(const struct sweep_view *view, size_t rows[SWEEP_BEST]);

/** The knee of the only search, SIZE_MAX if there are several, or if all machines cost the same. */
size_t sweep_answer_knee(const struct sweep_view *view);

const char *sweep_answer_bottleneck(const struct sweep_view *view, size_t row);

/** Say along each number where the bottleneck changes, or that it does not. @return number of lines */
size_t sweep_answer_changes(const struct sweep_view *view, char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES]);

/** Write the answer; of fewer than two machines only what does not fit. */
void sweep_answer_write(const struct sweep_view *view, FILE *out);
