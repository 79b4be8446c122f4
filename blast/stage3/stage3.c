#include "blast/stage3/stage3.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "blast/stage3/extent.h"
#include "blast/stage3/gapped.h"
#include "blast/stage3/path.h"
#include "blast/stage3/extended_diagonals.h"
#include "blast/stage3/ungapped_xdrop.h"

/* BLASTN packs four bases of the database into a byte. An HSP that scores less than COARSE_TENTHS tenths of the trigger
 * in whole bytes is not looked at more closely. */
enum { COARSE_TENTHS = 8 };

/* When an HSP is extended, the entry of the diagonal of the HSP that comes DIAGONAL_AHEAD places after it is fetched,
 * and the bases of the HSP that comes BASES_AHEAD places after it, unless its diagonal has been extended over it. */
enum { DIAGONAL_AHEAD = 16, BASES_AHEAD = 6 };

/* Segments and candidates are alignments of which only the extent and two seeds are known: that of the HSP, and that at
 * which extension with gaps starts. */
enum { START = ALIGNMENT_MIDDLE };

/* The alignments of a pass that its stream may still meet: is a pair on the path of one, does one enclose a box? A
 * list of zeros is empty. */
struct known_alignment {
    struct alignment alignment; /* the first member, whose own is its extent: for qsort() by extents */
    bool hidden; /* while its box is in no set: a better one begins or ends with it, so it encloses nothing */
    struct path path;
};

struct known_alignments {
    struct known_alignment *items;
    size_t count, room;
    struct extent_set boxes; /* of the first items, with their numbers; of all once they are prepared */
    uint64_t first_end;      /* no item ends before this database position */
};

/* A segment that waits for its cluster to be complete. */
struct pending {
    struct gapped_extent extent; /* the first member, for extent_compare() */
    struct alignment_seed seeds[ALIGNMENT_SEEDS];
};

struct stage3 {
    struct stage3_pass pass;
    struct alignment_list *out;
    struct stage3_counts counts;
    gapped *gapped;
    struct base_pairs pairs;
    struct gapped_bounds bounds;         /* of the records that bounds_at() was asked for last */
    int least_score;                     /* of that query record */
    struct extended_diagonals diagonals; /* none if HSPs come in any order */
    struct known_alignments known;
    struct known_alignments unlike; /* have too little identity: what lies on one leads to it again */
    struct pending *pending;
    const struct pending **order; /* pointers to them when the cluster is complete, the best first */
    size_t pending_count, pending_room, order_room;
    uint64_t reach; /* greatest database position at which one ends; undefined if there is none */
    struct alignment_list candidates; /* the cluster's preliminary extensions */
    struct extent_set boxes;          /* of the candidates */
    stage3_watcher *watch;
    void *watch_data;
};

/* --- known alignments ------------------------------------------------------------------------------------ */

/* Announce that items from a number on are about to change places. */
static void known_alignments_reorder(struct known_alignments *list, size_t first)
{
    while (list->boxes.count > first) {
        const uint32_t last = list->boxes.count - 1;
        list->items[last].hidden = list->boxes.items[last].hidden;
        extent_set_remove(&list->boxes, last);
    }
}

/* Announce that the boxes are about to be asked. */
static void known_alignments_prepare(struct known_alignments *list)
{
    for (size_t i = list->boxes.count; i < list->count; i++)
        extent_set_add(&list->boxes, &list->items[i].alignment.extent, list->items[i].hidden);
}

/* Its path belongs to the list from then on. */
static void known_alignments_append(struct known_alignments *list, const struct known_alignment *item)
{
    const uint64_t end = item->alignment.database_end;
    const bool prepared = list->boxes.count == list->count;
    array_reserve(&list->items, &list->room, list->count, 1, sizeof *list->items);
    if (list->count == 0 || end < list->first_end)
        list->first_end = end;
    list->items[list->count++] = *item;
    if (prepared)
        known_alignments_prepare(list);
}

