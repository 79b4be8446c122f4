#include "blast/stage3/stage3.h"
#include "blast/stage3/extent.h"
#include "blast/stage3/gapped.h"
#include "blast/stage3/path.h"
#include "blast/stage3/stage3_found.h"
#include "blast/stage3/stage3_ungapped.h"

#include <stdlib.h>
#include <string.h>

/* BLASTN packs four bases of the database in a byte; what scores below eight tenths of the trigger in whole bytes is not
 * looked at more closely. */
enum { COARSE_TENTHS = 8 };

/* An ungapped segment that waits for its cluster to be complete. */
struct pending {
    struct ungapped_segment segment;
    struct alignment_seed origin;
};

/* What a preliminary extension found. */
struct candidate {
    struct gapped_extent extent;
    struct alignment_seed origin, start;
    int dropped;
};

struct stage3 {
    struct stage3_pass pass;
    struct alignment_list *out;
    struct stage3_counts counts;
    gapped *gapped;
    struct base_pairs pairs;
    uint64_t *record_ends; /* of the query strand's records, a separator or the end */
    size_t record_count;
    uint64_t *reached; /* database position up to which a diagonal was extended, by diagonal modulo size */
    uint64_t reached_mask;
    struct found_list found;      /* not yet passed by the stream */
    struct candidate *candidates; /* of this cluster */
    size_t candidate_count, candidate_capacity;
    struct extent_set boxes; /* theirs */
    struct pending *pending;
    size_t pending_count, pending_capacity;
    uint64_t pending_reach; /* greatest database end of the pending segments */
    stage3_watcher *watch;
    void *watch_data;
};

static const uint8_t *separator_find(const uint8_t *from, const uint8_t *end)
{
    const uint8_t *found = memchr(from, BASE_SEPARATOR, (size_t)(end - from));

    return found != NULL ? found : end;
}

static int records_find(struct stage3 *s)
{
    const uint8_t *query = s->pass.query, *end = query + s->pass.query_positions, *separator;
    size_t count = 1;

    for (separator = separator_find(query, end); separator < end; count++)
        separator = separator_find(separator + 1, end);
    s->record_ends = malloc(count * sizeof *s->record_ends);
    if (s->record_ends == NULL)
        return STAGE3_EMEMORY;
    for (const uint8_t *begin = query; s->record_count < count; begin = separator + 1) {
        separator = separator_find(begin, end);
        s->record_ends[s->record_count++] = (uint64_t)(separator - query);
    }
    return 0;
}

/* Query positions that extensions may reach. */
static uint64_t query_span(const struct stage3_pass *p)
{
    uint64_t end = p->query_end > 0 && p->query_end < p->query_positions ? p->query_end : p->query_positions;

    return end - (p->query_end > 0 ? p->query_begin : 0);
}

static int pairs_create(struct stage3 *s)
{
    uint64_t begin = s->pass.query_end > 0 ? s->pass.query_begin : 0;

    return base_pairs_pack(&s->pairs, s->pass.database, s->pass.query, s->pass.query_positions, begin,
                           begin + query_span(&s->pass)) == 0
               ? 0
               : STAGE3_EMEMORY;
}

/* Of two diagonals that share an entry, the one is behind the query's span before the other comes into it. */
static int reached_create(struct stage3 *s)
{
    uint64_t size = 1;

    while (size < query_span(&s->pass))
        size *= 2;
    s->reached = calloc(size, sizeof *s->reached);
    s->reached_mask = size - 1;
    return s->reached == NULL ? STAGE3_EMEMORY : 0;
}

struct stage3 *stage3_create(const struct stage3_pass *pass, struct alignment_list *out)
{
    struct stage3 *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    s->pass = *pass;
    s->out = out;
    s->gapped = gapped_create(&pass->statistics->scoring);
    if (s->gapped == NULL || records_find(s) != 0 || reached_create(s) != 0 || pairs_create(s) != 0) {
        stage3_destroy(s);
        return NULL;
    }
    return s;
}

