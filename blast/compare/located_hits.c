#include "blast/compare/located_hits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
    const struct sequence_record *a = *(const struct sequence_record *const *)left,
                                 *b = *(const struct sequence_record *const *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a > b) - (a < b);
}

static int index_new(const struct sequences *sequences, struct name_index *index)
{
    *index = (struct name_index){.sequences = sequences,
                                 .sorted = malloc(sequences->record_count * sizeof *index->sorted)};
    if (!index->sorted)
        return -1;
    for (size_t i = 0; i < sequences->record_count; i++)
        index->sorted[i] = &sequences->records[i];
    qsort(index->sorted, sequences->record_count, sizeof *index->sorted, compare_records);
    return 0;
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
    size_t low = 0, high = index->sequences->record_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->sorted[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool exists = low < index->sequences->record_count && strcmp(index->sorted[low]->name, name) == 0;
    return exists ? index->sorted[low] : NULL;
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
    return why_say(p->why, LOCATED_HITS_ENAME,
                   "%s:%llu: the %s '%.80s' is no record of %s; give the sequences that were "
                   "compared",
                   p->name, (unsigned long long)hit->line, what, name, path);
}

static int refuse_range(struct placer *p, const struct hit *hit, const char *what,
                        const struct sequence_record *record)
{
    return why_say(p->why, LOCATED_HITS_ERANGE,
                   "%s:%llu: ends after the end of the %s '%.80s' (%llu bases); give the sequences "
                   "that were compared",
                   p->name, (unsigned long long)hit->line, what, record->name,
                   (unsigned long long)record->bases);
}

/* The hit's own box in the sequences. */
static struct gapped_bounds box_of(const struct hit_sources *places, const struct hit *hit,
                                   const struct sequence_record *query, const struct sequence_record *subject)
{
    uint64_t origin = hit->strand == STRAND_MINUS ? places->query->positions - query->begin : query->begin;
    return (struct gapped_bounds){
        .query = places->codes[hit->strand],
        .query_begin = origin + (uint64_t)hit->query_begin,
        .query_end = origin + (uint64_t)hit->query_end,
        .database = places->database,
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
    return path_follow(p->gapped, places->statistics, &box, hit->columns, &located->path);
}

static int place_all(struct placer *p, struct located_hit *list, size_t count)
{
    p->gapped = gapped_new(&p->places->statistics->scoring);
    int status = p->gapped ? index_new(p->places->query, &p->query) : -1;
    if (status == 0)
        status = index_new(p->places->database, &p->database);
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
    struct located_hit *hits = calloc(table->count + 1, sizeof *hits);
    int status = hits ? 0 : -1;
    for (size_t i = 0; i < table->count && hits; i++)
        hits[i].hit = table->hits[i];
    if (status == 0 && places)
        status = place_all(&p, hits, table->count);
    if (status == -1)
        why_no_memory(why, status);
    if (status && hits)
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
