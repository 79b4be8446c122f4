/* test_scoring.c - do scores mean what BLASTN says they mean? */
#include "blast/stage3/scoring.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "tests/run_suite.h"

static struct scoring_statistics statistics_of(int match, int mismatch, int open, int extend)
{
    struct scoring scoring = {match, mismatch, open, extend};
    struct scoring_statistics s;
    struct why why = {""};
    ck_assert_msg(scoring_statistics_compute(&scoring, &s, &why) == 0, "%s", why.line);
    return s;
}

/* What blastn 2.12 prints with -task blastn -gapopen 25 -gapextend 10 -query lambda -subject "E. coli 536"
 * (48,502 and 4,938,920 bases): lambda, K, H to three digits, and "Effective search space used". */
static const struct {
    int match, mismatch;
    double lambda, k, h, space;
} PRINTED_SYSTEMS[] = {
    {1, -5, 1.39, 0.747, 1.38, 239457724568},   {1, -4, 1.38, 0.738, 1.36, 239452737183},
    {2, -7, 0.690, 0.548, 1.34, 239452737183},  {1, -3, 1.37, 0.711, 1.31, 239452737183},
    {2, -5, 0.681, 0.515, 1.24, 239447749800},  {1, -2, 1.33, 0.621, 1.12, 239437775040},
    {2, -3, 0.634, 0.408, 0.912, 239422812915}, {3, -4, 0.410, 0.340, 0.811, 239397876080},
    {4, -5, 0.301, 0.306, 0.753, 239382914003}, {1, -1, 1.10, 0.333, 0.549, 239333040543},
    {3, -2, 0.271, 0.130, 0.222, 239008867928}, {5, -4, 0.192, 0.176, 0.357, 239208357768},
};

START_TEST(test_ungapped_values_are_the_published_ones)
{
    struct scoring_statistics s =
        statistics_of(PRINTED_SYSTEMS[_i].match, PRINTED_SYSTEMS[_i].mismatch, 25, 10);
    ck_assert_double_eq_tol(s.ungapped.lambda, PRINTED_SYSTEMS[_i].lambda,
                            s.ungapped.lambda > 1 ? 0.00501 : 0.000501);
    ck_assert_double_eq_tol(s.ungapped.k, PRINTED_SYSTEMS[_i].k, 0.000501);
    ck_assert_double_eq_tol(s.ungapped.h, PRINTED_SYSTEMS[_i].h, s.ungapped.h > 1 ? 0.00501 : 0.000501);
    ck_assert_double_eq(scoring_search_space(&s, 48502, 4938920, 1), PRINTED_SYSTEMS[_i].space);
}
END_TEST

/* With match = mismatch = 1, 1/4 x + 3/4 / x = 1 has the root x = 3, and K = (3/4 - 1/4)^2 / (3/4) = 1/3. */
START_TEST(test_one_and_minus_one_by_hand)
{
    struct scoring_statistics s = statistics_of(1, -1, 5, 2);
    ck_assert_double_eq_tol(s.ungapped.lambda, 1.09861228866811, 1e-12);
    ck_assert_double_eq_tol(s.ungapped.k, 1.0 / 3.0, 1e-12);
}
END_TEST

/* blastn -task blastn -reward 1 -penalty -3 -gapopen 5 -gapextend 2, phage lambda (48,502 bases) against E.
 * coli 536 (4,938,920 bases, one record): "Effective search space used: 239452737183"; with gap costs 2 and
 * 2, 239447749800. */
START_TEST(test_search_space_is_blastn_s)
{
    struct scoring_statistics large = statistics_of(1, -3, 5, 2), row = statistics_of(1, -3, 2, 2);
    ck_assert_double_eq(scoring_search_space(&large, 48502, 4938920, 1), 239452737183.0);
    ck_assert_double_eq(scoring_search_space(&row, 48502, 4938920, 1), 239447749800.0);
    ck_assert_double_eq(row.gapped.k, 0.70);
}
END_TEST

/* From the same run: columns length, mismatch give the raw score; E-value and bit score as printed. */
static const struct {
    int score;
    double e_value, bits, e_half, bits_half;
} PRINTED[] = {
    {283 - 4 * 33, 1.32e-79, 0, 0.005e-79, 0},      {93 - 4 * 3, 7.84e-38, 0, 0.005e-38, 0},
    {58 - 4 * 4, 1.47e-14, 83.8, 0.005e-14, 0.05},  {45 - 4, 5.81e-14, 81.8, 0.005e-14, 0.05},
    {87 - 4 * 13, 2.21e-10, 69.9, 0.005e-10, 0.05},
};

START_TEST(test_e_values_are_blastn_s)
{
    struct scoring_statistics s = statistics_of(1, -3, 5, 2);
    double space = scoring_search_space(&s, 48502, 4938920, 1);
    ck_assert_double_eq_tol(scoring_e_value(&s, PRINTED[_i].score, space), PRINTED[_i].e_value,
                            PRINTED[_i].e_half);
    if (PRINTED[_i].bits > 0)
        ck_assert_double_eq_tol(scoring_bits(&s, PRINTED[_i].score), PRINTED[_i].bits, PRINTED[_i].bits_half);
}
END_TEST

