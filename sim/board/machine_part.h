/* machine_part.h - the parts of the machine that can be made free, to see what each costs a run.
 *
 * Models    a run whose machine has one part that takes no time, while all others work as they did. The time that a run
 *           saves so is what the part costs it: the part that costs most limits the run.
 * Stages    1a, 1bp, 1bd and 2: free stages of the board (board.h).
 * Overlap   parts overlap: the bus loads the tables, too, and cores work on alignments. What two parts save together is
 *           not the sum of what each saves.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"

/* The rows of data/words/machine_parts.tsv. */
#include "sim/machine_parts.inc"

#define MACHINE_PART_ID(id, ...)       id
#define MACHINE_PART_OF_STAGE(id, ...) PART_##id

enum machine_part {
    MACHINE_PART_FIRST_ROWS(MACHINE_PART_ID) BOARD_STAGE_ROWS(MACHINE_PART_OF_STAGE),
    PARTS_OF_STREAM, /* number of those so far: host, bus and the stages of the board */
    LAST_OF_STREAM = PARTS_OF_STREAM - 1,
    MACHINE_PART_LAST_ROWS(MACHINE_PART_ID) MACHINE_PARTS
};

struct machine_part_row {
    const char *name;    /* 1bd: as in --free 1bd */
    const char *title;   /* stage 1bd: as a subject that takes the singular */
    const char *stage;   /* that does the part's work, by its name in pictures: 3; NULL if there is none */
    const char *meaning; /* what a machine is without it */
};

extern const struct machine_part_row machine_parts[MACHINE_PARTS];

/** @return the part of this name, or -1: the line has the nearest name */
int machine_part_find(const char *name, struct why *why);

/** Make a part free. The numbers of the machine that are then out of their ranges are not checked again. */
void machine_part_free(struct hardware *hardware, enum machine_part part);

static inline bool machine_part_is_free(const struct hardware *hardware, enum machine_part part)
{
    return (hardware->free_parts >> part & 1) != 0;
}

/** Whether it takes blocks on a board to find what a free part saves; else the tasks of the host do. */
static inline bool machine_part_is_of_stream(enum machine_part part)
{
    return part < PARTS_OF_STREAM;
}
