/* test_stage3_parts.c - does what stage 3 looks up and counts by words say what one box and one base at a time say? */
#include "blast/stage3/alignment.h"
#include "blast/stage3/extent.h"
#include "blast/stage3/ungapped_xdrop.h"
#include "blast/stage3/extended_diagonals.h"
#include "blast/stage3/path.h"
#include "run_suite.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t next_random(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* --- boxes ----------------------------------------------------------------------------------------------- */

enum { BOXES = 600 };

struct listed {
    struct gapped_extent extent;
    int hidden;
};

/* Few positions, so that many begin or end together. */
static struct gapped_extent random_box(uint64_t grid)
{
    uint64_t query = next_random(40) * grid, database = next_random(40) * grid;
    return (struct gapped_extent){.score = 20 + (int)next_random(30),
                                  .query_begin = query,
                                  .query_end = query + grid * (1 + next_random(10)),
                                  .database_begin = database,
                                  .database_end = database + grid * (1 + next_random(10))};
}

static void list_box(struct listed *list, size_t count, const struct gapped_extent *e)
{
    struct listed *new = &list[count];
    *new = (struct listed){.extent = *e};
    for (size_t i = 0; i < count && !new->hidden; i++) {
        if (!list[i].hidden && extent_hides(&list[i].extent, e))
            new->hidden = 1;
        else if (!list[i].hidden && extent_hides(e, &list[i].extent))
            list[i].hidden = 1;
    }
}

static int list_encloses(const struct listed *list, size_t count, const struct gapped_extent *e)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i].hidden && extent_encloses(&list[i].extent, e))
            return 1;
    return 0;
}

/* The last one gets its number. */
static void remove_box(struct listed *list, struct extent_set *set, size_t *count)
{
    const uint64_t number = next_random(*count);
    list[number] = list[--*count];
    extent_set_remove(set, (uint32_t)number);
    ck_assert_uint_eq(set->count, *count);
}

/* Any number of boxes, few or many, in a set that is used again and again; in rounds 2 to 5 some are removed again. */
START_TEST(test_set_is_the_list)
{
    static struct listed list[BOXES];
    static const uint64_t grids[] = {1, 7, 60, 100000};
    struct extent_set set = {0};
    size_t enclosed = 0, hidden = 0;
    state = 11 + (uint64_t)_i;
    for (size_t rounds = 0; rounds < 6; rounds++) {
        size_t boxes = rounds % 2 ? BOXES : next_random(30), n = 0;
        for (size_t added = 0; added < boxes; added++) {
            struct gapped_extent asked = random_box(grids[_i]), new = random_box(grids[_i]);
            int expected = list_encloses(list, n, &asked);
            ck_assert_int_eq(extent_set_encloses(&set, &asked), expected);
            enclosed += (size_t)expected;
            list_box(list, n++, &new);
            extent_set_add(&set, &new, 0);
            while (rounds > 1 && n > 0 && next_random(3) == 0)
                remove_box(list, &set, &n);
        }
        for (size_t i = 0; i < n; i++) {
            ck_assert_int_eq(set.items[i].hidden, list[i].hidden);
            hidden += (size_t)list[i].hidden;
        }
        while (rounds == 3 && n > 0)
            remove_box(list, &set, &n);
        extent_set_clear(&set);
    }
    ck_assert_uint_gt(hidden, 10);
    if (grids[_i] < 1000)
        ck_assert_uint_gt(enclosed, 10);
    extent_set_destroy(&set);
}
END_TEST

START_TEST(test_set_takes_boxes_as_hidden)
{
    const struct gapped_extent large = {50, 0, 1000, 0, 1000}, small = {30, 10, 90, 10, 90};
    struct extent_set set = {0};
    ck_assert_int_eq(extent_set_encloses(&set, &small), 0);
    extent_set_add(&set, &large, 1);
    ck_assert_int_eq(extent_set_encloses(&set, &small), 0);
    extent_set_add(&set, &large, 0);
    ck_assert_int_eq(extent_set_encloses(&set, &small), 1);
    extent_set_destroy(&set);
}
END_TEST

/* --- diagonals ------------------------------------------------------------------------------------------- */

enum { EXTENSIONS = 1500 };

struct extension {
    uint64_t diagonal, end;
};

