/* test_series_summary.c - spread and warm-up over frames: by hand, on processes whose answer is known, and shown
 * wrong ones.
 */
#include "traces/statistics/series_summary.h"
#include "tests/run_suite.h"
#include "tests/traces/statistics/made_series.h"

#include <math.h>
#include <stdlib.h>

/* --- the spread ------------------------------------------------------------------------------------------ */

/* Quartiles of 1..9 by interpolation: at places 2, 4 and 6 counted from 0. */
START_TEST(test_five_numbers_by_hand)
{
    double nine[] = {9, 1, 8, 2, 7, 3, 6, 4, 5};
    const struct five_numbers f = five_numbers_of(nine, 9);
    ck_assert_double_eq(f.least, 1);
    ck_assert_double_eq(f.lower_quartile, 3);
    ck_assert_double_eq(f.median, 5);
    ck_assert_double_eq(f.upper_quartile, 7);
    ck_assert_double_eq(f.most, 9);
    ck_assert_uint_eq(f.outliers, 0);
    ck_assert_double_eq(f.lower_whisker, 1);
    ck_assert_double_eq(f.upper_whisker, 9);
}
END_TEST

/* Quartiles of 1..8 and 100 are 3 and 7: the whisker may reach to 13 and ends at 8. Exactly 13 would be within. */
START_TEST(test_outliers_lie_beyond_the_whiskers)
{
    double nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 100};
    struct five_numbers f = five_numbers_of(nine, 9);
    ck_assert_uint_eq(f.outliers, 1);
    ck_assert_double_eq(f.upper_whisker, 8);
    ck_assert_double_eq(f.most, 100);
    ck_assert(f.upper_whisker < 100 && f.lower_whisker <= 8 && f.upper_whisker >= 8);
    nine[8] = 13;
    f = five_numbers_of(nine, 9);
    ck_assert_uint_eq(f.outliers, 0);
    nine[0] = -100;
    f = five_numbers_of(nine, 9);
    ck_assert_uint_eq(f.outliers, 1);
    ck_assert_double_eq(f.lower_whisker, 2);
}
END_TEST

START_TEST(test_one_value_and_none)
{
    double one[] = {4};
    struct five_numbers f = five_numbers_of(one, 1);
    ck_assert_double_eq(f.least, 4);
    ck_assert_double_eq(f.median, 4);
    ck_assert_double_eq(f.upper_whisker, 4);
    f = five_numbers_of(NULL, 0);
    ck_assert_double_nan(f.median);
    ck_assert_uint_eq(f.outliers, 0);
}
END_TEST

/* --- warm-up --------------------------------------------------------------------------------------------- */

/* 100 frames that fill up to 10, then 400 around 10: at the cut the ramp is within the noise, or chance cuts a little
 * more. */
START_TEST(test_warm_up_is_found)
{
    make_process(500, 10, 0);
    for (size_t i = 0; i < 100; i++)
        values[i] -= 50.0 * (1 - (double)i / 100);
    struct warm_up w = warm_up_of(values, 500);
    ck_assert(w.found);
    ck_assert_uint_ge(w.dropped, 85);
    ck_assert_uint_le(w.dropped, 150);
    ck_assert_uint_eq(w.dropped % 5, 0);
}
END_TEST

START_TEST(test_a_steady_run_loses_little)
{
    size_t dropped = 0, found = 0;
    for (int run = 0; run < 100; run++) {
        make_process(500, 10, 0);
        struct warm_up w = warm_up_of(values, 500);
        found += w.found;
        dropped += w.dropped;
    }
    ck_assert_uint_ge(found, 90);
    ck_assert_uint_le(dropped, 100 * 100);
}
END_TEST

START_TEST(test_constant_frames_lose_nothing)
{
    for (size_t i = 0; i < 500; i++)
        values[i] = 3;
    struct warm_up w = warm_up_of(values, 500);
    ck_assert(w.found);
    ck_assert_uint_eq(w.dropped, 0);
    ck_assert_double_eq(w.error, 0);
}
END_TEST

/* Means of 5 frames that differ by 1, far from 0: of k of them the variance is 1/4 k, and their mean's 1/4 / k. */
START_TEST(test_warm_up_stays_stable_far_from_0)
{
    for (size_t i = 0; i < 500; i++)
        values[i] = 1e9 + i / 5 % 2;
    struct warm_up w = warm_up_of(values, 500);
    ck_assert_uint_eq(w.dropped, 0);
    ck_assert_double_eq_tol(w.error, 0.5 / 10, 1e-7);
}
END_TEST

