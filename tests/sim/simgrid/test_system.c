/* test_system.c - several boards: passes of plain words, made up here, against what boards that share a bus must give
 * by hand, and against passes that are alone.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/simgrid/system.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/measure/machine_frame.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"
#include "tests/sim/platform/prepared_platform.h"
#include "tests/sim/simgrid/bus_bound.h"

enum { BLOCK = 65536, TABLES = 102400, PASSES_MAX = 16 };

/* --- passes ---------------------------------------------------------------------------------------------- */

/* Blocks of words; every word has a number of seeds that need a trip each, so that 1bd may limit the board. */
struct made_up {
    unsigned blocks, seeds_per_word;
};

static uint64_t scan(void *data, uint64_t first, uint64_t count, struct tokens *t, struct pass_counts *counts)
{
    const struct made_up *m = data;
    (void)first;
    tokens_clear(t);
    for (uint64_t i = 0; i < count; i++) {
        tokens_add_word(t, m->seeds_per_word);
        for (unsigned seed = 0; seed < m->seeds_per_word; seed++) {
            tokens_add_seed(t, LOOKUP_DUPLICATE, 1);
            tokens_add_group(t, 1, 0);
            tokens_add_match(t, false);
        }
    }
    counts->words += count;
    counts->wmers += BASES_PER_WORD * count;
    counts->seeds += m->seeds_per_word * count;
    counts->trips += m->seeds_per_word * count;
    counts->lookups_duplicate += m->seeds_per_word * count;
    counts->matches += m->seeds_per_word * count;
    return count;
}

static bool extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    (void)data, (void)hsps, (void)count, (void)work;
    return true;
}

struct outcome {
    int status;
    struct pass_outcome {
        struct frame frame;
        struct host_pass host;
        unsigned ended; /* 1 for the pass that ended first */
    } passes[PASSES_MAX];
};

struct boards {
    struct made_up made[PASSES_MAX];
    struct system_pass work[PASSES_MAX];
    struct system_wall wall;
    struct outcome *outcome;
    unsigned ended;
};

static bool begin(void *data, size_t pass, struct system_pass **work)
{
    struct boards *b = data;
    b->work[pass] =
        (struct system_pass){.source = {.data = &b->made[pass],
                                        .database_words = b->made[pass].blocks * (uint64_t)BLOCK / 8,
                                        .table_bytes = TABLES,
                                        .scan = scan,
                                        .extend = extend},
                             .frame = &b->outcome->passes[pass].frame,
                             .host = &b->outcome->passes[pass].host,
                             .wall = &b->wall};
    *work = &b->work[pass];
    return true;
}

static bool end(void *data, size_t pass, int status)
{
    struct boards *b = data;
    b->outcome->passes[pass].ended = ++b->ended;
    stage3_tasks_destroy(&b->outcome->passes[pass].host.tasks);
    return status == 0;
}

static uint64_t table_bytes(void *data, size_t pass)
{
    (void)data, (void)pass;
    return TABLES;
}

/* The clocks of building tables; 0: they are built in no time. */
static uint64_t operations;

static uint64_t build_operations(void *data, size_t pass)
{
    (void)data, (void)pass;
    return operations;
}

/* Simulate passes in a process of their own: SimGrid has one engine a process. */
static struct outcome *simulate(const struct made_up *made, size_t pass_count)
{
    struct platform *platform = prepared_platform(&hardware);
    struct outcome *outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(outcome, MAP_FAILED);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        struct boards boards = {.outcome = outcome};
        memcpy(boards.made, made, pass_count * sizeof *made);
        outcome->status = system_run(
            &(struct system_run){.hardware = &hardware,
                                 .platform_file = platform_simgrid_file(platform),
                                 .boards = hardware.boards,
                                 .pass_count = pass_count,
                                 .begin = begin,
                                 .end = end,
                                 .table_bytes = hardware.overlap == OVERLAP_TABLES ? table_bytes : NULL,
                                 .build_operations = operations > 0 ? build_operations : NULL,
                                 .data = &boards});
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(outcome->status, 0);
    platform_close(platform);
    return outcome;
}

static void forget(struct outcome *outcome)
{
    munmap(outcome, sizeof *outcome);
}