START_TEST(test_least_score_is_the_least)
{
    struct scoring_statistics s = statistics_of(_i % 2 ? 1 : 2, _i % 2 ? -3 : -5, 4, 4);
    for (double e = 1e-20; e < 1e3; e *= 7) {
        int least = scoring_least_score(&s, e, 1e11);
        ck_assert_double_le(scoring_e_value(&s, least, 1e11), e);
        ck_assert(least == 1 || scoring_e_value(&s, least - 1, 1e11) > e);
    }
}
END_TEST

START_TEST(test_odd_scores_are_rounded_down_where_tables_ask)
{
    struct scoring_statistics any = statistics_of(1, -3, 5, 2);
    struct scoring_statistics even[] = {statistics_of(2, -3, 5, 2), statistics_of(2, -5, 2, 4),
                                        statistics_of(2, -7, 2, 4), statistics_of(3, -4, 6, 3)};
    for (int i = 0; i < COUNT_OF(even); i++)
        ck_assert_double_eq(scoring_e_value(&even[i], 101, 1e9), scoring_e_value(&even[i], 100, 1e9));
    ck_assert_double_lt(scoring_e_value(&any, 101, 1e9), scoring_e_value(&any, 100, 1e9));
}
END_TEST

/* 20, 30, 100 bits x ln 2 / 1.374 = 10.09, 15.13, 50.4; (27 ln 2 + ln 0.711) / 1.374 = 13.4. */
START_TEST(test_thresholds_of_the_default)
{
    struct scoring_statistics s = statistics_of(1, -3, 5, 2);
    ck_assert_int_eq(s.xdrop_ungapped, 11);
    ck_assert_int_eq(s.xdrop_preliminary, 15);
    ck_assert_int_eq(s.xdrop_final, 50);
    ck_assert_int_eq(s.gap_trigger, 13);
}
END_TEST

/* As blastn -task megablast -reward 1 -penalty -2 -gapopen 0 -gapextend 0 printed them, word size 11, of phage lambda
 * against E. coli 536: identities, mismatches, gap columns, then bit score, E-value and raw score. */
static const struct {
    int identities, mismatches, gaps, raw;
    double bits, e_value, bits_half, e_half;
} PRINTED_LINEAR[] = {
    {313, 54, 1, 202, 374, 5.63e-102, 1, 0.005e-102},
    {239, 27, 5, 172, 318, 2.68e-85, 1, 0.005e-85},
    {93, 16, 3, 53, 99.0, 3.80e-19, 0.05, 0.005e-19},
    {35, 3, 1, 26, 49.1, 3.88e-04, 0.05, 0.005e-04},
};

START_TEST(test_linear_gaps_are_computed_in_half_scores)
{
    struct scoring_statistics s = statistics_of(1, -2, 0, 0);
    double space = scoring_search_space(&s, 48502, 4938920, 1);
    int score = PRINTED_LINEAR[_i].identities * s.scoring.match +
                PRINTED_LINEAR[_i].mismatches * s.scoring.mismatch -
                PRINTED_LINEAR[_i].gaps * s.scoring.gap_extend;
    ck_assert_int_eq(s.units, 2);
    ck_assert_int_eq(s.scoring.gap_open, 0);
    ck_assert_int_eq(scoring_reported(&s, score), PRINTED_LINEAR[_i].raw);
    ck_assert_double_eq_tol(scoring_bits(&s, score), PRINTED_LINEAR[_i].bits, PRINTED_LINEAR[_i].bits_half);
    ck_assert_double_eq_tol(scoring_e_value(&s, score, space), PRINTED_LINEAR[_i].e_value,
                            PRINTED_LINEAR[_i].e_half);
}
END_TEST

/* 2 / 2 + 3 = 4: no half scores, and NCBI's numbers for 0 and 0 are those for 0 and 4. */
START_TEST(test_linear_gaps_of_an_even_match_are_affine_ones_without_opening)
{
    struct scoring_statistics linear = statistics_of(2, -3, 0, 0), affine = statistics_of(2, -3, 0, 4);
    ck_assert_int_eq(linear.units, 1);
    ck_assert_int_eq(linear.scoring.gap_open, 0);
    ck_assert_int_eq(linear.scoring.gap_extend, 4);
    ck_assert_double_eq(scoring_bits(&linear, 101), scoring_bits(&affine, 101));
    ck_assert_double_eq(scoring_search_space(&linear, 5000, 1000000, 3),
                        scoring_search_space(&affine, 5000, 1000000, 3));
}
END_TEST

/* blastn -reward 2 -penalty -3 -gapopen 5 -gapextend 2 printed 112 bits for a raw score of 123, 220 for 243. */
START_TEST(test_bits_of_odd_scores_are_blastn_s)
{
    struct scoring_statistics s = statistics_of(2, -3, 5, 2);
    ck_assert_int_eq((int)scoring_bits(&s, 123), 112);
    ck_assert_int_eq((int)scoring_bits(&s, 243), 220);
}
END_TEST

