/* test_machine_clocks.c - the machine's clocks: what is estimated from messages of passes made up here, against the
 * truth the test knows. Whole passes are in test_pass_simulation.c. */
#include "base/why.h"
#include "sim/measure/machine_clocks.h"
#include "tests/run_suite.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

static gsl_rng *rng;
static struct hardware hardware;
static struct why why;

static void set_up(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    hardware = hardware_default();
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
}

static void tear_down(void)
{
    gsl_rng_free(rng);
}

static void set(const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    ck_assert_msg(hardware_set(&hardware, name, text, &why) == 0, "%s", why.line);
}

static double uniform(double least, double most)
{
    return least + (most - least) * gsl_rng_uniform(rng);
}

/* Blocks of 80 us after 1 ms of loading: a message each way, those back up to 30 us under way. */
static struct pass_stamps pass_of(size_t blocks)
{
    struct pass_stamps p = {.stream_begin_s = 1e-3 + uniform(0, 1e-4)};
    double t = p.stream_begin_s;
    for (size_t i = 0; i < blocks; i++, t += 80e-6) {
        double sent_s = t + uniform(0, 70e-6);
        stamp_log_add(&p.messages, STAMP_TO_CLOCK, t + uniform(0, 20e-9), t);
        stamp_log_add(&p.messages, STAMP_FROM_CLOCK, sent_s, sent_s + uniform(0, 30e-6));
    }
    p.board_end = llround((t - p.stream_begin_s) * hardware.fpga_clock_hz);
    return p;
}

static double number(const struct machine_clocks *clocks, const char *name)
{
    json_t *object = machine_clocks_json(clocks);
    json_t *value = json_object_get(object, name);
    ck_assert_msg(json_is_number(value), "no number %s", name);
    double x = json_number_value(value);
    json_decref(object);
    return x;
}

/* --- core ------------------------------------------------------------------------------------------------ */

/* What a border of a frame truly is on the host's clock, against its virtual time: the stamp is a clock coarse. */
static void check_border(const struct machine_clocks *clocks, double pass_begin_s,
                         const struct pass_stamps *pass, int64_t clock)
{
    double true_s = pass_begin_s + pass->stream_begin_s + (double)clock / hardware.fpga_clock_hz;
    struct clock_reading board = machine_clocks_read(clocks, DOMAIN_FPGA, clock, false);
    struct clock_reading host = machine_clocks_read(clocks, DOMAIN_HOST, clock, false);
    double coarse_s = 1.02 / hardware.fpga_clock_hz,
           rounding_s = 1e-15 * (fabs(host.local_s) + fabs(board.local_s));
    ck_assert_double_eq(host.local_s, host.virtual_s);
    ck_assert_double_eq(host.local_s,
                        (1 + hardware.host_time.rate_error) * true_s + hardware.host_time.offset_s);
    ck_assert_double_le(
        fabs(board.local_s - (1 + hardware.fpga_time.rate_error) * true_s - hardware.fpga_time.offset_s),
        coarse_s + rounding_s);
    ck_assert_double_le(fabs(board.virtual_s - host.local_s),
                        number(clocks, "virtual_error_bound_s") + coarse_s + rounding_s);
}

static void check_estimate(const struct machine_clocks *clocks)
{
    struct clock_line truth = local_clock_line(&hardware.fpga_time, &hardware.host_time);
    ck_assert_double_eq(number(clocks, "true_rate"), truth.rate);
    ck_assert_double_eq(number(clocks, "true_offset_s"), truth.offset_s);
    ck_assert_double_ge(truth.rate, number(clocks, "rate_least") * (1 - 1e-12));
    ck_assert_double_le(truth.rate, number(clocks, "rate_most") * (1 + 1e-12));
    double rounding_s = 1e-12 * (1 + fabs(truth.offset_s));
    ck_assert_double_ge(truth.offset_s, number(clocks, "offset_least_s") - rounding_s);
    ck_assert_double_le(truth.offset_s, number(clocks, "offset_most_s") + rounding_s);
    ck_assert_double_le(number(clocks, "virtual_error_s"), number(clocks, "virtual_error_bound_s"));
}