static double end_s(const struct outcome *outcome, size_t pass)
{
    return outcome->passes[pass].host.begin_s + outcome->passes[pass].host.board_s;
}

/* --- the bus --------------------------------------------------------------------------------------------- */

/* Everyone has an equal part of the bus all the time, so all passes take as many times longer as there are boards. */
START_TEST(test_boards_share_their_bus)
{
    static const struct made_up made[8] = {{20, 0}, {20, 0}, {20, 0}, {20, 0},
                                           {20, 0}, {20, 0}, {20, 0}, {20, 0}};
    static const char *const boards[] = {"boards=1", "boards=2", "boards=3", "boards=8"};
    set(boards[_i]);
    struct outcome *out = simulate(made, hardware.boards);
    double shares = hardware.boards;
    for (size_t i = 0; i < hardware.boards; i++) {
        const struct pass_outcome *pass = &out->passes[i];
        ck_assert_uint_eq(pass->host.board, i);
        ck_assert_double_eq(pass->host.begin_s, 0);
        assert_close(pass->host.stream_begin_s, shares * TABLES / bus(), 1e-9);
        assert_close(frame_measured_s(&pass->frame), shares * 20 * BLOCK / bus(), 1e-4);
        /* the bus moves data all the time, whoever's they are */
        assert_close((double)pass->frame.counters[PCIX_BUSY],
                     (double)pass->frame.counters[PCIX_MEASURED_TIME], 1e-4);
    }
    forget(out);
}
END_TEST

/* A bus for each board: every pass is to the bit what it is alone. */
START_TEST(test_boards_with_a_bus_each_do_not_meet)
{
    static const struct made_up made[3] = {{20, 0}, {11, 1}, {7, 3}};
    struct outcome *alone[3];
    for (size_t i = 0; i < 3; i++)
        alone[i] = simulate(&made[i], 1);
    set("boards=3");
    set("bus.count=3");
    struct outcome *out = simulate(made, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_mem_eq(&out->passes[i].frame, &alone[i]->passes[0].frame, sizeof(struct frame));
        ck_assert_double_eq(out->passes[i].host.board_s, alone[i]->passes[0].host.board_s);
        forget(alone[i]);
    }
    forget(out);
}
END_TEST

/* Boards 1 and 3 are on the first bus, board 2 is alone on the second. */
START_TEST(test_boards_are_dealt_on_buses)
{
    static const struct made_up made[3] = {{20, 0}, {20, 0}, {20, 0}};
    set("boards=3");
    set("bus.count=2");
    struct outcome *out = simulate(made, 3);
    assert_close(frame_measured_s(&out->passes[0].frame), 2 * 20 * BLOCK / bus(), 1e-4);
    assert_close(frame_measured_s(&out->passes[1].frame), 20 * BLOCK / bus(), 1e-4);
    assert_close(frame_measured_s(&out->passes[2].frame), 2 * 20 * BLOCK / bus(), 1e-4);
    forget(out);
}
END_TEST

/* Hosts that supply less than a part of the bus: no board notices the others, but for the load. */
START_TEST(test_a_slow_supply_leaves_the_bus_to_others)
{
    static const struct made_up made[2] = {{20, 0}, {20, 0}};
    set("host.supply=300e6");
    set("boards=2");
    struct outcome *out = simulate(made, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct frame *frame = &out->passes[i].frame;
        assert_close(frame_measured_s(frame), 20 * BLOCK / 300e6, 1e-3);
        /* the bus is at work for both: 2 x 300 MB/s of its rate */
        assert_close((double)frame->counters[PCIX_BUSY],
                     600e6 / bus() * (double)frame->counters[PCIX_MEASURED_TIME], 1e-2);
    }
    forget(out);
}
END_TEST

/* A board that makes trips all the time takes 8 bytes in 60 clocks; the other has what is left. While both transfer,
 * each has half of the bus; the slow one is done with a block after BLOCK / (bus / 2) and then holds no one. */
