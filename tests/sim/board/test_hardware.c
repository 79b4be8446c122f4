/* test_hardware.c - the machine's parameters: names, defaults, ranges, and which of them go together. */
#include "base/why.h"
#include "sim/board/hardware.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SIZE = 40 };

/* The papers' machine and this project's choices, written down a second time: name, default, both ends of the
 * range, and the nearest values outside it (of words: one, another, and two that are refused). */
static const struct {
    const char *name, *initial, *least, *most, *below, *above;
} table[] = {
    {"fpga.clock", "133e6", "1e5", "1e12", "99999.9", "1.0001e12"},
    {"pcix.bandwidth", "1064e6", "1e5", "1e15", "99999.9", "1.0001e15"},
    {"pcix.efficiency", "1", "0.01", "1", "0.00999", "1.00001"},
    {"pcix.block", "65536", "512", "67108864", "511", "67108865"},
    {"pcix.burst", "1024", "8", "67108864", "7", "67108865"},
    {"pcix.burst_clocks", "8", "0", "1000", "-1", "1001"},
    {"pcix.priority", "fair", "fair", "records", "none", "Fair"},
    {"pcix.setup_clocks", "0", "0", "1000000", "-1", "1000001"},
    {"host.supply", "895e6", "1e5", "1e15", "99999.9", "1.0001e15"},
    {"host.queue", "16", "2", "1000000", "1", "1000001"},
    {"host.cores", "8", "1", "1024", "0", "1025"},
    {"host.clock", "2.4e9", "1e5", "1e12", "99999.9", "1.0001e12"},
    {"host.build_clocks", "12", "0", "1e8", "-1", "1.0001e8"},
    {"host.build_ahead", "4", "1", "1024", "0", "1025"},
    {"boards", "1", "1", "64", "0", "65"},
    {"bus.count", "1", "1", "64", "0", "65"},
    {"hosts", "1", "1", "64", "0", "65"},
    {"distribution", "queries", "queries", "database", "records", "1"},
    {"network.bandwidth", "125e6", "1e5", "1e15", "99999.9", "1.0001e15"},
    {"network.latency", "50e-6", "0", "10", "-1e-6", "10.001"},
    {"network.result_bytes", "112", "1", "1000000", "0", "1000001"},
    {"query.segment", "65400", "11", "65535", "10", "65536"},
    {"query.overlap", "64", "10", "4096", "9", "4097"},
    {"fifo.ingress", "8", "1", "1000000", "0", "1000001"},
    {"fifo.wmer", "130", "16", "1000000", "15", "1000001"},
    {"fifo.wmer_margin", "16", "0", "1000000", "-1", "1000001"},
    {"fifo.sram", "500", "1", "1000000", "0", "1000001"},
    {"fifo.sram_margin", "40", "0", "1000000", "-1", "1000001"},
    {"fifo.stage2", "10", "1", "1000000", "0", "1000001"},
    {"fifo.stage2_margin", "5", "0", "1000000", "-1", "1000001"},
    {"fifo.egress", "512", "1", "1000000", "0", "1000001"},
    {"hsp.bytes", "16", "1", "4096", "0", "4097"},
    {"hsp.flush_clocks", "1024", "0", "1000000000", "-1", "1000000001"},
    {"sram.read_cycles", "20", "0", "100000", "-1", "100001"},
    {"sram.bytes", "4194304", "1", "1000000000000000", "0", "1000000000000001"},
    {"sram.trip_cycles", "60", "0", "100000", "-1", "100001"},
    {"sram.trips_in_flight", "1", "1", "64", "0", "65"},
    {"stage2.fetch_cycles", "5", "0", "100000", "-1", "100001"},
    {"stage2.window", "64", "11", "256", "10", "257"},
    {"stage2.threshold", "13", "-1000000", "1000000", "-1000001", "1000001"},
    {"stage2.edge_rule", "1", "0", "1", "-1", "2"},
    {"score.match", "1", "1", "100", "0", "101"},
    {"score.mismatch", "-3", "-100", "-1", "-101", "0"},
    {"score.gap_open", "5", "0", "100", "-1", "101"},
    {"score.gap_extend", "2", "0", "100", "-1", "101"},
    {"bloom.hashes", "6", "1", "16", "0", "17"},
    {"bloom.bank_bits", "131072", "1", "67108864", "0", "67108865"},
    {"bloom.copies", "8", "1", "16", "0", "17"},
    {"bloom.family", "xxh3", "xxh3", "h3", "displaced", "md5"},
    {"table.slots", "131072", "1", "16777216", "0", "16777217"},
    {"table.family", "displaced", "xxh3", "h3", "Displaced", "displace"},
    {"table.slot_bytes", "8", "8", "64", "7", "65"},
    {"table.inline_positions", "2", "1", "16", "0", "17"},
    {"table.trip_positions", "5", "1", "255", "0", "256"},
    {"table.collision", "trip", "trip", "probe", "Trip", "probes"},
    {"table.displacements", "8192", "1", "16777216", "0", "16777217"},
    {"hash.seed", "1", "0", "9007199254740992", "-1", "9007199254740994"},
    {"stage3.cycles_per_cell", "12", "0", "1e8", "-0.001", "100000000.1"},
    {"stage3.cycles_per_check", "100", "0", "1e6", "-0.001", "1000000.1"},
    {"stage3.batch", "16", "1", "1000000", "0", "1000001"},
    {"schedule.overlap", "drain", "serial", "tables", "none", "Tables"},
    {"measure.header_bytes", "32", "0", "1e9", "-1", "1000000001"},
    {"measure.value_bytes", "8", "0", "1e6", "-1", "1000001"},
    {"measure.event_bytes", "64", "0", "1000000", "-1", "1000001"},
    {"measure.agent_share", "0.27", "0", "1", "-0.001", "1.001"},
    {"clock.fpga_rate_error", "0", "-0.01", "0.01", "-0.0101", "0.0101"},
    {"clock.fpga_offset", "0", "-1e6", "1e6", "-1000000.1", "1000000.1"},
    {"clock.host_rate_error", "0", "-0.01", "0.01", "-0.0101", "0.0101"},
    {"overdrive.seeds", "0", "0", "16", "-0.001", "16.001"},
    {"overdrive.matches", "0", "0", "1000", "-0.001", "1000.1"},
    {"clock.host_offset", "0", "-1e6", "1e6", "-1000000.1", "1000000.1"},
    {"fpga.device", "none", "xc2v6000", "xcvu9p", "None", "xc2v"},
    {"energy.sram_access", "6520", "0", "1e12", "-0.001", "1.1e12"},
    {"energy.block_ram_access", "16", "0", "1e12", "-0.001", "1.1e12"},
    {"energy.bus_byte", "870", "0", "1e12", "-0.001", "1.1e12"},
    {"energy.core_cycle", "7800", "0", "1e12", "-0.001", "1.1e12"},
    {"energy.board_idle", "15", "0", "1e6", "-0.001", "1000000.1"},
    {"energy.host_idle", "0", "0", "1e6", "-0.001", "1000000.1"},
};

