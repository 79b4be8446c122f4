#include "blast/compare/coverage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/order.h"
#include "blast/write/aligned.h"

/* --- places ---------------------------------------------------------------------------------------------- */

/* Records of one file by name. */
struct name_index {
    const struct sequences *sequences;
    const struct sequence_record **sorted;
    const struct sequence_record *last; /* result of the last lookup */
    const char *last_name;              /* name of the last lookup */
};

struct placer {
    const struct hit_sources *places;
    struct name_index query, database;
    gapped *gapped;
    const char *name;
    struct why *why;
};

static int compare_records(const void *left, const void *right)
{
    return strcmp((*(const struct sequence_record *const *)left)->name,
                  (*(const struct sequence_record *const *)right)->name);
}

static void index_new(const struct sequences *sequences, struct name_index *index)
{
    *index = (struct name_index){.sequences = sequences,
                                 .sorted = memory_take(sequences->record_count * sizeof *index->sorted)};
    for (size_t i = 0; i < sequences->record_count; i++)
        index->sorted[i] = &sequences->records[i];
    qsort(index->sorted, sequences->record_count, sizeof *index->sorted, compare_records);
}

static bool is_part_of(const char *name, const char *whole)
{
    size_t length = strlen(name);
    for (const char *at = whole; (at = strstr(at, name)); at++)
        if ((at == whole || at[-1] == '|') && (at[length] == '\0' || at[length] == '|'))
            return true;
    return false;
}

static const struct sequence_record *find_exactly(const struct name_index *index, const char *name)
{
    const struct sequence_record key = {.name = (char *)name}, *pointer = &key;
    const struct sequence_record *const *found = bsearch(
        &pointer, index->sorted, index->sequences->record_count, sizeof *index->sorted, compare_records);
    return found ? *found : NULL;
}

static const struct sequence_record *find_record(struct name_index *index, const char *name)
{
    if (name == index->last_name)
        return index->last;
    const struct sequence_record *record = find_exactly(index, name);
    for (size_t i = 0; i < index->sequences->record_count && !record; i++)
        if (is_part_of(name, index->sequences->records[i].name))
            record = &index->sequences->records[i];
    index->last_name = name;
    index->last = record;
    return record;
}

static int refuse_name(struct placer *p, const struct hit *hit, const char *what, const char *name,
                       const char *path)
{
    return why_say(p->why, WHY_SAID,
                   "%s:%llu: the %s '%.80s' is no record of %s; give the sequences that were "
                   "compared",
                   p->name, (unsigned long long)hit->line, what, name, path);
}

static int refuse_range(struct placer *p, const struct hit *hit, const char *what,
                        const struct sequence_record *record)
{
    return why_say(p->why, WHY_SAID,
                   "%s:%llu: ends after the end of the %s '%.80s' (%llu bases); give the sequences "
                   "that were compared",
                   p->name, (unsigned long long)hit->line, what, record->name,
                   (unsigned long long)record->bases);
}

/* The hit's own box in the sequences. */
static struct gapped_bounds box_of(const struct hit_sources *places, const struct hit *hit,
                                   const struct sequence_record *query, const struct sequence_record *subject)
{
    uint64_t origin =
        hit->strand == STRAND_MINUS ? places->searched->query->positions - query->begin : query->begin;
    return (struct gapped_bounds){
        .query = places->searched->codes[hit->strand],
        .query_begin = origin + (uint64_t)hit->query_begin,
        .query_end = origin + (uint64_t)hit->query_end,
        .database = places->searched->database,
        .database_begin = subject->begin + (uint64_t)hit->subject_begin,
        .database_end = subject->begin + (uint64_t)hit->subject_end,
    };
}

static int place(struct placer *p, struct located_hit *located)
{
    const struct hit_sources *places = p->places;
    struct hit *hit = &located->hit;
    const struct sequence_record *query = find_record(&p->query, hit->query);
    const struct sequence_record *subject = find_record(&p->database, hit->subject);
    if (!query)
        return refuse_name(p, hit, "query", hit->query, places->query_path);
    if (!subject)
        return refuse_name(p, hit, "subject", hit->subject, places->database_path);
    int64_t greatest_end = hit->strand == STRAND_MINUS ? -hit->query_begin : hit->query_end;
    if (greatest_end > (int64_t)query->bases)
        return refuse_range(p, hit, "query", query);
    if (hit->subject_end > (int64_t)subject->bases)
        return refuse_range(p, hit, "subject", subject);
    hit->query = query->name;
    hit->subject = subject->name;
    struct gapped_bounds box = box_of(places, hit, query, subject);
    path_follow(p->gapped, places->searched->statistics, &box, hit->columns, &located->path);
    return 0;
}