/* A ramp never becomes steady; 49 frames are too few to tell. */
START_TEST(test_what_has_no_steady_half_is_not_cut)
{
    for (size_t i = 0; i < 500; i++)
        values[i] = (double)i;
    ck_assert(!warm_up_of(values, 500).found);
    ck_assert_uint_eq(warm_up_of(values, 500).dropped, 0);
    make_process(49, 10, 0);
    ck_assert(!warm_up_of(values, 49).found);
}
END_TEST

/* Against the sum written out: every cut tried. */
START_TEST(test_warm_up_is_the_least_of_all_cuts)
{
    make_process(300, 10, 0.5);
    for (size_t i = 0; i < 40; i++)
        values[i] += 8;
    size_t best = 0;
    double least = INFINITY;
    for (size_t d = 0; d <= 55; d++) {
        double mean = 0, sum = 0, left = (double)(60 - d);
        for (size_t j = d; j < 60; j++)
            for (size_t k = 0; k < 5; k++)
                mean += values[5 * j + k] / 5 / left;
        for (size_t j = d; j < 60; j++) {
            double z = 0;
            for (size_t k = 0; k < 5; k++)
                z += values[5 * j + k] / 5;
            sum += (z - mean) * (z - mean);
        }
        if (sum / left / left < least) {
            least = sum / left / left;
            best = d;
        }
    }
    struct warm_up w = warm_up_of(values, 300);
    ck_assert(w.found);
    ck_assert_uint_eq(w.dropped, 5 * best);
    ck_assert_double_eq_tol(w.error, sqrt(least), 1e-12);
}
END_TEST

/* --- series ---------------------------------------------------------------------------------------------- */

START_TEST(test_series_keeps_every_frame_while_it_can)
{
    struct series s = {0};
    for (size_t i = 0; i < SERIES_POINTS; i++)
        series_add(&s, (double)i);
    series_add(&s, NAN);
    ck_assert_uint_eq(s.count, SERIES_POINTS);
    ck_assert_uint_eq(s.frames_per_point, 1);
    ck_assert_uint_eq(s.missing, 1);
    for (size_t i = 0; i < SERIES_POINTS; i++)
        ck_assert_double_eq(s.points[i], (double)i);
    series_destroy(&s);
}
END_TEST

/* A million frames in the memory of a few thousand, and their mean unchanged. */
START_TEST(test_series_is_bounded)
{
    struct series s = {0};
    const size_t frames = (size_t)SERIES_POINTS * 64;
    for (size_t i = 0; i < frames; i++)
        series_add(&s, (double)i);
    ck_assert_uint_le(s.count, SERIES_POINTS);
    ck_assert_uint_eq(s.frames, frames);
    ck_assert_uint_eq(s.frames_per_point, 64);
    ck_assert_uint_eq(s.count * s.frames_per_point, frames);
    for (size_t i = 0; i < s.count; i++)
        ck_assert_double_eq(s.points[i], (double)i * 64 + 31.5);
    const struct five_numbers spread = five_numbers_of(s.points, s.count);
    ck_assert_double_eq_tol(spread.median, (double)frames / 2 - 0.5, 1e-6);
    series_destroy(&s);
}
END_TEST

static Suite *series_summary_suite(void)
{
    Suite *suite = suite_create("series_summary");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_test(core, test_five_numbers_by_hand);
    tcase_add_test(core, test_outliers_lie_beyond_the_whiskers);
    tcase_add_test(core, test_one_value_and_none);
    tcase_add_test(core, test_warm_up_is_found);
    tcase_add_test(core, test_warm_up_stays_stable_far_from_0);
    tcase_add_test(core, test_a_steady_run_loses_little);
    tcase_add_test(core, test_constant_frames_lose_nothing);
    tcase_add_test(core, test_what_has_no_steady_half_is_not_cut);
    tcase_add_test(core, test_warm_up_is_the_least_of_all_cuts);
    tcase_add_test(core, test_series_keeps_every_frame_while_it_can);
    tcase_add_test(core, test_series_is_bounded);
    tcase_set_timeout(core, 60);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(series_summary_suite());
}
