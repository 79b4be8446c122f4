/* test_bus_balance.c - from which share of HSPs on, and with how many boards, the bus is full. */
#include "sim/board/bus_balance.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

#include <check.h>
#include <math.h>

/* Words of 8 bytes and 16 w-mers, records of 16 bytes: the bus carries 1064e6 x 128/136 bytes/s. The host supplies
 * 895e6 of them, 1790e6 w-mers/s; a clock of 50 MHz takes 400e6 bytes/s, 800e6 w-mers/s. The rest is for records. */
START_TEST(test_balance_of_database_and_records)
{
    struct hardware hardware = hardware_default();
    const double bus = 1064e6 * 128 / 136;
    assert_close(bus_balance_point(&hardware), (bus - 895e6) / 16 / 1790e6, 1e-12);
    hardware.fpga_clock_hz = 50e6;
    assert_close(bus_balance_point(&hardware), (bus - 400e6) / 16 / 800e6, 1e-12);
    hardware.hsp_bytes = 32;
    assert_close(bus_balance_point(&hardware), (bus - 400e6) / 32 / 800e6, 1e-12);
    hardware.pcix_bandwidth = 200e6;
    ck_assert_double_eq(bus_balance_point(&hardware), 0);
}
END_TEST

/* Four boards that keep each of two buses busy for 40% of the time: five such boards fill one. */
START_TEST(test_boards_that_fill_a_bus)
{
    struct hardware hardware = hardware_default();
    hardware.boards = 4;
    hardware.buses = 2;
    struct bus_balance b = bus_balance_find(&hardware, 30, 2000, 0.4);
    assert_close(b.boards, 5, 1e-12);
    ck_assert(b.beside);
    hardware.buses = 8; /* four of which are used: 2.5 boards fill one of these */
    ck_assert_double_eq(bus_balance_find(&hardware, 30, 2000, 0.4).boards, 2.5);
    ck_assert(!bus_balance_find(&hardware, 30, 2000, 0.4).beside);
    assert_close(b.hsps, 0.015, 1e-12);
    ck_assert(isnan(bus_balance_find(&hardware, 30, 2000, 0).boards)); /* which never used it */
}
END_TEST

START_TEST(test_what_is_said)
{
    const struct bus_balance balanced = {0.00404, 0.0057, 1.034, false}, full = {0, 0.0057, 2, true},
                             unused = {1, 0, NAN, false}, wide = {1.001, 0.0057, 28200, false};
    char line[200], text[200] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    bus_balance_write_text(&balanced, out);
    bus_balance_write_text(&unused, out);
    fclose(out);
    ck_assert_str_eq(text,
                     "  bus: full with 1.03 such boards that stream; one that nothing else holds fills\n"
                     "    it from 0.404% of w-mers on that become HSPs (here 0.57%)\n");
    ck_assert(bus_balance_say(&balanced, line, sizeof line));
    ck_assert_str_eq(line,
                     "full with 1.03 such boards that stream; one that nothing else holds fills it from "
                     "0.404% of w-mers on that become HSPs (here 0.57%)");
    ck_assert(bus_balance_say(&full, line, sizeof line));
    ck_assert_str_eq(line,
                     "full with 2 such boards that stream beside each other; the database alone fills it");
    ck_assert(bus_balance_say(&wide, line, sizeof line)); /* a share above 100% is no share */
    ck_assert_str_eq(line,
                     "full with 2.82e+04 such boards that stream; one alone cannot fill it, even if each "
                     "w-mer becomes an HSP");
    ck_assert(!bus_balance_say(&unused, line, sizeof line));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bus_balance");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_balance_of_database_and_records);
    tcase_add_test(core, test_boards_that_fill_a_bus);
    tcase_add_test(core, test_what_is_said);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
