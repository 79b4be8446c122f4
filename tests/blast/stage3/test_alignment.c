/* test_alignment.c - does culling keep what it must, drop what it should, and order the rest? */
#include "base/why.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/extent.h"

#include <check.h>
#include <stdlib.h>

#include "tests/run_suite.h"

static struct alignment box(uint64_t query, uint64_t database, uint64_t length, int score)
{
    return (struct alignment){.query_begin = query,
                              .query_end = query + length,
                              .database_begin = database,
                              .database_end = database + length,
                              .columns = length,
                              .identities = length,
                              .score = score};
}

static size_t count_culled(const struct alignment *items, size_t count, struct alignment *first)
{
    struct alignment_list list = {.items = NULL};
    size_t kept;
    for (size_t i = 0; i < count; i++)
        alignment_list_append(&list, &items[i]);
    alignment_list_cull(&list);
    kept = list.count;
    if (kept > 0)
        *first = list.items[0];
    alignment_list_destroy(&list);
    return kept;
}

START_TEST(test_cases_of_two)
{
    const struct {
        struct alignment a, b;
        size_t kept;
        int score; /* of the first kept */
    } cases[] = {
        {box(10, 10, 50, 50), box(10, 10, 50, 50), 1, 50},  /* found by two passes */
        {box(10, 10, 50, 40), box(10, 10, 30, 60), 1, 60},  /* common begin: the better, even if shorter */
        {box(10, 10, 50, 40), box(30, 30, 30, 60), 1, 60},  /* common end */
        {box(10, 10, 90, 80), box(30, 40, 20, 20), 1, 80},  /* inside, 10 diagonals away */
        {box(10, 10, 500, 80), box(30, 79, 20, 20), 1, 80}, /* inside, 49 diagonals away */
        {box(10, 10, 500, 80), box(30, 80, 20, 20), 2, 80}, /* inside, 50 diagonals away: another alignment */
        {box(10, 10, 90, 20), box(30, 40, 20, 80), 2, 20},  /* inside, but better */
        {box(10, 10, 50, 50), box(11, 11, 50, 50), 2, 50},  /* overlapping only */
    };
    struct alignment first;
    struct alignment both[2] = {cases[_i].a, cases[_i].b}, swapped[2] = {cases[_i].b, cases[_i].a};
    ck_assert_uint_eq(count_culled(both, 2, &first), cases[_i].kept);
    ck_assert_int_eq(first.score, cases[_i].score);
    ck_assert_uint_eq(count_culled(swapped, 2, &first), cases[_i].kept);
    ck_assert_int_eq(first.score, cases[_i].score);
}
END_TEST

START_TEST(test_strands_and_records_are_apart)
{
    struct alignment items[4] = {box(0, 0, 50, 50), box(0, 0, 50, 50), box(0, 0, 50, 50), box(0, 0, 50, 50)},
                     first;
    items[1].strand = STRAND_MINUS;
    items[2].query_record = 1;
    items[3].database_record = 1;
    ck_assert_uint_eq(count_culled(items, 4, &first), 4);
}
END_TEST

static int contains(const struct alignment *outer, const struct alignment *inner)
{
    struct gapped_extent a = outer->extent, b = inner->extent;
    return extent_encloses(&a, &b);
}

static int conflict(const struct alignment *a, const struct alignment *b)
{
    return (a->query_begin == b->query_begin && a->database_begin == b->database_begin) ||
           (a->query_end == b->query_end && a->database_end == b->database_end) || contains(a, b) ||
           contains(b, a);
}

/* Whatever is dropped conflicts with something at least as good, and nothing that is kept conflicts: all
 * pairs. */