START_TEST(test_a_stalled_board_does_not_hold_the_bus)
{
    static const struct made_up made[2] = {{4, 1}, {400, 0}};
    set("boards=2");
    struct outcome *out = simulate(made, 2);
    double slow_s = 4 * BLOCK / 8 * 60 / 1e9;
    assert_close(frame_measured_s(&out->passes[0].frame), slow_s, 0.01);
    assert_close(frame_measured_s(&out->passes[1].frame), (400 + 4) * BLOCK / bus(), 1e-3);
    forget(out);
}
END_TEST

/* --- building tables ------------------------------------------------------------------------------------- */

static void set_building(const char *cores, const char *ahead)
{
    set(cores);
    set(ahead);
    set("host.clock=1e9");
    set("host.build_clocks=10");
    operations = 1000000; /* 10 ms: no pass takes as long */
}

static void assert_begins(const struct outcome *out, size_t pass, double begin_s, double wait_s)
{
    ck_assert_double_eq_tol(out->passes[pass].host.begin_s, begin_s, 1e-9);
    ck_assert_double_eq_tol(out->passes[pass].host.build_wait_s, wait_s, 1e-9);
}

/* One core builds for one board after the other; of two cores each builds, if two passes may be built ahead. */
START_TEST(test_boards_wait_for_their_tables)
{
    static const struct made_up made[2] = {{20, 0}, {20, 0}};
    static const double second_s[] = {20e-3, 20e-3, 10e-3};
    static const char *const cores[] = {"host.cores=1", "host.cores=2", "host.cores=2"};
    static const char *const ahead[] = {"host.build_ahead=4", "host.build_ahead=1", "host.build_ahead=2"};
    set("boards=2");
    set_building(cores[_i], ahead[_i]);
    struct outcome *out = simulate(made, 2);
    operations = 0;
    assert_begins(out, 0, 10e-3, 10e-3);
    assert_begins(out, 1, second_s[_i], second_s[_i]);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq(out->passes[i].host.dealt_s, 0);
    forget(out);
}
END_TEST

/* The second pass's tables are built at 20 ms and load after that: it has waited since the board was free of the first
 * one, and begins then. */
START_TEST(test_tables_are_loaded_ahead_when_they_are_built)
{
    static const struct made_up made[2] = {{20, 0}, {20, 0}};
    set("schedule.overlap=tables");
    set_building("host.cores=1", "host.build_ahead=4");
    struct outcome *out = simulate(made, 2);
    operations = 0;
    const double load_s = TABLES / bus(), stream_s = 20 * BLOCK / bus();
    assert_begins(out, 0, 10e-3, 10e-3);
    assert_close(out->passes[0].host.board_s, load_s + stream_s, 1e-2);
    assert_begins(out, 1, 20e-3, 10e-3 - out->passes[0].host.board_s);
    assert_close(out->passes[1].host.stream_begin_s, load_s, 1e-6);
    forget(out);
}
END_TEST

/* --- dealing --------------------------------------------------------------------------------------------- */

/* One board does one pass after the other, and each is what it is alone: but for rounding, its begin changes
 * nothing. */
START_TEST(test_passes_follow_on_a_board)
{
    static const struct made_up made[3] = {{9, 0}, {11, 1}, {7, 3}};
    struct outcome *out = simulate(made, 3);
    double begin_s = 0;
    for (size_t i = 0; i < 3; i++) {
        struct outcome *alone = simulate(&made[i], 1);
        const struct pass_outcome *pass = &out->passes[i], *same = &alone->passes[0];
        ck_assert_uint_eq(pass->host.board, 0);
        assert_close(pass->host.begin_s, begin_s, 1e-12);
        assert_close(pass->host.board_s, same->host.board_s, 1e-9);
        ck_assert_int_eq(pass->host.board_end, same->host.board_end);
        ck_assert_mem_eq(pass->frame.queues, same->frame.queues, sizeof(struct fifo_measure) * BOARD_FIFOS);
        begin_s += pass->host.board_s;
        forget(alone);
    }
    forget(out);
}
END_TEST

