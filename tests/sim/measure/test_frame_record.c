/* test_frame_record.c - frames of the run, put together from pieces of passes: against the same passes, measured clock
 * by clock.
 */
#include "sim/measure/frame_record.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "sim/measure/machine_taps.h"
#include "sim/measure/measure.h"
#include "tests/run_suite.h"
#include "tests/traces/directive/consistent.h"
#include "tests/sim/board/random_tokens.h"

enum { PASSES = 3, BOARDS_MOST = 2, RUNS = 12, BORDERS = 20000 };

static struct why why;

/* What is measured, and what becomes of the clocks in which a board has no pass. */
enum idle { IDLE_OF_RUN, IDLE_OF_BUSES, IDLE_OF_BOARDS, IDLE_IS_EMPTY, IDLE_IS_NOTHING };

static const struct {
    const char *what;
    enum idle idle;
} asked[] = {
    {"rate at bus_in", IDLE_OF_RUN},
    {"byte_rate at bus_out", IDLE_OF_RUN},
    {"utilisation at bus_in", IDLE_OF_BUSES},
    {"utilisation at sram", IDLE_OF_BOARDS},
    {"utilisation at stage_1bd", IDLE_OF_BOARDS},
    {"back_pressure at sram_fifo", IDLE_OF_BOARDS},
    {"occupancy at wmer_fifo: min, max, deviation, histogram(2..40/2), quantile(0.5 within 25 %)",
     IDLE_IS_EMPTY},
    {"latency at wmer_fifo to bus_out: max, histogram(64), quantile(0.9 within 25 %)", IDLE_IS_NOTHING},
    {"false_positives at stage_1a", IDLE_IS_NOTHING},
    {"collisions at stage_1bd", IDLE_IS_NOTHING},
    {"trips_per_seed at stage_1bd: max", IDLE_IS_NOTHING},
};

enum { ASKED = sizeof asked / sizeof asked[0] };

static struct measure_plan *make_plan(struct directives *list, const struct hardware *hardware,
                                      const char *frame)
{
    char text[4096] = "";
    struct measure_plan *plan;
    for (unsigned i = 0; i < ASKED; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s every %s as m%u\n", asked[i].what,
                 frame, i);
    ck_assert_msg(directives_parse(text, strlen(text), "m.tt", &machine_catalogue, list, &why) == 0, "%s",
                  why.line);
    ck_assert_msg(measure_plan_make(list, hardware, "m.tt", &plan, &why) == 0, "%s", why.line);
    return plan;
}

/* --- passes ---------------------------------------------------------------------------------------------- */

struct placed_pass {
    struct random_case made;
    int64_t origin, end; /* end: clock of the pass in which the board is empty */
};

/* Measure a pass. @return its frame records */
static FILE *measure_pass(struct placed_pass *p, const struct measure_plan *plan, int64_t origin)
{
    FILE *records = tmpfile();
    struct measure *measure = measure_new(plan, SIDE_BOARD, records);
    struct board *board = board_new(&p->made.rules);
    struct board_times times = {0};
    struct board_taps taps;
    measure_place(measure, origin);
    board_taps_init(&taps, &p->made.rules);
    measure_attach(measure, &taps);
    for (size_t b = 0; b < p->made.block_count; b++) {
        board_advance(board, &p->made.tokens[b], &p->made.shares[b], &times);
        measure_sample(measure, &p->made.tokens[b], &times);
        ck_assert(board_taps_block(&taps, &p->made.tokens[b], &times));
        measure_settle(measure);
    }
    p->end = board_drained(board);
    board_taps_close(&taps, p->end);
    measure_end_board(measure, p->end, UINT64_MAX);
    ck_assert_msg(measure_finish(measure, &why) == 0, "%s", why.line);
    measure_destroy(measure);
    board_taps_destroy(&taps);
    board_times_destroy(&times);
    board_destroy(board);
    rewind(records);
    return records;
}

/* --- a run ----------------------------------------------------------------------------------------------- */

struct run {
    struct hardware hardware;
    struct placed_pass passes[PASSES];
    struct run_times times;
    int64_t origins[PASSES];
    double period; /* clocks */
    struct directives fine_list, run_list;
    struct measure_plan *fine, *plan;
    struct run_frames *frames;
    size_t frame_count;
    struct measured *expected; /* frame after frame, ASKED each */
};

/* Clock in which frame k ends. */
static int64_t border(const struct run *r, size_t k)
{
    return (int64_t)round((double)k * r->period);
}

