/* test_sweep_plan.c - ranges give the values they say, plans the points: each once, in order, under a name of its own.
 */
#include "base/why.h"
#include "app/sweep/point/sweep_plan.h"
#include "tests/app/sweep/point/sweep_fixture.h"
#include "tests/run_suite.h"

#include <stdbool.h>
#include <string.h>

/* --- ranges ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *values;
} ranges[] = {
    {"table.slots=2^14..2^17", "16384 32768 65536 131072"},
    {"table.slots=10^3..10^5", "1000 10000 100000"},
    {"fifo.wmer=16..19", "16 17 18 19"},
    {"fifo.wmer=32..130+32", "32 64 96 128"},
    {"fifo.wmer=20..170*3", "20 60"},
    {"fifo.wmer=64,32,130", "64 32 130"},
    {"fifo.wmer=64,2^6,64.0,6.4e1", "64"},
    {"fifo.wmer=2^5..2^6,100,30..31", "32 64 100 30 31"},
    {"table.family=xxh3,displaced", "xxh3 displaced"},
    {"host.supply=100e6..800e6*2", "100000000 200000000 400000000 800000000"},
    {"pcix.efficiency=0.5..0.7+0.1", "0.5 0.6 0.7"},
    {"score.mismatch=-4..-2", "-4 -3 -2"},
    {"fifo.wmer=2^6..2^6", "64"},
};

START_TEST(test_a_range_is_its_values)
{
    struct sweep_axis axis;
    struct why why = {""};
    char joined[512] = "";
    ck_assert_msg(sweep_axis_parse(ranges[_i].text, &axis, &why) == 0, "%s", why.line);
    for (size_t i = 0; i < axis.count; i++) {
        strcat(joined, i > 0 ? " " : "");
        strcat(joined, axis.values[i]);
    }
    ck_assert_str_eq(joined, ranges[_i].values);
    sweep_axis_destroy(&axis);
}
END_TEST

static const char *const nonsense[] = {
    "fifo.wmer",
    "=3",
    "fifo.wmer=",
    "fifo.wmer=,",
    "fifo.wmer=32,",
    "fifo.wmer=..",
    "fifo.wmer=32..",
    "fifo.wmer=..64",
    "fifo.wmer=64..32",
    "fifo.wmer=2^6..2^5",
    "fifo.wmer=2^5..64",
    "fifo.wmer=2^5..3^5",
    "fifo.wmer=2^5.5..64",
    "fifo.wmer=1^1..1^9",
    "fifo.wmer=32..64+0",
    "fifo.wmer=32..64+-1",
    "fifo.wmer=32..64*1",
    "fifo.wmer=32..64*0.5",
    "fifo.wmer=32..64+nan",
    "fifo.wmer=32..inf",
    "fifo.wmer=32..64x",
    "fifo.wmer=32..1000000",
    "fifo.wmer=32.5",
    "fifo.wmer=15",
    "fifo.wmer=32,x",
    "fifo.nothing=3",
    "table.family=md5",
    "table.family=a..b",
    "sram.read_cycles=0..64*2",
};

START_TEST(test_what_is_no_range_is_refused)
{
    struct sweep_axis axis;
    struct why why = {""};
    ck_assert_int_lt(sweep_axis_parse(nonsense[_i], &axis, &why), 0);
    ck_assert_ptr_null(strchr(why.line, '\n'));
    ck_assert_uint_gt(strlen(why.line), 20);
}
END_TEST

/* --- grids ----------------------------------------------------------------------------------------------- */

START_TEST(test_a_grid_has_every_combination_once_in_order)
{
    struct sweep_fixture f;
    fixture_begin(&f);
    fixture_vary(&f, "table.slots=2^10,2^12");
    fixture_vary(&f, "fifo.wmer=32,64,130");
    fixture_plan(&f);
    static const uint32_t wmer[] = {32, 64, 130};
    ck_assert_uint_eq(f.plan.point_count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(f.plan.points[i].hardware.pass.sram.slots, i < 3 ? 1024 : 4096);
        ck_assert_uint_eq(f.plan.points[i].hardware.board.wmer_seeds, wmer[i % 3]);
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(f.plan.points[i].identity, f.plan.points[j].identity);
    }
    fixture_end(&f);
}
END_TEST

