/* test_frame.c - frames of measurements: what follows from their numbers, and the files they become.
 *
 * The layout is a small one of this test's own, so that every number can be worked out by hand: two stages,
 * counters of each kind, two ratios, two gauges and two queues.
 */
#include "traces/queue_tap.h"
#include "traces/summary.h"
#include "tests/run_suite.h"

#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS, HITS, BUSY, WAITED, NEVER };

static const struct counter_spec counters[] = {
    [ELEMENTS] = {"front", "elements", COUNTER_FLOW}, [HITS] = {"back", "hits", COUNTER_COUNT},
    [BUSY] = {"front", "input", COUNTER_BUSY},        [WAITED] = {"back", "drain", COUNTER_TIME},
    [NEVER] = {"back", "never", COUNTER_FLOW},
};
static const struct ratio_spec ratios[] = {
    {"back", "hits_per_element", HITS, ELEMENTS},
    {"back", "hits_per_never", HITS, NEVER},
};
static const struct queue_spec queues[] = {
    {"front", "front_fifo", "words"},
    {"back", "back_fifo", "seeds"},
};
static const struct gauge_spec gauges[] = {
    {"front", "capacity"},
    {"back", "capacity"},
};
static const struct estimate_spec estimates[] = {
    {"busy", "1"},
    {"never", "words"},
};
static const struct frame_layout layout = {
    .counters = counters,
    .ratios = ratios,
    .queues = queues,
    .gauges = gauges,
    .estimates = estimates,
    .counter_count = 5,
    .ratio_count = 2,
    .queue_count = 2,
    .gauge_count = 2,
    .estimate_count = 2,
};

enum { FRONT_FIFO, BACK_FIFO };

/* A queue's measure over 1000 clocks: one element in clocks [100, 300), one in [200, 400). Occupancy 1 in 200
 * clocks, 2 in 100, so integral 400, two stays of 200 clocks, mean 0.4; alert at 2 in 100 clocks. */
static struct fifo_measure queue_of(uint64_t places)
{
    int64_t arrivals[] = {100, 200}, departures[] = {300, 400};
    struct queue_tap tap;
    queue_tap_init(&tap, places, false);
    queue_tap_add(&tap, arrivals, 2, departures, 2);
    queue_tap_run(&tap, 1000);
    struct fifo_measure measure = tap.measure;
    measure.back_pressure_clocks = 100;
    queue_tap_destroy(&tap);
    return measure;
}

/* 1000 clocks of 2 MHz are 0.5 ms. */
static struct frame frame_of(uint64_t elements)
{
    struct frame frame = {.duration_s = 0.75, .clock_hz = 2e6, .clocks = 1000};
    frame.counters[ELEMENTS] = elements;
    frame.counters[HITS] = 30;
    frame.counters[BUSY] = 250;
    frame.counters[WAITED] = 1500000000;
    frame.gauges[0] = 1e9;
    frame.gauges[1] = 8;
    frame.queues[FRONT_FIFO] = queue_of(8);
    frame.queues[BACK_FIFO] = queue_of(0);
    return frame;
}

static struct frame sum_of(const struct frame *frames, size_t count)
{
    struct frame sum = {0};
    for (size_t i = 0; i < count; i++)
        frame_add(&sum, &frames[i], &layout);
    return sum;
}

static void set_two_passes(struct frame passes[2])
{
    passes[0] = frame_of(120);
    passes[1] = frame_of(180);
    passes[1].begin_s = 0.5;
    passes[1].duration_s = 0.25;
}

static int write_json(const struct frame *run, const struct frame *passes, size_t count, FILE *out)
{
    json_t *summary = summary_json(run, passes, count, &layout, NULL);
    int status = summary_write_object(summary, out);
    json_decref(summary);
    return status;
}

static char *written_json(const struct frame *run, const struct frame *passes, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(write_json(run, passes, count, out), 0);
    fclose(out);
    return text;
}

static json_t *json_of(const struct frame *run, const struct frame *passes, size_t count)
{
    json_error_t error;
    char *text = written_json(run, passes, count);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static json_t *two_passes_json(void)
{
    struct frame passes[2];
    set_two_passes(passes);
    struct frame run = sum_of(passes, 2);
    return json_of(&run, passes, 2);
}

static double number_at(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_number(value), "%s is no number", key);
    return json_number_value(value);
}

