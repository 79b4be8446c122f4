/* test_board_costs.c - bits, block RAMs and SRAM chips of a board, counted by hand. */
#include "sim/board/board_costs.h"

#include <check.h>

#include "tests/run_suite.h"

static struct hardware make(const char *const *settings)
{
    struct hardware h = hardware_default();
    struct why why;
    for (; *settings; settings++)
        ck_assert_msg(hardware_set_assignment(&h, *settings, &why) == 0, "%s", why.line);
    return h;
}

#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

/* Windows of 64 bases touch 5 words: 5 banks of 444 x 48 bits, since 630 / 0.2848 + 5 are 2,218 words, are 10 blocks of
 * 512 x 36, and 1,022 x 192 bits 11 of 1024 x 18; of 36 Kb 5 of 512 x 72 and 6 of 1024 x 36. */
enum { WINDOWS = 21, WINDOWS_36 = 11 };

/* Two bursts of 1,024 bytes, 256 x 64 bits: 2 of 512 x 36, or 1 of 512 x 72. */
enum { BURSTS = 2, BURSTS_36 = 1 };

/* FIFOs: 8 x 64 + 130 x 54 + 500 x 96 + 10 x 48 + 512 x 128 bits.
 * 18 Kb: filter 8 blocks of 16K x 1 x 6 banks x 8 copies = 384; displacements 8192 x 32 = 16; w-mer FIFO 2, SRAM FIFO
 * 3 and egress FIFO 4 of 512 x 36; the other two FIFOs have fewer than 64 places.
 * 36 Kb: 4 x 48 = 192; 8; 1, 2 and 2 of 512 x 72. */
START_TEST(test_default_machine_by_hand)
{
    struct hardware h = MAKE("fpga.device=none");
    struct board_costs c = board_costs_of(&h);
    ck_assert_uint_eq(c.bloom_bits, 6 * 131072);
    ck_assert_uint_eq(c.displacement_bits, 8192 * 32);
    ck_assert_uint_eq(c.fifo_bits, 512 + 7020 + 48000 + 480 + 65536 + 16384);
    ck_assert_uint_eq(c.window_bits, 3 * 65400 + 2218 * 48);
    ck_assert_uint_eq(c.ramb18, 384 + 16 + 2 + 3 + 4 + BURSTS + WINDOWS);
    ck_assert_uint_eq(c.ramb36, 192 + 8 + 1 + 2 + 2 + BURSTS_36 + WINDOWS_36);
}
END_TEST

/* A window of 11 bases touches 2 words: 16 + 41 seeds are 201 words, 102 in each bank, and 65,400 bases 5,946 rows of
 * 33 bits. 300 + 500 seeds are 2,809 words, 563 in each of 5 banks, which 1024 x 18 hold: 3 blocks instead of 2, and
 * the w-mer FIFO has as many as before. Segments of 4,096 bases are in logic. */
START_TEST(test_windows)
{
    struct hardware least = MAKE("stage2.window=11", "fifo.wmer=16", "fifo.sram=41"),
                    usual = MAKE("fifo.wmer=130"), deep = MAKE("fifo.wmer=300"),
                    small = MAKE("query.segment=4096");
    ck_assert_uint_eq(board_costs_of(&least).window_bits, 3 * 65400 + 203 * 48);
    ck_assert_uint_eq(board_costs_of(&least).ramb18, 384 + 16 + 4 + BURSTS + 12 + 2 * 2);
    ck_assert_uint_eq(board_costs_of(&deep).ramb18 - board_costs_of(&usual).ramb18, 5);
    ck_assert_uint_eq(board_costs_of(&usual).ramb18 - board_costs_of(&small).ramb18, 11);
}
END_TEST

