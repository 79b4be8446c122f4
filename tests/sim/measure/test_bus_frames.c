/* test_bus_frames.c - bytes on the bus frame by frame: no frame has more than it can, and nothing is lost or made. */
#include "sim/measure/frame_record.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdlib.h>

enum { FRAMES = 4 };

/* What came into frames that can have 10 bytes each, what the pass has, and what moved. */
static const struct {
    uint64_t came[FRAMES], most, moved[FRAMES], sum;
} cases[] = {
    {{3, 10, 0, 7}, 100, {3, 10, 0, 7}, 20},       /* all in its frame */
    {{15, 3, 12, 0}, 100, {10, 8, 10, 2}, 30},     /* too much for two frames */
    {{35, 0, 0, 5}, 100, {10, 10, 10, 10}, 40},    /* all of the time */
    {{0, 9, 8, 7}, 12, {0, 9, 3, 0}, 12},          /* some crosses after the end */
    {{15, 0, 0, 10}, 20, {10, 5, 0, 5}, 20},       /* moves later, and some of it after the end */
    {{1, 2, 3, 30}, 36, {6, 10, 10, 10}, 36},      /* there was time for it, but before the last frame */
    {{1, 2, 3, 30}, 20, {1, 2, 7, 10}, 20},        /* and for some only */
    {{50, 50, 50, 50}, 300, {10, 10, 10, 10}, 40}, /* more than all frames can have */
    {{0, 0, 0, 0}, 10, {0, 0, 0, 0}, 0},           {{10, 10, 10, 10}, 0, {0, 0, 0, 0}, 0},
};

START_TEST(test_frames_by_hand)
{
    struct bus_frames frames = {0};
    for (int i = 0; i < FRAMES; i++)
        bus_frames_add(&frames, &(struct bus_frame){.can = 10, .came = cases[_i].came[i]});
    ck_assert_uint_eq(bus_frames_settle(&frames, cases[_i].most), cases[_i].sum);
    for (int i = 0; i < FRAMES; i++)
        ck_assert_msg(frames.frames[i].moved == cases[_i].moved[i], "frame %d: %lu", i,
                      (unsigned long)frames.frames[i].moved);
    bus_frames_destroy(&frames);
}
END_TEST

START_TEST(test_no_frames_have_nothing)
{
    struct bus_frames none = {0};
    ck_assert_uint_eq(bus_frames_settle(&none, 7), 0);
    bus_frames_destroy(&none);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bus_frames");
    TCase *tcase = tcase_create("bus_frames");
    tcase_add_loop_test(tcase, test_frames_by_hand, 0, COUNT_OF(cases));
    tcase_add_test(tcase, test_no_frames_have_nothing);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
