/* test_board_clocks.c - clocks of many times by each form against board_clock_after() of each. */
#include "sim/board/board_clocks.h"

#include <check.h>
#include <math.h>

#include "sim/board/board.h"
#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { TIMES = 64, CASES = 4000 };

/* Near a clock, near the middle between two ticks, or anywhere; also before clock 0, and so far that doubles have no
 * part of a tick. */
static double random_clocks(struct dice *dice)
{
    static const double offsets[] = {0, 0.5 / BOARD_TICKS_PER_CLOCK, 1.0 / BOARD_TICKS_PER_CLOCK, 0.25,
                                     0.999999};
    double clocks = (double)dice_below(dice, UINT64_C(1) << dice_below(dice, 63));
    clocks += offsets[dice_below(dice, COUNT_OF(offsets))];
    if (dice_chance(dice, 50))
        clocks = nextafter(clocks, dice_chance(dice, 50) ? INFINITY : 0);
    return dice_chance(dice, 10) ? -clocks : clocks;
}

START_TEST(test_each_form_against_one_by_one)
{
    struct dice dice = {(uint64_t)_i};
    if ((enum cpu_level)_i > cpu_best_level())
        return;
    for (int n = 0; n < TESTS_SOME(CASES); n++) {
        const double clock_hz = n % 2 == 0 ? 1 : 133e6;
        const size_t count = dice_below(&dice, TIMES + 1);
        double times_s[TIMES];
        int64_t clocks[TIMES];
        for (size_t i = 0; i < count; i++)
            times_s[i] = random_clocks(&dice) / clock_hz;
        board_clocks_after_at((enum cpu_level)_i, times_s, count, clock_hz, clocks);
        for (size_t i = 0; i < count; i++)
            ck_assert_int_eq(clocks[i], board_clock_after(times_s[i] * clock_hz));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board_clocks");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_each_form_against_one_by_one, CPU_PORTABLE, CPU_LEVELS);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
