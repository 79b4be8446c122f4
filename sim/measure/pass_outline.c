#include "sim/measure/pass_outline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Bytes of a slice in the file, at most as a rule: of a busy stage, and of blocks with their arguments. Of the cap, a
 * BUSY_PART-th is for the one and a BLOCKS_PART-th for the other. Elements of an outline are at most ELEMENTS_MOST. */
enum { BUSY_BYTES = 110, BUSY_PART = 8, BLOCKS_BYTES = 360, BLOCKS_PART = 16, ELEMENTS_MOST = 1 << 20 };

static size_t share_of(uint64_t bytes, uint64_t element_bytes, size_t pass_count)
{
    uint64_t most = bytes / element_bytes / pass_count;
    return most < 1 ? 1 : most < ELEMENTS_MOST ? (size_t)most : ELEMENTS_MOST;
}

void pass_outline_init(struct pass_outline *o, uint64_t bytes_max, size_t pass_count)
{
    assert(pass_count >= 1);
    *o = (struct pass_outline){
        .steps_most = share_of(bytes_max / BUSY_PART, (uint64_t)BUSY_BYTES * BOARD_STAGES, pass_count),
        .blocks_most = share_of(bytes_max / BLOCKS_PART, BLOCKS_BYTES, pass_count),
    };
}

void pass_outline_destroy(struct pass_outline *o)
{
    free(o->busy);
    free(o->blocks);
    *o = (struct pass_outline){0};
}

/* --- steps ----------------------------------------------------------------------------------------------- */

static void join_steps(struct pass_outline *o)
{
    const size_t count = (o->step_count + 1) / 2;
    for (size_t i = 0; i < count; i++)
        for (unsigned stage = 0; stage < BOARD_STAGES; stage++) {
            uint32_t second = 2 * i + 1 < o->step_count ? o->busy[2 * i + 1][stage] : 0;
            o->busy[i][stage] = o->busy[2 * i][stage] + second;
        }
    o->step_count = count;
    o->grain.step++;
}

/* Make sure that there is a step of a clock. */
static bool reach_clock(struct pass_outline *o, int64_t clock)
{
    while ((uint64_t)clock >> o->grain.step >= o->steps_most)
        join_steps(o);
    const size_t count = (size_t)((uint64_t)clock >> o->grain.step) + 1;
    if (count <= o->step_count)
        return true;
    if (!array_reserve(&o->busy, &o->step_room, o->step_count, count - o->step_count, sizeof *o->busy))
        return false;
    memset(o->busy + o->step_count, 0, (count - o->step_count) * sizeof *o->busy);
    o->step_count = count;
    return true;
}

bool pass_outline_add_busy(struct pass_outline *o, enum board_stage stage, int64_t begin, int64_t end)
{
    if (begin >= end)
        return true;
    if ((uint64_t)(end - 1) >> o->grain.step >= o->step_count && !reach_clock(o, end - 1))
        return false;
    while (begin < end) {
        const int64_t step = begin >> o->grain.step, step_end = (step + 1) << o->grain.step;
        const int64_t until = end < step_end ? end : step_end;
        o->busy[step][stage] += (uint32_t)(until - begin);
        begin = until;
    }
    return true;
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

static void join_blocks(struct pass_outline *o)
{
    const size_t count = (o->block_count + 1) / 2;
    for (size_t i = 0; i < count; i++) {
        o->blocks[i] = o->blocks[2 * i];
        if (2 * i + 1 < o->block_count) {
            o->blocks[i].end_ps = o->blocks[2 * i + 1].end_ps;
            o->blocks[i].bytes += o->blocks[2 * i + 1].bytes;
        }
    }
    o->block_count = count;
    o->grain.blocks++;
}

bool pass_outline_add_block(struct pass_outline *o, const struct outline_blocks *block)
{
    while (o->blocks_added >> o->grain.blocks >= o->blocks_most)
        join_blocks(o);
    const size_t number = (size_t)(o->blocks_added++ >> o->grain.blocks);
    if (number < o->block_count) {
        o->blocks[number].end_ps = block->end_ps;
        o->blocks[number].bytes += block->bytes;
        return true;
    }
    if (!array_reserve(&o->blocks, &o->block_room, o->block_count, 1, sizeof *o->blocks))
        return false;
    o->blocks[o->block_count++] = *block;
    return true;
}

void pass_outline_coarsen(struct pass_outline *o, struct outline_grain grain)
{
    while (o->grain.step < grain.step)
        join_steps(o);
    while (o->grain.blocks < grain.blocks)
        join_blocks(o);
}

/* --- bytes ----------------------------------------------------------------------------------------------- */

bool pass_outline_write(const struct pass_outline *o, FILE *out)
{
    return fwrite(o, sizeof *o, 1, out) == 1 && array_write(o->busy, o->step_count, sizeof *o->busy, out) &&
           array_write(o->blocks, o->block_count, sizeof *o->blocks, out);
}

bool pass_outline_read(struct pass_outline *o, FILE *in)
{
    bool whole = fread(o, sizeof *o, 1, in) == 1;
    if (!whole)
        *o = (struct pass_outline){0};
    o->step_room = o->step_count;
    o->block_room = o->block_count;
    o->busy = malloc((o->step_count + 1) * sizeof *o->busy);
    o->blocks = malloc((o->block_count + 1) * sizeof *o->blocks);
    whole = whole && o->busy && o->blocks &&
            fread(o->busy, sizeof *o->busy, o->step_count, in) == o->step_count &&
            fread(o->blocks, sizeof *o->blocks, o->block_count, in) == o->block_count;
    if (!whole)
        pass_outline_destroy(o);
    return whole;
}
