#include "sim/drawing/pass_outline.h"

#include <assert.h>
#include <stdlib.h>

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
        .blocks_most = share_of(bytes_max / BLOCKS_PART, BLOCKS_BYTES, pass_count),
    };
    busy_steps_init(&o->busy, BOARD_STAGES,
                    share_of(bytes_max / BUSY_PART, (uint64_t)BUSY_BYTES * BOARD_STAGES, pass_count), 0);
}

void pass_outline_destroy(struct pass_outline *o)
{
    busy_steps_destroy(&o->busy);
    free(o->blocks);
    *o = (struct pass_outline){0};
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
    o->block_grain++;
}

void pass_outline_add_block(struct pass_outline *o, const struct outline_blocks *block)
{
    while (o->blocks_added >> o->block_grain >= o->blocks_most)
        join_blocks(o);
    const size_t number = (size_t)(o->blocks_added++ >> o->block_grain);
    if (number < o->block_count) {
        o->blocks[number].end_ps = block->end_ps;
        o->blocks[number].bytes += block->bytes;
        return;
    }
    *ARRAY_NEXT(o->blocks, o->block_count, o->block_room) = *block;
}

struct outline_grain pass_outline_grain(const struct pass_outline *o)
{
    return (struct outline_grain){.step = o->busy.step, .blocks = o->block_grain};
}

void pass_outline_coarsen(struct pass_outline *o, struct outline_grain grain)
{
    while (o->busy.step < grain.step)
        busy_steps_join(&o->busy);
    while (o->block_grain < grain.blocks)
        join_blocks(o);
}

/* --- bytes ----------------------------------------------------------------------------------------------- */

bool pass_outline_write(const struct pass_outline *o, FILE *out)
{
    const struct busy_steps *b = &o->busy;
    assert(b->span_count == 0);
    return fwrite(o, sizeof *o, 1, out) == 1 &&
           array_write(b->busy, b->count * b->tracks, sizeof *b->busy, out) &&
           array_write(o->blocks, o->block_count, sizeof *o->blocks, out);
}

bool pass_outline_read(struct pass_outline *o, FILE *in)
{
    struct busy_steps *b = &o->busy;
    bool whole = fread(o, sizeof *o, 1, in) == 1;
    if (!whole)
        *o = (struct pass_outline){0};
    const size_t cells = b->count * b->tracks;
    b->spans = NULL;
    b->span_room = 0;
    b->room = b->count;
    o->block_room = o->block_count;
    b->busy = array_read(cells, sizeof *b->busy, in);
    o->blocks = b->busy ? array_read(o->block_count, sizeof *o->blocks, in) : NULL;
    if (!whole || !o->blocks)
        pass_outline_destroy(o);
    return whole && o->blocks;
}