/* A clock at or soon after `clock`, often at a border of frames or one before it. */
static int64_t later_origin(const struct run *r, int64_t clock, struct dice *dice)
{
    size_t k = 1;
    clock += (int64_t)(dice_chance(dice, 30) ? 0 : dice_below(dice, 6000));
    if (dice_chance(dice, 50))
        return clock;
    while (border(r, k) <= clock)
        k++;
    return border(r, k) - (int64_t)dice_below(dice, 2);
}

/* Passes go in turn to the boards, with pauses, in which tables are loaded. */
static void place_passes(struct run *r, struct dice *dice)
{
    int64_t free_at[BOARDS_MOST] = {0};
    r->times = (struct run_times){.origins = r->origins};
    for (unsigned i = 0; i < PASSES; i++) {
        struct placed_pass *p = &r->passes[i];
        int64_t *free_clock = &free_at[i % r->hardware.boards];
        case_make(&p->made, dice_next(dice), (enum stream_kind)dice_below(dice, STREAM_KINDS), RULES_DEFAULT,
                  (enum bus_kind)dice_below(dice, BUS_KINDS));
        p->made.rules = r->hardware.board;
        fclose(measure_pass(p, r->plan, 0)); /* it says when the pass ends */
        r->origins[i] = later_origin(r, *free_clock, dice);
        *free_clock = r->origins[i] + p->end;
        r->times.end = *free_clock > r->times.end ? *free_clock : r->times.end;
    }
    r->times.end += (int64_t)dice_below(dice, 5000); /* stage 3 is not finished */
}

static void make_plans(struct run *r, struct dice *dice, unsigned boards)
{
    char frame[64];
    r->hardware = hardware_default();
    r->hardware.board = rules_default();
    r->hardware.board.stage2_matches = 300; /* room for any group */
    r->hardware.hsp_bytes = 16;
    r->hardware.boards = boards;
    r->hardware.buses = (uint32_t)dice_between(dice, 1, boards);
    if (dice_chance(dice, 50)) {
        uint64_t clocks = dice_between(dice, 1, UINT64_C(32) << dice_below(dice, 8));
        r->period = (double)clocks;
        snprintf(frame, sizeof frame, "%llu clocks of run", (unsigned long long)clocks);
    } else {
        double us = (double)dice_between(dice, 100, UINT64_C(300) << dice_below(dice, 8)) / 1024;
        r->period = us * 1e-6 * r->hardware.fpga_clock_hz;
        snprintf(frame, sizeof frame, "%.17g us of run", us);
    }
    r->fine = make_plan(&r->fine_list, &r->hardware, "1 clocks");
    r->plan = make_plan(&r->run_list, &r->hardware, frame);
}

static struct measured *expected_of(const struct run *r, size_t frame, unsigned measurement)
{
    return &r->expected[frame * ASKED + measurement];
}

/* Add a pass's clocks, one by one, to the frames in which they are. */
static void expect_pass(struct run *r, unsigned pass)
{
    FILE *records = measure_pass(&r->passes[pass], r->fine, 0);
    struct measured parts[ASKED];
    struct frame_head head;
    size_t frames[ASKED] = {0};
    for (unsigned i = 0; i < ASKED; i++)
        measured_init(&parts[i], &r->fine->measurements[i]);
    while (frame_record_read_head(records, &head)) {
        unsigned i = head.measurement;
        ck_assert(frame_record_read(records, &parts[i]));
        if (head.is_pass)
            continue;
        ck_assert_uint_eq(head.clocks, 1);
        while (border(r, frames[i] + 1) <= r->origins[pass] + head.begin)
            frames[i]++;
        measured_add(expected_of(r, frames[i], i), &parts[i]);
    }
    for (unsigned i = 0; i < ASKED; i++)
        measured_destroy(&parts[i]);
    fclose(records);
}

static void expect(struct run *r)
{
    for (r->frame_count = 1; border(r, r->frame_count) < r->times.end; r->frame_count++)
        ;
    r->expected = calloc(r->frame_count * ASKED, sizeof *r->expected);
    for (size_t i = 0; i < r->frame_count * ASKED; i++)
        measured_init(&r->expected[i], &r->plan->measurements[i % ASKED]);
    for (unsigned pass = 0; pass < PASSES; pass++)
        expect_pass(r, pass);
}