static int list_covers(const struct extension *list, size_t count, uint64_t query, uint64_t database)
{
    while (count-- > 0)
        if (list[count].diagonal == database - query)
            return list[count].end > database;
    return 0;
}

/* Diagonals share entries, extensions reach beyond the last HSP of their diagonal, and the stream goes farther than 32
 * bits tell. */
START_TEST(test_diagonals_are_the_list)
{
    static struct extension list[EXTENSIONS];
    static const uint64_t far[] = {10, EXTENDED_DIAGONALS_SPAN, 3 * EXTENDED_DIAGONALS_SPAN};
    const uint64_t begin = 1000, end = 1000 + 50 + next_random(20);
    struct extended_diagonals x;
    uint64_t database = next_random(2) * begin, covered = 0;
    extended_diagonals_new(&x, begin, end);
    for (size_t i = 0; i < EXTENSIONS; i++) {
        uint64_t query = begin + next_random(end - begin);
        if (next_random(60))
            database += next_random(2);
        else if (next_random(2)) /* so that extensions go on when the origin moves */
            database = x.origin + EXTENDED_DIAGONALS_SPAN - 9 > database
                           ? x.origin + EXTENDED_DIAGONALS_SPAN - 9
                           : database;
        else
            database += far[next_random(3)];
        extended_diagonals_advance(&x, database);
        int expected = list_covers(list, i, query, database);
        ck_assert_int_eq(extended_diagonals_cover(&x, query, database), expected);
        covered += (uint64_t)expected;
        list[i] = (struct extension){database - query, database + next_random(90)};
        extended_diagonals_note(&x, query, database, list[i].end);
    }
    ck_assert_uint_gt(covered, EXTENSIONS / 10);
    ck_assert_uint_gt(x.origin, UINT64_C(1) << 32);
    extended_diagonals_destroy(&x);
}
END_TEST

/* --- pending segments ------------------------------------------------------------------------------------ */

static int comes_before(const struct gapped_extent *a, const struct gapped_extent *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (a->database_begin != b->database_begin)
        return a->database_begin < b->database_begin;
    return a->database_end != b->database_end ? a->database_end > b->database_end
                                              : a->query_begin < b->query_begin;
}

/* Nearly in the order of their places or in any order, with scores that are alike or not; the list is used again. */
START_TEST(test_segments_are_sorted)
{
    const uint64_t scatter = _i % 2 ? 5000 : 12, scores = _i / 2 ? 400 : 30;
    struct alignment_list list = {0};
    state = 5 + (uint64_t)_i;
    for (int round = 0; round < tests_some(60); round++) {
        uint64_t count = round % 3 ? next_random(300) : next_random(4), sum = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t begin = 10000 + i + next_random(scatter), length = 11 + next_random(3);
            struct alignment p = {.extent = {.score = 13 + (int)next_random(scores),
                                             .query_begin = i,
                                             .query_end = i + length,
                                             .database_begin = begin,
                                             .database_end = begin + length},
                                  .columns = i};
            alignment_list_append(&list, &p);
            sum += i;
        }
        if (count > 1)
            qsort(list.items, count, sizeof *list.items, extent_compare);
        for (uint64_t i = 0; i < count; i++) {
            sum -= list.items[i].columns;
            if (i > 0)
                ck_assert(comes_before(&list.items[i - 1].extent, &list.items[i].extent));
        }
        ck_assert_uint_eq(sum, 0);
        list.count = 0;
    }
    alignment_list_destroy(&list);
}
END_TEST

/* --- columns --------------------------------------------------------------------------------------------- */

enum { POSITIONS = 333 };

struct scene {
    uint8_t query[POSITIONS], database[POSITIONS];
    uint64_t words[POSITIONS / BASES_PER_WORD + 1];
    struct sequences sequences;
    struct scoring_statistics statistics;
    struct base_pairs pairs;
    struct gapped_bounds bounds;
};

static const struct scoring_statistics rules[] = {
    {.scoring = {1, -3, 5, 2}, .xdrop_ungapped = 11},
    {.scoring = {2, -3, 5, 2}, .xdrop_ungapped = 24},
    {.scoring = {2, -7, 4, 4}, .xdrop_ungapped = 63},
    {.scoring = {5, -4, 25, 10}, .xdrop_ungapped = 80},
};

