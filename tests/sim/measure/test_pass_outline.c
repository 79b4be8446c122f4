/* test_pass_outline.c - outlines of random passes against counts clock by clock: as fine as their share allows, in any
 * order. */
#include "sim/measure/pass_outline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"

enum { CLOCKS = 5000 };

/* A cap of which a pass of four gets 1 + i * 7 steps: 8 x 110 x 4 bytes each. */
static uint64_t cap_of(int i)
{
    return UINT64_C(4) * (1 + (uint64_t)i * 7) * 8 * 110 * BOARD_STAGES;
}

struct clocks {
    bool busy[CLOCKS];
    int64_t last; /* clock in which it is busy */
};

/* Spans of a stage, told from the last to the first where `i` is odd. */
static void draw_stage(struct pass_outline *outline, struct clocks *c, int i)
{
    *c = (struct clocks){.last = -1};
    for (int64_t begin = rand() % 40, end; begin < CLOCKS; begin = end + rand() % 40) {
        end = begin + 1 + rand() % 90;
        for (int64_t clock = begin; clock < end && clock < CLOCKS; clock++)
            c->busy[c->last = clock] = true;
    }
    for (int64_t n = 0; n < CLOCKS; n++) {
        int64_t clock = i % 2 ? CLOCKS - 1 - n : n;
        if (c->busy[clock])
            ck_assert(pass_outline_add_busy(outline, BOARD_STAGE_1BD, clock, clock + 1));
    }
}

static uint32_t count_busy(const struct clocks *c, int64_t begin, int64_t end)
{
    uint32_t count = 0;
    for (int64_t clock = begin; clock < end && clock < CLOCKS; clock++)
        count += c->busy[clock];
    return count;
}

static void check_steps(const struct pass_outline *outline, const struct clocks *c)
{
    const int64_t step = INT64_C(1) << outline->grain.step;
    ck_assert_int_eq((int64_t)outline->step_count, c->last / step + 1);
    for (size_t i = 0; i < outline->step_count; i++) {
        ck_assert_uint_eq(outline->busy[i][BOARD_STAGE_1BD],
                          count_busy(c, (int64_t)i * step, ((int64_t)i + 1) * step));
        ck_assert_uint_eq(outline->busy[i][BOARD_STAGE_1A], 0);
    }
}

START_TEST(test_steps_hold_the_busy_clocks)
{
    struct pass_outline outline;
    struct clocks clocks;
    const size_t most = 1 + (size_t)_i * 7;
    srand((unsigned)_i);
    pass_outline_init(&outline, cap_of(_i), 4);
    draw_stage(&outline, &clocks, _i);
    check_steps(&outline, &clocks);
    ck_assert_uint_le(outline.step_count, most);
    if (outline.grain.step > 0) /* steps of half the length would be too many */
        ck_assert_uint_ge((uint64_t)clocks.last >> (outline.grain.step - 1), most);
    pass_outline_coarsen(&outline, (struct outline_grain){.step = 9});
    ck_assert_uint_ge(outline.grain.step, 9);
    check_steps(&outline, &clocks);
    pass_outline_destroy(&outline);
}
END_TEST

START_TEST(test_a_span_is_its_clocks)
{
    struct pass_outline outline;
    pass_outline_init(&outline, cap_of(1), 4); /* 8 steps */
    ck_assert(pass_outline_add_busy(&outline, BOARD_STAGE_2, 0, 5));
    ck_assert(pass_outline_add_busy(&outline, BOARD_STAGE_2, 7, 7));
    ck_assert(pass_outline_add_busy(&outline, BOARD_STAGE_2, 6, 31)); /* steps of 4 clocks */
    ck_assert_uint_eq(outline.grain.step, 2);
    const uint32_t expected[] = {4, 3, 4, 4, 4, 4, 4, 3};
    ck_assert_uint_eq(outline.step_count, 8);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_uint_eq(outline.busy[i][BOARD_STAGE_2], expected[i]);
    pass_outline_destroy(&outline);
}
END_TEST

/* Block k is on the bus from 10 k to 10 k + 7 ps, with k + 1 bytes. */
static void add_blocks(struct pass_outline *outline, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++)
        ck_assert(pass_outline_add_block(outline, &(struct outline_blocks){10 * k, 10 * k + 7, k + 1}));
}

START_TEST(test_blocks_are_joined)
{
    struct pass_outline outline;
    pass_outline_init(&outline, UINT64_C(3) * 5 * 16 * 360, 3); /* 5 for each pass of three */
    add_blocks(&outline, 11);
    const struct outline_blocks expected[] = {{0, 37, 10}, {40, 77, 26}, {80, 107, 30}};
    ck_assert_uint_eq(outline.grain.blocks, 2);
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
    pass_outline_init(&outline, cap_of(1), 4);
    ck_assert(pass_outline_add_busy(&outline, BOARD_STAGE_1A, 3, 100));
    add_blocks(&outline, 3);
    ck_assert(pass_outline_write(&outline, file));
    fclose(file);
    ck_assert(read_bytes(bytes, size, &read));
    ck_assert_uint_eq(read.grain.step, outline.grain.step);
    ck_assert_uint_eq(read.step_count, outline.step_count);
    ck_assert_mem_eq(read.busy, outline.busy, outline.step_count * sizeof *outline.busy);
    ck_assert_uint_eq(read.block_count, outline.block_count);
    ck_assert_mem_eq(read.blocks, outline.blocks, outline.block_count * sizeof *outline.blocks);
    pass_outline_destroy(&read);
    ck_assert(!read_bytes(bytes, size - 1, &read));
    ck_assert_ptr_null(read.busy);
    free(bytes);
    pass_outline_destroy(&outline);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass_outline");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_steps_hold_the_busy_clocks, 0, 40);
    tcase_add_test(core, test_a_span_is_its_clocks);
    tcase_add_test(core, test_blocks_are_joined);
    tcase_add_test(core, test_an_outline_comes_back_from_its_bytes);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