/* Drop the alignments that end at or before a database position. */
static void known_alignments_retire(struct known_alignments *list, uint64_t database)
{
    if (list->count == 0 || list->first_end > database)
        return;
    known_alignments_prepare(list);
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
        extent_set_remove(&list->boxes, (uint32_t)i);
    }
}

static void known_alignments_remove(struct known_alignments *list, size_t begin, size_t end)
{
    if (begin == end)
        return;
    known_alignments_reorder(list, begin);
    for (size_t i = begin; i < end; i++)
        path_destroy(&list->items[i].path);
    memmove(list->items + begin, list->items + end, (list->count - end) * sizeof *list->items);
    list->count -= end - begin;
}

/* Whether a pair lies on the path of an alignment. */
static bool known_alignments_contains(const struct known_alignments *list, uint64_t query, uint64_t database)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *a = &list->items[i].alignment;
        if (a->database_begin <= database && database < a->database_end && a->query_begin <= query &&
            query < a->query_end && path_contains(&list->items[i].path, query, database, 1))
            return true;
    }
    return false;
}

static void known_alignments_destroy(struct known_alignments *list)
{
    for (size_t i = 0; i < list->count; i++)
        path_destroy(&list->items[i].path);
    free(list->items);
    extent_set_destroy(&list->boxes);
    *list = (struct known_alignments){0};
}

/* --- a pass ---------------------------------------------------------------------------------------------- */

struct stage3_pass stage3_pass_whole(const struct stage3_query *query, enum strand strand)
{
    return (struct stage3_pass){
        .query = query->codes[strand],
        .query_records = query->query,
        .strand = strand,
        .database = query->database,
        .statistics = query->statistics,
        .least = query->least,
    };
}

void stage3_pass_bound(struct stage3_pass *pass, const struct query_segment *segment)
{
    pass->query_begin = segment->begin > STAGE3_MARGIN ? segment->begin - STAGE3_MARGIN : 0;
    pass->query_end = segment->begin + segment->length + STAGE3_MARGIN;
    pass->hsps_begin = segment->begin;
    pass->hsps_end = segment->begin + segment->length;
}

bool stage3_cuts_off(const struct query_segment *segment, uint64_t query_begin, uint64_t query_end)
{
    enum { WHOLE = STAGE3_MARGIN - STAGE3_NEAR };
    return query_begin + WHOLE < segment->begin || query_end > segment->begin + segment->length + WHOLE;
}

/* Without borders, set them to the query's ends. */
static void set_borders(struct stage3_pass *p)
{
    const uint64_t positions = p->query_records->positions;
    if (p->query_end == 0)
        p->query_begin = 0;
    if (p->query_end == 0 || p->query_end > positions)
        p->query_end = positions;
    if (p->hsps_end == 0) {
        p->hsps_begin = p->query_begin;
        p->hsps_end = p->query_end;
    }
}

struct stage3 *stage3_new(const struct stage3_pass *pass, struct alignment_list *out)
{
    struct stage3 *s = memory_new(1, sizeof *s);
    s->pass = *pass;
    s->out = out;
    s->bounds = (struct gapped_bounds){.query = pass->query, .database = pass->database};
    set_borders(&s->pass);
    s->gapped = gapped_new(&pass->statistics->scoring);
    s->pairs = (struct base_pairs){pass->database, pass->query, pass->query_records->positions};
    if (!s->pass.any_order)
        extended_diagonals_new(&s->diagonals, s->pass.hsps_begin, s->pass.hsps_end);
    return s;
}

void stage3_destroy(struct stage3 *s)
{
    if (!s)
        return;
    known_alignments_destroy(&s->known);
    known_alignments_destroy(&s->unlike);
    extent_set_destroy(&s->boxes);
    alignment_list_destroy(&s->candidates);
    free(s->pending);
    free(s->order);
    extended_diagonals_destroy(&s->diagonals);
    gapped_destroy(s->gapped);
    free(s);
}

struct stage3_counts stage3_counts(const struct stage3 *s)
{
    return s->counts;
}

void stage3_watch(struct stage3 *s, stage3_watcher *watch, void *data)
{
    s->watch = watch;
    s->watch_data = data;
}