void stage3_destroy(struct stage3 *s)
{
    if (s == NULL)
        return;
    found_list_destroy(&s->found);
    extent_set_destroy(&s->boxes);
    free(s->candidates);
    free(s->pending);
    free(s->reached);
    free(s->record_ends);
    base_pairs_destroy(&s->pairs);
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

static void outcome_set(struct stage3 *s, struct alignment_seed origin, enum stage3_outcome outcome)
{
    s->counts.of[outcome]++;
    if (s->watch != NULL)
        s->watch(s->watch_data, origin.query, origin.database, outcome);
}

/* Index of the query record, in the strand's order. */
static size_t query_record_at(const struct stage3 *s, uint64_t position)
{
    size_t low = 0, high = s->record_count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->record_ends[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t record_begin(const struct stage3 *s, size_t record)
{
    return record == 0 ? 0 : s->record_ends[record - 1] + 1;
}

static uint64_t border_begin(const struct stage3 *s, size_t record)
{
    uint64_t begin = record_begin(s, record);

    return s->pass.query_end > 0 && s->pass.query_begin > begin ? s->pass.query_begin : begin;
}

static uint64_t border_end(const struct stage3 *s, size_t record)
{
    uint64_t end = s->record_ends[record];

    return s->pass.query_end > 0 && s->pass.query_end < end ? s->pass.query_end : end;
}

static struct gapped_bounds bounds_at(const struct stage3 *s, uint64_t query, uint64_t database)
{
    size_t q = query_record_at(s, query);
    const struct sequence_record *d =
        &s->pass.database->records[sequences_record_at(s->pass.database, database)];

    return (struct gapped_bounds){
        .query = s->pass.query,
        .query_begin = border_begin(s, q),
        .query_end = border_end(s, q),
        .database = s->pass.database,
        .database_begin = d->begin,
        .database_end = d->begin + d->bases,
    };
}

int stage3_contains(const struct stage3 *s, uint64_t query_position, uint64_t database_position)
{
    return found_list_contains(&s->found, query_position, database_position);
}

static int segment_is_enclosed(const struct stage3 *s, const struct ungapped_segment *u)
{
    const struct gapped_extent e = {.score = u->score,
                                    .query_begin = u->query,
                                    .query_end = u->query + u->length,
                                    .database_begin = u->database,
                                    .database_end = u->database + u->length};

    return found_list_encloses(&s->found, &e) || extent_set_encloses(&s->boxes, &e);
}

static uint64_t query_record_number(const struct stage3 *s, uint64_t position)
{
    size_t record = query_record_at(s, position);

    return s->pass.strand == STRAND_MINUS ? s->record_count - 1 - record : record;
}

/* Whether a border that is not the record's own end is so near that the alignment may go on beyond it. */
static int is_cut_off(const struct stage3 *s, const struct alignment *a)
{
    size_t record = query_record_at(s, a->query_begin);
    uint64_t begin = border_begin(s, record), end = border_end(s, record);

    return (begin > record_begin(s, record) && a->query_begin < begin + STAGE3_NEAR) ||
           (end < s->record_ends[record] && a->query_end + STAGE3_NEAR > end);
}

/* Count a run of equal bases that ends before (query, database), and remember the middle of the longest. */
static void run_count(struct alignment *a, uint64_t query, uint64_t database, uint64_t run, uint64_t *longest)
{
    a->identities += run;
    if (run <= *longest)
        return;
    *longest = run;
    a->seeds[ALIGNMENT_MIDDLE] = (struct alignment_seed){query - 1 - run / 2, database - 1 - run / 2};
}

static void pairs_count(const struct stage3 *s, const struct path_block *b, struct alignment *a,
                        uint64_t *longest)
{
    uint64_t run_begin = 0;

    for (uint64_t j = 0; j < b->length; j += BASES_PER_WORD) {
        uint64_t bits = base_pairs_differ(&s->pairs, b->query + j, b->database + j, 1);

        for (; bits != 0; bits &= bits - 1) {
            uint64_t at = j + (uint64_t)__builtin_ctzll(bits) / 4;

            if (at >= b->length)
                break;
            run_count(a, b->query + at, b->database + at, at - run_begin, longest);
            a->mismatches++;
            run_begin = at + 1;
        }
    }
    run_count(a, b->query + b->length, b->database + b->length, b->length - run_begin, longest);
}

/* Add a block's pairs, and the gaps before it. */
static void block_count(const struct stage3 *s, const struct path *path, size_t i, struct alignment *a,
                        uint64_t *longest)
{
    uint64_t query_gap, database_gap;

    path_gaps(path, i, &query_gap, &database_gap);
    a->gaps += query_gap + database_gap;
    a->gap_openings += (query_gap > 0) + (database_gap > 0);
    pairs_count(s, &path->blocks[i], a, longest);
}

static struct alignment path_measure(const struct stage3 *s, const struct path *path,
                                     const struct alignment_seed *origin)
{
    const struct path_block *first = &path->blocks[0], *last = &path->blocks[path->count - 1];
    struct alignment a = {.score = path->score, .strand = (int32_t)s->pass.strand};
    uint64_t longest = 0;

    for (size_t i = 0; i < path->count; i++)
        block_count(s, path, i, &a, &longest);
    a.columns = a.identities + a.mismatches + a.gaps;
    a.query_begin = first->query;
    a.database_begin = first->database;
    a.query_end = last->query + last->length;
    a.database_end = last->database + last->length;
    a.query_record = query_record_number(s, a.query_begin);
    a.database_record = sequences_record_at(s->pass.database, a.database_begin);
    a.seeds[ALIGNMENT_ORIGIN] = *origin;
    a.cut_off = (uint64_t)is_cut_off(s, &a);
    return a;
}

/* Keep a path, which belongs to the context from then on, error or not. */
static int path_keep(struct stage3 *s, struct path *path, const struct alignment_seed *origin)
{
    struct found found = {.alignment = path_measure(s, path, origin), .path = *path};

    if (found_list_append(&s->found, &found) == 0)
        return 0;
    path_destroy(path);
    return STAGE3_EMEMORY;
}

static int align(struct stage3 *s, const struct candidate *c, uint64_t *cells)
{
    struct gapped_bounds b = bounds_at(s, c->start.query, c->start.database);
    struct gapped_extent extent;
    const struct gapped_run *runs;
    size_t run_count;
    struct path path;

    if (gapped_align(s->gapped, &b, c->start.query, c->start.database, s->pass.statistics->xdrop_final,
                     &extent, &runs, &run_count, cells) != 0)
        return STAGE3_EMEMORY;
    if (extent.score < s->pass.least_score)
        return 0;
    if (path_from_runs(runs, run_count, extent.query_begin, extent.database_begin, &path) != 0)
        return STAGE3_EMEMORY;
    path.score = extent.score;
    return path_keep(s, &path, &c->origin);
}

/* --- preliminary extensions of a cluster ----------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_pending(const void *left, const void *right)
{
    const struct ungapped_segment *a = &((const struct pending *)left)->segment,
                                  *b = &((const struct pending *)right)->segment;
    int order = (a->score < b->score) - (a->score > b->score);

    if (order == 0)
        order = compare_u64(a->database, b->database);
    if (order == 0)
        order = compare_u64(b->length, a->length);
    return order != 0 ? order : compare_u64(a->query, b->query);
}

static int candidate_append(struct stage3 *s, const struct candidate *candidate)
{
    if (s->candidate_count == s->candidate_capacity) {
        size_t capacity = s->candidate_capacity > 0 ? 2 * s->candidate_capacity : 64;
        struct candidate *grown = realloc(s->candidates, capacity * sizeof *grown);

        if (grown == NULL)
            return STAGE3_EMEMORY;
        s->candidates = grown;
        s->candidate_capacity = capacity;
    }
    s->candidates[s->candidate_count++] = *candidate;
    return extent_set_add(&s->boxes, &candidate->extent, 0) == 0 ? 0 : STAGE3_EMEMORY;
}

static int pending_extend(struct stage3 *s, const struct pending *p, uint64_t *cells)
{
    const struct ungapped_segment *u = &p->segment;
    struct gapped_bounds b = bounds_at(s, p->origin.query, p->origin.database);
    uint64_t shift = stage3_ungapped_start(&s->pairs, u);
    struct candidate c = {.origin = p->origin, .start = {u->query + shift, u->database + shift}};

    if (segment_is_enclosed(s, u)) {
        outcome_set(s, p->origin, STAGE3_ENCLOSED);
        return 0;
    }
    if (gapped_score(s->gapped, &b, c.start.query, c.start.database, s->pass.statistics->xdrop_preliminary,
                     &c.extent, cells) != 0)
        return STAGE3_EMEMORY;
    if (c.extent.score < s->pass.least_score) {
        outcome_set(s, p->origin, STAGE3_UNKEPT);
        return 0;
    }
    return candidate_append(s, &c);
}

/* --- candidates ------------------------------------------------------------------------------------------ */

static int compare_kept(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    return a->dropped != b->dropped ? a->dropped - b->dropped : extent_compare(&a->extent, &b->extent);
}

static int compare_candidate_begins(const void *left, const void *right)
{
    return extent_compare_begins(&((const struct candidate *)left)->extent,
                                 &((const struct candidate *)right)->extent);
}

static int compare_candidate_ends(const void *left, const void *right)
{
    return extent_compare_ends(&((const struct candidate *)left)->extent,
                               &((const struct candidate *)right)->extent);
}

/* Of sorted neighbours that are together, the first stays. */
static void purge_sorted(struct stage3 *s,
                         int (*together)(const struct gapped_extent *, const struct gapped_extent *))
{
    const struct candidate *last = NULL;

    for (size_t i = 0; i < s->candidate_count; i++) {
        struct candidate *c = &s->candidates[i];

        if (c->dropped)
            continue;
        if (last != NULL && together(&last->extent, &c->extent))
            c->dropped = 1;
        else
            last = c;
    }
}

/* Of those that begin or end together the best stay; they come first, in the order of their scores. */
static void candidates_purge(struct stage3 *s)
{
    if (s->candidate_count < 2)
        return;
    qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_candidate_begins);
    purge_sorted(s, extents_begin_together);
    qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_candidate_ends);
    purge_sorted(s, extents_end_together);
    qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_kept);
}