/* Alike but for some bases and often eight in a row, ambiguous ones in both, and a separator at the ends of what may
 * be extended. */
static void scene_create(struct scene *s, uint64_t differing)
{
    const uint64_t strange = next_random(10);
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < POSITIONS; i++) {
        s->query[i] = (uint8_t)(next_random(80) ? next_random(4) : BASE_AMBIGUOUS);
        uint64_t one_in = i / 8 % 8 == strange ? 1 : differing;
        s->database[i] = next_random(one_in) ? s->query[i] : (uint8_t)next_random(4);
        s->words[i / BASES_PER_WORD] |= (uint64_t)s->database[i] << (4 * (i % BASES_PER_WORD));
    }
    s->sequences = (struct sequences){
        .words = s->words, .word_count = sizeof s->words / sizeof *s->words, .positions = POSITIONS};
    s->statistics = rules[next_random(sizeof rules / sizeof *rules)];
    s->bounds = (struct gapped_bounds){.query = s->query,
                                       .query_begin = next_random(5),
                                       .query_end = POSITIONS - next_random(5),
                                       .database = &s->sequences,
                                       .database_begin = next_random(7),
                                       .database_end = POSITIONS - next_random(7)};
    s->pairs = (struct base_pairs){&s->sequences, s->query, POSITIONS};
}

static int matches(const struct scene *s, uint64_t query, uint64_t database)
{
    return s->query[query] <= BASE_T && s->query[query] == s->database[database];
}

