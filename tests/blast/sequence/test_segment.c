/* test_segment.c - the cut query covers every window, on both strands, with as few segments as can be. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "blast/sequence/segment.h"
#include "tests/run_suite.h"

const char *__asan_default_options(void);

/* The memory test asks for more than any allocator has; it shall get NULL under AddressSanitizer, too. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum { QUERY_SEGMENT = 65400, STAGE2_WINDOW = 64, WMER = 11 };

static struct query_segment *cut(uint64_t positions, uint32_t length, uint32_t overlap,
                                 enum strand_choice strands, size_t *count)
{
    *count = 0;
    struct query_segment *segments = segments_cut(positions, length, overlap, strands, count);
    ck_assert_ptr_nonnull(segments);
    ck_assert_uint_ge(*count, 1);
    return segments;
}

/* The obvious way: step by length - overlap until the end is reached. */
static void check_one_strand(const struct query_segment *segments, size_t count, enum strand strand,
                             uint64_t positions, uint32_t length, uint32_t overlap)
{
    uint64_t begin = 0;
    for (size_t i = 0; i < count; i++, begin += length - overlap) {
        ck_assert_int_eq(segments[i].strand, strand);
        ck_assert_uint_eq(segments[i].begin, begin);
        bool last = begin + length >= positions;
        ck_assert_uint_eq(segments[i].length, last ? positions - begin : length);
        ck_assert_int_eq(last, i + 1 == count);
    }
}

/* Whether some segment holds positions [begin, begin + size). */
static bool is_covered(const struct query_segment *segments, size_t count, uint64_t begin, uint64_t size)
{
    for (size_t i = 0; i < count; i++)
        if (segments[i].begin <= begin && begin + size <= segments[i].begin + segments[i].length)
            return true;
    return false;
}

static void check_windows_covered(const struct query_segment *segments, size_t count, uint64_t positions,
                                  uint32_t window)
{
    for (uint64_t begin = 0; begin + window <= positions; begin++)
        ck_assert_msg(is_covered(segments, count, begin, window), "window at %llu of %llu is in no segment",
                      (unsigned long long)begin, (unsigned long long)positions);
}

/* Loop index = overlap; every length up to overlap + 9, every query up to 60 positions. */
START_TEST(test_every_window_of_overlap_bases_lies_in_one_segment)
{
    uint32_t overlap = (uint32_t)_i;
    for (uint32_t length = overlap + 1; length < overlap + 10; length++) {
        for (uint64_t positions = 1; positions <= 60; positions++) {
            size_t count;
            struct query_segment *segments = cut(positions, length, overlap, STRANDS_PLUS, &count);
            check_one_strand(segments, count, STRAND_PLUS, positions, length, overlap);
            check_windows_covered(segments, count, positions, overlap > 0 ? overlap : 1);
            free(segments);
        }
    }
}
END_TEST

START_TEST(test_no_segment_can_be_left_out)
{
    uint32_t overlap = (uint32_t)_i + 1;
    for (uint64_t positions = overlap; positions <= 60; positions++) {
        size_t count;
        struct query_segment *segments = cut(positions, overlap + 4, overlap, STRANDS_PLUS, &count);
        if (count > 1)
            ck_assert(!is_covered(segments, count - 1, positions - overlap, overlap));
        for (size_t i = 0; i + 1 < count; i++) {
            uint64_t first_window = segments[i].begin;
            ck_assert(!is_covered(segments + i + 1, count - i - 1, first_window, overlap));
        }
        free(segments);
    }
}
END_TEST

START_TEST(test_both_strands_are_cut_alike_plus_first)
{
    for (uint64_t positions = 1; positions <= 200; positions++) {
        size_t plus_count, minus_count, count;
        struct query_segment *plus = cut(positions, 20, 11, STRANDS_PLUS, &plus_count);
        struct query_segment *minus = cut(positions, 20, 11, STRANDS_MINUS, &minus_count);
        struct query_segment *both = cut(positions, 20, 11, STRANDS_BOTH, &count);
        ck_assert_uint_eq(plus_count, minus_count);
        ck_assert_uint_eq(count, plus_count + minus_count);
        check_one_strand(plus, plus_count, STRAND_PLUS, positions, 20, 11);
        check_one_strand(minus, minus_count, STRAND_MINUS, positions, 20, 11);
        check_one_strand(both, plus_count, STRAND_PLUS, positions, 20, 11);
        check_one_strand(both + plus_count, minus_count, STRAND_MINUS, positions, 20, 11);
        free(plus);
        free(minus);
        free(both);
    }
}
END_TEST

