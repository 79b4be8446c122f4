/* test_host_taps.c - what cores did with a pass, as frame, measurements and timeline: against counts and sums that are
 * made here task by task and clock by clock.
 */
#include "sim/host/host_taps.h"

#include <check.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "sim/board/board.h"
#include "sim/measure/frame_record.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { HSPS_MAX = 12000, CORES_MAX = 9, PASSES = 40 };

static struct why why;
static struct hardware hardware;

static void set_up(void)
{
    hardware = hardware_default();
}

/* --- a pass whose times are known ------------------------------------------------------------------------ */

static struct stage3_hsp hsps[HSPS_MAX];
static uint64_t clusters[HSPS_MAX + 1];
static struct task_times hsp_times[HSPS_MAX], cluster_times[HSPS_MAX + 1];
static double free_s[CORES_MAX];

static uint32_t first_free(void)
{
    uint32_t core = 0;
    for (uint32_t i = 1; i < hardware.host_cores; i++)
        core = free_s[i] < free_s[core] ? i : core;
    return core;
}

static struct task_times work(double ready_s, double work_s)
{
    uint32_t core = first_free();
    double begin_s = fmax(ready_s, free_s[core]);
    free_s[core] = begin_s + work_s;
    return (struct task_times){begin_s, free_s[core], core};
}

static double fraction(struct dice *dice)
{
    return (double)dice_below(dice, 1u << 30) / (double)(1u << 30);
}

