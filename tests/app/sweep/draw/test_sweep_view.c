/* test_sweep_view.c - what varies, which points are machines, groups, fronts of searches, pictures that are chosen. */
#include "app/sweep/draw/sweep_view.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/board_costs.h"
#include "sim/board/hardware.h"
#include "app/sweep/draw/sweep_answer.h"
#include "app/sweep/draw/sweep_picture.h"
#include "tests/run_suite.h"

static struct sweep_table table;
static struct sweep_view view;
static struct why why;

static void set(struct sweep_row *row, const char *name, const char *value)
{
    char **field = &row->fields[sweep_table_column(name)];
    ck_assert_msg(sweep_table_column(name) >= 0, "%s", name);
    free(*field);
    *field = strdup(value);
}

/* Add the default machine with "name=value name=value ..." changed, numbers and measures alike. */
static void add_kind(enum point_kind kind, const char *changes)
{
    static const char *const inputs[SWEEP_TABLE_INPUTS] = {"id", "dir/q.fa", "1",    "dir/d.fa",
                                                           "2",  "both",     "0.001"};
    struct hardware hardware = hardware_default();
    char copy[512], *rest = copy;
    sweep_table_add_row(&table, kind);
    struct sweep_row *row = &table.rows[table.count - 1];
    for (size_t i = 0; i < sweep_table_columns(); i++)
        row->fields[i] = strdup(i < SWEEP_TABLE_INPUTS ? inputs[i] : "NA");
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        set(row, hardware_parameter_name(i), hardware_parameter_value(&hardware, i).text);
    snprintf(copy, sizeof copy, "%s bottleneck=bus", changes);
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "))
        if (*word) {
            char *value = strchr(word, '=');
            *value = '\0';
            set(row, word, value + 1);
        }
}

static void add(const char *changes)
{
    add_kind(POINT_PLANNED, changes);
}

static void look_at_knee(double keep)
{
    sweep_view_destroy(&view);
    sweep_view_make(&table, keep, &view);
}

static void look(void)
{
    look_at_knee(FRONT_KEEP);
}

static void begin(void)
{
    table = (struct sweep_table){0};
    view = (struct sweep_view){0};
}

static void end(void)
{
    sweep_view_destroy(&view);
    sweep_table_destroy(&table);
}

/* Speeds and sizes of a table that is not varied. */
#define SIZE "simulated_time_s=1 "

/* Costs that are not varied. */
#define COSTS "sram_chips=2 energy_j=1 "

START_TEST(test_what_varies_is_found_with_its_values_in_order)
{
    add(SIZE "throughput_mwmers_per_s=1 table.slots=1024 table.family=xxh3");
    add(SIZE "throughput_mwmers_per_s=2 table.slots=512 table.family=displaced");
    add(SIZE "throughput_mwmers_per_s=3 table.slots=1024 table.family=displaced");
    look();
    ck_assert_uint_eq(view.varied_count, 2);
    size_t slots = sweep_view_find(&view, "table.slots"), family = sweep_view_find(&view, "table.family");
    ck_assert(view.varied[slots].is_number && !view.varied[family].is_number);
    ck_assert_uint_eq(view.varied[slots].value_count, 2);
    ck_assert_str_eq(sweep_view_value(&view, slots, 0), "512"); /* by size, not by the alphabet */
    ck_assert_str_eq(sweep_view_value(&view, slots, 1), "1024");
    ck_assert_uint_eq(view.varied[slots].ranks[0], 1);
    ck_assert_uint_eq(sweep_view_find(&view, "fifo.wmer"), SIZE_MAX);
}
END_TEST

START_TEST(test_probes_are_no_machines)
{
    add("fifo.wmer=64");
    add("fifo.wmer=1000000"); /* asked for, but nobody builds it */
    add_kind(POINT_FREE, "host.supply=1e15");
    add_kind(POINT_TRIED, "fifo.wmer=77"); /* what advise tries on its way */
    add_kind(POINT_FREE, "stage2.fetch_cycles=0");
    add_kind(POINT_TRIED, "fifo.wmer=1000000 fifo.egress=500");
    look();
    const enum sweep_kind expected[] = {SWEEP_MACHINE, SWEEP_UNBOUNDED, SWEEP_FREE,
                                        SWEEP_TRIED,   SWEEP_FREE,      SWEEP_UNBOUNDED};
    for (size_t i = 0; i < 6; i++)
        ck_assert_msg(view.kinds[i] == expected[i], "point %zu is %d", i, (int)view.kinds[i]);
    ck_assert_uint_eq(view.machine_count, 1);
    ck_assert_uint_eq(view.varied_count, 0);
}
END_TEST

/* What the FPGA does not hold is on no front, and never the best; without an FPGA there is no such number. */
START_TEST(test_what_does_not_fit_is_no_machine)
{
    size_t best[SWEEP_BEST];
    add("simulated_time_s=1 fits=0 table.slots=1");
    add("simulated_time_s=2 fits=1 table.slots=2");
    add("simulated_time_s=3 table.slots=4");
    look();
    ck_assert_int_eq(view.kinds[0], SWEEP_UNFIT);
    ck_assert_int_eq(view.kinds[1], SWEEP_MACHINE);
    ck_assert_int_eq(view.kinds[2], SWEEP_MACHINE);
    ck_assert_uint_eq(sweep_answer_best(&view, best), 2);
    ck_assert_uint_eq(best[0], 1);
    ck_assert_int_eq(view.places[0], SWEEP_BESIDE);
    ck_assert_int_eq(view.places[1], SWEEP_KNEE);
}
END_TEST