static int candidate_align(struct stage3 *s, const struct candidate *c, uint64_t *cells)
{
    if (c->dropped || found_list_encloses(&s->found, &c->extent)) {
        outcome_set(s, c->origin, STAGE3_ENCLOSED);
        return 0;
    }
    outcome_set(s, c->origin, STAGE3_ALIGNED);
    return align(s, c, cells);
}

/* --- alignments that begin or end together --------------------------------------------------------------- */

/* What of an alignment lies on the far side of a corner, if that is worth keeping; the alignment is given up. */
static int rest_keep(struct stage3 *s, struct found *f, uint64_t query, uint64_t database, int behind)
{
    struct alignment_seed origin = f->alignment.seeds[ALIGNMENT_ORIGIN];
    struct gapped_bounds b;
    struct path rest;

    if (path_cut(&f->path, query, database, behind, &rest) != 0)
        return STAGE3_EMEMORY;
    if (rest.count > 0) {
        b = bounds_at(s, rest.blocks[0].query, rest.blocks[0].database);
        path_keep_best_part(&rest, &b, &s->pass.statistics->scoring, s->pass.least_score);
    }
    if (rest.score >= s->pass.least_score)
        return path_keep(s, &rest, &origin);
    path_destroy(&rest);
    return 0;
}

static int compare_found_begins(const void *left, const void *right)
{
    struct gapped_extent a = found_extent(left), b = found_extent(right);

    return extent_compare_begins(&a, &b);
}