/* Take in the pieces, those of the last pass first. */
static void add_pieces(struct run *r)
{
    struct measured parts[ASKED];
    r->frames = run_frames_new(r->plan);
    ck_assert_ptr_nonnull(r->frames);
    for (unsigned i = 0; i < ASKED; i++)
        measured_init(&parts[i], &r->plan->measurements[i]);
    for (unsigned pass = PASSES; pass-- > 0;) {
        FILE *records = measure_pass(&r->passes[pass], r->plan, r->origins[pass]);
        struct frame_head head;
        while (frame_record_read_head(records, &head)) {
            ck_assert(frame_record_read(records, &parts[head.measurement]));
            if (!head.is_pass)
                ck_assert(run_frames_add(r->frames, &head, &parts[head.measurement]));
        }
        fclose(records);
    }
    for (unsigned i = 0; i < ASKED; i++)
        measured_destroy(&parts[i]);
}

static void run_init(struct run *r, struct dice *dice, unsigned boards)
{
    *r = (struct run){0};
    make_plans(r, dice, boards);
    place_passes(r, dice);
    expect(r);
    add_pieces(r);
}

static void run_destroy(struct run *r)
{
    for (unsigned i = 0; i < PASSES; i++)
        case_destroy(&r->passes[i].made);
    for (size_t i = 0; i < r->frame_count * ASKED; i++)
        measured_destroy(&r->expected[i]);
    free(r->expected);
    run_frames_destroy(r->frames);
    measure_plan_destroy(r->fine);
    measure_plan_destroy(r->plan);
    directives_destroy(&r->fine_list);
    directives_destroy(&r->run_list);
}

/* --- frames against clocks --------------------------------------------------------------------------------- */

static void check_aggregates(const struct aggregate *a, const struct aggregate *b)
{
    ck_assert(aggregate_is_consistent(a));
    ck_assert_uint_eq(a->moments.weight, b->moments.weight);
    ck_assert(a->moments.sum == b->moments.sum && a->moments.squares == b->moments.squares);
    ck_assert(a->moments.weight == 0 ||
              (a->moments.least == b->moments.least && a->moments.most == b->moments.most));
    if (a->histogram) {
        ck_assert_uint_eq(a->histogram->under, b->histogram->under);
        ck_assert_uint_eq(a->histogram->over, b->histogram->over);
        ck_assert_mem_eq(a->histogram->weights, b->histogram->weights, a->histogram->bins * sizeof(uint64_t));
    }
    if (a->quantile) {
        ck_assert_uint_eq(a->quantile->used, b->quantile->used);
        ck_assert_mem_eq(a->quantile->weights, b->quantile->weights, a->quantile->used * sizeof(uint64_t));
    }
}

/* What clock after clock said is completed by the clocks without a pass. */
static void check_frame(const struct run *r, unsigned i, const struct frame_head *head,
                        const struct measured *found)
{
    struct measured *wanted = expected_of(r, head->frame - 1, i);
    const uint64_t of_boards = head->clocks * r->hardware.boards;
    if (asked[i].idle == IDLE_IS_EMPTY && of_boards > wanted->aggregate.moments.weight)
        aggregate_add(&wanted->aggregate, 0, of_boards - wanted->aggregate.moments.weight);
    if (asked[i].idle == IDLE_OF_RUN)
        wanted->fraction.whole = head->clocks;
    if (asked[i].idle == IDLE_OF_BUSES)
        wanted->fraction.whole = head->clocks * r->hardware.buses;
    if (asked[i].idle == IDLE_OF_BOARDS)
        wanted->fraction.whole = of_boards;
    if (r->plan->measurements[i].aggregated) {
        check_aggregates(&found->aggregate, &wanted->aggregate);
    } else {
        ck_assert_msg(found->fraction.part == wanted->fraction.part &&
                          found->fraction.whole == wanted->fraction.whole,
                      "%s: frame %llu", asked[i].what, (unsigned long long)head->frame);
    }
}

START_TEST(test_frames_are_what_clocks_add_up_to)
{
    struct dice dice = {UINT64_C(4100) + (uint64_t)_i};
    struct run run;
    run_init(&run, &dice, 1 + (unsigned)_i % BOARDS_MOST);
    for (unsigned i = 0; i < ASKED; i++) {
        struct measured found;
        struct frame_head head;
        int64_t end = 0;
        measured_init(&found, &run.plan->measurements[i]);
        ck_assert_uint_eq(run_frames_count(run.frames, i, &run.times), run.frame_count);
        for (size_t frame = 1; frame <= run.frame_count; frame++) {
            ck_assert(run_frames_read(run.frames, &run.times, i, frame, &head, &found));
            ck_assert_uint_eq(head.frame, frame);
            ck_assert_int_eq(head.begin, end);
            end += (int64_t)head.clocks;
            ck_assert_int_eq(end, head.partial ? run.times.end : border(&run, frame));
            ck_assert(!head.partial || frame == run.frame_count);
            check_frame(&run, i, &head, &found);
        }
        ck_assert_int_eq(end, run.times.end);
        measured_destroy(&found);
    }
    run_destroy(&run);
}
END_TEST

