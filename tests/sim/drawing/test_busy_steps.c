/* test_busy_steps.c - busy times of random tracks in steps, against counts of one unit of time after the other: in any
 * order, as fine as the room allows, spans as they were told. */
#include "sim/drawing/busy_steps.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"

enum { TIMES = 5000, TRACKS = 3, SPANS = TIMES };

static bool busy[TRACKS][TIMES];
static struct busy_span spans[SPANS];
static size_t span_count;
static int64_t last; /* time in which a track is busy */

/* Tracks that work for a short while, or now and then for long. */
static void make_spans(int i)
{
    srand((unsigned)i);
    memset(busy, 0, sizeof busy);
    span_count = 0;
    last = -1;
    for (uint32_t track = 0; track < TRACKS; track++)
        for (int64_t begin = rand() % 40, end; begin < TIMES; begin = end + (rand() % 2) * (rand() % 40)) {
            end = begin + 1 + rand() % (rand() % 8 ? 20 : 300);
            end = end < TIMES ? end : TIMES;
            spans[span_count] = (struct busy_span){begin, end, track, (uint32_t)span_count, 1};
            span_count++;
            memset(&busy[track][begin], true, (size_t)(end - begin));
            last = end - 1 > last ? end - 1 : last;
        }
}

/* Tell all spans, from the last to the first if `backwards`. */
static void tell(struct busy_steps *steps, bool as_spans, bool backwards)
{
    for (size_t n = 0; n < span_count; n++) {
        const struct busy_span *s = &spans[backwards ? span_count - 1 - n : n];
        if (as_spans)
            busy_steps_add_span(steps, s);
        else
            busy_steps_add(steps, s->track, s->begin, s->end);
    }
    busy_steps_sort(steps);
}

static uint64_t count_busy(uint32_t track, int64_t begin, int64_t end)
{
    uint64_t count = 0;
    for (int64_t time = begin; time < end && time < TIMES; time++)
        count += busy[track][time];
    return count;
}

/* Slices follow each other, spans are whole and last for a step, and every step has its busy time. */
static void check_slices(const struct busy_steps *steps, uint32_t track)
{
    static uint64_t drawn[TIMES];
    const int64_t step = INT64_C(1) << steps->step;
    struct busy_cursor cursor = busy_steps_begin(steps, track);
    struct busy_slice slice;
    int64_t end = 0;
    memset(drawn, 0, sizeof drawn);
    while (busy_steps_next(steps, &cursor, &slice)) {
        ck_assert_int_ge(slice.begin, end);
        ck_assert_int_gt(slice.end, slice.begin);
        end = slice.end;
        for (int64_t time = slice.begin; time < slice.end; time++)
            drawn[time / step]++;
        if (!slice.span)
            continue;
        ck_assert_mem_eq(slice.span, &spans[slice.span->pass], sizeof *slice.span);
        ck_assert_int_ge(slice.end - slice.begin, step);
    }
    for (int64_t i = 0; i * step < TIMES; i++)
        ck_assert_uint_eq(drawn[i], count_busy(track, i * step, (i + 1) * step));
}

static void check_tracks(const struct busy_steps *steps)
{
    ck_assert_int_eq((int64_t)steps->count, last / (INT64_C(1) << steps->step) + 1);
    for (uint32_t track = 0; track < TRACKS; track++)
        check_slices(steps, track);
}

START_TEST(test_steps_hold_the_busy_times)
{
    struct busy_steps steps;
    const size_t most = 1 + (size_t)_i * 7;
    make_spans(_i);
    busy_steps_init(&steps, TRACKS, most, 0);
    tell(&steps, false, _i % 2);
    check_tracks(&steps);
    ck_assert_uint_le(steps.count, most);
    if (steps.step > 0) /* steps of half the length would be too many */
        ck_assert_uint_ge((uint64_t)last >> (steps.step - 1), most);
    busy_steps_join(&steps);
    check_tracks(&steps);
    busy_steps_destroy(&steps);
}
END_TEST

/* Number of spans that last for a step of 2^n. */
static size_t count_long(unsigned n)
{
    size_t count = 0;
    for (size_t i = 0; i < span_count; i++)
        count += (spans[i].end - spans[i].begin) >> n > 0;
    return count;
}

START_TEST(test_long_spans_stay)
{
    struct busy_steps steps, backwards;
    const size_t most = 1 + (size_t)_i * 20, spans_most = 1 + (size_t)(_i % 7) * 50;
    make_spans(_i);
    busy_steps_init(&steps, TRACKS, most, spans_most);
    busy_steps_init(&backwards, TRACKS, most, spans_most);
    tell(&steps, true, false);
    tell(&backwards, true, true);
    check_tracks(&steps);
    ck_assert_uint_eq(steps.span_count, count_long(steps.step));
    ck_assert_uint_le(steps.span_count, spans_most);
    if (steps.step > 0) /* there would be too many steps or spans */
        ck_assert((uint64_t)last >> (steps.step - 1) >= most || count_long(steps.step - 1) > spans_most);
    ck_assert_uint_eq(backwards.step, steps.step);
    ck_assert_uint_eq(backwards.count, steps.count);
    ck_assert_mem_eq(backwards.busy, steps.busy, steps.count * TRACKS * sizeof *steps.busy);
    ck_assert_uint_eq(backwards.span_count, steps.span_count);
    busy_steps_join(&steps);
    check_tracks(&steps);
    busy_steps_destroy(&steps);
    busy_steps_destroy(&backwards);
}
END_TEST

START_TEST(test_a_span_is_its_times)
{
    struct busy_steps steps;
    busy_steps_init(&steps, 1, 8, 0);
    busy_steps_add(&steps, 0, 0, 5);
    busy_steps_add(&steps, 0, 7, 7);
    busy_steps_add(&steps, 0, 6, 31); /* steps of 4 */
    const uint64_t expected[] = {4, 3, 4, 4, 4, 4, 4, 3};
    ck_assert_uint_eq(steps.step, 2);
    ck_assert_uint_eq(steps.count, 8);
    ck_assert_mem_eq(steps.busy, expected, sizeof expected);
    busy_steps_destroy(&steps);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("busy_steps");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_steps_hold_the_busy_times, 0, 40);
    tcase_add_loop_test(core, test_long_spans_stay, 0, 40);
    tcase_add_test(core, test_a_span_is_its_times);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
