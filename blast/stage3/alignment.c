#include "blast/stage3/alignment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/order.h"
#include "blast/stage3/extent.h"

/* --- what a file says ------------------------------------------------------------------------------------- */

/* Whether a range of a strand lies in a record of its sequences. */
static bool lies_in(const struct sequences *s, uint64_t record, bool minus, uint64_t begin, uint64_t end)
{
    if (record >= s->record_count || begin >= end || end > s->positions)
        return false;
    const struct sequence_record *r = &s->records[record];
    uint64_t first = minus ? s->positions - end : begin;
    return first >= r->begin && first - r->begin <= r->bases && end - begin <= r->bases - (first - r->begin);
}

/* Columns of pairs are of both sequences, those of gaps of one. */
static bool columns_agree(const struct alignment *a)
{
    uint64_t spans = a->query_end - a->query_begin + (a->database_end - a->database_begin);
    return a->columns <= spans && a->identities <= spans && a->mismatches <= spans && a->gaps <= spans &&
           a->identities + a->mismatches + a->gaps == a->columns && a->gap_openings <= a->gaps &&
           (a->gap_openings > 0) == (a->gaps > 0) && 2 * (a->identities + a->mismatches) + a->gaps == spans;
}

bool alignment_is_possible(const struct alignment *a, const struct sequences *query,
                           const struct sequences *database)
{
    return (a->strand == STRAND_PLUS || a->strand == STRAND_MINUS) &&
           lies_in(query, a->query_record, a->strand == STRAND_MINUS, a->query_begin, a->query_end) &&
           lies_in(database, a->database_record, false, a->database_begin, a->database_end) &&
           columns_agree(a) && a->score > 0;
}

static bool path_is_possible(const struct alignment_list *list, const struct alignment *a)
{
    uint64_t query = 0, database = 0;
    if (a->path_runs > list->run_count || a->path_begin > list->run_count - a->path_runs)
        return false;
    for (const struct gapped_run *r = list->runs + a->path_begin, *end = r + a->path_runs; r < end; r++) {
        query += r->step == GAPPED_DATABASE ? 0 : r->length;
        database += r->step == GAPPED_QUERY ? 0 : r->length;
    }
    return a->path_runs == 0 ||
           (query == a->query_end - a->query_begin && database == a->database_end - a->database_begin);
}

bool alignment_list_is_possible(const struct alignment_list *list, const struct sequences *query,
                                const struct sequences *database)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *a = &list->items[i];
        if (!alignment_is_possible(a, query, database) || !path_is_possible(list, a))
            return false;
        for (unsigned s = 0; s < ALIGNMENT_SEEDS; s++)
            if (a->seeds[s].query >= query->positions || a->seeds[s].database >= database->positions)
                return false;
    }
    return true;
}

/* --- lists ------------------------------------------------------------------------------------------------ */

void alignment_list_append(struct alignment_list *list, const struct alignment *alignment)
{
    *ARRAY_NEXT(list->items, list->count, list->room) = *alignment;
}

static void append_runs(struct alignment_list *list, const struct gapped_run *runs, size_t count)
{
    if (count == 0)
        return;
    array_reserve(&list->runs, &list->run_room, list->run_count, count, sizeof *list->runs);
    memcpy(list->runs + list->run_count, runs, count * sizeof *runs);
    list->run_count += count;
}

void alignment_list_append_path(struct alignment_list *list, const struct alignment *alignment,
                                const struct gapped_run *runs, size_t run_count)
{
    struct alignment a = *alignment;
    a.path_begin = list->run_count;
    a.path_runs = run_count;
    append_runs(list, runs, run_count);
    alignment_list_append(list, &a);
}

void alignment_list_append_list(struct alignment_list *list, const struct alignment_list *other)
{
    uint64_t shift = list->run_count;
    append_runs(list, other->runs, other->run_count);
    for (size_t i = 0; i < other->count; i++) {
        struct alignment a = other->items[i];
        a.path_begin += shift;
        alignment_list_append(list, &a);
    }
}

