#include "traces/summary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/json_number.h"
#include "traces/statistics/histogram.h"

/* --- all numbers of a frame ------------------------------------------------------------------------------ */

struct frame_values frame_values_of(const struct frame *f, const struct frame_layout *layout)
{
    struct frame_values v = {.begin_s = f->begin_s,
                             .simulated_s = f->duration_s,
                             .clock_hz = f->clock_hz,
                             .clocks = (double)f->clocks,
                             .batches = (double)f->batches,
                             .blocks_a_batch = (double)f->blocks_a_batch};
    for (unsigned i = 0; i < layout->counter_count; i++)
        v.counters[i] = layout->counters[i].kind == COUNTER_TIME ? frame_seconds(f, i) : frame_count(f, i);
    for (unsigned i = 0; i < layout->queue_count; i++) {
        const struct fifo_measure *m = &f->queues[i];
        v.queues[i] = (struct queue_values){
            .places = m->places ? (double)m->places : NAN,
            .elements = (double)m->elements,
            .mean = fifo_measure_mean(m),
            .most = (double)m->most,
            .wait_s = fifo_measure_mean_sojourn(m) / f->clock_hz,
            .signal = m->places ? fifo_measure_back_pressure(m) : NAN,
        };
    }
    for (unsigned i = 0; i < layout->interval_count; i++) {
        const struct interval_moments *m = &f->intervals[i];
        v.intervals[i] = (struct interval_values){(double)m->count, interval_moments_mean(m),
                                                  interval_moments_scv(m), interval_moments_lag1(m)};
    }
    memcpy(v.gauges, f->gauges, sizeof v.gauges);
    memcpy(v.estimates, f->estimates, sizeof v.estimates);
    return v;
}

/* One way through the numbers of an object, in the order of the file: they are written to it, or read from it. */
struct walk {
    json_t *frame;               /* the run's object or a pass's */
    const struct frame *written; /* what it is written from; NULL: it is read */
};

enum number_kind { REAL, WHOLE };

/* An object of a stage or, if `part` is not NULL, of a part of it; what is written to is created. */
static json_t *object_of(const struct walk *w, const char *stage, const char *part)
{
    const char *const names[] = {stage, part, NULL};
    json_t *object = w->frame;
    for (unsigned i = 0; names[i]; i++) {
        json_t *inner = json_object_get(object, names[i]);
        if (!inner && w->written)
            json_object_set_new(object, names[i], inner = json_object());
        object = inner;
    }
    return object;
}

static void number(const struct walk *w, const char *stage, const char *part, const char *name,
                   const char *suffix, enum number_kind kind, double *value)
{
    char key[128];
    json_t *object = object_of(w, stage, part);
    snprintf(key, sizeof key, "%s%s", name, suffix);
    const json_t *found = w->written ? NULL : json_object_get(object, key);
    if (w->written)
        json_object_set_new(object, key,
                            kind == WHOLE && !isnan(*value) ? json_integer((json_int_t)*value)
                                                            : json_number(*value));
    else
        *value = json_is_number(found) ? json_number_value(found) : NAN;
}

static void walk_counter(const struct walk *w, struct frame_values *v, const struct counter_spec *spec,
                         unsigned counter)
{
    double *count = &v->counters[counter];
    double seconds = v->clocks / v->clock_hz, rate = v->clocks > 0 ? *count / seconds : 0,
           utilisation = v->clocks > 0 ? *count / v->clocks : 0;
    number(w, spec->stage, NULL, spec->name, frame_suffix(spec->kind),
           spec->kind == COUNTER_TIME ? REAL : WHOLE, count);
    if (w->written && !*frame_suffix(spec->kind) &&
        *count >= 1ll << DBL_MANT_DIG) /* all digits of a large one */
        json_integer_set(json_object_get(json_object_get(w->frame, spec->stage), spec->name),
                         (json_int_t)w->written->counters[counter]);
    if (spec->kind == COUNTER_FLOW)
        number(w, spec->stage, NULL, spec->name, "_per_s", REAL, &rate);
    if (spec->kind == COUNTER_BUSY)
        number(w, spec->stage, NULL, spec->name, "_utilisation", REAL, &utilisation);
}

