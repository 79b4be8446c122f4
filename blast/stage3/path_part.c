#include "blast/stage3/path.h"

static int bases_match(const struct gapped_bounds *b, uint64_t query, uint64_t database)
{
    uint8_t code = b->query[query];

    return code <= BASE_T && code == sequences_code(b->database, database);
}

/* A place on a path: before pair `offset` of a block. */
struct place {
    size_t block;
    uint64_t offset;
};

/* The best part of a path so far, and the part that is being looked at. */
struct part {
    struct place begin, end, from;
    int score, sum, least;
};

/* What costs more than lies before it begins a new part; a part not worth keeping is forgotten for it. */
static void part_add(struct part *p, int score, struct place behind)
{
    p->sum += score;
    if (p->sum < 0) {
        p->sum = 0;
        p->from = behind;
        if (p->score < p->least)
            p->score = 0;
    } else if (p->sum > p->score) {
        p->score = p->sum;
        p->begin = p->from;
        p->end = behind;
    }
}

static struct part part_find(const struct gapped_bounds *bounds, const struct scoring *scoring, int least,
                             const struct path *path)
{
    struct part p = {.least = least};

    for (size_t i = 0; i < path->count; i++) {
        const struct path_block *b = &path->blocks[i];
        uint64_t gaps[2];

        path_gaps(path, i, &gaps[0], &gaps[1]);
        for (int j = 0; j < 2; j++)
            if (gaps[j] > 0)
                part_add(&p, -scoring->gap_open - scoring->gap_extend * (int)gaps[j], (struct place){i, 0});
        for (uint64_t j = 0; j < b->length; j++)
            part_add(&p,
                     bases_match(bounds, b->query + j, b->database + j) ? scoring->match : scoring->mismatch,
                     (struct place){i, j + 1});
    }
    return p;
}

/* Leave of a path what lies between two places. */
static void path_trim(struct path *path, struct place begin, struct place end)
{
    size_t kept = 0;

    path->pairs = 0;
    for (size_t i = begin.block; i <= end.block; i++) {
        struct path_block b = path->blocks[i];
        uint64_t first = i == begin.block ? begin.offset : 0, last = i == end.block ? end.offset : b.length;

        if (first >= last)
            continue;
        path->blocks[kept++] = (struct path_block){b.query + first, b.database + first, last - first};
        path->pairs += last - first;
    }
    path->count = kept;
}

/* Equal bases beyond the ends belong to it. */
static void path_prolong(const struct gapped_bounds *b, const struct scoring *scoring, struct path *path)
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
    struct part part = part_find(bounds, scoring, least, path);

    path->score = part.score;
    if (part.score <= 0)
        return;
    path_trim(path, part.begin, part.end);
    path_prolong(bounds, scoring, path);
}