static void assert_number(json_t *object, const char *key, double expected)
{
    double value = number_at(object, key);
    ck_assert_msg(fabs(value - expected) <= 1e-11 * fabs(expected), "%s is %.15g instead of %.15g", key,
                  value, expected);
}

/* --- core: frames ---------------------------------------------------------------------------------------- */

/* 100 elements in 1000 clocks of 2 MHz: 0.5 ms. */
START_TEST(test_length_in_seconds)
{
    struct frame frame = frame_of(100);
    ck_assert_double_eq_tol(frame_measured_s(&frame), 0.0005, 1e-18);
}
END_TEST

START_TEST(test_frames_add_up)
{
    struct frame passes[2];
    set_two_passes(passes);
    struct frame sum = sum_of(passes, 2);
    ck_assert_double_eq_tol(sum.duration_s, 1.0, 1e-15);
    ck_assert_double_eq(sum.clock_hz, 2e6);
    ck_assert_uint_eq(sum.clocks, 2000);
    ck_assert_uint_eq(sum.counters[ELEMENTS], 300);
    ck_assert_uint_eq(sum.counters[HITS], 60);
    ck_assert_double_eq(sum.gauges[0], 1e9);
    ck_assert_double_eq(sum.gauges[1], 8);
    ck_assert_uint_eq(sum.queues[FRONT_FIFO].elements, 4);
    ck_assert_uint_eq(sum.queues[FRONT_FIFO].places, 8);
    ck_assert_uint_eq(sum.queues[BACK_FIFO].integral, 800);
    ck_assert_uint_eq(sum.queues[BACK_FIFO].most, 2);
    ck_assert_ptr_null(frame_find_inconsistency(&sum, &layout));
}
END_TEST

/* 1024 cores for three years: 9.7e10 s, of which 2^64 ps are 213 days. Two such passes have twice of this. */
START_TEST(test_times_of_years_add_up)
{
    const double years_s = 3 * 365.0 * 86400 * 1024;
    struct frame passes[2];
    set_two_passes(passes);
    passes[0].counters[WAITED] = passes[1].counters[WAITED] = frame_picoseconds(years_s);
    struct frame sum = sum_of(passes, 2);
    ck_assert_double_eq(frame_seconds(&passes[0], WAITED), years_s);
    ck_assert_double_eq(frame_seconds(&sum, WAITED), 2 * years_s);
}
END_TEST

START_TEST(test_a_tampered_queue_is_named)
{
    struct frame frame = frame_of(100);
    ck_assert_ptr_null(frame_find_inconsistency(&frame, &layout));
    frame.queues[BACK_FIFO].bins[0]--;
    ck_assert_str_eq(frame_find_inconsistency(&frame, &layout), "back_fifo");
    frame.queues[FRONT_FIFO].integral++;
    ck_assert_str_eq(frame_find_inconsistency(&frame, &layout), "front_fifo");
    frame.queues[FRONT_FIFO].sojourn_clocks++;
    ck_assert_str_eq(frame_find_inconsistency(&frame, &layout), "back_fifo");
    frame.queues[BACK_FIFO].overflow++;
    ck_assert_ptr_null(frame_find_inconsistency(&frame, &layout));
}
END_TEST

/* --- core: summary.json ---------------------------------------------------------------------------------- */

START_TEST(test_json_has_the_run)
{
    json_t *root = two_passes_json();
    ck_assert_str_eq(json_string_value(json_object_get(root, "schema")), "mercury-summary-2");
    assert_number(root, "simulated_time_s", 1.0);
    assert_number(root, "measured_time_s", 0.001);
    assert_number(root, "clock_hz", 2e6);
    assert_number(root, "clocks", 2000);
    assert_number(root, "passes", 2);
    json_decref(root);
}
END_TEST

