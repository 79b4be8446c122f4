/* test_stitch.c - alignments found segment by segment and joined, against the same found in one piece. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "blast/sequence/segment.h"
#include "blast/stage3/stitch.h"
#include "blast/stages12/pass.h"
#include "tests/run_suite.h"

enum { QUERY_BASES = 40000, OVERLAP = 64 };

static const struct pass_rules rules = {
    .bloom = {.hashes = 2, .bank_bits = 1 << 20, .family = HASH_XXH3, .seed = 1},
    .sram = {.slots = 1 << 17,
             .family = HASH_DISPLACED,
             .inline_positions = 2,
             .trip_positions = 5,
             .displacements = 8192,
             .seed = 2},
    .stage2 = {.window = 64, .match = 1, .mismatch = -3, .threshold = 16, .edge_rule = true},
};

static uint64_t state;

static uint32_t random_below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 32) * limit >> 32);
}

static struct sequences sequence_of(const uint8_t *codes, uint64_t count)
{
    struct sequences s = {.positions = count, .bases = count, .record_count = 1};
    s.word_count = (count + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s.words = malloc(s.word_count * sizeof *s.words);
    s.records = calloc(1, sizeof *s.records);
    ck_assert(s.words && s.records);
    memset(s.words, 0xff, s.word_count * sizeof *s.words);
    for (uint64_t i = 0; i < count; i++)
        s.words[i / 16] ^= (uint64_t)(codes[i] ^ 15u) << (4 * (i % 16));
    s.records[0] = (struct sequence_record){.name = strdup("s"), .bases = count};
    return s;
}

/* A copy of codes [begin, end) with substitutions and a few small indels. */
static uint64_t mutate(const uint8_t *codes, uint64_t begin, uint64_t end, uint8_t *out)
{
    uint64_t n = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t draw = random_below(1000);
        if (draw < 2)
            continue;
        if (draw < 4)
            out[n++] = (uint8_t)random_below(4);
        out[n++] = draw < 60 ? (uint8_t)random_below(4) : codes[i];
    }
    return n;
}

struct scene {
    uint8_t query_codes[QUERY_BASES];
    uint8_t database_codes[2 * QUERY_BASES];
    struct sequences query, database;
    struct scoring_statistics statistics;
};

/* Pieces of the query in another order, with something unrelated between them. */
static void make_scene(struct scene *s, int seed)
{
    static const uint64_t pieces[][2] = {
        {20000, 33000}, {100, 4900}, {9000, 16000}, {4950, 5100}, {36000, 39900}};
    struct why why;
    struct scoring scoring = scoring_presets[0];
    uint64_t n = 0;
    state = (uint64_t)seed + 99;
    for (int i = 0; i < QUERY_BASES; i++)
        s->query_codes[i] = (uint8_t)random_below(4);
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        for (int i = 0; i < 300; i++)
            s->database_codes[n++] = (uint8_t)random_below(4);
        n += mutate(s->query_codes, pieces[p][0], pieces[p][1], s->database_codes + n);
    }
    s->query = sequence_of(s->query_codes, QUERY_BASES);
    s->database = sequence_of(s->database_codes, n);
    ck_assert_int_eq(scoring_statistics_compute(&scoring, &s->statistics, &why), 0);
}

static void drop_scene(struct scene *s)
{
    sequences_destroy(&s->query);
    sequences_destroy(&s->database);
}

static struct stage3_query query_of(const struct scene *s)
{
    static const int least_scores[] = {28};
    return (struct stage3_query){.query = &s->query,
                                 .database = &s->database,
                                 .codes = {s->query_codes},
                                 .statistics = &s->statistics,
                                 .least.scores = least_scores};
}

static uint64_t run_segment(const struct scene *s, const struct query_segment *segment,
                            const struct stage3_pass *stage3_pass, struct alignment_list *list)
{
    struct pass *pass = pass_new(&rules, &s->query, segment, &s->database, NULL);
    struct stage3 *stage3 = stage3_new(stage3_pass, list);
    struct tokens tokens = {0};
    struct pass_counts counts = {0};
    uint64_t all_cells = 0, cells;
    pass_scan(pass, 0, s->database.word_count, &tokens, &counts);
    for (size_t i = 0; i < tokens.hsp_count; i++) {
        struct stage3_work work;
        stage3_extend(stage3, segment->begin + tokens.hsps[i].query_position,
                      tokens.hsps[i].database_position, &work);
        all_cells += work.cells + work.cluster_cells;
    }
    stage3_flush(stage3, &cells);
    all_cells += cells;
    tokens_destroy(&tokens);
    stage3_destroy(stage3);
    pass_destroy(pass);
    return all_cells;
}

static uint64_t run_segments(const struct scene *s, uint32_t length, bool borders,
                             struct alignment_list *list)
{
    size_t count = 0;
    uint64_t cells = 0;
    struct stage3_query query = query_of(s);
    struct query_segment *segments = segments_cut(QUERY_BASES, length, OVERLAP, STRANDS_PLUS, &count);
    for (size_t i = 0; i < count; i++) {
        struct stage3_pass pass = stage3_pass_whole(&query, STRAND_PLUS);
        if (borders) {
            pass.query_begin = segments[i].begin > STAGE3_MARGIN ? segments[i].begin - STAGE3_MARGIN : 0;
            pass.query_end = segments[i].begin + segments[i].length + STAGE3_MARGIN;
        }
        cells += run_segment(s, &segments[i], &pass, list);
    }
    free(segments);
    return cells;
}

