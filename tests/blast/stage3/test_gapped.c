/* test_gapped.c - are gapped extensions right, bounded, and is nothing lost between HSPs? */
#include "base/why.h"
#include "blast/stage3/gapped.h"
#include "blast/stage3/stage3.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, FAR = 1 << 20 };

static const struct scoring DEFAULT = {1, -3, 5, 2};

/* A database of one record, packed. */
struct packed {
    struct sequences sequences;
    struct sequence_record record[2];
};

static void packed_create(struct packed *p, const uint8_t *codes, uint64_t count)
{
    uint64_t words = count / BASES_PER_WORD + 1;
    memset(p, 0, sizeof *p);
    p->record[0] = (struct sequence_record){.name = NULL, .begin = 0, .bases = count};
    p->sequences = (struct sequences){
        .records = p->record, .record_count = 1, .word_count = words, .positions = count, .bases = count};
    p->sequences.words = malloc(words * sizeof *p->sequences.words);
    ck_assert_ptr_nonnull(p->sequences.words);
    memset(p->sequences.words, 255, words * sizeof *p->sequences.words);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *word = &p->sequences.words[i / BASES_PER_WORD];
        unsigned shift = 4 * (unsigned)(i % BASES_PER_WORD);
        *word = (*word & ~((uint64_t)15 << shift)) | (uint64_t)codes[i] << shift;
    }
}

static void packed_destroy(struct packed *p)
{
    free(p->sequences.words);
}

static struct gapped_bounds bounds_whole(const uint8_t *query, uint64_t bases, const struct packed *p)
{
    return (struct gapped_bounds){.query = query,
                                  .query_end = bases,
                                  .database = &p->sequences,
                                  .database_end = p->sequences.positions};
}

static void random_codes(uint8_t *codes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        codes[i] = (uint8_t)(rand() % 4);
}

/* A copy with substitutions and gaps; its length. */
static uint64_t mutate(const uint8_t *from, uint64_t count, uint8_t *to, uint64_t most, int rate)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < count && n + 8 < most; i++) {
        int kind = rand() % rate;
        if (kind == 0)
            i += (uint64_t)(rand() % 4);
        else if (kind == 1)
            for (int j = rand() % 5; j >= 0; j--)
                to[n++] = (uint8_t)(rand() % 4);
        else
            to[n++] = kind < 6 ? (uint8_t)(rand() % 4) : from[i];
    }
    return n;
}

/* The mean of the scores of the first code's bases with one base of the second, rounded away from 0. */
static int mean_score(const struct scoring *s, const char *bases)
{
    int count = (int)strlen(bases), sum = s->match + (count - 1) * s->mismatch;
    return sum < 0 ? -((-2 * sum + count) / (2 * count)) : (2 * sum + count) / (2 * count);
}

static int pair_score(const struct scoring *s, unsigned a, unsigned b)
{
    static const char *const bases[] = {"A",  "C",  "G",   "T",   "AG",  "CT",  "AC",  "GT",
                                        "AT", "CG", "CGT", "AGT", "ACT", "ACG", "ACGT"};
    if (a >= BASE_SEPARATOR || b >= BASE_SEPARATOR || !strpbrk(bases[a], bases[b]))
        return s->mismatch;
    return mean_score(s, bases[a > b ? a : b]);
}

static void make_ambiguous(uint8_t *codes, uint64_t count, int replaced)
{
    for (int i = 0; i < replaced; i++)
        codes[(uint64_t)rand() % count] =
            (uint8_t)(BASE_AMBIGUOUS + rand() % (BASE_SEPARATOR - BASE_AMBIGUOUS));
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Best score of an alignment of prefixes a[0..], b[0..] of any lengths, begun with a pair at 0, 0: the full
 * matrix. */
static int full_matrix(const struct scoring *s, const uint8_t *a, int64_t rows, const uint8_t *b,
                       int64_t columns, int step)
{
    static int best[MOST + 1][MOST + 1], up[MOST + 1][MOST + 1], left[MOST + 1][MOST + 1];
    int top = 0, open = s->gap_open + s->gap_extend;
    for (int64_t i = 0; i <= rows; i++)
        for (int64_t j = 0; j <= columns; j++) {
            int pair = i > 0 && j > 0
                           ? best[i - 1][j - 1] + pair_score(s, a[step * (i - 1)], b[step * (j - 1)])
                           : -1000000;
            up[i][j] = i > 0 ? larger(up[i - 1][j] - s->gap_extend, best[i - 1][j] - open) : -1000000;
            left[i][j] = j > 0 ? larger(left[i][j - 1] - s->gap_extend, best[i][j - 1] - open) : -1000000;
            best[i][j] = i + j == 0 ? 0 : larger(pair, larger(up[i][j], left[i][j]));
            top = larger(top, best[i][j]);
        }
    return top;
}

static int path_score(const struct scoring *s, const uint8_t *query, const uint8_t *database,
                      const struct gapped_extent *e, const struct gapped_run *runs, size_t count)
{
    uint64_t q = e->query_begin, d = e->database_begin;
    int score = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].step != GAPPED_PAIR)
            score -= s->gap_open + (int)runs[i].length * s->gap_extend;
        for (uint32_t j = 0; j < runs[i].length; j++) {
            if (runs[i].step == GAPPED_PAIR)
                score += pair_score(s, query[q], database[d]);
            q += runs[i].step != GAPPED_DATABASE;
            d += runs[i].step != GAPPED_QUERY;
        }
    }
    ck_assert_uint_eq(q, e->query_end);
    ck_assert_uint_eq(d, e->database_end);
    return score;
}