/* Twice the scores, twice the threshold; 16 x 1.374 / 0.634 = 34 is more than the trigger of 2 / -3,
 * (27 ln 2 + ln 0.408) / 0.634 = 28; with linear gaps, whole scores again: (27 ln 2 + ln 0.621) / 1.33 = 13. */
START_TEST(test_thresholds_keep_their_bits_up_to_the_gap_trigger)
{
    struct scoring classic = {1, -3, 5, 2}, other = {2, -6, 10, 4};
    struct scoring_statistics same = statistics_of(1, -3, 5, 2), blastn = statistics_of(2, -3, 5, 2),
                              megablast = statistics_of(1, -2, 0, 0);
    ck_assert_int_eq(scoring_threshold_convert(12, &classic, &same), 12);
    ck_assert_int_eq(scoring_threshold_convert(24, &other, &same), 12);
    ck_assert_int_eq(scoring_threshold_convert(12, &classic, &blastn), 26);
    ck_assert_int_eq(scoring_threshold_convert(16, &classic, &blastn), 28);
    ck_assert_int_eq(scoring_threshold_convert(16, &classic, &megablast), 13);
}
END_TEST

START_TEST(test_presets_have_statistics)
{
    const struct scoring *s = &scoring_presets[_i];
    statistics_of(s->match, s->mismatch, s->gap_open, s->gap_extend);
}
END_TEST

/* A query too short for any adjustment keeps its length. */
START_TEST(test_short_lengths)
{
    struct scoring_statistics s = statistics_of(1, -3, 5, 2);
    ck_assert_double_eq_tol(scoring_search_space(&s, 1, 1000, 1), 1000, 1e-9);
    for (uint64_t bases = 1; bases < 200; bases++)
        ck_assert_double_gt(scoring_search_space(&s, bases, 1000000, 10), 0);
}
END_TEST

/* What a refusal says is supported; "" if nothing is refused. */
static const char *supported(int match, int mismatch, int open, int extend)
{
    static struct why why;
    struct scoring scoring = {match, mismatch, open, extend};
    struct scoring_statistics s;
    if (scoring_statistics_compute(&scoring, &s, &why) != WHY_SAID)
        return "";
    return strstr(why.line, "supported: ");
}

/* The table of 2/-3 is the longest, and has no row after its last; that of 1/-1 has no row without costs. */
START_TEST(test_tables_are_read_to_their_ends)
{
    ck_assert_double_eq(statistics_of(2, -3, 2, 2).gapped.lambda, 0.515);
    ck_assert_str_eq(supported(2, -3, 1, 1),
                     "supported: 0/0, 4/4, 2/4, 0/4, 3/3, 6/2, 5/2, 4/2, 2/2, or at least 6/4");
    ck_assert_str_eq(supported(1, -1, 0, 0), "supported: 3/2, 2/2, 1/2, 0/2, 4/1, 3/1, 2/1, or at least 4/2");
    ck_assert_str_eq(supported(7, -3, 5, 2),
                     "supported: 1/-5 1/-4 2/-7 1/-3 2/-5 1/-2 2/-3 3/-4 4/-5 1/-1 3/-2 5/-4");
}
END_TEST

START_TEST(test_unsupported_is_refused_with_the_list)
{
    struct scoring scores = {7, -3, 5, 2}, gaps = {1, -3, 1, 9};
    struct scoring_statistics s;
    struct why why;
    ck_assert_int_eq(scoring_statistics_compute(&scores, &s, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "1/-3"));
    ck_assert_int_eq(scoring_statistics_compute(&gaps, &s, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "2/2"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scoring");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_add_loop_test(core, test_ungapped_values_are_the_published_ones, 0, COUNT_OF(PRINTED_SYSTEMS));
    tcase_add_test(core, test_one_and_minus_one_by_hand);
    tcase_add_test(core, test_search_space_is_blastn_s);
    tcase_add_loop_test(core, test_e_values_are_blastn_s, 0, COUNT_OF(PRINTED));
    tcase_add_loop_test(core, test_least_score_is_the_least, 0, 2);
    tcase_add_test(core, test_odd_scores_are_rounded_down_where_tables_ask);
    tcase_add_test(core, test_thresholds_of_the_default);
    tcase_add_loop_test(core, test_linear_gaps_are_computed_in_half_scores, 0, COUNT_OF(PRINTED_LINEAR));
    tcase_add_test(core, test_linear_gaps_of_an_even_match_are_affine_ones_without_opening);
    tcase_add_test(core, test_bits_of_odd_scores_are_blastn_s);
    tcase_add_test(core, test_thresholds_keep_their_bits_up_to_the_gap_trigger);
    tcase_add_loop_test(core, test_presets_have_statistics, 0, SCORING_PRESETS);
    tcase_add_test(limits, test_short_lengths);
    tcase_add_test(errors, test_tables_are_read_to_their_ends);
    tcase_add_test(errors, test_unsupported_is_refused_with_the_list);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