/* 10 J for 5 ms and 12 J for 4.1 ms are worth it, 13 J for 4.2 ms is not, unless it needs fewer chips; 30 J for 4 ms
 * is, but 4.1 ms are 95% of that. All pictures show the same front. */
START_TEST(test_one_front_for_all_costs)
{
    static const enum sweep_place expected[] = {SWEEP_ON_FRONT, SWEEP_KNEE, SWEEP_BESIDE, SWEEP_ON_FRONT,
                                                SWEEP_ON_FRONT};
    add("ramb18=9 sram_chips=4 energy_j=10 simulated_time_s=5e-3 boards=1");
    add("ramb18=9 sram_chips=4 energy_j=12 simulated_time_s=4.1e-3 boards=2");
    add("ramb18=9 sram_chips=4 energy_j=13 simulated_time_s=4.2e-3 boards=3");
    add("ramb18=9 sram_chips=4 energy_j=30 simulated_time_s=4e-3 boards=4");
    add("ramb18=9 sram_chips=2 energy_j=13 simulated_time_s=4.3e-3 boards=5");
    look();
    ck_assert(sweep_view_differs(&view, "energy_j") && sweep_view_differs(&view, "sram_chips"));
    ck_assert(!sweep_view_differs(&view, "ramb18"));
    for (int i = 0; i < COUNT_OF(expected); i++)
        ck_assert_msg(view.places[i] == expected[i], "point %d is %d", i, (int)view.places[i]);
}
END_TEST

START_TEST(test_groups_differ_in_one_number_only)
{
    for (int i = 0; i < 12; i++) {
        char text[200];
        snprintf(text, sizeof text, "fifo.wmer=%d fifo.sram=%d table.family=%s", 16 << (11 - i) % 3,
                 100 + i / 3 % 2, i < 6 ? "xxh3" : "displaced");
        add(text);
    }
    look();
    size_t x = sweep_view_find(&view, "fifo.wmer");
    struct sweep_groups groups = sweep_view_group(&view, ~sweep_set_of(x), x);
    ck_assert_uint_eq(groups.count, 4); /* two families with two depths each */
    for (size_t g = 0; g < groups.count; g++) {
        ck_assert_uint_eq(groups.begins[g + 1] - groups.begins[g], 3);
        for (size_t i = groups.begins[g]; i < groups.begins[g + 1]; i++) {
            ck_assert_uint_eq(view.varied[x].ranks[groups.rows[i]],
                              i - groups.begins[g]); /* from left to right */
            for (size_t n = 0; n < view.varied_count; n++)
                ck_assert(n == x || view.varied[n].ranks[groups.rows[i]] ==
                                        view.varied[n].ranks[groups.rows[groups.begins[g]]]);
        }
    }
    sweep_groups_destroy(&groups);
}
END_TEST

/* 3 x 3 x 2 combinations of what else varies are too many lines for one panel. */
START_TEST(test_many_lines_are_told_apart_by_panels)
{
    for (int i = 0; i < 36; i++) {
        char text[200];
        snprintf(text, sizeof text, "fifo.wmer=%d fifo.sram=%d fifo.egress=%d table.family=%s", 16 + i % 2,
                 100 + i / 2 % 3, 200 + i / 6 % 3, i < 18 ? "xxh3" : "displaced");
        add(text);
    }
    look();
    struct sweep_ask ask = {.x = "fifo.wmer", .y = "clocks", .keep = FRONT_KEEP};
    struct sweep_picture picture = {.view = &view, .ask = &ask, .y = SIZE_MAX, .by = SIZE_MAX};
    size_t family = sweep_view_find(&view, "table.family"), sram = sweep_view_find(&view, "fifo.sram");
    picture.x = sweep_view_find(&view, "fifo.wmer");
    struct sweep_lines_plan plan = sweep_lines_arrange(&picture);
    ck_assert(plan.has_lines && sweep_set_has(plan.lines, family) && !sweep_set_has(plan.panels, family));
    ck_assert(sweep_set_has(plan.panels, sram) && !sweep_set_has(plan.lines, sram) &&
              !sweep_set_has(plan.panels, picture.x));
    picture.by = sram;
    plan = sweep_lines_arrange(&picture);
    ck_assert(sweep_set_has(plan.lines, sram) && sweep_set_has(plan.panels, family) &&
              !sweep_set_has(plan.lines, family));
}
END_TEST

START_TEST(test_machines_of_a_sample_are_on_no_line)
{
    for (int i = 0; i < 10; i++) {
        char text[100];
        snprintf(text, sizeof text, "fifo.wmer=%d fifo.sram=%d", 16 + i, 100 + i * 7 % 10);
        add(text);
    }
    look();
    struct sweep_ask ask = {.keep = FRONT_KEEP};
    struct sweep_picture picture = {.view = &view, .ask = &ask, .x = 0, .y = SIZE_MAX, .by = SIZE_MAX};
    ck_assert(!sweep_lines_arrange(&picture).has_lines);
}
END_TEST