void alignment_list_destroy(struct alignment_list *list)
{
    free(list->items);
    free(list->runs);
    *list = (struct alignment_list){.items = NULL};
}

void alignment_list_move(struct alignment_list *list, uint64_t positions, uint64_t records)
{
    for (size_t i = 0; i < list->count; i++) {
        struct alignment *a = &list->items[i];
        a->database_begin += positions;
        a->database_end += positions;
        a->database_record += records;
        for (unsigned seed = 0; seed < ALIGNMENT_SEEDS; seed++)
            a->seeds[seed].database += positions;
    }
}

/* --- culling --------------------------------------------------------------------------------------------- */

static int compare_pair(const struct alignment *a, const struct alignment *b)
{
    return ORDER_BY({a->query_record, b->query_record}, {a->database_record, b->database_record},
                    {a->strand, b->strand});
}

/* BLASTN's order within a subject: the better first, then by position. */
static int compare_score(const struct alignment *a, const struct alignment *b)
{
    const int order = extent_compare(a, b);
    return order ? order : ORDER_BY({a->columns, b->columns}, {b->identities, a->identities});
}

static int compare_begins(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_pair(a, b);
    return order ? order : extent_compare_begins(a, b);
}

static int compare_ends(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_pair(a, b);
    return order ? order : extent_compare_ends(a, b);
}

/* The order of the containment sweep: whatever may enclose an alignment comes before it. */
static int compare_sweep(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = compare_pair(a, b);
    if (order == 0)
        order = ORDER_BY({a->database_begin, b->database_begin}, {b->database_end, a->database_end});
    return order ? order : compare_score(a, b);
}

/* Keep the first of sorted neighbours that begin (or end) together; move the others behind those that are kept. */
static size_t keep_first(struct alignment *items, size_t count,
                         bool (*are_together)(const struct gapped_extent *, const struct gapped_extent *))
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct alignment item = items[i];
        if (kept > 0 && compare_pair(&items[kept - 1], &item) == 0 &&
            are_together(&items[kept - 1].extent, &item.extent))
            continue;
        items[i] = items[kept];
        items[kept++] = item;
    }
    return kept;
}

size_t alignments_purge(struct alignment *items, size_t count)
{
    if (count < 2)
        return count;
    qsort(items, count, sizeof *items, compare_begins);
    count = keep_first(items, count, extents_begin_together);
    qsort(items, count, sizeof *items, compare_ends);
    return keep_first(items, count, extents_end_together);
}

/* Sweep along the database. `open` holds the boxes of the present pair that reach the current alignment's begin: of
 * repeats, thousands. */
static void drop_contained(struct alignment_list *list)
{
    auto_free struct gapped_extent *open = memory_take(list->count * sizeof *open);
    size_t open_count = 0, count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *current = &list->items[i];
        size_t still_open = 0;
        bool is_contained = false;
        if (i > 0 && compare_pair(current - 1, current) != 0)
            open_count = 0;
        for (size_t j = 0; j < open_count; j++) {
            if (open[j].database_end <= current->database_begin)
                continue;
            is_contained |= open[j].database_end >= current->database_end &&
                            open[j].query_end >= current->query_end &&
                            extent_encloses(&open[j], &current->extent);
            open[still_open++] = open[j];
        }
        open_count = still_open;
        if (is_contained)
            continue;
        open[open_count++] = current->extent;
        list->items[count++] = *current;
    }
    list->count = count;
}

static void sort_by(struct alignment_list *list, int (*compare)(const void *, const void *))
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare);
}

void alignment_list_cull(struct alignment_list *list)
{
    list->count = alignments_purge(list->items, list->count);
    sort_by(list, compare_sweep);
    drop_contained(list);
}

/* --- finishing ------------------------------------------------------------------------------------------- */

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