static void assert_same_extent(const struct gapped_extent *a, const struct gapped_extent *b)
{
    ck_assert_int_eq(a->score, b->score);
    ck_assert_uint_eq(a->query_begin, b->query_begin);
    ck_assert_uint_eq(a->query_end, b->query_end);
    ck_assert_uint_eq(a->database_begin, b->database_begin);
    ck_assert_uint_eq(a->database_end, b->database_end);
}

START_TEST(test_score_is_the_full_matrix_s_and_its_columns)
{
    static const struct scoring SYSTEMS[] = {{1, -3, 5, 2}, {2, -3, 5, 2}, {1, -1, 0, 2}, {5, -4, 8, 6}};
    const struct scoring *s = &SYSTEMS[_i % 4];
    uint8_t query[MOST], database[MOST];
    gapped *g = gapped_new(s);
    srand(100 + (unsigned)_i);
    for (int trial = 0; trial < 10; trial++) {
        uint64_t bases = 150 + (uint64_t)(rand() % 100), q = (uint64_t)rand() % bases, d, length, cells = 0;
        struct packed p;
        struct gapped_extent scored, aligned;
        const struct gapped_run *runs;
        size_t run_count;
        struct gapped_bounds b;
        int expected;
        random_codes(query, bases);
        length = mutate(query, bases, database, MOST, 30);
        d = q < length ? q : length - 1;
        packed_create(&p, database, length);
        b = bounds_whole(query, bases, &p);
        expected = full_matrix(s, query + q, (int64_t)q + 1, database + d, (int64_t)d + 1, -1) +
                   full_matrix(s, query + q + 1, (int64_t)(bases - q) - 1, database + d + 1,
                               (int64_t)(length - d) - 1, 1);
        if (trial % 2)
            gapped_limit_traceback(g, 500,
                                   1 << 30); /* commits every few rows: the path must not change for it */
        gapped_score(g, &b, q, d, FAR / 1000, &scored, &cells);
        ck_assert_int_eq(scored.score, expected);
        gapped_align(g, &b, q, d, FAR / 1000, &aligned, &runs, &run_count, &cells);
        ck_assert_int_eq(path_score(s, query, database, &aligned, runs, run_count), aligned.score);
        if (aligned.score != expected) /* one gap on both sides of the start point */
            scored.score += s->gap_open;
        assert_same_extent(&scored, &aligned);
        packed_destroy(&p);
    }
    gapped_destroy(g);
}
END_TEST

/* With the default X-drop paths merge soon, so small limits really commit; every path must equal the
 * unlimited one. */
START_TEST(test_commits_do_not_change_the_path)
{
    enum { BASES = 60000 };
    uint8_t *query = malloc(BASES), *database = malloc(2 * BASES);
    uint64_t length, cells = 0;
    gapped *plain = gapped_new(&DEFAULT), *small = gapped_new(&DEFAULT);
    struct gapped_extent one, two;
    const struct gapped_run *runs_one, *runs_two;
    size_t count_one, count_two;
    struct packed p;
    struct gapped_bounds b;
    srand(3);
    random_codes(query, BASES);
    length = mutate(query, BASES, database, 2 * BASES, 150);
    packed_create(&p, database, length);
    b = bounds_whole(query, BASES, &p);
    gapped_limit_traceback(plain, 1 << 30, 1 << 30);
    gapped_limit_traceback(small, 4000,
                           16000); /* a commit every 50 rows; more than 300 rows are never kept */
    gapped_align(plain, &b, 0, 0, 50, &one, &runs_one, &count_one, &cells);
    gapped_align(small, &b, 0, 0, 50, &two, &runs_two, &count_two, &cells);
    ck_assert_uint_gt(one.query_end, BASES / 2);
    assert_same_extent(&one, &two);
    ck_assert_uint_eq(count_one, count_two);
    ck_assert_int_eq(memcmp(runs_one, runs_two, count_one * sizeof *runs_one), 0);
    ck_assert_int_eq(path_score(&DEFAULT, query, database, &two, runs_two, count_two), two.score);
    packed_destroy(&p);
    gapped_destroy(plain);
    gapped_destroy(small);
    free(query);
    free(database);
}
END_TEST

