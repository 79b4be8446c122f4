/* test_window_log.c - what a pass has done before the words of marks, by hand. */
#include "sim/measure/window_log.h"

#include <check.h>
#include <unistd.h>

#include "tests/run_suite.h"

/* A part of three words: the first has a match of two positions, one of which passed, and a lookup of two trips with
 * one HSP each; the second none; the third a match that passed. */
static uint8_t words[] = {2, 0, 1}, matches[] = {1, 0, 1, 1, 1};
static struct seed_token seeds[] = {{LOOKUP_MATCH, 1}, {LOOKUP_DUPLICATE, 2}, {LOOKUP_MATCH, 1}};
static struct group_token groups[] = {{2, 0}, {1, 5}, {1, 3}, {1, 0}};
static const struct tokens tokens = {.words = words,
                                     .seeds = seeds,
                                     .groups = groups,
                                     .matches = matches,
                                     .word_count = 3,
                                     .seed_count = 3,
                                     .group_count = 4,
                                     .match_count = 5,
                                     .hsp_count = 4};

/* Two such parts. The second HSP of each shows that the stream has passed a cluster of 100 or 200 cells. */
START_TEST(test_readings)
{
    static const uint64_t marks[] = {0, 1, 2, 3, 5};
    int64_t first[] = {10, 20, 30}, second[] = {40, 50, 60};
    struct stage3_hsp hsps[] = {{0, 1, false, false}, {0, 2, true, false},  {0, 4, false, false},
                                {0, 8, false, false}, {0, 1, false, false}, {0, 2, true, false},
                                {0, 4, false, false}, {0, 8, false, false}};
    uint64_t clusters[] = {100, 200, 400};
    const struct stage3_tasks tasks = {
        .hsps = hsps, .clusters = clusters, .hsp_count = 8, .cluster_count = 3};
    struct window_reading readings[5];
    struct window_log log = {.marks = marks, .count = 5, .readings = readings};
    window_log_part(&log, &tokens, &(struct board_times){.word_delivered = first});
    window_log_part(&log, &tokens, &(struct board_times){.word_delivered = second});
    ck_assert(window_log_end(&log, &tasks));
    static const struct window_reading expected[] = {
        {10, 0, 0, 0}, {20, 3, 2, 107}, {30, 3, 2, 107}, {40, 4, 2, 115}, {60, 7, 4, 322}};
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_int_eq(readings[i].clock, expected[i].clock);
        ck_assert_uint_eq(readings[i].hsps, expected[i].hsps);
        ck_assert_uint_eq(readings[i].trips, expected[i].trips);
        ck_assert_uint_eq(readings[i].cells, expected[i].cells);
    }
}
END_TEST

/* HSPs that are in a file which ends too early: what they cost is not known. */
START_TEST(test_hsps_that_cannot_be_read)
{
    struct stage3_tasks tasks = {.in_memory_most = 1};
    bool added = true;
    struct window_reading reading = {.hsps = STAGE3_CHUNK_HSPS};
    struct window_log log = {.count = 1, .next = 1, .readings = &reading};
    for (int64_t i = 0; i < 2 * STAGE3_CHUNK_HSPS; i++)
        added &= stage3_tasks_add(&tasks, 1, &i, &(struct stage3_work){.cells = 1}, NULL);
    ck_assert(added);
    ck_assert(window_log_end(&log, &tasks));
    ck_assert_uint_eq(reading.cells, STAGE3_CHUNK_HSPS);
    ck_assert_int_eq(ftruncate(tasks.file.file, 1), 0);
    ck_assert(!window_log_end(&log, &tasks));
    stage3_tasks_destroy(&tasks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("window_log");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_readings);
    tcase_add_test(core, test_hsps_that_cannot_be_read);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