static void check_equal(const struct alignment_list *found, const struct alignment_list *expected)
{
    ck_assert_uint_eq(found->count, expected->count);
    for (size_t i = 0; i < found->count; i++) {
        const struct alignment *a = &found->items[i], *b = &expected->items[i];
        ck_assert_uint_eq(a->query_begin, b->query_begin);
        ck_assert_uint_eq(a->query_end, b->query_end);
        ck_assert_uint_eq(a->database_begin, b->database_begin);
        ck_assert_uint_eq(a->database_end, b->database_end);
        ck_assert_int_eq(a->score, b->score);
        ck_assert_uint_eq(a->identities, b->identities);
    }
}

static void finish(const struct scene *s, struct alignment_list *list)
{
    alignment_list_finish(list, &s->statistics, &s->query, &s->database, 1e-3);
}

static const uint32_t lengths[] = {2500, 5000, 9000, 20064, 30000};

START_TEST(test_joined_segments_give_what_one_piece_gives)
{
    struct scene *s = malloc(sizeof *s);
    struct alignment_list whole = {0}, joined = {0};
    struct stitch_work work;
    ck_assert_ptr_nonnull(s);
    make_scene(s, _i);
    struct stage3_query query = query_of(s);
    run_segments(s, QUERY_BASES, false, &whole);
    run_segments(s, lengths[_i], true, &joined);
    stitch_alignments(&joined, &query, &work);
    ck_assert_uint_gt(work.count, 0);
    for (size_t i = 0; i < work.count; i++) {
        ck_assert_uint_gt(work.cells[i], 0); /* a seed that lies in what was found is no work */
        ck_assert_int_eq(work.reaches[i].strand, STRAND_PLUS);
        ck_assert_uint_gt(work.reaches[i].query_end - work.reaches[i].query_begin,
                          STAGE3_MARGIN - STAGE3_NEAR);
        ck_assert_uint_le(work.reaches[i].query_end, QUERY_BASES);
    }
    finish(s, &whole);
    finish(s, &joined);
    ck_assert_uint_ge(whole.count, 4);
    check_equal(&joined, &whole);
    stitch_work_destroy(&work);
    alignment_list_destroy(&whole);
    alignment_list_destroy(&joined);
    drop_scene(s);
    free(s);
}
END_TEST

/* Without the join the pieces stay pieces: the test above would see that. */
START_TEST(test_unjoined_segments_differ)
{
    struct scene *s = malloc(sizeof *s);
    struct alignment_list whole = {0}, pieces = {0};
    ck_assert_ptr_nonnull(s);
    make_scene(s, _i);
    run_segments(s, QUERY_BASES, false, &whole);
    run_segments(s, 5000, true, &pieces);
    finish(s, &whole);
    finish(s, &pieces);
    ck_assert_uint_gt(pieces.count, whole.count);
    alignment_list_destroy(&whole);
    alignment_list_destroy(&pieces);
    drop_scene(s);
    free(s);
}
END_TEST

/* 16 segments of 2,500 bases: each alignment over the whole query in every segment is several times the work of inside
 * the segment and its margin (6,500 of 40,000 bases). */
START_TEST(test_borders_save_work)
{
    struct scene *s = malloc(sizeof *s);
    struct alignment_list a = {0}, b = {0};
    ck_assert_ptr_nonnull(s);
    make_scene(s, _i);
    uint64_t without = run_segments(s, 2500, false, &a), with = run_segments(s, 2500, true, &b);
    ck_assert_uint_gt(without, 13 * with / 10);
    alignment_list_destroy(&a);
    alignment_list_destroy(&b);
    drop_scene(s);
    free(s);
}
END_TEST

START_TEST(test_nothing_cut_off_costs_nothing)
{
    struct scene *s = malloc(sizeof *s);
    struct alignment_list list = {0};
    struct stitch_work work;
    ck_assert_ptr_nonnull(s);
    make_scene(s, 1);
    struct stage3_query query = query_of(s);
    run_segments(s, QUERY_BASES, true, &list);
    size_t before = list.count;
    stitch_alignments(&list, &query, &work);
    ck_assert_uint_eq(work.count, 0);
    ck_assert_uint_eq(list.count, before);
    stitch_work_destroy(&work);
    alignment_list_destroy(&list);
    drop_scene(s);
    free(s);
}
END_TEST

/* Borders are 2,000 positions around a segment, and what ends within 1,000 of one may go on. */
START_TEST(test_what_is_cut_off)
{
    const struct query_segment segment = {.begin = 10000, .length = 5000};
    ck_assert(!stage3_cuts_off(&segment, 9000, 16000));
    ck_assert(stage3_cuts_off(&segment, 8999, 16000));
    ck_assert(stage3_cuts_off(&segment, 9000, 16001));
    ck_assert(!stage3_cuts_off(&(struct query_segment){.begin = 0, .length = 5000}, 0, 6000));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("join");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_joined_segments_give_what_one_piece_gives, 0,
                        (int)(sizeof lengths / sizeof lengths[0]));
    tcase_add_loop_test(core, test_unjoined_segments_differ, 0, 3);
    tcase_add_test(core, test_borders_save_work);
    tcase_add_test(core, test_nothing_cut_off_costs_nothing);
    tcase_add_test(core, test_what_is_cut_off);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
