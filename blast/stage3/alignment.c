#include "blast/stage3/alignment.h"

#include <stdlib.h>
#include <string.h>

int alignment_list_append(struct alignment_list *list, const struct alignment *alignment)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        struct alignment *items = realloc(list->items, capacity * sizeof *items);

        if (items == NULL)
            return ALIGNMENT_EMEMORY;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *alignment;
    return 0;
}

static int append_runs(struct alignment_list *list, const struct gapped_run *runs, size_t count)
{
    if (list->run_capacity - list->run_count < count) {
        size_t capacity = 2 * list->run_capacity + count + 64;
        struct gapped_run *grown = realloc(list->runs, capacity * sizeof *grown);

        if (grown == NULL)
            return ALIGNMENT_EMEMORY;
        list->runs = grown;
        list->run_capacity = capacity;
    }
    if (count > 0)
        memcpy(list->runs + list->run_count, runs, count * sizeof *runs);
    list->run_count += count;
    return 0;
}

int alignment_list_append_path(struct alignment_list *list, const struct alignment *alignment,
                               const struct gapped_run *runs, size_t run_count)
{
    struct alignment a = *alignment;

    a.path_begin = list->run_count;
    a.path_runs = run_count;
    if (append_runs(list, runs, run_count) != 0)
        return ALIGNMENT_EMEMORY;
    return alignment_list_append(list, &a);
}

int alignment_list_append_list(struct alignment_list *list, const struct alignment_list *other)
{
    uint64_t shift = list->run_count;

    if (append_runs(list, other->runs, other->run_count) != 0)
        return ALIGNMENT_EMEMORY;
    for (size_t i = 0; i < other->count; i++) {
        struct alignment a = other->items[i];

        a.path_begin += shift;
        if (alignment_list_append(list, &a) != 0)
            return ALIGNMENT_EMEMORY;
    }
    return 0;
}

void alignment_list_destroy(struct alignment_list *list)
{
    free(list->items);
    free(list->runs);
    *list = (struct alignment_list){.items = NULL};
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_double(double a, double b)
{
    return (a > b) - (a < b);
}

static int same_pair(const struct alignment *a, const struct alignment *b)
{
    return a->query_record == b->query_record && a->database_record == b->database_record &&
           a->strand == b->strand;
}

static int compare_pair(const struct alignment *a, const struct alignment *b)
{
    int order = compare_u64(a->query_record, b->query_record);

    if (order == 0)
        order = compare_u64(a->database_record, b->database_record);
    return order != 0 ? order : (a->strand > b->strand) - (a->strand < b->strand);
}

/* BLASTN's order within a subject: the better first, then by position. */
static int compare_score(const struct alignment *a, const struct alignment *b)
{
    int order = (a->score < b->score) - (a->score > b->score);

    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    if (order == 0)
        order = compare_u64(b->database_end, a->database_end);
    if (order == 0)
        order = compare_u64(a->query_begin, b->query_begin);
    if (order == 0)
        order = compare_u64(b->query_end, a->query_end);
    if (order == 0)
        order = compare_u64(a->columns, b->columns);
    return order != 0 ? order : compare_u64(b->identities, a->identities);
}

static int compare_begin(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_pair(a, b);

    if (order == 0)
        order = compare_u64(a->query_begin, b->query_begin);
    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    return order != 0 ? order : compare_score(a, b);
}

static int compare_end(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_pair(a, b);

    if (order == 0)
        order = compare_u64(a->query_end, b->query_end);
    if (order == 0)
        order = compare_u64(a->database_end, b->database_end);
    return order != 0 ? order : compare_score(a, b);
}

/* The order of the containment sweep: whatever may enclose an alignment comes before it. */
static int compare_sweep(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_pair(a, b);

    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    if (order == 0)
        order = compare_u64(b->database_end, a->database_end);
    return order != 0 ? order : compare_score(a, b);
}

static int begin_together(const struct alignment *a, const struct alignment *b)
{
    return same_pair(a, b) && a->query_begin == b->query_begin && a->database_begin == b->database_begin;
}

static int end_together(const struct alignment *a, const struct alignment *b)
{
    return same_pair(a, b) && a->query_end == b->query_end && a->database_end == b->database_end;
}

/* Of sorted neighbours that are together, the first stays. */
static void purge_sorted(struct alignment_list *list,
                         int (*together)(const struct alignment *, const struct alignment *))
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || !together(&list->items[kept - 1], &list->items[i]))
            list->items[kept++] = list->items[i];
    list->count = kept;
}

int alignment_encloses(const struct alignment *a, uint64_t query_begin, uint64_t query_end,
                       uint64_t database_begin, uint64_t database_end)
{
    const struct alignment_box outer = {a->query_begin, a->query_end, a->database_begin, a->database_end};
    const struct alignment_box inner = {query_begin, query_end, database_begin, database_end};

    return alignment_box_encloses(&outer, &inner);
}