/* Filters that are beside FIFOs, windows and displacements, in blocks of 18 Kb of a device with 144. */
static const struct {
    const char *bank, *copies, *family;
    uint64_t ramb18;
    bool fits_xc2v6000;
} filters[] = {
    {"bloom.bank_bits=16384", "bloom.copies=1", "table.family=xxh3", 6 + 9 + BURSTS + WINDOWS, true},
    {"bloom.bank_bits=16385", "bloom.copies=1", "table.family=xxh3", 12 + 9 + BURSTS + WINDOWS, true},
    {"bloom.bank_bits=65536", "bloom.copies=4", "table.family=displaced", 96 + 16 + 9 + BURSTS + WINDOWS,
     true}, /* 144 */
    {"bloom.bank_bits=65536", "bloom.copies=5", "table.family=xxh3", 120 + 9 + BURSTS + WINDOWS,
     false}, /* 152 */
};

START_TEST(test_filters)
{
    struct hardware h =
        MAKE(filters[_i].bank, filters[_i].copies, filters[_i].family, "fpga.device=xc2v6000");
    ck_assert_uint_eq(board_costs_of(&h).ramb18, filters[_i].ramb18);
    ck_assert_int_eq(board_costs_fit(&h, 0), filters[_i].fits_xc2v6000);
    h.fpga_device = FPGA_NONE;
    ck_assert(board_costs_fit(&h, 0));
}
END_TEST

/* 64 places are logic, 65 a block for 36 bits; 6903 x 128 bits are 14 x 4 blocks of 512 x 36. */
START_TEST(test_depths_of_fifos)
{
    struct hardware few = MAKE("fifo.wmer=64"), many = MAKE("fifo.wmer=65"), deep = MAKE("fifo.egress=6903");
    uint64_t without = board_costs_of(&few).ramb18;
    ck_assert_uint_eq(board_costs_of(&many).ramb18, without + 2);
    ck_assert_uint_eq(board_costs_of(&deep).ramb18, without + 2 - 4 + 56);
    ck_assert_uint_eq(board_costs_fifo_blocks(FIFO_WMER, &few), 0);
    ck_assert_uint_eq(board_costs_fifo_blocks(FIFO_WMER, &many), 2);
    ck_assert_uint_eq(board_costs_fifo_blocks(FIFO_EGRESS, &deep), 56);
    ck_assert_uint_eq(board_costs_of(&many).fifo_bits - board_costs_of(&few).fifo_bits, 54);
}
END_TEST

/* Egress FIFOs whose least blocks are of one shape: 8 bits per byte of a record, divided by the shape's width and
 * rounded up, times places by its depth. 64 places are none. */
static const struct {
    const char *record, *places;
    uint64_t ramb18, ramb36;
} shapes[] = {
    {"hsp.bytes=9", "fifo.egress=512", 2, 1},    /* 512 x 36; 512 x 72 */
    {"hsp.bytes=13", "fifo.egress=1024", 6, 3},  /* 1024 x 36 */
    {"hsp.bytes=11", "fifo.egress=1024", 5, 3},  /* 1024 x 18 */
    {"hsp.bytes=11", "fifo.egress=2048", 10, 5}, /* 2048 x 18 */
    {"hsp.bytes=10", "fifo.egress=2048", 9, 5},  /* 2048 x 9 */
    {"hsp.bytes=10", "fifo.egress=4096", 18, 9}, /* 4096 x 9 */
};

START_TEST(test_shapes_of_blocks)
{
    struct hardware h = MAKE(shapes[_i].record, shapes[_i].places),
                    without = MAKE(shapes[_i].record, "fifo.egress=64");
    ck_assert_uint_eq(board_costs_of(&h).ramb18 - board_costs_of(&without).ramb18, shapes[_i].ramb18);
    ck_assert_uint_eq(board_costs_of(&h).ramb36 - board_costs_of(&without).ramb36, shapes[_i].ramb36);
}
END_TEST

/* 7 banks of 16 blocks beside 9 of FIFOs, 2 of bursts and 21 of windows. */
START_TEST(test_all_blocks_of_a_device_can_be_used)
{
    struct hardware h = MAKE("bloom.copies=1", "bloom.hashes=7", "bloom.bank_bits=262144",
                             "table.family=xxh3", "fpga.device=xc2v6000");
    ck_assert_uint_eq(board_costs_of(&h).ramb18, 144);
    ck_assert(board_costs_fit(&h, 0));
}
END_TEST