static size_t index_of(const char *name)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        if (strcmp(hardware_parameter_name(i), name) == 0)
            return i;
    ck_abort_msg("no parameter is called %s", name);
}

static const char *value_of(const struct hardware *hardware, const char *name)
{
    static struct shown shown;
    shown = hardware_parameter_value(hardware, index_of(name));
    return shown.text;
}

static bool is_word(const char *text)
{
    char *end;
    strtod(text, &end);
    return *end != '\0';
}

static void assert_value(const struct hardware *hardware, const char *name, const char *expected)
{
    const char *text = value_of(hardware, name);
    bool equal =
        is_word(expected) ? strcmp(text, expected) == 0 : strtod(text, NULL) == strtod(expected, NULL);
    ck_assert_msg(equal, "%s is %s instead of %s", name, text, expected);
}

static void set(struct hardware *hardware, const char *name, const char *value)
{
    struct why why = {""};
    ck_assert_msg(hardware_set(hardware, name, value, &why) == 0, "%s=%s: %s", name, value, why.line);
}

static void assert_contains(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' does not contain '%s'", text, part);
}

/* --- core ------------------------------------------------------------------------------------------------ */

START_TEST(test_every_parameter_has_its_default)
{
    struct hardware hardware = hardware_default();
    assert_value(&hardware, table[_i].name, table[_i].initial);
}
END_TEST

