/* test_alignment.c - does culling keep what it must, drop what it should, and order the rest? */
#include "blast/alignment.h"

#include <check.h>
#include <stdlib.h>

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
        ck_assert_int_eq(alignment_list_append(&list, &items[i]), 0);
    ck_assert_int_eq(alignment_list_cull(&list), 0);
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
    return inner->score <= outer->score && alignment_encloses(outer, inner->query_begin, inner->query_end,
                                                              inner->database_begin, inner->database_end);
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
        ck_assert_int_eq(alignment_list_append(&list, &items[i]), 0);
    }
    ck_assert_int_eq(alignment_list_cull(&list), 0);
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
    struct scoring scoring = scoring_default();
    struct scoring_statistics statistics;
    char why[200];

    items[0].query_record = 1;
    items[2].database_record = items[3].database_record = 1;
    ck_assert_int_eq(scoring_statistics_compute(&scoring, &statistics, why, sizeof why), 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(alignment_list_append(&list, &items[i]), 0);
    ck_assert_int_eq(alignment_list_finish(&list, &statistics, &TWO, &TWO, 1e-3), 0);
    ck_assert_uint_eq(list.count, 4); /* score 10 has an E-value above 1 */
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(list.items[i].score, SCORES[i]);
        ck_assert_double_eq(list.items[i].bits, scoring_bits(&statistics, SCORES[i]));
        ck_assert_double_gt(list.items[i].e_value, 0.0);
    }
    alignment_list_destroy(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alignment");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(core, test_cases_of_two, 0, 8);
    tcase_add_test(core, test_strands_and_records_are_apart);
    tcase_add_test(core, test_finished_list_is_in_blastn_s_order);
    tcase_add_loop_test(limits, test_random_lists_against_all_pairs, 0, 20);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