/* A front of one query must not hide the machines of another. Probes are on none. */
START_TEST(test_every_search_has_its_front)
{
    add(COSTS "ramb18=100 simulated_time_s=20 table.slots=512");
    add(COSTS "ramb18=200 simulated_time_s=10 table.slots=1024");
    add(COSTS "ramb18=100 simulated_time_s=30 table.slots=512 query_xxh3=9 query=r.fa");
    add(COSTS "ramb18=200 simulated_time_s=30 table.slots=1024 query_xxh3=9 query=r.fa");
    add_kind(POINT_FREE, COSTS "ramb18=50 simulated_time_s=1 table.slots=512 sram.read_cycles=0");
    look();
    const enum sweep_place expected[] = {SWEEP_ON_FRONT, SWEEP_KNEE, SWEEP_KNEE, SWEEP_BESIDE, SWEEP_BESIDE};
    for (size_t i = 0; i < 5; i++)
        ck_assert_msg(view.places[i] == expected[i], "point %zu", i);
}
END_TEST

/* Two cores have 98% of the speed of four, and as many block RAMs and chips; a search in which chips differ has a
 * price. */
START_TEST(test_the_knee_of_what_has_no_price_is_the_slowest)
{
    add("host.cores=1 simulated_time_s=20 ramb18=7 sram_chips=2 energy_j=2");
    add("host.cores=2 simulated_time_s=10.2 ramb18=7 sram_chips=2 energy_j=1.01");
    add("host.cores=4 simulated_time_s=10 ramb18=7 sram_chips=2 energy_j=1");
    look();
    ck_assert_uint_eq(sweep_answer_knee(&view), 1);
    ck_assert_str_eq(view.knee_meaning,
                     "the slowest with 95% of the greatest speed, for what varies has no price");
    add("query_xxh3=9 query=r.fa host.cores=1 simulated_time_s=1.01 ramb18=7 sram_chips=2 energy_j=1");
    add("query_xxh3=9 query=r.fa host.cores=2 simulated_time_s=1 ramb18=7 sram_chips=4 energy_j=1");
    look();
    ck_assert(view.places[1] == SWEEP_KNEE && view.places[3] == SWEEP_KNEE);
    ck_assert_str_eq(
        view.knee_meaning,
        "the least RAMB18 x chips x J, or without a price the slowest, with 95% of the greatest speed");
}
END_TEST

/* Whatever they stream: the third is the quickest of the run, and of two equally quick ones the cheaper is first. */
START_TEST(test_the_best_are_by_time_then_by_costs)
{
    size_t rows[SWEEP_BEST];
    add("table.slots=1 throughput_mwmers_per_s=100 simulated_time_s=8 ramb18=7 sram_chips=2 energy_j=1");
    add("table.slots=2 throughput_mwmers_per_s=100 simulated_time_s=8 ramb18=5 sram_chips=2 energy_j=1");
    add("table.slots=3 throughput_mwmers_per_s=90 simulated_time_s=1 ramb18=9 sram_chips=2 energy_j=1");
    add("table.slots=4 throughput_mwmers_per_s=110 simulated_time_s=9 ramb18=1 sram_chips=2 energy_j=1");
    look();
    ck_assert_uint_eq(sweep_answer_best(&view, rows), 4);
    ck_assert(rows[0] == 2 && rows[1] == 1 && rows[2] == 0);
    ck_assert_uint_eq(sweep_answer_knee(&view), 2);
    look_at_knee(0.1);
    ck_assert_uint_eq(sweep_answer_knee(&view), 3); /* 1 block RAM and 2 chips at 11% of the speed */
}
END_TEST

START_TEST(test_the_bottleneck_changes_along_a_number)
{
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    for (int i = 0; i < 8; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 SIZE "throughput_mwmers_per_s=%d table.slots=%d table.family=%s bottleneck=%s", i,
                 1 << i / 2, i % 2 ? "xxh3" : "displaced", i % 2 && i < 4 ? "1b" : "bus");
        add(text);
        set(&table.rows[i], "bottleneck", i % 2 && i < 4 ? "1b" : "bus");
    }
    look();
    ck_assert_uint_eq(sweep_answer_changes(&view, lines), 2);
    ck_assert_str_eq(lines[0], "table.slots: 1b up to 2, bus from 4 (table.family = xxh3)");
    ck_assert_str_eq(lines[1],
                     "table.family: bus if displaced, 1b if xxh3 (in 2 of 4 combinations of the others)");
}
END_TEST

/* Two boards build for 8 s and stream for 2; in a run of 6 s each has nothing to do for 1, in one of 10 s for 5. */
START_TEST(test_the_bottleneck_is_that_of_the_run)
{
    static const char *const times[] = {"8 table_load_s=0 stream_time_s=2 drain_s=1 simulated_time_s=6",
                                        "8 table_load_s=0 stream_time_s=2 drain_s=5 simulated_time_s=10",
                                        "4 table_load_s=0 stream_time_s=4 drain_s=1 simulated_time_s=5"};
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text, SIZE "build_wait_s=%s table.slots=%d", times[i], 512 << i);
        add(text);
        set(&table.rows[i], "bottleneck", "bus");
    }
    look();
    ck_assert_uint_eq(sweep_answer_changes(&view, lines), 1);
    ck_assert_str_eq(lines[0], "table.slots: building up to 512, stage 3 up to 1024, bus from 2048");
}
END_TEST

