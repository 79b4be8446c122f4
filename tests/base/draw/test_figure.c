/* test_figure.c - ticks at round numbers, labels with prefixes, places on axes, box plots. */
#include "base/draw/figure.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* --- ticks ----------------------------------------------------------------------------------------------- */

static const struct {
    struct figure_axis axis;
    unsigned most;
    unsigned count;
    double first, step; /* step: a factor on a logarithmic axis */
} ticks[] = {
    {{0, 1}, 5, 6, 0, 0.2},                            /* 0, 0.2 .. 1 */
    {{0, 100}, 4, 3, 0, 50},                           /* 25 is not round */
    {{0, 233.14}, 16, 12, 0, 20},                      /* up to 220 */
    {{-0.5, 8.5}, 9, 9, 0, 1},                         /* whole elements, half an element of margin */
    {{-3, 7}, 5, 5, -2, 2},                            /* -2, 0 .. 6 */
    {{1e-6, 1, .logarithmic = true}, 5, 4, 1e-6, 100}, /* seven powers: every second */
    {{1e-6, 1, .logarithmic = true}, 7, 7, 1e-6, 10},  /* every power */
    {{10, 1e6, .logarithmic = true}, 2, 2, 10, 1000},  /* six powers: every third */
    {{15, 140, .logarithmic = true, .by_two = true}, 8, 4, 16, 2}, /* 16, 32, 64, 128 */
    {{1 << 14, 1 << 24, .logarithmic = true, .by_two = true},
     6,
     6,
     1 << 14,
     4},                                      /* eleven powers: every second */
    {{0.9, 3.1, .whole = true}, 10, 3, 1, 1}, /* no 1.5 boards */
};

START_TEST(test_ticks_are_round)
{
    struct figure_ticks found = figure_find_ticks(&ticks[_i].axis, ticks[_i].most);
    ck_assert_uint_eq(found.count, ticks[_i].count);
    for (unsigned i = 0; i < found.count; i++) {
        double expected = ticks[_i].axis.logarithmic ? ticks[_i].first * pow(ticks[_i].step, i)
                                                     : ticks[_i].first + i * ticks[_i].step;
        ck_assert_double_eq_tol(found.at[i], expected, 1e-9 * fabs(expected) + 1e-12);
    }
}
END_TEST

