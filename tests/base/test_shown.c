#include "base/shown.h"

#include <check.h>
#include <math.h>

#include "tests/run_suite.h"

static const struct {
    double value;
    const char *shown;
} numbers[] = {
    {0, "0"},        {-0.0, "0"},      {3.8845e-273, "~0"}, {-4.5e-13, "~0"},
    {9.9e-13, "~0"}, {1e-12, "1e-12"}, {0.25, "0.25"},      {1234.5, "1.23e+03"},
};

START_TEST(test_numbers)
{
    char text[SHOWN_BYTES];
    ck_assert_str_eq(shown_number(numbers[_i].value, "%.3g", text), numbers[_i].shown);
}
END_TEST

/* In whole per cent, and with a decimal below 10. */
static const struct {
    double fraction;
    const char *whole, *tenths;
} fractions[] = {
    {0, "0%", "0%"},        {6.66e-77, "0%", "0%"},      {0.0004, "~0%", "~0%"},    {0.0065, "0.7%", "0.7%"},
    {0.0772, "8%", "7.7%"}, {0.09955, "10%", "10%"},     {0.0994, "10%", "9.9%"},   {0.4321, "43%", "43%"},
    {0.9904, "99%", "99%"}, {0.99944, "99.9%", "99.9%"}, {0.99996, "100%", "100%"}, {1, "100%", "100%"},
    {NAN, "-", "-"},
};

START_TEST(test_percents)
{
    ck_assert_str_eq(shown_percent(fractions[_i].fraction, 1).text, fractions[_i].whole);
    ck_assert_str_eq(shown_percent(fractions[_i].fraction, 10).text, fractions[_i].tenths);
}
END_TEST

/* 80 columns have the first 26 words of two letters behind two blanks: 2 + 26 x 3 - 1 = 79. */
START_TEST(test_a_line_is_wrapped)
{
    char words[3 * 30] = "", *text = NULL;
    for (int i = 0; i < 29; i++)
        strcat(words, i > 0 ? " ab" : "ab");
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    shown_print(out, "  %s", words);
    fclose(out);
    const char *end = strchr(text, '\n');
    ck_assert_uint_eq((size_t)(end - text), 79);
    ck_assert_str_eq(end, "\n    ab ab ab\n");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shown");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_numbers, 0, sizeof numbers / sizeof numbers[0]);
    tcase_add_loop_test(core, test_percents, 0, sizeof fractions / sizeof fractions[0]);
    tcase_add_test(core, test_a_line_is_wrapped);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