/* Along four of eight rows of the number nothing changes, along the others it changes in three ways. */
START_TEST(test_changes_are_said_before_what_does_not_change)
{
    static const char *const ends[8] = {"1b", "1b", "1b", "1b", "1a", "1a", "bus", "host"};
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    for (int i = 0; i < 16; i++) {
        char text[100];
        snprintf(text, sizeof text, SIZE "table.slots=%d fifo.wmer=%d", 512 << i % 2, 16 << i / 2);
        add(text);
        set(&table.rows[i], "bottleneck", i % 2 ? ends[i / 2] : "1b");
    }
    look();
    ck_assert_uint_eq(sweep_answer_changes(&view, lines), 4); /* the first is that of fifo.wmer */
    ck_assert_str_eq(lines[1],
                     "table.slots: 1b up to 512, 1a from 1024 (in 2 of 8 combinations of the others)");
    ck_assert_str_eq(lines[2], "table.slots: 1b up to 512, bus from 1024 (fifo.wmer = 1024)");
    ck_assert_str_eq(lines[3], "table.slots: rarer kinds of change that are left out: 1");
}
END_TEST

/* There are 16 numbers, and each changes the bottleneck: more than have room. */
START_TEST(test_numbers_without_room_are_counted)
{
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    size_t varied = 0;
    for (size_t i = 0; i < hardware_parameter_count() && varied < 16; i++)
        if (hardware_parameter_range(i).least < 2 && hardware_parameter_range(i).most > 2) {
            if (varied++ == 0)
                add(SIZE);
            add(SIZE);
            set(&table.rows[varied], hardware_parameter_name(i), "2.5");
            set(&table.rows[varied], "bottleneck", "1b");
        }
    look();
    const size_t count = sweep_answer_changes(&view, lines), said = count - 1;
    char last[60];
    ck_assert_uint_eq(view.varied_count, 16);
    ck_assert_uint_le(count, SWEEP_CHANGES);
    snprintf(last, sizeof last, "numbers that are left out: %zu", 16 - said);
    ck_assert_str_eq(lines[said], last);
}
END_TEST

/* The names of files are long; those of equal names are told apart by their directories. */
START_TEST(test_files_keep_their_names)
{
    static const char *const names[3] = {"in/A/GCF_000840245.1_ViralProj14204_genomic.fna",
                                         "in/B/GCF_000840245.1_ViralProj14204_genomic.fna",
                                         "in/B/GCF_000270045.1_ASM27004v1_genomic.fna"};
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, SIZE "query=%s query_xxh3=%d", names[i], 7 - i);
        add(text);
        set(&table.rows[i], "bottleneck", i ? "1b" : "host");
    }
    look();
    ck_assert_uint_eq(sweep_answer_changes(&view, lines), 1);
    ck_assert_str_eq(lines[0], "query: host if A/GCF_000840245.1_ViralProj14204_genomic.fna, 1b if "
                               "GCF_000270045.1_ASM27004v1_genomic.fna, 1b if "
                               "B/GCF_000840245.1_ViralProj14204_genomic.fna");
}
END_TEST

