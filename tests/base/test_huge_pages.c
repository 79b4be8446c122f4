/* test_huge_pages.c - zeroed memory in whole pages, of any size, again and again. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

START_TEST(test_more_than_there_is)
{
    ck_assert_ptr_null(huge_pages_new(SIZE_MAX));
    ck_assert_ptr_null(huge_pages_new(SIZE_MAX - 4 * (size_t)PAGE));
    ck_assert_ptr_null(huge_pages_new(SIZE_MAX / 2));
    huge_pages_destroy(NULL, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("huge_pages");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_loop_test(core, test_memory_is_aligned_zeroed_and_nobody_elses, 0,
                        (int)(sizeof sizes / sizeof *sizes));
    tcase_add_test(errors, test_more_than_there_is);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
