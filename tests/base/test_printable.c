/* test_printable.c - no control character and nothing but UTF-8 is left of a text. */
#include "base/printable.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct text {
    const char *given, *shown;
} texts[] = {
    {"", ""},
    {"plain text ~", "plain text ~"},
    {"\x1b[31m\x7f\n\t", "\\x1B[31m\\x7F\\x0A\\x09"},
    {"\u00e4\u20ac\U0001f600", "\u00e4\u20ac\U0001f600"},
    {"\u00a0\u07ff\u0800\uffff", "\u00a0\u07ff\u0800\uffff"},
    {"\xc2\x9b\x31m", "\\xC2\\x9B1m"}, /* U+009B begins a command, too */
    {"a\u202ez", "a\\xE2\\x80\\xAEz"}, /* what follows would be read from right to left */
    {"\u061c\u200e\u2069", "\\xD8\\x9C\\xE2\\x80\\x8E\\xE2\\x81\\xA9"},
    {"\u061b\u200d\u2010\u2029\u202f\u2065\u206a", "\u061b\u200d\u2010\u2029\u202f\u2065\u206a"},
    {"a\xe4z", "a\\xE4z"},                                 /* Latin-1 */
    {"\x80\xbf\xff", "\\x80\\xBF\\xFF"},                   /* these begin nothing */
    {"\xc0\xaf\xe0\x80\xaf", "\\xC0\\xAF\\xE0\\x80\\xAF"}, /* longer than needed */
    {"\xed\xa0\x80", "\\xED\\xA0\\x80"},                   /* a surrogate */
    {"\xf4\x90\x80\x80\xf5", "\\xF4\\x90\\x80\\x80\\xF5"}, /* above U+10FFFF */
    {"\xe2\x82", "\\xE2\\x82"},                            /* cut */
    {"\xf0\x9f\x98z", "\\xF0\\x9F\\x98z"},
};

enum { TEXTS = sizeof texts / sizeof texts[0] };

START_TEST(test_a_text_is_shown)
{
    char shown[200];
    ck_assert_str_eq(printable_copy(shown, sizeof shown, texts[_i].given, SIZE_MAX), texts[_i].shown);
    char *copy = printable_new(texts[_i].given, strlen(texts[_i].given));
    ck_assert_str_eq(copy, texts[_i].shown);
    free(copy);
}
END_TEST

/* "aä<ESC>€" is 1, 2, 4 and 3 bytes wide; in every room there are whole characters only. */
START_TEST(test_no_character_is_cut)
{
    static const size_t lengths[] = {0, 1, 1, 3, 3, 3, 3, 7, 7, 7, 10, 10};
    char shown[12];
    for (size_t room = 1; room <= 12; room++) {
        memset(shown, 'x', sizeof shown);
        ck_assert_uint_eq(strlen(printable_copy(shown, room, "a\u00e4\x1b\u20ac", SIZE_MAX)),
                          lengths[room - 1]);
    }
}
END_TEST

START_TEST(test_a_length_ends_between_characters)
{
    static const size_t fits[] = {0, 1, 1, 3, 3, 3, 6, 6};
    char shown[20];
    for (size_t most = 0; most < 8; most++) {
        ck_assert_uint_eq(printable_fit("a\u00e4\u20ac", most), fits[most]);
        ck_assert_uint_eq(strlen(printable_copy(shown, sizeof shown, "a\u00e4\u20ac", most)), fits[most]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("printable");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_a_text_is_shown, 0, TEXTS);
    tcase_add_test(core, test_no_character_is_cut);
    tcase_add_test(core, test_a_length_ends_between_characters);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