START_TEST(test_no_parameter_is_missing_from_this_test)
{
    ck_assert_uint_eq(hardware_parameter_count(), COUNT_OF(table));
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(hardware_parameter_name(i), hardware_parameter_name(j));
}
END_TEST

/* Names that reach the right field: a sample through the struct, of every kind of value. */
START_TEST(test_names_reach_their_fields)
{
    struct hardware h = hardware_default();
    set(&h, "fpga.clock", "1.5e8");
    set(&h, "pcix.block", "4096");
    set(&h, "fifo.sram_margin", "33");
    set(&h, "stage2.threshold", "-7");
    set(&h, "stage2.edge_rule", "0");
    set(&h, "bloom.family", "h3");
    set(&h, "table.family", "xxh3");
    set(&h, "hash.seed", "9007199254740991");
    ck_assert_double_eq(h.fpga_clock_hz, 1.5e8);
    ck_assert_uint_eq(h.pcix_block_bytes, 4096);
    ck_assert_uint_eq(h.board.sram_margin, 33);
    ck_assert_int_eq(h.pass.stage2.threshold, -7);
    ck_assert(!h.pass.stage2.edge_rule);
    ck_assert_int_eq(h.pass.bloom.family, HASH_H3);
    ck_assert_int_eq(h.pass.sram.family, HASH_XXH3);
    ck_assert_uint_eq(h.hash_seed, 9007199254740991u);
}
END_TEST

START_TEST(test_setting_one_parameter_leaves_the_others)
{
    struct hardware hardware = hardware_default();
    const char *other = strcmp(table[_i].initial, table[_i].least) ? table[_i].least : table[_i].most;
    set(&hardware, table[_i].name, other);
    for (int i = 0; i < COUNT_OF(table); i++)
        assert_value(&hardware, table[i].name, i == _i ? other : table[i].initial);
}
END_TEST

static void assert_round_trip(const char *name, const char *value)
{
    struct hardware one = hardware_default(), two = hardware_default();
    char text[VALUE_SIZE];
    set(&one, name, value);
    snprintf(text, sizeof text, "%s", value_of(&one, name));
    set(&two, name, text);
    ck_assert_mem_eq(&one, &two, sizeof one);
}

START_TEST(test_value_texts_are_taken_back)
{
    assert_round_trip(table[_i].name, table[_i].initial);
    assert_round_trip(table[_i].name, table[_i].least);
    assert_round_trip(table[_i].name, table[_i].most);
}
END_TEST

/* 1/3 needs 16 digits, 0.1 + 0.2 needs 17. */
START_TEST(test_value_texts_keep_every_digit)
{
    assert_round_trip("pcix.efficiency", "0.3333333333333333");
    assert_round_trip("stage3.cycles_per_cell", "0.30000000000000004");
    assert_round_trip("fpga.clock", "133333333.33333333");
}
END_TEST

START_TEST(test_an_assignment_sets_a_parameter)
{
    struct hardware hardware = hardware_default();
    struct why why;
    ck_assert_int_eq(hardware_set_assignment(&hardware, "fifo.wmer=64", &why), 0);
    ck_assert_uint_eq(hardware.board.wmer_seeds, 64);
}
END_TEST