/* The reason is that nothing fits, not that nothing differs; of two machines the smaller one tells what is missing. */
START_TEST(test_what_fits_nowhere_is_said)
{
    static const struct sweep_ask ask = {.keep = FRONT_KEEP};
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t count;
    add(SIZE "fits=0 fpga.device=xc2v6000 bloom.copies=8 boards=1 ramb18=800");
    add(SIZE "fits=0 fpga.device=xc2v6000 bloom.copies=4 boards=4 ramb18=1600");
    look();
    ck_assert_int_ne(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    struct hardware smaller = hardware_default();
    char missing[BOARD_MISFIT_BYTES], expected[400];
    ck_assert_int_eq(hardware_set(&smaller, "fpga.device", "xc2v6000", &why), 0);
    ck_assert_int_eq(hardware_set(&smaller, "bloom.copies", "4", &why), 0);
    snprintf(expected, sizeof expected,
             "nothing to draw: 0 of 2 machines fit; the smallest one that does not: %s; vary smaller filters "
             "(bloom.bank_bits) or tables, or set fewer bloom.copies",
             board_costs_misfit(&smaller, 0, missing));
    ck_assert_int_ne(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    ck_assert_str_eq(why.line, expected);
}
END_TEST

/* Filters do not help against tables that are too large; of two machines with as many block RAMs the one with
 * the smaller tables tells what is missing. */
START_TEST(test_what_sram_does_not_hold_is_said)
{
    char text[SWEEP_MISFIT_BYTES];
    add(SIZE "fits=0 fpga.device=xc7vx690t sram.bytes=1000 sram_bits=16000");
    add(SIZE "fits=0 fpga.device=xc7vx690t sram.bytes=1000 sram_bits=8800");
    look();
    ck_assert_str_eq(
        sweep_view_misfit(&view, text),
        "0 of 2 machines fit; the smallest one that does not: the SRAM has 1000 bytes (sram.bytes), "
        "1100 are needed; vary smaller tables (table.slots, table.slot_bytes), or set more sram.bytes");
}
END_TEST

/* One line of words, and not another one: all rows of the only number change alike. */
START_TEST(test_what_changes_is_said_once)
{
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    for (int i = 0; i < 3; i++) {
        char text[100];
        snprintf(text, sizeof text, SIZE "throughput_mwmers_per_s=%d table.slots=%d", i + 1, 1 << i);
        add(text);
        set(&table.rows[i], "bottleneck", i < 2 ? "1b" : "bus");
    }
    look();
    ck_assert_uint_eq(sweep_answer_changes(&view, lines), 1);
    ck_assert_str_eq(lines[0], "table.slots: 1b up to 2, bus from 4");
    for (int i = 0; i < 3; i++)
        set(&table.rows[i], "fifo.wmer", (const char *[]){"16", "32", "64"}[i]);
    look();
    ck_assert_uint_eq(sweep_answer_changes(&view, lines), 1);
    ck_assert_str_eq(lines[0], "changes, but no two machines differ in one number only");
}
END_TEST

/* Only that machine is the reference which differs in nothing but depths. */
START_TEST(test_the_unbounded_machine_is_found)
{
    add("fifo.wmer=16 fifo.egress=32 table.slots=512");
    add("fifo.wmer=64 fifo.egress=32 table.slots=512");
    add("fifo.wmer=1000000 fifo.egress=32 table.slots=512");
    add("fifo.wmer=1000000 fifo.egress=1000000 table.slots=1024");
    add("fifo.wmer=1000000 fifo.egress=1000000 table.slots=512");
    look();
    ck_assert_uint_eq(sweep_view_unbounded(&view, 0), 4);
    ck_assert_uint_eq(sweep_view_unbounded(&view, 1), 4);
}
END_TEST

START_TEST(test_axes_follow_the_values)
{
    const double powers[] = {16, 32, 64, 128, 256}, steps[] = {32, 64, 96, 128, 512}, boards[] = {1, 2, 3};
    const double even[] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000};
    struct figure_axis axis = figure_axis_along(powers, 5, NULL);
    ck_assert(axis.logarithmic && axis.by_two && axis.least < 16 && axis.most > 256);
    ck_assert(figure_axis_along(steps, 5, NULL).logarithmic);
    ck_assert(!figure_axis_along(even, 10, NULL).logarithmic);
    axis = figure_axis_along(boards, 3, NULL);
    ck_assert(!axis.logarithmic && axis.whole);
    axis = figure_axis_along(boards, 1, NULL); /* a single value stands in the middle */
    ck_assert(axis.least < 1 && axis.most > 1);
}
END_TEST

START_TEST(test_titles_have_units)
{
    struct sweep_scale share = sweep_scale_of((size_t)sweep_table_column("first_access_collisions"), 0.5);
    struct sweep_scale time = sweep_scale_of((size_t)sweep_table_column("simulated_time_s"), 0.007);
    struct sweep_scale slots = sweep_scale_of((size_t)sweep_table_column("table.slots"), 1024);
    ck_assert_str_eq(share.title, "first access collisions [%]");
    ck_assert_str_eq(time.title, "simulated time [ms]");
    ck_assert_str_eq(slots.title, "table.slots [slots]");
    ck_assert_str_eq(sweep_scale_label(&share, 100 * 0.507).text, "50.7%");
    ck_assert_str_eq(sweep_scale_label(&time, 7.274).text, "7.27 ms");
}
END_TEST

START_TEST(test_pictures_follow_what_varies)
{
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    struct sweep_ask ask = {.keep = FRONT_KEEP};
    size_t count;
    for (int i = 0; i < 8; i++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "fifo.wmer=%d fifo.sram=%d table.slots=%d ramb18=%d throughput_mwmers_per_s=%d simulated_time_s=%d",
            16 << i % 2, 100 << i / 2 % 2, 512 << i / 4, 512 << i / 4, i + 1, 9 - i);
        add(text);
    }
    look();
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(pictures[0].name, "pareto");
    ck_assert_str_eq(pictures[1].name, "fifos");
    ck_assert_str_eq(pictures[2].name, "tables");
    ask = (struct sweep_ask){.x = "table.slots", .y = "fifo.sram", .by = "clocks", .keep = FRONT_KEEP};
    ck_assert_int_ne(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0); /* no point has clocks */
    ask.by = "ramb18";
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    ck_assert(count == 1 && pictures[0].kind == SWEEP_MAP);
    ask = (struct sweep_ask){.x = "table.slot", .keep = FRONT_KEEP};
    ck_assert_int_ne(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    ck_assert_msg(strstr(why.line, "did you mean table.slots?") != NULL, "%s", why.line);
}
END_TEST

/* --- what is drawn --------------------------------------------------------------------------------------- */

/* @return the picture's text, for free() */
static char *drawn(const struct sweep_picture *picture)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct svg svg = {.out = out};
    sweep_picture_draw(picture, &svg);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* The only picture that is asked for. */
static char *drawn_as(const struct sweep_ask *ask)
{
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t count;
    ck_assert_int_eq(sweep_pictures_choose(&view, ask, pictures, &count, &why), 0);
    ck_assert_uint_eq(count, 1);
    return drawn(&pictures[0]);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* The bus would carry 100 Mw-mers/s; a time of 100 s is no limit of the bus. */
START_TEST(test_only_throughput_has_the_limit_of_the_bus)
{
    static const char limit[] = "where the bus is always busy: 100 Mw-mers/s";
    add("simulated_time_s=100 throughput_mwmers_per_s=50 utilisation_bus=0.5 table.slots=512");
    add("simulated_time_s=80 throughput_mwmers_per_s=80 utilisation_bus=0.8 table.slots=1024");
    look();
    struct sweep_ask ask = {.x = "table.slots", .y = "throughput_mwmers_per_s", .keep = FRONT_KEEP};
    char *throughput = drawn_as(&ask);
    ask.y = "simulated_time_s";
    char *time = drawn_as(&ask);
    ck_assert_uint_eq(count_of(throughput, limit), 1);
    ck_assert_uint_eq(count_of(time, "where the bus"), 0);
    free(throughput);
    free(time);
}
END_TEST

/* The axis of one search names the time of the quickest; of two searches, each has its own panel and quickest. */
START_TEST(test_front_of_one_search_names_its_time)
{
    const struct sweep_ask ask = {.keep = FRONT_KEEP};
    for (int searches = 1; searches <= 2; searches++) {
        struct sweep_picture pictures[SWEEP_PICTURES_MAX];
        const char *from = searches == 1 ? "" : " query_xxh3=9 query=r.fa";
        size_t count;
        for (int i = 1; i <= 2; i++) {
            char text[300];
            snprintf(text, sizeof text, COSTS "ramb18=%d simulated_time_s=%d table.slots=%d%s", 100 * i,
                     20 / i, 512 * i, from);
            add(text);
        }
        look();
        ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
        ck_assert_str_eq(pictures[0].name, "pareto");
        char *picture = drawn(&pictures[0]);
        ck_assert_uint_eq(count_of(picture, "speed [% of the quickest, which takes 10 s]"), searches == 1);
        ck_assert_uint_eq(count_of(picture, "speed [% of the quickest]"), searches == 2 ? 2 : 0);
        free(picture);
    }
}
END_TEST

/* 40 machines with 1653 to 1662 Mw-mers/s: 9 / 1653 = 0.54%, and 1653 has the first colour, 1662 the last one. Were all
 * the same, there would be no scale. */
START_TEST(test_a_map_says_how_little_changes)
{
    const bool same = _i == 1;
    for (int i = 0; i < 40; i++) {
        char text[200];
        snprintf(text, sizeof text, SIZE "throughput_mwmers_per_s=%d fifo.wmer=%d fifo.sram=%d",
                 same ? 1653 : 1653 + i % 10, 16 + i % 5, 100 + i / 5);
        add(text);
    }
    look();
    struct sweep_ask ask = {
        .x = "fifo.wmer", .y = "fifo.sram", .by = "throughput_mwmers_per_s", .keep = FRONT_KEEP};
    char *picture = drawn_as(&ask);
    ck_assert_uint_eq(count_of(picture, ">throughput [Mw-mers/s] changes by 0.54% only<"), !same);
    ck_assert_uint_eq(count_of(picture, ">throughput [Mw-mers/s]: 1653 at all points, no change<"), same);
    ck_assert_uint_eq(count_of(picture, "class=\"h0\""),
                      same ? 0 : 4 + 1); /* 4 machines with 1653, and the scale */
    ck_assert_uint_eq(count_of(picture, "class=\"h11\""), same ? 40 : 4 + 1);
    free(picture);
}
END_TEST

/* Where a text is: the value of the attribute x of its tag. */
static double left_of(const char *picture, const char *text)
{
    const char *at = strstr(picture, text);
    ck_assert_msg(at != NULL, "%s", text);
    while (strncmp(at, " x=\"", 4) != 0)
        at--;
    return atof(at + 4);
}

/* The title is written upwards, its letters at the left of its x; names of rows end at their x. */
START_TEST(test_the_title_of_a_map_is_beside_its_names)
{
    for (int i = 0; i < 4; i++) {
        char text[100];
        snprintf(text, sizeof text, "simulated_time_s=%d fpga.clock=%d pcix.bandwidth=%s", i + 1, 1 + i % 2,
                 i < 2 ? "500000000" : "4000000000");
        add(text);
    }
    look();
    struct sweep_ask ask = {
        .x = "fpga.clock", .y = "pcix.bandwidth", .by = "simulated_time_s", .keep = FRONT_KEEP};
    char *picture = drawn_as(&ask);
    ck_assert_double_gt(left_of(picture, ">4000000000<") - svg_text_width("4000000000", 11),
                        left_of(picture, ">pcix.bandwidth [B/s]<") + 4);
    free(picture);
}
END_TEST

/* Three panels with long names of rows have no room beside each other: cells would be narrower than nothing. */
START_TEST(test_a_map_with_long_names_has_room_for_its_cells)
{
    for (int i = 0; i < 12; i++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "simulated_time_s=%d fifo.wmer=%d query_xxh3=%d query=GCF_000840245.%d_ViralProj14204_genomic.fna "
            "table.slots=%d",
            i + 7, 16 << i % 2, i / 2 % 2, i / 2 % 2, 512 << i / 4);
        add(text);
    }
    look();
    struct sweep_ask ask = {.x = "fifo.wmer", .y = "query", .by = "simulated_time_s", .keep = FRONT_KEEP};
    char *picture = drawn_as(&ask);
    ck_assert_uint_eq(count_of(picture, "</title></rect>"), 12);
    ck_assert_uint_eq(count_of(picture, "width=\"-"), 0);
    ck_assert_uint_eq(count_of(picture, ">12<"), 1); /* the number of a cell is in it */
    free(picture);
}
END_TEST

/* A hundredth more time is worth a front, less is not, however the costs differ. */
START_TEST(test_a_front_needs_a_change)
{
    static const struct sweep_ask ask = {.keep = FRONT_KEEP};
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t count;
    add(COSTS "ramb18=100 simulated_time_s=100 table.slots=1024");
    add(COSTS "ramb18=200 simulated_time_s=99.1 table.slots=512");
    look();
    ck_assert(sweep_view_differs(&view, "ramb18") && !sweep_view_has_front(&view));
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(pictures[0].name, "tables");
    add(COSTS "ramb18=300 simulated_time_s=98.9 table.slots=256");
    look();
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(pictures[0].name, "pareto");
}
END_TEST

/* Two of four numbers are axes; the text tells two columns apart, the last number three rows: five labels. One of the
 * six panels has no machines. In a row only the first panel has the title of y, in a column only the last that of x. */
START_TEST(test_a_grid_is_labelled_once)
{
    static const char *const labels[] = {"family = displaced", "family = xxh3", "slots = 512", "slots = 1024",
                                         "slots = 2048"};
    for (int i = 0; i < 24; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 SIZE "throughput_mwmers_per_s=%d fifo.wmer=%d fifo.sram=%d table.family=%s table.slots=%d",
                 i + 1, 16 + i % 2, 100 + i / 2 % 2, i / 4 % 2 ? "xxh3" : "displaced", 512 << i / 8);
        if (i < 20)
            add(text);
    }
    look();
    struct sweep_ask ask = {
        .x = "fifo.wmer", .y = "fifo.sram", .by = "throughput_mwmers_per_s", .keep = FRONT_KEEP};
    char *picture = drawn_as(&ask);
    for (int i = 0; i < COUNT_OF(labels); i++) {
        char label[64];
        snprintf(label, sizeof label, ">table.%s<", labels[i]);
        ck_assert_msg(count_of(picture, label) == 1, "%s", label);
    }
    ck_assert_uint_eq(count_of(picture, ">fifo.wmer [seeds]<"), 2);
    ck_assert_uint_eq(count_of(picture, ">fifo.sram [lookups]<"), 3);
    ck_assert_uint_eq(count_of(picture, "</title></rect>"), 20);
    free(picture);
}
END_TEST