/* 300 elements in 1 ms; 500 of 2000 clocks busy; 3e9 ps. */
START_TEST(test_json_has_every_kind_of_counter)
{
    json_t *root = two_passes_json();
    json_t *front = json_object_get(root, "front"), *back = json_object_get(root, "back");
    ck_assert(json_is_integer(json_object_get(front, "elements")));
    assert_number(front, "elements", 300);
    assert_number(front, "elements_per_s", 300000);
    assert_number(front, "input_clocks", 500);
    assert_number(front, "input_utilisation", 0.25);
    assert_number(back, "hits", 60);
    assert_number(back, "drain_s", 0.003);
    assert_number(back, "hits_per_element", 0.2);
    assert_number(front, "capacity", 1e9);
    assert_number(back, "capacity", 8);
    ck_assert_ptr_null(json_object_get(back, "hits_per_s"));
    json_decref(root);
}
END_TEST

START_TEST(test_json_has_null_for_what_is_no_number)
{
    json_t *root = two_passes_json();
    ck_assert(json_is_null(json_object_get(json_object_get(root, "back"), "hits_per_never")));
    json_decref(root);
}
END_TEST

/* Each pass has 400 element-clocks in 1000: mean 0.4; stays of 200 clocks of 0.5 us: 0.1 ms; 100 alerts. */
START_TEST(test_json_has_the_queues)
{
    json_t *root = two_passes_json();
    json_t *queue = json_object_get(json_object_get(root, "front"), "front_fifo");
    ck_assert_str_eq(json_string_value(json_object_get(queue, "element")), "words");
    assert_number(queue, "places", 8);
    assert_number(queue, "elements", 4);
    assert_number(queue, "mean", 0.4);
    assert_number(queue, "max", 2);
    assert_number(queue, "mean_wait_s", 1e-4);
    assert_number(queue, "back_pressure_fraction", 0.1);
    queue = json_object_get(json_object_get(root, "back"), "back_fifo");
    ck_assert(json_is_null(json_object_get(queue, "places")));
    json_decref(root);
}
END_TEST

START_TEST(test_json_has_each_pass_at_its_time)
{
    json_t *root = two_passes_json(), *passes = json_object_get(root, "per_pass");
    ck_assert_uint_eq(json_array_size(passes), 2);
    json_t *one = json_array_get(passes, 0), *two = json_array_get(passes, 1);
    assert_number(one, "pass", 1);
    assert_number(one, "begin_s", 0);
    assert_number(one, "simulated_time_s", 0.75);
    assert_number(json_object_get(one, "front"), "elements", 120);
    assert_number(two, "pass", 2);
    assert_number(two, "begin_s", 0.5); /* passes may overlap */
    assert_number(two, "simulated_time_s", 0.25);
    assert_number(json_object_get(two, "front"), "elements", 180);
    assert_number(json_object_get(json_object_get(two, "back"), "back_fifo"), "mean", 0.4);
    json_decref(root);
}
END_TEST

/* Only passes that were cut into batches have intervals; their sum has none. */
START_TEST(test_json_has_the_intervals_of_a_pass)
{
    struct frame passes[2];
    set_two_passes(passes);
    passes[1].batches = 19;
    passes[1].blocks_a_batch = 2;
    passes[1].estimates[0] = (struct estimate){0.25, 0.01, -0.5, 0.75};
    passes[1].estimates[1] = (struct estimate){NAN, NAN, NAN, NAN};
    struct frame run = sum_of(passes, 2);
    json_t *root = json_of(&run, passes, 2), *per_pass = json_object_get(root, "per_pass");
    ck_assert_ptr_null(json_object_get(root, "intervals"));
    ck_assert_ptr_null(json_object_get(json_array_get(per_pass, 0), "intervals"));
    json_t *intervals = json_object_get(json_array_get(per_pass, 1), "intervals");
    assert_number(intervals, "batches", 19);
    assert_number(intervals, "blocks_a_batch", 2);
    json_t *busy = json_object_get(intervals, "busy"), *never = json_object_get(intervals, "never");
    ck_assert_str_eq(json_string_value(json_object_get(busy, "unit")), "1");
    assert_number(busy, "mean", 0.25);
    assert_number(busy, "half_width", 0.01);
    assert_number(busy, "lag1", -0.5);
    assert_number(busy, "largest_share", 0.75);
    ck_assert(json_is_null(json_object_get(never, "mean")));
    ck_assert(json_is_null(json_object_get(never, "half_width")));
    json_decref(root);
}
END_TEST

