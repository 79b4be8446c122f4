#include "blast/stage3.h"
#include "blast/gapped.h"

#include <stdlib.h>
#include <string.h>

/* A stretch of an alignment without gaps. */
struct segment {
    uint64_t query, database, length;
};

/* An alignment of this pass with its path, as long as the stream may still meet it. */
struct found {
    struct alignment alignment;
    struct segment *segments;
    size_t segment_count;
};

struct ungapped {
    uint64_t query, database, length;
    int score;
};

/* An ungapped segment that waits for its cluster to be complete. */
struct pending {
    struct ungapped segment;
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
    enum stage3_outcome outcome;
    gapped *gapped;
    struct alignment_seed origin; /* the HSP being extended */
    uint64_t *record_ends;        /* of the query strand's records, a separator or the end */
    size_t record_count;
    uint64_t *reached; /* database position up to which a diagonal was extended, by diagonal modulo size */
    uint64_t reached_mask;
    struct found *found; /* not yet passed by the stream */
    size_t found_count, found_capacity;
    struct candidate *candidates; /* of this cluster */
    size_t candidate_count, candidate_capacity;
    struct pending *pending;
    size_t pending_count, pending_capacity;
    uint64_t pending_reach; /* greatest database end of the pending segments */
    stage3_watcher *watch;
    void *watch_data;
};

/* Columns [begin, end) of a path. */
struct piece {
    uint64_t begin, end;
    int score;
};

/* A place on a path. */
struct cursor {
    const struct gapped_run *runs;
    uint32_t offset; /* in the first of runs */
    uint64_t query, database;
};

static size_t separators_count(const uint8_t *codes, uint64_t count)
{
    size_t separators = 0;

    for (uint64_t i = 0; i < count; i++)
        separators += codes[i] == BASE_SEPARATOR;
    return separators;
}

static int records_find(struct stage3 *s)
{
    const struct stage3_pass *p = &s->pass;

    s->record_ends = malloc((separators_count(p->query, p->query_positions) + 1) * sizeof *s->record_ends);
    if (s->record_ends == NULL)
        return STAGE3_EMEMORY;
    for (uint64_t i = 0; i < p->query_positions; i++)
        if (p->query[i] == BASE_SEPARATOR)
            s->record_ends[s->record_count++] = i;
    s->record_ends[s->record_count++] = p->query_positions;
    return 0;
}

static int reached_create(struct stage3 *s)
{
    uint64_t size = 1;

    while (size < s->pass.query_positions)
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
    if (s->gapped == NULL || records_find(s) != 0 || reached_create(s) != 0) {
        stage3_destroy(s);
        return NULL;
    }
    return s;
}

void stage3_destroy(struct stage3 *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->found_count; i++)
        free(s->found[i].segments);
    free(s->found);
    free(s->candidates);
    free(s->pending);
    free(s->reached);
    free(s->record_ends);
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

static int bases_match(const struct stage3 *s, uint64_t query, uint64_t database)
{
    uint8_t code = s->pass.query[query];

    return code <= BASE_T && code == sequences_code(s->pass.database, database);
}

/* Forget alignments that the stream has passed. */
static void found_retire(struct stage3 *s, uint64_t database)
{
    for (size_t i = 0; i < s->found_count;) {
        if (s->found[i].alignment.database_end > database) {
            i++;
            continue;
        }
        free(s->found[i].segments);
        s->found[i] = s->found[--s->found_count];
    }
}

static int path_goes_through(const struct found *f, uint64_t query, uint64_t database)
{
    size_t low = 0, high = f->segment_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (f->segments[middle].database <= database)
            low = middle;
        else
            high = middle;
    }
    return database - f->segments[low].database < f->segments[low].length &&
           query - f->segments[low].query == database - f->segments[low].database;
}

