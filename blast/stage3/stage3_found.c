#include "blast/stage3/stage3_found.h"

#include <stdlib.h>
#include <string.h>

struct gapped_extent found_extent(const struct found *found)
{
    const struct alignment *a = &found->alignment;

    return (struct gapped_extent){.score = a->score,
                                  .query_begin = a->query_begin,
                                  .query_end = a->query_end,
                                  .database_begin = a->database_begin,
                                  .database_end = a->database_end};
}

/* Without the set. */
static void hide(struct found_list *list, struct found *new)
{
    struct gapped_extent e = found_extent(new);

    for (size_t i = 0; i < list->count && !new->hidden; i++) {
        struct found *old = &list->items[i];
        struct gapped_extent f = found_extent(old);

        if (!old->hidden && extent_hides(&f, &e))
            new->hidden = 1;
        else if (!old->hidden && extent_hides(&e, &f))
            old->hidden = 1;
    }
}

static int reserve(struct found_list *list)
{
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
    struct found *grown;

    if (list->count < list->capacity)
        return 0;
    grown = realloc(list->items, capacity * sizeof *grown);
    if (grown == NULL)
        return STAGE3_FOUND_EMEMORY;
    list->items = grown;
    list->capacity = capacity;
    return 0;
}

int found_list_append(struct found_list *list, const struct found *found)
{
    struct gapped_extent e = found_extent(found);

    if (reserve(list) != 0)
        return STAGE3_FOUND_EMEMORY;
    list->items[list->count] = *found;
    if (list->outdated)
        hide(list, &list->items[list->count]);
    else if (extent_set_add(&list->boxes, &e, found->hidden) != 0)
        return STAGE3_FOUND_EMEMORY;
    if (list->count == 0 || e.database_end < list->first_end)
        list->first_end = e.database_end;
    list->count++;
    return 0;
}

void found_list_reorder(struct found_list *list)
{
    if (list->outdated)
        return;
    for (size_t i = 0; i < list->count; i++)
        list->items[i].hidden = list->boxes.items[i].hidden;
    extent_set_clear(&list->boxes);
    list->outdated = 1;
}

int found_list_prepare(struct found_list *list)
{
    if (!list->outdated)
        return 0;
    extent_set_clear(&list->boxes);
    for (size_t i = 0; i < list->count; i++) {
        struct gapped_extent e = found_extent(&list->items[i]);

        if (extent_set_add(&list->boxes, &e, list->items[i].hidden) != 0)
            return STAGE3_FOUND_EMEMORY;
    }
    list->outdated = 0;
    return 0;
}

void found_list_retire(struct found_list *list, uint64_t database)
{
    if (list->count == 0 || list->first_end > database)
        return;
    found_list_reorder(list);
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

void found_list_remove(struct found_list *list, size_t begin, size_t end)
{
    if (begin == end)
        return;
    found_list_reorder(list);
    for (size_t i = begin; i < end; i++)
        path_destroy(&list->items[i].path);
    memmove(list->items + begin, list->items + end, (list->count - end) * sizeof *list->items);
    list->count -= end - begin;
}

int found_list_encloses(const struct found_list *list, const struct gapped_extent *extent)
{
    return extent_set_encloses(&list->boxes, extent);
}

int found_list_contains(const struct found_list *list, uint64_t query, uint64_t database)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct found *f = &list->items[i];

        if (f->alignment.database_begin <= database && database < f->alignment.database_end &&
            f->alignment.query_begin <= query && query < f->alignment.query_end &&
            path_contains(&f->path, query, database, 1))
            return 1;
    }
    return 0;
}

void found_list_destroy(struct found_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        path_destroy(&list->items[i].path);
    free(list->items);
    extent_set_destroy(&list->boxes);
    *list = (struct found_list){0};
}