START_TEST(test_same_frames_same_bytes)
{
    struct frame passes[2];
    set_two_passes(passes);
    struct frame run = sum_of(passes, 2);
    char *one = written_json(&run, passes, 2), *two = written_json(&run, passes, 2);
    ck_assert_str_eq(one, two);
    ck_assert_int_eq(one[strlen(one) - 1], '\n');
    free(two);
    passes[1].counters[HITS]++;
    two = written_json(&run, passes, 2);
    ck_assert_str_ne(one, two);
    free(one);
    free(two);
}
END_TEST

/* --- core: histograms.tsv -------------------------------------------------------------------------------- */

static char *written_histograms(const struct frame *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(summary_write_histograms(run, NULL, 0, &layout, out), 0);
    fclose(out);
    return text;
}

struct total {
    unsigned rows;
    uint64_t clocks;
    double fraction;
    double occupancy; /* of bins of one, weighted with the clocks */
};

static void add_row(struct total *total, const char *line, const char *wanted)
{
    char queue[40], element[40], to[40];
    unsigned long long from, clocks;
    double fraction;
    int fields = sscanf(line, "%39[^\t]\t%39[^\t]\t%llu\t%39[^\t]\t%llu\t%lf", queue, element, &from, to,
                        &clocks, &fraction);
    ck_assert_msg(fields == 6, "'%s'", line);
    ck_assert_uint_gt(clocks, 0);
    if (strcmp(queue, wanted) != 0)
        return;
    total->rows++;
    total->clocks += clocks;
    total->fraction += fraction;
    total->occupancy += (double)from * (double)clocks;
}

static struct total total_of(const struct frame *run, const char *queue)
{
    struct total total = {0};
    char *text = written_histograms(run), *rest = text, *line;
    bool header = false;
    while ((line = strsep(&rest, "\n")) && *line) {
        if (strcmp(line, "queue\telement\tfrom\tto\tclocks\tfraction\tpass") == 0)
            header = true;
        else if (*line != '#')
            add_row(&total, line, queue);
    }
    ck_assert(header);
    free(text);
    return total;
}

START_TEST(test_histograms_add_up_to_the_frame)
{
    struct frame passes[2];
    set_two_passes(passes);
    struct frame run = sum_of(passes, 2);
    for (unsigned i = 0; i < layout.queue_count; i++) {
        struct total total = total_of(&run, queues[i].name);
        ck_assert_uint_eq(total.rows, 3);
        ck_assert_uint_eq(total.clocks, run.clocks);
        ck_assert_double_eq_tol(total.fraction, 1, 1e-8);
        ck_assert_double_eq_tol(total.occupancy / (double)run.clocks, fifo_measure_mean(&run.queues[i]),
                                1e-12);
    }
}
END_TEST

/* 1000 places in 512 bins are two a bin; without a bound the last bin of 512 begins at 15 * 2^36, and
 * what is above it at 2^40. */
START_TEST(test_wide_bins_and_overflow_have_their_ends)
{
    struct frame run = frame_of(1);
    run.queues[FRONT_FIFO] = (struct fifo_measure){.places = 1000, .clocks = 10, .bin_width = 2};
    run.queues[FRONT_FIFO].bins[3] = 10;
    run.queues[BACK_FIFO] = (struct fifo_measure){.clocks = 10, .bin_width = 1, .overflow = 4};
    run.queues[BACK_FIFO].bins[511] = 6;
    char *text = written_histograms(&run);
    ck_assert_ptr_nonnull(strstr(text, "front_fifo\twords\t6\t7\t10\t1\trun\n"));
    ck_assert_ptr_nonnull(strstr(text, "back_fifo\tseeds\t1030792151040\t1099511627775\t6\t0.6\trun\n"));
    ck_assert_ptr_nonnull(strstr(text, "back_fifo\tseeds\t1099511627776\tinf\t4\t0.4\trun\n"));
    free(text);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

START_TEST(test_a_frame_of_no_length_has_rate_0)
{
    struct frame frame = {.clock_hz = 2e6};
    frame.counters[ELEMENTS] = frame.counters[BUSY] = 5;
    json_t *root = json_of(&frame, NULL, 0), *front = json_object_get(root, "front");
    assert_number(front, "elements_per_s", 0);
    assert_number(front, "input_utilisation", 0);
    json_decref(root);
    ck_assert_double_eq(frame_measured_s(&frame), 0);
    ck_assert_ptr_null(frame_find_inconsistency(&frame, &layout));
}
END_TEST

START_TEST(test_an_empty_frame_is_written)
{
    struct frame frame = {.clock_hz = 2e6};
    json_t *root = json_of(&frame, NULL, 0);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "per_pass")), 0);
    assert_number(json_object_get(root, "front"), "elements_per_s", 0);
    json_decref(root);
    ck_assert_uint_eq(total_of(&frame, "front_fifo").rows, 0);
}
END_TEST

