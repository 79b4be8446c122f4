#include "blast/stage3/extent.h"

#include <stdlib.h>

#include "base/memory.h"
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

int extent_compare(const void *left, const void *right)
{
    const struct gapped_extent *a = left, *b = right;
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

/* --- sets ------------------------------------------------------------------------------------------------ */

/* BUCKET_DIAGONALS neighbouring diagonals share a bucket. */
enum { BUCKET_DIAGONALS = 64, BUCKETS_AT_FIRST = 64 };

_Static_assert((int)BUCKET_DIAGONALS >= (int)EXTENT_DIAGONALS_CLOSE,
               "close diagonals lie in one bucket and its two neighbours");

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b + UINT64_C(0x7f4a7c15f39cc060));
    mixed *= UINT64_C(0xd6e8feb86659fd93);
    return mixed ^ mixed >> 32;
}

static uint64_t diagonal(uint64_t query, uint64_t database)
{
    return (database - query + (UINT64_C(1) << 62)) / BUCKET_DIAGONALS;
}

static uint64_t key_of(const struct gapped_extent *e, enum extent_key key)
{
    switch (key) {
    case EXTENT_BEGIN:
        return mix(e->query_begin, e->database_begin);
    case EXTENT_END:
        return mix(e->query_end, e->database_end);
    case EXTENT_BEGIN_DIAGONAL:
        return mix(diagonal(e->query_begin, e->database_begin), 0);
    default:
        return mix(diagonal(e->query_end, e->database_end), 0);
    }
}

static uint32_t *bucket_of(const struct extent_set *set, enum extent_key key, uint64_t hash)
{
    return &set->buckets[(uint32_t)key * set->bucket_count + (uint32_t)(hash & (set->bucket_count - 1))];
}

static void link_item(struct extent_set *set, uint32_t number)
{
    struct extent_set_item *item = &set->items[number];
    for (enum extent_key key = 0; key < EXTENT_KEYS; key++) {
        uint32_t *bucket = bucket_of(set, key, key_of(&item->extent, key));
        item->next[key] = *bucket;
        *bucket = number + 1;
    }
}

static void unlink_item(struct extent_set *set, uint32_t number)
{
    const struct extent_set_item *item = &set->items[number];
    for (enum extent_key key = 0; key < EXTENT_KEYS; key++) {
        uint32_t *link = bucket_of(set, key, key_of(&item->extent, key));
        while (*link != number + 1)
            link = &set->items[*link - 1].next[key];
        *link = item->next[key];
    }
}

static void grow(struct extent_set *set)
{
    uint32_t room = set->room > 0 ? 2 * set->room : BUCKETS_AT_FIRST;
    set->items = memory_grow(set->items, room * sizeof *set->items);
    free(set->buckets);
    set->buckets = memory_new((size_t)EXTENT_KEYS * room, sizeof *set->buckets);
    set->bucket_count = set->room = room;
    for (uint32_t i = 0; i < set->count; i++)
        link_item(set, i);
}

static bool is_mate(const struct extent_set_item *item, const struct gapped_extent *e, enum extent_key key)
{
    return !item->hidden && (key == EXTENT_BEGIN ? extents_begin_together(&item->extent, e)
                                                 : extents_end_together(&item->extent, e));
}

/* The box that is not hidden and begins (or ends) where this one does. There is one at most: of two, one would be
 * hidden. */
static struct extent_set_item *find_mate(const struct extent_set *set, const struct gapped_extent *e,
                                         enum extent_key key)
{
    for (uint32_t i = *bucket_of(set, key, key_of(e, key)); i > 0; i = set->items[i - 1].next[key])
        if (is_mate(&set->items[i - 1], e, key))
            return &set->items[i - 1];
    return NULL;
}

/* Hide the worse one of two boxes that begin or end together. @return whether it is the new one */
static bool hide_one(struct extent_set_item *mate, const struct gapped_extent *new)
{
    if (!mate || mate->hidden)
        return false;
    if (extent_hides(&mate->extent, new))
        return true;
    mate->hidden = true;
    return false;
}

static bool is_hidden(struct extent_set *set, const struct gapped_extent *new)
{
    struct extent_set_item *first = find_mate(set, new, EXTENT_BEGIN),
                           *second = find_mate(set, new, EXTENT_END);
    if (first && second && second < first) {
        struct extent_set_item *swap = first;
        first = second;
        second = swap;
    }
    return hide_one(first, new) || hide_one(second, new);
}

void extent_set_add(struct extent_set *set, const struct gapped_extent *extent, bool hidden)
{
    if (set->count == set->room)
        grow(set);
    set->items[set->count] =
        (struct extent_set_item){.extent = *extent, .hidden = hidden || is_hidden(set, extent)};
    link_item(set, set->count++);
}

void extent_set_remove(struct extent_set *set, uint32_t number)
{
    const uint32_t last = --set->count;
    unlink_item(set, number);
    if (number == last)
        return;
    unlink_item(set, last);
    set->items[number] = set->items[last];
    link_item(set, number);
}

/* Whether a box in the buckets of close diagonals encloses this one. */
static bool encloses_near(const struct extent_set *set, const struct gapped_extent *e, uint64_t query,
                          uint64_t database, enum extent_key key)
{
    uint64_t first = diagonal(query, database - EXTENT_DIAGONALS_CLOSE);
    uint64_t last = diagonal(query, database + EXTENT_DIAGONALS_CLOSE);
    for (uint64_t near = first; near <= last; near++) {
        uint32_t i = *bucket_of(set, key, mix(near, 0));
        for (; i > 0; i = set->items[i - 1].next[key])
            if (!set->items[i - 1].hidden && extent_encloses(&set->items[i - 1].extent, e))
                return true;
    }
    return false;
}

bool extent_set_encloses(const struct extent_set *set, const struct gapped_extent *extent)
{
    return set->count > 0 &&
           (encloses_near(set, extent, extent->query_begin, extent->database_begin, EXTENT_BEGIN_DIAGONAL) ||
            encloses_near(set, extent, extent->query_end, extent->database_end, EXTENT_END_DIAGONAL));
}

/* Only the buckets in use are cleared: a set that was large once is cleared thousands of times. */
void extent_set_clear(struct extent_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        for (enum extent_key key = 0; key < EXTENT_KEYS; key++)
            *bucket_of(set, key, key_of(&set->items[i].extent, key)) = 0;
    set->count = 0;
}

void extent_set_destroy(struct extent_set *set)
{
    free(set->items);
    free(set->buckets);
    *set = (struct extent_set){0};
}
