/* test_stage3_tasks.c - what a pass hands to the host: what was added is there, in its order and with its sums, and
 * comes back from a file. */
#include "sim/tokens/stage3_tasks.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { HSPS = 700, STAMPS_MAX = 3 };

/* HSPs that were added, and what follows from them. */
struct made {
    int64_t arrived[HSPS], stamps[HSPS * STAMPS_MAX];
    struct stage3_work work[HSPS];
    size_t hsps;
    unsigned stamp_count;
    uint64_t last_cells, clusters;
};

static void make(struct made *made, struct dice *dice, size_t hsps)
{
    memset(made, 0, sizeof *made);
    made->hsps = hsps;
    made->stamp_count = (unsigned)dice_below(dice, STAMPS_MAX + 1);
    for (size_t i = 0; i < hsps; i++) {
        struct stage3_work *work = &made->work[i];
        made->arrived[i] = (i > 0 ? made->arrived[i - 1] : 0) + (int64_t)dice_below(dice, 3000000);
        work->cells = dice_chance(dice, 50) ? dice_between(dice, 1, UINT32_MAX) : 0;
        work->waits = work->cells > 0 && dice_chance(dice, 50);
        work->closes = dice_chance(dice, 20);
        work->cluster_cells = work->closes ? dice_below(dice, UINT64_C(1) << 40) : 0;
        made->clusters += work->closes;
    }
    const uint64_t most = dice_chance(dice, 50) ? UINT64_C(1) << 50 : UINT64_C(1) << 16;
    for (size_t i = 0; i < hsps * made->stamp_count; i++)
        made->stamps[i] =
            board_clock_at(made->arrived[i / made->stamp_count]) - (int64_t)dice_below(dice, most);
    made->last_cells = dice_below(dice, 1000000);
    made->clusters++;
}

/* In portions, as blocks hand them over. */
static struct stage3_tasks add(const struct made *made, struct dice *dice)
{
    struct stage3_tasks tasks = {.stamp_count = made->stamp_count};
    for (size_t first = 0, count; first < made->hsps; first += count) {
        count = dice_between(dice, 1, made->hsps - first);
        ck_assert(stage3_tasks_add(&tasks, count, made->arrived + first, made->work + first,
                                   made->stamp_count ? made->stamps + first * made->stamp_count : NULL));
    }
    stage3_tasks_end(&tasks, 0.125, made->last_cells);
    return tasks;
}

static void assert_same(const struct stage3_tasks *tasks, const struct made *made)
{
    size_t cluster = 0;
    ck_assert_uint_eq(tasks->hsp_count, made->hsps);
    ck_assert_uint_eq(tasks->cluster_count, made->clusters);
    ck_assert_double_eq(tasks->end_s, 0.125);
    ck_assert_uint_eq(tasks->stamp_count, made->stamp_count);
    for (size_t i = 0; i < made->hsps; i++) {
        const struct stage3_hsp *hsp = &tasks->hsps[i];
        const struct stage3_work *work = &made->work[i];
        ck_assert_int_eq(hsp->arrived, made->arrived[i]);
        ck_assert_uint_eq(hsp->cells, work->cells);
        ck_assert_int_eq(hsp->closes, work->closes);
        ck_assert_int_eq(hsp->waits, work->waits);
        if (work->closes)
            ck_assert_uint_eq(tasks->clusters[cluster++], work->cluster_cells);
    }
    ck_assert_uint_eq(tasks->clusters[cluster], made->last_cells);
    for (size_t i = 0; i < made->hsps * made->stamp_count; i++)
        ck_assert_int_eq(tasks->stamps[i], made->stamps[i]);
}

static struct made made;
static int no_hsps = -1;

/* HSPs whose records cross the bus in one burst. */
static void delay(struct stage3_tasks *tasks, size_t first, size_t count, int64_t late, int64_t not_before)
{
    const struct burst_run burst = {1, 1, count, not_before - late, 0, 0};
    stage3_tasks_delay(tasks, first, &burst, late, 0);
}

START_TEST(test_what_was_added_is_there)
{
    struct dice dice = {(uint64_t)_i + 1};
    make(&made, &dice, _i ? dice_between(&dice, 1, HSPS) : 0);
    struct stage3_tasks tasks = add(&made, &dice);
    assert_same(&tasks, &made);
    stage3_tasks_destroy(&tasks);
}
END_TEST