/* Two chips hold 131,072 slots; the tables of the next pass beside them need as much again. */
START_TEST(test_sram)
{
    struct hardware one = MAKE("sram.bytes=1048576", "fpga.device=xcvu9p"),
                    waits = MAKE("schedule.overlap=serial", "sram.bytes=1048576", "fpga.device=xcvu9p"),
                    two = MAKE("schedule.overlap=tables", "sram.bytes=2097152", "fpga.device=xcvu9p");
    const uint64_t full = UINT64_C(131072) * 64;
    ck_assert_uint_eq(board_costs_sram_chips(&one, full), 2);
    ck_assert_uint_eq(board_costs_sram_chips(&one, full + 64), 4);
    ck_assert_uint_eq(board_costs_sram_chips(&two, full), 4);
    ck_assert(board_costs_fit(&one, full) && !board_costs_fit(&one, full + 64));
    ck_assert(board_costs_fit(&waits, full) && !board_costs_fit(&waits, full + 64));
    ck_assert(board_costs_fit(&two, full) && !board_costs_fit(&two, full + 64));
}
END_TEST

/* A chip has one port: banks, and with several trips under way slots and lists, are in different chips, however few. */
START_TEST(test_ports_of_sram)
{
    struct hardware one = MAKE("table.slots=4096"),
                    banks = MAKE("table.slots=4096", "schedule.overlap=tables"),
                    trips = MAKE("table.slots=4096", "sram.trips_in_flight=8"),
                    both = MAKE("table.slots=4096", "schedule.overlap=tables", "sram.trips_in_flight=8");
    const uint64_t slots = UINT64_C(4096) * 64, lists = 640;
    ck_assert_uint_eq(board_costs_sram_chips(&one, slots + lists), 2);
    ck_assert_uint_eq(board_costs_sram_chips(&banks, slots + lists), 4);
    ck_assert_uint_eq(board_costs_sram_chips(&trips, slots + lists), 4);
    ck_assert_uint_eq(board_costs_sram_chips(&trips, slots), 2);
    ck_assert_uint_eq(board_costs_sram_chips(&both, slots + lists), 8);
}
END_TEST

/* Slots of 24 bytes: six chips beside each other hold 131,072 of them; 500 x 224 bits of the SRAM FIFO are 7 blocks of
 * 512 x 36 instead of 3, or 4 of 512 x 72 instead of 2. */
START_TEST(test_wide_slots)
{
    struct hardware usual = MAKE("fpga.device=none"), wide = MAKE("table.slot_bytes=24");
    struct board_costs a = board_costs_of(&usual), b = board_costs_of(&wide);
    const uint64_t full = UINT64_C(131072) * 192;
    ck_assert_uint_eq(board_costs_sram_chips(&wide, full), 6);
    ck_assert_uint_eq(board_costs_sram_chips(&wide, full + 8), 12);
    ck_assert_uint_eq(b.ramb18 - a.ramb18, 7 - 3);
    ck_assert_uint_eq(b.ramb36 - a.ramb36, 4 - 2);
    ck_assert_uint_eq(b.fifo_bits - a.fifo_bits, 500 * 128);
}
END_TEST

/* The filter, 6 x 131,072 bits, and displacements of 32 bits cross the bus, too, but stay in the FPGA. */
START_TEST(test_tables_in_sram)
{
    const struct hardware displaced = MAKE("fpga.device=none"), h3 = MAKE("table.family=h3");
    const double filter = 6 * 131072 / 8;
    ck_assert_uint_eq(board_costs_sram_bits(&h3, filter + 1000), 8000);
    ck_assert_uint_eq(
        board_costs_sram_bits(&displaced, filter + 1000 + 4.0 * displaced.pass.sram.displacements), 8000);
    ck_assert_uint_eq(board_costs_sram_bits(&h3, 0), 0); /* no pass */
}
END_TEST