static int compare_found_ends(const void *left, const void *right)
{
    struct gapped_extent a = found_extent(left), b = found_extent(right);

    return extent_compare_ends(&a, &b);
}

/* Of found[first, last), sorted, those that begin (or end) together: the first stays, of the others what
 * reaches farther. Returns how many stay, or an error. */
static int64_t overlaps_cut(struct stage3 *s, size_t first, size_t last, int behind)
{
    size_t kept = first;

    for (size_t i = first; i < last; i++) {
        struct gapped_extent f = found_extent(&s->found.items[i]), best = f;
        int farther = 0, together = 0;

        if (kept > first) {
            best = found_extent(&s->found.items[kept - 1]);
            together = behind ? extents_begin_together(&best, &f) : extents_end_together(&best, &f);
            farther = behind ? f.query_end > best.query_end : f.query_begin < best.query_begin;
        }
        if (!together) {
            struct found swap = s->found.items[kept];

            s->found.items[kept++] = s->found.items[i];
            s->found.items[i] = swap;
        } else if (farther && rest_keep(s, &s->found.items[i], behind ? best.query_end : best.query_begin,
                                        behind ? best.database_end : best.database_begin, behind) != 0) {
            return STAGE3_EMEMORY;
        }
    }
    return (int64_t)(kept - first);
}