/* --- a frame without any piece, and too many --------------------------------------------------------------- */

START_TEST(test_a_frame_without_a_pass_is_idle)
{
    struct hardware hardware = hardware_default();
    struct directives list;
    struct measure_plan *plan = make_plan(&list, &hardware, "1000 clocks of run");
    const struct run_times times = {.end = 2500};
    struct run_frames *frames = run_frames_new(plan);
    for (unsigned i = 0; i < ASKED; i++) {
        struct measured found;
        struct frame_head head;
        double values[AGGREGATE_VALUES_MAX];
        measured_init(&found, &plan->measurements[i]);
        ck_assert_uint_eq(run_frames_count(frames, i, &times), 3);
        ck_assert(run_frames_read(frames, &times, i, 3, &head, &found));
        ck_assert(head.partial && head.begin == 2000 && head.clocks == 500);
        measured_values(&plan->measurements[i], &found, values);
        ck_assert(asked[i].idle == IDLE_IS_NOTHING ? isnan(values[0]) : values[0] == 0);
        measured_destroy(&found);
    }
    run_frames_destroy(frames);
    measure_plan_destroy(plan);
    directives_destroy(&list);
}
END_TEST

/* A pass cannot be on the board while another one is. */
START_TEST(test_pieces_that_overlap_are_refused)
{
    struct hardware hardware = hardware_default();
    struct directives list;
    struct measure_plan *plan = make_plan(&list, &hardware, "1000 clocks of run");
    const struct run_times times = {.end = 1000};
    const struct frame_head piece = {.measurement = 0, .frame = 1, .clocks = 501};
    struct run_frames *frames = run_frames_new(plan);
    struct measured found;
    struct frame_head head;
    measured_init(&found, &plan->measurements[0]);
    ck_assert(run_frames_add(frames, &piece, &found) && run_frames_read(frames, &times, 0, 1, &head, &found));
    ck_assert(!head.partial);
    ck_assert(run_frames_add(frames, &piece, &found));
    ck_assert(!run_frames_read(frames, &times, 0, 1, &head, &found));
    hardware.boards = 2;
    ck_assert(run_frames_read(frames, &times, 0, 1, &head, &found));
    measured_destroy(&found);
    run_frames_destroy(frames);
    measure_plan_destroy(plan);
    directives_destroy(&list);
}
END_TEST

/* --- borders --------------------------------------------------------------------------------------------- */

START_TEST(test_the_frames_before_a_clock_end_by_then)
{
    struct dice dice = {UINT64_C(77)};
    struct hardware hardware = hardware_default();
    for (int n = 0; n < BORDERS; n++) {
        struct frame_timer timer = {.spec = {.kind = FRAME_CLOCKS, .of_run = true}};
        if (dice_chance(&dice, 50)) {
            timer.spec.kind = FRAME_SECONDS;
            timer.spec.seconds = (double)dice_between(&dice, 8, UINT64_C(1) << dice_below(&dice, 40)) * 1e-9;
        }
        timer.spec.amount = dice_between(&dice, 1, UINT64_C(1) << dice_below(&dice, 40));
        int64_t clock = (int64_t)dice_below(&dice, UINT64_C(1) << dice_below(&dice, 51));
        if (dice_chance(&dice, 30) && timer_border(&timer, &hardware, (uint64_t)n + 1) < INT64_MAX)
            clock = timer_border(&timer, &hardware, (uint64_t)n + 1) - (int64_t)dice_below(&dice, 2);
        uint64_t frames = timer_frames_before(&timer, &hardware, clock);
        ck_assert(frames == 0 || timer_border(&timer, &hardware, frames) <= clock);
        ck_assert(timer_border(&timer, &hardware, frames + 1) > clock);
    }
}
END_TEST

static Suite *run_frames_suite(void)
{
    Suite *suite = suite_create("run_frames");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_frames_are_what_clocks_add_up_to, 0, tests_some(RUNS));
    tcase_add_test(core, test_a_frame_without_a_pass_is_idle);
    tcase_add_test(core, test_pieces_that_overlap_are_refused);
    tcase_add_test(core, test_the_frames_before_a_clock_end_by_then);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(run_frames_suite());
}
