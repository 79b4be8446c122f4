/* test_words.c - lines and words of a text, what is refused in which words, and names. */
#include "base/words.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>

static struct why why;

static struct words words_in(const char *text)
{
    struct words w = {.file = "t", .tells_column = true, .code = -7, .why = &why};
    why.line[0] = '\0';
    words_begin(&w, text, strlen(text));
    return w;
}

static void assert_word(struct word word, const char *text)
{
    ck_assert_msg(text ? word_is(word, text) : !word.text, "'%s' instead of '%s'", word_show(word).text,
                  text ? text : "(none)");
}

/* --- lines ----------------------------------------------------------------------------------------------- */

START_TEST(test_lines_of_a_text)
{
    struct words w = words_in("a b\r\n\n c # d\nlast");
    ck_assert(words_next_line(&w));
    ck_assert_uint_eq(w.line, 1);
    assert_word(words_next(&w), "a");
    assert_word(words_next(&w), "b");
    assert_word(words_next(&w), NULL);
    ck_assert(words_next_line(&w));
    assert_word(words_peek(&w), NULL);
    ck_assert(words_next_line(&w));
    words_drop_comment(&w);
    assert_word(words_next(&w), "c");
    assert_word(words_next(&w), NULL);
    ck_assert(words_next_line(&w));
    ck_assert_uint_eq(w.line, 4);
    assert_word(words_next(&w), "last");
    ck_assert(!words_next_line(&w));
    ck_assert_int_eq(w.status, 0);
}
END_TEST

START_TEST(test_no_line_is_in_no_text)
{
    struct words w = words_in("");
    ck_assert(!words_next_line(&w));
}
END_TEST

/* --- words ----------------------------------------------------------------------------------------------- */

START_TEST(test_a_comma_is_a_word)
{
    struct words w = words_in("a,bc , d");
    static const char *const expected[] = {"a", ",", "bc", ",", "d", NULL};
    words_next_line(&w);
    for (int i = 0; i < COUNT_OF(expected); i++)
        assert_word(words_next(&w), expected[i]);
}
END_TEST

static size_t letters_by_pairs(const char *at, const char *end)
{
    return end - at > 1 ? 2 : 1;
}

START_TEST(test_a_language_has_words_of_its_own)
{
    struct words w = words_in("abc, d");
    w.word_bytes = letters_by_pairs;
    words_next_line(&w);
    assert_word(words_next(&w), "ab");
    assert_word(words_next(&w), "c,");
    assert_word(words_next(&w), "d");
}
END_TEST

START_TEST(test_a_word_is_taken_if_it_is_the_next)
{
    struct words w = words_in("from here");
    words_next_line(&w);
    ck_assert(!words_take(&w, "fro"));
    ck_assert(!words_take(&w, "fromm"));
    ck_assert(words_take(&w, "from"));
    ck_assert(words_take(&w, "here"));
    ck_assert(!words_take(&w, ""));
}
END_TEST

START_TEST(test_the_rest_of_a_line_has_no_blanks_around_it)
{
    struct words w = words_in("set  a, b=2 \t\nnothing");
    w.word_bytes = word_bytes_to_blank;
    words_next_line(&w);
    assert_word(words_next(&w), "set");
    assert_word(words_rest(&w), "a, b=2");
    assert_word(words_rest(&w), NULL);
    words_next_line(&w);
    words_next(&w);
    assert_word(words_rest(&w), NULL);
}
END_TEST

START_TEST(test_a_word_is_cut_at_marks)
{
    struct word rest = word_of("a>b:3,");
    assert_word(word_cut(&rest, ">"), "a");
    assert_word(word_cut(&rest, ",:"), "b");
    assert_word(word_cut(&rest, ","), "3");
    assert_word(rest, "");
    assert_word(word_cut(&rest, ","), "");
    assert_word(rest, NULL);
    assert_word(word_cut(&rest, ","), NULL);
}
END_TEST

START_TEST(test_numbers)
{
    double number = 0;
    ck_assert(word_number((struct word){"250MHz ...", 6}, "Hz", &number));
    ck_assert_double_eq(number, 250e6);
    ck_assert(!word_number(word_of("250MB"), "Hz", &number));
    ck_assert(!word_number((struct word){NULL, 0}, "", &number));
    ck_assert(!word_number((struct word){"1\0", 2}, "", &number));
    char digits[300];
    memset(digits, '1', sizeof digits);
    ck_assert(!word_number((struct word){digits, sizeof digits}, "", &number));
    ck_assert(word_number_within(word_of("2.5"), 2, 3, false, &number));
    ck_assert(!word_number_within(word_of("2.5"), 2, 3, true, &number));
    ck_assert(!word_number_within(word_of("-7"), 3, 4, false, &number));
    ck_assert_double_eq(number, 2.5); /* not what was refused: who takes it may convert it */
}
END_TEST