/* 1.2 s and 0.9 s are both seconds; beside 9.06 ms, 1.2 s are 1200 ms. */
START_TEST(test_times_of_a_front_have_one_unit)
{
    static const struct sweep_ask ask = {.keep = FRONT_KEEP};
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t count;
    add(COSTS "ramb18=100 simulated_time_s=1.2 table.slots=1024");
    add(COSTS "ramb18=200 simulated_time_s=0.9 table.slots=512");
    look();
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    char *picture = drawn(&pictures[0]);
    ck_assert_uint_eq(count_of(picture, ">0.9 s<") + count_of(picture, ">1.2 s<"), 2);
    ck_assert_uint_eq(count_of(picture, "which takes 0.9 s]"), 1);
    ck_assert_uint_eq(count_of(picture, " ms"), 0);
    free(picture);
    add(COSTS "ramb18=300 simulated_time_s=0.00906 table.slots=256");
    look();
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    picture = drawn(&pictures[0]);
    ck_assert_uint_eq(count_of(picture, "which takes 9.06 ms]"), 1);
    ck_assert_uint_eq(count_of(picture, " s<"), 0);
    free(picture);
}
END_TEST

/* Two panels a row of two and of four, otherwise three of up to six. A row's panels have one y each. */
START_TEST(test_panels_make_full_rows)
{
    static const unsigned columns[] = {[2] = 2, [3] = 3, [4] = 2, [5] = 3};
    const int panels = _i;
    for (int i = 0; i < 4 * panels; i++) {
        char text[200];
        snprintf(text, sizeof text, SIZE "fifo.wmer=%d table.family=%s fifo.sram=%d", 16 + i % 2,
                 i / 2 % 2 ? "xxh3" : "displaced", 100 + i / 4);
        add(text);
    }
    look();
    struct sweep_ask ask = {.x = "fifo.wmer", .by = "table.family", .keep = FRONT_KEEP};
    char *picture = drawn_as(&ask);
    char first[64] = "", y[64];
    unsigned in_first_row = 0, found = 0;
    for (const char *at = picture; (at = strstr(at, ">fifo.sram = ")); at++, found++) {
        const char *tag = at;
        while (*tag != '<')
            tag--;
        const char *from = strstr(tag, " y=");
        snprintf(y, sizeof y, "%.*s", (int)strcspn(from + 1, " "), from + 1);
        if (!*first)
            strcpy(first, y);
        in_first_row += strcmp(first, y) == 0;
    }
    ck_assert_int_eq((int)found, panels);
    ck_assert_uint_eq(in_first_row, columns[panels]);
    free(picture);
}
END_TEST