static void assert_same_extension(gapped *one, gapped *two, const struct gapped_bounds *b, uint64_t q,
                                  uint64_t d, int xdrop)
{
    struct gapped_extent left, right;
    const struct gapped_run *runs[2];
    size_t counts[2];
    uint64_t cells[2] = {0, 0};
    gapped_score(one, b, q, d, xdrop, &left, &cells[0]);
    gapped_score(two, b, q, d, xdrop, &right, &cells[1]);
    assert_same_extent(&left, &right);
    ck_assert_uint_eq(cells[0], cells[1]);
    gapped_align(one, b, q, d, xdrop, &left, &runs[0], &counts[0], &cells[0]);
    gapped_align(two, b, q, d, xdrop, &right, &runs[1], &counts[1], &cells[1]);
    assert_same_extent(&left, &right);
    ck_assert_uint_eq(cells[0], cells[1]);
    ck_assert_uint_eq(counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; i++)
        ck_assert(runs[0][i].step == runs[1][i].step && runs[0][i].length == runs[1][i].length);
}

/* A band in vector lanes is cell by cell the plain one: at the ends of the records, at gaps as long as the lanes are
 * wide, where scores are too far apart for bytes, and where the traceback is committed every few rows. */
START_TEST(test_vectors_compute_the_same_cells)
{
    enum { BASES = 2000 };
    static const struct scoring SYSTEMS[] = {{1, -3, 5, 2}, {1, -2, 2, 1}, {1, -1, 3, 2},
                                             {1, -4, 0, 7}, {2, -3, 5, 2}, {1, -1, 0, 1}};
    static const int XDROPS[] = {0, 7, 15, 20, 50, 100, 101};
    const struct scoring *s = &SYSTEMS[_i % 6];
    uint8_t query[BASES], database[2 * BASES];
    gapped *plain = gapped_new(s), *wide = gapped_new(s);
    gapped_limit_level(plain, CPU_PORTABLE);
    srand(500 + (unsigned)_i);
    for (int trial = 0; trial < 10; trial++) {
        static const int RATES[] = {8, 30, 60, 200, 2000};
        uint64_t length, q, d;
        struct packed p;
        struct gapped_bounds b;
        random_codes(query, BASES);
        if (trial % 8 == 7) /* repeats: wide bands */
            for (int i = 3; i < BASES; i++)
                query[i] = query[i - 3];
        make_ambiguous(query, BASES, trial % 3 ? 1 : BASES / 50);
        length = mutate(query, BASES, database, 2 * BASES, RATES[trial % 5]);
        make_ambiguous(database, length, trial % 3 ? 1 : BASES / 50);
        packed_create(&p, database, length);
        b = bounds_whole(query, BASES, &p);
        q = (uint64_t)rand() % BASES;
        d = q < length ? q : length - 1;
        if (trial % 3 == 0) /* from end to end, with one large gap */
            q = 0, d = (uint64_t)rand() % 40;
        gapped_limit_traceback(wide, trial % 2 ? 5000 : 1 << 20, 1 << 30);
        for (size_t x = 0; x < sizeof XDROPS / sizeof *XDROPS; x++)
            assert_same_extension(plain, wide, &b, q, d, XDROPS[x]);
        packed_destroy(&p);
    }
    gapped_destroy(plain);
    gapped_destroy(wide);
}
END_TEST

/* A row can have the scores of a row after a run but not its gaps: a query gap that began on another diagonal goes on.
 * One of 100,000 random extensions of repeats has such a row that matters; this one, which was found so, is short. */
