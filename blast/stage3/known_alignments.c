#include "blast/stage3/known_alignments.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "blast/stage3/extent.h"

/* What extent_set_add() does, while the set is outdated. */
static void hide(struct known_alignments *list, struct known_alignment *new)
{
    struct gapped_extent e = alignment_extent(&new->alignment);
    for (size_t i = 0; i < list->count && !new->hidden; i++) {
        struct known_alignment *old = &list->items[i];
        struct gapped_extent f = alignment_extent(&old->alignment);
        if (!old->hidden && extent_hides(&f, &e))
            new->hidden = true;
        else if (!old->hidden && extent_hides(&e, &f))
            old->hidden = true;
    }
}

int known_alignments_append(struct known_alignments *list, const struct known_alignment *item)
{
    struct gapped_extent e = alignment_extent(&item->alignment);
    if (!array_reserve(&list->items, &list->room, list->count, 1, sizeof *list->items))
        return -1;
    list->items[list->count] = *item;
    if (list->outdated)
        hide(list, &list->items[list->count]);
    else if (extent_set_add(&list->boxes, &e, item->hidden) != 0)
        return -1;
    if (list->count == 0 || e.database_end < list->first_end)
        list->first_end = e.database_end;
    list->count++;
    return 0;
}

void known_alignments_reorder(struct known_alignments *list)
{
    if (list->outdated)
        return;
    for (size_t i = 0; i < list->count; i++)
        list->items[i].hidden = list->boxes.items[i].hidden;
    extent_set_clear(&list->boxes);
    list->outdated = true;
}

int known_alignments_prepare(struct known_alignments *list)
{
    if (!list->outdated)
        return 0;
    extent_set_clear(&list->boxes);
    for (size_t i = 0; i < list->count; i++) {
        struct gapped_extent e = alignment_extent(&list->items[i].alignment);
        if (extent_set_add(&list->boxes, &e, list->items[i].hidden) != 0)
            return -1;
    }
    list->outdated = false;
    return 0;
}

void known_alignments_retire(struct known_alignments *list, uint64_t database)
{
    if (list->count == 0 || list->first_end > database)
        return;
    known_alignments_reorder(list);
    list->first_end = UINT64_MAX;
    for (size_t i = 0; i < list->count;) {
        uint64_t end = list->items[i].alignment.database_end;
        if (end > database) {
            list->first_end = end < list->first_end ? end : list->first_end;
            i++;
            continue;
        }
        path_destroy(&list->items[i].path);
        list->items[i] = list->items[--list->count];
    }
}

void known_alignments_remove(struct known_alignments *list, size_t begin, size_t end)
{
    if (begin == end)
        return;
    known_alignments_reorder(list);
    for (size_t i = begin; i < end; i++)
        path_destroy(&list->items[i].path);
    memmove(list->items + begin, list->items + end, (list->count - end) * sizeof *list->items);
    list->count -= end - begin;
}

bool known_alignments_encloses(const struct known_alignments *list, const struct gapped_extent *extent)
{
    return extent_set_encloses(&list->boxes, extent);
}

bool known_alignments_contains(const struct known_alignments *list, uint64_t query, uint64_t database)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *a = &list->items[i].alignment;
        if (a->database_begin <= database && database < a->database_end && a->query_begin <= query &&
            query < a->query_end && path_contains(&list->items[i].path, query, database, 1))
            return true;
    }
    return false;
}

void known_alignments_destroy(struct known_alignments *list)
{
    for (size_t i = 0; i < list->count; i++)
        path_destroy(&list->items[i].path);
    free(list->items);
    extent_set_destroy(&list->boxes);
    *list = (struct known_alignments){0};
}