/* Count what became of an HSP and tell the watcher. */
static void note_outcome(struct stage3 *s, struct alignment_seed origin, enum stage3_outcome outcome)
{
    s->counts.of[outcome]++;
    if (s->watch)
        s->watch(s->watch_data, origin.query, origin.database, outcome);
}

/* Positions [begin, end) of the strand. */
struct span {
    uint64_t begin, end;
};

/* Number of the query record, in the query's own order. */
static size_t query_record_at(const struct stage3 *s, uint64_t position)
{
    const struct sequences *q = s->pass.query_records;
    return sequences_record_at(q, s->pass.strand == STRAND_MINUS ? q->positions - 1 - position : position);
}

static struct span record_span(const struct stage3 *s, uint64_t number)
{
    const struct sequences *q = s->pass.query_records;
    const struct sequence_record *record = &q->records[number];
    uint64_t end = record->begin + record->bases;
    return s->pass.strand == STRAND_MINUS ? (struct span){q->positions - end, q->positions - record->begin}
                                          : (struct span){record->begin, end};
}

/* The part of a record that lies between the borders. */
static struct span within_borders(const struct stage3 *s, struct span record)
{
    return (struct span){s->pass.query_begin > record.begin ? s->pass.query_begin : record.begin,
                         s->pass.query_end < record.end ? s->pass.query_end : record.end};
}

static bool is_within(uint64_t position, uint64_t begin, uint64_t end)
{
    return begin <= position && position < end;
}

/* Most positions lie in the same record as the one before. */
static void enter_query_record(struct stage3 *s, uint64_t query)
{
    if (is_within(query, s->bounds.query_begin, s->bounds.query_end))
        return;
    size_t number = query_record_at(s, query);
    struct span span = within_borders(s, record_span(s, number));
    s->bounds.query_begin = span.begin;
    s->bounds.query_end = span.end;
    s->least_score = s->pass.least.scores[number];
}

/* The least score of an alignment of the query record that holds a position. */
static int least_score_at(struct stage3 *s, uint64_t query)
{
    enter_query_record(s, query);
    return s->least_score;
}

/* What may be aligned with a pair. */
static struct gapped_bounds bounds_at(struct stage3 *s, uint64_t query, uint64_t database)
{
    struct gapped_bounds *b = &s->bounds;
    enter_query_record(s, query);
    if (!is_within(database, b->database_begin, b->database_end)) {
        const struct sequences *d = s->pass.database;
        const struct sequence_record *record = &d->records[sequences_record_at(d, database)];
        b->database_begin = record->begin;
        b->database_end = record->begin + record->bases;
    }
    return *b;
}

bool stage3_contains(const struct stage3 *s, uint64_t query_position, uint64_t database_position)
{
    return known_alignments_contains(&s->known, query_position, database_position) ||
           known_alignments_contains(&s->unlike, query_position, database_position);
}

static bool is_enclosed(const struct stage3 *s, const struct gapped_extent *segment)
{
    return extent_set_encloses(&s->known.boxes, segment) || extent_set_encloses(&s->boxes, segment);
}

/* Whether a border that is not the record's own end is so near that the alignment may go on beyond it. */
static bool is_cut_off(const struct stage3 *s, const struct alignment *a)
{
    struct span record = record_span(s, a->query_record), part = within_borders(s, record);
    return (part.begin > record.begin && a->query_begin < part.begin + STAGE3_NEAR) ||
           (part.end < record.end && a->query_end + STAGE3_NEAR > part.end);
}

/* Count a run of equal bases that ends before (query, database), and remember the middle of the longest run. */
static void count_run(struct alignment *a, uint64_t query, uint64_t database, uint64_t run, uint64_t *longest)
{
    a->identities += run;
    if (run <= *longest)
        return;
    *longest = run;
    a->seeds[ALIGNMENT_MIDDLE] = (struct alignment_seed){query - 1 - run / 2, database - 1 - run / 2};
}