int stage3_contains(const struct stage3 *s, uint64_t query_position, uint64_t database_position)
{
    for (size_t i = 0; i < s->found_count; i++)
        if (path_goes_through(&s->found[i], query_position, database_position))
            return 1;
    return 0;
}

/* Whether an alignment found encloses a box of no better score. */
static int box_is_enclosed(const struct stage3 *s, int score, uint64_t query_begin, uint64_t query_end,
                           uint64_t database_begin, uint64_t database_end)
{
    for (size_t i = 0; i < s->found_count; i++)
        if (score <= s->found[i].alignment.score &&
            alignment_encloses(&s->found[i].alignment, query_begin, query_end, database_begin, database_end))
            return 1;
    return 0;
}

static int segment_is_enclosed(const struct stage3 *s, const struct ungapped *u)
{
    if (box_is_enclosed(s, u->score, u->query, u->query + u->length, u->database, u->database + u->length))
        return 1;
    for (size_t i = 0; i < s->candidate_count; i++) {
        const struct gapped_extent *e = &s->candidates[i].extent;
        const struct alignment box = {.query_begin = e->query_begin,
                                      .query_end = e->query_end,
                                      .database_begin = e->database_begin,
                                      .database_end = e->database_end};

        if (u->score <= e->score &&
            alignment_encloses(&box, u->query, u->query + u->length, u->database, u->database + u->length))
            return 1;
    }
    return 0;
}

/* Columns from (query, database) on in one direction up to the best end; columns looked at are added to
 * cells. */
static uint64_t ungapped_side(const struct stage3 *s, const struct gapped_bounds *b, uint64_t query,
                              uint64_t database, int step, int *score, uint64_t *cells)
{
    const struct scoring_statistics *t = s->pass.statistics;
    uint64_t best_length = 0, query_left = step > 0 ? b->query_end - query : query + 1 - b->query_begin;
    uint64_t database_left = step > 0 ? b->database_end - database : database + 1 - b->database_begin;
    uint64_t left = query_left < database_left ? query_left : database_left;
    int best = 0, sum = 0;

    for (uint64_t i = 0; i < left && best - sum <= t->xdrop_ungapped + 1; i++) {
        sum += bases_match(s, query, database) ? t->scoring.match : t->scoring.mismatch;
        if (sum > best) {
            best = sum;
            best_length = i + 1;
        }
        query += (uint64_t)step;
        database += (uint64_t)step;
        ++*cells;
    }
    *score += best;
    return best_length;
}

static struct ungapped ungapped_extend(const struct stage3 *s, const struct gapped_bounds *b, uint64_t query,
                                       uint64_t database, uint64_t *cells)
{
    int score = 0;
    uint64_t left = ungapped_side(s, b, query, database, -1, &score, cells);
    uint64_t right = ungapped_side(s, b, query + 1, database + 1, 1, &score, cells);

    return (struct ungapped){
        .query = query + 1 - left, .database = database + 1 - left, .length = left + right, .score = score};
}

/* Where in a segment gapped extension starts: the middle of the first longest run of equal bases. */
static uint64_t start_choose(const struct stage3 *s, const struct ungapped *u)
{
    uint64_t run = 0, longest = 0, end = 0;

    for (uint64_t i = 0; i < u->length; i++) {
        run = bases_match(s, u->query + i, u->database + i) ? run + 1 : 0;
        if (run > longest) {
            longest = run;
            end = i + 1;
        }
    }
    return end - (longest + 1) / 2;
}

static uint64_t start_first(const struct stage3 *s, const struct ungapped *u)
{
    uint64_t run = 0;

    for (uint64_t i = 0; i < u->length; i++) {
        run = bases_match(s, u->query + i, u->database + i) ? run + 1 : 0;
        if (run == 11)
            return i - 10;
    }
    return start_choose(s, u);
}

static void cursor_advance(struct cursor *c)
{
    c->query += c->runs->step != GAPPED_DATABASE;
    c->database += c->runs->step != GAPPED_QUERY;
    if (++c->offset == c->runs->length) {
        c->runs++;
        c->offset = 0;
    }
}

