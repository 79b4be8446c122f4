/* stream_stages.h - what host, bus and the stages of the board did while the database streamed.
 *
 * Models    the evidence of a bottleneck (traces/bottleneck.h), from the frame of a run or of a pass: the time for
 *           which each has work, and the time for which another one holds it (run_bottleneck.h).
 * Order     that of enum machine_part.
 */
#pragma once

#include "traces/bottleneck.h"
#include "traces/frame.h"
#include "sim/board/machine_part.h"

enum { STREAM_STAGES = PARTS_OF_STREAM };

void stream_stages_find(const struct frame *frame, const struct hardware *hardware,
                        struct stage_evidence stages[static STREAM_STAGES]);

/** Clocks that 1bd needs for what it did: one per lookup without a trip, and those by which trips hold it. */
double stream_stages_work_1bd(const struct frame *frame, const struct board_rules *board);

/** Clocks that stage 2 needs for what it did: a match takes a clock, and one place of the FIFO for as long as its bases
 *  are fetched, so that a long fetch and few places hold all. */
double stream_stages_work_2(const struct frame *frame, const struct board_rules *board);

/** One stage. @param of  the time of which `active` and `stalled` are parts. @param queue  before it, or NULL */
struct stage_evidence stream_stages_evidence(const char *name, double active, double stalled, double of,
                                             const struct fifo_measure *queue);