static void count_pairs(const struct stage3 *s, const struct path_block *b, struct alignment *a,
                        uint64_t *longest)
{
    uint64_t run_begin = 0;
    for (uint64_t j = 0; j < b->length; j += BASES_PER_WORD) {
        uint64_t bits = base_pairs_differ(&s->pairs, b->query + j, b->database + j, 1);
        for (; bits != 0; bits &= bits - 1) {
            uint64_t at = j + (uint64_t)__builtin_ctzll(bits) / BASE_PAIRS_BITS;
            if (at >= b->length)
                break;
            count_run(a, b->query + at, b->database + at, at - run_begin, longest);
            if (s->pass.query[b->query + at] == sequences_code(s->pass.database, b->database + at))
                a->identities++; /* an ambiguity code with itself */
            else
                a->mismatches++;
            run_begin = at + 1;
        }
    }
    count_run(a, b->query + b->length, b->database + b->length, b->length - run_begin, longest);
}

static struct alignment measure_path(const struct stage3 *s, const struct path *path,
                                     const struct alignment_seed *origin)
{
    const struct path_block *first = &path->blocks[0], *last = &path->blocks[path->count - 1];
    struct alignment a = {.score = path->score, .strand = (int32_t)s->pass.strand};
    uint64_t longest = 0;
    for (size_t i = 0; i < path->count; i++) {
        uint64_t query_gap, database_gap;
        path_gaps(path, i, &query_gap, &database_gap);
        a.gaps += query_gap + database_gap;
        a.gap_openings += (query_gap > 0) + (database_gap > 0);
        count_pairs(s, &path->blocks[i], &a, &longest);
    }
    a.columns = a.identities + a.mismatches + a.gaps;
    a.query_begin = first->query;
    a.database_begin = first->database;
    a.query_end = last->query + last->length;
    a.database_end = last->database + last->length;
    a.query_record = query_record_at(s, a.query_begin);
    a.database_record = sequences_record_at(s->pass.database, a.database_begin);
    a.seeds[ALIGNMENT_ORIGIN] = *origin;
    a.cut_off = (uint64_t)is_cut_off(s, &a);
    return a;
}

/* Keep a path. From now on it belongs to the context. */
static void keep_path(struct stage3 *s, struct path *path, const struct alignment_seed *origin)
{
    struct known_alignment item = {.alignment = measure_path(s, path, origin), .path = *path};
    bool kept = item.alignment.cut_off || alignment_has_identity(&item.alignment, s->pass.least.identity);
    known_alignments_append(kept ? &s->known : &s->unlike, &item);
}

static void align(struct stage3 *s, const struct alignment_seed *start, const struct alignment_seed *origin,
                  uint64_t *cells)
{
    struct gapped_bounds b = bounds_at(s, start->query, start->database);
    struct gapped_extent extent;
    const struct gapped_run *runs;
    size_t run_count;
    struct path path;
    gapped_align(s->gapped, &b, start->query, start->database, s->pass.statistics->xdrop_final, &extent,
                 &runs, &run_count, cells);
    if (extent.score < s->least_score)
        return;
    path_from_runs(runs, run_count, extent.query_begin, extent.database_begin, &path);
    path.score = extent.score;
    keep_path(s, &path, origin);
}

/* --- preliminary extensions of a cluster ----------------------------------------------------------------- */

static int compare_pointed(const void *left, const void *right)
{
    return extent_compare(*(const struct pending *const *)left, *(const struct pending *const *)right);
}

/* Sort pointers to the pending segments by their extents. */
static void sort_pending(struct stage3 *s)
{
    if (s->pending_count == 0)
        return;
    array_reserve(&s->order, &s->order_room, 0, s->pending_count, sizeof *s->order);
    for (size_t i = 0; i < s->pending_count; i++)
        s->order[i] = &s->pending[i];
    qsort(s->order, s->pending_count, sizeof *s->order, compare_pointed);
}

/* What is known of a pending segment before its turn. */
struct outlook {
    bool enclosed;
    size_t candidates; /* number of candidates when it was found out whether one encloses the segment */
    struct gapped_start start;
    struct gapped_glance glance; /* at the extension from `start` */
};