static void cursor_skip(struct cursor *c, uint64_t columns)
{
    while (columns > 0) {
        uint64_t here = c->runs->length - c->offset;
        uint64_t jump = here < columns ? here : columns;

        c->query += c->runs->step != GAPPED_DATABASE ? jump : 0;
        c->database += c->runs->step != GAPPED_QUERY ? jump : 0;
        c->offset += (uint32_t)jump;
        columns -= jump;
        if (jump == here) {
            c->runs++;
            c->offset = 0;
        }
    }
}

static int column_score(const struct stage3 *s, const struct cursor *c)
{
    const struct scoring *scoring = &s->pass.statistics->scoring;

    if (c->runs->step == GAPPED_PAIR)
        return bases_match(s, c->query, c->database) ? scoring->match : scoring->mismatch;
    return -scoring->gap_extend - (c->offset == 0 ? scoring->gap_open : 0);
}

/* The best scoring part of columns [begin, end) of a path, the longest of equals. */
static struct piece piece_best(const struct stage3 *s, struct cursor path, uint64_t begin, uint64_t end)
{
    struct piece best = {.begin = begin, .end = begin, .score = 0};
    uint64_t from = begin;
    int sum = 0;

    cursor_skip(&path, begin);
    for (uint64_t i = begin; i < end; i++) {
        sum += column_score(s, &path);
        if (sum < 0) {
            sum = 0;
            from = i + 1;
        }
        if (sum > 0 && sum >= best.score)
            best = (struct piece){.begin = from, .end = i + 1, .score = sum};
        cursor_advance(&path);
    }
    return best;
}