/* Any errors and offsets, several passes of a few to many blocks. */
START_TEST(test_maps_recover_what_was_configured)
{
    gsl_rng_set(rng, (unsigned long)_i + 1);
    double far_s = _i % 3 == 0 ? 0 : _i % 3 == 1 ? 1 : 1e6;
    set("clock.fpga_rate_error", uniform(-0.01, 0.01));
    set("clock.host_rate_error", uniform(-0.01, 0.01));
    set("clock.fpga_offset", uniform(-far_s, far_s));
    set("clock.host_offset", uniform(-far_s, far_s));
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    double begin_s = 0;
    for (int pass = 0; pass < 5; pass++) {
        struct pass_stamps stamps = pass_of(2 + gsl_rng_uniform_int(rng, 400));
        ck_assert_msg(machine_clocks_add_pass(clocks, &stamps, begin_s, &why) == 0, "%s", why.line);
        for (int i = 0; i < 20; i++)
            check_border(clocks, begin_s, &stamps,
                         (int64_t)gsl_rng_uniform_int(rng, (unsigned long)stamps.board_end + 1));
        begin_s += stamps.stream_begin_s + (double)stamps.board_end / hardware.fpga_clock_hz + 3e-3;
    }
    check_estimate(clocks);
    machine_clocks_destroy(clocks);
}
END_TEST

START_TEST(test_right_clocks_show_true_time)
{
    struct pass_stamps stamps = pass_of(100);
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    ck_assert_int_eq(machine_clocks_add_pass(clocks, &stamps, 0, &why), 0);
    ck_assert_double_eq(number(clocks, "true_rate"), 1);
    ck_assert_double_eq(number(clocks, "true_offset_s"), 0);
    for (int64_t clock = 0; clock <= stamps.board_end; clock += 1009)
        check_border(clocks, 0, &stamps, clock);
    ck_assert_double_le(number(clocks, "virtual_error_bound_s"), 2e-6); /* 100 delays uniform up to 30 us */
    machine_clocks_destroy(clocks);
}
END_TEST