/* One decade has room for 1, 2 and 5 times its powers: 2, 5, 10, 20. */
START_TEST(test_a_short_logarithmic_axis_has_ticks_between_powers)
{
    struct figure_axis axis = {2, 20, .logarithmic = true};
    struct figure_ticks found = figure_find_ticks(&axis, 8);
    const double expected[] = {2, 5, 10, 20};
    ck_assert_uint_eq(found.count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_close(found.at[i], expected[i], 1e-12);
}
END_TEST

START_TEST(test_ticks_are_never_too_many)
{
    struct figure_axis axis = {0, 1};
    ck_assert_uint_le(figure_find_ticks(&axis, 1000000).count, FIGURE_TICKS_MAX);
    ck_assert_uint_ge(figure_find_ticks(&axis, 0).count, 2);
}
END_TEST

/* --- labels ---------------------------------------------------------------------------------------------- */

static const struct {
    double value;
    const char *label, *power;
} labels[] = {
    {0, "0", NULL},           {1, "1", "1"},           {0.5, "0.5", NULL},
    {0.256, "0.256", NULL},   {0.02, "0.02", NULL},    {0.001, "0.001", "10⁻³"},
    {0.00025, "250 µ", NULL}, {7.5e-9, "7.5 n", NULL}, {10, "10", "10"},
    {999.4, "999", NULL},     {999.6, "1 k", NULL},    {29781, "29.8 k", NULL},
    {1e6, "1 M", "10⁶"},      {1.5e6, "1.5 M", NULL},  {38.72e6, "38.7 M", NULL},
    {-1500, "-1.5 k", NULL},  {1e-12, "1 p", "10⁻¹²"}, {NAN, "-", NULL},
};

START_TEST(test_labels)
{
    const struct figure_axis wide = {.least = 1e-12, .most = 1e12, .logarithmic = true};
    ck_assert_str_eq(figure_label(labels[_i].value).text, labels[_i].label);
    if (labels[_i].power)
        ck_assert_str_eq(figure_tick_label(&wide, labels[_i].value).text, labels[_i].power);
}
END_TEST

START_TEST(test_labels_of_powers_of_two)
{
    const struct figure_axis by_two = {.least = 0.1, .most = 1e6, .logarithmic = true, .by_two = true};
    ck_assert_str_eq(figure_tick_label(&by_two, 1 << 14).text, "2¹⁴");
    ck_assert_str_eq(figure_tick_label(&by_two, 0.25).text, "2⁻²");
    ck_assert_str_eq(figure_tick_label(&by_two, 1500).text, "1.5 k"); /* it is none */
}
END_TEST

START_TEST(test_ticks_far_from_0_differ)
{
    static const struct figure_axis axes[] = {
        {1.2078, 1.2079}, {1.33e8, 1.34e8}, {99700, 99800, .plain = true}};
    static const char *const last[] = {"1.2079", "134 M", "99800"}, *const before[] = {"1.20788", "133.8 M",
                                                                                       "99780"};
    const struct figure_axis *axis = &axes[_i];
    const struct figure_ticks found = figure_find_ticks(axis, 5);
    ck_assert_uint_ge(found.count, 2);
    ck_assert_str_eq(figure_tick_label(axis, found.at[found.count - 1]).text, last[_i]);
    ck_assert_str_eq(figure_tick_label(axis, found.at[found.count - 2]).text, before[_i]);
}
END_TEST

START_TEST(test_plain_labels_have_no_prefixes)
{
    ck_assert_str_eq(figure_plain_label(1656.02).text, "1656");
    ck_assert_str_eq(figure_plain_label(0.5).text, "0.5");
    ck_assert_str_eq(figure_plain_label(-99.5).text, "-99.5");
    ck_assert_str_eq(figure_plain_label(NAN).text, "-");
}
END_TEST

/* A legend that is only measured needs no picture; its lines have 18 pixels. */
START_TEST(test_a_legend_is_measured)
{
    const struct figure_style entries[] = {{"one"}, {"two"}, {"three"}};
    ck_assert_double_eq(figure_draw_legend(NULL, 0, 0, 1000, entries, 3), 18);
    ck_assert_double_eq(figure_draw_legend(NULL, 0, 0, 10, entries, 3), 54);
}
END_TEST

/* --- axes ------------------------------------------------------------------------------------------------ */

START_TEST(test_places_on_axes)
{
    struct figure_axis linear = {.least = 0, .most = 10, .from = 100, .to = 200};
    struct figure_axis logarithmic = {.least = 1, .most = 100, .from = 200, .to = 100, .logarithmic = true};
    ck_assert_double_eq(figure_place(&linear, 5), 150);
    ck_assert_double_eq(figure_place(&linear, -1), 100); /* its end */
    ck_assert_double_eq(figure_place(&linear, 11), 200);
    assert_close(figure_place(&logarithmic, 10), 150, 1e-12);
    ck_assert_double_eq(figure_place(&logarithmic, 0), 200);
}
END_TEST

START_TEST(test_axes_end_at_round_numbers)
{
    struct figure_axis axis = figure_axis_to(233, NULL), empty = figure_axis_to(0, NULL);
    ck_assert_double_eq(axis.most, 250);
    ck_assert_double_eq(empty.most, 1);
    axis = figure_axis_logarithmic(3, 4000, NULL);
    assert_close(axis.least, 2, 1e-12);
    assert_close(axis.most, 5000, 1e-12);
    axis = figure_axis_logarithmic(INFINITY, 0, NULL); /* of no value at all */
    ck_assert(axis.least > 0 && axis.most > axis.least);
}
END_TEST

/* --- drawing --------------------------------------------------------------------------------------------- */

START_TEST(test_a_line_is_interrupted_where_there_is_no_number)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct svg svg = {out, true};
    struct figure c = {&svg, {.most = 4}, {.most = 4}};
    const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, NAN, 3, 4};
    figure_open(&c, 0, 0, 4, 4);
    figure_line(&c, x, y, 5, "s1");
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "<path class=\"s1\" d=\"M0 4L1 3M3 1L4 0\"/>\n"));
    free(text);
}
END_TEST

/* What lies beyond an inset axis stands beside its end, and has its tip. Without a y axis y is a pixel. */
START_TEST(test_marks_beyond_the_ends)
{
    const struct figure_style style = {"a", SVG_BLUE, FIGURE_RING, SVG_DISC};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct svg svg = {out, true};
    struct figure f = {&svg, {.least = 1, .most = 10, .logarithmic = true, .inset = true}};
    figure_open(&f, 100, 0, 100, 50);
    figure_mark(&f, 0, 20, 4, &style, "%d < %s", 1, "2");
    figure_mark(&f, 11, 30, 4, &style, NULL);
    fclose(out);
    ck_assert_ptr_nonnull(
        strstr(text, "<circle cx=\"101.5\" cy=\"20\" r=\"4\" class=\"o6\"><title>1 &lt; 2</title></circle>"));
    ck_assert_ptr_nonnull(strstr(text, "<circle cx=\"198.5\" cy=\"30\" r=\"4\" class=\"o6\"/>"));
    free(text);
}
END_TEST

