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
    run.counters[S2_MATCHES] = 6;
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
 * 2 x (3 x 16 + 16) / 4; windows 100 words of 48 bits, and 6 matches that read 2 x 192 and 5 x 48 bits. */
START_TEST(test_by_hand)
{
    struct machine_energy e = machine_energy_of(&run, &hardware, 2);
    const double counts[ENERGY_PARTS] = {32, 3200 + 10 + 548 + 32 + 332, 1072, 4800, 1e-3};
    const double joules[ENERGY_PARTS] = {32e-9, 41.22e-9, 107.2e-9, 24e-6, 15e-3};
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        assert_near(e.counts[i], counts[i]);
        assert_near(e.parts_j[i], joules[i]);
    }
    assert_near(e.total_j, 0.01502418042);
    assert_near(e.nj_per_wmer, 0.01502418042e9 / 1600);
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
    assert_near(e.counts[ENERGY_BLOCK_RAM], 3200 + 548 + 2 * 3 * 16 / 4 + 332);
}
END_TEST

/* A frame without its loading has fewer bytes of tables than its passes have filters; their SRAM is not written. */
START_TEST(test_tables_that_were_not_loaded)
{
    run.counters[PCIX_TABLE_BYTES] = 0;
    assert_near(machine_energy_of(&run, &hardware, 2).counts[ENERGY_SRAM], 12);
}
END_TEST

/* 10 lookups of 3 x 8 bytes each; 2 reads of the duplicate table, or 4 probes as wide as a slot. */
START_TEST(test_wide_slots)
{
    run.counters[S1B_TRIPS] = 4;
    hardware.pass.sram.slot_bytes = 24;
    assert_near(machine_energy_of(&run, &hardware, 2).counts[ENERGY_SRAM], 30 + 2 + 20);
    hardware.pass.sram.collision = COLLISION_PROBE;
    assert_near(machine_energy_of(&run, &hardware, 2).counts[ENERGY_SRAM], 30 + 12 + 20);
}
END_TEST

START_TEST(test_json)
{
    struct machine_energy e = machine_energy_of(&run, &hardware, 2);
    static const char *const names[] = {"sram_j",      "block_ram_j",   "bus_j",     "cores_j",
                                        "idle_j",      "sram_accesses", "bus_bytes", "block_ram_accesses",
                                        "core_cycles", "total_j"};
    const double expected[] = {32e-9, 41.22e-9, 107.2e-9, 24e-6, 15e-3, 32, 1072, 4122, 4800, 0.01502418042};
    json_t *json = machine_energy_json(&e);
    for (int i = 0; i < COUNT_OF(names); i++)
        ck_assert_msg(fabs(json_number_value(json_object_get(json, names[i])) / expected[i] - 1) < 1e-9, "%s",
                      names[i]);
    ck_assert_str_eq(json_string_value(json_object_get(json, "largest")), "idle");
    ck_assert_uint_eq(json_object_size(json), COUNT_OF(names) + 2); /* nj_per_wmer */
    json_decref(json);
}
END_TEST

/* 24 uJ of the cores are 0.16% of 15.02 mJ, and 15 nJ for each of 1600 w-mers. */
START_TEST(test_text)
{
    struct machine_energy e = machine_energy_of(&run, &hardware, 2);
    char text[1000] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    machine_energy_write_text(&e, out);
    fclose(out);
    ck_assert_ptr_nonnull(
        strstr(text, "\n  host's cores     2.4e-05           15     0.2%           4800 clocks\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "\n  all              0.01502         9390\n  the largest part is that of idling\n"));
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
    tcase_add_test(tcase, test_tables_that_were_not_loaded);
    tcase_add_test(tcase, test_wide_slots);
    tcase_add_test(tcase, test_json);
    tcase_add_test(tcase, test_text);
    tcase_add_test(tcase, test_nothing_costs_nothing);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