static uint64_t one_side(const struct scene *s, uint64_t query, uint64_t database, uint64_t left, int step,
                         int *score, uint64_t *cells)
{
    uint64_t length = 0;
    int best = 0, sum = 0;
    for (uint64_t i = 0; i < left && best - sum <= s->statistics.xdrop_ungapped; i++) {
        sum += matches(s, query + (uint64_t)step * i, database + (uint64_t)step * i)
                   ? s->statistics.scoring.match
                   : s->statistics.scoring.mismatch;
        if (sum > best) {
            best = sum;
            length = i + 1;
        }
        ++*cells;
    }
    *score += best;
    return length;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct gapped_extent extend_by_bases(const struct scene *s, uint64_t query, uint64_t database,
                                            uint64_t *cells)
{
    const struct gapped_bounds *b = &s->bounds;
    int score = 0;
    uint64_t left =
        one_side(s, query, database, least(query + 1 - b->query_begin, database + 1 - b->database_begin), -1,
                 &score, cells);
    uint64_t right =
        one_side(s, query + 1, database + 1, least(b->query_end - query - 1, b->database_end - database - 1),
                 1, &score, cells);
    return (struct gapped_extent){score, query + 1 - left, query + 1 + right, database + 1 - left,
                                  database + 1 + right};
}

static uint64_t start_by_bases(const struct scene *s, const struct gapped_extent *u)
{
    uint64_t run = 0, i = 0;
    for (; u->query_begin + i < u->query_end && run < 11; i++)
        run = matches(s, u->query_begin + i, u->database_begin + i) ? run + 1 : 0;
    return i - run;
}

/* A byte of four bases as BLASTN has it: of a query's record the bases beyond are one 15, and then others, which are
 * taken to differ from the database's. Four are put together by shifting, without a mask. */
static int byte_by_bases(const struct scene *s, uint64_t query, uint64_t database, int step)
{
    const struct gapped_bounds *b = &s->bounds;
    const uint64_t fifteen = step > 0 ? b->query_end : b->query_begin - 1;
    unsigned byte = 0, of_database = 0;
    int sum = 0;
    for (uint64_t j = 0; j < 4; j++) {
        const unsigned code = s->database[database + j] & 3, other = code ^ 3;
        const bool is_in = query + j >= b->query_begin && query + j < b->query_end;
        byte = byte << 2 | (is_in ? s->query[query + j] & 3u : query + j == fifteen ? 15 : other);
        of_database = of_database << 2 | code;
    }
    for (uint64_t j = 0; j < 4; j++) {
        const unsigned shift = 6 - 2 * (unsigned)j, code = byte >> shift & 3;
        const bool is_in = query + j >= b->query_begin && query + j < b->query_end,
                   is_base =
                       s->database[database + j] < 4 && (!is_in || s->query[query + j] < 4 || code == 3);
        sum += is_base && code == (of_database >> shift & 3) ? s->statistics.scoring.match
                                                             : s->statistics.scoring.mismatch;
    }
    return sum;
}

/* @param room, of_database  columns of the query's record and of the database's: bytes are whole in the latter */
static int coarse_by_bases(const struct scene *s, uint64_t query, uint64_t database, uint64_t room,
                           uint64_t of_database, bool goes_on, int step)
{
    int score = 0, sum = 0;
    for (uint64_t i = 0;
         i < least((room + (goes_on ? 3 : 0)) / 4, of_database / 4) && -sum <= s->statistics.xdrop_ungapped;
         i++) {
        const uint64_t shift = (step > 0 ? i : -(i + 1)) * 4;
        sum += byte_by_bases(s, query + shift, database + shift, step);
        if (sum > 0) {
            score += sum;
            sum = 0;
        }
    }
    return score;
}

static int coarse_score_by_bases(const struct scene *s, const bool goes_on[2], uint64_t query,
                                 uint64_t database)
{
    const struct gapped_bounds *b = &s->bounds;
    uint64_t ahead = -(database - b->database_begin) % 4;
    query += ahead;
    database += ahead;
    return coarse_by_bases(s, query, database, query - b->query_begin, database - b->database_begin,
                           goes_on[0], -1) +
           coarse_by_bases(s, query, database, b->query_end - query, b->database_end - database, goes_on[1],
                           1);
}

START_TEST(test_words_are_bases)
{
    size_t starts = 0;
    state = 77 + (uint64_t)_i;
    for (int rounds = 0; rounds < tests_some(300); rounds++) {
        struct scene s;
        struct gapped_extent u, expected;
        uint64_t query, database, cells = 5, expected_cells = 5;
        scene_create(&s, next_random(2) ? (uint64_t)_i : 200);
        query = 10 + next_random(POSITIONS - 30);
        database = next_random(3) ? query : 10 + next_random(POSITIONS - 30);
        u = stage3_ungapped_extend(&s.pairs, &s.statistics, &s.bounds, query, database, &cells);
        expected = extend_by_bases(&s, query, database, &expected_cells);
        ck_assert_uint_eq(cells, expected_cells);
        ck_assert_uint_eq(u.query_begin, expected.query_begin);
        ck_assert_uint_eq(u.query_end, expected.query_end);
        ck_assert_uint_eq(u.database_begin, expected.database_begin);
        ck_assert_uint_eq(u.database_end, expected.database_end);
        ck_assert_int_eq(u.score, expected.score);
        ck_assert_uint_eq(stage3_ungapped_start(&s.pairs, &u), start_by_bases(&s, &u));
        starts += start_by_bases(&s, &u) > 0;
        uint64_t back = least(next_random(17), least(query, database) - 7);
        query -= back;
        database -= back;
        const bool goes_on[2] = {next_random(2), next_random(2)};
        int score = coarse_score_by_bases(&s, goes_on, query, database);
        ck_assert(stage3_ungapped_coarse_reaches(&s.pairs, &s.statistics, &s.bounds, goes_on, query, database,
                                                 score));
        ck_assert(!stage3_ungapped_coarse_reaches(&s.pairs, &s.statistics, &s.bounds, goes_on, query,
                                                  database, score + 1));
    }
    ck_assert_uint_gt(starts, 0);
}
END_TEST

/* --- parts of a path ------------------------------------------------------------------------------------- */

enum { BLOCKS = 12 };

/* Blocks with gaps between them in the query, in the database or in both; of their pairs, most are equal. */
static struct path random_path(struct scene *s)
{
    struct path path = {.blocks = calloc(BLOCKS, sizeof *path.blocks)};
    uint64_t query = 10 + next_random(9), database = 10 + next_random(9);
    scene_create(s, 1);
    scoring_pair_scores(&s->statistics.scoring, &s->statistics.pairs);
    memset(s->words, 0, sizeof s->words);
    while (path.count < BLOCKS) {
        struct path_block b = {query, database, 1 + next_random(20)};
        path.blocks[path.count++] = b;
        path.pairs += b.length;
        for (uint64_t i = 0; i < b.length; i++)
            s->database[database + i] = next_random(5) ? s->query[query + i] : (uint8_t)next_random(4);
        uint64_t gap = next_random(3), other = next_random(3);
        query += b.length + gap;
        database += b.length + (gap ? other : other + 1);
    }
    for (size_t i = 0; i < POSITIONS; i++)
        s->words[i / BASES_PER_WORD] |= (uint64_t)s->database[i] << (4 * (i % BASES_PER_WORD));
    return path;
}

/* What each column of a path scores, a gap at its first column. */
static size_t scores_of(const struct scene *s, const struct path *path, int *scores)
{
    const struct scoring *scoring = &s->statistics.scoring;
    size_t count = 0;
    for (size_t i = 0; i < path->count; i++) {
        uint64_t gaps[2];
        path_gaps(path, i, &gaps[0], &gaps[1]);
        for (int j = 0; j < 2; j++)
            if (gaps[j] > 0)
                scores[count++] = -scoring->gap_open - (int)gaps[j] * scoring->gap_extend;
        for (uint64_t j = 0; j < path->blocks[i].length; j++)
            scores[count++] =
                s->statistics.pairs
                    .of[s->query[path->blocks[i].query + j]][s->database[path->blocks[i].database + j]];
    }
    return count;
}

/* A kept part scores what its columns score, and no stretch of the path scores more. */
START_TEST(test_best_part_is_the_best_stretch)
{
    size_t begin_later = 0;
    for (int rounds = 0; rounds < tests_some(300); rounds++) {
        struct scene s;
        int scores[POSITIONS], sum = 0, best = 0;
        struct path path = random_path(&s);
        const uint64_t query = path.blocks[0].query;
        size_t count = scores_of(&s, &path, scores);
        for (size_t i = 0; i < count; i++) {
            int stretch = 0;
            for (size_t j = i; j < count; j++) {
                stretch += scores[j];
                best = stretch > best ? stretch : best;
            }
        }
        path_keep_best_part(&path, &s.bounds, &s.statistics, 0);
        count = scores_of(&s, &path, scores);
        for (size_t i = 0; i < count; i++)
            sum += scores[i];
        ck_assert_int_eq(path.score, sum);
        ck_assert_int_ge(path.score, best);
        begin_later += path.blocks[0].query > query;
        path_destroy(&path);
    }
    ck_assert_uint_gt(begin_later, 0);
}
END_TEST

/* The parts before and after a corner have every pair of the path between them, each on its side. */
START_TEST(test_corner_parts_the_pairs)
{
    for (int rounds = 0; rounds < tests_some(300); rounds++) {
        struct scene s;
        struct path path = random_path(&s), parts[2];
        uint64_t query = next_random(200), database = next_random(200), pairs[2] = {0, 0};
        for (int after = 0; after < 2; after++) {
            path_cut(&path, query, database, after, &parts[after]);
            for (size_t i = 0; i < parts[after].count; i++) {
                const struct path_block *b = &parts[after].blocks[i];
                pairs[after] += b->length;
                for (uint64_t j = 0; j < b->length; j++) {
                    ck_assert(path_contains(&path, b->query + j, b->database + j, 1));
                    ck_assert_int_eq(b->query + j >= query && b->database + j >= database, after);
                }
            }
            ck_assert_uint_eq(parts[after].pairs, pairs[after]);
            path_destroy(&parts[after]);
        }
        ck_assert_uint_eq(pairs[0] + pairs[1], path.pairs);
        path_destroy(&path);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stage3_parts");
    TCase *boxes = tcase_create("boxes"), *columns = tcase_create("columns");
    TCase *streams = tcase_create("streams"), *paths = tcase_create("paths");
    tcase_add_loop_test(boxes, test_set_is_the_list, 0, 4);
    tcase_add_test(boxes, test_set_takes_boxes_as_hidden);
    tcase_add_test(streams, test_diagonals_are_the_list);
    tcase_add_loop_test(streams, test_segments_are_sorted, 0, 4);
    tcase_add_loop_test(columns, test_words_are_bases, 3, 12);
    tcase_add_test(paths, test_best_part_is_the_best_stretch);
    tcase_add_test(paths, test_corner_parts_the_pairs);
    suite_add_tcase(suite, boxes);
    suite_add_tcase(suite, columns);
    suite_add_tcase(suite, streams);
    suite_add_tcase(suite, paths);
    return run_suite(suite);
}