static void column_count(const struct stage3 *s, const struct cursor *c, struct alignment *a)
{
    a->columns++;
    if (c->runs->step != GAPPED_PAIR) {
        a->gaps++;
        a->gap_openings += c->offset == 0;
    } else if (bases_match(s, c->query, c->database)) {
        a->identities++;
    } else {
        a->mismatches++;
    }
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

/* Remember the middle of the longest run of equal bases, of which this column is the `run`th. */
static void middle_note(struct alignment *a, const struct cursor *c, uint64_t run, uint64_t *longest)
{
    if (run <= *longest)
        return;
    *longest = run;
    a->seeds[ALIGNMENT_MIDDLE] = (struct alignment_seed){c->query - run / 2, c->database - run / 2};
}

static struct alignment piece_measure(const struct stage3 *s, struct cursor path, const struct piece *piece)
{
    struct alignment a = {.score = piece->score, .strand = (int32_t)s->pass.strand};
    uint64_t run = 0, longest = 0;

    cursor_skip(&path, piece->begin);
    a.query_begin = path.query;
    a.database_begin = path.database;
    for (uint64_t i = piece->begin; i < piece->end; i++) {
        uint64_t identities = a.identities;

        column_count(s, &path, &a);
        run = a.identities > identities ? run + 1 : 0;
        middle_note(&a, &path, run, &longest);
        cursor_advance(&path);
    }
    a.query_end = path.query;
    a.database_end = path.database;
    a.query_record = query_record_number(s, a.query_begin);
    a.database_record = sequences_record_at(s->pass.database, a.database_begin);
    a.seeds[ALIGNMENT_ORIGIN] = s->origin;
    a.cut_off = (uint64_t)is_cut_off(s, &a);
    return a;
}

/* The path of a piece; its runs of pairs are the segments. */
static struct segment *segments_create(struct cursor path, const struct piece *piece, size_t runs,
                                       size_t *count)
{
    struct segment *segments = malloc((runs + 1) * sizeof *segments);
    uint64_t left = piece->end - piece->begin;

    if (segments == NULL)
        return NULL;
    *count = 0;
    cursor_skip(&path, piece->begin);
    while (left > 0) {
        uint64_t here = path.runs->length - path.offset;
        uint64_t length = here < left ? here : left;

        if (path.runs->step == GAPPED_PAIR)
            segments[(*count)++] = (struct segment){path.query, path.database, length};
        cursor_skip(&path, length);
        left -= length;
    }
    return segments;
}

static int found_append(struct stage3 *s, struct found found)
{
    if (s->found_count == s->found_capacity) {
        size_t capacity = s->found_capacity > 0 ? 2 * s->found_capacity : 64;
        struct found *grown = realloc(s->found, capacity * sizeof *grown);

        if (grown == NULL)
            return STAGE3_EMEMORY;
        s->found = grown;
        s->found_capacity = capacity;
    }
    s->found[s->found_count++] = found;
    return 0;
}

static int piece_keep(struct stage3 *s, struct cursor path, const struct piece *piece, size_t runs)
{
    struct found found = {.alignment = piece_measure(s, path, piece)};

    if (alignment_list_append(s->out, &found.alignment) != 0)
        return STAGE3_EMEMORY;
    found.segments = segments_create(path, piece, runs, &found.segment_count);
    if (found.segments == NULL)
        return STAGE3_EMEMORY;
    if (found_append(s, found) != 0) {
        free(found.segments);
        return STAGE3_EMEMORY;
    }
    return 0;
}

/* Keep the best part of columns [begin, end), then what is worth keeping left and right of it. */
static int pieces_keep(struct stage3 *s, struct cursor path, uint64_t begin, uint64_t end, size_t runs)
{
    while (begin < end) {
        struct piece best = piece_best(s, path, begin, end);

        if (best.score < s->pass.least_score)
            return 0;
        if (piece_keep(s, path, &best, runs) != 0 || pieces_keep(s, path, begin, best.begin, runs) != 0)
            return STAGE3_EMEMORY;
        begin = best.end;
    }
    return 0;
}

static int align(struct stage3 *s, const struct gapped_bounds *b, uint64_t query, uint64_t database,
                 int xdrop, uint64_t *cells)
{
    struct gapped_extent extent;
    const struct gapped_run *runs;
    size_t run_count;
    uint64_t columns = 0;
    struct cursor path;

    if (gapped_align(s->gapped, b, query, database, xdrop, &extent, &runs, &run_count, cells) != 0)
        return STAGE3_EMEMORY;
    for (size_t i = 0; i < run_count; i++)
        columns += runs[i].length;
    path = (struct cursor){.runs = runs, .query = extent.query_begin, .database = extent.database_begin};
    return pieces_keep(s, path, 0, columns, run_count);
}

/* The far extension may leave its start point's own alignment early for a better one and lose it by the cut:
 * then the near extension brings it back. */
static int align_start(struct stage3 *s, const struct gapped_bounds *b, const struct alignment_seed *start,
                       uint64_t *cells)
{
    const struct scoring_statistics *t = s->pass.statistics;
    size_t before = s->found_count;

    if (align(s, b, start->query, start->database, t->xdrop_final, cells) != 0)
        return STAGE3_EMEMORY;
    for (size_t i = before; i < s->found_count; i++)
        if (path_goes_through(&s->found[i], start->query, start->database))
            return 0;
    return align(s, b, start->query, start->database, t->xdrop_preliminary, cells);
}

/* --- preliminary extensions of a cluster ----------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_pending(const void *left, const void *right)
{
    const struct ungapped *a = &((const struct pending *)left)->segment,
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
    return 0;
}

static int pending_extend(struct stage3 *s, const struct pending *p, uint64_t *cells)
{
    const struct ungapped *u = &p->segment;
    struct gapped_bounds b = bounds_at(s, p->origin.query, p->origin.database);
    uint64_t shift = getenv("V1") ? p->origin.query - 10 - u->query : getenv("V5") ? start_first(s,u): start_choose(s, u);
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

/* The best first. */
static int compare_extents(const struct gapped_extent *a, const struct gapped_extent *b)
{
    int order = (a->score < b->score) - (a->score > b->score);

    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    if (order == 0)
        order = compare_u64(b->database_end, a->database_end);
    if (order == 0)
        order = compare_u64(a->query_begin, b->query_begin);
    return order != 0 ? order : compare_u64(b->query_end, a->query_end);
}

static int compare_kept(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    return a->dropped != b->dropped ? a->dropped - b->dropped : compare_extents(&a->extent, &b->extent);
}

static int compare_begins(const void *left, const void *right)
{
    const struct gapped_extent *a = &((const struct candidate *)left)->extent,
                               *b = &((const struct candidate *)right)->extent;
    int order = compare_u64(a->query_begin, b->query_begin);

    if (order == 0)
        order = compare_u64(a->database_begin, b->database_begin);
    return order != 0 ? order : compare_extents(a, b);
}

static int compare_ends(const void *left, const void *right)
{
    const struct candidate *x = left, *y = right;
    const struct gapped_extent *a = &x->extent, *b = &y->extent;
    int order = x->dropped - y->dropped;

    if (order == 0)
        order = compare_u64(a->query_end, b->query_end);
    if (order == 0)
        order = compare_u64(a->database_end, b->database_end);
    return order != 0 ? order : compare_extents(a, b);
}

static int begin_together(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return a->query_begin == b->query_begin && a->database_begin == b->database_begin;
}

static int end_together(const struct gapped_extent *a, const struct gapped_extent *b)
{
    return a->query_end == b->query_end && a->database_end == b->database_end;
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
    qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_begins);
    purge_sorted(s, begin_together);
    qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_ends);
    purge_sorted(s, end_together);
    qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_kept);
}