START_TEST(test_random_lists_against_all_pairs)
{
    enum { COUNT = 300 };
    struct alignment_list list = {.items = NULL};
    struct alignment items[COUNT];
    srand(7 + (unsigned)_i);
    for (int i = 0; i < COUNT; i++) {
        uint64_t query = (uint64_t)(rand() % 200), length = 20 + (uint64_t)(rand() % 100);
        items[i] = box(query, query + (uint64_t)(rand() % 120), length, rand() % 60);
        alignment_list_append(&list, &items[i]);
    }
    alignment_list_cull(&list);
    ck_assert_uint_gt(list.count, 1);
    ck_assert_uint_lt(list.count, COUNT);
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert(!conflict(&list.items[i], &list.items[j]));
    for (int i = 0; i < COUNT; i++) {
        int explained = 0;
        for (int j = 0; j < COUNT && !explained; j++)
            explained = j != i && items[j].score >= items[i].score && conflict(&items[i], &items[j]);
        for (size_t j = 0; j < list.count && !explained; j++)
            explained = list.items[j].query_begin == items[i].query_begin &&
                        list.items[j].database_begin == items[i].database_begin &&
                        list.items[j].query_end == items[i].query_end;
        ck_assert(explained);
    }
    alignment_list_destroy(&list);
}
END_TEST

static const struct sequence_record RECORDS[] = {{(char *)"a", 0, 5000}, {(char *)"b", 5001, 5000}};
static const struct sequences TWO = {
    .records = (struct sequence_record *)RECORDS, .record_count = 2, .positions = 10001, .bases = 10000};

/* Query record, then the subject with the best alignment, then score. */
START_TEST(test_finished_list_is_in_blastn_s_order)
{
    struct alignment items[5] = {box(5001, 100, 30, 30), box(0, 100, 40, 40), box(0, 5001, 90, 90),
                                 box(300, 5401, 35, 35), box(900, 900, 10, 10)};
    static const int SCORES[] = {90, 35, 40, 30};
    struct alignment_list list = {.items = NULL};
    struct scoring scoring = scoring_presets[0];
    struct scoring_statistics statistics;
    struct why why;
    items[0].query_record = 1;
    items[2].database_record = items[3].database_record = 1;
    ck_assert_int_eq(scoring_statistics_compute(&scoring, &statistics, &why), 0);
    for (int i = 0; i < 5; i++)
        alignment_list_append(&list, &items[i]);
    alignment_list_finish(&list, &statistics, &TWO, &TWO, 1e-3);
    ck_assert_uint_eq(list.count, 4); /* score 10 has an E-value above 1 */
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(list.items[i].score, SCORES[i]);
        ck_assert_double_eq(list.items[i].bits, scoring_bits(&statistics, SCORES[i]));
        ck_assert_double_gt(list.items[i].e_value, 0.0);
    }
    alignment_list_destroy(&list);
}
END_TEST

/* blastn's, too: of the same sequence in three records it names the last one first. */
START_TEST(test_of_equal_subjects_the_later_comes_first)
{
    struct alignment_list list = {.items = NULL};
    struct scoring scoring = scoring_presets[0];
    struct scoring_statistics statistics;
    struct why why;
    ck_assert_int_eq(scoring_statistics_compute(&scoring, &statistics, &why), 0);
    for (uint64_t i = 0; i < 2; i++) {
        struct alignment a = box(0, 5001 * i, 40, 40);
        a.database_record = i;
        alignment_list_append(&list, &a);
    }
    alignment_list_finish(&list, &statistics, &TWO, &TWO, 1e-3);
    ck_assert_uint_eq(list.items[0].database_record, 1);
    ck_assert_uint_eq(list.items[1].database_record, 0);
    alignment_list_destroy(&list);
}
END_TEST

/* One run of the alignment's length, followed by a gap of its score. */
static void append_with_path(struct alignment_list *list, struct alignment a)
{
    struct gapped_run runs[2] = {{GAPPED_PAIR, (uint32_t)a.columns}, {GAPPED_QUERY, (uint32_t)a.score}};
    alignment_list_append_path(list, &a, runs, 2);
}

static void check_path(const struct alignment_list *list, const struct alignment *a)
{
    ck_assert_uint_eq(a->path_runs, 2);
    ck_assert_uint_le(a->path_begin + 2, list->run_count);
    ck_assert_uint_eq(list->runs[a->path_begin].length, a->columns);
    ck_assert_uint_eq(list->runs[a->path_begin + 1].length, (uint64_t)a->score);
}