/* Tables are a structure; FIFOs are not; thresholds of stage 2 change the search. Two strands are two passes. */
START_TEST(test_points_share_what_they_have_in_common)
{
    struct sweep_fixture f;
    fixture_begin(&f);
    fixture_vary(&f, "stage2.threshold=14,16,18");
    fixture_vary(&f, "bloom.hashes=4,6");
    fixture_vary(&f, "table.slots=2^10,2^12");
    fixture_vary(&f, "fifo.wmer=16..20");
    fixture_plan(&f);
    ck_assert_uint_eq(f.plan.point_count, 60);
    ck_assert_uint_eq(f.plan.search_count, 3);
    ck_assert_uint_eq(f.plan.structure_count, 12);
    ck_assert_uint_eq(f.plan.structure_passes, 24);
    for (size_t i = 0; i < 12; i++)
        ck_assert_uint_eq(f.plan.structures[i].point_count, 5);
    fixture_end(&f);
}
END_TEST

START_TEST(test_without_axes_there_is_one_point)
{
    struct sweep_fixture f;
    fixture_begin(&f);
    fixture_plan(&f);
    ck_assert_uint_eq(f.plan.point_count, 1);
    fixture_end(&f);
}
END_TEST

START_TEST(test_a_point_that_makes_no_sense_is_named)
{
    struct sweep_fixture f;
    struct why why = {""};
    fixture_begin(&f);
    fixture_vary(&f, "fifo.wmer=32,64");
    fixture_vary(&f, "fifo.sram=100,40");
    ck_assert_int_eq(sweep_plan_make(&f.request, &f.plan, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "fifo.wmer=32 fifo.sram=40"));
    fixture_end(&f);
}
END_TEST

/* --- identity -------------------------------------------------------------------------------------------- */

static void identity_of(struct sweep_fixture *f, char identity[SWEEP_IDENTITY_TEXT])
{
    sweep_plan_destroy(&f->plan);
    fixture_plan(f);
    strcpy(identity, f->plan.points[0].identity);
}