/* Find out about the next pending segments together. Segments that turn out to be enclosed by one of the others are
 * extended in vain, but no further than short extensions reach. */
static void look_at_pending(struct stage3 *s, const struct pending *const *p, size_t count,
                            struct outlook *outlook)
{
    struct gapped_start starts[GAPPED_TOGETHER];
    struct gapped_glance glances[GAPPED_TOGETHER];
    size_t start_count = 0;
    for (size_t i = 0; i < count; i++) {
        outlook[i] =
            (struct outlook){.enclosed = is_enclosed(s, &p[i]->extent), .candidates = s->candidates.count};
        outlook[i].start = (struct gapped_start){.bounds = bounds_at(s, p[i]->seeds[ALIGNMENT_ORIGIN].query,
                                                                     p[i]->seeds[ALIGNMENT_ORIGIN].database),
                                                 .query = p[i]->seeds[START].query,
                                                 .database = p[i]->seeds[START].database};
        if (!outlook[i].enclosed)
            starts[start_count++] = outlook[i].start;
    }
    gapped_glance_at(s->gapped, starts, start_count, s->pass.statistics->xdrop_preliminary, glances);
    start_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!outlook[i].enclosed)
            outlook[i].glance = glances[start_count++];
}

static void extend_pending(struct stage3 *s, const struct pending *p, const struct outlook *o,
                           uint64_t *cells)
{
    const struct alignment_seed origin = p->seeds[ALIGNMENT_ORIGIN], start = p->seeds[START];
    struct gapped_extent extent = o->glance.extent;
    if (o->candidates == s->candidates.count ? o->enclosed : is_enclosed(s, &p->extent)) {
        note_outcome(s, origin, STAGE3_ENCLOSED);
        return;
    }
    *cells += o->glance.cells;
    if (!o->glance.ended)
        gapped_score(s->gapped, &o->start.bounds, start.query, start.database,
                     s->pass.statistics->xdrop_preliminary, &extent, cells);
    if (extent.score < least_score_at(s, start.query)) {
        note_outcome(s, origin, STAGE3_UNKEPT);
        return;
    }
    const struct alignment c = {.extent = extent, .seeds = {[ALIGNMENT_ORIGIN] = origin, [START] = start}};
    alignment_list_append(&s->candidates, &c);
    extent_set_add(&s->boxes, &extent, false);
}

/* Extend all pending segments, the best first. */
static void extend_all_pending(struct stage3 *s, uint64_t *cells)
{
    struct outlook outlook[GAPPED_TOGETHER];
    sort_pending(s);
    for (size_t first = 0, count; first < s->pending_count; first += count) {
        count = s->pending_count - first < GAPPED_TOGETHER ? s->pending_count - first : GAPPED_TOGETHER;
        look_at_pending(s, &s->order[first], count, outlook);
        for (size_t i = 0; i < count; i++)
            extend_pending(s, s->order[first + i], &outlook[i], cells);
    }
}

/* --- candidates ------------------------------------------------------------------------------------------ */

/* Align the best of candidates that begin or end together, in the order of their scores. */
static void align_candidates(struct stage3 *s, uint64_t *cells)
{
    struct alignment *items = s->candidates.items;
    const size_t best = alignments_purge(items, s->candidates.count);
    if (best > 1)
        qsort(items, best, sizeof *items, extent_compare);
    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct alignment_seed *origin = &items[i].seeds[ALIGNMENT_ORIGIN],
                                    *start = &items[i].seeds[START];
        const bool aligned = i < best && !extent_set_encloses(&s->known.boxes, &items[i].extent) &&
                             !known_alignments_contains(&s->unlike, start->query, start->database);
        note_outcome(s, *origin, aligned ? STAGE3_ALIGNED : STAGE3_ENCLOSED);
        if (aligned)
            align(s, start, origin, cells);
    }
}

/* --- alignments that begin or end together --------------------------------------------------------------- */

/* Keep the part of an alignment on the far side of a corner, if that scores enough.
 *
 * @param after  true: the part after the corner; false: the part before it
 */
