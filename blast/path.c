#include "blast/path.h"

#include <stdlib.h>

static uint64_t columns_of(const struct gapped_run *runs, size_t count)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns += runs[i].length;
    return columns;
}

static int take_runs(const struct gapped_run *runs, size_t count, const struct gapped_extent *extent,
                     struct path *path)
{
    uint64_t query = extent->query_begin, database = extent->database_begin;
    struct path taken = {.blocks = malloc((count + 1) * sizeof *taken.blocks), .score = extent->score};
    if (!taken.blocks)
        return PATH_EMEMORY;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].step == GAPPED_PAIR) {
            taken.blocks[taken.count++] = (struct path_block){query, database, runs[i].length};
            taken.pairs += runs[i].length;
        }
        query += runs[i].step != GAPPED_DATABASE ? runs[i].length : 0;
        database += runs[i].step != GAPPED_QUERY ? runs[i].length : 0;
    }
    *path = taken;
    return 0;
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
        return PATH_EMEMORY;
    if (extent.query_begin != box->query_begin || extent.database_begin != box->database_begin ||
        extent.query_end != box->query_end || extent.database_end != box->database_end ||
        columns_of(runs, run_count) != columns)
        return 0;
    return take_runs(runs, run_count, &extent, path);
}

int path_contains(const struct path *path, uint64_t query, uint64_t database, uint64_t length)
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
        return 0;
    const struct path_block *block = &path->blocks[low];
    uint64_t pairs = database + 1 - block->database; /* from the block's first to this one */
    return database >= block->database && pairs >= length && pairs <= block->length &&
           query - block->query == database - block->database;
}

void path_destroy(struct path *path)
{
    free(path->blocks);
    *path = (struct path){0};
}