static int place_all(struct placer *p, struct located_hit *list, size_t count)
{
    p->gapped = gapped_new(&p->places->searched->statistics->scoring);
    int status = 0;
    index_new(p->places->searched->query, &p->query);
    index_new(p->places->searched->database, &p->database);
    for (size_t i = 0; i < count && status == 0; i++)
        status = place(p, &list[i]);
    free(p->query.sorted);
    free(p->database.sorted);
    gapped_destroy(p->gapped);
    return status;
}

int located_hits_new(const struct hit_table *table, const struct hit_sources *places, const char *name,
                     struct located_hit **list, struct why *why)
{
    struct placer p = {.places = places, .name = name, .why = why};
    struct located_hit *hits = memory_new(table->count, sizeof *hits);
    for (size_t i = 0; i < table->count; i++)
        hits[i].hit = table->hits[i];
    int status = places ? place_all(&p, hits, table->count) : 0;
    if (status)
        located_hits_destroy(hits, table->count);
    else
        *list = hits;
    return status;
}

void located_hits_destroy(struct located_hit *list, size_t count)
{
    for (size_t i = 0; i < count && list; i++)
        path_destroy(&list[i].path);
    free(list);
}

/* --- lists ----------------------------------------------------------------------------------------------- */

struct stretches {
    struct stretch *items;
    size_t count, room;
};

/* A list in the order of records, strands and subject positions. */
struct sorted {
    const struct located_hit **items;
    int64_t *reach; /* greatest subject end of the items of the same group up to this one */
    size_t count;
};

static int compare_group(const struct hit *a, const struct hit *b)
{
    int order = strcmp(a->query, b->query);
    if (order == 0)
        order = strcmp(a->subject, b->subject);
    return order ? order : ORDER_BY({a->strand, b->strand});
}

static int compare_placed(const void *left, const void *right)
{
    const struct located_hit *a = *(const struct located_hit *const *)left,
                             *b = *(const struct located_hit *const *)right;
    int order = compare_group(&a->hit, &b->hit);
    return order ? order : ORDER_BY({a->hit.subject_begin, b->hit.subject_begin}, {a - b, 0});
}

static void sort_list(const struct located_hit *list, size_t count, struct sorted *sorted)
{
    *sorted = (struct sorted){.items = memory_take(count * sizeof *sorted->items),
                              .reach = memory_take(count * sizeof *sorted->reach),
                              .count = count};
    for (size_t i = 0; i < count; i++)
        sorted->items[i] = &list[i];
    qsort(sorted->items, count, sizeof *sorted->items, compare_placed);
    for (size_t i = 0; i < count; i++) {
        const struct hit *hit = &sorted->items[i]->hit;
        bool first = i == 0 || compare_group(&sorted->items[i - 1]->hit, hit) != 0;
        sorted->reach[i] =
            first || sorted->reach[i - 1] < hit->subject_end ? hit->subject_end : sorted->reach[i - 1];
    }
}

/* Index of the first item of a hit's group that may reach beyond its subject begin: within a group, reach never
 * decreases. */
static size_t first_reaching(const struct sorted *sorted, const struct hit *hit)
{
    int order;
    return ORDER_FIRST(i, sorted->count,
                       (order = compare_group(&sorted->items[i]->hit, hit)) > 0 ||
                           (order == 0 && sorted->reach[i] > hit->subject_begin));
}

/* --- stretches ------------------------------------------------------------------------------------------- */

static void add_stretch(struct stretches *s, int64_t begin, int64_t end)
{
    *ARRAY_NEXT(s->items, s->count, s->room) = (struct stretch){begin, end};
}

/* --- two alignments -------------------------------------------------------------------------------------- */

/* Add the query positions that both paths pair with the same subject position. */
static void pairs_in_both(const struct path *a, const struct path *b, struct stretches *query)
{
    size_t j = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct path_block *x = &a->blocks[i];
        while (j < b->count && b->blocks[j].query + b->blocks[j].length <= x->query)
            j++;
        for (size_t k = j; k < b->count && b->blocks[k].query < x->query + x->length; k++) {
            const struct path_block *y = &b->blocks[k];
            int64_t begin = MAX((int64_t)x->query, (int64_t)y->query);
            int64_t end = MIN((int64_t)(x->query + x->length), (int64_t)(y->query + y->length));
            if (x->database - x->query == y->database - y->query && begin < end)
                add_stretch(query, begin, end);
        }
    }
}