START_TEST(test_open_gaps_tell_rows_apart)
{
    static const char BASES[] = "ACGT", QUERY[] = "TCAGTTCAGGCC", DATABASE[] = "AGTTCAGTTTTTTGTTAACCGATTGTG";
    static const struct scoring SYSTEM = {1, -3, 2, 1};
    uint8_t query[sizeof QUERY - 1], database[sizeof DATABASE - 1];
    gapped *plain = gapped_new(&SYSTEM), *wide = gapped_new(&SYSTEM);
    struct packed p;
    for (size_t i = 0; i < sizeof query; i++)
        query[i] = (uint8_t)(strchr(BASES, QUERY[i]) - BASES);
    for (size_t i = 0; i < sizeof database; i++)
        database[i] = (uint8_t)(strchr(BASES, DATABASE[i]) - BASES);
    packed_create(&p, database, sizeof database);
    struct gapped_bounds b = bounds_whole(query, sizeof query, &p);
    gapped_limit_level(plain, CPU_PORTABLE);
    assert_same_extension(plain, wide, &b, 0, 0, 7);
    packed_destroy(&p);
    gapped_destroy(plain);
    gapped_destroy(wide);
}
END_TEST

/* Starts of two sequences that are alike here and there: their equal pairs, in no order. */
static size_t draw_starts(const uint8_t *query, uint64_t bases, const uint8_t *database, uint64_t length,
                          const struct gapped_bounds *b, struct gapped_start *starts)
{
    size_t count = 0;
    for (int i = 0; i < 1000 && count < GAPPED_TOGETHER; i++) {
        uint64_t q = (uint64_t)rand() % bases, d = q / 2 + (uint64_t)rand() % length / 2;
        if (i % 2) /* near the diagonal: longer */
            d = q + (uint64_t)(rand() % 7) - 3;
        if (d < length && q < bases && query[q] == database[d] && query[q] <= BASE_T)
            starts[count++] = (struct gapped_start){*b, q, d};
    }
    return count;
}

/* Extensions that are looked at together are, one by one and cell by cell, those of gapped_score(); the others say that
 * they have not ended: at the ends of records, after long runs, with bands as wide as the lanes. */
START_TEST(test_glances_are_the_scores)
{
    enum { BASES = 3000 };
    static const struct scoring SYSTEMS[] = {
        {1, -3, 5, 2}, {1, -2, 2, 2}, {1, -4, 0, 7}, {1, -1, 3, 2}, {2, -3, 5, 2}};
    static const int XDROPS[] = {0, 8, 11, 15, 16, 60};
    const struct scoring *s = &SYSTEMS[_i % 5];
    uint8_t query[BASES], database[2 * BASES];
    size_t ended = 0, all = 0;
    gapped *plain = gapped_new(s), *together = gapped_new(s);
    gapped_limit_level(plain, CPU_PORTABLE);
    srand(700 + (unsigned)_i);
    for (int trial = 0; trial < 40; trial++) {
        static const int RATES[] = {8, 12, 20, 60, 400};
        struct gapped_start starts[GAPPED_TOGETHER];
        struct gapped_glance glances[GAPPED_TOGETHER];
        struct packed p;
        random_codes(query, BASES);
        for (int i = 5; trial % 6 == 5 && i < BASES; i++) /* repeats */
            query[i] = rand() % 20 ? query[i - 5] : query[i];
        make_ambiguous(query, BASES, 1);
        uint64_t length = mutate(query, BASES, database, 2 * BASES, RATES[trial % 5]);
        make_ambiguous(database, length, 1);
        packed_create(&p, database, length);
        struct gapped_bounds b = bounds_whole(query, BASES, &p);
        size_t count = draw_starts(query, BASES, database, length, &b, starts);
        int xdrop = XDROPS[rand() % 6];
        count = trial % 7 ? count : count % 4; /* also with idle slots from the beginning */
        gapped_glance_at(together, starts, count, xdrop, glances);
        for (size_t i = 0; i < count; i++) {
            struct gapped_extent expected;
            uint64_t cells = 0;
            if (!glances[i].ended)
                continue;
            gapped_score(plain, &b, starts[i].query, starts[i].database, xdrop, &expected, &cells);
            assert_same_extent(&expected, &glances[i].extent);
            ck_assert_uint_eq(cells, glances[i].cells);
            ended++;
        }
        all += count;
        packed_destroy(&p);
    }
    if (_i % 5 < 3 && cpu_best_level() >= CPU_AVX2)
        ck_assert_uint_gt(ended, all / 20);
    gapped_destroy(plain);
    gapped_destroy(together);
}
END_TEST

