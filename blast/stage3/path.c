#include "blast/stage3/path.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

static uint64_t columns_of(const struct gapped_run *runs, size_t count)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns += runs[i].length;
    return columns;
}

void path_from_runs(const struct gapped_run *runs, size_t count, uint64_t query, uint64_t database,
                    struct path *path)
{
    *path = (struct path){.blocks = memory_take(count * sizeof *path->blocks)};
    for (size_t i = 0; i < count; i++) {
        if (runs[i].step == GAPPED_PAIR) {
            path->blocks[path->count++] = (struct path_block){query, database, runs[i].length};
            path->pairs += runs[i].length;
        }
        query += runs[i].step != GAPPED_DATABASE ? runs[i].length : 0;
        database += runs[i].step != GAPPED_QUERY ? runs[i].length : 0;
    }
}

/* Number of a block's pairs before the first whose positions are both at or after a corner's. */
static uint64_t pairs_before(const struct path_block *b, uint64_t query, uint64_t database)
{
    uint64_t by_query = query > b->query ? query - b->query : 0;
    uint64_t by_database = database > b->database ? database - b->database : 0;
    uint64_t before = by_query > by_database ? by_query : by_database;
    return before < b->length ? before : b->length;
}

void path_cut(const struct path *path, uint64_t query, uint64_t database, bool after, struct path *part)
{
    *part = (struct path){.blocks = memory_take(path->count * sizeof *part->blocks)};
    for (size_t i = 0; i < path->count; i++) {
        struct path_block b = path->blocks[i];
        uint64_t before = pairs_before(&b, query, database), skip = after ? before : 0;
        b = (struct path_block){b.query + skip, b.database + skip, after ? b.length - skip : before};
        if (b.length > 0)
            part->blocks[part->count++] = b;
        part->pairs += b.length;
    }
}

void path_gaps(const struct path *path, size_t block, uint64_t *query, uint64_t *database)
{
    *query = *database = 0;
    if (block == 0)
        return;
    const struct path_block *b = &path->blocks[block], *before = b - 1;
    *query = b->database - (before->database + before->length);
    *database = b->query - (before->query + before->length);
}

void path_follow(gapped *extender, const struct scoring_statistics *statistics,
                 const struct gapped_bounds *box, uint64_t columns, struct path *path)
{
    struct gapped_extent extent;
    const struct gapped_run *runs;
    size_t run_count;
    uint64_t cells = 0;
    *path = (struct path){0};
    gapped_align(extender, box, box->query_begin, box->database_begin, statistics->xdrop_final, &extent,
                 &runs, &run_count, &cells);
    if (extent.query_begin != box->query_begin || extent.database_begin != box->database_begin ||
        extent.query_end != box->query_end || extent.database_end != box->database_end ||
        columns_of(runs, run_count) != columns)
        return;
    path_from_runs(runs, run_count, extent.query_begin, extent.database_begin, path);
    path->score = extent.score;
}

bool path_contains(const struct path *path, uint64_t query, uint64_t database, uint64_t length)
{
    if (path->count == 0)
        return false;
    const struct path_block *block =
        &path->blocks[ORDER_LAST(i, path->count, path->blocks[i].database <= database)];
    uint64_t pairs = database + 1 - block->database; /* from the block's first pair to this one */
    return database >= block->database && pairs >= length && pairs <= block->length &&
           query - block->query == database - block->database;
}

/* --- the best part of a path ----------------------------------------------------------------------------- */

static bool is_match(const struct gapped_bounds *b, uint64_t query, uint64_t database)
{
    return path_pair_is_match(b->query, query, b->database, database);
}

/* A place on a path: before pair `offset` of a block. */
struct place {
    size_t block;
    uint64_t offset;
};

/* The best part of a path so far, and the part that is being looked at, which begins at `from`. */
struct part {
    struct place begin, end, from;
    int score, sum, least;
};

/* Kadane's algorithm: when the running score falls below 0, a new part begins after this piece, and a best part that
 * scores less than `least` is forgotten. */
static void add_to_part(struct part *p, int score, struct place after)
{
    p->sum += score;
    if (p->sum < 0) {
        p->sum = 0;
        p->from = after;
        if (p->score < p->least)
            p->score = 0;
    } else if (p->sum > p->score) {
        p->score = p->sum;
        p->begin = p->from;
        p->end = after;
    }
}

static struct part find_best_part(const struct gapped_bounds *bounds,
                                  const struct scoring_statistics *statistics, int least,
                                  const struct path *path)
{
    const struct scoring *scoring = &statistics->scoring;
    struct part p = {.least = least};
    for (size_t i = 0; i < path->count; i++) {
        const struct path_block *b = &path->blocks[i];
        uint64_t gaps[2];
        path_gaps(path, i, &gaps[0], &gaps[1]);
        for (int j = 0; j < 2; j++)
            if (gaps[j] > 0)
                add_to_part(&p, -scoring->gap_open - scoring->gap_extend * (int)gaps[j],
                            (struct place){i, 0});
        for (uint64_t j = 0; j < b->length; j++)
            add_to_part(&p,
                        statistics->pairs.of[bounds->query[b->query + j]]
                                            [sequences_code(bounds->database, b->database + j)],
                        (struct place){i, j + 1});
    }
    return p;
}

/* Reduce a path to the part between two places. */
static void trim_path(struct path *path, struct place begin, struct place end)
{
    size_t count = 0;
    path->pairs = 0;
    for (size_t i = begin.block; i <= end.block; i++) {
        struct path_block b = path->blocks[i];
        uint64_t first = i == begin.block ? begin.offset : 0, last = i == end.block ? end.offset : b.length;
        if (first >= last)
            continue;
        path->blocks[count++] = (struct path_block){b.query + first, b.database + first, last - first};
        path->pairs += last - first;
    }
    path->count = count;
}

/* Prolong a path by the equal bases beyond its ends. */
static void prolong_path(const struct gapped_bounds *b, const struct scoring *scoring, struct path *path)
{
    struct path_block *first = &path->blocks[0], *last = &path->blocks[path->count - 1];
    uint64_t before = path->pairs;
    while (first->query > b->query_begin && first->database > b->database_begin &&
           is_match(b, first->query - 1, first->database - 1)) {
        *first = (struct path_block){first->query - 1, first->database - 1, first->length + 1};
        path->pairs++;
    }
    while (last->query + last->length < b->query_end && last->database + last->length < b->database_end &&
           is_match(b, last->query + last->length, last->database + last->length)) {
        last->length++;
        path->pairs++;
    }
    path->score += (int)(path->pairs - before) * scoring->match;
}

void path_keep_best_part(struct path *path, const struct gapped_bounds *bounds,
                         const struct scoring_statistics *statistics, int least)
{
    struct part part = find_best_part(bounds, statistics, least, path);
    path->score = part.score;
    if (part.score <= 0)
        return;
    trim_path(path, part.begin, part.end);
    prolong_path(bounds, &statistics->scoring, path);
}

void path_destroy(struct path *path)
{
    free(path->blocks);
    *path = (struct path){0};
}
