#include "blast/stage3/stage3_stream.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"

/* --- diagonals ------------------------------------------------------------------------------------------- */

int extended_diagonals_new(struct extended_diagonals *x, uint64_t query_begin, uint64_t query_end)
{
    uint64_t size = 1;
    while (size < query_end - query_begin)
        size *= 2;
    *x = (struct extended_diagonals){
        .ends = calloc(size, sizeof *x->ends), .mask = size - 1, .query_end = query_end};
    return x->ends ? 0 : -1;
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

/* --- segments -------------------------------------------------------------------------------------------- */

bool pending_segments_append(struct pending_segments *list, const struct pending_segment *item)
{
    uint64_t end = item->segment.database + item->segment.length;
    if (!array_reserve(&list->items, &list->room, list->count, 1, sizeof *list->items))
        return false;
    if (list->count == 0 || end > list->reach)
        list->reach = end;
    list->items[list->count++] = *item;
    return true;
}

void pending_segments_destroy(struct pending_segments *list)
{
    free(list->items);
    *list = (struct pending_segments){0};
}

static int compare(const void *left, const void *right)
{
    const struct pending_segment *p = left, *q = right;
    const struct ungapped_segment *a = &p->segment, *b = &q->segment;
    return ORDER_BY({b->score, a->score}, {a->database, b->database}, {b->length, a->length},
                    {a->query, b->query}, {p->origin.database, q->origin.database});
}

void pending_segments_sort(struct pending_segments *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare);
}