static int contained_in(const struct alignment *inner, const struct alignment *outer)
{
    return same_pair(inner, outer) && inner->score <= outer->score &&
           alignment_encloses(outer, inner->query_begin, inner->query_end, inner->database_begin,
                              inner->database_end);
}

/* Sweep along the database: the alignments that reach the current one's begin are moved to the front of
 * `open`. */
static int drop_contained(struct alignment_list *list)
{
    struct alignment *open = malloc((list->count + 1) * sizeof *open);
    size_t open_count = 0, kept = 0;

    if (open == NULL)
        return ALIGNMENT_EMEMORY;
    for (size_t i = 0; i < list->count; i++) {
        struct alignment now = list->items[i];
        size_t still_open = 0;
        int contained = 0;

        for (size_t j = 0; j < open_count; j++) {
            if (!same_pair(&open[j], &now) || open[j].database_end <= now.database_begin)
                continue;
            contained |= contained_in(&now, &open[j]);
            open[still_open++] = open[j];
        }
        open_count = still_open;
        if (contained)
            continue;
        open[open_count++] = now;
        list->items[kept++] = now;
    }
    list->count = kept;
    free(open);
    return 0;
}

static void sort_by(struct alignment_list *list, int (*compare)(const void *, const void *))
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare);
}

int alignment_list_cull(struct alignment_list *list)
{
    sort_by(list, compare_begin);
    purge_sorted(list, begin_together);
    sort_by(list, compare_end);
    purge_sorted(list, end_together);
    sort_by(list, compare_sweep);
    return drop_contained(list);
}

static void evaluate(struct alignment_list *list, const struct scoring_statistics *statistics,
                     const struct sequences *query, const struct sequences *database)
{
    uint64_t record = UINT64_MAX;
    double space = 0.0;

    for (size_t i = 0; i < list->count; i++) {
        struct alignment *a = &list->items[i];

        if (a->query_record != record) {
            record = a->query_record;
            space = scoring_search_space(statistics, query->records[record].bases, database->bases,
                                         database->record_count);
        }
        a->bits = scoring_bits(statistics, a->score);
        a->e_value = scoring_e_value(statistics, a->score, space);
    }
}

static void drop_above(struct alignment_list *list, double e_value)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].e_value <= e_value)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* Both strands of one subject together, best first. */
static int compare_subject(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_u64(a->query_record, b->query_record);

    if (order == 0)
        order = compare_u64(a->database_record, b->database_record);
    if (order == 0)
        order = compare_score(a, b);
    return order != 0 ? order : (a->strand > b->strand) - (a->strand < b->strand);
}

/* A subject's alignments, contiguous in a list sorted by compare_subject. */
struct subject {
    const struct alignment *best;
    size_t count;
};

static int compare_best(const void *left, const void *right)
{
    const struct alignment *a = ((const struct subject *)left)->best,
                           *b = ((const struct subject *)right)->best;
    int order = compare_u64(a->query_record, b->query_record);

    if (order == 0)
        order = compare_double(a->e_value, b->e_value);
    if (order == 0)
        order = (a->score < b->score) - (a->score > b->score);
    return order != 0 ? order : compare_u64(b->database_record, a->database_record);
}

static size_t subjects_collect(const struct alignment_list *list, struct subject *subjects)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *a = &list->items[i];

        if (i == 0 || a->query_record != a[-1].query_record || a->database_record != a[-1].database_record)
            subjects[count++] = (struct subject){.best = a};
        subjects[count - 1].count++;
    }
    return count;
}

/* Move whole subjects, so that those of a query record come by their best alignment. */
static int subjects_sort(struct alignment_list *list)
{
    struct subject *subjects = malloc((list->count + 1) * sizeof *subjects);
    struct alignment *sorted = malloc((list->count + 1) * sizeof *sorted);
    size_t count, filled = 0;

    if (subjects == NULL || sorted == NULL) {
        free(subjects);
        free(sorted);
        return ALIGNMENT_EMEMORY;
    }
    count = subjects_collect(list, subjects);
    qsort(subjects, count, sizeof *subjects, compare_best);
    for (size_t i = 0; i < count; i++) {
        memcpy(&sorted[filled], subjects[i].best, subjects[i].count * sizeof *sorted);
        filled += subjects[i].count;
    }
    free(subjects);
    free(list->items);
    list->items = sorted;
    list->capacity = list->count + 1;
    return 0;
}

int alignment_list_finish(struct alignment_list *list, const struct scoring_statistics *statistics,
                          const struct sequences *query, const struct sequences *database, double e_value)
{
    if (alignment_list_cull(list) != 0)
        return ALIGNMENT_EMEMORY;
    evaluate(list, statistics, query, database);
    drop_above(list, e_value);
    sort_by(list, compare_subject);
    return subjects_sort(list);
}
