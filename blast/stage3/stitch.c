#include "blast/stage3/stitch.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

/* Pieces by strand, the best first. */
static int compare_pieces(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    return ORDER_BY({a->strand, b->strand}, {b->score, a->score}, {a->database_begin, b->database_begin},
                    {a->query_begin, b->query_begin});
}

/* Move the alignments that were cut off out of the list. */
static void take_pieces(struct alignment_list *list, struct alignment_list *pieces)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].cut_off)
            list->items[count++] = list->items[i];
        else
            alignment_list_append(pieces, &list->items[i]);
    }
    list->count = count;
    if (pieces->count > 0)
        qsort(pieces->items, pieces->count, sizeof *pieces->items, compare_pieces);
}

/* Extend a piece from the HSP by which it was found, which leads the same way again, and then from its middle, in case
 * the first extension ended on another alignment. What is too weak for an alignment leaves the piece as it was. */
static void follow_piece(struct stage3 *stage3, const struct alignment *piece,
                         const struct alignment_list *list, struct stitch_work *work)
{
    for (int i = 0; i < ALIGNMENT_SEEDS; i++) {
        struct stage3_work hsp;
        uint64_t cells;
        const size_t before = list->count;
        stage3_extend(stage3, piece->seeds[i].query, piece->seeds[i].database, &hsp);
        stage3_flush(stage3, &cells);
        if (hsp.cells + cells == 0)
            continue;
        const struct alignment *found = list->count > before ? &list->items[list->count - 1] : piece;
        work->cells[work->count] = hsp.cells + cells;
        work->reaches[work->count++] =
            (struct stitch_reach){found->query_begin, found->query_end, found->strand};
    }
}

/* Follow pieces that are all of one strand. */
static void follow_pieces(const struct alignment *pieces, size_t count, const struct stage3_query *query,
                          struct alignment_list *list, struct stitch_work *work)
{
    struct stage3_pass pass = stage3_pass_whole(query, (enum strand)pieces->strand);
    pass.any_order = true;
    pass.least.identity = 0; /* or a piece would seem to be too weak to be followed */
    struct stage3 *stage3 = stage3_new(&pass, list);
    for (size_t i = 0; i < count; i++) {
        const struct alignment_seed middle = pieces[i].seeds[ALIGNMENT_MIDDLE];
        follow_piece(stage3, &pieces[i], list, work);
        if (!stage3_contains(stage3, middle.query, middle.database)) /* it was too weak */
            alignment_list_append(list, &pieces[i]);
    }
    stage3_destroy(stage3);
}

static void follow_all(const struct alignment_list *pieces, const struct stage3_query *query,
                       struct alignment_list *list, struct stitch_work *work)
{
    for (size_t begin = 0, end; begin < pieces->count; begin = end) {
        int32_t strand = pieces->items[begin].strand;
        for (end = begin; end < pieces->count && pieces->items[end].strand == strand;)
            end++;
        follow_pieces(pieces->items + begin, end - begin, query, list, work);
    }
}

void stitch_work_destroy(struct stitch_work *work)
{
    free(work->cells);
    free(work->reaches);
    *work = (struct stitch_work){0};
}

void stitch_alignments(struct alignment_list *list, const struct stage3_query *query,
                       struct stitch_work *work)
{
    auto_by(alignment_list_destroy) struct alignment_list pieces = {0};
    *work = (struct stitch_work){0};
    take_pieces(list, &pieces);
    if (pieces.count > 0) {
        work->cells = memory_take(pieces.count * ALIGNMENT_SEEDS * sizeof *work->cells);
        work->reaches = memory_take(pieces.count * ALIGNMENT_SEEDS * sizeof *work->reaches);
        follow_all(&pieces, query, list, work);
    }
}