static size_t add_run(struct gapped_run *runs, size_t count, enum gapped_step step, uint64_t length)
{
    if (length > 0)
        runs[count++] = (struct gapped_run){.step = step, .length = (uint32_t)length};
    return count;
}

/* Hand an alignment out, with its path. */
static int found_report(struct stage3 *s, const struct found *found)
{
    const struct path *path = &found->path;
    struct gapped_run *runs = malloc((3 * path->count + 1) * sizeof *runs);
    size_t count = 0;
    int status;

    if (runs == NULL)
        return STAGE3_EMEMORY;
    for (size_t i = 0; i < path->count; i++) {
        uint64_t in_query, in_database; /* columns with a gap there */

        path_gaps(path, i, &in_query, &in_database);
        count = add_run(runs, count, GAPPED_DATABASE, in_query);
        count = add_run(runs, count, GAPPED_QUERY, in_database);
        count = add_run(runs, count, GAPPED_PAIR, path->blocks[i].length);
    }
    status = alignment_list_append_path(s->out, &found->alignment, runs, count);
    free(runs);
    return status == 0 ? 0 : STAGE3_EMEMORY;
}

/* The cluster's alignments are found[first ..]; rests go behind them and are not cut again. */
static int overlaps_resolve(struct stage3 *s, size_t first)
{
    size_t count = s->found.count - first;

    for (int behind = 1; behind >= 0 && count > 1; behind--) {
        int64_t kept;

        found_list_reorder(&s->found);
        qsort(s->found.items + first, count, sizeof *s->found.items,
              behind ? compare_found_begins : compare_found_ends);
        kept = overlaps_cut(s, first, first + count, behind);
        if (kept < 0)
            return STAGE3_EMEMORY;
        found_list_remove(&s->found, first + (size_t)kept, first + count);
        count = (size_t)kept;
    }
    for (size_t i = first; i < s->found.count; i++)
        if (found_report(s, &s->found.items[i]) != 0)
            return STAGE3_EMEMORY;
    return 0;
}

