/* test_letters.c - letters as words of codes: whole words by every level of vectors, and the next ones, up to a word,
 * against a letter at a time. */
#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"
#include "blast/sequence/letters.h"
#include "tests/run_suite.h"

enum { LETTERS = 150, WORDS = LETTERS / BASES_PER_WORD };

static unsigned random_below(unsigned limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(state >> 33) % limit;
}

/* The word of `count` letters, which are bases. */
static uint64_t word_of(const unsigned char *text, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)(strchr("ACGT", toupper(text[i])) - "ACGT") << (4 * i);
    return word;
}

/* Whether all are bases of the case of a letter. */
static bool are_bases(const unsigned char *text, size_t count, unsigned char like)
{
    for (size_t i = 0; i < count; i++)
        if (text[i] == '\0' || !strchr(islower(like) ? "acgt" : "ACGT", text[i]))
            return false;
    return true;
}

static void fill(unsigned char *text, size_t count, bool lower)
{
    for (size_t i = 0; i < count; i++)
        text[i] = (unsigned char)"ACGTacgt"[random_below(4) + (lower ? 4 : 0)];
}

static void check_pack(enum cpu_level level, const unsigned char *text, size_t length)
{
    uint64_t words[WORDS + 1];
    size_t count = 0;
    while ((count + 1) * BASES_PER_WORD <= length &&
           are_bases(text + count * BASES_PER_WORD, BASES_PER_WORD, text[0]))
        count++;
    ck_assert_uint_eq(letters_pack(level, text, length, words), count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(words[i], word_of(text + i * BASES_PER_WORD, BASES_PER_WORD));
}

START_TEST(test_whole_words)
{
    unsigned char text[LETTERS] = {0};
    const enum cpu_level level = (enum cpu_level)_i;
    for (size_t length = 0; length <= LETTERS; length++) {
        fill(text, length, length % 2 > 0);
        check_pack(level, text, length);
    }
}
END_TEST

START_TEST(test_any_other_letter_ends_the_words)
{
    unsigned char text[LETTERS];
    const enum cpu_level level = (enum cpu_level)_i;
    for (unsigned letter = 0; letter < 256; letter++)
        for (size_t at = 0; at < LETTERS; at += 1 + at / 40) {
            fill(text, LETTERS, letter % 2 > 0);
            text[at] = (unsigned char)letter;
            check_pack(level, text, LETTERS);
        }
}
END_TEST

START_TEST(test_the_other_case_ends_the_words)
{
    unsigned char text[LETTERS];
    const enum cpu_level level = (enum cpu_level)_i;
    for (size_t at = 1; at < LETTERS; at++) {
        fill(text, at, at / BASES_PER_WORD % 2 > 0);
        fill(text + at, LETTERS - at, at / BASES_PER_WORD % 2 == 0);
        check_pack(level, text, LETTERS);
    }
}
END_TEST

/* The letters of a line from a place on, up to a word of them, to the first that is no base of its case. */
static void check_next(const unsigned char *line, size_t at, size_t length)
{
    uint64_t word;
    size_t count = 0;
    while (count < BASES_PER_WORD && at + count < length && are_bases(line + at + count, 1, line[at]))
        count++;
    ck_assert_uint_eq(letters_pack_next(line, at, length, &word), count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(word >> 4 * i & 15, word_of(line + at + i, 1));
}

START_TEST(test_next_letters)
{
    unsigned char line[LETTERS];
    for (size_t length = 1; length < 3 * BASES_PER_WORD; length++)
        for (size_t at = 0; at < length; at++) {
            fill(line, length, length % 2 > 0);
            check_next(line, at, length);
            fill(line, at, length % 2 == 0); /* those before do not count */
            check_next(line, at, length);
        }
}
END_TEST

START_TEST(test_any_other_letter_ends_the_next_ones)
{
    unsigned char line[LETTERS];
    for (size_t length = 1; length < 2 * BASES_PER_WORD; length++)
        for (unsigned letter = 0; letter < 256; letter++) {
            const size_t at = random_below((unsigned)length), odd = random_below((unsigned)length);
            fill(line, length, letter % 2 > 0);
            line[odd] = (unsigned char)letter;
            check_next(line, at, length);
        }
}
END_TEST

int main(void)
{
    const int levels = (int)cpu_best_level() + 1; /* of this processor */
    Suite *suite = suite_create("letters");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_whole_words, CPU_PORTABLE, levels);
    tcase_add_loop_test(core, test_any_other_letter_ends_the_words, CPU_PORTABLE, levels);
    tcase_add_loop_test(core, test_the_other_case_ends_the_words, CPU_PORTABLE, levels);
    tcase_add_test(core, test_next_letters);
    tcase_add_test(core, test_any_other_letter_ends_the_next_ones);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
