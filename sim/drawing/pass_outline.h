/* pass_outline.h - what a timeline shows of every pass of a run: its blocks on the bus, and when its stages were busy,
 * as finely as the file has room for.
 *
 * Steps     of a number of clocks, from clock 0 of the pass on (busy_steps.h): a track is a stage.
 * Blocks    so many consecutive blocks are one, from the begin of the first until the bus is free after the last.
 * Size      each pass has the same share of the file's cap. Steps and blocks begin single, and are joined two by two
 *           whenever the share is full. So the result depends neither on what comes first nor on other passes, and
 *           outlines of a run become equally fine without loss (pass_outline_coarsen()).
 * Memory    32 bytes a step and 24 a block, within the share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/board/board_fifos.h"
#include "sim/drawing/busy_steps.h"

/** How fine an outline is: both are powers of two, given by their logarithms. */
struct outline_grain {
    unsigned step;   /* of the number of clocks in a step */
    unsigned blocks; /* of the number of blocks that are one */
};

/** Blocks on the bus, one after the other. */
struct outline_blocks {
    uint64_t begin_ps, end_ps; /* since clock 0 of the pass */
    uint64_t bytes;
};

struct pass_outline {
    struct busy_steps busy; /* in clocks; a track is an enum board_stage */
    unsigned block_grain;   /* logarithm of the number of blocks that are one */
    struct outline_blocks *blocks;
    size_t block_count, block_room, blocks_most; /* of the elements of `blocks` */
    uint64_t blocks_added;
};

/** Start an outline.
 *
 * @param bytes_max   cap of the file, of which all outlines take up to 3/16
 * @param pass_count  number of outlines that share it, >= 1
 */
void pass_outline_init(struct pass_outline *outline, uint64_t bytes_max, size_t pass_count);
void pass_outline_destroy(struct pass_outline *outline);

/** The next block was on the bus. */
void pass_outline_add_block(struct pass_outline *outline, const struct outline_blocks *block);

struct outline_grain pass_outline_grain(const struct pass_outline *outline);

/** Make an outline coarser; one that is coarser already stays as it is. */
void pass_outline_coarsen(struct pass_outline *outline, struct outline_grain grain);

/** Write an outline for a process of the same build. */
bool pass_outline_write(const struct pass_outline *outline, FILE *out);

/** Read what pass_outline_write() wrote. @return false, and an empty outline, if the file ends too early */
bool pass_outline_read(struct pass_outline *outline, FILE *in);