static int candidate_align(struct stage3 *s, const struct candidate *c, uint64_t *cells)
{
    const struct gapped_extent *e = &c->extent;
    struct gapped_bounds b;

    if (c->dropped || box_is_enclosed(s, e->score, e->query_begin, e->query_end, e->database_begin,
                                      e->database_end)) {
        outcome_set(s, c->origin, STAGE3_ENCLOSED);
        return 0;
    }
    outcome_set(s, c->origin, STAGE3_ALIGNED);
    s->origin = c->origin;
    b = bounds_at(s, c->start.query, c->start.database);
    return align_start(s, &b, &c->start, cells);
}

int stage3_flush(struct stage3 *s, uint64_t *cells)
{
    int status = 0;

    *cells = 0;
    if (s->pending_count > 1)
        qsort(s->pending, s->pending_count, sizeof *s->pending, compare_pending);
    for (size_t i = 0; i < s->pending_count && status == 0; i++)
        status = pending_extend(s, &s->pending[i], cells);
    candidates_purge(s);
    for (size_t i = 0; i < s->candidate_count && status == 0; i++)
        status = candidate_align(s, &s->candidates[i], cells);
    s->pending_count = 0;
    s->candidate_count = 0;
    return status;
}

/* --- HSPs in stream order -------------------------------------------------------------------------------- */

static int trigger_score(const struct stage3 *s)
{
    int trigger = s->pass.statistics->gap_trigger;

    return trigger < s->pass.least_score ? trigger : s->pass.least_score;
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
        found_retire(s, database_position);
    return status;
}

int stage3_extend(struct stage3 *s, uint64_t query_position, uint64_t database_position, uint64_t *cells)
{
    uint64_t *reached = &s->reached[(database_position - query_position) & s->reached_mask];
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
    p.segment = ungapped_extend(s, &bounds, query_position, database_position, cells);
    *reached = p.segment.database + p.segment.length;
    if (p.segment.score < trigger_score(s)) {
        outcome_set(s, p.origin, STAGE3_WEAK);
        return 0;
    }
    return pending_append(s, &p);
}