START_TEST(test_a_word_is_copied_as_far_as_there_is_room)
{
    char to[4];
    ck_assert_str_eq(word_copy(word_of("ab"), to, sizeof to), "ab");
    ck_assert_str_eq(word_copy(word_of("abcdef"), to, sizeof to), "abc");
    ck_assert(word_name(word_of("a ~"), to, sizeof to));
    ck_assert_str_eq(to, "a ~");
    ck_assert(!word_name(word_of(""), to, sizeof to));
    ck_assert(!word_name(word_of("abcd"), to, sizeof to));
    ck_assert_str_eq(to, "abc");
    ck_assert(!word_name(word_of("a\x1f"), to, sizeof to));
    ck_assert(!word_name(word_of("a\x7f"), to, sizeof to));
    ck_assert_str_eq(word_copy((struct word){NULL, 0}, to, sizeof to), "");
    ck_assert_str_eq(word_show(word_of("a\x1b[m")).text, "a\\x1B[m");
}
END_TEST

/* --- refusing -------------------------------------------------------------------------------------------- */

START_TEST(test_the_first_fault_is_kept)
{
    struct words w = words_in("\n a b c\nd");
    words_next_line(&w);
    words_next_line(&w);
    words_next(&w);
    ck_assert_int_eq(words_refuse(&w, words_next(&w).text, "expected %d", 5), -7);
    ck_assert_str_eq(why.line, "t:2:4: expected 5");
    assert_word(words_next(&w), NULL);
    ck_assert_int_eq(words_refuse(&w, NULL, "another"), -7);
    ck_assert_str_eq(why.line, "t:2:4: expected 5");
    ck_assert(!words_next_line(&w));
}
END_TEST

START_TEST(test_the_end_of_a_line_has_a_column)
{
    struct words w = words_in("ab  ");
    words_next_line(&w);
    words_refuse(&w, NULL, "more");
    ck_assert_str_eq(why.line, "t:1:5: more");
    w = words_in("ab");
    w.tells_column = false;
    words_next_line(&w);
    words_refuse(&w, NULL, "more");
    ck_assert_str_eq(why.line, "t:1: more");
}
END_TEST

/* --- names ----------------------------------------------------------------------------------------------- */

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct {
    char name[8];
    int number;
} inside[] = {{"one", 1}, {"three", 3}};

START_TEST(test_names_in_lists_and_in_rows)
{
    struct names rows = {inside, sizeof *inside, COUNT_OF(inside), true};
    ck_assert_int_eq(names_find(names_listed(colours), word_of("blue")), 2);
    ck_assert_int_eq(names_find(names_listed(colours), word_of("blu")), -1);
    ck_assert_int_eq(names_find(rows, word_of("three")), 1);
    ck_assert_str_eq(names_at(rows, 0), "one");
    ck_assert_str_eq(names_nearest(rows, word_of("thre")), "three");
    ck_assert_ptr_null(names_nearest(rows, word_of("zebra")));
}
END_TEST

static const struct {
    const char *text, *said;
} refusals[] = {
    {"gren", "t:1:1: colour 'gren' is not known; did you mean 'green'?"},
    {"  black", "t:1:3: colour 'black' is not known; expected red, green or blue"},
    {"", "t:1:1: the line ends where colour is expected: red, green or blue"},
};

START_TEST(test_a_name_that_is_not_known)
{
    struct words w = words_in(refusals[_i].text);
    words_set_line(&w, refusals[_i].text, strlen(refusals[_i].text), 1);
    ck_assert_int_eq(words_take_name(&w, "colour", names_listed(colours)), -1);
    ck_assert_str_eq(why.line, refusals[_i].said);
    ck_assert_int_eq(w.status, -7);
}
END_TEST

START_TEST(test_a_name_before_any_is_defined)
{
    struct words w = words_in("a");
    words_next_line(&w);
    words_take_name(&w, "colour", (struct names){inside, sizeof *inside, 0, true});
    ck_assert_str_eq(why.line,
                     "t:1:1: colour 'a' is not known; expected a line before this one that defines it");
}
END_TEST

static Suite *words_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_lines_of_a_text);
    tcase_add_test(core, test_no_line_is_in_no_text);
    tcase_add_test(core, test_a_comma_is_a_word);
    tcase_add_test(core, test_a_language_has_words_of_its_own);
    tcase_add_test(core, test_a_word_is_taken_if_it_is_the_next);
    tcase_add_test(core, test_the_rest_of_a_line_has_no_blanks_around_it);
    tcase_add_test(core, test_a_word_is_cut_at_marks);
    tcase_add_test(core, test_numbers);
    tcase_add_test(core, test_a_word_is_copied_as_far_as_there_is_room);
    tcase_add_test(core, test_names_in_lists_and_in_rows);
    tcase_add_test(errors, test_the_first_fault_is_kept);
    tcase_add_test(errors, test_the_end_of_a_line_has_a_column);
    tcase_add_loop_test(errors, test_a_name_that_is_not_known, 0, COUNT_OF(refusals));
    tcase_add_test(errors, test_a_name_before_any_is_defined);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(words_suite());
}
