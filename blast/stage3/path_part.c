#include "blast/stage3/path.h"

static bool bases_match(const struct gapped_bounds *b, uint64_t query, uint64_t database)
{
    uint8_t code = b->query[query];
    return code <= BASE_T && code == sequences_code(b->database, database);
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

static struct part find_best_part(const struct gapped_bounds *bounds, const struct scoring *scoring,
                                  int least, const struct path *path)
{
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
            add_to_part(
                &p, bases_match(bounds, b->query + j, b->database + j) ? scoring->match : scoring->mismatch,
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
           bases_match(b, first->query - 1, first->database - 1)) {
        *first = (struct path_block){first->query - 1, first->database - 1, first->length + 1};
        path->pairs++;
    }
    while (last->query + last->length < b->query_end && last->database + last->length < b->database_end &&
           bases_match(b, last->query + last->length, last->database + last->length)) {
        last->length++;
        path->pairs++;
    }
    path->score += (int)(path->pairs - before) * scoring->match;
}

void path_keep_best_part(struct path *path, const struct gapped_bounds *bounds, const struct scoring *scoring,
                         int least)
{
    struct part part = find_best_part(bounds, scoring, least, path);
    path->score = part.score;
    if (part.score <= 0)
        return;
    trim_path(path, part.begin, part.end);
    prolong_path(bounds, scoring, path);
}