/* HSPs do not move while there are as many as were expected; there may be more, also at once. */
START_TEST(test_room_for_expected_hsps_is_made_at_once)
{
    enum { ADDITIONS = 150, EXPECTED = HSPS * (ADDITIONS - 10) };
    struct dice dice = {7};
    make(&made, &dice, HSPS);
    struct stage3_tasks tasks = {.expected = EXPECTED}, few = {.expected = 2 * HSPS, .in_memory_most = 10};
    const struct stage3_hsp *first = NULL;
    for (int i = 0; i < ADDITIONS; i++) {
        ck_assert(stage3_tasks_add(&tasks, HSPS, made.arrived, made.work, NULL));
        first = first ? first : tasks.hsps;
        ck_assert(tasks.hsp_count > EXPECTED || tasks.hsps == first);
    }
    for (size_t i = 0; i < tasks.hsp_count; i++)
        ck_assert_int_eq(tasks.hsps[i].arrived, made.arrived[i % HSPS]);
    ck_assert(stage3_tasks_add(&few, HSPS, made.arrived, made.work, NULL));
    ck_assert_uint_ge(few.hsp_room, HSPS);
    stage3_tasks_destroy(&tasks);
    stage3_tasks_destroy(&few);
}
END_TEST

/* Stamps are clocks, whenever their HSPs arrive. */
START_TEST(test_late_hsps_keep_their_stamps)
{
    struct dice dice = {(uint64_t)_i + 50};
    make(&made, &dice, HSPS);
    struct stage3_tasks tasks = add(&made, &dice);
    for (int delays = 0; delays < 3; delays++) {
        const size_t first = dice_below(&dice, HSPS), count = dice_between(&dice, 1, HSPS - first);
        const int64_t late = (int64_t)dice_below(&dice, BOARD_TICKS_PER_CLOCK << dice_below(&dice, 16));
        const int64_t not_before = made.arrived[first] + 1;
        delay(&tasks, first, count, late, not_before);
        for (size_t i = first; i < first + count; i++)
            made.arrived[i] = later(made.arrived[i] + late, not_before);
    }
    assert_same(&tasks, &made);
    stage3_tasks_destroy(&tasks);
}
END_TEST

/* Tasks lie in a file one after the other. */
START_TEST(test_tasks_come_back_from_a_file)
{
    static struct made second;
    struct dice dice = {(uint64_t)_i + 200};
    struct stage3_tasks tasks[2], read[2];
    make(&made, &dice, _i ? dice_between(&dice, 1, HSPS) : 0);
    make(&second, &dice, dice_between(&dice, 1, HSPS));
    tasks[0] = add(&made, &dice);
    tasks[1] = add(&second, &dice);
    FILE *file = tmpfile();
    for (int i = 0; i < 2; i++)
        ck_assert(stage3_tasks_write(&tasks[i], true, file));
    rewind(file);
    for (int i = 0; i < 2; i++) {
        ck_assert(stage3_tasks_read(&read[i], NULL, file));
        assert_same(&read[i], i ? &second : &made);
        stage3_tasks_destroy(&tasks[i]);
        stage3_tasks_destroy(&read[i]);
    }
    fclose(file);
}
END_TEST

/* A file that was changed: a flag is 32, a delay has no bursts, or bursts of no HSPs or of more than there are. They
 * were looked at as they were. */
START_TEST(test_impossible_tasks_are_refused)
{
    struct dice dice = {17};
    const unsigned char forged = 32;
    make(&made, &dice, HSPS);
    struct stage3_tasks tasks = add(&made, &dice), read;
    tasks.delays = calloc(1, sizeof *tasks.delays);
    tasks.delay_count = _i >= 1;
    tasks.delays[0].run = (struct burst_run){1, _i != 1, _i == 2 ? 0 : _i == 4 ? HSPS + 1 : HSPS, 0, 0, 0};
    if (_i == 0)
        memcpy(&tasks.hsps[HSPS / 2].waits, &forged, sizeof forged);
    FILE *file = tmpfile();
    ck_assert(stage3_tasks_write(&tasks, true, file));
    rewind(file);
    ck_assert(stage3_tasks_read(&read, NULL, file) == (_i == 3));
    fclose(file);
    stage3_tasks_destroy(&read);
    stage3_tasks_destroy(&tasks);
}
END_TEST

/* What follows the tasks in the file begins where they end. */
START_TEST(test_tasks_without_a_file_come_back)
{
    struct dice dice = {(uint64_t)_i + 300};
    struct stage3_tasks read;
    make(&made, &dice, _i ? dice_between(&dice, 1, HSPS) : 0);
    struct stage3_tasks tasks = add(&made, &dice);
    FILE *file = tmpfile();
    ck_assert(stage3_tasks_write(&tasks, false, file));
    long end = ftell(file);
    ck_assert_int_eq(fputs("more", file) < 0, 0);
    rewind(file);
    ck_assert(stage3_tasks_read(&read, &no_hsps, file));
    ck_assert_int_eq(ftell(file), end);
    fclose(file);
    assert_same(&read, &made);
    stage3_tasks_destroy(&read);
    ck_assert_ptr_null(read.hsps);
    stage3_tasks_destroy(&tasks);
}
END_TEST

