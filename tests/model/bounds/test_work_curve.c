/* test_work_curve.c - the greatest work of windows, by hand and against every window of random streams. */
#include "model/bounds/work_curve.h"

#include <check.h>

#include "tests/run_suite.h"

/* Works 3 0 5 2 2: of two the most is 5 + 2, of three 5 + 2 + 2 (3 + 0 + 5 is 8, 0 + 5 + 2 is 7). */
START_TEST(test_by_hand)
{
    const uint64_t ends[] = {0, 3, 3, 8, 10, 12};
    ck_assert_uint_eq(work_curve_greatest(ends, 5, 0), 0);
    ck_assert_uint_eq(work_curve_greatest(ends, 5, 1), 5);
    ck_assert_uint_eq(work_curve_greatest(ends, 5, 2), 7);
    ck_assert_uint_eq(work_curve_greatest(ends, 5, 3), 9);
    ck_assert_uint_eq(work_curve_greatest(ends, 5, 4), 10);
    ck_assert_uint_eq(work_curve_greatest(ends, 5, 5), 12);
    ck_assert_uint_eq(work_curve_greatest(ends, 5, UINT64_MAX), 12);
    ck_assert_uint_eq(work_curve_greatest(ends, 0, 3), 0);
}
END_TEST

/* Every window of every length, added up element by element. */
START_TEST(test_every_window)
{
    enum { LENGTH = 60, STREAMS = 50 };
    uint64_t state = 1, work[LENGTH], ends[LENGTH + 1] = {0};
    for (int stream = 0; stream < STREAMS; stream++) {
        for (int i = 0; i < LENGTH; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            work[i] = (state >> 40) % 7 == 0 ? (state >> 50) % 60 : (state >> 50) % 2;
            ends[i + 1] = ends[i] + work[i];
        }
        for (int k = 1; k <= LENGTH; k++) {
            uint64_t most = 0;
            for (int i = 0; i + k <= LENGTH; i++) {
                uint64_t sum = 0;
                for (int j = i; j < i + k; j++)
                    sum += work[j];
                most = sum > most ? sum : most;
            }
            ck_assert_uint_eq(work_curve_greatest(ends, LENGTH, (uint64_t)k), most);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("work_curve");
    TCase *tests = tcase_create("windows");
    tcase_add_test(tests, test_by_hand);
    tcase_add_test(tests, test_every_window);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