/* Each family has its colour, and the legend says which. */
START_TEST(test_lines_are_told_apart)
{
    for (int i = 0; i < 4; i++) {
        char text[200];
        snprintf(text, sizeof text, "simulated_time_s=%d table.slots=%d table.family=%s", i + 1, 512 << i % 2,
                 i < 2 ? "displaced" : "xxh3");
        add(text);
    }
    look();
    struct sweep_ask ask = {.x = "table.slots", .keep = FRONT_KEEP};
    char *picture = drawn_as(&ask);
    ck_assert_uint_eq(count_of(picture, ">table.family = displaced<"), 1);
    ck_assert_uint_eq(count_of(picture, ">table.family = xxh3<"), 1);
    ck_assert_uint_eq(count_of(picture, "<path class=\"s6 w2\""), 1);
    ck_assert_uint_eq(count_of(picture, "<path class=\"s9 w2\""), 1);
    free(picture);
}
END_TEST

static struct sweep_picture front_of(enum front_cost cost, const struct sweep_ask *ask)
{
    return (struct sweep_picture){.view = &view,
                                  .ask = ask,
                                  .kind = SWEEP_FRONT,
                                  .x = SIZE_MAX,
                                  .y = SIZE_MAX,
                                  .by = SIZE_MAX,
                                  .cost = cost};
}