START_TEST(test_bus_carries_peak_times_efficiency)
{
    struct hardware hardware = hardware_default();
    ck_assert_double_eq_tol(hardware_bus_bytes_per_s(&hardware), 1064e6 * 128 / 136, 1e-3);
    set(&hardware, "pcix.efficiency", "0.5");
    ck_assert_double_eq_tol(hardware_bus_bytes_per_s(&hardware), 532e6 * 128 / 136, 1e-3);
    set(&hardware, "pcix.burst_clocks", "0");
    ck_assert_double_eq_tol(hardware_bus_bytes_per_s(&hardware), 532e6, 1e-3);
    set(&hardware, "pcix.efficiency", "1"); /* a burst of 1,216 bytes and 8 clocks of 8 bytes carries 0.95 */
    set(&hardware, "pcix.burst_clocks", "8");
    set(&hardware, "pcix.burst", "1216");
    set(&hardware, "pcix.block", "12160");
    ck_assert_double_eq_tol(hardware_bus_bytes_per_s(&hardware), 1010.8e6, 1e-3);
    ck_assert_uint_eq(hardware_bursts(&hardware, 0), 0);
    ck_assert_uint_eq(hardware_bursts(&hardware, 1217), 2);
    ck_assert_uint_eq(hardware_link_bytes(&hardware, 1217, 2), 1345);
    set(&hardware, "pcix.setup_clocks", "10");
    ck_assert_uint_eq(hardware_link_bytes(&hardware, 1217, 2), 1425);
    ck_assert_uint_eq(hardware_link_bytes(&hardware, 0, 0), 0);
}
END_TEST

START_TEST(test_check_completes_what_follows)
{
    struct hardware hardware = hardware_default();
    struct why why;
    set(&hardware, "score.match", "2");
    set(&hardware, "score.mismatch", "-5");
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    ck_assert_int_eq(hardware.pass.stage2.match, 2);
    ck_assert_int_eq(hardware.pass.stage2.mismatch, -5);
    ck_assert_uint_ne(hardware.pass.bloom.seed, hardware.pass.sram.seed);
    uint64_t before = hardware.pass.bloom.seed;
    set(&hardware, "hash.seed", "2");
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    ck_assert_uint_ne(hardware.pass.bloom.seed, before);
}
END_TEST

/* A header and a line a parameter, each of five fields that are not empty. */
/* The default machine's hash functions: a table without w-mers moves none, so that `displaced` shows A. */
static uint32_t slot_of(const struct hardware *h, enum hash_family family, uint32_t wmer)
{
    struct sram_geometry geometry = h->pass.sram;
    geometry.family = family;
    struct sram_table *empty = sram_table_new(&geometry, NULL, 0);
    uint32_t slot;
    ck_assert_ptr_nonnull(empty);
    sram_table_find_slots(empty, &wmer, &slot, 1);
    sram_table_destroy(empty);
    return slot;
}

static uint32_t bit_of(const struct hardware *h, enum hash_family family, uint32_t wmer)
{
    struct bloom_geometry geometry = h->pass.bloom;
    struct wmer_hash hash;
    geometry.family = family;
    bloom_bank_hash(&geometry, 0, &hash);
    return wmer_hash(&hash, wmer);
}

/* The table of docs/hardware.md, "Hash functions", with which those who build the simulator again compare theirs. */
START_TEST(test_hash_values_are_those_of_the_document)
{
    static const struct {
        uint32_t key, bank_xxh3, bank_h3, table_h3, a, b;
    } rows[] = {{1, 61364, 100035, 70659, 37098, 5663},
                {2417892, 33905, 110792, 1997, 124276, 3862},
                {4194303, 42091, 69275, 85776, 91466, 2463}};
    struct hardware h = hardware_default();
    struct wmer_hash b;
    struct why why;
    ck_assert_int_eq(hardware_check(&h, &why), 0);
    wmer_hash_init(&b, HASH_XXH3, h.pass.sram.displacements, hash_derive_seed(h.pass.sram.seed, 101));
    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_uint_eq(bit_of(&h, HASH_XXH3, rows[i].key), rows[i].bank_xxh3);
        ck_assert_uint_eq(bit_of(&h, HASH_H3, rows[i].key), rows[i].bank_h3);
        ck_assert_uint_eq(slot_of(&h, HASH_H3, rows[i].key), rows[i].table_h3);
        ck_assert_uint_eq(slot_of(&h, HASH_XXH3, rows[i].key), rows[i].a);
        ck_assert_uint_eq(slot_of(&h, HASH_DISPLACED, rows[i].key), rows[i].a);
        ck_assert_uint_eq(wmer_hash(&b, rows[i].key), rows[i].b);
    }
}
END_TEST

