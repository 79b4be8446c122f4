/* test_k_means.c - groups of points. */
#include "model/closed/isolated_run.h"

#include <check.h>
#include <string.h>

#include "model/model_error.h"
#include "tests/run_suite.h"

enum { PER_GROUP = 50, GROUPS = 3, COUNT = PER_GROUP * GROUPS };

/* Three groups around (1, 1), (1, 9) and (9, 5), 0.4 wide, in turn. */
static void make_points(struct k_means_point *points, double unit_x)
{
    static const double middles[GROUPS][2] = {{1, 1}, {1, 9}, {9, 5}};
    for (unsigned i = 0; i < COUNT; i++) {
        points[i].x = unit_x * (middles[i % GROUPS][0] + 0.1 * (i % 5) - 0.2);
        points[i].y = middles[i % GROUPS][1] + 0.1 * (i % 7) - 0.3;
    }
}

START_TEST(test_groups_that_lie_apart)
{
    struct k_means_point points[COUNT];
    unsigned group[COUNT], found;
    make_points(points, 1);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ck_assert_int_eq(k_means(points, COUNT, GROUPS, seed, group, &found), 0);
        ck_assert_uint_eq(found, GROUPS);
        for (unsigned i = 0; i < COUNT; i++)
            for (unsigned k = 0; k < GROUPS; k++)
                ck_assert_int_eq(group[i] == group[k], i % GROUPS == k);
    }
}
END_TEST

START_TEST(test_units_do_not_matter)
{
    struct k_means_point points[COUNT], in_small_units[COUNT];
    unsigned group[COUNT], same[COUNT], found;
    make_points(points, 1);
    make_points(in_small_units, 0x1p30); /* a power of two: the same digits */
    ck_assert_int_eq(k_means(points, COUNT, 7, 5, group, &found), 0);
    ck_assert_uint_eq(found, 7);
    ck_assert_int_eq(k_means(in_small_units, COUNT, 7, 5, same, &found), 0);
    ck_assert_mem_eq(group, same, sizeof group);
}
END_TEST

START_TEST(test_every_point_is_with_its_nearest_mean)
{
    struct k_means_point points[COUNT], means[5] = {{0, 0}};
    unsigned group[COUNT], counts[5] = {0}, found;
    for (unsigned i = 0; i < COUNT; i++) /* greatest values 1: as they are scaled */
        points[i] =
            (struct k_means_point){(i * 37 % COUNT) / (COUNT - 1.0), (i * 53 % COUNT) / (COUNT - 1.0)};
    ck_assert_int_eq(k_means(points, COUNT, 5, 1, group, &found), 0);
    for (unsigned i = 0; i < COUNT; i++) {
        means[group[i]].x += points[i].x;
        means[group[i]].y += points[i].y;
        counts[group[i]]++;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        double own = 0, least = 1e9;
        for (unsigned k = 0; k < 5; k++) {
            double x = means[k].x / counts[k] - points[i].x, y = means[k].y / counts[k] - points[i].y;
            double distance = x * x + y * y;
            own = k == group[i] ? distance : own;
            least = distance < least ? distance : least;
        }
        ck_assert_double_le(own, least + 1e-12);
    }
}
END_TEST

START_TEST(test_fewer_different_points_than_groups)
{
    struct k_means_point points[6] = {{1, 0}, {1, 0}, {2, 0}, {1, 0}, {2, 0}, {2, 0}};
    unsigned group[6], found;
    ck_assert_int_eq(k_means(points, 6, 4, 9, group, &found), 0);
    ck_assert_uint_eq(found, 2);
    ck_assert(group[0] == group[1] && group[1] == group[3] && group[0] != group[2] && group[2] == group[5]);
    memset(points, 0, sizeof points);
    ck_assert_int_eq(k_means(points, 6, 4, 9, group, &found), 0);
    ck_assert_uint_eq(found, 1);
}
END_TEST

START_TEST(test_arguments_outside_the_domain)
{
    struct k_means_point point = {1, 1};
    unsigned group, found = 7;
    ck_assert_int_eq(k_means(&point, 1, 0, 1, &group, &found), MODEL_EGROUPS);
    ck_assert_int_eq(k_means(&point, 1, K_MEANS_GROUPS_MAX + 1, 1, &group, &found), MODEL_EGROUPS);
    ck_assert_int_eq(k_means(NULL, 0, 3, 1, NULL, &found), 0);
    ck_assert_uint_eq(found, 0);
}
END_TEST

static Suite *k_means_suite(void)
{
    Suite *suite = suite_create("k_means");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_groups_that_lie_apart);
    tcase_add_test(core, test_units_do_not_matter);
    tcase_add_test(core, test_every_point_is_with_its_nearest_mean);
    tcase_add_test(core, test_fewer_different_points_than_groups);
    tcase_add_test(core, test_arguments_outside_the_domain);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(k_means_suite());
}
