/* test_scratch.c - memory that is used again: it holds what one work takes, and grows. */
#include "base/array.h"

#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/run_suite.h"

START_TEST(test_parts_of_a_work_do_not_overlap)
{
    enum { WORKS = 20, PARTS = 3 };
    struct scratch scratch = {0};
    for (size_t work = 0; work < WORKS; work++) {
        const size_t bytes = 8 * (work * 41 % WORKS * 30000); /* up to 4.5 MB, now more and now less */
        char *parts[PARTS];
        scratch_begin(&scratch, PARTS * bytes);
        for (int i = 0; i < PARTS; i++) {
            parts[i] = scratch_take(&scratch, bytes);
            ck_assert_ptr_nonnull(parts[i]);
            memset(parts[i], i + 1, bytes);
        }
        for (int i = 0; i < PARTS; i++)
            ck_assert(bytes == 0 || (parts[i][0] == i + 1 && parts[i][bytes - 1] == i + 1));
    }
    scratch_destroy(&scratch);
    ck_assert_ptr_null(scratch.memory);
}
END_TEST

START_TEST(test_memory_is_kept_for_the_next_work)
{
    struct scratch scratch = {0};
    scratch_begin(&scratch, 1000);
    char *before = scratch_take(&scratch, 1000);
    scratch_begin(&scratch, 800);
    ck_assert_ptr_eq(scratch_take(&scratch, 800), before);
    scratch_destroy(&scratch);
}
END_TEST

/* Whether one mapping of the process covers all huge pages from `memory` on of which `bytes` bytes are a part. */
static bool is_one_mapping(const char *memory, size_t bytes)
{
    const uintptr_t page = (uintptr_t)2 << 20, begin = (uintptr_t)memory,
                    end = (begin + bytes + page - 1) & -page;
    uintptr_t from, to;
    char line[512];
    bool covered = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2)
            covered = covered || (from <= begin && to >= end);
    fclose(maps);
    return covered;
}

/* The system makes no huge page of two mappings. */
START_TEST(test_children_inherit_no_part_of_a_huge_page)
{
    enum { BYTES = 1200000 }; /* with half of it again, not whole huge pages */
    struct scratch scratch = {0};
    scratch_begin(&scratch, BYTES);
    ck_assert(is_one_mapping(scratch_take(&scratch, BYTES), BYTES));
    scratch_destroy(&scratch);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scratch");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_parts_of_a_work_do_not_overlap);
    tcase_add_test(core, test_memory_is_kept_for_the_next_work);
    tcase_add_test(core, test_children_inherit_no_part_of_a_huge_page);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