int stage3_flush(struct stage3 *s, uint64_t *cells)
{
    size_t first = s->found.count;
    int status;

    *cells = 0;
    status = found_list_prepare(&s->found) == 0 ? 0 : STAGE3_EMEMORY;
    if (s->pending_count > 1)
        qsort(s->pending, s->pending_count, sizeof *s->pending, compare_pending);
    for (size_t i = 0; i < s->pending_count && status == 0; i++)
        status = pending_extend(s, &s->pending[i], cells);
    candidates_purge(s);
    for (size_t i = 0; i < s->candidate_count && status == 0; i++)
        status = candidate_align(s, &s->candidates[i], cells);
    if (status == 0)
        status = overlaps_resolve(s, first);
    s->pending_count = 0;
    s->candidate_count = 0;
    extent_set_clear(&s->boxes);
    return status;
}

/* --- HSPs in stream order -------------------------------------------------------------------------------- */

static int trigger_score(const struct stage3 *s)
{
    int trigger = s->pass.statistics->gap_trigger;

    return trigger < s->pass.least_score ? trigger : s->pass.least_score;
}

static int is_weak(const struct stage3 *s, const struct gapped_bounds *b, const struct ungapped_segment *u)
{
    int trigger = trigger_score(s);
    uint64_t shift;

    if (u->score < trigger)
        return 1;
    shift = stage3_ungapped_start(&s->pairs, u);
    return stage3_ungapped_coarse_score(&s->pairs, s->pass.statistics, b, u->query + shift,
                                        u->database + shift) < trigger * COARSE_TENTHS / 10;
}

static int pending_append(struct stage3 *s, const struct pending *p)
{
    uint64_t end = p->segment.database + p->segment.length;

    if (s->pending_count == s->pending_capacity) {
        size_t capacity = s->pending_capacity > 0 ? 2 * s->pending_capacity : 64;
        struct pending *grown = realloc(s->pending, capacity * sizeof *grown);

        if (grown == NULL)
            return STAGE3_EMEMORY;
        s->pending = grown;
        s->pending_capacity = capacity;
    }
    if (s->pending_count == 0 || end > s->pending_reach)
        s->pending_reach = end;
    s->pending[s->pending_count++] = *p;
    return 0;
}

static int cluster_advance(struct stage3 *s, uint64_t database_position, uint64_t *cells)
{
    int status = 0;

    if (s->pass.any_order)
        return 0;
    if (s->pending_count > 0 && database_position > s->pending_reach + STAGE3_APART)
        status = stage3_flush(s, cells);
    if (s->pending_count == 0)
        found_list_retire(&s->found, database_position);
    return status;
}

static inline uint64_t *reached_at(const struct stage3 *s, uint64_t query, uint64_t database)
{
    return &s->reached[(database - query) & s->reached_mask];
}

void stage3_expect(const struct stage3 *s, uint64_t query_position, uint64_t database_position)
{
    __builtin_prefetch(reached_at(s, query_position, database_position), 1);
}

int stage3_extend(struct stage3 *s, uint64_t query_position, uint64_t database_position, uint64_t *cells)
{
    uint64_t *reached = reached_at(s, query_position, database_position);
    struct pending p = {.origin = {query_position, database_position}};
    struct gapped_bounds bounds;

    *cells = 0;
    if (cluster_advance(s, database_position, cells) != 0)
        return STAGE3_EMEMORY;
    if (stage3_contains(s, query_position, database_position)) {
        outcome_set(s, p.origin, STAGE3_CONTAINED);
        return 0;
    }
    if (*reached > database_position && !s->pass.any_order) {
        outcome_set(s, p.origin, STAGE3_REPEATED);
        return 0;
    }
    bounds = bounds_at(s, query_position, database_position);
    p.segment = stage3_ungapped_extend(&s->pairs, s->pass.statistics, &bounds, query_position,
                                       database_position, cells);
    *reached = p.segment.database + p.segment.length;
    if (is_weak(s, &bounds, &p.segment)) {
        outcome_set(s, p.origin, STAGE3_WEAK);
        return 0;
    }
    return pending_append(s, &p);
}
