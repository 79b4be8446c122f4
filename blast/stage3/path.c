#include "blast/stage3/path.h"

#include <stdlib.h>

static uint64_t columns_of(const struct gapped_run *runs, size_t count)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns += runs[i].length;
    return columns;
}

int path_from_runs(const struct gapped_run *runs, size_t count, uint64_t query, uint64_t database,
                   struct path *path)
{
    *path = (struct path){.blocks = malloc((count + 1) * sizeof *path->blocks)};
    if (!path->blocks)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].step == GAPPED_PAIR) {
            path->blocks[path->count++] = (struct path_block){query, database, runs[i].length};
            path->pairs += runs[i].length;
        }
        query += runs[i].step != GAPPED_DATABASE ? runs[i].length : 0;
        database += runs[i].step != GAPPED_QUERY ? runs[i].length : 0;
    }
    return 0;
}

/* Number of a block's pairs before the first whose positions are both at or after a corner's. */
static uint64_t pairs_before(const struct path_block *b, uint64_t query, uint64_t database)
{
    uint64_t by_query = query > b->query ? query - b->query : 0;
    uint64_t by_database = database > b->database ? database - b->database : 0;
    uint64_t before = by_query > by_database ? by_query : by_database;
    return before < b->length ? before : b->length;
}

int path_cut(const struct path *path, uint64_t query, uint64_t database, bool after, struct path *part)
{
    *part = (struct path){.blocks = malloc((path->count + 1) * sizeof *part->blocks)};
    if (!part->blocks)
        return -1;
    for (size_t i = 0; i < path->count; i++) {
        struct path_block b = path->blocks[i];
        uint64_t before = pairs_before(&b, query, database), skip = after ? before : 0;
        b = (struct path_block){b.query + skip, b.database + skip, after ? b.length - skip : before};
        if (b.length > 0)
            part->blocks[part->count++] = b;
        part->pairs += b.length;
    }
    return 0;
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

int path_follow(gapped *extender, const struct scoring_statistics *statistics,
                const struct gapped_bounds *box, uint64_t columns, struct path *path)
{
    struct gapped_extent extent;
    const struct gapped_run *runs;
    size_t run_count;
    uint64_t cells = 0;
    *path = (struct path){0};
    if (gapped_align(extender, box, box->query_begin, box->database_begin, statistics->xdrop_final, &extent,
                     &runs, &run_count, &cells) != 0)
        return -1;
    if (extent.query_begin != box->query_begin || extent.database_begin != box->database_begin ||
        extent.query_end != box->query_end || extent.database_end != box->database_end ||
        columns_of(runs, run_count) != columns)
        return 0;
    int status = path_from_runs(runs, run_count, extent.query_begin, extent.database_begin, path);
    path->score = extent.score;
    return status;
}

bool path_contains(const struct path *path, uint64_t query, uint64_t database, uint64_t length)
{
    size_t low = 0, high = path->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (path->blocks[middle].database <= database)
            low = middle;
        else
            high = middle;
    }
    if (path->count == 0)
        return false;
    const struct path_block *block = &path->blocks[low];
    uint64_t pairs = database + 1 - block->database; /* from the block's first pair to this one */
    return database >= block->database && pairs >= length && pairs <= block->length &&
           query - block->query == database - block->database;
}

void path_destroy(struct path *path)
{
    free(path->blocks);
    *path = (struct path){0};
}
