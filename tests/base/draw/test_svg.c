/* test_svg.c - numbers, escaped text, and SVG that is XML. */
#include "base/draw/svg.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/picture.h"
#include "tests/run_suite.h"

static const struct {
    double value;
    const char *text;
} numbers[] = {
    {0, "0"},
    {-0.0, "0"},
    {1, "1"},
    {12.5, "12.5"},
    {12.345, "12.35"},
    {-0.25, "-0.25"},
    {0.004, "0"},
    {-0.004, "0"},
    {99.996, "100"},
    {7.05, "7.05"},
    {1e6, "1000000"},
    {INFINITY, "1000000000000"},
    {NAN, "0"},
    {-INFINITY, "-1000000000000"},
    {-2e13, "-1000000000000"},
};

START_TEST(test_numbers_are_short)
{
    char text[SVG_NUMBER_BYTES];
    ck_assert_str_eq(svg_number(numbers[_i].value, text), numbers[_i].text);
}
END_TEST

/* A comma where the locale has one would end the file's coordinates. Skipped where no such locale is installed. */
START_TEST(test_numbers_have_no_locale)
{
    char text[SVG_NUMBER_BYTES];
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        ck_assert_str_eq(svg_number(1.5, text), "1.5");
    setlocale(LC_ALL, "C");
}
END_TEST

static char *written;
static size_t written_bytes;

static FILE *begin(void)
{
    FILE *out = open_memstream(&written, &written_bytes);
    ck_assert_ptr_nonnull(out);
    return out;
}

START_TEST(test_text_is_escaped)
{
    FILE *out = begin();
    svg_escape("a<b> & \"c\"\n\x1bµ\xff", out);
    fclose(out);
    ck_assert_str_eq(written, "a&lt;b&gt; &amp; &quot;c&quot;\\x0A\\x1Bµ\\xFF");
    free(written);
}
END_TEST

START_TEST(test_missing_text_is_empty)
{
    FILE *out = begin();
    svg_escape(NULL, out);
    fclose(out);
    ck_assert_uint_eq(written_bytes, 0);
    free(written);
}
END_TEST

static void draw(bool in_page)
{
    FILE *out = begin();
    struct svg svg = {out, in_page};
    svg_begin(&svg, 100, 50, "a \"title\"");
    svg_rectangle(&svg, 1, 2, -3, 4, "f6", "tip <1>");
    svg_line(&svg, 0, 0, 1.25, 10, "s1");
    for (enum svg_shape shape = 0; shape < SVG_SHAPES; shape++)
        svg_mark(&svg, 5, 5, 2, shape, SVG_BLUE, shape % 2, NULL);
    svg_textf(&svg, 1, 1, 10, SVG_END, "", "%d < %d", 1, 2);
    svg_text_upwards(&svg, 3, 4, 10, "y");
    svg_arrow_head(&svg, 1, 1, 0, 1, "f1");
    svg_end(&svg);
    fclose(out);
}

START_TEST(test_a_file_stands_alone)
{
    draw(false);
    ck_assert_ptr_nonnull(strstr(written, "xmlns=\"http://www.w3.org/2000/svg\""));
    ck_assert_ptr_nonnull(strstr(written, "<style>"));
    ck_assert_ptr_null(strstr(written, "var("));
    ck_assert_ptr_nonnull(strstr(written, "<rect x=\"1\" y=\"2\" width=\"0\" height=\"4\" class=\"f6\">"
                                          "<title>tip &lt;1&gt;</title></rect>"));
    ck_assert_ptr_nonnull(strstr(written, "<path class=\"s1\" d=\"M0 0L1.25 10\"/>"));
    ck_assert_ptr_nonnull(strstr(written, "1 &lt; 2"));
    free(written);
}
END_TEST

START_TEST(test_a_part_of_a_page_names_nothing_outside)
{
    draw(true);
    ck_assert_ptr_null(strstr(written, "http"));
    ck_assert_ptr_null(strstr(written, "<style>"));
    free(written);
}
END_TEST

START_TEST(test_the_same_calls_write_the_same_bytes)
{
    draw(false);
    char *first = written;
    draw(false);
    ck_assert_str_eq(first, written);
    free(first);
    free(written);
}
END_TEST

/* Colours of a page have a light and a dark value each. */
START_TEST(test_a_page_has_variables)
{
    FILE *out = begin();
    svg_write_variables(out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(written, "prefers-color-scheme:dark"));
    ck_assert_ptr_nonnull(strstr(written, "--blue:#0072b2"));
    ck_assert_ptr_nonnull(strstr(written, ".f6{fill:var(--blue)}"));
    free(written);
}
END_TEST

/* Shares outside of 0 to 1 have the ends; letters on dark steps are light. */
START_TEST(test_a_ramp_has_steps)
{
    ck_assert_str_eq(svg_ramp_class('h', -1).text, "h0");
    ck_assert_str_eq(svg_ramp_class('k', 0.5).text, "k6");
    ck_assert_str_eq(svg_ramp_class('m', 2).text, "m11");
    ck_assert_str_eq(svg_ramp_class('t', 0.1).text, "tl");
    ck_assert_str_eq(svg_ramp_class('t', 0.9).text, "td");
}
END_TEST

START_TEST(test_longer_text_is_wider)
{
    ck_assert(svg_text_width("words", 12) < svg_text_width("matches", 12));
    ck_assert(svg_text_width("µs", 12) < svg_text_width("mms", 12)); /* letters, not bytes */
    ck_assert_double_eq(svg_text_width("", 12), 0);
}
END_TEST

static void draw_nothing(const void *picture, struct svg *svg)
{
    (void)picture;
    svg_begin(svg, 10, 10, "nothing");
    svg_end(svg);
}

/* PATH leads nowhere: the line says which package to install. */
START_TEST(test_a_missing_converter_is_named)
{
    struct why why;
    FILE *out = tmpfile();
    setenv("PATH", "/nowhere", 1);
    ck_assert_int_ne(picture_write(draw_nothing, NULL, NULL, "png", out, &why), 0);
    ck_assert_ptr_nonnull(strstr(why.line, "librsvg2-bin"));
    fclose(out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("svg");
    TCase *tests = tcase_create("core");
    tcase_add_loop_test(tests, test_numbers_are_short, 0, COUNT_OF(numbers));
    tcase_add_test(tests, test_numbers_have_no_locale);
    tcase_add_test(tests, test_text_is_escaped);
    tcase_add_test(tests, test_missing_text_is_empty);
    tcase_add_test(tests, test_a_file_stands_alone);
    tcase_add_test(tests, test_a_part_of_a_page_names_nothing_outside);
    tcase_add_test(tests, test_the_same_calls_write_the_same_bytes);
    tcase_add_test(tests, test_a_page_has_variables);
    tcase_add_test(tests, test_a_ramp_has_steps);
    tcase_add_test(tests, test_longer_text_is_wider);
    tcase_add_test(tests, test_a_missing_converter_is_named);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
