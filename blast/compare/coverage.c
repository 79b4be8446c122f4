#include "blast/compare/coverage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/order.h"

/* Positions [begin, end) of the query or the subject. */
struct stretch {
    int64_t begin, end;
};

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

static int sort_list(const struct located_hit *list, size_t count, struct sorted *sorted)
{
    *sorted = (struct sorted){.items = malloc((count + 1) * sizeof *sorted->items),
                              .reach = malloc((count + 1) * sizeof *sorted->reach),
                              .count = count};
    if (!sorted->items || !sorted->reach)
        return -1;
    for (size_t i = 0; i < count; i++)
        sorted->items[i] = &list[i];
    qsort(sorted->items, count, sizeof *sorted->items, compare_placed);
    for (size_t i = 0; i < count; i++) {
        const struct hit *hit = &sorted->items[i]->hit;
        bool first = i == 0 || compare_group(&sorted->items[i - 1]->hit, hit) != 0;
        sorted->reach[i] =
            first || sorted->reach[i - 1] < hit->subject_end ? hit->subject_end : sorted->reach[i - 1];
    }
    return 0;
}

/* Index of the first item of a hit's group that may reach beyond its subject begin: within a group, reach never
 * decreases. */
static size_t first_reaching(const struct sorted *sorted, const struct hit *hit)
{
    size_t low = 0, high = sorted->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_group(&sorted->items[middle]->hit, hit);
        if (order < 0 || (order == 0 && sorted->reach[middle] <= hit->subject_begin))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- stretches ------------------------------------------------------------------------------------------- */

static int add_stretch(struct stretches *s, int64_t begin, int64_t end)
{
    if (!array_reserve(&s->items, &s->room, s->count, 1, sizeof *s->items))
        return -1;
    s->items[s->count++] = (struct stretch){begin, end};
    return 0;
}

static int compare_stretch(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    return ORDER_BY({a->begin, b->begin});
}

/* Number of positions that lie in any stretch. Sorts the stretches. */
static int64_t measure_stretches(struct stretches *s)
{
    int64_t sum = 0, end = INT64_MIN;
    if (s->count > 1)
        qsort(s->items, s->count, sizeof *s->items, compare_stretch);
    for (size_t i = 0; i < s->count; i++) {
        int64_t begin = s->items[i].begin > end ? s->items[i].begin : end;
        if (s->items[i].end > begin) {
            sum += s->items[i].end - begin;
            end = s->items[i].end;
        }
    }
    return sum;
}

/* --- two alignments -------------------------------------------------------------------------------------- */

/* Add the query positions that both paths pair with the same subject position. */
static int pairs_in_both(const struct path *a, const struct path *b, struct stretches *query)
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
            if (x->database - x->query == y->database - y->query && begin < end &&
                add_stretch(query, begin, end) != 0)
                return -1;
        }
    }
    return 0;
}

/* Diagonals on which an alignment's columns can lie. */
static struct stretch diagonals_of(const struct hit *h)
{
    int64_t first = h->subject_begin - h->query_begin;
    int64_t query_gap = (int64_t)h->columns - (h->query_end - h->query_begin);
    int64_t subject_gap = (int64_t)h->columns - (h->subject_end - h->subject_begin);
    return (struct stretch){first - subject_gap, first + query_gap + 1};
}

static bool diagonals_meet(const struct hit *a, const struct hit *b)
{
    struct stretch x = diagonals_of(a), y = diagonals_of(b);
    return x.begin < y.end && y.begin < x.end;
}

static int positions_in_both(const struct hit *a, const struct hit *b, struct stretches *query,
                             struct stretches *subject)
{
    int64_t query_begin = MAX(a->query_begin, b->query_begin), query_end = MIN(a->query_end, b->query_end);
    int64_t subject_begin = MAX(a->subject_begin, b->subject_begin),
            subject_end = MIN(a->subject_end, b->subject_end);
    if (query_begin >= query_end || subject_begin >= subject_end || !diagonals_meet(a, b))
        return 0;
    if (add_stretch(query, query_begin, query_end) != 0)
        return -1;
    return add_stretch(subject, subject_begin, subject_end);
}

/* --- one alignment and a list ---------------------------------------------------------------------------- */

/* What covers the alignment `of`. */
struct measure {
    const struct located_hit *of;
    struct stretches pairs, query, subject;
};

static int measure_one(struct measure *m, const struct located_hit *by)
{
    if (m->of->path.blocks && by->path.blocks)
        return pairs_in_both(&m->of->path, &by->path, &m->pairs);
    return positions_in_both(&m->of->hit, &by->hit, &m->query, &m->subject);
}

static double measured_share(struct measure *m)
{
    const struct hit *h = &m->of->hit;
    double pairs = 0;
    if (m->of->path.blocks)
        pairs = (double)measure_stretches(&m->pairs) / (double)m->of->path.pairs;
    double query = (double)measure_stretches(&m->query) / (double)(h->query_end - h->query_begin);
    double subject = (double)measure_stretches(&m->subject) / (double)(h->subject_end - h->subject_begin);
    double positions = query < subject ? query : subject;
    return pairs + positions < 1 ? pairs + positions : 1; /* both are positive only if some paths are known */
}

static void measure_clear(struct measure *m)
{
    m->pairs.count = m->query.count = m->subject.count = 0;
}

static bool same_ends(const struct hit *a, const struct hit *b)
{
    return a->query_begin == b->query_begin && a->query_end == b->query_end &&
           a->subject_begin == b->subject_begin && a->subject_end == b->subject_end;
}

static int note_best(struct measure *alone, const struct located_hit *by, long index,
                     struct coverage *coverage)
{
    measure_clear(alone);
    if (measure_one(alone, by) != 0)
        return -1;
    double share = measured_share(alone);
    bool same = same_ends(&alone->of->hit, &by->hit);
    if (share <= 0 || coverage->same || (share <= coverage->best_share && !same))
        return 0;
    *coverage = (struct coverage){.best = index, .best_share = share, .same = same};
    return 0;
}

static int measure_against(struct measure *m, struct measure *alone, const struct located_hit *by,
                           const struct sorted *sorted, struct coverage *coverage)
{
    const struct hit *hit = &m->of->hit;
    *coverage = (struct coverage){.best = -1};
    measure_clear(m);
    for (size_t i = first_reaching(sorted, hit); i < sorted->count; i++) {
        const struct located_hit *other = sorted->items[i];
        if (compare_group(&other->hit, hit) != 0 || other->hit.subject_begin >= hit->subject_end)
            break;
        if (measure_one(m, other) != 0 || note_best(alone, other, other - by, coverage) != 0)
            return -1;
    }
    coverage->share = measured_share(m);
    return 0;
}

static void measure_destroy(struct measure *m)
{
    free(m->pairs.items);
    free(m->query.items);
    free(m->subject.items);
}

int coverage_measure(const struct located_hit *of, size_t of_count, const struct located_hit *by,
                     size_t by_count, struct coverage *coverages)
{
    struct sorted sorted;
    struct measure all = {0}, alone = {0};
    int status = sort_list(by, by_count, &sorted);
    for (size_t i = 0; i < of_count && status == 0; i++) {
        all.of = alone.of = &of[i];
        status = measure_against(&all, &alone, by, &sorted, &coverages[i]);
    }
    measure_destroy(&all);
    measure_destroy(&alone);
    free(sorted.items);
    free(sorted.reach);
    return status;
}
