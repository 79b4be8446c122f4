/* test_machine_energy.c - joules of a run by hand, and that its parts are the whole. */
#include "sim/measure/machine_energy.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"

static struct hardware hardware;
static struct frame run;

/* Two passes of a small machine. Per pass: filter 2 x 64 bits = 16 bytes, displacements 4 x 4 = 16, tables 80 bytes. */
static void begin(void)
{
    static const char *const settings[] = {"bloom.hashes=2",
                                           "bloom.bank_bits=64",
                                           "bloom.copies=3",
                                           "table.displacements=4",
                                           "hsp.bytes=16",
                                           "boards=2",
                                           "hosts=3",
                                           "host.clock=2.4e9",
                                           "energy.sram_access=1000",
                                           "energy.block_ram_access=10",
                                           "energy.bus_byte=100",
                                           "energy.core_cycle=5000",
                                           "energy.board_idle=2",
                                           "energy.host_idle=1"};
    struct why why;
    hardware = hardware_default();
    for (int i = 0; i < COUNT_OF(settings); i++)
        ck_assert_msg(hardware_set_assignment(&hardware, settings[i], &why) == 0, "%s", why.line);
    memset(&run, 0, sizeof run);
    run.duration_s = 1e-3;
    run.counters[S1A_WORDS] = 100;
    run.counters[S1A_WMERS] = 1600;
    run.counters[S1B_SEEDS] = 10;
    run.counters[S1B_SRAM_READS] = 12;
    run.counters[PCIX_TABLE_BYTES] = 2 * (16 + 16 + 80);
    run.counters[PCIX_DATABASE_BYTES] = 800;
    run.counters[PCIX_RECORD_BYTES] = 48;
    run.counters[S3_CORE_BUSY] = 2000000; /* ps */
    const uint64_t elements[BOARD_FIFOS] = {100, 10, 10, 6, 3};
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        run.queues[i].elements = elements[i];
}

static void end(void)
{
}

static void assert_near(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-12 * fabs(expected), "%.17g instead of %.17g", value,
                  expected);
}

/* SRAM: 12 reads, 2 x 80 / 8 writes. Bus: 224 + 800 + 48 bytes. Cores: 2 us at 2.4 GHz. Idle: 3 x (1 + 2 x 2) W x 1 ms.
 * Block RAM: 100 x 16 x 2 lookups, 10 displacements; FIFOs 2 x (2 x 100 + 2 x 10 + 3 x 10 + 2 x 6 + 4 x 3); loading
 * 2 x (3 x 16 + 16) / 4. */
START_TEST(test_by_hand)
{
    struct machine_energy e = machine_energy_of(&run, &hardware, 2);
    const double counts[ENERGY_PARTS] = {32, 3200 + 10 + 548 + 32, 1072, 4800, 1e-3};
    const double joules[ENERGY_PARTS] = {32e-9, 37.9e-9, 107.2e-9, 24e-6, 15e-3};
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        assert_near(e.counts[i], counts[i]);
        assert_near(e.parts_j[i], joules[i]);
    }
    assert_near(e.total_j, 0.0150241771);
    assert_near(e.nj_per_wmer, 0.0150241771e9 / 1600);
    ck_assert_int_eq(e.largest, ENERGY_IDLE);
}
END_TEST

/* With one price above 0 the whole is that part; with all of them it is their sum. */
START_TEST(test_parts_are_the_whole)
{
    struct machine_energy all = machine_energy_of(&run, &hardware, 2);
    const struct energy_costs prices = hardware.energy;
    double sum = 0;
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        hardware.energy = (struct energy_costs){i == ENERGY_SRAM ? prices.sram_access_pj : 0,
                                                i == ENERGY_BLOCK_RAM ? prices.block_ram_access_pj : 0,
                                                i == ENERGY_BUS ? prices.bus_byte_pj : 0,
                                                i == ENERGY_CORES ? prices.core_cycle_pj : 0,
                                                i == ENERGY_IDLE ? prices.board_idle_w : 0,
                                                i == ENERGY_IDLE ? prices.host_idle_w : 0};
        struct machine_energy one = machine_energy_of(&run, &hardware, 2);
        ck_assert_int_eq(one.largest, i);
        assert_near(one.total_j, all.parts_j[i]);
        sum += one.total_j;
    }
    assert_near(sum, all.total_j);
}
END_TEST

/* Without displacements a seed reads none, and what was loaded beyond the filter is SRAM's. */
START_TEST(test_no_displacements)
{
    hardware.pass.sram.family = HASH_XXH3;
    struct machine_energy e = machine_energy_of(&run, &hardware, 2);
    assert_near(e.counts[ENERGY_SRAM], 12 + 2 * (80 + 16) / 8);
    assert_near(e.counts[ENERGY_BLOCK_RAM], 3200 + 548 + 2 * 3 * 16 / 4);
}
END_TEST

START_TEST(test_nothing_costs_nothing)
{
    memset(&run, 0, sizeof run);
    struct machine_energy e = machine_energy_of(&run, &hardware, 0);
    ck_assert(e.total_j >= 0 && e.total_j <= 0);
    ck_assert(isnan(e.nj_per_wmer));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("machine_energy");
    TCase *tcase = tcase_create("machine_energy");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, test_by_hand);
    tcase_add_test(tcase, test_parts_are_the_whole);
    tcase_add_test(tcase, test_no_displacements);
    tcase_add_test(tcase, test_nothing_costs_nothing);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
