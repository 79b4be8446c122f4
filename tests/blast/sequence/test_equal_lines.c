/* test_equal_lines.c - lines of one length, joined: which ones, and that no byte outside the text is read. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "blast/sequence/equal_lines.h"
#include "tests/run_suite.h"

START_TEST(test_shapes)
{
    static const struct {
        const char *text;
        size_t letters, whole;
    } lines[] = {{"", 0, 0},         {"ACG", 0, 0},          {"\n", 0, 1},         {"\r\n", 0, 2},
                 {"ACG\nA\n", 3, 4}, {"ACG\r\nA\r\n", 3, 5}, {"AC\rG\nA\n", 4, 5}, {"A\r\r\n", 2, 4}};
    struct line_shape shape = line_shape_of(lines[_i].text, strlen(lines[_i].text));
    ck_assert_uint_eq(shape.letters, lines[_i].letters);
    ck_assert_uint_eq(shape.whole, lines[_i].whole);
}
END_TEST

/* Join the lines of a text that ends where its memory does, for AddressSanitizer to see what is read behind it. */
static size_t join(const char *text, char *joined, size_t room)
{
    const size_t bytes = strlen(text);
    char *copy = malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, bytes);
    size_t lines = equal_lines_join(copy, bytes, line_shape_of(copy, bytes), joined, room);
    free(copy);
    return lines;
}

enum { LINES = 40, MOST = 70 };

/* LINES lines of `letters` letters, with this end; letter i is 'A' + i % 23. */
static void write_lines(char *text, size_t letters, const char *end)
{
    for (size_t line = 0, i = 0; line < LINES; line++) {
        for (size_t k = 0; k < letters; k++)
            *text++ = (char)('A' + i++ % 23);
        text = stpcpy(text, end);
    }
}

/* Lines of any length are joined if they have room and have EQUAL_LINES_SPARE bytes or more behind them. */
START_TEST(test_lines_are_joined)
{
    static const char *const ends[] = {"\n", "\r\n"};
    char text[LINES * (MOST + 2) + 1], joined[LINES * MOST + EQUAL_LINES_SPARE];
    for (size_t letters = 1; letters <= MOST; letters++)
        for (size_t room = letters; room <= LINES * letters; room += letters + room / 3) {
            const size_t whole = letters + strlen(ends[_i]);
            write_lines(text, letters, ends[_i]);
            size_t lines = join(text, joined, room);
            size_t spared = (LINES * whole - EQUAL_LINES_SPARE) / whole;
            ck_assert_uint_eq(lines, room / letters < spared ? room / letters : spared);
            ck_assert_uint_lt(lines, LINES);
            for (size_t i = 0; i < lines * letters; i++)
                ck_assert_int_eq(joined[i], (char)('A' + i % 23));
        }
}
END_TEST

/* The line that ends otherwise, and all after it, are not joined; another byte elsewhere makes no difference. */
START_TEST(test_a_line_of_another_length_ends_them)
{
    enum { LETTERS = 20, ODD = 7 };
    char text[LINES * (LETTERS + 2) + 1], joined[LINES * LETTERS + EQUAL_LINES_SPARE];
    for (size_t ending = 1; ending <= 2; ending++) {
        const size_t whole = LETTERS + ending;
        for (size_t k = 0; k < whole; k++) {
            write_lines(text, LETTERS, ending == 1 ? "\n" : "\r\n");
            text[ODD * whole + k] = k < LETTERS ? '\n' : 'A';
            size_t lines = join(text, joined, LINES * LETTERS);
            if (k < LETTERS)
                ck_assert_uint_gt(lines, ODD);
            else
                ck_assert_uint_eq(lines, ODD);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("equal_lines");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_shapes, 0, 8);
    tcase_add_loop_test(core, test_lines_are_joined, 0, 2);
    tcase_add_test(core, test_a_line_of_another_length_ends_them);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
