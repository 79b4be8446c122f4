/* test_mask.c - masks as ranges against masks as arrays, and what they keep out of a pass's tables. */
#include "blast/sequence/fasta.h"
#include "blast/sequence/mask.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blast/stages12/pass.h"
#include "tests/run_suite.h"

enum { POSITIONS = 300 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((next_random(state) >> 32) * limit >> 32);
}

static struct mask random_mask(bool masked[POSITIONS], uint64_t *state)
{
    struct mask mask = {0};
    memset(masked, 0, POSITIONS * sizeof *masked);
    for (uint64_t begin = 0; begin < POSITIONS; begin += random_below(state, 40)) {
        uint64_t end = begin + random_below(state, 20);
        end = end < POSITIONS ? end : POSITIONS;
        mask_add(&mask, begin, end);
        for (uint64_t i = begin; i < end; i++)
            masked[i] = true;
    }
    return mask;
}

static void check_equals_array(const struct mask *mask, const bool masked[POSITIONS])
{
    uint8_t codes[POSITIONS] = {0};
    uint64_t sum = 0;
    mask_overwrite(mask, 0, POSITIONS, false, 1, codes);
    for (int i = 0; i < POSITIONS; i++) {
        ck_assert_int_eq(codes[i], masked[i]);
        sum += masked[i];
    }
    ck_assert_uint_eq(mask_count(mask), sum);
    for (size_t i = 1; i < mask->count; i++)
        ck_assert_uint_gt(mask->ranges[i].begin, mask->ranges[i - 1].end);
}

START_TEST(test_ranges_and_unions_equal_arrays)
{
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    bool in_a[POSITIONS], in_b[POSITIONS];
    struct mask a = random_mask(in_a, &state), b = random_mask(in_b, &state), both = {0};
    check_equals_array(&a, in_a);
    mask_unite(&a, &b, &both);
    for (int i = 0; i < POSITIONS; i++)
        in_a[i] |= in_b[i];
    check_equals_array(&both, in_a);
    mask_destroy(&a);
    mask_destroy(&b);
    mask_destroy(&both);
}
END_TEST

START_TEST(test_parts_are_overwritten_forwards_and_backwards)
{
    uint64_t state = 99 + (uint64_t)_i;
    bool masked[POSITIONS];
    struct mask mask = random_mask(masked, &state);
    for (int n = 0; n < 200; n++) {
        uint64_t begin = random_below(&state, POSITIONS), end = begin + random_below(&state, 60);
        uint8_t forwards[POSITIONS] = {0}, backwards[POSITIONS] = {0};
        end = end < POSITIONS ? end : POSITIONS;
        mask_overwrite(&mask, begin, end, false, 7, forwards);
        mask_overwrite(&mask, begin, end, true, 7, backwards);
        for (uint64_t i = begin; i < end; i++) {
            ck_assert_int_eq(forwards[i - begin], masked[i] ? 7 : 0);
            ck_assert_int_eq(backwards[end - 1 - i], masked[i] ? 7 : 0);
        }
    }
    mask_destroy(&mask);
}
END_TEST

START_TEST(test_empty_ranges_and_masks_are_nothing)
{
    struct mask mask = {0}, none = {0};
    uint8_t code = 3;
    mask_add(&mask, 5, 5);
    mask_unite(&mask, &none, &mask);
    ck_assert_uint_eq(mask.count, 0);
    mask_overwrite(&mask, 0, 1, true, 9, &code);
    ck_assert_int_eq(code, 3);
    mask_destroy(&mask);
}
END_TEST

/* --- sequences and passes -------------------------------------------------------------------------------- */

static void read_text(const char *text, struct sequences *out)
{
    char path[] = "/tmp/test_mask.XXXXXX";
    struct why why = {""};
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    int status = sequences_read(path, out, &why);
    unlink(path);
    ck_assert_msg(status == 0, "%s", why.line);
}

START_TEST(test_lower_case_is_remembered)
{
    static const struct mask_range expected[] = {{2, 5}, {9, 10}, {11, 14}};
    struct sequences s, upper;
    read_text(">a b\nACgt\nnACGTa\n>c\nacgT\n", &s);
    read_text(">a b\nACGTNACGTA\n>c\nACGT\n", &upper);
    ck_assert_uint_eq(s.lower_case.count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(s.lower_case.ranges[i].begin, expected[i].begin);
        ck_assert_uint_eq(s.lower_case.ranges[i].end, expected[i].end);
    }
    ck_assert_uint_eq(s.masked.count, 0);
    ck_assert_uint_eq(upper.lower_case.count, 0);
    ck_assert_uint_eq(s.digest, upper.digest);
    sequences_destroy(&s);
    sequences_destroy(&upper);
}
END_TEST

