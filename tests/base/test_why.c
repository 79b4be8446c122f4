/* test_why.c - is the line that says why something failed one line of a known size, whatever is put into it? */
#include "base/why.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/run_suite.h"

START_TEST(test_saying_fills_the_line_and_returns_the_code)
{
    struct why why;
    ck_assert_int_eq(why_say(&why, -7, "%s:%d: expected %s", "a.fa", 3, "a base"), -7);
    ck_assert_str_eq(why.line, "a.fa:3: expected a base");
    errno = 0;
    ck_assert_int_eq(why_no_memory(&why, -1), -1);
    ck_assert_str_eq(why.line, "out of memory; free some or raise the limit (ulimit -v)");
    for (int i = 0; i < 2; i++) { /* of files, not of bytes */
        errno = i == 0 ? EMFILE : ENFILE;
        why_no_memory(&why, -1);
        ck_assert_str_eq(why.line, "too many open files; raise the limit (ulimit -n)");
    }
}
END_TEST

START_TEST(test_texts_before_and_after_keep_the_line)
{
    struct why why;
    why_say(&why, 0, "is no number");
    ck_assert_int_eq(why_precede(&why, -2, "%s: '%s' ", "--set", "x"), -2);
    why_append(&why, "; expected %d to %d", 1, 9);
    ck_assert_str_eq(why.line, "--set: 'x' is no number; expected 1 to 9");
}
END_TEST

START_TEST(test_what_does_not_fit_is_cut)
{
    char text[2 * WHY_BYTES];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct {
        struct why why;
        char behind;
    } guarded = {.behind = '#'};
    why_say(&guarded.why, 0, "%s", text);
    ck_assert_uint_eq(strlen(guarded.why.line), WHY_BYTES - 1);
    why_append(&guarded.why, "%s", text);
    why_precede(&guarded.why, 0, "%.10s: ", text);
    ck_assert_uint_eq(strlen(guarded.why.line), WHY_BYTES - 1);
    ck_assert_mem_eq(guarded.why.line, "xxxxxxxxxx: x", 13);
    why_precede(&guarded.why, 0, "%s", text);
    ck_assert_uint_eq(strlen(guarded.why.line), WHY_BYTES - 1);
    ck_assert_int_eq(guarded.behind, '#');
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("why");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_saying_fills_the_line_and_returns_the_code);
    tcase_add_test(core, test_texts_before_and_after_keep_the_line);
    tcase_add_test(core, test_what_does_not_fit_is_cut);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