/* Diagonals on which an alignment's columns can lie. */
static struct stretch diagonals_of(const struct hit *h)
{
    int64_t first = h->subject_begin - h->query_begin;
    int64_t query_gap = (int64_t)h->columns - (h->query_end - h->query_begin);
    int64_t subject_gap = (int64_t)h->columns - (h->subject_end - h->subject_begin);
    return (struct stretch){first - subject_gap, first + query_gap + 1};
}

static void positions_in_both(const struct hit *a, const struct hit *b, struct stretches *query,
                              struct stretches *subject)
{
    struct stretch x = diagonals_of(a), y = diagonals_of(b);
    int64_t query_begin = MAX(a->query_begin, b->query_begin), query_end = MIN(a->query_end, b->query_end);
    int64_t subject_begin = MAX(a->subject_begin, b->subject_begin),
            subject_end = MIN(a->subject_end, b->subject_end);
    if (query_begin >= query_end || subject_begin >= subject_end || x.begin >= y.end || y.begin >= x.end)
        return;
    add_stretch(query, query_begin, query_end);
    add_stretch(subject, subject_begin, subject_end);
}

/* --- one alignment and a list ---------------------------------------------------------------------------- */

/* What covers the alignment `of`. */
struct measure {
    const struct located_hit *of;
    struct stretches pairs, query, subject;
};

static void measure_one(struct measure *m, const struct located_hit *by)
{
    if (m->of->path.blocks && by->path.blocks)
        pairs_in_both(&m->of->path, &by->path, &m->pairs);
    else
        positions_in_both(&m->of->hit, &by->hit, &m->query, &m->subject);
}

static double measured_share(struct measure *m)
{
    const struct hit *h = &m->of->hit;
    double pairs = 0;
    if (m->of->path.blocks)
        pairs = (double)stretches_length(m->pairs.items, m->pairs.count) / (double)m->of->path.pairs;
    double query =
        (double)stretches_length(m->query.items, m->query.count) / (double)(h->query_end - h->query_begin);
    double subject = (double)stretches_length(m->subject.items, m->subject.count) /
                     (double)(h->subject_end - h->subject_begin);
    double positions = query < subject ? query : subject;
    return pairs + positions < 1 ? pairs + positions : 1; /* both are positive only if some paths are known */
}

static void measure_clear(struct measure *m)
{
    m->pairs.count = m->query.count = m->subject.count = 0;
}

static void note_best(struct measure *alone, const struct located_hit *by, long index,
                      struct coverage *coverage)
{
    measure_clear(alone);
    measure_one(alone, by);
    double share = measured_share(alone);
    const struct hit *a = &alone->of->hit, *b = &by->hit;
    bool same = a->query_begin == b->query_begin && a->query_end == b->query_end &&
                a->subject_begin == b->subject_begin && a->subject_end == b->subject_end;
    if (share <= 0 || coverage->same || (share <= coverage->best_share && !same))
        return;
    *coverage = (struct coverage){.best = index, .best_share = share, .same = same};
}

static void measure_against(struct measure *m, struct measure *alone, const struct located_hit *by,
                            const struct sorted *sorted, struct coverage *coverage)
{
    const struct hit *hit = &m->of->hit;
    *coverage = (struct coverage){.best = -1};
    measure_clear(m);
    for (size_t i = first_reaching(sorted, hit); i < sorted->count; i++) {
        const struct located_hit *other = sorted->items[i];
        if (compare_group(&other->hit, hit) != 0 || other->hit.subject_begin >= hit->subject_end)
            break;
        measure_one(m, other);
        note_best(alone, other, other - by, coverage);
    }
    coverage->share = measured_share(m);
}

static void measure_destroy(struct measure *m)
{
    free(m->pairs.items);
    free(m->query.items);
    free(m->subject.items);
}

void coverage_measure(const struct located_hit *of, size_t of_count, const struct located_hit *by,
                      size_t by_count, struct coverage *coverages)
{
    struct sorted sorted;
    struct measure all = {0}, alone = {0};
    sort_list(by, by_count, &sorted);
    for (size_t i = 0; i < of_count; i++) {
        all.of = alone.of = &of[i];
        measure_against(&all, &alone, by, &sorted, &coverages[i]);
    }
    measure_destroy(&all);
    measure_destroy(&alone);
    free(sorted.items);
    free(sorted.reach);
}