static void keep_rest(struct stage3 *s, const struct known_alignment *item, uint64_t query, uint64_t database,
                      bool after)
{
    struct path rest;
    path_cut(&item->path, query, database, after, &rest);
    if (rest.count > 0) {
        struct gapped_bounds b = bounds_at(s, rest.blocks[0].query, rest.blocks[0].database);
        path_keep_best_part(&rest, &b, s->pass.statistics, s->least_score);
    }
    if (rest.score >= least_score_at(s, item->alignment.query_begin))
        keep_path(s, &rest, &item->alignment.seeds[ALIGNMENT_ORIGIN]);
    else
        path_destroy(&rest);
}

/* The first of known[first, last), sorted, that begin (or end) together stays. The parts of the others that reach
 * farther are appended.
 *
 * @param count  out: number of alignments that stay; they stand at known[first]
 */
static void cut_overlaps(struct stage3 *s, size_t first, size_t last, bool begins, size_t *count)
{
    *count = 0;
    for (size_t i = first; i < last; i++) {
        struct known_alignment *items = s->known.items;
        const struct known_alignment item = items[i]; /* appending moves the items */
        struct gapped_extent e = item.alignment.extent, best = e;
        bool together = false;
        if (*count > 0) {
            best = items[first + *count - 1].alignment.extent;
            together = begins ? extents_begin_together(&best, &e) : extents_end_together(&best, &e);
        }
        if (!together) {
            items[i] = items[first + *count];
            items[first + (*count)++] = item;
        } else if (begins ? e.query_end > best.query_end : e.query_begin < best.query_begin) {
            keep_rest(s, &item, begins ? best.query_end : best.query_begin,
                      begins ? best.database_end : best.database_begin, begins);
        }
    }
}

static size_t add_run(struct gapped_run *runs, size_t count, enum gapped_step step, uint64_t length)
{
    if (length > 0)
        runs[count++] = (struct gapped_run){.step = step, .length = (uint32_t)length};
    return count;
}

/* Append an alignment and its path to the caller's list. */
static void report_alignment(struct stage3 *s, const struct known_alignment *item)
{
    const struct path *path = &item->path;
    auto_free struct gapped_run *runs = memory_take((3 * path->count + 1) * sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; i < path->count; i++) {
        uint64_t query_gap, database_gap;
        path_gaps(path, i, &query_gap, &database_gap);
        count = add_run(runs, count, GAPPED_DATABASE, query_gap);
        count = add_run(runs, count, GAPPED_QUERY, database_gap);
        count = add_run(runs, count, GAPPED_PAIR, path->blocks[i].length);
    }
    alignment_list_append_path(s->out, &item->alignment, runs, count);
}

/* The cluster's alignments are known[first ..]. Rests are appended to them and not cut again. */
static void resolve_overlaps(struct stage3 *s, size_t first)
{
    size_t count = s->known.count - first;
    for (int begins = 1; begins >= 0 && count > 1; begins--) {
        size_t end = first + count;
        known_alignments_reorder(&s->known, first);
        qsort(s->known.items + first, count, sizeof *s->known.items,
              begins ? extent_compare_begins : extent_compare_ends);
        cut_overlaps(s, first, end, begins, &count);
        known_alignments_remove(&s->known, first + count, end);
    }
    for (size_t i = first; i < s->known.count; i++)
        report_alignment(s, &s->known.items[i]);
}

void stage3_flush(struct stage3 *s, uint64_t *cells)
{
    size_t first = s->known.count;
    known_alignments_prepare(&s->known);
    *cells = 0;
    extend_all_pending(s, cells);
    align_candidates(s, cells);
    resolve_overlaps(s, first);
    s->pending_count = 0;
    s->candidates.count = 0;
    extent_set_clear(&s->boxes);
}

/* --- HSPs in stream order -------------------------------------------------------------------------------- */