START_TEST(test_an_identity_depends_on_all_that_can_change_a_result)
{
    struct sweep_fixture f;
    char names[8][SWEEP_IDENTITY_TEXT];
    struct why why;
    unsigned count = 0;
    fixture_begin(&f);
    identity_of(&f, names[count++]);
    f.request.e_value = 1e-4;
    identity_of(&f, names[count++]);
    f.request.strands = STRANDS_PLUS;
    identity_of(&f, names[count++]);
    f.request.platform_digest = 1;
    identity_of(&f, names[count++]);
    ck_assert_int_eq(hardware_set(&f.request.hardware, "host.clock", "2e9", &why), 0);
    identity_of(&f, names[count++]);
    f.query.digest++;
    identity_of(&f, names[count++]);
    f.database.digest++;
    identity_of(&f, names[count++]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(names[i], names[j]);
    fixture_end(&f);
}
END_TEST

START_TEST(test_an_identity_does_not_depend_on_how_it_was_asked_for)
{
    struct sweep_fixture f, g;
    struct why why;
    fixture_begin(&f);
    fixture_vary(&f, "fifo.wmer=2^5");
    fixture_plan(&f);
    fixture_begin(&g);
    g.input.query_path = "elsewhere/q.fa.gz";
    ck_assert_int_eq(hardware_set(&g.request.hardware, "fifo.wmer", "32.0", &why), 0);
    fixture_plan(&g);
    ck_assert_str_eq(f.plan.points[0].identity, g.plan.points[0].identity);
    fixture_end(&f);
    fixture_end(&g);
}
END_TEST

START_TEST(test_a_machine_added_twice_is_one_point)
{
    struct sweep_fixture f;
    struct why why;
    size_t point = 9;
    fixture_begin(&f);
    fixture_vary(&f, "fifo.wmer=32,64");
    fixture_plan(&f);
    struct hardware machine = f.plan.points[1].hardware;
    ck_assert_int_eq(sweep_plan_add(&f.plan, 0, &machine, &point, &why), 0);
    ck_assert_uint_eq(point, 1);
    machine.pass.sram.slots = 1000;
    ck_assert_int_eq(sweep_plan_add(&f.plan, 0, &machine, &point, &why), 0);
    ck_assert_uint_eq(point, 2);
    ck_assert_uint_eq(f.plan.structure_count, 2);
    ck_assert_uint_eq(f.plan.search_count, 1);
    fixture_end(&f);
}
END_TEST

/* 8 bytes hold 2 positions, 16 hold 6. Where only one of the two varies, what no slot holds is refused. */
START_TEST(test_positions_that_no_slot_holds_are_left_out)
{
    struct sweep_fixture f;
    struct why why;
    fixture_begin(&f);
    fixture_vary(&f, "table.inline_positions=1,2,3,6,7");
    fixture_vary(&f, "table.slot_bytes=8,16");
    fixture_plan(&f);
    ck_assert_uint_eq(f.plan.point_count, 2 + 4);
    ck_assert_uint_eq(f.plan.unbuildable, 3 + 1);
    for (size_t i = 0; i < f.plan.point_count; i++)
        ck_assert_uint_le(24 + 16 * f.plan.points[i].hardware.pass.sram.inline_positions,
                          8 * f.plan.points[i].hardware.pass.sram.slot_bytes);
    fixture_end(&f);
    fixture_begin(&f);
    fixture_vary(&f, "table.inline_positions=2,3");
    ck_assert_int_eq(sweep_plan_make(&f.request, &f.plan, &why), WHY_SAID);
    fixture_vary(&f, "table.slot_bytes=8");
    ck_assert_int_eq(sweep_plan_make(&f.request, &f.plan, &why), 0);
    fixture_end(&f);
    fixture_begin(&f);
    fixture_vary(&f, "table.inline_positions=3");
    fixture_vary(&f, "table.slot_bytes=8");
    ck_assert_int_eq(sweep_plan_make(&f.request, &f.plan, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "table.slot_bytes = 16 would do"));
    fixture_end(&f);
}
END_TEST

/* --- samples --------------------------------------------------------------------------------------------- */

/* 50 strata of 200 values: 4 values each, and every stratum has one sample, on either axis. */
START_TEST(test_a_latin_hypercube_samples_every_stratum_once)
{
    struct sweep_fixture f;
    fixture_begin(&f);
    f.request.samples = 50;
    f.request.seed = (uint64_t)_i;
    fixture_vary(&f, "fifo.wmer=100..299");
    fixture_vary(&f, "fifo.sram=1000..1199");
    fixture_plan(&f);
    bool wmer[50] = {false}, sram[50] = {false};
    ck_assert_uint_eq(f.plan.point_count, 50);
    unsigned diagonal = 0;
    for (size_t i = 0; i < 50; i++) {
        uint32_t x = (f.plan.points[i].hardware.board.wmer_seeds - 100) / 4;
        uint32_t y = (f.plan.points[i].hardware.board.sram_lookups - 1000) / 4;
        ck_assert(!wmer[x] && !sram[y]);
        wmer[x] = sram[y] = true;
        diagonal += x == y;
    }
    ck_assert_uint_lt(diagonal, 10); /* the axes are shuffled apart: about one, by chance */
    fixture_end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweep_plan");
    TCase *range = tcase_create("ranges");
    tcase_add_loop_test(range, test_a_range_is_its_values, 0, COUNT_OF(ranges));
    tcase_add_loop_test(range, test_what_is_no_range_is_refused, 0, COUNT_OF(nonsense));
    suite_add_tcase(suite, range);
    TCase *grid = tcase_create("grids");
    tcase_add_test(grid, test_a_grid_has_every_combination_once_in_order);
    tcase_add_test(grid, test_points_share_what_they_have_in_common);
    tcase_add_test(grid, test_positions_that_no_slot_holds_are_left_out);
    tcase_add_test(grid, test_without_axes_there_is_one_point);
    tcase_add_test(grid, test_a_point_that_makes_no_sense_is_named);
    suite_add_tcase(suite, grid);
    TCase *identity = tcase_create("identity");
    tcase_add_test(identity, test_an_identity_depends_on_all_that_can_change_a_result);
    tcase_add_test(identity, test_an_identity_does_not_depend_on_how_it_was_asked_for);
    tcase_add_test(identity, test_a_machine_added_twice_is_one_point);
    suite_add_tcase(suite, identity);
    TCase *sample = tcase_create("samples");
    tcase_add_loop_test(sample, test_a_latin_hypercube_samples_every_stratum_once, 0, 10);
    suite_add_tcase(suite, sample);
    return run_suite(suite);
}