START_TEST(test_dump_is_a_table_of_all_parameters)
{
    struct hardware hardware = hardware_default();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    hardware_dump(&hardware, out);
    fclose(out);
    char *rest = text, *line;
    int lines = 0;
    for (; (line = strsep(&rest, "\n")) && *line; lines++) {
        char *field, *name = strsep(&line, "\t");
        int fields = 1;
        for (; (field = strsep(&line, "\t")); fields++)
            ck_assert_msg(*field, "an empty field of %s", name);
        ck_assert_int_eq(fields, 5);
        if (lines > 0)
            ck_assert_str_eq(name, hardware_parameter_name((size_t)lines - 1));
    }
    ck_assert_int_eq(lines, COUNT_OF(table) + 1);
    free(text);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

START_TEST(test_both_ends_of_the_range_are_accepted)
{
    struct hardware hardware = hardware_default();
    set(&hardware, table[_i].name, table[_i].least);
    assert_value(&hardware, table[_i].name, table[_i].least);
    set(&hardware, table[_i].name, table[_i].most);
    assert_value(&hardware, table[_i].name, table[_i].most);
}
END_TEST

static void assert_refused(const char *name, const char *value)
{
    struct hardware hardware = hardware_default(), before = hardware;
    struct why why = {""};
    ck_assert_msg(hardware_set(&hardware, name, value, &why) == WHY_SAID, "%s=%s is accepted, as %s", name,
                  value, value_of(&hardware, name));
    ck_assert_mem_eq(&hardware, &before, sizeof hardware);
    assert_contains(why.line, name);
    assert_contains(why.line, value);
    ck_assert_ptr_null(strchr(why.line, '\n'));
}

START_TEST(test_just_outside_the_range_is_refused)
{
    assert_refused(table[_i].name, table[_i].below);
    assert_refused(table[_i].name, table[_i].above);
}
END_TEST

/* Both ends as a number or as the list of words. */
START_TEST(test_a_refusal_names_the_range)
{
    struct hardware hardware = hardware_default();
    struct why why = {""};
    char part[120];
    hardware_set(&hardware, table[_i].name, table[_i].above, &why);
    bool words = is_word(table[_i].least);
    double least = strtod(table[_i].least, NULL), most = strtod(table[_i].most, NULL);
    bool fraction =
        strstr(
            "fpga.clock pcix.bandwidth pcix.efficiency host.supply host.clock host.build_clocks "
            "stage3.cycles_per_cell stage3.cycles_per_check clock.fpga_offset measure.agent_share "
            "network.bandwidth network.latency clock.fpga_rate_error clock.host_offset clock.host_rate_error "
            "energy.sram_access energy.block_ram_access energy.bus_byte energy.core_cycle energy.board_idle "
            "energy.host_idle overdrive.seeds overdrive.matches",
            table[_i].name) != NULL;
    if (words)
        snprintf(part, sizeof part, "%s", table[_i].least);
    else
        snprintf(part, sizeof part, fraction ? "from %g to %g" : "from %.16g to %.16g", least, most);
    assert_contains(why.line, part);
    if (words)
        assert_contains(why.line, table[_i].most);
}
END_TEST

/* The least machine there is: every FIFO as small as the groups that enter it. */
START_TEST(test_smallest_legal_machine)
{
    static const char *const smallest[][2] = {
        {"fifo.ingress", "1"},
        {"fifo.wmer", "16"},
        {"fifo.wmer_margin", "16"},
        {"fifo.sram_margin", "0"},
        {"fifo.sram", "1"},
        {"sram.read_cycles", "1"},
        {"fifo.stage2", "1"},
        {"fifo.stage2_margin", "1"},
        {"table.trip_positions", "1"},
        {"table.inline_positions", "1"},
        {"fifo.egress", "1"},
        {"hsp.bytes", "1"},
        {"pcix.block", "512"},
        {"pcix.burst", "8"},
        {"pcix.burst_clocks", "0"},
        {"hsp.flush_clocks", "0"},
        {"stage2.window", "11"},
        {"query.overlap", "10"},
        {"query.segment", "11"},
        {"table.slots", "1"},
        {"bloom.bank_bits", "1"},
        {"bloom.hashes", "1"},
        {"table.displacements", "1"},
        {"host.cores", "1"},
        {"sram.trip_cycles", "3"},
        {"stage2.fetch_cycles", "0"},
        {"stage3.cycles_per_cell", "0"},
    };
    struct hardware hardware = hardware_default();
    struct why why = {""};
    for (int i = 0; i < COUNT_OF(smallest); i++)
        set(&hardware, smallest[i][0], smallest[i][1]);
    ck_assert_msg(hardware_check(&hardware, &why) == 0, "%s", why.line);
    set(&hardware, "sram.read_cycles", "0");
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
}
END_TEST

/* Rules of combinations: what to set, the value that is refused, one that is not, and who is named. */
static const struct {
    const char *others[3];
    const char *name, *refused, *accepted;
    const char *named[2];
} combinations[] = {
    {{NULL}, "fifo.sram", "40", "41", {"fifo.sram", "fifo.sram_margin"}},
    {{NULL}, "fifo.sram_margin", "500", "499", {"fifo.sram", "fifo.sram_margin"}},
    {{NULL}, "fifo.sram_margin", "18", "19", {"fifo.sram_margin", "sram.read_cycles"}},
    {{NULL}, "sram.read_cycles", "42", "41", {"fifo.sram_margin", "sram.read_cycles"}},
    {{NULL}, "sram.trip_cycles", "2", "3", {"sram.trip_cycles", "table.trip_positions"}},
    {{"table.trip_positions=6"}, "sram.trip_cycles", "2", "3", {"sram.trip_cycles", "table.trip_positions"}},
    {{NULL}, "fifo.wmer_margin", "131", "130", {"margin", "fifo."}},
    {{NULL}, "fifo.stage2_margin", "11", "10", {"margin", "fifo."}},
    {{"fifo.stage2_margin=0"}, "fifo.stage2", "4", "5", {"fifo.stage2", "table.trip_positions"}},
    {{"fifo.stage2_margin=0", "table.trip_positions=1"},
     "fifo.stage2",
     "1",
     "2",
     {"fifo.stage2", "table.inline_positions"}},
    {{NULL}, "table.trip_positions", "11", "10", {"fifo.stage2", "table.trip_positions"}},
    {{"table.slot_bytes=64"},
     "table.inline_positions",
     "11",
     "10",
     {"fifo.stage2", "table.inline_positions"}},
    {{NULL}, "table.inline_positions", "3", "2", {"slot_bytes = 8 holds 2 ", "slot_bytes = 16 would do"}},
    {{"table.slot_bytes=16"},
     "table.inline_positions",
     "7",
     "6",
     {"slot_bytes = 16 holds 6 ", "slot_bytes = 24 would do"}},
    {{"fifo.stage2=16", "table.inline_positions=16"},
     "table.slot_bytes",
     "32",
     "40",
     {"= 32 holds 14 ", "= 40 would do"}},
    {{NULL}, "table.slot_bytes", "12", "16", {"table.slot_bytes", "multiple of 8"}},
    {{"schedule.overlap=tables", "sram.bytes=2097152"},
     "table.slot_bytes",
     "16",
     "8",
     {"sram.bytes", "4194304"}},
    {{"schedule.overlap=tables"}, "host.build_ahead", "1", "2", {"schedule.overlap", "host.build_ahead"}},
    {{"table.collision=probe"}, "sram.read_cycles", "0", "1", {"table.collision", "sram.read_cycles"}},
    {{"table.collision=probe", "sram.read_cycles=1"},
     "table.inline_positions",
     "3",
     "2",
     {"table.collision", "table.inline_positions"}},
    {{"bloom.family=h3"}, "bloom.bank_bits", "131071", "65536", {"bloom.bank_bits", "h3"}},
    {{"bloom.family=h3"}, "bloom.bank_bits", "100000", "1", {"bloom.bank_bits", "h3"}},
    {{"table.family=h3"}, "table.slots", "131073", "262144", {"table.slots", "h3"}},
    {{"bloom.bank_bits=100000"}, "bloom.family", "h3", "xxh3", {"bloom.bank_bits", "h3"}},
    {{"table.slots=100000"}, "table.family", "h3", "displaced", {"table.slots", "h3"}},
    {{NULL}, "pcix.block", "4100", "4104", {"pcix.block", "8"}},
    {{NULL}, "pcix.block", "1025", "1024", {"pcix.block", "8"}},
    {{NULL}, "pcix.block", "1016", "1024", {"pcix.block", "pcix.burst"}},
    {{NULL}, "pcix.burst", "65544", "65536", {"pcix.block", "pcix.burst"}},
    {{NULL}, "pcix.burst", "15", "16", {"hsp.bytes", "pcix.burst"}},
    {{NULL}, "hsp.bytes", "1025", "1024", {"hsp.bytes", "pcix.burst"}},
    {{NULL}, "query.overlap", "62", "63", {"query.overlap", "stage2.window"}},
    {{NULL}, "stage2.window", "66", "65", {"query.overlap", "stage2.window"}},
    {{NULL}, "query.segment", "64", "65", {"query.segment", "query.overlap"}},
    {{"query.segment=100"}, "query.overlap", "100", "99", {"query.segment", "query.overlap"}},
};

START_TEST(test_values_that_do_not_go_together_are_refused)
{
    struct hardware hardware = hardware_default();
    struct why why = {""};
    for (int i = 0; i < 3 && combinations[_i].others[i]; i++)
        ck_assert_int_eq(hardware_set_assignment(&hardware, combinations[_i].others[i], &why), 0);
    set(&hardware, combinations[_i].name, combinations[_i].refused);
    const int status = hardware_check(&hardware, &why);
    ck_assert(status == WHY_SAID || status == HARDWARE_ESLOT);
    assert_contains(why.line, combinations[_i].named[0]);
    assert_contains(why.line, combinations[_i].named[1]);
    ck_assert_ptr_null(strchr(why.line, '\n'));
    set(&hardware, combinations[_i].name, combinations[_i].accepted);
    ck_assert_msg(hardware_check(&hardware, &why) == 0, "%s", why.line);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static const char *const nonsense[] = {"", "many", "1x", "1 ", "nan", "inf", "-inf", "1e999", "--1", "=1"};

START_TEST(test_what_is_no_number_is_refused)
{
    for (int i = 0; i < COUNT_OF(table); i++)
        assert_refused(table[i].name, nonsense[_i]);
}
END_TEST

START_TEST(test_whole_numbers_have_no_fraction)
{
    assert_refused("fifo.wmer", "64.5");
    assert_refused("stage2.threshold", "-0.5");
    assert_refused("stage2.edge_rule", "0.5");
    assert_refused("hash.seed", "1e-3");
}
END_TEST

/* 2^53 + 1 is no double: it must be refused rather than quietly become 2^53. */
START_TEST(test_a_seed_is_not_rounded)
{
    assert_refused("hash.seed", "9007199254740993");
}
END_TEST

static const char *const misspelt[][2] = {
    {"fifo.wmers", "fifo.wmer"},
    {"fifo.wmre", "fifo.wmer"},
    {"Fifo.Sram", "fifo.sram"},
    {"pcix.blok", "pcix.block"},
    {"host.core", "host.cores"},
    {"stage2.treshold", "stage2.threshold"},
    {"stage3.cycles_per_cells", "stage3.cycles_per_cell"},
    {"blom.family", "bloom.family"},
    {"fpga.clock ", "fpga.clock"},
    {"tables.slot", "table.slots"},
};

START_TEST(test_an_unknown_name_suggests_the_nearest)
{
    struct hardware hardware = hardware_default(), before = hardware;
    struct why why = {""};
    char hint[80];
    ck_assert_int_eq(hardware_set(&hardware, misspelt[_i][0], "64", &why), WHY_SAID);
    ck_assert_mem_eq(&hardware, &before, sizeof hardware);
    snprintf(hint, sizeof hint, "did you mean %s?", misspelt[_i][1]);
    assert_contains(why.line, misspelt[_i][0]);
    assert_contains(why.line, hint);
}
END_TEST

START_TEST(test_names_of_any_length_are_refused)
{
    struct hardware hardware = hardware_default();
    char name[3000];
    struct why why;
    memset(name, 'f', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(hardware_set(&hardware, name, "1", &why), WHY_SAID);
    ck_assert_int_eq(hardware_set(&hardware, "", "1", &why), WHY_SAID);
    memcpy(name, "fifo.wmer", 9);
    name[sizeof name - 3] = '=';
    ck_assert_int_eq(hardware_set_assignment(&hardware, name, &why), WHY_SAID);
}
END_TEST

static const char *const no_assignments[] = {"fifo.wmer", "=64", "=", ""};

START_TEST(test_what_is_no_assignment_is_refused)
{
    struct hardware hardware = hardware_default();
    struct why why = {""};
    ck_assert_int_eq(hardware_set_assignment(&hardware, no_assignments[_i], &why), WHY_SAID);
    assert_contains(why.line, "name=value");
}
END_TEST

START_TEST(test_an_assignment_of_nothing_is_refused)
{
    struct hardware hardware = hardware_default();
    struct why why = {""};
    ck_assert_int_eq(hardware_set_assignment(&hardware, "fifo.wmer=", &why), WHY_SAID);
    ck_assert_int_eq(hardware_set_assignment(&hardware, "fifo.wmer=64=65", &why), WHY_SAID);
    assert_contains(why.line, "fifo.wmer");
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_loop_test(tcase, test_every_parameter_has_its_default, 0, COUNT_OF(table));
    tcase_add_test(tcase, test_no_parameter_is_missing_from_this_test);
    tcase_add_test(tcase, test_names_reach_their_fields);
    tcase_add_loop_test(tcase, test_setting_one_parameter_leaves_the_others, 0, COUNT_OF(table));
    tcase_add_loop_test(tcase, test_value_texts_are_taken_back, 0, COUNT_OF(table));
    tcase_add_test(tcase, test_value_texts_keep_every_digit);
    tcase_add_test(tcase, test_an_assignment_sets_a_parameter);
    tcase_add_test(tcase, test_bus_carries_peak_times_efficiency);
    tcase_add_test(tcase, test_check_completes_what_follows);
    tcase_add_test(tcase, test_hash_values_are_those_of_the_document);
    tcase_add_test(tcase, test_dump_is_a_table_of_all_parameters);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_loop_test(tcase, test_both_ends_of_the_range_are_accepted, 0, COUNT_OF(table));
    tcase_add_loop_test(tcase, test_just_outside_the_range_is_refused, 0, COUNT_OF(table));
    tcase_add_loop_test(tcase, test_a_refusal_names_the_range, 0, COUNT_OF(table));
    tcase_add_test(tcase, test_smallest_legal_machine);
    tcase_add_loop_test(tcase, test_values_that_do_not_go_together_are_refused, 0, COUNT_OF(combinations));
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_loop_test(tcase, test_what_is_no_number_is_refused, 0, COUNT_OF(nonsense));
    tcase_add_test(tcase, test_whole_numbers_have_no_fraction);
    tcase_add_test(tcase, test_a_seed_is_not_rounded);
    tcase_add_loop_test(tcase, test_an_unknown_name_suggests_the_nearest, 0, COUNT_OF(misspelt));
    tcase_add_test(tcase, test_names_of_any_length_are_refused);
    tcase_add_loop_test(tcase, test_what_is_no_assignment_is_refused, 0, COUNT_OF(no_assignments));
    tcase_add_test(tcase, test_an_assignment_of_nothing_is_refused);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("hardware");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
