/* chain_predict.h - what queueing theory says of a designer's chain: every stage by the models of its kind
 * (pipeline.h), and by the tandem with blocking if every stage has a bound; the bottleneck, and the next one.
 *
 * Models    pipeline.h. A stage of S servers has S times the rate of one in loads and bottlenecks.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdio.h>

#include "base/draw/result_table.h"
#include "app/chain/chain_file.h"

/** Predict a chain and write the table.
 *
 * @param input_per_s  elements per second that come to the first stage beside its overdrive, >= 0
 */
int chain_predict(const struct chain *chain, double input_per_s, enum result_format format, FILE *out,
                  struct why *why);

/** Make the line of queues that simulates a chain. Its scale is such that the fastest server takes 1.
 *
 * @param line  its stages, rate and scale are set
 */
int chain_line_make(const struct chain *chain, double input_per_s, struct queue_line *line, struct why *why);
