/* queue_distances.h - the board's FIFOs of a run beside the distributions that the models expect: tables.
 *
 * Tables    the total variation distance of each model from the histogram of each FIFO; P[N >= n], measured and
 *           expected; as TSV and JSON, every bin of the histograms with what each model expects of it.
 * Models    those of single queues, and the tandem with blocking. `five-stage` is M/M/1/K (Dor) for these FIFOs, and is
 *           left out.
 * Needs     histograms.tsv, and models that have an answer (run_files.h).
 */
#pragma once

#include <stdio.h>

#include "base/draw/result_table.h"
#include "app/report/run_files.h"

enum { QUEUE_DISTANCES_FIFOS = 4, QUEUE_DISTANCES_MODELS = VERDICT_MODELS - 1 };

/** The models, in the order of the tables. */
extern const enum verdict_model queue_distances_models[QUEUE_DISTANCES_MODELS];

/** What a model expects of a FIFO of the run. @param fifo  an enum board_fifo, but not the last
 *  @return whether it has a distribution */
bool queue_distances_find(const struct run_files *run, unsigned fifo, enum verdict_model model,
                          struct queue_distribution *out);

/** Everything; as HTML the distances alone. */
void queue_distances_write(const struct run_files *run, enum result_format format, FILE *out);