/* The first place of a label is above its point, to the right; the second one keeps off it. */
START_TEST(test_labels_keep_off_each_other)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct svg svg = {out, true};
    struct figure f = {&svg, {.most = 1}, .has_labels = true};
    figure_open(&f, 0, 0, 400, 400);
    figure_label_point(&f, 200, 200, "", "one");
    figure_label_point(&f, 200, 200, "", "two");
    figure_close(&f);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "<text x=\"209\" y=\"193\" font-size=\"11.5\">one</text>"));
    ck_assert_ptr_nonnull(strstr(text, "<text x=\"209\" y=\"215\" font-size=\"11.5\">two</text>"));
    free(text);
}
END_TEST

/* The fifth label has no place beside the point: a line leads there from the foot of its letters, 4 pixels deep. */
START_TEST(test_a_far_label_has_a_line_to_its_point)
{
    double foot = 0, from = 0;
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct svg svg = {out, true};
    struct figure f = {&svg, {.most = 1}, .has_labels = true};
    figure_open(&f, 0, 0, 400, 400);
    for (int i = 0; i < 5; i++)
        figure_label_point(&f, 200, 200, "", i < 4 ? "near" : "far");
    figure_close(&f);
    fclose(out);
    const char *line = strstr(text, "class=\"s3 thin\""), *label = strstr(text, ">far<");
    ck_assert(line && label);
    while (strncmp(line, "<path", 5) != 0)
        line--;
    while (strncmp(label, " y=", 3) != 0)
        label--;
    ck_assert_int_eq(sscanf(label, " y=\"%lf\"", &foot), 1);
    ck_assert_int_eq(sscanf(strstr(line, " d="), " d=\"M%*f %lfL200 200\"", &from), 1);
    ck_assert_double_ge(from, foot);
    ck_assert_double_le(from, foot + 4);
    free(text);
}
END_TEST

/* Two marks below each other at the upper edge: the only place beside the upper one is nearer to the lower one. */
START_TEST(test_a_label_is_nearest_to_its_own_mark_or_has_a_line)
{
    static const struct figure_style style = {"mark", SVG_BLUE, FIGURE_MARK, SVG_DISC};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct svg svg = {out, true};
    struct figure f = {&svg, {.most = 1}, .has_labels = true};
    figure_open(&f, 0, 197, 400, 400);
    figure_mark(&f, 0.5, 200, 4, &style, NULL);
    figure_mark(&f, 0.5, 209, 4, &style, NULL);
    figure_label_point(&f, 200, 200, "", "upper");
    figure_close(&f);
    fclose(out);
    const char *line = strstr(text, "class=\"s3 thin\"");
    ck_assert_ptr_nonnull(line);
    while (strncmp(line, "<path", 5) != 0)
        line--;
    ck_assert_ptr_nonnull(strstr(line, "L200 200\""));
    ck_assert_ptr_null(strstr(text, "<text x=\"209\" y=\"215\" font-size=\"11.5\">upper"));
    free(text);
}
END_TEST

/* Two entries fit beside each other, the third has a line of its own. */
START_TEST(test_a_legend_breaks_its_lines)
{
    const struct figure_style entries[] = {{"one", SVG_BLUE}, {"two", SVG_GREEN}, {"three", SVG_GREY}};
    FILE *out = fopen("/dev/null", "w");
    struct svg svg = {out, true};
    double one = figure_draw_legend(&svg, 0, 0, 1000, entries, 3),
           two = figure_draw_legend(&svg, 0, 0, 130, entries, 3);
    fclose(out);
    ck_assert(two > one);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("figure");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_ticks_are_round, 0, COUNT_OF(ticks));
    tcase_add_test(core, test_a_short_logarithmic_axis_has_ticks_between_powers);
    tcase_add_test(core, test_ticks_are_never_too_many);
    tcase_add_loop_test(core, test_labels, 0, COUNT_OF(labels));
    tcase_add_test(core, test_labels_of_powers_of_two);
    tcase_add_loop_test(core, test_ticks_far_from_0_differ, 0, 3);
    tcase_add_test(core, test_plain_labels_have_no_prefixes);
    tcase_add_test(core, test_a_legend_is_measured);
    tcase_add_test(core, test_places_on_axes);
    tcase_add_test(core, test_axes_end_at_round_numbers);
    tcase_add_test(core, test_a_line_is_interrupted_where_there_is_no_number);
    tcase_add_test(core, test_marks_beyond_the_ends);
    tcase_add_test(core, test_labels_keep_off_each_other);
    tcase_add_test(core, test_a_far_label_has_a_line_to_its_point);
    tcase_add_test(core, test_a_label_is_nearest_to_its_own_mark_or_has_a_line);
    tcase_add_test(core, test_a_legend_breaks_its_lines);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