/* No frame, no clock: 0/0 is null, not text that JSON does not know. */
START_TEST(test_a_frame_without_a_clock_is_still_json)
{
    struct frame frame = {0};
    json_t *root = json_of(&frame, &frame, 1);
    ck_assert(json_is_null(json_object_get(root, "measured_time_s")));
    json_decref(root);
}
END_TEST

/* 4.2e12 bytes a run (Lancaster et al. 2011) and more: counts stay whole. */
START_TEST(test_large_counts_stay_whole)
{
    struct frame frame = frame_of(UINT64_C(9007199254740993));
    json_t *root = json_of(&frame, &frame, 1);
    json_t *front = json_object_get(root, "front");
    ck_assert_int_eq(json_integer_value(json_object_get(front, "elements")), INT64_C(9007199254740993));
    json_decref(root);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

/* Little is written, and a buffer hides the failure until it is emptied. */
START_TEST(test_a_full_disk_is_reported_by_the_writer_or_by_close)
{
    struct frame frame = frame_of(1);
    FILE *out = fopen("/dev/full", "w");
    int status = write_json(&frame, &frame, 1, out);
    ck_assert(status == SUMMARY_EWRITE || (status == 0 && fclose(out) == EOF));
    out = fopen("/dev/full", "w");
    status = summary_write_histograms(&frame, NULL, 0, &layout, out);
    ck_assert(status == SUMMARY_EWRITE || (status == 0 && fclose(out) == EOF));
}
END_TEST

START_TEST(test_a_full_disk_is_reported_when_nothing_is_buffered)
{
    struct frame frame = frame_of(1);
    FILE *out = fopen("/dev/full", "w");
    setvbuf(out, NULL, _IONBF, 0);
    ck_assert_int_eq(write_json(&frame, &frame, 1, out), SUMMARY_EWRITE);
    fclose(out);
    out = fopen("/dev/full", "w");
    setvbuf(out, NULL, _IONBF, 0);
    ck_assert_int_eq(summary_write_histograms(&frame, NULL, 0, &layout, out), SUMMARY_EWRITE);
    fclose(out);
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_test(tcase, test_length_in_seconds);
    tcase_add_test(tcase, test_frames_add_up);
    tcase_add_test(tcase, test_times_of_years_add_up);
    tcase_add_test(tcase, test_a_tampered_queue_is_named);
    tcase_add_test(tcase, test_json_has_the_run);
    tcase_add_test(tcase, test_json_has_every_kind_of_counter);
    tcase_add_test(tcase, test_json_has_null_for_what_is_no_number);
    tcase_add_test(tcase, test_json_has_the_queues);
    tcase_add_test(tcase, test_json_has_each_pass_at_its_time);
    tcase_add_test(tcase, test_same_frames_same_bytes);
    tcase_add_test(tcase, test_json_has_the_intervals_of_a_pass);
    tcase_add_test(tcase, test_histograms_add_up_to_the_frame);
    tcase_add_test(tcase, test_wide_bins_and_overflow_have_their_ends);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_test(tcase, test_a_frame_of_no_length_has_rate_0);
    tcase_add_test(tcase, test_an_empty_frame_is_written);
    tcase_add_test(tcase, test_a_frame_without_a_clock_is_still_json);
    tcase_add_test(tcase, test_large_counts_stay_whole);
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_test(tcase, test_a_full_disk_is_reported_by_the_writer_or_by_close);
    tcase_add_test(tcase, test_a_full_disk_is_reported_when_nothing_is_buffered);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("frame");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
