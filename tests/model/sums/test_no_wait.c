#include "model/sums/no_wait.h"

#include <check.h>
#include <stdlib.h>

#include "tests/run_suite.h"

/* By hand. 3 jobs on 2 machines: the second begins 4 after the first (2 + 3 - 1), the third 2 after that (1 + 4 - 3),
 * and takes 4: 10. 4 jobs on 3 machines: the next begins 5 (of 5, 3, -1), 7 (of 3, 7, 6) and 6 (of 2, 0, 6) later,
 * and the last takes 6: 24. */
START_TEST(test_makespans)
{
    static const double two[] = {2, 3, 1, 4, 3, 1}, three[] = {5, 1, 2, 3, 6, 1, 2, 2, 7, 4, 1, 1};
    ck_assert_double_eq(no_wait_makespan(two, 3, 2), 10);
    static const double leads[] = {5, 7, 6};
    ck_assert_double_eq(no_wait_makespan(three, 4, 3), 24);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(no_wait_lead(three + i * 3, three + i * 3 + 3, 3), leads[i]);
}
END_TEST

/* One job takes the sum of its times; on one machine jobs follow each other; nothing takes no time. */
START_TEST(test_ends)
{
    static const double times[] = {2, 3, 4};
    ck_assert_double_eq(no_wait_makespan(times, 1, 3), 9);
    ck_assert_double_eq(no_wait_makespan(times, 3, 1), 9);
    ck_assert_double_eq(no_wait_makespan(times, 0, 3), 0);
    ck_assert_double_eq(no_wait_makespan(times, 3, 0), 0);
}
END_TEST

/* A job that needs nothing of the first machine may not overtake the one before it. */
START_TEST(test_order_is_kept)
{
    static const double times[] = {1, 5, 0, 1};
    ck_assert_double_eq(no_wait_makespan(times, 2, 2), 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("no_wait");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_makespans);
    tcase_add_test(core, test_ends);
    tcase_add_test(core, test_order_is_kept);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