/* 6 banks of 131,072 bits, 8 blocks each, 4 or 8 times: 192 or 384; 46 for displacements, FIFOs and windows. */
START_TEST(test_what_is_missing_is_said)
{
    struct hardware h = MAKE("fpga.device=xc4vlx100");
    char text[BOARD_MISFIT_BYTES];
    ck_assert_str_eq(board_costs_misfit(&h, 0, text),
                     "xc4vlx100 has 240 block RAMs of 18 Kb, 432 are needed");
    ck_assert_ptr_nonnull(strstr(board_costs_remedy(&h), "bloom.copies"));
    h.bloom_copies = 4;
    ck_assert_uint_eq(board_costs_of(&h).ramb18, 240);
    ck_assert_str_eq(board_costs_misfit(&h, 8 * h.sram_bytes, text), "");
    ck_assert_str_eq(board_costs_misfit(&h, 8 * h.sram_bytes + 8, text),
                     "the SRAM has 4194304 bytes (sram.bytes), 4194305 are needed");
    ck_assert_str_eq(board_costs_remedy(&h),
                     "vary smaller tables (table.slots, table.slot_bytes), or set more sram.bytes");
}
END_TEST

/* A block of 36 Kb is two of 18 Kb; blocks rise within a family. */
START_TEST(test_devices)
{
    for (unsigned i = FPGA_NONE + 1; i < FPGA_DEVICES; i++) {
        const struct fpga_device_row *d = &fpga_devices[i];
        ck_assert(fpga_device_names[i] && d->family && d->source && d->ramb18 > 0);
        ck_assert(d->luts > 0 && d->flip_flops >= d->luts && d->multipliers > 0);
        ck_assert(d->ramb36 == 0 || d->ramb18 == 2 * d->ramb36);
        ck_assert(d->ramb18 > fpga_devices[i - 1].ramb18);
    }
}
END_TEST

/* The data sheets give the bits of all blocks, too [Kb]; the whole is 75.9 Mb of the UltraScale+. */
START_TEST(test_devices_by_their_bits)
{
    static const struct {
        const char *setting;
        enum fpga_device device;
        uint32_t kb;
    } sheets[] = {
        {"fpga.device=xc2v6000", FPGA_XC2V6000, 2592},    {"fpga.device=xc2v8000", FPGA_XC2V8000, 3024},
        {"fpga.device=xc4vlx100", FPGA_XC4VLX100, 4320},  {"fpga.device=xc4vlx200", FPGA_XC4VLX200, 6048},
        {"fpga.device=xc7vx690t", FPGA_XC7VX690T, 52920}, {"fpga.device=xcvu9p", FPGA_XCVU9P, 77760},
    };
    for (int i = 0; i < COUNT_OF(sheets); i++) {
        struct hardware h = MAKE(sheets[i].setting);
        ck_assert_int_eq(h.fpga_device, sheets[i].device);
        ck_assert_uint_eq(18 * fpga_devices[h.fpga_device].ramb18, sheets[i].kb);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board_costs");
    TCase *tcase = tcase_create("board_costs");
    tcase_add_test(tcase, test_default_machine_by_hand);
    tcase_add_loop_test(tcase, test_filters, 0, COUNT_OF(filters));
    tcase_add_test(tcase, test_depths_of_fifos);
    tcase_add_loop_test(tcase, test_shapes_of_blocks, 0, COUNT_OF(shapes));
    tcase_add_test(tcase, test_all_blocks_of_a_device_can_be_used);
    tcase_add_test(tcase, test_sram);
    tcase_add_test(tcase, test_ports_of_sram);
    tcase_add_test(tcase, test_wide_slots);
    tcase_add_test(tcase, test_windows);
    tcase_add_test(tcase, test_tables_in_sram);
    tcase_add_test(tcase, test_what_is_missing_is_said);
    tcase_add_test(tcase, test_devices);
    tcase_add_test(tcase, test_devices_by_their_bits);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