/* There is no half of a chip or of a block RAM, but half of a joule: one axis has ticks between whole numbers. */
START_TEST(test_only_counts_have_whole_ticks)
{
    static const struct sweep_ask ask = {.keep = FRONT_KEEP};
    add("ramb18=1 sram_chips=1 energy_j=1 simulated_time_s=2 table.slots=512");
    add("ramb18=2 sram_chips=2 energy_j=2 simulated_time_s=1 table.slots=1024");
    look();
    for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++) {
        struct sweep_picture picture = front_of(cost, &ask);
        char *text = drawn(&picture);
        const bool broken = count_of(text, ">1.2<") + count_of(text, ">1.5<") > 0;
        ck_assert_uint_gt(count_of(text, ">2<"), 0);
        ck_assert(broken == (cost == FRONT_ENERGY));
        free(text);
    }
}
END_TEST

/* Two machines of the front with as many block RAMs: the slower one, which needs fewer chips, is below the line. */
START_TEST(test_the_front_goes_through_the_greatest_speeds)
{
    static const struct sweep_ask ask = {.keep = FRONT_KEEP};
    add("ramb18=100 sram_chips=2 energy_j=1 simulated_time_s=20 table.slots=512");
    add("ramb18=100 sram_chips=4 energy_j=1 simulated_time_s=10 table.slots=1024");
    look();
    ck_assert(view.places[0] != SWEEP_BESIDE && view.places[1] != SWEEP_BESIDE);
    struct sweep_picture blocks = front_of(FRONT_RAMB18, &ask), chips = front_of(FRONT_SRAM_CHIPS, &ask);
    char *of_blocks = drawn(&blocks), *of_chips = drawn(&chips);
    char *line = strstr(of_blocks, "<path class=\"s6 w2\""),
         *steps = strstr(of_chips, "<path class=\"s6 w2\"");
    ck_assert(line && steps);
    line = strchr(line, 'M');
    steps = strchr(steps, 'M');
    *strchr(line, '>') = *strchr(steps, '>') = '\0';
    ck_assert_uint_eq(count_of(line, "L"), 1); /* to the end of the axis */
    ck_assert_uint_eq(count_of(steps, "L"),
                      3); /* to the second machine's chips, up to its speed, to the end */
    free(of_blocks);
    free(of_chips);
}
END_TEST

/* Costs, time and places are columns of a front only. */
START_TEST(test_points_have_the_columns_of_their_picture)
{
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    struct sweep_ask ask = {.x = "table.slots", .y = "clocks", .keep = FRONT_KEEP};
    char *text;
    size_t count, bytes;
    add("clocks=7 table.slots=512");
    add("clocks=5 table.slots=1024");
    look();
    ck_assert_int_eq(sweep_pictures_choose(&view, &ask, pictures, &count, &why), 0);
    FILE *out = open_memstream(&text, &bytes);
    sweep_picture_write_data(&pictures[0], out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(text, "kind\ttable.slots\tclocks\nmachine\t512\t7\nmachine\t1024\t5\n");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweep_view");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, begin, end);
    tcase_add_test(core, test_what_varies_is_found_with_its_values_in_order);
    tcase_add_test(core, test_probes_are_no_machines);
    tcase_add_test(core, test_what_does_not_fit_is_no_machine);
    tcase_add_test(core, test_one_front_for_all_costs);
    tcase_add_test(core, test_groups_differ_in_one_number_only);
    tcase_add_test(core, test_many_lines_are_told_apart_by_panels);
    tcase_add_test(core, test_machines_of_a_sample_are_on_no_line);
    tcase_add_test(core, test_every_search_has_its_front);
    tcase_add_test(core, test_the_knee_of_what_has_no_price_is_the_slowest);
    tcase_add_test(core, test_the_best_are_by_time_then_by_costs);
    tcase_add_test(core, test_the_bottleneck_changes_along_a_number);
    tcase_add_test(core, test_the_bottleneck_is_that_of_the_run);
    tcase_add_test(core, test_what_changes_is_said_once);
    tcase_add_test(core, test_changes_are_said_before_what_does_not_change);
    tcase_add_test(core, test_numbers_without_room_are_counted);
    tcase_add_test(core, test_files_keep_their_names);
    tcase_add_test(core, test_what_fits_nowhere_is_said);
    tcase_add_test(core, test_what_sram_does_not_hold_is_said);
    tcase_add_test(core, test_the_title_of_a_map_is_beside_its_names);
    tcase_add_test(core, test_a_map_with_long_names_has_room_for_its_cells);
    tcase_add_test(core, test_the_unbounded_machine_is_found);
    tcase_add_test(core, test_axes_follow_the_values);
    tcase_add_test(core, test_titles_have_units);
    tcase_add_test(core, test_pictures_follow_what_varies);
    tcase_add_test(core, test_only_throughput_has_the_limit_of_the_bus);
    tcase_add_test(core, test_front_of_one_search_names_its_time);
    tcase_add_loop_test(core, test_panels_make_full_rows, 2, 6);
    tcase_add_loop_test(core, test_a_map_says_how_little_changes, 0, 2);
    tcase_add_test(core, test_a_front_needs_a_change);
    tcase_add_test(core, test_a_grid_is_labelled_once);
    tcase_add_test(core, test_times_of_a_front_have_one_unit);
    tcase_add_test(core, test_lines_are_told_apart);
    tcase_add_test(core, test_only_counts_have_whole_ticks);
    tcase_add_test(core, test_the_front_goes_through_the_greatest_speeds);
    tcase_add_test(core, test_points_have_the_columns_of_their_picture);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
