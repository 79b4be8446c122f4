#include "blast/stage3/extent.h"

#include "base/order.h"

bool extents_begin_together(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return a->query_begin == b->query_begin && a->database_begin == b->database_begin;
}

bool extents_end_together(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return a->query_end == b->query_end && a->database_end == b->database_end;
}

bool extent_hides(const struct gapped_extent *a, const struct gapped_extent *b)
{
    if (!extents_begin_together(a, b) && !extents_end_together(a, b))
        return false;
    if (a->score != b->score)
        return a->score > b->score;
    uint64_t length_a = a->query_end - a->query_begin, length_b = b->query_end - b->query_begin;
    return length_a != length_b ? length_a < length_b
                                : a->database_end - a->database_begin <= b->database_end - b->database_begin;
}

static bool diagonals_are_close(uint64_t query_a, uint64_t database_a, uint64_t query_b, uint64_t database_b)
{
    int64_t distance = (int64_t)(database_a - query_a) - (int64_t)(database_b - query_b);
    return distance > -EXTENT_DIAGONALS_CLOSE && distance < EXTENT_DIAGONALS_CLOSE;
}

bool extent_encloses(const struct gapped_extent *a, const struct gapped_extent *b)
{
    if (b->score > a->score || b->query_begin < a->query_begin || b->query_end > a->query_end ||
        b->database_begin < a->database_begin || b->database_end > a->database_end)
        return false;
    return diagonals_are_close(a->query_begin, a->database_begin, b->query_begin, b->database_begin) ||
           diagonals_are_close(a->query_end, a->database_end, b->query_end, b->database_end);
}

int extent_compare(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return ORDER_BY({b->score, a->score}, {a->database_begin, b->database_begin},
                    {b->database_end, a->database_end}, {a->query_begin, b->query_begin},
                    {b->query_end, a->query_end});
}

int extent_compare_begins(const void *left, const void *right)
{
    const struct gapped_extent *a = left, *b = right;
    return ORDER_BY({a->query_begin, b->query_begin}, {a->database_begin, b->database_begin},
                    {b->score, a->score}, {b->query_end, a->query_end}, {b->database_end, a->database_end});
}

int extent_compare_ends(const void *left, const void *right)
{
    const struct gapped_extent *a = left, *b = right;
    return ORDER_BY({a->query_end, b->query_end}, {a->database_end, b->database_end}, {b->score, a->score},
                    {b->query_begin, a->query_begin}, {b->database_begin, a->database_begin});
}
