#include "traces/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"
#include "traces/statistics/histogram.h"

static void set(json_t *object, const char *name, const char *suffix, json_t *value)
{
    char key[128];
    snprintf(key, sizeof key, "%s%s", name, suffix);
    json_object_set_new(object, key, value);
}

static void set_number(json_t *object, const char *name, const char *suffix, double value)
{
    set(object, name, suffix, json_number(value));
}

static void set_integer(json_t *object, const char *name, const char *suffix, uint64_t value)
{
    set(object, name, suffix, json_integer((json_int_t)value));
}

/* The object of a stage, which is created on first use. */
static json_t *stage_object(json_t *parent, const char *stage)
{
    json_t *object = json_object_get(parent, stage);
    if (!object) {
        object = json_object();
        json_object_set_new(parent, stage, object);
    }
    return object;
}

static void add_counter(json_t *stage, const struct frame *frame, const struct counter_spec *spec,
                        unsigned index)
{
    if (spec->kind == COUNTER_TIME)
        set_number(stage, spec->name, frame_suffix(spec->kind), frame_seconds(frame, index));
    else
        set_integer(stage, spec->name, frame_suffix(spec->kind), (uint64_t)frame->counters[index]);
    if (spec->kind == COUNTER_FLOW)
        set_number(stage, spec->name, "_per_s", frame_rate_per_s(frame, index));
    if (spec->kind == COUNTER_BUSY)
        set_number(stage, spec->name, "_utilisation", frame_utilisation(frame, index));
}

static json_t *queue_object(const struct fifo_measure *m, const struct queue_spec *spec, double clock_hz)
{
    json_t *queue = json_object();
    json_object_set_new(queue, "element", json_string(spec->element));
    json_object_set_new(queue, "places", m->places ? json_integer((json_int_t)m->places) : json_null());
    set_integer(queue, "elements", "", m->elements);
    set_number(queue, "mean", "", fifo_measure_mean(m));
    set_integer(queue, "max", "", m->most);
    set_number(queue, "mean_wait", "_s", fifo_measure_mean_sojourn(m) / clock_hz);
    set_number(queue, "back_pressure", "_fraction", m->places ? fifo_measure_back_pressure(m) : NAN);
    return queue;
}

static json_t *interval_object(const struct interval_moments *m)
{
    json_t *times = json_object();
    set_integer(times, "count", "", m->count);
    set_number(times, "mean", "_clocks", interval_moments_mean(m));
    set_number(times, "scv", "", interval_moments_scv(m));
    set_number(times, "lag1", "", interval_moments_lag1(m));
    return times;
}

static void add_stages(json_t *parent, const struct frame *frame, const struct frame_layout *layout)
{
    for (unsigned i = 0; i < layout->gauge_count; i++)
        set_number(stage_object(parent, layout->gauges[i].stage), layout->gauges[i].name, "",
                   frame->gauges[i]);
    for (unsigned i = 0; i < layout->counter_count; i++)
        add_counter(stage_object(parent, layout->counters[i].stage), frame, &layout->counters[i], i);
    for (unsigned i = 0; i < layout->ratio_count; i++)
        set_number(stage_object(parent, layout->ratios[i].stage), layout->ratios[i].name, "",
                   frame_ratio(frame, &layout->ratios[i]));
    for (unsigned i = 0; i < layout->queue_count; i++)
        json_object_set_new(stage_object(parent, layout->queues[i].stage), layout->queues[i].name,
                            queue_object(&frame->queues[i], &layout->queues[i], frame->clock_hz));
    for (unsigned i = 0; i < layout->interval_count; i++)
        json_object_set_new(stage_object(parent, layout->intervals[i].stage), layout->intervals[i].name,
                            interval_object(&frame->intervals[i]));
}

/* NULL if the frame has no batches. */
static json_t *estimates_object(const struct frame *frame, const struct frame_layout *layout)
{
    if (frame->batches == 0)
        return NULL;
    json_t *object = json_object();
    set_integer(object, "batches", "", frame->batches);
    set_integer(object, "blocks_a_batch", "", frame->blocks_a_batch);
    for (unsigned i = 0; i < layout->estimate_count; i++) {
        json_t *quantity = json_object();
        json_object_set_new(quantity, "unit", json_string(layout->estimates[i].unit));
        set_number(quantity, "mean", "", frame->estimates[i].mean);
        set_number(quantity, "half_width", "", frame->estimates[i].half_width);
        set_number(quantity, "lag1", "", frame->estimates[i].lag1);
        set_number(quantity, "largest", "_share", frame->estimates[i].largest);
        json_object_set_new(object, layout->estimates[i].name, quantity);
    }
    return object;
}

static json_t *pass_objects(const struct frame *passes, size_t count, const struct frame_layout *layout)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *pass = json_object();
        set_integer(pass, "pass", "", i + 1);
        set_number(pass, "begin", "_s", passes[i].begin_s);
        set_number(pass, "simulated_time", "_s", passes[i].duration_s);
        set_integer(pass, "clocks", "", passes[i].clocks);
        add_stages(pass, &passes[i], layout);
        json_t *estimates = estimates_object(&passes[i], layout);
        if (estimates)
            json_object_set_new(pass, "intervals", estimates);
        json_array_append_new(array, pass);
    }
    return array;
}