/* However small an X-drop is, an extension goes on behind the shortest gap. */
START_TEST(test_any_xdrop_is_enough_for_a_gap)
{
    uint8_t query[100], database[sizeof query + 1];
    gapped *g = gapped_new(&DEFAULT);
    struct gapped_extent e;
    struct packed p;
    uint64_t cells = 0;
    srand(7);
    random_codes(query, sizeof query);
    memcpy(database, query, 50);
    database[50] = (query[50] + 1) % 4;
    memcpy(database + 51, query + 50, 50);
    packed_create(&p, database, sizeof database);
    struct gapped_bounds b = bounds_whole(query, sizeof query, &p);
    gapped_score(g, &b, 10, 10, 0, &e, &cells);
    ck_assert_uint_eq(e.query_end, sizeof query);
    ck_assert_uint_eq(e.database_end, sizeof database);
    ck_assert_int_eq(e.score, 100 - DEFAULT.gap_open - DEFAULT.gap_extend);
    packed_destroy(&p);
    gapped_destroy(g);
}
END_TEST

/* Bounds, not codes, end an extension: the flanks are equal too. */
START_TEST(test_extension_stays_inside_its_records)
{
    uint8_t codes[300];
    gapped *g = gapped_new(&DEFAULT);
    struct gapped_extent e;
    struct packed p;
    uint64_t cells = 0;
    srand(5);
    random_codes(codes, sizeof codes);
    packed_create(&p, codes, sizeof codes);
    gapped_score(g, &(struct gapped_bounds){codes, 100, 200, &p.sequences, 90, 190}, 150, 150, 50, &e,
                 &cells);
    ck_assert_uint_eq(e.query_begin, 100);
    ck_assert_uint_eq(e.query_end, 190);
    ck_assert_uint_eq(e.database_begin, 100);
    ck_assert_uint_eq(e.database_end, 190);
    ck_assert_int_eq(e.score, 90);
    packed_destroy(&p);
    gapped_destroy(g);
}
END_TEST

START_TEST(test_ambiguous_bases_match_in_part)
{
    uint8_t codes[60];
    gapped *g = gapped_new(&DEFAULT);
    struct gapped_extent e;
    struct packed p;
    struct gapped_bounds b;
    uint64_t cells = 0;
    srand(6);
    random_codes(codes, sizeof codes);
    codes[10] = BASE_N;
    packed_create(&p, codes, sizeof codes);
    b = bounds_whole(codes, sizeof codes, &p);
    gapped_score(g, &b, 30, 30, 50, &e, &cells);
    ck_assert_int_eq(e.score, 59 - 2); /* (1 - 3 - 3 - 3) / 4 */
    packed_destroy(&p);
    gapped_destroy(g);
}
END_TEST

/* Feed every 11-mer that both have, in database order; the alignments found. */
static struct alignment_list search(const uint8_t *query, uint64_t bases, const uint8_t *codes,
                                    const struct packed *p, struct stage3_counts *counts)
{
    struct alignment_list list = {.items = NULL};
    struct scoring_statistics statistics;
    struct sequence_record items[2] = {{.begin = 0}};
    struct sequences records = {.records = items, .record_count = 1, .positions = bases};
    for (uint64_t i = 0; i < bases; i++)
        if (query[i] == BASE_SEPARATOR)
            items[records.record_count++].begin = i + 1;
        else
            items[records.record_count - 1].bases++;
    struct stage3_pass pass = {query,         &records,    STRAND_PLUS,
                               &p->sequences, &statistics, {(const int[]){25, 25}, 0}};
    struct stage3 *s;
    struct stage3_work work;
    uint64_t cells;
    struct why why;
    ck_assert_int_eq(scoring_statistics_compute(&DEFAULT, &statistics, &why), 0);
    s = stage3_new(&pass, &list);
    ck_assert_ptr_nonnull(s);
    for (uint64_t d = 0; d + 11 <= p->sequences.positions; d++)
        for (uint64_t q = 0; q + 11 <= bases; q++)
            if (memcmp(query + q, codes + d, 11) == 0 && query[q + 5] <= BASE_T)
                stage3_extend(s, q + 10, d + 10, &work);
    stage3_flush(s, &cells);
    *counts = stage3_counts(s);
    stage3_destroy(s);
    alignment_list_cull(&list);
    return list;
}

/* Three copies of one segment on diagonals 60 apart and a fourth across a separator: all must be found, none
 * crosses. */