static void walk_stages(const struct walk *w, struct frame_values *v, const struct frame_layout *layout)
{
    for (unsigned i = 0; i < layout->gauge_count; i++)
        number(w, layout->gauges[i].stage, NULL, layout->gauges[i].name, "", REAL, &v->gauges[i]);
    for (unsigned i = 0; i < layout->counter_count; i++)
        walk_counter(w, v, &layout->counters[i], i);
    for (unsigned i = 0; i < layout->ratio_count; i++) {
        const struct ratio_spec *r = &layout->ratios[i];
        double below = v->counters[r->denominator],
               ratio = below > 0 ? v->counters[r->numerator] / below : NAN;
        number(w, r->stage, NULL, r->name, "", REAL, &ratio);
    }
    for (unsigned i = 0; i < layout->queue_count; i++) {
        const struct queue_spec *spec = &layout->queues[i];
        struct queue_values *q = &v->queues[i];
        if (w->written)
            json_object_set_new(object_of(w, spec->stage, spec->name), "element", json_string(spec->element));
        number(w, spec->stage, spec->name, "places", "", WHOLE, &q->places);
        number(w, spec->stage, spec->name, "elements", "", WHOLE, &q->elements);
        number(w, spec->stage, spec->name, "mean", "", REAL, &q->mean);
        number(w, spec->stage, spec->name, "max", "", WHOLE, &q->most);
        number(w, spec->stage, spec->name, "mean_wait_s", "", REAL, &q->wait_s);
        number(w, spec->stage, spec->name, "back_pressure_fraction", "", REAL, &q->signal);
    }
    for (unsigned i = 0; i < layout->interval_count; i++) {
        const struct interval_spec *spec = &layout->intervals[i];
        number(w, spec->stage, spec->name, "count", "", WHOLE, &v->intervals[i].count);
        number(w, spec->stage, spec->name, "mean_clocks", "", REAL, &v->intervals[i].mean_clocks);
        number(w, spec->stage, spec->name, "scv", "", REAL, &v->intervals[i].scv);
        number(w, spec->stage, spec->name, "lag1", "", REAL, &v->intervals[i].lag1);
    }
}

static void walk_run(const struct walk *w, struct frame_values *v, size_t passes,
                     const struct frame_layout *layout)
{
    double seconds = v->clocks / v->clock_hz, count = (double)passes;
    number(w, NULL, NULL, "simulated_time_s", "", REAL, &v->simulated_s);
    number(w, NULL, NULL, "measured_time_s", "", REAL, &seconds);
    number(w, NULL, NULL, "clock_hz", "", REAL, &v->clock_hz);
    number(w, NULL, NULL, "clocks", "", WHOLE, &v->clocks);
    number(w, NULL, NULL, "passes", "", WHOLE, &count);
    walk_stages(w, v, layout);
}

/* A frame that has no batches has no estimates. */
static void walk_estimates(const struct walk *w, struct frame_values *v, const struct frame_layout *layout)
{
    static const char of[] = "intervals";
    if (!w->written ? !json_is_object(json_object_get(w->frame, of)) : v->batches == 0)
        return;
    number(w, of, NULL, "batches", "", WHOLE, &v->batches);
    number(w, of, NULL, "blocks_a_batch", "", WHOLE, &v->blocks_a_batch);
    for (unsigned i = 0; i < layout->estimate_count; i++) {
        const char *name = layout->estimates[i].name;
        if (w->written)
            json_object_set_new(object_of(w, of, name), "unit", json_string(layout->estimates[i].unit));
        number(w, of, name, "mean", "", REAL, &v->estimates[i].mean);
        number(w, of, name, "half_width", "", REAL, &v->estimates[i].half_width);
        number(w, of, name, "lag1", "", REAL, &v->estimates[i].lag1);
        number(w, of, name, "largest_share", "", REAL, &v->estimates[i].largest);
    }
}

static void walk_pass(const struct walk *w, struct frame_values *v, size_t number_of_pass,
                      const struct frame_layout *layout)
{
    double pass = (double)number_of_pass;
    number(w, NULL, NULL, "pass", "", WHOLE, &pass);
    number(w, NULL, NULL, "begin_s", "", REAL, &v->begin_s);
    number(w, NULL, NULL, "simulated_time_s", "", REAL, &v->simulated_s);
    number(w, NULL, NULL, "clocks", "", WHOLE, &v->clocks);
    walk_stages(w, v, layout);
    walk_estimates(w, v, layout);
}