/* Whether a segment is not extended with gaps; if it is, its start is set. */
static bool is_weak(const struct stage3 *s, const struct gapped_bounds *b,
                    const struct gapped_extent *segment, struct alignment_seed *start)
{
    int trigger = s->pass.statistics->gap_trigger;
    trigger = trigger < s->least_score ? trigger : s->least_score;
    if (segment->score < trigger)
        return true;
    const uint64_t column = stage3_ungapped_start(&s->pairs, segment);
    *start = (struct alignment_seed){segment->query_begin + column, segment->database_begin + column};
    /* BLASTN has the plus strand of each record, and behind it the minus strand. */
    const bool is_outer = b->query_begin == 0;
    const bool goes_on[2] = {!is_outer || s->pass.strand == STRAND_MINUS,
                             !is_outer || s->pass.strand == STRAND_PLUS};
    return !stage3_ungapped_coarse_reaches(&s->pairs, s->pass.statistics, b, goes_on, start->query,
                                           start->database, trigger * COARSE_TENTHS / 10);
}

/* Flush the cluster if the stream has passed it, and drop the alignments that the stream has passed. */
static inline void advance_stream(struct stage3 *s, uint64_t database_position, struct stage3_work *work)
{
    extended_diagonals_advance(&s->diagonals, database_position);
    if (s->pending_count > 0) {
        work->closes = database_position > s->reach + STAGE3_APART;
        if (!work->closes)
            return;
        stage3_flush(s, &work->cluster_cells);
    }
    known_alignments_retire(&s->known, database_position);
    known_alignments_retire(&s->unlike, database_position);
}

/* Extend an HSP that nothing is known of. */
static void extend_new(struct stage3 *s, uint64_t query_position, uint64_t database_position,
                       struct stage3_work *work)
{
    struct gapped_bounds bounds = bounds_at(s, query_position, database_position);
    const struct alignment_seed origin = {query_position, database_position};
    struct alignment_seed start;
    const struct gapped_extent segment = stage3_ungapped_extend(
        &s->pairs, s->pass.statistics, &bounds, query_position, database_position, &work->cells);
    if (!s->pass.any_order)
        extended_diagonals_note(&s->diagonals, query_position, database_position, segment.database_end);
    work->waits = !is_weak(s, &bounds, &segment, &start);
    if (!work->waits) {
        note_outcome(s, origin, STAGE3_WEAK);
        return;
    }
    if (s->pending_count == 0 || segment.database_end > s->reach)
        s->reach = segment.database_end;
    *ARRAY_NEXT(s->pending, s->pending_count, s->pending_room) =
        (struct pending){.extent = segment, .seeds = {[ALIGNMENT_ORIGIN] = origin, [START] = start}};
}

void stage3_extend(struct stage3 *s, uint64_t query_position, uint64_t database_position,
                   struct stage3_work *work)
{
    const struct alignment_seed origin = {query_position, database_position};
    *work = (struct stage3_work){0};
    if (!s->pass.any_order)
        advance_stream(s, database_position, work);
    if (stage3_contains(s, query_position, database_position))
        note_outcome(s, origin, STAGE3_CONTAINED);
    else if (!s->pass.any_order && extended_diagonals_cover(&s->diagonals, query_position, database_position))
        note_outcome(s, origin, STAGE3_REPEATED);
    else
        extend_new(s, query_position, database_position, work);
}

void stage3_extend_all(struct stage3 *s, const struct hsp *hsps, size_t count, uint64_t segment_begin,
                       struct stage3_work *work)
{
    for (size_t i = 0; i < count; i++) {
        const struct hsp *diagonal = &hsps[i + DIAGONAL_AHEAD], *bases = &hsps[i + BASES_AHEAD];
        if (i + DIAGONAL_AHEAD < count)
            __builtin_prefetch(extended_diagonals_at(&s->diagonals, segment_begin + diagonal->query_position,
                                                     diagonal->database_position),
                               1);
        if (i + BASES_AHEAD < count &&
            !extended_diagonals_cover(&s->diagonals, segment_begin + bases->query_position,
                                      bases->database_position))
            base_pairs_expect(&s->pairs, segment_begin + bases->query_position, bases->database_position);
        stage3_extend(s, segment_begin + hsps[i].query_position, hsps[i].database_position, work + i);
    }
}