/* Hand-computed for the defaults, segments of 65,400 with 63 in common: steps of 65,337. */
static const struct {
    uint64_t positions;
    size_t count;
    uint64_t last_begin;
    uint32_t last_length;
} borders[] = {
    {1, 1, 0, 1},
    {10, 1, 0, 10},
    {65399, 1, 0, 65399},
    {65400, 1, 0, 65400},
    {65401, 2, 65337, 64},
    {130736, 2, 65337, 65399},
    {130737, 2, 65337, 65400},
    {130738, 3, 130674, 64},
    {1667867, 26, 1633425, 34442},
};

START_TEST(test_borders_of_the_default_segment)
{
    size_t count;
    struct query_segment *s =
        cut(borders[_i].positions, QUERY_SEGMENT, STAGE2_WINDOW - 1, STRANDS_PLUS, &count);
    ck_assert_uint_eq(count, borders[_i].count);
    ck_assert_uint_eq(s[count - 1].begin, borders[_i].last_begin);
    ck_assert_uint_eq(s[count - 1].length, borders[_i].last_length);
    free(s);
}
END_TEST

START_TEST(test_query_shorter_than_the_overlap_is_one_segment)
{
    size_t count;
    struct query_segment *s = cut(5, 100, 63, STRANDS_BOTH, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(s[0].length, 5);
    ck_assert_uint_eq(s[1].length, 5);
    free(s);
}
END_TEST

START_TEST(test_steps_of_one_base)
{
    size_t count;
    struct query_segment *s = cut(1000, WMER + 1, WMER, STRANDS_PLUS, &count);
    ck_assert_uint_eq(count, 1000 - WMER); /* begins 0 .. 988 */
    check_one_strand(s, count, STRAND_PLUS, 1000, WMER + 1, WMER);
    free(s);
}
END_TEST

START_TEST(test_positions_above_32_bits)
{
    uint64_t positions = UINT64_C(5000000000);
    size_t count;
    struct query_segment *s = cut(positions, UINT32_C(4000000000), 64, STRANDS_PLUS, &count);
    ck_assert_uint_eq(count, 2);
    check_one_strand(s, count, STRAND_PLUS, positions, UINT32_C(4000000000), 64);
    free(s);
}
END_TEST

static void cut_into_too_many(int unused)
{
    size_t count = 0;
    (void)unused;
    free(segments_cut(UINT64_C(1) << 60, WMER + 1, WMER, STRANDS_PLUS, &count));
}

START_TEST(test_more_segments_than_memory_holds_end_the_process)
{
    ck_assert_int_eq(suite_status_of(cut_into_too_many, 0), 1);
}
END_TEST

static Suite *segment_suite(void)
{
    Suite *suite = suite_create("segment");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_every_window_of_overlap_bases_lies_in_one_segment, 0, 16);
    tcase_add_loop_test(core, test_no_segment_can_be_left_out, 0, 15);
    tcase_add_test(core, test_both_strands_are_cut_alike_plus_first);
    suite_add_tcase(suite, core);
    TCase *limits = tcase_create("limits");
    tcase_add_loop_test(limits, test_borders_of_the_default_segment, 0, sizeof borders / sizeof borders[0]);
    tcase_add_test(limits, test_query_shorter_than_the_overlap_is_one_segment);
    tcase_add_test(limits, test_steps_of_one_base);
    tcase_add_test(limits, test_positions_above_32_bits);
    suite_add_tcase(suite, limits);
    TCase *errors = tcase_create("errors");
    tcase_add_test(errors, test_more_segments_than_memory_holds_end_the_process);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(segment_suite());
}