/* The next pass goes to the board that is free: the second, whose first pass is the shorter one. */
START_TEST(test_a_free_board_gets_the_next_pass)
{
    static const struct made_up made[4] = {{50, 0}, {5, 0}, {5, 0}, {5, 0}};
    set("boards=2");
    struct outcome *out = simulate(made, 4);
    ck_assert_uint_eq(out->passes[0].host.board, 0);
    for (size_t i = 1; i < 4; i++) {
        ck_assert_uint_eq(out->passes[i].host.board, 1);
        ck_assert_uint_eq(out->passes[i].ended, i);
    }
    assert_close(out->passes[2].host.begin_s, end_s(out, 1), 1e-9);
    assert_close(out->passes[3].host.begin_s, end_s(out, 2), 1e-9);
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq(out->passes[i].host.dealt_s, out->passes[i].host.begin_s);
    forget(out);
}
END_TEST

/* A bus that never idles has moved everything when the last board is free. */
START_TEST(test_the_bus_carries_all_bytes_and_no_more)
{
    struct made_up made[10];
    unsigned blocks = 0;
    set("boards=4");
    for (unsigned i = 0; i < 10; i++) {
        made[i] = (struct made_up){5 + 7 * i % 11, 0};
        blocks += made[i].blocks;
    }
    struct outcome *out = simulate(made, 10);
    double last_s = 0;
    for (size_t i = 0; i < 10; i++) {
        last_s = fmax(last_s, end_s(out, i));
        ck_assert_uint_eq(out->passes[i].frame.counters[PCIX_DATABASE_BYTES],
                          made[i].blocks * (uint64_t)BLOCK);
        ck_assert_uint_eq(out->passes[i].frame.counters[PCIX_TABLE_BYTES], TABLES);
    }
    assert_close(last_s, (10.0 * TABLES + blocks * (double)BLOCK) / bus(), 1e-3);
    forget(out);
}
END_TEST

/* Only the first pass of a board waits for its tables; those of the second, which is dealt when the first begins to
 * stream, share the bus with two streams. */
START_TEST(test_tables_load_while_boards_stream)
{
    static const struct made_up made[4] = {{20, 0}, {20, 0}, {20, 0}, {20, 0}};
    set("schedule.overlap=tables");
    set("boards=2");
    struct outcome *out = simulate(made, 4);
    for (size_t i = 0; i < 4; i++) {
        double load_s = i < 2 ? 2 * TABLES / bus() : 0;
        assert_close(out->passes[i].host.dealt_s, i < 2 ? 0 : 2 * TABLES / bus(), 1e-9);
        assert_close(out->passes[i].host.stream_begin_s, load_s, 1e-9);
        ck_assert_uint_eq(out->passes[i].frame.counters[PCIX_TABLE_BYTES],
                          (uint64_t)TABLES * (i < 2 ? 2 : 0)); /* a board's first pass, and the next one's */
        assert_close(frame_measured_s(&out->passes[i].frame), 2 * (20 * BLOCK + (i < 2 ? TABLES : 0)) / bus(),
                     1e-3);
    }
    forget(out);
}
END_TEST

static Suite *system_suite(void)
{
    Suite *suite = suite_create("system");
    TCase *shared = tcase_create("bus");
    tcase_add_checked_fixture(shared, set_up, NULL);
    tcase_add_loop_test(shared, test_boards_share_their_bus, 0, 4);
    tcase_add_test(shared, test_boards_with_a_bus_each_do_not_meet);
    tcase_add_test(shared, test_boards_are_dealt_on_buses);
    tcase_add_test(shared, test_a_slow_supply_leaves_the_bus_to_others);
    tcase_add_test(shared, test_a_stalled_board_does_not_hold_the_bus);
    tcase_add_loop_test(shared, test_boards_wait_for_their_tables, 0, 3);
    tcase_add_test(shared, test_tables_are_loaded_ahead_when_they_are_built);
    suite_add_tcase(suite, shared);
    TCase *dealing = tcase_create("dealing");
    tcase_add_checked_fixture(dealing, set_up, NULL);
    tcase_add_test(dealing, test_passes_follow_on_a_board);
    tcase_add_test(dealing, test_a_free_board_gets_the_next_pass);
    tcase_add_test(dealing, test_the_bus_carries_all_bytes_and_no_more);
    tcase_add_test(dealing, test_tables_load_while_boards_stream);
    suite_add_tcase(suite, dealing);
    return suite;
}

int main(void)
{
    return run_suite(system_suite());
}
