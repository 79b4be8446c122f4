/* test_array.c - an array keeps its elements while it grows. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/run_suite.h"

START_TEST(test_elements_stay_while_the_array_grows)
{
    uint32_t *numbers = NULL;
    size_t room = 0, growths = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = room;
        array_reserve(&numbers, &room, i, 1, sizeof *numbers);
        growths += room != before;
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert_uint_eq(numbers[i], i);
    ck_assert_uint_le(growths, 20); /* by half each time */
    free(numbers);
}
END_TEST

START_TEST(test_room_for_many_is_made_at_once_and_kept)
{
    uint8_t *bytes = NULL;
    size_t room = 0;
    array_reserve(&bytes, &room, 0, 12345, 1);
    ck_assert_uint_ge(room, 12345);
    size_t before = room;
    array_reserve(&bytes, &room, 345, 12000, 1);
    array_reserve(&bytes, &room, room, 0, 1);
    ck_assert_uint_eq(room, before);
    free(bytes);
}
END_TEST

START_TEST(test_room_for_nothing_is_no_null_pointer)
{
    uint64_t *numbers = NULL;
    size_t room = 0;
    array_reserve(&numbers, &room, 0, 0, sizeof *numbers);
    ck_assert_ptr_nonnull(numbers);
    free(numbers);
}
END_TEST

/* Up to 9.6 MB: from memory of malloc() to small pages, to a huge one, to several. */
START_TEST(test_elements_stay_while_a_long_array_grows)
{
    enum { COUNT = 400000 };
    struct element {
        uint64_t number, twice, thrice;
    } *elements = NULL;
    size_t room = 0, growths = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t before = room;
        array_reserve_long(&elements, &room, i, 1, sizeof *elements);
        growths += room != before;
        elements[i] = (struct element){i, 2 * i, 3 * i};
    }
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(elements[i].number == i && elements[i].twice == 2 * i && elements[i].thrice == 3 * i);
    ck_assert_uint_le(growths, 20);
    array_free_long(elements, room, sizeof *elements);
}
END_TEST

/* Around the length at which an array becomes long, and around sizes of pages: all of the room can be written. */
START_TEST(test_a_long_array_of_any_length_has_its_room)
{
    const size_t lengths[] = {0,       1,      ARRAY_LONG_BYTES - 1, ARRAY_LONG_BYTES, 1 << 20, (2 << 20) - 1,
                              2 << 20, 5 << 20};
    for (size_t first = 0; first < 8; first++)
        for (size_t then = first; then < 8; then++) {
            uint8_t *bytes = NULL;
            size_t room = 0;
            array_reserve_long(&bytes, &room, 0, lengths[first], 1);
            ck_assert_ptr_nonnull(bytes);
            ck_assert_uint_ge(room, lengths[first]);
            memset(bytes, 1, room);
            array_reserve_long(&bytes, &room, lengths[first], lengths[then] - lengths[first], 1);
            ck_assert_uint_ge(room, lengths[then]);
            for (size_t i = 0; i < lengths[first]; i++)
                ck_assert(bytes[i] == 1);
            memset(bytes, 2, room);
            array_free_long(bytes, room, 1);
        }
}
END_TEST

START_TEST(test_memory_of_malloc_becomes_a_long_array)
{
    enum { BYTES = 200000 };
    uint8_t *bytes = malloc(BYTES), *others = malloc(BYTES);
    size_t room = 0;
    memset(bytes, 3, BYTES);
    array_reserve_long(&bytes, &room, BYTES, 1, 1);
    ck_assert_uint_gt(room, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        ck_assert(bytes[i] == 3);
    array_free_long(bytes, room, 1);
    array_free_long(others, 0, 1);
}
END_TEST

static void grow_too_much(int how)
{
    static const size_t extra[] = {SIZE_MAX, SIZE_MAX / sizeof(uint64_t)}, lengths[] = {1, 100000};
    uint64_t *numbers = NULL;
    size_t room = 0;
    array_reserve_long(&numbers, &room, 0, lengths[how / 2 % 2], sizeof *numbers);
    if (how < 4)
        array_reserve_long(&numbers, &room, 1, extra[how % 2], sizeof *numbers);
    else
        array_reserve(&numbers, &room, 1, extra[how % 2], sizeof *numbers);
}

START_TEST(test_more_than_there_is_ends_the_process)
{
    ck_assert_int_eq(suite_status_of(grow_too_much, _i), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("array");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_elements_stay_while_the_array_grows);
    tcase_add_test(core, test_room_for_many_is_made_at_once_and_kept);
    tcase_add_test(core, test_room_for_nothing_is_no_null_pointer);
    tcase_add_test(core, test_elements_stay_while_a_long_array_grows);
    tcase_add_test(core, test_a_long_array_of_any_length_has_its_room);
    tcase_add_test(core, test_memory_of_malloc_becomes_a_long_array);
    tcase_add_loop_test(errors, test_more_than_there_is_ends_the_process, 0, 6);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