/* With messages both ways, bounds get closer with every pass. */
START_TEST(test_later_passes_know_the_rate_better)
{
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    double width = INFINITY, begin_s = 0;
    set("clock.fpga_rate_error", 50e-6);
    for (int pass = 0; pass < 6; pass++, begin_s += 0.01) {
        struct pass_stamps stamps = pass_of(40);
        ck_assert_int_eq(machine_clocks_add_pass(clocks, &stamps, begin_s, &why), 0);
        double narrower = number(clocks, "rate_most") - number(clocks, "rate_least");
        ck_assert_double_lt(narrower, width);
        width = narrower;
    }
    ck_assert_double_lt(width, 2 * 1e-6 / 0.05); /* about 1 us at both ends of 50 ms */
    ck_assert_double_eq_tol(number(clocks, "rate"), 1 / (1 + 50e-6), width);
    machine_clocks_destroy(clocks);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

/* 20,000 messages: all are counted, few kept, and the truth stays inside. */
START_TEST(test_many_messages_need_no_more_room)
{
    struct pass_stamps stamps = pass_of(10000);
    ck_assert_uint_le(stamps.messages.count, STAMPS_MAX);
    ck_assert_uint_eq(stamps.messages.to_board, 10000);
    ck_assert_uint_eq(stamps.messages.from_board, 10000);
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    set("clock.host_rate_error", 1e-4);
    ck_assert_int_eq(machine_clocks_add_pass(clocks, &stamps, 0, &why), 0);
    ck_assert_double_eq(number(clocks, "messages_from_board"), 10000);
    check_estimate(clocks);
    ck_assert_double_le(number(clocks, "virtual_error_bound_s"), 100e-9); /* the best of 10,000 delays */
    machine_clocks_destroy(clocks);
}
END_TEST

/* Stamps on a parabola all bound a line, and none is dropped for its place: every second one is. */
START_TEST(test_stamps_that_all_bound_need_no_more_room)
{
    static struct stamp_log log;
    for (int i = 0; i < 3 * STAMPS_MAX; i++) {
        stamp_log_add(&log, STAMP_TO_CLOCK, i, i - 1e-6 * i * i);
        ck_assert_uint_le(log.count, STAMPS_MAX);
    }
    ck_assert_uint_eq(log.to_board, 3 * STAMPS_MAX);
    ck_assert_double_eq(log.pairs[0].clock_s, 0);
    ck_assert_double_eq(log.pairs[log.count - 1].clock_s, 3 * STAMPS_MAX - 1);
}
END_TEST

START_TEST(test_without_records_there_is_no_map)
{
    struct pass_stamps silent = {.stream_begin_s = 1e-3, .board_end = 5000};
    for (int i = 0; i < 5; i++)
        stamp_log_add(&silent.messages, STAMP_TO_CLOCK, 1e-3 + i * 80e-6, 1e-3 + i * 80e-6);
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    ck_assert_int_eq(machine_clocks_add_pass(clocks, &silent, 0, &why), 0);
    ck_assert(isnan(machine_clocks_read(clocks, DOMAIN_FPGA, 7, false).virtual_s));
    ck_assert(isfinite(machine_clocks_read(clocks, DOMAIN_FPGA, 7, false).local_s));
    ck_assert(isfinite(machine_clocks_read(clocks, DOMAIN_HOST, 7, false).virtual_s));
    ck_assert_double_eq(number(clocks, "passes_without_estimate"), 1);
    json_t *object = machine_clocks_json(clocks);
    ck_assert(json_is_null(json_object_get(object, "rate")) &&
              json_is_false(json_object_get(object, "estimated")));
    json_decref(object);
    struct pass_stamps stamps = pass_of(10);
    ck_assert_int_eq(machine_clocks_add_pass(clocks, &stamps, 0.01, &why), 0);
    ck_assert(isfinite(machine_clocks_read(clocks, DOMAIN_FPGA, 7, false).virtual_s));
    machine_clocks_destroy(clocks);
}
END_TEST

/* --- negative controls ----------------------------------------------------------------------------------- */

/* A message that is there a microsecond before it was sent. */
START_TEST(test_a_message_from_the_future_is_a_bug)
{
    struct pass_stamps stamps = pass_of(50);
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    double middle_s = stamps.stream_begin_s + 25 * 80e-6;
    stamp_log_add(&stamps.messages, STAMP_FROM_CLOCK, middle_s, middle_s - 1e-6);
    ck_assert_int_eq(machine_clocks_add_pass(clocks, &stamps, 0, &why), MACHINE_CLOCKS_EBUG);
    ck_assert_ptr_nonnull(strstr(why.line, "no line satisfies"));
    machine_clocks_destroy(clocks);
}
END_TEST

/* Messages the board stamps 50 us late, all of them, fit a line, but not the clocks'. */
START_TEST(test_a_map_that_is_not_the_clocks_is_a_bug)
{
    struct pass_stamps stamps = pass_of(50);
    struct machine_clocks *clocks = machine_clocks_new(&hardware);
    for (size_t i = 0; i < stamps.messages.count; i++)
        stamps.messages.pairs[i].clock_s += 50e-6;
    ck_assert_int_eq(machine_clocks_add_pass(clocks, &stamps, 0, &why), MACHINE_CLOCKS_EBUG);
    ck_assert_ptr_nonnull(strstr(why.line, "virtual time is"));
    machine_clocks_destroy(clocks);
}
END_TEST

static Suite *machine_clocks_suite(void)
{
    Suite *suite = suite_create("machine_clocks");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"),
          *controls = tcase_create("controls");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_checked_fixture(limits, set_up, tear_down);
    tcase_add_checked_fixture(controls, set_up, tear_down);
    tcase_add_loop_test(core, test_maps_recover_what_was_configured, 0, 150);
    tcase_add_test(core, test_right_clocks_show_true_time);
    tcase_add_test(core, test_later_passes_know_the_rate_better);
    tcase_add_test(limits, test_many_messages_need_no_more_room);
    tcase_add_test(limits, test_stamps_that_all_bound_need_no_more_room);
    tcase_add_test(limits, test_without_records_there_is_no_map);
    tcase_add_test(controls, test_a_message_from_the_future_is_a_bug);
    tcase_add_test(controls, test_a_map_that_is_not_the_clocks_is_a_bug);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, controls);
    return suite;
}

int main(void)
{
    return run_suite(machine_clocks_suite());
}