static char *random_fasta(size_t bases, uint64_t seed)
{
    char *text = malloc(bases + 5);
    ck_assert_ptr_nonnull(text);
    strcpy(text, ">r\n");
    for (size_t i = 0; i < bases; i++)
        text[3 + i] = "ACGT"[random_below(&seed, 4)];
    strcpy(text + 3 + bases, "\n");
    return text;
}

/* Every match passes stage 2, so that HSPs are the matches. */
static const struct pass_rules all_pass = {
    {6, 131072, HASH_XXH3, 1}, {131072, HASH_DISPLACED, 2, 5, 8192, 1}, {64, 1, -3, 11, false}};

static void scan(const struct sequences *s, struct query_segment segment, struct tokens *tokens)
{
    struct pass *pass = pass_new(&all_pass, s, &segment, s, NULL);
    struct pass_counts counts = {0};
    ck_assert_ptr_nonnull(pass);
    pass_scan(pass, 0, s->word_count, tokens, &counts);
    pass_destroy(pass);
}

static bool wmer_is_masked(const bool *masked, const struct query_segment *segment, uint32_t position)
{
    for (uint32_t i = 0; i < 11; i++) {
        uint64_t at = segment->begin + position - i;
        if (masked[segment->strand == STRAND_MINUS ? POSITIONS - 1 - at : at])
            return true;
    }
    return false;
}

/* A sequence against itself: what is left is what has no masked base in its query w-mer. */
START_TEST(test_a_pass_loses_the_masked_wmers_and_no_others)
{
    struct query_segment segment = {_i ? STRAND_MINUS : STRAND_PLUS, 20, 250};
    uint64_t state = 5;
    bool masked[POSITIONS];
    char *text = random_fasta(POSITIONS / 2, 3);
    char twice[POSITIONS + 8]; /* a sequence and its reverse complement: both strands match */
    struct sequences s;
    strcpy(twice, text);
    for (int i = 0; i < POSITIONS / 2; i++)
        twice[3 + POSITIONS / 2 + i] = "TGCA"[strchr("ACGT", text[2 + POSITIONS / 2 - i]) - "ACGT"];
    strcpy(twice + 3 + POSITIONS, "\n");
    read_text(twice, &s);
    struct tokens all = {0}, rest = {0};
    scan(&s, segment, &all);
    s.masked = random_mask(masked, &state);
    scan(&s, segment, &rest);
    size_t next = 0;
    for (size_t i = 0; i < all.hsp_count; i++) {
        if (wmer_is_masked(masked, &segment, all.hsps[i].query_position))
            continue;
        ck_assert_uint_lt(next, rest.hsp_count);
        ck_assert_uint_eq(rest.hsps[next].query_position, all.hsps[i].query_position);
        ck_assert_uint_eq(rest.hsps[next].database_position, all.hsps[i].database_position);
        next++;
    }
    ck_assert_uint_eq(next, rest.hsp_count);
    ck_assert_uint_gt(next, 10); /* else the input proves nothing */
    ck_assert_uint_lt(next, all.hsp_count);
    tokens_destroy(&all);
    tokens_destroy(&rest);
    sequences_destroy(&s);
    free(text);
}
END_TEST

START_TEST(test_a_pass_of_nothing_but_masked_bases_finds_nothing)
{
    char *text = random_fasta(POSITIONS, 4);
    struct sequences s;
    struct tokens tokens = {0};
    read_text(text, &s);
    mask_add(&s.masked, 0, POSITIONS);
    scan(&s, (struct query_segment){STRAND_PLUS, 0, POSITIONS}, &tokens);
    ck_assert_uint_eq(tokens.seed_count, 0);
    tokens_destroy(&tokens);
    sequences_destroy(&s);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mask");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits");
    tcase_add_loop_test(core, test_ranges_and_unions_equal_arrays, 0, 20);
    tcase_add_loop_test(core, test_parts_are_overwritten_forwards_and_backwards, 0, 5);
    tcase_add_test(core, test_lower_case_is_remembered);
    tcase_add_loop_test(core, test_a_pass_loses_the_masked_wmers_and_no_others, 0, 2);
    tcase_add_test(limits, test_empty_ranges_and_masks_are_nothing);
    tcase_add_test(limits, test_a_pass_of_nothing_but_masked_bases_finds_nothing);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