/* The time of a tick of the board in the run. */
static double time_of(const struct host_pass *pass, int64_t ticks)
{
    return pass->begin_s + pass->stream_begin_s +
           (double)ticks / (hardware.fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
}

/* HSPs, first come, first served, and then clusters in any order, on cores that were busy with other passes. */
static struct host_pass make_pass(struct dice *dice)
{
    const double pace_s = 1e-8 * (double)(UINT64_C(1) << dice_below(dice, 8));
    struct host_pass pass = {.number = 2,
                             .begin_s = 0.1 * fraction(dice),
                             .stream_begin_s = 1e-5 * fraction(dice),
                             .tasks = {.hsps = hsps, .clusters = clusters},
                             .hsps = hsp_times,
                             .clusters = cluster_times};
    int64_t ticks = 0;
    hardware.host_cores = (uint32_t)dice_between(dice, 1, CORES_MAX);
    for (unsigned i = 0; i < CORES_MAX; i++)
        free_s[i] = pass.begin_s + 2e-5 * fraction(dice);
    pass.tasks.hsp_count = dice_below(dice, HSPS_MAX + 1);
    for (size_t i = 0; i < pass.tasks.hsp_count; i++) {
        ticks += dice_chance(dice, 40) ? 0 : (int64_t)dice_below(dice, UINT64_C(1) << 26);
        hsps[i] = (struct stage3_hsp){.arrived = ticks, .cells = (uint32_t)dice_below(dice, 3)};
        hsp_times[i] = work(time_of(&pass, ticks), pace_s * fraction(dice));
    }
    pass.tasks.cluster_count = dice_between(dice, 1, 1 + pass.tasks.hsp_count / 8);
    for (size_t i = 0; i < pass.tasks.cluster_count; i++) {
        clusters[i] = dice_chance(dice, 70) ? dice_between(dice, 1, 1000) : 0;
        pass.cluster_count += clusters[i] > 0;
    }
    for (size_t i = pass.cluster_count; i-- > 0;) /* the last is begun first */
        cluster_times[i] = work(time_of(&pass, ticks), 20 * pace_s * fraction(dice));
    pass.board_end = board_clock_at(ticks) + 10;
    pass.end_s = time_of(&pass, pass.board_end * BOARD_TICKS_PER_CLOCK);
    for (unsigned i = 0; i < hardware.host_cores; i++)
        pass.end_s = fmax(pass.end_s, free_s[i]);
    return pass;
}

/* Let HSPs begin in any order, and some of them long after others that come later. */
static void delay_hsps(struct host_pass *pass, struct dice *dice)
{
    const double most_s = 1e-6 * (double)(UINT64_C(1) << dice_below(dice, 6));
    for (size_t i = 0; i < pass->tasks.hsp_count; i++) {
        const double late_s = dice_chance(dice, 80) ? most_s * fraction(dice) : 0;
        hsp_times[i].begin_s += late_s;
        hsp_times[i].end_s += late_s;
        pass->end_s = fmax(pass->end_s, hsp_times[i].end_s);
    }
}

/* The clock of the pass's board at or after a time of the run. */
static int64_t clock_at(const struct host_pass *pass, double time_s)
{
    double clocks = (time_s - pass->begin_s - pass->stream_begin_s) * hardware.fpga_clock_hz;
    return board_clock_at(llround(clocks * (double)BOARD_TICKS_PER_CLOCK));
}

static int64_t arrived(size_t hsp)
{
    return board_clock_at(hsps[hsp].arrived);
}

static int64_t begun(const struct host_pass *pass, size_t hsp)
{
    return later(clock_at(pass, hsp_times[hsp].begin_s), arrived(hsp));
}

static int64_t done(const struct host_pass *pass, size_t hsp)
{
    return later(clock_at(pass, hsp_times[hsp].end_s), begun(pass, hsp));
}

static struct dice dice_of(int test, int n)
{
    return (struct dice){UINT64_C(100000) * (uint64_t)(test + 1) + (uint64_t)n};
}

/* --- the frame ------------------------------------------------------------------------------------------- */

START_TEST(test_the_inbox_is_what_counting_says)
{
    for (int n = 0; n < tests_some(PASSES); n++) {
        struct dice dice = dice_of(0, n);
        struct host_pass pass = make_pass(&dice);
        struct host_instruments instruments = {0};
        struct frame frame = {0};
        uint64_t integral = 0, sojourn = 0, most = 0, bins[FIFO_BINS] = {0};
        if (dice_chance(&dice, 50))
            delay_hsps(&pass, &dice);
        ck_assert(host_taps_fill_frame(&pass, &hardware, &instruments, &frame));
        for (size_t i = 0; i < pass.tasks.hsp_count; i++)
            sojourn += (uint64_t)(begun(&pass, i) - arrived(i));
        int64_t *change = calloc((size_t)instruments.end_clock, sizeof *change), inside = 0;
        for (size_t i = 0; i < pass.tasks.hsp_count; i++) {
            change[arrived(i)]++;
            change[begun(&pass, i)]--;
        }
        for (int64_t t = 0; t < instruments.end_clock; t++) {
            inside += change[t];
            integral += (uint64_t)inside;
            most = (uint64_t)inside > most ? (uint64_t)inside : most;
            bins[fifo_measure_bin(&frame.queues[QUEUE_INBOX], (uint64_t)inside)]++;
        }
        free(change);
        const struct fifo_measure *inbox = &frame.queues[QUEUE_INBOX];
        ck_assert(fifo_measure_is_consistent(inbox));
        ck_assert_uint_eq(inbox->elements, pass.tasks.hsp_count);
        ck_assert_uint_eq(inbox->clocks, (uint64_t)instruments.end_clock);
        ck_assert_uint_eq(inbox->integral, integral);
        ck_assert_uint_eq(inbox->sojourn_clocks, sojourn);
        ck_assert_uint_eq(inbox->most, most);
        ck_assert_mem_eq(inbox->bins, bins, sizeof bins);
    }
}
END_TEST

START_TEST(test_counters_are_sums_over_the_tasks)
{
    for (int n = 0; n < tests_some(PASSES); n++) {
        struct dice dice = dice_of(1, n);
        struct host_pass pass = make_pass(&dice);
        struct host_instruments instruments = {0};
        struct frame frame = {0};
        uint64_t cells = 0, recognised = 0;
        double busy_s = 0;
        ck_assert(host_taps_fill_frame(&pass, &hardware, &instruments, &frame));
        for (size_t i = 0; i < pass.tasks.hsp_count; i++) {
            cells += hsps[i].cells;
            recognised += hsps[i].cells == 0;
            busy_s += hsp_times[i].end_s - hsp_times[i].begin_s;
        }
        for (size_t i = 0; i < pass.tasks.cluster_count; i++)
            cells += clusters[i];
        for (size_t i = 0; i < pass.cluster_count; i++)
            busy_s += cluster_times[i].end_s - cluster_times[i].begin_s;
        double drained_s = time_of(&pass, pass.board_end * BOARD_TICKS_PER_CLOCK);
        ck_assert_uint_eq(frame.counters[S3_HSPS], pass.tasks.hsp_count);
        ck_assert_uint_eq(frame.counters[S3_HSPS_CONTAINED], recognised);
        ck_assert_uint_eq(frame.counters[S3_HSPS_EXTENDED], pass.tasks.hsp_count - recognised);
        ck_assert_uint_eq(frame.counters[S3_CELLS], cells);
        ck_assert_double_eq_tol((double)frame.counters[S3_CORE_BUSY], 1e12 * busy_s, 2);
        ck_assert_double_eq_tol((double)frame.counters[S3_DRAIN], 1e12 * (pass.end_s - drained_s), 2);
        assert_close(frame.duration_s, pass.end_s - pass.begin_s, 1e-12);
        ck_assert_int_ge(instruments.end_clock, pass.board_end + 1);
    }
}
END_TEST

/* --- measurements ---------------------------------------------------------------------------------------- */

static const char directives[] = "latency at inbox to job: min, max            as waiting\n"
                                 "latency at job to stage_3: min, max          as working\n"
                                 "latency at inbox to stage_3: min, max        as whole\n"
                                 "rate at stage_3                              as rate\n"
                                 "utilisation at stage_3                       as busy\n"
                                 "occupancy at inbox: max                      as inside\n";
enum { WAITING, WORKING, WHOLE, RATE, BUSY, INSIDE };

static struct measure_plan *make_plan(void)
{
    struct directives list;
    struct measure_plan *plan;
    ck_assert_msg(directives_parse(directives, strlen(directives), "m.tt", &machine_catalogue, &list, &why) ==
                      0,
                  "%s", why.line);
    ck_assert_msg(measure_plan_make(&list, &hardware, "m.tt", &plan, &why) == 0, "%s", why.line);
    directives_destroy(&list);
    return plan;
}

static void check_measured(const struct host_pass *pass, unsigned measurement, const struct measured *m,
                           const struct frame *frame)
{
    struct moments sum = {0};
    uint64_t busy = 0;
    for (size_t i = 0; i < pass->tasks.hsp_count; i++) {
        int64_t from = measurement == WORKING ? begun(pass, i) : arrived(i);
        int64_t to = measurement == WAITING ? begun(pass, i) : done(pass, i);
        moments_add(&sum, (uint64_t)(to - from), 1);
        busy += (uint64_t)(done(pass, i) - begun(pass, i));
    }
    for (size_t i = 0; i < pass->cluster_count; i++)
        busy += (uint64_t)(clock_at(pass, cluster_times[i].end_s) - clock_at(pass, cluster_times[i].begin_s));
    if (measurement == RATE) {
        ck_assert_uint_eq(m->fraction.part, pass->tasks.hsp_count);
    } else if (measurement == BUSY) {
        ck_assert_uint_eq(m->fraction.part, busy);
    } else if (measurement == INSIDE) {
        ck_assert(m->aggregate.moments.sum == frame->queues[QUEUE_INBOX].integral);
    } else {
        ck_assert_uint_eq(m->aggregate.moments.weight, sum.weight);
        ck_assert(m->aggregate.moments.sum == sum.sum);
        ck_assert(sum.weight == 0 ||
                  (m->aggregate.moments.least == sum.least && m->aggregate.moments.most == sum.most));
    }
}

/* Spans are differences of begins and ends, counted in the board's clocks. */
START_TEST(test_measurements_are_about_the_same_clocks)
{
    for (int n = 0; n < tests_some(PASSES); n++) {
        struct dice dice = dice_of(2, n);
        struct host_pass pass = make_pass(&dice);
        struct measure_plan *plan = make_plan();
        FILE *records = tmpfile();
        struct host_instruments instruments = {.measure = measure_new(plan, SIDE_HOST, records)};
        struct frame frame = {0};
        struct frame_head head;
        unsigned passes = 0;
        if (dice_chance(&dice, 50))
            delay_hsps(&pass, &dice);
        ck_assert(host_taps_fill_frame(&pass, &hardware, &instruments, &frame));
        ck_assert_msg(measure_finish(instruments.measure, &why) == 0, "%s", why.line);
        measure_destroy(instruments.measure);
        rewind(records);
        while (frame_record_read_head(records, &head)) {
            struct measured measured;
            measured_init(&measured, &plan->measurements[head.measurement]);
            ck_assert(frame_record_read(records, &measured));
            if (head.is_pass) {
                check_measured(&pass, head.measurement, &measured, &frame);
                passes++;
            }
            measured_destroy(&measured);
        }
        ck_assert_uint_eq(passes, INSIDE + 1);
        fclose(records);
        measure_plan_destroy(plan);
    }
}
END_TEST

/* --- the timeline ---------------------------------------------------------------------------------------- */

/* Time in which cores worked on the pass. */
static double busy_s(const struct host_pass *pass)
{
    double sum_s = 0;
    for (size_t i = 0; i < pass->tasks.hsp_count; i++)
        sum_s += hsp_times[i].end_s - hsp_times[i].begin_s;
    for (size_t i = 0; i < pass->cluster_count; i++)
        sum_s += cluster_times[i].end_s - cluster_times[i].begin_s;
    return sum_s;
}

/* --- the timeline ---------------------------------------------------------------------------------------- */

static int64_t ps_of(double time_s)
{
    return llround(time_s * 1e12);
}

/* The slices of cores last as long together as the cores worked, to a picosecond for each end of a task. @return the
 * number of slices */
static size_t check_cores(const struct host_outline *outline, const struct host_pass *pass)
{
    struct busy_slice slice;
    size_t count = 0, hsp_count = 0;
    int64_t drawn_ps = 0;
    for (uint32_t core = 0; core < outline->cores; core++)
        for (struct busy_cursor c = busy_steps_begin(&outline->busy, core);
             busy_steps_next(&outline->busy, &c, &slice); count++) {
            ck_assert_uint_eq(core / hardware.host_cores, pass->host);
            drawn_ps += slice.end - slice.begin;
            hsp_count += slice.span ? slice.span->hsps : 0;
        }
    double ends = 2.0 * (double)(1 + pass->tasks.hsp_count + pass->tasks.cluster_count);
    ck_assert_double_eq_tol((double)drawn_ps, busy_s(pass) * 1e12, ends);
    ck_assert_uint_le(hsp_count, pass->tasks.hsp_count); /* an HSP without cells takes no time */
    return count;
}

/* HSPs x ps in the inbox from one time to another. */
static double inbox_area(const struct host_pass *pass, int64_t begin_ps, int64_t end_ps)
{
    double area = 0;
    for (size_t i = 0; i < pass->tasks.hsp_count; i++) {
        int64_t from = ps_of(time_of(pass, hsps[i].arrived)), to = ps_of(pass->hsps[i].begin_s);
        from = from > begin_ps ? from : begin_ps;
        to = to < end_ps ? to : end_ps;
        area += from < to ? (double)(to - from) : 0;
    }
    return area;
}

/* Each value of the inbox is its mean until the next, to a picosecond for each HSP. @return the number of values */
static size_t check_inbox(const struct host_outline *outline, const struct host_pass *pass)
{
    struct inbox_cursor cursor = {.host = 1 - pass->host};
    int64_t begin_ps = 0, end_ps;
    double mean = 0;
    size_t count = 0;
    if (cursor.host < outline->hosts)
        ck_assert(!host_outline_next_level(outline, &cursor, &end_ps));
    cursor = (struct inbox_cursor){.host = pass->host};
    for (; host_outline_next_level(outline, &cursor, &end_ps); count++) {
        double area = inbox_area(pass, begin_ps, end_ps);
        ck_assert_double_eq_tol(mean * (double)(end_ps - begin_ps), area,
                                1e-9 * area + 2 * (double)(1 + pass->tasks.hsp_count));
        begin_ps = end_ps;
        mean = cursor.mean;
    }
    ck_assert_double_eq(mean, 0);
    ck_assert_double_le(inbox_area(pass, begin_ps, INT64_MAX), (double)pass->tasks.hsp_count);
    return count;
}

START_TEST(test_hosts_are_outlined)
{
    const uint64_t cap = UINT64_C(4096) << 2 * _i; /* from few steps to single HSPs */
    for (int n = 0; n < tests_some(PASSES); n++) {
        struct dice dice = dice_of(3, n);
        struct host_pass pass = make_pass(&dice);
        struct host_outline outline;
        struct host_instruments instruments = {.outline = &outline};
        struct frame frame = {0};
        pass.host = (uint32_t)n % 2;
        host_outline_init(&outline, cap, 2, hardware.host_cores);
        ck_assert(host_taps_fill_frame(&pass, &hardware, &instruments, &frame));
        host_outline_fit(&outline);
        size_t slices = check_cores(&outline, &pass), levels = check_inbox(&outline, &pass);
        if (outline.busy.count > 1)
            ck_assert_uint_le(110 * slices + 130 * levels, cap / 8);
        host_outline_destroy(&outline);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host_taps");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, NULL);
    tcase_set_timeout(core, 120);
    tcase_add_test(core, test_the_inbox_is_what_counting_says);
    tcase_add_test(core, test_counters_are_sums_over_the_tasks);
    tcase_add_test(core, test_measurements_are_about_the_same_clocks);
    tcase_add_loop_test(core, test_hosts_are_outlined, 0, 5);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