json_t *summary_json(const struct frame *run, const struct frame *passes, size_t count,
                     const struct frame_layout *layout, json_t *sections)
{
    json_t *root = json_object();
    if (!root)
        return NULL;
    json_object_set_new(root, "schema", json_string("mercury-summary-2"));
    set_number(root, "simulated_time", "_s", run->duration_s);
    set_number(root, "measured_time", "_s", frame_measured_s(run));
    set_number(root, "clock", "_hz", run->clock_hz);
    set_integer(root, "clocks", "", run->clocks);
    set_integer(root, "passes", "", count);
    add_stages(root, run, layout);
    if (sections)
        json_object_update(root, sections);
    json_object_set_new(root, "per_pass", pass_objects(passes, count, layout));
    return root;
}

/* --- what was read --------------------------------------------------------------------------------------- */

/* Where a member is: "per_pass 3", then "stage_1b.trips". */
struct place {
    const char *file;
    size_t pass; /* from 1; 0: of the run */
    char path[160];
    struct why *why;
};

static int refuse(const struct place *p, const char *expected)
{
    char pass[40] = "";
    if (p->pass > 0)
        snprintf(pass, sizeof pass, "pass %zu, ", p->pass);
    return why_say(p->why, SUMMARY_EFORMAT,
                   "%.400s: %sno number %s (expected %s); run mercury again to write it", p->file, pass,
                   p->path, expected);
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

/* Everything is counted or timed, but for correlations. What an empty frame has no number of may have none. */
static int check_number(const struct place *p, const json_t *like, const json_t *value)
{
    const double number = json_number_value(value), most = ends_in(p->path, "_fraction") ? 1 : INFINITY;
    if (json_is_null(like) && json_is_null(value))
        return 0;
    if (json_is_integer(like) && !(json_is_integer(value) && number >= 0))
        return refuse(p, "a whole number, 0 or more");
    if (!json_is_number(value))
        return refuse(p, "a number");
    if (!ends_in(p->path, "lag1") && !(number >= 0 && number <= most))
        return refuse(p, most > 1 ? "0 or more" : "0 to 1");
    return 0;
}

static int check_object(struct place *p, const json_t *like, const json_t *object)
{
    const char *name;
    json_t *member;
    const size_t length = strlen(p->path);
    int status = 0;
    json_object_foreach((json_t *)like, name, member)
    {
        const json_t *value = json_object_get(object, name);
        snprintf(p->path + length, sizeof p->path - length, "%s%s", length > 0 ? "." : "", name);
        if (json_is_object(member))
            status = check_object(p, member, value);
        else if (json_is_number(member) || json_is_null(member))
            status = check_number(p, member, value);
        if (status)
            return status;
    }
    p->path[length] = '\0';
    return 0;
}

int summary_check(const json_t *summary, const char *file, const struct frame_layout *layout, struct why *why)
{
    const struct frame empty = {.clock_hz = 1};
    const json_t *passes = json_object_get(summary, "per_pass");
    json_t *like = summary_json(&empty, &empty, 1, layout, NULL);
    struct place place = {.file = file, .why = why};
    int status = like ? check_object(&place, like, summary) : why_no_memory(why, SUMMARY_EMEMORY);
    for (size_t i = 0; i < json_array_size(passes) && status == 0; i++) {
        place.pass = i + 1;
        status = check_object(&place, json_array_get(json_object_get(like, "per_pass"), 0),
                              json_array_get(passes, i));
    }
    json_decref(like);
    if (status == 0 && (double)json_array_size(passes) != json_number_at(summary, "passes"))
        status =
            why_say(why, SUMMARY_EFORMAT,
                    "%.400s: per_pass has %zu passes where passes is %.0f; run mercury again to write it",
                    file, json_array_size(passes), json_number_at(summary, "passes"));
    return status;
}

/* --- writing --------------------------------------------------------------------------------------------- */

int summary_write_object(const json_t *summary, FILE *out)
{
    /* json_dumpf() calls fwrite() for every few bytes, which takes longer than all else. */
    char *text = json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(SUMMARY_DIGITS));
    if (!text)
        return SUMMARY_EMEMORY;
    const bool written = fprintf(out, "%s\n", text) > 0 && !ferror(out);
    free(text);
    return written ? 0 : SUMMARY_EWRITE;
}

int summary_write_json(const struct frame *run, const struct frame *passes, size_t count,
                       const struct frame_layout *layout, json_t *sections, FILE *out)
{
    json_t *root = summary_json(run, passes, count, layout, sections);
    if (!root)
        return SUMMARY_EMEMORY;
    int status = summary_write_object(root, out);
    json_decref(root);
    return status;
}

static void write_histogram(const struct fifo_measure *m, struct bin_writer *writer)
{
    for (unsigned i = 0; i < FIFO_BINS; i++)
        if (m->bins[i] > 0)
            bin_writer_write(writer, i * m->bin_width, (i + 1) * m->bin_width - 1, m->bins[i]);
    if (m->overflow > 0)
        bin_writer_write(writer, FIFO_BINS * m->bin_width, UINT64_MAX, m->overflow);
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
        snprintf(before, sizeof before, "%s\t%s\t", queue->name, queue->element);
        write_histogram(&frame->queues[i], &writer);
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
