/* test_vcd.c - waveforms as a viewer reads them: the values of every picosecond, within window and cap. */
#include "traces/drawing/vcd.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"
#include "tests/traces/drawing/read_vcd.h"

enum { SIGNALS = 5, STEPS = 400, STEP_PS = 1000 };

static const unsigned bits[SIGNALS] = {1, 8, 64, 1, 13};

/* The value of a signal from step `step` on: often that of the step before. */
static uint64_t value_at(unsigned signal, unsigned step)
{
    uint64_t dice = (step / (1 + signal)) * UINT64_C(0x9e3779b97f4a7c15);
    return bits[signal] == 64 ? dice : (dice >> 40) & ((UINT64_C(1) << bits[signal]) - 1);
}

struct written {
    char *text;
    size_t size;
    int status;
    struct drawing_report report;
    struct read_vcd *vcd;
};

static struct vcd *open_signals(FILE *out, const struct vcd_options *options)
{
    struct vcd *vcd = vcd_open(out, options);
    ck_assert_ptr_nonnull(vcd);
    vcd_begin_scope(vcd, "top");
    for (unsigned i = 0; i < SIGNALS; i++) {
        char name[20];
        snprintf(name, sizeof name, "signal_%u", i);
        ck_assert_uint_eq(vcd_add_signal(vcd, name, bits[i]), i);
    }
    vcd_end_scope(vcd);
    return vcd;
}

static struct written write_steps(const struct vcd_options *options)
{
    struct written w = {0};
    FILE *out = open_memstream(&w.text, &w.size);
    struct vcd *vcd = open_signals(out, options);
    for (unsigned step = 0; step < STEPS; step++)
        for (unsigned i = 0; i < SIGNALS; i++)
            vcd_change(vcd, i, (uint64_t)step * STEP_PS, value_at(i, step));
    w.status = vcd_close(vcd, (uint64_t)STEPS * STEP_PS, &w.report);
    fclose(out);
    ck_assert_uint_eq(w.report.bytes, w.size);
    w.vcd = read_vcd(w.text);
    return w;
}

static void forget(struct written *w)
{
    read_vcd_destroy(w->vcd);
    free(w->text);
}

/* Every value between two times of the file is what was set. */
static void check_values(const struct written *w, uint64_t begin_ps, uint64_t end_ps)
{
    ck_assert_uint_eq(w->vcd->count, SIGNALS);
    for (unsigned i = 0; i < SIGNALS; i++) {
        const struct read_signal *signal = &w->vcd->signals[i];
        ck_assert_uint_eq(signal->bits, bits[i]);
        for (uint64_t at_ps = begin_ps; at_ps < end_ps; at_ps += 250)
            if (read_signal_at(signal, at_ps) != value_at(i, (unsigned)(at_ps / STEP_PS)))
                ck_abort_msg("signal %u is wrong at %llu ps", i, (unsigned long long)at_ps);
    }
}

START_TEST(test_values_are_read_back)
{
    struct written w = write_steps(&(struct vcd_options){"one\ntwo\n", 0, UINT64_MAX, 10000000});
    ck_assert_int_eq(w.status, DRAWING_WHOLE);
    ck_assert_str_eq(w.vcd->signals[1].name, "top.signal_1");
    ck_assert_uint_eq(w.vcd->first_ps, 0);
    ck_assert_uint_eq(w.vcd->last_ps, STEPS * STEP_PS);
    ck_assert_uint_eq(w.report.events, w.vcd->changes);
    check_values(&w, 0, STEPS * STEP_PS);
    forget(&w);
}
END_TEST

START_TEST(test_a_window_begins_with_all_values)
{
    for (uint64_t begin = 0; begin < 20 * STEP_PS; begin += 500) {
        struct written w = write_steps(&(struct vcd_options){"", begin, 60 * STEP_PS + begin, 10000000});
        ck_assert_int_eq(w.status, DRAWING_WHOLE);
        ck_assert_uint_eq(w.vcd->first_ps, begin);
        ck_assert_uint_eq(w.vcd->last_ps, 60 * STEP_PS + begin);
        check_values(&w, begin, 60 * STEP_PS + begin);
        forget(&w);
    }
}
END_TEST

START_TEST(test_a_window_beyond_the_end_is_told)
{
    struct written w = write_steps(&(struct vcd_options){"", STEPS * STEP_PS, UINT64_MAX, 10000000});
    ck_assert(w.report.is_beyond);
    ck_assert_uint_eq(w.report.end_ps, STEPS * STEP_PS);
    ck_assert_uint_eq(w.vcd->changes, 0);
    forget(&w);
}
END_TEST

/* All that is in the file is right; what is missing and what is there are all there would have been. */
START_TEST(test_cap_is_kept_and_told)
{
    struct written whole = write_steps(&(struct vcd_options){"", 0, UINT64_MAX, 10000000});
    for (uint64_t cap = DRAWING_BYTES_LEAST; cap < whole.size; cap += 97) {
        struct written w = write_steps(&(struct vcd_options){"", 0, UINT64_MAX, cap});
        ck_assert_int_eq(w.status, DRAWING_CUT);
        ck_assert_uint_le(w.size, cap);
        ck_assert_uint_eq(w.vcd->last_ps, w.report.cut_ps);
        ck_assert_uint_eq(w.report.events + w.report.missing, whole.report.events);
        ck_assert_ptr_nonnull(strstr(w.text, "reached its cap"));
        check_values(&w, 0, w.report.cut_ps);
        forget(&w);
    }
    forget(&whole);
}
END_TEST

/* Without a change, and up to time 0. */
START_TEST(test_nothing_is_waveforms)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct vcd *vcd = open_signals(out, &(struct vcd_options){"", 0, UINT64_MAX, 10000});
    ck_assert_int_eq(vcd_close(vcd, 0, NULL), DRAWING_WHOLE);
    fclose(out);
    struct read_vcd *read = read_vcd(text);
    ck_assert_uint_eq(read->changes, SIGNALS);
    read_vcd_destroy(read);
    free(text);
}
END_TEST

START_TEST(test_full_disk_is_told)
{
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    struct vcd *vcd = open_signals(full, &(struct vcd_options){"", 0, UINT64_MAX, 100000});
    for (unsigned step = 0; step < STEPS; step++)
        vcd_change(vcd, 2, step, value_at(2, step));
    ck_assert_int_eq(vcd_close(vcd, STEPS, NULL), DRAWING_EWRITE);
    fclose(full);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vcd");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_values_are_read_back);
    tcase_add_test(core, test_a_window_begins_with_all_values);
    tcase_add_test(core, test_a_window_beyond_the_end_is_told);
    tcase_add_test(core, test_cap_is_kept_and_told);
    tcase_add_test(core, test_nothing_is_waveforms);
    tcase_add_test(core, test_full_disk_is_told);
    tcase_set_timeout(core, 60);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
