#include "blast/stage3/extent.h"

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int extents_begin_together(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return a->query_begin == b->query_begin && a->database_begin == b->database_begin;
}

int extents_end_together(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return a->query_end == b->query_end && a->database_end == b->database_end;
}

int extent_hides(const struct gapped_extent *a, const struct gapped_extent *b)
{
    uint64_t length_a = a->query_end - a->query_begin, length_b = b->query_end - b->query_begin;

    if (!extents_begin_together(a, b) && !extents_end_together(a, b))
        return 0;
    if (a->score != b->score)
        return a->score > b->score;
    return length_a != length_b ? length_a < length_b
                                : a->database_end - a->database_begin <= b->database_end - b->database_begin;
}

int extent_encloses(const struct gapped_extent *a, const struct gapped_extent *b)
{
    const struct alignment_box outer = {a->query_begin, a->query_end, a->database_begin, a->database_end};
    const struct alignment_box inner = {b->query_begin, b->query_end, b->database_begin, b->database_end};

    return b->score <= a->score && alignment_box_encloses(&outer, &inner);
}

int extent_compare(const struct gapped_extent *a, const struct gapped_extent *b)
{
    int order = (a->score < b->score) - (a->score > b->score);

    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    if (order == 0)
        order = compare_u64(b->database_end, a->database_end);
    if (order == 0)
        order = compare_u64(a->query_begin, b->query_begin);
    return order != 0 ? order : compare_u64(b->query_end, a->query_end);
}

int extent_compare_begins(const struct gapped_extent *a, const struct gapped_extent *b)
{
    int order = compare_u64(a->query_begin, b->query_begin);

    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    if (order == 0)
        order = (a->score < b->score) - (a->score > b->score);
    if (order == 0)
        order = compare_u64(b->query_end, a->query_end);
    return order != 0 ? order : compare_u64(b->database_end, a->database_end);
}

int extent_compare_ends(const struct gapped_extent *a, const struct gapped_extent *b)
{
    int order = compare_u64(a->query_end, b->query_end);

    if (order == 0)
        order = compare_u64(a->database_end, b->database_end);
    if (order == 0)
        order = (a->score < b->score) - (a->score > b->score);
    if (order == 0)
        order = compare_u64(b->query_begin, a->query_begin);
    return order != 0 ? order : compare_u64(b->database_begin, a->database_begin);
}