json_t *summary_json(const struct frame *run, const struct frame *passes, size_t count,
                     const struct frame_layout *layout, json_t *sections)
{
    json_t *root = json_object(), *array = json_array();
    struct walk w = {.frame = root, .written = run};
    struct frame_values v = frame_values_of(run, layout);
    if (!root || !array)
        return json_decref(root), json_decref(array), NULL;
    json_object_set_new(root, "schema", json_string("mercury-summary-2"));
    walk_run(&w, &v, count, layout);
    if (sections)
        json_object_update(root, sections);
    for (size_t i = 0; i < count; i++) {
        v = frame_values_of(&passes[i], layout);
        w = (struct walk){.frame = json_object(), .written = &passes[i]};
        walk_pass(&w, &v, i + 1, layout);
        json_array_append_new(array, w.frame);
    }
    json_object_set_new(root, "per_pass", array);
    return root;
}

void summary_read(const json_t *summary, const struct frame_layout *layout, struct frame_values *run,
                  struct frame_values *passes)
{
    const json_t *array = json_object_get(summary, "per_pass");
    *run = (struct frame_values){.begin_s = 0};
    walk_run(&(struct walk){.frame = (json_t *)summary}, run, json_array_size(array), layout);
    for (size_t i = 0; i < json_array_size(array); i++) {
        passes[i] = (struct frame_values){.clock_hz = run->clock_hz};
        walk_pass(&(struct walk){.frame = json_array_get(array, i)}, &passes[i], i + 1, layout);
    }
}

/* --- writing --------------------------------------------------------------------------------------------- */

void summary_round(json_t *value)
{
    json_t *member;
    const char *name;
    size_t i;
    if (json_is_real(value)) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", SUMMARY_DIGITS, json_real_value(value));
        json_real_set(value, strtod(text, NULL));
    }
    json_object_foreach(value, name, member) summary_round(member);
    json_array_foreach(value, i, member) summary_round(member);
}

int summary_write_object(const json_t *summary, FILE *out)
{
    /* json_dumpf() calls fwrite() for every few bytes, which takes longer than all else. */
    auto_free char *text = json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(SUMMARY_DIGITS));
    const bool written = fprintf(out, "%s\n", text) > 0 && !ferror(out);
    return written ? 0 : SUMMARY_EWRITE;
}

/* @param pass  "run", or the number of the pass */
static void write_frame_histograms(const struct frame *frame, const char *pass,
                                   const struct frame_layout *layout, FILE *out)
{
    char before[128], after[32];
    snprintf(after, sizeof after, "\t%s\n", pass);
    for (unsigned i = 0; i < layout->queue_count; i++) {
        const struct queue_spec *queue = &layout->queues[i];
        struct bin_writer writer = {
            .out = out, .all = frame->queues[i].clocks, .before = before, .after = after};
        const struct fifo_measure *m = &frame->queues[i];
        snprintf(before, sizeof before, "%s\t%s\t", queue->name, queue->element);
        for (unsigned bin = 0; bin < FIFO_BINS; bin++)
            if (m->bins[bin] > 0)
                bin_writer_write(&writer, fifo_measure_bin_begin(m, bin),
                                 fifo_measure_bin_begin(m, bin + 1) - 1, m->bins[bin]);
        if (m->overflow > 0)
            bin_writer_write(&writer, fifo_measure_bin_begin(m, FIFO_BINS), UINT64_MAX, m->overflow);
    }
}

int summary_write_histograms(const struct frame *run, const struct frame *passes, size_t count,
                             const struct frame_layout *layout, FILE *out)
{
    fprintf(out,
            "# time-weighted occupancy of every queue, read at the end of a clock; empty bins left out\n");
    fprintf(out, "queue\telement\tfrom\tto\tclocks\tfraction\tpass\n");
    write_frame_histograms(run, "run", layout, out);
    for (size_t i = 0; i < count; i++) {
        char pass[24];
        snprintf(pass, sizeof pass, "%zu", i + 1);
        write_frame_histograms(&passes[i], pass, layout, out);
    }
    return ferror(out) ? SUMMARY_EWRITE : 0;
}