/* HSP `i` of many, its stamps and its work. */
static int64_t left_of(size_t i)
{
    return (int64_t)(i * 1000003 + i / 7 * (UINT64_C(1) << 21));
}

static struct stage3_work work_of(size_t i)
{
    return (struct stage3_work){.cells = i % 5 ? 0 : i, .waits = i % 15 == 0, .closes = i % 1000 == 999};
}

/* HSPs before LATE arrive when they have left; the others arrive later. */
enum { MANY = 2 * STAGE3_CHUNK_HSPS + 77, LATE = STAGE3_CHUNK_HSPS + 50, LATE_TICKS = 9 };

static void assert_many(const struct stage3_tasks *tasks)
{
    struct stage3_cursor cursor = stage3_cursor_new(tasks);
    ck_assert_uint_eq(tasks->hsp_count, MANY);
    for (size_t i = 0; i < MANY; i++) {
        const struct stage3_hsp *hsp = stage3_cursor_hsp(&cursor, i);
        const struct stage3_work work = work_of(i);
        const int64_t *stamps = cursor.stamps + (i - cursor.first) * 2;
        if (cursor.failed || hsp->arrived != left_of(i) + (i >= LATE ? LATE_TICKS : 0) ||
            hsp->cells != work.cells || hsp->waits != work.waits || hsp->closes != work.closes ||
            stamps[0] != (int64_t)i - 3 || stamps[1] != -(int64_t)i)
            ck_abort_msg("HSP %zu differs", i);
    }
    stage3_cursor_destroy(&cursor);
}

/* Whether they are in a file of their own, read from one with others, or where the pass's process has left them. */
START_TEST(test_hsps_for_which_there_is_no_room_come_back)
{
    struct stage3_tasks tasks = {.stamp_count = 2, .in_memory_most = 5}, read, taken;
    bool added = true;
    for (size_t i = 0; i < MANY; i++) {
        int64_t left = left_of(i), stamps[2] = {(int64_t)i - 3, -(int64_t)i};
        struct stage3_work work = work_of(i);
        added &= stage3_tasks_add(&tasks, 1, &left, &work, stamps);
    }
    ck_assert(added);
    delay(&tasks, LATE, MANY - LATE, LATE_TICKS, 0);
    stage3_tasks_end(&tasks, 0.125, 1);
    ck_assert_uint_eq(tasks.in_file, 2 * STAGE3_CHUNK_HSPS);
    assert_many(&tasks);
    FILE *file = tmpfile(), *other = tmpfile();
    ck_assert(stage3_tasks_write(&tasks, true, file) && stage3_tasks_write(&tasks, false, other));
    rewind(file);
    ck_assert(stage3_tasks_read(&read, NULL, file));
    assert_many(&read);
    ck_assert(stage3_tasks_bring_back(&read));
    ck_assert_uint_eq(read.in_file, 0);
    assert_many(&read);
    rewind(other);
    int hsps = dup(tasks.file.file);
    ck_assert(stage3_tasks_read(&taken, &hsps, other));
    ck_assert_int_eq(hsps, -1);
    assert_many(&taken);
    stage3_tasks_destroy(&tasks);
    stage3_tasks_destroy(&read);
    stage3_tasks_destroy(&taken);
    fclose(file);
    fclose(other);
}
END_TEST

/* HSPs of a run of bursts arrive with their burst, as late, and none before a tick: those that are in the file then,
 * and those in memory, which go to the file later. */
START_TEST(test_hsps_arrive_with_their_bursts)
{
    enum { BURST = 48, BURSTS = 5, STEP = 777, PERIOD = 12345, FIRST = 100, LATE_BY = 31, LEAVE = 50 };
    enum { THEN = STAGE3_CHUNK_HSPS + FIRST };
    const struct burst_run run = {STAGE3_CHUNK_HSPS / BURST / BURSTS, BURSTS, BURST, 1000, STEP, PERIOD};
    const size_t end = FIRST + run.times * BURSTS * BURST;
    struct stage3_tasks tasks = {.in_memory_most = _i ? 1 : 0};
    bool added = true;
    for (size_t i = 0; i < THEN + STAGE3_CHUNK_HSPS; i++) {
        const int64_t left = (int64_t)(i * LEAVE); /* some leave after their burst */
        const struct stage3_work work = work_of(i);
        added &= stage3_tasks_add(&tasks, 1, &left, &work, NULL);
        if (i + 1 != THEN)
            continue;
        ck_assert(tasks.in_file == (_i ? STAGE3_CHUNK_HSPS : 0) && end > STAGE3_CHUNK_HSPS);
        stage3_tasks_delay(&tasks, FIRST, &run, LATE_BY, 50000);
    }
    ck_assert(added && tasks.in_file == (_i ? 2 * STAGE3_CHUNK_HSPS : 0));
    struct stage3_cursor cursor = stage3_cursor_new(&tasks);
    for (size_t i = 0; i < tasks.hsp_count; i++) {
        int64_t arrived = (int64_t)(i * LEAVE);
        if (i >= FIRST && i < end) {
            const size_t burst = (i - FIRST) / BURST;
            const int64_t closed = 1000 + (int64_t)(burst / BURSTS * PERIOD + burst % BURSTS * STEP);
            arrived = later(later(arrived, closed) + LATE_BY, 50000);
        }
        ck_assert_int_eq(stage3_cursor_hsp(&cursor, i)->arrived, arrived);
    }
    stage3_cursor_destroy(&cursor);
    stage3_tasks_destroy(&tasks);
}
END_TEST

