/* test_huge_pages.c - zeroed memory in whole pages, of any size, again and again, which grows. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/huge_pages.h"
#include "tests/run_suite.h"

enum { PAGE = 2 << 20 };

static const size_t sizes[] = {0, 1, 4096, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 4097};

static bool all_are(const uint8_t *memory, size_t bytes, uint8_t value)
{
    size_t same = 0;
    while (same < bytes && memory[same] == value)
        same++;
    return same == bytes;
}

/* Three of a size, all kept until each is filled: what is returned to the system does not come back. */
START_TEST(test_memory_is_aligned_zeroed_and_nobody_elses)
{
    size_t bytes = sizes[_i];
    uint8_t *memory[3];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            memory[i] = huge_pages_new(bytes);
            ck_assert_ptr_nonnull(memory[i]);
            ck_assert_uint_eq((uintptr_t)memory[i] % PAGE, 0);
            ck_assert(all_are(memory[i], bytes, 0));
            memset(memory[i], 1 + i, bytes);
        }
        for (int i = 0; i < 3; i++) {
            ck_assert(all_are(memory[i], bytes, (uint8_t)(1 + i)));
            huge_pages_destroy(memory[i], bytes);
        }
    }
}
END_TEST

/* In small pages, in huge ones, and from one kind to the other; pages that have moved move again. */
START_TEST(test_what_is_kept_moves_with_memory_that_grows)
{
    enum { STEP = 700001, STEPS = 20 };
    size_t bytes = STEP;
    uint8_t *memory = huge_pages_new(bytes), *neighbour = huge_pages_new(PAGE);
    memset(memory, 1, bytes);
    memset(neighbour, 99, PAGE);
    for (int step = 1; step < STEPS; step++, bytes += STEP) {
        memory = huge_pages_grow(memory, bytes, bytes, bytes + STEP);
        ck_assert_ptr_nonnull(memory);
        ck_assert_uint_eq((uintptr_t)memory % PAGE, 0);
        for (int i = 0; i < step; i++)
            ck_assert(all_are(memory + (size_t)i * STEP, STEP, (uint8_t)(i + 1)));
        memset(memory + bytes, step + 1, STEP);
    }
    ck_assert(all_are(neighbour, PAGE, 99));
    huge_pages_destroy(memory, bytes);
    huge_pages_destroy(neighbour, PAGE);
}
END_TEST

/* Few bytes stay, or none; the others can be written. */
START_TEST(test_memory_grows_without_what_is_not_kept)
{
    const size_t kept = _i == 0 ? 0 : _i == 1 ? 100 : PAGE + 100;
    uint8_t *memory = huge_pages_new(2 * PAGE + 5);
    memset(memory, 7, 2 * PAGE + 5);
    memory = huge_pages_grow(memory, 2 * PAGE + 5, kept, 9 * PAGE);
    ck_assert(all_are(memory, kept, 7));
    memset(memory, 8, 9 * PAGE);
    ck_assert(all_are(memory, 9 * PAGE, 8));
    huge_pages_destroy(memory, 9 * PAGE);
}
END_TEST

/* Number of pages of 4 KiB that are in memory. */
static size_t resident(uint8_t *memory, size_t bytes)
{
    unsigned char pages[8 * PAGE / 4096];
    size_t count = 0;
    ck_assert_int_eq(mincore(memory, bytes, pages), 0);
    for (size_t i = 0; i < bytes / 4096; i++)
        count += pages[i] & 1;
    return count;
}

/* Memory of little more than half a page may become a page; that of less stays as small as its contents. */
START_TEST(test_room_that_is_not_used_takes_no_memory)
{
    const size_t wanted[] = {1, PAGE / 4, PAGE / 2 - 4096, PAGE / 2 - 4095, PAGE, PAGE + 1, 5 * PAGE - 1};
    const size_t rooms[] = {PAGE / 2 - 4096, PAGE / 2 - 4096, PAGE / 2 - 4096, PAGE, PAGE,
                            2 * PAGE,        5 * PAGE};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const size_t room = huge_pages_room(wanted[i]);
        ck_assert_uint_eq(room, rooms[i]);
        uint8_t *memory = huge_pages_new(room);
        memset(memory, 1, wanted[i]);
        ck_assert_uint_le(resident(memory, (room + 4095) / 4096 * 4096),
                          wanted[i] < PAGE / 2 - 4095 ? (wanted[i] + 4095) / 4096
                                                      : (wanted[i] + PAGE - 1) / PAGE * 512);
        huge_pages_destroy(memory, room);
    }
}
END_TEST

/* What is expected decides about the pages, not what was reserved, and nothing is lost. */
START_TEST(test_memory_of_which_little_is_expected_has_small_pages)
{
    const size_t room = 3 * PAGE, expected = PAGE + PAGE / 4;
    uint8_t *memory = huge_pages_new(room);
    huge_pages_expect(memory, room, PAGE / 4);
    memory[0] = 1;
    huge_pages_expect(memory, room, expected);
    memset(memory, 1, expected);
    ck_assert_uint_le(resident(memory, room), (expected + 4095) / 4096);
    ck_assert(all_are(memory, expected, 1) && all_are(memory + expected, room - expected, 0));
    huge_pages_destroy(memory, room);
}
END_TEST

static void ask_too_much(int how)
{
    uint8_t *memory = huge_pages_new(3 * PAGE);
    static const size_t more[] = {SIZE_MAX, SIZE_MAX - 4 * (size_t)PAGE, SIZE_MAX / 2};
    if (how < 3)
        huge_pages_new(more[how]);
    else
        huge_pages_grow(memory, 3 * PAGE, 3 * PAGE, more[how - 3]);
}

START_TEST(test_more_than_there_is_ends_the_process)
{
    ck_assert_int_eq(suite_status_of(ask_too_much, _i), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("huge_pages");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_loop_test(core, test_memory_is_aligned_zeroed_and_nobody_elses, 0,
                        (int)(sizeof sizes / sizeof *sizes));
    tcase_add_test(core, test_what_is_kept_moves_with_memory_that_grows);
    tcase_add_loop_test(core, test_memory_grows_without_what_is_not_kept, 0, 3);
    tcase_add_test(core, test_room_that_is_not_used_takes_no_memory);
    tcase_add_test(core, test_memory_of_which_little_is_expected_has_small_pages);
    tcase_add_loop_test(errors, test_more_than_there_is_ends_the_process, 0, 6);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
