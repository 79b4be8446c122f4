/* test_pass_outline.c - outlines of passes: as fine as their share allows, blocks joined, and back from bytes. */
#include "sim/drawing/pass_outline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"

/* A cap of which a pass of four gets this number of steps: 8 x 110 x 4 bytes each. */
static uint64_t cap_of(uint64_t steps)
{
    return 4 * steps * 8 * 110 * BOARD_STAGES;
}

START_TEST(test_passes_share_the_cap)
{
    struct pass_outline outline;
    pass_outline_init(&outline, cap_of(8), 4);
    busy_steps_add(&outline.busy, BOARD_STAGE_2, 6, 32); /* 8 steps of 4 clocks */
    ck_assert_uint_eq(pass_outline_grain(&outline).step, 2);
    busy_steps_add(&outline.busy, BOARD_STAGE_1A, 32, 33);
    ck_assert_uint_eq(pass_outline_grain(&outline).step, 3);
    pass_outline_coarsen(&outline, (struct outline_grain){.step = 2});
    ck_assert_uint_eq(pass_outline_grain(&outline).step, 3);
    pass_outline_coarsen(&outline, (struct outline_grain){.step = 5});
    ck_assert_uint_eq(pass_outline_grain(&outline).step, 5);
    ck_assert_uint_eq(busy_steps_of(&outline.busy, 0, BOARD_STAGE_2), 26);
    ck_assert_uint_eq(busy_steps_of(&outline.busy, 1, BOARD_STAGE_1A), 1);
    pass_outline_destroy(&outline);
}
END_TEST

/* Block k is on the bus from 10 k to 10 k + 7 ps, with k + 1 bytes. */
static void add_blocks(struct pass_outline *outline, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++)
        pass_outline_add_block(outline, &(struct outline_blocks){10 * k, 10 * k + 7, k + 1});
}

START_TEST(test_blocks_are_joined)
{
    struct pass_outline outline;
    pass_outline_init(&outline, UINT64_C(3) * 5 * 16 * 360, 3); /* 5 for each pass of three */
    add_blocks(&outline, 11);
    const struct outline_blocks expected[] = {{0, 37, 10}, {40, 77, 26}, {80, 107, 30}};
    ck_assert_uint_eq(pass_outline_grain(&outline).blocks, 2);
    ck_assert_uint_eq(outline.block_count, 3);
    ck_assert_mem_eq(outline.blocks, expected, sizeof expected);
    ck_assert_uint_eq(outline.blocks_added, 11);
    pass_outline_destroy(&outline);
}
END_TEST

static bool read_bytes(char *bytes, size_t count, struct pass_outline *outline)
{
    FILE *file = fmemopen(bytes, count, "r");
    bool whole = pass_outline_read(outline, file);
    fclose(file);
    return whole;
}

START_TEST(test_an_outline_comes_back_from_its_bytes)
{
    struct pass_outline outline, read;
    char *bytes;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);
    pass_outline_init(&outline, cap_of(8), 4);
    busy_steps_add(&outline.busy, BOARD_STAGE_1A, 3, 100);
    add_blocks(&outline, 3);
    ck_assert(pass_outline_write(&outline, file));
    fclose(file);
    ck_assert(read_bytes(bytes, size, &read));
    ck_assert_uint_eq(read.busy.step, outline.busy.step);
    ck_assert_uint_eq(read.busy.count, outline.busy.count);
    ck_assert_mem_eq(read.busy.busy, outline.busy.busy,
                     outline.busy.count * BOARD_STAGES * sizeof *outline.busy.busy);
    ck_assert_uint_eq(read.block_count, outline.block_count);
    ck_assert_mem_eq(read.blocks, outline.blocks, outline.block_count * sizeof *outline.blocks);
    pass_outline_destroy(&read);
    ck_assert(!read_bytes(bytes, size - 1, &read));
    ck_assert_ptr_null(read.busy.busy);
    free(bytes);
    pass_outline_destroy(&outline);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass_outline");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_passes_share_the_cap);
    tcase_add_test(core, test_blocks_are_joined);
    tcase_add_test(core, test_an_outline_comes_back_from_its_bytes);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