/* Joined from two lists, culled and sorted, every alignment still has its own path. */
START_TEST(test_paths_stay_with_their_alignments)
{
    struct alignment_list one = {.items = NULL}, other = {.items = NULL};
    for (int i = 0; i < 200; i++)
        append_with_path(i % 3 ? &one : &other, box((uint64_t)(i * 37 % 1000), (uint64_t)(i * 91 % 1000),
                                                    20 + (uint64_t)i, 10 + i * 53 % 97));
    alignment_list_append_list(&one, &other);
    ck_assert_uint_eq(one.count, 200);
    alignment_list_cull(&one);
    for (size_t i = 0; i < one.count; i++)
        check_path(&one, &one.items[i]);
    alignment_list_destroy(&one);
    alignment_list_destroy(&other);
}
END_TEST

/* Two queries: subjects with 3, 1, 2 and with 2 alignments; which of them stay, by their scores. Every other one has
 * an identity of 90%, the rest 100%; they cover 50% of the first query, b 45%, and 10% of the
 * second, to which half a per cent is added. Of a subject's best alignments blastn drops those of too little coverage,
 * and has no others in their place; a subject without any is not counted. */
static const struct {
    struct alignment_limits limits;
    const char *kept;
} LIMITS[] = {
    {{0, 0, 0, 0}, "abcdefgh"},    {{0, 0, 1, 0}, "abcgh"},     {{0, 0, 2, 0}, "abcdgh"},
    {{0, 0, 3, 0}, "abcdefgh"},    {{0, 0, 9, 9}, "abcdefgh"},  {{0, 0, 0, 1}, "adeg"},
    {{0, 0, 0, 2}, "abdefgh"},     {{0, 0, 1, 1}, "ag"},        {{0, 0, 2, 2}, "abdgh"},
    {{90, 0, 0, 0}, "abcdefgh"},   {{90.1, 0, 0, 0}, "bdfh"},   {{0, 10, 0, 0}, "abcdefgh"},
    {{0, 10.5, 0, 0}, "abcdefgh"}, {{0, 10.6, 0, 0}, "abcdef"}, {{0, 50.5, 0, 0}, "acdef"},
    {{0, 51, 0, 0}, ""},           {{95, 0, 0, 1}, "bdfh"},     {{95, 20, 2, 0}, "bd"},
    {{0, 50, 0, 2}, "adef"},       {{95, 50, 1, 1}, "d"},
};

START_TEST(test_limits_keep_the_first)
{
    static const int QUERIES[] = {0, 0, 0, 0, 0, 0, 1, 1}, SUBJECTS[] = {4, 4, 4, 2, 7, 7, 7, 7};
    struct sequence_record records[] = {{.bases = 20}, {.bases = 100}};
    struct sequences query = {.records = records, .record_count = 2};
    struct alignment_list list = {.items = NULL};
    char kept[16] = "";
    for (int i = 0; i < 8; i++) {
        struct alignment a = box(0, 0, i == 1 ? 9 : 10, 'a' + i);
        a.columns = 10;
        a.identities = i % 2 == 0 ? 9 : 10;
        a.query_record = (uint64_t)QUERIES[i];
        a.database_record = (uint64_t)SUBJECTS[i];
        alignment_list_append(&list, &a);
    }
    alignment_list_limit(&list, &query, &LIMITS[_i].limits);
    for (size_t i = 0; i < list.count && i < 8; i++)
        kept[i] = (char)list.items[i].score;
    ck_assert_str_eq(kept, LIMITS[_i].kept);
    alignment_list_destroy(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alignment");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits");
    tcase_add_loop_test(core, test_cases_of_two, 0, 8);
    tcase_add_test(core, test_strands_and_records_are_apart);
    tcase_add_test(core, test_finished_list_is_in_blastn_s_order);
    tcase_add_test(core, test_of_equal_subjects_the_later_comes_first);
    tcase_add_test(core, test_paths_stay_with_their_alignments);
    tcase_add_loop_test(limits, test_limits_keep_the_first, 0, (int)(sizeof LIMITS / sizeof LIMITS[0]));
    tcase_add_loop_test(limits, test_random_lists_against_all_pairs, 0, 20);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
