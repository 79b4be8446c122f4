/* test_stream_windows.c - windows of a stream: tokens by hand, and in parts of any length. */
#include "sim/tokens/stream_windows.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

static const struct board_rules rules = {.sram_read_cycles = 20, .sram_trip_cycles = 60};

/* Three words in windows of two: seeds without a match, with one, and with trips. */
START_TEST(test_by_hand)
{
    struct tokens t = {0};
    struct stream_windows s = {.words = 2};
    tokens_add_word(&t, 2);
    tokens_add_word(&t, 0);
    tokens_add_word(&t, 1);
    tokens_add_seed(&t, LOOKUP_EMPTY, 0);
    tokens_add_seed(&t, LOOKUP_DUPLICATE, 2);
    tokens_add_seed(&t, LOOKUP_MATCH, 1);
    tokens_add_group(&t, 5, 10);
    tokens_add_group(&t, 3, 6);
    tokens_add_group(&t, 2, 0);
    for (unsigned i = 0; i < 10; i++)
        tokens_add_match(&t, i % 3 == 0);
    stream_windows_add(&s, &rules, &t);
    ck_assert_uint_eq(s.count, 2);
    const struct stream_window first = {.words = 2,
                                        .seeds = 2,
                                        .matches = 8,
                                        .records = 3, /* of matches 0, 3 and 6 */
                                        .lookup_clocks = 121,
                                        .trip_lookups = 1,
                                        .trip_clocks = 120,
                                        .batches = {[0] = 1, [2] = 1},
                                        .singles = {[0] = 1},
                                        .groups = {[3] = 1, [5] = 1}};
    const struct stream_window last = {.words = 1,
                                       .seeds = 1,
                                       .matches = 2,
                                       .records = 1,
                                       .lookup_clocks = 1,
                                       .batches = {[1] = 1},
                                       .singles = {[2] = 1}};
    ck_assert_mem_eq(&s.items[0], &first, sizeof first);
    ck_assert_mem_eq(&s.items[1], &last, sizeof last);
    free(s.items);
    tokens_destroy(&t);
}
END_TEST

/* However a stream is cut into blocks, its windows are the same. */
START_TEST(test_blocks_do_not_matter)
{
    struct random_case made;
    struct tokens all = {0};
    struct stream_windows parts = {.words = 7}, whole = {.words = 7};
    case_make(&made, (uint64_t)_i + 1, (enum stream_kind)(_i % STREAM_KINDS), RULES_DEFAULT, BUS_REAL);
    for (size_t i = 0; i < made.block_count; i++) {
        const struct tokens *b = &made.tokens[i];
        for (size_t n = 0; n < b->word_count; n++)
            tokens_add_word(&all, b->words[n]);
        for (size_t n = 0; n < b->seed_count; n++)
            tokens_add_seed(&all, b->seeds[n].outcome, b->seeds[n].groups);
        for (size_t n = 0; n < b->group_count; n++)
            tokens_add_group(&all, b->groups[n].matches, b->groups[n].entries);
        for (size_t n = 0; n < b->match_count; n++)
            tokens_add_match(&all, b->matches[n]);
        stream_windows_add(&parts, &made.rules, b);
    }
    stream_windows_add(&whole, &made.rules, &all);
    ck_assert_uint_eq(whole.count, (all.word_count + 6) / 7);
    ck_assert_uint_eq(parts.count, whole.count);
    if (whole.count > 0) /* a case may have no words */
        ck_assert_mem_eq(parts.items, whole.items, whole.count * sizeof *whole.items);
    tokens_destroy(&all);
    case_destroy(&made);
    free(parts.items);
    free(whole.items);
}
END_TEST

START_TEST(test_lengths)
{
    ck_assert_uint_eq(stream_windows_length(1), 256);
    ck_assert_uint_eq(stream_windows_length(UINT64_C(256) * STREAM_WINDOWS_MOST), 256);
    ck_assert_uint_eq(stream_windows_length(UINT64_C(256) * (STREAM_WINDOWS_MOST + 1)), 1024);
    ck_assert_uint_eq(stream_windows_length(UINT64_C(33000000)), 4096);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stream_windows");
    TCase *cases = tcase_create("stream_windows");
    tcase_add_test(cases, test_by_hand);
    tcase_add_loop_test(cases, test_blocks_do_not_matter, 0, 60);
    tcase_add_test(cases, test_lengths);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
