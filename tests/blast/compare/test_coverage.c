/* test_coverage.c - shares of alignments that others cover, counted by hand. */
#include <check.h>
#include <stdlib.h>

#include "blast/compare/coverage.h"
#include "tests/run_suite.h"

/* An alignment of query [q, q + n) and subject [s, s + n), without gaps and without a path. */
static struct located_hit plain(int64_t q, int64_t s, int64_t n)
{
    return (struct located_hit){.hit = {.query = "q",
                                        .subject = "s",
                                        .query_begin = q,
                                        .query_end = q + n,
                                        .subject_begin = s,
                                        .subject_end = s + n,
                                        .columns = (uint64_t)n}};
}

static struct path_block one_block[8];

/* An alignment with its path. */
static struct located_hit with_path(int64_t q, int64_t s, int64_t n, int slot)
{
    struct located_hit p = plain(q, s, n);
    one_block[slot] = (struct path_block){(uint64_t)q, (uint64_t)s, (uint64_t)n};
    p.path = (struct path){.blocks = &one_block[slot], .count = 1, .pairs = (uint64_t)n};
    return p;
}

static double share(const struct located_hit *of, const struct located_hit *by, size_t count)
{
    struct coverage c;
    coverage_measure(of, 1, by, count, &c);
    return c.share;
}

START_TEST(test_positions_on_meeting_diagonals)
{
    struct located_hit of = plain(100, 1100, 100);
    struct located_hit shifted = plain(100, 1101, 100), half = plain(150, 1150, 200),
                       rest = plain(90, 1090, 55);
    struct located_hit bent = plain(100, 1101, 100);
    bent.hit.columns = 101;
    bent.hit.query_end = 201; /* one gap in the subject: from diagonal 1001 to 1000 */
    ck_assert_double_eq(share(&of, &of, 1), 1);
    ck_assert_double_eq(share(&of, &shifted, 1), 0);
    ck_assert_double_eq(share(&of, &half, 1), 0.5);
    ck_assert_double_eq_tol(share(&of, &bent, 1), 0.99, 1e-12);
    struct located_hit both[] = {half, rest};
    ck_assert_double_eq_tol(share(&of, both, 2), 0.95, 1e-12);
    ck_assert_double_eq(share(&of, NULL, 0), 0);
}
END_TEST

START_TEST(test_other_strand_query_or_subject_cover_nothing)
{
    struct located_hit of = plain(100, 1100, 100), by = of;
    by.hit.strand = STRAND_MINUS;
    ck_assert_double_eq(share(&of, &by, 1), 0);
    by = of;
    by.hit.query = "other";
    ck_assert_double_eq(share(&of, &by, 1), 0);
    by = of;
    by.hit.subject = "other";
    ck_assert_double_eq(share(&of, &by, 1), 0);
}
END_TEST

/* Two blocks of 50, the second moved by 3: of another alignment's one block of 100, half its pairs are the same. */
START_TEST(test_paths_count_pairs)
{
    struct path_block blocks[] = {{100, 1100, 50}, {150, 1153, 50}};
    struct located_hit of = with_path(100, 1100, 100, 0), by = plain(100, 1100, 100);
    by.hit.subject_end = 1203;
    by.hit.columns = 103;
    by.path = (struct path){.blocks = blocks, .count = 2, .pairs = 100};
    ck_assert_double_eq(share(&of, &by, 1), 0.5);
    ck_assert_double_eq(share(&by, &of, 1), 0.5);
    by.path = (struct path){0};
    ck_assert_double_eq(share(&of, &by, 1), 1);
}
END_TEST

START_TEST(test_best_has_the_same_ends_where_one_has)
{
    struct located_hit of = with_path(100, 1100, 100, 0);
    struct located_hit by[] = {with_path(50, 1050, 300, 1), with_path(100, 1100, 100, 2),
                               with_path(500, 1500, 10, 3)};
    struct coverage c;
    coverage_measure(&of, 1, by, 3, &c);
    ck_assert_int_eq(c.best, 1);
    ck_assert(c.same);
    coverage_measure(&by[2], 1, &of, 1, &c);
    ck_assert_int_eq(c.best, -1);
    ck_assert(!c.same);
}
END_TEST

/* The other lies on the same subject positions, but on another diagonal. */
START_TEST(test_what_covers_nothing_is_no_best)
{
    struct located_hit of = plain(100, 1100, 100), by = plain(100, 1110, 100);
    struct coverage c;
    coverage_measure(&of, 1, &by, 1, &c);
    ck_assert_int_eq(c.best, -1);
    ck_assert_double_eq(c.share, 0);
}
END_TEST

START_TEST(test_best_of_equals_is_the_first_of_the_subject)
{
    struct located_hit of = plain(100, 1100, 100), by[] = {plain(150, 1150, 50), plain(100, 1100, 50)};
    struct coverage c;
    coverage_measure(&of, 1, by, 2, &c);
    ck_assert_int_eq(c.best, 1);
    ck_assert_double_eq(c.best_share, 0.5);
    ck_assert_double_eq(c.share, 1);
}
END_TEST

/* Against asking every pair. */
START_TEST(test_many_against_all_pairs)
{
    enum { COUNT = 200 };
    static struct located_hit of[COUNT], by[COUNT];
    struct coverage c[COUNT];
    srand(3);
    for (int i = 0; i < COUNT; i++) {
        of[i] = plain(rand() % 500, rand() % 500, 10 + rand() % 100);
        by[i] = plain(rand() % 500, rand() % 500, 10 + rand() % 300);
        of[i].hit.strand = by[i].hit.strand = rand() % 2;
    }
    coverage_measure(of, COUNT, by, COUNT, c);
    for (int i = 0; i < COUNT; i++) {
        double best = 0;
        for (int j = 0; j < COUNT; j++) {
            double one = share(&of[i], &by[j], 1);
            best = one > best ? one : best;
        }
        ck_assert_double_eq(c[i].best_share, best);
        ck_assert_double_ge(c[i].share, best);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("coverage");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_positions_on_meeting_diagonals);
    tcase_add_test(core, test_other_strand_query_or_subject_cover_nothing);
    tcase_add_test(core, test_paths_count_pairs);
    tcase_add_test(core, test_best_has_the_same_ends_where_one_has);
    tcase_add_test(core, test_what_covers_nothing_is_no_best);
    tcase_add_test(core, test_best_of_equals_is_the_first_of_the_subject);
    tcase_add_test(core, test_many_against_all_pairs);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
