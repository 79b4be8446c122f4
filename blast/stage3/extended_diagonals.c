#include "blast/stage3/extended_diagonals.h"

#include <stdlib.h>

#include "base/memory.h"

void extended_diagonals_new(struct extended_diagonals *x, uint64_t query_begin, uint64_t query_end)
{
    uint64_t size = 1;
    while (size < query_end - query_begin)
        size *= 2;
    *x = (struct extended_diagonals){
        .ends = memory_new(size, sizeof *x->ends), .mask = size - 1, .query_end = query_end};
}

void extended_diagonals_destroy(struct extended_diagonals *x)
{
    free(x->ends);
    x->ends = NULL;
}

void extended_diagonals_move(struct extended_diagonals *x, uint64_t database)
{
    uint64_t distance = database - x->origin;
    for (uint64_t i = 0; i <= x->mask; i++)
        x->ends[i] = x->ends[i] > distance ? (uint32_t)(x->ends[i] - distance) : 0;
    x->origin = database;
}