START_TEST(test_copies_near_an_alignment_are_not_lost)
{
    enum { UNIT = 55, LENGTH = 400 };
    uint8_t query[2 * UNIT + 1], codes[LENGTH];
    static const uint64_t PLACES[] = {20, 80, 140, 300};
    struct stage3_counts counts;
    struct alignment_list list;
    struct packed p;
    srand(11);
    random_codes(query, sizeof query);
    memcpy(query + UNIT + 1, query, UNIT);
    query[UNIT] = BASE_SEPARATOR;
    random_codes(codes, LENGTH);
    for (int i = 0; i < 4; i++)
        memcpy(codes + PLACES[i], query, UNIT);
    packed_create(&p, codes, LENGTH);
    list = search(query, sizeof query, codes, &p, &counts);
    ck_assert_uint_eq(list.count, 8);
    for (size_t i = 0; i < list.count; i++) {
        ck_assert_uint_ge(list.items[i].identities, UNIT);
        ck_assert(list.items[i].query_end <= UNIT || list.items[i].query_begin > UNIT);
        ck_assert_uint_eq(list.items[i].query_record, list.items[i].query_begin > UNIT);
    }
    ck_assert_uint_gt(counts.of[STAGE3_CONTAINED] + counts.of[STAGE3_REPEATED], 8 * 40);
    alignment_list_destroy(&list);
    packed_destroy(&p);
}
END_TEST

/* Two good halves with 12 mismatches (36) between them: as one extension (X-drop 50) the second half, 30,
 * would cost more than it brings; cut, both come out, whichever was met first. */
START_TEST(test_costly_bridge_is_cut)
{
    enum { FIRST = 100, BRIDGE = 12, SECOND = 30, LENGTH = FIRST + BRIDGE + SECOND };
    uint8_t query[LENGTH], codes[LENGTH];
    struct stage3_counts counts;
    struct alignment_list list;
    struct packed p;
    srand(13);
    random_codes(query, LENGTH);
    memcpy(codes, query, LENGTH);
    for (int i = 0; i < BRIDGE; i++)
        codes[(_i ? FIRST : SECOND) + i] ^= 1;
    packed_create(&p, codes, LENGTH);
    list = search(query, LENGTH, codes, &p, &counts);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_int_eq(list.items[0].score + list.items[1].score, FIRST + SECOND);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(list.items[i].columns, list.items[i].identities);
        ck_assert_uint_eq(list.items[i].gap_openings, 0);
    }
    alignment_list_destroy(&list);
    packed_destroy(&p);
}
END_TEST

/* A tandem repeat against itself, 150 copies of 20 bases: every shift by 20 is an alignment, and it ends. */
START_TEST(test_tandem_repeat_ends)
{
    enum { UNIT = 20, COPIES = 150 };
    uint8_t codes[UNIT * COPIES];
    struct stage3_counts counts;
    struct alignment_list list;
    struct packed p;
    uint64_t longest = 0;
    srand(17);
    random_codes(codes, UNIT);
    for (int i = 1; i < COPIES; i++)
        memcpy(codes + i * UNIT, codes, UNIT);
    packed_create(&p, codes, sizeof codes);
    list = search(codes, sizeof codes, codes, &p, &counts);
    for (size_t i = 0; i < list.count; i++)
        longest = list.items[i].columns > longest ? list.items[i].columns : longest;
    ck_assert_uint_eq(longest, sizeof codes);
    ck_assert_uint_lt(counts.of[STAGE3_ALIGNED], 2 * COPIES + 10);
    alignment_list_destroy(&list);
    packed_destroy(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gapped");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *stage = tcase_create("stage3");
    tcase_set_timeout(core, 30);
    tcase_set_timeout(stage, 30);
    tcase_add_loop_test(core, test_score_is_the_full_matrix_s_and_its_columns, 0, 8);
    tcase_add_test(core, test_commits_do_not_change_the_path);
    tcase_add_loop_test(core, test_vectors_compute_the_same_cells, 0, 24);
    tcase_add_test(core, test_open_gaps_tell_rows_apart);
    tcase_add_loop_test(core, test_glances_are_the_scores, 0, 10);
    tcase_add_test(limits, test_any_xdrop_is_enough_for_a_gap);
    tcase_add_test(limits, test_extension_stays_inside_its_records);
    tcase_add_test(limits, test_ambiguous_bases_match_in_part);
    tcase_add_test(stage, test_copies_near_an_alignment_are_not_lost);
    tcase_add_loop_test(stage, test_costly_bridge_is_cut, 0, 2);
    tcase_add_test(stage, test_tandem_repeat_ends);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, stage);
    return run_suite(suite);
}