/* The first HSP is known to arrive after the second one has left; before it is known that the second arrives no sooner,
 * both go to the file. */
START_TEST(test_a_late_hsp_goes_to_the_file_before_the_next_one_is_late)
{
    enum { LATE_BY = 5000000 };
    struct stage3_tasks tasks = {.in_memory_most = 5};
    bool added = true;
    for (size_t i = 0; i < STAGE3_CHUNK_HSPS; i++) {
        int64_t left = left_of(i);
        struct stage3_work work = work_of(i);
        added &= stage3_tasks_add(&tasks, 1, &left, &work, NULL);
        if (i == 0)
            delay(&tasks, 0, 1, LATE_BY, 0);
    }
    ck_assert(added);
    ck_assert_uint_eq(tasks.in_file, STAGE3_CHUNK_HSPS);
    delay(&tasks, 1, STAGE3_CHUNK_HSPS - 1, 0, left_of(0) + LATE_BY);
    struct stage3_cursor cursor = stage3_cursor_new(&tasks);
    for (size_t i = 0; i < STAGE3_CHUNK_HSPS; i++) {
        int64_t arrived = later(left_of(i), left_of(0) + LATE_BY);
        const struct stage3_hsp *hsp = stage3_cursor_hsp(&cursor, i);
        if (cursor.failed || hsp->arrived != arrived || hsp->cells != work_of(i).cells)
            ck_abort_msg("HSP %zu arrives at %" PRId64 ", not %" PRId64, i, hsp->arrived, arrived);
    }
    stage3_cursor_destroy(&cursor);
    stage3_tasks_destroy(&tasks);
}
END_TEST

START_TEST(test_a_file_that_ends_too_early_is_noticed)
{
    struct dice dice = {7};
    struct stage3_tasks read;
    make(&made, &dice, 20);
    struct stage3_tasks tasks = add(&made, &dice);
    FILE *whole = tmpfile();
    ck_assert(stage3_tasks_write(&tasks, true, whole));
    long bytes = ftell(whole);
    char *content = malloc((size_t)bytes);
    rewind(whole);
    ck_assert_uint_eq(fread(content, 1, (size_t)bytes, whole), (size_t)bytes);
    for (long left = 0; left < bytes; left++) {
        FILE *file = tmpfile();
        ck_assert_uint_eq(fwrite(content, 1, (size_t)left, file), (size_t)left);
        rewind(file);
        ck_assert_msg(!stage3_tasks_read(&read, NULL, file), "%ld of %ld bytes are taken for all", left,
                      bytes);
        ck_assert(!read.hsps && !read.clusters && !read.stamps && read.hsp_count == 0);
        rewind(file);
        ck_assert(!stage3_tasks_read(&read, &no_hsps, file));
        ck_assert(!read.hsps && read.hsp_count == 0);
        fclose(file);
    }
    fclose(whole);
    free(content);
    stage3_tasks_destroy(&tasks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stage3_tasks");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_what_was_added_is_there, 0, tests_some(50));
    tcase_add_test(core, test_room_for_expected_hsps_is_made_at_once);
    tcase_add_loop_test(core, test_late_hsps_keep_their_stamps, 0, tests_some(50));
    tcase_add_loop_test(core, test_hsps_arrive_with_their_bursts, 0, 2);
    tcase_add_loop_test(core, test_impossible_tasks_are_refused, 0, 5);
    tcase_add_loop_test(core, test_tasks_come_back_from_a_file, 0, tests_some(20));
    tcase_add_loop_test(core, test_tasks_without_a_file_come_back, 0, tests_some(20));
    tcase_add_test(core, test_a_file_that_ends_too_early_is_noticed);
    tcase_add_test(core, test_hsps_for_which_there_is_no_room_come_back);
    tcase_add_test(core, test_a_late_hsp_goes_to_the_file_before_the_next_one_is_late);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
