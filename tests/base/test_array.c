/* test_array.c - an array keeps its elements while it grows, and stays as it is if there is no memory. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "tests/run_suite.h"

START_TEST(test_elements_stay_while_the_array_grows)
{
    uint32_t *numbers = NULL;
    size_t room = 0, growths = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = room;
        ck_assert(array_reserve(&numbers, &room, i, 1, sizeof *numbers));
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
    ck_assert(array_reserve(&bytes, &room, 0, 12345, 1));
    ck_assert_uint_ge(room, 12345);
    size_t before = room;
    ck_assert(array_reserve(&bytes, &room, 345, 12000, 1));
    ck_assert(array_reserve(&bytes, &room, room, 0, 1));
    ck_assert_uint_eq(room, before);
    free(bytes);
}
END_TEST

START_TEST(test_room_for_nothing_is_no_null_pointer)
{
    uint64_t *numbers = NULL;
    size_t room = 0;
    ck_assert(array_reserve(&numbers, &room, 0, 0, sizeof *numbers));
    ck_assert_ptr_nonnull(numbers);
    free(numbers);
}
END_TEST

START_TEST(test_more_than_there_is_changes_nothing)
{
    uint64_t *numbers = NULL, *before;
    size_t room = 0;
    ck_assert(array_reserve(&numbers, &room, 0, 1, sizeof *numbers));
    before = numbers;
    size_t old_room = room;
    ck_assert(!array_reserve(&numbers, &room, 1, SIZE_MAX, sizeof *numbers));
    ck_assert(!array_reserve(&numbers, &room, 1, SIZE_MAX / sizeof *numbers, sizeof *numbers));
    ck_assert_ptr_eq(numbers, before);
    ck_assert_uint_eq(room, old_room);
    free(numbers);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("array");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_elements_stay_while_the_array_grows);
    tcase_add_test(core, test_room_for_many_is_made_at_once_and_kept);
    tcase_add_test(core, test_room_for_nothing_is_no_null_pointer);
    tcase_add_test(errors, test_more_than_there_is_changes_nothing);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
