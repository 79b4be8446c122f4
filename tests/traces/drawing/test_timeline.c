/* test_timeline.c - the timeline as a viewer reads it: valid in every case, within its cap, and its counters'
 * integrals.
 */
#include "traces/drawing/timeline.h"
#include "tests/run_suite.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct timeline_options {
    const char *process;
    uint64_t begin_ps, end_ps, bytes_max;
};

static const struct timeline_options roomy = {"mercury", 0, 1000000000, 10000000};

/* A timeline of one process, all in one window. */
static struct timeline *open_one(FILE *out, const struct timeline_options *options)
{
    struct timeline *timeline = timeline_open(out, options->bytes_max);
    ck_assert_ptr_nonnull(timeline);
    timeline_begin_window(timeline, options->begin_ps, options->end_ps, 0);
    ck_assert_int_eq(timeline_add_process(timeline, "%s", options->process), 1);
    return timeline;
}

struct written {
    char *text;
    size_t size;
    FILE *file;
    struct timeline *timeline;
    int status;
    struct drawing_report report;
    json_t *root;
};

static void begin(struct written *w, const struct timeline_options *options)
{
    *w = (struct written){0};
    w->file = open_memstream(&w->text, &w->size);
    w->timeline = open_one(w->file, options);
}

static void end(struct written *w, uint64_t end_ps)
{
    json_error_t error;
    w->status = timeline_close(w->timeline, end_ps, &w->report);
    fclose(w->file);
    w->root = json_loadb(w->text, w->size, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(w->root != NULL, "line %d: %s\n%s", error.line, error.text, w->text);
    ck_assert_uint_eq(w->report.bytes, w->size);
}

static void forget(struct written *w)
{
    json_decref(w->root);
    free(w->text);
}

static const char *text_of(json_t *event, const char *key)
{
    return json_string_value(json_object_get(event, key));
}

static double number_of(json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static json_t *events_of(const struct written *w)
{
    return json_object_get(w->root, "traceEvents");
}

/* Events of a phase and a name; `last` may be NULL. */
static size_t count_events(const struct written *w, const char *phase, const char *name, json_t **last)
{
    size_t i, count = 0;
    json_t *event;
    json_array_foreach(events_of(w), i, event)
    {
        if (strcmp(text_of(event, "ph"), phase) != 0 || (name && strcmp(text_of(event, "name"), name) != 0))
            continue;
        count++;
        if (last)
            *last = event;
    }
    return count;
}

/* Integral of a counter's steps, in units x microseconds. */
static double integral_of(const struct written *w, const char *name, const char *unit)
{
    double sum = 0, value = 0, since = 0;
    size_t i;
    json_t *event;
    json_array_foreach(events_of(w), i, event)
    {
        if (strcmp(text_of(event, "ph"), "C") != 0 || strcmp(text_of(event, "name"), name) != 0)
            continue;
        sum += value * (number_of(event, "ts") - since);
        since = number_of(event, "ts");
        value = number_of(json_object_get(event, "args"), unit);
    }
    return sum;
}

/* --- events ---------------------------------------------------------------------------------------------- */

START_TEST(test_nothing_is_a_timeline)
{
    struct written w;
    begin(&w, &roomy);
    end(&w, 0);
    ck_assert_int_eq(w.status, DRAWING_WHOLE);
    ck_assert_uint_eq(json_array_size(events_of(&w)), 1);
    ck_assert_str_eq(text_of(json_array_get(events_of(&w), 0), "name"), "process_name");
    forget(&w);
}
END_TEST

START_TEST(test_slices)
{
    struct written w;
    json_t *event = NULL;
    begin(&w, &roomy);
    int track = timeline_add_track(w.timeline, 1, NULL, "stage 1a");
    timeline_slice(w.timeline, track, 1500000, 2750001, "stall");
    end(&w, 5000000);
    ck_assert_uint_eq(count_events(&w, "X", "stall", &event), 1);
    ck_assert_double_eq_tol(number_of(event, "ts"), 1.5, 1e-12);
    ck_assert_double_eq_tol(number_of(event, "dur"), 1.250001, 1e-12);
    ck_assert_uint_eq(count_events(&w, "M", "thread_name", &event), 1);
    ck_assert_str_eq(text_of(json_object_get(event, "args"), "name"), "stage 1a");
    forget(&w);
}
END_TEST

/* 3 from 1 us, twice 3, 5 and 7 at 2 us (7 counts), a mean of 1/4 at 4 us, and up to the end: 3 x 1 + 7 x 2 + 1/4. */
START_TEST(test_counters_are_steps)
{
    struct written w;
    json_t *event = NULL;
    begin(&w, &roomy);
    int track = timeline_add_track(w.timeline, 1, "seeds", "wmer_fifo");
    timeline_count(w.timeline, track, 0, 0);
    timeline_count(w.timeline, track, 1000000, 3);
    timeline_count(w.timeline, track, 1500000, 3);
    timeline_count(w.timeline, track, 2000000, 5);
    timeline_count(w.timeline, track, 2000000, 7);
    timeline_count(w.timeline, track, 4000000, 0.25);
    end(&w, 5000000);
    ck_assert_uint_eq(count_events(&w, "C", "wmer_fifo", &event), 5);
    ck_assert_double_eq(number_of(event, "ts"), 5);
    ck_assert_double_eq_tol(integral_of(&w, "wmer_fifo", "seeds"), 17.25, 1e-9);
    forget(&w);
}
END_TEST

/* A queue's random steps: the file's integral is the sum of the steps, to the picosecond. */
START_TEST(test_counters_integrate_to_what_was_counted)
{
    struct written w;
    unsigned x = 12345;
    uint64_t at_ps = 0, value = 0, expected = 0;
    begin(&w, &roomy);
    int track = timeline_add_track(w.timeline, 1, "seeds", "q");
    timeline_count(w.timeline, track, 0, 0);
    for (int i = 0; i < 20000; i++) {
        x = x * 1103515245 + 12345;
        uint64_t step = x >> 16 & 0x3ff, next = x >> 26;
        expected += value * step;
        at_ps += step;
        value = next;
        timeline_count(w.timeline, track, at_ps, value);
    }
    end(&w, at_ps);
    ck_assert_int_eq(w.status, DRAWING_WHOLE);
    ck_assert_double_eq_tol(integral_of(&w, "q", "seeds") * 1e6, (double)expected, 1e-6 * (double)expected);
    forget(&w);
}
END_TEST

START_TEST(test_names_may_hold_anything)
{
    struct written w;
    begin(&w, &(struct timeline_options){"a \"quoted\" \\ name\n", 0, 1000000, 100000});
    int track = timeline_add_track(w.timeline, 1, "\"", "\x01 \xC3\xA9 \xFF");
    timeline_count(w.timeline, track, 0, 9e18);
    char long_name[1000];
    memset(long_name, '"', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    timeline_slice(w.timeline, timeline_add_track(w.timeline, 1, NULL, "%s", long_name), 0, 5, long_name);
    end(&w, 1000);
    ck_assert_uint_eq(count_events(&w, "X", NULL, NULL), 1);
    forget(&w);
}
END_TEST

START_TEST(test_processes_and_arguments)
{
    struct written w;
    json_t *event = NULL;
    begin(&w, &roomy);
    int process = timeline_add_process(w.timeline, "board 2");
    ck_assert_int_eq(process, 2);
    int track = timeline_add_track(w.timeline, process, NULL, "bus");
    const struct timeline_argument arguments[] = {
        {"segment", "1 to \"2\"", 0}, {"bytes", NULL, 65536}, {"share", NULL, 0.25}};
    timeline_slice_with(w.timeline, track, 0, 5, "block 1", arguments, 3);
    end(&w, 1000);
    ck_assert_uint_eq(count_events(&w, "X", "block 1", &event), 1);
    ck_assert_double_eq(number_of(event, "pid"), 2);
    json_t *told = json_object_get(event, "args");
    ck_assert_str_eq(text_of(told, "segment"), "1 to \"2\"");
    ck_assert_double_eq(number_of(told, "bytes"), 65536);
    ck_assert_double_eq(number_of(told, "share"), 0.25);
    forget(&w);
}
END_TEST

/* Counters of before the window end where they are told to; those in it begin at its begin. */
START_TEST(test_two_windows)
{
    struct written w;
    begin(&w, &roomy);
    int whole = timeline_add_track(w.timeline, 1, "e", "whole");
    timeline_count(w.timeline, whole, 1000000, 3);
    timeline_begin_window(w.timeline, 4000000, 6000000, 9000000);
    int part = timeline_add_track(w.timeline, 1, "e", "part");
    timeline_count(w.timeline, part, 0, 7);
    end(&w, 9000000);
    ck_assert_double_eq_tol(integral_of(&w, "whole", "e"), 3 * 8, 1e-9);
    ck_assert_double_eq_tol(integral_of(&w, "part", "e"), 7 * 2, 1e-9);
    forget(&w);
}
END_TEST

/* --- the window ------------------------------------------------------------------------------------------ */

START_TEST(test_window_clips)
{
    struct written w;
    json_t *event = NULL;
    begin(&w, &(struct timeline_options){"m", 2000000, 4000000, 100000});
    int queue = timeline_add_track(w.timeline, 1, "e", "q"),
        stalls = timeline_add_track(w.timeline, 1, NULL, "s");
    timeline_count(w.timeline, queue, 0, 1);
    timeline_count(w.timeline, queue, 1000000, 6); /* holds at the window's begin */
    timeline_count(w.timeline, queue, 3000000, 8); /* and this up to its end */
    timeline_count(w.timeline, queue, 4000000, 9);
    timeline_count(w.timeline, queue, 5000000, 2);
    timeline_slice(w.timeline, stalls, 0, 2000000, "before");
    timeline_slice(w.timeline, stalls, 1000000, 2500000, "into");
    timeline_slice(w.timeline, stalls, 3500000, 9000000, "out of");
    timeline_slice(w.timeline, stalls, 9000000, 9500000, "after");
    end(&w, 10000000);
    ck_assert_int_eq(w.status, DRAWING_WHOLE);
    ck_assert_uint_eq(count_events(&w, "X", NULL, NULL), 2);
    ck_assert_uint_eq(count_events(&w, "X", "into", &event), 1);
    ck_assert_double_eq(number_of(event, "ts"), 2);
    ck_assert_double_eq(number_of(event, "dur"), 0.5);
    ck_assert_uint_eq(count_events(&w, "X", "out of", &event), 1);
    ck_assert_double_eq(number_of(event, "dur"), 0.5);
    ck_assert_uint_eq(count_events(&w, "C", "q", &event), 3);
    ck_assert_double_eq(number_of(event, "ts"), 4);
    ck_assert_double_eq_tol(integral_of(&w, "q", "e"), 6 + 8, 1e-9);
    forget(&w);
}
END_TEST

/* A counter that does not change in the window still shows its value there; one that begins later does not. */
START_TEST(test_counters_at_the_window_edge)
{
    struct written w;
    begin(&w, &(struct timeline_options){"m", 2000000, 4000000, 100000});
    int still = timeline_add_track(w.timeline, 1, "e", "still"),
        later = timeline_add_track(w.timeline, 1, "e", "later");
    timeline_count(w.timeline, still, 0, 5);
    timeline_count(w.timeline, later, 7000000, 5);
    end(&w, 10000000);
    ck_assert_uint_eq(count_events(&w, "C", "still", NULL), 2);
    ck_assert_double_eq_tol(integral_of(&w, "still", "e"), 10, 1e-9);
    ck_assert_uint_eq(count_events(&w, "C", "later", NULL), 0);
    forget(&w);
}
END_TEST

static double told(const struct written *w, const char *key)
{
    return json_number_value(json_object_get(json_object_get(w->root, "otherData"), key));
}

/* The file says up to where it was drawn: without a window, up to the end of what is traced. */
START_TEST(test_the_end_of_the_window_is_told)
{
    struct written w;
    begin(&w, &(struct timeline_options){"m", 0, UINT64_MAX, 100000});
    end(&w, 10000000);
    ck_assert_double_eq(told(&w, "window_end_us"), 10);
    ck_assert(!w.report.is_beyond);
    forget(&w);
    begin(&w, &(struct timeline_options){"m", 2000000, 4000000, 100000});
    end(&w, 10000000);
    ck_assert_double_eq(told(&w, "window_end_us"), 4);
    forget(&w);
    begin(&w, &(struct timeline_options){"m", 2000000, 40000000, 100000});
    end(&w, 10000000);
    ck_assert_double_eq(told(&w, "window_end_us"), 10);
    forget(&w);
}
END_TEST

START_TEST(test_a_window_beyond_the_end_is_told)
{
    struct written w;
    begin(&w, &(struct timeline_options){"m", 10000000, 20000000, 100000});
    timeline_count(w.timeline, timeline_add_track(w.timeline, 1, "e", "q"), 0, 1);
    end(&w, 10000000);
    ck_assert_int_eq(w.status, DRAWING_WHOLE);
    ck_assert(w.report.is_beyond);
    ck_assert(json_is_true(json_object_get(json_object_get(w.root, "otherData"), "beyond")));
    ck_assert_double_eq(told(&w, "window_begin_us"), 10);
    ck_assert_double_eq(told(&w, "window_end_us"), 20);
    ck_assert_double_eq(told(&w, "end_us"), 10);
    ck_assert_uint_eq(count_events(&w, "C", NULL, NULL), 0);
    forget(&w);
}
END_TEST

/* --- the cap --------------------------------------------------------------------------------------------- */

static void fill(struct written *w, uint64_t bytes_max, int events)
{
    begin(w, &(struct timeline_options){"mercury", 0, UINT64_MAX, bytes_max});
    int queue = timeline_add_track(w->timeline, 1, "seeds", "q"),
        stalls = timeline_add_track(w->timeline, 1, NULL, "1a");
    for (int i = 0; i < events; i++) {
        timeline_count(w->timeline, queue, (uint64_t)i * 1000000, (uint64_t)i % 7);
        timeline_slice(w->timeline, stalls, (uint64_t)i * 1000000, (uint64_t)i * 1000000 + 500000, "stall");
    }
    end(w, (uint64_t)events * 1000000);
}

START_TEST(test_cap_is_kept_and_told)
{
    for (uint64_t cap = DRAWING_BYTES_LEAST; cap < 20000; cap += 97) {
        struct written w;
        json_t *event = NULL;
        fill(&w, cap, 1000);
        ck_assert_int_eq(w.status, DRAWING_CUT);
        ck_assert_uint_le(w.size, cap);
        json_t *other = json_object_get(w.root, "otherData");
        ck_assert(json_is_true(json_object_get(other, "cut")));
        ck_assert_uint_eq((uint64_t)json_integer_value(json_object_get(other, "events_missing")),
                          w.report.missing);
        ck_assert_uint_eq(count_events(&w, "i", NULL, &event), 1);
        ck_assert_double_eq_tol(number_of(event, "ts"), (double)w.report.cut_ps / 1e6, 1e-6);
        ck_assert_double_eq_tol(number_of(other, "cut_us"), (double)w.report.cut_ps / 1e6, 1e-6);
        ck_assert_uint_eq(w.report.events, json_array_size(events_of(&w)) - 1);
        forget(&w);
    }
}
END_TEST

START_TEST(test_a_whole_timeline_says_so)
{
    struct written w;
    fill(&w, 1000000, 1000);
    ck_assert_int_eq(w.status, DRAWING_WHOLE);
    ck_assert_uint_eq(w.report.missing, 0);
    ck_assert(json_is_false(json_object_get(json_object_get(w.root, "otherData"), "cut")));
    ck_assert_uint_eq(count_events(&w, "i", NULL, NULL), 0);
    ck_assert_uint_eq(count_events(&w, "X", "stall", NULL), 1000);
    forget(&w);
}
END_TEST

/* What is missing and what is there are all there would have been. */
START_TEST(test_missing_events_are_counted)
{
    struct written whole, cut;
    fill(&whole, 1000000, 500);
    fill(&cut, 9000, 500);
    ck_assert_uint_eq(cut.report.events + cut.report.missing, whole.report.events);
    forget(&whole);
    forget(&cut);
}
END_TEST

START_TEST(test_full_disk_is_told)
{
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    struct timeline *t = open_one(full, &roomy);
    int track = timeline_add_track(t, 1, NULL, "x");
    for (uint64_t i = 0; i < 1000; i++)
        timeline_slice(t, track, i, i + 1, "x");
    ck_assert_int_eq(timeline_close(t, 1000, NULL), DRAWING_EWRITE);
    fclose(full);
}
END_TEST

static Suite *timeline_suite(void)
{
    Suite *suite = suite_create("timeline");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_nothing_is_a_timeline);
    tcase_add_test(core, test_slices);
    tcase_add_test(core, test_counters_are_steps);
    tcase_add_test(core, test_counters_integrate_to_what_was_counted);
    tcase_add_test(core, test_names_may_hold_anything);
    tcase_add_test(core, test_processes_and_arguments);
    tcase_add_test(core, test_two_windows);
    tcase_add_test(core, test_window_clips);
    tcase_add_test(core, test_counters_at_the_window_edge);
    tcase_add_test(core, test_the_end_of_the_window_is_told);
    tcase_add_test(core, test_a_window_beyond_the_end_is_told);
    tcase_add_test(core, test_cap_is_kept_and_told);
    tcase_add_test(core, test_a_whole_timeline_says_so);
    tcase_add_test(core, test_missing_events_are_counted);
    tcase_add_test(core, test_full_disk_is_told);
    tcase_set_timeout(core, 60);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(timeline_suite());
}
