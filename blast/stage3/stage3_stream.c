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

/* Scores from the least one on have a bucket each but for the last one, which has all that are higher. Insertion ends
 * when segments had to move by MOST_STEPS places each on average. */
enum { BUCKETS = 64, MOST_STEPS = 8 };

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
    free(list->sorted);
    *list = (struct pending_segments){0};
}

/* --- order ----------------------------------------------------------------------------------------------- */

static int compare_places(const struct ungapped_segment *a, const struct ungapped_segment *b)
{
    return ORDER_BY({a->database, b->database}, {b->length, a->length}, {a->query, b->query});
}

static int compare(const void *left, const void *right)
{
    const struct ungapped_segment *a = &((const struct pending_segment *)left)->segment,
                                  *b = &((const struct pending_segment *)right)->segment;
    return a->score != b->score ? (a->score < b->score ? 1 : -1) : compare_places(a, b);
}

static void sort_by_comparing(struct pending_segment *items, size_t count)
{
    if (count > 1)
        qsort(items, count, sizeof *items, compare);
}

/* Sort by places, if that takes few steps. @return whether it did; if not, the segments are in some order */
static bool sort_places(struct pending_segment *items, size_t count)
{
    size_t left = MOST_STEPS * count;
    for (size_t i = 1; i < count; i++) {
        size_t to = i;
        if (compare_places(&items[i - 1].segment, &items[i].segment) <= 0)
            continue;
        struct pending_segment item = items[i];
        for (; to > 0 && compare_places(&items[to - 1].segment, &item.segment) > 0; to--)
            items[to] = items[to - 1];
        items[to] = item;
        if (i - to > left)
            return false;
        left -= i - to;
    }
    return true;
}

static size_t bucket_of(const struct pending_segment *item, int least)
{
    return item->segment.score - least < BUCKETS ? (size_t)(item->segment.score - least) : BUCKETS - 1;
}

/* Put items that are sorted by places in the order of their scores. */
static void sort_scores(const struct pending_segment *items, size_t count, struct pending_segment *sorted)
{
    size_t places[BUCKETS] = {0}, place = 0, highest;
    int least = items[0].segment.score;
    for (size_t i = 1; i < count; i++)
        least = items[i].segment.score < least ? items[i].segment.score : least;
    for (size_t i = 0; i < count; i++)
        places[bucket_of(&items[i], least)]++;
    highest = places[BUCKETS - 1];
    for (size_t bucket = BUCKETS; bucket-- > 0;) {
        size_t first = place;
        place += places[bucket];
        places[bucket] = first;
    }
    for (size_t i = 0; i < count; i++)
        sorted[places[bucket_of(&items[i], least)]++] = items[i];
    sort_by_comparing(sorted, highest);
}

bool pending_segments_sort(struct pending_segments *list)
{
    if (list->count < 2)
        return true;
    if (!sort_places(list->items, list->count)) {
        sort_by_comparing(list->items, list->count);
        return true;
    }
    if (!array_reserve(&list->sorted, &list->sorted_room, 0, list->count, sizeof *list->sorted))
        return false;
    sort_scores(list->items, list->count, list->sorted);
    struct pending_segments before = *list;
    list->items = before.sorted;
    list->room = before.sorted_room;
    list->sorted = before.items;
    list->sorted_room = before.room;
    return true;
}