/* Both strands of one subject together, best first. */
static int compare_subject(const void *left, const void *right)
{
    const struct alignment *a = left, *b = right;
    int order = ORDER_BY({a->query_record, b->query_record}, {a->database_record, b->database_record});
    if (order == 0)
        order = compare_score(a, b);
    return order ? order : ORDER_BY({a->strand, b->strand});
}

/* A subject's alignments, contiguous in a list sorted by compare_subject. */
struct subject {
    const struct alignment *best;
    size_t count;
};

static int compare_best(const void *left, const void *right)
{
    const struct alignment *a = ((const struct subject *)left)->best;
    const struct alignment *b = ((const struct subject *)right)->best;
    if (a->query_record == b->query_record && a->e_value != b->e_value)
        return a->e_value < b->e_value ? -1 : 1;
    return ORDER_BY({a->query_record, b->query_record}, {b->score, a->score},
                    {b->database_record, a->database_record});
}

static size_t collect_subjects(const struct alignment_list *list, struct subject *subjects)
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

/* Move whole subjects: those of a query record are sorted by their best alignments. */
static void sort_subjects(struct alignment_list *list)
{
    auto_free struct subject *subjects = memory_take(list->count * sizeof *subjects);
    struct alignment *sorted = memory_take(list->count * sizeof *sorted);
    size_t filled = 0;
    size_t count = collect_subjects(list, subjects);
    qsort(subjects, count, sizeof *subjects, compare_best);
    for (size_t i = 0; i < count; i++) {
        memcpy(&sorted[filled], subjects[i].best, subjects[i].count * sizeof *sorted);
        filled += subjects[i].count;
    }
    free(list->items);
    list->items = sorted;
    list->room = list->count;
}

void alignment_list_finish(struct alignment_list *list, const struct scoring_statistics *statistics,
                           const struct sequences *query, const struct sequences *database, double e_value)
{
    alignment_list_cull(list);
    evaluate(list, statistics, query, database);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].e_value <= e_value)
            list->items[count++] = list->items[i];
    list->count = count;
    sort_by(list, compare_subject);
    sort_subjects(list);
}

/* Blastn prints the whole number of it, and compares the fraction. */
static double raised_per_cent(uint64_t part, uint64_t whole)
{
    double per_cent = 100.0 * (double)part / (double)whole;
    return per_cent < 99 ? per_cent + 0.5 : per_cent;
}

int alignment_per_cent(uint64_t part, uint64_t whole)
{
    return (int)raised_per_cent(part, whole);
}

bool alignment_has_identity(const struct alignment *a, double per_cent)
{
    return 100.0 * (double)a->identities >= per_cent * (double)a->columns;
}

void alignment_list_limit(struct alignment_list *list, const struct sequences *query,
                          const struct alignment_limits *limits)
{
    uint64_t subject = 0, alignment = 0; /* numbers of the current ones, from 1 */
    size_t count = 0;
    struct alignment previous = {0};
    bool is_first = true, is_counted = false; /* has the current subject been? */
    for (size_t i = 0; i < list->count; i++) {
        struct alignment current = list->items[i];
        const uint64_t covered = current.query_end - current.query_begin;
        if (!alignment_has_identity(&current, limits->identity))
            continue;
        bool new_query = is_first || current.query_record != previous.query_record;
        bool new_subject = new_query || current.database_record != previous.database_record;
        alignment = new_subject ? 1 : alignment + 1;
        previous = current;
        is_first = false;
        is_counted = is_counted && !new_subject;
        subject = new_query ? 0 : subject;
        if ((limits->alignments > 0 && alignment > limits->alignments) ||
            raised_per_cent(covered, query->records[current.query_record].bases) < limits->coverage)
            continue;
        subject += !is_counted;
        is_counted = true;
        if (limits->subjects == 0 || subject <= limits->subjects)
            list->items[count++] = current;
    }
    list->count = count;
}
